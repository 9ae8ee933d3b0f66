// SPDX-License-Identifier: Apache-2.0
//
// ws_punctuator: a query's entry. It keeps the watermark of a stream, drops what is late, announces every window
// boundary by a punctuation before the tuple that passes it, and lets in only what the query's output has room for.
//
// Time, in units of the windowing attribute: windows are [start + i*SLIDE, start + i*SLIDE + RANGE), i >= 0.
//   start      START if given, else the largest multiple of SLIDE not above (first attribute - SLACK), at least 0
//   watermark  at first `start`, then the largest attribute accepted minus SLACK or a sender's punctuation; never falls
//   late       an attribute below the watermark: dropped, evt_late
//   ahead      an attribute more than MAX_AHEAD above the watermark, unless it is the session's first: dropped,
//              evt_ahead. After RESYNC such tuples in a row within MAX_AHEAD of each other the watermark moves to the
//              least of them minus SLACK, evt_resync
//   boundaries start + k*STEP and ends of windows above `start`; a punctuation each, in order, as the watermark
//              reaches them. With STEP = SLIDE these are starts and ends of windows, else ends of panes too.
//              Where all windows up to the next boundary are empty, one punctuation at the last end that the
//              watermark reaches stands for all, unless EMIT_EMPTY is set. The first punctuation is `start` itself.
// A START item ends the session: windows begun and not closed are counted, one evt_discarded each, then m_restart
// resets the query for one cycle. By then everything sent before has reached the output FIFO.
// `quiet` says that no item is inside, and nothing on its way to the output FIFO: what changes with the end of such a
// cycle changes between two tuples.
//
// Parameters   DATA_W, WATTR_LSB, WATTR_W   the tuple and the windowing attribute in it, in bits
//              WATTR_SIGNED                 1: the attribute is signed; 0: unsigned
//              RANGE, SLIDE, SLACK          RANGE and SLIDE at least 1
//              STEP                         a divisor of SLIDE; 0: SLIDE
//              START                        -1: none; else not negative
//              MAX_AHEAD                    0: off; else at least SLACK + SLIDE
//              RESYNC                       1 to 255
//              EMIT_EMPTY                   1: the query wants every window's end
//              LATENCY, CLOSE_CYCLES, RESET_CYCLES, CLOSE_PLACES, TUPLE_PLACES, ROOM_W   of the query behind, see
//                                           ws_gate; it is reset by m_restart and by rst
// Items        s_kind 0 tuple, 1 a sender's punctuation in the attribute's field, 2 START
// Latency      4 cycles from s to m for a tuple that passes no boundary
// Issue rate   1 tuple a cycle; a tuple that passes n boundaries costs 2n + 3 cycles more (n * CLOSE_CYCLES, if that is
//              larger), a jump over empty windows WATTR_W + 5, a session's first item WATTR_W + 7
// Overflow     cannot happen: s_ready falls. Attributes are compared in WATTR_W + 2 bits and never wrap
// Source       Oge et al., MCSoC 2013, sections II and III (punctuations, slack); Li et al., SIGMOD 2005

