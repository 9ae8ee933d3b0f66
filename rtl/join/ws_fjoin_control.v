// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_control: the control of FJoin's machine: a queue of jobs, each of which is ordered, joined, and done.
//
// A job is an array of probes, of any number of batches, and an array of window tuples, which each batch meets. Three
// steps follow one another round the queue, each as far ahead of the next as the machine lets it be:
//
//   start ─▶ queue ─▶ order ─▶ join ─▶ done ─▶ completions ─▶ next
//                       │        │       ▲
//          to the readers:       │       └── the FLUSH is through, and all results are in memory
//          the probes; the       └── a FLUSH behind the last window tuple of the last pass
//          window, once for
//          each batch
//
// So the next job's tuples are read, and its first batch loaded, during the last pass of a job, and the chain works on.
// A job that is bad or empty is a FLUSH alone: it ends in its turn.
//
// The memory's errors are a part of the job's status and end nothing. Upon an abort nothing more is asked of the
// memory; when it has answered all it was asked, everything but this is reset, and all jobs that are not done are, as
// aborted.
//
// Parameters   UNITS     probes of a batch
//              PROBES, ROWS   most probes and window tuples of a job
//              DATA_W    width of the memory port in bits; ADDR_W that of an address; BURST beats of a written burst
//              QUEUE_W   2**QUEUE_W jobs at most between their start and the `next` that takes their completion: 1 to 6
// Ports        start     a job, whose descriptor (see ws_fjoin_registers) has stood still for a cycle; not while full,
//                        in every third cycle at most
//              cancel    aborts; restart resets everything else while there is no job, for a new ring
//              next      takes the completion that is shown; there is one
//              clear     resets everything else
//              probe_*, window_*   orders to the readers, see ws_fjoin_reader
//              s_window, m_window   window tuples from the reader to the chain, and the FLUSH behind them
//              halt, idle   of both readers and the writer; full, done, written: of the writer
//              read_error   comes with a window tuple; a probe with an error, the last of an array; an answer
//              results   results that have gone to the writer in this cycle; flushed: a FLUSH has
//              status    bit 0 busy, 1 a completion is shown, 2 no place for a job; and of the completion 4 bad
//                        descriptor, 5 read error, 6 write error, 7 aborted; done_end: where its results end in the
//                        ring, done_results: how many there are
//              count_*   since the reset: cycles while busy, evaluations of the predicate, cycles in which a burst
//                        waited for room in the ring, and in which the chain waited for the window of a job; jobs that
//                        are done, those of them that are so with an error
// Latency      start to the first order 3 cycles; done to its completion 3
// Issue rate   3 cycles from a job's last window tuple to the next one's first
// Overflow     cannot happen: the completions have a place for every job
// Bad input    An array that does not begin with a beat, too many tuples, no ring, or not of whole bursts: status
// Source       ours; the paper's machine is the one of Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), 3.1

