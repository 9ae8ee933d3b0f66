// SPDX-License-Identifier: Apache-2.0
//
// ws_median_lanes: the median of the last eight tuples after every tuple, four tuples a cycle.
//
// It is percentile_disc(0.5) over [SIZE 8 ADVANCE 1 TUPLES], the lower median. Lane i of a cycle carries the i-th of its
// four tuples, and then the median of the window that ends with it. The first seven tuples of a stream end no window.
// s_eos ends the stream: the tuple after it is the first of the next one. In its cycle, lanes above s_last are empty.
//
// Every window contains a whole quad, the tuples p of the cycle before, and four tuples of this cycle (v) and of the one
// before p (o). The quad is sorted once for all four windows. The other four are two pairs; v0 v1 and v2 v3 are sorted
// once for three windows each, of this cycle or of the next but one:
//
//     lane     quad       pairs
//      0     p0 … p3    o1 v0  o2 o3
//      1     p0 … p3    v0 v1  o2 o3     16 comparators: 4 for pairs, 3 for each of 4 quads
//      2     p0 … p3    v0 v1  o3 v2     28 half ones: 7 for each median
//      3     p0 … p3    v0 v1  v2 v3
//
// Parameters   KEY_W  width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them. With its DESC the
//                     median is the upper one
// Latency      6 cycles
// Issue rate   4 tuples a cycle
// Bad input    none
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.6.1; common pairs and quads are ours

