// SPDX-License-Identifier: Apache-2.0
//
// ws_compute: the operator that computes a column, y = a OP b.
//
// The operands are extended to the widest of A_W, B_W and Y_W, and y is the low Y_W bits of the result: if Y_W is one
// bit more than the wider operand, a sum is exact, and so is a difference, which is then two's complement.
//
// Parameters   OP          the operation, "ADD", "SUB", "EQ", "NE", "LT", "LE", "GT", "GE", "AND", "OR", "XOR",
//                          "NOT", "SHL" or "SHR"; "EQ" to "GE" give 1 if true, else 0, and a string is its bytes, the
//                          first in the most significant; "AND" to "NOT" are bit by bit; "NOT" is of a, and b is
//                          ignored; "SHL" and "SHR" shift a by b places, b unsigned
//              A_W         width of the first operand in bits, at least 1
//              B_W         width of the second operand in bits, at least 1
//              Y_W         width of the result in bits, at least 1
//              SIGNED      1: both operands are two's complement, but not b of a shift; 0: neither
//              DATA_W      width of the tuple in bits, at least 1
//              REGISTERED  1: the outputs are registers; 0: the outputs are combinational
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// Overflow     y wraps where Y_W is too small for the result
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.3

`default_nettype none

module ws_compute #(
    parameter [23:0] OP         = "ADD",
    parameter        A_W        = 32,
    parameter        B_W        = 32,
    parameter        Y_W        = 33,
    parameter        SIGNED     = 1,
    parameter        DATA_W     = 128,
    parameter        REGISTERED = 1
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,
    input  wire [A_W-1:0]    a,         // of the tuple on s_*
    input  wire [B_W-1:0]    b,

    output wire              m_valid,
    output wire              m_punct,
    output wire              m_eos,
    output wire [DATA_W-1:0] m_data,
    output wire [Y_W-1:0]    y          // of the tuple on m_*
);

    initial if (DATA_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1)", DATA_W);
        $finish;
    end

    localparam AB_W = A_W > B_W ? A_W : B_W;
    localparam W    = AB_W > Y_W ? AB_W : Y_W;

    localparam COMPARES = OP == "EQ" || OP == "NE" || OP == "LT" || OP == "LE" || OP == "GT" || OP == "GE";
    localparam SHIFTS   = OP == "SHL" || OP == "SHR";
    localparam COMPUTES = OP == "ADD" || OP == "SUB" || OP == "AND" || OP == "OR" || OP == "XOR" || OP == "NOT";

    initial begin
        if (!COMPARES && !COMPUTES && !SHIFTS) begin
            $display("ERROR: %m: OP = \"%0s\", must be ADD SUB EQ NE LT LE GT GE AND OR XOR NOT SHL or SHR", OP);
            $finish;
        end
        if (A_W < 1 || B_W < 1 || Y_W < 1) begin
            $display("ERROR: %m: A_W = %0d, B_W = %0d, Y_W = %0d: must be at least 1", A_W, B_W, Y_W);
            $finish;
        end
        if ((SIGNED != 0 && SIGNED != 1) || (REGISTERED != 0 && REGISTERED != 1)) begin
            $display("ERROR: %m: SIGNED = %0d (0 or 1), REGISTERED = %0d (0 or 1)", SIGNED, REGISTERED);
            $finish;
        end
    end

    wire [W-1:0] a_wide = {{(W-A_W){SIGNED != 0 && a[A_W-1]}}, a};
    wire [W-1:0] b_wide = {{(W-B_W){SIGNED != 0 && b[B_W-1]}}, b};

    wire         equal  = a_wide == b_wide;
    wire         less   = SIGNED != 0 ? $signed(a_wide) < $signed(b_wide) : a_wide < b_wide;
    // b < a: for a > b Yosys adds a tree of LUTs to the carry chain
    wire         more   = SIGNED != 0 ? $signed(b_wide) < $signed(a_wide) : b_wide < a_wide;
    wire         truth  = OP == "EQ" ? equal
                        : OP == "NE" ? !equal
                        : OP == "LT" ? less
                        : OP == "LE" ? !more
                        : OP == "GT" ? more
                        :              !less;
    wire [W-1:0] number = OP == "ADD" ? a_wide + b_wide
                        : OP == "SUB" ? a_wide - b_wide
                        : OP == "AND" ? a_wide & b_wide
                        : OP == "OR"  ? a_wide | b_wide
                        : OP == "XOR" ? a_wide ^ b_wide
                        :               ~a_wide;
    // By a sign bit above a, one arithmetic shift serves both kinds of operands.
    wire [W:0]   right   = $signed({SIGNED != 0 && a_wide[W-1], a_wide}) >>> b;
    wire [W-1:0] shifted = OP == "SHL" ? a_wide << b : right[W-1:0];
    wire [W-1:0] result  = COMPARES ? {{(W-1){1'b0}}, truth} : SHIFTS ? shifted : number;
    wire         unused  = &{result, right[W]};     // the bits above Y_W

    ws_delay #(.DATA_W(DATA_W + Y_W), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data ({s_data, result[Y_W-1:0]}),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data ({m_data, y})
    );

`ifdef FORMAL
    // The result by other means: numbers wide enough not to wrap, the sign of their difference, single bits.
    localparam LONG = A_W + B_W + Y_W;
    reg                    past_valid = 1'b0;
    reg  [Y_W-1:0]         wanted, wanted_ref;
    wire signed [LONG-1:0] a_long = {{(LONG-A_W){SIGNED != 0 && a[A_W-1]}}, a};
    wire signed [LONG-1:0] b_long = {{(LONG-B_W){SIGNED != 0 && b[B_W-1]}}, b};
    wire signed [LONG:0]   diff   = a_long - b_long;
    integer                i;

    always @* begin
        wanted = 0;
        case (OP)
            "ADD":   wanted = a_long - (-b_long);
            "SUB":   wanted = diff;
            "EQ":    wanted = diff == 0;
            "NE":    wanted = diff != 0;
            "LT":    wanted = diff < 0;
            "LE":    wanted = diff <= 0;
            "GT":    wanted = diff > 0;
            "GE":    wanted = diff >= 0;
            default: for (i = 0; i < Y_W; i = i + 1)
                case (OP)
                    "AND":   wanted[i] = a_long[i] && b_long[i];
                    "OR":    wanted[i] = a_long[i] || b_long[i];
                    "XOR":   wanted[i] = a_long[i] != b_long[i];
                    "SHL":   wanted[i] = i >= b && a_long[i-b];
                    "SHR":   wanted[i] = i + b < LONG ? a_long[i+b] : a_long[LONG-1];
                    default: wanted[i] = !a_long[i];
                endcase
        endcase
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        wanted_ref <= wanted;
        if (!past_valid) assume (rst);
        else assert (y == (REGISTERED != 0 ? wanted_ref : wanted));
        cover (past_valid && m_valid && y != 0);
        cover (past_valid && m_valid && !(&y));
    end
`endif

endmodule

`default_nettype wire
