// SPDX-License-Identifier: Apache-2.0
//
// ws_free_list: list of the free entries of a table, with the next one prefetched.
//
// Entries never taken come first, in order, then those given back, oldest first.
//
// Parameters   CAPACITY  number of entries, 2 to 256
//              INDEX_W   follows from CAPACITY
// Ports        give, give_index: this entry is free again
//              valid, index, entry: the next entry, as a number and one-hot (0: none); take: it is taken, if valid
//              level: entries in the list, including the next one
// Latency      4 cycles from give to valid, if the list is empty
// Issue rate   1 entry given back and 1 taken a cycle
// Overflow     cannot happen: there is room for every entry
// Bad input    an entry given back that has not been taken: must not happen
// Source       ours, docs/operators.md

`default_nettype none

module ws_free_list #(
    parameter CAPACITY = 64,
    parameter INDEX_W  = $clog2(CAPACITY)   // follows from CAPACITY
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                give,
    input  wire [INDEX_W-1:0]  give_index,

    output reg                 valid,
    output reg  [INDEX_W-1:0]  index,
    output reg  [CAPACITY-1:0] entry,
    input  wire                take,
    output reg  [INDEX_W:0]    level
);

    initial if (CAPACITY < 2 || CAPACITY > 256 || INDEX_W != $clog2(CAPACITY)) begin
        $display("ERROR: %m: CAPACITY = %0d, must be 2 to 256, INDEX_W = %0d follows from it", CAPACITY, INDEX_W);
        $finish;
    end

    localparam ADDR_W = INDEX_W < 2 ? 2 : INDEX_W;
    localparam [INDEX_W:0]    ALL   = CAPACITY[INDEX_W:0];
    localparam [CAPACITY-1:0] FIRST = 1;

    reg  [INDEX_W:0]   untouched_reg;     // the first entry that was never taken
    reg                touched_reg;       // all have been taken
    wire               back_ready, back_valid;
    wire [ADDR_W:0]    back_level;
    wire [INDEX_W-1:0] back_index;

    // The next entry, and two after it: what is fetched does not depend on whether the next one is taken.
    reg                spare_1_valid_reg, spare_2_valid_reg;
    reg  [INDEX_W-1:0] spare_1_reg, spare_2_reg;
    wire               move       = take || !valid;
    wire               move_up    = move || !spare_1_valid_reg;
    wire               fetch      = !spare_2_valid_reg;
    wire               more_valid = fetch && (!touched_reg || back_valid);
    wire [INDEX_W-1:0] more       = touched_reg ? back_index : untouched_reg[INDEX_W-1:0];

    ws_sync_fifo #(.DATA_W(INDEX_W), .ADDR_W(ADDR_W), .STYLE("distributed")) given_back (
        .clk(clk), .rst(rst),
        .s_valid(give), .s_ready(back_ready), .s_data(give_index),
        .m_valid(back_valid), .m_ready(fetch && touched_reg), .m_data(back_index),
        .level(back_level)
    );

    wire unused = &{1'b0, back_ready, back_level};    // there is room for every entry

    always @(posedge clk) begin
        level <= rst ? ALL : level + {{INDEX_W{1'b0}}, give} - {{INDEX_W{1'b0}}, take && valid};
        if (fetch && !touched_reg) begin
            untouched_reg <= untouched_reg + 1'b1;
            touched_reg   <= untouched_reg == ALL - 1'b1;
        end
        if (move) begin
            valid <= spare_1_valid_reg;
            index <= spare_1_reg;
            entry <= spare_1_valid_reg ? FIRST << spare_1_reg : {CAPACITY{1'b0}};
        end
        if (move_up) begin
            spare_1_valid_reg <= spare_2_valid_reg || more_valid;
            spare_1_reg       <= spare_2_valid_reg ? spare_2_reg : more;
        end
        spare_2_valid_reg <= !move_up && (spare_2_valid_reg || more_valid);
        if (fetch) spare_2_reg <= more;
        if (rst) begin
            {valid, spare_1_valid_reg, spare_2_valid_reg, touched_reg} <= 4'b0000;
            untouched_reg <= {(INDEX_W+1){1'b0}};
            entry         <= {CAPACITY{1'b0}};
        end
    end

`ifdef FORMAL
    // Which entries are taken, and what has been given back since the reset, in order.
    reg                past_valid = 1'b0;
    reg [CAPACITY-1:0] taken_ref;
    reg [INDEX_W:0]    first_ref;         // the first that was never taken
    reg [2:0]          waits_ref;         // cycles since the list became non-empty
    integer            i, taken;

    always @* begin
        taken = 0;
        for (i = 0; i < CAPACITY; i = i + 1) taken = taken + taken_ref[i];
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (take && valid) taken_ref[index] <= 1'b1;
        if (give) taken_ref[give_index] <= 1'b0;
        if (take && valid && first_ref < CAPACITY) first_ref <= first_ref + 1'b1;
        waits_ref <= rst || valid || level == 0 ? 0 : waits_ref + (waits_ref != 7);
        if (rst) taken_ref <= 0;
        if (rst) first_ref <= 0;

        if (!past_valid) assume (rst);
        else begin
            if (give) ref_taken: assume (taken_ref[give_index]);
            // the next entry is free, and one never taken as long as there are such
            if (valid) ref_free: assert (!taken_ref[index]);
            if (valid && first_ref < CAPACITY) ref_first: assert (index == first_ref);
            assert (entry == (valid ? FIRST << index : {CAPACITY{1'b0}}));
            // none is lost, and none waits long
            ref_level: assert (level + taken == CAPACITY);
            ref_room: assert (back_ready);
            ref_soon: assert (waits_ref < 4);
            // invariants for the induction
            assert (untouched_reg <= CAPACITY && touched_reg == (untouched_reg == CAPACITY));
            assert (spare_1_valid_reg || !spare_2_valid_reg);
        end
        cover (past_valid && valid && first_ref == CAPACITY && $past(!valid));
    end
`endif

endmodule

`default_nettype wire
