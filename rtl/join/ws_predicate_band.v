// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate_band: the join predicate |window - probe| <= limit, for ws_predicate.
//
// Parameters   KEY_W     width of a key in bits, at least 1
//              SIGNED    1: keys are two's complement
//              LIMIT_W   width of the limit
// Latency      2 cycles; difference, compare
// Issue rate   1 pair per cycle
// Overflow     none: the difference has one bit more than a key

`default_nettype none

module ws_predicate_band #(
    parameter KEY_W   = 32,
    parameter SIGNED  = 0,
    parameter LIMIT_W = 32
) (
    input  wire               clk,
    input  wire [LIMIT_W-1:0] limit,
    input  wire [KEY_W-1:0]   window,
    input  wire [KEY_W-1:0]   probe,
    output reg                match
);

    reg  [KEY_W:0] diff_reg;
    wire           within;

    ws_predicate_within #(.W(KEY_W), .LIMIT_W(LIMIT_W)) compare (
        .diff(diff_reg), .limit(limit), .any(1'b1), .within(within)
    );

    always @(posedge clk) begin
        diff_reg <= {SIGNED != 0 && window[KEY_W-1], window} - {SIGNED != 0 && probe[KEY_W-1], probe};
        match    <= within;
    end

endmodule

`default_nettype wire
