// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_core: the query machine, a stack machine that runs a program for each tuple (docs/machine.md).
//
// Four stages: fetch, the output register of the program RAM, read of the operands, execution. The program RAM holds
// words of 36 bits, into which the loader translates bytes (ws_qm_decoder.vh): the core has no decoder.
//
// Parameters   W        width of a word in bits, 16 or 32
//              FIELDS   a tuple has at most so many words, 2 to 64
//              FIFO_W   2**FIFO_W tuples wait or are in use, 1 to 6; with 1, a tuple after a short section comes late
//              PROG_W   2**PROG_W words of program, 4 to 12
//              STACK_W  the stack has 2**STACK_W words, 2 to 8
//              TB_W     the transmission buffer has 2**TB_W words, 2 to 4; at most W
//              SY_W     the synopsis has 2**SY_W words, 2 to 4; at most W
//              MULDIV   0: without multiplication and division, which trap
//              MERGE    0: without merge, which traps
//              THREADS  1: one program
//              DROP     0: the input stalls while there is no room; 1: whole packets are dropped then, and counted
//              NULLS    follows from FIELDS and TB_W
// Latency      4 cycles from an event's last beat to the first cycle of its section; then the cycles of docs/machine.md
// Issue rate   a beat a cycle; an event in the cycles of its sections
// Overflow     of the stack, a trap. An index wraps within the memory; one from the stack outside of it is a trap.
// Bad input    A packet with tuser[0] in its last beat, or of too many words, is dropped, and counted in evt_bad.
//
// Input        A packet is an event, a word a beat. tuser: {nulls of the words, word 0 in bit 3; kind; bad}. The kinds:
//              0 a tuple; 1 a punctuation; 2 a tick of the period, whose words are ignored; 3 a message of another
//              machine, of at most 2**TB_W words, which a program without reception section ignores. tkeep[0] is low
//              in the only beat of a packet without words.
// Output       A packet is a row: its epoch, the words, and the nulls, that of the last word in bit 0. tuser:
//              {generation; section, 0 init, 1 delivery, 2 reception; 0}.
// Traps        Stack, index, an instruction that the core does not have, and more than 4,096 cycles in a section stop
//              the program, until the next swap.
// Source       R. Mueller, ETH 19163, section 3.2
//
// For the loader:
//              Program RAM and bounds are written at any time, but not where a running program reads. bound_addr is
//              {bank, k}, for k = 0, 1, 2 the address at which init, delivery, reception begin, and for k = 3 the end
//              of the last one: each section ends where the next one begins, and an empty one is absent.
//              swap_valid asks for another program, and is held with its values until swap_ready: then, between two
//              sections, the program with the bounds of swap_bank replaces the running one, with swap_run low none
//              does. Epoch, synopsis, the last tuple, a trap of the old one are gone; events that wait are for the
//              new one. swap_flags are those of a program's header (tools/wirestream/machine/program.py: MANUALCLEAR
//              in bit 1, PER_TUPLE 2, PER_PUNCT 3, PERIOD 4, RECEIVE_TUPLES 5), with bit 0 set for a program that has
//              an init section, bit 6 for one with a reception section. While `started` is low, deliveries do not run.

