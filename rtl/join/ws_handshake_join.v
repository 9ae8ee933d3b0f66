// SPDX-License-Identifier: Apache-2.0
//
// ws_handshake_join: the join of two streams over the last CORES * SEGMENT tuples of each, by cores in a chain; exact:
// a pair is a result if it passes the predicate and the earlier tuple is in its window when the later one arrives.
//
//             ┌────────┐ step ┌────────┐ step ┌────────┐
//   s_axis ──▶│ core 0 ├─────▶│ core 1 ├─────▶│ core 2 │      a step: the next tuple, of R or of S, or a FLUSH
//             └───┬────┘◀╌╌╌╌╌└───┬────┘◀╌╌╌╌╌└───┬────┘      ◀╌╌ what falls out of a segment of S, for FORWARD = 0
//               queue           queue           queue
//                 └───────────────┴──────┬────────┘
//                                     m_axis                  merging network
//
// Steps go down the chain in order of arrival, one behind the other, so each core takes all of them in that order, and
// no two tuples can pass each other unseen.
//
// FORWARD = 1, the low-latency handshake join: a new tuple goes at once through all cores, and is compared with the
//              whole window of the other stream. Tuple n of a stream is kept in core n mod CORES.
// FORWARD = 0, the handshake join: the windows flow through the chain, R to the right and S to the left, only as new
//              tuples push them, and tuples are compared where they meet. So a result may wait for as long as the
//              streams do, or for a FLUSH, which sweeps each tuple of R over the tuples of S that it has not met. They
//              stay where they are, and are not compared again when they meet.
//
// Parameters   DATA_W        width of a tuple in bits: a multiple of 8
//              CORES         cores, 1 to 1024
//              SEGMENT       tuples of each stream in a core, 1 to 4096: in LUTs up to 64, else in block RAM
//              FORWARD       0 or 1, see above
//              PREDICATE, KEY_W, SIGNED, LIMIT_W   see ws_predicate
//              R_KEY_LSB, S_KEY_LSB   lowest bit of the key in a tuple of R and of S
//              FIFO_W        the result queue of a core holds 2**FIFO_W results, 3 to 10
//              DROP          0: s_axis waits until a tuple can be admitted; 1: a tuple that cannot be is dropped
//              ID_W          width of dropped_id
// Items        of ws_window_join: s_axis: a beat is a tuple, s_axis_tdest 0 of R, 1 of S, the first declared field in
//              the most significant bits. A beat with tkeep 0 is a FLUSH: it comes out on m_axis, as a beat with tkeep
//              0, behind the last result of the tuples before it and before all others. It admits and expires nothing.
//              m_axis: {tuple of R, tuple of S}; the order of results between two FLUSHes is not promised
// Latency      FORWARD = 1: from a tuple on s_axis to its result with the tuple of age n in core k, n and k from 0, if
//              nothing else is under way: 6 + k + n + the predicate's cycles, and 1 or 2 for each level of the merging
//              network. The levels are floor(log2(CORES)), or one more. So k = CORES - 1, n = SEGMENT - 1 is the worst
//              FORWARD = 0: no bound without further tuples or a FLUSH
// Issue rate   a tuple, of either stream, in max(SEGMENT, 2) cycles; FORWARD = 0: of R in max(SEGMENT, 3) + 1, of S in
//              SEGMENT + 4, in max(SEGMENT, 2) + 1 with one core. Results: 1 a cycle
//              A FLUSH for FORWARD = 0 takes about CORES * SEGMENT * (SEGMENT + 1) cycles, a row of sweeps
// Overflow     cannot happen: a core whose queue fills WAITs, then those before it, then s_axis_tready falls; DROP = 1:
//              evt_dropped comes with the stream and number of the tuple (all tuples of its stream are numbered,
//              modulo 2**ID_W), and tready falls only for a FLUSH
// Bad input    limit must stand still while tuples come
// Source       Teubner, Mueller, SIGMOD 2011, and R. Mueller's dissertation, section 7.7; FORWARD = 1: Roy, Teubner,
//              Gemulla, VLDB 2014, but with both streams from one end. FLUSH and the arrival order are ours

