// SPDX-License-Identifier: Apache-2.0
//
// ws_quantile_scan: quantiles of the last W tuples as ws_quantile_ranks, with INTERVAL cycles for each tuple and keys in
// RAM.
//
// percentile_disc(p) over [SIZE W ADVANCE a TUPLES] is the key of rank ceil(p*W) - 1, from 0. A stream gives its first
// row with its W-th tuple, and s_eos ends it: the tuple after that is the first of the next one. Every tuple counts: to
// ignore nulls, leave them out at the input.
//
// The window is a table of ROWS rows, each with an entry in every lane, LANES = ceil(W/INTERVAL) and
// ROWS = ceil(W/LANES). An entry has a key and its rank, the number of keys that are before it, of equal keys the older
// ones. A tuple takes the entry of the one that leaves the window. For each tuple all lanes look at one row after the
// other, that of the tuple last: a rank rises by one if the new key is before the entry's, and falls by one if the
// leaving key was. The rank of the new key is the number of keys that are not after it. It is known before the next
// tuple's scan comes to its entry.
//
//     cycle   0, 1          the leaving key is read
//             2 … ROWS + 1  the rows, which pass ws_quantile_lane
//             9 … ROWS + 8  the entries of the wanted ranks; where there is none, it is that of the new key
//             ROWS + 8 …    their keys are read, one a cycle
//
// Parameters   W          tuples in the window, at most 4096; more than 2 * INTERVAL
//              ADVANCE    tuples from one row to the next, at least 1
//              KEY_W      width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them
//              INTERVAL   least distance of two tuples in cycles, at least 8; and more than ceil(log2(ceil(W/INTERVAL)))
//              QUANTILES  number of keys in a row, at least 1; at most INTERVAL - 7
//              RANKS      their ranks, 16 bits each, below W; the lowest bits are for the lowest bits of m_key
// Latency      ceil(W/ceil(W/INTERVAL)) + QUANTILES + 10 cycles
// Issue rate   1 tuple in INTERVAL cycles
// Bad input    if two tuples are less than INTERVAL apart, the rows are wrong from then to the end of the stream
// Source       ours; ranks in place are those of the rank-order filters of the signal processing literature

