// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_tx: payloads in, Ethernet frames with IPv4 and UDP headers out, without FCS and padding (the MAC adds them).
//
// Store and forward: a payload is stored whole, which gives its length and sum, then the header is made, and the frame
// leaves without a gap inside while the next payloads are stored.
//
//   dst_mac 6, local_mac 6, 0800 | 45 00, length 2, id 0000, DF 4000, TTL 64, 11, checksum 2, local_ip 4, dst_ip 4
//   | local_port 2, dst_port 2, length 2, checksum 2 | payload
//
// The id is 0 with DF set, as RFC 6864 allows for a datagram that is never fragmented.
//
// Settings     local_* and dst_* are sampled with the first beat of each payload
// Parameters   DATA_W       width of tdata in bits, 8 or 64
//              MAX_PAYLOAD  longest payload in bytes, 1 to 65507 (1472 fills a standard frame, 8972 a jumbo frame of
//                           9000); at least two of them can be stored
// Latency      last payload beat in -> first frame beat out: 4 cycles (8 bit), 5 (64)
// Issue rate   back to back, 8 bit: 1 beat a cycle (43 cycles for an empty payload); 64 bit: a frame needs its own
//              beats or 7 cycles more than its payload's beats, whichever is more, which is never more than it needs
//              on the wire
// Overflow     s_axis_tready falls while the store is full
// Bad input    a payload above MAX_PAYLOAD is dropped whole (evt_oversize), and so is one with tuser at tlast (evt_bad);
//              evt_sent when a frame's last beat has left; each payload is one pulse of one of the three
// Source       RFC 768, 791, 1071, 6864

