// SPDX-License-Identifier: Apache-2.0
//
// ws_siphash: SipHash-2-4 with 64 bits, the message authentication code of a stream of bytes under a secret key.
//
// s_* takes messages as AXI4-Stream does: s_data[7:0] is the first byte; s_keep is contiguous from bit 0, and all ones
// except with s_last; an empty message is one beat with s_keep 0. m_valid is high for one cycle with the tag of each
// message, in their order. key[7:0] is the first byte of the key, m_tag[7:0] the first byte of the tag.
//
// A half round a cycle. The registers change places after each, so that there is no choice of operands: the sum of a
// and b, rotated by 32, goes to c, and that of c and d to a. A word is added to d with the last half round of the word
// before it, and to a with its own.
//
//             half 0                 half 1                 after a round
//       a, b  v0, v1   v0 += v1      v2, v1   v2 += v1      v0, v1
//       c, d  v2, v3   v2 += v3      v0, v3   v0 += v3      v2, v3
//
// Parameters   DATA_W  width of s_data in bits, 8 or 64
// Latency      16 cycles from the last beat of a message of N bytes to m_valid with DATA_W = 8, + 8 - N % 8, or + 7 if
//              N = 0; with DATA_W = 64, 16 + 4 * (N / 8) cycles from the first beat if all follow when s_ready is high
// Issue rate   8 bits a cycle, or 64 in 4 cycles; a message's last word is followed by 8 cycles of its final rounds
// Bad input    bytes of s_data whose bit of s_keep is 0 are ignored. `key` may change only while no message is inside
// Source       J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF, INDOCRYPT 2012

