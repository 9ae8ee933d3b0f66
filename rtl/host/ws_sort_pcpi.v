// SPDX-License-Identifier: Apache-2.0
//
// ws_sort_pcpi: a sorting network as a co-processor of a CPU, on PicoRV32's co-processor interface (PCPI).
//
// It sorts sets of N elements, each in a register of the CPU, in ascending order. Its instructions are of RISC-V's type
// R, opcode custom-0 (0001011), with funct7 = FUNCT7; sort_pcpi.h has them for C:
//
//     funct3
//      001     put       the next two elements of a set, in rs1 and rs2; rd is not written
//      010     get       rd = the next element of the sorted set
//      011     exchange  both: rd = the next element of the sorted set; rs1 and rs2 are elements of the next set
//      000     clear     forget all elements, also those in the network
//
// The put or exchange that completes a set sends it through the network. While its elements are read, the first N - 2
// elements of the next set can be put, and the last two with the exchange that reads the last element. So a set takes N
// instructions, N/2 exchanges and N/2 gets, and the network's latency is hidden by the loads and stores of that time.
//
// Parameters   N       elements of a set, a power of two, 4 to 64
//              KEY_W   width of an element in bits, 1 to 32; rs1 and rs2 have it in their low bits, rd is extended
//              SIGNED  1: elements are in two's complement; 0: they are unsigned
//              STEP    layers of comparators between two registers, see ws_sort_network
//              FUNCT7  funct7 of the instructions, 0 to 127; PicoRV32 itself uses 0 to 5 with ENABLE_IRQ
// Latency      1 + ceil(LAYERS/STEP) cycles from the put that completes a set to the first get that is answered, where
//              LAYERS is log2(N)*(log2(N) + 1)/2; pcpi_ready answers every other instruction in the cycle in which it
//              arrives, which PicoRV32 executes in 4 cycles
// Issue rate   1 instruction a cycle; a set in N of them
// Bad input    not answered, so that PicoRV32 traps as for an illegal instruction: a get without a set, a put that
//              completes a set while more of the last one is unread, and other values of funct3. pcpi_wait is high
//              while an instruction has no answer and a set is in the network
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.7; there two instructions load a set by way of the
//              memory interface of the CPU

