// SPDX-License-Identifier: Apache-2.0
//
// ws_async_fifo: a first-in first-out queue from one clock to another, first word falling through.
//
//            wr_clk                                              rd_clk
//   s_* ──> write pointer ── Gray ──> to_rd (synchroniser) ──> compare ──> read pointer, m_valid
//      └──> ws_ram_2clk ────────────────────────────────────> its read register ──> m_data
//           s_ready <── compare <── to_wr (synchroniser) <── Gray ──┘
//
// Resets. A reset of either side, at any time, empties the FIFO: both sides stop, each learns that the other has
// stopped, the pointers return to 0, and both resume. Until then s_ready is low, and so is m_valid if the read side was
// reset. Neither an item from before the reset nor garbage is output after it. If only the write side was reset, the
// read side keeps delivering until the reset reaches it, and the item then on m_data stays until it is taken. While a
// reset is held, the FIFO stays empty. wr_clearing and rd_clearing say that a side has stopped: items before and after
// a clearing do not belong together.
//
// Parameters   DATA_W       width of an item in bits, at least 1
//              ADDR_W       the RAM holds 2**ADDR_W items, 2 to 24; one more can be on m_data
//              SYNC_STAGES  flip-flops of a synchroniser, 2 to 8
//              STYLE        kind of memory, see ws_ram_2clk
// Latency      SYNC_STAGES + 1 edges of rd_clk from the edge that takes an item in the empty FIFO to m_valid; the first
//              of them follows that of wr_clk. s_ready sees a freed place SYNC_STAGES + 1 edges of wr_clk after the
//              edge of rd_clk that reads its item. A reset takes about 2 * SYNC_STAGES + 4 cycles of each clock
// Issue rate   1 item a cycle on either side, if the FIFO holds the items of a round trip: ADDR_W = 4 is enough for
//              clocks of about the same rate and SYNC_STAGES up to 4
// Overflow     cannot happen: s_ready falls
// Bad input    none. Before the first reset the FIFO is empty if flip-flops have initial values, as in FPGAs;
//              otherwise both resets must once be high together for the cycles that a reset takes
// Constraints  constraints/cdc/async_fifo.*: the proof assumes them
// Source       C. E. Cummings, Simulation and Synthesis Techniques for Asynchronous FIFO Design, SNUG 2002 (pointers)

