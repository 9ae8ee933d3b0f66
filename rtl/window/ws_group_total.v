// SPDX-License-Identifier: Apache-2.0
//
// ws_group_total: the exact sum of the last PANES panes of each entry of a table, an entry a cycle.
//
// When a pane has ended, all entries take their turn, in order. The new pane is added to the sum of those before it,
// and the pane that the next window no longer has is subtracted, so that the sum of the last PANES - 1 panes is stored
// for the next turn. Panes are in a ring in block RAM (ws_group_ram), in the order of the turns, so that each turn
// reads and writes one place: PANES - 1 numbers an entry, since the newest replaces the oldest.
//
// Parameters   NUMBER_W  width of a pane's number in bits, at least 2
//              SIGNED    1: numbers are two's complement
//              PANES     panes in a window, at least 2
//              ENTRIES   entries of the table, at least 2
//              INDEX_W   follows from ENTRIES
// Ports        step, index: the turn of an entry, successively from 0 to ENTRIES - 1; then none for 12 cycles
//              clear: in this turn the entry discards its sum; all entries do so in the first turns after rst
//              pane: the new pane's number, 7 cycles after step, 0 if the pane is empty
//              result: of the window, 9 cycles after step, wide enough for every sum
// Latency      9 cycles from step to result
// Issue rate   1 entry a cycle
// Source       subtract on evict, as named by Tangwongsan et al., PVLDB 8(7), 2015; for all entries at once it is ours