`default_nettype none

module ws_median_lanes #(
    parameter KEY_W = 32
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_eos,
    input  wire [1:0]         s_last,   // with s_eos: the last lane that has a tuple
    input  wire [4*KEY_W-1:0] s_key,    // lane 0 in the least significant bits

    output wire [3:0]         m_valid,  // bit i: lane i has a median
    output wire               m_eos,
    output wire [4*KEY_W-1:0] m_key
);

    initial if (KEY_W < 1) begin
        $display("ERROR: %m: KEY_W = %0d (at least 1)", KEY_W);
        $finish;
    end

    localparam LATENCY = 6;

    // Which lanes end a window
    reg  [1:0] full_reg;                // {two quads, one quad} of this stream were before
    wire [3:0] tuples = s_eos ? 4'b1111 >> ~s_last : 4'b1111;
    wire [3:0] ends   = {full_reg[0], {3{full_reg[1]}}} & tuples & {4{s_valid}};

    always @(posedge clk) begin
        if (s_valid) full_reg <= {full_reg[0], 1'b1};
        if (s_eos || rst) full_reg <= 2'b00;
    end

    reg  [5*LATENCY-1:0] end_reg;
    wire [5*LATENCY+4:0] ended = {end_reg, s_eos, ends};

    always @(posedge clk) end_reg <= rst ? {5*LATENCY{1'b0}} : ended[5*LATENCY-1:0];

    assign {m_eos, m_valid} = ended[5*LATENCY +: 5];

    // Stage 1: pairs. Of earlier cycles it needs the second and the last tuple and the last pair. The pairs of a quad
    // are held while no tuples come, so that stage 3 repeats the quad, and the one before a new quad is always the one
    // of the cycle before.
    wire [KEY_W-1:0]   v0 = s_key[0 +: KEY_W];
    wire [KEY_W-1:0]   v1 = s_key[KEY_W +: KEY_W];
    wire [KEY_W-1:0]   v2 = s_key[2*KEY_W +: KEY_W];
    wire [KEY_W-1:0]   v3 = s_key[3*KEY_W +: KEY_W];
    reg  [KEY_W-1:0]   p1_reg, p3_reg, o1_reg, o3_reg;
    wire [2*KEY_W-1:0] v01, v23, o1_v0, o3_v2;
    reg  [2*KEY_W-1:0] v01_reg, v23_reg, p23_reg, o23_reg, o1_v0_reg, o3_v2_reg;

    ws_comparator #(.KEY_W(KEY_W)) pair_01 (
        .clk(clk), .a(v0), .b(v1), .low(v01[0 +: KEY_W]), .high(v01[KEY_W +: KEY_W])
    );
    ws_comparator #(.KEY_W(KEY_W)) pair_23 (
        .clk(clk), .a(v2), .b(v3), .low(v23[0 +: KEY_W]), .high(v23[KEY_W +: KEY_W])
    );
    ws_comparator #(.KEY_W(KEY_W)) pair_o1_v0 (
        .clk(clk), .a(o1_reg), .b(v0), .low(o1_v0[0 +: KEY_W]), .high(o1_v0[KEY_W +: KEY_W])
    );
    ws_comparator #(.KEY_W(KEY_W)) pair_o3_v2 (
        .clk(clk), .a(o3_reg), .b(v2), .low(o3_v2[0 +: KEY_W]), .high(o3_v2[KEY_W +: KEY_W])
    );

    always @(posedge clk) begin
        if (s_valid) begin
            {o1_reg, o3_reg, p1_reg, p3_reg} <= {p1_reg, p3_reg, v1, v3};
            {p23_reg, v23_reg, v01_reg}      <= {v23_reg, v23, v01};
        end
        {o23_reg, o1_v0_reg, o3_v2_reg} <= {p23_reg, o1_v0, o3_v2};
    end

    // Stages 2 and 3: quads
    wire [4*KEY_W-1:0] quad_0, quad_1, quad_2, quad_3;
    reg  [4*KEY_W-1:0] last_reg;        // p0 … p3

    ws_merge_pairs #(.KEY_W(KEY_W)) merge_0 (.clk(clk), .a(o1_v0_reg), .b(o23_reg), .quad(quad_0));
    ws_merge_pairs #(.KEY_W(KEY_W)) merge_1 (.clk(clk), .a(v01_reg), .b(o23_reg), .quad(quad_1));
    ws_merge_pairs #(.KEY_W(KEY_W)) merge_2 (.clk(clk), .a(v01_reg), .b(o3_v2_reg), .quad(quad_2));
    ws_merge_pairs #(.KEY_W(KEY_W)) merge_3 (.clk(clk), .a(v01_reg), .b(v23_reg), .quad(quad_3));

    always @(posedge clk) last_reg <= quad_3;

    // Stages 4 to 6: medians
    wire [16*KEY_W-1:0] quads = {quad_3, quad_2, quad_1, quad_0};

    genvar i;
    generate
        for (i = 0; i < 4; i = i + 1) begin : gen_lane
            ws_median_of_quads #(.KEY_W(KEY_W)) lane (
                .clk(clk), .a(last_reg), .b(quads[4*KEY_W*i +: 4*KEY_W]), .median(m_key[KEY_W*i +: KEY_W])
            );
        end
    endgenerate

`ifdef FORMAL
    // For KEY_W = 1: by the 0-1 principle the comparators then find the median of keys of any width.
    localparam SET = 14;                // {number of tuples before / 4, this cycle's four tuples, the last seven}
    reg                     past_valid = 1'b0;
    reg  [6:0]              old_ref;    // bit 6: the last tuple
    reg  [1:0]              quads_ref;  // whole quads before, at most 2
    reg  [SET*LATENCY-1:0]  set_ref;    // by age, from 1 cycle
    reg  [5*LATENCY-1:0]    due_ref;
    reg  [3:0]              due;
    integer                 at, ones;

    always @* for (at = 0; at < 4; at = at + 1)
        due[at] = s_valid && 4*quads_ref + at + 1 >= 8 && (!s_eos || at <= s_last);

    function [2:0] sum4(input [3:0] bits);
        sum4 = bits[0] + bits[1] + bits[2] + bits[3];
    endfunction

    function [1:0] pair(input [1:0] bits);
        pair = {|bits, &bits};
    endfunction

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (s_valid) old_ref <= {s_key, old_ref[6:4]};
        quads_ref <= rst || s_eos ? 2'd0 : quads_ref + (s_valid && quads_ref != 2);
        set_ref   <= rst ? 0 : {set_ref, 1'b0, quads_ref, s_key, old_ref};
        due_ref   <= rst ? 0 : {due_ref, s_eos, due};

        if (!past_valid) assume (rst);
        else begin
            assert (quads_ref == full_reg[1] + full_reg[0] && full_reg != 2'b10);
            assert (end_reg == due_ref);
            if (full_reg[0]) assert ({p1_reg, p3_reg} == {old_ref[4], old_ref[6]});
            if (full_reg[0]) assert ({v23_reg, v01_reg} == {pair(old_ref[6:5]), pair(old_ref[4:3])});
            if (full_reg[1]) assert ({o1_reg, o3_reg, p23_reg} == {old_ref[0], old_ref[2], pair(old_ref[2:1])});
            // the quad three cycles ago
            if (set_ref[2*SET + 11 +: 2] != 0)
                assert (last_reg == (4'b1111 << 3'd4 - sum4(set_ref[2*SET + 3 +: 4])));
            for (at = 0; at < 4; at = at + 1) if (m_valid[at]) begin
                ones = sum4(set_ref[SET*(LATENCY-1) + at +: 4]) + sum4(set_ref[SET*(LATENCY-1) + at + 4 +: 4]);
                assert (m_key[at] == (ones >= 5));
            end
            cover (m_valid == 4'b1000 && m_key[3]);
            cover (m_valid == 4'b0001 && m_key[0] && m_eos);
            cover (m_valid == 4'b1111 && m_key == 4'b0101);
        end
    end
`endif

endmodule

`default_nettype wire
