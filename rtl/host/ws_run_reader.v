// SPDX-License-Identifier: Apache-2.0
//
// ws_run_reader: reads the runs of an array in memory as K streams, for ws_merge_tree.
//
// The array is a sequence of runs of the same length, of which the last may be shorter. Input i of the tree has the runs
// i, i + K, i + 2K, ..., each followed by an END; where the array has no such run any more it has an empty one, so that
// every input has as many runs. Each stream has a queue of its own, and bursts are requested in turn for those that
// have room: so no stream waits for another one, and the memory's latency is hidden.
//
//   order ──▶ next run, next burst ──▶ AR      R ──▶ ┌ queue 0   ──▶ m, END
//                ▲        └── which queue ──────▶ ───┤ ...
//                └──────── room ─────────────────────┴ queue K-1 ──▶ m, END
//
// Parameters   K        streams, a power of two, 2 to 64
//              DATA_W   width of a record, and of the memory port, in bits, a power of two, 16 to 1024
//              ADDR_W   width of a byte address in bits, at most 64; wider than the offset within a burst
//              COUNT_W  width of a number of records in bits, 2 to 40
//              BURST    maximum number of beats of a burst, a power of two, 2 to 256; up to 4096 bytes
//              FIFO_W   2**FIFO_W records wait in a stream, at most 12; at least 4 * BURST
//              R_DELAY  cycles from a beat to its data, for what changes them before they come here, 1 to 8
//              ENDS     1: an END follows the last record of a run; 0: m_end comes with it, see m_empty. 0 to 1
// Ports        order_*  an array: address, of a beat; count, at least 1; run, records of a run, at least 1; groups, the
//                       runs of each stream, at least 1; single: only stream 0 has any. It is taken when all of the
//                       previous array has been requested
//              halt     makes no more requests
//              idle     everything requested has arrived
//              r_*      a beat is always taken when it comes, but for a cycle after an empty run. r_error: it came with
//                       SLVERR or DECERR. r_data: of the beat that was taken R_DELAY cycles before
//              m_*      of the streams, stream 0 in the low bits; m_end: an END, its data is undefined. With ENDS = 0
//                       it comes with the last record, m_final with that of the array; an empty run is an item with
//                       m_end and m_empty, whose data is undefined
//              error    a beat came with an error, its record is in a stream like any other
// Latency      K + 6 cycles; from order_valid to ar_valid. R_DELAY + 4 from r_valid to m_valid
// Issue rate   1 record a cycle in all, and from one stream alone if BURST is at least K + 6 and its queue covers the
//              memory's latency; a burst, or an empty run, at most every 6 cycles
// Overflow     cannot happen: see above
// Bad input    A beat with r_error counts like any other; the user decides what to do
// Source       ours; Knuth, The Art of Computer Programming 3, section 5.4.6, forecasting is not needed with a queue a run

