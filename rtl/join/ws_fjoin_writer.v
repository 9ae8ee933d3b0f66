// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_writer: writes a stream of beats into a ring in memory: the write port of FJoin's machine.
//
// A burst is sent when all its beats are here and the ring has room for it: data never keep the bus waiting. While the
// reader of the ring is too slow, beats wait here, then s stalls. Every burst has BURST beats and begins at a multiple
// of them, so none crosses 4 KB; a FLUSH pads the last burst with beats of 0. Positions count beats from 0 since the
// reset.
//
// Parameters   DATA_W   width of the memory port in bits, a power of two, at least 8
//              ADDR_W   width of a byte address in bits, at least 1; wider than the offset within a burst
//              COUNT_W  width of a position in the ring in bits, at least 1; wider than the offset within a burst
//              BURST    beats of a burst, a power of two, 4 to 256; up to 4096 bytes
//              FIFO_W   2**FIFO_W beats at most wait here, at least 3; at least 2 * BURST
// Ports        address, size   of the ring: both whole bursts, in bytes and in beats; they are constant
//              taken     the ring may be overwritten up to this position, which is at most `written`
//              written   position up to which the memory has acknowledged the beats
//              s_flush   not a beat, but the end of a job. The next job's beats may follow, but its FLUSH waits for
//                        `done`
//              full      a burst waits for room in the ring
//              done      for one cycle: everything before a FLUSH is in memory, and nothing after it is in `written`.
//                        At least 4 cycles from one to the next
//              halt      starts no more bursts; idle: none is in flight
//              b_valid   a write response
// Latency      4 cycles; from the last beat of a burst to aw_valid. From the last b_valid to done 1 cycle, or from a
//              FLUSH 3 cycles
// Issue rate   1 beat per cycle; with BURST of at least 8; a burst every 5 cycles
// Overflow     cannot happen: s_ready goes low
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), section 3.1; ARM IHI 0022, AXI4

