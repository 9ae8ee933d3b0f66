// SPDX-License-Identifier: Apache-2.0
//
// ws_fold: one step of an aggregate, from the old state and a value to the new state; combinational.
//
// The state is {left, seen, number}: the number that stands for the values so far (their count, sum, least, greatest,
// first or last, bitwise OR or XOR), whether there was one, and whether a sum has ever exceeded its ACC_W bits. The
// result of the new state is output with it. AMN and AMX compare only the upper halves of values, {order, any}: they
// keep the value with the least or greatest order, of several the first.
//
// Parameters   KIND      the aggregate, "CNT", "SUM", "MIN", "MAX", "AMN", "AMX", "FST", "LST", "BOR" or "XOR"
//              VALUE_W   width of a value in bits, at least 1; CNT reads no value, AMN and AMX need an even width
//              SIGNED    1: values are two's complement, and the result of all but CNT is
//              ACC_W     width of the number in bits, at least VALUE_W, of a CNT at least 1; all but CNT and SUM need
//                        no more. A SUM is exact as long as it stays within; 2**n tuples need VALUE_W + n
//              RESULT_W  width of the result in bits, at least 1
// Latency      0 cycles
// Issue rate   1 step a cycle
// Overflow     `overflow`: the number does not fit RESULT_W bits, or has exceeded ACC_W bits at some point; `result` is
//              then its lowest RESULT_W bits
// Null         `null` and result 0 until there is a value; a count is never null
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6

