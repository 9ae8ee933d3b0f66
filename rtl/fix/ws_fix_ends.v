// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_ends: stage 4 of ws_fix_parser_wide: the long and the short field that end in a word, if every SOH ends one.
//
// Which SOH are bytes of a data field is decided in the next stage, from what this one prepares.
//
// Parameters   MATCH_W  width of a match in bits
//              see ws_fix_parameters.vh
// Latency      1 cycle
// Issue rate   1 word a cycle
// Bad input    any bytes
// Source       FIX 4.4, volume 1, "FIX tag=value syntax" and data type data

`default_nettype none

module ws_fix_ends #(
    parameter MATCH_W = 1,
    `include "ws_fix_parameters.vh"
) (
    input  wire               clk,
    input  wire               clear,
    input  wire               step,             // clock enable

    // from ws_fix_tags
    input  wire               s_valid,
    input  wire               s_last,
    input  wire [7:0]         s_keep,
    input  wire [63:0]        s_data,
    input  wire [7:0]         s_soh,
    input  wire               s_ends,
    input  wire [7:0]         s_first_soh,
    input  wire [7:0]         s_lead,
    input  wire [7:0]         s_equals,
    input  wire [7:0]         s_owner,
    input  wire [7:0]         s_begins,
    input  wire [7:0]         s_sums,
    input  wire [7:0]         s_next_equals,
    input  wire               s_owned_lead,
    input  wire               s_tagged_lead,
    input  wire               s_value_lead,
    input  wire               s_tagged_trail,
    input  wire               s_value_trail,
    input  wire [MATCH_W-1:0] s_low_match,
    input  wire [MATCH_W-1:0] s_high_match,
    input  wire [MATCH_W-1:0] s_long_match,
    // from ws_fix_short
    input  wire [7:0]         s_short_end,
    input  wire [7:0]         s_short_equals,
    input  wire               s_short_low,
    input  wire               s_short_high,
    input  wire               s_short_counts,

    output wire [MATCH_W-1:0] short_match_next, // stage 3, of the short field

    output reg                valid,
    output reg                last,
    output reg  [7:0]         keep,
    output reg  [63:0]        data,
    output reg  [63:0]        part_sums,        // 8 bits a byte: sum of the bytes up to it in its half of the word
    output reg  [7:0]         soh,
    output reg  [7:0]         last_soh,
    output reg                any,              // the word has an SOH
    output reg                only,             // and only one
    output reg  [7:0]         equals,
    output reg  [7:0]         begins,
    output reg  [7:0]         sum_end,          // SOH of a field 10 that lies in the word,
    output reg  [7:0]         sum_start,        // and the SOH before it

    // The long and the short field; a length is that of a data field, 1 or more.
    output reg  [7:0]         long_end,         // its SOH, one-hot
    output reg                long_good,
    output reg                long_length,
    output reg  [MATCH_W-1:0] long_match,
    output reg  [7:0]         short_start,      // the SOH before it
    output reg  [7:0]         short_end,
    output reg                short_last,       // it ends at the last SOH
    output reg                short_length,
    output reg  [MATCH_W-1:0] short_match,

    // The "=" of the field that began before the word, and of the one after the first SOH, see ws_fix_opaque.
    output reg  [7:0]         early,
    output reg  [7:0]         late,
    output reg                early_data,       // a data field, of the length before it
    output reg                late_data,
    output reg  [MATCH_W-1:0] late_match
);

    `include "ws_fix_layout.vh"
    `include "ws_fix_match.vh"
    `include "ws_fix_sets.vh"

    integer i, k;

    // The length that ended at the last SOH before this word.
    reg                length_reg;
    reg  [PAIR_W-1:0]  pair_reg;
    wire               length_before = !valid || !any ? length_reg : only ? long_length : short_last && short_length;
    wire [PAIR_W-1:0]  pair_before   = !valid || !any ? pair_reg : only ? long_match[MATCH_PAIR +: PAIR_W]
                                                                        : short_match[MATCH_PAIR +: PAIR_W];

    assign             short_match_next = ({MATCH_W{s_short_low}}  & s_low_match)
                                          | ({MATCH_W{s_short_high}} & s_high_match);
    wire [MATCH_W-1:0] next_match = |s_next_equals[3:0] ? s_low_match : s_high_match;
    reg                has_tag_reg, has_value_reg;          // the field that goes on from the word before
    wire               good = s_ends && (has_tag_reg || s_tagged_lead) && (has_value_reg || s_value_lead);
    wire [7:0]         last_next = last_of(s_soh);
    reg  [7:0]         sum_end_next, sum_start_next, starts;

    always @* begin
        sum_end_next   = 8'd0;
        sum_start_next = 8'd0;
        starts         = 8'd0;
        for (i = 0; i < 6; i = i + 1)                       // the last SOH before the "="
            for (k = i + 2; k < 8; k = k + 1)
                if (s_short_equals[k] && s_soh[i] && ~|((s_soh & ((8'd1 << k) - 8'd1)) >> i >> 1)) starts[i] = 1'b1;
        for (i = 3; i < 7; i = i + 1) if (s_sums[i] && s_soh[i-3]) begin
            sum_end_next        = first(s_soh & ~up_to(8'd1 << i));
            sum_start_next[i-3] = |sum_end_next;
        end
    end

    always @(posedge clk) if (step) begin
        valid  <= s_valid;
        last   <= s_last;
        keep   <= s_keep;
        data   <= s_data;
        soh    <= s_soh;
        equals <= s_equals;
        begins <= s_begins;
        for (k = 0; k < 64; k = k + 32) begin
            part_sums[k +: 8]    <= s_data[k +: 8];
            part_sums[k+8 +: 8]  <= s_data[k +: 8] + s_data[k+8 +: 8];
            part_sums[k+16 +: 8] <= s_data[k +: 8] + s_data[k+8 +: 8] + s_data[k+16 +: 8];
            part_sums[k+24 +: 8] <= s_data[k +: 8] + s_data[k+8 +: 8] + s_data[k+16 +: 8] + s_data[k+24 +: 8];
        end
        last_soh     <= last_next;
        any          <= s_ends;
        only         <= ~|(s_soh & ~s_first_soh);
        sum_end      <= sum_end_next;
        sum_start    <= sum_start_next;
        long_end     <= s_first_soh;
        long_good    <= good;
        long_length  <= good && s_long_match[MATCH_LENGTH];
        long_match   <= s_long_match;
        short_start  <= starts;
        short_end    <= s_short_end;
        short_last   <= |(last_next & s_short_end);
        short_length <= s_short_counts && short_match_next[MATCH_LENGTH];
        short_match  <= short_match_next;
        early        <= s_owner & s_lead;
        late         <= s_next_equals;
        late_match   <= next_match;
        early_data   <= s_owned_lead && s_long_match[MATCH_DATA] && length_before
                        && s_long_match[MATCH_PAIR +: PAIR_W] == pair_before;
        late_data    <= |s_next_equals && good && next_match[MATCH_DATA] && s_long_match[MATCH_LENGTH]
                        && next_match[MATCH_PAIR +: PAIR_W] == s_long_match[MATCH_PAIR +: PAIR_W];
        if (s_valid) begin
            has_tag_reg   <= !s_last && (s_tagged_trail || (!s_ends && has_tag_reg));
            has_value_reg <= !s_last && (s_value_trail || (!s_ends && has_value_reg));
        end
        length_reg <= length_before && !last;
        pair_reg   <= pair_before;
        if (clear) begin
            valid         <= 1'b0;
            length_reg    <= 1'b0;
            has_tag_reg   <= 1'b0;
            has_value_reg <= 1'b0;
        end
    end

endmodule

`default_nettype wire
