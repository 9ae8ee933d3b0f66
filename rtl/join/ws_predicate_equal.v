// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate_equal: the join predicate window = probe, for ws_predicate.
//
// Parameters   KEY_W   width of a key in bits, at least 1
// Latency      1 cycle
// Issue rate   1 pair per cycle

`default_nettype none

module ws_predicate_equal #(
    parameter KEY_W = 32
) (
    input  wire             clk,
    input  wire [KEY_W-1:0] window,
    input  wire [KEY_W-1:0] probe,
    output reg              match
);

    always @(posedge clk) match <= window == probe;

endmodule

`default_nettype wire
