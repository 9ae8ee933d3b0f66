// SPDX-License-Identifier: Apache-2.0
//
// ws_join_bulk: a join for the bulk bench, with items instead of AXI4-Stream.
//
// Parameters   CORES     0: ws_window_join, with its parameters ROWS and MATCH_LANES; else ws_handshake_join, with its
//                        SEGMENT and FORWARD
//              TIME_LSB  lowest bit of the time in the tuples of both streams
// Items        s_kind {FLUSH, stream}; s_data a tuple. m_kind FLUSH; m_data {tuple of R, tuple of S}

`default_nettype none

module ws_join_bulk #(
    parameter        DATA_W      = 64,
    parameter        CORES       = 0,
    parameter        SEGMENT     = 8,
    parameter        FORWARD     = 1,
    parameter        ROWS        = 64,
    parameter        MATCH_LANES = 1,
    parameter [31:0] PREDICATE   = "EQ",
    parameter        KEY_W       = 32,
    parameter        SIGNED      = 0,
    parameter        LIMIT_W     = 33,
    parameter        TIME_W      = 0,
    parameter        TIME_LSB    = 0,
    parameter [63:0] WINDOW      = 60,
    parameter [63:0] SLACK       = 0
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [LIMIT_W-1:0]  limit,

    input  wire                s_valid,
    output wire                s_ready,
    input  wire [DATA_W-1:0]   s_data,
    input  wire [1:0]          s_kind,

    output wire                m_valid,
    input  wire                m_ready,
    output wire [2*DATA_W-1:0] m_data,
    output wire                m_kind,

    output wire                evt_late,
    output wire                evt_overflow
);

    wire [2*DATA_W/8-1:0] keep;
    wire [2*DATA_W-1:0]   pair;

    // A FLUSH has no data: it is set to 0, so that it is the same in every run of the bench.
    assign m_kind = keep == 0;
    assign m_data = m_kind ? {2*DATA_W{1'b0}} : pair;

    /* verilator lint_off PINCONNECTEMPTY */
    generate
        if (CORES == 0) begin : gen_window
            ws_window_join #(
                .DATA_W(DATA_W), .ROWS(ROWS), .MATCH_LANES(MATCH_LANES), .PREDICATE(PREDICATE), .KEY_W(KEY_W),
                .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .TIME_W(TIME_W), .R_TIME_LSB(TIME_LSB), .S_TIME_LSB(TIME_LSB),
                .WINDOW(WINDOW), .SLACK(SLACK)
            ) join_core (
                .clk(clk), .rst(rst), .limit(limit),
                .s_axis_tdata(s_data), .s_axis_tkeep({DATA_W/8{!s_kind[1]}}), .s_axis_tvalid(s_valid),
                .s_axis_tready(s_ready), .s_axis_tlast(1'b1), .s_axis_tdest(s_kind[0]),
                .m_axis_tdata(pair), .m_axis_tkeep(keep), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
                .m_axis_tlast(),
                .evt_dropped(), .evt_late(evt_late), .evt_overflow(evt_overflow), .dropped_dest(), .dropped_id()
            );
        end else begin : gen_handshake
            ws_handshake_join #(
                .DATA_W(DATA_W), .CORES(CORES), .SEGMENT(SEGMENT), .FORWARD(FORWARD), .PREDICATE(PREDICATE),
                .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .TIME_W(TIME_W), .R_TIME_LSB(TIME_LSB),
                .S_TIME_LSB(TIME_LSB), .WINDOW(WINDOW), .SLACK(SLACK)
            ) join_core (
                .clk(clk), .rst(rst), .limit(limit),
                .s_axis_tdata(s_data), .s_axis_tkeep({DATA_W/8{!s_kind[1]}}), .s_axis_tvalid(s_valid),
                .s_axis_tready(s_ready), .s_axis_tlast(1'b1), .s_axis_tdest(s_kind[0]),
                .m_axis_tdata(pair), .m_axis_tkeep(keep), .m_axis_tvalid(m_valid), .m_axis_tready(m_ready),
                .m_axis_tlast(),
                .m_clk(clk), .m_rst(rst),
                .evt_dropped(), .evt_late(evt_late), .evt_overflow(evt_overflow), .dropped_dest(), .dropped_id()
            );
        end
    endgenerate
    /* verilator lint_on PINCONNECTEMPTY */

endmodule

`default_nettype wire
