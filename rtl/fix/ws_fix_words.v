// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_words: words of eight bytes to what each byte is in a FIX field, as far as the bytes alone say it.
//
// Here every SOH ends a field; which of them are bytes of a data field is found later (ws_fix_opaque). Outputs have a
// bit a byte, the first byte on the wire in bit 0, and are those of one word: `valid`.
//
// A tag is known with its "=": `tagged`. Fields with a value are at least four bytes long, so that at most one "=" of
// them lies in each half of a word, and two tags a word are enough. Of two in one half the field of the first is empty
// or a data field, and the other's tag is never asked for: `owner` says to whom `tag_low` and `tag_high` belong.
//
// Latency      2 cycles
// Issue rate   1 word a cycle
// Bad input    every word of a payload but the last has eight bytes
// Source       FIX 4.4, volume 1, "FIX tag=value syntax"

`default_nettype none

module ws_fix_words (
    input  wire        clk,
    input  wire        rst,
    input  wire        step,            // clock enable

    input  wire        s_valid,
    input  wire        s_last,
    input  wire [7:0]  s_keep,
    input  wire [63:0] s_data,

    output reg         valid,
    output reg         last,
    output reg  [7:0]  keep,
    output reg  [63:0] data,
    output reg  [39:0] code,            // 5 bits a byte, see below
    output reg  [7:0]  soh,
    output reg  [7:0]  equals,
    output reg  [7:0]  point,
    output reg  [7:0]  anchor,          // the first byte that is a point or SOH
    output reg  [7:0]  tagged,          // the "=" behind a tag
    output reg  [7:0]  owner,           // tag_low (bits 3 to 0) or tag_high is its tag
    output reg  [23:0] tag_low,
    output reg  [23:0] tag_high,
    output reg  [7:0]  begins,          // the "=" of a field 8, not the payload's last byte
    output reg  [7:0]  sums,            // the "=" of a field 10 that begins in this word
    output reg  [7:0]  value,           // belongs to a value
    output reg  [7:0]  digit,           // of a value
    output reg  [7:0]  nonzero,         // such a digit, but 0
    output reg  [7:0]  minus,           // a value's first byte
    output reg  [7:0]  odd              // what a number does not have at this place
);

    // Codes: a digit, or 16 and more.
    localparam [4:0] OTHER = 5'h10, MARK = 5'h11, END = 5'h12, DASH = 5'h13, COLON = 5'h14;

    // Stage 1: input register, and what kind of character each is.
    reg        valid_reg, last_reg;
    reg [7:0]  keep_reg, soh_reg, equals_reg, digit_reg, point_reg, minus_reg, colon_reg;
    reg [63:0] data_reg;
    reg [63:0] characters;
    integer    i, k;

    always @* for (i = 0; i < 8; i = i + 1) characters[8*i +: 8] = s_keep[i] ? s_data[8*i +: 8] : 8'd0;

    always @(posedge clk) if (step) begin
        valid_reg <= s_valid;
        last_reg  <= s_last;
        keep_reg  <= s_keep;
        data_reg  <= characters;
        for (i = 0; i < 8; i = i + 1) begin
            soh_reg[i]    <= characters[8*i +: 8] == 8'h01;
            equals_reg[i] <= characters[8*i +: 8] == "=";
            digit_reg[i]  <= characters[8*i+4 +: 4] == 4'h3 && characters[8*i +: 4] <= 4'd9;
            point_reg[i]  <= characters[8*i +: 8] == ".";
            minus_reg[i]  <= characters[8*i +: 8] == "-";
            colon_reg[i]  <= characters[8*i +: 8] == ":";
        end
        if (rst) valid_reg <= 1'b0;
    end

    // The word before; before a payload stands an SOH.
    reg [7:0]  before_soh_reg, before_digit_reg;
    reg [31:0] before_nibbles_reg;

    // Bit i of chain: a `set` since the last `clear` before byte i, `carry` for those before the word.
    function [8:0] chain(input [7:0] set, input [7:0] clear, input carry);
        integer n;
        begin
            chain[0] = carry;
            for (n = 0; n < 8; n = n + 1) chain[n+1] = !clear[n] && (set[n] || chain[n]);
        end
    endfunction

    reg        in_value_reg, pointed_reg, opened_reg;       // before the word; opened: its last byte opens a value
    wire [8:0] in_value = chain(equals_reg, soh_reg, in_value_reg);
    wire [8:0] pointed  = chain(point_reg, soh_reg, pointed_reg);
    wire [7:0] inside   = in_value[7:0] & ~soh_reg;
    wire [7:0] opens    = equals_reg & ~in_value[7:0];
    wire [7:0] first    = {opens[6:0], opened_reg} & ~soh_reg;

    // Stage 2: tags. Byte i of this word is character i + 8 of two.
    wire [15:0] sohs   = {soh_reg, before_soh_reg};
    wire [15:0] digits = {digit_reg, before_digit_reg};
    reg  [63:0] nibbles;
    reg  [15:0] nonzeros;
    reg  [7:0]  tags, owners;
    reg  [5:0]  size [0:7];                                 // bit k: the tag has k + 1 digits
    reg  [23:0] low, high;
    reg         run;

    always @* begin
        nibbles[31:0] = before_nibbles_reg;
        for (i = 0; i < 8; i = i + 1) nibbles[32+4*i +: 4] = data_reg[8*i +: 4];
        for (i = 0; i < 16; i = i + 1) nonzeros[i] = nibbles[4*i +: 4] != 4'd0;
        for (i = 0; i < 8; i = i + 1) begin
            run = equals_reg[i];
            for (k = 0; k < 6; k = k + 1) begin
                run        = run && digits[i+7-k];
                size[i][k] = run && nonzeros[i+7-k] && sohs[i+6-k];
            end
            tags[i] = |size[i];
        end
        owners = {tags[7] && !tags[4], tags[6:4], tags[3] && !tags[0], tags[2:0]};
        low    = 24'd0;
        high   = 24'd0;
        for (i = 0; i < 4; i = i + 1)
            for (k = 0; k < 6; k = k + 1) begin
                if (owners[i]   && |(size[i]   >> k)) low[4*k +: 4]  = low[4*k +: 4]  | nibbles[4*(i+7-k) +: 4];
                if (owners[i+4] && |(size[i+4] >> k)) high[4*k +: 4] = high[4*k +: 4] | nibbles[4*(i+11-k) +: 4];
            end
    end

    wire [7:0] stops      = point_reg | soh_reg;
    wire [7:0] final_byte = last_reg ? ~{1'b0, keep_reg[7:1]} : 8'd0;

    always @(posedge clk) if (step) begin
        valid    <= valid_reg;
        last     <= last_reg;
        keep     <= keep_reg;
        data     <= data_reg;
        soh      <= soh_reg;
        equals   <= equals_reg;
        point    <= point_reg;
        for (i = 0; i < 8; i = i + 1) anchor[i] <= stops[i] && ~|(stops & ((8'd1 << i) - 8'd1));
        tagged   <= tags;
        owner    <= owners;
        tag_low  <= low;
        tag_high <= high;
        value    <= inside;
        digit    <= inside & digit_reg;
        minus    <= first & minus_reg;
        odd      <= inside & ~digit_reg & ~(first & minus_reg) & ~(point_reg & ~pointed[7:0]);
        for (i = 0; i < 8; i = i + 1) begin
            nonzero[i] <= inside[i] && digit_reg[i] && data_reg[8*i +: 4] != 4'd0;
            begins[i]  <= size[i][0] && nibbles[4*(i+7) +: 4] == 4'd8 && !final_byte[i];
            sums[i]    <= i >= 3 && size[i][1] && nibbles[4*(i+7) +: 4] == 4'd0 && nibbles[4*(i+6) +: 4] == 4'd1;
            code[5*i +: 5] <= digit_reg[i] ? {1'b0, data_reg[8*i +: 4]} : tags[i] ? MARK : soh_reg[i] ? END
                              : minus_reg[i] ? DASH : colon_reg[i] ? COLON : OTHER;
        end
        if (valid_reg) begin
            before_soh_reg     <= last_reg ? 8'h80 : soh_reg;
            before_digit_reg   <= last_reg ? 8'h00 : digit_reg;
            before_nibbles_reg <= nibbles[63:32];
            in_value_reg       <= in_value[8] && !last_reg;
            pointed_reg        <= pointed[8] && !last_reg;
            opened_reg         <= opens[7] && !last_reg;
        end
        if (rst) begin
            valid            <= 1'b0;
            before_soh_reg   <= 8'h80;
            before_digit_reg <= 8'h00;
            in_value_reg     <= 1'b0;
            pointed_reg      <= 1'b0;
            opened_reg       <= 1'b0;
        end
    end

endmodule

`default_nettype wire
