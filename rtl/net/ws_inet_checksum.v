// SPDX-License-Identifier: Apache-2.0
//
// ws_inet_checksum: running Internet checksum of a stream of octets, one a cycle.
//
// The sum of 16-bit words is kept as two octets that take turns: the carry out of one belongs to the other, which is
// the next in line, end-around carry included. So one 8-bit adder does, and no word has to be put together.
//
// Parameters   none
// Latency      1 cycle
// Issue rate   1 octet a cycle
// Overflow     cannot happen
// Bad input    start without en is not seen. Before the first start the sum is undefined
// Outputs      good   the octets so far, a checksum among them, have the sum 0xFFFF (right at once, odd length or even)
//              check  the checksum's octet at the place of the next octet, once three octets of zero have let the
//                     last carries run out; a further octet of zero moves on to the other half
// Source       RFC 1071, 1 and 2

`default_nettype none

module ws_inet_checksum (
    input  wire       clk,

    input  wire       en,
    input  wire       start,        // the octet is the first, the upper half of a word
    input  wire [7:0] octet,

    output wire       good,
    output wire [7:0] check
);

    reg [7:0] next_reg, last_reg;   // halves of the sum: that of the next octet, that of the one before it
    reg       carry_reg;            // into next_reg

    always @(posedge clk) if (en) begin
        {carry_reg, last_reg} <= start ? {1'b0, octet} : {1'b0, next_reg} + {1'b0, octet} + {8'b0, carry_reg};
        next_reg              <= start ? 8'h00 : last_reg;
    end

    assign good  = &last_reg && &next_reg[7:1] && next_reg[0] != carry_reg;
    assign check = ~next_reg;

endmodule

`default_nettype wire
