// SPDX-License-Identifier: Apache-2.0
//
// ws_rgmii_tx: GMII signals to RGMII transmit pins, 1 Gb/s.
//
// The low nibble of an octet and tx_en are sent in the first half of the cycle, the high nibble and tx_en ^ tx_er in
// the second. The pin TXC follows clk_txc: clk itself if the PHY or the board delays it, else clk delayed by a quarter
// of a cycle, so that its edges are in the middle of the data.
//
// Parameters   VENDOR   kind of output cells, see ws_ddr_out
// Latency      that of ws_ddr_out
// Issue rate   1 octet a cycle of clk, 125 MHz; 10 and 100 Mb/s are not supported
// Overflow     cannot happen
// Source       RGMII specification 2.0, section 3.3

`default_nettype none

module ws_rgmii_tx #(
    parameter [55:0] VENDOR = "GENERIC"
) (
    input  wire       clk,
    input  wire       clk_txc,

    input  wire [7:0] gmii_txd,
    input  wire       gmii_tx_en,
    input  wire       gmii_tx_er,

    output wire       rgmii_txc,
    output wire [3:0] rgmii_txd,
    output wire       rgmii_tx_ctl
);

    ws_ddr_out #(
        .DATA_W(5),
        .VENDOR(VENDOR)
    ) data (
        .clk(clk),
        .d_rise({gmii_tx_en, gmii_txd[3:0]}),
        .d_fall({gmii_tx_en ^ gmii_tx_er, gmii_txd[7:4]}),
        .pins({rgmii_tx_ctl, rgmii_txd})
    );

    ws_ddr_out #(
        .DATA_W(1),
        .VENDOR(VENDOR)
    ) clock (
        .clk(clk_txc),
        .d_rise(1'b1),
        .d_fall(1'b0),
        .pins(rgmii_txc)
    );

endmodule

`default_nettype wire
