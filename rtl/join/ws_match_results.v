// SPDX-License-Identifier: Apache-2.0
//
// ws_match_results: a queue of the matches of a match unit, output pair by pair.
//
// Parameters   DATA_W   width of a tuple in bits
//              LANES    rows that are compared in parallel
//              ADDR_W   the queue holds 2**ADDR_W groups with matches
// Ports        s_hits has a bit for each row of s_rows that matches s_probe, at least one
// Latency      2 cycles
// Issue rate   1 group per cycle in, 1 pair per cycle out
// Overflow     s_valid must be low while level is 2**ADDR_W

`default_nettype none

module ws_match_results #(
    parameter DATA_W = 64,
    parameter LANES  = 1,
    parameter ADDR_W = 4
) (
    input  wire                    clk,
    input  wire                    rst,

    input  wire                    s_valid,
    input  wire [LANES-1:0]        s_hits,
    input  wire [DATA_W-1:0]       s_probe,
    input  wire [LANES*DATA_W-1:0] s_rows,
    output wire [ADDR_W:0]         level,       // groups held

    output wire                    m_valid,
    input  wire                    m_ready,
    output wire [DATA_W-1:0]       m_probe,
    output reg  [DATA_W-1:0]       m_row
);

    wire [LANES-1:0]        hits;
    wire [LANES*DATA_W-1:0] rows;
    reg  [LANES-1:0]        sent_reg;           // rows of the group that have been output
    wire [LANES-1:0]        left = hits & ~sent_reg;
    wire [LANES-1:0]        one  = left & (~left + {{(LANES-1){1'b0}}, 1'b1});
    wire                    last = left == one;
    wire                    room;

    ws_sync_fifo #(.DATA_W(LANES + (LANES + 1)*DATA_W), .ADDR_W(ADDR_W), .STYLE("distributed")) queue (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(room), .s_data({s_hits, s_probe, s_rows}),
        .m_valid(m_valid), .m_ready(m_ready && last), .m_data({hits, m_probe, rows}),
        .level(level)
    );

    integer i;
    always @* begin
        m_row = {DATA_W{1'b0}};
        for (i = 0; i < LANES; i = i + 1) m_row = m_row | (rows[i*DATA_W +: DATA_W] & {DATA_W{one[i]}});
    end

    always @(posedge clk) begin
        if (m_valid && m_ready) sent_reg <= last ? {LANES{1'b0}} : sent_reg | one;
        if (rst) sent_reg <= {LANES{1'b0}};
    end

`ifdef FORMAL
    always @(posedge clk) if (!rst && s_valid) never_lost: assert (room);
`else
    wire unused = room;
`endif

endmodule

`default_nettype wire