`default_nettype none

module ws_handshake_join #(
    parameter        DATA_W    = 64,
    parameter        CORES     = 16,
    parameter        SEGMENT   = 8,
    parameter        FORWARD   = 1,
    parameter [31:0] PREDICATE = "EQ",
    parameter        KEY_W     = 32,
    parameter        SIGNED    = 0,
    parameter        LIMIT_W   = 33,
    parameter        R_KEY_LSB = 0,
    parameter        S_KEY_LSB = 0,
    parameter        FIFO_W    = 4,
    parameter        DROP      = 0,
    parameter        ID_W      = 32
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

    output wire                  evt_dropped,
    output wire                  dropped_dest,
    output wire [ID_W-1:0]       dropped_id
);

    localparam HOP_W  = CORES > 1 ? $clog2(CORES) : 1;
    localparam SLOT_W = SEGMENT > 1 ? $clog2(SEGMENT) : 1;
    localparam LAST_CORE = CORES - 1, LAST_SLOT = SEGMENT - 1;
    localparam [HOP_W-1:0] HOP = 1;
    localparam [1:0] KIND_SWEEP = 2'd2, KIND_FLUSH = 2'd3;

    initial if (DATA_W < 8 || DATA_W % 8 != 0 || R_KEY_LSB + KEY_W > DATA_W || S_KEY_LSB + KEY_W > DATA_W) begin
        $display("ERROR: %m: DATA_W = %0d (a multiple of 8), R_KEY_LSB, S_KEY_LSB = %0d, %0d, KEY_W = %0d (inside it)",
                 DATA_W, R_KEY_LSB, S_KEY_LSB, KEY_W);
        $finish;
    end

    initial if (CORES < 1 || CORES > 1024 || SEGMENT < 1 || SEGMENT > 4096 || FIFO_W < 3 || FIFO_W > 10) begin
        $display("ERROR: %m: CORES = %0d (1 to 1024), SEGMENT = %0d (1 to 4096), FIFO_W = %0d (3 to 10)",
                 CORES, SEGMENT, FIFO_W);
        $finish;
    end

    // ---- Entry: the order of arrival

    wire              in_valid, in_ready, in_flush, in_dest;
    wire [DATA_W-1:0] in_data;

    ws_skid_buffer #(.DATA_W(DATA_W + 2)) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
        .s_data({s_axis_tkeep == {(DATA_W/8){1'b0}}, s_axis_tdest, s_axis_tdata}),
        .m_valid(in_valid), .m_ready(in_ready), .m_data({in_flush, in_dest, in_data})
    );

    wire             may;               // core 0 takes a step
    wire             swept;             // the step of a FLUSH is the last one
    wire [HOP_W-1:0] hops;              // to the core that keeps the tuple, or from which the sweep begins

    assign in_ready = in_flush ? may && swept : may || DROP != 0;

    generate
        if (FORWARD != 0) begin : gen_home
            reg [HOP_W-1:0] r_home_reg, s_home_reg;

            always @(posedge clk) begin
                if (in_valid && !in_flush && may) begin
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
                if (in_valid && in_flush && may) begin
                    slot_reg <= slot_reg + {{(SLOT_W-1){1'b0}}, 1'b1};
                    if (slot_reg == LAST_SLOT[SLOT_W-1:0]) begin
                        slot_reg  <= {SLOT_W{1'b0}};
                        core_reg  <= core_reg + HOP;
                        swept_reg <= core_reg == LAST_CORE[HOP_W-1:0];
                    end
                end
                if (rst || (in_valid && in_flush && may && swept_reg)) begin
                    swept_reg <= 1'b0;
                    core_reg  <= {HOP_W{1'b0}};
                    slot_reg  <= {SLOT_W{1'b0}};
                end
            end

            assign swept = swept_reg;
            assign hops  = core_reg;
        end
    endgenerate

    generate
        if (DROP != 0) begin : gen_drop
            wire           tuple = in_valid && !in_flush;
            reg            dropped_reg, dest_reg;
            reg [ID_W-1:0] id_reg, r_id_reg, s_id_reg;

            always @(posedge clk) begin
                dropped_reg <= tuple && !may && !rst;
                dest_reg    <= in_dest;
                id_reg      <= in_dest ? s_id_reg : r_id_reg;
                if (tuple && !in_dest) r_id_reg <= r_id_reg + {{(ID_W-1){1'b0}}, 1'b1};
                if (tuple && in_dest) s_id_reg <= s_id_reg + {{(ID_W-1){1'b0}}, 1'b1};
                if (rst) begin
                    r_id_reg <= {ID_W{1'b0}};
                    s_id_reg <= {ID_W{1'b0}};
                end
            end

            assign evt_dropped  = dropped_reg;
            assign dropped_dest = dest_reg;
            assign dropped_id   = id_reg;
        end else begin : gen_wait
            assign evt_dropped  = 1'b0;
            assign dropped_dest = 1'b0;
            assign dropped_id   = {ID_W{1'b0}};
        end
    endgenerate

    // ---- The chain: step k goes into core k, what comes out of the last one is at its end

    localparam STEP_W = 4 + HOP_W + DATA_W;     // {kind, has, new, hops, data}
    localparam OUT_W  = 3 + DATA_W;             // {valid, has, new, data}

    wire [CORES:0]              step_valid, step_ready;
    wire [(CORES+1)*STEP_W-1:0] step;
    wire [(CORES+1)*OUT_W-1:0]  fallen;         // out of the S segment of each core
    wire [CORES-1:0]            result_valid, result_ready, result_flush;
    wire [CORES*(2*DATA_W+1)-1:0] result;

    wire [1:0] kind = !in_flush ? {1'b0, in_dest} : swept ? KIND_FLUSH : KIND_SWEEP;

    assign may = step_ready[0];
    assign step_valid[0] = in_valid;
    assign step[0 +: STEP_W] = {kind, !in_flush, 1'b1, hops, in_data};
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
                .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .R_KEY_LSB(R_KEY_LSB),
                .S_KEY_LSB(S_KEY_LSB), .FIFO_W(FIFO_W), .HOP_W(HOP_W)
            ) join_core (
                .clk(clk), .rst(rst), .limit(limit),
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

    wire              out_valid, out_ready, out_flush, out_side, m_flush;
    wire [DATA_W-1:0] new_tuple, old_tuple;

    ws_handshake_merge #(.INPUTS(CORES), .DATA_W(2*DATA_W + 1)) merge (
        .clk(clk), .rst(rst),
        .s_valid(result_valid), .s_ready(result_ready), .s_flush(result_flush), .s_data(result),
        .m_valid(out_valid), .m_ready(out_ready), .m_flush(out_flush), .m_data({out_side, new_tuple, old_tuple})
    );

    ws_skid_buffer #(.DATA_W(2*DATA_W + 1)) out_slice (
        .clk(clk), .rst(rst),
        .s_valid(out_valid), .s_ready(out_ready),
        .s_data({out_flush, out_side ? {old_tuple, new_tuple} : {new_tuple, old_tuple}}),
        .m_valid(m_axis_tvalid), .m_ready(m_axis_tready), .m_data({m_flush, m_axis_tdata})
    );

    assign m_axis_tkeep = {(2*DATA_W/8){!m_flush}};
    assign m_axis_tlast = 1'b1;

`ifdef FORMAL
    // An arbitrary pair of tuples is watched, by their numbers in their streams, which the tuples carry above the key.
    // It is decided by the definition whether they are to meet. When a FLUSH leaves, all must have come out that
    // are to; tuples go on coming behind the first FLUSH, the second one ends the stream.
    localparam ROWS     = CORES * SEGMENT;
    localparam NUMBER_W = DATA_W - KEY_W;
    (* anyconst *) reg [NUMBER_W-1:0] r_watch, s_watch;
    reg                past_valid = 1'b0;
    reg [NUMBER_W-1:0] r_count_ref, s_count_ref;        // tuples taken
    reg [DATA_W-1:0]   r_ref, s_ref;                    // the watched tuples
    reg                wanted_ref, came_ref;
    reg                early_ref;                       // wanted before the first FLUSH
    reg [1:0]          flushed_ref, told_ref;           // FLUSHes in, out
    wire               taken    = s_axis_tvalid && s_axis_tready;
    wire               out      = m_axis_tvalid && m_axis_tready;
    wire [NUMBER_W-1:0] number  = s_axis_tdest ? s_count_ref : r_count_ref;
    wire [KEY_W-1:0]   key      = s_axis_tdata[KEY_W-1:0];
    wire               watched  = m_axis_tdata[DATA_W+KEY_W +: NUMBER_W] == r_watch
                                  && m_axis_tdata[KEY_W +: NUMBER_W] == s_watch;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assume (s_axis_tdata[KEY_W +: NUMBER_W] == number && number != {NUMBER_W{1'b1}});
            assume (s_axis_tkeep == 0 || &s_axis_tkeep);
            assume (key <= 1);                          // enough to match or not
            assume (!(flushed_ref[1] && s_axis_tvalid));
            if ($past(s_axis_tvalid && !s_axis_tready))
                assume (s_axis_tvalid && $stable({s_axis_tdata, s_axis_tdest, s_axis_tkeep}));
        end

        if (taken && &s_axis_tkeep) begin
            if (s_axis_tdest) s_count_ref <= s_count_ref + 1'b1;
            else r_count_ref <= r_count_ref + 1'b1;
            if (!s_axis_tdest && number == r_watch) r_ref <= s_axis_tdata;
            if (s_axis_tdest && number == s_watch) s_ref <= s_axis_tdata;
            // the watched one arrives, and the other is among the last ROWS
            if (!s_axis_tdest && number == r_watch && s_watch < s_count_ref && s_watch + ROWS >= s_count_ref)
                wanted_ref <= s_ref[KEY_W-1:0] == key;
            if (s_axis_tdest && number == s_watch && r_watch < r_count_ref && r_watch + ROWS >= r_count_ref)
                wanted_ref <= r_ref[KEY_W-1:0] == key;
        end
        if (taken && !(|s_axis_tkeep)) begin
            flushed_ref <= flushed_ref + 1'b1;
            if (flushed_ref == 0) early_ref <= wanted_ref;
        end
        if (out && &m_axis_tkeep && watched) came_ref <= 1'b1;
        if (out && !(|m_axis_tkeep)) told_ref <= told_ref + 1'b1;
        if (rst) begin
            r_count_ref <= 0;
            s_count_ref <= 0;
            {wanted_ref, came_ref, early_ref, flushed_ref, told_ref} <= 0;
        end

        if (past_valid && !rst) begin
            if (out && &m_axis_tkeep) join_after_flush: assert (told_ref < 2);
            if (out && &m_axis_tkeep && watched) begin
                join_false: assert (wanted_ref && m_axis_tdata == {r_ref, s_ref});
                join_doubled: assert (!came_ref);
                join_early: assert (told_ref == 1 || flushed_ref == 0 || early_ref);
            end
            if (out && !(|m_axis_tkeep)) join_lost: assert (flushed_ref > told_ref
                                                            && came_ref == (told_ref == 0 ? early_ref : wanted_ref));
        end
        cover (past_valid && came_ref && (FORWARD != 0 ? told_ref == 2 && r_watch >= ROWS : told_ref == 1));
        cover (past_valid && out && &m_axis_tkeep && watched && (FORWARD == 0 || told_ref == 1));
    end
`endif

endmodule

`default_nettype wire
