// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_scan: the aggregate of the last PANES panes as published, by reading all of them at the end of each window.
//
// The pane buffer is a ring with as many places as a window has panes. After the last pane of a window all panes are
// read, oldest first, one per cycle, and folded (the window-level query). For a clock of 200 MHz on an ECP5 with 64
// bits, sums, which are exact, are added in two halves, each with a buffer of its own, the upper half one cycle after
// the lower; other aggregates first combine pairs of panes.
//
// Parameters   KIND      the aggregate, "CNT", "SUM", "MIN", "MAX", "AMN", "AMX", "FST", "LST", "BOR" or "XOR"
//              SIGNED    1: numbers are two's complement (CNT: they never are)
//              NUMBER_W  width of a pane's number in bits, at least 2; see ws_pane_pick
//              PANES     panes in a window, 1 to 65536
//              SKEW      1: the upper half of a sum or count, from bit NUMBER_W / 2 of `pane` on, comes in the cycle
//                        after push; 0: with push
// Ports        push: a pane has closed; pane: its number; if it is empty, 0 or the identity of ws_pane_pick
//              last: in the cycle after push, a window ends with this pane
//              clear: all panes so far, including one pushed in this cycle, are empty for the windows that end after
//              this cycle
//              done, result: the window's aggregate; the result is wide enough for any sum
// Latency      PANES + 7 cycles; from push to done and result
// Issue rate   1 push per cycle; after the last pane of a window, none before PANES + 1 cycles have passed
// CLOSE_CYCLES PANES + 1
// Bad input    a push while panes are read: not allowed
// Source       Y. Oge et al., CANDAR 2013, sections III.C and IV.E, equation 3, algorithms 3 and 4

