// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_fields: stages 1 and 2 of ws_fix_parser: bytes to FIX fields, tag=value with a trailing byte 1 (SOH).
//
// A field is output as events of one cycle each, in step with its bytes (`valid`, `data`):
//
//     4 4 = 1 0 . 5 SOH
//         |_________________ start: the tag is known
//           | |   |_________ digit: number is 1, 0 and 5; fraction with the 5
//                   |_______ finish; malformed with it if this was not a field
//
// A data field may hold SOH: its length is the value of the field before it. LENGTH_TAGS and DATA_TAGS name these
// pairs. A length that its data does not follow, and data without a length or of another length, are malformed. Lengths
// count only in messages (`inside`), and a field 8 begins the next message, so it is good where data should follow.
//
// Properties of the whole field are valid from `finish` to the next `start`: `natural`, and those of numbers.
//
// Parameters   N_DATA       data fields, at least 1
//              LENGTH_TAGS  24 bits a data field: the tag of its length, up to 6 decimal digits, 4 bits each
//              DATA_TAGS    24 bits a data field: its own tag
// Latency      2 cycles from a byte on s_* to its events
// Issue rate   1 byte a cycle
// Bad input    malformed: a tag that is not a number, begins with 0 or has more than 6 digits; no value; a data field
//              as above; a length that is not a number of 1 to 65,535. The end of a payload (`stop`, with its last
//              byte) discards an unfinished field
// Source       FIX 4.4, volume 1, "FIX tag=value syntax" and data type data

