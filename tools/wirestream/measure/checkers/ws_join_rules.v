// SPDX-License-Identifier: Apache-2.0
//
// ws_join_rules: the definition of a join, for proofs. An arbitrary pair of tuples is output once and complete if the
// tuples match and neither was dropped, and on the right side of each FLUSH.
//
// A core instantiates it under `ifdef FORMAL with its own ports. The key is at bit 0 of a tuple, its time above the
// key, and its number in its stream, which identifies the watched pair, above both. Keys are compared for equality.
// The last FLUSH ends the stream; when it leaves, all results must have been output.
//
//   join_false       the pair is output but must not be, or with changed tuples
//   join_doubled     the pair is output twice
//   join_lost        a FLUSH leaves before the required pair of tuples that arrived before it
//   join_early       the pair leaves before a FLUSH that arrived before one of its tuples
//   join_after_flush a result follows the last FLUSH
//   join_dropped     a tuple is reported dropped twice, for two reasons, or as late when it was not
//   join_late        the last FLUSH leaves, and a late tuple was not reported
//
// Parameters   ROWS      tuples in a window
//              FLUSHES   1 or 2; tuples follow the first of two
//              SHORT     1: the covers end with the first FLUSH, and with the first tuples
//              the rest  see ws_window_join

`default_nettype none

module ws_join_rules #(
    parameter        DATA_W  = 8,
    parameter        KEY_W   = 5,
    parameter        ROWS    = 1,
    parameter        FLUSHES = 1,
    parameter        SHORT   = 0,
    parameter        ID_W    = 32,
    parameter        TIME_W  = 0,
    parameter [63:0] WINDOW  = 0,
    parameter [63:0] SLACK   = 0
) (
    input wire                  clk,
    input wire                  rst,
    input wire [DATA_W-1:0]     s_axis_tdata,
    input wire [DATA_W/8-1:0]   s_axis_tkeep,
    input wire                  s_axis_tvalid,
    input wire                  s_axis_tready,
    input wire                  s_axis_tdest,
    input wire [2*DATA_W-1:0]   m_axis_tdata,
    input wire [2*DATA_W/8-1:0] m_axis_tkeep,
    input wire                  m_axis_tvalid,
    input wire                  m_axis_tready,
    input wire                  evt_late,
    input wire                  evt_overflow,
    input wire                  dropped_dest,
    input wire [ID_W-1:0]       dropped_id
);

    localparam NUMBER_LSB = KEY_W + TIME_W;
    localparam NUMBER_W   = DATA_W - NUMBER_LSB;
    (* anyconst *) reg [NUMBER_W-1:0] r_watch, s_watch;
    reg                past_valid = 1'b0;
    reg [NUMBER_W-1:0] r_count_ref, s_count_ref;        // tuples taken
    reg [DATA_W-1:0]   r_ref, s_ref;                    // the watched tuples
    reg                r_late_ref, s_late_ref;          // they arrived late
    reg [TIME_W:0]     r_newest_ref, s_newest_ref;      // largest times
    reg                wanted_ref, came_ref;
    reg                early_ref;                       // wanted before the first FLUSH
    reg [1:0]          flushed_ref, out_ref;            // FLUSHes in, out
    reg [1:0]          r_drop_ref, s_drop_ref;          // {late, overflow} of the watched tuples
    wire               taken    = s_axis_tvalid && s_axis_tready;
    wire               out      = m_axis_tvalid && m_axis_tready;
    wire               r_taken  = taken && &s_axis_tkeep && !s_axis_tdest;
    wire               s_taken  = taken && &s_axis_tkeep && s_axis_tdest;
    wire               result   = out && &m_axis_tkeep;
    wire               leaves   = out && !(|m_axis_tkeep);
    wire               ended    = flushed_ref == FLUSHES;
    wire               last     = out_ref == FLUSHES - 1;
    wire               covered  = out_ref == (SHORT != 0 ? 1 : FLUSHES);
    wire [NUMBER_W-1:0] number  = s_axis_tdest ? s_count_ref : r_count_ref;
    wire [KEY_W-1:0]   key      = s_axis_tdata[KEY_W-1:0];
    wire               watched  = m_axis_tdata[DATA_W+NUMBER_LSB +: NUMBER_W] == r_watch
                                  && m_axis_tdata[NUMBER_LSB +: NUMBER_W] == s_watch;
    wire               r_drops  = (evt_late || evt_overflow) && !dropped_dest && dropped_id == r_watch;
    wire               s_drops  = (evt_late || evt_overflow) && dropped_dest && dropped_id == s_watch;
    wire               lost     = r_drop_ref[0] || s_drop_ref[0];
    reg [TIME_W:0]     came_at;                         // time of the arriving tuple
    reg                came_late;

    function [TIME_W:0] time_of(input [DATA_W-1:0] data);
        time_of = (data >> KEY_W) % (1 << TIME_W);
    endfunction

    // Whether the arriving tuple matches an earlier one.
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
            // the proof of tuple windows covers keys, pauses and stalls
            if (TIME_W != 0) assume (key == 0 && m_axis_tready && s_axis_tvalid != ended);
            assume (!(ended && s_axis_tvalid));
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
        if (taken && !(|s_axis_tkeep)) begin
            flushed_ref <= flushed_ref + 1'b1;
            if (flushed_ref == 0) early_ref <= wanted_ref;
        end
        if (result && watched) came_ref <= 1'b1;
        if (leaves) out_ref <= out_ref + 1'b1;
        if (r_drops) r_drop_ref <= {evt_late, evt_overflow};
        if (s_drops) s_drop_ref <= {evt_late, evt_overflow};
        if (rst) begin
            r_count_ref <= 0;
            s_count_ref <= 0;
            r_newest_ref <= 0;
            s_newest_ref <= 0;
            {wanted_ref, came_ref, early_ref, flushed_ref, out_ref} <= 0;
            {r_drop_ref, s_drop_ref, r_late_ref, s_late_ref} <= 0;
        end

        if (past_valid && !rst) begin
            if (result) join_after_flush: assert (out_ref < FLUSHES);
            if (result && watched) begin
                join_false: assert (wanted_ref && !lost && m_axis_tdata == {r_ref, s_ref});
                join_doubled: assert (!came_ref);
                join_early: assert (last || flushed_ref == 0 || early_ref);
            end
            if (leaves) join_lost: assert (flushed_ref > out_ref
                                           && came_ref == ((out_ref == 0 ? early_ref : wanted_ref) && !lost));
            // dropped for one reason and reported once; only late tuples are reported late
            if (r_drops) join_dropped: assert (evt_late != evt_overflow && r_drop_ref == 0 && evt_late == r_late_ref);
            if (s_drops) join_dropped_s: assert (evt_late != evt_overflow && s_drop_ref == 0 && evt_late == s_late_ref);
            if (leaves && last) join_late: assert (r_drop_ref[1] == r_late_ref && s_drop_ref[1] == s_late_ref);
        end
        cover (past_valid && covered && came_ref && (SHORT != 0 || TIME_W != 0 || r_watch >= ROWS));
        cover (past_valid && result && watched && (SHORT != 0 || last));
        if (TIME_W != 0) begin
            cover (past_valid && covered && wanted_ref && r_drop_ref[0]);
            cover (past_valid && covered && r_drop_ref[1]);
        end
    end

endmodule

`default_nettype wire
