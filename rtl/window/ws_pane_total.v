// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_total: the exact sum of the last PANES panes after each pane: the newest is added, the oldest subtracted.
//
// With SKEW the upper half of the sum is a part of its own that works one cycle after the lower half.
//
// Parameters   NUMBER_W  width of a pane's number in bits, at least 2
//              SIGNED    1: numbers are two's complement
//              PANES     panes in a window, 1 to 65536
//              SKEW      1: two halves, for a clock of 200 MHz on an ECP5 with NUMBER_W above 32
//              BLOCK     0: panes are in LUTs; 1: in block RAM; 2: in block RAM with registers around it, and PANES is
//                        at least 3
// Ports        push: a pane has closed; pane: its number, 0 if it is empty; with SKEW its bits from NUMBER_W / 2 on
//              come one cycle after push
//              clear: all panes so far become empty; not in a cycle with push
//              result: wide enough for any sum; valid for one cycle
// Latency      1 cycle; from push to result; with SKEW 2 to its bits from NUMBER_W / 2 on
// Issue rate   1 push every 2 cycles
// Bad input    a push in the cycle after another: not allowed
// Source       subtract on evict, as named by Tangwongsan et al., PVLDB 8(7), 2015

`default_nettype none

module ws_pane_total #(
    parameter NUMBER_W = 64,
    parameter SIGNED   = 1,
    parameter PANES    = 64,
    parameter SKEW     = 1,
    parameter BLOCK    = PANES > 63 ? 2 : PANES > 33 ? 1 : 0
) (
    input  wire                              clk,
    input  wire                              rst,

    input  wire                              clear,
    input  wire                              push,
    input  wire [NUMBER_W-1:0]               pane,
    output wire [NUMBER_W+$clog2(PANES)-1:0] result
);

    initial if (SIGNED != 0 && SIGNED != 1) begin
        $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
        $finish;
    end

    localparam LOW_W = SKEW != 0 ? NUMBER_W/2 : 0;

    initial if (NUMBER_W < 2 || PANES < 1 || PANES > 65536 || SKEW < 0 || SKEW > 1) begin
        $display("ERROR: %m: NUMBER_W = %0d (at least 2), PANES = %0d (1 to 65536), SKEW = %0d (0 or 1)",
                 NUMBER_W, PANES, SKEW);
        $finish;
    end
    initial if (BLOCK < 0 || BLOCK > 2 || (BLOCK == 2 && PANES < 3)) begin
        $display("ERROR: %m: BLOCK = %0d, must be 0, 1, or 2 with PANES = %0d of at least 3", BLOCK, PANES);
        $finish;
    end

    wire forget = rst || clear;
    wire high_forget, high_push, low_carry, unused_carry;

    ws_pane_part #(
        .NUMBER_W(NUMBER_W - LOW_W), .SUM_W(NUMBER_W - LOW_W + $clog2(PANES)),
        .SIGNED(SIGNED), .PANES(PANES), .LOWEST(SKEW == 0), .BLOCK(BLOCK)
    ) high (
        .clk(clk), .forget(high_forget), .push(high_push), .carry_in(low_carry), .pane(pane[NUMBER_W-1:LOW_W]),
        .sum(result[NUMBER_W+$clog2(PANES)-1:LOW_W]), .carry_out(unused_carry)
    );

    generate
        if (SKEW != 0) begin : gen_halves
            reg forget_reg, push_reg;

            ws_pane_part #(
                .NUMBER_W(LOW_W), .SUM_W(LOW_W), .SIGNED(0), .PANES(PANES), .LOWEST(1), .BLOCK(BLOCK)
            ) low (
                .clk(clk), .forget(forget), .push(push), .carry_in(1'b0), .pane(pane[LOW_W-1:0]),
                .sum(result[LOW_W-1:0]), .carry_out(low_carry)
            );

            always @(posedge clk) {forget_reg, push_reg} <= {forget, push};
            assign {high_forget, high_push} = {forget_reg, push_reg};
        end else begin : gen_whole
            assign {high_forget, high_push, low_carry} = {forget, push, 1'b0};
        end
    endgenerate

`ifdef FORMAL
    // The window's panes, newest in the lowest bits, and its sum in the cycle in which all of the result is known.
    localparam SUM_W = NUMBER_W + $clog2(PANES);
    reg                      past_valid = 1'b0;
    reg                      push_1_ref = 1'b0, push_2_ref = 1'b0, forget_1_ref;
    reg [NUMBER_W-1:0]       pane_1_ref;
    reg [PANES*NUMBER_W-1:0] panes_ref;
    reg [SUM_W-1:0]          sum_ref, result_1_ref, whole_result;
    reg [NUMBER_W-1:0]       whole;
    integer                  i;

    function [SUM_W-1:0] wide(input [NUMBER_W-1:0] number);
        wide = {{SUM_W{SIGNED != 0 && number[NUMBER_W-1]}}, number};
    endfunction

    always @* begin
        whole        = pane_1_ref;
        whole_result = result_1_ref;
        if (SKEW != 0) whole[NUMBER_W-1:LOW_W] = pane[NUMBER_W-1:LOW_W];
        if (SKEW != 0) whole_result[SUM_W-1:LOW_W] = result[SUM_W-1:LOW_W];
        sum_ref = 0;
        for (i = 0; i < PANES; i = i + 1) sum_ref = sum_ref + wide(panes_ref[i*NUMBER_W +: NUMBER_W]);
    end

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        push_1_ref   <= push;
        push_2_ref   <= push_1_ref;
        forget_1_ref <= rst || clear;
        pane_1_ref   <= pane;
        result_1_ref <= result;
        if (push_1_ref) panes_ref <= {panes_ref, whole};
        if (forget_1_ref) panes_ref <= 0;

        if (!past_valid) assume (rst && !push);
        else begin
            assume (!(push && (push_1_ref || rst || clear)));
            if (push_2_ref && !$past(forget_1_ref)) exact: assert (whole_result == sum_ref);
        end
        cover (past_valid && push_2_ref && whole_result != 0
               && $past(push_2_ref, 2) && whole_result != $past(whole_result, 2));
    end
`endif

endmodule

`default_nettype wire
