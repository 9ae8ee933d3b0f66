// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_constant: FJoin's chain with a constant threshold, which synthesis folds, for measurements.
//
// Parameters   of ws_fjoin_chain; PREDICATE is L1 with coordinates of 32 bits

`default_nettype none

module ws_fjoin_constant #(
    parameter UNITS  = 64,
    parameter GROUP  = 4,
    parameter BLOCK  = 16,
    parameter LANES  = 4,
    parameter PAIRS  = 1,
    parameter LIMIT  = 10000,
    parameter WORD_W = 24 + $clog2(UNITS) + (PAIRS != 0 ? 0 : BLOCK)
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_probe_valid,
    output wire                    s_probe_ready,
    input  wire [63:0]             s_probe_data,
    input  wire                    s_probe_last,

    input  wire                    s_window_valid,
    output wire                    s_window_ready,
    input  wire [63:0]             s_window_data,
    input  wire                    s_window_last,
    input  wire                    s_window_flush,

    output wire [LANES-1:0]        m_valid,
    input  wire [LANES-1:0]        m_ready,
    output wire [LANES-1:0]        m_flush,
    output wire [LANES*WORD_W-1:0] m_data
);

    ws_fjoin_chain #(
        .UNITS(UNITS), .GROUP(GROUP), .BLOCK(BLOCK), .LANES(LANES), .PAIRS(PAIRS), .PASS_W(8), .SLOT_W(16),
        .PREDICATE("L1"), .KEY_W(64), .LIMIT_W(33)
    ) chain (
        .clk(clk), .rst(rst), .limit({1'b0, LIMIT[31:0]}),
        .s_probe_valid(s_probe_valid), .s_probe_ready(s_probe_ready), .s_probe_data(s_probe_data),
        .s_probe_last(s_probe_last),
        .s_window_valid(s_window_valid), .s_window_ready(s_window_ready), .s_window_data(s_window_data),
        .s_window_last(s_window_last), .s_window_flush(s_window_flush),
        .m_valid(m_valid), .m_ready(m_ready), .m_flush(m_flush), .m_data(m_data)
    );

endmodule

`default_nettype wire
