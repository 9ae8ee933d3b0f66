// SPDX-License-Identifier: Apache-2.0
//
// ws_gmii_endpoint: one gigabit Ethernet port: receive and transmit MAC with the UDP/IP stack between them.
//
//   gmii -> mac_gmii_rx -> udp_ip_stack -> m_axis, payloads received
//   gmii <- mac_gmii_tx <- udp_ip_stack <- s_axis, payloads to send
//
// Both GMII directions run on clk: either 125 MHz with gmii_rx_ce = gmii_tx_ce = 1, or any clock faster than the octet
// rate, with a clock enable for each octet (ws_mii). The receiving MAC cannot stall and need not: the stack stores what
// it receives and outputs only good datagrams. Settings, static ARP entries and tuser are those of ws_udp_ip_stack.
//
// Parameters   N_PORTS, N_GROUPS, MAX_FRAME, MAX_PAYLOAD, HEADERS, TIME_W  see ws_udp_ip_stack
//              N_EVENTS  follows from the list of the events
// Latency      13 cycles from the last octet of a frame, FCS included, to the first octet of its payload on m_axis;
//              from the last octet of a payload of 10 or more on s_axis to the first preamble octet of its frame 6
//              cycles with HEADERS = 0, else 8, and 1 more after a frame of another protocol. All if nothing else waits
// Issue rate   line rate: 1 octet a cycle in and out
// Overflow     a datagram that m_axis does not accept in time is dropped whole; s_axis stalls. A payload that is too
//              long, or for an address that is not resolved, is dropped
// Bad input    `events` has one pulse for every frame and datagram, in this order: those of the stack from bit 0, then
//              those of the MACs (docs/registers.md lists them)
// Source       see ws_mac_gmii_rx, ws_mac_gmii_tx, ws_udp_ip_stack

`default_nettype none

module ws_gmii_endpoint #(
    parameter N_PORTS     = 4,
    parameter N_GROUPS    = 4,
    parameter MAX_FRAME   = 1526,
    parameter MAX_PAYLOAD = MAX_FRAME - 54,
    parameter HEADERS     = (MAX_PAYLOAD + 66) / 84 + 1,
    parameter TIME_W      = 64,
    parameter N_EVENTS    = 66      // do not set: width of `events`
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   tick_ms,      // one cycle every millisecond
    input  wire [TIME_W-1:0]      now,

    input  wire                   gmii_rx_ce,
    input  wire [7:0]             gmii_rxd,
    input  wire                   gmii_rx_dv,
    input  wire                   gmii_rx_er,
    input  wire                   gmii_tx_ce,
    output wire [7:0]             gmii_txd,
    output wire                   gmii_tx_en,
    output wire                   gmii_tx_er,

    input  wire [47:0]            local_mac,
    input  wire [31:0]            local_ip,
    input  wire [31:0]            netmask,
    input  wire [31:0]            gateway,      // 0: none
    input  wire [16*N_PORTS-1:0]  local_ports,
    input  wire [32*N_GROUPS-1:0] groups,
    input  wire                   promiscuous,
    input  wire                   ping,

    // Static ARP entries
    input  wire                   arp_set_valid,
    output wire                   arp_set_ready,
    input  wire                   arp_set_clear,
    input  wire [31:0]            arp_set_ip,
    input  wire [47:0]            arp_set_mac,

    // Payloads, received and to send
    output wire [7:0]             m_axis_tdata,
    output wire                   m_axis_tkeep,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire                   m_axis_tlast,
    output wire [116+TIME_W:0]    m_axis_tuser,

    input  wire [7:0]             s_axis_tdata,
    input  wire                   s_axis_tkeep,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire                   s_axis_tlast,
    input  wire [64:0]            s_axis_tuser,

    output wire [N_EVENTS-1:0]    events
);

    localparam STACK_EVENTS = 57;

    wire [7:0] rx_tdata, tx_tdata;
    wire       rx_tkeep, tx_tkeep;
    wire       rx_tvalid, tx_tvalid;
    wire       rx_tlast, tx_tlast;
    wire       rx_tuser, tx_tuser;
    wire       tx_tready;

    wire [STACK_EVENTS-1:0] stack_events;

    wire mac_rx_good, mac_rx_no_preamble, mac_rx_error, mac_rx_oversize, mac_rx_runt, mac_rx_bad_fcs;
    wire mac_tx_good, mac_tx_bad, mac_tx_underrun;

    ws_mac_gmii_rx #(.MAX_FRAME(MAX_FRAME)) mac_rx (
        .clk(clk), .rst(rst),
        .gmii_rx_ce(gmii_rx_ce), .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
        .m_axis_tdata(rx_tdata), .m_axis_tkeep(rx_tkeep), .m_axis_tvalid(rx_tvalid),
        .m_axis_tlast(rx_tlast), .m_axis_tuser(rx_tuser),
        .evt_good(mac_rx_good), .evt_no_preamble(mac_rx_no_preamble), .evt_rx_error(mac_rx_error),
        .evt_oversize(mac_rx_oversize), .evt_runt(mac_rx_runt), .evt_bad_fcs(mac_rx_bad_fcs)
    );

    /* verilator lint_off PINCONNECTEMPTY */
    ws_udp_ip_stack #(
        .DATA_W(8), .N_PORTS(N_PORTS), .N_GROUPS(N_GROUPS), .STORE(1), .MAX_FRAME(MAX_FRAME),
        .MAX_PAYLOAD(MAX_PAYLOAD), .HEADERS(HEADERS), .TIME_W(TIME_W)
    ) stack (
        .clk(clk), .rst(rst), .tick_ms(tick_ms), .now(now),
        .local_mac(local_mac), .local_ip(local_ip), .netmask(netmask), .gateway(gateway),
        .local_ports(local_ports), .groups(groups), .promiscuous(promiscuous), .ping(ping),
        .arp_set_valid(arp_set_valid), .arp_set_ready(arp_set_ready), .arp_set_clear(arp_set_clear),
        .arp_set_ip(arp_set_ip), .arp_set_mac(arp_set_mac),
        .s_mac_axis_tdata(rx_tdata), .s_mac_axis_tkeep(rx_tkeep), .s_mac_axis_tvalid(rx_tvalid),
        .s_mac_axis_tready(), .s_mac_axis_tlast(rx_tlast), .s_mac_axis_tuser(rx_tuser),
        .m_mac_axis_tdata(tx_tdata), .m_mac_axis_tkeep(tx_tkeep), .m_mac_axis_tvalid(tx_tvalid),
        .m_mac_axis_tready(tx_tready), .m_mac_axis_tlast(tx_tlast), .m_mac_axis_tuser(tx_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .events(stack_events)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    ws_mac_gmii_tx mac_tx (
        .clk(clk), .rst(rst),
        .s_axis_tdata(tx_tdata), .s_axis_tkeep(tx_tkeep), .s_axis_tvalid(tx_tvalid), .s_axis_tready(tx_tready),
        .s_axis_tlast(tx_tlast), .s_axis_tuser(tx_tuser),
        .gmii_tx_ce(gmii_tx_ce), .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
        .evt_good(mac_tx_good), .evt_bad(mac_tx_bad), .evt_underrun(mac_tx_underrun)
    );

    // ---- Events: the last in this list is bit 0, the stack's first

    assign events = {
        mac_tx_underrun, mac_tx_bad, mac_tx_good,
        mac_rx_bad_fcs, mac_rx_runt, mac_rx_oversize, mac_rx_error, mac_rx_no_preamble, mac_rx_good,
        stack_events
    };

endmodule

`default_nettype wire
