// SPDX-License-Identifier: Apache-2.0
//
// ws_punctuator: a query's entry. It keeps the watermark of a stream, drops late tuples, announces every window
// boundary by a punctuation before the tuple that passes it, and admits only what the query's output FIFO has room for.
//
// Time, in units of the windowing attribute: windows are [start + i*SLIDE, start + i*SLIDE + RANGE), i >= 0.
//   start      START if given, else the largest multiple of SLIDE not above (first attribute - SLACK), at least 0
//   watermark  initially `start`, then the largest attribute accepted minus SLACK or a sender's punctuation; never
//              falls
//   late       an attribute below the watermark: dropped, evt_late
//   ahead      an attribute more than MAX_AHEAD above the watermark, unless it is the session's first: dropped,
//              evt_ahead. After RESYNC consecutive such tuples within MAX_AHEAD of each other the watermark moves to
//              the least of them minus SLACK, evt_resync
//   boundaries start + k*STEP and ends of windows above `start`; a punctuation for each, in order, as the watermark
//              reaches them. With STEP = SLIDE these are starts and ends of windows, else ends of panes too.
//              Where all windows up to the next boundary are empty, one punctuation at the last window end that the
//              watermark reaches replaces all others, unless EMIT_EMPTY is set. The first punctuation is `start`
//              itself.
// RANGE + SLIDE + SLACK, MAX_AHEAD and START are at most 2**(WATTR_W - 1) - 1, and 2**62 where WATTR_W is above 63. A
// value of more than 31 bits is a literal with a width and a sign, such as 64'sd10000000000.
// A START item ends the session: open windows are counted, one evt_discarded each, then m_restart resets the query for
// one cycle. By then everything sent before has reached the output FIFO.
//
// Parameters   DATA_W        width of the tuple in bits, at least 1
//              WATTR_LSB     lowest bit of the windowing attribute in the tuple, 0 to DATA_W - WATTR_W
//              WATTR_W       width of the windowing attribute in bits, 1 to DATA_W
//              WATTR_SIGNED  1: the attribute is signed; 0: unsigned
//              RANGE         length of a window, in units of the windowing attribute, at least 1
//              SLIDE         distance between the starts of two windows, in the same units, at least 1
//              SLACK         how late a tuple may be, in units of the windowing attribute, at least 0
//              STEP          distance between punctuations apart from windows' ends, 0 to SLIDE; a divisor of SLIDE; 0:
//                            SLIDE
//              START         start of the first window, at least -1; -1: computed from the first tuple
//              MAX_AHEAD     how far above the watermark a tuple may be, at least 0; 0: any; else at least SLACK +
//                            SLIDE
//              RESYNC        consecutive tuples ahead that move the watermark, 1 to 255
//              EMIT_EMPTY    1: the query emits a row at every window's end; 0: only for windows with tuples
//              LATENCY, CLOSE_CYCLES, RESET_CYCLES, CLOSE_PLACES  see ws_gate; of the query downstream, which is reset
//                            by m_restart and by rst
//              TUPLE_PLACES, ROOM_W, DRAIN_CYCLES  see ws_gate; of the query downstream, which is reset by m_restart
//                            and by rst
// Items        s_kind 0 tuple, 1 a sender's punctuation in the attribute's field, 2 START
// Ports        quiet: no item is inside and nothing is in flight to the output FIFO, so a setting that changes at the
//              end of such a cycle changes between two tuples
// Latency      4 cycles; from s to m for a tuple that passes no boundary
// Issue rate   1 tuple per cycle; a tuple that passes n boundaries takes 2n + 3 cycles more (n * CLOSE_CYCLES, if that
//              is larger), a jump over empty windows WATTR_W + 5, a session's first item WATTR_W + 7
// Overflow     cannot happen: s_ready goes low. Attributes are compared in WATTR_W + 2 bits and never wrap
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
    parameter ROOM_W       = 8,
    parameter DRAIN_CYCLES = 0
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

    initial if (DATA_W < 1 || WATTR_LSB < 0 || WATTR_LSB > DATA_W - WATTR_W || WATTR_W < 1 || WATTR_W > DATA_W
                || (WATTR_SIGNED != 0 && WATTR_SIGNED != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), WATTR_LSB = %0d (0 to DATA_W - WATTR_W), ",
                 DATA_W, WATTR_LSB, "WATTR_W = %0d (1 to DATA_W), WATTR_SIGNED = %0d (0 or 1)", WATTR_W, WATTR_SIGNED);
        $finish;
    end

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_RANGE     = RANGE;
    localparam signed [63:0] L_SLIDE     = SLIDE;
    localparam signed [63:0] L_SLACK     = SLACK;
    localparam signed [63:0] L_STEP      = STEP;
    localparam signed [63:0] L_MAX_AHEAD = MAX_AHEAD;
    localparam signed [63:0] L_START     = $signed(START);

    initial if (L_START < -64'sd1 || (EMIT_EMPTY != 0 && EMIT_EMPTY != 1)) begin
        $display("ERROR: %m: START = %0d (at least -1), EMIT_EMPTY = %0d (0 or 1)", L_START, EMIT_EMPTY);
        $finish;
    end

    // Times, wide enough for an attribute plus or minus any of the parameters.
    localparam T_W = WATTR_W + 2;
    localparam signed [T_W-1:0] T_RANGE     = L_RANGE;
    localparam signed [T_W-1:0] T_SLIDE     = L_SLIDE;
    localparam signed [T_W-1:0] T_GIVEN     = L_STEP;
    localparam signed [T_W-1:0] T_STEP      = L_STEP > 0 ? T_GIVEN : T_SLIDE;
    localparam signed [T_W-1:0] T_START     = L_START;
    localparam signed [T_W-1:0] T_ZERO      = 0;
    localparam signed [T_W-1:0] T_NONE      = -1;
    // From a window's end to the next step above it.
    localparam signed [T_W-1:0] T_END_TO_STEP = T_STEP - T_RANGE % T_STEP;

    // The same for times within one window.
    localparam D_W = $clog2(L_RANGE + L_SLIDE + 64'sd1) + 1;
    localparam signed [D_W-1:0] D_RANGE       = L_RANGE;
    localparam signed [D_W-1:0] D_SLIDE       = L_SLIDE;
    localparam signed [D_W-1:0] D_STEP        = T_STEP[D_W-1:0];
    localparam signed [D_W-1:0] D_END_TO_STEP = T_END_TO_STEP[D_W-1:0];
    localparam signed [D_W-1:0] D_ZERO        = 0;

    // The most that RANGE, SLIDE and SLACK together, MAX_AHEAD and START may be: then any sum of times fits T_W bits.
    localparam signed [63:0] LARGEST = WATTR_W > 63 ? 64'sd1 << 62 : (64'sd1 << (WATTR_W - 1)) - 64'sd1;

    initial begin
        if (L_RANGE < 1 || L_SLIDE < 1 || L_SLACK < 0) begin
            $display("ERROR: %m: RANGE and SLIDE must be at least 1, SLACK at least 0");
            $finish;
        end
        if (L_STEP < 0 || (L_STEP > 0 && L_SLIDE % L_STEP != 0)) begin
            $display("ERROR: %m: STEP = %0d, must divide SLIDE = %0d, or be 0", STEP, SLIDE);
            $finish;
        end
        if (L_MAX_AHEAD != 0 && L_MAX_AHEAD < L_SLACK + L_SLIDE) begin
            $display("ERROR: %m: MAX_AHEAD = %0d, must be 0 or at least SLACK + SLIDE = %0d",
                     L_MAX_AHEAD, L_SLACK + L_SLIDE);
            $finish;
        end
        if (L_RANGE > LARGEST || L_SLIDE > LARGEST - L_RANGE || L_SLACK > LARGEST - L_RANGE - L_SLIDE
            || L_MAX_AHEAD > LARGEST || L_START > LARGEST) begin
            $display("ERROR: %m: RANGE + SLIDE + SLACK, MAX_AHEAD and START must each be at most %0d", LARGEST);
            $finish;
        end
    end

    `include "ws_below.vh"

    // ---- The time of the session

    reg  signed [T_W-1:0] last_end_reg;    // the latest end of a window that holds the item's attribute
    reg  signed [T_W-1:0] next_step_reg;   // the first step and the first end that have not been announced
    reg  signed [T_W-1:0] next_end_reg;
    reg  signed [D_W-1:0] apart_reg;       // from that step to that end
    reg  signed [T_W-1:0] boundary_reg;    // the smaller of the two
    reg  signed [T_W-1:0] open_end_reg;    // the latest end of a window that holds an accepted tuple
    reg                   jumped_reg;      // the boundary is the target of a jump

    // One-hot states.
    localparam FIRST   = 0,   // no item of this session yet
               ALIGN   = 1,   // `start` is being computed
               OPEN    = 2,   // announce `start`
               RUN     = 3,   // one item per cycle
               NEXT    = 4,   // find the next boundary
               CROSS   = 5,   // announce it if the item passes it
               JUMP    = 6,   // the last end that the item reaches is being computed
               LAST    = 7,   // is a window still open?
               DISCARD = 8,   // if so, count it as discarded
               RESTART = 9,   // wait until nothing is in flight
               FINISH  = 10;  // reset the query
    localparam STATES = 11;
    localparam [STATES-1:0] ONE = 1;

    reg  [STATES-1:0] state_reg;

`ifdef FORMAL
    wire [3:0]           watch_ref, arrived, left;
    wire [DATA_W+1:0]    watched;
    wire [1:0]           session;
    wire                 busy;
    wire [5:0]           since_sent;
    wire signed [T_W-1:0] attr, in_force;
    wire [WATTR_W-1:0]   dividing;
    wire [$clog2(WATTR_W + 1)-1:0] bits_left;
`endif

    // ---- The current item, compared with the watermark

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
        .valid(valid), .plain(plain), .tuple(is_tuple), .data(data),
`ifdef FORMAL
        .attr(attr), .watch(watch_ref), .watched(watched), .arrived(arrived), .left(left),
        .session(session), .busy(busy), .in_force(in_force),
`else
        .attr(),
`endif
        .mark(mark), .late(late), .ahead(ahead),
        .take(take), .next_attr(next_attr), .next_mark(next_mark), .resync(as_resync), .empty(empty),
        .run(state_reg[RUN]), .accept(accept), .drop(state_reg[FINISH]),
        .begins(state_reg[ALIGN] && align_done_reg), .start(start), .again(state_reg[OPEN]),
        .evt_ahead(evt_ahead), .evt_resync(evt_resync)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // ---- Boundaries

    // An item is compared with the boundary when it becomes current; one that waits while boundaries are announced is
    // compared with the next step and the next end in state NEXT. Each result is a register of its own.
    reg  passes_reg;
    reg  reaches_step_reg, reaches_end_reg, step_beyond_reg, end_beyond_reg;    // after all open windows
    reg  step_due_reg, end_due_reg;    // the boundary is a step, is an end
    wire step_first = !apart_reg[D_W-1];

    always @(posedge clk) begin
        if (take) begin
            last_end_reg <= next_attr + T_RANGE;
            passes_reg   <= !below(next_mark, boundary_reg);
        end
        if (state_reg[CROSS]) passes_reg <= 1'b0;    // from CROSS to RUN only if it passes none
        reaches_step_reg <= !below(mark, next_step_reg);
        reaches_end_reg  <= !below(mark, next_end_reg);
        step_beyond_reg  <= below(open_end_reg, next_step_reg);
        end_beyond_reg   <= below(open_end_reg, next_end_reg);
        step_due_reg     <= step_first;
        end_due_reg      <= !step_first || apart_reg == 0;
    end

    // A tuple may open a window with a later end than all tuples before it, including the one sent just before.
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

    // A late tuple passes no boundary, so it is accepted like any other and only not sent: the long path to `late` then
    // does not end in the many registers that `take` enables.
    assign accept = running && !ahead && !passes_reg && (TUPLE_PLACES == 0 || !is_tuple || late || may_tuple);

    // The two alignments to the grid of windows: of a session's start and of a jump's target. The dividend is not
    // negative and no larger than an attribute; one cycle before and one after the division are for the subtractions.
    wire                  mark_negative = mark[T_W-1];
    wire [WATTR_W-1:0]    above_end     = mark[WATTR_W-1:0] - next_end_reg[WATTR_W-1:0];
    wire                  first_item    = state_reg[FIRST] && plain;
    wire                  divided;
    wire [WATTR_W-1:0]    excess;
    reg                   divide_reg, align_done_reg;
    reg  [WATTR_W-1:0]    dividend_reg;
    reg  signed [T_W-1:0] aligned_reg;

    ws_remainder #(.NUMBER_W(WATTR_W), .DIVISOR(L_SLIDE)) align (
        .clk(clk), .rst(rst), .start(divide_reg), .number(dividend_reg), .done(divided), .remainder(excess)
`ifdef FORMAL
        , .dividing(dividing), .bits_left(bits_left)
`endif
    );

    always @(posedge clk) begin
        divide_reg     <= (first_item || jump) && !rst;
        dividend_reg   <= state_reg[CROSS] ? above_end
                        : mark_negative ? {WATTR_W{1'b0}} : mark[WATTR_W-1:0];
        align_done_reg <= divided && !rst;
        aligned_reg    <= mark_negative ? T_ZERO : mark - $signed({2'b00, excess});
    end

    assign start = L_START >= 0 ? T_START : aligned_reg;

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
                if (reaches && may_punct) begin    // a jump overwrites all of this
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
        .CLOSE_PLACES(CLOSE_PLACES), .TUPLE_PLACES(TUPLE_PLACES),
`ifdef FORMAL
        .FIFO_MODEL(0),
`endif
        .ROOM_W(ROOM_W), .DRAIN_CYCLES(DRAIN_CYCLES)
    ) gate (
        .clk(clk), .rst(rst),
        .sent_punct(send_punct), .sent_tuple(send_tuple), .restart(state_reg[FINISH]), .room(room),
        .may_punct(may_punct), .may_tuple(may_tuple), .idle(idle)
`ifdef FORMAL
        , .since_sent(since_sent)
`endif
    );

`ifdef FORMAL
    // Items are numbered as in ws_watermark, and one of them is watched. The rules of time, in times wider than the
    // core's, define what happens to an item. Of the boundaries the model keeps only the last one announced, and
    // computes the next one from it.
    localparam R_W = T_W + 2;
    localparam signed [R_W-1:0] R_RANGE = RANGE, R_SLIDE = SLIDE, R_STEP = STEP > 0 ? STEP : SLIDE, R_START = START;
    localparam signed [R_W-1:0] R_NONE  = -1;
    localparam signed [R_W-1:0] MOST    = WATTR_SIGNED != 0 ? (1 << (WATTR_W - 1)) - 1 : (1 << WATTR_W) - 1;
    localparam [5:0] AFTER_LATENCY = LATENCY + 1, AFTER_CLOSE = CLOSE_CYCLES, AFTER_RESET = RESET_CYCLES;
    localparam [5:0] SINCE   = AFTER_CLOSE > AFTER_LATENCY ? AFTER_CLOSE : AFTER_LATENCY;
    localparam [5:0] ALIGNED = WATTR_W + 2;

    // A non-negative time modulo STEP and SLIDE, from tables, which solvers handle better than a division: a column of
    // TIMES bits for each bit of the result. With them: the first step and the first end of a window above a time, and
    // the last end up to a time.
    localparam TIMES = 2 << WATTR_W, COLUMNS = $clog2(SLIDE + 1);
    function [COLUMNS*TIMES-1:0] residues(input integer period);
        integer c, n;
        for (c = 0; c < COLUMNS; c = c + 1)
            for (n = 0; n < TIMES; n = n + 1) residues[c*TIMES + n] = n % period >> c;
    endfunction
    function signed [R_W-1:0] look_up(input [COLUMNS*TIMES-1:0] table_of, input [WATTR_W:0] at);
        reg [TIMES-1:0] column;
        integer c;
        begin
            look_up = 0;
            for (c = 0; c < COLUMNS; c = c + 1) begin
                column     = table_of[c*TIMES +: TIMES];
                look_up[c] = column[at];
            end
        end
    endfunction
    localparam [COLUMNS*TIMES-1:0] OVER_STEP = residues(R_STEP), OVER_SLIDE = residues(R_SLIDE);
    function signed [R_W-1:0] over_slide(input signed [R_W-1:0] since);
        over_slide = look_up(OVER_SLIDE, since[WATTR_W:0]);
    endfunction
    function signed [R_W-1:0] step_after(input signed [R_W-1:0] from, input signed [R_W-1:0] at);
        step_after = at + R_STEP - look_up(OVER_STEP, at - from);
    endfunction
    function signed [R_W-1:0] end_after(input signed [R_W-1:0] from, input signed [R_W-1:0] at);
        end_after = at < from + R_RANGE ? from + R_RANGE : at + R_SLIDE - over_slide(at - from - R_RANGE);
    endfunction
    function signed [R_W-1:0] end_up_to(input signed [R_W-1:0] from, input signed [R_W-1:0] at);
        end_up_to = at - over_slide(at - from - R_RANGE);
    endfunction

    reg                  past_valid = 1'b0;
    reg  [3:0]           arrived_ref;
    reg  [DATA_W+1:0]    item_ref;
    reg                  begun_ref;                                   // `start` has been announced
    reg  signed [R_W-1:0] start_ref, announced_ref, watermark_ref;
    reg  signed [R_W-1:0] newest_ref;                                 // the largest accepted attribute, or -1
    reg  signed [R_W-1:0] closed_ref;                                 // windows with ends up to here are closed
    reg  [5:0]           since_punct_ref, since_reset_ref, since_any_ref;    // cycles, up to a limit
    reg  [5:0]           aligning_ref;                                // cycles in ALIGN or JUMP

    wire [3:0]           place        = watch_ref - left;
    wire [3:0]           held_ref     = arrived_ref - left;
    wire signed [R_W-1:0] time_ref     = attr, mark_ref = mark;
    wire signed [R_W-1:0] wire_time    = $signed({1'b0, m_data[WATTR_LSB +: WATTR_W]});
    wire signed [R_W-1:0] signed_time  = $signed(m_data[WATTR_LSB +: WATTR_W]);
    wire signed [R_W-1:0] occupied_ref = newest_ref < 0 ? R_NONE : newest_ref + R_RANGE;
    wire                 late_ref     = is_tuple && time_ref < watermark_ref;
    wire signed [R_W-1:0] first_ref    = START >= 0 ? R_START : mark_ref < 0 ? 0 : mark_ref - over_slide(mark_ref);

    // After this cycle's output.
    wire                 begun     = m_punct || (begun_ref && !m_restart);
    wire signed [R_W-1:0] from      = begun_ref ? start_ref : wire_time;
    wire signed [R_W-1:0] announced = m_punct ? wire_time : announced_ref;
    wire signed [R_W-1:0] force_ref = begun_ref ? watermark_ref : wire_time;
    wire signed [R_W-1:0] occupied  = begun_ref ? occupied_ref : R_NONE;
    wire signed [R_W-1:0] closed    = evt_discarded ? end_after(start_ref, closed_ref)
                                   : begun_ref ? closed_ref : wire_time;
    wire signed [R_W-1:0] step_next = step_after(from, announced), end_next = end_after(from, announced);
    wire signed [R_W-1:0] next      = step_next < end_next ? step_next : end_next;
    wire                 jumps     = EMIT_EMPTY == 0 && next > occupied && end_next <= mark_ref;

    // Before this cycle's output.
    wire signed [R_W-1:0] step_ref  = step_after(start_ref, announced_ref);
    wire signed [R_W-1:0] end_ref   = end_after(start_ref, announced_ref);
    wire signed [R_W-1:0] next_ref  = step_ref < end_ref ? step_ref : end_ref;
    wire                 jumps_ref = EMIT_EMPTY == 0 && next_ref > occupied_ref && end_ref <= mark_ref;

    wire later   = later_reg && (later_before_reg || !sent_before_reg);
    wire live    = state_reg[NEXT] || state_reg[CROSS] || state_reg[JUMP] || state_reg[RUN];
    wire divides = state_reg[ALIGN] || state_reg[JUMP];
    wire may_wait = state_reg[FIRST] ? !valid
                  : state_reg[RUN] ? !valid || (plain && (ahead || next > mark_ref))
                  : state_reg[OPEN] || state_reg[CROSS] ? !may_punct
                  : state_reg[RESTART] ? !may_punct || !idle
                  : divides && aligning_ref != ALIGNED;
    wire signed [R_W-1:0] open_end  = sent_reg && later ? sent_end_reg : open_end_reg;
    wire signed [R_W-1:0] step_reg  = next_step_reg, end_reg = next_end_reg;
    wire signed [R_W-1:0] least_reg = step_reg < end_reg ? step_reg : end_reg;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        arrived_ref <= rst ? 4'd0 : arrived_ref + {3'd0, s_valid && s_ready};
        if (s_valid && s_ready && arrived_ref == watch_ref) item_ref <= {s_kind, s_data};

        begun_ref <= !rst && begun;
        if (m_punct) begin
            announced_ref <= wire_time;
            if (!begun_ref) begin
                {start_ref, watermark_ref, closed_ref} <= {3{wire_time}};
                newest_ref <= R_NONE;
            end
        end
        if (accept && !late_ref) begin
            if (mark_ref > watermark_ref) {watermark_ref, closed_ref} <= {2{mark_ref}};
            if (is_tuple && time_ref > newest_ref) newest_ref <= time_ref;
        end
        if (evt_discarded) closed_ref <= closed;
        since_any_ref   <= rst ? SINCE : m_valid || m_punct ? 6'd1 : since_any_ref + {5'd0, since_any_ref < SINCE};
        since_punct_ref <= rst || m_restart ? SINCE : m_punct ? 6'd1
                         : since_punct_ref + {5'd0, since_punct_ref < SINCE};
        since_reset_ref <= rst || m_restart ? 6'd1 : since_reset_ref + {5'd0, since_reset_ref < AFTER_RESET};
        aligning_ref    <= !rst && divides ? aligning_ref + 6'd1 : 6'd0;

        if (!past_valid) assume (rst);
        else begin
            // the output: one item at a time
            assert (!m_eos && m_valid + m_punct + m_restart <= 1);
            // nothing lost or duplicated, order kept: the current item is the next in order, and has one outcome
            if (valid && place == 0) assert (item_ref[DATA_W-1:0] == data);
            if (accept) assert (valid && plain && begun_ref);
            if (!$past(rst)) begin
                assert (m_valid == $past(accept && is_tuple && !late_ref));
                assert (evt_late == $past(accept && late_ref));
                assert (m_restart == (left != $past(left) && $past(!plain)));
                assert (left == $past(left) || $past(accept || !plain || busy));
                if (m_valid) assert (m_data == $past(data));
            end else
                assert (!m_valid && !m_punct && !m_restart && !evt_late && !evt_ahead && !evt_resync
                        && !evt_discarded && !quiet);
            // the rules of time: the boundaries that an item causes are announced before it, one at a time
            if (m_valid && $past(place == 0)) assert ((WATTR_SIGNED != 0 ? signed_time : wire_time) >= announced_ref);
            if (accept) assert (next_ref > mark_ref);
            if (m_punct) begin
                assert (valid && plain);
                if (begun_ref) begin
                    assert (wire_time > announced_ref && wire_time <= mark_ref);
                    assert (wire_time == (jumps_ref ? end_up_to(start_ref, mark_ref) : next_ref));
                end else
                    assert (wire_time == first_ref);
            end
            if (evt_discarded) assert (begun_ref && end_after(start_ref, closed_ref) <= occupied_ref);
            if (m_restart && begun_ref) assert (end_after(start_ref, closed_ref) > occupied_ref);
            // punctuations keep their distance; a restart and quiet wait until everything has reached the FIFO
            if (m_punct) assert (since_punct_ref >= AFTER_CLOSE && since_reset_ref >= AFTER_RESET);
            if (m_restart) assert (since_any_ref >= AFTER_LATENCY);
            if (!$past(rst))
                assert (quiet == (since_any_ref >= AFTER_LATENCY && !m_valid && !m_punct
                                  && $past(arrived_ref == left)));
            // one item per cycle
            if ($past(accept && !rst) && valid && plain && !ahead && next_ref > mark_ref
                && (TUPLE_PLACES == 0 || !is_tuple || late_ref || may_tuple)) assert (accept);

            // a state ends as soon as it may
            if (!$past(rst || may_wait)) assert (state_reg != $past(state_reg));

            // invariants for the induction: the current item
            assert (arrived == arrived_ref);
            if (place < held_ref) assert (item_ref == watched);
            if (valid) assert (last_end_reg == time_ref + R_RANGE);
            assert (since_any_ref >= 1 && since_punct_ref >= 1 && since_reset_ref >= 1);
            assert (since_sent == (m_valid || m_punct ? 6'd1
                                   : since_any_ref < AFTER_LATENCY ? since_any_ref + 6'd1 : AFTER_LATENCY));
            // the states
            assert (state_reg != 0 && (state_reg & (state_reg - 1'b1)) == 0);
            if (state_reg[FIRST] || state_reg[ALIGN]) assert (!begun && session == 2'd0);
            if (state_reg[OPEN]) assert (!begun && (session == 2'd1 || session == 2'd2));
            if (live) assert (begun && session >= 2'd2);
            if (state_reg[LAST] || state_reg[DISCARD]) assert (begun);
            if (state_reg[ALIGN] || state_reg[OPEN] || (live && !state_reg[RUN])) assert (valid && plain);
            if (state_reg[LAST] || state_reg[DISCARD] || state_reg[RESTART] || state_reg[FINISH])
                assert (valid && !plain);
            assert (!busy || state_reg[RUN]);
            if (m_punct) assert (state_reg[NEXT]);
            if (m_restart) assert (state_reg[FIRST]);
            if (!state_reg[RUN]) assert (!sent_reg);
            if (evt_discarded) assert (state_reg[LAST]);
            // alignments
            if (divides) begin
                assert (aligning_ref <= ALIGNED);
                assert (divide_reg == (aligning_ref == 0) && align_done_reg == (aligning_ref == ALIGNED));
                if (aligning_ref != 0) begin
                    assert (bits_left == (aligning_ref == ALIGNED ? 6'd0 : ALIGNED - 6'd1 - aligning_ref));
                    if (state_reg[JUMP]) assert (dividing == mark_ref - end_next);
                    else assert (dividing == (mark_ref < 0 ? 0 : mark_ref));
                end else if (state_reg[JUMP]) assert (dividend_reg == mark_ref - end_next);
                else assert (dividend_reg == (mark_ref < 0 ? 0 : mark_ref));
                if (align_done_reg)
                    assert (aligned_reg == (state_reg[JUMP] ? end_up_to(from, mark_ref)
                                            : mark_ref < 0 ? 0 : mark_ref - over_slide(mark_ref)));
            end else
                assert (!divide_reg && bits_left == 0 && !divided && !align_done_reg);
            // boundaries
            if (state_reg[OPEN]) begin
                assert (in_force == first_ref && boundary_reg == first_ref);
                assert (step_reg == first_ref + R_STEP && end_reg == first_ref + R_RANGE);
                assert (open_end_reg == R_NONE && !jumped_reg && apart_reg == end_reg - step_reg);
            end
            if (begun) assert (from >= 0 && from <= MOST && announced >= from && announced <= MOST);
            if (begun) assert (force_ref >= from && force_ref <= MOST && occupied <= MOST + R_RANGE);
            if (begun && (live || state_reg[LAST] || state_reg[DISCARD])) begin
                assert (in_force == force_ref && open_end == occupied && next > force_ref);
                if (sent_reg) assert (later == (sent_end_reg > open_end_reg));
            end
            if (live) begin
                assert (closed == force_ref && apart_reg == end_reg - step_reg);
                assert (announced <= (valid && plain && mark_ref > force_ref && !state_reg[RUN] ? mark_ref : force_ref)
                        || (state_reg[RUN] && valid && plain && announced <= mark_ref));
                if (jumped_reg) begin
                    assert (jumps && (state_reg[NEXT] || state_reg[CROSS]));
                    assert (end_reg == end_up_to(from, mark_ref) && step_reg == step_after(from, end_reg));
                end else
                    assert (state_reg[JUMP] ? jumps : step_reg == step_next && end_reg == end_next);
            end
            if (state_reg[CROSS]) begin
                assert (boundary_reg == least_reg);
                assert (reaches_step_reg == (mark_ref >= step_reg) && reaches_end_reg == (mark_ref >= end_reg));
                assert (step_beyond_reg == (step_reg > occupied) && end_beyond_reg == (end_reg > occupied));
                assert (step_due_reg == (step_reg <= end_reg) && end_due_reg == (end_reg <= step_reg));
            end
            if (state_reg[RUN]) begin
                assert (boundary_reg == next);
                if (valid && plain) assert (passes_reg == (mark_ref >= next));
            end
            if (state_reg[LAST] || state_reg[DISCARD] || (state_reg[RESTART] && begun) || (state_reg[FINISH] && begun))
                assert (end_reg == end_after(from, closed) && closed >= from && closed <= MOST + R_RANGE);
            if (state_reg[DISCARD]) assert (end_beyond_reg == (end_reg > occupied));
            if ((state_reg[RESTART] || state_reg[FINISH]) && begun) assert (end_reg > occupied);
        end
        if (past_valid && !rst) begin
            if (EMIT_EMPTY == 0) cover (state_reg[JUMP] && mark_ref > end_next);  // it ends within ALIGNED cycles
            cover (m_punct && begun_ref && wire_time == step_ref && wire_time != end_ref);
            cover (m_punct && begun_ref && wire_time == end_ref && next <= mark_ref);
            cover (m_valid && $past(evt_late));
            cover (evt_discarded && $past(evt_discarded, 2));
            cover (m_restart && begun_ref && valid);
            if (MAX_AHEAD != 0) cover (evt_resync);
        end
    end
`endif

endmodule

`default_nettype wire
