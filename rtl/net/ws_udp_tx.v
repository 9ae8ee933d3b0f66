// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_tx: payloads in, Ethernet frames with IPv4 and UDP headers out, without FCS and padding (the MAC adds them).
//
// Store and forward: a payload is stored whole, which gives its length and sum, while the MAC address of its
// destination is resolved; then the header is generated, and the frame is sent without a gap while the next payloads
// are stored.
//
//   dst_mac 6, local_mac 6, 0800 | 45 00, length 2, id 0000, DF 4000, TTL 64, 11, checksum 2, local_ip 4, dst_ip 4
//   | src_port 2, dst_port 2, length 2, checksum 2 | payload
//
// The id is 0 with DF set, as RFC 6864 allows for a datagram that is never fragmented.
//
// Settings     sampled with the first beat of each payload: local_* and s_axis_tuser: [16:1] destination port,
//              [48:17] its IPv4, [64:49] source port; [0] bad, sampled with tlast
// Resolution   a pulse of resolve_valid requests the MAC address of resolve_ip, once for each payload, as soon as its
//              first beat is on s_axis. The answer is resolve_done in any later cycle, with resolve_found and
//              resolve_mac; resolve_done is ignored in the cycle of the request. So a constant resolve_done = 1
//              answers every request immediately, and a constant resolve_mac then serves a single destination. Every
//              request must be answered. The next one follows 2 cycles after the answer or later. An answer within 8
//              cycles costs nothing at line rate: it overlaps the generation of the previous header.
// Parameters   DATA_W       width of tdata in bits, 8 or 64
//              MAX_PAYLOAD  longest payload in bytes, 1 to 65507; 1472 fills a standard frame, 8972 a jumbo frame of
//                           9000; the store holds one of them and at least 32 beats of the next
//              HEADERS      headers that can wait while another is sent, 0 to 1000; in block RAM; with 0, none can wait
//                           at 8 bit and one at 64, in distributed RAM
// Latency      4 or 5 cycles (8 bit, 64 bit) from the last payload beat in, or the ARP answer to it if that is later,
//              to the first frame beat out; 2 more with HEADERS
// Issue rate   back to back, 8 bit: 1 beat a cycle (43 cycles for an empty payload); 64 bit: a frame takes its own
//              beats or 7 cycles more than its payload's beats, whichever is more, which never exceeds its time on the
//              line. That applies to frames of one size, or a slowly changing one. While short frames wait behind a
//              long one, s_axis_tready stays low until there is room for the next header, which delays a long payload
//              that follows. With HEADERS of at least (MAX_PAYLOAD + 66) / 84 + 1 any mix of sizes keeps the line busy.
// Overflow     s_axis_tready is low while the store is full
// Bad input    a payload is dropped whole if tuser[0] is set at tlast or if its tkeep has a gap (only the last beat may
//              be partly filled, only that of an empty payload empty): evt_bad; if it is longer than MAX_PAYLOAD:
//              evt_oversize; if its destination is not found: evt_unresolved. evt_sent: a frame's last beat has been
//              sent. Each payload is one pulse of one of the four, the first that applies in this order.
// Source       RFC 768, 791, 1071, 6864

