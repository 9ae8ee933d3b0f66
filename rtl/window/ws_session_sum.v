// SPDX-License-Identifier: Apache-2.0
//
// ws_session_sum: the sums of the open sessions, in slots that move, merge and take a value in the same cycle.
//
// A cycle adds three numbers: the slot's own, that of the slot above, which is merged, and a value, with one carry
// chain after a row of full adders. The chain is cut into segments of SEGMENT_W bits. Each segment works a cycle after
// the one below it, on the same operation, with the carry of that one.
//
// Parameters   SLOTS      sessions that can be open, at least 1
//              TERM_W     width of a term in bits, at least 1
//              SIGNED     1: terms and sums are two's complement
//              ACC_W      width of a sum in bits, at least TERM_W and at least 2
//              SEGMENT_W  most bits added in one cycle, at least 2
// Ports        keep, merge, rise: the new contents of a slot: its own sum, that of the slot above and its term; or with
//              rise, and neither of the others nor a term, that of the slot below
//              terms: the number added to each slot, 0 for none
//              number, left: of slot 0, LATER = ceil(ACC_W / SEGMENT_W) - 1 cycles late
// Latency      1 + LATER cycles
// Issue rate   1 of each a cycle
// Reset        none: a slot is new if it keeps neither its own sum nor another's
// Overflow     `left`: either sum has it, or the sum of all three does not fit ACC_W bits; the number is then its
//              lowest ACC_W bits
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.6 (the states); three at once is ours

