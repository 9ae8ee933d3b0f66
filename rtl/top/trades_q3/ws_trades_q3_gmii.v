// SPDX-License-Identifier: Apache-2.0
//
// ws_trades_q3_gmii: trades_q3 on the GMII pins of a gigabit PHY, as on KC705 and ML605 (both have an 88E1111).
//
// Parameters   VENDOR  kind of the output cell of GTX_CLK, see ws_ddr_out
//              TICK    cycles of a millisecond, see ws_trades_q3_board
// Ports        gmii_rx_clk: 125 MHz, the clock of the whole design; gmii_gtx_clk: the same, with its rising edge in the
//              middle of the data sent
//              rst: a button; phy_rst_n and lights: see ws_trades_q3_board
// Latency      of ws_trades_q3, and a register at each pin
// Issue rate   of ws_trades_q3: 1 octet a cycle in and out
// Overflow     of ws_trades_q3

`default_nettype none

module ws_trades_q3_gmii #(
    parameter [55:0] VENDOR = "GENERIC",
    parameter        TICK   = 125000
) (
    input  wire       rst,
    output wire       phy_rst_n,

    input  wire       gmii_rx_clk,
    input  wire [7:0] gmii_rxd,
    input  wire       gmii_rx_dv,
    input  wire       gmii_rx_er,
    output wire       gmii_gtx_clk,
    output reg  [7:0] gmii_txd,
    output reg        gmii_tx_en,
    output reg        gmii_tx_er,

    output wire [3:0] lights
);

    reg  [7:0] rxd_reg;
    reg        rx_dv_reg, rx_er_reg;
    wire [7:0] txd;
    wire       tx_en, tx_er;

    always @(posedge gmii_rx_clk) begin
        {rx_dv_reg, rx_er_reg, rxd_reg}    <= {gmii_rx_dv, gmii_rx_er, gmii_rxd};
        {gmii_tx_en, gmii_tx_er, gmii_txd} <= {tx_en, tx_er, txd};
    end

    ws_ddr_out #(.DATA_W(1), .VENDOR(VENDOR)) clock_out (
        .clk(gmii_rx_clk), .d_rise(1'b0), .d_fall(1'b1), .pins(gmii_gtx_clk)
    );

    ws_trades_q3_board #(.TICK(TICK)) board (
        .clk(gmii_rx_clk), .arst_n(!rst), .phy_rst_n(phy_rst_n),
        .gmii_rx_ce(1'b1), .gmii_rxd(rxd_reg), .gmii_rx_dv(rx_dv_reg), .gmii_rx_er(rx_er_reg),
        .gmii_tx_ce(1'b1), .gmii_txd(txd), .gmii_tx_en(tx_en), .gmii_tx_er(tx_er),
        .lights(lights)
    );

endmodule

`default_nettype wire
