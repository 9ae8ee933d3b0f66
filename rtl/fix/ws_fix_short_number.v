// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_short_number: the digits of ws_fix_short as a number, in step with ws_fix_decimal.
//
// The point affects the unit of the digits only. Decimals beyond the wanted ones are cut off first.
//
// Latency      4 cycles from stage 3 to `value`
// Issue rate   1 number a cycle
// Bad input    excess decimals are ignored
// Source       none

`default_nettype none

module ws_fix_short_number (
    input  wire        clk,
    input  wire        step,
    // stage 3
    input  wire [3:0]  points,          // bit n: n digits follow the point; 0 if there is none
    input  wire [8:0]  decimals,        // one-hot: decimals of `value`
    input  wire [15:0] digits,          // four, without the point, the last digit in the low bits
    // stage 4
    input  wire        negative,
    // stage 7
    output reg  [63:0] value
);

    `include "ws_fix_worth.vh"

    // Stage 4: the digits that count. Stage 5: the number. Stages 6 and 7: times ten for each missing decimal.
    wire [3:0]  written = |points[3:1] ? {points[3:1], 1'b0} : 4'd1;    // one-hot: decimals of the digits
    reg  [2:0]  cut;                        // bit n: n + 1 decimals are too many
    reg  [8:0]  power, power_reg;           // bit n: ten to the power of n
    reg  [26:0] factor, factor_reg;
    reg  [15:0] kept, kept_reg;
    reg signed [14:0] digits_reg;
    reg signed [32:0] low_reg;
    reg signed [25:0] high_reg;
    integer     i, j;

    localparam [9*27-1:0] POWERS = {27'd100000000, 27'd10000000, 27'd1000000, 27'd100000, 27'd10000, 27'd1000, 27'd100,
                                    27'd10, 27'd1};

    always @* begin
        cut    = 3'd0;
        power  = 9'd0;
        factor = 27'd0;
        for (i = 0; i < 9; i = i + 1)
            for (j = 0; j < 4; j = j + 1) if (decimals[i] && written[j]) begin
                if (j > i) cut[j-i-1] = 1'b1;
                power[i > j ? i - j : 0] = 1'b1;
            end
        for (i = 0; i < 9; i = i + 1) if (power_reg[i]) factor = factor | POWERS[27*i +: 27];
        kept = |cut ? 16'd0 : digits;
        for (i = 0; i < 3; i = i + 1) if (cut[i]) kept = kept | digits >> (4 * i + 4);
    end

    wire [63:0] ones      = signed_worth(negative, kept_reg[3:0],   64'd1),
                tens      = signed_worth(negative, kept_reg[7:4],   64'd10),
                hundreds  = signed_worth(negative, kept_reg[11:8],  64'd100),
                thousands = signed_worth(negative, kept_reg[15:12], 64'd1000);

    always @(posedge clk) if (step) begin
        kept_reg   <= kept;
        power_reg  <= power;
        digits_reg <= ones[14:0] + tens[14:0] + hundreds[14:0] + thousands[14:0];
        factor_reg <= factor;
        low_reg    <= digits_reg * $signed({1'b0, factor_reg[16:0]});
        high_reg   <= digits_reg * $signed({1'b0, factor_reg[26:17]});
        value      <= {{31{low_reg[32]}}, low_reg} + {{21{high_reg[25]}}, high_reg, 17'd0};
    end

endmodule

`default_nettype wire