`default_nettype none

module ws_quantile_scan #(
    parameter                    W         = 1024,
    parameter                    ADVANCE   = 1,
    parameter                    KEY_W     = 32,
    parameter                    INTERVAL  = 16,
    parameter                    QUANTILES = 1,
    parameter [16*QUANTILES-1:0] RANKS     = 511
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

    localparam LANES  = (W + INTERVAL - 1) / INTERVAL;
    localparam LANE_W = $clog2(LANES);

    initial if (W > 4096 || W <= 2 * INTERVAL || ADVANCE < 1 || KEY_W < 1 || INTERVAL < 8 || INTERVAL <= LANE_W) begin
        $display("ERROR: %m: W = %0d (more than 2 * INTERVAL, at most 4096), ADVANCE = %0d, KEY_W = %0d (at least 1), %s",
                 W, ADVANCE, KEY_W, "INTERVAL (at least 8, more than ceil(log2(ceil(W/INTERVAL))))");
        $finish;
    end

    initial if (QUANTILES < 1 || QUANTILES > INTERVAL - 7) begin
        $display("ERROR: %m: QUANTILES = %0d (1 to INTERVAL - 7), INTERVAL = %0d", QUANTILES, INTERVAL);
        $finish;
    end

    genvar i, q;
    generate
        for (i = 0; i < QUANTILES; i = i + 1) begin : gen_check
            initial if ({16'd0, RANKS[16*i +: 16]} >= W) begin
                $display("ERROR: %m: RANKS has rank %0d (below W = %0d)", RANKS[16*i +: 16], W);
                $finish;
            end
        end
    endgenerate

    localparam ROWS    = (W + LANES - 1) / LANES;
    localparam ROW_W   = $clog2(ROWS);
    localparam SLOT_W  = ROW_W + LANE_W;
    localparam RANK_W  = $clog2(W);
    localparam SPARE   = ROWS*LANES - W;        // last lanes of the last row without an entry
    localparam COUNT   = LANE_W - 1;            // cycles of ws_ones
    localparam LATENCY = ROWS + QUANTILES + 10;
    localparam [ROW_W-1:0]  LAST_ROW  = ROWS - 1;
    localparam [LANE_W-1:0] LAST_LANE = LANES - 1, END_LANE = LANES - 1 - SPARE;
    localparam [LANES-1:0]  FIRST     = 1;

    // The entry of the next tuple, and whether it has one that leaves the window
    reg  [ROW_W-1:0]  row_reg;
    reg  [LANE_W-1:0] lane_reg;
    reg               full_reg;
    wire              row_ends = lane_reg == LAST_LANE;
    wire              wraps    = row_reg == LAST_ROW && lane_reg == END_LANE;

    always @(posedge clk) begin
        if (s_valid) begin
            lane_reg <= wraps || row_ends ? {LANE_W{1'b0}} : lane_reg + 1'b1;
            row_reg  <= wraps ? {ROW_W{1'b0}} : row_ends ? row_reg + 1'b1 : row_reg;
            full_reg <= full_reg || wraps;
        end
        if (s_eos || rst) {row_reg, lane_reg, full_reg} <= 0;
    end

    localparam LEFT_W = $clog2(ADVANCE > W ? ADVANCE : W);
    localparam [LEFT_W-1:0] MISSING = W - 1, LATER = ADVANCE - 1;
    reg  [LEFT_W-1:0] left_reg;     // tuples until the next one that gives a row
    wire              row = s_valid && left_reg == 0;

    always @(posedge clk) begin
        if (s_valid) left_reg <= row ? LATER : left_reg - 1'b1;
        if (s_eos || rst) left_reg <= MISSING;
    end

    // Index k: of the tuple k cycles ago
    reg  [LATENCY-1:0] valid_reg, rows_reg, eos_reg;
    wire [LATENCY:0]   valid = {valid_reg, s_valid};
    wire [LATENCY:0]   rows  = {rows_reg, row};
    wire [LATENCY:0]   eos   = {eos_reg, s_eos};

    always @(posedge clk) begin
        valid_reg <= rst ? {LATENCY{1'b0}} : valid[LATENCY-1:0];
        rows_reg  <= rst ? {LATENCY{1'b0}} : rows[LATENCY-1:0];
        eos_reg   <= rst ? {LATENCY{1'b0}} : eos[LATENCY-1:0];
    end

    assign m_valid = rows[LATENCY];
    assign m_eos   = eos[LATENCY];

    // The newest tuple, until the next one: its entry from cycle 2 on, its key and the leaving one from cycle 3 on. The
    // RAMs take its key when the keys of the last window have been read.
    reg  [ROW_W-1:0]  row_1_reg, newest_row_reg, before_row_reg;
    reg  [LANE_W-1:0] lane_1_reg, newest_lane_reg;
    reg               full_1_reg, replaces_reg, none_reg;
    reg  [LANES-1:0]  newest_reg, before_reg;       // one-hot: its lane, that of the tuple before
    reg  [LANES-1:0]  vacant_reg;                   // the lanes of its row that are free while it takes its entry
    reg  [KEY_W-1:0]  key_1_reg, key_2_reg, new_reg, old_reg;
    wire [KEY_W-1:0]  old;
    wire              first_lane = lane_1_reg == 0;

    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(SLOT_W), .OUTPUT_REG(1)) leaving (
        .clk(clk), .wr_en(valid[ROWS+1]), .wr_addr({newest_row_reg, newest_lane_reg}), .wr_data(new_reg),
        .rd_en(1'b1), .rd_addr({row_reg, lane_reg}), .rd_data(old)
`ifdef FORMAL
        , .watch_addr({watched_row, watched_lane}), .watch_data(watched_key),
        .watch_addr_2({watched_row, watched_lane}), .watch_data_2(), .words()
