// SPDX-License-Identifier: Apache-2.0
//
// ws_aggregate: count, sum, min, max, first or last of a column over the sub-stream that eos ends.
//
// The row leaves with eos: m_data is s_data of that cycle (so the windowing attribute of a punctuation that ends the
// sub-stream rides along), `result` the aggregate. A tuple in the cycle of eos still belongs to the sub-stream, a tuple
// in the next cycle to the next. A sub-stream without tuples gives no row; one with nulls only a null row.
// A punctuation that comes with eos follows the row by one cycle, with the same m_data; any other passes.
//
// The accumulator stands in the result's register, so a REGISTERED = 0 would save nothing, and does not exist. With
// FAST the upper half of a sum is added a cycle behind the lower, and the least or greatest value chosen a cycle behind
// the comparison.
//
// Parameters   DATA_W      width of the tuple in bits
//              KIND, VALUE_W, SIGNED, ACC_W, RESULT_W   see ws_fold: ACC_W is the width inside
//              FAST        0; 1: two stages, for a clock of 200 MHz on an ECP5; for MIN and MAX, and for CNT and SUM
//                          with ACC_W at least 2
//              EMIT_EMPTY  1: a sub-stream without tuples gives a row too (count 0, else null)
// Ports        value, null: the column, in step with s_data; count(*) ties null to 0. A null value is not aggregated
//              result, result_null, result_overflow: in step with m_valid
// Latency      1 + FAST cycles from eos to the row
// Issue rate   1 tuple a cycle; eos in successive cycles is possible
// CLOSE_CYCLES 2    CLOSE_ROWS 1: in the cycle after a punctuation with eos there must be neither
// Overflow     result_overflow: the exact result does not fit RESULT_W bits (or a sum has left ACC_W bits on its way);
//              the lowest RESULT_W bits leave
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
    output wire                result_overflow
);

    localparam IS_COUNT  = KIND == "CNT";
    localparam ADDS      = IS_COUNT || KIND == "SUM";
    localparam IS_SIGNED = SIGNED != 0 && !IS_COUNT;

    initial if (FAST < 0 || FAST > 1 || (FAST == 1 && (ADDS ? ACC_W < 2 : KIND != "MIN" && KIND != "MAX"))) begin
        $display("ERROR: %m: FAST = %0d with ACC_W = %0d; 1 is for MIN, MAX, and CNT and SUM with at least 2",
                 FAST, ACC_W);
        $finish;
    end

    // ---- When a row leaves

    reg                some_reg;    // the sub-stream has a tuple
    reg                fresh_reg;   // it has just ended: the next begins
    reg                behind_reg;  // a punctuation waits behind the row that leaves
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

    ws_delay #(.DATA_W(DATA_W), .N(FAST)) row (
        .clk(clk), .rst(rst),
        .s_valid(valid_reg), .s_punct(punct_reg), .s_eos(eos_reg), .s_data(data_reg),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(m_data)
    );

    // ---- What it holds

    wire [RESULT_W-1:0] next_result;
    wire                next_null, next_overflow;
    reg                 overflow_reg;
    wire                late_overflow;      // what is known a cycle later

    assign result_overflow = overflow_reg || late_overflow;

    always @(posedge clk) begin
        result       <= next_result;
        result_null  <= next_null;
        overflow_reg <= next_overflow;
    end

    generate
        if (FAST == 0) begin : gen_at_once
            reg  [ACC_W+1:0] state_reg;   // its number is the result, in the row too
            wire [ACC_W+1:0] next;

            always @(posedge clk) state_reg <= next;

            assign late_overflow = 1'b0;

            ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNED), .ACC_W(ACC_W), .RESULT_W(RESULT_W)) fold (
                .state(state_reg), .fresh(fresh_reg), .take(take), .value(value),
                .next(next), .result(next_result), .null(next_null), .overflow(next_overflow)
            );
        end else begin : gen_fast
            wire [ACC_W-1:0] number;
            wire             seen;

            if (ADDS) begin : gen_halves
                localparam LOW  = ACC_W/2;
                localparam HIGH = ACC_W - LOW;
                wire [ACC_W:0] term;    // with a sign bit more, which shows that a sum leaves its width
                if (IS_COUNT) begin : gen_one
                    wire unused_value = &{1'b0, value};
                    assign term = {{ACC_W{1'b0}}, 1'b1};
                end else begin : gen_value
                    assign term = {{(ACC_W+1-VALUE_W){IS_SIGNED && value[VALUE_W-1]}}, value};
                end

                // Stage 1: the lower half. That the value counts is known late, and so is not on the way of the carry.
                reg  [LOW-1:0]  low_reg;
                reg  [HIGH:0]   term_reg;
                reg             carry_reg, take_reg, fresh_1_reg;
                wire [LOW:0]    low = {1'b0, fresh_reg ? {LOW{1'b0}} : low_reg} + {1'b0, term[LOW-1:0]};

                always @(posedge clk) begin
                    if (take) low_reg <= low[LOW-1:0];
                    else if (fresh_reg) low_reg <= {LOW{1'b0}};
                    carry_reg   <= take && low[LOW];
                    term_reg    <= take ? term[ACC_W:LOW] : {(HIGH+1){1'b0}};
                    take_reg    <= take;
                    fresh_1_reg <= fresh_reg;
                end

                // Stage 2: the upper half. The carry goes in at the lowest bit of a chain that is a bit longer. The
                // sign bits say a cycle later whether the sum has left its width.
                reg  [HIGH-1:0] high_reg;
                reg             sign_reg, left_reg, seen_reg;
                wire            left   = left_reg || sign_reg != (IS_SIGNED && high_reg[HIGH-1]);
                wire [HIGH:0]   before = fresh_1_reg ? {(HIGH+1){1'b0}} : {IS_SIGNED && high_reg[HIGH-1], high_reg};
                wire [HIGH+1:0] total  = {before, 1'b1} + {term_reg, carry_reg};
                wire [HIGH-1:0] high   = total[HIGH:1];
                assign          seen   = (seen_reg && !fresh_1_reg) || take_reg;
                assign          number = {high, low_reg};
                assign          late_overflow = left;
                wire            unused = &{1'b0, total[0]};

                always @(posedge clk) begin
                    high_reg <= high;
                    sign_reg <= total[HIGH+1];
                    left_reg <= left && !fresh_1_reg;
                    seen_reg <= seen;
                end
            end else begin : gen_order
                localparam [VALUE_W-1:0] SIGN = {VALUE_W{IS_SIGNED}} << (VALUE_W - 1);
                reg  [VALUE_W-1:0] best_reg, value_reg;
                reg                seen_reg, first_reg, beats_best_reg, beats_value_reg, replaced_reg;

                // Stage 1: compare with the best so far, and with the value ahead, which may be about to replace it.
                // MAX takes an equal one too, so that it compares as MIN does and they share the comparison.
                wire before      = seen_reg && !fresh_reg;
                wire below_best  = (value ^ SIGN) < (best_reg ^ SIGN);
                wire below_value = (value ^ SIGN) < (value_reg ^ SIGN);

                always @(posedge clk) begin
                    value_reg       <= value;
                    seen_reg        <= before || take;
                    first_reg       <= take && !before;
                    beats_best_reg  <= take && below_best == (KIND == "MIN");
                    beats_value_reg <= take && below_value == (KIND == "MIN");
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

                assign late_overflow = 1'b0;
                assign seen   = seen_reg;
                assign number = wide[ACC_W-1:0];
            end

            // A sum is 0 as long as there was no value, so that it need not be made 0.
            wire [ACC_W+1:0] unused_next;
            wire             unused_null;
            wire             unused_told = &{1'b0, unused_next, unused_null};

            ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNED), .ACC_W(ACC_W), .RESULT_W(RESULT_W)) tell (
                .state({1'b0, ADDS || seen, number}), .fresh(1'b0), .take(1'b0), .value({VALUE_W{1'b0}}),
                .next(unused_next), .result(next_result), .null(unused_null), .overflow(next_overflow)
            );

            assign next_null = !IS_COUNT && !seen;
        end
    endgenerate

`ifdef FORMAL
    // The sub-stream's values as a set, and their number, sum, first and last in integers. A sum that has left the
    // accumulator is compared no further.
    localparam integer VALUES = 1 << VALUE_W,  LEAST = SIGNED != 0 ? -VALUES/2 : 0;
    localparam integer ACC_LEAST    = IS_SIGNED ? -(1 << ACC_W)/2 : 0,    ACC_END    = ACC_LEAST + (1 << ACC_W);
    localparam integer RESULT_LEAST = IS_SIGNED ? -(1 << RESULT_W)/2 : 0, RESULT_END = RESULT_LEAST + (1 << RESULT_W);

    reg              past_valid = 1'b0;
    reg              fresh_ref, tuples_ref, left_ref, row_ref, due_ref;
    reg [VALUES-1:0] set_ref;
    reg [DATA_W-1:0] data_ref;
    integer          sum_ref, first_ref, last_ref, exact_ref;
    // The same a cycle before, which a FAST row tells.
    reg              past_ref = 1'b0, before_left_ref;
    reg [VALUES-1:0] before_set_ref;
    integer          before_exact_ref;
    wire             told_left = FAST != 0 ? before_left_ref : left_ref;
    wire [VALUES-1:0] told_set = FAST != 0 ? before_set_ref : set_ref;
    integer          told_exact;
    always @* told_exact = FAST != 0 ? before_exact_ref : exact_ref;
    // The same, this cycle included.
    reg              tuples, left;
    reg [VALUES-1:0] set;
    integer          v, sum, first, last, exact, i;
    wire             some_value = s_valid && !null;

    always @* begin
        v      = value >= LEAST + VALUES ? value - VALUES : value;
        set    = fresh_ref ? {VALUES{1'b0}} : set_ref;
        first  = set == 0 ? v : first_ref;
        last   = some_value ? v : last_ref;
        sum    = fresh_ref ? 0 : sum_ref;
        if (some_value) begin
            set[value] = 1'b1;
            sum        = KIND == "CNT" ? sum + 1 : sum + v;
        end
        exact  = KIND == "FST" ? first : KIND == "LST" ? last : sum;
        if (KIND == "MIN") for (i = LEAST + VALUES - 1; i >= LEAST; i = i - 1) if (set[i & (VALUES-1)]) exact = i;
        if (KIND == "MAX") for (i = LEAST; i < LEAST + VALUES; i = i + 1)      if (set[i & (VALUES-1)]) exact = i;
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
        exact_ref  <= exact;
        left_ref   <= left;
        tuples_ref <= tuples;
        row_ref    <= !rst && s_eos && (tuples || EMIT_EMPTY != 0);
        due_ref    <= !rst && s_eos && s_punct;
        data_ref   <= s_data;
        past_ref   <= past_valid;
        before_set_ref   <= set_ref;
        before_left_ref  <= left_ref;
        before_exact_ref <= exact_ref;

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
            else if ($past(rst)) assert ({m_valid, m_punct, m_eos} == 0);
            else assert ({m_valid, m_punct, m_eos, m_data} == $past({valid_reg, punct_reg, eos_reg, data_reg}));
            if (m_valid) begin
                assert (result_null == (told_set == 0 && KIND != "CNT"));
                assert (result_overflow == (told_left || told_exact < RESULT_LEAST || told_exact >= RESULT_END));
                if (!told_left) assert (result == (told_exact & ((1 << RESULT_W) - 1)));
            end

            // what makes it inductive
            assert (behind_reg == due_ref && fresh_reg == fresh_ref);
            if (!fresh_ref) begin
                assert (some_reg == tuples_ref);
                if (set_ref != 0) assert (first_ref >= LEAST && first_ref < LEAST + VALUES);
                if (set_ref != 0) assert (last_ref >= LEAST && last_ref < LEAST + VALUES);
                if (!left_ref) assert (exact_ref >= ACC_LEAST && exact_ref < ACC_END);
                if (!left_ref && (KIND == "SUM" || KIND == "CNT")) assert (sum_ref == exact_ref);
            end
        end
        cover (past_valid && m_valid && !result_null && !result_overflow && result != 0 && $past(due_ref, 3));
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
            // What the upper half will be, of what it was and what is to come, each with its sign.
            localparam integer LOW = ACC_W/2, HIGHS = 1 << ACC_W - LOW;
            integer base, more, carried;
            always @* begin
                base = gen_fast.gen_halves.fresh_1_reg ? 0 : gen_fast.gen_halves.high_reg;
                more = gen_fast.gen_halves.term_reg;
                if (IS_SIGNED && base >= HIGHS/2) base = base - HIGHS;
                if (IS_SIGNED && more >= HIGHS) more = more - 2*HIGHS;
                carried = base + more + (gen_fast.gen_halves.carry_reg ? 1 : 0);
            end
            always @(posedge clk) if (past_ref) begin
                assert (gen_fast.gen_halves.fresh_1_reg == $past(fresh_ref));
                if (!gen_fast.gen_halves.fresh_1_reg) assert (gen_fast.gen_halves.left == before_left_ref);
                if (!gen_fast.gen_halves.fresh_1_reg) assert (gen_fast.gen_halves.seen_reg == (before_set_ref != 0));
                assert (gen_fast.gen_halves.take_reg == $past(some_value));
                if (gen_fast.gen_halves.fresh_1_reg || !before_left_ref) begin
                    assert (carried == exact_ref >>> LOW);
                    assert (gen_fast.gen_halves.low_reg == (exact_ref & ((1 << LOW) - 1)));
                end
            end
        end else begin : gen_orders
            always @(posedge clk) if (past_ref) begin
                assert (!left_ref && gen_fast.seen == (set_ref != 0));
                if (set_ref != 0) assert (gen_fast.number == (exact_ref & ((1 << ACC_W) - 1)));
            end
        end
    endgenerate
`endif

endmodule

`default_nettype wire
