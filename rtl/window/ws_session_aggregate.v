// SPDX-License-Identifier: Apache-2.0
//
// ws_session_aggregate: aggregates over sessions, windows that end GAP after their last tuple, over tuples that arrive
// out of order.
//
// Tuples less than GAP apart belong to one session, whose end is its last time + GAP. Every open session has its states
// in a slot (ws_session_slots). A tuple that bridges two sessions merges their states in the cycle in which it is
// added, so that the core always takes one tuple a cycle. Sums are added SEGMENT_W bits a cycle (ws_session_sum).
// Requirements on the stream (met by ws_session_entry): each punctuation is the end of the oldest open session and
// closes it; no later tuple is below it.
//
// Sessions are in order of time, tuples in order of arrival: with AMN, AMX, FST and LST, SLACK must be 0, so that both
// orders are the same.
//
// Parameters   DATA_W          width of what a row carries, in bits, at least 1
//              WATTR_W         width of the windowing attribute in bits, at least 1; it is not negative
//              GAP             tuples less than this apart belong to one session, in units of the windowing attribute,
//                              at least 1
//              SLACK           how late a tuple may be, in units of the windowing attribute, at least 0
//              AGGS            number of aggregates, at least 1
//              KINDS, SIGNEDS  see ws_bank
//              VALUE_W         width of a value in bits, at least 1
//              ACC_W           width of a result in bits, at least VALUE_W and at least 2; see ws_bank
//              SEGMENT_W       most bits of a sum that one cycle adds, at least 2
// Ports        values, nulls: in step with s_data; the first aggregate in the most significant bits
//              m_data: s_data of the punctuation that closed the session, m_end: its attribute, the session's end;
//              after each session m_punct repeats both
// Latency      4 + ceil(ACC_W / SEGMENT_W) cycles from a closing punctuation to its row, one more to m_punct
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES 2    CLOSE_ROWS 1
// Bad input    a punctuation without an open session: must not happen
// Overflow     result_overflows: the exact result, or a sum at some point, does not fit ACC_W bits; the lowest ACC_W
//              bits are output
// Source       session windows as in Akidau et al., PVLDB 8(12), 2015

