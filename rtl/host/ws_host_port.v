// SPDX-License-Identifier: Apache-2.0
//
// ws_host_port: a query as a device of a host: its rows into the host's memory, tuples from it, registers and an
// interrupt.
//
//                  ┌──────────────────── s_axil ────────────────────┐
//   s ──▶ FIFO ──▶ ring ──▶ axi_writer ──▶ m_axi     m_axi ──▶ requests ──▶ arbiter ──▶ m_axis
//           └────▶ fifo_data   └──▶ irq                  push ─────────────────┘
//
// Rows and punctuations go to a ring of slots in memory (ws_host_ring), or, while there is none, to the register
// fifo_data. A slot has the power of two of bytes that is at least RECORD_BYTES + 8:
//
//   byte  0 …             SLOT-8    SLOT-6  SLOT-5  SLOT-4 … SLOT-1
//         record, 0 …     stream    kind    0       session             all numbers big-endian
//
// Payloads come from memory by requests (ws_host_requests), or word by word through a register (ws_host_push).
// docs/host.md has the registers and shows how a driver uses them.
//
// Parameters   RECORD_BYTES  bytes of a record, a multiple of 8, 8 to 4088; a shorter one has the high bits of s_data
//              DATA_W        width of the memory port in bits, a power of two, 64 to 1024
//              ADDR_W        width of a byte address in bits, 13 to 64
//              QUERY_W       width of m_axis_tdata in bits, 8 or 64
//              FULL          what a row does for which there is no room, "STALL" or "DROP"
//              STREAMS       streams whose punctuations can wait while rows are dropped, see ws_host_drop
//              FIFO_W        2**FIFO_W rows wait in the FIFO, 2 to 12
//              QUEUE_W       2**QUEUE_W requests wait at most, see ws_host_requests
//              MAX_BYTES     longest payload of a request in bytes, see ws_host_requests
//              PUSH_BYTES    longest payload of the register push in bytes, 64 to 16384
//              BURST         maximum number of beats of a burst, a power of two, 2 to 256; up to 4096 bytes
//              OPEN_W        2**OPEN_W bursts of the ring at most are in flight, see ws_axi_writer
// Ports        s_*           items as those of ws_tuple_tx: s_data has the record's first byte in its most significant
//                            bits; s_kind is 0 for a row, 1 for a punctuation, 2 for the start of a session; s_stream
//                            is the number of the stream. s_ready depends on s_kind
//              first_session number of the first session, sampled during reset. The start of a session raises it by 1,
//                            unless there has been no row or punctuation in the present one
//              m_axis_*      payloads; tuser as in ws_udp_ip_stack: the length in bits 16:1, the others 0
//              s_axil_*      registers, see ws_host_registers
//              m_axi_*       memory: INCR bursts of whole beats, ids 0; rready and bready are always high
//              irq           see ws_host_irq
// Latency      9 cycles from s_valid to wvalid of the slot, if the FIFO is empty and the slot has 1 or 2 beats; 7 +
//              beats if it has more. From the last bvalid to the head 2, to awvalid of the head 7; from its bvalid to
//              irq 5, with irq_count 1. Requests: see ws_host_requests, and 2 for the arbiter
// Issue rate   a row every 4 cycles, or as long as its beats take if that is more; and a write of the head from time to
//              time
// Overflow     FULL "STALL": s_ready goes low when the ring, or its absence, has filled the FIFO. "DROP": rows are
//              dropped whole and counted, punctuations and starts wait, see ws_host_drop
// Bad input    An error of the memory for a write stops the ring, for a read only that request. Transfers in flight are
//              always completed: a soft reset ends when the memory has answered everything. The status, the errors and
//              the counters say what happened
// Source       ours

