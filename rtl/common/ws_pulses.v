// SPDX-License-Identifier: Apache-2.0
//
// ws_pulses: converts numbers of events to single pulses, for counters that take one event a cycle.
//
// Parameters   NUMBER_W   width of a number in bits, at least 1
//              WAITING_W  width of the number of pending pulses in bits, more than NUMBER_W, at most 64
// Latency      2 cycles from a number to its first pulse, if no pulse is pending
// Issue rate   a number a cycle in; a pulse a cycle out, so that the pulses of a burst follow it one by one
// Overflow     more than 2**WAITING_W - 1 pulses cannot be pending; with 48 bits that takes days of numbers in every
//              cycle
// Bad input    none

`default_nettype none

module ws_pulses #(
    parameter NUMBER_W  = 2,
    parameter WAITING_W = 48
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [NUMBER_W-1:0] number,
    output reg                 pulse
);

    initial if (NUMBER_W < 1) begin
        $display("ERROR: %m: NUMBER_W = %0d (at least 1)", NUMBER_W);
        $finish;
    end

    initial if (WAITING_W <= NUMBER_W || WAITING_W > 64) begin
        $display("ERROR: %m: WAITING_W = %0d, must be more than NUMBER_W = %0d, at most 64", WAITING_W, NUMBER_W);
        $finish;
    end

    reg  [WAITING_W-1:0] waiting_reg;
    wire                 some = waiting_reg != 0;

    always @(posedge clk) begin
        waiting_reg <= waiting_reg + {{WAITING_W-NUMBER_W{1'b0}}, number} - {{WAITING_W-1{1'b0}}, some};
        pulse       <= some;
        if (rst) begin
            waiting_reg <= {WAITING_W{1'b0}};
            pulse       <= 1'b0;
        end
    end

`ifdef FORMAL
    // The events received are the pulses output, the one on the output and those pending; no idle cycle while any pend.
    reg                 past_valid = 1'b0;
    reg [WAITING_W-1:0] came_ref, told_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        came_ref   <= rst ? {WAITING_W{1'b0}} : came_ref + {{WAITING_W-NUMBER_W{1'b0}}, number};
        told_ref   <= rst ? {WAITING_W{1'b0}} : told_ref + {{WAITING_W-1{1'b0}}, pulse};
        if (!past_valid) assume (rst);
        else begin
            assert (came_ref == told_ref + {{WAITING_W-1{1'b0}}, pulse} + waiting_reg);
            if ($past(!rst)) assert (pulse == $past(waiting_reg != 0));
            else assert (!pulse);
        end
        cover (past_valid && told_ref == 5 && waiting_reg == 0);
    end
`endif

endmodule

`default_nettype wire
