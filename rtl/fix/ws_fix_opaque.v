// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_opaque: which bytes of a word belong to the value of a data field, whatever they are.
//
// The loop of the eight-byte parser. A field with a length *promises* its data field if it begins behind a real end of
// a field that promised nothing itself. A data field that follows such a promise is opaque for as many bytes as that
// says: left_reg. All that does not depend on these three is given by the caller, for a word in which every SOH ends a
// field. A word has at most one data field that begins, at most one that ends, and at most two fields with a length.
//
// Latency      0 cycles from a word to its outputs
// Issue rate   1 word a cycle
// Bad input    none: any bytes. Tags of lengths have at least two digits, and are no data fields
// Source       FIX 4.4, volume 1, data type data

`default_nettype none

module ws_fix_opaque (
    input  wire              clk,
    input  wire              rst,
    input  wire              step,
    input  wire              valid,
    input  wire              last,

    input  wire [7:0]        soh,
    input  wire [7:0]        end1,          // the word's first SOH
    input  wire [7:0]        end2,          // that of a field which begins behind another one in this word,
    input  wire [7:0]        start2,        // the other one
    input  wire              length1,       // a length of a data field ends there, 1 to 65,535
    input  wire              length2,
    input  wire [15:0]       number1,
    input  wire [7:0]        reach1,        // bit n: it is at least n
    input  wire [13:0]       number2,

    // The "=" of a field that began before the word, and of one that begins behind its first SOH; one-hot, if there is
    // one. They are data fields of the length before them.
    input  wire [7:0]        early,
    input  wire [7:0]        late,
    input  wire              early_data,
    input  wire              late_data,

    output wire [7:0]        opaque,
    output wire [7:0]        beyond,        // the first byte that is not
    output wire              early_begins,  // it is opaque
    output wire              late_begins,
    output wire              real1,         // end1 is no such byte
    output wire              real2,         // start2
    output wire              real_before,   // the last SOH before the word ended a field,
    output wire              promise_before,    // with a length
    output wire              promise1       // so does end1
);

    reg              real_reg, promise_reg, was_opaque_reg;
    reg [15:0]       number_reg, left_reg;  // of the last SOH
    reg [7:0]        reach_reg, covers_reg; // of number_reg; the bytes of this word that left_reg has
    integer          i, k;

    wire free = real_reg && !promise_reg;

    assign real_before    = real_reg;
    assign promise_before = promise_reg;
    assign promise1       = length1 && free;
    assign early_begins   = early_data && promise_reg;
    assign late_begins    = late_data && length1 && free;

    // The bytes behind the "=" that a data field takes of this word, and how many it takes of the next ones:
    // count - (7 - place).
    reg  [7:0]  early_covers, late_covers;
    reg  [2:0]  early_place, late_place;

    always @* begin
        early_covers = 8'd0;
        late_covers  = 8'd0;
        early_place  = 3'd0;
        late_place   = 3'd0;
        for (i = 0; i < 8; i = i + 1) begin
            if (early[i]) early_place = early_place | i[2:0];
            if (late[i])  late_place  = late_place  | i[2:0];
            for (k = 1; k <= i; k = k + 1) begin
                if (early[i-k] && reach_reg[k]) early_covers[i] = 1'b1;
                if (late[i-k]  && reach1[k])    late_covers[i]  = 1'b1;
            end
        end
    end

    function [15:0] above(input [15:0] number, input [3:0] less);       // 0 if it is not
        reg [16:0] rest;
        begin
            rest  = {1'b0, number} - {13'd0, less};
            above = rest[16] ? 16'd0 : rest[15:0];
        end
    endfunction

    function [7:0] cover(input [15:0] number);
        integer n;
        for (n = 0; n < 8; n = n + 1) cover[n] = |number[15:3] || number[2:0] > n[2:0];
    endfunction

    wire [15:0] early_left = above(number_reg,    {1'b0, ~early_place});
    wire [15:0] late_left  = above(number1, {1'b0, ~late_place});
    wire [15:0] other_left = above(left_reg,      4'd8);

    assign opaque = covers_reg | (early_begins ? early_covers : 8'd0) | (late_begins ? late_covers : 8'd0);
    assign real1  = ~|(end1 & covers_reg) && !(early_begins && |(end1 & early_covers));
    assign real2  = ~|(start2 & covers_reg) && !(early_begins && |(start2 & early_covers));
    assign beyond = ~opaque & {opaque[6:0], was_opaque_reg};

    wire   chained    = |(start2 & end1);
    wire   one_is_end = ~|(soh & ~end1);    // the word's only SOH
    wire   two_is_end = |(end2 & soh) && ~|(soh & ~(end2 | (end2 - 8'd1)));     // it is the last
    wire   real_last;
    reg [7:0] behind;

    always @* for (i = 0; i < 8; i = i + 1) behind[i] = |(soh >> i >> 1);

    assign real_last = |(soh & ~behind & ~opaque);

    always @(posedge clk) if (step) begin
        if (valid) begin
            left_reg       <= early_begins ? early_left : late_begins ? late_left : other_left;
            covers_reg     <= early_begins ? cover(early_left) : late_begins ? cover(late_left) : cover(other_left);
            was_opaque_reg <= opaque[7];
            if (|soh) begin
                real_reg    <= real_last;
                promise_reg <= one_is_end ? promise1 && real_last
                             : two_is_end ? length2 && real2 && !(chained && promise1) : 1'b0;
                number_reg  <= one_is_end ? number1 : {2'd0, number2};
                for (i = 0; i < 8; i = i + 1) reach_reg[i] <= one_is_end ? reach1[i] : number2 >= i[13:0];
            end
        end
        if (rst || (valid && last)) begin
            left_reg       <= 16'd0;
            covers_reg     <= 8'd0;
            was_opaque_reg <= 1'b0;
            real_reg       <= 1'b1;
            promise_reg    <= 1'b0;
        end
    end

endmodule

`default_nettype wire
