// SPDX-License-Identifier: Apache-2.0
//
// ws_line_arbiter: merges numbered messages of several lines, from ws_moldudp64: each once and in sequence.
//
// The first copy of a message is output, or waits in RAM until all before it have been output; further copies are
// dropped. The window is REORDER numbers from the next one to be output on; a message waits in it, or is output from
// it. Numbers known to be missing, from a later message or a notice (of the next number), are declared lost
//   - when GAP_TICKS ticks have passed since the gap appeared or since the last output, whichever was later: all up to
//     the first waiting message, or to the highest number known;
//   - when a message or notice arrives beyond the window: as many as needed for the window to reach it;
//   - when another session begins: all. Waiting messages are output first.
// A message whose number has been declared lost counts as a duplicate. A session begins with number 1. A packet of a
// session that is neither the current nor the previous one begins a new one; those of the previous one are dropped.
//
// A packet is one beat: a message, or with tuser[1] a notice, whose data are ignored. Several lines share this stream,
// merged by ws_axis_arbiter, whose order is the order of arrival. m_axis carries no notices, and otherwise what s_axis
// did.
//
// Events: evt_message, a message is output; evt_duplicate, one is dropped; evt_gap, a run of numbers is declared lost,
// and evt_lost, for each of them; evt_session, a session begins; evt_stale, a packet of the previous session is
// dropped. The numbers that a jump of the window passes over are reported one a cycle from then on, also in idle
// cycles; a jump is not reported while more than 2**(NUMBER_W-1) numbers are pending.
//
// Parameters   MESSAGE_BYTES  bytes of a beat, at least 1
//              REORDER        numbers in the window: a power of two, 4 to 256
//              GAP_TICKS      ticks after which missing messages are lost, 1 to 65535; the time is up to one tick less
//              NUMBER_W       width of a number in bits, 8 to 64; 64, less in proofs only
// Latency      6 cycles for the message next in sequence
// Issue rate   1 message a cycle. Declaring numbers lost takes a cycle each, but a jump of the window over numbers that
//              it has never reached takes 4 cycles, as does the beginning of a session. s_axis_tready falls while the
//              packet that arrived waits for that, and after m_axis_tready
// Overflow     a stalled sink causes back-pressure; the ticks continue
// Bad input    numbers are compared modulo 2**NUMBER_W; one that is 2**(NUMBER_W-1) or more ahead is in the past
// Source       Nasdaq MoldUDP64 Protocol Specification, 1.00, for numbers, sessions and heartbeats

