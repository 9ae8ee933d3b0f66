// SPDX-License-Identifier: Apache-2.0
//
// ws_axi_writer: writes arrays of bytes into memory over AXI4, one after the other, and tells when each is there.
//
// An order is an array: its address, its length, and a stream of beats as wide as the memory. Bursts end at multiples
// of BURST beats, so none crosses 4 KB. A burst is requested when all its beats are here: data never keep the bus
// waiting, and data that depend on a read over the same bus cannot block it. Several bursts are in flight, over the
// ends of orders too, so that the memory's latency is hidden.
//
//   order ──▶ bursts ──▶ AW ──▶ queue ──▶ W      B ──▶ done
//               ▲                         ▲
//               └ beats here ◀── FIFO ────┘
//                                 ▲
//                                 s
//
// Parameters   DATA_W   width of the memory port in bits, a power of two, 16 to 1024
//              ADDR_W   width of a byte address in bits, at least 1; wider than the offset within a burst
//              COUNT_W  width of a number of bytes in bits, at least 1
//              BURST    maximum number of beats of a burst, a power of two, 2 to 256; up to 4096 bytes
//              FIFO_W   2**FIFO_W beats at most wait here, at least 1; at least 2 * BURST
//              OPEN_W   2**OPEN_W bursts at most are in flight, 2 to 8
//              TAG_W    width of a tag in bits, at least 1
// Ports        order_*    an array to write: address, of any byte, and bytes, at least 1. An order is taken when all
//                         bursts of the previous one have been requested
//              s_*        the beats of all orders in turn; they may come before their order. A byte is in the lane of
//                         its address: where an order begins or ends within a beat, the lanes outside are not written
//              done       for one cycle, in the order of the orders: all responses of an order have come.
//                         done_error: with at least one SLVERR (bit 0), DECERR (bit 1). done_tag: its order_tag
//              halt       gives everything up, at once: no more bursts are requested, and those that have been are
//                         completed, as AXI demands. The orders that are not done never will be, their bursts in
//                         flight are not reported, and the beats here are thrown away. Keep it high until `idle`
//              idle       there is no order, and no burst in flight
//              b_*        a write response is always taken
// Latency      6 cycles; from order_valid to w_valid, and 3 to aw_valid, if the beats are here; from the last beat of a
//              burst 2 to aw_valid, 5 to w_valid. From the last b_valid to done 1
// Issue rate   1 beat per cycle, if an order has at least 4, BURST is at least 4, 2**FIFO_W at least BURST + 8, and the
//              bursts in flight cover the memory's latency. A burst every 3 cycles, and 1 more for each order
// Overflow     cannot happen: s_ready goes low
// Bad input    An error of the memory is reported with `done` and stops nothing; the user decides what to do
// Source       ARM IHI 0022, AXI4