`default_nettype none

module ws_siphash #(
    parameter DATA_W = 8
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [127:0]        key,

    input  wire [DATA_W-1:0]   s_data,
    input  wire [DATA_W/8-1:0] s_keep,
    input  wire                s_valid,
    output wire                s_ready,
    input  wire                s_last,

    output reg                 m_valid,
    output reg  [63:0]         m_tag
);

    initial if (DATA_W != 8 && DATA_W != 64) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64)", DATA_W);
        $finish;
    end

    localparam        K      = DATA_W / 8;              // bytes a beat
    localparam [2:0]  LAST   = K == 1 ? 3'd7 : 3'd0;       // number of a word's last beat
    localparam [63:0] START0 = 64'h736f6d6570736575, START1 = 64'h646f72616e646f6d,
                      START2 = 64'h6c7967656e657261, START3 = 64'h7465646279746573;

    // ---------------------------------------------------------------------------------------------------------------
    // Words: the bytes of a message, zeros, and in the last byte of the last word the length modulo 256.

    reg  [63:0]       word_reg;
    reg               full_reg, final_reg;      // word_reg is a word, the last one of its message
    reg               pad_reg;                  // the message has ended, but not its last word
    reg  [2:0]        beat_reg;
    reg  [7:0]        length_reg;
    reg  [3:0]        count;                    // bytes in this beat
    reg  [DATA_W-1:0] beat;
    wire              load;                     // word_reg is taken
    wire              room   = !full_reg || load;
    wire              shift  = room && (s_valid || pad_reg);
    wire              ends   = pad_reg || (s_last && !s_keep[K-1]);
    wire              fills  = beat_reg == LAST;
    wire [7:0]        length = length_reg + {4'd0, count};
    integer           i;

    assign s_ready = room && !pad_reg;

    always @* begin
        count = 4'd0;
        beat  = {DATA_W{1'b0}};
        for (i = 0; i < K; i = i + 1)
            if (s_keep[i] && !pad_reg) begin
                count          = count + 4'd1;
                beat[8*i +: 8] = s_data[8*i +: 8];
            end
        if (ends && fills) beat[DATA_W-1 -: 8] = length;
    end

    generate
        if (DATA_W == 64) begin : gen_word_64
            always @(posedge clk) if (shift) word_reg <= beat;
        end else begin : gen_word_8
            always @(posedge clk) if (shift) word_reg <= {beat, word_reg[63:DATA_W]};
        end
    endgenerate

    always @(posedge clk) begin
        if (load) full_reg <= 1'b0;
        if (shift) begin
            full_reg   <= fills;
            final_reg  <= ends;
            beat_reg   <= fills ? 3'd0 : beat_reg + 3'd1;
            pad_reg    <= (pad_reg || s_last) && !(ends && fills);
            length_reg <= ends && fills ? 8'd0 : length;
        end
        if (rst) begin
            full_reg   <= 1'b0;
            pad_reg    <= 1'b0;
            beat_reg   <= 3'd0;
            length_reg <= 8'd0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Rounds. A word waits in next_reg for one cycle, in which it is added; otherwise next_reg is zero. So is done_reg,
    // except in the last half round of a word.

    reg        busy_reg, ending_reg, ended_reg; // a message is inside; its final rounds; they are over
    reg        last_reg;                        // the word is the last of its message
    reg        first_half_reg;
    reg  [2:0] step_reg;                        // half rounds so far, of a word or of the final rounds
    reg        go_reg;                          // next_reg is a word
    reg        go_last_reg;
    reg  [63:0] next_reg, held_reg, done_reg;
    reg  [63:0] a_reg, b_reg, c_reg, d_reg;

    wire        third   = busy_reg && !ending_reg && step_reg == 3'd2;
    wire        fourth  = busy_reg && !ending_reg && step_reg == 3'd3;
    wire        open    = !busy_reg || ((third || fourth) && !last_reg);    // a word may be added in the next cycle
    wire        advance = fourth && !last_reg ? go_reg : busy_reg || go_reg;
    wire        ends_word    = fourth && last_reg;
    wire        ends_message = ending_reg && step_reg == 3'd7;

    assign load = full_reg && open && !go_reg;

    wire [63:0] ab = a_reg + b_reg;
    wire [63:0] cd = c_reg + d_reg;
    wire [63:0] b  = (first_half_reg ? {b_reg[50:0], b_reg[63:51]} : {b_reg[46:0], b_reg[63:47]}) ^ ab;
    wire [63:0] d  = (first_half_reg ? {d_reg[47:0], d_reg[63:48]} : {d_reg[42:0], d_reg[63:43]}) ^ cd;

    always @(posedge clk) begin
        next_reg <= load ? word_reg : 64'd0;
        done_reg <= third || (fourth && !advance) ? held_reg : 64'd0;
        if (go_reg) held_reg <= next_reg;
        if (load) go_last_reg <= final_reg;
        if (go_reg) last_reg <= go_last_reg;
        go_reg <= load;

        if (advance) begin
            a_reg <= busy_reg ? cd ^ done_reg : START0 ^ key[63:0];
            b_reg <= busy_reg ? b : START1 ^ key[127:64];
            c_reg <= busy_reg ? {ab[31:0], ab[63:32]} ^ {56'd0, {8{ends_word}}} : START2 ^ key[63:0];
            d_reg <= (busy_reg ? d : START3 ^ key[127:64]) ^ next_reg;
            busy_reg       <= !ends_message;
            first_half_reg <= !busy_reg || !first_half_reg;
            step_reg       <= !busy_reg || fourth ? 3'd0 : step_reg + 3'd1;
            ending_reg     <= ends_word || (ending_reg && !ends_message);
        end

        ended_reg <= ends_message;
        m_valid   <= ended_reg;
        m_tag       <= a_reg ^ b_reg ^ c_reg ^ d_reg;
        if (rst) begin
            busy_reg   <= 1'b0;
            ending_reg <= 1'b0;
            go_reg     <= 1'b0;
            ended_reg  <= 1'b0;
            m_valid    <= 1'b0;
        end
    end

`ifdef FORMAL
    // A round as the paper has it, of the state before its first half; and one byte of each message, any.
    function [255:0] half_round(input [255:0] v, input integer b, input integer d, input swapped);
        reg [63:0] v0, v1, v2, v3;
        begin
            {v0, v1, v2, v3} = v;
            if (!swapped) begin
                v0 = v0 + v1;
                v1 = (v1 << b | v1 >> (64 - b)) ^ v0;
                v2 = v2 + v3;
                v3 = (v3 << d | v3 >> (64 - d)) ^ v2;
                v0 = {v0[31:0], v0[63:32]};
            end else begin
                v0 = v0 + v3;
                v3 = (v3 << d | v3 >> (64 - d)) ^ v0;
                v2 = v2 + v1;
                v1 = (v1 << b | v1 >> (64 - b)) ^ v2;
                v2 = {v2[31:0], v2[63:32]};
            end
            half_round = {v0, v1, v2, v3};
        end
    endfunction

    (* anyconst *) reg [4:0] place_ref;
    reg         past_valid = 1'b0;
    reg         begun_ref = 1'b0, done_ref = 1'b0;      // the last cycle began a message, ended a round
    reg  [63:0]  held_ref;                      // the word in the rounds
    reg  [255:0] start_ref, added_ref;          // v0, v1, v2, v3 before the round; what its end adds
    wire [255:0] mid_ref = half_round(start_ref, 13, 16, 1'b0);
    reg         inside_ref = 1'b0;              // the message in word_reg has more beats
    reg  [7:0]  bytes_ref;                      // of it so far
    reg         has_ref;                        // it has a byte at place_ref
    reg  [7:0]  byte_ref;
    reg  [4:0]  words_ref = 5'd0;               // of it in the rounds

    wire [7:0]  before = inside_ref ? bytes_ref : 8'd0;
    wire [7:0]  lane   = {3'd0, place_ref} - before;
    wire        here   = {3'd0, place_ref} >= before && lane < {4'd0, count};
    wire [7:0]  at_place = has_ref ? byte_ref : final_reg && place_ref[2:0] == 3'd7 ? bytes_ref : 8'd0;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        if (past_valid) assume (key == $past(key));
        assume ((s_keep & (s_keep + 1'b1)) == 0);
        if (!s_last) assume (&s_keep);

        // rounds
        if (busy_reg && first_half_reg) start_ref <= {a_reg, b_reg, c_reg, d_reg};
        added_ref <= !busy_reg ? {192'd0, next_reg} : {done_reg, 64'd0, ends_word ? 64'd255 : 64'd0, next_reg};
        if (go_reg) held_ref <= next_reg;
        begun_ref <= go_reg && !busy_reg && !rst;
        done_ref  <= busy_reg && !first_half_reg && advance && !rst;
        if (begun_ref)
            assert ({a_reg, b_reg, c_reg, d_reg} == (added_ref ^ {START0 ^ key[63:0], START1 ^ key[127:64],
                                                                  START2 ^ key[63:0], START3 ^ key[127:64]}));
        if (past_valid && busy_reg && !first_half_reg) assert ({c_reg, b_reg, a_reg, d_reg} == mid_ref);
        if (done_ref)
            assert ({a_reg, b_reg, c_reg, d_reg} == (added_ref ^ half_round(mid_ref, 17, 21, 1'b1)));
        if (past_valid && busy_reg) assert (first_half_reg == !step_reg[0]);
        if (past_valid && m_valid) assert (m_tag == $past(a_reg ^ b_reg ^ c_reg ^ d_reg));
        if (past_valid) assert (m_valid == ($past(ended_reg) && !$past(rst)));
        if (past_valid && ended_reg) assert (!busy_reg);

        // two rounds a word, four after the last
        if (past_valid && !rst) begin
            if (go_reg) assert (!busy_reg || fourth);
            if (busy_reg && !go_reg) assert (next_reg == 64'd0);
            if (busy_reg) assert (held_reg == held_ref && done_reg == (fourth ? held_ref : 64'd0));
            if (busy_reg && !ending_reg) assert (step_reg <= 3'd3);
            if (ending_reg) assert (busy_reg && last_reg);
            if (go_reg && busy_reg) assert (!last_reg);
        end

        // all bytes of a message are in its words, in their places, then zeros and the length
        if (load && !rst) begin
            if (words_ref == {3'd0, place_ref[4:3]}) word_byte: assert (word_reg[8*place_ref[2:0] +: 8] == at_place);
            word_last: assert (final_reg == (!inside_ref && words_ref == bytes_ref[7:3]));
            word_first: assert (words_ref <= bytes_ref[7:3]);
        end
        if (load) words_ref <= final_reg ? 5'd0 : words_ref + 5'd1;
        if (s_valid && s_ready) begin
            inside_ref <= !s_last;
            bytes_ref  <= before + {4'd0, count};
            has_ref    <= here || (inside_ref && has_ref);
            if (here) byte_ref <= K == 1 ? s_data[7:0] : s_data[8*(lane % K) +: 8];
        end
        if (rst) begin
            inside_ref <= 1'b0;
            words_ref  <= 5'd0;
        end
        cover (past_valid && m_valid);
        cover (past_valid && m_valid && $past(m_valid, 16));
    end
`endif

endmodule

`default_nettype wire
