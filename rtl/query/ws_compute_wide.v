// SPDX-License-Identifier: Apache-2.0
//
// ws_compute_wide: the operator that computes a column, y = a OP b, of more bits than a carry chain passes in a cycle.
//
// The operands are extended, and y is cut, as in ws_compute. A sum is computed in parts of at most CARRY_W bits, one a
// cycle, each with the carry of the part below it. A comparison compares all parts in the first cycle; in the second
// one the most significant part in which the operands differ decides.
//
// Parameters   OP       the operation, "ADD", "SUB", "EQ", "NE", "LT", "LE", "GT" or "GE"; "EQ" to "GE" give 1 if true,
//                       else 0, and a string is its bytes, the first in the most significant
//              A_W      width of the first operand in bits, at least 1
//              B_W      width of the second operand in bits, at least 1
//              Y_W      width of the result in bits, at least 1
//              SIGNED   1: both operands are two's complement; 0: neither
//              DATA_W   width of the tuple in bits, at least 1
//              CARRY_W  bits that are added or compared in one cycle, at least 1
// Latency      ceil(Y_W/CARRY_W) cycles for a sum or difference, 2 for a comparison
// Issue rate   1 tuple a cycle
// Overflow     y wraps where Y_W is too small for the result
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.3; the circuit is ours

