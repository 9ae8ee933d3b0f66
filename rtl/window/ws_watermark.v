// SPDX-License-Identifier: Apache-2.0
//
// ws_watermark: takes the items of a stream one after the other and compares each with the watermark.
//
// It is the common part of the entries of queries with time windows. The enclosing entry takes the current item,
// decides its outcome, and says where the watermark begins.
//   watermark  initially `start`, then the largest attribute accepted minus SLACK, or a sender's punctuation; it never
//              falls
//   late       an attribute below the watermark
//   ahead      an attribute more than MAX_AHEAD above the watermark, unless it is the session's first: it is dropped
//              here, evt_ahead. After RESYNC consecutive such tuples within MAX_AHEAD of each other the last of them
//              becomes a punctuation of the least of them minus SLACK, evt_resync. A tuple farther than that from
//              another one of the run begins a new run
//
// Parameters   DATA_W        width of the tuple in bits, at least 1
//              WATTR_LSB     lowest bit of the windowing attribute in the tuple, 0 to DATA_W - WATTR_W
//              WATTR_W       width of the windowing attribute in bits, 1 to DATA_W
//              WATTR_SIGNED  1: the attribute is signed; 0: unsigned
//              SLACK         how late a tuple may be, in units of the windowing attribute, at least 0
//              MAX_AHEAD     how far above the watermark a tuple may be, at least 0; 0: any; else at least SLACK
//              RESYNC        consecutive tuples ahead that move the watermark, 1 to 255
// Items        s_kind 0 tuple, 1 a sender's punctuation in the attribute's field, 2 START
// Ports        valid: there is a current item. plain: it is a tuple or a punctuation. tuple, data, attr: of it. mark:
//              the watermark that it implies. late: it is a tuple and late
//              run: the entry processes the current item in this cycle, if it is plain: with `accept` the item leaves
//              and moves the watermark, unless it is late; with `drop`, for a late one, it only leaves. While `ahead`
//              is set, the item is ahead and this core handles it. An item that is not plain is dropped while run is
//              low
//              resync: the item that was ahead is a punctuation from the next cycle on
//              begins: the watermark is `start` from the next cycle on, and a session begins. again: the current item
//              is compared again, with the present watermark. After a reset or a START comes begins, in a later cycle
//              again, and then run. `start` is an attribute that is not negative
//              take: the next item, if there is one, becomes current at the end of this cycle, with next_attr and
//              next_mark
//              empty: no item is inside
// Latency      3 cycles; from s to the cycle in which the item is current
// Issue rate   1 item per cycle; one that is ahead takes 5 cycles
// Overflow     cannot happen: s_ready goes low. Attributes are compared in WATTR_W + 2 bits and never wrap
// Source       Oge et al., MCSoC 2013, sections II and III (punctuations, slack)

`default_nettype none

module ws_watermark #(
    parameter DATA_W       = 128,
    parameter WATTR_LSB    = 0,
    parameter WATTR_W      = 32,
    parameter WATTR_SIGNED = 1,
    parameter SLACK        = 60,
    parameter MAX_AHEAD    = 0,
    parameter RESYNC       = 16
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      s_valid,
    output wire                      s_ready,
    input  wire        [DATA_W-1:0]  s_data,
    input  wire        [1:0]         s_kind,

    output wire                      valid,
    output wire                      plain,
    output wire                      tuple,
    output wire        [DATA_W-1:0]  data,
    output wire signed [WATTR_W+1:0] attr,
    output wire signed [WATTR_W+1:0] mark,
    output wire                      late,
    output wire                      ahead,
    output wire                      take,
    output wire signed [WATTR_W+1:0] next_attr,
    output wire signed [WATTR_W+1:0] next_mark,
    output wire                      resync,
    output wire                      empty,

    input  wire                      run,
    input  wire                      accept,
    input  wire                      drop,
    input  wire                      begins,
    input  wire signed [WATTR_W+1:0] start,
    input  wire                      again,

    output reg                       evt_ahead,
    output reg                       evt_resync
`ifdef FORMAL
    ,
    // For the proofs of the cores that use this one: an arbitrary item with its number, the numbers of the next item to
    // arrive and of the next to leave, how far the start of the session has got, and the watermark.
    output wire        [3:0]         watch,
    output wire        [DATA_W+1:0]  watched,
    output wire        [3:0]         arrived,
    output wire        [3:0]         left,
    output wire        [1:0]         session,
    output wire                      busy,
    output wire signed [WATTR_W+1:0] in_force
