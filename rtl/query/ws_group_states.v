// SPDX-License-Identifier: Apache-2.0
//
// ws_group_states: the states of the groups of one window or pane in block RAM, updated by a tuple a cycle and read one
// row at a time.
//
// Sums and counts are added in two halves, the upper one two cycles after the lower, since it may be far away on the
// chip. The others are compared in two halves, the lower one a cycle after the upper; tuples of a group in successive
// cycles are first combined with each other, then with the group's earlier state, so that no cycle has more than one
// comparison.
//
// Parameters   INDEX_W   2**INDEX_W groups
//              AGGS, KINDS, SIGNEDS, VALUE_W, ACC_W   the aggregates, see ws_fold; ACC_W is at least 2, for all but
//                        CNT and SUM so is VALUE_W
//              COUNT_W   ACC_W of a CNT, 2 to ACC_W
//              CLEARS    0: a tuple with s_fresh begins its group; 1: reading a row empties its group, and s_fresh is
//                        ignored
//              FAR       1: a register before the tables' write ports, for tables of many block RAMs
// Ports        s_valid: a tuple of group s_index; values and nulls come 3 cycles later
//              s_read: a row of group read_index; not with s_valid, and 6 cycles after the last tuple of its group,
//              7 with FAR
//              m_states: states of ws_fold, which makes results of them, all 0 for an empty group; m_used: there was
//              a tuple, with CLEARS
//              first, index: s_valid with s_fresh, and s_index, a cycle later
// Latency      5 cycles from s_read to m_states
// Issue rate   1 tuple a cycle, also for one group, or 1 row
// Reset        discards tuples and rows in flight, not the states
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.5.4; the read-modify-write of a table is ours

