// SPDX-License-Identifier: Apache-2.0
//
// ws_group_top_rows: what ws_group_top_k requests when a window closes: a row for each tuple kept, group by group in the
// order of their first tuples.
//
// The groups of the window are a list. When it closes, they are read from the list, and their numbers of rows from the
// counts of ws_group_top_k, into a queue, a group a cycle while there is room. From the queue a request a cycle leaves,
// as many for each group as it has rows, and then the end.
//
// Parameters   K        rows of a group at most, at least 1
//              INDEX_W  2**INDEX_W groups, 1 to 24
//              RANK_W   follows from K
// Ports        append: the first tuple of group s_group in this window; s_close: the window ends with this cycle; none of
//                both while busy
//              list_index: a group; s_count: its number of rows, 3 cycles later
//              m_request: for the row m_rank, from 0, of group m_group; m_end: after the last one; nothing else is left
// Latency      9 cycles from s_close to the first m_request, or to m_end if the window is empty
// Issue rate   1 request a cycle
// Source       ours

`default_nettype none

module ws_group_top_rows #(
    parameter K       = 4,
    parameter INDEX_W = 10,
    parameter RANK_W  = $clog2(K + 1)    // follows from K
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               append,
    input  wire [INDEX_W-1:0] s_group,
    input  wire               s_close,
    output reg                busy,

    output wire [INDEX_W-1:0] list_index,
    input  wire [RANK_W-1:0]  s_count,

    output wire               m_request,
    output wire               m_end,
    output wire [INDEX_W-1:0] m_group,
    output wire [RANK_W-1:0]  m_rank
`ifdef FORMAL
    , output wire             room_exact    // room_reg is the room that is left
`endif
);

    localparam QUEUE_W = 4;     // enough places for a group a cycle, which takes 9 cycles from the list to its release

    // ---- The list, and its reading: of all groups, and then of what marks the end

    reg  [INDEX_W:0] listed_reg, read_reg;
    reg  [QUEUE_W:0] room_reg;                       // places of the queue that no group has, nor is on its way to
    reg              closed_reg, reading_reg;        // from the second cycle on, when the last tuple's count is written
    reg  [5:1]       read_groups_reg, read_end_reg;  // bit n: n cycles ago
    wire             reads   = reading_reg && room_reg != 0;
    wire             at_end  = read_reg == listed_reg;
    wire             release_place;

    ws_ram_sdp #(.DATA_W(INDEX_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) list (
        .clk(clk),
        .wr_en(append), .wr_addr(listed_reg[INDEX_W-1:0]), .wr_data(s_group),
        .rd_en(1'b1), .rd_addr(read_reg[INDEX_W-1:0]), .rd_data(list_index)
`ifdef FORMAL
        , .watch_addr({INDEX_W{1'b0}}), .watch_data(), .watch_addr_2({INDEX_W{1'b0}}), .watch_data_2()
`endif
    );

    always @(posedge clk) begin
        listed_reg      <= listed_reg + {{INDEX_W{1'b0}}, append};
        read_reg        <= read_reg + {{INDEX_W{1'b0}}, reads};
        closed_reg      <= s_close;
        reading_reg     <= closed_reg || (reading_reg && !(reads && at_end));
        room_reg        <= room_reg - {{QUEUE_W{1'b0}}, reads} + {{QUEUE_W{1'b0}}, release_place};
        read_groups_reg <= {read_groups_reg[4:1], reads && !at_end};
        read_end_reg    <= {read_end_reg[4:1], reads && at_end};
        busy            <= s_close || (busy && !m_end);
        if (rst || m_end) begin
            listed_reg <= {INDEX_W+1{1'b0}};
            read_reg   <= {INDEX_W+1{1'b0}};
        end
        if (rst) begin
            room_reg        <= {1'b1, {QUEUE_W{1'b0}}};
            read_groups_reg <= 5'b0;
            read_end_reg    <= 5'b0;
            closed_reg      <= 1'b0;
            reading_reg     <= 1'b0;
            busy            <= 1'b0;
        end
    end

    // ---- The queue, and the requests

    reg  [RANK_W-1:0]  rank_reg;
    wire [INDEX_W-1:0] counted_index;
    wire               waiting, ready, is_end, last;
    wire [RANK_W-1:0]  last_rank;
    wire [QUEUE_W:0]   level;
    wire               unused = &{1'b0, ready, level};

    ws_shift #(.DATA_W(INDEX_W), .N(3)) index (.clk(clk), .s_data(list_index), .m_data(counted_index));

    ws_sync_fifo #(.DATA_W(1 + RANK_W + INDEX_W), .ADDR_W(QUEUE_W), .STYLE("distributed")) queue (
        .clk(clk), .rst(rst),
        .s_valid(read_groups_reg[5] || read_end_reg[5]), .s_ready(ready),
        .s_data({read_end_reg[5], s_count - 1'b1, counted_index}),
        .m_valid(waiting), .m_ready(release_place), .m_data({is_end, last_rank, m_group}), .level(level)
    );

    assign last          = is_end || rank_reg == last_rank;
    assign release_place = waiting && last;
    assign m_request     = waiting && !is_end;
    assign m_end         = waiting && is_end;
    assign m_rank        = rank_reg;

    always @(posedge clk) rank_reg <= rst || last || !waiting ? {RANK_W{1'b0}} : rank_reg + 1'b1;

`ifdef FORMAL
    reg [3:0] coming_ref;      // on their way to the queue
    integer   n;

    always @* begin
        coming_ref = 0;
        for (n = 1; n <= 5; n = n + 1) coming_ref = coming_ref + read_groups_reg[n] + read_end_reg[n];
    end

    assign room_exact = room_reg + level + coming_ref == 1 << QUEUE_W;
`endif

endmodule

`default_nettype wire
