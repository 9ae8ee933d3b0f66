// SPDX-License-Identifier: Apache-2.0
//
// ws_multiply: the operator that computes a product, y = a * b, exact and pipelined.
//
// The operands are split into digits of DIGIT bits, and a multiplier block computes the product of every two digits.
// The products of a diagonal, the digits i of a and j of b with the same i - j, do not overlap, so that their
// concatenation is their sum; a tree of adders sums the diagonals, the last adder three of their sums. Digits are
// unsigned, except the most significant one of a signed operand: only the last product of a diagonal can hold it, and is
// sign-extended. The registers after the products are meant to map onto those of the multiplier blocks.
//
// Parameters   A_W      width of the first operand in bits, at least 1
//              B_W      width of the second operand in bits, at least 1; that of y is the sum of both
//              SIGNED   1: both operands are two's complement; 0: neither
//              DATA_W   width of the tuple in bits, at least 1
//              DIGIT    bits of an operand that one multiplier block takes, at least 1; 17 of the 18 of an ECP5 or of
//                       an Xilinx block
//              CARRY_W  widest sum computed in one cycle, at least 1; wider ones are computed in parts, each a cycle
//                       after the one below it
// Latency      LEVELS + ceil((A_W + B_W)/CARRY_W) cycles, with the levels of the tree: 0 for one diagonal, 1 up to 3, 2
//              up to 6, 3 up to 12, of ceil(A_W/DIGIT) + ceil(B_W/DIGIT) - 1; 1 up to 17x17, 3 for 32x32, 6 for 64x64
// Issue rate   1 tuple a cycle
// Overflow     cannot happen
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.3; the circuit is ours

