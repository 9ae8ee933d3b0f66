// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_lanes: merges two sorted streams of beats of P elements into one, P elements a cycle.
//
// A stream is a sequence of runs. A run is sorted and has one or more whole beats, s_last with the last one; the user
// fills it up with elements that are after all others, and an empty run is a beat of them. The n-th runs of both
// inputs leave as one. Equal keys keep their order, those of input 0 first.
//
// Lane i of input 0 is compared with lane P - 1 - i of input 1. Lanes wait in queues of their own, so that their heads
// are the next P elements of an input, rotated; then the lesser ones of all pairs are the next P of both, and a rotated
// bitonic sequence, which log2 P layers of comparators sort. A lane whose run has ended waits until those of all lanes
// have: it is after the others.
//
//              ┌ lane 0 ─┐                    ┌───┐  ┌───┐
//   s 0 ──▶ ─▶ │   ...   │ ─▶ lesser of      │P/2│  │   │
//              └ lane P-1┘    i and P-1-i ──▶ │   │─▶│ 1 │ ──▶ m
//              ┌ lane 0 ─┐      │             │   │  │   │
//   s 1 ──▶ ─▶ │   ...   │ ◀────┘ taken       └───┘  └───┘
//              └ lane P-1┘
//
// Parameters   P          elements of a beat, a power of two, 2 to 16
//              KEY_W      width of a key in bits, at least 1; the order of keys is unsigned, see ws_sort_key
//              PAYLOAD_W  width of an element without its key in bits, at least 1
//              SLACK      a beat may arrive so many cycles after s_ready was high, see ws_lane_queue, 0 to 2**QUEUE_W - 4;
//                         0: a handshake
//              QUEUE_W    the width of an address of a queue, 3 to 6; 2**QUEUE_W - 3 - SLACK beats wait in each
// Ports        s_*      of the inputs, input 0 in the low bits. s_data: elements {key, payload}, the first in the low bits
//              m_ready  a beat may begin: it comes LATENCY - 2 cycles later, and is taken whether m_ready is high or not.
//                       So a sink has SLACK = LATENCY - 2
// Latency      3 + log2 P cycles, from the last of the beats that are needed to m_valid
// Issue rate   1 beat a cycle, from one input alone too, if 2**QUEUE_W is at least 2 * SLACK + 8; runs follow each other
//              without a gap
// Overflow     cannot happen, if s_ready is observed
// Bad input    a run that is not sorted makes one that is not, with the same elements
// Source       P. Papaphilippou, C. Brooks, W. Luk, FLiMS: Fast Lightweight Merge Sorter, International
//              Conference on Field-Programmable Technology 2018; the order of equal keys by a tag, and the ends of runs,
//              are ours

