// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_loader: loads programs from the network into a query machine, starts and stops them.
//
// docs/machine.md has the datagrams, the checks and their order. A request that passes all of them changes its slot
// between two tuples; every other one changes nothing. Programs are written into the bank that does not run.
//
//     datagrams ─> collect ─> check: CRC-32, tag ─> translate ─> bank of the program RAM ─> swap ─> reply
//
// Ports        s_axis    datagrams of the loader's port, with the tuser of udp_ip_stack in bits 112:0
//              m_axis    replies, tuser as udp_tx takes it
//              key, has_key, nonce   of ws_qm_secrets; they must not change while `busy` is high
//              local_ip  of the board, which is part of the tag
//              slot      of the request: prog_*, bound_*, swap_* are for it, and `running`, `epoch` and `offset` are those
//                        of it, 1 cycle after it changes. Offset: µs until its next delivery by the period, or 0
//              prog_*, bound_*, swap_*   as of ws_qm_core. swap_period, swap_start: of the program's header
// Parameters   SLOTS   see ws_qm_collect
//              CODE_W  see ws_qm_collect
//              PROG_W  see ws_qm_translate
//              OPEN    0: nothing is loaded without a key; 1: with no key everything is
// Latency      5 cycles from the last byte of a status to the first byte of its reply; of the last fragment of a program
//              to swap_valid 2, with those of ws_qm_check and ws_qm_translate; from swap_ready to the reply 2
// Issue rate   1 datagram at a time; while it is carried out the next one waits in s_axis
// Overflow     s_axis stalls: a FIFO before it may drop datagrams, and their senders repeat them
// Bad input    evt_refused has a bit for each refusal of loading.yml, in its order: one is high for one cycle
// Source       R. Mueller, ETH 19163, section 3.2.9

`default_nettype none

module ws_qm_loader #(
    parameter SLOTS  = 1,
    parameter CODE_W = 8,
    parameter PROG_W = 9,
    parameter OPEN   = 0
) (
    input  wire              clk,
    input  wire              rst,

    input  wire [7:0]        s_axis_tdata,
    input  wire              s_axis_tkeep,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire              s_axis_tlast,
    input  wire [112:0]      s_axis_tuser,

    output wire [7:0]        m_axis_tdata,
    output wire              m_axis_tkeep,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire              m_axis_tlast,
    output wire [64:0]       m_axis_tuser,

    input  wire [127:0]      key,
    input  wire              has_key,
    input  wire [63:0]       nonce,
    output wire              busy,
    input  wire [31:0]       local_ip,

    output wire [7:0]        slot,
    input  wire              running,
    input  wire [31:0]       epoch,
    input  wire [31:0]       offset,

    output wire              prog_en,
    output wire [PROG_W-1:0] prog_addr,
    output wire [35:0]       prog_data,
    output wire              bound_en,
    output wire [2:0]        bound_addr,
    output wire [PROG_W-1:0] bound_data,
    output wire              swap_valid,
    input  wire              swap_ready,
    output wire              swap_run,
    output wire              swap_bank,
    output wire [6:0]        swap_flags,
    output wire [7:0]        swap_generation,
    output wire [15:0]       swap_period,
    output wire [15:0]       swap_start,

    output reg  [12:0]       evt_refused,
    output reg               evt_done,                  // a request has changed its slot
    output reg               evt_replaced,              // and it ended a program that ran
    output wire              evt_abandoned              // see ws_qm_collect
);

    initial if (OPEN != 0 && OPEN != 1) begin
        $display("ERROR: %m: OPEN = %0d (0 or 1)", OPEN);
        $finish;
    end

    `include "ws_loading.vh"

    localparam       LAST    = HEADER_BYTES - 1;
    localparam [7:0] REFUSAL = RESULT_BAD_LENGTH;       // the first one
    localparam       SLOT_W  = SLOTS > 2 ? $clog2(SLOTS) : 1;
    localparam       HELD_W  = 105;                     // of a slot: generation, CRC, bank, run, flags, period, start
    localparam [2:0] STATE_WAIT = 3'd0, STATE_CHECK = 3'd1, STATE_VERDICT = 3'd2, STATE_WRITE = 3'd3, STATE_SWAP = 3'd4,
                     STATE_NOTE = 3'd5, STATE_REPLY = 3'd6;

