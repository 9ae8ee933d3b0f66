// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_part: a part of the bits of ws_pane_total's sum, with the pane buffer for these bits.
//
// One register and one adder: in the cycle of push the pane is added, and in the next one the pane that will be too old
// for the window behind it is taken off, ready for the next push. Panes are in a ring of PANES - 1 places; the one that
// the next pane will take holds the oldest.
//
// Parameters   NUMBER_W  bits of a pane
//              SUM_W     bits of the sum, at least NUMBER_W
//              SIGNED    1: a pane's uppermost bit here is its sign
//              PANES     panes in a window, at least 1
//              LOWEST    1: no part stands below
//              BLOCK     1: panes are in block RAM, read a step earlier and with a register more; PANES is at least 3
// Ports        forget: nothing of what was pushed counts any more; not in a cycle with push
//              carry_in: of the part below, which works one cycle ahead; carry_out: of this one
// Latency      1 cycle from push to sum
// Issue rate   1 push every 2 cycles
// Source       subtract on evict, as named by Tangwongsan et al., PVLDB 8(7), 2015

`default_nettype none

module ws_pane_part #(
    parameter NUMBER_W = 32,
    parameter SUM_W    = 38,
    parameter SIGNED   = 1,
    parameter PANES    = 64,
    parameter LOWEST   = 1,
    parameter BLOCK    = 0
) (
    input  wire                clk,

    input  wire                forget,
    input  wire                push,
    input  wire                carry_in,
    input  wire [NUMBER_W-1:0] pane,
    output reg  [SUM_W-1:0]    sum,
    output reg                 carry_out
);

    wire                pop;      // take off the oldest
    wire [NUMBER_W-1:0] less;     // its complement, all ones if there is none

    wire [NUMBER_W-1:0] number    = pop ? less : pane;
    wire                sign      = SIGNED != 0 ? number[NUMBER_W-1] : pop;
    wire [SUM_W:0]      more      = {{(SUM_W+1-NUMBER_W){sign}}, number};
    wire                carry     = LOWEST != 0 ? pop : carry_in;
    wire [SUM_W:0]      total;
    wire                unused_lowest;
    wire                unused    = &{1'b0, carry_in, more[SUM_W], unused_lowest};

    // The carry goes in at the lowest bit of a chain that is a bit longer.
    assign {total, unused_lowest} = {1'b0, sum, 1'b1} + {1'b0, more[SUM_W-1:0], carry};

    always @(posedge clk) begin
        if (push || pop) {carry_out, sum} <= total;
        if (forget) sum <= {SUM_W{1'b0}};
    end

    generate
        if (PANES == 1) begin : gen_none
            // The pane itself is the oldest.
            reg                push_reg;
            reg [NUMBER_W-1:0] pane_reg;

            always @(posedge clk) begin
                push_reg <= push && !forget;
                pane_reg <= pane;
            end

            assign {pop, less} = {push_reg, ~pane_reg};
        end else begin : gen_buffer
            localparam ADDR_W = PANES > 2 ? $clog2(PANES - 1) : 1;
            localparam LEFT_W = $clog2(PANES);
            localparam integer OTHERS = PANES - 1, END = PANES - 2;

            reg                 pop_reg, aged_reg;
            reg  [ADDR_W-1:0]   place_reg;      // of the next pane, and of the oldest
            reg  [LEFT_W-1:0]   missing_reg;    // panes to come until all places are taken
            wire [ADDR_W-1:0]   next = place_reg == END[ADDR_W-1:0] ? {ADDR_W{1'b0}} : place_reg + 1'b1;
            wire [NUMBER_W-1:0] oldest;

            always @(posedge clk) begin
                pop_reg <= push && !forget;
                if (push) begin
                    place_reg <= next;
                    aged_reg  <= missing_reg == 0;
                    if (missing_reg != 0) missing_reg <= missing_reg - 1'b1;
                end
                if (forget) begin
                    place_reg   <= {ADDR_W{1'b0}};
                    missing_reg <= OTHERS[LEFT_W-1:0];
                end
            end

            ws_ram_sdp #(
                .DATA_W(NUMBER_W), .ADDR_W(ADDR_W), .OUTPUT_REG(BLOCK), .STYLE(BLOCK != 0 ? "block" : "distributed")
            ) panes (
                .clk(clk),
                .wr_en(push), .wr_addr(place_reg), .wr_data(pane),
                .rd_en(BLOCK != 0 ? push : pop_reg), .rd_addr(BLOCK != 0 ? next : place_reg), .rd_data(oldest)
`ifdef FORMAL
                ,
                .watch_addr(place_reg), .watch_data(next_word),
                .watch_addr_2(next), .watch_data_2(other_word)
