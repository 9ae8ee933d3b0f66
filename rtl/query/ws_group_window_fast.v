// SPDX-License-Identifier: Apache-2.0
//
// ws_group_window_fast: ws_group_window in more and shorter stages, list and states (ws_group_states) in block RAM.
//
// It shares no source with ws_group_window, whose read-modify-write takes three cycles on RAM in LUTs; here it takes
// eight, in two halves of each number. For a 64-bit sum it has 2.5 times as many registers on 7-series, and block RAM.
//
// Parameters   as in ws_group_window, but ACC_W and COUNT_W are at least 2, for all but CNT and SUM so is VALUE_W, and there is no
//              RESULT_W
// Ports        as in ws_group_window, but values and nulls come 3 cycles after s_valid; s_close: comes with the last
//              tuple or later
// Latency      6 cycles from s_close to list_valid, another 5 to the row; m_done in place of a row after the last
// Issue rate   1 tuple a cycle, also for one group
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.5.4; the read-modify-write of a table is ours

`default_nettype none

module ws_group_window_fast #(
    parameter                 CAPACITY = 64,
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

    input  wire                     s_valid,
    input  wire                     s_fresh,
    input  wire [INDEX_W-1:0]       s_index,
    input  wire [AGGS*VALUE_W-1:0]  values,
    input  wire [AGGS-1:0]          nulls,
    input  wire                     s_close,

    output wire                     list_valid,
    output wire [INDEX_W-1:0]       list_index,
    output wire                     m_valid,
    output wire                     m_done,
    output wire [AGGS*(ACC_W+2)-1:0] m_states    // states of ws_fold
);

    // ---- The states

    reg  [4:0]         row_reg, done_reg;
    reg  [2:0]         close_reg;           // by then the last tuple's state is in the tables
    reg  [2:0]         listing_reg, finish_reg;
    wire               append, unused_used;
    wire [INDEX_W-1:0] index;
    wire               unused = &{1'b0, unused_used};

    assign m_valid = row_reg[4];
    assign m_done  = done_reg[4];

    always @(posedge clk) begin
        row_reg   <= rst ? 5'b0 : {row_reg[3:0], listing_reg[2]};
        done_reg  <= rst ? 5'b0 : {done_reg[3:0], finish_reg[2]};
        close_reg <= rst ? 3'b0 : {close_reg[1:0], s_close};
    end

    ws_group_states #(
        .INDEX_W(INDEX_W), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W),
        .COUNT_W(COUNT_W)
    ) states (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_fresh(s_fresh), .s_index(s_index), .values(values), .nulls(nulls),
        .s_read(list_valid), .read_index(list_index), .m_states(m_states), .m_used(unused_used),
        .first(append), .index(index)
    );

    // ---- The list of the groups, and its reading once the window is closed

    reg  [INDEX_W:0]   count_reg, left_reg;
    reg  [INDEX_W-1:0] read_reg;
    wire               some   = close_reg[2] ? count_reg != 0 : listing_reg[0] && left_reg != 1;
    wire               none   = close_reg[2] ? count_reg == 0 : listing_reg[0] && left_reg == 1;

    ws_ram_sdp #(.DATA_W(INDEX_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) list (
        .clk(clk),
        .wr_en(append), .wr_addr(count_reg[INDEX_W-1:0]), .wr_data(index),
        .rd_en(1'b1), .rd_addr(read_reg), .rd_data(list_index)
    );

    assign list_valid = listing_reg[2];

    always @(posedge clk) begin
        listing_reg <= rst ? 3'b0 : {listing_reg[1:0], some};
        finish_reg  <= rst ? 3'b0 : {finish_reg[1:0], none};
        left_reg    <= close_reg[2] ? count_reg : left_reg - 1'b1;
        read_reg    <= listing_reg[0] ? read_reg + 1'b1 : {INDEX_W{1'b0}};
        count_reg   <= rst || finish_reg[0] ? {(INDEX_W+1){1'b0}} : count_reg + {{INDEX_W{1'b0}}, append};
    end

endmodule

`default_nettype wire
