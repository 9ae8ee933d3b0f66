// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_number: converts the decimal digits of one field to a number of 32 or 64 bits, one digit a cycle.
//
// value = 10 * value + digit, where the digits of a negative number are negative, so that nothing is negated at the
// end. The upper half of 64 bits follows one cycle later and takes the carry of the lower half. After the last digit,
// missing decimals are shifted in as zeros.
//
// Parameters   VALUE_W   width of the value in bits, 32 or 64, two's complement
//              DECIMALS  decimals of the value, 0 to 8; excess ones are ignored
//              DEFAULT   the value after `clear`
// Latency      VALUE_W / 32 cycles from the last digit, or DECIMALS - 1 + VALUE_W / 32 from the cycle after `ending`,
//              if that is later
// Issue rate   1 digit a cycle
// Bad input    the caller ensures that the value fits: at most 9 or 18 digits, DECIMALS included

`default_nettype none

module ws_fix_number #(
    parameter               VALUE_W  = 64,
    parameter               DECIMALS = 4,
    parameter [VALUE_W-1:0] DEFAULT  = 0
) (
    input  wire               clk,
    input  wire               clear,        // set the value to DEFAULT
    input  wire               start,        // a value begins with the next digit
    input  wire               digit_valid,
    input  wire signed [4:0]  digit,        // -9 to 9
    input  wire               fraction,     // the digit is a decimal
    input  wire               ending,       // no digit follows this one
    output wire [VALUE_W-1:0] value
);

    initial if ((VALUE_W != 32 && VALUE_W != 64) || DECIMALS < 0 || DECIMALS > 8) begin
        $display("ERROR: %m: VALUE_W = %0d (32 or 64), DECIMALS = %0d (0 to 8)", VALUE_W, DECIMALS);
        $finish;
    end

    // Decimals still missing, which come from the wire or as zeros.
    wire step, pad;

    generate
        if (DECIMALS == 0) begin : gen_whole
            wire unused = ending;
            assign pad  = 1'b0;
            assign step = digit_valid && !fraction;
        end else begin : gen_decimals
            reg [3:0] left_reg;
            reg       more_reg, pad_reg;    // left_reg is not 0; the value has ended

            assign pad  = pad_reg;
            assign step = pad_reg ? more_reg : digit_valid && (!fraction || more_reg);

            always @(posedge clk) begin
                if (start || clear) begin
                    left_reg <= DECIMALS[3:0];
                    more_reg <= !clear;
                    pad_reg  <= 1'b0;
                end else begin
                    if (ending) pad_reg <= 1'b1;
                    if (step && (pad_reg || fraction)) begin
                        left_reg <= left_reg - 4'd1;
                        more_reg <= left_reg != 4'd1;
                    end
                end
            end
        end
    endgenerate

    reg  [31:0] low_reg;
    wire [36:0] low_next = {2'b0, low_reg, 3'b0} + {4'b0, low_reg, 1'b0} + (pad ? 37'd0 : {{32{digit[4]}}, digit});

    always @(posedge clk) begin
        if (step)           low_reg <= low_next[31:0];
        if (start || clear) low_reg <= clear ? DEFAULT[31:0] : 32'd0;
    end

    generate
        if (VALUE_W == 64) begin : gen_upper
            reg [31:0]       high_reg;
            reg signed [4:0] carry_reg;     // -1 to 9
            reg              step_reg, start_reg;

            always @(posedge clk) begin
                carry_reg <= low_next[36:32];
                step_reg  <= step;
                start_reg <= start;
                if (step_reg)           high_reg <= {high_reg[28:0], 3'b0} + {high_reg[30:0], 1'b0}
                                                    + {{27{carry_reg[4]}}, carry_reg};
                if (start_reg || clear) high_reg <= clear ? DEFAULT[VALUE_W-1 -: 32] : 32'd0;
            end

            assign value = {high_reg, low_reg};
        end else begin : gen_single
            wire [4:0] unused = low_next[36:32];
            assign value = low_reg;
        end
    endgenerate

endmodule

`default_nettype wire
