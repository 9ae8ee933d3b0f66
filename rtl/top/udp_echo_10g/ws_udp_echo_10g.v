// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_echo_10g: returns every datagram to its sender, on 10-gigabit Ethernet, controlled by the registers of
// docs/registers.md.
//
//   xgmii -> mac_xgmii_rx -> udp_ip_stack -> payloads, received -.
//   xgmii <- mac_xgmii_tx <- udp_ip_stack <- payloads, to send <-'
//              s_axil -> registers -> settings    event_counters -> registers
//
// It also answers ARP requests, pings and IGMP queries. Without any register write it works with the registers' reset
// values. Both XGMII directions and the bus run on clk, 156.25 MHz.
//
// Parameters   N_PORTS, N_GROUPS, MAX_FRAME  see ws_udp_ip_stack
// Latency      42 cycles for a payload of n = 0 to 80 bytes, from the word with the last octet of its frame, FCS
//              included, to that with the start of the answer, when nothing else waits; for a longer one 32 + n / 8,
//              and at most 1 more depending on the lanes in which frames begin and end; 126 for an ARP request
// Issue rate   line rate: 8 octets a cycle in and out
// Overflow     a datagram that is too long to be sent, or from an address that is not resolved, is dropped and counted
// Bad input    every event is counted, in the registers and on stat_*, which outputs all counts cyclically, by the
//              index in `events`: first those of the stack, then those of the MACs
// Source       RFC 862

