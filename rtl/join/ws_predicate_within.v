// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate_within: |diff| <= limit, for ws_predicate.
//
// Parameters   W         diff is in two's complement with W + 1 bits
//              LIMIT_W   width of the limit
// Ports        any       0: nothing is within the limit, which must then be 0
// Latency      0 cycles

`default_nettype none

module ws_predicate_within #(
    parameter W       = 32,
    parameter LIMIT_W = 32
) (
    input  wire [W:0]         diff,
    input  wire [LIMIT_W-1:0] limit,
    input  wire               any,
    output wire               within
);

    localparam V = LIMIT_W > W ? LIMIT_W : W;

    // far is |diff| - negative. With it limit - |diff| takes one carry chain, whose carry out is set if it is not
    // negative; the lowest bit of both operands is the carry in, without which even 0 would not be within 0.
    wire         negative = diff[W];
    wire [V-1:0] far      = {{(V-W){1'b0}}, diff[W-1:0] ^ {W{negative}}};
    wire [V-1:0] bound    = {{(V-LIMIT_W){1'b0}}, limit};
    wire [V:0]   unused;

    assign {within, unused} = {1'b0, bound, 1'b1} + {1'b0, ~far, any && !negative};

endmodule

`default_nettype wire
