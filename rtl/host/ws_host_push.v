// SPDX-License-Identifier: Apache-2.0
//
// ws_host_push: payloads that a processor writes word by word into a register.
//
// A word has the payload's next four bytes, the first one in its low bits, as a little-endian processor loads them. The
// last word may have fewer. A payload is output when all of it is here.
//
// Parameters   QUERY_W    width of m_axis_tdata in bits, 8 or 64
//              MAX_BYTES  longest payload in bytes, 64 to 16384
// Ports        push       a word; at least 4 cycles from one to the next
//              last, bytes  the payload ends with the word; it has 1 to 4 bytes, without `last` 4
//              waiting    a payload has not been output completely
//              m_axis_*   payloads; tuser as in ws_udp_ip_stack: the length in bits 16:1, the others 0
//              evt_good   a payload is here; evt_dropped: it did not fit, or was longer than MAX_BYTES
// Latency      8 cycles from the last word, of 4 bytes, to m_axis_tvalid; with QUERY_W 64 1 more
// Issue rate   a word every 4 cycles
// Overflow     a payload that does not fit in 2 * MAX_BYTES, rounded up to a power of two, is dropped: evt_dropped
// Bad input    the same
// Source       ours

`default_nettype none

module ws_host_push #(
    parameter QUERY_W   = 8,
    parameter MAX_BYTES = 256
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 push,
    input  wire [31:0]          data,
    input  wire                 last,
    input  wire [2:0]           bytes,
    output reg                  waiting,

    output wire [QUERY_W-1:0]   m_axis_tdata,
    output wire [QUERY_W/8-1:0] m_axis_tkeep,
    output wire                 m_axis_tvalid,
    input  wire                 m_axis_tready,
    output wire                 m_axis_tlast,
    output wire [112:0]         m_axis_tuser,

    output wire                 evt_good,
    output wire                 evt_dropped
);

    initial if ((QUERY_W != 8 && QUERY_W != 64) || MAX_BYTES < 64 || MAX_BYTES > 16384) begin
        $display("ERROR: %m: QUERY_W = %0d (8 or 64), MAX_BYTES = %0d (64 to 16384)", QUERY_W, MAX_BYTES);
        $finish;
    end

    localparam KEEP_W  = QUERY_W / 8;
    localparam WORDS_W = $clog2((MAX_BYTES + KEEP_W - 1) / KEEP_W) + 1;     // the buffer has 2**WORDS_W words
    localparam FRAMES_W = 3;

    // ---- Bytes of the word, one a cycle, and the number of those of the payload

    reg  [31:0] data_reg;
    reg  [2:0]  left_reg;
    reg         last_reg;
    reg  [15:0] length_reg;                     // without the present byte; it stays at the highest value
    wire        byte_valid = left_reg != 0;
    wire        byte_last  = last_reg && left_reg == 1;
    wire [15:0] length     = length_reg + {15'd0, !(&length_reg)};

    always @(posedge clk) begin
        if (byte_valid) begin
            data_reg   <= data_reg >> 8;
            left_reg   <= left_reg - 1'b1;
            length_reg <= byte_last ? 16'd0 : length;
        end
        if (push) begin
            data_reg <= data;
            left_reg <= last ? bytes : 3'd4;
            last_reg <= last;
        end
        if (rst) begin
            left_reg   <= 3'd0;
            length_reg <= 16'd0;
        end
    end

    // ---- Words of the query

    wire [QUERY_W-1:0] word;
    wire [KEEP_W-1:0]  keep;
    wire               word_valid, word_ready, word_last;
    wire [15:0]        word_length;             // of the payload, with its last word

    generate
        if (QUERY_W == 8) begin : gen_byte
            assign word        = data_reg[7:0];
            assign keep        = 1'b1;
            assign word_valid  = byte_valid;
            assign word_last   = byte_last;
            assign word_length = length;
        end else begin : gen_word
            wire byte_ready;

            // the length of its first byte would be that of the word: it is stored beside
            ws_axis_widen #(.DATA_W(QUERY_W), .USER_W(1)) widen (
                .clk(clk), .rst(rst),
                .s_axis_tdata(data_reg[7:0]), .s_axis_tkeep(1'b1), .s_axis_tvalid(byte_valid),
                .s_axis_tready(byte_ready), .s_axis_tlast(byte_last), .s_axis_tuser(1'b0),
                .m_axis_tdata(word), .m_axis_tkeep(keep), .m_axis_tvalid(word_valid),
                .m_axis_tready(word_ready), .m_axis_tlast(word_last), .m_axis_tuser(word_user)
            );

            wire       word_user;
            reg [15:0] last_length_reg;

            always @(posedge clk) last_length_reg <= length;

            assign word_length = last_length_reg;
            wire unused_word = &{byte_ready, word_user};
        end
    endgenerate

    wire bad, oversize, overfull;

    ws_frame_fifo #(
        .DATA_W(QUERY_W), .USER_W(17), .ADDR_W(WORDS_W), .FRAMES_W(FRAMES_W), .MAX_BYTES(MAX_BYTES), .OUTPUT_REG(1)
    ) buffer (
        .clk(clk), .rst(rst),
        .s_axis_tdata(word), .s_axis_tkeep(keep), .s_axis_tvalid(word_valid), .s_axis_tready(word_ready),
        .s_axis_tlast(word_last), .s_axis_tuser({word_length, 1'b0}),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser[16:0]),
        .evt_good(evt_good), .evt_bad(bad), .evt_oversize(oversize), .evt_full(overfull)
    );

    assign m_axis_tuser[112:17] = 96'd0;
    assign evt_dropped = oversize || overfull;

    // ---- Payloads that wait

    reg [FRAMES_W:0] frames_reg;
    wire             leaves = m_axis_tvalid && m_axis_tready && m_axis_tlast;

    always @(posedge clk) begin
        frames_reg <= frames_reg + {{FRAMES_W{1'b0}}, evt_good} - {{FRAMES_W{1'b0}}, leaves};
        waiting    <= frames_reg != 0 || evt_good || byte_valid || word_valid || push;
        if (rst) begin
            frames_reg <= {FRAMES_W+1{1'b0}};
            waiting    <= 1'b0;
        end
    end

    wire unused = &{bad, word_ready};

endmodule

`default_nettype wire
