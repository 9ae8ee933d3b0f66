// SPDX-License-Identifier: Apache-2.0
//
// ws_sort_reused: a sorting network whose layers share COMPARATORS comparators, one step a cycle.
//
// A register for each wire holds the set. A layer takes as many steps as it needs; in a step comparator u takes the
// u-th, u + COMPARATORS-th, … comparison of the layer. The registers that it reads and writes in each step are constant,
// so that a multiplexer has only the wires that its comparator ever sees.
//
// Parameters   N, KEY_W, PAYLOAD_W, KIND, COMPARATORS  see ws_sort_network
// Latency      1 + STEPS cycles
// Issue rate   1 set in 1 + STEPS cycles; STEPS: see ws_sort_network
// Bad input    a set that arrives earlier is dropped, with evt_early high in the same cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.2.4

`default_nettype none

module ws_sort_reused #(
    parameter         N           = 8,
    parameter         KEY_W       = 32,
    parameter         PAYLOAD_W   = 0,
    parameter [103:0] KIND        = "EVEN_ODD",
    parameter         COMPARATORS = 1
) (
    input  wire                           clk,
    input  wire                           rst,

    input  wire                           s_valid,
    input  wire [N*(KEY_W+PAYLOAD_W)-1:0] s_data,

    output wire                           m_valid,
    output wire [N*(KEY_W+PAYLOAD_W)-1:0] m_data,

    output wire                           evt_early
);

    `include "ws_sort_best.vh"
    `include "ws_sort_layers.vh"

    localparam W     = KEY_W + PAYLOAD_W;
    localparam STEPS = steps(COMPARATORS);

    // Bit (COMPARATORS*i + u)*STEPS + t: in step t, wire i is the lower wire, or the upper one, of comparator u.
    localparam [N*COMPARATORS*STEPS-1:0] LOWER_AT = schedule(1'b0);
    localparam [N*COMPARATORS*STEPS-1:0] UPPER_AT = schedule(1'b1);

    function [N*COMPARATORS*STEPS-1:0] schedule(input upper);
        integer layer, wire_at, other, comparisons, first, at;
        begin
            schedule = 0;
            first    = 0;
            for (layer = 0; layer < LAYERS; layer = layer + 1) begin
                comparisons = 0;
                for (wire_at = 0; wire_at < N; wire_at = wire_at + 1) begin
                    other = partner(layer, wire_at);
                    if (other > wire_at) begin
                        at = COMPARATORS*(upper ? other : wire_at) + comparisons % COMPARATORS;
                        schedule[at*STEPS + first + comparisons/COMPARATORS] = 1'b1;
                        comparisons = comparisons + 1;
                    end
                end
                first = first + (comparisons + COMPARATORS - 1)/COMPARATORS;
            end
        end
    endfunction

    reg  [STEPS:0]           step_reg;      // the step of this cycle; after the last one, the set is sorted
    reg  [N*W-1:0]           data_reg;
    wire [N*COMPARATORS-1:0] lower, upper;  // wire i is that of comparator u in this cycle
    reg  [COMPARATORS*W-1:0] a, b;
    wire [COMPARATORS*W-1:0] low, high;
    reg  [N*W-1:0]           compared;
    wire                     busy   = |step_reg[STEPS-1:0];
    wire                     accept = s_valid && !busy;
    integer                  wire_at, unit;

    assign m_valid   = step_reg[STEPS];
    assign m_data    = data_reg;
    assign evt_early = s_valid && busy;

    always @(posedge clk) step_reg <= rst ? {(STEPS+1){1'b0}} : {step_reg[STEPS-1:0], accept};

    genvar i, u;
    generate
        for (i = 0; i < N; i = i + 1) begin : gen_wire
            wire [COMPARATORS-1:0] used = lower[i*COMPARATORS +: COMPARATORS] | upper[i*COMPARATORS +: COMPARATORS];

            always @(posedge clk)
                if (accept || |used) data_reg[i*W +: W] <= accept ? s_data[i*W +: W] : compared[i*W +: W];
        end

        for (i = 0; i < N*COMPARATORS; i = i + 1) begin : gen_select
            assign lower[i] = |(step_reg[STEPS-1:0] & LOWER_AT[i*STEPS +: STEPS]);
            assign upper[i] = |(step_reg[STEPS-1:0] & UPPER_AT[i*STEPS +: STEPS]);
        end

        for (u = 0; u < COMPARATORS; u = u + 1) begin : gen_comparator
            ws_comparator #(.KEY_W(KEY_W), .PAYLOAD_W(PAYLOAD_W)) comparator (
                .clk(clk), .a(a[u*W +: W]), .b(b[u*W +: W]), .low(low[u*W +: W]), .high(high[u*W +: W])
            );
        end
    endgenerate

    always @* begin
        a        = {COMPARATORS*W{1'b0}};
        b        = {COMPARATORS*W{1'b0}};
        compared = {N*W{1'b0}};
        for (wire_at = 0; wire_at < N; wire_at = wire_at + 1)
            for (unit = 0; unit < COMPARATORS; unit = unit + 1) begin
                a[unit*W +: W] = a[unit*W +: W] | data_reg[wire_at*W +: W] & {W{lower[wire_at*COMPARATORS + unit]}};
                b[unit*W +: W] = b[unit*W +: W] | data_reg[wire_at*W +: W] & {W{upper[wire_at*COMPARATORS + unit]}};
            end
        for (wire_at = 0; wire_at < N; wire_at = wire_at + 1)
            for (unit = 0; unit < COMPARATORS; unit = unit + 1)
                compared[wire_at*W +: W] = compared[wire_at*W +: W]
                                         | low[unit*W +: W]  & {W{lower[wire_at*COMPARATORS + unit]}}
                                         | high[unit*W +: W] & {W{upper[wire_at*COMPARATORS + unit]}};
    end

endmodule

`default_nettype wire
