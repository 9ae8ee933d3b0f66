// SPDX-License-Identifier: Apache-2.0
//
// udp_shout: what comes to UDP port 4000 goes back to its sender in capital letters. ARP and ping are answered too.
//
// The streams are those of an Ethernet MAC, 8 bits a cycle, frames without FCS. Put your own logic where `shouted` is.

`default_nettype none

module udp_shout #(
    parameter [47:0] MAC           = 48'h02_00_00_00_00_01,
    parameter [31:0] IP            = {8'd192, 8'd168, 8'd1, 8'd10},
    parameter [31:0] NETMASK       = {8'd255, 8'd255, 8'd255, 8'd0},
    parameter [15:0] PORT          = 4000,
    parameter        CYCLES_PER_MS = 125_000
) (
    input  wire       clk,
    input  wire       rst,

    input  wire [7:0] s_mac_axis_tdata,
    input  wire       s_mac_axis_tvalid,
    input  wire       s_mac_axis_tlast,
    input  wire       s_mac_axis_tuser,     // with tlast: the MAC found the frame bad

    output wire [7:0] m_mac_axis_tdata,
    output wire       m_mac_axis_tvalid,
    input  wire       m_mac_axis_tready,
    output wire       m_mac_axis_tlast,
    output wire       m_mac_axis_tuser
);

    // One cycle every millisecond: the stack's clock for ages and retries
    reg [31:0] cycle_reg;
    wire       tick_ms = cycle_reg == CYCLES_PER_MS - 1;

    always @(posedge clk) begin
        cycle_reg <= rst || tick_ms ? 32'd0 : cycle_reg + 1'b1;
    end

    // Payloads received, with their addresses in `user`, and payloads to send
    wire [7:0]   heard, shouted;
    wire         keep, valid, ready, last;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [117:0] user;
    /* verilator lint_on UNUSEDSIGNAL */
    wire         bad      = user[0];
    wire [15:0]  src_port = user[32:17];
    wire [31:0]  src_ip   = user[64:33];
    wire [15:0]  dst_port = user[80:65];

    assign shouted = heard >= "a" && heard <= "z" ? heard - 8'h20 : heard;

    ws_udp_ip_stack #(.DATA_W(8), .N_PORTS(1), .N_GROUPS(1), .TIME_W(1)) stack (
        .clk(clk), .rst(rst), .tick_ms(tick_ms), .now(1'b0),
        .local_mac(MAC), .local_ip(IP), .netmask(NETMASK), .gateway(32'd0),
        .local_ports(PORT), .groups(32'd0), .promiscuous(1'b0), .ping(1'b1),
        .arp_set_valid(1'b0), .arp_set_ready(), .arp_set_clear(1'b0), .arp_set_ip(32'd0), .arp_set_mac(48'd0),
        .s_mac_axis_tdata(s_mac_axis_tdata), .s_mac_axis_tkeep(1'b1), .s_mac_axis_tvalid(s_mac_axis_tvalid),
        .s_mac_axis_tready(), .s_mac_axis_tlast(s_mac_axis_tlast), .s_mac_axis_tuser(s_mac_axis_tuser),
        .m_mac_axis_tdata(m_mac_axis_tdata), .m_mac_axis_tkeep(), .m_mac_axis_tvalid(m_mac_axis_tvalid),
        .m_mac_axis_tready(m_mac_axis_tready), .m_mac_axis_tlast(m_mac_axis_tlast), .m_mac_axis_tuser(m_mac_axis_tuser),
        .m_axis_tdata(heard), .m_axis_tkeep(keep), .m_axis_tvalid(valid), .m_axis_tready(ready),
        .m_axis_tlast(last), .m_axis_tuser(user),
        .s_axis_tdata(shouted), .s_axis_tkeep(keep), .s_axis_tvalid(valid), .s_axis_tready(ready),
        .s_axis_tlast(last), .s_axis_tuser({dst_port, src_ip, src_port, bad}),
        .events()
    );

endmodule

`default_nettype wire
