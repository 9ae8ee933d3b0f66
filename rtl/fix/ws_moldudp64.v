// SPDX-License-Identifier: Apache-2.0
//
// ws_moldudp64: splits UDP payloads of MoldUDP64 into messages, packets of one beat with session, number and line.
//
//     Session 10   Sequence Number 8, of the first message   Message Count 2   | Length 2   message |...
//
// A count of 0 is a heartbeat, 65535 the end of the session; their number is that of the next message. Messages are
// output as they arrive, before the end of the payload; one whose block exceeds the rest of the payload does not begin.
// m_axis_tuser: [0] 0, [1] notice, [2] line, [66:3] number, [146:67] session, first byte in the high bits. The line is
// the lowest bit of the port's index in s_axis_tuser[116:113]: port 0 is line A, port 1 line B.
//
// Every payload is counted once:
//   evt_datagram        all its messages were output
//   evt_heartbeat, evt_end   with NOTICES an empty packet with the notice bit is output for it
//   evt_bad_header      shorter than the header
//   evt_empty           has a block of length 0
//   evt_truncated       a block exceeds the payload, or the payload has fewer blocks than its count
//   evt_trailing        has bytes after the last block, or after the header of a heartbeat or an end
// Messages before the fault have been output, bytes after it are skipped. In addition: evt_message, a message is
// output; evt_overlong, it was longer than MESSAGE_BYTES and is output as an empty packet, so that its number is not
// missing.
//
// Parameters   DATA_W         width of the payload stream in bits: 8 or 64
//              MESSAGE_BYTES  longest message that is kept, in bytes, a multiple of DATA_W / 8, DATA_W / 4 to 8 *
//                             DATA_W
//              NOTICES        1: heartbeats and ends are output as notices for ws_line_arbiter; 0: they are only
//                             counted
// Latency      4 cycles from the word with a message's last byte; 5 if that word also holds the end of its length
// Issue rate   1 word a cycle (messages of at least 6 bytes); a word in which a shorter one ends before another begins
//              takes a cycle for each. s_axis_tready falls for that, for a cycle at the end of a payload whose last
//              word holds all of its last message and the end of its length, and after m_axis_tready
// Overflow     a stalled sink causes back-pressure
// Bad input    counted as above. Payloads with tuser[0] must be dropped upstream, by a frame FIFO; s_axis_tuser[16:1]
//              must be the payload's length
// Source       Nasdaq MoldUDP64 Protocol Specification, 1.00

