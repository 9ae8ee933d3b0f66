// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_delimiters: stage 5 of ws_fix_parser_wide: which SOH are delimiters, and whether they end a well-formed field.
//
// An SOH is a delimiter unless it is a byte of a data field, see ws_fix_opaque.
//
// Parameters   MATCH_W  width of a match in bits
//              see ws_fix_parameters.vh
// Latency      1 cycle
// Issue rate   1 word a cycle
// Bad input    any bytes
// Source       FIX 4.4, volume 1, "FIX tag=value syntax" and data type data

`default_nettype none

module ws_fix_delimiters #(
    parameter MATCH_W = 1,
    `include "ws_fix_parameters.vh"
) (
    input  wire               clk,
    input  wire               clear,
    input  wire               step,             // clock enable

    // from ws_fix_ends
    input  wire               s_valid,
    input  wire               s_last,
    input  wire [7:0]         s_keep,
    input  wire [63:0]        s_data,
    input  wire [63:0]        s_part_sums,
    input  wire [7:0]         s_soh,
    input  wire [7:0]         s_last_soh,
    input  wire               s_any,
    input  wire               s_only,
    input  wire [7:0]         s_equals,
    input  wire [7:0]         s_begins,
    input  wire [7:0]         s_sum_end,
    input  wire [7:0]         s_sum_start,
    input  wire [7:0]         s_long_end,
    input  wire               s_long_good,
    input  wire               s_long_length,
    input  wire [MATCH_W-1:0] s_long_match,
    input  wire [7:0]         s_short_start,
    input  wire [7:0]         s_short_end,
    input  wire               s_short_last,
    input  wire               s_short_length,
    input  wire [MATCH_W-1:0] s_short_match,
    input  wire [7:0]         s_early,
    input  wire [7:0]         s_late,
    input  wire               s_early_data,
    input  wire               s_late_data,
    input  wire [MATCH_W-1:0] s_late_match,
    // from ws_fix_values_wide: the values as numbers
    input  wire [15:0]        s_long_number,
    input  wire [15:0]        s_long_reach,     // bit n: it is at least n
    input  wire               s_long_promises,  // it is 1 to 65,535
    input  wire [13:0]        s_short_number,
    // from ws_fix_messages
    input  wire               inside,           // a message goes on from the word before

    output wire               long_real_next,   // stage 4: the long field lies between delimiters

    output reg                valid,
    output reg                last,
    output reg                partial,          // with last: the payload does not end with a delimiter
    output reg  [63:0]        data,
    output reg  [63:0]        sums,             // 8 bits a byte: sum of the bytes up to it
    output reg  [7:0]         soh,              // delimiters
    output reg                any,              // there is one
    output reg  [7:0]         good,             // delimiters of well-formed fields, without the short one
    output reg  [7:0]         equals,
    output reg  [7:0]         begins,           // messages that begin: the "=" of their field 8
    output reg  [7:0]         early_begins,     // up to sum_end
    output reg  [7:0]         late_begins,      // after it
    output reg                sum_any,          // a field 10 lies in the word,
    output reg  [7:0]         sum_end,          // ends there,
    output reg  [3:0]         sum_start,        // and begins after that many bytes
    output reg                long_real,        // the long field lies between delimiters
    output reg                long_sum,         // and is a field 10
    output reg  [MATCH_W-1:0] long_match,
    output reg  [7:0]         short_end,
    output reg                short_good,
    output reg  [MATCH_W-1:0] short_match,
    output reg  [MATCH_W-1:0] opaque_match      // of the data field whose opaque bytes precede
);

    `include "ws_fix_layout.vh"
    `include "ws_fix_match.vh"
    `include "ws_fix_sets.vh"

    wire [7:0] opaque, beyond;
    wire       early_opaque, late_opaque, long_end_real, short_start_real, real_before, promise_before, long_promise;
    reg  [1:0] before_reg;                              // delimiters in the last two bytes before the word

    ws_fix_opaque opaques (
        .clk(clk), .step(step), .valid(s_valid), .last(s_last), .any(s_any), .only(s_only), .last_soh(s_last_soh),
        .long_end(s_long_end), .short_start(s_short_start), .short_last(s_short_last),
        .long_length(s_long_length && s_long_promises), .short_length(s_short_length), .long_number(s_long_number),
        .long_reach(s_long_reach), .short_number(s_short_number), .inside(inside), .closes(s_long_match[MATCH_SUM]),
        .opens(|(s_begins[1:0] & before_reg)), .early(s_early), .late(s_late), .early_data(s_early_data),
        .late_data(s_late_data && s_long_promises),
        .opaque(opaque), .beyond(beyond), .early_begins(early_opaque), .late_begins(late_opaque),
        .long_end_real(long_end_real), .short_start_real(short_start_real), .real_before(real_before),
        .promise_before(promise_before), .long_promise(long_promise)
    );

    wire [7:0] real_soh        = s_soh & ~opaque;
    wire [7:0] begins_next     = s_begins & {real_soh[5:0], before_reg};
    assign     long_real_next  = |s_long_end && long_end_real && real_before;
    wire       long_good       = long_real_next && s_long_good && !s_long_match[MATCH_DATA]
                                 && !(s_long_match[MATCH_LENGTH] && !s_long_promises)
                                 && (!promise_before || s_long_match[MATCH_BEGIN]);
    wire       short_good_next = |s_short_end && short_start_real && !s_short_match[MATCH_DATA]
                                 && !(s_short_match[MATCH_LENGTH] && !s_short_length)
                                 && !(long_promise && |(s_short_start & s_long_end) && !s_short_match[MATCH_BEGIN]);
    wire [7:0] top             = s_keep & ~{1'b0, s_keep[7:1]};     // the payload's last byte
    integer    i;

    always @(posedge clk) if (step) begin
        valid        <= s_valid;
        last         <= s_last;
        partial      <= |(top & ~real_soh);
        data         <= s_data;
        for (i = 0; i < 8; i = i + 1)
            sums[8*i +: 8] <= s_part_sums[8*i +: 8] + (i < 4 ? 8'd0 : s_part_sums[31:24]);
        soh          <= real_soh;
        any          <= |real_soh;
        good         <= (beyond & real_soh) | (long_good ? s_long_end : 8'd0);
        equals       <= s_equals;
        begins       <= begins_next;
        early_begins <= begins_next & up_to(s_sum_end);
        late_begins  <= begins_next & ~up_to(s_sum_end);
        sum_any      <= |(s_sum_start & real_soh);
        sum_end      <= s_sum_end;
        sum_start    <= place(s_sum_start);
        long_real    <= long_real_next;
        long_sum     <= long_real_next && s_long_match[MATCH_SUM];
        long_match   <= s_long_match;
        short_end    <= s_short_end;
        short_good   <= short_good_next;
        short_match  <= s_short_match;
        if (s_valid) begin
            before_reg   <= s_last ? 2'b10 : real_soh[7:6];
            opaque_match <= early_opaque ? s_long_match : late_opaque ? s_late_match : opaque_match;
        end
        if (clear) begin
            valid      <= 1'b0;
            before_reg <= 2'b10;
        end
    end

endmodule

`default_nettype wire
