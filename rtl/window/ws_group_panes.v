// SPDX-License-Identifier: Apache-2.0
//
// ws_group_panes: grouped aggregation over sliding windows in time, with a table only for each open pane and one that
// leaves, whatever RANGE / SLIDE is; one tuple a cycle, even if every tuple is a new group.
//
// A pane is GCD(RANGE, SLIDE) long. When one ends, every entry of the table takes its turn, one a cycle: its states
// move from the pane's table to block RAM, which holds the panes of a window; its sums exchange the oldest pane for the
// newest (ws_group_total), its numbers other than sums are updated (ws_group_blocks), but its last value replaces
// that of an older pane. At the end of a window each entry that had a tuple in the window gives a row: m_data is s_data
// of the punctuation, together with the key and the aggregates. m_eos and m_punct follow the last turn.
//
// Groups that outgrow the table: a tuple whose key has no entry leaves whole on o_*, a tuple bus of its own that also
// carries every punctuation of s. From then on no new key gets an entry until no window holds such a tuple. So for
// every window a key is either wholly in the rows or wholly in o_*, and a host can complete the result exactly.
//
// Requirements on the stream: see ws_window; ws_punctuator with STEP = GCD(RANGE, SLIDE) meets them.
//
// Parameters   DATA_W                width of the tuple in bits, at least 1
//              WATTR_W               width of the windowing attribute in bits, at least 1; it is not negative
//              RANGE                 length of a window, in units of the windowing attribute, at least 2; at least two
//                                    panes
//              SLIDE                 distance between the starts of two windows, in the same, at least 1
//              SLACK                 how late a tuple may be, in the same, at least 0; with AMN, AMX, FST or LST 0,
//                                    since panes keep the order of time and not that of arrival
//              KEY_W                 width of a key in bits, at least 1
//              CAPACITY              keys for which there is an entry, at least 2; of the tuples of any RANGE + 2 *
//                                    (SLACK + a pane) together, where SLACK is rounded up to panes, and skipped
//                                    windows count as one pane; a CAM has up to 240
//              AGGS, KINDS, SIGNEDS  see ws_group_window
//              VALUE_W               width of a value in bits, at least 1; at least 2 for all but CNT and SUM
//              ACC_W                 width of a result in bits, at least VALUE_W and at least 2
//              HASH                  0: a CAM, for up to 240 keys, ENTRIES = CAPACITY + 10; 1: a hash table in block
//                                    RAM, ENTRIES = 2 * CAPACITY up to a power of two, for 5 keys or more; see
//                                    ws_group_by
//              COUNT_W               width of a pane's count of a group in bits, 2 to ACC_W; 40 bits last for an hour
//                                    and a half of tuples in every cycle
//              FAR                   1: a register before the tables' write ports, for tables of many block RAMs;
//                                    0: none; default: HASH
// Ports        wattr, key, values, nulls: in step with s_data; the first aggregate in the most significant bits
//              m_key, results, result_nulls, result_overflows: in step with m_valid
// Latency      26 cycles from a window's end to the row of entry 0, a cycle more for each further entry; to m_eos 26 +
//              ENTRIES; 10 cycles from s to o; 3 more with the hash table; another to rows and m_eos with FAR, and
//              another if not all are CNT or SUM
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES ENTRIES + 25, 3 more with the hash table, another with FAR   CLOSE_ROWS ENTRIES
// Reset        the tables are cleared: the first tuple comes at least ENTRIES + 2 cycles later
// Overflow     o_valid for a tuple without an entry; result_overflows: the exact result, or a pane's sum at some
//              point, does not fit ACC_W bits, or a pane's count COUNT_W; the lowest bits are output
// Source       panes: Li et al., SIGMOD Record 34(1), 2005; constant time for groups is ours

