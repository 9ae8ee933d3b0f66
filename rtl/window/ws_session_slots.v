// SPDX-License-Identifier: Apache-2.0
//
// ws_session_slots: the open sessions of a stream, in the order of time, and what a tuple does to them.
//
// Tuples less than GAP apart belong together. A session is known by its first time and its end, its last time + GAP.
// A tuple touches a session if it is below that end, and the first time below the tuple's own end. It touches none (and
// opens one), one (and may extend it) or two neighbours (and bridges them): no three lie so close together.
//
// How many are open: all but the oldest begin above the watermark, since that one ends there, none above watermark
// + SLACK, and they begin GAP apart: at most (SLACK - 1)/GAP + 2 together, and 1 without SLACK. Proven at the foot.
//
// An item is compared with all sessions as it comes in, and where the one before it changes a session in that cycle,
// with what it makes of it: so a cycle holds a comparison or a decision, never one behind the other.
//
// Parameters   TIME_W   width of a time, of an end too
//              GAP      at least 1
//              SLACK    at least 0
//              SLOTS    sessions that there is room for, at least as many as may be open
// Ports        move: an item comes in, in place of the one before it: its time `at`, and `mark`, to which it moves the
//              watermark. From the next cycle on it may be added, once: its `move` is that of the next, or none
//              again: instead, `mark` is a new one of the item that is there; neither add nor close comes with it
//              add: the item is a tuple, and goes into its session; close: the oldest session goes, and if `move` is
//              not set the item stays. At most one in a cycle. A tuple is not below the watermark; the sessions that
//              end at or below the watermark that it makes have been closed before
//              What happens at the end of the cycle: rise, fall: the slot becomes the one below it, above it; merge:
//              the one above joins it; take: the tuple goes there, and `begins` anew
//              open: there is a session; end_first: where the oldest ends; due: at or below the item's mark
// Latency      0 cycles from add and close to what happens; 1 to open, end_first and due
// Issue rate   1 tuple or close a cycle
// Source       session windows as of Akidau et al., PVLDB 8(12), 2015

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
    input  wire                     again,
    input  wire signed [TIME_W:0]   mark,
    input  wire                     add,
    input  wire                     close,

    output wire        [SLOTS-1:0]  rise,
    output wire        [SLOTS-1:0]  fall,
    output wire        [SLOTS-1:0]  merge,
    output wire        [SLOTS-1:0]  take,
    output wire                     begins,

    output wire                     open,
    output wire                     due,
    output wire        [TIME_W-1:0] end_first
);

    initial if (GAP < 1 || SLACK < 0 || SLOTS < (SLACK > 0 ? (SLACK - 1)/GAP + 2 : 1)) begin
        $display("ERROR: %m: GAP = %0d (at least 1), SLACK = %0d (at least 0), SLOTS = %0d (too few)",
                 GAP, SLACK, SLOTS);
        $finish;
    end

    // ---- The item: its time, the end of a session of which it is the last, and GAP before it

    localparam [TIME_W-1:0]      T_GAP = GAP;
    localparam signed [TIME_W:0] T_LOW = GAP;

    reg         [TIME_W-1:0] at_end_reg;
    reg  signed [TIME_W:0]   at_low_reg;

    always @(posedge clk) if (move) begin
        at_end_reg <= at + T_GAP;
        at_low_reg <= $signed({1'b0, at}) - T_LOW;
    end

    // ---- The sessions: open, end, and GAP before the first time; a tuple touches what lies between

    localparam LOW_W = TIME_W + 1;

    reg  [SLOTS-1:0]        open_reg;
    wire [SLOTS*LOW_W-1:0]  lows;
    wire [SLOTS*TIME_W-1:0] ends;
    reg  [SLOTS-1:0]        past_reg, above_reg, due_reg;  // the item is not below the end, is above the low; end due
    wire [SLOTS-1:0]        under = open_reg & past_reg & ({SLOTS{1'b1}} >> 1);  // those in front; the last never is
    wire [SLOTS-1:0]        touch = open_reg & ~under & above_reg;

    // The item that comes in, against the sessions as they are, and against one that the item before it begins.
    wire [SLOTS-1:0]        past, above, reached;
    wire                    past_item    = at >= at_end_reg;
    wire                    above_item   = $signed({1'b0, at}) > at_low_reg;
    wire                    reached_item = $signed({1'b0, at_end_reg}) <= mark;

    // A tuple goes to the first session that does not lie under it, or takes its place.
    wire [SLOTS-1:0] beyond  = ~(under << 1) & ~{{(SLOTS-1){1'b0}}, 1'b1};    // behind that place
    wire             bridges = (touch & (touch >> 1)) != 0;

    assign begins    = add && touch == 0;
    assign take      = add ? ~under & ~beyond : {SLOTS{1'b0}};
    assign rise      = begins ? beyond : {SLOTS{1'b0}};
    assign fall      = close ? {SLOTS{1'b1}} : add && bridges ? beyond : {SLOTS{1'b0}};
    assign merge     = bridges ? take : {SLOTS{1'b0}};
    assign open      = open_reg[0];
    assign due       = open_reg[0] && due_reg[0];
    assign end_first = ends[TIME_W-1:0];

    always @(posedge clk)
        open_reg <= rst ? {SLOTS{1'b0}}
                  : (rise & (open_reg << 1)) | (fall & (open_reg >> 1)) | (~rise & ~fall & open_reg) | take;

    genvar i;
    generate
        for (i = 0; i < SLOTS; i = i + 1) begin : slot
            localparam BELOW = i > 0 ? i - 1 : 0, ABOVE = i < SLOTS - 1 ? i + 1 : i;
            reg         [TIME_W-1:0] end_reg;
            reg  signed [TIME_W:0]   low_reg;

            assign lows[i*LOW_W +: LOW_W]   = low_reg;
            assign ends[i*TIME_W +: TIME_W] = end_reg;
            assign past[i]                  = at >= end_reg;
            assign above[i]                 = $signed({1'b0, at}) > low_reg;
            assign reached[i]               = $signed({1'b0, end_reg}) <= mark;

            always @(posedge clk) begin
                if (take[i] ? begins || at_low_reg < low_reg : rise[i] || fall[i])
                    low_reg <= take[i] ? at_low_reg
                             : rise[i] ? lows[BELOW*LOW_W +: LOW_W] : lows[ABOVE*LOW_W +: LOW_W];
                if (take[i] ? begins || at_end_reg > end_reg : rise[i] || fall[i])    // merge[i]: it is above
                    end_reg <= take[i] && !merge[i] ? at_end_reg
                             : rise[i] ? ends[BELOW*TIME_W +: TIME_W] : ends[ABOVE*TIME_W +: TIME_W];

                // The end becomes the larger, the low the smaller of two, and nothing needs to know which.
                if (!move) begin
                    if (close)
                        {past_reg[i], above_reg[i], due_reg[i]} <= {past_reg[ABOVE], above_reg[ABOVE], due_reg[ABOVE]};
                    if (again) due_reg[i] <= reached[i];
                end else begin
                    past_reg[i]  <= take[i] ? (merge[i] ? past[ABOVE] : past_item && (begins || past[i]))
                                  : rise[i] ? past[BELOW] : fall[i] ? past[ABOVE] : past[i];
                    above_reg[i] <= take[i] ? above_item || (!begins && above[i])
                                  : rise[i] ? above[BELOW] : fall[i] ? above[ABOVE] : above[i];
                    due_reg[i]   <= take[i] ? (merge[i] ? reached[ABOVE] : reached_item && (begins || reached[i]))
                                  : rise[i] ? reached[BELOW] : fall[i] ? reached[ABOVE] : reached[i];
                end
            end
        end
    endgenerate

`ifdef FORMAL
    // The watermark, which tuples move, and other things too. A session at or below it is closed before the next tuple.
    localparam integer TOP = 1 << TIME_W;
    reg            past_valid = 1'b0;
    integer        mark_ref, made, n, m;
    (* anyseq *) reg [TIME_W-1:0] moved;
    reg            held_item;                  // there is an item, not yet added
    reg  [TIME_W-1:0]        at_ref;
    reg  signed [TIME_W:0]   mark_of_ref;
    wire [SLOTS*TIME_W-1:0]  firsts;
    genvar k;
    generate
        for (k = 0; k < SLOTS; k = k + 1) assign firsts[k*TIME_W +: TIME_W] = lows[k*LOW_W +: LOW_W] + GAP;
    endgenerate
    // A time is held where a tuple lies less than GAP before it, or there; it is inside where it cannot be a boundary
    // between two sessions either.
    (* anyconst *) reg [TIME_W-1:0] some_time;
    reg            held_ref, inside_ref, held, inside;

    always @* begin
        {held, inside} = 2'b00;
        for (m = 0; m < SLOTS; m = m + 1) if (open_reg[m] && some_time < ends[m*TIME_W +: TIME_W]) begin
            held   = held || some_time >= firsts[m*TIME_W +: TIME_W];
            inside = inside || some_time > firsts[m*TIME_W +: TIME_W];
        end
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        made = at_ref;    // as an integer, which has a sign
        made = made - SLACK > mark_ref ? made - SLACK : mark_ref;
        assume (!(add && close) && !(again && (add || close || move)));
        assume (at + GAP < TOP);
        held_item <= !rst && (move || (held_item && !add));
        if (move) at_ref <= at;
        if (move || again) mark_of_ref <= mark;
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
            if (held_item) assert (due == (open && $signed({1'b0, end_first}) <= mark_of_ref));
            if (add) assert (take != 0 && (take & (take - 1'b1)) == 0);
            if (begins) assert (!open_reg[SLOTS-1]);    // there is room

            // what makes it inductive
            if (held_item) begin
                assert (at_ref + GAP < TOP && at_end_reg == at_ref + GAP);
                assert (at_low_reg + T_LOW == $signed({1'b0, at_ref}));
                for (n = 0; n < SLOTS; n = n + 1) if (open_reg[n]) begin
                    assert (past_reg[n] == (at_ref >= ends[n*TIME_W +: TIME_W]));
                    assert (above_reg[n] == (at_ref + GAP > firsts[n*TIME_W +: TIME_W]));
                    assert (due_reg[n] == ($signed({1'b0, ends[n*TIME_W +: TIME_W]}) <= mark_of_ref));
                end
            end
            assert (mark_ref >= 0 && mark_ref < TOP);
            for (n = 0; n < SLOTS; n = n + 1) begin
                if (n > 0) assert (!open_reg[n] || open_reg[n-1]);
                if (open_reg[n]) begin
                    assert ($signed(lows[n*LOW_W +: LOW_W]) + T_LOW == $signed({1'b0, firsts[n*TIME_W +: TIME_W]}));
                    assert (ends[n*TIME_W +: TIME_W] >= firsts[n*TIME_W +: TIME_W] + GAP);
                    assert (ends[n*TIME_W +: TIME_W] <= mark_ref + SLACK + GAP);
                    assert (ends[n*TIME_W +: TIME_W] > mark_ref);
                    if (n > 0) assert (firsts[n*TIME_W +: TIME_W] >= ends[(n-1)*TIME_W +: TIME_W]);
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