`default_nettype none

module ws_group_states #(
    parameter                 INDEX_W  = 6,
    parameter                 AGGS     = 1,
    parameter [24*AGGS-1:0]   KINDS    = "SUM",
    parameter [AGGS-1:0]      SIGNEDS  = 1,
    parameter                 VALUE_W  = 32,
    parameter                 ACC_W    = 64,
    parameter                 COUNT_W  = ACC_W,
    parameter                 CLEARS   = 0,
    parameter                 FAR      = 0
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      s_valid,
    input  wire                      s_fresh,
    input  wire [INDEX_W-1:0]        s_index,
    input  wire [AGGS*VALUE_W-1:0]   values,
    input  wire [AGGS-1:0]           nulls,

    input  wire                      s_read,
    input  wire [INDEX_W-1:0]        read_index,
    output wire [AGGS*(ACC_W+2)-1:0] m_states,
    output wire                      m_used,

    output wire                      first,
    output wire [INDEX_W-1:0]        index
);

    // ---- Stage 0: registers of this window alone, since their inputs go to all windows; a row's entry, in its turn

    reg  [6:0]           valid_reg;               // bit n: in stage n
    reg  [7:0]           writes_reg;              // the same, and with CLEARS rows too
    reg  [5:0]           fresh_reg;
    reg  [8*INDEX_W-1:0] index_reg;
    wire [INDEX_W-1:0]   index_0 = index_reg[0 +: INDEX_W];

    assign first = valid_reg[0] && fresh_reg[0];
    assign index = index_0;

    always @(posedge clk) begin
        valid_reg  <= rst ? 7'b0 : {valid_reg[5:0], s_valid};
        writes_reg <= rst ? 8'b0 : {writes_reg[6:0], s_valid || (CLEARS != 0 && s_read)};
        fresh_reg  <= {fresh_reg[4:0], CLEARS != 0 ? s_read : s_fresh};
        index_reg[INDEX_W +: 7*INDEX_W] <= index_reg[0 +: 7*INDEX_W];
        if (s_valid || s_read) index_reg[0 +: INDEX_W] <= s_read ? read_index : s_index;
    end

    // ---- Stages 0 to 2: where the state is, if a tuple of the group was 1 to 5 before, or 6 with FAR. Indices are
    // compared in pairs of bits as they enter stage 0

    localparam PAIRS = (INDEX_W + 1)/2;
    localparam AHEAD = FAR != 0 ? 6 : 5;

    reg  [6:1] ahead_1_reg;
    reg  [6:2] chain_reg;                  // bit n: in stage n
    reg  [5:2] second_reg;                 // of the tuple 2 before
    reg  [2:0] source_2_reg, source_3_reg, source_4_reg;   // see ws_group_table

    genvar a, d, p;
    generate
        if (FAR == 0) begin : gen_five
            wire unused = valid_reg[6];
            always @(posedge clk) ahead_1_reg[6] <= 1'b0;
        end
        for (d = 1; d <= AHEAD; d = d + 1) begin : gen_ahead
            reg [PAIRS-1:0] equal_0_reg;
            for (p = 0; p < PAIRS; p = p + 1) begin : gen_pair
                localparam BITS = INDEX_W - 2*p < 2 ? INDEX_W - 2*p : 2;
                always @(posedge clk)
                    equal_0_reg[p] <= s_index[2*p +: BITS] == index_reg[(d-1)*INDEX_W + 2*p +: BITS];
            end
            always @(posedge clk)
                ahead_1_reg[d] <= valid_reg[0] && valid_reg[d] && equal_0_reg == {PAIRS{1'b1}};
        end
    endgenerate

    always @(posedge clk) begin
        chain_reg    <= {chain_reg[5:2], ahead_1_reg[1]};
        second_reg   <= {second_reg[4:2], ahead_1_reg[2]};
        source_2_reg <= ahead_1_reg[3] ? 3'd4 : ahead_1_reg[4] ? 3'd5 : ahead_1_reg[5] ? 3'd6
                      : ahead_1_reg[6] ? 3'd7 : 3'd0;
        source_3_reg <= source_2_reg;
        source_4_reg <= source_3_reg;
    end

    // ---- Stages 0 to 7: the tables; a row leaves from stage 4

    wire [INDEX_W-1:0] index_1 = index_reg[1*INDEX_W +: INDEX_W];
    wire [INDEX_W-1:0] index_2 = index_reg[2*INDEX_W +: INDEX_W];
    wire [INDEX_W-1:0] index_5 = index_reg[5*INDEX_W +: INDEX_W];
    wire [INDEX_W-1:0] index_6 = index_reg[6*INDEX_W +: INDEX_W];
    wire [INDEX_W-1:0] index_7 = index_reg[7*INDEX_W +: INDEX_W];

    // Signals that only sums need, and that only the others need.
    wire unused_without_sum = &{1'b0, index_5, chain_reg[6], writes_reg};
    wire unused_with_sum    = &{1'b0, index_1, index_6};

    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_table
            localparam [23:0] KIND     = KINDS[a*24 +: 24];
            localparam        IS_COUNT = KIND == "CNT";
            localparam        ADDS     = IS_COUNT || KIND == "SUM";
            localparam        NUMBER_W = IS_COUNT ? COUNT_W : ADDS ? ACC_W : VALUE_W;
            reg                 none_reg;      // stage 3: no tuple, or a null
            reg  [VALUE_W-1:0]  value_reg;
            wire [NUMBER_W+1:0] row;

            always @(posedge clk) begin
                none_reg  <= !valid_reg[2] || nulls[a];
                value_reg <= values[a*VALUE_W +: VALUE_W];
            end

            if (ADDS) begin : gen_sum
                localparam IS_SIGNED = SIGNEDS[a] && !IS_COUNT;
                localparam LOW       = NUMBER_W/2;
                localparam HIGH      = NUMBER_W - LOW;
                // Numbers with one more sign bit. It shows that a sum has overflowed, as the next step or row records.
                wire [NUMBER_W:0]  term;
                reg  [NUMBER_W:0]  term_4_reg;
                reg  [HIGH:0]   term_5_reg, term_6_reg;
                reg  [6:4]      take_reg;
                reg             carry_5_reg, carry_6_reg;
                reg  [LOW-1:0]  row_3_reg, row_4_reg;
                wire [LOW-1:0]  low_row, low;
                wire [HIGH+2:0] high_row, high;                // {left, seen, sign, number}
                wire [LOW:0]    low_total  = {1'b0, low} + {1'b0, term_4_reg[LOW-1:0]};
                // The carry enters at the lowest bit of a chain that is a bit longer.
                wire [HIGH+1:0] high_total = {IS_SIGNED && high[HIGH-1], high[HIGH-1:0], 1'b1}
                                           + {term_6_reg, carry_6_reg};
                wire            left       = high[HIGH+2] || high[HIGH] != (IS_SIGNED && high[HIGH-1]);
                wire            row_left   = high_row[HIGH+2] || high_row[HIGH] != (IS_SIGNED && high_row[HIGH-1]);
                wire            unused     = &{1'b0, value_reg, high_total[0]};

                if (IS_COUNT) begin : gen_one
                    assign term = {{NUMBER_W{1'b0}}, 1'b1};
                end else begin : gen_value
                    assign term = {{(NUMBER_W+1-VALUE_W){IS_SIGNED && value_reg[VALUE_W-1]}}, value_reg};
                end

                always @(posedge clk) begin
                    term_4_reg  <= none_reg ? {(NUMBER_W+1){1'b0}} : term;
                    term_5_reg  <= term_4_reg[NUMBER_W:LOW];
                    term_6_reg  <= term_5_reg;
                    take_reg    <= {take_reg[5:4], !none_reg};
                    carry_5_reg <= low_total[LOW];
                    carry_6_reg <= carry_5_reg;
                    row_3_reg   <= low_row;
                    row_4_reg   <= row_3_reg;
                end

                ws_group_table #(.DATA_W(LOW), .INDEX_W(INDEX_W), .FAR(FAR)) low_table (
                    .clk(clk),
                    .read_index(index_0), .table_state(low_row),
                    .source(source_2_reg), .fresh(fresh_reg[3]), .second(second_reg[3]),
                    .hold(1'b0), .chain(chain_reg[4]),
                    .state(low), .next(low_total[LOW-1:0]),
                    .write(writes_reg[5]), .write_index(index_5)
                );

                ws_group_table #(.DATA_W(HIGH+3), .INDEX_W(INDEX_W), .FAR(FAR)) high_table (
                    .clk(clk),
                    .read_index(index_2), .table_state(high_row),
                    .source(source_4_reg), .fresh(fresh_reg[5]), .second(second_reg[5]),
                    .hold(1'b0), .chain(chain_reg[6]),
                    .state(high), .next({left, high[HIGH+1] || take_reg[6], high_total[HIGH+1:1]}),
                    .write(writes_reg[7]), .write_index(index_7)
                );

                assign row = {row_left, high_row[HIGH+1], high_row[HIGH-1:0], row_4_reg};
            end else begin : gen_fold
                localparam LOW  = NUMBER_W/2;
                localparam HIGH = NUMBER_W - LOW;
                // run: the tuples in successive cycles
                reg                take_4_reg;
                reg  [VALUE_W-1:0] value_4_reg;
                reg  [LOW-1:0]     value_low_5_reg, run_low_6_reg;
                reg  [HIGH:0]      run_high_5_reg, row_high_4_reg;      // {seen, number}
                wire [LOW-1:0]     run_low, low, next_low, low_row;
                wire [HIGH:0]      run_high, high, next_high, high_row;

                always @(posedge clk) begin
                    take_4_reg      <= !none_reg;
                    if (valid_reg[3]) value_4_reg <= value_reg;
                    value_low_5_reg <= value_4_reg[LOW-1:0];
                    run_high_5_reg  <= run_high;
                    run_low_6_reg   <= run_low;
                    row_high_4_reg  <= high_row;
                end

                ws_group_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNEDS[a])) fold_run (
                    .clk(clk),
                    .state_high(run_high_5_reg), .fresh(!chain_reg[4]), .take(take_4_reg),
                    .value_high(value_4_reg[LOW +: HIGH]), .next_high(run_high),
                    .state_low(run_low_6_reg), .value_low(value_low_5_reg), .next_low(run_low)
                );

                ws_group_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNEDS[a])) fold (
                    .clk(clk),
                    .state_high(high), .fresh(1'b0), .take(run_high_5_reg[HIGH]),
                    .value_high(run_high_5_reg[HIGH-1:0]), .next_high(next_high),
                    .state_low(low), .value_low(run_low_6_reg), .next_low(next_low)
                );

                ws_group_table #(.DATA_W(HIGH+1), .INDEX_W(INDEX_W), .FAR(FAR)) high_table (
                    .clk(clk),
                    .read_index(index_1), .table_state(high_row),
                    .source(source_3_reg), .fresh(fresh_reg[4]), .second(second_reg[4]),
                    .hold(chain_reg[4]), .chain(1'b0),
                    .state(high), .next(next_high),
                    .write(writes_reg[6]), .write_index(index_6)
                );

                ws_group_table #(.DATA_W(LOW), .INDEX_W(INDEX_W), .FAR(FAR)) low_table (
                    .clk(clk),
                    .read_index(index_2), .table_state(low_row),
                    .source(source_4_reg), .fresh(fresh_reg[5]), .second(second_reg[5]),
                    .hold(chain_reg[5]), .chain(1'b0),
                    .state(low), .next(next_low),
                    .write(writes_reg[7]), .write_index(index_7)
                );

                assign row = {1'b0, row_high_4_reg, low_row};
            end

            assign m_states[a*(ACC_W+2) +: NUMBER_W+2] = row;
            if (NUMBER_W < ACC_W) begin : gen_rest
                assign m_states[a*(ACC_W+2)+NUMBER_W+2 +: ACC_W-NUMBER_W] = {(ACC_W-NUMBER_W){1'b0}};
            end
        end
    endgenerate

    generate
        if (CLEARS != 0) begin : gen_used
            ws_ram_sdp #(
                .DATA_W(1), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE(INDEX_W > 6 ? "block" : "distributed")
            ) used (
                .clk(clk),
                .wr_en(writes_reg[5 + FAR]), .wr_addr(FAR != 0 ? index_6 : index_5), .wr_data(valid_reg[5 + FAR]),
                .rd_en(1'b1), .rd_addr(index_2), .rd_data(m_used)
            );
        end else begin : gen_always_used
            assign m_used = 1'b1;
        end
    endgenerate

endmodule

`default_nettype wire
