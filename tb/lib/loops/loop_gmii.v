// SPDX-License-Identifier: Apache-2.0
//
// loop_gmii: GMII in, two registers, GMII out. fault 1 corrupts octet 30 of every frame, 2 keeps tx_en high.

`default_nettype none

module loop_gmii (
    input  wire       clk,
    input  wire       rst,
    input  wire [1:0] fault,
    input  wire [7:0] gmii_rxd,
    input  wire       gmii_rx_dv,
    input  wire       gmii_rx_er,
    output reg  [7:0] gmii_txd,
    output reg        gmii_tx_en,
    output reg        gmii_tx_er
);

    reg [9:0]  stage_reg;
    reg [10:0] octet_reg;

    always @(posedge clk) begin
        stage_reg  <= {gmii_rx_dv, gmii_rx_er, gmii_rxd};
        octet_reg  <= stage_reg[9] ? octet_reg + 1 : 0;
        gmii_tx_en <= stage_reg[9] || fault == 2 && gmii_tx_en;
        gmii_tx_er <= stage_reg[8];
        gmii_txd   <= stage_reg[7:0] ^ {7'd0, fault == 1 && octet_reg == 30};
        if (rst) begin
            stage_reg  <= 10'd0;
            gmii_tx_en <= 1'b0;
            gmii_tx_er <= 1'b0;
        end
    end

endmodule

`default_nettype wire
