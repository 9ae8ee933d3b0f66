// SPDX-License-Identifier: Apache-2.0
//
// ws_wsum: weighted sum of the last N values of a sub-stream, with constant weights, the first for the newest value.
//
// A missing value (null, or fewer than N in the sub-stream) counts as 0. The row leaves with eos, as in ws_aggregate:
// m_data is s_data of that cycle; a sub-stream without tuples gives no row, one with only nulls gives a null row; a
// punctuation that comes with eos follows the row by one cycle, with the same m_data.
//
// The filter has the transposed form: instead of N values in a shift register and a tree of adders after them, place k
// of the chain holds the contribution of the values so far to the sum that will be complete after k more. So a value
// passes one multiplier and one adder, whatever N is. With PARTS the sums are added in that many parts of their bits,
// each a cycle after the part below it, for wide values and a fast clock.
//
// Parameters   DATA_W       width of the tuple in bits, at least 1
//              N            number of weights, at least 1
//              WEIGHT_W     width of a weight in bits, at least 1
//              WEIGHTS      the weights, two's complement, the newest tuple's in the most significant bits; decimal
//                           fractions are scaled by a power of two, and so is the result
//              VALUE_W      width of a value in bits, at least 1
//              SIGNED       1: values are two's complement
//              PRODUCT_REG  1: a register follows each product, for weights with more than one bit set; 0: none
//              PARTS        parts of an addition, at least 1; above 1, each weight is 0, a power of two or its
//                           negative, and PRODUCT_REG is 0. Parts of 32 bits are for 200 MHz on an ECP5
//              EMIT_EMPTY   1: a sub-stream without tuples gives a null row; 0: no row
// Result       RESULT_W = VALUE_W + WEIGHT_W + $clog2(N) + 1 bits, two's complement; 0 in a null row
// Latency      PARTS + PRODUCT_REG cycles from eos to the row
// Issue rate   1 tuple a cycle; eos in successive cycles is possible
// CLOSE_CYCLES 2    CLOSE_ROWS 1: in the cycle after a punctuation with eos there must be neither
// Overflow     cannot happen
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6 and query Q4; the transposed form is ours