`default_nettype none

module ws_async_fifo #(
    parameter DATA_W      = 8,
    parameter ADDR_W      = 4,
    parameter SYNC_STAGES = 2,
    parameter STYLE       = "auto"
) (
    input  wire              wr_clk,
    input  wire              wr_rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    output wire              wr_clearing,

    input  wire              rd_clk,
    input  wire              rd_rst,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data,
    output wire              rd_clearing
);

    initial if (SYNC_STAGES < 2 || SYNC_STAGES > 8) begin
        $display("ERROR: %m: SYNC_STAGES = %0d (2 to 8)", SYNC_STAGES);
        $finish;
    end

    initial if (ADDR_W < 2 || ADDR_W > 24) begin
        $display("ERROR: %m: ADDR_W = %0d, must be 2 to 24", ADDR_W);
        $finish;
    end

    localparam PTR_W = ADDR_W + 1;   // one bit more than an address, so that equal pointers mean empty

    // The bits that cross: clear, ask and ack are the handshake of a reset, the others the pointers. They are kept,
    // since the constraints name them (the top bit of a Gray pointer would be merged with that of the binary one).
    (* keep = "true" *) reg             clear_reg, ask_reg, ack_reg;
    (* keep = "true" *) reg [PTR_W-1:0] wr_gray_reg, rd_gray_reg;
    wire             clear_seen, ask_seen, ack_seen;
    wire [PTR_W-1:0] wr_gray_seen, rd_gray_seen;

    // ---- write side

    reg              wait_reg;    // the pointers are 0; waits for the read side to resume
    reg              ready_reg;
    reg  [PTR_W-1:0] wr_ptr_reg;
    wire             write       = s_valid && s_ready && !wr_rst;
    wire [PTR_W-1:0] wr_ptr_next = wr_ptr_reg + {{ADDR_W{1'b0}}, write};
    wire [PTR_W-1:0] wr_gray_next = wr_ptr_next ^ (wr_ptr_next >> 1);
    // 2**ADDR_W apart: in Gray code, the two upper bits differ
    wire             full_next   = wr_gray_next == {~rd_gray_seen[PTR_W-1:PTR_W-2], rd_gray_seen[PTR_W-3:0]};

    // not clearing in the next cycle: ready rises together with the end of a clearing
    wire             goes_on     = !wr_rst && !clear_reg && !(wait_reg ? ack_seen : ask_seen);

    assign s_ready     = ready_reg;
    assign wr_clearing = clear_reg || wait_reg;

    initial begin
        clear_reg   = 1'b0;
        wait_reg    = 1'b0;
        ready_reg   = 1'b0;
        wr_ptr_reg  = {PTR_W{1'b0}};
        wr_gray_reg = {PTR_W{1'b0}};
    end

    // Reset, write side: clear until the read side acknowledges, then wait until it withdraws the acknowledgement.
    always @(posedge wr_clk) begin
        if (clear_reg) begin
            clear_reg <= !ack_seen || wr_rst;
            wait_reg  <= ack_seen && !wr_rst;
        end else if (wait_reg) wait_reg <= ack_seen || wr_rst;
        else clear_reg <= wr_rst || ask_seen;
    end

    // Write pointer
    always @(posedge wr_clk) begin
        wr_ptr_reg  <= wr_ptr_next;
        wr_gray_reg <= wr_gray_next;
        ready_reg   <= !full_next && goes_on;
        if (clear_reg && ack_seen) begin
            wr_ptr_reg  <= {PTR_W{1'b0}};
            wr_gray_reg <= {PTR_W{1'b0}};
        end
    end

    // ---- read side

    reg              valid_reg;
    reg  [PTR_W-1:0] rd_ptr_reg;
    wire             room        = !valid_reg || m_ready;
    wire             read        = room && rd_gray_reg != wr_gray_seen && !rd_clearing && !rd_rst;
    wire [PTR_W-1:0] rd_ptr_next = rd_ptr_reg + {{ADDR_W{1'b0}}, read};

    assign m_valid     = valid_reg;
    assign rd_clearing = ask_reg || ack_reg;

    initial begin
        ask_reg     = 1'b0;
        ack_reg     = 1'b0;
        valid_reg   = 1'b0;
        rd_ptr_reg  = {PTR_W{1'b0}};
        rd_gray_reg = {PTR_W{1'b0}};
    end

    // Reset, read side: ask the write side to clear after a reset of this side; acknowledge while it clears.
    always @(posedge rd_clk) begin
        if (ack_reg) ack_reg <= clear_seen || rd_rst;
        else if (clear_seen) begin
            ask_reg <= 1'b0;
            ack_reg <= 1'b1;
        end else if (rd_rst) ask_reg <= 1'b1;
    end

    // Read pointer, and the RAM's read register, which is the output
    always @(posedge rd_clk) begin
        rd_ptr_reg  <= rd_ptr_next;
        rd_gray_reg <= rd_ptr_next ^ (rd_ptr_next >> 1);
        if (clear_seen) begin
            rd_ptr_reg  <= {PTR_W{1'b0}};
            rd_gray_reg <= {PTR_W{1'b0}};
        end
        if (room) valid_reg <= read;
        if (rd_rst) valid_reg <= 1'b0;
    end

    // ---- the crossing

    ws_synchroniser #(
        .DATA_W(PTR_W + 1),
        .STAGES(SYNC_STAGES)
    ) to_rd (
        .clk(rd_clk),
        .d({clear_reg, wr_gray_reg}),
        .q({clear_seen, wr_gray_seen})
`ifdef FORMAL
        ,
        .formal_before({clear_before, wr_before}),
        .formal_fresh(to_rd_fresh),
        .formal_stages({clear_b, wr_b, clear_a, wr_a})
`endif
    );

    ws_synchroniser #(
        .DATA_W(PTR_W + 2),
        .STAGES(SYNC_STAGES)
    ) to_wr (
        .clk(wr_clk),
        .d({ask_reg, ack_reg, rd_gray_reg}),
        .q({ask_seen, ack_seen, rd_gray_seen})
`ifdef FORMAL
        ,
        .formal_before({ask_before, ack_before, rd_before}),
        .formal_fresh(to_wr_fresh),
        .formal_stages({ask_b, ack_b, rd_b, ask_a, ack_a, rd_a})
