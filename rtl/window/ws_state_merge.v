// SPDX-License-Identifier: Apache-2.0
//
// ws_state_merge: the state of an aggregate over two parts of its tuples, from the states over each part.
//
// A state is that of ws_fold: {left, seen, number}; number is 0 until a value has been seen.
//
// Parameters   KIND        the aggregate, "CNT", "SUM", "MIN", "MAX", "FST", "LST", "BOR" or "XOR"
//              SIGNED      1: values are two's complement (CNT is never signed)
//              VALUE_W     width of a value in bits, at least 1
//              ACC_W       width of a number in bits, at least VALUE_W; at least 2 with SKEW
//              SKEW        1: the upper half (all but ACC_W/2 bits) and `left` of a sum or count are input, and output,
//                          one cycle after the rest; 0: with it
//              REGISTERED  0: logic only, without SKEW; 1: the outputs are registers
// Ports        earlier, later: FST takes the number of the earlier part if it has one, LST that of the later; other
//              aggregates do not depend on the order
// Latency      REGISTERED cycles; one more to the parts that SKEW delays
// Issue rate   1 merge per cycle
// Overflow     `left` of a sum or count: `left` of either part, or their sum does not fit ACC_W bits; number is then
//              its lowest ACC_W bits
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6 (the states); merging them is ours

