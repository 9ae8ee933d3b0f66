// SPDX-License-Identifier: Apache-2.0
//
// ws_group_window: one window of a group-by: the list of its groups, and a table of each aggregate over every group.
//
// Tuples come with their group's entry in ws_group_cam. When the window closes, its groups leave in the order of their
// first tuples, one a cycle, and the window is empty.
//
// ws_group_window_fast is a source of its own; see there.
//
// Parameters   CAPACITY                  number of entries
//              AGGS                      number of aggregates, at least 1
//              KINDS                     kinds of the aggregates, three characters each; as in ws_fold; like the ports,
//                                        the first in the most significant bits
//              SIGNEDS                   a bit for each aggregate, 1 if its values are two's complement
//              VALUE_W, ACC_W, RESULT_W  as in ws_fold, for all of them (all but CNT and SUM keep VALUE_W bits)
//              COUNT_W                   ACC_W of a CNT
// Ports        s_valid, s_fresh (the group's first tuple in this window), s_index; values and nulls a cycle later
//              s_close: no tuple may come from the next cycle on until `done`
//              list_valid, list_index: the entry whose row is being read; m_*: the row, one cycle later
// Latency      2 cycles from s_close to the first row, `done` one cycle after the last row, or in place of the first
// Issue rate   1 tuple a cycle, also for one group
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.5.4; the read-modify-write of a table is ours

`default_nettype none

module ws_group_window #(
    parameter                 CAPACITY = 64,
    parameter                 AGGS     = 1,
    parameter [24*AGGS-1:0]   KINDS    = "SUM",
    parameter [AGGS-1:0]      SIGNEDS  = 1,
    parameter                 VALUE_W  = 32,
    parameter                 ACC_W    = 64,
    parameter                 COUNT_W  = ACC_W,
    parameter                 RESULT_W = 64,
    parameter                 INDEX_W  = $clog2(CAPACITY)   // follows from CAPACITY
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire                     s_valid,
    input  wire                     s_fresh,
    input  wire [INDEX_W-1:0]       s_index,
    input  wire [AGGS*VALUE_W-1:0]  values,
    input  wire [AGGS-1:0]          nulls,
    input  wire                     s_close,

    output wire                     list_valid,
    output wire [INDEX_W-1:0]       list_index,
    output reg                      m_valid,
    output reg                      m_done,
    output wire [AGGS*(ACC_W+2)-1:0] m_states    // states of ws_fold
);

    // ---- The list: its first entry in a register, so that it can be read immediately, the others in a RAM

    reg                emitting_reg;
    reg  [INDEX_W:0]   count_reg, left_reg;
    reg  [INDEX_W-1:0] first_reg, read_reg;
    reg                at_first_reg;
    wire [INDEX_W-1:0] next_index;
    wire               append = s_valid && s_fresh;

    ws_ram_sdp #(.DATA_W(INDEX_W), .ADDR_W(INDEX_W), .STYLE("distributed")) list (
        .clk(clk),
        .wr_en(append), .wr_addr(count_reg[INDEX_W-1:0]), .wr_data(s_index),
        .rd_en(1'b1), .rd_addr(read_reg), .rd_data(next_index)
    );

    assign list_valid = emitting_reg && left_reg != 0;
    assign list_index = at_first_reg ? first_reg : next_index;

    always @(posedge clk) begin
        if (append) begin
            count_reg <= count_reg + 1'b1;
            if (count_reg == 0) first_reg <= s_index;
        end
        left_reg     <= s_close ? count_reg + {{INDEX_W{1'b0}}, append} : left_reg - {{INDEX_W{1'b0}}, list_valid};
        read_reg     <= emitting_reg ? read_reg + 1'b1 : {{(INDEX_W-1){1'b0}}, 1'b1};
        at_first_reg <= !emitting_reg;
        m_valid      <= list_valid && !rst;
        m_done       <= emitting_reg && left_reg == 0 && !rst;
        if (emitting_reg && left_reg == 0) begin
            emitting_reg <= 1'b0;
            count_reg    <= {(INDEX_W+1){1'b0}};
        end
        if (s_close) emitting_reg <= 1'b1;
        if (rst) begin
            emitting_reg <= 1'b0;
            count_reg    <= {(INDEX_W+1){1'b0}};
        end
    end

    // ---- The tables: a cycle each to read, to fold and to write. A tuple 1 or 2 cycles after another of its group
    // finds an old state in the table and takes that tuple's instead; so does a row.

    reg                valid_reg, fresh_reg, written_reg, forward_reg, forward_2_reg;
    reg  [INDEX_W-1:0] index_reg, write_index_reg;
    wire [INDEX_W-1:0] read_index = emitting_reg ? list_index : s_index;

    always @(posedge clk) begin
        valid_reg       <= s_valid && !rst;
        fresh_reg       <= s_fresh;
        index_reg       <= read_index;
        written_reg     <= valid_reg && !rst;
        write_index_reg <= index_reg;
        forward_reg     <= valid_reg && index_reg == read_index;
        forward_2_reg   <= written_reg && write_index_reg == read_index;
    end

    genvar a;
    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_table
            localparam [23:0] KIND     = KINDS[a*24 +: 24];
            localparam        NUMBER_W = KIND == "CNT" ? COUNT_W : KIND == "SUM" ? ACC_W : VALUE_W;
            reg  [NUMBER_W+1:0] state_reg, state_2_reg;    // of the tuples 1 and 2 cycles before
            wire [NUMBER_W+1:0] table_state, next;
            wire [NUMBER_W+1:0] state = forward_reg ? state_reg : forward_2_reg ? state_2_reg : table_state;
            wire [RESULT_W-1:0] result;
            wire                null, overflow;
            wire                unused = &{1'b0, result, null, overflow};

            ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNEDS[a]), .ACC_W(NUMBER_W), .RESULT_W(RESULT_W)) fold (
                .state(state), .fresh(fresh_reg), .take(!nulls[a]), .value(values[a*VALUE_W +: VALUE_W]),
                .next(next), .result(result), .null(null), .overflow(overflow)
            );

            ws_ram_sdp #(.DATA_W(NUMBER_W + 2), .ADDR_W(INDEX_W), .STYLE("distributed")) states (
                .clk(clk),
                .wr_en(written_reg), .wr_addr(write_index_reg), .wr_data(state_reg),
                .rd_en(1'b1), .rd_addr(read_index), .rd_data(table_state)
            );

            always @(posedge clk) begin
                state_reg   <= next;
                state_2_reg <= state_reg;
            end

            assign m_states[a*(ACC_W+2) +: NUMBER_W+2] = state;
            if (NUMBER_W < ACC_W) begin : gen_rest
                assign m_states[a*(ACC_W+2)+NUMBER_W+2 +: ACC_W-NUMBER_W] = {(ACC_W-NUMBER_W){1'b0}};
            end
        end
    endgenerate

endmodule

`default_nettype wire
