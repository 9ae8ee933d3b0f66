// SPDX-License-Identifier: Apache-2.0
//
// ws_axis_async_fifo: AXI4-Stream packets from one clock to another.
//
// A reset of either side empties the FIFO (see ws_async_fifo) and truncates the packets in flight. None of them can be
// mistaken for a good one: if the read side has delivered the beginning of a packet, it ends the packet with one more
// beat, with tuser[0] = 1, tkeep = 1 and tdata 0; if the write side has not accepted the end of a packet, it accepts
// and drops beats up to its tlast, and all that arrive while the FIFO is emptied. s_rst must reset the source too, so
// that the source then begins a packet.
//
// With a MAC that cannot wait: after its receive side, this FIFO alone is enough if the sink accepts a beat in every
// cycle and rd_clk is not slower than wr_clk; otherwise put a ws_frame_fifo before it, on wr_clk. Before its transmit
// side, put a ws_frame_fifo with WAIT = 1 after it, on rd_clk, so that no frame begins before all of it has arrived.
//
// Parameters   DATA_W       width of tdata in bits, 8 or 64
//              USER_W       width of tuser in bits, at least 1
//              ADDR_W       the FIFO holds 2**ADDR_W beats, 2 to 24
//              SYNC_STAGES  flip-flops of a synchroniser, see ws_async_fifo
//              STYLE        kind of memory, see ws_async_fifo
// Latency      SYNC_STAGES + 1 edges of m_clk, see ws_async_fifo
// Issue rate   1 beat a cycle of the slower clock, see ws_async_fifo
// Overflow     cannot happen: s_axis_tready falls while the FIFO is full
// Bad input    a source that ignores s_axis_tready loses beats unnoticed while the FIFO is full

`default_nettype none

module ws_axis_async_fifo #(
    parameter DATA_W      = 8,
    parameter USER_W      = 1,
    parameter ADDR_W      = 4,
    parameter SYNC_STAGES = 2,
    parameter STYLE       = "auto"
) (
    input  wire                s_clk,
    input  wire                s_rst,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire [USER_W-1:0]   s_axis_tuser,

    input  wire                m_clk,
    input  wire                m_rst,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire [USER_W-1:0]   m_axis_tuser
);

    localparam KEEP_W = DATA_W / 8;
    localparam BEAT_W = DATA_W + KEEP_W + 1 + USER_W;

    initial if ((DATA_W != 8 && DATA_W != 64) || USER_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), USER_W = %0d (at least 1)", DATA_W, USER_W);
        $finish;
    end

    // ---- write side

    reg  s_inside_reg;               // in a packet
    reg  skip_reg;                   // in a packet that lost a beat
    wire s_clearing, fifo_ready;
    wire drop     = s_clearing || skip_reg;
    wire s_taken  = s_axis_tvalid && s_axis_tready;
    wire s_inside = s_taken ? !s_axis_tlast : s_inside_reg;

    assign s_axis_tready = drop || fifo_ready;

    always @(posedge s_clk) begin
        s_inside_reg <= s_inside;
        if (drop) skip_reg <= s_inside;
        if (s_rst) begin
            s_inside_reg <= 1'b0;
            skip_reg     <= 1'b0;
        end
    end

    // ---- read side

    wire              m_clearing, fifo_valid;
    wire [DATA_W-1:0] fifo_data;
    wire [KEEP_W-1:0] fifo_keep;
    wire              fifo_last;
    wire [USER_W-1:0] fifo_user;
    reg               m_inside_reg;              // in a packet
    reg               cleared_reg;               // the FIFO output is not of the packet on m_axis
    reg               cut_reg;                   // the beat on m_axis ends a truncated packet
    reg  [USER_W-1:0] user_reg;                  // metadata of the packet; bit 0 is high, for that beat
    wire              m_taken  = m_axis_tvalid && m_axis_tready;
    wire              m_inside = m_taken ? !m_axis_tlast : m_inside_reg;
    wire              old_gone = !fifo_valid || m_axis_tready;

    assign m_axis_tvalid = fifo_valid || cut_reg;
    assign m_axis_tdata  = cut_reg ? {DATA_W{1'b0}} : fifo_data;
    assign m_axis_tkeep  = cut_reg ? {{KEEP_W-1{1'b0}}, 1'b1} : fifo_keep;
    assign m_axis_tlast  = cut_reg || fifo_last;
    assign m_axis_tuser  = cut_reg ? user_reg : fifo_user;

    always @(posedge m_clk) begin
        m_inside_reg <= m_inside;
        if (fifo_valid && !cut_reg) user_reg <= fifo_user | {{USER_W-1{1'b0}}, 1'b1};
        if (cut_reg) cut_reg <= !m_axis_tready;
        else if (cleared_reg && old_gone) begin
            cut_reg     <= m_inside;
            cleared_reg <= 1'b0;
        end
        if (m_clearing) cleared_reg <= 1'b1;
        if (m_rst) begin
            m_inside_reg <= 1'b0;
            cleared_reg  <= 1'b0;
            cut_reg      <= 1'b0;
        end
    end

    ws_async_fifo #(
        .DATA_W(BEAT_W),
        .ADDR_W(ADDR_W),
        .SYNC_STAGES(SYNC_STAGES),
        .STYLE(STYLE)
    ) fifo (
        .wr_clk(s_clk),
        .wr_rst(s_rst),
        .s_valid(s_axis_tvalid && !drop),
        .s_ready(fifo_ready),
        .s_data({s_axis_tuser, s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
        .wr_clearing(s_clearing),
        .rd_clk(m_clk),
        .rd_rst(m_rst),
        .m_valid(fifo_valid),
        .m_ready(m_axis_tready && !cut_reg),
        .m_data({fifo_user, fifo_last, fifo_keep, fifo_data}),
        .rd_clearing(m_clearing)
    );

`ifdef FORMAL
    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .ASSUME(1)) s_rules (
        .clk(s_clk), .rst(s_rst),
        .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tvalid(s_axis_tvalid), .tready(s_axis_tready),
        .tlast(s_axis_tlast), .tuser(s_axis_tuser)
    );
    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .PACKETS(1)) m_rules (
        .clk(m_clk), .rst(m_rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );

    // A packet whose first beat was held back is truncated.
    reg m_reset_ref = 1'b0;

    always @(posedge m_clk) begin
        m_reset_ref <= 1'b1;
        cover (m_reset_ref && cut_reg && $past(fifo_valid && !m_axis_tready, 2));
    end
`endif

endmodule

`default_nettype wire
