// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter: a sort machine: sorts arrays of records in memory, as many as the memory holds.
//
// The host writes a descriptor into registers and starts a job; docs/host.md lists them. The first pass reads the array
// once, sorts runs of 2**LEVELS records and writes them; each further pass merges each K runs. Equal keys keep their
// order. A pass moves a record a cycle in and out.
//
//              registers ── control
//                             │ order
//   AR, R ── keys ── run_reader ═K═▶ ws_sorter_records, ──▶ results ── keys ── axi_writer ── AW, W, B
//                                    or ws_sorter_lanes if P > 1
//
// Parameters   P        records of a beat: records a cycle, a power of two, 1 to 16
//              K        runs that are merged, a power of two, 2 to 64
//              LEVELS   2**LEVELS records are sorted at a time, 2 to 14; more than log2 P
//              DATA_W   width of a record in bits, a power of two, 16 to 1024 / P; the memory port is P records wide
//              KEY_W    width of the key in bits, a multiple of 8, below DATA_W
//              ADDR_W   width of a byte address in bits, at most 64
//              COUNT_W  a job has less than 2**COUNT_W records, 3 to 32; more than LEVELS
//              BURST    beats of a burst, a power of two, 2 to 256; up to 4096 bytes
//              FIFO_W   2**FIFO_W beats wait in each of the K streams, see ws_run_reader
// Ports        s_axil_*  registers, see ws_sorter_registers
//              m_axi_*   memory: INCR bursts of whole beats, no ids. Of the last beat of an array only the bytes of records
//                        are written, of all others all bytes. bready is always high
//              irq       a job is done, and the host has not taken its completion
// Latency      K + 22 cycles; from start to the first arvalid, and 1 more for each pass. From the last bvalid to irq 5
// Issue rate   P records a cycle in each pass, if the memory answers as fast; between two passes the last response and the
//              first bursts of all streams, K * BURST cycles
// Overflow     cannot happen: the memory waits
// Bad input    see ws_sorter_control; errors of the memory are in the job's status
// Source       ours; R. Mueller's dissertation, section 6.7.1; passes of a K-way merge: N. Samardzic et al., Bonsai, ISCA
//              2020

