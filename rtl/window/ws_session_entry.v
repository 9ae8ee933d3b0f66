// SPDX-License-Identifier: Apache-2.0
//
// ws_session_entry: the entry of a query with session windows. It keeps the watermark of a stream, drops what is late,
// announces the end of every session by a punctuation as the watermark reaches it, and lets in only what the query's
// output has room for.
//
// The watermark is at first START, or 0, then the largest attribute accepted minus SLACK or a sender's punctuation; it
// never falls. A tuple below it is late: dropped, evt_late. Tuples that are not selected move the watermark and go no
// further: which sessions there are depends on it, so the query's condition is computed in front. A session ends GAP
// behind its last time, and that is announced before the item that makes the watermark reach it.
// A START item begins anew: sessions that are open are counted, one evt_discarded each, then m_restart resets the query
// for one cycle. By then everything sent before has reached the output FIFO.
// `quiet` says that no item is inside, and nothing on its way to the output FIFO: what changes with the end of such a
// cycle changes between two tuples.
//
// Parameters   DATA_W, WATTR_LSB, WATTR_W   the tuple and the windowing attribute in it, in bits
//              WATTR_SIGNED                 1: the attribute is signed; 0: unsigned
//              GAP, SLACK                   in units of the attribute; GAP at least 1
//              START                        -1: none; else not negative
//              LATENCY, CLOSE_CYCLES, RESET_CYCLES, CLOSE_PLACES, ROOM_W   of the query behind, see ws_gate; it is
//                                           reset by m_restart and by rst
// Items        s_kind 0 tuple, 1 a sender's punctuation in the attribute's field, 2 START; s_selected is a tuple's
// Latency      3 cycles from s to m for a tuple that closes no session
// Issue rate   1 tuple a cycle; one that closes n sessions costs n * CLOSE_CYCLES cycles more at most
// Overflow     cannot happen: s_ready falls. Attributes are compared in WATTR_W + 2 bits and never wrap
// Source       session windows as of Akidau et al., PVLDB 8(12), 2015; the rules of time are those of ws_punctuator

