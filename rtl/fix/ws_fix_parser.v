// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_parser: parses FIX messages (tag=value) in UDP payloads into typed fields, one byte a cycle.
//
// Each good message of a described type is output as one item: the index of its type, and its fields, with defaults for
// those it does not have. docs/fix.md has the rules in full; wirestream.schema.fix computes the parameters from a .yml
// file.
//
// A message begins with a field 8, at the start of a payload or after an SOH. It ends with its field 10, or is
// truncated by the next field 8 or the end of the payload. Each message is counted once, by evt_message or by the first
// of these events that applies:
//   evt_truncated     no field 10
//   evt_malformed     a field is not tag=value, a data field does not have its announced length, or a length is invalid
//   evt_bad_header    BeginString is not in BEGIN_STRINGS, BodyLength (9) is not second, or MsgType (35) is not third
//   evt_bad_length    BodyLength is not a number or not the length
//   evt_bad_checksum  CheckSum is not three digits or not the sum
//   evt_unknown       MsgType is not in TYPES
//   evt_repeated      a wanted field, a group's count, BodyLength or MsgType occurs twice
//   evt_bad_value     the value of a wanted field is not of its type, too long or out of range; a count is not a number
//   evt_missing       a required field is absent
//   evt_bad_group     a group does not have as many entries as its count, which must precede them; or a field of the
//                     group comes before its entry's first field, or after a wanted field outside the group
// In addition, evt_garbage counts runs of bytes outside messages, at most one run between two messages of a payload.
// Outside messages no field is a data field, whatever its tag.
//
// ws_fix_parser_wide takes eight bytes a cycle. The two are not one source: this one is a state machine that advances
// once a byte, and its slowest loop, 10 v + d, takes 5.1 ns in an ECP5, so eight steps do not fit in a cycle. The wide
// parser has no such loop, but with seven of its eight lanes tied off it still has 1670 LUTs of a Virtex-6 and 6 DSPs,
// where this one has 867 and 2.
//
// Parameters   see ws_fix_parameters.vh
// Latency      4 cycles from the last byte of a message to m_valid
// Issue rate   1 byte a cycle
// Overflow     a stalled sink causes back-pressure
// Bad input    any bytes; counted as above. Payloads with tuser[0] must be dropped upstream, by a frame FIFO
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.1.1; FIX 4.4, volume 1

