// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_control: the state machine of FJoin's machine: what happens in which order in a job.
//
// A job is an array of probes, of any number of batches, and an array of window tuples, which each batch meets. Probes
// are read as they find room. The window is read again for each batch, the next pass right behind this one. A FLUSH
// follows the last window tuple of the last pass; when it is through, and all results are in memory, the job is done. A
// job without probes or window tuples is done at once.
//
// If the memory answers with an error, or upon an abort, nothing more is asked of it; when it has answered all it was
// asked, the job has ended. Each job begins with a reset of everything but this: nothing is left of the last one.
//
//   IDLE ─start─▶ CHECK ─▶ CLEAR ─▶ GO ─▶ JOIN ─last window tuple─▶ FLUSH ─▶ DRAIN ─all in memory─▶ IDLE
//                            │              └───── error, abort ──────┴──────────┤
//                            └─ bad, empty ──────────────────────────────────────┴─▶ HALT ─idle─▶ IDLE
//
// Parameters   UNITS     probes of a batch
//              PROBES, ROWS   most probes and window tuples of a job
//              DATA_W    width of the memory port in bits; ADDR_W that of an address; BURST beats of a written burst
// Ports        descriptor   see ws_fjoin_registers; it stands still while busy
//              clear     resets everything else
//              go        starts both readers; again, asked: of the window's, see ws_fjoin_reader
//              s_window, m_window   window tuples from the reader to the chain, and the FLUSH behind them
//              halt, idle   of both readers and the writer; full, done: of the writer
//              read_error, write_error   an answer of the memory's that is one
//              results   results that have gone to the writer in this cycle
//              status    bit 0 busy, 1 done, and of the job that is done 4 bad descriptor, 5 read error, 6 write error,
//                        7 aborted
//              count_*   of the job: cycles from its start, evaluations of the predicate, results, cycles in which a
//                        burst waited for room in the ring, and in which the chain waited for the window
//              count_jobs, count_failed   that have ended since the reset; with an error
// Latency      start to go 3 cycles; cycles begins with the first of them
// Bad input    An array that does not begin with a beat, too many tuples, no ring, or not of whole bursts: status
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), section 3.1: pipeline FSM