`default_nettype none

module ws_udp_tx #(
    parameter DATA_W      = 8,
    parameter MAX_PAYLOAD = 1472,
    parameter HEADERS     = 0
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [47:0]         local_mac,
    input  wire [31:0]         local_ip,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire [64:0]         s_axis_tuser,

    output wire                resolve_valid,
    output wire [31:0]         resolve_ip,
    input  wire                resolve_done,
    input  wire                resolve_found,
    input  wire [47:0]         resolve_mac,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire                m_axis_tuser,

    output wire                evt_sent,
    output wire                evt_bad,
    output wire                evt_oversize,
    output wire                evt_unresolved
);

    initial if ((DATA_W != 8 && DATA_W != 64) || MAX_PAYLOAD < 1 || MAX_PAYLOAD > 65507 || HEADERS < 0
                || HEADERS > 1000) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), MAX_PAYLOAD = %0d (1 to 65507), HEADERS = %0d (0 to 1000)",
                 DATA_W, MAX_PAYLOAD, HEADERS);
        $finish;
    end

    localparam K       = DATA_W / 8;                                // bytes a beat
    localparam LANE_W  = K == 1 ? 0 : 3;
    localparam STORE_W = $clog2((MAX_PAYLOAD + K - 1) / K + 36);
    localparam HEAD_W  = HEADERS == 0 ? 4 : $clog2((HEADERS + 1) * (K == 1 ? 42 : 6));
    localparam SUM_W   = 16 + $clog2(MAX_PAYLOAD / 2 + 16);         // payload, ports, addresses and lengths, unfolded

    // The first beat that exceeds MAX_PAYLOAD: the one with this number that has a byte in this lane
    localparam [15:0] LIMIT      = MAX_PAYLOAD[15:0] >> LANE_W;
    localparam        LIMIT_LANE = MAX_PAYLOAD % K;

    // Phases: 0 stores, 1 checks; the header is generated one beat a phase, at 8 bit from phase 1, at 64 bit from
    // phase 2, so that each checksum is ready in time.
    localparam [5:0] LAST_PHASE = K == 1 ? 6'd42 : 6'd7;

    // ---------------------------------------------------------------------------------------------------------------
    // Store stage: accepts a payload, then waits while its header is generated.

    reg  [5:0]        phase_reg;
    reg               ready_reg;
    reg               first_reg;            // the next beat begins a payload
    reg               bad_reg, oversize_reg, empty_reg;
    reg  [15:0]       length_reg;
    reg  [47:0]       src_mac_reg;
    reg  [31:0]       src_ip_reg, dst_ip_reg;
    reg  [15:0]       src_port_reg, dst_port_reg;
    reg               commit_reg, rewind_reg;

    reg               answered_reg, found_reg;
    wire              room;                 // the header FIFO can take a beat

    wire              take    = s_axis_tvalid && ready_reg;
    wire              drop    = bad_reg || oversize_reg || !found_reg;
    wire              judge   = phase_reg == 6'd1 && answered_reg && room;
    wire              advance = phase_reg == 6'd1 ? judge : room || rewind_reg;
    wire              leave   = phase_reg == LAST_PHASE && advance;
    wire              gap     = (!first_reg && !s_axis_tkeep[0]) || (!s_axis_tlast && !s_axis_tkeep[K-1]);
    wire [3:0]        bytes;                // in this beat
    wire [STORE_W:0]  stored;
    wire              nearly_full = stored[STORE_W] || &stored[STORE_W-1:1];

    assign s_axis_tready = ready_reg;

    always @(posedge clk) begin
        ready_reg  <= !nearly_full && (leave || (phase_reg == 6'd0 && !(take && s_axis_tlast)));
        commit_reg <= judge && !drop;
        rewind_reg <= judge && drop;
        if (phase_reg == 6'd0)
            phase_reg <= {5'b0, take && s_axis_tlast};
        else if (advance)
            phase_reg <= leave ? 6'd0 : judge && drop ? LAST_PHASE : phase_reg + 6'd1;
        if (take) begin
            first_reg    <= s_axis_tlast;
            empty_reg    <= !s_axis_tkeep[0];
            bad_reg      <= bad_reg || gap || (s_axis_tlast && s_axis_tuser[0]);
            oversize_reg <= oversize_reg || (length_reg >> LANE_W == LIMIT && s_axis_tkeep[LIMIT_LANE]);
            length_reg   <= length_reg + {12'b0, bytes};
            if (first_reg) begin
                {src_mac_reg, src_ip_reg} <= {local_mac, local_ip};
                {src_port_reg, dst_ip_reg, dst_port_reg} <= s_axis_tuser[64:1];
            end
        end
        if (leave || rst) begin
            bad_reg      <= 1'b0;
            oversize_reg <= 1'b0;
            length_reg   <= 16'd0;
        end
        if (rst) begin
            phase_reg  <= 6'd0;
            ready_reg  <= 1'b0;
            first_reg  <= 1'b1;
            commit_reg <= 1'b0;
            rewind_reg <= 1'b0;
        end
    end

    // The end of the frame is stored with the data, so that no bytes are counted after the store. At 64 bit: whether it
    // ends in the beat that begins two bytes before this one or in the next, and the filled lanes of the former or, in
    // the lowest bit, of the latter.
    localparam MARK_W = K == 1 ? 1 : 8;

    wire [MARK_W-1:0] s_mark, mark;

    generate
        if (K == 1) begin : gen_store_8
            assign bytes  = {3'b0, s_axis_tkeep};
            assign s_mark = s_axis_tlast;
        end else begin : gen_store_64
            wire [7:0] keep = s_axis_tkeep;
            wire       next = s_axis_tlast && keep[6];
            assign bytes = {keep[7], keep[3] && !keep[7], (keep[1] && !keep[3]) || (keep[5] && !keep[7]),
                            (keep[0] && !keep[1]) || (keep[2] && !keep[3]) || (keep[4] && !keep[5])
                            || (keep[6] && !keep[7])};
            assign s_mark = {s_axis_tlast && !keep[6], next, keep[5:1], next ? keep[7] : keep[0]};
        end
    endgenerate

    wire              payload_valid, payload_ready, unused_full;
    wire [DATA_W-1:0] payload;

    ws_commit_fifo #(
        .DATA_W(MARK_W + DATA_W),
        .ADDR_W(STORE_W),
        .OUTPUT_REG(1),
        .STYLE("block")
    ) store (
        .clk(clk),
        .rst(rst),
        .wr_en(take && !oversize_reg && !bad_reg && (K != 1 || s_axis_tkeep[0])),
        .wr_data({s_mark, s_axis_tdata}),
        .commit(commit_reg),
        .rewind(rewind_reg),
        .full(unused_full),
        .level(stored),
        .m_valid(payload_valid),
        .m_ready(payload_ready),
        .m_data({mark, payload})
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Resolve stage: sends a request for the payload whose first beat is on s_axis, once the previous answer is used.

    reg        asked_reg, resolve_valid_reg;
    reg [31:0] resolve_ip_reg;
    reg [47:0] dst_mac_reg;

    // dst_mac_reg is free for the next answer, which comes two cycles later at the earliest.
    wire release_mac = K == 1 ? (phase_reg == 6'd6 && advance) || rewind_reg : judge;
    wire ask         = s_axis_tvalid && first_reg && (!asked_reg || release_mac);
    wire answer      = asked_reg && !answered_reg && !resolve_valid_reg && resolve_done;

    always @(posedge clk) begin
        resolve_valid_reg <= ask;
        if (ask) resolve_ip_reg <= s_axis_tuser[48:17];
        if (answer) {found_reg, dst_mac_reg} <= {resolve_found, resolve_mac};
        asked_reg    <= ask || (asked_reg && !release_mac);
        answered_reg <= answer || (answered_reg && !release_mac);
        if (rst) begin
            resolve_valid_reg <= 1'b0;
            asked_reg         <= 1'b0;
            answered_reg      <= 1'b0;
        end
    end

    assign {resolve_valid, resolve_ip} = {resolve_valid_reg, resolve_ip_reg};

    // ---------------------------------------------------------------------------------------------------------------
    // Sum stages: Internet checksums of the two headers. The payload is summed as it arrives; addresses, ports and
    // lengths follow in the six steps after its last beat, before the header needs them. Carries are counted and added
    // back once, at the end.
    //
    //    step 1   ip_sum = length + 5
    //         2   ip_sum + addresses             udp_sum + the payload's last bytes   udp_add = length + 28
    //         3   ip_sum folded, + IP_REST       udp_sum + udp_add                    udp_add = ip_sum
    //         4   ip_sum folded: done            udp_sum + udp_add
    //      5, 6                                  udp_sum folded: done
    //
    // So udp_sum includes the pseudo header's 17 and twice the UDP length, 17 + 2 (length + 8) = length + 5 + length +
    // 28. The rest of the IPv4 header is IP_REST, whose lowest bits are 0 and take the carries of the fold.

    localparam [15:0] IP_REST = 16'h4500 + 16'h4000 + 16'h4011 + 16'd28 - 16'd5;

    reg  [6:1]        step_reg;                     // one bit high, or none
    reg               taken_reg, summed_reg;        // a beat is in the first, in the second stage
    reg               taken_first_reg, summed_first_reg;
    wire [17:0]       beat_sum;                     // of the beat in the first stage
    reg  [16:0]       port_sum_reg, src_sum_reg, dst_sum_reg;
    reg  [17:0]       ip_add_reg;
    reg  [18:0]       ip_sum_reg;
    reg  [18:0]       udp_add_reg;
    reg  [SUM_W-1:0]  udp_sum_reg;
    reg  [15:0]       length_sum_reg;               // of the IPv4 packet; from phase 6 (64 bit) or 33 (8) on, of UDP

    // The operands of the two sums
    wire              fold    = step_reg[5] || step_reg[6];
    wire [18:0]       ip_old  = step_reg[1] ? {3'b0, length_reg} : step_reg[2] ? ip_sum_reg : {3'b0, ip_sum_reg[15:0]};
    wire [18:0]       ip_new  = step_reg[1] ? 19'd5 : step_reg[2] ? {1'b0, ip_add_reg}
                              : {3'b0, step_reg[3] ? IP_REST[15:3] : 13'b0, ip_sum_reg[18:16]};
    wire [SUM_W-1:0]  udp_old = summed_first_reg ? {{SUM_W-17{1'b0}}, port_sum_reg}
                              : fold ? {{SUM_W-16{1'b0}}, udp_sum_reg[15:0]} : udp_sum_reg;
    wire [SUM_W-1:0]  udp_new = fold ? {16'b0, udp_sum_reg[SUM_W-1:16]} : {{SUM_W-19{1'b0}}, udp_add_reg};

    always @(posedge clk) begin
        step_reg         <= {step_reg[5:1], take && s_axis_tlast};
        taken_reg        <= take;
        taken_first_reg  <= first_reg;
        summed_reg       <= taken_reg;
        summed_first_reg <= taken_reg && taken_first_reg;
        length_sum_reg   <= length_reg + (phase_reg < (K == 1 ? 6'd32 : 6'd5) ? 16'd28 : 16'd8);
        if (take && first_reg) begin
            src_sum_reg <= {1'b0, local_ip[31:16]} + {1'b0, local_ip[15:0]};
            dst_sum_reg <= {1'b0, s_axis_tuser[48:33]} + {1'b0, s_axis_tuser[32:17]};
        end
        ip_add_reg   <= {1'b0, src_sum_reg} + {1'b0, dst_sum_reg};
        port_sum_reg <= {1'b0, src_port_reg} + {1'b0, dst_port_reg};
        udp_add_reg  <= step_reg[2] ? {3'b0, length_sum_reg} : step_reg[3] ? ip_sum_reg : {1'b0, beat_sum};
        if (|step_reg[4:1]) ip_sum_reg <= ip_old + ip_new;
        if (summed_reg || |step_reg[6:3]) udp_sum_reg <= udp_old + udp_new;
        if (rst || rewind_reg) step_reg <= 6'b0;    // the next payload may follow immediately
        if (rst) {taken_reg, summed_reg, summed_first_reg} <= 3'b0;
    end

    generate
        genvar g;
        if (K == 1) begin : gen_sum_8
            // A byte is the high or the low half of its 16 bits.
            reg [7:0] byte_reg;
            reg       odd_reg;

            assign beat_sum = {2'b0, odd_reg ? 8'b0 : byte_reg, odd_reg ? byte_reg : 8'b0};

            always @(posedge clk) {odd_reg, byte_reg} <= {length_reg[0], s_axis_tkeep[0] ? s_axis_tdata : 8'b0};
        end else begin : gen_sum_64
            wire [63:0] kept;
            reg  [16:0] sum_lo_reg, sum_hi_reg;

            for (g = 0; g < K; g = g + 1) begin : gen_kept
                assign kept[8*g +: 8] = s_axis_tkeep[g] ? s_axis_tdata[8*g +: 8] : 8'h00;
            end

            assign beat_sum = {1'b0, sum_lo_reg} + {1'b0, sum_hi_reg};

            always @(posedge clk) begin
                sum_lo_reg <= {1'b0, kept[7:0], kept[15:8]} + {1'b0, kept[23:16], kept[31:24]};
                sum_hi_reg <= {1'b0, kept[39:32], kept[47:40]} + {1'b0, kept[55:48], kept[63:56]};
            end
        end
    endgenerate

    // ---------------------------------------------------------------------------------------------------------------
    // Header stage: the 42 bytes, first byte in the lowest lane, through a small FIFO to the send stage.

    wire [15:0]  udp_check  = udp_sum_reg[15:0] == 16'hffff ? 16'hffff : ~udp_sum_reg[15:0];  // 0 means "none"
    wire [383:0] header     = {dst_mac_reg, src_mac_reg, 16'h0800,
                               16'h4500, length_sum_reg, 16'h0000, 16'h4000, 16'h4011, ~ip_sum_reg[15:0],
                               src_ip_reg, dst_ip_reg, src_port_reg, dst_port_reg, length_sum_reg, udp_check, 48'd0};
    wire [383:0] header_lanes;

    generate
        for (g = 0; g < 48; g = g + 1) begin : gen_header
            assign header_lanes[8*g +: 8] = header[8*(47-g) +: 8];
        end
    endgenerate

    wire              make      = K == 1 ? (judge && !drop) || (phase_reg > 6'd1 && !rewind_reg)
                                         : phase_reg > 6'd1 && !rewind_reg;
    wire              made_last = phase_reg == LAST_PHASE;
    wire [DATA_W-1:0] made;
    wire              head_valid, head_ready, head_last, head_empty;
    wire [HEAD_W:0]   unused_header_level;
    wire [DATA_W-1:0] head;

    generate
        if (K == 1) begin : gen_made_8
            // Selecting one byte of 42 is slow: it is done a phase early, except for the first.
            reg [7:0] made_reg;
            always @(posedge clk) if (advance) made_reg <= header_lanes[8*phase_reg +: 8];
            assign made = phase_reg == 6'd1 ? dst_mac_reg[47:40] : made_reg;
        end else begin : gen_made_64
            wire [5:0] header_at = phase_reg - 6'd2;
            assign made = header_lanes[DATA_W*header_at +: DATA_W];
        end
    endgenerate

    ws_sync_fifo #(
        .DATA_W(2 + DATA_W),
        .ADDR_W(HEAD_W),
        .OUTPUT_REG(HEADERS != 0 ? 1 : 0),
        .STYLE(HEADERS != 0 ? "block" : "distributed")
    ) header_fifo (
        .clk(clk),
        .rst(rst),
        .s_valid(make),
        .s_ready(room),
        .s_data({made_last, made_last && empty_reg, made}),
        .m_valid(head_valid),
        .m_ready(head_ready),
        .m_data({head_last, head_empty, head}),
        .level(unused_header_level)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Send stage: the header's beats, then the payload's. At 64 bit the header's last two bytes share a beat with the
    // payload's first six, and every later beat begins with the last two bytes of a beat of the payload.

    reg               tail_reg;             // after the header's last beat
    wire              send_valid, send_ready, last;
    wire [DATA_W-1:0] send_data;
    wire [K-1:0]      send_keep;
    wire              send = send_valid && send_ready;

    generate
        if (K == 1) begin : gen_send_8
            assign send_valid    = tail_reg ? payload_valid : head_valid;
            assign send_data     = tail_reg ? payload : head;
            assign send_keep     = 1'b1;
            assign last          = tail_reg ? mark[0] : head_empty;
            assign head_ready    = send && !tail_reg;
            assign payload_ready = send && tail_reg;

            always @(posedge clk) begin
                if (send) tail_reg <= !last && (tail_reg || head_last);
                if (rst) tail_reg <= 1'b0;
            end
        end else begin : gen_send_64
            reg         flush_reg;          // the payload's last bytes are in carry_reg
            reg  [15:0] carry_reg;
            reg         carry_keep_reg;     // for its second byte; the first is always valid
            wire        join_payload = !flush_reg && (tail_reg || head_last);
            wire        ends         = mark[7];
            wire        ends_next    = mark[6];

            assign send_valid      = flush_reg || ((tail_reg || head_valid) && (payload_valid || !join_payload));
            assign send_data       = {join_payload ? payload[47:0] : head[63:16], tail_reg ? carry_reg : head[15:0]};
            assign send_keep       = flush_reg ? {6'b0, carry_keep_reg, 1'b1}
                                   : {join_payload ? {mark[5:1], mark[0] || ends_next} : 6'h3f, 2'b11};
            assign last            = flush_reg || (join_payload && ends);
            assign head_ready      = send && !tail_reg;
            assign payload_ready   = send && join_payload;

            always @(posedge clk) begin
                if (send) begin
                    tail_reg       <= join_payload && !ends;
                    flush_reg      <= join_payload && ends_next;
                    carry_reg      <= payload[63:48];
                    carry_keep_reg <= mark[0];
                end
                if (rst) {tail_reg, flush_reg} <= 2'b00;
            end

            wire unused = &{1'b0, head_empty};
        end
    endgenerate

    ws_skid_buffer #(
        .DATA_W(DATA_W + K + 1)
    ) output_slice (
        .clk(clk),
        .rst(rst),
        .s_valid(send_valid),
        .s_ready(send_ready),
        .s_data({last, send_keep, send_data}),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_data({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
    );

    assign m_axis_tuser = 1'b0;

    // Events
    reg evt_sent_reg, evt_bad_reg, evt_oversize_reg, evt_unresolved_reg;

    always @(posedge clk) begin
        evt_sent_reg       <= m_axis_tvalid && m_axis_tready && m_axis_tlast;
        evt_bad_reg        <= judge && bad_reg;
        evt_oversize_reg   <= judge && !bad_reg && oversize_reg;
        evt_unresolved_reg <= judge && !bad_reg && !oversize_reg && !found_reg;
        if (rst) {evt_sent_reg, evt_bad_reg, evt_oversize_reg, evt_unresolved_reg} <= 4'b0000;
    end

    assign {evt_sent, evt_bad, evt_oversize} = {evt_sent_reg, evt_bad_reg, evt_oversize_reg};
    assign evt_unresolved = evt_unresolved_reg;

`ifdef FORMAL
    // A gap between beats is detected and dropped; one between the lanes of a beat is not allowed.
    always @(posedge clk) if (s_axis_tvalid) assume ((s_axis_tkeep & (s_axis_tkeep + 1'b1)) == 0);

    ws_axis_rules #(.DATA_W(DATA_W), .PACKETS(1)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
