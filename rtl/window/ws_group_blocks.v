// SPDX-License-Identifier: Apache-2.0
//
// ws_group_blocks: an aggregate other than a sum of the last PANES panes of each entry of a table, an entry a cycle.
//
// When a pane has ended, all entries take their turn, in order. Panes form blocks of PANES / 2. A window consists of
// the end of a block (a suffix), the whole block after it and the newest block as far as it is filled. While a block
// fills, the suffixes of the previous block are computed backwards, one in each turn, and overwrite its panes: all are
// ready when windows reach them. Three banks of block RAM rotate with every block: one is filled, one is scanned, one
// is read. All entries are at the same place of their blocks and share the control.
//
// Parameters   KIND, SIGNED, NUMBER_W  see ws_pane_pick
//              PANES                   panes in a window, at least 2
//              ENTRIES                 entries of the table, at least 2
//              INDEX_W                 follows from ENTRIES
// Ports        step, index: the turn of an entry, successively from 0 to ENTRIES - 1; then none for 12 cycles
//              clear: in this turn the entry discards its panes; all entries do so in the first turns after rst
//              pane: the new pane's number, 7 cycles after step, `identity` if the pane is empty
//              identity: that of ws_pane_pick
//              result: of the window, 11 cycles after step; the output of a multiplexer, not of a register
// Latency      11 cycles from step to result
// Issue rate   1 entry a cycle
// Source       ours: ws_pane_blocks for all entries of a table