`default_nettype none

module ws_sorter #(
    parameter P       = 1,
    parameter K       = 16,
    parameter LEVELS  = 8,
    parameter DATA_W  = 64,
    parameter KEY_W   = 32,
    parameter ADDR_W  = 32,
    parameter COUNT_W = 25,
    parameter BURST   = 64,
    parameter FIFO_W  = 9
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

    output wire [ADDR_W-1:0]   m_axi_araddr,
    output wire [7:0]          m_axi_arlen,
    output wire [2:0]          m_axi_arsize,
    output wire [1:0]          m_axi_arburst,
    output wire                m_axi_arvalid,
    input  wire                m_axi_arready,
    input  wire [P*DATA_W-1:0] m_axi_rdata,
    input  wire [1:0]          m_axi_rresp,
    input  wire                m_axi_rlast,
    input  wire                m_axi_rvalid,
    output wire                m_axi_rready,

    output wire [ADDR_W-1:0]   m_axi_awaddr,
    output wire [7:0]          m_axi_awlen,
    output wire [2:0]          m_axi_awsize,
    output wire [1:0]          m_axi_awburst,
    output wire                m_axi_awvalid,
    input  wire                m_axi_awready,
    output wire [P*DATA_W-1:0] m_axi_wdata,
    output wire [P*DATA_W/8-1:0] m_axi_wstrb,
    output wire                m_axi_wlast,
    output wire                m_axi_wvalid,
    input  wire                m_axi_wready,
    input  wire [1:0]          m_axi_bresp,
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready,

    output wire                irq
);

    localparam BYTES   = DATA_W / 8;
    localparam LOG_P   = $clog2(P);
    localparam BEAT_W  = P * DATA_W;
    localparam BYTES_W = $clog2(BEAT_W / 8);
    localparam ORDER_W = BYTES_W + $clog2(BURST) + 1;       // of the bytes of a burst
    localparam KEY_CYCLES = $clog2(DATA_W / 8) + 1;         // of ws_sorter_key

    initial if (P < 1 || P > 16 || P != 1 << LOG_P || LEVELS < 2 || LEVELS > 14 || LEVELS <= LOG_P || LEVELS >= COUNT_W
                || KEY_W < 8 || KEY_W >= DATA_W || KEY_W % 8 != 0) begin
        $display("ERROR: %m: P = %0d (a power of two, 1 to 16), LEVELS = %0d (2 to 14, more than log2 P, below COUNT_W = %0d), ",
                 P, LEVELS, COUNT_W, "KEY_W = %0d (a multiple of 8, below DATA_W)", KEY_W);
        $finish;
    end

    initial if (DATA_W < 16 || P * DATA_W > 1024 || DATA_W != 1 << $clog2(DATA_W)) begin
        $display("ERROR: %m: DATA_W = %0d (a power of two, 16 to 1024 / P)", DATA_W);
        $finish;
    end

    // ---- Registers, and how a job ended

    wire         start, abort, take, busy, done, bad, aborted;
    wire [63:0]  source, destination, scratch;
    wire [31:0]  count, limit, written;
    wire [11:0]  layout;
    wire         order_valid, order_ready;
    wire         order = order_valid && order_ready;        // a pass begins
    wire         write_done, read_error;
    wire [LOG_P:0] equal;
    wire [1:0]   write_error;
    reg          done_reg, read_error_reg, write_error_reg;
    reg          begun_reg;                     // there has been a pass
    reg  [31:0]  jobs_reg, failed_reg;
    reg  [COUNT_W-1:0] equal_reg;
    reg  [63:0]  cycles_reg;

    assign irq = done_reg;

    always @(posedge clk) begin
        if (done || start || take) done_reg <= done;
        if (read_error) read_error_reg <= 1'b1;
        if (write_done && write_error != 0) write_error_reg <= 1'b1;
        if (start || order) begun_reg <= order;
        equal_reg <= equal_reg + {{COUNT_W-LOG_P-1{1'b0}}, equal};
        if (busy) cycles_reg <= cycles_reg + 1'b1;
        if (done) begin
            jobs_reg <= jobs_reg + 1'b1;
            if (bad || aborted || read_error_reg || write_error_reg) failed_reg <= failed_reg + 1'b1;
        end
        if (start || rst) begin
            {read_error_reg, write_error_reg} <= 2'b00;
            {equal_reg, cycles_reg} <= {COUNT_W+64{1'b0}};
        end
        if (rst) begin
            {done_reg, begun_reg}  <= 2'b00;
            {jobs_reg, failed_reg} <= 64'd0;
        end
    end

    localparam [31:0] RECORD_BYTES = DATA_W / 8, KEY_BYTES = KEY_W / 8, STREAMS = K, RUN_LOG = LEVELS,
                      ADDRESS = ADDR_W, COUNT = COUNT_W, LANES = P;

    ws_sorter_registers #(
        .SIZES({RUN_LOG[7:0], STREAMS[7:0], KEY_BYTES[7:0], RECORD_BYTES[7:0]}),
        .FORM({8'd0, LANES[7:0], COUNT[7:0], ADDRESS[7:0]})
    ) registers (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .start(start), .abort(abort), .take(take), .source(source), .destination(destination), .scratch(scratch),
        .count(count), .limit(limit), .layout(layout),
        .status({aborted && done_reg, write_error_reg && done_reg, read_error_reg && done_reg, bad && done_reg, done_reg,
                 busy || start}),
        .done_records(written & {32{begun_reg && !busy}}), .done_equal({{(32-COUNT_W){1'b0}}, equal_reg}),
        .cycles(cycles_reg), .jobs(jobs_reg), .failed(failed_reg)
    );

    wire [6:0] offset     = layout[6:0];
    wire       signed_    = layout[8];
    wire       descending = layout[9];
    wire       big_endian = layout[10];
    wire       unique_    = layout[11];

    // ---- Passes

    wire               first, last, pass_done, halt, clear, read_idle, write_idle;
    wire [ADDR_W-1:0]  order_from, order_to;
    wire [COUNT_W-1:0] order_count, order_run, order_groups, order_runs;
    reg                inner_rst_reg;           // everything but registers and control
    wire               unused = &{1'b0, layout[7], m_axi_rresp[0]};

    always @(posedge clk) inner_rst_reg <= rst || clear;

    ws_sorter_control #(
        .ADDR_W(ADDR_W), .COUNT_W(COUNT_W),
        .BYTES(BYTES), .ALIGN(P * BYTES), .RUN(1 << LEVELS), .K(K)
    ) control (
        .clk(clk), .rst(rst), .start(start), .cancel(abort),
        .source(source), .destination(destination), .scratch(scratch), .count(count),
        .busy(busy), .done(done), .bad(bad), .aborted(aborted),
        .order_valid(order_valid), .order_ready(order_ready), .order_from(order_from), .order_to(order_to),
        .order_count(order_count), .order_run(order_run), .order_groups(order_groups), .order_runs(order_runs),
        .first(first), .last(last), .pass_done(pass_done), .halt(halt), .idle(read_idle && write_idle), .clear(clear)
    );

    // ---- Beats in

    localparam [31:0] PART = P - 1;
    reg  [COUNT_W-1:0]  beats_reg, run_beats_reg;           // of the array, of a run
    wire [BEAT_W-1:0]   keyed;
    wire [K-1:0]        run_valid, run_ready, run_end, run_empty, run_final;
    wire [K*BEAT_W-1:0] run_data;

    assign m_axi_arsize  = BYTES_W[2:0];
    assign m_axi_arburst = 2'b01;

    always @(posedge clk) begin
        beats_reg     <= (order_count >> LOG_P) + {{COUNT_W-1{1'b0}}, |(order_count & PART[COUNT_W-1:0])};
        run_beats_reg <= (order_run >> LOG_P) + {{COUNT_W-1{1'b0}}, |(order_run & PART[COUNT_W-1:0])};
    end

    ws_run_reader #(
        .K(K), .DATA_W(BEAT_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST), .FIFO_W(FIFO_W),
        .R_DELAY(KEY_CYCLES), .ENDS(P == 1)
    ) reader (
        .clk(clk), .rst(inner_rst_reg),
        .order_valid(order_valid), .order_ready(order_ready), .order_address(order_from),
        .order_count(beats_reg), .order_run(run_beats_reg), .order_groups(order_groups),
        .order_single(P != 1 && first), .halt(halt), .idle(read_idle),
        .ar_valid(m_axi_arvalid), .ar_ready(m_axi_arready), .ar_addr(m_axi_araddr), .ar_len(m_axi_arlen),
        .r_valid(m_axi_rvalid), .r_ready(m_axi_rready), .r_data(keyed), .r_last(m_axi_rlast), .r_error(m_axi_rresp[1]),
        .m_valid(run_valid), .m_ready(run_ready), .m_end(run_end), .m_empty(run_empty), .m_final(run_final),
        .m_data(run_data), .error(read_error)
    );

    // ---- Sorted or merged

    wire               kept_valid, kept_ready, kept_end;
    wire [BYTES_W-1:0] kept_short;              // bytes that are missing at the end of the beat
    wire [BEAT_W-1:0]  kept_data;
    wire [31:0]        beats_written;
    wire               beat_equal;

    generate
        if (P == 1) begin : gen_records
            wire unused_beats = &{1'b0, order_runs, run_empty, run_final};

            assign written    = beats_written;
            assign equal      = beat_equal;
            assign kept_short = {BYTES_W{1'b0}};

            ws_sorter_records #(.K(K), .LEVELS(LEVELS), .DATA_W(DATA_W), .KEY_W(KEY_W)) records (
                .clk(clk), .rst(inner_rst_reg), .first(first),
                .s_valid(run_valid), .s_ready(run_ready), .s_end(run_end), .s_data(run_data),
                .m_valid(kept_valid), .m_ready(kept_ready), .m_end(kept_end), .m_data(kept_data)
            );
        end else begin : gen_lanes
            wire unused_beats = &{1'b0, beats_written, beat_equal};

            assign kept_short[BYTES_W-LOG_P-1:0] = {BYTES_W-LOG_P{1'b0}};

            ws_sorter_lanes #(.P(P), .K(K), .LEVELS(LEVELS), .DATA_W(DATA_W), .KEY_W(KEY_W), .COUNT_W(COUNT_W)) lanes (
                .clk(clk), .rst(inner_rst_reg),
                .begin_(order), .first(first), .last(last), .rest(order_count[LOG_P-1:0]), .runs(order_runs),
                .unique_(unique_), .limit(limit), .written(written), .equal(equal),
                .s_valid(run_valid), .s_ready(run_ready), .s_end(run_end), .s_empty(run_empty), .s_final(run_final),
                .s_data(run_data),
                .m_valid(kept_valid), .m_ready(kept_ready), .m_end(kept_end),
                .m_short(kept_short[BYTES_W-1 -: LOG_P]), .m_data(kept_data)
            );
        end
    endgenerate

    // ---- Beats out. ws_sorter_lanes has left out what the job does not want, and made one run of all.

    localparam [COUNT_W-1:0] ONE = 1;
    wire               out_valid, out_ready, write_valid, write_ready, unused_tag;
    wire [BEAT_W-1:0]  out_keyed, out_data;
    wire [ADDR_W-1:0]  write_address;
    wire [ORDER_W-1:0] write_bytes;
    reg  [KEY_CYCLES-1:0] out_reg;              // beats in key_out

    assign m_axi_awsize  = BYTES_W[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_bready  = 1'b1;

    ws_sorter_results #(.DATA_W(BEAT_W), .KEY_W(KEY_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST)) results (
        .clk(clk), .rst(inner_rst_reg),
        .begin_(order), .address(order_to), .last(P == 1 && last), .ends(P == 1 ? order_groups : ONE),
        .unique_(unique_), .limit(limit), .done(pass_done), .written(beats_written), .equal(beat_equal),
        .s_valid(kept_valid), .s_ready(kept_ready), .s_end(kept_end), .s_data(kept_data), .s_short(kept_short),
        .m_valid(out_valid), .m_ready(out_ready), .m_data(out_keyed),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .idle(write_idle)
    );

    genvar n;
    generate
        for (n = 0; n < P; n = n + 1) begin : gen_key
            ws_sorter_key #(.RECORD_W(DATA_W), .KEY_W(KEY_W), .INVERSE(0)) key_in (
                .clk(clk), .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
                .move(1'b1), .record(m_axi_rdata[n*DATA_W +: DATA_W]), .result(keyed[n*DATA_W +: DATA_W])
            );
            ws_sorter_key #(.RECORD_W(DATA_W), .KEY_W(KEY_W), .INVERSE(1)) key_out (
                .clk(clk), .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
                .move(out_ready), .record(out_keyed[n*DATA_W +: DATA_W]), .result(out_data[n*DATA_W +: DATA_W])
            );
        end
    endgenerate

    always @(posedge clk) begin
        if (out_ready) out_reg <= {out_reg[KEY_CYCLES-2:0], out_valid};
        if (inner_rst_reg) out_reg <= {KEY_CYCLES{1'b0}};
    end

    ws_axi_writer #(
        .DATA_W(BEAT_W), .ADDR_W(ADDR_W), .COUNT_W(ORDER_W), .BURST(BURST), .FIFO_W($clog2(BURST) + 1)
    ) writer (
        .clk(clk), .rst(inner_rst_reg),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .order_tag(1'b0), .halt(halt), .idle(write_idle),
        .s_valid(out_reg[KEY_CYCLES-1]), .s_ready(out_ready), .s_data(out_data),
        .done(write_done), .done_error(write_error), .done_tag(unused_tag),
        .aw_valid(m_axi_awvalid), .aw_ready(m_axi_awready), .aw_addr(m_axi_awaddr), .aw_len(m_axi_awlen),
        .w_valid(m_axi_wvalid), .w_ready(m_axi_wready), .w_data(m_axi_wdata), .w_strb(m_axi_wstrb),
        .w_last(m_axi_wlast), .b_valid(m_axi_bvalid), .b_resp(m_axi_bresp)
    );

endmodule

`default_nettype wire
