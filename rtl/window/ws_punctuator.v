// SPDX-License-Identifier: Apache-2.0
//
// ws_punctuator: a query's entry. It keeps the watermark of a stream, drops what is late, announces every window
// boundary by a punctuation before the tuple that passes it, and lets in only what the query's output has room for.
//
// Time, in units of the windowing attribute (signed): windows are [start + i*SLIDE, start + i*SLIDE + RANGE), i >= 0.
//   start      START if given, else the largest multiple of SLIDE not above (first attribute - SLACK), at least 0
//   watermark  at first `start`, then the largest attribute accepted minus SLACK, or a sender's punctuation; never falls
//   late       an attribute below the watermark: dropped, evt_late
//   ahead      an attribute more than MAX_AHEAD above the watermark, unless it is the session's first: dropped,
//              evt_ahead. After RESYNC such tuples in a row within MAX_AHEAD of each other the watermark moves to the
//              least of them minus SLACK, evt_resync
//   boundaries starts and ends of windows above `start`; a punctuation each, in order, as the watermark reaches them.
//              Where all windows up to the next boundary are empty, one punctuation at the last end that the
//              watermark reaches stands for all, unless EMIT_EMPTY is set. The first punctuation is `start` itself.
// A START item ends the session: windows begun and not closed are counted, one evt_discarded each, then m_restart
// resets the query for one cycle. By then everything sent before has reached the output FIFO.
//
// Parameters   DATA_W, WATTR_LSB, WATTR_W   the tuple and the windowing attribute in it, in bits
//              RANGE, SLIDE, SLACK          RANGE and SLIDE at least 1
//              START                        -1: none; else not negative
//              MAX_AHEAD                    0: off; else at least SLACK + SLIDE
//              RESYNC                       1 to 255
//              EMIT_EMPTY                   1: the query wants every window's end
//              LATENCY, CLOSE_CYCLES, CLOSE_PLACES, TUPLE_PLACES, ROOM_W   of the query behind, see ws_gate
// Items        s_kind 0 tuple, 1 a sender's punctuation in the attribute's field, 2 START
// Latency      3 cycles from s to m for a tuple that passes no boundary
// Issue rate   1 tuple a cycle; a boundary costs 2 cycles (or CLOSE_CYCLES), a jump over empty windows WATTR_W + 4
//              more, a session's first item WATTR_W + 6
// Overflow     cannot happen: s_ready falls. Attributes are compared in WATTR_W + 2 bits and never wrap
// Source       Oge et al., MCSoC 2013, sections II and III (punctuations, slack); Li et al., SIGMOD 2005

