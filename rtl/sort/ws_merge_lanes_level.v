// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_lanes_level: merges each two runs of a stream of beats into one; a level of ws_merge_lanes_sort.
//
// Runs go to the two inputs of a merger in turn. An input has room for a whole run, and for what arrives until the
// merger takes the first beats of the second run: so the runs follow each other without a gap.
//
// Parameters   RUN        beats of a run, a power of two, 1 to 32768
//              P, KEY_W, PAYLOAD_W, SLACK    see ws_merge_lanes
// Ports        s_*, m_*   as of ws_merge_lanes; s_last with each RUN-th beat
// Latency      RUN + 3 + log2 P cycles, if full runs come without a gap, and 2 + 2 * (RUN > 16) more if RUN > 4
// Issue rate   1 beat a cycle
// Overflow     cannot happen, if s_ready is observed
// Source       D. E. Knuth, The Art of Computer Programming 3, section 5.2.4

`default_nettype none

module ws_merge_lanes_level #(
    parameter RUN       = 1,
    parameter P         = 4,
    parameter KEY_W     = 32,
    parameter PAYLOAD_W = 32,
    parameter SLACK     = 3
) (
    input  wire                           clk,
    input  wire                           rst,

    input  wire                           s_valid,
    output wire                           s_ready,
    input  wire                           s_last,
    input  wire [P*(KEY_W+PAYLOAD_W)-1:0] s_data,

    output wire                           m_valid,
    input  wire                           m_ready,
    output wire                           m_last,
    output wire [P*(KEY_W+PAYLOAD_W)-1:0] m_data
);

    initial if (RUN < 1 || RUN > 32768 || RUN != 1 << $clog2(RUN)) begin
        $display("ERROR: %m: RUN = %0d (a power of two, 1 to 32768)", RUN);
        $finish;
    end

    localparam BEAT_W = P * (KEY_W + PAYLOAD_W);
    localparam FIFOS  = RUN > 4;                // the merger's queues have not enough room

    reg           side_reg;                     // the input to which the run goes
    wire [1:0]    valid = {side_reg, !side_reg} & {2{s_valid}};
    wire [1:0]    ready;
    wire [1:0]    run_valid, run_ready, run_last;
    wire [2*BEAT_W-1:0] run_data;

    assign s_ready = &ready;                    // the next beats may be of either

    always @(posedge clk)
        if (rst) side_reg <= 1'b0;
        else if (s_valid && s_last) side_reg <= !side_reg;

    genvar q;
    generate
        if (FIFOS) begin : gen_fifos
            for (q = 0; q < 2; q = q + 1) begin : gen_fifo
                ws_slack_fifo #(
                    .DATA_W(BEAT_W + 1), .SLACK(SLACK), .ADDR_W($clog2(2*RUN)), .BLOCK(RUN > 16)
                ) fifo (
                    .clk(clk), .rst(rst),
                    .s_valid(valid[q]), .s_ready(ready[q]), .s_data({s_last, s_data}),
                    .m_valid(run_valid[q]), .m_ready(run_ready[q]), .m_data({run_last[q], run_data[q*BEAT_W +: BEAT_W]})
                );
            end
        end else begin : gen_queues
            assign run_valid = valid;
            assign ready     = run_ready;
            assign run_last  = {2{s_last}};
            assign run_data  = {2{s_data}};
        end
    endgenerate

    ws_merge_lanes #(.P(P), .KEY_W(KEY_W), .PAYLOAD_W(PAYLOAD_W), .SLACK(FIFOS ? 0 : SLACK), .QUEUE_W(SLACK > 4 ? 5 : 4)) merger (
        .clk(clk), .rst(rst),
        .s_valid(run_valid), .s_ready(run_ready), .s_last(run_last), .s_data(run_data),
        .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last), .m_data(m_data)
    );

endmodule

`default_nettype wire
