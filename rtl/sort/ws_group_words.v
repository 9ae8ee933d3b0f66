// SPDX-License-Identifier: Apache-2.0
//
// ws_group_words: a word for each group, which an item a cycle reads and may replace, even if all are of one group.
//
// The words are in block RAM. An item that comes 1 to 3 cycles after another of its group has read the RAM before that
// one has written it, and takes its item instead. Whether the groups are the same is known before the items meet their
// words, and comes with them.
//
// Parameters   DATA_W   width of a word in bits, at least 1
//              INDEX_W  2**INDEX_W groups, 1 to 24
// Ports        read_index: the group of the item that comes 3 cycles later
//              s_item, s_index: an item and its group, in step with `word`; `replace`: the word becomes the item
//              of the item 2 cycles later: again[d]: the item d cycles before it has the same group
//              of the next item: hit: this item replaces the word, and it has the same group; clear: its word is 0
//              An item for which these are 0, although its group is that of an item that replaced the word 1 to 3 cycles
//              before, finds garbage, but harms nothing.
// Latency      3 cycles from read_index to word
// Issue rate   1 item a cycle
// Source       ours

`default_nettype none

module ws_group_words #(
    parameter DATA_W  = 32,
    parameter INDEX_W = 10
) (
    input  wire               clk,

    input  wire [INDEX_W-1:0] read_index,
    input  wire [3:2]         again,
    input  wire               clear,
    input  wire               hit,
    output reg  [DATA_W-1:0]  word,

    input  wire               replace,
    input  wire [INDEX_W-1:0] s_index,
    input  wire [DATA_W-1:0]  s_item
);

    initial if (DATA_W < 1 || INDEX_W < 1 || INDEX_W > 24) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), INDEX_W = %0d (1 to 24)", DATA_W, INDEX_W);
        $finish;
    end

    reg  [DATA_W-1:0] item_1_reg, item_2_reg;     // 1 and 2 cycles ago
    reg               replaced_reg;
    reg               second_reg, third_reg;      // of the next item: it takes item_1_reg, item_2_reg
    wire [DATA_W-1:0] table_word;

    always @(posedge clk) begin
        item_1_reg   <= s_item;
        item_2_reg   <= item_1_reg;
        replaced_reg <= replace;
        second_reg   <= again[2] && replace;
        third_reg    <= again[3] && replaced_reg;

        word <= hit ? s_item : second_reg ? item_1_reg : third_reg ? item_2_reg : table_word;
        if (clear) word <= {DATA_W{1'b0}};
    end

    ws_ram_sdp #(.DATA_W(DATA_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) words (
        .clk(clk),
        .wr_en(replace), .wr_addr(s_index), .wr_data(s_item),
        .rd_en(1'b1), .rd_addr(read_index), .rd_data(table_word)
`ifdef FORMAL
        , .watch_addr(watched), .watch_data(stored), .watch_addr_2(watched), .watch_data_2()
`endif
    );

`ifdef FORMAL
    // The word of any one group is the item that replaced it last.
    (* anyconst *) wire [INDEX_W-1:0] watched;
    wire [DATA_W-1:0]    stored;
    reg  [4*INDEX_W-1:0] index_ref;             // read_index of the last 4 cycles
    reg                  known_ref = 1'b0;      // the group has a word
    reg  [DATA_W-1:0]    word_ref;
    reg  [3:0]           age_ref;               // its item came so many cycles ago
    reg                  garbage_ref, next_garbage_ref;   // this item and the next one find garbage
    reg                  past_valid = 1'b0;
    wire [INDEX_W-1:0]   after_next = index_ref[0 +: INDEX_W];
    wire [INDEX_W-1:0]   next       = index_ref[INDEX_W +: INDEX_W];
    wire [INDEX_W-1:0]   this_one   = index_ref[2*INDEX_W +: INDEX_W];
    wire [INDEX_W-1:0]   last       = index_ref[3*INDEX_W +: INDEX_W];

    always @(posedge clk) begin
        past_valid <= 1'b1;
        index_ref  <= {index_ref, read_index};
        age_ref    <= {age_ref, 1'b0};
        if (replace && this_one == watched) {known_ref, word_ref, age_ref} <= {1'b1, s_item, 4'b0001};

        assume (s_index == this_one);
        assume (!hit || (replace && next == this_one));
        assume (!again[2] || after_next == this_one);
        assume (!again[3] || after_next == last);
        next_garbage_ref <= (replace && after_next == this_one && !again[2])
                         || (replaced_reg && after_next == last && !again[3]);
        garbage_ref      <= next_garbage_ref || (replace && next == this_one && !hit);
        if (known_ref) assert (stored == word_ref);
        if (past_valid && $past(clear)) assert (word == 0);
        else if (known_ref && this_one == watched && !garbage_ref) begin
            assert (word == word_ref);
            cover (age_ref[0] && word != 0);
            cover (age_ref[1] && word != 0);
            cover (age_ref[2] && word != 0);
            cover (age_ref[3] && word != 0);
        end
    end
`endif

endmodule

`default_nettype wire
