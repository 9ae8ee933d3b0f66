// SPDX-License-Identifier: Apache-2.0
//
// ws_axi_reader: reads arrays of tuples from memory, one after the other, over the read channels of AXI4.
//
// Bursts end at multiples of BURST beats, so none crosses 4 KB. Beats are requested as long as the FIFO has a place for
// them: so many are in flight that the memory's latency is hidden, and arriving beats never wait. An order is an array;
// up to 8 more arrays are requested before all tuples of one have been output.
//
//   order ──▶ bursts ──▶ AR      R ──▶ FIFO ──▶ tuples ──▶ m
//     │          ▲                      │         ▲
//     │          └───── free places ────┘         │
//     └──────────────── counts ───────────────────┘
//
// Parameters   DATA_W   width of the memory port in bits, a power of two, at least 8
//              ADDR_W   width of a byte address in bits, at least 1; wider than the offset within a burst
//              TUPLE_W  width of a tuple in memory in bits, a power of two, 1 to DATA_W; the first one of a beat is in
//                       its low bits; the array begins at a beat, and its last beat may be partly used
//              COUNT_W  width of a number of tuples in bits, at least 1
//              BURST    maximum number of beats of a burst, a power of two, 2 to 256; up to 4096 bytes
//              FIFO_W   2**FIFO_W beats at most are in flight, at least 2; at least 2 * BURST
//              TAG_W    width of a tag in bits, at least 1
// Ports        order_*   an array to read: address, of a beat, and count, at least 1. It is taken when all of the
//                        previous array has been requested
//              halt      makes no more requests
//              idle      everything requested has arrived
//              r_valid   a beat for this reader; it is always taken. r_error: it came with SLVERR or DECERR
//              m_last    the last tuple of an array; m_error: that of the tuple's beat; m_tag: order_tag of its array
// Latency      2 cycles from order_valid to ar_valid, 6 from r_valid to m_valid
// Issue rate   1 tuple per cycle; or 1 beat per cycle if that is less. A burst every 2 cycles, and 1 more cycle for
//              each array
// Overflow     cannot happen: see above
// Bad input    A beat with r_error counts like any other; the user decides what to do
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), section 3.1; ARM IHI 0022, AXI4

