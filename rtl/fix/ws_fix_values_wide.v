// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_values_wide: the values of the fields that a word of ws_fix_parser_wide completes, from stage 2 to m_fields.
//
// The long field goes through a converter of numbers and timestamps (ws_fix_decimal) and one of text (ws_fix_text), the
// short one through ws_fix_short and ws_fix_short_number. All fields share them.
//
// Parameters   MATCH_W  width of a match in bits
//              see ws_fix_parameters.vh
// Latency      6 cycles from stage 2
// Issue rate   1 word a cycle
// Bad input    reported by long_bad, long_late_bad, short_bad, long_no_count and short_no_count
// Source       none

`default_nettype none

module ws_fix_values_wide #(
    parameter MATCH_W = 1,
    `include "ws_fix_parameters.vh"
) (
    input  wire                clk,
    input  wire                clear,
    input  wire                step,            // clock enable

    // after stage 2, from ws_fix_words; anchor before it
    input  wire                valid,
    input  wire                last,
    input  wire [63:0]         data,
    input  wire [63:0]         code,
    input  wire [7:0]          soh,
    input  wire                ends,
    input  wire [7:0]          lead,
    input  wire [7:0]          trail,
    input  wire [7:0]          inner,
    input  wire [7:0]          owner,
    input  wire [7:0]          point,
    input  wire [7:0]          heads,
    input  wire [7:0]          anchor,
    input  wire [7:0]          value,
    input  wire [7:0]          digit,
    input  wire [7:0]          nonzero,
    input  wire [7:0]          minus,
    input  wire [7:0]          odd,
    input  wire [7:0]          rough,
    // after stage 3, from ws_fix_tags and ws_fix_ends
    input  wire [MATCH_W-1:0]  long_match,
    input  wire [MATCH_W-1:0]  short_match,
    // after stage 5, from ws_fix_delimiters
    input  wire                text_valid,
    input  wire                text_last,
    input  wire [63:0]         text_data,
    input  wire [7:0]          text_soh,        // delimiters
    input  wire [7:0]          text_equals,
    input  wire                long_real,
    // after stage 7, from ws_fix_verdict
    input  wire                defaults,
    input  wire [N_FIELDS-1:0] long_hit,
    input  wire [N_FIELDS-1:0] short_hit,

    // after stage 3: the short field
    output wire [7:0]          short_end,
    output wire [7:0]          short_equals,
    output wire                short_low,
    output wire                short_high,
    output wire                short_counts,
    // after stage 4: natural numbers
    output wire [16:0]         long_natural,
    output wire                long_natural_good,
    output wire                long_promises,
    output wire                long_three,
    output wire [15:0]         long_reach,
    output wire [13:0]         short_natural,
    output wire                short_natural_good,
    output wire [23:0]         short_right,
    output wire [2:0]          short_length,
    // after stage 6, one bit a field: the value would be bad for it; late: not from a register
    output reg  [N_FIELDS-1:0] long_bad,
    output wire [N_FIELDS-1:0] long_late_bad,
    output reg  [N_FIELDS-1:0] short_bad,
    output reg                 long_no_count,   // no natural number
    output reg                 short_no_count,
    // after stage 7
    output reg                 begin_string,    // the long field is in BEGIN_STRINGS

    output wire [FIELDS_W-1:0] m_fields
);

    `include "ws_fix_layout.vh"
    `include "ws_fix_match.vh"

    function integer longest(input integer unused);     // string, in bits
        integer n;
        begin
            longest = 0;
            for (n = 0; n < N_FIELDS; n = n + 1)
                if (KINDS[2*n +: 2] == STRING && {22'd0, WIDTHS[10*n +: 10]} > longest)
                    longest = {22'd0, WIDTHS[10*n +: 10]};
        end
    endfunction

    localparam TEXT_WORDS = longest(0) > 256 ? 8 : 4, TEXT_W = 64 * TEXT_WORDS;

    integer i, k;

    // The long field as a number, by each converter. Those of a converter but 0 are not read as natural numbers.
    wire [CONVERTERS-1:0]    natural_good, promises, three, numeric, negative, pointed, timestamp_good;
    wire [17*CONVERTERS-1:0] natural;
    wire [16*CONVERTERS-1:0] reach;
    wire [19*CONVERTERS-1:0] whole_used;
    wire [10*CONVERTERS-1:0] fraction_used;
    wire [64*CONVERTERS-1:0] long_number, short_number;
    wire [3:0]               short_points;
    wire [15:0]              short_digits;
    wire                     short_numeric, short_negative, short_pointed;
    wire [2:0]               short_fraction_used;
    wire [31:0]              short_text;

    assign long_natural      = natural[16:0];
    assign long_natural_good = natural_good[0];
    assign long_promises     = promises[0];
    assign long_three        = three[0];
    assign long_reach        = reach[15:0];

    genvar c;
    generate
        for (c = 0; c < CONVERTERS; c = c + 1) begin : gen_number
            ws_fix_decimal decimal (
                .clk(clk), .step(step), .valid(valid), .last(last), .code(code), .ends(ends),
                .lead(lead), .trail(trail), .point(point), .heads(heads), .anchor(anchor), .value_byte(value),
                .digit(digit), .nonzero(nonzero), .minus(minus), .odd(odd), .rough(rough),
                .natural(natural[17*c +: 17]), .natural_good(natural_good[c]), .promises(promises[c]),
                .three(three[c]), .reach(reach[16*c +: 16]),
                .decimals(long_match[MATCH_DECIMALS+10*c +: 10]), .numeric(numeric[c]),
                .negative(negative[c]), .pointed(pointed[c]), .whole_used(whole_used[19*c +: 19]),
                .fraction_used(fraction_used[10*c +: 10]), .timestamp_good(timestamp_good[c]),
                .value(long_number[64*c +: 64])
            );

            ws_fix_short_number short_converter (
                .clk(clk), .step(step), .points(short_points), .decimals(short_match[MATCH_DECIMALS+10*c +: 9]),
                .digits(short_digits), .negative(short_negative), .value(short_number[64*c +: 64])
            );
        end
    endgenerate

    ws_fix_short short_field (
        .clk(clk), .step(step), .data(data), .code(code), .soh(soh), .inner(inner), .owner(owner),
        .point(point), .digit(digit), .minus(minus), .odd(odd),
        .ends(short_end), .equals(short_equals), .low(short_low), .high(short_high), .points(short_points),
        .counts(short_counts), .text(short_text), .right(short_right), .length(short_length),
        .natural(short_natural), .natural_good(short_natural_good), .numeric(short_numeric),
        .negative(short_negative), .digits(short_digits), .pointed(short_pointed),
        .fraction_used(short_fraction_used)
    );

    // The long field as text.
    wire [6:0]        text_length;                      // stage 6
    wire [TEXT_W-1:0] long_text;                        // stage 7

    ws_fix_text #(.WORDS(TEXT_WORDS)) texts (
        .clk(clk), .rst(clear), .step(step), .valid(text_valid), .last(text_last), .data(text_data),
        .soh(text_soh), .equals(text_equals), .length(text_length), .text(long_text)
    );

    // Stages 5 to 7: the short field keeps pace.
    reg        numeric_s5_reg, negative_s5_reg, pointed_s5_reg;
    reg [2:0]  fraction_used_s5_reg, length_s5_reg;
    reg [31:0] text_s5_reg, text_s6_reg, text_s7_reg;
    reg [6:0]  text_length_reg;                         // stage 7

    always @(posedge clk) if (step) begin
        numeric_s5_reg       <= short_numeric;
        negative_s5_reg      <= short_negative;
        pointed_s5_reg       <= short_pointed;
        fraction_used_s5_reg <= short_fraction_used;
        length_s5_reg        <= short_length;
        text_s5_reg          <= short_text;
        text_s6_reg          <= text_s5_reg;
        text_s7_reg          <= text_s6_reg;
        text_length_reg      <= text_length;
        long_no_count        <= !long_real || !numeric[0] || negative[0] || pointed[0];
        short_no_count       <= !numeric_s5_reg || negative_s5_reg || pointed_s5_reg;
    end

    always @* begin
        begin_string = 1'b0;
        for (i = 0; i < N_BEGINS; i = i + 1) for (k = 1; k <= 8; k = k + 1)     // it has k characters
            if (BEGIN_STRINGS[64*i +: 64] >> 8 * (k - 1) != 64'd0 && BEGIN_STRINGS[64*i +: 64] >> 8 * k == 64'd0)
                if (text_length_reg == k[6:0] && long_text[TEXT_W-1 -: 64] == BEGIN_STRINGS[64*i +: 64] << 8 * (8 - k))
                    begin_string = 1'b1;
    end

    // Stage 6: is the value of the field's type? Stage 8: the fields.
    wire [TEXT_W-1:0] short_text_wide = {text_s7_reg, {TEXT_W-32{1'b0}}};
    wire              unused = ^{long_text, short_text_wide};       // wider than the longest string

    genvar g;
    generate
        for (g = 0; g < N_FIELDS; g = g + 1) begin : gen_field
            localparam       W         = {22'd0, WIDTHS[10*g +: 10]};
            localparam       AT        = offset(g);
            localparam [1:0] KIND      = KINDS[2*g +: 2];
            localparam       CONVERTER = KIND == STRING ? 0 : converter(g);

            if (KIND == STRING) begin : gen_string
                assign long_late_bad[g] = {25'd0, text_length} > W / 8;

                always @(posedge clk) if (step) begin
                    long_bad[g]  <= 1'b0;
                    short_bad[g] <= {29'd0, length_s5_reg} > W / 8;
                end
            end else if (KIND == TIMESTAMP) begin : gen_timestamp
                assign long_late_bad[g] = !timestamp_good[CONVERTER];

                always @(posedge clk) if (step) begin
                    long_bad[g]  <= !long_real;
                    short_bad[g] <= 1'b1;
                end
            end else begin : gen_number
                localparam PLACES = KIND == PRICE ? {28'd0, DECIMALS[4*g +: 4]} : 0;
                initial if (PLACES > 8) begin
                    $display("ERROR: %m: DECIMALS = %0d (0 to 8)", PLACES);
                    $finish;
                end
                localparam LIMIT  = (W == 64 ? 18 : 9) - PLACES;

                assign long_late_bad[g] = 1'b0;

                always @(posedge clk) if (step) begin
                    long_bad[g]  <= !long_real || !numeric[CONVERTER] || |(whole_used[19*CONVERTER +: 19] >> LIMIT)
                                    || (negative[CONVERTER] && !SIGNED[g])
                                    || (KIND == INTEGER ? pointed[CONVERTER]
                                                        : |(fraction_used[10*CONVERTER +: 10] >> PLACES));
                    short_bad[g] <= !numeric_s5_reg || (negative_s5_reg && !SIGNED[g])
                                    || (KIND == INTEGER ? pointed_s5_reg : |(fraction_used_s5_reg >> PLACES));
                end
            end

            reg  [W-1:0] field_reg;
            wire [W-1:0] long_value, short_value;
            assign m_fields[AT +: W] = field_reg;

            if (KIND == STRING) begin : gen_text
                assign long_value  = long_text[TEXT_W-1 -: W];
                assign short_value = short_text_wide[TEXT_W-1 -: W];
            end else begin : gen_value
                assign long_value  = long_number[64*CONVERTER +: W];
                assign short_value = short_number[64*CONVERTER +: W];
            end

            always @(posedge clk) if (step && (defaults || long_hit[g] || short_hit[g]))
                field_reg <= short_hit[g] ? short_value : defaults ? DEFAULTS[AT +: W] : long_value;
        end
    endgenerate

endmodule

`default_nettype wire
