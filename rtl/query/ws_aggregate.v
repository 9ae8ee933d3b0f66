// SPDX-License-Identifier: Apache-2.0
//
// ws_aggregate: count, sum, min, max, first or last of a column over the sub-stream that eos ends.
//
// The row leaves with eos: m_data is s_data of that cycle (so the windowing attribute of a punctuation that ends the
// sub-stream rides along), `result` the aggregate. A tuple in the cycle of eos still belongs to the sub-stream, a tuple
// in the next cycle to the next. A sub-stream without tuples gives no row; one with nulls only a null row.
// A punctuation that comes with eos follows the row by one cycle, with the same m_data; any other passes.
//
// The accumulator stands in the result's register, so a REGISTERED = 0 would save nothing, and does not exist.
//
// Parameters   DATA_W      width of the tuple in bits
//              KIND, VALUE_W, SIGNED, ACC_W, RESULT_W   see ws_fold: ACC_W is the width inside
//              EMIT_EMPTY  1: a sub-stream without tuples gives a row too (count 0, else null)
// Ports        value, null: the column, in step with s_data; count(*) ties null to 0. A null value is not aggregated
//              result, result_null, result_overflow: in step with m_valid
// Latency      1 cycle from eos to the row
// Issue rate   1 tuple a cycle; eos in successive cycles is possible
// CLOSE_CYCLES 2    CLOSE_ROWS 1: in the cycle after a punctuation with eos there must be neither
// Overflow     result_overflow: the exact result does not fit RESULT_W bits (or a sum has left ACC_W bits on its way);
//              the lowest RESULT_W bits leave
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6

