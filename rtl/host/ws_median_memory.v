// SPDX-License-Identifier: Apache-2.0
//
// ws_median_memory: the median of the last eight keys after every key of an array, from memory to memory.
//
// A job is started by three registers: source, destination and, last, the number of keys. For every i from 7 on,
// destination[i] becomes the lower median of source[i-7] … source[i]. The keys before have no whole window, and
// destination[0] … destination[6] are not written. The interrupt is raised when everything is in memory.
//
//                AXI4-Lite                       irq
//   host ──▶ registers ──▶ control ───────────────▶
//                             │ an order to each
//                  ┌──────────┴───────────┐
//                  ▼                      ▼
//   AR, R ──▶ axi_reader ──▶ lanes ──▶ axi_writer ──▶ AW, W, B
//                   four keys a cycle
//
// Keys are unsigned, least significant byte first, four to a beat; both arrays begin at a beat. The reader runs ahead
// and the writer follows, each with bursts in flight, so that neither waits for the other's latency. Keys are taken from
// the reader only if the writer has a place for their medians, since the lanes cannot stall. The median of a key is
// written after the key has arrived, so the destination may be the source, or overlap it from below.
//
// Parameters   KEY_W    width of a key in bits, a power of two, 16 to 256; the memory port has 4 * KEY_W bits
//              ADDR_W   width of a byte address in bits, 13 to 64
//              BURST    maximum number of beats of a burst, a power of two, 2 to 256; up to 4096 bytes
//              READ_W   2**READ_W beats at most are requested and not yet taken, at least 2; at least 2 * BURST
//              WRITE_W  2**WRITE_W beats of medians at most wait for the memory, at least 4; at least 2 * BURST. For
//                       the full rate BURST + 16
//              OPEN_W   2**OPEN_W bursts of medians at most are in flight, 2 to 8
// Ports        s_axil_*  the registers, see docs/host.md
//              m_axi_*   the memory. There is one thread and no id: reads are answered in order
//              irq       a job has ended, until this is acknowledged or the next one is started
// Latency      5 cycles; from awready of the size to m_axi_arvalid. From the last m_axi_bvalid to irq 2; a job that has
//              nothing to do raises it 4 cycles after awready of the size
// Issue rate   1 beat per cycle in and out
// Overflow     cannot happen: see above
// Bad input    An array that does not begin at a beat of the memory or extends beyond its 2**ADDR_W bytes, or a
//              destination within the source but not at its beginning: the job ends with status `bad`, without an
//              access. Fewer
//              than eight keys have no median: the job ends without an access. Of a beat that holds the last keys all
//              four are read, but only the medians of the array's keys are written. An error of the memory is a bit of
//              the status; the job goes on to its end, and keys that came with an error count like any other
// Abort        requests no more bursts and completes those that have been, as AXI demands: the job then ends with status
//              `aborted`, and its medians may be written in part. `rst` cuts off what is in flight; it is for the
//              memory port too
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.6; there one transfer at a time of 4,080 bytes

