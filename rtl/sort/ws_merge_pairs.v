// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_pairs: merges two sorted pairs of keys to a sorted quad, with three comparators.
//
// Key 0 is in the least significant bits, and is the smallest.
//
// Parameters   KEY_W  width of a key in bits, at least 1
// Latency      2 cycles
// Issue rate   1 quad a cycle
// Source       K. E. Batcher, Sorting networks and their applications (1968)

`default_nettype none

module ws_merge_pairs #(
    parameter KEY_W = 32
) (
    input  wire               clk,
    input  wire [2*KEY_W-1:0] a,
    input  wire [2*KEY_W-1:0] b,
    output wire [4*KEY_W-1:0] quad
);

    wire [4*KEY_W-1:0] compared, merged, sorted;

    ws_comparator #(.KEY_W(KEY_W)) lows (
        .clk(clk), .a(a[0 +: KEY_W]), .b(b[0 +: KEY_W]), .low(compared[0 +: KEY_W]), .high(compared[2*KEY_W +: KEY_W])
    );
    ws_comparator #(.KEY_W(KEY_W)) highs (
        .clk(clk), .a(a[KEY_W +: KEY_W]), .b(b[KEY_W +: KEY_W]),
        .low(compared[KEY_W +: KEY_W]), .high(compared[3*KEY_W +: KEY_W])
    );
    ws_shift #(.DATA_W(4*KEY_W), .N(1)) stage_1 (.clk(clk), .s_data(compared), .m_data(merged));

    assign sorted[0 +: KEY_W]       = merged[0 +: KEY_W];
    assign sorted[3*KEY_W +: KEY_W] = merged[3*KEY_W +: KEY_W];

    ws_comparator #(.KEY_W(KEY_W)) middle (
        .clk(clk), .a(merged[KEY_W +: KEY_W]), .b(merged[2*KEY_W +: KEY_W]),
        .low(sorted[KEY_W +: KEY_W]), .high(sorted[2*KEY_W +: KEY_W])
    );
    ws_shift #(.DATA_W(4*KEY_W), .N(1)) stage_2 (.clk(clk), .s_data(sorted), .m_data(quad));

endmodule

`default_nettype wire
