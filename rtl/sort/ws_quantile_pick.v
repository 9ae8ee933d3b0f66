// SPDX-License-Identifier: Apache-2.0
//
// ws_quantile_pick: the key that has a wanted rank, of ws_quantile_ranks.
//
// It finds the slot whose rank is RANK, and reads the key of that slot from a ring of the last 2 W keys: meanwhile newer
// tuples may have taken the slot. A slot after the newest one still has its key of the round before.
//
// Parameters   W, KEY_W  see ws_quantile_ranks
//              RANK      the wanted rank, below W
// Latency      6 cycles from the ranks, which are in step with `newest`
// Issue rate   1 key a cycle
// Source       ours

`default_nettype none

module ws_quantile_pick #(
    parameter W     = 64,
    parameter KEY_W = 32,
    parameter RANK  = 31
) (
    input  wire                    clk,

    input  wire                    wr_en,
    input  wire [$clog2(W):0]      wr_place,    // {round modulo 2, slot}
    input  wire [KEY_W-1:0]        wr_key,

    input  wire [W*$clog2(W)-1:0]  ranks,
    input  wire [$clog2(W):0]      newest,      // the place of the newest tuple
    output wire [KEY_W-1:0]        key
);

    localparam SLOT_W = $clog2(W);
    localparam [SLOT_W-1:0] WANTED = RANK;

    reg  [W-1:0]         hit_reg;       // one slot has the rank
    wire [SLOT_W-1:0]    slot;
    wire                 any;
    wire                 unused = &{1'b0, any};
    reg  [SLOT_W:0]      place_reg;
    wire [SLOT_W:0]      newest_3;

    genvar i;
    generate
        for (i = 0; i < W; i = i + 1) begin : gen_hit
            always @(posedge clk) hit_reg[i] <= ranks[SLOT_W*i +: SLOT_W] == WANTED;
        end
    endgenerate

    ws_encoder #(.N(W)) found (.clk(clk), .s_word(hit_reg), .m_any(any), .m_number(slot));
    ws_shift #(.DATA_W(SLOT_W + 1), .N(3)) order (.clk(clk), .s_data(newest), .m_data(newest_3));

    always @(posedge clk) place_reg <= {newest_3[SLOT_W] ^ (slot > newest_3[SLOT_W-1:0]), slot};

    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(SLOT_W + 1), .OUTPUT_REG(1)) ring (
        .clk(clk), .wr_en(wr_en), .wr_addr(wr_place), .wr_data(wr_key),
        .rd_en(1'b1), .rd_addr(place_reg), .rd_data(key)
`ifdef FORMAL
        , .watch_addr(place_reg), .watch_data(), .watch_addr_2(place_reg), .watch_data_2()
`endif
    );

endmodule

`default_nettype wire
