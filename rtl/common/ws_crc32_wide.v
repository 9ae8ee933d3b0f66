// SPDX-License-Identifier: Apache-2.0
//
// ws_crc32_wide: the Ethernet CRC-32 (frame check sequence) of a stream of eight octets a cycle, pipelined.
//
// A CRC is linear: the contribution of a word does not depend on the words before it, so it is computed first, and only
// the state itself, advanced by eight octets, is in the loop. A last word of fewer octets is padded with zeros: the
// correct state after them is known, so that `good` needs only another constant, and for `crc` the state is moved back
// over the padding.
//
//      data ──> stage 1: its part  ──> stage 2: state ──┬──> stage 3: compare ────────────────────────> good
//                                        ^      │       └──> stage 3: 0 to 3 octets back ──> stage 4: 0 or 4 ──> crc
//                                        └──────┘
//
// `data[7:0]` is the first octet. The octets of `crc` are in transmission order, crc[7:0] first. `good` is 1 if the
// frame ended with its own correct CRC.
//
// Parameters   none
// Latency      4 cycles to crc, 3 to good; both stay until as many cycles after the next frame's first word
// Issue rate   8 octets a cycle; `keep` is contiguous from bit 0 and all ones except in a frame's last word; 0: no word
// Bad input    octets of data whose bit of keep is 0 must be 0
// Source       IEEE 802.3, 3.2.9

`default_nettype none

module ws_crc32_wide (
    input  wire        clk,

    input  wire        start,   // this word is the first of a frame
    input  wire [63:0] data,
    input  wire [7:0]  keep,

    output wire [31:0] crc,
    output reg         good
);

    `include "ws_crc32.vh"

    localparam [31:0] RESIDUE = 32'hDEBB20E3;   // the state after a frame that ends with its correct CRC

    // Bit `index` of a word's contribution is the parity of these bits of the word. A state contributes as a word does
    // that has the state in its first octets.
    function [63:0] share_row(input [4:0] index);
        integer    i;
        reg [31:0] column;
        begin
            column = 32'd1;
            for (i = 63; i >= 0; i = i - 1) begin
                column       = forth(column);
                share_row[i] = column[index];
            end
        end
    endfunction

    function [31:0] residue(input integer octets);
        integer i;
        begin
            residue = RESIDUE;
            for (i = 0; i < 8 * octets; i = i + 1)
                residue = forth(residue);
        end
    endfunction

    localparam [255:0] RESIDUES = {residue(7), residue(6), residue(5), residue(4),
                                   residue(3), residue(2), residue(1), residue(0)};

    wire [31:0] share, first, onward, back1, back2, back3, back4;
    reg  [31:0] share_reg, state_reg, near_reg, crc_reg;

    genvar g;
    generate
        for (g = 0; g < 32; g = g + 1) begin : gen_bit
            localparam [63:0] SHARE = share_row(g);
            localparam [31:0] BACK1 = back_row(g, 1), BACK2 = back_row(g, 2),
                              BACK3 = back_row(g, 3), BACK4 = back_row(g, 4);
            assign share[g]  = ^(data & SHARE);
            assign first[g]  = ^SHARE[31:0];   // a frame begins with a state of ones
            assign onward[g] = ^(state_reg & SHARE[31:0]);
            assign back1[g]  = ^(state_reg & BACK1);
            assign back2[g]  = ^(state_reg & BACK2);
            assign back3[g]  = ^(state_reg & BACK3);
            assign back4[g]  = ^(near_reg & BACK4);
        end
    endgenerate

    // Stage 1: the word's contribution, and how many octets it lacks.
    reg       start_reg, word_reg;
    reg [2:0] lack_reg;

    always @(posedge clk) begin
        share_reg <= share;
        start_reg <= start;
        word_reg  <= keep[0];
        lack_reg  <= -{keep[3] ^ keep[7], keep[1] ^ keep[3] ^ keep[5] ^ keep[7], ^keep};
    end

    // Stage 2: the state.
    reg [2:0] state_lack_reg;

    always @(posedge clk)
        if (word_reg) begin
            state_reg      <= (start_reg ? first : onward) ^ share_reg;
            state_lack_reg <= lack_reg;
        end

    // Stage 3: the verdict; and the first step back.
    reg near_lack_reg;

    always @(posedge clk) begin
        good          <= state_reg == RESIDUES[32*state_lack_reg +: 32];
        near_lack_reg <= state_lack_reg[2];
        case (state_lack_reg[1:0])
            2'd0: near_reg <= state_reg;
            2'd1: near_reg <= back1;
            2'd2: near_reg <= back2;
            2'd3: near_reg <= back3;
        endcase
    end

    // Stage 4: the second step back.
    always @(posedge clk) crc_reg <= near_lack_reg ? back4 : near_reg;

    assign crc = ~crc_reg;

endmodule

`default_nettype wire
