// SPDX-License-Identifier: Apache-2.0
//
// ws_select: selection operator: keeps the tuples whose `keep` is 1.
//
// Punctuations pass, and eos is never masked: a window is closed even if its last tuple is filtered out.
//
// Parameters   DATA_W       width of the tuple in bits, at least 1
//              REGISTERED   1: the outputs are registers; 0: the outputs are combinational
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// Bad input    a condition that is null is not true: drive `keep` to 0
// Source       R. Mueller, dissertation ETH 19163 (2010), rule SEL in section 7.3.2

`default_nettype none

module ws_select #(
    parameter DATA_W     = 128,
    parameter REGISTERED = 1
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,
    input  wire              keep,      // of the tuple on s_*

    output wire              m_valid,
    output wire              m_punct,
    output wire              m_eos,
    output wire [DATA_W-1:0] m_data
);

    initial if (REGISTERED != 0 && REGISTERED != 1) begin
        $display("ERROR: %m: REGISTERED = %0d (0 or 1)", REGISTERED);
        $finish;
    end

    ws_delay #(.DATA_W(DATA_W), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid && keep),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data (s_data),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

`ifdef FORMAL
    // The output is the input REGISTERED cycles ago, without the tuples that are not kept.
    reg               past_valid = 1'b0;
    reg  [DATA_W+3:0] in_ref;
    reg               rst_ref;
    wire [DATA_W+3:0] in = {s_valid, keep, s_punct, s_eos, s_data};
    wire              valid, kept, punct, eos;
    wire [DATA_W-1:0] data;

    assign {valid, kept, punct, eos, data} = REGISTERED != 0 ? in_ref : in;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        in_ref     <= in;
        rst_ref    <= rst;
        if (!past_valid) assume (rst);
        else if (REGISTERED != 0 && rst_ref) assert (!m_valid && !m_punct && !m_eos);
        else begin
            assert (m_valid == (valid && kept));
            assert (m_punct == punct && m_eos == eos && m_data == data);
        end
        cover (past_valid && m_eos && !m_valid && valid);
        cover (past_valid && m_valid && m_eos);
    end
`endif

endmodule

`default_nettype wire
