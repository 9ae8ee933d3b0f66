// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_translate: translates the code of a program into the words of the query machine, and writes them into one bank of
// its program RAM.
//
// Two passes over the code. The first notes where each instruction begins, in bytes and in words; the second writes the
// words, in which a jump has its target as a word.
//
//     SECTION ──> READ ──> OPCODE ──> DECODE ─┬──────────────────────────────────────────────┬─> EMIT ─> READ, SECTION
//                                             └─> WAIT ──> OPERAND ─┬─> WAIT, if more follow │
//                                                                   └─> LOOK ──> JUMP ───────┘
//
// Ports        clear      before the first pass, in which s_code is high with each byte
//              start      of the second pass; sizes of the sections and `bank` are stable during both
//              rd_*       the code, data one cycle after rd_addr; s_byte is rd_data
//              prog_*, bound_*   as of ws_qm_core
//              done       high for one cycle; good: all has been written
// Parameters   CODE_W  see ws_qm_collect
//              PROG_W  the program RAM has 2**PROG_W words, 4 to 12; a program has less than half of them
// Latency      5 cycles from start to done, and for each instruction 3 + its words + 2 for each byte of its operand + 2 if
//              it is a jump; less for a program that is refused
// Issue rate   1 program at a time
// Bad input    good is low for an opcode without words, an instruction that its section cuts off, a jump to where no
//              instruction of the section begins, other than its end, and too many words
// Source       the project's own

`default_nettype none

module ws_qm_translate #(
    parameter CODE_W = 8,
    parameter PROG_W = 9
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              clear,
    input  wire              s_code,

    input  wire              start,
    input  wire              bank,
    input  wire [CODE_W:0]   init,                      // bytes of the sections
    input  wire [CODE_W:0]   delivery,
    input  wire [CODE_W:0]   reception,

    output wire [CODE_W:0]   rd_addr,
    input  wire [7:0]        rd_data,

    output reg               prog_en,
    output reg  [PROG_W-1:0] prog_addr,
    output reg  [35:0]       prog_data,
    output reg               bound_en,
    output reg  [2:0]        bound_addr,
    output reg  [PROG_W-1:0] bound_data,

    output reg               done,
    output reg               good
`ifdef FORMAL
    ,
    // For the proof of ws_qm_loader: the second pass is under way, and the words before its place
    output wire              under_way,
    output wire [CODE_W+2:0] word
