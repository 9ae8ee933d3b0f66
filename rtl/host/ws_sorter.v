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
//   AR, R ───── ws_sorter_records, or ws_sorter_lanes if P > 1 ───── AW, W, B
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
    wire               unused = &{1'b0, layout[7]};

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

    // ---- The path of the records

    generate
        if (P == 1) begin : gen_records
            wire unused_runs = &{1'b0, order_runs};

            ws_sorter_records #(
                .K(K), .LEVELS(LEVELS), .DATA_W(DATA_W), .KEY_W(KEY_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W),
                .BURST(BURST), .FIFO_W(FIFO_W)
            ) path (
                .clk(clk), .rst(inner_rst_reg),
                .order_valid(order_valid), .order_ready(order_ready), .order_from(order_from), .order_to(order_to),
                .order_count(order_count), .order_run(order_run), .order_groups(order_groups),
                .first(first), .last(last), .pass_done(pass_done), .halt(halt),
                .read_idle(read_idle), .write_idle(write_idle),
                .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
                .unique_(unique_), .limit(limit), .written(written), .equal(equal),
                .read_error(read_error), .write_done(write_done), .write_error(write_error),
                .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen), .m_axi_arsize(m_axi_arsize),
                .m_axi_arburst(m_axi_arburst), .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready),
                .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast),
                .m_axi_rvalid(m_axi_rvalid), .m_axi_rready(m_axi_rready),
                .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_awsize(m_axi_awsize),
                .m_axi_awburst(m_axi_awburst), .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready),
                .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast),
                .m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready),
                .m_axi_bresp(m_axi_bresp), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready)
            );
        end else begin : gen_lanes
            ws_sorter_lanes #(
                .P(P), .K(K), .LEVELS(LEVELS), .DATA_W(DATA_W), .KEY_W(KEY_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W),
                .BURST(BURST), .FIFO_W(FIFO_W)
            ) path (
                .clk(clk), .rst(inner_rst_reg),
                .order_valid(order_valid), .order_ready(order_ready), .order_from(order_from), .order_to(order_to),
                .order_count(order_count), .order_run(order_run), .order_groups(order_groups), .order_runs(order_runs),
                .first(first), .last(last), .pass_done(pass_done), .halt(halt),
                .read_idle(read_idle), .write_idle(write_idle),
                .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
                .unique_(unique_), .limit(limit), .written(written), .equal(equal),
                .read_error(read_error), .write_done(write_done), .write_error(write_error),
                .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen), .m_axi_arsize(m_axi_arsize),
                .m_axi_arburst(m_axi_arburst), .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready),
                .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast),
                .m_axi_rvalid(m_axi_rvalid), .m_axi_rready(m_axi_rready),
                .m_axi_awaddr(m_axi_awaddr), .m_axi_awlen(m_axi_awlen), .m_axi_awsize(m_axi_awsize),
                .m_axi_awburst(m_axi_awburst), .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready),
                .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast),
                .m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready),
                .m_axi_bresp(m_axi_bresp), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready)
            );
        end
    endgenerate

endmodule

`default_nettype wire