`default_nettype none

module ws_punctuator #(
    parameter DATA_W       = 128,
    parameter WATTR_LSB    = 0,
    parameter WATTR_W      = 32,
    parameter RANGE        = 600,
    parameter SLIDE        = 60,
    parameter SLACK        = 60,
    parameter START        = -1,
    parameter MAX_AHEAD    = 0,
    parameter RESYNC       = 16,
    parameter EMIT_EMPTY   = 0,
    parameter LATENCY      = 8,
    parameter CLOSE_CYCLES = 2,
    parameter CLOSE_PLACES = 2,
    parameter TUPLE_PLACES = 0,
    parameter ROOM_W       = 8
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [1:0]        s_kind,

    output reg               m_valid,
    output reg               m_punct,
    output wire              m_eos,
    output reg  [DATA_W-1:0] m_data,
    output reg               m_restart,

    input  wire [ROOM_W-1:0] room,

    output reg               evt_late,
    output reg               evt_ahead,
    output reg               evt_resync,
    output reg               evt_discarded
);

    localparam [1:0] KIND_TUPLE = 2'd0, KIND_PUNCT = 2'd1, KIND_START = 2'd2;

    // Times, wide enough for an attribute plus or minus any of the parameters.
    localparam T_W = WATTR_W + 2;
    localparam signed [T_W-1:0] T_RANGE     = RANGE;
    localparam signed [T_W-1:0] T_SLIDE     = SLIDE;
    localparam signed [T_W-1:0] T_SLACK     = SLACK;
    localparam signed [T_W-1:0] T_MAX_AHEAD = MAX_AHEAD;
    localparam signed [T_W-1:0] T_START     = START;
    localparam signed [T_W-1:0] T_ZERO      = 0;
    localparam signed [T_W-1:0] T_NONE      = -1;
    // From a window's end to the next start above it.
    localparam signed [T_W-1:0] T_END_TO_START = SLIDE - RANGE % SLIDE;

    initial begin
        if (RANGE < 1 || SLIDE < 1 || SLACK < 0) begin
            $display("ERROR: %m: RANGE and SLIDE must be at least 1, SLACK at least 0");
            $finish;
        end
        if (MAX_AHEAD != 0 && MAX_AHEAD < SLACK + SLIDE) begin
            $display("ERROR: %m: MAX_AHEAD = %0d, must be 0 or at least SLACK + SLIDE = %0d", MAX_AHEAD, SLACK + SLIDE);
            $finish;
        end
        if (RESYNC < 1 || RESYNC > 255) begin
            $display("ERROR: %m: RESYNC = %0d, must be 1 to 255", RESYNC);
            $finish;
        end
    end

    // ---- Entry: s_ready must not depend on the comparisons below

    wire              in_valid, in_ready;
    wire [DATA_W-1:0] in_data;
    wire [1:0]        in_kind;

    ws_skid_buffer #(.DATA_W(DATA_W + 2)) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data({s_kind, s_data}),
        .m_valid(in_valid), .m_ready(in_ready), .m_data({in_kind, in_data})
    );

    // ---- Stage 1: the item, its attribute, and what that attribute would make of the watermark

    wire signed [T_W-1:0] in_attr = {{2{in_data[WATTR_LSB + WATTR_W - 1]}}, in_data[WATTR_LSB +: WATTR_W]};

    reg                   valid_reg;
    reg  [DATA_W-1:0]     data_reg;
    reg  [1:0]            kind_reg;
    reg  signed [T_W-1:0] attr_reg;
    reg  signed [T_W-1:0] mark_reg;      // the watermark that the item asks for
    reg  signed [T_W-1:0] limit_reg;     // mark_reg + MAX_AHEAD
    reg  signed [T_W-1:0] last_end_reg;  // no window that holds the attribute ends later

    reg                   consume;       // from stage 2
    reg                   as_resync;     // from stage 2: the item becomes a punctuation at run_min_reg - SLACK
    reg  signed [T_W-1:0] run_min_reg;

    assign in_ready = !valid_reg || consume;

    always @(posedge clk) begin
        if (in_ready) begin
            valid_reg    <= in_valid;
            data_reg     <= in_data;
            kind_reg     <= in_kind;
            attr_reg     <= in_attr;
            mark_reg     <= in_attr - (in_kind == KIND_TUPLE ? T_SLACK : T_ZERO);
            limit_reg    <= in_attr + (in_kind == KIND_TUPLE ? T_MAX_AHEAD - T_SLACK : T_MAX_AHEAD);
            last_end_reg <= in_attr + T_RANGE;
        end else if (as_resync) begin
            kind_reg     <= KIND_PUNCT;
            mark_reg     <= run_min_reg - T_SLACK;
            limit_reg    <= run_min_reg + (T_MAX_AHEAD - T_SLACK);
        end
        if (rst) valid_reg <= 1'b0;
    end

    // ---- Stage 2: judge the item; step through the boundaries that it passes

    localparam [3:0] STATE_FIRST   = 4'd0,  // no item of this session yet
                     STATE_ALIGN   = 4'd1,  // `start` is being computed
                     STATE_OPEN    = 4'd2,  // announce `start`
                     STATE_RUN     = 4'd3,
                     STATE_STEP    = 4'd4,  // find the next boundary
                     STATE_JUMP    = 4'd5,  // the last end up to the new watermark is being computed
                     STATE_AHEAD   = 4'd6,  // add an ahead tuple to the run
                     STATE_RESYNC  = 4'd7,  // is the run narrow, and long enough?
                     STATE_DISCARD = 4'd8,  // count the windows that are lost
                     STATE_RESTART = 4'd9;  // wait for what is in flight, then reset the query

    reg  [3:0]            state_reg;
    reg  signed [T_W-1:0] watermark_reg;
    reg  signed [T_W-1:0] ahead_reg;       // watermark + MAX_AHEAD
    reg  signed [T_W-1:0] boundary_reg;    // the next one: the smaller of the next two
    reg  signed [T_W-1:0] next_start_reg;
    reg  signed [T_W-1:0] next_end_reg;
    reg  signed [T_W-1:0] open_end_reg;    // no window that holds an accepted tuple ends later
    reg                   first_reg;       // no tuple of this session yet
    reg                   jumped_reg;
    reg  [7:0]            run_reg;         // ahead tuples in a row
    reg  signed [T_W-1:0] run_max_reg;

    wire may_punct, may_tuple, idle;
    reg  send_punct, send_tuple;

    wire is_tuple = kind_reg == KIND_TUPLE;
    wire late     = is_tuple && attr_reg < watermark_reg;
    wire ahead    = is_tuple && MAX_AHEAD != 0 && !first_reg && attr_reg > ahead_reg;
    wire passes   = mark_reg >= boundary_reg;
    wire rises    = mark_reg > watermark_reg;
    wire empty    = EMIT_EMPTY == 0 && !jumped_reg && boundary_reg > open_end_reg && mark_reg >= next_end_reg;
    wire narrow   = run_max_reg - run_min_reg <= T_MAX_AHEAD;
    wire full     = run_reg == RESYNC[7:0] - 8'd1;
    wire judging  = state_reg == STATE_RUN && valid_reg && kind_reg != KIND_START;
    wire crossing = judging && !late && !ahead && passes;
    wire lost     = next_end_reg <= open_end_reg;

    // What leaves stage 2 in this cycle.
    always @* begin
        send_tuple = judging && is_tuple && !late && !ahead && !passes && may_tuple;
        send_punct = may_punct && (state_reg == STATE_OPEN || (crossing && !empty));
        as_resync  = state_reg == STATE_RESYNC && narrow && full;
        consume    = (judging && !is_tuple && !passes) || (judging && late) || send_tuple
                  || (state_reg == STATE_RESYNC && !as_resync)
                  || (state_reg == STATE_RESTART && may_punct && idle);
    end

    // The two alignments to the grid of windows: of a session's start, and of a jump's target.
    wire                  mark_negative = mark_reg[T_W-1];
    wire signed [T_W-1:0] above_end     = mark_reg - next_end_reg;
    wire                  align_first   = state_reg == STATE_FIRST && valid_reg && kind_reg != KIND_START;
    wire                  align_done;
    wire signed [T_W-1:0] excess;

    ws_remainder #(.NUMBER_W(T_W), .DIVISOR(SLIDE)) align (
        .clk(clk), .rst(rst),
        .start(align_first || (crossing && empty)),
        .number(state_reg != STATE_FIRST ? above_end : mark_negative ? T_ZERO : mark_reg),
        .done(align_done), .remainder(excess)
    );

    wire signed [T_W-1:0] aligned = mark_negative ? T_ZERO : mark_reg - excess;
    wire signed [T_W-1:0] start   = START >= 0 ? T_START : aligned;

    always @(posedge clk) begin
        jumped_reg <= jumped_reg && !send_punct;
        case (state_reg)
            STATE_FIRST: if (valid_reg) state_reg <= kind_reg == KIND_START ? STATE_RESTART : STATE_ALIGN;
            STATE_ALIGN: if (align_done) begin
                watermark_reg  <= start;
                ahead_reg      <= start + T_MAX_AHEAD;
                boundary_reg   <= start;
                next_start_reg <= start + T_SLIDE;
                next_end_reg   <= start + T_RANGE;
                open_end_reg   <= T_NONE;
                first_reg      <= 1'b1;
                run_reg        <= 8'd0;
                state_reg      <= STATE_OPEN;
            end
            STATE_OPEN: if (may_punct) state_reg <= STATE_STEP;
            STATE_STEP: begin
                boundary_reg <= next_start_reg < next_end_reg ? next_start_reg : next_end_reg;
                state_reg    <= STATE_RUN;
            end
            STATE_RUN: if (valid_reg) begin
                if (kind_reg == KIND_START) state_reg <= STATE_DISCARD;
                else if (late) begin
                    run_reg   <= 8'd0;
                    first_reg <= 1'b0;
                end else if (ahead) state_reg <= STATE_AHEAD;
                else if (crossing) begin
                    if (empty) state_reg <= STATE_JUMP;
                    else if (may_punct) begin
                        if (boundary_reg == next_start_reg) next_start_reg <= next_start_reg + T_SLIDE;
                        if (boundary_reg == next_end_reg)   next_end_reg   <= next_end_reg + T_SLIDE;
                        state_reg <= STATE_STEP;
                    end
                end else if (consume) begin
                    run_reg <= 8'd0;
                    if (rises) begin
                        watermark_reg <= mark_reg;
                        ahead_reg     <= limit_reg;
                    end
                    if (is_tuple) begin
                        first_reg <= 1'b0;
                        if (last_end_reg > open_end_reg) open_end_reg <= last_end_reg;
                    end
                end
            end
            STATE_JUMP: if (align_done) begin
                boundary_reg   <= aligned;
                next_end_reg   <= aligned;
                next_start_reg <= aligned + T_END_TO_START;
                jumped_reg     <= 1'b1;
                state_reg      <= STATE_RUN;
            end
            STATE_AHEAD: begin
                if (run_reg == 0 || attr_reg < run_min_reg) run_min_reg <= attr_reg;
                if (run_reg == 0 || attr_reg > run_max_reg) run_max_reg <= attr_reg;
                state_reg <= STATE_RESYNC;
            end
            STATE_RESYNC: begin
                run_reg <= !narrow ? 8'd1 : full ? 8'd0 : run_reg + 8'd1;
                if (!narrow) begin
                    run_min_reg <= attr_reg;
                    run_max_reg <= attr_reg;
                end
                state_reg <= STATE_RUN;
            end
            STATE_DISCARD:
                if (lost) next_end_reg <= next_end_reg + T_SLIDE;
                else state_reg <= STATE_RESTART;
            default: // STATE_RESTART
                if (consume) state_reg <= STATE_FIRST;
        endcase
        if (rst) begin
            state_reg  <= STATE_FIRST;
            jumped_reg <= 1'b0;
        end
    end

    // ---- Output registers

    always @(posedge clk) begin
        m_valid   <= send_tuple && !rst;
        m_punct   <= send_punct && !rst;
        m_restart <= state_reg == STATE_RESTART && consume && !rst;
        m_data    <= data_reg;
        if (send_punct) m_data[WATTR_LSB +: WATTR_W] <= boundary_reg[WATTR_W-1:0];

        evt_late      <= judging && late && !rst;
        evt_ahead     <= state_reg == STATE_AHEAD && !rst;
        evt_resync    <= as_resync && !rst;
        evt_discarded <= state_reg == STATE_DISCARD && lost && !rst;
    end

    assign m_eos = 1'b0;

    ws_gate #(
        .LATENCY(LATENCY), .CLOSE_CYCLES(CLOSE_CYCLES),
        .CLOSE_PLACES(CLOSE_PLACES), .TUPLE_PLACES(TUPLE_PLACES), .ROOM_W(ROOM_W)
    ) gate (
        .clk(clk), .rst(rst),
        .sent_punct(send_punct), .sent_tuple(send_tuple), .room(room),
        .may_punct(may_punct), .may_tuple(may_tuple), .idle(idle)
    );

endmodule

`default_nettype wire
