// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_lanes_sort: sorts a stream of beats of P elements in runs of 2**LEVELS elements, P elements a cycle.
//
// A network sorts each beat; the runs of P elements are then merged, level by level, see ws_merge_lanes. Equal keys keep
// their order. The user fills the last run up with elements that are after all others.
//
//   s ──▶ network of P ──▶ level P ──▶ level 2P ──▶ ... ──▶ FIFO ──▶ m
//
// Parameters   LEVELS     a run has 2**LEVELS elements, 2 to 19; 1 to 15 more than log2 P
//              P          elements of a beat, a power of two, 2 to 16
//              KEY_W      width of a key in bits, at least 1; the order of keys is unsigned, see ws_sort_key
//              PAYLOAD_W  width of an element without its key in bits, at least 1
// Ports        s_data, m_data   elements {key, payload}, the first in the low bits
//              m_last           with the last beat of a run
// Latency      106 cycles with LEVELS = 8 and P = 4, from the first beat of a run that arrives without a gap to m_valid; with
//              others LAYERS + 2, LAYERS those of the network, and the latencies of the levels, see ws_merge_lanes_level
// Issue rate   1 beat a cycle; runs follow each other without a gap
// Overflow     cannot happen: s_ready goes low
// Source       see ws_merge_lanes

`default_nettype none

module ws_merge_lanes_sort #(
    parameter LEVELS    = 8,
    parameter P         = 4,
    parameter KEY_W     = 32,
    parameter PAYLOAD_W = 32
) (
    input  wire                           clk,
    input  wire                           rst,

    input  wire                           s_valid,
    output wire                           s_ready,
    input  wire [P*(KEY_W+PAYLOAD_W)-1:0] s_data,

    output wire                           m_valid,
    input  wire                           m_ready,
    output wire                           m_last,
    output wire [P*(KEY_W+PAYLOAD_W)-1:0] m_data
);

    localparam LOG_P  = $clog2(P);
    localparam MERGES = LEVELS - LOG_P;
    localparam LAYERS = LOG_P * (LOG_P + 1) / 2;
    localparam BEAT_W = P * (KEY_W + PAYLOAD_W);
    localparam SLACK  = 1 + LOG_P;

    initial if (P < 2 || P > 16 || P != 1 << LOG_P || MERGES < 1 || MERGES > 15) begin
        $display("ERROR: %m: P = %0d (a power of two, 2 to 16), LEVELS = %0d (1 to 15 more than log2 P)", P, LEVELS);
        $finish;
    end

    // Link i is the input of level i.
    wire [MERGES:0]            valid, ready, last;
    wire [(MERGES+1)*BEAT_W-1:0] data;
    wire                       unused_early;

    assign s_ready = ready[0];
    assign last[0] = 1'b1;

    ws_sort_network #(
        .N(P), .KEY_W(KEY_W), .PAYLOAD_W(PAYLOAD_W), .KIND("EVEN_ODD"), .CIRCUIT("PIPELINED"), .STABLE(1)
    ) network (
        .clk(clk), .rst(rst),
        .s_valid(s_valid && s_ready), .s_data(s_data), .m_valid(valid[0]), .m_data(data[0 +: BEAT_W]), .evt_early(unused_early)
    );

    genvar i;
    generate
        for (i = 0; i < MERGES; i = i + 1) begin : gen_level
            ws_merge_lanes_level #(
                .RUN(1 << i), .P(P), .KEY_W(KEY_W), .PAYLOAD_W(PAYLOAD_W), .SLACK(i == 0 ? LAYERS : SLACK)
            ) level (
                .clk(clk), .rst(rst),
                .s_valid(valid[i]), .s_ready(ready[i]), .s_last(last[i]), .s_data(data[i*BEAT_W +: BEAT_W]),
                .m_valid(valid[i+1]), .m_ready(ready[i+1]), .m_last(last[i+1]), .m_data(data[(i+1)*BEAT_W +: BEAT_W])
            );
        end
    endgenerate

    ws_slack_fifo #(.DATA_W(BEAT_W + 1), .SLACK(SLACK)) fifo (
        .clk(clk), .rst(rst),
        .s_valid(valid[MERGES]), .s_ready(ready[MERGES]), .s_data({last[MERGES], data[MERGES*BEAT_W +: BEAT_W]}),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_last, m_data})
    );

endmodule

`default_nettype wire
