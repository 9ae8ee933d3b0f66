// SPDX-License-Identifier: Apache-2.0
//
// ws_slack_fifo: a FIFO whose s_ready falls early, for a source that cannot stop at once; a part of ws_merge_lanes.
//
// Parameters   DATA_W  width of an item in bits, at least 1
//              SLACK   an item may arrive so many cycles after s_ready was high, and is taken then; 0 to 2**ADDR_W - 3;
//                      0: a handshake
//              ADDR_W  the FIFO holds 2**ADDR_W items, 2 to 24; s_ready falls 1 to SLACK + 2 places before it is full
//              BLOCK   1: in block RAM; 0: distributed
// Latency      2 + 2 * BLOCK cycles, see ws_sync_fifo
// Issue rate   1 item a cycle
// Overflow     cannot happen, if s_ready is observed
// Source       ours

`default_nettype none

module ws_slack_fifo #(
    parameter DATA_W = 8,
    parameter SLACK  = 0,
    parameter ADDR_W = 4,
    parameter BLOCK  = 0
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output reg               s_ready,
    input  wire [DATA_W-1:0] s_data,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data
);

    initial if (SLACK < 0 || SLACK > (1 << ADDR_W) - 3 || BLOCK < 0 || BLOCK > 1) begin
        $display("ERROR: %m: SLACK = %0d (0 to 2**ADDR_W - 3), ADDR_W = %0d, BLOCK = %0d (0 or 1)", SLACK, ADDR_W, BLOCK);
        $finish;
    end

    // Two more items arrive before s_ready tells of one that has, and SLACK after that.
    localparam [31:0] MOST = (1 << ADDR_W) - 2 - SLACK;

    wire [ADDR_W:0] level;
    wire            room;
    wire            push   = s_valid && (SLACK != 0 || s_ready);
    wire            unused = room;

    ws_sync_fifo #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .OUTPUT_REG(BLOCK), .STYLE(BLOCK ? "block" : "distributed")
    ) fifo (
        .clk(clk), .rst(rst),
        .s_valid(push), .s_ready(room), .s_data(s_data),
        .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .level(level)
    );

    always @(posedge clk) s_ready <= level <= MOST[ADDR_W:0] && !rst;

endmodule

`default_nettype wire
