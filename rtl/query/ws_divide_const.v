// SPDX-License-Identifier: Apache-2.0
//
// ws_divide_const: the operator that divides by a constant, y = a div DIVISOR and r = a % DIVISOR, in multipliers.
//
// The dividend is multiplied by a reciprocal of the divisor, m = floor(2**s / DIVISOR) + 1, and the quotient is the
// product without its lowest s bits, plus 1 if the dividend is negative. With e = m * DIVISOR - 2**s, this is exact for
// all dividends of N bits, not counting the sign, if e * 2**N <= 2**s; s is the least with this property, and at most N
// plus the bits of the divisor. A power of two needs no product. The remainder is the dividend less the quotient times
// the divisor, in as many bits as it has. Quotients truncate toward zero, as those of ws_divide.
//
// Parameters   DIVIDEND_W  width of the dividend in bits, at least 2
//              DIVISOR_W   width of the divisor in bits, at least 1
//              DIVISOR     the divisor, 1 to 2**(DIVIDEND_W - SIGNED); with SIGNED below 2**(DIVISOR_W - 1)
//              SIGNED      1: dividend, quotient and remainder are two's complement; 0: none is
//              REMAINDER   1: r is computed too; 0: r is 0, and the latency less
//              DATA_W      width of the tuple in bits, at least 1
//              CARRY_W     widest sum computed in one cycle, at least 1; see ws_multiply
// Latency      that of ws_multiply for the dividend and m, 1 for a power of two, and with SIGNED that of ws_compute_wide
//              for the quotient; with REMAINDER also those for a product and a difference of DIVISOR_W bits
// Issue rate   1 tuple a cycle
// Overflow     cannot happen
// Source       T. Granlund and P. Montgomery, Division by invariant integers using multiplication, PLDI 1994

