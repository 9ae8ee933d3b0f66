// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate: does a tuple of the window match the probing tuple? Join predicates under one interface.
//
// PREDICATE  match                                                  latency
//   EQ       window = probe                                         1
//   BAND     |window - probe| <= limit                              2
//   L1       |x - x'| + |y - y'| < limit, where a key is {x, y}     3   Manhattan distance
//   PFX      the first `limit` bits are equal                       1   IP prefix: KEY_W 32, limit 24 for a /24
//   SFX      the last `limit` bits are equal                        1   host of a /24: KEY_W 32, limit 8
//
// All are symmetric: window and probe may be exchanged. A constant limit costs less, since synthesis folds it. Each
// predicate is a module in a file of its own.
//
// Parameters   PREDICATE  the predicate, "EQ", "BAND", "L1", "PFX" or "SFX"; see above
//              KEY_W      width of a key in bits, at least 1; for L1 even
//              SIGNED     1: keys, for L1 their fields, are two's complement, BAND and L1 only
//              LIMIT_W    width of the limit in bits, at least 1; a limit above all distances needs KEY_W + 1 bits, for
//                         L1 KEY_W/2 + 2
// Ports        limit is constant from 2 cycles before the first pair on
// Latency      1, 2 or 3 cycles; see above
// Issue rate   1 pair per cycle
// Overflow     none: differences and sums have their full width
// Source       EQ: Miyoshi et al., IEICE Trans. J94-D (2011); BAND, L1, PFX: Lin, Chen, Jin, SCIENTIA SINICA
//              Informationis 52 (2022), section 4, where the prefix is given as XOR < limit; SFX is ours

`default_nettype none

module ws_predicate #(
    parameter [31:0] PREDICATE = "EQ",
    parameter        KEY_W     = 32,
    parameter        SIGNED    = 0,
    parameter        LIMIT_W   = 33
) (
    input  wire               clk,
    input  wire [LIMIT_W-1:0] limit,
    input  wire [KEY_W-1:0]   window,
    input  wire [KEY_W-1:0]   probe,
    output wire               match
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam EQ = PREDICATE == "EQ", BAND = PREDICATE == "BAND", L1 = PREDICATE == "L1";
    localparam PFX = PREDICATE == "PFX", SFX = PREDICATE == "SFX";

    initial if (!(EQ || BAND || L1 || PFX || SFX) || KEY_W < 1 || (L1 && KEY_W % 2 != 0) || LIMIT_W < 1) begin
        $display("ERROR: %m: PREDICATE = %0s (EQ, BAND, L1, PFX or SFX), KEY_W = %0d (for L1 even), LIMIT_W = %0d",
                 PREDICATE, KEY_W, LIMIT_W);
        $finish;
    end

    generate
        if (BAND) begin : gen_band
            ws_predicate_band #(.KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W)) band (
                .clk(clk), .limit(limit), .window(window), .probe(probe), .match(match)
            );
        end else if (L1) begin : gen_manhattan
            ws_predicate_manhattan #(.KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W)) manhattan (
                .clk(clk), .limit(limit), .window(window), .probe(probe), .match(match)
            );
        end else if (PFX || SFX) begin : gen_part
            ws_predicate_part #(.KEY_W(KEY_W), .LAST(SFX), .LIMIT_W(LIMIT_W)) part (
                .clk(clk), .limit(limit), .window(window), .probe(probe), .match(match)
            );
        end else begin : gen_equal
            wire unused = &limit;
            ws_predicate_equal #(.KEY_W(KEY_W)) equal (
                .clk(clk), .window(window), .probe(probe), .match(match)
            );
        end
    endgenerate

`ifdef FORMAL
    // The predicate in integers, LATENCY cycles ago.
    `include "ws_predicate.vh"
    localparam integer LATENCY = predicate_cycles(PREDICATE);
    localparam integer F = KEY_W > 1 ? KEY_W / 2 : 1;

    reg             past_valid = 1'b0;
    reg [1:0]       cycles_ref = 2'd0;
    reg             match_ref;
    reg [2:0]       past_ref;
    integer         x, y;

    // The distance of two numbers; a flipped sign bit puts those in two's complement in the order of unsigned ones.
    function integer distance(input [KEY_W-1:0] a, input [KEY_W-1:0] b, input integer width);
        reg [KEY_W-1:0] flip;
        begin
            flip     = SIGNED ? 1 << (width - 1) : 0;
            distance = (a ^ flip) > (b ^ flip) ? (a ^ flip) - (b ^ flip) : (b ^ flip) - (a ^ flip);
        end
    endfunction

    always @* begin
        x = distance(window >> F, probe >> F, F);
        y = distance(window[F-1:0], probe[F-1:0], F);
        if (L1)        match_ref = x + y < limit;
        else if (BAND) match_ref = distance(window, probe, KEY_W) <= limit;
        else if (PFX)  match_ref = (limit < KEY_W ? (window ^ probe) >> (KEY_W - limit) : window ^ probe) == 0;
        else if (SFX)  match_ref = ((window ^ probe) & (limit < KEY_W ? (1 << limit) - 1 : ~0)) == 0;
        else           match_ref = window == probe;
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        cycles_ref <= cycles_ref + (cycles_ref != 3);
        past_ref   <= {past_ref[1:0], match_ref};
        if (past_valid) assume ($stable(limit));
        if (cycles_ref == 3) assert (match == past_ref[LATENCY-1]);
        cover (cycles_ref == 3 && match && $past(!match));
        cover (cycles_ref == 3 && !match && limit != 0 && $past(match));
    end
`endif

endmodule

`default_nettype wire
