// SPDX-License-Identifier: Apache-2.0
//
// ws_select_const: selection operator: keeps the tuples in which one field compares true with a constant.
//
// Punctuations pass unchanged and eos is never masked: a window is closed even if its last tuple is filtered out.
//
// Parameters   DATA_W        width of the tuple in bits, at least 1
//              FIELD_LSB     lowest bit of the field in the tuple, 0 to DATA_W - FIELD_W
//              FIELD_W       width of the field in bits, 1 to DATA_W
//              FIELD_SIGNED  1: the field and VALUE are two's complement
//              OP            the comparison, field OP VALUE, "EQ", "NE", "LT", "LE", "GT" or "GE"
//              VALUE         the constant, FIELD_W bits; a string constant is its bytes, first in the most significant
// Latency      1 cycle
// Issue rate   1 tuple a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.1; Oge et al., MCSoC 2013, stages 1 and 2,
//              here in one

`default_nettype none

module ws_select_const #(
    parameter                DATA_W       = 128,
    parameter                FIELD_LSB    = 96,
    parameter                FIELD_W      = 32,
    parameter                FIELD_SIGNED = 0,
    parameter [15:0]         OP           = "EQ",
    parameter [FIELD_W-1:0]  VALUE        = "UBSN"
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,

    output reg               m_valid,
    output reg               m_punct,
    output reg               m_eos,
    output reg  [DATA_W-1:0] m_data
);

    initial if (DATA_W < 1 || FIELD_LSB < 0 || FIELD_LSB > DATA_W - FIELD_W || FIELD_W < 1 || FIELD_W > DATA_W
                || (FIELD_SIGNED != 0 && FIELD_SIGNED != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), FIELD_LSB = %0d (0 to DATA_W - FIELD_W), ",
                 DATA_W, FIELD_LSB, "FIELD_W = %0d (1 to DATA_W), FIELD_SIGNED = %0d (0 or 1)", FIELD_W, FIELD_SIGNED);
        $finish;
    end

    initial begin
        if (OP != "EQ" && OP != "NE" && OP != "LT" && OP != "LE" && OP != "GT" && OP != "GE") begin
            $display("ERROR: %m: OP = \"%0s\", must be EQ, NE, LT, LE, GT or GE", OP);
            $finish;
        end
    end

    wire [FIELD_W-1:0] field = s_data[FIELD_LSB +: FIELD_W];
    wire               equal = field == VALUE;
    wire               less  = FIELD_SIGNED != 0 ? $signed(field) < $signed(VALUE) : field < VALUE;
    wire               keep  = OP == "EQ" ? equal
                             : OP == "NE" ? !equal
                             : OP == "LT" ? less
                             : OP == "LE" ? less || equal
                             : OP == "GT" ? !less && !equal
                             :              !less;

    always @(posedge clk) begin
        m_valid <= s_valid && keep && !rst;
        m_punct <= s_punct && !rst;
        m_eos   <= s_eos && !rst;
        m_data  <= s_data;
    end

`ifdef FORMAL
    // The comparison as a subtraction with one more bit; the output is the input a cycle ago.
    reg  past_valid = 1'b0;
    wire sign_field = FIELD_SIGNED != 0 && field[FIELD_W-1];
    wire sign_value = FIELD_SIGNED != 0 && VALUE[FIELD_W-1];
    wire [FIELD_W:0] difference = {sign_field, field} - {sign_value, VALUE};
    wire below = difference[FIELD_W];
    wire same  = difference == 0;
    reg  wanted;

    always @* case (OP)
        "EQ":    wanted = same;
        "NE":    wanted = !same;
        "LT":    wanted = below;
        "LE":    wanted = below || same;
        "GT":    wanted = !(below || same);
        default: wanted = !below;
    endcase

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else if ($past(rst)) assert (!m_valid && !m_punct && !m_eos);
        else begin
            assert (m_valid == $past(s_valid && wanted));
            assert (m_punct == $past(s_punct) && m_eos == $past(s_eos));
            assert (m_data == $past(s_data));
        end
        cover (past_valid && m_valid && $past(s_data) != 0);
        cover (past_valid && m_eos && !m_valid && $past(s_valid));
    end
`endif

endmodule

`default_nettype wire