`default_nettype none

module ws_multiply #(
    parameter A_W     = 32,
    parameter B_W     = 32,
    parameter SIGNED  = 1,
    parameter DATA_W  = 128,
    parameter DIGIT   = 17,
    parameter CARRY_W = 48
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [A_W-1:0]     a,        // of the tuple on s_*
    input  wire [B_W-1:0]     b,

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [DATA_W-1:0]  m_data,
    output wire [A_W+B_W-1:0] y         // of the tuple on m_*
);

    localparam A_DIGITS  = (A_W + DIGIT - 1) / DIGIT;
    localparam B_DIGITS  = (B_W + DIGIT - 1) / DIGIT;
    localparam DIAGONALS = A_DIGITS + B_DIGITS - 1;
    localparam LEVELS    = DIAGONALS == 1 ? 0 : 1 + $clog2((DIAGONALS + 2) / 3);
    localparam LEAVES    = 3 << (LEVELS > 1 ? LEVELS - 1 : 0);
    localparam PARTS     = (A_W + B_W + CARRY_W - 1) / CARRY_W;
    localparam LATENCY   = LEVELS + PARTS;

    localparam TERM_W    = (A_DIGITS + B_DIGITS) * DIGIT;
    localparam PART_W    = (TERM_W + PARTS - 1) / PARTS;
    localparam SUM_W     = PARTS * PART_W;

    initial if (A_W < 1 || B_W < 1 || DIGIT < 1 || CARRY_W < 1 || (SIGNED != 0 && SIGNED != 1)) begin
        $display("ERROR: %m: A_W = %0d, B_W = %0d, DIGIT = %0d, CARRY_W = %0d (at least 1), SIGNED = %0d (0 or 1)",
                 A_W, B_W, DIGIT, CARRY_W, SIGNED);
        $finish;
    end

    wire                      a_sign = SIGNED != 0 && a[A_W-1];
    wire                      b_sign = SIGNED != 0 && b[B_W-1];
    wire [A_DIGITS*DIGIT-1:0] a_wide = {{(A_DIGITS*DIGIT-A_W){a_sign}}, a};
    wire [B_DIGITS*DIGIT-1:0] b_wide = {{(B_DIGITS*DIGIT-B_W){b_sign}}, b};

    // The tree: sum n is that of the sums 2n and 2n + 1, the result that of the sums 3, 4 and 5; the leaves are the
    // diagonals. Part k of each, counted from the right, is k cycles late.
    wire [2*LEAVES*SUM_W-1:3*SUM_W] tree;
    wire [SUM_W-1:0]                total, sum;
    wire                            unused = &{tree, sum};  // a single diagonal, and the bits above y

    genvar n, p, k;
    generate
        for (n = 0; n < LEAVES; n = n + 1) begin : diagonal
            wire [SUM_W-1:0] term;

            if (n >= DIAGONALS) begin : gen_nothing
                assign term = {SUM_W{1'b0}};
            end else begin : gen_products
                // Stage 1: the products, starting with that of the digits A_FIRST and B_FIRST
                localparam A_FIRST = n < B_DIGITS ? 0 : n - B_DIGITS + 1;
                localparam B_FIRST = n < B_DIGITS ? B_DIGITS - 1 - n : 0;
                localparam COUNT   = A_DIGITS - A_FIRST < B_DIGITS - B_FIRST ? A_DIGITS - A_FIRST : B_DIGITS - B_FIRST;
                localparam BELOW_W = (A_FIRST + B_FIRST) * DIGIT;
                localparam ABOVE_W = SUM_W - BELOW_W - COUNT*2*DIGIT;
                reg [COUNT*2*DIGIT-1:0] product_reg;
                wire                    sign        = SIGNED != 0 && product_reg[COUNT*2*DIGIT-1];
                wire                    unused_sign = sign;  // if there are no bits above

                for (p = 0; p < COUNT; p = p + 1) begin : product
                    wire a_top = A_FIRST + p == A_DIGITS - 1 && a_sign;
                    wire b_top = B_FIRST + p == B_DIGITS - 1 && b_sign;
                    wire signed [2*DIGIT-1:0] factor_a = {{DIGIT{a_top}}, a_wide[(A_FIRST+p)*DIGIT +: DIGIT]};
                    wire signed [2*DIGIT-1:0] factor_b = {{DIGIT{b_top}}, b_wide[(B_FIRST+p)*DIGIT +: DIGIT]};
                    always @(posedge clk) product_reg[p*2*DIGIT +: 2*DIGIT] <= factor_a * factor_b;
                end

                assign term = {{ABOVE_W{sign}}, product_reg, {BELOW_W{1'b0}}};
            end

            assign tree[(LEAVES+n)*SUM_W +: PART_W] = term[0 +: PART_W];
            for (k = 1; k < PARTS; k = k + 1) begin : late
                ws_shift #(.DATA_W(PART_W), .N(k)) wait_for (
                    .clk(clk), .s_data(term[k*PART_W +: PART_W]),
                    .m_data(tree[(LEAVES+n)*SUM_W + k*PART_W +: PART_W])
                );
            end
        end

        // Stages 2 to LEVELS: the sums of two
        for (n = 3; n < LEAVES; n = n + 1) begin : node
            wire [PARTS-1:0] carry;     // into each part
            assign carry[0] = 1'b0;

            for (k = 0; k < PARTS; k = k + 1) begin : part
                localparam CARRY_OUT = k < PARTS - 1 ? 1 : 0;
                reg [PART_W+CARRY_OUT-1:0] sum_reg;

                always @(posedge clk)
                    sum_reg <= {{CARRY_OUT{1'b0}}, tree[2*n*SUM_W + k*PART_W +: PART_W]}
                             + {{CARRY_OUT{1'b0}}, tree[(2*n+1)*SUM_W + k*PART_W +: PART_W]}
                             + {{PART_W+CARRY_OUT-1{1'b0}}, carry[k]};

                assign tree[n*SUM_W + k*PART_W +: PART_W] = sum_reg[PART_W-1:0];
                if (CARRY_OUT != 0) begin : gen_carry
                    assign carry[k+1] = sum_reg[PART_W];
                end
            end
        end

        // Stage 1 + LEVELS: the sum of three
        if (LEVELS == 0) begin : gen_single
            assign total = tree[3*SUM_W +: SUM_W];
        end else begin : gen_total
            wire [2*PARTS+1:0] carry;           // into each part, at most 2
            wire               unused_carry = &carry;
            assign carry[1:0] = 2'd0;

            for (k = 0; k < PARTS; k = k + 1) begin : part
                reg [PART_W+1:0] sum_reg;

                always @(posedge clk)
                    sum_reg <= {2'd0, tree[3*SUM_W + k*PART_W +: PART_W]} + {2'd0, tree[4*SUM_W + k*PART_W +: PART_W]}
                             + {2'd0, tree[5*SUM_W + k*PART_W +: PART_W]} + {{PART_W{1'b0}}, carry[2*k +: 2]};

                assign {carry[2*k+2 +: 2], total[k*PART_W +: PART_W]} = sum_reg;
            end
        end

        // The last stages: the lower parts wait for the uppermost
        assign sum[SUM_W-1 -: PART_W] = total[SUM_W-1 -: PART_W];
        for (k = 1; k < PARTS; k = k + 1) begin : early
            ws_shift #(.DATA_W(PART_W), .N(k)) wait_for (
                .clk(clk), .s_data(total[SUM_W-1 - k*PART_W -: PART_W]), .m_data(sum[SUM_W-1 - k*PART_W -: PART_W])
            );
        end
    endgenerate

    assign y = sum[A_W+B_W-1:0];

    ws_delay #(.DATA_W(DATA_W), .N(LATENCY)) wire_delay (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data (s_data),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

`ifdef FORMAL
    // The operands are delayed with the tuple; y is their product.
    wire [A_W+B_W-1:0]        operands_ref;
    wire signed [A_W+B_W-1:0] a_ref = {{B_W{SIGNED != 0 && operands_ref[A_W+B_W-1]}}, operands_ref[B_W +: A_W]};
    wire signed [A_W+B_W-1:0] b_ref = {{A_W{SIGNED != 0 && operands_ref[B_W-1]}}, operands_ref[0 +: B_W]};
    reg  [2:0]                cycles_ref = 3'd0;

    ws_shift #(.DATA_W(A_W + B_W), .N(LATENCY)) reference (.clk(clk), .s_data({a, b}), .m_data(operands_ref));

    always @(posedge clk) begin
        cycles_ref <= cycles_ref + (cycles_ref < LATENCY);
        if (cycles_ref == 0) assume (rst);
        if (cycles_ref == LATENCY) assert (y == a_ref * b_ref);
        else assert (cycles_ref < LATENCY);
        cover (cycles_ref == LATENCY && m_valid && y == 1 << (A_W + B_W - 2));      // most negative, both
        cover (cycles_ref == LATENCY && m_valid && a_ref[A_W-1] && b_ref != 0 && !b_ref[B_W-1]);
    end
`endif

endmodule

`default_nettype wire
