// SPDX-License-Identifier: Apache-2.0
//
// ws_tuple_numbers: numbers the tuples of a tuple bus and announces where windows of tuples begin and end, so that the
// cores for time windows also compute tuple windows, with the number as the windowing attribute.
//
// Window i holds the tuples ADVANCE*i to ADVANCE*i + SIZE - 1. There is a boundary every STEP tuples and at the end of
// each window. The punctuation of a boundary is the number of the tuple after it, and follows the tuple before it
// immediately: a window closes with its last tuple. The first punctuation is 0.
//
// Parameters   DATA_W    width of what goes with a tuple, in bits, at least 1
//              NUMBER_W  width of a number in bits, at least 1; numbers must not wrap around
//              SIZE      length of a window in tuples, at least 1
//              ADVANCE   distance between the starts of two windows in tuples, at least 1
//              STEP      distance between punctuations apart from windows' ends, 0 to ADVANCE; a divisor of ADVANCE; 0:
//                        ADVANCE
// Ports        m_number: the number of the tuple or punctuation; with a punctuation m_data is undefined
//              s_punct, s_eos, m_eos: not used
// Latency      1 cycle; 2 from a tuple to the punctuation after it
// Issue rate   1 tuple per 2 cycles; the downstream core may need a longer distance after a punctuation
// Bad input    a tuple in the cycle after another, or in the first cycle after a reset: not allowed
// Source       ours, docs/windows.md

`default_nettype none

module ws_tuple_numbers #(
    parameter DATA_W   = 64,
    parameter NUMBER_W = 64,
    parameter SIZE     = 100,
    parameter ADVANCE  = 10,
    parameter STEP     = 0
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_valid,
    input  wire                s_punct,
    input  wire                s_eos,
    input  wire [DATA_W-1:0]   s_data,

    output reg                 m_valid,
    output reg                 m_punct,
    output wire                m_eos,
    output reg  [DATA_W-1:0]   m_data,
    output reg  [NUMBER_W-1:0] m_number
);

    initial if (DATA_W < 1 || NUMBER_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d, NUMBER_W = %0d (at least 1)", DATA_W, NUMBER_W);
        $finish;
    end

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_SIZE    = SIZE;
    localparam signed [63:0] L_ADVANCE = ADVANCE;
    localparam signed [63:0] L_STEP    = STEP;
    localparam EVERY  = L_STEP > 0 ? L_STEP : L_ADVANCE;
    localparam LEFT_W = $clog2((L_SIZE > L_ADVANCE ? L_SIZE : L_ADVANCE) + 64'sd1);

    initial if (L_SIZE < 1 || L_ADVANCE < 1 || L_STEP < 0 || L_ADVANCE % EVERY != 0) begin
        $display("ERROR: %m: SIZE = %0d, ADVANCE = %0d (at least 1), STEP = %0d (a divisor of ADVANCE)",
                 SIZE, ADVANCE, STEP);
        $finish;
    end

    wire unused = &{1'b0, s_punct, s_eos};

    // Tuples until the next step, and until the next end of a window, minus one.
    reg  [LEFT_W-1:0]   step_left_reg, end_left_reg;
    reg  [NUMBER_W-1:0] number_reg;     // of the next tuple
    reg                 due_reg;        // there is a boundary before it
    wire                steps = step_left_reg == 0;
    wire                ends  = end_left_reg == 0;

    assign m_eos = 1'b0;

    always @(posedge clk) begin
        due_reg  <= s_valid && (steps || ends);
        m_valid  <= s_valid && !rst;
        m_punct  <= due_reg && !rst;
        m_number <= number_reg;
        m_data   <= s_data;
        if (s_valid) begin
            number_reg    <= number_reg + 1'b1;
            step_left_reg <= steps ? EVERY[LEFT_W-1:0] - 1'b1 : step_left_reg - 1'b1;
            end_left_reg  <= ends ? L_ADVANCE[LEFT_W-1:0] - 1'b1 : end_left_reg - 1'b1;
        end
        if (rst) begin
            due_reg       <= 1'b1;
            number_reg    <= {NUMBER_W{1'b0}};
            step_left_reg <= EVERY[LEFT_W-1:0] - 1'b1;
            end_left_reg  <= L_SIZE[LEFT_W-1:0] - 1'b1;
        end
    end

`ifdef FORMAL
    // The reference divides the number of tuples so far.
    localparam integer R_EVERY = EVERY;
    reg               past_valid = 1'b0;
    integer           count_ref;
    reg               boundary_ref, announced_ref;

    always @* boundary_ref = count_ref % R_EVERY == 0 || (count_ref >= SIZE && (count_ref - SIZE) % ADVANCE == 0);

    always @(posedge clk) begin
        past_valid    <= 1'b1;
        count_ref     <= rst ? 0 : count_ref + s_valid;
        // whether the boundary before the next tuple has been announced
        announced_ref <= rst ? 1'b0 : s_valid ? 1'b0 : announced_ref || due_reg;
        if (!past_valid) assume (rst);
        else begin
            assume (count_ref < (1 << NUMBER_W) - 1);
            if ($past(rst || s_valid)) assume (!s_valid);
            assert (!(m_valid && m_punct));
            assert (m_valid == $past(s_valid && !rst));
            if (m_valid) assert (m_number == $past(count_ref) && m_data == $past(s_data));
            assert (m_punct == $past(boundary_ref && !announced_ref && !rst));
            if (m_punct) assert (m_number == $past(count_ref));

            // invariants for the induction
            assert (count_ref >= 0 && number_reg == count_ref);
            assert (step_left_reg == R_EVERY - 1 - count_ref % R_EVERY);
            assert (end_left_reg == (count_ref < SIZE ? SIZE - 1 - count_ref
                                                      : ADVANCE - 1 - (count_ref - SIZE) % ADVANCE));
            assert (due_reg == (boundary_ref && !announced_ref));
            cover (m_punct && m_number != 0);
        end
    end
`endif

endmodule

`default_nettype wire
