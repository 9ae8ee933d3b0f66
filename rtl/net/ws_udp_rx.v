// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_rx: receives Ethernet frames and outputs the payloads of UDP datagrams to the local addresses and ports.
//
// s_axis takes frames without FCS; tuser[0] with tlast is the MAC's verdict. With STORE = 0 the payload is output while
// the frame is still being received; its last beat is held until the end of the frame, so that tuser[0] with tlast is
// the verdict of MAC, lengths and UDP checksum. A frame that is rejected before its payload begins has no output. With
// STORE = 1 the payload goes through a FIFO that outputs only whole good datagrams.
//
//   Ethernet                 IPv4                                             UDP
//   dst 6, src 6, [tag 4, [tag 4,]] type 2 | 20 to 60 bytes, options skipped | src 2, dst 2, length 2, checksum 2
//
// m_axis_tuser: [0] bad, [16:1] payload length in bytes, [32:17] source port, [64:33] source IPv4,
// [80:65] destination port, [112:81] destination IPv4, [116:113] index of that port in local_ports,
// [117 +: TIME_W] `now` of the cycle in which the frame's first beat was accepted.
//
// Accepted     own MAC or broadcast with own IP or limited broadcast; a joined group's MAC (01:00:5e, low 23 bits) with
//              that group's IP; any MAC with any IP if promiscuous; a port of local_ports; up to two 802.1Q or 802.1ad
//              tags, skipped; IPv4 options, skipped; UDP checksum 0 (RFC 768: none); padding after the datagram; a UDP
//              length that leaves a surplus in the IPv4 packet (options of RFC 9868), which is cut off
// Counted      each frame is one pulse of evt_delivered or of the first of these that applies:
//                bad_frame         marked bad by the MAC
//                bad_length        the frame ends inside its Ethernet header
//                other_mac, ipv6, arp, not_ip (any other type, a third tag)
//                bad_length        the frame is shorter than 20 bytes of IPv4 or than its total length
//                bad_ip_header     wrong version, header length below 20 or above the total length, or an invalid
//                source
//                                  (127.0.0.0/8, 224.0.0.0/3)
//                bad_ip_checksum, fragment, icmp, igmp, not_udp (any other protocol), other_ip
//                bad_length        the UDP length is below 8 or exceeds the rest of the IPv4 packet
//                other_port, bad_udp_checksum
//                full              STORE = 1: the datagram does not fit into the FIFO
//              evt_surplus, with evt_delivered: the datagram had a surplus
// Parameters   DATA_W    width of tdata in bits, 8 or 64
//              N_PORTS   ports, 1 to 16; in local_ports, the first in the low bits; 0 is none
//              N_GROUPS  groups, 1 to 16; in groups, likewise
//              TIME_W    width of now in bits, 1 to 64
//              STORE     0: cut-through; 1: only whole good datagrams are output
//              ADDR_W    with STORE, the FIFO holds 2**ADDR_W beats, 2 to 24
//              FRAMES_W  with STORE, the FIFO holds 2**FRAMES_W datagrams, 2 to ADDR_W
// Latency      44 or 8 cycles (8 bit, 64 bit) from the first beat in to the first payload beat out, for an untagged
//              frame without options; from the last beat in to the last payload beat out, and to the event, 6 cycles;
//              with STORE = 1, to the first payload beat out 10, to the event 7
// Issue rate   1 beat a cycle, no gap needed between frames; s_axis_tready falls only after m_axis_tready did, and with
//              STORE = 1 never
// Overflow     STORE = 1: a datagram that does not fit into the FIFO is dropped whole, evt_full
// Settings     local_*, groups and promiscuous may change only while no frame is inside
// Length       one pipeline over one frame: the UDP stage and the verdict read nearly all registers of the IPv4 checks,
//              which in turn read some of theirs, so that dividing them would turn most registers into ports; the
//              stages that share little, Ethernet and IPv4 alignment, are modules of their own
// Source       IEEE 802.3 and 802.1Q; RFC 791, 768, 1071, 1112

