// SPDX-License-Identifier: Apache-2.0
//
// ws_text_crc32: the operator that computes the CRC-32 of a string, one string a cycle.
//
// A string is its bytes up to the zeros that pad it; zeros before other bytes belong to it.
//
// A CRC is linear, so each bit of the state after all BYTES bytes is the parity of some bits of the string. From there
// the state is moved back over the padding, as ws_crc32_wide does: by 1, 2, 4, … bytes, for each bit of the padding's
// length one step. The parities are one step, and of strings of more than 8 bytes two: those of 8 bytes each, then
// their sum.
//
// Parameters   BYTES   bytes of the string, 1 to 255
//              DATA_W  width of the tuple in bits, at least 1
//              PART    steps in a cycle, at least 0; 0: the outputs are combinational
// Latency      PART > 0 ? ceil(STEPS / PART) : 0 cycles, where STEPS = 1 + (BYTES > 8) + $clog2(BYTES + 1)
// Issue rate   1 tuple a cycle
// Source       IEEE 802.3, 3.2.9; crc32 of zlib and Spark

`default_nettype none

module ws_text_crc32 #(
    parameter BYTES  = 4,
    parameter DATA_W = 128,
    parameter PART   = 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [8*BYTES-1:0] a,        // of the tuple on s_*, the first byte in the most significant bits

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [DATA_W-1:0]  m_data,
    output wire [31:0]        y         // of the tuple on m_*
);

    initial if (BYTES < 1 || BYTES > 255 || DATA_W < 1 || PART < 0) begin
        $display("ERROR: %m: BYTES = %0d (1 to 255), DATA_W = %0d (at least 1), PART = %0d (at least 0)",
                 BYTES, DATA_W, PART);
        $finish;
    end

    `include "ws_crc32.vh"

    localparam GROUPS  = (BYTES + 7) / 8;
    localparam W       = 8 * BYTES;
    localparam PAD_W   = $clog2(BYTES + 1);
    localparam SUMMED  = GROUPS > 1 ? 2 : 1;  // steps until the state is known
    localparam STEPS   = SUMMED + PAD_W;
    localparam N       = PART > 0 ? PART : STEPS + 1;
    localparam LATENCY = PART > 0 ? (STEPS + N - 1) / N : 0;

    // Bit `index` of the string's contribution to the state is the parity of these bits of the string.
    function [W-1:0] share_row(input [4:0] index);
        integer    i;
        reg [31:0] column;
        begin
            column = 32'd1;
            for (i = W - 1; i >= 0; i = i - 1) begin    // the last bit first
                column                             = forth(column);
                share_row[W - 8 - i + 2 * (i % 8)] = column[index];
            end
        end
    endfunction

    // The state after BYTES zeros.
    function [31:0] of_zeros(input integer unused);
        integer i;
        begin
            of_zeros = 32'hFFFFFFFF;
            for (i = 0; i < W; i = i + 1)
                of_zeros = forth(of_zeros);
        end
    endfunction

    localparam [31:0] OF_ZEROS = of_zeros(0);

    // How many bytes of padding
    reg [PAD_W-1:0] padding;
    integer         k;
    always @* begin
        padding = BYTES[PAD_W-1:0];
        for (k = BYTES - 1; k >= 0; k = k - 1)
            if (a[8*k +: 8] != 8'd0) padding = k[PAD_W-1:0];
    end

    // The first step: the parities of each group of 8 bytes.
    wire [32*GROUPS-1:0] shares, shares_q;
    wire [PAD_W-1:0]     padding_q;

    genvar g, n;
    generate
        for (n = 0; n < 32; n = n + 1) begin : gen_share
            localparam [W-1:0] SHARE = share_row(n);
            for (g = 0; g < GROUPS; g = g + 1) begin : gen_group
                localparam WIDTH = 64 * (g + 1) < W ? 64 : W - 64 * g;
                assign shares[32*g + n] = ^(a[64*g +: WIDTH] & SHARE[64*g +: WIDTH]);
            end
        end
    endgenerate

    ws_shift #(.DATA_W(32*GROUPS + PAD_W), .N(GROUPS > 1 && N == 1 ? 1 : 0)) first (
        .clk   (clk),
        .s_data({shares, padding}),
        .m_data({shares_q, padding_q})
    );

    // Their sum
    reg [31:0] sum;
    integer    i;
    always @* begin
        sum = OF_ZEROS;
        for (i = 0; i < GROUPS; i = i + 1)
            sum = sum ^ shares_q[32*i +: 32];
    end

    // Back over the padding. Of each step the state and the length of the padding.
    wire [32*(PAD_W+1)-1:0]    state;
    wire [PAD_W*(PAD_W+1)-1:0] pads;

    ws_shift #(.DATA_W(32 + PAD_W), .N(SUMMED % N == 0 ? 1 : 0)) second (
        .clk   (clk),
        .s_data({sum, padding_q}),
        .m_data({state[31:0], pads[PAD_W-1:0]})
    );

    generate
        for (g = 0; g < PAD_W; g = g + 1) begin : gen_step
            wire [31:0]      here    = state[32*g +: 32];
            wire [PAD_W-1:0] pad     = pads[PAD_W*g +: PAD_W];
            localparam       DONE    = SUMMED + g + 1;
            localparam       CLOCKED = DONE == STEPS ? LATENCY > 0 : DONE % N == 0;
            wire [31:0]      moved;

            for (n = 0; n < 32; n = n + 1) begin : gen_bit
                localparam [31:0] BACK = back_row(n, 1 << g);
                assign moved[n] = pad[g] ? ^(here & BACK) : here[n];
            end

            ws_shift #(.DATA_W(32 + PAD_W), .N(CLOCKED ? 1 : 0)) step (
                .clk   (clk),
                .s_data({moved, pad}),
                .m_data({state[32*(g+1) +: 32], pads[PAD_W*(g+1) +: PAD_W]})
            );
        end
    endgenerate

    assign y = ~state[32*PAD_W +: 32];
    wire unused = &pads[PAD_W*PAD_W +: PAD_W];

    ws_delay #(.DATA_W(DATA_W), .N(LATENCY)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data (s_data),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

`ifdef FORMAL
    // Bit after bit, to the end of the string.
    reg                  past_valid = 1'b0;
    reg [31:0]           wanted;
    reg [32*LATENCY+31:0] wanted_ref;       // of the string so many cycles ago
    reg [LATENCY:0]      age_ref = 0;       // one bit for each cycle so far
    integer              place, m;

    always @* begin
        wanted = 32'hFFFFFFFF;
        for (place = BYTES - 1; place >= 0; place = place - 1)
            if ((a & ({W{1'b1}} >> 8 * (BYTES - 1 - place))) != 0)
                for (m = 0; m < 8; m = m + 1)
                    wanted = (wanted >> 1) ^ ({32{wanted[0] ^ a[8*place+m]}} & POLYNOMIAL);
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        age_ref    <= {age_ref, 1'b1};
        wanted_ref <= {wanted_ref, wanted};
        if (!past_valid) assume (rst);
        if (LATENCY == 0) assert (y == ~wanted);
        else if (age_ref[LATENCY-1]) assert (y == ~wanted_ref[32*LATENCY-1 -: 32]);
        cover (past_valid && m_valid && y != 0);
        cover (past_valid && m_valid && y == 0);
    end
`endif

endmodule

`default_nettype wire
