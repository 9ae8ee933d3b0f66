// SPDX-License-Identifier: Apache-2.0
//
// ws_igmp: host side of IGMP: reports the multicast groups that are joined, left and asked for.
//
// Takes normalised IGMP frames (see ws_control_rx): 14 bytes of Ethernet header, 20 of IPv4 header, the message without
// padding. Sends frames with TTL 1, the router alert option and one group each:
//
//   01005e and low 23 bits of the destination, local_mac 6, 0800
//   | 46 c0, length 2, id 0000, DF 4000, TTL 01, 02, checksum 2, local_ip 4, destination 4, 94040000
//   | version 3:      22 00, checksum 2, 00000001, record type 1, 000000, group 4      to 224.0.0.22
//   | version 2, 1:   16 or 12 (report) or 17 (leave), 00, checksum 2, group 4     to the group, a leave to 224.0.0.2
//
// Joins and leaves are changes of `groups`. Both are reported at once and, after a random delay of 25 ms to 1 s
// (versions 2 and 1: 10 s), once more, except that version 2 leaves once and version 1 silently, and that a leave is
// not repeated once its entry holds another group. An entry that is no multicast address, or 224.0.0.1, is off.
//
// A query is answered after a random delay below its maximum response time, whole multiples of 25 ms. One timer serves
// all groups: what is due sooner takes what is due later along. A query for certain sources is answered like one for
// their group, which any source of it can be sent to. In versions 1 and 2 another host's report of a group replaces a
// report of ours that waits. Version 3 until an older query is heard, then that version for OLDER_QUERIER_S; a
// change of version drops what waits.
//
// Counted      each received frame is one pulse, of the first of these that holds:
//                bad      tuser[0] with tlast, message of other than 8 or 12 and more bytes, wrong checksum
//                other    not a query (another host's report among them)
//                busy     a query that finds the one before it still waiting
//                query    a query for us to answer, if a group of ours is asked for
//              and each frame sent one of evt_report, evt_leave, when its last byte is made
// Parameters   N_GROUPS         entries in `groups`, 1 to 64
//              OLDER_QUERIER_S  older version querier present timeout in s (RFC 3376, 8.12), 1 to 1000
// Settings     local_mac and local_ip may change while nothing is sent; groups at any time
// Latency      from a change of groups to the report's first byte: at most 18 * N_GROUPS + 30 cycles when nothing else
//              is to be sent or drawn
// Issue rate   1 byte a cycle in, and out inside a frame, but for a pause of 20 cycles (versions 2 and 1: 12) before
//              the message, in which its checksum is made
// Overflow     s_axis_tready is always high
// Source       RFC 1112, appendix I; RFC 2236; RFC 3376, 4, 5 and 7; RFC 2113

