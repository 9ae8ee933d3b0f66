// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_flag: whether any of the last PANES panes has its flag set, by the age of the latest one that has.
//
// Parameters   PANES  panes in a window, at least 1
// Ports        push: a pane with its flag; clear: the flags of all panes so far are cleared; any: a flag is set among
//              the last PANES panes, this one included
// Latency      1 cycle; from push to any
// Issue rate   1 push per cycle
// Source       ours: the age of the latest flag is enough, so that no memory of one bit per pane is needed

`default_nettype none

module ws_pane_flag #(
    parameter PANES = 10
) (
    input  wire clk,

    input  wire clear,
    input  wire push,
    input  wire flag,
    output wire any
);

    localparam AGE_W = $clog2(PANES + 1);
    localparam [AGE_W-1:0] OLD = PANES;

    initial if (PANES < 1) begin
        $display("ERROR: %m: PANES = %0d, must be at least 1", PANES);
        $finish;
    end

    reg [AGE_W-1:0] left_reg;  // panes until the latest flag leaves the window

    assign any = left_reg != 0;

    always @(posedge clk) begin
        if (push && flag) left_reg <= OLD;
        else if (push && any) left_reg <= left_reg - 1'b1;
        if (clear) left_reg <= {AGE_W{1'b0}};
    end

endmodule

`default_nettype wire
