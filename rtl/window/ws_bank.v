// SPDX-License-Identifier: Apache-2.0
//
// ws_bank: a row of slots, each with one accumulator per aggregate; a tuple can go to any of the slots in one cycle,
// and a shift moves the contents of each slot down by one.
//
// A slot is an open window or an open pane. Slots are in the order of time: slot 0 is the oldest and the one that
// `shift` closes. The result is therefore always that of slot 0, without a multiplexer. After a shift the last slot is
// empty.
//
// The state of an aggregate is that of ws_fold: {left, seen, number}; number is 0 until a value has been seen.
//
// Parameters   SLOTS                 open windows or panes at once, at least 1
//              AGGS, KINDS, SIGNEDS  see ws_group_window
//              VALUE_W               width of a value in bits, at least 1; even with AMN or AMX
//              ACC_W                 width of a number in bits, at least VALUE_W; at least 2 with SKEW; all but CNT
//                                    and SUM keep only VALUE_W bits
//              SKEW                  1: sums and counts add their upper halves (all but ACC_W/2 bits) one cycle after
//                                    the lower halves, for a faster clock where ACC_W is above 32; 0: in the same cycle
// Ports        add: the slots that take this cycle's tuple; values, nulls: the tuple's, the first aggregate in the most
//              significant bits. A tuple with a null value sets `some`, but the aggregate ignores it. The value of a
//              null must be 0 for a SUM: `nulls` is then not in the path of its carry chain
//              shift: each slot takes the contents of the next one; clear: all slots become empty. At most one of add,
//              shift and clear in a cycle
//              some: slot 0 holds a tuple; states: its states, after all earlier cycles. With SKEW the upper half and
//              `left` of sums and counts come one cycle later
// Latency      1 cycle; from `add`, `shift` or `clear` to `some` and `states`; 1 + SKEW to the parts that come later
// Issue rate   1 tuple, shift or clear per cycle
// Overflow     `left` of a sum or count: it has exceeded ACC_W bits at some point; number is then its lowest ACC_W bits
// Source       windows as in Oge et al., MCSoC 2013, algorithms 1 and 2; panes: Li et al., SIGMOD Record 2005

`default_nettype none

module ws_bank #(
    parameter               SLOTS   = 4,
    parameter               AGGS    = 2,
    parameter [24*AGGS-1:0] KINDS   = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS = 2'b10,
    parameter               VALUE_W = 32,
    parameter               ACC_W   = 64,
    parameter               SKEW    = 0
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire [SLOTS-1:0]          add,
    input  wire                      shift,
    input  wire                      clear,
    input  wire [AGGS*VALUE_W-1:0]   values,
    input  wire [AGGS-1:0]           nulls,

    output wire                      some,
    output wire [AGGS*(ACC_W+2)-1:0] states
);

    localparam LOW  = SKEW != 0 ? ACC_W/2 : 0;    // bits of a sum or count that are added at once,
    localparam HIGH = ACC_W - LOW;                // and those that are added SKEW cycles later

    initial begin
        if (SLOTS < 1 || AGGS < 1 || SKEW < 0 || SKEW > 1) begin
            $display("ERROR: %m: SLOTS = %0d, AGGS = %0d (at least 1), SKEW = %0d (0 or 1)", SLOTS, AGGS, SKEW);
            $finish;
        end
        if (VALUE_W < 1 || ACC_W < VALUE_W || ACC_W < 1 + SKEW) begin
            $display("ERROR: %m: VALUE_W = %0d (at least 1), ACC_W = %0d (at least VALUE_W, and 2 with SKEW)",
                     VALUE_W, ACC_W);
            $finish;
        end
    end

    wire            clears = clear || rst;
    reg [SLOTS-1:0] some_reg;

    assign some = some_reg[0];

    always @(posedge clk) some_reg <= clears ? {SLOTS{1'b0}} : (shift ? some_reg >> 1 : some_reg) | add;

    // The upper halves shift and clear SKEW cycles later.
    wire shift_now, clears_now;

    generate
        if (SKEW != 0) begin : gen_later
            reg shift_reg, clears_reg;
            always @(posedge clk) {shift_reg, clears_reg} <= {shift, clears};
            assign {shift_now, clears_now} = {shift_reg, clears_reg};
        end else begin : gen_at_once
            assign {shift_now, clears_now} = {shift, clears};
        end
    endgenerate

`ifdef FORMAL
    reg             past_valid = 1'b0, past_2_valid = 1'b0;
    reg [SLOTS-1:0] some_ref;
