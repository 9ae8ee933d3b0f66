// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_level: merges each two sorted runs of a window into one; a level of ws_merge_sort.
//
// A run is a sequence of records in the order of their keys. s_last is set with its last record, and s_end with the
// last record of the window's last run. Runs go to two queues in turn, and two runs of a window, one in each, leave as
// one: the lesser of their heads is taken, of equals the one of the first run. A last run without a partner passes
// alone, and the next window begins in the other queue, so that the heads of the queues are at most a run apart.
//
// Which head is taken in a cycle is known from registers at its begin. All that can be the next pair of heads are
// compared in the cycle before: if the first queue goes on, the second one, or both.
//
// Parameters   RUN     records of a run at most, a power of two, 1 to 1048576
//              KEY_W   width of a key in bits, at least 1
//              DATA_W  width of a record without its key in bits, at least 1
// Latency      RUN + H cycles, if full runs come without a gap, where H = 5 + (RUN > 8): two runs begin to leave H
//              cycles after the first record of the second one; a run that passes alone 4 cycles after its last record,
//              and H after its first one at least
// Issue rate   1 record a cycle; runs that arrive without a gap leave without a gap
// Overflow     cannot happen: the level never holds more than RUN + H - 1 records, for which both queues have room
// Bad input    records beyond RUN in a run may be lost; runs that are not sorted leave as one that is not
// Source       ours; merging by levels: D. E. Knuth, The Art of Computer Programming, volume 3, section 5.2.4

`default_nettype none

module ws_merge_level #(
    parameter RUN    = 1,
    parameter KEY_W  = 32,
    parameter DATA_W = 32
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_last,
    input  wire              s_end,
    input  wire [KEY_W-1:0]  s_key,
    input  wire [DATA_W-1:0] s_data,

    output reg               m_valid,
    output reg               m_last,
    output reg               m_end,
    output reg  [KEY_W-1:0]  m_key,
    output reg  [DATA_W-1:0] m_data
);

    initial if (RUN < 1 || RUN > 1048576 || KEY_W < 1 || DATA_W < 1 || (RUN & (RUN - 1)) != 0) begin
        $display("ERROR: %m: RUN = %0d (a power of two, 1 to 1048576), KEY_W = %0d, DATA_W = %0d (at least 1)",
                 RUN, KEY_W, DATA_W);
        $finish;
    end

    // A queue's RAM has to have room for RUN + 2 records. From RUN = 512 on this would be twice as many block RAMs as
    // RUN records take, so that two more spare places are for them.
    localparam BLOCK  = RUN > 8;
    localparam EXACT  = RUN > 256;
    localparam ADDR_W = $clog2(EXACT ? RUN : RUN + 2);
    localparam SPARE  = BLOCK + 2 * EXACT;
`ifdef FORMAL
    localparam TAG_W  = $clog2(RUN + BLOCK + 8);     // in proofs an item has the number of its run with it
`else
    localparam TAG_W  = 0;
`endif
    localparam ITEM_W = KEY_W + DATA_W + 3 + TAG_W;

    // which queue the record goes to, and whether its run is the second of two
    reg  side_reg, second_reg;
    reg  end_of_window_reg;     // the last record was the last one of its window
    reg  closed_reg;            // and the queues know it too

    always @(posedge clk)
        if (rst) {side_reg, second_reg, end_of_window_reg} <= 3'b000;
        else if (s_valid) begin
            end_of_window_reg <= s_end;
            if (s_last) begin
                side_reg   <= !side_reg;
                second_reg <= !second_reg && !s_end;
            end
        end

    always @(posedge clk) closed_reg <= end_of_window_reg && !rst;

    // The queues, 0 and 1. An item is {key, second, last, end, data}: `second` decides between equal keys.
    wire [ITEM_W-1:0]   s_item;
    assign s_item[KEY_W+DATA_W+2:0] = {s_key, second_reg, s_last, s_end, s_data};
    wire [1:0]          next_valid, take, renew, empty_next;
    wire [2*ITEM_W-1:0] heads, nexts;

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_queue
            ws_merge_queue #(
                .DATA_W(ITEM_W), .ADDR_W(ADDR_W), .OUTPUT_REG(BLOCK), .SPARE(SPARE),
                .STYLE(BLOCK ? "block" : "distributed")
