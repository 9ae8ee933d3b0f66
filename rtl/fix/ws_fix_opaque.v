// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_opaque: which bytes of a word belong to the value of a data field, whatever they are.
//
// The loop of the eight-byte parser. A field with a length *promises* its data field if it is in a message and begins
// behind a real end of a field that promised nothing itself. A data field that follows such a promise is opaque for as many bytes as that
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
    input  wire              step,
    input  wire              valid,
    input  wire              last,          // with valid, or after a reset

    input  wire              any,           // the word has an SOH
    input  wire [7:0]        last_soh,
    input  wire [7:0]        end1,          // the first,
    input  wire              only1,         // and only
    input  wire              last2,         // the last ends a field which begins behind another one in this word:
    input  wire [7:0]        start2,        // that one's
    input  wire              length1,       // a length of a data field ends there, 1 to 65,535
    input  wire              length2,
    input  wire [15:0]       number1,
    input  wire [15:0]       reach1,        // bit n: it is at least n
    input  wire [13:0]       number2,
    input  wire              inside,        // a message goes on from the word before,
    input  wire              closes,        // and ends with end1, if that is real
    input  wire              opens,         // one begins, before the length that ends behind start2

    // The "=" of a field that began before the word, and of one that begins behind its first SOH; one-hot, if there is
    // one. The first is a data field of the length before it, the second of length1.
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
    reg [15:0]       reach_reg;             // of number_reg
    reg [7:0]        covers_reg;            // the bytes of this word that left_reg has
    integer          i, k;

    wire free = real_reg && !promise_reg;

    assign real_before    = real_reg;
    assign promise_before = promise_reg;
    assign promise1       = length1 && free && inside;
    assign early_begins   = early_data && promise_reg;
    assign late_begins    = late_data && free && inside;

    // The bytes of this word and of the next that a data field takes which begins behind the "=", and how many it takes
    // of the next ones: count - (7 - place).
    reg  [15:0] early_covers, late_covers;
    reg  [7:0]  other_covers;
    reg  [2:0]  early_place, late_place;

    always @* begin
        early_covers = 16'd0;
        late_covers  = 16'd0;
        early_place  = 3'd0;
        late_place   = 3'd0;
        for (i = 0; i < 8; i = i + 1) begin
            if (early[i]) early_place = early_place | i[2:0];
            if (late[i])  late_place  = late_place  | i[2:0];
            for (k = 1; k < 16 - i; k = k + 1) begin
                if (early[i] && reach_reg[k]) early_covers[i+k] = 1'b1;
                if (late[i]  && reach1[k])    late_covers[i+k]  = 1'b1;
            end
            other_covers[i] = |left_reg[15:4] || (left_reg[3] && left_reg[2:0] > i[2:0]);
        end
    end

    function [15:0] above(input [15:0] number, input [3:0] less);       // 0 if it is not
        reg [16:0] rest;
        begin
            rest  = {1'b0, number} - {13'd0, less};
            above = rest[16] ? 16'd0 : rest[15:0];
        end
    endfunction

    wire [15:0] early_left = above(number_reg,    {1'b0, ~early_place});
    wire [15:0] late_left  = above(number1, {1'b0, ~late_place});
    wire [15:0] other_left = above(left_reg,      4'd8);

    assign opaque = covers_reg | (early_begins ? early_covers[7:0] : 8'd0)
                    | (late_begins ? late_covers[7:0] : 8'd0);
    assign beyond = ~opaque & {opaque[6:0], was_opaque_reg};

    // Whether one byte is not opaque, found without `opaque`.
    function real_end(input [7:0] one, input [7:0] covered, input begins, input [7:0] covers);
        real_end = ~|(one & covered) && !(begins && |(one & covers));
    endfunction

    wire   real_last = any && real_end(last_soh, covers_reg, early_begins, early_covers[7:0])
                       && !(late_begins && |(last_soh & late_covers[7:0]));
    wire   chained   = |(start2 & end1);

    assign real1  = real_end(end1, covers_reg, early_begins, early_covers[7:0]);
    assign real2  = real_end(start2, covers_reg, early_begins, early_covers[7:0]);

    wire   inside2 = opens || (inside && !(closes && real1 && real_reg));

    always @(posedge clk) if (step) begin
        if (valid) begin
            left_reg       <= early_begins ? early_left : late_begins ? late_left : other_left;
            covers_reg     <= early_begins ? early_covers[15:8] : late_begins ? late_covers[15:8] : other_covers;
            was_opaque_reg <= opaque[7];
            if (any) begin
                real_reg    <= real_last;
                promise_reg <= only1 ? promise1 && real_last
                               : last2 && length2 && real2 && inside2 && !(chained && promise1);
                number_reg  <= only1 ? number1 : {2'd0, number2};
                for (i = 0; i < 16; i = i + 1)
                    reach_reg[i] <= only1 ? reach1[i] : |number2[13:4] || number2[3:0] >= i[3:0];
            end
        end
        if (last) begin
            left_reg       <= 16'd0;
            covers_reg     <= 8'd0;
            was_opaque_reg <= 1'b0;
            real_reg       <= 1'b1;
            promise_reg    <= 1'b0;
        end
    end

endmodule

`default_nettype wire