`default_nettype none

module ws_fjoin_writer #(
    parameter DATA_W  = 128,
    parameter ADDR_W  = 32,
    parameter COUNT_W = 32,
    parameter BURST   = 16,
    parameter FIFO_W  = 6
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [ADDR_W-1:0]  address,
    input  wire [COUNT_W-1:0] size,
    input  wire [COUNT_W-1:0] taken,
    output wire [COUNT_W-1:0] written,
    input  wire               halt,
    output wire               idle,
    output wire               full,
    output wire               done,

    input  wire               s_valid,
    output wire               s_ready,
    input  wire               s_flush,
    input  wire [DATA_W-1:0]  s_data,

    output wire               aw_valid,
    input  wire               aw_ready,
    output wire [ADDR_W-1:0]  aw_addr,
    output wire [7:0]         aw_len,

    output wire               w_valid,
    input  wire               w_ready,
    output wire [DATA_W-1:0]  w_data,
    output wire               w_last,

    input  wire               b_valid
);

    localparam BURST_W = $clog2(BURST);
    localparam LOW_W   = $clog2(DATA_W / 8) + BURST_W;      // of an address, within a burst
    localparam BLOCK_W = COUNT_W - BURST_W;                 // of the number of a burst in the ring

    initial if (DATA_W < 8 || DATA_W != 1 << $clog2(DATA_W) || ADDR_W <= LOW_W || COUNT_W <= BURST_W) begin
        $display("ERROR: %m: DATA_W = %0d (a power of two of at least 8), ADDR_W, COUNT_W = %0d, %0d",
                 DATA_W, ADDR_W, COUNT_W);
        $finish;
    end

    initial if (BURST < 4 || BURST > 256 || BURST != 1 << BURST_W || BURST * DATA_W > 8 * 4096
                || FIFO_W <= BURST_W) begin
        $display("ERROR: %m: BURST = %0d (a power of two from 4 to 256, at most 4096 bytes), FIFO_W = %0d (over BURST)",
                 BURST, FIFO_W);
        $finish;
    end

    // ---- Beats that wait, and the padding of 0 after a FLUSH

    localparam OWED_W = FIFO_W - BURST_W + 5;       // of the number of bursts that wait here or for their response
    localparam [3:0] MOST = 4'd15;                  // maximum number of bursts without a response

    reg  [BURST_W-1:0] phase_reg;                   // beats of the burst that is arriving
    reg                fill_reg, flushed_reg;       // padding is missing; a FLUSH has come that is not done
    reg                fresh_reg, done_reg;         // it came in the previous cycle; it is done
    reg  [OWED_W-1:0]  owed_reg, before_reg;        // bursts without a response; those of them before the FLUSH
    wire               take  = s_valid && s_ready;
    wire               flush = take && s_flush;
    wire               room, beat_valid, beat_ready;
    wire               push  = (take && !s_flush) || (fill_reg && room);
    wire               whole = push && &phase_reg;  // a burst is complete
    wire               more  = fresh_reg && fill_reg;   // the FLUSH's burst, which is not whole yet
    wire [OWED_W-1:0]  ahead = fresh_reg ? owed_reg : before_reg;
    wire [FIFO_W:0]    level;

    assign s_ready = room && !fill_reg && !(s_flush && flushed_reg);
    assign done    = done_reg;

    ws_sync_fifo #(.DATA_W(DATA_W), .ADDR_W(FIFO_W), .OUTPUT_REG(1)) fifo (
        .clk(clk), .rst(rst),
        .s_valid(push), .s_ready(room), .s_data(s_data & {DATA_W{!fill_reg}}),
        .m_valid(beat_valid), .m_ready(beat_ready), .m_data(w_data),
        .level(level)
    );

    always @(posedge clk) begin
        if (push) phase_reg <= phase_reg + 1'b1;
        if (whole) fill_reg <= 1'b0;
        if (whole != b_valid) owed_reg <= owed_reg + {{(OWED_W-1){b_valid}}, 1'b1};
        before_reg <= more == b_valid ? ahead : ahead + {{(OWED_W-1){b_valid}}, 1'b1};
        fresh_reg  <= flush;
        done_reg   <= flushed_reg && !fresh_reg && !done_reg && (before_reg == 0 || (before_reg == 1 && b_valid));
        if (done_reg) flushed_reg <= 1'b0;
        if (flush) begin
            flushed_reg <= 1'b1;
            fill_reg    <= phase_reg != 0;
        end
        if (rst) begin
            phase_reg   <= {BURST_W{1'b0}};
            fill_reg    <= 1'b0;
            flushed_reg <= 1'b0;
            fresh_reg   <= 1'b0;
            done_reg    <= 1'b0;
            owed_reg    <= {OWED_W{1'b0}};
        end
    end

    // ---- Bursts: wait for the beats; compute what the ring holds, and whether there is room; request; pass on to the
    // data

    localparam [2:0] STATE_WAIT = 3'd0, STATE_USED = 3'd1, STATE_ROOM = 3'd2, STATE_REQUEST = 3'd3, STATE_HAND = 3'd4;
    localparam [BURST_W:0]   WHOLE = BURST;
    localparam [COUNT_W-1:0] BEATS = BURST;
    localparam HERE_W = FIFO_W - BURST_W + 1;       // of the number of bursts that are here and have not been requested

    reg  [2:0]         state_reg;
    reg  [HERE_W-1:0]  here_reg;
    reg  [BURST_W:0]   left_reg;                    // beats left of the burst whose data is sent
    reg                last_reg, going_reg, room_reg, wrap_reg;
    reg  [BLOCK_W-1:0] place_reg, place_last_reg;   // the next burst's in the ring; the last one of the ring
    reg  [COUNT_W-1:0] begun_reg, written_reg, used_reg, most_reg;
    reg  [3:0]         open_reg;                    // bursts without a response
    wire               request    = aw_valid && aw_ready;
    wire               sent   = w_valid && w_ready;
    wire               free   = !going_reg || (sent && last_reg);
    wire               hand   = state_reg == STATE_HAND && free;
    wire [BURST_W:0]   less   = WHOLE - 1'b1;

    assign aw_valid   = state_reg == STATE_REQUEST;
    assign aw_addr    = {address_reg, {LOW_W{1'b0}}};
    assign aw_len     = {{(8-BURST_W){1'b0}}, less[BURST_W-1:0]};
    assign w_valid    = going_reg && beat_valid;
    assign beat_ready = going_reg && w_ready;
    assign w_last     = last_reg;
    assign full       = state_reg == STATE_ROOM && !room_reg;
    assign idle       = state_reg == STATE_WAIT && open_reg == 0;
    assign written    = written_reg;

    // The number of a burst in the ring as part of an address, whichever is wider; it is known well before it is needed
    wire [ADDR_W-LOW_W-1:0] block;
    reg  [ADDR_W-LOW_W-1:0] address_reg;

    always @(posedge clk) address_reg <= address[ADDR_W-1:LOW_W] + block;

    generate
        if (ADDR_W - LOW_W > BLOCK_W) begin : gen_wide
            assign block = {{(ADDR_W-LOW_W-BLOCK_W){1'b0}}, place_reg};
        end else begin : gen_narrow
            assign block = place_reg[ADDR_W-LOW_W-1:0];
        end
    endgenerate

    always @(posedge clk) begin
        case (state_reg)
            STATE_WAIT:    if (here_reg != 0 && open_reg != MOST && !halt) state_reg <= STATE_USED;
            STATE_USED:    state_reg <= STATE_ROOM;
            STATE_ROOM:    if (halt) state_reg <= STATE_WAIT;
                           else if (room_reg) state_reg <= STATE_REQUEST;
            STATE_REQUEST: if (aw_ready) state_reg <= STATE_HAND;
            default:       if (free) state_reg <= STATE_WAIT;
        endcase
        here_reg <= here_reg + {{(HERE_W-1){1'b0}}, whole} - {{(HERE_W-1){1'b0}}, request};
        if (request) begin
            begun_reg <= begun_reg + BEATS;
            place_reg <= wrap_reg ? {BLOCK_W{1'b0}} : place_reg + 1'b1;
        end
        wrap_reg       <= place_reg == place_last_reg;
        place_last_reg <= size[COUNT_W-1:BURST_W] - 1'b1;
        most_reg       <= size - BEATS;
        used_reg       <= begun_reg - taken;
        room_reg       <= used_reg <= most_reg;

        if (sent) begin
            left_reg  <= left_reg - 1'b1;
            last_reg  <= left_reg == 2;
            going_reg <= !last_reg;
        end
        if (hand) begin
            left_reg  <= WHOLE;
            last_reg  <= 1'b0;
            going_reg <= 1'b1;
        end

        open_reg <= open_reg + {3'd0, request} - {3'd0, b_valid};
        if (b_valid) written_reg <= written_reg + BEATS;
        if (rst) begin
            state_reg   <= STATE_WAIT;
            here_reg    <= {HERE_W{1'b0}};
            begun_reg   <= {COUNT_W{1'b0}};
            written_reg <= {COUNT_W{1'b0}};
            place_reg   <= {BLOCK_W{1'b0}};
            left_reg    <= {BURST_W+1{1'b0}};
            going_reg   <= 1'b0;
            open_reg    <= 4'd0;
        end
    end

    wire unused = &{level, less[BURST_W], address[LOW_W-1:0], size[BURST_W-1:0]};

`ifdef FORMAL
    // The reader of the ring takes what has been written; the memory responds to bursts whose data it has. Beats are
    // counted as they arrive, are requested, sent, and acknowledged; an arbitrary one is watched.
    (* anyconst *) reg [COUNT_W-1:0] watch_ref;
    (* anyconst *) reg [COUNT_W-1:0] size_any;
    reg                past_valid = 1'b0, past_2_valid = 1'b0;
    reg  [COUNT_W-1:0] came_ref, requested_ref, sent_ref, answered_ref;     // came: including padding
    reg  [COUNT_W-1:0] place_ref;                   // of the next burst in the ring
    reg  [COUNT_W-1:0] end_ref;                     // of the beats before the FLUSH
    reg                ended_ref, filling_ref;      // a FLUSH is not done; its burst is not complete
    wire [ADDR_W-1:0]  address_ref = address + (place_ref << (LOW_W - BURST_W));
    reg  [DATA_W-1:0]  beat_ref;
    wire [COUNT_W-1:0] unsent_ref = requested_ref - sent_ref;
    wire [COUNT_W-1:0] phase_ref  = came_ref % BURST, sent_phase_ref = sent_ref % BURST;
    wire [COUNT_W-1:0] ready_ref  = came_ref - phase_ref;       // whole bursts that have arrived
    wire [COUNT_W-1:0] gone_ref   = sent_ref - sent_phase_ref;  // and those sent
    wire [COUNT_W-1:0] here_ref   = ready_ref - requested_ref, open_ref = requested_ref - answered_ref;
    wire [COUNT_W-1:0] owed_ref   = ready_ref - answered_ref, before_ref = end_ref - answered_ref;
    wire [COUNT_W-1:0] filled_ref = ready_ref + BURST, used_ref = requested_ref - taken, kept_ref = written - taken;
    wire               came       = take && !s_flush;
    wire               zero       = filling_ref && room;
    wire               chosen     = state_reg == STATE_USED || state_reg == STATE_ROOM || aw_valid;

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        past_2_valid <= past_valid;
        if (came || zero) came_ref <= came_ref + 1'b1;
        if ((came || zero) && came_ref == watch_ref) beat_ref <= came ? s_data : 0;
        if (request) requested_ref <= requested_ref + BURST;
        if (request) place_ref <= place_ref + BURST == size ? 0 : place_ref + BURST;
        if (sent) sent_ref <= sent_ref + 1'b1;
        if (b_valid) answered_ref <= answered_ref + BURST;
        if (zero && phase_ref == BURST - 1) filling_ref <= 1'b0;
        if (done) ended_ref <= 1'b0;
        if (flush) begin
            ended_ref   <= 1'b1;
            filling_ref <= phase_ref != 0;
            end_ref     <= phase_ref == 0 ? came_ref : ready_ref + BURST;
        end
        if (rst) {place_ref, came_ref, requested_ref, sent_ref, answered_ref, ended_ref, filling_ref} <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assume (size == size_any && size != 0 && size[BURST_W-1:0] == 0 && size <= 1 << (COUNT_W - 2));
            assume ($stable(address) && address[LOW_W-1:0] == 0);
            assume ($past(rst) ? taken == 0 : taken - $past(taken) <= written - $past(taken));
            assume (!b_valid || answered_ref != gone_ref);

            // signals are stable until accepted
            if ($past(aw_valid && !aw_ready && !rst)) assert (aw_valid && $stable({aw_addr, aw_len}));
            if ($past(w_valid && !w_ready && !rst)) assert (w_valid && $stable({w_data, w_last}));
            // bursts are contiguous, each complete and at a multiple of BURST
            if (aw_valid) begin
                assert (aw_addr == address_ref && aw_len == BURST - 1 && requested_ref % BURST == 0);
                assert (here_ref != 0 && here_ref <= 1 << FIFO_W);
                // what has not been taken is not overwritten
                assert (used_ref + BURST <= size);
            end
            // all data of a burst follow its address, unchanged
            if (w_valid) assert (unsent_ref != 0 && unsent_ref <= 2 * BURST);
            if (w_valid) assert (w_last == (sent_phase_ref == BURST - 1));
            if (w_valid && sent_ref == watch_ref && came_ref - sent_ref <= 1 << FIFO_W)
                writer_data: assert (w_data == beat_ref);
            // what was acknowledged is written
            assert (written == answered_ref);
            if (idle) assert (written == requested_ref && sent_ref == requested_ref && !aw_valid && !w_valid);
            // a FLUSH is done once, when everything before it is written, and nothing after it is
            if (done) assert (ended_ref && written == end_ref);
            if ($past(past_2_valid) && $past(ended_ref && !done && written == end_ref, 2)) assert (done || !ended_ref);
            if (ended_ref) assert (before_ref <= BURST * 16 + (1 << FIFO_W));
            assert (!(flush && ended_ref) && !(filling_ref && take));

            // invariants for the induction
            assert (fill_reg == filling_ref && flushed_reg == ended_ref && phase_reg == phase_ref);
            assert (!(fresh_reg || done_reg) || (flushed_reg && !(fresh_reg && done_reg)));
            if (fresh_reg) assert (filling_ref ? end_ref == filled_ref : end_ref == ready_ref && phase_ref == 0);
            // when nothing is owed, the beats after it are not a burst yet
            if (flushed_reg && !done_reg && before_reg == 0 && !fresh_reg) assert (came_ref - end_ref <= 1);
            assert (!filling_ref || (ended_ref && phase_ref != 0 && end_ref == filled_ref));
            assert (owed_reg == owed_ref >> BURST_W && owed_ref <= BURST * 15 + (1 << FIFO_W));
            if (ended_ref) assert (end_ref % BURST == 0);
            if (ended_ref && !fresh_reg) assert (before_reg == before_ref >> BURST_W);
            if (ended_ref && !fresh_reg) assert (before_reg <= owed_reg + filling_ref);
            assert (answered_ref % BURST == 0 && requested_ref % BURST == 0);
            assert (begun_reg == requested_ref && state_reg <= STATE_HAND);
            assert (place_reg == place_ref >> BURST_W && place_ref < size && place_ref[BURST_W-1:0] == 0);
            assert (here_reg == here_ref >> BURST_W && here_ref <= 1 << FIFO_W);
            assert (level == came_ref - sent_ref);
            assert (left_reg <= BURST && going_reg == (left_reg != 0) && (!going_reg || last_reg == (left_reg == 1)));
            assert (!going_reg || left_reg == BURST - sent_phase_ref);
            assert (going_reg || sent_phase_ref == 0);
            assert (unsent_ref == left_reg + (state_reg == STATE_HAND ? BURST : 0));
            assert (open_reg == open_ref >> BURST_W && open_ref <= MOST * BURST);
            assert (gone_ref - answered_ref <= requested_ref - answered_ref);
            if (chosen) assert (here_reg != 0 && open_reg < MOST);
            assert (used_ref <= size && kept_ref <= size);
            if (state_reg == STATE_ROOM) assert (used_ref <= used_reg && used_reg <= size);
            if (state_reg == STATE_ROOM && room_reg) assert (used_ref <= most_reg);
            if (aw_valid) assert (used_ref <= most_reg);
            if ($past(past_valid)) assert (most_reg == size - BURST && place_last_reg == size / BURST - 1);
            if ($past(past_2_valid) && !$past(request)) assert (wrap_reg == (place_reg == place_last_reg));
        end
        cover (past_valid && done && came_ref == BURST && place_reg == 0);
        cover (past_valid && full && $past(full));
        cover (past_valid && request && going_reg);
        cover (past_valid && done && came_ref != end_ref);
    end
`endif

endmodule

`default_nettype wire
