// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_reader: reads an array of tuples from memory, once or pass after pass: a read port of FJoin's machine.
//
// Bursts end at multiples of BURST beats, so none crosses 4 KB. Beats are asked for as long as the FIFO has a place for
// them: so many are on their way that the memory's latency does not show, and those that come never wait.
//
//   job ──▶ bursts ──▶ AR        R ──▶ FIFO ──▶ tuples ──▶ m
//              ▲                        │
//              └──── places that are free
//
// Parameters   DATA_W    width of the memory port in bits, a power of two of at least 8
//              ADDR_W    width of an address in bits, of bytes
//              TUPLE_W   width of a tuple in memory, a power of two up to DATA_W. The first one of a beat is in its low
//                        bits; the array begins with a beat, and its last beat may be partly used
//              COUNT_W   width of count
//              BURST     beats of a burst at most: a power of two from 2 to 256, up to 4096 bytes
//              FIFO_W    2**FIFO_W beats are under way at most, at least BURST
// Ports        start     begins a job, once after each reset; address, of a beat, and count, at least 1, stand still
//              again     another pass over the array follows the one that is being asked for; asked says that this has
//                        been asked for as a whole. again may then change, one cycle later
//              halt      asks for nothing more
//              idle      all that was asked for has come
//              r_valid   a beat for this reader; it is always taken. r_error: it came with SLVERR or DECERR
//              m_last    the last tuple of a pass
// Latency      start to ar_valid 2 cycles; r_valid to m_valid 4 cycles
// Issue rate   1 tuple a cycle, or a beat if that is less; a burst every 2 cycles
// Overflow     cannot happen: see above
// Bad input    r_error is the user's business: the beat counts as any other
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), section 3.1; ARM IHI 0022, AXI4

