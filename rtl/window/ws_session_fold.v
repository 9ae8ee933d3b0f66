// SPDX-License-Identifier: Apache-2.0
//
// ws_session_fold: one step of an aggregate of a session other than a sum, from its old state, that of a session
// merged into it, and a value, to the new state; combinational.
//
// ws_state_merge and ws_fold would do it in series. Here all three values are compared with each other at once.
//
// Parameters   KIND     the aggregate, "MIN", "MAX", "AMN", "AMX", "FST", "LST", "BOR" or "XOR"
//              VALUE_W  width of a value in bits, at least 1; even for AMN and AMX
//              SIGNED   1: values are two's complement
// Ports        state, other, next: {seen, value}; the value is 0 until there is one
//              keep: `state` counts; merge: `other` does; take: there is a value
//              for AMN, AMX, FST and LST the order is state, other, value
// Latency      0 cycles
// Issue rate   1 step a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6 (the states); three at once is ours

`default_nettype none

module ws_session_fold #(
    parameter [23:0] KIND    = "MIN",
    parameter        VALUE_W = 32,
    parameter        SIGNED  = 1
) (
    input  wire [VALUE_W:0]   state,
    input  wire [VALUE_W:0]   other,
    input  wire               keep,
    input  wire               merge,
    input  wire               take,
    input  wire [VALUE_W-1:0] value,

    output wire [VALUE_W:0]   next
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam IS_SIGNED = SIGNED != 0;
    localparam IS_PAIR   = KIND == "AMN" || KIND == "AMX";
    localparam IS_LEAST  = KIND == "MIN" || KIND == "AMN";
    localparam IS_MOST   = KIND == "MAX" || KIND == "AMX";

    initial begin
        if (!IS_LEAST && !IS_MOST && KIND != "FST" && KIND != "LST" && KIND != "BOR" && KIND != "XOR") begin
            $display("ERROR: %m: KIND = \"%0s\", must be MIN, MAX, AMN, AMX, FST, LST, BOR or XOR", KIND);
            $finish;
        end
        if (VALUE_W < 1 || (IS_PAIR && VALUE_W % 2 != 0)) begin
            $display("ERROR: %m: VALUE_W = %0d, must be at least 1, and even for AMN and AMX", VALUE_W);
            $finish;
        end
    end

    wire               one_seen;
    wire [VALUE_W-1:0] one;
    wire               two_seen = other[VALUE_W] && merge;

    assign {one_seen, one} = state & {VALUE_W+1{keep}};

    // With the sign bit inverted, two's complement compares as unsigned. Pairs compare by their upper halves.
    localparam         REST  = IS_PAIR ? VALUE_W/2 : 0;
    wire [VALUE_W-1:0] turn  = {IS_SIGNED, {(VALUE_W-1){1'b0}}};
    wire [VALUE_W-1:0] a     = (state[VALUE_W-1:0] ^ turn) >> REST;
    wire [VALUE_W-1:0] b     = (other[VALUE_W-1:0] ^ turn) >> REST;
    wire [VALUE_W-1:0] c     = (value ^ turn) >> REST;
    wire               b_a   = IS_LEAST ? b < a : IS_MOST ? a < b : KIND == "LST";    // b, not a
    wire               c_a   = IS_LEAST ? c < a : IS_MOST ? a < c : KIND == "LST";
    wire               c_b   = IS_LEAST ? c < b : IS_MOST ? b < c : KIND == "LST";
    wire               is_c  = take && (c_a || !one_seen) && (c_b || !two_seen);
    wire               is_b  = two_seen && (b_a || !one_seen);
    wire               unused = &{1'b0, a, b, c, is_b, is_c, two, three};

    wire [VALUE_W-1:0] two   = other[VALUE_W-1:0] & {VALUE_W{merge}};
    wire [VALUE_W-1:0] three = value & {VALUE_W{take}};

    assign next[VALUE_W]     = one_seen || two_seen || take;
    assign next[VALUE_W-1:0] = KIND == "BOR" ? one | two | three : KIND == "XOR" ? one ^ two ^ three
                             : is_c ? value : is_b ? other[VALUE_W-1:0] : one;

`ifdef FORMAL
    // The same with integers.
    localparam integer VALUES = 1 << VALUE_W;
    integer v, a_ref, b_ref, after;
    reg     a_seen, b_seen;

    function signed [31:0] better(input signed [31:0] x, input signed [31:0] y);  // x came before y
        case (KIND)
            "MIN":   better = x < y ? x : y;
            "MAX":   better = x > y ? x : y;
            "AMN":   better = x >>> VALUE_W/2 <= y >>> VALUE_W/2 ? x : y;
            "AMX":   better = x >>> VALUE_W/2 >= y >>> VALUE_W/2 ? x : y;
            "FST":   better = x;
            "BOR":   better = x | y;
            "XOR":   better = x ^ y;
            default: better = y;
        endcase
    endfunction

    always @* begin
        v      = value;
        a_ref  = state[VALUE_W-1:0];
        b_ref  = other[VALUE_W-1:0];
        a_seen = state[VALUE_W] && keep;
        b_seen = other[VALUE_W] && merge;
        if (IS_SIGNED && v >= VALUES/2) v = v - VALUES;
        if (IS_SIGNED && a_ref >= VALUES/2) a_ref = a_ref - VALUES;
        if (IS_SIGNED && b_ref >= VALUES/2) b_ref = b_ref - VALUES;
        // a state is well-formed
        assume (state[VALUE_W] || a_ref == 0);
        assume (other[VALUE_W] || b_ref == 0);

        after = 0;
        if (a_seen) after = a_ref;
        if (b_seen) after = a_seen ? better(after, b_ref) : b_ref;
        if (take)   after = a_seen || b_seen ? better(after, v) : v;
        assert (next[VALUE_W-1:0] == (after & (VALUES - 1)));
        assert (next[VALUE_W] == (a_seen || b_seen || take));
        cover (a_seen && b_seen && take && after != 0);
    end
`endif

endmodule

`default_nettype wire