`endif
);

    initial if (CODE_W < 7 || CODE_W > 10 || PROG_W < 4 || PROG_W > 12) begin
        $display("ERROR: %m: CODE_W = %0d (7 to 10), PROG_W = %0d (4 to 12)", CODE_W, PROG_W);
        $finish;
    end

    /* verilator lint_off UNUSEDPARAM */                // the fields of a word
    `include "ws_qm_words.vh"
    `include "ws_qm_decoder.vh"
    /* verilator lint_on UNUSEDPARAM */

    localparam [2:0] KIND_INDEX = 3'd1, KIND_JUMP = 3'd2, KIND_INT16 = 3'd4, KIND_INT32 = 3'd5;
    localparam [3:0] STATE_IDLE = 4'd0, STATE_SECTION = 4'd1, STATE_READ = 4'd2, STATE_OPCODE = 4'd3, STATE_WAIT = 4'd4,
                     STATE_OPERAND = 4'd5, STATE_LOOK = 4'd6, STATE_JUMP = 4'd7, STATE_EMIT = 4'd8, STATE_DECODE = 4'd9;
    localparam       WORDS_W = CODE_W + 3;              // of a number of words before it is checked
    localparam [WORDS_W-1:0] LIMIT = 1 << (PROG_W - 1);

    reg  [3:0]         state_reg;
    reg  [CODE_W:0]    at_reg;                          // byte of the code
    reg  [WORDS_W-1:0] word_reg;                        // words before it
    reg                bad_reg;

    reg  [7:0]         opcode_reg;
    reg                code_reg;                        // of the first pass: it is a byte of the code
    // Gated, so that synthesis does not move the register behind the table, into the path from the RAM.
    wire [5:0]         shape    = shape_of(code_reg || state_reg == STATE_DECODE ? opcode_reg : 8'd0);
    wire [2:0]         operands = shape[5:3] == 3'd0 ? 3'd0 : shape[5:3] == KIND_INT16 ? 3'd2
                                : shape[5:3] == KIND_INT32 ? 3'd4 : 3'd1;       // bytes
    reg  [2:0]         left_reg;                        // bytes of the operand that follow

    // ---------------------------------------------------------------------------------------------------------------
    // The instructions: for each byte whether one begins there, and in which word. After the last byte one would begin.

    wire               noted;
    wire [PROG_W-2:0]  target;
    reg  [CODE_W:0]    from_reg;                        // the instruction
    reg  [31:0]        operand_reg;
    wire [CODE_W+1:0]  to = {1'b0, from_reg} + {{CODE_W-6{operand_reg[7]}}, operand_reg[7:0]};

    ws_ram_sdp #(.DATA_W(PROG_W), .ADDR_W(CODE_W + 1), .OUTPUT_REG(0), .STYLE("block")) notes (
        .clk(clk),
        .wr_en(code_reg || start), .wr_addr(at_reg), .wr_data({left_reg == 3'd0, word_reg[PROG_W-2:0]}),
        .rd_en(1'b1), .rd_addr(to[CODE_W:0]), .rd_data({noted, target})
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Both passes

    reg  [1:0]         section_reg;
    reg  [CODE_W:0]    begin_reg, end_reg;              // of the section
    reg  [2:0]         kind_reg, count_reg, step_reg;
    reg                first_reg;                       // byte of the operand
    reg                stop_reg;                        // the target is the end of the section
    reg                outside_reg;
    wire [CODE_W:0]    bytes  = section_reg == 2'd0 ? init : section_reg == 2'd1 ? delivery : reception;
    wire [31:0]        low    = kind_reg == KIND_JUMP ? {{31-END_AT{1'b0}}, stop_reg, {TARGET_W-PROG_W{1'b0}},
                                                         bank, operand_reg[PROG_W-2:0]} : operand_reg;
    wire [35:0]        fixed  = word_of(opcode_reg, step_reg);

    wire               fails  = (state_reg == STATE_WAIT && at_reg == end_reg)
                                || (state_reg == STATE_JUMP && (outside_reg || !noted))
                                || (start && (bad_reg || word_reg >= LIMIT));

    assign rd_addr = at_reg;

    always @(posedge clk) begin
        prog_en    <= 1'b0;
        prog_addr  <= {bank, word_reg[PROG_W-2:0]};
        prog_data  <= step_reg == 3'd0 ? fixed | {4'd0, low} : fixed;
        bound_en   <= 1'b0;
        bound_addr <= {bank, section_reg};
        bound_data <= {bank, word_reg[PROG_W-2:0]};
        done       <= 1'b0;
        good       <= !fails;
        code_reg   <= s_code;
        if (s_code || state_reg == STATE_OPCODE) opcode_reg <= rd_data;

        case (state_reg)
            STATE_SECTION: begin
                bound_en    <= 1'b1;
                section_reg <= section_reg + 2'd1;
                begin_reg   <= at_reg;
                end_reg     <= at_reg + bytes;
                if (section_reg == 2'd3) begin
                    done      <= 1'b1;
                    state_reg <= STATE_IDLE;
                end else if (bytes != 0) state_reg <= STATE_READ;
            end
            STATE_READ: state_reg <= STATE_OPCODE;
            STATE_OPCODE: begin
                from_reg  <= at_reg;
                at_reg    <= at_reg + 1'b1;
                state_reg <= STATE_DECODE;
            end
            STATE_DECODE: begin
                {kind_reg, count_reg} <= shape;
                left_reg   <= operands;
                first_reg  <= 1'b1;
                step_reg   <= 3'd0;
                operand_reg <= 32'd0;
                state_reg  <= operands == 3'd0 ? STATE_EMIT : STATE_WAIT;
            end
            STATE_WAIT: state_reg <= STATE_OPERAND;
            STATE_OPERAND: begin
                at_reg      <= at_reg + 1'b1;
                left_reg    <= left_reg - 3'd1;
                first_reg   <= 1'b0;
                operand_reg <= {first_reg ? {24{rd_data[7] && kind_reg != KIND_INDEX}} : operand_reg[23:0], rd_data};
                state_reg   <= left_reg != 3'd1 ? STATE_WAIT : kind_reg == KIND_JUMP ? STATE_LOOK : STATE_EMIT;
            end
            STATE_LOOK: begin
                stop_reg    <= to == {1'b0, end_reg};
                outside_reg <= to[CODE_W+1] || to[CODE_W:0] < begin_reg || to[CODE_W:0] > end_reg;
                state_reg   <= STATE_JUMP;
            end
            STATE_JUMP: begin
                operand_reg[PROG_W-2:0] <= target;
                state_reg <= STATE_EMIT;
            end
            STATE_EMIT: begin
                prog_en  <= 1'b1;
                step_reg <= step_reg + 3'd1;
                word_reg <= word_reg + 1'b1;
                if (step_reg + 3'd1 == count_reg) state_reg <= at_reg == end_reg ? STATE_SECTION : STATE_READ;
            end
            default: begin
                if (code_reg) begin
                    at_reg   <= at_reg + 1'b1;
                    left_reg <= left_reg == 3'd0 ? operands : left_reg - 3'd1;
                    if (left_reg == 3'd0) begin
                        word_reg <= word_reg + {{CODE_W{1'b0}}, shape[2:0]};
                        if (shape[2:0] == 3'd0) bad_reg <= 1'b1;
                    end
                end
                if (start) begin
                    at_reg      <= {CODE_W+1{1'b0}};
                    word_reg    <= {WORDS_W{1'b0}};
                    section_reg <= 2'd0;
                    state_reg   <= STATE_SECTION;
                end
            end
        endcase

        if (fails) begin
            state_reg <= STATE_IDLE;
            done      <= 1'b1;
        end
        if (clear) begin
            at_reg   <= {CODE_W+1{1'b0}};
            word_reg <= {WORDS_W{1'b0}};
            left_reg <= 3'd0;
            bad_reg  <= 1'b0;
        end
        if (rst) begin
            state_reg <= STATE_IDLE;
            code_reg  <= 1'b0;
            prog_en   <= 1'b0;
            bound_en  <= 1'b0;
            done      <= 1'b0;
        end
    end

`ifdef FORMAL
    assign under_way = state_reg != STATE_IDLE || done;
    assign word      = word_reg;
`endif

endmodule

`default_nettype wire
