// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_registers: the registers of FJoin's machine behind AXI4-Lite: a job's descriptor in, its results' place and
// the counters out.
//
// docs/fjoin.md has the table. Numbers of 64 bits have their low word first.
//
// Parameters   SIZES, FORM   what the words of these names say
// Ports        start    begins a job; comes only while busy is low, and what the descriptor says then stands still
//              abort    ends it
//              status   of the words of these names; busy is its bit 0
//              irq      status bit 1, done, until the next start
// Latency      the last of awvalid and wvalid to bvalid, arvalid to rvalid: 3 cycles, if nothing else is under way
// Issue rate   one transfer at a time, reads and writes in turn, in 3 cycles
// Bad input    An address without a register gets DECERR. A write to a word that is read-only, or while busy to any but
//              control and ring_taken, and a start while busy, get SLVERR and change nothing. The two low address bits
//              are ignored. wstrb is honoured
// Source       ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_fjoin_registers #(
    parameter [31:0] SIZES = 32'd0,
    parameter [31:0] FORM  = 32'd0
) (
    input  wire        clk,
    input  wire        rst,

    /* verilator lint_off UNUSEDSIGNAL */         // the two low bits
    input  wire [7:0]  s_axil_awaddr,
    input  wire [7:0]  s_axil_araddr,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output reg  [1:0]  s_axil_bresp,
    output reg         s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output reg  [31:0] s_axil_rdata,
    output reg  [1:0]  s_axil_rresp,
    output reg         s_axil_rvalid,
    input  wire        s_axil_rready,

    output reg         start,
    output reg         abort,
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
    input  wire [31:0] results,
    input  wire [63:0] cycles,
    input  wire [63:0] evaluations,
    input  wire [31:0] stalled,
    input  wire [31:0] starved,
    input  wire [31:0] jobs,
    input  wire [31:0] failed,
    output wire        irq
);

    localparam [31:0] ID      = 32'h464a4e31;       // "FJN1" in ASCII
    localparam        CONTROL = 4, TAKEN = 17, FIRST = 6, SETTINGS = 12;    // words; the settings' first one and count
    localparam        WORDS   = 28;
    localparam [1:0]  OKAY = 2'b00, SLVERR = 2'b10, DECERR = 2'b11;

    // Choose a write whose address and data are there, or a read, in turn if both wait; act
    reg         busy_reg, is_write_reg;
    reg  [7:2]  address_reg;
    wire        can_write  = s_axil_awvalid && s_axil_wvalid && !s_axil_bvalid;
    wire        can_read   = s_axil_arvalid && !s_axil_rvalid;
    wire        take_write = can_write && !(can_read && is_write_reg);
    wire        write      = busy_reg && is_write_reg;
    wire        read       = busy_reg && !is_write_reg;
    wire        known      = {26'd0, address_reg} < WORDS;
    wire        control    = address_reg == CONTROL;
    wire        setting    = {26'd0, address_reg} >= FIRST && {26'd0, address_reg} < FIRST + SETTINGS;
    wire        running    = status[0] || start;
    wire        starts     = control && s_axil_wdata[0] && s_axil_wstrb[0];
    wire        allowed    = running ? (control && !starts) || address_reg == TAKEN : control || setting;
    wire        act        = write && allowed;

    assign s_axil_awready = write;
    assign s_axil_wready  = write;
    assign s_axil_arready = read;
    assign irq            = status[1];

    always @(posedge clk) begin
        busy_reg <= !busy_reg && (can_write || can_read);
        if (!busy_reg && (can_write || can_read)) begin
            is_write_reg <= take_write;
            address_reg  <= take_write ? s_axil_awaddr[7:2] : s_axil_araddr[7:2];
        end
        if (s_axil_bready) s_axil_bvalid <= 1'b0;
        if (s_axil_rready) s_axil_rvalid <= 1'b0;
        if (write) begin
            s_axil_bvalid <= 1'b1;
            s_axil_bresp  <= !known ? DECERR : allowed ? OKAY : SLVERR;
        end
        if (read) begin
            s_axil_rvalid <= 1'b1;
            s_axil_rresp  <= known ? OKAY : DECERR;
            s_axil_rdata  <= known ? word : 32'd0;
        end
        start <= act && starts;
        abort <= act && control && s_axil_wdata[1] && s_axil_wstrb[0];
        if (rst) begin
            busy_reg      <= 1'b0;
            is_write_reg  <= 1'b0;
            s_axil_bvalid <= 1'b0;
            s_axil_rvalid <= 1'b0;
            start         <= 1'b0;
            abort         <= 1'b0;
        end
    end

    // What is written
    reg [32*SETTINGS-1:0] settings_reg;
    integer               n;

    always @(posedge clk) begin
        for (n = 0; n < 4 * SETTINGS; n = n + 1)
            if (act && setting && {26'd0, address_reg} == FIRST + n/4 && s_axil_wstrb[n%4])
                settings_reg[8*n +: 8] <= s_axil_wdata[8*(n%4) +: 8];
        if (start) settings_reg[32*(TAKEN-FIRST) +: 32] <= 32'd0;       // the ring begins anew
        if (rst) settings_reg <= {32*SETTINGS{1'b0}};
    end

    assign {ring_taken, ring_size, ring_address, limit, window_count, probe_count, window_address, probe_address} =
           settings_reg;

    // What is read: all words, the last one first
    wire [32*WORDS-1:0] words = {
        failed, jobs, starved, stalled, evaluations, cycles, results, ring_written,
        settings_reg,
        status, 32'd0, FORM, SIZES, 32'd1, ID
    };
    reg [31:0] word;

    always @* begin
        word = 32'd0;
        for (n = 0; n < WORDS; n = n + 1)
            if ({26'd0, address_reg} == n) word = words[32*n +: 32];
    end

endmodule

`default_nettype wire
