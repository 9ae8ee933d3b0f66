// SPDX-License-Identifier: Apache-2.0
//
// ws_wid_aggregate: sliding-window aggregates over tuples that arrive out of order, one accumulator an open window.
//
// Window i is [start + i*SLIDE, start + i*SLIDE + RANGE). A tuple is added, in one cycle, to every open window that
// holds its windowing attribute; a punctuation that reaches the end of the oldest window emits it. The accumulators
// are in the order of their windows and move down by one at a close (ws_bank): the oldest is always number 0, so that
// one end register and differences to it replace a begin, an end and a result multiplexer for each window.
//
// Requirements on the stream (met by ws_punctuator): the first punctuation after reset is `start`; every end of a
// window that may hold a tuple has its own punctuation; a punctuation above that is the end of some window; a tuple
// is not below the latest punctuation and not SLACK or more above the end of the oldest open window.
//
// Parameters   DATA_W                width of what a row carries, in bits, at least 1
//              WATTR_W               width of the windowing attribute in bits, 1 to 64
//              RANGE                 length of a window, in units of the windowing attribute, at least 1
//              SLIDE                 distance between the starts of two windows, in the same, at least 1
//              SLACK                 how late a tuple may be, in units of the windowing attribute, at least 0
//              AGGS, KINDS, SIGNEDS  see ws_group_window
//              VALUE_W               see ws_fold
//              ACC_W                 width of a result in bits, 2 to 128 and at least VALUE_W
//              EMIT_EMPTY            1: a window without tuples gives a row too (count 0, others null); 0: no row
//              SKEW                  1: sums and counts are added in two halves, see ws_bank
// Ports        wattr: the windowing attribute, not negative; values, nulls: the aggregated fields, the first in the
//              most significant bits; all in step with s_data. A tuple whose value is null is in its windows, but that
//              aggregate skips it
//              m_data: s_data of the punctuation that closed the window; results, result_nulls, result_overflows: in
//              step with m_valid. After each window, also one that gives no row, m_punct repeats m_data
// Latency      2 + SKEW cycles from a closing punctuation to its row, 3 + SKEW to the punctuation after it
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES 2    CLOSE_ROWS 1
// Overflow     result_overflows: a count or sum has exceeded ACC_W bits; its lowest ACC_W bits are output
// Null         an aggregate other than CNT without a value; the result is 0
// Source       Oge et al., MCSoC 2013: WINDOWS from equations 1-2, windows as in algorithms 1-2