`default_nettype none

module ws_axi_reader #(
    parameter DATA_W  = 128,
    parameter ADDR_W  = 32,
    parameter TUPLE_W = 64,
    parameter COUNT_W = 17,
    parameter BURST   = 16,
    parameter FIFO_W  = 7,
    parameter TAG_W   = 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               order_valid,
    output wire               order_ready,
    input  wire [ADDR_W-1:0]  order_address,
    input  wire [COUNT_W-1:0] order_count,
    input  wire [TAG_W-1:0]   order_tag,
    input  wire               halt,
    output wire               idle,

    output wire               ar_valid,
    input  wire               ar_ready,
    output wire [ADDR_W-1:0]  ar_addr,
    output wire [7:0]         ar_len,

    input  wire               r_valid,
    input  wire [DATA_W-1:0]  r_data,
    input  wire               r_error,

    output wire               m_valid,
    input  wire               m_ready,
    output wire [TUPLE_W-1:0] m_data,
    output wire               m_last,
    output wire               m_error,
    output wire [TAG_W-1:0]   m_tag
);

    initial if (TAG_W < 1) begin
        $display("ERROR: %m: TAG_W = %0d (at least 1)", TAG_W);
        $finish;
    end

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam PER     = DATA_W / TUPLE_W;          // tuples of a beat
    localparam PER_W   = $clog2(PER);
    localparam PART_W  = PER_W > 0 ? PER_W : 1;
    localparam BURST_W = $clog2(BURST);
    localparam BEAT_W  = ADDR_W - BYTES_W;          // of a beat's number
    localparam LEFT_W  = COUNT_W + BURST_W + 1;     // of the beats left: at least as wide as a burst's length

    initial if (DATA_W < 8 || DATA_W != 8 << BYTES_W || TUPLE_W < 1 || DATA_W != TUPLE_W << PER_W
                || ADDR_W <= BYTES_W + BURST_W || COUNT_W < 1) begin
        $display("ERROR: %m: DATA_W, TUPLE_W = %0d, %0d (powers of 2, the second not more), ADDR_W, COUNT_W = %0d, %0d",
                 DATA_W, TUPLE_W, ADDR_W, COUNT_W);
        $finish;
    end

    initial if (BURST < 2 || BURST > 256 || BURST != 1 << BURST_W || BURST * DATA_W > 8 * 4096
                || FIFO_W <= BURST_W) begin
        $display("ERROR: %m: BURST = %0d (a power of two, 2 to 256, up to 4096 bytes), FIFO_W = %0d (over BURST)",
                 BURST, FIFO_W);
        $finish;
    end

    // ---- Bursts: compute the length, request it

    localparam [1:0] STATE_IDLE = 2'd0, STATE_SIZE = 2'd1, STATE_REQUEST = 2'd2;
    localparam [BURST_W:0]  WHOLE = BURST;
    localparam [LEFT_W-1:0] ROUND = ~({LEFT_W{1'b1}} << PER_W);     // PER - 1
    localparam [FIFO_W:0]   MOST  = (1 << FIFO_W) - BURST;   // beats in flight that leave room for a burst
    localparam [FIFO_W:0]   FEWER = MOST - BURST;            // that still do after one more burst

    reg  [1:0]         state_reg;
    reg  [BEAT_W-1:0]  beat_reg;                // the next one to request
    reg  [LEFT_W-1:0]  left_reg;                // beats of the array
    reg  [BURST_W:0]   len_reg, to_end_reg;     // of a burst; beats to the next multiple of BURST
    reg                ends_reg, room_reg, may_reg, popped_reg;
    reg  [FIFO_W:0]    reserved_reg, flying_reg;    // beats requested, not yet output; not yet arrived
    wire [LEFT_W-1:0]  beats   = ({{(LEFT_W-COUNT_W){1'b0}}, order_count} + ROUND) >> PER_W;
    wire               ends    = left_reg <= {{(LEFT_W-BURST_W-1){1'b0}}, to_end_reg};
    wire               request = ar_valid && ar_ready;
    wire               order   = order_valid && order_ready;
    wire               counts_ready;
    wire [FIFO_W:0]    length  = {{(FIFO_W-BURST_W){1'b0}}, len_reg & {BURST_W+1{request}}};
    wire [BURST_W-1:0] less    = len_reg[BURST_W-1:0] - 1'b1;

    assign ar_valid = state_reg == STATE_REQUEST;
    assign ar_addr  = {beat_reg, {BYTES_W{1'b0}}};
    assign ar_len   = {{(8-BURST_W){1'b0}}, less[BURST_W-1:0]};
    assign order_ready = state_reg == STATE_IDLE && may_reg;
    assign idle     = state_reg == STATE_IDLE && flying_reg == 0;

    always @(posedge clk) begin
        case (state_reg)
            STATE_SIZE: begin
                len_reg  <= ends ? left_reg[BURST_W:0] : to_end_reg;
                ends_reg <= ends;
                if (halt) state_reg <= STATE_IDLE;
                else if (room_reg) state_reg <= STATE_REQUEST;
            end
            STATE_REQUEST: if (ar_ready) begin
                beat_reg   <= beat_reg + {{(BEAT_W-BURST_W-1){1'b0}}, len_reg};
                left_reg   <= left_reg - {{(LEFT_W-BURST_W-1){1'b0}}, len_reg};
                to_end_reg <= WHOLE;
                state_reg  <= ends_reg ? STATE_IDLE : STATE_SIZE;
            end
            default: ;
        endcase
        if (order) begin
            beat_reg   <= order_address[ADDR_W-1:BYTES_W];
            left_reg   <= beats;
            to_end_reg <= WHOLE - {1'b0, order_address[BYTES_W +: BURST_W]};
            state_reg  <= STATE_SIZE;
        end
        may_reg      <= counts_ready && !halt;      // orders are 3 cycles apart, so there is a place for one more
        // a burst counts as a whole one at first, and a beat that leaves makes room 2 cycles later
        room_reg     <= request ? reserved_reg <= FEWER : reserved_reg <= MOST;
        reserved_reg <= reserved_reg + length - {{FIFO_W{1'b0}}, popped_reg};
        popped_reg   <= out_valid && out_ready;
        flying_reg   <= flying_reg + length - {{FIFO_W{1'b0}}, r_valid};
        if (rst) begin
            state_reg    <= STATE_IDLE;
            may_reg      <= 1'b0;
            room_reg     <= 1'b0;
            popped_reg   <= 1'b0;
            reserved_reg <= {FIFO_W+1{1'b0}};
            flying_reg   <= {FIFO_W+1{1'b0}};
        end
    end

    // ---- Beats that have arrived

    wire              room;
    wire              out_valid, out_ready, beat_valid, pop;
    wire [DATA_W:0]   out;
    wire [DATA_W-1:0] beat;
    wire              tuple_error;
    wire [FIFO_W:0]   level;

    ws_sync_fifo #(.DATA_W(DATA_W + 1), .ADDR_W(FIFO_W), .OUTPUT_REG(1)) fifo (
        .clk(clk), .rst(rst),
        .s_valid(r_valid), .s_ready(room), .s_data({r_error, r_data}),
        .m_valid(out_valid), .m_ready(out_ready), .m_data(out),
        .level(level)
    );

    // Cuts the path from the tuples' handshake to the FIFO
    ws_skid_buffer #(.DATA_W(DATA_W + 1)) beat_slice (
        .clk(clk), .rst(rst),
        .s_valid(out_valid), .s_ready(out_ready), .s_data(out),
        .m_valid(beat_valid), .m_ready(pop), .m_data({tuple_error, beat})
    );

    // ---- Tuples: as many as the array's count; its last beat may have more places

    reg  [COUNT_W-1:0] more_reg;                // left of the array after the next one
    reg                inside_reg, last_reg;    // tuples are left; only one is
    reg  [TAG_W-1:0]   tag_reg;
    wire               count_valid;
    wire [3:0]         counted;
    wire [COUNT_W-1:0] more;                    // than one tuple
    wire [TAG_W-1:0]   tag;
    wire               tuple_valid, tuple_ready;
    wire [TUPLE_W-1:0] tuple_data;
    wire               next   = !inside_reg || (take && last_reg);
    wire               take = tuple_valid && tuple_ready;
    wire               done;                    // with this beat
    wire [PART_W-1:0]  part;                    // of the beat

    assign tuple_valid = beat_valid && inside_reg;
    assign pop         = take && done;

    ws_sync_fifo #(.DATA_W(TAG_W + COUNT_W), .ADDR_W(3), .STYLE("distributed")) counts (
        .clk(clk), .rst(rst),
        .s_valid(order), .s_ready(counts_ready), .s_data({order_tag, order_count - 1'b1}),
        .m_valid(count_valid), .m_ready(next), .m_data({tag, more}),
        .level(counted)
    );

    always @(posedge clk) begin
        if (next) begin
            inside_reg <= count_valid;
            more_reg   <= more;
            tag_reg    <= tag;
            last_reg   <= more == 0;
        end else if (take) begin
            more_reg <= more_reg - 1'b1;
            last_reg <= more_reg == 1;
        end
        if (rst) inside_reg <= 1'b0;
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

    assign tuple_data = beat[part*TUPLE_W +: TUPLE_W];

    ws_skid_buffer #(.DATA_W(TAG_W + TUPLE_W + 2)) tuple_slice (
        .clk(clk), .rst(rst),
        .s_valid(tuple_valid), .s_ready(tuple_ready), .s_data({tag_reg, last_reg, tuple_error, tuple_data}),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_tag, m_last, m_error, m_data})
    );

    wire unused = &{room, level, counted, order_address};

`ifdef FORMAL
    // The memory answers the requests and no more. Beats and tuples of an array are counted; an arbitrary beat is
    // watched, by its number, and an arbitrary array.
    (* anyconst *) wire [FIFO_W:0] watch_ref;
    reg                past_valid = 1'b0;
    reg  [ADDR_W-1:0]  start_ref;                   // of the array being requested
    reg  [LEFT_W-1:0]  beats_ref, requested_ref;    // its beats, and those requested
    reg  [FIFO_W:0]    flying_ref, came_ref, gone_ref;
    reg  [COUNT_W-1:0] last_ref, given_ref;         // the array being output: its last tuple's number, and those output
    (* anyconst *) wire [3:0] array_ref;            // an array that is watched, by its number
    reg  [COUNT_W-1:0] count_ref;                   // its tuples, its tag, and that of the array being output
    reg  [TAG_W-1:0]   tag_ref, going_ref;
    reg  [3:0]         taken_ref, begun_ref;        // arrays
    reg  [DATA_W:0]    beat_ref;
    wire [ADDR_W-1:0]  address_ref = start_ref + (requested_ref << BYTES_W);
    wire [LEFT_W-1:0]  length_ref = ar_len + 9'd1;
    wire [COUNT_W:0]   part_ref   = {1'b0, given_ref} % PER;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (request) requested_ref <= requested_ref + length_ref;
        if (order) begin
            start_ref <= order_address;
            beats_ref <= (order_count + PER - 1) / PER;
            requested_ref <= 0;
            taken_ref <= taken_ref + 1'b1;
            if (taken_ref == array_ref) {tag_ref, count_ref} <= {order_tag, order_count};
        end
        if (next && count_valid) begin
            last_ref  <= more;
            going_ref <= tag;
            begun_ref <= begun_ref + 1'b1;
        end
        flying_ref <= flying_ref + (request ? length_ref : 0) - r_valid;
        if (r_valid) came_ref <= came_ref + 1'b1;
        if (r_valid && came_ref == watch_ref) beat_ref <= {r_error, r_data};
        if (pop) gone_ref <= gone_ref + 1'b1;
        if (take) given_ref <= last_reg ? 0 : given_ref + 1'b1;
        if (rst) {flying_ref, came_ref, gone_ref, given_ref, taken_ref, begun_ref} <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst && !(r_valid && flying_ref == 0));
            assume ((order_address >> BYTES_W) << BYTES_W == order_address && order_count != 0);

            // signals are stable until accepted
            if ($past(ar_valid && !ar_ready && !rst)) assert (ar_valid && $stable({ar_addr, ar_len}));
            // a burst does not cross a multiple of BURST; bursts request the beats of an array in order, and no more
            if (ar_valid) begin
                assert (ar_len < BURST && beat_reg[BURST_W-1:0] + length_ref <= BURST);
                assert (ar_addr == address_ref);
                assert (requested_ref + length_ref <= beats_ref);
                assert (ends_reg == (requested_ref + length_ref == beats_ref));
            end
            if ($past(tuple_valid && !tuple_ready && !rst))
                reader_still: assert (tuple_valid && $stable({tuple_data, last_reg, tuple_error, tag_reg}));
            // an order is taken when the previous one has been requested, and not during halt
            if (order) assert (!$past(halt) && !ar_valid && counts_ready);
            // there is a place for every beat that arrives
            if (r_valid) assert (room);
            assert (idle == (flying_ref == 0 && state_reg == STATE_IDLE));
            // an array has as many tuples as its count, and its last tuple consumes its last beat
            if (tuple_valid) assert (last_reg == (given_ref == last_ref) && tag_reg == going_ref);
            if (take) assert (pop == (last_reg || part_ref == PER - 1));
            // the output is the input
            if (tuple_valid && gone_ref == watch_ref && came_ref - gone_ref <= (1 << FIFO_W) + 2)
                reader_data: assert (tuple_error == beat_ref[DATA_W]
                                     && tuple_data == beat_ref[part_ref*TUPLE_W +: TUPLE_W]);

            if (next && count_valid && begun_ref == array_ref)
                reader_count: assert (count_ref == more + 1'b1 && tag_ref == tag);

            // invariants for the induction
            assert (flying_reg == flying_ref && flying_reg + popped_reg <= reserved_reg);
            assert (level == reserved_reg - flying_reg - popped_reg);
            assert (reserved_reg <= 1 << FIFO_W && came_ref - gone_ref == level + beat_valid + !out_ready);
            assert (!room_reg || reserved_reg <= MOST);
            if (state_reg != STATE_IDLE) assert (to_end_reg == BURST - beat_reg[BURST_W-1:0]);
            if (ar_valid && !ends_reg) assert (len_reg == to_end_reg);
            assert (state_reg != 2'd3 && (!ar_valid || reserved_reg <= MOST));
            if (state_reg != STATE_IDLE) assert (left_reg + requested_ref == beats_ref && left_reg != 0);
            if (state_reg != STATE_IDLE) assert (left_reg <= beats_ref && beats_ref <= (1 << COUNT_W));
            if (state_reg != STATE_IDLE) assert (beat_reg == address_ref[ADDR_W-1:BYTES_W]);
            if (state_reg != STATE_IDLE) assert (start_ref[BYTES_W-1:0] == 0);
            if (state_reg == STATE_IDLE && !$past(order)) assert (!may_reg || counts_ready);
            if (ar_valid) assert (len_reg != 0 && len_reg <= BURST && len_reg <= left_reg);
            if (ar_valid) assert (ends_reg == (len_reg == left_reg));
            assert (counted == taken_ref - begun_ref && counted <= 8);
            if (inside_reg) assert (more_reg + given_ref == last_ref && given_ref <= last_ref);
            if (inside_reg) assert (last_reg == (more_reg == 0) && tag_reg == going_ref);
            else assert (given_ref == 0);
            assert (part == part_ref);
        end
        cover (past_valid && order && $past(request && ends_reg && ar_len == 0));
        cover (past_valid && take && last_reg && part_ref == 0 && tuple_error && $past(requested_ref) != 0);
        cover (past_valid && reserved_reg == 1 << FIFO_W && !tuple_ready);
    end
`endif

endmodule

`default_nettype wire
