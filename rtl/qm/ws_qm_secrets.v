// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_secrets: the AXI4-Lite registers of the loader: the key, which cannot be read, and the boot nonce.
//
//     0x00        id, "WSL1" in ASCII; read only
//     0x04        status; read only: bit 0 a key is set, bit 1 the loader is open
//     0x08, 0x0c  boot nonce, the lower word first
//     0x10..0x1c  key, its first byte in bits 7:0 of the first word; write only. It is set when the last word is written,
//                 and cleared when another one is
//
// Parameters   OPEN  1: bit 1 of the status is set; 0: it is not
// Ports        hold  the nonce and the key must not change now: a transfer waits
// Latency      3 cycles; as of ws_axil_slave
// Issue rate   1 transfer at a time; reads and writes in turn, each in 4 cycles
// Bad input    SLVERR, and no change: a write to id or status, a read of the key, a write of less than a word
// Source       ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_qm_secrets #(
    parameter OPEN = 0
) (
    input  wire         clk,
    input  wire         rst,

    input  wire [4:0]   s_axil_awaddr,
    input  wire         s_axil_awvalid,
    output wire         s_axil_awready,
    input  wire [31:0]  s_axil_wdata,
    input  wire [3:0]   s_axil_wstrb,
    input  wire         s_axil_wvalid,
    output wire         s_axil_wready,
    output wire [1:0]   s_axil_bresp,
    output wire         s_axil_bvalid,
    input  wire         s_axil_bready,
    input  wire [4:0]   s_axil_araddr,
    input  wire         s_axil_arvalid,
    output wire         s_axil_arready,
    output wire [31:0]  s_axil_rdata,
    output wire [1:0]   s_axil_rresp,
    output wire         s_axil_rvalid,
    input  wire         s_axil_rready,

    input  wire         hold,
    output reg  [127:0] key,
    output reg          has_key,
    output reg  [63:0]  nonce
);

    initial if (OPEN != 0 && OPEN != 1) begin
        $display("ERROR: %m: OPEN = %0d (0 or 1)", OPEN);
        $finish;
    end

    localparam [31:0] ID = 32'h57534c31;

    wire        write, read;
    wire [4:2]  address;
    wire [31:0] wdata;
    wire [3:0]  wstrb;
    wire        may_write = address[4:3] != 2'd0 && &wstrb;

    ws_axil_slave #(.ADDR_W(5), .READ_CYCLES(2)) slave (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .hold(hold), .write(write), .read(read),
        .address(address), .wdata(wdata), .wstrb(wstrb),
        .known(1'b1), .may_write(may_write), .may_read(!address[4]),
        .rdata(address[3] ? nonce[32*address[2] +: 32] : address[2] ? {30'd0, OPEN != 0, has_key} : ID)
    );

    always @(posedge clk) begin
        if (write && may_write) begin
            if (address[4]) begin
                key[32*address[3:2] +: 32] <= wdata;
                has_key <= &address[3:2];
            end else nonce[32*address[2] +: 32] <= wdata;
        end
        if (rst) has_key <= 1'b0;
    end

    wire unused = read;         // reads have no side effect

endmodule

`default_nettype wire
