// SPDX-License-Identifier: Apache-2.0
//
// ws_crc32: the running Ethernet CRC-32 (frame check sequence) of a stream of octets.
//
// `data[7:0]` is the first octet. `crc` covers every word up to the cycle before; its octets are in sending order,
// crc[7:0] first. `good` says that those octets ended with their own, right CRC.
//
// Parameters   DATA_W   width of the data in bits: a multiple of 8
// Latency      1 cycle
// Issue rate   1 word a cycle; `keep` (contiguous from bit 0, all zero allowed) marks the octets that count
// Bad input    none: every octet sequence has a CRC
// Source       IEEE 802.3, 3.2.9

`default_nettype none

module ws_crc32 #(
    parameter DATA_W = 8
) (
    input  wire                clk,

    input  wire                start,   // with valid: this word is the first of a frame
    input  wire                valid,
    input  wire [DATA_W-1:0]   data,
    input  wire [DATA_W/8-1:0] keep,

    output wire [31:0]         crc,
    output wire                good
);

    localparam OCTETS = DATA_W / 8;
    localparam [31:0] POLYNOMIAL = 32'hEDB88320;   // bit-reversed: octets are taken least significant bit first
    localparam [31:0] RESIDUE    = 32'hDEBB20E3;   // the state after a frame that ends with its right CRC

    initial if (DATA_W < 8 || DATA_W % 8 != 0) begin
        $display("ERROR: %m: DATA_W = %0d, must be a multiple of 8", DATA_W);
        $finish;
    end

    reg  [31:0] state_reg;
    wire [31:0] state = start ? 32'hFFFFFFFF : state_reg;

    // The CRC is linear, and zeros that come before anything else leave it zero. So the n octets of a word, with the
    // state's first n added, are moved to the word's end; the rest of the state, moved down by n octets, is added last.
    wire [OCTETS:0]   next_keep = {1'b0, keep};
    reg  [DATA_W-1:0] mixed, aligned;
    reg  [31:0]       folded, rest;
    integer           n, i;

    always @* begin
        mixed = data;
        for (i = 0; i < DATA_W && i < 32; i = i + 1)
            mixed[i] = data[i] ^ state[i];
        aligned = {DATA_W{1'b0}};
        rest    = state;
        for (n = 1; n <= OCTETS; n = n + 1)
            if (next_keep[n-1] && !next_keep[n]) begin
                aligned = mixed << 8 * (OCTETS - n);
                rest    = state >> 8 * n;
            end
        folded = 32'd0;
        for (i = 0; i < DATA_W; i = i + 1)
            folded = (folded >> 1) ^ (folded[0] ^ aligned[i] ? POLYNOMIAL : 32'd0);
    end

    always @(posedge clk)
        if (valid) state_reg <= folded ^ rest;

    assign crc  = ~state_reg;
    assign good = state_reg == RESIDUE;

endmodule

`default_nettype wire
