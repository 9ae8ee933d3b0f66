// SPDX-License-Identifier: Apache-2.0
//
// ws_match_unit: half of ws_window_join: the window of one stream in RAM, and the unit that compares the other
// stream's tuples with it. The RAM is ROWS/LANES deep; synthesis maps a shallow one to LUTs.
//
// The window is a ring of ROWS rows, LANES of them in a group. A probe is compared with all groups, one per cycle,
// from that of the oldest row on. Read, compare and output overlap. A row that arrives while the ring is read replaces
// the oldest one, which has been read by then, and is not itself read in this scan: a probe meets the window of its
// arrival.
//
// Parameters   DATA_W          width of a tuple in bits, at least 1
//              ROW_LSB         lowest bit of the key in a row, 0 to DATA_W - KEY_W
//              PROBE_LSB       lowest bit of the key in a probe, 0 to DATA_W - KEY_W
//              KEY_W, PREDICATE, SIGNED, LIMIT_W  see ws_predicate
//              ROWS            rows of the window, a multiple of LANES, at least 1
//              LANES           rows compared per cycle, at least 1
//              TIME_W          width of a time in bits, 0 to DATA_W; 0: without times
//              ROW_TIME_LSB    lowest bit of the time in a row, 0 to DATA_W - TIME_W
//              PROBE_TIME_LSB  lowest bit of the time in a probe, 0 to DATA_W - TIME_W
//              WINDOW          largest distance of two times; below 2**TIME_W
// Ports        run low     WAIT: nothing is read in this cycle. Groups in flight are output all the same
//              insert      a row arrives, with run; row_data holds it in the second cycle after
//              probe       a probe arrives, with run and ready; probe_data holds it from the next cycle on, until the
//                          next probe
//              m_valid     some rows of the group match: those with a bit in m_hits
// Latency      5 + P cycles; from probe to m_valid; P: the predicate's cycles, with times at least 2
// Issue rate   1 probe per ROWS/LANES + 2 cycles of run; the same distance between two inserts
// Source       Miyoshi et al., IEICE Trans. J94-D (2011), sections 4.1 and 5.2: match unit and queue

