// SPDX-License-Identifier: Apache-2.0
//
// ws_liteeth_mac: an example, the stream of LiteEth's MAC (clock `mac_clk`) on both sides of a design on `clk`.
//
// LiteEth names a stream by valid, ready, first, last, data, last_be (one-hot: the last byte of the last beat) and
// error (a bit a byte); MACs of 10G vendors differ in names only, and mostly have no ready on receive. Neither side of
// a MAC can wait inside a frame:
//   receive   ready is not needed: ws_frame_fifo takes every beat, drops bad frames whole and counts them, then the
//             good ones cross
//   transmit  frames cross first, and ws_frame_fifo on the MAC's clock lets one begin only when it is there whole;
//             while it is full the frames behind wait
//
// Parameters   DATA_W   8 or 64 bits
//              ADDR_W   beats of each frame FIFO, 2**ADDR_W: at least the longest frame, better two
// Overflow     evt_rx_full: received while the FIFO was full. evt_*_oversize: a frame of more than 2**ADDR_W beats
// Latency      that of the frame FIFO and the crossing
// Issue rate   1 beat a cycle

`default_nettype none

module ws_liteeth_mac #(
    parameter DATA_W = 64,
    parameter ADDR_W = DATA_W == 8 ? 12 : 9
) (
    input  wire                mac_clk,
    input  wire                mac_rst,

    // from the MAC (its source)
    input  wire                source_valid,
    output wire                source_ready,
    input  wire                source_last,
    input  wire [DATA_W-1:0]   source_data,
    input  wire [DATA_W/8-1:0] source_last_be,
    input  wire [DATA_W/8-1:0] source_error,

    // to the MAC (its sink)
    output wire                sink_valid,
    input  wire                sink_ready,
    output wire                sink_first,
    output wire                sink_last,
    output wire [DATA_W-1:0]   sink_data,
    output wire [DATA_W/8-1:0] sink_last_be,
    output wire [DATA_W/8-1:0] sink_error,

    input  wire                clk,
    input  wire                rst,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire                m_axis_tuser,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tuser,

    // on mac_clk
    output wire                evt_rx_bad,
    output wire                evt_rx_full,
    output wire                evt_rx_oversize,
    output wire                evt_tx_bad,
    output wire                evt_tx_oversize
);

    localparam KEEP_W = DATA_W / 8;

    // ---- receive

    // One-hot last byte to all bytes up to it; an error in any beat makes the frame bad.
    wire [KEEP_W-1:0] rx_keep = source_last ? source_last_be | (source_last_be - 1'b1) : {KEEP_W{1'b1}};
    reg               rx_bad_reg;
    wire              rx_bad  = |source_error || rx_bad_reg;

    always @(posedge mac_clk) begin
        if (source_valid) rx_bad_reg <= rx_bad && !source_last;
        if (mac_rst) rx_bad_reg <= 1'b0;
    end

    wire [DATA_W-1:0] rx_data;
    wire [KEEP_W-1:0] rx_good_keep;
    wire              rx_valid, rx_ready, rx_last, rx_user;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_frame_fifo #(.DATA_W(DATA_W), .ADDR_W(ADDR_W)) rx_frames (
        .clk(mac_clk), .rst(mac_rst),
        .s_axis_tdata(source_data), .s_axis_tkeep(rx_keep), .s_axis_tvalid(source_valid),
        .s_axis_tready(source_ready), .s_axis_tlast(source_last), .s_axis_tuser(rx_bad),
        .m_axis_tdata(rx_data), .m_axis_tkeep(rx_good_keep), .m_axis_tvalid(rx_valid),
        .m_axis_tready(rx_ready), .m_axis_tlast(rx_last), .m_axis_tuser(rx_user),
        .evt_good(), .evt_bad(evt_rx_bad), .evt_oversize(evt_rx_oversize), .evt_full(evt_rx_full)
    );

    ws_axis_async_fifo #(.DATA_W(DATA_W)) rx_crossing (
        .s_clk(mac_clk), .s_rst(mac_rst),
        .s_axis_tdata(rx_data), .s_axis_tkeep(rx_good_keep), .s_axis_tvalid(rx_valid),
        .s_axis_tready(rx_ready), .s_axis_tlast(rx_last), .s_axis_tuser(rx_user),
        .m_clk(clk), .m_rst(rst),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser)
    );

    // ---- transmit

    wire [DATA_W-1:0] tx_data;
    wire [KEEP_W-1:0] tx_keep, tx_whole_keep;
    wire              tx_valid, tx_ready, tx_last, tx_user, tx_whole_user;

    ws_axis_async_fifo #(.DATA_W(DATA_W)) tx_crossing (
        .s_clk(clk), .s_rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .m_clk(mac_clk), .m_rst(mac_rst),
        .m_axis_tdata(tx_data), .m_axis_tkeep(tx_keep), .m_axis_tvalid(tx_valid),
        .m_axis_tready(tx_ready), .m_axis_tlast(tx_last), .m_axis_tuser(tx_user)
    );

    ws_frame_fifo #(.DATA_W(DATA_W), .ADDR_W(ADDR_W), .WAIT(1)) tx_frames (
        .clk(mac_clk), .rst(mac_rst),
        .s_axis_tdata(tx_data), .s_axis_tkeep(tx_keep), .s_axis_tvalid(tx_valid),
        .s_axis_tready(tx_ready), .s_axis_tlast(tx_last), .s_axis_tuser(tx_user),
        .m_axis_tdata(sink_data), .m_axis_tkeep(tx_whole_keep), .m_axis_tvalid(sink_valid),
        .m_axis_tready(sink_ready), .m_axis_tlast(sink_last), .m_axis_tuser(tx_whole_user),
        .evt_good(), .evt_bad(evt_tx_bad), .evt_oversize(evt_tx_oversize), .evt_full()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // The highest byte kept, in the last beat; the first beat of a frame is the one behind a last.
    reg between_reg;

    always @(posedge mac_clk) begin
        if (sink_valid && sink_ready) between_reg <= sink_last;
        if (mac_rst) between_reg <= 1'b1;
    end

    assign sink_first   = between_reg;
    assign sink_last_be = sink_last ? tx_whole_keep & ~(tx_whole_keep >> 1) : {KEEP_W{1'b0}};
    assign sink_error   = {KEEP_W{tx_whole_user}};

endmodule

`default_nettype wire
