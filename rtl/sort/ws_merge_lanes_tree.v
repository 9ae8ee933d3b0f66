// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_lanes_tree: merges K sorted streams of beats of P elements into one, P elements a cycle.
//
// Streams, runs and elements are those of ws_merge_lanes. Nodes are numbered as in a heap: node n merges 2n and 2n + 1,
// the inputs are K to 2K - 1, and 1 is the root. All of them have P lanes, so that one input alone gives P elements a
// cycle, as it does if the array is sorted already.
//
// Parameters   K          inputs, a power of two, 2 to 64
//              P          elements of a beat, a power of two, 2 to 16
//              KEY_W      width of a key in bits, at least 1; the order of keys is unsigned, see ws_sort_key
//              PAYLOAD_W  width of an element without its key in bits, at least 1
// Ports        s_*     of the inputs, input 0 in the low bits. s_data: elements {key, payload}, the first in the low bits
// Latency      2 + (3 + log2 P) * log2 K cycles, from the last of the beats that are needed to m_valid
// Issue rate   1 beat a cycle; from one input too. Runs follow each other without a gap
// Overflow     cannot happen: s_ready goes low. An input without a beat stalls the output
// Bad input    a run that is not sorted makes one that is not, with the same elements
// Source       see ws_merge_lanes; trees of mergers: N. Samardzic et al., Bonsai, ISCA 2020

`default_nettype none

module ws_merge_lanes_tree #(
    parameter K         = 16,
    parameter P         = 4,
    parameter KEY_W     = 32,
    parameter PAYLOAD_W = 32
) (
    input  wire                             clk,
    input  wire                             rst,

    input  wire [K-1:0]                     s_valid,
    output wire [K-1:0]                     s_ready,
    input  wire [K-1:0]                     s_last,
    input  wire [K*P*(KEY_W+PAYLOAD_W)-1:0] s_data,

    output wire                             m_valid,
    input  wire                             m_ready,
    output wire                             m_last,
    output wire [P*(KEY_W+PAYLOAD_W)-1:0]   m_data
);

    initial if (K < 2 || K > 64 || K != 1 << $clog2(K)) begin
        $display("ERROR: %m: K = %0d (a power of two, 2 to 64)", K);
        $finish;
    end

    localparam BEAT_W = P * (KEY_W + PAYLOAD_W);
    localparam SLACK  = 1 + $clog2(P);          // of what comes from a node

    // The outputs of the nodes, then the inputs; there is no node 0.
    wire [2*K-1:1]             valid, ready, last;
    wire [2*K*BEAT_W-1:BEAT_W] data;

    assign valid[K +: K]             = s_valid;
    assign s_ready                   = ready[K +: K];
    assign last[K +: K]              = s_last;
    assign data[K*BEAT_W +: K*BEAT_W] = s_data;

    genvar n;
    generate
        for (n = 1; n < K; n = n + 1) begin : gen_node
            ws_merge_lanes #(
                .P(P), .KEY_W(KEY_W), .PAYLOAD_W(PAYLOAD_W), .SLACK(2*n < K ? SLACK : 0), .QUEUE_W(SLACK > 4 ? 5 : 4)
            ) node (
                .clk(clk), .rst(rst),
                .s_valid(valid[2*n +: 2]), .s_ready(ready[2*n +: 2]), .s_last(last[2*n +: 2]),
                .s_data(data[2*n*BEAT_W +: 2*BEAT_W]),
                .m_valid(valid[n]), .m_ready(ready[n]), .m_last(last[n]), .m_data(data[n*BEAT_W +: BEAT_W])
            );
        end
    endgenerate

    ws_slack_fifo #(.DATA_W(BEAT_W + 1), .SLACK(SLACK)) fifo (
        .clk(clk), .rst(rst),
        .s_valid(valid[1]), .s_ready(ready[1]), .s_data({last[1], data[BEAT_W +: BEAT_W]}),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_last, m_data})
    );

endmodule

`default_nettype wire
