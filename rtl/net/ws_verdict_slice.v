// SPDX-License-Identifier: Apache-2.0
//
// ws_verdict_slice: a register slice that keeps a packet's last beat back until the verdict on the packet is known.
//
// In front of it stands a pipeline without ready of its own: it moves while `step` is high, which is a register. The
// beat that may be the packet's last comes with `hold`; `verdict` then ends the packet. A packet of which no beat came
// leaves as one empty beat if it is good, and not at all if it is bad. One that is open without a held beat is bad: a
// byte that stands for those missing ends it. `verdict` never comes with a beat.
//
// Parameters   DATA_W   width of the data in bits, a multiple of 8
// Latency      1 cycle; for a beat that is held, 1 cycle from the verdict
// Issue rate   1 beat a cycle
// Overflow     cannot happen: the cycle after a beat waited for m_axis_tready, and only then, step is low. At most one
//              step more is thus taken while a beat waits.

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

    // The output place, and the spare one for the step in which the sink stops.
    reg              out_valid_reg, out_held_reg, out_last_reg, out_bad_reg;
    reg [DATA_W-1:0] out_data_reg;
    reg [K-1:0]      out_keep_reg;
    reg              spare_valid_reg, spare_held_reg, spare_last_reg, spare_bad_reg;
    reg [DATA_W-1:0] spare_data_reg;
    reg [K-1:0]      spare_keep_reg;
    reg              stopped_reg, begun_reg;    // begun: beats of the packet came

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
    // What stands before the slice: a beat and a verdict do not meet, no beat follows a held one, all but the last are
    // full. What comes with a step that is not taken comes again.
    reg          past_valid = 1'b0;
    reg          begun_ref, held_ref;       // beats of the packet came, the last of them held
    reg  [1:0]   ended_ref;                 // packets that have ended and not left
    wire [K-1:0] above = s_keep & (s_keep + 1'b1);
    wire         ends  = step && verdict && (begun_ref || !bad);

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (step) {begun_ref, held_ref} <= {2{!verdict}} & {begun_ref || s_valid, held_ref || (s_valid && s_hold)};
        ended_ref <= ended_ref + ends - (m_axis_tvalid && m_axis_tready && m_axis_tlast);
        if (rst) {begun_ref, held_ref, ended_ref} <= 4'd0;
        if (past_valid && s_valid) assume (!verdict && !held_ref && s_keep[0] && above == 0 && (s_hold || &s_keep));

        if (past_valid) begin
            // every packet ends, once
            assert (ended_ref == (out_valid_reg && out_last_reg) + (!step && spare_valid_reg && spare_last_reg));
            // what makes it inductive
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
