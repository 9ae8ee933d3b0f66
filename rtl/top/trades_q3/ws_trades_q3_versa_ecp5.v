// SPDX-License-Identifier: Apache-2.0
//
// ws_trades_q3_versa_ecp5: trades_q3 on the Lattice ECP5 Versa board, port 1 of its two.
//
// The PHY, an 88E1512, delays both clocks; after a reset its delays are enabled. Lights are on when the pin is low.
//
// Latency      of ws_trades_q3_rgmii

`default_nettype none

module ws_trades_q3_versa_ecp5 (
    input  wire       rst_n,          // the button GSRN

    output wire       eth_rst_n,
    input  wire       eth_rxc,
    input  wire [3:0] eth_rxd,
    input  wire       eth_rx_ctl,
    output wire       eth_txc,
    output wire [3:0] eth_txd,
    output wire       eth_tx_ctl,

    output wire [4:0] led_n
);

    wire [4:0] lights;

    ws_trades_q3_rgmii #(.VENDOR("ECP5")) design_pins (
        .clk(eth_rxc), .clk_txc(eth_rxc), .arst_n(rst_n), .phy_rst_n(eth_rst_n),
        .rgmii_rxd(eth_rxd), .rgmii_rx_ctl(eth_rx_ctl),
        .rgmii_txc(eth_txc), .rgmii_txd(eth_txd), .rgmii_tx_ctl(eth_tx_ctl),
        .lights(lights)
    );

    assign led_n = ~lights;

endmodule

`default_nettype wire
