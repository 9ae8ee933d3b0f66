// SPDX-License-Identifier: Apache-2.0
//
// Templates for Yosys's techmap, used by bmc.py: cells that AIGER or the standard templates do not handle well.

`ifndef INDUCTION
// A cover becomes an inverted assertion: `reached` fails where the cover is reached. DEPTH is a macro.
(* techmap_celltype = "$cover" *)
module ws_cover (input A, input EN);
    (* init = `DEPTH'd0 *)
    wire [`DEPTH-1:0] past;
    wire [`DEPTH:0]   since = {past, 1'b1};     // bit N: N cycles or more have passed

    \$ff #(.WIDTH(`DEPTH)) count (.D(since[`DEPTH-1:0]), .Q(past));
    \$assert \_TECHMAP_REPLACE_.reached (.A(!A), .EN(EN));
    \$assert \_TECHMAP_REPLACE_.first (.A(since[1]), .EN(1'b1));
    \$assert \_TECHMAP_REPLACE_.late (.A(!since[`DEPTH]), .EN(1'b1));
endmodule
`else
// For an induction, the assertions, given as covers, are assumed in the first cycles and asserted in the one after.
(* techmap_celltype = "$cover" *)
module ws_step (input A, input EN);
    (* init = `DEPTH'd0 *)
    wire [`DEPTH-1:0] past;
    wire [`DEPTH:0]   since = {past, 1'b1};

    \$ff #(.WIDTH(`DEPTH)) count (.D(since[`DEPTH-1:0]), .Q(past));
    \$assume \_TECHMAP_REPLACE_.before (.A(A), .EN(EN && !since[`DEPTH-1]));
    \$assert \_TECHMAP_REPLACE_.then (.A(A), .EN(EN && since[`DEPTH-1]));
    \$assert \_TECHMAP_REPLACE_.late (.A(!since[`DEPTH]), .EN(1'b1));
endmodule
`endif

// Division by a positive constant, as wide as the constant; the standard template is as wide as an integer.
(* techmap_celltype = "$div $mod" *)
module ws_divide (A, B, Y);
    parameter A_SIGNED = 0, B_SIGNED = 0, A_WIDTH = 1, B_WIDTH = 1, Y_WIDTH = 1;
    parameter _TECHMAP_CELLTYPE_ = "";
    parameter [B_WIDTH-1:0] _TECHMAP_CONSTMSK_B_ = 0, _TECHMAP_CONSTVAL_B_ = 0;
    localparam W = $clog2(_TECHMAP_CONSTVAL_B_) + 1;
    localparam [W:0] DIVISOR = _TECHMAP_CONSTVAL_B_;

    input  [A_WIDTH-1:0] A;
    input  [B_WIDTH-1:0] B;
    output [Y_WIDTH-1:0] Y;
    wire   _TECHMAP_FAIL_ = !(&_TECHMAP_CONSTMSK_B_) || _TECHMAP_CONSTVAL_B_ == 0
                            || (B_SIGNED && _TECHMAP_CONSTVAL_B_[B_WIDTH-1]);

    wire                     negative = A_SIGNED && A[A_WIDTH-1];
    wire [A_WIDTH-1:0]       number   = negative ? -A : A;
    wire [A_WIDTH-1:0]       quotient;
    wire [(A_WIDTH+1)*W-1:0] left;      // remainder after each digit, the highest digit first
    genvar i;
    assign left[A_WIDTH*W +: W] = 0;
    generate
        for (i = 0; i < A_WIDTH; i = i + 1) begin : gen_digit
            wire [W:0] before = {left[(i+1)*W +: W], number[i]};
            wire [W:0] less   = before - DIVISOR;
            assign quotient[i]    = before >= DIVISOR;
            assign left[i*W +: W] = quotient[i] ? less[W-1:0] : before[W-1:0];
        end
    endgenerate

    wire [Y_WIDTH-1:0] result = _TECHMAP_CELLTYPE_ == "$mod" ? left[W-1:0] : quotient;
    assign Y = negative ? -result : result;
endmodule
