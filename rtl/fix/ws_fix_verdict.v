// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_verdict: stages 7 and 8 of ws_fix_parser_wide: everything that is wrong with a message, and its verdict.
//
// A word may complete two fields of a message: the long one first, then the short one. If the message ends in the word
// its verdict is about the fields before, the long one included: signals *_now.
//
// Parameters   see ws_fix_parameters.vh
// Latency      2 cycles from stage 6
// Issue rate   1 word a cycle
// Overflow     m_valid stays until m_ready; the parser stalls
// Bad input    any bytes; counted as in ws_fix_parser
// Source       FIX 4.4, volume 1

`default_nettype none

module ws_fix_verdict #(
    `include "ws_fix_parameters.vh"
) (
    input  wire                            clk,
    input  wire                            rst,
    input  wire                            clear,
    input  wire                            step,                // clock enable

    // after stage 6, from ws_fix_messages
    input  wire                            valid,
    input  wire                            done,
    input  wire                            begins,
    input  wire                            malformed,
    input  wire                            malformed_new,
    input  wire                            bad_header,
    input  wire                            bad_header_new,
    input  wire                            repeated,
    input  wire                            long_field,
    input  wire                            short_field,
    input  wire [N_FIELDS-1:0]             long_fields,
    input  wire [N_FIELDS-1:0]             short_fields,
    input  wire [N_GROUPS-1:0]             long_counts,
    input  wire [N_GROUPS-1:0]             short_counts,
    input  wire [N_GROUPS-1:0]             long_firsts,
    input  wire [N_GROUPS-1:0]             short_firsts,
    input  wire                            begin_string,
    input  wire                            long_type,
    input  wire                            short_type,
    // from ws_fix_totals
    input  wire [16:0]                     long_natural,
    input  wire                            long_natural_good,
    input  wire [13:0]                     short_natural,
    input  wire                            short_natural_good,
    input  wire                            length_good,
    input  wire                            sum_good,
    // from ws_fix_type
    input  wire                            known,
    input  wire [$clog2(N_MESSAGES+1)-1:0] kind,
    input  wire [N_FIELDS-1:0]             wanted,
    input  wire [N_FIELDS-1:0]             required,
    // from ws_fix_values_wide
    input  wire [N_FIELDS-1:0]             long_bad,            // the value is not of the field's type
    input  wire [N_FIELDS-1:0]             long_late_bad,
    input  wire [N_FIELDS-1:0]             short_bad,
    input  wire                            long_no_count,       // nor a natural number
    input  wire                            short_no_count,
    input  wire                            begin_string_good,   // after stage 7
    // after stage 7, from ws_fix_messages
    input  wire [2:0]                      truncated,
    input  wire                            bad_header_word,
    input  wire                            malformed_word,
    input  wire [1:0]                      garbage,

    // after stage 7: fields to be stored in stage 8, the short one last
    output reg                             defaults,            // first set all to their defaults
    output reg  [N_FIELDS-1:0]             long_hit,
    output reg  [N_FIELDS-1:0]             short_hit,

    output reg                             m_valid,
    input  wire                            m_ready,
    output reg  [$clog2(N_MESSAGES+1)-1:0] m_kind,

    output reg                             evt_message,
    output reg  [2:0]                      evt_truncated,
    output reg  [1:0]                      evt_malformed,
    output reg                             evt_bad_header,
    output reg                             evt_bad_length,
    output reg                             evt_bad_checksum,
    output reg                             evt_unknown,
    output reg                             evt_repeated,
    output reg                             evt_bad_value,
    output reg                             evt_missing,
    output reg                             evt_bad_group,
    output reg  [1:0]                      evt_garbage
);

    localparam KIND_W = $clog2(N_MESSAGES + 1);

    // Stage 7: the message.
    reg                 malformed_reg, header_reg, repeated_reg, value_reg, unknown_reg, begin_string_reg;
    reg  [N_FIELDS-1:0] wanted_reg, required_reg, seen_reg;
    reg  [KIND_W-1:0]   kind_reg;

    wire [N_FIELDS-1:0] wanted_now   = long_type ? wanted   : wanted_reg;
    wire [N_FIELDS-1:0] required_now = long_type ? required : required_reg;
    wire                unknown_now  = long_type ? !known   : unknown_reg;
    wire [N_FIELDS-1:0] long_wanted  = {N_FIELDS{long_field}}  & long_fields  & wanted_reg;
    wire [N_FIELDS-1:0] short_wanted = {N_FIELDS{short_field}} & short_fields & wanted_now;

    wire [N_FIELDS-1:0] long_here, short_here, open;
    wire                long_is_count, short_is_count, long_recount, short_recount, group_bad;

    ws_fix_groups_wide #(
        `include "ws_fix_parameter_map.vh"
    ) groups (
        .clk(clk), .step(step), .valid(valid), .begins(begins), .long_field(long_field), .short_field(short_field),
        .long_counts(long_counts), .short_counts(short_counts), .long_firsts(long_firsts), .short_firsts(short_firsts),
        .long_type(long_type), .short_type(short_type),
        .long_natural(long_natural), .long_natural_good(long_natural_good), .short_natural(short_natural),
        .short_natural_good(short_natural_good), .wanted(wanted_reg), .wanted_now(wanted_now),
        .long_fields(long_wanted), .short_fields(short_wanted), .long_here(long_here), .short_here(short_here),
        .open(open), .long_is_count(long_is_count), .short_is_count(short_is_count), .long_repeated(long_recount),
        .short_repeated(short_recount), .bad(group_bad)
    );

    wire [N_FIELDS-1:0] long_hits  = long_wanted & long_here;
    wire [N_FIELDS-1:0] short_hits = short_wanted & short_here;
    wire [N_FIELDS-1:0] seen_now   = long_type ? {N_FIELDS{1'b0}} : seen_reg | long_hits;
    wire                repeated_now = repeated_reg || |(long_hits & seen_reg) || long_recount;
    wire                value_now  = value_reg || |(long_hits & (long_bad | long_late_bad))
                                     || (long_is_count && long_no_count);
    wire                header_now = header_reg || (begin_string_reg && !begin_string_good);
    wire [N_FIELDS-1:0] missing    = required_now & open & ~seen_now;

    reg                 done_reg;
    reg  [8:0]          wrong_reg;                          // the first reason in the high bit

    always @(posedge clk) if (step) begin
        done_reg  <= done;
        wrong_reg <= {malformed_reg || malformed,
                      header_now || bad_header,
                      !length_good,
                      !sum_good,
                      unknown_now,
                      repeated_now || repeated,
                      value_now,
                      |missing,
                      group_bad};
        if (valid) begin
            malformed_reg <= malformed_reg || malformed;
            repeated_reg  <= repeated_now || repeated || |(short_hits & seen_now) || short_recount;
            value_reg     <= value_now || |(short_hits & short_bad) || (short_is_count && short_no_count);
            unknown_reg   <= long_type || short_type ? !known   : unknown_reg;
            required_reg  <= long_type || short_type ? required : required_reg;
            wanted_reg    <= long_type || short_type ? wanted   : wanted_reg;
            seen_reg      <= short_type ? {N_FIELDS{1'b0}} : seen_now | short_hits;
        end
        header_reg <= header_now || (valid && bad_header);
        if (begins) begin
            malformed_reg <= malformed_new;
            header_reg    <= bad_header_new;
            repeated_reg  <= 1'b0;
            value_reg     <= 1'b0;
            wanted_reg    <= {N_FIELDS{1'b0}};
        end
        begin_string_reg <= begin_string && !begins;
        defaults         <= long_type || short_type;
        long_hit         <= long_hits;
        short_hit        <= short_hits;
        kind_reg         <= kind;
        if (clear) begin
            done_reg         <= 1'b0;
            begin_string_reg <= 1'b0;
            wanted_reg       <= {N_FIELDS{1'b0}};
        end
    end

    // Stage 8: the verdict.
    reg  [8:0] first_wrong;
    wire       good = ~|wrong_reg;
    integer    i;

    always @* for (i = 0; i < 9; i = i + 1)
        first_wrong[i] = wrong_reg[i] && ~|(wrong_reg >> i >> 1) && done_reg && step;

    always @(posedge clk) begin
        if (m_ready) m_valid <= 1'b0;
        if (step && done_reg && good) m_valid <= 1'b1;
        if (step && defaults) m_kind <= kind_reg;
        evt_message    <= step && done_reg && good;
        evt_truncated  <= step ? truncated : 3'd0;
        evt_malformed  <= {1'b0, first_wrong[8]} + {1'b0, step && malformed_word};
        evt_bad_header <= first_wrong[7] || (step && bad_header_word);
        evt_garbage    <= step ? {1'b0, garbage[0]} + {1'b0, garbage[1]} : 2'd0;
        {evt_bad_length, evt_bad_checksum, evt_unknown, evt_repeated, evt_bad_value, evt_missing, evt_bad_group}
            <= first_wrong[6:0];
        if (rst || clear) m_valid <= 1'b0;
        if (clear) begin
            {evt_message, evt_truncated, evt_malformed, evt_bad_header, evt_garbage} <= 9'd0;
            {evt_bad_length, evt_bad_checksum, evt_unknown, evt_repeated, evt_bad_value, evt_missing, evt_bad_group}
                <= 7'd0;
        end
    end

endmodule

`default_nettype wire
