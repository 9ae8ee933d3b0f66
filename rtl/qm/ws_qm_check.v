// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_check: the CRC-32 and the tag of a request that has been collected.
//
// The bytes of the board's address and nonce, of the header and of the code are read once, a byte in two cycles;
// m_code passes the bytes of the code on.
//
// Ports        start     all others are stable from then on until `done`
//              rd_*      as of ws_qm_collect
//              m_code    high for one cycle with each byte of the code, m_byte
//              done      high for one cycle, with good_crc and good_tag: of the request's, all bits at once
// Parameters   CODE_W  see ws_qm_collect
// Latency      2 * N + 26 - N % 8 cycles from start to done, where N = 35 + size
// Issue rate   1 request at a time
// Source       J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF, INDOCRYPT 2012; IEEE 802.3, 3.2.9

`default_nettype none

module ws_qm_check #(
    parameter CODE_W = 8
) (
    input  wire            clk,
    input  wire            rst,

    input  wire            start,
    input  wire [127:0]    key,                 // the first byte in bits 7:0
    input  wire [31:0]     address,             // of the board
    input  wire [63:0]     nonce,
    input  wire [CODE_W:0] size,
    input  wire [31:0]     crc,
    input  wire [63:0]     tag,                 // the first byte in the upper bits

    output wire [CODE_W:0] rd_addr,
    input  wire [7:0]      rd_data,

    output wire            m_code,
    output wire [7:0]      m_byte,

    output wire            done,
    output wire            good_crc,
    output reg             good_tag
);

    `include "ws_loading.vh"

    localparam [1:0] PART_BOARD = 2'd0, PART_HEADER = 2'd1, PART_CODE = 2'd2, PART_NONE = 2'd3;
    localparam [CODE_W:0] BOARD_LAST = 11, HEADER_LAST = AT_CRC - 1;

    reg  [1:0]      part_reg;
    reg  [CODE_W:0] at_reg;
    reg             give_reg;                   // the second cycle of a byte
    wire [127:0]    board = {address, nonce, 32'd0};
    reg             first_reg;                  // byte of the header
    reg             crc_reg, crc_first_reg;     // a byte for the CRC, one cycle after it was read
    reg  [7:0]      byte_reg;
    reg             hash_reg;                   // good_tag has been computed
    wire            ready, hashed;
    wire [63:0]     hash;
    wire [31:0]     crc_here;
    wire [7:0]      one   = part_reg == PART_BOARD ? board[8*(4'd15-at_reg[3:0]) +: 8] : rd_data;
    wire            give  = give_reg && ready;
    wire            ends  = at_reg == (part_reg == PART_BOARD ? BOARD_LAST : part_reg == PART_HEADER ? HEADER_LAST
                                                              : size - 1'b1);
    wire            last  = ends && (part_reg == PART_CODE || (part_reg == PART_HEADER && size == 0));

    assign rd_addr  = {part_reg == PART_HEADER, {CODE_W{1'b0}}} | at_reg;
    assign m_code   = give && part_reg == PART_CODE;
    assign m_byte   = rd_data;
    assign done     = hash_reg;
    assign good_crc = crc_here == crc;

    ws_siphash #(.DATA_W(8)) siphash (
        .clk(clk), .rst(rst), .key(key),
        .s_data(one), .s_keep(1'b1), .s_valid(give_reg), .s_ready(ready), .s_last(last),
        .m_valid(hashed), .m_tag(hash)
    );

    ws_crc32 crc32 (
        .clk(clk), .start(crc_first_reg), .valid(crc_reg), .data(byte_reg),
        /* verilator lint_off PINCONNECTEMPTY */
        .crc(crc_here), .good()
        /* verilator lint_on PINCONNECTEMPTY */
    );

    always @(posedge clk) begin
        if (start) begin
            part_reg  <= PART_BOARD;
            at_reg    <= {CODE_W+1{1'b0}};
            give_reg  <= 1'b0;
        end else if (part_reg != PART_NONE) begin
            give_reg <= !give_reg || !ready;
            if (give) begin
                at_reg    <= ends ? {CODE_W+1{1'b0}} : at_reg + 1'b1;
                first_reg <= part_reg == PART_BOARD;
                if (ends) part_reg <= last ? PART_NONE : part_reg + 2'd1;
            end
        end
        crc_reg       <= give && part_reg != PART_BOARD;
        crc_first_reg <= first_reg;
        byte_reg      <= rd_data;
        hash_reg <= hashed;
        good_tag <= {hash[7:0], hash[15:8], hash[23:16], hash[31:24],
                     hash[39:32], hash[47:40], hash[55:48], hash[63:56]} == tag;
        if (rst) begin
            part_reg <= PART_NONE;
            give_reg <= 1'b0;
            hash_reg <= 1'b0;
            crc_reg  <= 1'b0;
        end
    end

endmodule

`default_nettype wire