`default_nettype none

module ws_udp_tx #(
    parameter DATA_W      = 8,
    parameter MAX_PAYLOAD = 1472
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [47:0]         local_mac,
    input  wire [31:0]         local_ip,
    input  wire [15:0]         local_port,
    input  wire [47:0]         dst_mac,
    input  wire [31:0]         dst_ip,
    input  wire [15:0]         dst_port,

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
    output wire                m_axis_tuser,

    output wire                evt_sent,
    output wire                evt_oversize,
    output wire                evt_bad
);

    initial if ((DATA_W != 8 && DATA_W != 64) || MAX_PAYLOAD < 1 || MAX_PAYLOAD > 65507) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), MAX_PAYLOAD = %0d (1 to 65507)", DATA_W, MAX_PAYLOAD);
        $finish;
    end

    localparam K        = DATA_W / 8;                               // bytes a beat
    localparam STORE_W  = $clog2(2 * ((MAX_PAYLOAD + K - 1) / K) + 2);
    localparam [15:0] LONGEST = MAX_PAYLOAD[15:0];

    // The header is made one beat a phase, from phase 1 at 8 bit; at 64 bit from phase 2, to be behind its checksums.
    localparam [5:0] HEADER_DELAY  = K == 1 ? 6'd0 : 6'd1;
    localparam [5:0] HEADER_PHASES = K == 1 ? 6'd42 : 6'd7;

    // ---------------------------------------------------------------------------------------------------------------
    // Store stage: takes a payload, then waits while its header is made.

    reg  [5:0]        phase_reg;            // 0: storing; then one step after the other
    reg               first_reg;
    reg               payload_bad_reg, oversize_reg;
    reg  [15:0]       length_reg;
    reg  [47:0]       src_mac_reg, dst_mac_reg;
    reg  [31:0]       src_ip_reg, dst_ip_reg;
    reg  [15:0]       src_port_reg, dst_port_reg;
    reg               sum_valid_reg;
    reg  [16:0]       sum_lo_reg, sum_hi_reg;

    wire              full;
    wire              take     = s_axis_tvalid && s_axis_tready;
    wire              oversize = oversize_reg || length_reg > LONGEST;
    wire              judge    = phase_reg == 6'd1;
    wire              drop     = payload_bad_reg || oversize;
    wire              advance;              // the header FIFO takes the phase's beat, if there is one
    wire [DATA_W-1:0] kept;
    wire [3:0]        bytes;

    assign s_axis_tready = phase_reg == 6'd0 && !full;

    generate
        genvar g;
        for (g = 0; g < K; g = g + 1) begin : gen_kept
            assign kept[8*g +: 8] = s_axis_tkeep[g] ? s_axis_tdata[8*g +: 8] : 8'h00;
        end
        if (K == 1) begin : gen_sum_8
            assign bytes = {3'b0, s_axis_tkeep};
            always @(posedge clk) if (take) begin
                sum_lo_reg <= !first_reg && length_reg[0] ? {9'b0, kept} : {1'b0, kept, 8'b0};
                sum_hi_reg <= 17'd0;
            end
        end else begin : gen_sum_64
            assign bytes = {3'b0, s_axis_tkeep[0]} + {3'b0, s_axis_tkeep[1]} + {3'b0, s_axis_tkeep[2]}
                         + {3'b0, s_axis_tkeep[3]} + {3'b0, s_axis_tkeep[4]} + {3'b0, s_axis_tkeep[5]}
                         + {3'b0, s_axis_tkeep[6]} + {3'b0, s_axis_tkeep[7]};
            always @(posedge clk) if (take) begin
                sum_lo_reg <= {1'b0, kept[7:0], kept[15:8]} + {1'b0, kept[23:16], kept[31:24]};
                sum_hi_reg <= {1'b0, kept[39:32], kept[47:40]} + {1'b0, kept[55:48], kept[63:56]};
            end
        end
    endgenerate

    always @(posedge clk) begin
        sum_valid_reg <= take;
        if (take) begin
            first_reg       <= s_axis_tlast;
            length_reg      <= (first_reg ? 16'd0 : length_reg) + {12'b0, bytes};
            oversize_reg    <= !first_reg && oversize;
            payload_bad_reg <= s_axis_tuser;
            if (first_reg) begin
                {src_mac_reg, src_ip_reg, src_port_reg} <= {local_mac, local_ip, local_port};
                {dst_mac_reg, dst_ip_reg, dst_port_reg} <= {dst_mac, dst_ip, dst_port};
            end
        end
        if (phase_reg == 6'd0)
            phase_reg <= {5'b0, take && s_axis_tlast};
        else if (advance)
            phase_reg <= phase_reg == HEADER_PHASES || drop ? 6'd0 : phase_reg + 6'd1;
        if (rst) begin
            phase_reg     <= 6'd0;
            first_reg     <= 1'b1;
            sum_valid_reg <= 1'b0;
        end
    end

    wire              payload_valid, payload_ready;
    wire [STORE_W:0]  unused_store_level;
    wire [DATA_W-1:0] payload;

    ws_commit_fifo #(
        .DATA_W(DATA_W),
        .ADDR_W(STORE_W),
        .OUTPUT_REG(1),
        .STYLE("block")
    ) store (
        .clk(clk),
        .rst(rst),
        .wr_en(take && s_axis_tkeep[0] && (first_reg || !oversize)),
        .wr_data(s_axis_tdata),
        .commit(judge && !drop),
        .rewind(judge && drop),
        .full(full),
        .level(unused_store_level),
        .m_valid(payload_valid),
        .m_ready(payload_ready),
        .m_data(payload)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Sum stages: Internet checksums of the two headers, in the phases in which the header's first beats are made.
    // Carries are counted and added back once, at the end.

    // The constants of the IPv4 header, its length counted without the payload; those of the pseudo and UDP header
    localparam [20:0] IP_CONSTANT  = 21'h4500 + 21'h4000 + 21'h4011 + 21'd28;
    localparam [31:0] UDP_CONSTANT = 32'd17 + 32'd8 + 32'd8;

    reg [16:0] src_sum_reg, dst_sum_reg;
    reg [20:0] ip_sum_reg;
    reg [31:0] udp_sum_reg;
    reg [17:0] address_sum_reg;
    reg        restart_reg;                 // the next beat begins a payload

    reg [31:0] udp_add_a, udp_add_b;

    always @* case (phase_reg)
        6'd2:    {udp_add_a, udp_add_b} = {16'b0, src_port_reg, 16'b0, dst_port_reg};
        6'd3:    {udp_add_a, udp_add_b} = {14'b0, address_sum_reg, 15'b0, length_reg, 1'b0};
        default: {udp_add_a, udp_add_b} = {15'b0, sum_lo_reg, 15'b0, sum_hi_reg};
    endcase

    function [16:0] fold(input [31:0] sum);
        fold = {1'b0, sum[15:0]} + {1'b0, sum[31:16]};
    endfunction

    always @(posedge clk) begin
        if (take) restart_reg <= first_reg;
        if (sum_valid_reg || (advance && (phase_reg == 6'd2 || phase_reg == 6'd3)))
            udp_sum_reg <= (sum_valid_reg && restart_reg ? UDP_CONSTANT : udp_sum_reg) + udp_add_a + udp_add_b;
        else if (advance && (phase_reg == 6'd4 || phase_reg == 6'd5))
            udp_sum_reg <= {15'b0, fold(udp_sum_reg)};

        src_sum_reg     <= {1'b0, src_ip_reg[31:16]} + {1'b0, src_ip_reg[15:0]};
        dst_sum_reg     <= {1'b0, dst_ip_reg[31:16]} + {1'b0, dst_ip_reg[15:0]};
        address_sum_reg <= {1'b0, src_sum_reg} + {1'b0, dst_sum_reg};
        if (advance) case (phase_reg)
            6'd1:       ip_sum_reg <= {5'b0, length_reg} + IP_CONSTANT;
            6'd2:       ip_sum_reg <= ip_sum_reg + {4'b0, src_sum_reg} + {4'b0, dst_sum_reg};
            6'd3, 6'd4: ip_sum_reg <= {4'b0, fold({11'b0, ip_sum_reg})};
            default: ;
        endcase
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Header stage: the 42 bytes, first byte in the lowest lane, through a small FIFO to the send stage.

    wire [15:0]  ip_length  = length_reg + 16'd28;
    wire [15:0]  udp_length = length_reg + 16'd8;
    wire [15:0]  udp_check  = udp_sum_reg[15:0] == 16'hffff ? 16'hffff : ~udp_sum_reg[15:0];  // 0 means "none"
    wire [383:0] header     = {dst_mac_reg, src_mac_reg, 16'h0800,
                               16'h4500, ip_length, 16'h0000, 16'h4000, 16'h4011, ~ip_sum_reg[15:0],
                               src_ip_reg, dst_ip_reg, src_port_reg, dst_port_reg, udp_length, udp_check, 48'd0};
    wire [383:0] header_lanes;

    generate
        for (g = 0; g < 48; g = g + 1) begin : gen_header
            assign header_lanes[8*g +: 8] = header[8*(47-g) +: 8];
        end
    endgenerate

    wire              make = phase_reg > HEADER_DELAY && !drop;
    wire              room, head_valid, head_ready;
    wire [4:0]        unused_header_level;
    wire [DATA_W-1:0] head;

    assign advance = !make || room;

    wire [DATA_W-1:0] made;

    generate
        if (K == 1) begin : gen_made_8
            // One byte of 42 is a long choice: it is made a phase early. The first byte may be needed before
            // dst_mac_reg has it.
            reg [7:0] made_reg;
            always @(posedge clk)
                if (phase_reg == 6'd0) made_reg <= first_reg ? dst_mac[47:40] : dst_mac_reg[47:40];
                else if (advance)      made_reg <= header_lanes[8*phase_reg +: 8];
            assign made = made_reg;
        end else begin : gen_made_64
            wire [5:0] header_at = phase_reg - 6'd1 - HEADER_DELAY;
            assign made = header_lanes[DATA_W*header_at +: DATA_W];
        end
    endgenerate

    ws_sync_fifo #(
        .DATA_W(DATA_W),
        .ADDR_W(4),
        .STYLE("distributed")
    ) header_fifo (
        .clk(clk),
        .rst(rst),
        .s_valid(make),
        .s_ready(room),
        .s_data(made),
        .m_valid(head_valid),
        .m_ready(head_ready),
        .m_data(head),
        .level(unused_header_level)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Send stage: the header's beats, then the payload's. At 64 bit the header's last two bytes share a beat with the
    // payload's first six, and every later beat begins with the two bytes that the one before had no room for.

    localparam [15:0] CARRY      = K == 1 ? 16'd0 : 16'd2;          // bytes of the header in the shared beat
    localparam [15:0] BEAT       = K == 1 ? 16'd1 : 16'd8;
    localparam [5:0] HEAD_BEATS  = K == 1 ? 6'd42 : 6'd5;           // those without payload
    localparam [5:0] LENGTH_BEAT = K == 1 ? 6'd39 : 6'd4;

    reg  [5:0]        head_at_reg;
    reg               tail_reg, begun_reg;  // behind the pure header beats; behind the beat they share
    reg  [15:0]       rest_reg;             // bytes of the tail from this beat on
    reg  [7:0]        length_high_reg;
    wire [DATA_W-1:0] tail;
    wire [K-1:0]      tail_keep;

    wire need_head    = !tail_reg || (CARRY != 16'd0 && !begun_reg);
    wire need_payload = tail_reg && rest_reg > CARRY;
    wire empty        = CARRY == 16'd0 && rest_reg == 16'd0;
    wire last         = tail_reg ? rest_reg <= BEAT : empty && head_at_reg == HEAD_BEATS - 6'd1;
    wire send_valid   = (head_valid || !need_head) && (payload_valid || !need_payload);
    wire send_ready;
    wire send         = send_valid && send_ready;

    assign head_ready    = send && need_head;
    assign payload_ready = send && need_payload;

    wire [15:0] udp_length_sent = K == 1 ? {length_high_reg, head[7:0]} : {head[DATA_W-16 +: 8], head[DATA_W-8 +: 8]};

    generate
        if (K == 1) begin : gen_tail_8
            assign tail      = payload;
            assign tail_keep = 1'b1;
        end else begin : gen_tail_64
            reg [15:0] carry_reg;
            always @(posedge clk) if (send) carry_reg <= payload[63:48];
            assign tail = {payload[47:0], begun_reg ? carry_reg : head[15:0]};
            for (g = 0; g < K; g = g + 1) begin : gen_keep
                assign tail_keep[g] = rest_reg > g;
            end
        end
    endgenerate

    always @(posedge clk) begin
        if (send) begin
            length_high_reg <= head[7:0];
            if (tail_reg) rest_reg <= rest_reg - BEAT;
            else if (head_at_reg == LENGTH_BEAT) rest_reg <= udp_length_sent - 16'd8 + CARRY;
            head_at_reg <= tail_reg || last ? 6'd0 : head_at_reg + 6'd1;
            tail_reg    <= !last && (tail_reg || head_at_reg == HEAD_BEATS - 6'd1);
            begun_reg   <= !last && tail_reg;
        end
        if (rst) begin
            head_at_reg <= 6'd0;
            tail_reg    <= 1'b0;
            begun_reg   <= 1'b0;
        end
    end

    ws_skid_buffer #(
        .DATA_W(DATA_W + K + 1)
    ) output_slice (
        .clk(clk),
        .rst(rst),
        .s_valid(send_valid),
        .s_ready(send_ready),
        .s_data({last, tail_reg ? tail_keep : {K{1'b1}}, tail_reg ? tail : head}),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_data({m_axis_tlast, m_axis_tkeep, m_axis_tdata})
    );

    assign m_axis_tuser = 1'b0;

    // Events
    reg evt_sent_reg, evt_oversize_reg, evt_bad_reg;

    always @(posedge clk) begin
        evt_sent_reg     <= m_axis_tvalid && m_axis_tready && m_axis_tlast;
        evt_bad_reg      <= judge && payload_bad_reg;
        evt_oversize_reg <= judge && !payload_bad_reg && oversize;
        if (rst) {evt_sent_reg, evt_oversize_reg, evt_bad_reg} <= 3'b000;
    end

    assign {evt_sent, evt_oversize, evt_bad} = {evt_sent_reg, evt_oversize_reg, evt_bad_reg};

endmodule

`default_nettype wire
