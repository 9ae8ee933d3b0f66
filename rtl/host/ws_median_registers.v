// SPDX-License-Identifier: Apache-2.0
//
// ws_median_registers: the AXI4-Lite registers of median_memory: source, destination and size in, the status out.
//
// docs/host.md has the table. Numbers of 64 bits have their low word first.
//
// Ports        start   `size` has been written; only while busy is low
//              abort   the job is to end; acknowledge   its end has been seen
//              status  and cycles: values of the words of these names; bit 0 of the status is busy
// Latency      3 cycles; as of ws_axil_slave: from the last of awvalid and wvalid, or arvalid, to the response. A
//              written value is on the ports 1 cycle after awready
// Issue rate   1 transfer at a time; reads and writes in turn, each in 4 cycles
// Bad input    A write to `id` or `cycles`, to the source, the destination or the size while busy, and to a part of the
//              size get SLVERR and change nothing. The two low address bits are ignored
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.6.3; ARM IHI 0022, AXI4

`default_nettype none

module ws_median_registers (
    input  wire        clk,
    input  wire        rst,

    input  wire [4:0]  s_axil_awaddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [4:0]  s_axil_araddr,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,

    output reg         start,
    output reg         abort,
    output reg         acknowledge,
    output wire [63:0] source,
    output wire [63:0] destination,
    output wire [31:0] size,
    input  wire [31:0] status,
    input  wire [31:0] cycles
);

    localparam [31:0] ID = 32'h57534d31;            // "WSM1" in ASCII
    localparam        WORDS = 8, SETTINGS = 5;              // number of words, of settings
    localparam [2:0]  STATUS = 3'd1, FIRST = 3'd2, SIZE = 3'd6;     // words; FIRST: the first setting

    wire        write;
    wire [4:2]  address;
    wire [31:0] wdata;
    wire [3:0]  wstrb;
    reg  [31:0] word_reg;
    reg         allowed_reg;
    reg  [SETTINGS-1:0]    select_reg;
    reg  [32*SETTINGS-1:0] settings_reg;            // source, destination, size; from the low bits on
    wire        act = write && allowed_reg;
    integer     n;

    ws_axil_slave #(.ADDR_W(5), .READ_CYCLES(2)) slave (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        /* verilator lint_off PINCONNECTEMPTY */
        .hold(1'b0), .write(write), .read(),        // reads have no side effect
        /* verilator lint_on PINCONNECTEMPTY */
        .address(address), .wdata(wdata), .wstrb(wstrb),
        .known(1'b1), .may_write(allowed_reg), .may_read(1'b1), .rdata(word_reg)
    );

    // Decode. Writes are so far apart that busy shows a start before the next one
    always @(posedge clk) begin
        for (n = 0; n < SETTINGS; n = n + 1) select_reg[n] <= {29'd0, address} == {29'd0, FIRST} + n;
        allowed_reg <= address == STATUS
                    || (address >= FIRST && address <= SIZE && !status[0] && (address != SIZE || &wstrb));
    end

    // Act
    always @(posedge clk) begin
        for (n = 0; n < 4 * SETTINGS; n = n + 1)
            if (act && select_reg[n/4] && wstrb[n%4]) settings_reg[8*n +: 8] <= wdata[8*(n%4) +: 8];
        start       <= act && select_reg[SIZE - FIRST];
        abort       <= act && select_reg == 0 && wstrb[0] && wdata[0];
        acknowledge <= act && select_reg == 0 && wstrb[0] && wdata[1];
        if (rst) begin
            settings_reg <= {32*SETTINGS{1'b0}};
            {start, abort, acknowledge} <= 3'b000;
        end
    end

    assign {size, destination, source} = settings_reg;

    // Read; the last word first
    wire [32*WORDS-1:0] words = {cycles, settings_reg, status, ID};

    always @(posedge clk) word_reg <= words[32*address +: 32];

endmodule

`default_nettype wire
