// SPDX-License-Identifier: Apache-2.0
//
// ws_union: the union of N streams, each through a queue, round-robin.
//
// A token circulates among the inputs that hold an item, so that none starves. An item is what an input's tuple bus
// carries in a cycle: a tuple, a punctuation, an eos, or an eos with one of them; the items of an input stay in order.
// Punctuations: the output carries the minimum of the inputs' latest punctuations, one punctuation whenever it rises.
// Sub-streams: all inputs have the same ones. The k-th eos leaves when the last input's k-th has been taken, with its
// tuple if it has one; an input's tuples of the next sub-stream wait until then.
//
// Parameters   DATA_W      width of the tuple in bits, at least 1
//              N           inputs, 1 to 16; input 0 has the low bits of every s_* port
//              ADDR_W      each queue holds 2**ADDR_W items, 2 to 24
//              PUNCT_LSB   lowest bit of the windowing attribute in the tuple, 0 to DATA_W - PUNCT_W; the other fields
//                          of a punctuation leave as 0
//              PUNCT_W     width of the windowing attribute in bits, 1 to DATA_W; it is unsigned
//              REGISTERED  1: the outputs are registers; 0: gated registers, a cycle earlier
// Latency      a tuple or eos: at least 2 + REGISTERED cycles. At most N - 1 more for itself and N for each item before
//              it in its queue, one for each punctuation taken meanwhile, 2 for each eos that leaves meanwhile, and the
//              time for which its sub-stream waits. A punctuation leaves clog2(N) + 2 cycles later than a tuple in its
//              place would
// Issue rate   1 tuple a cycle, of all inputs together; a punctuation taken costs 2 cycles, an eos of an input 1 to 3
// Overflow     an item that finds its input's queue full is lost as a whole; evt_lost[i] follows a cycle later. It
//              cannot happen if, over any number of successive cycles, the cost of the items of all inputs (see Issue
//              rate) exceeds the cycles by at most 2**ADDR_W - 4, and no input is ahead of another by a sub-stream
// Bad input    if an eos is missing on one input, the others stall at theirs
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.4; punctuations and sub-streams are ours

