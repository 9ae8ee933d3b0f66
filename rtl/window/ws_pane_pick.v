// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_pick: selects the aggregate of two successive runs of panes from those of each run, for aggregates other than
// sums; with newer_wins, the function `both` of ws_pane_both.vh gives it.
//
// Numbers are compared in two halves in parallel, each with a carry chain of its own, for a clock of 200 MHz on an ECP5
// with 64 bits.
//
// Parameters   KIND      the aggregate, "MIN", "MAX", "AMN", "AMX", "FST", "LST", "BOR" or "XOR"
//              SIGNED    1: numbers are two's complement, for MIN and MAX; for AMN and AMX what they compare
//              NUMBER_W  width of a number in bits, at least 2; of FST and LST it is {seen, value}, of AMN and AMX
//                        {seen, order, any}, at least 3, where the last two are equally wide
// Ports        older, newer: the numbers of the two runs; newer_wins: the number of both is `newer`, else `older`;
//              always 1 for BOR and XOR, where it is the OR or XOR of their bits
//              identity: the number of an empty run, which any other number replaces: for MIN the largest number, for
//              MAX the least, for all others 0
// Latency      1 cycle; from older and newer to newer_wins, which is not a register but a gate of three
// Issue rate   1 pair per cycle
// Source       associative operators for sliding windows: Tangwongsan et al., PVLDB 8(7), 2015