`endif
            );

            if (BLOCK != 0) begin : gen_block
                reg [NUMBER_W-1:0] less_reg;
                wire               unused_aged = aged_reg;
                always @(posedge clk) less_reg <= missing_reg == 0 ? ~oldest : {NUMBER_W{1'b1}};
                assign less = less_reg;
            end else begin : gen_distributed
                assign less = aged_reg ? ~oldest : {NUMBER_W{1'b1}};
            end

            assign pop = pop_reg;

`ifdef FORMAL
            // What makes it inductive, up to PANES = 3: the words that are in the RAM, and on their way out of it.
            wire [NUMBER_W-1:0] next_word, other_word;

            always @(posedge clk) if (known_ref) begin
                assert (place_reg <= END && missing_reg == OTHERS - age_ref);
                if (age_ref == OTHERS) assert (next_word == panes_ref[(OTHERS-1)*NUMBER_W +: NUMBER_W]);
                if (age_ref > 0 && PANES > 2) assert (other_word == panes_ref[0 +: NUMBER_W]);
                if (!pop_reg && age_ref == OTHERS && (BLOCK == 0 || !$past(pop_reg)))
                    assert (oldest == panes_ref[(OTHERS-1)*NUMBER_W +: NUMBER_W]);
                if (pop_reg) assert (~less == evicted_ref);
            end
`endif
        end
    endgenerate

`ifdef FORMAL
    // The last PANES - 1 panes, newest in the lowest bits, the one before them, and what the part below has carried.
    localparam integer KEPT = PANES > 1 ? PANES - 1 : 1;
    reg                     known_ref = 1'b0;    // there was a reset
    reg                     pop_ref;
    reg [KEPT*NUMBER_W-1:0] panes_ref;
    reg [NUMBER_W-1:0]      evicted_ref;
    reg [SUM_W-1:0]         carried_ref, sum_ref;
    integer                 age_ref, i;

    function [SUM_W-1:0] wide(input [NUMBER_W-1:0] word);
        wide = {{SUM_W{SIGNED != 0 && word[NUMBER_W-1]}}, word};
    endfunction

    always @* begin
        sum_ref = carried_ref + (pop_ref ? wide(evicted_ref) : 0);
        if (PANES > 1) for (i = 0; i < KEPT; i = i + 1) sum_ref = sum_ref + wide(panes_ref[i*NUMBER_W +: NUMBER_W]);
    end

    always @(posedge clk) begin
        if (forget) known_ref <= 1'b1;
        pop_ref <= push && !forget;
        if (push) begin
            evicted_ref <= PANES > 1 ? panes_ref[(KEPT-1)*NUMBER_W +: NUMBER_W] : pane;
            panes_ref   <= {panes_ref, pane};
            age_ref     <= age_ref + (age_ref < KEPT);
        end
        if (push || pop_ref) carried_ref <= carried_ref + carry - pop_ref;
        if (forget) {panes_ref, carried_ref, age_ref} <= 0;

        if (known_ref) begin
            assume (!(push && (pop_ref || forget)));
            assert (pop == pop_ref && sum == sum_ref);
            assert (age_ref >= 0 && age_ref <= KEPT);
            for (i = 0; i < KEPT; i = i + 1) if (i >= age_ref) assert (panes_ref[i*NUMBER_W +: NUMBER_W] == 0);
        end
        cover (known_ref && pop_ref && evicted_ref != 0 && !push);
    end
`endif

endmodule

`default_nettype wire