`default_nettype none

module ws_fold #(
    parameter [23:0] KIND     = "SUM",
    parameter        VALUE_W  = 32,
    parameter        SIGNED   = 1,
    parameter        ACC_W    = 64,
    parameter        RESULT_W = 64
) (
    input  wire [ACC_W+1:0]    state,
    input  wire                fresh,     // begin with nothing, whatever `state` holds
    input  wire                take,      // there is a value
    input  wire [VALUE_W-1:0]  value,

    output wire [ACC_W+1:0]    next,
    output wire [RESULT_W-1:0] result,
    output wire                null,
    output wire                overflow
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam IS_COUNT  = KIND == "CNT";
    localparam ADDS      = IS_COUNT || KIND == "SUM";
    localparam IS_BITS   = KIND == "BOR" || KIND == "XOR";
    localparam IS_PAIR   = KIND == "AMN" || KIND == "AMX";
    localparam IS_LEAST  = KIND == "MIN" || KIND == "AMN";
    localparam IS_SIGNED = SIGNED != 0 && !IS_COUNT;

    initial begin
        if (!ADDS && !IS_BITS && !IS_PAIR && KIND != "MIN" && KIND != "MAX" && KIND != "FST" && KIND != "LST") begin
            $display("ERROR: %m: KIND = \"%0s\", must be CNT, SUM, MIN, MAX, AMN, AMX, FST, LST, BOR or XOR", KIND);
            $finish;
        end
        if (IS_PAIR && VALUE_W % 2 != 0) begin
            $display("ERROR: %m: VALUE_W = %0d, must be even for AMN and AMX", VALUE_W);
            $finish;
        end
        if (VALUE_W < 1 || RESULT_W < 1 || ACC_W < (IS_COUNT ? 1 : VALUE_W)) begin
            $display("ERROR: %m: VALUE_W = %0d, RESULT_W = %0d (at least 1), ACC_W = %0d (at least VALUE_W)",
                     VALUE_W, RESULT_W, ACC_W);
            $finish;
        end
    end

    // Numbers with one more sign bit, which also shows that a sum overflows.
    wire           seen = state[ACC_W] && !fresh;
    wire           left = state[ACC_W+1] && !fresh;
    wire [ACC_W:0] acc  = {IS_SIGNED && state[ACC_W-1], state[ACC_W-1:0]};
    wire [ACC_W:0] term;
    generate
        if (IS_COUNT) begin : gen_one
            wire unused = &{1'b0, value};
            assign term = {{ACC_W{1'b0}}, 1'b1};
        end else begin : gen_value
            assign term = {{(ACC_W+1-VALUE_W){IS_SIGNED && value[VALUE_W-1]}}, value};
        end
    endgenerate

    localparam [ACC_W:0] COMPARED = {(ACC_W+1){1'b1}} << (IS_PAIR ? VALUE_W/2 : 0);
    wire [ACC_W:0] total   = acc + term;
    wire [ACC_W:0] kept    = acc & COMPARED;
    wire [ACC_W:0] coming  = term & COMPARED;
    wire [ACC_W:0] lead    = IS_LEAST ? coming - kept : kept - coming;    // negative where the value is better
    wire           replace = !seen || KIND == "LST" || (!ADDS && !IS_BITS && KIND != "FST" && lead[ACC_W]);
    wire           leaves  = ADDS && take && seen && total[ACC_W] != (IS_SIGNED && total[ACC_W-1]);

    wire [ACC_W-1:0] number = take && replace ? term[ACC_W-1:0] : take && ADDS ? total[ACC_W-1:0]
                            : take && KIND == "BOR" ? acc[ACC_W-1:0] | term[ACC_W-1:0]
                            : take && KIND == "XOR" ? acc[ACC_W-1:0] ^ term[ACC_W-1:0]
                            : seen ? acc[ACC_W-1:0] : {ACC_W{1'b0}};

    // The number, sign-extended to fit any result, and the part of it that the result omits.
    wire [ACC_W+RESULT_W-1:0] wide = {{RESULT_W{IS_SIGNED && number[ACC_W-1]}}, number};
    wire [ACC_W-1:0]          rest = wide[RESULT_W +: ACC_W];

    assign next     = {left || leaves, seen || take, number};
    assign result   = wide[RESULT_W-1:0];
    assign null     = !IS_COUNT && !seen && !take;
    assign overflow = left || leaves || rest != {ACC_W{IS_SIGNED && result[RESULT_W-1]}};

`ifdef FORMAL
    // The same with integers.
    localparam integer VALUES = 1 << VALUE_W, NUMBERS = 1 << ACC_W, RESULTS = 1 << RESULT_W;
    localparam integer LEAST  = IS_SIGNED ? -NUMBERS/2 : 0,  LEAST_RESULT = IS_SIGNED ? -RESULTS/2 : 0;
    integer v, before, after, wrapped;

    always @* begin
        v      = value;
        before = state[ACC_W-1:0];
        if (IS_SIGNED && v >= VALUES/2) v = v - VALUES;
        if (IS_SIGNED && before >= NUMBERS/2) before = before - NUMBERS;
        if (!seen) before = 0;
        after = before;
        if (take) case (KIND)
            "CNT":   after = before + 1;
            "SUM":   after = before + v;
            "MIN":   after = seen && before <= v ? before : v;
            "MAX":   after = seen && before >= v ? before : v;
            "AMN":   after = seen && before >>> VALUE_W/2 <= v >>> VALUE_W/2 ? before : v;
            "AMX":   after = seen && before >>> VALUE_W/2 >= v >>> VALUE_W/2 ? before : v;
            "FST":   after = seen ? before : v;
            "BOR":   after = before | v;
            "XOR":   after = before ^ v;
            default: after = v;
        endcase
        wrapped = after < LEAST ? after + NUMBERS : after >= LEAST + NUMBERS ? after - NUMBERS : after;

        assert (next[ACC_W+1] == ((state[ACC_W+1] && !fresh) || wrapped != after));
        assert (next[ACC_W] == ((state[ACC_W] && !fresh) || take));
        assert (next[ACC_W-1:0] == (wrapped & (NUMBERS - 1)));
        assert (result == (wrapped & (RESULTS - 1)));
        assert (null == (KIND != "CNT" && !next[ACC_W]));
        assert (next[ACC_W] || result == 0);
        assert (overflow == (next[ACC_W+1] || wrapped < LEAST_RESULT || wrapped >= LEAST_RESULT + RESULTS));
        cover (take && seen && !overflow && result != 0);
        if (IS_COUNT || SIGNED != 0) cover (overflow);
    end
`endif

endmodule

`default_nettype wire
