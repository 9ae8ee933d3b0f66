// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_stream: parses FIX messages in UDP payloads into typed fields, with the parser for the stream's width.
//
// ws_fix_parser takes a byte a cycle, ws_fix_parser_wide eight; the first has the rules and events in its header. Every
// event is a pulse for one message: where a word of eight bytes causes several, their pulses follow one another.
//
// Parameters   DATA_W  width of the payload stream in bits: 8 or 64
//              see ws_fix_parameters.vh
// Latency      4 or 8 cycles, with 8 or 64 bits, from the last word of a message to m_valid
// Issue rate   1 word a cycle
// Overflow     a stalled sink causes back-pressure
// Bad input    any bytes; counted as in ws_fix_parser. Payloads with tuser[0] must be dropped upstream, by a frame FIFO
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.1.1; FIX 4.4, volume 1

`default_nettype none

module ws_fix_stream #(
    parameter DATA_W = 64,
    `include "ws_fix_parameters.vh"
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
            `include "ws_fix_parameter_map.vh"
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
            `include "ws_fix_parameter_map.vh"
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
