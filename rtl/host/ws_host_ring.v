// SPDX-License-Identifier: Apache-2.0
//
// ws_host_ring: writes rows into a ring of slots in the host's memory, then the head, and counts what the host may
// read.
//
// A slot goes to memory as one order of ws_axi_writer. When all responses to it have come the head moves on; when it
// has moved, and no earlier write of the head is under way, the head is written to head_address as a little-endian
// number of 64 bits, its upper half 0. `signalled` is the last head whose write has been answered. Head and tail count
// slots since the ring was started, modulo 2**32; the host has read the slots before the tail.
//
//   s ──▶ slot ──▶ order, m ──▶ (ws_axi_writer) ──▶ done ──▶ head ──▶ order, m ──▶ done ──▶ signalled
//
// Parameters   SLOT     bytes of a slot, a power of two, 16 to 4096
//              DATA_W   width of the memory port in bits, a power of two, 64 to 1024
//              ADDR_W   width of a byte address in bits, 13 to 64
// Ports        ring_address, slots, head_address   of the ring: whole 4 KB, a power of two of at least 2, a multiple of
//                         8. They and write_head are constant while the ring is running, and 2 cycles before its start
//              write_head the head is written to memory; otherwise `signalled` follows the head 1 cycle later
//              start      starts an empty ring, only while none is running; bad_ring: it is invalid, and none runs
//              enable     slots may be written; otherwise those begun are completed
//              stop       as if not enabled; when `idle`, clear ends the ring and sets head and tail to 0
//              idle       nothing is in flight: all slots and the head have been written, as far as the memory takes
//                         them
//              tail_valid the host moves the tail to tail_value; at least 3 cycles from one to the next. bad_tail: it
//                         is not between tail and head, and nothing changes
//              full       a row waits for the host to move the tail
//              failed     the memory has answered a write with an error: no slot is begun until `clear`
//              lost       slots written without a head past them because the ring failed, since the reset
//              s_data     the slot, its first byte in the low bits
//              order_*, m_*, done*  to ws_axi_writer; tag 0 is a slot, 1 the head
// Latency      1 cycle from s_valid to order_valid and the slot's first beat. From its done to head 1, to the order for
//              the head 3; from that one's done to signalled 1
// Issue rate   a slot every 4 cycles, or as long as its beats take if that is more
// Overflow     a full ring stalls; nothing is lost
// Bad input    see bad_ring, bad_tail. An error of the memory stops the ring: slots before the first that failed are
//              valid, and are in `head`; that one and those begun after it are counted in `lost`. If the head failed,
//              it is no longer written to memory
// Source       ours

