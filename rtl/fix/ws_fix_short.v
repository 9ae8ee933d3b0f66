// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_short: the field that lies in a word as a whole, with the SOH before it, as digits and text.
//
// A word has at most one good such field. It is "tag=value" of at most six bytes, so that the value has at most four.
//
// Latency      1 cycle from stage 2 to where it is, 2 to its value
// Issue rate   1 word a cycle
// Bad input    none: any bytes
// Source       none

`default_nettype none

module ws_fix_short (
    input  wire        clk,
    input  wire        step,

    // stage 2
    input  wire [63:0] data,
    input  wire [39:0] code,
    input  wire [7:0]  soh,
    input  wire [7:0]  point,
    input  wire [7:0]  tagged,

    // stage 3
    output reg  [7:0]  ends,            // the SOH behind it, none if there is no such field
    output reg  [7:0]  starts,          // the SOH before it
    output reg  [7:0]  equals,
    // stage 3, before the register: a natural number from 1
    output wire        counts,

    // stage 4
    output reg  [31:0] text,            // the value, zeros behind
    output reg  [23:0] right,           // its last three bytes, zeros before
    output reg  [2:0]  length,          // of the value
    output reg  [13:0] natural,
    output reg         natural_good,
    output reg         numeric,
    output reg         negative,
    output reg         pointed,
    output reg  [15:0] whole,           // four digits, the last in the low bits
    output reg  [11:0] fraction,        // three digits, the first in the low bits
    output reg  [2:0]  fraction_used    // those which are not 0
);

    localparam [4:0] MARK = 5'h11, DASH = 5'h13;

    `include "ws_fix_worth.vh"

    // Stage 3. Value bytes are the four before `ends`: byte 0 is the last.
    reg  [7:0]  ends_next, starts_next, equals_next;
    reg  [31:0] bytes_next, bytes_reg;
    reg  [24:0] codes_next, codes_reg;
    reg  [3:0]  points_next, points_reg;
    integer     i, j;

    always @* begin
        ends_next   = 8'd0;
        equals_next = 8'd0;
        starts_next = 8'd0;
        bytes_next  = 32'd0;
        codes_next  = 25'd0;
        points_next = 4'd0;
        for (i = 4; i < 8; i = i + 1)                       // the SOH
            for (j = i - 5; j < i - 1; j = j + 1)           // the "="
                if (j > 1 && tagged[j] && soh[i] && ~|((soh & ((8'd1 << i) - 8'd1)) >> j)
                    && |(soh & ((8'd1 << j) - 8'd1))) begin
                    ends_next[i]   = 1'b1;
                    equals_next[j] = 1'b1;
                end
        for (i = 0; i < 6; i = i + 1)                       // the last SOH before the "="
            for (j = i + 2; j < 8; j = j + 1)
                if (equals_next[j] && soh[i] && ~|((soh & ((8'd1 << j) - 8'd1)) >> i >> 1)) starts_next[i] = 1'b1;
        for (i = 4; i < 8; i = i + 1) if (ends_next[i]) begin
            for (j = 0; j < 4; j = j + 1) begin
                bytes_next[8*j +: 8] = bytes_next[8*j +: 8] | data[8*(i-1-j) +: 8];
                points_next[j]       = points_next[j] | point[i-1-j];
            end
            for (j = 0; j < 5; j = j + 1)
                if (i > j) codes_next[5*j +: 5] = codes_next[5*j +: 5] | code[5*(i > j ? i-1-j : 0) +: 5];
        end
    end

    always @(posedge clk) if (step) begin
        ends       <= ends_next;
        equals     <= equals_next;
        starts     <= starts_next;
        bytes_reg  <= bytes_next;
        codes_reg  <= codes_next;
        points_reg <= points_next;
    end

    // Stage 4.
    reg [3:0]  own, is_digit, is_minus, is_point;
    reg [15:0] digit;
    reg [31:0] masked, shifted;
    reg [2:0]  size;
    reg [15:0] whole_next;
    reg [11:0] fraction_next;
    reg        good;

    always @* begin
        size = 3'd0;
        for (j = 0; j < 4; j = j + 1) begin
            own[j]      = codes_reg[5*j +: 5] != MARK && (j == 0 || own[j == 0 ? 0 : j - 1]);
            if (own[j]) size = j[2:0] + 3'd1;
            is_digit[j] = own[j] && !codes_reg[5*j+4];
            is_point[j] = own[j] && points_reg[j];
            is_minus[j] = own[j] && codes_reg[5*j +: 5] == DASH && codes_reg[5*(j+1) +: 5] == MARK;
            masked[8*j +: 8] = own[j] ? bytes_reg[8*j +: 8] : 8'd0;
            digit[4*j +: 4]  = is_digit[j] ? codes_reg[5*j +: 4] : 4'd0;
        end
        for (j = 0; j < 4; j = j + 1)
            shifted[8*j +: 8] = 8'd0;
        for (i = 1; i < 5; i = i + 1)
            if (size == i[2:0]) for (j = 0; j < i; j = j + 1) shifted[31-8*j -: 8] = masked[8*(i-1-j) +: 8];
        // One point at most, with what stands on its sides.
        whole_next    = digit;
        fraction_next = 12'd0;
        for (i = 0; i < 4; i = i + 1) if (is_point[i]) begin
            whole_next    = digit >> (4 * (i + 1));
            fraction_next = 12'd0;
            for (j = 0; j < i; j = j + 1) fraction_next[4*j +: 4] = digit[4*(i-1-j) +: 4];
        end
        good = |is_digit && ~|(own & ~is_digit & ~is_point & ~is_minus) && ~|(is_point & (is_point - 4'd1));
    end

    wire [63:0] tens = worth(digit[7:4], 64'd10), hundreds = worth(digit[11:8], 64'd100),
                thousands = worth(digit[15:12], 64'd1000);

    assign counts = good && ~|is_point && ~|is_minus && |digit;

    always @(posedge clk) if (step) begin
        text          <= shifted;
        right         <= masked[23:0];
        length        <= size;
        natural       <= {10'd0, digit[3:0]} + tens[13:0] + hundreds[13:0] + thousands[13:0];
        natural_good  <= good && ~|is_point && ~|is_minus;
        numeric       <= good;
        negative      <= |is_minus;
        pointed       <= |is_point;
        fraction_used <= {|fraction_next[11:8], |fraction_next[7:4], |fraction_next[3:0]};
        whole         <= whole_next;
        fraction      <= fraction_next;
    end

endmodule

`default_nettype wire
