// SPDX-License-Identifier: Apache-2.0
//
// ws_control_rx: extracts ARP, ICMP and IGMP from a MAC's frames and outputs them byte by byte in a normal form.
//
// s_axis taps the MAC's stream of Ethernet frames without FCS; it never stalls it. Stored are frames to local_mac, to
// broadcast or to a group that carry ARP, or IPv4 with protocol 1 or 2, under at most two 802.1Q or 802.1ad tags; all
// others are ignored and not counted. The normal form is
//
//   Ethernet                  ARP      IPv4                       ICMP, IGMP
//   dst 6, src 6, type 2    | 28     | 20, unchanged            | up to the total length
//                                      tags, options and padding are removed
//
// m_axis_tuser: [0] bad, with tlast; [2:1] kind: 0 ARP, 1 ICMP, 2 IGMP. Bad frames are: one shorter than its total
// length (or than 28 bytes of ARP); an IPv4 header with a version other than 4, less than 20 bytes, a wrong checksum, a
// fragment's flag or offset, or no payload; ICMP to an address other than local_ip; IGMP to neither that nor a group.
//
// Counted      each frame stored is one pulse of evt_arp, evt_icmp, evt_igmp or, if bad, evt_bad_ip, when its end is
//              output. A frame to be stored is evt_oversize if it is longer than the FIFO, and evt_full if it does not
//              fit now. One that the MAC marks bad (tuser[0] with tlast) or shorter than 41 bytes is not counted.
// Parameters   DATA_W  width of s_axis_tdata in bits: 8 or 64
//              ADDR_W  the FIFO holds 2**ADDR_W words of DATA_W bits, 6 to (DATA_W == 8 ? 14 : 11); and 16 frames
// Latency      6 cycles from a frame's tlast beat in to its first byte out
// Issue rate   1 beat a cycle in, no gap needed between frames; 1 byte a cycle out of the FIFO, removed bytes included
// Overflow     evt_full, see above
// Settings     local_* may change at any time: frames in progress are checked against either value
// Source       IEEE 802.3 and 802.1Q; RFC 791, 792, 826, 1071, 1112

