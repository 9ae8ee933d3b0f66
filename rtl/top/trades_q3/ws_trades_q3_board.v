// SPDX-License-Identifier: Apache-2.0
//
// ws_trades_q3_board: trades_q3 with the parts that every board needs: reset, millisecond tick, addresses and lights.
//
// Everything runs on clk: at 1 Gb/s the receive clock of the PHY, 125 MHz once there is a link, with an octet in every
// cycle.
//
// Parameters   LOCAL_MAC   MAC address of the board
//              LOCAL_IP    IP address of the board; trades are sent there
//              NETMASK     netmask of the board
//              GATEWAY     gateway of the board; 0 is none
//              LOCAL_PORT  UDP port that trades are sent to
//              DST_IP      IP address that results are sent to
//              DST_PORT    UDP port that results are sent to
//              TICK        cycles of a millisecond, at least 2
// Ports        arst_n: a button; its release is synchronised to clk. phy_rst_n: low for 20 ms after it
//              lights: {results sent, frames received, a heartbeat of 1 Hz, out of reset}; an event shows for 65 ms
// Latency      of ws_trades_q3
// Issue rate   of ws_trades_q3: 1 octet a cycle in and out
// Overflow     of ws_trades_q3

`default_nettype none

module ws_trades_q3_board #(
    parameter [47:0] LOCAL_MAC  = 48'h02_00_00_00_00_01,
    parameter [31:0] LOCAL_IP   = {8'd192, 8'd168, 8'd1, 8'd10},
    parameter [31:0] NETMASK    = {8'd255, 8'd255, 8'd255, 8'd0},
    parameter [31:0] GATEWAY    = 32'd0,
    parameter [15:0] LOCAL_PORT = 4000,
    parameter [31:0] DST_IP     = {8'd192, 8'd168, 8'd1, 8'd77},
    parameter [15:0] DST_PORT   = 5000,
    parameter        TICK       = 125000
) (
    input  wire       clk,
    input  wire       arst_n,
    output reg        phy_rst_n,

    input  wire       gmii_rx_ce,
    input  wire [7:0] gmii_rxd,
    input  wire       gmii_rx_dv,
    input  wire       gmii_rx_er,
    input  wire       gmii_tx_ce,
    output wire [7:0] gmii_txd,
    output wire       gmii_tx_en,
    output wire       gmii_tx_er,

    output wire [3:0] lights
);

    initial if (TICK < 2) begin
        $display("ERROR: %m: TICK = %0d (at least 2)", TICK);
        $finish;
    end

    // ---- Reset: at power-up and by the button, for 21 ms, until the PHY has started

    localparam TICK_W = $clog2(TICK);
    localparam [TICK_W-1:0] LAST = TICK - 1;

    wire              button_rst;
    reg               rst, tick_ms;
    reg  [TICK_W-1:0] cycle_reg;
    reg  [9:0]        ms_reg;                 // since the reset; wraps from 1023 to 512

    initial begin
        rst       = 1'b1;
        tick_ms   = 1'b0;
        cycle_reg = {TICK_W{1'b0}};
        ms_reg    = 10'd0;
    end

    ws_synchroniser button (.clk(clk), .d(!arst_n), .q(button_rst));

    always @(posedge clk) begin
        tick_ms   <= cycle_reg == LAST;
        cycle_reg <= cycle_reg == LAST ? {TICK_W{1'b0}} : cycle_reg + 1'b1;
        if (tick_ms) ms_reg <= ms_reg == 10'd1023 ? 10'd512 : ms_reg + 1'b1;
        if (button_rst) ms_reg <= 10'd0;
        phy_rst_n <= ms_reg >= 10'd20;
        rst       <= ms_reg <= 10'd20;
    end

    // ---- The design

    wire        unused_stat_valid;
    wire [6:0]  unused_stat_index;
    wire [63:0] unused_stat_value;

    ws_trades_q3 design_core (
        .clk(clk), .rst(rst), .tick_ms(tick_ms),
        .gmii_rx_ce(gmii_rx_ce), .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
        .gmii_tx_ce(gmii_tx_ce), .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
        .local_mac(LOCAL_MAC), .local_ip(LOCAL_IP), .netmask(NETMASK), .gateway(GATEWAY), .local_port(LOCAL_PORT),
        .dst_ip(DST_IP), .dst_port(DST_PORT), .first_session(32'd1),
        .stat_valid(unused_stat_valid), .stat_index(unused_stat_index), .stat_value(unused_stat_value)
    );

    // ---- Lights

    wire [1:0]  happens = {gmii_tx_en, gmii_rx_dv};
    wire [1:0]  shown;
    genvar      n;
    generate
        for (n = 0; n < 2; n = n + 1) begin : gen_light
            reg [6:0] left_reg;               // milliseconds
            always @(posedge clk)
                if (rst) left_reg <= 7'd0;
                else if (happens[n]) left_reg <= 7'd65;
                else if (tick_ms && left_reg != 0) left_reg <= left_reg - 1'b1;
            assign shown[n] = left_reg != 0;
        end
    endgenerate

    assign lights = {shown, ms_reg[8], !rst};

    wire unused = &{1'b0, unused_stat_valid, unused_stat_index, unused_stat_value};

endmodule

`default_nettype wire