`default_nettype none

module ws_fix_parser #(
    `include "ws_fix_parameters.vh"
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

    `include "ws_fix_layout.vh"
    `include "ws_fix_checks.vh"

    localparam KIND_W = $clog2(N_MESSAGES + 1);

    // The fields of a message are held from its end until the MsgType of the next message: far more bytes than are in
    // flight when a stalled sink stops the input.
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

    // Stage 3: the fields. The is_* registers are valid from `start` to `finish` of a field's value.
    reg                is_begin_reg, is_length_reg, is_type_reg, is_sum_reg;
    reg [N_FIELDS-1:0] is_field_reg;
    reg [63:0]         text_reg;            // the last 8 characters of the value
    wire [8:0]         at;                  // one-hot: bytes of the value so far
    integer            i, k;

    reg  [N_FIELDS-1:0] wanted_reg, required_reg, seen_reg;     // fields of this message
    wire [N_FIELDS-1:0] here, open, field_bad, late_bad;
    wire                dispatch;           // the message's type is known
    wire                is_count, count_repeated, group_bad;

    always @(posedge clk) begin
        if (finish || stop) begin
            is_begin_reg  <= 1'b0;
            is_length_reg <= 1'b0;
            is_type_reg   <= 1'b0;
            is_sum_reg    <= 1'b0;
            is_field_reg  <= {N_FIELDS{1'b0}};
        end
        if (tag_known) begin
            is_begin_reg  <= tag == 24'h8;
            is_length_reg <= tag == 24'h9;
            is_type_reg   <= tag == 24'h35;
            is_sum_reg    <= tag == 24'h10;
            for (i = 0; i < N_FIELDS; i = i + 1) is_field_reg[i] <= tag == TAGS[24*i +: 24] && here[i] && wanted_reg[i];
        end
        if (rst) begin
            is_begin_reg <= 1'b0;
            is_sum_reg   <= 1'b0;
        end
    end

    always @(posedge clk) begin
        if (start)     text_reg <= 64'd0;
        else if (text) text_reg <= {text_reg[55:0], data};
    end

    ws_fix_groups #(
        `include "ws_fix_parameter_map.vh"
    ) groups (
        .clk(clk), .dispatch(dispatch), .wanted(wanted_reg), .tag_known(tag_known), .tag(tag), .finish(finish),
        .stop(stop), .natural(natural), .natural_good(natural_good),
        .here(here), .open(open), .is_count(is_count), .repeated(count_repeated), .bad(group_bad)
    );

    ws_fix_values #(
        `include "ws_fix_parameter_map.vh"
    ) values (
        .clk(clk), .dispatch(dispatch), .start(start), .text(text), .digit(digit), .number(number),
        .fraction(fraction), .ending(ending), .finish(finish), .data(data), .numeric(numeric), .negative(negative),
        .point(point), .whole(whole), .scale(scale), .is_field(is_field_reg),
        .at(at), .bad(field_bad), .late_bad(late_bad), .m_fields(m_fields)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Stage 3: the message. It begins with `start` of its field 8, unless the payload ends there.

    wire       begins = start && is_begin_reg && !stop;
    wire       ends   = finish && is_sum_reg && inside_reg;
    reg        inside_reg;                  // between begins and ends
    reg        garbage_reg;                 // bytes outside messages in this payload, not yet counted
    reg [1:0]  place_reg;                   // index of the field in the message, 3 for all after MsgType
    reg [7:0]  sum_reg, sum_before_reg;     // sum of the message's bytes; that of those before this field
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
                if (at[k+1] && text_reg == BEGIN_STRINGS[64*i +: 64]) begin_string = 1'b1;
    end

    // A message with a bad header is not dispatched. Its three fields may be so short that they are already in flight
    // when a stalled sink stops the input; dispatch would then overwrite the fields that the sink has not taken.
    // header_reg lags by a cycle, which is less than a field takes to reach its end.
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
            if (|(is_field_reg & seen_reg) || count_repeated) repeated_reg <= 1'b1;
            if (|(is_field_reg & field_bad) || (is_count && !(numeric && !negative && !point)))
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
        if (rst || ends || stop || begins) garbage_reg <= 1'b0;
        else if (finish && !inside_reg)    garbage_reg <= 1'b1;
    end

    // The type is compared when its field ends, so that wanted_reg is valid before the next tag is decoded.
    reg [N_MESSAGES-1:0] same_type;
    reg [KIND_W-1:0]     kind;
    reg [N_FIELDS-1:0]   wanted, required;

    always @* begin
        kind     = {KIND_W{1'b0}};
        wanted   = {N_FIELDS{1'b0}};
        required = {N_FIELDS{1'b0}};
        for (i = N_MESSAGES - 1; i >= 0; i = i - 1) begin
            same_type[i] = text_reg[23:0] == TYPES[24*i +: 24]
                           && at[TYPES[24*i+16 +: 8] != 0 ? 3 : TYPES[24*i+8 +: 8] != 0 ? 2 : 1];
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

    // Stage 4: everything that is wrong with the message. Stage 5: the verdict.

    reg       done_reg, truncated_reg, garbage_end_reg; // a message, a truncated one, a run of garbage has ended
    reg [8:0] wrong_reg, first_wrong;                   // the first reason in the most significant bit

    always @(posedge clk) begin
        done_reg        <= ends;
        truncated_reg   <= inside_reg && !ends && (begins || stop);
        garbage_end_reg <= !inside_reg && (((begins || stop) && garbage_reg) || (stop && (finish || partial)));
        wrong_reg       <= {malformed_reg || malformed,
                            bad_header_reg || !in_place,
                            !body_length_good_reg || length_before_reg != body_length_reg,
                            !natural_good || !at[3] || natural != {8'd0, sum_before_reg},
                            unknown_reg,
                            repeated_reg,
                            bad_value_reg,
                            |(required_reg & open & ~seen_reg),
                            group_bad};
        if (rst) begin
            done_reg        <= 1'b0;
            truncated_reg   <= 1'b0;
            garbage_end_reg <= 1'b0;
        end
    end

    always @* begin
        first_wrong = 9'd0;
        for (i = 0; i < 9; i = i + 1) if (wrong_reg[i]) first_wrong = 9'd1 << i;
    end

    always @(posedge clk) begin
        if (m_ready) m_valid <= 1'b0;
        evt_message   <= done_reg && wrong_reg == 9'd0;
        evt_truncated <= truncated_reg;
        evt_garbage   <= garbage_end_reg;
        {evt_malformed, evt_bad_header, evt_bad_length, evt_bad_checksum, evt_unknown, evt_repeated, evt_bad_value,
         evt_missing, evt_bad_group} <= done_reg ? first_wrong : 9'd0;
        if (done_reg && wrong_reg == 9'd0) m_valid <= 1'b1;
        if (rst) m_valid <= 1'b0;
    end

endmodule

`default_nettype wire
