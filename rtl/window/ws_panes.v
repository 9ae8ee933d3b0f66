// SPDX-License-Identifier: Apache-2.0
//
// ws_panes: cuts a stream into panes, the parts that its windows share, and aggregates each (the pane-level query).
//
// Panes are contiguous, one or two per PERIOD: with CUT 0 each is PERIOD long, else they are CUT and PERIOD - CUT long
// in turn. Every window is PANES successive panes: either panes of GCD(RANGE, SLIDE), as published, or panes that end
// where a window starts or ends, with PERIOD = SLIDE and CUT = RANGE modulo SLIDE. Several panes are open at once,
// since tuples may be up to SLACK out of order; a punctuation closes the oldest.
//
// The stream must guarantee the following, as ws_punctuator does with STEP = PERIOD: the first punctuation after reset
// is `start`. From then on each end of a pane, up to the end of the last window that may hold a tuple, has its own
// punctuation, except that with CUT no end of a pane inside a PERIOD is announced before the first window's end. Any
// other punctuation is a window's end up to which all windows are closed or empty (a jump). A tuple is not below the
// latest punctuation, less than SLACK above the next, and comes at least 3 cycles after a punctuation.
//
// Parameters   DATA_W, WATTR_W      width of what goes with a window's row, and of the windowing attribute, in bits
//              PERIOD, CUT, SLACK   in units of the windowing attribute, in 64 bits; CUT below PERIOD
//              PANES                panes in a window, at least 1
//              EACH                 panes from a window's end to the next one's, at least 1
//              AGGS, KINDS, SIGNEDS, VALUE_W, ACC_W, SKEW   the aggregates, see ws_bank
//              LANES                tuples per cycle, see ws_lane_bank
// Ports        s_valid, wattr, values, nulls: a part for each lane, lane 0 in the least significant bits, which also
//                hold the attribute of a punctuation
//              push: a pane has closed; `states` are the states of its tuples, `some` is set if there were any; with
//                SKEW a sum's upper half comes one cycle later
//              clear: one cycle after push: all panes up to here are empty, at the start of a session and at a jump
//              last: one cycle after push: a window ends here, also at a jump; data: s_data of its punctuation, valid
//                from push until the next one
// Latency      1 + log2(LANES) cycles; from a punctuation to push
// Issue rate   LANES tuples per cycle
// CLOSE_CYCLES 2, with CUT 4: where a punctuation closes two panes, the second follows 2 cycles after the first
// Source       Oge et al., CANDAR 2013, sections III and IV.D, equations 3 and 5; cuts at windows' edges: Krishnamurthy
//              et al., SIGMOD 2006 (paired windows); A + B = C without carries: Cortadella and Llaberia, IEEE
//              Transactions on Computers 41(11), 1992

