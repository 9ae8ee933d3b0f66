// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_chain: joins batches of probes with windows of any length, comparing every pair of them: the pipeline of
// FJoin.
//
// A batch is loaded, one probe per unit. Then the window passes through the chain, one tuple per cycle, and every unit
// compares its probe with it. The next batch is loaded meanwhile; its pass begins in the cycle after the last tuple of
// this pass.
//
// The chain never stalls. A block of units writes its matches into a queue; a queue that is filling up stops the entry
// from sending further window tuples, and has room for the matches of those in flight. Neither this stop signal, which
// travels up the chain one block per cycle, nor the slots, which travel down one group per cycle, fans out to all
// units.
//
//   s_probe ──▶ load ─▶┌───────┐─▶┌───────┐─▶┌───────┐─▶┌───────┐
//   s_window ─▶ entry ▶│ group │─▶│ group │─▶│ group │─▶│ group │
//                 ▲    └───┬───┘  └───┬───┘  └───┬───┘  └───┬───┘
//                 │        └────┬─────┘          └────┬─────┘
//               stop ◀──────── queue ◀────────────── queue
//                               └──────┬──────────────┘
//                                    merge ──▶ m (lane)
//
// Parameters   UNITS   basic join units, at least 1; BLOCK * LANES * a power of two
//              GROUP   units that see a window tuple in the same cycle, at least 1; a divisor of BLOCK
//              BLOCK   units with one result queue, a multiple of GROUP
//              LANES   results that are output per cycle, at least 1; lane n serves the units from n * UNITS/LANES on
//              PAIRS   0: a result is {pass, unit, window tuple, mask}: bit i is the match of the probe in unit + i;
//                      one for every block and window tuple with a match 1: a result is {pass, unit, window tuple}: a
//                      pair
//              PASS_W  width of the number of a pass (or batch) in bits, at least 1; numbers count from 0 and wrap
//                      around
//              SLOT_W  width of the number of a window tuple in its pass in bits, at least 2; numbers count from 0 and
//                      wrap around. The first probe of a batch goes to unit 0, the next to unit 1
//              FIFO_W  each result queue holds 2**FIFO_W words, at least 1; it needs room for everything in flight, and
//                      some for bursts
//              PREDICATE, KEY_W, SIGNED, LIMIT_W  see ws_predicate
//              UNIT_W  follows from UNITS
//              WORD_W  follows from the widths above
// Ports        s_probe    last ends a batch of fewer than UNITS; a batch of UNITS ends by itself
//              s_window   last ends a window, which has at least one tuple. flush: not a window tuple but a FLUSH. It
//                         leaves every lane after the last result of the tuples before it
//              m_*        of the lanes, lane 0 in the low bits. The order of the results of a lane is not defined
//              limit      constant while anything is in the chain
// Latency      6 + (B + 1) * BLOCK/GROUP + P + PAIRS cycles; from a window tuple to the first result in block B,
//              counted from 0; P: the predicate's cycles plus log2 of the blocks of a lane
// Issue rate   1 probe and 1 window tuple per cycle; a window of W tuples takes W cycles if W > UNITS. LANES results
//              per cycle. So with selectivity M and pairs: max(W, UNITS*M*W / LANES) cycles, if matches are spread
//              evenly
// Overflow     cannot happen: s_window_ready goes low
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), section 3.2; queues and lanes are ours