`default_nettype none

module ws_aggregate #(
    parameter        DATA_W     = 32,
    parameter [23:0] KIND       = "SUM",
    parameter        VALUE_W    = 32,
    parameter        SIGNED     = 1,
    parameter        ACC_W      = 64,
    parameter        RESULT_W   = 64,
    parameter        EMIT_EMPTY = 0
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_valid,
    input  wire                s_punct,
    input  wire                s_eos,
    input  wire [DATA_W-1:0]   s_data,
    input  wire [VALUE_W-1:0]  value,
    input  wire                null,

    output reg                 m_valid,
    output reg                 m_punct,
    output reg                 m_eos,
    output reg  [DATA_W-1:0]   m_data,
    output reg  [RESULT_W-1:0] result,
    output reg                 result_null,
    output reg                 result_overflow
);

    reg  [ACC_W+1:0]          state_reg;   // its number is the result, in the row too
    reg                       some_reg;    // the sub-stream has a tuple
    reg                       fresh_reg;   // it has just ended: the next begins
    reg                       behind_reg;  // a punctuation waits behind the row that leaves

    wire [ACC_W+1:0]          next;
    wire [RESULT_W-1:0]       next_result;
    wire                      next_null, next_overflow;
    wire                      some = s_valid || (some_reg && !fresh_reg);

    ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNED), .ACC_W(ACC_W), .RESULT_W(RESULT_W)) fold (
        .state(state_reg), .fresh(fresh_reg), .take(s_valid && !null), .value(value),
        .next(next), .result(next_result), .null(next_null), .overflow(next_overflow)
    );

    always @(posedge clk) begin
        state_reg       <= next;
        some_reg        <= some;
        fresh_reg       <= s_eos || rst;
        behind_reg      <= s_punct && s_eos && !rst;

        m_valid         <= s_eos && (some || EMIT_EMPTY != 0) && !rst;
        m_punct         <= ((s_punct && !s_eos) || behind_reg) && !rst;
        m_eos           <= s_eos && !rst;
        if (!behind_reg) m_data <= s_data;
        result          <= next_result;
        result_null     <= next_null;
        result_overflow <= next_overflow;
    end

`ifdef FORMAL
    // The sub-stream's values as a set, and their number, sum, first and last in integers. A sum that has left the
    // accumulator is compared no further.
    localparam integer VALUES = 1 << VALUE_W,  LEAST = SIGNED != 0 ? -VALUES/2 : 0;
    localparam         SIGN   = SIGNED != 0 && KIND != "CNT";
    localparam integer ACC_LEAST    = SIGN ? -(1 << ACC_W)/2 : 0,    ACC_END    = ACC_LEAST + (1 << ACC_W);
    localparam integer RESULT_LEAST = SIGN ? -(1 << RESULT_W)/2 : 0, RESULT_END = RESULT_LEAST + (1 << RESULT_W);

    reg              past_valid = 1'b0;
    reg              fresh_ref, tuples_ref, left_ref, row_ref, due_ref;
    reg [VALUES-1:0] set_ref;
    reg [DATA_W-1:0] data_ref;
    integer          sum_ref, first_ref, last_ref, exact_ref;
    // The same, this cycle included.
    reg              tuples, left;
    reg [VALUES-1:0] set;
    integer          v, sum, first, last, exact, i;
    wire             take = s_valid && !null;

    always @* begin
        v      = value >= LEAST + VALUES ? value - VALUES : value;
        set    = fresh_ref ? {VALUES{1'b0}} : set_ref;
        first  = set == 0 ? v : first_ref;
        last   = take ? v : last_ref;
        sum    = fresh_ref ? 0 : sum_ref;
        if (take) begin
            set[value] = 1'b1;
            sum        = KIND == "CNT" ? sum + 1 : sum + v;
        end
        exact  = KIND == "FST" ? first : KIND == "LST" ? last : sum;
        if (KIND == "MIN") for (i = LEAST + VALUES - 1; i >= LEAST; i = i - 1) if (set[i & (VALUES-1)]) exact = i;
        if (KIND == "MAX") for (i = LEAST; i < LEAST + VALUES; i = i + 1)      if (set[i & (VALUES-1)]) exact = i;
        if (set == 0) exact = 0;
        tuples = s_valid || (tuples_ref && !fresh_ref);
        left   = (left_ref && !fresh_ref) || exact < ACC_LEAST || exact >= ACC_END;
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        fresh_ref  <= rst || s_eos;
        set_ref    <= set;
        sum_ref    <= left ? 0 : sum;
        first_ref  <= first;
        last_ref   <= last;
        exact_ref  <= exact;
        left_ref   <= left;
        tuples_ref <= tuples;
        row_ref    <= !rst && s_eos && (tuples || EMIT_EMPTY != 0);
        due_ref    <= !rst && s_eos && s_punct;
        data_ref   <= s_data;

        if (!past_valid) assume (rst);
        else begin
            assume (!(s_valid && s_punct));
            if (due_ref) assume (!s_eos && !s_punct);

            assert (m_valid == row_ref && m_eos == $past(s_eos && !rst));
            assert (m_punct == $past((s_punct && !s_eos && !rst) || (due_ref && !rst)));
            assert (!(m_valid && m_punct));
            if (m_valid || m_eos || (m_punct && !$past(due_ref))) assert (m_data == data_ref);
            if (m_punct && $past(due_ref)) assert ($stable(m_data));
            if (m_valid) begin
                assert (result_null == (set_ref == 0 && KIND != "CNT"));
                assert (result_overflow == (left_ref || exact_ref < RESULT_LEAST || exact_ref >= RESULT_END));
                if (!left_ref) assert (result == (exact_ref & ((1 << RESULT_W) - 1)));
            end

            // what makes it inductive
            assert (behind_reg == due_ref && fresh_reg == fresh_ref);
            if (!fresh_ref) begin
                assert (some_reg == tuples_ref);
                assert (state_reg[ACC_W+1:ACC_W] == {left_ref, set_ref != 0});
                if (!left_ref) assert (state_reg[ACC_W-1:0] == (exact_ref & ((1 << ACC_W) - 1)));
                if (set_ref != 0) assert (first_ref >= LEAST && first_ref < LEAST + VALUES);
                if (set_ref != 0) assert (last_ref >= LEAST && last_ref < LEAST + VALUES);
                if (!left_ref) assert (exact_ref >= ACC_LEAST && exact_ref < ACC_END);
                if (!left_ref && (KIND == "SUM" || KIND == "CNT")) assert (sum_ref == exact_ref);
            end
        end
        cover (past_valid && m_valid && !result_null && !result_overflow && result != 0 && $past(due_ref, 3));
        cover (past_valid && m_valid && result_null == (KIND != "CNT") && tuples_ref && set_ref == 0);
        cover (past_valid && m_punct && $past(m_valid) && s_valid);
    end
`endif

endmodule

`default_nettype wire
