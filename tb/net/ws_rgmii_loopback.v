// SPDX-License-Identifier: Apache-2.0
//
// ws_rgmii_loopback: RGMII receive pins to RGMII transmit pins, on two clocks; a bench.
//
// Receive MAC on rx_clk, clock crossing, whole good frames (ws_frame_fifo), transmit MAC on clk.

`default_nettype none

module ws_rgmii_loopback (
    input  wire       rx_clk,
    input  wire       rx_rst,
    input  wire       clk,
    input  wire       clk_txc,
    input  wire       rst,

    input  wire [3:0] rgmii_rxd,
    input  wire       rgmii_rx_ctl,
    output wire       rgmii_txc,
    output wire [3:0] rgmii_txd,
    output wire       rgmii_tx_ctl,

    output wire       link_up,
    output wire [1:0] link_speed,
    output wire       full_duplex,
    output wire       rx_no_preamble
);

    wire [7:0] rxd, rx_data, data, out_data, txd;
    wire       rx_dv, rx_er, rx_valid, rx_last, rx_bad, rx_keep;
    wire       valid, last, bad, keep, ready, out_valid, out_ready, out_last, out_keep, out_user, tx_en, tx_er;

    ws_rgmii_rx rgmii_rx (
        .clk(rx_clk),
        .rgmii_rxd(rgmii_rxd), .rgmii_rx_ctl(rgmii_rx_ctl),
        .gmii_rxd(rxd), .gmii_rx_dv(rx_dv), .gmii_rx_er(rx_er),
        .link_up(link_up), .link_speed(link_speed), .full_duplex(full_duplex)
    );

    ws_mac_gmii_rx mac_rx (
        .clk(rx_clk), .rst(rx_rst),
        .gmii_rx_ce(1'b1), .gmii_rxd(rxd), .gmii_rx_dv(rx_dv), .gmii_rx_er(rx_er),
        .m_axis_tdata(rx_data), .m_axis_tkeep(rx_keep), .m_axis_tvalid(rx_valid),
        .m_axis_tlast(rx_last), .m_axis_tuser(rx_bad),
        .evt_good(), .evt_no_preamble(rx_no_preamble), .evt_rx_error(), .evt_oversize(), .evt_runt(), .evt_bad_fcs()
    );

    ws_axis_async_fifo crossing (
        .s_clk(rx_clk), .s_rst(rx_rst),
        .s_axis_tdata(rx_data), .s_axis_tkeep(rx_keep), .s_axis_tvalid(rx_valid), .s_axis_tready(),
        .s_axis_tlast(rx_last), .s_axis_tuser(rx_bad),
        .m_clk(clk), .m_rst(rst),
        .m_axis_tdata(data), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready),
        .m_axis_tlast(last), .m_axis_tuser(bad)
    );

    ws_frame_fifo #(.ADDR_W(12)) frames (
        .clk(clk), .rst(rst),
        .s_axis_tdata(data), .s_axis_tkeep(keep), .s_axis_tvalid(valid), .s_axis_tready(ready),
        .s_axis_tlast(last), .s_axis_tuser(bad),
        .m_axis_tdata(out_data), .m_axis_tkeep(out_keep), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready),
        .m_axis_tlast(out_last), .m_axis_tuser(out_user),
        .evt_good(), .evt_bad(), .evt_oversize(), .evt_full()
    );

    ws_mac_gmii_tx mac_tx (
        .clk(clk), .rst(rst),
        .s_axis_tdata(out_data), .s_axis_tkeep(out_keep), .s_axis_tvalid(out_valid), .s_axis_tready(out_ready),
        .s_axis_tlast(out_last), .s_axis_tuser(out_user),
        .gmii_tx_ce(1'b1), .gmii_txd(txd), .gmii_tx_en(tx_en), .gmii_tx_er(tx_er),
        .evt_good(), .evt_bad(), .evt_underrun()
    );

    ws_rgmii_tx rgmii_tx (
        .clk(clk), .clk_txc(clk_txc),
        .gmii_txd(txd), .gmii_tx_en(tx_en), .gmii_tx_er(tx_er),
        .rgmii_txc(rgmii_txc), .rgmii_txd(rgmii_txd), .rgmii_tx_ctl(rgmii_tx_ctl)
    );

endmodule

`default_nettype wire
