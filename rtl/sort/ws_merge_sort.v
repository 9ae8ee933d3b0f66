// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_sort: ORDER BY without LIMIT: sorts the tuples of each window by key, equals as they arrived.
//
// LEVELS levels of ws_merge_level, each with runs twice as long. A close without a tuple passes them as an item that is
// after every tuple, so that windows of any length follow each other without a gap. A window of more than 2**LEVELS
// items leaves as several sorted runs, for a host to merge:
//
//     s_valid  t t t t . . . . . . . . . . . .      windows of 2**LEVELS tuples leave without a gap
//     s_eos    . . . e . . . . . . . . . . . .
//     m_valid  . . . . . . . . . . r r r r . .
//     m_last   . . . . . . . . . . . . . l . .
//     m_eos    . . . . . . . . . . . . . e . .
//
// Parameters   LEVELS  a run has 2**LEVELS items, 1 to 20; s_punct and s_eos without a tuple are items too
//              KEY_W   width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them
//              DATA_W  width of a tuple in bits, at least 1
//              RUN_W   width of the number of a run, which is modulo 2**RUN_W, at least 1
//              UNIQUE  1: of equal keys in a run only the first tuple is a row, evt_equal counts the others; 0: all are
// Latency      2**LEVELS + 6*LEVELS - min(LEVELS, 4) + 1 cycles, if full windows come without a gap. From the last of
//              n items of a window to its last row, if the sorter was empty and the items come without a gap, 2 and
//              for each level with runs of R items R + H if n > R, else max(n + 3, H), where H = 5 + (R > 8)
// Issue rate   1 tuple a cycle; windows follow each other without a gap
// Overflow     cannot happen: evt_long counts windows of several runs, of which no tuple is lost
// Source       ours; merging by levels: D. E. Knuth, The Art of Computer Programming, volume 3, section 5.2.4

