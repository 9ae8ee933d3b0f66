// SPDX-License-Identifier: Apache-2.0
//
// ws_mii: MII pins of a PHY to GMII signals with clock enables, 100 and 10 Mb/s.
//
//   mii_rxd, 4 bits at mii_rx_clk ──> octets ──> async_fifo ──> gmii_rx*, an octet in each cycle with gmii_rx_ce
//   mii_txd, 4 bits at mii_tx_clk <── nibbles <── async_fifo <── gmii_tx*, one taken in each cycle with gmii_tx_ce
//
// The PHY supplies both MII clocks: 25 MHz at 100 Mb/s, 2.5 MHz at 10 Mb/s. The FIFOs' other sides run on clk. An octet
// is two nibbles, the low one first. Nibbles are paired from the start frame delimiter on, whatever part of the
// preamble was lost; an unpaired nibble at the end of a frame is dropped, as IEEE 802.3 requires.
//
// Parameters   none
// Ports        gmii_*_ce: see ws_mac_gmii_rx, ws_mac_gmii_tx. mii_tx_er: many PHYs lack this pin; an aborted frame can
//              then be recognised by its FCS alone
// Latency      3 or 4 cycles of clk to gmii_rx_ce, from one edge of mii_rx_clk after the edge that samples the second
//              nibble of an octet. From gmii_tx_ce to the pins: up to 9 octets, which the FIFO holds
// Issue rate   that of the pins; gaps between frames keep their length
// Overflow     cannot happen with clk at least as fast as the MII clocks; a slower one damages frames
// Bad input    mii_rx_er with either nibble of an octet is gmii_rx_er with the octet. If a PHY stops its clock, as
//              during its reset, its direction stops, and a reset here ends with the clock's next edges
// Source       IEEE 802.3, 22.2 (MII)

`default_nettype none

module ws_mii (
    input  wire       clk,
    input  wire       rst,

    // The PHY
    input  wire       mii_rx_clk,
    input  wire [3:0] mii_rxd,
    input  wire       mii_rx_dv,
    input  wire       mii_rx_er,
    input  wire       mii_tx_clk,
    output reg  [3:0] mii_txd,
    output reg        mii_tx_en,
    output reg        mii_tx_er,

    // The MACs
    output wire       gmii_rx_ce,
    output wire [7:0] gmii_rxd,
    output wire       gmii_rx_dv,
    output wire       gmii_rx_er,
    output wire       gmii_tx_ce,
    input  wire [7:0] gmii_txd,
    input  wire       gmii_tx_en,
    input  wire       gmii_tx_er
);

    localparam FIFO_W = 3;

    // ---- Receive: the pins, and the previous nibble

    reg  [3:0] nibble_reg, low_reg;
    reg        dv_reg, er_reg, low_er_reg;
    reg        half_reg;       // low_reg is the low half of an octet
    reg        started_reg;    // after the start frame delimiter: the pairing is known

    wire delimiter = dv_reg && !started_reg && nibble_reg == 4'hD && low_reg == 4'h5;
    wire whole     = dv_reg && (half_reg || delimiter);

    initial {dv_reg, half_reg, started_reg} = 3'd0;

    always @(posedge mii_rx_clk) begin
        {nibble_reg, dv_reg, er_reg} <= {mii_rxd, mii_rx_dv, mii_rx_er};
        {low_reg, low_er_reg}        <= {nibble_reg, er_reg};
        if (!dv_reg) low_reg <= 4'd0;    // not part of a frame
        half_reg    <= dv_reg && !whole;
        started_reg <= dv_reg && (started_reg || delimiter);
    end

    /* verilator lint_off PINCONNECTEMPTY */
    ws_async_fifo #(.DATA_W(10), .ADDR_W(FIFO_W), .STYLE("distributed")) rx (
        .wr_clk(mii_rx_clk), .wr_rst(1'b0),
        .s_valid(whole || !dv_reg), .s_ready(), .s_data({dv_reg, er_reg || low_er_reg, nibble_reg, low_reg}),
        .wr_clearing(),
        .rd_clk(clk), .rd_rst(rst),
        .m_valid(gmii_rx_ce), .m_ready(1'b1), .m_data({gmii_rx_dv, gmii_rx_er, gmii_rxd}),
        .rd_clearing()
    );

    // ---- Transmit: a nibble a cycle; nothing while the FIFO is empty, as after a reset

    wire       octet_valid, octet_en, octet_er;
    wire [7:0] octet;
    reg        high_reg;       // the high nibble is next

    initial high_reg = 1'b0;

    ws_async_fifo #(.DATA_W(10), .ADDR_W(FIFO_W), .STYLE("distributed")) tx (
        .wr_clk(clk), .wr_rst(rst),
        .s_valid(1'b1), .s_ready(gmii_tx_ce), .s_data({gmii_tx_en, gmii_tx_er, gmii_txd}),
        .wr_clearing(),
        .rd_clk(mii_tx_clk), .rd_rst(1'b0),
        .m_valid(octet_valid), .m_ready(high_reg), .m_data({octet_en, octet_er, octet}),
        .rd_clearing()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    always @(posedge mii_tx_clk) begin
        high_reg  <= octet_valid && !high_reg;
        mii_txd   <= high_reg ? octet[7:4] : octet[3:0];
        mii_tx_en <= octet_valid && octet_en;
        mii_tx_er <= octet_valid && octet_en && octet_er;
    end

endmodule

`default_nettype wire
