// SPDX-License-Identifier: Apache-2.0
//
// ws_divide: the operator that computes a quotient and a remainder, y = a div b and r = a % b, pipelined.
//
// Long division, BITS bits of the quotient a stage. It truncates toward zero, so the remainder has the sign of the
// dividend; a = y * b + r always. Division by zero is null.
//
// Parameters   A_W, B_W     widths of dividend and divisor in bits, at least 2 and 1
//              QUOTIENT_W   bits that the size of a quotient can have, 1 to A_W: of an average, those of its values
//              SIGNED       1: both operands are two's complement; 0: neither
//              DATA_W       width of the tuple in bits, at least 1
//              BITS         bits of the quotient that one stage finds, at least 1
//              FAST         1: a stage subtracts in one cycle and chooses in the next, for wide divisors; BITS is 1
// Latency      ceil(QUOTIENT_W/BITS) * (1 + FAST) + 1 + SIGNED cycles
// Issue rate   1 tuple a cycle
// Overflow     a quotient of more than QUOTIENT_W bits is null; with QUOTIENT_W = A_W there is none, since a signed
//              quotient has one bit more, for the most negative dividend divided by -1
// Bad input    b = 0 is null: y_null is 1, y and r are 0
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.3; the circuit is the restoring division

`default_nettype none

module ws_divide #(
    parameter A_W        = 64,
    parameter B_W        = 32,
    parameter QUOTIENT_W = A_W,
    parameter SIGNED     = 1,
    parameter DATA_W     = 128,
    parameter BITS       = 1,
    parameter FAST       = 0
) (
    input  wire                         clk,
    input  wire                         rst,

    input  wire                         s_valid,
    input  wire                         s_punct,
    input  wire                         s_eos,
    input  wire [DATA_W-1:0]            s_data,
    input  wire [A_W-1:0]               a,          // of the tuple on s_*
    input  wire [B_W-1:0]               b,

    output wire                         m_valid,
    output wire                         m_punct,
    output wire                         m_eos,
    output wire [DATA_W-1:0]            m_data,
    output reg  [QUOTIENT_W+SIGNED-1:0] y,          // of the tuple on m_*
    output reg  [B_W-1:0]               r,
    output reg                          y_null      // and r
);

    localparam STAGES  = (QUOTIENT_W + BITS - 1) / BITS;
    localparam LATENCY = STAGES * (1 + FAST) + 1 + SIGNED;
    localparam NUM_W   = STAGES * BITS;
    localparam TOP_W   = A_W > NUM_W ? A_W - NUM_W : 0;     // digits of the dividend that need no stage

    initial if (A_W < 2 || B_W < 1 || QUOTIENT_W < 1 || QUOTIENT_W > A_W || BITS < 1 || (SIGNED != 0 && SIGNED != 1)
            || (FAST != 0 && (FAST != 1 || BITS != 1))) begin
        $display("ERROR: %m: A_W = %0d (at least 2), B_W = %0d, QUOTIENT_W = %0d (1 to A_W), ", A_W, B_W, QUOTIENT_W,
                 "BITS = %0d (at least 1), SIGNED = %0d (0 or 1), FAST = %0d (0, or 1 if BITS is 1)",
                 BITS, SIGNED, FAST);
        $finish;
    end

    // What goes from stage to stage: the digits of the dividend still to come, at the left, and those of the quotient;
    // the remainder so far; the divisor; whether quotient and remainder are negative; whether there is no quotient.
    localparam STATE_W = NUM_W + 2*B_W + 3;
    wire [A_W-1:0] a_size;
    wire [B_W-1:0] b_size;
    wire           y_negative_first, r_negative_first;

    // First stage, if signed: magnitudes
    generate
        if (SIGNED != 0) begin : gen_magnitudes
            reg [A_W-1:0] a_reg;
            reg [B_W-1:0] b_reg;
            reg           y_negative_reg, r_negative_reg;

            always @(posedge clk) begin
                a_reg          <= a[A_W-1] ? -a : a;
                b_reg          <= b[B_W-1] ? -b : b;
                y_negative_reg <= a[A_W-1] != b[B_W-1];
                r_negative_reg <= a[A_W-1];
            end

            assign {a_size, b_size}                     = {a_reg, b_reg};
            assign {y_negative_first, r_negative_first} = {y_negative_reg, r_negative_reg};
        end else begin : gen_operands
            assign {a_size, b_size}                     = {a, b};
            assign {y_negative_first, r_negative_first} = 2'b00;
        end
    endgenerate

    // The digits of the dividend that need no stage are less than the divisor if there is a quotient, and the first
    // remainder. A divisor of 0 is never more than they are.
    wire [A_W+NUM_W+B_W-1:0] digits = {{(NUM_W+B_W){1'b0}}, a_size};
    wire                     none   = digits[QUOTIENT_W +: A_W+B_W] >= {{A_W{1'b0}}, b_size};
    wire [STATE_W-1:0]       first  = {digits[NUM_W-1:0], digits[NUM_W +: B_W], b_size,
                                       y_negative_first, r_negative_first, none};

    // Stages of the division
    genvar k;
    generate
        for (k = 0; k < STAGES; k = k + 1) begin : stage
            // A remainder has no more digits than were brought down so far.
            localparam COUNT = TOP_W + (k + 1)*BITS;
            localparam [B_W-1:0] DIGITS = COUNT < B_W ? ~({B_W{1'b1}} << COUNT) : {B_W{1'b1}};
            reg  [STATE_W-1:0] state_reg;
            wire [NUM_W-1:0]   number_before;
            wire [B_W-1:0]     remainder_before, divisor;
            wire [2:0]         flags;

            if (k == 0) begin : gen_first
                assign {number_before, remainder_before, divisor, flags} = first;
            end else begin : gen_next
                assign {number_before, remainder_before, divisor, flags} = stage[k-1].state_reg;
            end

            if (FAST != 0) begin : gen_fast
                wire [B_W:0]     brought = {remainder_before, number_before[NUM_W-1]};
                reg  [B_W:0]     brought_reg, difference_reg;
                reg  [NUM_W-1:0] number_reg;
                reg  [B_W-1:0]   divisor_reg;
                reg  [2:0]       flags_reg;
                wire [B_W-1:0]   remainder = difference_reg[B_W] ? brought_reg[B_W-1:0] : difference_reg[B_W-1:0];
                wire             unused    = brought_reg[B_W];      // the divisor fits then

                always @(posedge clk) begin
                    brought_reg    <= brought;
                    difference_reg <= brought - {1'b0, divisor};
                    number_reg     <= number_before << 1;
                    divisor_reg    <= divisor;
                    flags_reg      <= flags;
                    state_reg      <= {number_reg | {{(NUM_W-1){1'b0}}, !difference_reg[B_W]}, remainder & DIGITS,
                                       divisor_reg, flags_reg};
                end
            end else begin : gen_stage
                reg  [NUM_W-1:0] number;
                reg  [B_W-1:0]   remainder;
                reg  [B_W:0]     brought;           // the remainder with one digit brought down
                reg  [B_W:0]     difference;        // its sign says whether the divisor fits
                integer          i;

                always @* begin
                    number    = number_before;
                    remainder = remainder_before;
                    for (i = 0; i < BITS; i = i + 1) begin
                        brought    = {remainder, number[NUM_W-1]};
                        difference = brought - {1'b0, divisor};
                        remainder  = difference[B_W] ? brought[B_W-1:0] : difference[B_W-1:0];
                        number     = (number << 1) | {{(NUM_W-1){1'b0}}, !difference[B_W]};
                    end
                end

                always @(posedge clk) state_reg <= {number, remainder & DIGITS, divisor, flags};
            end
        end
    endgenerate

    // Last stage: signs, and zeros for null
    wire [NUM_W-1:0] quotient;
    wire [B_W-1:0]   remainder, divisor;
    wire             y_negative, r_negative, null_last;
    wire             unused = &{quotient, divisor};     // quotient: zeros above QUOTIENT_W bits

    assign {quotient, remainder, divisor, y_negative, r_negative, null_last} = stage[STAGES-1].state_reg;

    wire [QUOTIENT_W+SIGNED-1:0] magnitude = {{SIGNED{1'b0}}, quotient[QUOTIENT_W-1:0]};

    always @(posedge clk) begin
        y_null <= null_last;
        y      <= null_last ? {QUOTIENT_W+SIGNED{1'b0}} : SIGNED != 0 && y_negative ? -magnitude : magnitude;
        r      <= null_last ? {B_W{1'b0}} : SIGNED != 0 && r_negative ? -remainder : remainder;
    end

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
    // The operands go along with the tuple; quotient and remainder are those that the definition allows.
    localparam LONG = A_W + B_W + 2;
    wire [A_W-1:0]         a_ref;
    wire [B_W-1:0]         b_ref;
    wire                   valid_ref, punct_ref, eos_ref;
    reg  [4:0]             cycles_ref = 5'd0;

    ws_delay #(.DATA_W(A_W + B_W), .N(LATENCY)) reference (
        .clk(clk), .rst(rst), .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data({a, b}),
        .m_valid(valid_ref), .m_punct(punct_ref), .m_eos(eos_ref), .m_data({a_ref, b_ref})
    );

    wire signed [LONG-1:0] a_long = {{(LONG-A_W){SIGNED != 0 && a_ref[A_W-1]}}, a_ref};
    wire signed [LONG-1:0] b_long = {{(LONG-B_W){SIGNED != 0 && b_ref[B_W-1]}}, b_ref};
    wire signed [LONG-1:0] y_long = {{(LONG-QUOTIENT_W-SIGNED){SIGNED != 0 && y[QUOTIENT_W+SIGNED-1]}}, y};
    wire signed [LONG-1:0] r_long = {{(LONG-B_W){SIGNED != 0 && r[B_W-1]}}, r};
    wire signed [LONG-1:0] r_size = r_long < 0 ? -r_long : r_long;
    wire signed [LONG-1:0] b_abs  = b_long < 0 ? -b_long : b_long;
    wire signed [LONG-1:0] a_abs  = a_long < 0 ? -a_long : a_long;

    always @(posedge clk) begin
        cycles_ref <= cycles_ref + (cycles_ref < LATENCY);
        if (cycles_ref == 0) assume (rst);
        assert (cycles_ref <= LATENCY);
        if (cycles_ref == LATENCY) begin
            assert (y_null == (b_ref == 0 || (a_abs >> QUOTIENT_W) >= b_abs));
            if (y_null) assert (y == 0 && r == 0);
            else begin
                assert (a_long == y_long * b_long + r_long);
                assert (r_size < b_abs);
                assert (r_long == 0 || (r_long < 0) == (a_long < 0));
            end
        end
        cover (cycles_ref == LATENCY && m_valid && !y_null && y_long > 1 && r_long != 0);
        cover (cycles_ref == LATENCY && m_valid && y_null && a_ref != 0);
    end
`endif

endmodule

`default_nettype wire