`default_nettype none

module ws_udp_echo_10g #(
    parameter N_PORTS   = 2,
    parameter N_GROUPS  = 2,
    parameter MAX_FRAME = 1526
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        tick_ms,

    input  wire [63:0] xgmii_rxd,
    input  wire [7:0]  xgmii_rxc,
    output wire [63:0] xgmii_txd,
    output wire [7:0]  xgmii_txc,

    input  wire [11:0] s_axil_awaddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire [11:0] s_axil_araddr,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,

    output wire        stat_valid,
    output wire [6:0]  stat_index,
    output wire [63:0] stat_value
);

    localparam STACK_EVENTS = 57;
    localparam N_EVENTS     = STACK_EVENTS + 9;

    // ---- Settings

    wire [47:0]            local_mac, arp_set_mac;
    wire [31:0]            local_ip, netmask, gateway, arp_set_ip;
    wire [16*N_PORTS-1:0]  local_ports;
    wire [32*N_GROUPS-1:0] groups;
    wire                   promiscuous, ping, arp_set_valid, arp_set_ready, arp_set_clear;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_registers #(
        .N_PORTS(N_PORTS), .N_GROUPS(N_GROUPS), .N_COUNTERS(N_EVENTS), .LOCAL_PORTS(4000)
    ) registers (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb), .s_axil_wvalid(s_axil_wvalid),
        .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp), .s_axil_rvalid(s_axil_rvalid),
        .s_axil_rready(s_axil_rready),
        .local_mac(local_mac), .local_ip(local_ip), .netmask(netmask), .gateway(gateway),
        .local_ports(local_ports), .groups(groups), .promiscuous(promiscuous), .ping(ping),
        .result_ip(), .result_port(), .result_source_port(),
        .arp_set_valid(arp_set_valid), .arp_set_ready(arp_set_ready), .arp_set_clear(arp_set_clear),
        .arp_set_ip(arp_set_ip), .arp_set_mac(arp_set_mac),
        .stat_valid(stat_valid), .stat_index(stat_index), .stat_value(stat_value)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // ---- Frames and payloads

    wire [63:0] rx_tdata, tx_tdata, echo_tdata;
    wire [7:0]  rx_tkeep, tx_tkeep, echo_tkeep;
    wire        rx_tvalid, tx_tvalid, echo_tvalid;
    wire        rx_tlast, tx_tlast, echo_tlast;
    wire        rx_tuser, tx_tuser;
    wire        tx_tready, echo_tready;

    wire [STACK_EVENTS-1:0] stack_events;

    wire mac_rx_good, mac_rx_no_preamble, mac_rx_error, mac_rx_oversize, mac_rx_runt, mac_rx_bad_fcs;

    ws_mac_xgmii_rx #(.MAX_FRAME(MAX_FRAME)) mac_rx (
        .clk(clk), .rst(rst),
        .xgmii_rxd(xgmii_rxd), .xgmii_rxc(xgmii_rxc),
        .m_axis_tdata(rx_tdata), .m_axis_tkeep(rx_tkeep), .m_axis_tvalid(rx_tvalid),
        .m_axis_tlast(rx_tlast), .m_axis_tuser(rx_tuser),
        .evt_good(mac_rx_good), .evt_no_preamble(mac_rx_no_preamble), .evt_rx_error(mac_rx_error),
        .evt_oversize(mac_rx_oversize), .evt_runt(mac_rx_runt), .evt_bad_fcs(mac_rx_bad_fcs)
    );

    // A received payload's metadata; the echo goes back to the source, from the port that received it.
    /* verilator lint_off UNUSEDSIGNAL */
    wire [117:0] echo_tuser;
    /* verilator lint_on UNUSEDSIGNAL */
    wire         bad      = echo_tuser[0];
    wire [15:0]  src_port = echo_tuser[32:17];
    wire [31:0]  src_ip   = echo_tuser[64:33];
    wire [15:0]  dst_port = echo_tuser[80:65];

    /* verilator lint_off PINCONNECTEMPTY */
    ws_udp_ip_stack #(
        .DATA_W(64), .N_PORTS(N_PORTS), .N_GROUPS(N_GROUPS), .MAX_FRAME(MAX_FRAME), .TIME_W(1)
    ) stack (
        .clk(clk), .rst(rst), .tick_ms(tick_ms), .now(1'b0),
        .local_mac(local_mac), .local_ip(local_ip), .netmask(netmask), .gateway(gateway),
        .local_ports(local_ports), .groups(groups), .promiscuous(promiscuous), .ping(ping),
        .arp_set_valid(arp_set_valid), .arp_set_ready(arp_set_ready), .arp_set_clear(arp_set_clear),
        .arp_set_ip(arp_set_ip), .arp_set_mac(arp_set_mac),
        .s_mac_axis_tdata(rx_tdata), .s_mac_axis_tkeep(rx_tkeep), .s_mac_axis_tvalid(rx_tvalid),
        .s_mac_axis_tready(), .s_mac_axis_tlast(rx_tlast), .s_mac_axis_tuser(rx_tuser),
        .m_mac_axis_tdata(tx_tdata), .m_mac_axis_tkeep(tx_tkeep), .m_mac_axis_tvalid(tx_tvalid),
        .m_mac_axis_tready(tx_tready), .m_mac_axis_tlast(tx_tlast), .m_mac_axis_tuser(tx_tuser),
        .m_axis_tdata(echo_tdata), .m_axis_tkeep(echo_tkeep), .m_axis_tvalid(echo_tvalid),
        .m_axis_tready(echo_tready), .m_axis_tlast(echo_tlast), .m_axis_tuser(echo_tuser),
        .s_axis_tdata(echo_tdata), .s_axis_tkeep(echo_tkeep), .s_axis_tvalid(echo_tvalid),
        .s_axis_tready(echo_tready), .s_axis_tlast(echo_tlast), .s_axis_tuser({dst_port, src_ip, src_port, bad}),
        .events(stack_events)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire mac_tx_good, mac_tx_bad, mac_tx_underrun;

    ws_mac_xgmii_tx mac_tx (
        .clk(clk), .rst(rst),
        .s_axis_tdata(tx_tdata), .s_axis_tkeep(tx_tkeep), .s_axis_tvalid(tx_tvalid), .s_axis_tready(tx_tready),
        .s_axis_tlast(tx_tlast), .s_axis_tuser(tx_tuser),
        .xgmii_txd(xgmii_txd), .xgmii_txc(xgmii_txc),
        .evt_good(mac_tx_good), .evt_bad(mac_tx_bad), .evt_underrun(mac_tx_underrun)
    );

    wire [N_EVENTS-1:0] events = {
        mac_tx_underrun, mac_tx_bad, mac_tx_good,
        mac_rx_bad_fcs, mac_rx_runt, mac_rx_oversize, mac_rx_error, mac_rx_no_preamble, mac_rx_good,
        stack_events
    };

    ws_event_counters #(.N(N_EVENTS)) counters (
        .clk(clk), .rst(rst),
        .event_pulse(events),
        .stat_valid(stat_valid), .stat_index(stat_index), .stat_value(stat_value)
    );

endmodule

`default_nettype wire
