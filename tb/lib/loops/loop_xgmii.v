// SPDX-License-Identifier: Apache-2.0
//
// loop_xgmii: XGMII in, two registers, XGMII out. fault 1 corrupts the fourth word of every frame, 2 drops its
// terminate, 3 sends octets between frames, 4 drops an idle word between two other words.

`default_nettype none

module loop_xgmii (
    input  wire        clk,
    input  wire        rst,
    input  wire [2:0]  fault,
    input  wire [63:0] xgmii_rxd,
    input  wire [7:0]  xgmii_rxc,
    output reg  [63:0] xgmii_txd,
    output reg  [7:0]  xgmii_txc
);

    localparam [63:0] IDLE = {8{8'h07}};

    reg  [63:0] rxd_reg;
    reg  [7:0]  rxc_reg;
    reg  [7:0]  words_reg;
    reg         late_reg;   // one word is missing
    wire        swallow = fault == 4 && !late_reg && rxc_reg == 8'hFF && rxd_reg == IDLE &&
                          xgmii_txc != 8'hFF && xgmii_rxc != 8'hFF;
    integer     i;

    always @(posedge clk) begin
        rxd_reg   <= xgmii_rxd;
        rxc_reg   <= xgmii_rxc;
        words_reg <= rxc_reg == 8'h00 ? words_reg + 1 : 0;
        late_reg  <= late_reg || swallow;
        xgmii_txd <= rxd_reg ^ {63'd0, fault == 1 && words_reg == 4};
        xgmii_txc <= rxc_reg;
        for (i = 0; i < 8; i = i + 1)
            if (fault == 2 && rxc_reg[i] && rxd_reg[8*i +: 8] == 8'hFD) xgmii_txd[8*i +: 8] <= 8'h07;
        if (fault == 3 && rxc_reg == 8'hFF && rxd_reg == IDLE) xgmii_txc[3] <= 1'b0;
        if (fault == 4 && (late_reg || swallow)) begin
            xgmii_txd <= xgmii_rxd;
            xgmii_txc <= xgmii_rxc;
        end
        if (rst) begin
            rxd_reg   <= IDLE;
            rxc_reg   <= 8'hFF;
            xgmii_txd <= IDLE;
            xgmii_txc <= 8'hFF;
            late_reg  <= 1'b0;
        end
    end

endmodule

`default_nettype wire
