// The ports of the vendors' cells that ws_ddr_in and ws_ddr_out instantiate, for lint only.
/* verilator lint_off DECLFILENAME */
/* verilator lint_off MULTITOP */
/* verilator lint_off UNUSEDSIGNAL */
/* verilator lint_off UNUSEDPARAM */
/* verilator lint_off UNDRIVEN */

module IDDRX1F (input wire D, input wire SCLK, input wire RST, output wire Q0, output wire Q1);
endmodule

module ODDRX1F (input wire D0, input wire D1, input wire SCLK, input wire RST, output wire Q);
endmodule

module IDDR #(parameter DDR_CLK_EDGE = "") (
    input wire D, input wire C, input wire CE, input wire R, input wire S, output wire Q1, output wire Q2);
endmodule

module ODDR #(parameter DDR_CLK_EDGE = "") (
    input wire D1, input wire D2, input wire C, input wire CE, input wire R, input wire S, output wire Q);
endmodule