`default_nettype none

module ws_pane_scan #(
    parameter [23:0] KIND     = "SUM",
    parameter        SIGNED   = 1,
    parameter        NUMBER_W = 64,
    parameter        PANES    = 64,
    parameter        SKEW     = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                clear,
    input  wire                push,
    input  wire                last,
    input  wire [NUMBER_W-1:0] pane,
    output reg                 done,
    output wire [NUMBER_W + (KIND == "SUM" || KIND == "CNT" ? $clog2(PANES) : 0) - 1:0] result
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam ADDS   = KIND == "SUM" || KIND == "CNT";
    localparam ADDR_W = PANES > 1 ? $clog2(PANES) : 1;
    localparam LEFT_W = $clog2(PANES + 1);
    localparam STYLE  = ADDR_W > 5 ? "block" : "distributed";
    localparam integer OTHERS = PANES - 1;

    initial if (NUMBER_W < 2 || PANES < 1 || PANES > 65536 || SKEW < 0 || SKEW > 1) begin
        $display("ERROR: %m: NUMBER_W = %0d (at least 2), PANES = %0d (1 to 65536), SKEW = %0d (0 or 1)",
                 NUMBER_W, PANES, SKEW);
        $finish;
    end

    // ---- Stage 0: the places of the pane buffer. Panes from before a clear are read but not folded, so that every
    // window takes equally long. Reading begins at every push, and stops one cycle later if no window ends there.

    reg  [ADDR_W-1:0] write_reg, read_reg;
    reg  [LEFT_W-1:0] missing_reg;          // panes missing until a window is full again
    reg  [LEFT_W-1:0] left_reg, skip_reg;   // panes to read after this one; panes, from this one on, not to fold
    reg               reading_reg, first_reg;
    wire [LEFT_W-1:0] missing = missing_reg == 0 ? missing_reg : missing_reg - 1'b1;
    wire              reads   = reading_reg && (last || !first_reg);

    always @(posedge clk) begin
        first_reg <= push;
        if (push) begin
            write_reg   <= write_reg + 1'b1;
            missing_reg <= missing;
            reading_reg <= 1'b1;
            read_reg    <= write_reg - OTHERS[ADDR_W-1:0];
            left_reg    <= OTHERS[LEFT_W-1:0];
            skip_reg    <= missing;
        end else if (reading_reg) begin
            reading_reg <= reads && left_reg != 0;
            read_reg    <= read_reg + 1'b1;
            left_reg    <= left_reg - 1'b1;
            if (skip_reg != 0) skip_reg <= skip_reg - 1'b1;
        end
        if (rst || clear) missing_reg <= PANES[LEFT_W-1:0];
        if (rst) begin
            write_reg   <= {ADDR_W{1'b0}};
            reading_reg <= 1'b0;
        end
    end

    // ---- Stages 1 to 7: the RAM outputs the word (2), which is replaced by the identity if it is not folded (3). A
    // sum adds it (4, 5). Otherwise it is compared with its neighbour (3), the pair becomes one number (5), which is
    // compared with the fold so far (5) and folded (7).

    reg [2:1] take_reg;
    reg [6:1] end_reg;

    always @(posedge clk) begin
        take_reg <= {take_reg[1], reads && skip_reg == 0};
        end_reg  <= {end_reg[5:1], reads && left_reg == 0};
        done     <= end_reg[6];
        if (rst) begin
            take_reg <= 2'b0;
            end_reg  <= 6'b0;
            done     <= 1'b0;
        end
    end

    generate
        if (ADDS) begin : gen_sum
            localparam LOW_W  = NUMBER_W / 2;
            localparam UP_W   = NUMBER_W - LOW_W;            // of a pane
            localparam HIGH_W = UP_W + $clog2(PANES);        // of a sum
            localparam IS_SIGNED = SIGNED != 0 && KIND == "SUM";

            // The upper half works one cycle later.
            reg               push_1_reg, reading_1_reg, take_3_reg;
            reg  [ADDR_W-1:0] write_1_reg, read_1_reg;
            wire [UP_W-1:0]   pane_up;
            wire [LOW_W-1:0]  word_low;
            wire [UP_W-1:0]   word_up;

            always @(posedge clk) begin
                push_1_reg    <= push;
                reading_1_reg <= reading_reg;
                take_3_reg    <= take_reg[2] && !rst;
                write_1_reg   <= write_reg;
                read_1_reg    <= read_reg;
            end

            if (SKEW != 0) begin : gen_skew
                assign pane_up = pane[NUMBER_W-1:LOW_W];
            end else begin : gen_no_skew
                reg [UP_W-1:0] pane_up_reg;
                always @(posedge clk) pane_up_reg <= pane[NUMBER_W-1:LOW_W];
                assign pane_up = pane_up_reg;
            end

            ws_ram_sdp #(.DATA_W(LOW_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE(STYLE)) buffer_low (
                .clk(clk),
                .wr_en(push),        .wr_addr(write_reg), .wr_data(pane[LOW_W-1:0]),
                .rd_en(reading_reg), .rd_addr(read_reg),  .rd_data(word_low)
            );
            ws_ram_sdp #(.DATA_W(UP_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE(STYLE)) buffer_up (
                .clk(clk),
                .wr_en(push_1_reg),    .wr_addr(write_1_reg), .wr_data(pane_up),
                .rd_en(reading_1_reg), .rd_addr(read_1_reg),  .rd_data(word_up)
            );

            reg  [LOW_W-1:0]  term_low_reg, sum_low_reg, sum_low_1_reg;
            reg  [UP_W-1:0]   term_up_reg;
            reg  [HIGH_W-1:0] sum_high_reg;
            reg               carry_reg;
            reg  [HIGH_W+LOW_W-1:0] result_reg;
            wire [HIGH_W-1:0] term_high = {{$clog2(PANES){IS_SIGNED && term_up_reg[UP_W-1]}}, term_up_reg};

            always @(posedge clk) begin
                term_low_reg <= take_reg[2] ? word_low : {LOW_W{1'b0}};
                {carry_reg, sum_low_reg} <= {1'b0, sum_low_reg} + {1'b0, term_low_reg};
                if (rst || end_reg[4]) {carry_reg, sum_low_reg} <= {(LOW_W + 1){1'b0}};
                if (rst) term_low_reg <= {LOW_W{1'b0}};
                sum_low_1_reg <= sum_low_reg;

                term_up_reg  <= take_3_reg ? word_up : {UP_W{1'b0}};
                sum_high_reg <= sum_high_reg + term_high + {{(HIGH_W-1){1'b0}}, carry_reg};
                if (rst || end_reg[5]) sum_high_reg <= {HIGH_W{1'b0}};
                if (rst) term_up_reg <= {UP_W{1'b0}};

                if (end_reg[5]) result_reg <= {sum_high_reg, sum_low_1_reg};
            end

            assign result = result_reg;
        end else begin : gen_pick
            // A selection takes two cycles, so panes are combined in pairs before they are folded. With an odd number
            // of panes the first one is single, not the last: nothing precedes it.
            localparam integer FIRST = OTHERS - OTHERS % 2;    // panes left after the second one of the first pair
            wire [NUMBER_W-1:0] word, identity, unused_identity;
            reg  [NUMBER_W-1:0] term_reg, term_1_reg, term_2_reg, pair_reg, fold_reg;
            wire                pair_wins, fold_wins;
            `include "ws_pane_both.vh"
            reg  [6:1]          second_reg, begin_reg;    // by stage: the second pane of a pair, of the first pair
            wire                unused = &{1'b0, unused_identity};

            always @(posedge clk) begin
                second_reg <= {second_reg[5:1], reads && !left_reg[0]};
                begin_reg  <= {begin_reg[5:1], left_reg == FIRST[LEFT_W-1:0]};
            end

            ws_ram_sdp #(.DATA_W(NUMBER_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE(STYLE)) buffer (
                .clk(clk),
                .wr_en(push),        .wr_addr(write_reg), .wr_data(pane),
                .rd_en(reading_reg), .rd_addr(read_reg),  .rd_data(word)
            );
            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_pair (
                .clk(clk), .older(term_1_reg), .newer(term_reg), .newer_wins(pair_wins), .identity(identity)
            );
            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_fold (
                .clk(clk), .older(fold_reg), .newer(pair_reg), .newer_wins(fold_wins), .identity(unused_identity)
            );

            always @(posedge clk) begin
                term_reg   <= take_reg[2] && !rst ? word : identity;
                term_1_reg <= term_reg;
                term_2_reg <= term_1_reg;
                if (second_reg[4]) pair_reg <= both(pair_wins, term_1_reg, term_2_reg);
                if (second_reg[6] && (fold_wins || begin_reg[6]))
                    fold_reg <= begin_reg[6] ? pair_reg : both(1'b1, pair_reg, fold_reg);
            end

            assign result = fold_reg;
        end
    endgenerate

`ifdef FORMAL
    // The panes themselves, newest in the lowest bits, and the result that is due for each window. The reference takes
    // a pane in the cycle after its push, when all of it has come.
    localparam integer RESULT_W = NUMBER_W + (ADDS ? $clog2(PANES) : 0), DELAY = PANES + 6;
    localparam integer UPPER    = ADDS && SKEW != 0 ? NUMBER_W / 2 : NUMBER_W;  // from this bit on a pane is late
    localparam [NUMBER_W-1:0] TOP = 1 << (NUMBER_W - 1);
    localparam [NUMBER_W-1:0] NOTHING = KIND == "MIN" ? (SIGNED != 0 ? TOP - 1'b1 : {NUMBER_W{1'b1}})
                                      : KIND == "MAX" && SIGNED != 0 ? TOP : {NUMBER_W{1'b0}};
    reg                          past_valid = 1'b0;
    reg                          push_1_ref, clear_1_ref;
    reg  [NUMBER_W-1:0]          pane_1_ref;
    wire [NUMBER_W-1:0]          whole_pane = (pane_1_ref & ((1 << UPPER) - 1)) | (pane & ~((1 << UPPER) - 1));
    reg  [PANES*NUMBER_W-1:0]    panes_ref, panes;
    reg  [RESULT_W-1:0]          window;
    reg  [DELAY-1:0]             due_ref;
    reg  [DELAY*RESULT_W-1:0]    windows_ref;
    wire                         passes = push_1_ref && !last;    // the last pane ends no window
    integer                      quiet_ref;       // cycles for which no pane may come if it ends one
    integer i;

    function [RESULT_W-1:0] wide(input [NUMBER_W-1:0] number);
        wide = {{RESULT_W{KIND == "SUM" && SIGNED != 0 && number[NUMBER_W-1]}}, number};
    endfunction

    function [NUMBER_W-1:0] order(input [NUMBER_W-1:0] pair);    // biased, so that it compares as unsigned number
        order = (SIGNED != 0 ? pair ^ TOP >> 1 : pair) >> NUMBER_W/2;
    endfunction

    function [RESULT_W-1:0] step_ref(input [RESULT_W-1:0] older, input [NUMBER_W-1:0] newer);
        reg [NUMBER_W-1:0] a, b;                  // biased, so that they compare as unsigned numbers
        begin
            a = SIGNED != 0 ? older[NUMBER_W-1:0] + TOP : older[NUMBER_W-1:0];
            b = SIGNED != 0 ? newer + TOP : newer;
            case (KIND)
                "MIN":   step_ref = a < b ? older : newer;
                "MAX":   step_ref = a > b ? older : newer;
                "AMN":   step_ref = newer >= TOP && (older < TOP || order(newer) < order(older)) ? newer : older;
                "AMX":   step_ref = newer >= TOP && (older < TOP || order(newer) > order(older)) ? newer : older;
                "FST":   step_ref = older >= TOP ? older : newer;
                "LST":   step_ref = newer >= TOP ? newer : older;
                "BOR":   step_ref = older | newer;
                "XOR":   step_ref = older ^ newer;
                default: step_ref = older + wide(newer);
            endcase
        end
    endfunction

    always @* begin
        panes  = {panes_ref, whole_pane};
        window = NOTHING;
        for (i = PANES - 1; i >= 0; i = i - 1) window = step_ref(window, panes[i*NUMBER_W +: NUMBER_W]);
    end

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        push_1_ref  <= push;
        clear_1_ref <= rst || clear;
        pane_1_ref  <= pane;
        if (push_1_ref) panes_ref <= panes;
        if (clear_1_ref) panes_ref <= {PANES{NOTHING}};
        due_ref     <= rst ? {DELAY{1'b0}} : {due_ref, push_1_ref && last && !$past(rst)};
        windows_ref <= {windows_ref, window};
        quiet_ref   <= rst ? 0 : push ? PANES : passes ? 0 : quiet_ref - (quiet_ref > 0);

        if (!past_valid) assume (rst);
        else begin
            assume (!push || quiet_ref == 0 || passes);
            if (KIND == "FST" || KIND == "LST" || KIND == "AMN" || KIND == "AMX")
                assume (!push || pane >= TOP || pane == 0);
            ref_done:   assert ($past(rst) ? !done : done == due_ref[DELAY-1]);
            ref_result: assert (!done || result == windows_ref[(DELAY-1)*RESULT_W +: RESULT_W]);

            // The pointers: the pane being read is `left_reg` older than the newest; panes come while none is read.
            assert (quiet_ref >= 0 && quiet_ref <= PANES);
            assert (reading_reg == (quiet_ref > 0));
            assert (!reading_reg || left_reg == quiet_ref - 1);
            assert (!reading_reg || read_reg == write_reg - 1'b1 - left_reg[ADDR_W-1:0]);
            assert (missing_reg <= PANES);
        end
        cover (past_valid && done && result != NOTHING && windows_ref[(DELAY-1)*RESULT_W +: RESULT_W] != 0);
        cover (past_valid && push_1_ref && last && done);
    end
`endif

endmodule

`default_nettype wire
