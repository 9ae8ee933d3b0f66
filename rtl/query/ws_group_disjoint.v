// SPDX-License-Identifier: Apache-2.0
//
// ws_group_disjoint: the windows of a group-by that do not overlap: the list of the groups of each, and one table for
// all of them, in block RAM, with the states of all aggregates.
//
// A tuple updates the states of one window only, so the windows share the update, and the window is part of the
// address. The table has two copies: one is read by tuples, the other by rows.
//
// ws_group_window, for windows that overlap, has tables of its own for each of them, in LUTs.
//
// Parameters   CAPACITY                  number of entries
//              WINDOWS                   number of windows, at least 1
//              AGGS, KINDS, SIGNEDS      see ws_group_window
//              VALUE_W, ACC_W, COUNT_W   see ws_group_window
// Ports        s_windows: the window that holds the tuple, one-hot (0: no tuple), s_fresh (the group's first tuple in
//                this window), s_index; values and nulls two cycles later
//              s_close: the window that ends, one-hot or 0; no tuple of it may come from the next cycle on until `done`
//              list_windows, list_index: the window and entry whose row is being read; m_*: the row, two cycles later
// Latency      6 cycles from s_close to the first row, `done` one cycle after the last row, or in place of the first
// Issue rate   1 tuple a cycle, also for one group
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.5.4; the read-modify-write of a table is ours

