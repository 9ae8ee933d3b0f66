// SPDX-License-Identifier: Apache-2.0
//
// ws_host_requests: reads the payloads of datagrams from the host's memory, as requests name them.
//
// A request is the address and the length of one payload. Requests are carried out in turn; as many are in flight as
// the payload buffer has room for. A payload is output when all of it is here, and only if the memory reported no
// error.
//
//   request ──▶ queue ──▶ check ──▶ (ws_axi_reader) ──▶ buffer ──▶ m_axis
//                                       AR, R                       tuser: {0, length, 0}
//
// Parameters   DATA_W     width of the memory port in bits, a power of two, 64 to 1024
//              ADDR_W     width of a byte address in bits, 13 to 64
//              QUERY_W    width of m_axis_tdata in bits, 8 or 64
//              QUEUE_W    2**QUEUE_W requests wait at most, 2 to 8
//              MAX_BYTES  longest payload in bytes, 64 to 16384; the buffer holds at least two
//              BURST      maximum number of beats of a burst, see ws_axi_reader
//              READ_W     2**READ_W beats at most are in flight, at least 2; at least 2 * BURST
// Ports        request_*  a request: its address, of a beat of memory, and bytes
//              enable     requests may be begun
//              stop       drops the requests that wait, begins none and no burst; a payload that is not complete is
//                         dropped. Until `idle`; then clear, for one cycle
//              done       the request's memory is no longer needed, or it has failed: done_bad: its address is not that
//                         of a beat, or its bytes are 0 or more than MAX_BYTES; done_error: the memory reported an
//                         error
//              r_error    this beat came with SLVERR or DECERR
//              m_axis_*   payloads; tuser as in ws_udp_ip_stack: the length in bits 16:1, the others 0
// Latency      7 cycles from request_valid to ar_valid, if none waits. From a payload's last beat to `done` 6 + its
//              words in that beat, to its first word on m_axis 9 + these words, if no other words wait
// Issue rate   1 word of QUERY_W per cycle, or 1 beat of DATA_W if that is less
// Overflow     request_ready goes low; a query that stalls holds up the requests, and nothing is lost
// Bad input    a request that fails has no payload; the next ones are carried out
// Source       ours