`default_nettype none

module ws_session_aggregate #(
    parameter               DATA_W    = 32,
    parameter               WATTR_W   = 32,
    parameter               GAP       = 30,
    parameter               SLACK     = 60,
    parameter               AGGS      = 2,
    parameter [24*AGGS-1:0] KINDS     = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS   = 2'b10,
    parameter               VALUE_W   = 32,
    parameter               ACC_W     = 64,
    parameter               SEGMENT_W = 16
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

    initial if (DATA_W < 1 || WATTR_W < 1 || GAP < 1 || AGGS < 1 || VALUE_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d, WATTR_W = %0d, GAP = %0d, AGGS = %0d, VALUE_W = %0d (at least 1)",
                 DATA_W, WATTR_W, GAP, AGGS, VALUE_W);
        $finish;
    end

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_GAP   = GAP;
    localparam signed [63:0] L_SLACK = SLACK;
    localparam integer SLOTS = L_SLACK > 0 ? (L_SLACK - 64'sd1)/L_GAP + 64'sd2 : 64'sd1;
    localparam TIME_W  = WATTR_W + 1;    // an end can be above the largest attribute
    localparam STATE_W = VALUE_W + 1;    // of a least, largest, first or last value
    localparam LATER   = (ACC_W + SEGMENT_W - 1)/SEGMENT_W - 1;    // cycles until the uppermost bits of a sum are known

    wire unused = &{1'b0, s_eos, open, due, end_first};

    // ---- Stages 1 to 3: the item is compared with the sessions

    wire                    valid_3, punct_3;
    wire [WATTR_W-1:0]      end_3;
    wire [DATA_W-1:0]       data_3;
    wire [AGGS*VALUE_W-1:0] values_3;
    wire [AGGS-1:0]         nulls_3;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_delay #(.DATA_W(WATTR_W + DATA_W + AGGS*(VALUE_W + 1)), .N(3)) way (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(1'b0), .s_data({wattr, s_data, values, nulls}),
        .m_valid(valid_3), .m_punct(punct_3), .m_eos(), .m_data({end_3, data_3, values_3, nulls_3})
    );

    // ---- Stage 4: the session

    wire [SLOTS-1:0]  rise, fall, merge, take;
    wire              begins, open, due;
    wire [TIME_W-1:0] end_first;

    ws_session_slots #(.TIME_W(TIME_W), .GAP(L_GAP), .SLACK(L_SLACK), .SLOTS(SLOTS)) slots (
        .clk(clk), .rst(rst),
        .move(1'b1), .at({1'b0, wattr}), .mark({TIME_W+1{1'b0}}),
        .add(valid_3), .close(punct_3), .closing(punct_3),
        .rise(rise), .fall(fall), .merge(merge), .take(take), .begins(begins),
        .open(open), .due(due), .end_first(end_first)
    );

    // What a slot holds next: its own state, that of the slot above or below it, and a value.
    wire [SLOTS-1:0]       keep = ~rise & ~fall & ~(begins ? take : {SLOTS{1'b0}});
    reg                    close_4_reg;
    reg [DATA_W-1:0]       data_4_reg;
    reg [WATTR_W-1:0]      end_4_reg;

    always @(posedge clk) begin
        close_4_reg <= punct_3 && !rst;
        data_4_reg  <= data_3;
        end_4_reg   <= end_3;
    end

    // ---- From stage 5 on: the states, and the row once slot 0 is known

    wire               row;
    wire [DATA_W-1:0]  row_data;
    wire [WATTR_W-1:0] row_end;

    ws_delay #(.DATA_W(DATA_W + WATTR_W), .N(LATER)) later (
        .clk(clk), .rst(rst),
        .s_valid(close_4_reg), .s_punct(1'b0), .s_eos(1'b0), .s_data({data_4_reg, end_4_reg}),
        .m_valid(row), .m_punct(), .m_eos(), .m_data({row_data, row_end})
    );

    genvar a, i;
    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_aggregate
            localparam [23:0] KIND = KINDS[24*a +: 24];
            localparam        ADDS = KIND == "CNT" || KIND == "SUM";

            wire [VALUE_W-1:0] value_3 = values_3[a*VALUE_W +: VALUE_W];
            wire [SLOTS-1:0]   take_3  = nulls_3[a] ? {SLOTS{1'b0}} : take;
            reg  [SLOTS-1:0]   taken_reg;    // the slot takes a value
            wire               left, seen;
            wire [ACC_W-1:0]   number;

            // These control every bit of every state. So each aggregate has its own copy, which the attribute keeps
            // from being merged.
            reg [SLOTS-1:0] rise_4_reg, keep_4_reg, join_4_reg;

            (* keep *) always @(posedge clk) {rise_4_reg, keep_4_reg, join_4_reg} <= {rise, keep, fall | merge};
            always @(posedge clk) taken_reg <= take_3;

            initial if ((KIND == "AMN" || KIND == "AMX" || KIND == "FST" || KIND == "LST") && SLACK != 0) begin
                $display("ERROR: %m: SLACK = %0d, must be 0: sessions have the order of time", SLACK);
                $finish;
            end

            if (ADDS) begin : gen_sum
                localparam TERM_W = KIND == "CNT" ? 1 : VALUE_W;

                wire [TERM_W-1:0]       term_3 = KIND == "CNT" ? {TERM_W{1'b1}} : value_3[TERM_W-1:0];
                reg  [SLOTS*TERM_W-1:0] terms_reg;
                reg  [SLOTS-1:0]        seen_reg;
                wire                    unused_value = &{1'b0, value_3};

                for (i = 0; i < SLOTS; i = i + 1) begin : slot
                    always @(posedge clk) terms_reg[i*TERM_W +: TERM_W] <= take_3[i] ? term_3 : {TERM_W{1'b0}};
                end

                always @(posedge clk)
                    seen_reg <= (keep_4_reg & seen_reg) | (join_4_reg & (seen_reg >> 1))
                              | (rise_4_reg & (seen_reg << 1)) | taken_reg;

                ws_session_sum #(
                    .SLOTS(SLOTS), .TERM_W(TERM_W), .SIGNED(SIGNEDS[a] && KIND != "CNT"), .ACC_W(ACC_W),
                    .SEGMENT_W(SEGMENT_W)
                ) sums (
                    .clk(clk), .keep(keep_4_reg), .merge(join_4_reg), .rise(rise_4_reg), .terms(terms_reg),
                    .number(number), .left(left)
                );

                ws_shift #(.DATA_W(1), .N(LATER)) seen_later (.clk(clk), .s_data(seen_reg[0]), .m_data(seen));
            end else begin : gen_one_of_them
                localparam IS_SIGNED = SIGNEDS[a];

                wire [(SLOTS+2)*STATE_W-1:0] states;    // a slot's state is between those of its neighbours
                wire [VALUE_W-1:0]           found;
                reg  [VALUE_W-1:0]           value_reg;

                assign states[STATE_W-1:0]                  = {STATE_W{1'b0}};
                assign states[(SLOTS+1)*STATE_W +: STATE_W] = {STATE_W{1'b0}};

                always @(posedge clk) value_reg <= value_3;

                for (i = 0; i < SLOTS; i = i + 1) begin : slot
                    reg  [STATE_W-1:0] state_reg;
                    wire [STATE_W-1:0] below = states[i*STATE_W +: STATE_W];
                    wire [STATE_W-1:0] above = states[(i + 2)*STATE_W +: STATE_W];
                    wire [STATE_W-1:0] next;

                    assign states[(i + 1)*STATE_W +: STATE_W] = state_reg;

                    ws_session_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(IS_SIGNED)) fold (
                        .state(state_reg), .other(above), .keep(keep_4_reg[i]), .merge(join_4_reg[i]),
                        .take(taken_reg[i]), .value(value_reg), .next(next)
                    );

                    always @(posedge clk) state_reg <= rst ? {STATE_W{1'b0}} : rise_4_reg[i] ? below : next;
                end

                ws_shift #(.DATA_W(STATE_W), .N(LATER)) state_later (
                    .clk(clk), .s_data(states[STATE_W +: STATE_W]), .m_data({seen, found})
                );

                assign number = {{(ACC_W-VALUE_W){IS_SIGNED && found[VALUE_W-1]}}, found};
                assign left   = 1'b0;
            end

            always @(posedge clk) if (row) begin
                results[a*ACC_W +: ACC_W] <= number;
                result_nulls[a]           <= KIND != "CNT" && !seen;
                result_overflows[a]       <= left;
            end
        end
    endgenerate
    /* verilator lint_on PINCONNECTEMPTY */

    assign m_eos = 1'b0;

    always @(posedge clk) begin
        m_valid <= row && !rst;
        m_punct <= m_valid && !rst;
        if (row) {m_data, m_end} <= {row_data, row_end};
    end

endmodule

`default_nettype wire
