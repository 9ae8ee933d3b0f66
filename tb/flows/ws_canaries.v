// SPDX-License-Identifier: Apache-2.0
//
// ws_canaries: a register with an error that the linter must find. See test_canaries.py.

`default_nettype none

module ws_canaries (
    input  wire       clk,
    input  wire       rst,
    input  wire [7:0] s_data,
    output reg  [3:0] m_data
);

    always @(posedge clk) m_data <= rst ? 4'd0 : s_data;  // the error: 8 bits into 4

endmodule

`default_nettype wire
