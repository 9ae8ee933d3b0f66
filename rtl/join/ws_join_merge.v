// SPDX-License-Identifier: Apache-2.0
//
// ws_join_merge: merges two streams of tuples into the one input of a join; their order there is the arrival order.
//
// A beat is a tuple. It arrives when its tvalid rises: the beat that has waited longer goes first, and of two that
// arrive in the same cycle that of R. So neither waits for more than one beat of the other, and the beats on m_axis
// are in the order in which the two inputs took them.
//
// Parameters   DATA_W   width of a tuple in bits: a multiple of 8
// Ports        s_r_axis, s_s_axis: the streams R and S; m_axis_tdest is 0 for a tuple of R, 1 for one of S
//              s_s_axis_tready depends on s_r_axis_tvalid of the same cycle
// Latency      1 cycle
// Issue rate   1 tuple per cycle; whatever the streams' shares are
// Overflow     cannot happen: tready goes low
// Source       ours; the three-step semantics of window joins require an arrival order (Kang et al., ICDE 2003)

`default_nettype none

module ws_join_merge #(
    parameter DATA_W = 64
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [DATA_W-1:0]   s_r_axis_tdata,
    input  wire [DATA_W/8-1:0] s_r_axis_tkeep,
    input  wire                s_r_axis_tvalid,
    output wire                s_r_axis_tready,
    input  wire                s_r_axis_tlast,

    input  wire [DATA_W-1:0]   s_s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_s_axis_tkeep,
    input  wire                s_s_axis_tvalid,
    output wire                s_s_axis_tready,
    input  wire                s_s_axis_tlast,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire                m_axis_tdest
);

    localparam BEAT_W = DATA_W + DATA_W/8 + 2;

    initial if (DATA_W < 8 || DATA_W % 8 != 0) begin
        $display("ERROR: %m: DATA_W = %0d, must be a multiple of 8", DATA_W);
        $finish;
    end

    // S goes first if it was left waiting in a cycle in which R was not.
    reg  s_first_reg;
    wire ready;
    wire take_r = s_r_axis_tvalid && s_r_axis_tready;
    wire take_s = s_s_axis_tvalid && s_s_axis_tready;

    assign s_r_axis_tready = ready && !s_first_reg;
    assign s_s_axis_tready = ready && (s_first_reg || !s_r_axis_tvalid);

    always @(posedge clk) begin
        if (!s_s_axis_tvalid || take_s) s_first_reg <= 1'b0;
        else if (!s_r_axis_tvalid || take_r) s_first_reg <= 1'b1;
        if (rst) s_first_reg <= 1'b0;
    end

    wire [BEAT_W-1:0] beat = take_s ? {1'b1, s_s_axis_tlast, s_s_axis_tkeep, s_s_axis_tdata}
                                    : {1'b0, s_r_axis_tlast, s_r_axis_tkeep, s_r_axis_tdata};

    ws_skid_buffer #(.DATA_W(BEAT_W)) out_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(take_r || take_s),
        .s_ready(ready),
        .s_data (beat),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_data ({m_axis_tdest, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
    );

`ifdef FORMAL
    // ws_skid_buffer's own proof shows that nothing is lost or reordered after the multiplexer.
    reg              past_valid = 1'b0;
    reg  [3:0]       waits_r_ref, waits_s_ref;      // cycles that a beat has waited, up to 15
    reg              tie_ref;                       // both wait, and came in the same cycle
    reg  [1:0]       held_ref;                      // taken and not delivered
    wire [BEAT_W-2:0] r_beat = {s_r_axis_tlast, s_r_axis_tkeep, s_r_axis_tdata};
    wire [BEAT_W-2:0] s_beat = {s_s_axis_tlast, s_s_axis_tkeep, s_s_axis_tdata};
    wire             took_r = s_r_axis_tvalid && s_r_axis_tready;
    wire             took_s = s_s_axis_tvalid && s_s_axis_tready;
    wire             new_r  = s_r_axis_tvalid && waits_r_ref == 0;
    wire             new_s  = s_s_axis_tvalid && waits_s_ref == 0;
    wire             tie    = (new_r && new_s) || (tie_ref && waits_r_ref != 0 && waits_s_ref != 0);

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        waits_r_ref <= rst || !s_r_axis_tvalid || took_r ? 4'd0 : waits_r_ref + (waits_r_ref != 15);
        waits_s_ref <= rst || !s_s_axis_tvalid || took_s ? 4'd0 : waits_s_ref + (waits_s_ref != 15);
        tie_ref     <= tie;
        held_ref    <= rst ? 2'd0 : held_ref + (took_r || took_s) - (m_axis_tvalid && m_axis_tready);

        if (!past_valid) assume (rst);
        else begin
            if ($past(s_r_axis_tvalid && !s_r_axis_tready && !rst)) assume (s_r_axis_tvalid && $stable(r_beat));
            if ($past(s_s_axis_tvalid && !s_s_axis_tready && !rst)) assume (s_s_axis_tvalid && $stable(s_beat));
            // what is taken is delivered
            assert (m_axis_tvalid == (held_ref != 0) && ready == (held_ref < 2));
            // one at a time, unchanged, with its stream; none waits needlessly
            assert (!(took_r && took_s));
            if (took_r) assert (beat == {1'b0, r_beat});
            if (took_s) assert (beat == {1'b1, s_beat});
            if (ready && (s_r_axis_tvalid || s_s_axis_tvalid)) assert (took_r || took_s);
            // the order of arrival, R first in the same cycle
            if (s_r_axis_tvalid && s_s_axis_tvalid && waits_r_ref != 15 && waits_s_ref != 15) begin
                if (took_r) assert (waits_r_ref >= waits_s_ref);
                if (took_s) assert (waits_r_ref < waits_s_ref);
            end
            if (tie) assert (!took_s);

            // invariants for the induction
            assert (held_ref != 3);
            if (s_first_reg) assert (waits_s_ref != 0);
            if (waits_r_ref != 0 && waits_s_ref != 0 && !s_first_reg) assert (waits_r_ref >= waits_s_ref);
            if (waits_r_ref != 0 && waits_s_ref != 0 && s_first_reg)
                assert (waits_r_ref < waits_s_ref || waits_s_ref == 15);
            if (tie_ref && waits_r_ref != 0 && waits_s_ref != 0) assert (!s_first_reg);
            if (!s_first_reg && waits_s_ref != 0) assert (waits_r_ref != 0);
        end
        cover (past_valid && took_r && waits_r_ref == 2 && tie);
        cover (past_valid && took_s && s_r_axis_tvalid && waits_r_ref == 2);
        cover (past_valid && took_s && $past(took_r) && $past(took_s, 2) && $past(took_r, 3));
    end
`endif

endmodule

`default_nettype wire
