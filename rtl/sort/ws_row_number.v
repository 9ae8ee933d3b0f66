// SPDX-License-Identifier: Apache-2.0
//
// ws_row_number: ROW_NUMBER() OVER (PARTITION BY partition ORDER BY key) <= K over the windows of a stream, with one key
// table for all of them; one tuple a cycle, even if every tuple is of a new partition.
//
// It follows ws_window in place of the copies of a sub-plan: s_valid and s_eos have a bit for each window. When a
// window ends, the first K tuples of each of its partitions leave in the order of their keys, equal keys as they
// arrived, with their numbers. The partitions are in the order of their first tuples. m_close is s_close of the cycle
// of eos. m_eos follows the last row, with the punctuation if one came with eos; a punctuation without eos is dropped.
//
// Partitions that outgrow the table: a tuple whose partition has no entry leaves whole on o_*, which also carries every
// punctuation of s, by the rule of ws_group_by: for every window a partition is either wholly in the rows or wholly in
// o_*, and a host can complete the result exactly.
//
// Parameters   K            rows of a partition at most, at least 1
//              DATA_W       width of the tuple in bits, at least 1
//              KEY_W        width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them
//              CLOSE_W      width of s_close in bits, at least 1
//              PARTITION_W  width of what tells partitions apart in bits, at least 1
//              CAPACITY     partitions for which there is an entry, at least 2; of the open windows and the one being
//                           output together; a CAM has up to 238
//              WINDOWS      windows at once, at least 1; those open, and the one being output
//              HASH         0: a CAM, for up to 238 partitions; it has ENTRIES = CAPACITY + 18, since an entry takes 18
//                           cycles to become free; 1: a hash table in block RAM, ENTRIES = 2 * CAPACITY up to a power of
//                           two, for 5 partitions or more; when it is nearly full, a few are refused (ws_group_hash)
//              RANK_W       follows from K
// Ports        s_close, partition, s_key: in step with s_data
//              m_close, m_rank, m_key: in step with m_valid; m_rank is the number of the row, from 1
//              o_close, o_partition, o_key, o_data: of a tuple that has no entry
// Latency      K + 23 cycles from eos to the first row, or to m_eos if the window is empty, and 8 from s to o; with the
//              hash table K + 26 and 11
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES K * ENTRIES + K + 23, with the hash table K * ENTRIES + K + 26; R + K + 23 or R + K + 26 if no window has
//              more than R rows
// CLOSE_ROWS   K * ENTRIES
// Reset        the hash table is cleared: the first tuple comes at least ENTRIES / 8 + 2 cycles later
// Overflow     o_valid for a tuple without an entry
// Bad input    two eos, or an eos and the next tuple of that window, closer than CLOSE_CYCLES: must not happen
// Source       ours; the rows are those of SQL's ROW_NUMBER() with the number of arrival as the last key

