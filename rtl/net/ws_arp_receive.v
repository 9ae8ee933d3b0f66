// SPDX-License-Identifier: Apache-2.0
//
// ws_arp_receive: receiver of ws_arp: checks ARP frames, and holds the addresses of the last good frame's sender.
//
// The addresses stay until the sender has been learned and answered. The body of the next frame, which would overwrite
// them, stalls at its first byte until then, and while the transmitter is sending.
//
// Events       evt_bad, evt_malformed, evt_conflict, evt_request, evt_reply, evt_ignored: see ws_arp
// Latency      last byte in -> learn, reply and the events: 3 cycles
// Issue rate   1 byte a cycle
// Source       RFC 826, RFC 5227

`default_nettype none

module ws_arp_receive (
    input  wire        clk,
    input  wire        rst,

    input  wire [7:0]  s_axis_tdata,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tuser,

    output wire [3:0]  at,                  // index of the next byte, its lowest four bits
    output wire        at_target,           // the index is at least 32
    input  wire [7:0]  local_byte,          // byte of the local addresses for the index of the cycle before, see ws_arp

    output reg  [79:0] peer,                // MAC, IPv4 of the sender
    input  wire        rotate,              // rotates peer by a byte, for a reply
    output reg         learn,               // peer is to be learned, until learned
    output reg         insert,              // with learn: even if its address is not in the table
    input  wire        learned,
    output reg         reply,               // peer is to be answered, until replied
    input  wire        replied,

    input  wire        sending,             // the transmitter is using peer and local_byte
    output wire        may_send,            // it may start

    output reg         evt_bad,
    output reg         evt_malformed,
    output reg         evt_conflict,
    output reg         evt_request,
    output reg         evt_reply,
    output reg         evt_ignored
);

    // Bytes of a frame; BODY is where the addresses of the ARP packet begin.
    localparam [5:0] BODY = 6'd22, SENDER_IP = 6'd28, TARGET_IP = 6'd38, LAST = 6'd41, PADDING = 6'd42;

    // ---------------------------------------------------------------------------------------------------------------
    // First stage: counts the bytes.

    reg  [5:0] at_reg;
    reg        body_reg;                    // the next byte is in the body
    reg        end_reg;                     // a frame has just ended
    reg        end_bad_reg, end_short_reg;
    reg        see_reg;                     // a byte is in the second stage
    reg  [7:0] see_data_reg;
    reg  [5:0] see_at_reg;
    wire       busy = end_reg || learn || reply;
    wire       take = s_axis_tvalid && s_axis_tready;

    assign s_axis_tready = !(body_reg && (sending || busy));
    assign at            = at_reg[3:0];
    assign at_target     = at_reg[5];

    always @(posedge clk) begin
        see_reg      <= take;
        see_data_reg <= s_axis_tdata;
        see_at_reg   <= at_reg;
        if (take) begin
            at_reg   <= s_axis_tlast ? 6'd0 : at_reg == PADDING ? PADDING : at_reg + 6'd1;
            body_reg <= !s_axis_tlast && (body_reg || at_reg == BODY - 6'd1);
        end
        end_reg       <= take && s_axis_tlast;
        end_bad_reg   <= s_axis_tuser;
        end_short_reg <= at_reg < LAST;
        if (rst) begin
            see_reg  <= 1'b0;
            at_reg   <= 6'd0;
            body_reg <= 1'b0;
            end_reg  <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Second stage: compares them, with constants or with the local addresses.

    reg  wrong_reg, request_reg;
    reg  mac_own_reg, sender_own_reg, sender_zero_reg, target_own_reg, target_zero_reg;
    wire same = see_data_reg == local_byte;
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

    // The sender's addresses are shifted in.
    wire see_sender = see_reg && see_at_reg >= BODY && see_at_reg < SENDER_IP + 6'd4;

    always @(posedge clk)
        if (see_sender || rotate) peer <= {peer[71:0], see_sender ? see_data_reg : peer[79:72]};

    // ---------------------------------------------------------------------------------------------------------------
    // Third stage: the verdict.

    reg  judge_reg, judge_bad_reg, judge_short_reg;

    wire is_good  = judge_reg && !judge_bad_reg && !judge_short_reg && !wrong_reg;
    wire own      = sender_own_reg && !sender_zero_reg;
    wire conflict = own && !mac_own_reg;
    wire for_us   = request_reg && target_own_reg && !target_zero_reg && !own;

    assign may_send = (!body_reg || busy) && !end_reg && !judge_reg;

    always @(posedge clk) begin
        judge_reg       <= end_reg;
        judge_bad_reg   <= end_bad_reg;
        judge_short_reg <= end_short_reg;

        if (learned) learn <= 1'b0;
        if (replied) reply <= 1'b0;
        if (is_good) begin
            learn  <= !own && !sender_zero_reg;
            insert <= for_us;
            reply  <= for_us;
        end

        evt_bad       <= judge_reg && judge_bad_reg;
        evt_malformed <= judge_reg && !judge_bad_reg && (judge_short_reg || wrong_reg);
        evt_conflict  <= is_good && conflict;
        evt_request   <= is_good && for_us;
        evt_reply     <= is_good && !own && !request_reg;
        evt_ignored   <= is_good && !conflict && !for_us && (own || request_reg);
        if (rst) begin
            judge_reg     <= 1'b0;
            learn         <= 1'b0;
            reply         <= 1'b0;
            evt_bad       <= 1'b0;
            evt_malformed <= 1'b0;
            evt_conflict  <= 1'b0;
            evt_request   <= 1'b0;
            evt_reply     <= 1'b0;
            evt_ignored   <= 1'b0;
        end
    end

endmodule

`default_nettype wire
