// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_flag: whether any of the last PANES panes has raised a flag, by the age of the latest that did.
//
// Parameters   PANES  panes in a window, at least 1
// Ports        clear: all panes so far have not; push: a pane with its flag; any: the last PANES panes, that one among
//              them
// Latency      1 cycle from push to any
// Issue rate   1 push a cycle
// Source       ours: a bit of memory for each pane is not needed where only the latest flag tells

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
