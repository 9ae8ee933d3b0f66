// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_decimal: the long field of a word as a number or a UTCTimestamp, eight bytes a cycle.
//
// The digits of both are placed around a point, the first one, or else the end of the value:
//
//     whole     17    14   12  10 9   7 6   4 3   1 0          fraction  0 1 2 …
//                                               1 0 0      .             5
//                2 0 y y   m m d d - h h : m m : s s       .             1 2 3
//
// So the words around the point are kept (`anchor`), and one shift by its place moves all digits to theirs. Bytes of
// other fields and of the tag count as digits 0. Only these words and the flags feed back. Decimals are moved before
// the point as the field's type needs; then two digits a term become binary (A), eight (B), products (C), and the sum.
//
// Latency      2 cycles from stage 2 to `natural`, 3 to the flags, 6 to `value`; for stage 2 see ws_fix_words
// Issue rate   1 word a cycle
// Bad input    value is valid only if the flags are: at most 18 digits, or timestamp_good
// Source       FIX 5.0 SP2, volume 1, data types float and UTCTimestamp

`default_nettype none

module ws_fix_decimal (
    input  wire        clk,
    input  wire        step,

    // stage 2, before the register
    input  wire [7:0]  anchor,

    // stage 2
    input  wire        valid,
    input  wire        last,            // with valid, as is `ends`, or after a reset
    input  wire [63:0] code,
    input  wire        ends,            // the word has an SOH
    input  wire [7:0]  lead,
    input  wire [7:0]  trail,
    input  wire [7:0]  point,
    input  wire [7:0]  heads,
    input  wire [7:0]  value_byte,
    input  wire [7:0]  digit,
    input  wire [7:0]  nonzero,
    input  wire [7:0]  minus,
    input  wire [7:0]  odd,
    input  wire [7:0]  rough,

    // stage 3, before the register
    input  wire [9:0]  decimals,        // one-hot: decimals of `value`; bit 9: a timestamp

    // stage 4
    output reg  [16:0] natural,         // the last five digits
    output reg         natural_good,    // digits only, at most five; natural may exceed 65,535
    output reg         promises,        // digits only, 1 to 65,535
    output reg         three,           // three characters
    output reg  [15:0] reach,           // bit n: natural is at least n

    // stage 5
    output reg         numeric,         // an optional minus, digits and at most one point
    output reg         negative,
    output reg         pointed,
    output reg  [18:0] whole_used,      // digits other than 0, by place; bit 18 for all further places
    output reg  [9:0]  fraction_used,   // the same after the point; bit 9 for all further places
    // stage 6
    output reg         timestamp_good,
    // after stage 7
    output wire [63:0] value
);

    localparam DIGIT = 4, COLON = 5, DASH = 6, MARK = 7;    // of a byte's code: see ws_fix_words

    `include "ws_fix_sets.vh"
    `include "ws_fix_worth.vh"

    integer i, j;

    // The codes of this word's bytes that belong to the field that ends here, and to the field that goes on.
    reg [63:0] lead_code, trail_code;

    always @* for (i = 0; i < 8; i = i + 1) begin
        lead_code[8*i +: 8]  = lead[i]  ? code[8*i +: 8] : 8'd0;
        trail_code[8*i +: 8] = trail[i] ? code[8*i +: 8] : 8'd0;
    end

    // The place of the point: in an earlier word (place_reg, in anchor_reg), or else in this one, or the value's end.
    // at_reg is that place for all digits.
    reg        held_reg;
    reg [7:0]  place_reg, at_reg;
    wire       news       = valid && (ends || !held_reg);
    wire       held_next  = !last && (news ? |heads : held_reg);
    wire [7:0] place_next = news ? first(heads) : place_reg;

    always @(posedge clk) if (step) begin
        held_reg  <= held_next;
        place_reg <= place_next;
        at_reg    <= held_next ? place_next : anchor;
    end

    // Stage 3. phase_reg: words from that with the point on, one-hot; the last bit for all further words.
    reg [3:1]  phase_reg;
    reg [63:0] anchor_reg, back1_reg, back2_reg, next1_reg;
    reg [15:0] back3_reg, next2_reg;                        // two bytes
    reg [7:0]  used0_reg, used1_reg, used2_reg, used3_reg, used_next1_reg, used_next2_reg;
    reg        used_back_reg, used_beyond_reg;              // in all words before these, after these

    always @(posedge clk) if (step) begin
        if (valid) begin
            if (news) begin
                anchor_reg <= trail_code;
                phase_reg  <= {2'b00, |heads};
                used0_reg  <= nonzero & trail;
            end else phase_reg <= {|phase_reg[3:2], phase_reg[1], 1'b0};
            if (!held_reg) begin
                back1_reg     <= anchor_reg;
                back2_reg     <= back1_reg;
                back3_reg     <= back2_reg[63:48];
                used1_reg     <= used0_reg;
                used2_reg     <= used1_reg;
                used3_reg     <= used2_reg;
                used_back_reg <= used_back_reg || |used3_reg;
            end
            if (phase_reg[1]) begin
                next1_reg      <= code;
                used_next1_reg <= nonzero;
            end
            if (phase_reg[2]) begin
                next2_reg      <= code[15:0];
                used_next2_reg <= nonzero;
            end
            if (phase_reg[3]) used_beyond_reg <= used_beyond_reg || |nonzero;
        end
        if (ends || last) begin
            back1_reg       <= 64'd0;
            back2_reg       <= 64'd0;
            back3_reg       <= 16'd0;
            next1_reg       <= 64'd0;
            next2_reg       <= 16'd0;
            used1_reg       <= 8'd0;
            used2_reg       <= 8'd0;
            used3_reg       <= 8'd0;
            used_next1_reg  <= 8'd0;
            used_next2_reg  <= 8'd0;
            used_back_reg   <= 1'b0;
            used_beyond_reg <= 1'b0;
        end
        if (last) begin
            phase_reg  <= 3'd0;
            anchor_reg <= 64'd0;
            used0_reg  <= 8'd0;
        end
    end

    // Flags of the field as a whole.
    reg odd_reg, digit_reg, minus_reg, point_reg, rough_reg;

    always @(posedge clk) if (step) begin
        if (valid) begin
            odd_reg   <= |(odd & trail)                || (!ends && odd_reg);
            digit_reg <= |(digit & trail)              || (!ends && digit_reg);
            minus_reg <= |(minus & trail)              || (!ends && minus_reg);
            point_reg <= |(point & value_byte & trail) || (!ends && point_reg);
            rough_reg <= |(rough & trail)              || (!ends && rough_reg);
        end
        if (last) {odd_reg, digit_reg, minus_reg, point_reg, rough_reg} <= 5'd0;
    end

    // The 18 bytes before the place and the 10 after it.
    function [143:0] digits_before(input [207:0] bytes, input [7:0] one);
        integer n, m;
        begin
            digits_before = 144'd0;
            for (n = 0; n < 8; n = n + 1) for (m = 0; m < 18; m = m + 1)
                if (one[n]) digits_before[8*m +: 8] = digits_before[8*m +: 8] | bytes[8*(n+17-m) +: 8];
        end
    endfunction

    function [79:0] digits_after(input [143:0] bytes, input [7:0] one);
        integer n, m;
        begin
            digits_after = 80'd0;
            for (n = 0; n < 8; n = n + 1) for (m = 0; m < 10; m = m + 1)
                if (one[n]) digits_after[8*m +: 8] = digits_after[8*m +: 8] | bytes[8*(n+1+m) +: 8];
        end
    endfunction

    wire [207:0] past     = {anchor_reg, back1_reg, back2_reg, back3_reg};  // the last 26 bytes
    wire [79:0]  next     = {phase_reg[2] ? lead_code[15:0] : next2_reg,
                             phase_reg[1] ? lead_code : next1_reg};
    wire [7:0]   used2    = held_reg ? used2_reg : used1_reg;
    wire [7:0]   used3    = held_reg ? used3_reg : used2_reg;
    wire [7:0]   tail     = nonzero & lead;
    wire [7:0]   used_n1  = phase_reg[1] ? tail : used_next1_reg;
    wire [7:0]   used_n2  = phase_reg[2] ? tail : used_next2_reg;

    reg [143:0] whole_reg;                                  // 18 codes
    reg [79:0]  fraction_reg;                               // 10 codes
    reg         old_next, far_next, old_reg, far_reg;       // digits other than 0 out of reach, before and after
    reg         odd_s3_reg, digit_s3_reg, minus_s3_reg, point_s3_reg, rough_s3_reg;

    always @* begin
        old_next      = used_back_reg || (!held_reg && |used3_reg);
        far_next      = held_reg && (used_beyond_reg || (phase_reg[3] && |tail) || |used_n2[7:1]
                                 || (used_n2[0] && !at_reg[7]));
        j = 0;                                              // avoids a latch
        for (i = 0; i < 8; i = i + 1)
            for (j = 0; j < 8; j = j + 1) if (at_reg[i]) begin
                if (j <= i - 3 && used2[j])         old_next = 1'b1;
                if (j <= i + 5 && used3[j])         old_next = 1'b1;
                if (j >= i + 2 && held_reg && used_n1[j]) far_next = 1'b1;
            end
    end

    always @(posedge clk) if (step) begin
        whole_reg    <= digits_before(held_reg ? past : {code, past[207:64]}, at_reg);
        fraction_reg <= digits_after({next, held_reg ? anchor_reg : lead_code}, at_reg);
        old_reg      <= old_next;
        far_reg      <= far_next;
        odd_s3_reg   <= odd_reg   || |(odd & lead);
        digit_s3_reg <= digit_reg || |(digit & lead);
        minus_s3_reg <= minus_reg || |(minus & lead);
        point_s3_reg <= point_reg || |(point & value_byte & lead);
        rough_s3_reg <= rough_reg || |(rough & lead);
    end

    // Stage 4.
    reg [71:0] whole;
    reg [35:0] fraction;
    reg [17:0] whole_nonzero;
    reg [8:0]  fraction_nonzero;

    always @* begin
        for (j = 0; j < 18; j = j + 1) begin
            whole[4*j +: 4]     = whole_reg[8*j +: 4];
            whole_nonzero[j]    = |whole_reg[8*j +: 4];
        end
        for (j = 0; j < 9; j = j + 1) begin
            fraction[4*j +: 4]  = fraction_reg[8*j +: 4];
            fraction_nonzero[j] = |fraction_reg[8*j +: 4];
        end
    end

    wire [3:0] d0 = whole[3:0], d1 = whole[7:4], d2 = whole[11:8], d3 = whole[15:12], d4 = whole[19:16];
    wire [63:0] tens = worth(d1, 64'd10), hundreds = worth(d2, 64'd100), thousands = worth(d3, 64'd1000),
                myriads = worth(d4, 64'd10000);
    wire       plain = digit_s3_reg && !odd_s3_reg && !minus_s3_reg && !point_s3_reg && !old_reg;

    // The form of a timestamp, and ranges that one digit decides.
    reg  form, form_reg;

    always @* begin
        form = (!point_s3_reg || (fraction_reg[DIGIT] && !fraction_reg[8*9+DIGIT] && !rough_s3_reg))
               && whole_reg[8*17+MARK] && whole_reg[8*8+DASH] && whole_reg[8*5+COLON] && whole_reg[8*2+COLON]
               && whole[4*16 +: 4] == 4'd2 && whole[4*15 +: 4] == 4'd0
               && whole[4*12 +: 4] <= 4'd1 && whole[4*10 +: 4] <= 4'd3
               && (whole[4*7 +: 4] <= 4'd1 || (whole[4*7 +: 4] == 4'd2 && whole[4*6 +: 4] <= 4'd3))
               && whole[4*4 +: 4] <= 4'd5
               && (whole[4*1 +: 4] <= 4'd5 || (whole[4*1 +: 4] == 4'd6 && whole[3:0] == 4'd0));
        for (j = 0; j < 17; j = j + 1) if (j != 2 && j != 5 && j != 8 && !whole_reg[8*j+DIGIT]) form = 1'b0;
    end

    reg [17:0] whole_nonzero_reg;
    reg [8:0]  fraction_nonzero_reg;
    reg        numeric_reg, negative_reg, point_s4_reg, old_s4_reg, far_s4_reg;
    reg        less_s4_reg, more_s4_reg;                    // digits are negative; they are not

    always @(posedge clk) if (step) begin
        natural      <= {myriads[16:4], d0} + tens[16:0] + hundreds[16:0] + thousands[16:0];
        for (i = 0; i < 16; i = i + 1)
            reach[i] <= |whole_nonzero[4:2] || |d1[3:1]
                        || (i < 10 ? d1[0] || d0 >= i[3:0] : d1[0] && d0 >= i[3:0] - 4'd10);
        natural_good         <= plain && ~|whole_nonzero[17:5];
        promises             <= plain && ~|whole_nonzero[17:5] && |whole_nonzero[4:0] && whole[19:0] <= 20'h65535;
        three                <= whole_reg[8*3+MARK];
        form_reg             <= form;
        numeric_reg          <= digit_s3_reg && !odd_s3_reg;
        negative_reg         <= minus_s3_reg;
        point_s4_reg         <= point_s3_reg;
        less_s4_reg          <= minus_s3_reg && !decimals[9];
        more_s4_reg          <= !minus_s3_reg || decimals[9];
        old_s4_reg           <= old_reg;
        far_s4_reg           <= far_reg;
        whole_nonzero_reg    <= whole_nonzero;
        fraction_nonzero_reg <= fraction_nonzero;
    end

    // The digits of the number as an integer; of a timestamp those of seconds and their fraction.
    reg [71:0] digits, digits_reg;
    reg        stamp_reg;

    always @* begin
        digits = 72'd0;
        for (i = 0; i < 9; i = i + 1)
            for (j = 0; j < 18; j = j + 1)
                if (decimals[i])
                    digits[4*j +: 4] = digits[4*j +: 4] | (j < i ? fraction[4*(i > j ? i - 1 - j : 0) +: 4]
                                                                  : whole[4*(i > j ? 0 : j - i) +: 4]);
        for (j = 0; j < 9; j = j + 1)
            if (decimals[9]) digits[4*j +: 4] = digits[4*j +: 4] | fraction[4*(8-j) +: 4];
        if (decimals[9]) digits[43:36] = digits[43:36] | whole[7:0];
    end

    always @(posedge clk) if (step) begin
        digits_reg <= digits;
        stamp_reg  <= decimals[9];
    end

    // Stage 5 (A): two digits, negative if the number is, times their unit among eight.
    function signed [28:0] two(input [7:0] bcd, input less, input [63:0] unit);
        reg [63:0] low, high;
        begin
            low  = signed_worth(less, bcd[3:0], unit);
            high = signed_worth(less, bcd[7:4], unit * 64'd10);
            two  = low[28:0] + high[28:0];
        end
    endfunction

    reg signed [28:0] low0_reg, low1_reg, low2_reg, low3_reg, high0_reg, high1_reg, high2_reg, high3_reg;
    reg [7:0]         top_reg;
    reg               less_reg, stamp_s5_reg, stamp_s6_reg;

    always @(posedge clk) if (step) begin
        low0_reg      <= two(digits_reg[7:0],   less_s4_reg,  64'd1);
        low1_reg      <= two(digits_reg[15:8],  less_s4_reg,  64'd100);
        low2_reg      <= two(digits_reg[23:16], less_s4_reg,  64'd10000);
        low3_reg      <= two(digits_reg[31:24], less_s4_reg,  64'd1000000);
        high0_reg     <= two(digits_reg[39:32], !more_s4_reg, 64'd1);
        high1_reg     <= two(digits_reg[47:40], !more_s4_reg, 64'd100);
        high2_reg     <= two(digits_reg[55:48], !more_s4_reg, 64'd10000);
        high3_reg     <= two(digits_reg[63:56], !more_s4_reg, 64'd1000000);
        top_reg       <= digits_reg[71:64];
        less_reg      <= less_s4_reg;
        stamp_s5_reg  <= stamp_reg;
        numeric       <= numeric_reg;
        negative      <= negative_reg;
        pointed       <= point_s4_reg;
        whole_used    <= {old_s4_reg, whole_nonzero_reg};
        fraction_used <= {far_s4_reg, fraction_nonzero_reg};
    end

    // Stage 6 (B): eight digits. The unit of the two above the sixteen is 10**16.
    reg signed [63:0] top_s6_reg;
    reg signed [28:0] low_s6_reg, high_s6_reg;

    always @(posedge clk) if (step) begin
        low_s6_reg  <= low0_reg + low1_reg + low2_reg + low3_reg;
        high_s6_reg <= high0_reg + high1_reg + high2_reg + high3_reg;
        top_s6_reg  <= signed_worth(less_reg, top_reg[3:0], 64'd10000000000000000)
                      + signed_worth(less_reg, top_reg[7:4], 64'd100000000000000000);
        stamp_s6_reg <= stamp_s5_reg;
    end

    // Timestamps, from stage 4 on: minutes of the day, and days in two parts; days since 1970 (A), products (B),
    // nanoseconds (C).
    localparam [15:0] YEAR2000 = 16'd10957;
    localparam [31:0] DAY      = 32'd1318359375;            // nanoseconds in units of 2**16
    localparam [24:0] MINUTE   = 25'd29296875;              // nanoseconds in units of 2**11

    wire [3:0]  y1 = whole[4*14 +: 4], y0 = whole[4*13 +: 4];
    wire [3:0]  m0 = whole[4*11 +: 4];
    wire        m1 = whole[4*12];
    wire        leap = !y0[0] && y0[1] == y1[0];            // 10 y1 + y0 is a multiple of 4
    wire [1:0]  t    = whole[4*10 +: 2];
    wire [5:0]  day  = {2'd0, whole[4*9 +: 4]} + {1'd0, t, 3'd0} + {3'd0, t, 1'd0};
    reg  [8:0]  days_before;                                // days of the year before the month, without a leap day
    reg  [4:0]  month_days;

    always @* case ({m1, m0})
        5'h01:   {days_before, month_days} = {9'd0,   5'd31};
        5'h02:   {days_before, month_days} = {9'd31,  leap ? 5'd29 : 5'd28};
        5'h03:   {days_before, month_days} = {9'd59,  5'd31};
        5'h04:   {days_before, month_days} = {9'd90,  5'd30};
        5'h05:   {days_before, month_days} = {9'd120, 5'd31};
        5'h06:   {days_before, month_days} = {9'd151, 5'd30};
        5'h07:   {days_before, month_days} = {9'd181, 5'd31};
        5'h08:   {days_before, month_days} = {9'd212, 5'd31};
        5'h09:   {days_before, month_days} = {9'd243, 5'd30};
        5'h10:   {days_before, month_days} = {9'd273, 5'd31};
        5'h11:   {days_before, month_days} = {9'd304, 5'd30};
        5'h12:   {days_before, month_days} = {9'd334, 5'd31};
        default: {days_before, month_days} = {9'd0,   5'd0};        // no such month
    endcase

    // Leap years before the year 10 y1 + y0: in the decades 5 y1 / 2, rounded up; and in the years since.
    wire [5:0] leaps_tens = ({y1, 2'b0} + {2'b0, y1} + 6'd1) >> 1;
    wire [3:0] leaps_ones = (y0 + (y1[0] ? 4'd1 : 4'd3)) >> 2;

    wire [63:0] decades = worth(y1, 64'd3650), years = worth(y0, 64'd365);
    wire [63:0] hours10 = worth(whole[4*7 +: 4], 64'd600), hours = worth(whole[4*6 +: 4], 64'd60);
    wire [63:0] minutes10 = worth(whole[4*4 +: 4], 64'd10);

    reg [15:0] year_days_reg, days_reg;
    reg [8:0]  within_reg;                                  // day of the year, without a leap day
    reg        leap_day_reg, day_good_reg, stamp_good_reg;
    reg [10:0] minutes_reg;
    reg [31:0] days_low_reg;
    reg [30:0] days_high_reg;
    reg [28:0] minutes_low_reg;
    reg [17:0] minutes_high_reg;
    reg [35:0] minutes_s6_reg;

    always @(posedge clk) if (step) begin
        year_days_reg    <= (YEAR2000 - 16'd1 + decades[15:0] + years[15:0]) + {10'd0, leaps_tens}
                            + {12'd0, leaps_ones};
        within_reg       <= days_before + {3'd0, day};
        leap_day_reg     <= leap && {m1, m0} > 5'h02;
        minutes_reg      <= hours10[10:0] + hours[10:0] + minutes10[10:0] + {7'd0, whole[4*3 +: 4]};
        day_good_reg     <= day != 6'd0 && day <= {1'b0, month_days};
        days_reg         <= year_days_reg + {7'd0, within_reg} + {15'd0, leap_day_reg};
        minutes_low_reg  <= minutes_reg * MINUTE[17:0];
        minutes_high_reg <= minutes_reg * MINUTE[24:18];
        stamp_good_reg   <= form_reg && day_good_reg;
        days_low_reg     <= days_reg * DAY[15:0];
        days_high_reg    <= days_reg * DAY[31:16];
        minutes_s6_reg   <= {7'd0, minutes_low_reg} + {minutes_high_reg, 18'd0};
        timestamp_good   <= stamp_good_reg;
    end

    // Stage 7 (C): 10**8 = 2**26 + 2**8 * 128481. A number has three terms; minutes and days are the third of a
    // timestamp.
    localparam [17:0]  FACTOR       = 18'd128481;
    wire        [34:0] product_low  = high_s6_reg[17:0] * FACTOR[16:0];
    wire signed [28:0] product_high = $signed(high_s6_reg[28:18]) * $signed(FACTOR);
    reg         [63:0] term0_reg, term1_reg, stamp_term_reg;
    reg         [28:0] high_s7_reg;

    always @(posedge clk) if (step) begin
        term0_reg      <= top_s6_reg + {{9{high_s6_reg[28]}}, high_s6_reg, 26'd0} + {{35{low_s6_reg[28]}}, low_s6_reg};
        term1_reg      <= {21'd0, product_low, 8'd0};
        high_s7_reg    <= product_high;
        stamp_term_reg <= stamp_s6_reg ? {1'b0, {15'd0, days_low_reg} + {days_high_reg, 16'd0}, 16'd0}
                                       + {17'd0, minutes_s6_reg, 11'd0} : 64'd0;
    end

    // A timestamp's seconds are less than 100, so that its high_s7_reg is 0.
    assign value = term0_reg + term1_reg + ({{9{high_s7_reg[28]}}, high_s7_reg, 26'd0} | stamp_term_reg);

endmodule

`default_nettype wire
