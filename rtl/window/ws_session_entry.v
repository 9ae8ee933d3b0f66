// SPDX-License-Identifier: Apache-2.0
//
// ws_session_entry: the entry of a query with session windows. It maintains the watermark of a stream, drops late
// tuples, announces the end of every session with a punctuation as the watermark reaches it, and admits only what the
// query's output has room for.
//
// The watermark is initially START, or 0, and then that of ws_watermark, which also determines the tuples that are late
// (dropped, evt_late) or ahead. Tuples that are not selected move the watermark and go no further: the sessions depend
// on the selection, so the query's condition is computed upstream. A session ends GAP after its last time; its end is
// announced before the item that makes the watermark reach it.
// GAP + SLACK, MAX_AHEAD and START are at most 2**(WATTR_W - 1) - 1, and 2**62 where WATTR_W is above 63. A value of
// more than 31 bits is a literal with a width and a sign, such as 64'sd10000000000.
// A START item begins a new session of the sender: open session windows are counted, one evt_discarded each, then
// m_restart resets the query for one cycle. By then everything sent before has reached the output FIFO.
// `quiet` says that no item is inside or in flight to the output FIFO: a change at the end of such a cycle falls
// between two tuples.
//
// Parameters   DATA_W        width of the tuple in bits, at least 1
//              WATTR_LSB     lowest bit of the windowing attribute in the tuple, 0 to DATA_W - WATTR_W
//              WATTR_W       width of the windowing attribute in bits, 1 to DATA_W
//              WATTR_SIGNED  1: the attribute is signed; 0: unsigned
//              GAP           tuples less than this apart belong to one session, in units of the windowing attribute, at
//                            least 1
//              SLACK         how late a tuple may be, in units of the windowing attribute, at least 0
//              START         initial watermark, at least -1; -1 takes it from the first item
//              MAX_AHEAD     how far above the watermark a tuple may be, at least 0; 0: any; otherwise at least SLACK +
//                            GAP
//              RESYNC        tuples ahead in a row that move the watermark, 1 to 255
//              LATENCY, CLOSE_CYCLES, RESET_CYCLES, CLOSE_PLACES, ROOM_W  see ws_gate; of the query downstream, which
//                            is reset by m_restart and by rst
// Items        s_kind 0 tuple, 1 a sender's punctuation in the attribute's field, 2 START; s_selected is for tuples
// Latency      8 cycles from s to m for a tuple that closes no session
// Issue rate   1 tuple a cycle; one that closes n sessions costs at most n * CLOSE_CYCLES more cycles, one that is
//              ahead 4; a START item 4, and the time until entry and query are quiet
// Overflow     cannot happen: s_ready falls. Attributes are compared in WATTR_W + 2 bits and never wrap
// Source       session windows as in Akidau et al., PVLDB 8(12), 2015; the rules of time are those of ws_punctuator

