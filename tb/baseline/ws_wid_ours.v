// SPDX-License-Identifier: Apache-2.0
//
// ws_wid_ours: selection and window aggregate of this project, wired as the query circuit of ws_wid_literal.
//
// Parameters   RANGE, SLIDE, SLACK   as those of ws_wid_aggregate
//              AGG                   COUNT, or SUM, MIN or MAX of the field Volume
//              AGG_W                 width of the aggregate in bits, 32 to 64
// Latency      2 cycles from a closing punctuation to its row, 3 to the punctuation after it
// Issue rate   1 tuple a cycle
// Overflow     as ws_wid_aggregate: flagged in the row
// Source       ws_wid_aggregate; the selection shares the clock cycle of its first stage, as in compiled queries

`default_nettype none

module ws_wid_ours #(
    parameter        RANGE = 600,
    parameter        SLIDE = 60,
    parameter        SLACK = 60,
    parameter [39:0] AGG   = "COUNT",
    parameter        AGG_W = 32
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         s_valid,
    input  wire         s_punct,
    input  wire         s_eos,
    input  wire [127:0] s_data,

    output wire         m_valid,
    output wire         m_punct,
    output wire         m_eos,
    output wire [135:0] m_data
);

    wire         valid, punct, eos, keep, selected_valid, selected_punct, selected_eos;
    wire [127:0] data, selected;

    ws_compute #(
        .OP("EQ"), .A_W(32), .B_W(32), .Y_W(1), .SIGNED(0), .DATA_W(128), .REGISTERED(0)
    ) compare (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data(s_data), .a(s_data[127:96]), .b("UBSN"),
        .m_valid(valid), .m_punct(punct), .m_eos(eos), .m_data(data), .y(keep)
    );

    ws_select #(.DATA_W(128), .REGISTERED(0)) select (
        .clk(clk), .rst(rst),
        .s_valid(valid), .s_punct(punct), .s_eos(eos), .s_data(data), .keep(keep),
        .m_valid(selected_valid), .m_punct(selected_punct), .m_eos(selected_eos), .m_data(selected)
    );

    localparam [23:0] KIND = AGG == "COUNT" ? "CNT" : AGG[23:0];

    wire [31:0]      row_end;
    wire [AGG_W-1:0] result;
    wire             sign = KIND != "CNT" && result[AGG_W-1];
    wire             null, overflow;

    ws_wid_aggregate #(
        .DATA_W(32), .WATTR_W(32), .RANGE(RANGE), .SLIDE(SLIDE), .SLACK(SLACK),
        .AGGS(1), .KINDS(KIND), .SIGNEDS(1'b1), .VALUE_W(32), .ACC_W(AGG_W)
    ) aggregate (
        .clk(clk), .rst(rst),
        .s_valid(selected_valid), .s_punct(selected_punct), .s_eos(selected_eos), .s_data(selected[31:0]),
        .wattr(selected[31:0]), .values(selected[63:32]), .nulls(1'b0),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(row_end),
        .results(result), .result_nulls(null), .result_overflows(overflow)
    );

    wire [127:0] extended = {{(128-AGG_W){sign}}, result};
    wire         unused   = &{1'b0, selected[127:64], extended[127:64]};

    assign m_data = {32'd0, row_end, extended[63:0], 6'd0, null, overflow};

endmodule

`default_nettype wire
