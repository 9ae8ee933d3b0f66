// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_stream: FIX messages in UDP payloads to typed fields, by the parser for the stream's width.
//
// ws_fix_parser for a byte a cycle, ws_fix_parser_wide for eight: rules, verdicts and parameters are in their headers.
// Every event is a pulse for one message: those of which a word of eight bytes may bring several follow one by one.
//
// Parameters   DATA_W  width of the payload stream in bits: 8 or 64
//              N_MESSAGES, N_FIELDS, N_GROUPS, N_BEGINS, N_DATA, FIELDS_W  see ws_fix_parser
//              TYPES, WANTED, REQUIRED, TAGS, KINDS, WIDTHS, SIGNED  see ws_fix_parser
//              DECIMALS, DEFAULTS, GROUP, ENTRY, COUNT_TAGS, FIRST_TAGS  see ws_fix_parser
//              BEGIN_STRINGS, LENGTH_TAGS, DATA_TAGS  see ws_fix_parser
// Latency      from the last word of a message to m_valid: 4 cycles with 8 bits, 8 with 64
// Issue rate   1 word a cycle
// Overflow     a sink that stalls pushes back
// Bad input    counted as by the parsers; bad payloads must not come: a frame FIFO stands before this core
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.1.1; FIX 4.4, volume 1

