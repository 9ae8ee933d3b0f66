// SPDX-License-Identifier: Apache-2.0
//
// ws_sort_layer: one layer of the comparators of a sorting network.
//
// Parameters   N, KEY_W, PAYLOAD_W, KIND, SPLIT  see ws_sort_network
//              LAYER  number of the layer, 0 to LAYERS - 1
// Latency      SPLIT cycles
// Issue rate   1 set a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.2

`default_nettype none

module ws_sort_layer #(
    parameter         N         = 8,
    parameter         KEY_W     = 32,
    parameter         PAYLOAD_W = 0,
    parameter [103:0] KIND      = "EVEN_ODD",
    parameter         SPLIT     = 0,
    parameter         LAYER     = 0
) (
    input  wire                           clk,
    input  wire [N*(KEY_W+PAYLOAD_W)-1:0] s_data,
    output wire [N*(KEY_W+PAYLOAD_W)-1:0] m_data
);

    `include "ws_sort_best.vh"
    `include "ws_sort_layers.vh"

    initial if (LAYER < 0 || LAYER >= LAYERS) begin
        $display("ERROR: %m: LAYER = %0d (0 to %0d)", LAYER, LAYERS - 1);
        $finish;
    end

    localparam W = KEY_W + PAYLOAD_W;

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : gen_wire
            localparam P = partner(LAYER, i);
            if (P > i) begin : gen_comparator
                ws_comparator #(.KEY_W(KEY_W), .PAYLOAD_W(PAYLOAD_W), .SPLIT(SPLIT)) comparator (
                    .clk(clk), .a(s_data[i*W +: W]), .b(s_data[P*W +: W]),
                    .low(m_data[i*W +: W]), .high(m_data[P*W +: W])
                );
            end else if (P == i) begin : gen_idle
                ws_shift #(.DATA_W(W), .N(SPLIT)) stage (
                    .clk(clk), .s_data(s_data[i*W +: W]), .m_data(m_data[i*W +: W])
                );
            end
        end
    endgenerate

endmodule

`default_nettype wire
