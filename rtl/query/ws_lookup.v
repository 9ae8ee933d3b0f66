// SPDX-License-Identifier: Apache-2.0
//
// ws_lookup: the operator that reads a constant table, y = TABLE[a]. It is in block RAM, but up to 64 words in LUTs.
//
// Parameters   INDEX_W  width of a in bits, 1 to 16
//              Y_W      width of a word in bits, at least 1
//              TABLE    the 2**INDEX_W words, any; word 0 in the lowest bits
//              DATA_W   width of the tuple in bits, at least 1
// Latency      2 cycles
// Issue rate   1 tuple a cycle
// Overflow     cannot happen
// Source       ours

`default_nettype none

module ws_lookup #(
    parameter                      INDEX_W = 4,
    parameter                      Y_W     = 8,
    parameter [(Y_W<<INDEX_W)-1:0] TABLE   = {(Y_W<<INDEX_W){1'b0}},
    parameter                      DATA_W  = 128
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [INDEX_W-1:0] a,        // of the tuple on s_*

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [DATA_W-1:0]  m_data,
    output reg  [Y_W-1:0]     y         // of the tuple on m_*
);

    initial if (INDEX_W < 1 || INDEX_W > 16 || Y_W < 1) begin
        $display("ERROR: %m: INDEX_W = %0d (1 to 16), Y_W = %0d (at least 1)", INDEX_W, Y_W);
        $finish;
    end

    (* rom_style = INDEX_W > 6 ? "block" : "logic" *)
    reg [Y_W-1:0] words [0:(1<<INDEX_W)-1];
    reg [Y_W-1:0] word_reg;
    integer       n;

    initial for (n = 0; n < 1 << INDEX_W; n = n + 1) words[n] = TABLE[n*Y_W +: Y_W];

    always @(posedge clk) begin
        word_reg <= words[a];
        y        <= word_reg;           // the output register of a block RAM
    end

    ws_delay #(.DATA_W(DATA_W), .N(2)) beside (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data(s_data),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(m_data)
    );

`ifdef FORMAL
    // y is the word whose number was at the input two cycles before.
    reg [1:0]         cycles_ref = 2'd0;
    reg [INDEX_W-1:0] a_1_ref, a_2_ref;

    always @(posedge clk) begin
        cycles_ref <= cycles_ref + (cycles_ref != 2);
        a_1_ref    <= a;
        a_2_ref    <= a_1_ref;
        if (cycles_ref == 0) assume (rst);
        if (cycles_ref == 2) assert (y == TABLE[a_2_ref*Y_W +: Y_W]);
        cover (cycles_ref == 2 && m_valid && a_2_ref == {INDEX_W{1'b1}});
    end
`endif

endmodule

`default_nettype wire
