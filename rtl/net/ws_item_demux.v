// SPDX-License-Identifier: Apache-2.0
//
// ws_item_demux: distributes the items of several streams, which arrive in sequence, to the entries of a query.
//
// An item goes to every entry that reads its stream, in the cycle in which all of them accept it; its data and kind
// bypass this core. A START belongs to all streams and goes to all entries. Each entry answers it when everything sent
// before it has left the query. After the last answer, `restart` resets the query for one cycle, and then the next item
// follows.
//
// Parameters   N             entries, at least 1; entry 0 has bit 0 of every m_* port
//              STREAM_W      width of a stream's index in bits, at least 1
//              STREAMS       index of the stream that each entry reads, entry 0 in the low bits
//              RESET_CYCLES  least distance from `restart` to the next item in cycles, at least 1
// Ports        s_kind        0 tuple, 1 a sender's punctuation, 2 START, for which s_stream is ignored
//              m_ready       a register of each entry
//              restarted     an entry has reached a START: its m_restart
// Latency      0 cycles from s to m; `restart` is output one cycle after the last `restarted`
// Issue rate   1 item a cycle
// Overflow     an entry that does not accept its item stalls all later items
// Bad input    an item of a stream that no entry reads is dropped: evt_unread
// Outputs      s_ready, m_valid and evt_unread are combinational functions of registers and inputs
// Source       ours, docs/queries.md; R. Mueller, dissertation ETH 19163 (2010), section 7.4.3

`default_nettype none

module ws_item_demux #(
    parameter                  N            = 2,
    parameter                  STREAM_W     = 1,
    parameter [N*STREAM_W-1:0] STREAMS      = 2'b10,
    parameter                  RESET_CYCLES = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_valid,
    output wire                s_ready,
    input  wire [1:0]          s_kind,
    input  wire [STREAM_W-1:0] s_stream,

    output wire [N-1:0]        m_valid,
    input  wire [N-1:0]        m_ready,

    input  wire [N-1:0]        restarted,
    output reg                 restart,
    output wire                evt_unread
);

    localparam [1:0] KIND_START = 2'd2;
    localparam       COUNT_W    = $clog2(RESET_CYCLES + 1);

    initial if (N < 1 || STREAM_W < 1 || RESET_CYCLES < 1) begin
        $display("ERROR: %m: N = %0d, STREAM_W = %0d, RESET_CYCLES = %0d: must be at least 1", N, STREAM_W, RESET_CYCLES);
        $finish;
    end

    reg  [N-1:0]       waits_reg;               // entries that have not reached the START
    reg  [COUNT_W-1:0] left_reg;                // cycles until the next item may be sent
    wire               start = s_kind == KIND_START;
    wire               may   = waits_reg == 0 && !restart && left_reg == 0;
    wire [N-1:0]       reads;

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : gen_reads
            assign reads[i] = start || s_stream == STREAMS[i*STREAM_W +: STREAM_W];
        end
    endgenerate

    assign s_ready    = may && !(|(reads & ~m_ready));
    assign m_valid    = {N{s_valid && s_ready}} & reads;
    assign evt_unread = s_valid && s_ready && reads == 0;

    always @(posedge clk) begin
        waits_reg <= s_valid && s_ready && start ? {N{1'b1}} : waits_reg & ~restarted;
        restart   <= |waits_reg && !(|(waits_reg & ~restarted));
        if (restart) left_reg <= RESET_CYCLES[COUNT_W-1:0] - 1'b1;
        else if (left_reg != 0) left_reg <= left_reg - 1'b1;
        if (rst) begin
            waits_reg <= {N{1'b0}};
            restart   <= 1'b0;
            left_reg  <= {COUNT_W{1'b0}};
        end
    end

`ifdef FORMAL
    // One arbitrary entry is watched; it answers every START once, at any later time.
    (* anyconst *) wire [$clog2(N+1)-1:0] watch_ref;
    reg     past_valid = 1'b0;
    reg     rst_ref, owes_ref, begun_ref;       // the entry owes an answer; restart is pending
    integer since_ref;                          // cycles since restart, up to RESET_CYCLES
    wire    mine  = s_stream == STREAMS[watch_ref*STREAM_W +: STREAM_W];
    wire    taken = s_valid && s_ready;

    always @(posedge clk) begin
        assume (watch_ref < N);
        past_valid <= 1'b1;
        rst_ref    <= rst;
        owes_ref   <= !rst && (m_valid[watch_ref] && start || owes_ref && !restarted[watch_ref]);
        begun_ref  <= !rst && (taken && start || begun_ref && !restart);
        since_ref  <= rst ? RESET_CYCLES : restart ? 1 : since_ref + (since_ref < RESET_CYCLES);
        if (!past_valid) assume (rst);
        else begin
            assume (owes_ref || !restarted[watch_ref]);
            // an item goes to every entry that reads it, all of which accept it, or to none
            assert (m_valid[watch_ref] == (taken && (start || mine)));
            if (m_valid[watch_ref]) assert (m_ready[watch_ref]);
            if (evt_unread) assert (taken && !start && !mine);
            // nothing is sent after a START until all have answered, and RESET_CYCLES have passed since the reset of
            // the query
            if (taken) assert (!begun_ref && !owes_ref && !restart && since_ref >= RESET_CYCLES);
            if (restart) assert (begun_ref && !owes_ref);
            // and the restart follows as soon as no entry owes an answer
            assert (owes_ref == waits_reg[watch_ref]);
            assert (begun_ref == (waits_reg != 0 || restart));
            if (waits_reg == 0 && !restart) assert (left_reg == (since_ref < RESET_CYCLES ? RESET_CYCLES - since_ref : 0));
            if (restart) assert (left_reg == 0 && waits_reg == 0);
            if (waits_reg != 0) assert (left_reg == 0);
        end
        cover (past_valid && restart && !rst_ref);
        cover (past_valid && evt_unread);
        cover (past_valid && taken && !start && since_ref == RESET_CYCLES && $past(begun_ref, RESET_CYCLES));
    end
`endif

endmodule

`default_nettype wire
