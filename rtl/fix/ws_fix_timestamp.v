// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_timestamp: UTCTimestamp of FIX to nanoseconds since 1970, one character a cycle.
//
//     character   0         4     6     8  9    11 12   14 15   17 18
//                 2 0 y y   m m   d d   -  h h  :  m m  :  s s  .  1 to 9 digits, or none and no point
//
// Every digit of the time of day adds its value times the weight of its place, so nothing depends on how many digits
// follow. The days are multiplied by the nanoseconds of a day, 2**16 * 1318359375.
//
// Latency      6 cycles from the last character to `value`, 2 cycles to `good`; at least 4 cycles must lie between it
//              and the next `start`
// Issue rate   1 character a cycle
// Bad input    `good` is low: another form, a day or time that does not exist, a year outside 2000 to 2099. A leap
//              second (:60) is the first of the next minute
// Source       FIX 5.0 SP2, volume 1, data type UTCTimestamp

`default_nettype none

module ws_fix_timestamp (
    input  wire        clk,
    input  wire        start,       // a value begins with the next character
    input  wire        valid,       // a character
    input  wire [28:0] place,       // its place, one-hot, bit 28 for all from there on; afterwards the length
    input  wire [7:0]  data,
    input  wire        is_digit,    // with valid: the character is a digit
    output reg  [63:0] value,
    output wire        good
);

    localparam [31:0] DAY      = 32'd1318359375;
    localparam [15:0] YEAR2000 = 16'd10957;     // days since 1970

    // Input register.
    reg        here_reg, digit_here_reg, starts_reg;
    reg [28:0] at_reg;
    reg [7:0]  character_reg;
    wire [3:0] digit = character_reg[3:0];

    always @(posedge clk) begin
        starts_reg     <= start;
        here_reg       <= valid;
        digit_here_reg <= valid && is_digit;
        at_reg         <= place;
        character_reg  <= data;
    end

    // The form, and the digits that exceed the range of their place. before_reg: the digit before.
    reg  [3:0] before_reg;
    reg        bad_reg;
    wire       separator = at_reg[8] || at_reg[11] || at_reg[14] || at_reg[17];
    wire [7:0] expected  = at_reg[8] ? "-" : at_reg[17] ? "." : ":";
    wire       wrong     = at_reg[28] || (separator ? character_reg != expected : !digit_here_reg)
                         || (at_reg[0] && digit != 4'd2) || (at_reg[1] && digit != 4'd0)
                         || (at_reg[4] && digit > 4'd1) || (at_reg[6] && digit > 4'd3)
                         || (at_reg[9] && digit > 4'd2) || (at_reg[10] && before_reg == 4'd2 && digit > 4'd3)
                         || (at_reg[12] && digit > 4'd5) || (at_reg[15] && digit > 4'd6)
                         || (at_reg[16] && before_reg == 4'd6 && digit != 4'd0);

    // The date. Each value is stable long before the time of day is complete.
    reg  [6:0]  year_reg;
    reg  [4:0]  month_reg;
    reg  [5:0]  day_reg;
    reg         leap_reg, leap_month_reg, leap_day_reg, date_bad_reg;
    reg  [5:0]  last_day_reg;
    reg  [8:0]  before_month_reg;               // days of the year before this month, without a leap day
    reg  [4:0]  month_days_reg;                 // of this month, without a leap day
    reg  [9:0]  year5_reg;
    reg  [15:0] year360_reg, years_reg, leap_days_reg, first_reg, within_reg, begun_reg, days_reg;
    reg  [31:0] product_low_reg;
    reg  [30:0] product_high_reg;
    reg  [46:0] product_reg;

    always @(posedge clk) begin
        if (digit_here_reg) begin
            before_reg <= digit;
            if (at_reg[2]) year_reg  <= {digit, 3'b0} + {2'b0, digit, 1'b0};
            if (at_reg[3]) year_reg  <= year_reg + {3'b0, digit};
            if (at_reg[4]) month_reg <= digit[0] ? 5'd10 : 5'd0;
            if (at_reg[5]) month_reg <= month_reg + {1'b0, digit};
            if (at_reg[6]) day_reg   <= {1'b0, digit[1:0], 3'b0} + {3'b0, digit[1:0], 1'b0};
            if (at_reg[7]) day_reg   <= day_reg + {2'b0, digit};
        end

        leap_reg <= year_reg[1:0] == 2'd0;
        case (month_reg)
            5'd1:    {before_month_reg, month_days_reg} <= {9'd0,   5'd31};
            5'd2:    {before_month_reg, month_days_reg} <= {9'd31,  5'd28};
            5'd3:    {before_month_reg, month_days_reg} <= {9'd59,  5'd31};
            5'd4:    {before_month_reg, month_days_reg} <= {9'd90,  5'd30};
            5'd5:    {before_month_reg, month_days_reg} <= {9'd120, 5'd31};
            5'd6:    {before_month_reg, month_days_reg} <= {9'd151, 5'd30};
            5'd7:    {before_month_reg, month_days_reg} <= {9'd181, 5'd31};
            5'd8:    {before_month_reg, month_days_reg} <= {9'd212, 5'd31};
            5'd9:    {before_month_reg, month_days_reg} <= {9'd243, 5'd30};
            5'd10:   {before_month_reg, month_days_reg} <= {9'd273, 5'd31};
            5'd11:   {before_month_reg, month_days_reg} <= {9'd304, 5'd30};
            5'd12:   {before_month_reg, month_days_reg} <= {9'd334, 5'd31};
            default: {before_month_reg, month_days_reg} <= {9'd0,   5'd0};      // no such month
        endcase
        leap_month_reg <= leap_reg && month_reg == 5'd2;
        leap_day_reg   <= leap_reg && month_reg > 5'd2;
        last_day_reg   <= {1'b0, month_days_reg} + {5'd0, leap_month_reg};
        date_bad_reg   <= day_reg == 6'd0 || day_reg > last_day_reg;

        year5_reg        <= {1'b0, year_reg, 2'b0} + {3'b0, year_reg};
        year360_reg      <= {year5_reg, 6'b0} + {3'b0, year5_reg, 3'b0};
        years_reg        <= year360_reg + {6'd0, year5_reg};        // 365 = (64 + 8 + 1) * 5
        leap_days_reg    <= {9'd0, year_reg + 7'd3} / 16'd4;
        first_reg        <= YEAR2000 + leap_days_reg - {15'd0, !leap_day_reg};
        within_reg       <= {7'd0, before_month_reg} + {10'd0, day_reg};
        begun_reg        <= first_reg + within_reg;
        days_reg         <= years_reg + begun_reg;
        product_low_reg  <= days_reg * DAY[15:0];
        product_high_reg <= days_reg * DAY[31:16];
        product_reg      <= {15'd0, product_low_reg} + {product_high_reg, 16'd0};
    end

    // The time of day in nanoseconds: weight (A), partial products (B), product (C), sum (D), with the date (E).
    reg  [45:0] weight, weight_reg;
    reg  [3:0]  digit_reg;
    reg  [46:0] low_product_reg, addend_reg, nanoseconds_reg;
    reg  [44:0] high_product_reg;           // tens of hours are below 4
    reg  [2:0]  start_reg;

    always @* begin
        weight = 46'd0;
        if (at_reg[9])  weight = weight | 46'd36000000000000;
        if (at_reg[10]) weight = weight | 46'd3600000000000;
        if (at_reg[12]) weight = weight | 46'd600000000000;
        if (at_reg[13]) weight = weight | 46'd60000000000;
        if (at_reg[15]) weight = weight | 46'd10000000000;
        if (at_reg[16]) weight = weight | 46'd1000000000;
        if (at_reg[18]) weight = weight | 46'd100000000;
        if (at_reg[19]) weight = weight | 46'd10000000;
        if (at_reg[20]) weight = weight | 46'd1000000;
        if (at_reg[21]) weight = weight | 46'd100000;
        if (at_reg[22]) weight = weight | 46'd10000;
        if (at_reg[23]) weight = weight | 46'd1000;
        if (at_reg[24]) weight = weight | 46'd100;
        if (at_reg[25]) weight = weight | 46'd10;
        if (at_reg[26]) weight = weight | 46'd1;
    end

    always @(posedge clk) begin
        weight_reg       <= weight;
        digit_reg        <= digit_here_reg ? digit : 4'd0;
        low_product_reg  <= (digit_reg[0] ? {1'b0, weight_reg} : 47'd0) + (digit_reg[1] ? {weight_reg, 1'b0} : 47'd0);
        high_product_reg <= digit_reg[3] ? {weight_reg[43:0], 1'b0} : digit_reg[2] ? weight_reg[44:0] : 45'd0;
        addend_reg       <= low_product_reg + {high_product_reg, 2'b0};
        start_reg        <= {start_reg[1:0], starts_reg};
        nanoseconds_reg  <= start_reg[2] ? 47'd0 : nanoseconds_reg + addend_reg;
        value            <= {1'b0, product_reg + {16'd0, nanoseconds_reg[46:16]}, nanoseconds_reg[15:0]};

        if (starts_reg)             bad_reg <= 1'b0;
        else if (here_reg && wrong) bad_reg <= 1'b1;
    end

    assign good = !bad_reg && !date_bad_reg && (at_reg[17] || |at_reg[27:19]);

endmodule

`default_nettype wire
