// SPDX-License-Identifier: Apache-2.0
//
// ws_handshake_ring: the places of one stream's tuples in a join core's segment, which is a ring.
//
// Parameters   SEGMENT   tuples of the segment, at least 1
//              ADDR_W    width of a place, 2**ADDR_W >= SEGMENT
//              COUNT_W   width of a count, 2**COUNT_W > SEGMENT
// Ports        put       a tuple is written at `place`, and replaces the oldest if the ring is full
//              put_new   it came after the last FLUSH
//              settle    a FLUSH: no tuple is new any more
//              newest    place of the last tuple
//              held      number of tuples; recent: how many of them, the last ones, are new
// Latency      1 cycle

`default_nettype none

module ws_handshake_ring #(
    parameter SEGMENT = 8,
    parameter ADDR_W  = 3,
    parameter COUNT_W = 4
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               put,
    input  wire               put_new,
    input  wire               settle,

    output reg  [ADDR_W-1:0]  place,
    output reg  [ADDR_W-1:0]  newest,
    output reg  [COUNT_W-1:0] held,
    output reg  [COUNT_W-1:0] recent
);

    localparam LAST = SEGMENT - 1;
    localparam [COUNT_W-1:0] ONE = 1;

    always @(posedge clk) begin
        if (put) begin
            place  <= place == LAST[ADDR_W-1:0] ? {ADDR_W{1'b0}} : place + {{(ADDR_W-1){1'b0}}, 1'b1};
            newest <= place;
            if (held != SEGMENT[COUNT_W-1:0]) held <= held + ONE;
            if (put_new && recent != SEGMENT[COUNT_W-1:0]) recent <= recent + ONE;
        end
        if (settle) recent <= {COUNT_W{1'b0}};
        if (rst) begin
            place  <= {ADDR_W{1'b0}};
            held   <= {COUNT_W{1'b0}};
            recent <= {COUNT_W{1'b0}};
        end
    end

endmodule

`default_nettype wire
