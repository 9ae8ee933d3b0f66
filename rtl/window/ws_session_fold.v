// SPDX-License-Identifier: Apache-2.0
//
// ws_session_fold: one step of an aggregate over a session: the state before, that of a session which joins it, and a
// value, to the state behind; logic only.
//
// ws_state_merge and ws_fold would do it one behind the other. Here three numbers are added with one carry chain behind
// a row of full adders, and three are compared with one another at once.
//
// Parameters   KIND      "CNT", "SUM", "MIN", "MAX", "FST" or "LST"
//              VALUE_W   width of a value in bits, at least 1 (CNT reads no value)
//              SIGNED    1: values are two's complement, and the result of all but CNT is
//              ACC_W     width of the number in bits, at least VALUE_W
// Ports        state, other, next: states as ws_fold has them, {left, seen, number}; number is 0 as long as there was
//              no value, and has the sign in front if it is narrower than ACC_W
//              fresh: begin with nothing, whatever `state` holds; merge: `other` joins; take: there is a value
//              FST and LST have the order state, other, value
// Latency      0 cycles
// Issue rate   1 step a cycle
// Overflow     `left`: that of either state, or the sum of all three does not fit ACC_W bits; the number is then its
//              lowest ACC_W bits
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6 (the states); three at once is ours

