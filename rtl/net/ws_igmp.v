// SPDX-License-Identifier: Apache-2.0
//
// ws_igmp: host side of IGMP: reports the multicast groups that are joined, left and queried.
//
// Takes normalised IGMP frames (see ws_control_rx): 14 bytes of Ethernet header, 20 of IPv4 header, the message without
// padding. Sends frames with TTL 1, the router alert option and one group each:
//
//   01005e and low 23 bits of the destination, local_mac 6, 0800
//   | 46 c0, length 2, id 0000, DF 4000, TTL 01, 02, checksum 2, local_ip 4, destination 4, 94040000
//   | version 3:      22 00, checksum 2, 00000001, record type 1, 000000, group 4      to 224.0.0.22
//   | version 2, 1:   16 or 12 (report) or 17 (leave), 00, checksum 2, group 4     to the group, a leave to 224.0.0.2
//
// A change of `groups` joins or leaves a group. Joins and leaves are reported immediately, and repeated once after a
// random delay of 25 ms to 1 s (versions 1 and 2: 10 s). Exceptions: version 2 reports a leave once, version 1 not at
// all, and a leave is not repeated if its entry already holds another group. An entry that is not a multicast address,
// or is 224.0.0.1, is off.
//
// A query is answered after a random delay below its maximum response time, in steps of 25 ms. One timer serves all
// groups: pending reports are sent together when the earliest is due. A group-and-source-specific query is answered
// like a group-specific one, since the group accepts any source. In versions 1 and 2, another host's report of a group
// cancels our pending report. Version 3 is in force until an older query is heard, then that version for
// OLDER_QUERIER_S; a change of version cancels all pending reports.
//
// Counted      each received frame is one pulse, of the first of these that applies:
//                bad      tuser[0] with tlast, a message neither 8 nor at least 12 bytes long, a wrong checksum
//                other    not a query (such as another host's report)
//                busy     a query that arrives while another is still being processed
//                query    a query that is accepted; it is answered if it concerns a group of ours
//              and each frame sent is one of evt_report, evt_leave, when its last byte is generated
// Parameters   N_GROUPS         entries in `groups`, 1 to 64
//              OLDER_QUERIER_S  older version querier present timeout in s (RFC 3376, 8.12), 1 to 1000
// Settings     local_mac and local_ip may change only while nothing is being sent; groups at any time
// Latency      18 * N_GROUPS + 30 cycles at most from a change of groups to the first byte of the report, if no other
//              report is being sent and no delay is drawn
// Issue rate   1 byte a cycle in; 1 byte a cycle out within a frame, with a pause of 20 cycles (versions 1 and 2: 12)
//              before the message, in which its checksum is computed
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

    output wire                   evt_query,
    output wire                   evt_busy,
    output wire                   evt_other,
    output wire                   evt_bad,
    output wire                   evt_report,
    output wire                   evt_leave
);

    initial if (N_GROUPS < 1 || N_GROUPS > 64 || OLDER_QUERIER_S < 1 || OLDER_QUERIER_S > 1000) begin
        $display("ERROR: %m: N_GROUPS = %0d (1 to 64), OLDER_QUERIER_S = %0d (1 to 1000)", N_GROUPS, OLDER_QUERIER_S);
        $finish;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Scan: compares one entry after the other, continuously. A scan of all entries is a round; what it responds to, a
    // held message or the expired timer, is sampled at its beginning.

    localparam [1:0] STATE_SCAN   = 2'd0,               // compares an entry octet by octet
                     STATE_DECIDE = 2'd1,
                     STATE_SEND   = 2'd2,
                     STATE_DRAW   = 2'd3;               // draws a random delay

    localparam SLOT_W = N_GROUPS == 1 ? 1 : $clog2(N_GROUPS);
    localparam LAST   = N_GROUPS - 1;

    reg  [1:0]          state_reg;
    reg  [SLOT_W-1:0]   slot_reg;                       // the current entry
    reg  [2:0]          octet_reg;                      // octet being read, 0 to 3; the previous one is compared
    // Per entry, the current one in bit 0:
    reg  [N_GROUPS-1:0] member_reg;                     // its group in known_groups is joined
    reg  [N_GROUPS-1:0] respond_reg;                    // report when the timer expires, in response to a query
    reg  [N_GROUPS-1:0] again_reg;                      // the same, to repeat a join or leave
    // For this round:
    reg                 round_held_reg, round_due_reg, drawn_reg;
    // For the current entry in this round:
    reg                 same_reg, match_reg, multicast_reg, all_hosts_reg;
    reg                 first_reg;                      // first report of a join or leave
    reg                 done_reg;                       // the report that was due has been sent
    reg                 seen_reg;                       // the held message has been processed

    reg  [7:0]          wanted_reg;                     // octet of the entry in `groups`
    wire [7:0]          known;                          // octet of the entry in known_groups

    wire v3, v1, version_changes;
    wire held, held_report, held_long, held_v1, held_general;
    wire [7:0] held_code, held_octet;
    wire expired, drawn, sent;

    wire member   = member_reg[0];
    wire active   = multicast_reg && !all_hosts_reg;
    wire due      = first_reg || (round_due_reg && !done_reg && (respond_reg[0] || again_reg[0]));
    wire silent   = !member && v1;                      // version 1 has no leave message
    wire repeats  = first_reg && (member || v3);
    wire concerns = round_held_reg && !seen_reg && member && (match_reg || (held_general && !held_report));
    wire compare  = state_reg == STATE_SCAN && octet_reg != 3'd0;
    wire copy     = compare && !member && !again_reg[0];
    wire round_begins = state_reg == STATE_SCAN && octet_reg == 3'd0 && slot_reg == 0;
    wire decide   = state_reg == STATE_DECIDE;
    wire leaves   = decide && !due && member && !same_reg;
    wire joins    = decide && !due && !member && active && same_reg;
    wire frees    = decide && !due && !member && active && !same_reg && again_reg[0];
    wire next     = decide && !due && !leaves && !joins && !frees && !concerns;

    // The flags of all entries, rotated by one entry
    wire [N_GROUPS-1:0] member_turned  = (member_reg >> 1) | (member_reg << (N_GROUPS - 1));
    wire [N_GROUPS-1:0] respond_turned = (respond_reg >> 1) | (respond_reg << (N_GROUPS - 1));
    wire [N_GROUPS-1:0] again_turned   = (again_reg >> 1) | (again_reg << (N_GROUPS - 1));

    always @(posedge clk) begin
        if (round_begins) begin
            round_held_reg <= held;
            round_due_reg  <= expired;
            drawn_reg      <= 1'b0;
        end
        case (state_reg)
            STATE_SCAN: begin
                octet_reg <= octet_reg + 3'd1;
                if (compare) begin
                    same_reg  <= (octet_reg == 3'd1 || same_reg) && known == wanted_reg;
                    match_reg <= (octet_reg == 3'd1 || match_reg) && known == held_octet;
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
                    multicast_reg  <= 1'b0;             // may be stale: the entry can have changed while it was read
                end else if (joins) begin
                    member_reg[0]  <= 1'b1;
                    first_reg      <= 1'b1;
                end else if (frees)
                    again_reg[0]   <= 1'b0;             // the entry may take a new group
                else if (concerns) begin
                    seen_reg       <= 1'b1;
                    done_reg       <= 1'b1;
                    drawn_reg      <= 1'b1;
                    respond_reg[0] <= !held_report;
                    if (held_report) again_reg[0] <= 1'b0;
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
                    first_reg      <= repeats;          // selects the limit of the delay
                end
            default: if (drawn) begin                   // STATE_DRAW
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

    // The group of each entry, as reported, one octet per word. An entry with no group follows `groups`.
    wire [1:0] send_octet;
    wire       send_read;

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
        .rd_en(state_reg == STATE_SEND ? send_read : state_reg == STATE_SCAN && !octet_reg[2]),
        .rd_addr({slot_reg, state_reg == STATE_SEND ? send_octet : octet_reg[1:0]}),
        .rd_data(known)
    );

    // ---------------------------------------------------------------------------------------------------------------

    wire heard_v1, heard_v2;

    assign s_axis_tready = 1'b1;

    ws_igmp_receive receive (
        .clk(clk),
        .rst(rst),
        .v3(v3),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser),
        .heard_v1(heard_v1),
        .heard_v2(heard_v2),
        .held(held),
        .held_report(held_report),
        .held_long(held_long),
        .held_v1(held_v1),
        .held_general(held_general),
        .held_code(held_code),
        .held_octet(held_octet),
        .rotate(compare && round_held_reg),
        .discard(next && round_held_reg && slot_reg == LAST[SLOT_W-1:0]),
        .evt_query(evt_query),
        .evt_busy(evt_busy),
        .evt_other(evt_other),
        .evt_bad(evt_bad)
    );

    ws_igmp_timers #(.OLDER_QUERIER_S(OLDER_QUERIER_S)) timers (
        .clk(clk),
        .rst(rst),
        .tick_ms(tick_ms),
        .seed(local_mac[7:0]),
        .heard_v1(heard_v1),
        .heard_v2(heard_v2),
        .v3(v3),
        .v1(v1),
        .version_changes(version_changes),
        .draw(state_reg == STATE_DRAW),
        .first(first_reg),
        .held_long(held_long),
        .held_v1(held_v1),
        .held_code(held_code),
        .drawn(drawn),
        .expired(expired),
        .take(round_begins)
    );

    ws_igmp_report report (
        .clk(clk),
        .rst(rst),
        .local_mac(local_mac),
        .local_ip(local_ip),
        .start(decide && due && !silent),
        .v3(v3),
        .v1(v1),
        .leave(!member),
        .change(first_reg || again_reg[0]),
        .sent(sent),
        .octet(send_octet),
        .octet_read(send_read),
        .group_octet(known),
        .m_axis_tdata(m_axis_tdata),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tlast(m_axis_tlast),
        .evt_report(evt_report),
        .evt_leave(evt_leave)
    );

    assign m_axis_tkeep = 1'b1;
    assign m_axis_tuser = 1'b0;

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