`default_nettype none

module ws_line_arbiter #(
    parameter MESSAGE_BYTES = 64,
    parameter REORDER       = 64,
    parameter GAP_TICKS     = 100,
    parameter NUMBER_W      = 64
) (
    input  wire                       clk,
    input  wire                       rst,
    input  wire                       tick,

    input  wire [8*MESSAGE_BYTES-1:0] s_axis_tdata,
    input  wire [MESSAGE_BYTES-1:0]   s_axis_tkeep,
    input  wire                       s_axis_tvalid,
    output wire                       s_axis_tready,
    input  wire                       s_axis_tlast,
    input  wire [NUMBER_W+82:0]       s_axis_tuser,

    output wire [8*MESSAGE_BYTES-1:0] m_axis_tdata,
    output wire [MESSAGE_BYTES-1:0]   m_axis_tkeep,
    output reg                        m_axis_tvalid,
    input  wire                       m_axis_tready,
    output wire                       m_axis_tlast,
    output wire [NUMBER_W+82:0]       m_axis_tuser,

    output reg                        evt_message,
    output reg                        evt_duplicate,
    output reg                        evt_gap,
    output reg                        evt_lost,
    output reg                        evt_session,
    output reg                        evt_stale
);

    localparam SLOT_W = $clog2(REORDER);
    localparam BODY_W = 9 * MESSAGE_BYTES;
    localparam KEPT_W = BODY_W + 1;                         // with the line
    localparam [NUMBER_W-1:0] TO_END = REORDER - 1;

    initial if (MESSAGE_BYTES < 1 || REORDER < 4 || REORDER > 256 || REORDER != 1 << SLOT_W || GAP_TICKS < 1
                || GAP_TICKS > 65535 || NUMBER_W < 8 || NUMBER_W > 64) begin
        $display("ERROR: %m: MESSAGE_BYTES = %0d (at least 1), REORDER = %0d (a power of two, 4 to 256), ",
                 MESSAGE_BYTES, REORDER, "GAP_TICKS = %0d (1 to 65535), NUMBER_W = %0d (8 to 64)", GAP_TICKS, NUMBER_W);
        $finish;
    end

    // All stages advance together, when the output is free.
    reg  idle_reg;                              // !m_axis_tvalid, a copy that halves its fan-out: for packets
    wire step = !m_axis_tvalid || m_axis_tready;

    // Stage 1: input register slice. A notice of number n shows that message n - 1 exists.
    wire                in_valid, in_notice, in_line, pass;
    wire [BODY_W-1:0]   in_body;
    wire [79:0]         in_session;
    wire [NUMBER_W-1:0] in_number;
    wire [NUMBER_W-1:0] s_number = s_axis_tuser[3 +: NUMBER_W] - {{NUMBER_W-1{1'b0}}, s_axis_tuser[1]};

    ws_skid_buffer #(.DATA_W(BODY_W + NUMBER_W + 82)) in_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready),
        .s_data ({s_axis_tuser[NUMBER_W+3 +: 80], s_number, s_axis_tuser[2:1], s_axis_tkeep, s_axis_tdata}),
        .m_valid(in_valid),
        .m_ready(pass),
        .m_data ({in_session, in_number, in_line, in_notice, in_body})
    );

    // Stage 2: the packet's place, its number less the next number.
    reg                wait_valid_reg, wait_notice_reg, wait_line_reg;
    reg [BODY_W-1:0]   wait_body_reg;
    reg [NUMBER_W-1:0] wait_number_reg;
    reg [79:0]         wait_session_reg;
    reg                wait_current_reg, wait_previous_reg;     // of the current session, the previous one
    reg [NUMBER_W-1:0] wait_place_reg;

    // Stage 3: the packet with its verdict, at most one.
    reg                item_notice_reg, item_line_reg;
    reg [BODY_W-1:0]   item_body_reg;
    reg [NUMBER_W-1:0] item_number_reg;
    reg [79:0]         item_session_reg;
    reg [NUMBER_W-1:0] place_reg;
    reg                late_reg, near_reg;          // of the current session, below the window, in it
    reg                due_reg;                     // in it, and the message next in sequence
    reg                far_reg, fresh_reg;          // above the window, or with fresh_reg of a new session
    reg                stale_reg;                   // of the previous session

    // The window
    reg [79:0]         session_reg, before_reg;
    reg                begun_reg, before_valid_reg; // there is a current session, a previous one
    reg [NUMBER_W-1:0] next_reg;                    // the next number to be output
    reg [REORDER-1:0]  held_reg;                    // bit i: message next + i waits
    reg [SLOT_W:0]     span_reg;                    // numbers known from next on
    reg                open_reg;                    // span_reg is not 0
    reg                give_up_reg;                 // GAP_TICKS have passed

    // A far packet stays until no number before it is known. Then the window turns to it: in the next cycle a session
    // begins or the window jumps, in the second places are computed again, in the third the verdict.
    reg                begin_reg, jump_reg, again_reg, look_reg;
    reg                turn_reg;                    // any of these

    // What happens to the packet
    wire [SLOT_W-1:0] slot = place_reg[SLOT_W-1:0];
    wire head   = held_reg[0];
    wire have   = held_reg[slot];
    wire wanted = near_reg && !item_notice_reg;
    wire turns  = far_reg && !open_reg;
    wire stays  = far_reg || turn_reg;

    // What happens to the next number: a message is output, it is skipped, or either: a move
    wire push   = open_reg && (give_up_reg || far_reg);
    wire leave  = head || due_reg;
    wire skip   = push && !leave;
    wire move   = leave || push;

    // Packets advance, all together
    wire shift  = (idle_reg || m_axis_tready) && !stays;
    assign pass = step && !stays;

    // Both possible places are computed from registers alone; whether there is a move is known late. A move decrements
    // a place, which then is in the window if it was from 1 to REORDER. While a packet stays, its place is above the
    // window, or there is no move.
    wire [NUMBER_W-1:0] in_place   = in_number - next_reg;
    wire [NUMBER_W-1:0] in_less    = in_number + ~next_reg;
    wire [NUMBER_W-1:0] wait_less  = wait_place_reg - 1'b1;
    wire                wait_low   = wait_place_reg[NUMBER_W-1:SLOT_W+1] == 0;      // below 2 * REORDER
    wire                wait_zero  = wait_place_reg[SLOT_W-1:0] == 0;               // 0 or REORDER, if wait_low
    wire                wait_first = wait_low && wait_place_reg[SLOT_W:0] == {{SLOT_W{1'b0}}, move};
    wire                wait_near  = wait_low && wait_place_reg[SLOT_W] == (move && wait_zero);
    wire                wait_late  = wait_place_reg[NUMBER_W-1] || (move && wait_low && wait_place_reg[SLOT_W:0] == 0);
    wire                low        = place_reg[NUMBER_W-1:SLOT_W+1] == 0;
    wire                zero       = slot == 0;
    wire                stay_near  = low && place_reg[SLOT_W] == (move && zero);
    wire                current    = stays ? look_reg || (far_reg && !fresh_reg && open_reg)
                                           : wait_valid_reg && wait_current_reg;
    wire                near       = stays ? stay_near : wait_near;
    wire                due        = stays ? stay_near && zero && !move && !item_notice_reg
                                           : wait_first && !wait_notice_reg;
    wire                late       = stays ? place_reg[NUMBER_W-1] : wait_late;
    wire                fresh      = stays ? fresh_reg && open_reg
                                           : wait_valid_reg && !wait_current_reg && !wait_previous_reg;
    wire                grows      = near_reg && {1'b0, slot} >= span_reg;
    reg  [REORDER-1:0]  held;
    integer             i;

    always @*
        for (i = 0; i < REORDER; i = i + 1)
            held[i] = held_reg[i] || (wanted && slot == i[SLOT_W-1:0]);

    always @(posedge clk) begin
        if (shift) begin
            wait_valid_reg   <= in_valid;
            wait_notice_reg  <= in_notice;
            wait_line_reg    <= in_line;
            wait_body_reg    <= in_body;
            wait_number_reg  <= in_number;
            wait_session_reg <= in_session;
            item_notice_reg  <= wait_notice_reg;
            item_line_reg    <= wait_line_reg;
            item_body_reg    <= wait_body_reg;
            item_number_reg  <= wait_number_reg;
            item_session_reg <= wait_session_reg;
        end
        if (step) begin
            if (!stays) begin
                wait_place_reg    <= move ? in_less : in_place;
                wait_current_reg  <= begun_reg && in_session == session_reg;
                wait_previous_reg <= before_valid_reg && in_session == before_reg;
                place_reg         <= move ? wait_less : wait_place_reg;
            end else if (again_reg) begin
                wait_place_reg    <= wait_number_reg - next_reg;
                wait_current_reg  <= begun_reg && wait_session_reg == session_reg;
                wait_previous_reg <= before_valid_reg && wait_session_reg == before_reg;
                place_reg         <= item_number_reg - next_reg;
            end else if (move) begin
                wait_place_reg <= wait_less;
                place_reg      <= place_reg - 1'b1;
            end
            near_reg  <= current && near;
            due_reg   <= current && due;
            late_reg  <= current && late;
            far_reg   <= fresh || (current && !near && !late);
            fresh_reg <= fresh;
            stale_reg <= !stays && wait_valid_reg && !wait_current_reg && wait_previous_reg;
            begin_reg <= turns && fresh_reg;
            jump_reg  <= turns && !fresh_reg;
            again_reg <= begin_reg || jump_reg;
            look_reg  <= again_reg;
            turn_reg  <= turns || begin_reg || jump_reg || again_reg;
            if (begin_reg) begin
                session_reg      <= item_session_reg;
                begun_reg        <= 1'b1;
                before_reg       <= session_reg;
                before_valid_reg <= begun_reg;
                next_reg         <= {{NUMBER_W-1{1'b0}}, 1'b1};
            end else if (jump_reg) next_reg <= item_number_reg - TO_END;
            else if (move) next_reg <= next_reg + 1'b1;
            held_reg <= move ? held >> 1 : held;
            span_reg <= (grows ? {1'b0, slot} : span_reg) + {SLOT_W+1{move}} + {{SLOT_W{1'b0}}, grows};
            open_reg <= (near_reg && !(zero && move)) || (move ? span_reg > 1 : open_reg);
        end
        if (rst) begin
            wait_valid_reg   <= 1'b0;
            {near_reg, due_reg, late_reg, far_reg, fresh_reg, stale_reg}  <= 6'd0;
            {begin_reg, jump_reg, again_reg, look_reg, turn_reg}          <= 5'd0;
            begun_reg        <= 1'b0;
            before_valid_reg <= 1'b0;
            held_reg         <= {REORDER{1'b0}};
            span_reg         <= {SLOT_W+1{1'b0}};
            open_reg         <= 1'b0;
        end
    end

    // Time. Ticks are counted while the next number is missing and nothing is output.
    reg  [15:0] ticks_reg;

    always @(posedge clk) begin
        if (rst || !open_reg || leave) begin
            ticks_reg   <= 16'd0;
            give_up_reg <= 1'b0;
        end else if (tick) begin
            if (ticks_reg == GAP_TICKS - 1) give_up_reg <= 1'b1;
            else ticks_reg <= ticks_reg + 16'd1;
        end
    end

    // Stage 4: the number that is output, and the message that is written, even while the output stalls. Every message
    // goes through the RAM, also the one next in sequence.
    reg                write_reg, write_line_reg;
    reg [BODY_W-1:0]   write_body_reg;
    reg [SLOT_W:0]     write_slot_reg;
    reg                leave_reg;
    reg [NUMBER_W-1:0] leave_number_reg;
    reg [79:0]         leave_session_reg;

    // Stage 5: read, one cycle after the write.
    reg                read_reg;
    reg [NUMBER_W-1:0] read_number_reg;
    reg [79:0]         read_session_reg;

    // Stage 6: output.
    reg [NUMBER_W-1:0] number_reg;
    reg [79:0]         user_session_reg;
    wire               line;

    always @(posedge clk) begin
        write_reg      <= step && wanted && !have;
        write_line_reg <= item_line_reg;
        write_body_reg <= item_body_reg;
        write_slot_reg <= item_number_reg[SLOT_W:0];
        if (step) begin
            leave_reg         <= leave;
            leave_number_reg  <= next_reg;
            leave_session_reg <= session_reg;
            read_reg          <= leave_reg;
            read_number_reg   <= leave_number_reg;
            read_session_reg  <= leave_session_reg;
            m_axis_tvalid     <= read_reg;
            idle_reg          <= !read_reg;
            number_reg        <= read_number_reg;
            user_session_reg  <= read_session_reg;
        end
        if (rst) begin
            write_reg     <= 1'b0;
            leave_reg     <= 1'b0;
            read_reg      <= 1'b0;
            m_axis_tvalid <= 1'b0;
            idle_reg      <= 1'b1;
        end
    end

    // Twice as many slots as numbers in the window, so that the slot of a message that has left the window is not
    // overwritten before it is read.
    ws_ram_sdp #(.DATA_W(KEPT_W), .ADDR_W(SLOT_W + 1)) ram (
        .clk    (clk),
        .wr_en  (write_reg),
        .wr_addr(write_slot_reg),
        .wr_data({write_line_reg, write_body_reg}),
        .rd_en  (step && read_reg),
        .rd_addr(read_number_reg[SLOT_W:0]),
        .rd_data({line, m_axis_tkeep, m_axis_tdata})
`ifdef FORMAL
        ,
        .watch_addr(watch_ref[SLOT_W:0]),
        .watch_data(watch_data)
