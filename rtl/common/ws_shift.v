// SPDX-License-Identifier: Apache-2.0
//
// ws_shift: a delay line for a word: m_data is s_data of N cycles ago.
//
// It keeps a word in step with a pipeline; a tuple with its valid, punct and eos goes through ws_delay. There is no
// reset, so that N >= 3 fits in the shift registers that a LUT offers on 7-series and Virtex-6.
//
// Parameters   DATA_W  width of the word in bits, at least 1
//              N       delay in cycles, at least 0; 0 is wires
// Latency      N cycles
// Issue rate   1 word a cycle
// Bad input    none

`default_nettype none

module ws_shift #(
    parameter DATA_W = 32,
    parameter N      = 1
) (
    input  wire              clk,

    input  wire [DATA_W-1:0] s_data,
    output wire [DATA_W-1:0] m_data
);

    initial if (DATA_W < 1 || N < 0) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), N = %0d (at least 0)", DATA_W, N);
        $finish;
    end

    generate
        if (N == 0) begin : gen_wires
            wire unused = clk;
            assign m_data = s_data;
        end else begin : gen_registers
            // Word n entered n + 1 cycles ago. One word more than the registers, so that N = 1 is no special case.
            reg  [N*DATA_W-1:0]     data_reg;
            wire [(N+1)*DATA_W-1:0] data = {data_reg, s_data};

            always @(posedge clk) data_reg <= data[N*DATA_W-1:0];

            assign m_data = data[N*DATA_W +: DATA_W];
        end
    endgenerate

`ifdef FORMAL
    localparam AGE_W = $clog2(N + 2);
    reg [AGE_W-1:0] age_ref = 0;    // cycles so far, up to N

    always @(posedge clk) begin
        age_ref <= age_ref + (age_ref < N);
        assert (age_ref <= N);
        if (age_ref == N) assert (m_data == $past(s_data, N));
        cover (age_ref == N && m_data != s_data);
    end
`endif

endmodule

`default_nettype wire
