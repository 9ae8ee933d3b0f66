// SPDX-License-Identifier: Apache-2.0
//
// ws_ram_sdp: a RAM with one write port and one read port on one clock; the only RAM of the project.
//
// Parameters   DATA_W      width of a word in bits, at least 1
//              ADDR_W      2**ADDR_W words, 1 to 24
//              OUTPUT_REG  1: a register follows the read port; synthesis maps it onto the block RAM's own (on an ECP5
//                          a block RAM read without it takes 4.3 ns from the clock); 0: none does
//              STYLE       kind of memory that synthesis uses, "auto", "block" or "distributed"
// Latency      1 + OUTPUT_REG cycles from rd_en to rd_data, which is held until the next read replaces it. rd_en gates
//              the read itself; the output register has no enable, so no read is ever held back.
// Issue rate   1 write and 1 read a cycle
// Bad input    A read of the address that is written in the same cycle returns garbage (X in simulation, undefined in
//              hardware), as does a read of a word never written. A read one cycle later returns the new word. Old
//              data are not promised: an ECP5 block RAM needs logic for it that costs 15% of the clock rate.

`default_nettype none

module ws_ram_sdp #(
    parameter DATA_W     = 8,
    parameter ADDR_W     = 9,
    parameter OUTPUT_REG = 0,
    parameter STYLE      = "auto"
`ifdef FORMAL
    , parameter WATCH_ALL = 0
`endif
) (
    input  wire              clk,

    input  wire              wr_en,
    input  wire [ADDR_W-1:0] wr_addr,
    input  wire [DATA_W-1:0] wr_data,

    input  wire              rd_en,
    input  wire [ADDR_W-1:0] rd_addr,
    output wire [DATA_W-1:0] rd_data
`ifdef FORMAL
    ,
    // For the proofs of the cores that use the RAM: the words at two addresses of their choice.
    input  wire [ADDR_W-1:0] watch_addr,
    output wire [DATA_W-1:0] watch_data,
    input  wire [ADDR_W-1:0] watch_addr_2,
    output wire [DATA_W-1:0] watch_data_2,
    output wire [(DATA_W<<ADDR_W)-1:0] words    // all of them, if WATCH_ALL is set
`endif
);

    /* verilator lint_off WIDTHEXPAND */   // the words have different lengths
    initial if (STYLE != "auto" && STYLE != "block" && STYLE != "distributed") begin
        $display("ERROR: %m: STYLE = %0s (auto, block or distributed)", STYLE);
        $finish;
    end
    /* verilator lint_on WIDTHEXPAND */

    initial if (DATA_W < 1 || ADDR_W < 1 || ADDR_W > 24 || OUTPUT_REG < 0 || OUTPUT_REG > 1) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), ADDR_W = %0d (1 to 24), OUTPUT_REG = %0d (0 or 1)",
                 DATA_W, ADDR_W, OUTPUT_REG);
        $finish;
    end

    // no_rw_check: nothing relies on a read of the word being written, so no logic is spent on it.
    (* ram_style = STYLE, no_rw_check *)
    reg [DATA_W-1:0] mem [0:(1<<ADDR_W)-1];
    reg [DATA_W-1:0] read_reg;

`ifdef FORMAL
    assign watch_data   = mem[watch_addr];
    assign watch_data_2 = mem[watch_addr_2];

    genvar address;
    generate
        for (address = 0; WATCH_ALL != 0 && address < 1 << ADDR_W; address = address + 1) begin : gen_word
            assign words[address*DATA_W +: DATA_W] = mem[address];
        end
    endgenerate
`endif

    always @(posedge clk)
        if (wr_en) mem[wr_addr] <= wr_data;

    always @(posedge clk)
        if (rd_en) begin
            read_reg <= mem[rd_addr];
`ifndef SYNTHESIS
            // Simulation and proofs see garbage where the hardware may return it.
            if (wr_en && wr_addr == rd_addr) read_reg <= {DATA_W{1'bx}};
`endif
        end

    generate
        if (OUTPUT_REG != 0) begin : gen_output_reg
            reg [DATA_W-1:0] output_reg;
            always @(posedge clk) output_reg <= read_reg;
            assign rd_data = output_reg;
        end else begin : gen_no_output_reg
            assign rd_data = read_reg;
        end
    endgenerate

endmodule

`default_nettype wire
