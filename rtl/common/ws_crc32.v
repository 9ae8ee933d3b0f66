// SPDX-License-Identifier: Apache-2.0
//
// ws_crc32: the running Ethernet CRC-32 (frame check sequence) of a stream of octets.
//
// One octet a cycle; ws_crc32_wide takes eight.
//
// `crc` covers every octet up to the previous cycle; its octets are in transmission order, crc[7:0] first. `good` is 1
// if those octets ended with their own correct CRC.
//
// Parameters   none
// Latency      1 cycle
// Issue rate   1 octet a cycle
// Bad input    none: every octet sequence has a CRC
// Source       IEEE 802.3, 3.2.9

`default_nettype none

module ws_crc32 (
    input  wire        clk,

    input  wire        start,   // with valid: this octet is the first of a frame
    input  wire        valid,
    input  wire [7:0]  data,

    output wire [31:0] crc,
    output wire        good
);

    `include "ws_crc32.vh"

    localparam [31:0] RESIDUE = 32'hDEBB20E3;   // the state after a frame that ends with its correct CRC

    reg  [31:0] state_reg, next;
    integer     i;

    always @* begin
        next = (start ? 32'hFFFFFFFF : state_reg) ^ {24'd0, data};
        for (i = 0; i < 8; i = i + 1)
            next = forth(next);
    end

    always @(posedge clk)
        if (valid) state_reg <= next;

    assign crc  = ~state_reg;
    assign good = state_reg == RESIDUE;

endmodule

`default_nettype wire