`default_nettype none

module ws_group_panes #(
    parameter               DATA_W   = 64,
    parameter               WATTR_W  = 32,
    parameter               RANGE    = 600,
    parameter               SLIDE    = 60,
    parameter               SLACK    = 0,
    parameter               KEY_W    = 32,
    parameter               CAPACITY = 32,
    parameter               AGGS     = 2,
    parameter [24*AGGS-1:0] KINDS    = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS  = 2'b10,
    parameter               VALUE_W  = 32,
    parameter               ACC_W    = 64,
    parameter               HASH     = CAPACITY > 240,
    parameter               COUNT_W  = ACC_W < 40 ? ACC_W : 40,
    parameter               FAR      = HASH
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_valid,
    input  wire                    s_punct,
    input  wire                    s_eos,
    input  wire [DATA_W-1:0]       s_data,
    input  wire [WATTR_W-1:0]      wattr,
    input  wire [KEY_W-1:0]        key,
    input  wire [AGGS*VALUE_W-1:0] values,
    input  wire [AGGS-1:0]         nulls,

    output reg                     m_valid,
    output reg                     m_punct,
    output wire                    m_eos,
    output wire [DATA_W-1:0]       m_data,
    output reg  [KEY_W-1:0]        m_key,
    output reg  [AGGS*ACC_W-1:0]   results,
    output reg  [AGGS-1:0]         result_nulls,
    output reg  [AGGS-1:0]         result_overflows,

    output wire                    o_valid,
    output wire                    o_punct,
    output wire                    o_eos,
    output wire [DATA_W-1:0]       o_data
);

    initial if (VALUE_W < 1 || (HASH != 0 && HASH != 1) || (FAR != 0 && FAR != 1)) begin
        $display("ERROR: %m: VALUE_W = %0d (at least 1), HASH = %0d, FAR = %0d (0 or 1)", VALUE_W, HASH, FAR);
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

    // Whether some aggregate is neither a count nor a sum: results leave a cycle later.
    function has_order(input [24*AGGS-1:0] kinds);
        integer n;
        begin
            has_order = 1'b0;
            for (n = 0; n < AGGS; n = n + 1)
                has_order = has_order || (kinds[24*n +: 24] != "CNT" && kinds[24*n +: 24] != "SUM");
        end
    endfunction

    // Whether some aggregate depends on the order of arrival.
    function is_ordered(input [24*AGGS-1:0] kinds);
        integer n;
        begin
            is_ordered = 1'b0;
            for (n = 0; n < AGGS; n = n + 1)
                case (kinds[24*n +: 24]) "AMN", "AMX", "FST", "LST": is_ordered = 1'b1; default: ; endcase
        end
    endfunction

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_RANGE = RANGE, L_SLIDE = SLIDE, L_SLACK = SLACK;

    localparam signed [63:0] PANE   = gcd(L_RANGE, L_SLIDE);
    localparam integer       PANES  = L_RANGE/PANE;
    localparam integer       TABLES = (64'sd3*PANE + L_SLACK - 64'sd1)/PANE;    // for the open panes and one that leaves
`ifdef FORMAL
    localparam SPARE   = 0;         // in a proof, few turns, and keys are refused early
