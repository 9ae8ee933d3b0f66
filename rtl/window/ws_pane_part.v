// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_part: some of the bits of ws_pane_total's sum, with the pane buffer for these bits.
//
// One register and one adder: the pane is added in the cycle of push; in the next cycle the pane that will have left
// the following window is subtracted, ready for the next push. Panes are in a ring of PANES - 1 places; the place that
// the next pane will take holds the oldest. Block RAMs may be far away: with BLOCK 2 their inputs and outputs have
// registers of their own, which stand in for one place.
//
// Parameters   NUMBER_W  bits of a pane
//              SUM_W     bits of the sum, at least NUMBER_W
//              SIGNED    1: a pane's uppermost bit here is its sign
//              PANES     panes in a window, at least 1
//              LOWEST    1: no part is below this one
//              BLOCK     0: panes are in LUTs; 1: in block RAM; 2: with registers around it, and PANES is at least 3
// Ports        forget: the sum and all panes are cleared; not in a cycle with push
//              carry_in: of the part below, which works one cycle ahead; carry_out: of this one
// Latency      1 cycle; from push to sum
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

    wire                pop;      // subtract the oldest
    wire [NUMBER_W-1:0] less;     // its complement, all ones if there is none

    wire [NUMBER_W-1:0] number    = pop ? less : pane;
    wire                sign      = SIGNED != 0 ? number[NUMBER_W-1] : pop;
    wire [SUM_W:0]      more      = {{(SUM_W+1-NUMBER_W){sign}}, number};
    wire                carry     = LOWEST != 0 ? pop : carry_in;
    wire [SUM_W:0]      total;
    wire                unused_lowest;
    wire                unused    = &{1'b0, carry_in, more[SUM_W], unused_lowest};

    // The carry enters at the lowest bit of a chain that is one bit longer.
    assign {total, unused_lowest} = {1'b0, sum, 1'b1} + {1'b0, more[SUM_W-1:0], carry};

    always @(posedge clk) begin
        if (push || pop) {carry_out, sum} <= total;
        // The reset of the carry only serves placement: it then fits into the slice of the sum's last bits.
        if (forget) {carry_out, sum} <= {(SUM_W+1){1'b0}};
    end

    generate
        if (PANES == 1) begin : gen_none
            // The pane itself is the oldest one.
            reg                push_reg;
            reg [NUMBER_W-1:0] pane_reg;

            always @(posedge clk) begin
                push_reg <= push && !forget;
                pane_reg <= pane;
            end

            assign {pop, less} = {push_reg, ~pane_reg};
        end else begin : gen_buffer
            localparam FAR    = BLOCK > 1;
            localparam PLACES = PANES - (FAR ? 2 : 1);
            localparam ADDR_W = PLACES > 1 ? $clog2(PLACES) : 1;
            localparam integer END = PLACES - 1;

            reg                 pop_reg;
            reg                 full_reg;       // all places were in use before the last push
            reg  [ADDR_W-1:0]   place_reg;      // of the next pane, and of the oldest
            wire                write;
            wire [ADDR_W-1:0]   write_place;
            wire [NUMBER_W-1:0] write_pane, oldest;

            assign pop = pop_reg;

            always @(posedge clk) begin
                pop_reg <= push && !forget;
                if (push) place_reg <= place_reg == END[ADDR_W-1:0] ? {ADDR_W{1'b0}} : place_reg + 1'b1;
                if (pop_reg && place_reg == 0) full_reg <= 1'b1;
                if (forget) begin
                    place_reg <= {ADDR_W{1'b0}};
                    full_reg  <= 1'b0;
                end
            end

            ws_ram_sdp #(
                .DATA_W(NUMBER_W), .ADDR_W(ADDR_W), .OUTPUT_REG(BLOCK != 0),
                .STYLE(BLOCK != 0 ? "block" : "distributed")
            ) panes (
                .clk(clk),
                .wr_en(write), .wr_addr(write_place), .wr_data(write_pane),
                .rd_en(FAR ? push : pop_reg), .rd_addr(place_reg), .rd_data(oldest)
`ifdef FORMAL
                ,
                .watch_addr(place_reg), .watch_data(next_word),
                .watch_addr_2(place_reg == 0 ? END[ADDR_W-1:0] : place_reg - 1'b1), .watch_data_2(last_word)
`endif
            );

            if (FAR) begin : gen_far
                // Written one cycle later and read one cycle earlier: the oldest pane is read before the new one
                // replaces it.
                reg                aged_reg;    // all places were in use before the push that the word read belongs to
                reg [ADDR_W-1:0]   place_1_reg;
                reg [NUMBER_W-1:0] pane_reg, less_reg;

                always @(posedge clk) begin
                    place_1_reg <= place_reg;
                    pane_reg    <= pane;
                    less_reg    <= aged_reg ? ~oldest : {NUMBER_W{1'b1}};
                    if (push) aged_reg <= full_reg;
                    if (forget) aged_reg <= 1'b0;
                end

                assign {write, write_place, write_pane, less} = {pop_reg, place_1_reg, pane_reg, less_reg};

`ifdef FORMAL
                always @(posedge clk) if (known_ref) begin
                    assert (aged_reg == (age_ref == PANES - 1));
                    if (pop_reg) assert (pane_reg == panes_ref[0 +: NUMBER_W]);
                    if (!pop_reg && !$past(pop_reg || forget))
                        assert (~less_reg == panes_ref[(PANES-2)*NUMBER_W +: NUMBER_W]);
                end
`endif
            end else begin : gen_near
                assign {write, write_place, write_pane} = {push, place_reg, pane};
                assign less = full_reg ? ~oldest : {NUMBER_W{1'b1}};
            end

`ifdef FORMAL
            // Invariants for the induction, up to PANES = 3: the words in the RAM and those being read.
            localparam integer OTHERS = PANES - 1;
            wire [NUMBER_W-1:0] next_word, last_word;
            wire [NUMBER_W-1:0] oldest_ref = panes_ref[(OTHERS-1)*NUMBER_W +: NUMBER_W];
            reg                 full_ref;                // before the last push

            always @(posedge clk) if (push) full_ref <= age_ref >= PLACES;

            always @(posedge clk) if (known_ref) begin
                assert (place_reg <= END && (full_reg || place_reg == (age_ref == PLACES ? 0 : age_ref)));
                assert (full_reg == (pop_reg ? full_ref : age_ref >= PLACES));
                if (age_ref == OTHERS && !FAR) assert (next_word == oldest_ref);
                if (age_ref > 0 && !(FAR && pop_reg)) assert (last_word == panes_ref[0 +: NUMBER_W]);
                if (!pop_reg && age_ref == OTHERS && (BLOCK != 1 || !$past(pop_reg))) assert (oldest == oldest_ref);
                if (pop_reg) assert (~less == evicted_ref);
            end
`endif
        end
    endgenerate

`ifdef FORMAL
    // The last PANES - 1 panes, newest in the lowest bits, the one before them, and the carries of the part below.
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
            assert (!(push && (pop_ref || forget)));
            assert (pop == pop_ref && sum == sum_ref);
            assert (age_ref >= 0 && age_ref <= KEPT);
            for (i = 0; i < KEPT; i = i + 1) if (i >= age_ref) assert (panes_ref[i*NUMBER_W +: NUMBER_W] == 0);
        end
        cover (known_ref && pop_ref && evicted_ref != 0 && !push);
    end
`endif

endmodule

`default_nettype wire