`default_nettype none

module ws_host_ring #(
    parameter SLOT   = 32,
    parameter DATA_W = 128,
    parameter ADDR_W = 32
) (
    input  wire              clk,
    input  wire              rst,

    input  wire [ADDR_W-1:0] ring_address,
    input  wire [31:0]       slots,
    input  wire [ADDR_W-1:0] head_address,
    input  wire              write_head,
    input  wire              start,
    input  wire              enable,
    input  wire              stop,
    input  wire              clear,
    output wire              running,
    output wire              idle,
    output reg               bad_ring,

    input  wire              tail_valid,
    input  wire [31:0]       tail_value,
    output reg               bad_tail,
    output reg  [31:0]       tail,
    output reg  [31:0]       head,
    output reg  [31:0]       signalled,
    output wire              full,
    output wire              failed,
    output reg  [31:0]       lost,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [SLOT*8-1:0] s_data,

    output wire              order_valid,
    input  wire              order_ready,
    output wire [ADDR_W-1:0] order_address,
    output wire [15:0]       order_bytes,
    output wire              order_tag,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data,

    input  wire              done,
    input  wire [1:0]        done_error,
    input  wire              done_tag
);

    localparam SLOT_W  = $clog2(SLOT);

    initial if (SLOT < 16 || SLOT > 4096 || SLOT != 1 << SLOT_W || DATA_W < 64 || DATA_W > 1024
                || DATA_W != 1 << $clog2(DATA_W) || ADDR_W < 13 || ADDR_W > 64) begin
        $display("ERROR: %m: SLOT = %0d (a power of two, 16 to 4096), DATA_W = %0d (a power of two, 64 to 1024), ",
                 SLOT, DATA_W, "ADDR_W = %0d (13 to 64)", ADDR_W);
        $finish;
    end

    localparam BEATS   = SLOT * 8 > DATA_W ? SLOT * 8 / DATA_W : 1;
    localparam BEATS_W = $clog2(BEATS + 1);
    localparam WORD_W  = BEATS * DATA_W;            // of the beats of a slot; a narrow slot is in every lane
    localparam SUM_W   = (ADDR_W > 44 ? ADDR_W : 44) + 1;
    localparam [31:0] ALL = BEATS, ONE = 1, HEAD_BYTES = 8, SLOT_BYTES = SLOT;

    // ---- The ring's registers: whether they are valid, in 2 cycles

    reg  [SUM_W-1:0] bytes_reg, end_reg, offset_reg;
    reg              crooked_reg, bad_reg;
    wire             aligned = ring_address[11:0] == 0 && (!write_head || head_address[2:0] == 0);
    wire             power   = slots > 1 && (slots & (slots - 1'b1)) == 0;
    wire [SUM_W-1:0] begin_ring = {{(SUM_W-ADDR_W){1'b0}}, ring_address};
    wire [SUM_W-1:0] bytes   = {{(SUM_W-32){1'b0}}, slots} << SLOT_W;
    wire [ADDR_W-1:0] offset = head_address - ring_address;     // beyond the ring if it is before it
    wire             inside  = write_head && offset_reg < bytes_reg;
    wire             beyond  = |(end_reg >> ADDR_W) && (end_reg != {{(SUM_W-1){1'b0}}, 1'b1} << ADDR_W);

    always @(posedge clk) begin
        crooked_reg <= !aligned || !power;
        bytes_reg   <= bytes;
        end_reg     <= begin_ring + bytes;
        offset_reg  <= {{(SUM_W-ADDR_W){1'b0}}, offset};
        bad_reg     <= crooked_reg || inside || beyond;
    end

    // ---- What is written next: the head if it is due, otherwise a slot if there is one and room for it

    reg               running_reg;
    reg               slot_bad_reg, head_bad_reg;   // the memory has answered a slot, a head, with an error
    reg  [31:0]       next_reg, used_reg;           // slots begun; of those, what the host has not read
    reg               room_reg;
    reg  [1:0]        wait_reg;                     // room_reg and place_reg do not know the last slot yet
    reg  [ADDR_W-1:0] place_reg;                    // of the next slot
    reg  [31:0]       sent_reg;                     // the last head written
    reg               due_reg, flying_reg;          // the head is to be written; it is being written
    reg               order_reg, tag_reg;
    reg  [ADDR_W-1:0] address_reg;
    reg  [BEATS_W-1:0] left_reg;                    // beats
    reg  [WORD_W-1:0] word_reg;
    reg  [9:0]        open_reg;                     // orders that are not done
    reg               idle_reg;
    wire              free      = (!order_reg || order_ready) && (left_reg == 0 || (left_reg == 1 && m_ready));
    wire              load_head = free && due_reg;
    wire              may       = running_reg && enable && !stop && !failed && wait_reg == 0;
    wire              load      = s_valid && s_ready;
    wire              order     = order_valid && order_ready;
    wire [31:0]       place     = next_reg & (slots - 1'b1);
    wire [SUM_W-1:0]  distance  = {{(SUM_W-32){1'b0}}, place} << SLOT_W;

    assign running       = running_reg;
    assign failed        = slot_bad_reg || head_bad_reg;
    assign s_ready       = may && room_reg && free && !due_reg;
    assign full          = s_valid && may && !room_reg;
    assign order_valid   = order_reg;
    assign order_address = address_reg;
    assign order_bytes   = tag_reg ? HEAD_BYTES[15:0] : SLOT_BYTES[15:0];
    assign order_tag     = tag_reg;
    assign m_valid       = left_reg != 0;
    assign m_data        = word_reg[DATA_W-1:0];
    assign idle          = idle_reg;

    always @(posedge clk) begin
        idle_reg  <= !order_reg && left_reg == 0 && open_reg == 0 && !due_reg && !load
                  && (head_bad_reg || !write_head || head == sent_reg);
        used_reg  <= next_reg - tail;
        room_reg  <= used_reg < slots;
        place_reg <= ring_address + distance[ADDR_W-1:0];
        wait_reg  <= {1'b0, wait_reg[1]};
        due_reg   <= write_head && head != sent_reg && !flying_reg && !head_bad_reg && !load_head;
        open_reg  <= open_reg + {9'd0, order} - {9'd0, done};
        if (order_ready) order_reg <= 1'b0;
        if (m_valid && m_ready) begin
            left_reg <= left_reg - 1'b1;
            word_reg <= word_reg >> DATA_W;
        end
        if (load) begin
            next_reg <= next_reg + 1'b1;
            wait_reg <= 2'b11;
        end
        if (load_head) sent_reg <= head;
        if (load || load_head) begin
            order_reg   <= 1'b1;
            tag_reg     <= load_head;
            address_reg <= load_head ? head_address : place_reg;
            left_reg    <= load_head ? ONE[BEATS_W-1:0] : ALL[BEATS_W-1:0];
            word_reg    <= load_head ? {WORD_W/64{32'd0, head}} : {WORD_W/(SLOT*8){s_data}};
        end
        if (start || clear) begin
            running_reg <= start && !bad_reg;
            next_reg    <= 32'd0;
            sent_reg    <= 32'd0;
            wait_reg    <= 2'b11;
        end
        bad_ring <= start && bad_reg;
        if (rst) begin
            running_reg <= 1'b0;
            bad_ring    <= 1'b0;
            next_reg    <= 32'd0;
            sent_reg    <= 32'd0;
            wait_reg    <= 2'b11;
            due_reg     <= 1'b0;
            order_reg   <= 1'b0;
            left_reg    <= {BEATS_W{1'b0}};
            open_reg    <= 10'd0;
            idle_reg    <= 1'b0;
        end
    end

    // ---- What has been written

    reg               counted_reg;                  // what a failure lost
    wire              error  = done_error != 2'b00;

    always @(posedge clk) begin
        if (done && error && !done_tag) slot_bad_reg <= 1'b1;
        if (done && error && done_tag) head_bad_reg <= 1'b1;
        if (done && !error && !done_tag && !slot_bad_reg) head <= head + 1'b1;
        if (done && !error && done_tag) signalled <= sent_reg;
        if (!write_head) signalled <= head;
        if (load_head) flying_reg <= 1'b1;
        if (done && done_tag) flying_reg <= 1'b0;
        if (slot_bad_reg && idle && !counted_reg) begin
            lost        <= lost + next_reg - head;
            counted_reg <= 1'b1;
        end
        if (rst || start || clear) begin
            head         <= 32'd0;
            signalled    <= 32'd0;
            slot_bad_reg <= 1'b0;
            head_bad_reg <= 1'b0;
            flying_reg   <= 1'b0;
            counted_reg  <= 1'b0;
        end
        if (rst) lost <= 32'd0;
    end

    // ---- The tail

    reg        moving_reg;
    reg [31:0] to_reg, by_reg, most_reg;

    always @(posedge clk) begin
        moving_reg <= tail_valid;
        to_reg     <= tail_value;
        by_reg     <= tail_value - tail;
        most_reg   <= head - tail;
        bad_tail   <= moving_reg && by_reg > most_reg;
        if (moving_reg && by_reg <= most_reg) tail <= to_reg;
        if (rst || start || clear) begin
            moving_reg <= 1'b0;
            tail       <= 32'd0;
        end
        if (rst) bad_tail <= 1'b0;
    end

    wire unused = &{distance};

`ifdef FORMAL
    // The writer answers the orders in turn. Rows are numbered as they are taken; what each order writes is recorded
    // when its row is taken, or the head.
    reg               past_valid = 1'b0, past_2_valid = 1'b0;
    reg  [9:0]        slots_ref, ahead_ref;         // slots ordered and not done; those before the head
    reg               head_ref;                     // the head is ordered and not done
    reg  [31:0]       number_ref, good_ref;         // rows taken, slots done before an error
    reg  [31:0]       value_ref;                    // the head being written
    reg  [31:0]       mine_ref;                     // the number of the row whose beats are here
    reg  [WORD_W-1:0] words_ref;                    // all beats of the order that is being sent
    reg               config_ref;                   // the registers did not change in the last cycle
    reg  [31:0]       lost_ref;                     // slots lost, and whether those of this ring are counted
    reg               counted_ref;
    wire              tag_due  = head_ref && ahead_ref == 0;
    wire [SUM_W-1:0]  inside_ref = {{(SUM_W-ADDR_W){1'b0}}, order_address} - begin_ring;
    wire [SUM_W-1:0]  place_ref = {{(SUM_W-32){1'b0}}, mine_ref & (slots - 1'b1)} << SLOT_W;
    wire [SUM_W-1:0]  head_ref_at = {{(SUM_W-ADDR_W){1'b0}}, head_address};
    wire [BEATS_W-1:0] sent_ref = (tag_reg ? 1 : BEATS) - left_reg;
    wire [ADDR_W-1:0] next_place = ring_address + (({{(SUM_W-32){1'b0}}, next_reg & (slots - 1'b1)}) << SLOT_W);
    wire [2*ADDR_W+32:0] config_any = {ring_address, head_address, slots, write_head};

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        past_2_valid <= past_valid;
        config_ref   <= past_valid && $stable(config_any);
        slots_ref    <= slots_ref + (order && !order_tag) - (done && !done_tag);
        if (order && order_tag) {head_ref, ahead_ref} <= {1'b1, slots_ref - (done && !done_tag)};
        else if (done && done_tag) head_ref <= 1'b0;
        else if (done && head_ref) ahead_ref <= ahead_ref - 1'b1;
        if (load) {number_ref, mine_ref} <= {number_ref + 1'b1, number_ref};
        if (load) words_ref <= {WORD_W/(SLOT*8){s_data}};
        if (load_head) words_ref <= {WORD_W/64{32'd0, head}};
        if (load_head) value_ref <= head;
        if (done && !done_tag && done_error == 0 && !slot_bad_reg) good_ref <= good_ref + 1'b1;
        if (start || clear || rst) {number_ref, good_ref, value_ref} <= 0;
        if (slot_bad_reg && idle && !counted_ref) {counted_ref, lost_ref} <= {1'b1, lost_ref + number_ref - good_ref};
        if (start || clear || rst) counted_ref <= 1'b0;
        if (rst) {slots_ref, head_ref, ahead_ref, lost_ref} <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            // the user of the core
            assume (!(running || start || $past(start)) || $stable(config_any));
            assume (!start || (config_ref && $past(config_ref) && past_2_valid && !running && !stop));
            assume (!clear || (idle && stop));
            assume (!tail_valid || !$past(tail_valid));
            assume (!(past_2_valid && tail_valid && $past(tail_valid, 2)));
            // the writer
            assume (!done || (tag_due ? done_tag : !done_tag && slots_ref != 0));
            assume (!order_ready || open_reg < 20);

            // only a slot of the ring, whole, or the word of the head is ever written
            if (order_valid && !order_tag) begin
                assert (running && order_bytes == SLOT && inside_ref == place_ref);
                assert (inside_ref + SLOT <= {{(SUM_W-32){1'b0}}, slots} << SLOT_W);
            end
            if (order_valid && order_tag) assert (order_bytes == 8 && order_address == head_address && write_head);
            if (running) begin
                assert (ring_address[11:0] == 0 && (slots & (slots - 1)) == 0 && slots > 1);
                assert (begin_ring + bytes <= {{(SUM_W-1){1'b0}}, 1'b1} << ADDR_W);
                if (write_head) assert (head_address[2:0] == 0
                                        && (head_ref_at < begin_ring || head_ref_at >= begin_ring + bytes));
            end
            // no slot that the host has not read: the head never passes the tail
            assert (next_reg - tail <= slots || !running);
            assert (head - tail <= next_reg - tail && signalled - tail <= 32'hffff_ffff);
            if (load) assert (next_reg - tail < slots && running && !failed && !stop && enable);
            if (load) assert (s_valid);
            if ($past(done && done_tag && done_error != 0 && !start && !clear && !rst)) assert (failed);
            // nothing lost, nothing twice: each row is one order, with its beats in turn, and counted when it is done
            assert (next_reg == number_ref);
            if ($past(load && !rst)) assert (order_valid && !order_tag && left_reg == BEATS);
            if ($past(load_head && !rst)) assert (order_valid && order_tag && left_reg == 1);
            if (load || load_head) assert (!(order_valid && !order_ready));
            if (load || load_head) assert (left_reg == 0 || (left_reg == 1 && m_ready));
            // the head is written when it has moved
            if ($past(write_head && head != sent_reg && !flying_reg && !head_bad_reg && !load_head && !rst))
                assert (due_reg);
            if (order_valid || m_valid) assert (tag_reg || mine_ref == next_reg - 1);
            if (m_valid) assert (m_data == words_ref[sent_ref*DATA_W +: DATA_W]);
            assert (head == good_ref && lost == lost_ref);
            if (!slot_bad_reg) assert (next_reg - head == slots_ref + (order_valid && !order_tag));
            assert (next_reg - head >= slots_ref + (order_valid && !order_tag));
            if ($past(done && done_tag && done_error == 0 && !start && !clear && !rst && write_head))
                assert (signalled == $past(value_ref));
            if ($past(bad_reg && start && !rst)) assert (bad_ring && !running);
            if (idle) assert (slots_ref == 0 && !head_ref && !order_valid && !m_valid);
            if (idle && !head_bad_reg && write_head) assert (head == value_ref);
            if ($past(head_bad_reg)) assert (!load_head);
            if (bad_tail && !$past(start || clear)) assert ($stable(tail));

            // invariants for the induction
            assert (open_reg == slots_ref + head_ref && open_reg <= 20 && slots_ref <= 20);
            assert (ahead_ref <= slots_ref || !head_ref);
            assert (flying_reg == (head_ref || (order_valid && order_tag)) && !(head_ref && order_valid && order_tag));
            assert (left_reg <= (tag_reg ? 1 : BEATS));
            if (m_valid) assert (word_reg == words_ref >> (sent_ref * DATA_W));
            assert (sent_reg == value_ref);
            if (running && wait_reg == 0) begin
                assert (place_reg == next_place);
                assert (next_reg - tail <= used_reg);
                assert (!room_reg || next_reg - tail < slots);
            end
            if (running && wait_reg == 1) assert (next_reg - tail <= used_reg || past_2_valid);
            if (moving_reg) assert (by_reg > most_reg || (head - tail >= most_reg && by_reg == to_reg - tail));
            if (!running) assert (next_reg == 0 && head == 0 && tail == 0 && sent_reg == 0 && !due_reg && !order_reg);
            if (!running) assert (left_reg == 0 && slots_ref == 0 && !head_ref && !flying_reg);
            if (due_reg) assert (running && write_head && !flying_reg);
            assert (wait_reg != 2 && counted_reg == counted_ref);
        end
        cover (past_valid && bad_ring);
        cover (past_valid && bad_tail && running);
        cover (past_valid && signalled == 1 && tail == 1 && write_head);
        cover (past_valid && full);
        cover (past_valid && failed && idle && lost == 2 && $past(lost) == 0);
    end
`endif

endmodule

`default_nettype wire
