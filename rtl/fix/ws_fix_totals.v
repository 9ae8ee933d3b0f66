// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_totals: BodyLength and CheckSum of the message that ws_fix_parser_wide is parsing, in stage 7.
//
// The long and the short field as natural numbers pass stages 5 and 6 here; counts of groups need them too.
//
// Latency      2 cycles from stage 4
// Issue rate   1 word a cycle
// Bad input    any bytes; reported by `length_good` and `sum_good`
// Source       FIX 4.4, volume 1, fields 9 and 10

`default_nettype none

module ws_fix_totals (
    input  wire        clk,
    input  wire        step,            // clock enable

    // after stage 4, from ws_fix_values_wide and ws_fix_delimiters
    input  wire [16:0] s_long_natural,
    input  wire        s_long_natural_good,
    input  wire        s_long_three,    // it has three digits
    input  wire        s_long_real,
    input  wire [13:0] s_short_natural,
    input  wire        s_short_natural_good,
    input  wire [2:0]  s_short_length,

    // after stage 6, from ws_fix_messages
    input  wire        valid,
    input  wire        begins,
    input  wire        any,
    input  wire        done_short,
    input  wire        long_body,
    input  wire        short_body,
    input  wire [7:0]  sum_all,
    input  wire [7:0]  sum_last,
    input  wire [7:0]  sum_begin,
    input  wire [3:0]  last_place,
    input  wire [3:0]  long_place,
    input  wire [3:0]  short_place,
    input  wire [3:0]  sum_start,

    // after stage 6
    output reg  [16:0] long_natural,
    output reg         long_natural_good,
    output reg  [13:0] short_natural,
    output reg         short_natural_good,
    // stage 7: of the message that ends
    output wire        length_good,
    output wire        sum_good
);

    // Stages 5 and 6: the numbers. A CheckSum has three digits, at most 255.
    reg [16:0] long_s5_reg;
    reg [13:0] short_s5_reg;
    reg        long_good_s5_reg, short_good_s5_reg, long_three_s5_reg, long_sum_good_reg, short_sum_good_reg;
    reg [2:0]  short_length_s5_reg;
    reg [7:0]  short_less_reg;                          // the short field's number - 1

    always @(posedge clk) if (step) begin
        long_s5_reg         <= s_long_natural;
        long_good_s5_reg    <= s_long_natural_good && s_long_real;
        long_three_s5_reg   <= s_long_three;
        short_s5_reg        <= s_short_natural;
        short_good_s5_reg   <= s_short_natural_good;
        short_length_s5_reg <= s_short_length;
    end

    always @(posedge clk) if (step) begin
        long_natural       <= long_s5_reg;
        long_natural_good  <= long_good_s5_reg && !long_s5_reg[16];
        long_sum_good_reg  <= long_good_s5_reg && long_three_s5_reg && long_s5_reg < 17'd256;
        short_natural      <= short_s5_reg;
        short_natural_good <= short_good_s5_reg;
        short_sum_good_reg <= short_good_s5_reg && short_length_s5_reg == 3'd3 && short_s5_reg < 14'd256;
        short_less_reg     <= short_s5_reg[7:0] - 8'd1;
    end

    // Stage 7. left_reg: bytes that BodyLength announces from the next word on; *_last_reg: of the last delimiter.
    reg  [7:0]  sum_reg, sum_last_reg;
    reg  [15:0] left_reg, left_last_reg;
    reg         body_length_good_reg;
    wire [15:0] body_length = long_body ? long_natural[15:0] : {2'd0, short_natural};   // of the bytes after `body_end`
    wire [3:0]  body_end    = long_body ? long_place : short_place;
    wire [4:0]  body_last   = {1'b0, body_end} - {1'b0, last_place};

    assign length_good = body_length_good_reg
                         && (done_short ? left_reg == {12'd0, sum_start} : left_last_reg == 16'd0);

    // A field 10 of three digits that lies in the word begins with its second byte: the first is an SOH, worth 1.
    assign sum_good    = done_short ? short_sum_good_reg && short_less_reg == sum_reg
                                    : long_sum_good_reg && long_natural[7:0] == sum_last_reg;

    always @(posedge clk) if (step) begin
        if (valid) begin
            sum_reg  <= sum_reg + sum_all;
            left_reg <= left_reg - 16'd8;
            if (any) begin
                sum_last_reg  <= sum_reg + sum_last;
                left_last_reg <= left_reg - {12'd0, last_place};
            end
            if (long_body || short_body) begin
                left_reg             <= body_length + {{13{!body_end[3]}}, body_end[2:0]};      // at most 8
                left_last_reg        <= body_length + {{11{body_last[4]}}, body_last};
                body_length_good_reg <= long_body ? long_natural_good : short_natural_good;
            end
        end
        if (begins) sum_reg <= "8" + "=" + sum_all - sum_begin;
    end

endmodule

`default_nettype wire
