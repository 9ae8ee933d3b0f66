// SPDX-License-Identifier: Apache-2.0
//
// ws_join_time: checks a tuple's time for a join with time windows: is it late, and does its stream's window have a
// place for it?
//
// A tuple is late if its time is more than SLACK below the largest earlier time of its own stream. A row may still
// match as long as the other stream may bring a tuple that is not late with a time at most WINDOW above the row's. The
// other stream's time frees a row's place, not a new row: a queue holds, in order of arrival, the times of the rows
// that have not expired, and the window is full while it holds ROWS.
//
// Parameters   DATA_W  width of what goes along with a tuple in bits, at least 1
//              TIME_W  width of a time in bits, at least 1; unsigned, and it never wraps around
//              ROWS    places of each window, at least 1
//              WINDOW  largest distance of two times; below 2**TIME_W together with SLACK
//              SLACK   how far a time may be below the largest of its stream
// Ports        s_flush: not a tuple, it passes; s_dest: 0 of R, 1 of S
//              m_valid: an item is output until m_ready. m_go: a FLUSH, or a tuple that is not late and has a place.
//              m_late: it is late. m_full: it has no place, with all tuples before it considered. The result is pending
//              until one of them is set
//              admit: with m_go and m_ready, the tuple becomes a row
// Latency      4 cycles; from s to m_valid
// Issue rate   1 item per 3 cycles; a row's place is free 4 cycles after the time that expires it is taken, of several
//              rows one per 2 cycles, and none in the 8 cycles after its admission
// Overflow     admit must be low without m_go
// Source       ours; that expiry only frees memory is what makes a time window exact when times are out of order

`default_nettype none

module ws_join_time #(
    parameter        DATA_W = 64,
    parameter        TIME_W = 32,
    parameter        ROWS   = 1024,
    parameter [63:0] WINDOW = 60,
    parameter [63:0] SLACK  = 0
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire              s_flush,
    input  wire              s_dest,
    input  wire [TIME_W-1:0] s_time,
    input  wire [DATA_W-1:0] s_data,

    output wire              m_valid,
    input  wire              m_ready,
    output wire              m_flush,
    output wire              m_dest,
    output wire [DATA_W-1:0] m_data,
    output wire              m_go,
    output wire              m_late,
    output wire              m_full,
    input  wire              admit
);

    initial if (DATA_W < 1 || ROWS < 1) begin
        $display("ERROR: %m: DATA_W = %0d, ROWS = %0d (at least 1)", DATA_W, ROWS);
        $finish;
    end

    localparam T_W    = TIME_W + 1;
    localparam ADDR_W = ROWS > 4 ? $clog2(ROWS) : 2;
    localparam [T_W+63:0] T_SLACK = {{T_W{1'b0}}, SLACK};
    localparam [T_W+63:0] T_REACH = {{T_W{1'b0}}, WINDOW} + T_SLACK;

    initial if (T_REACH >> TIME_W != 0) begin
        $display("ERROR: %m: WINDOW = %0d, SLACK = %0d (together below 2**TIME_W), TIME_W = %0d",
                 WINDOW, SLACK, TIME_W);
        $finish;
    end

    // ---- Stage 1: its time plus SLACK, and the largest time of the earlier tuples of its stream

    reg              valid_reg, flush_reg, dest_reg;
    reg [DATA_W-1:0] data_reg;
    reg [TIME_W-1:0] time_reg;
    reg [T_W-1:0]    slack_reg;         // the largest earlier time with which this one is not late
    reg [TIME_W-1:0] newest_reg, r_newest_reg, s_newest_reg;

    // ---- Stage 2: it is compared, and moves on when the one before it has been taken

    reg              judged_reg, late_reg, newer_reg, waits_reg;
    wire             step = judged_reg && !waits_reg;

    assign s_ready = !valid_reg;

    always @(posedge clk) begin
        if (!valid_reg) begin
            flush_reg  <= s_flush;
            dest_reg   <= s_dest;
            data_reg   <= s_data;
            time_reg   <= s_time;
            slack_reg  <= {1'b0, s_time} + T_SLACK[T_W-1:0];
            newest_reg <= s_dest ? s_newest_reg : r_newest_reg;
        end
        valid_reg  <= valid_reg ? !step : s_valid;
        judged_reg <= valid_reg && !step;
        late_reg   <= !flush_reg && slack_reg < {1'b0, newest_reg};
        newer_reg  <= !flush_reg && time_reg > newest_reg;
        if (step && newer_reg && !dest_reg) r_newest_reg <= time_reg;
        if (step && newer_reg && dest_reg) s_newest_reg <= time_reg;
        if (rst) begin
            {valid_reg, judged_reg} <= 2'b00;
            r_newest_reg <= {TIME_W{1'b0}};
            s_newest_reg <= {TIME_W{1'b0}};
        end
    end

    // ---- Stage 3: does it have a place? Once it is taken its time may expire rows of the other stream

    reg              item_flush_reg, item_dest_reg, item_late_reg, item_newer_reg;
    reg [DATA_W-1:0] item_data_reg;
    reg [TIME_W-1:0] item_time_reg;
    reg              shown_reg, go_reg, refuse_late_reg, refuse_full_reg;
    reg [T_W-1:0]    r_floor_reg, s_floor_reg;      // rows of the other stream below it expire; in two's complement
    reg [1:0]        admit_reg;                     // to the window of S, of R
    wire [1:0]       all, stuck;                    // of S, of R: the window is full; its first row has not expired
    wire             leaves = m_valid && m_ready;
    wire             tuple  = waits_reg && !leaves && !item_flush_reg && !item_late_reg && !rst;
    wire [T_W-1:0]   floor  = {1'b0, item_time_reg} - T_REACH[T_W-1:0];

    assign {m_valid, m_go, m_late, m_full} = {shown_reg, go_reg, refuse_late_reg, refuse_full_reg};
    assign {m_flush, m_dest, m_data} = {item_flush_reg, item_dest_reg, item_data_reg};

    always @(posedge clk) begin
        if (step) begin
            item_flush_reg <= flush_reg;
            item_dest_reg  <= dest_reg;
            item_data_reg  <= data_reg;
            item_time_reg  <= time_reg;
            item_late_reg  <= late_reg;
            item_newer_reg <= newer_reg;
        end
        waits_reg       <= step || (waits_reg && !leaves);
        admit_reg       <= {admit && m_dest, admit && !m_dest} & {2{!rst}};
        shown_reg       <= waits_reg && !leaves && !rst;
        go_reg          <= (tuple && !all[item_dest_reg]) || (waits_reg && !leaves && item_flush_reg && !rst);
        refuse_late_reg <= waits_reg && !leaves && item_late_reg && !rst;
        refuse_full_reg <= tuple && stuck[item_dest_reg];
        if (leaves && item_newer_reg && !item_dest_reg) r_floor_reg <= floor;
        if (leaves && item_newer_reg && item_dest_reg) s_floor_reg <= floor;
        if (rst) begin
            waits_reg   <= 1'b0;
            r_floor_reg <= -T_REACH[T_W-1:0];
            s_floor_reg <= -T_REACH[T_W-1:0];
        end
    end

    // ---- Memory: for each stream, the rows that may still match

`ifdef FORMAL
    reg        past_valid = 1'b0;
