// SPDX-License-Identifier: Apache-2.0
//
// ws_aggregate: the aggregate of a column over the sub-stream that eos ends.
//
// The row leaves with eos: m_data is s_data of that cycle (so the windowing attribute of a punctuation that ends the
// sub-stream is passed on), `result` the aggregate. A tuple in the cycle of eos still belongs to the sub-stream, a
// tuple in the next cycle to the next. A sub-stream without tuples gives no row; one with only nulls gives a null row.
// A punctuation that comes with eos follows the row by one cycle, with the same m_data; any other punctuation passes.
//
// The accumulator is the register of the result, so that there is no REGISTERED = 0, which would save nothing. With
// FAST, a sum is added in FAST parts of its bits, each a cycle after the part below it, and is output one cycle after
// the last; the least or greatest value is selected a cycle after the comparison. In a cycle without a row or a
// punctuation all outputs are then 0, so that a ws_multiplex downstream needs no selection.
//
// Parameters   DATA_W      width of the tuple in bits, at least 1
//              KIND, VALUE_W, SIGNED, RESULT_W  see ws_fold
//              ACC_W       width inside in bits, at least VALUE_W; see ws_fold
//              EMIT_EMPTY  1: a sub-stream without tuples gives a row too (count 0, else null)
//              FAST        stages more, for a higher clock, 0 to ACC_W; 0, 1 for MIN, MAX, AMN and AMX, 2 to ACC_W for
//                          CNT and SUM; parts of 32 bits are for 200 MHz on an ECP5
// Ports        value, null: the column, in step with s_data; count(*) ties null to 0. Null values are skipped
//              result, result_null, result_overflow: in step with m_valid
// Latency      1 + FAST cycles from eos to the row
// Issue rate   1 tuple a cycle; eos in successive cycles is possible
// CLOSE_CYCLES 2    CLOSE_ROWS 1: in the cycle after a punctuation with eos there must be neither
// Overflow     result_overflow: the exact result does not fit RESULT_W bits (or a sum has exceeded ACC_W bits at some
//              point); the lowest RESULT_W bits are output
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6