`default_nettype none

module ws_sort_pcpi #(
    parameter N      = 8,
    parameter KEY_W  = 32,
    parameter SIGNED = 1,
    parameter STEP   = 1,
    parameter FUNCT7 = 64
) (
    input  wire        clk,
    input  wire        rst,

    // Names as in PicoRV32; outputs depend on inputs of the same cycle
    input  wire        pcpi_valid,
    input  wire [31:0] pcpi_insn,
    input  wire [31:0] pcpi_rs1,
    input  wire [31:0] pcpi_rs2,
    output wire        pcpi_wr,
    output wire [31:0] pcpi_rd,
    output wire        pcpi_wait,
    output wire        pcpi_ready
);

    initial begin
        if (N < 4 || N > 64 || (N & (N - 1)) != 0) begin
            $display("ERROR: %m: N = %0d (a power of two, 4 to 64)", N);
            $finish;
        end
        if (KEY_W < 1 || KEY_W > 32) begin
            $display("ERROR: %m: KEY_W = %0d (1 to 32)", KEY_W);
            $finish;
        end
        if (SIGNED != 0 && SIGNED != 1) begin
            $display("ERROR: %m: SIGNED = %0d (0 or 1)", SIGNED);
            $finish;
        end
        if (FUNCT7 < 0 || FUNCT7 > 127) begin
            $display("ERROR: %m: FUNCT7 = %0d (0 to 127)", FUNCT7);
            $finish;
        end
    end

    localparam             PAIR_W = $clog2(N) - 1;
    localparam [6:0]       FUNCT  = FUNCT7[6:0];
    // Makes unsigned keys of signed elements, and back
    localparam [31:0]      SIGN   = SIGNED << (KEY_W - 1);
    localparam [KEY_W-1:0] FLIP   = SIGN[KEY_W-1:0];

    // Instructions
    reg  [PAIR_W-1:0] pairs_reg;    // number of pairs of the next set
    reg  [N-1:0]      left_reg;     // bit i: there is element i, from the next one, of the sorted set
    reg               busy_reg;     // a set is in the network

    wire mine  = pcpi_valid && pcpi_insn[6:0] == 7'b0001011 && pcpi_insn[31:25] == FUNCT && !pcpi_insn[14];
    wire put   = pcpi_insn[12];
    wire get   = pcpi_insn[13];
    wire full  = put && &pairs_reg;
    wire room  = !busy_reg && !(get ? left_reg[1] : left_reg[0]);
    wire taken = mine && (left_reg[0] || !get) && (room || !full);
    wire clear = taken && !put && !get;

    assign pcpi_ready = taken;
    assign pcpi_wr    = taken && get;
    assign pcpi_wait  = mine && !taken && busy_reg;

    // The set that is put, its first element in the least significant bits; the network takes its last two at once
    reg  [(N-2)*KEY_W-1:0] set_reg;
    wire [N*KEY_W-1:0]     set = {pcpi_rs2[KEY_W-1:0] ^ FLIP, pcpi_rs1[KEY_W-1:0] ^ FLIP, set_reg};

    always @(posedge clk) begin
        if (taken && put) begin
            set_reg   <= set[N*KEY_W-1:2*KEY_W];
            pairs_reg <= pairs_reg + 1'b1;
        end
        if (clear || rst) pairs_reg <= {PAIR_W{1'b0}};
    end

    // The sorted set
    wire               sorted_valid;
    wire [N*KEY_W-1:0] sorted;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_sort_network #(.N(N), .KEY_W(KEY_W), .STEP(STEP)) network (
        .clk(clk), .rst(rst || clear),
        .s_valid(taken && full), .s_data(set),
        .m_valid(sorted_valid), .m_data(sorted),
        .evt_early()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    reg  [N*KEY_W-1:0] sorted_reg;  // the next element in the least significant bits
    wire [KEY_W-1:0]   next = sorted_reg[KEY_W-1:0] ^ FLIP;

    always @(posedge clk) begin
        if (sorted_valid) begin
            sorted_reg <= sorted;
            left_reg   <= {N{1'b1}};
            busy_reg   <= 1'b0;
        end else if (taken && get) begin
            sorted_reg <= sorted_reg >> KEY_W;
            left_reg   <= left_reg >> 1;
        end
        if (taken && full) busy_reg <= 1'b1;
        if (clear || rst) begin
            left_reg <= {N{1'b0}};
            busy_reg <= 1'b0;
        end
    end

    generate
        if (KEY_W < 32) begin : gen_extend
            wire unused = &{1'b0, pcpi_rs1[31:KEY_W], pcpi_rs2[31:KEY_W]};
            assign pcpi_rd = {{32-KEY_W{SIGNED != 0 && next[KEY_W-1]}}, next};
        end else begin : gen_whole
            assign pcpi_rd = next;
        end
    endgenerate

    wire unused = &{1'b0, pcpi_insn[24:15], pcpi_insn[11:7]};

`ifdef FORMAL
    // For KEY_W = 1: by the 0-1 principle the network then sorts elements of any width.
    localparam LAYERS  = $clog2(N)*($clog2(N) + 1)/2;
    localparam LATENCY = (LAYERS + STEP - 1)/STEP;
    reg     past_valid = 1'b0;
    integer puts_ref, ones_ref;     // elements of the next set, and ones among their keys
    integer left_ref, sent_ref;     // unread elements of the last set, and ones among the keys of this set
    integer age_ref;                // cycles since it entered the network, 0 if none is there
    integer at, ones;

    wire asked_ref = pcpi_valid && {pcpi_insn[31:25], pcpi_insn[14], pcpi_insn[6:0]} == {FUNCT, 8'b0_0001011};
    wire last_ref  = pcpi_insn[12] && puts_ref + 2 == N;
    wire taken_ref = asked_ref && (!pcpi_insn[13] || left_ref > 0) &&
                     (!last_ref || age_ref == 0 && left_ref == pcpi_insn[13]);
    wire [1:0] key_ref = {pcpi_rs2[0] != SIGNED, pcpi_rs1[0] != SIGNED};

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (age_ref > 0) age_ref <= age_ref == LATENCY ? 0 : age_ref + 1;
        if (age_ref == LATENCY) left_ref <= N;
        if (taken_ref && pcpi_insn[13]) left_ref <= left_ref - 1;
        if (taken_ref && pcpi_insn[12]) begin
            puts_ref <= last_ref ? 0 : puts_ref + 2;
            ones_ref <= last_ref ? 0 : ones_ref + key_ref[1] + key_ref[0];
            if (last_ref) begin
                age_ref  <= 1;
                sent_ref <= ones_ref + key_ref[1] + key_ref[0];
            end
        end
        if (rst || taken_ref && pcpi_insn[13:12] == 2'b00) begin
            puts_ref <= 0;
            ones_ref <= 0;
            left_ref <= 0;
            age_ref  <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            assert (pcpi_ready == taken_ref);
            assert (pcpi_wr == (taken_ref && pcpi_insn[13]));
            assert (pcpi_wait == (asked_ref && !taken_ref && age_ref != 0));
            if (pcpi_wr) begin
                assert ((pcpi_rd[0] != SIGNED) == (left_ref <= sent_ref));
                assert (pcpi_rd[31:1] == {31{SIGNED != 0 && pcpi_rd[0]}});
            end

            assert (puts_ref == 2*pairs_reg);
            assert (busy_reg == (age_ref != 0) && age_ref >= 0 && age_ref <= LATENCY);
            assert (sorted_valid == (age_ref == LATENCY));
            assert (left_ref >= 0 && left_ref <= (busy_reg ? 0 : N));
            ones = 0;
            for (at = 0; at < N - 2; at = at + 1) if (at >= N - 2 - puts_ref) ones = ones + set_reg[at];
            assert (ones_ref == ones);
            for (at = 0; at < N; at = at + 1) begin
                assert (left_reg[at] == (at < left_ref));
                if (at < left_ref) assert (sorted_reg[at] == (left_ref - at <= sent_ref));
            end
            if (sorted_valid) for (at = 0; at < N; at = at + 1) assert (sorted[at] == (N - at <= sent_ref));
            cover (pcpi_wait);
            cover (pcpi_wr && last_ref && sent_ref == N/2 && ones_ref != 0);
            cover (taken_ref && pcpi_insn[13:12] == 2'b00 && busy_reg && puts_ref != 0);
            cover (asked_ref && !taken_ref && !busy_reg && left_ref == 2 && puts_ref == N - 2);
        end
    end
`endif

endmodule

`default_nettype wire