`default_nettype none

module ws_group_blocks #(
    parameter [23:0] KIND     = "MIN",
    parameter        SIGNED   = 1,
    parameter        NUMBER_W = 32,
    parameter        PANES    = 10,
    parameter        ENTRIES  = 42,
    parameter        INDEX_W  = $clog2(ENTRIES)   // follows from ENTRIES
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                step,
    input  wire                clear,
    input  wire [INDEX_W-1:0]  index,
    input  wire [NUMBER_W-1:0] pane,
    output wire [NUMBER_W-1:0] identity,
    output wire [NUMBER_W-1:0] result
);

    localparam BLOCK  = PANES/2;                   // panes
    localparam EVEN   = PANES % 2 == 0;
    localparam ADDR_W = $clog2(BLOCK*ENTRIES);
    localparam FILL_W = $clog2(BLOCK + 1);
    `include "ws_pane_both.vh"

    localparam [ADDR_W-1:0] EACH = ENTRIES, TOP = (BLOCK - 1)*ENTRIES, BEHIND = EVEN && BLOCK > 1 ? ENTRIES : 0;
    localparam [FILL_W-1:0] FULL = BLOCK - 1;
    localparam [INDEX_W-1:0] LAST = ENTRIES - 1;

    initial if (NUMBER_W < 2 || PANES < 2 || ENTRIES < 2) begin
        $display("ERROR: %m: NUMBER_W = %0d (at least 2), PANES = %0d (at least 2), ENTRIES = %0d (at least 2)",
                 NUMBER_W, PANES, ENTRIES);
        $finish;
    end

    // ---- Stage 0 is the turn. The delayed turns, stage 1 in the lowest bits

    reg  [10:0]           step_reg, clear_reg;
    reg  [11:0]           ends_reg;                        // the last entry has had its turn
    reg  [11*INDEX_W-1:0] index_reg;

    always @(posedge clk) begin
        step_reg  <= rst ? 11'b0 : {step_reg[9:0], step};
        clear_reg <= {clear_reg[9:0], clear};
        ends_reg  <= rst ? 12'b0 : {ends_reg[10:0], step && !clear && index == LAST};
        index_reg <= {index_reg[0 +: 10*INDEX_W], index};
    end

    // ---- Where the turn's panes are, the same for all entries

    reg  [2:0]        fills_reg;                           // the bank that is filled
    wire [2:0]        scans = {fills_reg[0], fills_reg[2:1]};   // the one before it: its suffixes are computed
    wire [2:0]        shows = {fills_reg[1:0], fills_reg[2]};   // the one before that: a suffix is read
    reg  [FILL_W-1:0] filled_reg;                          // panes in the newest block
    reg  [ADDR_W-1:0] fill_reg, scan_reg, show_reg;        // of entry 0
    reg               first_reg, shown_reg;                // one block has been full; two
    wire              full  = filled_reg == FULL;          // the block is full after this turn
    wire              whole = !shown_reg || (EVEN && full);     // there is no suffix

    always @(posedge clk) begin
        if (ends_reg[11]) begin
            filled_reg <= full ? {FILL_W{1'b0}} : filled_reg + 1'b1;
            fill_reg   <= full ? {ADDR_W{1'b0}} : fill_reg + EACH;
            scan_reg   <= full ? TOP : scan_reg - EACH;
            show_reg   <= full ? BEHIND : show_reg + EACH;
            if (full) begin
                fills_reg <= shows;
                first_reg <= 1'b1;
                shown_reg <= first_reg;
            end
        end
        if (rst) begin
            fills_reg  <= 3'b001;
            filled_reg <= {FILL_W{1'b0}};
            fill_reg   <= {ADDR_W{1'b0}};
            scan_reg   <= TOP;
            show_reg   <= BEHIND;
            first_reg  <= 1'b0;
            shown_reg  <= 1'b0;
        end
    end

    // ---- Stages 0 to 8: the stored state of the entry, a pane of the previous block, a suffix of the one before that

    wire [3*NUMBER_W-1:0] kept_7;              // prefix: newest block; middle: the one before; scan: a suffix of that
    reg  [NUMBER_W-1:0]   prefix_8_reg, middle_8_reg, scan_8_reg, word_8_reg, end_8_reg, pane_8_reg;
    wire [3*NUMBER_W-1:0] words_7;
    reg  [NUMBER_W-1:0]   word_7, end_7;
    integer               n;

    always @* begin
        word_7 = {NUMBER_W{1'b0}};
        end_7  = {NUMBER_W{1'b0}};
        for (n = 0; n < 3; n = n + 1) begin
            if (scans[n]) word_7 = word_7 | words_7[n*NUMBER_W +: NUMBER_W];
            if (shows[n]) end_7  = end_7 | words_7[n*NUMBER_W +: NUMBER_W];
        end
    end

    always @(posedge clk) begin
        {prefix_8_reg, middle_8_reg, scan_8_reg} <= kept_7;
        word_8_reg <= word_7;
        end_8_reg  <= whole ? identity : end_7;
        pane_8_reg <= pane;
    end

    // ---- Stages 8 and 9: with the new pane; the suffix and the whole block; the next suffix

    wire                  pane_wins, middle_wins, scan_wins, prefix_wins;
    reg  [NUMBER_W-1:0]   prefix_9_reg, middle_9_reg, scan_9_reg, word_9_reg, end_9_reg, pane_9_reg;
    reg  [NUMBER_W-1:0]   prefix_10_reg, middle_10_reg, scan_10_reg, older_10_reg, pane_10_reg;
    reg  [NUMBER_W-1:0]   prefix_11_reg, older_11_reg;
    wire [3*NUMBER_W-1:0] identities;
    wire                  unused = &{1'b0, identities};

    ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_prefix (
        .clk(clk), .older(prefix_8_reg), .newer(pane_8_reg), .newer_wins(pane_wins), .identity(identity)
    );
    ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_older (
        .clk(clk), .older(end_8_reg), .newer(middle_8_reg),
        .newer_wins(middle_wins), .identity(identities[0*NUMBER_W +: NUMBER_W])
    );
    ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_scan (
        .clk(clk), .older(word_8_reg), .newer(scan_8_reg),
        .newer_wins(scan_wins), .identity(identities[1*NUMBER_W +: NUMBER_W])
    );
    ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_window (
        .clk(clk), .older(older_10_reg), .newer(prefix_10_reg),
        .newer_wins(prefix_wins), .identity(identities[2*NUMBER_W +: NUMBER_W])
    );

    // ---- Stages 10 and 11: the whole window

    assign result = both(prefix_wins, prefix_11_reg, older_11_reg);

    always @(posedge clk) begin
        {prefix_9_reg, middle_9_reg, scan_9_reg} <= {prefix_8_reg, middle_8_reg, scan_8_reg};
        {word_9_reg, end_9_reg, pane_9_reg}      <= {word_8_reg, end_8_reg, pane_8_reg};

        prefix_10_reg <= both(pane_wins, pane_9_reg, prefix_9_reg);
        older_10_reg  <= both(middle_wins, middle_9_reg, end_9_reg);
        scan_10_reg   <= both(scan_wins, scan_9_reg, word_9_reg);
        middle_10_reg <= middle_9_reg;
        pane_10_reg   <= pane_9_reg;

        {prefix_11_reg, older_11_reg} <= {prefix_10_reg, older_10_reg};
    end

    // ---- The stored state and the banks, which have their addresses from stage 1; written in stage 11

    wire [INDEX_W-1:0]    index_10 = index_reg[9*INDEX_W +: INDEX_W];
    wire [ADDR_W+INDEX_W-1:0] padded_0 = {{ADDR_W{1'b0}}, index}, padded_10 = {{ADDR_W{1'b0}}, index_10};
    wire [ADDR_W-1:0]     offset_0 = padded_0[ADDR_W-1:0], offset_10 = padded_10[ADDR_W-1:0];
    reg  [3*NUMBER_W-1:0] keep_11_reg;
    wire                  unused_padding = &{1'b0, padded_0, padded_10};

    always @(posedge clk)
        keep_11_reg <= clear_reg[9] ? {3{identity}}
                    : full ? {identity, prefix_10_reg, identity} : {prefix_10_reg, middle_10_reg, scan_10_reg};

    ws_ram_sdp #(.DATA_W(3*NUMBER_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) kept (
        .clk(clk),
        .wr_en(step_reg[10]), .wr_addr(index_reg[10*INDEX_W +: INDEX_W]), .wr_data(keep_11_reg),
        .rd_en(1'b1), .rd_addr(index_reg[4*INDEX_W +: INDEX_W]), .rd_data(kept_7)
    );

    genvar b;
    generate
        for (b = 0; b < 3; b = b + 1) begin : gen_bank
            reg [ADDR_W-1:0]   from_1_reg, to_11_reg;
            reg [NUMBER_W-1:0] word_11_reg;

            always @(posedge clk) begin
                from_1_reg <= offset_0 + (scans[b] ? scan_reg : show_reg);
                to_11_reg   <= offset_10 + (fills_reg[b] ? fill_reg : scan_reg);
                word_11_reg <= fills_reg[b] ? pane_10_reg : scan_10_reg;
            end

            ws_group_ram #(.DATA_W(NUMBER_W), .WORDS(BLOCK*ENTRIES)) bank (
                .clk(clk),
                .wr_en(step_reg[10] && !clear_reg[10] && !shows[b]), .wr_addr(to_11_reg), .wr_data(word_11_reg),
                .rd_addr(from_1_reg), .rd_data(words_7[b*NUMBER_W +: NUMBER_W])
            );
        end
    endgenerate

`ifdef FORMAL
    // One entry's panes, the newest in the lowest bits, against the result of its turn.
    localparam KEPT = PANES - 1;
    (* anyconst *) wire [INDEX_W-1:0] index_ref;
    reg                      past_valid = 1'b0;
    reg  [KEPT*NUMBER_W-1:0] panes_ref;
    reg  [10:0]              mine_ref;          // the entry's turns, stage 1 in the lowest bit
    reg  [NUMBER_W-1:0]      best_ref;
    reg  [4*NUMBER_W-1:0]    due_ref;           // stage 8 in the lowest bits
    reg                      turn_ref, cleared_ref;   // the entries take their turns; the first round is over
    reg  [3:0]               pause_ref;                // cycles since the last turn
    reg  [INDEX_W-1:0]       expected_ref;
    integer                  i;

    function [NUMBER_W-1:0] order(input [NUMBER_W-1:0] pair);    // mapped so that it compares as unsigned number
        order = (SIGNED != 0 ? pair ^ (1 << (NUMBER_W - 2)) : pair) >> NUMBER_W/2;
    endfunction

    function beats(input [NUMBER_W-1:0] newer, input [NUMBER_W-1:0] older);    // of pairs
        beats = KIND == "AMN" ? order(newer) < order(older) : order(newer) > order(older);
    endfunction

    function [NUMBER_W-1:0] both_ref(input [NUMBER_W-1:0] newer, input [NUMBER_W-1:0] older);
        reg [NUMBER_W-1:0] a, b;                // mapped so that two's complement compares as unsigned
        begin
            a = SIGNED != 0 ? newer ^ (1 << (NUMBER_W - 1)) : newer;
            b = SIGNED != 0 ? older ^ (1 << (NUMBER_W - 1)) : older;
            case (KIND)
                "MIN":   both_ref = a < b ? newer : older;
                "MAX":   both_ref = a > b ? newer : older;
                "AMN",
                "AMX":   both_ref = newer[NUMBER_W-1] && (!older[NUMBER_W-1] || beats(newer, older)) ? newer : older;
                "FST":   both_ref = !older[NUMBER_W-1] ? newer : older;
                "BOR":   both_ref = newer | older;
                "XOR":   both_ref = newer ^ older;
                default: both_ref = newer[NUMBER_W-1] ? newer : older;
            endcase
        end
    endfunction

    always @* begin
        best_ref = panes_ref[(KEPT-1)*NUMBER_W +: NUMBER_W];
        for (i = KEPT - 2; i >= 0; i = i - 1)
            best_ref = both_ref(panes_ref[i*NUMBER_W +: NUMBER_W], best_ref);
        best_ref = both_ref(pane, best_ref);
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        mine_ref   <= rst ? 0 : {mine_ref, step && !clear && index == index_ref};
        due_ref    <= {due_ref, best_ref};
        pause_ref  <= pause_ref + (pause_ref < 12);
        if (mine_ref[6]) panes_ref <= {panes_ref, pane};
        if (step) begin
            pause_ref    <= 0;
            turn_ref     <= index != ENTRIES - 1;
            expected_ref <= index == ENTRIES - 1 ? 0 : index + 1;
            if (index == ENTRIES - 1) cleared_ref <= 1'b1;
        end
        if (rst) begin
            panes_ref <= {KEPT{identity}}; turn_ref <= 1'b0; expected_ref <= 0; cleared_ref <= 1'b0; pause_ref <= 12;
        end

        assume (index_ref < ENTRIES);
        if (!past_valid) assume (rst);
        else begin
            assume (!rst && step == (turn_ref || pause_ref == 12));    // turns as close as allowed
            if (KIND == "AMN" || KIND == "AMX") assume (pane[NUMBER_W-1] || pane == 0);    // an empty one is identity
            if (step) assume (index == expected_ref && clear == !cleared_ref);
            if (mine_ref[10] && !$past(rst)) ref_best: assert (result == due_ref[3*NUMBER_W +: NUMBER_W]);
        end
        cover (past_valid && mine_ref[10] && result != identity && shown_reg && end_9_reg != identity);
    end
`endif

endmodule

`default_nettype wire
