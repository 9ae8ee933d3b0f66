// SPDX-License-Identifier: Apache-2.0
//
// ws_trades_q3_rgmii: trades_q3 on the RGMII pins of a gigabit PHY.
//
// Parameters   VENDOR  kind of input and output cells, see ws_ddr_in
//              TICK    cycles of a millisecond, see ws_trades_q3_board
// Ports        clk: RXC, in the middle of the data through the PHY's delay or the board's; clk_txc: see ws_rgmii_tx
//              arst_n, phy_rst_n: see ws_trades_q3_board
//              lights: {link of 1 Gb/s, those of ws_trades_q3_board}, 1 is on; the first is off if the PHY has no
//              in-band status
// Latency      of ws_trades_q3, and of the pins' cells
// Issue rate   of ws_trades_q3: 1 octet a cycle in and out
// Overflow     of ws_trades_q3

`default_nettype none

module ws_trades_q3_rgmii #(
    parameter [55:0] VENDOR = "GENERIC",
    parameter        TICK   = 125000
) (
    input  wire       clk,
    input  wire       clk_txc,
    input  wire       arst_n,
    output wire       phy_rst_n,

    input  wire [3:0] rgmii_rxd,
    input  wire       rgmii_rx_ctl,
    output wire       rgmii_txc,
    output wire [3:0] rgmii_txd,
    output wire       rgmii_tx_ctl,

    output wire [4:0] lights
);

    wire [7:0] gmii_rxd, gmii_txd;
    wire       gmii_rx_dv, gmii_rx_er, gmii_tx_en, gmii_tx_er;
    wire       link_up, full_duplex;
    wire [1:0] link_speed;
    wire [3:0] design_lights;

    ws_rgmii_rx #(.VENDOR(VENDOR)) pins_in (
        .clk(clk), .rgmii_rxd(rgmii_rxd), .rgmii_rx_ctl(rgmii_rx_ctl),
        .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
        .link_up(link_up), .link_speed(link_speed), .full_duplex(full_duplex)
    );

    ws_rgmii_tx #(.VENDOR(VENDOR)) pins_out (
        .clk(clk), .clk_txc(clk_txc),
        .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
        .rgmii_txc(rgmii_txc), .rgmii_txd(rgmii_txd), .rgmii_tx_ctl(rgmii_tx_ctl)
    );

    ws_trades_q3_board #(.TICK(TICK)) board (
        .clk(clk), .arst_n(arst_n), .phy_rst_n(phy_rst_n),
        .gmii_rx_ce(1'b1), .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
        .gmii_tx_ce(1'b1), .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
        .lights(design_lights)
    );

    assign lights = {link_up && full_duplex && link_speed == 2'd2, design_lights};

endmodule

`default_nettype wire
