// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_rx_ipv4: second stage of ws_udp_rx: the bytes after the type field, realigned to the first of them and trimmed
// to the IPv4 total length and to the UDP length, and the partial sums of their 16-bit words.
//
// Bytes from 8 on after the IPv4 header are trimmed to the field at the position of UDP's length, whatever the
// protocol: in packets of other protocols they are not used.
//
// Parameters   DATA_W       that of ws_udp_rx
// Latency      1 step
// Issue rate   1 word of DATA_W bits a step
// Bad input    a frame shorter than 20 bytes of IPv4 or than its total length: `missing`
// Source       RFC 791, 1071

`default_nettype none

module ws_udp_rx_ipv4 #(
    parameter DATA_W   = 8,
    parameter BEFORE_W = DATA_W == 8 ? 8 : 48,
    parameter WORDS    = DATA_W == 8 ? 20 : 3   // that hold the first 20 bytes of the header
) (
    input  wire                clk,
    input  wire                rst,

    // from the Ethernet stage, with the corresponding beat
    input  wire                step,
    input  wire                take,
    input  wire [DATA_W-1:0]   tdata,
    input  wire [DATA_W/8-1:0] tkeep,
    input  wire                here,            // IPv4 for us: this beat, or the bytes left over in the end step
    input  wire                ends,            // end step
    input  wire                one_tag,
    input  wire [BEFORE_W-1:0] previous,

    output reg                 valid,
    output reg  [DATA_W-1:0]   data,            // 0 where keep is
    output reg  [DATA_W/8-1:0] keep,
    output reg  [DATA_W/8-1:0] missing,         // lanes that belong to the IPv4 packet but have no byte
    output reg  [WORDS-1:0]    word,            // one-hot index within the header's first 20 bytes; 0 after them
    output wire [1:0]          next_word,       // 8 bit: low bits of the next one's index
    output reg                 is_final,        // the datagram ends in this word
    output reg                 last,            // the step of the frame's end, valid or not
    output reg  [16:0]         sum_lo,          // of the 16-bit words in the lower and the upper half of data
    output reg  [16:0]         sum_hi,
    output reg                 pseudo_lo,       // whether these sums contain the addresses
    output reg                 pseudo_hi,
    output reg                 at_length,       // length and short are new
    output reg  [15:0]         length,          // bytes after the IPv4 header
    output reg                 short,           // the total length is less than the header's
    output reg                 odd              // the header is an odd number of 4-byte words
);

    localparam K = DATA_W / 8;                              // bytes a beat

    // Words 0 to BODY-1 hold the header's first 20 bytes, which every header has.
    localparam [4:0]  BODY  = WORDS[4:0];
    localparam [4:0]  TOTAL = K == 1 ? 5'd3 : 5'd0;         // word in which the total length becomes known
    localparam [15:0] GONE  = K == 1 ? 16'd4 : 16'd8;       // bytes that have passed by then

    reg  [4:0]        at_reg;                   // of the word being aligned
    reg  [3:0]        ihl_reg;                  // header length in 4-byte words
    reg               trim_reg, after_total_reg;    // the total length is known; and was in the previous word
    reg  [15:0]       left_reg;                 // bytes of the packet from this word on, plus GONE
    reg  [K-1:0]      claim_reg;                // lanes that belong to the packet; all until its length is known
    reg  [K-1:0]      take_reg;                 // and to the datagram
    reg               final_reg;                // the datagram ends in this word

    // The UDP length trims what follows the word with the last byte of the UDP header (8 bit) or with its first (64).
    reg  [6:0]        to_udp_reg;               // words until that one: 1 in it, 0 after it
    reg  [15:0]       rest_reg;                 // the UDP length, less K for each word since it became known

    wire [DATA_W-1:0] aligned, trimmed;
    wire [K-1:0]      present;                  // lanes that hold bytes of the frame
    wire [15:0]       total_length;
    wire              some;                     // left_reg exceeds the bytes that have passed
    wire [K-1:0]      claim, udp_claim;         // lanes of the next word that belong to the packet, to the datagram
    wire              final_word, udp_final;    // the packet, the datagram ends in the next word
    wire [6:0]        to_udp;                   // to_udp_reg after the header's first word
    wire [15:0]       rest;                     // rest_reg, as it is in this word
    wire              udp_known;                // the UDP length is known in this word
    wire [15:0]       udp_length;               // and is this
    wire              in_udp = to_udp_reg[6:1] == 6'd0;
    wire [16:0]       new_lo, new_hi;

    generate
        genvar g;
        for (g = 0; g < K; g = g + 1) begin : gen_trim
            assign trimmed[8*g +: 8] = take_reg[g] ? aligned[8*g +: 8] : 8'h00;
        end
        if (K == 1) begin : gen_align_8
            wire   unused       = &{take, one_tag};     // no realignment
            assign aligned      = tdata;
            assign present      = !ends && tkeep[0];
            assign total_length = {previous, aligned};
            assign new_lo       = at_reg[0] ? {9'b0, trimmed} : {1'b0, trimmed, 8'b0};
            assign new_hi       = 17'd0;

            assign some       = left_reg > GONE;
            assign claim      = left_reg > GONE + 16'd1 || at_reg < 5'd19;
            assign final_word = left_reg < GONE + 16'd3;

            assign to_udp     = {1'b0, aligned[3:0], 2'b00} + 7'd7;
            assign udp_known  = to_udp_reg == 7'd3;
            assign udp_length = {previous, aligned};
            assign rest       = rest_reg;
            assign udp_claim  = rest > 16'd7;           // in the header's last byte it is one less than the length
            assign udp_final  = rest < 16'd9;
        end else begin : gen_align_64
            // The Ethernet header has 14 bytes, or 18 with one tag, or 22 with two.
            wire [5:0] new_keep = ends ? 6'b0 : tkeep[5:0];
            reg  [5:0] before_keep_reg;
            always @(posedge clk) if (take) before_keep_reg <= tkeep[7:2];
            assign aligned      = one_tag ? {tdata[15:0], previous} : {tdata[47:0], previous[47:32]};
            assign present      = one_tag ? {new_keep[1:0], before_keep_reg} : {new_keep, before_keep_reg[5:4]};
            assign total_length = {aligned[23:16], aligned[31:24]};
            assign new_lo       = {1'b0, trimmed[7:0], trimmed[15:8]} + {1'b0, trimmed[23:16], trimmed[31:24]};
            assign new_hi       = {1'b0, trimmed[39:32], trimmed[47:40]} + {1'b0, trimmed[55:48], trimmed[63:56]};

            // left_reg in whole words, and the bytes of a partial one; the first of these words has passed, the second
            // is here.
            wire [12:0] words = left_reg[15:3];
            wire        many  = |words[12:2];
            wire        full  = many || words[1:0] == 2'd3;
            wire        part  = !many && words[1:0] == 2'd2;
            wire        exact = !many && words[1:0] == 2'd3 && left_reg[2:0] == 3'd0;
            assign some       = many || words[1];
            assign final_word = !full || exact;
            // The word after the total length's second one begins with bytes 16 to 19 of the header.
            assign claim      = {8{full}} | ({8{part}} & ~(8'hff << left_reg[2:0])) | {4'h0, {4{after_total_reg}}};

            // The datagram begins with this word or, if the header is odd, in the middle of it; then its length comes
            // first in the next word, whose upper half is payload already.
            wire [15:0] field = one_tag ? (odd ? tdata[31:16] : previous[47:32]) : (odd ? tdata[63:48] : tdata[31:16]);
            wire [4:0]  low   = rest[4:0];
            wire        long  = |rest[15:5];
            assign to_udp     = {4'd0, aligned[3:1]};
            assign udp_known  = to_udp_reg == 7'd1;
            assign udp_length = {field[7:0], field[15:8]};
            assign rest       = udp_known ? udp_length : rest_reg;
            assign udp_final  = !long && low <= (odd ? 5'd12 : 5'd16);
            for (g = 0; g < 8; g = g + 1) begin : gen_udp_claim
                wire in_header = g < 4 && odd && udp_known;
                assign udp_claim[g] = long || in_header || low > (odd ? 5'd4 + g[4:0] : 5'd8 + g[4:0]);
            end
        end
    endgenerate

    integer i;
    wire    at_total = at_reg == TOTAL;

    assign next_word = at_reg[1:0];

    // Realigned word
    always @(posedge clk) begin
        if (step) begin
            valid     <= here && present[0] && take_reg[0];
            data      <= trimmed;
            keep      <= present & take_reg;
            missing   <= {K{here}} & claim_reg & ~present;
            for (i = 0; i < WORDS; i = i + 1) word[i] <= at_reg == i[4:0];
            is_final  <= final_reg;
            last      <= ends;
            sum_lo    <= new_lo;
            sum_hi    <= new_hi;
            pseudo_lo <= K == 1 ? at_reg >= 5'd12 && at_reg < 5'd20 : at_reg == 5'd2;
            pseudo_hi <= K != 1 && at_reg == 5'd1;
            at_length <= after_total_reg;
        end
        if (rst) begin
            valid <= 1'b0;
            last  <= 1'b0;
        end
    end

    // Lengths, and what follows from them for the next word
    always @(posedge clk) begin
        if (here) begin
            at_reg          <= at_reg == BODY + 5'd1 ? BODY : at_reg + 5'd1;
            trim_reg        <= trim_reg || at_total;
            after_total_reg <= at_total;
            if (at_reg == 5'd0) begin
                ihl_reg <= aligned[3:0];
                odd     <= aligned[0];
            end
            if (at_total)  left_reg <= total_length;
            else if (some) left_reg <= left_reg - K[15:0];
            if (after_total_reg) {short, length} <= {1'b0, left_reg} - {11'b0, ihl_reg, 2'b00};
            if (trim_reg) begin
                final_reg <= final_word || (in_udp && udp_final);
                claim_reg <= claim;
                take_reg  <= claim & (udp_claim | {K{!in_udp}});
            end
            if (at_reg == 5'd0)          to_udp_reg <= to_udp;
            else if (to_udp_reg != 7'd0) to_udp_reg <= to_udp_reg - 7'd1;
            rest_reg <= K == 1 && udp_known ? udp_length : |rest[15:3] ? rest - K[15:0] : 16'd0;
        end
        if (rst || (step && ends)) begin
            at_reg          <= 5'd0;
            trim_reg        <= 1'b0;
            after_total_reg <= 1'b0;
            claim_reg       <= {K{1'b1}};
            take_reg        <= {K{1'b1}};
            final_reg       <= 1'b0;
        end
    end

endmodule

`default_nettype wire
