// SPDX-License-Identifier: Apache-2.0
//
// ws_handshake_join: the join of two streams over the last CORES * SEGMENT tuples of each, or over a time window, by
// cores in a chain; exact: a pair is a result if it passes the predicate and the earlier tuple is in its window when
// the later one arrives. With time windows the definition is that of ws_window_join, with CORES * SEGMENT for ROWS.
//
//             ┌────────┐ step ┌────────┐ step ┌────────┐
//   s_axis ──▶│ core 0 ├─────▶│ core 1 ├─────▶│ core 2 │      a step: the next tuple, of R or of S, or a FLUSH
//             └───┬────┘◀╌╌╌╌╌└───┬────┘◀╌╌╌╌╌└───┬────┘      ◀╌╌ tuples evicted from a segment of S, for FORWARD = 0
//               queue           queue           queue
//                 └───────────────┴──────┬────────┘
//                                     m_axis                  merging network
//
// Steps travel along the chain in order of arrival, so each core processes all of them in that order, and no two tuples
// can pass each other without being compared.
//
// FORWARD = 1, the low-latency handshake join: a new tuple goes through all cores at once, and is compared with the
//              whole window of the other stream. Tuple n of a stream is stored in core n mod CORES.
// FORWARD = 0, the handshake join: the windows flow through the chain, R to the right and S to the left, pushed only by
//              new tuples, and tuples are compared where they meet. A result may therefore wait for as long as the
//              streams do, or for a FLUSH, which sweeps each tuple of R over the tuples of S that it has not met. The
//              tuples keep their places, and are not compared again when they meet.
//
// Parameters   DATA_W        width of a tuple in bits, a multiple of 8
//              CORES         cores, 1 to 1024
//              SEGMENT       tuples of each stream in a core, 1 to 4096; in LUTs up to 64, else in block RAM
//              FORWARD       1: a new tuple goes through all cores at once; 0: it does not, see above
//              PREDICATE, KEY_W, SIGNED, LIMIT_W  see ws_predicate
//              R_KEY_LSB     lowest bit of the key in a tuple of R, 0 to DATA_W - KEY_W
//              S_KEY_LSB     lowest bit of the key in a tuple of S, 0 to DATA_W - KEY_W
//              FIFO_W        the result queue of a core holds 2**FIFO_W results, 3 to 10
//              DROP          0: s_axis stalls until a tuple can be admitted; 1: a tuple that cannot be is dropped
//              ID_W, TIME_W, R_TIME_LSB, S_TIME_LSB, WINDOW, SLACK  see ws_join_entry
//              RESULT_CLOCK  1: the merging network and m_axis are on m_clk, and a FIFO of 16 results after each core's
//                            queue crosses to it; 0: m_clk and m_rst are not used
// Ports        rst and m_rst must be high together once, for as long as ws_async_fifo requires, and again whenever one
//              of them is. With more than 8 cores they reach the cores over a tree of registers: for log2(CORES / 8) +
//              1 cycles after rst, rounded up, s_axis_tready stays low, as m_axis_tvalid does after m_rst
// Items        of ws_window_join: s_axis: a beat is a tuple, s_axis_tdest 0 of R, 1 of S, the first declared field in
//              the most significant bits. A beat with tkeep 0 is a FLUSH: it is output on m_axis, as a beat with tkeep
//              0, after the last result of the tuples before it and before all others. It admits and expires nothing.
//              m_axis: {tuple of R, tuple of S}; the order of results between two FLUSHes is not defined
// Latency      6 + K + N + P + M cycles; for FORWARD = 1, from a tuple on s_axis to its result with the tuple of age N
//              in core K, N and K from 0, if nothing else is in flight; P: the predicate's cycles. M: 1 or 2 cycles for
//              each level of the merging network, which has floor(log2(CORES)) levels, or one more. The worst case is
//              K = CORES - 1, N = SEGMENT - 1
//              FORWARD = 0: no bound without further tuples or a FLUSH
//              Time windows: 4 cycles more, and P is at least 2. RESULT_CLOCK = 1: plus that of ws_async_fifo
// Issue rate   1 tuple per max(SEGMENT, 2) cycles; of either stream; with time windows at least 3 cycles. FORWARD = 0: of
//              R one per max(SEGMENT, 3) + 1 cycles, of S one per SEGMENT + 4 (with one core max(SEGMENT, 2) + 1).
//              Results: 1 per cycle of m_axis. A FLUSH for FORWARD = 0 takes about CORES * SEGMENT * (SEGMENT + 1)
//              cycles, a series of sweeps
// Overflow     tuple windows: cannot happen, a core whose queue fills WAITs, then those before it, then s_axis_tready
//              goes low; DROP = 1: evt_dropped, and tready goes low only for a FLUSH and, with time windows, for the 2
//              cycles in which a tuple is checked. Time windows, evt_overflow: the place that the tuple needs holds a
//              row that may still match. A tuple is refused as a whole, and reported as by ws_window_join
// Bad input    limit must be constant while tuples arrive. evt_late: a late tuple is refused
// Source       Teubner, Mueller, SIGMOD 2011, and R. Mueller's dissertation, section 7.7; FORWARD = 1: Roy, Teubner,
//              Gemulla, VLDB 2014, but with both streams from one end. FLUSH and the arrival order are ours

