// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_decimal: the field that ends at a word's first SOH as a number or a UTCTimestamp, eight bytes a cycle.
//
// Both stand around a point, which is the first one, or else where the value ends:
//
//     whole     17    14   12  10 9   7 6   4 3   1 0          fraction  0 1 2 …
//                                               1 0 0      .             5
//                2 0 y y   m m d d - h h : m m : s s       .             1 2 3
//
// So the words around the point are kept (`anchor`), and one shift by its place brings all digits to theirs; what is
// left of the "=" of the tag (MARK) or right of the SOH (END) is taken as 0. Nothing but these words and the flags
// loops. Digits behind the point are moved before it as the field's type wants, and four digits a term become binary
// (A), eight (B), products (C), and the sum.
//
// Latency      2 cycles from stage 2 to `natural`, 3 to the flags, 6 to `value` (of stage 2: see ws_fix_words)
// Issue rate   1 word a cycle
// Bad input    value is of use if the flags say so: at most 18 digits, or `timestamp_good`
// Source       FIX 5.0 SP2, volume 1, data types float and UTCTimestamp

`default_nettype none

module ws_fix_decimal (
    input  wire        clk,
    input  wire        rst,
    input  wire        step,

    // stage 2
    input  wire        valid,
    input  wire        last,
    input  wire [39:0] code,
    input  wire [7:0]  soh,
    input  wire [7:0]  point,
    input  wire [7:0]  anchor,
    input  wire [7:0]  value_byte,
    input  wire [7:0]  digit,
    input  wire [7:0]  nonzero,
    input  wire [7:0]  minus,
    input  wire [7:0]  odd,

    // stage 3, before the register
    output wire        counts,          // a natural number above 0, if natural_good is high later
    input  wire [9:0]  decimals,        // one-hot: digits behind the point in `value`; bit 9: it is a timestamp

    // stage 4
    output reg  [16:0] natural,         // the last five digits
    output reg         natural_good,    // digits only, and no others; natural may be above 65,535
    output reg         three,           // three characters
    output reg  [7:0]  reach,           // bit n: natural is at least n

    // stage 5
    output reg         numeric,         // an optional minus, digits and at most one point
    output reg         negative,
    output reg         pointed,
    output reg  [18:0] whole_used,      // digits other than 0 by place; bit 18 for all further ones
    output reg  [9:0]  fraction_used,   // the same behind the point; bit 9
    // stage 6
    output reg         timestamp_good,
    // behind stage 7
    output wire [63:0] value
);

    localparam [4:0] MARK = 5'h11, END = 5'h12, DASH = 5'h13, COLON = 5'h14;

    function [7:0] first(input [7:0] bits);
        integer n;
        begin
            first[0] = bits[0];
            for (n = 1; n < 8; n = n + 1) first[n] = bits[n] && ~|(bits << (8 - n));
        end
    endfunction

    `include "ws_fix_worth.vh"

    integer i, j;

    // Bytes before the first SOH of the word, and behind the last.
    reg [7:0] before, behind;

    always @* for (i = 0; i < 8; i = i + 1) begin
        before[i] = ~|(soh << (7 - i));
        behind[i] = ~|(soh >> i);
    end

    wire       ends  = |soh;
    wire [7:0] heads = point & behind;

    // Stage 3. phase_reg: 0 as long as there is no point, then words since that with it, 3 for all further ones.
    reg [1:0]  phase_reg;
    reg [7:0]  place_reg;                                   // of the point in anchor_reg
    reg [39:0] anchor_reg, back1_reg, back2_reg, next1_reg;
    reg [9:0]  back3_reg, next2_reg;                        // two bytes
    reg [7:0]  used0_reg, used1_reg, used2_reg, used3_reg, used_next1_reg, used_next2_reg;
    reg        used_back_reg, used_beyond_reg;              // in all words before, behind

    always @(posedge clk) if (step) begin
        if (valid) begin
            if (ends || phase_reg == 2'd0) begin
                anchor_reg <= code;
                place_reg  <= first(heads);
                phase_reg  <= {1'b0, |heads};
                used0_reg  <= nonzero & behind;
                back1_reg  <= anchor_reg;
                back2_reg  <= back1_reg;
                back3_reg  <= back2_reg[39:30];
                used1_reg  <= ends ? 8'd0 : used0_reg;
                used2_reg  <= ends ? 8'd0 : used1_reg;
                used3_reg  <= ends ? 8'd0 : used2_reg;
                used_back_reg   <= !ends && (used_back_reg || |used3_reg);
                used_beyond_reg <= 1'b0;
            end else begin
                if (phase_reg == 2'd1) begin
                    next1_reg      <= code;
                    used_next1_reg <= nonzero;
                end
                if (phase_reg == 2'd2) begin
                    next2_reg      <= code[9:0];
                    used_next2_reg <= nonzero;
                end
                if (phase_reg == 2'd3) used_beyond_reg <= used_beyond_reg || |nonzero;
                else                   phase_reg <= phase_reg + 2'd1;
            end
        end
        if (rst || (valid && last)) begin
            phase_reg       <= 2'd0;
            used0_reg       <= 8'd0;
            used1_reg       <= 8'd0;
            used2_reg       <= 8'd0;
            used3_reg       <= 8'd0;
            used_back_reg   <= 1'b0;
            used_beyond_reg <= 1'b0;
        end
    end

    // What is known of the field as a whole.
    reg odd_reg, digit_reg, minus_reg, point_reg;

    always @(posedge clk) if (step) begin
        if (valid) begin
            odd_reg   <= |(odd & behind)                || (!ends && odd_reg);
            digit_reg <= |(digit & behind)              || (!ends && digit_reg);
            minus_reg <= |(minus & behind)              || (!ends && minus_reg);
            point_reg <= |(point & value_byte & behind) || (!ends && point_reg);
        end
        if (rst || (valid && last)) {odd_reg, digit_reg, minus_reg, point_reg} <= 4'd0;
    end

    wire         held     = phase_reg != 2'd0;
    wire [7:0]   at       = held ? place_reg : anchor;
    wire [129:0] left     = held ? {anchor_reg, back1_reg, back2_reg, back3_reg}
                                 : {code, anchor_reg, back1_reg, back2_reg[39:30]};
    wire [89:0]  right    = held ? {phase_reg == 2'd2 ? code[9:0] : next2_reg, phase_reg == 2'd1 ? code : next1_reg,
                                    anchor_reg}
                                 : {50'd0, code};
    wire [7:0]   used2    = held ? used2_reg : used1_reg;
    wire [7:0]   used3    = held ? used3_reg : used2_reg;
    wire [7:0]   tail     = nonzero & before;
    wire [7:0]   used_n1  = phase_reg == 2'd1 ? tail : used_next1_reg;
    wire [7:0]   used_n2  = phase_reg == 2'd2 ? tail : phase_reg == 2'd3 ? used_next2_reg : 8'd0;

    reg [89:0] whole_next, whole_reg;                       // 18 codes
    reg [49:0] fraction_next, fraction_reg;                 // 10 codes
    reg        old_next, far_next, old_reg, far_reg, odd3_reg, digit3_reg, minus3_reg, point3_reg;

    always @* begin
        whole_next    = 90'd0;
        fraction_next = 50'd0;
        old_next      = used_back_reg || (!held && |used3_reg);
        far_next      = held && (used_beyond_reg || (phase_reg == 2'd3 && |tail) || |used_n2[7:1]
                                 || (used_n2[0] && !at[7]));
        j = 0;                                              // it is no latch
        for (i = 0; i < 8; i = i + 1) if (at[i]) begin
            for (j = 0; j < 18; j = j + 1) whole_next[5*j +: 5]    = whole_next[5*j +: 5]    | left[5*(i+17-j) +: 5];
            for (j = 0; j < 10; j = j + 1) fraction_next[5*j +: 5] = fraction_next[5*j +: 5] | right[5*(i+1+j) +: 5];
            for (j = 0; j < 8; j = j + 1) begin
                if (j <= i - 3 && used2[j])         old_next = 1'b1;
                if (j <= i + 5 && used3[j])         old_next = 1'b1;
                if (j >= i + 2 && held && used_n1[j]) far_next = 1'b1;
            end
        end
    end

    always @(posedge clk) if (step) begin
        whole_reg    <= whole_next;
        fraction_reg <= fraction_next;
        old_reg      <= old_next;
        far_reg      <= far_next;
        odd3_reg     <= odd_reg   || |(odd & before);
        digit3_reg   <= digit_reg || |(digit & before);
        minus3_reg   <= minus_reg || |(minus & before);
        point3_reg   <= point_reg || |(point & value_byte & before);
    end

    // Stage 4: what does not belong to the value is 0.
    reg [17:0] own;                                         // no MARK up to this place
    reg [9:0]  own_fraction;
    reg [71:0] whole;
    reg [35:0] fraction;
    reg [17:0] whole_nonzero;
    reg [8:0]  fraction_nonzero;
    reg        fraction_form;

    always @* begin
        fraction_form = !point3_reg;
        for (j = 0; j < 18; j = j + 1) begin
            own[j]              = whole_reg[5*j +: 5] != MARK && (j == 0 || own[j == 0 ? 0 : j - 1]);
            whole[4*j +: 4]     = own[j] && !whole_reg[5*j+4] ? whole_reg[5*j +: 4] : 4'd0;
            whole_nonzero[j]    = |whole[4*j +: 4];
        end
        for (j = 0; j < 10; j = j + 1) begin
            own_fraction[j] = point3_reg && !fraction_reg[5*j+4] && (j == 0 || own_fraction[j == 0 ? 0 : j - 1]);
            if (j > 0 && own_fraction[j == 0 ? 0 : j - 1] && fraction_reg[5*j +: 5] == END) fraction_form = 1'b1;
        end
        for (j = 0; j < 9; j = j + 1) begin
            fraction[4*j +: 4]  = own_fraction[j] ? fraction_reg[5*j +: 4] : 4'd0;
            fraction_nonzero[j] = |fraction[4*j +: 4];
        end
    end

    wire [3:0] d0 = whole[3:0], d1 = whole[7:4], d2 = whole[11:8], d3 = whole[15:12], d4 = whole[19:16];
    wire [63:0] tens = worth(d1, 64'd10), hundreds = worth(d2, 64'd100), thousands = worth(d3, 64'd1000),
                myriads = worth(d4, 64'd10000);
    wire       plain = digit3_reg && !odd3_reg && !minus3_reg && !point3_reg && !old_reg;

    assign counts = plain && |whole_nonzero[4:0];

    // The form of a timestamp, and the range of what stands in one digit.
    reg  form, form_reg;
    wire [4:0] w2 = whole_reg[10 +: 5], w5 = whole_reg[25 +: 5], w8 = whole_reg[40 +: 5];

    always @* begin
        form = fraction_form && own[16] && whole_reg[5*17 +: 5] == MARK && w2 == COLON && w5 == COLON && w8 == DASH
               && whole[4*16 +: 4] == 4'd2 && whole[4*15 +: 4] == 4'd0
               && whole[4*12 +: 4] <= 4'd1 && whole[4*10 +: 4] <= 4'd3
               && (whole[4*7 +: 4] <= 4'd1 || (whole[4*7 +: 4] == 4'd2 && whole[4*6 +: 4] <= 4'd3))
               && whole[4*4 +: 4] <= 4'd5
               && (whole[4*1 +: 4] <= 4'd5 || (whole[4*1 +: 4] == 4'd6 && whole[3:0] == 4'd0));
        for (j = 0; j < 17; j = j + 1) if (j != 2 && j != 5 && j != 8 && whole_reg[5*j+4]) form = 1'b0;
    end

    reg [71:0] whole4_reg;
    reg [17:0] whole_nonzero_reg;
    reg [8:0]  fraction_nonzero_reg;
    reg        numeric_reg, negative_reg, point4_reg, old4_reg, far4_reg;

    always @(posedge clk) if (step) begin
        natural      <= {13'd0, d0} + tens[16:0] + hundreds[16:0] + thousands[16:0] + myriads[16:0];
        for (i = 0; i < 8; i = i + 1) reach[i] <= |whole_nonzero[4:1] || d0 >= i[3:0];
        natural_good <= plain && ~|whole_nonzero[17:5];
        three        <= whole_reg[19:15] == MARK && own[2];
        whole4_reg    <= whole;
        form_reg      <= form;
        numeric_reg   <= digit3_reg && !odd3_reg;
        negative_reg  <= minus3_reg;
        point4_reg    <= point3_reg;
        old4_reg      <= old_reg;
        far4_reg      <= far_reg;
        whole_nonzero_reg    <= whole_nonzero;
        fraction_nonzero_reg <= fraction_nonzero;
    end

    // The digits of the number, as a whole one; of a timestamp those of seconds and their fraction.
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

    // Stage 5 (A): four digits, negative ones of a negative number: -n = ~(n - 1).
    function signed [14:0] four(input [15:0] bcd, input less);
        reg [63:0] second, third, fourth;
        begin
            second = worth(bcd[7:4], 64'd10);
            third  = worth(bcd[11:8], 64'd100);
            fourth = worth(bcd[15:12], 64'd1000);
            four   = {11'd0, bcd[3:0]} + {15{less}} + second[14:0] + third[14:0] + fourth[14:0];
            if (less) four = ~four;
        end
    endfunction

    wire              less = negative_reg && !stamp_reg;
    reg signed [14:0] four0_reg, four1_reg, four2_reg, four3_reg;
    reg [7:0]         top_reg;
    reg               less_reg, stamp5_reg, stamp6_reg;

    always @(posedge clk) if (step) begin
        four0_reg     <= four(digits_reg[15:0],  less);
        four1_reg     <= four(digits_reg[31:16], less);
        four2_reg     <= four(digits_reg[47:32], less);
        four3_reg     <= four(digits_reg[63:48], less);
        top_reg       <= digits_reg[71:64];
        less_reg      <= less;
        stamp5_reg    <= stamp_reg;
        numeric       <= numeric_reg;
        negative      <= negative_reg;
        pointed       <= point4_reg;
        whole_used    <= {old4_reg, whole_nonzero_reg};
        fraction_used <= {far4_reg, fraction_nonzero_reg};
    end

    // (B): eight digits, high * 10000 + low. The two above them are worth 10**16.
    function signed [28:0] eight(input signed [14:0] high, input signed [14:0] low);
        reg signed [28:0] wide;
        begin
            wide  = {{14{high[14]}}, high};
            eight = (wide <<< 13) + (wide <<< 11) - (wide <<< 8) + (wide <<< 4) + $signed({{14{low[14]}}, low});
        end
    endfunction

    reg signed [63:0] top6_reg;
    reg signed [28:0] low6_reg, high6_reg;
    reg        [63:0] top;

    always @* begin
        top = worth(top_reg[3:0], 64'd10000000000000000) + worth(top_reg[7:4], 64'd100000000000000000) + {64{less_reg}};
        if (less_reg) top = ~top;
    end

    always @(posedge clk) if (step) begin
        low6_reg   <= eight(four1_reg, four0_reg);
        high6_reg  <= eight(four3_reg, four2_reg);
        top6_reg   <= top;
        stamp6_reg <= stamp5_reg;
    end

    // Time stamps: days since 1970 and minutes of the day (A), products (B), nanoseconds (C).
    localparam [15:0] YEAR2000 = 16'd10957;
    localparam [31:0] DAY      = 32'd1318359375;            // nanoseconds in units of 2**16
    localparam [24:0] MINUTE   = 25'd29296875;              // nanoseconds in units of 2**11

    wire [3:0]  y1 = whole4_reg[4*14 +: 4], y0 = whole4_reg[4*13 +: 4];
    wire [3:0]  m0 = whole4_reg[4*11 +: 4];
    wire        m1 = whole4_reg[4*12];
    wire        leap = !y0[0] && y0[1] == y1[0];            // 10 y1 + y0 divides by 4
    wire [1:0]  t    = whole4_reg[4*10 +: 2];
    wire [5:0]  day  = {2'd0, whole4_reg[4*9 +: 4]} + {1'd0, t, 3'd0} + {3'd0, t, 1'd0};
    reg  [8:0]  days_before;                                // of the year before the month, without a leap day
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
        default: {days_before, month_days} = {9'd0,   5'd0};        // no day fits
    endcase

    // Leap years before the year 10 y1 + y0: of the tens 5 y1 / 2, rounded up; and of the years since.
    wire [5:0] leaps_tens = ({y1, 2'b0} + {2'b0, y1} + 6'd1) >> 1;
    wire [3:0] leaps_ones = (y0 + (y1[0] ? 4'd1 : 4'd3)) >> 2;

    wire [63:0] decades = worth(y1, 64'd3650), years = worth(y0, 64'd365);
    wire [63:0] hours10 = worth(whole4_reg[4*7 +: 4], 64'd600), hours = worth(whole4_reg[4*6 +: 4], 64'd60);
    wire [63:0] minutes10 = worth(whole4_reg[4*4 +: 4], 64'd10);

    reg [15:0] days_reg;
    reg [10:0] minutes_reg;
    reg        stamp_good_reg;
    reg [31:0] days_low_reg;
    reg [30:0] days_high_reg;
    reg [35:0] minutes6_reg;

    always @(posedge clk) if (step) begin
        days_reg       <= (YEAR2000 - 16'd1 + decades[15:0] + years[15:0])
                          + ({7'd0, days_before} + {10'd0, day})
                          + ({10'd0, leaps_tens} + {12'd0, leaps_ones} + {15'd0, leap && {m1, m0} > 5'h02});
        minutes_reg    <= hours10[10:0] + hours[10:0] + minutes10[10:0] + {7'd0, whole4_reg[4*3 +: 4]};
        stamp_good_reg <= form_reg && day != 6'd0 && day <= {1'b0, month_days};
        timestamp_good <= stamp_good_reg;
        days_low_reg   <= days_reg * DAY[15:0];
        days_high_reg  <= days_reg * DAY[31:16];
        minutes6_reg   <= minutes_reg * MINUTE;
    end

    // (C): 10**8 = 2**26 + 2**8 * 128481. The three terms of a number; minutes and days are the third of a
    // timestamp.
    localparam [17:0]  FACTOR       = 18'd128481;
    wire        [34:0] product_low  = high6_reg[17:0] * FACTOR[16:0];
    wire signed [28:0] product_high = $signed(high6_reg[28:18]) * $signed(FACTOR);
    reg         [63:0] term0_reg, term1_reg, term2_reg;

    always @(posedge clk) if (step) begin
        term0_reg <= top6_reg + {{9{high6_reg[28]}}, high6_reg, 26'd0} + {{35{low6_reg[28]}}, low6_reg};
        term1_reg <= {21'd0, product_low, 8'd0};
        term2_reg <= stamp6_reg ? {1'b0, {15'd0, days_low_reg} + {days_high_reg, 16'd0}, 16'd0}
                                  + {17'd0, minutes6_reg, 11'd0}
                            : {{9{product_high[28]}}, product_high, 26'd0};
    end

    assign value = term0_reg + term1_reg + term2_reg;

endmodule

`default_nettype wire