`default_nettype none

module ws_wsum #(
    parameter                   DATA_W      = 32,
    parameter                   N           = 4,
    parameter                   WEIGHT_W    = 4,
    parameter [N*WEIGHT_W-1:0]  WEIGHTS     = 16'h4211,
    parameter                   VALUE_W     = 32,
    parameter                   SIGNED      = 1,
    parameter                   PRODUCT_REG = 0,
    parameter                   PARTS       = 1,
    parameter                   EMIT_EMPTY  = 0
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [VALUE_W-1:0] value,
    input  wire               null,

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [DATA_W-1:0]  m_data,
    output wire [VALUE_W+WEIGHT_W+$clog2(N):0] result,
    output wire               result_null
);

    initial if (DATA_W < 1 || (SIGNED != 0 && SIGNED != 1) || (EMIT_EMPTY != 0 && EMIT_EMPTY != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), SIGNED = %0d, EMIT_EMPTY = %0d (0 or 1)",
                 DATA_W, SIGNED, EMIT_EMPTY);
        $finish;
    end

    localparam RESULT_W = VALUE_W + WEIGHT_W + $clog2(N) + 1;

    initial if (N < 1 || WEIGHT_W < 1 || VALUE_W < 1 || (PRODUCT_REG != 0 && PRODUCT_REG != 1)) begin
        $display("ERROR: %m: N = %0d, WEIGHT_W = %0d, VALUE_W = %0d (at least 1), PRODUCT_REG = %0d (0 or 1)",
                 N, WEIGHT_W, VALUE_W, PRODUCT_REG);
        $finish;
    end
    initial if (PARTS < 1 || PARTS > RESULT_W || (PARTS > 1 && PRODUCT_REG != 0)) begin
        $display("ERROR: %m: PARTS = %0d (1 to %0d), PRODUCT_REG = %0d (0 if PARTS is above 1)",
                 PARTS, RESULT_W, PRODUCT_REG);
        $finish;
    end

    reg  seen_reg, tuples_reg; // the sub-stream has a value, a tuple
    reg  valued_reg;           // the one that ended with the last cycle had a value
    reg  behind_reg;           // a punctuation follows the row that leaves
    reg  valid_reg, punct_reg, eos_reg;
    reg  [DATA_W-1:0] data_reg;

    // The tuple bus, in step with the products.
    wire              valid, punct, eos, no_value;
    wire [DATA_W-1:0] data;

    ws_delay #(.DATA_W(DATA_W + 1), .N(PRODUCT_REG)) step (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data({null, s_data}),
        .m_valid(valid), .m_punct(punct), .m_eos(eos), .m_data({no_value, data})
    );

    wire take = valid && !no_value;
    wire some = valid || tuples_reg;

    always @(posedge clk) begin
        seen_reg   <= (take || seen_reg) && !eos && !rst;
        tuples_reg <= some && !eos && !rst;
        valued_reg <= take || seen_reg;
        behind_reg <= punct && eos && !rst;

        valid_reg  <= eos && (some || EMIT_EMPTY != 0) && !rst;
        punct_reg  <= ((punct && !eos) || behind_reg) && !rst;
        eos_reg    <= eos && !rst;
        if (!behind_reg) data_reg <= data;
    end

    // The row, which waits for the uppermost part of its sum
    ws_delay #(.DATA_W(DATA_W + 1), .N(PARTS - 1)) row (
        .clk(clk), .rst(rst),
        .s_valid(valid_reg), .s_punct(punct_reg), .s_eos(eos_reg), .s_data({!valued_reg, data_reg}),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data({result_null, m_data})
    );

    wire [RESULT_W-1:0]       wide = {{(RESULT_W-VALUE_W){SIGNED != 0 && value[VALUE_W-1]}}, value};
    wire [(N+1)*RESULT_W-1:0] chain;   // place 0 is the sum

    assign chain[N*RESULT_W +: RESULT_W] = {RESULT_W{1'b0}};

    // For the parts: the value and its flags, p cycles ago
    localparam STEP_W = RESULT_W + 2;
    wire [(PARTS+1)*STEP_W-1:0] steps;
    reg  [PARTS*STEP_W-1:0]     steps_reg;
    wire                        unused_steps = &{1'b0, steps};

    assign steps = {steps_reg, take, seen_reg, wide};
    always @(posedge clk) steps_reg <= steps[PARTS*STEP_W-1:0];

    genvar k, p;
    generate
        for (k = 0; k < N; k = k + 1) begin : gen_place
            localparam [WEIGHT_W-1:0] WEIGHT = WEIGHTS[(N-1-k)*WEIGHT_W +: WEIGHT_W];
            reg  [RESULT_W-1:0] sum_reg;
            wire [RESULT_W-1:0] older = chain[(k+1)*RESULT_W +: RESULT_W];

            assign chain[k*RESULT_W +: RESULT_W] = sum_reg;

            if (PARTS == 1) begin : gen_whole
                reg  [RESULT_W-1:0] bits;
                wire [RESULT_W-1:0] product;
                integer             b;

                // In logic, since multipliers are slower: a sum over the bits of the weight, that of the sign
                // subtracted.
                always @* begin
                    bits = {RESULT_W{1'b0}};
                    for (b = 0; b < WEIGHT_W; b = b + 1)
                        if (WEIGHT[b]) bits = b == WEIGHT_W - 1 ? bits - (wide << b) : bits + (wide << b);
                end

                if (PRODUCT_REG != 0) begin : gen_product_reg
                    reg [RESULT_W-1:0] product_reg;
                    always @(posedge clk) product_reg <= bits;
                    assign product = product_reg;
                end else begin : gen_no_product_reg
                    assign product = bits;
                end

                always @(posedge clk)
                    if (take || !seen_reg) sum_reg <= !take ? {RESULT_W{1'b0}} : seen_reg ? product + older : product;
            end else begin : gen_parts
                // The lowest set bit of a weight is its only one, except for copies of the sign. A negative product is
                // its bits inverted, and a carry into the lowest part.
                localparam [WEIGHT_W-1:0] UNIT = WEIGHT & (~WEIGHT + 1'b1);
                localparam [0:0] NEGATIVE = WEIGHT[WEIGHT_W-1];
                reg  [PARTS-1:0] carry_reg;
                wire [PARTS:0]   carry = {carry_reg, NEGATIVE};    // bit p: into part p
                wire             unused_carry = carry[PARTS];

                initial if ((NEGATIVE ? ~WEIGHT + 1'b1 : WEIGHT) != UNIT) begin
                    $display("ERROR: %m: PARTS = %0d, and a weight of more bits than one: %b", PARTS, WEIGHT);
                    $finish;
                end

                for (p = 0; p < PARTS; p = p + 1) begin : part
                    localparam FROM = p*RESULT_W/PARTS, W = (p+1)*RESULT_W/PARTS - FROM;
                    wire                take_then, seen_then;
                    wire [RESULT_W-1:0] wide_then;
                    wire [RESULT_W-1:0] shifted = UNIT != 0 ? wide_then << $clog2(UNIT) : {RESULT_W{1'b0}};
                    wire [RESULT_W-1:0] product = shifted ^ {RESULT_W{NEGATIVE}};
                    wire [W-1:0]        before  = seen_then ? older[FROM +: W] : {W{1'b0}};
                    wire [W+1:0]        total   = {1'b0, before, 1'b1} + {1'b0, product[FROM +: W], carry[p]};
                    wire                unused  = &{1'b0, product, total[0]};

                    assign {take_then, seen_then, wide_then} = steps[p*STEP_W +: STEP_W];

                    always @(posedge clk) begin
                        carry_reg[p] <= total[W+1];
                        if (take_then || !seen_then) sum_reg[FROM +: W] <= take_then ? total[W:1] : {W{1'b0}};
                    end
                end
            end
        end

        // The parts of the result, of which a lower one waits for those above
        for (p = 0; p < PARTS; p = p + 1) begin : gen_result
            localparam FROM = p*RESULT_W/PARTS, W = (p+1)*RESULT_W/PARTS - FROM;
            ws_shift #(.DATA_W(W), .N(PARTS - 1 - p)) wait_for (
                .clk(clk), .s_data(chain[FROM +: W]), .m_data(result[FROM +: W])
            );
        end
    endgenerate

`ifdef FORMAL
    // The last N values in a shift register, and the sum over them, in step with the products.
    reg                        past_valid = 1'b0;
    reg signed [VALUE_W:0]     last_ref [0:N-1];
    reg                        fresh_ref, tuples_ref, row_ref, due_ref;
    reg [$clog2(N+1)-1:0]      held_ref;
    reg [DATA_W-1:0]           data_ref;
    wire                       counts = valid && !no_value;
    wire                       tuples = valid || (tuples_ref && !fresh_ref);
    reg  [VALUE_W-1:0]         value_ref;
    wire [VALUE_W-1:0]         number = PRODUCT_REG != 0 ? value_ref : value;
    wire signed [VALUE_W:0]    now = {SIGNED != 0 && number[VALUE_W-1], number};
    integer i, j, weight, partial;
    reg [N*RESULT_W-1:0]       wholes_ref;  // what each place holds of the values held

    always @* begin
        wholes_ref = 0;
        for (j = 0; j < N; j = j + 1) begin
            partial = 0;
            for (i = 0; i + j < N; i = i + 1) begin
                weight = WEIGHTS[(N-1-i-j)*WEIGHT_W +: WEIGHT_W];
                if (weight >= 1 << (WEIGHT_W - 1)) weight = weight - (1 << WEIGHT_W);
                if (i < held_ref) partial = partial + weight * last_ref[i];
            end
            wholes_ref[j*RESULT_W +: RESULT_W] = partial;
            if (past_valid) assert (partial >= -(1 << (RESULT_W-1)) && partial < 1 << (RESULT_W-1));
        end
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        value_ref  <= value;
        fresh_ref  <= rst || eos;
        tuples_ref <= tuples;
        row_ref    <= !rst && eos && (tuples || EMIT_EMPTY != 0);
        due_ref    <= !rst && eos && punct;
        data_ref   <= data;
        held_ref   <= (fresh_ref ? 0 : held_ref) + (counts && (fresh_ref || held_ref != N));
        if (counts) begin
            last_ref[0] <= now;
            for (i = 1; i < N; i = i + 1) last_ref[i] <= last_ref[i-1];
        end

        if (!past_valid) assume (rst);
        else begin
            assume (!(s_valid && s_punct));
            if (due_ref) assume (!eos && !punct);

            assert (valid_reg == row_ref && eos_reg == $past(eos && !rst));
            assert (punct_reg == $past((punct && !eos && !rst) || (due_ref && !rst)));
            assert (!(valid_reg && punct_reg));
            if (valid_reg || eos_reg || (punct_reg && !$past(due_ref))) assert (data_reg == data_ref);
            if (punct_reg && $past(due_ref)) assert ($stable(data_reg));
            if (valid_reg) assert (valued_reg == (held_ref != 0));
            if (m_valid && result_null) assert (result == 0);

            // place j of the chain: the contribution of the values held after j more; place 0 is the row
            assert (behind_reg == due_ref);
            if (PARTS == 1 && (!fresh_ref || valid_reg)) assert (chain[N*RESULT_W-1:0] == wholes_ref);
            assert (tuples_reg == (tuples_ref && !fresh_ref) && seen_reg == (held_ref != 0 && !fresh_ref));
            if (!fresh_ref || valid_reg) assert (held_ref <= N);
        end
        cover (past_valid && m_valid && $past(held_ref == N, PARTS - 1) && result != 0 && $past(due_ref, PARTS + 2));
        cover (past_valid && m_valid && result_null && $past(m_valid));
        cover (past_valid && m_punct && $past(m_valid) && s_valid);
    end

    // With parts: part p has its value a cycle after the part below it, and receives the carry of those below.
    generate
        if (PARTS > 1) begin : gen_skewed
            localparam HELD_W = N*RESULT_W + 1;
            reg  [PARTS*HELD_W-1:0]     helds_reg = 0;
            wire [(PARTS+1)*HELD_W-1:0] helds = {helds_reg, past_valid && (!fresh_ref || valid_reg), wholes_ref};
            always @(posedge clk) helds_reg <= helds[PARTS*HELD_W-1:0];

            for (k = 0; k < N; k = k + 1) begin : place
                wire [RESULT_W-1:0] older = k < N - 1 && seen_reg ? wholes_ref >> ((k+1)*RESULT_W) : 0;
                localparam [WEIGHT_W-1:0] WEIGHT = WEIGHTS[(N-1-k)*WEIGHT_W +: WEIGHT_W];
                localparam [WEIGHT_W-1:0] UNIT = WEIGHT[WEIGHT_W-1] ? ~WEIGHT + 1'b1 : WEIGHT;
                localparam [0:0] NEGATIVE = WEIGHT[WEIGHT_W-1];
                wire [RESULT_W-1:0] product = NEGATIVE ? {RESULT_W{1'b1}} - wide * UNIT : wide * UNIT;
                for (p = 0; p < PARTS; p = p + 1) begin : part
                    localparam FROM = p*RESULT_W/PARTS, TO = (p+1)*RESULT_W/PARTS;
                    wire         known;
                    wire [N*RESULT_W-1:0] held;
                    wire [TO:0]  low   = older[TO-1:0] + product[TO-1:0] + NEGATIVE;
                    reg  [2*PARTS+1:0] carries_reg = 0;     // of each cycle before: whether there is a carry, and which
                    wire [2*PARTS+3:0] carries = {carries_reg, past_valid && take, low[TO]};
                    assign {known, held} = helds[p*HELD_W +: HELD_W];
                    always @(posedge clk) begin
                        carries_reg <= carries[2*PARTS+1:0];
                        if (known) assert (chain[k*RESULT_W + FROM +: TO-FROM] == held[k*RESULT_W + FROM +: TO-FROM]);
                        if (carries[2*p+3]) assert (gen_place[k].gen_parts.carry_reg[p] == carries[2*p+2]);
                    end
                end
            end
        end
    endgenerate
`endif

endmodule

`default_nettype wire
