// SPDX-License-Identifier: Apache-2.0
//
// ws_moldudp64: UDP payloads of MoldUDP64 to messages, each a packet of one beat with its session, number and line.
//
//     Session 10   Sequence Number 8, of the first message   Message Count 2   | Length 2   message |...
//
// A count of 0 is a heartbeat, 65535 the end of the session; their number is that of the message that comes next.
// Messages leave as they come, before the end of the payload is there; one whose block does not fit in what is left of
// the payload does not begin. m_axis_tuser: [0] 0, [1] notice, [2] line, [66:3] number, [146:67] session, first byte on
// top. The line is the lowest bit of the port's index in s_axis_tuser[116:113]: port 0 is line A, port 1 line B.
//
// Every payload is counted once:
//   evt_datagram        all its messages are there
//   evt_heartbeat, evt_end   with NOTICES an empty packet with the notice bit leaves for it
//   evt_bad_header      shorter than the header
//   evt_empty           has a block of length 0
//   evt_truncated       a block goes beyond the payload's end, or the payload has fewer blocks than its count
//   evt_trailing        has bytes behind the last block, or behind the header of a heartbeat or an end
// What precedes the fault has left, what follows it is skipped. Besides: evt_message, a message leaves; evt_overlong,
// it was longer than MESSAGE_BYTES and leaves as an empty packet, so that its number is not missing.
//
// Parameters   DATA_W         width of the payload stream in bits: 8 or 64
//              MESSAGE_BYTES  longest message that is kept: a multiple of DATA_W / 8, 2 to 64 of those
//              NOTICES        1: heartbeats and ends leave as notices, as ws_line_arbiter wants them; 0: counted only
// Latency      4 cycles from the word with a message's last byte; 5 if the end of its length is in that word too
// Issue rate   1 word a cycle for messages of at least 6 bytes; a word in which one of fewer bytes ends before another
//              begins takes a cycle for each. s_axis_tready falls for that, for a cycle at the end of a payload whose
//              last word has the whole of its last message and the end of its length, and after m_axis_tready did
// Overflow     a sink that stalls pushes back
// Bad input    counted as above. Payloads must be good ones: a frame FIFO stands before this core; the payload length
//              in s_axis_tuser[16:1] is what arrives
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

    localparam K            = DATA_W / 8;                   // bytes of a word
    localparam WORDS        = MESSAGE_BYTES / K;            // of the longest message
    localparam LANE_W       = K > 1 ? $clog2(K) : 1;
    localparam HEADER       = 20;                           // bytes
    localparam HEADER_WORDS = (HEADER + K - 1) / K;
    localparam HEADER_LAST  = HEADER_WORDS - 1;
    localparam HEADER_W     = 8 * K * HEADER_WORDS;
    localparam FIRST        = HEADER + 1;                   // place of the first length's second byte

    initial if ((DATA_W != 8 && DATA_W != 64) || MESSAGE_BYTES % K != 0 || WORDS < 2 || WORDS > 64) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), MESSAGE_BYTES = %0d (a multiple of DATA_W / 8, 2 to 64 of those)",
                 DATA_W, MESSAGE_BYTES);
        $finish;
    end

    // Every stage below moves when the output is free, and only then; the first two wait besides while the word in
    // stage 2 is looked at again.
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
    // there. Where the next one would be if one were here is worked out for every place while the word is loaded; what
    // is left to do in a cycle is to choose.
    reg               word_valid_reg, word_last_reg, word_line_reg;
    reg               fresh_reg;                // the word is looked at for the first time
    reg  [DATA_W-1:0] word_reg;
    reg  [7:0]        before_reg;               // the byte before it
    reg               inside_reg;               // the word that comes is not a payload's first
    reg               exact_reg;                // the payload is a header and nothing else
    reg  [16:0]       left_reg;                 // bytes of the payload from this word on
    reg  [4:0]        words_reg;                // of the header before this one; HEADER_WORDS: all
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
            within_q[q]        = block_q != 16'd0 && q + 2 < K && block_q < (K[15:0] - 16'd2 - q[15:0]);
            ends_q[q]          = block_q != 16'd0 && block_q < (K[15:0] - q[15:0]);
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

    reg  [16:0]       place_reg;                // of the next length in or behind this word
    reg               here_reg;                 // in it
    wire [LANE_W-1:0] lane  = K > 1 ? place_reg[LANE_W-1:0] : {LANE_W{1'b0}};
    wire [DATA_W+7:0] bytes = {word_reg, before_reg};
    wire [16:0]       next  = next_reg[17*lane +: 17];

    assign again = word_valid_reg && here_reg && (within_reg[lane] || (word_last_reg && ends_reg[lane]));

    // A message that ends in this word is followed at K + 1 at the latest: adding K to `next` flips a bit.
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

    // Stage 3: a look at a word, and the one before it.
    reg                look_valid_reg, look_last_reg, look_here_reg, look_line_reg, look_exact_reg;
    reg                look_header_reg;         // the header ends in it
    reg                look_ends_reg;           // the message that came to it ends in it
    reg [LANE_W-1:0]   look_lane_reg;
    reg [15:0]         look_block_reg;          // the length
    reg [16:0]         look_room_reg;           // bytes of the payload behind it; negative: it is not whole
    reg [2*DATA_W-1:0] look_bytes_reg;          // the previous look's word and this one
    reg [HEADER_W-1:0] header_reg;              // first byte on top
    reg [DATA_W-1:0]   turned;                  // word_reg, first byte on top
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
            look_block_reg  <= {bytes[8*lane +: 8], bytes[8*lane+8 +: 8]};
            look_room_reg   <= left_reg - {{17-LANE_W{1'b0}}, lane} - 17'd1;
            if (fresh_reg && words_reg != HEADER_WORDS[4:0]) header_reg <= {header_reg[HEADER_W-DATA_W-1:0], turned};
        end
        if (rst) look_valid_reg <= 1'b0;
    end

    // Stage 4, the verdicts. `open` is a payload whose header is there and that has not been judged.
    wire [79:0] h_session = header_reg[HEADER_W-1 -: 80];
    wire [63:0] h_number  = header_reg[HEADER_W-81 -: 64];
    wire [15:0] h_count   = header_reg[HEADER_W-145 -: 16];

    reg         open_reg, headed_reg;
    reg  [15:0] count_reg;                      // messages that are to begin
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
        evt_heartbeat  <= look && notice && look_exact_reg && h_count == 16'd0;
        evt_end        <= look && notice && look_exact_reg && h_count != 16'd0;
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

    // Stage 4, the message. It begins behind its length in the previous look's word and is shifted to begin with a word
    // of its own. The word behind that is written too: if the message ends now, it is its last.
    reg                       message_reg;      // one is on its way
    reg                       first_reg;        // and none of its payload began before it
    reg  [LANE_W-1:0]         lane_reg;         // of its length's second byte
    reg  [15:0]               block_reg;        // its length
    reg  [WORDS-1:0]          at_reg;           // its word that comes, one-hot
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
                else if (i > 0 && at_reg[i > 0 ? i-1 : 0]) data_reg[DATA_W*i +: DATA_W] <= shifted[2*DATA_W-1:DATA_W];
                else if (at_reg[0]) data_reg[DATA_W*i +: DATA_W] <= {DATA_W{1'b0}};
        end
        if (rst) message_reg <= 1'b0;
    end

    // Out: the registers of stage 4 in the cycle in which they are whole, what belongs to the message saved from the
    // next one.
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
                m_axis_tkeep[i] <= !notice && !overlong && {16'd0, block_reg} > i;
        end
        evt_message  <= look && ended;
        evt_overlong <= look && ended && overlong;
        if (rst) begin
            m_axis_tvalid <= 1'b0;
            evt_message   <= 1'b0;
            evt_overlong  <= 1'b0;
        end
    end

endmodule

`default_nettype wire