`default_nettype none

module ws_fjoin_control #(
    parameter UNITS   = 64,
    parameter PROBES  = 16384,
    parameter ROWS    = 65536,
    parameter DATA_W  = 128,
    parameter ADDR_W  = 32,
    parameter BURST   = 16,
    parameter COUNT_W = $clog2(PROBES) + 1,     // do not set
    parameter LANES   = 4,
    parameter LANE_W  = $clog2(LANES + 1)       // do not set
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              start,
    input  wire              abort,
    input  wire [63:0]       probe_address,
    input  wire [63:0]       window_address,
    input  wire [31:0]       probe_count,
    input  wire [31:0]       window_count,
    input  wire [63:0]       ring_address,
    input  wire [31:0]       ring_size,
    output wire [31:0]       status,

    output reg               clear,
    output wire              go,
    output wire              again,
    input  wire              asked,

    input  wire              s_window_valid,
    output wire              s_window_ready,
    input  wire              s_window_last,
    output wire              m_window_valid,
    input  wire              m_window_ready,
    output wire              m_window_flush,

    output wire              halt,
    input  wire              idle,
    input  wire              full,
    input  wire              done,
    input  wire              read_error,
    input  wire              write_error,
    input  wire [LANE_W-1:0] results,

    output wire [63:0]       count_cycles,
    output wire [63:0]       count_evaluations,
    output reg  [31:0]       count_results,
    output reg  [31:0]       count_stalled,
    output reg  [31:0]       count_starved,
    output reg  [31:0]       count_jobs,
    output reg  [31:0]       count_failed
);

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam BURST_W = $clog2(BURST);
    localparam [2:0] STATE_IDLE = 3'd0, STATE_CHECK = 3'd1, STATE_CLEAR = 3'd2, STATE_GO = 3'd3, STATE_JOIN = 3'd4,
                     STATE_FLUSH = 3'd5, STATE_DRAIN = 3'd6, STATE_HALT = 3'd7;

    reg  [2:0] state_reg;
    reg        done_reg, bad_reg, read_error_reg, write_error_reg, aborted_reg;
    wire       busy    = state_reg != STATE_IDLE;
    wire       failed  = bad_reg || read_error_reg || write_error_reg || aborted_reg;
    wire       joining = state_reg == STATE_JOIN;
    wire       working = joining || state_reg == STATE_FLUSH || state_reg == STATE_DRAIN;
    wire       joined  = s_window_valid && s_window_ready;
    wire       last_pass;

    // ---- Descriptor

    wire bad = |probe_address[BYTES_W-1:0] || |window_address[BYTES_W-1:0] || |ring_address[BYTES_W+BURST_W-1:0]
            || |(probe_address >> ADDR_W) || |(window_address >> ADDR_W) || |(ring_address >> ADDR_W)
            || |ring_size[BURST_W-1:0] || ring_size == 0 || probe_count > PROBES || window_count > ROWS;
    reg  empty_reg;

    // ---- States

    assign go             = state_reg == STATE_GO;
    assign halt           = !working;
    assign s_window_ready = joining && m_window_ready;
    assign m_window_valid = (joining && s_window_valid) || m_window_flush;
    assign m_window_flush = state_reg == STATE_FLUSH;
    assign status         = {24'd0, aborted_reg, write_error_reg, read_error_reg, bad_reg, 2'd0, done_reg, busy};

    wire error = working && (read_error || write_error || abort);
    wire ends  = (state_reg == STATE_DRAIN && done && !error) || (state_reg == STATE_HALT && idle);

    always @(posedge clk) begin
        clear     <= rst || state_reg == STATE_CHECK;
        empty_reg <= probe_count == 0 || window_count == 0;
        case (state_reg)
            STATE_IDLE:  if (start) state_reg <= STATE_CHECK;
            STATE_CHECK: state_reg <= STATE_CLEAR;
            STATE_CLEAR: state_reg <= bad_reg || empty_reg ? STATE_HALT : STATE_GO;
            STATE_GO:    state_reg <= STATE_JOIN;
            STATE_JOIN:  if (joined && s_window_last && last_pass) state_reg <= STATE_FLUSH;
            STATE_FLUSH: if (m_window_ready) state_reg <= STATE_DRAIN;
            default:     if (ends) state_reg <= STATE_IDLE;
        endcase
        if (error) state_reg <= STATE_HALT;
        if (rst) state_reg <= STATE_IDLE;
    end

    always @(posedge clk) begin
        if (ends) done_reg <= 1'b1;
        if (busy && read_error) read_error_reg <= 1'b1;
        if (busy && write_error) write_error_reg <= 1'b1;
        if (working && abort) aborted_reg <= 1'b1;
        if (state_reg == STATE_CHECK) bad_reg <= bad;
        if (rst || (start && !busy)) {done_reg, bad_reg, read_error_reg, write_error_reg, aborted_reg} <= 5'd0;
    end

    // ---- Passes: probes that are not in a batch yet, whose pass has been asked for, and whose pass has been joined

    localparam [COUNT_W-1:0] BATCH = UNITS;

    reg  [COUNT_W-1:0] to_ask_reg, to_join_reg;
    wire [COUNT_W-1:0] batch = last_pass ? to_join_reg : BATCH;

    assign again     = to_ask_reg > BATCH;
    assign last_pass = to_join_reg <= BATCH;

    always @(posedge clk) begin
        if (go) begin
            to_ask_reg  <= probe_count[COUNT_W-1:0];
            to_join_reg <= probe_count[COUNT_W-1:0];
        end
        if (asked) to_ask_reg <= to_ask_reg - BATCH;
        if (joined && s_window_last) to_join_reg <= to_join_reg - BATCH;
    end

    // ---- Counters

    reg  [47:0]        cycles_reg, evaluations_reg;
    reg  [COUNT_W-1:0] batch_reg;

    assign count_cycles      = {16'd0, cycles_reg};
    assign count_evaluations = {16'd0, evaluations_reg};

    always @(posedge clk) begin
        batch_reg       <= joined ? batch : {COUNT_W{1'b0}};
        cycles_reg      <= cycles_reg + {47'd0, busy};
        evaluations_reg <= evaluations_reg + {{(48-COUNT_W){1'b0}}, batch_reg};
        count_results   <= count_results + {{(32-LANE_W){1'b0}}, results};
        count_stalled   <= count_stalled + {31'd0, working && full};
        count_starved   <= count_starved + {31'd0, joining && m_window_ready && !s_window_valid};
        count_jobs      <= count_jobs + {31'd0, ends};
        count_failed    <= count_failed + {31'd0, ends && failed};
        if (state_reg == STATE_CHECK) begin
            {cycles_reg, evaluations_reg} <= 96'd0;
            {count_results, count_stalled, count_starved} <= 96'd0;
        end
        if (rst) begin
            {cycles_reg, evaluations_reg, count_results, count_stalled, count_starved} <= 192'd0;
            {count_jobs, count_failed} <= 64'd0;
        end
    end

endmodule

`default_nettype wire
