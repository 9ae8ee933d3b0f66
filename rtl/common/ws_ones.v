// SPDX-License-Identifier: Apache-2.0
//
// ws_ones: the number of ones in a word, as a pipelined tree of adders that begins with four bits a LUT.
//
// Parameters   N  width of the word in bits, at least 3
// Latency      ceil(log2(N)) - 1 cycles
// Issue rate   1 word a cycle
// Source       ours

`default_nettype none

module ws_ones #(
    parameter N = 64
) (
    input  wire                 clk,
    input  wire [N-1:0]         word,
    output wire [$clog2(N+1)-1:0] ones
);

    initial if (N < 3) begin
        $display("ERROR: %m: N = %0d (at least 3)", N);
        $finish;
    end

    localparam LEVELS = $clog2(N) - 1;
    localparam PARTS  = 1 << (LEVELS - 1);      // of four bits

    wire [4*PARTS-1:0] bits = {{4*PARTS-N{1'b0}}, word};
    wire [LEVELS+1:0]  total;                   // its top bit is 0, unless N is a power of two
    wire               unused = &{1'b0, total};

    genvar l, i;
    generate
        for (l = 0; l < LEVELS; l = l + 1) begin : gen_level
            localparam SUM_W = l + 3;
            reg [(PARTS >> l)*SUM_W-1:0] sum_reg;

            for (i = 0; i < PARTS >> l; i = i + 1) begin : gen_sum
                if (l == 0) begin : gen_first
                    always @(posedge clk)
                        sum_reg[3*i +: 3] <= {2'b00, bits[4*i]} + {2'b00, bits[4*i+1]}
                                             + {2'b00, bits[4*i+2]} + {2'b00, bits[4*i+3]};
                end else begin : gen_next
                    always @(posedge clk)
                        sum_reg[SUM_W*i +: SUM_W] <= {1'b0, gen_level[l-1].sum_reg[(SUM_W-1)*2*i +: SUM_W-1]}
                                                     + {1'b0, gen_level[l-1].sum_reg[(SUM_W-1)*(2*i+1) +: SUM_W-1]};
                end
            end
        end
    endgenerate

    assign total = gen_level[LEVELS-1].sum_reg;
    assign ones  = total[$clog2(N+1)-1:0];

`ifdef FORMAL
    integer                 i_ref;
    reg [$clog2(N+1)-1:0]   ones_ref;
    reg [LEVELS*N-1:0]      words_ref;  // the last ones
    reg [$clog2(LEVELS+1)-1:0] age_ref = 0;    // cycles so far, up to LEVELS

    always @* begin
        ones_ref = 0;
        for (i_ref = 0; i_ref < N; i_ref = i_ref + 1) ones_ref = ones_ref + words_ref[(LEVELS-1)*N + i_ref];
    end

    always @(posedge clk) begin
        words_ref <= {words_ref, word};
        age_ref   <= age_ref + (age_ref < LEVELS);
        assert (age_ref <= LEVELS);
        if (age_ref == LEVELS) assert (ones == ones_ref);
        cover (age_ref == LEVELS && ones == N);
    end
`endif

endmodule

`default_nettype wire
