// SPDX-License-Identifier: Apache-2.0
//
// ws_join_time: what the time of a tuple says of it, for a join with windows in time: is it late, and has the window of
// its stream a place for it?
//
// A tuple is late if its time is more than SLACK below the largest of its own stream before it. A row may still match
// as long as the other stream may bring a tuple, not late, with a time at most WINDOW above its own. The other stream's
// time, and no new row, frees a row's place: a queue holds how far the rows reach that have not been passed yet, in
// order of arrival, and the window is full while it holds ROWS.
//
// Parameters   DATA_W         what goes along with a tuple, in bits
//              TIME_W         width of a time in bits; unsigned, and it never wraps around
//              ROWS           places of each window
//              WINDOW, SLACK  in units of the time; together below 2**TIME_W
// Ports        s_flush: no tuple, it passes; s_dest: 0 of R, 1 of S
//              m_valid: an item is shown until m_ready. m_late: it is late. m_room: its window has a place for it.
//              m_full: it has none, as of all tuples up to this one; until m_room or m_full is set it is not known
//              admit: with m_ready, the tuple becomes a row. Not again for the same stream in the next cycle
// Latency      2 cycles to the cycle in which an item is shown
// Issue rate   1 item a cycle. A row frees its place 3 cycles after the time that passes it is shown, of several one in
//              2 cycles, and none in the 7 cycles behind its admission
// Overflow     admit must be low without m_room
// Source       ours; that expiry only frees memory is what makes a window in time exact when times come in disorder

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
    output wire              m_late,
    output wire              m_room,
    output wire              m_full,
    input  wire              admit
);

    localparam T_W    = TIME_W + 1;
    localparam ADDR_W = ROWS > 4 ? $clog2(ROWS) : 2;
    localparam [T_W+63:0] T_SLACK = {{T_W{1'b0}}, SLACK};
    localparam [T_W+63:0] T_REACH = {{T_W{1'b0}}, WINDOW} + T_SLACK;

    initial if (T_REACH >> TIME_W != 0) begin
        $display("ERROR: %m: WINDOW = %0d, SLACK = %0d (together below 2**TIME_W), TIME_W = %0d",
                 WINDOW, SLACK, TIME_W);
        $finish;
    end

    // ---- Stage 1: how far the tuple's time reaches

    reg              valid_reg, flush_reg, dest_reg;
    reg [DATA_W-1:0] data_reg;
    reg [TIME_W-1:0] time_reg;
    reg [T_W-1:0]    slack_reg, reach_reg;      // the largest time that this one is not late behind; that it may match

    // ---- Stage 2: the tuple is judged by all that came before it, and shown

    reg              shown_reg, shown_flush_reg, shown_dest_reg, late_reg;
    reg [DATA_W-1:0] shown_data_reg;
    reg [T_W-1:0]    shown_reach_reg;
    reg [TIME_W-1:0] r_newest_reg, s_newest_reg;
    wire [TIME_W-1:0] newest = dest_reg ? s_newest_reg : r_newest_reg;
    wire             step   = !shown_reg || m_ready;
    wire             moves  = step && valid_reg && !flush_reg && time_reg > newest;

    assign s_ready = step;
    assign {m_valid, m_flush, m_dest, m_data, m_late}
        = {shown_reg, shown_flush_reg, shown_dest_reg, shown_data_reg, late_reg};

    always @(posedge clk) begin
        if (step) begin
            valid_reg       <= s_valid;
            flush_reg       <= s_flush;
            dest_reg        <= s_dest;
            data_reg        <= s_data;
            time_reg        <= s_time;
            slack_reg       <= {1'b0, s_time} + T_SLACK[T_W-1:0];
            reach_reg       <= {1'b0, s_time} + T_REACH[T_W-1:0];
            shown_reg       <= valid_reg;
            shown_flush_reg <= flush_reg;
            shown_dest_reg  <= dest_reg;
            shown_data_reg  <= data_reg;
            shown_reach_reg <= reach_reg;
            late_reg        <= slack_reg < {1'b0, newest};
        end
        if (moves && !dest_reg) r_newest_reg <= time_reg;
        if (moves && dest_reg) s_newest_reg <= time_reg;
        if (rst) begin
            valid_reg    <= 1'b0;
            shown_reg    <= 1'b0;
            r_newest_reg <= {TIME_W{1'b0}};
            s_newest_reg <= {TIME_W{1'b0}};
        end
    end

    // ---- Memory: of each stream, the rows that may still match

    wire [1:0] full, stuck;
`ifdef FORMAL
    reg        past_valid = 1'b0;
`endif

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : gen_stream
            wire              ready, valid;
            wire [T_W-1:0]    reach;
            wire [ADDR_W:0]   level;
            wire [TIME_W-1:0] other_newest = i != 0 ? r_newest_reg : s_newest_reg;
            wire              passed       = reach < {1'b0, other_newest};
            wire              all          = level == ROWS[ADDR_W:0];
            reg               full_reg, stuck_reg, passed_reg;

            ws_sync_fifo #(.DATA_W(T_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1)) rows (
                .clk(clk), .rst(rst),
                .s_valid(admit && m_dest == i), .s_ready(ready), .s_data(shown_reach_reg),
                .m_valid(valid), .m_ready(passed_reg), .m_data(reach), .level(level)
            );

            // That no time has passed the first row yet is known when an item of its stream is shown: the other
            // stream's time has not moved then. A row that has been passed will always be.
            always @(posedge clk) begin
                full_reg   <= all;
                passed_reg <= valid && !passed_reg && passed && !rst;
                stuck_reg  <= all && valid && !passed_reg && !passed && !rst;
                if (rst) full_reg <= 1'b0;
            end

            assign full[i]  = full_reg;
            assign stuck[i] = stuck_reg;

`ifdef FORMAL
            always @(posedge clk) if (past_valid && !rst) begin
                if (admit && m_dest == i) assert (ready && level < ROWS);
                assert (level <= ROWS && (full_reg || level != ROWS || $past(admit && m_dest == i)));
            end
`else
            wire unused = ready;
`endif
        end
    endgenerate

    assign m_room = !full[m_dest];
    assign m_full = stuck[m_dest];

`ifdef FORMAL
    // The largest times as the definition has them, and what it says of each tuple; and of an arbitrary row, that
    // another takes its place as soon as, and not before, no tuple yet to come can match it. m_data is the time.
    (* anyconst *) reg       watch_dest;
    (* anyconst *) reg [2:0] watch_row;             // its number among the rows of its stream
    reg [TIME_W-1:0] r_come_ref, s_come_ref;        // largest times of what has come
    reg [TIME_W-1:0] r_newest_ref, s_newest_ref;    // of what was there up to the item that is shown
    reg              late_come_ref, late_ref;       // of the item in stage 1, and of the one that is shown
    reg [3:0]        count_ref;                     // rows of the watched stream
    reg [T_W-1:0]    reach_ref;                     // of the watched row
    reg [3:0]        stood_ref;                     // cycles that the item has been shown
    reg [1:0]        admitted_ref;                  // {of S, of R} in the last cycle
    reg [DATA_W+1:0] item_come_ref, item_ref;       // the item in stage 1, and the one that is shown
    reg [1:0]        held_ref;                      // items inside
    wire             comes      = s_valid && s_ready && !s_flush;
    wire             waits      = valid_reg && !flush_reg;      // in stage 1
    wire             at_place   = m_valid && !m_flush && m_dest == watch_dest && count_ref == watch_row + ROWS;
    wire             over       = reach_ref < (watch_dest ? r_newest_ref : s_newest_ref);

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        admitted_ref <= {admit && m_dest, admit && !m_dest};
        held_ref <= rst ? 2'd0 : held_ref + (s_valid && s_ready) - (m_valid && m_ready);
        if (s_valid && s_ready) item_come_ref <= {s_flush, s_dest, s_data};
        if (step) item_ref <= item_come_ref;
        if (comes) begin
            late_come_ref <= s_time + SLACK < (s_dest ? s_come_ref : r_come_ref);
            if (!s_dest && s_time > r_come_ref) r_come_ref <= s_time;
            if (s_dest && s_time > s_come_ref) s_come_ref <= s_time;
        end
        if (step) {late_ref, r_newest_ref, s_newest_ref} <= {late_come_ref, r_come_ref, s_come_ref};
        if (admit && m_dest == watch_dest) begin
            count_ref <= count_ref + 1'b1;
            if (count_ref == watch_row) reach_ref <= m_data + WINDOW + SLACK;
        end
        stood_ref <= m_valid && !m_ready ? stood_ref + (stood_ref != 15) : 4'd0;
        if (rst) begin
            {r_come_ref, s_come_ref, r_newest_ref, s_newest_ref} <= 0;
            {count_ref, stood_ref, admitted_ref} <= 0;
        end

        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (s_data == s_time && count_ref < 14);
            if (admit) assume (m_valid && !m_flush && m_ready && m_room);
            if (admit) assume (!admitted_ref[m_dest]);

            if (m_valid) assert ({m_flush, m_dest, m_data} == item_ref);
            if (m_valid && !m_flush) assert (m_late == late_ref);
            assert (!(m_room && m_full));
            if (at_place && admit) row_place: assert (over);
            if (at_place && m_full) row_full: assert (!over);
            if (stood_ref > 6) row_known: assert (m_room || m_full);

            // what makes it inductive
            assert (r_newest_reg == r_newest_ref && s_newest_reg == s_newest_ref);
            assert (r_come_ref == (waits && !dest_reg && time_reg > r_newest_reg ? time_reg : r_newest_reg));
            assert (s_come_ref == (waits && dest_reg && time_reg > s_newest_reg ? time_reg : s_newest_reg));
            assert (held_ref == valid_reg + shown_reg);
            if (valid_reg) assert ({flush_reg, dest_reg, data_reg} == item_come_ref && time_reg == data_reg);
            if (valid_reg) assert (reach_reg == time_reg + WINDOW + SLACK);
            if (m_valid) assert (shown_reach_reg == m_data + WINDOW + SLACK);
            if (waits) assert (late_come_ref == (slack_reg < newest) && slack_reg == time_reg + SLACK);
        end
        cover (past_valid && at_place && admit && $past(!m_room && m_valid && !rst, 2));
        cover (past_valid && at_place && m_full && m_dest);
        cover (past_valid && m_valid && m_late && !m_flush && !m_dest);
    end
`endif

endmodule

`default_nettype wire
