// SPDX-License-Identifier: Apache-2.0
//
// ws_remainder: the remainder of an unsigned number divided by a constant, one bit of the number a cycle.
//
// For the rare alignment of a time to a grid; small rather than fast. A start while busy restarts the division.
//
// Parameters   NUMBER_W  width of the number in bits, at least 1
//              DIVISOR   the divisor, at least 1; it fits in NUMBER_W bits
// Latency      NUMBER_W + 1 cycles from start to done; the remainder is held until the next start
// Issue rate   one number every NUMBER_W + 1 cycles

`default_nettype none

module ws_remainder #(
    parameter NUMBER_W = 32,
    parameter DIVISOR  = 60
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                start,
    input  wire [NUMBER_W-1:0] number,
    output reg                 done,
    output wire [NUMBER_W-1:0] remainder
`ifdef FORMAL
    ,
    // For the proofs of the cores that use this one: the number that is divided, and cycles to go.
    output wire [NUMBER_W-1:0]           dividing,
    output wire [$clog2(NUMBER_W+1)-1:0] bits_left
`endif
);

    localparam REM_W = $clog2(DIVISOR + 1);
    localparam CNT_W = $clog2(NUMBER_W + 1);

    initial if (DIVISOR < 1 || REM_W > NUMBER_W) begin
        $display("ERROR: %m: DIVISOR = %0d, must be at least 1 and fit in NUMBER_W bits", DIVISOR);
        $finish;
    end

    reg  [NUMBER_W-1:0] number_reg;  // bits still to be brought down, from the left
    reg  [REM_W-1:0]    remainder_reg;
    reg  [CNT_W-1:0]    left_reg;

    wire [REM_W:0]      brought = {remainder_reg, number_reg[NUMBER_W-1]};
    wire                fits    = brought >= DIVISOR[REM_W:0];
    wire [REM_W-1:0]    reduced = brought[REM_W-1:0] - DIVISOR[REM_W-1:0];

    always @(posedge clk) begin
        done <= left_reg == 1 && !start && !rst;
        if (start) begin
            number_reg    <= number;
            remainder_reg <= {REM_W{1'b0}};
            left_reg      <= NUMBER_W[CNT_W-1:0];
        end else if (left_reg != 0) begin
            number_reg    <= number_reg << 1;
            remainder_reg <= fits ? reduced : brought[REM_W-1:0];
            left_reg      <= left_reg - 1'b1;
        end
        if (rst) left_reg <= {CNT_W{1'b0}};
    end

    assign remainder = {{(NUMBER_W-REM_W){1'b0}}, remainder_reg};

`ifdef FORMAL
    // While `left` bits remain, the remainder is that of the number without them.
    reg                past_valid = 1'b0;
    reg                started_ref;
    reg [NUMBER_W-1:0] number_ref;
    reg [CNT_W-1:0]    busy_ref;     // cycles since start, up to NUMBER_W + 1

    assign {dividing, bits_left} = {number_ref, left_reg};

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        started_ref <= !rst && (start || started_ref);
        busy_ref    <= start ? 1 : busy_ref + (busy_ref <= NUMBER_W);
        if (start) number_ref <= number;

        if (!past_valid) assume (rst);
        else begin
            assert (done == (started_ref && busy_ref == NUMBER_W + 1 && $past(busy_ref) == NUMBER_W && !$past(start)));
            if (started_ref) begin
                if (busy_ref > NUMBER_W) assert (remainder == number_ref % DIVISOR);

                // invariants for the induction
                assert (busy_ref >= 1 && busy_ref <= NUMBER_W + 1 && left_reg == NUMBER_W + 1 - busy_ref);
                assert (number_reg == number_ref << (busy_ref - 1));
                assert (remainder_reg == (number_ref >> left_reg) % DIVISOR);
            end else assert (left_reg == 0);
        end
        cover (past_valid && done && remainder == DIVISOR - 1 && number_ref > DIVISOR);
        cover (past_valid && start && started_ref && !done && left_reg == 2);
    end
`endif

endmodule

`default_nettype wire