`default_nettype none

module ws_host_port #(
    parameter RECORD_BYTES = 24,
    parameter DATA_W       = 128,
    parameter ADDR_W       = 32,
    parameter QUERY_W      = 8,
    parameter FULL         = "STALL",
    parameter STREAMS      = 1,
    parameter FIFO_W       = 4,
    parameter QUEUE_W      = 3,
    parameter MAX_BYTES    = 2048,
    parameter PUSH_BYTES   = 256,
    parameter BURST        = 16,
    parameter OPEN_W       = 4
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [31:0]               first_session,

    input  wire                      s_valid,
    output wire                      s_ready,
    input  wire [RECORD_BYTES*8-1:0] s_data,
    input  wire [1:0]                s_kind,
    input  wire [15:0]               s_stream,

    output wire [QUERY_W-1:0]        m_axis_tdata,
    output wire [QUERY_W/8-1:0]      m_axis_tkeep,
    output wire                      m_axis_tvalid,
    input  wire                      m_axis_tready,
    output wire                      m_axis_tlast,
    output wire [112:0]              m_axis_tuser,

    input  wire [7:0]                s_axil_awaddr,
    input  wire [7:0]                s_axil_araddr,
    input  wire                      s_axil_awvalid,
    output wire                      s_axil_awready,
    input  wire [31:0]               s_axil_wdata,
    input  wire [3:0]                s_axil_wstrb,
    input  wire                      s_axil_wvalid,
    output wire                      s_axil_wready,
    output wire [1:0]                s_axil_bresp,
    output wire                      s_axil_bvalid,
    input  wire                      s_axil_bready,
    input  wire                      s_axil_arvalid,
    output wire                      s_axil_arready,
    output wire [31:0]               s_axil_rdata,
    output wire [1:0]                s_axil_rresp,
    output wire                      s_axil_rvalid,
    input  wire                      s_axil_rready,

    output wire                      m_axi_arid,
    output wire [ADDR_W-1:0]         m_axi_araddr,
    output wire [7:0]                m_axi_arlen,
    output wire [2:0]                m_axi_arsize,
    output wire [1:0]                m_axi_arburst,
    output wire                      m_axi_arvalid,
    input  wire                      m_axi_arready,
    /* verilator lint_off UNUSEDSIGNAL */         // the engines count beats
    input  wire                      m_axi_rid,
    input  wire                      m_axi_rlast,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire [DATA_W-1:0]         m_axi_rdata,
    input  wire [1:0]                m_axi_rresp,
    input  wire                      m_axi_rvalid,
    output wire                      m_axi_rready,

    output wire                      m_axi_awid,
    output wire [ADDR_W-1:0]         m_axi_awaddr,
    output wire [7:0]                m_axi_awlen,
    output wire [2:0]                m_axi_awsize,
    output wire [1:0]                m_axi_awburst,
    output wire                      m_axi_awvalid,
    input  wire                      m_axi_awready,
    output wire [DATA_W-1:0]         m_axi_wdata,
    output wire [DATA_W/8-1:0]       m_axi_wstrb,
    output wire                      m_axi_wlast,
    output wire                      m_axi_wvalid,
    input  wire                      m_axi_wready,
    /* verilator lint_off UNUSEDSIGNAL */
    input  wire                      m_axi_bid,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire [1:0]                m_axi_bresp,
    input  wire                      m_axi_bvalid,
    output wire                      m_axi_bready,

    output wire                      irq
);

    /* verilator lint_off WIDTHEXPAND */   // the words have different lengths
    initial if (RECORD_BYTES < 8 || RECORD_BYTES > 4088 || RECORD_BYTES % 8 != 0 || FIFO_W < 2 || FIFO_W > 12
                || (FULL != "STALL" && FULL != "DROP") || STREAMS < 1 || STREAMS > 16) begin
        $display("ERROR: %m: RECORD_BYTES = %0d (a multiple of 8, 8 to 4088), FIFO_W = %0d (2 to 12), ",
                 RECORD_BYTES, FIFO_W, "FULL = %0s (STALL or DROP), STREAMS = %0d (1 to 16)", FULL, STREAMS);
        $finish;
    end

    localparam DROP = FULL == "DROP";
    /* verilator lint_on WIDTHEXPAND */

    initial if (BURST < 2 || BURST > 256 || BURST != 1 << $clog2(BURST) || BURST * DATA_W > 8 * 4096
                || (QUERY_W != 8 && QUERY_W != 64) || PUSH_BYTES < 64 || PUSH_BYTES > 16384) begin
        $display("ERROR: %m: BURST = %0d (a power of two, 2 to 256, up to 4096 bytes), QUERY_W = %0d (8 or 64), ",
                 BURST, QUERY_W, "PUSH_BYTES = %0d (64 to 16384)", PUSH_BYTES);
        $finish;
    end

    localparam RECORD_W = RECORD_BYTES * 8;
    localparam SLOT     = 1 << $clog2(RECORD_BYTES + 8);
    localparam ITEM_W   = RECORD_W + 18;
    localparam READ_W   = $clog2(BURST) + 2;            // of the beats in flight, 4 bursts
    localparam WRITE_W  = BURST < 8 ? 4 : $clog2(BURST) + 1;
    localparam PARTS    = SLOT / 4;                     // words of a slot
    localparam PART_W   = $clog2(PARTS);
    localparam SIZE   = $clog2(DATA_W / 8);            // of a beat, in AXI's encoding
    localparam [31:0] BEAT_BYTES = DATA_W / 8, SLOT_BYTES = SLOT, RECORD = RECORD_BYTES, ADDRESS = ADDR_W,
                      QUEUE = QUEUE_W, KEEP_W = QUERY_W / 8, LONGEST = MAX_BYTES, PUSHED = PUSH_BYTES;

    // ---- Rows that wait

    wire                in_valid, in_ready, row_valid, row_pop, dropped;
    wire [RECORD_W-1:0] in_data, record;
    wire [1:0]          in_kind, kind;
    wire [15:0]         in_stream, stream;
    wire [FIFO_W:0]     level;

    generate
        if (DROP) begin : gen_drop
            wire merged;

            ws_host_drop #(.DATA_W(RECORD_W), .STREAMS(STREAMS)) drop (
                .clk(clk), .rst(rst),
                .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data), .s_kind(s_kind), .s_stream(s_stream),
                .m_valid(in_valid), .m_ready(in_ready), .m_data(in_data), .m_kind(in_kind), .m_stream(in_stream),
                .evt_dropped(dropped), .evt_merged(merged)
            );

            wire unused_drop = &{merged};
        end else begin : gen_stall
            assign in_valid  = s_valid;
            assign s_ready   = in_ready;
            assign in_data   = s_data;
            assign in_kind   = s_kind;
            assign in_stream = s_stream;
            assign dropped   = 1'b0;
        end
    endgenerate

    ws_sync_fifo #(.DATA_W(ITEM_W), .ADDR_W(FIFO_W)) rows (
        .clk(clk), .rst(rst),
        .s_valid(in_valid), .s_ready(in_ready), .s_data({in_stream, in_kind, in_data}),
        .m_valid(row_valid), .m_ready(row_pop), .m_data({stream, kind, record}),
        .level(level)
    );

    // ---- The slot of the row, its first byte in the low bits; and its words, one after the other

    reg  [31:0]       session_reg;
    reg               used_reg;                         // there has been a row or a punctuation in the session
    reg  [PART_W-1:0] part_reg;
    reg  [31:0]       part_data_reg;
    reg               waiting_reg;                      // part_data_reg is that of a row
    wire              begins  = kind == 2'd2;
    wire [31:0]       session = session_reg + {31'd0, begins && used_reg};
    wire [63:0]       trailer = {stream, 6'd0, kind, 8'd0, session};
    wire [SLOT*8-1:0] slot;
    genvar            i;

    generate
        for (i = 0; i < SLOT; i = i + 1) begin : gen_byte
            if (i < RECORD_BYTES) begin : gen_record
                assign slot[8*i +: 8] = record[8*(RECORD_BYTES-1-i) +: 8];
            end else if (i < SLOT - 8) begin : gen_zero
                assign slot[8*i +: 8] = 8'd0;
            end else begin : gen_trailer
                assign slot[8*i +: 8] = trailer[8*(SLOT-1-i) +: 8];
            end
        end
    endgenerate

    wire ring_ready, running, pop;

    assign row_pop = running ? ring_ready : pop && &part_reg;

    always @(posedge clk) begin
        part_data_reg <= slot[32*part_reg +: 32];
        waiting_reg   <= row_valid && !running && !pop;
        if (pop) part_reg <= part_reg + 1'b1;
        if (row_valid && row_pop) begin
            session_reg <= session;
            used_reg    <= !begins;
        end
        if (rst || running) part_reg <= {PART_W{1'b0}};
        if (rst) begin
            session_reg <= first_session;
            used_reg    <= 1'b0;
        end
    end

    // ---- Registers and interrupt

    wire        enable, write_head, start, reset, tail_valid, request_valid, push, push_last, request_ready;
    wire        ring_idle, ring_full, ring_failed, bad_ring, bad_tail, requests_idle, done, done_bad, done_error;
    wire        push_waiting, push_dropped, push_good, clear;
    wire [63:0] ring_address, head_address, request_address;
    wire [31:0] ring_slots, tail_value, tail, head, signalled, lost, request_bytes, push_data, irq_timer;
    wire [15:0] irq_count;
    wire [2:0]  push_bytes, acknowledge, irq_mask, irq_pending;
    reg  [31:0] done_reg, bad_reg, dropped_reg, stalled_reg;
    reg  [7:0]  errors_reg;
    reg         busy_reg;
    wire [31:0] waiting_rows = {{(31-FIFO_W){1'b0}}, level};

    // A soft reset: everything under way is completed, then the ring ends and the requests are dropped
    assign clear = busy_reg && ring_idle && requests_idle;

    always @(posedge clk) begin
        busy_reg    <= (busy_reg && !clear) || reset;
        errors_reg  <= {push_dropped, done_bad, bad_tail, bad_ring,
                        m_axi_rvalid && m_axi_rresp == 2'b11, m_axi_rvalid && m_axi_rresp == 2'b10,
                        m_axi_bvalid && m_axi_bresp == 2'b11, m_axi_bvalid && m_axi_bresp == 2'b10};
        done_reg    <= done_reg + {31'd0, done};
        bad_reg     <= bad_reg + {31'd0, done && (done_bad || done_error)};
        dropped_reg <= dropped_reg + {31'd0, dropped};
        stalled_reg <= stalled_reg + {31'd0, s_valid && !s_ready};
        if (clear) {done_reg, bad_reg} <= 64'd0;
        if (rst) begin
            busy_reg    <= 1'b0;
            errors_reg  <= 8'd0;
            done_reg    <= 32'd0;
            bad_reg     <= 32'd0;
            dropped_reg <= 32'd0;
            stalled_reg <= 32'd0;
        end
    end

    ws_host_registers #(
        .SIZES({SLOT_BYTES[15:0], RECORD[15:0]}),
        .FORM({7'd0, DROP, KEEP_W[3:0], QUEUE[3:0], ADDRESS[7:0], BEAT_BYTES[7:0]}),
        .LIMITS({PUSHED[15:0], LONGEST[15:0]})
    ) registers (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .enable(enable), .write_head(write_head), .start(start), .reset(reset), .busy(busy_reg), .running(running),
        .ring_address(ring_address), .head_address(head_address), .ring_slots(ring_slots),
        .tail_valid(tail_valid), .tail_value(tail_value), .pop(pop),
        .request_address(request_address), .request_valid(request_valid), .request_bytes(request_bytes),
        .push(push), .push_last(push_last), .push_bytes(push_bytes), .push_data(push_data),
        .acknowledge(acknowledge), .irq_mask(irq_mask), .irq_count(irq_count), .irq_timer(irq_timer),
        .errors(errors_reg),
        .status({push_waiting, !request_ready, waiting_reg, ring_failed, ring_full, ring_idle, requests_idle}),
        .irq_pending(irq_pending), .head(head), .tail(tail), .fifo_data(part_data_reg),
        .requests_done(done_reg), .requests_failed(bad_reg), .rows_dropped(dropped_reg), .rows_lost(lost),
        .stalled(stalled_reg)
    );

    ws_host_irq interrupt (
        .clk(clk), .rst(rst),
        .rows(running ? signalled : waiting_rows), .level(!running), .restart(start || clear),
        .request(done), .error(|errors_reg),
        .acknowledge(acknowledge), .mask(irq_mask), .count(irq_count), .timer(irq_timer),
        .pending(irq_pending), .irq(irq)
    );

    // ---- The ring

    wire              order_valid, order_ready, order_tag, beat_valid, beat_ready, wrote, wrote_tag;
    wire [ADDR_W-1:0] order_address;
    wire [15:0]       order_bytes;
    wire [DATA_W-1:0] beat;
    wire [1:0]        wrote_error;
    wire              writer_idle;

    ws_host_ring #(.SLOT(SLOT), .DATA_W(DATA_W), .ADDR_W(ADDR_W)) ring (
        .clk(clk), .rst(rst),
        .ring_address(ring_address[ADDR_W-1:0]), .slots(ring_slots), .head_address(head_address[ADDR_W-1:0]),
        .write_head(write_head), .start(start), .enable(enable), .stop(busy_reg), .clear(clear),
        .running(running), .idle(ring_idle), .bad_ring(bad_ring),
        .tail_valid(tail_valid), .tail_value(tail_value), .bad_tail(bad_tail), .tail(tail),
        .head(head), .signalled(signalled), .full(ring_full), .failed(ring_failed), .lost(lost),
        .s_valid(row_valid), .s_ready(ring_ready), .s_data(slot),
        .order_valid(order_valid), .order_ready(order_ready), .order_address(order_address),
        .order_bytes(order_bytes), .order_tag(order_tag),
        .m_valid(beat_valid), .m_ready(beat_ready), .m_data(beat),
        .done(wrote), .done_error(wrote_error), .done_tag(wrote_tag)
    );

    ws_axi_writer #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .COUNT_W(16), .BURST(BURST), .FIFO_W(WRITE_W), .OPEN_W(OPEN_W)
    ) writer (
        .clk(clk), .rst(rst),
        .order_valid(order_valid), .order_ready(order_ready), .order_address(order_address),
        .order_bytes(order_bytes), .order_tag(order_tag), .halt(1'b0), .idle(writer_idle),
        .s_valid(beat_valid), .s_ready(beat_ready), .s_data(beat),
        .done(wrote), .done_error(wrote_error), .done_tag(wrote_tag),
        .aw_valid(m_axi_awvalid), .aw_ready(m_axi_awready), .aw_addr(m_axi_awaddr), .aw_len(m_axi_awlen),
        .w_valid(m_axi_wvalid), .w_ready(m_axi_wready), .w_data(m_axi_wdata), .w_strb(m_axi_wstrb),
        .w_last(m_axi_wlast), .b_valid(m_axi_bvalid), .b_resp(m_axi_bresp)
    );

    assign m_axi_awid    = 1'b0;
    assign m_axi_awsize  = SIZE[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_bready  = 1'b1;

    // ---- Payloads

    wire [2*QUERY_W-1:0]   axis_tdata;
    wire [2*QUERY_W/8-1:0] axis_tkeep;
    wire [1:0]             axis_tvalid, axis_tready, axis_tlast;
    wire [2*113-1:0]       axis_tuser;

    ws_host_requests #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .QUERY_W(QUERY_W), .QUEUE_W(QUEUE_W), .MAX_BYTES(MAX_BYTES), .BURST(BURST),
        .READ_W(READ_W)
    ) requests (
        .clk(clk), .rst(rst),
        .request_valid(request_valid), .request_ready(request_ready), .request_address(request_address[ADDR_W-1:0]),
        .request_bytes(request_bytes), .enable(enable), .stop(busy_reg), .clear(clear), .idle(requests_idle),
        .done(done), .done_bad(done_bad), .done_error(done_error),
        .ar_valid(m_axi_arvalid), .ar_ready(m_axi_arready), .ar_addr(m_axi_araddr), .ar_len(m_axi_arlen),
        .r_valid(m_axi_rvalid), .r_data(m_axi_rdata), .r_error(m_axi_rresp[1]),
        .m_axis_tdata(axis_tdata[0 +: QUERY_W]), .m_axis_tkeep(axis_tkeep[0 +: QUERY_W/8]),
        .m_axis_tvalid(axis_tvalid[0]), .m_axis_tready(axis_tready[0]), .m_axis_tlast(axis_tlast[0]),
        .m_axis_tuser(axis_tuser[0 +: 113])
    );

    assign m_axi_arid    = 1'b0;
    assign m_axi_arsize  = SIZE[2:0];
    assign m_axi_arburst = 2'b01;
    assign m_axi_rready  = 1'b1;

    ws_host_push #(.QUERY_W(QUERY_W), .MAX_BYTES(PUSH_BYTES)) pushed (
        .clk(clk), .rst(rst),
        .push(push), .data(push_data), .last(push_last), .bytes(push_bytes), .waiting(push_waiting),
        .m_axis_tdata(axis_tdata[QUERY_W +: QUERY_W]), .m_axis_tkeep(axis_tkeep[QUERY_W/8 +: QUERY_W/8]),
        .m_axis_tvalid(axis_tvalid[1]), .m_axis_tready(axis_tready[1]), .m_axis_tlast(axis_tlast[1]),
        .m_axis_tuser(axis_tuser[113 +: 113]),
        .evt_good(push_good), .evt_dropped(push_dropped)
    );

    ws_axis_arbiter #(.DATA_W(QUERY_W), .N(2), .USER_W(113)) arbiter (
        .clk(clk), .rst(rst),
        .s_axis_tdata(axis_tdata), .s_axis_tkeep(axis_tkeep), .s_axis_tvalid(axis_tvalid), .s_axis_tready(axis_tready),
        .s_axis_tlast(axis_tlast), .s_axis_tuser(axis_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser)
    );

    wire unused = &{writer_idle, push_good, ring_address, head_address, request_address};

endmodule

`default_nettype wire
