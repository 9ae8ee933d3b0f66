// SPDX-License-Identifier: Apache-2.0
//
// ws_group_fold: a step of an aggregate of ws_fold other than CNT and SUM, in two halves of the number, the lower
// half a cycle after the upper.
//
// The upper state is {seen, number's upper half}: whether there was a value. Without one the number is meaningless. AMN
// and AMX compare upper halves only.
//
// Parameters   KIND, VALUE_W, SIGNED   see ws_fold; VALUE_W is at least 2
//              LOW      width of the lower half; follows from VALUE_W
// Ports        state_high, fresh (ignore the state), take (there is a value), value_high; next_high in the same cycle
//              state_low, value_low a cycle later; next_low in the same cycle
// Latency      0 cycles for the upper half, 1 for the lower
// Issue rate   1 step a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6; the halves are ours

`default_nettype none

module ws_group_fold #(
    parameter [23:0] KIND    = "MAX",
    parameter        VALUE_W = 32,
    parameter        SIGNED  = 1,
    parameter        LOW     = VALUE_W/2
) (
    input  wire                   clk,

    input  wire [VALUE_W-LOW:0]   state_high,
    input  wire                   fresh,
    input  wire                   take,
    input  wire [VALUE_W-LOW-1:0] value_high,
    output wire [VALUE_W-LOW:0]   next_high,

    input  wire [LOW-1:0]         state_low,
    input  wire [LOW-1:0]         value_low,
    output wire [LOW-1:0]         next_low
);

    localparam HIGH     = VALUE_W - LOW;
    localparam IS_PAIR  = KIND == "AMN" || KIND == "AMX";
    localparam IS_LEAST = KIND == "MIN" || KIND == "AMN";
    localparam IS_ORDER = IS_LEAST || KIND == "MAX" || KIND == "AMX";
    localparam IS_BITS  = KIND == "BOR" || KIND == "XOR";

    initial if (VALUE_W < 2) begin
        $display("ERROR: %m: VALUE_W = %0d, must be at least 2", VALUE_W);
        $finish;
    end

    // Maps values so that the unsigned greatest is the best.
    localparam [VALUE_W-1:0] ORDER = {VALUE_W{IS_LEAST}} ^ ({{(VALUE_W-1){1'b0}}, SIGNED != 0} << (VALUE_W - 1));

    // Stage 1: the upper half
    reg             replace_reg, equal_reg;    // for BOR and XOR: there was a value
    wire            seen    = state_high[HIGH] && !fresh;
    wire [HIGH-1:0] before  = state_high[HIGH-1:0];
    wire [HIGH-1:0] order   = ORDER[VALUE_W-1:LOW];
    wire            better  = IS_ORDER ? (before ^ order) < (value_high ^ order) : KIND == "LST" || IS_BITS;
    wire            replace = take && (!seen || better);

    wire [HIGH-1:0] bits    = KIND == "BOR" ? before | value_high : before ^ value_high;

    assign next_high = {seen || take, !replace ? before : IS_BITS && seen ? bits : value_high};

    always @(posedge clk) begin
        replace_reg <= replace;
        equal_reg   <= IS_BITS ? take && seen : IS_ORDER && !IS_PAIR && take && seen && before == value_high;
    end

    // Stage 2: the lower half
    wire [LOW-1:0] order_low   = ORDER[LOW-1:0];
    wire           replace_low = replace_reg || (equal_reg && (state_low ^ order_low) < (value_low ^ order_low));
    wire [LOW-1:0] bits_low    = KIND == "BOR" ? state_low | value_low : state_low ^ value_low;

    assign next_low = !replace_low ? state_low : IS_BITS && equal_reg ? bits_low : value_low;

endmodule

`default_nettype wire
