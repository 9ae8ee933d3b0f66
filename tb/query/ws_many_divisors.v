// SPDX-License-Identifier: Apache-2.0
//
// ws_many_divisors: one dividend through a ws_divide_const for each of many divisors, for a test.
//
// Parameters   N           number of divisors
//              DIVIDEND_W  see ws_divide_const
//              DIVISOR_W   see ws_divide_const
//              DIVISORS    the divisors, the first in the lowest bits
//              SIGNED      see ws_divide_const
// Latency      of each divisor its own
// Issue rate   1 dividend a cycle

`default_nettype none

module ws_many_divisors #(
    parameter                   N          = 2,
    parameter                   DIVIDEND_W = 32,
    parameter                   DIVISOR_W  = 8,
    parameter [N*DIVISOR_W-1:0] DIVISORS   = {8'd10, 8'd3},
    parameter                   SIGNED     = 1
) (
    input  wire                    clk,
    input  wire                    rst,
    input  wire [DIVIDEND_W-1:0]   a,
    output wire [N*DIVIDEND_W-1:0] y,
    output wire [N*DIVISOR_W-1:0]  r
);

    genvar n;
    generate
        for (n = 0; n < N; n = n + 1) begin : divisor
            wire       m_valid, m_punct, m_eos, m_data;
            wire [3:0] unused = {m_valid, m_punct, m_eos, m_data};

            ws_divide_const #(.DIVIDEND_W(DIVIDEND_W), .DIVISOR_W(DIVISOR_W),
                              .DIVISOR(DIVISORS[n*DIVISOR_W +: DIVISOR_W]), .SIGNED(SIGNED), .DATA_W(1)) divide (
                .clk(clk), .rst(rst), .s_valid(1'b1), .s_punct(1'b0), .s_eos(1'b0), .s_data(1'b0), .a(a),
                .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(m_data),
                .y(y[n*DIVIDEND_W +: DIVIDEND_W]), .r(r[n*DIVISOR_W +: DIVISOR_W])
            );
        end
    endgenerate

endmodule

`default_nettype wire
