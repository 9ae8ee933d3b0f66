// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_ram: a small RAM that is read in the same cycle, for the stack and the memories of the query machine.
//
// Not ws_ram_sdp, whose read register would put the choice between several memories into the cycle of execution.
//
// Parameters   DATA_W  width of a word in bits, at least 1
//              ADDR_W  2**ADDR_W words, 1 to 12
// Latency      0 cycles from rd_addr to rd_data: distributed RAM
// Issue rate   1 write and 1 read a cycle
// Bad input    A read of the address that is written in the same cycle returns the old word; of a word never written,
//              anything.

`default_nettype none

module ws_qm_ram #(
    parameter DATA_W = 8,
    parameter ADDR_W = 4
) (
    input  wire              clk,

    input  wire              wr_en,
    input  wire [ADDR_W-1:0] wr_addr,
    input  wire [DATA_W-1:0] wr_data,

    input  wire [ADDR_W-1:0] rd_addr,
    output wire [DATA_W-1:0] rd_data
);

    initial if (DATA_W < 1 || ADDR_W < 1 || ADDR_W > 12) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), ADDR_W = %0d (1 to 12)", DATA_W, ADDR_W);
        $finish;
    end

    (* ram_style = "distributed" *)
    reg [DATA_W-1:0] mem [0:(1<<ADDR_W)-1];

    assign rd_data = mem[rd_addr];

    always @(posedge clk)
        if (wr_en) mem[wr_addr] <= wr_data;

endmodule

`default_nettype wire
