// SPDX-License-Identifier: Apache-2.0
//
// ws_wid_ours: selection and window aggregate of this project, wired as the query circuit of ws_wid_literal.
//
// Parameters   as those of ws_wid_aggregate; the value of an aggregate other than COUNT is the field Volume
// Latency      3 cycles from a closing punctuation to its row, 4 to the punctuation behind it
// Issue rate   1 tuple a cycle
// Overflow     as ws_wid_aggregate: flagged in the row
// Source       ws_select_const and ws_wid_aggregate

`default_nettype none

module ws_wid_ours #(
    parameter        RANGE = 600,
    parameter        SLIDE = 60,
    parameter        SLACK = 60,
    parameter [39:0] AGG   = "COUNT",
    parameter        AGG_W = 32
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         s_valid,
    input  wire         s_punct,
    input  wire         s_eos,
    input  wire [127:0] s_data,

    output wire         m_valid,
    output wire         m_punct,
    output wire         m_eos,
    output wire [135:0] m_data,

    output wire         evt_overflow
);

    wire         selected_valid, selected_punct, selected_eos;
    wire [127:0] selected_data;

    ws_select_const #(
        .DATA_W(128), .FIELD_LSB(96), .FIELD_W(32), .OP("EQ"), .VALUE("UBSN")
    ) select (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data(s_data),
        .m_valid(selected_valid), .m_punct(selected_punct), .m_eos(selected_eos), .m_data(selected_data)
    );

    ws_wid_aggregate #(
        .DATA_W(128), .WATTR_LSB(0), .WATTR_W(32), .VALUE_LSB(32), .VALUE_W(32),
        .AGG(AGG), .AGG_W(AGG_W), .RANGE(RANGE), .SLIDE(SLIDE), .SLACK(SLACK)
    ) aggregate (
        .clk(clk), .rst(rst),
        .s_valid(selected_valid), .s_punct(selected_punct), .s_eos(selected_eos), .s_data(selected_data),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(m_data),
        .evt_overflow(evt_overflow)
    );

endmodule

`default_nettype wire
