// SPDX-License-Identifier: Apache-2.0
//
// ws_axis_widen: converts an AXI4-Stream of bytes to one of words; the last word of a packet may be partial.
//
// Parameters   DATA_W  width of m_axis_tdata in bits: a multiple of 8
//              USER_W  width of tuser in bits, at least 1; bit 0 bad, the others metadata, constant over the packet
// Latency      1 cycle from the last byte of a word
// Issue rate   1 byte a cycle, without a pause between words or packets. An empty packet is one beat with tkeep 0
// Overflow     cannot happen: s_axis_tready falls while a word waits

`default_nettype none

module ws_axis_widen #(
    parameter DATA_W = 64,
    parameter USER_W = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [7:0]          s_axis_tdata,
    input  wire                s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire [USER_W-1:0]   s_axis_tuser,

    output reg  [DATA_W-1:0]   m_axis_tdata,
    output reg  [DATA_W/8-1:0] m_axis_tkeep,
    output reg                 m_axis_tvalid,
    input  wire                m_axis_tready,
    output reg                 m_axis_tlast,
    output reg  [USER_W-1:0]   m_axis_tuser
);

    localparam KEEP_W = DATA_W / 8;

    initial if (DATA_W < 8 || DATA_W % 8 != 0 || USER_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (a multiple of 8), USER_W = %0d (at least 1)", DATA_W, USER_W);
        $finish;
    end

    // The word is filled in place, lane by lane; m_axis_tkeep marks the lanes that are filled. The others are 0.
    wire              free   = !m_axis_tvalid || m_axis_tready;
    wire              take   = s_axis_tvalid && free;
    wire [KEEP_W-1:0] filled = m_axis_tvalid ? {KEEP_W{1'b0}} : m_axis_tkeep;
    wire [KEEP_W-1:0] lane   = ~filled & ((filled << 1) | {{KEEP_W-1{1'b0}}, 1'b1});     // the next one, one-hot
    integer           i;

    assign s_axis_tready = free;

    always @(posedge clk) begin
        if (free) m_axis_tvalid <= take && (s_axis_tlast || lane[KEEP_W-1]);
        if (take) begin
            for (i = 0; i < KEEP_W; i = i + 1)
                if (lane[i]) m_axis_tdata[8*i +: 8] <= s_axis_tdata;
                else if (lane[0]) m_axis_tdata[8*i +: 8] <= 8'h00;
            m_axis_tkeep <= filled | (lane & {KEEP_W{s_axis_tkeep}});
            m_axis_tlast <= s_axis_tlast;
            m_axis_tuser <= s_axis_tuser;
        end else if (free) m_axis_tkeep <= filled;
        if (rst) begin
            m_axis_tvalid <= 1'b0;
            m_axis_tkeep  <= {KEEP_W{1'b0}};
        end
    end

`ifdef FORMAL
    ws_axis_rules #(.DATA_W(8), .USER_W(USER_W), .ASSUME(1)) s_rules (
        .clk(clk), .rst(rst),
        .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tvalid(s_axis_tvalid), .tready(s_axis_tready),
        .tlast(s_axis_tlast), .tuser(s_axis_tuser)
    );
    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .PACKETS(2)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
