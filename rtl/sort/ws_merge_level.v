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
// Overflow     cannot happen: the level never holds more than RUN + 6 records, for which both queues have room
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
    localparam ITEM_W = KEY_W + DATA_W + 3;

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
    wire [1:0]          next_valid, take, renew, empty_next;
    wire [2*ITEM_W-1:0] heads, nexts;

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_queue
            ws_merge_queue #(
                .DATA_W(ITEM_W), .ADDR_W(ADDR_W), .OUTPUT_REG(BLOCK), .SPARE(SPARE),
                .STYLE(BLOCK ? "block" : "distributed")
            ) queue (
                .clk(clk), .rst(rst),
                .s_valid(s_valid && side_reg == i), .s_data({s_key, second_reg, s_last, s_end, s_data}),
                .head(heads[i*ITEM_W +: ITEM_W]),
                .next_valid(next_valid[i]), .next(nexts[i*ITEM_W +: ITEM_W]),
                .take(take[i]), .renew(renew[i]), .empty_next(empty_next[i])
`ifdef FORMAL
                , .head_valid(head_valid[i]), .items_count(counts[i*COUNT_W +: COUNT_W]),
                .items(items[i*N*ITEM_W +: N*ITEM_W])
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
        m_key   <= item[ITEM_W-1 -: KEY_W];
        m_data  <= item[DATA_W-1:0];
        end_reg <= !complete && (end_reg || |take && item[END]) && !rst;
    end

`ifdef FORMAL
    // The rest of a record is {early, mark}, see ws_merge_rules. Runs are numbered as they arrive; the first one of
    // those that leave now is `now_ref`, the one that arrives is `in_ref`. The arrays have what is known of each run.
    // q is a queue, n a place in it; the record there has the tag {place in its run, number of its run}.
    localparam N       = 2 << ADDR_W;
    localparam COUNT_W = ADDR_W + 3;
    localparam BOUND   = RUN + 6;

    wire [1:0]            head_valid;
    wire [2*COUNT_W-1:0]  counts;
    wire [2*N*ITEM_W-1:0] items;
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
    wire [7:0]       left_records = !m_valid ? out_records : m_last ? 8'd0 : out_records + 8'd1;
    wire [KEY_W-1:0] left_key     = m_valid ? m_key : out_least;
    wire             left_end     = m_valid ? m_end : out_end;
    wire             left_early   = m_valid ? m_data[2] : out_early;
    wire [1:0]       left_seen    = out_seen | m_data[1:0] & {2{m_valid}};

    reg         past_valid = 1'b0;
    reg  [4:0]  now_ref, in_ref;
    reg  [31:0] second_ref, end_ref, early_ref;
    reg  [7:0]  taken_0_ref, taken_1_ref;   // of the runs that leave
    reg  [2*N*8-1:0] tags_ref;
    wire [4:0]  arrived = in_ref - now_ref;
    wire [4:0]  next_1  = now_ref + 5'd1;
    wire [COUNT_W-1:0] count_0 = counts[0 +: COUNT_W];
    wire [COUNT_W-1:0] count_1 = counts[COUNT_W +: COUNT_W];
    wire [COUNT_W:0]   held    = count_0 + count_1;

    integer            q, n;
    reg  [COUNT_W-1:0] count;
    reg  [ITEM_W-1:0]  one, other;
    reg  [7:0]         taken, tag, other_tag;
    reg  [4:0]         head;
    reg                is_first, tail_first;
    reg  [1:0]         marks_ref, doubled_ref;
    reg  [4:0]         number_a, number_b, after;
    reg  [COUNT_W-1:0] place_a, place_b;

    // where the watched records are
    always @* begin
        {marks_ref, doubled_ref, number_a, number_b, place_a, place_b} = 0;
        for (q = 0; q < 2; q = q + 1)
            for (n = 0; n < BOUND; n = n + 1) begin
                one = items[(q*N+n)*ITEM_W +: ITEM_W];
                tag = tags_ref[(q*N+n)*8 +: 8];
                if (n < counts[q*COUNT_W +: COUNT_W]) begin
                    doubled_ref = doubled_ref | marks_ref & one[1:0];
                    marks_ref   = marks_ref | one[1:0];
                    if (one[0]) {number_a, place_a} = {tag[4:0] - now_ref, n[COUNT_W-1:0]};
                    if (one[1]) {number_b, place_b} = {tag[4:0] - now_ref, n[COUNT_W-1:0]};
                end
            end
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        now_ref    <= now_ref + (complete ? solo_reg ? 5'd1 : 5'd2 : 5'd0);
        in_ref     <= in_ref + (s_valid && s_last);
        if (s_valid) begin
            second_ref[in_ref] <= second_reg;
            end_ref[in_ref]    <= s_end;
            early_ref[in_ref]  <= s_data[2];
        end
        taken_0_ref <= complete ? 8'd0 : taken_0_ref + take[0];
        taken_1_ref <= complete ? 8'd0 : taken_1_ref + take[1];
        for (q = 0; q < 2; q = q + 1)
            for (n = 0; n < N; n = n + 1)
                if (s_valid && side_reg == q && n == counts[q*COUNT_W +: COUNT_W] - take[q])
                    tags_ref[(q*N+n)*8 +: 8] <= {in_records[2:0], in_ref};
                else if (take[q] && n < N - 1) tags_ref[(q*N+n)*8 +: 8] <= tags_ref[(q*N+n+1)*8 +: 8];
        if (rst) begin
            now_ref     <= 5'd0;
            in_ref      <= 5'd0;
            taken_0_ref <= 8'd0;
            taken_1_ref <= 8'd0;
        end

        if (!past_valid) assume (rst);
        else if (!rst) begin
            // the bound, and that every record leaves once
            assert (held <= BOUND);
            assert (doubled_ref == 0 && (marks_ref & left_seen) == 0 && in_seen == (marks_ref | left_seen));
            // the watched records are in their order
            if (marks_ref == 2'b11) assert (number_a < number_b || (number_a == number_b && place_a < place_b));
            if (marks_ref[0]) assert (!left_seen[1]);

            // the runs
            assert (arrived <= BOUND + 1);
            assert (side_reg == in_ref[0] && first_reg == now_ref[0]);
            assert (end_of_window_reg == (in_end && in_records == 0) || !end_of_window_reg);
            for (n = 0; n < 32; n = n + 1) begin
                after = n - now_ref;
                if (after < arrived && (after + 5'd1 != arrived || in_records != 0)) begin
                    assert (second_ref[(n+1)%32] == (!second_ref[n] && !end_ref[n]));
                    assert (early_ref[(n+1)%32] == early_ref[n] || (early_ref[n] && end_ref[n]));
                end
                if (after < arrived && after + 5'd1 == arrived && in_records == 0) begin
                    assert (second_reg == (!second_ref[n] && !end_ref[n]));
                    assert (end_of_window_reg == end_ref[n] && in_end == end_ref[n] && in_early == early_ref[n]);
                end
            end
            if (in_records != 0)
                assert (second_ref[in_ref] == second_reg && !end_of_window_reg && early_ref[in_ref] == in_early);
            if (arrived != 0 || in_records != 0) assert (!second_ref[now_ref]);
            if (arrived == 0) assert (!second_reg);

            // the merge
            assert (!solo_reg || (done_reg == {!first_reg, first_reg} && arrived != 0 && end_ref[now_ref]));
            assert (done_reg != 2'b11);
            if (done_reg[first_reg]) assert (arrived != 0 && !end_ref[now_ref]);
            if (done_reg[!first_reg] && !solo_reg)
                assert (arrived > 1 && second_ref[next_1] && !end_ref[now_ref]);
            assert (end_reg == (done_reg[!first_reg] && !solo_reg && end_ref[next_1]));
            assert (alone_reg == (head_valid & ~done_reg & {done_reg[0], done_reg[1]}));
            assert (both_reg == (&head_valid && done_reg == 0));
            if (both_reg) assert (second == {!first_reg, first_reg});
            if (both_reg) assert (less_reg == ({heads[ITEM_W+ORDER +: KEY_W+1]} < {heads[ORDER +: KEY_W+1]}));
            assert (left_records == taken_0_ref + taken_1_ref);
            if (left_records != 0) assert (left_early == early_ref[now_ref] && !left_end && arrived != 0);
            else if (arrived != 0 || in_records != 0)
                assert (left_early == early_ref[now_ref] || (left_early && left_end));
            else assert (left_early == in_early && left_end == in_end);

            // the queues
            for (q = 0; q < 2; q = q + 1) begin
                count      = counts[q*COUNT_W +: COUNT_W];
                is_first   = first_reg == q;
                tail_first = side_reg == q;     // the run that arrives goes here
                taken      = q == 0 ? taken_0_ref : taken_1_ref;
                head       = now_ref + (is_first ? 5'd0 : 5'd1)
                             + (done_reg[q] && !(solo_reg && !is_first) ? 5'd2 : 5'd0);
                one        = items[q*N*ITEM_W +: ITEM_W];
                tag        = tags_ref[q*N*8 +: 8];
                assert (taken <= RUN);
                if (!is_first && taken != 0) assert (!solo_reg && arrived != 0 && !end_ref[now_ref]);
                if (count == 0) begin
                    assert (in_ref == head ? in_records == (done_reg[q] ? 8'd0 : taken) : in_ref + 5'd1 == head);
                    if (!done_reg[q]) assert (taken == 0 || (in_ref == head && left_key <= in_least));
                    if (is_first && !done_reg[q]) assert (taken == 0);
                    if (!done_reg[q] && taken == 0) assert (left_records == 0);
                end else begin
                    assert (tag[4:0] == head);
                    assert (tag[7:5] == (done_reg[q] ? 3'd0 : taken[2:0]));
                    if (left_records != 0 && !done_reg[q]) assert (one[ITEM_W-1 -: KEY_W] >= left_key);
                end
                if (!done_reg[q] && solo_reg && !is_first) assert (0);
                for (n = 0; n < BOUND; n = n + 1) begin
                    one       = items[(q*N+n)*ITEM_W +: ITEM_W];
                    other     = items[(q*N+n+1)*ITEM_W +: ITEM_W];
                    tag       = tags_ref[(q*N+n)*8 +: 8];
                    other_tag = tags_ref[(q*N+n+1)*8 +: 8];
                    if (n < count) begin
                        after = tag[4:0] - now_ref;
                        assert (tag[0] == q && after <= arrived);
                        assert (one[SECOND] == second_ref[tag[4:0]] && one[2] == early_ref[tag[4:0]]);
                        assert (one[END] == (one[LAST] && end_ref[tag[4:0]]));
                        assert (one[1:0] == 0 || one[ITEM_W-1 -: KEY_W] == watched);
                        assert (tag[7:5] < RUN);
                    end
                    if (n + 1 < count) begin
                        if (one[LAST]) begin
                            assert (other_tag[4:0] == tag[4:0] + 5'd2 && other_tag[7:5] == 0);
                        end else begin
                            assert (other_tag[4:0] == tag[4:0] && other_tag[7:5] == tag[7:5] + 1);
                            assert (other[ITEM_W-1 -: KEY_W] >= one[ITEM_W-1 -: KEY_W]);
                        end
                    end
                    if (n + 1 == count) begin
                        assert (one[LAST] == !(tail_first && in_records != 0));
                        if (one[LAST]) assert (tag[4:0] == in_ref - (tail_first ? 5'd2 : 5'd1));
                        else assert (tag[4:0] == in_ref && tag[7:5] == in_records - 1
                                     && one[ITEM_W-1 -: KEY_W] == in_least);
                    end
                end
            end
            cover (m_valid && m_data[1] && $past(m_valid && m_data[0]));
            cover (held == RUN + 4);
            cover (m_valid && m_end && !m_data[2] && left_records == 0 && out_records == 2*RUN - 1);
        end
    end
`endif

endmodule

`default_nettype wire