`ifdef FORMAL
                , .PLACE_W(PLACE_W), .SLOTS(SLOTS)
`endif
            ) queue (
                .clk(clk), .rst(rst),
                .s_valid(s_valid && side_reg == i), .s_data(s_item),
                .head(heads[i*ITEM_W +: ITEM_W]),
                .next_valid(next_valid[i]), .next(nexts[i*ITEM_W +: ITEM_W]),
                .take(take[i]), .renew(renew[i]), .empty_next(empty_next[i])
`ifdef FORMAL
                , .head_valid(head_valid[i]), .total(totals[i*PLACE_W +: PLACE_W]),
                .gone(gone[i*PLACE_W +: PLACE_W]), .came(came[i*CAME_W +: CAME_W]),
                .first(firsts[i*ITEM_W +: ITEM_W]), .live(live[i*SLOTS +: SLOTS]), .timed(timed[i*SLOTS +: SLOTS]),
                .follows(follows[i*SLOTS +: SLOTS]), .places(places[i*SLOTS*PLACE_W +: SLOTS*PLACE_W]),
                .items(items[i*SLOTS*ITEM_W +: SLOTS*ITEM_W]),
                .followers(followers[i*SLOTS*ITEM_W +: SLOTS*ITEM_W])
`endif
            );
        end
    endgenerate

    localparam END    = DATA_W;
    localparam LAST   = DATA_W + 1;
    localparam SECOND = DATA_W + 2;
    wire [1:0] last        = {heads[ITEM_W+LAST], heads[LAST]};
    wire [1:0] second      = {heads[ITEM_W+SECOND], heads[SECOND]};
    wire [1:0] next_second = {nexts[ITEM_W+SECOND], nexts[SECOND]};

    // The state of the merge. alone_reg: the head of this queue is taken, the run of the other one is done. both_reg:
    // the lesser head is taken, less_reg: which is the one of queue 1.
    reg  [1:0] alone_reg, done_reg;
    reg        both_reg, less_reg;
    reg        first_reg;       // the queue of the first run
    reg        solo_reg;        // there is no second run
    reg        end_reg;         // of the second run, which is done: it was the last one of the window
    wire [1:0] lesser   = {less_reg, !less_reg} & {2{both_reg}};
    wire       complete = |(alone_reg & last);

    assign take = alone_reg | lesser;

    // The state in the next cycle, for the clock rate a few LUTs after the registers. other_done[0]: queue 1 is done.
    wire [1:0] ends        = lesser & last;     // one of two runs ends
    wire [1:0] other_done  = {done_reg[0], done_reg[1]} & ~(alone_reg & last) | {ends[0], ends[1]};
    wire       none_done   = complete || (done_reg == 0 && ends == 0);
    wire       first       = first_reg ^ (complete && solo_reg);
    wire [1:0] of_first    = {first, !first} & {2{none_done}};
    wire [1:0] valid_next  = ~renew | next_valid;
    wire [1:0] second_next = renew & next_second | ~renew & second;
    // a first run has no partner: the other queue has none, or one of the next window
    wire [1:0] none        = {2{closed_reg}} & empty_next | valid_next & ~second_next;
    wire [1:0] missing     = valid_next & of_first & {none[0], none[1]};
    wire [1:0] done_next   = other_done | missing;

    always @(posedge clk) begin
        alone_reg <= valid_next & (other_done | of_first & {none[0], none[1]});
        both_reg  <= none_done && &valid_next && second_next != 0;
        done_reg  <= {done_next[0], done_next[1]};
        first_reg <= first;
        solo_reg  <= (solo_reg && !complete) || missing != 0;
        if (rst) begin
            alone_reg <= 2'b00;
            both_reg  <= 1'b0;
            done_reg  <= 2'b00;
            first_reg <= 1'b0;
            solo_reg  <= 1'b0;
        end
    end

    // The next pair of heads.
    localparam ORDER = DATA_W + 2;      // the key and `second`
    wire [2:0] less;

    generate
        for (i = 0; i < 3; i = i + 1) begin : gen_less
            // queue 0, queue 1 or both have a new head
            wire [KEY_W:0] a = i == 1 ? heads[ORDER +: KEY_W+1] : nexts[ORDER +: KEY_W+1];
            wire [KEY_W:0] b = i == 0 ? heads[ITEM_W+ORDER +: KEY_W+1] : nexts[ITEM_W+ORDER +: KEY_W+1];
            ws_less #(.KEY_W(KEY_W + 1)) order (.a(b), .b(a), .less(less[i]));
        end
    endgenerate

    // At least one head is new: of two valid ones one is taken.
    always @(posedge clk) less_reg <= renew == 2'b11 ? less[2] : renew[0] ? less[0] : less[1];

    // The output.
    wire [ITEM_W-1:0] item = take[1] ? heads[ITEM_W +: ITEM_W] : heads[0 +: ITEM_W];
    wire              unused = item[SECOND] ^ item[LAST];

    always @(posedge clk) begin
        m_valid <= |take && !rst;
        m_last  <= complete;
        m_end   <= complete && (item[END] || end_reg);
        m_key   <= item[ORDER+1 +: KEY_W];
        m_data  <= item[DATA_W-1:0];
        end_reg <= !complete && (end_reg || |take && item[END]) && !rst;
    end

