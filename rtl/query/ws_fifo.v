// SPDX-License-Identifier: Apache-2.0
//
// ws_fifo: a queue that smooths a bursty stream: at most one item leaves every EVERY cycles.
//
// It feeds an operator whose issue rate is below 1. An item is what the tuple bus carries in a cycle: a tuple, a
// punctuation, an eos, or an eos with one of them. Items stay in order.
//
// Parameters   DATA_W   width of the tuple in bits, at least 1
//              ADDR_W   the queue holds 2**ADDR_W items, 2 to 24
//              EVERY    least distance between two items that leave, in cycles, at least 1
//              STYLE    kind of memory, see ws_ram_sdp
// Latency      at least 2 cycles; at most max(2, EVERY) + EVERY * (items held when the item arrives)
// Issue rate   1 item a cycle in, 1/EVERY out
// Overflow     an item that finds the queue full is lost as a whole; evt_lost follows a cycle later. It cannot happen
//              if, for every t, at most 2**ADDR_W + (t - 3)/EVERY items arrive in any t successive cycles; nor with
//              EVERY = 1
// Outputs      m_valid, m_punct and m_eos are gated registers
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.1

`default_nettype none

module ws_fifo #(
    parameter DATA_W = 128,
    parameter ADDR_W = 4,
    parameter EVERY  = 1,
    parameter STYLE  = "distributed"
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,

    output wire              m_valid,
    output wire              m_punct,
    output wire              m_eos,
    output wire [DATA_W-1:0] m_data,

    output wire [ADDR_W:0]   level,     // items held
    output reg               evt_lost
);

    localparam PAUSE  = EVERY - 1;
    localparam WAIT_W = EVERY > 2 ? $clog2(EVERY) : 1;

    initial if (DATA_W < 1 || EVERY < 1) begin
        $display("ERROR: %m: DATA_W = %0d, EVERY = %0d: must be at least 1", DATA_W, EVERY);
        $finish;
    end

    wire              item = s_valid || s_punct || s_eos;
    wire              ready, waiting, valid, punct, eos;
    reg  [WAIT_W-1:0] wait_reg;         // cycles until the next item may leave
    wire              may   = wait_reg == 0;
    wire              leave = waiting && may;

    ws_sync_fifo #(.DATA_W(3 + DATA_W), .ADDR_W(ADDR_W), .STYLE(STYLE)) queue (
        .clk    (clk),
        .rst    (rst),
        .s_valid(item),
        .s_ready(ready),
        .s_data ({s_valid, s_punct, s_eos, s_data}),
        .m_valid(waiting),
        .m_ready(may),
        .m_data ({valid, punct, eos, m_data}),
        .level  (level)
    );

    assign m_valid = leave && valid;
    assign m_punct = leave && punct;
    assign m_eos   = leave && eos;

    always @(posedge clk) begin
        wait_reg <= leave ? PAUSE[WAIT_W-1:0] : wait_reg - {{(WAIT_W-1){1'b0}}, !may};
        evt_lost <= item && !ready && !rst;
        if (rst) wait_reg <= {WAIT_W{1'b0}};
    end

`ifdef FORMAL
    // ws_sync_fifo has its own proof that the queue loses and reorders no item; these properties cover the rest.
    reg              past_valid = 1'b0;
    reg [WAIT_W:0]   since_ref;     // cycles since an item left, up to EVERY
    reg [ADDR_W:0]   held_ref;
    wire             comes = |{s_valid, s_punct, s_eos};
    wire             left  = |{m_valid, m_punct, m_eos};

    always @(posedge clk) begin
        past_valid <= 1'b1;
        since_ref  <= rst ? EVERY : left ? 1 : since_ref + (since_ref < EVERY);
        held_ref   <= rst ? 0 : held_ref + (comes && ready) - left;

        if (!past_valid) assume (rst);
        else begin
            assume (!(s_valid && s_punct));
            // an item leaves once, as a whole, and not early
            assert (!(m_valid && m_punct));
            assert (level == held_ref);
            if (left) assert (since_ref == EVERY && level != 0);
            // no item waits unnecessarily
            if (waiting && since_ref == EVERY) assert (left);
            // losses are reported
            assert (evt_lost == $past(comes && !ready && !rst));

            // invariants for the induction
            assert (since_ref <= EVERY && since_ref + wait_reg == EVERY);
            if (waiting) assert (valid || punct || eos);
            if (waiting) assert (!(valid && punct));
        end
        cover (past_valid && m_valid && m_eos && since_ref == EVERY && level > 2);
        cover (past_valid && evt_lost);
    end
`endif

endmodule

`default_nettype wire
