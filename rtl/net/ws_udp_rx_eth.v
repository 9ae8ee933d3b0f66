// SPDX-License-Identifier: Apache-2.0
//
// ws_udp_rx_eth: first stage of ws_udp_rx: MAC address filter, VLAN tags, type and ingress time of a frame.
//
// The step after a frame's last beat is its end step: it carries the bytes left over by the realignment. It may
// coincide with the first beat of the next frame, which contains only header and leaves no bytes over.
//
// Parameters   DATA_W, N_GROUPS, TIME_W   those of ws_udp_rx
// Latency      1 step; direct, group_mac and accepted: 2, so valid with body, which is at least a beat later
// Issue rate   1 beat a step
// Source       IEEE 802.3, 802.1Q; RFC 1112, section 6.4 (MAC address of a group)

`default_nettype none

module ws_udp_rx_eth #(
    parameter DATA_W   = 8,
    parameter N_GROUPS = 1,
    parameter TIME_W   = 64,
    parameter BEFORE_W = DATA_W == 8 ? 8 : 48
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [47:0]            local_mac,
    input  wire [32*N_GROUPS-1:0] groups,
    input  wire                   promiscuous,
    input  wire [TIME_W-1:0]      now,

    input  wire                   step,         // the pipeline advances
    input  wire                   take,         // and accepts this beat
    input  wire [DATA_W-1:0]      tdata,
    input  wire [DATA_W/8-1:0]    tkeep,
    input  wire                   tlast,
    input  wire                   tuser,

    output reg                    ends,         // end step
    output reg                    body,         // the header has ended
    output reg                    bad,          // with ends: the MAC's verdict
    output reg                    accepted,     // the address is direct or a group's, or promiscuous
    output reg                    direct,       // own MAC or broadcast
    output reg  [N_GROUPS-1:0]    group_mac,    // the MAC address of this group
    output reg                    is_ipv4,
    output reg                    is_ipv6,
    output reg                    is_arp,
    output wire                   one_tag,      // 64 bit: exactly one tag
    output reg  [BEFORE_W-1:0]    previous,     // end of the previous beat
    output reg  [TIME_W-1:0]      stamp         // time of the first beat, see below
);

    localparam K         = DATA_W / 8;          // bytes a beat
    localparam LANES     = K == 1 ? 1 : 6;      // of an address compared in parallel
    localparam ADDRESSES = 2 + N_GROUPS;

    // Own, broadcast, and those of the groups: 01:00:5e, then the group's low 23 bits
    wire [48*ADDRESSES-1:0] addresses;
    reg  [N_GROUPS-1:0]     group_on_reg;

    assign addresses[95:0] = {48'hffffffffffff, local_mac};

    genvar g;
    generate
        for (g = 0; g < N_GROUPS; g = g + 1) begin : gen_group
            assign addresses[48*(g+2) +: 48] = {25'h0200bc, groups[32*g +: 23]};
            always @(posedge clk) group_on_reg[g] <= |groups[32*g +: 32];
        end
    endgenerate

    // Address: each lane separately; the lanes are combined a step later.
    reg  [4:0]                 at_reg;          // beat of the frame, stays at 31
    reg                        start_reg;       // it is the first
    reg                        passed_reg;      // the address has ended
    reg  [LANES*ADDRESSES-1:0] same_reg;        // lanes that match an address so far
    wire [LANES*ADDRESSES-1:0] same;
    wire [ADDRESSES-1:0]       agrees;          // address by address
    wire                       own_or_all = agrees[0] || agrees[1];
    wire [N_GROUPS-1:0]        of_group   = agrees[ADDRESSES-1:2] & group_on_reg;

    generate
        for (g = 0; g < ADDRESSES; g = g + 1) begin : gen_address
            wire [47:0] address = addresses[48*g +: 48];
            if (K == 1) begin : gen_8
                // its bytes, each selected a beat ahead
                wire [63:0] following = {address[39:0], address[47:24]};
                reg  [7:0]  awaited_reg;
                always @(posedge clk)
                    if (rst || (take ? tlast : start_reg)) awaited_reg <= address[47:40];
                    else if (take) awaited_reg <= following[{~at_reg[2:0], 3'd0} +: 8];
                assign same[g] = tdata == awaited_reg;
            end else begin : gen_64
                assign same[LANES*g +: LANES] = {
                    tdata[47:40] == address[7:0],   tdata[39:32] == address[15:8],  tdata[31:24] == address[23:16],
                    tdata[23:16] == address[31:24], tdata[15:8]  == address[39:32], tdata[7:0]   == address[47:40]};
            end
            assign agrees[g] = &same_reg[LANES*g +: LANES];
        end
    endgenerate

    always @(posedge clk) begin
        if (take) begin
            start_reg  <= tlast;
            passed_reg <= !tlast && (K != 1 || at_reg >= 5'd5);
            if (!passed_reg) same_reg <= start_reg ? same : same & same_reg;
        end
        direct    <= own_or_all;
        group_mac <= of_group;
        accepted  <= own_or_all || |of_group || promiscuous;
        if (rst) begin
            start_reg  <= 1'b1;
            passed_reg <= 1'b0;
        end
    end

    // Tags and type. 64 bit: the field of an untagged frame and the one after two tags are in the same lanes.
    function [3:0] kind(input [15:0] field);    // tag, ARP, IPv6, IPv4
        kind = {field == 16'h8100 || field == 16'h88a8, field == 16'h0806, field == 16'h86dd, field == 16'h0800};
    endfunction

    wire       look, type_here;                 // the field is in this beat; the field is the type
    wire [3:0] found;                           // its kind

    generate
        if (K == 1) begin : gen_type_8
            // Field by field: the next one is four bytes later if this one is a tag.
            reg look_reg, last_reg, tag_reg;    // last: after two tags
            always @(posedge clk) begin
                if (take) begin
                    look_reg <= !tlast && (at_reg == 5'd12 || (at_reg[4] && at_reg[1:0] == 2'd0 && tag_reg));
                    last_reg <= at_reg == 5'd20;
                    if (start_reg)     tag_reg <= 1'b0;
                    else if (look_reg) tag_reg <= found[3] && !last_reg;
                end
                if (rst) look_reg <= 1'b0;
            end
            assign found     = kind({previous, tdata});
            assign look      = look_reg;
            assign one_tag   = tag_reg;
            assign type_here = look && tkeep[0] && (!found[3] || last_reg);
        end else begin : gen_type_64
            wire [3:0] upper = kind({tdata[39:32], tdata[47:40]});
            wire [3:0] lower = kind({tdata[7:0], tdata[15:8]});
            wire       early = at_reg == 5'd1;  // no tag before
            reg        one_tag_reg;
            always @(posedge clk) if (take && look) one_tag_reg <= early ? upper[3] : !lower[3];
            assign one_tag   = one_tag_reg;
            assign found     = early || lower[3] ? upper : lower;
            assign look      = early || (at_reg == 5'd2 && one_tag);
            assign type_here = look && (early ? !upper[3] && tkeep[5] : lower[3] ? tkeep[5] : tkeep[1]);
        end
    endgenerate

    always @(posedge clk) begin
        if (step) begin
            ends <= take && tlast;
            if (ends) body <= 1'b0;
        end
        if (take) begin
            at_reg   <= tlast ? 5'd0 : at_reg + {4'b0, !(&at_reg)};
            bad      <= tuser;
            previous <= tdata[DATA_W-1 -: BEFORE_W];
            if (look) {is_arp, is_ipv6, is_ipv4} <= found[2:0];
            if (type_here) body <= 1'b1;
        end
        if (rst) begin
            ends   <= 1'b0;
            body   <= 1'b0;
            at_reg <= 5'd0;
        end
    end

    // Ingress time. A datagram's last beat is output up to 5 steps after its frame's, and waits for the sink with one
    // step more. So the stamp changes 6 steps after a first beat, when the previous frame no longer needs it and this
    // one does not need it yet.
    reg              copy_reg;
    reg [TIME_W-1:0] first_reg;

    always @(posedge clk) begin
        if (take && start_reg) first_reg <= now;
        if (step) copy_reg <= take && at_reg == 5'd5;
        if (step && copy_reg) stamp <= first_reg;
    end

endmodule

`default_nettype wire
