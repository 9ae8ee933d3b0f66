// SPDX-License-Identifier: Apache-2.0
//
// ws_group_door: decides whether the key table of a group-by accepts new keys. The first tuple that finds no entry
// closes it until all windows then open have ended.
//
// Parameters   WINDOWS  number of windows, at least 1
//              PANES    panes in a window, at least 1; 1: windows; more: panes, which end one after another, and a
//                       window is the last PANES of them. Then no tuple comes with eos, and eos of all of two or more
//                       at once means that all windows that hold a tuple have ended
// Ports        windows, eos: of the tuple decided on in this cycle, the windows it is in and those that end with it;
//                refused: the tuple of the previous cycle found no entry, or was refused because closed
//              closed: for the tuple of this cycle
//              missed: a tuple of the last window or pane that ended was refused, 2 cycles after its eos until the next
// Latency      0 cycles from refused to closed
// Issue rate   1 tuple a cycle
// Source       ours, docs/operators.md: for every window, a key is wholly in the table or wholly refused

`default_nettype none

module ws_group_door #(
    parameter WINDOWS = 2,
    parameter PANES   = 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [WINDOWS-1:0] windows,
    input  wire [WINDOWS-1:0] eos,
    input  wire               refused,
    output wire               closed,
    output reg                missed
);

    initial if (WINDOWS < 1 || PANES < 1) begin
        $display("ERROR: %m: WINDOWS = %0d, PANES = %0d (at least 1)", WINDOWS, PANES);
        $finish;
    end

    reg  [WINDOWS-1:0] windows_1_reg, eos_1_reg;
    reg  [WINDOWS-1:0] refused_reg;       // the open windows that had a refused tuple
    reg                closed_reg;        // there are such, as known a cycle early
    reg                still_1_reg;       // some window of the previous tuple is still open
    wire [WINDOWS-1:0] had     = refused_reg | (refused ? windows_1_reg : {WINDOWS{1'b0}});
    wire [WINDOWS-1:0] closing = had & ~eos_1_reg;
    wire                shut;              // it will be closed, unless the next tuple's windows end before

    assign closed = closed_reg || (refused && still_1_reg);

    generate
        if (PANES > 1) begin : gen_panes
            localparam LEFT_W = $clog2(PANES);
            localparam [LEFT_W-1:0] REST = PANES[LEFT_W-1:0] - 1'b1;
            localparam [LEFT_W:0]   TWO  = 2;
            reg  [LEFT_W-1:0] left_reg;                     // panes to end until no window holds a refused tuple
            reg               some_left_reg, one_left_reg;  // left_reg is not 0; is 1
            wire              ends  = |eos;
            wire              again = |(closing & eos);

            assign shut = !(&eos) && (closing != 0 || (some_left_reg && !(ends && one_left_reg)));

            always @(posedge clk) begin
                if (again) begin
                    left_reg      <= REST;
                    some_left_reg <= 1'b1;
                    one_left_reg  <= PANES == 2;
                end else if (ends && some_left_reg) begin
                    left_reg      <= left_reg - 1'b1;
                    some_left_reg <= !one_left_reg;
                    one_left_reg  <= {1'b0, left_reg} == TWO;
                end
                if (rst || &eos) begin
                    left_reg      <= {LEFT_W{1'b0}};
                    some_left_reg <= 1'b0;
                    one_left_reg  <= 1'b0;
                end
            end
        end else begin : gen_windows
            assign shut = |(closing & ~eos);
        end
    endgenerate

    always @(posedge clk) begin
        windows_1_reg <= windows;
        eos_1_reg     <= eos;
        refused_reg   <= rst ? {WINDOWS{1'b0}} : closing;
        closed_reg    <= shut && !rst;
        still_1_reg   <= |(windows & ~eos);
        if (|eos_1_reg) missed <= |(had & eos_1_reg);
    end

`ifdef FORMAL
    // The windows still open that had a refused tuple, computed the simple way.
    reg               past_valid = 1'b0;
    reg               ended_ref = 1'b0, missed_ref;         // a window has ended; the last such had a refused tuple
    reg [WINDOWS-1:0] refused_ref, windows_ref, eos_ref;   // of the tuples before the last; of the last
    wire [WINDOWS-1:0] now_ref = (refused_ref | (refused ? windows_ref : {WINDOWS{1'b0}})) & ~eos_ref;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        windows_ref <= windows;
        eos_ref     <= eos;
        refused_ref <= rst ? {WINDOWS{1'b0}} : now_ref;
        if (past_valid && eos_ref != 0) begin
            ended_ref <= 1'b1;
            missed_ref <= ((refused_ref | (refused ? windows_ref : {WINDOWS{1'b0}})) & eos_ref) != 0;
        end
        if (!past_valid) assume (rst);
        if (past_valid && $past(rst)) assume (!refused);
        if (past_valid) begin
            if (PANES > 1) assume (windows == 0 || eos == 0);
            assert (closed == (now_ref != 0 || since_ref < PANES - 1));
            assert (refused_reg == refused_ref);
            assert (closed_reg == ((refused_ref & ~eos_ref) != 0 || since_ref < PANES - 1));
            assert (windows_1_reg == windows_ref && eos_1_reg == eos_ref);
            assert (still_1_reg == ((windows_ref & ~eos_ref) != 0));
        end
        if (ended_ref) assert (past_valid && missed == missed_ref);
        cover (past_valid && closed && $past(closed) && !$past(refused) && !refused);
        cover (past_valid && !closed && $past(closed) && since_ref == PANES - 1);
        if (PANES > 1) cover (past_valid && !closed && $past(closed) && $past(&eos));
    end

    // Panes that have ended since the last one with a refused tuple.
    integer since_ref;
    always @(posedge clk) begin
        since_ref <= rst || &eos ? PANES - 1 : (now_ref & eos) != 0 ? 0
                   : since_ref + (eos != 0 && since_ref < PANES - 1);
        if (past_valid) begin
            assert (since_ref >= 0 && since_ref < PANES);
            if (PANES > 1) assert (gen_left == PANES - 1 - since_ref && told_left);
        end
    end
    wire [31:0] gen_left;
    wire        told_left;
    generate
        if (PANES > 1) begin : gen_panes_property
            assign gen_left  = gen_panes.left_reg;
            assign told_left = gen_panes.some_left_reg == (gen_left != 0) && gen_panes.one_left_reg == (gen_left == 1);
        end else begin : gen_windows_property
            assign gen_left  = 0;
            assign told_left = 1'b1;
        end
    endgenerate
`endif

endmodule

`default_nettype wire
