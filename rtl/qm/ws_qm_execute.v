// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_execute: the execution stage of the query machine, with the top word of the stack, t.
//
// A word takes one cycle, one that sends a row 2 and a cycle for each of its words: its epoch, the words, its nulls.
//
// Parameters   W, STACK_W, TB_W, SY_W  see ws_qm_core
// Latency      1 cycle
// Issue rate   a word a cycle
// Overflow     see ws_qm_core

`default_nettype none

module ws_qm_execute #(
    parameter W       = 32,
    parameter STACK_W = 4,
    parameter TB_W    = 4,
    parameter SY_W    = 4
) (
    input  wire               clk,
    input  wire               rst,

    // The stage before
    input  wire               load,         // its word is executed next
    input  wire               load_valid,   // and is one
    input  wire [35:0]        load_word,
    input  wire               begins,       // a section
    input  wire               step,         // the output does not stall

    // Operands, each null and word
    input  wire [W:0]         b,            // the second operand
    input  wire [W:0]         below,        // the word below the second one of the stack
    output reg  [W:0]         t,            // the top word
    output wire [W:0]         w,            // what is written to stack and memory
    output reg  [STACK_W:0]   depth,        // words on the stack
    output wire [STACK_W:0]   depth_next,   // after this word
    output reg                push,         // w is written to the stack
    output reg                place,        // there it becomes the second (0) or third (1) word

    output wire               last,         // this is the last cycle of the word
    output wire               taken,        // it is a jump that is taken
    output reg  [11:0]        target,
    output wire               to_end,
    output wire               trapped,

    // Memories
    output reg                store,
    output wire               store_sy,
    output wire [7:0]         store_index,
    output reg                clear_sy,
    output wire               send_sy,
    output wire               send_reads,   // word send_index of the row is b in the next cycle
    output reg  [7:0]         send_index,
    input  wire               size_any,     // the row has words
    input  wire [7:0]         size_last,    // the index of the last one

    // The row
    input  wire [W-1:0]       epoch,
    output wire               row_valid,
    output wire [W-1:0]       row_data,
    output wire               row_last
);

    `include "ws_qm_words.vh"

    localparam NULL_W = TB_W > SY_W ? 1 << TB_W : 1 << SY_W;

    // ---- the fields of the word
    reg        valid_reg, move_reg, jump_reg, send_reg, alien_reg, sign_reg, either_reg;
    reg [2:0]  delta_reg, pops_reg;
    reg [1:0]  top_reg, logic_reg, carry_reg;
    reg [15:2] arg_reg;

    wire       literal = load_word[LITERAL_AT];
    wire [2:0] group   = load_word[CLASS_AT +: CLASS_W];

    always @(posedge clk) begin
        if (load) begin
            valid_reg  <= load_valid;
            move_reg   <= load_valid && !literal && group == CLASS_MOVE;
            store      <= load_valid && !literal && group == CLASS_STORE;
            jump_reg   <= load_valid && !literal && group == CLASS_JUMP;
            send_reg   <= load_valid && !literal && group == CLASS_SEND;
            clear_sy   <= load_valid && !literal && group == CLASS_CLEAR;
            alien_reg  <= load_valid && !literal && (group == CLASS_MULDIV || group == CLASS_MERGE);
            place      <= load_word[PLACE_AT];
            sign_reg   <= load_word[SIGN_AT];
            push       <= load_word[PUSH_AT];
            delta_reg  <= load_word[DELTA_AT +: DELTA_W];
            pops_reg   <= load_word[POPS_AT +: POPS_W];
            top_reg    <= load_word[TOP_AT +: TOP_W];
            logic_reg  <= load_word[LOGIC_AT +: LOGIC_W];
            either_reg <= load_word[EITHER_AT];
            carry_reg  <= group == CLASS_JUMP ? CARRY_1 : load_word[CARRY_AT +: CARRY_W];
            arg_reg    <= load_word[15:2];
            target     <= load_word[TARGET_AT +: TARGET_W];
            if (literal) begin
                place      <= 1'b0;
                sign_reg   <= 1'b0;
                push       <= 1'b1;
                delta_reg  <= 3'd1;
                pops_reg   <= 3'd0;
                top_reg    <= TOP_LOGIC;
                logic_reg  <= LOGIC_B;
                either_reg <= 1'b0;
            end
            if (!load_valid) begin
                push      <= 1'b0;
                delta_reg <= 3'd0;
                top_reg   <= TOP_SAME;
            end
        end
        if (rst) begin
            valid_reg <= 1'b0;
            send_reg  <= 1'b0;
            jump_reg  <= 1'b0;
        end
    end

    // ---- sum and comparison; for a comparison b is the complement of y, the word below x = t
    reg          saved_reg, equal_reg;
    wire         order    = move_reg && arg_reg[ORDER_AT];
    wire         carry_in = order ? !saved_reg : carry_reg == CARRY_SAVED ? saved_reg : carry_reg[0];
    wire         invert   = order ? saved_reg && !equal_reg : arg_reg[INVERT_AT];
    wire [W+1:0] added    = {1'b0, t[W-1:0], 1'b1} + {1'b0, b[W-1:0], carry_in};
    wire [W-1:0] sum      = added[W:1];
    wire         carry    = added[W+1];

    wire         two     = arg_reg[TWO_AT];
    wire         t_minus = t[W-1];
    wire         zero    = t[W-1:0] == 0;
    wire         equal   = &(t[W-1:0] ^ b[W-1:0]);
    wire         at_least = t_minus == b[W-1] ? !t_minus : carry;      // t >= y
    wire         ge      = two ? at_least : !t_minus;
    wire         eq      = two ? equal : zero;
    wire [1:0]   condition = arg_reg[CONDITION_AT +: CONDITION_W];
    wire         holds   = condition == CONDITION_EQ ? eq : condition == CONDITION_GE ? ge : ge && !eq;
    wire         null_of = t[W] || two && b[W];
    wire         jumps   = condition == CONDITION_NULL ? two || t[W] != sign_reg : holds != sign_reg && !null_of;

    assign taken  = jump_reg && jumps;
    assign to_end = arg_reg[END_AT];

    always @(posedge clk)
        if (move_reg && arg_reg[SAVE_AT]) begin
            saved_reg <= carry_reg == CARRY_SAVED ? at_least : carry;
            equal_reg <= equal && (equal_reg || carry_reg != CARRY_SAVED);
        end

    // ---- the stack
    wire [W-1:0] logic_word = logic_reg == LOGIC_B ? b[W-1:0] : logic_reg == LOGIC_AND ? t[W-1:0] & b[W-1:0]
                            : logic_reg == LOGIC_OR ? t[W-1:0] | b[W-1:0] : {W{1'b0}};
    wire         indexed    = store && arg_reg[INDEXED_AT];

    always @(posedge clk)
        if (step && top_reg != TOP_SAME) begin
            if (top_reg == TOP_BELOW) t <= below;
            else t <= {b[W] || either_reg && t[W], top_reg == TOP_SUM ? sum ^ {W{invert}} : logic_word};
        end

    assign w          = indexed ? b : sign_reg ? {t[W], {W{t_minus}}} : t;
    assign depth_next = depth + {{STACK_W-2{delta_reg[2]}}, delta_reg};

    always @(posedge clk) begin
        if (load) depth <= depth_next;
        if (begins) depth <= {STACK_W+1{1'b0}};
    end

    // ---- traps
    wire       check   = move_reg && arg_reg[CHECK_AT];
    wire       of_sy   = check ? arg_reg[CHECK_AT+2] : arg_reg[MEMORY_AT+1];
    wire       outside = !t[W] && (of_sy ? t[W-1:SY_W] != 0 : t[W-1:TB_W] != 0);
    wire       under   = depth < {{STACK_W-2{1'b0}}, pops_reg};
    wire       over    = depth[STACK_W] && delta_reg == 3'd1;

    assign trapped = valid_reg && (under || over || alien_reg || (check || indexed) && outside);

    // ---- memories
    assign store_sy    = arg_reg[MEMORY_AT+1];
    assign store_index = indexed ? (t[W] ? 8'd0 : t[7:0]) : target[INDEX_AT +: INDEX_W];
    assign send_sy     = arg_reg[MEMORY_AT+1];

    // ---- rows
    reg              words_reg, tail_reg, final_reg;    // b is a word of the row; its last cycle; the last word
    reg [NULL_W-1:0] nulls_reg;

    assign send_reads = send_reg && !tail_reg;
    assign last       = !send_reads;
    assign row_valid  = send_reg && size_any;
    assign row_last   = tail_reg;
    assign row_data   = words_reg ? b[W-1:0] : tail_reg ? {{W-NULL_W{1'b0}}, nulls_reg} : epoch;

    always @(posedge clk)
        if (rst || !send_reg) begin
            words_reg  <= 1'b0;
            tail_reg   <= 1'b0;
            send_index <= 8'd0;
        end else if (step) begin
            words_reg  <= !tail_reg && (words_reg ? !final_reg : size_any);
            tail_reg   <= !tail_reg && (words_reg ? final_reg : !size_any);
            send_index <= tail_reg ? 8'd0 : send_index + 1'b1;
            final_reg  <= send_index == size_last;
            nulls_reg  <= words_reg ? {nulls_reg[NULL_W-2:0], b[W]} : {NULL_W{1'b0}};
        end

endmodule

`default_nettype wire
