// SPDX-License-Identifier: Apache-2.0
//
// ws_inet_checksum: running Internet checksum of a stream of octets, one a cycle.
//
// The sum of 16-bit words is held as two octets that alternate: the carry out of one goes into the other, which is
// added to next; this includes the end-around carry. So one 8-bit adder suffices, and no words are assembled.
//
// Parameters   none
// Latency      1 cycle
// Issue rate   1 octet a cycle
// Overflow     cannot happen
// Bad input    start without en is ignored. Before the first start the sum is undefined
// Outputs      good   the octets so far, a checksum among them, sum to 0xFFFF (valid at once, odd length or even)
//              check  the octet of the checksum for the position of the next octet, once three octets of zero have
//                     let the last carries propagate; a further octet of zero selects the other half
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

    reg [7:0] next_reg, last_reg;   // halves of the sum: for the next octet, for the previous one
    reg       carry_reg;            // into next_reg

    always @(posedge clk) if (en) begin
        {carry_reg, last_reg} <= start ? {1'b0, octet} : {1'b0, next_reg} + {1'b0, octet} + {8'b0, carry_reg};
        next_reg              <= start ? 8'h00 : last_reg;
    end

    assign good  = &last_reg && &next_reg[7:1] && next_reg[0] != carry_reg;
    assign check = ~next_reg;

endmodule

`default_nettype wire
