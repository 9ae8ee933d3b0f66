// SPDX-License-Identifier: Apache-2.0
//
// ws_group_merge: merges the data of several windows, of which at most one is valid at a time, on one bus.
//
// Parameters   WINDOWS  number of windows, at least 1
//              DATA_W   width of the data in bits
//              FAR      1: each window's data is registered first, since the windows are far apart on the chip; for up
//                       to 4 windows
// Ports        s_valid: one-hot or none; s_data: by window, the first in the least significant bits
//              m_valid: as s_valid; m_data: the data of the valid one, 0 if there is none
// Latency      2 cycles
// Issue rate   1 a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.5.4; there it is part of the multiplexer

`default_nettype none

module ws_group_merge #(
    parameter WINDOWS = 4,
    parameter DATA_W  = 32,
    parameter FAR     = 0
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire [WINDOWS-1:0]        s_valid,
    input  wire [WINDOWS*DATA_W-1:0] s_data,

    output reg  [WINDOWS-1:0]        m_valid,
    output reg  [DATA_W-1:0]         m_data
);

    localparam GROUPS = FAR != 0 ? WINDOWS : (WINDOWS + 3)/4;

    reg [WINDOWS-1:0]       valid_reg;
    reg [GROUPS*DATA_W-1:0] group_reg;
    reg [DATA_W-1:0]        all;
    integer                 n;

    // ---- Stage 1: groups of two to four windows: the valid of a single one would become a reset, routed globally.
    // FAR: each window's data unchanged

    genvar g;
    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_group
            reg [DATA_W-1:0] data;
            integer          w;
            always @* begin
                data = {DATA_W{1'b0}};
                for (w = g; w < WINDOWS; w = w + GROUPS)
                    if (FAR != 0 || s_valid[w]) data = data | s_data[w*DATA_W +: DATA_W];
            end
            always @(posedge clk) group_reg[g*DATA_W +: DATA_W] <= data;
        end
    endgenerate

    // ---- Stage 2: all windows

    always @* begin
        all = {DATA_W{1'b0}};
        for (n = 0; n < GROUPS; n = n + 1)
            if (FAR == 0 || valid_reg[n]) all = all | group_reg[n*DATA_W +: DATA_W];
    end

    always @(posedge clk) begin
        valid_reg <= rst ? {WINDOWS{1'b0}} : s_valid;
        m_valid   <= rst ? {WINDOWS{1'b0}} : valid_reg;
        m_data    <= all;
    end

endmodule

`default_nettype wire