`else
    localparam SPARE   = 10;
`endif
    localparam ENTRIES = HASH != 0 ? 1 << $clog2(2*CAPACITY) : CAPACITY + SPARE;
    localparam INDEX_W = $clog2(ENTRIES), STATE_W = AGGS*(ACC_W + 2);
    localparam LOOK_UP = HASH != 0 ? 11 : 8;                    // cycles, see ws_group_keys
    localparam LATER   = has_order(KINDS);
    localparam GO      = LOOK_UP + (FAR != 0 ? 3 : 2);             // cycles
    localparam FLAGS   = 1 + 2*AGGS;     // a tuple; for each aggregate: a value, a sum that has overflowed
    localparam [INDEX_W-1:0] LAST = ENTRIES - 1;
    localparam [WATTR_W:0]   LENGTH = L_RANGE, APART = L_SLIDE;

    initial begin
        if (CAPACITY < 2 || (CAPACITY > 240 && HASH == 0) || AGGS < 1 || ACC_W < VALUE_W || ACC_W < 2) begin
            $display("ERROR: %m: CAPACITY = %0d (2 to 240, more with HASH), AGGS = %0d (at least 1), ACC_W = %0d",
                     CAPACITY, AGGS, ACC_W);
            $finish;
        end
        if (L_SLACK > 0 && is_ordered(KINDS)) begin
            $display("ERROR: %m: SLACK = %0d, must be 0 with AMN, AMX, FST or LST", SLACK);
            $finish;
        end
        if (COUNT_W < 2 || COUNT_W > ACC_W) begin
            $display("ERROR: %m: COUNT_W = %0d, must be 2 to ACC_W", COUNT_W);
            $finish;
        end
        if (L_SLIDE < 1 || L_SLACK < 0 || PANES < 2) begin
            $display("ERROR: %m: SLIDE = %0d (at least 1), SLACK = %0d (at least 0), RANGE = %0d (at least 2 panes)",
                     SLIDE, SLACK, RANGE);
            $finish;
        end
    end

    // ---- Stages 0 to 2: the pane of the tuple, the panes that end

    wire [TABLES-1:0]       pane_valid, pane_eos, unused_pane_punct;
    wire                    is_punct, unused_tuple, unused_eos, unused_pane_data;
    wire [DATA_W-1:0]       data_2;
    wire [KEY_W-1:0]        key_2;
    wire [AGGS*VALUE_W-1:0] values_2;
    wire [AGGS-1:0]         nulls_2;
    wire                    ends_2 = pane_eos != 0;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_window #(
        .DATA_W(1), .UNIT("TIME"), .SIZE(PANE), .ADVANCE(PANE), .SLACK(SLACK), .WATTR_W(WATTR_W), .COPIES(TABLES),
        .REGISTERED(2)
    ) panes (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(1'b0), .s_data(1'b0), .wattr(wattr),
        .m_valid(pane_valid), .m_punct(unused_pane_punct), .m_eos(pane_eos), .m_data(unused_pane_data), .m_end()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    ws_delay #(.DATA_W(DATA_W + KEY_W + AGGS*(VALUE_W + 1)), .N(2)) tuple (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data({s_data, key, values, nulls}),
        .m_valid(unused_tuple), .m_punct(is_punct), .m_eos(unused_eos), .m_data({data_2, key_2, values_2, nulls_2})
    );

    // ---- Ends of windows: the first is RANGE above the first punctuation. If a punctuation is beyond the next end,
    // that window and all others skipped are empty

    reg                started_reg, first_reg, ends_3_reg, ends_4_reg;
    reg  [WATTR_W-1:0] wattr_1_reg, wattr_2_reg, wattr_3_reg;
    reg                at_end_2_reg, beyond_2_reg;
    reg  [WATTR_W:0]   end_reg;                     // of the next window
    reg                at_end_reg, beyond_reg;
    reg                closes_reg, shows_reg;       // the pane that leaves ends a window; one that can hold tuples
    reg  [TABLES-1:0]  table_reg;                   // its table
    reg  [DATA_W-1:0]  data_reg;

    assign m_data = data_reg;

    always @(posedge clk) begin
        wattr_1_reg  <= wattr;
        wattr_2_reg  <= wattr_1_reg;
        wattr_3_reg  <= wattr_2_reg;
        at_end_2_reg <= {1'b0, wattr_1_reg} == end_reg;
        beyond_2_reg <= end_reg < {1'b0, wattr_1_reg};
        at_end_reg   <= at_end_2_reg;
        beyond_reg   <= beyond_2_reg;
        first_reg    <= is_punct && !started_reg && !rst;
        ends_3_reg   <= ends_2 && !rst;
        ends_4_reg   <= ends_3_reg && !rst;
        if (is_punct) started_reg <= 1'b1;
        if (first_reg) end_reg <= {1'b0, wattr_3_reg} + LENGTH;
        else if (ends_3_reg && (at_end_reg || beyond_reg)) end_reg <= {1'b0, wattr_3_reg} + APART;
        if (ends_3_reg) begin
            shows_reg  <= at_end_reg;
            closes_reg <= at_end_reg || beyond_reg;
        end
        if (ends_2) begin
            table_reg <= pane_eos;
            data_reg  <= data_2;
        end
        if (rst) started_reg <= 1'b0;
    end

    // ---- The tuple's entry, and its values in step with it

    wire [TABLES-1:0]       over = pane_eos | {TABLES{ends_2 && beyond_2_reg}};    // see ws_group_door
    wire [TABLES-1:0]       entered, unused_fresh;
    wire                    unused_short;
    wire [TABLES-1:0]       freed_9;
    wire [INDEX_W-1:0]      index;
    wire [KEY_W-1:0]        row_key;
    wire [15*INDEX_W-1:0]   turn;                   // by stage, the index in its turn

    ws_group_keys #(
        .DATA_W(DATA_W), .KEY_W(KEY_W), .ENTRIES(ENTRIES), .WINDOWS(TABLES), .PANES(PANES), .TABLE(HASH != 0 ? 2 : 1)
    ) keys (
        .clk(clk), .rst(rst),
        .s_windows(pane_valid), .s_punct(is_punct), .s_eos(over), .s_data(data_2), .key(key_2),
        .m_windows(entered), .m_fresh(unused_fresh), .m_index(index),
        .o_valid(o_valid), .o_punct(o_punct), .o_eos(o_eos), .o_short(unused_short), .o_data(o_data),
        .free_windows(freed_9), .free_index(turn[9*INDEX_W +: INDEX_W]),
        .read_index(turn[(8 + LATER)*INDEX_W +: INDEX_W]), .read_key(row_key)
    );

    wire [AGGS*VALUE_W-1:0] pane_values;
    wire [AGGS-1:0]         pane_nulls;

    ws_shift #(.DATA_W(AGGS*(VALUE_W + 1)), .N(LOOK_UP + 3)) operands (
        .clk(clk), .s_data({values_2, nulls_2}), .m_data({pane_values, pane_nulls})
    );

    // ---- The turns, once the last tuple of the pane is in its table; after a reset all tables are cleared

    reg                    turns_reg, clears_reg;
    reg  [INDEX_W-1:0]     turn_reg;
    reg  [GO-1:0]          go_reg;                  // a pane has ended; its last tuple is in flight to the table
    reg  [14:1]            step_reg, clear_reg, last_reg;
    reg  [14*INDEX_W-1:0]  turn_later_reg;

    assign turn = {turn_later_reg, turn_reg};

    always @(posedge clk) begin
        go_reg <= rst ? {GO{1'b0}} : {go_reg[GO-2:0], ends_4_reg};
        if (go_reg[GO-1]) turns_reg <= 1'b1;
        if (turns_reg) turn_reg <= turn_reg + 1'b1;
        if (turns_reg && turn_reg == LAST) begin
            turns_reg  <= 1'b0;
            turn_reg   <= {INDEX_W{1'b0}};
            clears_reg <= 1'b0;
        end
        if (rst) begin
            turns_reg  <= 1'b1;
            turn_reg   <= {INDEX_W{1'b0}};
            clears_reg <= 1'b1;
        end
        step_reg       <= rst ? 14'b0 : {step_reg[13:1], turns_reg};
        last_reg       <= rst ? 14'b0 : {last_reg[13:1], turns_reg && !clears_reg && turn_reg == LAST};
        clear_reg      <= {clear_reg[13:1], clears_reg};
        turn_later_reg <= {turn_later_reg[0 +: 13*INDEX_W], turn_reg};
    end

    // ---- The tables of panes: the states of the turn are valid at stage 7

    wire [TABLES*(STATE_W+1)-1:0] table_rows;
    wire [STATE_W-1:0]            states_7;
    wire                          used_7;
    wire [TABLES-1:0]             unused_rows;

    genvar t, a;
    generate
        for (t = 0; t < TABLES; t = t + 1) begin : gen_table
            wire               unused_first;
            wire [INDEX_W-1:0] unused_index;
            wire               unused = &{1'b0, unused_first, unused_index};

            ws_group_states #(
                .INDEX_W(INDEX_W), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W),
                .COUNT_W(COUNT_W), .CLEARS(1), .FAR(FAR)
            ) pane (
                .clk(clk), .rst(rst),
                .s_valid(entered[t]), .s_fresh(1'b0), .s_index(index), .values(pane_values), .nulls(pane_nulls),
                .s_read(turns_reg && (clears_reg || table_reg[t])), .read_index(turn_reg),
                .m_states(table_rows[t*(STATE_W+1) +: STATE_W]), .m_used(table_rows[t*(STATE_W+1) + STATE_W]),
                .first(unused_first), .index(unused_index)
            );
        end
    endgenerate

    ws_group_merge #(
        .WINDOWS(TABLES), .DATA_W(STATE_W + 1), .FAR(HASH != 0 && TABLES <= 4)
    ) all_tables (
        .clk(clk), .rst(rst),
        .s_valid(table_reg), .s_data(table_rows), .m_valid(unused_rows), .m_data({used_7, states_7})
    );

    // ---- Stages 4 to 9: whether some pane of the window has a tuple, a value, a sum that has overflowed

    wire [FLAGS-1:0] flags_7, any_8;

    assign flags_7[0] = used_7;

    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_flags
            localparam COUNTS = KINDS[24*a +: 24] == "CNT", SUMS = KINDS[24*a +: 24] == "SUM";
            localparam NUMBER_W = COUNTS ? COUNT_W : SUMS ? ACC_W : VALUE_W;
            assign flags_7[1 + 2*a] = !COUNTS && states_7[a*(ACC_W+2) + NUMBER_W];
            assign flags_7[2 + 2*a] = (COUNTS || SUMS) && states_7[a*(ACC_W+2) + NUMBER_W + 1];
        end
    endgenerate

    ws_group_ages #(.INDEX_W(INDEX_W), .PANES(PANES), .TABLES(TABLES), .FLAGS(FLAGS)) ages (
        .clk(clk), .rst(rst),
        .read_index(turn[4*INDEX_W +: INDEX_W]), .leaving(table_reg), .flags(flags_7),
        .step(step_reg[8]), .clear(clear_reg[8]), .any(any_8),
        .write(step_reg[9]), .write_index(turn[9*INDEX_W +: INDEX_W]), .freed(freed_9)
    );

    // ---- Stages 4 to 10, a stage more if not all are CNT or SUM: the aggregates of the window, and the row

    localparam OUT = 10 + LATER;
    wire [FLAGS-1:0] any_out;
    reg              row_9_reg, row_10_reg;
    wire             row = LATER ? row_10_reg : row_9_reg;
    reg              row_out_reg;

    ws_shift #(.DATA_W(FLAGS), .N(OUT - 8)) flags (.clk(clk), .s_data(any_8), .m_data(any_out));

    reg done_reg;

    assign m_eos = m_punct;

    always @(posedge clk) begin
        row_9_reg   <= step_reg[8] && !clear_reg[8] && any_8[0] && shows_reg && !rst;
        row_10_reg  <= row_9_reg && !rst;
        row_out_reg <= row && !rst;
        m_valid     <= row_out_reg && !rst;
        done_reg    <= last_reg[OUT] && closes_reg && !rst;
        m_punct     <= done_reg && !rst;
        m_key       <= row_key;
    end

    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_result
            localparam [23:0] KIND      = KINDS[24*a +: 24];
            localparam        IS_COUNT  = KIND == "CNT";
            localparam        FLAGGED   = KIND == "FST" || KIND == "AMN" || KIND == "AMX";    // see ws_pane_pick
            localparam        IS_OTHER  = FLAGGED || KIND == "MIN" || KIND == "MAX" || KIND == "LST" || KIND == "BOR"
                                       || KIND == "XOR";
            localparam        IS_SIGNED = SIGNEDS[a] && !IS_COUNT;
            wire              seen      = any_out[1 + 2*a];

            if (IS_COUNT || KIND == "SUM") begin : gen_total
                localparam NUMBER_W = IS_COUNT ? COUNT_W : ACC_W, SUM_W = NUMBER_W + $clog2(PANES);
                wire [SUM_W-1:0]       sum_9;
                wire [SUM_W+ACC_W-1:0] wide_9 = {{ACC_W{IS_SIGNED && sum_9[SUM_W-1]}}, sum_9};
                wire [SUM_W-1:0]       rest_9 = wide_9[ACC_W +: SUM_W];
                wire [ACC_W:0]         sum_out;      // the top bit: it does not fit
                reg  [ACC_W:0]         sum_10_reg;

                ws_group_total #(
                    .NUMBER_W(NUMBER_W), .SIGNED(IS_SIGNED), .PANES(PANES), .ENTRIES(ENTRIES)
                ) window (
                    .clk(clk), .rst(rst),
                    .step(turns_reg), .clear(clears_reg), .index(turn_reg),
                    .pane(states_7[a*(ACC_W+2) +: NUMBER_W]), .result(sum_9)
                );

                always @(posedge clk)
                    sum_10_reg <= {rest_9 != {SUM_W{IS_SIGNED && wide_9[ACC_W-1]}}, wide_9[ACC_W-1:0]};

                ws_shift #(.DATA_W(ACC_W + 1), .N(LATER)) sum (.clk(clk), .s_data(sum_10_reg), .m_data(sum_out));

                always @(posedge clk) begin
                    results[a*ACC_W +: ACC_W] <= sum_out[ACC_W-1:0];
                    result_nulls[a]           <= !IS_COUNT && !seen;
                    result_overflows[a]       <= sum_out[ACC_W] || any_out[2 + 2*a];
                end
            end else if (IS_OTHER) begin : gen_order
                wire               seen_7  = flags_7[1 + 2*a];
                wire [VALUE_W-1:0] value_7 = states_7[a*(ACC_W+2) +: VALUE_W];
                wire [VALUE_W-1:0] number_11;

                if (KIND == "LST") begin : gen_latest
                    // Of the newest pane that has one; its age says whether it is still in the window.
                    wire [VALUE_W-1:0]   kept_6;
                    reg  [VALUE_W-1:0]   kept_7_reg;
                    reg  [4*VALUE_W-1:0] latest_reg;            // stage 8 in the lowest bits

                    assign number_11 = latest_reg[3*VALUE_W +: VALUE_W];

                    always @(posedge clk) begin
                        kept_7_reg <= kept_6;
                        latest_reg <= {latest_reg[0 +: 3*VALUE_W], seen_7 ? value_7 : kept_7_reg};
                    end

                    ws_ram_sdp #(.DATA_W(VALUE_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) latest (
                        .clk(clk),
                        .wr_en(step_reg[9]), .wr_addr(turn[9*INDEX_W +: INDEX_W]),
                        .wr_data(latest_reg[VALUE_W +: VALUE_W]),
                        .rd_en(1'b1), .rd_addr(turn[4*INDEX_W +: INDEX_W]), .rd_data(kept_6)
                    );
                end else begin : gen_blocks
                    localparam NUMBER_W = FLAGGED ? VALUE_W + 1 : VALUE_W;
                    wire [NUMBER_W-1:0] nothing, number;
                    wire [VALUE_W:0]    seen_value_7 = {1'b1, value_7};
                    wire                unused_seen  = &{1'b0, seen_value_7, number};

                    assign number_11 = number[VALUE_W-1:0];

                    ws_group_blocks #(
                        .KIND(KIND), .SIGNED(IS_SIGNED), .NUMBER_W(NUMBER_W), .PANES(PANES), .ENTRIES(ENTRIES)
                    ) window (
                        .clk(clk), .rst(rst),
                        .step(turns_reg), .clear(clears_reg), .index(turn_reg),
                        .pane(seen_7 ? seen_value_7[NUMBER_W-1:0] : nothing), .identity(nothing), .result(number)
                    );
                end

                wire [ACC_W+VALUE_W-1:0] wide = {{ACC_W{IS_SIGNED && number_11[VALUE_W-1]}}, number_11};
                wire unused_wide = &{1'b0, wide};

                always @(posedge clk) begin
                    results[a*ACC_W +: ACC_W] <= seen ? wide[ACC_W-1:0] : {ACC_W{1'b0}};
                    result_nulls[a]           <= !seen;
                    result_overflows[a]       <= 1'b0;
                end
            end else begin : gen_none
                initial begin
                    $display("ERROR: %m: KIND = \"%0s\", must be one of ws_fold", KIND);
                    $finish;
                end
            end
        end
    endgenerate

    wire unused = &{1'b0, unused_pane_punct, unused_tuple, unused_eos, unused_pane_data, unused_fresh, unused_short,
                    unused_rows, step_reg, clear_reg, last_reg, turn, states_7, any_out, row_10_reg};

`ifdef FORMAL
    // The tuples of an arbitrary key, counted by pane (for KINDS = "CNT" and SLIDE = a pane), and the key's row of each
    // window. A tuple sent is examined when it is known whether it is refused.
    localparam REFUSAL = LOOK_UP + 2, FIRST = 24 - 8 + GO, CLOSE_CYCLES = ENTRIES + FIRST - 1;
    localparam NEAR = FAR != 0 ? 8 : 6;     // tuples come as far apart as states are forwarded
    (* anyconst *) wire [KEY_W-1:0] key_ref;
    reg                        past_valid = 1'b0;
    reg  [REFUSAL-1:0]         valid_ref, punct_ref, mine_ref, counts_ref;    // sent n + 1 cycles ago
    reg  [REFUSAL*DATA_W-1:0]  sent_ref;
    reg  [PANES*8-1:0]         panes_ref;               // the newest in the lowest bits
    reg  [PANES-1:0]           taken_ref, refused_ref;  // panes in which tuples were
    reg  [7:0]                 sum_ref, due_ref;
    reg  [DATA_W-1:0]          data_ref;
    reg                        some_ref, seen_ref, open_ref;    // of the last window: a row is due, was output
    reg  [7:0]                 gap_ref, since_ref, ended_ref;   // cycles after a punctuation sent, and known; panes
    reg  [WATTR_W-1:0]         low_ref;
    wire                       known = valid_ref[REFUSAL-1], ends = punct_ref[REFUSAL-1], mine = mine_ref[REFUSAL-1];
    wire                       window = ends && ended_ref >= PANES;
    wire [DATA_W-1:0]          told_ref = sent_ref[(REFUSAL-1)*DATA_W +: DATA_W];
    integer                    i;

    always @* begin
        sum_ref = 0;
        for (i = 0; i < PANES; i = i + 1) sum_ref = sum_ref + panes_ref[i*8 +: 8];
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        valid_ref  <= {valid_ref, s_valid};
        punct_ref  <= {punct_ref, s_punct};
        mine_ref   <= {mine_ref, s_valid && key == key_ref};
        counts_ref <= {counts_ref, !nulls[0]};
        sent_ref   <= {sent_ref, s_data};
        gap_ref    <= s_punct ? 1 : gap_ref + 1;
        since_ref  <= ends ? 1 : since_ref + (since_ref != 255);
        if (s_punct) low_ref <= wattr;

        if (mine) begin
            panes_ref[0 +: 8]     <= panes_ref[0 +: 8] + counts_ref[REFUSAL-1];
            taken_ref[0]          <= taken_ref[0] || !o_valid;
            refused_ref[0]        <= refused_ref[0] || o_valid;
        end
        if (ends) begin
            panes_ref   <= panes_ref << 8;
            taken_ref   <= taken_ref << 1;
            refused_ref <= refused_ref << 1;
            ended_ref   <= ended_ref + (ended_ref < PANES);
        end
        if (window) begin
            due_ref  <= sum_ref;
            data_ref <= told_ref;
            some_ref <= taken_ref != 0;
            seen_ref <= 1'b0;
            open_ref <= 1'b1;
        end
        if (m_valid && m_key == key_ref) seen_ref <= 1'b1;
        if (m_eos) open_ref <= 1'b0;
        if (rst) begin
            valid_ref <= 0; punct_ref <= 0; mine_ref <= 0; panes_ref <= 0; taken_ref <= 0; refused_ref <= 0;
            gap_ref <= CLOSE_CYCLES - ENTRIES - 3; ended_ref <= 0; since_ref <= 255; open_ref <= 1'b0;
        end

        if (!past_valid) assume (rst);
        else begin
            // a pane ends as soon as allowed; tuples come right after a punctuation and right before one
            assume (!rst && s_punct == (gap_ref == CLOSE_CYCLES) && !(s_valid && s_punct));
            if (s_valid)
                assume (started_reg && wattr - low_ref < PANE && (gap_ref < NEAR || gap_ref > CLOSE_CYCLES - 4));
            if (s_punct) assume (started_reg ? wattr == low_ref + PANE : wattr <= PANES);

            // refused tuples leave, with every punctuation; for a window a key is wholly in or wholly out
            ref_sent: assert (o_punct == ends && (!o_valid || known));
            if (o_valid || o_punct) ref_data: assert (o_data == told_ref);
            if (window) ref_whole: assert (taken_ref == 0 || refused_ref == 0);
            // a row for each key with a tuple in the window, with all of its tuples, then the end
            ref_when: assert (m_eos == (open_ref && since_ref == FIRST - REFUSAL + ENTRIES));
            if (m_valid) ref_row: assert (open_ref && m_data == data_ref);
            if (m_valid && m_key == key_ref) begin
                ref_count: assert (some_ref && !seen_ref && results == due_ref[ACC_W-1:0]);
                ref_wide:  assert (result_overflows == (due_ref >> ACC_W != 0));
            end
            if (m_eos) ref_all: assert (seen_ref == some_ref);
        end
        cover (past_valid && m_valid && m_key == key_ref && results == 3 && panes_ref[0 +: 8] == 1);
        if (KEY_W > 1) cover (past_valid && o_valid && ended_ref == PANES);       // more keys than entries
        cover (past_valid && m_eos && !some_ref);
    end
`endif

endmodule

`default_nettype wire
