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
    localparam GROUPS = (W + 15) / 16;
    localparam [SLOT_W-1:0] WANTED = RANK;

    // One slot has the rank. Its number: within each group of 16 slots, then of all groups
    reg  [16*GROUPS-1:0] hit_reg;
    reg  [4*GROUPS-1:0]  low_reg;
    reg  [GROUPS-1:0]    group_reg;
    wire [SLOT_W-1:0]    slot;
    reg  [SLOT_W-1:0]    slot_reg;
    reg  [SLOT_W:0]      place_reg;
    wire [SLOT_W:0]      newest_3;
    wire                 unused = &{1'b0, low_reg, group_reg};     // of few slots

    genvar i, b;
    generate
        for (i = 0; i < 16*GROUPS; i = i + 1) begin : gen_hit
            if (i < W) begin : gen_slot
                always @(posedge clk) hit_reg[i] <= ranks[SLOT_W*i +: SLOT_W] == WANTED;
            end else begin : gen_none
                always @(posedge clk) hit_reg[i] <= 1'b0;
            end
        end
        for (i = 0; i < GROUPS; i = i + 1) begin : gen_group
            wire [15:0] hit = hit_reg[16*i +: 16];
            always @(posedge clk) begin
                low_reg[4*i +: 4] <= {|(hit & 16'hFF00), |(hit & 16'hF0F0), |(hit & 16'hCCCC), |(hit & 16'hAAAA)};
                group_reg[i]      <= |hit;
            end
        end
        for (b = 0; b < SLOT_W; b = b + 1) begin : gen_bit
            wire [GROUPS-1:0] ones;
            for (i = 0; i < GROUPS; i = i + 1) begin : gen_group
                if (b < 4) begin : gen_low
                    assign ones[i] = low_reg[4*i + b];
                end else begin : gen_high
                    assign ones[i] = ((i >> (b - 4)) & 1) != 0 && group_reg[i];
                end
            end
            assign slot[b] = |ones;
        end
    endgenerate

    ws_shift #(.DATA_W(SLOT_W + 1), .N(3)) order (.clk(clk), .s_data(newest), .m_data(newest_3));

    always @(posedge clk) begin
        slot_reg  <= slot;
        place_reg <= {newest_3[SLOT_W] ^ (slot_reg > newest_3[SLOT_W-1:0]), slot_reg};
    end

    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(SLOT_W + 1), .OUTPUT_REG(1)) ring (
        .clk(clk), .wr_en(wr_en), .wr_addr(wr_place), .wr_data(wr_key),
        .rd_en(1'b1), .rd_addr(place_reg), .rd_data(key)
`ifdef FORMAL
        , .watch_addr(place_reg), .watch_data(), .watch_addr_2(place_reg), .watch_data_2()
`endif
    );

endmodule

`default_nettype wire
