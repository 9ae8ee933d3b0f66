// SPDX-License-Identifier: Apache-2.0
//
// ws_wsum: weighted sum of the last N values of a sub-stream, constant weights, the first for the newest value.
//
// A value that is not there (null, or the sub-stream has fewer) counts as nothing. The row leaves with eos, in the
// manner of ws_aggregate: m_data is s_data of that cycle; a sub-stream without tuples gives no row, one with nulls only
// a null row; a punctuation that comes with eos follows the row by one cycle, with the same m_data.
//
// The filter is in its transposed form: instead of N values in a shift register and a tree of adders behind them,
// place k of the chain holds what the values so far will have added to the sum when k more have come, so a value
// passes one multiplier and one adder, whatever N is.
//
// Parameters   DATA_W      width of the tuple in bits
//              N           number of weights, at least 1
//              WEIGHT_W    width of a weight in bits, at least 1
//              WEIGHTS     the weights, two's complement, the newest tuple's in the most significant bits; decimal
//                          fractions are scaled by a power of two, and so is the result
//              VALUE_W     width of a value in bits
//              SIGNED      1: values are two's complement
//              PRODUCT_REG 1: a register behind each product; wanted where weights have more than one bit set
//              EMIT_EMPTY  1: a sub-stream without tuples gives a null row
// Result       RESULT_W = VALUE_W + WEIGHT_W + $clog2(N) + 1 bits, two's complement; 0 in a null row
// Latency      1 + PRODUCT_REG cycles from eos to the row
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

    output reg                m_valid,
    output reg                m_punct,
    output reg                m_eos,
    output reg  [DATA_W-1:0]  m_data,
    output wire [VALUE_W+WEIGHT_W+$clog2(N):0] result,
    output wire               result_null
);

    localparam RESULT_W = VALUE_W + WEIGHT_W + $clog2(N) + 1;

    initial if (N < 1 || WEIGHT_W < 1 || VALUE_W < 1 || (PRODUCT_REG != 0 && PRODUCT_REG != 1)) begin
        $display("ERROR: %m: N = %0d, WEIGHT_W = %0d, VALUE_W = %0d (at least 1), PRODUCT_REG = %0d (0 or 1)",
                 N, WEIGHT_W, VALUE_W, PRODUCT_REG);
        $finish;
    end

    reg  seen_reg, some_reg;   // the sub-stream has a value, a tuple
    reg  fresh_reg;            // it has just ended: the next begins
    reg  behind_reg;           // a punctuation waits behind the row that leaves

    // The wire, in step with the products.
    wire              valid, punct, eos, no_value;
    wire [DATA_W-1:0] data;

    ws_delay #(.DATA_W(DATA_W + 1), .N(PRODUCT_REG)) step (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data({null, s_data}),
        .m_valid(valid), .m_punct(punct), .m_eos(eos), .m_data({no_value, data})
    );

    wire take = valid && !no_value;
    wire seen = seen_reg && !fresh_reg;
    wire some = valid || (some_reg && !fresh_reg);

    always @(posedge clk) begin
        seen_reg   <= take || seen;
        some_reg   <= some;
        fresh_reg  <= eos || rst;
        behind_reg <= punct && eos && !rst;

        m_valid    <= eos && (some || EMIT_EMPTY != 0) && !rst;
        m_punct    <= ((punct && !eos) || behind_reg) && !rst;
        m_eos      <= eos && !rst;
        if (!behind_reg) m_data <= data;
    end

    wire [RESULT_W-1:0]       wide = {{(RESULT_W-VALUE_W){SIGNED != 0 && value[VALUE_W-1]}}, value};
    wire [(N+1)*RESULT_W-1:0] chain;   // place 0 is the sum

    assign chain[N*RESULT_W +: RESULT_W] = {RESULT_W{1'b0}};

    genvar k;
    generate
        for (k = 0; k < N; k = k + 1) begin : gen_place
            localparam [WEIGHT_W-1:0] WEIGHT = WEIGHTS[(N-1-k)*WEIGHT_W +: WEIGHT_W];
            reg  [RESULT_W-1:0] sum_reg, bits;
            wire [RESULT_W-1:0] product;
            wire [RESULT_W-1:0] older = chain[(k+1)*RESULT_W +: RESULT_W];
            integer             b;

            // In logic, not in multipliers, which take longer: a sum over the bits of the weight, the sign's taken off.
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

            assign chain[k*RESULT_W +: RESULT_W] = sum_reg;

            always @(posedge clk)
                if (take || !seen) sum_reg <= !take ? {RESULT_W{1'b0}} : seen ? product + older : product;
        end
    endgenerate

    assign result      = chain[RESULT_W-1:0];
    assign result_null = !seen_reg;

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

            assert (m_valid == row_ref && m_eos == $past(eos && !rst));
            assert (m_punct == $past((punct && !eos && !rst) || (due_ref && !rst)));
            assert (!(m_valid && m_punct));
            if (m_valid || m_eos || (m_punct && !$past(due_ref))) assert (m_data == data_ref);
            if (m_punct && $past(due_ref)) assert ($stable(m_data));
            if (m_valid) assert (result_null == (held_ref == 0));
            if (m_valid && result_null) assert (result == 0);

            // place j of the chain: what the values held add when j more have come; place 0 is the row
            assert (behind_reg == due_ref && fresh_reg == fresh_ref);
            for (j = 0; j < N; j = j + 1) begin
                partial = 0;
                for (i = 0; i + j < N; i = i + 1) begin
                    weight = WEIGHTS[(N-1-i-j)*WEIGHT_W +: WEIGHT_W];
                    if (weight >= 1 << (WEIGHT_W - 1)) weight = weight - (1 << WEIGHT_W);
                    if (i < held_ref) partial = partial + weight * last_ref[i];
                end
                if (!fresh_ref || m_valid) assert (chain[j*RESULT_W +: RESULT_W] == (partial & ((1 << RESULT_W) - 1)));
                assert (partial >= -(1 << (RESULT_W-1)) && partial < 1 << (RESULT_W-1));
            end
            if (!fresh_ref) assert (some_reg == tuples_ref && seen_reg == (held_ref != 0));
            if (!fresh_ref || m_valid) assert (held_ref <= N);
        end
        cover (past_valid && m_valid && held_ref == N && result != 0 && $past(due_ref, 3));
        cover (past_valid && m_valid && result_null && $past(m_valid));
        cover (past_valid && m_punct && $past(m_valid) && s_valid);
    end
`endif

endmodule

`default_nettype wire
