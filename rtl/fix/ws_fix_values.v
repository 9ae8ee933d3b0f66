// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_values: the values of the wanted fields of ws_fix_parser, one byte a cycle, in the registers of m_fields.
//
// Each number and string has a converter of its own. Timestamps come one after another and share one.
//
// Parameters   see ws_fix_parameters.vh
// Latency      from a value's last byte: 1 cycle to a string, see ws_fix_number and ws_fix_timestamp
// Issue rate   1 byte a cycle
// Bad input    reported by `bad` and `late_bad`
// Source       none

`default_nettype none

module ws_fix_values #(
    `include "ws_fix_parameters.vh"
) (
    input  wire                clk,
    input  wire                dispatch,        // a message's type is known: fields to their defaults

    // from ws_fix_fields
    input  wire                start,
    input  wire                text,
    input  wire                digit,
    input  wire signed [4:0]   number,
    input  wire                fraction,
    input  wire                ending,
    input  wire                finish,
    input  wire [7:0]          data,
    input  wire                numeric,
    input  wire                negative,
    input  wire                point,
    input  wire [4:0]          whole,
    input  wire [4:0]          scale,

    input  wire [N_FIELDS-1:0] is_field,        // from start to finish: the field that the value belongs to

    output wire [8:0]          at,              // one-hot: bytes of the value so far; 0 for more than 8
    output wire [N_FIELDS-1:0] bad,             // with finish: the value is not of its type
    output wire [N_FIELDS-1:0] late_bad,        // the cycle after finish: it is not a valid timestamp
    output wire [FIELDS_W-1:0] m_fields
);

    `include "ws_fix_layout.vh"

    localparam HAS_TIMESTAMP = |(KINDS & KINDS >> 1 & {N_FIELDS{2'b01}});

    // Byte positions that are distinguished: those of a timestamp and of the longest string, and one beyond.
    function integer positions(input integer unused);
        integer n;
        begin
            positions = 32;
            for (n = 0; n < N_FIELDS; n = n + 1)
                if (KINDS[2*n +: 2] == STRING && WIDTHS[10*n +: 10] >= 10'd256)
                    if ({25'd0, WIDTHS[10*n+3 +: 7]} + 1 > positions) positions = {25'd0, WIDTHS[10*n+3 +: 7]} + 1;
        end
    endfunction

    localparam LAST = positions(0);

    reg [LAST:0] at_reg;                    // one-hot: the position of the next byte; LAST for all from there on

    assign at = at_reg[8:0];

    always @(posedge clk) begin
        if (start)     at_reg <= {{LAST{1'b0}}, 1'b1};
        else if (text) at_reg <= {|at_reg[LAST:LAST-1], at_reg[LAST-2:0], 1'b0};
    end

    wire [63:0] timestamp;
    wire        timestamp_good;

    genvar g, b;
    generate
        for (g = 0; g < N_FIELDS; g = g + 1) begin : gen_field
            localparam       W    = {22'd0, WIDTHS[10*g +: 10]};
            localparam       AT   = offset(g);
            localparam [1:0] KIND = KINDS[2*g +: 2];

            if (KIND == INTEGER || KIND == PRICE) begin : gen_number
                localparam       PLACES = KIND == PRICE ? {28'd0, DECIMALS[4*g +: 4]} : 0;
                localparam [4:0] LIMIT  = (W == 64 ? 5'd18 : 5'd9) - PLACES[4:0];

                assign late_bad[g] = 1'b0;
                assign bad[g]      = !numeric || whole > LIMIT || (negative && !SIGNED[g])
                                     || (KIND == INTEGER ? point : scale > PLACES[4:0]);

                ws_fix_number #(.VALUE_W(W), .DECIMALS(PLACES), .DEFAULT(DEFAULTS[AT +: W])) converter (
                    .clk(clk), .clear(dispatch), .start(start && is_field[g]),
                    .digit_valid(digit && is_field[g]), .digit(number), .fraction(fraction),
                    .ending(ending && is_field[g]), .value(m_fields[AT +: W])
                );
            end else if (KIND == STRING) begin : gen_string
                reg [W-1:0] value_reg;
                assign m_fields[AT +: W] = value_reg;
                assign late_bad[g]       = 1'b0;
                assign bad[g]            = !(|at_reg[W/8:1]);

                for (b = 0; b < W / 8; b = b + 1) begin : gen_byte
                    always @(posedge clk) begin
                        if (text && at_reg[b] && is_field[g]) value_reg[W-8-8*b +: 8] <= data;
                        if (dispatch)                         value_reg[W-8-8*b +: 8] <= DEFAULTS[AT+W-8-8*b +: 8];
                        else if (start && is_field[g])        value_reg[W-8-8*b +: 8] <= 8'd0;
                    end
                end
            end else begin : gen_timestamp
                reg [63:0] value_reg;
                reg [4:0]  finish_reg;
                assign m_fields[AT +: W] = value_reg;
                assign bad[g]            = 1'b0;
                assign late_bad[g]       = finish_reg[0] && !timestamp_good;

                always @(posedge clk) begin
                    finish_reg <= {finish_reg[3:0], finish && is_field[g]};
                    if (finish_reg[4]) value_reg <= timestamp;
                    if (dispatch)      value_reg <= DEFAULTS[AT +: 64];
                end
            end
        end
    endgenerate

    generate
        if (HAS_TIMESTAMP) begin : gen_timestamps
            ws_fix_timestamp timestamps (
                .clk(clk), .start(start), .valid(text), .place({|at_reg[LAST:28], at_reg[27:0]}), .data(data),
                .is_digit(digit), .value(timestamp), .good(timestamp_good)
            );
        end else begin : gen_none
            assign timestamp      = 64'd0;
            assign timestamp_good = 1'b0;
        end
    endgenerate

endmodule

`default_nettype wire