`default_nettype none

module ws_row_number #(
    parameter K           = 4,
    parameter DATA_W      = 64,
    parameter KEY_W       = 32,
    parameter CLOSE_W     = 32,
    parameter PARTITION_W = 32,
    parameter CAPACITY    = 64,
    parameter WINDOWS     = 2,
    parameter HASH        = CAPACITY > 238,
    parameter RANK_W      = $clog2(K + 1)      // follows from K
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [WINDOWS-1:0]     s_valid,
    input  wire                   s_punct,
    input  wire [WINDOWS-1:0]     s_eos,
    input  wire [CLOSE_W-1:0]     s_close,
    input  wire [PARTITION_W-1:0] partition,
    input  wire [KEY_W-1:0]       s_key,
    input  wire [DATA_W-1:0]      s_data,

    output wire                   m_valid,
    output wire                   m_punct,
    output wire                   m_eos,
    output wire [CLOSE_W-1:0]     m_close,
    output wire [RANK_W-1:0]      m_rank,
    output wire [KEY_W-1:0]       m_key,
    output wire [DATA_W-1:0]      m_data,

    output wire                   o_valid,
    output wire                   o_punct,
    output wire [CLOSE_W-1:0]     o_close,
    output wire [PARTITION_W-1:0] o_partition,
    output wire [KEY_W-1:0]       o_key,
    output wire [DATA_W-1:0]      o_data
);

    initial begin
        if (HASH < 0 || HASH > 1 || CAPACITY < 2 || (CAPACITY > 238 && HASH == 0)) begin
            $display("ERROR: %m: HASH = %0d (0 or 1), CAPACITY = %0d (2 to 238, more with HASH)", HASH, CAPACITY);
            $finish;
        end
        if (CLOSE_W < 1 || PARTITION_W < 1 || WINDOWS < 1) begin
            $display("ERROR: %m: CLOSE_W = %0d, PARTITION_W = %0d, WINDOWS = %0d (at least 1)",
                     CLOSE_W, PARTITION_W, WINDOWS);
            $finish;
        end
    end

    localparam ENTRIES = HASH != 0 ? 1 << $clog2(2*CAPACITY) : CAPACITY + 18;
    localparam INDEX_W = $clog2(ENTRIES);
    localparam LOOK_UP = HASH != 0 ? 11 : 8;         // cycles, see ws_group_keys
    localparam ROW_W   = RANK_W + INDEX_W + KEY_W + DATA_W;

    // ---- The entry of the tuple's partition, and with it the tuple and the ends of windows

    wire [WINDOWS-1:0]         entered, fresh;
    reg  [WINDOWS-1:0]         released_reg;
    wire [INDEX_W-1:0]         index, released_index;
    wire [PARTITION_W-1:0]     unused_partition;
    wire                       unused_eos, unused_short;
    reg  [WINDOWS*LOOK_UP-1:0] eos_reg;
    wire [WINDOWS-1:0]         eos = eos_reg[WINDOWS*(LOOK_UP-1) +: WINDOWS];
    reg  [CLOSE_W-1:0]         close_reg;            // of the last window that has ended

    ws_group_keys #(
        .DATA_W(CLOSE_W + PARTITION_W + KEY_W + DATA_W), .KEY_W(PARTITION_W), .ENTRIES(ENTRIES), .WINDOWS(WINDOWS),
        .TABLE(HASH != 0 ? 2 : 1)
    ) partitions (
        .clk(clk), .rst(rst),
        .s_windows(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data({s_close, partition, s_key, s_data}),
        .key(partition),
        .m_windows(entered), .m_fresh(fresh), .m_index(index),
        .o_valid(o_valid), .o_punct(o_punct), .o_eos(unused_eos), .o_short(unused_short),
        .o_data({o_close, o_partition, o_key, o_data}),
        .free_windows(released_reg), .free_index(released_index),
        .read_index({INDEX_W{1'b0}}), .read_key(unused_partition)
    );

    always @(posedge clk) begin
        eos_reg <= rst ? {WINDOWS*LOOK_UP{1'b0}} : {eos_reg[0 +: WINDOWS*(LOOK_UP-1)], s_eos};
        if (s_eos != 0) close_reg <= s_close;
    end

    assign m_close = close_reg;

    // ---- The windows, one of which outputs its rows. The first row of a partition releases its entry.

    wire [WINDOWS-1:0]       row, row_punct, row_eos, first;
    wire [WINDOWS*ROW_W-1:0] rows;
    wire                     unused_collision;

    genvar w;
    generate
        for (w = 0; w < WINDOWS; w = w + 1) begin : gen_window
            wire [INDEX_W-1:0] row_index;
            wire [RANK_W-1:0]  row_rank;
            wire [KEY_W-1:0]   row_key;
            wire [DATA_W-1:0]  row_data;

            ws_group_top_k #(.K(K), .GROUPS(ENTRIES), .KEY_W(KEY_W), .DATA_W(DATA_W)) first_k (
                .clk(clk), .rst(rst),
                .s_valid(entered[w]), .s_punct(eos[w] && o_punct), .s_eos(eos[w]),
                .s_group(index), .s_fresh(fresh[w]), .s_key(o_key), .s_data(o_data),
                .m_valid(row[w]), .m_punct(row_punct[w]), .m_eos(row_eos[w]),
                .m_group(row_index), .m_rank(row_rank), .m_key(row_key), .m_data(row_data)
            );

            assign first[w] = row[w] && row_rank == 1;
            assign rows[w*ROW_W +: ROW_W] = {row_rank, row_index, row_key, row_data};
        end
    endgenerate

    ws_multiplex #(.DATA_W(ROW_W), .N(WINDOWS)) windows (
        .clk(clk), .rst(rst),
        .s_valid(row), .s_punct(row_punct), .s_eos(row_eos), .s_data(rows),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data({m_rank, released_index, m_key, m_data}),
        .evt_collision(unused_collision)
    );

    always @(posedge clk) released_reg <= rst ? {WINDOWS{1'b0}} : first;

    wire unused = &{1'b0, unused_eos, unused_short, unused_partition, unused_collision};

`ifdef FORMAL
    // Bounded, and about the first window to end with WINDOWS = 1. A tuple is {mark}. The watched one may be any; it is
    // a row if its partition was not refused, and fewer than K tuples of the partition are before it.
    (* anyconst *) wire [KEY_W-1:0]       watched;
    (* anyconst *) wire [PARTITION_W-1:0] watched_partition;
    reg                    past_valid = 1'b0;
    reg  [4:0]             age_ref;             // cycles since the end of the window
    reg                    seen_ref, refused_ref, ended_ref, punct_ref;
    reg  [RANK_W-1:0]      better_ref, rows_ref;
    reg  [CLOSE_W-1:0]     close_ref;
    reg  [LOOK_UP-1:0]       valid_past, punct_past;
    wire                   in_partition = s_valid[0] && partition == watched_partition;
    wire                   better = in_partition && !s_data[0] && (s_key < watched || (s_key == watched && !seen_ref));
    wire                   mark_row = m_valid && m_data[0];

    always @(posedge clk) begin
        past_valid <= 1'b1;
        valid_past <= {valid_past, s_valid[0]};
        punct_past <= {punct_past, s_punct};
        seen_ref   <= seen_ref || (s_valid[0] && s_data[0]);
        better_ref <= better_ref + (better && better_ref != K);
        age_ref    <= age_ref + (age_ref != 0 && age_ref != 31) + (s_eos[0] && age_ref == 0);
        if (s_eos[0]) {punct_ref, close_ref} <= {s_punct, s_close};
        refused_ref <= refused_ref || (o_valid && o_partition == watched_partition);
        ended_ref   <= ended_ref || m_eos;
        rows_ref    <= rows_ref + (mark_row && rows_ref != K);
        if (rst) begin
            {age_ref, seen_ref, refused_ref, ended_ref, better_ref, rows_ref, valid_past, punct_past} <= 0;
        end

        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (!$past(rst) || !s_valid[0]);
            assume (!s_valid[0] || !s_punct);
            assume (age_ref == 0 || (!s_valid[0] && !s_eos[0]));
            assume (!s_valid[0] || !s_data[0] || (!seen_ref && s_key == watched && partition == watched_partition));
            ref_bus:     assert (!(m_valid && m_eos) && (m_eos || !m_punct) && !(o_valid && o_punct));
            ref_o:       assert (o_punct == punct_past[LOOK_UP-1] && (!o_valid || valid_past[LOOK_UP-1]));
            ref_eos:     assert (!m_eos || (!ended_ref && age_ref != 0));
            ref_close:   assert (!m_eos || (m_punct == punct_ref && m_close == close_ref));
            ref_row:     assert (!m_valid || (!ended_ref && age_ref >= K + 23 && m_close == close_ref && m_rank <= K));
            ref_soon:    assert (age_ref != K + 23 || m_valid || m_eos);
            ref_watched: assert (!mark_row || (rows_ref == 0 && !refused_ref && m_key == watched
                                               && m_rank == better_ref + 1'b1));
            ref_first:   assert (!m_eos || !seen_ref || refused_ref || better_ref == K || rows_ref != 0);
            ref_release: assert (released_reg == (m_valid && m_rank == 1));
            cover (m_eos && m_punct && ended_ref == 0 && rows_ref != 0);
        end
    end
`endif

endmodule

`default_nettype wire