`default_nettype none

module ws_state_merge #(
    parameter [23:0] KIND       = "SUM",
    parameter        SIGNED     = 1,
    parameter        VALUE_W    = 32,
    parameter        ACC_W      = 64,
    parameter        SKEW       = 0,
    parameter        REGISTERED = 1
) (
    input  wire             clk,

    input  wire [ACC_W+1:0] earlier,
    input  wire [ACC_W+1:0] later,
    output wire [ACC_W+1:0] merged
);

    initial if ((SIGNED != 0 && SIGNED != 1) || (SKEW != 0 && SKEW != 1) || (REGISTERED != 0 && REGISTERED != 1)) begin
        $display("ERROR: %m: SIGNED = %0d, SKEW = %0d, REGISTERED = %0d (0 or 1)", SIGNED, SKEW, REGISTERED);
        $finish;
    end

    localparam IS_COUNT  = KIND == "CNT";
    localparam ADDS      = IS_COUNT || KIND == "SUM";
    localparam IS_SIGNED = SIGNED != 0 && !IS_COUNT;
    localparam LOW       = SKEW != 0 ? ACC_W/2 : 0;    // bits of a sum or count that are added at once,
    localparam HIGH      = ACC_W - LOW;                // and those that are added SKEW cycles later

    initial begin
        if (!ADDS && KIND != "MIN" && KIND != "MAX" && KIND != "FST" && KIND != "LST" && KIND != "BOR"
                && KIND != "XOR") begin
            $display("ERROR: %m: KIND = \"%0s\", must be CNT, SUM, MIN, MAX, FST, LST, BOR or XOR", KIND);
            $finish;
        end
        if (VALUE_W < 1 || ACC_W < VALUE_W || ACC_W < 1 + SKEW || (SKEW != 0 && REGISTERED == 0)) begin
            $display("ERROR: %m: VALUE_W = %0d (at least 1), ACC_W = %0d (at least VALUE_W, and 2 with SKEW)",
                     VALUE_W, ACC_W);
            $finish;
        end
    end

    wire             earlier_left, earlier_seen, later_left, later_seen;
    wire [ACC_W-1:0] one, other;
    wire [ACC_W+1:0] next;      // with SKEW the lower half is one cycle ahead

    assign {earlier_left, earlier_seen, one} = earlier;
    assign {later_left, later_seen, other}   = later;
    assign next[ACC_W]                       = earlier_seen || later_seen;

    generate
        if (REGISTERED != 0) begin : gen_register
            reg [ACC_W+1:0] merged_reg;
            always @(posedge clk) merged_reg <= next;
            assign merged = merged_reg;
        end else begin : gen_logic
            wire unused = clk;
            assign merged = next;
        end

        if (ADDS) begin : gen_sum
            wire [HIGH-1:0] one_high   = one[ACC_W-1:LOW];
            wire [HIGH-1:0] other_high = other[ACC_W-1:LOW];
            wire [HIGH:0]   one_wide   = {IS_SIGNED && one_high[HIGH-1], one_high};
            wire [HIGH:0]   other_wide = {IS_SIGNED && other_high[HIGH-1], other_high};
            wire [HIGH:0]   total;

            if (SKEW != 0) begin : gen_lower
                reg  carry_reg;
                wire carry, unused_lowest;

                assign {carry, next[LOW-1:0]} = {1'b0, one[LOW-1:0]} + {1'b0, other[LOW-1:0]};
                // The carry enters at the lowest bit of a chain that is one bit longer.
                assign {total, unused_lowest} = {one_wide, 1'b1} + {other_wide, carry_reg};

                always @(posedge clk) carry_reg <= carry;
            end else begin : gen_whole
                assign total = one_wide + other_wide;
            end

            assign next[ACC_W-1:LOW] = total[HIGH-1:0];
            assign next[ACC_W+1]     = earlier_left || later_left || total[HIGH] != (IS_SIGNED && total[HIGH-1]);
        end else begin : gen_one_of_them
            wire [VALUE_W-1:0] value = one[VALUE_W-1:0], other_value = other[VALUE_W-1:0];
            // With the sign bit inverted, two's complement numbers compare like unsigned ones.
            wire [VALUE_W-1:0] turn  = {IS_SIGNED, {(VALUE_W-1){1'b0}}};
            wire               less  = (other_value ^ turn) < (value ^ turn);
            wire               wins  = KIND == "MIN" ? less : KIND == "MAX" ? !less : KIND == "LST";
            wire [VALUE_W-1:0] number = KIND == "BOR" ? value | other_value : KIND == "XOR" ? value ^ other_value
                                      : later_seen && (wins || !earlier_seen) ? other_value : value;
            wire               unused = &{1'b0, earlier_left, later_left, one, other, less, wins};

            assign next[ACC_W-1:0] = {{(ACC_W-VALUE_W){IS_SIGNED && number[VALUE_W-1]}}, number};
            assign next[ACC_W+1]   = 1'b0;
        end
    endgenerate

`ifdef FORMAL
    // The states in integers; with SKEW a sum's upper half belongs to the lower half of the previous cycle.
    localparam integer NUMBERS = 1 << ACC_W, LEAST = IS_SIGNED ? -NUMBERS/2 : 0;
    localparam         LATER   = ADDS && SKEW != 0;
    reg  [2:0]         past_valid = 3'b0;
    reg  [ACC_W+1:0]   earlier_reg, later_reg, earlier_2_reg, later_2_reg, earlier_1, later_1;
    integer            a, b, total_ref, wrapped_ref;
    reg                a_seen, b_seen, left_ref;

    always @(posedge clk) begin
        past_valid <= {past_valid[1:0], 1'b1};
        {earlier_reg, later_reg, earlier_2_reg, later_2_reg} <= {earlier, later, earlier_reg, later_reg};

        if (!ADDS) begin    // a state is well-formed
            assume (one == {{(ACC_W-VALUE_W){IS_SIGNED && one[VALUE_W-1]}}, one[VALUE_W-1:0]});
            assume (other == {{(ACC_W-VALUE_W){IS_SIGNED && other[VALUE_W-1]}}, other[VALUE_W-1:0]});
            assume (!earlier_left && !later_left && (earlier_seen || one == 0) && (later_seen || other == 0));
        end

        if (REGISTERED == 0) {earlier_1, later_1} = {earlier, later};
        else                 {earlier_1, later_1} = {earlier_reg, later_reg};
        a = earlier_1[ACC_W-1:0];
        b = later_1[ACC_W-1:0];
        if (LATER) begin
            a = {earlier_reg[ACC_W-1:LOW], {LOW{1'b0}}} | (earlier_2_reg & ((1 << LOW) - 1));
            b = {later_reg[ACC_W-1:LOW], {LOW{1'b0}}} | (later_2_reg & ((1 << LOW) - 1));
        end
        if (IS_SIGNED && a >= NUMBERS/2) a = a - NUMBERS;
        if (IS_SIGNED && b >= NUMBERS/2) b = b - NUMBERS;
        a_seen = earlier_1[ACC_W];
        b_seen = later_1[ACC_W];
        case (KIND)
            "CNT", "SUM": total_ref = a + b;
            "MIN":        total_ref = !b_seen || (a_seen && a < b) ? a : b;
            "MAX":        total_ref = !b_seen || (a_seen && a > b) ? a : b;
            "FST":        total_ref = a_seen ? a : b;
            "BOR":        total_ref = a | b;
            "XOR":        total_ref = a ^ b;
            default:      total_ref = b_seen ? b : a;
        endcase
        left_ref    = ADDS && (earlier_1[ACC_W+1] || later_1[ACC_W+1]
                               || total_ref < LEAST || total_ref >= LEAST + NUMBERS);
        wrapped_ref = total_ref & (NUMBERS - 1);

        if (past_valid[0]) assert (merged[ACC_W] == (a_seen || b_seen));
        if (past_valid[LATER ? 1 : 0]) begin
            assert (merged[ACC_W-1:LATER ? LOW : 0] == wrapped_ref >> (LATER ? LOW : 0));
            assert (merged[ACC_W+1] == left_ref);
            cover (left_ref == ADDS && wrapped_ref != 0);
        end
        if (LATER && past_valid[0]) assert ((merged & ((1 << LOW) - 1))
                                            == ((earlier_reg + later_reg) & ((1 << LOW) - 1)));
    end
`endif

endmodule

`default_nettype wire
