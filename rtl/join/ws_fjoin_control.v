// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_control: the control of FJoin's machine: a queue of jobs, each of which is ordered, joined and completed.
//
// A job is an array of probes, of any number of batches, and an array of window tuples, with which each batch is
// joined. Three steps process the queue, each as far ahead of the next as the machine allows:
//
//   start ─▶ queue ─▶ order ─▶ join ─▶ done ─▶ completions ─▶ next
//                       │        │       ▲
//          to the readers:       │       └── the FLUSH has passed, and all results are in memory
//          the probes; the       └── a FLUSH after the last window tuple of the last pass
//          window, once for
//          each batch
//
// During the last pass of a job the next job's tuples are read and its first batch is loaded, so that the chain never
// idles. A bad or empty job is only a FLUSH, and completes in order.
//
// Errors of the memory are part of the job's status and do not end the job. After an abort no more requests are made to
// the memory; when it has answered all of them, everything but this core is reset, and all jobs that are not done are
// completed as aborted.
//
// Parameters   UNITS    probes of a batch, at least 1
//              PROBES   maximum number of probes of a job, at least 1
//              ROWS     maximum number of window tuples of a job, at least 1
//              DATA_W   width of the memory port in bits, a power of two, at least 8
//              ADDR_W   width of an address in bits, at least 1
//              BURST    beats of a written burst, a power of two, 2 to 256
//              QUEUE_W  2**QUEUE_W jobs at most between their start and the `next` that takes their completion, 1 to 6
//              PER      maximum number of results of a beat, at least 1
//              COUNT_W  follows from PROBES
//              ROWS_W   follows from ROWS
//              PER_W    follows from PER
// Ports        start     a job, whose descriptor (see ws_fjoin_registers) has been constant for 2 cycles; not while
//              full,
//                        at most in every third cycle
//              cancel    aborts; restart resets everything else while there is no job, for a new ring
//              next      takes the current completion; only while there is one
//              clear     resets everything else
//              probe_*, window_*   orders to the readers, see ws_axi_reader; order_job: the tag of both
//              s_window, m_window   window tuples from the reader to the chain, followed by the FLUSH
//              probe_taken   a probe has gone to the chain
//              halt, idle   of both readers and the writer; full, done, written: of the writer, see ws_fjoin_writer.
//                        done comes at least 5 cycles after its FLUSH
//              probe_job, s_window_job   the job that a tuple belongs to, its tag
//              probe_error, s_window_error, write_error   a tuple, or a write response, came with an error
//              results   results that went to the writer in this cycle; flushed: a FLUSH did
//              status    bit 0 busy, 1 there is a completion, 2 no place for a job; and of the completion 4 bad
//                        descriptor, 5 read error, 6 write error, 7 aborted; done_end: where its results end in the
//                        ring, done_results: how many there are
//              count_*   since the reset: cycles while busy, evaluations of the predicate, cycles in which a burst
//                        waited for room in the ring, and in which the chain waited for the window of a job; jobs
//                        completed, and those of them with an error
// Latency      3 cycles; from start to the first order, and from done to its completion
// Issue rate   3 cycles between two jobs; from a job's last window tuple to the next job's first
// Overflow     cannot happen: there is a completion entry for every job
// Bad input    An array that does not begin at a beat, too many tuples, a ring of size 0 or not of whole bursts: status
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
    output wire [QUEUE_W-1:0] order_job,

    input  wire               s_window_valid,
    output wire               s_window_ready,
    input  wire               s_window_last,
    input  wire               s_window_error,
    input  wire [QUEUE_W-1:0] s_window_job,
    output wire               m_window_valid,
    input  wire               m_window_ready,
    output wire               m_window_flush,

    input  wire               probe_taken,
    input  wire               probe_error,
    input  wire [QUEUE_W-1:0] probe_job,

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

    initial if (UNITS < 1 || PROBES < 1 || ROWS < 1 || DATA_W != 1 << $clog2(DATA_W) || DATA_W < 8) begin
        $display("ERROR: %m: UNITS = %0d, PROBES = %0d, ROWS = %0d (at least 1), ",
                 UNITS, PROBES, ROWS, "DATA_W = %0d (a power of two, at least 8)", DATA_W);
        $finish;
    end

    initial if (ADDR_W < 1 || BURST != 1 << $clog2(BURST) || BURST < 2 || BURST > 256 || PER < 1) begin
        $display("ERROR: %m: ADDR_W = %0d (at least 1), BURST = %0d (a power of two, 2 to 256), PER = %0d (at least 1)",
                 ADDR_W, BURST, PER);
        $finish;
    end

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam BURST_W = $clog2(BURST);
    localparam BEAT_W  = ADDR_W - BYTES_W;
    localparam JOBS    = 1 << QUEUE_W;
    localparam BATCH_W = $clog2(UNITS + 1);
    localparam [COUNT_W-1:0] BATCH = UNITS;
    localparam [31:0] TWO = 2 * UNITS, THREE = 3 * UNITS;

    initial if (QUEUE_W < 1 || QUEUE_W > 6) begin
        $display("ERROR: %m: QUEUE_W = %0d (1 to 6)", QUEUE_W);
        $finish;
    end

