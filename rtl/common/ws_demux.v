// SPDX-License-Identifier: Apache-2.0
//
// ws_demux: stream demultiplexer: sends each tuple to the output of its type.
//
// Punctuations and eos go to all outputs. The data of all outputs are the same; only their valid signals differ.
//
// Parameters   DATA_W       width of the tuple in bits, at least 1
//              N            outputs, at least 1; output 0 has the low bits of every m_* port
//              TYPE_W       width of the type in bits, at least 1
//              CODES        types of the outputs, TYPE_W bits each, that of output 0 in the low bits; two outputs of
//                           the same type both receive its tuples
//              REGISTERED   1: the outputs are registers; 0: the outputs are combinational
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// Bad input    a tuple whose type no output has is dropped, with evt_unknown in the cycle in which it would have left
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.4.3

`default_nettype none

module ws_demux #(
    parameter                DATA_W     = 128,
    parameter                N          = 2,
    parameter                TYPE_W     = 8,
    parameter [N*TYPE_W-1:0] CODES      = {8'd70, 8'd68},
    parameter                REGISTERED = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_valid,
    input  wire                s_punct,
    input  wire                s_eos,
    input  wire [DATA_W-1:0]   s_data,
    input  wire [TYPE_W-1:0]   kind,        // of the tuple on s_*

    output wire [N-1:0]        m_valid,
    output wire [N-1:0]        m_punct,
    output wire [N-1:0]        m_eos,
    output wire [N*DATA_W-1:0] m_data,

    output wire                evt_unknown
);

    initial if (DATA_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1)", DATA_W);
        $finish;
    end

    initial if (N < 1 || TYPE_W < 1 || (REGISTERED != 0 && REGISTERED != 1)) begin
        $display("ERROR: %m: N = %0d, TYPE_W = %0d (at least 1), REGISTERED = %0d (0 or 1)", N, TYPE_W, REGISTERED);
        $finish;
    end

    wire [N-1:0] match;
    wire         unknown = s_valid && match == 0;

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : each
            assign match[i] = kind == CODES[i*TYPE_W +: TYPE_W];
        end

        if (REGISTERED == 0) begin : gen_wires
            wire unused = &{clk, rst};
            assign m_valid     = {N{s_valid}} & match;
            assign m_punct     = {N{s_punct}};
            assign m_eos       = {N{s_eos}};
            assign m_data      = {N{s_data}};
            assign evt_unknown = unknown;
        end else begin : gen_registers
            reg [N-1:0]      valid_reg;
            reg              punct_reg, eos_reg, unknown_reg;
            reg [DATA_W-1:0] data_reg;

            always @(posedge clk) begin
                valid_reg   <= {N{s_valid}} & match;
                punct_reg   <= s_punct;
                eos_reg     <= s_eos;
                unknown_reg <= unknown;
                data_reg    <= s_data;
                if (rst) begin
                    valid_reg   <= {N{1'b0}};
                    punct_reg   <= 1'b0;
                    eos_reg     <= 1'b0;
                    unknown_reg <= 1'b0;
                end
            end

            assign m_valid     = valid_reg;
            assign m_punct     = {N{punct_reg}};
            assign m_eos       = {N{eos_reg}};
            assign m_data      = {N{data_reg}};
            assign evt_unknown = unknown_reg;
        end
    endgenerate

`ifdef FORMAL
    // One arbitrary output is watched.
    (* anyconst *) wire [$clog2(N+1)-1:0] watch_ref;
    reg                      past_valid = 1'b0;
    reg                      rst_ref;
    reg  [2+DATA_W+TYPE_W:0] in_ref;
    wire [2+DATA_W+TYPE_W:0] in = {s_valid, s_punct, s_eos, s_data, kind};
    wire                     valid, punct, eos;
    wire [DATA_W-1:0]        data;
    wire [TYPE_W-1:0]        code;
    reg                      known;
    integer                  j;

    assign {valid, punct, eos, data, code} = REGISTERED != 0 ? in_ref : in;

    always @* begin
        known = 1'b0;
        for (j = 0; j < N; j = j + 1) if (code == CODES[j*TYPE_W +: TYPE_W]) known = 1'b1;
    end

    always @(posedge clk) begin
        assume (watch_ref < N);
        past_valid <= 1'b1;
        in_ref     <= in;
        rst_ref    <= rst;
        if (!past_valid) assume (rst);
        else if (REGISTERED != 0 && rst_ref) assert (m_valid == 0 && m_punct == 0 && m_eos == 0 && !evt_unknown);
        else begin
            assert (m_valid[watch_ref] == (valid && code == CODES[watch_ref*TYPE_W +: TYPE_W]));
            assert (m_punct[watch_ref] == punct && m_eos[watch_ref] == eos);
            assert (m_data[watch_ref*DATA_W +: DATA_W] == data);
            assert (evt_unknown == (valid && !known));
        end
        cover (past_valid && m_valid[0] && m_eos[N-1] && !m_valid[N-1]);
        cover (past_valid && evt_unknown && m_eos[0]);
    end
`endif

endmodule

`default_nettype wire
