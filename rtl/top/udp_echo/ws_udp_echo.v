// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_echo: returns every datagram to its sender, on gigabit Ethernet; the simplest use of gmii_endpoint.
//
//   gmii -> gmii_endpoint -> payloads, received -.
//   gmii <- gmii_endpoint <- payloads, to send <-'
//
// It also answers ARP requests, pings and IGMP queries. Both GMII directions run on clk, 125 MHz.
//
// Settings     those of ws_udp_ip_stack; unused ports and groups are 0
// Parameters   N_PORTS, N_GROUPS, MAX_FRAME  see ws_udp_ip_stack
// Latency      21 + n cycles for a payload of n bytes, 18 or more, from the last octet of its frame, FCS included, to
//              the first preamble octet of the answer, when nothing else waits; 116 for an ARP request
// Issue rate   line rate: 1 octet a cycle in and out
// Overflow     a datagram that is too long to be sent, or from an address that is not resolved, is dropped and counted
// Bad input    every event is counted; stat_* outputs all counts cyclically, by the index in `events`: first those of
//              the stack, then those of the MACs
// Source       RFC 862

`default_nettype none

module ws_udp_echo #(
    parameter N_PORTS   = 2,
    parameter N_GROUPS  = 2,
    parameter MAX_FRAME = 1526
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   tick_ms,

    input  wire [7:0]             gmii_rxd,
    input  wire                   gmii_rx_dv,
    input  wire                   gmii_rx_er,
    output wire [7:0]             gmii_txd,
    output wire                   gmii_tx_en,
    output wire                   gmii_tx_er,

    input  wire [47:0]            local_mac,
    input  wire [31:0]            local_ip,
    input  wire [31:0]            netmask,
    input  wire [31:0]            gateway,
    input  wire [16*N_PORTS-1:0]  local_ports,
    input  wire [32*N_GROUPS-1:0] groups,

    output wire                   stat_valid,
    output wire [6:0]             stat_index,
    output wire [63:0]            stat_value
);

    localparam N_EVENTS = 66;

    wire [7:0]          echo_tdata;
    wire                echo_tkeep, echo_tvalid, echo_tready, echo_tlast;
    wire [N_EVENTS-1:0] network_events;

    // A received payload's metadata; the echo goes back to the source, from the port that received it.
    /* verilator lint_off UNUSEDSIGNAL */
    wire [117:0] echo_tuser;
    /* verilator lint_on UNUSEDSIGNAL */
    wire         bad      = echo_tuser[0];
    wire [15:0]  src_port = echo_tuser[32:17];
    wire [31:0]  src_ip   = echo_tuser[64:33];
    wire [15:0]  dst_port = echo_tuser[80:65];

    /* verilator lint_off PINCONNECTEMPTY */
    ws_gmii_endpoint #(.N_PORTS(N_PORTS), .N_GROUPS(N_GROUPS), .MAX_FRAME(MAX_FRAME), .TIME_W(1)) network (
        .clk(clk), .rst(rst), .tick_ms(tick_ms), .now(1'b0),
        .gmii_rx_ce(1'b1), .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
        .gmii_tx_ce(1'b1), .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
        .local_mac(local_mac), .local_ip(local_ip), .netmask(netmask), .gateway(gateway),
        .local_ports(local_ports), .groups(groups), .promiscuous(1'b0), .ping(1'b1),
        .arp_set_valid(1'b0), .arp_set_ready(), .arp_set_clear(1'b0), .arp_set_ip(32'd0), .arp_set_mac(48'd0),
        .m_axis_tdata(echo_tdata), .m_axis_tkeep(echo_tkeep), .m_axis_tvalid(echo_tvalid),
        .m_axis_tready(echo_tready), .m_axis_tlast(echo_tlast), .m_axis_tuser(echo_tuser),
        .s_axis_tdata(echo_tdata), .s_axis_tkeep(echo_tkeep), .s_axis_tvalid(echo_tvalid),
        .s_axis_tready(echo_tready), .s_axis_tlast(echo_tlast), .s_axis_tuser({dst_port, src_ip, src_port, bad}),
        .events(network_events)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire [N_EVENTS-1:0] events = {network_events};

    ws_event_counters #(.N(N_EVENTS)) counters (
        .clk(clk), .rst(rst),
        .event_pulse(events),
        .stat_valid(stat_valid), .stat_index(stat_index), .stat_value(stat_value)
    );

endmodule

`default_nettype wire