`default_nettype none

module ws_session_sum #(
    parameter SLOTS     = 3,
    parameter TERM_W    = 32,
    parameter SIGNED    = 1,
    parameter ACC_W     = 64,
    parameter SEGMENT_W = 16
) (
    input  wire                    clk,

    input  wire [SLOTS-1:0]        keep,
    input  wire [SLOTS-1:0]        merge,
    input  wire [SLOTS-1:0]        rise,
    input  wire [SLOTS*TERM_W-1:0] terms,

    output wire [ACC_W-1:0]        number,
    output wire                    left
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam LATER     = (ACC_W + SEGMENT_W - 1)/SEGMENT_W - 1;
    localparam TOP       = LATER*SEGMENT_W;    // the first bit of the last segment
    localparam IS_SIGNED = SIGNED != 0;

    initial if (SLOTS < 1 || TERM_W < 1 || ACC_W < TERM_W || ACC_W < 2 || SEGMENT_W < 2) begin
        $display("ERROR: %m: SLOTS = %0d, TERM_W = %0d, ACC_W = %0d (TERM_W and 2, or more), SEGMENT_W = %0d (2)",
                 SLOTS, TERM_W, ACC_W, SEGMENT_W);
        $finish;
    end

    // The operation, as each segment sees it.
    wire [(LATER+1)*SLOTS-1:0]       keeps, merges, rises;
    wire [(LATER+1)*SLOTS*ACC_W-1:0] added;

    assign keeps[0 +: SLOTS] = keep;
    assign merges[0 +: SLOTS] = merge;
    assign rises[0 +: SLOTS] = rise;

    genvar i, k;
    generate
        for (i = 0; i < SLOTS; i = i + 1) begin : gen_term
            wire [TERM_W-1:0] term = terms[i*TERM_W +: TERM_W];
            if (ACC_W > TERM_W) begin : gen_wider
                assign added[i*ACC_W +: ACC_W] = {{(ACC_W-TERM_W){IS_SIGNED && term[TERM_W-1]}}, term};
            end else begin : gen_as_wide
                assign added[i*ACC_W +: ACC_W] = term;
            end
        end
        for (k = 1; k <= LATER; k = k + 1) begin : gen_later
            reg [SLOTS-1:0]       keep_reg, merge_reg, rise_reg;
            reg [SLOTS*ACC_W-1:0] added_reg;
            always @(posedge clk) begin
                {keep_reg, merge_reg, rise_reg} <= {keeps[(k-1)*SLOTS +: SLOTS], merges[(k-1)*SLOTS +: SLOTS],
                                                   rises[(k-1)*SLOTS +: SLOTS]};
                added_reg <= added[(k-1)*SLOTS*ACC_W +: SLOTS*ACC_W];
            end
            assign keeps[k*SLOTS +: SLOTS] = keep_reg;
            assign merges[k*SLOTS +: SLOTS] = merge_reg;
            assign rises[k*SLOTS +: SLOTS] = rise_reg;
            assign added[k*SLOTS*ACC_W +: SLOTS*ACC_W] = added_reg;
        end
    endgenerate

    wire unused_added = &{1'b0, added};    // each segment reads its own bits

    // ---- The segments; those of a slot are between those of its neighbours

    wire [(LATER+2)*SLOTS*2-1:0] carries;    // into each segment, at most 2
    wire [SLOTS-1:0]             leaves;

    assign carries[0 +: SLOTS*2] = {SLOTS*2{1'b0}};

    generate
        for (k = 0; k <= LATER; k = k + 1) begin : gen_segment
            localparam LOW = k*SEGMENT_W;
            localparam W   = k == LATER ? ACC_W - TOP : SEGMENT_W;
            localparam SIGN = IS_SIGNED && k == LATER;

            wire [(SLOTS+2)*W-1:0] parts;

            assign parts[0 +: W]           = {W{1'b0}};
            assign parts[(SLOTS+1)*W +: W] = {W{1'b0}};

            for (i = 0; i < SLOTS; i = i + 1) begin : slot
                reg  [W-1:0] part_reg;
                reg  [1:0]   carry_reg;
                wire         two, any;
                wire [W-1:0] own   = part_reg & {W{keeps[k*SLOTS + i]}};
                wire [W-1:0] above = parts[(i + 2)*W +: W] & {W{merges[k*SLOTS + i]}};
                wire [W-1:0] below = parts[i*W +: W];
                wire [W-1:0] term  = added[(k*SLOTS + i)*ACC_W + LOW +: W];
                wire [W+1:0] x     = {{2{SIGN && own[W-1]}}, own};
                wire [W+1:0] y     = {{2{SIGN && above[W-1]}}, above};
                wire [W+1:0] z     = {{2{SIGN && term[W-1]}}, term};
                wire [W+1:0] most  = (x & y) | (x & z) | (y & z);
                wire [W+1:0] total;
                wire         lowest;
                wire         unused = &{1'b0, lowest, most[W+1]};

                // A carry of 1 enters below the lowest bit; of a carry of 2, the other half enters where `most` leaves
                // a place.
                assign two             = carries[(k*SLOTS + i)*2 + 1];
                assign any             = carries[(k*SLOTS + i)*2 +: 2] != 2'd0;
                assign {total, lowest} = {x ^ y ^ z, any} + {most[W:0], two, any};

                assign parts[(i + 1)*W +: W]             = part_reg;
                assign carries[((k+1)*SLOTS + i)*2 +: 2] = carry_reg;

                always @(posedge clk) begin
                    part_reg <= rises[k*SLOTS + i] ? below : total[W-1:0];
                    if (k == LATER)    // the number continues above the segment
                        carry_reg <= rises[k*SLOTS + i] ? {2{SIGN && below[W-1]}} : total[W+1:W];
                    else               // none with rise, which adds nothing
                        carry_reg <= total[W+1:W];
                end
            end

            if (k < LATER) begin : gen_shown
                reg  [(LATER-k)*W-1:0]   was_reg;
                wire [(LATER-k+1)*W-1:0] was = {was_reg, parts[W +: W]};
                always @(posedge clk) was_reg <= was[(LATER-k)*W-1:0];
                assign number[LOW +: W] = was[(LATER-k)*W +: W];
            end else begin : gen_top
                assign number[LOW +: W] = parts[W +: W];
                for (i = 0; i < SLOTS; i = i + 1) begin : slot
                    assign leaves[i] = carries[((k+1)*SLOTS + i)*2 +: 2] != {2{SIGN && parts[(i + 2)*W - 1]}};
                end
            end
        end
    endgenerate

    // ---- Whether a sum has overflowed: two more bits of the last segment show it

    reg  [SLOTS-1:0] left_reg;
    wire [SLOTS-1:0] left_now = left_reg | leaves;
    wire [SLOTS-1:0] keep_top = keeps[LATER*SLOTS +: SLOTS];
    wire [SLOTS-1:0] merge_top = merges[LATER*SLOTS +: SLOTS];
    wire [SLOTS-1:0] rise_top = rises[LATER*SLOTS +: SLOTS];

    assign left = left_now[0];

    always @(posedge clk)
        left_reg <= (keep_top & left_now) | (merge_top & (left_now >> 1)) | (rise_top & (left_now << 1));

`ifdef FORMAL
    // Every slot in integers, now and up to LATER cycles ago; the first cycle fills all of them.
    localparam integer NUMBERS = 1 << ACC_W, TERMS = 1 << TERM_W, LEAST = IS_SIGNED ? -NUMBERS/2 : 0;
    localparam integer LINE_W  = SLOTS*32;
    reg [(LATER+1)*LINE_W-1:0] refs;
    reg [(LATER+1)*SLOTS-1:0]  lefts;
    reg [LATER:0]              valid_ref = 0;
    integer                    n, own_ref, above_ref, term_ref, after;
    reg                        lost;

    always @(posedge clk) begin
        valid_ref <= {valid_ref, 1'b1};
        refs      <= refs << LINE_W;
        lefts     <= lefts << SLOTS;
        if (!valid_ref[0]) assume (keep == 0 && merge == 0 && rise == 0);
        assume ((rise & (keep | merge)) == 0 && !rise[0] && !merge[SLOTS-1]);
        for (n = 0; n < SLOTS; n = n + 1) begin
            term_ref = terms[n*TERM_W +: TERM_W];
            if (IS_SIGNED && term_ref >= TERMS/2) term_ref = term_ref - TERMS;
            if (rise[n]) assume (term_ref == 0);
            own_ref   = keep[n] ? $signed(refs[n*32 +: 32]) : 0;
            above_ref = merge[n] ? $signed(refs[(n + 1)%SLOTS*32 +: 32]) : 0;
            if (rise[n]) own_ref = $signed(refs[(n + SLOTS - 1)%SLOTS*32 +: 32]);
            after = own_ref + above_ref + term_ref;
            lost  = (keep[n] && lefts[n]) || (merge[n] && lefts[(n + 1)%SLOTS])
                 || (rise[n] && lefts[(n + SLOTS - 1)%SLOTS]) || after < LEAST || after >= LEAST + NUMBERS;
            after = ((after - LEAST) & (NUMBERS - 1)) + LEAST;
            refs[n*32 +: 32] <= after;
            lefts[n]         <= lost;
        end
        if (valid_ref[LATER]) begin
            assert (number == (refs[LATER*LINE_W +: 32] & (NUMBERS - 1)));
            assert (left_now == lefts[LATER*SLOTS +: SLOTS]);
        end
        cover (valid_ref[LATER] && left && number != 0 && !$past(left));
    end

    generate
        for (k = 0; k <= LATER; k = k + 1) begin : gen_part_ref
            localparam W = k == LATER ? ACC_W - TOP : SEGMENT_W;
            for (i = 0; i < SLOTS; i = i + 1) begin : slot
                wire [31:0] all_ref = refs[k*LINE_W + i*32 +: 32];
                always @(posedge clk) begin
                    if (valid_ref[k])
                        assert (gen_segment[k].parts[(i + 1)*W +: W] == all_ref[k*SEGMENT_W +: W]);
                    if (valid_ref[0]) assert ($signed(refs[i*32 +: 32]) >= LEAST
                                              && $signed(refs[i*32 +: 32]) < LEAST + NUMBERS);
                end
            end
        end
    endgenerate
`endif

endmodule

`default_nettype wire
