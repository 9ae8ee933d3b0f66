// SPDX-License-Identifier: Apache-2.0
//
// ws_negate: a number or its negative in two's complement, for magnitudes and signs of wide numbers.
//
// Parameters   W      width in bits, at least 1; with FAST 2
//              FAST   1: the lower half in one cycle and the upper half in the next, each with a short carry
// Latency      1 + FAST cycles
// Issue rate   1 number a cycle
// Bad input    the most negative number has no negative, and stays as it is: as an unsigned number it is right

`default_nettype none

module ws_negate #(
    parameter W    = 32,
    parameter FAST = 0
) (
    input  wire         clk,
    input  wire         negative,   // y shall be -a
    input  wire [W-1:0] a,
    output wire [W-1:0] y
);

    initial if (W < 1 + FAST || FAST < 0 || FAST > 1) begin
        $display("ERROR: %m: W = %0d (at least 1, or 2 if FAST is 1), FAST = %0d (0 or 1)", W, FAST);
        $finish;
    end

    wire [W-1:0] flipped = a ^ {W{negative}};

    generate
        if (FAST == 0) begin : gen_whole
            reg [W-1:0] y_reg;
            always @(posedge clk) y_reg <= flipped + {{(W-1){1'b0}}, negative};
            assign y = y_reg;
        end else begin : gen_halves
            localparam LOW  = W / 2;
            localparam HIGH = W - LOW;
            reg [LOW-1:0]  low_reg, y_low_reg;
            reg            carry_reg;       // out of the lower half
            reg [HIGH-1:0] high_reg, y_high_reg;

            always @(posedge clk) begin
                {carry_reg, low_reg} <= {1'b0, flipped[LOW-1:0]} + {{LOW{1'b0}}, negative};
                high_reg             <= flipped[W-1:LOW];
                y_low_reg            <= low_reg;
                y_high_reg           <= high_reg + {{(HIGH-1){1'b0}}, carry_reg};
            end

            assign y = {y_high_reg, y_low_reg};
        end
    endgenerate

endmodule

`default_nettype wire