`default_nettype none

module ws_session_entry #(
    parameter DATA_W       = 128,
    parameter WATTR_LSB    = 0,
    parameter WATTR_W      = 32,
    parameter WATTR_SIGNED = 1,
    parameter GAP          = 30,
    parameter SLACK        = 60,
    parameter START        = -1,
    parameter LATENCY      = 8,
    parameter CLOSE_CYCLES = 2,
    parameter RESET_CYCLES = 1,
    parameter CLOSE_PLACES = 2,
    parameter ROOM_W       = 8
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [1:0]        s_kind,
    input  wire              s_selected,

    output reg               m_valid,
    output reg               m_punct,
    output wire              m_eos,
    output reg  [DATA_W-1:0] m_data,
    output reg               m_restart,

    input  wire [ROOM_W-1:0] room,       // free places of the output FIFO
    output reg               quiet,

    output reg               evt_late,
    output reg               evt_discarded
);

    localparam [1:0] KIND_TUPLE = 2'd0, KIND_START = 2'd2;

    // Times, wide enough for an attribute plus or minus any of the parameters.
    localparam T_W    = WATTR_W + 2;
    localparam TIME_W = WATTR_W + 1;     // of a session, which is not negative
    localparam SLOTS  = SLACK > 0 ? (SLACK - 1)/GAP + 2 : 1;
    localparam [TIME_W-1:0]     T_GAP   = GAP;
    localparam signed [T_W-1:0] T_SLACK = SLACK;
    localparam signed [T_W-1:0] T_ZERO  = 0;
    localparam signed [T_W-1:0] T_GIVEN = START;
    localparam signed [T_W-1:0] T_START = START < 0 ? T_ZERO : T_GIVEN;

    localparam LARGEST = WATTR_W > 31 ? 2147483647 : (1 << (WATTR_W - 1)) - 1;  // attribute, as far as parameters go

    initial begin
        if (GAP < 1 || SLACK < 0) begin
            $display("ERROR: %m: GAP = %0d must be at least 1, SLACK = %0d at least 0", GAP, SLACK);
            $finish;
        end
        if (WATTR_LSB + WATTR_W > DATA_W || GAP > LARGEST - SLACK || START < -1 || START > LARGEST) begin
            $display("ERROR: %m: the attribute is outside of the tuple, or a parameter is too large for it");
            $finish;
        end
    end

    // ---- Entry: s_ready is a register

    wire              in_valid, in_ready, in_selected;
    wire [DATA_W-1:0] in_data;
    wire [1:0]        in_kind;

    ws_skid_buffer #(.DATA_W(DATA_W + 3)) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data({s_selected, s_kind, s_data}),
        .m_valid(in_valid), .m_ready(in_ready), .m_data({in_selected, in_kind, in_data})
    );

    // ---- Stage 1: what the item's attribute would make of the watermark, and of a session

    wire                  in_sign = WATTR_SIGNED != 0 && in_data[WATTR_LSB + WATTR_W - 1];
    wire signed [T_W-1:0] in_attr = {{2{in_sign}}, in_data[WATTR_LSB +: WATTR_W]};

    reg                   valid_reg, plain_reg;    // plain: a tuple or a punctuation
    reg                   tuple_reg, selected_reg;
    reg  [DATA_W-1:0]     data_reg;
    reg  signed [T_W-1:0] attr_reg;
    reg  signed [T_W-1:0] mark_reg;                // the watermark that the item asks for
    reg  [TIME_W-1:0]     end_reg;                 // of a session whose last tuple it is
    wire                  consume;                 // the item leaves

    assign in_ready = !valid_reg || consume;

    always @(posedge clk) begin
        if (in_ready) begin
            valid_reg    <= in_valid;
            plain_reg    <= in_kind != KIND_START;
            tuple_reg    <= in_kind == KIND_TUPLE;
            selected_reg <= in_selected;
            data_reg     <= in_data;
            attr_reg     <= in_attr;
            mark_reg     <= in_attr - (in_kind == KIND_TUPLE ? T_SLACK : T_ZERO);
            end_reg      <= in_attr[TIME_W-1:0] + T_GAP;
        end
        if (rst) valid_reg <= 1'b0;
    end

    // ---- Stage 2: the item is judged, sessions end

    localparam [1:0] STATE_RUN = 2'd0, STATE_DISCARD = 2'd1, STATE_RESTART = 2'd2, STATE_FINISH = 2'd3;

    reg  [1:0]            state_reg;
    reg  signed [T_W-1:0] watermark_reg;
    wire                  may_punct, idle, open;
    wire [TIME_W-1:0]     end_first;

    wire running    = state_reg == STATE_RUN && valid_reg && plain_reg;
    wire late       = tuple_reg && attr_reg < watermark_reg;
    wire due        = open && $signed({1'b0, end_first}) <= mark_reg;
    wire accept     = running && !late && !due;
    wire send_tuple = accept && tuple_reg && selected_reg;
    wire send_punct = running && !late && due && may_punct;
    wire discard    = state_reg == STATE_DISCARD && open;
    wire finish     = state_reg == STATE_FINISH;

    assign consume = accept || (running && late) || finish;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_session_slots #(.TIME_W(TIME_W), .GAP(GAP), .SLACK(SLACK), .SLOTS(SLOTS)) sessions (
        .clk(clk), .rst(rst),
        .add(send_tuple), .close(send_punct || discard), .at(attr_reg[TIME_W-1:0]), .at_end(end_reg),
        .rise(), .fall(), .merge(), .take(), .begins(),
        .open(open), .end_first(end_first)
    );

    ws_gate #(
        .LATENCY(LATENCY), .CLOSE_CYCLES(CLOSE_CYCLES), .RESET_CYCLES(RESET_CYCLES),
        .CLOSE_PLACES(CLOSE_PLACES), .TUPLE_PLACES(0), .ROOM_W(ROOM_W)
    ) gate (
        .clk(clk), .rst(rst),
        .sent_punct(send_punct), .sent_tuple(send_tuple), .restart(finish), .room(room),
        .may_punct(may_punct), .may_tuple(), .idle(idle)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    always @(posedge clk) begin
        case (state_reg)
            STATE_RUN:     if (valid_reg && !plain_reg) state_reg <= STATE_DISCARD;
            STATE_DISCARD: if (!open) state_reg <= STATE_RESTART;
            STATE_RESTART: if (may_punct && idle) state_reg <= STATE_FINISH;
            default:       state_reg <= STATE_RUN;
        endcase
        if (accept && mark_reg > watermark_reg) watermark_reg <= mark_reg;
        if (finish || rst) watermark_reg <= T_START;
        if (rst) state_reg <= STATE_RUN;
    end

    // ---- Output registers

    always @(posedge clk) begin
        m_valid   <= send_tuple && !rst;
        m_punct   <= send_punct && !rst;
        m_restart <= finish && !rst;
        m_data    <= data_reg;
        if (send_punct) m_data[WATTR_LSB +: WATTR_W] <= end_first[WATTR_W-1:0];
        quiet     <= !in_valid && !valid_reg && idle && !rst;

        evt_late      <= running && late && !rst;
        evt_discarded <= discard && !rst;
    end

    assign m_eos = 1'b0;

endmodule

`default_nettype wire
