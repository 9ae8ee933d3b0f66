// SPDX-License-Identifier: Apache-2.0
//
// ws_session_select: determines for ws_session_entry whether the query selects a tuple.
//
// The query's condition is a circuit that cannot stall: it receives each item as it arrives and answers LATENCY cycles
// later, while the item waits in a queue. An item and its answer leave together.
//
// Parameters   DATA_W    width of the tuple in bits, at least 1
//              LATENCY   of the condition in cycles, from `where_data` to `where`, at least 1
// Ports        s_kind, m_kind      0 tuple; others pass in order
//              m_selected          the condition's answer; meaningless unless the item is a tuple
//              where_data, where   the item that the condition receives in this cycle; its answer, LATENCY later
//              empty               no item is inside, and none left in the last cycle
// Latency      LATENCY + 2 cycles from s to m
// Issue rate   1 item a cycle
// Overflow     cannot happen: s_ready is low while as many items wait as arrive at full rate until one can leave
// Source       ours, docs/windows.md

`default_nettype none

module ws_session_select #(
    parameter DATA_W  = 128,
    parameter LATENCY = 1
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [1:0]        s_kind,

    output wire [DATA_W-1:0] where_data,
    input  wire              where,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data,
    output wire [1:0]        m_kind,
    output wire              m_selected,

    output wire              empty
);

    localparam ADDR_W = LATENCY > 3 ? $clog2(LATENCY + 4) : 2;    // items inside at full rate

    initial if (DATA_W < 1 || LATENCY < 1) begin
        $display("ERROR: %m: DATA_W = %0d, LATENCY = %0d: must be at least 1", DATA_W, LATENCY);
        $finish;
    end

    wire            accept = s_valid && s_ready;
    wire            item_valid, answer_valid;
    wire [ADDR_W:0] level;

    assign where_data = s_data;
    assign m_valid    = item_valid && answer_valid;

    // Bit n: the condition received an item n cycles ago; one more bit, so that LATENCY = 1 is no special case.
    reg  [LATENCY-1:0] shown_reg;
    wire [LATENCY:0]   shown = {shown_reg, accept};
    reg                left_reg;

    always @(posedge clk) begin
        shown_reg <= rst ? {LATENCY{1'b0}} : shown[LATENCY-1:0];
        left_reg  <= m_valid && m_ready && !rst;
    end

    ws_sync_fifo #(.DATA_W(DATA_W + 2), .ADDR_W(ADDR_W)) items (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data({s_kind, s_data}),
        .m_valid(item_valid), .m_ready(m_ready && answer_valid), .m_data({m_kind, m_data}), .level(level)
    );

    /* verilator lint_off PINCONNECTEMPTY */
    ws_sync_fifo #(.DATA_W(1), .ADDR_W(ADDR_W)) answers (    // never more than there are items
        .clk(clk), .rst(rst),
        .s_valid(shown[LATENCY]), .s_ready(), .s_data(where),
        .m_valid(answer_valid), .m_ready(m_ready && item_valid), .m_data(m_selected), .level()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    assign empty = level == 0 && !left_reg;

endmodule

`default_nettype wire
