// SPDX-License-Identifier: Apache-2.0
//
// ws_tuple_rx: UDP payloads in the tuple datagram format to tuples, punctuations and session starts.
//
// The whole header and the sequence number are checked before the first record is output; a datagram is delivered whole
// or not at all. docs/wire-format.md has the format and the rules. A 64-bit word holds
//
//     byte      0    1    2        3      4   5   6   7
//     word 0   "W"  "S"  version  flags   session
//     word 1   stream    count            sequence number
//
// An item is output on m_data (first byte on the wire in the most significant bits) with its m_kind: 0 a tuple, 1 a
// punctuation, 2 the start of a session (m_data is undefined). With several streams, m_stream is the stream of the
// tuple or punctuation. A session spans all streams; within it, each stream has its own sequence numbers.
//
// Every datagram is counted once, by evt_accepted or by the first of these verdicts that applies:
//   evt_bad_header     shorter than a header, or wrong magic, version or flags
//   evt_wrong_stream   not in STREAM_ID
//   evt_bad_length     not 16 + count * bytes of the stream's record, or PUNCT without a record
//   evt_wrong_session  neither the current session nor a START of one that is not the previous
//   evt_repeat         one of the stream's last 64 sequence numbers, received before
//   evt_stale          older than those
// In addition: evt_session (a session began), evt_reordered (accepted late, within the last 64), evt_gap (a pulse for
// every number skipped; up to 2**32 - 1 pulses wait and are output one a cycle), evt_tuple (a tuple was output).
//
// Parameters   DATA_W        width of the payload stream in bits: 8 or 64
//              N             streams, at least 1
//              RECORD_BYTES  bytes of the longest record, a multiple of 8, at least 8; a shorter one has the low bits
//                            of m_data
//              EACH_BYTES    bytes of the streams' records, each a multiple of 8 up to RECORD_BYTES; 16 bits a stream,
//                            stream 0 in the low bits; default: RECORD_BYTES for each
//              STREAM_ID     numbers of the streams, 16 bits each, stream 0 in the low bits
// Latency      4 cycles from the last word of a record on s_axis to m_valid; a session start is output 4 cycles after
//              the last word of its header
// Issue rate   1 word a cycle, headers included; s_axis_tready falls only after m_ready did
// Overflow     a sink that stalls pushes back
// Bad input    counted as above. Payloads must be good: a frame FIFO precedes this core; the payload length in
//              s_axis_tuser[16:1] must be the actual one. After a reset the stream must begin with a new payload
// Source       docs/wire-format.md; serial numbers as in RFC 1982

