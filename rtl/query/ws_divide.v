// SPDX-License-Identifier: Apache-2.0
//
// ws_divide: the operator that computes a quotient and a remainder, y = a div b and r = a % b, pipelined.
//
// Long division, BITS bits of the quotient a stage. It truncates toward zero, so the remainder has the sign of the
// dividend; a = y * b + r always. Division by zero is null.
//
// Parameters   A_W, B_W   widths of dividend and divisor in bits, at least 2 and 1
//              SIGNED     1: both operands are two's complement; 0: neither
//              DATA_W     width of the tuple in bits, at least 1
//              BITS       bits of the quotient that one stage finds, at least 1
// Latency      ceil(A_W/BITS) + 1 + SIGNED cycles
// Issue rate   1 tuple a cycle
// Overflow     cannot happen: a signed quotient has one bit more, for the most negative dividend divided by -1
// Bad input    b = 0: y_null is 1, y and r are 0
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.3; the circuit is the restoring division

`default_nettype none

module ws_divide #(
    parameter A_W    = 64,
    parameter B_W    = 32,
    parameter SIGNED = 1,
    parameter DATA_W = 128,
    parameter BITS   = 1
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  s_valid,
    input  wire                  s_punct,
    input  wire                  s_eos,
    input  wire [DATA_W-1:0]     s_data,
    input  wire [A_W-1:0]        a,         // of the tuple on s_*
    input  wire [B_W-1:0]        b,

    output wire                  m_valid,
    output wire                  m_punct,
    output wire                  m_eos,
    output wire [DATA_W-1:0]     m_data,
    output reg  [A_W+SIGNED-1:0] y,         // of the tuple on m_*
    output reg  [B_W-1:0]        r,
    output reg                   y_null     // and r
);

    localparam STAGES  = (A_W + BITS - 1) / BITS;
    localparam LATENCY = STAGES + 1 + SIGNED;
    localparam NUM_W   = STAGES * BITS;

    initial if (A_W < 2 || B_W < 1 || BITS < 1 || (SIGNED != 0 && SIGNED != 1)) begin
        $display("ERROR: %m: A_W = %0d (at least 2), B_W = %0d, BITS = %0d (at least 1), SIGNED = %0d (0 or 1)",
                 A_W, B_W, BITS, SIGNED);
        $finish;
    end

    // What goes from stage to stage: the digits of the dividend still to come, at the left, and those of the quotient;
    // the remainder so far; the divisor; whether quotient and remainder are negative; whether the divisor is 0.
    localparam STATE_W = NUM_W + 2*B_W + 3;
    wire [STATE_W-1:0] first;

    // First stage, if signed: magnitudes
    generate
        if (SIGNED != 0) begin : gen_magnitudes
            reg  [A_W-1:0] a_reg;
            reg  [B_W-1:0] b_reg;
            reg            y_negative_reg, r_negative_reg;

            always @(posedge clk) begin
                a_reg          <= a[A_W-1] ? -a : a;
                b_reg          <= b[B_W-1] ? -b : b;
                y_negative_reg <= a[A_W-1] != b[B_W-1];
                r_negative_reg <= a[A_W-1];
            end

            assign first = {{(NUM_W-A_W){1'b0}}, a_reg, {B_W{1'b0}}, b_reg,
                            y_negative_reg, r_negative_reg, b_reg == 0};
        end else begin : gen_operands
            assign first = {{(NUM_W-A_W){1'b0}}, a, {B_W{1'b0}}, b, 2'b00, b == 0};
        end
    endgenerate

    // Stages of the division
    genvar k;
    generate
        for (k = 0; k < STAGES; k = k + 1) begin : stage
            // A remainder has no more digits than were brought down so far.
            localparam [B_W-1:0] DIGITS = (k + 1)*BITS < B_W ? ~({B_W{1'b1}} << (k + 1)*BITS) : {B_W{1'b1}};
            reg  [STATE_W-1:0] state_reg;
            reg  [NUM_W-1:0]   number;
            reg  [B_W-1:0]     remainder;
            reg  [B_W:0]       brought;         // the remainder with one digit brought down
            reg  [B_W:0]       difference;      // its sign says whether the divisor fits
            wire [B_W-1:0]     divisor;
            wire [2:0]         flags;
            wire [NUM_W-1:0]   number_before;
            wire [B_W-1:0]     remainder_before;
            integer            i;

            if (k == 0) begin : gen_first
                assign {number_before, remainder_before, divisor, flags} = first;
            end else begin : gen_next
                assign {number_before, remainder_before, divisor, flags} = stage[k-1].state_reg;
            end

            always @* begin
                number    = number_before;
                remainder = remainder_before;
                for (i = 0; i < BITS; i = i + 1) begin
                    brought    = {remainder, number[NUM_W-1]};
                    difference = brought - {1'b0, divisor};
                    remainder  = difference[B_W] ? brought[B_W-1:0] : difference[B_W-1:0];
                    number     = {number[NUM_W-2:0], !difference[B_W]};
                end
            end

            always @(posedge clk) state_reg <= {number, remainder & DIGITS, divisor, flags};
        end
    endgenerate

    // Last stage: signs, and zeros for null
    wire [NUM_W-1:0] quotient;
    wire [B_W-1:0]   remainder, divisor;
    wire             y_negative, r_negative, by_zero;
    wire             unused = &{quotient, divisor};     // quotient: zeros above A_W bits

    assign {quotient, remainder, divisor, y_negative, r_negative, by_zero} = stage[STAGES-1].state_reg;

    wire [A_W+SIGNED-1:0] magnitude = {{SIGNED{1'b0}}, quotient[A_W-1:0]};

    always @(posedge clk) begin
        y_null <= by_zero;
        y      <= by_zero ? {A_W+SIGNED{1'b0}} : SIGNED != 0 && y_negative ? -magnitude : magnitude;
        r      <= by_zero ? {B_W{1'b0}} : SIGNED != 0 && r_negative ? -remainder : remainder;
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
    wire signed [LONG-1:0] y_long = {{(LONG-A_W-SIGNED){SIGNED != 0 && y[A_W+SIGNED-1]}}, y};
    wire signed [LONG-1:0] r_long = {{(LONG-B_W){SIGNED != 0 && r[B_W-1]}}, r};
    wire signed [LONG-1:0] r_size = r_long < 0 ? -r_long : r_long;
    wire signed [LONG-1:0] b_size = b_long < 0 ? -b_long : b_long;

    always @(posedge clk) begin
        cycles_ref <= cycles_ref + (cycles_ref < LATENCY);
        if (cycles_ref == 0) assume (rst);
        assert (cycles_ref <= LATENCY);
        if (cycles_ref == LATENCY) begin
            assert (y_null == (b_ref == 0));
            if (y_null) assert (y == 0 && r == 0);
            else begin
                assert (a_long == y_long * b_long + r_long);
                assert (r_size < b_size);
                assert (r_long == 0 || (r_long < 0) == (a_long < 0));
            end
        end
        cover (cycles_ref == LATENCY && m_valid && !y_null && y_long > 1 && r_long != 0);
        cover (cycles_ref == LATENCY && m_valid && y_null && a_ref != 0);
    end
`endif

endmodule

`default_nettype wire
