// SPDX-License-Identifier: Apache-2.0
//
// ws_query_join: a window join as an operator of a query, with a tuple bus on both sides (see ws_window_join).
//
// The operators of a query never stall, but a join has to: its tuples wait in a queue before it. `ready` goes low while
// the queue still has room for everything in flight, so that the query's entry can stop in time; without `room`
// downstream, rows stay in the join. Of two tuples in the same cycle that of R comes first; both may be the same tuple
// of one stream, which is joined with itself.
//
// Parameters   DATA_W             width of the tuple of R and that of S together in bits, at least 2
//              R_W                width of that of R, 1 to DATA_W - 1
//              KEY_W, PREDICATE, SIGNED, LIMIT_W  see ws_predicate
//              ROWS, MATCH_LANES  see ws_window_join
//              GRACE              cycles after `ready` has gone low in which tuples and eos may still come, at least 0
//              TIME_W             width of a tuple's time in bits, at least 0; it is unsigned; 0: tuple windows
//              WINDOW, SLACK      see ws_join_entry
// Ports        s_valid       bit 0: a tuple of R, bit 1: of S; s_data is {tuple of R, tuple of S}
//              key, stamps   {of R, of S}; stamps are times, unsigned, and are not used with TIME_W = 0
//              s_eos         is output on m_eos after the last row of the tuples up to it
//              room          a row or an eos may leave in this cycle
//              m_data, m_key {of R, of S}
// Latency      10 + N + P cycles; from a tuple to its first row of group N, if the join is idle, and one more for a
//              tuple of S if one of R came with it; P: the predicate's cycles; groups count from 1, that of the oldest
//              row. Time windows: 14 + N + P, three more for that of S, and P is at least 2
// Issue rate   ROWS/MATCH_LANES + 2 cycles per tuple; of either stream, both in parallel; with time windows at least 6
//              cycles; a lower rate where there are more rows than cycles. Rows: 1 per cycle
// Overflow     a tuple or eos that finds the queue full is lost: evt_lost. It cannot happen while GRACE is observed
// Bad input    punctuations end here. evt_late: a late tuple is refused; evt_refused: with time windows, a tuple is
//              refused because the place that it needs holds a row that may still match (see ws_window_join)
// Outputs      m_valid and m_eos are gates of registers and of `room`
// Source       ours, docs/joins.md

