// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_rx: Ethernet frames in, the payloads of the UDP datagrams for one address and port out.
//
// s_axis takes frames without FCS, tuser[0] with tlast being the MAC's verdict. The payload leaves while the frame
// still arrives; its last beat is held until the frame's end, so that tuser[0] with tlast tells whether MAC, lengths
// and UDP checksum were good. A frame refused before its payload begins leaves nothing at all.
//
//   Ethernet                 IPv4                                             UDP
//   dst 6, src 6, [tag 4, [tag 4,]] type 2 | 20 to 60 bytes, options skipped | src 2, dst 2, length 2, checksum 2
//
// m_axis_tuser: [0] bad, [16:1] payload length in bytes, [32:17] source port, [64:33] source IPv4,
// [80:65] destination port, [112:81] destination IPv4.
//
// Accepted     own MAC or broadcast; up to two 802.1Q or 802.1ad tags, skipped; IPv4 options, skipped; own IP or
//              limited broadcast; own port; UDP checksum 0 (RFC 768: none); padding behind the datagram
// Counted      each frame is one pulse of evt_delivered or of the first of these that holds:
//                bad_frame         the MAC said so
//                bad_length        the frame ends inside its Ethernet header
//                other_mac, ipv6, not_ip (any other type, a third tag)
//                bad_length        the frame is shorter than 20 bytes of IPv4 or than its total length
//                bad_ip_header     version, header length below 20 or above the total length
//                bad_ip_checksum, fragment, not_udp, other_ip
//                bad_length        the UDP length is below 8 or is not what the IP header leaves for it
//                other_port, bad_udp_checksum
// Parameters   DATA_W   width of tdata in bits, 8 or 64
// Latency      first beat of an untagged frame without options in -> first payload beat out: 44 cycles (8 bit), 8 (64);
//              a frame's last beat in -> last payload beat out, and the event: 6 cycles
// Issue rate   1 beat a cycle, no gap needed between frames; s_axis_tready falls only after m_axis_tready did
// Settings     local_* may change only while no frame is inside
// Source       IEEE 802.3 and 802.1Q; RFC 791, 768, 1071

