// SPDX-License-Identifier: Apache-2.0
//
// ws_negate: negates a number in two's complement, or not, for magnitudes and signs of wide numbers.
//
// The 1 that is added to the inverted bits reaches a part if all bits below it were 0. With FAST, the first cycle finds
// the parts that are 0, the second those that the 1 reaches, and in the third each part adds its own, so that no test
// or carry is longer than a part and no logic precedes it.
//
// Parameters   W      width in bits, at least 1
//              FAST   1: in parts of 32 bits, in three cycles
// Latency      1 + 2*FAST cycles
// Issue rate   1 number a cycle
// Bad input    the most negative number has no negative and is returned unchanged: read as unsigned, it is correct

`default_nettype none

module ws_negate #(
    parameter W    = 32,
    parameter FAST = 0
) (
    input  wire         clk,
    input  wire         negative,   // y is -a
    input  wire [W-1:0] a,
    output wire [W-1:0] y
);

    initial if (W < 1 || FAST < 0 || FAST > 1) begin
        $display("ERROR: %m: W = %0d (at least 1), FAST = %0d (0 or 1)", W, FAST);
        $finish;
    end

    generate
        if (FAST == 0) begin : gen_whole
            reg [W-1:0] y_reg;
            always @(posedge clk) y_reg <= (a ^ {W{negative}}) + {{(W-1){1'b0}}, negative};
            assign y = y_reg;
        end else begin : gen_parts
            localparam PART  = 32;
            localparam PARTS = (W + PART - 1) / PART;

            reg              negative_reg;
            reg  [W-1:0]     a_reg, flipped_reg, y_reg;
            reg  [PARTS-1:0] ones_reg;      // bit p: to be added to part p
            wire [PARTS-1:0] zero;          // bit p: part p - 1 was 0, or there is none
            genvar p;

            always @(posedge clk) begin
                negative_reg <= negative;
                a_reg        <= a;
                flipped_reg  <= a_reg ^ {W{negative_reg}};
            end

            assign zero[0] = 1'b1;
            assign y       = y_reg;

            for (p = 0; p < PARTS; p = p + 1) begin : part
                localparam N = p == PARTS - 1 ? W - p*PART : PART;

                if (p > 0) begin : gen_zero
                    reg zero_reg;
                    always @(posedge clk) zero_reg <= a[(p-1)*PART +: PART] == 0;
                    assign zero[p] = zero_reg;
                end

                always @(posedge clk) begin
                    ones_reg[p]        <= negative_reg && &zero[p:0];
                    y_reg[p*PART +: N] <= flipped_reg[p*PART +: N] + ones_reg[p];
                end
            end
        end
    endgenerate

endmodule

`default_nettype wire