`default_nettype none

module ws_merge_sort #(
    parameter LEVELS = 10,
    parameter KEY_W  = 32,
    parameter DATA_W = 32,
    parameter RUN_W  = 16,
    parameter UNIQUE = 0
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [KEY_W-1:0]  s_key,
    input  wire [DATA_W-1:0] s_data,

    output reg               m_valid,
    output reg               m_punct,
    output reg               m_eos,
    output reg               m_last,    // the row is the last one of its run
    output reg  [RUN_W-1:0]  m_run,     // the number of its run in the window
    output reg  [KEY_W-1:0]  m_key,
    output reg  [DATA_W-1:0] m_data,

    output reg               evt_long,  // with the first row of a window's second run
    output reg               evt_equal  // a tuple was dropped
);

    initial if (LEVELS < 1 || LEVELS > 20 || KEY_W < 1 || DATA_W < 1 || RUN_W < 1 || UNIQUE < 0 || UNIQUE > 1) begin
        $display("ERROR: %m: LEVELS = %0d (1 to 20), KEY_W = %0d, DATA_W = %0d, RUN_W = %0d (at least 1), UNIQUE = %0d",
                 LEVELS, KEY_W, DATA_W, RUN_W, UNIQUE);
        $finish;
    end

    // Link i is the input of level i. The key of an item is {close, key}; a close without a tuple has s_eos in the
    // place of the key, and the punctuation in that of the tuple.
    localparam ITEM_W = KEY_W + DATA_W + 2;
    wire [LEVELS:0]              valids, lasts, ends;
    wire [(LEVELS+1)*ITEM_W-1:0] items;
    wire                         close = !s_valid && (s_punct || s_eos);

    assign valids[0] = s_valid || close;
    assign lasts[0]  = 1'b1;
    assign ends[0]   = s_punct || s_eos;
    assign items[ITEM_W-1:0] = {close, close ? {KEY_W{s_eos}} : s_key, s_punct, s_data};

    genvar i;
    generate
        for (i = 0; i < LEVELS; i = i + 1) begin : gen_level
            ws_merge_level #(.RUN(1 << i), .KEY_W(KEY_W + 1), .DATA_W(DATA_W + 1)) level (
                .clk(clk), .rst(rst),
                .s_valid(valids[i]), .s_last(lasts[i]), .s_end(ends[i]),
                .s_key(items[i*ITEM_W+DATA_W+1 +: KEY_W+1]), .s_data(items[i*ITEM_W +: DATA_W+1]),
                .m_valid(valids[i+1]), .m_last(lasts[i+1]), .m_end(ends[i+1]),
                .m_key(items[(i+1)*ITEM_W+DATA_W+1 +: KEY_W+1]), .m_data(items[(i+1)*ITEM_W +: DATA_W+1])
            );
        end
    endgenerate

    // An item is held until it is known whether the next one is a row of its run.
    wire [ITEM_W-1:0] item     = items[LEVELS*ITEM_W +: ITEM_W];
    wire              arrives  = valids[LEVELS];
    wire              is_close = item[ITEM_W-1];
    reg               held_reg, last_reg, end_reg;
    reg  [ITEM_W-1:0] item_reg;
    wire              held_close = item_reg[ITEM_W-1];
    wire              equal = UNIQUE != 0 && arrives && held_reg && !last_reg && !is_close
                              && item[DATA_W+1 +: KEY_W] == item_reg[DATA_W+1 +: KEY_W];
    wire              moves = held_reg && (last_reg || (arrives && !equal));
    reg  [RUN_W-1:0]  run_reg;
    reg               begins_reg;               // a run begins with the item held
    reg               first_reg, second_reg;    // the first run of its window, the second one

    always @(posedge clk) begin
        held_reg <= arrives || (held_reg && !moves);
        if (arrives) {last_reg, end_reg} <= {lasts[LEVELS], ends[LEVELS]};
        if (arrives && !equal) item_reg <= item;

        m_valid   <= moves && !held_close;
        m_punct   <= moves && held_close && item_reg[DATA_W];
        m_eos     <= moves && (held_close ? item_reg[DATA_W+1] : last_reg && end_reg);
        m_last    <= moves && !held_close && (last_reg || is_close);
        {m_key, m_data} <= {item_reg[DATA_W+1 +: KEY_W], item_reg[DATA_W-1:0]};
        m_run     <= run_reg;
        evt_long  <= moves && !held_close && begins_reg && second_reg;
        evt_equal <= equal;
        if (moves) begin
            begins_reg <= last_reg;
            if (last_reg) begin
                run_reg    <= end_reg ? {RUN_W{1'b0}} : run_reg + 1'b1;
                first_reg  <= end_reg;
                second_reg <= first_reg && !end_reg;
            end
        end
        if (rst) begin
            held_reg   <= 1'b0;
            m_valid    <= 1'b0;
            m_punct    <= 1'b0;
            m_eos      <= 1'b0;
            m_last     <= 1'b0;
            evt_long   <= 1'b0;
            evt_equal  <= 1'b0;
            begins_reg <= 1'b1;
            first_reg  <= 1'b1;
            second_reg <= 1'b0;
            run_reg    <= 0;
        end
    end

`ifdef FORMAL
    // Bounded; the levels have proofs of their own, and here the last one's output obeys the rules, if the first one's
    // input does. The rest of a tuple is {early, mark}, see ws_merge_rules. Of the ends of windows the one
    // with the number `watched_end` is described: the rows before it are counted.
    localparam RUN  = 1 << LEVELS;
    localparam IDLE = RUN + 6*LEVELS + 1;       // cycles until everything has left
    (* anyconst *) wire [KEY_W:0] watched;
    (* anyconst *) wire [4:0]     watched_end;
    wire [7:0]      in_records, out_records;
    wire [KEY_W:0]  in_least, out_least;
    wire [1:0]      in_seen, out_seen;
    wire            in_end, in_early, out_end, out_early;
    reg             past_valid = 1'b0;
    reg  [4:0]      in_rows_ref, out_rows_ref, rows_ref;    // all rows; those before the watched end
    reg  [4:0]      in_ends_ref, out_ends_ref, run_rows_ref;
    reg  [5:0]      idle_ref;
    reg             open_ref, punct_ref, eos_ref, last_ref, short_ref, early_ref, closed_ref;
    reg  [KEY_W-1:0] key_ref;
    reg  [RUN_W-1:0] number_ref;
    reg  [1:0]      seen_ref;
    wire            in_closes  = s_punct || s_eos;
    wire            out_closes = m_punct || m_eos;
    wire [4:0]      in_rows    = in_rows_ref + s_valid;
    wire [4:0]      out_rows   = out_rows_ref + (m_valid || evt_equal);

    ws_merge_rules #(.RUN(1), .KEY_W(KEY_W + 1), .ASSUME(1)) in_rules (
        .clk(clk), .rst(rst), .watched(watched), .valid(valids[0]), .last(lasts[0]), .end_(ends[0]),
        .key(items[DATA_W+1 +: KEY_W+1]), .mark(items[1:0]), .early(items[2]),
        .records(in_records), .least(in_least), .seen(in_seen), .was_end(in_end), .was_early(in_early)
    );
    ws_merge_rules #(.RUN(RUN), .KEY_W(KEY_W + 1)) out_rules (
        .clk(clk), .rst(rst), .watched(watched), .valid(arrives), .last(lasts[LEVELS]), .end_(ends[LEVELS]),
        .key(item[DATA_W+1 +: KEY_W+1]), .mark(item[1:0]), .early(item[2]),
        .records(out_records), .least(out_least), .seen(out_seen), .was_end(out_end), .was_early(out_early)
    );

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        in_rows_ref  <= in_rows;
        out_rows_ref <= out_rows;
        in_ends_ref  <= in_ends_ref + in_closes;
        out_ends_ref <= out_ends_ref + out_closes;
        idle_ref     <= s_valid || in_closes ? 0 : idle_ref + (idle_ref != IDLE);
        if (s_valid || in_closes) open_ref <= !in_closes;
        if (in_closes && in_ends_ref == watched_end) {rows_ref, punct_ref, eos_ref} <= {in_rows, s_punct, s_eos};
        if (m_valid) begin
            {key_ref, last_ref, early_ref} <= {m_key, m_last, m_data[2]};
            run_rows_ref <= m_last ? 0 : run_rows_ref + 1;
            seen_ref <= seen_ref | m_data[1:0];
        end
        short_ref <= !out_closes && (m_valid ? m_last && run_rows_ref != RUN - 1 : short_ref);
        closed_ref <= out_closes || (closed_ref && !m_valid);
        if (out_closes) number_ref <= 0;
        else if (m_valid && m_last) number_ref <= number_ref + 1'b1;
        if (rst) begin
            {in_rows_ref, out_rows_ref, in_ends_ref, out_ends_ref, idle_ref} <= 0;
            {open_ref, short_ref, run_rows_ref, number_ref} <= 0;
            {last_ref, early_ref, closed_ref} <= 3'b111;
            seen_ref <= 2'b00;
        end

        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (!s_valid || !s_punct);
            // every tuple is a row, and every end of a window leaves after all rows of the window
            ref_none:   assert (in_rows_ref - out_rows < 16);
            ref_all:    assert (idle_ref != IDLE || open_ref
                                || (in_rows_ref == out_rows_ref && in_ends_ref == out_ends_ref));
            ref_end:    assert (!out_closes || out_ends_ref != watched_end
                                || (rows_ref == out_rows && m_punct == punct_ref && m_eos == eos_ref));
            ref_punct:  assert (!m_valid || !m_punct);
            // a run is sorted, and not longer than it may be
            ref_sorted: assert (!m_valid || last_ref || (UNIQUE != 0 ? m_key > key_ref : m_key >= key_ref));
            ref_run:    assert (!m_valid || (run_rows_ref < RUN && m_run == number_ref));
            ref_last:   assert (!m_eos || !m_valid || m_last);
            ref_short:  assert (!m_valid || !short_ref || UNIQUE != 0);
            ref_long:   assert (evt_long == (m_valid && number_ref == 1 && run_rows_ref == 0) || RUN_W == 1);
            ref_equal:  assert (evt_equal == 0 || UNIQUE != 0);
            ref_close:  assert (m_valid || !out_closes || last_ref);
            ref_early:  assert (!m_valid || m_data[2] == early_ref || (early_ref && closed_ref));
            // the watched tuples are rows once, the first one first
            ref_marks:  assert (!m_valid || ((m_data[1:0] & seen_ref) == 0
                                             && (!m_data[1] || seen_ref[0] || UNIQUE != 0)));
            ref_key:    assert (!m_valid || m_data[1:0] == 0 || {1'b0, m_key} == watched);
            cover (m_valid && m_last && run_rows_ref == RUN - 1 && m_data[1]);
            cover (evt_long);
            cover (m_eos && !m_punct && out_ends_ref == 1 && m_valid && m_data[2]);
            cover (m_punct && m_eos && out_ends_ref == 1);
        end
    end
`endif

endmodule

`default_nettype wire
