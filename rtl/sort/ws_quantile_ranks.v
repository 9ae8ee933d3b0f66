// SPDX-License-Identifier: Apache-2.0
//
// ws_quantile_ranks: quantiles of the last W tuples after every tuple, or every ADVANCE-th: the keys with certain ranks
// in their order.
//
// percentile_disc(p) over [SIZE W ADVANCE a TUPLES] is the key of rank ceil(p*W) - 1, from 0. A stream gives its first
// row with its W-th tuple, and s_eos ends it: the tuple after that is the first of the next one. Every tuple counts: to
// ignore nulls, leave them out at the input.
//
// No key moves. A tuple takes the slot of the one that leaves the window. Every slot knows the rank of its key, the
// number of keys that are before it, of equal keys the older ones. The rank rises by one if the new key is before it, and
// falls by one if the leaving key was. The rank of the new key is the number of keys that are not after it.
//
//     cycle   0, 1, 2      the leaving key is read
//             3            all slots compare both keys with their own; the new key is written
//             4 … U - 1    the keys before the new one are counted, U = ceil(log2(W)) + 3
//             U            ranks
//             U + 1 … + 6  the slot of a rank is found, its key is read
//
// Parameters   W          tuples in the window, 3 to 1024
//              ADVANCE    tuples from one row to the next, at least 1
//              KEY_W      width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them
//              QUANTILES  number of keys in a row, at least 1
//              RANKS      their ranks, 16 bits each, below W; the lowest bits are for the lowest bits of m_key
// Latency      ceil(log2(W)) + 10 cycles
// Issue rate   1 tuple a cycle
// Bad input    none
// Source       ours; ranks in place are those of the rank-order filters of the signal processing literature

`default_nettype none

module ws_quantile_ranks #(
    parameter                    W         = 64,
    parameter                    ADVANCE   = 1,
    parameter                    KEY_W     = 32,
    parameter                    QUANTILES = 1,
    parameter [16*QUANTILES-1:0] RANKS     = 31
) (
    input  wire                       clk,
    input  wire                       rst,

    input  wire                       s_valid,
    input  wire                       s_eos,
    input  wire [KEY_W-1:0]           s_key,

    output wire                       m_valid,
    output wire                       m_eos,
    output wire [QUANTILES*KEY_W-1:0] m_key
);

    initial if (W < 3 || W > 1024 || ADVANCE < 1 || KEY_W < 1 || QUANTILES < 1) begin
        $display("ERROR: %m: W = %0d (3 to 1024), ADVANCE = %0d, KEY_W = %0d, QUANTILES = %0d (at least 1)",
                 W, ADVANCE, KEY_W, QUANTILES);
        $finish;
    end

    genvar i;
    generate
        for (i = 0; i < QUANTILES; i = i + 1) begin : gen_check
            initial if ({16'd0, RANKS[16*i +: 16]} >= W) begin
                $display("ERROR: %m: RANKS has rank %0d (below W = %0d)", RANKS[16*i +: 16], W);
                $finish;
            end
        end
    endgenerate

    localparam SLOT_W  = $clog2(W);
    localparam COUNT_W = $clog2(W + 1);
    localparam COUNT   = SLOT_W - 1;            // cycles of ws_ones
    localparam UPDATE  = COUNT + 4;
    localparam LATENCY = UPDATE + 7;
    localparam [SLOT_W:0] FULL = W;
    localparam [SLOT_W:0] LAST = FULL - 1'b1;

    // The place of the next tuple, and how many its window has before
    reg  [SLOT_W-1:0] slot_reg;
    reg               round_reg;
    reg  [SLOT_W:0]   fill_reg;
    wire              leaves = fill_reg == FULL;
    wire              row;
    wire              wraps  = slot_reg == LAST[SLOT_W-1:0];

    always @(posedge clk) begin
        round_reg <= (round_reg ^ (s_valid && wraps)) & !rst;
        if (s_valid) begin
            slot_reg <= wraps ? {SLOT_W{1'b0}} : slot_reg + 1'b1;
            if (!leaves) fill_reg <= fill_reg + 1'b1;
        end
        if (s_eos) fill_reg <= 0;
        if (rst) {slot_reg, fill_reg} <= 0;
    end

    generate
        if (ADVANCE == 1) begin : gen_every
            assign row = s_valid && fill_reg >= LAST;
        end else begin : gen_advance
            localparam LEFT_W = $clog2(ADVANCE > W ? ADVANCE : W);
            localparam [LEFT_W-1:0] FIRST = W - 1, LATER = ADVANCE - 1;
            reg [LEFT_W-1:0] left_reg;      // tuples until the next one that gives a row

            assign row = s_valid && left_reg == 0;

            always @(posedge clk) begin
                if (s_valid) left_reg <= row ? LATER : left_reg - 1'b1;
                if (s_eos || rst) left_reg <= FIRST;
            end
`ifdef FORMAL
            always @(posedge clk) if (past_valid) assert (left_reg == missing_ref);
