// SPDX-License-Identifier: Apache-2.0
//
// ws_trades_q3_nexys_video: trades_q3 on the Digilent Nexys Video.
//
// Its PHY, an RTL8211E, outputs clock and data edge-aligned and expects a quarter of a cycle between them at its
// inputs. So the design runs on RXC delayed by a quarter of a cycle, in the middle of the data, and TXC is a quarter of
// a cycle later.
//
// Latency      of ws_trades_q3_rgmii

`default_nettype none

module ws_trades_q3_nexys_video (
    input  wire       rst_n,          // the button CPU RESET

    output wire       eth_rst_n,
    input  wire       eth_rxc,
    input  wire [3:0] eth_rxd,
    input  wire       eth_rx_ctl,
    output wire       eth_txc,
    output wire [3:0] eth_txd,
    output wire       eth_tx_ctl,

    output wire [4:0] led
);

    wire feedback, feedback_clk, quarter, half, clk, clk_txc;

    MMCME2_BASE #(
        .CLKIN1_PERIOD(8.0), .CLKFBOUT_MULT_F(8.0), .DIVCLK_DIVIDE(1),
        .CLKOUT0_DIVIDE_F(8.0), .CLKOUT0_PHASE(90.0), .CLKOUT1_DIVIDE(8), .CLKOUT1_PHASE(180.0)
    ) phases (
        .CLKIN1(eth_rxc), .CLKFBIN(feedback_clk), .CLKFBOUT(feedback), .CLKOUT0(quarter), .CLKOUT1(half),
        .PWRDWN(1'b0), .RST(1'b0)
    );

    BUFG feedback_buffer (.I(feedback), .O(feedback_clk));
    BUFG clk_buffer      (.I(quarter),  .O(clk));
    BUFG clk_txc_buffer  (.I(half),     .O(clk_txc));

    ws_trades_q3_rgmii #(.VENDOR("XILINX7")) design_pins (
        .clk(clk), .clk_txc(clk_txc), .arst_n(rst_n), .phy_rst_n(eth_rst_n),
        .rgmii_rxd(eth_rxd), .rgmii_rx_ctl(eth_rx_ctl),
        .rgmii_txc(eth_txc), .rgmii_txd(eth_txd), .rgmii_tx_ctl(eth_tx_ctl),
        .lights(led)
    );

endmodule

`default_nettype wire
