// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin: FJoin's machine: joins batches of probes with windows, both in memory, and writes the results to memory.
//
// Jobs wait in a queue; each is an array of probes and an array of window tuples. The predicate's limit and the ring
// for the results are common to all jobs; docs/fjoin.md lists the registers. The probes are joined with the window in
// batches of UNITS. The window is read once for each batch, as fast as the chain takes it; the next batch, of this job
// or of the next one, is loaded meanwhile.
//
//   registers ── control ───────────────────────────────┐ FLUSH
//                  │ orders                             ▼
//              ┌───┴── reader ── window tuples ──────▶ ┌─────────┐   ┌──────┐
//   AR, R ─────┤                                       │  chain  │──▶│ pack │──▶ merge ──▶ writer ──▶ AW, W, B
//              └────── reader ── probes ─────────────▶ └─────────┘   └──────┘
//                                                         lanes       lanes
//
// Parameters   UNITS     basic join units, 1 to 65535; see ws_fjoin_chain
//              GROUP, LANES, PAIRS, PASS_W, SLOT_W, FIFO_W, PREDICATE  see ws_fjoin_chain
//              KEY_W, SIGNED  see ws_fjoin_chain
//              BLOCK     units with one result queue, a multiple of GROUP; up to 255 with mask words
//              LIMIT_W   width of the limit in bits, 1 to 64
//              DATA_W    width of the memory port in bits, a power of two, 8 to 1024
//              ADDR_W    width of a byte address in bits, at most 64
//              TUPLE_W   width of a tuple in memory in bits, a power of two, 8 to DATA_W; the key is in its low KEY_W
//                        bits; bits above it, such as an id, are ignored
//              BURST     beats of a burst, see ws_fjoin_writer
//              READ_W    a reader has up to 2**READ_W beats in flight, at least 2; no fewer than the memory's latency
//                        in cycles, to hide it; at least 2 * BURST
//              QUEUE_W   2**QUEUE_W jobs at most between their start and the host taking their completion, 1 to 6
//              UNIT_W    follows from UNITS
//              WORD_W    follows from the widths above
//              RESULT_W  follows from WORD_W; width of a result in memory: {1, 0 …, result of ws_fjoin_chain}, a power
//                        of two. A word of 0 is not a result: it pads the last beat of a lane
// Ports        s_axil_*  registers, see ws_fjoin_registers
//              m_axi_*   memory: INCR bursts of whole beats, all bytes written; reads of the window have id 0, those of
//                        probes 1. rready and bready are always high
//              irq       a job is done, and the host has not taken its completion
// Latency      6 cycles; from `start` to the first arvalid. From the last window tuple to done: that of the chain and
//              of the memory
// Issue rate   1 window tuple per cycle; if the memory port supplies as many: it transfers TUPLE_W * (W + UNITS) bits
//              in W cycles. 3 cycles between two jobs, unless results of the previous job still wait for the memory
// Overflow     a full ring stalls the join, which is counted; nothing is lost
// Bad input    see ws_fjoin_control: the job's status reports it. A memory that does not answer stalls the machine
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), section 3.1