`ifdef FORMAL
    wire               coding_ref, skipping_ref, under_way_ref;
    wire [CODE_W+2:0]  word_ref;
`endif
    reg  [2:0]         state_reg;
    wire               judged;                          // a datagram is being carried out

    assign busy = judged;

    // ---------------------------------------------------------------------------------------------------------------
    // Slots

    reg  [SLOTS-1:0]   loaded_reg;
    reg                is_loaded_reg;                   // this slot
    wire [31:0]        current, last_crc;
    wire               bank, run;
    wire [6:0]         flags;
    wire [15:0]        period, start;
    wire               note = state_reg == STATE_NOTE;
    wire [HELD_W-1:0]  noted;
    wire [31:0]        held_current;

    assign current = held_current & {32{is_loaded_reg}};

    generate
        if (SLOTS == 1) begin : gen_one
            reg [HELD_W-1:0] held_reg;
            always @(posedge clk)
                if (rst) held_reg <= {HELD_W{1'b0}};
                else if (note) held_reg <= noted;
            assign {held_current, last_crc, bank, run, flags, period, start} = held_reg;
            always @(posedge clk) is_loaded_reg <= loaded_reg[0] && slot == 8'd0;
        end else begin : gen_several
            wire [HELD_W-1:0] held;
            wire              held_bank;
            assign {held_current, last_crc, held_bank, run, flags, period, start} = held;
            assign bank    = held_bank && is_loaded_reg;
            ws_ram_sdp #(.DATA_W(HELD_W), .ADDR_W(SLOT_W), .OUTPUT_REG(0), .STYLE("distributed")) slots (
                .clk(clk),
                .wr_en(note), .wr_addr(slot[SLOT_W-1:0]), .wr_data(noted),
                .rd_en(!note), .rd_addr(slot[SLOT_W-1:0]), .rd_data(held)
            );
            always @(posedge clk) is_loaded_reg <= {24'd0, slot} < SLOTS && loaded_reg[slot[SLOT_W-1:0]];
        end
    endgenerate

    // ---------------------------------------------------------------------------------------------------------------
    // Datagrams

    wire               whole, reply_taken;
    wire [7:0]         collected;                       // result
    wire [15:0]        missing;
    /* verilator lint_off UNUSEDSIGNAL */               // the fragment, and bits of lengths and flags
    wire [287:0]       header;
    /* verilator lint_on UNUSEDSIGNAL */
    wire [CODE_W:0]    size, rd_addr, check_addr, translate_addr;
    wire [63:0]        sender;
    wire [7:0]         rd_data;
    wire               silent;

    wire [7:0]         kind       = header[8*(LAST-AT_KIND) +: 8];
    wire [31:0]        generation = header[8*(LAST-AT_GENERATION-3) +: 32];
    wire [31:0]        crc        = header[8*(LAST-AT_CRC-3) +: 32];
    wire               is_load    = kind == KIND_LOAD;

    ws_qm_collect #(.SLOTS(SLOTS), .CODE_W(CODE_W)) collect (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .locked(!has_key && OPEN == 0), .slot(slot), .current(current), .crc(last_crc), .loaded(is_loaded_reg),
        .m_valid(judged), .m_ready(reply_taken), .whole(whole), .result(collected), .missing(missing),
        .header(header), .size(size), .sender(sender),
        .rd_addr(rd_addr), .rd_data(rd_data),
        .evt_abandoned(evt_abandoned)
`ifdef FORMAL
        , .coding(coding_ref), .skipping(skipping_ref)
`endif
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Check and translation

    wire               begins = state_reg == STATE_WAIT && judged && whole;
    wire               is_code, checked, good_crc, good_tag, written, understood;
    reg                bad_crc_reg, bad_tag_reg;
    wire               writes = state_reg == STATE_VERDICT && is_load && !bad_crc_reg && !bad_tag_reg;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [7:0]         unused_byte;
    /* verilator lint_on UNUSEDSIGNAL */

    assign rd_addr = state_reg == STATE_CHECK ? check_addr : translate_addr;

    ws_qm_check #(.CODE_W(CODE_W)) check (
        .clk(clk), .rst(rst), .start(begins),
        .key(key), .address(local_ip), .nonce(nonce), .size(size), .crc(crc), .tag(header[8*(LAST-AT_TAG-7) +: 64]),
        .rd_addr(check_addr), .rd_data(rd_data), .m_code(is_code), .m_byte(unused_byte),
        .done(checked), .good_crc(good_crc), .good_tag(good_tag)
    );

    ws_qm_translate #(.CODE_W(CODE_W), .PROG_W(PROG_W)) translate (
        .clk(clk), .rst(rst), .clear(begins), .s_code(is_code && state_reg == STATE_CHECK),
        .start(writes), .bank(!bank),
        .init(header[8*(LAST-AT_INIT-1) +: CODE_W+1]), .delivery(header[8*(LAST-AT_DELIVERY-1) +: CODE_W+1]),
        .reception(header[8*(LAST-AT_RECEPTION-1) +: CODE_W+1]),
        .rd_addr(translate_addr), .rd_data(rd_data),
        .prog_en(prog_en), .prog_addr(prog_addr), .prog_data(prog_data),
        .bound_en(bound_en), .bound_addr(bound_addr), .bound_data(bound_data),
        .done(written), .good(understood)
`ifdef FORMAL
        , .under_way(under_way_ref), .word(word_ref)
`endif
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Swap

    wire               has_init      = header[8*(LAST-AT_INIT-1) +: 16] != 16'd0;
    wire               has_reception = header[8*(LAST-AT_RECEPTION-1) +: 16] != 16'd0;

    assign swap_valid      = state_reg == STATE_SWAP;
    assign swap_run        = kind != KIND_STOP;
    assign swap_bank       = bank ^ is_load;
    assign swap_flags      = is_load ? {has_reception, header[8*(LAST-AT_FLAGS-1)+1 +: 5], has_init} : flags;
    assign swap_generation = generation[7:0];
    assign swap_period     = is_load ? header[8*(LAST-AT_PERIOD-1) +: 16] : period;
    assign swap_start      = is_load ? header[8*(LAST-AT_START-1) +: 16] : start;
    assign noted           = {generation, crc, swap_bank, swap_run, swap_flags, swap_period, swap_start};

    // ---------------------------------------------------------------------------------------------------------------
    // Replies

    reg  [7:0]         result_reg;
    reg  [5:0]         at_reg;
    wire [7:0]         slot_state = !is_loaded_reg ? SLOT_EMPTY : !run ? SLOT_STOPPED
                                  : running ? SLOT_RUNNING : SLOT_TRAPPED;
    wire [7:0]         slots_byte = SLOTS[7:0];
    wire [287:0]       reply      = {header[287:248], kind | ANSWER, header[239:200], result_reg, slot_state, slots_byte,
                                     missing, current, epoch, offset, nonce};
    wire               reply_ends = m_axis_tvalid && m_axis_tready && m_axis_tlast;

    assign silent        = result_reg >= REFUSAL && result_reg <= RESULT_BAD_VERSION;
    assign m_axis_tvalid = state_reg == STATE_REPLY && !silent;
    assign m_axis_tdata  = reply[8*(REPLY_BYTES-1-at_reg) +: 8];
    assign m_axis_tkeep  = 1'b1;
    assign m_axis_tlast  = at_reg == REPLY_BYTES - 1;
    assign m_axis_tuser  = {sender, 1'b0};
    assign reply_taken   = state_reg == STATE_REPLY && (silent || reply_ends);

    // ---------------------------------------------------------------------------------------------------------------
    // Order of the work

    wire [7:0] outcome = state_reg == STATE_WAIT ? collected : bad_crc_reg ? RESULT_BAD_CRC : bad_tag_reg ? RESULT_BAD_TAG
                       : is_load ? RESULT_BAD_CODE : RESULT_NO_PROGRAM;
    wire       refuses = (state_reg == STATE_WAIT && judged && !whole && collected >= REFUSAL)
                       || (state_reg == STATE_VERDICT && (bad_crc_reg || bad_tag_reg || (!is_load && !is_loaded_reg)))
                       || (state_reg == STATE_WRITE && written && !understood);

    always @(posedge clk) begin
        evt_refused  <= 13'd0;
        evt_done     <= note;
        evt_replaced <= note && is_loaded_reg && run && running;
        if (m_axis_tvalid && m_axis_tready) at_reg <= m_axis_tlast ? 6'd0 : at_reg + 6'd1;
        case (state_reg)
            STATE_WAIT: if (judged) begin
                result_reg <= collected;
                state_reg  <= whole ? STATE_CHECK : STATE_REPLY;
            end
            STATE_CHECK: if (checked) begin
                bad_crc_reg <= !good_crc;
                bad_tag_reg <= has_key && !good_tag;
                state_reg   <= STATE_VERDICT;
            end
            STATE_VERDICT: state_reg <= is_load ? STATE_WRITE : STATE_SWAP;
            STATE_WRITE: if (written) state_reg <= STATE_SWAP;
            STATE_SWAP: if (swap_ready) state_reg <= STATE_NOTE;
            STATE_NOTE: begin
                loaded_reg[slot[SLOT_W-1:0]] <= 1'b1;
                state_reg <= STATE_REPLY;
            end
            default: if (reply_taken) state_reg <= STATE_WAIT;
        endcase
        if (refuses) begin
            state_reg  <= STATE_REPLY;
            result_reg <= outcome;
            evt_refused[outcome[3:0]] <= 1'b1;
        end
        if (rst) begin
            state_reg    <= STATE_WAIT;
            loaded_reg   <= {SLOTS{1'b0}};
            at_reg       <= 6'd0;
            evt_refused  <= 13'd0;
            evt_done     <= 1'b0;
            evt_replaced <= 1'b0;
        end
    end

`ifdef FORMAL
    // No row mixes two generations: what is written is in the bank that does not run; at a swap to it, all its words
    // up to its last bound have been written since the last swap, in order, of the generation that is swapped in.
    reg               past_valid = 1'b0;
    reg               active_ref;               // the bank of the last swap
    reg  [7:0]        generation_ref;           // of what is written
    reg  [CODE_W+2:0] count_ref;                // words of it
    reg               whole_ref;                // and its last bound
    reg               waits_ref;
    reg  [48:0]       swap_ref;
    wire [48:0]       swap = {swap_run, swap_bank, swap_flags, swap_generation, swap_period, swap_start};
    wire              carried = state_reg == STATE_CHECK || state_reg == STATE_VERDICT || state_reg == STATE_WRITE
                                || state_reg == STATE_SWAP || state_reg == STATE_NOTE;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        if (past_valid) assume (key == $past(key));

        if (swap_valid && swap_ready) active_ref <= swap_bank;
        if (writes) begin
            generation_ref <= generation[7:0];
            count_ref      <= 0;
            whole_ref      <= 1'b0;
        end else begin
            if (prog_en) count_ref <= count_ref + 1'b1;
            if (bound_en && bound_addr[1:0] == 2'd3) whole_ref <= 1'b1;
        end
        waits_ref <= swap_valid && !swap_ready && !rst;
        swap_ref  <= swap;
        if (rst) active_ref <= 1'b0;

        if (past_valid && !rst) begin
            if (prog_en) assert (prog_addr[PROG_W-1] != active_ref && !swap_valid);
            if (bound_en) assert (bound_addr[2] != active_ref && !swap_valid);
            if (prog_en) assert (prog_addr[PROG_W-2:0] == count_ref[PROG_W-2:0]);
            if (bound_en) assert (bound_data[PROG_W-2:0] == count_ref[PROG_W-2:0] && !prog_en);
            if (swap_valid) assert ((swap_bank != active_ref) == (kind == KIND_LOAD));
            if (swap_valid && swap_bank != active_ref) assert (whole_ref && swap_generation == generation_ref);
            if (waits_ref) assert (swap_valid && swap == swap_ref);

            // invariants for the induction
            if (state_reg != STATE_WAIT) assert (judged);
            if (carried) assert (whole);
            if (skipping_ref) assert (!whole && state_reg == STATE_WAIT);
            if ((coding_ref || (judged && whole)) && state_reg != STATE_REPLY)
                assert (slot == 8'd0 && is_loaded_reg == loaded_reg[0]);
            if (coding_ref) assert (state_reg == STATE_WAIT);
            if (under_way_ref) assert (state_reg == STATE_WRITE && is_load);
            if (state_reg == STATE_WRITE) assert (is_load);
            if (under_way_ref && (!written || understood)) assert (word_ref == count_ref + prog_en);
            if (prog_en || bound_en) assert (under_way_ref);
            if (written && understood) assert (bound_en && bound_addr[1:0] == 2'd3);
            if (state_reg == STATE_WRITE || (state_reg == STATE_SWAP && is_load))
                assert (generation_ref == generation[7:0]);
            if (state_reg == STATE_SWAP && is_load) assert (whole_ref);
            if (note) assert (swap_bank == active_ref);
            else assert (active_ref == bank);
        end
        cover (past_valid && evt_refused[0]);
    end
`endif

endmodule

`default_nettype wire
