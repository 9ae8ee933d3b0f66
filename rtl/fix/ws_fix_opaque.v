// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_opaque: which bytes of a word belong to the value of a data field, whatever they are.
//
// The feedback loop of ws_fix_parser_wide. A field with a length *promises* a data field if it is in a message and
// begins after a delimiter (an SOH that ends a field) of a field that promises nothing itself. A data field that
// follows such a promise is opaque for as many bytes as the length says, counted down in left_reg. Everything that does
// not depend on real_reg, promise_reg and left_reg is computed by the parser, as if every SOH were a delimiter. In a
// word at most one data field begins, at most one ends, and at most two fields with a length end: the long and the
// short field, see ws_fix_parser_wide.
//
// Latency      0 cycles from a word to its outputs
// Issue rate   1 word a cycle
// Bad input    any bytes. The tag of a length has at least two digits and is not the tag of a data field
// Source       FIX 4.4, volume 1, data type data

`default_nettype none

module ws_fix_opaque (
    input  wire              clk,
    input  wire              step,
    input  wire              valid,
    input  wire              last,          // with valid, or after a reset

    input  wire              any,           // the word has an SOH,
    input  wire              only,          // and only one
    input  wire [7:0]        last_soh,
    input  wire [7:0]        long_end,      // SOH of the long field
    input  wire [7:0]        short_start,   // SOH before the short field
    input  wire              short_last,    // the short field ends at the last SOH
    input  wire              long_length,   // the field is the length of a data field, 1 to 65,535
    input  wire              short_length,
    input  wire [15:0]       long_number,
    input  wire [15:0]       long_reach,    // bit n: long_number is at least n
    input  wire [13:0]       short_number,
    input  wire              inside,        // a message goes on from the word before,
    input  wire              closes,        // and ends with the long field, if long_end is a delimiter
    input  wire              opens,         // a message begins before the short field

    // The "=" of a field that began before the word, and of one that begins after its first SOH; one-hot, 0 if there is
    // none. *_data: it is a data field, of the length before it or of the long field.
    input  wire [7:0]        early,
    input  wire [7:0]        late,
    input  wire              early_data,
    input  wire              late_data,

    output wire [7:0]        opaque,
    output wire [7:0]        beyond,        // the first byte after an opaque one
    output wire              early_begins,  // the early field begins opaque bytes
    output wire              late_begins,
    output wire              long_end_real, // long_end is a delimiter
    output wire              short_start_real,
    output wire              real_before,   // the last SOH before the word is one,
    output wire              promise_before,    // of a field that promises data
    output wire              long_promise   // the long field promises data
);

    reg              real_reg, promise_reg, was_opaque_reg;
    reg [15:0]       number_reg;            // the length that ended at the last SOH
    reg [15:0]       reach_reg;             // bit n: it is at least n
    reg [15:0]       left_reg;              // opaque bytes from this word on
    reg [7:0]        covers_reg;            // those in this word
    integer          i, k;

    wire free = real_reg && !promise_reg;

    assign real_before    = real_reg;
    assign promise_before = promise_reg;
    assign long_promise   = long_length && free && inside;
    assign early_begins   = early_data && promise_reg;
    assign late_begins    = late_data && free && inside;

    // The bytes of this word and the next that a data field with this "=" covers, and how many it covers after this
    // word: length - (7 - place).
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
                if (early[i] && reach_reg[k])  early_covers[i+k] = 1'b1;
                if (late[i]  && long_reach[k]) late_covers[i+k]  = 1'b1;
            end
            other_covers[i] = |left_reg[15:4] || (left_reg[3] && left_reg[2:0] > i[2:0]);
        end
    end

    function [15:0] above(input [15:0] number, input [3:0] less);       // number - less, at least 0
        reg [16:0] rest;
        begin
            rest  = {1'b0, number} - {13'd0, less};
            above = rest[16] ? 16'd0 : rest[15:0];
        end
    endfunction

    wire [15:0] early_left = above(number_reg,  {1'b0, ~early_place});
    wire [15:0] late_left  = above(long_number, {1'b0, ~late_place});
    wire [15:0] other_left = above(left_reg,    4'd8);

    assign opaque = covers_reg | (early_begins ? early_covers[7:0] : 8'd0)
                    | (late_begins ? late_covers[7:0] : 8'd0);
    assign beyond = ~opaque & {opaque[6:0], was_opaque_reg};

    // Whether a byte is not opaque, without the delay of `opaque`.
    function real_end(input [7:0] one, input [7:0] covered, input begins, input [7:0] covers);
        real_end = ~|(one & covered) && !(begins && |(one & covers));
    endfunction

    wire   real_last = any && real_end(last_soh, covers_reg, early_begins, early_covers[7:0])
                       && !(late_begins && |(last_soh & late_covers[7:0]));
    wire   chained   = |(short_start & long_end);

    assign long_end_real    = real_end(long_end, covers_reg, early_begins, early_covers[7:0]);
    assign short_start_real = real_end(short_start, covers_reg, early_begins, early_covers[7:0]);

    wire   short_inside = opens || (inside && !(closes && long_end_real && real_reg));

    always @(posedge clk) if (step) begin
        if (valid) begin
            left_reg       <= early_begins ? early_left : late_begins ? late_left : other_left;
            covers_reg     <= early_begins ? early_covers[15:8] : late_begins ? late_covers[15:8] : other_covers;
            was_opaque_reg <= opaque[7];
            if (any) begin
                real_reg    <= real_last;
                promise_reg <= only ? long_promise && real_last
                               : short_last && short_length && short_start_real && short_inside
                                 && !(chained && long_promise);
                number_reg  <= only ? long_number : {2'd0, short_number};
                for (i = 0; i < 16; i = i + 1)
                    reach_reg[i] <= only ? long_reach[i] : |short_number[13:4] || short_number[3:0] >= i[3:0];
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