`default_nettype none

module ws_fix_stream #(
    parameter                             DATA_W      = 64,
    parameter                             N_MESSAGES  = 1,
    parameter                             N_FIELDS    = 4,
    parameter                             N_GROUPS    = 1,
    parameter                             N_BEGINS    = 3,
    parameter                             N_DATA      = 1,
    parameter                             FIELDS_W    = 64 + 64 + 32 + 64,
    parameter [N_MESSAGES*24-1:0]         TYPES       = "D",
    parameter [N_MESSAGES*N_FIELDS-1:0]   WANTED      = 4'b1111,
    parameter [N_MESSAGES*N_FIELDS-1:0]   REQUIRED    = 4'b0011,
    parameter [N_FIELDS*24-1:0]           TAGS        = {24'h60, 24'h38, 24'h44, 24'h55},
    parameter [N_FIELDS*2-1:0]            KINDS       = {2'd3, 2'd0, 2'd1, 2'd2},
    parameter [N_FIELDS*10-1:0]           WIDTHS      = {10'd64, 10'd32, 10'd64, 10'd64},
    parameter [N_FIELDS-1:0]              SIGNED      = 4'b0010,
    parameter [N_FIELDS*4-1:0]            DECIMALS    = 16'h0040,
    parameter [FIELDS_W-1:0]              DEFAULTS    = 0,
    parameter [N_FIELDS*4-1:0]            GROUP       = 0,
    parameter [N_FIELDS*4-1:0]            ENTRY       = 0,
    parameter [N_GROUPS*24-1:0]           COUNT_TAGS  = 0,
    parameter [N_GROUPS*24-1:0]           FIRST_TAGS  = 0,
    parameter [N_BEGINS*64-1:0]           BEGIN_STRINGS = {64'h4649582e342e32, 64'h4649582e342e34, "FIXT.1.1"},
    parameter [N_DATA*24-1:0]             LENGTH_TAGS = 24'h95,
    parameter [N_DATA*24-1:0]             DATA_TAGS   = 24'h96
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire [DATA_W-1:0]             s_axis_tdata,
    input  wire [DATA_W/8-1:0]           s_axis_tkeep,
    input  wire                          s_axis_tvalid,
    output wire                          s_axis_tready,
    input  wire                          s_axis_tlast,

    output wire                          m_valid,
    input  wire                          m_ready,
    output wire [FIELDS_W-1:0]           m_fields,
    output wire [$clog2(N_MESSAGES+1)-1:0] m_kind,

    output wire                          evt_message,
    output wire                          evt_truncated,
    output wire                          evt_malformed,
    output wire                          evt_bad_header,
    output wire                          evt_bad_length,
    output wire                          evt_bad_checksum,
    output wire                          evt_unknown,
    output wire                          evt_repeated,
    output wire                          evt_bad_value,
    output wire                          evt_missing,
    output wire                          evt_bad_group,
    output wire                          evt_garbage
);

    initial if (DATA_W != 8 && DATA_W != 64) begin
        $display("ERROR: %m: DATA_W = %0d, must be 8 or 64", DATA_W);
        $finish;
    end

    generate
    if (DATA_W == 8) begin : gen_narrow
        ws_fix_parser #(
            .N_MESSAGES(N_MESSAGES), .N_FIELDS(N_FIELDS), .N_GROUPS(N_GROUPS), .N_DATA(N_DATA), .FIELDS_W(FIELDS_W),
            .TYPES(TYPES), .WANTED(WANTED), .REQUIRED(REQUIRED), .TAGS(TAGS), .KINDS(KINDS), .WIDTHS(WIDTHS),
            .SIGNED(SIGNED), .DECIMALS(DECIMALS), .DEFAULTS(DEFAULTS), .GROUP(GROUP), .ENTRY(ENTRY),
            .COUNT_TAGS(COUNT_TAGS), .FIRST_TAGS(FIRST_TAGS), .N_BEGINS(N_BEGINS), .BEGIN_STRINGS(BEGIN_STRINGS),
            .LENGTH_TAGS(LENGTH_TAGS), .DATA_TAGS(DATA_TAGS)
        ) parser (
            .clk(clk), .rst(rst), .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep),
            .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
            .m_valid(m_valid), .m_ready(m_ready), .m_fields(m_fields), .m_kind(m_kind), .evt_message(evt_message),
            .evt_bad_header(evt_bad_header), .evt_bad_length(evt_bad_length), .evt_bad_checksum(evt_bad_checksum),
            .evt_unknown(evt_unknown), .evt_repeated(evt_repeated), .evt_bad_value(evt_bad_value),
            .evt_missing(evt_missing), .evt_bad_group(evt_bad_group),
            .evt_truncated(evt_truncated), .evt_malformed(evt_malformed), .evt_garbage(evt_garbage)
        );
    end else begin : gen_wide
        wire [2:0] truncated;
        wire [1:0] malformed, garbage;

        ws_fix_parser_wide #(
            .N_MESSAGES(N_MESSAGES), .N_FIELDS(N_FIELDS), .N_GROUPS(N_GROUPS), .N_DATA(N_DATA), .FIELDS_W(FIELDS_W),
            .TYPES(TYPES), .WANTED(WANTED), .REQUIRED(REQUIRED), .TAGS(TAGS), .KINDS(KINDS), .WIDTHS(WIDTHS),
            .SIGNED(SIGNED), .DECIMALS(DECIMALS), .DEFAULTS(DEFAULTS), .GROUP(GROUP), .ENTRY(ENTRY),
            .COUNT_TAGS(COUNT_TAGS), .FIRST_TAGS(FIRST_TAGS), .N_BEGINS(N_BEGINS), .BEGIN_STRINGS(BEGIN_STRINGS),
            .LENGTH_TAGS(LENGTH_TAGS), .DATA_TAGS(DATA_TAGS)
        ) parser (
            .clk(clk), .rst(rst), .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep),
            .s_axis_tvalid(s_axis_tvalid), .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast),
            .m_valid(m_valid), .m_ready(m_ready), .m_fields(m_fields), .m_kind(m_kind), .evt_message(evt_message),
            .evt_bad_header(evt_bad_header), .evt_bad_length(evt_bad_length), .evt_bad_checksum(evt_bad_checksum),
            .evt_unknown(evt_unknown), .evt_repeated(evt_repeated), .evt_bad_value(evt_bad_value),
            .evt_missing(evt_missing), .evt_bad_group(evt_bad_group),
            .evt_truncated(truncated), .evt_malformed(malformed), .evt_garbage(garbage)
        );

        ws_pulses #(.NUMBER_W(3)) of_truncated (.clk(clk), .rst(rst), .number(truncated), .pulse(evt_truncated));
        ws_pulses #(.NUMBER_W(2)) of_malformed (.clk(clk), .rst(rst), .number(malformed), .pulse(evt_malformed));
        ws_pulses #(.NUMBER_W(2)) of_garbage (.clk(clk), .rst(rst), .number(garbage), .pulse(evt_garbage));
    end
    endgenerate

endmodule

`default_nettype wire
