// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_type: stages 3 to 7 of ws_fix_parser_wide: MsgType of a message, and the fields of that type.
//
// MsgType may be the long or the short field of a word, see ws_fix_parser_wide. Of both its characters are compared
// with all types, whatever the tag; the stage that knows the tag selects.
//
// Parameters   see ws_fix_parameters.vh
// Latency      4 cycles from stage 2, 0 from `from_long`
// Issue rate   1 word a cycle
// Bad input    any bytes; `known` is low for a type that is not in TYPES
// Source       FIX 4.4, volume 1, field 35

`default_nettype none

module ws_fix_type #(
    `include "ws_fix_parameters.vh"
) (
    input  wire                            clk,
    input  wire                            clear,
    input  wire                            step,

    // stage 2
    input  wire                            valid,
    input  wire                            last,
    input  wire [63:0]                     data,
    input  wire [7:0]                      first_soh,
    input  wire [7:0]                      tagged,
    // after stage 4: the short field
    input  wire [23:0]                     short_right,
    input  wire [2:0]                      short_length,
    // after stage 6: the long field is MsgType
    input  wire                            from_long,

    output wire                            known,
    output reg  [$clog2(N_MESSAGES+1)-1:0] kind,        // index of the type
    output reg  [N_FIELDS-1:0]             wanted,
    output reg  [N_FIELDS-1:0]             required
);

    localparam KIND_W = $clog2(N_MESSAGES + 1);

    integer i, k;

    // Stage 3: the three characters before the first SOH, in two words. mark: an "=" after a tag is before the last
    // one, the last two, all three.
    reg  [31:0] data_before_reg;
    reg  [3:0]  tagged_before_reg;
    wire [95:0] data_two   = {data, data_before_reg};
    wire [11:0] tagged_two = {tagged, tagged_before_reg};
    reg  [23:0] characters, characters_reg;
    reg  [2:0]  mark, mark_reg;

    always @* begin
        characters = 24'd0;
        mark       = 3'd0;
        for (i = 0; i < 8; i = i + 1) begin
            for (k = 0; k < 3; k = k + 1)
                if (first_soh[i]) characters[8*k +: 8] = characters[8*k +: 8] | data_two[8*(i+3-k) +: 8];
            if (first_soh[i]) mark = mark | {tagged_two[i], tagged_two[i+1], tagged_two[i+2]};
        end
    end

    always @(posedge clk) if (step) begin
        characters_reg <= characters;
        mark_reg       <= mark;
        if (valid) begin
            data_before_reg   <= data[63:32];
            tagged_before_reg <= last ? 4'd0 : tagged[7:4];
        end
        if (clear) tagged_before_reg <= 4'd0;
    end

    // Stage 4: the value.
    reg [23:0] value_reg;
    reg        value_good_reg;

    always @(posedge clk) if (step) begin
        value_reg      <= {mark_reg[2] ? characters_reg[23:16] : 8'd0, |mark_reg[2:1] ? characters_reg[15:8] : 8'd0,
                           characters_reg[7:0]};
        value_good_reg <= |mark_reg;
    end

    // Stages 5 and 6: which type it is.
    reg [N_MESSAGES-1:0] long_s5_reg, long_s6_reg, short_s5_reg, short_s6_reg;

    always @(posedge clk) if (step) begin
        for (i = 0; i < N_MESSAGES; i = i + 1) begin
            long_s5_reg[i]  <= value_good_reg && value_reg == TYPES[24*i +: 24];
            short_s5_reg[i] <= short_length < 3'd4 && short_right == TYPES[24*i +: 24];
        end
        long_s6_reg  <= long_s5_reg;
        short_s6_reg <= short_s5_reg;
    end

    // Stage 7: its fields.
    wire [N_MESSAGES-1:0] same = from_long ? long_s6_reg : short_s6_reg;

    assign known = |same;

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

endmodule

`default_nettype wire