`default_nettype none

module ws_run_reader #(
    parameter K       = 16,
    parameter DATA_W  = 64,
    parameter ADDR_W  = 32,
    parameter COUNT_W = 25,
    parameter BURST   = 64,
    parameter FIFO_W  = 9,
    parameter R_DELAY = 1,
    parameter ENDS    = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                order_valid,
    output wire                order_ready,
    input  wire [ADDR_W-1:0]   order_address,
    input  wire [COUNT_W-1:0]  order_count,
    input  wire [COUNT_W-1:0]  order_run,
    input  wire [COUNT_W-1:0]  order_groups,
    input  wire                order_single,
    input  wire                halt,
    output wire                idle,

    output wire                ar_valid,
    input  wire                ar_ready,
    output wire [ADDR_W-1:0]   ar_addr,
    output wire [7:0]          ar_len,

    input  wire                r_valid,
    output wire                r_ready,
    input  wire [DATA_W-1:0]   r_data,
    input  wire                r_last,
    input  wire                r_error,

    output wire [K-1:0]        m_valid,
    input  wire [K-1:0]        m_ready,
    output wire [K-1:0]        m_end,
    output wire [K-1:0]        m_empty,
    output wire [K-1:0]        m_final,
    output wire [K*DATA_W-1:0] m_data,
    output reg                 error
);

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam BURST_W = $clog2(BURST);
    localparam INDEX_W = $clog2(K);
    localparam BEAT_W  = ADDR_W - BYTES_W;
    localparam POS_W   = COUNT_W + INDEX_W + 2;         // of a record of the array, or of a run beyond its end
    localparam STATE_W = 2*POS_W + COUNT_W;

    initial if (K < 2 || K > 64 || K != 1 << INDEX_W || DATA_W < 16 || DATA_W > 1024 || DATA_W != 8 << BYTES_W
                || COUNT_W < 2 || COUNT_W > 40 || R_DELAY < 1 || R_DELAY > 8 || ENDS < 0 || ENDS > 1) begin
        $display("ERROR: %m: K = %0d, DATA_W = %0d (powers of two, 2 to 64, 16 to 1024), COUNT_W = %0d (2 to 40), ",
                 K, DATA_W, COUNT_W, "R_DELAY = %0d (1 to 8), ENDS = %0d (0 or 1)", R_DELAY, ENDS);
        $finish;
    end

    initial if (BURST < 2 || BURST > 256 || BURST != 1 << BURST_W || BURST * DATA_W > 8 * 4096 || FIFO_W > 12
                || FIFO_W < BURST_W + 2 || ADDR_W > 64 || ADDR_W <= BYTES_W + BURST_W) begin
        $display("ERROR: %m: BURST = %0d (a power of two, 2 to 256, up to 4096 bytes), FIFO_W = %0d, ADDR_W = %0d",
                 BURST, FIFO_W, ADDR_W);
        $finish;
    end

    // ---- The next burst of a stream that has room, one stream after the other

    localparam [2:0] STATE_IDLE = 3'd0, STATE_FILL = 3'd1, STATE_PICK = 3'd2, STATE_LOAD = 3'd3, STATE_STOP = 3'd4,
                     STATE_LEFT = 3'd5, STATE_SIZE = 3'd6, STATE_SEND = 3'd7;
    localparam [BURST_W:0] WHOLE = BURST;

    reg  [2:0]         state_reg;
    reg  [INDEX_W-1:0] stream_reg;
    reg  [K-1:0]       active_reg;              // streams that have runs left
    reg  [K-1:0]       may_reg;                 // and room for a burst, in the last cycle
    reg                none_reg;                // there was none of the former
    wire [K-1:0]       room;
    reg  [BEAT_W-1:0]  base_reg;                // of the array
    reg  [POS_W-1:0]   count_reg, run_reg;
    reg  [POS_W-1:0]   others_reg;              // records from the end of a stream's run to its next one

    // Of the stream: its next record, the end of its run as if the array went on, the number of its runs left, and what
    // follows from them. The run is empty; it ends with the burst. At first after_reg is where the first run begins.
    reg  [POS_W-1:0]   next_reg, stop_reg, end_reg, left_reg, after_reg;
    reg  [COUNT_W-1:0] runs_reg;
    reg  [BEAT_W-1:0]  beat_reg;
    reg  [BURST_W:0]   to_end_reg, len_reg;
    reg                empty_reg, last_reg, final_reg;     // final: it ends where the array does
    wire [STATE_W-1:0] loaded;
    wire               flights_ready;
    wire               fill   = state_reg == STATE_FILL;
    wire               done   = state_reg == STATE_SEND && flights_ready && (empty_reg || ar_ready);
    wire               passes = fill || done || (state_reg == STATE_PICK && !may_reg[stream_reg]);  // to the next stream
    wire               ends   = left_reg <= {{(POS_W-BURST_W-1){1'b0}}, to_end_reg};
    wire [POS_W-1:0]   length = {{(POS_W-BURST_W-1){1'b0}}, len_reg};
    wire [BURST_W-1:0] less   = len_reg[BURST_W-1:0] - 1'b1;
    wire [BEAT_W+POS_W-1:0] offset = {{BEAT_W{1'b0}}, next_reg};
    wire               unused = &{1'b0, order_address[BYTES_W-1:0], offset[BEAT_W +: POS_W]};
    wire               moves  = fill || last_reg;       // to another run
    wire [POS_W-1:0]   beyond = after_reg + run_reg;
    wire [STATE_W-1:0] kept   = {moves ? after_reg : next_reg + length, moves ? beyond : stop_reg,
                                 runs_reg - {{COUNT_W-1{1'b0}}, last_reg && !fill}};

    assign order_ready = state_reg == STATE_IDLE && !halt;
    assign ar_valid    = state_reg == STATE_SEND && !empty_reg && flights_ready;
    assign ar_addr     = {beat_reg, {BYTES_W{1'b0}}};
    assign ar_len      = {{(8-BURST_W){1'b0}}, less};

    ws_ram_sdp #(.DATA_W(STATE_W), .ADDR_W(INDEX_W), .STYLE("distributed")) streams (
        .clk(clk),
        .wr_en(fill || done), .wr_addr(stream_reg), .wr_data(kept),
        .rd_en(1'b1), .rd_addr(stream_reg), .rd_data(loaded)
    );

    always @(posedge clk) begin
        may_reg  <= active_reg & room;
        none_reg <= active_reg == 0;
        stream_reg <= state_reg == STATE_IDLE ? {INDEX_W{1'b0}} : stream_reg + {{INDEX_W-1{1'b0}}, passes};
        case (state_reg)
            STATE_IDLE: begin
                base_reg   <= order_address[ADDR_W-1:BYTES_W];
                count_reg  <= {{(POS_W-COUNT_W){1'b0}}, order_count};
                run_reg    <= {{(POS_W-COUNT_W){1'b0}}, order_run};
                runs_reg   <= order_groups;
                after_reg  <= {POS_W{1'b0}};
                active_reg <= {{K-1{!order_single}}, 1'b1};
                if (order_valid && order_ready) state_reg <= STATE_FILL;
            end
            STATE_FILL: begin                   // the first run of each stream
                after_reg  <= beyond;
                others_reg <= after_reg;
                if (&stream_reg) state_reg <= STATE_PICK;
            end
            STATE_PICK: begin
                if (may_reg[stream_reg]) state_reg <= STATE_LOAD;
                if (none_reg || halt) state_reg <= STATE_IDLE;
            end
            STATE_LOAD: begin
                {next_reg, stop_reg, runs_reg} <= loaded;
                state_reg <= STATE_STOP;
            end
            STATE_STOP: begin
                end_reg   <= stop_reg < count_reg ? stop_reg : count_reg;
                empty_reg <= next_reg >= count_reg;
                final_reg <= stop_reg >= count_reg;
                beat_reg  <= base_reg + offset[BEAT_W-1:0];
                after_reg <= stop_reg + others_reg;
                state_reg <= STATE_LEFT;
            end
            STATE_LEFT: begin
                left_reg   <= end_reg - next_reg;
                to_end_reg <= WHOLE - {1'b0, beat_reg[BURST_W-1:0]};
                state_reg  <= STATE_SIZE;
            end
            STATE_SIZE: begin
                len_reg   <= empty_reg ? {{BURST_W{1'b0}}, 1'b1} : ends ? left_reg[BURST_W:0] : to_end_reg;
                last_reg  <= ends || empty_reg;
                state_reg <= STATE_SEND;
            end
            default: if (done) begin
                if (last_reg && runs_reg == 1) active_reg[stream_reg] <= 1'b0;
                state_reg <= STATE_PICK;
            end
        endcase
        if (rst) state_reg <= STATE_IDLE;
    end

    // ---- Beats, in the order of their bursts. A word for a queue is a beat or an empty run; its data come later.

    wire               flight_valid, flight_empty, flight_last, flight_final;
    wire [INDEX_W-1:0] flight, target;
    wire [5:0]         flights;
    wire               take   = r_valid && r_ready;
    wire               landed = flight_valid && (flight_empty || (take && r_last));
    wire               word   = flight_valid && (flight_empty || take);
    wire               closes = !flight_empty && flight_last && r_last;
    reg  [R_DELAY-1:0] words_reg;               // there was a word 1, 2, ... cycles ago
    wire [R_DELAY:0]   words  = {words_reg, word};
    wire [1:0]         kind;
    // of the word that is written: {an END, the last record of its run}; both is the last record of the array, if ENDS = 0
    reg  [1:0]         kind_reg;

    assign r_ready = flight_valid && !flight_empty;
    assign idle    = state_reg == STATE_IDLE && flights == 0 && words_reg == 0;

    ws_sync_fifo #(.DATA_W(INDEX_W + 3), .ADDR_W(5), .STYLE("distributed")) in_flight (
        .clk(clk), .rst(rst),
        .s_valid(done), .s_ready(flights_ready), .s_data({final_reg, empty_reg, last_reg, stream_reg}),
        .m_valid(flight_valid), .m_ready(landed), .m_data({flight_final, flight_empty, flight_last, flight}),
        .level(flights)
    );

    ws_shift #(.DATA_W(INDEX_W + 2), .N(R_DELAY - 1)) delay (
        .clk(clk),
        .s_data({flight_empty || (ENDS == 0 && closes && flight_final), closes, flight}), .m_data({kind, target})
    );

    always @(posedge clk) begin
        words_reg <= words[R_DELAY-1:0] & {R_DELAY{!rst}};
        kind_reg  <= kind;
        error     <= take && r_error && !rst;
    end

    // ---- The streams

    localparam [FIFO_W:0] NONE = BURST - 1;

    genvar n;
    generate
        for (n = 0; n < K; n = n + 1) begin : gen_stream
            // Places of the queue that are taken: by records that have been requested and have not left. BURST - 1
            // more, so that the top bit says whether there is room for a burst.
            reg  [FIFO_W:0] used_reg;
            reg             push_reg;           // the word is for this stream
            reg             gone_reg;           // one has left
            reg             tail_reg;           // the last record of a run has left, its END has not
            wire            valid, ready, empty, last, full;
            wire [FIFO_W:0] level;
            wire            sent = done && stream_reg == n;
            wire            unused_bits = &{1'b0, level, full};

            assign room[n]    = !used_reg[FIFO_W];
            assign m_valid[n] = valid;
            assign m_end[n]   = empty || (ENDS != 0 ? tail_reg : last);
            assign m_empty[n] = empty && !last;
            assign m_final[n] = empty && last;
            assign ready      = m_ready[n] && (ENDS == 0 || tail_reg || !last);

            always @(posedge clk) begin
                used_reg <= used_reg + (sent ? {{(FIFO_W-BURST_W+1){1'b0}}, less} : {FIFO_W+1{gone_reg}})
                            + {{FIFO_W{1'b0}}, sent && !gone_reg};
                push_reg <= words[R_DELAY-1] && target == n && !rst;
                gone_reg <= valid && ready;
                if (valid && m_ready[n]) tail_reg <= last && !tail_reg;
                if (rst) begin
                    used_reg <= NONE;
                    gone_reg <= 1'b0;
                    tail_reg <= 1'b0;
                end
            end

            ws_commit_fifo #(.DATA_W(DATA_W + 2), .ADDR_W(FIFO_W), .OUTPUT_REG(1)) queue (
                .clk(clk), .rst(rst),
                .wr_en(push_reg), .wr_data({kind_reg, r_data}), .commit(1'b1), .rewind(1'b0), .full(full), .level(level),
                .m_valid(valid), .m_ready(ready), .m_data({empty, last, m_data[n*DATA_W +: DATA_W]})
            );
        end
    endgenerate

endmodule

`default_nettype wire