`default_nettype none

module ws_axi_writer #(
    parameter DATA_W  = 128,
    parameter ADDR_W  = 32,
    parameter COUNT_W = 20,
    parameter BURST   = 16,
    parameter FIFO_W  = 5,
    parameter OPEN_W  = 4,
    parameter TAG_W   = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                order_valid,
    output wire                order_ready,
    input  wire [ADDR_W-1:0]   order_address,
    input  wire [COUNT_W-1:0]  order_bytes,
    input  wire [TAG_W-1:0]    order_tag,
    input  wire                halt,
    output wire                idle,

    input  wire                s_valid,
    output wire                s_ready,
    input  wire [DATA_W-1:0]   s_data,

    output reg                 done,
    output reg  [1:0]          done_error,
    output reg  [TAG_W-1:0]    done_tag,

    output wire                aw_valid,
    input  wire                aw_ready,
    output wire [ADDR_W-1:0]   aw_addr,
    output wire [7:0]          aw_len,

    output wire                w_valid,
    input  wire                w_ready,
    output wire [DATA_W-1:0]   w_data,
    output wire [DATA_W/8-1:0] w_strb,
    output wire                w_last,

    input  wire                b_valid,
    input  wire [1:0]          b_resp
);

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam BURST_W = $clog2(BURST);
    localparam BEAT_W  = ADDR_W - BYTES_W;          // of a beat's number
    localparam SUM_W   = (COUNT_W > BYTES_W ? COUNT_W : BYTES_W) + 1;   // of an array that begins within a beat
    localparam LEFT_W  = SUM_W + BURST_W + 1;       // of the beats left: at least as wide as a burst's length

    initial if (DATA_W < 16 || DATA_W > 1024 || DATA_W != 8 << BYTES_W || ADDR_W < 1 || ADDR_W <= BYTES_W + BURST_W
                || COUNT_W < 1 || TAG_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (a power of two, 16 to 1024), ADDR_W, COUNT_W, TAG_W = %0d, %0d, %0d",
                 DATA_W, ADDR_W, COUNT_W, TAG_W);
        $finish;
    end

    initial if (BURST < 2 || BURST > 256 || BURST != 1 << BURST_W || BURST * DATA_W > 8 * 4096
                || FIFO_W < 1 || FIFO_W <= BURST_W || OPEN_W < 2 || OPEN_W > 8) begin
        $display("ERROR: %m: BURST = %0d (a power of two, 2 to 256, up to 4096 bytes), FIFO_W = %0d (over BURST), ",
                 BURST, FIFO_W, "OPEN_W = %0d (2 to 8)", OPEN_W);
        $finish;
    end

    // ---- Halt: lasts until everything in flight is complete, then empties the FIFO

    reg  halting_reg;
    wire stop  = halt || halting_reg;
    wire empty = halting_reg && idle;
    wire drop  = rst || empty;

    always @(posedge clk) halting_reg <= !rst && (halt || (halting_reg && !idle));

    // ---- Beats that wait for their burst

    reg  [FIFO_W:0]    here_reg;                // beats that are here and have not been requested
    reg  [BURST_W:0]   len_reg;                 // of a burst
    wire               room, beat_valid, beat_ready;
    wire               push    = s_valid && s_ready;
    wire               request = aw_valid && aw_ready;
    wire [FIFO_W:0]    length  = {{(FIFO_W-BURST_W){1'b0}}, len_reg};
    wire [FIFO_W:0]    level;

    assign s_ready = room && !stop;

    ws_sync_fifo #(.DATA_W(DATA_W), .ADDR_W(FIFO_W), .OUTPUT_REG(1)) fifo (
        .clk(clk), .rst(drop),
        .s_valid(push), .s_ready(room), .s_data(s_data),
        .m_valid(beat_valid), .m_ready(beat_ready), .m_data(w_data),
        .level(level)
    );

    always @(posedge clk) begin
        here_reg <= here_reg + {{FIFO_W{1'b0}}, push} - (length & {FIFO_W+1{request}});
        if (drop) here_reg <= {FIFO_W+1{1'b0}};
    end

    // ---- Bursts: compute the length, wait for the beats and for a place among those in flight, request

    localparam [1:0] STATE_IDLE = 2'd0, STATE_SIZE = 2'd1, STATE_WAIT = 2'd2, STATE_REQUEST = 2'd3;
    localparam [BURST_W:0] WHOLE = BURST;
    localparam [SUM_W-1:0] ROUND = ~({SUM_W{1'b1}} << BYTES_W);     // DATA_W / 8 - 1

    reg  [1:0]         state_reg;
    reg  [BEAT_W-1:0]  beat_reg;                // the next one to request
    reg  [LEFT_W-1:0]  left_reg;                // beats of the order
    reg  [BURST_W:0]   to_end_reg;              // beats to the next multiple of BURST
    reg  [BYTES_W-1:0] first_reg, final_reg;    // lane of the first byte of the next burst; of the order's last one
    reg  [TAG_W-1:0]   tag_reg;
    reg                ends_reg;                // the burst is the order's last one
    reg  [OPEN_W:0]    open_reg;                // bursts in flight
    wire [BYTES_W-1:0] lane  = order_address[BYTES_W-1:0];
    wire [SUM_W-1:0]   sum   = {{(SUM_W-BYTES_W){1'b0}}, lane} + {{(SUM_W-COUNT_W){1'b0}}, order_bytes};
    wire [SUM_W-1:0]   end_byte = sum - 1'b1;
    wire [SUM_W-1:0]   beats = (sum + ROUND) >> BYTES_W;
    wire               ends  = left_reg <= {{(LEFT_W-BURST_W-1){1'b0}}, to_end_reg};
    wire               order = order_valid && order_ready;
    wire [BURST_W:0]   less  = len_reg - 1'b1;

    assign aw_valid    = state_reg == STATE_REQUEST;
    assign aw_addr     = {beat_reg, {BYTES_W{1'b0}}};
    assign aw_len      = {{(8-BURST_W){1'b0}}, less[BURST_W-1:0]};
    assign order_ready = state_reg == STATE_IDLE && !stop;
    assign idle        = state_reg == STATE_IDLE && open_reg == 0;

    always @(posedge clk) begin
        case (state_reg)
            STATE_SIZE: begin
                len_reg   <= ends ? left_reg[BURST_W:0] : to_end_reg;
                ends_reg  <= ends;
                state_reg <= stop ? STATE_IDLE : STATE_WAIT;
            end
            STATE_WAIT: begin
                if (here_reg >= length && !open_reg[OPEN_W]) state_reg <= STATE_REQUEST;
                if (stop) state_reg <= STATE_IDLE;
            end
            STATE_REQUEST: if (aw_ready) begin
                beat_reg   <= beat_reg + {{(BEAT_W-BURST_W-1){1'b0}}, len_reg};
                left_reg   <= left_reg - {{(LEFT_W-BURST_W-1){1'b0}}, len_reg};
                to_end_reg <= WHOLE;
                first_reg  <= {BYTES_W{1'b0}};
                state_reg  <= ends_reg ? STATE_IDLE : STATE_SIZE;
            end
            default: ;
        endcase
        if (order) begin
            beat_reg   <= order_address[ADDR_W-1:BYTES_W];
            left_reg   <= {{(LEFT_W-SUM_W){1'b0}}, beats};
            to_end_reg <= WHOLE - {1'b0, order_address[BYTES_W +: BURST_W]};
            first_reg  <= lane;
            final_reg  <= end_byte[BYTES_W-1:0];
            tag_reg    <= order_tag;
            state_reg  <= STATE_SIZE;
        end
        open_reg <= open_reg + {{OPEN_W{1'b0}}, request} - {{OPEN_W{1'b0}}, b_valid};
        if (rst) begin
            state_reg <= STATE_IDLE;
            open_reg  <= {OPEN_W+1{1'b0}};
        end
    end

    // ---- Data of the bursts that have been requested

    reg  [BURST_W-1:0]  more_reg;               // beats left of the burst whose data is sent, after the present one
    reg                 going_reg, last_reg;
    reg  [DATA_W/8-1:0] strb_reg;
    reg  [BYTES_W-1:0]  end_reg;                // last lane to write of the burst's last beat
    wire                burst_valid, ending, free;
    wire                sent = w_valid && w_ready;
    wire [BURST_W-1:0]  more;
    wire [BYTES_W-1:0]  first_lane, end_lane;
    wire [OPEN_W:0]     queued;

    assign free       = !going_reg || (sent && last_reg);
    assign w_valid    = going_reg && beat_valid;
    assign beat_ready = going_reg && w_ready;
    assign w_strb     = strb_reg;
    assign w_last     = last_reg;
    assign ending     = more == 0;

    ws_sync_fifo #(.DATA_W(BURST_W + 2 * BYTES_W), .ADDR_W(OPEN_W), .STYLE("distributed")) queue (
        .clk(clk), .rst(rst),
        /* verilator lint_off PINCONNECTEMPTY */
        .s_valid(request), .s_ready(),          // a burst in flight has a place
        /* verilator lint_on PINCONNECTEMPTY */
        .s_data({less[BURST_W-1:0], first_reg, final_reg | {BYTES_W{!ends_reg}}}),
        .m_valid(burst_valid), .m_ready(free), .m_data({more, first_lane, end_lane}),
        .level(queued)
    );

    // The lanes from `first` on, and those up to `last`
    function [DATA_W/8-1:0] from_lane(input [BYTES_W-1:0] first);
        from_lane = {DATA_W/8{1'b1}} << first;
    endfunction

    function [DATA_W/8-1:0] to_lane(input [BYTES_W-1:0] last);
        to_lane = {DATA_W/8{1'b1}} >> ~last;
    endfunction

    always @(posedge clk) begin
        if (sent) begin
            more_reg  <= more_reg - 1'b1;
            last_reg  <= more_reg == 1;
            going_reg <= !last_reg;
            strb_reg  <= more_reg == 1 ? to_lane(end_reg) : {DATA_W/8{1'b1}};
        end
        if (free) begin
            going_reg <= burst_valid;
            more_reg  <= more;
            last_reg  <= ending;
            end_reg   <= end_lane;
            strb_reg  <= from_lane(first_lane) & (ending ? to_lane(end_lane) : {DATA_W/8{1'b1}});
        end
        if (rst) going_reg <= 1'b0;
    end

    // ---- Responses: the last one of an order makes it done

    reg  [1:0]       error_reg;                 // of the order's earlier bursts
    wire [1:0]       error = error_reg | {b_resp == 2'b11, b_resp == 2'b10};
    wire             answer_valid, answer_ends;
    wire [TAG_W-1:0] answer_tag;
    wire [OPEN_W:0]  unanswered;

    ws_sync_fifo #(.DATA_W(TAG_W + 1), .ADDR_W(OPEN_W), .STYLE("distributed")) answers (
        .clk(clk), .rst(rst),
        /* verilator lint_off PINCONNECTEMPTY */
        .s_valid(request), .s_ready(),          // as above
        /* verilator lint_on PINCONNECTEMPTY */
        .s_data({tag_reg, ends_reg}),
        .m_valid(answer_valid), .m_ready(b_valid), .m_data({answer_tag, answer_ends}),
        .level(unanswered)
    );

    always @(posedge clk) begin
        done <= b_valid && answer_ends && !stop;
        if (b_valid) begin
            done_error <= error;
            done_tag   <= answer_tag;
            error_reg  <= error & {2{!answer_ends}};
        end
        if (drop) error_reg <= 2'b00;
        if (rst) done <= 1'b0;
    end

    wire unused = &{level, queued, unanswered, answer_valid, less[BURST_W], end_byte};

`ifdef FORMAL
    // The memory answers bursts whose data it has. Beats are numbered as they arrive, as orders cover them, as bursts
    // request them and as they are sent; an arbitrary one is watched: its byte address, lanes and data. Bursts are
    // numbered too, and an arbitrary order, counted since the last halt, is watched until it is done.
    localparam N_W = FIFO_W + 4, M_W = OPEN_W + 3;
    (* anyconst *) wire [N_W-1:0] watch_ref;
    (* anyconst *) wire [2:0] order_ref;
    reg                  past_valid = 1'b0;
    reg  [N_W-1:0]       came_ref, ordered_ref, requested_ref, sent_ref;
    reg  [BEAT_W-1:0]    start_ref;                 // first beat of the order; its beats, and those requested
    reg  [LEFT_W-1:0]    beats_ref, did_ref;
    reg  [DATA_W-1:0]    data_ref;                  // of the watched beat
    reg  [BEAT_W-1:0]    place_ref;
    reg  [DATA_W/8-1:0]  lanes_ref, lanes;
    reg                  end_ref, covered_ref;      // it ends a burst; an order covers it
    reg  [M_W-1:0]       begun_ref, full_ref, answered_ref;     // bursts requested, sent, answered
    reg  [2:0]           taken_ref, done_ref;       // orders
    reg  [M_W-1:0]       first_ref, last_ref;       // bursts of the watched order
    reg                  open_ref, whole_ref, due_ref;  // it has been taken; its last burst has been requested; is done
    reg  [1:0]           error_ref, due_error_ref;
    reg  [TAG_W-1:0]     order_tag_ref;
    wire [N_W-1:0]       length_ref = aw_len + 9'd1;
    wire [N_W-1:0]       in_order = watch_ref - ordered_ref, in_burst = watch_ref - requested_ref;
    wire [ADDR_W+COUNT_W:0] from_ref = order_address, to_ref = order_address + order_bytes;
    wire [LEFT_W-1:0]    covers = ((to_ref - 1) >> BYTES_W) - (from_ref >> BYTES_W) + 1;
    wire [BEAT_W-1:0]    next_ref = start_ref + did_ref;
    wire [BEAT_W-1:0]    burst_place = aw_addr[ADDR_W-1:BYTES_W] + in_burst;
    wire [BEAT_W-1:0]    place  = order_address[ADDR_W-1:BYTES_W] + in_order;
    wire [ADDR_W+COUNT_W:0] base_ref = ((from_ref >> BYTES_W) + in_order) << BYTES_W;
    wire [1:0]           bad = {b_resp == 3, b_resp == 2};
    wire                 mine = b_valid && open_ref && answered_ref - first_ref < begun_ref - first_ref;
    integer              i;

    always @* for (i = 0; i < DATA_W / 8; i = i + 1) lanes[i] = base_ref + i >= from_ref && base_ref + i < to_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (push) came_ref <= came_ref + 1'b1;
        if (push && came_ref == watch_ref) data_ref <= s_data;
        if (order) begin
            start_ref   <= order_address[ADDR_W-1:BYTES_W];
            beats_ref   <= covers;
            did_ref     <= 0;
            ordered_ref <= ordered_ref + covers;
            taken_ref   <= taken_ref + 1'b1;
            covered_ref <= in_order < covers || (covered_ref && in_order >= 1 << (N_W - 1));
            if (in_order < covers) {place_ref, lanes_ref} <= {place, lanes};
            if (taken_ref == order_ref && !open_ref) begin
                {open_ref, whole_ref, first_ref} <= {2'b10, begun_ref};
                {error_ref, order_tag_ref} <= {2'b00, order_tag};
            end
        end
        if (request) begin
            did_ref       <= did_ref + length_ref;
            requested_ref <= requested_ref + length_ref;
            begun_ref     <= begun_ref + 1'b1;
            if (in_burst < length_ref) end_ref <= in_burst == length_ref - 1;
            if (open_ref && !whole_ref) {whole_ref, last_ref} <= {ends_reg, begun_ref};
        end
        if (sent) sent_ref <= sent_ref + 1'b1;
        if (sent && w_last) full_ref <= full_ref + 1'b1;
        if (b_valid) answered_ref <= answered_ref + 1'b1;
        due_ref <= mine && whole_ref && answered_ref == last_ref && !stop;
        due_error_ref <= error_ref | bad;
        if (mine) begin
            error_ref <= error_ref | bad;
            if (whole_ref && answered_ref == last_ref) open_ref <= 1'b0;
        end
        if (done) done_ref <= done_ref + 1'b1;
        if (stop) {taken_ref, done_ref, open_ref} <= 0;
        if (empty) {came_ref, ordered_ref, requested_ref, covered_ref} <= {{3{sent_ref}}, 1'b0};
        if (rst) {came_ref, ordered_ref, requested_ref, sent_ref, covered_ref} <= 0;
        if (rst) {begun_ref, full_ref, answered_ref, taken_ref, done_ref, open_ref, due_ref} <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assume (order_bytes != 0 && order_bytes <= 1 << (FIFO_W + BYTES_W));
            assume (!b_valid || answered_ref != full_ref);

            // signals are stable until accepted
            if ($past(aw_valid && !aw_ready && !rst)) assert (aw_valid && $stable({aw_addr, aw_len}));
            if ($past(w_valid && !w_ready && !rst))
                writer_still: assert (w_valid && $stable({w_data, w_strb, w_last}));
            // a burst does not cross a multiple of BURST; bursts request the beats of an order in turn, and no more;
            // all of its data are here
            if (aw_valid) begin
                assert (aw_len < BURST && beat_reg[BURST_W-1:0] + aw_len < BURST);
                assert (aw_addr[ADDR_W-1:BYTES_W] == next_ref && aw_addr[BYTES_W-1:0] == 0);
                assert (did_ref + length_ref <= beats_ref);
                assert (ends_reg == (did_ref + length_ref == beats_ref));
                assert (open_reg < 1 << OPEN_W);
                writer_all: assert (here_reg >= length_ref);
            end
            // every beat is sent once, with the lanes of its order, to its address
            if (aw_valid && covered_ref && in_burst < length_ref)
                writer_place: assert (burst_place == place_ref);
            if (w_valid) writer_sent: assert (sent_ref != requested_ref);
            if (w_valid && sent_ref == watch_ref) begin
                writer_data: assert (w_data == data_ref);
                writer_lanes: assert (w_strb == lanes_ref);
                writer_last: assert (w_last == end_ref);
            end
            // an order is done once, when all its bursts have been answered, with their errors
            if (done && done_ref == order_ref) writer_due: assert (due_ref);
            if (due_ref) writer_done: assert (done && done_error == due_error_ref && done_tag == order_tag_ref);
            // halt: no order, no burst, nothing done; the drain ends with nothing in flight
            if ($past(stop)) assert (!done && !(aw_valid && !$past(aw_valid)));
            if (stop) assert (!push && !order);
            if (idle) assert (!aw_valid && !w_valid && begun_ref == answered_ref);
            if (idle) writer_idle: assert (requested_ref == sent_ref);
            if ($past(empty)) assert (here_reg == 0 && level == 0);

            // invariants for the induction
            writer_here: assert (here_reg <= level && level <= 1 << FIFO_W);
            assert (here_reg == came_ref[FIFO_W:0] - requested_ref[FIFO_W:0]);
            assert (open_reg <= 1 << OPEN_W && open_reg == unanswered && open_reg == begun_ref - answered_ref);
            assert (queued + going_reg == begun_ref - full_ref && full_ref - answered_ref <= open_reg);
            assert (level == came_ref[FIFO_W:0] - sent_ref[FIFO_W:0]);
            assert (going_reg ? last_reg == (more_reg == 0) : 1'b1);
            if (state_reg == STATE_SIZE || state_reg == STATE_WAIT || aw_valid) begin
                assert (left_reg == beats_ref - did_ref && did_ref < beats_ref && beats_ref <= (1 << FIFO_W) + 1);
                assert (beat_reg == next_ref);
                assert (to_end_reg == BURST - beat_reg[BURST_W-1:0]);
            end
            if (state_reg == STATE_WAIT || aw_valid) begin
                assert (len_reg != 0 && len_reg <= to_end_reg && len_reg <= left_reg);
                assert (ends_reg ? len_reg == left_reg : len_reg == to_end_reg && len_reg != left_reg);
            end
        end
        cover (past_valid && done && done_error == 3);
        cover (past_valid && empty && level != 0 && $past(b_valid));
        cover (past_valid && request && !ends_reg && going_reg && $past(!s_ready));
    end
`endif

endmodule

`default_nettype wire