`default_nettype none

module ws_panes #(
    parameter               DATA_W  = 32,
    parameter               WATTR_W = 32,
    parameter               PERIOD  = 60,
    parameter               CUT     = 0,
    parameter               SLACK   = 60,
    parameter               PANES   = 10,
    parameter               EACH    = 1,
    parameter               AGGS    = 1,
    parameter [24*AGGS-1:0] KINDS   = "CNT",
    parameter [AGGS-1:0]    SIGNEDS = 1,
    parameter               VALUE_W = 32,
    parameter               ACC_W   = 64,
    parameter               SKEW    = 1,
    parameter               LANES   = 1
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire [LANES-1:0]              s_valid,
    input  wire                          s_punct,
    input  wire [DATA_W-1:0]             s_data,
    input  wire [LANES*WATTR_W-1:0]      wattr,
    input  wire [LANES*AGGS*VALUE_W-1:0] values,
    input  wire [LANES*AGGS-1:0]         nulls,

    output wire                          clear,
    output wire                          push,
    output wire                          last,
    output wire [DATA_W-1:0]             data,
    output wire                          some,
    output wire [AGGS*(ACC_W+2)-1:0]     states
);

    // At most so many panes can hold a tuple: those from the latest punctuation to SLACK above the next.
    localparam OPEN     = PERIOD + SLACK;
    localparam OVER     = OPEN % PERIOD;
    localparam integer SLOTS = (CUT == 0 ? 1 : 2)*(OPEN/PERIOD) + (OVER > 0 ? 1 : 0) + (CUT > 0 && OVER > CUT ? 1 : 0);
    localparam LOW_W    = $clog2(OPEN + 64'sd1);           // of a tuple's distance from the latest punctuation
    localparam UNTIL_W  = $clog2((PANES > EACH ? PANES : EACH) + 1);

    initial begin
        if (PERIOD < 1 || CUT < 0 || CUT >= PERIOD || SLACK < 0 || PANES < 1 || EACH < 1) begin
            $display("ERROR: %m: PERIOD, PANES and EACH must be at least 1, SLACK at least 0, CUT below PERIOD");
            $finish;
        end
        if (LOW_W > WATTR_W) begin
            $display("ERROR: %m: WATTR_W = %0d bits are too few for PERIOD + SLACK", WATTR_W);
            $finish;
        end
    end

    // ---- Stage 1: the panes of the tuples; is the punctuation the one that is due? Compared in halves, for a faster
    // clock

    reg  [WATTR_W-1:0] latest_reg;     // the latest punctuation, where the oldest open pane begins
    reg  [DATA_W-1:0]  data_reg;
    reg                past_cut_reg;   // that pane is the one after the cut
    reg                early_reg;      // if it is not, the cut is not announced
    reg                started_reg;    // the session has begun
    reg                punct_reg;
    reg  [1:0]         due_reg;        // for each half of the punctuation: it equals that of the one that is due

    wire [LANES*SLOTS-1:0]        add;           // of stage 2, like the values
    wire [LANES*AGGS*VALUE_W-1:0] tuple_values;
    wire [LANES*AGGS-1:0]         tuple_nulls;
    wire [WATTR_W-1:0]            boundary = wattr[WATTR_W-1:0];

    localparam [WATTR_W-1:0] WHOLE = PERIOD, TO_CUT = CUT, FROM_CUT = PERIOD - CUT;
    wire [WATTR_W-1:0] length = CUT == 0 || early_reg ? WHOLE : past_cut_reg ? FROM_CUT : TO_CUT;

    // latest + length == wattr, without carry propagation: the carry that each bit of the three numbers requires must
    // be the one that the bit below generates.
    localparam HALF = WATTR_W / 2;
    wire [WATTR_W:0]   given  = {(latest_reg & length) | ((latest_reg | length) & ~boundary), 1'b0};
    wire [WATTR_W-1:0] match  = ~(latest_reg ^ length ^ boundary ^ given[WATTR_W-1:0]);
    wire               unused = &{1'b0, given[WATTR_W]};

    genvar i, l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : gen_lane
            reg  [SLOTS-1:0]        add_reg;
            reg  [AGGS*VALUE_W-1:0] values_reg;
            reg  [AGGS-1:0]         nulls_reg;
            wire [LOW_W-1:0]        distance = wattr[l*WATTR_W +: LOW_W] - latest_reg[LOW_W-1:0];
            wire [SLOTS:0]          reached;        // the tuple is at or above the start of the pane
            wire                    unused_bits = &{1'b0, distance, wattr[l*WATTR_W +: WATTR_W]};
            wire [AGGS-1:0]         lane_nulls  = nulls[l*AGGS +: AGGS];

            assign reached[0]     = 1'b1;
            assign reached[SLOTS] = 1'b0;

            for (i = 1; i < SLOTS; i = i + 1) begin : gen_begin
                localparam [LOW_W:0] AT_WHOLE = CUT == 0 ? i*PERIOD : (i/2)*PERIOD + (i % 2)*CUT;
                localparam [LOW_W:0] AT_CUT   = CUT == 0 ? i*PERIOD : ((i + 1)/2)*PERIOD - (i % 2)*CUT;
                assign reached[i] = {1'b0, distance} >= (past_cut_reg ? AT_CUT : AT_WHOLE);
            end

            always @(posedge clk) begin
                add_reg <= s_valid[l] && !rst ? reached[SLOTS-1:0] & ~reached[SLOTS:1] : {SLOTS{1'b0}};
                if (s_valid[l]) nulls_reg <= lane_nulls;
            end

            for (i = 0; i < AGGS; i = i + 1) begin : gen_value
                wire [VALUE_W-1:0] value = values[(l*AGGS + i)*VALUE_W +: VALUE_W];
                wire               none  = KINDS[24*i +: 24] == "SUM" && lane_nulls[i];
                always @(posedge clk)
                    if (s_valid[l]) values_reg[i*VALUE_W +: VALUE_W] <= none ? {VALUE_W{1'b0}} : value;
            end

            assign add[l*SLOTS +: SLOTS]                         = add_reg;
            assign tuple_values[l*AGGS*VALUE_W +: AGGS*VALUE_W] = values_reg;
            assign tuple_nulls[l*AGGS +: AGGS]                   = nulls_reg;
        end
    endgenerate

    always @(posedge clk) begin
        punct_reg <= s_punct && !rst;
        due_reg   <= {&match[WATTR_W-1:HALF], &(match | ({WATTR_W{1'b1}} << HALF))};
        if (s_punct) begin
            latest_reg <= boundary;
            data_reg   <= s_data;
        end
    end

    // ---- Stages 2 and 3: panes close. A punctuation is assumed to be the one that is due; if it is not, because the
    // session begins or jumps, everything is cleared in the next cycle.

    reg  [UNTIL_W-1:0] until_reg;                  // panes to close until the next window has ended
    reg                second_reg, second_due_reg; // the pane after the cut closes next
    reg                clear_reg;                  // the punctuation was not the one due
    reg                ended_reg;                  // if it was: a window has ended

    localparam [UNTIL_W-1:0] FIRST_END = PANES, NEXT_END = EACH, ONE = 1, TWO = 2;

    wire shift    = punct_reg || second_reg;
    wire both     = CUT != 0 && early_reg;
    wire past_cut = CUT != 0 && !past_cut_reg && !both;
    wire ends     = until_reg == ONE;
    wire [UNTIL_W-1:0] until = ends ? NEXT_END : both ? until_reg - TWO : until_reg - ONE;

    always @(posedge clk) begin
        if (punct_reg) begin
            until_reg    <= until;
            past_cut_reg <= past_cut;
            early_reg    <= !past_cut && until != ONE;
        end
        if (clear_reg) begin
            started_reg  <= 1'b1;
            until_reg    <= started_reg ? NEXT_END : FIRST_END;
            past_cut_reg <= CUT != 0 && started_reg;
            early_reg    <= !started_reg && FIRST_END != ONE;
        end
        clear_reg      <= punct_reg && !(started_reg && due_reg == 2'b11) && !rst;
        ended_reg      <= punct_reg && ends && !rst;
        second_due_reg <= punct_reg && both && !rst;
        second_reg     <= second_due_reg && !clear_reg && !rst;
        if (rst) started_reg <= 1'b0;
    end

    wire window = started_reg && (clear_reg || ended_reg);

    // ---- Stages 2 and 3: the open panes, the oldest in slot 0

    ws_lane_bank #(
        .LANES(LANES), .SLOTS(SLOTS), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W),
        .SKEW(SKEW)
    ) bank (
        .clk(clk), .rst(rst), .clear(clear_reg),
        .add(add), .values(tuple_values), .nulls(tuple_nulls), .shift(shift),
        .some(some), .states(states)
    );

    // ---- The events that close panes are delayed by the time that merging the lanes takes

    localparam STAGES  = $clog2(LANES);
    localparam EVENT_W = 3 + DATA_W;
    wire [(STAGES+1)*EVENT_W-1:0] events;

    assign events[EVENT_W-1:0]       = {clear_reg, shift, window, data_reg};
    assign {clear, push, last, data} = events[STAGES*EVENT_W +: EVENT_W];

    generate
        for (i = 0; i < STAGES; i = i + 1) begin : gen_stage
            reg  [EVENT_W-1:0] event_reg;
            wire [EVENT_W-1:0] event_before = events[i*EVENT_W +: EVENT_W];
            always @(posedge clk) event_reg <= {event_before[EVENT_W-1 -: 3] & {3{!rst}}, event_before[DATA_W-1:0]};
            assign events[(i + 1)*EVENT_W +: EVENT_W] = event_reg;
        end
    endgenerate

endmodule

`default_nettype wire
