// SPDX-License-Identifier: Apache-2.0
//
// ws_reset_tree: distributes a reset over a tree of registers to the parts of a large core, so that no net spans it.
//
// All copies rise and fall together. One of each two siblings is stored inverted, or synthesis would merge them; each
// leaf has a register after that, so that the inverter does not drive its fan-out.
//
// Parameters   LEAVES  copies of rst, a power of two, at least 1; 1 is rst itself
// Latency      log2(LEAVES) + 1 cycles; none for 1
// Issue rate   a change in every cycle

`default_nettype none

module ws_reset_tree #(
    parameter LEAVES = 8
) (
    input  wire              clk,
    input  wire              rst,
    output wire [LEAVES-1:0] leaf
);

    initial if (LEAVES < 1 || (LEAVES & (LEAVES - 1)) != 0) begin
        $display("ERROR: %m: LEAVES = %0d, must be a power of 2", LEAVES);
        $finish;
    end

    // Numbered as in a heap: 1 is the root, n drives 2n and 2n + 1.
    wire [2*LEAVES-1:1] node;

    assign node[1] = rst;
    genvar n;
    generate
        if (LEAVES == 1) begin : gen_none
            wire unused = &{clk, node};
            assign leaf = rst;
        end else begin : gen_leaves
            reg [LEAVES-1:0] leaf_reg;
            always @(posedge clk) leaf_reg <= node[LEAVES +: LEAVES];
            assign leaf = leaf_reg;
        end

        for (n = 1; n < LEAVES; n = n + 1) begin : gen_node
            reg left_reg, right_n_reg;

            always @(posedge clk) begin
                left_reg    <= node[n];
                right_n_reg <= !node[n];
            end

            assign node[2*n]     = left_reg;
            assign node[2*n + 1] = !right_n_reg;
        end
    endgenerate

`ifdef FORMAL
    // All copies are the reset that many cycles ago.
    localparam CYCLES = LEAVES > 1 ? $clog2(LEAVES) + 1 : 0;
    reg  [CYCLES:0] past_ref = 0, known_ref = 0;
    wire [CYCLES:0] now = {past_ref[CYCLES:0] << 1} | rst;

    always @(posedge clk) begin
        past_ref  <= now;
        known_ref <= {known_ref << 1} | 1'b1;
        if (known_ref[CYCLES]) assert (leaf == {LEAVES{now[CYCLES]}});
        cover (known_ref[CYCLES] && leaf == 0 && $past(&leaf));
    end
`endif

endmodule

`default_nettype wire
