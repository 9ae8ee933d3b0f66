// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_registers: the AXI4-Lite registers of FJoin's machine: descriptors of jobs and the ring in, completions and
// counters out.
//
// docs/fjoin.md has the table. Numbers of 64 bits have their low word first.
//
// Parameters   SIZES, FORM, QUEUE   values of the words of these names
// Ports        start    a job, with the present descriptor; only while status bit 2, full, is low
//              abort    ends all jobs; next takes the current completion, only while status bit 1 is high
//              restart  the limit or the ring have been written; only while status bit 0, busy, is low
//              clear    sets ring_taken to 0
//              status   and the other inputs: values of the words of these names
//              irq      status bit 1: there is a completion
// Latency      3 cycles to write, 4 to read; as of ws_axil_slave: from the last of awvalid and wvalid to bvalid, from
//              arvalid to rvalid. A written value is on the ports 2 cycles after awready
// Issue rate   1 transfer at a time; reads and writes in turn, a write in 4 cycles, a read in 5
// Bad input    An address without a register gets DECERR. A write to a read-only word, to the limit or the ring while
//              busy, a start while full and a next without a completion get SLVERR and change nothing. The two low
//              address bits are ignored. wstrb is honoured
// Source       ours; ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_fjoin_registers #(
    parameter [31:0] SIZES = 32'd0,
    parameter [31:0] FORM  = 32'd0,
    parameter [31:0] QUEUE = 32'd0
) (
    input  wire        clk,
    input  wire        rst,

    input  wire [7:0]  s_axil_awaddr,
    input  wire [7:0]  s_axil_araddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,

    output reg         start,
    output reg         abort,
    output reg         next,
    output reg         restart,
    input  wire        clear,
    output wire [63:0] probe_address,
    output wire [63:0] window_address,
    output wire [31:0] probe_count,
    output wire [31:0] window_count,
    output wire [63:0] ring_address,
    output wire [31:0] ring_size,
    output wire [31:0] ring_taken,
    output wire [63:0] limit,

    input  wire [31:0] status,
    input  wire [31:0] ring_written,
    input  wire [31:0] done_results,
    input  wire [31:0] done_end,
    input  wire [63:0] cycles,
    input  wire [63:0] evaluations,
    input  wire [31:0] stalled,
    input  wire [31:0] starved,
    input  wire [31:0] jobs,
    input  wire [31:0] failed,
    output wire        irq
);

    localparam [31:0] ID     = 32'h464a4e31;        // "FJN1" in ASCII
    localparam        WORDS  = 30, FIRST = 6, SETTINGS = 12;    // words; the first setting and their number
    localparam        CONTROL = 4, SHARED = 12, TAKEN = 17;     // words; from SHARED on common to all jobs

    // Transfers, and the word that each addresses
    wire        write, read;
    wire [7:2]  address;
    wire [31:0] wdata;
    wire [3:0]  wstrb;
    reg  [31:0] word_reg;
    reg         known_reg, orders_reg, shared_reg, allowed_reg;
    reg  [SETTINGS-1:0] select_reg;                 // of the settings
    integer     n, k;

    // Whether a write is refused is known one cycle before it: writes are too far apart to change that for the next
    // one, and any other change of the status only allows more.
    wire        orders  = address == CONTROL && wstrb[0];
    wire        setting = {26'd0, address} >= FIRST && {26'd0, address} < FIRST + SETTINGS;
    wire        shared  = {26'd0, address} >= SHARED && {26'd0, address} < TAKEN;
    wire        refused = (orders && wdata[0] && status[2]) || (orders && wdata[2] && !status[1])
                       || (shared && status[0]);
    wire        act     = write && allowed_reg;

    always @(posedge clk) begin
        known_reg   <= {26'd0, address} < WORDS;
        orders_reg  <= orders;
        shared_reg  <= shared;
        allowed_reg <= (address == CONTROL || setting) && !refused;
        for (n = 0; n < SETTINGS; n = n + 1) select_reg[n] <= {26'd0, address} == FIRST + n;
    end

    assign irq = status[1];

    ws_axil_slave #(.ADDR_W(8), .READ_CYCLES(3)) slave (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .hold(1'b0), .write(write), .read(read), .address(address), .wdata(wdata), .wstrb(wstrb),
        .known(known_reg), .may_write(allowed_reg), .may_read(1'b1), .rdata(word_reg)
    );

    always @(posedge clk) begin
        start   <= act && orders_reg && wdata[0];
        abort   <= act && orders_reg && wdata[1];
        next    <= act && orders_reg && wdata[2];
        restart <= act && shared_reg;
        if (rst) {start, abort, next, restart} <= 4'd0;
    end

    // The write data, registered before it fans out to the settings
    reg [32*SETTINGS-1:0] settings_reg;
    reg [SETTINGS-1:0]    put_reg;
    reg [3:0]             put_strb_reg;
    reg [31:0]            put_data_reg;

    always @(posedge clk) begin
        put_reg      <= select_reg & {SETTINGS{act}};
        put_strb_reg <= wstrb;
        put_data_reg <= wdata;
        for (n = 0; n < 4 * SETTINGS; n = n + 1)
            if (put_reg[n/4] && put_strb_reg[n%4]) settings_reg[8*n +: 8] <= put_data_reg[8*(n%4) +: 8];
        if (clear) settings_reg[32*(TAKEN-FIRST) +: 32] <= 32'd0;       // the ring starts over
        if (rst) settings_reg <= {32*SETTINGS{1'b0}};
    end

    assign {ring_taken, ring_size, ring_address, limit, window_count, probe_count, window_address, probe_address} =
           settings_reg;

    // The words that can be read, the last one first
    wire [32*WORDS-1:0] words = {
        QUEUE, done_end,
        failed, jobs, starved, stalled, evaluations, cycles, done_results, ring_written,
        settings_reg,
        status, 32'd0, FORM, SIZES, 32'd2, ID
    };
    // a multiplexer of two stages: first within each eight words, then between these
    localparam PARTS = (WORDS + 7) / 8;
    reg [32*PARTS-1:0] parts, parts_reg;
    reg [31:0]         word;

    always @* begin
        parts = {32*PARTS{1'b0}};
        for (n = 0; n < WORDS; n = n + 1)
            if ({29'd0, address[4:2]} == n % 8) parts[32*(n/8) +: 32] = words[32*n +: 32];
        word = 32'd0;
        for (k = 0; k < PARTS; k = k + 1)
            if ({29'd0, address[7:5]} == k) word = parts_reg[32*k +: 32];
    end

    always @(posedge clk) begin
        parts_reg <= parts;
        word_reg  <= word;
    end

    wire unused = &{read};          // reads have no side effect

endmodule

`default_nettype wire