`default_nettype none

module ws_punctuator #(
    parameter DATA_W       = 128,
    parameter WATTR_LSB    = 0,
    parameter WATTR_W      = 32,
    parameter WATTR_SIGNED = 1,
    parameter RANGE        = 600,
    parameter SLIDE        = 60,
    parameter SLACK        = 60,
    parameter STEP         = 0,
    parameter START        = -1,
    parameter MAX_AHEAD    = 0,
    parameter RESYNC       = 16,
    parameter EMIT_EMPTY   = 0,
    parameter LATENCY      = 8,
    parameter CLOSE_CYCLES = 2,
    parameter RESET_CYCLES = 1,
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

    input  wire [ROOM_W-1:0] room,       // free places of the output FIFO
    output reg               quiet,

    output reg               evt_late,
    output wire              evt_ahead,
    output wire              evt_resync,
    output reg               evt_discarded
);

    // Times, wide enough for an attribute plus or minus any of the parameters.
    localparam T_W = WATTR_W + 2;
    localparam signed [T_W-1:0] T_RANGE     = RANGE;
    localparam signed [T_W-1:0] T_SLIDE     = SLIDE;
    localparam signed [T_W-1:0] T_GIVEN     = STEP;
    localparam signed [T_W-1:0] T_STEP      = STEP > 0 ? T_GIVEN : T_SLIDE;
    localparam signed [T_W-1:0] T_START     = START;
    localparam signed [T_W-1:0] T_ZERO      = 0;
    localparam signed [T_W-1:0] T_NONE      = -1;
    // From a window's end to the next step above it.
    localparam signed [T_W-1:0] T_END_TO_STEP = T_STEP - T_RANGE % T_STEP;

    // The same for times of one window.
    localparam D_W = $clog2(RANGE + SLIDE + 1) + 1;
    localparam signed [D_W-1:0] D_RANGE       = RANGE;
    localparam signed [D_W-1:0] D_SLIDE       = SLIDE;
    localparam signed [D_W-1:0] D_STEP        = T_STEP[D_W-1:0];
    localparam signed [D_W-1:0] D_END_TO_STEP = T_END_TO_STEP[D_W-1:0];
    localparam signed [D_W-1:0] D_ZERO        = 0;

    localparam LARGEST = WATTR_W > 31 ? 2147483647 : (1 << (WATTR_W - 1)) - 1;  // attribute, as far as parameters go

    initial begin
        if (RANGE < 1 || SLIDE < 1 || SLACK < 0) begin
            $display("ERROR: %m: RANGE and SLIDE must be at least 1, SLACK at least 0");
            $finish;
        end
        if (STEP < 0 || (STEP > 0 && SLIDE % STEP != 0)) begin
            $display("ERROR: %m: STEP = %0d, must divide SLIDE = %0d, or be 0", STEP, SLIDE);
            $finish;
        end
        if (MAX_AHEAD != 0 && MAX_AHEAD < SLACK + SLIDE) begin
            $display("ERROR: %m: MAX_AHEAD = %0d, must be 0 or at least SLACK + SLIDE = %0d", MAX_AHEAD, SLACK + SLIDE);
            $finish;
        end
        if (WATTR_LSB + WATTR_W > DATA_W || RANGE + SLIDE + SLACK > LARGEST || MAX_AHEAD > LARGEST
            || START < -1 || START > LARGEST) begin
            $display("ERROR: %m: the attribute is outside of the tuple, or a parameter is too large for it");
            $finish;
        end
    end

    `include "ws_below.vh"

    // ---- The time of the session

    reg  signed [T_W-1:0] last_end_reg;    // no window that holds the item's attribute ends later
    reg  signed [T_W-1:0] next_step_reg;   // the least step and end that have not been announced
    reg  signed [T_W-1:0] next_end_reg;
    reg  signed [D_W-1:0] apart_reg;       // from that step to that end
    reg  signed [T_W-1:0] boundary_reg;    // the smaller of the two
    reg  signed [T_W-1:0] open_end_reg;    // no window that holds an accepted tuple ends later
    reg                   jumped_reg;      // boundary stands for all windows up to it

    // One bit a state.
    localparam FIRST   = 0,   // no item of this session yet
               ALIGN   = 1,   // `start` is being computed
               OPEN    = 2,   // announce `start`
               RUN     = 3,   // an item a cycle
               NEXT    = 4,   // find the next boundary
               CROSS   = 5,   // announce it, if the item passes it
               JUMP    = 6,   // the last end that the item reaches is being computed
               LAST    = 7,   // is a window still open?
               DISCARD = 8,   // if so, count it as lost
               RESTART = 9,   // wait for what is in flight
               FINISH  = 10;  // reset the query
    localparam STATES = 11;
    localparam [STATES-1:0] ONE = 1;

    reg  [STATES-1:0] state_reg;

    // ---- The item that is shown, judged by the watermark

    wire                  valid, plain, is_tuple, late, ahead, take, as_resync, empty;
    wire [DATA_W-1:0]     data;
    wire signed [T_W-1:0] mark, next_attr, next_mark;
    wire                  accept;          // the item leaves
    wire signed [T_W-1:0] start;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_watermark #(
        .DATA_W(DATA_W), .WATTR_LSB(WATTR_LSB), .WATTR_W(WATTR_W), .WATTR_SIGNED(WATTR_SIGNED),
        .SLACK(SLACK), .MAX_AHEAD(MAX_AHEAD), .RESYNC(RESYNC)
    ) watermark (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_kind(s_kind),
        .valid(valid), .plain(plain), .tuple(is_tuple), .data(data), .attr(), .mark(mark), .late(late), .ahead(ahead),
        .take(take), .next_attr(next_attr), .next_mark(next_mark), .resync(as_resync), .empty(empty),
        .run(state_reg[RUN]), .accept(accept), .drop(state_reg[FINISH]),
        .begins(state_reg[ALIGN] && align_done_reg), .start(start), .again(state_reg[OPEN]),
        .evt_ahead(evt_ahead), .evt_resync(evt_resync)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // ---- Boundaries

    // An item that is to be let through is compared with the boundary as it moves in; one that waits while boundaries
    // are announced, with both in the cycle of NEXT. Each answer is a register of its own.
    reg  passes_reg;
    reg  reaches_step_reg, reaches_end_reg, step_beyond_reg, end_beyond_reg;    // beyond what is open
    reg  step_due_reg, end_due_reg;    // the boundary is a step, is an end
    wire step_first = !apart_reg[D_W-1];

    always @(posedge clk) begin
        if (take) begin
            last_end_reg <= next_attr + T_RANGE;
            passes_reg   <= !below(next_mark, boundary_reg);
        end
        if (state_reg[CROSS]) passes_reg <= 1'b0;    // it goes to RUN only if it passes none
        reaches_step_reg <= !below(mark, next_step_reg);
        reaches_end_reg  <= !below(mark, next_end_reg);
        step_beyond_reg  <= below(open_end_reg, next_step_reg);
        end_beyond_reg   <= below(open_end_reg, next_end_reg);
        step_due_reg     <= step_first;
        end_due_reg      <= !step_first || apart_reg == 0;
    end

    // A tuple that is sent may hold open a later end than any before, that just before it included.
    reg  sent_reg, sent_before_reg, later_reg, later_before_reg;
    reg  signed [T_W-1:0] sent_end_reg;

    always @(posedge clk) begin
        sent_reg         <= send_tuple && !rst;
        sent_before_reg  <= sent_reg && !rst;
        sent_end_reg     <= last_end_reg;
        later_reg        <= below(open_end_reg, last_end_reg);
        later_before_reg <= below(sent_end_reg, last_end_reg);
    end

    wire reaches = reaches_step_reg || reaches_end_reg;
    wire may_punct, may_tuple, idle;
    wire running    = state_reg[RUN] && plain;
    wire lost       = state_reg[DISCARD] && !end_beyond_reg;
    wire jump       = state_reg[CROSS] && EMIT_EMPTY == 0
                   && reaches_end_reg && step_beyond_reg && end_beyond_reg && !jumped_reg;
    wire send_punct = may_punct && (state_reg[OPEN] || (state_reg[CROSS] && reaches && !jump));
    wire send_tuple = accept && is_tuple && !late;

    // What is late passes no boundary, and goes the same way, but not on: so the long way to `late` does not end in the
    // many registers that are behind `take`.
    assign accept = running && !ahead && !passes_reg && (TUPLE_PLACES == 0 || !is_tuple || late || may_tuple);

    // The two alignments to the grid of windows: of a session's start, and of a jump's target. What is divided is not
    // negative, and no larger than an attribute; a cycle in front and one behind are for the subtractions.
    wire                  mark_negative = mark[T_W-1];
    wire [WATTR_W-1:0]    above_end     = mark[WATTR_W-1:0] - next_end_reg[WATTR_W-1:0];
    wire                  first_item    = state_reg[FIRST] && plain;
    wire                  divided;
    wire [WATTR_W-1:0]    excess;
    reg                   divide_reg, align_done_reg;
    reg  [WATTR_W-1:0]    dividend_reg;
    reg  signed [T_W-1:0] aligned_reg;

    ws_remainder #(.NUMBER_W(WATTR_W), .DIVISOR(SLIDE)) align (
        .clk(clk), .rst(rst), .start(divide_reg), .number(dividend_reg), .done(divided), .remainder(excess)
    );

    always @(posedge clk) begin
        divide_reg     <= (first_item || jump) && !rst;
        dividend_reg   <= state_reg[CROSS] ? above_end
                        : mark_negative ? {WATTR_W{1'b0}} : mark[WATTR_W-1:0];
        align_done_reg <= divided && !rst;
        aligned_reg    <= mark_negative ? T_ZERO : mark - $signed({2'b00, excess});
    end

    assign start = START >= 0 ? T_START : aligned_reg;

    always @(posedge clk) begin
        case (1'b1)
            state_reg[FIRST]: if (valid) state_reg <= plain ? ONE << ALIGN : ONE << RESTART;
            state_reg[ALIGN]: if (align_done_reg) begin
                boundary_reg   <= start;
                next_step_reg  <= start + T_STEP;
                next_end_reg   <= start + T_RANGE;
                apart_reg      <= D_RANGE - D_STEP;
                open_end_reg   <= T_NONE;
                jumped_reg     <= 1'b0;
                state_reg      <= ONE << OPEN;
            end
            state_reg[OPEN]: if (may_punct) state_reg <= ONE << NEXT;
            state_reg[NEXT]: begin
                boundary_reg <= step_first ? next_step_reg : next_end_reg;
                state_reg    <= ONE << CROSS;
            end
            state_reg[CROSS]: begin
                if (reaches && may_punct) begin    // where it jumps all of this is set anew
                    if (step_due_reg) next_step_reg <= next_step_reg + T_STEP;
                    if (end_due_reg)  next_end_reg  <= next_end_reg + T_SLIDE;
                    apart_reg  <= apart_reg + (end_due_reg ? D_SLIDE : D_ZERO) - (step_due_reg ? D_STEP : D_ZERO);
                    jumped_reg <= 1'b0;
                end
                if (!reaches)       state_reg <= ONE << RUN;
                else if (jump)      state_reg <= ONE << JUMP;
                else if (may_punct) state_reg <= ONE << NEXT;
            end
            state_reg[JUMP]: if (align_done_reg) begin
                next_end_reg  <= aligned_reg;
                next_step_reg <= aligned_reg + T_END_TO_STEP;
                apart_reg     <= -D_END_TO_STEP;
                jumped_reg    <= 1'b1;
                state_reg     <= ONE << NEXT;
            end
            state_reg[RUN]: begin
                if (valid && !plain) state_reg <= ONE << LAST;
                else if (as_resync || (plain && !ahead && passes_reg)) state_reg <= ONE << NEXT;
            end
            state_reg[LAST]: state_reg <= ONE << DISCARD;
            state_reg[DISCARD]: begin
                if (lost) next_end_reg <= next_end_reg + T_SLIDE;
                state_reg <= lost ? ONE << LAST : ONE << RESTART;
            end
            state_reg[RESTART]: if (may_punct && idle) state_reg <= ONE << FINISH;
            default: state_reg <= ONE << FIRST;  // FINISH
        endcase
        if (sent_reg && later_reg && (later_before_reg || !sent_before_reg)) open_end_reg <= sent_end_reg;
        if (rst) state_reg <= ONE << FIRST;
    end

    // ---- Output registers

    always @(posedge clk) begin
        m_valid   <= send_tuple && !rst;
        m_punct   <= send_punct && !rst;
        m_restart <= state_reg[FINISH] && !rst;
        m_data    <= data;
        if (!state_reg[RUN]) m_data[WATTR_LSB +: WATTR_W] <= boundary_reg[WATTR_W-1:0];
        quiet     <= empty && idle && !rst;

        evt_late      <= accept && late && !rst;
        evt_discarded <= lost && !rst;
    end

    assign m_eos = 1'b0;

    ws_gate #(
        .LATENCY(LATENCY), .CLOSE_CYCLES(CLOSE_CYCLES), .RESET_CYCLES(RESET_CYCLES),
        .CLOSE_PLACES(CLOSE_PLACES), .TUPLE_PLACES(TUPLE_PLACES), .ROOM_W(ROOM_W)
    ) gate (
        .clk(clk), .rst(rst),
        .sent_punct(send_punct), .sent_tuple(send_tuple), .restart(state_reg[FINISH]), .room(room),
        .may_punct(may_punct), .may_tuple(may_tuple), .idle(idle)
    );

endmodule

`default_nettype wire
