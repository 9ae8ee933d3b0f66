// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_parser_wide: parses FIX messages (tag=value) in UDP payloads into typed fields, eight bytes a cycle.
//
// Does what ws_fix_parser does, with the same parameters and the same events, for 10 Gb/s. It accepts any eight bytes a
// cycle: a word may hold eight SOH, the end of a message and the beginning of the next, or three truncated messages. So
// evt_truncated (at most 4), evt_malformed and evt_garbage (at most 2) are numbers to be added up.
//
// A well-formed field has at least four bytes, so a word completes at most two of them:
//   the long field    ends at the first SOH of the word, and may have begun in any earlier word
//   the short field   lies in the word as a whole, after an SOH; its value has at most four bytes
// Every other SOH makes a message malformed, or is a byte of a data field. A message that begins and ends in one word
// cannot be good. So at most one verdict a word depends on values, and at most two values a word are converted.
//
// The two are not one source. ws_fix_parser is a state machine that advances once a byte, in 5.1 ns in an ECP5: eight
// steps do not fit in a cycle. And with seven of its eight lanes tied off, this parser still has 1670 LUTs of a
// Virtex-6 and 6 DSPs, where ws_fix_parser has 867 and 2.
//
// Each stage is a module; this one connects them:
//   1, 2  ws_fix_words        what each byte is, and the tags
//   3     ws_fix_tags         tags compared with those of the parameters
//   4     ws_fix_ends         the long and the short field, if every SOH ends one
//   5     ws_fix_delimiters   which SOH end a field, and which are bytes of a data field
//   6     ws_fix_messages     where messages begin and end
//   7, 8  ws_fix_verdict      everything that is wrong with a message; the verdict
// ws_fix_values_wide, ws_fix_type and ws_fix_totals accompany them with values, MsgType, BodyLength and CheckSum.
//
// Parameters   see ws_fix_parameters.vh
// Latency      8 cycles from the last word of a message to m_valid
// Issue rate   1 word a cycle
// Overflow     a stalled sink causes back-pressure
// Bad input    any bytes; counted as in ws_fix_parser. Every word of a payload but the last has eight bytes. Payloads
//              with tuser[0] must be dropped upstream, by a frame FIFO. LENGTH_TAGS have at least two digits, and none
//              is in DATA_TAGS
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.1.1; FIX 4.4, volume 1

