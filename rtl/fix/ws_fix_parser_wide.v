// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_parser_wide: FIX messages (tag=value) in UDP payloads to typed fields, eight bytes a cycle.
//
// What ws_fix_parser does, with the same parameters and the same verdicts, for 10 Gb/s. It takes eight bytes a cycle
// whatever they are: a word may hold eight SOH, the end of a message and the beginning of the next, or three that are
// broken off. So evt_truncated (at most 4), evt_malformed and evt_garbage (at most 2) are numbers to be added.
//
// A field that is tag=value has at least four bytes, thus a word is behind at most two of them: the one that ends at
// its first SOH (1) and one that lies in it as a whole (2). Every other SOH makes a message malformed, or ends a data
// field. A message that begins and ends in one word cannot be good. So a word has at most one verdict that needs the
// fields, and two fields that need their values.
//
// Parameters   N_MESSAGES     message types, at least 1
//              N_FIELDS       fields, at least 1; field 0 has the low bits of every table and of m_fields
//              N_GROUPS       repeating groups, at least 1; one whose tags are 0 never comes
//              N_BEGINS       BeginStrings that are taken, at least 1
//              N_DATA         data fields, at least 1
//              FIELDS_W       sum of WIDTHS, at least 1
//              TYPES          MsgType of each, 24 bits: up to 3 characters, zeros before them
//              WANTED         N_FIELDS bits a message: the fields that it may have
//              REQUIRED       N_FIELDS bits a message: those that it must have; of an entry of a group, if it is there
//              TAGS           24 bits a field: up to 6 decimal digits of 4 bits
//              KINDS          2 bits a field: 0 integer, 1 price, 2 string, 3 timestamp
//              WIDTHS         10 bits a field, its width: 32 or 64 of a number, 8 to 512 of a string, 64 of a timestamp
//              SIGNED         1 bit a field: the number may be negative
//              DECIMALS       4 bits a field: digits behind the point of a price, 0 to 8
//              DEFAULTS       of the fields, as on m_fields
//              GROUP          4 bits a field: 1 + the index of its group, 0 for none
//              ENTRY          4 bits a field: the entry of the group that it belongs to, from 0
//              COUNT_TAGS     24 bits a group: the tag of its number of entries
//              FIRST_TAGS     24 bits a group: the tag that begins an entry
//              BEGIN_STRINGS  BeginStrings, 64 bits each; 1 to 8 characters, zeros before them
//              LENGTH_TAGS    tags of the lengths of the data fields, 24 bits each; see ws_fix_fields
//              DATA_TAGS      tags of the data fields, 24 bits each
// Latency      8 cycles from the last word of a message to m_valid
// Issue rate   1 word a cycle
// Overflow     a sink that stalls pushes back
// Bad input    counted as for ws_fix_parser, whatever the bytes are. Every word of a payload but the last has eight
//              bytes; payloads with tuser[0] must not come: a frame FIFO stands before this core. LENGTH_TAGS have at
//              least two digits, and none of them is a data field's
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.1.1; FIX 4.4, volume 1