`endif
    );

    assign m_axis_tlast = 1'b1;
    assign m_axis_tuser = {user_session_reg, number_reg, line, 2'b00};

    // Events. The numbers that a jump of the window passes over are reported one a cycle; owed_reg is the number of
    // pending ones less 1.
    reg                in_gap_reg;                  // the number before the next one is lost
    reg                skip_reg, leap_reg;
    reg [NUMBER_W-1:0] jumped_reg;                  // numbers
    reg [NUMBER_W:0]   owed_reg;
    wire               owing = !owed_reg[NUMBER_W];
    wire               tell  = owing && !leap_reg && !skip_reg;

    always @(posedge clk) begin
        if (step) begin
            if (skip || jump_reg) in_gap_reg <= 1'b1;
            else if (leave || begin_reg) in_gap_reg <= 1'b0;
        end
        skip_reg      <= step && skip;
        leap_reg      <= step && jump_reg;
        jumped_reg    <= place_reg - TO_END;
        if (!leap_reg) owed_reg <= owed_reg - {{NUMBER_W{1'b0}}, tell};
        else if (!owing || !owed_reg[NUMBER_W-1]) owed_reg <= owed_reg + {1'b0, jumped_reg};
        evt_message   <= step && leave;
        evt_duplicate <= step && !item_notice_reg && (late_reg || (near_reg && have));
        evt_gap       <= step && (skip || jump_reg) && !in_gap_reg;
        evt_lost      <= skip_reg || tell;
        evt_session   <= step && begin_reg;
        evt_stale     <= step && stale_reg;
        if (rst) begin
            in_gap_reg    <= 1'b0;
            skip_reg      <= 1'b0;
            leap_reg      <= 1'b0;
            owed_reg      <= {NUMBER_W+1{1'b1}};
            evt_message   <= 1'b0;
            evt_duplicate <= 1'b0;
            evt_gap       <= 1'b0;
            evt_lost      <= 1'b0;
            evt_session   <= 1'b0;
            evt_stale     <= 1'b0;
        end
    end

`ifdef FORMAL
    // Packets are counted at the input and at the output. Each message is accompanied by its index and its expected
    // number; the one with an arbitrary number also by its data at the input.
    (* anyconst *) wire [NUMBER_W-1:0] watch_ref;
    wire [KEPT_W-1:0]    watch_data;
    reg                  past_valid = 1'b0;
    reg  [NUMBER_W-1:0]  taken_ref, dropped_ref, out_ref;   // packets; those dropped; messages output
    reg  [NUMBER_W-1:0]  left_ref, start_ref, lost_ref;     // scheduled for output; before this session; lost in it
    reg  [NUMBER_W-1:0]  told_ref;                          // pulses of evt_message
    reg  [NUMBER_W:0]    owe_ref, paid_ref;                 // lost numbers to report, and pulses of evt_lost
    reg  [NUMBER_W-1:0]  jumped_ref;
    reg                  run_ref;                           // the number before the next one is lost
    reg  [15:0]          quiet_ref;                         // ticks since something is missing
    reg                  hold_ref;                          // the watched message waits
    reg  [KEPT_W+79:0]   body_ref;
    reg  [NUMBER_W-1:0]  index_0_ref, index_1_ref, index_2_ref, number_0_ref, number_1_ref, number_2_ref;
    reg                  hit_0_ref, hit_1_ref, hit_2_ref;
    reg  [KEPT_W+79:0]   body_0_ref, body_1_ref, body_2_ref;
    reg  [SLOT_W:0]      waiting_ref;
    reg  [79:0]          before_ref;
    reg                  twice_ref;                         // there is a previous session
    reg  [KEPT_W+NUMBER_W+80:0] wait_in_ref, item_in_ref;   // the input, two cycles before its verdict
    integer              w;

    always @* begin
        waiting_ref = 0;
        for (w = 0; w < REORDER; w = w + 1)
            waiting_ref = waiting_ref + held_reg[w];
    end

    wire [4:0]          verdict_ref = {near_reg, late_reg, far_reg, stale_reg, turn_reg};
    wire                beyond_ref  = (far_reg && !fresh_reg) || jump_reg;
    wire                here_ref    = near_reg || late_reg || beyond_ref || look_reg;   // of this session
    wire [NUMBER_W-1:0] ahead_ref   = item_number_reg - next_reg;
    wire [NUMBER_W-1:0] watch_place = watch_ref - next_reg;
    wire [NUMBER_W-1:0] must_ref    = left_ref - start_ref + lost_ref + 1'b1;
    wire                comes_ref   = wanted && item_number_reg == watch_ref && !hold_ref;
    wire                goes_ref    = leave && next_reg == watch_ref;
    wire [KEPT_W+79:0]  item_ref    = {item_session_reg, item_line_reg, item_body_reg};
    wire                write_ref   = write_reg && write_slot_reg == watch_ref[SLOT_W:0];
    wire [KEPT_W-1:0]   kept_ref    = write_ref ? {write_line_reg, write_body_reg} : watch_data;
    wire [NUMBER_W:0]   due_ref     = owe_ref - paid_ref - evt_lost - skip_reg;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        if (pass) {item_in_ref, wait_in_ref} <= {wait_in_ref, in_session, in_number, in_line, in_notice, in_body};
        taken_ref   <= taken_ref + (pass && in_valid);
        dropped_ref <= dropped_ref + evt_duplicate + evt_stale
                       + (step && item_notice_reg && (near_reg || late_reg));
        out_ref     <= out_ref + (m_axis_tvalid && m_axis_tready);
        told_ref    <= told_ref + evt_message;
        paid_ref    <= paid_ref + evt_lost;
        jumped_ref  <= ahead_ref - TO_END;
        if (step) begin
            left_ref <= left_ref + leave;
            if (begin_reg) {twice_ref, before_ref} <= {begun_reg, session_reg};
            if (begin_reg) {start_ref, lost_ref, run_ref} <= {left_ref, {NUMBER_W+1{1'b0}}};
            else lost_ref <= lost_ref + (jump_reg ? ahead_ref - TO_END : skip);
            if (skip || jump_reg) run_ref <= 1'b1;
            else if (leave) run_ref <= 1'b0;
            hold_ref <= (hold_ref || comes_ref) && !goes_ref;
            if (comes_ref) body_ref <= item_ref;
            {hit_2_ref, hit_1_ref, hit_0_ref} <= {hit_1_ref, hit_0_ref, goes_ref};
            {body_2_ref, body_1_ref, body_0_ref} <= {body_1_ref, body_0_ref, comes_ref ? item_ref : body_ref};
            {index_2_ref, index_1_ref, index_0_ref} <= {index_1_ref, index_0_ref, left_ref};
            {number_2_ref, number_1_ref, number_0_ref} <= {number_1_ref, number_0_ref, must_ref};
        end
        owe_ref <= owe_ref + (step && skip) + (leap_reg && due_ref <= 1 << NUMBER_W-1 ? jumped_ref : 0);
        if (!open_reg || leave) quiet_ref <= 0;
        else if (tick && quiet_ref != GAP_TICKS) quiet_ref <= quiet_ref + 1;
        if (rst) begin
            {taken_ref, dropped_ref, out_ref, left_ref, start_ref, lost_ref, told_ref, owe_ref, paid_ref} <= 0;
            {twice_ref, run_ref, quiet_ref, hold_ref, hit_0_ref, hit_1_ref, hit_2_ref} <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            // every packet is in flight, waits, was output or was counted as dropped; each once
            assert (taken_ref == wait_valid_reg + |verdict_ref + dropped_ref + evt_duplicate + evt_stale + waiting_ref
                    + leave_reg + read_reg + m_axis_tvalid + out_ref);
            assert (told_ref + evt_message == out_ref + m_axis_tvalid + read_reg + leave_reg);
            // numbers are output in sequence, except those declared lost
            if (m_axis_tvalid) assert (index_2_ref == out_ref && number_reg == number_2_ref);
            if (begun_reg) assert (next_reg == must_ref);
            // nothing is declared lost too early, nor more than needed; every loss is reported
            if (step && (skip || jump_reg)) assert (give_up_reg || fresh_reg || ahead_ref - REORDER < 1 << NUMBER_W-1);
            if (turn_reg) assert (waiting_ref == 0 && !open_reg && !leave);
            if (look_reg) assert (place_reg == TO_END || next_reg == 1);
            assert (give_up_reg == (quiet_ref == GAP_TICKS));
            assert (evt_gap == $past(!rst && step && (skip || jump_reg) && !run_ref));
            assert (before_valid_reg == twice_ref && (!twice_ref || before_reg == before_ref));
            assert (s_number + s_axis_tuser[1] == s_axis_tuser[3 +: NUMBER_W]);
            if (wait_valid_reg) assert ({wait_session_reg, wait_number_reg, wait_line_reg, wait_notice_reg,
                                         wait_body_reg} == wait_in_ref);
            if (verdict_ref != 0) assert ({item_session_reg, item_number_reg, item_line_reg, item_notice_reg,
                                           item_body_reg} == item_in_ref);
            assert (evt_session == $past(!rst && step && begin_reg));
            assert (due_ref == owed_reg + 1'b1);
            if (leap_reg) assert (jumped_reg == jumped_ref);
            // the watched message is output unchanged: its slot is not overwritten, nor read before it is written
            if (hit_2_ref) assert ({user_session_reg, line, m_axis_tkeep, m_axis_tdata} == body_2_ref);
            assert (hit_2_ref == (m_axis_tvalid && number_reg == watch_ref));
            if (hold_ref) assert ({session_reg, kept_ref} == body_ref);
            assert (hold_ref == (watch_place < REORDER && held_reg[watch_place[SLOT_W-1:0]]));

            // invariants for induction
            assert (hit_0_ref == (leave_reg && leave_number_reg == watch_ref));
            assert (hit_1_ref == (read_reg && read_number_reg == watch_ref));
            if (hit_0_ref) assert ({leave_session_reg, kept_ref} == body_0_ref);
            if (hit_1_ref) assert ({read_session_reg, watch_data} == body_1_ref && !write_ref);
            if (leave_reg) assert (leave_number_reg == number_0_ref && next_reg == leave_number_reg + 1'b1);
            if (leave_reg) assert (index_0_ref + 1'b1 == left_ref);
            if (read_reg) assert (read_number_reg == number_1_ref && index_1_ref == out_ref + m_axis_tvalid);
            assert (left_ref == out_ref + m_axis_tvalid + read_reg + leave_reg);
            assert (run_ref == in_gap_reg && idle_reg == !m_axis_tvalid);
            assert ((verdict_ref & (verdict_ref - 1'b1)) == 0 && due_reg == (wanted && place_reg == 0));
            assert (turn_reg == (begin_reg || jump_reg || again_reg || look_reg));
            assert (begin_reg + jump_reg + again_reg + look_reg < 2 && (far_reg || !fresh_reg));
            if (again_reg) assert (next_reg == 1 || ahead_ref == TO_END);
            if (here_ref || again_reg) assert (begun_reg && item_session_reg == session_reg);
            if (here_ref) assert (place_reg == ahead_ref);
            if (near_reg) assert (place_reg < REORDER);
            if (late_reg) assert (place_reg[NUMBER_W-1] || &place_reg[NUMBER_W-2:0]);
            if (beyond_ref) assert (!place_reg[NUMBER_W-1] && place_reg >= REORDER);
            if (stale_reg || fresh_reg || begin_reg) begin
                assert (!begun_reg || item_session_reg != session_reg);
                assert (stale_reg == (before_valid_reg && item_session_reg == before_reg));
            end
            if (wait_valid_reg && !begin_reg && !jump_reg && !again_reg) begin
                assert (wait_place_reg == wait_number_reg - next_reg);
                assert (wait_current_reg == (begun_reg && wait_session_reg == session_reg));
                assert (wait_previous_reg == (before_valid_reg && wait_session_reg == before_reg));
            end
            assert (held_reg >> span_reg == 0 && span_reg <= REORDER && open_reg == (span_reg != 0));
            if (!begun_reg) assert (!open_reg);
            assert ((owing || &owed_reg) && (!leap_reg || !jumped_ref[NUMBER_W-1]));
            if (!give_up_reg) assert (ticks_reg == quiet_ref);
        end
        cover (past_valid && step && wanted && have && waiting_ref == 3);
        cover (past_valid && evt_session && owing && out_ref == 2);
        cover (past_valid && m_axis_tvalid && lost_ref == 1 && number_reg == 2 && quiet_ref == 1);
    end

    ws_axis_rules #(.DATA_W(8*MESSAGE_BYTES), .USER_W(NUMBER_W+83), .PACKETS(2)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
