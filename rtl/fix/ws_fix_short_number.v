// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_short_number: the digits of ws_fix_short as a number, in step with ws_fix_decimal.
//
// Latency      3 cycles
// Issue rate   1 number a cycle
// Bad input    further decimals than wanted are left out
// Source       none

`default_nettype none

module ws_fix_short_number (
    input  wire        clk,
    input  wire        step,
    input  wire [15:0] whole,           // four digits, the last in the low bits
    input  wire [11:0] fraction,        // three digits, the first in the low bits
    input  wire        negative,
    input  wire [8:0]  decimals,        // one-hot: digits behind the point in `value`
    output reg  [63:0] value
);

    `include "ws_fix_worth.vh"

    // Stage 5: the digits, with at most three of the wanted decimals. Stages 6 and 7: times ten for each of the others.
    reg [27:0] digits;
    reg [63:0] terms [1:6];
    reg [16:0] factor_reg;
    reg [23:0] digits_reg;
    reg        negative5_reg, negative6_reg;
    reg [34:0] low_reg;
    reg [22:0] high_reg;
    reg [63:0] total;

    always @* begin
        digits = 28'd0;
        if (decimals[0])    digits = digits | {12'd0, whole};
        if (decimals[1])    digits = digits | {8'd0, whole, fraction[3:0]};
        if (decimals[2])    digits = digits | {4'd0, whole, fraction[3:0], fraction[7:4]};
        if (|decimals[8:3]) digits = digits | {whole, fraction[3:0], fraction[7:4], fraction[11:8]};
        terms[1] = worth(digits[7:4],   64'd10);
        terms[2] = worth(digits[11:8],  64'd100);
        terms[3] = worth(digits[15:12], 64'd1000);
        terms[4] = worth(digits[19:16], 64'd10000);
        terms[5] = worth(digits[23:20], 64'd100000);
        terms[6] = worth(digits[27:24], 64'd1000000);
        total    = {29'd0, low_reg} + {23'd0, high_reg, 18'd0} + {64{negative6_reg}};   // -n = ~(n - 1)
    end

    always @(posedge clk) if (step) begin
        digits_reg    <= {20'd0, digits[3:0]} + terms[1][23:0] + terms[2][23:0] + terms[3][23:0] + terms[4][23:0]
                         + terms[5][23:0] + terms[6][23:0];
        factor_reg    <= decimals[8] ? 17'd100000 : decimals[7] ? 17'd10000 : decimals[6] ? 17'd1000
                         : decimals[5] ? 17'd100 : decimals[4] ? 17'd10 : 17'd1;
        negative5_reg <= negative;
        negative6_reg <= negative5_reg;
        low_reg       <= digits_reg[17:0] * factor_reg;
        high_reg      <= digits_reg[23:18] * factor_reg;
        value         <= negative6_reg ? ~total : total;
    end

endmodule

`default_nettype wire
