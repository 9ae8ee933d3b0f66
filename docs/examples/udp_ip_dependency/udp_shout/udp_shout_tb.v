// SPDX-License-Identifier: Apache-2.0
//
// udp_shout_tb: asks by ARP who has the design's address, sends it "hello, world", and compares both answers byte for
// byte. Prints every frame; ends with exit code 0 only if both answers came.

`default_nettype none

module udp_shout_tb;

    localparam [47:0] MAC = 48'h02_00_00_00_00_01, OUR_MAC = 48'h02_00_00_00_00_99;
    localparam [31:0] IP = {8'd192, 8'd168, 8'd1, 8'd10}, OUR_IP = {8'd192, 8'd168, 8'd1, 8'd99};
    localparam [15:0] PORT = 4000, OUR_PORT = 50000;

    // ---- Frames, their first byte in the highest bits

    // operation 1 asks, 2 answers
    function [8*42-1:0] arp(input [47:0] eth_dst, src, dst, input [31:0] src_ip, dst_ip, input [15:0] operation);
        arp = {eth_dst, src, 16'h0806, 16'h0001, 16'h0800, 8'd6, 8'd4, operation, src, src_ip, dst, dst_ip};
    endfunction

    // RFC 1071, over the 16-bit words of at most 32 bytes
    function [15:0] checksum(input [8*32-1:0] bytes);
        reg [31:0] sum;
        integer    i;
        begin
            sum = 0;
            for (i = 0; i < 16; i = i + 1) sum = sum + {16'd0, bytes[16*i +: 16]};
            sum = {16'd0, sum[31:16]} + {16'd0, sum[15:0]};
            sum = {16'd0, sum[31:16]} + {16'd0, sum[15:0]};
            checksum = ~sum[15:0];
        end
    endfunction

    // 12 bytes of text over UDP, IPv4 and Ethernet
    function [8*54-1:0] datagram(input [47:0] dst, src, input [31:0] src_ip, dst_ip,
                                 input [15:0] src_port, dst_port, input [8*12-1:0] text);
        reg [15:0] ip_sum, udp_sum;
        begin
            ip_sum   = checksum({96'd0, 16'h4500, 16'd40, 16'd0, 16'h4000, 16'h4011, 16'd0, src_ip, dst_ip});
            udp_sum  = checksum({src_ip, dst_ip, 16'd17, 16'd20, src_port, dst_port, 16'd20, 16'd0, text});
            datagram = {dst, src, 16'h0800, 16'h4500, 16'd40, 16'd0, 16'h4000, 16'h4011, ip_sum, src_ip, dst_ip,
                        src_port, dst_port, 16'd20, udp_sum, text};
        end
    endfunction

    // ---- The design

    reg        clk = 0, rst = 1;
    reg  [7:0] tx_data;
    reg        tx_valid = 0, tx_last = 0;
    wire [7:0] rx_data;
    wire       rx_valid, rx_last, rx_user;

    always #4 clk = !clk;

    udp_shout #(.MAC(MAC), .IP(IP), .PORT(PORT)) dut (
        .clk(clk), .rst(rst),
        .s_mac_axis_tdata(tx_data), .s_mac_axis_tvalid(tx_valid), .s_mac_axis_tlast(tx_last), .s_mac_axis_tuser(1'b0),
        .m_mac_axis_tdata(rx_data), .m_mac_axis_tvalid(rx_valid), .m_mac_axis_tready(1'b1),
        .m_mac_axis_tlast(rx_last), .m_mac_axis_tuser(rx_user)
    );

    // ---- Send a frame, from falling edge to falling edge; a MAC delivers no less than 60 bytes

    task send(input [8*60-1:0] frame);
        integer i;
        begin
            $display("to the design    %h", frame);
            for (i = 59; i >= 0; i = i - 1) begin
                tx_data  = frame[8*i +: 8];
                tx_valid = 1;
                tx_last  = i == 0;
                @(negedge clk);
            end
            tx_valid = 0;
            tx_last  = 0;
        end
    endtask

    // ---- Receive: compare each frame of the expected kind, pass over others, such as the design's own announcement

    reg [8*54-1:0] frame = 0, whole;
    integer        length = 0, arp_answers = 0, datagrams = 0;

    always @(posedge clk) if (rx_valid && !rst) begin
        whole   = {frame[8*53-1:0], rx_data};
        frame  <= rx_last ? 0 : whole;
        length <= rx_last ? 0 : length + 1;
        if (rx_last && length == 41) begin
            $display("from the design  %h", whole[8*42-1:0]);
            if (whole[8*42-1:0] == arp(OUR_MAC, MAC, OUR_MAC, IP, OUR_IP, 16'd2)) arp_answers <= arp_answers + 1;
        end else if (rx_last) begin
            $display("from the design  %h", whole);
            if (length != 53 || rx_user
                || whole != datagram(OUR_MAC, MAC, IP, OUR_IP, PORT, OUR_PORT, "HELLO, WORLD"))
                $fatal(1, "FAIL: this is not the answer");
            datagrams <= datagrams + 1;
        end
    end

    // ---- The conversation, and an end to waiting

    initial begin
        repeat (8) @(negedge clk);
        rst = 0;
        repeat (8) @(negedge clk);
        send({arp(48'hffff_ffff_ffff, OUR_MAC, 48'd0, OUR_IP, IP, 16'd1), 144'd0});
        while (arp_answers == 0) @(negedge clk);
        send({datagram(MAC, OUR_MAC, OUR_IP, IP, OUR_PORT, PORT, "hello, world"), 48'd0});
        while (datagrams == 0) @(negedge clk);
        $display("PASS: udp_shout answered ARP and the datagram");
        $finish;
    end

    initial begin
        repeat (5000) @(negedge clk);
        $fatal(1, "FAIL: %0d ARP answers and %0d datagrams in 5,000 cycles", arp_answers, datagrams);
    end

endmodule

`default_nettype wire
