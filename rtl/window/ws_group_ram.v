// SPDX-License-Identifier: Apache-2.0
//
// ws_group_ram: block RAM of any number of words, made of up to four RAMs of a power of two each.
//
// A single RAM of a power of two would be up to twice as large as needed; here the excess is at most an eighth. The
// largest piece has the lowest addresses, so that each begins at a multiple of its own size, and the upper bits of an
// address select the piece. There are two registers before each piece and one after it, since the block RAMs of a large
// piece are spread over the chip.
//
// Parameters   DATA_W   width of a word in bits, at least 1
//              WORDS    number of words, 2 to 2**24
//              GRAIN_W  WORDS is rounded up to 2**GRAIN_W words, at least 0; 9 is an ECP5's block RAM at its widest
//              ADDR_W   follows from WORDS
// Ports        wr_en, wr_addr, wr_data; rd_addr; addresses are below WORDS in every access that matters
// Latency      6 cycles from rd_addr to rd_data; a word written can be read 1 cycle later
// Issue rate   1 write and 1 read a cycle
// Bad input    a read of the address written in the same cycle returns garbage, as in ws_ram_sdp
// Source       ours

`default_nettype none

module ws_group_ram #(
    parameter DATA_W  = 64,
    parameter WORDS   = 18432,
    parameter GRAIN_W = 9,
    parameter ADDR_W  = $clog2(WORDS)   // follows from WORDS
) (
    input  wire              clk,

    input  wire              wr_en,
    input  wire [ADDR_W-1:0] wr_addr,
    input  wire [DATA_W-1:0] wr_data,

    input  wire [ADDR_W-1:0] rd_addr,
    output reg  [DATA_W-1:0] rd_data
);

    // Bit b of GRAINS: there is a piece of 2**b grains. Only the four highest bits are not 0.
    localparam NEEDED = (WORDS + (1 << GRAIN_W) - 1) >> GRAIN_W;
    localparam LOW    = NEEDED < 16 ? 0 : $clog2(NEEDED + 1) - 4;
    localparam GRAINS = (NEEDED + (1 << LOW) - 1) >> LOW << LOW;
    localparam BITS   = $clog2(GRAINS + 1);

    initial if (DATA_W < 1 || WORDS < 2 || ADDR_W > 24 || GRAIN_W < 0) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), WORDS = %0d (2 to 2**24), GRAIN_W = %0d (at least 0)",
                 DATA_W, WORDS, GRAIN_W);
        $finish;
    end

    wire [31:0]            wr_at = {{(32-ADDR_W){1'b0}}, wr_addr}, rd_at = {{(32-ADDR_W){1'b0}}, rd_addr};
    reg  [DATA_W-1:0]      wr_data_1_reg, wr_data_2_reg;
    wire [BITS*DATA_W-1:0] words_5;           // 0 for a piece that is not read
    reg  [DATA_W-1:0]      word_5;
    integer                n;

    always @* begin
        word_5 = {DATA_W{1'b0}};
        for (n = 0; n < BITS; n = n + 1) word_5 = word_5 | words_5[n*DATA_W +: DATA_W];
    end

    always @(posedge clk) begin
        wr_data_1_reg <= wr_data;
        wr_data_2_reg <= wr_data_1_reg;
        rd_data       <= word_5;
    end

    genvar b;
    generate
        for (b = 0; b < BITS; b = b + 1) begin : gen_piece
            if ((GRAINS >> b) % 2 == 1) begin : gen_ram
                localparam PIECE_W = GRAIN_W + b == 0 ? 1 : GRAIN_W + b < ADDR_W ? GRAIN_W + b : ADDR_W;
                localparam [31:0] HERE = (GRAINS >> b) - 1;
                wire               wr_here = wr_at >> (GRAIN_W + b) == HERE, rd_here = rd_at >> (GRAIN_W + b) == HERE;
                reg                wr_en_1_reg, wr_en_2_reg;
                reg  [PIECE_W-1:0] wr_addr_1_reg, wr_addr_2_reg, rd_addr_1_reg, rd_addr_2_reg;
                reg  [5:1]         rd_here_reg;
                wire [DATA_W-1:0]  word_4;
                reg  [DATA_W-1:0]  word_5_reg;

                always @(posedge clk) begin
                    wr_en_1_reg   <= wr_en && wr_here;
                    wr_en_2_reg   <= wr_en_1_reg;
                    wr_addr_1_reg <= wr_at[PIECE_W-1:0];
                    wr_addr_2_reg <= wr_addr_1_reg;
                    rd_addr_1_reg <= rd_at[PIECE_W-1:0];
                    rd_addr_2_reg <= rd_addr_1_reg;
                    rd_here_reg   <= {rd_here_reg[4:1], rd_here};
                    word_5_reg    <= word_4;
                end

                ws_ram_sdp #(.DATA_W(DATA_W), .ADDR_W(PIECE_W), .OUTPUT_REG(1), .STYLE("block")) words (
                    .clk(clk),
                    .wr_en(wr_en_2_reg), .wr_addr(wr_addr_2_reg), .wr_data(wr_data_2_reg),
                    .rd_en(1'b1), .rd_addr(rd_addr_2_reg), .rd_data(word_4)
                );

                assign words_5[b*DATA_W +: DATA_W] = rd_here_reg[5] ? word_5_reg : {DATA_W{1'b0}};
            end else begin : gen_none
                assign words_5[b*DATA_W +: DATA_W] = {DATA_W{1'b0}};
            end
        end
    endgenerate

`ifdef FORMAL
    // The word at an arbitrary address.
    (* anyconst *) wire [ADDR_W-1:0] addr_ref;
    reg                past_valid = 1'b0, known_ref = 1'b0;
    reg  [DATA_W-1:0]  word_ref;
    reg  [6:1]         due_ref = 6'b0;       // a read of the address, written before and not meanwhile
    reg  [6*DATA_W-1:0] words_ref;           // the word at that time

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (wr_en && wr_addr == addr_ref) begin
            word_ref  <= wr_data;
            known_ref <= 1'b1;
        end
        due_ref   <= {due_ref[5:1], known_ref && rd_addr == addr_ref && !(wr_en && wr_addr == addr_ref)};
        words_ref <= {words_ref[0 +: 5*DATA_W], word_ref};
        assume (addr_ref < WORDS && wr_addr < WORDS && rd_addr < WORDS);
        if (due_ref[6]) ref_held: assert (rd_data == words_ref[5*DATA_W +: DATA_W]);
        cover (past_valid && due_ref[6] && rd_data != 0 && addr_ref == WORDS - 1);
        cover (past_valid && due_ref[6] && rd_data != 0 && addr_ref == 0);
    end
`endif

endmodule

`default_nettype wire