`default_nettype none

module ws_fix_parser_wide #(
    parameter                             N_MESSAGES  = 1,
    parameter                             N_FIELDS    = 4,
    parameter                             N_GROUPS    = 1,
    parameter                             N_BEGINS    = 3,
    parameter                             N_DATA      = 1,
    parameter                             FIELDS_W    = 64 + 64 + 32 + 64,
    parameter [N_MESSAGES*24-1:0]         TYPES       = "D",
    parameter [N_MESSAGES*N_FIELDS-1:0]   WANTED      = 4'b1111,
    parameter [N_MESSAGES*N_FIELDS-1:0]   REQUIRED    = 4'b0011,
    parameter [N_FIELDS*24-1:0]           TAGS        = {24'h60, 24'h38, 24'h44, 24'h55},
    parameter [N_FIELDS*2-1:0]            KINDS       = {2'd3, 2'd0, 2'd1, 2'd2},
    parameter [N_FIELDS*10-1:0]           WIDTHS      = {10'd64, 10'd32, 10'd64, 10'd64},
    parameter [N_FIELDS-1:0]              SIGNED      = 4'b0010,
    parameter [N_FIELDS*4-1:0]            DECIMALS    = 16'h0040,
    parameter [FIELDS_W-1:0]              DEFAULTS    = 0,
    parameter [N_FIELDS*4-1:0]            GROUP       = 0,
    parameter [N_FIELDS*4-1:0]            ENTRY       = 0,
    parameter [N_GROUPS*24-1:0]           COUNT_TAGS  = 0,
    parameter [N_GROUPS*24-1:0]           FIRST_TAGS  = 0,
    parameter [N_BEGINS*64-1:0]           BEGIN_STRINGS = {64'h4649582e342e32, 64'h4649582e342e34, "FIXT.1.1"},
    parameter [N_DATA*24-1:0]             LENGTH_TAGS = 24'h95,
    parameter [N_DATA*24-1:0]             DATA_TAGS   = 24'h96
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire [63:0]                   s_axis_tdata,
    input  wire [7:0]                    s_axis_tkeep,
    input  wire                          s_axis_tvalid,
    output wire                          s_axis_tready,
    input  wire                          s_axis_tlast,

    output reg                           m_valid,
    input  wire                          m_ready,
    output wire [FIELDS_W-1:0]           m_fields,
    output reg  [$clog2(N_MESSAGES+1)-1:0] m_kind,

    output reg                           evt_message,
    output reg  [2:0]                    evt_truncated,
    output reg  [1:0]                    evt_malformed,
    output reg                           evt_bad_header,
    output reg                           evt_bad_length,
    output reg                           evt_bad_checksum,
    output reg                           evt_unknown,
    output reg                           evt_repeated,
    output reg                           evt_bad_value,
    output reg                           evt_missing,
    output reg                           evt_bad_group,
    output reg  [1:0]                    evt_garbage
);

    initial if (N_MESSAGES < 1 || N_GROUPS < 1 || N_BEGINS < 1 || N_DATA < 1) begin
        $display("ERROR: %m: N_MESSAGES = %0d, N_GROUPS = %0d, N_BEGINS = %0d, N_DATA = %0d (at least 1)",
                 N_MESSAGES, N_GROUPS, N_BEGINS, N_DATA);
        $finish;
    end

    localparam       KIND_W = $clog2(N_MESSAGES + 1);
    localparam [1:0] INTEGER = 2'd0, PRICE = 2'd1, STRING = 2'd2, TIMESTAMP = 2'd3;

    integer i, k;

    // The bit of m_fields with which field `index` begins.
    function integer offset(input integer index);
        integer n;
        begin
            offset = 0;
            for (n = 0; n < index; n = n + 1) offset = offset + {22'd0, WIDTHS[10*n +: 10]};
        end
    endfunction

    initial if (offset(N_FIELDS) != FIELDS_W) begin
        $display("ERROR: %m: FIELDS_W = %0d, but the fields have %0d bits", FIELDS_W, offset(N_FIELDS));
        $finish;
    end

    initial for (i = 0; i < N_DATA; i = i + 1) for (k = 0; k < N_DATA; k = k + 1)
        if (LENGTH_TAGS[24*i +: 24] < 24'h10 || LENGTH_TAGS[24*i +: 24] == DATA_TAGS[24*k +: 24]) begin
            $display("ERROR: %m: LENGTH_TAGS %0h: needs two digits, and must not be a data field's",
                     LENGTH_TAGS[24*i +: 24]);
            $finish;
        end

    `include "ws_fix_sets.vh"

    function [2:0] size(input [7:0] set);
        integer n;
        begin
            size = 3'd0;                                // a set of 8 never comes
            for (n = 0; n < 8; n = n + 1) size = size + {2'd0, set[n]};
        end
    endfunction

    function [7:0] pick(input [63:0] sums, input [7:0] one);
        integer n;
        begin
            pick = 8'd0;
            for (n = 0; n < 8; n = n + 1) if (one[n]) pick = pick | sums[8*n +: 8];
        end
    endfunction

    // A sink that stalls stops the whole core. It does so a cycle late, but the word behind a message's last does not
    // yet hold the next one's MsgType, which changes the fields.
    reg  step_reg;
    wire step = step_reg;
    assign s_axis_tready = step_reg;

    // A reset reaches all but the first stage a cycle late, when no sink stalls them.
    reg clear_reg;

    always @(posedge clk) begin
        step_reg  <= rst || !m_valid || m_ready;
        clear_reg <= rst;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Stages 1 and 2: what each byte is.

    wire        valid2, last2, ends2;
    wire [7:0]  keep2, soh2, first2, lead2, trail2, equals2, point2, heads2, anchor, tagged2, inner2, owner2, begins2, sums2,
                value2, digit2, nonzero2, minus2, odd2, rough2;
    wire [63:0] data2, code2;
    wire [23:0] tag_low, tag_high;
    wire [5:0]  size_low, size_high;

    ws_fix_words words (
        .clk(clk), .rst(rst), .clear(clear_reg), .step(step),
        .s_valid(s_axis_tvalid), .s_last(s_axis_tlast), .s_keep(s_axis_tkeep), .s_data(s_axis_tdata),
        .valid(valid2), .last(last2), .keep(keep2), .data(data2), .code(code2), .soh(soh2),
        .ends(ends2), .first_soh(first2), .lead(lead2), .trail(trail2), .equals(equals2), .point(point2),
        .heads(heads2), .anchor(anchor), .tagged(tagged2), .inner(inner2), .owner(owner2),
        .tag_low(tag_low), .tag_high(tag_high), .size_low(size_low), .size_high(size_high), .begins(begins2),
        .sums(sums2), .value(value2), .digit(digit2), .nonzero(nonzero2), .minus(minus2), .odd(odd2), .rough(rough2)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 3: what the tags say.

    // Digits behind the point of a field's number in `decimals`, 9 for a timestamp.
    function integer decimals(input integer index);
        decimals = KINDS[2*index +: 2] == TIMESTAMP ? 9
                   : KINDS[2*index +: 2] == PRICE ? {28'd0, DECIMALS[4*index +: 4]} : 0;
    endfunction

    // Which converter makes its number: one does for all, but a tag that messages read with different decimals needs
    // one for each.
    function integer converter(input integer index);
        integer n, m, same;
        begin
            converter = 0;
            same      = 0;
            for (n = 0; n < index && same == 0; n = n + 1)
                if (TAGS[24*n +: 24] == TAGS[24*index +: 24] && KINDS[2*n +: 2] != STRING) begin
                    if (decimals(n) == decimals(index)) same = 1;
                    else begin
                        m = 0;
                        while (m < n && !(TAGS[24*m +: 24] == TAGS[24*index +: 24] && KINDS[2*m +: 2] != STRING
                                          && decimals(m) == decimals(n))) m = m + 1;
                        if (m == n) converter = converter + 1;
                    end
                end
        end
    endfunction

    function integer converters(input integer unused);
        integer n;
        begin
            converters = 1;
            for (n = 0; n < N_FIELDS; n = n + 1)
                if (KINDS[2*n +: 2] != STRING && converter(n) >= converters) converters = converter(n) + 1;
        end
    endfunction

    localparam CONVERTERS = converters(0);

    // One bit each: the fields, number of entries and first field of the groups, frame, that it is a length or data (and
    // of which pair), and the decimals that a described number has.
    localparam PAIR_W = N_DATA > 1 ? $clog2(N_DATA) : 1;
    localparam COUNT = N_FIELDS, FIRST = COUNT + N_GROUPS, LENGTH = FIRST + N_GROUPS, TYPE = LENGTH + 1, SUM = TYPE + 1,
               BEGIN = SUM + 1, SIZE = BEGIN + 1, BYTES = SIZE + 1, PAIR = BYTES + 1, DECIMAL = PAIR + PAIR_W,
               MATCH_W = DECIMAL + 10 * CONVERTERS;

    // Whether the bytes before an "=", of which a tag has `digits`, are this tag.
    function is_tag(input [23:0] bytes, input [5:0] digits, input [23:0] tag);
        integer n;
        begin
            is_tag = 1'b0;
            for (n = 0; n < 6; n = n + 1)
                if (tag >> (4 * n) != 24'd0 && tag >> (4 * n) < 24'd16)
                    is_tag = digits[n] && (bytes ^ tag) << (20 - 4 * n) == 24'd0;
        end
    endfunction

    function [MATCH_W-1:0] match(input [23:0] bytes, input [5:0] digits);
        integer n;
        begin
            match = {MATCH_W{1'b0}};
            for (n = 0; n < N_FIELDS; n = n + 1) if (is_tag(bytes, digits, TAGS[24*n +: 24])) begin
                match[n] = 1'b1;
                if (KINDS[2*n +: 2] != STRING) match[DECIMAL+10*converter(n)+decimals(n)] = 1'b1;
            end
            for (n = 0; n < N_GROUPS; n = n + 1) begin
                match[COUNT+n] = is_tag(bytes, digits, COUNT_TAGS[24*n +: 24]);
                match[FIRST+n] = is_tag(bytes, digits, FIRST_TAGS[24*n +: 24]);
            end
            match[LENGTH] = is_tag(bytes, digits, 24'h9);
            match[TYPE]   = is_tag(bytes, digits, 24'h35);
            match[SUM]    = is_tag(bytes, digits, 24'h10);
            match[BEGIN]  = is_tag(bytes, digits, 24'h8);
            for (n = 0; n < N_DATA; n = n + 1) begin
                if (is_tag(bytes, digits, LENGTH_TAGS[24*n +: 24])) match[SIZE]  = 1'b1;
                if (is_tag(bytes, digits, DATA_TAGS[24*n +: 24]))   match[BYTES] = 1'b1;
                if (is_tag(bytes, digits, LENGTH_TAGS[24*n +: 24]) || is_tag(bytes, digits, DATA_TAGS[24*n +: 24]))
                    match[PAIR +: PAIR_W] = match[PAIR +: PAIR_W] | n[PAIR_W-1:0];
            end
        end
    endfunction

    reg               valid3, last3;
    reg [7:0]         keep3, soh3, first3, lead3, equals3, owner3, begins3, sums3;
    reg [7:0]         next3;                            // the "=" of a field that begins behind the first SOH
    reg               ends3, owned3;                    // an SOH; before it the "=" of tag_low or tag_high
    reg               tagged_lead3, tagged_trail3, value_lead3, value_trail3;   // before the first, behind the last
    reg [63:0]        data3;
    reg [MATCH_W-1:0] low3, high3, match1, match_reg;   // match1: field (1); match_reg: the one that goes on
    reg [23:0]        type3;                            // the characters before the first SOH,
    reg [2:0]         type_mark3;                       // with the "=" before the last, the last two, all

    // Two words, to look back from the first SOH.
    reg [31:0] data_before_reg;
    reg [3:0]  tagged_before_reg;
    wire [95:0] data_two   = {data2, data_before_reg};
    wire [11:0] tagged_two = {tagged2, tagged_before_reg};
    reg  [23:0] type_next;
    reg  [2:0]  type_mark_next;
    wire [7:0]  second_lead = before(soh2 & ~first2);       // before the second SOH
    wire [7:0]  owned_lead  = owner2 & lead2;
    wire [7:0]  owned_trail = owner2 & trail2;

    wire [MATCH_W-1:0] low_next  = match(tag_low, size_low);
    wire [MATCH_W-1:0] high_next = match(tag_high, size_high);
    wire [MATCH_W-1:0] match1_next = |owned_lead[3:0] ? low_next : |owned_lead[7:4] ? high_next
                                     : |(tagged2 & lead2) ? {MATCH_W{1'b0}} : match_reg;

    always @* begin
        type_next      = 24'd0;
        type_mark_next = 3'd0;
        for (i = 0; i < 8; i = i + 1) begin
            for (k = 0; k < 3; k = k + 1)
                if (first2[i]) type_next[8*k +: 8] = type_next[8*k +: 8] | data_two[8*(i+3-k) +: 8];
            if (first2[i]) type_mark_next = type_mark_next | {tagged_two[i], tagged_two[i+1], tagged_two[i+2]};
        end
    end

    always @(posedge clk) if (step) begin
        valid3     <= valid2;
        last3      <= last2;
        keep3      <= keep2;
        soh3       <= soh2;
        first3     <= first2;
        lead3      <= lead2;
        ends3      <= ends2;
        next3      <= owner2 & ~lead2 & second_lead;
        owned3       <= |owned_lead;
        tagged_lead3  <= |(tagged2 & lead2);
        tagged_trail3 <= |(tagged2 & trail2);
        value_lead3   <= |(value2 & lead2);
        value_trail3  <= |(value2 & trail2);
        equals3    <= equals2;
        owner3     <= owner2;
        begins3    <= begins2;
        sums3      <= sums2;
        data3      <= data2;
        low3       <= low_next;
        high3      <= high_next;
        match1     <= match1_next;
        type3      <= type_next;
        type_mark3 <= type_mark_next;
        if (valid2) begin
            match_reg <= !ends2 ? match1_next : |owned_trail[3:0] ? low_next : |owned_trail[7:4] ? high_next
                                              : {MATCH_W{1'b0}};
            data_before_reg   <= data2[63:32];
            tagged_before_reg <= last2 ? 4'd0 : tagged2[7:4];
        end
        if (last2) match_reg <= {MATCH_W{1'b0}};
        if (clear_reg) begin
            valid3            <= 1'b0;
            tagged_before_reg <= 4'd0;
        end
    end

    // Values, see there.
    reg  [MATCH_W-1:0]       match1_4, match2_4;
    wire [CONVERTERS-1:0]    promises, natural1_good, three1, numeric1, negative1, pointed1, timestamp_good;
    wire [17*CONVERTERS-1:0] natural1;
    wire [16*CONVERTERS-1:0] reach1;
    wire [MATCH_W-1:0]       match2;
    wire [19*CONVERTERS-1:0] whole_used;
    wire [10*CONVERTERS-1:0] fraction_used1;
    wire [64*CONVERTERS-1:0] number1, number2;
    wire [7:0]               ends2_3, equals2_3;
    wire                     short_low, short_high, counts2, natural2_good, numeric2, negative2, pointed2;
    wire [3:0]               points2;
    wire [31:0]              text2;
    wire [23:0]              right2;
    wire [2:0]               length2, fraction_used2;
    wire [13:0]              natural2;
    wire [15:0]              digits2;

    genvar c;
    generate
        for (c = 0; c < CONVERTERS; c = c + 1) begin : gen_number
            ws_fix_decimal decimal (
                .clk(clk), .step(step), .valid(valid2), .last(last2), .code(code2), .ends(ends2),
                .lead(lead2), .trail(trail2), .point(point2), .heads(heads2), .anchor(anchor), .value_byte(value2),
                .digit(digit2), .nonzero(nonzero2), .minus(minus2), .odd(odd2), .rough(rough2),
                .natural(natural1[17*c +: 17]), .natural_good(natural1_good[c]), .promises(promises[c]),
                .three(three1[c]), .reach(reach1[16*c +: 16]),
                .decimals(match1[DECIMAL+10*c +: 10]), .numeric(numeric1[c]),
                .negative(negative1[c]), .pointed(pointed1[c]), .whole_used(whole_used[19*c +: 19]),
                .fraction_used(fraction_used1[10*c +: 10]), .timestamp_good(timestamp_good[c]),
                .value(number1[64*c +: 64])
            );

            ws_fix_short_number short_number (
                .clk(clk), .step(step), .points(points2), .decimals(match2[DECIMAL+10*c +: 9]),
                .digits(digits2), .negative(negative2), .value(number2[64*c +: 64])
            );
        end
    endgenerate

    ws_fix_short short (
        .clk(clk), .step(step), .data(data2), .code(code2), .soh(soh2), .inner(inner2), .owner(owner2),
        .point(point2), .digit(digit2), .minus(minus2), .odd(odd2),
        .ends(ends2_3), .equals(equals2_3), .low(short_low), .high(short_high), .points(points2),
        .counts(counts2), .text(text2), .right(right2), .length(length2),
        .natural(natural2), .natural_good(natural2_good), .numeric(numeric2), .negative(negative2), .digits(digits2),
        .pointed(pointed2), .fraction_used(fraction_used2)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 4: the fields that end at the first SOH (1) and within the word (2).

    reg                valid4, last4, good1_4, has_tag_reg, has_value_reg;
    reg [7:0]          keep4, soh4, equals4, begins4, end1_4, end2_4, start2_4, final4;     // final4: the last SOH
    reg                any4, only4, two_last4;             // SOH; one; the last is that of (2)
    reg [7:0]          sum_end4, sum_start4;            // of a field 10 within the word: its SOH, and the one before
    reg [63:0]         data4, part4;                    // part4: sums of bytes up to each, in each half
    reg                length1_4, length2_4;            // it is a length, and a good one
    reg                early_data4, late_data4;         // it is a data field of the length before
    reg [MATCH_W-1:0]  late_match4;                     // of a field that begins behind the first SOH
    reg [7:0]          early4, late4;                   // the "=" of one that began before the word, and of that
    reg [23:0]         type4;
    reg                type_good4;

    assign             match2 = ({MATCH_W{short_low}} & low3) | ({MATCH_W{short_high}} & high3);
    wire [MATCH_W-1:0] next_match = |next3[3:0] ? low3 : high3;
    // The length that ended at the last SOH before this word.
    reg                length_reg;
    reg  [PAIR_W-1:0]  pair_reg;
    wire               length_before = !valid4 || !any4 ? length_reg : only4 ? length1_4 : two_last4 && length2_4;
    wire [PAIR_W-1:0]  pair_before   = !valid4 || !any4 ? pair_reg : only4 ? match1_4[PAIR +: PAIR_W]
                                                                           : match2_4[PAIR +: PAIR_W];
    wire               tag1   = has_tag_reg || tagged_lead3;
    wire               good1  = ends3 && tag1 && (has_value_reg || value_lead3);
    wire [7:0]         final3  = last_of(soh3);
    reg  [7:0]         sum_end, sum_start, starts2;

    always @* begin
        sum_end   = 8'd0;
        sum_start = 8'd0;
        starts2   = 8'd0;
        for (i = 0; i < 6; i = i + 1)                       // the last SOH before the "="
            for (k = i + 2; k < 8; k = k + 1)
                if (equals2_3[k] && soh3[i] && ~|((soh3 & ((8'd1 << k) - 8'd1)) >> i >> 1)) starts2[i] = 1'b1;
        for (i = 3; i < 7; i = i + 1) if (sums3[i] && soh3[i-3]) begin
            sum_end        = first(soh3 & ~up_to(8'd1 << i));
            sum_start[i-3] = |sum_end;
        end
    end

    always @(posedge clk) if (step) begin
        valid4     <= valid3;
        last4      <= last3;
        keep4      <= keep3;
        soh4       <= soh3;
        equals4    <= equals3;
        begins4    <= begins3;
        data4      <= data3;
        for (k = 0; k < 64; k = k + 32) begin
            part4[k +: 8]    <= data3[k +: 8];
            part4[k+8 +: 8]  <= data3[k +: 8] + data3[k+8 +: 8];
            part4[k+16 +: 8] <= data3[k +: 8] + data3[k+8 +: 8] + data3[k+16 +: 8];
            part4[k+24 +: 8] <= data3[k +: 8] + data3[k+8 +: 8] + data3[k+16 +: 8] + data3[k+24 +: 8];
        end
        end1_4     <= first3;
        end2_4     <= ends2_3;
        start2_4   <= starts2;
        final4     <= final3;
        any4       <= ends3;
        only4      <= ~|(soh3 & ~first3);
        two_last4  <= |(final3 & ends2_3);
        sum_end4   <= sum_end;
        sum_start4 <= sum_start;
        match1_4   <= match1;
        match2_4   <= match2;
        good1_4    <= good1;
        length1_4  <= good1 && match1[SIZE];
        length2_4  <= counts2 && match2[SIZE];
        early4      <= owner3 & lead3;
        late4       <= next3;
        late_match4 <= next_match;
        early_data4 <= owned3 && match1[BYTES] && length_before && match1[PAIR +: PAIR_W] == pair_before;
        late_data4  <= |next3 && good1 && next_match[BYTES] && match1[SIZE]
                       && next_match[PAIR +: PAIR_W] == match1[PAIR +: PAIR_W];
        type4      <= {type_mark3[2] ? type3[23:16] : 8'd0, |type_mark3[2:1] ? type3[15:8] : 8'd0, type3[7:0]};
        type_good4 <= |type_mark3;
        if (valid3) begin
            has_tag_reg   <= !last3 && (tagged_trail3 || (!ends3 && has_tag_reg));
            has_value_reg <= !last3 && (value_trail3 || (!ends3 && has_value_reg));
        end
        length_reg <= length_before && !last4;
        pair_reg   <= pair_before;
        if (clear_reg) begin
            valid4        <= 1'b0;
            length_reg    <= 1'b0;
            has_tag_reg   <= 1'b0;
            has_value_reg <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 5: which SOH end a field, and whether it is a good one.

    wire [7:0] opaque, beyond;
    wire       early_begins, late_begins, real1, real2, real_before, promise_before, promise1;
    wire       inside;                                  // a message goes on from the word before
    reg [1:0]  real_sohs_reg;                           // the last two bytes before the word

    ws_fix_opaque opaques (
        .clk(clk), .step(step), .valid(valid4), .last(last4), .any(any4), .last_soh(final4),
        .end1(end1_4), .only1(only4), .last2(two_last4), .start2(start2_4),
        .length1(length1_4 && promises[0]), .length2(length2_4),
        .inside(inside), .closes(match1_4[SUM]), .opens(|(begins4[1:0] & real_sohs_reg)),
        .number1(natural1[15:0]), .reach1(reach1[15:0]), .number2(natural2), .early(early4), .late(late4),
        .early_data(early_data4), .late_data(late_data4 && promises[0]), .opaque(opaque), .beyond(beyond),
        .early_begins(early_begins), .late_begins(late_begins), .real1(real1), .real2(real2),
        .real_before(real_before), .promise_before(promise_before), .promise1(promise1)
    );

    reg               valid5, last5, partial5, good2_5, raw1_5, sum1_5, any5, end2_any;
    reg [7:0]         early5, late5;                    // of begins5, up to sum_end5 and behind it
    reg [7:0]         soh5, equals5, good5, begins5, sum_end5, end2_5;
    reg [3:0]         sum_start5;                       // place of that SOH, from 1
    reg [63:0]        data5, sums5;                     // sums5: of bytes up to each
    reg [MATCH_W-1:0] match1_5, match2_5, opaque_match_reg;
    reg [16:0]        natural1_5;
    reg [13:0]        natural2_5;
    reg               natural1_good5, natural2_good5, three1_5, numeric2_5, negative2_5, pointed2_5;
    reg [2:0]         length2_5, fraction_used2_5;
    reg [31:0]        text2_5;
    reg [N_MESSAGES-1:0] same1_5, same2_5;

    wire [7:0]         sohs    = soh4 & ~opaque;
    wire [7:0]         begins  = begins4 & {sohs[5:0], real_sohs_reg};
    wire               raw1    = |end1_4 && real1 && real_before;       // it began behind a real end
    wire               good1_real = raw1 && good1_4 && !match1_4[BYTES] && !(match1_4[SIZE] && !promises[0])
                                    && (!promise_before || match1_4[BEGIN]);
    wire               good2_real = |end2_4 && real2 && !match2_4[BYTES] && !(match2_4[SIZE] && !length2_4)
                                    && !(promise1 && |(start2_4 & end1_4) && !match2_4[BEGIN]);
    wire [7:0]         top     = keep4 & ~{1'b0, keep4[7:1]};           // the payload's last byte
    wire [MATCH_W-1:0] opened  = early_begins ? match1_4 : late_begins ? late_match4 : opaque_match_reg;

    always @(posedge clk) if (step) begin
        valid5     <= valid4;
        last5      <= last4;
        partial5   <= |(top & ~sohs);
        soh5       <= sohs;
        equals5    <= equals4;
        good5      <= (beyond & sohs) | (good1_real ? end1_4 : 8'd0);
        begins5    <= begins;
        early5     <= begins & up_to(sum_end4);
        late5      <= begins & ~up_to(sum_end4);
        any5       <= |sohs;
        end2_any   <= |(sum_start4 & sohs);
        data5      <= data4;
        for (i = 0; i < 8; i = i + 1) sums5[8*i +: 8] <= part4[8*i +: 8] + (i < 4 ? 8'd0 : part4[31:24]);
        end2_5     <= end2_4;
        good2_5    <= good2_real;
        raw1_5     <= raw1;
        sum1_5     <= raw1 && match1_4[SUM];
        sum_end5   <= sum_end4;
        sum_start5 <= place(sum_start4);
        match1_5   <= match1_4;
        match2_5   <= match2_4;
        natural1_5     <= natural1[16:0];
        natural1_good5 <= natural1_good[0] && raw1;
        three1_5       <= three1[0];
        natural2_5     <= natural2;
        natural2_good5 <= natural2_good;
        numeric2_5     <= numeric2;
        negative2_5    <= negative2;
        pointed2_5     <= pointed2;
        length2_5      <= length2;
        fraction_used2_5 <= fraction_used2;
        text2_5        <= text2;
        for (i = 0; i < N_MESSAGES; i = i + 1) begin
            same1_5[i] <= type_good4 && type4 == TYPES[24*i +: 24];
            same2_5[i] <= length2 < 3'd4 && right2 == TYPES[24*i +: 24];
        end
        if (valid4) begin
            real_sohs_reg    <= last4 ? 2'b10 : sohs[7:6];
            opaque_match_reg <= opened;
        end
        if (clear_reg) begin
            valid5        <= 1'b0;
            real_sohs_reg <= 2'b10;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 6: where messages begin and end.

    reg       inside_reg, litter_reg;                   // in a message; bytes outside messages, not yet counted
    reg [1:0] place_reg;                                // of the next field in the message, 3 for all behind MsgType
    reg [1:0] age_reg;                                  // words since the message began

    // In the order of the wire: the first field's end (1), messages that begin, the end of a field 10 within the word
    // (2), messages that begin.
    wire       end1      = sum1_5 && inside_reg;
    wire       inside1   = inside_reg && !sum1_5;
    wire [7:0] early     = end2_any ? early5 : begins5;
    wire [7:0] late      = end2_any ? late5 : 8'd0;
    wire       end2      = end2_any && (|early || inside1);
    wire       quick     = end2_any && |early;          // begun and ended in this word
    wire       full2     = end2_any && ~|early && inside1;
    wire       goes_on   = |late || (!end2_any && (|early || inside1));
    wire       begins_new = end2_any ? |late : |begins5;

    assign     inside    = valid5 ? goes_on && !last5 : inside_reg;

    wire [7:0] bad       = soh5 & ~good5 & ~(good2_5 ? end2_5 : 8'd0);
    wire [7:0] head1     = first(soh5);
    wire [7:0] old       = sum1_5 ? head1 : up_to(begins5) & (end2_any ? up_to(sum_end5) : 8'hff);     // first message
    wire [7:0] litter1   = soh5 & ~(end1 ? head1 : 8'd0);
    wire       litter0   = litter_reg && !end1;
    wire       left_over = end2 ? |(soh5 & ~up_to(sum_end5)) : litter0 || |litter1;

    wire       field1    = inside_reg && any5 && ~|(begins5 & up_to(head1));
    wire       field2    = inside1 && good2_5 && ~|(begins5 & up_to(end2_5));
    wire [2:0] place2    = {1'b0, place_reg} + 3'd1;    // of the field behind the first SOH

    reg               valid6, full6, full2_6, quick_malformed6, quick_header6, begins6, malformed6, malformed_new6,
                      header6, header_new6, again6, begin_string6, field1_6, field2_6, dispatch1_6, dispatch2_6,
                      length1_6, length2_6,
                      natural1_good6, natural2_good6, three_digits1_6, three_digits2_6, any6;
    reg [7:0]         less_one2_6;
    reg [2:0]         begun6;                           // messages; those that broke off none; the payload's end does
    reg [1:0]         unbroken6;
    reg               broken6;
    reg [1:0]         garbage6;
    reg [7:0]         late6, behind6;                   // messages that begin behind (2), and other ends there
    reg [MATCH_W-1:0] match1_6, match2_6;
    reg [16:0]        natural1_6;
    reg [13:0]        natural2_6;
    reg [7:0]         sum_all6, sum_before6, sum_begin6;
    reg [3:0]         last6, set1_6, set2_6, sum_start6;    // bytes up to the last SOH, the first, (2), that before 10
    reg [N_MESSAGES-1:0] same1_6, same2_6;
    reg [N_FIELDS-1:0] bad1_6, bad2_6;
    reg                uncounted1_6, uncounted2_6;      // it is no natural number, whatever its size
    reg [31:0]        text2_6;

    always @(posedge clk) if (step) begin
        valid6           <= valid5;
        full6            <= valid5 && (end1 || full2);
        full2_6          <= full2;
        quick_malformed6 <= valid5 && quick && |(bad & up_to(sum_end5) & behind(early));
        quick_header6    <= valid5 && quick && ~|(bad & up_to(sum_end5) & behind(early));
        begins6          <= valid5 && begins_new;
        malformed6       <= inside_reg && |(bad & old);
        malformed_new6   <= |(bad & behind(begins5));
        header_new6      <= |(soh5 & behind(begins5));
        header6          <= (field1 && ((place_reg == 2'd1 && !(raw1_5 && match1_5[LENGTH]))
                                        || (place_reg == 2'd2 && !(raw1_5 && match1_5[TYPE]))))
                            || (field2 && ((place2 == 3'd1 && !match2_5[LENGTH])
                                           || (place2 == 3'd2 && !match2_5[TYPE])));
        again6           <= (field1 && place_reg == 2'd3 && raw1_5 && (match1_5[LENGTH] || match1_5[TYPE]))
                            || (field2 && place2 >= 3'd3 && (match2_5[LENGTH] || match2_5[TYPE]));
        begin_string6    <= valid5 && field1 && place_reg == 2'd0;
        field1_6         <= valid5 && field1;
        field2_6         <= valid5 && field2;
        dispatch1_6      <= valid5 && field1 && place_reg == 2'd2 && raw1_5 && match1_5[TYPE] && age_reg >= 2'd2;
        dispatch2_6      <= valid5 && field2 && place2 == 3'd2 && match2_5[TYPE] && age_reg >= 2'd2;
        length1_6        <= valid5 && field1 && place_reg == 2'd1;
        length2_6        <= valid5 && field2 && place2 == 3'd1;
        begun6           <= valid5 ? size(begins5) : 3'd0;
        unbroken6        <= valid5 ? {|early && !inside1, |late} : 2'd0;
        broken6          <= valid5 && last5 && goes_on;
        garbage6[0]      <= valid5 && ((|early && !inside1 && (litter0 || |(litter1 & up_to(begins5))))
                                       || (|late && !end2 && (litter0 || |(litter1 & up_to(begins5)))));
        garbage6[1]      <= valid5 && last5 && !goes_on && (left_over || partial5);
        late6            <= valid5 && end2 ? late : 8'd0;
        behind6          <= soh5 & ~up_to(sum_end5);
        match1_6         <= raw1_5 ? match1_5 : opaque_match_reg;
        match2_6         <= match2_5;
        natural1_6       <= natural1_5;
        natural2_6       <= natural2_5;
        natural1_good6   <= natural1_good5 && !natural1_5[16];
        natural2_good6   <= natural2_good5;
        uncounted1_6     <= !raw1_5 || !numeric1[0] || negative1[0] || pointed1[0];
        uncounted2_6     <= !numeric2_5 || negative2_5 || pointed2_5;
        three_digits1_6  <= natural1_good5 && three1_5 && natural1_5 < 17'd256;
        three_digits2_6  <= natural2_good5 && length2_5 == 3'd3 && natural2_5 < 14'd256;
        less_one2_6      <= natural2_5[7:0] - 8'd1;
        sum_all6         <= sums5[63:56];
        sum_before6      <= pick(sums5, last_of(soh5));
        sum_begin6       <= pick(sums5, last_of(begins5));
        any6             <= any5;
        last6            <= place(last_of(soh5));
        set1_6           <= place(head1);
        set2_6           <= place(end2_5);
        sum_start6       <= sum_start5;
        same1_6          <= same1_5;
        same2_6          <= same2_5;
        text2_6          <= text2_5;

        if (valid5) begin
            inside_reg <= goes_on && !last5;
            litter_reg <= left_over && !goes_on && !last5;
            if (age_reg != 2'd3) age_reg <= age_reg + 2'd1;
            if (begins_new) begin
                age_reg   <= 2'd1;
                place_reg <= |(soh5 & behind(begins5)) ? 2'd3 : 2'd0;
            end else if (field2)  place_reg <= place_reg >= 2'd1 ? 2'd3 : 2'd2;
            else if (field1 && place_reg != 2'd3) place_reg <= place_reg + 2'd1;
        end
        if (clear_reg) begin
            valid6        <= 1'b0;
            inside_reg    <= 1'b0;
            litter_reg    <= 1'b0;
            full6         <= 1'b0;
            begins6       <= 1'b0;
            begin_string6 <= 1'b0;
            begun6        <= 3'd0;
            unbroken6     <= 2'd0;
            broken6       <= 1'b0;
            garbage6      <= 2'd0;
            late6         <= 8'd0;
            quick_malformed6 <= 1'b0;
            quick_header6    <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 7: the message around the fields. What holds behind the first SOH (`now`) is what a verdict is about.

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

    wire [6:0]        text_length;                      // stage 6
    wire [TEXT_W-1:0] text1;                            // stage 7

    ws_fix_text #(.WORDS(TEXT_WORDS)) texts (
        .clk(clk), .rst(clear_reg), .step(step), .valid(valid5), .last(last5), .data(data5), .soh(soh5),
        .equals(equals5),
        .length(text_length), .text(text1)
    );

    reg [7:0]          sum_reg, sum_before_reg;
    reg [15:0]         left_reg, left_before_reg;       // bytes that field 9 promises from here, from the last SOH on
    reg                body_length_good_reg, malformed_reg, header_reg, again_reg, value_reg, unknown_reg;
    reg [N_FIELDS-1:0] wanted_reg, required_reg, seen_reg;
    reg [8*N_GROUPS-1:0] entries_reg, count_reg;
    reg [N_GROUPS-1:0] count_bad_reg;
    reg                begin_string7, dispatch7;
    reg [6:0]          text_length7;
    reg [N_FIELDS-1:0] hit1_7, hit2_7;
    reg [31:0]         text2_7;
    reg [KIND_W-1:0]   kind7;

    // The type.
    wire [N_MESSAGES-1:0] same = dispatch1_6 ? same1_6 : same2_6;
    reg  [KIND_W-1:0]     kind;
    reg  [N_FIELDS-1:0]   wanted, required;

    always @* begin
        kind     = {KIND_W{1'b0}};
        wanted   = {N_FIELDS{1'b0}};
        required = {N_FIELDS{1'b0}};
        for (i = 0; i < N_MESSAGES; i = i + 1) if (same[i]) begin
            kind     = kind     | i[KIND_W-1:0];
            wanted   = wanted   | WANTED[N_FIELDS*i +: N_FIELDS];
            required = required | REQUIRED[N_FIELDS*i +: N_FIELDS];
        end
    end

    wire [N_FIELDS-1:0] wanted_now   = dispatch1_6 ? wanted   : wanted_reg;
    wire [N_FIELDS-1:0] required_now = dispatch1_6 ? required : required_reg;
    wire                unknown_now  = dispatch1_6 ? ~|same   : unknown_reg;

    // Repeating groups. Their fields stand together: `open` from a group's count on, `entry` from an entry's first field
    // on, until a wanted field comes that is of no group.
    function [N_GROUPS-1:0] groups_of(input [N_FIELDS-1:0] fields);
        integer n;
        begin
            groups_of = {N_GROUPS{1'b0}};
            for (n = 0; n < N_FIELDS; n = n + 1)
                if (GROUP[4*n +: 4] != 4'd0 && fields[n]) groups_of[GROUP[4*n +: 4]-1] = 1'b1;
        end
    endfunction

    function of_none(input [N_FIELDS-1:0] fields);      // of no group
        integer n;
        begin
            of_none = 1'b0;
            for (n = 0; n < N_FIELDS; n = n + 1) if (GROUP[4*n +: 4] == 4'd0 && fields[n]) of_none = 1'b1;
        end
    endfunction

    reg  [N_GROUPS-1:0] counted_reg, open_reg, entry_reg;
    reg                 misplaced_reg;
    wire [N_GROUPS-1:0] used     = groups_of(wanted_now);       // groups of which the message may have fields
    wire [N_FIELDS-1:0] fields1  = {N_FIELDS{field1_6}} & match1_6[N_FIELDS-1:0] & wanted_reg;
    wire [N_FIELDS-1:0] fields2  = {N_FIELDS{field2_6}} & match2_6[N_FIELDS-1:0] & wanted_now;
    wire [N_GROUPS-1:0] count1   = {N_GROUPS{field1_6}} & match1_6[COUNT +: N_GROUPS] & groups_of(wanted_reg);
    wire [N_GROUPS-1:0] count2   = {N_GROUPS{field2_6}} & match2_6[COUNT +: N_GROUPS] & used;
    wire [N_GROUPS-1:0] entry1   = {N_GROUPS{field1_6}} & match1_6[FIRST +: N_GROUPS] & groups_of(wanted_reg);
    wire [N_GROUPS-1:0] entry2   = {N_GROUPS{field2_6}} & match2_6[FIRST +: N_GROUPS] & used;
    wire                other1   = |count1 || of_none(fields1);
    wire                other2   = |count2 || of_none(fields2);
    wire [N_GROUPS-1:0] open_now  = other1 ? count1 : open_reg;
    wire [N_GROUPS-1:0] entry_now = other1 ? {N_GROUPS{1'b0}} : entry_reg | entry1;
    wire                misplaced_now  = misplaced_reg || |(entry1 & ~open_reg)
                                         || |(groups_of(fields1) & ~entry1 & ~entry_reg);
    wire                misplaced_next = misplaced_now || |(entry2 & ~open_now)
                                         || |(groups_of(fields2) & ~entry2 & ~entry_now);

    reg [8*N_GROUPS-1:0] entries_now, entries_next, count_now, count_next;
    reg [N_GROUPS-1:0]   count_bad_now, count_bad_next;

    always @* for (i = 0; i < N_GROUPS; i = i + 1) begin
        entries_now[8*i +: 8] = entries_reg[8*i +: 8];
        count_now[8*i +: 8]   = count_reg[8*i +: 8];
        count_bad_now[i]      = count_bad_reg[i];
        if (field1_6 && match1_6[FIRST+i] && entries_reg[8*i +: 8] != 8'hff)
            entries_now[8*i +: 8] = entries_reg[8*i +: 8] + 8'd1;
        if (field1_6 && match1_6[COUNT+i]) begin
            count_now[8*i +: 8] = natural1_6[7:0];
            count_bad_now[i]    = !natural1_good6 || natural1_6 >= 17'd255;     // 255 entries may be more
        end
        if (dispatch1_6) begin
            entries_now[8*i +: 8] = 8'd0;
            count_now[8*i +: 8]   = 8'd0;
            count_bad_now[i]      = 1'b0;
        end
        entries_next[8*i +: 8] = entries_now[8*i +: 8];
        count_next[8*i +: 8]   = count_now[8*i +: 8];
        count_bad_next[i]      = count_bad_now[i];
        if (field2_6 && match2_6[FIRST+i] && entries_now[8*i +: 8] != 8'hff)
            entries_next[8*i +: 8] = entries_now[8*i +: 8] + 8'd1;
        if (field2_6 && match2_6[COUNT+i]) begin
            count_next[8*i +: 8] = natural2_6[7:0];
            count_bad_next[i]    = !natural2_good6 || natural2_6 >= 14'd255;
        end
        if (dispatch2_6) begin
            entries_next[8*i +: 8] = 8'd0;
            count_next[8*i +: 8]   = 8'd0;
            count_bad_next[i]      = 1'b0;
        end
    end

    reg [N_GROUPS-1:0] same_count, one_more, new_count, uneven;

    always @* begin
        for (i = 0; i < N_GROUPS; i = i + 1) begin
            same_count[i] = entries_reg[8*i +: 8] == count_reg[8*i +: 8];
            one_more[i]   = entries_reg[8*i +: 8] == count_reg[8*i +: 8] - 8'd1 && count_reg[8*i +: 8] != 8'd0;
            new_count[i]  = entries_reg[8*i +: 8] == natural1_6[7:0];
            uneven[i]     = dispatch1_6 ? 1'b0 : count_bad_now[i]
                            || !(field1_6 && match1_6[COUNT+i] ? new_count[i]
                                 : field1_6 && match1_6[FIRST+i] ? one_more[i] : same_count[i]);
        end
    end

    wire [N_FIELDS-1:0] here1, here2, open, late_bad;   // the entry is this one; it is there; as bad1_6
    wire [N_FIELDS-1:0] hit1     = fields1 & here1;
    wire [N_FIELDS-1:0] hit2     = fields2 & here2;
    wire [N_FIELDS-1:0] seen_now = dispatch1_6 ? {N_FIELDS{1'b0}} : seen_reg | hit1;
    wire                again_now = again_reg || |(hit1 & seen_reg) || |(count1 & counted_reg);
    wire                value_now = value_reg || |(hit1 & (bad1_6 | late_bad)) || (|count1 && uncounted1_6);
    wire [N_FIELDS-1:0] lacks    = required_now & open & ~seen_now;

    reg  begin_string;

    always @* begin
        begin_string = 1'b0;
        for (i = 0; i < N_BEGINS; i = i + 1) for (k = 1; k <= 8; k = k + 1)     // it has k characters
            if (BEGIN_STRINGS[64*i +: 64] >> 8 * (k - 1) != 64'd0 && BEGIN_STRINGS[64*i +: 64] >> 8 * k == 64'd0)
                if (text_length7 == k[6:0] && text1[TEXT_W-1 -: 64] == BEGIN_STRINGS[64*i +: 64] << 8 * (8 - k))
                    begin_string = 1'b1;
    end

    wire header_now   = header_reg || (begin_string7 && !begin_string);

    wire [15:0] body_length = length1_6 ? natural1_6[15:0] : {2'd0, natural2_6};    // of bytes behind the place `set`
    wire [3:0]  set         = length1_6 ? set1_6 : set2_6;
    wire [4:0]  set_last    = {1'b0, set} - {1'b0, last6};

    // A field 10 of three digits that lies in the word is behind an SOH in its first place, which is a byte of 1.
    wire length_good = body_length_good_reg && (full2_6 ? left_reg == {12'd0, sum_start6} : left_before_reg == 16'd0);
    wire sum_good    = full2_6 ? three_digits2_6 && less_one2_6 == sum_reg
                               : three_digits1_6 && natural1_6[7:0] == sum_before_reg;

    reg         done7;
    reg [8:0]   wrong7;                                 // the first reason in the high bit
    reg         malformed7, header7;
    reg [2:0]   truncated7;
    reg [1:0]   garbage7;

    always @(posedge clk) if (step) begin
        done7      <= full6;
        wrong7     <= {malformed_reg || malformed6,
                       header_now || header6,
                       !length_good,
                       !sum_good,
                       unknown_now,
                       again_now || again6,
                       value_now,
                       |lacks,
                       |(uneven & used) || misplaced_now};
        malformed7 <= quick_malformed6;
        header7    <= quick_header6;
        truncated7 <= begun6 + {2'd0, broken6} - {2'd0, unbroken6[1]} - {2'd0, unbroken6[0]};
        garbage7   <= {garbage6[1] || (|late6 && |(behind6 & up_to(late6))), garbage6[0]};

        if (valid6) begin
            sum_reg           <= sum_reg + sum_all6;
            left_reg          <= left_reg - 16'd8;
            if (any6) begin
                sum_before_reg    <= sum_reg + sum_before6;
                left_before_reg   <= left_reg - {12'd0, last6};
            end
            if (length1_6 || length2_6) begin
                left_reg             <= body_length + {{13{!set[3]}}, set[2:0]};    // `set` is 8 at most
                left_before_reg      <= body_length + {{11{set_last[4]}}, set_last};
                body_length_good_reg <= length1_6 ? natural1_good6 : natural2_good6;
            end
            malformed_reg <= malformed_reg || malformed6;
            again_reg     <= again_now || again6 || |(hit2 & seen_now) || |(count2 & (counted_reg | count1));
            value_reg     <= value_now || |(hit2 & bad2_6) || (|count2 && uncounted2_6);
            counted_reg   <= counted_reg | count1 | count2;
            open_reg      <= other2 ? count2 : open_now;
            entry_reg     <= other2 ? {N_GROUPS{1'b0}} : entry_now | entry2;
            misplaced_reg <= misplaced_next;
            unknown_reg   <= dispatch1_6 || dispatch2_6 ? ~|same : unknown_reg;
            required_reg  <= dispatch1_6 || dispatch2_6 ? required : required_reg;
            wanted_reg    <= dispatch1_6 || dispatch2_6 ? wanted : wanted_reg;
            seen_reg      <= dispatch2_6 ? {N_FIELDS{1'b0}} : seen_now | hit2;
            entries_reg   <= entries_next;
            count_reg     <= count_next;
            count_bad_reg <= count_bad_next;
        end
        header_reg <= header_now || (valid6 && header6);
        if (begins6) begin
            sum_reg       <= "8" + "=" + sum_all6 - sum_begin6;
            malformed_reg <= malformed_new6;
            header_reg    <= header_new6;
            again_reg     <= 1'b0;
            value_reg     <= 1'b0;
            counted_reg   <= {N_GROUPS{1'b0}};
            open_reg      <= {N_GROUPS{1'b0}};
            entry_reg     <= {N_GROUPS{1'b0}};
            misplaced_reg <= 1'b0;
            wanted_reg    <= {N_FIELDS{1'b0}};
        end
        begin_string7 <= begin_string6 && !begins6;
        text_length7  <= text_length;
        hit1_7        <= hit1;
        hit2_7        <= hit2;
        dispatch7     <= dispatch1_6 || dispatch2_6;
        kind7         <= kind;
        text2_7       <= text2_6;
        if (clear_reg) begin
            done7         <= 1'b0;
            malformed7    <= 1'b0;
            header7       <= 1'b0;
            truncated7    <= 3'd0;
            garbage7      <= 2'd0;
            begin_string7 <= 1'b0;
            wanted_reg    <= {N_FIELDS{1'b0}};
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 8: the fields.

    wire [TEXT_W-1:0] text2_wide = {text2_7, {TEXT_W-32{1'b0}}};
    wire         unused     = ^{text1, text2_wide};         // wider than the longest string

    genvar g;
    generate
        for (g = 0; g < N_FIELDS; g = g + 1) begin : each
            localparam       W      = {22'd0, WIDTHS[10*g +: 10]};
            localparam       AT     = offset(g);
            localparam [1:0] KIND   = KINDS[2*g +: 2];
            localparam [3:0] OF     = GROUP[4*g +: 4];
            localparam [3:0] WHICH  = ENTRY[4*g +: 4];
            localparam       OF_ONE = OF == 0 ? 0 : OF - 1;
            localparam       HEADS  = OF != 0 && TAGS[24*g +: 24] == FIRST_TAGS[24*OF_ONE +: 24];
            localparam       OF_NUMBER = KIND == STRING ? 0 : converter(g);
            localparam [7:0] ENTRIES = {4'd0, WHICH} + (HEADS ? 8'd0 : 8'd1);

            assign here1[g] = OF == 0 || entries_reg[8*OF_ONE +: 8] == ENTRIES;
            assign here2[g] = OF == 0 || (dispatch1_6 ? ENTRIES == 8'd0 : field1_6 && match1_6[FIRST+OF_ONE]
                                          ? ENTRIES != 8'd0 && entries_reg[8*OF_ONE +: 8] == ENTRIES - 8'd1
                                          : entries_reg[8*OF_ONE +: 8] == ENTRIES);
            assign open[g]  = OF == 0 || (!dispatch1_6 && (field1_6 && match1_6[FIRST+OF_ONE]
                                                           ? {1'b0, entries_reg[8*OF_ONE +: 8]} + 9'd1 > {5'd0, WHICH}
                                                           : entries_reg[8*OF_ONE +: 8] > {4'd0, WHICH}));

            if (KIND == STRING) begin : gen_string
                assign late_bad[g] = {25'd0, text_length} > W / 8;

                always @(posedge clk) if (step) begin
                    bad1_6[g] <= 1'b0;
                    bad2_6[g] <= {29'd0, length2_5} > W / 8;
                end
            end else if (KIND == TIMESTAMP) begin : gen_timestamp
                assign late_bad[g] = !timestamp_good[OF_NUMBER];

                always @(posedge clk) if (step) begin
                    bad1_6[g] <= !raw1_5;
                    bad2_6[g] <= 1'b1;
                end
            end else begin : gen_number
                localparam PLACES = KIND == PRICE ? {28'd0, DECIMALS[4*g +: 4]} : 0;
                initial if (PLACES > 8) begin
                    $display("ERROR: %m: DECIMALS = %0d (0 to 8)", PLACES);
                    $finish;
                end
                localparam LIMIT  = (W == 64 ? 18 : 9) - PLACES;

                assign late_bad[g] = 1'b0;

                always @(posedge clk) if (step) begin
                    bad1_6[g] <= !raw1_5 || !numeric1[OF_NUMBER] || |(whole_used[19*OF_NUMBER +: 19] >> LIMIT)
                                 || (negative1[OF_NUMBER] && !SIGNED[g])
                                 || (KIND == INTEGER ? pointed1[OF_NUMBER]
                                                     : |(fraction_used1[10*OF_NUMBER +: 10] >> PLACES));
                    bad2_6[g] <= !numeric2_5 || (negative2_5 && !SIGNED[g])
                                 || (KIND == INTEGER ? pointed2_5 : |(fraction_used2_5 >> PLACES));
                end
            end

            reg  [W-1:0] field_reg;
            wire [W-1:0] from1, from2;
            assign m_fields[AT +: W] = field_reg;

            if (KIND == STRING) begin : gen_text
                assign from1 = text1[TEXT_W-1 -: W];
                assign from2 = text2_wide[TEXT_W-1 -: W];
            end else begin : gen_value
                assign from1 = number1[64*OF_NUMBER +: W];
                assign from2 = number2[64*OF_NUMBER +: W];
            end

            always @(posedge clk) if (step && (dispatch7 || hit1_7[g] || hit2_7[g]))
                field_reg <= hit2_7[g] ? from2 : dispatch7 ? DEFAULTS[AT +: W] : from1;
        end
    endgenerate

    // The verdict.
    reg [8:0] first_wrong;
    wire      good = ~|wrong7;

    always @* for (i = 0; i < 9; i = i + 1) first_wrong[i] = wrong7[i] && ~|(wrong7 >> i >> 1) && done7 && step;

    always @(posedge clk) begin
        if (m_ready) m_valid <= 1'b0;
        if (step && done7 && good) m_valid <= 1'b1;
        if (step && dispatch7) m_kind <= kind7;
        evt_message    <= step && done7 && good;
        evt_truncated  <= step ? truncated7 : 3'd0;
        evt_malformed  <= {1'b0, first_wrong[8]} + {1'b0, step && malformed7};
        evt_bad_header <= first_wrong[7] || (step && header7);
        evt_garbage    <= step ? {1'b0, garbage7[0]} + {1'b0, garbage7[1]} : 2'd0;
        {evt_bad_length, evt_bad_checksum, evt_unknown, evt_repeated, evt_bad_value, evt_missing, evt_bad_group}
            <= first_wrong[6:0];
        if (rst || clear_reg) m_valid <= 1'b0;
        if (clear_reg) begin
            {evt_message, evt_truncated, evt_malformed, evt_bad_header, evt_garbage} <= 9'd0;
            {evt_bad_length, evt_bad_checksum, evt_unknown, evt_repeated, evt_bad_value, evt_missing, evt_bad_group}
                <= 7'd0;
        end
    end

endmodule

`default_nettype wire
