// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_ip_stack: UDP over IPv4 over Ethernet, with ARP, ICMP echo and IGMP: frames on the MAC side, payloads with
// their addresses on the user side.
//
//    s_mac_axis ──┬── udp_rx ──────────────────────────────────────────── m_axis
//                 └── control_rx ──┬── arp ──────────┐
//                                  ├── icmp_echo ────┼── arbiter ── control_tx ──┐
//                                  └── igmp ─────────┘                           ├── arbiter ── m_mac_axis
//    s_axis ───────────────────────── udp_tx (MAC addresses from arp) ───────────┘
//
// Datagrams stay on the path of DATA_W bits. Frames of the other protocols are copied into a FIFO and processed 8 bits
// a cycle for every DATA_W; one that does not fit there is dropped whole and counted.
//
//   m_axis_tuser   [0] bad, [16:1] payload length in bytes, [32:17] source port, [64:33] source IPv4,
//                  [80:65] destination port, [112:81] destination IPv4, [116:113] index of the port,
//                  [117 +: TIME_W] `now` in the cycle of the frame's first beat
//   s_axis_tuser   [0] with tlast: drop it; [16:1] destination port, [48:17] destination IPv4, [64:49] source port
//
// Settings     local_mac, local_ip, netmask, gateway (0: none); local_ports and groups with entry 0 in the low bits and
//              0 for an unused entry; promiscuous: datagrams to any MAC and IPv4 address are delivered, but requests to
//              other addresses are not answered; ping: echo requests are answered. A frame received during a change is
//              checked against either value, and a reply sent during a change may contain parts of both and a wrong
//              checksum: change addresses only without traffic, or rely on the peer to repeat its request.
// Parameters   DATA_W       width of tdata in bits, 8 or 64; 8 for 1 Gb/s at 125 MHz, 64 for 10 Gb/s at 156.25 MHz
//              N_PORTS      UDP ports to receive on, 1 to 16
//              N_GROUPS     multicast groups that can be joined, 1 to 16
//              STORE        1: only good datagrams appear on m_axis; 0: output starts while they are received, and
//                           tuser[0] with tlast marks a bad one
//              MAX_FRAME    longest frame received in octets, FCS included, 64 to 65535; set it to the MAC's: 1526 with
//                           two tags, or 9026 for jumbo frames; with STORE the receive FIFO holds one and a half such
//                           frames, at least 4096 bytes
//              MAX_PAYLOAD  longest payload sent, in bytes, see ws_udp_tx; default: fills a frame of MAX_FRAME
//              HEADERS      headers that can wait to be sent, see ws_udp_tx; the default keeps the line busy with any
//                           mix of sizes; 0 saves 2 cycles, but keeps it busy only if sizes change slowly
//              TIME_W       width of the ingress time in bits, 1 to 64
//              N_EVENTS     follows from the list of the events
// Latency      that of ws_udp_rx; s_axis to m_mac_axis that of ws_udp_tx and ws_axis_arbiter
// Issue rate   line rate both ways for every frame size (any mix of sizes: see HEADERS); m_mac_axis has no gap inside a
//              frame
// Overflow     STORE 1: s_mac_axis_tready is always high; a datagram that m_axis does not accept in time is dropped
//              whole and counted. STORE 0: s_mac_axis_tready follows m_axis_tready, so that with a MAC that cannot
//              stall the sink must not stall either.
// Bad input    `events` has one pulse for every frame: received = delivered + arp + icmp + igmp + drops by reason;
//              udp_rx_surplus additionally counts some of those delivered
// Source       RFC 768, 791, 792, 826, 1071, 1112, 3376, 5227

