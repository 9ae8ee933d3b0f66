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
// Parameters   TIME_W   width of a time, of an end too
//              GAP      at least 1
//              SLACK    at least 0
//              SLOTS    sessions that there is room for, at least as many as may be open
// Ports        add: a tuple at `at`, with `at_end` = at + GAP; close: the oldest session goes. At most one in a cycle.
//              A tuple is not below the watermark; the sessions that end at or below the watermark that it makes have
//              been closed before
//              What happens at the end of the cycle: rise, fall: the slot becomes the one below it, above it; merge:
//              the one above joins it; take: the tuple goes there, and `begins` anew
//              open: there is a session; end_first: where the oldest ends
// Latency      0 cycles from add and close to what happens; 1 to open and end_first
// Issue rate   1 tuple or close a cycle
// Source       session windows as of Akidau et al., PVLDB 8(12), 2015

`default_nettype none

module ws_session_slots #(
    parameter TIME_W = 33,
    parameter GAP    = 30,
    parameter SLACK  = 60,
    parameter SLOTS  = SLACK > 0 ? (SLACK - 1)/GAP + 2 : 1
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              add,
    input  wire              close,
    input  wire [TIME_W-1:0] at,
    input  wire [TIME_W-1:0] at_end,

    output wire [SLOTS-1:0]  rise,
    output wire [SLOTS-1:0]  fall,
    output wire [SLOTS-1:0]  merge,
    output wire [SLOTS-1:0]  take,
    output wire              begins,

    output wire              open,
    output wire [TIME_W-1:0] end_first
);

    initial if (GAP < 1 || SLACK < 0 || SLOTS < (SLACK > 0 ? (SLACK - 1)/GAP + 2 : 1)) begin
        $display("ERROR: %m: GAP = %0d (at least 1), SLACK = %0d (at least 0), SLOTS = %0d (too few)",
                 GAP, SLACK, SLOTS);
        $finish;
    end

    reg  [SLOTS-1:0]        open_reg;
    wire [SLOTS*TIME_W-1:0] firsts, ends;
    wire [SLOTS-1:0]        under;      // the session ends at or below the tuple: those in front
    wire [SLOTS-1:0]        touch;

    // A tuple goes to the first session that does not lie under it, or takes its place.
    wire [SLOTS-1:0] beyond  = ~(under << 1) & ~{{(SLOTS-1){1'b0}}, 1'b1};    // behind that place
    wire             bridges = (touch & (touch >> 1)) != 0;

    assign begins    = add && touch == 0;
    assign take      = add ? ~under & ~beyond : {SLOTS{1'b0}};
    assign rise      = begins ? beyond : {SLOTS{1'b0}};
    assign fall      = close ? {SLOTS{1'b1}} : add && bridges ? beyond : {SLOTS{1'b0}};
    assign merge     = bridges ? take : {SLOTS{1'b0}};
    assign open      = open_reg[0];
    assign end_first = ends[TIME_W-1:0];

    always @(posedge clk)
        open_reg <= rst ? {SLOTS{1'b0}}
                  : (rise & (open_reg << 1)) | (fall & (open_reg >> 1)) | (~rise & ~fall & open_reg) | take;

    genvar i;
    generate
        for (i = 0; i < SLOTS; i = i + 1) begin : slot
            localparam BELOW = i > 0 ? i - 1 : 0, ABOVE = i < SLOTS - 1 ? i + 1 : i;
            reg [TIME_W-1:0] first_reg, end_reg;

            assign firsts[i*TIME_W +: TIME_W] = first_reg;
            assign ends[i*TIME_W +: TIME_W]   = end_reg;
            assign under[i]                   = i < SLOTS - 1 && open_reg[i] && at >= end_reg;  // the last never is
            assign touch[i]                   = open_reg[i] && !under[i] && at_end > first_reg;

            always @(posedge clk) begin
                if (take[i] ? begins || at < first_reg : rise[i] || fall[i])
                    first_reg <= take[i] ? at
                               : rise[i] ? firsts[BELOW*TIME_W +: TIME_W] : firsts[ABOVE*TIME_W +: TIME_W];
                if (take[i] ? begins || at_end > end_reg : rise[i] || fall[i])    // merge[i]: it is above
                    end_reg <= take[i] && !merge[i] ? at_end
                             : rise[i] ? ends[BELOW*TIME_W +: TIME_W] : ends[ABOVE*TIME_W +: TIME_W];
            end
        end
    endgenerate

`ifdef FORMAL
    // The watermark, which tuples move, and other things too. A session at or below it is closed before the next tuple.
    localparam integer TOP = 1 << TIME_W;
    reg            past_valid = 1'b0;
    integer        mark_ref, made, n, m;
    (* anyseq *) reg [TIME_W-1:0] moved;
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
        made = at;    // as an integer, which has a sign
        made = made - SLACK > mark_ref ? made - SLACK : mark_ref;
        assume (!(add && close));
        if (add) begin
            assume (at + GAP < TOP && at_end == at + GAP && at >= mark_ref);
            if (open) assume (end_first > made);
        end
        if (close) assume (open);
        mark_ref <= rst ? 0 : add ? made : moved > mark_ref && (!open || moved < end_first) ? moved : mark_ref;

        held_ref   <= !rst && ((held_ref && !(close && some_time < end_first))
                               || (add && some_time >= at && some_time < at_end));
        inside_ref <= !rst && ((inside_ref && !(close && some_time < end_first))
                               || (add && some_time > at && some_time < at_end));
        if (past_valid) begin
            assert (held == held_ref && inside == inside_ref);
            if (add) assert (take != 0 && (take & (take - 1'b1)) == 0);
            if (begins) assert (!open_reg[SLOTS-1]);    // there is room

            // what makes it inductive
            assert (mark_ref >= 0 && mark_ref < TOP);
            for (n = 0; n < SLOTS; n = n + 1) begin
                if (n > 0) assert (!open_reg[n] || open_reg[n-1]);
                if (open_reg[n]) begin
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
