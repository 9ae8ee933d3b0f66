// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_short: the short field of a word, which lies in it as a whole after an SOH, as digits and text.
//
// A word has at most one such field that is well-formed. It is "tag=value" of at most six bytes, so its value has at
// most four.
//
// Latency      1 cycle from stage 2 to the place of the field, 2 to its value
// Issue rate   1 word a cycle
// Bad input    any bytes
// Source       none

`default_nettype none

module ws_fix_short (
    input  wire        clk,
    input  wire        step,

    // stage 2
    input  wire [63:0] data,
    input  wire [63:0] code,            // see ws_fix_words
    input  wire [7:0]  soh,
    input  wire [7:0]  inner,
    input  wire [7:0]  owner,
    input  wire [7:0]  point,
    input  wire [7:0]  digit,           // of a value, as the next two
    input  wire [7:0]  minus,
    input  wire [7:0]  odd,

    // stage 3
    output reg  [7:0]  ends,            // the SOH after it, none if there is no such field
    output reg  [7:0]  equals,
    output reg         low,             // its tag is that of the word's lower half, or upper half
    output reg         high,
    output reg  [3:0]  points,          // points in the value; bit n: n bytes follow
    // stage 4, before the register
    output wire        counts,          // it is a natural number from 1
    output wire [15:0] digits,          // without the point, the last digit in the low bits

    // stage 4
    output reg  [31:0] text,            // the value, then zeros
    output reg  [23:0] right,           // zeros, then its last three bytes
    output reg  [2:0]  length,          // of the value
    output reg  [13:0] natural,
    output reg         natural_good,
    output reg         numeric,
    output reg         negative,
    output reg         pointed,
    output reg  [2:0]  fraction_used    // decimals that are not 0, by place
);

    `include "ws_fix_worth.vh"

    // Stage 3. Value bytes are the four before `ends`: byte 0 is the last. Bytes outside the value are 0.
    reg  [7:0]  ends_next, equals_next;
    reg  [31:0] bytes_next, bytes_reg;
    reg  [15:0] nibbles_next, nibbles_reg;
    reg  [3:0]  size_next, size_reg;                        // bit n: the value has n + 1 bytes
    reg  [3:0]  digit_next, digit_reg, minus_next, minus_reg, odd_next, odd_reg, points_next;
    reg         field;
    integer     i, j, k;

    always @* begin
        ends_next    = 8'd0;
        equals_next  = 8'd0;
        size_next    = 4'd0;
        bytes_next   = 32'd0;
        nibbles_next = 16'd0;
        digit_next   = 4'd0;
        minus_next   = 4'd0;
        odd_next     = 4'd0;
        points_next  = 4'd0;
        field        = 1'b0;
        k            = 0;                                   // avoids a latch
        for (i = 4; i < 8; i = i + 1)                       // the SOH
            for (j = i - 2; j > 1 && j > i - 6; j = j - 1) begin    // the "="
                field = inner[j] && soh[i] && ~|((soh & ((8'd1 << i) - 8'd1)) >> j);
                if (field) begin
                    ends_next[i]       = 1'b1;
                    equals_next[j]     = 1'b1;
                    size_next[i-j-2]   = 1'b1;
                end
                for (k = 0; k < i - 1 - j; k = k + 1) if (field) begin
                    bytes_next[8*k +: 8]   = bytes_next[8*k +: 8]   | data[8*(i-1-k) +: 8];
                    nibbles_next[4*k +: 4] = nibbles_next[4*k +: 4] | code[8*(i-1-k) +: 4];
                    digit_next[k]          = digit_next[k]  | digit[i-1-k];
                    minus_next[k]          = minus_next[k]  | minus[i-1-k];
                    odd_next[k]            = odd_next[k]    | odd[i-1-k];
                    points_next[k]         = points_next[k] | point[i-1-k];
                end
            end
    end

    always @(posedge clk) if (step) begin
        ends        <= ends_next;
        equals      <= equals_next;
        low         <= |(equals_next[3:0] & owner[3:0]);
        high        <= |(equals_next[7:4] & owner[7:4]);
        size_reg    <= size_next;
        bytes_reg   <= bytes_next;
        nibbles_reg <= nibbles_next;
        digit_reg   <= digit_next;
        minus_reg   <= minus_next;
        odd_reg     <= odd_next;
        points      <= points_next;
    end

    // Stage 4.
    reg [31:0] shifted;
    reg [15:0] closed;                                      // the digits closed up over a point
    reg [2:0]  used;

    always @* begin
        shifted = 32'd0;
        j       = 0;                                        // avoids a latch
        for (i = 1; i < 5; i = i + 1)
            if (size_reg[i-1])
                for (j = 0; j < i; j = j + 1) shifted[31-8*j -: 8] = shifted[31-8*j -: 8] | bytes_reg[8*(i-1-j) +: 8];
        closed = |points ? 16'd0 : nibbles_reg;
        used   = 3'd0;
        for (i = 0; i < 4; i = i + 1) if (points[i]) begin
            for (j = 0; j < 4; j = j + 1)
                if (j < i)      closed[4*j +: 4] = closed[4*j +: 4] | nibbles_reg[4*j +: 4];
                else if (j < 3) closed[4*j +: 4] = closed[4*j +: 4] | nibbles_reg[4*(j < 3 ? j + 1 : 3) +: 4];
            for (j = 0; j < i; j = j + 1) used[j] = used[j] || |nibbles_reg[4*(i-1-j) +: 4];
        end
    end

    wire [63:0] tens = worth(nibbles_reg[7:4], 64'd10), hundreds = worth(nibbles_reg[11:8], 64'd100),
                thousands = worth(nibbles_reg[15:12], 64'd1000);
    wire        good = |digit_reg && ~|odd_reg;

    assign digits = closed;
    assign counts = good && ~|points && ~|minus_reg && |nibbles_reg;

    always @(posedge clk) if (step) begin
        text          <= shifted;
        right         <= bytes_reg[23:0];
        length        <= size_reg[3] ? 3'd4 : size_reg[2] ? 3'd3 : size_reg[1] ? 3'd2 : {2'd0, size_reg[0]};
        natural       <= {10'd0, nibbles_reg[3:0]} + tens[13:0] + hundreds[13:0] + thousands[13:0];
        natural_good  <= good && ~|points && ~|minus_reg;
        numeric       <= good;
        negative      <= |minus_reg;
        pointed       <= |points;
        fraction_used <= used;
    end

endmodule

`default_nettype wire
