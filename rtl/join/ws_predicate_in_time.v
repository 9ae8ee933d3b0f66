// SPDX-License-Identifier: Apache-2.0
//
// ws_predicate_in_time: ws_predicate, combined with the check that the two tuples' times are at most WINDOW apart.
//
// Parameters   TIME_W    width of a time in bits, unsigned; 0: without times
//              WINDOW    largest distance, below 2**TIME_W
//              the rest  see ws_predicate
// Ports        window_time, probe_time: ignored if TIME_W is 0
// Latency      that of ws_predicate; with times at least 2 cycles: match_cycles of ws_predicate.vh
// Issue rate   1 pair per cycle

`default_nettype none

module ws_predicate_in_time #(
    parameter [31:0] PREDICATE = "EQ",
    parameter        KEY_W     = 32,
    parameter        SIGNED    = 0,
    parameter        LIMIT_W   = 33,
    parameter        TIME_W    = 0,
    parameter [63:0] WINDOW    = 60
) (
    input  wire                                  clk,
    input  wire [LIMIT_W-1:0]                    limit,
    input  wire [KEY_W-1:0]                      window,
    input  wire [KEY_W-1:0]                      probe,
    input  wire [(TIME_W != 0 ? TIME_W : 1)-1:0] window_time,
    input  wire [(TIME_W != 0 ? TIME_W : 1)-1:0] probe_time,
    output wire                                  match
);

    `include "ws_predicate.vh"

    localparam KEY_CYCLES = predicate_cycles(PREDICATE);
    localparam CYCLES     = match_cycles(PREDICATE, TIME_W);

    wire key_match;

    ws_predicate #(.PREDICATE(PREDICATE), .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W)) predicate (
        .clk(clk), .limit(limit), .window(window), .probe(probe), .match(key_match)
    );

    generate
        if (TIME_W != 0) begin : gen_time
            localparam [TIME_W+63:0] FARTHEST = {{TIME_W{1'b0}}, WINDOW};
            wire time_match;
            reg  key_match_reg, time_match_reg;     // the faster one waits for the other

            ws_predicate_band #(.KEY_W(TIME_W), .SIGNED(0), .LIMIT_W(TIME_W)) near (
                .clk(clk), .limit(FARTHEST[TIME_W-1:0]), .window(window_time), .probe(probe_time), .match(time_match)
            );

            always @(posedge clk) begin
                key_match_reg  <= key_match;
                time_match_reg <= time_match;
            end

            assign match = (KEY_CYCLES < CYCLES ? key_match_reg : key_match)
                            && (CYCLES > 2 ? time_match_reg : time_match);
        end else begin : gen_no_time
            wire unused = &{window_time, probe_time};
            assign match = key_match;
        end
    endgenerate

endmodule

`default_nettype wire
