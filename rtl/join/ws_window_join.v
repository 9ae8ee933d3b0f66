// SPDX-License-Identifier: Apache-2.0
//
// ws_window_join: the join of two streams over the last ROWS tuples of each, or over a time window; exact: a pair is a
// result if it passes the predicate and the earlier tuple is in its window when the later one arrives.
//
// With time windows, a pair is in the window if its times are at most WINDOW apart and neither tuple is late, in
// whatever order they came. ROWS is then only memory and does not affect the definition: a tuple that needs the place
// of a row that may still match is refused. It cannot wait, since the tuple of the other stream that frees the place
// may be the next one. See ws_join_time.
//
// Input layer: a tuple is admitted when the match unit of its stream is READY; in the same cycle it goes to that unit
// as a probe and to the other unit's window as a row. Match layer: one unit per stream, which compares the probe with
// the other stream's window; the two units work in parallel. Output layer: a queue after each unit and an arbiter. When
// a queue runs short of room both units WAIT, and the queue has room for the groups in flight.
//
// Both units wait in the same cycles. However long they wait, a probe reads a row before the row is replaced, and a row
// is stored before a later probe arrives: the naive parallel join, which the paper shows to lose pairs, cannot occur.
// The properties at the end of this file prove it within a bound.
//
// Parameters   DATA_W       width of a tuple in bits, a multiple of 8
//              ROWS         tuples in a window, 1 to 65536; time windows: tuples of each stream that can be held
//              MATCH_LANES  rows that a unit compares per cycle, a divisor of ROWS, at least 1
//              PREDICATE, KEY_W, SIGNED, LIMIT_W  see ws_predicate
//              R_KEY_LSB    lowest bit of the key in a tuple of R, 0 to DATA_W - KEY_W
//              S_KEY_LSB    lowest bit of the key in a tuple of S, 0 to DATA_W - KEY_W
//              FIFO_W       each result queue holds 2**FIFO_W groups, 3 to 10; for L1 4 to 10
//              DROP         0: s_axis stalls until a tuple can be admitted; 1: a tuple that cannot be is dropped
//              ID_W, TIME_W, WINDOW, SLACK  see ws_join_entry
//              R_TIME_LSB   lowest bit of the time in a tuple of R, 0 to DATA_W - TIME_W
//              S_TIME_LSB   lowest bit of the time in a tuple of S, 0 to DATA_W - TIME_W
// Items        s_axis: a beat is a tuple, s_axis_tdest 0 of R, 1 of S (see ws_join_merge), the first declared field in
//              the most significant bits. A beat with tkeep 0 is a FLUSH: it is output on m_axis, as a beat with
//              tkeep 0, after the last result of the tuples before it. It admits and expires nothing
//              m_axis: {tuple of R, tuple of S}; the order of the results of two probes is not defined
// Latency      8 + N + P cycles; from a tuple on s_axis to its first result of group N, if both units are idle; P: the
//              predicate's cycles; groups count from 1, that of the oldest row. Time windows: 12 + N + P, and P is at
//              least 2
// Issue rate   ROWS/MATCH_LANES + 2 cycles per tuple; of either stream, both in parallel; with time windows at least 6
//              cycles if both streams have tuples. Results: 1 per cycle. With selectivity M and both streams at the
//              same rate: a pair of tuples in max(ROWS/MATCH_LANES + 2, 2 * ROWS * M) cycles
// Overflow     tuple windows: cannot happen, s_axis_tready goes low; DROP = 1: evt_dropped, and tready goes low only
//              for a FLUSH and, with time windows, for the 2 cycles in which a tuple is checked. Time windows,
//              evt_overflow: the place that the tuple needs holds a row that may still match. A tuple is refused as a
//              whole; dropped_dest and dropped_id are its stream and its number there, modulo 2**ID_W (all tuples that
//              arrive are numbered, from 0), and its time counts like any other
// Bad input    limit must be constant while tuples arrive. evt_late: a late tuple is refused
// Source       Miyoshi et al., IEICE Trans. J94-D (2011): layers 5, admission control 4.2; MATCH_LANES, predicates
//              other than equality, FLUSH and the arrival order are ours