`endif
);

    initial if (DATA_W < 1 || WATTR_LSB < 0 || WATTR_LSB > DATA_W - WATTR_W || WATTR_W < 1 || WATTR_W > DATA_W
                || (WATTR_SIGNED != 0 && WATTR_SIGNED != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), WATTR_LSB = %0d (0 to DATA_W - WATTR_W), ",
                 DATA_W, WATTR_LSB, "WATTR_W = %0d (1 to DATA_W), WATTR_SIGNED = %0d (0 or 1)", WATTR_W, WATTR_SIGNED);
        $finish;
    end

    localparam [1:0] KIND_TUPLE = 2'd0, KIND_PUNCT = 2'd1, KIND_START = 2'd2;

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_SLACK     = SLACK;
    localparam signed [63:0] L_MAX_AHEAD = MAX_AHEAD;

    // Times, wide enough for an attribute plus or minus any of the parameters, and for the difference of two of these.
    localparam T_W = WATTR_W + 2;
    localparam signed [T_W-1:0] T_SLACK     = L_SLACK;
    localparam signed [T_W-1:0] T_MAX_AHEAD = L_MAX_AHEAD;
    localparam signed [T_W-1:0] T_ZERO      = 0;
    localparam [7:0]            RESYNC_RUN  = RESYNC;

    initial if (L_SLACK < 0 || (L_MAX_AHEAD != 0 && L_MAX_AHEAD < L_SLACK) || RESYNC < 1 || RESYNC > 255) begin
        $display("ERROR: %m: SLACK = %0d (at least 0), MAX_AHEAD = %0d (0, or at least SLACK), RESYNC = %0d (1 to 255)",
                 SLACK, MAX_AHEAD, RESYNC);
        $finish;
    end

    `include "ws_below.vh"

    // ---- An item is stored in one of eight places from its arrival until it leaves

    reg  [DATA_W-1:0]  items [0:7];
    reg  [WATTR_W+2:0] heads [0:7];       // kind, is it a tuple, and attribute; these are read first
    reg  [2:0]         write_reg, fetch_reg, read_reg;
    reg                ready_reg;

    wire               skip, in_ready;
    wire               leave    = accept || drop || skip;
    wire               arrives  = s_valid && ready_reg;
    wire               in_valid = fetch_reg != write_reg;
    wire [2:0]         held     = write_reg - read_reg;
    wire [1:0]         in_kind;
    wire               in_tuple;
    wire [WATTR_W-1:0] in_field;

    assign s_ready                       = ready_reg;
    assign {in_kind, in_tuple, in_field} = heads[fetch_reg];

    always @(posedge clk) begin
        if (arrives) begin
            items[write_reg] <= s_data;
            heads[write_reg] <= {s_kind, s_kind == KIND_TUPLE, s_data[WATTR_LSB +: WATTR_W]};
        end
        write_reg <= rst ? 3'd0 : write_reg + {2'b0, arrives};
        fetch_reg <= rst ? 3'd0 : fetch_reg + {2'b0, in_valid && in_ready};
        read_reg  <= rst ? 3'd0 : read_reg + {2'b0, leave};
        ready_reg <= rst || held < 3'd6;      // one more may arrive in this cycle and one in the next
    end

    // ---- Stage 1: the watermark that the item's attribute implies

    wire                  in_sign = WATTR_SIGNED != 0 && in_field[WATTR_W-1];
    wire signed [T_W-1:0] in_attr = {{2{in_sign}}, in_field};

    reg                   next_valid_reg;
    reg  [1:0]            next_kind_reg;
    reg  signed [T_W-1:0] next_attr_reg;
    reg  signed [T_W-1:0] next_mark_reg;      // the watermark that the item implies
    reg  signed [T_W-1:0] next_limit_reg;     // that plus MAX_AHEAD

    assign in_ready  = !next_valid_reg || take;
    assign next_attr = next_attr_reg;
    assign next_mark = next_mark_reg;

    always @(posedge clk) begin
        if (in_ready) begin
            next_valid_reg <= in_valid;
            next_kind_reg  <= in_kind;
            next_attr_reg  <= in_attr;
            next_mark_reg  <= in_attr - (in_tuple ? T_SLACK : T_ZERO);
            next_limit_reg <= in_attr + (in_tuple ? T_MAX_AHEAD - T_SLACK : T_MAX_AHEAD);
        end
        if (rst) next_valid_reg <= 1'b0;
    end

    // ---- Stage 2: the current item

    reg                   valid_reg, plain_reg;
    reg  [1:0]            kind_reg;
    reg  signed [T_W-1:0] attr_reg, mark_reg, limit_reg;
    reg  signed [T_W-1:0] watermark_reg;
    reg  signed [T_W-1:0] farthest_reg;       // watermark + MAX_AHEAD
    reg                   first_reg;          // no tuple of this session yet
    // Of a run of tuples that are ahead: the least and the largest mark, and the limit that belongs to the least.
    reg  signed [T_W-1:0] run_min_reg, run_max_reg, run_limit_reg;

    assign take = !valid_reg || leave;
    assign {valid, plain, attr, mark} = {valid_reg, plain_reg, attr_reg, mark_reg};
    assign data  = items[read_reg];
    assign tuple = kind_reg == KIND_TUPLE;
    assign empty = !in_valid && !next_valid_reg && !valid_reg;

    // Comparison. When an item becomes current it is compared with the watermark and with the mark of the item before
    // it, which may just be moving the watermark; the results are combined in the next cycle. An item before it that is
    // late counts too: its mark is not above the watermark.
    reg below_reg, below_before_reg;      // the attribute is below the watermark, the mark of the item before
    reg raises_reg, raises_before_reg;    // the mark is above them
    reg far_reg, far_before_reg;          // the attribute is more than MAX_AHEAD above them
    reg before_reg;                       // the item before counts
    reg again_reg, below_now_reg, raises_now_reg;    // compared again, with the watermark alone
    reg bounded_reg;                      // MAX_AHEAD applies: a tuple, and not the first of a session

    wire raises = again_reg ? raises_now_reg : raises_reg && (raises_before_reg || !before_reg);

    assign late = tuple && (again_reg ? below_now_reg : below_reg || (below_before_reg && before_reg));

    always @(posedge clk) begin
        if (take) begin
            valid_reg <= next_valid_reg;
            plain_reg <= next_valid_reg && next_kind_reg != KIND_START;
            kind_reg  <= next_kind_reg;
            attr_reg  <= next_attr_reg;
            mark_reg  <= next_mark_reg;
            limit_reg <= next_limit_reg;
            below_reg         <= below(next_attr_reg, watermark_reg);
            below_before_reg  <= below(next_attr_reg, mark_reg);
            raises_reg        <= below(watermark_reg, next_mark_reg);
            raises_before_reg <= below(mark_reg, next_mark_reg);
            far_reg           <= below(farthest_reg, next_attr_reg);
            far_before_reg    <= below(limit_reg, next_attr_reg);
            before_reg  <= plain_reg && !skip;
            again_reg   <= 1'b0;
            bounded_reg <= MAX_AHEAD != 0 && next_valid_reg && next_kind_reg == KIND_TUPLE
                        && !(first_reg && !(valid_reg && tuple));
        end else begin
            if (resync) begin    // its mark was above the watermark, and still is
                kind_reg  <= KIND_PUNCT;
                mark_reg  <= run_min_reg;
                limit_reg <= run_limit_reg;
            end
            if (again)           again_reg   <= 1'b1;
            if (again || resync) bounded_reg <= 1'b0;
        end
        below_now_reg  <= below(attr_reg, watermark_reg);
        raises_now_reg <= below(watermark_reg, mark_reg);
        if (accept && raises) begin
            watermark_reg <= mark_reg;
            farthest_reg  <= limit_reg;
        end
        if (begins) begin
            watermark_reg <= start;
            farthest_reg  <= start + T_MAX_AHEAD;
        end
        first_reg <= begins || (first_reg && !(leave && tuple));
        if (rst) {valid_reg, plain_reg, bounded_reg} <= 3'b000;
    end

    // ---- Tuples that are ahead: are they RESYNC in a row, close to each other?

    // One-hot states.
    localparam NONE   = 0,   // nothing is ahead
               ADD    = 1,   // add the tuple to the run
               SPREAD = 2,   // is the run narrow enough?
               LENGTH = 3,   // is it long enough?
               SKIP   = 4;   // drop the tuple
    localparam STATES = 5;
    localparam [STATES-1:0] ONE = 1;

    reg  [STATES-1:0]     state_reg;
    reg  [7:0]            run_reg;            // tuples of the run
    reg                   narrow_reg;         // they are within MAX_AHEAD of each other
    reg                   least_reg, most_reg;         // the tuple's mark is below, above all those of the run

    wire full = run_reg == RESYNC_RUN - 8'd1;

    assign ahead  = bounded_reg && far_reg && (far_before_reg || !before_reg);
    assign skip   = state_reg[SKIP];
    assign resync = state_reg[LENGTH] && narrow_reg && full;

    always @(posedge clk) begin
        least_reg <= below(mark_reg, run_min_reg);
        most_reg  <= below(run_max_reg, mark_reg);
        case (1'b1)
            state_reg[NONE]: begin
                if (run && ahead) state_reg <= ONE << ADD;
                if (accept || drop || begins) run_reg <= 8'd0;
            end
            state_reg[ADD]: begin
                if (run_reg == 0 || least_reg) {run_min_reg, run_limit_reg} <= {mark_reg, limit_reg};
                if (run_reg == 0 || most_reg)  run_max_reg <= mark_reg;
                state_reg <= ONE << SPREAD;
            end
            state_reg[SPREAD]: begin
                narrow_reg <= !below(run_limit_reg, run_max_reg);
                state_reg  <= ONE << LENGTH;
            end
            state_reg[LENGTH]: begin
                run_reg <= !narrow_reg ? 8'd1 : full ? 8'd0 : run_reg + 8'd1;
                if (!narrow_reg) {run_min_reg, run_max_reg, run_limit_reg} <= {mark_reg, mark_reg, limit_reg};
                state_reg <= resync ? ONE << NONE : ONE << SKIP;
            end
            default: state_reg <= ONE << NONE;  // SKIP
        endcase
        if (rst || MAX_AHEAD == 0) state_reg <= ONE << NONE;

        evt_ahead  <= state_reg[ADD] && !rst;
        evt_resync <= resync && !rst;
    end

`ifdef FORMAL
    // Items are numbered as they arrive, and again as they leave; the numbers wrap at twice the number of places. The
    // item of an arbitrary number is watched: it becomes current unchanged and in order. The model applies the rules in
    // times wider than the core's, so that a wrapped time would differ.
    localparam R_W = T_W + 2;
    localparam signed [R_W-1:0] R_SLACK = SLACK, R_AHEAD = MAX_AHEAD;
    localparam signed [R_W-1:0] MOST    = WATTR_SIGNED != 0 ? (1 << (WATTR_W - 1)) - 1 : (1 << WATTR_W) - 1;
    localparam signed [R_W-1:0] LEAST   = WATTR_SIGNED != 0 ? -(1 << (WATTR_W - 1)) : 0;
    localparam [1:0] NEW = 2'd0, BEGUN = 2'd1, JUDGED = 2'd2, RUNNING = 2'd3;

    (* anyconst *) wire [3:0] watch_ref;
    reg                  past_valid = 1'b0;
    reg  [3:0]           arrived_ref, left_ref;
    reg  [3:0]           arrived_1_ref, arrived_2_ref;    // one and two cycles ago
    reg  [DATA_W-1:0]    item_ref;
    reg  [1:0]           item_kind_ref;
    reg  [1:0]           session_ref;                     // how far the entry has begun it
    reg                  first_ref;                       // no tuple of it has left
    reg                  resynced_ref;                    // the current item has become a punctuation
    reg  signed [R_W-1:0] forced_ref;                     // its time
    reg  signed [R_W-1:0] watermark_ref;
    reg  [2:0]           steps_ref;                       // cycles since the core began to handle one that is ahead
    integer              length_ref;                      // of the run of those ahead; their least and largest
    reg  signed [R_W-1:0] least_ref, largest_ref;
    reg  [2:0]           later;
    integer              n;

    wire [3:0]           held_ref   = arrived_ref - left_ref;
    wire [3:0]           held_1_ref = arrived_1_ref - left_ref, held_2_ref = arrived_2_ref - left_ref;
    wire [3:0]           place      = watch_ref - left_ref;
    wire [3:0]           in_stages  = {3'd0, valid_reg} + {3'd0, next_valid_reg};
    wire [WATTR_W-1:0]   item_field = item_ref[WATTR_LSB +: WATTR_W];
    wire signed [R_W-1:0] item_time  = WATTR_SIGNED != 0 ? $signed(item_field) : $signed({1'b0, item_field});
    wire signed [R_W-1:0] item_mark  = item_kind_ref == 2'd0 ? item_time - R_SLACK : item_time;
    wire signed [R_W-1:0] time_ref   = attr;
    wire signed [R_W-1:0] mark_ref   = resynced_ref ? forced_ref : tuple ? time_ref - R_SLACK : time_ref;
    wire signed [R_W-1:0] next_time  = next_attr, next_mark_ref = next_mark;
    wire                 judged_ref = valid && plain && session_ref >= JUDGED;
    wire                 late_ref   = tuple && time_ref < watermark_ref;
    wire                 ahead_ref  = MAX_AHEAD != 0 && tuple && !first_ref && time_ref > watermark_ref + R_AHEAD;
    wire signed [R_W-1:0] with_least = length_ref == 0 || time_ref < least_ref ? time_ref : least_ref;
    wire signed [R_W-1:0] with_largest = length_ref == 0 || time_ref > largest_ref ? time_ref : largest_ref;
    wire                 close_ref  = with_largest - with_least <= R_AHEAD;
    wire                 resync_ref = steps_ref == 3 && close_ref && length_ref + 1 == RESYNC;
    wire                 leaves_ref = accept || drop || steps_ref == 4;

    assign {watch, watched, arrived, left} = {watch_ref, item_kind_ref, item_ref, arrived_ref, left_ref};
    assign {session, busy, in_force}       = {session_ref, steps_ref != 0, watermark_reg};

    always @(posedge clk) begin
        past_valid <= 1'b1;

        arrived_ref   <= rst ? 4'd0 : arrived_ref + {3'd0, s_valid && s_ready};
        arrived_1_ref <= rst ? 4'd0 : arrived_ref;
        arrived_2_ref <= rst ? 4'd0 : arrived_1_ref;
        left_ref      <= rst ? 4'd0 : left_ref + {3'd0, leaves_ref};
        if (s_valid && s_ready && arrived_ref == watch_ref) {item_kind_ref, item_ref} <= {s_kind, s_data};

        session_ref <= rst || (drop && !plain) ? NEW : begins ? BEGUN : again ? JUDGED
                     : run && valid && plain ? RUNNING : session_ref;
        first_ref   <= begins || (first_ref && !(leaves_ref && tuple));
        if (begins)
            watermark_ref <= start;
        else if (accept && !late_ref && mark_ref > watermark_ref)
            watermark_ref <= mark_ref;

        steps_ref <= rst ? 3'd0 : steps_ref == 0 ? {2'b00, run && judged_ref && ahead_ref}
                   : steps_ref == 4 || resync_ref ? 3'd0 : steps_ref + 3'd1;
        resynced_ref <= !rst && !leaves_ref && (resynced_ref || resync_ref);
        if (resync_ref) forced_ref <= with_least - R_SLACK;
        if (rst || begins || accept || drop)
            length_ref <= 0;
        else if (steps_ref == 3) begin
            length_ref  <= resync_ref ? 0 : close_ref ? length_ref + 1 : 1;
            least_ref   <= close_ref ? with_least : time_ref;
            largest_ref <= close_ref ? with_largest : time_ref;
        end

        if (!past_valid) assume (rst);
        else begin
            // The entry. A session sees begins, again and run in this order; a START ends it.
            assume (begins + again + run <= 1 && accept + drop <= 1);
            if (accept || drop) assume (valid);
            if (accept) assume (run && plain && !ahead);
            if (drop) assume (run ? plain && !ahead && late : !plain && !begins && !again);
            if (begins) assume (session_ref == NEW);
            if (again) assume (session_ref == BEGUN || session_ref == JUDGED);
            if (run) assume (session_ref >= JUDGED);
            if (begins) assume (start >= 0 && start <= MOST);

            // nothing lost or duplicated, order kept
            assert (held_ref <= 7 && empty == (held_ref == 0));
            assert (s_ready == ($past(rst) || $past(held_ref) < 6));
            assert (valid == (held_2_ref != 0));
            assert (take == (!valid || leaves_ref));
            if (valid && place == 0) begin
                assert (data == item_ref && attr == item_time);
                assert (tuple == (item_kind_ref == 2'd0 && !resynced_ref) && plain == (item_kind_ref != 2'd2));
            end
            if (valid) assert (mark == mark_ref);
            else assert (!plain && !ahead);
            if (valid && $past(take)) assert ($past(next_attr) == attr && $past(next_mark) == mark);
            // the rules of time
            if (judged_ref) begin
                assert (late == late_ref);
                assert (ahead == ahead_ref);
            end
            assert (resync == resync_ref);
            if (!$past(rst)) begin
                assert (evt_ahead == $past(steps_ref == 1));
                assert (evt_resync == $past(resync_ref));
            end else
                assert (!evt_ahead && !evt_resync);
            // the watermark never falls
            if (session_ref >= JUDGED) assert (watermark_reg >= $past(watermark_reg));

            // invariants for the induction: the places and stages
            assert (write_reg == arrived_ref[2:0] && read_reg == left_ref[2:0]);
            assert (in_stages <= held_ref && fetch_reg == left_ref[2:0] + in_stages[2:0]);
            assert (held_1_ref == held_2_ref || held_1_ref == held_2_ref + 4'd1);
            assert (held_ref == held_1_ref || held_ref == held_1_ref + 4'd1);
            assert (held_1_ref <= 7 && held_2_ref <= 7 && next_valid_reg == (held_1_ref > {3'd0, valid_reg}));
            if (place < held_ref) begin
                assert (items[watch_ref[2:0]] == item_ref);
                assert (heads[watch_ref[2:0]] == {item_kind_ref, item_kind_ref == 2'd0, item_field});
            end
            for (n = 0; n < 8; n = n + 1) begin
                later = left_ref[2:0] + n[2:0];
                if (n < held_ref) assert (heads[later][WATTR_W] == (heads[later][WATTR_W+2:WATTR_W+1] == 2'd0));
            end
            if (next_valid_reg && place == {3'd0, valid_reg}) begin
                assert (next_kind_reg == item_kind_ref && next_time == item_time);
            end
            if (next_valid_reg) begin
                assert (next_time >= LEAST && next_time <= MOST && next_limit_reg == next_mark_ref + R_AHEAD);
                assert (next_mark_ref == (next_kind_reg == 2'd0 ? next_time - R_SLACK : next_time));
            end
            if (valid) begin
                assert (time_ref >= LEAST && time_ref <= MOST && limit_reg == mark_ref + R_AHEAD);
                if (place == 0) assert (kind_reg == (resynced_ref ? KIND_PUNCT : item_kind_ref));
            end
            assert (plain_reg == (valid && kind_reg != 2'd2));
            // the session and the comparisons in it
            assert (steps_ref == 0 || (judged_ref && ahead_ref && session_ref == RUNNING));
            if (resynced_ref) assert (valid && kind_reg == KIND_PUNCT && session_ref == RUNNING && length_ref == 0);
            if (resynced_ref) assert (forced_ref > watermark_ref && forced_ref <= MOST);
            if (session_ref != NEW) begin
                assert (watermark_reg == watermark_ref && farthest_reg == watermark_ref + R_AHEAD);
                assert (watermark_ref >= 0 && watermark_ref <= MOST);
                assert (first_reg == first_ref && (session_ref == RUNNING || first_ref));
            end
            if (session_ref >= JUDGED) assert (bounded_reg == (MAX_AHEAD != 0 && valid && tuple && !first_ref));
            if (judged_ref) assert (raises == (mark_ref > watermark_ref));
            // the run
            assert (state_reg == ONE << steps_ref && steps_ref <= 4);
            if (session_ref != NEW && MAX_AHEAD != 0) begin
                assert (length_ref >= 0 && length_ref < RESYNC && run_reg == length_ref);
                assert (length_ref == 0 || session_ref == RUNNING);
                if (length_ref != 0) assert (least_ref > watermark_ref + R_AHEAD && least_ref <= MOST);
                if (length_ref != 0) assert (largest_ref >= least_ref && largest_ref <= MOST);
                if (length_ref != 0 && steps_ref <= 1) begin
                    assert (run_min_reg == least_ref - R_SLACK && run_max_reg == largest_ref - R_SLACK);
                    assert (run_limit_reg == least_ref - R_SLACK + R_AHEAD);
                end
                if (length_ref != 0 && steps_ref == 1)
                    assert (least_reg == (time_ref < least_ref) && most_reg == (time_ref > largest_ref));
                if (steps_ref == 2 || steps_ref == 3) begin
                    assert (run_min_reg == with_least - R_SLACK && run_max_reg == with_largest - R_SLACK);
                    assert (run_limit_reg == with_least - R_SLACK + R_AHEAD);
                end
                if (steps_ref == 3) assert (narrow_reg == close_ref);
                if (steps_ref == 4) assert (length_ref != 0 && run_min_reg == least_ref - R_SLACK
                                            && run_max_reg == largest_ref - R_SLACK
                                            && run_limit_reg == least_ref - R_SLACK + R_AHEAD);
            end
        end
        if (past_valid && !rst) begin
            cover (accept && late && $past(accept && tuple && !late));
            cover (accept && !tuple && mark_ref > watermark_ref && $past(accept && tuple));
            cover (held_ref == 7 && accept);
            cover (session_ref == JUDGED && again && late);
            if (MAX_AHEAD != 0) cover (accept && resynced_ref);
            if (MAX_AHEAD != 0 && RESYNC > 1) begin
                cover (steps_ref == 4);
                cover (steps_ref == 3 && !close_ref);
                cover (resync_ref && time_ref > with_least);
            end
        end
    end
`endif

endmodule

`default_nettype wire
