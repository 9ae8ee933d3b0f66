// SPDX-License-Identifier: Apache-2.0
//
// ws_negate: a number or its negative in two's complement, for magnitudes and signs of wide numbers.
//
// The one that is added to the flipped bits reaches a part of them if all bits below it were 0. With FAST one cycle
// finds the parts that are 0, and in the next each adds its own one, so that no test or carry is longer than a part.
//
// Parameters   W      width in bits, at least 1
//              FAST   1: in parts of 32 bits, in two cycles
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

    initial if (W < 1 || FAST < 0 || FAST > 1) begin
        $display("ERROR: %m: W = %0d (at least 1), FAST = %0d (0 or 1)", W, FAST);
        $finish;
    end

    wire [W-1:0] flipped = a ^ {W{negative}};

    generate
        if (FAST == 0) begin : gen_whole
            reg [W-1:0] y_reg;
            always @(posedge clk) y_reg <= flipped + {{(W-1){1'b0}}, negative};
            assign y = y_reg;
        end else begin : gen_parts
            localparam PART  = 32;
            localparam PARTS = (W + PART - 1) / PART;

            wire [PARTS-1:0] ones;      // bit p: to be added to part p
            genvar p;

            for (p = 0; p < PARTS; p = p + 1) begin : part
                localparam N = p == PARTS - 1 ? W - p*PART : PART;
                reg         one_reg;    // the part below passes the one on that it gets; part 0 gets it
                reg [N-1:0] flipped_reg, y_reg;

                if (p == 0) begin : gen_first
                    always @(posedge clk) one_reg <= negative;
                    assign ones[p] = one_reg;
                end else begin : gen_next
                    always @(posedge clk) one_reg <= negative && a[(p-1)*PART +: PART] == 0;
                    assign ones[p] = one_reg && (p == 1 || ones[p-1]);
                end

                always @(posedge clk) begin
                    flipped_reg <= flipped[p*PART +: N];
                    y_reg       <= flipped_reg + ones[p];
                end

                assign y[p*PART +: N] = y_reg;
            end
        end
    endgenerate

endmodule

`default_nettype wire