`endif

    // ---- The aggregates

    genvar a, i;
    generate
        for (a = 0; a < AGGS; a = a + 1) begin : aggregate
            localparam [23:0] KIND      = KINDS[24*a +: 24];
            localparam        IS_COUNT  = KIND == "CNT";
            localparam        ADDS      = IS_COUNT || KIND == "SUM";
            localparam        IS_PAIR   = KIND == "AMN" || KIND == "AMX";
            localparam        IS_OTHER  = KIND == "MIN" || KIND == "MAX" || KIND == "FST" || KIND == "LST"
                                       || KIND == "BOR" || KIND == "XOR";
            localparam        IS_SIGNED = SIGNEDS[a] && !IS_COUNT;

            initial if (!ADDS && !IS_OTHER && !IS_PAIR) begin
                $display("ERROR: %m: KINDS has \"%0s\", must be CNT, SUM, MIN, MAX, AMN, AMX, FST, LST, BOR or XOR",
                         KIND);
                $finish;
            end
            initial if (IS_PAIR && VALUE_W % 2 != 0) begin
                $display("ERROR: %m: VALUE_W = %0d, must be even for AMN and AMX", VALUE_W);
                $finish;
            end

            wire [VALUE_W-1:0] value = values[a*VALUE_W +: VALUE_W];
            wire [SLOTS-1:0]   take  = nulls[a] ? {SLOTS{1'b0}} : add;
            reg  [SLOTS-1:0]   seen_reg;
            wire               left;      // slot 0's
            wire [ACC_W-1:0]   number;

            assign states[a*(ACC_W+2) +: ACC_W+2] = {left, seen_reg[0], number};

            always @(posedge clk) seen_reg <= clears ? {SLOTS{1'b0}} : (shift ? seen_reg >> 1 : seen_reg) | take;

            if (ADDS) begin : gen_sum
                // What a tuple adds, with one more sign bit
                wire [ACC_W:0]   term = IS_COUNT ? {{ACC_W{1'b0}}, !nulls[a]}
                                                 : {{(ACC_W+1-VALUE_W){IS_SIGNED && value[VALUE_W-1]}}, value};
                wire [SLOTS*(HIGH+1)-1:0] mores;    // added to the upper half of each slot; without SKEW, to all of it
                wire [SLOTS-1:0]          carry;
                wire                      unused = &{1'b0, value, carry};

                if (SKEW != 0) begin : gen_lower
                    wire [SLOTS*LOW-1:0] low;

                    assign number[LOW-1:0] = low[LOW-1:0];

                    // Few slots have an addend register each, so that no multiplexer precedes the adder.
                    if (SLOTS < 4) begin : gen_each
                        for (i = 0; i < SLOTS; i = i + 1) begin : slot
                            reg [HIGH:0] more_reg;
                            always @(posedge clk) more_reg <= add[i] ? term[ACC_W:LOW] : {(HIGH+1){1'b0}};
                            assign mores[i*(HIGH+1) +: HIGH+1] = more_reg;
                        end
                    end else begin : gen_one
                        reg [HIGH:0]    term_reg;
                        reg [SLOTS-1:0] add_reg;
                        always @(posedge clk) {term_reg, add_reg} <= {term[ACC_W:LOW], add};
                        for (i = 0; i < SLOTS; i = i + 1) begin : slot
                            assign mores[i*(HIGH+1) +: HIGH+1] = term_reg & {(HIGH+1){add_reg[i]}};
                        end
                    end

                    for (i = 0; i < SLOTS; i = i + 1) begin : slot
                        reg  [LOW-1:0] low_reg;
                        reg            carry_reg;
                        wire [LOW-1:0] above = i == SLOTS - 1 ? {LOW{1'b0}} : low[(i + 1)%SLOTS*LOW +: LOW];
                        wire [LOW-1:0] moved = shift ? above : low_reg;
                        wire [LOW-1:0] more  = add[i] ? term[LOW-1:0] : {LOW{1'b0}};
                        wire [LOW:0]   total = {1'b0, moved} + {1'b0, more};
                        assign low[i*LOW +: LOW] = low_reg;
                        assign carry[i]          = carry_reg;
                        always @(posedge clk) begin
                            low_reg   <= clears ? {LOW{1'b0}} : total[LOW-1:0];
                            // The reset only serves placement: registers of one slice share their reset, and with the
                            // reset of low_reg the carry fits into the slice at the end of its chain.
                            carry_reg <= clears ? 1'b0 : total[LOW];
                        end
                    end
                end else begin : gen_no_lower
                    for (i = 0; i < SLOTS; i = i + 1) begin : slot
                        assign mores[i*(HIGH+1) +: HIGH+1] = term & {(HIGH+1){add[i]}};
                    end
                    assign carry = {SLOTS{1'b0}};
                end

                // One more bit shows whether a number exceeds its width; with SKEW it is registered first, so that no
                // cycle both adds and compares.
                wire [SLOTS*HIGH-1:0] high;
                wire [SLOTS-1:0]      leaves, left_before, left_now;
                reg  [SLOTS-1:0]      left_reg;

                assign number[ACC_W-1:LOW] = high[HIGH-1:0];
                assign left                = left_before[0];
                assign left_before         = SKEW != 0 ? left_reg | leaves : left_reg;
                assign left_now            = shift_now ? left_before >> 1 : left_before;

                always @(posedge clk)
                    left_reg <= clears_now ? {SLOTS{1'b0}} : SKEW != 0 ? left_now : left_now | leaves;

                for (i = 0; i < SLOTS; i = i + 1) begin : slot
                    reg  [HIGH-1:0] high_reg;
                    wire [HIGH-1:0] above  = i == SLOTS - 1 ? {HIGH{1'b0}} : high[(i + 1)%SLOTS*HIGH +: HIGH];
                    wire [HIGH-1:0] moved  = shift_now ? above : high_reg;
                    wire [HIGH:0]   before = {IS_SIGNED && moved[HIGH-1], moved};
                    wire [HIGH:0]   more   = mores[i*(HIGH+1) +: HIGH+1];
                    wire [HIGH:0]   total;
                    if (SKEW != 0) begin : gen_carry
                        // The carry enters at the lowest bit of a chain that is one bit longer.
                        wire unused_lowest;
                        reg  over_reg;
                        assign {total, unused_lowest} = {before, 1'b1} + {more, carry[i]};
                        assign leaves[i] = over_reg != (IS_SIGNED && high_reg[HIGH-1]);
                        always @(posedge clk) over_reg <= clears_now ? 1'b0 : total[HIGH];
                    end else begin : gen_no_carry
                        assign total     = before + more;
                        assign leaves[i] = total[HIGH] != (IS_SIGNED && total[HIGH-1]);
                    end
                    assign high[i*HIGH +: HIGH] = high_reg;
                    always @(posedge clk) high_reg <= clears_now ? {HIGH{1'b0}} : total[HIGH-1:0];
                end
            end else begin : gen_one_of_them
                // A better value replaces the kept one in the next cycle. The value after it is therefore compared with
                // both, and no cycle has to compare and then select. For BOR and XOR it is combined with the
                // kept one, which is 0 before the first value.
                wire [SLOTS*VALUE_W-1:0] kept;
                reg  [VALUE_W-1:0]       last_reg;    // the value of the previous cycle
                wire                     over_last;
                wire                     unused = &{1'b0, shift_now, clears_now, over_last};

                assign number    = {{(ACC_W-VALUE_W){IS_SIGNED && kept[VALUE_W-1]}}, kept[VALUE_W-1:0]};
                assign left      = 1'b0;
                assign over_last = better(value, last_reg);

                always @(posedge clk) last_reg <= value;

                function better(input [VALUE_W-1:0] one, input [VALUE_W-1:0] other);
                    // With the sign bit inverted, two's complement numbers compare like unsigned ones. Pairs compare by
                    // their upper halves.
                    reg [VALUE_W-1:0] low, high;
                    begin
                        low  = KIND == "MIN" || KIND == "AMN" ? one : other;
                        high = KIND == "MIN" || KIND == "AMN" ? other : one;
                        low[VALUE_W-1]  = low[VALUE_W-1] ^ IS_SIGNED;
                        high[VALUE_W-1] = high[VALUE_W-1] ^ IS_SIGNED;
                        low  = low >> (IS_PAIR ? VALUE_W/2 : 0);
                        high = high >> (IS_PAIR ? VALUE_W/2 : 0);
                        better = KIND == "LST" || KIND == "BOR" || KIND == "XOR" || (KIND != "FST" && low < high);
                    end
                endfunction

                for (i = 0; i < SLOTS; i = i + 1) begin : slot
                    reg  [VALUE_W-1:0] kept_reg;
                    reg                wins_reg;      // the value of the previous cycle replaces it
                    wire [VALUE_W-1:0] above = i == SLOTS - 1 ? {VALUE_W{1'b0}}
                                                              : kept[(i + 1)%SLOTS*VALUE_W +: VALUE_W];
                    wire               over  = wins_reg ? over_last : better(value, kept_reg);
                    wire [VALUE_W-1:0] taken = KIND == "BOR" ? kept_reg | last_reg
                                               : KIND == "XOR" ? kept_reg ^ last_reg : last_reg;
                    assign kept[i*VALUE_W +: VALUE_W] = wins_reg ? taken : kept_reg;
                    always @(posedge clk) begin
                        wins_reg <= take[i] && (!seen_reg[i] || over) && !clears;
                        kept_reg <= clears ? {VALUE_W{1'b0}} : shift ? above : kept[i*VALUE_W +: VALUE_W];
                    end
                end
            end

`ifdef FORMAL
            // A model of every slot in integers, with its contents of the previous cycle.
            localparam integer VALUES = 1 << VALUE_W, NUMBERS = ADDS ? 1 << ACC_W : VALUES;
            localparam integer LEAST  = IS_SIGNED ? -NUMBERS/2 : 0;
            reg [32*SLOTS-1:0] number_ref, before_ref;
            reg [SLOTS-1:0]    seen_ref, left_ref, left_before_ref;
            integer            n, v, was, now;
            reg                had, lost;

            always @(posedge clk) begin
                if (KIND == "SUM") assume (!nulls[a] || value == 0);
                v = IS_SIGNED && value >= VALUES/2 ? value - VALUES : value;
                for (n = 0; n < SLOTS; n = n + 1) begin
                    was  = !shift ? number_ref[32*n +: 32] : n == SLOTS - 1 ? 0 : number_ref[32*((n + 1)%SLOTS) +: 32];
                    had  = !shift ? seen_ref[n] : n < SLOTS - 1 && seen_ref[(n + 1)%SLOTS];
                    lost = !shift ? left_ref[n] : n < SLOTS - 1 && left_ref[(n + 1)%SLOTS];
                    now  = was;
                    if (add[n] && !nulls[a]) case (KIND)
                        "CNT":   now = was + 1;
                        "SUM":   now = was + v;
                        "MIN":   now = had && was <= v ? was : v;
                        "MAX":   now = had && was >= v ? was : v;
                        "AMN":   now = had && was >>> VALUE_W/2 <= v >>> VALUE_W/2 ? was : v;
                        "AMX":   now = had && was >>> VALUE_W/2 >= v >>> VALUE_W/2 ? was : v;
                        "FST":   now = had ? was : v;
                        "BOR":   now = was | v;
                        "XOR":   now = was ^ v;
                        default: now = v;
                    endcase
                    lost = lost || now < LEAST || now >= LEAST + NUMBERS;
                    now  = now < LEAST ? now + NUMBERS : now >= LEAST + NUMBERS ? now - NUMBERS : now;
                    number_ref[32*n +: 32] <= rst || clear ? 0 : now;
                    seen_ref[n]            <= !rst && !clear && (had || (add[n] && !nulls[a]));
                    left_ref[n]            <= !rst && !clear && lost;
                end
                before_ref      <= number_ref;
                left_before_ref <= left_ref;

                if (past_valid) for (n = 0; n < SLOTS; n = n + 1) begin
                    was = number_ref[32*n +: 32];
                    assert (was >= LEAST && was < LEAST + NUMBERS && (seen_ref[n] || was == 0));
                    assert (seen_reg[n] == seen_ref[n]);
                end
                if (past_valid) begin
                    was = number_ref[31:0];
                    assert (states[a*(ACC_W+2) + ACC_W] == seen_ref[0]);
                    if (!ADDS || SKEW == 0) begin
                        assert (number == (was & ((1 << ACC_W) - 1)));
                        assert (states[a*(ACC_W+2) + ACC_W + 1] == (ADDS && left_ref[0]));
                    end else begin
                        assert ((number & ((1 << LOW) - 1)) == (was & ((1 << LOW) - 1)));
                        if (past_2_valid) begin
                            was = before_ref[31:0];
                            assert (number >> LOW == (was & (NUMBERS - 1)) >> LOW);
                            assert (left == left_before_ref[0]);
                        end
                    end
                    cover (seen_ref == {SLOTS{1'b1}} && (!ADDS || (left_ref[0] && number_ref[31:0] != 0)));
                end
            end

            if (ADDS) begin : gen_sum_ref
                for (i = 0; i < SLOTS; i = i + 1) begin : slot
                    wire [31:0] all_ref = SKEW != 0 ? before_ref[32*i +: 32] : number_ref[32*i +: 32];
                    always @(posedge clk) if (past_2_valid) begin
                        assert (gen_sum.high[i*HIGH +: HIGH] == all_ref[ACC_W-1:LOW]);
                        assert (gen_sum.left_before[i] == (SKEW != 0 ? left_before_ref[i] : left_ref[i]));
                    end
                    if (SKEW != 0) begin : gen_low_ref
                        always @(posedge clk) if (past_valid)
                            assert (gen_sum.gen_lower.low[i*LOW +: LOW] == number_ref[32*i +: LOW]);
                    end
                end
            end else begin : gen_kept_ref
                for (i = 0; i < SLOTS; i = i + 1) begin : slot
                    always @(posedge clk) if (past_valid)
                        assert (gen_one_of_them.kept[i*VALUE_W +: VALUE_W] == number_ref[32*i +: VALUE_W]);
                end
            end
`endif
        end
    endgenerate

`ifdef FORMAL
    always @(posedge clk) begin
        past_valid   <= 1'b1;
        past_2_valid <= past_valid;
        some_ref     <= rst || clear ? {SLOTS{1'b0}} : shift ? some_ref >> 1 : some_ref | add;
        if (!past_valid) assume (rst);
        assume (!(shift && add != 0));
        if (past_valid) assert (some_reg == some_ref);
        if (past_valid) assert (some == some_ref[0]);
        cover (past_valid && some && (SLOTS == 1 || $past(shift && !some)));
    end
`endif

endmodule

`default_nettype wire