`default_nettype none

module ws_handshake_join #(
    parameter        DATA_W       = 64,
    parameter        CORES        = 16,
    parameter        SEGMENT      = 8,
    parameter        FORWARD      = 1,
    parameter [31:0] PREDICATE    = "EQ",
    parameter        KEY_W        = 32,
    parameter        SIGNED       = 0,
    parameter        LIMIT_W      = 33,
    parameter        R_KEY_LSB    = 0,
    parameter        S_KEY_LSB    = 0,
    parameter        FIFO_W       = 4,
    parameter        DROP         = 0,
    parameter        ID_W         = 32,
    parameter        TIME_W       = 0,
    parameter        R_TIME_LSB   = 0,
    parameter        S_TIME_LSB   = 0,
    parameter [63:0] WINDOW       = 60,
    parameter [63:0] SLACK        = 0,
    parameter        RESULT_CLOCK = 0
) (
    input  wire                  clk,
    input  wire                  rst,
    input  wire [LIMIT_W-1:0]    limit,

    input  wire [DATA_W-1:0]     s_axis_tdata,
    input  wire [DATA_W/8-1:0]   s_axis_tkeep,
    input  wire                  s_axis_tvalid,
    output wire                  s_axis_tready,
    input  wire                  s_axis_tlast,
    input  wire                  s_axis_tdest,

    output wire [2*DATA_W-1:0]   m_axis_tdata,
    output wire [2*DATA_W/8-1:0] m_axis_tkeep,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire                  m_axis_tlast,

    input  wire                  m_clk,
    input  wire                  m_rst,

    output wire                  evt_dropped,
    output wire                  evt_late,
    output wire                  evt_overflow,
    output wire                  dropped_dest,
    output wire [ID_W-1:0]       dropped_id
);

    initial if ((FORWARD != 0 && FORWARD != 1) || R_KEY_LSB < 0 || R_KEY_LSB > DATA_W - KEY_W || S_KEY_LSB < 0
                || S_KEY_LSB > DATA_W - KEY_W || (DROP != 0 && DROP != 1)) begin
        $display("ERROR: %m: FORWARD = %0d (0 or 1), R_KEY_LSB = %0d, S_KEY_LSB = %0d (0 to DATA_W - KEY_W), ",
                 FORWARD, R_KEY_LSB, S_KEY_LSB, "DROP = %0d (0 or 1)", DROP);
        $finish;
    end

    initial if (RESULT_CLOCK != 0 && RESULT_CLOCK != 1) begin
        $display("ERROR: %m: RESULT_CLOCK = %0d (0 or 1)", RESULT_CLOCK);
        $finish;
    end

    localparam HOP_W  = CORES > 1 ? $clog2(CORES) : 1;
    localparam SLOT_W = SEGMENT > 1 ? $clog2(SEGMENT) : 1;
    localparam LAST_CORE = CORES - 1, LAST_SLOT = SEGMENT - 1;
    localparam [HOP_W-1:0] HOP = 1;
    localparam [1:0] KIND_SWEEP = 2'd2, KIND_FLUSH = 2'd3;

    initial if (CORES < 1 || CORES > 1024 || SEGMENT < 1 || SEGMENT > 4096 || FIFO_W < 3 || FIFO_W > 10) begin
        $display("ERROR: %m: CORES = %0d (1 to 1024), SEGMENT = %0d (1 to 4096), FIFO_W = %0d (3 to 10)",
                 CORES, SEGMENT, FIFO_W);
        $finish;
    end

    // ---- The reset reaches all cores and merge nodes in the same cycle, some cycles late; until then nothing is taken
    // or output

    localparam RESETS = CORES > 8 ? 1 << $clog2((CORES + 7)/8) : 1;
    localparam RESET_CYCLES = RESETS > 1 ? $clog2(RESETS) + 1 : 0;
    localparam [7:0] RESETTING = (1 << RESET_CYCLES) - 1;     // of the previous cycles, those in which it travels

    wire              merge_clk, merge_rst;
    wire [RESETS-1:0] part_rst;
    reg  [7:0]        past_rst_reg, past_merge_rst_reg;
    wire              wait_in  = |(past_rst_reg & RESETTING);
    wire              wait_out = |(past_merge_rst_reg & RESETTING);
    wire              entry_ready;

    ws_reset_tree #(.LEAVES(RESETS)) reset_tree (.clk(clk), .rst(rst), .leaf(part_rst));

    always @(posedge clk) past_rst_reg <= {past_rst_reg[6:0], rst};
    always @(posedge merge_clk) past_merge_rst_reg <= {past_merge_rst_reg[6:0], merge_rst};

    assign s_axis_tready = entry_ready && !wait_in;

    // ---- Entry: the order of arrival

    wire              tuple, flush, in_dest;
    wire [DATA_W-1:0] in_data;
    wire              may;              // core 0 takes a step
    wire              swept;            // this step of a FLUSH is the last one
    wire [HOP_W-1:0]  hops;             // to the core that stores the tuple, or from which the sweep begins

    ws_join_entry #(
        .DATA_W(DATA_W), .ROWS(CORES*SEGMENT), .DROP(DROP), .ID_W(ID_W),
        .TIME_W(TIME_W), .R_TIME_LSB(R_TIME_LSB), .S_TIME_LSB(S_TIME_LSB), .WINDOW(WINDOW), .SLACK(SLACK)
    ) entry (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid && !wait_in),
        .s_axis_tready(entry_ready), .s_axis_tlast(s_axis_tlast), .s_axis_tdest(s_axis_tdest),
        .m_tuple(tuple), .m_flush(flush), .m_ready(may && (swept || !flush)), .m_dest(in_dest), .m_data(in_data),
        .evt_dropped(evt_dropped), .evt_late(evt_late), .evt_overflow(evt_overflow),
        .dropped_dest(dropped_dest), .dropped_id(dropped_id)
    );

    generate
        if (FORWARD != 0) begin : gen_home
            reg [HOP_W-1:0] r_home_reg, s_home_reg;

            always @(posedge clk) begin
                if (tuple && may) begin
                    if (in_dest) s_home_reg <= hops == LAST_CORE[HOP_W-1:0] ? {HOP_W{1'b0}} : hops + HOP;
                    else r_home_reg <= hops == LAST_CORE[HOP_W-1:0] ? {HOP_W{1'b0}} : hops + HOP;
                end
                if (rst) {r_home_reg, s_home_reg} <= {(2*HOP_W){1'b0}};
            end

            assign swept = 1'b1;
            assign hops  = in_dest ? s_home_reg : r_home_reg;
        end else begin : gen_sweep
            reg              swept_reg;
            reg [HOP_W-1:0]  core_reg;
            reg [SLOT_W-1:0] slot_reg;

            always @(posedge clk) begin
                if (flush && may) begin
                    slot_reg <= slot_reg + {{(SLOT_W-1){1'b0}}, 1'b1};
                    if (slot_reg == LAST_SLOT[SLOT_W-1:0]) begin
                        slot_reg  <= {SLOT_W{1'b0}};
                        core_reg  <= core_reg + HOP;
                        swept_reg <= core_reg == LAST_CORE[HOP_W-1:0];
                    end
                end
                if (rst || (flush && may && swept_reg)) begin
                    swept_reg <= 1'b0;
                    core_reg  <= {HOP_W{1'b0}};
                    slot_reg  <= {SLOT_W{1'b0}};
                end
            end

            assign swept = swept_reg;
            assign hops  = core_reg;
        end
    endgenerate

    // ---- The chain: step k enters core k, and the output of the last core is at the end

    localparam STEP_W = 4 + HOP_W + DATA_W;     // {kind, has, new, hops, data}
    localparam OUT_W  = 3 + DATA_W;             // {valid, has, new, data}

    wire [CORES:0]              step_valid, step_ready;
    wire [(CORES+1)*STEP_W-1:0] step;
    wire [(CORES+1)*OUT_W-1:0]  fallen;         // evicted from the S segment of each core
    wire [CORES-1:0]            result_valid, result_ready, result_flush;
    wire [CORES*(2*DATA_W+1)-1:0] result;

    wire [1:0] kind = !flush ? {1'b0, in_dest} : swept ? KIND_FLUSH : KIND_SWEEP;

    assign may = step_ready[0];
    assign step_valid[0] = tuple || flush;
    assign step[0 +: STEP_W] = {kind, !flush, 1'b1, hops, in_data};
    assign step_ready[CORES] = 1'b1;
    assign fallen[CORES*OUT_W +: OUT_W] = {3'b111, step[CORES*STEP_W +: DATA_W]};   // the new tuple of S

    wire unused = &{step_valid[CORES], step[CORES*STEP_W +: STEP_W], fallen[0 +: OUT_W]};     // the ends of the chain

    genvar k;
    generate
        for (k = 0; k < CORES; k = k + 1) begin : gen_core
            wire [STEP_W-1:0] in  = step[k*STEP_W +: STEP_W];
            wire [OUT_W-1:0]  right = fallen[(k + 1)*OUT_W +: OUT_W];

            ws_handshake_core #(
                .DATA_W(DATA_W), .SEGMENT(SEGMENT), .FORWARD(FORWARD), .PREDICATE(PREDICATE), .KEY_W(KEY_W),
                .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .R_KEY_LSB(R_KEY_LSB), .S_KEY_LSB(S_KEY_LSB), .FIFO_W(FIFO_W),
                .HOP_W(HOP_W), .TIME_W(TIME_W), .R_TIME_LSB(R_TIME_LSB), .S_TIME_LSB(S_TIME_LSB), .WINDOW(WINDOW)
            ) join_core (
                .clk(clk), .rst(part_rst[k*RESETS/CORES]), .limit(limit),
                .s_valid(step_valid[k]), .s_ready(step_ready[k]),
                .s_kind(in[STEP_W-1 -: 2]), .s_has(in[STEP_W-3]), .s_new(in[STEP_W-4]),
                .s_hops(in[DATA_W +: HOP_W]), .s_data(in[DATA_W-1:0]),
                .m_valid(step_valid[k+1]), .m_ready(step_ready[k+1]),
                .m_kind(step[(k+2)*STEP_W-1 -: 2]), .m_has(step[(k+2)*STEP_W-3]), .m_new(step[(k+2)*STEP_W-4]),
                .m_hops(step[(k+1)*STEP_W+DATA_W +: HOP_W]), .m_data(step[(k+1)*STEP_W +: DATA_W]),
                .from_valid(right[OUT_W-1]), .from_has(right[OUT_W-2]), .from_new(right[OUT_W-3]),
                .from_data(right[DATA_W-1:0]),
                .to_valid(fallen[(k+1)*OUT_W-1]), .to_has(fallen[(k+1)*OUT_W-2]), .to_new(fallen[(k+1)*OUT_W-3]),
                .to_data(fallen[k*OUT_W +: DATA_W]),
                .result_valid(result_valid[k]), .result_ready(result_ready[k]), .result_flush(result_flush[k]),
                .result_side(result[k*(2*DATA_W+1) + 2*DATA_W]), .result_data(result[k*(2*DATA_W+1) +: 2*DATA_W])
            );
        end
    endgenerate

    // ---- The merging network, and {R, S} from {new, old}

    localparam RESULT_W = 2*DATA_W + 1;

    wire [CORES-1:0]          leaf_valid, leaf_ready, leaf_flush;
    wire [CORES*RESULT_W-1:0] leaf;

    generate
        if (RESULT_CLOCK != 0) begin : gen_crossing
`ifdef FORMAL
            // The proof has one clock, and replaces each FIFO, which has a proof of its own, by an arbitrary delay.
            (* anyseq *) wire [CORES-1:0] crossed;
            reg  [CORES-1:0] stays_reg;             // valid stays until it is taken
            wire [CORES-1:0] open = crossed | stays_reg;
            wire             unused_clock = &{m_clk, m_rst};

            always @(posedge clk) stays_reg <= leaf_valid & ~leaf_ready & {CORES{!rst}};

            assign {merge_clk, merge_rst} = {clk, rst};
            assign leaf_valid             = result_valid & open;
            assign result_ready           = leaf_ready & open;
            assign {leaf_flush, leaf}     = {result_flush, result};
