// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_parser: FIX messages (tag=value) in UDP payloads to typed fields, one byte a cycle.
//
// Each message of a wanted type leaves as one item: its type's index and the fields, those that it did not bring at
// their defaults. docs/fix.md has the rules in full; wirestream.schema.fix writes the parameters from a .yml file.
//
// A message begins with a field 8, at a payload's beginning or behind an SOH, and ends with its field 10, or, broken
// off, before the next field 8 or with the payload. Each is counted once, by evt_message or by the first of these that
// applies:
//   evt_truncated     broken off
//   evt_malformed     a field is not tag=value, a data field does not have its length, or a length is none
//   evt_bad_header    BeginString is none of BEGIN_STRINGS, or BodyLength (9) is not second, or MsgType (35) not third
//   evt_bad_length    BodyLength is no number or not the length
//   evt_bad_checksum  CheckSum is not three digits or not the sum
//   evt_unknown       another MsgType
//   evt_repeated      a wanted field, a group's count, BodyLength or MsgType comes again
//   evt_bad_value     the value of a wanted field is not of its type, too long or out of range; a count is no number
//   evt_missing       a required field does not come
//   evt_bad_group     a group has not as many entries as its count says, which comes first; a field of it comes before
//                     its entries' first field, or after a wanted field that is not of the group
// Besides: evt_garbage, a run of bytes outside messages in one payload. There no field has data, whatever its tag.
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
// Latency      4 cycles from the last byte of a message to m_valid
// Issue rate   1 byte a cycle
// Overflow     a sink that stalls pushes back
// Bad input    counted as above, whatever the bytes are; payloads with tuser[0] must not come: a frame FIFO stands
//              before this core
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.1.1; FIX 4.4, volume 1