`ifdef FORMAL
    // The rest of a record is {early, mark}, see ws_merge_rules. Runs are numbered as they arrive, modulo RUNS: `now`
    // is the first of those that leave, `in` the one that arrives. The arrays have what is known of each run: its
    // records, and how many records came before it, in all and to its queue, modulo 2**PLACE_W. Each assertion is about
    // one item or one run and what is next to it, so that all are inductive at once; for RUN up to 8, see
    // ws_merge_queue.
    localparam BOUND   = RUN + 4 + BLOCK;
    localparam RUNS    = 1 << TAG_W;
    localparam PLACE_W = $clog2(4*RUN + 8);
    localparam CAME_W  = BLOCK + 3;
    localparam SLOTS   = 4 + SPARE + (1 << ADDR_W);
    localparam KEY     = DATA_W + 3;

    wire [1:0]                 head_valid;
    wire [2*PLACE_W-1:0]       totals, gone;
    wire [2*CAME_W-1:0]        came;
    wire [2*ITEM_W-1:0]        firsts;
    wire [2*SLOTS-1:0]         live, timed, follows;
    wire [2*SLOTS*PLACE_W-1:0] places;
    wire [2*SLOTS*ITEM_W-1:0]  items, followers;

    (* anyconst *) wire [KEY_W-1:0] watched;
    wire [7:0]       in_records, out_records;
    wire [KEY_W-1:0] in_least, out_least;
    wire [1:0]       in_seen, out_seen;
    wire             in_end, in_early, out_end, out_early;

    ws_merge_rules #(.RUN(RUN), .KEY_W(KEY_W), .ASSUME(1)) in_rules (
        .clk(clk), .rst(rst), .watched(watched), .valid(s_valid), .last(s_last), .end_(s_end), .key(s_key),
        .mark(s_data[1:0]), .early(s_data[2]),
        .records(in_records), .least(in_least), .seen(in_seen), .was_end(in_end), .was_early(in_early)
    );
    ws_merge_rules #(.RUN(2*RUN), .KEY_W(KEY_W)) out_rules (
        .clk(clk), .rst(rst), .watched(watched), .valid(m_valid), .last(m_last), .end_(m_end), .key(m_key),
        .mark(m_data[1:0]), .early(m_data[2]),
        .records(out_records), .least(out_least), .seen(out_seen), .was_end(out_end), .was_early(out_early)
    );

    // what has left, with what is at the output
    wire [PLACE_W-1:0] left_records = !m_valid ? out_records : m_last ? 0 : out_records + 1'b1;
    wire [KEY_W-1:0]   left_key     = m_valid ? m_key : out_least;
    wire               left_end     = m_valid ? m_end : out_end;
    wire               left_early   = m_valid ? m_data[2] : out_early;
    wire [1:0]         left_seen    = out_seen | m_data[1:0] & {2{m_valid}};

    reg                past_valid = 1'b0;
    reg  [TAG_W-1:0]   now, in;
    reg  [RUNS-1:0]    second_ref, end_ref, early_ref;
    (* mem2reg *) reg [PLACE_W-1:0] length_ref [0:RUNS-1];
    (* mem2reg *) reg [PLACE_W-1:0] before_ref [0:RUNS-1];
    (* mem2reg *) reg [PLACE_W-1:0] place_ref  [0:RUNS-1];
    reg  [PLACE_W-1:0] total_ref, gone_ref, taken_0_ref, taken_1_ref;     // taken: of the runs that leave
    // where the watched records went
    reg  [1:0]         mark_side_ref;
    reg  [TAG_W-1:0]   mark_run_0_ref, mark_run_1_ref;
    reg  [PLACE_W-1:0] mark_0_ref, mark_1_ref;

    assign s_item[ITEM_W-1 -: TAG_W] = in;

    wire [PLACE_W-1:0] total_0  = totals[0 +: PLACE_W];
    wire [PLACE_W-1:0] total_1  = totals[PLACE_W +: PLACE_W];
    wire [PLACE_W-1:0] gone_0   = gone[0 +: PLACE_W];
    wire [PLACE_W-1:0] gone_1   = gone[PLACE_W +: PLACE_W];
    wire [PLACE_W-1:0] count_0  = total_0 - gone_0;
    wire [PLACE_W-1:0] count_1  = total_1 - gone_1;
    wire [PLACE_W-1:0] held     = total_ref - gone_ref;
    wire [CAME_W-1:0]  came_any = came[0 +: CAME_W] | came[CAME_W +: CAME_W];
    wire [PLACE_W-1:0] in_count = in_records;
    wire [TAG_W-1:0]   arrived  = in - now;                     // runs
    wire [TAG_W-1:0]   newest   = in - (in_records == 0);       // the run of the last record
    wire [TAG_W-1:0]   previous = newest - 1'b1;
    wire [TAG_W-1:0]   partner  = now + 1'b1;
    wire [TAG_W-1:0]   in_1     = in + 1'b1;
    wire [TAG_W-1:0]   in_2     = in + 2'd2;
    wire [1:0]         here     = in_seen & ~left_seen;         // watched records that are in a queue
    wire [PLACE_W-1:0] back_0   = (mark_side_ref[0] ? total_1 : total_0) - mark_0_ref;
    wire [PLACE_W-1:0] back_1   = (mark_side_ref[1] ? total_1 : total_0) - mark_1_ref;
    wire [TAG_W-1:0]   far_0    = mark_run_0_ref - now;
    wire [TAG_W-1:0]   far_1    = mark_run_1_ref - now;
    wire               first_done  = done_reg[first_reg];
    wire               second_done = done_reg[!first_reg] && !solo_reg;

    integer            q, n, m;
    reg                is_first, done_ref;
    reg  [TAG_W-1:0]   run, far, next;
    reg  [PLACE_W-1:0] place, offset, length, taken, count, age;
    reg  [ITEM_W-1:0]  one, other;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        now        <= now + (complete ? solo_reg ? 2'd1 : 2'd2 : 2'd0);
        in         <= in + (s_valid && s_last);
        total_ref  <= total_ref + s_valid;
        gone_ref   <= gone_ref + |take;
        if (s_valid) begin
            second_ref[in] <= second_reg;
            end_ref[in]    <= s_end;
            early_ref[in]  <= s_data[2];
            length_ref[in] <= in_count + 1'b1;
            if (s_last) begin
                before_ref[in_1] <= total_ref + 1'b1;
                place_ref[in_2]  <= (side_reg ? total_1 : total_0) + 1'b1;
            end
            if (s_data[0]) begin
                mark_side_ref[0] <= side_reg;
                mark_run_0_ref   <= in;
                mark_0_ref       <= side_reg ? total_1 : total_0;
            end
            if (s_data[1]) begin
                mark_side_ref[1] <= side_reg;
                mark_run_1_ref   <= in;
                mark_1_ref       <= side_reg ? total_1 : total_0;
            end
        end
        taken_0_ref <= complete ? 0 : taken_0_ref + take[0];
        taken_1_ref <= complete ? 0 : taken_1_ref + take[1];
        if (rst) begin
            {now, in, total_ref, gone_ref, taken_0_ref, taken_1_ref} <= 0;
            {before_ref[0], place_ref[0], place_ref[1]} <= 0;
        end

        if (!past_valid) assume (rst);
        else if (!rst) begin
            // the bound
            place = total_0 + total_1;
            assert (total_ref == place);
            place = gone_0 + gone_1;
            assert (gone_ref == place);
            place = before_ref[now] + left_records;
            assert (gone_ref == place);
            assert (held <= BOUND);
            if (!both_reg && alone_reg == 0) assert (held < BOUND);
            assert ((came[0 +: CAME_W] & came[CAME_W +: CAME_W]) == 0);

            // the watched records are in their order, and each leaves once
            assert ((left_seen & ~in_seen) == 0);
            assert (!here[0] || !left_seen[1]);
            if (here[0]) assert (mark_run_0_ref[0] == mark_side_ref[0] && far_0 <= arrived);
            if (here[1]) assert (mark_run_1_ref[0] == mark_side_ref[1] && far_1 <= arrived);
            if (here[0]) assert (back_0 != 0 && back_0 <= (mark_side_ref[0] ? count_1 : count_0));
            if (here[1]) assert (back_1 != 0 && back_1 <= (mark_side_ref[1] ? count_1 : count_0));
            if (here == 2'b11) assert (far_0 <= far_1 && (mark_side_ref[0] != mark_side_ref[1] || back_0 > back_1));

            // the runs
            assert (arrived <= BOUND + 1);
            assert (side_reg == in[0] && first_reg == now[0]);
            for (n = 0; n < RUNS; n = n + 1) begin
                far = n - now;
                if (far < arrived) begin
                    assert (length_ref[n] != 0 && length_ref[n] <= RUN);
                    place = before_ref[n] + length_ref[n];
                    assert (before_ref[(n+1)%RUNS] == place);
                    place = place_ref[n] + length_ref[n];
                    assert (place_ref[(n+2)%RUNS] == place);
                    place = total_ref - before_ref[n];
                    run   = in - n;
                    assert (place >= run && place >= length_ref[n]);
                    place = (n % 2 != 0 ? total_1 : total_0) - place_ref[n];
                    assert (place >= length_ref[n]);
                    far = far + 1'b1;
                    if (far != arrived || in_records != 0) begin
                        assert (second_ref[(n+1)%RUNS] == (!second_ref[n] && !end_ref[n]));
                        assert (early_ref[(n+1)%RUNS] == early_ref[n] || (early_ref[n] && end_ref[n]));
                    end else begin
                        assert (second_reg == (!second_ref[n] && !end_ref[n]));
                        assert (in_end == end_ref[n] && in_early == early_ref[n]);
                    end
                end
            end
            place = before_ref[in] + in_count;
            assert (total_ref == place);
            place = place_ref[in] + in_count;
            assert ((side_reg ? total_1 : total_0) == place);
            assert ((side_reg ? total_0 : total_1) == place_ref[in_1]);
            if (in_records != 0)
                assert (second_ref[in] == second_reg && early_ref[in] == in_early && length_ref[in] == in_count);
            if (arrived != 0 || in_records != 0) assert (!second_ref[now]);
            if (arrived == 0) assert (!second_reg);

            // the ends of windows
            assert (!end_of_window_reg || (in_end && in_records == 0));
            if (!came_any[0]) assert (closed_reg == end_of_window_reg);
            if (closed_reg && came_any[0]) begin
                assert (length_ref[newest] == 1 && !second_ref[newest]);
                assert (newest == now || end_ref[previous]);
            end

            // and what has ended leaves without a pause
            if (end_of_window_reg && came_any == 0 && held != 0) assert (take != 0);

            // the merge
            assert (!solo_reg || (done_reg == {!first_reg, first_reg} && arrived != 0 && end_ref[now]));
            assert (done_reg != 2'b11);
            if (first_done) assert (arrived != 0 && !end_ref[now]);
            if (second_done) assert (arrived > 1 && second_ref[partner] && !end_ref[now]);
            assert (end_reg == (second_done && end_ref[partner]));
            assert (alone_reg == (head_valid & ~done_reg & {done_reg[0], done_reg[1]}));
            assert (both_reg == (&head_valid && done_reg == 0));
            if (both_reg) assert (second == {!first_reg, first_reg});
            if (both_reg) assert (less_reg == ({heads[ITEM_W+ORDER +: KEY_W+1]} < {heads[ORDER +: KEY_W+1]}));
            place = taken_0_ref + taken_1_ref;
            assert (left_records == place);
            if (left_records != 0) begin
                assert (left_early == early_ref[now] && !left_end && arrived != 0);
                assert (solo_reg || arrived > 1 || in_records != 0);
            end else if (arrived != 0 || in_records != 0)
                assert (left_early == early_ref[now] || (left_early && left_end));
            else assert (left_early == in_early && left_end == in_end);

            // the queues
            for (q = 0; q < 2; q = q + 1) begin
                is_first = first_reg == q;
                taken    = q == 0 ? taken_0_ref : taken_1_ref;
                count    = q == 0 ? count_0 : count_1;
                done_ref = is_first ? first_done : second_done;
                assert (taken <= RUN);
                if (!is_first && taken != 0) assert (!solo_reg && !end_ref[now]);
                if (!is_first && solo_reg) assert (done_reg[q]);

                // the first item
                run   = now + !is_first + {done_ref, 1'b0};
                far   = run - now;
                one   = firsts[q*ITEM_W +: ITEM_W];
                if (done_ref) begin
                    assert (taken == length_ref[is_first ? now : partner]);
                    taken = 0;
                end
                place = place_ref[run] + taken;
                assert (place == (q == 0 ? gone_0 : gone_1));
                assert (far == arrived + 1'b1 ? taken == 0 : far <= arrived);
                if (far == arrived) assert (taken <= in_records);
                if (far < arrived)  assert (taken < length_ref[run]);
                length = taken + 1'b1;
                age    = total_ref - before_ref[run] - taken;
                if (count != 0) begin
                    assert (one[ITEM_W-1 -: TAG_W] == run);
                    assert (one[LAST] == (run != in && length == length_ref[run]));
                    if (!head_valid[q]) assert (age < BLOCK + 4);
                end
                if (left_records != 0 && !done_reg[q] && (count != 0 || taken != 0))
                    assert (left_key <= (count == 0 ? in_least : one[KEY +: KEY_W]));

                for (n = 0; n < SLOTS; n = n + 1) begin
                    one    = items[(q*SLOTS+n)*ITEM_W +: ITEM_W];
                    other  = followers[(q*SLOTS+n)*ITEM_W +: ITEM_W];
                    place  = places[(q*SLOTS+n)*PLACE_W +: PLACE_W];
                    run    = one[ITEM_W-1 -: TAG_W];
                    next   = other[ITEM_W-1 -: TAG_W] - run;
                    far    = run - now;
                    offset = place - place_ref[run];
                    length = length_ref[run] - offset;
                    if (live[q*SLOTS+n]) begin
                        assert (run[0] == q && far <= arrived);
                        assert (offset < length_ref[run] && one[LAST] == (run != in && length == 1));
                        if (run == in) assert (in_records != 0 && one[KEY +: KEY_W] <= in_least);
                        assert (one[SECOND] == second_ref[run] && one[2] == early_ref[run]);
                        assert (one[END] == (one[LAST] && end_ref[run]));
                        // the next item
                        if (follows[q*SLOTS+n]) begin
                            assert (next == {one[LAST], 1'b0});
                            assert (one[LAST] || other[KEY +: KEY_W] >= one[KEY +: KEY_W]);
                        end else begin
                            next  = in - run;
                            assert (next == (side_reg != q ? 1 : in_records != 0 ? 0 : 2));
                            if (run == in) assert (one[KEY +: KEY_W] == in_least);
                        end
                        // the watched records
                        assert (one[0] == (here[0] && mark_side_ref[0] == q && mark_0_ref == place));
                        assert (one[1] == (here[1] && mark_side_ref[1] == q && mark_1_ref == place));
                        if (one[0]) assert (run == mark_run_0_ref && one[KEY +: KEY_W] == watched);
                        if (one[1]) assert (run == mark_run_1_ref && one[KEY +: KEY_W] == watched);
                        length = (q == 0 ? total_0 : total_1) - place;
                        if (here[0] && run == mark_run_0_ref && length >= back_0) assert (one[KEY +: KEY_W] <= watched);
                    end
                    if (timed[q*SLOTS+n]) begin
                        age = 0;
                        for (m = 0; m < CAME_W; m = m + 1)
                            if (m <= (n == 1 ? BLOCK + 2 : n == SPARE + 2 ? BLOCK + 1 : 0)) age = age + came_any[m];
                        place = before_ref[run] + offset + age;
                        assert (place == total_ref);
                    end
                end
            end
            cover (m_valid && m_data[1] && $past(m_valid && m_data[0]));
            cover (held == BOUND);
            cover (m_valid && m_end && !m_data[2] && left_records == 0 && out_records == 2*RUN - 1);
        end
    end
`endif

endmodule

`default_nettype wire
