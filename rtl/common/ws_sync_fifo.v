// SPDX-License-Identifier: Apache-2.0
//
// ws_sync_fifo: a first-in first-out queue on one clock, first word falling through.
//
// Parameters   DATA_W      width of an item in bits, at least 1
//              ADDR_W      the FIFO holds 2**ADDR_W items, 2 to 24; those in its output registers are included
//              OUTPUT_REG  0: m_data is the RAM's read register; 1: the RAM has its output register (see ws_ram_sdp)
//                          and two registers follow it
//              STYLE       kind of memory, see ws_ram_sdp
// Latency      2 + 2 * OUTPUT_REG cycles from an item's arrival in the empty FIFO to m_valid
// Issue rate   1 item a cycle in and 1 out at the same time
// Overflow     cannot happen: s_ready is low while 2**ADDR_W items are held

`default_nettype none

module ws_sync_fifo #(
    parameter DATA_W     = 8,
    parameter ADDR_W     = 4,
    parameter OUTPUT_REG = 0,
    parameter STYLE      = "auto"
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data,

    output wire [ADDR_W:0]   level      // items held
);

    wire full;
    wire accept = s_valid && s_ready;

    assign s_ready = !full;

    // A commit FIFO that always commits: its pointers and counts for uncommitted words are optimised away.
    ws_commit_fifo #(
        .DATA_W(DATA_W),
        .ADDR_W(ADDR_W),
        .OUTPUT_REG(OUTPUT_REG),
        .STYLE(STYLE)
    ) fifo (
        .clk(clk),
        .rst(rst),
        .wr_en(accept),
        .wr_data(s_data),
        .commit(1'b1),
        .rewind(1'b0),
        .full(full),
        .level(level),
        .m_valid(m_valid),
        .m_ready(m_ready),
        .m_data(m_data)
`ifdef FORMAL
        ,
        .watch_ptr(watch_ref),
        .watch_data(watch_data),
        .write_ptr(write_ptr),
        .commit_ptr(commit_ptr),
        .deliver_ptr(deliver_ptr)
`endif
    );

`ifdef FORMAL
    // Items are numbered as they are accepted, and again as they are delivered; the numbers wrap at twice the
    // capacity. An arbitrary number is watched: its item leaves unchanged.
    (* anyconst *) wire [ADDR_W:0] watch_ref;
    wire [ADDR_W:0]   write_ptr, commit_ptr, deliver_ptr;
    wire [DATA_W-1:0] watch_data;

    reg               past_valid = 1'b0;
    reg  [ADDR_W:0]   accepted_ref, delivered_ref;
    reg  [DATA_W-1:0] item_ref;
    wire [ADDR_W:0]   place = watch_ref - delivered_ref;

    always @(posedge clk) begin
        past_valid    <= 1'b1;
        accepted_ref  <= rst ? {ADDR_W+1{1'b0}} : accepted_ref + {{ADDR_W{1'b0}}, s_valid && s_ready};
        delivered_ref <= rst ? {ADDR_W+1{1'b0}} : delivered_ref + {{ADDR_W{1'b0}}, m_valid && m_ready};
        if (s_valid && s_ready && accepted_ref == watch_ref) item_ref <= s_data;

        if (!past_valid) assume (rst);
        else begin
            // nothing lost, nothing twice, order kept
            assert (level == accepted_ref - delivered_ref);
            if (m_valid) assert (level != 0);
            if (m_valid && place == 0) assert (m_data == item_ref);
            // ready as long as there is room
            assert (s_ready == (level < 1 << ADDR_W));
            // stable while waiting
            if ($past(m_valid && !m_ready && !rst)) assert (m_valid && $stable(m_data));

            // invariants for the induction: the numbers are the pointers of the FIFO inside
            assert (write_ptr == accepted_ref && commit_ptr == accepted_ref && deliver_ptr == delivered_ref);
            if (place < level) assert (watch_data == item_ref);
        end
        cover (past_valid && !s_ready && m_valid && m_ready);
        cover (past_valid && m_valid && place == 0 && accepted_ref < watch_ref);
    end
`endif

endmodule

`default_nettype wire
