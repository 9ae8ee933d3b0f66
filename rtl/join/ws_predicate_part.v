// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate_part: the join predicate "the first or last `limit` bits of both keys are equal", for ws_predicate.
//
// Parameters   KEY_W     width of a key in bits, at least 1: 32 for an IPv4 address
//              LAST      0: the first bits, from the most significant one; 1: the last bits
//              LIMIT_W   width of the number of bits
// Latency      1 cycle
// Issue rate   1 pair per cycle
// Bad input    a length above KEY_W selects the whole key

`default_nettype none

module ws_predicate_part #(
    parameter KEY_W   = 32,
    parameter LAST    = 0,
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
        for (i = 0; i < KEY_W; i = i + 1)
            mask_reg[LAST != 0 ? i : KEY_W-1-i] <= {{32{1'b0}}, limit} > {{LIMIT_W{1'b0}}, i};
        match <= ((window ^ probe) & mask_reg) == {KEY_W{1'b0}};
    end

endmodule

`default_nettype wire
