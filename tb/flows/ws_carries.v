// SPDX-License-Identifier: Apache-2.0
//
// ws_carries: one more than the carry bit of a comparison, two cycles later. It is that of an instance: the simulator keeps
// the signals of the top level as they are written. See test_carries.py.

`default_nettype none

module ws_carries #(
    parameter W = 64
) (
    input  wire         clk,
    input  wire [W-1:0] a,
    input  wire [W-1:0] b,
    input  wire         clear,
    output wire [7:0]   carries
);

    ws_carry #(.W(W)) carry (.clk(clk), .a(a), .b(b), .clear(clear), .carries(carries));

endmodule

module ws_carry #(
    parameter W = 64
) (
    input  wire         clk,
    input  wire [W-1:0] a,
    input  wire [W-1:0] b,
    input  wire         clear,
    output wire [7:0]   carries
);

    reg  [W-1:0] a_reg, b_reg;
    reg          clear_reg, carry_reg;
    wire         less;

    ws_less #(.KEY_W(W)) compare (.a(a_reg), .b(b_reg), .less(less));

    always @(posedge clk) begin
        {a_reg, b_reg, clear_reg} <= {a, b, clear};
        if (clear_reg) carry_reg <= 1'b0;
        else carry_reg <= less;
    end

    assign carries = 8'd1 + {7'd0, carry_reg};

endmodule

`default_nettype wire