`endif
    );

    always @(posedge clk) begin
        {row_1_reg, lane_1_reg, full_1_reg} <= {row_reg, lane_reg, full_reg};
        {key_2_reg, key_1_reg}              <= {key_1_reg, s_key};
        if (valid[1]) begin
            {newest_row_reg, newest_lane_reg, replaces_reg} <= {row_1_reg, lane_1_reg, full_1_reg};
            newest_reg     <= first_lane ? FIRST : newest_reg << 1;
            vacant_reg     <= !first_lane ? (vacant_reg & ~newest_reg) | newest_reg << 1
                              : full_1_reg ? FIRST : {LANES{1'b1}};
            before_reg     <= newest_reg;
            before_row_reg <= newest_row_reg;
        end
        if (valid[2]) {new_reg, old_reg, none_reg} <= {key_2_reg, old, !replaces_reg};
    end

    // The scan, in step with the first cycle of the lanes
    reg  [ROW_W-1:0] scan_row_reg;
    reg              scan_reg, scan_1_reg, scan_2_reg, scan_3_reg;
    wire [ROW_W-1:0] scan_row_1, scan_row_3, scan_row_6;
    wire             vacant_row = !replaces_reg && scan_row_reg > newest_row_reg;
    wire             before_row = scan_row_reg == before_row_reg;
    reg  [LANES-1:0] free_1_reg, load_1_reg;
    reg [RANK_W-1:0] new_rank_reg;

    always @(posedge clk) begin
        scan_row_reg <= valid[1] ? (row_1_reg == LAST_ROW ? {ROW_W{1'b0}} : row_1_reg + 1'b1)
                        : scan_row_reg == LAST_ROW ? {ROW_W{1'b0}} : scan_row_reg + 1'b1;
        scan_reg     <= !rst && (valid[1] || (scan_reg && !valid[ROWS+1]));
        {scan_3_reg, scan_2_reg, scan_1_reg} <= rst ? 3'd0 : {scan_2_reg, scan_1_reg, scan_reg};
    end

    ws_shift #(.DATA_W(ROW_W), .N(1)) to_1 (.clk(clk), .s_data(scan_row_reg), .m_data(scan_row_1));
    ws_shift #(.DATA_W(ROW_W), .N(2)) to_3 (.clk(clk), .s_data(scan_row_1), .m_data(scan_row_3));
    ws_shift #(.DATA_W(ROW_W), .N(3)) to_6 (.clk(clk), .s_data(scan_row_3), .m_data(scan_row_6));

    wire [LANES-1:0]           after;
    wire [QUANTILES*LANES-1:0] hits;            // the lanes of one quantile together

    generate
        for (i = 0; i < LANES; i = i + 1) begin : gen_lane
            wire                 none = i >= LANES - SPARE && scan_row_reg == LAST_ROW;
            wire [QUANTILES-1:0] hit;

            always @(posedge clk) begin
                free_1_reg[i] <= vacant_row || none || (valid[ROWS+1] && vacant_reg[i]);
                load_1_reg[i] <= before_row && before_reg[i];
            end

            ws_quantile_lane #(
                .ROWS(ROWS), .KEY_W(KEY_W), .RANK_W(RANK_W), .QUANTILES(QUANTILES), .RANKS(RANKS)
            ) entries (
                .clk(clk), .key_row(scan_row_reg), .rank_row(scan_row_1), .moved_row(scan_row_3),
                .free_1(free_1_reg[i]), .load_1(load_1_reg[i]), .new_rank(new_rank_reg), .move_3(scan_3_reg),
                .put(valid[3] && newest_reg[i]), .put_row(newest_row_reg),
                .new_key(new_reg), .old_key(old_reg), .no_old(none_reg),
                .after(after[i]), .hits(hit)
`ifdef FORMAL
                , .keys(keys[ROW_KEYS*i +: ROW_KEYS]), .watch_row(watched_row),
                .watch_rank(ranks[RANK_W*i +: RANK_W])
