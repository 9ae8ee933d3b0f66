// SPDX-License-Identifier: Apache-2.0
//
// ws_ddr_in: double data rate inputs: two bits a cycle from pins that carry one at each edge of the clock.
//
//        clk      __/""\__/""\__/""\__/
//        pins      X a X b X c X d X
//        q_rise               X a   X c
//        q_fall               X b   X d
//
// Parameters   DATA_W  number of pins, at least 1
//              VENDOR  kind of cells, "GENERIC", "ECP5" or "XILINX7"; "GENERIC" is flip-flops on both edges, for
//                      simulation and for slow pins, "ECP5" IDDRX1F, "XILINX7" IDDR, SAME_EDGE_PIPELINED
// Latency      1 cycle with GENERIC and XILINX7: the bits of rising edge n and of the falling edge after it are valid
//              after rising edge n + 1. ECP5: see Lattice's manual; the same for all pins
// Issue rate   2 bits a cycle and pin
// Bad input    none; the pins must meet set-up and hold at both edges (delays are in the board's constraints)

`default_nettype none

module ws_ddr_in #(
    parameter        DATA_W = 1,
    parameter [55:0] VENDOR = "GENERIC"
) (
    input  wire              clk,
    input  wire [DATA_W-1:0] pins,
    output wire [DATA_W-1:0] q_rise,
    output wire [DATA_W-1:0] q_fall
);

    localparam [55:0] GENERIC = "GENERIC",
                      ECP5    = {24'd0, "ECP5"},
                      XILINX7 = "XILINX7";

    initial if (DATA_W < 1 || (VENDOR != GENERIC && VENDOR != ECP5 && VENDOR != XILINX7)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), VENDOR = %0s (GENERIC, ECP5 or XILINX7)", DATA_W, VENDOR);
        $finish;
    end

    genvar i;
    generate
        if (VENDOR == ECP5) begin : gen_ecp5
            for (i = 0; i < DATA_W; i = i + 1) begin : gen_pin
                IDDRX1F cell_i (.D(pins[i]), .SCLK(clk), .RST(1'b0), .Q0(q_rise[i]), .Q1(q_fall[i]));
            end
        end else if (VENDOR == XILINX7) begin : gen_xilinx7
            for (i = 0; i < DATA_W; i = i + 1) begin : gen_pin
                IDDR #(
                    .DDR_CLK_EDGE("SAME_EDGE_PIPELINED")
                ) cell_i (
                    .D(pins[i]), .C(clk), .CE(1'b1), .R(1'b0), .S(1'b0), .Q1(q_rise[i]), .Q2(q_fall[i])
                );
            end
        end else begin : gen_generic
            reg [DATA_W-1:0] at_rise_reg, at_fall_reg, rise_reg, fall_reg;

            always @(negedge clk) at_fall_reg <= pins;

            always @(posedge clk) begin
                at_rise_reg <= pins;
                rise_reg    <= at_rise_reg;
                fall_reg    <= at_fall_reg;
            end

            assign q_rise = rise_reg;
            assign q_fall = fall_reg;
        end
    endgenerate

endmodule

`default_nettype wire
