// SPDX-License-Identifier: Apache-2.0
//
// ws_gate: decides when a query may take its next punctuation or tuple, so that its output FIFO cannot overflow.
//
// A query circuit cannot stall. The gate therefore counts the FIFO places that everything sent in the last LATENCY
// cycles may still take, compares them with the free places, and keeps punctuations CLOSE_CYCLES apart. Both answers
// are registers, and hold for the next cycle whatever is sent in this one: they already reserve room for that.
//
// Parameters   LATENCY       cycles from sending to the cycle in which `room` reflects the last place taken, at least 2
//              CLOSE_CYCLES  minimum distance between two punctuations, in cycles, at least 1
//              RESET_CYCLES  minimum distance from a reset of the query to its first punctuation, in cycles, at least 1
//              CLOSE_PLACES  maximum number of FIFO places that one punctuation takes, at least 1; its rows, and the
//                            punctuation itself
//              TUPLE_PLACES  maximum number of FIFO places that one tuple takes, at least 0; with 0 a tuple never waits
//              ROOM_W        width of `room` in bits, at least 1
//              DRAIN_CYCLES  cycles from sending to the last row of an item that waits in the query, at least 0; `room`
//                            does not count the places of rows that wait longer than LATENCY
// Latency      1 cycle
// Issue rate   1 item per cycle; punctuations CLOSE_CYCLES apart; while at least LATENCY + 2 times the places that one
//              item takes at most are free
// Source       ours, docs/windows.md; the properties at the end of this file prove that the FIFO never overflows

`default_nettype none

module ws_gate #(
    parameter LATENCY      = 8,
    parameter CLOSE_CYCLES = 2,
    parameter RESET_CYCLES = 1,
    parameter CLOSE_PLACES = 2,
    parameter TUPLE_PLACES = 0,
`ifdef FORMAL
    parameter FIFO_MODEL   = 1,    // 0: without a model of the output FIFO, for the proof of the enclosing core
`endif
    parameter ROOM_W       = 8,
    parameter DRAIN_CYCLES = 0
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              sent_punct,
    input  wire              sent_tuple,
    input  wire              restart,    // the query is reset, in place of a punctuation or with it
    input  wire [ROOM_W-1:0] room,       // free places of the output FIFO

    output reg               may_punct,
    output reg               may_tuple,
    output wire              idle        // nothing is in flight to the FIFO
`ifdef FORMAL
    ,
    output reg  [5:0]        since_sent  // cycles since one was sent, up to LATENCY + 1, for an enclosing core's proof