`default_nettype none

module ws_fix_parser #(
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

    input  wire [7:0]                    s_axis_tdata,
    input  wire                          s_axis_tkeep,
    input  wire                          s_axis_tvalid,
    output wire                          s_axis_tready,
    input  wire                          s_axis_tlast,

    output reg                           m_valid,
    input  wire                          m_ready,
    output wire [FIELDS_W-1:0]           m_fields,
    output reg  [$clog2(N_MESSAGES+1)-1:0] m_kind,

    output reg                           evt_message,
    output reg                           evt_truncated,
    output reg                           evt_malformed,
    output reg                           evt_bad_header,
    output reg                           evt_bad_length,
    output reg                           evt_bad_checksum,
    output reg                           evt_unknown,
    output reg                           evt_repeated,
    output reg                           evt_bad_value,
    output reg                           evt_missing,
    output reg                           evt_bad_group,
    output reg                           evt_garbage
);

    initial if (N_MESSAGES < 1 || N_GROUPS < 1 || N_BEGINS < 1 || N_DATA < 1) begin
        $display("ERROR: %m: N_MESSAGES = %0d, N_GROUPS = %0d, N_BEGINS = %0d, N_DATA = %0d (at least 1)",
                 N_MESSAGES, N_GROUPS, N_BEGINS, N_DATA);
        $finish;
    end

    localparam       KIND_W = $clog2(N_MESSAGES + 1);
    localparam [1:0] INTEGER = 2'd0, PRICE = 2'd1, STRING = 2'd2;       // 3: a timestamp

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

    // The places of a value that are told apart: those of a timestamp and of the longest string, and one more.
    function integer places(input integer unused);
        integer n;
        begin
            places = 32;
            for (n = 0; n < N_FIELDS; n = n + 1)
                if (KINDS[2*n +: 2] == STRING && WIDTHS[10*n +: 10] >= 10'd256)
                    if ({25'd0, WIDTHS[10*n+3 +: 7]} + 1 > places) places = {25'd0, WIDTHS[10*n+3 +: 7]} + 1;
        end
    endfunction

    localparam LAST_PLACE = places(0);

    // A message's fields stand from its end until the next message has come to its MsgType: far more bytes than are on
    // their way when a sink that stalls stops the input.
    reg hold_reg;
    assign s_axis_tready = !hold_reg;

    always @(posedge clk) hold_reg <= !rst && m_valid && !m_ready;

    // Stages 1 and 2: bytes to fields.
    wire              byte_valid, start, text, digit, fraction, ending, finish, malformed, no_length, stop;
    wire              partial;
    wire              tag_known;
    wire              natural_good, numeric, negative, point;
    wire [7:0]        data;
    wire signed [4:0] number;
    wire [23:0]       tag;
    wire [15:0]       natural;
    wire [4:0]        whole, scale;

    ws_fix_fields #(.N_DATA(N_DATA), .LENGTH_TAGS(LENGTH_TAGS), .DATA_TAGS(DATA_TAGS)) fields (
        .clk(clk), .rst(rst),
        .s_valid(s_axis_tvalid && s_axis_tready), .s_keep(s_axis_tkeep), .s_last(s_axis_tlast), .s_data(s_axis_tdata),
        .inside(inside_reg),
        .valid(byte_valid), .data(data), .start(start), .text(text), .digit(digit), .number(number),
        .fraction(fraction), .ending(ending), .finish(finish), .malformed(malformed), .no_length(no_length),
        .stop(stop), .partial(partial),
        .tag(tag), .tag_known(tag_known),
        .natural(natural), .natural_good(natural_good),
        .numeric(numeric), .negative(negative), .point(point), .whole(whole), .scale(scale)
    );

    // What the tag says: in step with `start`, and until the field has finished.
    reg                is_begin_reg, is_length_reg, is_type_reg, is_sum_reg;
    reg [N_FIELDS-1:0] is_field_reg;
    reg [N_GROUPS-1:0] is_count_reg, is_first_reg, is_member_reg;   // of groups of this message's type
    reg                is_single_reg;       // a wanted field of no group
    integer            i, k;

    // Places in the value: one-hot, the highest for all further ones.
    reg [LAST_PLACE:0] at_reg;
    reg [63:0] text_reg;                    // the last 8 characters

    // The wanted fields of this message.
    reg  [N_FIELDS-1:0] wanted_reg, required_reg, seen_reg;
    wire [N_FIELDS-1:0] here;               // the entry of its group is this one
    wire [N_FIELDS-1:0] open;               // its entry is there
    wire [N_FIELDS-1:0] field_bad;          // with finish: the value is not of its type
    wire [N_FIELDS-1:0] late_bad;           // a cycle later: the timestamp is none
    wire                dispatch;           // the message's type is known

    // The groups of which the message may have fields; what the tag is.
    reg [N_GROUPS-1:0] used, member;
    reg                single;
    integer            f;

    always @* begin
        used   = {N_GROUPS{1'b0}};
        member = {N_GROUPS{1'b0}};
        single = 1'b0;
        for (f = 0; f < N_FIELDS; f = f + 1) if (wanted_reg[f]) begin
            if (GROUP[4*f +: 4] == 4'd0) begin
                if (tag == TAGS[24*f +: 24]) single = 1'b1;
            end else begin
                used[GROUP[4*f +: 4]-1] = 1'b1;
                if (tag == TAGS[24*f +: 24]) member[GROUP[4*f +: 4]-1] = 1'b1;
            end
        end
    end

    always @(posedge clk) begin
        if (finish || stop) begin
            is_begin_reg  <= 1'b0;
            is_length_reg <= 1'b0;
            is_type_reg   <= 1'b0;
            is_sum_reg    <= 1'b0;
            is_field_reg  <= {N_FIELDS{1'b0}};
            is_count_reg  <= {N_GROUPS{1'b0}};
            is_first_reg  <= {N_GROUPS{1'b0}};
            is_member_reg <= {N_GROUPS{1'b0}};
            is_single_reg <= 1'b0;
        end
        if (tag_known) begin
            is_begin_reg  <= tag == 24'h8;
            is_length_reg <= tag == 24'h9;
            is_type_reg   <= tag == 24'h35;
            is_sum_reg    <= tag == 24'h10;
            for (i = 0; i < N_FIELDS; i = i + 1) is_field_reg[i] <= tag == TAGS[24*i +: 24] && here[i] && wanted_reg[i];
            for (i = 0; i < N_GROUPS; i = i + 1) begin
                is_count_reg[i] <= tag == COUNT_TAGS[24*i +: 24] && used[i];
                is_first_reg[i] <= tag == FIRST_TAGS[24*i +: 24] && used[i];
            end
            is_member_reg <= member;
            is_single_reg <= single;
        end
        if (rst) begin
            is_begin_reg <= 1'b0;
            is_sum_reg   <= 1'b0;
        end
    end

    always @(posedge clk) begin
        if (start) begin
            at_reg   <= {{LAST_PLACE{1'b0}}, 1'b1};
            text_reg <= 64'd0;
        end else if (text) begin
            at_reg   <= {|at_reg[LAST_PLACE:LAST_PLACE-1], at_reg[LAST_PLACE-2:0], 1'b0};
            text_reg <= {text_reg[55:0], data};
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 3: the message around the fields.
    //
    // A message begins with `start` of its field 8, unless the payload ends there.

    wire       begins = start && is_begin_reg && !stop;
    wire       ends   = finish && is_sum_reg && inside_reg;
    reg        inside_reg;                  // between the two
    reg        litter_reg;                  // bytes outside messages in this payload, not yet counted
    reg [1:0]  place_reg;                   // of the field in the message, from 0 for field 8; 3 for all behind MsgType
    reg [7:0]  sum_reg, sum_before_reg;     // sum of the message's bytes, and without those of this field
    reg [15:0] length_reg, length_before_reg, body_length_reg;
    reg        body_length_good_reg;
    reg        malformed_reg, bad_header_reg, unknown_reg, repeated_reg, bad_value_reg;

    reg        begin_string;
    wire       in_place     = place_reg == 2'd0 ? begin_string
                            : place_reg == 2'd1 ? is_length_reg
                            : place_reg == 2'd2 ? is_type_reg : 1'b1;

    always @* begin
        begin_string = 1'b0;
        for (i = 0; i < N_BEGINS; i = i + 1) for (k = 0; k < 8; k = k + 1)
            if (BEGIN_STRINGS[64*i +: 64] >> 8 * k != 64'd0 && BEGIN_STRINGS[64*i +: 64] >> 8 * (k + 1) == 64'd0)
                if (at_reg[k+1] && text_reg == BEGIN_STRINGS[64*i +: 64]) begin_string = 1'b1;
    end

    // What began with three bad fields is not dispatched: they may be shorter than what is on its way to a sink that
    // stalls. header_reg is a cycle late, but the beginning of a field is longer than that.
    reg  header_reg;
    assign dispatch = finish && is_type_reg && header_reg && !malformed;

    always @(posedge clk) begin
        if (byte_valid) begin
            sum_reg    <= sum_reg + data;
            length_reg <= length_reg + 16'd1;
        end
        if (finish) begin
            sum_before_reg    <= sum_reg + data;
            length_before_reg <= length_reg + 16'd1;
            if (place_reg != 2'd3) place_reg <= place_reg + 2'd1;
            if (place_reg == 2'd1) begin
                body_length_reg      <= natural;
                body_length_good_reg <= natural_good;
                length_reg           <= 16'd0;
                length_before_reg    <= 16'd0;
            end
            if (malformed || no_length) malformed_reg <= 1'b1;
            if (!in_place) bad_header_reg <= 1'b1;
            if (place_reg == 2'd3 && (is_length_reg || is_type_reg)) repeated_reg <= 1'b1;
            if (|(is_field_reg & seen_reg) || |(is_count_reg & counted_reg)) repeated_reg <= 1'b1;
            if (|(is_field_reg & field_bad) || (|is_count_reg && !(numeric && !negative && !point)))
                bad_value_reg <= 1'b1;
            seen_reg <= seen_reg | is_field_reg;
        end
        if (|late_bad) bad_value_reg <= 1'b1;
        if (dispatch)  seen_reg <= {N_FIELDS{1'b0}};
        header_reg <= inside_reg && place_reg == 2'd2 && !malformed_reg && !bad_header_reg;
        if (begins) begin
            inside_reg     <= 1'b1;
            place_reg      <= 2'd0;
            sum_reg        <= "8" + "=";
            malformed_reg  <= 1'b0;
            bad_header_reg <= 1'b0;
            repeated_reg   <= 1'b0;
            bad_value_reg  <= 1'b0;
        end
        if (rst || ends || stop) inside_reg <= 1'b0;
        if (rst || ends || stop || begins) litter_reg <= 1'b0;
        else if (finish && !inside_reg)    litter_reg <= 1'b1;
    end

    // The type: compared as soon as it is known, in force when the next tag is.
    reg [N_MESSAGES-1:0] same_type;
    reg [KIND_W-1:0]     kind;
    reg [N_FIELDS-1:0]   wanted, required;

    always @* begin
        kind     = {KIND_W{1'b0}};
        wanted   = {N_FIELDS{1'b0}};
        required = {N_FIELDS{1'b0}};
        for (i = N_MESSAGES - 1; i >= 0; i = i - 1) begin
            same_type[i] = text_reg[23:0] == TYPES[24*i +: 24]
                           && at_reg[TYPES[24*i+16 +: 8] != 0 ? 3 : TYPES[24*i+8 +: 8] != 0 ? 2 : 1];
            if (same_type[i]) begin
                kind     = i[KIND_W-1:0];
                wanted   = WANTED[N_FIELDS*i +: N_FIELDS];
                required = REQUIRED[N_FIELDS*i +: N_FIELDS];
            end
        end
    end

    always @(posedge clk) begin
        if (dispatch) begin
            m_kind       <= kind;
            unknown_reg  <= same_type == {N_MESSAGES{1'b0}};
            wanted_reg   <= wanted;
            required_reg <= required;
        end
        if (rst || begins || ends || stop) wanted_reg <= {N_FIELDS{1'b0}};
    end

    // Repeating groups: how many entries there are, and how many there should be. Their fields stand together: `open`
    // from a group's count on, `entry` from an entry's first field on, until a wanted field comes that is of no group.
    reg [8*N_GROUPS-1:0] entries_reg, count_reg;
    reg [N_GROUPS-1:0]   count_bad_reg;
    reg [N_GROUPS-1:0]   uneven_reg;
    reg [N_GROUPS-1:0]   counted_reg, open_reg, entry_reg;
    reg                  misplaced_reg;

    always @(posedge clk) begin
        for (i = 0; i < N_GROUPS; i = i + 1) begin
            uneven_reg[i] <= entries_reg[8*i +: 8] != count_reg[8*i +: 8] || count_bad_reg[i];
            if (finish && is_first_reg[i] && entries_reg[8*i +: 8] != 8'hff)
                entries_reg[8*i +: 8] <= entries_reg[8*i +: 8] + 8'd1;
            if (finish && is_count_reg[i]) begin
                count_reg[8*i +: 8] <= natural[7:0];
                count_bad_reg[i]    <= !natural_good || natural >= 16'd255;     // 255 entries may be more
            end
            if (dispatch) begin
                entries_reg[8*i +: 8] <= 8'd0;
                count_reg[8*i +: 8]   <= 8'd0;
                count_bad_reg[i]      <= 1'b0;
            end
        end
        if (finish) begin
            counted_reg <= counted_reg | is_count_reg;
            if (|is_count_reg || is_single_reg) begin
                open_reg  <= is_count_reg;
                entry_reg <= {N_GROUPS{1'b0}};
            end else entry_reg <= entry_reg | is_first_reg;
            if (|(is_first_reg & ~open_reg) || |(is_member_reg & ~is_first_reg & ~entry_reg)) misplaced_reg <= 1'b1;
        end
        if (dispatch) begin
            counted_reg   <= {N_GROUPS{1'b0}};
            open_reg      <= {N_GROUPS{1'b0}};
            entry_reg     <= {N_GROUPS{1'b0}};
            misplaced_reg <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 3: the fields' values.

    localparam HAS_TIMESTAMP = |(KINDS & KINDS >> 1 & {N_FIELDS{2'b01}});

    wire [63:0] timestamp;
    wire        timestamp_good;

    genvar g, b;
    generate
        for (g = 0; g < N_FIELDS; g = g + 1) begin : each
            localparam       W     = {22'd0, WIDTHS[10*g +: 10]};
            localparam       AT    = offset(g);
            localparam [1:0] KIND  = KINDS[2*g +: 2];
            localparam [3:0] OF    = GROUP[4*g +: 4];
            localparam [3:0] WHICH = ENTRY[4*g +: 4];
            localparam       FIRST = OF == 0 ? 0 : OF - 1;
            localparam       HEADS = OF != 0 && TAGS[24*g +: 24] == FIRST_TAGS[24*FIRST +: 24];

            wire [7:0] entries = entries_reg[8*FIRST +: 8];
            assign here[g] = OF == 0 || entries == {4'd0, WHICH} + (HEADS ? 8'd0 : 8'd1);
            assign open[g] = OF == 0 || entries > {4'd0, WHICH};

            if (KIND == INTEGER || KIND == PRICE) begin : gen_number
                localparam       PLACES = KIND == PRICE ? {28'd0, DECIMALS[4*g +: 4]} : 0;
                localparam [4:0] LIMIT  = (W == 64 ? 5'd18 : 5'd9) - PLACES[4:0];

                assign late_bad[g]  = 1'b0;
                assign field_bad[g] = !numeric || whole > LIMIT || (negative && !SIGNED[g])
                                      || (KIND == INTEGER ? point : scale > PLACES[4:0]);

                ws_fix_number #(.VALUE_W(W), .DECIMALS(PLACES), .DEFAULT(DEFAULTS[AT +: W])) converter (
                    .clk(clk), .clear(dispatch), .start(start && is_field_reg[g]),
                    .digit_valid(digit && is_field_reg[g]), .digit(number), .fraction(fraction),
                    .ending(ending && is_field_reg[g]), .value(m_fields[AT +: W])
                );
            end else if (KIND == STRING) begin : gen_string
                reg [W-1:0] value_reg;
                assign m_fields[AT +: W] = value_reg;
                assign late_bad[g]       = 1'b0;
                assign field_bad[g]      = !(|at_reg[W/8:1]);

                for (b = 0; b < W / 8; b = b + 1) begin : gen_byte
                    always @(posedge clk) begin
                        if (text && at_reg[b] && is_field_reg[g]) value_reg[W-8-8*b +: 8] <= data;
                        if (dispatch)                             value_reg[W-8-8*b +: 8] <= DEFAULTS[AT+W-8-8*b +: 8];
                        else if (start && is_field_reg[g])        value_reg[W-8-8*b +: 8] <= 8'd0;
                    end
                end
            end else begin : gen_timestamp
                reg [63:0] value_reg;
                reg [4:0]  finish_reg;
                assign m_fields[AT +: W] = value_reg;
                assign field_bad[g]      = 1'b0;
                assign late_bad[g]       = finish_reg[0] && !timestamp_good;

                always @(posedge clk) begin
                    finish_reg <= {finish_reg[3:0], finish && is_field_reg[g]};
                    if (finish_reg[4]) value_reg <= timestamp;
                    if (dispatch)      value_reg <= DEFAULTS[AT +: 64];
                end
            end
        end
    endgenerate

    // Timestamps come one after the other, so that one converter does for all.
    generate
        if (HAS_TIMESTAMP) begin : gen_timestamps
            ws_fix_timestamp timestamps (
                .clk(clk), .start(start), .valid(text), .place({|at_reg[LAST_PLACE:28], at_reg[27:0]}), .data(data),
                .is_digit(digit), .value(timestamp), .good(timestamp_good)
            );
        end else begin : gen_none
            assign timestamp      = 64'd0;
            assign timestamp_good = 1'b0;
        end
    endgenerate

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 4: what is wrong with the message. Stage 5: the verdict.

    reg                done_reg, cut_reg, dirt_reg;     // a message ended, was broken off; bytes outside messages ended
    reg [8:0]          wrong_reg, first_wrong;          // the first reason in the high bit

    always @(posedge clk) begin
        done_reg  <= ends;
        cut_reg   <= inside_reg && !ends && (begins || stop);
        dirt_reg  <= !inside_reg && (((begins || stop) && litter_reg) || (stop && (finish || partial)));
        wrong_reg <= {malformed_reg || malformed,
                      bad_header_reg || !in_place,
                      !body_length_good_reg || length_before_reg != body_length_reg,
                      !natural_good || !at_reg[3] || natural != {8'd0, sum_before_reg},
                      unknown_reg,
                      repeated_reg,
                      bad_value_reg,
                      |(required_reg & open & ~seen_reg),
                      |(uneven_reg & used) || misplaced_reg};
        if (rst) begin
            done_reg <= 1'b0;
            cut_reg  <= 1'b0;
            dirt_reg <= 1'b0;
        end
    end

    always @* begin
        first_wrong = 9'd0;
        for (i = 0; i < 9; i = i + 1) if (wrong_reg[i]) first_wrong = 9'd1 << i;
    end

    always @(posedge clk) begin
        if (m_ready) m_valid <= 1'b0;
        evt_message   <= done_reg && wrong_reg == 9'd0;
        evt_truncated <= cut_reg;
        evt_garbage   <= dirt_reg;
        {evt_malformed, evt_bad_header, evt_bad_length, evt_bad_checksum, evt_unknown, evt_repeated, evt_bad_value,
         evt_missing, evt_bad_group} <= done_reg ? first_wrong : 9'd0;
        if (done_reg && wrong_reg == 9'd0) m_valid <= 1'b1;
        if (rst) m_valid <= 1'b0;
    end

endmodule

`default_nettype wire