`default_nettype none

module ws_group_total #(
    parameter NUMBER_W = 64,
    parameter SIGNED   = 1,
    parameter PANES    = 10,
    parameter ENTRIES  = 42,
    parameter INDEX_W  = $clog2(ENTRIES)   // follows from ENTRIES
) (
    input  wire                              clk,
    input  wire                              rst,

    input  wire                              step,
    input  wire                              clear,
    input  wire [INDEX_W-1:0]                index,
    input  wire [NUMBER_W-1:0]               pane,
    output wire [NUMBER_W+$clog2(PANES)-1:0] result
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam SUM_W  = NUMBER_W + $clog2(PANES);
    localparam LOW    = NUMBER_W/2;
    localparam HIGH   = SUM_W - LOW;
    localparam PLACES = (PANES - 1)*ENTRIES;
    localparam ADDR_W = $clog2(PLACES);
    localparam [ADDR_W-1:0] BEFORE_LAST = PLACES - 2;

    initial if (NUMBER_W < 2 || PANES < 2 || ENTRIES < 2) begin
        $display("ERROR: %m: NUMBER_W = %0d (at least 2), PANES = %0d (at least 2), ENTRIES = %0d (at least 2)",
                 NUMBER_W, PANES, ENTRIES);
        $finish;
    end

    function [SUM_W-1:0] wide(input [NUMBER_W-1:0] number);
        wide = {{(SUM_W-NUMBER_W){SIGNED != 0 && number[NUMBER_W-1]}}, number};
    endfunction

    // ---- Stage 0 is the turn. The delayed turns, stage 1 in the lowest bits

    reg  [9:0]            step_reg;
    reg  [8:0]            clear_reg;
    reg  [5:0]            full_reg;
    reg  [10*INDEX_W-1:0] index_reg;
    reg  [8*ADDR_W-1:0]   place_reg;
    reg  [ADDR_W-1:0]     next_place_reg;
    reg                   last_place_reg;     // it is the last one
    reg                   round_reg;          // all places have been written

    always @(posedge clk) begin
        step_reg  <= rst ? 10'b0 : {step_reg[8:0], step};
        clear_reg <= {clear_reg[7:0], clear};
        full_reg  <= {full_reg[4:0], round_reg};
        index_reg <= {index_reg[0 +: 9*INDEX_W], index};
        place_reg <= {place_reg[0 +: 7*ADDR_W], next_place_reg};
        if (step && !clear) begin
            next_place_reg <= last_place_reg ? {ADDR_W{1'b0}} : next_place_reg + 1'b1;
            last_place_reg <= next_place_reg == BEFORE_LAST;
            round_reg      <= round_reg || last_place_reg;
        end
        if (rst) begin
            next_place_reg <= {ADDR_W{1'b0}};
            last_place_reg <= 1'b0;
            round_reg      <= 1'b0;
        end
    end

    // ---- Stages 0 to 7: the sum of the previous panes, and the oldest of them

    wire [SUM_W-1:0]    total_6;
    wire [NUMBER_W-1:0] oldest_6;
    reg  [SUM_W-1:0]    total_7_reg, oldest_7_reg;
    reg  [NUMBER_W-1:0] pane_8_reg;

    always @(posedge clk) begin
        total_7_reg  <= total_6;
        oldest_7_reg <= full_reg[5] ? wide(oldest_6) : {SUM_W{1'b0}};
        pane_8_reg   <= pane;
    end

    ws_group_ram #(.DATA_W(NUMBER_W), .WORDS(PLACES)) ring (
        .clk(clk),
        .wr_en(step_reg[7]), .wr_addr(place_reg[7*ADDR_W +: ADDR_W]), .wr_data(pane_8_reg),
        .rd_addr(next_place_reg), .rd_data(oldest_6)
    );

    // ---- Stages 7 to 9: the window's sum, the upper half a cycle after the lower; 8 to 10: without the oldest pane

    wire [SUM_W-1:0] pane_wide = wide(pane);
    reg  [LOW:0]     low_8_reg;                         // with the carry
    reg  [HIGH-1:0]  total_high_8_reg, pane_high_8_reg, oldest_high_8_reg, oldest_high_9_reg;
    reg  [LOW-1:0]   oldest_low_8_reg, low_9_reg, rest_low_10_reg;
    reg  [HIGH-1:0]  high_9_reg, rest_high_10_reg;
    reg  [LOW:0]     rest_low_9_reg;                    // with the borrow

    assign result = {high_9_reg, low_9_reg};

    always @(posedge clk) begin
        low_8_reg         <= {1'b0, total_7_reg[LOW-1:0]} + {1'b0, pane_wide[LOW-1:0]};
        total_high_8_reg  <= total_7_reg[SUM_W-1:LOW];
        pane_high_8_reg   <= pane_wide[SUM_W-1:LOW];
        oldest_low_8_reg  <= oldest_7_reg[LOW-1:0];
        oldest_high_8_reg <= oldest_7_reg[SUM_W-1:LOW];

        low_9_reg         <= low_8_reg[LOW-1:0];
        high_9_reg        <= total_high_8_reg + pane_high_8_reg + {{(HIGH-1){1'b0}}, low_8_reg[LOW]};
        rest_low_9_reg    <= {1'b0, low_8_reg[LOW-1:0]} - {1'b0, oldest_low_8_reg};
        oldest_high_9_reg <= oldest_high_8_reg;

        rest_low_10_reg    <= clear_reg[8] ? {LOW{1'b0}} : rest_low_9_reg[LOW-1:0];
        rest_high_10_reg   <= clear_reg[8] ? {HIGH{1'b0}}
                           : high_9_reg - oldest_high_9_reg - {{(HIGH-1){1'b0}}, rest_low_9_reg[LOW]};
    end

    ws_ram_sdp #(.DATA_W(SUM_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) totals (
        .clk(clk),
        .wr_en(step_reg[9]), .wr_addr(index_reg[9*INDEX_W +: INDEX_W]), .wr_data({rest_high_10_reg, rest_low_10_reg}),
        .rd_en(1'b1), .rd_addr(index_reg[3*INDEX_W +: INDEX_W]), .rd_data(total_6)
    );

`ifdef FORMAL
    // One entry's panes, the newest in the lowest bits, against the result of its turn.
    localparam KEPT = PANES - 1;
    (* anyconst *) wire [INDEX_W-1:0] index_ref;
    reg                     past_valid = 1'b0;
    reg  [KEPT*NUMBER_W-1:0] panes_ref;
    reg  [9:0]              mine_ref;          // the entry's turns, stage 1 in the lowest bit
    reg  [SUM_W-1:0]        sum_ref, due_8_ref, due_9_ref;
    reg                     turn_ref, cleared_ref;   // the entries take their turns; the first round is over
    reg  [3:0]              pause_ref;                // cycles since the last turn
    reg  [INDEX_W-1:0]      expected_ref;
    integer                 i;

    always @* begin
        sum_ref = pane_wide;
        for (i = 0; i < KEPT; i = i + 1) sum_ref = sum_ref + wide(panes_ref[i*NUMBER_W +: NUMBER_W]);
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        mine_ref   <= rst ? 0 : {mine_ref, step && !clear && index == index_ref};
        if (mine_ref[6]) panes_ref <= {panes_ref, pane};
        due_8_ref  <= sum_ref;
        due_9_ref  <= due_8_ref;
        pause_ref <= pause_ref + (pause_ref < 12);
        if (step) begin
            pause_ref    <= 0;
            turn_ref     <= index != ENTRIES - 1;
            expected_ref <= index == ENTRIES - 1 ? 0 : index + 1;
            if (index == ENTRIES - 1) cleared_ref <= 1'b1;
        end
        if (rst) begin
            panes_ref <= 0; turn_ref <= 1'b0; expected_ref <= 0; cleared_ref <= 1'b0; pause_ref <= 12;
        end

        assume (index_ref < ENTRIES);
        if (!past_valid) assume (rst);
        else begin
            if (turn_ref && !rst) assume (step);
            if (!turn_ref && pause_ref < 12) assume (!step);
            if (step) assume (index == expected_ref && clear == !cleared_ref);
            if (mine_ref[8] && !$past(rst, 1)) ref_exact: assert (result == due_9_ref);
        end
        cover (past_valid && mine_ref[8] && result != 0 && round_reg);
    end
`endif

endmodule

`default_nettype wire
