// SPDX-License-Identifier: Apache-2.0
//
// ws_host_dma: the two engines of a host port at one memory, as the bench of its throughput drives them.
//
// Parameters   DATA_W   width of the memory port in bits, see ws_axi_writer
//              ADDR_W   width of a byte address in bits, see ws_axi_writer
//              BURST    maximum number of beats of a burst, see ws_axi_writer
// Latency      that of the engines
// Issue rate   that of the engines
// Bad input    that of the engines

`default_nettype none

module ws_host_dma #(
    parameter DATA_W = 128,
    parameter ADDR_W = 20,
    parameter BURST  = 16
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                write_valid,     // an array to write, and its beats
    output wire                write_ready,
    input  wire [ADDR_W-1:0]   write_address,
    input  wire [ADDR_W-1:0]   write_bytes,
    output wire                write_done,
    input  wire                s_valid,
    output wire                s_ready,
    input  wire [DATA_W-1:0]   s_data,

    input  wire                read_valid,      // an array to read, and its beats
    output wire                read_ready,
    input  wire [ADDR_W-1:0]   read_address,
    input  wire [ADDR_W-1:0]   read_count,
    output wire                m_valid,
    output wire [DATA_W-1:0]   m_data,
    output wire                m_last,

    output wire [ADDR_W-1:0]   m_axi_araddr,
    output wire [7:0]          m_axi_arlen,
    output wire [2:0]          m_axi_arsize,
    output wire [1:0]          m_axi_arburst,
    output wire                m_axi_arvalid,
    input  wire                m_axi_arready,
    input  wire [DATA_W-1:0]   m_axi_rdata,
    input  wire [1:0]          m_axi_rresp,
    input  wire                m_axi_rlast,
    input  wire                m_axi_rvalid,
    output wire                m_axi_rready,

    output wire [ADDR_W-1:0]   m_axi_awaddr,
    output wire [7:0]          m_axi_awlen,
    output wire [2:0]          m_axi_awsize,
    output wire [1:0]          m_axi_awburst,
    output wire                m_axi_awvalid,
    input  wire                m_axi_awready,
    output wire [DATA_W-1:0]   m_axi_wdata,
    output wire [DATA_W/8-1:0] m_axi_wstrb,
    output wire                m_axi_wlast,
    output wire                m_axi_wvalid,
    input  wire                m_axi_wready,
    input  wire [1:0]          m_axi_bresp,
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready
);

    localparam SIZE    = $clog2(DATA_W / 8);
    localparam READ_W  = $clog2(BURST) + 2;
    localparam WRITE_W = $clog2(BURST) + 1;

    wire       write_idle, write_tag, read_idle, read_error, read_tag;
    wire [1:0] write_error;

    ws_axi_writer #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .COUNT_W(ADDR_W), .BURST(BURST), .FIFO_W(WRITE_W), .OPEN_W(4)
    ) writer (
        .clk(clk), .rst(rst),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .order_tag(1'b0), .halt(1'b0), .idle(write_idle),
        .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
        .done(write_done), .done_error(write_error), .done_tag(write_tag),
        .aw_valid(m_axi_awvalid), .aw_ready(m_axi_awready), .aw_addr(m_axi_awaddr), .aw_len(m_axi_awlen),
        .w_valid(m_axi_wvalid), .w_ready(m_axi_wready), .w_data(m_axi_wdata), .w_strb(m_axi_wstrb),
        .w_last(m_axi_wlast), .b_valid(m_axi_bvalid), .b_resp(m_axi_bresp)
    );

    ws_axi_reader #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .TUPLE_W(DATA_W), .COUNT_W(ADDR_W), .BURST(BURST), .FIFO_W(READ_W)
    ) reader (
        .clk(clk), .rst(rst),
        .order_valid(read_valid), .order_ready(read_ready), .order_address(read_address), .order_count(read_count),
        .order_tag(1'b0), .halt(1'b0), .idle(read_idle),
        .ar_valid(m_axi_arvalid), .ar_ready(m_axi_arready), .ar_addr(m_axi_araddr), .ar_len(m_axi_arlen),
        .r_valid(m_axi_rvalid), .r_data(m_axi_rdata), .r_error(m_axi_rresp[1]),
        .m_valid(m_valid), .m_ready(1'b1), .m_data(m_data), .m_last(m_last), .m_error(read_error), .m_tag(read_tag)
    );

    assign m_axi_arsize  = SIZE[2:0];
    assign m_axi_arburst = 2'b01;
    assign m_axi_rready  = 1'b1;
    assign m_axi_awsize  = SIZE[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_bready  = 1'b1;

    wire unused = &{write_idle, write_tag, read_idle, read_error, read_tag, write_error, m_axi_rresp, m_axi_rlast};

endmodule

`default_nettype wire
