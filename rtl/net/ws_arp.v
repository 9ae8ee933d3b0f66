// SPDX-License-Identifier: Apache-2.0
//
// ws_arp: answers ARP requests for the local address, announces it, and resolves IPv4 addresses for a transmitter.
//
//   Ethernet                    ARP
//   dst 6, src 6, type 0806 2 | 0001 2, 0800 2, 06 1, 04 1, operation 2, sender MAC 6, IPv4 4, target MAC 6, IPv4 4
//
// Received     s_axis takes ARP frames from the first byte of the Ethernet header; padding is ignored. Every sender
//              updates its entry if it is in the table; only a sender that requests the local address is inserted.
//              So unsolicited replies and announcements never occupy an entry. A probe (sender 0.0.0.0) is answered
//              but not learned. Nothing is answered while local_ip is 0.0.0.0.
// Sent         replies; requests, broadcast; an announcement (RFC 5227) at the first tick_ms after reset, and after
//              every change of local_mac or local_ip, if local_ip is not 0.0.0.0
// Resolved     255.255.255.255 and the subnet's directed broadcast (netmask /30 or shorter) to the broadcast MAC; 224/4
//              to its multicast MAC; other addresses by the table, those outside the subnet by that of the gateway.
//              Never found and never requested: local_ip, and 0.0.0.0 (as the gateway: no gateway).
//              A lookup of an unknown address sends a request at once, and later lookups repeat it, once a second. See
//              ws_arp_cache for this, for ageing, and for the parameters.
// Static       set_valid with set_ip and set_mac creates a static entry; with set_clear, it frees the entry of set_ip,
//              static or learned. All must be held until set_ready, which is high for a cycle.
// Parameters   ENTRIES, REACHABLE_S, RETRIES, NEGATIVE_S, SECOND_TICKS  see ws_arp_cache
// Latency      8 cycles from resolve_valid to resolve_done; 17 from the last byte of a request to the first byte of the
//              reply if nothing else is pending
// Issue rate   a resolve every 8 cycles (more often: not allowed). 1 byte a cycle in and out; a frame's first 22 bytes
//              are accepted while the previous one is answered, so requests are answered every 77 cycles, which a
//              1 Gb/s line cannot exceed
// Overflow     s_axis_tready is low at byte 22 while a frame is being sent
// Events       each frame received is one pulse of the first of these that applies: evt_bad (tuser at tlast),
//              evt_malformed (too short; a wrong type, size or operation; a group address as sender),
//              evt_conflict (another MAC claims the local address; not learned), evt_request (for the local address),
//              evt_reply, evt_ignored (a request for another address; our own frame looped back).
//              evt_answered, evt_asked, evt_announced: a reply, a request, an announcement has been generated.
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
    output wire        resolve_done,
    output wire        resolve_found,
    output wire [47:0] resolve_mac,

    input  wire [7:0]  s_axis_tdata,
    input  wire        s_axis_tkeep,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tuser,

    output wire [7:0]  m_axis_tdata,
    output wire        m_axis_tkeep,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output wire        m_axis_tlast,
    output wire        m_axis_tuser,

    output wire        evt_bad,
    output wire        evt_malformed,
    output wire        evt_conflict,
    output wire        evt_request,
    output wire        evt_reply,
    output wire        evt_ignored,
    output wire        evt_answered,
    output wire        evt_asked,
    output wire        evt_announced,
    output wire        evt_aged,
    output wire        evt_unanswered,
    output wire        evt_replaced,
    output wire        evt_full
);

    // ---------------------------------------------------------------------------------------------------------------
    // Local addresses, a byte at a time, for the receiver or the transmitter: the receiver stalls at the body of a
    // frame while a frame is sent, and nothing is sent while a body comes in.
    //
    // Bytes 22 to 31 of a frame are {local_mac, local_ip}; bytes 6 to 11 of a sent frame select the same bytes by their
    // lowest four bits; bytes 38 to 41 are local_ip.

    wire        sending, may_send, step;
    wire [3:0]  rx_at, tx_at;
    wire        rx_at_target, tx_at_target;
    wire [3:0]  at       = sending ? tx_at : rx_at;
    wire [3:0]  local_at = (sending ? tx_at_target : rx_at_target) ? at + 4'd6 : at;
    reg  [7:0]  local_byte, local_byte_reg;

    always @* case (local_at)
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

    wire [79:0] peer;                       // MAC, IPv4 of the sender of the last good frame
    wire        learn, insert, learned, reply, replied, rotate;
    wire        lookup_valid, lookup_done, lookup_found, lookup_wanted;
    wire [31:0] lookup_ip, ask_ip;
    wire [47:0] lookup_mac;
    wire        note, noted, note_ask, ask, asked;

    ws_arp_receive receive (
        .clk(clk),
        .rst(rst),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser),
        .at(rx_at),
        .at_target(rx_at_target),
        .local_byte(local_byte_reg),
        .peer(peer),
        .rotate(rotate),
        .learn(learn),
        .insert(insert),
        .learned(learned),
        .reply(reply),
        .replied(replied),
        .sending(sending),
        .may_send(may_send),
        .evt_bad(evt_bad),
        .evt_malformed(evt_malformed),
        .evt_conflict(evt_conflict),
        .evt_request(evt_request),
        .evt_reply(evt_reply),
        .evt_ignored(evt_ignored)
    );

    ws_arp_resolve resolve (
        .clk(clk),
        .rst(rst),
        .local_ip(local_ip),
        .netmask(netmask),
        .gateway(gateway),
        .resolve_valid(resolve_valid),
        .resolve_ip(resolve_ip),
        .resolve_done(resolve_done),
        .resolve_found(resolve_found),
        .resolve_mac(resolve_mac),
        .lookup_valid(lookup_valid),
        .lookup_ip(lookup_ip),
        .lookup_done(lookup_done),
        .lookup_found(lookup_found),
        .lookup_wanted(lookup_wanted),
        .lookup_mac(lookup_mac),
        .note(note),
        .noted(noted),
        .note_ask(note_ask),
        .ask(ask),
        .ask_ip(ask_ip),
        .asked(asked)
    );

    ws_arp_send send (
        .clk(clk),
        .rst(rst),
        .tick_ms(tick_ms),
        .may_send(may_send),
        .sending(sending),
        .at(tx_at),
        .at_target(tx_at_target),
        .step(step),
        .local_byte(local_byte_reg),
        .ask(ask),
        .ask_ip(ask_ip),
        .asked(asked),
        .reply(reply && !learn),
        .replied(replied),
        .peer_byte(peer[79:72]),
        .rotate(rotate),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tlast(m_axis_tlast),
        .evt_answered(evt_answered),
        .evt_asked(evt_asked),
        .evt_announced(evt_announced)
    );

    assign m_axis_tkeep = 1'b1;
    assign m_axis_tuser = 1'b0;

    // ---------------------------------------------------------------------------------------------------------------
    // The table, and the arbiter of its operations: the user's first, then the receiver's, then the resolver's.

    localparam [2:0] OP_ASK = 3'b001, OP_UPDATE = 3'b010, OP_INSERT = 3'b011, OP_CLEAR = 3'b100, OP_SET = 3'b101;

    reg        op_set_reg, op_learn_reg, op_note_reg;
    wire       op_valid = op_set_reg || op_learn_reg || op_note_reg;
    wire       op_done;
    wire [2:0] op_code  = op_set_reg   ? (set_clear ? OP_CLEAR : OP_SET) :
                          op_learn_reg ? (insert ? OP_INSERT : OP_UPDATE) : OP_ASK;

    assign set_ready = op_set_reg && op_done;
    assign learned   = op_learn_reg && op_done;
    assign noted     = op_note_reg && op_done;

    always @(posedge clk) begin
        if (!op_valid) begin
            op_set_reg   <= set_valid;
            op_learn_reg <= !set_valid && learn;
            op_note_reg  <= !set_valid && !learn && note;
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
        .lookup_valid(lookup_valid),
        .lookup_ip(lookup_ip),
        .lookup_done(lookup_done),
        .lookup_found(lookup_found),
        .lookup_wanted(lookup_wanted),
        .lookup_mac(lookup_mac),
        .op_valid(op_valid),
        .op_code(op_code),
        .op_ip(op_set_reg ? set_ip : op_learn_reg ? peer[31:0] : ask_ip),
        .op_mac(op_set_reg ? set_mac : peer[79:32]),
        .op_done(op_done),
        .op_ask(note_ask),
        .evt_aged(evt_aged),
        .evt_unanswered(evt_unanswered),
        .evt_replaced(evt_replaced),
        .evt_full(evt_full)
    );

`ifdef FORMAL
    ws_axis_rules m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );

    // A byte does not wait for tready, and another follows it. (The first cycle of a proof is a reset.)
    reg       ready_ref, taken_ref;
    reg [7:0] data_ref;

    always @(posedge clk) begin
        ready_ref <= !rst && (ready_ref || m_axis_tready);
        taken_ref <= !rst && m_axis_tvalid && m_axis_tready;
        data_ref  <= m_axis_tdata;
        cover (!rst && m_axis_tvalid && !ready_ref);
        cover (!rst && m_axis_tvalid && taken_ref && m_axis_tdata != data_ref);
    end
`endif

endmodule

`default_nettype wire