`default_nettype none

module ws_pane_pick #(
    parameter [23:0] KIND     = "MIN",
    parameter        SIGNED   = 1,
    parameter        NUMBER_W = 32
) (
    input  wire                clk,

    input  wire [NUMBER_W-1:0] older,
    input  wire [NUMBER_W-1:0] newer,
    output wire                newer_wins,
    output wire [NUMBER_W-1:0] identity
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam IS_PAIR  = KIND == "AMN" || KIND == "AMX";
    localparam IS_MIN   = KIND == "MIN" || KIND == "AMN";
    localparam COMPARES = IS_PAIR || IS_MIN || KIND == "MAX";

    initial begin
        if (!COMPARES && KIND != "FST" && KIND != "LST" && KIND != "BOR" && KIND != "XOR") begin
            $display("ERROR: %m: KIND = \"%0s\", must be MIN, MAX, AMN, AMX, FST, LST, BOR or XOR", KIND);
            $finish;
        end
        if (IS_PAIR && NUMBER_W % 2 == 0) begin
            $display("ERROR: %m: NUMBER_W = %0d, must be odd for AMN and AMX", NUMBER_W);
            $finish;
        end
        if (NUMBER_W < 2 || (IS_PAIR && NUMBER_W < 3)) begin
            $display("ERROR: %m: NUMBER_W = %0d, must be at least 2, and 3 for AMN and AMX", NUMBER_W);
            $finish;
        end
    end

    generate
        if (COMPARES) begin : gen_compare
            localparam LOW_W = NUMBER_W / 2, UP_W = NUMBER_W - LOW_W;
            wire [NUMBER_W-1:0] less = IS_MIN ? newer : older;   // wins if it is less
            wire [NUMBER_W-1:0] more = IS_MIN ? older : newer;
            // Upper halves with inverted signs, so that signed and unsigned numbers compare alike. The sign of a pair
            // follows `seen`, and an empty run, which never wins, is the greatest for AMN.
            localparam [NUMBER_W-1:0] TOP  = {1'b1, {(NUMBER_W-1){1'b0}}}, NONE = {NUMBER_W{1'b0}};
            localparam [NUMBER_W-1:0] SIGN = SIGNED == 0 ? NONE : IS_PAIR ? TOP >> 1 : TOP;
            localparam [NUMBER_W-1:0] TURN = IS_PAIR && IS_MIN ? SIGN | TOP : SIGN;
            wire [UP_W-1:0]     less_up = less[NUMBER_W-1:LOW_W] ^ TURN[NUMBER_W-1:LOW_W];
            wire [UP_W-1:0]     more_up = more[NUMBER_W-1:LOW_W] ^ TURN[NUMBER_W-1:LOW_W];
            reg                 up_wins_reg;

            always @(posedge clk) up_wins_reg <= less_up < more_up;

            if (IS_PAIR) begin : gen_upper
                wire unused = &{1'b0, less, more};
                assign newer_wins = up_wins_reg;
                assign identity   = NONE;
            end else begin : gen_halves
                reg up_ties_reg, low_wins_reg;

                always @(posedge clk) begin
                    up_ties_reg  <= less_up == more_up;
                    low_wins_reg <= less[LOW_W-1:0] < more[LOW_W-1:0];
                end

                assign newer_wins = up_wins_reg || (up_ties_reg && low_wins_reg);
                assign identity   = {IS_MIN ^ (SIGNED != 0), {(NUMBER_W-1){IS_MIN}}};
            end
        end else if (KIND == "BOR" || KIND == "XOR") begin : gen_bits
            wire unused = &{1'b0, clk, older, newer};
            assign newer_wins = 1'b1;
            assign identity   = {NUMBER_W{1'b0}};
        end else begin : gen_seen
            wire unused = &{1'b0, older, newer};
            reg  wins_reg;
            always @(posedge clk) wins_reg <= KIND == "LST" ? newer[NUMBER_W-1] : !older[NUMBER_W-1];
            assign newer_wins = wins_reg;
            assign identity   = {NUMBER_W{1'b0}};
        end
    endgenerate

`ifdef FORMAL
    // A model in integers, and the identity on either side.
    localparam integer NUMBERS = 1 << NUMBER_W;
    reg                past_valid = 1'b0;
    localparam integer HALF    = (NUMBER_W - 1)/2, ORDERS = 1 << HALF;  // of a pair
    integer            a, b;                                     // older and newer, one cycle ago
    wire               equal = a == b;
    reg                formed;                                   // of pairs: an empty run has 0
    reg                seen_a, seen_b;                           // whether there is one, and its order
    integer            order_a, order_b;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        a <= SIGNED != 0 && older >= NUMBERS/2 ? older - NUMBERS : older;
        b <= SIGNED != 0 && newer >= NUMBERS/2 ? newer - NUMBERS : newer;
        if (IS_PAIR) begin
            formed <= (older[NUMBER_W-1] || older == 0) && (newer[NUMBER_W-1] || newer == 0);
            {seen_a, seen_b} <= {older[NUMBER_W-1], newer[NUMBER_W-1]};
            order_a <= older[HALF +: HALF] - (SIGNED != 0 && older[NUMBER_W-2] ? ORDERS : 0);
            order_b <= newer[HALF +: HALF] - (SIGNED != 0 && newer[NUMBER_W-2] ? ORDERS : 0);
        end
        if (past_valid) begin
            case (KIND)
                "MIN":   assert (newer_wins == (b < a));
                "MAX":   assert (newer_wins == (b > a));
                "AMN":   assert (!formed || newer_wins == (seen_b && (!seen_a || order_b < order_a)));
                "AMX":   assert (!formed || newer_wins == (seen_b && (!seen_a || order_b > order_a)));
                "FST":   assert (newer_wins == !$past(older[NUMBER_W-1]));
                "BOR", "XOR": assert (newer_wins);
                default: assert (newer_wins == $past(newer[NUMBER_W-1]));
            endcase
            if (COMPARES) begin
                if ($past(older) == identity && (formed || !IS_PAIR)) assert (newer_wins || equal);
                if ($past(newer) == identity && (formed || !IS_PAIR)) assert (!newer_wins);
            end else assert (identity == 0);
        end
        cover (past_valid && newer_wins && !equal && $past(older) != identity);
        cover (past_valid && !newer_wins && !equal && $past(newer) != identity);
    end
`endif

endmodule

`default_nettype wire