`ifdef FORMAL
    (* anyconst *) reg [QUEUE_W:0]          watch_ref;      // see the properties below
    wire [2*BEAT_W+COUNT_W+ROWS_W:0]        orders_watch;
    wire [COUNT_W:0]                        joins_watch;
    wire [67:0]                             completions_watch;
`endif

    // ---- Jobs are numbered as they start; the next number for each step

    reg  [QUEUE_W:0] start_reg, begin_reg, order_reg, join_reg, done_reg, next_reg;
    wire             begins, ordered, joined, ends; // steps taken in this cycle; begins: ordering begins
    wire             halting, ended;                // an abort; it completes the jobs that are left
    wire             aborting;
    wire             busy = start_reg != done_reg || aborting;
    wire             completed = next_reg != done_reg;
    wire             crowded   = (start_reg ^ next_reg) == {1'b1, {QUEUE_W{1'b0}}};

    always @(posedge clk) begin
        if (start) start_reg <= start_reg + 1'b1;
        begin_reg <= ended ? start_reg : begin_reg + {{QUEUE_W{1'b0}}, begins};
        order_reg <= ended ? start_reg : order_reg + {{QUEUE_W{1'b0}}, ordered};
        join_reg  <= ended ? start_reg : join_reg + {{QUEUE_W{1'b0}}, joined};
        if (ends) done_reg <= done_reg + 1'b1;
        if (next) next_reg <= next_reg + 1'b1;
        if (rst) {start_reg, begin_reg, order_reg, join_reg, done_reg, next_reg} <= {6*(QUEUE_W+1){1'b0}};
    end

    // ---- Start: the descriptor has been checked before

    reg  [5:0] wrong_reg;
    reg  [1:0] none_reg;
    reg        bad_reg, void_reg;                   // void: nothing to join

    always @(posedge clk) begin
        wrong_reg <= {|probe_address[BYTES_W-1:0] || |window_address[BYTES_W-1:0] || |ring_address[BYTES_W+BURST_W-1:0],
                      |(probe_address >> ADDR_W) || |(window_address >> ADDR_W) || |(ring_address >> ADDR_W),
                      |ring_size[BURST_W-1:0], ring_size == 0, probe_count > PROBES, window_count > ROWS};
        none_reg  <= {probe_count == 0, window_count == 0};
        bad_reg   <= |wrong_reg;
        void_reg  <= |wrong_reg || |none_reg;
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
`ifdef FORMAL
        ,
        .watch_addr(watch_ref[QUEUE_W-1:0]), .watch_data(orders_watch)
`endif
    );

    assign probe_order  = {probe_beat, {BYTES_W{1'b0}}};
    assign window_order = {window_beat, {BYTES_W{1'b0}}};
    assign order_job    = order_reg[QUEUE_W-1:0];
    assign probe_valid  = probes_reg;
    assign window_valid = window_reg;
    assign begins       = order_state_reg == STATE_READ;
    assign ordered      = order_state_reg == STATE_ORDER && !probes_reg && !window_reg;

    always @(posedge clk) begin
        case (order_state_reg)
            STATE_WAIT: order_state_reg <= order_reg == start_reg ? STATE_WAIT : STATE_READ;
            STATE_READ: order_state_reg <= STATE_ORDER;
            default:    order_state_reg <= ordered ? STATE_WAIT : STATE_ORDER;
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
        if (rst || halting) begin
            order_state_reg          <= STATE_WAIT;
            {probes_reg, window_reg} <= 2'b00;
        end
    end

    // ---- Join: window tuples pass to the chain, pass after pass, and then a FLUSH

    localparam [1:0] STATE_JOIN = 2'd2, STATE_FLUSH = 2'd3;     // after STATE_WAIT, STATE_READ

    reg  [1:0]         join_state_reg;
    reg  [COUNT_W-1:0] to_join_reg;                 // probes of the batches not yet joined with the window
    reg                last_pass_reg, last_next_reg;    // this pass is the last one; the next one is
    wire               join_void;
    wire [COUNT_W-1:0] join_count;
    wire               joining = join_state_reg == STATE_JOIN;
    wire [QUEUE_W:0]   reading = join_reg + {{QUEUE_W{1'b0}}, m_window_flush};     // the next job's, with the FLUSH
    wire               tuple   = s_window_valid && s_window_ready;
    wire               ends_pass = tuple && s_window_last;
    wire [COUNT_W-1:0] rest    = to_join_reg - BATCH;
    wire [BATCH_W-1:0] batch   = last_pass_reg ? to_join_reg[BATCH_W-1:0] : BATCH[BATCH_W-1:0];

    ws_ram_sdp #(.DATA_W(1 + COUNT_W), .ADDR_W(QUEUE_W), .STYLE("distributed")) joins (
        .clk(clk),
        .wr_en(start), .wr_addr(start_reg[QUEUE_W-1:0]), .wr_data({void_reg, probe_count[COUNT_W-1:0]}),
        .rd_en(1'b1), .rd_addr(reading[QUEUE_W-1:0]), .rd_data({join_void, join_count})
`ifdef FORMAL
        ,
        .watch_addr(watch_ref[QUEUE_W-1:0]), .watch_data(joins_watch)
`endif
    );

    assign s_window_ready = joining && m_window_ready;
    assign m_window_valid = (joining && s_window_valid) || m_window_flush;
    assign m_window_flush = join_state_reg == STATE_FLUSH;
    assign joined         = m_window_flush && m_window_ready;

    always @(posedge clk) begin
        case (join_state_reg)
            STATE_WAIT:  join_state_reg <= reading == begin_reg ? STATE_WAIT : STATE_READ;
            STATE_READ:  join_state_reg <= join_void ? STATE_FLUSH : STATE_JOIN;
            STATE_JOIN:  join_state_reg <= ends_pass && last_pass_reg ? STATE_FLUSH : STATE_JOIN;
            default:     join_state_reg <= !joined ? STATE_FLUSH : reading == begin_reg ? STATE_WAIT : STATE_READ;
        endcase
        if (join_state_reg == STATE_READ) begin
            to_join_reg   <= join_count;
            last_pass_reg <= join_count <= BATCH;
            last_next_reg <= {{(32-COUNT_W){1'b0}}, join_count} <= TWO;
        end
        if (ends_pass) begin
            to_join_reg   <= rest;
            last_pass_reg <= last_next_reg;
            last_next_reg <= {{(32-COUNT_W){1'b0}}, to_join_reg} <= THREE;
        end
        if (rst || halting) join_state_reg <= STATE_WAIT;
    end

    // ---- Errors of a job: probes may be a few jobs ahead of window tuples, and all precede the job's FLUSH

    localparam [JOBS-1:0] ONE = 1;

    reg  [JOBS-1:0]    bad_job_reg, fault_reg, read_error_reg;      // fault: with a tuple of the previous cycle
    reg                write_error_reg;             // since the last FLUSH was done
    wire [QUEUE_W-1:0] at = done_reg[QUEUE_W-1:0];  // the job that completes next, and its errors
    reg                at_bad_reg, at_error_reg;

    always @(posedge clk) begin
        if (start) bad_job_reg[start_reg[QUEUE_W-1:0]] <= bad_reg;
        fault_reg       <= ({JOBS{probe_taken && probe_error}} & (ONE << probe_job))
                         | ({JOBS{tuple && s_window_error}} & (ONE << s_window_job));
        read_error_reg  <= (read_error_reg & ~({JOBS{begins}} & (ONE << order_job))) | fault_reg;
        write_error_reg <= !clear && (write_error || (write_error_reg && !done));
        at_bad_reg      <= bad_job_reg[at];
        at_error_reg    <= read_error_reg[at];
    end

    // ---- Done: the writer completes the job of each FLUSH, an abort all that are left

    localparam [1:0] STATE_RUN = 2'd0, STATE_HALT = 2'd1, STATE_CLEAR = 2'd2, STATE_END = 2'd3;

    reg  [1:0]  run_state_reg;
    reg         clear_reg, halt_reg, abort_reg, ends_reg, idle_reg;
    reg  [3:0]  errors_reg;                         // of the job that ends
    reg  [31:0] end_reg;
    reg  [31:0] results_reg, flushed_reg;           // of the job at the writer; of the one before its FLUSH
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
        idle_reg  <= idle;                          // a burst that begins as halt rises still counts
        case (run_state_reg)
            STATE_RUN:   run_state_reg <= cancel ? STATE_HALT : restart ? STATE_CLEAR : STATE_RUN;
            STATE_HALT:  run_state_reg <= idle_reg ? STATE_CLEAR : STATE_HALT;
            STATE_CLEAR: run_state_reg <= STATE_END;
            default:     run_state_reg <= left ? STATE_END : STATE_RUN;
        endcase
        halt_reg   <= run_state_reg == STATE_RUN ? cancel || restart : run_state_reg != STATE_END || left;
        abort_reg  <= run_state_reg == STATE_RUN ? cancel : abort_reg && (run_state_reg != STATE_END || left);
        ends_reg   <= (done && !halting) || (ended && left && !ends_reg);
        errors_reg <= halting ? 4'b1000 : {1'b0, write_error_reg, at_error_reg, at_bad_reg};
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
`ifdef FORMAL
        ,
        .watch_addr(watch_ref[QUEUE_W-1:0]), .watch_data(completions_watch)
`endif
    );

    reg  shown_reg, full_reg, busy_reg;             // shown: the RAM outputs a completion

    always @(posedge clk) begin
        shown_reg <= completed && !next && !rst;
        full_reg  <= crowded || aborting;
        busy_reg  <= busy && !rst;
    end

    assign status = {24'd0, errors & {4{shown_reg}}, 1'b0, full_reg, shown_reg, busy_reg};

    // ---- Counters

    reg  [47:0]        cycles_reg, evaluations_reg;
    reg  [BATCH_W-1:0] batch_reg;
    reg                stalled_reg, starved_reg, failed_reg;    // the counted event, one cycle later

    assign count_cycles      = {16'd0, cycles_reg};
    assign count_evaluations = {16'd0, evaluations_reg};

    always @(posedge clk) begin
        batch_reg       <= tuple ? batch : {BATCH_W{1'b0}};
        cycles_reg      <= cycles_reg + {47'd0, busy_reg};
        evaluations_reg <= evaluations_reg + {{(48-BATCH_W){1'b0}}, batch_reg};
        stalled_reg     <= full && !halt;
        starved_reg     <= joining && m_window_ready && !s_window_valid;
        failed_reg      <= ends && errors_reg != 0;
        count_stalled   <= count_stalled + {31'd0, stalled_reg};
        count_starved   <= count_starved + {31'd0, starved_reg};
        count_jobs      <= count_jobs + {31'd0, ends};
        count_failed    <= count_failed + {31'd0, failed_reg};
        if (rst) begin
            {stalled_reg, starved_reg, failed_reg} <= 3'd0;
            {cycles_reg, evaluations_reg} <= 96'd0;
            {count_stalled, count_starved, count_jobs, count_failed} <= 128'd0;
        end
    end

`ifdef FORMAL
    // An arbitrary job is watched, by its number: how often each step is taken for it, with which values, and with
    // which completion it ends. The rules for the ports are assumed; readers and chain behave arbitrarily, and the
    // writer is done once for each FLUSH, after any time.
    reg                past_valid = 1'b0, past_2_valid = 1'b0;
    reg                live_ref, flushed_ref, ended_ref;    // started, not taken; its FLUSH was sent; it has ended
    reg                bad_ref, void_ref, error_ref;        // error: came with one of its tuples
    reg                write_ref;                           // a write error since the last done
    reg  [2*BEAT_W+COUNT_W+ROWS_W-1:0] order_ref;           // its descriptor
    reg  [COUNT_W-1:0] count_ref;
    reg                probes_ref;                          // its probes have been ordered
    reg  [COUNT_W:0]   windows_ref, passes_ref;             // windows ordered, and joined
    reg  [67:0]        completion_ref;
    reg  [4:0]         flying_ref;                          // FLUSHes sent to the chain in the last cycles
    reg  [QUEUE_W:0]   ripe_ref;                            // FLUSHes that the writer may complete
    reg  [1:0]         acted_ref, done_ref;                 // cycles since the host's last command, since the last done
    wire [QUEUE_W:0]   w_ref = watch_ref - next_reg, d_ref = done_reg - next_reg, j_ref = join_reg - next_reg;
    wire [QUEUE_W:0]   b_ref = begin_reg - next_reg, o_ref = order_reg - next_reg, s_ref = start_reg - next_reg;
    // places in the queue of the jobs that a probe and a window tuple belong to
    wire [QUEUE_W-1:0] pj_ref = probe_job - next_reg[QUEUE_W-1:0], wj_ref = s_window_job - next_reg[QUEUE_W-1:0];
    wire [QUEUE_W-1:0] place_ref = watch_ref[QUEUE_W-1:0];
    wire [QUEUE_W:0]   fault_ref = {1'b0, place_ref - next_reg[QUEUE_W-1:0]};     // of fault_reg[place_ref]
    wire               probe_mine = probe_taken && pj_ref == w_ref, window_mine = tuple && wj_ref == w_ref;
    wire               acts  = start || cancel || restart || next;
    wire               order_is = order_reg == watch_ref, join_is = join_reg == watch_ref;
    wire [287:0]       descriptor = {probe_address, window_address, ring_address, probe_count, window_count, ring_size};
    reg  [287:0]       descriptor_ref;                      // of the previous cycle; still: it was equal
    reg                still_ref;
    wire [63:0]        beats_ref = DATA_W / 8, burst_ref = BURST * DATA_W / 8, space_ref = 64'd1 << ADDR_W;
    wire               wrong_ref = probe_address % beats_ref != 0 || window_address % beats_ref != 0
                                || ring_address % burst_ref != 0 || probe_address >= space_ref
                                || window_address >= space_ref || ring_address >= space_ref
                                || ring_size == 0 || ring_size % BURST != 0 || probe_count > PROBES
                                || window_count > ROWS;
    wire [COUNT_W:0]   ordered_ref = windows_ref * UNITS, joined_ref = passes_ref * UNITS;     // probes
    wire [COUNT_W:0]   left_ref    = count_ref - joined_ref, batch_ref = left_ref > UNITS ? UNITS : left_ref;
    wire [QUEUE_W+2:0] flushes_ref = ripe_ref + flying_ref[0] + flying_ref[1] + flying_ref[2] + flying_ref[3]
                                   + flying_ref[4];

    always @(posedge clk) begin
        past_valid     <= 1'b1;
        past_2_valid   <= past_valid;
        descriptor_ref <= descriptor;
        still_ref      <= descriptor == descriptor_ref && past_valid;
        acted_ref    <= acts ? 2'd0 : acted_ref + (acted_ref != 2);
        done_ref     <= done ? 2'd0 : done_ref + (done_ref != 3);
        flying_ref   <= {flying_ref[3:0], joined};
        ripe_ref     <= ripe_ref + flying_ref[4] - done;
        if (clear) {flying_ref, ripe_ref} <= 0;

        if (start && start_reg == watch_ref) begin
            live_ref    <= 1'b1;
            bad_ref     <= wrong_ref;
            void_ref    <= wrong_ref || probe_count == 0 || window_count == 0;
            order_ref   <= {probe_address[ADDR_W-1:BYTES_W], window_address[ADDR_W-1:BYTES_W], probe_count[COUNT_W-1:0],
                            window_count[ROWS_W-1:0]};
            count_ref   <= probe_count[COUNT_W-1:0];
            {flushed_ref, ended_ref, error_ref, probes_ref, windows_ref, passes_ref} <= 0;
        end
        if (probe_valid && probe_ready && order_is) probes_ref <= 1'b1;
        if (window_valid && window_ready && order_is) windows_ref <= windows_ref + 1'b1;
        if (ends_pass && join_is) passes_ref <= passes_ref + 1'b1;
        if (probe_mine && probe_error) error_ref <= 1'b1;
        if (window_mine && s_window_error) error_ref <= 1'b1;
        write_ref <= !clear && (write_error || (write_ref && !done));
        if (joined && join_is) flushed_ref <= 1'b1;
        if (ends && done_reg == watch_ref) begin
            ended_ref      <= 1'b1;
            completion_ref <= {errors_reg, end_reg, flushed_reg & {32{!errors_reg[3]}}};
        end
        if (next && next_reg == watch_ref) live_ref <= 1'b0;
        if (rst) {live_ref, flying_ref, ripe_ref, acted_ref, done_ref} <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assume (!acts || acted_ref == 2);
            assume (!start || (still_ref && descriptor == descriptor_ref && !status[2]));
            assume (!next || status[1]);
            assume (!restart || !(status[0] || start || cancel || next));
            assume (!done || (ripe_ref != 0 && done_ref == 3));
            // tuples arrive between their job's order and its FLUSH
            assume (!probe_taken || (pj_ref >= j_ref && pj_ref < b_ref));
            assume (!tuple || (wj_ref >= j_ref && wj_ref < b_ref));
            assume (!(void_ref && (probe_mine || window_mine)));
            // a window ends after its order, and the chain needs the probes; for a void job this is asserted below
            assume (!joined || j_ref < o_ref || ordered);

            // the queue holds a job from before its first step until its completion is taken, and no more jobs than it
            // has places for
            control_order: assert (d_ref <= j_ref && j_ref <= b_ref && b_ref <= s_ref && s_ref <= JOBS);
            assert (live_ref == (w_ref < s_ref));
            if (start) control_place: assert (s_ref < JOBS && run_state_reg == STATE_RUN);
            if (ends) control_room: assert (d_ref < JOBS && d_ref < s_ref);
            // the checks of its descriptor are valid as it starts
            if (start) assert (bad_reg == wrong_ref);
            if (start) assert (void_reg == (wrong_ref || probe_count == 0 || window_count == 0));
            // its probes are ordered once and its window once for each batch, with the values of its descriptor
            if (probe_valid && order_is)
                assert (live_ref && !void_ref && !probes_ref && probe_order_count == count_ref);
            if (window_valid && order_is) assert (live_ref && !void_ref && ordered_ref < count_ref);
            if ((probe_valid || window_valid) && order_is)
                assert ({probe_beat, window_beat, probe_order_count, window_order_count} == order_ref);
            if (ordered && order_is && !void_ref)
                assert (probes_ref && ordered_ref >= count_ref && ordered_ref < count_ref + UNITS);
            if (ordered && order_is && void_ref) assert (!probes_ref && windows_ref == 0);
            // then as many passes go to the chain, followed by a FLUSH, and no tuple of another job
            if (tuple) assert (m_window_valid && !m_window_flush && j_ref < b_ref);
            if (m_window_flush) assert (m_window_valid && !s_window_ready);
            if (m_window_flush && join_is && void_ref) begin
                assert (live_ref && !flushed_ref && passes_ref == 0);
                assert (j_ref < o_ref || ordered);
            end
            if (m_window_flush && join_is && !void_ref) assert (live_ref && !flushed_ref && joined_ref >= count_ref);
            if (m_window_flush && join_is && !void_ref) assert (joined_ref < count_ref + UNITS);
            if ($past(m_window_flush && !m_window_ready && !halting && !rst)) assert (m_window_flush);
            if ($past(window_valid && !window_ready && !halting && !rst))
                assert (window_valid && $stable({window_order, window_order_count}));
            if ($past(probe_valid && !probe_ready && !halting && !rst))
                assert (probe_valid && $stable({probe_order, probe_order_count}));
            // it ends once: when the writer has completed its FLUSH, or as aborted
            if ($past(done && !halting && !rst)) assert (ends && !errors_reg[3] && end_reg == $past(written));
            if (ends && done_reg == watch_ref) begin
                control_once: assert (live_ref && !ended_ref && (flushed_ref || errors_reg[3]));
                if (!errors_reg[3]) begin
                    assert (errors_reg[1:0] == {error_ref, bad_ref});
                    assert (errors_reg[2] == $past(write_ref));
                end else assert (errors_reg == 4'b1000 && end_reg == 0);
            end
            // the host sees that completion
            if (status[1] && next_reg == watch_ref) begin
                control_shown: assert (live_ref && ended_ref);
                assert ({status[7:4], done_end, done_results} == completion_ref);
            end
            assert (!clear || !(probe_valid || window_valid || m_window_valid || start));
            // the counters, from the reset on, and the results up to a FLUSH
            if ($past(rst)) assert ({status[1:0], count_cycles, count_evaluations} == 0);
            if ($past(rst)) assert ({count_stalled, count_starved, count_jobs, count_failed} == 0);
            if ($past(past_valid)) begin
                assert (count_cycles[47:0] == $past(count_cycles[47:0]) + $past(status[0]));
                assert (count_jobs == $past(count_jobs) + $past(ends));
                assert (results_reg == ($past(clear) ? 0 : $past(flushed ? 0 : results_reg) + $past(results)));
                assert (flushed_reg == $past(flushed ? results_reg : flushed_reg));
            end
            if ($past(past_2_valid)) begin
                assert (count_stalled == $past(count_stalled) + $past(full && !halt, 2));
                assert (count_starved == $past(count_starved) + $past(joining && m_window_ready && !s_window_valid, 2));
                assert (count_failed == $past(count_failed) + $past(ends && errors_reg != 0, 2));
                if ($past(!tuple, 2)) assert (count_evaluations == $past(count_evaluations));
                if ($past(tuple && join_is, 2))
                    assert (count_evaluations[47:0] == $past(count_evaluations[47:0]) + $past(batch_ref, 2));
            end

            // invariants for the induction
            if (live_ref) assert (ended_ref == (w_ref < d_ref));
            if (live_ref && !ended_ref && !halting) assert (flushed_ref == (w_ref < j_ref));
            assert (!shown_reg || d_ref != 0);
            assert (halt_reg == (run_state_reg != STATE_RUN) && (!abort_reg || halt_reg));
            assert (!ends_reg || d_ref < s_ref);
            assert (j_ref <= o_ref && o_ref <= b_ref && b_ref - o_ref <= 1);
            if ($past(past_valid)) assert (write_error_reg == write_ref);
            if (!halt_reg) begin
                if (fault_reg[place_ref] && $past(past_valid && !halt_reg))
                    assert (fault_ref >= j_ref - flying_ref[0] && fault_ref < b_ref);
                assert (j_ref - d_ref == flushes_ref + ends_reg);
                assert ((order_state_reg == STATE_ORDER) == (o_ref != b_ref));
            end
            assert (order_state_reg != 2'd3 && (order_state_reg != STATE_ORDER || o_ref != b_ref));
            assert (order_state_reg == STATE_WAIT || o_ref < s_ref);
            assert (join_state_reg == STATE_WAIT || j_ref < b_ref);
            assert (order_state_reg == STATE_ORDER || !(probes_reg || window_reg));
            if (run_state_reg == STATE_CLEAR || run_state_reg == STATE_END)
                assert (order_state_reg == STATE_WAIT && join_state_reg == STATE_WAIT);
            if (run_state_reg != STATE_RUN && !abort_reg) assert (s_ref == d_ref && run_state_reg != STATE_HALT);
            assert (!clear_reg || run_state_reg == STATE_END || $past(rst));
            if (run_state_reg == STATE_END && !clear_reg)
                assert (flying_ref == 0 && ripe_ref == 0 && {j_ref, o_ref, b_ref} == {3{s_ref}});
            if (live_ref) begin
                assert (orders_watch == {void_ref, order_ref} && joins_watch == {void_ref, count_ref});
                assert (order_ref[ROWS_W +: COUNT_W] == count_ref && (void_ref || count_ref != 0));
                assert (void_ref ? !error_ref && passes_ref == 0 : count_ref <= PROBES);
                if (ended_ref) assert (completions_watch == completion_ref);
                if (order_is && order_state_reg != STATE_WAIT)
                    assert ({order_void, probe_beat, window_beat, probe_order_count, window_order_count}
                            == {void_ref, order_ref});
                if (order_is && order_state_reg == STATE_ORDER) begin
                    assert (probes_reg == (!void_ref && !probes_ref));
                    assert (window_reg == (!void_ref && ordered_ref < count_ref));
                    if (window_reg) assert (to_order_reg == count_ref - ordered_ref);
                    assert (ordered_ref < count_ref + UNITS && (!void_ref || !(probes_ref || windows_ref != 0)));
                end else if (w_ref >= o_ref && !halting) assert (!probes_ref && windows_ref == 0);
                if (join_is && join_state_reg == STATE_READ)
                    assert ({join_void, join_count} == {void_ref, count_ref});
                if (join_is && join_state_reg == STATE_JOIN) begin
                    assert (!void_ref && joined_ref < count_ref && to_join_reg == count_ref - joined_ref);
                    assert (last_pass_reg == (to_join_reg <= UNITS));
                    assert (last_pass_reg || last_next_reg == (to_join_reg <= 2 * UNITS));
                end
                if (!halting && (w_ref > j_ref || (join_is && !join_state_reg[1]))) assert (passes_ref == 0);
                assert (bad_job_reg[place_ref] == bad_ref);
                if (!halting && !ended_ref)
                    assert (error_ref == (w_ref < b_ref && (read_error_reg[place_ref] || fault_reg[place_ref])));
            end
        end
        cover (past_valid && next && next_reg == watch_ref && windows_ref == 2 && status[7:4] == 4'b0010);
        cover (past_valid && next && next_reg == watch_ref && errors[3] && windows_ref == 1 && s_ref == JOBS);
        cover (past_valid && next && next_reg == watch_ref && bad_ref && errors == 4'b0001 && done_end != 0);
        cover (past_valid && flying_ref != 0 && joining && j_ref - d_ref == 1 && !probe_valid);
        cover (past_valid && restart && d_ref != 0 && !halting);
    end
`endif

endmodule

`default_nettype wire