`default_nettype none

module ws_compute_wide #(
    parameter [23:0] OP      = "ADD",
    parameter        A_W     = 128,
    parameter        B_W     = 128,
    parameter        Y_W     = 129,
    parameter        SIGNED  = 1,
    parameter        DATA_W  = 128,
    parameter        CARRY_W = 64
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,
    input  wire [A_W-1:0]    a,         // of the tuple on s_*
    input  wire [B_W-1:0]    b,

    output wire              m_valid,
    output wire              m_punct,
    output wire              m_eos,
    output wire [DATA_W-1:0] m_data,
    output wire [Y_W-1:0]    y          // of the tuple on m_*
);

    localparam COMPARES = OP == "EQ" || OP == "NE" || OP == "LT" || OP == "LE" || OP == "GT" || OP == "GE";
    localparam AB_W     = A_W > B_W ? A_W : B_W;
    localparam BITS     = COMPARES ? AB_W : Y_W;
    localparam PARTS    = (BITS + CARRY_W - 1) / CARRY_W;
    localparam PART_W   = (BITS + PARTS - 1) / PARTS;
    localparam WIDE_W   = PARTS * PART_W;
    localparam LATENCY  = COMPARES ? 2 : PARTS;
    localparam EXTEND_W = AB_W + WIDE_W;

    initial begin
        if (!COMPARES && OP != "ADD" && OP != "SUB") begin
            $display("ERROR: %m: OP = \"%0s\", must be ADD SUB EQ NE LT LE GT or GE", OP);
            $finish;
        end
        if (A_W < 1 || B_W < 1 || Y_W < 1 || CARRY_W < 1) begin
            $display("ERROR: %m: A_W = %0d, B_W = %0d, Y_W = %0d, CARRY_W = %0d: must be at least 1",
                     A_W, B_W, Y_W, CARRY_W);
            $finish;
        end
        if (SIGNED != 0 && SIGNED != 1) begin
            $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
            $finish;
        end
    end

    wire [EXTEND_W-1:0] a_wide = {{(EXTEND_W-A_W){SIGNED != 0 && a[A_W-1]}}, a};
    wire [EXTEND_W-1:0] b_wide = {{(EXTEND_W-B_W){SIGNED != 0 && b[B_W-1]}}, b};
    wire                unused = &{a_wide, b_wide};     // their bits above WIDE_W

    genvar k;
    generate
        if (COMPARES) begin : gen_truth
            // LT, LE, GT and GE: low < high, or low <= high. Signs are inverted, so that the order is that of unsigned
            // numbers.
            localparam ORDERS   = OP != "EQ" && OP != "NE";
            localparam SWAPPED  = OP == "GT" || OP == "GE";
            localparam OR_EQUAL = OP == "LE" || OP == "GE";
            wire [WIDE_W-1:0] sign = {SIGNED != 0, {(WIDE_W-1){1'b0}}};
            wire [WIDE_W-1:0] low  = sign ^ (SWAPPED ? b_wide[WIDE_W-1:0] : a_wide[WIDE_W-1:0]);
            wire [WIDE_W-1:0] high = sign ^ (SWAPPED ? a_wide[WIDE_W-1:0] : b_wide[WIDE_W-1:0]);
            reg  [PARTS-1:0]  less_reg, equal_reg;
            reg               truth_reg;

            // Stage 1: the parts. For an order the lowest part needs no test for equality: of <= it is "less" if equal.
            for (k = 0; k < PARTS; k = k + 1) begin : part
                wire [PART_W-1:0] low_part  = low[k*PART_W +: PART_W];
                wire [PART_W-1:0] high_part = high[k*PART_W +: PART_W];
                wire              less      = k == 0 && OR_EQUAL ? !(high_part < low_part) : low_part < high_part;

                always @(posedge clk) begin
                    less_reg[k]  <= ORDERS && less;
                    equal_reg[k] <= !(ORDERS && k == 0) && low_part == high_part;
                end
            end

            // Stage 2: a carry chain; a part generates a carry if it is less, and propagates one if it is equal
            wire [PARTS:0] chain  = {1'b0, less_reg | equal_reg} + {1'b0, less_reg};
            wire           unused_sum = &chain[PARTS-1:0];

            always @(posedge clk) truth_reg <= ORDERS ? chain[PARTS] : &equal_reg == (OP == "EQ");

            if (Y_W > 1) begin : gen_zeros
                assign y[Y_W-1:1] = {(Y_W-1){1'b0}};
            end
            assign y[0] = truth_reg;
        end else begin : gen_number
            wire [PARTS-1:0]  carry;    // into each part; of a difference, the borrow
            wire [WIDE_W-1:0] sum;
            wire              unused_sum = &sum;    // its bits above y

            assign carry[0] = 1'b0;

            // Stage 1 + k adds part k, whose operands are delayed; the lower parts of y wait for the uppermost.
            // The carry enters through a bit below the part, so that there is one addition of two operands, which Yosys
            // maps onto one carry chain, a difference without inverters.
            for (k = 0; k < PARTS; k = k + 1) begin : part
                localparam CARRY_OUT = k < PARTS - 1 ? 1 : 0;
                wire [PART_W-1:0]         a_part, b_part;
                wire [PART_W+CARRY_OUT:0] augend = {{CARRY_OUT{1'b0}}, a_part, OP == "ADD"};
                wire [PART_W+CARRY_OUT:0] addend = {{CARRY_OUT{1'b0}}, b_part, carry[k]};
                wire [PART_W+CARRY_OUT:0] chain  = OP == "ADD" ? augend + addend : augend - addend;
                wire                      unused_bit = chain[0];
                reg  [PART_W+CARRY_OUT-1:0] sum_reg;

                ws_shift #(.DATA_W(2 * PART_W), .N(k)) late (
                    .clk   (clk),
                    .s_data({a_wide[k*PART_W +: PART_W], b_wide[k*PART_W +: PART_W]}),
                    .m_data({a_part, b_part})
                );

                always @(posedge clk) sum_reg <= chain[PART_W+CARRY_OUT:1];

                if (CARRY_OUT != 0) begin : gen_carry
                    assign carry[k+1] = sum_reg[PART_W];
                end

                ws_shift #(.DATA_W(PART_W), .N(PARTS - 1 - k)) early (
                    .clk(clk), .s_data(sum_reg[PART_W-1:0]), .m_data(sum[k*PART_W +: PART_W])
                );
            end

            assign y = sum[Y_W-1:0];
        end
    endgenerate

    ws_delay #(.DATA_W(DATA_W), .N(LATENCY)) tuple_delay (
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
    // The operands are delayed with the tuple; y is their result by other means: numbers wide enough not to wrap, and
    // the sign of their difference.
    localparam LONG = A_W + B_W + Y_W;
    wire [A_W+B_W-1:0]     operands_ref;
    wire [A_W-1:0]         a_ref = operands_ref[B_W +: A_W];
    wire [B_W-1:0]         b_ref = operands_ref[0 +: B_W];
    wire signed [LONG-1:0] a_long = {{(LONG-A_W){SIGNED != 0 && a_ref[A_W-1]}}, a_ref};
    wire signed [LONG-1:0] b_long = {{(LONG-B_W){SIGNED != 0 && b_ref[B_W-1]}}, b_ref};
    wire signed [LONG:0]   diff   = a_long - b_long;
    reg  [Y_W-1:0]         wanted;
    reg  [2:0]             cycles_ref = 3'd0;

    ws_shift #(.DATA_W(A_W + B_W), .N(LATENCY)) reference (.clk(clk), .s_data({a, b}), .m_data(operands_ref));

    always @*
        case (OP)
            "ADD":   wanted = a_long - (-b_long);
            "SUB":   wanted = diff;
            "EQ":    wanted = diff == 0;
            "NE":    wanted = diff != 0;
            "LT":    wanted = diff < 0;
            "LE":    wanted = diff <= 0;
            "GT":    wanted = diff > 0;
            default: wanted = diff >= 0;
        endcase

    always @(posedge clk) begin
        cycles_ref <= cycles_ref + (cycles_ref < LATENCY);
        if (cycles_ref == 0) assume (rst);
        if (cycles_ref == LATENCY) assert (y == wanted);
        else assert (cycles_ref < LATENCY);
        cover (cycles_ref == LATENCY && m_valid && y != 0);
        cover (cycles_ref == LATENCY && m_valid && y == 0);
    end
`endif

endmodule

`default_nettype wire