`default_nettype none

module ws_udp_ip_stack #(
    parameter DATA_W      = 8,
    parameter N_PORTS     = 4,
    parameter N_GROUPS    = 4,
    parameter STORE       = 1,
    parameter MAX_FRAME   = 1526,
    parameter MAX_PAYLOAD = MAX_FRAME - 54,
    parameter HEADERS     = (MAX_PAYLOAD + 66) / 84 + 1,
    parameter TIME_W      = 64,
    parameter N_EVENTS    = 57      // do not set: width of `events`
) (
    input  wire                   clk,
    input  wire                   rst,
    input  wire                   tick_ms,      // one cycle every millisecond
    input  wire [TIME_W-1:0]      now,

    input  wire [47:0]            local_mac,
    input  wire [31:0]            local_ip,
    input  wire [31:0]            netmask,
    input  wire [31:0]            gateway,
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

    // Frames without FCS, from and to the MAC
    input  wire [DATA_W-1:0]      s_mac_axis_tdata,
    input  wire [DATA_W/8-1:0]    s_mac_axis_tkeep,
    input  wire                   s_mac_axis_tvalid,
    output wire                   s_mac_axis_tready,
    input  wire                   s_mac_axis_tlast,
    input  wire                   s_mac_axis_tuser,

    output wire [DATA_W-1:0]      m_mac_axis_tdata,
    output wire [DATA_W/8-1:0]    m_mac_axis_tkeep,
    output wire                   m_mac_axis_tvalid,
    input  wire                   m_mac_axis_tready,
    output wire                   m_mac_axis_tlast,
    output wire                   m_mac_axis_tuser,

    // Payloads, received and to send
    output wire [DATA_W-1:0]      m_axis_tdata,
    output wire [DATA_W/8-1:0]    m_axis_tkeep,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire                   m_axis_tlast,
    output wire [116+TIME_W:0]    m_axis_tuser,

    input  wire [DATA_W-1:0]      s_axis_tdata,
    input  wire [DATA_W/8-1:0]    s_axis_tkeep,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire                   s_axis_tlast,
    input  wire [64:0]            s_axis_tuser,

    output wire [N_EVENTS-1:0]    events
);

    initial if (MAX_FRAME < 64 || MAX_FRAME > 65535) begin
        $display("ERROR: %m: MAX_FRAME = %0d (64 to 65535)", MAX_FRAME);
        $finish;
    end

    localparam K = DATA_W / 8;

    // ---- Receive

    localparam BYTES_W = MAX_FRAME < 2730 ? 12 : $clog2(MAX_FRAME + MAX_FRAME / 2);     // of the receive FIFO

    wire udp_rx_delivered, udp_rx_bad_frame, udp_rx_other_mac, udp_rx_ipv6, udp_rx_arp, udp_rx_not_ip;
    wire udp_rx_bad_length, udp_rx_bad_ip_header, udp_rx_bad_ip_checksum, udp_rx_fragment, udp_rx_icmp, udp_rx_igmp;
    wire udp_rx_not_udp, udp_rx_other_ip, udp_rx_other_port, udp_rx_bad_udp_checksum, udp_rx_full;
    wire udp_rx_surplus;

    ws_udp_rx #(
        .DATA_W(DATA_W), .N_PORTS(N_PORTS), .N_GROUPS(N_GROUPS), .STORE(STORE), .TIME_W(TIME_W),
        .ADDR_W(BYTES_W - $clog2(K))
    ) udp_rx (
        .clk(clk), .rst(rst),
        .local_mac(local_mac), .local_ip(local_ip), .local_ports(local_ports), .groups(groups),
        .promiscuous(promiscuous), .now(now),
        .s_axis_tdata(s_mac_axis_tdata), .s_axis_tkeep(s_mac_axis_tkeep), .s_axis_tvalid(s_mac_axis_tvalid),
        .s_axis_tready(s_mac_axis_tready), .s_axis_tlast(s_mac_axis_tlast), .s_axis_tuser(s_mac_axis_tuser),
        .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser),
        .evt_delivered(udp_rx_delivered), .evt_bad_frame(udp_rx_bad_frame), .evt_other_mac(udp_rx_other_mac),
        .evt_ipv6(udp_rx_ipv6), .evt_arp(udp_rx_arp), .evt_not_ip(udp_rx_not_ip), .evt_bad_length(udp_rx_bad_length),
        .evt_bad_ip_header(udp_rx_bad_ip_header), .evt_bad_ip_checksum(udp_rx_bad_ip_checksum),
        .evt_fragment(udp_rx_fragment), .evt_icmp(udp_rx_icmp), .evt_igmp(udp_rx_igmp),
        .evt_not_udp(udp_rx_not_udp), .evt_other_ip(udp_rx_other_ip), .evt_other_port(udp_rx_other_port),
        .evt_bad_udp_checksum(udp_rx_bad_udp_checksum), .evt_full(udp_rx_full),
        .evt_surplus(udp_rx_surplus)
    );

    // ---- The other protocols, 8 bits a cycle

    localparam [1:0] ARP = 2'd0, ICMP = 2'd1, IGMP = 2'd2;

    wire [7:0] in_tdata;
    wire       in_tkeep, in_tvalid, in_tlast;
    wire [2:0] in_tuser;
    wire       arp_tready, icmp_tready, igmp_tready;
    wire [1:0] in_kind   = in_tuser[2:1];
    wire       in_tready = in_kind == ARP ? arp_tready : in_kind == ICMP ? icmp_tready : igmp_tready;

    wire control_rx_arp, control_rx_icmp, control_rx_igmp, control_rx_bad_ip, control_rx_full, control_rx_oversize;

    ws_control_rx #(.DATA_W(DATA_W)) control_rx (
        .clk(clk), .rst(rst),
        .local_mac(local_mac), .local_ip(local_ip),
        .s_axis_tdata(s_mac_axis_tdata), .s_axis_tkeep(s_mac_axis_tkeep),
        .s_axis_tvalid(s_mac_axis_tvalid && s_mac_axis_tready),
        .s_axis_tlast(s_mac_axis_tlast), .s_axis_tuser(s_mac_axis_tuser),
        .m_axis_tdata(in_tdata), .m_axis_tkeep(in_tkeep), .m_axis_tvalid(in_tvalid), .m_axis_tready(in_tready),
        .m_axis_tlast(in_tlast), .m_axis_tuser(in_tuser),
        .evt_arp(control_rx_arp), .evt_icmp(control_rx_icmp), .evt_igmp(control_rx_igmp),
        .evt_bad_ip(control_rx_bad_ip), .evt_full(control_rx_full), .evt_oversize(control_rx_oversize)
    );

    // Frames that they send; ARP is number 0
    wire [3*8-1:0] reply_tdata;
    wire [2:0]     reply_tkeep, reply_tvalid, reply_tready, reply_tlast, reply_tuser;

    wire        resolve_valid, resolve_done, resolve_found;
    wire [31:0] resolve_ip;
    wire [47:0] resolve_mac;

    wire arp_bad, arp_malformed, arp_conflict, arp_request, arp_reply, arp_ignored;
    wire arp_answered, arp_asked, arp_announced, arp_aged, arp_unanswered, arp_replaced, arp_full;

    ws_arp arp (
        .clk(clk), .rst(rst), .tick_ms(tick_ms),
        .local_mac(local_mac), .local_ip(local_ip), .netmask(netmask), .gateway(gateway),
        .set_valid(arp_set_valid), .set_ready(arp_set_ready), .set_clear(arp_set_clear),
        .set_ip(arp_set_ip), .set_mac(arp_set_mac),
        .resolve_valid(resolve_valid), .resolve_ip(resolve_ip),
        .resolve_done(resolve_done), .resolve_found(resolve_found), .resolve_mac(resolve_mac),
        .s_axis_tdata(in_tdata), .s_axis_tkeep(in_tkeep), .s_axis_tvalid(in_tvalid && in_kind == ARP),
        .s_axis_tready(arp_tready), .s_axis_tlast(in_tlast), .s_axis_tuser(in_tuser[0]),
        .m_axis_tdata(reply_tdata[7:0]), .m_axis_tkeep(reply_tkeep[0]), .m_axis_tvalid(reply_tvalid[0]),
        .m_axis_tready(reply_tready[0]), .m_axis_tlast(reply_tlast[0]), .m_axis_tuser(reply_tuser[0]),
        .evt_bad(arp_bad), .evt_malformed(arp_malformed), .evt_conflict(arp_conflict), .evt_request(arp_request),
        .evt_reply(arp_reply), .evt_ignored(arp_ignored), .evt_answered(arp_answered), .evt_asked(arp_asked),
        .evt_announced(arp_announced), .evt_aged(arp_aged), .evt_unanswered(arp_unanswered),
        .evt_replaced(arp_replaced), .evt_full(arp_full)
    );

    wire icmp_reply, icmp_limited, icmp_full, icmp_refused, icmp_other, icmp_bad;

    ws_icmp_echo icmp_echo (
        .clk(clk), .rst(rst), .tick_ms(tick_ms), .enable(ping),
        .local_mac(local_mac), .local_ip(local_ip),
        .s_axis_tdata(in_tdata), .s_axis_tkeep(in_tkeep), .s_axis_tvalid(in_tvalid && in_kind == ICMP),
        .s_axis_tready(icmp_tready), .s_axis_tlast(in_tlast), .s_axis_tuser(in_tuser[0]),
        .m_axis_tdata(reply_tdata[15:8]), .m_axis_tkeep(reply_tkeep[1]), .m_axis_tvalid(reply_tvalid[1]),
        .m_axis_tready(reply_tready[1]), .m_axis_tlast(reply_tlast[1]), .m_axis_tuser(reply_tuser[1]),
        .evt_reply(icmp_reply), .evt_limited(icmp_limited), .evt_full(icmp_full), .evt_refused(icmp_refused),
        .evt_other(icmp_other), .evt_bad(icmp_bad)
    );

    wire igmp_query, igmp_busy, igmp_other, igmp_bad, igmp_report, igmp_leave;

    ws_igmp #(.N_GROUPS(N_GROUPS)) igmp (
        .clk(clk), .rst(rst), .tick_ms(tick_ms),
        .local_mac(local_mac), .local_ip(local_ip), .groups(groups),
        .s_axis_tdata(in_tdata), .s_axis_tkeep(in_tkeep), .s_axis_tvalid(in_tvalid && in_kind == IGMP),
        .s_axis_tready(igmp_tready), .s_axis_tlast(in_tlast), .s_axis_tuser(in_tuser[0]),
        .m_axis_tdata(reply_tdata[23:16]), .m_axis_tkeep(reply_tkeep[2]), .m_axis_tvalid(reply_tvalid[2]),
        .m_axis_tready(reply_tready[2]), .m_axis_tlast(reply_tlast[2]), .m_axis_tuser(reply_tuser[2]),
        .evt_query(igmp_query), .evt_busy(igmp_busy), .evt_other(igmp_other), .evt_bad(igmp_bad),
        .evt_report(igmp_report), .evt_leave(igmp_leave)
    );

    // ---- Transmit

    wire [7:0]          control_tdata;
    wire                control_tkeep, control_tvalid, control_tready, control_tlast, control_tuser;
    wire [2*DATA_W-1:0] frame_tdata;            // number 0 from control_tx, number 1 from udp_tx
    wire [2*K-1:0]      frame_tkeep;
    wire [1:0]          frame_tvalid, frame_tready, frame_tlast, frame_tuser;
    wire                control_tx_sent, control_tx_bad, control_tx_oversize, control_tx_full;
    wire                udp_tx_sent, udp_tx_bad, udp_tx_oversize, udp_tx_unresolved;

    ws_axis_arbiter #(.DATA_W(8), .N(3)) reply_arbiter (
        .clk(clk), .rst(rst),
        .s_axis_tdata(reply_tdata), .s_axis_tkeep(reply_tkeep), .s_axis_tvalid(reply_tvalid),
        .s_axis_tready(reply_tready), .s_axis_tlast(reply_tlast), .s_axis_tuser(reply_tuser),
        .m_axis_tdata(control_tdata), .m_axis_tkeep(control_tkeep), .m_axis_tvalid(control_tvalid),
        .m_axis_tready(control_tready), .m_axis_tlast(control_tlast), .m_axis_tuser(control_tuser)
    );

    ws_control_tx #(.DATA_W(DATA_W)) control_tx (
        .clk(clk), .rst(rst),
        .s_axis_tdata(control_tdata), .s_axis_tkeep(control_tkeep), .s_axis_tvalid(control_tvalid),
        .s_axis_tready(control_tready), .s_axis_tlast(control_tlast), .s_axis_tuser(control_tuser),
        .m_axis_tdata(frame_tdata[DATA_W-1:0]), .m_axis_tkeep(frame_tkeep[K-1:0]), .m_axis_tvalid(frame_tvalid[0]),
        .m_axis_tready(frame_tready[0]), .m_axis_tlast(frame_tlast[0]), .m_axis_tuser(frame_tuser[0]),
        .evt_sent(control_tx_sent), .evt_bad(control_tx_bad), .evt_oversize(control_tx_oversize),
        .evt_full(control_tx_full)
    );

    ws_udp_tx #(.DATA_W(DATA_W), .MAX_PAYLOAD(MAX_PAYLOAD), .HEADERS(HEADERS)) udp_tx (
        .clk(clk), .rst(rst),
        .local_mac(local_mac), .local_ip(local_ip),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .resolve_valid(resolve_valid), .resolve_ip(resolve_ip),
        .resolve_done(resolve_done), .resolve_found(resolve_found), .resolve_mac(resolve_mac),
        .m_axis_tdata(frame_tdata[DATA_W +: DATA_W]), .m_axis_tkeep(frame_tkeep[K +: K]),
        .m_axis_tvalid(frame_tvalid[1]), .m_axis_tready(frame_tready[1]),
        .m_axis_tlast(frame_tlast[1]), .m_axis_tuser(frame_tuser[1]),
        .evt_sent(udp_tx_sent), .evt_bad(udp_tx_bad), .evt_oversize(udp_tx_oversize),
        .evt_unresolved(udp_tx_unresolved)
    );

    ws_axis_arbiter #(.DATA_W(DATA_W), .N(2)) frame_arbiter (
        .clk(clk), .rst(rst),
        .s_axis_tdata(frame_tdata), .s_axis_tkeep(frame_tkeep), .s_axis_tvalid(frame_tvalid),
        .s_axis_tready(frame_tready), .s_axis_tlast(frame_tlast), .s_axis_tuser(frame_tuser),
        .m_axis_tdata(m_mac_axis_tdata), .m_axis_tkeep(m_mac_axis_tkeep), .m_axis_tvalid(m_mac_axis_tvalid),
        .m_axis_tready(m_mac_axis_tready), .m_axis_tlast(m_mac_axis_tlast), .m_axis_tuser(m_mac_axis_tuser)
    );

    // ---- Events: the last in this list is bit 0

    assign events = {
        // transmit
        control_tx_full, control_tx_oversize, control_tx_bad, control_tx_sent,
        udp_tx_unresolved, udp_tx_oversize, udp_tx_bad, udp_tx_sent,
        // the other protocols
        igmp_leave, igmp_report, igmp_bad, igmp_other, igmp_busy, igmp_query,
        icmp_bad, icmp_other, icmp_refused, icmp_full, icmp_limited, icmp_reply,
        arp_full, arp_replaced, arp_unanswered, arp_aged, arp_announced, arp_asked, arp_answered,
        arp_ignored, arp_reply, arp_request, arp_conflict, arp_malformed, arp_bad,
        control_rx_oversize, control_rx_full, control_rx_bad_ip, control_rx_igmp, control_rx_icmp, control_rx_arp,
        // receive
        udp_rx_surplus, udp_rx_full, udp_rx_bad_udp_checksum, udp_rx_other_port, udp_rx_other_ip, udp_rx_not_udp,
        udp_rx_igmp, udp_rx_icmp, udp_rx_fragment, udp_rx_bad_ip_checksum, udp_rx_bad_ip_header, udp_rx_bad_length,
        udp_rx_not_ip, udp_rx_arp, udp_rx_ipv6, udp_rx_other_mac, udp_rx_bad_frame, udp_rx_delivered
    };

endmodule

`default_nettype wire