`default_nettype none

module ws_control_rx #(
    parameter DATA_W = 8,
    parameter ADDR_W = DATA_W == 8 ? 11 : 9
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [47:0]         local_mac,
    input  wire [31:0]         local_ip,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tuser,

    output wire [7:0]          m_axis_tdata,
    output wire                m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire [2:0]          m_axis_tuser,

    output reg                 evt_arp,
    output reg                 evt_icmp,
    output reg                 evt_igmp,
    output reg                 evt_bad_ip,
    output wire                evt_full,
    output wire                evt_oversize
);

    localparam K      = DATA_W / 8;             // bytes a beat

    initial if ((DATA_W != 8 && DATA_W != 64) || ADDR_W < 6 || (K << ADDR_W) > 16384) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), ADDR_W = %0d (6 to 14 at 8 bits, to 11 at 64)", DATA_W, ADDR_W);
        $finish;
    end

    localparam [1:0] KIND_ARP = 2'd0, KIND_ICMP = 2'd1, KIND_IGMP = 2'd2;

    // ---------------------------------------------------------------------------------------------------------------
    // Filter: the frame goes straight into the FIFO while two stages decide whether to keep it. A frame long
    // enough to be of use ends later than that.

    // Beat of the frame; stays at the earliest possible last one. Byte `offset` is in beat offset / K, lane offset % K.
    localparam      ENOUGH = 40 / K;
    localparam      AT_W   = $clog2(ENOUGH + 1);
    reg  [AT_W-1:0] at_reg;
    wire            enough = at_reg == ENOUGH[AT_W-1:0];
    wire [AT_W-1:0] at_next = s_axis_tlast ? {AT_W{1'b0}} : at_reg + {{AT_W-1{1'b0}}, !enough};
    wire            enough_next = (s_axis_tvalid ? at_next : at_reg) == ENOUGH[AT_W-1:0];

    function in_beat(input integer offset, input [AT_W-1:0] at);
        in_beat = {{32-AT_W{1'b0}}, at} == offset / K;
    endfunction

    always @(posedge clk) begin
        if (s_axis_tvalid) at_reg <= at_next;
        if (rst) at_reg <= {AT_W{1'b0}};
    end

    // Compare stage: each possible position of the type and of the protocol. Index: number of tags before it.
    localparam MAC_LANES = K == 1 ? 1 : 6;

    reg  [MAC_LANES-1:0] own_reg;               // lanes that match the address so far
    reg                  group_reg;
    reg  [1:0]           tag_reg;
    reg  [2:0]           arp_reg, ipv4_reg, icmp_reg, igmp_reg;
    reg  [7:0]           before_reg;            // the byte before, for 8 bits only
    integer              i;

    function [15:0] type_field(input integer offset, input [DATA_W-1:0] beat, input [7:0] previous);
        type_field = {K == 1 ? previous : beat[8*(offset%K) +: 8], beat[8*((offset+1)%K) +: 8]};
    endfunction

    always @(posedge clk)
        if (s_axis_tvalid) begin
            before_reg <= s_axis_tdata[7:0];
            if (at_reg == {AT_W{1'b0}}) begin
                own_reg   <= {MAC_LANES{1'b1}};
                group_reg <= s_axis_tdata[0];
            end
            for (i = 0; i < 6; i = i + 1)
                if (in_beat(i, at_reg) && s_axis_tdata[8*(i%K) +: 8] != local_mac[8*(5-i) +: 8])
                    own_reg[i%MAC_LANES] <= 1'b0;
            for (i = 0; i < 3; i = i + 1) begin
                if (in_beat(13 + 4*i, at_reg)) begin
                    if (i < 2)
                        tag_reg[i] <= type_field(12 + 4*i, s_axis_tdata, before_reg) == 16'h8100
                                   || type_field(12 + 4*i, s_axis_tdata, before_reg) == 16'h88a8;
                    arp_reg[i]  <= type_field(12 + 4*i, s_axis_tdata, before_reg) == 16'h0806;
                    ipv4_reg[i] <= type_field(12 + 4*i, s_axis_tdata, before_reg) == 16'h0800;
                end
                if (in_beat(23 + 4*i, at_reg)) begin
                    icmp_reg[i] <= s_axis_tdata[8*((23+4*i)%K) +: 8] == 8'd1;
                    igmp_reg[i] <= s_axis_tdata[8*((23+4*i)%K) +: 8] == 8'd2;
                end
            end
        end

    // Combine stage
    wire [1:0] tags = !tag_reg[0] ? 2'd0 : !tag_reg[1] ? 2'd1 : 2'd2;
    wire       icmp = ipv4_reg[tags] && icmp_reg[tags];
    wire       igmp = ipv4_reg[tags] && igmp_reg[tags];
    reg        wanted_reg;
    reg  [1:0] tags_reg, kind_reg;

    always @(posedge clk) begin
        wanted_reg <= enough_next && (&own_reg || group_reg) && (arp_reg[tags] || icmp || igmp);
        tags_reg   <= tags;
        kind_reg   <= igmp ? KIND_IGMP : icmp ? KIND_ICMP : KIND_ARP;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // FIFO. It stores kind and number of tags once a frame.
    wire [DATA_W-1:0] word;
    wire [K-1:0]      word_keep;
    wire              word_valid, word_ready, word_last, word_bad;     // word_bad: never
    wire [1:0]        word_kind, word_tags;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_frame_fifo #(
        .DATA_W    (DATA_W),
        .USER_W    (5),
        .ADDR_W    (ADDR_W),
        .FRAMES_W  (4),
        .OUTPUT_REG(1),
        .STYLE     ("block")
    ) fifo (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (s_axis_tdata),
        .s_axis_tkeep (s_axis_tkeep),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(),
        .s_axis_tlast (s_axis_tlast),
        .s_axis_tuser ({tags_reg, kind_reg, s_axis_tuser || !wanted_reg}),
        .m_axis_tdata (word),
        .m_axis_tkeep (word_keep),
        .m_axis_tvalid(word_valid),
        .m_axis_tready(word_ready),
        .m_axis_tlast (word_last),
        .m_axis_tuser ({word_tags, word_kind, word_bad}),
        .evt_good     (),
        .evt_bad      (),
        .evt_oversize (evt_oversize),
        .evt_full     (evt_full)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // Byte stage
    wire [7:0] octet;
    wire       octet_valid, octet_last, octet_bad, step;
    wire [1:0] octet_tags, kind;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_axis_narrow #(
        .DATA_W(DATA_W),
        .USER_W(5)
    ) narrow (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (word),
        .s_axis_tkeep (word_keep),
        .s_axis_tvalid(word_valid),
        .s_axis_tready(word_ready),
        .s_axis_tlast (word_last),
        .s_axis_tuser ({word_tags, word_kind, word_bad}),
        .m_axis_tdata (octet),
        .m_axis_tkeep (),
        .m_axis_tvalid(octet_valid),
        .m_axis_tready(step),
        .m_axis_tlast (octet_last),
        .m_axis_tuser ({octet_tags, kind, octet_bad})
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // ---------------------------------------------------------------------------------------------------------------
    // Normal form stage

    // Position of the octet in the output; stays at BODY, the end of the first 20 bytes of the IPv4 header.
    localparam [5:0] TAGS = 6'd12, TYPE_END = 6'd13, IP_VERSION = 6'd14, IP_TOTAL = 6'd16, IP_FLAGS = 6'd20,
                     IP_DST = 6'd30, BODY = 6'd34;

    wire       take = octet_valid && step;
    wire       ipv4 = kind != KIND_ARP;
    reg  [5:0] place_reg;
    reg  [3:0] options_reg;         // of the IPv4 header, in 4-byte words
    reg        skipping_reg;        // this octet belongs to a tag (at TAGS) or an option (at BODY)
    reg  [5:0] skip_reg;            // such octets from this one on
    reg        body_reg;            // it follows the header
    reg        done_reg;            // it is padding

    always @(posedge clk) begin
        if (take) begin
            if (octet_last) place_reg <= 6'd0;
            else if (!skipping_reg && place_reg != BODY) place_reg <= place_reg + 6'd1;

            skip_reg <= skip_reg - 6'd1;
            if (place_reg == TYPE_END) options_reg <= 4'd0;
            if (place_reg == IP_VERSION && ipv4) options_reg <= octet[3:0] - 4'd5;
            if (octet_last) begin
                skipping_reg <= 1'b0;
                body_reg     <= 1'b0;
            end else if (place_reg == TAGS - 6'd1) begin
                skipping_reg <= octet_tags != 2'd0;
                skip_reg     <= {2'b00, octet_tags, 2'b00};
            end else if (place_reg == BODY - 6'd1) begin
                skipping_reg <= options_reg != 4'd0;
                skip_reg     <= {options_reg, 2'b00};
                body_reg     <= options_reg == 4'd0;
            end else if (skip_reg == 6'd1) begin
                skipping_reg <= 1'b0;
                body_reg     <= place_reg == BODY;
            end
        end
        if (rst) begin
            place_reg    <= 6'd0;
            skipping_reg <= 1'b0;
            body_reg     <= 1'b0;
        end
    end

    // Length: bytes to the end of the datagram plus four, since they are counted from the total length on. The end
    // is detected one octet ahead.
    reg [15:0] left_reg;
    reg        final_reg;
    wire       at_end = body_reg && final_reg;

    always @(posedge clk) begin
        if (take) begin
            if (place_reg == TYPE_END) left_reg <= 16'd28 + 16'd4;              // if it is ARP
            else if (place_reg[5:1] == IP_TOTAL[5:1] && ipv4) left_reg <= {left_reg[7:0], octet};
            else left_reg <= left_reg - 16'd1;
            final_reg <= left_reg == 16'd6;
            done_reg  <= !octet_last && (done_reg || at_end);
        end
        if (rst) done_reg <= 1'b0;
    end

    wire emit = octet_valid && !done_reg && (!skipping_reg || octet_last);
    wire ends = octet_last || at_end;

    // Checksum: a sum of 16-bit words, a byte at a time. The carry of one byte's sum goes into the other byte, which
    // comes next; that of the last one has not yet been added when the header ends.
    reg [7:0] sum_next_reg, sum_last_reg;       // the sum's byte that is added to next; the one added to last
    reg       carry_reg;
    wire      sum_good = &sum_last_reg && &sum_next_reg[7:1] && sum_next_reg[0] != carry_reg;

    always @(posedge clk)
        if (take) begin
            if (place_reg == TYPE_END) {carry_reg, sum_last_reg, sum_next_reg} <= 17'd0;
            else if (!body_reg) begin
                {carry_reg, sum_last_reg} <= {1'b0, sum_next_reg} + {1'b0, octet} + {8'd0, carry_reg};
                sum_next_reg              <= sum_last_reg;
            end
        end

    // The other checks of the IPv4 header
    reg       refused_reg;          // version, header length or fragment
    reg       other_ip_reg;         // not to local_ip
    reg       group_ip_reg;         // to a group
    reg [7:0] local_octet_reg;      // of local_ip, if this octet belongs to the destination
    wire      for_us = !other_ip_reg || (kind == KIND_IGMP && group_ip_reg);
    wire      good   = at_end && !octet_bad && (!ipv4 || (!refused_reg && sum_good && for_us));

    always @(posedge clk)
        if (take) begin
            local_octet_reg <= local_ip[8*{^place_reg[1:0], place_reg[0]} +: 8];    // for the next position
            if (place_reg == TYPE_END) {refused_reg, other_ip_reg} <= 2'b00;
            if (place_reg == IP_VERSION && (octet[7:4] != 4'd4 || octet[3:0] < 4'd5)) refused_reg <= 1'b1;
            if (place_reg == IP_FLAGS && octet[5:0] != 6'd0) refused_reg <= 1'b1;       // not DF, nor the reserved bit
            if (place_reg == IP_FLAGS + 6'd1 && octet != 8'd0) refused_reg <= 1'b1;
            if (place_reg == IP_DST) group_ip_reg <= octet[7:4] == 4'he;
            if (place_reg >= IP_DST && place_reg != BODY && octet != local_octet_reg) other_ip_reg <= 1'b1;
        end

    assign m_axis_tkeep = 1'b1;

    ws_skid_buffer #(.DATA_W(12)) out_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(emit),
        .s_ready(step),
        .s_data ({kind, ends && !good, ends, octet}),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_data ({m_axis_tuser, m_axis_tlast, m_axis_tdata})
    );

    // Events
    always @(posedge clk) begin
        evt_arp    <= emit && step && ends && good && kind == KIND_ARP;
        evt_icmp   <= emit && step && ends && good && kind == KIND_ICMP;
        evt_igmp   <= emit && step && ends && good && kind == KIND_IGMP;
        evt_bad_ip <= emit && step && ends && !good;
        if (rst) {evt_arp, evt_icmp, evt_igmp, evt_bad_ip} <= 4'd0;
    end

`ifdef FORMAL
    // The FIFO keeps the kind constant over a packet.
    ws_axis_rules #(.USER_W(3), .META(0)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
