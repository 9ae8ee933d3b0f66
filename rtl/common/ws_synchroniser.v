// SPDX-License-Identifier: Apache-2.0
//
// ws_synchroniser: brings the bits of a register from another clock domain, each through a chain of flip-flops.
//
// The bits are independent of each other: of several that change together, each may arrive a cycle later than the
// others. A word can cross only if one bit changes at a time, as in a Gray code, or if nothing reads it while it
// changes. The proofs of the cores that use this one see every such outcome.
//
// Parameters   DATA_W   number of bits, at least 1
//              STAGES   flip-flops of each chain, 2 to 8
// Latency      STAGES cycles of clk, one less or more if the change coincides with an edge
// Issue rate   1 change a cycle; it must last longer than a cycle of clk
// Overflow     a shorter pulse may be lost
// Bad input    d must come straight from flip-flops: the chain could sample a glitch of logic
// Constraints  the user's; for ws_async_fifo see constraints/cdc/

`default_nettype none

module ws_synchroniser #(
    parameter DATA_W = 1,
    parameter STAGES = 2
) (
    input  wire              clk,
    input  wire [DATA_W-1:0] d,
    output wire [DATA_W-1:0] q
`ifdef FORMAL
    ,
    // For the proofs of the cores that use this one: the bits before their last change, whether that change has
    // yet to enter the chain, and the chain, first stage lowest.
    output wire [DATA_W-1:0]        formal_before,
    output wire                     formal_fresh,
    output wire [STAGES*DATA_W-1:0] formal_stages
`endif
);

    initial if (DATA_W < 1 || STAGES < 2 || STAGES > 8) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), STAGES = %0d (2 to 8)", DATA_W, STAGES);
        $finish;
    end

    wire [DATA_W-1:0] arriving;

    // Neither shift-register extraction nor optimisation may absorb these flip-flops.
    (* async_reg = "true", shreg_extract = "no", keep = "true" *)
    reg [STAGES*DATA_W-1:0] stages_reg;
    initial stages_reg = {STAGES*DATA_W{1'b0}};

    assign q = stages_reg[(STAGES-1)*DATA_W +: DATA_W];

    always @(posedge clk) stages_reg <= {stages_reg[(STAGES-1)*DATA_W-1:0], arriving};

`ifdef FORMAL
    // The first edge after a change may see the old value of any bit that changed.
    (* gclk *)   wire              formal_step;
    (* anyseq *) wire [DATA_W-1:0] late;
    reg  [DATA_W-1:0] past_ref = {DATA_W{1'b0}}, before_ref = {DATA_W{1'b0}};
    reg               fresh_ref = 1'b0, clk_ref = 1'b0;
    wire              changes = d != past_ref;

    always @(posedge formal_step) begin
        past_ref   <= d;
        clk_ref    <= clk;
        before_ref <= formal_before;
        fresh_ref  <= formal_fresh;
    end

    assign formal_before = changes ? past_ref : before_ref;
    assign formal_fresh  = changes || (fresh_ref && !(clk && !clk_ref));
    assign formal_stages = stages_reg;
    assign arriving      = formal_fresh ? (formal_before & late) | (d & ~late) : d;
`else
    assign arriving = d;
`endif

endmodule

`default_nettype wire
