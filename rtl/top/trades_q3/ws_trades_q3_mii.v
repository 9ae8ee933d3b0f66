// SPDX-License-Identifier: Apache-2.0
//
// ws_trades_q3_mii: trades_q3 on the MII pins of a 100 Mb/s PHY, as on the Arty A7 (a DP83848J).
//
// Parameters   TICK  cycles of a millisecond, see ws_trades_q3_board
// Ports        clk: 100 MHz, the clock of everything except the pins. mii_ref_clk: a quarter of it, from which the PHY
//              generates mii_rx_clk and mii_tx_clk
//              arst_n: a button; phy_rst_n and lights: see ws_trades_q3_board
// Latency      of ws_trades_q3, and of ws_mii at the pins
// Issue rate   of ws_trades_q3, which 100 Mb/s keep busy one cycle in eight
// Overflow     of ws_trades_q3

`default_nettype none

module ws_trades_q3_mii #(
    parameter TICK = 100000
) (
    input  wire       clk,
    input  wire       arst_n,
    output wire       phy_rst_n,

    output wire       mii_ref_clk,
    input  wire       mii_rx_clk,
    input  wire [3:0] mii_rxd,
    input  wire       mii_rx_dv,
    input  wire       mii_rx_er,
    input  wire       mii_tx_clk,
    output wire [3:0] mii_txd,
    output wire       mii_tx_en,

    output wire [3:0] lights
);

    reg [1:0] quarter_reg;

    initial quarter_reg = 2'd0;

    always @(posedge clk) quarter_reg <= quarter_reg + 2'd1;

    assign mii_ref_clk = quarter_reg[1];

    wire       rx_ce, rx_dv, rx_er, tx_ce, tx_en, tx_er;
    wire [7:0] rxd, txd;
    wire       unused_tx_er;    // this PHY has no such pin

    ws_mii pins (
        .clk(clk), .rst(!phy_rst_n),
        .mii_rx_clk(mii_rx_clk), .mii_rxd(mii_rxd), .mii_rx_dv(mii_rx_dv), .mii_rx_er(mii_rx_er),
        .mii_tx_clk(mii_tx_clk), .mii_txd(mii_txd), .mii_tx_en(mii_tx_en), .mii_tx_er(unused_tx_er),
        .gmii_rx_ce(rx_ce), .gmii_rxd(rxd), .gmii_rx_dv(rx_dv), .gmii_rx_er(rx_er),
        .gmii_tx_ce(tx_ce), .gmii_txd(txd), .gmii_tx_en(tx_en), .gmii_tx_er(tx_er)
    );

    ws_trades_q3_board #(.TICK(TICK)) board (
        .clk(clk), .arst_n(arst_n), .phy_rst_n(phy_rst_n),
        .gmii_rx_ce(rx_ce), .gmii_rxd(rxd), .gmii_rx_dv(rx_dv), .gmii_rx_er(rx_er),
        .gmii_tx_ce(tx_ce), .gmii_txd(txd), .gmii_tx_en(tx_en), .gmii_tx_er(tx_er),
        .lights(lights)
    );

    wire unused = &{1'b0, unused_tx_er};

endmodule

`default_nettype wire