`endif

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_stream
            wire              ready, valid;
            wire [TIME_W-1:0] row;
            wire [ADDR_W:0]   level;
            wire [T_W-1:0]    other_floor = i != 0 ? r_floor_reg : s_floor_reg;
            wire              passed      = $signed({1'b0, row}) < $signed(other_floor);
            reg               stuck_reg, passed_reg;

            ws_sync_fifo #(.DATA_W(TIME_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1)) rows (
                .clk(clk), .rst(rst),
                .s_valid(admit_reg[i]), .s_ready(ready), .s_data(item_time_reg),
                .m_valid(valid), .m_ready(passed_reg), .m_data(row), .level(level)
            );

            // Whether the first row has expired is known in the second cycle after the last item was taken, which is
            // the first in which the next item is in stage 3. An expired row stays expired.
            always @(posedge clk) begin
                passed_reg <= valid && !passed_reg && passed && !rst;
                stuck_reg  <= all[i] && valid && !passed;
            end

            assign all[i]   = level == ROWS[ADDR_W:0];
            assign stuck[i] = stuck_reg;

`ifdef FORMAL
            always @(posedge clk) if (past_valid && !rst) begin
                if (admit_reg[i]) assert (ready && level < ROWS);
                assert (level <= ROWS);
            end
`else
            wire unused = ready;
`endif
        end
    endgenerate