`endif
            );

            for (q = 0; q < QUANTILES; q = q + 1) begin : gen_hit
                assign hits[LANES*q + i] = hit[q];
            end
        end
    endgenerate

    // The rank of the new key
    localparam ONES_W = $clog2(LANES + 1);
    wire [ONES_W-1:0] ones;
    reg  [RANK_W-1:0] total_reg;                // of the rows so far
    wire [RANK_W-1:0] total = (valid[COUNT+4] ? {RANK_W{1'b0}} : total_reg) + {{RANK_W-ONES_W{1'b0}}, ones};

    ws_ones #(.N(LANES)) not_after (.clk(clk), .word(~after), .ones(ones));

    always @(posedge clk) begin
        total_reg <= total;
        if (valid[ROWS+COUNT+3]) new_rank_reg <= total;
    end

    // The entries of the wanted ranks, then their keys
    wire [SLOT_W-1:0]           newest_6;
    reg  [QUANTILES*SLOT_W-1:0] found_reg, read_reg;
    wire [QUANTILES*SLOT_W-1:0] found;
    wire [KEY_W-1:0]            key;
    reg  [QUANTILES*KEY_W-1:0]  key_reg;

    ws_shift #(.DATA_W(SLOT_W), .N(6)) in_step (
        .clk(clk), .s_data({newest_row_reg, newest_lane_reg}), .m_data(newest_6)
    );

    generate
        for (i = 0; i < QUANTILES; i = i + 1) begin : gen_quantile
            wire              any;
            wire [LANE_W-1:0] lane;
            wire [KEY_W-1:0]  next_key;

            ws_encoder #(.N(LANES)) of_lane (
                .clk(clk), .s_word(hits[LANES*i +: LANES]), .m_any(any), .m_number(lane)
            );

            assign found[SLOT_W*i +: SLOT_W] = any ? {scan_row_6, lane}
                                               : valid[8] ? newest_6 : found_reg[SLOT_W*i +: SLOT_W];

            if (i == QUANTILES - 1) begin : gen_last
                assign next_key = key;
            end else begin : gen_earlier
                assign next_key = key_reg[KEY_W*(i+1) +: KEY_W];
            end
            always @(posedge clk) key_reg[KEY_W*i +: KEY_W] <= next_key;
        end
    endgenerate

    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(SLOT_W), .OUTPUT_REG(1)) wanted (
        .clk(clk), .wr_en(valid[ROWS+1]), .wr_addr({newest_row_reg, newest_lane_reg}), .wr_data(new_reg),
        .rd_en(1'b1), .rd_addr(read_reg[SLOT_W-1:0]), .rd_data(key)
`ifdef FORMAL
        , .watch_addr({watched_row, watched_lane}), .watch_data(wanted_key),
        .watch_addr_2({watched_row, watched_lane}), .watch_data_2(), .words()