`endif
        end
    endgenerate

    // Index k: of the tuple k cycles ago
    reg  [LATENCY-1:0] valid_reg, row_reg, eos_reg;
    wire [LATENCY:0]   valid = {valid_reg, s_valid};
    wire [LATENCY:0]   rows  = {row_reg, row};
    wire [LATENCY:0]   eos   = {eos_reg, s_eos};

    always @(posedge clk) begin
        valid_reg <= rst ? {LATENCY{1'b0}} : valid[LATENCY-1:0];
        row_reg   <= rst ? {LATENCY{1'b0}} : rows[LATENCY-1:0];
        eos_reg   <= rst ? {LATENCY{1'b0}} : eos[LATENCY-1:0];
    end

    assign m_valid = rows[LATENCY];
    assign m_eos   = eos[LATENCY];

    // The new key and the leaving one, with a bit above the key if there is none
    reg  [SLOT_W:0]  place_1_reg;
    reg  [KEY_W-1:0] key_1_reg, key_2_reg, new_reg;
    reg              none_1_reg, none_2_reg;
    reg  [KEY_W:0]   old_reg;
    wire [KEY_W-1:0] old;

    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(SLOT_W), .OUTPUT_REG(1)) window (
        .clk(clk), .wr_en(valid[1]), .wr_addr(place_1_reg[SLOT_W-1:0]), .wr_data(key_1_reg),
        .rd_en(1'b1), .rd_addr(slot_reg), .rd_data(old)
`ifdef FORMAL
        , .watch_addr(watched), .watch_data(watched_key), .watch_addr_2(watched), .watch_data_2()