`default_nettype none

module ws_divide_const #(
    parameter                 DIVIDEND_W = 32,
    parameter                 DIVISOR_W  = 32,
    parameter [DIVISOR_W-1:0] DIVISOR    = 1000,
    parameter                 SIGNED     = 1,
    parameter                 REMAINDER  = 1,
    parameter                 DATA_W     = 128,
    parameter                 CARRY_W    = 48
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  s_valid,
    input  wire                  s_punct,
    input  wire                  s_eos,
    input  wire [DATA_W-1:0]     s_data,
    input  wire [DIVIDEND_W-1:0] a,         // of the tuple on s_*

    output wire                  m_valid,
    output wire                  m_punct,
    output wire                  m_eos,
    output wire [DATA_W-1:0]     m_data,
    output wire [DIVIDEND_W-1:0] y,         // of the tuple on m_*
    output wire [DIVISOR_W-1:0]  r
);

    // The bits of DIVISOR - 1: 2**LOG is the least power of two that is not less than the divisor.
    function integer log_of(input [DIVISOR_W-1:0] below);
        integer k;
        begin
            log_of = 0;
            for (k = 0; k < DIVISOR_W; k = k + 1) if (below[k]) log_of = k + 1;
        end
    endfunction

    localparam N     = DIVIDEND_W - SIGNED;
    localparam LOG   = log_of(DIVISOR - 1'b1);
    localparam POWER = (DIVISOR & (DIVISOR - 1'b1)) == {DIVISOR_W{1'b0}};

    initial if (DIVIDEND_W < 2 || DIVISOR_W < 1 || DIVISOR == 0 || LOG > N || (SIGNED != 0 && SIGNED != 1)
            || (SIGNED != 0 && DIVISOR[DIVISOR_W-1]) || (REMAINDER != 0 && REMAINDER != 1)
            || DATA_W < 1 || CARRY_W < 1) begin
        $display("ERROR: %m: DIVIDEND_W = %0d (at least 2), DIVISOR_W = %0d, DIVISOR = %0d ", DIVIDEND_W, DIVISOR_W,
                 DIVISOR, "(1 to 2**(DIVIDEND_W - SIGNED), with SIGNED below 2**(DIVISOR_W - 1)), SIGNED = %0d, ",
                 SIGNED, "REMAINDER = %0d (0 or 1), DATA_W = %0d, CARRY_W = %0d (at least 1)", REMAINDER, DATA_W,
                 CARRY_W);
        $finish;
    end

    // The least s: after 2**s was divided by the divisor bit by bit, e is the divisor less the rest.
    function integer shift_of(input [DIVISOR_W-1:0] divisor);
        reg [DIVISOR_W+1:0] rest, twice;
        integer             k;
        begin
            rest     = {{(DIVISOR_W+1){1'b0}}, 1'b1};
            shift_of = 0;
            for (k = 1; k <= N + LOG; k = k + 1) begin
                twice = rest << 1;
                rest  = twice >= {2'b00, divisor} ? twice - {2'b00, divisor} : twice;
                if (shift_of == 0 && k >= N && {2'b00, divisor} - rest <= {{(DIVISOR_W+1){1'b0}}, 1'b1} << (k - N))
                    shift_of = k;
            end
        end
    endfunction

    localparam SHIFT = POWER ? LOG : shift_of(DIVISOR);
    localparam M_W   = POWER ? 1 : SHIFT - LOG + 1 + SIGNED;    // with its sign, 0
    localparam Q_W   = LOG == 0 ? DIVIDEND_W : DIVIDEND_W - LOG + 1;

    function [M_W-1:0] reciprocal(input [DIVISOR_W-1:0] divisor);
        reg [DIVISOR_W+1:0] rest, twice;
        integer             k;
        begin
            rest       = {{(DIVISOR_W+1){1'b0}}, 1'b1};
            reciprocal = {M_W{1'b0}};
            for (k = 1; k <= SHIFT; k = k + 1) begin
                twice      = rest << 1;
                rest       = twice >= {2'b00, divisor} ? twice - {2'b00, divisor} : twice;
                reciprocal = reciprocal << 1 | {{(M_W-1){1'b0}}, twice >= {2'b00, divisor}};
            end
            reciprocal = reciprocal + {{(M_W-1){1'b0}}, 1'b1};
        end
    endfunction

    // The product, and what is added to its upper bits. The data takes the lowest bits of the dividend along.
    wire                          negative = SIGNED != 0 && a[DIVIDEND_W-1];
    wire [DIVISOR_W+DIVIDEND_W:0] a_wide   = {{(DIVISOR_W+1){negative}}, a};
    wire                          unused   = &a_wide;
    wire [2:0]                    control_1, control_2;     // valid, punct and eos
    wire [DATA_W+DIVISOR_W-1:0]   data_1, data_2;
    wire [Q_W-1:0]                floor, quotient;
    wire                          plus;

    generate
        if (POWER) begin : gen_shift
            wire inexact = negative && (a & ~({DIVIDEND_W{1'b1}} << LOG)) != {DIVIDEND_W{1'b0}};

            ws_delay #(.DATA_W(DATA_W + DIVISOR_W + Q_W + 1), .N(1)) shifted (
                .clk(clk), .rst(rst), .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos),
                .s_data({s_data, a_wide[0 +: DIVISOR_W], a_wide[LOG +: Q_W], inexact}),
                .m_valid(control_1[2]), .m_punct(control_1[1]), .m_eos(control_1[0]), .m_data({data_1, floor, plus})
            );
        end else begin : gen_product
            localparam [M_W-1:0] M = reciprocal(DIVISOR);
            wire [DIVIDEND_W+M_W-1:0] product;
            wire                      unused_product = &product;

            ws_multiply #(.A_W(DIVIDEND_W), .B_W(M_W), .SIGNED(SIGNED), .DATA_W(DATA_W + DIVISOR_W + 1),
                          .CARRY_W(CARRY_W)) multiply (
                .clk(clk), .rst(rst), .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos),
                .s_data({s_data, a_wide[0 +: DIVISOR_W], negative}), .a(a), .b(M),
                .m_valid(control_1[2]), .m_punct(control_1[1]), .m_eos(control_1[0]), .m_data({data_1, plus}),
                .y(product)
            );

            assign floor = product[SHIFT +: Q_W];
        end

        if (SIGNED != 0) begin : gen_plus
            ws_compute_wide #(.OP("ADD"), .A_W(Q_W), .B_W(1), .Y_W(Q_W), .SIGNED(0), .DATA_W(DATA_W + DIVISOR_W),
                              .CARRY_W(CARRY_W)) add (
                .clk(clk), .rst(rst), .s_valid(control_1[2]), .s_punct(control_1[1]), .s_eos(control_1[0]),
                .s_data(data_1), .a(floor), .b(plus),
                .m_valid(control_2[2]), .m_punct(control_2[1]), .m_eos(control_2[0]), .m_data(data_2), .y(quotient)
            );
        end else begin : gen_same
            assign {control_2, data_2, quotient} = {control_1, data_1, floor};
            wire unused_plus = plus;
        end
    endgenerate

    // The remainder
    wire [DIVISOR_W+DIVIDEND_W:0] wide = {{(DIVISOR_W+1+DIVIDEND_W-Q_W){SIGNED != 0 && quotient[Q_W-1]}}, quotient};
    wire                          unused_wide = &wide;

    generate
        if (REMAINDER != 0) begin : gen_remainder
            wire [2:0]             control_3;
            wire [DATA_W-1:0]      data_3;
            wire [DIVIDEND_W-1:0]  quotient_3;
            wire [DIVISOR_W-1:0]   dividend_3;
            wire [2*DIVISOR_W-1:0] multiple;
            wire                   unused_multiple = &multiple;

            ws_multiply #(.A_W(DIVISOR_W), .B_W(DIVISOR_W), .SIGNED(0), .DATA_W(DATA_W + DIVISOR_W + DIVIDEND_W),
                          .CARRY_W(CARRY_W)) multiply (
                .clk(clk), .rst(rst), .s_valid(control_2[2]), .s_punct(control_2[1]), .s_eos(control_2[0]),
                .s_data({data_2, wide[0 +: DIVIDEND_W]}), .a(wide[0 +: DIVISOR_W]), .b(DIVISOR),
                .m_valid(control_3[2]), .m_punct(control_3[1]), .m_eos(control_3[0]),
                .m_data({data_3, dividend_3, quotient_3}), .y(multiple)
            );

            ws_compute_wide #(.OP("SUB"), .A_W(DIVISOR_W), .B_W(DIVISOR_W), .Y_W(DIVISOR_W), .SIGNED(0),
                              .DATA_W(DATA_W + DIVIDEND_W), .CARRY_W(CARRY_W)) subtract (
                .clk(clk), .rst(rst), .s_valid(control_3[2]), .s_punct(control_3[1]), .s_eos(control_3[0]),
                .s_data({data_3, quotient_3}), .a(dividend_3), .b(multiple[0 +: DIVISOR_W]),
                .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data({m_data, y}), .y(r)
            );
        end else begin : gen_none
            wire unused_dividend = &data_2;

            assign {m_valid, m_punct, m_eos, m_data} = {control_2, data_2[DIVISOR_W +: DATA_W]};
            assign {y, r}                            = {wide[0 +: DIVIDEND_W], {DIVISOR_W{1'b0}}};
        end
    endgenerate

endmodule

`default_nettype wire