`default_nettype none

module ws_aggregate #(
    parameter        DATA_W     = 32,
    parameter [23:0] KIND       = "SUM",
    parameter        VALUE_W    = 32,
    parameter        SIGNED     = 1,
    parameter        ACC_W      = 64,
    parameter        RESULT_W   = 64,
    parameter        EMIT_EMPTY = 0,
    parameter        FAST       = 0
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_valid,
    input  wire                s_punct,
    input  wire                s_eos,
    input  wire [DATA_W-1:0]   s_data,
    input  wire [VALUE_W-1:0]  value,
    input  wire                null,

    output wire                m_valid,
    output wire                m_punct,
    output wire                m_eos,
    output wire [DATA_W-1:0]   m_data,
    output reg  [RESULT_W-1:0] result,
    output reg                 result_null,
    output reg                 result_overflow
);

    initial if (EMIT_EMPTY != 0 && EMIT_EMPTY != 1) begin
        $display("ERROR: %m: EMIT_EMPTY = %0d (0 or 1)", EMIT_EMPTY);
        $finish;
    end

    localparam IS_COUNT  = KIND == "CNT";
    localparam ADDS      = IS_COUNT || KIND == "SUM";
    localparam IS_PAIR   = KIND == "AMN" || KIND == "AMX";
    localparam COMPARES  = IS_PAIR || KIND == "MIN" || KIND == "MAX";
    localparam IS_SIGNED = SIGNED != 0 && !IS_COUNT;

    initial if (FAST != 0 && (ADDS ? FAST < 2 || FAST > ACC_W : FAST != 1 || !COMPARES)) begin
        $display("ERROR: %m: FAST = %0d, must be 0, 1 for MIN, MAX, AMN and AMX, or 2 to ACC_W = %0d for CNT and SUM",
                 FAST, ACC_W);
        $finish;
    end

    // ---- When a row leaves

    reg                some_reg;    // the sub-stream has a tuple
    reg                fresh_reg;   // the sub-stream has just ended: the next begins
    reg                behind_reg;  // a punctuation follows the row that leaves
    reg                valid_reg, punct_reg, eos_reg;
    reg  [DATA_W-1:0]  data_reg;
    wire               some = s_valid || (some_reg && !fresh_reg);
    wire               take = s_valid && !null;

    always @(posedge clk) begin
        some_reg   <= some;
        fresh_reg  <= s_eos || rst;
        behind_reg <= s_punct && s_eos && !rst;
        valid_reg  <= s_eos && (some || EMIT_EMPTY != 0) && !rst;
        punct_reg  <= ((s_punct && !s_eos) || behind_reg) && !rst;
        eos_reg    <= s_eos && !rst;
        if (!behind_reg) data_reg <= s_data;
    end

    // The row waits for its result; `row` leaves in the next cycle.
    wire              row_valid, row_punct, row_eos;
    wire [DATA_W-1:0] row_data;
    wire              none = FAST != 0 && !valid_reg && !punct_reg && !eos_reg;

    ws_delay #(.DATA_W(DATA_W), .N(FAST != 0 ? FAST - 1 : 0)) row (
        .clk(clk), .rst(rst),
        .s_valid(valid_reg), .s_punct(punct_reg), .s_eos(eos_reg), .s_data(none ? {DATA_W{1'b0}} : data_reg),
        .m_valid(row_valid), .m_punct(row_punct), .m_eos(row_eos), .m_data(row_data)
    );

    ws_delay #(.DATA_W(DATA_W), .N(FAST != 0 ? 1 : 0)) out (
        .clk(clk), .rst(rst),
        .s_valid(row_valid), .s_punct(row_punct), .s_eos(row_eos), .s_data(row_data),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(m_data)
    );

    // The inverse of row_eos, which clears all bits of the result: a register, because of its fan-out.
    localparam ENDS = FAST > 2 ? FAST - 1 : 1;
    reg  [ENDS-1:0] ends_reg;
    wire [ENDS:0]   ends        = {ends_reg, s_eos};     // bit n: a sub-stream ended n cycles ago
    wire            unused_ends = &{1'b0, ends};
    reg             silent_reg;

    always @(posedge clk) begin
        ends_reg   <= rst ? {ENDS{1'b0}} : ends[ENDS-1:0];
        silent_reg <= FAST != 0 && (rst || !ends[FAST != 0 ? FAST - 1 : 0]);
    end

    // ---- The state

    wire [RESULT_W-1:0] next_result;
    wire                next_null, next_overflow;

    always @(posedge clk) begin
        result          <= silent_reg ? {RESULT_W{1'b0}} : next_result;
        result_null     <= !silent_reg && next_null;
        result_overflow <= !silent_reg && next_overflow;
    end

    generate
        if (FAST == 0) begin : gen_at_once
            reg  [ACC_W+1:0] state_reg;   // its number is the result, in the row too
            wire [ACC_W+1:0] next;

            always @(posedge clk) state_reg <= next;

            ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNED), .ACC_W(ACC_W), .RESULT_W(RESULT_W)) fold (
                .state(state_reg), .fresh(fresh_reg), .take(take), .value(value),
                .next(next), .result(next_result), .null(next_null), .overflow(next_overflow)
            );
        end else begin : gen_fast
            wire [ACC_W-1:0] number;
            wire             seen, left;    // there was a value; a sum has overflowed

            if (ADDS) begin : gen_sum
                localparam TOP = FAST - 1;    // the uppermost part, of 0 to TOP
                wire [ACC_W:0] term;          // with one more sign bit, which shows that a sum overflows
                wire [ACC_W:0] taken_term;    // for the parts above the lowest
                if (IS_COUNT) begin : gen_one
                    wire unused_value = &{1'b0, value};
                    assign term       = {{ACC_W{1'b0}}, 1'b1};
                    assign taken_term = {(ACC_W+1){1'b0}};
                end else begin : gen_value
                    assign term       = {{(ACC_W+1-VALUE_W){IS_SIGNED && value[VALUE_W-1]}}, value};
                    assign taken_term = take ? term : {(ACC_W+1){1'b0}};
                end

                // The flags that accompany a tuple, and the end of its sub-stream, to the parts and to the result.
                reg  [FAST:1] ended_reg, taken_reg;
                wire [FAST:0] ended = {ended_reg, fresh_reg};    // bit p: with the tuple that is in part p + 1
                wire [FAST:0] taken = {taken_reg, take};         // bit p: with the one that is in part p

                always @(posedge clk) begin
                    ended_reg <= ended[FAST-1:0];
                    taken_reg <= taken[FAST-1:0];
                end

                // Part 0. Whether the value counts, or a sub-stream begins, is not on the carry path:
                // acc_low_reg is 0 in time, while low_reg is the state of the sub-stream. A carry counts where it
                // meets `take`, a bit further up, so that no logic follows the chain either.
                localparam LOW = ACC_W/FAST;
                reg  [LOW-1:0] acc_low_reg, low_reg;
                reg            carry_reg;
                wire [LOW+1:0] low = {1'b0, take, acc_low_reg} + {2'b00, term[LOW-1:0]};
                wire           unused_low = &{1'b0, low[LOW]};
                wire [TOP:0]   carry;     // bit p: of part p, a cycle later; of the uppermost, the sign

                always @(posedge clk) begin
                    if (s_eos || rst) acc_low_reg <= {LOW{1'b0}};
                    else if (take) acc_low_reg <= low[LOW-1:0];
                    if (take) low_reg <= low[LOW-1:0];
                    else if (fresh_reg) low_reg <= {LOW{1'b0}};
                    carry_reg <= low[LOW+1];
                end

                assign carry[0] = carry_reg;

                // The parts above. The carry, which may come from far away, enters at the lowest bit of a chain that is
                // a bit longer, and the carry out goes to a single register next to it.
                wire [FAST*ACC_W-1:0] sums;    // the sum of the parts up to part p, from bit p*ACC_W

                assign sums[ACC_W-1:0] = {{(ACC_W-LOW){1'b0}}, low_reg};

                genvar p;
                for (p = 1; p <= TOP; p = p + 1) begin : gen_part
                    localparam LAST = p == TOP, FROM = p*ACC_W/FAST, W = (p+1)*ACC_W/FAST - FROM;
                    localparam TERM_W = W + (LAST ? 1 : 0);    // with the sign
                    reg  [p*TERM_W-1:0]     terms_reg;         // the oldest is for this cycle
                    reg  [W-1:0]            sum_reg;
                    reg  [ACC_W-1:0]        below_reg;
                    reg                     carry_out_reg;
                    wire [(p+1)*TERM_W-1:0] terms = {terms_reg, taken_term[FROM +: TERM_W]};
                    wire [TERM_W-1:0]       more  = terms[p*TERM_W +: TERM_W];
                    wire [W-1:0]            acc   = ended[p] ? {W{1'b0}} : sum_reg;
                    wire [W+1:0]            total = {LAST && IS_SIGNED && acc[W-1], acc, 1'b1}
                                                  + {LAST && more[TERM_W-1], more[W-1:0], carry[p-1]};
                    wire                    unused = &{1'b0, total[0]};

                    always @(posedge clk) begin
                        terms_reg     <= terms[p*TERM_W-1:0];
                        sum_reg       <= total[W:1];
                        carry_out_reg <= total[W+1];
                        below_reg     <= sums[(p-1)*ACC_W +: ACC_W];
                    end

                    assign carry[p] = carry_out_reg;
                    assign sums[p*ACC_W +: ACC_W] = below_reg | {{(ACC_W-W){1'b0}}, sum_reg} << FROM;
                end

                // The sign bits show whether the sum has overflowed.
                reg left_reg, seen_reg;

                assign number = sums[TOP*ACC_W +: ACC_W];
                assign left   = left_reg || carry[TOP] != (IS_SIGNED && number[ACC_W-1]);
                assign seen   = seen_reg || taken[FAST];

                always @(posedge clk) begin
                    left_reg <= left && !ended[TOP];
                    seen_reg <= seen && !ended[TOP];
                end
            end else begin : gen_order
                reg  [VALUE_W-1:0] best_reg, value_reg;
                reg                seen_reg, first_reg, beats_best_reg, beats_value_reg, replaced_reg;

                // Stage 1: compare with the best so far, and with the previous value, which may be about to replace it.
                // MAX accepts an equal value too, so that it compares as MIN does and they share the comparison. AMX,
                // which does not, compares inverted values.
                localparam [VALUE_W-1:0] SIGN     = {VALUE_W{IS_SIGNED}} << (VALUE_W - 1);
                localparam [VALUE_W-1:0] TURN     = SIGN ^ {VALUE_W{KIND == "AMX"}};
                localparam [VALUE_W-1:0] COMPARED = {VALUE_W{1'b1}} << (IS_PAIR ? VALUE_W/2 : 0);
                wire [VALUE_W-1:0] order       = (value ^ TURN) & COMPARED;
                wire               before      = seen_reg && !fresh_reg;
                wire               below_best  = order < ((best_reg ^ TURN) & COMPARED);
                wire               below_value = order < ((value_reg ^ TURN) & COMPARED);

                always @(posedge clk) begin
                    value_reg       <= value;
                    seen_reg        <= before || take;
                    first_reg       <= take && !before;
                    beats_best_reg  <= take && below_best == (KIND != "MAX");
                    beats_value_reg <= take && below_value == (KIND != "MAX");
                end

                // Stage 2: choose
                wire               replace = first_reg || (replaced_reg ? beats_value_reg : beats_best_reg);
                wire [VALUE_W-1:0] best    = replace ? value_reg : best_reg;
                wire [ACC_W:0]     wide    = {{(ACC_W+1-VALUE_W){IS_SIGNED && best[VALUE_W-1]}}, best};
                wire               unused  = &{1'b0, wide[ACC_W]};

                always @(posedge clk) begin
                    replaced_reg <= replace;
                    best_reg     <= best;
                end

                assign seen   = seen_reg;
                assign left   = 1'b0;
                assign number = wide[ACC_W-1:0];
            end

            // A sum is 0 until there is a value, so that it need not be cleared.
            wire [ACC_W+1:0] unused_next;
            wire             unused_null;
            wire             unused_told = &{1'b0, unused_next, unused_null};

            ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNED), .ACC_W(ACC_W), .RESULT_W(RESULT_W)) tell (
                .state({left, ADDS || seen, number}), .fresh(1'b0), .take(1'b0), .value({VALUE_W{1'b0}}),
                .next(unused_next), .result(next_result), .null(unused_null), .overflow(next_overflow)
            );

            assign next_null = !IS_COUNT && !seen;
        end
    endgenerate

`ifdef FORMAL
    // The sub-stream's values as a set, and their number, sum, first, last, best pair and XOR in integers. A sum that
    // has overflowed the accumulator is not compared any further.
    localparam integer VALUES = 1 << VALUE_W,  LEAST = SIGNED != 0 ? -VALUES/2 : 0;
    localparam integer ACC_LEAST    = IS_SIGNED ? -(1 << ACC_W)/2 : 0,    ACC_END    = ACC_LEAST + (1 << ACC_W);
    localparam integer RESULT_LEAST = IS_SIGNED ? -(1 << RESULT_W)/2 : 0, RESULT_END = RESULT_LEAST + (1 << RESULT_W);

    reg              past_valid = 1'b0;
    reg              fresh_ref, tuples_ref, left_ref, row_ref, due_ref;
    reg [VALUES-1:0] set_ref;
    reg [DATA_W-1:0] data_ref;
    integer          sum_ref, first_ref, last_ref, pair_ref, mixed_ref, exact_ref;
    genvar           q;
    // The same n cycles ago, from bit n*REF_W: a row shows the state FAST cycles ago.
    localparam REF_W = VALUES + 33;
    reg  [(FAST+1)*REF_W-1:0] refs_reg;
    wire [(FAST+2)*REF_W-1:0] refs = {refs_reg, left_ref, set_ref, exact_ref};
    reg  [FAST+1:0]           past_reg = 0, resets_reg;
    wire [FAST+2:0]           past = {past_reg, past_valid}, resets = {resets_reg, rst};
    wire                      told_left;
    wire [VALUES-1:0]         told_set;
    wire signed [31:0]        told_exact;
    assign {told_left, told_set, told_exact} = refs[FAST*REF_W +: REF_W];
    // The same, this cycle included.
    reg              tuples, left;
    reg [VALUES-1:0] set;
    integer          v, sum, first, last, pair, mixed, exact, i;
    wire             some_value = s_valid && !null;

    always @* begin
        v      = value >= LEAST + VALUES ? value - VALUES : value;
        set    = fresh_ref ? {VALUES{1'b0}} : set_ref;
        first  = set == 0 ? v : first_ref;
        last   = some_value ? v : last_ref;
        pair   = set == 0 ? v : pair_ref;
        if (some_value && (KIND == "AMN" ? v >>> VALUE_W/2 < pair >>> VALUE_W/2 : v >>> VALUE_W/2 > pair >>> VALUE_W/2))
            pair = v;
        sum    = fresh_ref ? 0 : sum_ref;
        mixed  = set == 0 ? 0 : mixed_ref;
        if (some_value) begin
            set[value] = 1'b1;
            sum        = KIND == "CNT" ? sum + 1 : sum + v;
            mixed      = mixed ^ v;
        end
        exact  = KIND == "FST" ? first : KIND == "LST" ? last : IS_PAIR ? pair : sum;
        if (KIND == "MIN") for (i = LEAST + VALUES - 1; i >= LEAST; i = i - 1) if (set[i & (VALUES-1)]) exact = i;
        if (KIND == "MAX") for (i = LEAST; i < LEAST + VALUES; i = i + 1)      if (set[i & (VALUES-1)]) exact = i;
        if (KIND == "BOR") begin
            exact = 0;
            for (i = LEAST; i < LEAST + VALUES; i = i + 1) if (set[i & (VALUES-1)]) exact = exact | i;
        end
        if (KIND == "XOR") exact = mixed;
        if (set == 0) exact = 0;
        tuples = s_valid || (tuples_ref && !fresh_ref);
        left   = (left_ref && !fresh_ref) || exact < ACC_LEAST || exact >= ACC_END;
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        fresh_ref  <= rst || s_eos;
        set_ref    <= set;
        sum_ref    <= left ? 0 : sum;
        first_ref  <= first;
        last_ref   <= last;
        pair_ref   <= pair;
        mixed_ref  <= mixed;
        exact_ref  <= exact;
        left_ref   <= left;
        tuples_ref <= tuples;
        row_ref    <= !rst && s_eos && (tuples || EMIT_EMPTY != 0);
        due_ref    <= !rst && s_eos && s_punct;
        data_ref   <= s_data;
        refs_reg   <= refs[(FAST+1)*REF_W-1:0];
        past_reg   <= past[FAST+1:0];
        resets_reg <= resets[FAST+1:0];

        if (!past_valid) assume (rst);
        else begin
            assume (!(s_valid && s_punct));
            if (due_ref) assume (!s_eos && !s_punct);

            assert (valid_reg == row_ref && eos_reg == $past(s_eos && !rst));
            assert (punct_reg == $past((s_punct && !s_eos && !rst) || (due_ref && !rst)));
            assert (!(valid_reg && punct_reg));
            if (valid_reg || eos_reg || (punct_reg && !$past(due_ref))) assert (data_reg == data_ref);
            if (punct_reg && $past(due_ref)) assert ($stable(data_reg));
            if (FAST == 0) assert ({m_valid, m_punct, m_eos, m_data} == {valid_reg, punct_reg, eos_reg, data_reg});
            else if (resets[FAST:1] != 0) assert ({m_valid, m_punct, m_eos} == 0);
            else if (past[FAST]) begin
                assert ({m_valid, m_punct, m_eos} == $past({valid_reg, punct_reg, eos_reg}, FAST));
                assert (m_data == ({m_valid, m_punct, m_eos} == 0 ? 0 : $past(data_reg, FAST)));
                assert (m_eos || {result, result_null, result_overflow} == 0);
            end
            if (m_valid) begin
                assert (result_null == (told_set == 0 && KIND != "CNT"));
                assert (result_overflow == (told_left || told_exact < RESULT_LEAST || told_exact >= RESULT_END));
                if (!told_left) assert (result == (told_exact & ((1 << RESULT_W) - 1)));
            end

            // invariants for the induction
            assert (silent_reg == (FAST != 0 && !row_eos));
            assert (behind_reg == due_ref && fresh_reg == fresh_ref);
            if (!fresh_ref) begin
                assert (some_reg == tuples_ref);
                if (set_ref != 0) assert (first_ref >= LEAST && first_ref < LEAST + VALUES);
                if (set_ref != 0) assert (last_ref >= LEAST && last_ref < LEAST + VALUES);
                if (set_ref != 0) assert (pair_ref >= LEAST && pair_ref < LEAST + VALUES);
                if (!left_ref) assert (exact_ref >= ACC_LEAST && exact_ref < ACC_END);
                if (!left_ref && (KIND == "SUM" || KIND == "CNT")) assert (sum_ref == exact_ref);
            end
        end
        cover (past_valid && m_valid && !result_null && !result_overflow && result != 0 && $past(due_ref, FAST + 2));
        cover (past_valid && m_valid && result_null == (KIND != "CNT") && told_set == 0);
        cover (past_valid && m_punct && $past(m_valid) && s_valid);
    end

    generate
        if (FAST == 0) begin : gen_state
            always @(posedge clk) if (past_valid && !fresh_ref) begin
                assert (gen_at_once.state_reg[ACC_W+1:ACC_W] == {left_ref, set_ref != 0});
                if (!left_ref) assert (gen_at_once.state_reg[ACC_W-1:0] == (exact_ref & ((1 << ACC_W) - 1)));
            end
        end else if (ADDS) begin : gen_sums
            localparam TOP = FAST - 1;
            // The value that a part and those above it will have with the tuple that is in it: their present value, the
            // carry, and the earlier tuples, which the parts above have yet to add; all as signed integers.
            wire [(FAST+1)*32-1:0]    wholes;    // of part p from bit p*32
            reg  [TOP*(ACC_W+1)-1:0]  terms_reg;
            wire [FAST*(ACC_W+1)-1:0] terms = {terms_reg, gen_fast.gen_sum.taken_term};
            always @(posedge clk) terms_reg <= terms[TOP*(ACC_W+1)-1:0];

            assign wholes[FAST*32 +: 32] = 32'd0;

            for (q = 1; q <= TOP; q = q + 1) begin : gen_part
                localparam integer FROM = q*ACC_W/FAST, W = (q+1)*ACC_W/FAST - FROM;
                integer    base, more, whole;
                wire [W-1:0] acc  = gen_fast.gen_sum.gen_part[q].acc;
                wire         same = !gen_fast.gen_sum.ended[q];    // the tuple before it is of the same sub-stream

                always @* begin
                    base = acc;
                    if (q == TOP && IS_SIGNED && acc[W-1]) base = base - (1 << W);
                    more = terms[q*(ACC_W+1) +: ACC_W+1];
                    if (IS_SIGNED && more >= 1 << ACC_W) more = more - (2 << ACC_W);
                    more  = more >>> FROM;
                    whole = base + more + (gen_fast.gen_sum.carry[q-1] ? 1 : 0);
                    if (q < TOP && same) whole = whole + (wholes[(q+1)*32 +: 32] << W);
                end
                assign wholes[q*32 +: 32] = whole;

                wire signed [31:0] exact_then = refs[(q-1)*REF_W +: 32];
                wire               left_before = refs[(q+1)*REF_W - 1];
                always @(posedge clk) if (past[q]) begin
                    if (!same || !left_before) assert (whole == exact_then >>> FROM);
                end
            end

            wire signed [31:0] exact_now = refs[0 +: 32];
            always @(posedge clk) begin
                if (past_valid) assert (gen_fast.gen_sum.acc_low_reg == (fresh_reg ? 0 : gen_fast.gen_sum.low_reg));
                if (past[1] && (gen_fast.gen_sum.ended[1] || !refs[2*REF_W - 1]))
                    assert (gen_fast.gen_sum.low_reg == (exact_now & ((1 << gen_fast.gen_sum.LOW) - 1)));
                if (past[FAST]) assert (gen_fast.gen_sum.taken[FAST] == $past(some_value, FAST));
                if (past[FAST+1]) begin
                    assert (gen_fast.gen_sum.seen_reg == (!gen_fast.gen_sum.ended[FAST] && told_set != 0));
                    assert (gen_fast.gen_sum.left_reg == (!gen_fast.gen_sum.ended[FAST] && told_left));
                end
            end
        end else begin : gen_orders
            always @(posedge clk) if (past[1]) begin
                assert (!left_ref && gen_fast.seen == (set_ref != 0));
                if (set_ref != 0) assert (gen_fast.number == (exact_ref & ((1 << ACC_W) - 1)));
            end
        end
    endgenerate
`endif

endmodule

`default_nettype wire
