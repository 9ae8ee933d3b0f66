// SPDX-License-Identifier: Apache-2.0
//
// ws_verdict_slice: a register slice that holds a packet's last beat until the verdict on the packet is known.
//
// The pipeline in front of it has no ready of its own: it advances while `step`, a register, is high. The beat that may
// be the packet's last comes with `hold`; `verdict` then ends the packet. A packet without a beat is output as one
// empty beat if it is good, and not at all if it is bad. A packet that is open without a held beat is bad: one byte in
// place of the missing ones ends it. `verdict` never coincides with a beat.
//
// Parameters   DATA_W   width of the data in bits, a multiple of 8
// Latency      1 cycle; for a beat that is held, 1 cycle from the verdict
// Issue rate   1 beat a cycle
// Overflow     cannot happen: step is low in the cycle after a beat waited for m_axis_tready, and only then. So at most
//              one more step is accepted while a beat waits.

`default_nettype none

module ws_verdict_slice #(
    parameter DATA_W = 8
) (
    input  wire                clk,
    input  wire                rst,

    output wire                step,
    input  wire                s_valid,
    input  wire                s_hold,
    input  wire [DATA_W-1:0]   s_data,
    input  wire [DATA_W/8-1:0] s_keep,
    input  wire                verdict,
    input  wire                bad,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire                m_axis_tuser
);

    initial if (DATA_W < 8 || DATA_W % 8 != 0) begin
        $display("ERROR: %m: DATA_W = %0d, must be a multiple of 8", DATA_W);
        $finish;
    end

    localparam K = DATA_W / 8;

    // The output register, and the spare one for the step in which the sink stalls.
    reg              out_valid_reg, out_held_reg, out_last_reg, out_bad_reg;
    reg [DATA_W-1:0] out_data_reg;
    reg [K-1:0]      out_keep_reg;
    reg              spare_valid_reg, spare_held_reg, spare_last_reg, spare_bad_reg;
    reg [DATA_W-1:0] spare_data_reg;
    reg [K-1:0]      spare_keep_reg;
    reg              stopped_reg, begun_reg;    // begun: beats of the packet have arrived

    wire         waits    = out_valid_reg && !m_axis_tready;
    wire         close    = verdict && (begun_reg || !bad);
    wire         extra    = close && !out_held_reg;
    wire         in_valid = extra || (s_valid && !s_hold);
    wire [K-1:0] in_keep  = verdict ? {K{begun_reg}} >> (K - 1) : s_keep;

    assign step          = !stopped_reg;
    assign m_axis_tvalid = out_valid_reg;
    assign m_axis_tlast  = out_last_reg;
    assign m_axis_tdata  = out_data_reg;
    assign m_axis_tkeep  = out_keep_reg;
    assign m_axis_tuser  = out_bad_reg;

    always @(posedge clk) begin
        stopped_reg <= waits;
        if (step) begin
            begun_reg       <= (begun_reg || s_valid) && !verdict;
            spare_valid_reg <= in_valid;
            spare_held_reg  <= s_valid && s_hold;
            spare_data_reg  <= s_data;
            spare_keep_reg  <= in_keep;
            spare_last_reg  <= verdict;
            spare_bad_reg   <= verdict && bad;
        end
        if (!waits && !out_held_reg) begin
            out_valid_reg <= step ? in_valid : spare_valid_reg;
            out_held_reg  <= step ? s_valid && s_hold : spare_held_reg;
            out_data_reg  <= step ? s_data : spare_data_reg;
            out_keep_reg  <= step ? in_keep : spare_keep_reg;
            out_last_reg  <= step ? verdict : spare_last_reg;
            out_bad_reg   <= step ? verdict && bad : spare_bad_reg;
        end
        if (step && close && out_held_reg) begin
            out_valid_reg <= 1'b1;
            out_held_reg  <= 1'b0;
            out_last_reg  <= 1'b1;
            out_bad_reg   <= bad;
        end
        if (rst) begin
            out_valid_reg <= 1'b0;
            out_held_reg  <= 1'b0;
            stopped_reg   <= 1'b0;
            begun_reg     <= 1'b0;
        end
    end

`ifdef FORMAL
    // Assumptions on the pipeline in front: a beat and a verdict do not coincide, no beat follows a held one, all but
    // the last are full. Inputs of a step that is not accepted are repeated.
    reg          past_valid = 1'b0;
    reg          begun_ref, held_ref;       // beats of the packet have arrived, the last of them held
    reg  [1:0]   ended_ref;                 // packets that have ended and not been output
    wire [K-1:0] above = s_keep & (s_keep + 1'b1);
    wire         ends  = step && verdict && (begun_ref || !bad);

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (step) {begun_ref, held_ref} <= {2{!verdict}} & {begun_ref || s_valid, held_ref || (s_valid && s_hold)};
        ended_ref <= ended_ref + ends - (m_axis_tvalid && m_axis_tready && m_axis_tlast);
        if (rst) {begun_ref, held_ref, ended_ref} <= 4'd0;
        if (past_valid && s_valid) assume (!verdict && !held_ref && s_keep[0] && above == 0 && (s_hold || &s_keep));

        if (past_valid) begin
            // every packet ends exactly once
            assert (ended_ref == (out_valid_reg && out_last_reg) + (!step && spare_valid_reg && spare_last_reg));
            // strengthening for the induction
            assert (step || out_valid_reg);
            assert (!(out_valid_reg && out_held_reg) && (step || !(spare_valid_reg && spare_held_reg)));
            assert (begun_reg == begun_ref && (begun_ref || !held_ref));
            assert (held_ref == (out_held_reg || (!step && spare_held_reg)));
        end
    end

    ws_axis_rules #(.DATA_W(DATA_W), .PACKETS(2)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
