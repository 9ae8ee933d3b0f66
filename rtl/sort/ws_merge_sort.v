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

endmodule

`default_nettype wire
