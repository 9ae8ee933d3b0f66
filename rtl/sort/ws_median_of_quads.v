// SPDX-License-Identifier: Apache-2.0
//
// ws_median_of_quads: the lower median of two sorted quads of keys, the fourth smallest of the eight.
//
// Four keys are the smallest of all if they are the first i of `a` and the first 4 - i of `b`, and of a[i] and b[3-i] the
// smaller one is never above the fourth smallest; for one i it is that. So the largest of these is the median, with
// four comparators of which only the smaller output is used, and three of which only the larger one is.
//
// Key 0 is in the least significant bits, and is the smallest.
//
// Parameters   KEY_W  width of a key in bits, at least 1
// Latency      3 cycles
// Issue rate   1 median a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.6.1, the end of the network of figure 6.25

`default_nettype none

module ws_median_of_quads #(
    parameter KEY_W = 32
) (
    input  wire               clk,
    input  wire [4*KEY_W-1:0] a,
    input  wire [4*KEY_W-1:0] b,
    output wire [KEY_W-1:0]   median
);

    wire [4*KEY_W-1:0] smaller, smaller_reg;
    wire [2*KEY_W-1:0] larger, larger_reg;
    wire [KEY_W-1:0]   largest;
    wire [7*KEY_W-1:0] other;           // the outputs that are not used
    wire               unused = &{1'b0, other};

    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : gen_smaller
            ws_comparator #(.KEY_W(KEY_W)) half (
                .clk(clk), .a(a[i*KEY_W +: KEY_W]), .b(b[(3-i)*KEY_W +: KEY_W]),
                .low(smaller[i*KEY_W +: KEY_W]), .high(other[i*KEY_W +: KEY_W])
            );
        end
        for (i = 0; i < 2; i = i + 1) begin : gen_larger
            ws_comparator #(.KEY_W(KEY_W)) half (
                .clk(clk), .a(smaller_reg[2*i*KEY_W +: KEY_W]), .b(smaller_reg[(2*i+1)*KEY_W +: KEY_W]),
                .low(other[(4+i)*KEY_W +: KEY_W]), .high(larger[i*KEY_W +: KEY_W])
            );
        end
    endgenerate

    ws_comparator #(.KEY_W(KEY_W)) half (
        .clk(clk), .a(larger_reg[0 +: KEY_W]), .b(larger_reg[KEY_W +: KEY_W]),
        .low(other[6*KEY_W +: KEY_W]), .high(largest)
    );

    ws_shift #(.DATA_W(4*KEY_W), .N(1)) stage_1 (.clk(clk), .s_data(smaller), .m_data(smaller_reg));
    ws_shift #(.DATA_W(2*KEY_W), .N(1)) stage_2 (.clk(clk), .s_data(larger), .m_data(larger_reg));
    ws_shift #(.DATA_W(KEY_W), .N(1)) stage_3 (.clk(clk), .s_data(largest), .m_data(median));

endmodule

`default_nettype wire
