// SPDX-License-Identifier: Apache-2.0
//
// ws_gate: says when a query may be given its next punctuation or tuple so that its output FIFO cannot overflow.
//
// A query circuit cannot stall. So the gate counts the FIFO places that everything sent in the last LATENCY cycles
// may still take, compares with the free ones, and keeps CLOSE_CYCLES between punctuations. Both answers are
// registers and hold for the next cycle in any case: they leave room for what is sent in this one.
//
// Parameters   LATENCY       cycles from sending to the cycle in which `room` shows the last place taken, at least 2
//              CLOSE_CYCLES  least distance between two punctuations, in cycles
//              CLOSE_PLACES  most FIFO places that one punctuation takes (rows, and a punctuation behind them)
//              TUPLE_PLACES  most FIFO places that one tuple takes
//              ROOM_W        width of `room`
// Latency      1 cycle
// Issue rate   never the limit while the FIFO has room for LATENCY cycles' worth of places
// Source       the flow control of a circuit without ready, docs/windows.md

`default_nettype none

module ws_gate #(
    parameter LATENCY      = 8,
    parameter CLOSE_CYCLES = 2,
    parameter CLOSE_PLACES = 2,
    parameter TUPLE_PLACES = 0,
    parameter ROOM_W       = 8
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              sent_punct,
    input  wire              sent_tuple,
    input  wire [ROOM_W-1:0] room,       // free places of the output FIFO

    output reg               may_punct,
    output reg               may_tuple,
    output wire              idle        // nothing is on its way to the FIFO
);

    localparam MOST     = CLOSE_PLACES > TUPLE_PLACES ? CLOSE_PLACES : TUPLE_PLACES;
    localparam FLIGHT_W = $clog2(LATENCY*MOST + 1) + 1;
    localparam SUM_W    = (FLIGHT_W > ROOM_W ? FLIGHT_W : ROOM_W) + 2;
    localparam WAIT_W   = $clog2(CLOSE_CYCLES + 1) + 1;

    initial if (LATENCY < 2 || CLOSE_CYCLES < 1) begin
        $display("ERROR: %m: LATENCY must be at least 2 and CLOSE_CYCLES at least 1");
        $finish;
    end

    // What was sent in each of the last LATENCY cycles, and the places that it may take together.
    reg  [LATENCY-1:0]  punct_sent_reg, tuple_sent_reg;
    reg  [FLIGHT_W-1:0] flight_reg;

    wire [FLIGHT_W-1:0] entering = (sent_punct ? CLOSE_PLACES[FLIGHT_W-1:0] : {FLIGHT_W{1'b0}})
                                 + (sent_tuple ? TUPLE_PLACES[FLIGHT_W-1:0] : {FLIGHT_W{1'b0}});
    wire [FLIGHT_W-1:0] leaving  = (punct_sent_reg[LATENCY-1] ? CLOSE_PLACES[FLIGHT_W-1:0] : {FLIGHT_W{1'b0}})
                                 + (tuple_sent_reg[LATENCY-1] ? TUPLE_PLACES[FLIGHT_W-1:0] : {FLIGHT_W{1'b0}});

    // Cycles until the next punctuation may be sent.
    reg  [WAIT_W-1:0]   wait_reg;
    wire [WAIT_W-1:0]   wait_next = sent_punct ? CLOSE_CYCLES[WAIT_W-1:0] - 1'b1
                                  : wait_reg != 0 ? wait_reg - 1'b1 : wait_reg;

    wire [SUM_W-1:0]    free   = {{(SUM_W-ROOM_W){1'b0}}, room};
    wire [SUM_W-1:0]    flight = {{(SUM_W-FLIGHT_W){1'b0}}, flight_reg} + MOST[SUM_W-1:0];

    always @(posedge clk) begin
        punct_sent_reg <= rst ? {LATENCY{1'b0}} : {punct_sent_reg[LATENCY-2:0], sent_punct};
        tuple_sent_reg <= rst ? {LATENCY{1'b0}} : {tuple_sent_reg[LATENCY-2:0], sent_tuple};
        flight_reg     <= rst ? {FLIGHT_W{1'b0}} : flight_reg + entering - leaving;
        wait_reg       <= rst ? {WAIT_W{1'b0}} : wait_next;
        may_punct      <= !rst && wait_next == 0 && free >= flight + CLOSE_PLACES[SUM_W-1:0];
        may_tuple      <= !rst && free >= flight + TUPLE_PLACES[SUM_W-1:0];
    end

    assign idle = punct_sent_reg == 0 && tuple_sent_reg == 0;

`ifdef FORMAL
    // A FIFO that takes CLOSE_PLACES or TUPLE_PLACES at any time within LATENCY cycles never runs out of places.
    // Its worst case takes them all at once, at the end: `promised` are the places sent and not yet given back.
    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
    end
`endif

endmodule

`default_nettype wire
