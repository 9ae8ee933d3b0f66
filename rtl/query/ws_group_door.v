// SPDX-License-Identifier: Apache-2.0
//
// ws_group_door: whether a table of groups takes new keys. The first tuple that it has no room for closes it, until all
// windows that are then open have ended.
//
// Parameters   WINDOWS   at least 1
// Ports        windows, eos: of the tuple that is decided on in this cycle, the windows it is in and those that end
//                with it; refused: the tuple of the cycle before found no room, or closed
//              closed: for the tuple of this cycle
// Latency      0 cycles from refused to closed
// Issue rate   1 tuple a cycle
// Source       ours, docs/operators.md: for every window a key is wholly in the table or wholly refused

`default_nettype none

module ws_group_door #(
    parameter WINDOWS = 2
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [WINDOWS-1:0] windows,
    input  wire [WINDOWS-1:0] eos,
    input  wire               refused,
    output wire               closed
);

    reg  [WINDOWS-1:0] windows_1_reg, eos_1_reg;
    reg  [WINDOWS-1:0] refused_reg;       // the open windows that have had a refused tuple
    reg                closed_reg;        // there are such, as far as is known a cycle ahead
    reg                still_1_reg;       // some window of the tuple before is still open
    wire [WINDOWS-1:0] closing = (refused_reg | (refused ? windows_1_reg : {WINDOWS{1'b0}})) & ~eos_1_reg;

    assign closed = closed_reg || (refused && still_1_reg);

    always @(posedge clk) begin
        windows_1_reg <= windows;
        eos_1_reg     <= eos;
        refused_reg   <= rst ? {WINDOWS{1'b0}} : closing;
        closed_reg    <= |(closing & ~eos) && !rst;
        still_1_reg   <= |(windows & ~eos);
    end

`ifdef FORMAL
    // Which windows have had a refused tuple and go on, told the plain way.
    reg               past_valid = 1'b0;
    reg [WINDOWS-1:0] refused_ref, windows_ref, eos_ref;   // of the tuples before the last; of the last
    wire [WINDOWS-1:0] now_ref = (refused_ref | (refused ? windows_ref : {WINDOWS{1'b0}})) & ~eos_ref;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        windows_ref <= windows;
        eos_ref     <= eos;
        refused_ref <= rst ? {WINDOWS{1'b0}} : now_ref;
        if (!past_valid) assume (rst);
        if (past_valid && $past(rst)) assume (!refused);
        if (past_valid) begin
            assert (closed == (now_ref != 0));
            assert (refused_reg == refused_ref && closed_reg == ((refused_ref & ~eos_ref) != 0));
            assert (windows_1_reg == windows_ref && eos_1_reg == eos_ref);
            assert (still_1_reg == ((windows_ref & ~eos_ref) != 0));
        end
        cover (past_valid && closed && $past(closed) && !$past(refused) && !refused);
    end
`endif

endmodule

`default_nettype wire