`endif
    );

    ws_ram_2clk #(
        .DATA_W(DATA_W),
        .ADDR_W(ADDR_W),
        .STYLE(STYLE)
    ) ram (
        .wr_clk(wr_clk),
        .wr_en(write),
        .wr_addr(wr_ptr_reg[ADDR_W-1:0]),
        .wr_data(s_data),
        .rd_clk(rd_clk),
        .rd_en(read),
        .rd_addr(rd_ptr_reg[ADDR_W-1:0]),
        .rd_data(m_data)
`ifdef FORMAL
        ,
        .watch_addr(watch_ptr[ADDR_W-1:0]),
        .watch_data(watch_word)
`endif
    );

`ifdef FORMAL
    // Two free-running clocks, whose edges fall in the same step or in different ones; each bit that crosses may do so
    // one cycle late (ws_synchroniser, with SYNC_STAGES 2). Items are numbered on each side from the last clearing; the
    // numbers wrap at twice the capacity. An arbitrary number is watched.
    (* gclk *)     wire             formal_step;
    (* anyconst *) wire [PTR_W-1:0] watch_ptr;
    wire [DATA_W-1:0] watch_word;
    wire              clear_before, clear_a, clear_b, to_rd_fresh;
    wire              ask_before, ask_a, ask_b, ack_before, ack_a, ack_b, to_wr_fresh;
    wire [PTR_W-1:0]  wr_before, wr_a, wr_b, rd_before, rd_a, rd_b;   // Gray pointers in flight, a before b

    function [PTR_W-1:0] binary(input [PTR_W-1:0] gray);
        integer i;
        begin
            binary[PTR_W-1] = gray[PTR_W-1];
            for (i = PTR_W - 2; i >= 0; i = i - 1) binary[i] = binary[i+1] ^ gray[i];
        end
    endfunction

    function one_or_none(input [PTR_W-1:0] bits);
        one_or_none = (bits & (bits - 1'b1)) == 0;
    endfunction

    reg  [PTR_W-1:0]  accepted_ref = 0, taken_ref = 0;   // items accepted, and items that have begun to leave
    reg  [DATA_W-1:0] item_ref;                          // the watched item
    reg  [DATA_W-1:0] out_ref;                           // the same when it was put on m_data
    reg               out_watched_ref = 1'b0;
    reg               wr_reset_ref = 1'b0, rd_reset_ref = 1'b0;    // this side has been reset
    reg               cleared_ref = 1'b0, again_ref = 1'b0;        // a clearing, and an item after it
    reg               past_valid = 1'b0;

    always @(posedge wr_clk) begin
        accepted_ref <= clear_reg && ack_seen ? 0 : accepted_ref + (s_valid && s_ready && !wr_rst);
        if (s_valid && s_ready && !wr_rst && accepted_ref == watch_ptr) item_ref <= s_data;
        wr_reset_ref <= wr_reset_ref || wr_rst;
    end

    always @(posedge rd_clk) begin
        taken_ref    <= clear_seen ? 0 : taken_ref + read;
        rd_reset_ref <= rd_reset_ref || rd_rst;
        cleared_ref  <= cleared_ref || ack_reg;
        again_ref    <= again_ref || (cleared_ref && read);
        if (read) begin
            out_watched_ref <= taken_ref == watch_ptr;
            out_ref         <= item_ref;
        end
    end

    // The effect of an edge: $past is the step before it.
    always @(posedge formal_step) begin
        past_valid <= 1'b1;
        if (past_valid && wr_clk && !$past(wr_clk)) begin
            if ($past(wr_rst)) assert (!s_ready && wr_clearing);
            // a source that cannot wait sees every clearing that loses an item
            if ($past(wr_clearing) && !wr_clearing) assert (s_ready);
        end
        if (past_valid && rd_clk && !$past(rd_clk)) begin
            if ($past(rd_rst)) assert (!m_valid && rd_clearing);
            // an item that is read leaves, once; stable while waiting
            else if ($past(m_valid && !m_ready)) assert (m_valid && $stable(m_data) && !$past(read));
            else assert (m_valid == $past(read));
            // nothing new until the other side is known to have stopped
            if ($past(rd_clearing)) assert (!$past(read));
        end
    end

    // Distances in the order in which the numbers travel, oldest first: what the write side knows of the read
    // pointer, the read pointer, what the read side knows of the write pointer, the write pointer.
    localparam [PTR_W-1:0] CAPACITY = 1 << ADDR_W;
    wire [PTR_W-1:0] from   = binary(rd_b);
    wire [PTR_W-1:0] d_rd_a = binary(rd_a) - from;
    wire [PTR_W-1:0] d_rd_p = (to_wr_fresh ? binary(rd_before) : rd_ptr_reg) - from;
    wire [PTR_W-1:0] d_rd   = rd_ptr_reg - from;
    wire [PTR_W-1:0] d_wr   = wr_ptr_reg - from;
    wire [PTR_W-1:0] e_wr_b = binary(wr_b) - rd_ptr_reg;
    wire [PTR_W-1:0] e_wr_a = binary(wr_a) - rd_ptr_reg;
    wire [PTR_W-1:0] e_wr_p = (to_rd_fresh ? binary(wr_before) : wr_ptr_reg) - rd_ptr_reg;
    wire [PTR_W-1:0] e_wr   = wr_ptr_reg - rd_ptr_reg;
    wire [PTR_W-1:0] place  = watch_ptr - rd_ptr_reg;

    // The handshake's bits in the order in which they act on each other: at most one change is under way.
    wire [5:0] ring = {clear_reg, clear_a, clear_b, ack_reg, ack_a, ack_b};

    always @(posedge formal_step) begin
        // the numbers are the pointers, and the Gray pointers encode them
        assert (wr_ptr_reg == accepted_ref && rd_ptr_reg == taken_ref);
        assert (wr_gray_reg == (wr_ptr_reg ^ (wr_ptr_reg >> 1)) && rd_gray_reg == (rd_ptr_reg ^ (rd_ptr_reg >> 1)));
        // Gray pointers change one bit at a time wherever the other side looks at them
        if (!rd_clearing && to_rd_fresh) assert (one_or_none(wr_gray_reg ^ wr_before));
        if (!wr_clearing && to_wr_fresh) assert (one_or_none(rd_gray_reg ^ rd_before));

        // handshake
        assert (ring == 6'b000000 || ring == 6'b100000 || ring == 6'b110000 || ring == 6'b111000 || ring == 6'b111100
             || ring == 6'b111110 || ring == 6'b111111 || ring == 6'b011111 || ring == 6'b001111 || ring == 6'b000111
             || ring == 6'b000011 || ring == 6'b000001);
        if (to_rd_fresh && clear_a == clear_reg) assert (clear_before == clear_reg);
        if (to_wr_fresh && ack_a == ack_reg) assert (ack_before == ack_reg);
        assert (!(clear_reg && wait_reg) && !(ask_reg && ack_reg));
        if (!wr_clearing) assert (ring == 6'b000000);
        // no clearing without a reset
        if (!wr_reset_ref && !rd_reset_ref) assert (ring == 0 && !wait_reg);
        if (!rd_reset_ref) assert (!ask_reg && !ask_a && !ask_b && !(to_wr_fresh && ask_before));
        if (wait_reg) assert (!clear_reg && (ring[4:0] == 0 || ring[0]));

        // never underflows
        if (!rd_clearing) assert (e_wr_b <= e_wr_a && e_wr_a <= e_wr_p && e_wr_p <= e_wr);
        // never overflows
        if (!rd_clearing || ask_reg) assert (e_wr <= CAPACITY);
        if (!wr_clearing) assert (d_rd_a <= d_rd_p && d_rd_p <= d_rd && d_rd <= d_wr && d_wr <= CAPACITY);
        if (!wr_clearing && d_wr == CAPACITY) assert (!s_ready);
        if (wr_clearing) assert (!s_ready);
        // pointers of a clearing
        if (ack_reg) assert (rd_ptr_reg == 0);
        if (wait_reg) assert (wr_ptr_reg == 0 && rd_ptr_reg == 0);
        if ((ack_a || wait_reg) && to_wr_fresh) assert (rd_before == 0);
        if (ack_b || wait_reg) assert (rd_a == 0);
        if (wait_reg && !ack_a) assert (rd_b == 0);
        if (ack_reg && !clear_a && to_rd_fresh) assert (wr_before == 0);
        if (ack_reg && !clear_b) assert (wr_a == 0);

        // nothing lost, nothing twice, order kept
        if (!ack_reg && place < e_wr) assert (watch_word == item_ref);
        if (m_valid && out_watched_ref) assert (m_data == out_ref);

        cover (s_valid && !s_ready && !wr_clearing && e_wr == CAPACITY && m_valid);
        cover (m_valid && out_watched_ref && watch_ptr == CAPACITY + 1'b1);
        cover (again_ref && m_valid);
    end
`endif

endmodule

`default_nettype wire
