// SPDX-License-Identifier: Apache-2.0
//
// ws_encoder: the number of the bit that is set in a one-hot word.
//
// Within each group of 16 bits first, then of all groups.
//
// Parameters   N  width of the word in bits, at least 2
// Latency      2 cycles
// Issue rate   1 word a cycle
// Bad input    if several bits are set, the number is the bitwise or of theirs; if none is, m_any is 0 and the number 0
// Source       ours

`default_nettype none

module ws_encoder #(
    parameter N = 64
) (
    input  wire                 clk,

    input  wire [N-1:0]         s_word,
    output wire                 m_any,      // a bit is set
    output wire [$clog2(N)-1:0] m_number
);

    initial if (N < 2) begin
        $display("ERROR: %m: N = %0d (at least 2)", N);
        $finish;
    end

    localparam GROUPS = (N + 15) / 16;

    wire [16*GROUPS-1:0]  bits = {{16*GROUPS-N{1'b0}}, s_word};
    reg  [4*GROUPS-1:0]   low_reg;      // the number within a group
    reg  [GROUPS-1:0]     group_reg;
    wire [$clog2(N)-1:0]  number;
    reg  [$clog2(N)-1:0]  number_reg;
    reg                   any_reg;
    wire                  unused = &{1'b0, low_reg};    // of few bits

    genvar i, b;
    generate
        for (i = 0; i < GROUPS; i = i + 1) begin : gen_group
            wire [15:0] hit = bits[16*i +: 16];
            always @(posedge clk) begin
                low_reg[4*i +: 4] <= {|(hit & 16'hFF00), |(hit & 16'hF0F0), |(hit & 16'hCCCC), |(hit & 16'hAAAA)};
                group_reg[i]      <= |hit;
            end
        end
        for (b = 0; b < $clog2(N); b = b + 1) begin : gen_bit
            wire [GROUPS-1:0] ones;
            for (i = 0; i < GROUPS; i = i + 1) begin : gen_group
                if (b < 4) begin : gen_low
                    assign ones[i] = low_reg[4*i + b];
                end else begin : gen_high
                    assign ones[i] = ((i >> (b - 4)) & 1) != 0 && group_reg[i];
                end
            end
            assign number[b] = |ones;
        end
    endgenerate

    always @(posedge clk) {any_reg, number_reg} <= {|group_reg, number};

    assign m_any    = any_reg;
    assign m_number = number_reg;

`ifdef FORMAL
    integer             i_ref;
    reg [$clog2(N)-1:0] number_ref;
    reg [2*N-1:0]       words_ref;      // the last ones
    reg [1:0]           age_ref = 2'd0; // cycles so far, up to 2

    always @* begin
        number_ref = 0;
        for (i_ref = 0; i_ref < N; i_ref = i_ref + 1) if (words_ref[N + i_ref]) number_ref = number_ref | i_ref;
    end

    always @(posedge clk) begin
        words_ref <= {words_ref, s_word};
        age_ref   <= age_ref + (age_ref < 2);
        assert (age_ref <= 2);
        if (age_ref == 2) begin
            assert (m_any == |words_ref[N +: N]);
            assert (m_number == number_ref);
        end
        cover (age_ref == 2 && words_ref[N +: N] == 1 << (N - 1));
    end
`endif

endmodule

`default_nettype wire