`default_nettype none

module ws_host_requests #(
    parameter DATA_W    = 128,
    parameter ADDR_W    = 32,
    parameter QUERY_W   = 8,
    parameter QUEUE_W   = 3,
    parameter MAX_BYTES = 2048,
    parameter BURST     = 16,
    parameter READ_W    = 6
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 request_valid,
    output wire                 request_ready,
    input  wire [ADDR_W-1:0]    request_address,
    input  wire [31:0]          request_bytes,
    input  wire                 enable,
    input  wire                 stop,
    input  wire                 clear,
    output wire                 idle,
    output reg                  done,
    output reg                  done_bad,
    output reg                  done_error,

    output wire                 ar_valid,
    input  wire                 ar_ready,
    output wire [ADDR_W-1:0]    ar_addr,
    output wire [7:0]           ar_len,

    input  wire                 r_valid,
    input  wire [DATA_W-1:0]    r_data,
    input  wire                 r_error,

    output wire [QUERY_W-1:0]   m_axis_tdata,
    output wire [QUERY_W/8-1:0] m_axis_tkeep,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,
    output wire                 m_axis_tlast,
    output wire [112:0]         m_axis_tuser
);

    initial if (DATA_W < 64 || DATA_W > 1024 || DATA_W != 1 << $clog2(DATA_W) || ADDR_W < 13 || ADDR_W > 64
                || (QUERY_W != 8 && QUERY_W != 64)) begin
        $display("ERROR: %m: DATA_W = %0d (a power of two, 64 to 1024), ADDR_W = %0d (13 to 64), ", DATA_W, ADDR_W,
                 "QUERY_W = %0d (8 or 64)", QUERY_W);
        $finish;
    end

    initial if (QUEUE_W < 2 || QUEUE_W > 8 || MAX_BYTES < 64 || MAX_BYTES > 16384 || READ_W < 2 || 1 << READ_W < 2 * BURST) begin
        $display("ERROR: %m: QUEUE_W = %0d (2 to 8), MAX_BYTES = %0d (64 to 16384), READ_W = %0d (at least 2 * BURST = %0d beats)",
                 QUEUE_W, MAX_BYTES, READ_W, 2 * BURST);
        $finish;
    end

    localparam BYTES_W  = $clog2(DATA_W / 8);
    localparam KEEP_W   = QUERY_W / 8;
    localparam LANE_W   = $clog2(KEEP_W);                           // 0 or 3
    localparam LENGTH_W = $clog2(MAX_BYTES + 1);
    localparam COUNT_W  = LENGTH_W - LANE_W;                        // of words of a payload
    localparam WORDS_W  = $clog2((MAX_BYTES + KEEP_W - 1) / KEEP_W) + 1;    // the buffer has 2**WORDS_W words
    localparam FRAMES_W = 4;                                        // and 2**FRAMES_W payloads
    localparam [31:0]         LONGEST = MAX_BYTES, LANES = KEEP_W - 1;
    localparam [WORDS_W:0]    PLACES  = 1 << WORDS_W;
    localparam [FRAMES_W:0]   PAYLOADS = (1 << FRAMES_W) - 1;

    // ---- Requests that wait

    wire               next_valid, next_ready;
    wire [ADDR_W-1:0]  next_address;
    wire [31:0]        next_bytes;
    wire [QUEUE_W:0]   waiting;
    wire               queue_ready;

    assign request_ready = queue_ready && !stop;

    ws_sync_fifo #(.DATA_W(ADDR_W + 32), .ADDR_W(QUEUE_W), .STYLE("distributed")) queue (
        .clk(clk), .rst(rst || clear),
        .s_valid(request_valid && !stop), .s_ready(queue_ready), .s_data({request_address, request_bytes}),
        .m_valid(next_valid), .m_ready(next_ready), .m_data({next_address, next_bytes}),
        .level(waiting)
    );

    // ---- Check; a bad request is done when those before it are

    localparam [1:0] STATE_IDLE = 2'd0, STATE_CHECK = 2'd1, STATE_BAD = 2'd2, STATE_ORDER = 2'd3;

    reg  [1:0]           state_reg;
    reg  [ADDR_W-1:0]    address_reg;
    reg  [LENGTH_W-1:0]  length_reg;
    reg                  bad_reg, room_reg;
    reg  [WORDS_W:0]     reserved_reg;          // words ordered that are not in the buffer
    reg  [WORDS_W:0]     stored_reg;            // words in the buffer, with their whole payload
    reg  [FRAMES_W:0]    frames_reg;            // payloads ordered and not output
    reg  [FRAMES_W:0]    flying_reg;            // payloads ordered and not in the buffer
    wire                 order_valid, order_ready;
    wire [LENGTH_W-1:0]  rounded = (length_reg + LANES[LENGTH_W-1:0]) >> LANE_W;
    wire [COUNT_W-1:0]   words   = rounded[COUNT_W-1:0];
    wire [WORDS_W:0]     words_wide = {{(WORDS_W+1-COUNT_W){1'b0}}, words};
    wire                 order   = order_valid && order_ready;
    wire                 put, last, failed, drop;
    wire [LENGTH_W-1:0]  put_length;
    wire [LENGTH_W-1:0]  put_rounded = (put_length + LANES[LENGTH_W-1:0]) >> LANE_W;
    wire [WORDS_W:0]     put_words   = {{(WORDS_W+1-COUNT_W){1'b0}}, put_rounded[COUNT_W-1:0]};
    wire                 out     = m_axis_tvalid && m_axis_tready;

    assign next_ready  = state_reg == STATE_IDLE && enable && !stop;
    assign order_valid = state_reg == STATE_ORDER && room_reg && !stop;

    always @(posedge clk) begin
        case (state_reg)
            STATE_IDLE: if (next_valid && next_ready) state_reg <= STATE_CHECK;
            STATE_CHECK: state_reg <= bad_reg ? STATE_BAD : STATE_ORDER;
            STATE_BAD: if (flying_reg == 0) state_reg <= STATE_IDLE;
            default: if (order) state_reg <= STATE_IDLE;
        endcase
        if (next_valid && next_ready) begin
            address_reg <= next_address;
            length_reg  <= next_bytes[LENGTH_W-1:0];
            bad_reg     <= next_address[BYTES_W-1:0] != 0 || next_bytes == 0 || next_bytes > LONGEST;
        end
        room_reg <= state_reg == STATE_ORDER && !order && frames_reg < PAYLOADS
                 && reserved_reg + stored_reg + words_wide <= PLACES;
        reserved_reg <= reserved_reg + (words_wide & {WORDS_W+1{order}}) - (put_words & {WORDS_W+1{put && last}});
        stored_reg   <= stored_reg + (put_words & {WORDS_W+1{put && last && !failed}}) - {{WORDS_W{1'b0}}, out};
        frames_reg   <= frames_reg + {{FRAMES_W{1'b0}}, order} - {{FRAMES_W{1'b0}}, out && m_axis_tlast}
                     - {{FRAMES_W{1'b0}}, put && last && failed};
        flying_reg   <= flying_reg + {{FRAMES_W{1'b0}}, order} - {{FRAMES_W{1'b0}}, put && last};
        done       <= (state_reg == STATE_BAD && flying_reg == 0) || (put && last);
        done_bad   <= state_reg == STATE_BAD && flying_reg == 0;
        done_error <= put && last && failed;
        if (stop) begin
            state_reg <= STATE_IDLE;
            done      <= 1'b0;
        end
        if (clear) begin
            reserved_reg <= {WORDS_W+1{1'b0}};
            flying_reg   <= {FRAMES_W+1{1'b0}};
            frames_reg   <= frames_reg - flying_reg - {{FRAMES_W{1'b0}}, out && m_axis_tlast};
        end
        if (rst) begin
            state_reg    <= STATE_IDLE;
            room_reg     <= 1'b0;
            reserved_reg <= {WORDS_W+1{1'b0}};
            stored_reg   <= {WORDS_W+1{1'b0}};
            frames_reg   <= {FRAMES_W+1{1'b0}};
            flying_reg   <= {FRAMES_W+1{1'b0}};
            done         <= 1'b0;
        end
    end

    // ---- Words

    wire                reader_idle, word_valid, word_last, word_error, buffer_ready;
    wire [QUERY_W-1:0]  word;
    reg                 idle_reg;
    reg                 inside_reg, error_reg;      // within a payload; an earlier beat of it had an error

    ws_axi_reader #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .TUPLE_W(QUERY_W), .COUNT_W(COUNT_W), .BURST(BURST), .FIFO_W(READ_W),
        .TAG_W(LENGTH_W)
    ) reader (
        .clk(clk), .rst(rst || clear),
        .order_valid(order_valid), .order_ready(order_ready),
        .order_address(address_reg), .order_count(words), .order_tag(length_reg),
        .halt(stop), .idle(reader_idle),
        .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_addr(ar_addr), .ar_len(ar_len),
        .r_valid(r_valid), .r_data(r_data), .r_error(r_error),
        .m_valid(word_valid), .m_ready(buffer_ready && !stop), .m_data(word), .m_last(word_last), .m_error(word_error),
        .m_tag(put_length)
    );

    // On `stop` a payload that is not complete ends with a bad word: the buffer drops it. There is room for that word.
    assign drop   = stop && inside_reg;
    assign put    = (word_valid || stop) && buffer_ready && (!stop || inside_reg);
    assign last   = word_last || stop;
    assign failed = word_error || error_reg || stop;
    assign idle   = idle_reg;

    always @(posedge clk) begin
        idle_reg <= state_reg == STATE_IDLE && !(next_valid && next_ready) && reader_idle && !inside_reg && !put && !rst;
        if (put) begin
            inside_reg <= !last;
            error_reg  <= failed && !last;
        end
        if (rst) begin
            inside_reg <= 1'b0;
            error_reg  <= 1'b0;
        end
    end

    wire [LANE_W:0]    rest = put_length[LANE_W:0] & LANES[LANE_W:0]; // bytes of the last word, 0: all
    wire [KEEP_W-1:0]  keep = last && !stop && rest != 0 ? ~({KEEP_W{1'b1}} << rest) : {KEEP_W{1'b1}};
    wire [15:0]        put_bytes = {{(16-LENGTH_W){1'b0}}, put_length};
    wire [3:0]         frame_events;

    ws_frame_fifo #(
        .DATA_W(QUERY_W), .USER_W(17), .ADDR_W(WORDS_W), .FRAMES_W(FRAMES_W), .OUTPUT_REG(1), .WAIT(1)
    ) buffer (
        .clk(clk), .rst(rst),
        .s_axis_tdata(word), .s_axis_tkeep(keep), .s_axis_tvalid(stop ? drop : word_valid),
        .s_axis_tready(buffer_ready), .s_axis_tlast(last), .s_axis_tuser({put_bytes, failed}),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser[16:0]),
        .evt_good(frame_events[0]), .evt_bad(frame_events[1]), .evt_oversize(frame_events[2]),
        .evt_full(frame_events[3])
    );

    assign m_axis_tuser[112:17] = 96'd0;

    wire unused = &{waiting, rounded, put_rounded, frame_events};

endmodule

`default_nettype wire
