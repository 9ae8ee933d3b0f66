// SPDX-License-Identifier: Apache-2.0
//
// ws_arp: answers ARP requests for the local address, announces it, and resolves IPv4 addresses for a transmitter.
//
//   Ethernet                    ARP
//   dst 6, src 6, type 0806 2 | 0001 2, 0800 2, 06 1, 04 1, operation 2, sender MAC 6, IPv4 4, target MAC 6, IPv4 4
//
// Received     s_axis takes such frames, from byte 0, without padding; what follows them is ignored. Every sender
//              updates an address that is already in the table; only one that asks for the local address is put into
//              it. So a reply that nobody asked for, and an announcement, never take room. A probe (sender 0.0.0.0) is
//              answered and not learned. Nothing is answered while local_ip is 0.0.0.0.
// Sent         replies; requests, broadcast; an announcement (RFC 5227) at the first tick_ms after reset, and after
//              every change of local_mac or local_ip, if local_ip is not 0.0.0.0
// Resolved     255.255.255.255 and the subnet's directed broadcast (netmask /30 or shorter) to the broadcast MAC; 224/4
//              to its multicast MAC; other addresses by the table, those outside the subnet by that of the gateway.
//              Never found, and never asked for: local_ip, and 0.0.0.0 (the gateway, where there is none).
//              An address that is looked up and not known is asked for at once, and again when it is looked up, once
//              a second. See ws_arp_cache for this, for ageing, and for the parameters.
// Static       set_valid with set_ip, set_mac makes a static entry; with set_clear, frees the entry of set_ip, of
//              whatever kind. All must stay until set_ready, which is high for a cycle.
// Parameters   ENTRIES, REACHABLE_S, RETRIES, NEGATIVE_S, SECOND_TICKS  see ws_arp_cache
// Latency      resolve_valid -> resolve_done: 8 cycles. Last byte in -> first byte of the reply out: 17 cycles if
//              nothing else is to be done
// Issue rate   a resolve every 8 cycles (more often: not allowed). In and out 1 byte a cycle; a frame's first 22 bytes
//              are taken while the one before is answered, so requests are answered one every 77 cycles, which a
//              1 Gb/s line cannot exceed
// Overflow     s_axis_tready falls at byte 22 while a frame is being sent
// Events       each frame received is one pulse of the first of these that holds: evt_bad (tuser at tlast),
//              evt_malformed (too short; a wrong type, size or operation; a group address as sender),
//              evt_conflict (another MAC says that it has the local address; not learned), evt_request (for the local
//              address), evt_reply, evt_ignored (a request for another address; our own frame come back).
//              evt_answered, evt_asked, evt_announced: a frame of the kind has been made.
//              evt_aged, evt_unanswered, evt_replaced, evt_full: see ws_arp_cache
// Source       RFC 826, RFC 1112 6.4, RFC 1122 2.3.2, RFC 3021, RFC 5227