`else
            wire [RESETS-1:0] part_m_rst;

            assign {merge_clk, merge_rst} = {m_clk, m_rst};

            ws_reset_tree #(.LEAVES(RESETS)) m_reset_tree (.clk(m_clk), .rst(m_rst), .leaf(part_m_rst));

            for (k = 0; k < CORES; k = k + 1) begin : gen_leaf
                /* verilator lint_off PINCONNECTEMPTY */
                ws_async_fifo #(.DATA_W(RESULT_W + 1), .ADDR_W(4), .STYLE("distributed")) crossing (
                    .wr_clk(clk), .wr_rst(part_rst[k*RESETS/CORES]), .s_valid(result_valid[k]), .s_ready(result_ready[k]),
                    .s_data({result_flush[k], result[k*RESULT_W +: RESULT_W]}), .wr_clearing(),
                    .rd_clk(m_clk), .rd_rst(part_m_rst[k*RESETS/CORES]), .m_valid(leaf_valid[k]), .m_ready(leaf_ready[k]),
                    .m_data({leaf_flush[k], leaf[k*RESULT_W +: RESULT_W]}), .rd_clearing()
                );
                /* verilator lint_on PINCONNECTEMPTY */
            end
`endif
        end else begin : gen_one_clock
            wire unused_clock = &{m_clk, m_rst};
            assign {merge_clk, merge_rst} = {clk, rst};
            assign {leaf_valid, leaf_flush, leaf} = {result_valid, result_flush, result};
            assign result_ready = leaf_ready;
        end
    endgenerate

    wire              out_valid, out_ready, out_flush, out_side, m_flush;
    wire [DATA_W-1:0] new_tuple, old_tuple;

    ws_handshake_merge #(.INPUTS(CORES), .DATA_W(RESULT_W), .RESETS(RESETS)) merge (
        .clk(merge_clk), .rst(merge_rst),
        .s_valid(leaf_valid), .s_ready(leaf_ready), .s_flush(leaf_flush), .s_data(leaf),
        .m_valid(out_valid), .m_ready(out_ready), .m_flush(out_flush), .m_data({out_side, new_tuple, old_tuple})
    );

    ws_skid_buffer #(.DATA_W(RESULT_W)) out_slice (
        .clk(merge_clk), .rst(merge_rst || wait_out),
        .s_valid(out_valid), .s_ready(out_ready),
        .s_data({out_flush, out_side ? {old_tuple, new_tuple} : {new_tuple, old_tuple}}),
        .m_valid(m_axis_tvalid), .m_ready(m_axis_tready), .m_data({m_flush, m_axis_tdata})
    );

    assign m_axis_tkeep = {(2*DATA_W/8){!m_flush}};
    assign m_axis_tlast = 1'b1;

`ifdef FORMAL
    ws_join_rules #(
        .DATA_W(DATA_W), .KEY_W(KEY_W), .ROWS(CORES*SEGMENT), .FLUSHES(2), .SHORT(FORWARD == 0 || TIME_W != 0),
        .ID_W(ID_W), .TIME_W(TIME_W), .WINDOW(WINDOW), .SLACK(SLACK)
    ) rules (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tdest(s_axis_tdest),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .evt_late(evt_late), .evt_overflow(evt_overflow), .dropped_dest(dropped_dest), .dropped_id(dropped_id)
    );
`endif

endmodule

`default_nettype wire