`default_nettype none

module ws_fjoin_control #(
    parameter UNITS   = 64,
    parameter PROBES  = 16384,
    parameter ROWS    = 65536,
    parameter DATA_W  = 128,
    parameter ADDR_W  = 32,
    parameter BURST   = 16,
    parameter QUEUE_W = 3,
    parameter PER     = 4,
    parameter COUNT_W = $clog2(PROBES) + 1,     // do not set
    parameter ROWS_W  = $clog2(ROWS) + 1,       // do not set
    parameter PER_W   = $clog2(PER + 1)         // do not set
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               start,
    input  wire               cancel,
    input  wire               restart,
    input  wire               next,
    input  wire [63:0]        probe_address,
    input  wire [63:0]        window_address,
    input  wire [31:0]        probe_count,
    input  wire [31:0]        window_count,
    input  wire [63:0]        ring_address,
    input  wire [31:0]        ring_size,
    output wire [31:0]        status,
    output wire [31:0]        done_end,
    output wire [31:0]        done_results,

    output wire               clear,

    output wire               probe_valid,
    input  wire               probe_ready,
    output wire [ADDR_W-1:0]  probe_order,
    output wire [COUNT_W-1:0] probe_order_count,
    output wire               window_valid,
    input  wire               window_ready,
    output wire [ADDR_W-1:0]  window_order,
    output wire [ROWS_W-1:0]  window_order_count,

    input  wire               s_window_valid,
    output wire               s_window_ready,
    input  wire               s_window_last,
    input  wire               s_window_error,
    output wire               m_window_valid,
    input  wire               m_window_ready,
    output wire               m_window_flush,

    input  wire               probe_taken,
    input  wire               probe_last,
    input  wire               probe_error,

    output wire               halt,
    input  wire               idle,
    input  wire               full,
    input  wire               done,
    input  wire [31:0]        written,
    input  wire               write_error,
    input  wire [PER_W-1:0]   results,
    input  wire               flushed,

    output wire [63:0]        count_cycles,
    output wire [63:0]        count_evaluations,
    output reg  [31:0]        count_stalled,
    output reg  [31:0]        count_starved,
    output reg  [31:0]        count_jobs,
    output reg  [31:0]        count_failed
);

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam BURST_W = $clog2(BURST);
    localparam BEAT_W  = ADDR_W - BYTES_W;
    localparam JOBS    = 1 << QUEUE_W;
    localparam [COUNT_W-1:0] BATCH = UNITS;

    initial if (QUEUE_W < 1 || QUEUE_W > 6) begin
        $display("ERROR: %m: QUEUE_W = %0d (1 to 6)", QUEUE_W);
        $finish;
    end

    // ---- Jobs are numbered as they start; how far each step is

    reg  [QUEUE_W:0] start_reg, begin_reg, order_reg, join_reg, done_reg, next_reg;
    wire             begins, ordered, joined, ends; // steps that are taken in this cycle; begins: to be ordered
    wire             halting, ended;                // an abort; the last job of it
    wire             aborting;
    wire             busy = start_reg != done_reg || aborting;
    wire             completed = next_reg != done_reg;
    wire             crowded   = (start_reg ^ next_reg) == {1'b1, {QUEUE_W{1'b0}}};

    always @(posedge clk) begin
        if (start) start_reg <= start_reg + 1'b1;
        if (begins) begin_reg <= begin_reg + 1'b1;
        if (ordered) order_reg <= order_reg + 1'b1;
        if (joined) join_reg <= join_reg + 1'b1;
        if (ends) done_reg <= done_reg + 1'b1;
        if (next) next_reg <= next_reg + 1'b1;
        if (ended) {begin_reg, order_reg, join_reg} <= {3{start_reg}};
        if (rst) {start_reg, begin_reg, order_reg, join_reg, done_reg, next_reg} <= {6*(QUEUE_W+1){1'b0}};
    end

    // ---- Start: what is wrong with the descriptor is known a cycle before

    wire bad = |probe_address[BYTES_W-1:0] || |window_address[BYTES_W-1:0] || |ring_address[BYTES_W+BURST_W-1:0]
            || |(probe_address >> ADDR_W) || |(window_address >> ADDR_W) || |(ring_address >> ADDR_W)
            || |ring_size[BURST_W-1:0] || ring_size == 0 || probe_count > PROBES || window_count > ROWS;
    reg  bad_reg, void_reg;                         // void: there is nothing to do

    always @(posedge clk) begin
        bad_reg  <= bad;
        void_reg <= bad || probe_count == 0 || window_count == 0;
    end

    // ---- Order: the probes once, the window for every batch

    localparam [1:0] STATE_WAIT = 2'd0, STATE_READ = 2'd1, STATE_ORDER = 2'd2;

    reg  [1:0]         order_state_reg;
    reg                probes_reg, window_reg;      // still to be ordered
    reg  [COUNT_W-1:0] to_order_reg;                // probes of the batches whose window has not been ordered
    wire               order_void;
    wire [BEAT_W-1:0]  probe_beat, window_beat;

    ws_ram_sdp #(.DATA_W(1 + 2*BEAT_W + COUNT_W + ROWS_W), .ADDR_W(QUEUE_W), .STYLE("distributed")) orders (
        .clk(clk),
        .wr_en(start), .wr_addr(start_reg[QUEUE_W-1:0]),
        .wr_data({void_reg, probe_address[ADDR_W-1:BYTES_W], window_address[ADDR_W-1:BYTES_W],
                  probe_count[COUNT_W-1:0], window_count[ROWS_W-1:0]}),
        .rd_en(1'b1), .rd_addr(order_reg[QUEUE_W-1:0]),
        .rd_data({order_void, probe_beat, window_beat, probe_order_count, window_order_count})
    );

    assign probe_order  = {probe_beat, {BYTES_W{1'b0}}};
    assign window_order = {window_beat, {BYTES_W{1'b0}}};
    assign probe_valid  = order_state_reg == STATE_ORDER && probes_reg;
    assign window_valid = order_state_reg == STATE_ORDER && window_reg;
    assign begins       = order_state_reg == STATE_READ;
    assign ordered      = order_state_reg == STATE_ORDER && !probes_reg && !window_reg;

    always @(posedge clk) begin
        case (order_state_reg)
            STATE_WAIT: if (order_reg != start_reg) order_state_reg <= STATE_READ;
            STATE_READ: order_state_reg <= STATE_ORDER;
            default:    if (ordered) order_state_reg <= STATE_WAIT;
        endcase
        if (order_state_reg == STATE_READ) begin
            probes_reg   <= !order_void;
            window_reg   <= !order_void;
            to_order_reg <= probe_order_count;
        end
        if (probe_valid && probe_ready) probes_reg <= 1'b0;
        if (window_valid && window_ready) begin
            window_reg   <= to_order_reg > BATCH;
            to_order_reg <= to_order_reg - BATCH;
        end
        if (rst || halting) order_state_reg <= STATE_WAIT;
    end

    // ---- Join: window tuples go on to the chain, pass after pass, and then a FLUSH

    localparam [1:0] STATE_JOIN = 2'd2, STATE_FLUSH = 2'd3;     // after STATE_WAIT, STATE_READ

    reg  [1:0]         join_state_reg;
    reg  [COUNT_W-1:0] to_join_reg;                 // probes of the batches that have not met the window
    reg                last_pass_reg;
    wire               join_bad, join_void;
    wire [COUNT_W-1:0] join_count;
    wire               joining = join_state_reg == STATE_JOIN;
    wire [QUEUE_W:0]   reading = join_reg + {{QUEUE_W{1'b0}}, m_window_flush};     // the next one's, with the FLUSH
    wire               tuple   = s_window_valid && s_window_ready;
    wire               ends_pass = tuple && s_window_last;
    wire [COUNT_W-1:0] rest    = to_join_reg - BATCH;
    wire [COUNT_W-1:0] batch   = last_pass_reg ? to_join_reg : BATCH;

    ws_ram_sdp #(.DATA_W(2 + COUNT_W), .ADDR_W(QUEUE_W), .STYLE("distributed")) joins (
        .clk(clk),
        .wr_en(start), .wr_addr(start_reg[QUEUE_W-1:0]), .wr_data({bad_reg, void_reg, probe_count[COUNT_W-1:0]}),
        .rd_en(1'b1), .rd_addr(reading[QUEUE_W-1:0]), .rd_data({join_bad, join_void, join_count})
    );

    assign s_window_ready = joining && m_window_ready;
    assign m_window_valid = (joining && s_window_valid) || m_window_flush;
    assign m_window_flush = join_state_reg == STATE_FLUSH;
    assign joined         = m_window_flush && m_window_ready;

    always @(posedge clk) begin
        case (join_state_reg)
            STATE_WAIT:  if (reading != begin_reg) join_state_reg <= STATE_READ;
            STATE_READ:  join_state_reg <= join_void ? STATE_FLUSH : STATE_JOIN;
            STATE_JOIN:  if (ends_pass && last_pass_reg) join_state_reg <= STATE_FLUSH;
            default:     if (joined) join_state_reg <= reading != begin_reg ? STATE_READ : STATE_WAIT;
        endcase
        if (join_state_reg == STATE_READ) begin
            to_join_reg   <= join_count;
            last_pass_reg <= join_count <= BATCH;
        end
        if (ends_pass) begin
            to_join_reg   <= rest;
            last_pass_reg <= rest <= BATCH;
        end
        if (rst || halting) join_state_reg <= STATE_WAIT;
    end

    // ---- Errors of a job, until it is done: probes may be a few jobs ahead of window tuples

    reg  [JOBS-1:0]    job_bad_reg, job_void_reg, window_error_reg, probe_error_reg;
    reg  [QUEUE_W-1:0] probe_job_reg, probe_done_reg;       // numbers of jobs that have probes
    reg                write_error_reg;
    wire [QUEUE_W-1:0] at       = done_reg[QUEUE_W-1:0];
    wire               at_void  = job_void_reg[at];

    always @(posedge clk) begin
        if (join_state_reg == STATE_READ) begin
            job_bad_reg[join_reg[QUEUE_W-1:0]]      <= join_bad;
            job_void_reg[join_reg[QUEUE_W-1:0]]     <= join_void;
            window_error_reg[join_reg[QUEUE_W-1:0]] <= 1'b0;
        end
        if (tuple && s_window_error) window_error_reg[join_reg[QUEUE_W-1:0]] <= 1'b1;
        if (done && !at_void) begin
            probe_error_reg[probe_done_reg] <= 1'b0;
            probe_done_reg                  <= probe_done_reg + 1'b1;
        end
        if (probe_taken && probe_error) probe_error_reg[probe_job_reg] <= 1'b1;
        if (probe_taken && probe_last) probe_job_reg <= probe_job_reg + 1'b1;
        write_error_reg <= write_error || (write_error_reg && !done);
        if (clear) begin
            {probe_job_reg, probe_done_reg} <= {2*QUEUE_W{1'b0}};
            probe_error_reg <= {JOBS{1'b0}};
            write_error_reg <= 1'b0;
        end
    end

    // ---- Done: the writer says so for each FLUSH, an abort for all that are left

    localparam [1:0] STATE_RUN = 2'd0, STATE_HALT = 2'd1, STATE_CLEAR = 2'd2, STATE_END = 2'd3;

    reg  [1:0]  run_state_reg;
    reg         clear_reg, halt_reg, abort_reg, ends_reg;
    reg  [3:0]  errors_reg;
    reg  [31:0] end_reg;
    reg  [31:0] results_reg, flushed_reg;           // of the job that comes to the writer; of the one before its FLUSH
    wire        left = done_reg != start_reg;
    wire [3:0]  errors;

    assign clear   = clear_reg;
    assign halt    = halt_reg;
    assign halting  = halt;
    assign aborting = abort_reg;
    assign ended   = run_state_reg == STATE_END;
    assign ends    = ends_reg;

    always @(posedge clk) begin
        clear_reg <= rst || run_state_reg == STATE_CLEAR;
        case (run_state_reg)
            STATE_RUN:   if (cancel) {run_state_reg, halt_reg, abort_reg} <= {STATE_HALT, 2'b11};
                         else if (restart) {run_state_reg, halt_reg} <= {STATE_CLEAR, 1'b1};
            STATE_HALT:  if (idle) run_state_reg <= STATE_CLEAR;
            STATE_CLEAR: run_state_reg <= STATE_END;
            default:     if (!left) {run_state_reg, halt_reg, abort_reg} <= {STATE_RUN, 2'b00};
        endcase
        ends_reg   <= (done && !halting) || (ended && left && !ends_reg);
        errors_reg <= halting ? 4'b1000 :
                      {1'b0, write_error_reg, !at_void && (window_error_reg[at] || probe_error_reg[probe_done_reg]),
                       job_bad_reg[at]};
        end_reg    <= written & {32{!halting}};
        if (rst) begin
            run_state_reg <= STATE_RUN;
            halt_reg      <= 1'b0;
            abort_reg     <= 1'b0;
            ends_reg      <= 1'b0;
        end
    end

    always @(posedge clk) begin
        results_reg <= (results_reg & {32{!flushed}}) + {{(32-PER_W){1'b0}}, results};
        if (flushed) flushed_reg <= results_reg;
        if (clear) results_reg <= 32'd0;
    end

    ws_ram_sdp #(.DATA_W(4 + 32 + 32), .ADDR_W(QUEUE_W), .STYLE("distributed")) completions (
        .clk(clk),
        .wr_en(ends), .wr_addr(at), .wr_data({errors_reg, end_reg, flushed_reg & {32{!errors_reg[3]}}}),
        .rd_en(1'b1), .rd_addr(next_reg[QUEUE_W-1:0]), .rd_data({errors, done_end, done_results})
    );

    reg  shown_reg, full_reg, busy_reg;             // the first: the completion that is read from there

    always @(posedge clk) begin
        shown_reg <= completed && !next && !rst;
        full_reg  <= crowded || aborting;
        busy_reg  <= busy && !rst;
    end

    assign status = {24'd0, errors & {4{shown_reg}}, 1'b0, full_reg, shown_reg, busy_reg};

    // ---- Counters

    reg  [47:0]        cycles_reg, evaluations_reg;
    reg  [COUNT_W-1:0] batch_reg;

    assign count_cycles      = {16'd0, cycles_reg};
    assign count_evaluations = {16'd0, evaluations_reg};

    always @(posedge clk) begin
        batch_reg       <= tuple ? batch : {COUNT_W{1'b0}};
        cycles_reg      <= cycles_reg + {47'd0, busy};
        evaluations_reg <= evaluations_reg + {{(48-COUNT_W){1'b0}}, batch_reg};
        count_stalled   <= count_stalled + {31'd0, full && !halt};
        count_starved   <= count_starved + {31'd0, joining && m_window_ready && !s_window_valid};
        count_jobs      <= count_jobs + {31'd0, ends};
        count_failed    <= count_failed + {31'd0, ends && errors_reg != 0};
        if (rst) begin
            {cycles_reg, evaluations_reg} <= 96'd0;
            {count_stalled, count_starved, count_jobs, count_failed} <= 128'd0;
        end
    end

endmodule

`default_nettype wire
