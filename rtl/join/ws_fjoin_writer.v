// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_writer: writes a stream of beats into a ring in memory: the write port of FJoin's machine.
//
// A burst goes when all its beats are here and the ring has room for it: so data never keep the bus waiting, and while
// whoever reads the ring is behind, what comes waits here and then before s. All bursts but the last have BURST beats
// and begin at a multiple of them, so none crosses 4 KB. Positions count beats from 0 since the reset.
//
// Parameters   DATA_W    width of the memory port in bits, a power of two of at least 8
//              ADDR_W    width of an address in bits, of bytes
//              COUNT_W   width of a position
//              BURST     beats of a burst: a power of two from 4 to 256, up to 4096 bytes
//              FIFO_W    2**FIFO_W beats wait here at most, at least 2 * BURST
// Ports        address, size   of the ring: both whole bursts, of bytes and of beats; they stand still
//              taken     beats of the ring that may be written over, a position up to `written`
//              written   beats of which the memory has said that they are there, a position
//              s_flush   no beat, but the end: what is here goes, in a short burst if it must
//              full      a burst waits for room in the ring
//              done      the end has come, and everything is in memory
//              halt      begins no more bursts; idle: none is under way
//              b_error   a burst was answered by SLVERR or DECERR
// Latency      the last beat of a burst to aw_valid 4 cycles
// Issue rate   1 beat a cycle, with BURST of at least 8; a burst every 5 cycles
// Overflow     cannot happen: s_ready falls
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

    // ---- Beats that wait

    reg               ended_reg;
    wire              push = s_valid && s_ready && !s_flush;
    wire              room, beat_valid, beat_ready;
    wire [FIFO_W:0]   level;

    assign s_ready = room && !ended_reg;

    ws_sync_fifo #(.DATA_W(DATA_W), .ADDR_W(FIFO_W), .OUTPUT_REG(1)) fifo (
        .clk(clk), .rst(rst),
        .s_valid(push), .s_ready(room), .s_data(s_data),
        .m_valid(beat_valid), .m_ready(beat_ready), .m_data(w_data),
        .level(level)
    );

    always @(posedge clk) begin
        if (s_valid && s_ready && s_flush) ended_reg <= 1'b1;
        if (rst) ended_reg <= 1'b0;
    end

    // ---- Bursts: wait for its beats; see what the ring holds, and whether there is room; ask; hand over to the data

    localparam [2:0] STATE_WAIT = 3'd0, STATE_USED = 3'd1, STATE_ROOM = 3'd2, STATE_ASK = 3'd3, STATE_HAND = 3'd4;
    localparam [BURST_W:0] WHOLE = BURST;
    localparam [3:0]       MOST  = 4'd15;           // bursts without an answer

    reg  [2:0]         state_reg;
    reg  [FIFO_W:0]    here_reg;                    // beats that belong to no burst yet
    reg  [BURST_W:0]   len_reg, left_reg;           // beats of the burst; of the one whose data go
    reg                last_reg, going_reg, room_reg;
    reg  [BLOCK_W-1:0] place_reg, place_last_reg;   // the next burst's in the ring; the last one there is
    reg  [COUNT_W-1:0] begun_reg, written_reg, used_reg, most_reg;
    reg  [3:0]         open_reg;                    // bursts without an answer
    wire               ask    = aw_valid && aw_ready;
    wire               whole  = here_reg >= {{(FIFO_W-BURST_W){1'b0}}, WHOLE};
    wire               some   = here_reg != 0;
    wire               sent   = w_valid && w_ready;
    wire               free   = !going_reg || (sent && last_reg);
    wire               hand   = state_reg == STATE_HAND && free;
    wire [BURST_W:0]   left   = hand ? len_reg : left_reg - {{BURST_W{1'b0}}, sent};
    wire [FIFO_W:0]    gone   = {{(FIFO_W-BURST_W){1'b0}}, len_reg & {BURST_W+1{ask}}};
    wire [COUNT_W-1:0] length = {{(COUNT_W-BURST_W-1){1'b0}}, len_reg};
    wire [BURST_W-1:0] less   = len_reg[BURST_W-1:0] - 1'b1;

    assign aw_valid   = state_reg == STATE_ASK;
    assign aw_addr    = {address_reg, {LOW_W{1'b0}}};
    assign aw_len     = {{(8-BURST_W){1'b0}}, less[BURST_W-1:0]};
    assign w_valid    = going_reg && beat_valid;
    assign beat_ready = going_reg && w_ready;
    assign w_last     = last_reg;
    assign full       = state_reg == STATE_ROOM && !room_reg;
    assign idle       = state_reg == STATE_WAIT && open_reg == 0;
    assign done       = idle && ended_reg && !some;
    assign written    = written_reg;

    // The ring's number of a burst as a part of an address, whichever is wider; it is known long before it is needed
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
            STATE_WAIT: begin
                len_reg <= whole ? WHOLE : here_reg[BURST_W:0];
                if ((whole || (ended_reg && some)) && open_reg != MOST && !halt) state_reg <= STATE_USED;
            end
            STATE_USED: state_reg <= STATE_ROOM;
            STATE_ROOM: if (halt) state_reg <= STATE_WAIT;
                        else if (room_reg) state_reg <= STATE_ASK;
            STATE_ASK:  if (aw_ready) state_reg <= STATE_HAND;
            default:    if (free) state_reg <= STATE_WAIT;
        endcase
        here_reg <= here_reg + {{FIFO_W{1'b0}}, push} - gone;
        if (ask) begin
            begun_reg <= begun_reg + length;
            place_reg <= place_reg == place_last_reg ? {BLOCK_W{1'b0}} : place_reg + 1'b1;
        end
        place_last_reg <= size[COUNT_W-1:BURST_W] - 1'b1;
        most_reg       <= size - {{(COUNT_W-BURST_W-1){1'b0}}, WHOLE};
        used_reg       <= begun_reg - taken;
        room_reg       <= used_reg <= most_reg;

        left_reg  <= left;
        going_reg <= left != 0;
        last_reg  <= left == 1;

        open_reg <= open_reg + {3'd0, ask} - {3'd0, b_valid};
        if (b_valid) written_reg <= open_reg == 1 ? begun_reg : written_reg + {{(COUNT_W-BURST_W-1){1'b0}}, WHOLE};
        if (rst) begin
            state_reg   <= STATE_WAIT;
            here_reg    <= {FIFO_W+1{1'b0}};
            begun_reg   <= {COUNT_W{1'b0}};
            written_reg <= {COUNT_W{1'b0}};
            place_reg   <= {BLOCK_W{1'b0}};
            left_reg    <= {BURST_W+1{1'b0}};
            going_reg   <= 1'b0;
            open_reg    <= 4'd0;
        end
    end

    wire unused = &{level, address[LOW_W-1:0], size[BURST_W-1:0]};

`ifdef FORMAL
    // Whoever reads the ring takes what has been written; the memory answers bursts whose data it has. Beats are
    // counted as they come, as bursts ask for them, as they go, and as they are answered; an arbitrary one is watched.
    (* anyconst *) reg [COUNT_W-1:0] watch_ref;
    (* anyconst *) reg [COUNT_W-1:0] size_any;
    reg                past_valid = 1'b0;
    reg  [COUNT_W-1:0] came_ref, asked_ref, sent_ref;
    reg  [COUNT_W-1:0] asked_blocks_ref, sent_blocks_ref, answered_blocks_ref;      // times BURST
    reg  [COUNT_W-1:0] place_ref;                   // of the next burst in the ring
    wire [ADDR_W-1:0]  address_ref = address + (place_ref << (LOW_W - BURST_W));
    reg  [DATA_W-1:0]  beat_ref;
    wire [COUNT_W-1:0] waits_ref  = asked_ref - sent_ref;
    wire [COUNT_W-1:0] length_ref = aw_len + 9'd1;
    wire [COUNT_W-1:0] unsent_ref = asked_blocks_ref - sent_blocks_ref;
    wire [COUNT_W-1:0] end_ref    = unsent_ref == BURST ? asked_ref : sent_blocks_ref + BURST;
    wire [COUNT_W-1:0] left_ref   = end_ref - sent_ref;                             // of the burst that goes
    wire [COUNT_W-1:0] short_ref  = asked_blocks_ref - asked_ref;                   // of the last burst
    wire               chosen     = state_reg == STATE_USED || state_reg == STATE_ROOM || aw_valid;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (push) came_ref <= came_ref + 1'b1;
        if (push && came_ref == watch_ref) beat_ref <= s_data;
        if (ask) asked_ref <= asked_ref + length_ref;
        if (ask) place_ref <= place_ref + BURST == size ? 0 : place_ref + BURST;
        if (ask) asked_blocks_ref <= asked_blocks_ref + BURST;
        if (sent) sent_ref <= sent_ref + 1'b1;
        if (sent && w_last) sent_blocks_ref <= sent_blocks_ref + BURST;
        if (b_valid) answered_blocks_ref <= answered_blocks_ref + BURST;
        if (rst) {place_ref, came_ref, asked_ref, sent_ref} <= 0;
        if (rst) {asked_blocks_ref, sent_blocks_ref, answered_blocks_ref} <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assume (size == size_any && size != 0 && size[BURST_W-1:0] == 0 && size <= 1 << (COUNT_W - 2));
            assume ($stable(address) && address[LOW_W-1:0] == 0);
            assume ($past(rst) ? taken == 0 : taken - $past(taken) <= written - $past(taken));
            assume (!b_valid || answered_blocks_ref != sent_blocks_ref);

            // what waits stands still
            if ($past(aw_valid && !aw_ready && !rst)) assert (aw_valid && $stable({aw_addr, aw_len}));
            if ($past(w_valid && !w_ready && !rst)) assert (w_valid && $stable({w_data, w_last}));
            // bursts lie one behind the other, each begins at a multiple of BURST; a short one is the last
            if (aw_valid) begin
                assert (aw_addr == address_ref && begun_reg[BURST_W-1:0] == 0);
                assert (length_ref <= BURST && (length_ref == BURST || (ended_reg && here_reg == length_ref)));
                // what has not been taken is not written over
                assert (asked_ref + length_ref - taken <= size);
            end
            // data come behind their burst's address, all of them, and as they came
            if (w_valid) assert (waits_ref != 0 && waits_ref <= 2 * BURST);
            if (w_valid) assert (w_last == (left_ref == 1));
            if (w_valid && sent_ref == watch_ref && came_ref - sent_ref <= 1 << FIFO_W)
                writer_data: assert (w_data == beat_ref);
            // what was answered is written
            assert (written == (answered_blocks_ref == asked_blocks_ref ? asked_ref : answered_blocks_ref));
            if (done) assert (ended_reg && written == came_ref);
            if (idle) assert (written == asked_ref && sent_ref == asked_ref && !aw_valid && !w_valid);

            // what makes it inductive
            assert (begun_reg == asked_ref && state_reg <= STATE_HAND);
            assert (place_reg == place_ref >> BURST_W && place_ref < size && place_ref[BURST_W-1:0] == 0);
            assert (here_reg == came_ref - asked_ref && level == came_ref - sent_ref && level >= here_reg);
            assert (left_reg <= BURST && going_reg == (left_reg != 0) && (!going_reg || last_reg == (left_reg == 1)));
            assert (unsent_ref == (going_reg + (state_reg == STATE_HAND)) * BURST);
            if (state_reg == STATE_HAND) assert (len_reg == BURST - short_ref);
            assert (waits_ref == left_reg + (state_reg == STATE_HAND ? len_reg : 0));
            assert (open_reg == asked_blocks_ref - answered_blocks_ref >> BURST_W && open_reg <= MOST);
            assert (short_ref < BURST && (short_ref == 0 || (ended_reg && here_reg == 0)));
            assert (sent_blocks_ref - answered_blocks_ref <= asked_blocks_ref - answered_blocks_ref);
            if (chosen || state_reg == STATE_HAND) assert (len_reg != 0 && len_reg <= BURST);
            if (chosen) assert (len_reg <= here_reg && open_reg < MOST && short_ref == 0);
            if (chosen) assert (len_reg == BURST || (ended_reg && here_reg == len_reg));
            assert (asked_ref - taken <= size && written - taken <= size);
            if (state_reg == STATE_ROOM) assert (asked_ref - taken <= used_reg && used_reg <= size);
            if (state_reg == STATE_ROOM && room_reg) assert (asked_ref - taken <= most_reg);
            if (aw_valid) assert (asked_ref - taken <= most_reg);
            if ($past(past_valid)) assert (most_reg == size - BURST && place_last_reg == size / BURST - 1);
        end
        cover (past_valid && done && came_ref == BURST + 1 && place_reg == 0);
        cover (past_valid && full && $past(full));
        cover (past_valid && ask && going_reg);
    end
`endif

endmodule

`default_nettype wire
