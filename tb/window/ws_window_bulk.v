// SPDX-License-Identifier: Apache-2.0
//
// ws_window_bulk: the real punctuator, a core of the window family, and a queue of its rows, for the bulk bench.
//
// Parameters   METHOD               "WID", "SCAN" or "CONSTANT"
//              STEP                 of the punctuator
//              LATENCY, CLOSE_CYCLES   of the window core, as stated in its header
//              the rest             as of ws_pane_aggregate
// Items        s_kind 0 tuple, 1 a sender's punctuation, 2 START; s_data: {attribute, nulls, values}
//              m_kind 0 row, 1 the punctuation after a window, 2 START; m_data: {attribute of the closing punctuation,
//              result_nulls, result_overflows, results}, these three only with a row
// Overflow     evt_lost: an item found the queue full; the gate in the punctuator guarantees that this never happens

`default_nettype none

module ws_window_bulk #(
    parameter [63:0]        METHOD       = "CONSTANT",
    parameter               RANGE        = 600,
    parameter               SLIDE        = 60,
    parameter               SLACK        = 60,
    parameter               WATTR_W      = 32,
    parameter               AGGS         = 2,
    parameter [24*AGGS-1:0] KINDS        = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS      = 2'b10,
    parameter               VALUE_W      = 32,
    parameter               ACC_W        = 64,
    parameter               EMIT_EMPTY   = 0,
    parameter               SKEW         = 1,
    parameter               STEP         = 0,
    parameter               LATENCY      = 4,
    parameter               CLOSE_CYCLES = 2,
    parameter               S_DATA_W     = WATTR_W + AGGS*(1 + VALUE_W),
    parameter               M_DATA_W     = WATTR_W + AGGS*(2 + ACC_W)
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_valid,
    output wire                s_ready,
    input  wire [S_DATA_W-1:0] s_data,
    input  wire [1:0]          s_kind,

    output wire                m_valid,
    input  wire                m_ready,
    output wire [M_DATA_W-1:0] m_data,
    output wire [1:0]          m_kind,

    output wire                evt_lost
);

    wire                    in_valid, in_punct, in_eos, in_restart;
    wire [S_DATA_W-1:0]     in_data;
    wire [WATTR_W-1:0]      wattr  = in_data[AGGS*(1 + VALUE_W) +: WATTR_W];
    wire [AGGS-1:0]         nulls  = in_data[AGGS*VALUE_W +: AGGS];
    wire [AGGS*VALUE_W-1:0] values = in_data[0 +: AGGS*VALUE_W];
    wire                    query_rst = rst || in_restart;

    // From the punctuator's decision: its output register, the row, the punctuation after it, the queue's level, and
    // one to spare.
    localparam TOTAL  = 1 + LATENCY + 1 + 1 + 1;
    localparam ROWS_W = 4;                        // few places, so that the gate has work to do

    wire [ROWS_W:0]         level;
    wire [ROWS_W:0]         room = (1 << ROWS_W) - level;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_punctuator #(
        .DATA_W(S_DATA_W), .WATTR_LSB(AGGS*(1 + VALUE_W)), .WATTR_W(WATTR_W), .WATTR_SIGNED(0),
        .RANGE(RANGE), .SLIDE(SLIDE), .SLACK(SLACK), .STEP(STEP), .EMIT_EMPTY(EMIT_EMPTY),
        .LATENCY(TOTAL), .CLOSE_CYCLES(CLOSE_CYCLES), .CLOSE_PLACES(2), .ROOM_W(ROWS_W + 1)
    ) punctuator (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_kind(s_kind),
        .m_valid(in_valid), .m_punct(in_punct), .m_eos(in_eos), .m_data(in_data), .m_restart(in_restart),
        .room(room), .quiet(), .evt_late(), .evt_ahead(), .evt_resync(), .evt_discarded()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire                  row_valid, row_punct, row_eos;
    wire [WATTR_W-1:0]    row_end;
    wire [AGGS*ACC_W-1:0] results;
    wire [AGGS-1:0]       result_nulls, result_overflows;

    generate
        if (METHOD == "WID") begin : gen_wid
            ws_wid_aggregate #(
                .DATA_W(WATTR_W), .WATTR_W(WATTR_W), .RANGE(RANGE), .SLIDE(SLIDE), .SLACK(SLACK),
                .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W),
                .EMIT_EMPTY(EMIT_EMPTY), .SKEW(SKEW)
            ) aggregate (
                .clk(clk), .rst(query_rst),
                .s_valid(in_valid), .s_punct(in_punct), .s_eos(in_eos), .s_data(wattr),
                .wattr(wattr), .values(values), .nulls(nulls),
                .m_valid(row_valid), .m_punct(row_punct), .m_eos(row_eos), .m_data(row_end),
                .results(results), .result_nulls(result_nulls), .result_overflows(result_overflows)
            );
        end else begin : gen_panes
            ws_pane_aggregate #(
                .DATA_W(WATTR_W), .WATTR_W(WATTR_W), .RANGE(RANGE), .SLIDE(SLIDE), .SLACK(SLACK), .METHOD(METHOD),
                .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W),
                .EMIT_EMPTY(EMIT_EMPTY), .SKEW(SKEW)
            ) aggregate (
                .clk(clk), .rst(query_rst),
                .s_valid(in_valid), .s_punct(in_punct), .s_eos(in_eos), .s_data(wattr),
                .wattr(wattr), .values(values), .nulls(nulls),
                .m_valid(row_valid), .m_punct(row_punct), .m_eos(row_eos), .m_data(row_end),
                .results(results), .result_nulls(result_nulls), .result_overflows(result_overflows)
            );
        end
    endgenerate

    wire                push = row_valid || row_punct || in_restart;
    wire                push_ready;
    wire [M_DATA_W-1:0] row  = {row_end, result_nulls, result_overflows, results};

    ws_sync_fifo #(.DATA_W(2 + M_DATA_W), .ADDR_W(ROWS_W)) rows (
        .clk(clk), .rst(rst),
        .s_valid(push), .s_ready(push_ready), .s_data({in_restart, row_punct, row}),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_kind, m_data}),
        .level(level)
    );

    assign evt_lost = push && !push_ready;

endmodule

`default_nettype wire
