// SPDX-License-Identifier: Apache-2.0
//
// ws_ram_2clk: a RAM whose write and read ports have separate clocks; only for crossing from one to the other.
//
// Everything on one clock uses ws_ram_sdp. This is a module of its own because the rule of ws_ram_sdp for a read and a
// write in the same cycle, on which the proofs of its users rely, has no meaning with two clocks.
//
// Parameters   DATA_W  width of a word in bits, at least 1
//              ADDR_W  2**ADDR_W words, 1 to 24
//              STYLE   kind of memory that synthesis uses, "auto", "block" or "distributed"
// Latency      1 cycle of rd_clk from rd_en to rd_data, which is held until the next read replaces it
// Issue rate   1 write and 1 read a cycle, each of its clock
// Bad input    A word must not be read before the read side knows, through a synchroniser, that it was written: an
//              earlier read returns garbage, as does a read of a word never written.

`default_nettype none

module ws_ram_2clk #(
    parameter DATA_W = 8,
    parameter ADDR_W = 5,
    parameter STYLE  = "auto"
) (
    input  wire              wr_clk,
    input  wire              wr_en,
    input  wire [ADDR_W-1:0] wr_addr,
    input  wire [DATA_W-1:0] wr_data,

    input  wire              rd_clk,
    input  wire              rd_en,
    input  wire [ADDR_W-1:0] rd_addr,
    output reg  [DATA_W-1:0] rd_data
`ifdef FORMAL
    ,
    // For the proofs of the cores that use the RAM: the word at an address of their choice.
    input  wire [ADDR_W-1:0] watch_addr,
    output wire [DATA_W-1:0] watch_data
`endif
);

    /* verilator lint_off WIDTHEXPAND */   // the words have different lengths
    initial if (STYLE != "auto" && STYLE != "block" && STYLE != "distributed") begin
        $display("ERROR: %m: STYLE = %0s (auto, block or distributed)", STYLE);
        $finish;
    end
    /* verilator lint_on WIDTHEXPAND */

    initial if (DATA_W < 1 || ADDR_W < 1 || ADDR_W > 24) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), ADDR_W = %0d (1 to 24)", DATA_W, ADDR_W);
        $finish;
    end

    (* ram_style = STYLE, no_rw_check *)
    reg [DATA_W-1:0] mem [0:(1<<ADDR_W)-1];

`ifdef FORMAL
    assign watch_data = mem[watch_addr];
`endif

    always @(posedge wr_clk)
        if (wr_en) mem[wr_addr] <= wr_data;

    always @(posedge rd_clk)
        if (rd_en) rd_data <= mem[rd_addr];

endmodule

`default_nettype wire
