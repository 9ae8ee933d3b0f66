// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_aggregate: sliding-window aggregates over tuples that arrive out of order, in two steps: each pane, a part of
// the stream that windows share, is aggregated once, and a window is the aggregate of its panes.
//
// METHOD "SCAN" is the pane-based aggregate as published: panes of GCD(RANGE, SLIDE) and a pane buffer in block RAM; at
//   the end of a window all of its panes are read, one per cycle.
// METHOD "CONSTANT" takes the same few cycles for every window, whatever its length: panes end only where windows start
//   or end, one or two in a SLIDE; sums and counts add the newest pane and subtract the oldest, and any other operator
//   keeps the aggregate of all panes but the newest (ws_pane_blocks). Its cells do not grow with RANGE / SLIDE, its
//   block RAM is one pane buffer for each aggregate.
//
// Panes are in the order of time, tuples in that of arrival: AMN, AMX, FST and LST require SLACK = 0, so that both are
// the same. For what the stream must guarantee see ws_panes; ws_punctuator guarantees it with STEP = GCD(RANGE, SLIDE)
// for SCAN and STEP = SLIDE for CONSTANT.
//
// Parameters   DATA_W      width of what a row carries, in bits, at least 1
//              WATTR_W     width of the windowing attribute in bits, at least 1; it is not negative
//              RANGE       length of a window, in units of the windowing attribute, at least 1
//              SLIDE       distance between the starts of two windows, in the same units, at least 1
//              SLACK       how late a tuple may be, in units of the windowing attribute, at least 0
//              METHOD      how panes become windows, "SCAN" or "CONSTANT"
//              AGGS, KINDS, SIGNEDS, VALUE_W  see ws_bank
//              ACC_W       width of a result in bits, at least VALUE_W; see ws_bank
//              SKEW        1: sums and counts are added in two halves, for a clock of 200 MHz on an ECP5 with ACC_W
//                          above 32
//              EMIT_EMPTY  1: a window without tuples gives a row too (count 0, else null)
//              LANES       tuples per cycle, 1, 2, 4 or 8; for FST and LST the lowest lane comes first
// Ports        s_valid, wattr, values, nulls: a part for each lane, lane 0 in the least significant bits; in step with
//              s_data; of values and nulls the first aggregate in the most significant bits of a part. A punctuation
//              comes without tuples, and with its attribute in lane 0
//              m_data: s_data of the punctuation that ended the window; after each window m_punct repeats it
// Latency      4 cycles (CONSTANT), PANES + 9 (SCAN); from a closing punctuation to its row. CONSTANT: 3 cycles if SKEW
//              is 0 and all aggregates are CNT or SUM. Both: log2(LANES) more. One more to m_punct
// Issue rate   LANES tuples per cycle
// CLOSE_CYCLES 2, and 4 where SLIDE does not divide RANGE; SCAN: PANES + 10    CLOSE_ROWS 1
//              PANES = RANGE / GCD(RANGE, SLIDE)
// Bad input    a tuple less than 3 cycles after a punctuation: not allowed
// Overflow     result_overflows: the exact result, or an intermediate sum of a pane (of a lane or of several), does not
//              fit ACC_W bits; the lowest ACC_W bits are output
// Source       Oge et al., CANDAR 2013 (SCAN); CONSTANT is ours, see ws_pane_blocks