`default_nettype none

module ws_qm_core #(
    parameter W       = 32,
    parameter FIELDS  = 4,
    parameter FIFO_W  = 2,
    parameter PROG_W  = 9,
    parameter STACK_W = 4,
    parameter TB_W    = 4,
    parameter SY_W    = 4,
    parameter MULDIV  = 0,
    parameter MERGE   = 0,
    parameter THREADS = 1,
    parameter DROP    = 0,
    parameter NULLS   = FIELDS > (1 << TB_W) ? FIELDS : (1 << TB_W)
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [W-1:0]      s_axis_tdata,
    input  wire [W/8-1:0]    s_axis_tkeep,
    input  wire              s_axis_tlast,
    input  wire [NULLS+2:0]  s_axis_tuser,

    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [W-1:0]      m_axis_tdata,
    output wire [W/8-1:0]    m_axis_tkeep,
    output wire              m_axis_tlast,
    output wire [10:0]       m_axis_tuser,

    input  wire              prog_en,
    input  wire [PROG_W-1:0] prog_addr,
    input  wire [35:0]       prog_data,
    input  wire              bound_en,
    input  wire [2:0]        bound_addr,
    input  wire [PROG_W-1:0] bound_data,
    input  wire              swap_valid,
    output wire              swap_ready,
    input  wire              swap_run,
    input  wire              swap_bank,
    input  wire [6:0]        swap_flags,
    input  wire [7:0]        swap_generation,

    input  wire              started,
    output wire              running,       // a program is loaded and has not been trapped
    output wire [W-1:0]      epoch,         // deliveries of the program

    output wire              evt_trap,
    output wire              evt_send,      // a row
    output wire              evt_dropped,   // a packet, for want of room
    output wire              evt_bad,       // a packet
    output wire              evt_cycle      // of a section
);

    `include "ws_qm_words.vh"

    localparam [1:0] DELIVERY = 2'd1;
    localparam MANUALCLEAR = 1;

    initial if ((W != 16 && W != 32) || PROG_W < 4 || PROG_W > 12 || STACK_W < 2 || STACK_W > 8
                || TB_W < 2 || SY_W < 2 || TB_W > 4 || SY_W > 4) begin
        $display("ERROR: %m: W = %0d (16 or 32), PROG_W = %0d (4 to 12), STACK_W = %0d (2 to 8), TB_W = %0d (2 to 4), SY_W = %0d (2 to 4)",
                 W, PROG_W, STACK_W, TB_W, SY_W);
        $finish;
    end

    initial if (MULDIV != 0 || MERGE != 0 || THREADS != 1) begin
        $display("ERROR: %m: MULDIV = %0d (0), MERGE = %0d (0), THREADS = %0d (1)", MULDIV, MERGE, THREADS);
        $finish;
    end

    // ---- the program: what the loader has written, and its state

    reg         running_reg, bank_reg;
    reg [6:0]   flags_reg;
    reg [7:0]   generation_reg;
    reg [W-1:0] epoch_reg;
    reg         begun_reg;              // init has run
    reg         over_reg;               // no section is in the pipeline
    reg         trap_reg;
    reg         active_reg;             // a section is in execution, or was the last one and has not ended
    reg [1:0]   section_reg;

    // ---- control of the pipeline. Fetch is F, the stages after it R, O and X. Between two sections a slot (`turn`)
    // moves through the pipeline; when it leaves O the next section begins.

    reg              r_valid_reg, r_turn_reg, o_valid_reg, o_turn_reg, x_valid_reg;
    reg [1:0]        r_section_reg, o_section_reg;
    reg [PROG_W-1:0] stop_reg, x_stop_reg;      // the end of the section in F and in X
    reg              f_open_reg;        // instructions of a section are fetched
    reg [PROG_W-1:0] pc_reg;
    reg [35:0]       word_reg;
    reg [1:0]        counted_reg;       // cycles that count for the section, with or without an instruction
    reg [12:0]       cycles_reg;        // of the section

    wire             taken, trapped, x_last, x_to_end, next_valid;
    wire [1:0]       next_section;
    wire [11:0]      x_target;
    wire [35:0]      fetched;
    wire [PROG_W-1:0] start, stop;                  // of the next section

    wire step    = !(m_axis_tvalid && !m_axis_tready);
    wire x_done  = step && (!x_valid_reg || x_last);
    wire o_moves = x_done;
    wire r_moves = o_moves || !(o_valid_reg || o_turn_reg);
    wire f_moves = r_moves || !(r_valid_reg || r_turn_reg);

    wire at_end  = !f_open_reg || pc_reg == stop_reg;
    wire leaves  = taken ? x_to_end : at_end;
    wire pending = r_turn_reg || o_turn_reg;
    wire busy    = x_valid_reg || counted_reg != 0;
    wire expires = busy && cycles_reg[12] && x_done && !taken && !counted_reg[1];
    wire kill    = trap_reg;                // a cycle after the word that trapped, whose successor has no effect
    wire turn    = f_moves && leaves && next_valid && (taken || !pending) && !swap_valid && !kill;
    wire commit  = o_turn_reg && o_moves && !taken && !kill;
    wire over    = over_reg && !pending;
    wire finish  = active_reg && (commit || over);
    wire ends    = finish && section_reg == DELIVERY;
    wire clears  = ends && !flags_reg[MANUALCLEAR];
    wire swap    = swap_valid && swap_ready;

    wire [PROG_W-1:0] target = x_target[PROG_W-1:0];
    wire [PROG_W-1:0] at     = taken ? target : pc_reg;

    assign swap_ready = over && !active_reg;
    assign running    = running_reg;
    assign epoch      = epoch_reg;
    assign evt_trap   = kill;
    assign evt_cycle  = busy && step && !trapped && !trap_reg;

    // F
    always @(posedge clk) begin
        if (turn) pc_reg <= start;
        else if (f_moves && taken && x_to_end) pc_reg <= target;
        else if (f_moves && !leaves) pc_reg <= taken ? target + 1'b1 : pc_reg + 1'b1;
        if (turn) stop_reg <= stop;
        else if (taken) stop_reg <= x_stop_reg;
        if (turn || taken) f_open_reg <= 1'b1;
        if (rst || kill || swap) f_open_reg <= 1'b0;
    end

    // R and O
    always @(posedge clk) begin
        if (f_moves) begin
            r_valid_reg   <= !leaves;
            r_turn_reg    <= turn;
            r_section_reg <= next_section;
        end
        if (r_moves) begin
            o_valid_reg   <= r_valid_reg && !taken;
            o_turn_reg    <= r_turn_reg && !taken;
            o_section_reg <= r_section_reg;
            word_reg      <= fetched;
        end
        if (x_done) x_valid_reg <= o_valid_reg && !taken;
        if (rst || kill) begin
            r_valid_reg <= 1'b0;
            r_turn_reg  <= 1'b0;
            o_valid_reg <= 1'b0;
            o_turn_reg  <= 1'b0;
            x_valid_reg <= 1'b0;
        end
    end

    // The section
    always @(posedge clk) begin
        if (step && counted_reg != 0) counted_reg <= counted_reg - 1'b1;
        if (taken) counted_reg <= 2'd2;
        if (busy && step) cycles_reg <= cycles_reg + 1'b1;
        if (ends) epoch_reg <= epoch_reg + 1'b1;
        over_reg <= at_end && !pending && !r_valid_reg && !o_valid_reg && !busy;
        if (over) active_reg <= 1'b0;
        if (commit) begin
            counted_reg <= 2'd3;
            cycles_reg  <= 13'd0;
            active_reg  <= 1'b1;
            begun_reg   <= 1'b1;
            section_reg <= o_section_reg;
            x_stop_reg  <= stop_reg;
        end
        if (swap) begin
            running_reg    <= swap_run;
            bank_reg       <= swap_bank;
            flags_reg      <= swap_flags;
            generation_reg <= swap_generation;
            epoch_reg      <= {W{1'b0}};
            begun_reg      <= 1'b0;
        end
        trap_reg <= (trapped || expires) && !trap_reg && !rst;
        if (kill) running_reg <= 1'b0;
        if (rst || kill) begin
            active_reg  <= 1'b0;
            over_reg    <= 1'b0;
            counted_reg <= 2'd0;
        end
        if (rst) begin
            running_reg <= 1'b0;
            epoch_reg   <= {W{1'b0}};
        end
    end

    ws_ram_sdp #(.DATA_W(36), .ADDR_W(PROG_W), .STYLE("block")) words (
        .clk(clk),
        .wr_en(prog_en),
        .wr_addr(prog_addr),
        .wr_data(prog_data),
        .rd_en(f_moves),
        .rd_addr(at),
        .rd_data(fetched)
    );

    wire [1:0] after_section = next_section + 2'd1;

    ws_qm_ram #(.DATA_W(PROG_W), .ADDR_W(3)) starts (
        .clk(clk),
        .wr_en(bound_en),
        .wr_addr(bound_addr),
        .wr_data(bound_data),
        .rd_addr({bank_reg, next_section}),
        .rd_data(start)
    );

    ws_qm_ram #(.DATA_W(PROG_W), .ADDR_W(3)) stops (
        .clk(clk),
        .wr_en(bound_en),
        .wr_addr(bound_addr),
        .wr_data(bound_data),
        .rd_addr({bank_reg, after_section}),
        .rd_data(stop)
    );

    // ---- events and memories

    wire          send_reads;           // the row that is sent is read
    wire [1:0]    rd_memory;
    wire [7:0]    rd_index;
    wire [W:0]    in_word, memory_word, w;
    wire          has_tuple, rd_stored, rd_message;
    wire [TB_W:0] message_words, next_words;
    wire          x_store, x_store_sy, x_clear, x_send_sy, size_any;
    wire [7:0]    x_index, size_last;
    wire          rd_field = rd_memory == MEMORY_FIELD;

    ws_qm_input #(.W(W), .FIELDS(FIELDS), .FIFO_W(FIFO_W), .TB_W(TB_W), .DROP(DROP), .NULLS(NULLS)) events (
        .clk(clk),
        .rst(rst),
        .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tkeep(s_axis_tkeep[0]),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser),
        .running(running_reg),
        .started(started),
        .flags(flags_reg),
        .restart(swap),
        .begun(begun_reg),
        .next_valid(next_valid),
        .next_section(next_section),
        .pending(pending),
        .commit(commit),
        .over(over),
        .rd_message(!rd_field),
        .rd_index(rd_index),
        .rd_word(in_word),
        .has_tuple(has_tuple),
        .message_words(message_words),
        .next_words(next_words),
        .evt_dropped(evt_dropped),
        .evt_bad(evt_bad)
    );

    ws_qm_memory #(.W(W), .TB_W(TB_W), .SY_W(SY_W)) memory (
        .clk(clk),
        .begins(commit),
        .next_words(next_words),
        .message_words(message_words),
        .clear_sy(clears || x_clear || swap),
        .store(x_store),
        .store_sy(x_store_sy),
        .store_index(x_index),
        .store_word(w),
        .rd_sy(rd_memory == MEMORY_SY),
        .rd_index(rd_index),
        .rd_word(memory_word),
        .rd_stored(rd_stored),
        .rd_message(rd_message),
        .size_sy(x_send_sy),
        .size_any(size_any),
        .size_last(size_last)
    );

    // ---- O: the second operand, b

    reg  [W:0]      b_reg;                          // null, word
    wire [W:0]      t;
    wire [STACK_W:0] depth, depth_next;
    wire            x_push, x_place;
    wire [7:0]      count;                          // the word to be sent next

    wire       literal  = word_reg[LITERAL_AT];
    wire [2:0] group    = word_reg[CLASS_AT +: CLASS_W];
    wire [1:0] from     = word_reg[FROM_AT +: FROM_W];
    wire       o_move   = !literal && group == CLASS_MOVE;
    wire       o_load   = !literal && group == CLASS_LOAD;
    wire       o_jump   = !literal && group == CLASS_JUMP;
    wire       fixed    = o_move && word_reg[FIXED_AT +: FIXED_W] != FIXED_NONE;
    wire       ones     = word_reg[FIXED_AT +: FIXED_W] == FIXED_ONES;
    wire       not_b    = o_move && word_reg[NOT_B_AT] || o_jump && word_reg[TWO_AT];
    wire [7:0] t_index  = t[W] ? 8'd0 : t[7:0];

    assign rd_memory = send_reads ? (x_send_sy ? MEMORY_SY : MEMORY_TB) : word_reg[MEMORY_AT +: MEMORY_W];
    assign rd_index  = send_reads ? count : word_reg[INDEXED_AT] ? t_index : word_reg[INDEX_AT +: INDEX_W];

    wire [W:0] stack_word;
    wire       same_sy  = x_store_sy == (rd_memory == MEMORY_SY) && !rd_field;
    wire       same_at  = x_store_sy ? x_index[SY_W-1:0] == rd_index[SY_W-1:0] : x_index[TB_W-1:0] == rd_index[TB_W-1:0];
    wire       stored   = x_store && o_load && same_sy && same_at;              // in this cycle
    wire       pushed   = x_push && !o_load && {1'b0, x_place} == from;
    wire       is_data  = send_reads || literal || fixed || o_load && !stored;
    wire       constant = !send_reads && (literal || fixed && ones);
    wire       missing  = rd_field ? !has_tuple
                                   : !rd_stored && !rd_message || x_clear && rd_memory == MEMORY_SY;
    wire       zero     = is_data && !constant && (!send_reads && fixed || missing);    // resets b
    wire       overlay  = rd_field || rd_message;
    wire       data_null  = rd_field && !has_tuple || !missing && (overlay ? in_word[W] : memory_word[W]);

    wire [W-1:0] data     = overlay ? in_word[W-1:0] : memory_word[W-1:0];
    wire [W-1:0] operand  = is_data ? (constant ? word_reg[W-1:0] | {W{fixed}} : data)
                                    : (stored || pushed ? w[W-1:0] : stack_word[W-1:0]) ^ {W{not_b}};
    wire         op_null  = is_data ? !constant && (send_reads || !fixed) && data_null
                                    : stored || pushed ? w[W] : stack_word[W];

    always @(posedge clk)
        if (step) begin
            b_reg <= {op_null, operand};
            if (zero) b_reg[W-1:0] <= {W{1'b0}};
        end

    // The stack without its top word, of which the second word of n is at address n
    wire [STACK_W-1:0] wr_place = depth_next[STACK_W-1:0] - {{STACK_W-1{1'b0}}, x_place};
    wire [STACK_W-1:0] rd_place = depth_next[STACK_W-1:0] - {{STACK_W-2{1'b0}}, from};
    wire [STACK_W-1:0] below_at = depth[STACK_W-1:0] - 1'b1;
    wire [W:0]         below;

    ws_qm_ram #(.DATA_W(W + 1), .ADDR_W(STACK_W)) second (
        .clk(clk), .wr_en(x_push), .wr_addr(wr_place), .wr_data(w), .rd_addr(rd_place), .rd_data(stack_word)
    );

    ws_qm_ram #(.DATA_W(W + 1), .ADDR_W(STACK_W)) third (
        .clk(clk), .wr_en(x_push), .wr_addr(wr_place), .wr_data(w), .rd_addr(below_at), .rd_data(below)
    );

    // ---- X

    wire row_valid;

    ws_qm_execute #(.W(W), .STACK_W(STACK_W), .TB_W(TB_W), .SY_W(SY_W)) execute (
        .clk(clk),
        .rst(rst || kill),
        .load(x_done),
        .load_valid(o_valid_reg && !taken),
        .load_word(word_reg),
        .begins(commit),
        .step(step),
        .b(b_reg),
        .below(below),
        .t(t),
        .w(w),
        .depth(depth),
        .depth_next(depth_next),
        .push(x_push),
        .place(x_place),
        .last(x_last),
        .taken(taken),
        .target(x_target),
        .to_end(x_to_end),
        .trapped(trapped),
        .store(x_store),
        .store_sy(x_store_sy),
        .store_index(x_index),
        .clear_sy(x_clear),
        .send_sy(x_send_sy),
        .send_reads(send_reads),
        .send_index(count),
        .size_any(size_any),
        .size_last(size_last),
        .epoch(epoch_reg),
        .row_valid(row_valid),
        .row_data(m_axis_tdata),
        .row_last(m_axis_tlast)
    );

    assign m_axis_tvalid = row_valid && !trap_reg;
    assign m_axis_tkeep = {W/8{1'b1}};
    assign m_axis_tuser = {generation_reg, section_reg, 1'b0};
    assign evt_send     = m_axis_tvalid && m_axis_tready && m_axis_tlast;

`ifdef FORMAL
    // The depths of the stack at each address are a certificate, as the verifier computes them: the words fetched are
    // assumed to agree with it, and nothing else about the program.
    (* anyconst *) wire [((STACK_W+1)<<PROG_W)-1:0] depth_ref;

    reg               past_valid = 1'b0;
    reg  [PROG_W-1:0] r_pc_ref, o_pc_ref, x_pc_ref;     // of the words in R, O and X
    reg  [PROG_W-1:0] path_ref;                         // of the next word to be executed, or the end of the section
    reg               ended_ref;                        // a jump to the end was taken
    reg               dead_ref;                         // trapped, or nothing loaded
    reg               first_ref;                        // the next beat is the first one of a packet
    reg  [1:0]        kind_ref;                         // of the packet that arrives

    function [STACK_W:0] depth_at(input [PROG_W-1:0] address);
        depth_at = depth_ref[address*(STACK_W+1) +: STACK_W+1];
    endfunction

    wire              o_goto   = o_jump && word_reg[CONDITION_AT +: CONDITION_W] == CONDITION_NULL && word_reg[TWO_AT];
    wire [2:0]        o_delta  = literal ? 3'd1 : word_reg[DELTA_AT +: DELTA_W];
    wire [2:0]        o_pops   = literal ? 3'd0 : word_reg[POPS_AT +: POPS_W];
    wire [STACK_W:0]  o_depth  = depth_at(o_pc_ref);
    wire [STACK_W:0]  o_after  = o_depth + {{STACK_W-2{o_delta[2]}}, o_delta};
    wire [PROG_W-1:0] o_next   = o_pc_ref + 1'b1;
    wire [PROG_W-1:0] o_target = word_reg[PROG_W-1:0];
    wire [2:0]        o_less   = 3'd0 - o_delta;
    reg  [PROG_W-1:0] o_begin_ref, r_begin_ref, stop_ref;   // of a section: its first word, its end

    // the word in X, or the last one, leads to the end of its section
    wire leads_ref  = taken ? x_to_end : x_pc_ref + 1'b1 == stop_ref;
    wire rested_ref = ended_ref || path_ref == stop_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (s_axis_tvalid && s_axis_tready) first_ref <= s_axis_tlast;
        if (s_axis_tvalid && first_ref) kind_ref <= s_axis_tuser[2:1];
        if (rst) first_ref <= 1'b1;
        if (f_moves) begin
            r_pc_ref    <= at;
            r_begin_ref <= start;
        end
        if (r_moves) begin
            o_pc_ref    <= r_pc_ref;
            o_begin_ref <= r_begin_ref;
        end
        if (x_done) x_pc_ref <= o_pc_ref;
        if (x_valid_reg && x_done) begin
            path_ref  <= taken ? target : x_pc_ref + 1'b1;
            ended_ref <= taken && x_to_end;
        end
        if (commit) begin
            path_ref  <= o_begin_ref;
            stop_ref  <= stop_reg;
            ended_ref <= 1'b0;
        end
        if (rst || kill) dead_ref <= 1'b1;
        else if (swap) dead_ref <= !swap_run;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            // packets: what tuser says is constant over a packet
            if (!first_ref) assume (s_axis_tuser[2:1] == kind_ref);
            // a program that begins is not written, and its sections are not empty
            assume (!bound_en);
            if (turn) assume (depth_at(start) == 0);
            if (o_valid_reg) begin
                assume (o_depth >= o_pops && o_depth <= 1 << STACK_W && o_after <= 1 << STACK_W);
                assume (o_delta == 3'd1 || o_delta == 3'd0 || o_delta >= 3'd5);
                assume (!o_delta[2] || o_depth >= o_less);
                assume (o_goto || depth_at(o_next) == o_after);
                if (o_jump) assume (word_reg[END_AT] == (o_target == stop_ref));
                if (o_jump && !word_reg[END_AT]) assume (depth_at(o_target) == o_after);
            end
            if (!$past(rst)) begin
                // the depth is that of the certificate, so the stack never traps
                if (x_valid_reg) depth_agrees: assert (depth == depth_at(x_pc_ref));
                // a word is executed only if the one before it leads there: none after a jump that is taken
                if (x_valid_reg) path_next: assert (x_pc_ref == path_ref && !ended_ref);
                // a section ends only at its end
                if (commit && active_reg) path_end: assert (x_valid_reg ? leads_ref : rested_ref);
                // a program that was trapped does nothing until the next one is loaded
                if (dead_ref) path_dead: assert (!running_reg && !x_valid_reg && !m_axis_tvalid && !commit && !ends);
                // rows wait unchanged
                if ($past(m_axis_tvalid && !m_axis_tready))
                    path_waits: assert (m_axis_tvalid && $stable(m_axis_tdata) && $stable(m_axis_tlast)
                                        && $stable(m_axis_tuser));
            end
        end
        cover (past_valid && x_valid_reg && taken && o_valid_reg);
        cover (past_valid && x_valid_reg && $past(taken && !x_to_end, 3));
        cover (past_valid && taken && x_to_end && turn);
        cover (past_valid && evt_send);
        cover (past_valid && evt_bad);
        cover (past_valid && (DROP != 0 ? evt_dropped : s_axis_tvalid && !s_axis_tready));
        cover (past_valid && evt_trap);
        cover (past_valid && swap && $past(dead_ref) == 0);
        cover (past_valid && commit && active_reg);
    end

`endif

endmodule

`default_nettype wire
