// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_memory: transmission buffer and synopsis of the query machine.
//
// Words that were not stored since the memory was cleared read as 0. In a section that runs for a message, those of the
// transmission buffer are the message's, until others are stored in their places.
//
// Parameters   W, TB_W, SY_W  see ws_qm_core
// Latency      0 cycles from rd_index to rd_word; a store is read in the next cycle
// Issue rate   1 store and 1 read a cycle
// Overflow     an index wraps

`default_nettype none

module ws_qm_memory #(
    parameter W    = 32,
    parameter TB_W = 4,
    parameter SY_W = 4
) (
    input  wire          clk,

    input  wire          begins,        // a section: the transmission buffer has the words of its message
    input  wire [TB_W:0] next_words,    // the number of these
    input  wire [TB_W:0] message_words, // of the present one
    input  wire          clear_sy,

    input  wire          store,
    input  wire          store_sy,      // into the synopsis
    input  wire [7:0]    store_index,
    input  wire [W:0]    store_word,    // null, word

    input  wire          rd_sy,
    input  wire [7:0]    rd_index,
    output wire [W:0]    rd_word,       // as stored
    output wire          rd_stored,
    output wire          rd_message,    // it is a word of the message

    input  wire          size_sy,       // of which memory the size is
    output wire          size_any,      // a word is stored
    output wire [7:0]    size_last      // the highest index stored
);

    localparam BOTH_W = (TB_W > SY_W ? TB_W : SY_W) + 1;

    localparam [BOTH_W-2:0] TB_MASK = (1 << TB_W) - 1, SY_MASK = (1 << SY_W) - 1;

    wire [BOTH_W-1:0] wr_addr = {store_sy, store_index[BOTH_W-2:0] & (store_sy ? SY_MASK : TB_MASK)};
    wire [BOTH_W-1:0] rd_addr = {rd_sy, rd_index[BOTH_W-2:0] & (rd_sy ? SY_MASK : TB_MASK)};

    ws_qm_ram #(.DATA_W(W + 1), .ADDR_W(BOTH_W)) words (
        .clk(clk),
        .wr_en(store),
        .wr_addr(wr_addr),
        .wr_data(store_word),
        .rd_addr(rd_addr),
        .rd_data(rd_word)
    );

    reg [(1<<BOTH_W)-1:0] stored_reg;
    reg                   tb_any_reg, sy_any_reg;
    reg [TB_W-1:0]        tb_last_reg;
    reg [SY_W-1:0]        sy_last_reg;

    wire [TB_W-1:0] tb_index = store_index[TB_W-1:0];
    wire [SY_W-1:0] sy_index = store_index[SY_W-1:0];

    integer k;
    always @(posedge clk) begin
        if (store) stored_reg[wr_addr] <= 1'b1;
        if (store && !store_sy && (!tb_any_reg || tb_index > tb_last_reg)) tb_last_reg <= tb_index;
        if (store && store_sy && (!sy_any_reg || sy_index > sy_last_reg)) sy_last_reg <= sy_index;
        if (store && !store_sy) tb_any_reg <= 1'b1;
        if (store && store_sy) sy_any_reg <= 1'b1;
        if (begins) begin
            for (k = 0; k < 1 << BOTH_W - 1; k = k + 1) stored_reg[k] <= 1'b0;
            tb_any_reg  <= next_words != 0;
            tb_last_reg <= next_words[TB_W-1:0] - 1'b1;
        end
        if (clear_sy) begin
            for (k = 1 << BOTH_W - 1; k < 1 << BOTH_W; k = k + 1) stored_reg[k] <= 1'b0;
            sy_any_reg <= 1'b0;
        end
    end

    assign rd_stored  = stored_reg[rd_addr];
    assign rd_message = !rd_sy && !rd_stored && {1'b0, rd_index[TB_W-1:0]} < message_words;

    assign size_any  = size_sy ? sy_any_reg : tb_any_reg;
    assign size_last = size_sy ? {{8-SY_W{1'b0}}, sy_last_reg} : {{8-TB_W{1'b0}}, tb_last_reg};

endmodule

`default_nettype wire
