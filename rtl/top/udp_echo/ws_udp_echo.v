// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_echo: sends every datagram back to where it came from, on gigabit Ethernet; the smallest use of udp_ip_stack.
//
//   gmii -> mac_gmii_rx -> udp_ip_stack -> payloads, received -.
//   gmii <- mac_gmii_tx <- udp_ip_stack <- payloads, to send <-'
//
// It answers ARP, ping and IGMP queries as well. Both GMII directions run on clk, 125 MHz.
//
// Settings     those of ws_udp_ip_stack; unused ports and groups are 0
// Parameters   N_PORTS, N_GROUPS   of ws_udp_ip_stack
// Latency      from the last octet of a frame, FCS included, to the first preamble octet of the answer, when nothing
//              else waits: 21 + n cycles for a payload of n bytes, 18 or more; 116 for an ARP request
// Issue rate   line rate: 1 octet a cycle in and out
// Overflow     a datagram that is too long to be sent, or comes from an address not yet resolved, is dropped and
//              counted
// Bad input    every event is counted and shown on stat_*, over and over, by the index in `events`: first those of
//              the stack, then those of the MACs
// Source       RFC 862

`default_nettype none

module ws_udp_echo #(
    parameter N_PORTS  = 2,
    parameter N_GROUPS = 2
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

    localparam STACK_EVENTS = 56;

    wire [7:0]  rx_tdata, tx_tdata, echo_tdata;
    wire        rx_tkeep, tx_tkeep, echo_tkeep;
    wire        rx_tvalid, tx_tvalid, echo_tvalid;
    wire        rx_tlast, tx_tlast, echo_tlast;
    wire        rx_tuser, tx_tuser;
    wire        tx_tready, echo_tready;

    wire [STACK_EVENTS-1:0] stack_events;

    wire mac_rx_good, mac_rx_no_preamble, mac_rx_error, mac_rx_oversize, mac_rx_runt, mac_rx_bad_fcs;

    ws_mac_gmii_rx mac_rx (
        .clk(clk), .rst(rst),
        .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
        .m_axis_tdata(rx_tdata), .m_axis_tkeep(rx_tkeep), .m_axis_tvalid(rx_tvalid),
        .m_axis_tlast(rx_tlast), .m_axis_tuser(rx_tuser),
        .evt_good(mac_rx_good), .evt_no_preamble(mac_rx_no_preamble), .evt_rx_error(mac_rx_error),
        .evt_oversize(mac_rx_oversize), .evt_runt(mac_rx_runt), .evt_bad_fcs(mac_rx_bad_fcs)
    );

    // A received payload's metadata; the echo goes back to the source, from the port that was asked.
    /* verilator lint_off UNUSEDSIGNAL */
    wire [117:0] echo_tuser;
    /* verilator lint_on UNUSEDSIGNAL */
    wire         bad      = echo_tuser[0];
    wire [15:0]  src_port = echo_tuser[32:17];
    wire [31:0]  src_ip   = echo_tuser[64:33];
    wire [15:0]  dst_port = echo_tuser[80:65];

    /* verilator lint_off PINCONNECTEMPTY */
    ws_udp_ip_stack #(.DATA_W(8), .N_PORTS(N_PORTS), .N_GROUPS(N_GROUPS), .TIME_W(1)) stack (
        .clk(clk), .rst(rst), .tick_ms(tick_ms), .now(1'b0),
        .local_mac(local_mac), .local_ip(local_ip), .netmask(netmask), .gateway(gateway),
        .local_ports(local_ports), .groups(groups), .promiscuous(1'b0), .ping(1'b1),
        .arp_set_valid(1'b0), .arp_set_ready(), .arp_set_clear(1'b0), .arp_set_ip(32'd0), .arp_set_mac(48'd0),
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

    ws_mac_gmii_tx mac_tx (
        .clk(clk), .rst(rst),
        .s_axis_tdata(tx_tdata), .s_axis_tkeep(tx_tkeep), .s_axis_tvalid(tx_tvalid), .s_axis_tready(tx_tready),
        .s_axis_tlast(tx_tlast), .s_axis_tuser(tx_tuser),
        .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
        .evt_good(mac_tx_good), .evt_bad(mac_tx_bad), .evt_underrun(mac_tx_underrun)
    );

    wire [STACK_EVENTS+8:0] events = {
        mac_tx_underrun, mac_tx_bad, mac_tx_good,
        mac_rx_bad_fcs, mac_rx_runt, mac_rx_oversize, mac_rx_error, mac_rx_no_preamble, mac_rx_good,
        stack_events
    };

    ws_event_counters #(.N(STACK_EVENTS + 9)) counters (
        .clk(clk), .rst(rst),
        .event_pulse(events),
        .stat_valid(stat_valid), .stat_index(stat_index), .stat_value(stat_value)
    );

endmodule

`default_nettype wire