`endif
);

    initial if (TUPLE_PLACES < 0 || DRAIN_CYCLES < 0) begin
        $display("ERROR: %m: TUPLE_PLACES = %0d, DRAIN_CYCLES = %0d (at least 0)", TUPLE_PLACES, DRAIN_CYCLES);
        $finish;
    end

    localparam MOST     = CLOSE_PLACES > TUPLE_PLACES ? CLOSE_PLACES : TUPLE_PLACES;
    localparam FLIGHT_W = $clog2(LATENCY*MOST + 1);
    localparam SUM_W    = (FLIGHT_W > ROOM_W ? FLIGHT_W : ROOM_W) + 1;
    localparam LONGEST  = CLOSE_CYCLES > RESET_CYCLES ? CLOSE_CYCLES : RESET_CYCLES;
    localparam WAIT_W   = LONGEST > 1 ? $clog2(LONGEST) : 1;

    initial if (LATENCY < 2 || CLOSE_CYCLES < 1 || RESET_CYCLES < 1 || CLOSE_PLACES < 1) begin
        $display("ERROR: %m: LATENCY must be at least 2, CLOSE_CYCLES, RESET_CYCLES and CLOSE_PLACES at least 1");
        $finish;
    end
    initial if ((1 << ROOM_W) - 1 < MOST + CLOSE_PLACES) begin
        $display("ERROR: %m: ROOM_W = %0d: the FIFO could never have room for a punctuation", ROOM_W);
        $finish;
    end

    // What was sent in each of the last LATENCY cycles, and how many places must be free to send: those that all of it
    // may take, the most that this cycle can send, and the item's own.
    localparam [SUM_W-1:0] SPARE = MOST[SUM_W-1:0], PUNCT = CLOSE_PLACES[SUM_W-1:0], TUPLE = TUPLE_PLACES[SUM_W-1:0];
    localparam [SUM_W-1:0] NONE  = {SUM_W{1'b0}};

    reg  [LATENCY-1:0]  punct_sent_reg, tuple_sent_reg;
    reg  [SUM_W-1:0]    punct_needs_reg, tuple_needs_reg;

    wire [SUM_W-1:0]    entering = (sent_punct ? PUNCT : NONE) + (sent_tuple ? TUPLE : NONE);
    wire [SUM_W-1:0]    leaving  = (punct_sent_reg[LATENCY-1] ? PUNCT : NONE)
                                 + (tuple_sent_reg[LATENCY-1] ? TUPLE : NONE);

    // Cycles until the next punctuation may be sent.
    reg  [WAIT_W-1:0]   wait_reg;
    wire [WAIT_W-1:0]   wait_next = rst || restart ? RESET_CYCLES[WAIT_W-1:0] - 1'b1
                                  : sent_punct ? CLOSE_CYCLES[WAIT_W-1:0] - 1'b1
                                  : wait_reg != 0 ? wait_reg - 1'b1 : wait_reg;

    wire [SUM_W-1:0] free = {{(SUM_W-ROOM_W){1'b0}}, room};

    always @(posedge clk) begin
        punct_sent_reg  <= rst ? {LATENCY{1'b0}} : {punct_sent_reg[LATENCY-2:0], sent_punct};
        tuple_sent_reg  <= rst ? {LATENCY{1'b0}} : {tuple_sent_reg[LATENCY-2:0], sent_tuple};
        punct_needs_reg <= rst ? SPARE + PUNCT : punct_needs_reg + entering - leaving;
        tuple_needs_reg <= rst ? SPARE + TUPLE : tuple_needs_reg + entering - leaving;
        wait_reg        <= wait_next;
        may_punct       <= !rst && wait_next == 0 && free >= punct_needs_reg;
        may_tuple       <= !rst && (TUPLE_PLACES == 0 || free >= tuple_needs_reg);
    end

    // Cycles until the rows of the last item have left, from when it is LATENCY cycles old.
    wire settled;

    generate
        if (DRAIN_CYCLES > LATENCY) begin : gen_drain
            localparam DRAIN_W = $clog2(DRAIN_CYCLES - LATENCY + 1);
            localparam [DRAIN_W-1:0] DRAIN = DRAIN_CYCLES - LATENCY;
            reg  [DRAIN_W-1:0] drain_reg;

            always @(posedge clk)
                if (rst) drain_reg <= {DRAIN_W{1'b0}};
                else if (punct_sent_reg[LATENCY-1] || tuple_sent_reg[LATENCY-1]) drain_reg <= DRAIN;
                else if (drain_reg != 0) drain_reg <= drain_reg - 1'b1;

            assign settled = drain_reg == 0;
        end else begin : gen_no_drain
            assign settled = 1'b1;
        end
    endgenerate

    assign idle = punct_sent_reg == 0 && tuple_sent_reg == 0 && settled;

`ifdef FORMAL
    wire [31:0] drain_ref;

    generate
        if (DRAIN_CYCLES > LATENCY) begin : gen_drain_ref
            assign drain_ref = gen_drain.drain_reg;
        end else begin : gen_no_drain_ref
            assign drain_ref = 0;
        end
    endgenerate

    // A worst-case output FIFO: an item takes some or all of its places in any of the LATENCY cycles from that in which
    // it was sent, and the FIFO is drained at any time or not at all.
    localparam AGES = LATENCY - 1;
    (* anyconst *) wire [ROOM_W-1:0]        capacity;
    (* anyseq *)   wire [ROOM_W-1:0]        taken, drained;
    (* anyseq *)   wire [AGES*FLIGHT_W-1:0] kept;      // places that may still be taken after this cycle, by age
    reg                                     past_valid = 1'b0;
    reg  [ROOM_W-1:0]                       held_ref;  // places of the FIFO in use
    reg  [AGES*FLIGHT_W-1:0]                owed_ref;  // places that may still be taken, by age from 1 cycle on
    localparam LAST = DRAIN_CYCLES > LATENCY ? DRAIN_CYCLES : LATENCY;
    integer                                 since_punct_ref, since_any_ref;  // cycles since one was sent, up to a limit
    integer                                 since_reset_ref, wait_ref;
    reg                                     refused_ref;                     // a punctuation waits only for room

    wire [FLIGHT_W-1:0]                     places = sent_punct*CLOSE_PLACES + sent_tuple*TUPLE_PLACES;
    wire [LATENCY*FLIGHT_W-1:0]             due    = {owed_ref, places};  // by age from 0 on
    integer                                 i, owed, left, sent;          // sums over all ages
    reg                                     sound;                        // nothing is owed that was not sent

    always @* begin
        since_sent = LATENCY + 1;
        for (i = LATENCY - 1; i >= 0; i = i - 1) if (punct_sent_reg[i] || tuple_sent_reg[i]) since_sent = i + 1;
        owed = 0; left = 0; sent = 0; sound = 1'b1;
        wait_ref = CLOSE_CYCLES - since_punct_ref > RESET_CYCLES - since_reset_ref ? CLOSE_CYCLES - since_punct_ref
                                                                                   : RESET_CYCLES - since_reset_ref;
        for (i = 0; i < AGES; i = i + 1) begin
            owed  = owed + owed_ref[i*FLIGHT_W +: FLIGHT_W];
            left  = left + kept[i*FLIGHT_W +: FLIGHT_W];
            sound = sound && owed_ref[i*FLIGHT_W +: FLIGHT_W]
                             <= punct_sent_reg[i]*CLOSE_PLACES + tuple_sent_reg[i]*TUPLE_PLACES;
        end
        for (i = 0; i < LATENCY; i = i + 1)
            sent = sent + punct_sent_reg[i]*CLOSE_PLACES + tuple_sent_reg[i]*TUPLE_PLACES;
    end

    always @(posedge clk) begin
        past_valid      <= 1'b1;
        held_ref        <= rst ? 0 : held_ref + taken - drained;
        owed_ref        <= rst ? 0 : kept;
        since_reset_ref <= rst || restart ? 1 : since_reset_ref + (since_reset_ref < RESET_CYCLES);
        since_punct_ref <= rst || restart ? CLOSE_CYCLES : sent_punct ? 1
                         : since_punct_ref + (since_punct_ref < CLOSE_CYCLES);
        since_any_ref   <= rst ? LAST + 1 : sent_punct || sent_tuple ? 1 : since_any_ref + (since_any_ref <= LAST);
        refused_ref     <= !rst && (refused_ref ? !sent_punct : held_ref != 0 && !may_punct && wait_reg == 0);

        // the FIFO
        if (FIFO_MODEL != 0) begin
            assume (room == capacity - held_ref);
            assume (drained <= held_ref);
            assume (taken + left <= places + owed);
            for (i = 0; i < AGES; i = i + 1)
                assume (kept[i*FLIGHT_W +: FLIGHT_W] <= due[i*FLIGHT_W +: FLIGHT_W]);
        end

        if (!past_valid) assume (rst);
        else begin
            // the query sends what it may
            assume (!(sent_punct && sent_tuple));
            if (sent_punct) assume (may_punct);
            if (sent_tuple) assume (may_tuple);
            // never an overflow
            if (FIFO_MODEL != 0) begin
                assert (held_ref <= capacity);
                if (!rst) assert (held_ref + taken <= capacity);
            end
            // punctuations keep their distance
            if (may_punct) assert (since_punct_ref >= CLOSE_CYCLES && since_reset_ref >= RESET_CYCLES);
            // idle means that everything has reached the FIFO
            assert (idle == (since_any_ref > LAST));
            if (idle && FIFO_MODEL != 0) assert (owed == 0);
            // nothing waits needlessly
            if (!$past(rst)) begin
                assert (may_punct == (wait_ref == 0 && $past(room >= sent + MOST + CLOSE_PLACES)));
                assert (may_tuple == $past(TUPLE_PLACES == 0 || room >= sent + MOST + TUPLE_PLACES));
            end else assert (!may_punct && !may_tuple);

            // invariants for the induction
            assert (wait_reg == wait_ref);
            assert (punct_needs_reg == sent + MOST + CLOSE_PLACES && tuple_needs_reg == sent + MOST + TUPLE_PLACES);
            assert (wait_ref >= 0 && since_any_ref >= 1 && since_any_ref <= LAST + 1);
            assert (since_sent == (since_any_ref <= LATENCY ? since_any_ref : LATENCY + 1));
            if (since_any_ref > LATENCY) assert (drain_ref == LAST + 1 - since_any_ref);
            assert (since_punct_ref >= 1 && since_punct_ref <= CLOSE_CYCLES);
            assert (since_reset_ref >= 1 && since_reset_ref <= RESET_CYCLES);
            if (FIFO_MODEL != 0) begin
                assert (sound && room >= owed);
                if (may_punct) assert (room >= owed + CLOSE_PLACES);
                if (may_tuple) assert (room >= owed + TUPLE_PLACES);
            end
        end
        // a punctuation takes the last places that the gate grants, and one is sent that had to wait for room
        cover (past_valid && !rst && sent_punct && room == MOST + CLOSE_PLACES && held_ref != 0);
        cover (past_valid && !rst && sent_punct && refused_ref);
    end
`endif

endmodule

`default_nettype wire