`default_nettype none

module ws_merge_lanes #(
    parameter P         = 4,
    parameter KEY_W     = 32,
    parameter PAYLOAD_W = 32,
    parameter SLACK     = 0,
    parameter QUEUE_W   = 4
) (
    input  wire                               clk,
    input  wire                               rst,

    input  wire [1:0]                         s_valid,
    output wire [1:0]                         s_ready,
    input  wire [1:0]                         s_last,
    input  wire [2*P*(KEY_W+PAYLOAD_W)-1:0]   s_data,

    output wire                               m_valid,
    input  wire                               m_ready,
    output wire                               m_last,
    output wire [P*(KEY_W+PAYLOAD_W)-1:0]     m_data
);

    localparam LOG_P  = $clog2(P);
    localparam W      = KEY_W + PAYLOAD_W;
    localparam HEAD_W = W + 1;                  // with s_last
    localparam TAG_W  = 2 + LOG_P;              // what decides between equal keys
    localparam ORDER_W = KEY_W + TAG_W;
    localparam ITEM_W = ORDER_W + PAYLOAD_W;

    initial if (P < 2 || P > 16 || P != 1 << LOG_P || KEY_W < 1 || PAYLOAD_W < 1
                || QUEUE_W < 3 || QUEUE_W > 6) begin
        $display("ERROR: %m: P = %0d (a power of two, 2 to 16), KEY_W, PAYLOAD_W = %0d, %0d (at least 1), QUEUE_W = %0d (3 to 6)",
                 P, KEY_W, PAYLOAD_W, QUEUE_W);
        $finish;
    end

    // ---- The heads of the lanes. Lane i of input q has number q*P + i.

    wire [1:0]            valid;
    wire [2*P-1:0]        take, last;
    wire [2*P*HEAD_W-1:0] heads;
    reg  [2*P-1:0]        gone_reg;             // the last element of the run has been taken, though it waits here
    reg  [2*P-1:0]        turn_reg;             // changes with each element that is taken from the lane
    wire                  step    = &valid && m_ready;
    // The elements left are a multiple of P. If all are the last ones of their lanes, they are P, or 2 P and none is gone.
    wire                  closing = &(gone_reg | last) && (gone_reg[0] || gone_reg[2*P-1]);

    genvar q, i, s;
    generate
        for (q = 0; q < 2; q = q + 1) begin : gen_input
            wire [P*HEAD_W-1:0] beat;

            for (i = 0; i < P; i = i + 1) begin : gen_lane
                assign beat[i*HEAD_W +: HEAD_W] = {s_last[q], s_data[(q*P+i)*W +: W]};
                assign last[q*P+i] = heads[(q*P+i)*HEAD_W + W];
            end

            ws_lane_queue #(.P(P), .DATA_W(HEAD_W), .SLACK(SLACK), .ADDR_W(QUEUE_W)) queue (
                .clk(clk), .rst(rst),
                .s_valid(s_valid[q]), .s_ready(s_ready[q]), .s_data(beat),
                .m_valid(valid[q]), .m_take(take[q*P +: P] & {P{step}}), .m_data(heads[q*P*HEAD_W +: P*HEAD_W])
            );
        end
    endgenerate

    // ---- The lesser of each pair. An element that is taken has {input, turn, lane} with it: of an input, lanes whose turn
    // differs from that of the last one are ahead of it, and their heads are those of the next beat.

    wire [2*P-1:0]        chosen;
    wire [P*ITEM_W-1:0]   picked;

    generate
        for (i = 0; i < P; i = i + 1) begin : gen_pair
            localparam            A = i, B = 2*P - 1 - i;
            localparam [31:0]     A_LANE = i, B_LANE = P - 1 - i;
            wire [W-1:0]          a = heads[A*HEAD_W +: W];
            wire [W-1:0]          b = heads[B*HEAD_W +: W];
            wire [TAG_W-1:0]      a_tag = {1'b0, turn_reg[A] ^ turn_reg[P-1], A_LANE[LOG_P-1:0]};
            wire [TAG_W-1:0]      b_tag = {1'b1, turn_reg[B] ^ turn_reg[2*P-1], B_LANE[LOG_P-1:0]};
            wire                  second;

            ws_less #(.KEY_W(KEY_W + 1)) order (
                .a({gone_reg[B], b[PAYLOAD_W +: KEY_W]}), .b({gone_reg[A], a[PAYLOAD_W +: KEY_W]}), .less(second)
            );

            assign chosen[A] = !second;
            assign chosen[B] = second;
            assign picked[i*ITEM_W +: ITEM_W] = second ? {b[PAYLOAD_W +: KEY_W], b_tag, b[PAYLOAD_W-1:0]}
                                                       : {a[PAYLOAD_W +: KEY_W], a_tag, a[PAYLOAD_W-1:0]};
        end
    endgenerate

    assign take = chosen & ~last | {2*P{closing}};

    always @(posedge clk) begin
        if (step) begin
            gone_reg <= (gone_reg | chosen & last) & ~{2*P{closing}};
            turn_reg <= (turn_reg ^ chosen) & ~{2*P{closing}};
        end
        if (rst) {gone_reg, turn_reg} <= {4*P{1'b0}};
    end

    // ---- Layers of comparators, a register before each and after the last one

    reg  [LOG_P:0]                  valid_reg, last_reg;
    reg  [(LOG_P+1)*P*ITEM_W-1:0]   items_reg;
    wire [LOG_P*P*ITEM_W-1:0]       sorted;     // after each layer

    always @(posedge clk) begin
        valid_reg <= {valid_reg[LOG_P-1:0], step} & ~{LOG_P+1{rst}};
        last_reg  <= {last_reg[LOG_P-1:0], closing};
        items_reg <= {sorted, picked};
    end

    generate
        for (s = 0; s < LOG_P; s = s + 1) begin : gen_layer
            localparam FAR = P >> (s + 1);
            for (i = 0; i < P; i = i + 1) begin : gen_comparator
                if ((i & FAR) == 0) begin : gen_low
                    ws_comparator #(.KEY_W(ORDER_W), .PAYLOAD_W(PAYLOAD_W)) comparator (
                        .clk(clk),
                        .a(items_reg[(s*P+i)*ITEM_W +: ITEM_W]), .b(items_reg[(s*P+i+FAR)*ITEM_W +: ITEM_W]),
                        .low(sorted[(s*P+i)*ITEM_W +: ITEM_W]), .high(sorted[(s*P+i+FAR)*ITEM_W +: ITEM_W])
                    );
                end
            end
        end

        for (i = 0; i < P; i = i + 1) begin : gen_output
            wire [ITEM_W-1:0] item   = items_reg[(LOG_P*P+i)*ITEM_W +: ITEM_W];
            wire              unused = &{1'b0, item[PAYLOAD_W +: TAG_W]};
            assign m_data[i*W +: W] = {item[ITEM_W-1 -: KEY_W], item[PAYLOAD_W-1:0]};
        end
    endgenerate

    assign m_valid = valid_reg[LOG_P];
    assign m_last  = last_reg[LOG_P];

`ifdef FORMAL
    // Bounded, for SLACK = 0. Bit 0 of a payload is the number of its input, which decides between equal keys. Of an
    // arbitrary input the elements are counted: that of an arbitrary number leaves in order and unchanged, in its run.
    localparam IDLE = 4 + 4 + LOG_P;            // cycles until 4 beats have left
    (* anyconst *) reg watch;
    (* anyconst *) reg [3:0] number;
    reg                past_valid = 1'b0;
    reg  [1:0]         some_ref, came;          // of the run that arrives a beat has been; a beat arrives
    reg  [2*KEY_W-1:0] key_ref;                 // its greatest key
    reg  [3:0]         beats_ref, idle_ref;
    reg  [5:0]         in_ref, out_ref, now;    // elements of the watched input
    reg  [7:0]         in_runs_ref;             // of both inputs, 4 bits each
    reg  [3:0]         out_runs_ref;
    reg  [W+3:0]       watched_ref;             // and the number of its run
    reg                out_some_ref, in_order, known, same;
    reg  [LOG_P:0]     step_ref;                // a beat could begin 1, 2, ... cycles ago
    reg  [KEY_W:0]     out_key_ref, least;
    reg  [W-1:0]       one;
    integer            f, g;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        step_ref   <= {step_ref[LOG_P-1:0], m_ready};
        if (!past_valid) assume (rst);
        else assume (!rst);

        // what arrives
        came = s_valid & s_ready;
        for (f = 0; f < 2; f = f + 1) begin
            least  = some_ref[f] ? {1'b0, key_ref[f*KEY_W +: KEY_W]} : 0;
            in_order = 1'b1;
            for (g = 0; g < P; g = g + 1) begin
                one    = s_data[(f*P+g)*W +: W];
                in_order = in_order && {1'b0, one[PAYLOAD_W +: KEY_W]} >= least && one[0] == f;
                least  = one[PAYLOAD_W +: KEY_W];
                if (came[f] && watch == f && in_ref + g == number) watched_ref <= {in_runs_ref[f*4 +: 4], one};
            end
            if (s_valid[f]) assume (in_order);
            if (came[f]) begin
                key_ref[f*KEY_W +: KEY_W] <= least[KEY_W-1:0];
                some_ref[f] <= !s_last[f];
                if (s_last[f]) in_runs_ref[f*4 +: 4] <= in_runs_ref[f*4 +: 4] + 1'b1;
            end
        end
        if (came[watch]) in_ref <= in_ref + P;
        beats_ref <= beats_ref + came[0] + came[1];
        idle_ref  <= came != 0 || !m_ready ? 0 : idle_ref + (idle_ref != IDLE);

        // what leaves
        now    = out_ref;
        least  = out_some_ref ? out_key_ref : 0;
        in_order = 1'b1;
        known  = 1'b1;
        same   = 1'b1;
        for (g = 0; g < P; g = g + 1) begin
            one    = m_data[g*W +: W];
            in_order = in_order && {one[PAYLOAD_W +: KEY_W], one[0]} >= least;
            known  = known && (one[0] != watch || now < in_ref);
            same   = same && (one[0] != watch || now != number || {out_runs_ref, one} == watched_ref);
            least  = {one[PAYLOAD_W +: KEY_W], one[0]};
            if (m_valid) now = now + (one[0] == watch);
        end
        if (m_valid && past_valid && !rst) begin
            leaves_sorted:   assert (in_order);
            leaves_invented: assert (known);
            leaves_changed:  assert (same);
        end
        if (m_valid) begin
            out_some_ref <= !m_last;
            if (m_last) out_runs_ref <= out_runs_ref + 1'b1;
        end
        out_ref     <= now;
        if (m_valid) out_key_ref <= least;
        if (rst) begin
            {some_ref, beats_ref, idle_ref, in_ref, out_ref, in_runs_ref, out_runs_ref} <= 0;
            out_some_ref <= 1'b0;
        end

        if (past_valid && !rst) begin
            // everything leaves when the runs of both inputs are complete
            if (idle_ref == IDLE && beats_ref <= 4 && some_ref == 0 && in_runs_ref[0 +: 4] == in_runs_ref[4 +: 4])
                leaves_all: assert (out_ref == in_ref && out_runs_ref == in_runs_ref[0 +: 4]);
            leaves_late: assert (!m_valid || step_ref[LOG_P]);
        end
        cover (past_valid && m_valid && m_last && out_runs_ref == 1 && out_ref > 2);
        cover (past_valid && $past(m_valid && m_data[0] && !m_data[W]) && m_valid && m_data[0] && !m_data[W]);
    end
`endif

endmodule

`default_nettype wire