`default_nettype none

module ws_udp_rx #(
    parameter DATA_W   = 8,
    parameter N_PORTS  = 1,
    parameter N_GROUPS = 1,
    parameter TIME_W   = 64,
    parameter STORE    = 0,
    parameter ADDR_W   = DATA_W == 8 ? 12 : 9,
    parameter FRAMES_W = 5
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [47:0]            local_mac,
    input  wire [31:0]            local_ip,
    input  wire [16*N_PORTS-1:0]  local_ports,
    input  wire [32*N_GROUPS-1:0] groups,
    input  wire                   promiscuous,
    input  wire [TIME_W-1:0]      now,

    input  wire [DATA_W-1:0]      s_axis_tdata,
    input  wire [DATA_W/8-1:0]    s_axis_tkeep,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire                   s_axis_tlast,
    input  wire                   s_axis_tuser,

    output wire [DATA_W-1:0]      m_axis_tdata,
    output wire [DATA_W/8-1:0]    m_axis_tkeep,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire                   m_axis_tlast,
    output wire [116+TIME_W:0]    m_axis_tuser,

    output wire                   evt_delivered,
    output wire                   evt_bad_frame,
    output wire                   evt_other_mac,
    output wire                   evt_ipv6,
    output wire                   evt_arp,
    output wire                   evt_not_ip,
    output wire                   evt_bad_length,
    output wire                   evt_bad_ip_header,
    output wire                   evt_bad_ip_checksum,
    output wire                   evt_fragment,
    output wire                   evt_icmp,
    output wire                   evt_igmp,
    output wire                   evt_not_udp,
    output wire                   evt_other_ip,
    output wire                   evt_other_port,
    output wire                   evt_bad_udp_checksum,
    output wire                   evt_full,
    output wire                   evt_surplus
);

    initial if (ADDR_W < 2 || ADDR_W > 24 || FRAMES_W < 2 || FRAMES_W > ADDR_W) begin
        $display("ERROR: %m: ADDR_W = %0d (2 to 24), FRAMES_W = %0d (2 to ADDR_W)", ADDR_W, FRAMES_W);
        $finish;
    end

    initial if ((DATA_W != 8 && DATA_W != 64) || N_PORTS < 1 || N_PORTS > 16 || N_GROUPS < 1 || N_GROUPS > 16
                || TIME_W < 1 || TIME_W > 64 || (STORE != 0 && STORE != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), N_PORTS = %0d, N_GROUPS = %0d (1 to 16), ",
                 DATA_W, N_PORTS, N_GROUPS, "TIME_W = %0d (1 to 64), STORE = %0d (0 or 1)", TIME_W, STORE);
        $finish;
    end

    localparam K        = DATA_W / 8;           // bytes a beat
    localparam BEFORE_W = K == 1 ? 8 : 48;      // bits of the previous beat that realignment needs
    localparam WORDS    = K == 1 ? 20 : 3;      // that hold the first 20 bytes of an IPv4 header
    localparam USER_W   = 117 + TIME_W;

    // Verdict on a frame; FINE: none of the others so far
    localparam [3:0] FINE = 0, BAD_FRAME = 1, OTHER_MAC = 2, IPV6 = 3, ARP = 4, NOT_IP = 5, BAD_LENGTH = 6,
                     BAD_IP_HEADER = 7, BAD_IP_CHECKSUM = 8, FRAGMENT = 9, ICMP = 10, IGMP = 11, NOT_UDP = 12,
                     OTHER_IP = 13, OTHER_PORT = 14, BAD_UDP_CHECKSUM = 15;

    genvar g;
    integer i;

    // The whole pipeline advances while the output stage is free; a register, so that no combinational path crosses the
    // core.
    wire step;
    wire take = s_axis_tvalid && step;
    assign s_axis_tready = step;

    // ---------------------------------------------------------------------------------------------------------------
    // Ethernet stage

    wire                eth_end, eth_body, eth_bad, mac_ok, mac_direct, is_ipv4, is_ipv6, is_arp, one_tag;
    wire [N_GROUPS-1:0] mac_group;
    wire [BEFORE_W-1:0] previous;
    wire [TIME_W-1:0]   stamp;

    ws_udp_rx_eth #(.DATA_W(DATA_W), .N_GROUPS(N_GROUPS), .TIME_W(TIME_W), .BEFORE_W(BEFORE_W)) eth (
        .clk(clk), .rst(rst),
        .local_mac(local_mac), .groups(groups), .promiscuous(promiscuous), .now(now),
        .step(step), .take(take), .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tlast(s_axis_tlast),
        .tuser(s_axis_tuser),
        .ends(eth_end), .body(eth_body), .bad(eth_bad), .accepted(mac_ok), .direct(mac_direct), .group_mac(mac_group),
        .is_ipv4(is_ipv4), .is_ipv6(is_ipv6), .is_arp(is_arp), .one_tag(one_tag), .previous(previous), .stamp(stamp)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // IPv4 alignment stage

    wire              ip_here = eth_body && mac_ok && is_ipv4 && step && (s_axis_tvalid || eth_end);
    wire              ip_valid, ip_final, ip_end, pseudo_lo, pseudo_hi, ip_at_length, ip_short, odd;
    wire [DATA_W-1:0] ip_data;
    wire [K-1:0]      ip_keep, ip_missing;
    wire [WORDS-1:0]  ip_word;
    wire [1:0]        ip_next_word;
    wire [16:0]       sum_lo, sum_hi;
    wire [15:0]       ip_length;
    reg  [3:0]        ip_reason_reg;

    ws_udp_rx_ipv4 #(.DATA_W(DATA_W), .BEFORE_W(BEFORE_W), .WORDS(WORDS)) ipv4 (
        .clk(clk), .rst(rst),
        .step(step), .take(take), .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .here(ip_here), .ends(eth_end),
        .one_tag(one_tag), .previous(previous),
        .valid(ip_valid), .data(ip_data), .keep(ip_keep), .missing(ip_missing), .word(ip_word),
        .next_word(ip_next_word),
        .is_final(ip_final), .last(ip_end), .sum_lo(sum_lo), .sum_hi(sum_hi), .pseudo_lo(pseudo_lo),
        .pseudo_hi(pseudo_hi), .at_length(ip_at_length), .length(ip_length), .short(ip_short), .odd(odd)
    );

    always @(posedge clk) if (step)
        ip_reason_reg <= eth_bad   ? BAD_FRAME
                       : !eth_body ? BAD_LENGTH
                       : !mac_ok   ? OTHER_MAC
                       : is_ipv4   ? FINE
                       : is_ipv6   ? IPV6
                       : is_arp    ? ARP : NOT_IP;

    // ---------------------------------------------------------------------------------------------------------------
    // IPv4 stage: header checks and both checksums.
    //
    // A one's complement sum is good if the 16-bit words sum to 0xffff. The carries are counted instead of being added
    // back immediately: with sum = {carries, low} the condition is carries + low = 0xffff, so low == ~carries.
    //
    // The registers of this stage are read for a frame in the step of udp_end_reg at the latest. The next frame's first
    // word follows one step later at the earliest.

    localparam [5:0] BEAT = K[5:0];

    reg [5:0]  hdr_left_reg;                    // bytes of the header from this word on
    reg        hdr_lo_reg, hdr_hi_reg;          // the lower, the upper half of the word is in the header
    reg [20:0] ip_sum_reg;                      // 60 bytes at most
    reg        cut_reg;                         // lanes of the packet were missing
    reg        ip_header_bad_reg, fragment_reg, udp_reg, icmp_reg, igmp_reg;

    wire [3:0] ihl_now     = ip_data[3:0] < 4'd5 ? 4'd5 : ip_data[3:0];
    wire       ip_sum_good = ip_sum_reg[15:5] == 11'h7ff && ip_sum_reg[4:0] == ~ip_sum_reg[20:16];

    // Byte `offset` of a header is in word offset / K, lane offset % K.
    wire ip_first = ip_word[0];

    always @(posedge clk) begin
        if (step && ip_valid) begin
            if (ip_first)                 hdr_left_reg <= {ihl_now, 2'b00} - BEAT;
            else if (hdr_left_reg > BEAT) hdr_left_reg <= hdr_left_reg - BEAT;
            hdr_lo_reg <= ip_first || hdr_left_reg > BEAT;
            hdr_hi_reg <= ip_first || hdr_left_reg > BEAT + 6'd4;
            ip_sum_reg <= ip_sum_reg + (hdr_lo_reg ? {4'b0, sum_lo} : 21'd0) + (hdr_hi_reg ? {4'b0, sum_hi} : 21'd0);

            if (ip_first)                 ip_header_bad_reg <= ip_data[7:4] != 4'd4 || ip_data[3:0] < 4'd5;
            if (ip_at_length && ip_short) ip_header_bad_reg <= 1'b1;
            if (ip_word[12/K] && (&ip_data[8*(12%K)+5 +: 3] || ip_data[8*(12%K) +: 8] == 8'd127))
                ip_header_bad_reg <= 1'b1;                  // source is a group, reserved or loopback
            if (ip_word[6/K])        fragment_reg <= ip_data[8*(6%K) +: 6] != 6'd0;
            if (ip_word[7/K] && ip_data[8*(7%K) +: 8] != 8'd0) fragment_reg <= 1'b1;
            if (ip_word[9/K]) begin
                udp_reg  <= ip_data[8*(9%K) +: 8] == 8'd17;
                icmp_reg <= ip_data[8*(9%K) +: 8] == 8'd1;
                igmp_reg <= ip_data[8*(9%K) +: 8] == 8'd2;
            end
        end
        if (step && |ip_missing) cut_reg <= 1'b1;
        if (rst || (step && udp_end_reg)) begin
            hdr_lo_reg <= 1'b1;
            hdr_hi_reg <= 1'b1;
            ip_sum_reg <= 21'd0;
            cut_reg    <= 1'b0;
        end
    end

    // Destination: own address and limited broadcast to the own or the broadcast MAC, a group's to the group's MAC.
    localparam DESTINATIONS = 2 + N_GROUPS;

    wire [32*DESTINATIONS-1:0] destinations = {groups, 32'hffffffff, local_ip};
    wire [DESTINATIONS-1:0]    mac_fits     = {mac_group, mac_direct, mac_direct};
    wire [DESTINATIONS-1:0]    same;
    reg  [DESTINATIONS-1:0]    same_reg;
    wire                       other_ip = !promiscuous && same_reg == {DESTINATIONS{1'b0}};

    generate
        for (g = 0; g < DESTINATIONS; g = g + 1) begin : gen_destination
            if (K == 1) begin : gen_8
                // the MAC address with byte 15, then bytes 16 to 19, each comparison selected a step ahead
                reg [7:0] awaited_reg;
                always @(posedge clk) if (step) awaited_reg <= destinations[32*g+{27'b0, ~ip_next_word, 3'd0} +: 8];
                assign same[g] = ip_word[15] ? mac_fits[g] : ip_data == awaited_reg && same_reg[g];
            end else begin : gen_64
                assign same[g] = mac_fits[g] && {ip_data[7:0], ip_data[15:8], ip_data[23:16], ip_data[31:24]}
                                                == destinations[32*g +: 32];
            end
        end
    endgenerate

    always @(posedge clk) if (step && ip_valid && |ip_word[WORDS-1:K==1?15:2]) same_reg <= same;

    // UDP checksum, with the pseudo header: 17 initially, the addresses, and the UDP length, which is thus added twice.
    // First the word's contribution, then, a step later, the sum, which is complete with verdict_reg.
    reg [17:0] udp_add_reg;
    reg [31:0] udp_sum_reg;                     // 65,535 bytes and a pseudo header at most

    always @(posedge clk) begin
        if (step) begin
            udp_add_reg <= (ip_valid && (!hdr_lo_reg || pseudo_lo) ? {1'b0, sum_lo} : 18'd0)
                         + (ip_valid && (!hdr_hi_reg || pseudo_hi) ? {1'b0, sum_hi} : 18'd0)
                         + (ip_valid && !hdr_lo_reg && (udp_at_reg[4/K] || udp_at_reg[5/K])
                            ? {1'b0, length_again} : 18'd0);
            udp_sum_reg <= udp_sum_reg + {14'b0, udp_add_reg};
        end
        if (rst || (step && verdict_reg)) udp_sum_reg <= 32'd17;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // UDP stage: what follows the IPv4 header, realigned; header checks and metadata.
    //
    // The metadata are output from these registers. A frame's header follows 6 steps after its first beat or later: by
    // then the last beat of the previous datagram has been output, see ws_udp_rx_eth's stamp.

    localparam UDP_LAST = 7 / K;                // last word of the header

    reg               udp_end_reg, udp_cut_reg; // the step after ip_end: bytes left over by the realignment
    reg [3:0]         udp_reason_reg;
    reg [UDP_LAST+1:0] udp_at_reg;              // word of the header, one-hot; stays after its last
    reg               open_reg;                 // the payload is output, unless a check of the UDP stage failed
    reg               udp_length_good_reg, surplus_reg, checked_reg;
    reg [N_PORTS-1:0] port_on_reg, port_same_reg;
    reg [3:0]         port_index, port_index_reg;
    reg [15:0]        src_port_reg, dst_port_reg, length_reg;

    wire              udp_word, udp_final, udp_here;
    wire [DATA_W-1:0] udp_data;
    wire [K-1:0]      udp_keep;
    wire [31:0]       src_ip, dst_ip;
    wire [15:0]       udp_length;               // with the word of its last byte (64 bit), or after it
    wire [16:0]       length_again;             // the length's second addition to the checksum
    wire [N_PORTS-1:0] same_port;               // this word matches a port, or this byte and the previous one do

    assign udp_here = step && udp_word && !hdr_lo_reg;

    generate
        if (K == 1) begin : gen_udp_8
            reg [31:0] src_ip_reg, dst_ip_reg;
            wire       later = udp_at_reg[3];   // the second byte of the port
            wire       unused = odd;            // no realignment

            assign udp_word    = ip_valid;
            assign udp_final   = ip_final;
            assign udp_data    = ip_data;
            assign udp_keep    = ip_keep;
            assign src_ip      = src_ip_reg;
            assign dst_ip      = dst_ip_reg;
            assign udp_length  = length_reg;
            assign length_again = sum_lo;
            for (g = 0; g < N_PORTS; g = g + 1) begin : gen_port
                assign same_port[g] = ip_data == (later ? local_ports[16*g +: 8] : local_ports[16*g+8 +: 8])
                                      && (later ? port_same_reg[g] : port_on_reg[g]);
            end
            always @(posedge clk) if (step && ip_valid) begin
                for (i = 0; i < 4; i = i + 1) begin
                    if (ip_word[12+i]) src_ip_reg[8*(3-i) +: 8] <= ip_data;
                    if (ip_word[16+i]) dst_ip_reg[8*(3-i) +: 8] <= ip_data;
                end
            end
        end else begin : gen_udp_64
            wire        unused = &ip_next_word; // no selection ahead
            // An odd number of 4-byte words in the header: half a word is held back.
            reg  [31:0] half_reg;
            reg  [3:0]  half_keep_reg;
            reg         half_left_reg;          // with udp_end_reg: the last half word has not been output
            reg  [63:0] addresses_reg, addresses_out_reg;

            assign udp_word  = ip_valid || half_left_reg;
            assign udp_data  = odd ? {ip_data[31:0], half_reg} : ip_data;
            assign udp_keep  = odd ? {ip_valid ? ip_keep[3:0] : 4'b0, half_keep_reg} : ip_keep;
            assign udp_final = ip_final && !(odd && ip_keep[4]);
            assign src_ip    = {addresses_out_reg[7:0], addresses_out_reg[15:8], addresses_out_reg[23:16],
                                addresses_out_reg[31:24]};
            assign dst_ip    = {addresses_out_reg[39:32], addresses_out_reg[47:40], addresses_out_reg[55:48],
                                addresses_out_reg[63:56]};

            assign udp_length   = odd ? {ip_data[7:0], ip_data[15:8]} : {ip_data[39:32], ip_data[47:40]};
            assign length_again = {1'b0, udp_length};
            for (g = 0; g < N_PORTS; g = g + 1) begin : gen_port
                wire [15:0] swapped = {local_ports[16*g +: 8], local_ports[16*g+8 +: 8]};
                assign same_port[g] = port_on_reg[g] && (odd ? half_reg[31:16] == swapped : ip_data[31:16] == swapped);
            end

            always @(posedge clk) begin
                if (step) half_left_reg <= ip_end && odd && (ip_valid ? ip_keep[4] : half_keep_reg[0]);
                if (step && ip_valid) begin
                    half_reg      <= ip_data[63:32];
                    half_keep_reg <= ip_keep[7:4];
                    if (ip_word[2]) addresses_reg <= {ip_data[31:0], half_reg};
                end
                if (udp_here && udp_at_reg[UDP_LAST]) addresses_out_reg <= addresses_reg;
                if (rst) half_left_reg <= 1'b0;
            end
        end
    endgenerate

    // With 64 bit these are known a step after the header's word, with the payload's first; with 8 before its end.
    wire fits = ip_sum_good_reg && !other_port && udp_length_good_reg;
    wire push = udp_word && open_reg && (K == 1 || fits);
    wire hold = udp_final || !(&udp_keep);      // the last beat waits for the verdict

    always @(posedge clk) begin
        if (step) begin
            udp_end_reg    <= ip_end;
            udp_cut_reg    <= cut_reg || |ip_missing;
            udp_reason_reg <= ip_reason_reg;
        end
        if (udp_here) begin
            udp_at_reg <= udp_at_reg << 1 | {udp_at_reg[UDP_LAST+1], {UDP_LAST+1{1'b0}}};
            for (i = 0; i < 2; i = i + 1) begin
                if (udp_at_reg[i/K])     src_port_reg[8*(1-i) +: 8] <= udp_data[8*(i%K) +: 8];
                if (udp_at_reg[(2+i)/K]) dst_port_reg[8*(1-i) +: 8] <= udp_data[8*((2+i)%K) +: 8];
                if (udp_at_reg[(2+i)/K]) port_same_reg              <= same_port;
                if (K == 1 && udp_at_reg[(4+i)/K]) length_reg[8*(1-i) +: 8] <= udp_data[8*((4+i)%K) +: 8];
            end
            if (udp_at_reg[6/K]) begin
                udp_length_good_reg <= |udp_length[15:3] && udp_length <= ip_length;
                surplus_reg         <= udp_length != ip_length;
            end
            if (udp_at_reg[6/K]) checked_reg <= udp_data[8*(6%K) +: 8] != 8'd0;
            if (udp_at_reg[7/K] && udp_data[8*(7%K) +: 8] != 8'd0) checked_reg <= 1'b1;
            if (udp_at_reg[UDP_LAST]) begin
                open_reg   <= (K != 1 || fits) && !ip_header_bad_reg && !fragment_reg && udp_reg && !other_ip
                              && !no_udp;
                length_reg <= udp_length - 16'd8;
            end
        end
        if (rst || (step && udp_end_reg)) begin
            udp_at_reg <= {{UDP_LAST+1{1'b0}}, 1'b1};
            open_reg   <= 1'b0;
        end
        if (rst) udp_end_reg <= 1'b0;
    end

    // Index of the port, one step after port_same_reg, which it follows
    always @* begin
        port_index = 4'd0;
        for (i = N_PORTS - 1; i > 0; i = i - 1) if (port_same_reg[i] && !port_same_reg[0]) port_index = i[3:0];
    end

    always @(posedge clk) begin
        if (step) port_index_reg <= port_index;
        for (i = 0; i < N_PORTS; i = i + 1) port_on_reg[i] <= local_ports[16*i +: 16] != 16'd0;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Verdict stage, the step after udp_end_reg: every check except the UDP checksum, which is added a step later.

    reg       verdict_reg;
    reg [3:0] before_sum_reg, after_sum_reg;    // from Ethernet and IPv4; the checksum comes in between
    reg       ip_sum_good_reg;
    reg       report_reg;                       // the verdict is output: the packet ends, with its event
    reg [3:0] reason_reg;
    reg       fine_reg, udp_sum_good_reg;       // reason_reg is FINE; the check that reason_reg does not include

    wire no_udp     = ip_length[15:3] == 13'd0; // too short for a UDP header
    wire other_port = port_same_reg == {N_PORTS{1'b0}};

    always @(posedge clk) begin
        if (step) begin
            verdict_reg      <= udp_end_reg;
            before_sum_reg   <= udp_reason_reg != FINE ? udp_reason_reg
                              : udp_cut_reg            ? BAD_LENGTH
                              : ip_header_bad_reg      ? BAD_IP_HEADER : FINE;
            ip_sum_good_reg  <= ip_sum_good;
            after_sum_reg    <= fragment_reg           ? FRAGMENT
                              : icmp_reg               ? ICMP
                              : igmp_reg               ? IGMP
                              : !udp_reg               ? NOT_UDP
                              : other_ip               ? OTHER_IP
                              : no_udp                 ? BAD_LENGTH : FINE;

            report_reg       <= verdict_reg;
            reason_reg       <= before_sum_reg != FINE ? before_sum_reg
                              : !ip_sum_good_reg       ? BAD_IP_CHECKSUM
                              : after_sum_reg != FINE  ? after_sum_reg
                              : !udp_length_good_reg   ? BAD_LENGTH
                              : other_port             ? OTHER_PORT : FINE;
            fine_reg         <= before_sum_reg == FINE && ip_sum_good_reg && after_sum_reg == FINE
                                && udp_length_good_reg && !other_port;
            udp_sum_good_reg <= !checked_reg || udp_sum_reg[15:0] == ~udp_sum_reg[31:16];
        end
        if (rst) begin
            verdict_reg <= 1'b0;
            report_reg  <= 1'b0;
        end
    end

    // Events. Like the metadata, surplus_reg is stable until the datagram has been output.
    reg [15:0] evt_reg;

    always @(posedge clk) begin
        evt_reg <= !(step && report_reg)         ? 16'd0
                 : fine_reg && !udp_sum_good_reg ? 16'd1 << BAD_UDP_CHECKSUM
                 : 16'd1 << reason_reg;
        if (rst) evt_reg <= 16'd0;
    end

    assign evt_surplus = evt_delivered && surplus_reg;
    assign {evt_bad_udp_checksum, evt_other_port, evt_other_ip, evt_not_udp, evt_igmp, evt_icmp, evt_fragment,
            evt_bad_ip_checksum, evt_bad_ip_header, evt_bad_length, evt_not_ip, evt_arp, evt_ipv6, evt_other_mac,
            evt_bad_frame} = evt_reg[15:1];

    // ---------------------------------------------------------------------------------------------------------------
    // Output stage

    wire [DATA_W-1:0] cut_tdata;
    wire [K-1:0]      cut_tkeep;
    wire              cut_tvalid, cut_tready, cut_tlast, cut_bad;
    wire [USER_W-1:0] cut_tuser = {stamp, port_index_reg, dst_ip, dst_port_reg, src_ip, src_port_reg, length_reg,
                                   cut_bad};

    ws_verdict_slice #(.DATA_W(DATA_W)) slice (
        .clk(clk), .rst(rst),
        .step(step), .s_valid(push), .s_hold(hold), .s_data(udp_data), .s_keep(udp_keep),
        .verdict(report_reg), .bad(!fine_reg || !udp_sum_good_reg),
        .m_axis_tdata(cut_tdata), .m_axis_tkeep(cut_tkeep), .m_axis_tvalid(cut_tvalid), .m_axis_tready(cut_tready),
        .m_axis_tlast(cut_tlast), .m_axis_tuser(cut_bad)
    );

    generate
        if (STORE == 0) begin : gen_cut_through
            assign m_axis_tdata  = cut_tdata;
            assign m_axis_tkeep  = cut_tkeep;
            assign m_axis_tvalid = cut_tvalid;
            assign cut_tready    = m_axis_tready;
            assign m_axis_tlast  = cut_tlast;
            assign m_axis_tuser  = cut_tuser;
            assign evt_delivered = evt_reg[0];
            assign evt_full      = 1'b0;
        end else begin : gen_store
            // The FIFO's verdict on a good datagram replaces evt_reg[0].
            wire no_room, too_long;
            assign evt_full = no_room || too_long;

            /* verilator lint_off PINCONNECTEMPTY */
            ws_frame_fifo #(
                .DATA_W(DATA_W), .USER_W(USER_W), .ADDR_W(ADDR_W), .FRAMES_W(FRAMES_W), .OUTPUT_REG(1), .STYLE("block")
            ) fifo (
                .clk(clk), .rst(rst),
                .s_axis_tdata(cut_tdata), .s_axis_tkeep(cut_tkeep), .s_axis_tvalid(cut_tvalid),
                .s_axis_tready(cut_tready), .s_axis_tlast(cut_tlast), .s_axis_tuser(cut_tuser),
                .m_axis_tdata(m_axis_tdata), .m_axis_tkeep(m_axis_tkeep), .m_axis_tvalid(m_axis_tvalid),
                .m_axis_tready(m_axis_tready), .m_axis_tlast(m_axis_tlast), .m_axis_tuser(m_axis_tuser),
                .evt_good(evt_delivered), .evt_bad(), .evt_oversize(too_long), .evt_full(no_room)
            );
            /* verilator lint_on PINCONNECTEMPTY */
        end
    endgenerate

`ifdef FORMAL
    // The proof does not depend on the addresses.
    always @(posedge clk) begin
        assume (local_mac == 48'h020000000001 && local_ip == 32'hc0a8010a);
        assume (local_ports == 16'd1234 && groups == 32'he0000116);
    end

    ws_axis_rules #(.DATA_W(DATA_W), .ASSUME(1)) s_rules (
        .clk(clk), .rst(rst),
        .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tvalid(s_axis_tvalid), .tready(s_axis_tready),
        .tlast(s_axis_tlast), .tuser(s_axis_tuser)
    );
    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .PACKETS(1)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