`default_nettype none

module ws_fix_parser_wide #(
    `include "ws_fix_parameters.vh"
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire [63:0]                   s_axis_tdata,
    input  wire [7:0]                    s_axis_tkeep,
    input  wire                          s_axis_tvalid,
    output wire                          s_axis_tready,
    input  wire                          s_axis_tlast,

    output wire                          m_valid,
    input  wire                          m_ready,
    output wire [FIELDS_W-1:0]           m_fields,
    output wire [$clog2(N_MESSAGES+1)-1:0] m_kind,

    output wire                          evt_message,
    output wire [2:0]                    evt_truncated,
    output wire [1:0]                    evt_malformed,
    output wire                          evt_bad_header,
    output wire                          evt_bad_length,
    output wire                          evt_bad_checksum,
    output wire                          evt_unknown,
    output wire                          evt_repeated,
    output wire                          evt_bad_value,
    output wire                          evt_missing,
    output wire                          evt_bad_group,
    output wire [1:0]                    evt_garbage
);

    `include "ws_fix_layout.vh"
    `include "ws_fix_checks.vh"
    `include "ws_fix_match.vh"

    localparam KIND_W = $clog2(N_MESSAGES + 1);

    integer i, k;

    initial for (i = 0; i < N_DATA; i = i + 1) for (k = 0; k < N_DATA; k = k + 1)
        if (LENGTH_TAGS[24*i +: 24] < 24'h10 || LENGTH_TAGS[24*i +: 24] == DATA_TAGS[24*k +: 24]) begin
            $display("ERROR: %m: LENGTH_TAGS %0h: needs two digits, and must not be a data field's",
                     LENGTH_TAGS[24*i +: 24]);
            $finish;
        end

    // A stalled sink stalls the whole core, one cycle later. The word after a message's last one does not yet hold the
    // MsgType of the next message, which would change the fields.
    reg  step_reg;
    wire step = step_reg;
    assign s_axis_tready = step_reg;

    // A reset reaches all stages but the first one cycle later, in which no sink stalls them.
    reg clear_reg;

    always @(posedge clk) begin
        step_reg  <= rst || !m_valid || m_ready;
        clear_reg <= rst;
    end

    // Wires have the name of the stage whose outputs they are.
    wire                    words_valid, words_last, words_ends;
    wire [7:0]              words_keep, words_soh, words_first_soh, words_lead, words_trail, words_equals, words_point,
                            words_heads, words_anchor, words_tagged, words_inner, words_owner, words_begins,
                            words_sums, words_value, words_digit, words_nonzero, words_minus, words_odd, words_rough;
    wire [63:0]             words_data, words_code;
    wire [23:0]             words_tag_low, words_tag_high;
    wire [5:0]              words_size_low, words_size_high;

    wire                    tags_valid, tags_last, tags_ends, tags_owned_lead, tags_tagged_lead, tags_value_lead,
                            tags_tagged_trail, tags_value_trail;
    wire [7:0]              tags_keep, tags_soh, tags_first_soh, tags_lead, tags_equals, tags_owner, tags_begins,
                            tags_sums, tags_next_equals;
    wire [63:0]             tags_data;
    wire [MATCH_BITS-1:0]   tags_low_match, tags_high_match, tags_long_match;

    wire [MATCH_BITS-1:0]   ends_short_match_next, ends_long_match, ends_short_match, ends_late_match;
    wire                    ends_valid, ends_last, ends_any, ends_only, ends_long_good, ends_long_length,
                            ends_short_last, ends_short_length, ends_early_data, ends_late_data;
    wire [7:0]              ends_keep, ends_soh, ends_last_soh, ends_equals, ends_begins, ends_sum_end, ends_sum_start,
                            ends_long_end, ends_short_start, ends_short_end, ends_early, ends_late;
    wire [63:0]             ends_data, ends_part_sums;

    wire                    delimiters_long_real_next, delimiters_valid, delimiters_last, delimiters_partial,
                            delimiters_any, delimiters_sum_any, delimiters_long_real, delimiters_long_sum,
                            delimiters_short_good;
    wire [63:0]             delimiters_data, delimiters_sums;
    wire [7:0]              delimiters_soh, delimiters_good, delimiters_equals, delimiters_begins,
                            delimiters_early_begins, delimiters_late_begins, delimiters_sum_end, delimiters_short_end;
    wire [3:0]              delimiters_sum_start;
    wire [MATCH_BITS-1:0]   delimiters_long_match, delimiters_short_match, delimiters_opaque_match;

    wire                    messages_inside, messages_valid, messages_done, messages_done_short, messages_begins,
                            messages_malformed, messages_malformed_new, messages_bad_header, messages_bad_header_new,
                            messages_repeated, messages_any, messages_long_field, messages_short_field,
                            messages_begin_string, messages_long_body, messages_short_body, messages_long_type,
                            messages_short_type, messages_bad_header_word, messages_malformed_word;
    wire [N_FIELDS-1:0]     messages_long_fields, messages_short_fields;
    wire [N_GROUPS-1:0]     messages_long_counts, messages_short_counts, messages_long_firsts, messages_short_firsts;
    wire [7:0]              messages_sum_all, messages_sum_last, messages_sum_begin;
    wire [3:0]              messages_last_place, messages_long_place, messages_short_place, messages_sum_start;
    wire [2:0]              messages_truncated;
    wire [1:0]              messages_garbage;

    wire                    types_known;
    wire [KIND_W-1:0]       types_kind;
    wire [N_FIELDS-1:0]     types_wanted, types_required;

    wire [16:0]             totals_long_natural;
    wire                    totals_long_natural_good, totals_short_natural_good, totals_length_good, totals_sum_good;
    wire [13:0]             totals_short_natural;

    wire [7:0]              values_short_end, values_short_equals;
    wire                    values_short_low, values_short_high, values_short_counts, values_long_natural_good,
                            values_long_promises, values_long_three, values_short_natural_good, values_long_no_count,
                            values_short_no_count, values_begin_string;
    wire [16:0]             values_long_natural;
    wire [15:0]             values_long_reach;
    wire [13:0]             values_short_natural;
    wire [23:0]             values_short_right;
    wire [2:0]              values_short_length;
    wire [N_FIELDS-1:0]     values_long_bad, values_long_late_bad, values_short_bad;

    wire                    verdict_defaults;
    wire [N_FIELDS-1:0]     verdict_long_hit, verdict_short_hit;

    // Stages 1 and 2: what each byte is.
    ws_fix_words words (
        .clk(clk), .rst(rst), .clear(clear_reg), .step(step), .s_valid(s_axis_tvalid), .s_last(s_axis_tlast),
        .s_keep(s_axis_tkeep), .s_data(s_axis_tdata), .valid(words_valid), .last(words_last), .keep(words_keep),
        .data(words_data), .code(words_code), .soh(words_soh), .ends(words_ends), .first_soh(words_first_soh),
        .lead(words_lead), .trail(words_trail), .equals(words_equals), .point(words_point), .heads(words_heads),
        .anchor(words_anchor), .tagged(words_tagged), .inner(words_inner), .owner(words_owner),
        .tag_low(words_tag_low), .tag_high(words_tag_high), .size_low(words_size_low), .size_high(words_size_high),
        .begins(words_begins), .sums(words_sums), .value(words_value), .digit(words_digit), .nonzero(words_nonzero),
        .minus(words_minus), .odd(words_odd), .rough(words_rough)
    );

    // Stage 3: tags.
    ws_fix_tags #(
        .MATCH_W(MATCH_BITS),
        `include "ws_fix_parameter_map.vh"
    ) tags (
        .clk(clk), .clear(clear_reg), .step(step), .s_valid(words_valid), .s_last(words_last), .s_keep(words_keep),
        .s_data(words_data), .s_soh(words_soh), .s_ends(words_ends), .s_first_soh(words_first_soh),
        .s_lead(words_lead), .s_trail(words_trail), .s_equals(words_equals), .s_tagged(words_tagged),
        .s_owner(words_owner), .s_tag_low(words_tag_low), .s_tag_high(words_tag_high), .s_size_low(words_size_low),
        .s_size_high(words_size_high), .s_begins(words_begins), .s_sums(words_sums), .s_value(words_value),
        .valid(tags_valid), .last(tags_last), .keep(tags_keep), .data(tags_data), .soh(tags_soh), .ends(tags_ends),
        .first_soh(tags_first_soh), .lead(tags_lead), .equals(tags_equals), .owner(tags_owner), .begins(tags_begins),
        .sums(tags_sums), .next_equals(tags_next_equals), .owned_lead(tags_owned_lead), .tagged_lead(tags_tagged_lead),
        .value_lead(tags_value_lead), .tagged_trail(tags_tagged_trail), .value_trail(tags_value_trail),
        .low_match(tags_low_match), .high_match(tags_high_match), .long_match(tags_long_match)
    );

    // Stage 4: the long and the short field.
    ws_fix_ends #(
        .MATCH_W(MATCH_BITS),
        `include "ws_fix_parameter_map.vh"
    ) ends (
        .clk(clk), .clear(clear_reg), .step(step), .s_valid(tags_valid), .s_last(tags_last), .s_keep(tags_keep),
        .s_data(tags_data), .s_soh(tags_soh), .s_ends(tags_ends), .s_first_soh(tags_first_soh), .s_lead(tags_lead),
        .s_equals(tags_equals), .s_owner(tags_owner), .s_begins(tags_begins), .s_sums(tags_sums),
        .s_next_equals(tags_next_equals), .s_owned_lead(tags_owned_lead), .s_tagged_lead(tags_tagged_lead),
        .s_value_lead(tags_value_lead), .s_tagged_trail(tags_tagged_trail), .s_value_trail(tags_value_trail),
        .s_low_match(tags_low_match), .s_high_match(tags_high_match), .s_long_match(tags_long_match),
        .s_short_end(values_short_end), .s_short_equals(values_short_equals), .s_short_low(values_short_low),
        .s_short_high(values_short_high), .s_short_counts(values_short_counts),
        .short_match_next(ends_short_match_next), .valid(ends_valid), .last(ends_last), .keep(ends_keep),
        .data(ends_data), .part_sums(ends_part_sums), .soh(ends_soh), .last_soh(ends_last_soh), .any(ends_any),
        .only(ends_only), .equals(ends_equals), .begins(ends_begins), .sum_end(ends_sum_end),
        .sum_start(ends_sum_start), .long_end(ends_long_end), .long_good(ends_long_good),
        .long_length(ends_long_length), .long_match(ends_long_match), .short_start(ends_short_start),
        .short_end(ends_short_end), .short_last(ends_short_last), .short_length(ends_short_length),
        .short_match(ends_short_match), .early(ends_early), .late(ends_late), .early_data(ends_early_data),
        .late_data(ends_late_data), .late_match(ends_late_match)
    );

    // Stage 5: delimiters.
    ws_fix_delimiters #(
        .MATCH_W(MATCH_BITS),
        `include "ws_fix_parameter_map.vh"
    ) delimiters (
        .clk(clk), .clear(clear_reg), .step(step), .s_valid(ends_valid), .s_last(ends_last), .s_keep(ends_keep),
        .s_data(ends_data), .s_part_sums(ends_part_sums), .s_soh(ends_soh), .s_last_soh(ends_last_soh),
        .s_any(ends_any), .s_only(ends_only), .s_equals(ends_equals), .s_begins(ends_begins), .s_sum_end(ends_sum_end),
        .s_sum_start(ends_sum_start), .s_long_end(ends_long_end), .s_long_good(ends_long_good),
        .s_long_length(ends_long_length), .s_long_match(ends_long_match), .s_short_start(ends_short_start),
        .s_short_end(ends_short_end), .s_short_last(ends_short_last), .s_short_length(ends_short_length),
        .s_short_match(ends_short_match), .s_early(ends_early), .s_late(ends_late), .s_early_data(ends_early_data),
        .s_late_data(ends_late_data), .s_late_match(ends_late_match), .s_long_number(values_long_natural[15:0]),
        .s_long_reach(values_long_reach), .s_long_promises(values_long_promises),
        .s_short_number(values_short_natural), .inside(messages_inside), .long_real_next(delimiters_long_real_next),
        .valid(delimiters_valid), .last(delimiters_last), .partial(delimiters_partial), .data(delimiters_data),
        .sums(delimiters_sums), .soh(delimiters_soh), .any(delimiters_any), .good(delimiters_good),
        .equals(delimiters_equals), .begins(delimiters_begins), .early_begins(delimiters_early_begins),
        .late_begins(delimiters_late_begins), .sum_any(delimiters_sum_any), .sum_end(delimiters_sum_end),
        .sum_start(delimiters_sum_start), .long_real(delimiters_long_real), .long_sum(delimiters_long_sum),
        .long_match(delimiters_long_match), .short_end(delimiters_short_end), .short_good(delimiters_short_good),
        .short_match(delimiters_short_match), .opaque_match(delimiters_opaque_match)
    );

    // Stage 6: messages.
    ws_fix_messages #(
        .MATCH_W(MATCH_BITS),
        `include "ws_fix_parameter_map.vh"
    ) messages (
        .clk(clk), .clear(clear_reg), .step(step), .s_valid(delimiters_valid), .s_last(delimiters_last),
        .s_partial(delimiters_partial), .s_sums(delimiters_sums), .s_soh(delimiters_soh), .s_any(delimiters_any),
        .s_good(delimiters_good), .s_begins(delimiters_begins), .s_early_begins(delimiters_early_begins),
        .s_late_begins(delimiters_late_begins), .s_sum_any(delimiters_sum_any), .s_sum_end(delimiters_sum_end),
        .s_sum_start(delimiters_sum_start), .s_long_real(delimiters_long_real), .s_long_sum(delimiters_long_sum),
        .s_long_match(delimiters_long_match), .s_short_end(delimiters_short_end), .s_short_good(delimiters_short_good),
        .s_short_match(delimiters_short_match), .s_opaque_match(delimiters_opaque_match), .inside(messages_inside),
        .valid(messages_valid), .done(messages_done), .done_short(messages_done_short), .begins(messages_begins),
        .malformed(messages_malformed), .malformed_new(messages_malformed_new), .bad_header(messages_bad_header),
        .bad_header_new(messages_bad_header_new), .repeated(messages_repeated), .any(messages_any),
        .long_field(messages_long_field), .short_field(messages_short_field), .long_fields(messages_long_fields),
        .short_fields(messages_short_fields), .long_counts(messages_long_counts), .short_counts(messages_short_counts),
        .long_firsts(messages_long_firsts), .short_firsts(messages_short_firsts), .begin_string(messages_begin_string),
        .long_body(messages_long_body), .short_body(messages_short_body), .long_type(messages_long_type),
        .short_type(messages_short_type), .sum_all(messages_sum_all), .sum_last(messages_sum_last),
        .sum_begin(messages_sum_begin), .last_place(messages_last_place), .long_place(messages_long_place),
        .short_place(messages_short_place), .sum_start(messages_sum_start), .truncated(messages_truncated),
        .bad_header_word(messages_bad_header_word), .malformed_word(messages_malformed_word),
        .garbage(messages_garbage)
    );

    // MsgType, from stage 2 on.
    ws_fix_type #(
        `include "ws_fix_parameter_map.vh"
    ) types (
        .clk(clk), .clear(clear_reg), .step(step), .valid(words_valid), .last(words_last), .data(words_data),
        .first_soh(words_first_soh), .tagged(words_tagged), .short_right(values_short_right),
        .short_length(values_short_length), .from_long(messages_long_type), .known(types_known), .kind(types_kind),
        .wanted(types_wanted), .required(types_required)
    );

    // BodyLength and CheckSum, from stage 4 on.
    ws_fix_totals totals (
        .clk(clk), .step(step), .s_long_natural(values_long_natural), .s_long_natural_good(values_long_natural_good),
        .s_long_three(values_long_three), .s_long_real(delimiters_long_real_next),
        .s_short_natural(values_short_natural), .s_short_natural_good(values_short_natural_good),
        .s_short_length(values_short_length), .valid(messages_valid), .begins(messages_begins), .any(messages_any),
        .done_short(messages_done_short), .long_body(messages_long_body), .short_body(messages_short_body),
        .sum_all(messages_sum_all), .sum_last(messages_sum_last), .sum_begin(messages_sum_begin),
        .last_place(messages_last_place), .long_place(messages_long_place), .short_place(messages_short_place),
        .sum_start(messages_sum_start), .long_natural(totals_long_natural),
        .long_natural_good(totals_long_natural_good), .short_natural(totals_short_natural),
        .short_natural_good(totals_short_natural_good), .length_good(totals_length_good), .sum_good(totals_sum_good)
    );

    // Values, from stage 2 on.
    ws_fix_values_wide #(
        .MATCH_W(MATCH_BITS),
        `include "ws_fix_parameter_map.vh"
    ) values (
        .clk(clk), .clear(clear_reg), .step(step), .valid(words_valid), .last(words_last), .data(words_data),
        .code(words_code), .soh(words_soh), .ends(words_ends), .lead(words_lead), .trail(words_trail),
        .inner(words_inner), .owner(words_owner), .point(words_point), .heads(words_heads), .anchor(words_anchor),
        .value(words_value), .digit(words_digit), .nonzero(words_nonzero), .minus(words_minus), .odd(words_odd),
        .rough(words_rough), .long_match(tags_long_match),
        .short_match(ends_short_match_next), .text_valid(delimiters_valid),
        .text_last(delimiters_last), .text_data(delimiters_data), .text_soh(delimiters_soh),
        .text_equals(delimiters_equals), .long_real(delimiters_long_real), .defaults(verdict_defaults),
        .long_hit(verdict_long_hit), .short_hit(verdict_short_hit), .short_end(values_short_end),
        .short_equals(values_short_equals), .short_low(values_short_low), .short_high(values_short_high),
        .short_counts(values_short_counts), .long_natural(values_long_natural),
        .long_natural_good(values_long_natural_good), .long_promises(values_long_promises),
        .long_three(values_long_three), .long_reach(values_long_reach), .short_natural(values_short_natural),
        .short_natural_good(values_short_natural_good), .short_right(values_short_right),
        .short_length(values_short_length), .long_bad(values_long_bad), .long_late_bad(values_long_late_bad),
        .short_bad(values_short_bad), .long_no_count(values_long_no_count), .short_no_count(values_short_no_count),
        .begin_string(values_begin_string), .m_fields(m_fields)
    );

    // Stages 7 and 8: the verdict.
    ws_fix_verdict #(
        `include "ws_fix_parameter_map.vh"
    ) verdict (
        .clk(clk), .rst(rst), .clear(clear_reg), .step(step), .valid(messages_valid), .done(messages_done),
        .begins(messages_begins), .malformed(messages_malformed), .malformed_new(messages_malformed_new),
        .bad_header(messages_bad_header), .bad_header_new(messages_bad_header_new), .repeated(messages_repeated),
        .long_field(messages_long_field), .short_field(messages_short_field), .long_fields(messages_long_fields),
        .short_fields(messages_short_fields), .long_counts(messages_long_counts), .short_counts(messages_short_counts),
        .long_firsts(messages_long_firsts), .short_firsts(messages_short_firsts), .begin_string(messages_begin_string),
        .long_type(messages_long_type), .short_type(messages_short_type), .long_natural(totals_long_natural),
        .long_natural_good(totals_long_natural_good), .short_natural(totals_short_natural),
        .short_natural_good(totals_short_natural_good), .length_good(totals_length_good), .sum_good(totals_sum_good),
        .known(types_known), .kind(types_kind), .wanted(types_wanted), .required(types_required),
        .long_bad(values_long_bad), .long_late_bad(values_long_late_bad), .short_bad(values_short_bad),
        .long_no_count(values_long_no_count), .short_no_count(values_short_no_count),
        .begin_string_good(values_begin_string), .truncated(messages_truncated),
        .bad_header_word(messages_bad_header_word), .malformed_word(messages_malformed_word),
        .garbage(messages_garbage), .defaults(verdict_defaults), .long_hit(verdict_long_hit),
        .short_hit(verdict_short_hit), .m_valid(m_valid), .m_ready(m_ready), .m_kind(m_kind),
        .evt_message(evt_message), .evt_truncated(evt_truncated), .evt_malformed(evt_malformed),
        .evt_bad_header(evt_bad_header), .evt_bad_length(evt_bad_length), .evt_bad_checksum(evt_bad_checksum),
        .evt_unknown(evt_unknown), .evt_repeated(evt_repeated), .evt_bad_value(evt_bad_value),
        .evt_missing(evt_missing), .evt_bad_group(evt_bad_group), .evt_garbage(evt_garbage)
    );

endmodule

`default_nettype wire