`default_nettype none

module ws_query_join #(
    parameter        DATA_W      = 64,
    parameter        R_W         = 32,
    parameter        KEY_W       = 32,
    parameter [31:0] PREDICATE   = "EQ",
    parameter        SIGNED      = 0,
    parameter        LIMIT_W     = 1,
    parameter        ROWS        = 64,
    parameter        MATCH_LANES = 1,
    parameter        GRACE       = 4,
    parameter        TIME_W      = 0,
    parameter [63:0] WINDOW      = 60,
    parameter [63:0] SLACK       = 0
) (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire [LIMIT_W-1:0]                   limit,

    input  wire [1:0]                           s_valid,
    input  wire                                 s_punct,
    input  wire                                 s_eos,
    input  wire [DATA_W-1:0]                    s_data,
    input  wire [2*KEY_W-1:0]                   key,
    input  wire [2*(TIME_W > 0 ? TIME_W : 1)-1:0] stamps,
    output reg                                  ready,

    output wire                                 m_valid,
    output wire                                 m_punct,
    output wire                                 m_eos,
    output wire [DATA_W-1:0]                    m_data,
    output wire [2*KEY_W-1:0]                   m_key,
    input  wire                                 room,

    output wire                                 evt_late,
    output wire                                 evt_refused,
    output reg                                  evt_lost
);

    localparam S_W      = DATA_W - R_W;
    localparam STAMP_W  = TIME_W > 0 ? TIME_W : 1;
    localparam DATA_LSB = KEY_W + TIME_W;
    localparam TUPLE_W  = (DATA_LSB + (R_W > S_W ? R_W : S_W) + 7) / 8 * 8;
    localparam ADDR_W   = $clog2(GRACE + 12);
    localparam MOST     = (1 << ADDR_W) - GRACE - 3;    // words held that leave room for those that may still come

    initial if (R_W < 1 || S_W < 1 || GRACE < 0) begin
        $display("ERROR: %m: DATA_W = %0d, R_W = %0d (1 to DATA_W - 1), GRACE = %0d (at least 0)", DATA_W, R_W, GRACE);
        $finish;
    end

    // ---- The queue: a word for each cycle with input

    wire [ADDR_W:0]        level;
    wire                   come = |s_valid || s_eos;
    wire                   places, waits, leaves;
    wire [2:0]             held;                // {eos, of S, of R}
    wire [DATA_W-1:0]      held_data;
    wire [2*KEY_W-1:0]     held_key;
    wire [2*STAMP_W-1:0]   held_stamps;

    ws_sync_fifo #(.DATA_W(3 + DATA_W + 2*KEY_W + 2*STAMP_W), .ADDR_W(ADDR_W), .STYLE("distributed")) queue (
        .clk(clk), .rst(rst),
        .s_valid(come), .s_ready(places), .s_data({s_eos, s_valid, s_data, key, stamps}),
        .m_valid(waits), .m_ready(leaves), .m_data({held, held_data, held_key, held_stamps}), .level(level)
    );

    always @(posedge clk) begin
        ready    <= level <= MOST[ADDR_W:0] && !rst;
        evt_lost <= come && !places && !rst;
    end

    // ---- Serialise: R, S, eos

    reg  [1:0]         done_reg;                // {S, R} of the word that have been sent
    wire [1:0]         left   = held[1:0] & ~done_reg;
    wire               is_r   = left[0], is_s = left[1] && !left[0], is_eos = !left[1] && !left[0];
    wire               dest   = !is_r;
    wire               taken;
    wire [TUPLE_W-1:0] r_tuple, s_tuple;
    wire [TUPLE_W-1:0] tuple = is_r ? r_tuple : s_tuple;

    assign leaves = taken && (is_eos || (!held[2] && !(is_r && left[1])));

    always @(posedge clk) begin
        if (waits && taken) done_reg <= leaves ? 2'b00 : done_reg | {is_s, is_r};
        if (rst) done_reg <= 2'b00;
    end

    assign r_tuple[KEY_W-1:0] = held_key[KEY_W +: KEY_W];
    assign s_tuple[KEY_W-1:0] = held_key[0 +: KEY_W];

    generate
        if (TIME_W > 0) begin : gen_time
            assign r_tuple[KEY_W +: STAMP_W] = held_stamps[STAMP_W +: STAMP_W];
            assign s_tuple[KEY_W +: STAMP_W] = held_stamps[0 +: STAMP_W];
        end
        if (TUPLE_W > DATA_LSB + R_W) begin : gen_r_zeros
            assign r_tuple[TUPLE_W-1:DATA_LSB+R_W] = {(TUPLE_W-DATA_LSB-R_W){1'b0}};
        end
        if (TUPLE_W > DATA_LSB + S_W) begin : gen_s_zeros
            assign s_tuple[TUPLE_W-1:DATA_LSB+S_W] = {(TUPLE_W-DATA_LSB-S_W){1'b0}};
        end
    endgenerate

    assign r_tuple[DATA_LSB +: R_W] = held_data[S_W +: R_W];
    assign s_tuple[DATA_LSB +: S_W] = held_data[0 +: S_W];

    // ---- The join

    wire                   row, last, dropped, dropped_dest, dropped_id, overflow;
    wire [2*TUPLE_W/8-1:0] keep;
    wire [2*TUPLE_W-1:0]   pair;

    ws_window_join #(
        .DATA_W(TUPLE_W), .ROWS(ROWS), .MATCH_LANES(MATCH_LANES), .PREDICATE(PREDICATE), .KEY_W(KEY_W),
        .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .ID_W(1),
        .TIME_W(TIME_W), .R_TIME_LSB(TIME_W > 0 ? KEY_W : 0), .S_TIME_LSB(TIME_W > 0 ? KEY_W : 0),
        .WINDOW(WINDOW), .SLACK(SLACK)
    ) join_ (
        .clk(clk), .rst(rst), .limit(limit),
        .s_axis_tdata(tuple), .s_axis_tkeep({(TUPLE_W/8){!is_eos}}), .s_axis_tvalid(waits),
        .s_axis_tready(taken), .s_axis_tlast(1'b1), .s_axis_tdest(dest),
        .m_axis_tdata(pair), .m_axis_tkeep(keep), .m_axis_tvalid(row), .m_axis_tready(room), .m_axis_tlast(last),
        .evt_dropped(dropped), .evt_late(evt_late), .evt_overflow(overflow), .dropped_dest(dropped_dest),
        .dropped_id(dropped_id)
    );

    assign m_valid     = row && room && keep[0];
    assign m_eos       = row && room && !keep[0];
    assign m_punct     = 1'b0;
    assign m_data      = {pair[TUPLE_W + DATA_LSB +: R_W], pair[DATA_LSB +: S_W]};
    assign m_key       = {pair[TUPLE_W +: KEY_W], pair[0 +: KEY_W]};
    assign evt_refused = overflow;

    wire unused = &{s_punct, dropped, dropped_dest, dropped_id, last, keep, pair, held_stamps};

`ifdef FORMAL
    // Around the join, by induction: the join takes every input once, in order and unchanged, as long as the queue
    // behaves as proven for ws_sync_fifo (sound_ref). Through the real queue and join, for some cycles: the rows and
    // eos.
    reg                 past_valid = 1'b0;
    localparam [ADDR_W:0] PLACES = 1 << ADDR_W;
    localparam SLOT_W = 3 + DATA_W + 2*KEY_W + 2*STAMP_W;
    reg  [ADDR_W:0]     in_ref, out_ref;            // slots (the input of a cycle) accepted and sent, modulo
    reg  [GRACE:0]      ready_ref;                  // ready in the previous cycles, the last one in bit 0
    reg                 kept_ref, sound_ref;        // GRACE has been observed; the queue works
    reg                 full_ref;                   // the input of the previous cycle found the queue full
    reg                 room_ref;                   // there was room for GRACE + 3 more in the previous cycle
    (* anyconst *) reg [ADDR_W:0] watch;            // an arbitrary slot
    reg  [SLOT_W-1:0]   slot_ref;
    reg  [1:0]          gone_ref;                   // its {S, R} that the join has taken
    wire [ADDR_W:0]     held_ref = in_ref - out_ref;
    wire                accepted = come && held_ref < PLACES;
    wire                pops     = waits && leaves;
    wire                watched  = out_ref == watch && held_ref != 0;
    wire [SLOT_W-1:0]   slot_now = {s_eos, s_valid, s_data, key, stamps};
    wire                f_eos, f_has_s, f_has_r;
    wire [R_W-1:0]      f_r;
    wire [S_W-1:0]      f_s;
    wire [KEY_W-1:0]    f_r_key, f_s_key;
    wire [STAMP_W-1:0]  f_r_stamp, f_s_stamp;
    wire                now_r   = f_has_r && !gone_ref[0];
    wire                now_s   = f_has_s && !gone_ref[1] && !now_r;
    wire                now_eos = !now_r && !now_s;

    assign {f_eos, f_has_s, f_has_r, f_r, f_s, f_r_key, f_s_key, f_r_stamp, f_s_stamp} = slot_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        in_ref     <= in_ref + accepted;
        out_ref    <= out_ref + pops;
        ready_ref  <= {ready_ref, ready};
        kept_ref   <= kept_ref && (!come || ready_ref[GRACE]);
        full_ref   <= come && held_ref >= PLACES && !rst;
        room_ref   <= held_ref + GRACE + 3 <= PLACES && !rst;
        sound_ref  <= sound_ref && !(waits && held_ref == 0)
                      && !(waits && watched && {held, held_data, held_key, held_stamps} != slot_ref);
        if (accepted && in_ref == watch) slot_ref <= slot_now;
        if (watched && waits && taken) gone_ref <= gone_ref | {now_s, now_r};
        if (pops) gone_ref <= 2'b00;
        if (rst) begin
            {in_ref, out_ref, ready_ref, gone_ref} <= 0;
            {kept_ref, sound_ref} <= 2'b11;
        end

        if (!past_valid) assume (rst);
        else begin
            // a loss is reported; nothing is lost while GRACE is observed, and `ready` is not low needlessly
            assert (evt_lost == full_ref);
            if (kept_ref && sound_ref) assert (!evt_lost);
            if (room_ref) assert (ready);
            if ($past(rst)) assert (!ready);
            // R, S, eos of a slot, each once and unchanged, and the slot leaves with the last
            if (!rst && sound_ref && waits && watched && {held, held_data, held_key, held_stamps} == slot_ref) begin
                assert (dest == !now_r && is_s == now_s && is_eos == now_eos);
                if (now_r) assert (TIME_W != 0 ? tuple == {f_r, f_r_stamp, f_r_key} : tuple == {f_r, f_r_key});
                if (now_s) assert (TIME_W != 0 ? tuple == {f_s, f_s_stamp, f_s_key} : tuple == {f_s, f_s_key});
                assert (leaves == (taken && (now_eos || (!f_eos && !(now_r && f_has_s)))));
            end
            // a row or an eos, and only if there is room
            assert (!(m_valid && m_eos) && !m_punct && (room || !(m_valid || m_eos)));

            // invariants for the induction
            assert (level == held_ref);
            if (sound_ref) assert (held_ref <= PLACES);
            if (out_ref == watch && sound_ref) assert (done_reg == gone_ref);
            if (out_ref != watch) assert (gone_ref == 2'b00);
            if (gone_ref != 2'b00 && sound_ref) assert (held_ref != 0 && (gone_ref & ~{f_has_s, f_has_r}) == 2'b00);
            if (gone_ref[1] && f_has_r && sound_ref) assert (gone_ref[0]);
            if (gone_ref != 2'b00 && sound_ref) assert (f_eos || {f_has_s, f_has_r} != gone_ref);
            // proven by ws_sync_fifo
            queue_sound: assert (sound_ref);
        end
        cover (past_valid && evt_lost);
        cover (past_valid && watched && waits && taken && gone_ref == 2'b11 && !rst);
    end

    // A tuple of R and one of S are marked by bit 0 of their data, which no other tuple has set: the pair is output
    // once and complete if by the definition they meet, before the eos that followed its tuples and after all earlier
    // ones.
    // Time windows: for ROWS = 1.
    (* anyconst *) reg [4:0] e_watch;                       // an arbitrary eos
    reg  [4:0]        e_in_ref, e_out_ref;                  // eos accepted, and output
    reg               r_marked_ref, s_marked_ref;           // the marked tuple has arrived
    reg               single_ref;                           // at most one of each stream
    reg  [R_W-1:0]    r_ref;
    reg  [S_W-1:0]    s_ref;
    reg  [KEY_W-1:0]  r_key_ref, s_key_ref;
    reg  [STAMP_W-1:0] r_time_ref, s_time_ref;
    reg               r_out_ref, s_out_ref;                 // the marked tuple was late or refused
    reg  [3:0]        r_since_ref, s_since_ref;             // tuples of the stream from the marked one on, up to 15
    reg               wanted_ref, came_ref, early_ref;      // early: before the watched eos
    reg  [STAMP_W-1:0] r_newest_ref, s_newest_ref, r_row_ref, s_row_ref;
    reg               r_held_ref, s_held_ref;               // there is a row, and its time
    reg  [4:0]        late_in_ref, late_out_ref, late_early_ref, full_in_ref, full_out_ref, full_early_ref;
    reg               r_marked, s_marked, r_late, s_late, r_full, s_full, wanted;
    reg  [STAMP_W-1:0] r_newest;
    reg               r_held;
    reg  [STAMP_W-1:0] r_row, r_stamp, s_stamp;
    wire              r_comes = accepted && s_valid[0];
    wire              s_comes = accepted && s_valid[1];
    wire [KEY_W-1:0]  r_key = key[KEY_W +: KEY_W], s_key = key[0 +: KEY_W];
    wire              pair_out = m_valid && m_data[S_W] && m_data[0];
    wire [3:0]        r_since = r_since_ref + (r_comes && r_marked_ref && r_since_ref != 15);

    function near(input [STAMP_W-1:0] one, input [STAMP_W-1:0] other);
        near = TIME_W == 0 || ({1'b0, one} <= other + WINDOW && {1'b0, other} <= one + WINDOW);
    endfunction

    always @* begin
        {r_stamp, s_stamp} = stamps;
        r_marked = r_comes && s_data[S_W];
        s_marked = s_comes && s_data[0];
        // R first
        r_late   = TIME_W != 0 && r_comes && r_stamp + SLACK < r_newest_ref;
        r_newest = r_comes && r_stamp > r_newest_ref ? r_stamp : r_newest_ref;
        r_full   = TIME_W != 0 && r_comes && !r_late && r_held_ref && r_row_ref + WINDOW + SLACK >= s_newest_ref;
        wanted   = wanted_ref;
        if (r_marked && s_marked_ref && r_key == s_key_ref)
            wanted = TIME_W == 0 ? s_since_ref <= ROWS : !r_late && !r_full && !s_out_ref && near(r_stamp, s_time_ref);
        s_late   = TIME_W != 0 && s_comes && s_stamp + SLACK < s_newest_ref;
        s_full   = TIME_W != 0 && s_comes && !s_late && s_held_ref && s_row_ref + WINDOW + SLACK >= r_newest;
        if (s_marked && r_marked && s_key == r_key)
            wanted = TIME_W == 0 || (!r_late && !r_full && !s_late && !s_full && near(s_stamp, r_stamp));
        else if (s_marked && r_marked_ref && s_key == r_key_ref)
            wanted = TIME_W == 0 ? r_since <= ROWS : !s_late && !s_full && !r_out_ref && near(s_stamp, r_time_ref);
    end

    always @(posedge clk) begin
        wanted_ref <= wanted;
        single_ref <= single_ref && !(r_marked && r_marked_ref) && !(s_marked && s_marked_ref);
        if (r_marked) {r_marked_ref, r_ref, r_key_ref, r_time_ref, r_out_ref}
                      <= {1'b1, s_data[S_W +: R_W], r_key, r_stamp, r_late || r_full};
        if (s_marked) {s_marked_ref, s_ref, s_key_ref, s_time_ref, s_out_ref}
                      <= {1'b1, s_data[0 +: S_W], s_key, s_stamp, s_late || s_full};
        r_since_ref <= r_marked ? 4'd1 : r_since;
        s_since_ref <= s_marked ? 4'd1 : s_since_ref + (s_comes && s_marked_ref && s_since_ref != 15);
        r_newest_ref <= r_newest;
        if (s_comes && s_stamp > s_newest_ref) s_newest_ref <= s_stamp;
        if (r_comes && !r_late && !r_full) {r_held_ref, r_row_ref} <= {1'b1, r_stamp};
        if (s_comes && !s_late && !s_full) {s_held_ref, s_row_ref} <= {1'b1, s_stamp};
        late_in_ref  <= late_in_ref + r_late + s_late;
        full_in_ref  <= full_in_ref + r_full + s_full;
        late_out_ref <= late_out_ref + evt_late;
        full_out_ref <= full_out_ref + evt_refused;
        if (accepted && s_eos) begin
            e_in_ref <= e_in_ref + 1'b1;
            if (e_in_ref == e_watch) {early_ref, late_early_ref, full_early_ref}
                                     <= {wanted, late_in_ref + r_late + s_late, full_in_ref + r_full + s_full};
        end
        if (m_eos) e_out_ref <= e_out_ref + 1'b1;
        if (pair_out) came_ref <= 1'b1;
        if (rst) begin
            {e_in_ref, e_out_ref, r_marked_ref, s_marked_ref, r_since_ref, s_since_ref} <= 0;
            {wanted_ref, came_ref, early_ref, r_newest_ref, s_newest_ref, r_held_ref, s_held_ref} <= 0;
            {late_in_ref, late_out_ref, full_in_ref, full_out_ref} <= 0;
            single_ref <= 1'b1;
        end

        if (past_valid && !rst) begin
            if (single_ref && pair_out) begin
                join_false: assert (wanted_ref && m_data == {r_ref, s_ref} && m_key == {r_key_ref, s_key_ref});
                join_doubled: assert (!came_ref);
            end
            if (m_eos) join_eos: assert (e_out_ref != e_in_ref);
            if (m_eos && single_ref && e_out_ref == e_watch) join_lost: assert (came_ref == early_ref);
            if (evt_late) join_late: assert (late_out_ref != late_in_ref);
            if (evt_refused) join_refused: assert (full_out_ref != full_in_ref);
            if (m_eos && e_out_ref == e_watch) begin
                join_late_reported: assert (late_out_ref - late_early_ref <= late_in_ref - late_early_ref);
                join_refused_reported: assert (full_out_ref - full_early_ref <= full_in_ref - full_early_ref);
            end
        end
        cover (past_valid && m_eos && came_ref && e_out_ref == e_watch && e_watch == 1 && single_ref);
        if (TIME_W != 0) begin
            cover (past_valid && evt_late);
            cover (past_valid && evt_refused);
        end
    end
`endif

endmodule

`default_nettype wire