`default_nettype none

module ws_session_fold #(
    parameter [23:0] KIND    = "SUM",
    parameter        VALUE_W = 32,
    parameter        SIGNED  = 1,
    parameter        ACC_W   = 64
) (
    input  wire [ACC_W+1:0]   state,
    input  wire [ACC_W+1:0]   other,
    input  wire               fresh,
    input  wire               merge,
    input  wire               take,
    input  wire [VALUE_W-1:0] value,

    output wire [ACC_W+1:0]   next
);

    localparam IS_COUNT  = KIND == "CNT";
    localparam ADDS      = IS_COUNT || KIND == "SUM";
    localparam IS_SIGNED = SIGNED != 0 && !IS_COUNT;

    initial begin
        if (!ADDS && KIND != "MIN" && KIND != "MAX" && KIND != "FST" && KIND != "LST") begin
            $display("ERROR: %m: KIND = \"%0s\", must be CNT, SUM, MIN, MAX, FST or LST", KIND);
            $finish;
        end
        if (VALUE_W < 1 || ACC_W < VALUE_W) begin
            $display("ERROR: %m: VALUE_W = %0d (at least 1), ACC_W = %0d (at least VALUE_W)", VALUE_W, ACC_W);
            $finish;
        end
    end

    wire             one_left, one_seen, two_left, two_seen;
    wire [ACC_W-1:0] one, two;

    assign {one_left, one_seen, one} = state & {ACC_W+2{!fresh}};
    assign {two_left, two_seen, two} = other & {ACC_W+2{merge}};
    assign next[ACC_W] = one_seen || two_seen || take;

    generate
        if (ADDS) begin : gen_sum
            localparam SUM_W = ACC_W + 2;    // of three

            wire [SUM_W-1:0] a = {{2{IS_SIGNED && one[ACC_W-1]}}, one};
            wire [SUM_W-1:0] b = {{2{IS_SIGNED && two[ACC_W-1]}}, two};
            wire [SUM_W-1:0] c;
            wire [SUM_W-2:0] x = a[SUM_W-2:0], y = b[SUM_W-2:0], z = c[SUM_W-2:0];
            wire [SUM_W-1:0] total = (a ^ b ^ c) + {(x & y) | (x & z) | (y & z), 1'b0};

            if (IS_COUNT) begin : gen_one
                wire unused = &{1'b0, value};
                assign c = {{(SUM_W-1){1'b0}}, take};
            end else begin : gen_value
                assign c = {{(SUM_W-VALUE_W){IS_SIGNED && value[VALUE_W-1]}}, value} & {SUM_W{take}};
            end

            assign next[ACC_W-1:0] = total[ACC_W-1:0];
            assign next[ACC_W+1]   = one_left || two_left
                                  || total[ACC_W+1:ACC_W] != {2{IS_SIGNED && total[ACC_W-1]}};
        end else begin : gen_one_of_them
            // With the sign turned round, two's complement compares like numbers without a sign.
            wire [VALUE_W-1:0] turn  = {IS_SIGNED, {(VALUE_W-1){1'b0}}};
            wire [VALUE_W-1:0] a     = state[VALUE_W-1:0] ^ turn;
            wire [VALUE_W-1:0] b     = other[VALUE_W-1:0] ^ turn;
            wire [VALUE_W-1:0] c     = value ^ turn;
            wire               b_a   = KIND == "MIN" ? b < a : KIND == "MAX" ? b > a : KIND == "LST"; // b, not a
            wire               c_a   = KIND == "MIN" ? c < a : KIND == "MAX" ? c > a : KIND == "LST";
            wire               c_b   = KIND == "MIN" ? c < b : KIND == "MAX" ? c > b : KIND == "LST";
            wire               is_c  = take && (c_a || !one_seen) && (c_b || !two_seen);
            wire               is_b  = two_seen && (b_a || !one_seen);
            wire [VALUE_W-1:0] found = is_c ? value : is_b ? two[VALUE_W-1:0] : one[VALUE_W-1:0];
            wire               unused = &{1'b0, one_left, two_left, one, two, a, b, c};

            assign next[ACC_W-1:0] = {{(ACC_W-VALUE_W){IS_SIGNED && found[VALUE_W-1]}}, found};
            assign next[ACC_W+1]   = 1'b0;
        end
    endgenerate

`ifdef FORMAL
    // The same with integers.
    localparam integer VALUES = 1 << VALUE_W, NUMBERS = 1 << ACC_W, LEAST = IS_SIGNED ? -NUMBERS/2 : 0;
    integer v, a_ref, b_ref, after;
    reg     a_seen, b_seen;

    function signed [31:0] better(input signed [31:0] x, input signed [31:0] y);  // x came before y
        case (KIND)
            "MIN":   better = x < y ? x : y;
            "MAX":   better = x > y ? x : y;
            "FST":   better = x;
            default: better = y;
        endcase
    endfunction

    always @* begin
        v      = value;
        a_ref  = state[ACC_W-1:0];
        b_ref  = other[ACC_W-1:0];
        a_seen = state[ACC_W] && !fresh;
        b_seen = other[ACC_W] && merge;
        if (IS_SIGNED && v >= VALUES/2) v = v - VALUES;
        if (IS_SIGNED && a_ref >= NUMBERS/2) a_ref = a_ref - NUMBERS;
        if (IS_SIGNED && b_ref >= NUMBERS/2) b_ref = b_ref - NUMBERS;
        // a state is well made
        assume (state[ACC_W] || a_ref == 0);
        assume (other[ACC_W] || b_ref == 0);
        if (!ADDS) begin
            assume (!state[ACC_W+1] && !other[ACC_W+1]);
            assume (a_ref >= (IS_SIGNED ? -VALUES/2 : 0) && a_ref < (IS_SIGNED ? VALUES/2 : VALUES));
            assume (b_ref >= (IS_SIGNED ? -VALUES/2 : 0) && b_ref < (IS_SIGNED ? VALUES/2 : VALUES));
        end

        after = 0;
        if (ADDS) after = (a_seen ? a_ref : 0) + (b_seen ? b_ref : 0) + (!take ? 0 : IS_COUNT ? 1 : v);
        else begin
            if (a_seen) after = a_ref;
            if (b_seen) after = a_seen ? better(after, b_ref) : b_ref;
            if (take)   after = a_seen || b_seen ? better(after, v) : v;
        end
        assert (next[ACC_W-1:0] == (after & (NUMBERS - 1)));
        assert (next[ACC_W] == (a_seen || b_seen || take));
        assert (next[ACC_W+1] == ((state[ACC_W+1] && !fresh) || (other[ACC_W+1] && merge)
                                  || after < LEAST || after >= LEAST + NUMBERS));
        cover (a_seen && b_seen && take && after != 0 && next[ACC_W+1] == ADDS);
    end
`endif

endmodule

`default_nettype wire