`default_nettype none

module ws_window_join #(
    parameter        DATA_W      = 64,
    parameter        ROWS        = 1024,
    parameter        MATCH_LANES = 1,
    parameter [31:0] PREDICATE   = "EQ",
    parameter        KEY_W       = 32,
    parameter        SIGNED      = 0,
    parameter        LIMIT_W     = 33,
    parameter        R_KEY_LSB   = 0,
    parameter        S_KEY_LSB   = 0,
    parameter        FIFO_W      = 4,
    parameter        DROP        = 0,
    parameter        ID_W        = 32,
    parameter        TIME_W      = 0,
    parameter        R_TIME_LSB  = 0,
    parameter        S_TIME_LSB  = 0,
    parameter [63:0] WINDOW      = 60,
    parameter [63:0] SLACK       = 0
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [LIMIT_W-1:0]    limit,

    input  wire [DATA_W-1:0]     s_axis_tdata,
    input  wire [DATA_W/8-1:0]   s_axis_tkeep,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    input  wire                  s_axis_tlast,
    input  wire                  s_axis_tdest,

    output wire [2*DATA_W-1:0]   m_axis_tdata,
    output wire [2*DATA_W/8-1:0] m_axis_tkeep,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire                  m_axis_tlast,

    output wire                  evt_dropped,
    output wire                  evt_late,
    output wire                  evt_overflow,
    output wire                  dropped_dest,
    output wire [ID_W-1:0]       dropped_id
);

    initial if (R_KEY_LSB < 0 || R_KEY_LSB > DATA_W - KEY_W || S_KEY_LSB < 0 || S_KEY_LSB > DATA_W - KEY_W
                || (DROP != 0 && DROP != 1)) begin
        $display("ERROR: %m: R_KEY_LSB = %0d, S_KEY_LSB = %0d (0 to DATA_W - KEY_W), DROP = %0d (0 or 1)",
                 R_KEY_LSB, S_KEY_LSB, DROP);
        $finish;
    end

    initial if (R_TIME_LSB < 0 || R_TIME_LSB > DATA_W - TIME_W || S_TIME_LSB < 0 || S_TIME_LSB > DATA_W - TIME_W) begin
        $display("ERROR: %m: R_TIME_LSB = %0d, S_TIME_LSB = %0d (0 to DATA_W - TIME_W)", R_TIME_LSB, S_TIME_LSB);
        $finish;
    end

    `include "ws_predicate.vh"

    // Cycles from a read to its group in a queue; and the number of groups that may have been read and that a queue's
    // level, registered one cycle ago, does not include.
    localparam CYCLES = 3 + match_cycles(PREDICATE, TIME_W);
    localparam MARGIN = CYCLES + 3;
    localparam MOST   = (1 << FIFO_W) - MARGIN;

    initial if (ROWS < 1 || ROWS > 65536 || MATCH_LANES < 1 || ROWS % MATCH_LANES != 0 || MOST < 0 || FIFO_W > 10) begin
        $display("ERROR: %m: ROWS = %0d (1 to 65536), MATCH_LANES = %0d (divides ROWS), FIFO_W = %0d (%0d to 10)",
                 ROWS, MATCH_LANES, FIFO_W, $clog2(MARGIN));
        $finish;
    end

    // ---- Input layer

    wire              tuple, flush, in_dest, r_ready, s_ready, r_active, s_active, out_ready;
    wire [DATA_W-1:0] in_data;
    reg               run_reg, idle_reg;
    wire              may     = run_reg && (in_dest ? s_ready : r_ready);
    wire              admit_r = tuple && may && !in_dest;
    wire              admit_s = tuple && may && in_dest;

    ws_join_entry #(
        .DATA_W(DATA_W), .ROWS(ROWS), .DROP(DROP), .ID_W(ID_W),
        .TIME_W(TIME_W), .R_TIME_LSB(R_TIME_LSB), .S_TIME_LSB(S_TIME_LSB), .WINDOW(WINDOW), .SLACK(SLACK)
    ) entry (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tdest(s_axis_tdest),
        .m_tuple(tuple), .m_flush(flush), .m_ready(flush ? idle_reg && out_ready : may), .m_dest(in_dest),
        .m_data(in_data),
        .evt_dropped(evt_dropped), .evt_late(evt_late), .evt_overflow(evt_overflow),
        .dropped_dest(dropped_dest), .dropped_id(dropped_id)
    );

    // The latest tuple of each stream: the probe of one unit, and for some cycles the row for the other.
    reg [DATA_W-1:0] r_reg, s_reg;

    always @(posedge clk) begin
        if (admit_r) r_reg <= in_data;
        if (admit_s) s_reg <= in_data;
    end

    // ---- Match layer: the unit of R has the window of S

    wire                          r_found, s_found;
    wire [MATCH_LANES-1:0]        r_hits, s_hits;
    wire [DATA_W-1:0]             r_probe, s_probe;
    wire [MATCH_LANES*DATA_W-1:0] r_rows, s_rows;

    ws_match_unit #(
        .DATA_W(DATA_W), .ROW_LSB(S_KEY_LSB), .PROBE_LSB(R_KEY_LSB), .KEY_W(KEY_W), .PREDICATE(PREDICATE),
        .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .ROWS(ROWS), .LANES(MATCH_LANES),
        .TIME_W(TIME_W), .ROW_TIME_LSB(S_TIME_LSB), .PROBE_TIME_LSB(R_TIME_LSB), .WINDOW(WINDOW)
    ) r_unit (
        .clk(clk), .rst(rst), .limit(limit), .run(run_reg),
        .insert(admit_s), .row_data(s_reg), .probe(admit_r), .probe_data(r_reg), .ready(r_ready), .active(r_active),
        .m_valid(r_found), .m_hits(r_hits), .m_probe(r_probe), .m_rows(r_rows)
    );

    ws_match_unit #(
        .DATA_W(DATA_W), .ROW_LSB(R_KEY_LSB), .PROBE_LSB(S_KEY_LSB), .KEY_W(KEY_W), .PREDICATE(PREDICATE),
        .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .ROWS(ROWS), .LANES(MATCH_LANES),
        .TIME_W(TIME_W), .ROW_TIME_LSB(R_TIME_LSB), .PROBE_TIME_LSB(S_TIME_LSB), .WINDOW(WINDOW)
    ) s_unit (
        .clk(clk), .rst(rst), .limit(limit), .run(run_reg),
        .insert(admit_r), .row_data(r_reg), .probe(admit_s), .probe_data(s_reg), .ready(s_ready), .active(s_active),
        .m_valid(s_found), .m_hits(s_hits), .m_probe(s_probe), .m_rows(s_rows)
    );

    // ---- Output layer

    wire                r_valid, s_valid;
    wire [FIFO_W:0]     r_level, s_level;
    wire [2*DATA_W-1:0] r_pair, s_pair;
    reg                 s_turn_reg;
    wire                give_s = s_valid && (s_turn_reg || !r_valid);
    wire                give_r = r_valid && !give_s;

    ws_match_results #(.DATA_W(DATA_W), .LANES(MATCH_LANES), .ADDR_W(FIFO_W)) r_results (
        .clk(clk), .rst(rst),
        .s_valid(r_found), .s_hits(r_hits), .s_probe(r_probe), .s_rows(r_rows), .level(r_level),
        .m_valid(r_valid), .m_ready(out_ready && give_r),
        .m_probe(r_pair[DATA_W +: DATA_W]), .m_row(r_pair[0 +: DATA_W])
    );

    ws_match_results #(.DATA_W(DATA_W), .LANES(MATCH_LANES), .ADDR_W(FIFO_W)) s_results (
        .clk(clk), .rst(rst),
        .s_valid(s_found), .s_hits(s_hits), .s_probe(s_probe), .s_rows(s_rows), .level(s_level),
        .m_valid(s_valid), .m_ready(out_ready && give_s),
        .m_probe(s_pair[0 +: DATA_W]), .m_row(s_pair[DATA_W +: DATA_W])
    );

    always @(posedge clk) begin
        run_reg  <= r_level <= MOST[FIFO_W:0] && s_level <= MOST[FIFO_W:0];
        idle_reg <= !(admit_r || admit_s || r_active || s_active || r_level != 0 || s_level != 0);
        if (out_ready && (r_valid || s_valid)) s_turn_reg <= !give_s;
        if (rst) begin
            run_reg    <= 1'b0;
            idle_reg   <= 1'b0;
            s_turn_reg <= 1'b0;
        end
    end

    wire out_flush;
    wire flush_out = flush && idle_reg;     // every result before the FLUSH has been output

    ws_skid_buffer #(.DATA_W(2*DATA_W + 1)) out_slice (
        .clk(clk), .rst(rst),
        .s_valid(r_valid || s_valid || flush_out), .s_ready(out_ready), .s_data({flush_out, give_s ? s_pair : r_pair}),
        .m_valid(m_axis_tvalid), .m_ready(m_axis_tready), .m_data({out_flush, m_axis_tdata})
    );

    assign m_axis_tkeep = {(2*DATA_W/8){!out_flush}};
    assign m_axis_tlast = 1'b1;

`ifdef FORMAL
    ws_join_rules #(
        .DATA_W(DATA_W), .KEY_W(KEY_W), .ROWS(ROWS), .ID_W(ID_W), .TIME_W(TIME_W), .WINDOW(WINDOW), .SLACK(SLACK)
    ) rules (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tdest(s_axis_tdest),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .evt_late(evt_late), .evt_overflow(evt_overflow), .dropped_dest(dropped_dest), .dropped_id(dropped_id)
    );

    reg past_valid = 1'b0;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (past_valid && !rst) begin
            // the arbitration is round-robin
            if ($past(!rst && out_ready && give_r) && s_valid) assert (give_s);
            if ($past(!rst && out_ready && give_s) && r_valid) assert (give_r);
        end
        if (TIME_W == 0) cover (past_valid && !run_reg && r_active && $past(m_axis_tvalid && m_axis_tready));
    end
`endif

endmodule

`default_nettype wire
