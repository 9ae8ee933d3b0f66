// SPDX-License-Identifier: Apache-2.0
//
// ws_igmp_report: transmitter of ws_igmp: sends one report or leave message for a group.
//
// Steps 0 to 37 are the bytes of the headers, 38 to 53 those of the message. The IPv4 header and the message are first
// run through without output, to compute their checksums; steps 54 to 57 are zeros that let the last carries of the
// message's sum propagate.
//
// Counted      evt_report, evt_leave: see ws_igmp
// Latency      start -> first byte out: 27 cycles
// Issue rate   1 byte a cycle, with a pause of 20 cycles (versions 1 and 2: 12) before the message
// Source       RFC 1112, appendix I; RFC 2236, sections 2 and 3; RFC 3376, section 4.2; RFC 2113

`default_nettype none

module ws_igmp_report (
    input  wire        clk,
    input  wire        rst,

    input  wire [47:0] local_mac,
    input  wire [31:0] local_ip,

    input  wire        start,                           // one cycle; samples v3, v1, leave and change
    input  wire        v3,                              // version of the message
    input  wire        v1,
    input  wire        leave,                           // a leave message, otherwise a report
    input  wire        change,                          // of a change of membership, otherwise of the current state
    output wire        sent,                            // the last byte has been generated

    output wire [1:0]  octet,                           // octet of the group to read, 3 the first;
    output wire        octet_read,                      // group_octet has it one cycle after octet_read
    input  wire [7:0]  group_octet,

    output wire [7:0]  m_axis_tdata,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output wire        m_axis_tlast,

    output reg         evt_report,
    output reg         evt_leave
);

    localparam [5:0] IP_STEP = 6'd14, IP_LAST = 6'd37, MESSAGE_STEP = 6'd38, MESSAGE_LAST = 6'd53, ZEROS_LAST = 6'd57;

    reg  [7:0] out_data_reg;
    reg        out_valid_reg, out_last_reg;
    reg        out_sum_reg, out_first_reg;              // a byte for the checksum, its first

    // Address stage
    reg        address_valid_reg, sum_pass_reg;
    reg  [5:0] step_reg;
    reg        v3_reg, v1_reg, leave_reg, change_reg;           // the message being sent
    wire       go = !out_valid_reg || m_axis_tready;

    assign octet      = step_reg[1:0] ^ 2'd2;                   // addresses begin in steps 30 and 50; the MAC's lower
    assign octet_read = go;                                     // three bytes in step 3

    always @(posedge clk) begin
        if (start) begin
            address_valid_reg <= 1'b1;
            step_reg     <= IP_STEP;
            sum_pass_reg <= 1'b1;
            v3_reg       <= v3;
            v1_reg       <= v1;
            leave_reg    <= leave;
            change_reg   <= change;
        end else if (go && address_valid_reg) begin
            step_reg <= step_reg + 6'd1;
            case (step_reg)
                IP_LAST:      begin sum_pass_reg <= !sum_pass_reg; if (sum_pass_reg) step_reg <= 6'd0; end
                6'd41:        if (!v3_reg) step_reg <= 6'd50;   // straight to the group
                MESSAGE_LAST: if (!sum_pass_reg) address_valid_reg <= 1'b0;
                ZEROS_LAST:   begin sum_pass_reg <= 1'b0; step_reg <= MESSAGE_STEP; end
                default: ;
            endcase
        end
        if (rst) address_valid_reg <= 1'b0;
    end

    // Byte stage
    reg        byte_valid_reg, byte_sum_reg;
    reg  [5:0] byte_step_reg;
    wire [7:0] check;
    wire       unused_good;
    reg  [7:0] made, destination;

    always @* begin
        destination = group_octet;
        if (v3_reg || leave_reg) case (byte_step_reg[1:0])      // 224.0.0.22, 224.0.0.2
            2'd2:    destination = 8'he0;
            2'd1:    destination = v3_reg ? 8'h16 : 8'h02;
            default: destination = 8'h00;
        endcase
        case (byte_step_reg)
            6'd0:   made = 8'h01;
            6'd2:   made = 8'h5e;
            6'd3:   made = {1'b0, destination[6:0]};
            6'd4,
            6'd5:   made = destination;
            6'd6:   made = local_mac[47:40];
            6'd7:   made = local_mac[39:32];
            6'd8:   made = local_mac[31:24];
            6'd9:   made = local_mac[23:16];
            6'd10:  made = local_mac[15:8];
            6'd11:  made = local_mac[7:0];
            6'd12:  made = 8'h08;
            6'd14:  made = 8'h46;
            6'd15:  made = 8'hc0;                               // internetwork control
            6'd17:  made = v3_reg ? 8'd40 : 8'd32;
            6'd20:  made = 8'h40;                               // DF
            6'd22:  made = 8'd1;                                // TTL
            6'd23:  made = 8'd2;                                // IGMP
            6'd24,
            6'd25,
            6'd40,
            6'd41:  made = byte_sum_reg ? 8'h00 : check;
            6'd26:  made = local_ip[31:24];
            6'd27:  made = local_ip[23:16];
            6'd28:  made = local_ip[15:8];
            6'd29:  made = local_ip[7:0];
            6'd30,
            6'd31,
            6'd32,
            6'd33:  made = destination;
            6'd34:  made = 8'h94;                               // router alert
            6'd35:  made = 8'h04;
            6'd38:  made = v3_reg ? 8'h22 : leave_reg ? 8'h17 : v1_reg ? 8'h12 : 8'h16;
            6'd45:  made = 8'd1;                                // one record
            6'd46:  made = !change_reg ? 8'd2 : leave_reg ? 8'd3 : 8'd4;   // is, changes to include, to exclude
            6'd50,
            6'd51,
            6'd52,
            6'd53:  made = group_octet;
            default: made = 8'h00;
        endcase
    end

    ws_inet_checksum sum (
        .clk(clk),
        .en(go && (out_sum_reg || byte_step_reg == 6'd24 || byte_step_reg == 6'd40)),
        .start(out_first_reg),
        .octet(out_sum_reg ? out_data_reg : 8'h00),
        .good(unused_good),
        .check(check)
    );

    // Output stage
    assign sent = go && byte_valid_reg && !byte_sum_reg && byte_step_reg == MESSAGE_LAST;
    assign m_axis_tdata  = out_data_reg;
    assign m_axis_tvalid = out_valid_reg;
    assign m_axis_tlast  = out_last_reg;

    always @(posedge clk) begin
        if (go) begin
            byte_valid_reg <= address_valid_reg;
            byte_sum_reg   <= sum_pass_reg;
            byte_step_reg  <= step_reg;
            out_valid_reg  <= byte_valid_reg && !byte_sum_reg;
            out_last_reg   <= byte_step_reg == MESSAGE_LAST;
            out_sum_reg    <= byte_valid_reg && byte_sum_reg;
            out_first_reg  <= byte_step_reg == IP_STEP || byte_step_reg == MESSAGE_STEP;
            out_data_reg   <= made;
        end
        evt_report <= sent && !leave_reg;
        evt_leave  <= sent && leave_reg;
        if (rst) begin
            byte_valid_reg <= 1'b0;
            out_sum_reg    <= 1'b0;
            out_valid_reg  <= 1'b0;
            evt_report     <= 1'b0;
            evt_leave      <= 1'b0;
        end
    end

endmodule

`default_nettype wire
