// SPDX-License-Identifier: Apache-2.0
//
// ws_wid_aggregate: a sliding-window aggregate over tuples that arrive out of order, one accumulator an open window.
//
// Window i is [start + i*SLIDE, start + i*SLIDE + RANGE). A tuple is added, in one cycle, to every open window that
// holds its windowing attribute; a punctuation that reaches the end of the oldest window emits it. The accumulators
// are kept in order of their windows and move down by one at a close: the oldest is always number 0, so that one end
// register and differences to it replace a begin, an end and a result multiplexer for each window.
//
// What the stream must keep (ws_punctuator sees to it): the first punctuation after reset is `start`; every end of a
// window that may hold a tuple has its own punctuation; a punctuation above that is the end of some window; a tuple
// is not below the latest punctuation and not SLACK or more above the end of the oldest open window.
//
// Parameters   DATA_W               width of the tuple in bits
//              WATTR_LSB, WATTR_W   place of the windowing attribute, not negative
//              VALUE_LSB, VALUE_W   place of the aggregated field, two's complement (COUNT ignores it)
//              AGG                  "COUNT", "SUM", "MIN" or "MAX"
//              AGG_W                width of the accumulators in bits: COUNT 2 to 64, SUM VALUE_W to 64; MIN and MAX
//                                   have VALUE_W whatever it says
//              RANGE, SLIDE, SLACK  in units of the windowing attribute; RANGE and SLIDE at least 1
//              EMIT_EMPTY           1: a window without tuples gives a row too (count 0, else null)
// Result       m_data = {window's end[63:0], value[63:0], flags[7:0]}; flags[0]: the accumulator overflowed at some
//              tuple of the window, flags[1]: null, the value is 0. After each window m_punct repeats its
//              end.
// Latency      2 cycles from a closing punctuation to its row, 3 to the punctuation behind it
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES 2    CLOSE_ROWS 1
// Overflow     flags[0] and evt_overflow, once a row; the value wraps
// Source       Oge et al., MCSoC 2013: N_WIN from equations 1-2, windows as in algorithms 1-2