`default_nettype none

module ws_fjoin_chain #(
    parameter        UNITS     = 64,
    parameter        GROUP     = 4,
    parameter        BLOCK     = 16,
    parameter        LANES     = 4,
    parameter        PAIRS     = 1,
    parameter        PASS_W    = 8,
    parameter        SLOT_W    = 16,
    parameter        FIFO_W    = 6,
    parameter [31:0] PREDICATE = "L1",
    parameter        KEY_W     = 64,
    parameter        SIGNED    = 0,
    parameter        LIMIT_W   = 33,
    parameter        UNIT_W    = UNITS > 1 ? $clog2(UNITS) : 1,
    parameter        WORD_W    = PASS_W + UNIT_W + SLOT_W + (PAIRS != 0 ? 0 : BLOCK)
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [LIMIT_W-1:0]      limit,

    input  wire                    s_probe_valid,
    output wire                    s_probe_ready,
    input  wire [KEY_W-1:0]        s_probe_data,
    input  wire                    s_probe_last,

    input  wire                    s_window_valid,
    output wire                    s_window_ready,
    input  wire [KEY_W-1:0]        s_window_data,
    input  wire                    s_window_last,
    input  wire                    s_window_flush,

    output wire [LANES-1:0]        m_valid,
    input  wire [LANES-1:0]        m_ready,
    output wire [LANES-1:0]        m_flush,
    output wire [LANES*WORD_W-1:0] m_data
);

    initial if (PAIRS != 0 && PAIRS != 1) begin
        $display("ERROR: %m: PAIRS = %0d (0 or 1)", PAIRS);
        $finish;
    end

    `include "ws_predicate.vh"

    localparam CYCLES = predicate_cycles(PREDICATE);
    localparam GROUPS = UNITS / GROUP;
    localparam BLOCKS = UNITS / BLOCK;
    localparam DEPTH  = BLOCK / GROUP;      // groups of a block
    localparam LEAVES = BLOCKS / LANES;     // blocks of a lane
    localparam LEVELS = LEAVES > 1 ? $clog2(LEAVES) : 0;

    // Words that may still reach the queue of the last block after it has passed MOST: one cycle for the level, one for
    // each block on the way to the entry, and on the way back the entry's register, the groups, the predicate and the
    // count.
    localparam MARGIN = 4 + (BLOCKS - 1) + BLOCKS*DEPTH + CYCLES;

    initial if (GROUP < 1 || BLOCK % GROUP != 0 || LANES < 1 || UNITS != BLOCK*LANES*(1 << LEVELS)) begin
        $display("ERROR: %m: UNITS = %0d (BLOCK * LANES * 2**n), LANES = %0d, BLOCK, GROUP = %0d, %0d (divides it)",
                 UNITS, LANES, BLOCK, GROUP);
        $finish;
    end

    initial if ((1 << FIFO_W) <= MARGIN || PASS_W < 1 || SLOT_W < 2) begin
        $display("ERROR: %m: FIFO_W = %0d (2**FIFO_W above %0d), PASS_W = %0d (at least 1), SLOT_W = %0d (at least 2)",
                 FIFO_W, MARGIN, PASS_W, SLOT_W);
        $finish;
    end

    // ---- Load: until a batch is complete, which moves on when its pass begins

    reg              loaded_reg;
    reg [UNIT_W-1:0] loads_reg;
    wire             load  = s_probe_valid && s_probe_ready;
    localparam       LAST  = UNITS - 1;
    wire             batch = load && (s_probe_last || loads_reg == LAST[UNIT_W-1:0]);
    wire             start;
    wire             loaded = batch || (loaded_reg && !start);

    assign s_probe_ready = !loaded_reg;

    always @(posedge clk) begin
        if (load) loads_reg <= batch ? {UNIT_W{1'b0}} : loads_reg + {{(UNIT_W-1){1'b0}}, 1'b1};
        loaded_reg <= loaded;
        if (rst) begin
            loads_reg  <= {UNIT_W{1'b0}};
            loaded_reg <= 1'b0;
        end
    end

    // ---- Entry: a window tuple enters the chain if its pass may run and no queue has set stop

    wire [BLOCKS-1:0] over;
    reg  [BLOCKS-1:0] stop_reg;
    wire [BLOCKS-1:0] stop = over | (stop_reg >> 1);
    wire              w_valid, w_last, w_flush;
    wire [KEY_W-1:0]  w_key;
    reg               inside_reg;           // a pass has begun and not ended
    reg               go_reg;
    wire              run    = go_reg || (w_flush && !stop_reg[0]);
    wire              window = w_valid && run && !w_flush;
    wire              inside = window ? !w_last : inside_reg;

    assign start = window && !inside_reg;

    ws_skid_buffer #(.DATA_W(KEY_W + 2)) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_window_valid), .s_ready(s_window_ready), .s_data({s_window_last, s_window_flush, s_window_data}),
        .m_valid(w_valid), .m_ready(run), .m_data({w_last, w_flush, w_key})
    );

    // A window tuple takes one cycle more than a probe, so that START never directly follows the batch that it starts.
    reg             window_reg, start_reg, flush_reg;
    reg [KEY_W-1:0] key_reg;

    always @(posedge clk) begin
        window_reg <= window && !rst;
        start_reg  <= start && !rst;
        flush_reg  <= w_valid && run && w_flush && !rst;
        key_reg    <= w_key;
        inside_reg <= inside && !rst;
        go_reg     <= (inside || loaded) && !stop[0] && !rst;
        stop_reg   <= rst ? {BLOCKS{1'b1}} : stop;
    end

    // ---- Chain

    wire [GROUPS:0]               slot_load, slot_window, slot_start, slot_flush;
    wire [(GROUPS+1)*KEY_W-1:0]   load_key, window_key;
    wire [(GROUPS+1)*LIMIT_W-1:0] limits;
    wire [UNITS-1:0]              hits;

    assign slot_load[0]          = load;
    assign slot_window[0]        = window_reg;
    assign slot_start[0]         = start_reg;
    assign slot_flush[0]         = flush_reg;
    assign load_key[KEY_W-1:0]   = s_probe_data;
    assign window_key[KEY_W-1:0] = key_reg;
    assign limits[LIMIT_W-1:0]   = limit;

    genvar g, b, l;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_group
            ws_fjoin_group #(
                .UNITS(GROUP), .PREDICATE(PREDICATE), .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W)
            ) group (
                .clk(clk), .rst(rst),
                .s_load(slot_load[g]), .s_window(slot_window[g]), .s_start(slot_start[g]), .s_flush(slot_flush[g]),
                .s_load_key(load_key[g*KEY_W +: KEY_W]), .s_window_key(window_key[g*KEY_W +: KEY_W]),
                .s_limit(limits[g*LIMIT_W +: LIMIT_W]),
                .m_load(slot_load[g+1]), .m_window(slot_window[g+1]), .m_start(slot_start[g+1]),
                .m_flush(slot_flush[g+1]),
                .m_load_key(load_key[(g+1)*KEY_W +: KEY_W]), .m_window_key(window_key[(g+1)*KEY_W +: KEY_W]),
                .m_limit(limits[(g+1)*LIMIT_W +: LIMIT_W]),
                .hits(hits[g*GROUP +: GROUP])
            );
        end
    endgenerate

    // ---- Results: the groups of a block see a tuple one after the other, and all but the last one delay their hits

    wire [BLOCKS-1:0]        word_valid, word_ready, word_flush;
    wire [BLOCKS*WORD_W-1:0] word_data;
`ifdef FORMAL
    wire [BLOCKS-1:0]        lost;
`endif

    generate
        for (b = 0; b < BLOCKS; b = b + 1) begin : gen_block
            localparam END = (b + 1)*DEPTH;                 // its last group's slot
            reg  [3*CYCLES-1:0] slots_reg;
            wire [3*CYCLES+2:0] slots = {slots_reg, slot_window[END], slot_start[END], slot_flush[END]};
            wire [BLOCK-1:0]    block_hits;

            always @(posedge clk) slots_reg <= rst ? {3*CYCLES{1'b0}} : slots[3*CYCLES-1:0];

            for (g = 0; g < DEPTH; g = g + 1) begin : gen_align
                wire [GROUP-1:0] own = hits[b*BLOCK + g*GROUP +: GROUP];
                if (g == DEPTH - 1) begin : gen_now
                    assign block_hits[g*GROUP +: GROUP] = own;
                end else begin : gen_later
                    reg  [(DEPTH-1-g)*GROUP-1:0] own_reg;
                    wire [(DEPTH-g)*GROUP-1:0]   owns = {own_reg, own};
                    always @(posedge clk) own_reg <= owns[(DEPTH-1-g)*GROUP-1:0];
                    assign block_hits[g*GROUP +: GROUP] = owns[(DEPTH-1-g)*GROUP +: GROUP];
                end
            end

            ws_fjoin_results #(
                .UNITS(BLOCK), .UNIT_W(UNIT_W), .FIRST(b*BLOCK), .PASS_W(PASS_W), .SLOT_W(SLOT_W), .ADDR_W(FIFO_W),
                .MOST((1 << FIFO_W) - MARGIN), .PAIRS(PAIRS)
            ) results (
                .clk(clk), .rst(rst),
                .window(slots[3*CYCLES+2]), .start(slots[3*CYCLES+1]), .flush(slots[3*CYCLES]),
                .hits(block_hits), .over(over[b]),
                .m_valid(word_valid[b]), .m_ready(word_ready[b]), .m_flush(word_flush[b]),
                .m_data(word_data[b*WORD_W +: WORD_W])
`ifdef FORMAL
                ,
                .lost(lost[b])
`endif
            );
        end

        // A tree for each lane: node 1 is the root, the children of node n are 2n and 2n + 1, the blocks are leaves.
        for (l = 0; l < LANES; l = l + 1) begin : gen_lane
            wire [2*LEAVES-1:1]             valid, ready, flush;
            wire [2*LEAVES*WORD_W-1:WORD_W] data;

            for (b = 0; b < LEAVES; b = b + 1) begin : gen_leaf
                assign valid[LEAVES+b]                   = word_valid[l*LEAVES+b];
                assign word_ready[l*LEAVES+b]            = ready[LEAVES+b];
                assign flush[LEAVES+b]                   = word_flush[l*LEAVES+b];
                assign data[(LEAVES+b)*WORD_W +: WORD_W] = word_data[(l*LEAVES+b)*WORD_W +: WORD_W];
            end

            for (b = 1; b < LEAVES; b = b + 1) begin : gen_node
                ws_fjoin_merge #(.DATA_W(WORD_W)) merge (
                    .clk(clk), .rst(rst),
                    .s_valid(valid[2*b +: 2]), .s_ready(ready[2*b +: 2]), .s_flush(flush[2*b +: 2]),
                    .s_data(data[2*b*WORD_W +: 2*WORD_W]),
                    .m_valid(valid[b]), .m_ready(ready[b]), .m_flush(flush[b]), .m_data(data[b*WORD_W +: WORD_W])
                );
            end

            assign m_valid[l]                   = valid[1];
            assign ready[1]                     = m_ready[l];
            assign m_flush[l]                   = flush[1];
            assign m_data[l*WORD_W +: WORD_W]   = data[WORD_W +: WORD_W];
        end
    endgenerate

    wire unused = &{slot_load[GROUPS], slot_window[0], load_key[GROUPS*KEY_W +: KEY_W],
                    window_key[GROUPS*KEY_W +: KEY_W], limits[GROUPS*LIMIT_W +: LIMIT_W]};

`ifdef FORMAL
    // An arbitrary pair is watched, by its numbers; LANES = 1, PAIRS = 1, EQ. It is output once if the keys are equal,
    // and before a FLUSH, which ends the window tuples here. No number wraps around.
    (* anyconst *) reg [PASS_W-1:0] watch_pass;
    (* anyconst *) reg [UNIT_W-1:0] watch_unit;
    (* anyconst *) reg [SLOT_W-1:0] watch_slot;
    reg              past_valid = 1'b0;
    reg [PASS_W-1:0] batch_ref, pass_ref;           // of the next probe, of the next window tuple
    reg [UNIT_W-1:0] unit_ref;
    reg [SLOT_W-1:0] slot_ref;
    reg [KEY_W-1:0]  probe_ref, row_ref;            // of the watched pair; the flags: have they arrived
    reg              probe_given_ref, row_given_ref, came_ref, flushed_ref, flush_out_ref;
    wire             wanted  = probe_given_ref && row_given_ref && probe_ref == row_ref;
    wire             taken   = s_window_valid && s_window_ready;
    wire             out     = m_valid[0] && m_ready[0];
    wire             watched = m_data[WORD_W-1:0] == {watch_pass, watch_unit, watch_slot};

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assume (!(flushed_ref && s_window_valid));
            assume (!(&pass_ref && s_window_valid && !s_window_flush) && !(&batch_ref && s_probe_valid));
            assume (!(&slot_ref && s_window_valid && !s_window_last && !s_window_flush));
            if ($past(s_window_valid && !s_window_ready))
                assume (s_window_valid && $stable({s_window_data, s_window_last, s_window_flush}));
        end

        if (load) begin
            unit_ref <= batch ? 0 : unit_ref + 1'b1;
            if (batch) batch_ref <= batch_ref + 1'b1;
            if (batch_ref == watch_pass && unit_ref == watch_unit) begin
                probe_ref       <= s_probe_data;
                probe_given_ref <= 1'b1;
            end
        end
        if (taken && !s_window_flush) begin
            slot_ref <= s_window_last ? 0 : slot_ref + 1'b1;
            if (s_window_last) pass_ref <= pass_ref + 1'b1;
            if (pass_ref == watch_pass && slot_ref == watch_slot) begin
                row_ref       <= s_window_data;
                row_given_ref <= 1'b1;
            end
        end
        if (taken && s_window_flush) flushed_ref <= 1'b1;
        if (out && m_flush[0]) flush_out_ref <= 1'b1;
        if (out && !m_flush[0] && watched) came_ref <= 1'b1;
        if (rst) begin
            {batch_ref, pass_ref, unit_ref, slot_ref} <= 0;
            {probe_given_ref, row_given_ref, came_ref, flushed_ref, flush_out_ref} <= 0;
        end

        if (past_valid && !rst) begin
            if (start) assert (loaded_reg);
            chain_overflow: assert (lost == 0);
            assert (go_reg == (!stop_reg[0] && (inside_reg || loaded_reg)));
            if (window) assert (!stop_reg[0] && (inside_reg || loaded_reg));
            if (out && !m_flush[0] && watched) chain_false: assert (wanted);
            if (out && !m_flush[0] && watched) chain_doubled: assert (!came_ref && !flush_out_ref);
            if (out && m_flush[0]) chain_lost: assert (flushed_ref && !flush_out_ref && came_ref == wanted);
        end
        cover (past_valid && flush_out_ref && came_ref && watch_pass == 1 && watch_unit == UNITS - 1);
        cover (past_valid && flush_out_ref && came_ref && watch_slot != 0 && $past(m_valid[0] && !m_ready[0], 4));
    end
`endif

endmodule

`default_nettype wire