`default_nettype none

module ws_moldudp64 #(
    parameter DATA_W        = 64,
    parameter MESSAGE_BYTES = 64,
    parameter NOTICES       = 0
) (
    input  wire                       clk,
    input  wire                       rst,

    input  wire [DATA_W-1:0]          s_axis_tdata,
    input  wire [DATA_W/8-1:0]        s_axis_tkeep,
    input  wire                       s_axis_tvalid,
    output wire                       s_axis_tready,
    input  wire                       s_axis_tlast,
    input  wire [116:0]               s_axis_tuser,

    output wire [8*MESSAGE_BYTES-1:0] m_axis_tdata,
    output reg  [MESSAGE_BYTES-1:0]   m_axis_tkeep,
    output reg                        m_axis_tvalid,
    input  wire                       m_axis_tready,
    output wire                       m_axis_tlast,
    output wire [146:0]               m_axis_tuser,

    output reg                        evt_datagram,
    output reg                        evt_heartbeat,
    output reg                        evt_end,
    output reg                        evt_bad_header,
    output reg                        evt_empty,
    output reg                        evt_truncated,
    output reg                        evt_trailing,
    output reg                        evt_message,
    output reg                        evt_overlong
);

    initial if (NOTICES != 0 && NOTICES != 1) begin
        $display("ERROR: %m: NOTICES = %0d (0 or 1)", NOTICES);
        $finish;
    end

    localparam K            = DATA_W / 8;                   // bytes of a word
    localparam WORDS        = MESSAGE_BYTES / K;            // words of the longest message
    localparam LANE_W       = K > 1 ? $clog2(K) : 1;
    localparam HEADER       = 20;                           // bytes
    localparam HEADER_WORDS = (HEADER + K - 1) / K;
    localparam HEADER_LAST  = HEADER_WORDS - 1;
    localparam HEADER_W     = 8 * K * HEADER_WORDS;
    localparam FIRST        = HEADER + 1;                   // place of the second byte of the first length

    initial if ((DATA_W != 8 && DATA_W != 64) || MESSAGE_BYTES % K != 0 || WORDS < 2 || WORDS > 64) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), MESSAGE_BYTES = %0d (a multiple of DATA_W / 8, 2 to 64 of those)",
                 DATA_W, MESSAGE_BYTES);
        $finish;
    end

    // All stages advance together, when the output is free; the first two also wait while the word in stage 2 takes
    // another look.
    wire step = !m_axis_tvalid || m_axis_tready;
    wire again;
    wire load = step && !again;

    // Stage 1: input register slice.
    wire              in_valid, in_last, in_line;
    wire [15:0]       in_length;
    wire [DATA_W-1:0] in_data;
    wire              beat = in_valid && load;

    ws_skid_buffer #(.DATA_W(DATA_W + 18)) in_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready),
        .s_data ({s_axis_tuser[113], s_axis_tuser[16:1], s_axis_tlast, s_axis_tdata}),
        .m_valid(in_valid),
        .m_ready(load),
        .m_data ({in_line, in_length, in_last, in_data})
    );

    // Stage 2: from length to length. A length is found by the place of its second byte, so that both of its bytes are
    // present. For every place of a length, the place of the next one is computed while the word is loaded; a cycle of
    // the loop only selects.
    reg               word_valid_reg, word_last_reg, word_line_reg;
    reg               fresh_reg;                // the word takes its first look
    reg  [DATA_W-1:0] word_reg;
    reg  [7:0]        before_reg;               // the byte before the word
    reg               inside_reg;               // the next word is not the first of a payload
    reg               exact_reg;                // the payload is only a header
    reg  [16:0]       left_reg;                 // bytes of the payload from this word on
    reg  [4:0]        words_reg;                // words of the header before this one; HEADER_WORDS: all
    reg  [17*K-1:0]   next_reg;                 // place of the next length, from the next word on
    reg  [K-1:0]      within_reg;               // the message and the next length end in this word
    reg  [K-1:0]      ends_reg;                 // the message ends in this word
    reg  [K-1:0]      follows_reg;              // the next length ends in the next word
    wire [DATA_W+7:0] in_bytes = {in_data, word_reg[DATA_W-1 -: 8]};
    reg  [15:0]       block_q;
    reg  [17*K-1:0]   next_q;
    reg  [K-1:0]      within_q, ends_q, follows_q;
    integer           q;

    always @*
        for (q = 0; q < K; q = q + 1) begin
            block_q            = {in_bytes[8*q +: 8], in_bytes[8*(q+1) +: 8]};
            next_q[17*q +: 17] = {1'b0, block_q} + (q[16:0] + 17'd2 - K[16:0]);
            within_q[q]        = block_q != 16'd0 && q + 3 < K && block_q < (K[15:0] - 16'd2 - q[15:0]);
            ends_q[q]          = block_q != 16'd0 && q + 1 < K && block_q < (K[15:0] - q[15:0]);
            follows_q[q]       = !(q + 2 < K && block_q < (K[15:0] - 16'd2 - q[15:0]))
                                 && block_q < (2 * K[15:0] - 16'd2 - q[15:0]);
        end

    always @(posedge clk) begin
        if (load) word_valid_reg <= in_valid;
        if (beat) begin
            word_reg      <= in_data;
            word_last_reg <= in_last;
            word_line_reg <= in_line;
            before_reg    <= word_reg[DATA_W-1 -: 8];
            inside_reg    <= !in_last;
            left_reg      <= inside_reg ? left_reg - K[16:0] : {1'b0, in_length};
            words_reg     <= !inside_reg ? 5'd0 : words_reg == HEADER_WORDS[4:0] ? words_reg : words_reg + 5'd1;
            exact_reg     <= in_length == HEADER;
            next_reg      <= next_q;
            within_reg    <= within_q;
            ends_reg      <= ends_q;
            follows_reg   <= follows_q;
        end
        if (load) fresh_reg <= 1'b1;
        else if (step) fresh_reg <= 1'b0;
        if (rst) begin
            word_valid_reg <= 1'b0;
            inside_reg     <= 1'b0;
        end
    end

    reg  [16:0]       place_reg;                // of the next length, in or after this word
    reg               here_reg;                 // in this word
    wire [LANE_W-1:0] lane  = K > 1 ? place_reg[LANE_W-1:0] : {LANE_W{1'b0}};
    wire [DATA_W+7:0] bytes = {word_reg, before_reg};
    wire [15:0]       pair  = bytes[8*lane +: 16];   // the length, its first byte in the lowest bits
    wire [16:0]       next  = next_reg[17*lane +: 17];

    assign again = K > 1 && word_valid_reg && here_reg && (within_reg[lane] || (word_last_reg && ends_reg[lane]));

    // After a message that ends in this word the next length is at most at K + 1: adding K to `next` flips one bit.
    always @(posedge clk) begin
        if (step && word_valid_reg) begin
            here_reg  <= again           ? within_reg[lane]
                         : word_last_reg ? 1'b0
                         : here_reg      ? follows_reg[lane]
                         :                 place_reg[16:1] < K[15:0];
            place_reg <= again           ? {{16-LANE_W{1'b0}}, ~next[LANE_W], next[LANE_W-1:0]}
                         : word_last_reg ? FIRST[16:0]
                         : here_reg      ? next
                         :                 place_reg - K[16:0];
        end
        if (rst) begin
            here_reg  <= 1'b0;
            place_reg <= FIRST[16:0];
        end
    end

    // Stage 3: a look at a word and the word before it.
    reg                look_valid_reg, look_last_reg, look_here_reg, look_line_reg, look_exact_reg;
    reg                look_header_reg;         // the header ends in it
    reg                look_ends_reg;           // the message that goes on into it ends in it
    reg [LANE_W-1:0]   look_lane_reg;
    reg [15:0]         look_block_reg;          // the length
    reg [16:0]         look_room_reg;           // bytes of the payload after the length; negative: it is truncated
    reg [2*DATA_W-1:0] look_bytes_reg;          // the previous look's word and this one
    reg [HEADER_W-1:0] header_reg;              // the words up to this one, first byte in the high bits
    reg [DATA_W-1:0]   turned;                  // word_reg, first byte in the high bits
    integer            i;

    always @*
        for (i = 0; i < K; i = i + 1)
            turned[8*i +: 8] = word_reg[8*(K-1-i) +: 8];

    always @(posedge clk) begin
        if (step) look_valid_reg <= word_valid_reg;
        if (step && word_valid_reg) begin
            look_bytes_reg  <= {word_reg, look_bytes_reg[2*DATA_W-1:DATA_W]};
            look_last_reg   <= word_last_reg && !again;
            look_line_reg   <= word_line_reg;
            look_exact_reg  <= exact_reg;
            look_header_reg <= fresh_reg && words_reg == HEADER_LAST[4:0] && left_reg >= HEADER - K * HEADER_LAST;
            look_here_reg   <= here_reg;
            look_ends_reg   <= place_reg <= K + 1;
            look_lane_reg   <= lane;
            look_block_reg  <= {pair[7:0], pair[15:8]};
            look_room_reg   <= left_reg - {{17-LANE_W{1'b0}}, lane} - 17'd1;
            header_reg      <= {header_reg[HEADER_W-DATA_W-1:0], turned};
        end
        if (rst) look_valid_reg <= 1'b0;
    end

    // Stage 4: verdicts. `open`: the payload's header is complete and it has no verdict yet. All bits of the count of a
    // notice are equal.
    wire [79:0] h_session = header_reg[HEADER_W-1 -: 80];
    wire [63:0] h_number  = header_reg[HEADER_W-81 -: 64];
    wire [15:0] h_count   = header_reg[HEADER_W-145 -: 16];

    reg         open_reg, headed_reg;
    reg  [15:0] count_reg;                      // messages still to begin
    wire [15:0] count  = look_header_reg ? h_count : count_reg;
    wire        notice = look_header_reg && (h_count == 16'd0 || h_count == 16'hFFFF);
    wire        open   = look_header_reg ? !notice : open_reg;
    wire        block  = open && look_here_reg && !look_room_reg[16];
    wire        fits   = look_room_reg[15:0] >= look_block_reg;
    wire        empty  = look_block_reg == 16'd0;
    wire        begins = block && fits && !empty;
    wire        final  = begins && count == 16'd1;
    wire        exact  = look_room_reg[15:0] == look_block_reg;
    wire        cut    = (block && !fits) || (open && look_last_reg && !final && !(block && empty));
    wire        look   = look_valid_reg && step;

    always @(posedge clk) begin
        if (look) begin
            open_reg   <= open && !look_last_reg && !final && !(block && (empty || !fits));
            headed_reg <= !look_last_reg && (headed_reg || look_header_reg);
            if (begins) count_reg <= count - 16'd1;
            else if (look_header_reg) count_reg <= h_count;
        end
        evt_datagram   <= look && final && exact;
        evt_heartbeat  <= look && notice && look_exact_reg && !h_count[0];
        evt_end        <= look && notice && look_exact_reg && h_count[0];
        evt_bad_header <= look && look_last_reg && !headed_reg && !look_header_reg;
        evt_empty      <= look && block && empty;
        evt_truncated  <= look && cut;
        evt_trailing   <= look && ((final && !exact) || (notice && !look_exact_reg));
        if (rst) begin
            open_reg       <= 1'b0;
            headed_reg     <= 1'b0;
            evt_datagram   <= 1'b0;
            evt_heartbeat  <= 1'b0;
            evt_end        <= 1'b0;
            evt_bad_header <= 1'b0;
            evt_empty      <= 1'b0;
            evt_truncated  <= 1'b0;
            evt_trailing   <= 1'b0;
        end
    end

    // Stage 4: the message. It begins after its length in the previous look's word and is shifted to begin with a word
    // of its own. The word after that is written as well: if the message ends now, it is its last word.
    reg                       message_reg;      // a message is in progress
    reg                       first_reg;        // the first of its payload
    reg  [LANE_W-1:0]         lane_reg;         // place of the second byte of its length
    reg  [15:0]               block_reg;        // its length
    reg  [WORDS-1:0]          at_reg;           // index of its next word, one-hot
    reg  [8*MESSAGE_BYTES-1:0] data_reg;
    reg  [79:0]               session_reg;
    reg  [63:0]               number_reg;
    reg                       line_reg;
    wire [2*DATA_W-1:0]       shifted = look_bytes_reg >> 8 >> {lane_reg, 3'd0};
    wire                      ended   = look_ends_reg && message_reg;
    wire                      overlong = block_reg > MESSAGE_BYTES;

    always @(posedge clk) begin
        if (look) begin
            if (begins) message_reg <= 1'b1;
            else if (look_ends_reg) message_reg <= 1'b0;
            if (look_here_reg) begin
                lane_reg  <= look_lane_reg;
                block_reg <= look_block_reg;
                at_reg    <= {{WORDS-1{1'b0}}, 1'b1};
            end else at_reg <= {at_reg[WORDS-2:0], 1'b0};
            if (look_header_reg) begin
                session_reg <= h_session;
                number_reg  <= h_number;
                line_reg    <= look_line_reg;
                first_reg   <= 1'b1;
            end
            if (begins) begin
                number_reg <= look_header_reg ? h_number : number_reg + {63'd0, !first_reg};
                first_reg  <= 1'b0;
            end
            for (i = 0; i < WORDS; i = i + 1)
                if (at_reg[i]) data_reg[DATA_W*i +: DATA_W] <= shifted[DATA_W-1:0];
                else if (K > 1 && i > 0 && at_reg[i > 0 ? i-1 : 0]) data_reg[DATA_W*i +: DATA_W] <= shifted[2*DATA_W-1:DATA_W];
                else if (i > 1 && at_reg[0]) data_reg[DATA_W*i +: DATA_W] <= {DATA_W{1'b0}};
        end
        if (rst) message_reg <= 1'b0;
    end

    // Output: the registers of stage 4 in the cycle in which they are complete; properties of the message are copied,
    // as the next one may begin.
    reg [145:0] user_reg;

    assign m_axis_tdata = data_reg;
    assign m_axis_tlast = 1'b1;
    assign m_axis_tuser = {user_reg, 1'b0};

    always @(posedge clk) begin
        if (step) begin
            m_axis_tvalid <= look && (ended || (NOTICES != 0 && notice && look_exact_reg));
            user_reg      <= notice ? {h_session, h_number, look_line_reg, 1'b1}
                                    : {session_reg, number_reg, line_reg, 1'b0};
            for (i = 0; i < MESSAGE_BYTES; i = i + 1)
                m_axis_tkeep[i] <= !notice && !overlong && (i == 0 || {16'd0, block_reg} > i);
        end
        evt_message  <= look && ended;
        evt_overlong <= look && ended && overlong;
        if (rst) begin
            m_axis_tvalid <= 1'b0;
            evt_message   <= 1'b0;
            evt_overlong  <= 1'b0;
        end
    end

`ifdef FORMAL
    localparam [2:0] DATAGRAM = 3'd0, HEARTBEAT = 3'd1, END = 3'd2, BAD_HEADER = 3'd3, EMPTY = 3'd4, TRUNCATED = 3'd5,
                     TRAILING = 3'd6;
    reg         past_valid = 1'b0;
    reg         rst_ref, waits_ref;
    reg  [16:0] s_rest_ref;                     // bytes of the payload still to come
    wire        s_inside;
    wire [16:0] s_rest   = s_inside ? s_rest_ref : {1'b0, s_axis_tuser[16:1]};
    wire        taken    = s_axis_tvalid && s_axis_tready;
    wire        gone     = m_axis_tvalid && m_axis_tready;
    wire [6:0]  events   = {evt_trailing, evt_truncated, evt_empty, evt_bad_header,
                            evt_end, evt_heartbeat, evt_datagram};
    wire        verdict  = events != 7'd0;
    wire        noticed  = NOTICES != 0 && (evt_heartbeat || evt_end);

    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(117), .ASSUME(1)) s_rules (
        .clk(clk), .rst(rst),
        .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tvalid(s_axis_tvalid), .tready(s_axis_tready),
        .tlast(s_axis_tlast), .tuser(s_axis_tuser), .inside(s_inside)
    );
    ws_axis_rules #(.DATA_W(8*MESSAGE_BYTES), .USER_W(147)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );

    always @(posedge clk) begin
        past_valid <= 1'b1;
        rst_ref    <= rst;
        waits_ref  <= m_axis_tvalid && !m_axis_tready;
        if (taken) s_rest_ref <= s_rest - K[16:0];
        // a header alone takes 20 cycles, so it comes without pauses and resets
        if (past_valid && K == 1 && words != HEADER_WORDS) assume (s_axis_tvalid && !rst);
        // payloads are as long as s_axis_tuser says
        if (past_valid && s_axis_tvalid) begin
            assume (s_axis_tlast == (s_rest <= K));
            assume (s_axis_tkeep == (s_rest >= K ? {K{1'b1}} : ~({K{1'b1}} << s_rest)));
        end
        // a reset empties the core
        if (past_valid && rst_ref) assert (!m_axis_tvalid && !verdict && !evt_message && !evt_overlong);
        if (past_valid && !rst_ref) begin
            // a message or notice is output in the cycle of its event, and waits until it is accepted
            assert (m_axis_tvalid == (waits_ref || evt_message || noticed));
            // nothing happens while one waits
            assert (!(waits_ref && (verdict || evt_message)));
            // every packet is good and has one beat
            assert (m_axis_tlast && !m_axis_tuser[0]);
            // an overlong message is output as an empty packet, every other with its bytes
            if (evt_overlong) assert (evt_message);
            if (evt_message && !m_axis_tuser[1]) assert (evt_overlong == !m_axis_tkeep[0]);
            // a notice is an empty packet with the notice bit
            if (noticed) assert (m_axis_tuser[1] && m_axis_tkeep == 0);
            // a message is not a notice
            if (evt_message) ref_message: assert (!m_axis_tuser[1] && !noticed);
        end
    end

    // The input register slice: an arbitrary word is watched.
    (* anyconst *) reg [1:0] s_watch;
    reg  [1:0]         taken_ref, loaded_ref;           // words, modulo 4
    reg  [DATA_W+17:0] s_word_ref;

    always @(posedge clk) begin
        taken_ref  <= rst ? 2'd0 : taken_ref + taken;
        loaded_ref <= rst ? 2'd0 : loaded_ref + beat;
        if (taken && taken_ref == s_watch)
            s_word_ref <= {s_axis_tuser[113], s_axis_tuser[16:1], s_axis_tlast, s_axis_tdata};
        // every word passes once and unchanged
        if (past_valid && in_valid) begin
            ref_taken: assert (taken_ref != loaded_ref);
            if (loaded_ref == s_watch) ref_word: assert (s_word_ref == {in_line, in_length, in_last, in_data});
        end
    end

    // The definition, a byte at a time, as words are loaded into stage 2. An arbitrary item, that is a message or a
    // notice, and an arbitrary byte of it are watched; items are numbered in order. A verdict and the end of a message
    // are due at the look (stage 3) that has them. A place is counted from the first byte of the word.
    localparam HEADER_REST = HEADER - K * HEADER_LAST;  // bytes of the header in its last word
    (* anyconst *) reg [3:0] watch;
    (* anyconst *) reg [4:0] w_place;
    reg  [3:0]   begun_ref, items_ref, out_ref;         // items begun, whole, and out
    reg          inside_ref;                            // the word is not the first of its payload
    reg  [16:0]  rest_ref;                              // bytes of the payload from this word on
    reg  [4:0]   words_ref;                             // of the payload that were loaded, up to HEADER_WORDS
    reg  [HEADER_W-1:0] head_ref;
    reg          open_ref, message_ref;                 // a length is to come; a message has begun and not ended
    reg  [16:0]  to_ref;                                // place of the next length's second byte
    reg  [7:0]   high_ref;                              // the byte before this word
    reg  [15:0]  left_ref;                              // messages to come
    reg          line_ref, exact_ref, first_now_ref;    // first: no message of the payload has begun
    reg  [15:0]  w_length_ref;                          // of the watched item
    reg  [145:0] w_user_ref;
    reg          w_first_ref;                           // it is the first of its payload, or a notice
    reg          w_waits_ref;                           // it has begun, and the watched byte is to come
    reg  [5:0]   w_to_ref;                              // place of the watched byte
    reg  [7:0]   w_byte_ref;
    reg  [63:0]  number_ref;                            // of the item that left last
    reg  [3:0]   idle_ref, stuck_ref;                   // cycles without beat or stall; that a beat waits without one
    reg          known_ref;                             // of the word in stage 2: the place of the next length is known
    reg  [16:0]  known_to_ref;                          // that place
    reg  [K-1:0] todo_ref, more_ref;                    // lengths in it not yet looked at; those that take another look
    reg  [K-1:0] begins_ref, judges_ref;                // those that begin a message; that decide the verdict
    reg          due_ref, ends_ref;                     // a message leaves after it; one from before ends in it
    reg          judged_ref, notes_ref;                 // a payload is judged in it; that is a heartbeat or an end
    reg  [2:0]   kind_ref;
    reg          look_block_ref;                        // of the look in stage 3: it has a length,
    reg          look_begins_ref, look_ends_ref;        // with which a message begins; one ends
    reg          look_open_ref;                         // it is the last of its word, and a length is to come
    reg  [15:0]  look_left_ref;                         // messages to begin after its word
    reg  [6:0]   look_events_ref;                       // its verdict
    reg          counts_ref, ended_ref;                 // the same one step later
    reg  [15:0]  count_ref;
    reg  [6:0]   events_ref;
    reg  [3:0]   begun, items;
    reg  [2:0]   kind;
    reg          first, opens, message, judged, w_message, w_first, w_waits;
    reg  [16:0]  to, behind;
    reg  [15:0]  size, left, w_length;
    reg  [5:0]   w_to;
    reg  [7:0]   high, w_byte;
    reg  [K-1:0] todo, more, begins_at, judges;
    reg  [HEADER_W-1:0] head;
    reg  [16:0]  n;
    wire [16:0]  rest      = inside_ref ? rest_ref : {1'b0, in_length};
    wire [4:0]   words     = inside_ref ? words_ref : 5'd0;
    wire [16:0]  place     = inside_ref ? to_ref : FIRST[16:0];
    wire         line      = inside_ref ? line_ref : in_line;
    wire [79:0]  f_session = head[HEADER_W-1 -: 80];
    wire [63:0]  f_number  = head[HEADER_W-81 -: 64];
    wire [15:0]  f_count   = head[HEADER_W-145 -: 16];
    wire         heads     = words == HEADER_LAST && rest >= HEADER_REST;
    wire         notes     = heads && (f_count == 16'd0 || f_count == 16'hFFFF);
    wire         notifies  = notes && rest == HEADER_REST && NOTICES != 0;
    wire         known     = words != HEADER_WORDS || open_ref;
    wire [K-1:0] now       = todo_ref & (~todo_ref + 1'b1);         // the first
    wire [8*MESSAGE_BYTES-1:0] watched_byte = m_axis_tdata >> {w_place, 3'd0};      // and what follows it

    always @* begin
        head = head_ref;
        if (words < HEADER_WORDS)
            for (n = 0; n < K; n = n + 1) head = {head[HEADER_W-9:0], in_data[8*n +: 8]};
    end

    always @* begin
        {begun, items, high} = {begun_ref, items_ref, high_ref};
        first   = heads || first_now_ref;
        opens   = heads ? !notes : inside_ref && open_ref;
        message = inside_ref && message_ref;
        to      = place;
        left    = heads ? f_count : left_ref;
        judged  = notes;
        kind    = rest != HEADER_REST ? TRAILING : f_count == 16'd0 ? HEARTBEAT : END;
        {w_length, w_first, w_byte} = {w_length_ref, w_first_ref, w_byte_ref};
        {w_waits, w_to} = {w_waits_ref, w_to_ref};
        w_message = 1'b0;
        {todo, more, begins_at, judges} = 0;
        {behind, size} = 33'd0;
        for (n = 0; n < K; n = n + 1)
            if (n < rest) begin
                behind = rest - n - 17'd1;
                size   = {high, in_data[8*n +: 8]};
                high   = in_data[8*n +: 8];
                if (w_waits && w_to == n) {w_waits, w_byte} = {1'b0, high};
                if (message && to == n + 2) {items, message} = {items + 4'd1, 1'b0};
                if (opens && to == n) begin
                    todo[n] = 1'b1;
                    more[n] = size != 16'd0 && (n + 2 + size < K || (in_last && n + size < K));
                    to      = n + 2 + size;
                    message = size != 16'd0 && size <= behind;
                    opens   = message && left != 16'd1;
                    judged  = !opens;
                    begins_at[n] = message;
                    judges[n]    = !opens;
                    kind    = size == 16'd0 ? EMPTY : !message ? TRUNCATED : size != behind ? TRAILING : DATAGRAM;
                    if (message && begun == watch) begin
                        {w_message, w_length, w_first, w_waits} = {1'b1, size, first, 1'b1};
                        w_to = n + 1 + w_place;
                    end
                    if (message) {first, begun, left} = {1'b0, begun + 4'd1, left - 16'd1};
                end
            end
        if (rest <= K && opens) {judged, kind} = {1'b1, TRUNCATED};
        if (rest <= K && words < HEADER_WORDS && !heads) {judged, kind} = {1'b1, BAD_HEADER};
    end

    always @(posedge clk) begin
        if (beat) begin
            {begun_ref, items_ref}  <= {begun + notifies, items + notifies};
            {head_ref, line_ref}    <= {head, line};
            if (!inside_ref) exact_ref <= rest == HEADER;
            {inside_ref, rest_ref}  <= {!in_last, rest - K[16:0]};
            {open_ref, message_ref, high_ref, left_ref} <= {opens, message, high, left};
            to_ref                  <= to - K[16:0];
            {known_ref, known_to_ref, todo_ref, more_ref} <= {known, place, todo, more};
            {begins_ref, judges_ref, judged_ref, kind_ref, notes_ref} <= {begins_at, judges, judged, kind, notes};
            due_ref                 <= message || (begins_at & ~more) != 0;
            ends_ref                <= inside_ref && due_ref && place <= K + 1;
            {w_waits_ref, w_to_ref} <= {w_waits, w_to - K[5:0]};
            {w_length_ref, w_first_ref, w_byte_ref, first_now_ref} <= {w_length, w_first, w_byte, first};
            words_ref               <= words + (words != HEADER_WORDS);
            if (w_message) w_user_ref <= {f_session, f_number, line, 1'b0};
            if (notifies && items_ref == watch)
                {w_length_ref, w_first_ref, w_user_ref} <= {16'd0, 1'b1, f_session, f_number, line, 1'b1};
        end else if (step) todo_ref <= todo_ref & ~now;
        if (step && word_valid_reg) begin
            {look_open_ref, look_left_ref} <= {open_ref && !again, left_ref};
            look_block_ref  <= now != 0;
            look_begins_ref <= (now & begins_ref) != 0;
            look_ends_ref   <= fresh_reg ? ends_ref : look_begins_ref;
            look_events_ref <= judged_ref && (judges_ref != 0 ? (now & judges_ref) != 0
                                              : notes_ref ? fresh_reg : !again) ? 7'd1 << kind_ref : 7'd0;
        end
        counts_ref <= look && look_open_ref;
        count_ref  <= look_left_ref;
        events_ref <= look ? look_events_ref : 7'd0;
        ended_ref  <= look && look_ends_ref;
        if (gone) number_ref <= m_axis_tuser[66:3];
        out_ref   <= out_ref + gone;
        idle_ref  <= beat || !step ? 4'd0 : idle_ref + (idle_ref != 15);
        stuck_ref <= in_valid && step && !load ? stuck_ref + (stuck_ref != 15) : 4'd0;
        if (rst) {begun_ref, items_ref, out_ref, idle_ref, stuck_ref, inside_ref} <= 0;

        if (past_valid) begin
            // a payload's words and bytes are counted
            assert (inside_reg == inside_ref);
            if (inside_ref) assert (words_reg <= HEADER_WORDS && words_ref == words_reg + (words_reg != HEADER_WORDS));
            if (inside_ref) assert (rest_ref + K[16:0] == left_reg);
        end
        if (past_valid && !rst && !rst_ref) begin
            // payloads end according to their lengths
            if (in_valid) ref_last: assert (in_last == (rest <= K));
            // a word is accompanied by its payload's line and kind
            if (word_valid_reg) ref_payload: assert (word_line_reg == line_ref && exact_reg == exact_ref);
            // lengths are found in order and in their places
            if (word_valid_reg && fresh_reg && known_ref)
                ref_place: assert (place_reg == known_to_ref && here_reg == (known_to_ref < K));
            if (!word_valid_reg && (!inside_ref || known))
                ref_next: assert (place_reg == place && here_reg == (place < K));
            if (word_valid_reg && todo_ref != 0) begin
                ref_here: assert (here_reg && now == 1'b1 << lane);
                // a word takes another look only for another length, or for a message that ends with the payload
                ref_again: assert (again == ((now & more_ref) != 0));
            end
            // a look has a length, begins a message and ends one according to the bytes
            if (look_valid_reg) begin
                ref_block: assert (block == look_block_ref);
                ref_begins: assert (begins == look_begins_ref);
                ref_ends: assert (ended == look_ends_ref);
            end
            // the first number is that of the header
            if (open_reg && first_reg && inside_ref && words_ref == HEADER_WORDS)
                ref_first: assert (number_reg == head_ref[HEADER_W-81 -: 64]);
            // messages still to begin are counted
            if (counts_ref) ref_count: assert (count_reg == count_ref);
            // a message is output after the look at its end
            ref_ended: assert (evt_message == ended_ref);
            // only complete items are output
            if (m_axis_tvalid) ref_whole: assert (out_ref != items_ref);
            // they are output in order, with session, line and number, and with their bytes
            if (m_axis_tvalid && out_ref == watch) begin
                ref_user: assert ({m_axis_tuser[146:67], m_axis_tuser[2:1]} == {w_user_ref[145:66], w_user_ref[1:0]});
                ref_number: assert (m_axis_tuser[66:3] == (w_first_ref ? w_user_ref[65:2] : number_ref + 1'b1));
                ref_keep: assert (m_axis_tkeep == (w_length_ref > MESSAGE_BYTES ? {MESSAGE_BYTES{1'b0}}
                                                   : ~({MESSAGE_BYTES{1'b1}} << w_length_ref)));
                if (m_axis_tkeep[0] && w_place < w_length_ref)
                    ref_data: assert (watched_byte[7:0] == w_byte_ref);
            end
            // every payload gets its verdict, when it is due
            ref_verdict: assert (events == events_ref);
            // nothing is lost
            if (idle_ref > 6) ref_lost: assert (out_ref == items_ref);
            // a word waits for at most 3 looks, a byte for none
            ref_rate: assert (stuck_ref < 4);
            if (K == 1) assert (load == step);
        end
        cover (past_valid && gone && out_ref == 1 && m_axis_tkeep[0]);
        cover (past_valid && evt_overlong);
        cover (past_valid && evt_datagram);
        cover (past_valid && evt_trailing);
        cover (past_valid && evt_truncated);
        cover (past_valid && evt_empty);
        if (NOTICES != 0) cover (past_valid && evt_end && m_axis_tvalid);
    end
`endif

endmodule

`default_nettype wire
