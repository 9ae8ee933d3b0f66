// SPDX-License-Identifier: Apache-2.0
//
// ws_merged_join: join_merge before window_join, for a test: two streams in; the stream between the cores is output
// too.
//
// Parameters   of ws_window_join
// Ports        j_axis_*: the join's input, in order of arrival

`default_nettype none

module ws_merged_join #(
    parameter ROWS        = 8,
    parameter MATCH_LANES = 2,
    parameter DATA_W      = 64
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire [DATA_W-1:0]     s_r_axis_tdata,
    input  wire [DATA_W/8-1:0]   s_r_axis_tkeep,
    input  wire                  s_r_axis_tvalid,
    output wire                  s_r_axis_tready,
    input  wire                  s_r_axis_tlast,

    input  wire [DATA_W-1:0]     s_s_axis_tdata,
    input  wire [DATA_W/8-1:0]   s_s_axis_tkeep,
    input  wire                  s_s_axis_tvalid,
    output wire                  s_s_axis_tready,
    input  wire                  s_s_axis_tlast,

    output wire [DATA_W-1:0]     j_axis_tdata,
    output wire [DATA_W/8-1:0]   j_axis_tkeep,
    output wire                  j_axis_tvalid,
    output wire                  j_axis_tready,
    output wire                  j_axis_tlast,
    output wire                  j_axis_tdest,

    output wire [2*DATA_W-1:0]   m_axis_tdata,
    output wire [2*DATA_W/8-1:0] m_axis_tkeep,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire                  m_axis_tlast
);

    ws_join_merge #(.DATA_W(DATA_W)) merge (
        .clk(clk), .rst(rst),
        .s_r_axis_tdata(s_r_axis_tdata), .s_r_axis_tkeep(s_r_axis_tkeep), .s_r_axis_tvalid(s_r_axis_tvalid),
        .s_r_axis_tready(s_r_axis_tready), .s_r_axis_tlast(s_r_axis_tlast),
        .s_s_axis_tdata(s_s_axis_tdata), .s_s_axis_tkeep(s_s_axis_tkeep), .s_s_axis_tvalid(s_s_axis_tvalid),
        .s_s_axis_tready(s_s_axis_tready), .s_s_axis_tlast(s_s_axis_tlast),
        .m_axis_tdata(j_axis_tdata), .m_axis_tkeep(j_axis_tkeep), .m_axis_tvalid(j_axis_tvalid),
        .m_axis_tready(j_axis_tready), .m_axis_tlast(j_axis_tlast), .m_axis_tdest(j_axis_tdest)
    );

    /* verilator lint_off PINCONNECTEMPTY */
    ws_window_join #(.DATA_W(DATA_W), .ROWS(ROWS), .MATCH_LANES(MATCH_LANES), .LIMIT_W(1)) join_core (
        .clk(clk), .rst(rst), .limit(1'b0),
        .s_axis_tdata(j_axis_tdata), .s_axis_tkeep(j_axis_tkeep), .s_axis_tvalid(j_axis_tvalid),
        .s_axis_tready(j_axis_tready), .s_axis_tlast(j_axis_tlast), .s_axis_tdest(j_axis_tdest),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast),
        .evt_dropped(), .evt_late(), .evt_overflow(), .dropped_dest(), .dropped_id()
    );
    /* verilator lint_on PINCONNECTEMPTY */

endmodule

`default_nettype wire
