// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_registers: the registers of the sort machine as an AXI4-Lite slave.
//
// sorter.yml describes them (docs/host.md has the table); ws_sorter_registers.vh is generated from it.
//
// Parameters   SIZES, FORM   values of the words of these names
// Ports        start     a job, with the present descriptor; only while status bit 0, busy, is low
//              abort     ends it; take: its completion has been read
//              status    and the other inputs: values of the words of these names
// Latency      3 cycles to write, 4 to read; as of ws_axil_slave: from the last of awvalid and wvalid to bvalid, from
//              arvalid to rvalid. A written value is on the ports 1 cycle after awready
// Issue rate   1 transfer at a time; reads and writes in turn, a write in 4 cycles, a read in 5
// Bad input    An address without a register gets DECERR. A write to a read-only word, a read of a write-only one, and
//              while a job is under way its start and a write to a descriptor get SLVERR and change nothing. The two low
//              address bits are ignored. wstrb is honoured by words that are stored; control is written whole
// Source       ours; ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_sorter_registers #(
    parameter [31:0] SIZES = 32'd0,
    parameter [31:0] FORM  = 32'd0
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
    output reg         take,
    output wire [63:0] source,
    output wire [63:0] destination,
    output wire [63:0] scratch,
    output wire [31:0] count,
    output wire [31:0] limit,
    output wire [11:0] layout,

    input  wire [5:0]  status,
    input  wire [31:0] done_records,
    input  wire [31:0] done_equal,
    input  wire [63:0] cycles,
    input  wire [31:0] jobs,
    input  wire [31:0] failed
);

    `include "ws_sorter_registers.vh"

    localparam START = 0, ABORT = 1, TAKE = 2;      // bits of control
    localparam BUSY = 0;                            // bit of status

    // ---- Transfers, and the word that each addresses. Whether one is refused is known a cycle before it.

    wire              write, read;
    wire [7:2]        word;
    wire [31:0]       wdata;
    wire [3:0]        wstrb;
    wire [WORDS-1:0]  select = {{WORDS-1{1'b0}}, 1'b1} << word;
    reg  [WORDS-1:0]  select_reg;
    reg               may_write_reg, may_read_reg, known_reg;
    wire              fixed = status[BUSY] && (word == WORD_CONTROL ? wdata[START] : STORED[32*word +: 32] != 0);
    wire              act   = write && may_write_reg;
    wire              unused = &{1'b0, read};

    always @(posedge clk) begin
        select_reg    <= select;
        known_reg     <= READABLE[word] || WRITABLE[word];
        may_write_reg <= WRITABLE[word] && !fixed;
        may_read_reg  <= READABLE[word];
    end

    ws_axil_slave #(.ADDR_W(8)) slave (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .hold(1'b0), .write(write), .read(read), .address(word), .wdata(wdata), .wstrb(wstrb),
        .known(known_reg), .may_write(may_write_reg), .may_read(may_read_reg), .rdata(read_data)
    );

    // ---- The words that store what is written

    wire [32*WORDS-1:0] words;

    ws_stored_words #(.WORDS(WORDS), .STORED(STORED), .RESET(AFTER_RESET)) stored (
        .clk(clk), .rst(rst), .write(act), .select(select_reg), .wstrb(wstrb), .wdata(wdata), .words(words)
    );

    assign source      = words[32*WORD_SOURCE +: 64];
    assign destination = words[32*WORD_DESTINATION +: 64];
    assign scratch     = words[32*WORD_SCRATCH +: 64];
    assign count       = words[32*WORD_COUNT +: 32];
    assign limit       = words[32*WORD_LIMIT +: 32];
    assign layout      = words[32*WORD_LAYOUT +: 12];

    always @(posedge clk) begin
        {take, abort, start} <= {wdata[TAKE], wdata[ABORT], wdata[START]} & {3{act && select_reg[WORD_CONTROL]}};
        if (rst) {take, abort, start} <= 3'b000;
    end

    // ---- The words that can be read

    reg  [32*WORDS-1:0] shown;
    reg  [31:0]         read_data;

    always @* begin
        shown = words;
        shown[32*WORD_ID +: 32]           = ID;
        shown[32*WORD_VERSION +: 32]      = VERSION;
        shown[32*WORD_SIZES +: 32]        = SIZES;
        shown[32*WORD_FORM +: 32]         = FORM;
        shown[32*WORD_STATUS +: 32]       = {26'd0, status};
        shown[32*WORD_DONE_RECORDS +: 32] = done_records;
        shown[32*WORD_DONE_EQUAL +: 32]   = done_equal;
        shown[32*WORD_CYCLES +: 64]       = cycles;
        shown[32*WORD_JOBS +: 32]         = jobs;
        shown[32*WORD_FAILED +: 32]       = failed;
    end

    // Of each word a register, which is 0 if the word is not addressed, so that their OR is what is read.
    wire [32*WORDS-1:0] parts;

    genvar i;
    generate
        for (i = 0; i < WORDS; i = i + 1) begin : gen_part
            reg [31:0] part_reg;

            assign parts[32*i +: 32] = part_reg;

            always @(posedge clk)
                if (select[i]) part_reg <= shown[32*i +: 32];
                else part_reg <= 32'd0;
        end
    endgenerate

    integer n;

    always @* begin
        read_data = 32'd0;
        for (n = 0; n < WORDS; n = n + 1) read_data = read_data | parts[32*n +: 32];
    end

endmodule

`default_nettype wire