`default_nettype none

module ws_session_entry #(
    parameter DATA_W       = 128,
    parameter WATTR_LSB    = 0,
    parameter WATTR_W      = 32,
    parameter WATTR_SIGNED = 1,
    parameter GAP          = 30,
    parameter SLACK        = 60,
    parameter START        = -1,
    parameter MAX_AHEAD    = 0,
    parameter RESYNC       = 16,
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
    output wire              evt_ahead,
    output wire              evt_resync,
    output reg               evt_discarded
);

    initial if (DATA_W < 1 || WATTR_LSB < 0 || WATTR_LSB > DATA_W - WATTR_W || WATTR_W < 1 || WATTR_W > DATA_W
                || (WATTR_SIGNED != 0 && WATTR_SIGNED != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), WATTR_LSB = %0d (0 to DATA_W - WATTR_W), ",
                 DATA_W, WATTR_LSB, "WATTR_W = %0d (1 to DATA_W), WATTR_SIGNED = %0d (0 or 1)", WATTR_W, WATTR_SIGNED);
        $finish;
    end

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_GAP       = GAP;
    localparam signed [63:0] L_SLACK     = SLACK;
    localparam signed [63:0] L_MAX_AHEAD = MAX_AHEAD;
    localparam signed [63:0] L_START     = $signed(START);

    initial if (L_START < -64'sd1) begin
        $display("ERROR: %m: START = %0d (at least -1)", L_START);
        $finish;
    end

    // Width of times: an attribute plus or minus any of the parameters fits.
    localparam T_W    = WATTR_W + 2;
    localparam TIME_W = WATTR_W + 1;     // of a session, which is not negative
    localparam integer SLOTS = L_SLACK > 0 ? (L_SLACK - 64'sd1)/L_GAP + 64'sd2 : 64'sd1;
    localparam signed [T_W-1:0] T_ZERO  = 0;
    localparam signed [T_W-1:0] T_GIVEN = L_START;
    localparam signed [T_W-1:0] T_START = L_START < 0 ? T_ZERO : T_GIVEN;

    // The most that GAP and SLACK together, MAX_AHEAD and START may be: then any sum of times fits T_W bits.
    localparam signed [63:0] LARGEST = WATTR_W > 63 ? 64'sd1 << 62 : (64'sd1 << (WATTR_W - 1)) - 64'sd1;

    initial begin
        if (L_GAP < 1 || L_SLACK < 0) begin
            $display("ERROR: %m: GAP = %0d must be at least 1, SLACK = %0d at least 0", GAP, SLACK);
            $finish;
        end
        if (L_MAX_AHEAD != 0 && L_MAX_AHEAD < L_SLACK + L_GAP) begin
            $display("ERROR: %m: MAX_AHEAD = %0d, must be 0 or at least SLACK + GAP = %0d",
                     L_MAX_AHEAD, L_SLACK + L_GAP);
            $finish;
        end
        if (L_SLACK > LARGEST || L_GAP > LARGEST - L_SLACK || L_MAX_AHEAD > LARGEST || L_START > LARGEST) begin
            $display("ERROR: %m: GAP + SLACK, MAX_AHEAD and START must each be at most %0d", LARGEST);
            $finish;
        end
    end

    // ---- The item at the input, judged by the watermark

    localparam [2:0] STATE_BEGIN = 3'd0, STATE_AGAIN = 3'd1, STATE_RUN = 3'd2, STATE_DISCARD = 3'd3,
                     STATE_RESTART = 3'd4, STATE_FINISH = 3'd5;

    reg  [2:0]            state_reg;
    wire                  valid, plain, is_tuple, selected, late, ahead, empty;
    wire [DATA_W-1:0]     data;
    wire signed [T_W-1:0] attr, mark;
    wire                  accept;          // the item leaves; a late one goes no further

    wire running = state_reg == STATE_RUN && plain;
    wire finish  = state_reg == STATE_FINISH;
    wire ready;                            // the next stage has room

    assign accept = running && !ahead && ready;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_watermark #(
        .DATA_W(DATA_W + 1), .WATTR_LSB(WATTR_LSB), .WATTR_W(WATTR_W), .WATTR_SIGNED(WATTR_SIGNED),
        .SLACK(SLACK), .MAX_AHEAD(MAX_AHEAD), .RESYNC(RESYNC)
    ) watermark (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data({s_selected, s_data}), .s_kind(s_kind),
        .valid(valid), .plain(plain), .tuple(is_tuple), .data({selected, data}), .attr(attr), .mark(mark),
        .late(late), .ahead(ahead), .take(), .next_attr(), .next_mark(), .resync(), .empty(empty),
        .run(state_reg == STATE_RUN), .accept(accept), .drop(finish),
        .begins(state_reg == STATE_BEGIN), .start(T_START), .again(state_reg == STATE_AGAIN),
        .evt_ahead(evt_ahead), .evt_resync(evt_resync)
    );

    // ---- Items that count, between the judgement and the sessions: neither depends on the other's decision

    wire                  come_valid, come_ready, come_adds;
    wire [DATA_W-1:0]     come_data;
    wire [TIME_W-1:0]     come_at;
    wire signed [T_W-1:0] come_mark;

    ws_skid_buffer #(.DATA_W(1 + DATA_W + TIME_W + T_W)) judged (
        .clk(clk), .rst(rst),
        .s_valid(accept && !late), .s_ready(ready), .s_data({is_tuple && selected, data, attr[TIME_W-1:0], mark}),
        .m_valid(come_valid), .m_ready(come_ready), .m_data({come_adds, come_data, come_at, come_mark})
    );

    // ---- Ends of sessions: an item is added to a session once the ends that it causes have been announced

    wire              may_punct, idle, open, due;
    wire [TIME_W-1:0] end_first;
    wire              unused = &{1'b0, attr[T_W-1], end_first[TIME_W-1]};    // not needed
    reg               far_reg, near_reg, there_reg;                // the stage holds an item
    reg               far_adds_reg, near_adds_reg, adds_reg;       // it is a tuple, and selected
    reg  [DATA_W-1:0] far_data_reg, near_data_reg, there_data_reg;
    reg               discarding_reg;

    wire send_tuple = adds_reg && !due;
    wire send_punct = due && may_punct;
    wire behind     = come_valid || far_reg || near_reg || there_reg;
    wire discard    = discarding_reg && open;

    // Without an item the mark is negative, so that nothing is due, and `due` alone says that an item waits.
    wire [T_W-1:0] come_asks = come_mark | {T_W{!come_valid}};

    assign come_ready = !due;

    always @(posedge clk) begin
        if (come_ready) begin
            {there_reg, near_reg, far_reg}                <= {near_reg, far_reg, come_valid};
            {adds_reg, near_adds_reg, far_adds_reg}       <= {near_adds_reg, far_adds_reg, come_valid && come_adds};
            {there_data_reg, near_data_reg, far_data_reg} <= {near_data_reg, far_data_reg, come_data};
        end
        discarding_reg <= state_reg == STATE_DISCARD && !behind;
        if (rst) {there_reg, near_reg, far_reg, adds_reg, near_adds_reg, far_adds_reg} <= 6'd0;
    end

    ws_session_slots #(.TIME_W(TIME_W), .GAP(L_GAP), .SLACK(L_SLACK), .SLOTS(SLOTS)) sessions (
        .clk(clk), .rst(rst),
        .move(come_ready), .at(come_at), .mark(come_asks),
        .add(send_tuple), .close(send_punct || discard), .closing(due || discarding_reg),
        .rise(), .fall(), .merge(), .take(), .begins(),
        .open(open), .due(due), .end_first(end_first)
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
            STATE_BEGIN:   state_reg <= STATE_AGAIN;
            STATE_AGAIN:   state_reg <= STATE_RUN;
            STATE_RUN:     if (valid && !plain) state_reg <= STATE_DISCARD;
            STATE_DISCARD: if (discarding_reg && !open) state_reg <= STATE_RESTART;
            STATE_RESTART: if (may_punct && idle) state_reg <= STATE_FINISH;
            default:       state_reg <= STATE_BEGIN;
        endcase
        if (rst) state_reg <= STATE_BEGIN;
    end

    // ---- Output registers

    always @(posedge clk) begin
        m_valid   <= send_tuple && !rst;
        m_punct   <= send_punct && !rst;
        m_restart <= finish && !rst;
        m_data    <= there_data_reg;
        if (send_punct) m_data[WATTR_LSB +: WATTR_W] <= end_first[WATTR_W-1:0];
        quiet     <= empty && !behind && idle && !rst;

        evt_late      <= accept && late && !rst;
        evt_discarded <= discard && !rst;
    end

    assign m_eos = 1'b0;

endmodule

`default_nettype wire