`default_nettype none

module ws_fjoin_reader #(
    parameter DATA_W  = 128,
    parameter ADDR_W  = 32,
    parameter TUPLE_W = 64,
    parameter COUNT_W = 17,
    parameter BURST   = 16,
    parameter FIFO_W  = 7
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               start,
    input  wire [ADDR_W-1:0]  address,
    input  wire [COUNT_W-1:0] count,
    input  wire               again,
    output wire               asked,
    input  wire               halt,
    output wire               idle,

    output wire               ar_valid,
    input  wire               ar_ready,
    output wire [ADDR_W-1:0]  ar_addr,
    output wire [7:0]         ar_len,

    input  wire               r_valid,
    input  wire [DATA_W-1:0]  r_data,

    output wire               m_valid,
    input  wire               m_ready,
    output wire [TUPLE_W-1:0] m_data,
    output wire               m_last
);

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam PER     = DATA_W / TUPLE_W;          // tuples of a beat
    localparam PER_W   = $clog2(PER);
    localparam PART_W  = PER_W > 0 ? PER_W : 1;
    localparam BURST_W = $clog2(BURST);
    localparam BEAT_W  = ADDR_W - BYTES_W;          // of a beat's number
    localparam LEFT_W  = COUNT_W + BURST_W + 1;     // of what is left: at least as wide as a burst

    initial if (DATA_W < 8 || DATA_W != 8 << BYTES_W || TUPLE_W < 1 || DATA_W != TUPLE_W << PER_W
                || ADDR_W <= BYTES_W + BURST_W || COUNT_W < 1) begin
        $display("ERROR: %m: DATA_W, TUPLE_W = %0d, %0d (powers of 2, the second not more), ADDR_W, COUNT_W = %0d, %0d",
                 DATA_W, TUPLE_W, ADDR_W, COUNT_W);
        $finish;
    end

    initial if (BURST < 2 || BURST > 256 || BURST != 1 << BURST_W || BURST * DATA_W > 8 * 4096
                || FIFO_W < BURST_W) begin
        $display("ERROR: %m: BURST = %0d (a power of two, 2 to 256, up to 4096 bytes), FIFO_W = %0d (at least BURST)",
                 BURST, FIFO_W);
        $finish;
    end

    // ---- Bursts: size one up, ask for it

    localparam [1:0] STATE_IDLE = 2'd0, STATE_SIZE = 2'd1, STATE_ASK = 2'd2;
    localparam [BURST_W:0]  WHOLE = BURST;
    localparam [LEFT_W-1:0] ROUND = PER - 1;
    localparam [FIFO_W:0]   MOST  = (1 << FIFO_W) - BURST;   // beats under way that leave room for a burst

    reg  [1:0]         state_reg;
    reg  [BEAT_W-1:0]  beat_reg;                // the next one to be asked for
    reg  [LEFT_W-1:0]  left_reg;                // beats of the pass
    reg  [BURST_W:0]   len_reg;
    reg                ends_reg, room_reg;
    reg  [FIFO_W:0]    reserved_reg, flying_reg;    // beats asked for that have not left the FIFO; that have not come
    wire [LEFT_W-1:0]  beats  = ({{(LEFT_W-COUNT_W){1'b0}}, count} + ROUND) >> PER_W;
    wire [BURST_W:0]   to_end = WHOLE - {1'b0, beat_reg[BURST_W-1:0]};
    wire               ends   = left_reg <= {{(LEFT_W-BURST_W-1){1'b0}}, to_end};
    wire               ask    = ar_valid && ar_ready;
    wire               pop;
    wire [FIFO_W:0]    length   = {{(FIFO_W-BURST_W){1'b0}}, len_reg & {BURST_W+1{ask}}};
    wire [FIFO_W:0]    reserved = reserved_reg + length - {{FIFO_W{1'b0}}, pop};
    wire [BURST_W-1:0] less   = len_reg[BURST_W-1:0] - 1'b1;

    assign ar_valid = state_reg == STATE_ASK;
    assign ar_addr  = {beat_reg, {BYTES_W{1'b0}}};
    assign ar_len   = {{(8-BURST_W){1'b0}}, less[BURST_W-1:0]};
    assign asked    = ask && ends_reg;
    assign idle     = state_reg == STATE_IDLE && flying_reg == 0;

    always @(posedge clk) begin
        case (state_reg)
            STATE_SIZE: begin
                len_reg  <= ends ? left_reg[BURST_W:0] : to_end;
                ends_reg <= ends;
                if (halt) state_reg <= STATE_IDLE;
                else if (room_reg) state_reg <= STATE_ASK;
            end
            STATE_ASK: if (ar_ready) begin
                beat_reg  <= beat_reg + {{(BEAT_W-BURST_W-1){1'b0}}, len_reg};
                left_reg  <= left_reg - {{(LEFT_W-BURST_W-1){1'b0}}, len_reg};
                state_reg <= ends_reg && !again ? STATE_IDLE : STATE_SIZE;
            end
            default: if (start) state_reg <= STATE_SIZE;
        endcase
        if (start || asked) begin
            beat_reg <= address[ADDR_W-1:BYTES_W];
            left_reg <= beats;
        end
        room_reg     <= reserved <= MOST;
        reserved_reg <= reserved;
        flying_reg   <= flying_reg + length - {{FIFO_W{1'b0}}, r_valid};
        if (rst) begin
            state_reg    <= STATE_IDLE;
            room_reg     <= 1'b0;
            reserved_reg <= {FIFO_W+1{1'b0}};
            flying_reg   <= {FIFO_W+1{1'b0}};
        end
    end

    // ---- Beats that have come

    wire              room;
    wire [DATA_W-1:0] beat;
    wire [FIFO_W:0]   level;

    ws_sync_fifo #(.DATA_W(DATA_W), .ADDR_W(FIFO_W), .OUTPUT_REG(1)) fifo (
        .clk(clk), .rst(rst),
        .s_valid(r_valid), .s_ready(room), .s_data(r_data),
        .m_valid(m_valid), .m_ready(pop), .m_data(beat),
        .level(level)
    );

    // ---- Tuples: a pass has `count`, and its last beat may have more places

    reg  [COUNT_W-1:0] tuples_reg;              // left of the pass
    reg                last_reg;                // one is left
    wire               take = m_valid && m_ready;
    wire               done;                    // with this beat
    wire [PART_W-1:0]  part;                    // of the beat

    assign m_last = last_reg;
    assign pop    = take && done;

    always @(posedge clk) begin
        if (start || (take && last_reg)) begin
            tuples_reg <= count;
            last_reg   <= count == 1;
        end else if (take) begin
            tuples_reg <= tuples_reg - 1'b1;
            last_reg   <= tuples_reg == 2;
        end
    end

    generate
        if (PER == 1) begin : gen_whole
            assign part = 1'b0;
            assign done = 1'b1;
        end else begin : gen_parts
            reg [PART_W-1:0] part_reg;

            assign part = part_reg;
            assign done = last_reg || &part_reg;

            always @(posedge clk) begin
                if (take) part_reg <= done ? {PART_W{1'b0}} : part_reg + 1'b1;
                if (rst) part_reg <= {PART_W{1'b0}};
            end
        end
    endgenerate

    assign m_data = beat[part*TUPLE_W +: TUPLE_W];

    wire unused = &{room, level, address};

`ifdef FORMAL
    // The memory answers what it was asked for and no more. Beats and tuples of a pass are counted; an arbitrary beat
    // that comes is watched, by its number.
    (* anyconst *) wire [FIFO_W:0] watch_ref;
    reg                past_valid = 1'b0;
    reg                started_ref;
    reg  [LEFT_W-1:0]  asked_ref;                   // beats of the pass
    reg  [FIFO_W:0]    flying_ref, came_ref, gone_ref;
    reg  [COUNT_W-1:0] given_ref;                   // tuples of the pass
    reg  [DATA_W-1:0]  beat_ref;
    wire [ADDR_W-1:0]  address_ref = address + (asked_ref << BYTES_W);
    wire [LEFT_W-1:0]  length_ref = ar_len + 9'd1;
    wire [COUNT_W:0]   part_ref   = {1'b0, given_ref} % PER;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (start) started_ref <= 1'b1;
        if (ask) asked_ref <= asked ? 0 : asked_ref + length_ref;
        flying_ref <= flying_ref + (ask ? length_ref : 0) - r_valid;
        if (r_valid) came_ref <= came_ref + 1'b1;
        if (r_valid && came_ref == watch_ref) beat_ref <= r_data;
        if (pop) gone_ref <= gone_ref + 1'b1;
        if (take) given_ref <= m_last ? 0 : given_ref + 1'b1;
        if (rst) begin
            started_ref <= 1'b0;
            {asked_ref, flying_ref, came_ref, gone_ref, given_ref} <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            assume (!rst && !(start && started_ref) && !(r_valid && flying_ref == 0));
            assume ((address >> BYTES_W) << BYTES_W == address);
            assume (count != 0 && $stable(count) && $stable(address));

            // what waits stands still
            if ($past(ar_valid && !ar_ready && !rst)) assert (ar_valid && $stable({ar_addr, ar_len}));
            // a burst lies within a multiple of BURST; bursts ask for the beats of a pass in order, and for no more
            if (ar_valid) begin
                assert (started_ref && ar_len < BURST && beat_reg[BURST_W-1:0] + length_ref <= BURST);
                assert (ar_addr == address_ref);
                assert (asked_ref + length_ref <= beats && ends_reg == (asked_ref + length_ref == beats));
            end
            // a beat that comes has its place
            if (r_valid) assert (room);
            if (idle) assert (flying_ref == 0 && !ar_valid);
            // a pass has count tuples, and takes its last beat with it
            if (m_valid) assert (m_last == (given_ref == count - 1'b1));
            if (take) assert (pop == (m_last || part_ref == PER - 1));
            // what comes out is what came
            if (m_valid && gone_ref == watch_ref && came_ref - gone_ref <= 1 << FIFO_W)
                reader_data: assert (m_data == beat_ref[part_ref*TUPLE_W +: TUPLE_W]);

            // what makes it inductive
            assert (flying_reg == flying_ref && flying_reg <= reserved_reg && level == reserved_reg - flying_reg);
            assert (reserved_reg <= 1 << FIFO_W && came_ref - gone_ref == level);
            assert (!room_reg || reserved_reg <= MOST);
            assert (state_reg != 2'd3 && (!ar_valid || reserved_reg <= MOST));
            if (!started_ref) assert (state_reg == STATE_IDLE && reserved_reg == 0 && asked_ref == 0);
            if (state_reg != STATE_IDLE) assert (left_reg + asked_ref == beats && left_reg != 0 && left_reg <= beats);
            if (state_reg != STATE_IDLE) assert (beat_reg == address_ref[ADDR_W-1:BYTES_W]);
            if (ar_valid) assert (len_reg != 0 && len_reg <= BURST && len_reg <= left_reg);
            if (ar_valid) assert (ends_reg == (len_reg == left_reg));
            if (started_ref) assert (tuples_reg + given_ref == count && given_ref < count);
            if (started_ref) assert (last_reg == (tuples_reg == 1));
            else assert (given_ref == 0);
            assert (part == part_ref);
        end
        cover (past_valid && asked && again && ar_len == 0);
        cover (past_valid && take && m_last && part_ref == 0 && $past(asked_ref) != 0);
        cover (past_valid && reserved_reg == 1 << FIFO_W && !m_ready);
    end
`endif

endmodule

`default_nettype wire
