// SPDX-License-Identifier: Apache-2.0
//
// ws_axil_slave: the handshake of an AXI4-Lite slave: presents transfers one at a time, each with its word address.
//
// The slave picks a write whose address and data are both valid, or a read; if both wait, they alternate. `address`
// holds the word from the next cycle on, so that the user can decode it; then `write` or `read` is high for one cycle,
// in which the user's inputs determine the response.
//
//               choose   decode    act     answer
//   awvalid ────┐                 ┌────┐
//   wvalid  ────┘────────────────▶│    │               awready, wready: with `write`; arready: with `read`
//   address               ├────────────┤
//   write                         ├────┤
//   bvalid                              ├────┤         until bready
//
// Parameters   ADDR_W       width of an address in bytes, 3 to 32
//              READ_CYCLES  cycles of a read, from `address` to its data, 2 or 3; a write has 2
// Ports        hold          no new transfer is picked
//              write, read   the transfer happens in this cycle; at most one is high
//              address       of the word, stable from READ_CYCLES - 1 cycles before `read` on, a cycle before `write`
//              wdata, wstrb  with `write`
//              known         with `write` and `read`: the word exists; otherwise the response is DECERR
//              may_write, may_read   the word may be written, read; otherwise the response is SLVERR
//              rdata         with `read`
// Latency      3 cycles from the last of awvalid and wvalid to bvalid, READ_CYCLES + 1 from arvalid to rvalid, if no
//              other transfer is in progress
// Issue rate   one transfer at a time, a write in 4 cycles, a read in READ_CYCLES + 2. No request waits for more
//              than one other, unless `hold` is high or the master does not accept a response
// Bad input    The two low address bits are ignored; there are no ports for the protection bits
// Source       ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_axil_slave #(
    parameter ADDR_W      = 12,
    parameter READ_CYCLES = 2
) (
    input  wire              clk,
    input  wire              rst,

    /* verilator lint_off UNUSEDSIGNAL */         // the two low bits
    input  wire [ADDR_W-1:0] s_axil_awaddr,
    input  wire [ADDR_W-1:0] s_axil_araddr,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire              s_axil_awvalid,
    output wire              s_axil_awready,
    input  wire [31:0]       s_axil_wdata,
    input  wire [3:0]        s_axil_wstrb,
    input  wire              s_axil_wvalid,
    output wire              s_axil_wready,
    output reg  [1:0]        s_axil_bresp,
    output reg               s_axil_bvalid,
    input  wire              s_axil_bready,
    input  wire              s_axil_arvalid,
    output wire              s_axil_arready,
    output reg  [31:0]       s_axil_rdata,
    output reg  [1:0]        s_axil_rresp,
    output reg               s_axil_rvalid,
    input  wire              s_axil_rready,

    input  wire              hold,
    output wire              write,
    output wire              read,
    output reg  [ADDR_W-1:2] address,
    output wire [31:0]       wdata,
    output wire [3:0]        wstrb,
    input  wire              known,
    input  wire              may_write,
    input  wire              may_read,
    input  wire [31:0]       rdata
);

    localparam [1:0] OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;
    localparam [1:0] STATE_CHOOSE = 2'd0, STATE_DECODE = 2'd1, STATE_WRITE = 2'd2, STATE_READ = READ_CYCLES;

    initial if (ADDR_W < 3 || ADDR_W > 32 || READ_CYCLES < 2 || READ_CYCLES > 3) begin
        $display("ERROR: %m: ADDR_W = %0d (3 to 32), READ_CYCLES = %0d (2 or 3)", ADDR_W, READ_CYCLES);
        $finish;
    end

    // Choose, decode, act
    reg  [1:0] state_reg;
    reg        is_write_reg;            // the kind picked last
    wire       can_write  = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
    wire       can_read   = s_axil_arvalid && !s_axil_rvalid;
    wire       take_write = can_write && !(can_read && is_write_reg);

    assign write          = state_reg == STATE_WRITE && is_write_reg;
    assign read           = state_reg == STATE_READ && !is_write_reg;
    assign wdata          = s_axil_wdata;
    assign wstrb          = s_axil_wstrb;
    assign s_axil_awready = write;
    assign s_axil_wready  = write;
    assign s_axil_arready = read;

    always @(posedge clk) begin
        if (state_reg == STATE_CHOOSE) begin
            if ((can_write || can_read) && !hold) begin
                is_write_reg <= take_write;
                address      <= take_write ? s_axil_awaddr[ADDR_W-1:2] : s_axil_araddr[ADDR_W-1:2];
                state_reg    <= STATE_DECODE;
            end
        end else state_reg <= write || read ? STATE_CHOOSE : state_reg + 1'b1;
        if (rst) begin
            state_reg    <= STATE_CHOOSE;
            is_write_reg <= 1'b0;
        end
    end

    // Answer
    always @(posedge clk) begin
        if (s_axil_bready) s_axil_bvalid <= 1'b0;
        if (s_axil_rready) s_axil_rvalid <= 1'b0;
        if (write) begin
            s_axil_bvalid <= 1'b1;
            s_axil_bresp  <= !known ? DECERR : may_write ? OKAY : SLVERR;
        end
        if (read) begin
            s_axil_rvalid <= 1'b1;
            s_axil_rresp  <= !known ? DECERR : may_read ? OKAY : SLVERR;
            s_axil_rdata  <= rdata;
        end
        if (rst) begin
            s_axil_bvalid <= 1'b0;
            s_axil_rvalid <= 1'b0;
        end
    end

