// SPDX-License-Identifier: Apache-2.0
//
// ws_divide: the operator that computes a quotient and a remainder, y = a div b and r = a % b, pipelined.
//
// Long division, BITS bits of the quotient a step. It truncates toward zero, so that the remainder has the sign of the
// dividend; a = y * b + r always. Division by zero is null. A chain of units performs the steps; each unit takes as
// many of them for one tuple as fit before the next: the area is about 1/INTERVAL, and the latency is the same.
//
// Parameters   A_W         width of the dividend in bits, at least 2
//              B_W         width of the divisor in bits, at least 1
//              QUOTIENT_W  bits of the magnitude of a quotient, 1 to A_W; for an average, those of its values
//              SIGNED      1: both operands are two's complement; 0: neither
//              DATA_W      width of the tuple in bits, at least 1
//              BITS        bits of the quotient that one step determines, at least 1
//              FAST        1: a step subtracts in one cycle and selects in the next, and a sign takes three cycles, for
//                          wide operands; BITS is then 1, QUOTIENT_W and B_W at least 2; 0: few cycles
//              INTERVAL    least distance of two tuples in cycles, at least 1
// Latency      ceil(QUOTIENT_W/BITS) * (1 + FAST) + (1 + SIGNED) * (1 + 2*FAST) + FAST cycles
// Issue rate   1 tuple in INTERVAL cycles; other items at any time
// Overflow     a quotient of more than QUOTIENT_W bits is null; with QUOTIENT_W = A_W that cannot happen, since a
//              signed quotient has one bit more, for the most negative dividend divided by -1
// Bad input    b = 0 gives null: y_null is 1, y and r are 0. If two tuples are less than INTERVAL apart, the quotient
//              of the first is lost, and its y, r and y_null are undefined
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.3; the circuit is restoring division

