// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_tags: stage 3 of ws_fix_parser_wide: compares the tags of a word with those of the parameters.
//
// The tag of the long field, which ends at the first SOH, is in this word or an earlier one. The result of a comparison
// is a vector, see ws_fix_match.vh.
//
// Parameters   MATCH_W  width of a match in bits
//              see ws_fix_parameters.vh
// Latency      1 cycle
// Issue rate   1 word a cycle
// Bad input    any bytes
// Source       FIX 4.4, volume 1, "FIX tag=value syntax"

`default_nettype none

module ws_fix_tags #(
    parameter MATCH_W = 1,
    `include "ws_fix_parameters.vh"
) (
    input  wire               clk,
    input  wire               clear,
    input  wire               step,             // clock enable

    // from ws_fix_words
    input  wire               s_valid,
    input  wire               s_last,
    input  wire [7:0]         s_keep,
    input  wire [63:0]        s_data,
    input  wire [7:0]         s_soh,
    input  wire               s_ends,
    input  wire [7:0]         s_first_soh,
    input  wire [7:0]         s_lead,
    input  wire [7:0]         s_trail,
    input  wire [7:0]         s_equals,
    input  wire [7:0]         s_tagged,
    input  wire [7:0]         s_owner,
    input  wire [23:0]        s_tag_low,
    input  wire [23:0]        s_tag_high,
    input  wire [5:0]         s_size_low,
    input  wire [5:0]         s_size_high,
    input  wire [7:0]         s_begins,
    input  wire [7:0]         s_sums,
    input  wire [7:0]         s_value,

    output reg                valid,
    output reg                last,
    output reg  [7:0]         keep,
    output reg  [63:0]        data,
    output reg  [7:0]         soh,
    output reg                ends,             // the word has an SOH
    output reg  [7:0]         first_soh,
    output reg  [7:0]         lead,
    output reg  [7:0]         equals,
    output reg  [7:0]         owner,
    output reg  [7:0]         begins,
    output reg  [7:0]         sums,
    output reg  [7:0]         next_equals,      // of the field after the first SOH
    output reg                owned_lead,       // before the first SOH is the "=" of the low or high tag,
    output reg                tagged_lead,      // an "=" after a tag,
    output reg                value_lead,       // a byte of a value
    output reg                tagged_trail,     // the same after the last SOH
    output reg                value_trail,
    output reg  [MATCH_W-1:0] low_match,
    output reg  [MATCH_W-1:0] high_match,
    output reg  [MATCH_W-1:0] long_match        // of the long field
);

    `include "ws_fix_layout.vh"
    `include "ws_fix_match.vh"
    `include "ws_fix_sets.vh"

    // Whether `tag` is before an "=": `bytes` are the last six digits there, of which a tag has `digits`.
    function is_tag(input [23:0] bytes, input [5:0] digits, input [23:0] tag);
        integer n;
        begin
            is_tag = 1'b0;
            for (n = 0; n < 6; n = n + 1)
                if (tag >> (4 * n) != 24'd0 && tag >> (4 * n) < 24'd16)
                    is_tag = digits[n] && (bytes ^ tag) << (20 - 4 * n) == 24'd0;
        end
    endfunction

    function [MATCH_W-1:0] match(input [23:0] bytes, input [5:0] digits);
        integer n;
        begin
            match = {MATCH_W{1'b0}};
            for (n = 0; n < N_FIELDS; n = n + 1) if (is_tag(bytes, digits, TAGS[24*n +: 24])) begin
                match[n] = 1'b1;
                if (KINDS[2*n +: 2] != STRING) match[MATCH_DECIMALS+10*converter(n)+decimals(n)] = 1'b1;
            end
            for (n = 0; n < N_GROUPS; n = n + 1) begin
                match[MATCH_COUNT+n] = is_tag(bytes, digits, COUNT_TAGS[24*n +: 24]);
                match[MATCH_FIRST+n] = is_tag(bytes, digits, FIRST_TAGS[24*n +: 24]);
            end
            match[MATCH_BODY]  = is_tag(bytes, digits, 24'h9);
            match[MATCH_TYPE]  = is_tag(bytes, digits, 24'h35);
            match[MATCH_SUM]   = is_tag(bytes, digits, 24'h10);
            match[MATCH_BEGIN] = is_tag(bytes, digits, 24'h8);
            for (n = 0; n < N_DATA; n = n + 1) begin
                if (is_tag(bytes, digits, LENGTH_TAGS[24*n +: 24])) match[MATCH_LENGTH] = 1'b1;
                if (is_tag(bytes, digits, DATA_TAGS[24*n +: 24]))   match[MATCH_DATA]   = 1'b1;
                if (is_tag(bytes, digits, LENGTH_TAGS[24*n +: 24]) || is_tag(bytes, digits, DATA_TAGS[24*n +: 24]))
                    match[MATCH_PAIR +: PAIR_W] = match[MATCH_PAIR +: PAIR_W] | n[PAIR_W-1:0];
            end
        end
    endfunction

    reg  [MATCH_W-1:0] match_reg;                           // of the field that goes on from the word before
    wire [7:0]         second_lead = before(s_soh & ~s_first_soh);      // before the second SOH
    wire [7:0]         lead_owner  = s_owner & s_lead;
    wire [7:0]         trail_owner = s_owner & s_trail;

    wire [MATCH_W-1:0] low_next  = match(s_tag_low, s_size_low);
    wire [MATCH_W-1:0] high_next = match(s_tag_high, s_size_high);
    wire [MATCH_W-1:0] long_next = |lead_owner[3:0] ? low_next : |lead_owner[7:4] ? high_next
                                   : |(s_tagged & s_lead) ? {MATCH_W{1'b0}} : match_reg;

    always @(posedge clk) if (step) begin
        valid        <= s_valid;
        last         <= s_last;
        keep         <= s_keep;
        data         <= s_data;
        soh          <= s_soh;
        ends         <= s_ends;
        first_soh    <= s_first_soh;
        lead         <= s_lead;
        equals       <= s_equals;
        owner        <= s_owner;
        begins       <= s_begins;
        sums         <= s_sums;
        next_equals  <= s_owner & ~s_lead & second_lead;
        owned_lead   <= |lead_owner;
        tagged_lead  <= |(s_tagged & s_lead);
        value_lead   <= |(s_value & s_lead);
        tagged_trail <= |(s_tagged & s_trail);
        value_trail  <= |(s_value & s_trail);
        low_match    <= low_next;
        high_match   <= high_next;
        long_match   <= long_next;
        if (s_valid)
            match_reg <= !s_ends ? long_next : |trail_owner[3:0] ? low_next : |trail_owner[7:4] ? high_next
                                             : {MATCH_W{1'b0}};
        if (s_last) match_reg <= {MATCH_W{1'b0}};
        if (clear)  valid     <= 1'b0;
    end

endmodule

`default_nettype wire
