// SPDX-License-Identifier: Apache-2.0
//
// loop_items: items through one register with a combinational ready; fault changes the kind of a waiting item.

`default_nettype none

module loop_items #(
    parameter DATA_W = 72
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              fault,
    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [1:0]        s_kind,
    output reg               m_valid,
    input  wire              m_ready,
    output reg  [DATA_W-1:0] m_data,
    output reg  [1:0]        m_kind
);

    assign s_ready = !m_valid || m_ready;

    always @(posedge clk) begin
        if (s_ready) begin
            m_valid <= s_valid;
            m_data  <= s_data;
            m_kind  <= s_kind;
        end else if (fault) m_kind <= m_kind + 1;
        if (rst) m_valid <= 1'b0;
    end

endmodule

`default_nettype wire