`default_nettype none

module ws_divide #(
    parameter A_W        = 64,
    parameter B_W        = 32,
    parameter QUOTIENT_W = A_W,
    parameter SIGNED     = 1,
    parameter DATA_W     = 128,
    parameter BITS       = 1,
    parameter FAST       = 0,
    parameter INTERVAL   = 1
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
    output wire [QUOTIENT_W+SIGNED-1:0] y,          // of the tuple on m_*
    output wire [B_W-1:0]               r,
    output wire                         y_null      // and r
);

    localparam CYCLES  = 1 + FAST;                                  // of a step
    localparam SIGN    = 1 + 2*FAST;                                // of a sign
    localparam STEPS   = (QUOTIENT_W + BITS - 1) / BITS;
    localparam RUN     = INTERVAL < CYCLES ? 1 : INTERVAL / CYCLES; // steps that a unit makes for one tuple
    localparam UNITS   = (STEPS + RUN - 1) / RUN;
    localparam LATENCY = STEPS*CYCLES + (1 + SIGNED)*SIGN + FAST;
    localparam NUM_W   = STEPS * BITS;
    localparam TOP_W   = A_W > NUM_W ? A_W - NUM_W : 0;             // digits of the dividend that need no step

    initial if (A_W < 2 || B_W < 1 || QUOTIENT_W < 1 || QUOTIENT_W > A_W || BITS < 1 || (SIGNED != 0 && SIGNED != 1)
            || (FAST != 0 && (FAST != 1 || BITS != 1 || B_W < 2 || QUOTIENT_W < 2)) || INTERVAL < 1) begin
        $display("ERROR: %m: A_W = %0d (at least 2), B_W = %0d, QUOTIENT_W = %0d (1 to A_W), ", A_W, B_W, QUOTIENT_W,
                 "BITS = %0d (at least 1), SIGNED = %0d (0 or 1), FAST = %0d (0, or 1 if BITS is 1 and ",
                 BITS, SIGNED, FAST, "QUOTIENT_W and B_W at least 2), INTERVAL = %0d (at least 1)", INTERVAL);
        $finish;
    end

    // The state passed from step to step: the remaining digits of the dividend, at the left, and those of the quotient;
    // the remainder so far; the divisor; whether quotient and remainder are negative; whether there is no quotient.
    localparam STATE_W = NUM_W + 2*B_W + 3;
    wire [A_W-1:0] a_size;
    wire [B_W-1:0] b_size;
    wire [1:0]     signs_first;

    // Magnitudes, if signed
    generate
        if (SIGNED != 0) begin : gen_magnitudes
            reg  [2*SIGN-1:0] signs_reg;
            wire [2*SIGN+1:0] signs = {signs_reg, a[A_W-1] != b[B_W-1], a[A_W-1]};

            ws_negate #(.W(A_W), .FAST(FAST)) a_magnitude (.clk(clk), .negative(a[A_W-1]), .a(a), .y(a_size));
            ws_negate #(.W(B_W), .FAST(FAST)) b_magnitude (.clk(clk), .negative(b[B_W-1]), .a(b), .y(b_size));

            always @(posedge clk) signs_reg <= signs[2*SIGN-1:0];

            assign signs_first = signs[2*SIGN +: 2];
        end else begin : gen_operands
            assign {a_size, b_size} = {a, b};
            assign signs_first      = 2'b00;
        end
    endgenerate

    // The digits of the dividend that need no step are the first remainder, and less than the divisor if there is a
    // quotient. A divisor of 0 is never greater than they are.
    wire [A_W+NUM_W+B_W-1:0] digits = {{(NUM_W+B_W){1'b0}}, a_size};
    wire                     none   = digits[QUOTIENT_W +: A_W+B_W] >= {{A_W{1'b0}}, b_size};
    wire [STATE_W-1:0]       first  = {digits[NUM_W-1:0], digits[NUM_W +: B_W], b_size, signs_first, none};

    // When a unit begins a tuple: RUN steps after the previous unit. No reset: a tuple from before the reset stays
    // ahead of the tuples after it, in each unit.
    wire [UNITS-1:0] begins;
    genvar k;
    generate
        if (INTERVAL > 1) begin : gen_begins
            localparam LAST = SIGNED*SIGN + (UNITS-1)*RUN*CYCLES;
            reg  [LAST:0]   begins_reg;
            wire [LAST+1:0] since = {begins_reg, s_valid};      // bit n: a tuple entered n cycles ago
            wire            unused = since[LAST+1];

            always @(posedge clk) begins_reg <= since[LAST:0];
            for (k = 0; k < UNITS; k = k + 1) begin : gen_begin
                assign begins[k] = since[SIGNED*SIGN + k*RUN*CYCLES];
            end
        end else begin : gen_always
            assign begins = {UNITS{1'b1}};
        end
    endgenerate

    // Units of the division: a step from `before` to `state` takes CYCLES
    generate
        for (k = 0; k < UNITS; k = k + 1) begin : unit
            // A remainder has no more digits than have been brought down.
            localparam COUNT = TOP_W + (k + 1)*RUN*BITS;
            localparam [B_W-1:0] DIGITS = COUNT < B_W ? ~({B_W{1'b1}} << COUNT) : {B_W{1'b1}};
            wire [STATE_W-1:0] taken, state;
            wire [STATE_W-1:0] before = begins[k] ? taken : state;

            if (k == 0) begin : gen_first
                assign taken = first;
            end else begin : gen_next
                assign taken = unit[k-1].state;
            end

            if (FAST != 0 && INTERVAL > 1) begin : gen_held
                // Subtract in one cycle and select in the next: all but the difference stays in place until then.
                reg  [NUM_W-1:0] number_reg;
                reg  [B_W-1:0]   remainder_reg, divisor_reg;
                reg  [2:0]       flags_reg;
                reg  [B_W:0]     difference_reg;
                reg              choose_reg;
                wire [B_W:0]     brought   = {remainder_reg, number_reg[NUM_W-1]};
                wire [B_W-1:0]   remainder = difference_reg[B_W] ? brought[B_W-1:0] : difference_reg[B_W-1:0];

                always @(posedge clk) begin
                    choose_reg     <= !begins[k] && !choose_reg;
                    difference_reg <= brought - {1'b0, divisor_reg};
                    if (begins[k] || choose_reg) {number_reg, remainder_reg, divisor_reg, flags_reg} <= before;
                end

                assign state = {number_reg << 1 | {{(NUM_W-1){1'b0}}, !difference_reg[B_W]}, remainder & DIGITS,
                                divisor_reg, flags_reg};
            end else if (FAST != 0) begin : gen_fast
                reg  [NUM_W-1:0] number_before_reg, number_reg;
                reg  [B_W-1:0]   remainder_before_reg, divisor_before_reg, divisor_reg;
                reg  [2:0]       flags_before_reg, flags_reg;
                reg  [B_W:0]     brought_reg, difference_reg;
                wire [B_W:0]     brought   = {remainder_before_reg, number_before_reg[NUM_W-1]};
                wire [B_W-1:0]   remainder = difference_reg[B_W] ? brought_reg[B_W-1:0] : difference_reg[B_W-1:0];
                wire             unused    = brought_reg[B_W];      // then the divisor fits

                always @(posedge clk) begin
                    {number_before_reg, remainder_before_reg, divisor_before_reg, flags_before_reg} <= before;
                    brought_reg    <= brought;
                    difference_reg <= brought - {1'b0, divisor_before_reg};
                    number_reg     <= number_before_reg << 1;
                    divisor_reg    <= divisor_before_reg;
                    flags_reg      <= flags_before_reg;
                end

                assign state = {number_reg | {{(NUM_W-1){1'b0}}, !difference_reg[B_W]}, remainder & DIGITS,
                                divisor_reg, flags_reg};
            end else begin : gen_step
                reg  [STATE_W-1:0] state_reg;
                reg  [NUM_W-1:0]   number;
                reg  [B_W-1:0]     remainder, divisor;
                reg  [2:0]         flags;
                reg  [B_W:0]       brought;         // the remainder with one digit brought down
                reg  [B_W:0]       difference;      // its sign says whether the divisor fits
                integer            i;

                always @* begin
                    {number, remainder, divisor, flags} = before;
                    for (i = 0; i < BITS; i = i + 1) begin
                        brought    = {remainder, number[NUM_W-1]};
                        difference = brought - {1'b0, divisor};
                        remainder  = difference[B_W] ? brought[B_W-1:0] : difference[B_W-1:0];
                        number     = (number << 1) | {{(NUM_W-1){1'b0}}, !difference[B_W]};
                    end
                end

                always @(posedge clk) state_reg <= {number, remainder & DIGITS, divisor, flags};

                assign state = state_reg;
            end
        end
    endgenerate

    // Zeros for null, with FAST in a cycle of their own after the selection of the last step
    localparam Y_W    = QUOTIENT_W + SIGNED;
    localparam SIZE_W = Y_W + B_W + 3;
    wire [NUM_W-1:0]  quotient;
    wire [B_W-1:0]    remainder, divisor;
    wire [1:0]        signs_last;
    wire              null_last;
    wire              unused = &{quotient, divisor};        // quotient: zeros above QUOTIENT_W bits

    assign {quotient, remainder, divisor, signs_last, null_last} = unit[UNITS-1].state;

    wire [Y_W-1:0]    y_last = null_last ? {Y_W{1'b0}} : {{SIGNED{1'b0}}, quotient[QUOTIENT_W-1:0]};
    wire [B_W-1:0]    r_last = null_last ? {B_W{1'b0}} : remainder;
    wire [SIZE_W-1:0] sizes;

    generate
        if (FAST != 0) begin : gen_sizes_reg
            reg [SIZE_W-1:0] sizes_reg;
            always @(posedge clk) sizes_reg <= {y_last, r_last, signs_last, null_last};
            assign sizes = sizes_reg;
        end else begin : gen_sizes
            assign sizes = {y_last, r_last, signs_last, null_last};
        end
    endgenerate

    // Signs
    wire [Y_W-1:0]    y_size;
    wire [B_W-1:0]    r_size;
    wire              y_negative, r_negative, null;
    reg  [SIGN-1:0]   null_reg;
    wire [SIGN:0]     nulls = {null_reg, null};

    assign {y_size, r_size, y_negative, r_negative, null} = sizes;

    ws_negate #(.W(Y_W), .FAST(FAST)) y_sign (.clk(clk), .negative(y_negative), .a(y_size), .y(y));
    ws_negate #(.W(B_W), .FAST(FAST)) r_sign (.clk(clk), .negative(r_negative), .a(r_size), .y(r));

    always @(posedge clk) null_reg <= nulls[SIGN-1:0];

    assign y_null = nulls[SIGN];

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
    // The operands are delayed with the tuple; quotient and remainder are those that the definition allows.
    localparam LONG = A_W + B_W + 2;
    wire [A_W-1:0]         a_ref;
    wire [B_W-1:0]         b_ref;
    reg  [4:0]             cycles_ref = 5'd0, apart_ref = INTERVAL;

    ws_shift #(.DATA_W(A_W + B_W), .N(LATENCY)) reference (.clk(clk), .s_data({a, b}), .m_data({a_ref, b_ref}));

    wire signed [LONG-1:0] a_long = {{(LONG-A_W){SIGNED != 0 && a_ref[A_W-1]}}, a_ref};
    wire signed [LONG-1:0] b_long = {{(LONG-B_W){SIGNED != 0 && b_ref[B_W-1]}}, b_ref};
    wire signed [LONG-1:0] y_long = {{(LONG-QUOTIENT_W-SIGNED){SIGNED != 0 && y[QUOTIENT_W+SIGNED-1]}}, y};
    wire signed [LONG-1:0] r_long = {{(LONG-B_W){SIGNED != 0 && r[B_W-1]}}, r};
    wire signed [LONG-1:0] r_abs = r_long < 0 ? -r_long : r_long;
    wire signed [LONG-1:0] b_abs  = b_long < 0 ? -b_long : b_long;
    wire signed [LONG-1:0] a_abs  = a_long < 0 ? -a_long : a_long;

    always @(posedge clk) begin
        cycles_ref <= cycles_ref + (cycles_ref < LATENCY);
        apart_ref  <= rst ? INTERVAL : s_valid ? 1 : apart_ref + (apart_ref < INTERVAL);
        if (cycles_ref == 0) assume (rst);
        assume (rst || !s_valid || apart_ref >= INTERVAL);
        assert (cycles_ref <= LATENCY);
        if (cycles_ref == LATENCY && (INTERVAL == 1 || m_valid)) begin
            assert (y_null == (b_ref == 0 || (a_abs >> QUOTIENT_W) >= b_abs));
            if (y_null) assert (y == 0 && r == 0);
            else begin
                assert (a_long == y_long * b_long + r_long);
                assert (r_abs < b_abs);
                assert (r_long == 0 || (r_long < 0) == (a_long < 0));
            end
        end
        cover (cycles_ref == LATENCY && m_valid && !y_null && y_long > 1 && r_long != 0);
        cover (cycles_ref == LATENCY && m_valid && y_null && a_ref != 0);
        cover (cycles_ref == LATENCY && m_valid && (INTERVAL == 1 || apart_ref < INTERVAL));
    end
`endif

endmodule

`default_nettype wire