`default_nettype none

module ws_pane_aggregate #(
    parameter               DATA_W     = 32,
    parameter               WATTR_W    = 32,
    parameter               RANGE      = 600,
    parameter               SLIDE      = 60,
    parameter               SLACK      = 60,
    parameter [63:0]        METHOD     = "CONSTANT",
    parameter               AGGS       = 2,
    parameter [24*AGGS-1:0] KINDS      = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS    = 2'b10,
    parameter               VALUE_W    = 32,
    parameter               ACC_W      = 64,
    parameter               SKEW       = 1,
    parameter               EMIT_EMPTY = 0,
    parameter               LANES      = 1
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire [LANES-1:0]              s_valid,
    input  wire                          s_punct,
    input  wire                          s_eos,
    input  wire [DATA_W-1:0]             s_data,
    input  wire [LANES*WATTR_W-1:0]      wattr,
    input  wire [LANES*AGGS*VALUE_W-1:0] values,
    input  wire [LANES*AGGS-1:0]         nulls,

    output reg                           m_valid,
    output reg                           m_punct,
    output wire                          m_eos,
    output reg  [DATA_W-1:0]             m_data,
    output reg  [AGGS*ACC_W-1:0]         results,
    output reg  [AGGS-1:0]               result_nulls,
    output reg  [AGGS-1:0]               result_overflows
);

    initial if (DATA_W < 1 || (EMIT_EMPTY != 0 && EMIT_EMPTY != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), EMIT_EMPTY = %0d (0 or 1)", DATA_W, EMIT_EMPTY);
        $finish;
    end

    function signed [63:0] gcd(input signed [63:0] a, input signed [63:0] b);
        reg signed [63:0] n;
        begin
            while (b != 0) begin
                n = a % b;
                a = b;
                b = n;
            end
            gcd = a;
        end
    endfunction

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_RANGE = RANGE;
    localparam signed [63:0] L_SLIDE = SLIDE;
    localparam signed [63:0] L_SLACK = SLACK;

    localparam SCAN = METHOD == "SCAN";
    localparam signed [63:0] PERIOD = SCAN ? gcd(L_RANGE, L_SLIDE) : L_SLIDE;
    localparam signed [63:0] CUT    = L_RANGE % PERIOD;           // 0 with SCAN
    localparam integer       PANES  = (L_RANGE / PERIOD)*(CUT > 0 ? 64'sd2 : 64'sd1) + (CUT > 0 ? 64'sd1 : 64'sd0);
    localparam integer       EACH   = (L_SLIDE / PERIOD)*(CUT > 0 ? 64'sd2 : 64'sd1);

    initial begin
        if (!SCAN && METHOD != "CONSTANT") begin
            $display("ERROR: %m: METHOD = \"%0s\", must be SCAN or CONSTANT", METHOD);
            $finish;
        end
        if (L_RANGE < 1 || L_SLIDE < 1 || L_SLACK < 0) begin
            $display("ERROR: %m: RANGE and SLIDE must be at least 1, SLACK at least 0");
            $finish;
        end
    end

    // Whether all aggregates are sums added in one piece, the only ones that are ready in the cycle after push.
    function at_once(input [24*AGGS-1:0] kinds);
        integer n;
        begin
            at_once = SKEW == 0 && !SCAN;
            for (n = 0; n < AGGS; n = n + 1)
                at_once = at_once && (kinds[24*n +: 24] == "CNT" || kinds[24*n +: 24] == "SUM");
        end
    endfunction

    localparam SOON = at_once(KINDS);

    // ---- Panes

    wire                      clear, push, last, pane_some;
    wire [DATA_W-1:0]         data;
    wire [AGGS*(ACC_W+2)-1:0] states;
    wire                      unused = &{1'b0, s_eos, scanned};

    ws_panes #(
        .DATA_W(DATA_W), .WATTR_W(WATTR_W), .PERIOD(PERIOD), .CUT(CUT), .SLACK(L_SLACK), .PANES(PANES), .EACH(EACH),
        .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W), .SKEW(SKEW),
        .LANES(LANES)
    ) panes (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_data(s_data), .wattr(wattr), .values(values), .nulls(nulls),
        .clear(clear), .push(push), .last(last), .data(data), .some(pane_some), .states(states)
    );

    // ---- Windows: a pane's numbers go to one stage per aggregate, whose result is the window's at `row`

    reg  push_1_reg, clear_1_reg;              // a sum's upper half and its overflow come one cycle later
    wire push_left  = SKEW != 0 ? push_1_reg : push;
    wire clear_left = SKEW != 0 ? clear_1_reg : clear;
    wire some;                                 // the window holds a tuple
    wire row;                                  // the results of the window are ready
    reg  last_reg;                             // a window ended 2 cycles ago
    wire [AGGS-1:0] scanned;                   // SCAN: all panes have been read

    always @(posedge clk) {push_1_reg, clear_1_reg} <= {push, clear};

    ws_pane_flag #(.PANES(PANES)) some_flag (.clk(clk), .clear(clear), .push(push), .flag(pane_some), .any(some));

    genvar a;
    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_aggregate
            localparam [23:0] KIND      = KINDS[24*a +: 24];
            localparam        IS_COUNT  = KIND == "CNT";
            localparam        ADDS      = IS_COUNT || KIND == "SUM";
            localparam        ORDERED   = KIND == "AMN" || KIND == "AMX" || KIND == "FST" || KIND == "LST";
            localparam        IS_SIGNED = SIGNEDS[a] && !IS_COUNT;
            localparam        NUMBER_W  = ADDS ? ACC_W : VALUE_W + (ORDERED ? 1 : 0);
            localparam        RESULT_W  = ADDS ? ACC_W + $clog2(PANES) : VALUE_W;

            wire                pane_left, pane_seen, seen, left;
            wire [ACC_W-1:0]    pane_number;
            wire [RESULT_W-1:0] result;

            assign {pane_left, pane_seen, pane_number} = states[a*(ACC_W+2) +: ACC_W+2];

            ws_pane_flag #(.PANES(PANES)) seen_flag (
                .clk(clk), .clear(clear), .push(push), .flag(pane_seen), .any(seen)
            );
            ws_pane_flag #(.PANES(PANES)) left_flag (
                .clk(clk), .clear(clear_left), .push(push_left), .flag(pane_left), .any(left)
            );

            wire [NUMBER_W-1:0] number;      // of the pane; the identity if it is empty
            localparam KEPT_W = ADDS ? RESULT_W : NUMBER_W;
            wire [KEPT_W-1:0]   kept;        // of the window

            if (ADDS) begin : gen_sum
                assign number = pane_number;
            end else if (ORDERED) begin : gen_ordered
                assign number = {pane_seen, pane_number[VALUE_W-1:0]};
                initial if (SLACK != 0) begin
                    $display("ERROR: %m: SLACK = %0d, must be 0: panes have the order of time", SLACK);
                    $finish;
                end
            end else begin : gen_any_order
                localparam [VALUE_W-1:0] NOTHING = KIND == "BOR" || KIND == "XOR" ? {VALUE_W{1'b0}}
                                                 : {(KIND == "MIN") ^ IS_SIGNED, {(VALUE_W-1){KIND == "MIN"}}};
                assign number = pane_seen ? pane_number[VALUE_W-1:0] : NOTHING;
            end

            if (SCAN) begin : gen_scan
                ws_pane_scan #(
                    .KIND(KIND), .SIGNED(IS_SIGNED), .NUMBER_W(NUMBER_W), .PANES(PANES), .SKEW(SKEW)
                ) window (
                    .clk(clk), .rst(rst), .clear(clear), .push(push), .last(last), .pane(number),
                    .done(scanned[a]), .result(kept)
                );
            end else if (ADDS) begin : gen_total
                ws_pane_total #(.NUMBER_W(ACC_W), .SIGNED(IS_SIGNED), .PANES(PANES), .SKEW(SKEW)) window (
                    .clk(clk), .rst(rst), .clear(clear), .push(push), .pane(number), .result(kept)
                );
                assign scanned[a] = 1'b0;
            end else begin : gen_blocks
                ws_pane_blocks #(.KIND(KIND), .SIGNED(IS_SIGNED), .NUMBER_W(NUMBER_W), .PANES(PANES)) window (
                    .clk(clk), .rst(rst), .clear(clear), .push(push), .pane(number), .result(kept)
                );
                assign scanned[a] = 1'b0;
            end

            assign result = kept[RESULT_W-1:0];
            wire unused_bits = &{1'b0, pane_number, kept};

            // The sign-extended result, and the bits of it that do not fit. A sum is valid for one cycle only; with
            // SKEW its lower half is valid one cycle before the rest.
            localparam              LOW_W = ADDS && SKEW != 0 && !SCAN ? ACC_W/2 : 0;
            wire                    take  = ADDS && SKEW == 0 && !SCAN ? last : SCAN ? row : last_reg;
            wire                    none;
            wire                    sign  = IS_SIGNED && result[RESULT_W-1];
            wire [RESULT_W+ACC_W:0] wide  = {{(ACC_W+1){sign}}, result};
            wire [RESULT_W:0]       rest  = wide[RESULT_W+ACC_W:ACC_W];

            always @(posedge clk) if (take) begin
                results[a*ACC_W + LOW_W +: ACC_W - LOW_W] <= none ? {(ACC_W-LOW_W){1'b0}} : wide[ACC_W-1:LOW_W];
                result_nulls[a]     <= !IS_COUNT && !seen;
                result_overflows[a] <= left || rest != {(RESULT_W+1){IS_SIGNED && wide[ACC_W-1]}};
            end

            if (ADDS) begin : gen_some
                assign none = 1'b0;
            end else begin : gen_none
                reg none_reg;                // a register, for its fan-out to all bits
                always @(posedge clk) none_reg <= !seen || clear;
                assign none = none_reg;
            end

            if (LOW_W > 0) begin : gen_low
                always @(posedge clk) if (last) results[a*ACC_W +: LOW_W] <= result[LOW_W-1:0];
            end
        end
    endgenerate

    // ---- Rows, each followed by its punctuation

    reg              ended_reg;
    reg [DATA_W-1:0] data_1_reg;

    assign row   = SCAN ? scanned[0] : SOON ? last : last_reg;
    assign m_eos = 1'b0;

    always @(posedge clk) begin
        last_reg  <= last && !rst;
        ended_reg <= row && !rst;
        m_valid   <= row && ((some && !clear) || EMIT_EMPTY != 0) && !rst;
        m_punct   <= ended_reg && !rst;
        if (SCAN || last) data_1_reg <= data;
        if (row)          m_data     <= SOON ? data : data_1_reg;
    end

endmodule

`default_nettype wire