`default_nettype none

module ws_igmp #(
    parameter N_GROUPS        = 1,
    parameter OLDER_QUERIER_S = 260
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [47:0]            local_mac,
    input  wire [31:0]            local_ip,
    input  wire [32*N_GROUPS-1:0] groups,       // entry 0 in the low bits
    input  wire                   tick_ms,      // one cycle every millisecond

    input  wire [7:0]             s_axis_tdata,
    input  wire                   s_axis_tkeep,
    input  wire                   s_axis_tvalid,
    output wire                   s_axis_tready,
    input  wire                   s_axis_tlast,
    input  wire                   s_axis_tuser,

    output wire [7:0]             m_axis_tdata,
    output wire                   m_axis_tkeep,
    output wire                   m_axis_tvalid,
    input  wire                   m_axis_tready,
    output wire                   m_axis_tlast,
    output wire                   m_axis_tuser,

    output reg                    evt_query,
    output reg                    evt_busy,
    output reg                    evt_other,
    output reg                    evt_bad,
    output reg                    evt_report,
    output reg                    evt_leave
);

    initial if (N_GROUPS < 1 || N_GROUPS > 64 || OLDER_QUERIER_S < 1 || OLDER_QUERIER_S > 1000) begin
        $display("ERROR: %m: N_GROUPS = %0d (1 to 64), OLDER_QUERIER_S = %0d (1 to 1000)", N_GROUPS, OLDER_QUERIER_S);
        $finish;
    end

    localparam [1:0] V3 = 2'd0, V2 = 2'd1, V1 = 2'd2;

    // ---------------------------------------------------------------------------------------------------------------
    // Receive stage: keeps the last query, or report of another host, until every entry has seen it.

    localparam [5:0] TYPE_BYTE  = 6'd34,
                     CODE_BYTE  = 6'd35,                // maximum response code
                     GROUP_BYTE = 6'd38,
                     SHORT_LAST = 6'd41,                // last byte of a message of 8 bytes
                     LONG_LAST  = 6'd45;                // of one of 12; and every byte that follows

    reg  [5:0]  at_reg;
    reg         end_reg, bad_reg, long_reg, query_reg, report_reg, code_zero_reg;
    reg         keep_reg;                               // nothing is kept when this frame's message begins
    reg         kept_reg, kept_report_reg, kept_long_reg, kept_v1_reg, kept_general_reg;
    reg  [7:0]  kept_code_reg;
    reg  [31:0] kept_group_reg;                         // the scan turns it round, an octet at a time
    reg  [1:0]  version_reg;
    wire        turn, seen_by_all;
    wire        sum_good;
    wire        in_group = at_reg >= GROUP_BYTE && at_reg <= SHORT_LAST;
    wire [7:0]  unused_check;

    assign s_axis_tready = 1'b1;

    ws_inet_checksum receive_sum (
        .clk(clk),
        .en(s_axis_tvalid),
        .start(at_reg == TYPE_BYTE),
        .octet(s_axis_tdata),
        .good(sum_good),
        .check(unused_check)
    );

    always @(posedge clk) begin
        end_reg <= s_axis_tvalid && s_axis_tlast;
        if (s_axis_tvalid) begin
            at_reg   <= s_axis_tlast ? 6'd0 : at_reg == LONG_LAST ? LONG_LAST : at_reg + 6'd1;
            bad_reg  <= s_axis_tuser || (at_reg != SHORT_LAST && at_reg != LONG_LAST);
            long_reg <= at_reg == LONG_LAST;
            case (at_reg)
                TYPE_BYTE: begin
                    keep_reg   <= !kept_reg;
                    query_reg  <= s_axis_tdata == 8'h11;
                    report_reg <= s_axis_tdata == 8'h12 || s_axis_tdata == 8'h16;
                end
                CODE_BYTE: begin
                    code_zero_reg <= s_axis_tdata == 8'd0;
                    if (keep_reg) kept_code_reg <= s_axis_tdata;
                end
                default: ;
            endcase
            if (in_group && keep_reg)
                kept_general_reg <= s_axis_tdata == 8'd0 && (at_reg == GROUP_BYTE || kept_general_reg);
        end
        if (turn || (s_axis_tvalid && in_group && keep_reg))
            kept_group_reg <= {kept_group_reg[23:0], turn ? kept_group_reg[31:24] : s_axis_tdata};
        if (rst) begin
            at_reg  <= 6'd0;
            end_reg <= 1'b0;
        end
    end

    // Verdict
    wire good       = end_reg && !bad_reg && sum_good;
    wire good_query = good && query_reg;
    wire query_v1   = !long_reg && code_zero_reg;
    wire query_v2   = !long_reg && !code_zero_reg;

    always @(posedge clk) begin
        if (keep_reg && good && (query_reg || (report_reg && version_reg != V3))) begin
            kept_reg        <= 1'b1;
            kept_report_reg <= report_reg;
            kept_long_reg   <= long_reg;
            kept_v1_reg     <= query_v1;
        end else if (seen_by_all) kept_reg <= 1'b0;
        evt_bad   <= end_reg && !good;
        evt_other <= good && !query_reg;
        evt_busy  <= good_query && !keep_reg;
        evt_query <= good_query && keep_reg;
        if (rst) begin
            kept_reg  <= 1'b0;
            evt_bad   <= 1'b0;
            evt_other <= 1'b0;
            evt_busy  <= 1'b0;
            evt_query <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Clocks of 25 ms and 1 s, and the version that they keep.

    localparam OLDER_W = $clog2(OLDER_QUERIER_S + 2);
    localparam [OLDER_W-1:0] OLDER = OLDER_QUERIER_S[OLDER_W-1:0] + 1'b1;      // the first second may be a short one

    reg  [4:0]         ms_reg;                          // down from 24
    reg  [5:0]         unit_reg;                        // down from 39
    reg                unit_tick_reg, second_tick_reg;
    reg  [OLDER_W-1:0] v1_left_reg, v2_left_reg;        // seconds
    wire [1:0]         version = v1_left_reg != 0 ? V1 : v2_left_reg != 0 ? V2 : V3;
    wire               version_changes = version != version_reg;

    always @(posedge clk) begin
        unit_tick_reg   <= tick_ms && ms_reg == 5'd0;
        second_tick_reg <= unit_tick_reg && unit_reg == 6'd0;
        if (tick_ms) ms_reg <= ms_reg == 5'd0 ? 5'd24 : ms_reg - 5'd1;
        if (unit_tick_reg) unit_reg <= unit_reg == 6'd0 ? 6'd39 : unit_reg - 6'd1;

        if (good_query && query_v1) v1_left_reg <= OLDER;
        else if (second_tick_reg && v1_left_reg != 0) v1_left_reg <= v1_left_reg - 1'b1;
        if (good_query && query_v2) v2_left_reg <= OLDER;
        else if (second_tick_reg && v2_left_reg != 0) v2_left_reg <= v2_left_reg - 1'b1;
        version_reg <= version;
        if (rst) begin
            ms_reg          <= 5'd24;
            unit_reg        <= 6'd39;
            unit_tick_reg   <= 1'b0;
            second_tick_reg <= 1'b0;
            v1_left_reg     <= {OLDER_W{1'b0}};
            v2_left_reg     <= {OLDER_W{1'b0}};
            version_reg     <= V3;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Scan: looks at one entry after the other, over and over. A scan of all entries is a round; what it answers to,
    // a kept query or an expired timer, is settled at its beginning.

    localparam [2:0] STATE_SCAN   = 3'd0,               // compares an entry octet by octet
                     STATE_DECIDE = 3'd1,
                     STATE_SEND   = 3'd2,
                     STATE_DRAW   = 3'd3,               // draws a random delay
                     STATE_SHIFT  = 3'd4,               // its lower bits
                     STATE_SET    = 3'd5;               // the timer

    localparam SLOT_W = N_GROUPS == 1 ? 1 : $clog2(N_GROUPS);
    localparam LAST   = N_GROUPS - 1;

    reg  [2:0]          state_reg;
    reg  [SLOT_W-1:0]   slot_reg;                       // the entry
    reg  [2:0]          octet_reg;                      // 0 to 3 is being read, the one before it compared
    // Of every entry, the one being looked at in bit 0:
    reg  [N_GROUPS-1:0] member_reg;                     // `known` is joined
    reg  [N_GROUPS-1:0] respond_reg;                    // to be reported when the timer expires, for a query
    reg  [N_GROUPS-1:0] again_reg;                      // as the second report of a join or leave
    // Of this round:
    reg                 round_kept_reg, round_due_reg, drawn_reg;
    // Of this entry, in this round:
    reg                 same_reg, match_reg, multicast_reg, all_hosts_reg;
    reg                 first_reg;                      // first report of a join or leave
    reg                 done_reg;                       // what was due is sent
    reg                 seen_reg;                       // has seen what is kept

    reg                 running_reg;
    reg  [16:0]         timer_reg;                      // in 25 ms
    reg  [7:0]          wanted_reg;                     // octet of the entry in `groups`
    wire [7:0]          known;                          // octet of the group that the entry stands for

    wire member   = member_reg[0];
    wire active   = multicast_reg && !all_hosts_reg;
    wire due      = first_reg || (round_due_reg && !done_reg && (respond_reg[0] || again_reg[0]));
    wire silent   = !member && version_reg == V1;       // leaves without a word
    wire repeats  = first_reg && (member || version_reg == V3);
    wire concerns = round_kept_reg && !seen_reg && member && (match_reg || (kept_general_reg && !kept_report_reg));
    wire compare  = state_reg == STATE_SCAN && octet_reg != 3'd0;
    wire copy     = compare && !member && !again_reg[0];
    wire round_begins = state_reg == STATE_SCAN && octet_reg == 3'd0 && slot_reg == 0;
    wire decide   = state_reg == STATE_DECIDE;
    wire leaves   = decide && !due && member && !same_reg;
    wire joins    = decide && !due && !member && active && same_reg;
    wire frees    = decide && !due && !member && active && !same_reg && again_reg[0];
    wire next     = decide && !due && !leaves && !joins && !frees && !concerns;
    wire sent;                                          // the report's last byte is made
    wire accept;                                        // what is drawn is below the limit
    reg  [3:0]          shift_reg;                      // bits that the delay still needs

    assign turn        = compare && round_kept_reg;
    assign seen_by_all = next && round_kept_reg && slot_reg == LAST[SLOT_W-1:0];

    // The entry's flags, and all of them turned by one
    wire [N_GROUPS-1:0] member_turned  = (member_reg >> 1) | (member_reg << (N_GROUPS - 1));
    wire [N_GROUPS-1:0] respond_turned = (respond_reg >> 1) | (respond_reg << (N_GROUPS - 1));
    wire [N_GROUPS-1:0] again_turned   = (again_reg >> 1) | (again_reg << (N_GROUPS - 1));

    always @(posedge clk) begin
        if (round_begins) begin
            round_kept_reg <= kept_reg;
            round_due_reg  <= running_reg && timer_reg == 17'd0;
            drawn_reg      <= 1'b0;
        end
        case (state_reg)
            STATE_SCAN: begin
                octet_reg <= octet_reg + 3'd1;
                if (compare) begin
                    same_reg  <= (octet_reg == 3'd1 || same_reg) && known == wanted_reg;
                    match_reg <= (octet_reg == 3'd1 || match_reg) && known == kept_group_reg[31:24];
                    if (octet_reg == 3'd1) multicast_reg <= wanted_reg[7:4] == 4'he;
                    case (octet_reg)
                        3'd1:    all_hosts_reg <= wanted_reg == 8'he0;
                        3'd4:    all_hosts_reg <= all_hosts_reg && wanted_reg == 8'h01;
                        default: all_hosts_reg <= all_hosts_reg && wanted_reg == 8'h00;
                    endcase
                end
                if (octet_reg == 3'd4) state_reg <= STATE_DECIDE;
            end
            STATE_DECIDE:
                if (due && !silent) state_reg <= STATE_SEND;
                else if (due) begin
                    first_reg      <= 1'b0;
                    again_reg[0]   <= 1'b0;
                end else if (leaves) begin
                    member_reg[0]  <= 1'b0;
                    respond_reg[0] <= 1'b0;
                    first_reg      <= 1'b1;
                    multicast_reg  <= 1'b0;             // may be old: the entry can have changed while it was read
                end else if (joins) begin
                    member_reg[0]  <= 1'b1;
                    first_reg      <= 1'b1;
                end else if (frees)
                    again_reg[0]   <= 1'b0;             // free for a new group
                else if (concerns) begin
                    seen_reg       <= 1'b1;
                    done_reg       <= 1'b1;
                    drawn_reg      <= 1'b1;
                    respond_reg[0] <= !kept_report_reg;
                    if (kept_report_reg) again_reg[0] <= 1'b0;
                    else if (!drawn_reg) state_reg <= STATE_DRAW;
                end else begin
                    slot_reg    <= slot_reg == LAST[SLOT_W-1:0] ? {SLOT_W{1'b0}} : slot_reg + 1'b1;
                    member_reg  <= member_turned;
                    respond_reg <= respond_turned;
                    again_reg   <= again_turned;
                    octet_reg   <= 3'd0;
                    done_reg    <= 1'b0;
                    seen_reg    <= 1'b0;
                    state_reg   <= STATE_SCAN;
                end
            STATE_SEND:
                if (sent) begin
                    done_reg       <= 1'b1;
                    respond_reg[0] <= 1'b0;
                    again_reg[0]   <= repeats;
                    state_reg      <= repeats ? STATE_DRAW : STATE_DECIDE;
                    first_reg      <= repeats;          // tells the draw what it is for
                end
            STATE_DRAW:  if (accept) state_reg <= STATE_SHIFT;
            STATE_SHIFT: if (shift_reg == 4'd0) state_reg <= STATE_SET;
            default: begin
                first_reg <= 1'b0;
                state_reg <= STATE_DECIDE;
            end
        endcase
        if (version_changes) begin
            respond_reg <= {N_GROUPS{1'b0}};
            again_reg   <= {N_GROUPS{1'b0}};
        end
        if (rst) begin
            state_reg   <= STATE_SCAN;
            slot_reg    <= {SLOT_W{1'b0}};
            octet_reg   <= 3'd0;
            member_reg  <= {N_GROUPS{1'b0}};
            respond_reg <= {N_GROUPS{1'b0}};
            again_reg   <= {N_GROUPS{1'b0}};
            first_reg   <= 1'b0;
            done_reg    <= 1'b0;
            seen_reg    <= 1'b0;
        end
    end

    // The groups that the entries stand for, an octet a word. An entry that stands for none follows `groups`.
    wire [1:0] send_octet;
    wire       send_step;

    always @(posedge clk) wanted_reg <= groups[8*{slot_reg, ~octet_reg[1:0]} +: 8];

    ws_ram_sdp #(
        .DATA_W(8),
        .ADDR_W(SLOT_W + 2),
        .STYLE("distributed")
    ) known_groups (
        .clk(clk),
        .wr_en(copy),
        .wr_addr({slot_reg, octet_reg[1:0] - 2'd1}),
        .wr_data(wanted_reg),
        .rd_en(state_reg == STATE_SEND ? send_step : state_reg == STATE_SCAN && !octet_reg[2]),
        .rd_addr({slot_reg, state_reg == STATE_SEND ? send_octet : octet_reg[1:0]}),
        .rd_data(known)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Delay: a random number below the maximum response time. That is a mantissa, in 0.1 s, times a power of two: a
    // mantissa is drawn until it is below it, two bits are put behind it for the 25 ms, and one for every power.

    reg  [15:0] lfsr_reg;
    reg  [16:0] delay_reg;
    wire        floats = !first_reg && kept_long_reg && kept_code_reg[7];
    reg  [7:0]  limit_reg;                              // settled before the draw begins

    // Hosts that started together draw differently; bits above the limit's highest are not worth drawing.
    wire [7:0]  mask_2 = limit_reg | limit_reg >> 1;
    wire [7:0]  mask_4 = mask_2 | mask_2 >> 2;
    wire [7:0]  mask   = mask_4 | mask_4 >> 4;
    wire [7:0]  drawn  = (lfsr_reg[15:8] ^ local_mac[7:0]) & mask;

    assign accept = drawn < limit_reg || limit_reg == 8'd0;

    always @(posedge clk) begin
        limit_reg <= first_reg ? (version_reg == V3 ? 8'd10 : 8'd100)
                  : kept_v1_reg ? 8'd100 : floats ? {4'b0001, kept_code_reg[3:0]} : kept_code_reg;
        lfsr_reg <= {lfsr_reg[14:0], lfsr_reg[15] ^ lfsr_reg[14] ^ lfsr_reg[12] ^ lfsr_reg[3]};
        if (state_reg == STATE_DRAW) begin
            delay_reg <= limit_reg == 8'd0 ? 17'd0 : {7'b0, drawn, lfsr_reg[7], lfsr_reg[6] || first_reg};
            shift_reg <= floats ? {1'b0, kept_code_reg[6:4]} + 4'd3 : 4'd0;
        end else if (state_reg == STATE_SHIFT && shift_reg != 4'd0) begin
            delay_reg <= {delay_reg[15:0], lfsr_reg[6]};
            shift_reg <= shift_reg - 4'd1;
        end
        if (rst) lfsr_reg <= 16'd1;
    end

    always @(posedge clk) begin
        if (unit_tick_reg && timer_reg != 17'd0) timer_reg <= timer_reg - 17'd1;
        if (round_begins && timer_reg == 17'd0) running_reg <= 1'b0;
        if (state_reg == STATE_SET) begin
            if (!running_reg || delay_reg < timer_reg) timer_reg <= delay_reg;
            running_reg <= 1'b1;
        end
        if (rst || version_changes) running_reg <= 1'b0;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Send: steps 0 to 37 are the bytes of the headers, 38 to 53 those of the message. Both are first gone through
    // without sending, for their checksum; steps 54 to 57 are zeros in which its carries run out.

    localparam [5:0] IP_STEP = 6'd14, IP_LAST = 6'd37, MESSAGE_STEP = 6'd38, MESSAGE_LAST = 6'd53, ZEROS_LAST = 6'd57;

    reg  [7:0] out_data_reg;
    reg        out_valid_reg, out_last_reg;
    reg        out_sum_reg, out_first_reg;              // a byte of the sum, its first

    // Address stage
    reg        address_valid_reg, sum_pass_reg;
    reg  [5:0] step_reg;
    reg        v3_reg, v1_reg, leave_reg, change_reg;           // what is being sent
    wire       go = !out_valid_reg || m_axis_tready;

    assign send_octet = step_reg[1:0] ^ 2'd2;                   // addresses begin in steps 30 and 50; the MAC's lower
    assign send_step  = go;                                     // three bytes in step 3

    always @(posedge clk) begin
        if (decide && due && !silent) begin
            address_valid_reg <= 1'b1;
            step_reg     <= IP_STEP;
            sum_pass_reg <= 1'b1;
            v3_reg       <= version_reg == V3;
            v1_reg       <= version_reg == V1;
            leave_reg    <= !member;
            change_reg   <= first_reg || again_reg[0];
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
        destination = known;
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
            6'd53:  made = known;
            default: made = 8'h00;
        endcase
    end

    ws_inet_checksum send_sum (
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
    assign m_axis_tkeep  = 1'b1;
    assign m_axis_tvalid = out_valid_reg;
    assign m_axis_tlast  = out_last_reg;
    assign m_axis_tuser  = 1'b0;

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

`ifdef FORMAL
    ws_axis_rules m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