`default_nettype none

module ws_fix_fields #(
    parameter                 N_DATA      = 1,
    parameter [N_DATA*24-1:0] LENGTH_TAGS = 24'h95,
    parameter [N_DATA*24-1:0] DATA_TAGS   = 24'h96
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_keep,        // there is a byte; an empty payload has none
    input  wire              s_last,
    input  wire [7:0]        s_data,
    input  wire              inside,        // with finish: the field is in a message

    output reg               valid,
    output reg  [7:0]        data,
    output reg               start,
    output reg               text,          // a byte of the value
    output reg               digit,
    output reg  signed [4:0] number,        // -9 to 9, negative after a minus
    output reg               fraction,
    output wire              ending,        // finish comes in the next cycle
    output reg               finish,
    output reg               malformed,
    output wire              no_length,     // with finish: malformed as well, a length with a bad value
    output reg               stop,
    output reg               partial,       // with stop: there is an unfinished field

    output reg  [23:0]       tag,           // up to the byte before: compare it in the cycle of tag_known
    output wire              tag_known,     // the tag is complete and valid; start follows in the next cycle

    output reg  [15:0]       natural,       // the value as a number of at most 65,535
    output reg               natural_good,

    output reg               numeric,       // an optional minus, digits and at most one point
    output reg               negative,
    output reg               point,
    output reg  [4:0]        whole,         // digits before the point, without leading zeros, at most 31
    output reg  [4:0]        scale          // decimals without trailing zeros, at most 31
);

    localparam [7:0] SOH = 8'h01;

    // Stage 1: input register, and the kind of character.
    reg       in_valid_reg, in_last_reg, in_soh_reg, in_equals_reg, in_digit_reg, in_point_reg, in_minus_reg;
    reg [7:0] in_data_reg;

    always @(posedge clk) begin
        in_valid_reg  <= s_valid && s_keep;
        in_last_reg   <= s_valid && s_last;
        in_data_reg   <= s_data;
        in_soh_reg    <= s_data == SOH;
        in_equals_reg <= s_data == "=";
        in_digit_reg  <= s_data[7:4] == 4'h3 && s_data[3:0] <= 4'd9;
        in_point_reg  <= s_data == ".";
        in_minus_reg  <= s_data == "-";
        if (rst) begin
            in_valid_reg <= 1'b0;
            in_last_reg  <= 1'b0;
        end
    end

    // Stage 2: the field. in_value_reg: after the "=".
    reg                in_value_reg;
    reg                tag_bad_reg, tag_some_reg;
    reg                first_reg;           // no byte of the value yet
    reg                field_bad_reg;       // malformed, as far as known
    reg                is_length_reg;       // the field is the length of a data field
    reg  [23:0]        due_tag_reg;         // with that tag
    reg                is_data_reg;         // a data field
    reg                is_begin_reg;        // field 8
    reg                promised_reg;        // the field before was such a length
    reg  [23:0]        data_tag_reg;        // the tag that must follow
    reg                counted_reg;         // this is the data field that it announced
    reg  [15:0]        left_reg;            // bytes of the data field still to come
    reg                left_more_reg;
    reg                odd_reg;             // the value has a byte that no number has
    reg  [4:0]         decimals_reg;        // decimals so far, at most 31
    integer            i;

    wire in_data    = counted_reg && left_more_reg;     // this byte belongs to a data field, even if it is an SOH
    wire ends       = in_valid_reg && in_soh_reg && !(in_value_reg && in_data);
    wire cuts       = in_last_reg;
    wire value_byte = in_valid_reg && in_value_reg && !ends;
    wire tag_byte   = in_valid_reg && !in_value_reg && !ends;

    wire countable = natural_good && natural != 16'd0;      // with finish

    assign no_length = finish && is_length_reg && !countable;

    reg        is_data, is_length;
    reg [23:0] due_tag;

    always @* begin
        is_data   = 1'b0;
        is_length = 1'b0;
        due_tag   = 24'd0;
        for (i = 0; i < N_DATA; i = i + 1) begin
            if (tag == DATA_TAGS[24*i +: 24]) is_data = 1'b1;
            if (tag == LENGTH_TAGS[24*i +: 24]) begin
                is_length = 1'b1;
                due_tag   = due_tag | DATA_TAGS[24*i +: 24];
            end
        end
    end

    wire   tag_ends  = tag_byte && in_equals_reg;
    assign tag_known = tag_ends && tag_some_reg && !tag_bad_reg;
    assign ending    = ends;

    always @(posedge clk) begin
        valid     <= in_valid_reg;
        data      <= in_data_reg;
        start     <= tag_ends;
        text      <= value_byte;
        digit     <= value_byte && in_digit_reg;
        number    <= negative ? -{1'b0, in_data_reg[3:0]} : {1'b0, in_data_reg[3:0]};
        fraction  <= point;
        finish    <= ends;
        malformed <= ends && (!in_value_reg || first_reg || field_bad_reg || (is_data_reg && !counted_reg)
                              || (promised_reg && !counted_reg && !is_begin_reg));
        stop      <= cuts;
        partial   <= cuts && in_valid_reg && !ends;

        if (in_valid_reg) begin
            if (tag_byte) begin
                tag_some_reg <= 1'b1;
                if (in_digit_reg) tag <= {tag[19:0], in_data_reg[3:0]};
                if (in_equals_reg ? !tag_some_reg
                                  : !in_digit_reg || |tag[23:20] || (!tag_some_reg && in_data_reg[3:0] == 4'd0))
                    tag_bad_reg <= 1'b1;
            end
            if (tag_ends) begin
                in_value_reg  <= 1'b1;
                first_reg     <= 1'b1;
                field_bad_reg <= tag_bad_reg || !tag_some_reg;
                left_reg      <= natural;
                left_more_reg <= 1'b1;      // a length of 0 is malformed
                is_length_reg <= is_length && !tag_bad_reg;
                due_tag_reg   <= due_tag;
                is_data_reg  <= is_data && !tag_bad_reg;
                is_begin_reg <= tag == 24'h8 && !tag_bad_reg;
                counted_reg  <= promised_reg && tag == data_tag_reg && !tag_bad_reg;
            end
            if (value_byte) begin
                first_reg <= 1'b0;
                if (in_data) begin
                    left_reg      <= left_reg - 16'd1;
                    left_more_reg <= left_reg != 16'd1;
                end else if (counted_reg) field_bad_reg <= 1'b1;        // longer than its length
            end
            if (ends) begin
                in_value_reg <= 1'b0;
                tag_some_reg <= 1'b0;
                tag_bad_reg  <= 1'b0;
                tag          <= 24'd0;
            end
        end

        // The field that must follow. `finish` is one cycle after the byte that ends the field.
        if (finish) begin
            promised_reg <= inside && is_length_reg && countable && !malformed;
            data_tag_reg <= due_tag_reg;
        end

        if (rst || cuts) begin
            in_value_reg <= 1'b0;
            tag_some_reg <= 1'b0;
            tag_bad_reg  <= 1'b0;
            tag          <= 24'd0;
        end
        if (rst || stop) promised_reg <= 1'b0;
        if (rst) begin
            start  <= 1'b0;
            finish <= 1'b0;
            stop   <= 1'b0;
        end
    end

    // The value as a number.
    wire [4:0] decimals_next = decimals_reg + {4'd0, decimals_reg != 5'd31};

    always @(posedge clk) begin
        if (tag_ends) begin
            numeric      <= 1'b0;           // until there is a digit
            negative     <= 1'b0;
            point        <= 1'b0;
            whole        <= 5'd0;
            scale        <= 5'd0;
            decimals_reg <= 5'd0;
            odd_reg      <= 1'b0;
        end else if (value_byte) begin
            if (in_digit_reg) begin
                numeric <= !odd_reg;
                if (!point && (whole != 5'd0 || in_data_reg[3:0] != 4'd0) && whole != 5'd31) whole <= whole + 5'd1;
                if (point) begin
                    decimals_reg <= decimals_next;
                    if (in_data_reg[3:0] != 4'd0) scale <= decimals_next;
                end
            end else if (in_minus_reg && first_reg) negative <= 1'b1;
            else if (in_point_reg && !point) point <= 1'b1;
            else begin
                numeric <= 1'b0;
                odd_reg <= 1'b1;
            end
        end
    end

    // Stage 3: natural numbers: lengths, counts and the checksum.
    wire [19:0] natural_next = {1'b0, natural, 3'b0} + {3'b0, natural, 1'b0} + {16'd0, data[3:0]};

    always @(posedge clk) begin
        if (start) begin
            natural      <= 16'd0;
            natural_good <= 1'b1;
        end else if (text) begin
            natural <= natural_next[15:0];
            if (!digit || |natural_next[19:16]) natural_good <= 1'b0;
        end
    end

endmodule

`default_nettype wire
