// SPDX-License-Identifier: Apache-2.0
//
// ws_choose: the operator that computes a column by a condition, y = condition ? a : b.
//
// Parameters   W           width of both values and of the result in bits, at least 1
//              DATA_W      width of the tuple in bits, at least 1
//              REGISTERED  1: the outputs are registers; 0: they follow the inputs in the same cycle
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// Source       IF and CASE of SQL; an operator as in R. Mueller, dissertation ETH 19163 (2010), section 7.3.3

`default_nettype none

module ws_choose #(
    parameter W          = 32,
    parameter DATA_W     = 128,
    parameter REGISTERED = 1
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,
    input  wire              condition, // of the tuple on s_*, as are a and b
    input  wire [W-1:0]      a,
    input  wire [W-1:0]      b,

    output wire              m_valid,
    output wire              m_punct,
    output wire              m_eos,
    output wire [DATA_W-1:0] m_data,
    output wire [W-1:0]      y          // of the tuple on m_*
);

    initial if (W < 1 || DATA_W < 1 || (REGISTERED != 0 && REGISTERED != 1)) begin
        $display("ERROR: %m: W = %0d, DATA_W = %0d (at least 1), REGISTERED = %0d (0 or 1)", W, DATA_W, REGISTERED);
        $finish;
    end

    ws_delay #(.DATA_W(DATA_W + W), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data ({s_data, condition ? a : b}),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data ({m_data, y})
    );

`ifdef FORMAL
    // By single bits: y has those of a where the condition is true, and those of b elsewhere.
    wire [W-1:0] wanted = a & {W{condition}} | b & {W{!condition}};
    reg          past_valid = 1'b0;
    reg  [W-1:0] wanted_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        wanted_ref <= wanted;
        if (!past_valid) assume (rst);
        else assert (y == (REGISTERED != 0 ? wanted_ref : wanted));
        cover (past_valid && m_valid && condition && y != 0);
        cover (past_valid && m_valid && !condition && !(&y));
    end
`endif

endmodule

`default_nettype wire
