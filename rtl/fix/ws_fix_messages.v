// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_messages: stage 6 of ws_fix_parser_wide: where messages begin and end, and which of their fields end.
//
// A word can hold, in this order: the end of the long field, which may be the field 10 of a message; messages that
// begin; the end of a field 10 that lies in the word; messages that begin. Verdicts that need no values are made here,
// in stage 7: of truncated messages, of messages that begin and end in one word, and of garbage.
//
// Parameters   MATCH_W  width of a match in bits
//              see ws_fix_parameters.vh
// Latency      1 cycle, 2 to the verdicts
// Issue rate   1 word a cycle
// Bad input    any bytes
// Source       FIX 4.4, volume 1, "Message Format"

`default_nettype none

module ws_fix_messages #(
    parameter MATCH_W = 1,
    `include "ws_fix_parameters.vh"
) (
    input  wire               clk,
    input  wire               clear,
    input  wire               step,             // clock enable

    // from ws_fix_delimiters
    input  wire               s_valid,
    input  wire               s_last,
    input  wire               s_partial,
    input  wire [63:0]        s_sums,
    input  wire [7:0]         s_soh,
    input  wire               s_any,
    input  wire [7:0]         s_good,
    input  wire [7:0]         s_begins,
    input  wire [7:0]         s_early_begins,
    input  wire [7:0]         s_late_begins,
    input  wire               s_sum_any,
    input  wire [7:0]         s_sum_end,
    input  wire [3:0]         s_sum_start,
    input  wire               s_long_real,
    input  wire               s_long_sum,
    input  wire [MATCH_W-1:0] s_long_match,
    input  wire [7:0]         s_short_end,
    input  wire               s_short_good,
    input  wire [MATCH_W-1:0] s_short_match,
    input  wire [MATCH_W-1:0] s_opaque_match,

    output wire               inside,           // stage 5: a message goes on from the word before

    output reg                valid,
    output reg                done,             // a message of more than one word ends,
    output reg                done_short,       // with the field 10 that lies in the word
    output reg                begins,           // a message begins that does not end in the word
    output reg                malformed,        // the message that ends, or goes on
    output reg                malformed_new,    // the message that begins
    output reg                bad_header,
    output reg                bad_header_new,
    output reg                repeated,         // BodyLength or MsgType
    output reg                any,              // the word has a delimiter

    // The long and the short field, of the message that goes on.
    output reg                long_field,
    output reg                short_field,
    output reg  [N_FIELDS-1:0] long_fields,     // fields with its tag,
    output reg  [N_FIELDS-1:0] short_fields,
    output reg  [N_GROUPS-1:0] long_counts,     // groups of which it is the count,
    output reg  [N_GROUPS-1:0] short_counts,
    output reg  [N_GROUPS-1:0] long_firsts,     // or begins an entry
    output reg  [N_GROUPS-1:0] short_firsts,
    output reg                begin_string,     // the long field is in the place of BeginString
    output reg                long_body,        // in that of BodyLength
    output reg                short_body,
    output reg                long_type,        // MsgType, in its place: clears the fields
    output reg                short_type,

    // Numbers of bytes, and their sums: all of the word, up to its last delimiter, up to the "=" of the last field 8.
    output reg  [7:0]         sum_all,
    output reg  [7:0]         sum_last,
    output reg  [7:0]         sum_begin,
    output reg  [3:0]         last_place,       // up to the last delimiter
    output reg  [3:0]         long_place,       // up to the end of the long field
    output reg  [3:0]         short_place,
    output reg  [3:0]         sum_start,        // up to the start of the field 10 that lies in the word

    // stage 7: numbers of messages, and of runs of garbage
    output reg  [2:0]         truncated,
    output reg                bad_header_word,  // of messages in one word
    output reg                malformed_word,
    output reg  [1:0]         garbage           // one bit each
);

    `include "ws_fix_layout.vh"
    `include "ws_fix_match.vh"
    `include "ws_fix_sets.vh"

    function [2:0] size(input [7:0] set);
        integer n;
        begin
            size = 3'd0;                                // of at most 7
            for (n = 0; n < 8; n = n + 1) size = size + {2'd0, set[n]};
        end
    endfunction

    function [7:0] pick(input [63:0] sums, input [7:0] one);
        integer n;
        begin
            pick = 8'd0;
            for (n = 0; n < 8; n = n + 1) if (one[n]) pick = pick | sums[8*n +: 8];
        end
    endfunction

    reg       inside_reg;                               // in a message
    reg       garbage_reg;                              // bytes outside messages, not yet counted
    reg [1:0] place_reg;                                // of the next field in the message, 3 for all after MsgType
    reg [1:0] age_reg;                                  // words since the message began, at most 3

    wire       long_ends    = s_long_sum && inside_reg;
    wire       long_inside  = inside_reg && !s_long_sum;
    wire [7:0] early        = s_sum_any ? s_early_begins : s_begins;
    wire [7:0] late         = s_sum_any ? s_late_begins : 8'd0;
    wire       short_ends   = s_sum_any && (|early || long_inside);
    wire       word_ends    = s_sum_any && |early;                  // begun and ended in this word
    wire       short_full   = s_sum_any && ~|early && long_inside;
    wire       goes_on      = |late || (!s_sum_any && (|early || long_inside));
    wire       begins_next  = s_sum_any ? |late : |s_begins;

    assign     inside       = s_valid ? goes_on && !s_last : inside_reg;

    wire [7:0] bad          = s_soh & ~s_good & ~(s_short_good ? s_short_end : 8'd0);
    wire [7:0] first_soh    = first(s_soh);
    wire [7:0] old          = s_long_sum ? first_soh : up_to(s_begins) & (s_sum_any ? up_to(s_sum_end) : 8'hff);
    wire [7:0] after_long   = s_soh & ~(long_ends ? first_soh : 8'd0);
    wire       still_garbage = garbage_reg && !long_ends;
    wire       left_over    = short_ends ? |(s_soh & ~up_to(s_sum_end)) : still_garbage || |after_long;
    wire       garbage_ends = still_garbage || |(after_long & up_to(s_begins));     // if a message begins

    wire       long_next    = inside_reg && s_any && ~|(s_begins & up_to(first_soh));
    wire       short_next   = long_inside && s_short_good && ~|(s_begins & up_to(s_short_end));
    wire [MATCH_W-1:0] match = s_long_real ? s_long_match : s_opaque_match;
    wire [2:0] short_index  = {1'b0, place_reg} + 3'd1;             // of the field after the first delimiter

    reg        word_malformed_reg, word_header_reg;
    reg  [2:0] begun_reg;                               // messages that begin,
    reg  [1:0] unbroken_reg;                            // of them those that truncate none
    reg        broken_reg;                              // the payload's end truncates one
    reg  [1:0] garbage_s6_reg;
    reg  [7:0] late_reg, after_sum_reg;                 // messages that begin after sum_end, and delimiters there

    always @(posedge clk) if (step) begin
        valid              <= s_valid;
        done               <= s_valid && (long_ends || short_full);
        done_short         <= short_full;
        begins             <= s_valid && begins_next;
        malformed          <= inside_reg && |(bad & old);
        malformed_new      <= |(bad & after(s_begins));
        bad_header         <= (long_next && ((place_reg == 2'd1 && !(s_long_real && s_long_match[MATCH_BODY]))
                                             || (place_reg == 2'd2 && !(s_long_real && s_long_match[MATCH_TYPE]))))
                              || (short_next && ((short_index == 3'd1 && !s_short_match[MATCH_BODY])
                                                 || (short_index == 3'd2 && !s_short_match[MATCH_TYPE])));
        bad_header_new     <= |(s_soh & after(s_begins));
        repeated           <= (long_next && place_reg == 2'd3 && s_long_real
                               && (s_long_match[MATCH_BODY] || s_long_match[MATCH_TYPE]))
                              || (short_next && short_index >= 3'd3
                                  && (s_short_match[MATCH_BODY] || s_short_match[MATCH_TYPE]));
        any                <= s_any;
        long_field         <= s_valid && long_next;
        short_field        <= s_valid && short_next;
        long_fields        <= match[N_FIELDS-1:0];
        long_counts        <= match[MATCH_COUNT +: N_GROUPS];
        long_firsts        <= match[MATCH_FIRST +: N_GROUPS];
        short_fields       <= s_short_match[N_FIELDS-1:0];
        short_counts       <= s_short_match[MATCH_COUNT +: N_GROUPS];
        short_firsts       <= s_short_match[MATCH_FIRST +: N_GROUPS];
        begin_string       <= s_valid && long_next && place_reg == 2'd0;
        long_body          <= s_valid && long_next && place_reg == 2'd1;
        short_body         <= s_valid && short_next && short_index == 3'd1;
        long_type          <= s_valid && long_next && place_reg == 2'd2 && s_long_real && s_long_match[MATCH_TYPE]
                              && age_reg >= 2'd2;
        short_type         <= s_valid && short_next && short_index == 3'd2 && s_short_match[MATCH_TYPE]
                              && age_reg >= 2'd2;
        sum_all            <= s_sums[63:56];
        sum_last           <= pick(s_sums, last_of(s_soh));
        sum_begin          <= pick(s_sums, last_of(s_begins));
        last_place         <= place(last_of(s_soh));
        long_place         <= place(first_soh);
        short_place        <= place(s_short_end);
        sum_start          <= s_sum_start;
        word_malformed_reg <= s_valid && word_ends && |(bad & up_to(s_sum_end) & after(early));
        word_header_reg    <= s_valid && word_ends && ~|(bad & up_to(s_sum_end) & after(early));
        begun_reg          <= s_valid ? size(s_begins) : 3'd0;
        unbroken_reg       <= s_valid ? {|early && !long_inside, |late} : 2'd0;
        broken_reg         <= s_valid && s_last && goes_on;
        garbage_s6_reg[0]  <= s_valid && ((|early && !long_inside && garbage_ends)
                                          || (|late && !short_ends && garbage_ends));
        garbage_s6_reg[1]  <= s_valid && s_last && !goes_on && (left_over || s_partial);
        late_reg           <= s_valid && short_ends ? late : 8'd0;
        after_sum_reg      <= s_soh & ~up_to(s_sum_end);

        if (s_valid) begin
            inside_reg  <= goes_on && !s_last;
            garbage_reg <= left_over && !goes_on && !s_last;
            if (age_reg != 2'd3) age_reg <= age_reg + 2'd1;
            if (begins_next) begin
                age_reg   <= 2'd1;
                place_reg <= |(s_soh & after(s_begins)) ? 2'd3 : 2'd0;
            end else if (short_next) place_reg <= place_reg >= 2'd1 ? 2'd3 : 2'd2;
            else if (long_next && place_reg != 2'd3) place_reg <= place_reg + 2'd1;
        end
        if (clear) begin
            valid              <= 1'b0;
            done               <= 1'b0;
            begins             <= 1'b0;
            begin_string       <= 1'b0;
            inside_reg         <= 1'b0;
            garbage_reg        <= 1'b0;
            word_malformed_reg <= 1'b0;
            word_header_reg    <= 1'b0;
            begun_reg          <= 3'd0;
            unbroken_reg       <= 2'd0;
            broken_reg         <= 1'b0;
            garbage_s6_reg     <= 2'd0;
            late_reg           <= 8'd0;
        end
    end

    // Stage 7: the verdicts that need no values.
    always @(posedge clk) if (step) begin
        truncated       <= begun_reg + {2'd0, broken_reg} - {2'd0, unbroken_reg[1]} - {2'd0, unbroken_reg[0]};
        bad_header_word <= word_header_reg;
        malformed_word  <= word_malformed_reg;
        garbage         <= {garbage_s6_reg[1] || (|late_reg && |(after_sum_reg & up_to(late_reg))), garbage_s6_reg[0]};
        if (clear) begin
            truncated       <= 3'd0;
            bad_header_word <= 1'b0;
            malformed_word  <= 1'b0;
            garbage         <= 2'd0;
        end
    end

endmodule

`default_nettype wire
