// SPDX-License-Identifier: Apache-2.0
//
// ws_lane_bank: ws_bank for LANES tuples per cycle.
//
// Each lane has a bank of its own; a tree with a register at each level merges slot 0 of all banks. FST and LST depend
// on the order of arrival: cycle, then lane. They have one bank per slot instead, which takes the first or last of the
// cycle's values for that slot; what a shift has moved down from a higher slot arrived earlier.
//
// Parameters   LANES           tuples per cycle, 1, 2, 4 or 8; with several lanes FST and LST allow no more slots than
//                              lanes, and there are no AMN and AMX, whose banks would merge out of order
//              SLOTS, VALUE_W, ACC_W, SKEW  see ws_bank
//              AGGS            number of aggregates, at least 1
//              KINDS, SIGNEDS  see ws_group_window
// Ports        as of ws_bank, with a part of add, values and nulls for each lane, lane 0 in the least significant bits
// Latency      1 + log2(LANES) cycles; log2(LANES) more than ws_bank
// Issue rate   LANES tuples, 1 shift or 1 clear per cycle
// Overflow     `left` of a sum or count: a lane has exceeded ACC_W bits at some point, or the sum of the lanes does;
//              number is then its lowest ACC_W bits
// Source       ours

`default_nettype none

module ws_lane_bank #(
    parameter               LANES   = 4,
    parameter               SLOTS   = 2,
    parameter               AGGS    = 2,
    parameter [24*AGGS-1:0] KINDS   = "SUMCNT",
    parameter [AGGS-1:0]    SIGNEDS = 2'b10,
    parameter               VALUE_W = 32,
    parameter               ACC_W   = 64,
    parameter               SKEW    = 0
) (
    input  wire                          clk,
    input  wire                          rst,

    input  wire [LANES*SLOTS-1:0]        add,
    input  wire                          shift,
    input  wire                          clear,
    input  wire [LANES*AGGS*VALUE_W-1:0] values,
    input  wire [LANES*AGGS-1:0]         nulls,

    output wire                          some,
    output wire [AGGS*(ACC_W+2)-1:0]     states
);

    initial if (AGGS < 1) begin
        $display("ERROR: %m: AGGS = %0d (at least 1)", AGGS);
        $finish;
    end

    localparam STAGES  = $clog2(LANES);
    localparam STATE_W = ACC_W + 2;

    initial if (LANES != 1 && LANES != 2 && LANES != 4 && LANES != 8) begin
        $display("ERROR: %m: LANES = %0d, must be 1, 2, 4 or 8", LANES);
        $finish;
    end

    genvar a, l, n;
    generate
        if (LANES == 1) begin : gen_one_lane
            ws_bank #(
                .SLOTS(SLOTS), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS), .VALUE_W(VALUE_W), .ACC_W(ACC_W),
                .SKEW(SKEW)
            ) bank (
                .clk(clk), .rst(rst), .clear(clear), .add(add), .values(values), .nulls(nulls), .shift(shift),
                .some(some), .states(states)
            );
        end else begin : gen_lanes
            wire [AGGS*LANES-1:0] held;       // slot 0 of a bank holds a tuple; the same for every aggregate
            wire [STAGES:0]       some_at;    // any bank's slot 0 does, after each level
            wire                  unused = &{1'b0, held};

            assign some_at[0] = |held[LANES-1:0];
            assign some       = some_at[STAGES];

            for (n = 0; n < STAGES; n = n + 1) begin : gen_some
                reg some_reg;
                always @(posedge clk) some_reg <= some_at[n];
                assign some_at[n + 1] = some_reg;
            end

            for (a = 0; a < AGGS; a = a + 1) begin : gen_aggregate
                localparam [23:0] KIND    = KINDS[24*a +: 24];
                localparam        ORDERED = KIND == "FST" || KIND == "LST";

                initial if (KIND == "AMN" || KIND == "AMX") begin
                    $display("ERROR: %m: LANES = %0d, must be 1 with AMN or AMX", LANES);
                    $finish;
                end
                initial if (ORDERED && SLOTS > LANES) begin
                    $display("ERROR: %m: SLOTS = %0d, must be at most LANES = %0d with FST or LST", SLOTS, LANES);
                    $finish;
                end

                // A binary tree: node n merges nodes 2n and 2n + 1. The banks are nodes LANES to 2*LANES - 1; banks
                // with earlier tuples come first.
                wire [2*LANES*STATE_W-1:STATE_W] nodes;

                assign states[a*STATE_W +: STATE_W] = nodes[STATE_W +: STATE_W];

                for (n = 1; n < LANES; n = n + 1) begin : gen_merge
                    ws_state_merge #(
                        .KIND(KIND), .SIGNED(SIGNEDS[a]), .VALUE_W(VALUE_W), .ACC_W(ACC_W), .SKEW(SKEW)
                    ) merge (
                        .clk(clk),
                        .earlier(nodes[2*n*STATE_W +: STATE_W]), .later(nodes[(2*n + 1)*STATE_W +: STATE_W]),
                        .merged(nodes[n*STATE_W +: STATE_W])
                    );
                end

                for (l = 0; l < LANES; l = l + 1) begin : gen_bank
                    wire [SLOTS-1:0]   bank_add;
                    wire [VALUE_W-1:0] value;
                    wire               null;

                    if (!ORDERED) begin : gen_lane
                        assign bank_add = add[l*SLOTS +: SLOTS];
                        assign value    = values[(l*AGGS + a)*VALUE_W +: VALUE_W];
                        assign null     = nulls[l*AGGS + a];
                    end else begin : gen_slot
                        localparam SLOT = l < SLOTS ? SLOTS - 1 - l : 0;    // banks after the first SLOTS are idle
                        reg  [SLOTS-1:0]   adds;
                        reg                none;
                        reg  [VALUE_W-1:0] pick;
                        integer            k, lane;

                        always @* begin
                            adds = {SLOTS{1'b0}};
                            none = 1'b1;
                            pick = {VALUE_W{1'b0}};
                            for (k = 0; k < LANES; k = k + 1) begin
                                lane = KIND == "FST" ? LANES - 1 - k : k;    // the last one visited wins
                                if (l < SLOTS && add[lane*SLOTS + SLOT]) begin
                                    adds[SLOT] = 1'b1;
                                    if (!nulls[lane*AGGS + a]) begin
                                        none = 1'b0;
                                        pick = values[(lane*AGGS + a)*VALUE_W +: VALUE_W];
                                    end
                                end
                            end
                        end

                        assign bank_add = adds;
                        assign value    = pick;
                        assign null     = none;
                    end

                    ws_bank #(
                        .SLOTS(SLOTS), .AGGS(1), .KINDS(KIND), .SIGNEDS(SIGNEDS[a]),
                        .VALUE_W(VALUE_W), .ACC_W(ACC_W), .SKEW(SKEW)
                    ) bank (
                        .clk(clk), .rst(rst), .clear(clear),
                        .add(bank_add), .values(value), .nulls(null), .shift(shift),
                        .some(held[a*LANES + l]), .states(nodes[(LANES + l)*STATE_W +: STATE_W])
                    );
                end

`ifdef FORMAL
                // A model of every slot in exact integers, tuple after tuple, and slot 0 of the last STAGES cycles.
                // SKEW is 0.
                localparam         IS_SIGNED = SIGNEDS[a] && KIND != "CNT";
                localparam integer VALUES = 1 << VALUE_W, NUMBERS = 1 << ACC_W, LEAST = IS_SIGNED ? -NUMBERS/2 : 0;
                reg [32*SLOTS-1:0]      number_ref;
                reg [SLOTS-1:0]         seen_ref;
                reg [32*(STAGES+1)-1:0] numbers;
                reg [STAGES:0]          seens;
                integer                 at, to, v, now;
                reg                     had;

                always @* begin
                    numbers[31:0] = number_ref[31:0];
                    seens[0]      = seen_ref[0];
                end

                always @(posedge clk) begin
                    numbers[32*(STAGES+1)-1:32] <= numbers[32*STAGES-1:0];
                    seens[STAGES:1]             <= seens[STAGES-1:0];
                    if (KIND == "SUM") for (at = 0; at < LANES; at = at + 1)
                        assume (!nulls[at*AGGS + a] || values[(at*AGGS + a)*VALUE_W +: VALUE_W] == 0);
                    if (shift) {number_ref, seen_ref} <= {32'd0, number_ref[32*SLOTS-1:32], 1'b0, seen_ref[SLOTS-1:1]};
                    else for (to = 0; to < SLOTS; to = to + 1) begin
                        now = number_ref[32*to +: 32];
                        had = seen_ref[to];
                        for (at = 0; at < LANES; at = at + 1) if (add[at*SLOTS + to] && !nulls[at*AGGS + a]) begin
                            v = values[(at*AGGS + a)*VALUE_W +: VALUE_W];
                            if (IS_SIGNED && v >= VALUES/2) v = v - VALUES;
                            case (KIND)
                                "CNT":   now = now + 1;
                                "SUM":   now = now + v;
                                "MIN":   now = had && now <= v ? now : v;
                                "MAX":   now = had && now >= v ? now : v;
                                "FST":   now = had ? now : v;
                                "BOR":   now = now | v;
                                "XOR":   now = now ^ v;
                                default: now = v;
                            endcase
                            had = 1'b1;
                        end
                        number_ref[32*to +: 32] <= now;
                        seen_ref[to]            <= had;
                    end
                    if (rst || clear) {number_ref, seen_ref} <= 0;

                    if (age_ref > STAGES) begin
                        now = numbers[32*STAGES +: 32];
                        ref_seen:   assert (states[a*STATE_W + ACC_W] == seens[STAGES]);
                        ref_number: assert (states[a*STATE_W +: ACC_W] == (now & (NUMBERS - 1)));
                        ref_left:   assert (states[a*STATE_W + ACC_W + 1] || (now >= LEAST && now < LEAST + NUMBERS));
                        if (!IS_SIGNED) ref_back: assert (!states[a*STATE_W + ACC_W + 1] || now >= NUMBERS);
                        cover (seens[STAGES] && states[a*STATE_W +: ACC_W] != 0);
                    end
                end
`endif
            end
        end
    endgenerate

`ifdef FORMAL
    integer    age_ref = 0, lane_ref;
    reg [SLOTS-1:0]  some_ref;
    reg [STAGES:0]   somes;
    reg [SLOTS-1:0]  adds_ref;

    always @* begin
        somes[0] = some_ref[0];
        adds_ref = 0;
        for (lane_ref = 0; lane_ref < LANES; lane_ref = lane_ref + 1)
            adds_ref = adds_ref | add[lane_ref*SLOTS +: SLOTS];
    end

    always @(posedge clk) begin
        if (age_ref <= STAGES) age_ref <= age_ref + 1;
        if (age_ref == 0) assume (rst);
        assume (!((shift || clear) && add != 0) && !(shift && clear));
        some_ref        <= rst || clear ? {SLOTS{1'b0}} : shift ? some_ref >> 1 : some_ref | adds_ref;
        somes[STAGES:1] <= somes[STAGES-1:0];
        assert (age_ref >= 0 && age_ref <= STAGES + 1);
        if (age_ref > STAGES) begin
            ref_some: assert (some == somes[STAGES]);
            cover (some);
        end
    end
`endif

endmodule

`default_nettype wire
