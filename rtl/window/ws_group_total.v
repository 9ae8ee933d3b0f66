// SPDX-License-Identifier: Apache-2.0
//
// ws_group_total: for each entry of a table the sum of its last PANES panes, exact, an entry a cycle.
//
// When a pane has ended, all entries take their turn, in order. The new pane is added to the sum of those before it,
// and what the next window has no more is taken off again, so that the sum of the last PANES - 1 panes waits for the
// next turn. Panes stand in a ring in block RAM, in the order of the turns, so that one place is read and written in
// each.
//
// Parameters   NUMBER_W  width of a pane's number in bits, at least 2
//              SIGNED    1: numbers are two's complement
//              PANES     panes in a window, at least 2
//              ENTRIES   of the table, at least 2
// Ports        step, index: an entry's turn, one behind another from 0 to ENTRIES - 1; then none for 8 cycles
//              clear: in this turn the entry forgets its sum; so do all of them first behind rst
//              pane: the new pane's number, 3 cycles behind step, 0 if it holds nothing
//              result: of the window, 5 cycles behind step, as wide as no sum can leave
// Latency      5 cycles from step to result
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

    localparam SUM_W  = NUMBER_W + $clog2(PANES);
    localparam LOW    = NUMBER_W/2;
    localparam HIGH   = SUM_W - LOW;
    localparam PLACES = (PANES - 1)*ENTRIES;
    localparam ADDR_W = $clog2(PLACES);
    localparam [ADDR_W-1:0] LAST = PLACES - 1;

    initial if (NUMBER_W < 2 || PANES < 2 || ENTRIES < 2) begin
        $display("ERROR: %m: NUMBER_W = %0d (at least 2), PANES = %0d (at least 2), ENTRIES = %0d (at least 2)",
                 NUMBER_W, PANES, ENTRIES);
        $finish;
    end

    function [SUM_W-1:0] wide(input [NUMBER_W-1:0] number);
        wide = {{(SUM_W-NUMBER_W){SIGNED != 0 && number[NUMBER_W-1]}}, number};
    endfunction

    // ---- Stage 0 is the turn. What travels beside it, stage 1 in the lowest bits

    reg  [5:0]           step_reg;
    reg  [4:0]           clear_reg;
    reg  [1:0]           full_reg;
    reg  [6*INDEX_W-1:0] index_reg;
    reg  [4*ADDR_W-1:0]  place_reg;
    reg  [ADDR_W-1:0]    next_place_reg;
    reg                  round_reg;          // all places have been written

    always @(posedge clk) begin
        step_reg  <= rst ? 6'b0 : {step_reg[4:0], step};
        clear_reg <= {clear_reg[3:0], clear};
        full_reg  <= {full_reg[0], round_reg};
        index_reg <= {index_reg[0 +: 5*INDEX_W], index};
        place_reg <= {place_reg[0 +: 3*ADDR_W], next_place_reg};
        if (step && !clear) begin
            next_place_reg <= next_place_reg == LAST ? {ADDR_W{1'b0}} : next_place_reg + 1'b1;
            if (next_place_reg == LAST) round_reg <= 1'b1;
        end
        if (rst) begin
            next_place_reg <= {ADDR_W{1'b0}};
            round_reg      <= 1'b0;
        end
    end

    // ---- Stages 0 to 3: the sum of the panes before, and the oldest of them

    wire [SUM_W-1:0]    total_2;
    wire [NUMBER_W-1:0] oldest_2;
    reg  [SUM_W-1:0]    total_3_reg, oldest_3_reg;
    reg  [NUMBER_W-1:0] pane_4_reg;

    always @(posedge clk) begin
        total_3_reg  <= total_2;
        oldest_3_reg <= full_reg[1] ? wide(oldest_2) : {SUM_W{1'b0}};
        pane_4_reg   <= pane;
    end

    ws_ram_sdp #(.DATA_W(NUMBER_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE("block")) ring (
        .clk(clk),
        .wr_en(step_reg[3] && !clear_reg[3]), .wr_addr(place_reg[3*ADDR_W +: ADDR_W]), .wr_data(pane_4_reg),
        .rd_en(1'b1), .rd_addr(next_place_reg), .rd_data(oldest_2)
    );

    // ---- Stages 3 to 5: the window's sum, the upper half a cycle behind the lower; 4 to 6: without the oldest pane

    wire [SUM_W-1:0] pane_wide = wide(pane);
    reg  [LOW:0]     low_4_reg;                         // with the carry
    reg  [HIGH-1:0]  total_high_4_reg, pane_high_4_reg, oldest_high_4_reg, oldest_high_5_reg;
    reg  [LOW-1:0]   oldest_low_4_reg, low_5_reg, rest_low_6_reg;
    reg  [HIGH-1:0]  high_5_reg, rest_high_6_reg;
    reg  [LOW:0]     rest_low_5_reg;                    // with the borrow

    assign result = {high_5_reg, low_5_reg};

    always @(posedge clk) begin
        low_4_reg         <= {1'b0, total_3_reg[LOW-1:0]} + {1'b0, pane_wide[LOW-1:0]};
        total_high_4_reg  <= total_3_reg[SUM_W-1:LOW];
        pane_high_4_reg   <= pane_wide[SUM_W-1:LOW];
        oldest_low_4_reg  <= oldest_3_reg[LOW-1:0];
        oldest_high_4_reg <= oldest_3_reg[SUM_W-1:LOW];

        low_5_reg         <= low_4_reg[LOW-1:0];
        high_5_reg        <= total_high_4_reg + pane_high_4_reg + {{(HIGH-1){1'b0}}, low_4_reg[LOW]};
        rest_low_5_reg    <= {1'b0, low_4_reg[LOW-1:0]} - {1'b0, oldest_low_4_reg};
        oldest_high_5_reg <= oldest_high_4_reg;

        rest_low_6_reg    <= clear_reg[4] ? {LOW{1'b0}} : rest_low_5_reg[LOW-1:0];
        rest_high_6_reg   <= clear_reg[4] ? {HIGH{1'b0}}
                           : high_5_reg - oldest_high_5_reg - {{(HIGH-1){1'b0}}, rest_low_5_reg[LOW]};
    end

    ws_ram_sdp #(.DATA_W(SUM_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) totals (
        .clk(clk),
        .wr_en(step_reg[5]), .wr_addr(index_reg[5*INDEX_W +: INDEX_W]), .wr_data({rest_high_6_reg, rest_low_6_reg}),
        .rd_en(1'b1), .rd_addr(index), .rd_data(total_2)
    );

`ifdef FORMAL
    // One entry's panes, the newest in the lowest bits, against the result of its turn.
    localparam KEPT = PANES - 1;
    (* anyconst *) wire [INDEX_W-1:0] index_ref;
    reg                     past_valid = 1'b0;
    reg  [KEPT*NUMBER_W-1:0] panes_ref;
    reg  [5:0]              mine_ref;          // the entry's turns, stage 1 in the lowest bit
    reg  [SUM_W-1:0]        sum_ref, due_4_ref, due_5_ref;
    reg                     turn_ref, cleared_ref;   // a turn of all entries goes on; the first of them is over
    reg  [3:0]              pause_ref;                // cycles since
    reg  [INDEX_W-1:0]      expected_ref;
    integer                 i;

    always @* begin
        sum_ref = pane_wide;
        for (i = 0; i < KEPT; i = i + 1) sum_ref = sum_ref + wide(panes_ref[i*NUMBER_W +: NUMBER_W]);
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        mine_ref   <= rst ? 0 : {mine_ref, step && !clear && index == index_ref};
        if (mine_ref[2]) panes_ref <= {panes_ref, pane};
        due_4_ref  <= sum_ref;
        due_5_ref  <= due_4_ref;
        pause_ref <= pause_ref + (pause_ref < 8);
        if (step) begin
            pause_ref    <= 0;
            turn_ref     <= index != ENTRIES - 1;
            expected_ref <= index == ENTRIES - 1 ? 0 : index + 1;
            if (index == ENTRIES - 1) cleared_ref <= 1'b1;
        end
        if (rst) begin
            panes_ref <= 0; turn_ref <= 1'b0; expected_ref <= 0; cleared_ref <= 1'b0; pause_ref <= 8;
        end

        assume (index_ref < ENTRIES);
        if (!past_valid) assume (rst);
        else begin
            assume (!rst || !step);
            if (turn_ref && !rst) assume (step);
            if (!turn_ref && pause_ref < 8) assume (!step);
            if (step) assume (index == expected_ref && clear == !cleared_ref);
            if (mine_ref[4] && !$past(rst, 1)) ref_exact: assert (result == due_5_ref);
        end
        cover (past_valid && mine_ref[4] && result != 0 && round_reg);
    end
`endif

endmodule

`default_nettype wire