`default_nettype none

module ws_median_memory #(
    parameter KEY_W   = 32,
    parameter ADDR_W  = 32,
    parameter BURST   = 16,
    parameter READ_W  = 7,
    parameter WRITE_W = 7,
    parameter OPEN_W  = 4
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [4:0]         s_axil_awaddr,
    input  wire               s_axil_awvalid,
    output wire               s_axil_awready,
    input  wire [31:0]        s_axil_wdata,
    input  wire [3:0]         s_axil_wstrb,
    input  wire               s_axil_wvalid,
    output wire               s_axil_wready,
    output wire [1:0]         s_axil_bresp,
    output wire               s_axil_bvalid,
    input  wire               s_axil_bready,
    input  wire [4:0]         s_axil_araddr,
    input  wire               s_axil_arvalid,
    output wire               s_axil_arready,
    output wire [31:0]        s_axil_rdata,
    output wire [1:0]         s_axil_rresp,
    output wire               s_axil_rvalid,
    input  wire               s_axil_rready,

    output wire [ADDR_W-1:0]  m_axi_araddr,
    output wire [7:0]         m_axi_arlen,
    output wire [2:0]         m_axi_arsize,
    output wire [1:0]         m_axi_arburst,
    output wire               m_axi_arvalid,
    input  wire               m_axi_arready,
    input  wire [4*KEY_W-1:0] m_axi_rdata,
    input  wire [1:0]         m_axi_rresp,
    /* verilator lint_off UNUSEDSIGNAL */           // the reader counts beats
    input  wire               m_axi_rlast,
    /* verilator lint_on UNUSEDSIGNAL */
    input  wire               m_axi_rvalid,
    output wire               m_axi_rready,

    output wire [ADDR_W-1:0]  m_axi_awaddr,
    output wire [7:0]         m_axi_awlen,
    output wire [2:0]         m_axi_awsize,
    output wire [1:0]         m_axi_awburst,
    output wire               m_axi_awvalid,
    input  wire               m_axi_awready,
    output wire [4*KEY_W-1:0] m_axi_wdata,
    output wire [KEY_W/2-1:0] m_axi_wstrb,
    output wire               m_axi_wlast,
    output wire               m_axi_wvalid,
    input  wire               m_axi_wready,
    input  wire [1:0]         m_axi_bresp,
    input  wire               m_axi_bvalid,
    output wire               m_axi_bready,

    output wire               irq
);

    initial if (KEY_W < 16 || KEY_W > 256 || KEY_W != 1 << $clog2(KEY_W) || ADDR_W < 13 || ADDR_W > 64) begin
        $display("ERROR: %m: KEY_W = %0d (a power of two, 16 to 256), ADDR_W = %0d (13 to 64)", KEY_W, ADDR_W);
        $finish;
    end

    initial if (READ_W < 2 || READ_W <= $clog2(BURST) || WRITE_W < 4 || WRITE_W <= $clog2(BURST)) begin
        $display("ERROR: %m: READ_W = %0d (at least 2), WRITE_W = %0d (at least 4), both over BURST", READ_W, WRITE_W);
        $finish;
    end

    localparam BYTES_W = $clog2(KEY_W / 2);         // of a beat
    localparam BEAT_W  = ADDR_W - BYTES_W;          // of a beat's number
    localparam COUNT_W = 31;                        // of a number of beats
    localparam END_W   = (BEAT_W > COUNT_W ? BEAT_W : COUNT_W) + 1;     // of an array's end
    localparam SIZE_W  = 32 + BYTES_W - 2;          // of a number of bytes
    localparam [31:0] BEFORE = 32'd7;               // keys without a median
    localparam [1:0] SLVERR = 2'b10, DECERR = 2'b11;

    localparam [2:0] STATE_IDLE = 3'd0, STATE_CHECK = 3'd1, STATE_ORDER = 3'd2, STATE_RUN = 3'd3, STATE_DRAIN = 3'd4;

    // ---- Registers

    reg  [2:0]  state_reg;
    wire        start, abort, acknowledge;
    wire [63:0] source, destination;
    wire [31:0] size;
    reg  [31:0] cycles_reg;
    reg         busy_reg, done_reg, bad_reg, aborted_reg;
    reg  [1:0]  read_error_reg, write_error_reg;    // {DECERR, SLVERR}

    ws_median_registers registers (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .start(start), .abort(abort), .acknowledge(acknowledge),
        .source(source), .destination(destination), .size(size),
        .status({24'd0, aborted_reg, write_error_reg, read_error_reg, bad_reg, done_reg, busy_reg || start}),
        .cycles(cycles_reg)
    );

    assign irq = done_reg;

    // ---- The descriptor, in beats: what it means is known a cycle after it was written, whether it is bad 2 cycles
    // after

    reg  [COUNT_W-1:0] beats_reg;
    reg  [31:0]        medians_reg;
    reg  [BEAT_W-1:0]  second_reg;                  // beat of the destination, the first one with a median
    reg  [END_W-1:0]   source_end_reg, end_reg;     // of source and destination: the beats after them
    reg                far_reg;                     // an address is beyond ADDR_W
    reg                above_reg;                   // the destination is above the beginning of the source
    wire [BEAT_W-1:0]  source_beat = source[ADDR_W-1:BYTES_W];
    wire [BEAT_W-1:0]  beat        = destination[ADDR_W-1:BYTES_W];
    wire [END_W-1:0]   beats       = {{(END_W-30){1'b0}}, size[31:2]};
    wire [END_W-1:0]   part        = {{(END_W-1){1'b0}}, size[1:0] != 0};
    wire [BYTES_W-1:0] within      = source[BYTES_W-1:0] | destination[BYTES_W-1:0];
    wire               few         = size <= BEFORE;

    // An array may end with the last byte of the memory
    function beyond(input [END_W-1:0] last);
        beyond = last > {{(END_W-BEAT_W-1){1'b0}}, 1'b1, {BEAT_W{1'b0}}};
    endfunction

    always @(posedge clk) begin
        beats_reg      <= {1'b0, size[31:2]} + {{(COUNT_W-1){1'b0}}, size[1:0] != 0};
        medians_reg    <= size - BEFORE;
        second_reg     <= beat + 1'b1;
        source_end_reg <= {{(END_W-BEAT_W){1'b0}}, source_beat} + beats + part;
        end_reg        <= {{(END_W-BEAT_W){1'b0}}, beat} + beats + part;
        far_reg        <= source >> ADDR_W != 0 || destination >> ADDR_W != 0;
        above_reg      <= beat > source_beat;
        if (start) bad_reg <= 1'b0;
        if (state_reg == STATE_CHECK)
            bad_reg <= within != 0 || far_reg || beyond(source_end_reg) || beyond(end_reg)
                    || (above_reg && {{(END_W-BEAT_W){1'b0}}, beat} < source_end_reg);
        if (rst) bad_reg <= 1'b0;
    end

    // ---- Control

    reg        abort_reg, clear_reg;
    wire       reader_ready, reader_idle, writer_ready, writer_idle, written;
    wire       clear   = rst || clear_reg;          // after an abort
    wire       nothing = bad_reg || few;
    wire       order   = state_reg == STATE_ORDER && !nothing && reader_ready && writer_ready;
    wire       halt    = state_reg == STATE_DRAIN;
    wire       drained = halt && reader_idle && writer_idle;
    wire       ended   = (state_reg == STATE_ORDER && nothing) || (state_reg == STATE_RUN && written) || clear_reg;

    always @(posedge clk) begin
        case (state_reg)
            STATE_CHECK: state_reg <= STATE_ORDER;
            STATE_ORDER: if (order) state_reg <= STATE_RUN;
            STATE_RUN:   if (abort_reg) state_reg <= STATE_DRAIN;
            default: ;
        endcase
        clear_reg  <= drained && !clear_reg;
        abort_reg  <= busy_reg && (abort_reg || abort);
        cycles_reg <= cycles_reg + {31'd0, busy_reg};
        if (acknowledge) done_reg <= 1'b0;
        if (m_axi_rvalid && m_axi_rresp == SLVERR) read_error_reg[0] <= 1'b1;
        if (m_axi_rvalid && m_axi_rresp == DECERR) read_error_reg[1] <= 1'b1;
        if (m_axi_bvalid && m_axi_bresp == SLVERR) write_error_reg[0] <= 1'b1;
        if (m_axi_bvalid && m_axi_bresp == DECERR) write_error_reg[1] <= 1'b1;
        if (ended) begin
            state_reg   <= STATE_IDLE;
            busy_reg    <= 1'b0;
            done_reg    <= 1'b1;
            aborted_reg <= clear_reg;
        end
        if (start) begin
            state_reg   <= STATE_CHECK;
            busy_reg    <= 1'b1;
            done_reg    <= 1'b0;
            aborted_reg <= 1'b0;
            cycles_reg  <= 32'd0;
            {read_error_reg, write_error_reg} <= 4'd0;
        end
        if (rst) begin
            state_reg   <= STATE_IDLE;
            {busy_reg, done_reg, aborted_reg, abort_reg, clear_reg} <= 5'd0;
            {read_error_reg, write_error_reg} <= 4'd0;
        end
    end

    // ---- Keys to medians. All lanes are output together, from the second beat of a job on

    localparam [WRITE_W:0] ALMOST = (1 << WRITE_W) - 2;

    reg                first_reg, room_reg, sent_reg;
    reg  [WRITE_W:0]   owed_reg;                    // beats in the lanes and in the writer
    wire               keys_valid, last;
    wire [4*KEY_W-1:0] keys, medians;
    wire [3:0]         medians_valid;
    wire               writer_room;
    wire               take = keys_valid && room_reg;

    always @(posedge clk) begin
        if (take) first_reg <= 1'b0;
        if (order) first_reg <= 1'b1;
        sent_reg <= m_axi_wvalid && m_axi_wready;
        room_reg <= owed_reg <= ALMOST;             // also if one more is taken in this cycle
        owed_reg <= owed_reg + {{WRITE_W{1'b0}}, take && !first_reg} - {{WRITE_W{1'b0}}, sent_reg};
        if (clear) begin
            room_reg <= 1'b0;
            sent_reg <= 1'b0;
            owed_reg <= {WRITE_W+1{1'b0}};
        end
    end

    ws_median_lanes #(.KEY_W(KEY_W)) lanes (
        .clk(clk), .rst(clear),
        .s_valid(take), .s_eos(take && last), .s_last(2'd3), .s_key(keys),
        /* verilator lint_off PINCONNECTEMPTY */
        .m_valid(medians_valid), .m_eos(), .m_key(medians)
        /* verilator lint_on PINCONNECTEMPTY */
    );

    // ---- Memory

    wire [ADDR_W-1:0] first_median = {second_reg, {BYTES_W{1'b0}}} | (3 << BYTES_W - 2);

    ws_axi_reader #(
        .DATA_W(4 * KEY_W), .ADDR_W(ADDR_W), .TUPLE_W(4 * KEY_W), .COUNT_W(COUNT_W), .BURST(BURST), .FIFO_W(READ_W)
    ) reader (
        .clk(clk), .rst(clear),
        .order_valid(order), .order_ready(reader_ready),
        .order_address({source_beat, {BYTES_W{1'b0}}}), .order_count(beats_reg), .order_tag(1'b0),
        .halt(halt), .idle(reader_idle),
        .ar_valid(m_axi_arvalid), .ar_ready(m_axi_arready), .ar_addr(m_axi_araddr), .ar_len(m_axi_arlen),
        .r_valid(m_axi_rvalid), .r_data(m_axi_rdata), .r_error(1'b0),
        .m_valid(keys_valid), .m_ready(room_reg), .m_data(keys), .m_last(last),
        /* verilator lint_off PINCONNECTEMPTY */
        .m_error(), .m_tag()
        /* verilator lint_on PINCONNECTEMPTY */
    );

    ws_axi_writer #(
        .DATA_W(4 * KEY_W), .ADDR_W(ADDR_W), .COUNT_W(SIZE_W), .BURST(BURST), .FIFO_W(WRITE_W), .OPEN_W(OPEN_W)
    ) writer (
        .clk(clk), .rst(rst),
        .order_valid(order), .order_ready(writer_ready),
        .order_address(first_median), .order_bytes({medians_reg, {(BYTES_W-2){1'b0}}}), .order_tag(1'b0),
        .halt(halt), .idle(writer_idle),
        .s_valid(medians_valid[3]), .s_ready(writer_room), .s_data(medians),
        /* verilator lint_off PINCONNECTEMPTY */
        .done(written), .done_error(), .done_tag(),
        /* verilator lint_on PINCONNECTEMPTY */
        .aw_valid(m_axi_awvalid), .aw_ready(m_axi_awready), .aw_addr(m_axi_awaddr), .aw_len(m_axi_awlen),
        .w_valid(m_axi_wvalid), .w_ready(m_axi_wready), .w_data(m_axi_wdata), .w_strb(m_axi_wstrb),
        .w_last(m_axi_wlast),
        .b_valid(m_axi_bvalid), .b_resp(m_axi_bresp)
    );

    localparam [31:0] BEAT = BYTES_W;

    assign m_axi_arsize  = BEAT[2:0];
    assign m_axi_awsize  = BEAT[2:0];
    assign m_axi_arburst = 2'b01;                   // INCR
    assign m_axi_awburst = 2'b01;
    assign m_axi_rready  = 1'b1;
    assign m_axi_bready  = 1'b1;

    wire unused = &{medians_valid[2:0], writer_room};

`ifdef FORMAL
    // The host keeps to AXI4-Lite; the memory answers what has been requested, in any time. Beats of a job are counted
    // as they come and as they are sent.
    reg         past_valid = 1'b0;
    reg         aw_ref, w_ref;                      // a write of a register that waits
    reg  [40:0] write_ref;
    reg  [5:0]  asked_ref, came_ref;                // beats of the source: few, in so few cycles
    reg  [5:0]  owing_ref, sent_ref;                // beats of the destination that were requested, and those sent
    reg  [2:0]  open_ref;                           // bursts that have been sent and have no response
    wire        sent     = m_axi_wvalid && m_axi_wready;
    wire [65:0] size_ref = {34'd0, size} * (KEY_W / 8);
    wire [65:0] from_ref = {2'd0, source}, to_ref = {2'd0, destination}, end_ref = 66'd1 << ADDR_W;
    wire [31:0] beats_ref = size / 4 + (size % 4 != 0);

    always @(posedge clk) begin
        past_valid <= 1'b1;
        aw_ref     <= s_axil_awvalid && !s_axil_awready;
        w_ref      <= s_axil_wvalid && !s_axil_wready;
        write_ref  <= {s_axil_awaddr, s_axil_wdata, s_axil_wstrb};
        asked_ref  <= asked_ref + (m_axi_arvalid && m_axi_arready ? m_axi_arlen + 9'd1 : 9'd0);
        came_ref   <= came_ref + m_axi_rvalid;
        owing_ref  <= owing_ref + (m_axi_awvalid && m_axi_awready ? m_axi_awlen + 9'd1 : 9'd0);
        sent_ref   <= sent_ref + sent;
        open_ref   <= open_ref + (sent && m_axi_wlast) - m_axi_bvalid;
        if (rst || start) {asked_ref, came_ref, owing_ref, sent_ref} <= 0;
        if (rst) open_ref <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            if (aw_ref) assume (s_axil_awvalid && s_axil_awaddr == write_ref[40:36]);
            if (w_ref) assume (s_axil_wvalid && {s_axil_wdata, s_axil_wstrb} == write_ref[35:0]);
            assume (!m_axi_rvalid || asked_ref != came_ref);
            assume (!m_axi_bvalid || open_ref != 0);

            // every median finds a place, unless the job is given up
            if (medians_valid[3] && !halt) job_room: assert (writer_room);
            // a median is sent when its key has come
            if (m_axi_wvalid) job_after: assert (sent_ref + 1 < came_ref);
            // a job that has ended has read every beat and written all but the first, and has its responses
            if (state_reg == STATE_RUN && written)
                job_whole: assert (came_ref == beats_ref && sent_ref + 1 == beats_ref && owing_ref == sent_ref
                                      && open_ref == 0);
            // there is no access without a job, and nothing of it is in flight when it ends
            if (!busy_reg) job_quiet: assert (!m_axi_arvalid && !m_axi_awvalid && !m_axi_wvalid && open_ref == 0
                                                 && asked_ref == came_ref && owing_ref == sent_ref);
            // what a bad descriptor is; it accesses nothing
            if (state_reg == STATE_ORDER)
                job_bad: assert (bad_reg == (from_ref % (KEY_W / 2) != 0 || to_ref % (KEY_W / 2) != 0
                    || from_ref >= end_ref || to_ref >= end_ref
                    || from_ref + size_ref > end_ref || to_ref + size_ref > end_ref
                    || (from_ref < to_ref && to_ref < from_ref + size_ref)));
            if (!busy_reg && bad_reg) job_none: assert (asked_ref == 0 && owing_ref == 0);
            assert (!(done_reg && busy_reg));
        end
        cover (done_reg && !aborted_reg && sent_ref != 0);
        cover (done_reg && aborted_reg && sent_ref != 0);
        cover (owed_reg == 1 << WRITE_W);
        cover (done_reg && bad_reg);
        cover (done_reg && size == 7);
    end
`endif

endmodule

`default_nettype wire