`default_nettype none

module ws_union #(
    parameter DATA_W     = 128,
    parameter N          = 2,
    parameter ADDR_W     = 4,
    parameter PUNCT_LSB  = 0,
    parameter PUNCT_W    = 32,
    parameter REGISTERED = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [N-1:0]        s_valid,
    input  wire [N-1:0]        s_punct,
    input  wire [N-1:0]        s_eos,
    input  wire [N*DATA_W-1:0] s_data,

    output wire                m_valid,
    output wire                m_punct,
    output wire                m_eos,
    output wire [DATA_W-1:0]   m_data,

    output reg  [N-1:0]        evt_lost
);

    initial if (DATA_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1)", DATA_W);
        $finish;
    end

    localparam LEVELS = $clog2(N);
    localparam LEAVES = 1 << LEVELS;
    localparam MARK_W = 1 + PUNCT_W;        // a punctuation below a 1, so that "none yet" is the minimum

    initial begin
        if (N < 1 || N > 16 || (REGISTERED != 0 && REGISTERED != 1)) begin
            $display("ERROR: %m: N = %0d (1 to 16), REGISTERED = %0d (0 or 1)", N, REGISTERED);
            $finish;
        end
        if (PUNCT_W < 1 || PUNCT_LSB < 0 || PUNCT_LSB + PUNCT_W > DATA_W) begin
            $display("ERROR: %m: the attribute [%0d +: %0d] is outside of the tuple", PUNCT_LSB, PUNCT_W);
            $finish;
        end
    end

    // ---- The queues

    wire [N-1:0]        item = s_valid | s_punct | s_eos;
    wire [N-1:0]        ready, waiting, valid, punct, eos;
    wire [N*DATA_W-1:0] data;
    wire [N-1:0]        send;               // the item that leaves its queue, one-hot or none
    wire [N-1:0]        next;               // what `waiting` will be in the next cycle

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : each
            wire [ADDR_W:0] level;

            ws_sync_fifo #(.DATA_W(3 + DATA_W), .ADDR_W(ADDR_W), .STYLE("distributed")) queue (
                .clk    (clk),
                .rst    (rst),
                .s_valid(item[i]),
                .s_ready(ready[i]),
                .s_data ({s_valid[i], s_punct[i], s_eos[i], s_data[i*DATA_W +: DATA_W]}),
                .m_valid(waiting[i]),
                .m_ready(send[i]),
                .m_data ({valid[i], punct[i], eos[i], data[i*DATA_W +: DATA_W]}),
                .level  (level)
            );

            assign next[i] = |level[ADDR_W:1] || (level[0] && !send[i]);
        end
    endgenerate

    always @(posedge clk) evt_lost <= item & ~ready & {N{!rst}};

    // ---- The token: it moves to the next input that will hold an item and may send it

    reg  [N-1:0] turn_reg;                  // one-hot
    reg  [N-1:0] ended_reg;                 // the input's eos is taken, others' are not
    wire         due;                       // a punctuation leaves in this cycle

    assign send = turn_reg & waiting & ~ended_reg & {N{!due}};

    wire [N-1:0] ends   = send & eos;
    wire [N-1:0] ended  = ended_reg | ends;
    wire [N-1:0] wants  = next & ~ended;
    wire [N-1:0] behind = wants & ~(turn_reg | (turn_reg - 1'b1));
    wire [N-1:0] others = |behind ? behind : wants;

    always @(posedge clk) begin
        if (|wants && !(due && |(wants & turn_reg))) turn_reg <= others & (~others + 1'b1);
        ended_reg <= &ended ? {N{1'b0}} : ended;
        if (rst) begin
            turn_reg  <= {{N-1{1'b0}}, 1'b1};
            ended_reg <= {N{1'b0}};
        end
    end

    reg  [DATA_W-1:0] tuple;
    integer           j;

    always @* begin
        tuple = {DATA_W{1'b0}};
        for (j = 0; j < N; j = j + 1)
            tuple = tuple | (data[j*DATA_W +: DATA_W] & {DATA_W{turn_reg[j]}});
    end

    // ---- Punctuations: the minimum of the latest ones, by a tree of registers, then whether it rises. A cycle is kept
    // free for each punctuation taken. Mark 1 is the root, the inputs are the leaves.

    wire [2*LEAVES*MARK_W-1:MARK_W] mark;
    reg  [MARK_W-1:0]               sent_reg;
    reg                             rises_reg;
    reg  [LEVELS+1:0]               taken_reg;  // a punctuation was taken 1, 2, ... cycles ago

    generate
        for (i = 0; i < LEAVES; i = i + 1) begin : latest
            if (i < N) begin : gen_input
                reg [MARK_W-1:0] latest_reg;
                always @(posedge clk)
                    if (rst) latest_reg <= {MARK_W{1'b0}};
                    else if (send[i] && punct[i]) latest_reg <= {1'b1, data[i*DATA_W+PUNCT_LSB +: PUNCT_W]};
                assign mark[(LEAVES+i)*MARK_W +: MARK_W] = latest_reg;
            end else begin : gen_none
                assign mark[(LEAVES+i)*MARK_W +: MARK_W] = {MARK_W{1'b1}};
            end
        end
        for (i = 1; i < LEAVES; i = i + 1) begin : least
            wire [MARK_W-1:0] left  = mark[2*i*MARK_W +: MARK_W];
            wire [MARK_W-1:0] right = mark[(2*i+1)*MARK_W +: MARK_W];
            reg  [MARK_W-1:0] least_reg;
            always @(posedge clk) least_reg <= rst ? {MARK_W{1'b0}} : left < right ? left : right;
            assign mark[i*MARK_W +: MARK_W] = least_reg;
        end
    endgenerate

    always @(posedge clk) begin
        rises_reg <= sent_reg < mark[MARK_W +: MARK_W];
        sent_reg  <= mark[MARK_W +: MARK_W];
        taken_reg <= {taken_reg[LEVELS:0], |(send & punct)};
        if (rst) begin
            rises_reg <= 1'b0;
            sent_reg  <= {MARK_W{1'b0}};
            taken_reg <= {LEVELS+2{1'b0}};
        end
    end

    assign due = taken_reg[LEVELS+1];

    // ---- Output

    wire [DATA_W-1:0] punctuation;
    generate
        if (PUNCT_W < DATA_W) begin : gen_fields
            assign punctuation = {{(DATA_W-PUNCT_W){1'b0}}, sent_reg[PUNCT_W-1:0]} << PUNCT_LSB;
        end else begin : gen_field
            assign punctuation = sent_reg[PUNCT_W-1:0];
        end
    endgenerate

    wire [DATA_W-1:0] chosen = due ? punctuation : tuple;

    ws_delay #(.DATA_W(DATA_W), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(|(send & valid)),
        .s_punct(rises_reg),
        .s_eos  (&ended),
        .s_data (chosen),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

`ifdef FORMAL
    // ws_sync_fifo has a proof of its own; these properties cover what follows the queues. An arbitrary input is
    // watched.
    localparam WATCH_W = $clog2(N + 1);
    (* anyconst *) wire [WATCH_W-1:0] watch_ref;
    reg                  past_valid = 1'b0;
    reg  [3:0]           age_ref;       // cycles since a reset, up to LEVELS + 2
    reg                  pending_ref;   // an eos of the watched input is taken and none has left since
    reg  [4:0]           passed_ref;    // items of others sent while the watched input could have sent
    reg  [4:0]           distance;      // from the token to the watched input
    reg  [N*MARK_W-1:0]  latest_ref;
    reg  [MARK_W-1:0]    least_ref, told_ref;
    wire [N*MARK_W-1:0]  came;
    wire                 could = waiting[watch_ref] && !ended_reg[watch_ref];
    wire [DATA_W+2:0]    leaves_ref = {|(send & valid), rises_reg, &ended, chosen};
    integer              k;

    generate
        for (i = 0; i < N; i = i + 1) begin : each_ref
            assign came[i*MARK_W +: MARK_W] = {1'b1, data[i*DATA_W+PUNCT_LSB +: PUNCT_W]};
        end
    endgenerate

    always @* begin
        least_ref = latest_ref[MARK_W-1:0];
        distance  = 0;
        for (k = 0; k < N; k = k + 1) begin
            if (latest_ref[k*MARK_W +: MARK_W] < least_ref) least_ref = latest_ref[k*MARK_W +: MARK_W];
            if (turn_reg[k]) distance = watch_ref >= k ? watch_ref - k : watch_ref + N - k;
        end
    end

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        age_ref     <= rst ? 0 : age_ref + (age_ref < LEVELS + 2);
        pending_ref <= !rst && (pending_ref || ends[watch_ref]) && !(&ended);
        passed_ref  <= rst || !could || send[watch_ref] ? 0 : passed_ref + !due;
        if (rises_reg) told_ref <= sent_reg;
        for (k = 0; k < N; k = k + 1)
            if (send[k] && punct[k]) latest_ref[k*MARK_W +: MARK_W] <= came[k*MARK_W +: MARK_W];
        if (rst) begin
            latest_ref <= 0;
            told_ref   <= 0;
        end

        assume (watch_ref < N);
        if (!past_valid) assume (rst);
        else begin
            // an input's punctuations do not fall; tuple or punctuation, not both
            for (k = 0; k < N; k = k + 1) begin
                assume (!(s_valid[k] && s_punct[k]));
                if (waiting[k]) assume (!(valid[k] && punct[k]));
                if (waiting[k] && (valid[k] || punct[k]))
                    assume (came[k*MARK_W +: MARK_W] >= latest_ref[k*MARK_W +: MARK_W]);
            end

            // one item leaves at a time, as a whole, and a queue keeps an item that does not leave
            assert ((send & (send - 1'b1)) == 0 && (send & ~waiting) == 0);
            if (send[watch_ref]) assert (chosen == data[watch_ref*DATA_W +: DATA_W]);
            // and it is the output
            if (REGISTERED == 0) assert ({m_valid, m_punct, m_eos, m_data} == leaves_ref);
            else if ($past(!rst)) assert ({m_valid, m_punct, m_eos, m_data} == $past(leaves_ref));
            // no starvation, and no wasted cycle
            assert (passed_ref < N);
            if ($past(|wants && !rst) && !due) assert (|send);
            // sub-streams: tuples of the next one wait, eos leaves with the last input's
            if (pending_ref) assert (!send[watch_ref]);
            if (&ended) assert (pending_ref || ends[watch_ref]);
            if (|ends && (~ended_reg & ~ends) == 0) assert (&ended);
            // punctuations: each rise of the minimum is output once, never together with a tuple; none is violated
            if (rises_reg) assert (!(|send) && sent_reg > told_ref && chosen == sent_reg[PUNCT_W-1:0] << PUNCT_LSB);
            if (age_ref == LEVELS + 2) assert (sent_reg == $past(least_ref, LEVELS + 1));
            if (!rises_reg) assert (told_ref == sent_reg);
            if (send[watch_ref] && valid[watch_ref]) assert (came[watch_ref*MARK_W +: MARK_W] >= told_ref);
            // a cycle is kept free for each punctuation taken, and no other
            if (age_ref == LEVELS + 2) assert (due == $past(|(send & punct), LEVELS + 2));
            // losses are reported
            assert (evt_lost[watch_ref] == $past(!rst && !ready[watch_ref]
                                                 && |{s_valid[watch_ref], s_punct[watch_ref], s_eos[watch_ref]}));

            // invariants for the induction
            assert (turn_reg != 0 && (turn_reg & (turn_reg - 1'b1)) == 0);
            for (k = 0; k < N; k = k + 1)
                assert (mark[(LEAVES+k)*MARK_W +: MARK_W] == latest_ref[k*MARK_W +: MARK_W]);
            assert (!(&ended_reg) && pending_ref == ended_reg[watch_ref]);
            assert (passed_ref + distance < N || passed_ref == 0);
            if (rises_reg) assert (due);
            if ($past(!rst)) assert (waiting == $past(next));
        end
        cover (past_valid && rises_reg && told_ref != 0 && send == 0 && |wants);
        cover (past_valid && &ended && |(send & valid));
        cover (past_valid && passed_ref == N - 1 && send[watch_ref]);
        cover (past_valid && evt_lost[watch_ref]);
    end
`endif

endmodule

`default_nettype wire