`ifdef FORMAL
    // The largest times by the definition, and its verdict on each tuple; and for an arbitrary row, that another one
    // takes its place as soon as, and not before, no future tuple can match it. m_data is the time.
    (* anyconst *) reg       watch_dest;
    (* anyconst *) reg [2:0] watch_row;             // its number among the rows of its stream
    reg [TIME_W-1:0] r_come_ref, s_come_ref;        // largest times that have arrived
    reg [TIME_W-1:0] r_taken_ref, s_taken_ref;      // that have been taken
    reg [3:0]        count_ref;                     // rows of the watched stream
    reg [T_W-1:0]    reach_ref;                     // of the watched row
    reg [3:0]        stood_ref;                     // cycles for which the item has been output
    reg [DATA_W+2:0] item_1_ref, item_2_ref;        // {late, flush, dest, data} of the items inside, in order
    reg [1:0]        held_ref;                      // items inside
    wire             comes      = s_valid && s_ready;
    wire             at_place   = m_valid && !m_flush && m_dest == watch_dest && count_ref == watch_row + ROWS;
    wire             over       = reach_ref < (watch_dest ? r_taken_ref : s_taken_ref);
    wire [DATA_W+2:0] item_now  = {!s_flush && s_time + SLACK < (s_dest ? s_come_ref : r_come_ref),
                                   s_flush, s_dest, s_data};
    wire [DATA_W+2:0] last_ref  = held_ref == 1 ? item_1_ref : item_2_ref;

    wire             newer_ref  = !flush_reg && time_reg > newest_reg;

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        held_ref <= held_ref + comes - leaves;
        if (leaves) item_1_ref <= item_2_ref;
        if (comes) begin
            if (held_ref - leaves == 0) item_1_ref <= item_now;
            if (held_ref - leaves == 1) item_2_ref <= item_now;
            if (!s_flush && !s_dest && s_time > r_come_ref) r_come_ref <= s_time;
            if (!s_flush && s_dest && s_time > s_come_ref) s_come_ref <= s_time;
        end
        if (leaves && !m_flush && !m_dest && m_data > r_taken_ref) r_taken_ref <= m_data;
        if (leaves && !m_flush && m_dest && m_data > s_taken_ref) s_taken_ref <= m_data;
        if (admit && m_dest == watch_dest) begin
            count_ref <= count_ref + 1'b1;
            if (count_ref == watch_row) reach_ref <= m_data + WINDOW + SLACK;
        end
        stood_ref <= m_valid && !m_ready ? stood_ref + (stood_ref != 15) : 4'd0;
        if (rst) begin
            {r_come_ref, s_come_ref, r_taken_ref, s_taken_ref} <= 0;
            {count_ref, stood_ref, held_ref} <= 0;
        end

        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (s_data == s_time && count_ref < 14);
            if (admit) assume (m_go && !m_flush && m_ready);

            if (m_valid) assert ({m_late, m_flush, m_dest, m_data} == item_1_ref);
            assert (m_go + m_late + m_full <= 1 && (m_valid || !(m_go || m_late || m_full)));
            if (at_place && admit) row_place: assert (over);
            if (at_place && m_full) row_full: assert (!over);
            if (stood_ref > 6) row_known: assert (m_go || m_late || m_full);

            // invariants for the induction
            assert (held_ref == valid_reg + waits_reg && (waits_reg || !m_valid) && (valid_reg || !judged_reg));
            if (valid_reg) begin
                assert ({flush_reg, dest_reg, data_reg} == last_ref[DATA_W+1:0] && time_reg == data_reg);
                assert (slack_reg == time_reg + SLACK && last_ref[DATA_W+2] == (!flush_reg && slack_reg < newest_reg));
                assert (newest_reg == (dest_reg ? s_newest_reg : r_newest_reg));
            end
            if (judged_reg) assert (late_reg == last_ref[DATA_W+2] && newer_reg == newer_ref);
            assert (r_come_ref == (valid_reg && newer_ref && !dest_reg ? time_reg : r_newest_reg));
            assert (s_come_ref == (valid_reg && newer_ref && dest_reg ? time_reg : s_newest_reg));
            assert (r_newest_reg == (waits_reg && item_newer_reg && !m_dest ? item_time_reg : r_taken_ref));
            assert (s_newest_reg == (waits_reg && item_newer_reg && m_dest ? item_time_reg : s_taken_ref));
            if (waits_reg) begin
                assert (item_time_reg == m_data && {item_late_reg, m_flush, m_dest, m_data} == item_1_ref);
                assert (item_newer_reg == (!m_flush && m_data > (m_dest ? s_taken_ref : r_taken_ref)));
            end
            assert (r_floor_reg == r_taken_ref - T_REACH[T_W-1:0] && s_floor_reg == s_taken_ref - T_REACH[T_W-1:0]);
        end
        cover (past_valid && at_place && admit && $past(!m_go && m_valid && !rst, 2));
        cover (past_valid && at_place && m_full && m_dest);
        cover (past_valid && m_late && !m_dest);
    end
`endif

endmodule

`default_nettype wire
