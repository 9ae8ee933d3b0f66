// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_results: a queue of the matches of a block of FJoin's units, output as mask words or as pairs.
//
// Window tuples and passes are counted here, so that their numbers do not travel along the chain.
//
// Parameters   UNITS     units of the block
//              UNIT_W    width of a unit's number in the chain
//              FIRST     number of the block's first unit
//              PASS_W, SLOT_W   width of the number of a pass and of a window tuple within it; both wrap around
//              ADDR_W    the queue holds 2**ADDR_W words
//              MOST      over is high while it holds more than that
//              PAIRS     0: a word is {pass, FIRST, window tuple, match of every unit}, that of the first in bit 0
//                        1: it is {pass, unit, window tuple}, one for every match
// Ports        window, start, flush   of the slot, see ws_fjoin_group, in the same cycle as hits
// Latency      4 + PAIRS cycles; from hits to m_valid
// Issue rate   1 slot per cycle in, 1 word per cycle out
// Overflow     not allowed: the sender must stop early enough after over for the queue never to be full

`default_nettype none

module ws_fjoin_results #(
    parameter UNITS  = 16,
    parameter UNIT_W = 6,
    parameter FIRST  = 0,
    parameter PASS_W = 8,
    parameter SLOT_W = 16,
    parameter ADDR_W = 5,
    parameter MOST   = 14,
    parameter PAIRS  = 1,
    parameter WORD_W = PASS_W + UNIT_W + SLOT_W + (PAIRS != 0 ? 0 : UNITS)
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              window,
    input  wire              start,
    input  wire              flush,
    input  wire [UNITS-1:0]  hits,
    output wire              over,

    output wire              m_valid,
    input  wire              m_ready,
    output wire              m_flush,
    output wire [WORD_W-1:0] m_data
`ifdef FORMAL
    ,
    output wire              lost               // the queue was full, for the proof of the chain
`endif
);

    // ---- Count

    reg              write_reg, flush_reg;           // to the queue; a FLUSH
    reg [UNITS-1:0]  hits_reg;
    reg [PASS_W-1:0] pass_reg;
    reg [SLOT_W-1:0] slot_reg;

    always @(posedge clk) begin
        write_reg <= ((window && |hits) || flush) && !rst;
        flush_reg <= flush && !rst;
        hits_reg  <= hits & {UNITS{window}};
        if (window) slot_reg <= start ? {SLOT_W{1'b0}} : slot_reg + {{(SLOT_W-1){1'b0}}, 1'b1};
        if (start) pass_reg <= pass_reg + {{(PASS_W-1){1'b0}}, 1'b1};
        if (rst) pass_reg <= {PASS_W{1'b1}};
    end

    // ---- Queue: it also stores whether a word has a single match, which would be the longest path after it

    // The numbers of two different matches differ in at least one bit.
    function single(input [UNITS-1:0] matches);
        integer i, k;
        reg     low, high;
        begin
            single = 1'b1;
            for (k = 1; k < UNITS; k = 2*k) begin
                {low, high} = 2'b00;
                for (i = 0; i < UNITS; i = i + 1)
                    if (i / k % 2 == 0) low = low | matches[i];
                    else high = high | matches[i];
                single = single && !(low && high);
            end
        end
    endfunction

    wire              room, q_valid, q_ready, q_flush;
    wire [PASS_W-1:0] q_pass;
    wire [SLOT_W-1:0] q_slot;
    wire [UNITS-1:0]  q_hits;
    wire              q_single;
    wire [ADDR_W:0]   level;

    ws_sync_fifo #(.DATA_W(2 + PASS_W + SLOT_W + UNITS), .ADDR_W(ADDR_W), .STYLE("distributed")) queue (
        .clk(clk), .rst(rst),
        .s_valid(write_reg), .s_ready(room), .s_data({flush_reg, single(hits_reg), pass_reg, slot_reg, hits_reg}),
        .m_valid(q_valid), .m_ready(q_ready), .m_data({q_flush, q_single, q_pass, q_slot, q_hits}),
        .level(level)
    );

    assign over = level > MOST[ADDR_W:0];

    // ---- Output

    wire              out_valid, out_ready, out_flush;
    wire [WORD_W-1:0] out_data;

    ws_skid_buffer #(.DATA_W(1 + WORD_W)) out_slice (
        .clk(clk), .rst(rst),
        .s_valid(out_valid), .s_ready(out_ready), .s_data({out_flush, out_data}),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_flush, m_data})
    );

    generate
        if (PAIRS == 0) begin : gen_words
            assign out_valid = q_valid;
            assign q_ready   = out_ready;
            assign out_flush = q_flush;
            assign out_data  = {q_pass, FIRST[UNIT_W-1:0], q_slot, q_hits};
            wire unused_single = q_single;
        end else begin : gen_pairs
            // A word stays here until its last match has left. left: the matches that remain; rest: all of these but
            // the lowest.
            reg              held_reg, last_reg, flush_held_reg;
            reg [PASS_W-1:0] pass_held_reg;
            reg [SLOT_W-1:0] slot_held_reg;
            reg [UNITS-1:0]  left_reg, rest_reg;
            wire [UNITS-1:0] one  = left_reg & ~rest_reg;
            reg [UNIT_W-1:0] unit;
            integer          n;

            function [UNITS-1:0] but_lowest(input [UNITS-1:0] matches);
                but_lowest = matches & (matches - {{(UNITS-1){1'b0}}, 1'b1});
            endfunction

            assign q_ready = !held_reg || (out_ready && last_reg);

            always @(posedge clk) begin
                if (q_ready) begin
                    held_reg       <= q_valid;
                    flush_held_reg <= q_flush;
                    pass_held_reg  <= q_pass;
                    slot_held_reg  <= q_slot;
                end
                if (q_ready || out_ready) begin
                    // out_ready is late, so both alternatives are computed before it selects
                    left_reg <= q_ready ? q_hits : rest_reg;
                    rest_reg <= q_ready ? but_lowest(q_hits) : but_lowest(rest_reg);
                    last_reg <= q_ready ? q_single : single(rest_reg);
                end
                if (rst) held_reg <= 1'b0;
            end

            always @* begin
                unit = {UNIT_W{1'b0}};
                for (n = 0; n < UNITS; n = n + 1)
                    if (one[n]) unit = unit | (FIRST[UNIT_W-1:0] + n[UNIT_W-1:0]);
            end

            assign out_valid = held_reg;
            assign out_flush = flush_held_reg;
            assign out_data  = {pass_held_reg, unit, slot_held_reg};
        end
    endgenerate

`ifdef FORMAL
    assign lost = write_reg && !room;
`else
    wire unused = room;
`endif

endmodule

`default_nettype wire
