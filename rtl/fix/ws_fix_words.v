// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_words: stages 1 and 2 of ws_fix_parser_wide: what each byte of a word is in a FIX field.
//
// Here every SOH ends a field; ws_fix_opaque finds later which of them are bytes of a data field. Outputs have one bit
// a byte, the first byte on the wire in bit 0, and belong to one word: `valid`.
//
// A tag is recognised at its "=": `tagged`. A field with a value has at least four bytes, so each half of a word holds
// at most one "=" of such a field, and two tags a word are enough. If a half holds two, the field of the first one is
// empty or a data field, and the tag of the other is not needed: `owner` says which "=" tag_low and tag_high belong to.
// These are the last six digits before the "="; the tag has as many of them as size_low and size_high say.
//
// Latency      2 cycles
// Issue rate   1 word a cycle
// Bad input    any bytes; every word of a payload but the last has eight
// Source       FIX 4.4, volume 1, "FIX tag=value syntax"

`default_nettype none

module ws_fix_words (
    input  wire        clk,
    input  wire        rst,             // resets stage 1
    input  wire        clear,           // resets the other stages, one cycle after rst, with step
    input  wire        step,            // clock enable

    input  wire        s_valid,
    input  wire        s_last,
    input  wire [7:0]  s_keep,
    input  wire [63:0] s_data,

    output reg         valid,
    output reg         last,            // with valid; or after a reset, which travels down the stages this way
    output reg  [7:0]  keep,
    output reg  [63:0] data,
    output reg  [63:0] code,            // 8 bits a byte, see below
    output reg  [7:0]  soh,
    output reg         ends,            // with valid: the word has an SOH
    output reg  [7:0]  first_soh,
    output reg  [7:0]  lead,            // bytes before the first SOH, all if there is none
    output reg  [7:0]  trail,           // bytes after the last SOH, all if there is none
    output reg  [7:0]  equals,
    output reg  [7:0]  point,
    output reg  [7:0]  heads,           // points after the last SOH
    output wire [7:0]  anchor,          // stage 2, before the register: the first point or SOH
    output reg  [7:0]  tagged,          // the "=" after a tag
    output reg  [7:0]  inner,           // such an "=" with an SOH before it in this word
    output reg  [7:0]  owner,           // the "=" of tag_low (bits 3 to 0) and of tag_high
    output reg  [23:0] tag_low,
    output reg  [23:0] tag_high,
    output reg  [5:0]  size_low,        // bit k: the tag has k + 1 digits
    output reg  [5:0]  size_high,
    output reg  [7:0]  begins,          // the "=" of a field 8, not the payload's last byte
    output reg  [7:0]  sums,            // the "=" of a field 10 that begins in this word
    output reg  [7:0]  value,           // belongs to a value
    output reg  [7:0]  digit,           // of a value
    output reg  [7:0]  nonzero,         // a digit of a value, and not 0
    output reg  [7:0]  minus,           // a minus as a value's first byte
    output reg  [7:0]  odd,             // byte of a value that no number has in this place
    output reg  [7:0]  rough            // byte of a value after its point, and not a digit
);

    // A byte's code: the digit; it is a digit of a value; what else a timestamp holds; it is the "=" after a tag.
    localparam DIGIT = 4, COLON = 5, DASH = 6, MARK = 7;

    `include "ws_fix_sets.vh"

    // Stage 1: input register, and what kind of character each byte is.
    reg        valid_reg, last_reg;
    reg [7:0]  keep_reg, soh_reg, equals_reg, digit_reg, nonzero_reg, point_reg, minus_reg, colon_reg;
    reg [3:0]  soh_pair_reg, equals_pair_reg, point_pair_reg;   // in two bytes: an SOH, and others that no SOH follows
    reg [63:0] data_reg;
    reg [63:0] characters;
    reg [7:0]  is_soh, is_equals, is_point, is_digit;
    integer    i, k;

    always @* for (i = 0; i < 8; i = i + 1) begin
        characters[8*i +: 8] = s_keep[i] ? s_data[8*i +: 8] : 8'd0;
        is_soh[i]    = s_keep[i] && s_data[8*i +: 8] == 8'h01;
        is_equals[i] = s_keep[i] && s_data[8*i +: 8] == "=";
        is_point[i]  = s_keep[i] && s_data[8*i +: 8] == ".";
        is_digit[i]  = s_keep[i] && s_data[8*i+4 +: 4] == 4'h3 && s_data[8*i +: 4] <= 4'd9;
    end

    always @(posedge clk) if (step) begin
        last_reg   <= s_valid && s_last;
        keep_reg   <= s_keep;
        data_reg   <= characters;
        soh_reg    <= is_soh;
        equals_reg <= is_equals;
        point_reg  <= is_point;
        for (i = 0; i < 4; i = i + 1) begin
            soh_pair_reg[i]    <= is_soh[2*i] || is_soh[2*i+1];
            equals_pair_reg[i] <= is_equals[2*i+1] || (is_equals[2*i] && !is_soh[2*i+1]);
            point_pair_reg[i]  <= is_point[2*i+1]  || (is_point[2*i]  && !is_soh[2*i+1]);
        end
        for (i = 0; i < 8; i = i + 1) begin
            digit_reg[i]   <= is_digit[i];
            nonzero_reg[i] <= is_digit[i] && characters[8*i +: 4] != 4'd0;
            minus_reg[i]   <= characters[8*i +: 8] == "-";
            colon_reg[i]   <= characters[8*i +: 8] == ":";
        end
    end

    always @(posedge clk) begin
        if (step) valid_reg <= s_valid;
        if (rst)  valid_reg <= 1'b0;
    end

    // The word before; a payload begins as if after an SOH.
    reg [7:0]  before_soh_reg, before_digit_reg, before_nonzero_reg;
    reg [31:0] before_nibbles_reg;

    // Bit i: one of `set` since the last SOH before pair i, or before byte i; `carry`: one before the word.
    function [4:0] since_pair(input [3:0] pair_set, input [3:0] pair_soh, input carry);
        integer n, m;
        for (n = 0; n < 5; n = n + 1) begin
            since_pair[n] = carry && ~|(pair_soh & ~(4'hf << n));
            for (m = 0; m < n; m = m + 1)
                if (pair_set[m] && ~|((pair_soh & ~(4'hf << n)) >> m >> 1)) since_pair[n] = 1'b1;
        end
    endfunction

    function [8:0] since(input [7:0] set, input [7:0] soh_here, input [4:0] pairs);
        integer n;
        begin
            for (n = 0; n < 4; n = n + 1) begin
                since[2*n]   = pairs[n];
                since[2*n+1] = set[2*n] || (pairs[n] && !soh_here[2*n]);
            end
            since[8] = pairs[4];
        end
    endfunction

    reg        in_value_reg, pointed_reg, opened_reg;       // before the word; opened_reg: its last byte opens a value
    wire [8:0] in_value = since(equals_reg, soh_reg, since_pair(equals_pair_reg, soh_pair_reg, in_value_reg));
    wire [8:0] pointed  = since(point_reg, soh_reg, since_pair(point_pair_reg, soh_pair_reg, pointed_reg));
    wire [7:0] inside   = in_value[7:0] & ~soh_reg;
    wire [7:0] opens    = equals_reg & ~in_value[7:0];
    wire [7:0] head     = {opens[6:0], opened_reg} & ~soh_reg;

    // Stage 2: tags. Byte i of this word is byte i + 8 of two words.
    wire [15:0] sohs     = {soh_reg, before_soh_reg};
    wire [15:0] digits   = {digit_reg, before_digit_reg};
    wire [15:0] nonzeros = {nonzero_reg, before_nonzero_reg};
    reg  [63:0] nibbles;
    reg  [7:0]  tags, owners;
    reg  [5:0]  size [0:7];                                 // bit k: the tag has k + 1 digits
    reg  [23:0] low, high;
    reg  [5:0]  low_size, high_size;
    reg         run;

    always @* begin
        nibbles[31:0] = before_nibbles_reg;
        for (i = 0; i < 8; i = i + 1) nibbles[32+4*i +: 4] = data_reg[8*i +: 4];
        for (i = 0; i < 8; i = i + 1) begin
            run = equals_reg[i];
            for (k = 0; k < 6; k = k + 1) begin
                size[i][k] = run && nonzeros[i+7-k] && sohs[i+6-k];
                run        = run && digits[i+7-k];
            end
            tags[i] = |size[i];
        end
        owners    = {tags[7] && !tags[4], tags[6:4], tags[3] && !tags[0], tags[2:0]};
        low       = 24'd0;
        high      = 24'd0;
        low_size  = 6'd0;
        high_size = 6'd0;
        for (i = 0; i < 4; i = i + 1) begin
            if (owners[i])   low_size  = low_size  | size[i];
            if (owners[i+4]) high_size = high_size | size[i+4];
            for (k = 0; k < 6; k = k + 1) begin
                if (owners[i])   low[4*k +: 4]  = low[4*k +: 4]  | nibbles[4*(i+7-k) +: 4];
                if (owners[i+4]) high[4*k +: 4] = high[4*k +: 4] | nibbles[4*(i+11-k) +: 4];
            end
        end
    end

    assign anchor = first(point_reg | soh_reg);

    wire [7:0] final_byte = last_reg ? ~{1'b0, keep_reg[7:1]} : 8'd0;

    always @(posedge clk) if (step) begin
        valid    <= valid_reg;
        last     <= last_reg;
        keep     <= keep_reg;
        data     <= data_reg;
        soh      <= soh_reg;
        ends     <= valid_reg && |soh_reg;
        first_soh <= first(soh_reg);
        lead     <= before(soh_reg);
        trail    <= after(soh_reg);
        equals   <= equals_reg;
        point    <= point_reg;
        heads    <= point_reg & after(soh_reg);
        tagged   <= tags;
        inner    <= tags & ~up_to(soh_reg);
        owner    <= owners;
        tag_low  <= low;
        tag_high <= high;
        size_low  <= low_size;
        size_high <= high_size;
        value    <= inside;
        digit    <= inside & digit_reg;
        minus    <= head & minus_reg;
        odd      <= inside & ~digit_reg & ~(head & minus_reg) & ~(point_reg & ~pointed[7:0]);
        rough    <= inside & ~digit_reg & pointed[7:0];
        for (i = 0; i < 8; i = i + 1) begin
            nonzero[i] <= inside[i] && nonzero_reg[i];
            begins[i]  <= size[i][0] && nibbles[4*(i+7) +: 4] == 4'd8 && !final_byte[i];
            sums[i]    <= i >= 3 && size[i][1] && nibbles[4*(i+7) +: 4] == 4'd0 && nibbles[4*(i+6) +: 4] == 4'd1;
            code[8*i +: 4]   <= inside[i] && digit_reg[i] ? data_reg[8*i +: 4] : 4'd0;
            code[8*i+DIGIT]  <= inside[i] && digit_reg[i];
            code[8*i+COLON]  <= colon_reg[i];
            code[8*i+DASH]   <= minus_reg[i];
            code[8*i+MARK]   <= tags[i];
        end
        if (valid_reg) begin
            before_soh_reg     <= last_reg ? 8'h80 : soh_reg;
            before_digit_reg   <= last_reg ? 8'h00 : digit_reg;
            before_nonzero_reg <= nonzero_reg;
            before_nibbles_reg <= nibbles[63:32];
            in_value_reg       <= in_value[8] && !last_reg;
            pointed_reg        <= pointed[8] && !last_reg;
            opened_reg         <= opens[7] && !last_reg;
        end
        if (clear) begin
            valid            <= 1'b0;
            ends             <= 1'b0;
            last             <= 1'b1;
            before_soh_reg   <= 8'h80;
            before_digit_reg <= 8'h00;
            in_value_reg     <= 1'b0;
            pointed_reg      <= 1'b0;
            opened_reg       <= 1'b0;
        end
    end

endmodule

`default_nettype wire
