// SPDX-License-Identifier: Apache-2.0
//
// ws_axis_narrow: converts an AXI4-Stream of words to one of bytes.
//
// Parameters   DATA_W  width of s_axis_tdata in bits, a power of two, at least 8
//              USER_W  width of tuser in bits, at least 1; bit 0 bad, the others metadata, constant over the packet
// Latency      1 cycle
// Issue rate   1 byte a cycle, without a pause between words or packets. An empty packet is one beat with tkeep 0
// Overflow     cannot happen: s_axis_tready is high only while the last byte of a word is accepted
// Bad input    tkeep must be contiguous from bit 0, and all ones except with tlast

`default_nettype none

module ws_axis_narrow #(
    parameter DATA_W = 64,
    parameter USER_W = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire [USER_W-1:0]   s_axis_tuser,

    output reg  [7:0]          m_axis_tdata,
    output reg                 m_axis_tkeep,
    output reg                 m_axis_tvalid,
    input  wire                m_axis_tready,
    output reg                 m_axis_tlast,
    output reg  [USER_W-1:0]   m_axis_tuser
);

    localparam KEEP_W = DATA_W / 8;
    localparam LANE_W = KEEP_W > 1 ? $clog2(KEEP_W) : 1;

    initial if (DATA_W < 8 || DATA_W != 8 << $clog2(KEEP_W) || USER_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (a power of two, at least 8), USER_W = %0d (at least 1)", DATA_W, USER_W);
        $finish;
    end

    // The word stays at the input while its bytes leave.
    reg  [LANE_W-1:0] lane_reg;
    reg               end_reg;                              // in lanes above 0: this byte is the last of the word
    wire              free     = !m_axis_tvalid || m_axis_tready;
    wire [KEEP_W+1:0] keep     = {2'b0, s_axis_tkeep};
    wire              word_end = lane_reg == 0 ? !keep[1] : end_reg;

    assign s_axis_tready = free && word_end;

    always @(posedge clk) begin
        if (free) begin
            m_axis_tvalid   <= s_axis_tvalid;
            m_axis_tdata    <= s_axis_tdata[8*lane_reg +: 8];
            m_axis_tkeep    <= s_axis_tkeep[lane_reg];
            m_axis_tlast    <= s_axis_tlast && word_end;
            m_axis_tuser    <= s_axis_tuser;
            m_axis_tuser[0] <= s_axis_tuser[0] && word_end;
            if (s_axis_tvalid) begin
                lane_reg <= word_end ? {LANE_W{1'b0}} : lane_reg + 1'b1;
                end_reg  <= !keep[lane_reg + 2];
            end
        end
        if (rst) begin
            m_axis_tvalid <= 1'b0;
            lane_reg      <= {LANE_W{1'b0}};
        end
    end

`ifdef FORMAL
    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .ASSUME(1)) s_rules (
        .clk(clk), .rst(rst),
        .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tvalid(s_axis_tvalid), .tready(s_axis_tready),
        .tlast(s_axis_tlast), .tuser(s_axis_tuser)
    );
    ws_axis_rules #(.DATA_W(8), .USER_W(USER_W), .PACKETS(2)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
