// SPDX-License-Identifier: Apache-2.0
//
// ws_session_aggregate: aggregates over sessions, windows that end GAP after the last of their tuples, of tuples that
// arrive out of order.
//
// Tuples less than GAP apart belong to one session, whose end is its last time + GAP. Every open session has its states
// in a slot (ws_session_slots). A tuple that bridges two sessions merges their states in the cycle in which it is
// added, so that one tuple a cycle holds whatever it does. What the stream must keep (ws_session_entry sees to it):
// each punctuation is the end of the oldest session that is open, and closes it; no tuple behind it is below.
//
// Sessions are kept in the order of time, tuples come in that of arrival: with FST and LST SLACK must be 0, so that
// both are the same.
//
// Parameters   DATA_W       width of what goes with a session's row, in bits
//              WATTR_W      width of the windowing attribute, not negative
//              GAP, SLACK   in units of the windowing attribute; GAP at least 1
//              AGGS, KINDS, SIGNEDS, VALUE_W, ACC_W   the aggregates, see ws_bank; ACC_W is the results' width too
// Ports        values, nulls: in step with s_data; the first aggregate in the most significant bits
//              m_data: s_data of the punctuation that closed the session, m_end: its attribute, the session's end;
//              behind each session m_punct repeats both
// Latency      3 cycles from a closing punctuation to its row, one more to m_punct
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES 2    CLOSE_ROWS 1
// Bad input    a punctuation without an open session: must not happen
// Overflow     result_overflows: the exact result, or a sum on its way, does not fit ACC_W bits; the lowest ACC_W bits
//              leave
// Source       session windows as of Akidau et al., PVLDB 8(12), 2015

`default_nettype none

module ws_session_aggregate #(
    parameter               DATA_W  = 32,
    parameter               WATTR_W = 32,
    parameter               GAP     = 30,
    parameter               SLACK   = 60,
    parameter               AGGS    = 2,
    parameter [24*AGGS-1:0] KINDS   = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS = 2'b10,
    parameter               VALUE_W = 32,
    parameter               ACC_W   = 64
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_valid,
    input  wire                    s_punct,
    input  wire                    s_eos,
    input  wire [DATA_W-1:0]       s_data,
    input  wire [WATTR_W-1:0]      wattr,
    input  wire [AGGS*VALUE_W-1:0] values,
    input  wire [AGGS-1:0]         nulls,

    output reg                     m_valid,
    output reg                     m_punct,
    output wire                    m_eos,
    output reg  [DATA_W-1:0]       m_data,
    output reg  [WATTR_W-1:0]      m_end,
    output reg  [AGGS*ACC_W-1:0]   results,
    output reg  [AGGS-1:0]         result_nulls,
    output reg  [AGGS-1:0]         result_overflows
);

    localparam SLOTS   = SLACK > 0 ? (SLACK - 1)/GAP + 2 : 1;
    localparam TIME_W  = WATTR_W + 1;    // an end may lie above the largest attribute
    localparam STATE_W = ACC_W + 2;

    wire unused = &{1'b0, s_eos, open, due, end_first};

    // ---- Stage 1: the item is compared with the sessions

    reg                    valid_1_reg, punct_1_reg;
    reg [WATTR_W-1:0]      at_reg;
    reg [DATA_W-1:0]       data_1_reg;
    reg [AGGS*VALUE_W-1:0] values_1_reg;
    reg [AGGS-1:0]         nulls_1_reg;

    always @(posedge clk) begin
        valid_1_reg  <= s_valid && !rst;
        punct_1_reg  <= s_punct && !rst;
        at_reg       <= wattr;
        data_1_reg   <= s_data;
        values_1_reg <= values;
        nulls_1_reg  <= nulls;
    end

    // ---- Stage 2: the session

    wire [SLOTS-1:0]  rise, fall, merge, take;
    wire              begins, open, due;
    wire [TIME_W-1:0] end_first;

    ws_session_slots #(.TIME_W(TIME_W), .GAP(GAP), .SLACK(SLACK), .SLOTS(SLOTS)) slots (
        .clk(clk), .rst(rst),
        .move(1'b1), .at({1'b0, wattr}), .again(1'b0), .mark({TIME_W+1{1'b0}}),
        .add(valid_1_reg), .close(punct_1_reg),
        .rise(rise), .fall(fall), .merge(merge), .take(take), .begins(begins),
        .open(open), .due(due), .end_first(end_first)
    );

    reg                    close_2_reg, begins_2_reg;
    reg [SLOTS-1:0]        rise_2_reg, fall_2_reg, merge_2_reg, take_2_reg;
    reg [DATA_W-1:0]       data_2_reg;
    reg [WATTR_W-1:0]      end_2_reg;
    reg [AGGS*VALUE_W-1:0] values_2_reg;
    reg [AGGS-1:0]         nulls_2_reg;

    always @(posedge clk) begin
        close_2_reg  <= punct_1_reg && !rst;
        begins_2_reg <= begins;
        {rise_2_reg, fall_2_reg, merge_2_reg, take_2_reg} <= {rise, fall, merge, take};
        data_2_reg   <= data_1_reg;
        end_2_reg    <= at_reg;
        values_2_reg <= values_1_reg;
        nulls_2_reg  <= nulls_1_reg;
    end

    // ---- Stage 3: the states

    genvar a, i;
    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_aggregate
            localparam [23:0] KIND = KINDS[24*a +: 24];

            wire [(SLOTS+2)*STATE_W-1:0] states;    // a slot's between those of its neighbours

            assign states[STATE_W-1:0]                  = {STATE_W{1'b0}};
            assign states[(SLOTS+1)*STATE_W +: STATE_W] = {STATE_W{1'b0}};

            initial if ((KIND == "FST" || KIND == "LST") && SLACK != 0) begin
                $display("ERROR: %m: SLACK = %0d, must be 0: sessions have the order of time", SLACK);
                $finish;
            end

            for (i = 0; i < SLOTS; i = i + 1) begin : gen_slot
                reg  [STATE_W-1:0] state_reg;
                wire [STATE_W-1:0] below = states[i*STATE_W +: STATE_W];
                wire [STATE_W-1:0] above = states[(i + 2)*STATE_W +: STATE_W];
                wire [STATE_W-1:0] next;

                assign states[(i + 1)*STATE_W +: STATE_W] = state_reg;

                ws_session_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNEDS[a]), .ACC_W(ACC_W)) fold (
                    .state(state_reg), .other(above), .fresh(begins_2_reg), .merge(merge_2_reg[i]),
                    .take(!nulls_2_reg[a]), .value(values_2_reg[a*VALUE_W +: VALUE_W]), .next(next)
                );

                always @(posedge clk)
                    state_reg <= rst ? {STATE_W{1'b0}} : take_2_reg[i] ? next
                               : rise_2_reg[i] ? below : fall_2_reg[i] ? above : state_reg;
            end

            // ---- The row

            wire             left, seen;
            wire [ACC_W-1:0] number;

            assign {left, seen, number} = states[STATE_W +: STATE_W];

            always @(posedge clk) if (close_2_reg) begin
                results[a*ACC_W +: ACC_W] <= number;
                result_nulls[a]           <= KIND != "CNT" && !seen;
                result_overflows[a]       <= left;
            end
        end
    endgenerate

    assign m_eos = 1'b0;

    always @(posedge clk) begin
        m_valid <= close_2_reg && !rst;
        m_punct <= m_valid && !rst;
        if (close_2_reg) {m_data, m_end} <= {data_2_reg, end_2_reg};
    end

endmodule

`default_nettype wire
