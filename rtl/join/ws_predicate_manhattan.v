// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate_manhattan: the join predicate |x - x'| + |y - y'| < limit, for ws_predicate.
//
// A key is {x, y}. The published circuit adds the two distances in the width of a field, where the sum of two far
// points wraps around to a small number; here no sum is truncated.
//
// Parameters   KEY_W     width of a key in bits: twice that of a field
//              SIGNED    1: fields are two's complement
//              LIMIT_W   width of the limit
// Latency      3 cycles; differences, sum, compare
// Issue rate   1 pair per cycle
// Overflow     none: the sum has two bits more than a field, one of them its sign
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), figure 5

`default_nettype none

module ws_predicate_manhattan #(
    parameter KEY_W   = 64,
    parameter SIGNED  = 0,
    parameter LIMIT_W = 33
) (
    input  wire               clk,
    input  wire [LIMIT_W-1:0] limit,
    input  wire [KEY_W-1:0]   window,
    input  wire [KEY_W-1:0]   probe,
    output reg                match
);

    localparam F = KEY_W / 2;

    // The sum of the distances is the sum or the difference of dx and dy, negated if dx is negative: no absolute value
    // is needed before the addition.
    wire [F:0]         dx = {SIGNED != 0 && window[KEY_W-1], window[F +: F]}
                          - {SIGNED != 0 && probe[KEY_W-1], probe[F +: F]};
    wire [F:0]         dy = {SIGNED != 0 && window[F-1], window[0 +: F]} - {SIGNED != 0 && probe[F-1], probe[0 +: F]};
    reg  [F:0]         dx_reg, dy_reg;
    reg                opposite_reg;        // their signs differ
    reg  [F+1:0]       sum_reg;
    wire [F+1:0]       sum;
    wire               unused;
    wire               within;

    assign {sum, unused} = {dx_reg[F], dx_reg, 1'b1} + {{dy_reg[F], dy_reg} ^ {(F+2){opposite_reg}}, opposite_reg};

    // |sum| < limit is |sum| <= limit - 1, and a limit of 0 has no match.
    reg  [LIMIT_W-1:0] most_reg;
    reg                any_reg;

    ws_predicate_within #(.W(F + 1), .LIMIT_W(LIMIT_W)) compare (
        .diff(sum_reg), .limit(most_reg), .any(any_reg), .within(within)
    );

    always @(posedge clk) begin
        most_reg     <= limit != {LIMIT_W{1'b0}} ? limit - 1'b1 : {LIMIT_W{1'b0}};
        any_reg      <= limit != {LIMIT_W{1'b0}};
        dx_reg       <= dx;
        dy_reg       <= dy;
        opposite_reg <= dx[F] ^ dy[F];
        sum_reg      <= sum;
        match        <= within;
    end

endmodule

`default_nettype wire
