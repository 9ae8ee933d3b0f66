// SPDX-License-Identifier: Apache-2.0
//
// ws_rgmii_rx: RGMII receive pins to GMII signals, 1 Gb/s.
//
// The low nibble of an octet and rx_dv arrive with the rising edge, the high nibble and rx_dv ^ rx_er with the falling.
// Between frames (neither rx_dv nor rx_er) a PHY with in-band status shows link (bit 0), speed (2:1; 2 is 1 Gb/s) and
// duplex (bit 3) on the nibbles of both edges. link_up, link_speed and full_duplex hold the latest status of which both
// nibbles were equal; they are undefined until then, and meaningless if the PHY sends no in-band status.
//
// Parameters   VENDOR   kind of input cells, see ws_ddr_in
// Latency      that of ws_ddr_in; the status 1 cycle more
// Issue rate   1 octet a cycle of clk, which is the pin RXC (delayed by 1.5 to 2 ns, by the PHY, the board or the chip)
// Overflow     cannot happen
// Bad input    At 10 and 100 Mb/s a nibble lasts a cycle and appears at both edges. No octet is then a start frame
//              delimiter (it would be DD), so that ws_mac_gmii_rx counts such a frame as evt_no_preamble and drops it
// Source       RGMII specification 2.0, sections 3.3 and 3.4

`default_nettype none

module ws_rgmii_rx #(
    parameter [55:0] VENDOR = "GENERIC"
) (
    input  wire       clk,

    input  wire [3:0] rgmii_rxd,
    input  wire       rgmii_rx_ctl,

    output wire [7:0] gmii_rxd,
    output wire       gmii_rx_dv,
    output wire       gmii_rx_er,

    output reg        link_up,
    output reg  [1:0] link_speed,
    output reg        full_duplex
);

    wire ctl_fall;

    ws_ddr_in #(
        .DATA_W(5),
        .VENDOR(VENDOR)
    ) data (
        .clk(clk),
        .pins({rgmii_rx_ctl, rgmii_rxd}),
        .q_rise({gmii_rx_dv, gmii_rxd[3:0]}),
        .q_fall({ctl_fall, gmii_rxd[7:4]})
    );

    assign gmii_rx_er = gmii_rx_dv ^ ctl_fall;

    // In-band status
    always @(posedge clk)
        if (!gmii_rx_dv && !gmii_rx_er && gmii_rxd[3:0] == gmii_rxd[7:4])
            {full_duplex, link_speed, link_up} <= gmii_rxd[3:0];

endmodule

`default_nettype wire
