// SPDX-License-Identifier: Apache-2.0
//
// ws_window_join: the join of two streams over the last ROWS tuples of each, or over a window in time, exact: a pair is
// a result if it passes the predicate and the earlier tuple is in its window when the later one arrives.
//
// In time, a pair is in the window if its times are at most WINDOW apart and neither tuple is late, in whatever order
// they came. ROWS is memory then, and decides nothing: a tuple whose place is that of a row that may still match is
// refused. It cannot wait, for the tuple of the other stream that frees the place may be the next. See ws_join_time.
//
// Input layer: a tuple is admitted when the match unit of its stream is READY; in the same cycle it goes to that unit
// as a probe and to the other unit's window as a row. Match layer: a unit for each stream, which compares the probe
// with the other stream's window while the other unit does the same. Output layer: a queue behind each unit and an
// arbiter. When a queue runs short of room both units WAIT, and what is under way finds its place.
//
// Both units wait in the same cycles, so that however long they wait, a row is read by a probe that came before it
// was replaced, and a row is there when a probe comes behind it: the naive parallel join, which the paper shows to lose
// pairs, cannot happen. Proven within a bound at the foot.
//
// Parameters   DATA_W        width of a tuple in bits: a multiple of 8
//              ROWS          tuples in a window, 1 to 65536; in time: of each stream, tuples that can be held
//              MATCH_LANES   rows that a unit compares in a cycle; divides ROWS
//              PREDICATE, KEY_W, SIGNED, LIMIT_W   see ws_predicate
//              R_KEY_LSB, S_KEY_LSB   lowest bit of the key in a tuple of R and of S
//              FIFO_W        each result queue holds 2**FIFO_W groups, 3 to 10, for L1 4 to 10
//              DROP          0: s_axis waits until a tuple can be admitted; 1: a tuple that cannot be is dropped
//              ID_W          width of dropped_id
//              TIME_W        0: windows of tuples; else the width of a tuple's time, unsigned
//              R_TIME_LSB, S_TIME_LSB   lowest bit of the time in a tuple of R and of S
//              WINDOW        of a pair, the largest distance in time
//              SLACK         a tuple is late if its time is more than that below the largest of its stream before it
// Items        s_axis: a beat is a tuple, s_axis_tdest 0 of R, 1 of S (see ws_join_merge), the first declared field in
//              the most significant bits. A beat with tkeep 0 is a FLUSH: it comes out on m_axis, as a beat with
//              tkeep 0, behind the last result of the tuples before it. It admits and expires nothing
//              m_axis: {tuple of R, tuple of S}; the order of the results of two probes is not promised
// Latency      from a tuple on s_axis to its first result of group n: 8 + n cycles and those of the predicate, if both
//              units are idle; the groups count from 1, that of the oldest row. In time 10 + n, and the predicate's
//              cycles are 2 at least
// Issue rate   a tuple of each stream in ROWS/MATCH_LANES + 2 cycles; results: 1 a cycle. With selectivity M and both
//              streams at the same rate: a pair of tuples in max(ROWS/MATCH_LANES + 2, 2 * ROWS * M) cycles
// Overflow     windows of tuples: cannot happen, s_axis_tready falls; DROP = 1: evt_dropped, and tready falls only for
//              a FLUSH. In time, evt_overflow: the tuple's place is that of a row that may still match. What is
//              refused is refused whole; dropped_dest and dropped_id are its stream and its number there, modulo
//              2**ID_W (all tuples that come are numbered, from 0), and its time counts as that of any other
// Bad input    limit must stand still while tuples come. evt_late: a late tuple is refused
// Source       Miyoshi et al., IEICE Trans. J94-D (2011): layers 5, admission control 4.2; MATCH_LANES, predicates but
//              for equality, FLUSH and the arrival order are ours

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

    `include "ws_predicate.vh"

    // From a read to its group in a queue, and what may have been read that a queue's level, seen a cycle ago, does not
    // tell of.
    localparam CYCLES = 3 + (TIME_W != 0 && predicate_cycles(PREDICATE) < 2 ? 2 : predicate_cycles(PREDICATE));
    localparam MARGIN = CYCLES + 3;
    localparam MOST   = (1 << FIFO_W) - MARGIN;

    initial if (DATA_W < 8 || DATA_W % 8 != 0 || R_KEY_LSB + KEY_W > DATA_W || S_KEY_LSB + KEY_W > DATA_W) begin
        $display("ERROR: %m: DATA_W = %0d (a multiple of 8), R_KEY_LSB, S_KEY_LSB = %0d, %0d with KEY_W = %0d (inside it)",
                 DATA_W, R_KEY_LSB, S_KEY_LSB, KEY_W);
        $finish;
    end

    initial if (ROWS < 1 || ROWS > 65536 || MATCH_LANES < 1 || ROWS % MATCH_LANES != 0 || MOST < 0 || FIFO_W > 10) begin
        $display("ERROR: %m: ROWS = %0d (1 to 65536), MATCH_LANES = %0d (divides ROWS), FIFO_W = %0d (too few or above 10)",
                 ROWS, MATCH_LANES, FIFO_W);
        $finish;
    end

    initial if (TIME_W < 0 || R_TIME_LSB + TIME_W > DATA_W || S_TIME_LSB + TIME_W > DATA_W) begin
        $display("ERROR: %m: TIME_W = %0d, R_TIME_LSB, S_TIME_LSB = %0d, %0d (inside DATA_W = %0d)",
                 TIME_W, R_TIME_LSB, S_TIME_LSB, DATA_W);
        $finish;
    end

    // ---- Input layer

    wire              come_valid, come_ready, come_flush, come_dest;
    wire [DATA_W-1:0] come_data;

    ws_skid_buffer #(.DATA_W(DATA_W + 2)) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
        .s_data({s_axis_tkeep == {(DATA_W/8){1'b0}}, s_axis_tdest, s_axis_tdata}),
        .m_valid(come_valid), .m_ready(come_ready), .m_data({come_flush, come_dest, come_data})
    );

    wire              in_valid, in_ready, in_flush, in_dest, in_late, in_room, in_full;
    wire [DATA_W-1:0] in_data;
    wire              tuple = in_valid && !in_flush;
    wire              may;

    generate
        if (TIME_W != 0) begin : gen_time
            ws_join_time #(.DATA_W(DATA_W), .TIME_W(TIME_W), .ROWS(ROWS), .WINDOW(WINDOW), .SLACK(SLACK)) times (
                .clk(clk), .rst(rst),
                .s_valid(come_valid), .s_ready(come_ready), .s_flush(come_flush), .s_dest(come_dest),
                .s_time(come_dest ? come_data[S_TIME_LSB +: TIME_W] : come_data[R_TIME_LSB +: TIME_W]),
                .s_data(come_data),
                .m_valid(in_valid), .m_ready(in_ready), .m_flush(in_flush), .m_dest(in_dest), .m_data(in_data),
                .m_late(in_late), .m_room(in_room), .m_full(in_full), .admit(tuple && may)
            );
        end else begin : gen_no_time
            assign {in_valid, in_flush, in_dest, in_data} = {come_valid, come_flush, come_dest, come_data};
            assign {in_late, in_room, in_full} = 3'b010;
            assign come_ready = in_ready;
        end
    endgenerate

    wire r_ready, s_ready, r_active, s_active, out_ready;
    reg  run_reg, idle_reg;
    wire never   = in_late || in_full;
    wire admit_r = tuple && may && !in_dest;
    wire admit_s = tuple && may && in_dest;
    wire flush   = in_valid && in_flush && idle_reg;

    assign may      = run_reg && (in_dest ? s_ready : r_ready) && in_room && !in_late;
    assign in_ready = in_flush ? flush && out_ready : may || never || DROP != 0;

    // The latest tuple of each stream: a probe for one unit, and for some cycles a row for the other.
    reg [DATA_W-1:0] r_reg, s_reg;

    always @(posedge clk) begin
        if (admit_r) r_reg <= in_data;
        if (admit_s) s_reg <= in_data;
    end

    generate
        if (DROP != 0 || TIME_W != 0) begin : gen_drop
            reg            dropped_reg, late_reg, overflow_reg, dest_reg;
            reg [ID_W-1:0] id_reg, r_id_reg, s_id_reg;

            always @(posedge clk) begin
                late_reg     <= tuple && in_late && !rst;
                overflow_reg <= tuple && in_full && !in_late && !rst;
                dropped_reg  <= tuple && in_ready && !may && !never && !rst;
                dest_reg     <= in_dest;
                id_reg       <= in_dest ? s_id_reg : r_id_reg;
                if (tuple && in_ready && !in_dest) r_id_reg <= r_id_reg + {{(ID_W-1){1'b0}}, 1'b1};
                if (tuple && in_ready && in_dest) s_id_reg <= s_id_reg + {{(ID_W-1){1'b0}}, 1'b1};
                if (rst) begin
                    r_id_reg <= {ID_W{1'b0}};
                    s_id_reg <= {ID_W{1'b0}};
                end
            end

            assign {evt_dropped, evt_late, evt_overflow} = {dropped_reg, late_reg, overflow_reg};
            assign dropped_dest = dest_reg;
            assign dropped_id   = id_reg;
        end else begin : gen_wait
            assign {evt_dropped, evt_late, evt_overflow} = 3'b000;
            assign dropped_dest = 1'b0;
            assign dropped_id   = {ID_W{1'b0}};
        end
    endgenerate

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
        .m_valid(r_valid), .m_ready(out_ready && give_r), .m_probe(r_pair[DATA_W +: DATA_W]), .m_row(r_pair[0 +: DATA_W])
    );

    ws_match_results #(.DATA_W(DATA_W), .LANES(MATCH_LANES), .ADDR_W(FIFO_W)) s_results (
        .clk(clk), .rst(rst),
        .s_valid(s_found), .s_hits(s_hits), .s_probe(s_probe), .s_rows(s_rows), .level(s_level),
        .m_valid(s_valid), .m_ready(out_ready && give_s), .m_probe(s_pair[0 +: DATA_W]), .m_row(s_pair[DATA_W +: DATA_W])
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

    ws_skid_buffer #(.DATA_W(2*DATA_W + 1)) out_slice (
        .clk(clk), .rst(rst),
        .s_valid(r_valid || s_valid || flush), .s_ready(out_ready), .s_data({flush, give_s ? s_pair : r_pair}),
        .m_valid(m_axis_tvalid), .m_ready(m_axis_tready), .m_data({out_flush, m_axis_tdata})
    );

    assign m_axis_tkeep = {(2*DATA_W/8){!out_flush}};
    assign m_axis_tlast = 1'b1;

`ifdef FORMAL
    // An arbitrary pair of tuples is watched, by their numbers in their streams, which the tuples carry above the time
    // and the key. It is decided by the definition whether they are to meet; what of them is refused is told, once and
    // by its number. A FLUSH ends the stream; then all must have come out.
    localparam NUMBER_LSB = KEY_W + TIME_W;
    localparam NUMBER_W   = DATA_W - NUMBER_LSB;
    (* anyconst *) reg [NUMBER_W-1:0] r_watch, s_watch;
    reg                past_valid = 1'b0;
    reg [NUMBER_W-1:0] r_count_ref, s_count_ref;        // tuples taken
    reg [DATA_W-1:0]   r_ref, s_ref;                    // the watched tuples
    reg                r_late_ref, s_late_ref;          // they came late
    reg [TIME_W:0]     r_newest_ref, s_newest_ref;      // largest times
    reg                wanted_ref, came_ref, flushed_ref, told_ref;
    reg [1:0]          r_told_ref, s_told_ref;          // {late, overflow} of the watched tuples
    wire               taken    = s_axis_tvalid && s_axis_tready;
    wire               out      = m_axis_tvalid && m_axis_tready;
    wire               r_taken  = taken && &s_axis_tkeep && !s_axis_tdest;
    wire               s_taken  = taken && &s_axis_tkeep && s_axis_tdest;
    wire [NUMBER_W-1:0] number  = s_axis_tdest ? s_count_ref : r_count_ref;
    wire [KEY_W-1:0]   key      = s_axis_tdata[KEY_W-1:0];
    wire               watched  = m_axis_tdata[DATA_W+NUMBER_LSB +: NUMBER_W] == r_watch
                                  && m_axis_tdata[NUMBER_LSB +: NUMBER_W] == s_watch;
    wire               r_tells  = (evt_late || evt_overflow) && !dropped_dest && dropped_id == r_watch;
    wire               s_tells  = (evt_late || evt_overflow) && dropped_dest && dropped_id == s_watch;
    wire               lost     = r_told_ref[0] || s_told_ref[0];
    reg [TIME_W:0]     came_at;                         // time of what comes
    reg                came_late;

    function [TIME_W:0] time_of(input [DATA_W-1:0] data);
        time_of = (data >> KEY_W) % (1 << TIME_W);
    endfunction

    // Whether a tuple that is not late and comes now meets an earlier one.
    function meets(input [DATA_W-1:0] earlier, input earlier_late, input in_rows);
        meets = earlier[KEY_W-1:0] == key && !came_late
                && (TIME_W == 0 ? in_rows : !earlier_late && time_of(earlier) <= came_at + WINDOW
                                                          && came_at <= time_of(earlier) + WINDOW);
    endfunction

    always @* begin
        came_at   = time_of(s_axis_tdata);
        came_late = TIME_W != 0 && came_at + SLACK < (s_axis_tdest ? s_newest_ref : r_newest_ref);
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assume (s_axis_tdata[NUMBER_LSB +: NUMBER_W] == number && number != {NUMBER_W{1'b1}});
            assume (s_axis_tkeep == 0 || &s_axis_tkeep);
            assume (key <= 1);                          // enough to match or not
            // keys, pauses and stalls are for the proof of tuple windows
            if (TIME_W != 0) assume (key == 0 && m_axis_tready && s_axis_tvalid != flushed_ref);
            assume (!(flushed_ref && s_axis_tvalid));
            if ($past(s_axis_tvalid && !s_axis_tready))
                assume (s_axis_tvalid && $stable({s_axis_tdata, s_axis_tdest, s_axis_tkeep}));
        end

        if (r_taken) begin
            r_count_ref <= r_count_ref + 1'b1;
            if (came_at > r_newest_ref) r_newest_ref <= came_at;
            if (number == r_watch) begin
                r_ref      <= s_axis_tdata;
                r_late_ref <= came_late;
                if (s_watch < s_count_ref) wanted_ref <= meets(s_ref, s_late_ref, s_watch + ROWS >= s_count_ref);
            end
        end
        if (s_taken) begin
            s_count_ref <= s_count_ref + 1'b1;
            if (came_at > s_newest_ref) s_newest_ref <= came_at;
            if (number == s_watch) begin
                s_ref      <= s_axis_tdata;
                s_late_ref <= came_late;
                if (r_watch < r_count_ref) wanted_ref <= meets(r_ref, r_late_ref, r_watch + ROWS >= r_count_ref);
            end
        end
        if (taken && !(|s_axis_tkeep)) flushed_ref <= 1'b1;
        if (out && &m_axis_tkeep && watched) came_ref <= 1'b1;
        if (out && !(|m_axis_tkeep)) told_ref <= 1'b1;
        if (r_tells) r_told_ref <= {evt_late, evt_overflow};
        if (s_tells) s_told_ref <= {evt_late, evt_overflow};
        if (rst) begin
            r_count_ref <= 0;
            s_count_ref <= 0;
            r_newest_ref <= 0;
            s_newest_ref <= 0;
            {wanted_ref, came_ref, flushed_ref, told_ref, r_told_ref, s_told_ref, r_late_ref, s_late_ref} <= 0;
        end

        if (past_valid && !rst) begin
            // the queues take turns
            if ($past(!rst && out_ready && give_r) && s_valid) assert (give_s);
            if ($past(!rst && out_ready && give_s) && r_valid) assert (give_r);
            if (out && &m_axis_tkeep) join_after_flush: assert (!told_ref);
            if (out && &m_axis_tkeep && watched)
                join_false: assert (wanted_ref && !lost && m_axis_tdata == {r_ref, s_ref});
            if (out && &m_axis_tkeep && watched) join_doubled: assert (!came_ref);
            if (out && !(|m_axis_tkeep)) join_lost: assert (flushed_ref && came_ref == (wanted_ref && !lost));
            // refused for one reason, told once; late is what came late
            if (r_tells) join_told: assert (evt_late != evt_overflow && r_told_ref == 0 && evt_late == r_late_ref);
            if (s_tells) join_told_s: assert (evt_late != evt_overflow && s_told_ref == 0 && evt_late == s_late_ref);
            if (out && !(|m_axis_tkeep)) join_late: assert (r_told_ref[1] == r_late_ref && s_told_ref[1] == s_late_ref);
        end
        cover (past_valid && told_ref && came_ref && (r_watch >= ROWS || TIME_W != 0));
        cover (past_valid && (TIME_W != 0 || (!run_reg && r_active && $past(out))));
        if (TIME_W != 0) begin
            cover (past_valid && told_ref && wanted_ref && r_told_ref[0]);
            cover (past_valid && told_ref && r_told_ref[1]);
        end
    end
`endif

endmodule

`default_nettype wire