`default_nettype none

module ws_match_unit #(
    parameter        DATA_W         = 64,
    parameter        ROW_LSB        = 0,
    parameter        PROBE_LSB      = 0,
    parameter        KEY_W          = 32,
    parameter [31:0] PREDICATE      = "EQ",
    parameter        SIGNED         = 0,
    parameter        LIMIT_W        = 33,
    parameter        ROWS           = 1024,
    parameter        LANES          = 1,
    parameter        TIME_W         = 0,
    parameter        ROW_TIME_LSB   = 0,
    parameter        PROBE_TIME_LSB = 0,
    parameter [63:0] WINDOW         = 60
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [LIMIT_W-1:0]      limit,
    input  wire                    run,

    input  wire                    insert,
    input  wire [DATA_W-1:0]       row_data,
    input  wire                    probe,
    input  wire [DATA_W-1:0]       probe_data,
    output reg                     ready,
    output wire                    active,      // a probe is in flight

    output wire                    m_valid,
    output wire [LANES-1:0]        m_hits,
    output wire [DATA_W-1:0]       m_probe,
    output wire [LANES*DATA_W-1:0] m_rows
);

    initial if (ROW_LSB < 0 || ROW_LSB > DATA_W - KEY_W || PROBE_LSB < 0 || PROBE_LSB > DATA_W - KEY_W
                || ROWS % LANES != 0 || ROWS < 1 || LANES < 1) begin
        $display("ERROR: %m: ROW_LSB = %0d, PROBE_LSB = %0d (0 to DATA_W - KEY_W), ",
                 ROW_LSB, PROBE_LSB, "ROWS = %0d (a multiple of LANES, at least 1), LANES = %0d (at least 1)", ROWS,
                 LANES);
        $finish;
    end

    initial if (TIME_W < 0 || TIME_W > DATA_W || ROW_TIME_LSB < 0 || ROW_TIME_LSB > DATA_W - TIME_W
                || PROBE_TIME_LSB < 0 || PROBE_TIME_LSB > DATA_W - TIME_W) begin
        $display("ERROR: %m: TIME_W = %0d (0 to DATA_W), ",
                 TIME_W, "ROW_TIME_LSB = %0d, PROBE_TIME_LSB = %0d (0 to DATA_W - TIME_W)", ROW_TIME_LSB,
                 PROBE_TIME_LSB);
        $finish;
    end

    initial if (TIME_W > 0 && WINDOW >> TIME_W != 0) begin
        $display("ERROR: %m: WINDOW = %0d (below 2**TIME_W), TIME_W = %0d", WINDOW, TIME_W);
        $finish;
    end

    localparam GROUPS       = ROWS / LANES;
    localparam ADDR_W       = GROUPS > 1 ? $clog2(GROUPS) : 1;
    localparam LAST         = GROUPS - 1;
    `include "ws_predicate.vh"

    localparam READ_CYCLES  = 3;
    localparam MATCH_CYCLES = match_cycles(PREDICATE, TIME_W);
    localparam CYCLES       = READ_CYCLES + MATCH_CYCLES;
    localparam TIME_PORT_W  = TIME_W != 0 ? TIME_W : 1;
    localparam [ADDR_W-1:0] STEP = 1;

    // ---- Input: row, probe and run are registered

    reg run_reg, insert_reg, probe_reg;

    always @(posedge clk) begin
        run_reg    <= run && !rst;
        insert_reg <= insert && !rst;
        probe_reg  <= probe && !rst;
    end

    // ---- Ring: the place of the next row; it is written in the cycle in which the first group might be read

    reg [ADDR_W-1:0] group_reg, write_group_reg;
    reg [LANES-1:0]  lane_reg, write_lanes_reg;
    reg              full_reg;          // all rows have been written

    wire             next_group = insert_reg && lane_reg[LANES-1];
    wire             round      = group_reg == LAST[ADDR_W-1:0];

    always @(posedge clk) begin
        write_group_reg <= group_reg;
        write_lanes_reg <= insert_reg && !rst ? lane_reg : {LANES{1'b0}};
        if (insert_reg) lane_reg <= (lane_reg << 1) | {{(LANES-1){1'b0}}, lane_reg[LANES-1]};
        if (next_group) group_reg <= round ? {ADDR_W{1'b0}} : group_reg + STEP;
        if (next_group && round) full_reg <= 1'b1;
        if (rst) begin
            group_reg <= {ADDR_W{1'b0}};
            lane_reg  <= {{(LANES-1){1'b0}}, 1'b1};
            full_reg  <= 1'b0;
        end
    end

    // ---- Scan: READY while not busy, MATCH with run, WAIT without

    reg              busy_reg;
    reg [ADDR_W-1:0] scan_reg, left_reg;
    reg              first_reg;         // the group of the oldest row, which also holds the newest ones
    reg              below_reg;         // the scan has wrapped around: the groups before that
    reg              whole_reg;         // the ring was full when the probe arrived
    reg [LANES-1:0]  newest_reg;        // rows of the first group that are newer than all others
    wire             read = busy_reg && run_reg;
    wire [LANES-1:0] lanes = whole_reg || below_reg ? {LANES{1'b1}} : first_reg ? newest_reg : {LANES{1'b0}};

    always @(posedge clk) begin
        ready <= !probe && !probe_reg && (!busy_reg || (read && left_reg == {ADDR_W{1'b0}}));
        if (read) begin
            first_reg <= 1'b0;
            scan_reg  <= scan_reg == LAST[ADDR_W-1:0] ? {ADDR_W{1'b0}} : scan_reg + STEP;
            left_reg  <= left_reg - STEP;
            if (scan_reg == LAST[ADDR_W-1:0]) below_reg <= 1'b1;
            if (left_reg == {ADDR_W{1'b0}}) busy_reg <= 1'b0;
        end
        if (probe_reg) begin
            busy_reg   <= 1'b1;
            first_reg  <= 1'b1;
            below_reg  <= 1'b0;
            scan_reg   <= group_reg;
            left_reg   <= LAST[ADDR_W-1:0];
            whole_reg  <= full_reg;
            newest_reg <= lane_reg - {{(LANES-1){1'b0}}, 1'b1};
        end
        if (rst) begin
            busy_reg <= 1'b0;
            ready    <= 1'b0;
        end
    end

    // ---- Read: two cycles, and one for the routes from many block RAMs

    localparam WIDTH = LANES*DATA_W;
    wire [WIDTH-1:0]                  rows;
    reg  [(1+MATCH_CYCLES)*WIDTH-1:0] rows_reg;
    reg  [DATA_W-1:0]                 match_probe_reg, result_probe_reg;
    wire [LANES-1:0]                  match;

`ifdef FORMAL
    (* anyconst *) reg [ADDR_W-1:0] watch_group;
    wire [WIDTH-1:0]                watch_rows;
`endif

    genvar i;
    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            ws_ram_sdp #(.DATA_W(DATA_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1)) window (
                .clk(clk),
                .wr_en(write_lanes_reg[i]), .wr_addr(write_group_reg), .wr_data(row_data),
                .rd_en(read), .rd_addr(scan_reg), .rd_data(rows[i*DATA_W +: DATA_W])
`ifdef FORMAL
                ,
                .watch_addr(watch_group), .watch_data(watch_rows[i*DATA_W +: DATA_W])
`endif
            );

            ws_predicate_in_time #(
                .PREDICATE(PREDICATE), .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W),
                .TIME_W(TIME_W), .WINDOW(WINDOW)
            ) predicate (
                .clk(clk), .limit(limit),
                .window(rows_reg[i*DATA_W + ROW_LSB +: KEY_W]), .probe(match_probe_reg[PROBE_LSB +: KEY_W]),
                .window_time(rows_reg[i*DATA_W + ROW_TIME_LSB +: TIME_PORT_W]),
                .probe_time(match_probe_reg[PROBE_TIME_LSB +: TIME_PORT_W]),
                .match(match[i])
            );
        end
    endgenerate

    // ---- Compare: the rows wait for the result, and the probe is a stage ahead of its rows. Probes are at least 3
    // cycles apart, and the predicate takes no longer.

    reg [CYCLES-1:0]       read_reg, first_read_reg;   // a group was read n + 1 cycles ago
    reg [CYCLES*LANES-1:0] lanes_reg;

    always @(posedge clk) begin
        read_reg       <= rst ? {CYCLES{1'b0}} : {read_reg[CYCLES-2:0], read};
        first_read_reg <= {first_read_reg[CYCLES-2:0], read && first_reg};
        lanes_reg      <= {lanes_reg[(CYCLES-1)*LANES-1:0], lanes};
        rows_reg       <= {rows_reg[MATCH_CYCLES*WIDTH-1:0], rows};
        if (first_read_reg[0]) match_probe_reg <= probe_data;
        if (first_read_reg[MATCH_CYCLES]) result_probe_reg <= match_probe_reg;
    end

    // ---- Output

    assign active  = probe_reg || busy_reg || |read_reg;
    assign m_hits  = match & lanes_reg[(CYCLES-1)*LANES +: LANES];
    assign m_valid = read_reg[CYCLES-1] && |m_hits;
    assign m_probe = result_probe_reg;
    assign m_rows  = rows_reg[MATCH_CYCLES*WIDTH +: WIDTH];

`ifdef FORMAL
    // The ring is the window. Therefore, for an arbitrary place: a probe meets the row that is there when it arrives,
    // once, if there is one, and whatever arrives later. EQ only.
    (* anyconst *) reg [LANES-1:0] watch_lane;      // one bit
    reg              past_valid = 1'b0;
    reg              valid_ref, wanted_ref;         // the place has a row; had one when the probe arrived
    reg [DATA_W-1:0] row_ref, wanted_row_ref;       // the row, and that of the probe's arrival
    reg [DATA_W-1:0] probe_ref, row;
    reg [ADDR_W-1:0] start_ref;
    reg              inserted_ref;                  // since the probe arrived
    integer          since_ref;                     // cycles of run since a row arrived, up to GROUPS + 1
    integer          done_ref;                      // groups read for this probe
    integer          idle_ref;                      // cycles since there was anything to read, up to CYCLES + 1
    integer          place, n;
    reg              insert_ref;
    reg [DATA_W-1:0] new_row_ref;                   // what row_data must be in the cycle after insert
    (* anyseq *) reg [DATA_W-1:0] new_row, new_probe;
    // The read of n + 1 cycles ago: was it the watched place, and with which result.
    reg [CYCLES-1:0] met_ref, met_wanted_ref;
    reg [DATA_W-1:0] met_row_ref [0:CYCLES-1], met_probe_ref [0:CYCLES-1];
    wire             here   = group_reg == watch_group && lane_reg == watch_lane;
    wire             reads  = read && scan_reg == watch_group;
    reg              hit, meant_ref;
    reg [DATA_W-1:0] out_row, kept_row;
    integer          row_time_ref, probe_time_ref;

    always @* begin
        place    = watch_group >= start_ref ? watch_group - start_ref : watch_group + GROUPS - start_ref;
        row_time_ref   = (met_row_ref[CYCLES-1] >> ROW_TIME_LSB) % (1 << TIME_W);
        probe_time_ref = (met_probe_ref[CYCLES-1] >> PROBE_TIME_LSB) % (1 << TIME_W);
        meant_ref      = met_row_ref[CYCLES-1][ROW_LSB +: KEY_W] == met_probe_ref[CYCLES-1][PROBE_LSB +: KEY_W]
                          && row_time_ref <= probe_time_ref + WINDOW && probe_time_ref <= row_time_ref + WINDOW;
        hit      = 0;
        out_row  = 0;
        kept_row = 0;
        for (n = 0; n < LANES; n = n + 1) if (watch_lane[n]) begin
            hit      = m_valid && m_hits[n];
            out_row  = m_rows[n*DATA_W +: DATA_W];
            kept_row = watch_rows[n*DATA_W +: DATA_W];
        end
    end

    always @(posedge clk) begin
        past_valid    <= 1'b1;
        insert_ref    <= insert_reg;
        if (insert_reg) new_row_ref <= new_row;
        if (probe) probe_ref <= new_probe;
        if (insert_reg && here) begin
            row_ref   <= new_row;
            valid_ref <= 1'b1;
        end
        if (probe_reg) begin
            wanted_ref     <= valid_ref;
            wanted_row_ref <= row_ref;
            start_ref      <= group_reg;
            done_ref       <= 0;
            inserted_ref   <= 1'b0;
        end else begin
            done_ref     <= done_ref + read;
            inserted_ref <= inserted_ref || insert_reg;
        end
        idle_ref  <= busy_reg || probe_reg ? 0 : idle_ref + (idle_ref <= CYCLES);
        since_ref <= insert_reg ? 0 : since_ref + (run_reg && since_ref <= GROUPS);
        met_ref        <= {met_ref[CYCLES-2:0], reads};
        met_wanted_ref <= {met_wanted_ref[CYCLES-2:0], wanted_ref};
        for (n = 0; n < CYCLES; n = n + 1) begin
            met_row_ref[n]   <= n ? met_row_ref[n-1] : wanted_row_ref;
            met_probe_ref[n] <= n ? met_probe_ref[n-1] : probe_ref;
        end
        if (rst) begin
            {valid_ref, met_ref} <= 0;
            since_ref <= GROUPS + 1;
            idle_ref  <= 0;
        end

        assume (watch_group < GROUPS && watch_lane != 0 && (watch_lane & (watch_lane - 1'b1)) == 0);
        if (!past_valid) assume (rst);
        else begin
            // how it is used
            if (rst) assume (!insert && !probe);
            if (insert || probe) assume (run && !(insert && probe));
            if (probe) assume (ready);
            if (insert_reg) assume (since_ref >= GROUPS);
            if (insert_ref) assume (row_data == new_row_ref);
            assume (probe_data == probe_ref);

            // a wanted row that has not been read is still stored; once it has been read, it is output if it matches
            if (met_ref[CYCLES-1])
                assert (hit == (met_wanted_ref[CYCLES-1] && meant_ref));
            if (met_ref[CYCLES-1] && hit)
                assert (out_row == met_row_ref[CYCLES-1] && m_probe == met_probe_ref[CYCLES-1]);
            if (m_valid) assert (m_hits != 0 && $past(read, CYCLES));
            // every place is read once for every probe, which takes a cycle of run for each group
            if (busy_reg) assert (done_ref + left_reg == LAST && (reads == (run_reg && done_ref == place)));
            if ($past(busy_reg && !rst) && !busy_reg) assert (done_ref == GROUPS);
            if (busy_reg || probe_reg || met_ref != 0) assert (active);
            if (idle_ref > CYCLES) assert (active == probe_reg);
            // ready again after the last group
            if (ready) assert (!busy_reg && !probe_reg);
            if ($past(!rst && !busy_reg && !probe_reg && !probe)) assert (ready);

            // invariants for the induction
            assert (group_reg < GROUPS && lane_reg != 0 && (lane_reg & (lane_reg - 1'b1)) == 0);
            assert (valid_ref == (full_reg || watch_group < group_reg
                                  || (watch_group == group_reg && watch_lane < lane_reg)));
            assert (since_ref >= 0 && since_ref <= GROUPS + 1 && idle_ref >= 0 && idle_ref <= CYCLES + 1);
            if (valid_ref && !(write_lanes_reg == watch_lane && write_group_reg == watch_group))
                assert (kept_row == row_ref);
            if (write_lanes_reg != 0) assert (insert_ref);
            if (insert_ref && write_group_reg == watch_group && write_lanes_reg == watch_lane)
                assert (valid_ref && row_ref == new_row_ref);
            if (busy_reg) begin
                assert (start_ref < GROUPS && done_ref >= 0 && done_ref < GROUPS && !ready);
                assert (scan_reg == (start_ref + done_ref < GROUPS ? start_ref + done_ref
                                                                   : start_ref + done_ref - GROUPS));
                assert (first_reg == (done_ref == 0) && below_reg == (start_ref + done_ref >= GROUPS));
                if (inserted_ref) assert (!first_reg && since_ref < done_ref && !(insert_reg && probe_reg));
                else assert (group_reg == start_ref && whole_reg == full_reg && newest_reg == lane_reg - 1'b1);
                if (place >= done_ref) assert (wanted_ref == valid_ref && wanted_row_ref == row_ref);
                assert (wanted_ref == (whole_reg || watch_group < start_ref
                                       || (watch_group == start_ref && (newest_reg & watch_lane) != 0)));
                if (reads) assert (|(lanes & watch_lane) == wanted_ref);
                if (!first_reg && !first_read_reg[0]) assert (match_probe_reg == probe_ref);
                if (!first_reg && !(|first_read_reg[MATCH_CYCLES:0])) assert (result_probe_reg == probe_ref);
            end
        end
        cover (past_valid && met_ref[CYCLES-1] && hit && inserted_ref && full_reg && !run_reg);
        cover (past_valid && read && place == done_ref && wanted_ref && $past(!run_reg && busy_reg));
    end
`endif

endmodule

`default_nettype wire
