// SPDX-License-Identifier: Apache-2.0
//
// ws_concat: concatenation operator: joins two streams in lockstep by position.
//
// It combines the results of several aggregates over the same windows into one tuple.
//
// Parameters   S0_W        width of the first tuple in bits, at least 1; m_data = {s0_data, s1_data}
//              S1_W        width of the second tuple in bits, at least 1
//              REGISTERED  1: the outputs are registers; 0: the outputs are combinational
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// Bad input    inputs out of step: a tuple or punctuation on one input alone is lost, an eos is not; evt_unpaired is
//              high in the cycle in which the pair would have left
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.8

`default_nettype none

module ws_concat #(
    parameter S0_W       = 64,
    parameter S1_W       = 64,
    parameter REGISTERED = 1
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire                 s0_valid,
    input  wire                 s0_punct,
    input  wire                 s0_eos,
    input  wire [S0_W-1:0]      s0_data,

    input  wire                 s1_valid,
    input  wire                 s1_punct,
    input  wire                 s1_eos,
    input  wire [S1_W-1:0]      s1_data,

    output wire                 m_valid,
    output wire                 m_punct,
    output wire                 m_eos,
    output wire [S0_W+S1_W-1:0] m_data,

    output wire                 evt_unpaired
);

    initial if (S0_W < 1 || S1_W < 1 || (REGISTERED != 0 && REGISTERED != 1)) begin
        $display("ERROR: %m: S0_W = %0d, S1_W = %0d (at least 1), REGISTERED = %0d (0 or 1)", S0_W, S1_W, REGISTERED);
        $finish;
    end

    ws_delay #(.DATA_W(S0_W + S1_W), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s0_valid && s1_valid),
        .s_punct(s0_punct && s1_punct),
        .s_eos  (s0_eos || s1_eos),
        .s_data ({s0_data, s1_data}),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

    // The event in step with them
    wire [2:0] unused;

    ws_delay #(.DATA_W(1), .N(REGISTERED)) event_out (
        .clk    (clk),
        .rst    (rst),
        .s_valid({s0_valid, s0_punct, s0_eos} != {s1_valid, s1_punct, s1_eos}),
        .s_punct(1'b0),
        .s_eos  (1'b0),
        .s_data (1'b0),
        .m_valid(evt_unpaired),
        .m_punct(unused[2]),
        .m_eos  (unused[1]),
        .m_data (unused[0])
    );

`ifdef FORMAL
    reg                  past_valid = 1'b0;
    reg                  rst_ref;
    reg  [5+S0_W+S1_W:0] in_ref;
    wire [5+S0_W+S1_W:0] in = {s0_valid, s0_punct, s0_eos, s1_valid, s1_punct, s1_eos, s0_data, s1_data};
    wire                 valid0, punct0, eos0, valid1, punct1, eos1;
    wire [S0_W-1:0]      data0;
    wire [S1_W-1:0]      data1;

    assign {valid0, punct0, eos0, valid1, punct1, eos1, data0, data1} = REGISTERED != 0 ? in_ref : in;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        in_ref     <= in;
        rst_ref    <= rst;
        if (!past_valid) assume (rst);
        else if (REGISTERED != 0 && rst_ref) assert (!m_valid && !m_punct && !m_eos && !evt_unpaired);
        else begin
            // in step, nothing is lost
            if (!evt_unpaired) begin
                assert (m_valid == valid0 && m_valid == valid1);
                assert (m_punct == punct0 && m_punct == punct1 && m_eos == eos0 && m_eos == eos1);
            end else assert (valid0 != valid1 || punct0 != punct1 || eos0 != eos1);
            // no half of a pair leaves, and no eos is lost
            if (m_valid) assert (valid0 && valid1);
            if (m_punct) assert (punct0 && punct1);
            if (valid0 && valid1) assert (m_valid);
            if (punct0 && punct1) assert (m_punct);
            assert (m_eos == (eos0 || eos1));
            assert (m_data[S1_W +: S0_W] == data0 && m_data[S1_W-1:0] == data1);
        end
        cover (past_valid && m_valid && m_eos && !evt_unpaired);
        cover (past_valid && m_valid && m_eos && evt_unpaired);
    end
`endif

endmodule

`default_nettype wire
