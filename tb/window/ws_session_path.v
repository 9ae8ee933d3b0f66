// SPDX-License-Identifier: Apache-2.0
//
// ws_session_path: the entry of a query with session windows, their aggregates, and a queue of the rows, for the bulk
// bench.
//
// Parameters   ROWS_W   the queue holds 2**ROWS_W rows and punctuations; few, so that the gate has to act
//              the rest: see ws_session_entry and ws_session_aggregate
// Items        s_kind 0 tuple, 1 a sender's punctuation, 2 START; s_data: {selected, attribute, nulls, values}
//              m_kind 0 row, 1 the punctuation after a session, 2 START; m_data: {s_data of the item that closed the
//              session, with the session's end as its attribute; the end; result_nulls; result_overflows; results},
//              the last three only with a row
// Events       evt_short: a cycle in which the queue has no room for the rows of a punctuation and of another in flight
// Overflow     evt_lost: an item found the queue full; the entry's gate guarantees that this never happens

`default_nettype none

module ws_session_path #(
    parameter               GAP          = 30,
    parameter               SLACK        = 60,
    parameter               START        = -1,
    parameter               WATTR_W      = 32,
    parameter               WATTR_SIGNED = 0,
    parameter               AGGS         = 2,
    parameter [24*AGGS-1:0] KINDS        = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS      = 2'b10,
    parameter               VALUE_W      = 32,
    parameter               ACC_W        = 64,
    parameter               ROWS_W       = 3,
    parameter               S_DATA_W     = 1 + WATTR_W + AGGS*(1 + VALUE_W),
    parameter               M_DATA_W     = S_DATA_W + WATTR_W + AGGS*(2 + ACC_W)
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

    output wire                evt_late,
    output wire                evt_ahead,
    output wire                evt_resync,
    output wire                evt_discarded,
    output wire                evt_short,
    output wire                evt_lost
);

    localparam WATTR_LSB    = AGGS*(1 + VALUE_W);
    localparam LATENCY      = 4 + (ACC_W + 15)/16;    // of ws_session_aggregate
    localparam CLOSE_CYCLES = 2;
    localparam CLOSE_PLACES = 2;         // a row, and the punctuation after it

    // From the entry's decision: its output register, the row, the punctuation after it, the queue's level, and one
    // spare.
    localparam TOTAL        = 1 + LATENCY + 1 + 1 + 1;

    wire                in_valid, in_punct, in_eos, in_restart;
    wire [S_DATA_W-1:0] in_data;
    wire [ROWS_W:0]     level;
    wire [ROWS_W:0]     room = (1 << ROWS_W) - level;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_session_entry #(
        .DATA_W(S_DATA_W), .WATTR_LSB(WATTR_LSB), .WATTR_W(WATTR_W), .WATTR_SIGNED(WATTR_SIGNED),
        .GAP(GAP), .SLACK(SLACK), .START(START),
        .LATENCY(TOTAL), .CLOSE_CYCLES(CLOSE_CYCLES), .CLOSE_PLACES(CLOSE_PLACES), .ROOM_W(ROWS_W + 1)
    ) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_kind(s_kind), .s_selected(s_data[S_DATA_W-1]),
        .m_valid(in_valid), .m_punct(in_punct), .m_eos(in_eos), .m_data(in_data), .m_restart(in_restart),
        .room(room), .quiet(), .evt_late(evt_late), .evt_ahead(evt_ahead), .evt_resync(evt_resync),
        .evt_discarded(evt_discarded)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire                  row_valid, row_punct, row_eos;
    wire [S_DATA_W-1:0]   row_data;
    wire [WATTR_W-1:0]    row_end;
    wire [AGGS*ACC_W-1:0] results;
    wire [AGGS-1:0]       result_nulls, result_overflows;

    ws_session_aggregate #(
        .DATA_W(S_DATA_W), .WATTR_W(WATTR_W), .GAP(GAP), .SLACK(SLACK),
        .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W)
    ) aggregate (
        .clk(clk), .rst(rst || in_restart),
        .s_valid(in_valid), .s_punct(in_punct), .s_eos(in_eos), .s_data(in_data),
        .wattr(in_data[WATTR_LSB +: WATTR_W]),
        .values(in_data[0 +: AGGS*VALUE_W]), .nulls(in_data[AGGS*VALUE_W +: AGGS]),
        .m_valid(row_valid), .m_punct(row_punct), .m_eos(row_eos), .m_data(row_data), .m_end(row_end),
        .results(results), .result_nulls(result_nulls), .result_overflows(result_overflows)
    );

    wire                unused = &{1'b0, row_eos};
    wire                push = row_valid || row_punct || in_restart;
    wire                push_ready;
    wire [M_DATA_W-1:0] row  = {row_data, row_end, result_nulls, result_overflows, results};

    ws_sync_fifo #(.DATA_W(2 + M_DATA_W), .ADDR_W(ROWS_W)) rows (
        .clk(clk), .rst(rst),
        .s_valid(push), .s_ready(push_ready), .s_data({in_restart, row_punct, row}),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_kind, m_data}),
        .level(level)
    );

    assign evt_short = room < 2*CLOSE_PLACES;
    assign evt_lost  = push && (!push_ready || row_valid + row_punct + in_restart != 1);

endmodule

`default_nettype wire