`default_nettype none

module ws_wid_aggregate #(
    parameter        DATA_W     = 128,
    parameter        WATTR_LSB  = 0,
    parameter        WATTR_W    = 32,
    parameter        VALUE_LSB  = 32,
    parameter        VALUE_W    = 32,
    parameter [39:0] AGG        = "COUNT",
    parameter        AGG_W      = 64,
    parameter        RANGE      = 600,
    parameter        SLIDE      = 60,
    parameter        SLACK      = 60,
    parameter        EMIT_EMPTY = 0
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,

    output reg               m_valid,
    output reg               m_punct,
    output wire              m_eos,
    output wire [135:0]      m_data,

    output wire              evt_overflow
);

    // Smallest number of windows that can be open at once: equations 1 and 2 of the paper.
    localparam N_WIN = (RANGE + SLACK + SLIDE - 1) / SLIDE;

    localparam IS_COUNT = AGG == "COUNT";
    localparam IS_SUM   = AGG == "SUM";
    localparam IS_MIN   = AGG == "MIN";
    localparam ACC_W    = IS_COUNT || IS_SUM ? AGG_W : VALUE_W;
    localparam DIST_W   = $clog2(SLIDE + RANGE + SLACK + 1);  // of a tuple's distance from the oldest window

    initial begin
        if (RANGE < 1 || SLIDE < 1 || SLACK < 0) begin
            $display("ERROR: %m: RANGE and SLIDE must be at least 1, SLACK at least 0");
            $finish;
        end
        if (AGG != "COUNT" && AGG != "SUM" && AGG != "MIN" && AGG != "MAX") begin
            $display("ERROR: %m: AGG = \"%0s\", must be COUNT, SUM, MIN or MAX", AGG);
            $finish;
        end
        if (AGG_W < 2 || AGG_W > 64 || VALUE_W > 64 || (IS_SUM && AGG_W < VALUE_W)) begin
            $display("ERROR: %m: AGG_W = %0d, VALUE_W = %0d: must be at most 64, and a SUM hold its values",
                     AGG_W, VALUE_W);
            $finish;
        end
        if (WATTR_LSB + WATTR_W > DATA_W || VALUE_LSB + VALUE_W > DATA_W || WATTR_W > 64 || DIST_W > WATTR_W) begin
            $display("ERROR: %m: a field is outside of the tuple, or RANGE + SLIDE + SLACK outside of the attribute");
            $finish;
        end
    end

    // ---- Stage 1: which windows hold the tuple; does the punctuation close the oldest?

    // The attribute as a distance from `origin`, SLIDE before the oldest window: never negative, and small, so that
    // its low bits tell all.
    wire [WATTR_W-1:0] wattr = s_data[WATTR_LSB +: WATTR_W];
    reg                started_reg;
    reg  [WATTR_W:0]   end_reg;     // end of the oldest open window
    localparam [WATTR_W:0] END_RANGE = RANGE;
    localparam [WATTR_W:0] END_SLIDE = SLIDE;
    reg  [DIST_W-1:0]  origin_reg;  // end_reg - RANGE - SLIDE

    wire [DIST_W-1:0]  distance = wattr[DIST_W-1:0] - origin_reg;
    wire [N_WIN-1:0]   holds;

    genvar i;
    generate
        for (i = 0; i < N_WIN; i = i + 1) begin : window
            localparam [DIST_W:0] FIRST = (i + 1)*SLIDE;
            localparam [DIST_W:0] AFTER = (i + 1)*SLIDE + RANGE;
            assign holds[i] = {1'b0, distance} >= FIRST && {1'b0, distance} < AFTER;
        end
    endgenerate

    wire               closes = started_reg && {1'b0, wattr} >= end_reg;
    reg  [N_WIN-1:0]   add_reg;
    reg                close_reg;
    reg  [WATTR_W-1:0] close_end_reg;
    reg  [VALUE_W-1:0] value_reg;

    always @(posedge clk) begin
        add_reg       <= s_valid ? holds : {N_WIN{1'b0}};
        value_reg     <= s_data[VALUE_LSB +: VALUE_W];
        close_reg     <= s_punct && closes;
        close_end_reg <= wattr;
        if (s_punct) begin
            started_reg <= 1'b1;
            if (!started_reg) begin
                end_reg    <= {1'b0, wattr} + END_RANGE;
                origin_reg <= wattr[DIST_W-1:0] - SLIDE[DIST_W-1:0];
            end else if (closes) begin
                end_reg    <= {1'b0, wattr} + END_SLIDE;
                origin_reg <= wattr[DIST_W-1:0] - RANGE[DIST_W-1:0];
            end
        end
        if (rst) begin
            started_reg <= 1'b0;
            add_reg     <= {N_WIN{1'b0}};
            close_reg   <= 1'b0;
        end
    end

    // ---- Stage 2: the accumulators; a close moves each into the place of the one before it

    reg  [N_WIN-1:0]       some_reg;      // the window holds a tuple
    reg  [N_WIN-1:0]       overflow_reg;
    wire [N_WIN*ACC_W-1:0] acc;
    wire [N_WIN-1:0]       overflow;

    wire [N_WIN-1:0]       some_moved     = close_reg ? some_reg >> 1 : some_reg;
    wire [N_WIN-1:0]       overflow_moved = close_reg ? overflow_reg >> 1 : overflow_reg;

    always @(posedge clk) begin
        some_reg     <= some_moved | add_reg;
        overflow_reg <= overflow_moved | overflow;
        if (rst) begin
            some_reg     <= {N_WIN{1'b0}};
            overflow_reg <= {N_WIN{1'b0}};
        end
    end

    generate
        for (i = 0; i < N_WIN; i = i + 1) begin : accumulator
            reg  [ACC_W-1:0] acc_reg;
            wire [ACC_W-1:0] acc_above = i == N_WIN - 1 ? {ACC_W{1'b0}} : acc[((i + 1) % N_WIN)*ACC_W +: ACC_W];
            wire [ACC_W-1:0] acc_moved = close_reg ? acc_above : acc_reg;
            assign acc[i*ACC_W +: ACC_W] = acc_reg;

            if (IS_COUNT) begin : count
                assign overflow[i] = add_reg[i] && (&acc_reg);
                always @(posedge clk)
                    acc_reg <= rst ? {ACC_W{1'b0}} : acc_moved + {{(ACC_W-1){1'b0}}, add_reg[i]};
            end else if (IS_SUM) begin : sum
                wire [ACC_W-1:0] value = {{(ACC_W-VALUE_W){value_reg[VALUE_W-1]}}, value_reg};
                wire [ACC_W-1:0] term  = add_reg[i] ? value : {ACC_W{1'b0}};
                wire [ACC_W-1:0] total = acc_moved + term;
                assign overflow[i] = (acc_moved[ACC_W-1] == term[ACC_W-1]) && (total[ACC_W-1] != term[ACC_W-1]);
                always @(posedge clk) acc_reg <= rst ? {ACC_W{1'b0}} : total;
            end else begin : extremum
                wire better = IS_MIN ? $signed(value_reg) < $signed(acc_reg) : $signed(value_reg) > $signed(acc_reg);
                assign overflow[i] = 1'b0;
                always @(posedge clk)
                    acc_reg <= add_reg[i] && (!some_reg[i] || better) ? value_reg : acc_moved;
            end
        end
    endgenerate

    // The row leaves with the close; the punctuation follows in the next cycle, from the same register.
    reg  [WATTR_W-1:0] row_end_reg;
    reg  [ACC_W-1:0]   row_value_reg;
    reg                row_overflow_reg, row_null_reg;
    reg                close_row_reg;

    always @(posedge clk) begin
        m_valid       <= close_reg && (some_reg[0] || EMIT_EMPTY != 0) && !rst;
        close_row_reg <= close_reg && !rst;
        m_punct       <= close_row_reg && !rst;
        if (close_reg) begin
            row_end_reg      <= close_end_reg;
            // An extremum's accumulator holds anything until its window's first tuple; the others begin at 0.
            row_value_reg    <= IS_COUNT || IS_SUM || some_reg[0] ? acc[ACC_W-1:0] : {ACC_W{1'b0}};
            row_overflow_reg <= overflow_reg[0];
            row_null_reg     <= !some_reg[0] && !IS_COUNT;
        end
    end

    assign m_eos          = 1'b0;
    assign m_data[135:72] = {{(64-WATTR_W){1'b0}}, row_end_reg};
    assign m_data[8 +: ACC_W] = row_value_reg;
    generate
        if (ACC_W < 64) begin : extend
            assign m_data[71:8+ACC_W] = {(64-ACC_W){!IS_COUNT && row_value_reg[ACC_W-1]}};
        end
    endgenerate
    assign m_data[7:0]    = {6'b0, row_null_reg, row_overflow_reg};

    assign evt_overflow = m_valid && row_overflow_reg;

endmodule

`default_nettype wire
