// SPDX-License-Identifier: Apache-2.0
//
// ws_stored_words: the words of a register map that keep what is written to them.
//
// A byte exists if one of its bits is set in STORED. Bits that are not stored are 0.
//
// Parameters   WORDS   number of words, at least 1
//              STORED  bits that are stored, word 0 in the low ones
//              RESET   their values after reset
// Ports        write   to the word that `select` has a one for, in the bytes of wstrb
// Latency      1 cycle; from write to words
// Issue rate   1 write a cycle
// Source       ours

`default_nettype none

module ws_stored_words #(
    parameter                WORDS  = 4,
    parameter [32*WORDS-1:0] STORED = {32*WORDS{1'b1}},
    parameter [32*WORDS-1:0] RESET  = {32*WORDS{1'b0}}
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                write,
    input  wire [WORDS-1:0]    select,
    input  wire [3:0]          wstrb,
    input  wire [31:0]         wdata,
    output wire [32*WORDS-1:0] words
);

    initial if (WORDS < 1) begin
        $display("ERROR: %m: WORDS = %0d (at least 1)", WORDS);
        $finish;
    end

    wire unused = &{1'b0, select, wdata};       // of bytes that do not exist

    genvar i;
    generate
        for (i = 0; i < 4 * WORDS; i = i + 1) begin : gen_byte
            if (STORED[8*i +: 8] != 8'h00) begin : gen_stored
                reg [7:0] byte_reg;

                assign words[8*i +: 8] = byte_reg;

                always @(posedge clk) begin
                    if (write && select[i/4] && wstrb[i%4]) byte_reg <= wdata[8*(i%4) +: 8] & STORED[8*i +: 8];
                    if (rst) byte_reg <= RESET[8*i +: 8];
                end
            end else begin : gen_fixed
                assign words[8*i +: 8] = 8'h00;
            end
        end
    endgenerate

`ifdef FORMAL
    // An arbitrary bit has the value last written, or that after reset.
    (* anyconst *) reg [$clog2(32*WORDS)-1:0] watch;
    reg  past_valid = 1'b0;
    reg  bit_ref;
    wire [$clog2(WORDS)-1:0] word = watch / 32;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        assume (watch < 32 * WORDS);
        if (write && select[word] && wstrb[watch[4:3]]) bit_ref <= wdata[watch[4:0]] && STORED[watch];
        if (rst) bit_ref <= STORED[watch] && RESET[watch];
        if (past_valid) last_written: assert (words[watch] == bit_ref);
        cover (past_valid && !rst && words[watch] && !RESET[watch]);
    end
`endif

endmodule

`default_nettype wire
