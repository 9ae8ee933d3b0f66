// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate_suffix: the join predicate "the last `limit` bits of both keys are equal", for ws_predicate.
//
// Parameters   KEY_W     width of a key in bits, at least 1: 32 for an IPv4 address
//              LIMIT_W   width of the suffix's length
// Latency      1 cycle
// Issue rate   1 pair per cycle
// Bad input    a length above KEY_W selects the whole key

`default_nettype none

module ws_predicate_suffix #(
    parameter KEY_W   = 32,
    parameter LIMIT_W = 6
) (
    input  wire               clk,
    input  wire [LIMIT_W-1:0] limit,
    input  wire [KEY_W-1:0]   window,
    input  wire [KEY_W-1:0]   probe,
    output reg                match
);

    reg [KEY_W-1:0] mask_reg;
    integer         i;

    always @(posedge clk) begin
        for (i = 0; i < KEY_W; i = i + 1) mask_reg[i] <= {{32{1'b0}}, limit} > {{LIMIT_W{1'b0}}, i};
        match <= ((window ^ probe) & mask_reg) == {KEY_W{1'b0}};
    end

endmodule

`default_nettype wire