`default_nettype none

module ws_tuple_rx #(
    parameter            DATA_W       = 8,
    parameter            N            = 1,
    parameter            RECORD_BYTES = 16,
    parameter [16*N-1:0] EACH_BYTES   = {N{RECORD_BYTES[15:0]}},
    parameter [16*N-1:0] STREAM_ID    = 1
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire [DATA_W-1:0]         s_axis_tdata,
    input  wire [DATA_W/8-1:0]       s_axis_tkeep,
    input  wire                      s_axis_tvalid,
    output wire                      s_axis_tready,
    input  wire                      s_axis_tlast,
    input  wire [112:0]              s_axis_tuser,

    output reg                       m_valid,
    input  wire                      m_ready,
    output reg  [RECORD_BYTES*8-1:0] m_data,
    output reg  [1:0]                m_kind,
    output reg  [(N > 1 ? $clog2(N) : 1)-1:0] m_stream,

    output reg                       evt_accepted,
    output reg                       evt_bad_header,
    output reg                       evt_wrong_stream,
    output reg                       evt_bad_length,
    output reg                       evt_wrong_session,
    output reg                       evt_repeat,
    output reg                       evt_stale,
    output reg                       evt_reordered,
    output reg                       evt_gap,
    output reg                       evt_session,
    output reg                       evt_tuple
);

    initial if (N < 1) begin
        $display("ERROR: %m: N = %0d (at least 1)", N);
        $finish;
    end

    localparam [1:0]  KIND_TUPLE = 2'd0, KIND_PUNCT = 2'd1, KIND_START = 2'd2;
    localparam [31:0] MAGIC_VERSION_FLAGS = 32'h57530100;
    localparam        FLAG_START = 0, FLAG_PUNCT = 1;

    localparam RECORD_W     = RECORD_BYTES * 8;
    localparam WORD_BYTES   = DATA_W / 8;
    localparam HEADER_BYTES = 16;
    localparam HEADER_WORDS = HEADER_BYTES / WORD_BYTES;
    localparam RECORD_WORDS = RECORD_BYTES / WORD_BYTES;
    localparam HEADER_LAST  = HEADER_WORDS - 1;
    localparam LENGTH_W     = 17 + $clog2(RECORD_BYTES);   // of 16 + count * RECORD_BYTES
    localparam WORD_W       = $clog2(HEADER_WORDS > RECORD_WORDS ? HEADER_WORDS : RECORD_WORDS);
    localparam STREAM_W     = N > 1 ? $clog2(N) : 1;

    // Bytes of stream `index`'s record, and the index of its last word.
    function [LENGTH_W-1:0] bytes_of(input integer index);
        bytes_of = {{LENGTH_W-16{1'b0}}, EACH_BYTES[16*index +: 16]};
    endfunction

    function [WORD_W-1:0] last_of(input integer index);
        /* verilator lint_off WIDTHTRUNC */
        last_of = {16'd0, EACH_BYTES[16*index +: 16]} / WORD_BYTES - 1;
        /* verilator lint_on WIDTHTRUNC */
    endfunction

    integer check;
    initial begin
        if (DATA_W != 8 && DATA_W != 64) begin
            $display("ERROR: %m: DATA_W = %0d, must be 8 or 64", DATA_W);
            $finish;
        end
        if (RECORD_BYTES < 8 || RECORD_BYTES % 8 != 0) begin
            $display("ERROR: %m: RECORD_BYTES = %0d, must be a multiple of 8", RECORD_BYTES);
            $finish;
        end
        for (check = 0; check < N; check = check + 1)
            if (EACH_BYTES[16*check +: 16] < 8 || EACH_BYTES[16*check +: 16] % 8 != 0
                || {16'd0, EACH_BYTES[16*check +: 16]} > RECORD_BYTES) begin
                $display("ERROR: %m: EACH_BYTES has %0d, must be a multiple of 8, at most RECORD_BYTES = %0d",
                         EACH_BYTES[16*check +: 16], RECORD_BYTES);
                $finish;
            end
    end

    // All stages below advance when, and only when, the output is free: one enable for all.
    wire step = !m_valid || m_ready;

    // Stage 1: input register slice.
    wire              in_valid, in_last;
    wire [15:0]       in_length;
    wire [DATA_W-1:0] in_data;
    wire              beat = in_valid && step;

    ws_skid_buffer #(.DATA_W(DATA_W + 17)) in_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready),
        .s_data ({s_axis_tuser[16:1], s_axis_tlast, s_axis_tdata}),
        .m_valid(in_valid),
        .m_ready(step),
        .m_data ({in_length, in_last, in_data})
    );

    // Stage 2: divides the payload into header and records.
    reg  [WORD_W-1:0] word_reg;         // within the header or the record
    reg               in_records_reg;
    reg  [127:0]      header_reg;       // the latest bytes, the first in the most significant bits
    reg  [DATA_W-1:0] in_word;          // in_data, the first byte in the most significant bits
    wire [WORD_W-1:0] record_last;      // index of a record's last word
    integer           i;

    always @*
        for (i = 0; i < WORD_BYTES; i = i + 1)
            in_word[8*i +: 8] = in_data[8*(WORD_BYTES-1-i) +: 8];

    wire word_last   = word_reg == (in_records_reg ? record_last : HEADER_LAST[WORD_W-1:0]);
    wire header_done = beat && !in_records_reg && (word_last || in_last);

    always @(posedge clk) begin
        if (beat) begin
            header_reg     <= header[127:0];
            word_reg       <= word_last || in_last ? {WORD_W{1'b0}} : word_reg + 1'b1;
            in_records_reg <= !in_last && (in_records_reg || word_last);
        end
        if (rst) begin
            word_reg       <= {WORD_W{1'b0}};
            in_records_reg <= 1'b0;
        end
    end

    // Stage 3: compares the header with the state. A header shorter than 16 bytes is bad, so it does not matter that
    // its bytes are in other positions of the register.
    wire [127+DATA_W:0] header     = {header_reg, in_word};
    wire [31:0]         h_fixed    = header[127:96];
    wire [31:0]         h_session  = header[95:64];
    wire [15:0]         h_stream   = header[63:48];
    wire [15:0]         h_count    = header[47:32];
    wire [31:0]         h_sequence = header[31:0];

    // The state: the sessions, and the next sequence number of each stream.
    reg            session_valid_reg, previous_valid_reg;
    reg [31:0]     session_reg, previous_reg;
    reg [32*N-1:0] next_reg;

    reg                  header_valid_reg;     // the registers below hold a header
    reg                  start_reg, punct_reg;
    reg                  header_good_reg, punct_good_reg;
    reg [N-1:0]          stream_reg;           // one-hot, or 0 for an unknown stream
    reg [LENGTH_W*N-1:0] expected_reg;         // length in bytes, if it belongs to this stream
    reg [15:0]           length_reg;
    reg                  is_current_reg, is_previous_reg;
    reg [31:0]           header_session_reg, sequence_reg;
    reg [32*N-1:0]       ahead_reg;            // distance from the next number of this stream

    genvar g;
    generate
        for (g = 0; g < N; g = g + 1) begin : gen_header
            always @(posedge clk) if (step) begin
                stream_reg[g]                        <= h_stream == STREAM_ID[16*g +: 16];
                expected_reg[LENGTH_W*g +: LENGTH_W] <= {{LENGTH_W-16{1'b0}}, h_count} * bytes_of(g)
                                                        + HEADER_BYTES[LENGTH_W-1:0];
                ahead_reg[32*g +: 32]                <= h_sequence - next_reg[32*g +: 32];
            end
        end

        if (N == 1) begin : gen_one
            assign record_last = last_of(0);
        end else begin : gen_several
            reg [WORD_W-1:0] last_reg;
            integer          n;
            always @(posedge clk)
                if (header_done)
                    for (n = 0; n < N; n = n + 1) if (h_stream == STREAM_ID[16*n +: 16]) last_reg <= last_of(n);
            assign record_last = last_reg;
        end
    endgenerate

    always @(posedge clk) begin
        if (step) begin
            start_reg          <= h_fixed[FLAG_START];
            punct_reg          <= h_fixed[FLAG_PUNCT];
            header_good_reg    <= {h_fixed[31:2], 2'b00} == MAGIC_VERSION_FLAGS && in_length >= 16'd16;
            punct_good_reg     <= !h_fixed[FLAG_PUNCT] || h_count != 16'd0;
            length_reg         <= in_length;
            is_current_reg     <= session_valid_reg && h_session == session_reg;
            is_previous_reg    <= previous_valid_reg && h_session == previous_reg;
            header_session_reg <= h_session;
            sequence_reg       <= h_sequence;
            header_valid_reg   <= header_done;
        end
        if (rst) header_valid_reg <= 1'b0;
    end

    // Stage 4: session and sequence number. A new session begins with number 0. The next header is compared in the
    // following cycle at the earliest, unless it is too short to be good.
    reg         fits;
    reg  [31:0] ahead_of;                      // distance from the next number
    reg  [STREAM_W-1:0] index;                 // of the stream
    integer     n;

    always @* begin
        fits     = 1'b0;
        ahead_of = 32'd0;
        index    = {STREAM_W{1'b0}};
        for (n = 0; n < N; n = n + 1)
            if (stream_reg[n] || N == 1) begin
                fits     = fits | expected_reg[LENGTH_W*n +: LENGTH_W] == {{LENGTH_W-16{1'b0}}, length_reg};
                ahead_of = ahead_of | ahead_reg[32*n +: 32];
                index    = index | n[STREAM_W-1:0];
            end
    end

    wire        stream_good = |stream_reg;
    wire        length_good = fits && punct_good_reg;
    wire        format_good = header_valid_reg && header_good_reg && stream_good && length_good;
    wire        begins      = start_reg && !is_current_reg && !is_previous_reg;
    wire        numbered    = format_good && (is_current_reg || begins);   // its sequence number counts
    wire [31:0] ahead       = begins ? sequence_reg : ahead_of;

    reg        judged_reg;                     // the registers below belong to a datagram
    reg        bad_header_reg, wrong_stream_reg, bad_length_reg, wrong_session_reg;
    reg        begins_reg, numbered_reg, newer_reg, last_punct_reg;
    reg [31:0] distance_reg;                   // from the number that was next
    reg [N-1:0]          of_reg;               // the stream, like stream_reg
    reg [STREAM_W-1:0]   index_reg;

    always @(posedge clk) begin
        if (step) begin
            of_reg            <= stream_reg;
            index_reg         <= index;
            judged_reg        <= header_valid_reg;
            bad_header_reg    <= !header_good_reg;
            wrong_stream_reg  <= header_good_reg && !stream_good;
            bad_length_reg    <= header_good_reg && stream_good && !length_good;
            wrong_session_reg <= header_good_reg && stream_good && length_good && !is_current_reg && !begins;
            begins_reg        <= format_good && begins;
            numbered_reg      <= numbered;
            newer_reg         <= numbered && !ahead[31];
            last_punct_reg    <= punct_reg;
            distance_reg      <= ahead;
            if (format_good && begins) begin
                session_reg        <= header_session_reg;
                session_valid_reg  <= 1'b1;
                previous_reg       <= session_reg;
                previous_valid_reg <= session_valid_reg;
            end
        end
        if (rst) begin
            judged_reg         <= 1'b0;
            begins_reg         <= 1'b0;
            numbered_reg       <= 1'b0;
            newer_reg          <= 1'b0;
            session_valid_reg  <= 1'b0;
            previous_valid_reg <= 1'b0;
        end
    end

    generate
        for (g = 0; g < N; g = g + 1) begin : gen_next
            always @(posedge clk) if (step) begin
                if (numbered && !ahead[31] && (stream_reg[g] || N == 1)) next_reg[32*g +: 32] <= sequence_reg + 32'd1;
                else if (numbered && begins) next_reg[32*g +: 32] <= 32'd0;
            end
        end
    endgenerate

    // Stage 5: the verdict. Bit i of a stream's `seen_reg` is set if the number i below its newest was received, or is
    // below the session's first. It shifts up by distance + 1: here by a multiple of 8, in stage 6 by the rest.
    reg  [64*N-1:0] seen_reg;
    reg             seen;                                 // this number was received before
    integer         m;
    wire [5:0]      below    = ~distance_reg[5:0];        // positions below the newest
    wire            recent   = &distance_reg[31:6];       // one of the last 64
    wire            unseen   = numbered_reg && recent && !seen;
    wire            accepted = newer_reg || unseen;
    wire            far      = |distance_reg[30:6];

    always @* begin
        seen = begins_reg;
        for (m = 0; m < N; m = m + 1)
            if ((of_reg[m] || N == 1) && seen_reg[64*m + {26'd0, below}]) seen = 1'b1;
    end

    reg                deliver_reg, punct_last_reg;       // of the records that follow
    reg [STREAM_W-1:0] stream_index_reg;
    reg [N-1:0]        moves_reg, unseen_reg;
    reg [5:0]          below_reg;

    generate
        for (g = 0; g < N; g = g + 1) begin : gen_seen
            wire [63:0] begun = seen_reg[64*g +: 64] | {64{begins_reg}};
            wire        here  = of_reg[g] || N == 1;

            always @(posedge clk) begin
                if (step) begin
                    moves_reg[g]  <= newer_reg && here;
                    unseen_reg[g] <= unseen && here;
                    // Stage 6 has precedence: a datagram that is here immediately after it is too short to be good.
                    if (moves_reg[g])
                        seen_reg[64*g +: 64] <= {seen_reg[64*g +: 63], 1'b0} << ~below_reg[2:0] | 64'd1;
                    else if (unseen_reg[g]) seen_reg[64*g + {26'd0, below_reg}] <= 1'b1;
                    else if (newer_reg && here)
                        seen_reg[64*g +: 64] <= far ? 64'd0 : begun << {distance_reg[5:3], 3'd0};
                    else seen_reg[64*g +: 64] <= begun;
                end
                if (rst) begin
                    moves_reg[g]  <= 1'b0;
                    unseen_reg[g] <= 1'b0;
                end
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (step) begin
            below_reg <= below;
            if (judged_reg) begin
                deliver_reg      <= accepted;
                punct_last_reg   <= last_punct_reg;
                stream_index_reg <= index_reg;
            end
        end
    end

    // Meanwhile the words wait for the verdict; the last of each record is marked.
    reg [DATA_W-1:0] wait1_word_reg, wait2_word_reg;
    reg              wait1_valid_reg, wait2_valid_reg;
    reg              wait1_record_reg, wait2_record_reg;
    reg              wait1_last_reg, wait2_last_reg;

    always @(posedge clk) begin
        if (step) begin
            wait1_word_reg   <= in_word;
            wait1_valid_reg  <= beat;
            wait1_record_reg <= beat && in_records_reg && word_last;
            wait1_last_reg   <= in_last;
            wait2_word_reg   <= wait1_word_reg;
            wait2_valid_reg  <= wait1_valid_reg;
            wait2_record_reg <= wait1_record_reg;
            wait2_last_reg   <= wait1_last_reg;
        end
        if (rst) begin
            wait1_record_reg <= 1'b0;
            wait2_record_reg <= 1'b0;
        end
    end

    // Stage 6: output. A session start replaces its header's last word, so it takes no cycle of its own.
    reg  [RECORD_W-1:0]        shift_reg;
    wire [RECORD_W+DATA_W-1:0] shifted = {shift_reg, wait2_word_reg};

    always @(posedge clk) begin
        if (step) begin
            if (wait2_valid_reg) shift_reg <= shifted[RECORD_W-1:0];
            m_valid <= begins_reg || (wait2_record_reg && deliver_reg);
            m_kind  <= begins_reg ? KIND_START : wait2_last_reg && punct_last_reg ? KIND_PUNCT : KIND_TUPLE;
            m_data  <= shifted[RECORD_W-1:0];
            m_stream <= stream_index_reg;
        end
        if (rst) m_valid <= 1'b0;
    end

    // Events. Skipped numbers are counted in `missing_reg`. In a cycle that adds none, one is output: the sum's carry
    // shows that the count was not 0. The sum saturates.
    wire        verdict = judged_reg && step;
    reg  [31:0] missing_reg, skipped_reg;
    reg         skips_reg;
    wire [31:0] missing_sum;
    wire        missing_carry;
    assign      {missing_carry, missing_sum} = {1'b0, missing_reg} + {1'b0, skips_reg ? skipped_reg : 32'hFFFFFFFF};

    always @(posedge clk) begin
        evt_accepted      <= verdict && accepted;
        evt_bad_header    <= verdict && bad_header_reg;
        evt_wrong_stream  <= verdict && wrong_stream_reg;
        evt_bad_length    <= verdict && bad_length_reg;
        evt_wrong_session <= verdict && wrong_session_reg;
        evt_repeat        <= verdict && numbered_reg && recent && seen;
        evt_stale         <= verdict && numbered_reg && distance_reg[31] && !recent;
        evt_reordered     <= verdict && unseen;
        evt_session       <= verdict && begins_reg;
        evt_tuple         <= m_valid && m_ready && m_kind == KIND_TUPLE;
        evt_gap           <= missing_carry && !skips_reg;

        skips_reg   <= verdict && newer_reg;
        skipped_reg <= distance_reg;
        missing_reg <= missing_carry == skips_reg ? {32{skips_reg}} : missing_sum;

        if (rst) begin
            evt_accepted      <= 1'b0;
            evt_bad_header    <= 1'b0;
            evt_wrong_stream  <= 1'b0;
            evt_bad_length    <= 1'b0;
            evt_wrong_session <= 1'b0;
            evt_repeat        <= 1'b0;
            evt_stale         <= 1'b0;
            evt_reordered     <= 1'b0;
            evt_session       <= 1'b0;
            evt_tuple         <= 1'b0;
            evt_gap           <= 1'b0;
            skips_reg         <= 1'b0;
            missing_reg       <= 32'd0;
        end
    end

`ifdef FORMAL
    // An item is a packet of one beat.
    ws_axis_rules #(.DATA_W(RECORD_W), .USER_W(2), .PACKETS(1)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_data), .tkeep({RECORD_BYTES{1'b1}}), .tvalid(m_valid), .tready(m_ready), .tlast(1'b1), .tuser(m_kind)
    );
`endif

endmodule

`default_nettype wire
