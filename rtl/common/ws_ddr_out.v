// SPDX-License-Identifier: Apache-2.0
//
// ws_ddr_out: double data rate outputs: two bits a cycle to pins that carry one in each half of the clock cycle.
//
//        clk      __/""\__/""\__/""\__/
//        d_rise    X a   X c   X
//        d_fall    X b   X d   X
//        pins            X a X b X c X d X
//
// Parameters   DATA_W  number of pins, at least 1
//              VENDOR  kind of cells, "GENERIC", "ECP5" or "XILINX7"; "GENERIC" is flip-flops and a multiplexer
//                      switched by the clock, for simulation and for slow pins, "ECP5" ODDRX1F, "XILINX7" ODDR,
//                      SAME_EDGE
// Latency      1 cycle with GENERIC and XILINX7, or less: d_rise is on the pin after the rising edge that samples it,
//              d_fall after the falling edge that follows. ECP5: see Lattice's manual; the same for all pins
// Issue rate   2 bits a cycle and pin

`default_nettype none

module ws_ddr_out #(
    parameter        DATA_W = 1,
    parameter [55:0] VENDOR = "GENERIC"
) (
    input  wire              clk,
    input  wire [DATA_W-1:0] d_rise,
    input  wire [DATA_W-1:0] d_fall,
    output wire [DATA_W-1:0] pins
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
                ODDRX1F cell_i (.D0(d_rise[i]), .D1(d_fall[i]), .SCLK(clk), .RST(1'b0), .Q(pins[i]));
            end
        end else if (VENDOR == XILINX7) begin : gen_xilinx7
            for (i = 0; i < DATA_W; i = i + 1) begin : gen_pin
                ODDR #(
                    .DDR_CLK_EDGE("SAME_EDGE")
                ) cell_i (
                    .D1(d_rise[i]), .D2(d_fall[i]), .C(clk), .CE(1'b1), .R(1'b0), .S(1'b0), .Q(pins[i])
                );
            end
        end else begin : gen_generic
            reg [DATA_W-1:0] rise_reg, fall_reg, late_reg;

            always @(posedge clk) begin
                rise_reg <= d_rise;
                fall_reg <= d_fall;
            end

            always @(negedge clk) late_reg <= fall_reg;

            assign pins = clk ? rise_reg : late_reg;
        end
    endgenerate

endmodule

`default_nettype wire