`endif
    );

    always @(posedge clk) begin
        found_reg <= found;
        read_reg  <= valid[ROWS+7] ? found : read_reg >> SLOT_W;
    end

    assign m_key = key_reg;

`ifdef FORMAL
    // The rank of one entry, which may be any, is the place of its key: the number of keys before it when its tuple comes,
    // then one more for each new key that is before it, one less for each leaving key that was. It is that in the window of
    // the newest tuple once its scan has come to the entry, until then that in the window before. An entry with a wanted
    // rank is a hit, and no other. The leaving key is assumed to be that of its entry, and asserted for the watched entry:
    // the first one to be wrong would be wrong for some entry, which can be the watched one. All of it for few lanes, whose
    // counts end before the next tuple is in the window.
    localparam ROW_KEYS = KEY_W << ROW_W;
    localparam COUNTED  = ROWS + COUNT + 3;     // the cycle in which the rank of the new key is complete
    (* anyconst *) wire [ROW_W-1:0]  watched_row;
    (* anyconst *) wire [LANE_W-1:0] watched_lane;
    wire [RANK_W-1:0]            watched = watched_row * LANES + watched_lane;
    wire [KEY_W-1:0]             watched_key, wanted_key;   // in the RAMs
    wire [LANES*ROW_KEYS-1:0]    keys;
    wire [LANES*RANK_W-1:0]      ranks;         // in the watched row
    wire [RANK_W-1:0]            rank = ranks[RANK_W*watched_lane +: RANK_W];
    wire [RANK_W-1:0]            pointer = row_reg * LANES + lane_reg;
    wire [RANK_W-1:0]            newest = newest_row_reg * LANES + newest_lane_reg;
    reg                          past_valid = 1'b0;
    reg  [31:0]                  since_ref;     // cycles since the last tuple, up to INTERVAL
    reg  [31:0]                  missing_ref;   // tuples until the one that gives a row
    reg  [LATENCY-1:0]           due_ref, end_ref;
    // The window of the newest tuple, three cycles after it
    reg                          some_ref;      // there is one since the reset
    reg                          linked_ref;    // it is not the first of its stream
    reg                          full_ref;      // a tuple has left the window for it
    reg  [RANK_W-1:0]            slot_ref, before_ref;      // its entry, that of the tuple before
    reg  [ROW_W-1:0]             slot_row_ref;
    reg  [W*KEY_W-1:0]           key_ref;
    reg  [2*KEY_W-1:0]           keys_ref;      // the last ones at the input
    reg  [KEY_W-1:0]             leaver_ref;
    reg  [RANK_W-1:0]            later_ref, place_before_ref;   // the place of a key that is not the newest, and once
    // In the last cycles: the scan came to the watched entry, which had a tuple, and its place
    reg  [3:1]                   visit_ref, member_ref;
    reg  [3*RANK_W-1:0]          place_ref;
    wire                         visit = scan_1_reg && scan_row_1 == watched_row;
    wire                         of_newest = watched == slot_ref;
    wire [KEY_W-1:0]             mine = key_ref[KEY_W*watched +: KEY_W];
    wire [KEY_W-1:0]             young = key_ref[KEY_W*slot_ref +: KEY_W];
    // The keys that are not after the newest one, by rows, from the first one of the scan
    reg  [ROW_W-1:0]             turn [0:ROWS-1];
    reg  [W-1:0]                 others;        // have a tuple, which is not the newest one
    reg  [LANE_W-1:0]            here;
    reg  [RANK_W-1:0]            count, part;
    reg  [ROW_W:0]               summed;        // rows in total_reg
    reg                          open_1, open_2;
    wire [RANK_W-1:0]            place = of_newest ? count : later_ref;
    integer                      at, in_row, lane_at, between;

    always @* begin
        {count, part, summed, open_1, open_2} = 0;
        for (at = 3; at <= COUNTED; at = at + 1) {open_2, open_1} = {open_2 || (open_1 && valid[at]), open_1 || valid[at]};
        for (at = COUNT + 5; at <= COUNTED; at = at + 1) if (valid[at]) summed = at - COUNT - 4;
        for (in_row = 0; in_row < ROWS; in_row = in_row + 1) begin
            turn[in_row] = in_row > slot_row_ref ? in_row - slot_row_ref - 1 : in_row + ROWS - slot_row_ref - 1;
            here = 0;
            for (lane_at = 0; lane_at < LANES && LANES*in_row + lane_at < W; lane_at = lane_at + 1) begin
                at         = LANES*in_row + lane_at;
                others[at] = at != slot_ref && (full_ref || at < slot_ref);
                here       = here + (others[at] && key_ref[KEY_W*at +: KEY_W] <= young);
            end
            count = count + here;
            if (turn[in_row] < summed) part = part + here;
        end
    end

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        since_ref   <= rst ? INTERVAL : s_valid ? 1 : since_ref + (since_ref < INTERVAL);
        keys_ref    <= {keys_ref, s_key};
        if (s_valid) missing_ref <= missing_ref == 0 ? ADVANCE - 1 : missing_ref - 1;
        if (s_eos || rst) missing_ref <= W - 1;
        due_ref     <= rst ? 0 : {due_ref, s_valid && missing_ref == 0};
        end_ref     <= rst ? 0 : {end_ref, s_eos};
        if (valid[2]) begin
            some_ref     <= 1'b1;
            linked_ref   <= newest != 0 || replaces_reg;
            full_ref     <= replaces_reg;
            slot_ref     <= newest;
            slot_row_ref <= newest_row_reg;
            before_ref   <= slot_ref;
            leaver_ref   <= key_ref[KEY_W*newest +: KEY_W];
            key_ref[KEY_W*newest +: KEY_W] <= keys_ref[2*KEY_W-1:KEY_W];
            place_before_ref <= place;
            later_ref        <= place + (keys_ref[2*KEY_W-1:KEY_W] < mine)
                                - (replaces_reg && key_ref[KEY_W*newest +: KEY_W] <= mine);
        end
        if (rst) some_ref <= 1'b0;
        visit_ref  <= rst ? 0 : {visit_ref, visit};
        member_ref <= {member_ref, some_ref && others[watched]};
        place_ref  <= {place_ref, place};

        if (!past_valid) assume (rst);
        else begin
            assume (watched_row < ROWS && watched_lane < LANES && watched_row * LANES + watched_lane < W);
            assume (rst || !s_valid || since_ref >= INTERVAL);
            // rows
            assert (rows_reg == due_ref && eos_reg == end_ref);
            assert (left_reg == missing_ref && row_reg < ROWS && lane_reg < LANES && pointer < W);
            assert (full_reg || pointer == W - 1 ? missing_ref < ADVANCE : missing_ref == W - 1 - pointer);
            // distances
            for (at = 1; at < INTERVAL; at = at + 1) assert (valid[at] == (since_ref == at));
            for (at = INTERVAL; at <= LATENCY; at = at + 1)
                for (between = 1; between < INTERVAL; between = between + 1)
                    if (valid[at]) assert (!valid[at - between]);
            assert (some_ref || !(|valid[LATENCY:3]));
            // entries
            if (some_ref) begin
                assert (slot_ref < W && newest_row_reg < ROWS && newest_lane_reg < LANES && newest < W);
                assert (slot_row_ref < ROWS && slot_ref - slot_row_ref * LANES < LANES);
                assert (newest_reg == 1 << newest_lane_reg);
                for (at = 0; at < LANES; at = at + 1)
                    assert (vacant_reg[at] == (replaces_reg ? at == newest_lane_reg : at >= newest_lane_reg));
                assert (linked_ref == (slot_ref != 0 || full_ref));
                if (linked_ref) assert (before_ref == (slot_ref == 0 ? W - 1 : slot_ref - 1));
            end
            if (!(|valid[2:1])) begin
                if (!some_ref) assert (pointer == 0 && !full_reg);
                if (some_ref) begin
                    assert (slot_ref == newest && full_ref == replaces_reg);
                    assert (pointer == 0 ? !full_reg || slot_ref == W - 1
                                         : pointer == slot_ref + 1 && full_reg == full_ref);
                end
                if (some_ref && linked_ref) begin
                    assert (before_row_reg < ROWS && before_reg != 0);
                    for (at = 0; at < LANES; at = at + 1)
                        assert (before_reg[at] == (before_ref == before_row_reg * LANES + at));
                end
            end
            // keys
            if (some_ref) begin
                for (at = 0; at < W; at = at + 1) if (others[at] || (at == slot_ref && !valid[3]))
                    assert (keys[ROW_KEYS*(at % LANES) + KEY_W*(at / LANES) +: KEY_W] == key_ref[KEY_W*at +: KEY_W]);
                if (others[watched] || (of_newest && !(|valid[ROWS+1:3])))
                    assert (watched_key == mine && wanted_key == mine);
                assert (new_reg == young && none_reg == !full_ref);
                if (full_ref && of_newest) assert (old_reg == leaver_ref);
                if (full_ref && !of_newest) assume (old_reg == leaver_ref);
            end
            // the scan
            assert (scan_1_reg == |valid[ROWS+2:3]);
            for (at = 3; at <= ROWS + 2; at = at + 1) if (valid[at]) assert (turn[scan_row_1] == at - 3);
            // ranks
            if (some_ref) begin
                if (others[watched])
                    assert (later_ref == place_before_ref + (young < mine) - (full_ref && leaver_ref <= mine));
                if (others[watched] && !visit_ref[1] && !visit_ref[2]) begin
                    if (!scan_1_reg || turn[watched_row] < turn[scan_row_1]) assert (rank == place);
                    else if (watched != before_ref) assert (rank == place_before_ref);
                end
                if (summed != 0) assert (total_reg == part);
                if (!open_1) assert (new_rank_reg == count);
                if (linked_ref && watched == before_ref && open_1 && !open_2) assert (new_rank_reg == place_before_ref);
            end
            // hits
            if (visit_ref[3]) for (at = 0; at < QUANTILES; at = at + 1)
                assert (hits[LANES*at + watched_lane]
                        == (member_ref[3] && place_ref[3*RANK_W-1 -: RANK_W] == RANKS[16*at +: 16]));
            cover (visit_ref[3] && member_ref[3] && place_ref[3*RANK_W-1 -: RANK_W] == 1);
            cover (m_eos && visit);
            cover (some_ref && slot_ref == 2 && !open_1 && new_rank_reg == 1);
        end
    end
`endif

endmodule

`default_nettype wire
