// SPDX-License-Identifier: Apache-2.0
//
// ws_quantile_lane: the entries of one lane of ws_quantile_scan, each a key and its rank, and what looks at one of them in
// each cycle.
//
//     cycle   0  the entry's row on key_row
//             1  its key; both comparisons
//             2  its rank; one up or down, none, or both
//             3  the new rank, which is written back and compared with the wanted ones
//             4  hits
//
// Parameters   ROWS, KEY_W, RANK_W, QUANTILES, RANKS  see ws_quantile_scan
// Latency      2 cycles from key_row to after, 4 to hits
// Issue rate   1 entry a cycle
// Source       ours

`default_nettype none

module ws_quantile_lane #(
    parameter                    ROWS      = 16,
    parameter                    KEY_W     = 32,
    parameter                    RANK_W    = 10,
    parameter                    QUANTILES = 1,
    parameter [16*QUANTILES-1:0] RANKS     = 511
) (
    input  wire                    clk,

    input  wire [$clog2(ROWS)-1:0] key_row,     // the entry in this cycle, and those of one and three cycles ago
    input  wire [$clog2(ROWS)-1:0] rank_row,
    input  wire [$clog2(ROWS)-1:0] moved_row,
    input  wire                    free_1,      // the entry of a cycle ago has no tuple
    input  wire                    load_1,      // and its rank is new_rank in the next cycle, not the one that it has
    input  wire [RANK_W-1:0]       new_rank,
    input  wire                    move_3,      // the entry of three cycles ago gets its new rank

    input  wire                    put,         // the new key is that of the entry put_row
    input  wire [$clog2(ROWS)-1:0] put_row,
    input  wire [KEY_W-1:0]        new_key,
    input  wire [KEY_W-1:0]        old_key,
    input  wire                    no_old,      // no key leaves the window

    output wire                    after,       // the key of two cycles ago is after the new one, or the entry is free
    output wire [QUANTILES-1:0]    hits         // the rank of the entry of four cycles ago is a wanted one
`ifdef FORMAL
    ,
    output wire [(KEY_W<<$clog2(ROWS))-1:0]  keys,      // of all entries
    input  wire [$clog2(ROWS)-1:0]           watch_row,
    output wire [RANK_W-1:0]                 watch_rank
`endif
);

    localparam ROW_W = $clog2(ROWS);

    wire [KEY_W-1:0]     key;
    wire                 is_after, is_before;   // of the new key, the leaving one
    reg                  rises_reg, stays_reg, free_2_reg, free_3_reg, load_2_reg;
    wire [RANK_W-1:0]    stored;
    wire [RANK_W-1:0]    rank = load_2_reg ? new_rank : stored;
    wire [RANK_W-1:0]    next;
    wire                 unused;
    reg  [RANK_W-1:0]    moved_reg;
    reg  [QUANTILES-1:0] hits_reg;

    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(ROW_W)
`ifdef FORMAL
                 , .WATCH_ALL(1)
`endif
    ) keys_of_rows (
        .clk(clk), .wr_en(put), .wr_addr(put_row), .wr_data(new_key),
        .rd_en(1'b1), .rd_addr(key_row), .rd_data(key)
`ifdef FORMAL
        , .watch_addr(watch_row), .watch_data(), .watch_addr_2(watch_row), .watch_data_2(), .words(keys)
`endif
    );
    ws_less #(.KEY_W(KEY_W)) with_new (.a(new_key), .b(key), .less(is_after));
    ws_less #(.KEY_W(KEY_W)) with_old (.a(key), .b(old_key), .less(is_before));

    // The free entry first: its key may be none, which simulators know as X.
    always @(posedge clk) begin
        if (free_1) rises_reg <= 1'b1;
        else rises_reg <= is_after;
        if (no_old) stays_reg <= 1'b1;
        else stays_reg <= is_before;
        {free_3_reg, free_2_reg, load_2_reg} <= {free_2_reg, free_1, load_1};
    end

    assign after = rises_reg;

    ws_ram_sdp #(.DATA_W(RANK_W), .ADDR_W(ROW_W)) ranks_of_rows (
        .clk(clk), .wr_en(move_3), .wr_addr(moved_row), .wr_data(moved_reg),
        .rd_en(1'b1), .rd_addr(rank_row), .rd_data(stored)
`ifdef FORMAL
        , .watch_addr(watch_row), .watch_data(watch_rank), .watch_addr_2(watch_row), .watch_data_2(), .words()
`endif
    );

    assign {next, unused} = {rank, 1'b1} + {{RANK_W{!stays_reg}}, rises_reg};    // one adder

    always @(posedge clk) moved_reg <= next;

    genvar i;
    generate
        for (i = 0; i < QUANTILES; i = i + 1) begin : gen_hit
            localparam [RANK_W-1:0] WANTED = RANKS[16*i +: RANK_W];
            always @(posedge clk)
                if (free_3_reg) hits_reg[i] <= 1'b0;
                else hits_reg[i] <= moved_reg == WANTED;
        end
    endgenerate

    assign hits = hits_reg;

endmodule

`default_nettype wire
