// SPDX-License-Identifier: Apache-2.0
//
// ws_delay: the delay operator z^-n: every item of a tuple bus leaves N cycles later.
//
// It keeps the rest of a tuple in step with a pipelined operator, and is the output register of the operators that have
// a REGISTERED parameter: projection and renaming are wiring and a ws_delay. A long delay is a ring buffer in a RAM,
// which saves registers where a LUT is no shift register, as on an ECP5. A word alone goes through ws_shift.
//
// Parameters   DATA_W     width of the tuple in bits, at least 1
//              N          delay in cycles, at least 0; 0 is wires
//              RING_FROM  shortest delay that is a ring, in cycles, at least 4
// Latency      N cycles
// Issue rate   1 tuple a cycle
// Reset        discards all items inside
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.3.1; projection: section 7.3.2

`default_nettype none

module ws_delay #(
    parameter DATA_W    = 128,
    parameter N         = 1,
    parameter RING_FROM = 32
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire              s_punct,
    input  wire              s_eos,
    input  wire [DATA_W-1:0] s_data,

    output wire              m_valid,
    output wire              m_punct,
    output wire              m_eos,
    output wire [DATA_W-1:0] m_data
);

    initial if (DATA_W < 1 || N < 0 || RING_FROM < 4) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), N = %0d (at least 0), RING_FROM = %0d (at least 4)",
                 DATA_W, N, RING_FROM);
        $finish;
    end

    generate
        if (N == 0) begin : gen_wires
            wire unused = &{clk, rst};
            assign {m_valid, m_punct, m_eos, m_data} = {s_valid, s_punct, s_eos, s_data};
        end else if (N >= RING_FROM) begin : gen_ring
            // Of the N cycles, one writes the word, N - 4 pass until it is read, two are the RAM's latency, and the
            // last masks the control bits: there are none from before a reset.
            localparam ADDR_W = $clog2(N - 2);
            localparam LAST   = N - 3;
            localparam STYLE  = ADDR_W > 5 ? "block" : "distributed";   // more words in LUTs are slow to read
            reg  [ADDR_W-1:0] read_reg, write_reg;          // the word read now is overwritten in the next cycle
            reg               round_reg, full_reg;          // all words written since the reset; and read
            reg  [2:0]        control_reg;
            reg  [DATA_W-1:0] data_reg;
            wire [2:0]        control;
            wire [DATA_W-1:0] data;

            ws_ram_sdp #(.DATA_W(DATA_W + 3), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE(STYLE)) ring (
                .clk(clk), .wr_en(1'b1), .wr_addr(write_reg), .wr_data({s_valid, s_punct, s_eos, s_data}),
                .rd_en(1'b1), .rd_addr(read_reg), .rd_data({control, data})
`ifdef FORMAL
                , .watch_addr(read_reg), .watch_data(), .watch_addr_2(read_reg), .watch_data_2()
`endif
            );

            always @(posedge clk) begin
                read_reg    <= read_reg == LAST[ADDR_W-1:0] ? {ADDR_W{1'b0}} : read_reg + 1'b1;
                write_reg   <= read_reg;
                if (rst) {write_reg, read_reg} <= {{(2*ADDR_W-1){1'b0}}, 1'b1};
                round_reg   <= !rst && (round_reg || write_reg == LAST[ADDR_W-1:0]);
                full_reg    <= !rst && round_reg;
                control_reg <= rst || !full_reg ? 3'b000 : control;
                data_reg    <= data;
            end

            assign {m_valid, m_punct, m_eos} = control_reg;
            assign m_data                    = data_reg;
        end else begin : gen_registers
            // Item n entered n + 1 cycles ago.
            reg [N-1:0] valid_reg, punct_reg, eos_reg;

            // One bit more than the registers, so that N = 1 is no special case: the oldest bit drops out.
            wire [N:0] valid = {valid_reg, s_valid};
            wire [N:0] punct = {punct_reg, s_punct};
            wire [N:0] eos   = {eos_reg, s_eos};

            always @(posedge clk) begin
                valid_reg <= rst ? {N{1'b0}} : valid[N-1:0];
                punct_reg <= rst ? {N{1'b0}} : punct[N-1:0];
                eos_reg   <= rst ? {N{1'b0}} : eos[N-1:0];
            end

            assign {m_valid, m_punct, m_eos} = {valid[N], punct[N], eos[N]};

            ws_shift #(.DATA_W(DATA_W), .N(N)) tuple_data (.clk(clk), .s_data(s_data), .m_data(m_data));
        end
    endgenerate

`ifdef FORMAL
    // The output is the input N cycles ago, unless there was a reset since.
    localparam AGE_W = $clog2(N + 2);
    reg             past_valid = 1'b0;
    reg [AGE_W-1:0] age_ref;    // cycles since the last reset, up to N
    wire            fresh = age_ref < N;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        age_ref    <= rst ? 0 : age_ref + fresh;
        if (!past_valid) assume (rst);
        else begin
            if (fresh) assert (!m_valid && !m_punct && !m_eos);
            else begin
                assert (m_valid == $past(s_valid, N) && m_punct == $past(s_punct, N) && m_eos == $past(s_eos, N));
                assert (m_data == $past(s_data, N));
            end
        end
        cover (past_valid && !fresh && m_valid && m_eos && !s_valid);
        cover (past_valid && !fresh && m_punct && m_data != s_data);
    end
`endif

endmodule

`default_nettype wire