`default_nettype none

module ws_arp #(
    parameter ENTRIES      = 16,
    parameter REACHABLE_S  = 120,
    parameter RETRIES      = 3,
    parameter NEGATIVE_S   = 10,
    parameter SECOND_TICKS = 1000
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        tick_ms,

    input  wire [47:0] local_mac,
    input  wire [31:0] local_ip,
    input  wire [31:0] netmask,
    input  wire [31:0] gateway,

    input  wire        set_valid,
    output wire        set_ready,
    input  wire        set_clear,
    input  wire [31:0] set_ip,
    input  wire [47:0] set_mac,

    input  wire        resolve_valid,
    input  wire [31:0] resolve_ip,
    output reg         resolve_done,
    output reg         resolve_found,
    output reg  [47:0] resolve_mac,

    input  wire [7:0]  s_axis_tdata,
    input  wire        s_axis_tkeep,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tuser,

    output reg  [7:0]  m_axis_tdata,
    output wire        m_axis_tkeep,
    output reg         m_axis_tvalid,
    input  wire        m_axis_tready,
    output reg         m_axis_tlast,
    output wire        m_axis_tuser,

    output reg         evt_bad,
    output reg         evt_malformed,
    output reg         evt_conflict,
    output reg         evt_request,
    output reg         evt_reply,
    output reg         evt_ignored,
    output reg         evt_answered,
    output reg         evt_asked,
    output reg         evt_announced,
    output wire        evt_aged,
    output wire        evt_unanswered,
    output wire        evt_replaced,
    output wire        evt_full
);

    // Bytes of a frame; BODY is where the addresses of the ARP packet begin.
    localparam [5:0] BODY = 6'd22, SENDER_IP = 6'd28, TARGET_IP = 6'd38, LAST = 6'd41, BEHIND = 6'd42;

    // ---------------------------------------------------------------------------------------------------------------
    // What receiver and transmitter share: a choice of bytes of the local addresses, and the ten bytes of the sender,
    // of which the first is next to be sent. From its body on, a received frame needs both; so it waits there for what
    // is being sent, and nothing is sent while a body comes in.

    reg  [79:0] peer_reg;                   // MAC, IPv4 of the sender
    reg  [5:0]  rx_at_reg, tx_at_reg;
    reg         tx_run_reg, out_valid_reg;  // a byte is in the first, in the second stage of the transmitter
    reg         rx_body_reg;                // the next byte is in the body
    reg         end_reg;                    // a frame has just ended
    reg         learn_reg, reply_reg;       // what is left to do for the last frame

    wire        sending  = tx_run_reg || out_valid_reg;
    wire        job      = end_reg || learn_reg || reply_reg;
    wire        rx_take  = s_axis_tvalid && s_axis_tready;
    wire        step     = !m_axis_tvalid || m_axis_tready;

    assign s_axis_tready = !(rx_body_reg && (sending || job));

    // Bytes 22 to 31 are {local_mac, local_ip}, and so are, by their lowest four bits, the sent bytes 6 to 11;
    // bytes 38 to 41 are local_ip.
    wire [3:0]  share_at = sending ? tx_at_reg[3:0] : rx_at_reg[3:0];
    wire        share_ip = sending ? tx_at_reg[5] : rx_at_reg[5];
    wire [3:0]  share_to = share_ip ? share_at + 4'd6 : share_at;
    reg  [7:0]  local_byte, local_byte_reg;

    always @* case (share_to)
        4'd6:    local_byte = local_mac[47:40];
        4'd7:    local_byte = local_mac[39:32];
        4'd8:    local_byte = local_mac[31:24];
        4'd9:    local_byte = local_mac[23:16];
        4'd10:   local_byte = local_mac[15:8];
        4'd11:   local_byte = local_mac[7:0];
        4'd12:   local_byte = local_ip[31:24];
        4'd13:   local_byte = local_ip[23:16];
        4'd14:   local_byte = local_ip[15:8];
        default: local_byte = local_ip[7:0];
    endcase

    always @(posedge clk) if (!sending || step) local_byte_reg <= local_byte;

    // ---------------------------------------------------------------------------------------------------------------
    // Receiver, first stage: counts the bytes.

    reg       see_reg;                      // a byte is in the second stage
    reg [7:0] see_data_reg;
    reg [5:0] see_at_reg;
    reg       end_bad_reg, end_short_reg;

    always @(posedge clk) begin
        see_reg      <= rx_take;
        see_data_reg <= s_axis_tdata;
        see_at_reg   <= rx_at_reg;
        if (rx_take) begin
            rx_at_reg   <= s_axis_tlast ? 6'd0 : rx_at_reg == BEHIND ? BEHIND : rx_at_reg + 6'd1;
            rx_body_reg <= !s_axis_tlast && (rx_body_reg || rx_at_reg == BODY - 6'd1);
        end
        if (rst) begin
            see_reg     <= 1'b0;
            rx_at_reg   <= 6'd0;
            rx_body_reg <= 1'b0;
        end
    end

    // Second stage: looks at them, beside the byte of the local addresses in the same place.

    reg  wrong_reg, request_reg;
    reg  mac_own_reg, sender_own_reg, sender_zero_reg, target_own_reg, target_zero_reg;
    wire same = see_data_reg == local_byte_reg;
    wire zero = see_data_reg == 8'h00;

    reg [7:0] fixed;                        // bytes 12 to 20

    always @* case (see_at_reg[3:0])
        4'd12:   fixed = 8'h08;
        4'd13:   fixed = 8'h06;
        4'd15:   fixed = 8'h01;
        4'd0:    fixed = 8'h08;
        4'd2:    fixed = 8'h06;
        4'd3:    fixed = 8'h04;
        default: fixed = 8'h00;
    endcase

    always @(posedge clk) begin
        if (see_reg) begin
            if (see_at_reg == 6'd0) wrong_reg <= 1'b0;
            if (see_at_reg >= 6'd12 && see_at_reg <= 6'd20 && see_data_reg != fixed) wrong_reg <= 1'b1;
            if (see_at_reg == 6'd21) begin
                request_reg <= see_data_reg[0];
                if (see_data_reg != 8'd1 && see_data_reg != 8'd2) wrong_reg <= 1'b1;
            end
            if (see_at_reg == BODY && see_data_reg[0]) wrong_reg <= 1'b1;
            if (see_at_reg == SENDER_IP && see_data_reg >= 8'd224) wrong_reg <= 1'b1;

            if (see_at_reg >= BODY && see_at_reg < SENDER_IP)
                mac_own_reg <= same && (mac_own_reg || see_at_reg == BODY);
            if (see_at_reg >= SENDER_IP && see_at_reg < SENDER_IP + 6'd4) begin
                sender_own_reg  <= same && (sender_own_reg || see_at_reg == SENDER_IP);
                sender_zero_reg <= zero && (sender_zero_reg || see_at_reg == SENDER_IP);
            end
            if (see_at_reg >= TARGET_IP && see_at_reg <= LAST) begin
                target_own_reg  <= same && (target_own_reg || see_at_reg == TARGET_IP);
                target_zero_reg <= zero && (target_zero_reg || see_at_reg == TARGET_IP);
            end
        end
    end

    // The sender's addresses come in from below; a reply turns them round.
    wire see_sender = see_reg && see_at_reg >= BODY && see_at_reg < SENDER_IP + 6'd4;
    wire turn;

    always @(posedge clk)
        if (see_sender || turn) peer_reg <= {peer_reg[71:0], see_sender ? see_data_reg : peer_reg[79:72]};

    // Third stage: the verdict.

    reg  judge_reg, judge_bad_reg, judge_short_reg;

    wire is_good   = judge_reg && !judge_bad_reg && !judge_short_reg && !wrong_reg;
    wire own       = sender_own_reg && !sender_zero_reg;
    wire conflict  = own && !mac_own_reg;
    wire for_us    = request_reg && target_own_reg && !target_zero_reg && !own;

    reg  insert_reg;
    wire learned, replied;

    always @(posedge clk) begin
        end_reg         <= rx_take && s_axis_tlast;
        end_bad_reg     <= s_axis_tuser;
        end_short_reg   <= rx_at_reg < LAST;
        judge_reg       <= end_reg;
        judge_bad_reg   <= end_bad_reg;
        judge_short_reg <= end_short_reg;

        if (learned) learn_reg <= 1'b0;
        if (replied) reply_reg <= 1'b0;
        if (is_good) begin
            learn_reg  <= !own && !sender_zero_reg;
            insert_reg <= for_us;
            reply_reg  <= for_us;
        end

        evt_bad       <= judge_reg && judge_bad_reg;
        evt_malformed <= judge_reg && !judge_bad_reg && (judge_short_reg || wrong_reg);
        evt_conflict  <= is_good && conflict;
        evt_request   <= is_good && for_us;
        evt_reply     <= is_good && !own && !request_reg;
        evt_ignored   <= is_good && !conflict && !for_us && (own || request_reg);
        if (rst) begin
            end_reg       <= 1'b0;
            judge_reg     <= 1'b0;
            learn_reg     <= 1'b0;
            reply_reg     <= 1'b0;
            evt_bad       <= 1'b0;
            evt_malformed <= 1'b0;
            evt_conflict  <= 1'b0;
            evt_request   <= 1'b0;
            evt_reply     <= 1'b0;
            evt_ignored   <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Resolver. First stage: is the address in the subnet? (By fours of its bits, the rest in the second stage.)

    reg         lookup_valid_reg;
    reg  [31:0] ip_reg;
    reg  [7:0]  outside_reg;
    wire [31:0] outside_bits = (resolve_ip ^ local_ip) & netmask;

    genvar g;
    generate
        for (g = 0; g < 8; g = g + 1) begin : gen_outside
            always @(posedge clk) if (resolve_valid) outside_reg[g] <= |outside_bits[4*g +: 4];
        end
    endgenerate

    always @(posedge clk) begin
        lookup_valid_reg <= resolve_valid && !rst;
        if (resolve_valid) ip_reg <= resolve_ip;
    end

    // Second stage, which has until the end of the lookup
    wire        outside = |outside_reg;
    wire [31:0] target  = outside ? gateway : ip_reg;
    reg         far_reg, multicast_reg, limited_reg, directed_reg, own_reg, no_gateway_reg;
    wire        broadcast = limited_reg || (directed_reg && !far_reg);
    wire        never     = far_reg ? no_gateway_reg : own_reg;

    always @(posedge clk) begin
        far_reg        <= outside;
        multicast_reg  <= ip_reg[31:28] == 4'he;
        limited_reg    <= &ip_reg;
        directed_reg   <= &(ip_reg | netmask) && !netmask[1];
        own_reg        <= ip_reg == local_ip || ip_reg == 32'd0;
        no_gateway_reg <= gateway == local_ip || gateway == 32'd0;
    end

    // Last stage: the answer
    wire        lookup_done, lookup_found, lookup_wanted;
    wire [47:0] lookup_mac;

    always @(posedge clk) begin
        resolve_done  <= lookup_done && !rst;
        resolve_found <= broadcast || multicast_reg || (lookup_found && !never);
        resolve_mac   <= broadcast ? 48'hffffffffffff :
                         multicast_reg ? {25'h0200bc, ip_reg[22:0]} : lookup_mac;     // 01:00:5e and 23 bits
    end

    // One address at a time is asked for: noted in the table, then sent.
    reg         note_reg, ask_reg;
    reg  [31:0] ask_ip_reg;
    wire        noted, note_ask, asked;

    always @(posedge clk) begin
        if (lookup_done && lookup_wanted && !broadcast && !multicast_reg && !never && !note_reg && !ask_reg) begin
            note_reg   <= 1'b1;
            ask_ip_reg <= target;
        end
        if (noted) begin
            note_reg <= 1'b0;
            ask_reg  <= note_ask;
        end
        if (asked) ask_reg <= 1'b0;
        if (rst) begin
            note_reg <= 1'b0;
            ask_reg  <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // The table, and whose op it does: the user's, the receiver's, the resolver's

    localparam [2:0] OP_ASK = 3'b001, OP_UPDATE = 3'b010, OP_INSERT = 3'b011, OP_CLEAR = 3'b100, OP_SET = 3'b101;

    reg        op_set_reg, op_learn_reg, op_note_reg;
    wire       op_valid = op_set_reg || op_learn_reg || op_note_reg;
    wire       op_done;
    wire [2:0] op_code  = op_set_reg   ? (set_clear ? OP_CLEAR : OP_SET) :
                          op_learn_reg ? (insert_reg ? OP_INSERT : OP_UPDATE) : OP_ASK;

    assign set_ready = op_set_reg && op_done;
    assign learned   = op_learn_reg && op_done;
    assign noted     = op_note_reg && op_done;

    always @(posedge clk) begin
        if (!op_valid) begin
            op_set_reg   <= set_valid;
            op_learn_reg <= !set_valid && learn_reg;
            op_note_reg  <= !set_valid && !learn_reg && note_reg;
        end else if (op_done) begin
            op_set_reg   <= 1'b0;
            op_learn_reg <= 1'b0;
            op_note_reg  <= 1'b0;
        end
        if (rst) begin
            op_set_reg   <= 1'b0;
            op_learn_reg <= 1'b0;
            op_note_reg  <= 1'b0;
        end
    end

    ws_arp_cache #(
        .ENTRIES(ENTRIES),
        .REACHABLE_S(REACHABLE_S),
        .RETRIES(RETRIES),
        .NEGATIVE_S(NEGATIVE_S),
        .SECOND_TICKS(SECOND_TICKS)
    ) cache (
        .clk(clk),
        .rst(rst),
        .tick_ms(tick_ms),
        .lookup_valid(lookup_valid_reg),
        .lookup_ip(target),
        .lookup_done(lookup_done),
        .lookup_found(lookup_found),
        .lookup_wanted(lookup_wanted),
        .lookup_mac(lookup_mac),
        .op_valid(op_valid),
        .op_code(op_code),
        .op_ip(op_set_reg ? set_ip : op_learn_reg ? peer_reg[31:0] : ask_ip_reg),
        .op_mac(op_set_reg ? set_mac : peer_reg[79:32]),
        .op_done(op_done),
        .op_ask(note_ask),
        .evt_aged(evt_aged),
        .evt_unanswered(evt_unanswered),
        .evt_replaced(evt_replaced),
        .evt_full(evt_full)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Transmitter, first stage: chooses what to send, counts the bytes.
    //
    // At every tick_ms, a check runs through the bytes of an announcement, sends nothing, and compares the addresses
    // with those announced last, which a small RAM holds.

    localparam [1:0] ASK = 2'd0, REPLY = 2'd1, ANNOUNCE = 2'd2, CHECK = 2'd3;

    reg  [1:0] kind_reg;
    reg        check_reg, announce_reg;     // to be done
    reg        announced_reg;               // the RAM holds addresses
    reg        changed_reg, nonzero_reg;    // found by the check so far
    reg  [5:0] out_at_reg;
    wire       own_place = out_at_reg >= BODY && out_at_reg < SENDER_IP + 6'd4;
    wire [7:0] announced_byte;
    wire       out_last = out_valid_reg && step && out_at_reg == LAST;
    wire       reply    = reply_reg && !learn_reg;
    wire       begin_tx = !sending && (!rx_body_reg || job) && !end_reg && !judge_reg
                       && (ask_reg || announce_reg || check_reg || reply);

    assign asked   = out_last && kind_reg == ASK;
    assign replied = out_last && kind_reg == REPLY;

    always @(posedge clk) begin
        if (tick_ms) check_reg <= 1'b1;
        if (begin_tx) begin
            tx_run_reg  <= 1'b1;
            tx_at_reg   <= 6'd0;
            kind_reg    <= ask_reg ? ASK : announce_reg ? ANNOUNCE : check_reg ? CHECK : REPLY;
            changed_reg <= !announced_reg;
            nonzero_reg <= 1'b0;
        end else if (step && tx_run_reg) begin
            tx_at_reg  <= tx_at_reg + 6'd1;
            if (tx_at_reg == LAST) tx_run_reg <= 1'b0;
        end
        if (step) begin
            out_valid_reg <= tx_run_reg;
            out_at_reg    <= tx_at_reg;
        end
        if (step && out_valid_reg && own_place) begin
            if (local_byte_reg != announced_byte) changed_reg <= 1'b1;
            if (out_at_reg >= SENDER_IP && local_byte_reg != 8'h00) nonzero_reg <= 1'b1;
        end
        if (out_last && kind_reg == CHECK) begin
            check_reg    <= tick_ms;
            announce_reg <= changed_reg && nonzero_reg;
        end
        if (out_last && kind_reg == ANNOUNCE) begin
            announce_reg  <= 1'b0;
            announced_reg <= 1'b1;
        end
        evt_answered  <= replied && !rst;
        evt_asked     <= asked && !rst;
        evt_announced <= out_last && kind_reg == ANNOUNCE && !rst;
        if (rst) begin
            check_reg     <= 1'b0;
            tx_run_reg    <= 1'b0;
            out_valid_reg <= 1'b0;
            announce_reg  <= 1'b0;
            announced_reg <= 1'b0;
        end
    end

    // Second stage: the byte.
    wire       is_reply  = kind_reg == REPLY;
    reg  [7:0] sent;

    assign turn = out_valid_reg && step && is_reply && (out_at_reg < 6'd10 || out_at_reg >= 6'd32);

    always @* begin
        case (out_at_reg[1:0])              // of TARGET_IP and what follows
            2'd2:    sent = ask_ip_reg[31:24];
            2'd3:    sent = ask_ip_reg[23:16];
            2'd0:    sent = ask_ip_reg[15:8];
            default: sent = ask_ip_reg[7:0];
        endcase
        if (out_at_reg < 6'd6)              sent = is_reply ? peer_reg[79:72] : 8'hff;
        else if (out_at_reg < 6'd12)        sent = local_byte_reg;
        else if (out_at_reg < BODY)
            case (out_at_reg[3:0])
                4'd12:   sent = 8'h08;
                4'd13:   sent = 8'h06;
                4'd15:   sent = 8'h01;
                4'd0:    sent = 8'h08;
                4'd2:    sent = 8'h06;
                4'd3:    sent = 8'h04;
                4'd5:    sent = is_reply ? 8'h02 : 8'h01;
                default: sent = 8'h00;
            endcase
        else if (out_at_reg < 6'd32)        sent = local_byte_reg;
        else if (is_reply)                  sent = peer_reg[79:72];
        else if (out_at_reg < TARGET_IP)    sent = 8'h00;
        else if (kind_reg != ASK)           sent = local_byte_reg;
    end

    ws_ram_sdp #(
        .DATA_W(8),
        .ADDR_W(4),
        .STYLE("distributed")
    ) announced (
        .clk(clk),
        .wr_en(step && out_valid_reg && own_place && kind_reg == ANNOUNCE),
        .wr_addr(out_at_reg[3:0]),
        .wr_data(local_byte_reg),
        .rd_en(step),
        .rd_addr(tx_at_reg[3:0]),
        .rd_data(announced_byte)
    );

    // Output stage
    assign m_axis_tkeep = 1'b1;
    assign m_axis_tuser = 1'b0;

    always @(posedge clk) begin
        if (step) begin
            m_axis_tvalid <= out_valid_reg && kind_reg != CHECK;
            m_axis_tdata  <= sent;
            m_axis_tlast  <= out_at_reg == LAST;
        end
        if (rst) m_axis_tvalid <= 1'b0;
    end

`ifdef FORMAL
    ws_axis_rules m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
