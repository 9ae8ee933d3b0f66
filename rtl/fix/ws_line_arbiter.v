// SPDX-License-Identifier: Apache-2.0
//
// ws_line_arbiter: numbered messages of several lines, as ws_moldudp64 gives them, to each once and in sequence.
//
// The first copy of a message leaves, or waits in RAM until those before it have left; further copies are dropped. The
// numbers from the one that leaves next on, REORDER of them, are the window; a message waits in it, or leaves from it.
// Numbers known to be missing, by a later message or by a notice (the number that comes next), are declared lost
//   - when GAP_TICKS ticks have passed since the gap showed or the last message left, whichever was later: all up to
//     the first message that waits, or to the highest number known;
//   - when a message or notice comes that the window does not reach: as many as it takes that it does;
//   - when another session begins: all. What waits leaves first.
// A message of a number that has been declared lost counts as a duplicate. A session begins with number 1. A packet of
// a session that is neither the current one nor the one before begins a new one; those of the one before are dropped.
//
// A packet is one beat: a message, or with tuser[1] a notice, whose content means nothing. Several lines are one stream
// here, by ws_axis_arbiter: its order is the order of arrival. m_axis has no notices, and is otherwise as s_axis was.
//
// Events: evt_message, one leaves; evt_duplicate, one is dropped; evt_gap, a run of numbers is declared lost, and
// evt_lost, how many of them in this cycle (at most 2**32 - 1); evt_session, a session begins; evt_stale, a packet of
// the session before is dropped.
//
// Parameters   MESSAGE_BYTES  bytes of a beat, at least 1
//              REORDER        numbers in the window: a power of two, 4 to 256
//              GAP_TICKS      ticks, 1 to 65535; what passes is at most one tick less
//              NUMBER_W       width of a number in bits: 64; less in proofs only
// Latency      5 cycles for a message whose turn it is
// Issue rate   a message a cycle. Declaring lost takes a cycle a number, but a single one for those that the window has
//              never reached. s_axis_tready falls while the packet that came waits for that, and after m_axis_tready
//              did
// Overflow     a sink that stalls pushes back; the ticks go on
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
    output reg  [31:0]                evt_lost,
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

    // Every stage below moves when the output is free, and only then.
    wire step = !m_axis_tvalid || m_axis_tready;

    // Stage 1: input register slice. A notice of number n says that there is a message n - 1.
    wire                in_valid, in_notice, in_line, take;
    wire [BODY_W-1:0]   in_body;
    wire [79:0]         in_session;
    wire [NUMBER_W-1:0] in_number;

    ws_skid_buffer #(.DATA_W(BODY_W + NUMBER_W + 82)) in_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready),
        .s_data ({s_axis_tuser[NUMBER_W+3 +: 80], s_axis_tuser[3 +: NUMBER_W] - {{NUMBER_W-1{1'b0}}, s_axis_tuser[1]},
                  s_axis_tuser[2:1], s_axis_tkeep, s_axis_tdata}),
        .m_valid(in_valid),
        .m_ready(take),
        .m_data ({in_session, in_number, in_line, in_notice, in_body})
    );

    // Stage 2: its number less the one that leaves next.
    reg                wait_valid_reg, wait_notice_reg, wait_line_reg;
    reg [BODY_W-1:0]   wait_body_reg;
    reg [NUMBER_W-1:0] wait_number_reg;
    reg [79:0]         wait_session_reg;
    reg                wait_current_reg, wait_previous_reg;     // it is of this session, of the one before
    reg [NUMBER_W-1:0] wait_place_reg;

    // Stage 3: the packet that is judged.
    reg                item_valid_reg, item_notice_reg, item_line_reg;
    reg [BODY_W-1:0]   item_body_reg;
    reg [NUMBER_W-1:0] item_number_reg;
    reg [79:0]         item_session_reg;
    reg                current_reg, previous_reg;
    reg [NUMBER_W-1:0] place_reg;
    reg                late_reg, near_reg;          // its place is below the window, in it

    // The window
    reg [79:0]         session_reg, before_reg;
    reg                begun_reg, before_valid_reg; // there is a session, one before it
    reg [NUMBER_W-1:0] next_reg;                    // the number that leaves next
    reg [REORDER-1:0]  held_reg;                    // bit i: message next + i waits
    reg [SLOT_W:0]     span_reg;                    // numbers known from next on
    reg                give_up_reg;                 // the time is up

    reg                moved_reg;                   // the window has moved by more than one: no place is right yet

    wire have   = held_reg[place_reg[SLOT_W-1:0]];
    wire head   = held_reg[0];
    wire open   = span_reg != 0;

    // What becomes of the packet
    wire judge  = item_valid_reg && current_reg && !moved_reg;
    wire stale  = item_valid_reg && !current_reg && previous_reg;
    wire fresh  = item_valid_reg && !current_reg && !previous_reg;     // of a new session
    wire beyond = judge && !late_reg && !near_reg;
    wire wanted = judge && near_reg && !item_notice_reg;
    wire first  = place_reg[SLOT_W-1:0] == 0;
    wire direct = wanted && first && !head;
    wire store  = wanted && !first && !have;
    wire begins = fresh && !open;
    wire jump   = beyond && !open;                  // the window to where it ends with the packet
    wire done   = stale || (judge && (late_reg || near_reg));

    // What becomes of the number that is next
    wire skip   = open && !head && !direct && (give_up_reg || beyond || fresh);
    wire leave  = head || direct;
    wire move   = leave || skip;

    // Packets move on
    wire pass   = step && (!item_valid_reg || done) && !moved_reg;
    assign take = step && (!wait_valid_reg || pass);

    // What a place becomes is worked out from registers alone; which it is, is known late. A place that is less by 1
    // follows a move, and is in the window if it was from 1 to REORDER.
    wire [NUMBER_W-1:0] in_place   = in_number - next_reg;
    wire [NUMBER_W-1:0] in_less    = in_number + ~next_reg;
    wire [NUMBER_W-1:0] wait_less  = wait_place_reg - 1'b1;
    wire [NUMBER_W-1:0] place_less = place_reg - 1'b1;
    wire                wait_low   = wait_place_reg[NUMBER_W-1:SLOT_W+1] == 0;      // below 2 * REORDER
    wire                place_low  = place_reg[NUMBER_W-1:SLOT_W+1] == 0;
    wire                wait_zero  = wait_place_reg[SLOT_W-1:0] == 0;               // 0 or REORDER, if it is
    wire                near_wait  = wait_low && !wait_place_reg[SLOT_W];
    wire                near_place = place_low && !place_reg[SLOT_W];
    wire                late_wait  = wait_place_reg[NUMBER_W-1];
    wire                late_place = place_reg[NUMBER_W-1];
    wire [SLOT_W:0]     reach      = {1'b0, place_reg[SLOT_W-1:0]} + 1'b1;
    wire [SLOT_W:0]     known      = judge && near_reg && reach > span_reg ? reach : span_reg;
    wire                in_current  = begun_reg && in_session == session_reg;
    wire                in_previous = before_valid_reg && in_session == before_reg;
    reg  [REORDER-1:0]  held;
    integer             i;

    always @*
        for (i = 0; i < REORDER; i = i + 1)
            held[i] = held_reg[i] || (store && place_reg[SLOT_W-1:0] == i[SLOT_W-1:0]);

    always @(posedge clk) begin
        if (take) begin
            wait_valid_reg   <= in_valid;
            wait_notice_reg  <= in_notice;
            wait_line_reg    <= in_line;
            wait_body_reg    <= in_body;
            wait_number_reg  <= in_number;
            wait_session_reg <= in_session;
        end
        if (pass) begin
            item_valid_reg   <= wait_valid_reg;
            item_notice_reg  <= wait_notice_reg;
            item_line_reg    <= wait_line_reg;
            item_body_reg    <= wait_body_reg;
            item_number_reg  <= wait_number_reg;
            item_session_reg <= wait_session_reg;
            current_reg      <= wait_current_reg;
            previous_reg     <= wait_previous_reg;
        end else if (step && begins) current_reg <= 1'b1;
        if (step) begin
            if (take) wait_place_reg <= move ? in_less : in_place;
            else if (moved_reg) wait_place_reg <= wait_number_reg - next_reg;
            else if (move) wait_place_reg <= wait_less;
            if (take || moved_reg) begin
                wait_current_reg  <= take ? in_current : begun_reg && wait_session_reg == session_reg;
                wait_previous_reg <= take ? in_previous : before_valid_reg && wait_session_reg == before_reg;
            end
            if (begins) place_reg <= item_number_reg - 1'b1;
            else if (jump) place_reg <= TO_END;
            else if (pass) place_reg <= move ? wait_less : wait_place_reg;
            else if (move) place_reg <= place_less;
            if (pass) late_reg <= late_wait || (move && wait_zero && near_wait);
            else late_reg <= late_place || (move && first && near_place);
            if (pass) near_reg <= move ? wait_low && wait_place_reg[SLOT_W] == wait_zero : near_wait;
            else near_reg <= move ? place_low && place_reg[SLOT_W] == first : near_place;
            moved_reg <= begins || jump;
            if (begins) begin
                session_reg      <= item_session_reg;
                begun_reg        <= 1'b1;
                before_reg       <= session_reg;
                before_valid_reg <= begun_reg;
                next_reg         <= {{NUMBER_W-1{1'b0}}, 1'b1};
            end else if (jump) next_reg <= item_number_reg - TO_END;
            else if (move) next_reg <= next_reg + 1'b1;
            held_reg <= move ? held >> 1 : held;
            span_reg <= known - {{SLOT_W{1'b0}}, move};
        end
        if (rst) begin
            wait_valid_reg   <= 1'b0;
            item_valid_reg   <= 1'b0;
            begun_reg        <= 1'b0;
            before_valid_reg <= 1'b0;
            moved_reg        <= 1'b0;
            held_reg         <= {REORDER{1'b0}};
            span_reg         <= {SLOT_W+1{1'b0}};
        end
    end

    // Time. Ticks count while the next number is missing and nothing leaves.
    reg  [15:0] ticks_reg;
    wire        missing = open && !head && !direct;

    always @(posedge clk) begin
        if (rst || !missing) begin
            ticks_reg   <= 16'd0;
            give_up_reg <= 1'b0;
        end else if (tick) begin
            if (ticks_reg == GAP_TICKS - 1) give_up_reg <= 1'b1;
            else ticks_reg <= ticks_reg + 16'd1;
        end
    end

    // Stage 4: what leaves. A message goes through the RAM even when it is its turn. There are twice as many slots as
    // numbers in the window, so that one is not written while what has left the window is read.
    reg                leave_reg;
    reg [NUMBER_W-1:0] leave_number_reg;
    reg [79:0]         leave_session_reg;

    always @(posedge clk) begin
        if (step) begin
            leave_reg         <= leave;
            leave_number_reg  <= next_reg;
            leave_session_reg <= session_reg;
        end
        if (rst) leave_reg <= 1'b0;
    end

    // Stage 5: out.
    reg [NUMBER_W-1:0] number_reg;
    reg [79:0]         user_session_reg;
    wire               line;

    ws_ram_sdp #(.DATA_W(KEPT_W), .ADDR_W(SLOT_W + 1)) ram (
        .clk    (clk),
        .wr_en  (step && wanted && !have),
        .wr_addr(item_number_reg[SLOT_W:0]),
        .wr_data({item_line_reg, item_body_reg}),
        .rd_en  (step && leave_reg),
        .rd_addr(leave_number_reg[SLOT_W:0]),
        .rd_data({line, m_axis_tkeep, m_axis_tdata})
    );

    assign m_axis_tlast = 1'b1;
    assign m_axis_tuser = {user_session_reg, number_reg, line, 2'b00};

    always @(posedge clk) begin
        if (step) begin
            m_axis_tvalid    <= leave_reg;
            number_reg       <= leave_number_reg;
            user_session_reg <= leave_session_reg;
        end
        if (rst) m_axis_tvalid <= 1'b0;
    end

    // Events
    reg                 in_gap_reg, jump_reg;               // the number before the next one is lost
    reg  [NUMBER_W-1:0] jumped_reg;                         // numbers
    wire [95:0]         jumped = {{96-NUMBER_W{1'b0}}, jumped_reg};

    always @(posedge clk) begin
        if (step) begin
            if (skip || jump) in_gap_reg <= 1'b1;
            else if (leave || begins) in_gap_reg <= 1'b0;
        end
        jump_reg      <= step && jump;
        jumped_reg    <= place_reg - TO_END;
        evt_message   <= step && leave;
        evt_duplicate <= step && judge && !item_notice_reg && (late_reg || (near_reg && have));
        evt_gap       <= step && (skip || jump) && !in_gap_reg;
        evt_session   <= step && begins;
        evt_stale     <= step && stale;
        evt_lost      <= jump_reg && jumped[95:32] != 0 ? 32'hFFFFFFFF
                         : (jump_reg ? jumped[31:0] : 32'd0) + {31'd0, step && skip};
        if (rst) begin
            in_gap_reg    <= 1'b0;
            jump_reg      <= 1'b0;
            evt_message   <= 1'b0;
            evt_duplicate <= 1'b0;
            evt_gap       <= 1'b0;
            evt_lost      <= 32'd0;
            evt_session   <= 1'b0;
            evt_stale     <= 1'b0;
        end
    end

endmodule

`default_nettype wire
