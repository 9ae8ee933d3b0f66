// SPDX-License-Identifier: Apache-2.0
//
// loop_wire: the tuple bus through one register; fault sets valid and punct in the same cycle.

`default_nettype none

module loop_wire #(
    parameter DATA_W = 13
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              fault,
    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,
    output reg               m_valid,
    output reg               m_punct,
    output reg               m_eos,
    output reg  [DATA_W-1:0] m_data
);

    always @(posedge clk) begin
        m_valid <= s_valid && !rst;
        m_punct <= (s_punct || fault && s_valid) && !rst;
        m_eos   <= s_eos && !rst;
        m_data  <= s_data;
    end

endmodule

`default_nettype wire
