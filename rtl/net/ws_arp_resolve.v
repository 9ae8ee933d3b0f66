// SPDX-License-Identifier: Apache-2.0
//
// ws_arp_resolve: resolver of ws_arp: finds the MAC address for an IPv4 address, and has unknown addresses requested.
//
// Broadcast and multicast addresses are resolved here, all others by a lookup in the table. A lookup that finds no
// valid entry may cause one request at a time: it is noted in the table (note until noted), and then sent (ask until
// asked).
//
// Latency      resolve_valid -> resolve_done: 2 cycles more than the table's lookup
// Issue rate   that of the table, see ws_arp_cache
// Source       RFC 1112, section 6.4; RFC 1122, section 2.3.2; RFC 3021

`default_nettype none

module ws_arp_resolve (
    input  wire        clk,
    input  wire        rst,

    input  wire [31:0] local_ip,
    input  wire [31:0] netmask,
    input  wire [31:0] gateway,

    input  wire        resolve_valid,
    input  wire [31:0] resolve_ip,
    output reg         resolve_done,
    output reg         resolve_found,
    output reg  [47:0] resolve_mac,

    output wire        lookup_valid,        // in ws_arp_cache
    output wire [31:0] lookup_ip,           // until lookup_done
    input  wire        lookup_done,
    input  wire        lookup_found,
    input  wire        lookup_wanted,
    input  wire [47:0] lookup_mac,

    output wire        note,                // note in the table that ask_ip is requested
    input  wire        noted,
    input  wire        note_ask,            // with noted: send the request
    output wire        ask,                 // send a request for ask_ip
    output wire [31:0] ask_ip,
    input  wire        asked
);

    // First stage: is the address in the subnet? (Four bits at a time; the second stage combines them.)
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

    // Second stage: the address's kind, needed at the end of the lookup
    wire        outside = |outside_reg;
    reg         far_reg, multicast_reg, limited_reg, directed_reg, own_reg, no_gateway_reg;
    wire        broadcast = limited_reg || (directed_reg && !far_reg);
    wire        never     = far_reg ? no_gateway_reg : own_reg;

    assign lookup_valid = lookup_valid_reg;
    assign lookup_ip    = outside ? gateway : ip_reg;

    always @(posedge clk) begin
        far_reg        <= outside;
        multicast_reg  <= ip_reg[31:28] == 4'he;
        limited_reg    <= &ip_reg;
        directed_reg   <= &(ip_reg | netmask) && !netmask[1];
        own_reg        <= ip_reg == local_ip || ip_reg == 32'd0;
        no_gateway_reg <= gateway == local_ip || gateway == 32'd0;
    end

    // Last stage: the result
    always @(posedge clk) begin
        resolve_done  <= lookup_done && !rst;
        resolve_found <= broadcast || multicast_reg || (lookup_found && !never);
        resolve_mac   <= broadcast ? 48'hffffffffffff :
                         multicast_reg ? {25'h0200bc, ip_reg[22:0]} : lookup_mac;     // 01:00:5e and 23 bits
    end

    // Requests
    reg         note_reg, ask_reg;
    reg  [31:0] ask_ip_reg;

    assign note   = note_reg;
    assign ask    = ask_reg;
    assign ask_ip = ask_ip_reg;

    always @(posedge clk) begin
        if (lookup_done && lookup_wanted && !broadcast && !multicast_reg && !never && !note_reg && !ask_reg) begin
            note_reg   <= 1'b1;
            ask_ip_reg <= lookup_ip;
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

endmodule

`default_nettype wire
