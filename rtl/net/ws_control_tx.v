// SPDX-License-Identifier: Apache-2.0
//
// ws_control_tx: stores frames that arrive byte by byte, and sends each as words without a gap.
//
// The engines of the control path generate 8 bits a cycle, whereas a 64-bit MAC needs a word in every cycle of a frame,
// and no MAC can pause within one. So words are assembled first, and a frame is sent once it is complete.
//
// Each frame causes one event: evt_sent (it will be sent), evt_bad (tuser[0] with tlast), evt_oversize (longer than the
// FIFO) or evt_full (it does not fit now); in all cases but the first, the whole frame is dropped.
//
// Parameters   DATA_W  width of m_axis_tdata in bits: 8 or 64
//              ADDR_W  the FIFO holds 2**ADDR_W words of DATA_W bits, 4 to 16; and 16 frames
// Latency      5 cycles from a frame's tlast beat in to its first beat out, 2 to its event
// Issue rate   1 byte a cycle in, 1 word a cycle out
// Overflow     s_axis_tready is always high; a frame that does not fit is dropped: evt_full
// Bad input    as above. Empty frames are not allowed

`default_nettype none

module ws_control_tx #(
    parameter DATA_W = 8,
    parameter ADDR_W = DATA_W == 8 ? 11 : 9
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [7:0]          s_axis_tdata,
    input  wire                s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tuser,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire                m_axis_tuser,

    output wire                evt_sent,
    output wire                evt_bad,
    output wire                evt_oversize,
    output wire                evt_full
);

    initial if ((DATA_W != 8 && DATA_W != 64) || ADDR_W < 4 || ADDR_W > 16) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), ADDR_W = %0d (4 to 16)", DATA_W, ADDR_W);
        $finish;
    end

    localparam KEEP_W = DATA_W / 8;

    wire [DATA_W-1:0] word;
    wire [KEEP_W-1:0] word_keep;
    wire              word_valid, word_last, word_bad;

    ws_axis_widen #(.DATA_W(DATA_W)) widen (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (s_axis_tdata),
        .s_axis_tkeep (s_axis_tkeep),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .s_axis_tlast (s_axis_tlast),
        .s_axis_tuser (s_axis_tuser),
        .m_axis_tdata (word),
        .m_axis_tkeep (word_keep),
        .m_axis_tvalid(word_valid),
        .m_axis_tready(1'b1),
        .m_axis_tlast (word_last),
        .m_axis_tuser (word_bad)
    );

    /* verilator lint_off PINCONNECTEMPTY */
    ws_frame_fifo #(
        .DATA_W    (DATA_W),
        .ADDR_W    (ADDR_W),
        .FRAMES_W  (4),
        .OUTPUT_REG(1),
        .STYLE     ("block")
    ) fifo (
        .clk          (clk),
        .rst          (rst),
        .s_axis_tdata (word),
        .s_axis_tkeep (word_keep),
        .s_axis_tvalid(word_valid),
        .s_axis_tready(),
        .s_axis_tlast (word_last),
        .s_axis_tuser (word_bad),
        .m_axis_tdata (m_axis_tdata),
        .m_axis_tkeep (m_axis_tkeep),
        .m_axis_tvalid(m_axis_tvalid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tlast (m_axis_tlast),
        .m_axis_tuser (m_axis_tuser),
        .evt_good     (evt_sent),
        .evt_bad      (evt_bad),
        .evt_oversize (evt_oversize),
        .evt_full     (evt_full)
    );
    /* verilator lint_on PINCONNECTEMPTY */

`ifdef FORMAL
    ws_axis_rules #(.ASSUME(1)) s_rules (
        .clk(clk), .rst(rst),
        .tdata(s_axis_tdata), .tkeep(s_axis_tkeep), .tvalid(s_axis_tvalid), .tready(s_axis_tready),
        .tlast(s_axis_tlast), .tuser(s_axis_tuser)
    );
    ws_axis_rules #(.DATA_W(DATA_W), .PACKETS(1)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