`default_nettype none

module ws_wid_aggregate #(
    parameter               DATA_W     = 32,
    parameter               WATTR_W    = 32,
    parameter               RANGE      = 600,
    parameter               SLIDE      = 60,
    parameter               SLACK      = 60,
    parameter               AGGS       = 1,
    parameter [24*AGGS-1:0] KINDS      = "CNT",
    parameter [AGGS-1:0]    SIGNEDS    = 1'b0,
    parameter               VALUE_W    = 32,
    parameter               ACC_W      = 64,
    parameter               EMIT_EMPTY = 0,
    parameter               SKEW       = 0
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
    output wire [AGGS*ACC_W-1:0]   results,
    output wire [AGGS-1:0]         result_nulls,
    output wire [AGGS-1:0]         result_overflows
);

    initial if (DATA_W < 1 || (EMIT_EMPTY != 0 && EMIT_EMPTY != 1) || (SKEW != 0 && SKEW != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), EMIT_EMPTY = %0d, SKEW = %0d (0 or 1)",
                 DATA_W, EMIT_EMPTY, SKEW);
        $finish;
    end

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_RANGE = RANGE;
    localparam signed [63:0] L_SLIDE = SLIDE;
    localparam signed [63:0] L_SLACK = SLACK;
    // Smallest number of windows that can be open at once: equations 1 and 2 of the paper.
    localparam integer WINDOWS = (L_RANGE + L_SLACK + L_SLIDE - 64'sd1) / L_SLIDE;
    // Width of a tuple's distance from the end of the oldest: -(the larger of RANGE and SLIDE) to SLACK - 1
    localparam FAR     = L_RANGE > L_SLIDE ? L_RANGE : L_SLIDE;
    localparam DIST_W  = 1 + $clog2(FAR > L_SLACK ? FAR : L_SLACK);

    initial begin
        if (L_RANGE < 1 || L_SLIDE < 1 || L_SLACK < 0) begin
            $display("ERROR: %m: RANGE and SLIDE must be at least 1, SLACK at least 0");
            $finish;
        end
        if (ACC_W < 2 || ACC_W > 128 || ACC_W < VALUE_W) begin
            $display("ERROR: %m: ACC_W = %0d, must be 2 to 128, and at least VALUE_W = %0d", ACC_W, VALUE_W);
            $finish;
        end
        if (WATTR_W > 64 || DIST_W > WATTR_W) begin
            $display("ERROR: %m: WATTR_W = %0d, must be at most 64, and more than RANGE, SLIDE and SLACK need",
                     WATTR_W);
            $finish;
        end
    end

    // ---- Stage 1: the distance from the end of the oldest window; does the punctuation close that window?

    localparam [WATTR_W:0] END_RANGE = L_RANGE;
    localparam [WATTR_W:0] END_SLIDE = L_SLIDE;
    reg                     started_reg;
    reg  [WATTR_W:0]        end_reg;     // of the oldest open window
    wire [WATTR_W+1:0]      difference = {2'b0, wattr} - {1'b0, end_reg};
    wire                    closes     = started_reg && !difference[WATTR_W+1];

    reg                     tuple_reg, closes_reg;
    reg signed [DIST_W-1:0] distance_reg;    // that of a tuple is small, so that the low bits suffice
    reg [DATA_W-1:0]        data_reg;
    reg [AGGS*VALUE_W-1:0]  values_1_reg;
    reg [AGGS-1:0]          nulls_1_reg;
    wire                    unused_some, unused_punct, unused_eos;
    wire                    unused = &{1'b0, s_eos, unused_some, unused_punct, unused_eos};

    always @(posedge clk) begin
        tuple_reg    <= s_valid && !rst;
        closes_reg   <= s_punct && closes && !rst;
        distance_reg <= difference[DIST_W-1:0];
        data_reg     <= s_data;
        values_1_reg <= values;
        nulls_1_reg  <= nulls;
        if (s_punct) begin
            started_reg <= 1'b1;
            if (!started_reg || closes) end_reg <= {1'b0, wattr} + (started_reg ? END_SLIDE : END_RANGE);
        end
        if (rst) started_reg <= 1'b0;
    end

    // ---- Stage 2: which windows hold the tuple

    wire [WINDOWS-1:0]      holds;
    reg  [WINDOWS-1:0]      add_reg;
    reg                     close_reg;
    reg  [AGGS*VALUE_W-1:0] values_reg;
    reg  [AGGS-1:0]         nulls_reg;

    genvar i;
    generate
        for (i = 0; i < WINDOWS; i = i + 1) begin : window
            localparam signed [63:0]       LATER = i*L_SLIDE;    // than the oldest window
            localparam signed [DIST_W-1:0] FIRST = LATER - L_RANGE;
            localparam signed [DIST_W-1:0] AFTER = LATER < L_SLACK ? LATER : 64'sd0;
            assign holds[i] = distance_reg >= FIRST && (LATER >= L_SLACK || distance_reg < AFTER);
        end
    endgenerate

    always @(posedge clk) begin
        add_reg    <= tuple_reg && !rst ? holds : {WINDOWS{1'b0}};
        close_reg  <= closes_reg && !rst;
        nulls_reg  <= nulls_1_reg;
    end

    generate
        for (i = 0; i < AGGS; i = i + 1) begin : gen_value
            wire [VALUE_W-1:0] value = values_1_reg[i*VALUE_W +: VALUE_W];
            wire               none  = KINDS[24*i +: 24] == "SUM" && nulls_1_reg[i];
            always @(posedge clk) values_reg[i*VALUE_W +: VALUE_W] <= none ? {VALUE_W{1'b0}} : value;
        end
    endgenerate

    // ---- Stage 3: the accumulators; a close moves each into the place of the one before it. The row is the oldest's:
    // the rest of the row is registered in the cycle before.

    wire [AGGS*(ACC_W+2)-1:0] states;

    ws_bank #(
        .SLOTS(WINDOWS), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W), .SKEW(SKEW)
    ) bank (
        .clk(clk), .rst(rst), .clear(1'b0),
        .add(add_reg), .shift(close_reg), .values(values_reg), .nulls(nulls_reg),
        .some(unused_some), .states(states)
    );

    reg  [WINDOWS-1:0] some_reg;    // the window holds a tuple: known a cycle earlier than from the bank
    wire [WINDOWS-1:0] some = (close_reg ? some_reg >> 1 : some_reg) | add_reg;
    wire               closes_soon, closes_some;
    wire [DATA_W-1:0]  close_data;
    reg                closed_reg;

    ws_delay #(.DATA_W(DATA_W + 1), .N(SKEW)) behind (
        .clk(clk), .rst(rst),
        .s_valid(closes_reg), .s_punct(1'b0), .s_eos(1'b0), .s_data({some[0] || EMIT_EMPTY != 0, data_reg}),
        .m_valid(closes_soon), .m_punct(unused_punct), .m_eos(unused_eos), .m_data({closes_some, close_data})
    );

    always @(posedge clk) begin
        some_reg   <= rst ? {WINDOWS{1'b0}} : some;
        m_valid    <= closes_soon && closes_some && !rst;
        closed_reg <= closes_soon && !rst;
        m_punct    <= closed_reg && !rst;
        if (closes_soon) m_data <= close_data;
    end

    assign m_eos = 1'b0;

    // With SKEW, everything but the upper half of a sum or count waits for that half.
    generate
        for (i = 0; i < AGGS; i = i + 1) begin : aggregate
            localparam [23:0] KIND = KINDS[24*i +: 24];
            localparam        WAIT = SKEW == 0 ? 0 : KIND == "CNT" || KIND == "SUM" ? ACC_W/2 : ACC_W;  // bits
            wire [ACC_W-1:0]  number;
            wire              left, seen, told_seen;

            assign {left, seen, number} = states[i*(ACC_W+2) +: ACC_W+2];

            if (WAIT != 0) begin : gen_wait
                reg            seen_reg;
                reg [WAIT-1:0] number_reg;
                always @(posedge clk) {seen_reg, number_reg} <= {seen, number[WAIT-1:0]};
                assign told_seen                = seen_reg;
                assign results[i*ACC_W +: WAIT] = number_reg;
            end else begin : gen_no_wait
                assign told_seen = seen;
            end
            if (WAIT != ACC_W) begin : gen_rest
                assign results[i*ACC_W + WAIT +: ACC_W - WAIT] = number[ACC_W-1:WAIT];
            end else begin : gen_no_rest
                wire unused_left = left;
            end
            assign result_nulls[i]     = KIND != "CNT" && !told_seen;
            assign result_overflows[i] = (KIND == "CNT" || KIND == "SUM") && left;
        end
    endgenerate

endmodule

`default_nettype wire