`default_nettype none

module ws_udp_rx #(
    parameter DATA_W = 8
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [47:0]         local_mac,
    input  wire [31:0]         local_ip,
    input  wire [15:0]         local_port,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tuser,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire [112:0]        m_axis_tuser,

    output wire                evt_delivered,
    output wire                evt_bad_frame,
    output wire                evt_other_mac,
    output wire                evt_ipv6,
    output wire                evt_not_ip,
    output wire                evt_bad_length,
    output wire                evt_bad_ip_header,
    output wire                evt_bad_ip_checksum,
    output wire                evt_fragment,
    output wire                evt_not_udp,
    output wire                evt_other_ip,
    output wire                evt_other_port,
    output wire                evt_bad_udp_checksum
);

    initial if (DATA_W != 8 && DATA_W != 64) begin
        $display("ERROR: %m: DATA_W = %0d, must be 8 or 64", DATA_W);
        $finish;
    end

    localparam K = DATA_W / 8;      // bytes a beat

    // What became of a frame; FINE so far
    localparam [3:0] FINE = 0, BAD_FRAME = 1, OTHER_MAC = 2, IPV6 = 3, NOT_IP = 4, BAD_LENGTH = 5, BAD_IP_HEADER = 6,
                     BAD_IP_CHECKSUM = 7, FRAGMENT = 8, NOT_UDP = 9, OTHER_IP = 10, OTHER_PORT = 11,
                     BAD_UDP_CHECKSUM = 12;

    // Byte `offset` of a header is in beat offset / K, lane offset % K.
    function in_beat(input integer offset, input [4:0] beat);
        in_beat = {27'b0, beat} == offset / K;
    endfunction

    // The whole pipeline moves while the output stage has room; a register, so that no path runs through the core.
    wire step;
    wire take = s_axis_tvalid && step;
    assign s_axis_tready = step;

    // ---------------------------------------------------------------------------------------------------------------
    // Ethernet stage: address filter, tags and type.
    //
    // The step after a frame's last beat is its end step: it carries the bytes that realignment left over. It may
    // fall together with the first beat of the next frame, which is all header and leaves nothing of its own.

    localparam MAC_LANES = K == 1 ? 1 : 6;
    localparam BEFORE_W  = K == 1 ? 8 : 48;     // bits of the beat before this one that are still needed

    reg [4:0]          eth_at_reg;              // beat of the header
    reg                eth_body_reg;            // the header is over
    reg                eth_end_reg;             // end step
    reg                eth_bad_reg;
    reg [1:0]          tags_reg;
    reg [MAC_LANES-1:0] own_reg, broadcast_reg; // lanes that agree with the address so far; combined a cycle later
    reg                mac_ok_reg, type_ipv4_reg, type_ipv6_reg;
    reg [BEFORE_W-1:0] before_reg;

    reg [MAC_LANES-1:0] own, broadcast;
    reg        type_here, type_ipv4, type_ipv6;
    reg [1:0]  tags;
    reg [15:0] type_field;
    integer    i;

    always @* begin
        own       = eth_at_reg == 5'd0 ? {MAC_LANES{1'b1}} : own_reg;
        broadcast = eth_at_reg == 5'd0 ? {MAC_LANES{1'b1}} : broadcast_reg;
        for (i = 0; i < 6; i = i + 1)
            if (in_beat(i, eth_at_reg)) begin
                if (s_axis_tdata[8*(i%K) +: 8] != local_mac[8*(5-i) +: 8]) own[i%MAC_LANES] = 1'b0;
                if (s_axis_tdata[8*(i%K) +: 8] != 8'hff) broadcast[i%MAC_LANES] = 1'b0;
            end

        tags      = eth_at_reg == 5'd0 ? 2'd0 : tags_reg;
        type_here = 1'b0;
        type_ipv4 = type_ipv4_reg;
        type_ipv6 = type_ipv6_reg;
        for (i = 0; i < 3; i = i + 1) begin
            type_field = {K == 1 ? before_reg[BEFORE_W-1 -: 8] : s_axis_tdata[8*((12+4*i)%K) +: 8],
                          s_axis_tdata[8*((13+4*i)%K) +: 8]};
            if (!type_here && {30'b0, tags} == i && in_beat(13 + 4*i, eth_at_reg) && s_axis_tkeep[(13+4*i)%K]) begin
                if (i < 2 && (type_field == 16'h8100 || type_field == 16'h88a8))
                    tags = tags + 2'd1;
                else begin
                    type_here = 1'b1;
                    type_ipv4 = type_field == 16'h0800;
                    type_ipv6 = type_field == 16'h86dd;
                end
            end
        end
    end

    always @(posedge clk) begin
        mac_ok_reg <= &own_reg || &broadcast_reg;       // needed with eth_body_reg, at least a beat behind the address
        if (step) begin
            eth_end_reg <= take && s_axis_tlast;
            if (eth_end_reg) eth_body_reg <= 1'b0;
        end
        if (take) begin
            eth_at_reg  <= s_axis_tlast ? 5'd0 : eth_at_reg + {4'b0, !eth_body_reg || eth_end_reg};
            eth_bad_reg <= s_axis_tuser;
            before_reg  <= s_axis_tdata[DATA_W-1 -: BEFORE_W];
            if (!eth_body_reg || eth_end_reg) begin
                tags_reg          <= tags;
                own_reg           <= own;
                broadcast_reg     <= broadcast;
                type_ipv4_reg     <= type_ipv4;
                type_ipv6_reg     <= type_ipv6;
                eth_body_reg      <= type_here;
            end
        end
        if (rst) begin
            eth_end_reg  <= 1'b0;
            eth_body_reg <= 1'b0;
            eth_at_reg   <= 5'd0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // IPv4 alignment stage: what follows the type, realigned to its first byte and trimmed to the total length.

    // Beats 0 to IP_BODY-1 hold the header's first 20 bytes, the part that every header has.
    localparam [4:0]  IP_BODY  = K == 1 ? 5'd20 : 5'd3;
    localparam [4:0]  IP_TOTAL = K == 1 ? 5'd3 : 5'd0;      // beat in which the total length becomes known
    localparam [15:0] GONE     = K == 1 ? 16'd4 : 16'd8;    // bytes that have gone by until then
    localparam [5:0]  BEAT     = K == 1 ? 6'd1 : 6'd8;      // bytes

    reg [4:0]  ip_at_next_reg;                  // of the word being aligned; stays at the end, where bit 0 toggles
    reg [3:0]  ihl_reg;                         // header length in 4-byte words
    reg        trim_reg, after_total_reg;       // the total length is known; it is since the word before
    reg [15:0] left_reg;                        // bytes of the datagram from this word on, and GONE more
    reg [K-1:0] claim_reg;                      // lanes that belong to the datagram; all while that is unknown
    reg        final_reg;                       // the datagram ends in this word
    reg [15:0] ip_length_reg;                   // bytes of the datagram behind the IPv4 header
    reg        ip_short_reg;                    // the total length is less than the header's

    reg               ip_valid_reg, ip_final_reg, ip_end_reg;
    reg [K-1:0]       ip_missing_reg;           // lanes that were claimed but are not there
    reg [4:0]         ip_at_reg;
    reg               ip_first_reg;
    reg [DATA_W-1:0]  ip_data_reg;
    reg [K-1:0]       ip_keep_reg;
    reg [3:0]         ip_reason_reg;
    reg [16:0]        sum_lo_reg, sum_hi_reg;   // of the 16-bit words in the lower and the upper half of ip_data_reg

    wire              ip_here = eth_body_reg && mac_ok_reg && type_ipv4_reg && step && (s_axis_tvalid || eth_end_reg);
    wire [DATA_W-1:0] aligned, trimmed;
    wire [K-1:0]      present;                  // lanes that hold bytes of the frame
    wire [K-1:0]      keep = present & claim_reg;
    wire [15:0]       total_length;
    wire              some;                     // left_reg is more than what has gone by
    wire [K-1:0]      claim;                    // claim_reg, final_reg of the next word
    wire              final_word;
    wire [16:0]       sum_lo, sum_hi;

    generate
        genvar g;
        for (g = 0; g < K; g = g + 1) begin : gen_trim
            assign trimmed[8*g +: 8] = claim_reg[g] ? aligned[8*g +: 8] : 8'h00;
        end
        if (K == 1) begin : gen_align_8
            assign aligned      = s_axis_tdata;
            assign present      = !eth_end_reg && s_axis_tkeep[0];
            assign total_length = {before_reg, aligned};
            assign sum_lo       = ip_at_next_reg[0] ? {9'b0, trimmed} : {1'b0, trimmed, 8'b0};
            assign sum_hi       = 17'd0;

            assign some       = left_reg > GONE;
            assign claim      = left_reg > GONE + 16'd1 || ip_at_next_reg < 5'd19;
            assign final_word = left_reg < GONE + 16'd3;
        end else begin : gen_align_64
            // The Ethernet header has 14 bytes, or 18 with one tag, or 22 with two.
            wire       one_tag  = tags_reg[0];
            wire [5:0] new_keep = eth_end_reg ? 6'b0 : s_axis_tkeep[5:0];
            reg  [5:0] before_keep_reg;
            always @(posedge clk) if (take) before_keep_reg <= s_axis_tkeep[7:2];
            assign aligned      = one_tag ? {s_axis_tdata[15:0], before_reg} : {s_axis_tdata[47:0], before_reg[47:32]};
            assign present      = one_tag ? {new_keep[1:0], before_keep_reg} : {new_keep, before_keep_reg[5:4]};
            assign total_length = {aligned[23:16], aligned[31:24]};
            assign sum_lo       = {1'b0, trimmed[7:0], trimmed[15:8]} + {1'b0, trimmed[23:16], trimmed[31:24]};
            assign sum_hi       = {1'b0, trimmed[39:32], trimmed[47:40]} + {1'b0, trimmed[55:48], trimmed[63:56]};

            // left_reg in whole words and the bytes of one more; the first of these words is gone, the second is here.
            wire [12:0] words = left_reg[15:3];
            wire        many  = |words[12:2];
            wire        full  = many || words[1:0] == 2'd3;
            wire        part  = !many && words[1:0] == 2'd2;
            wire        exact = !many && words[1:0] == 2'd3 && left_reg[2:0] == 3'd0;
            assign some       = many || words[1];
            assign final_word = !full || exact;
            // The word behind the total length's second one begins with the last four bytes that every header has.
            assign claim      = {8{full}} | ({8{part}} & ~(8'hff << left_reg[2:0])) | {4'h0, {4{after_total_reg}}};
        end
    endgenerate

    wire [16:0] length_diff = {1'b0, left_reg} - {11'b0, ihl_reg, 2'b00};
    wire        at_total    = ip_at_next_reg == IP_TOTAL;

    always @(posedge clk) begin
        if (step) begin
            ip_valid_reg  <= ip_here && keep[0];
            ip_end_reg    <= eth_end_reg;
            ip_missing_reg <= claim_reg & ~present;
            ip_final_reg  <= final_reg;
            ip_at_reg     <= ip_at_next_reg;
            ip_first_reg  <= ip_at_next_reg == 5'd0;
            ip_data_reg   <= trimmed;
            ip_keep_reg   <= keep;
            ip_reason_reg <= eth_bad_reg     ? BAD_FRAME
                           : !eth_body_reg ? BAD_LENGTH
                           : !mac_ok_reg     ? OTHER_MAC
                           : type_ipv4_reg ? FINE
                           : type_ipv6_reg ? IPV6 : NOT_IP;
            sum_lo_reg    <= sum_lo;
            sum_hi_reg    <= sum_hi;
        end
        if (step && eth_end_reg) begin
            ip_at_next_reg  <= 5'd0;
            trim_reg        <= 1'b0;
            after_total_reg <= 1'b0;
            claim_reg       <= {K{1'b1}};
            final_reg      <= 1'b0;
        end else if (ip_here) begin
            ip_at_next_reg  <= ip_at_next_reg == IP_BODY + 5'd1 ? IP_BODY : ip_at_next_reg + 5'd1;
            trim_reg        <= trim_reg || at_total;
            after_total_reg <= at_total;
            if (ip_at_next_reg == 5'd0) ihl_reg <= aligned[3:0];
            if (at_total)  left_reg <= total_length;
            else if (some) left_reg <= left_reg - {10'b0, BEAT};
            if (after_total_reg) {ip_short_reg, ip_length_reg} <= length_diff;
            if (trim_reg) begin
                final_reg <= final_word;
                claim_reg <= claim;
            end
        end
        if (rst) begin
            ip_valid_reg   <= 1'b0;
            ip_end_reg     <= 1'b0;
            ip_at_next_reg  <= 5'd0;
            trim_reg        <= 1'b0;
            after_total_reg <= 1'b0;
            claim_reg       <= {K{1'b1}};
            final_reg       <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // IPv4 stage: header checks and both checksums.
    //
    // A one's complement sum is good when its 16-bit words sum to 0xffff. The carries are counted instead of being
    // added back at once: with sum = {carries, low} that is carries + low = 0xffff, so low == ~carries.
    //
    // What is gathered here of a frame is read in the step of udp_end_reg at the latest and cleared with it: the next
    // frame's first word comes one step later at the earliest.

    reg [5:0]  hdr_left_reg;                    // bytes of the header from this word on
    reg        hdr_lo_reg, hdr_hi_reg;          // the lower, the upper half of the word belongs to the header
    reg [20:0] ip_sum_reg;                      // 60 bytes at most
    reg        cut_reg;                         // lanes that were claimed were missing
    reg        ip_header_bad_reg, fragment_reg, not_udp_reg, not_own_reg, not_broadcast_reg;
    reg [31:0] src_ip_reg;                      // at 64 bit a word late, when the frame before needs it no more

    wire [31:0] half;                           // 64 bit: upper half of the word before

    wire [3:0] ihl_now     = ip_data_reg[3:0] < 4'd5 ? 4'd5 : ip_data_reg[3:0];
    wire       ip_sum_good = ip_sum_reg[15:5] == 11'h7ff && ip_sum_reg[4:0] == ~ip_sum_reg[20:16];

    // The pseudo header: 17 at the start, the length beside it, then the addresses (bytes 12 to 19).
    reg        length_word_reg, pseudo_lo_reg, pseudo_hi_reg;

    always @(posedge clk) if (step) begin
        length_word_reg <= after_total_reg;
        pseudo_lo_reg   <= K == 1 ? ip_at_next_reg >= 5'd12 && ip_at_next_reg < 5'd20 : ip_at_next_reg == 5'd2;
        pseudo_hi_reg   <= K != 1 && ip_at_next_reg == 5'd1;
    end

    always @(posedge clk) begin
        if (step && ip_valid_reg) begin
            if (ip_first_reg)             hdr_left_reg <= {ihl_now, 2'b00} - BEAT;
            else if (hdr_left_reg > BEAT) hdr_left_reg <= hdr_left_reg - BEAT;
            hdr_lo_reg   <= ip_first_reg || hdr_left_reg > BEAT;
            hdr_hi_reg   <= ip_first_reg || hdr_left_reg > BEAT + 6'd4;
            ip_sum_reg   <= ip_sum_reg
                          + (hdr_lo_reg ? {4'b0, sum_lo_reg} : 21'd0) + (hdr_hi_reg ? {4'b0, sum_hi_reg} : 21'd0);

            if (|ip_missing_reg)                                                       cut_reg           <= 1'b1;
            if (ip_first_reg && (ip_data_reg[7:4] != 4'd4 || ip_data_reg[3:0] < 4'd5)) ip_header_bad_reg <= 1'b1;
            if (length_word_reg && ip_short_reg)                                       ip_header_bad_reg <= 1'b1;
            if (in_beat(6, ip_at_reg) && ip_data_reg[8*(6%K) +: 6] != 6'd0)            fragment_reg      <= 1'b1;
            if (in_beat(7, ip_at_reg) && ip_data_reg[8*(7%K) +: 8] != 8'd0)            fragment_reg      <= 1'b1;
            if (in_beat(9, ip_at_reg) && ip_data_reg[8*(9%K) +: 8] != 8'd17)           not_udp_reg       <= 1'b1;
            for (i = 0; i < 4; i = i + 1) begin
                if (K == 1 ? in_beat(12 + i, ip_at_reg) : ip_at_reg == 5'd2)
                    src_ip_reg[8*(3-i) +: 8] <= K == 1 ? ip_data_reg[7:0] : half[8*i +: 8];
                if (in_beat(16 + i, ip_at_reg)) begin
                    if (ip_data_reg[8*((16+i)%K) +: 8] != local_ip[8*(3-i) +: 8]) not_own_reg       <= 1'b1;
                    if (ip_data_reg[8*((16+i)%K) +: 8] != 8'hff)                  not_broadcast_reg <= 1'b1;
                end
            end
        end
        if (rst || (step && udp_end_reg)) begin
            hdr_lo_reg        <= 1'b1;
            hdr_hi_reg        <= 1'b1;
            ip_sum_reg        <= 21'd0;
            cut_reg           <= 1'b0;
            ip_header_bad_reg <= 1'b0;
            fragment_reg      <= 1'b0;
            not_udp_reg       <= 1'b0;
            not_own_reg       <= 1'b0;
            not_broadcast_reg <= 1'b0;
        end
    end

    // UDP checksum: first what the word adds, then, a step later, the sum, complete with verdict_reg.
    reg [17:0] udp_add_reg;
    reg [31:0] udp_sum_reg;                     // 65,535 bytes and a pseudo header at most

    always @(posedge clk) begin
        if (step) begin
            udp_add_reg <= (!ip_valid_reg                   ? 18'd0
                            : length_word_reg               ? {2'b0, ip_length_reg}
                            : !hdr_lo_reg || pseudo_lo_reg  ? {1'b0, sum_lo_reg} : 18'd0)
                         + (ip_valid_reg && (!hdr_hi_reg || pseudo_hi_reg) ? {1'b0, sum_hi_reg} : 18'd0);
            udp_sum_reg <= udp_sum_reg + {14'b0, udp_add_reg};
        end
        if (rst || (step && verdict_reg)) udp_sum_reg <= 32'd17;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // UDP stage: what follows the IPv4 header, realigned; header checks.

    localparam [4:0] UDP_LAST = K == 1 ? 5'd7 : 5'd0;            // last beat of the header

    reg        udp_end_reg, udp_cut_reg;        // the step after ip_end_reg: bytes left over by the realignment
    reg [3:0]  udp_reason_reg;
    reg [4:0]  udp_at_reg;                      // beat of the header; stays behind its last
    reg        open_reg;                        // the payload leaves, unless a check of the UDP stage failed
    reg        other_port_reg, udp_length_bad_reg, checked_reg, to_own_reg;
    reg [15:0] src_port_reg, length_reg;

    wire              udp_word, udp_final;
    wire              udp_here = udp_word && !hdr_lo_reg;
    wire [DATA_W-1:0] udp_data;
    wire [K-1:0]      udp_keep;

    generate
        if (K == 1) begin : gen_udp_8
            assign udp_word  = ip_valid_reg;
            assign udp_final = ip_final_reg;
            assign udp_data  = ip_data_reg;
            assign udp_keep  = ip_keep_reg;
            assign half      = 32'd0;
        end else begin : gen_udp_64
            // An odd number of 4-byte words in the header: half a word is kept back.
            reg  [31:0] half_reg;
            reg  [3:0]  half_keep_reg;
            reg         half_left_reg;          // with udp_end_reg: the last half word is still to go
            wire        odd = ihl_reg[0];
            always @(posedge clk) begin
                if (step) half_left_reg <= ip_end_reg && odd && (ip_valid_reg ? ip_keep_reg[4] : half_keep_reg[0]);
                if (step && ip_valid_reg) begin
                    half_reg      <= ip_data_reg[63:32];
                    half_keep_reg <= ip_keep_reg[7:4];
                end
                if (rst) half_left_reg <= 1'b0;
            end
            assign half      = half_reg;
            assign udp_word  = ip_valid_reg || half_left_reg;
            assign udp_data  = odd ? {ip_data_reg[31:0], half_reg} : ip_data_reg;
            assign udp_keep  = odd ? {ip_valid_reg ? ip_keep_reg[3:0] : 4'b0, half_keep_reg} : ip_keep_reg;
            assign udp_final = ip_final_reg && !(odd && ip_keep_reg[4]);
        end
    endgenerate

    wire push = udp_word && open_reg && ip_sum_good_reg && !other_port_reg && !udp_length_bad_reg;
    wire hold = udp_final || !(&udp_keep);      // the last beat waits for the verdict

    always @(posedge clk) begin
        if (step) begin
            udp_end_reg    <= ip_end_reg;
            udp_cut_reg    <= cut_reg || |ip_missing_reg;
            udp_reason_reg <= ip_reason_reg;
        end
        if (step && udp_here) begin
            if (udp_at_reg <= UDP_LAST) udp_at_reg <= udp_at_reg + 5'd1;
            for (i = 0; i < 2; i = i + 1) begin
                if (in_beat(i, udp_at_reg)) src_port_reg[8*(1-i) +: 8] <= udp_data[8*(i%K) +: 8];
                if (in_beat(2 + i, udp_at_reg) && udp_data[8*((2+i)%K) +: 8] != local_port[8*(1-i) +: 8])
                    other_port_reg <= 1'b1;
                if (in_beat(4 + i, udp_at_reg) && udp_data[8*((4+i)%K) +: 8] != ip_length_reg[8*(1-i) +: 8])
                    udp_length_bad_reg <= 1'b1;
                if (in_beat(6 + i, udp_at_reg) && udp_data[8*((6+i)%K) +: 8] != 8'd0)
                    checked_reg <= 1'b1;
            end
            if (udp_at_reg == UDP_LAST) begin
                open_reg   <= !ip_header_bad_reg && after_sum == FINE;
                length_reg <= ip_length_reg - 16'd8;
                to_own_reg <= !not_own_reg;
            end
        end
        if (rst || (step && udp_end_reg)) begin
            udp_at_reg <= 5'd0;
            open_reg   <= 1'b0;
        end
        if (rst || (step && verdict_reg)) begin
            other_port_reg     <= 1'b0;
            udp_length_bad_reg <= 1'b0;
            checked_reg        <= 1'b0;
        end
        if (rst) udp_end_reg <= 1'b0;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Verdict stage, the step after udp_end_reg: every check but that of the UDP checksum, which joins a step later.

    reg       verdict_reg, started_reg;
    reg [3:0] before_sum_reg, after_sum_reg;    // reasons found in Ethernet and IPv4, before and after the checksum's
    reg       ip_sum_good_reg;
    reg       report_reg;                       // the verdict leaves: the packet ends, the event is reported
    reg       begun_reg;                        // with report_reg: beats of the packet have left or are held
    reg [3:0] reason_reg;
    reg       fine_reg, udp_sum_good_reg;       // reason_reg is FINE; and this is the check that it does not have

    wire [3:0] after_sum = fragment_reg                        ? FRAGMENT
                         : not_udp_reg                         ? NOT_UDP
                         : not_own_reg && not_broadcast_reg    ? OTHER_IP
                         : ip_length_reg[15:3] == 13'd0        ? BAD_LENGTH : FINE;

    wire bad   = !fine_reg || !udp_sum_good_reg;
    wire close = report_reg && (begun_reg || !bad);

    always @(posedge clk) begin
        if (step) begin
            verdict_reg      <= udp_end_reg;
            before_sum_reg   <= udp_reason_reg != FINE ? udp_reason_reg
                              : udp_cut_reg            ? BAD_LENGTH
                              : ip_header_bad_reg      ? BAD_IP_HEADER : FINE;
            ip_sum_good_reg  <= ip_sum_good;
            after_sum_reg    <= after_sum;
            started_reg      <= push || (started_reg && !verdict_reg);

            report_reg       <= verdict_reg;
            begun_reg        <= started_reg;
            reason_reg       <= before_sum_reg != FINE  ? before_sum_reg
                              : !ip_sum_good_reg        ? BAD_IP_CHECKSUM
                              : after_sum_reg != FINE   ? after_sum_reg
                              : udp_length_bad_reg      ? BAD_LENGTH
                              : other_port_reg          ? OTHER_PORT : FINE;
            fine_reg         <= before_sum_reg == FINE && ip_sum_good_reg && after_sum_reg == FINE
                                && !udp_length_bad_reg && !other_port_reg;
            udp_sum_good_reg <= !checked_reg || udp_sum_reg[15:0] == ~udp_sum_reg[31:16];
        end
        if (rst) begin
            verdict_reg <= 1'b0;
            report_reg  <= 1'b0;
            started_reg <= 1'b0;
        end
    end

    // Events
    reg [12:0] evt_reg;

    always @(posedge clk) begin
        evt_reg <= !(step && report_reg)             ? 13'd0
                   : fine_reg && !udp_sum_good_reg ? 13'd1 << BAD_UDP_CHECKSUM
                   : 13'd1 << reason_reg;
        if (rst) evt_reg <= 13'd0;
    end

    assign {evt_bad_udp_checksum, evt_other_port, evt_other_ip, evt_not_udp, evt_fragment, evt_bad_ip_checksum,
            evt_bad_ip_header, evt_bad_length, evt_not_ip, evt_ipv6, evt_other_mac, evt_bad_frame,
            evt_delivered} = evt_reg;

    // ---------------------------------------------------------------------------------------------------------------
    // Output stage: a register slice whose output place can hold the last beat back until the verdict is there.

    reg              out_valid_reg, out_held_reg, out_last_reg, out_bad_reg;
    reg [DATA_W-1:0] out_data_reg;
    reg [K-1:0]      out_keep_reg;
    reg [112:1]      out_meta_reg;
    reg              spare_valid_reg, spare_held_reg, spare_last_reg, spare_bad_reg;
    reg [DATA_W-1:0] spare_data_reg;
    reg [K-1:0]      spare_keep_reg;

    // A verdict finds its last beat held, or there is none: an empty payload then leaves as one beat without bytes, and
    // a cut one, bad in any case, ends with a byte that stands for those missing.
    wire         beat = push || (close && !out_held_reg);
    wire [K-1:0] lanes = push ? udp_keep : {K{begun_reg}} >> (K - 1);
    wire out_free = !out_held_reg && (!out_valid_reg || m_axis_tready);

    assign step          = !spare_valid_reg;
    assign m_axis_tvalid = out_valid_reg;
    assign m_axis_tlast  = out_last_reg;
    assign m_axis_tdata  = out_data_reg;
    assign m_axis_tkeep  = out_keep_reg;
    assign m_axis_tuser  = {out_meta_reg, out_bad_reg};

    always @(posedge clk) begin
        if (step) begin
            spare_held_reg <= push && hold;
            spare_last_reg <= !push;
            spare_bad_reg  <= !push && bad;
            spare_data_reg <= udp_data;
            spare_keep_reg <= lanes;
        end
        if (out_free) begin
            out_valid_reg   <= step ? beat && !(push && hold) : !spare_held_reg;
            out_held_reg    <= step ? push && hold : spare_held_reg;
            out_data_reg    <= step ? udp_data : spare_data_reg;
            out_keep_reg    <= step ? lanes : spare_keep_reg;
            spare_valid_reg <= 1'b0;
            if (!step || beat) begin
                out_last_reg <= step ? !push : spare_last_reg;
                out_bad_reg  <= step ? !push && bad : spare_bad_reg;
            end
            if (out_last_reg)           // what is loaded, if anything, begins a packet
                out_meta_reg <= {to_own_reg ? local_ip : 32'hffffffff, local_port,
                                 src_ip_reg, src_port_reg, length_reg};
        end else if (step)
            spare_valid_reg <= beat;
        if (step && close && out_held_reg) begin
            out_valid_reg <= 1'b1;
            out_held_reg  <= 1'b0;
            out_last_reg  <= 1'b1;
            out_bad_reg   <= bad;
        end
        if (rst) begin
            out_valid_reg   <= 1'b0;
            out_held_reg    <= 1'b0;
            out_last_reg    <= 1'b1;
            spare_valid_reg <= 1'b0;
        end
    end

endmodule

`default_nettype wire
