// SPDX-License-Identifier: Apache-2.0
//
// ws_constants: the run-time constants of a query ($name in its text), as registers behind AXI4-Lite.
//
// A value written is shadowed until it is committed; then all constants change together, in a cycle in which the query
// holds no tuple.
//
//   offset 4 * i, i < N    constant word i, read and write: the value written last, whether in effect or not
//   offset 4 * N           COMMIT: write 1 to put all constants into effect; reads 1 until then, 0 afterwards
//
// `apply` says that no tuple is inside the query (`quiet` of ws_entry, ws_punctuator). `values` changes only at the end
// of a cycle with `pending` and `apply`. Hold back the input of a busy query while `pending` is high, so that the query
// becomes quiet.
//
// Parameters   N      words of 32 bits, 1 to 1023; a wider constant takes several, low word first
//              RESET  values of the words after reset, word 0 in the low bits
// Latency      3 cycles from the last of awvalid and wvalid to bvalid, and from arvalid to rvalid, if no other transfer
//              is in progress; a commit is pending in the cycle of its bvalid
// Issue rate   one transfer at a time, reads and writes in turn, each in 4 cycles
// Bad input    An address without a register gets DECERR. A write to a constant while a commit is pending gets SLVERR
//              and changes nothing, so that the commit is atomic. The two low address bits are ignored. wstrb is
//              honoured; COMMIT is written with its lowest byte, and a 0 does nothing.
// Source       ours; ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_constants #(
    parameter            N     = 1,
    parameter [32*N-1:0] RESET = {32*N{1'b0}}
) (
    input  wire            clk,
    input  wire            rst,

    input  wire [11:0]     s_axil_awaddr,
    input  wire [11:0]     s_axil_araddr,
    input  wire            s_axil_awvalid,
    output wire            s_axil_awready,
    input  wire [31:0]     s_axil_wdata,
    input  wire [3:0]      s_axil_wstrb,
    input  wire            s_axil_wvalid,
    output wire            s_axil_wready,
    output wire [1:0]      s_axil_bresp,
    output wire            s_axil_bvalid,
    input  wire            s_axil_bready,
    input  wire            s_axil_arvalid,
    output wire            s_axil_arready,
    output wire [31:0]     s_axil_rdata,
    output wire [1:0]      s_axil_rresp,
    output wire            s_axil_rvalid,
    input  wire            s_axil_rready,

    input  wire            apply,
    output reg             pending,
    output reg  [32*N-1:0] values       // word 0 in the low bits
);

    initial if (N < 1 || N > 1023) begin
        $display("ERROR: %m: N = %0d (1 to 1023)", N);
        $finish;
    end

    // Transfers, and the word that each addresses
    wire        write, read;
    wire [11:2] address;
    wire [31:0] wdata;
    wire [3:0]  wstrb;
    reg  [31:0] read_data;
    reg  [N:0]  select_reg;             // of the constants, and COMMIT on top; none for an unknown address
    wire        is_commit = select_reg[N];

    always @(posedge clk) select_reg <= {{N{1'b0}}, 1'b1} << address;

    ws_axil_slave #(.ADDR_W(12)) slave (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .hold(1'b0), .write(write), .read(read), .address(address), .wdata(wdata), .wstrb(wstrb),
        .known(|select_reg), .may_write(!pending || is_commit), .may_read(1'b1), .rdata(read_data)
    );

    // The values written last, and those in effect
    reg  [32*N-1:0] written_reg;
    integer         i;

    always @(posedge clk) begin
        for (i = 0; i < 4 * N; i = i + 1)
            if (write && select_reg[i/4] && wstrb[i%4] && !pending)
                written_reg[8*i +: 8] <= wdata[8*(i%4) +: 8];
        if (pending && apply) begin
            values  <= written_reg;
            pending <= 1'b0;
        end
        if (write && is_commit && wstrb[0] && wdata[0]) pending <= 1'b1;
        if (rst) begin
            written_reg <= RESET;
            values      <= RESET;
            pending     <= 1'b0;
        end
    end

    // Read: the words, each gated by its select bit
    integer w;

    always @* begin
        read_data = {31'd0, is_commit && pending};
        for (w = 0; w < N; w = w + 1) read_data = read_data | ({32{select_reg[w]}} & written_reg[32*w +: 32]);
    end

    wire unused = &{read};          // no effect

`ifdef FORMAL
    // An arbitrary word is watched: the value written to it is read back, and is in effect after a commit. The
    // handshake is that of ws_axil_slave.
    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;
    (* anyconst *) wire [9:0] watch_ref;
    reg               past_valid = 1'b0;
    reg  [31:0]       written_ref, value_ref;   // of the watched word
    reg               pending_ref;
    wire [9:0]        waddr  = s_axil_awaddr[11:2];
    wire [9:0]        raddr  = s_axil_araddr[11:2];
    wire              writes = s_axil_awvalid && s_axil_awready;
    wire              reads  = s_axil_arvalid && s_axil_arready;
    wire              commit = writes && waddr == N && s_axil_wstrb[0] && s_axil_wdata[0];
    integer           b;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (writes && waddr == watch_ref && !pending_ref)
            for (b = 0; b < 4; b = b + 1)
                if (s_axil_wstrb[b]) written_ref[8*b +: 8] <= s_axil_wdata[8*b +: 8];
        if (pending_ref && apply) value_ref <= written_ref;
        pending_ref <= commit || (pending_ref && !apply);
        if (rst) begin
            written_ref <= RESET[32*watch_ref +: 32];
            value_ref   <= RESET[32*watch_ref +: 32];
            pending_ref <= 1'b0;
        end

        assume (watch_ref < N);
        if (!past_valid) assume (rst);
        else begin
            // the master holds its requests
            if ($past(s_axil_awvalid && !s_axil_awready && !rst)) assume (s_axil_awvalid && $stable(s_axil_awaddr));
            if ($past(s_axil_wvalid && !s_axil_wready && !rst))
                assume (s_axil_wvalid && $stable({s_axil_wdata, s_axil_wstrb}));
            if ($past(s_axil_arvalid && !s_axil_arready && !rst)) assume (s_axil_arvalid && $stable(s_axil_araddr));

            // the responses
            if ($past(writes && !rst))
                assert (s_axil_bresp == ($past(waddr > N) ? DECERR : $past(waddr < N && pending_ref) ? SLVERR : OKAY));
            if ($past(reads && !rst)) begin
                assert (s_axil_rresp == ($past(raddr > N) ? DECERR : OKAY));
                if ($past(raddr == watch_ref)) assert (s_axil_rdata == $past(written_ref));
                if ($past(raddr == N)) assert (s_axil_rdata == $past(pending_ref));
                if ($past(raddr > N)) assert (s_axil_rdata == 0);
            end
            // the values in effect
            assert (pending == pending_ref);
            assert (values[32*watch_ref +: 32] == value_ref);

            // invariants for the induction
            assert (written_reg[32*watch_ref +: 32] == written_ref);
            if (write || read) assert (select_reg == ({{N{1'b0}}, 1'b1} << address));
        end
        cover (past_valid && pending && apply && values[32*watch_ref +: 32] != written_reg[32*watch_ref +: 32]);
        cover (past_valid && s_axil_bvalid && s_axil_bresp == SLVERR);
        cover (past_valid && s_axil_rvalid && s_axil_rdata[31:1] != 0 && s_axil_rdata != RESET[31:0]);
    end
`endif

endmodule

`default_nettype wire
