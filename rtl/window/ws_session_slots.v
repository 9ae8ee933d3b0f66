// SPDX-License-Identifier: Apache-2.0
//
// ws_session_slots: the open sessions of a stream, in order of time, and the effect of a tuple on them.
//
// Tuples less than GAP apart belong together. A session is known by its first time and its end, its last time + GAP.
// A tuple touches a session if it is below that end, and the session's first time is below the tuple's own end. It
// touches none (and opens one), one (and may extend it) or two neighbours (and bridges them): no three are so close.
//
// Number of open sessions: all but the oldest begin above the watermark, since the oldest ends there, none begins above
// watermark + SLACK, and they begin GAP apart: at most (SLACK - 1)/GAP + 2 in all, and 1 without SLACK (proven below).
//
// An item takes three steps: far, near, there. As it becomes near, it is compared with all sessions and with the two
// items before it; a cycle later the effect of the first of these on the sessions is known, and another cycle later
// that of the second. So a cycle has a comparison or a decision, never both in series.
//
// Parameters   TIME_W  width of a time in bits, at least 1; of an end too
//              GAP     tuples less than this apart belong to one session, at least 1
//              SLACK   how late a tuple may be, at least 0
//              SLOTS   sessions that can be open, at least 1; with SLACK at least (SLACK - 1)/GAP + 2
// Ports        move: every item takes a step: the near one is there from the next cycle on, and a new one is far, with
//              its time `at`, and `mark`, to which it moves the watermark
//              add: the item that is there is a tuple and is added to its session; only with `move`, hence once
//              close: the oldest session is removed. closing: high with close, low with add, and known before both
//              A tuple is not below the watermark; the sessions that end at or below its new watermark have been
//              closed before
//              Effects at the end of the cycle: rise, fall: the slot takes over the one below it, above it; merge: the
//              one above is merged into it; take: it takes the tuple; begins: as a new session
//              open: there is a session; end_first: the end of the oldest; due: it is at or below the mark of the item
//              that is there
// Latency      0 cycles from add and close to the effects; 1 to open, end_first and due
// Issue rate   1 tuple or close a cycle
// Source       session windows as in Akidau et al., PVLDB 8(12), 2015