`default_nettype none

module ws_group_disjoint #(
    parameter                 CAPACITY = 64,
    parameter                 WINDOWS  = 2,
    parameter                 AGGS     = 1,
    parameter [24*AGGS-1:0]   KINDS    = "SUM",
    parameter [AGGS-1:0]      SIGNEDS  = 1,
    parameter                 VALUE_W  = 32,
    parameter                 ACC_W    = 64,
    parameter                 COUNT_W  = ACC_W,
    parameter                 INDEX_W  = $clog2(CAPACITY)   // follows from CAPACITY
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire [WINDOWS-1:0]       s_windows,
    input  wire                     s_fresh,
    input  wire [INDEX_W-1:0]       s_index,
    input  wire [AGGS*VALUE_W-1:0]  values,
    input  wire [AGGS-1:0]          nulls,
    input  wire [WINDOWS-1:0]       s_close,

    output wire [WINDOWS-1:0]       list_windows,
    output wire [INDEX_W-1:0]       list_index,
    output wire                     m_valid,
    output wire                     m_done,
    output wire [AGGS*(ACC_W+2)-1:0] m_states    // states of ws_fold
);

    localparam NUMBER_W = WINDOWS > 1 ? $clog2(WINDOWS) : 1;   // of a window's number
    localparam COUNTS_W = INDEX_W + 1;
    localparam ADDR_W   = NUMBER_W + INDEX_W;                  // {window, entry}, or {window, position in its list}

    // ---- The lists. A window is read from the second cycle after its end, when left_reg has the length of its list

    reg  [WINDOWS*COUNTS_W-1:0] counts_reg;                // lengths of the lists
    reg  [COUNTS_W-1:0]         count, closed_count, left_reg;
    reg  [NUMBER_W-1:0]         number, closed_number, read_number_reg;
    reg  [INDEX_W-1:0]          read_reg;
    reg  [WINDOWS-1:0]          closed_reg;
    reg                         emitting_reg;
    reg  [3:0]                  row_reg, done_reg;
    wire                        append = s_windows != 0 && s_fresh;
    wire                        reads  = emitting_reg && left_reg != 0;
    integer                     n;

    always @* begin
        {number, count, closed_number, closed_count} = {2*ADDR_W+2{1'b0}};
        for (n = 0; n < WINDOWS; n = n + 1) begin
            if (s_windows[n]) {number, count} = {number, count} | {n[NUMBER_W-1:0], counts_reg[n*COUNTS_W +: COUNTS_W]};
            if (closed_reg[n])
                {closed_number, closed_count} = {closed_number, closed_count}
                                              | {n[NUMBER_W-1:0], counts_reg[n*COUNTS_W +: COUNTS_W]};
        end
    end

    always @(posedge clk) begin
        for (n = 0; n < WINDOWS; n = n + 1) begin
            if (s_windows[n] && s_fresh) counts_reg[n*COUNTS_W +: COUNTS_W] <= count + 1'b1;
            if (rst || closed_reg[n]) counts_reg[n*COUNTS_W +: COUNTS_W] <= {COUNTS_W{1'b0}};
        end
        closed_reg   <= rst ? {WINDOWS{1'b0}} : s_close;
        emitting_reg <= !rst && (closed_reg != 0 || reads);
        left_reg     <= left_reg - 1'b1;
        read_reg     <= read_reg + 1'b1;
        if (closed_reg != 0) begin
            read_number_reg <= closed_number;
            left_reg        <= closed_count;
            read_reg        <= {INDEX_W{1'b0}};
        end
        row_reg  <= rst ? 4'b0 : {row_reg[2:0], reads};
        done_reg <= rst ? 4'b0 : {done_reg[2:0], emitting_reg && left_reg == 0};
    end

    ws_ram_sdp #(.DATA_W(INDEX_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE("block")) lists (
        .clk(clk),
        .wr_en(append), .wr_addr({number, count[INDEX_W-1:0]}), .wr_data(s_index),
        .rd_en(1'b1), .rd_addr({read_number_reg, read_reg}), .rd_data(list_index)
    );

    assign list_windows = row_reg[1] ? {{(WINDOWS-1){1'b0}}, 1'b1} << read_number_reg : {WINDOWS{1'b0}};
    assign m_valid      = row_reg[3];
    assign m_done       = done_reg[3];

    // ---- The update of the states: stages 0 and 1 read them, stage 2 folds the values, stage 3 writes. A tuple 1 to 3
    // cycles after another of its group and window finds old states in the table, and takes that tuple's instead.

    reg  [4:1]          valid_reg;                    // bit n: in stage n
    reg                 fresh_1_reg;
    reg  [4*ADDR_W-1:0] addr_reg;                     // stage 1 in the least significant bits
    reg                 is_last_reg, is_earlier_reg;  // stage 2: the states are the last tuple's, are in earlier_reg
    wire [ADDR_W-1:0]   addr   = {number, s_index};
    wire [ADDR_W-1:0]   addr_1 = addr_reg[0 +: ADDR_W];
    wire [ADDR_W-1:0]   addr_3 = addr_reg[2*ADDR_W +: ADDR_W];
    wire [3:1]          same;                         // stage 1: the states of the tuple 1 to 3 before

    always @(posedge clk) begin
        valid_reg      <= rst ? 4'b0 : {valid_reg[3:1], s_windows != 0};
        fresh_1_reg    <= s_fresh;
        addr_reg       <= {addr_reg[0 +: 3*ADDR_W], addr};
        is_last_reg    <= same[1];
        is_earlier_reg <= fresh_1_reg || same[3:2] != 0;
    end

    genvar a, d;
    generate
        for (d = 1; d <= 3; d = d + 1) begin : gen_same
            assign same[d] = valid_reg[1 + d] && addr_reg[d*ADDR_W +: ADDR_W] == addr_1;
        end
    endgenerate

    // The bits of a row before the states of an aggregate
    function integer begin_of(input integer aggregate);
        integer i;
        begin
            begin_of = 0;
            for (i = 0; i < aggregate; i = i + 1)
                begin_of = begin_of + 2
                         + (KINDS[i*24 +: 24] == "CNT" ? COUNT_W : KINDS[i*24 +: 24] == "SUM" ? ACC_W : VALUE_W);
        end
    endfunction

    localparam ROW_W = begin_of(AGGS);
    reg  [ROW_W-1:0] earlier_reg, states_3_reg, states_4_reg;
    wire [ROW_W-1:0] table_states, row_states, next;
    wire [ROW_W-1:0] states = is_last_reg ? states_3_reg : is_earlier_reg ? earlier_reg : table_states;

    always @(posedge clk) begin
        earlier_reg  <= fresh_1_reg ? {ROW_W{1'b0}} : same[2] ? states_3_reg : states_4_reg;
        states_3_reg <= next;
        states_4_reg <= states_3_reg;
    end

    ws_ram_sdp #(.DATA_W(ROW_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE("block")) of_tuples (
        .clk(clk),
        .wr_en(valid_reg[3]), .wr_addr(addr_3), .wr_data(states_3_reg),
        .rd_en(1'b1), .rd_addr(addr), .rd_data(table_states)
    );

    ws_ram_sdp #(.DATA_W(ROW_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE("block")) of_rows (
        .clk(clk),
        .wr_en(valid_reg[3]), .wr_addr(addr_3), .wr_data(states_3_reg),
        .rd_en(1'b1), .rd_addr({read_number_reg, list_index}), .rd_data(row_states)
    );

    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_table
            localparam [23:0] KIND    = KINDS[a*24 +: 24];
            localparam        BEGIN   = begin_of(a);
            localparam        STATE_W = begin_of(a + 1) - BEGIN;
            wire              result, null, overflow;
            wire              unused = &{1'b0, result, null, overflow};

            ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNEDS[a]), .ACC_W(STATE_W - 2), .RESULT_W(1)) fold (
                .state(states[BEGIN +: STATE_W]), .fresh(1'b0),
                .take(!nulls[a]), .value(values[a*VALUE_W +: VALUE_W]),
                .next(next[BEGIN +: STATE_W]), .result(result), .null(null), .overflow(overflow)
            );

            assign m_states[a*(ACC_W+2) +: STATE_W] = row_states[BEGIN +: STATE_W];
            if (STATE_W < ACC_W + 2) begin : gen_rest
                assign m_states[a*(ACC_W+2)+STATE_W +: ACC_W+2-STATE_W] = {(ACC_W+2-STATE_W){1'b0}};
            end
        end
    endgenerate

endmodule

`default_nettype wire