`default_nettype none

module ws_fjoin #(
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
    parameter        DATA_W    = 128,
    parameter        ADDR_W    = 32,
    parameter        TUPLE_W   = 64,
    parameter        BURST     = 16,
    parameter        READ_W    = 7,
    parameter        QUEUE_W   = 3,
    parameter        UNIT_W    = UNITS > 1 ? $clog2(UNITS) : 1,                                 // do not set
    parameter        WORD_W    = PASS_W + UNIT_W + SLOT_W + (PAIRS != 0 ? 0 : BLOCK),           // do not set
    parameter        RESULT_W  = 1 << $clog2(WORD_W + 1)
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [7:0]          s_axil_awaddr,
    input  wire                s_axil_awvalid,
    output wire                s_axil_awready,
    input  wire [31:0]         s_axil_wdata,
    input  wire [3:0]          s_axil_wstrb,
    input  wire                s_axil_wvalid,
    output wire                s_axil_wready,
    output wire [1:0]          s_axil_bresp,
    output wire                s_axil_bvalid,
    input  wire                s_axil_bready,
    input  wire [7:0]          s_axil_araddr,
    input  wire                s_axil_arvalid,
    output wire                s_axil_arready,
    output wire [31:0]         s_axil_rdata,
    output wire [1:0]          s_axil_rresp,
    output wire                s_axil_rvalid,
    input  wire                s_axil_rready,

    output wire                m_axi_arid,
    output wire [ADDR_W-1:0]   m_axi_araddr,
    output wire [7:0]          m_axi_arlen,
    output wire [2:0]          m_axi_arsize,
    output wire [1:0]          m_axi_arburst,
    output wire                m_axi_arvalid,
    input  wire                m_axi_arready,
    input  wire                m_axi_rid,
    input  wire [DATA_W-1:0]   m_axi_rdata,
    /* verilator lint_off UNUSEDSIGNAL */         // the reader counts beats, and both errors end a job
    input  wire [1:0]          m_axi_rresp,
    input  wire                m_axi_rlast,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire                m_axi_rvalid,
    output wire                m_axi_rready,

    output wire                m_axi_awid,
    output wire [ADDR_W-1:0]   m_axi_awaddr,
    output wire [7:0]          m_axi_awlen,
    output wire [2:0]          m_axi_awsize,
    output wire [1:0]          m_axi_awburst,
    output wire                m_axi_awvalid,
    input  wire                m_axi_awready,
    output wire [DATA_W-1:0]   m_axi_wdata,
    output wire [DATA_W/8-1:0] m_axi_wstrb,
    output wire                m_axi_wlast,
    output wire                m_axi_wvalid,
    input  wire                m_axi_wready,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire                m_axi_bid,
    input  wire [1:0]          m_axi_bresp,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready,

    output wire                irq
);

    initial if (READ_W < 2 || QUEUE_W < 1 || QUEUE_W > 6) begin
        $display("ERROR: %m: READ_W = %0d (at least 2), QUEUE_W = %0d (1 to 6)", READ_W, QUEUE_W);
        $finish;
    end

    localparam PROBES_W = $clog2(UNITS << PASS_W) + 1;      // of a number of probes; of window tuples
    localparam ROWS_W   = SLOT_W + 1;
    localparam PER      = DATA_W / RESULT_W;                // results of a beat
    localparam PER_W    = $clog2(PER + 1);
    localparam        SIZE  = $clog2(DATA_W / 8);           // of a beat, in AXI's encoding
    localparam [31:0] BYTES = DATA_W / 8, TUPLE_BYTES = TUPLE_W / 8, RESULT_BYTES = RESULT_W / 8;
    localparam [31:0] N_UNITS = UNITS, N_BLOCK = PAIRS != 0 ? 0 : BLOCK, N_PASS = PASS_W, N_SLOT = SLOT_W;

    initial if (KEY_W > TUPLE_W || LIMIT_W > 64 || RESULT_W > DATA_W || RESULT_W <= WORD_W || ADDR_W > 64
                || PASS_W + UNIT_W > 30 || SLOT_W > 30 || READ_W < 2) begin
        $display("ERROR: %m: KEY_W = %0d (of %0d), LIMIT_W, ADDR_W = %0d, %0d (up to 64), RESULT_W = %0d (%0d to %0d)",
                 KEY_W, TUPLE_W, LIMIT_W, ADDR_W, RESULT_W, WORD_W + 1, DATA_W);
        $finish;
    end

    // The limits of the fields in the registers `sizes` and `form`.
    initial if (UNITS > 65535 || DATA_W > 1024 || TUPLE_W < 8 || (PAIRS == 0 && BLOCK > 255)) begin
        $display("ERROR: %m: UNITS = %0d (up to 65535), DATA_W = %0d (up to 1024), TUPLE_W = %0d (8 at least), BLOCK = %0d",
                 UNITS, DATA_W, TUPLE_W, BLOCK);
        $finish;
    end

    // ---- Registers and control

    wire                start, abort, next, restart, clear, halt, full, done;
    wire                window_idle, probe_idle, writer_idle;
    wire [63:0]         probe_address, window_address, ring_address, limit, cycles, evaluations;
    wire [31:0]         probe_count, window_count, ring_size, ring_taken, ring_written, status;
    wire [31:0]         done_results, done_end, stalled, starved, jobs, failed;
    wire                probe_order_valid, probe_order_ready, window_order_valid, window_order_ready;
    wire [ADDR_W-1:0]   probe_order, window_order;
    wire [PROBES_W-1:0] probe_order_count;
    wire [ROWS_W-1:0]   window_order_count;
    wire [QUEUE_W-1:0]  order_job, w_job, p_job;
    wire                w_valid, w_ready, w_last, w_error, c_valid, c_ready, c_flush;
    wire                p_valid, p_ready, p_last, p_error;
    wire [LANES-1:0]    lane_valid, lane_ready, lane_flush;
    reg  [PER_W-1:0]    results_reg;
    reg                 flushed_reg;

    ws_fjoin_registers #(
        .SIZES({TUPLE_BYTES[7:0], BYTES[7:0], N_UNITS[15:0]}),
        .FORM({RESULT_BYTES[7:0], N_BLOCK[7:0], N_PASS[7:0], N_SLOT[7:0]}),
        .QUEUE(1 << QUEUE_W)
    ) registers (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .start(start), .abort(abort), .next(next), .restart(restart), .clear(clear),
        .probe_address(probe_address), .window_address(window_address),
        .probe_count(probe_count), .window_count(window_count),
        .ring_address(ring_address), .ring_size(ring_size), .ring_taken(ring_taken), .limit(limit),
        .status(status), .ring_written(ring_written), .done_results(done_results), .done_end(done_end),
        .cycles(cycles), .evaluations(evaluations),
        .stalled(stalled), .starved(starved), .jobs(jobs), .failed(failed),
        .irq(irq)
    );

    ws_fjoin_control #(
        .UNITS(UNITS), .PROBES(UNITS << PASS_W), .ROWS(1 << SLOT_W), .DATA_W(DATA_W), .ADDR_W(ADDR_W), .BURST(BURST),
        .QUEUE_W(QUEUE_W), .PER(PER)
    ) control (
        .clk(clk), .rst(rst),
        .start(start), .cancel(abort), .next(next), .restart(restart),
        .probe_address(probe_address), .window_address(window_address),
        .probe_count(probe_count), .window_count(window_count),
        .ring_address(ring_address), .ring_size(ring_size),
        .status(status), .done_end(done_end), .done_results(done_results),
        .clear(clear),
        .probe_valid(probe_order_valid), .probe_ready(probe_order_ready),
        .probe_order(probe_order), .probe_order_count(probe_order_count),
        .window_valid(window_order_valid), .window_ready(window_order_ready),
        .window_order(window_order), .window_order_count(window_order_count), .order_job(order_job),
        .s_window_valid(w_valid), .s_window_ready(w_ready), .s_window_last(w_last),
        .s_window_error(w_error), .s_window_job(w_job),
        .m_window_valid(c_valid), .m_window_ready(c_ready), .m_window_flush(c_flush),
        .probe_taken(p_valid && p_ready), .probe_error(p_error), .probe_job(p_job),
        .halt(halt), .idle(window_idle && probe_idle && writer_idle), .full(full), .done(done), .written(ring_written),
        .write_error(m_axi_bvalid && m_axi_bresp[1]), .results(results_reg), .flushed(flushed_reg),
        .count_cycles(cycles), .count_evaluations(evaluations),
        .count_stalled(stalled), .count_starved(starved), .count_jobs(jobs), .count_failed(failed)
    );

    // ---- Readers: each has a place for every beat that it requests, so the probes may have priority

    wire               window_ask, probe_ask, ask_ready;
    wire [ADDR_W-1:0]  window_ask_addr, probe_ask_addr;
    wire [7:0]         window_ask_len, probe_ask_len;
    wire [TUPLE_W-1:0] w_data, p_data;

    ws_axi_reader #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .TUPLE_W(TUPLE_W), .COUNT_W(ROWS_W), .BURST(BURST), .FIFO_W(READ_W),
        .TAG_W(QUEUE_W)
    ) window_reader (
        .clk(clk), .rst(clear),
        .order_valid(window_order_valid), .order_ready(window_order_ready),
        .order_address(window_order), .order_count(window_order_count), .order_tag(order_job),
        .halt(halt), .idle(window_idle),
        .ar_valid(window_ask), .ar_ready(ask_ready && !probe_ask), .ar_addr(window_ask_addr), .ar_len(window_ask_len),
        .r_valid(m_axi_rvalid && !m_axi_rid), .r_data(m_axi_rdata), .r_error(m_axi_rresp[1]),
        .m_valid(w_valid), .m_ready(w_ready), .m_data(w_data), .m_last(w_last),
        .m_error(w_error), .m_tag(w_job)
    );

    ws_axi_reader #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .TUPLE_W(TUPLE_W), .COUNT_W(PROBES_W), .BURST(BURST), .FIFO_W(READ_W),
        .TAG_W(QUEUE_W)
    ) probe_reader (
        .clk(clk), .rst(clear),
        .order_valid(probe_order_valid), .order_ready(probe_order_ready),
        .order_address(probe_order), .order_count(probe_order_count), .order_tag(order_job),
        .halt(halt), .idle(probe_idle),
        .ar_valid(probe_ask), .ar_ready(ask_ready), .ar_addr(probe_ask_addr), .ar_len(probe_ask_len),
        .r_valid(m_axi_rvalid && m_axi_rid), .r_data(m_axi_rdata), .r_error(m_axi_rresp[1]),
        .m_valid(p_valid), .m_ready(p_ready), .m_data(p_data), .m_last(p_last),
        .m_error(p_error), .m_tag(p_job)
    );

    ws_skid_buffer #(.DATA_W(1 + ADDR_W + 8)) ask_slice (
        .clk(clk), .rst(clear),
        .s_valid(probe_ask || window_ask), .s_ready(ask_ready),
        .s_data(probe_ask ? {1'b1, probe_ask_addr, probe_ask_len} : {1'b0, window_ask_addr, window_ask_len}),
        .m_valid(m_axi_arvalid), .m_ready(m_axi_arready), .m_data({m_axi_arid, m_axi_araddr, m_axi_arlen})
    );

    assign m_axi_arsize  = SIZE[2:0];
    assign m_axi_arburst = 2'b01;
    assign m_axi_rready  = 1'b1;

    // ---- Chain

    wire [LANES*WORD_W-1:0] lane_data;

    ws_fjoin_chain #(
        .UNITS(UNITS), .GROUP(GROUP), .BLOCK(BLOCK), .LANES(LANES), .PAIRS(PAIRS), .PASS_W(PASS_W), .SLOT_W(SLOT_W),
        .FIFO_W(FIFO_W), .PREDICATE(PREDICATE), .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W)
    ) chain (
        .clk(clk), .rst(clear),
        .limit(limit[LIMIT_W-1:0]),
        .s_probe_valid(p_valid), .s_probe_ready(p_ready), .s_probe_data(p_data[KEY_W-1:0]), .s_probe_last(p_last),
        .s_window_valid(c_valid), .s_window_ready(c_ready), .s_window_data(w_data[KEY_W-1:0]),
        .s_window_last(w_last), .s_window_flush(c_flush),
        .m_valid(lane_valid), .m_ready(lane_ready), .m_flush(lane_flush), .m_data(lane_data)
    );

    // ---- Results: each lane packs its beats, which are merged in turn

    wire [LANES-1:0]        beat_valid, beat_ready, beat_flush;
    wire [LANES*DATA_W-1:0] beat_data;
    wire [LANES-1:0]        out_valid, out_ready, out_flush;        // of lanes 0 to l, together
    wire [LANES*DATA_W-1:0] out_data;

    genvar l;
    generate
        for (l = 0; l < LANES; l = l + 1) begin : gen_lane
            ws_fjoin_pack #(.WORD_W(RESULT_W), .DATA_W(DATA_W)) pack (
                .clk(clk), .rst(clear),
                .s_valid(lane_valid[l]), .s_ready(lane_ready[l]), .s_flush(lane_flush[l]),
                .s_data({1'b1, {(RESULT_W-1-WORD_W){1'b0}}, lane_data[l*WORD_W +: WORD_W]}),
                .m_valid(beat_valid[l]), .m_ready(beat_ready[l]), .m_flush(beat_flush[l]),
                .m_data(beat_data[l*DATA_W +: DATA_W])
            );
            if (l == 0) begin : gen_first
                assign out_valid[0]           = beat_valid[0];
                assign beat_ready[0]          = out_ready[0];
                assign out_flush[0]           = beat_flush[0];
                assign out_data[0 +: DATA_W]  = beat_data[0 +: DATA_W];
            end else begin : gen_next
                ws_fjoin_merge #(.DATA_W(DATA_W)) merge (
                    .clk(clk), .rst(clear),
                    .s_valid({beat_valid[l], out_valid[l-1]}), .s_ready({beat_ready[l], out_ready[l-1]}),
                    .s_flush({beat_flush[l], out_flush[l-1]}),
                    .s_data({beat_data[l*DATA_W +: DATA_W], out_data[(l-1)*DATA_W +: DATA_W]}),
                    .m_valid(out_valid[l]), .m_ready(out_ready[l]), .m_flush(out_flush[l]),
                    .m_data(out_data[l*DATA_W +: DATA_W])
                );
            end
        end
    endgenerate

    // Results on their way to the writer are counted: a result has its highest bit set
    wire             s_valid = out_valid[LANES-1];
    wire             s_flush = out_flush[LANES-1];
    wire             s_ready;
    reg  [PER_W-1:0] results;
    integer          n;

    assign out_ready[LANES-1] = s_ready;

    always @* begin
        results = {PER_W{1'b0}};
        for (n = 0; n < PER; n = n + 1)
            results = results + {{(PER_W-1){1'b0}}, out_data[(LANES-1)*DATA_W + (n+1)*RESULT_W - 1]};
    end

    always @(posedge clk) begin
        results_reg <= results & {PER_W{s_valid && s_ready && !s_flush && !clear}};
        flushed_reg <= s_valid && s_ready && s_flush && !clear;
    end

    ws_fjoin_writer #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .COUNT_W(32), .BURST(BURST), .FIFO_W($clog2(BURST) + 2)
    ) writer (
        .clk(clk), .rst(clear),
        .address(ring_address[ADDR_W-1:0]), .size(ring_size), .taken(ring_taken), .written(ring_written),
        .halt(halt), .idle(writer_idle), .full(full), .done(done),
        .s_valid(s_valid), .s_ready(s_ready), .s_flush(s_flush),
        .s_data(out_data[(LANES-1)*DATA_W +: DATA_W]),
        .aw_valid(m_axi_awvalid), .aw_ready(m_axi_awready), .aw_addr(m_axi_awaddr), .aw_len(m_axi_awlen),
        .w_valid(m_axi_wvalid), .w_ready(m_axi_wready), .w_data(m_axi_wdata), .w_last(m_axi_wlast),
        .b_valid(m_axi_bvalid)
    );

    assign m_axi_awid    = 1'b0;
    assign m_axi_awsize  = SIZE[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_wstrb   = {DATA_W/8{1'b1}};
    assign m_axi_bready  = 1'b1;

    wire unused = &{probe_address, window_address, ring_address, limit, probe_count, window_count,
                    w_data, p_data};

endmodule

`default_nettype wire