`ifdef FORMAL
    // The master holds a request until it is accepted. The last request is recorded, with the user's inputs for it.
    reg                past_valid = 1'b0;
    reg                reset_ref;                       // in the last cycle
    reg                aw_ref, w_ref, ar_ref, b_ref, r_ref;     // a request or response that waited in the last cycle
    reg                wrote_ref, did_read_ref;         // a transfer acted in the last cycle
    reg  [ADDR_W-1:0]  waddr_ref, raddr_ref;
    reg  [35:0]        wdata_ref;
    reg  [1:0]         wanswer_ref, ranswer_ref;
    reg  [31:0]        rdata_ref;
    reg  [ADDR_W-1:2]  address_ref;
    reg  [3:0]         wwait_ref, rwait_ref;            // cycles in which a request could have been served
    wire               asks_write = s_axil_awvalid && s_axil_wvalid;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        reset_ref   <= rst;
        aw_ref      <= s_axil_awvalid && !s_axil_awready && !rst;
        w_ref       <= s_axil_wvalid && !s_axil_wready && !rst;
        ar_ref      <= s_axil_arvalid && !s_axil_arready && !rst;
        b_ref       <= s_axil_bvalid && !s_axil_bready && !rst;
        r_ref       <= s_axil_rvalid && !s_axil_rready && !rst;
        wrote_ref   <= s_axil_awvalid && s_axil_awready && !rst;
        did_read_ref <= s_axil_arvalid && s_axil_arready && !rst;
        waddr_ref   <= s_axil_awaddr;
        raddr_ref   <= s_axil_araddr;
        wdata_ref   <= {s_axil_wdata, s_axil_wstrb};
        address_ref <= address;
        if (write) wanswer_ref <= {!known || !may_write, !known};
        if (read) ranswer_ref <= {!known || !may_read, !known};
        if (read) rdata_ref <= rdata;
        if (asks_write && !write && !hold && !s_axil_bvalid) wwait_ref <= wwait_ref + 1'b1;
        if (s_axil_arvalid && !read && !hold && !s_axil_rvalid) rwait_ref <= rwait_ref + 1'b1;
        if (rst || write) wwait_ref <= 0;
        if (rst || read) rwait_ref <= 0;

        if (!past_valid) assume (rst);
        else begin
            if (aw_ref) assume (s_axil_awvalid && s_axil_awaddr == waddr_ref);
            if (w_ref) assume (s_axil_wvalid && {s_axil_wdata, s_axil_wstrb} == wdata_ref);
            if (ar_ref) assume (s_axil_arvalid && s_axil_araddr == raddr_ref);

            // address and data of a write are taken together, one transfer at a time, none while its answer waits
            assert (s_axil_awready == write && s_axil_wready == write && s_axil_arready == read && !(write && read));
            if (write) assert (s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid);
            if (read) assert (s_axil_arvalid && !s_axil_rvalid);
            // the transfer is the one requested, and its address was valid in time to be decoded
            if (write) assert (address == s_axil_awaddr[ADDR_W-1:2] && address == address_ref);
            if (write) assert ({wdata, wstrb} == {s_axil_wdata, s_axil_wstrb});
            if (read) assert (address == s_axil_araddr[ADDR_W-1:2] && address == address_ref);
            if (read && READ_CYCLES == 3) assert ($past(address) == $past(address_ref));
            // one response to each, as the user's inputs say, stable while it waits
            assert (s_axil_bvalid == (!reset_ref && (b_ref || wrote_ref)));
            assert (s_axil_rvalid == (!reset_ref && (r_ref || did_read_ref)));
            if (s_axil_bvalid) assert (s_axil_bresp == wanswer_ref);
            if (s_axil_rvalid) assert (s_axil_rresp == ranswer_ref && s_axil_rdata == rdata_ref);
            // a request is accepted, at the latest after one of the other kind
            assert (wwait_ref <= READ_CYCLES + 3 && rwait_ref <= READ_CYCLES + 3);

            // invariants for the induction
            assert (state_reg <= (is_write_reg ? STATE_WRITE : STATE_READ));
            if (state_reg != STATE_CHOOSE && is_write_reg)
                assert (aw_ref && w_ref && !s_axil_bvalid && address == waddr_ref[ADDR_W-1:2]);
            if (state_reg != STATE_CHOOSE && !is_write_reg)
                assert (ar_ref && !s_axil_rvalid && address == raddr_ref[ADDR_W-1:2]);
            if (state_reg > STATE_DECODE) assert (address == address_ref);
            if (wwait_ref != 0) assert (!s_axil_bvalid && aw_ref && w_ref);
            if (rwait_ref != 0) assert (!s_axil_rvalid && ar_ref);
            if (state_reg == STATE_CHOOSE) begin
                assert (wwait_ref <= (is_write_reg ? 0 : READ_CYCLES + 1));
                assert (rwait_ref <= (is_write_reg ? 3 : 0));
            end else begin
                assert (wwait_ref <= (is_write_reg ? READ_CYCLES + 1 : 0) + state_reg);
                assert (rwait_ref <= (is_write_reg ? 0 : 3) + state_reg);
            end
        end
        cover (past_valid && write && $past(read, 3) && $past(write, READ_CYCLES + 4));
        cover (past_valid && s_axil_bvalid && s_axil_bresp == SLVERR && s_axil_rvalid && s_axil_rresp == DECERR);
        cover (past_valid && wwait_ref == READ_CYCLES + 3);
        cover (past_valid && wrote_ref && $past(write, 5));
    end
`endif

endmodule

`default_nettype wire
