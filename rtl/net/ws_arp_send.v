// SPDX-License-Identifier: Apache-2.0
//
// ws_arp_send: transmitter of ws_arp: sends requests, announcements and replies, in this order of priority.
//
// At every tick_ms, a check steps through the bytes of an announcement without output, and compares the local addresses
// with those announced last, which a small RAM holds; if they differ, an announcement follows. The check's priority is
// just above that of a reply.
//
// Events       evt_answered, evt_asked, evt_announced: see ws_arp
// Latency      start of a frame -> first byte out: 3 cycles
// Issue rate   1 byte a cycle
// Source       RFC 826, RFC 5227

`default_nettype none

module ws_arp_send (
    input  wire        clk,
    input  wire        rst,
    input  wire        tick_ms,

    input  wire        may_send,            // a frame or a check may start
    output wire        sending,             // from then on until the last byte is generated

    output wire [3:0]  at,                  // index of the next byte, its lowest four bits
    output wire        at_target,           // the index is at least 32
    output wire        step,                // advances to the following one
    input  wire [7:0]  local_byte,          // byte of the local addresses for the index of the step before, see ws_arp

    input  wire        ask,                 // send a request for ask_ip
    input  wire [31:0] ask_ip,
    output wire        asked,
    input  wire        reply,               // send a reply to peer
    output wire        replied,
    input  wire [7:0]  peer_byte,           // next byte of the peer's MAC and IPv4 address
    output wire        rotate,              // advances to the following one, cyclically

    output reg  [7:0]  m_axis_tdata,
    output reg         m_axis_tvalid,
    input  wire        m_axis_tready,
    output reg         m_axis_tlast,

    output reg         evt_answered,
    output reg         evt_asked,
    output reg         evt_announced
);

    // Bytes of a frame; BODY is where the addresses of the ARP packet begin.
    localparam [5:0] BODY = 6'd22, SENDER_IP = 6'd28, TARGET_IP = 6'd38, LAST = 6'd41;

    localparam [1:0] ASK = 2'd0, REPLY = 2'd1, ANNOUNCE = 2'd2, CHECK = 2'd3;

    // ---------------------------------------------------------------------------------------------------------------
    // First stage: selects what to send, counts the bytes.

    reg        run_reg, out_valid_reg;      // a byte is in the first, in the second stage
    reg  [5:0] at_reg, out_at_reg;
    reg  [1:0] kind_reg;
    reg        check_reg, announce_reg;     // pending
    reg        announced_reg;               // the RAM holds addresses
    reg        changed_reg, nonzero_reg;    // found by the check so far
    wire       own_place = out_at_reg >= BODY && out_at_reg < SENDER_IP + 6'd4;
    wire [7:0] announced_byte;
    wire       out_last  = out_valid_reg && step && out_at_reg == LAST;
    wire       start     = !sending && may_send && (ask || announce_reg || check_reg || reply);

    assign sending   = run_reg || out_valid_reg;
    assign at        = at_reg[3:0];
    assign at_target = at_reg[5];
    assign step      = !m_axis_tvalid || m_axis_tready;
    assign asked     = out_last && kind_reg == ASK;
    assign replied   = out_last && kind_reg == REPLY;

    always @(posedge clk) begin
        if (tick_ms) check_reg <= 1'b1;
        if (start) begin
            run_reg     <= 1'b1;
            at_reg      <= 6'd0;
            kind_reg    <= ask ? ASK : announce_reg ? ANNOUNCE : check_reg ? CHECK : REPLY;
            changed_reg <= !announced_reg;
            nonzero_reg <= 1'b0;
        end else if (step && run_reg) begin
            at_reg <= at_reg + 6'd1;
            if (at_reg == LAST) run_reg <= 1'b0;
        end
        if (step) begin
            out_valid_reg <= run_reg;
            out_at_reg    <= at_reg;
        end
        if (step && out_valid_reg && own_place) begin
            if (local_byte != announced_byte) changed_reg <= 1'b1;
            if (out_at_reg >= SENDER_IP && local_byte != 8'h00) nonzero_reg <= 1'b1;
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
            run_reg       <= 1'b0;
            out_valid_reg <= 1'b0;
            announce_reg  <= 1'b0;
            announced_reg <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Second stage: selects the byte.

    wire       is_reply = kind_reg == REPLY;
    reg  [7:0] sent;

    assign rotate = out_valid_reg && step && is_reply && (out_at_reg < 6'd10 || out_at_reg >= 6'd32);

    always @* begin
        case (out_at_reg[1:0])              // from TARGET_IP on
            2'd2:    sent = ask_ip[31:24];
            2'd3:    sent = ask_ip[23:16];
            2'd0:    sent = ask_ip[15:8];
            default: sent = ask_ip[7:0];
        endcase
        if (out_at_reg < 6'd6)              sent = is_reply ? peer_byte : 8'hff;
        else if (out_at_reg < 6'd12)        sent = local_byte;
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
        else if (out_at_reg < 6'd32)        sent = local_byte;
        else if (is_reply)                  sent = peer_byte;
        else if (out_at_reg < TARGET_IP)    sent = 8'h00;
        else if (kind_reg != ASK)           sent = local_byte;
    end

    ws_ram_sdp #(
        .DATA_W(8),
        .ADDR_W(4),
        .STYLE("distributed")
    ) announced (
        .clk(clk),
        .wr_en(step && out_valid_reg && own_place && kind_reg == ANNOUNCE),
        .wr_addr(out_at_reg[3:0]),
        .wr_data(local_byte),
        .rd_en(step),
        .rd_addr(at_reg[3:0]),
        .rd_data(announced_byte)
    );

    // Output stage
    always @(posedge clk) begin
        if (step) begin
            m_axis_tvalid <= out_valid_reg && kind_reg != CHECK;
            m_axis_tdata  <= sent;
            m_axis_tlast  <= out_at_reg == LAST;
        end
        if (rst) m_axis_tvalid <= 1'b0;
    end

endmodule

`default_nettype wire