`default_nettype none

module ws_session_slots #(
    parameter TIME_W = 33,
    parameter GAP    = 30,
    parameter SLACK  = 60,
    parameter SLOTS  = SLACK > 0 ? (SLACK - 1)/GAP + 2 : 1
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire                     move,
    input  wire        [TIME_W-1:0] at,
    input  wire signed [TIME_W:0]   mark,
    input  wire                     add,
    input  wire                     close,
    input  wire                     closing,

    output wire        [SLOTS-1:0]  rise,
    output wire        [SLOTS-1:0]  fall,
    output wire        [SLOTS-1:0]  merge,
    output wire        [SLOTS-1:0]  take,
    output wire                     begins,

    output wire                     open,
    output wire                     due,
    output wire        [TIME_W-1:0] end_first
);

    initial if (TIME_W < 1) begin
        $display("ERROR: %m: TIME_W = %0d (at least 1)", TIME_W);
        $finish;
    end

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_GAP   = GAP;
    localparam signed [63:0] L_SLACK = SLACK;
    localparam integer NEEDED = L_SLACK > 0 ? (L_SLACK - 64'sd1)/L_GAP + 64'sd2 : 64'sd1;

    initial if (L_GAP < 1 || L_SLACK < 0 || SLOTS < NEEDED) begin
        $display("ERROR: %m: GAP = %0d (at least 1), SLACK = %0d (at least 0), SLOTS = %0d (too few)",
                 GAP, SLACK, SLOTS);
        $finish;
    end

    // ---- The items: time, mark, the end of a session whose last tuple it is, and GAP before the time

    // A bit above each says that it is not negative: so all compare as unsigned, and with < and >= alone, which Yosys
    // maps to a carry chain without further logic.
    localparam [TIME_W:0] T_GAP = L_GAP;

    reg [TIME_W:0] far_time_reg, far_mark_reg, far_end_reg, far_low_reg, near_end_reg, near_low_reg;
    reg [TIME_W:0] there_end_reg, there_low_reg;

    always @(posedge clk) if (move) begin
        far_time_reg <= {1'b1, at};
        far_mark_reg <= {!mark[TIME_W], mark[TIME_W-1:0]};
        far_end_reg  <= {1'b1, at} + T_GAP;
        far_low_reg  <= {1'b1, at} - T_GAP;
        {near_end_reg, near_low_reg, there_end_reg, there_low_reg}
                     <= {far_end_reg, far_low_reg, near_end_reg, near_low_reg};
    end

    // ---- The sessions: open, end, and GAP before the first time (low); a tuple between the two touches the session

    localparam T_W = TIME_W + 1;

    reg  [SLOTS-1:0]        open_reg;
    wire [SLOTS*T_W-1:0]    lows, ends;
    // The item that is there: it is not below the end, is above the low (neither, if no session is open); the end is
    // due; it keeps the low, and moves the end.
    reg  [SLOTS-1:0]        past_reg, above_reg, due_reg, leaves_reg, extends_reg;
    reg                     first_due_reg;    // there is an oldest session, and its end is due
    wire [SLOTS-1:0]        under = past_reg & ({SLOTS{1'b1}} >> 1);    // the earlier ones; never the last
    wire [SLOTS-1:0]        touch = ~under & above_reg;

    // A tuple goes to the first session that is not entirely below it, or before that one.
    wire [SLOTS-1:0] beyond  = ~(under << 1) & ~{{(SLOTS-1){1'b0}}, 1'b1};    // after that place
    wire             bridges = (touch & (touch >> 1)) != 0;

    wire [SLOTS-1:0] place   = ~under & ~beyond;
    wire             alone   = touch == 0;

    assign begins    = add && alone;
    assign take      = add ? place : {SLOTS{1'b0}};
    assign rise      = begins ? beyond : {SLOTS{1'b0}};
    assign fall      = close ? {SLOTS{1'b1}} : add && bridges ? beyond : {SLOTS{1'b0}};
    assign merge     = bridges ? take : {SLOTS{1'b0}};
    assign open      = open_reg[0];
    assign due       = first_due_reg;
    assign end_first = ends[TIME_W-1:0];

    wire [SLOTS-1:0] open_next = (rise & (open_reg << 1)) | (fall & (open_reg >> 1)) | (~rise & ~fall & open_reg)
                               | take;

    always @(posedge clk) open_reg <= rst ? {SLOTS{1'b0}} : open_next;

    // The near item, compared with the sessions of a cycle ago: is it past the end, above the low, is the end due; and
    // if it is a tuple, does it keep the low, and move the end?
    reg  [SLOTS-1:0] past_was_reg, above_was_reg, due_was_reg, leaves_was_reg, extends_was_reg;
    wire [SLOTS-1:0] near_past, near_above, near_due, near_leaves, near_extends;    // and with the present ones

    genvar i;
    generate
        for (i = 0; i < SLOTS; i = i + 1) begin : slot
            localparam LAST = i == SLOTS - 1, BELOW = i > 0 ? i - 1 : 0, ABOVE = LAST ? i : i + 1;
            reg [TIME_W:0] end_reg, low_reg;

            assign lows[i*T_W +: T_W] = low_reg;
            assign ends[i*T_W +: T_W] = end_reg;

            always @(posedge clk) begin
                past_was_reg[i]    <= move ? far_time_reg >= end_reg && open_reg[i] : near_past[i];
                above_was_reg[i]   <= move ? low_reg < far_time_reg && open_reg[i] : near_above[i];
                due_was_reg[i]     <= move ? far_mark_reg >= end_reg : near_due[i];
                leaves_was_reg[i]  <= move ? far_low_reg >= low_reg : near_leaves[i];
                extends_was_reg[i] <= move ? end_reg < far_end_reg : near_extends[i];

                // The data written do not depend on whether an item is added or a session closed, only on which it
                // could be. The last slot gets arbitrary data if it falls: then it is not open.
                if (close || (add && (place[i] ? alone || !leaves_reg[i] : beyond[i] && (alone || bridges))))
                    low_reg <= (place[i] && !closing) || SLOTS == 1 ? there_low_reg
                             : (alone && !closing) || LAST ? lows[BELOW*T_W +: T_W] : lows[ABOVE*T_W +: T_W];
                if (close || (add && (place[i] ? alone || extends_reg[i] : beyond[i] && (alone || bridges))))
                    end_reg <= (place[i] && !bridges && !closing) || SLOTS == 1 ? there_end_reg
                             : (alone && !closing) || LAST ? ends[BELOW*T_W +: T_W] : ends[ABOVE*T_W +: T_W];
            end
        end
    endgenerate

    // ---- The comparisons of an item are updated with the sessions

    localparam CHANGE_W = 4*SLOTS + 1;
    wire [CHANGE_W-1:0] change = {merge, begins, take, rise, fall};
    reg  [CHANGE_W-1:0] change_reg;

    // A comparison `was` with every session's end, after a change; `item`: that with the end of the tuple added. The
    // end becomes the larger of the two, or that of the session above, which is merged.
    function [SLOTS-1:0] of_ends(input [SLOTS-1:0] was, input item, input [CHANGE_W-1:0] by);
        reg             anew;
        reg [SLOTS-1:0] joins, takes, rises, falls, stays;
        begin
            {joins, anew, takes, rises, falls} = by;
            stays   = ~(rises | falls | joins);
            of_ends = (rises & (was << 1)) | ((falls | joins) & (was >> 1))
                    | (stays & (was | (takes & {SLOTS{anew}})) & (~takes | {SLOTS{item}}));
        end
    endfunction

    // The same with the lows, of which the smaller stays: here that of the session into which another is merged.
    function [SLOTS-1:0] of_lows(input [SLOTS-1:0] was, input item, input [3*SLOTS:0] by);
        reg             anew;
        reg [SLOTS-1:0] takes, rises, falls, stays;
        begin
            {anew, takes, rises, falls} = by;
            stays   = ~(rises | falls | (takes & {SLOTS{anew}}));
            of_lows = (rises & (was << 1)) | (falls & (was >> 1)) | (stays & was) | (takes & {SLOTS{item}});
        end
    endfunction

    // The near item: the same, and the comparisons with the two items before it; one of these may have made the latest
    // change, the other makes the next.
    reg             past_before_reg, above_before_reg, due_before_reg, leaves_before_reg, extends_before_reg;
    reg             past_item_reg, above_item_reg, due_item_reg, leaves_item_reg, extends_item_reg;

    wire [3*SLOTS:0] low_change     = change[3*SLOTS:0];
    wire [3*SLOTS:0] low_change_reg = change_reg[3*SLOTS:0];

    assign near_past    = of_ends(past_was_reg, past_before_reg, change_reg);
    assign near_above   = of_lows(above_was_reg, above_before_reg, low_change_reg);
    assign near_due     = of_ends(due_was_reg, due_before_reg, change_reg);
    assign near_leaves  = of_lows(leaves_was_reg, leaves_before_reg, low_change_reg);
    assign near_extends = of_ends(extends_was_reg, extends_before_reg, change_reg);

    wire [SLOTS-1:0] due_next = move ? of_ends(near_due, due_item_reg, change) : close ? due_reg >> 1 : due_reg;

    always @(posedge clk) begin
        due_reg       <= due_next;
        first_due_reg <= open_next[0] && due_next[0] && !rst;
        change_reg    <= change;
        if (move) begin
            past_before_reg    <= far_time_reg >= there_end_reg;
            above_before_reg   <= there_low_reg < far_time_reg;
            due_before_reg     <= far_mark_reg >= there_end_reg;
            leaves_before_reg  <= far_low_reg >= there_low_reg;
            extends_before_reg <= there_end_reg < far_end_reg;
            past_item_reg      <= far_time_reg >= near_end_reg;
            above_item_reg     <= near_low_reg < far_time_reg;
            due_item_reg       <= far_mark_reg >= near_end_reg;
            leaves_item_reg    <= far_low_reg >= near_low_reg;
            extends_item_reg   <= near_end_reg < far_end_reg;
            past_reg           <= of_ends(near_past, past_item_reg, change);
            above_reg          <= of_lows(near_above, above_item_reg, low_change);
            leaves_reg         <= of_lows(near_leaves, leaves_item_reg, low_change);
            extends_reg        <= of_ends(near_extends, extends_item_reg, change);
        end else if (close) begin
            {past_reg, above_reg}     <= {past_reg >> 1, above_reg >> 1};
            {leaves_reg, extends_reg} <= {leaves_reg >> 1, extends_reg >> 1};
        end
    end

`ifdef FORMAL
    // The watermark, which tuples and other items move. A session at or below it is closed before the next tuple.
    localparam integer TOP = 1 << TIME_W;
    reg            past_valid = 1'b0;
    integer        mark_ref, made, n, m;
    (* anyseq *) reg [TIME_W-1:0] moved;
    reg            far_item, near_item, held_item;       // there is an item
    reg  [TIME_W-1:0]        far_ref, near_ref, at_ref;
    reg  signed [TIME_W:0]   far_mark_ref, near_mark_ref, mark_of_ref;
    wire [SLOTS*TIME_W-1:0]  firsts, ends_ref;
    genvar k;
    generate
        for (k = 0; k < SLOTS; k = k + 1) begin
            assign firsts[k*TIME_W +: TIME_W]   = lows[k*T_W +: TIME_W] + GAP;
            assign ends_ref[k*TIME_W +: TIME_W] = ends[k*T_W +: TIME_W];
        end
    endgenerate
    // A time is held if a tuple is at it or less than GAP before it; it is inside if it cannot be a boundary between
    // two sessions either.
    (* anyconst *) reg [TIME_W-1:0] some_time;
    reg            held_ref, inside_ref, held, inside;

    always @* begin
        {held, inside} = 2'b00;
        for (m = 0; m < SLOTS; m = m + 1) if (open_reg[m] && some_time < ends_ref[m*TIME_W +: TIME_W]) begin
            held   = held || some_time >= firsts[m*TIME_W +: TIME_W];
            inside = inside || some_time > firsts[m*TIME_W +: TIME_W];
        end
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        made = at_ref;    // as an integer, which has a sign
        made = made - SLACK > mark_ref ? made - SLACK : mark_ref;
        assume (!(add && (closing || !move)) && (closing || !close));
        assume (at + GAP < TOP);
        far_item  <= !rst && (move || far_item);
        near_item <= !rst && (move ? far_item : near_item);
        held_item <= !rst && (move ? near_item : held_item);
        if (move) begin
            {far_ref, near_ref, at_ref}                 <= {at, far_ref, near_ref};
            {far_mark_ref, near_mark_ref, mark_of_ref}  <= {mark, far_mark_ref, near_mark_ref};
        end
        if (add) begin
            assume (held_item && at_ref >= mark_ref);
            if (open) assume (end_first > made);
        end
        if (close) assume (open);
        mark_ref <= rst ? 0 : add ? made : moved > mark_ref && (!open || moved < end_first) ? moved : mark_ref;

        held_ref   <= !rst && ((held_ref && !(close && some_time < end_first))
                               || (add && some_time >= at_ref && some_time < at_ref + GAP));
        inside_ref <= !rst && ((inside_ref && !(close && some_time < end_first))
                               || (add && some_time > at_ref && some_time < at_ref + GAP));
        if (past_valid) begin
            assert (held == held_ref && inside == inside_ref);
            assert (open || !due);
            if (held_item) assert (due == (open && $signed({1'b0, end_first}) <= mark_of_ref));
            if (add) assert (take != 0 && (take & (take - 1'b1)) == 0);
            if (begins) assert (!open_reg[SLOTS-1]);    // there is room

            // invariants for the induction
            if (held_item) begin
                assert (at_ref + GAP < TOP && there_end_reg == TOP + at_ref + GAP);
                assert (there_low_reg + T_GAP == {1'b1, at_ref});
                for (n = 0; n < SLOTS; n = n + 1) if (open_reg[n]) begin
                    assert (past_reg[n] == (at_ref >= ends_ref[n*TIME_W +: TIME_W]));
                    assert (above_reg[n] == (at_ref + GAP > firsts[n*TIME_W +: TIME_W]));
                    assert (due_reg[n] == ($signed({1'b0, ends_ref[n*TIME_W +: TIME_W]}) <= mark_of_ref));
                    assert (leaves_reg[n] == (at_ref >= firsts[n*TIME_W +: TIME_W]));
                    assert (extends_reg[n] == (at_ref + GAP > ends_ref[n*TIME_W +: TIME_W]));
                end else
                    assert (!past_reg[n] && !above_reg[n]);
            end
            if (far_item) begin
                assert (far_ref + GAP < TOP && far_end_reg == TOP + far_ref + GAP);
                assert (far_low_reg + T_GAP == {1'b1, far_ref} && far_time_reg == {1'b1, far_ref});
                assert (far_mark_reg == {!far_mark_ref[TIME_W], far_mark_ref[TIME_W-1:0]});
            end
            if (near_item) begin
                assert (near_ref + GAP < TOP && near_end_reg == TOP + near_ref + GAP);
                assert (near_low_reg + T_GAP == {1'b1, near_ref});
                for (n = 0; n < SLOTS; n = n + 1) if (open_reg[n]) begin
                    assert (near_past[n] == (near_ref >= ends_ref[n*TIME_W +: TIME_W]));
                    assert (near_above[n] == (near_ref + GAP > firsts[n*TIME_W +: TIME_W]));
                    assert (near_due[n] == ($signed({1'b0, ends_ref[n*TIME_W +: TIME_W]}) <= near_mark_ref));
                    assert (near_leaves[n] == (near_ref >= firsts[n*TIME_W +: TIME_W]));
                    assert (near_extends[n] == (near_ref + GAP > ends_ref[n*TIME_W +: TIME_W]));
                end else
                    assert (!near_past[n] && !near_above[n]);
                if (held_item) begin
                    assert (past_item_reg == (near_ref >= at_ref + GAP));
                    assert (above_item_reg == (near_ref + GAP > at_ref));
                    assert (leaves_item_reg == (near_ref >= at_ref) && extends_item_reg == (near_ref > at_ref));
                    assert (due_item_reg == ($signed({1'b0, at_ref}) + GAP <= near_mark_ref));
                end
            end
            assert (mark_ref >= 0 && mark_ref < TOP);
            for (n = 0; n < SLOTS; n = n + 1) begin
                if (n > 0) assert (!open_reg[n] || open_reg[n-1]);
                if (open_reg[n]) begin
                    assert (lows[n*T_W +: T_W] + T_GAP == {1'b1, firsts[n*TIME_W +: TIME_W]});
                    assert (ends[n*T_W + TIME_W]);
                    assert (ends_ref[n*TIME_W +: TIME_W] >= firsts[n*TIME_W +: TIME_W] + GAP);
                    assert (ends_ref[n*TIME_W +: TIME_W] <= mark_ref + SLACK + GAP);
                    assert (ends_ref[n*TIME_W +: TIME_W] > mark_ref);
                    if (n > 0) assert (firsts[n*TIME_W +: TIME_W] >= ends_ref[(n-1)*TIME_W +: TIME_W]);
                end
            end
            if (SLOTS > 2) cover (begins && rise[SLOTS-1] && open_reg == {SLOTS{1'b1}} >> 1);
            if (SLOTS > 2) cover (merge[1] && open_reg == {SLOTS{1'b1}});
            cover (close && open_reg == {SLOTS{1'b1}});
        end
    end
`endif

endmodule

`default_nettype wire