`endif
    );

    always @(posedge clk) begin
        {key_1_reg, none_1_reg, place_1_reg} <= {s_key, !leaves, round_reg, slot_reg};
        {key_2_reg, none_2_reg}              <= {key_1_reg, none_1_reg};
        {new_reg, old_reg}                   <= {key_2_reg, none_2_reg, old};
        if (none_2_reg) old_reg[KEY_W-1:0] <= 0;    // it does not matter, but simulators know X
    end

    // The slots. The one that the next tuple takes is free, as are all slots that have had no tuple of this stream. The
    // key of a free slot does not matter, so the next slot takes every key until there is a tuple.
    reg  [W-1:0]        next_reg, free_reg;     // next: one-hot
    reg  [W*KEY_W-1:0]  key_reg;
    wire [W-1:0]        after, before;          // the slot's key is after the new one; before the leaving one
    reg  [W-1:0]        after_reg, before_reg;
    wire [W-1:0]        rises, stays;           // when the ranks are updated
    reg  [W-1:0]        load_reg;               // next, then
    wire [COUNT_W-1:0]  count;                  // below W
    wire                unused_count = &{1'b0, count};
    reg  [W*SLOT_W-1:0] rank_reg;

    always @(posedge clk) begin
        if (valid[3]) {next_reg, free_reg} <= {next_reg[W-2:0], next_reg[W-1],
                                               (free_reg & ~next_reg) | {next_reg[W-2:0], next_reg[W-1]}};
        if (valid[UPDATE]) load_reg <= {load_reg[W-2:0], load_reg[W-1]};
        if (eos[3]) free_reg <= {W{1'b1}};
        if (rst) {next_reg, load_reg, free_reg} <= {{{W-1{1'b0}}, 1'b1}, {{W-1{1'b0}}, 1'b1}, {W{1'b1}}};
        {after_reg, before_reg} <= {after, before};
    end

    ws_ones #(.N(W)) rank_of_new (.clk(clk), .word(~after_reg), .ones(count));
    ws_shift #(.DATA_W(2*W), .N(COUNT)) step (.clk(clk), .s_data({after_reg, before_reg}), .m_data({rises, stays}));

    generate
        for (i = 0; i < W; i = i + 1) begin : gen_slot
            wire [KEY_W-1:0]  key  = key_reg[KEY_W*i +: KEY_W];
            wire [SLOT_W-1:0] rank = rank_reg[SLOT_W*i +: SLOT_W];
            wire [SLOT_W-1:0] moved;
            wire              unused;

            ws_less #(.KEY_W(KEY_W + 1)) with_new (.a({1'b0, new_reg}), .b({free_reg[i], key}), .less(after[i]));
            ws_less #(.KEY_W(KEY_W + 1)) with_old (.a({1'b0, key}), .b(old_reg), .less(before[i]));

            assign {moved, unused} = {rank, 1'b1} + {{SLOT_W{!stays[i]}}, rises[i]};     // one adder

            always @(posedge clk) begin
                if (next_reg[i]) key_reg[KEY_W*i +: KEY_W] <= new_reg;
                if (rst) key_reg[KEY_W*i +: KEY_W] <= 0;    // for simulators that know X
                if (valid[UPDATE]) rank_reg[SLOT_W*i +: SLOT_W] <= load_reg[i] ? count[SLOT_W-1:0] : moved;
            end
        end
    endgenerate

    // The keys of the wanted ranks. A key is written to their rings so late that a window is read before that.
    localparam READ  = UPDATE + 5;
    localparam WRITE = READ - W > 1 ? READ - W : 1;
    wire              wr_en = valid[WRITE];
    wire [SLOT_W:0]   wr_place, newest;
    wire [KEY_W-1:0]  wr_key;

    ws_shift #(.DATA_W(SLOT_W + 1 + KEY_W), .N(WRITE - 1)) late (
        .clk(clk), .s_data({place_1_reg, key_1_reg}), .m_data({wr_place, wr_key})
    );
    ws_shift #(.DATA_W(SLOT_W + 1), .N(UPDATE)) in_step (.clk(clk), .s_data(place_1_reg), .m_data(newest));

    generate
        for (i = 0; i < QUANTILES; i = i + 1) begin : gen_quantile
            ws_quantile_pick #(.W(W), .KEY_W(KEY_W), .RANK(RANKS[16*i +: 16])) pick (
                .clk(clk), .wr_en(wr_en), .wr_place(wr_place), .wr_key(wr_key),
                .ranks(rank_reg), .newest(newest), .key(m_key[KEY_W*i +: KEY_W])
            );
        end
    endgenerate

`ifdef FORMAL
    // The rank of one slot, which may be any, is the number of keys before its own, as the slots were AGO cycles ago,
    // when they took the tuple that their ranks take now. The leaving key is assumed to be that of its slot, and asserted
    // for the watched slot: the first one to be wrong would be wrong for some slot, which can be the watched one.
    localparam AGO   = UPDATE - 3;
    localparam STATE = W*(KEY_W + 2);
    (* anyconst *) wire [SLOT_W-1:0] watched;
    wire [KEY_W-1:0]             watched_key;   // in the RAM
    reg                          past_valid = 1'b0;
    reg  [W-1:0]                 filled_ref;    // the slot has a tuple of this stream
    reg  [W*KEY_W-1:0]           key_ref;       // and this is its key
    reg  [STATE*AGO-1:0]         slots_ref;     // {filled, next, keys}, the oldest first
    reg  [6*W*KEY_W-1:0]         keys_ref;      // and when the ranks were found
    reg  [3*SLOT_W-1:0]          slot_ref;
    reg  [3*(SLOT_W+1)-1:0]      fill_ref;
    reg  [31:0]                  missing_ref;   // tuples until the one that gives a row
    reg  [LATENCY-1:0]           due_ref, end_ref;
    wire [W-1:0]                 filled, next;
    wire [W*KEY_W-1:0]           keys;
    wire [SLOT_W-1:0]            slot_3 = slot_ref[3*SLOT_W-1 -: SLOT_W];
    wire [SLOT_W:0]              fill_3 = fill_ref[3*(SLOT_W+1)-1 -: SLOT_W+1];
    wire                         write  = (valid[2] && slot_ref[2*SLOT_W-1 -: SLOT_W] == watched)
                                          || (valid[3] && next_reg[watched]);
    reg  [KEY_W-1:0]             leaver, mine, other;
    reg  [SLOT_W:0]              place;
    reg  [SLOT_W:0]              below, equal;
    reg                          older;
    integer                      at, between;

    assign {filled, next, keys} = slots_ref[STATE*AGO-1 -: STATE];

    always @* begin
        leaver = 0;
        place  = 0;
        mine   = keys[KEY_W*watched +: KEY_W];
        for (at = 0; at < W; at = at + 1) begin
            if (next_reg[at]) leaver = key_ref[KEY_W*at +: KEY_W];
            // the slots from `next` on are older than those below it
            older = at < watched;
            for (between = 0; between < W; between = between + 1)
                if (next[between] && (at < between) != (watched < between)) older = !older;
            other = keys[KEY_W*at +: KEY_W];
            if (filled[at] && at != watched && (other < mine || (other == mine && older))) place = place + 1'b1;
        end
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (valid[3]) filled_ref <= filled_ref | next_reg;
        if (valid[3]) for (at = 0; at < W; at = at + 1) if (next_reg[at]) key_ref[KEY_W*at +: KEY_W] <= new_reg;
        if (eos[3]) filled_ref <= 0;
        slots_ref   <= {slots_ref, filled_ref, next_reg, key_ref};
        keys_ref    <= {keys_ref, keys};
        slot_ref    <= {slot_ref, slot_reg};
        fill_ref    <= {fill_ref, fill_reg};
        if (s_valid) missing_ref <= missing_ref == 0 ? ADVANCE - 1 : missing_ref - 1;
        if (s_eos) missing_ref <= W - 1;
        due_ref     <= {due_ref, s_valid && missing_ref == 0};
        end_ref     <= {end_ref, s_eos};
        if (rst) begin
            filled_ref  <= 0;
            slots_ref   <= {AGO{{W{1'b0}}, {W-1{1'b0}}, 1'b1, {W*KEY_W{1'b0}}}};
            slot_ref    <= 0;
            fill_ref    <= 0;
            missing_ref <= W - 1;
            due_ref     <= 0;
            end_ref     <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            assume (watched < W);
            // rows
            assert (row_reg == due_ref && eos_reg == end_ref && fill_reg <= W && slot_reg < W);
            assert (fill_reg >= W - 1 ? missing_ref < ADVANCE : missing_ref == W - 1 - fill_reg);
            // slots
            assert (next_reg == 1 << slot_3 && slot_3 < W && fill_3 <= W);
            for (at = 0; at < W; at = at + 1) begin
                assert (filled_ref[at] == ((slot_3 + 2*W - 1 - at) % W < fill_3));
                assert (free_reg[at] || key_reg[KEY_W*at +: KEY_W] == key_ref[KEY_W*at +: KEY_W]);
            end
            assert (free_reg == (~filled_ref | next_reg));
            // keys
            if (filled_ref[watched] && !write) assert (watched_key == key_ref[KEY_W*watched +: KEY_W]);
            if (valid[3]) begin
                assert (old_reg[KEY_W] == !(&filled_ref));
                if (&filled_ref && next_reg[watched]) assert (old_reg == leaver);
                if (&filled_ref && !next_reg[watched]) assume (old_reg == leaver);
            end
            // ranks
            assert (load_reg == next);
            if (filled[watched]) assert (rank_reg[SLOT_W*watched +: SLOT_W] == place);
            // rows: of the keys then, as many as the rank are below the found one, or equal
            if (m_valid) for (between = 0; between < QUANTILES; between = between + 1) begin
                below = 0;
                equal = 0;
                for (at = 0; at < W; at = at + 1) begin
                    below = below + (keys_ref[5*W*KEY_W + KEY_W*at +: KEY_W] < m_key[KEY_W*between +: KEY_W]);
                    equal = equal + (keys_ref[5*W*KEY_W + KEY_W*at +: KEY_W] == m_key[KEY_W*between +: KEY_W]);
                end
                ref_row: assert (below <= RANKS[16*between +: 16] && RANKS[16*between +: 16] < below + equal);
            end
            cover (m_valid && m_eos && valid[3] && &filled_ref);
            cover (&filled && rank_reg[SLOT_W*watched +: SLOT_W] == W - 1 && next[watched] && watched != 0);
        end
    end
`endif

endmodule

`default_nettype wire
