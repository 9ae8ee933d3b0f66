// SPDX-License-Identifier: Apache-2.0
//
// ws_axis_arbiter: round-robin arbiter that merges N packet streams into one, packet by packet.
//
// An input holds the grant from a packet's first beat to its last. With the last beat the grant moves to the next
// input, in numerical order, that has a packet waiting; if there is none, it stays. Waiting inputs therefore follow
// each other without an idle cycle, and none waits for more than one packet of each of the others.
//
// Parameters   DATA_W   width of tdata in bits: a multiple of 8
//              N        inputs, 1 to 16; input 0 has the low bits of every s_axis port
//              USER_W   width of tuser in bits, at least 1
// Latency      1 cycle; 2 for the first packet after an idle period, unless it comes from the last sender
// Issue rate   1 beat a cycle. A packet that arrives without pauses leaves without pauses
// Overflow     cannot happen: s_axis_tready falls; every output, ready included, is free of paths from m_axis_tready

`default_nettype none

module ws_axis_arbiter #(
    parameter DATA_W = 8,
    parameter N      = 2,
    parameter USER_W = 1
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire [N*DATA_W-1:0]   s_axis_tdata,
    input  wire [N*DATA_W/8-1:0] s_axis_tkeep,
    input  wire [N-1:0]          s_axis_tvalid,
    output wire [N-1:0]          s_axis_tready,
    input  wire [N-1:0]          s_axis_tlast,
    input  wire [N*USER_W-1:0]   s_axis_tuser,

    output wire [DATA_W-1:0]     m_axis_tdata,
    output wire [DATA_W/8-1:0]   m_axis_tkeep,
    output wire                  m_axis_tvalid,
    input  wire                  m_axis_tready,
    output wire                  m_axis_tlast,
    output wire [USER_W-1:0]     m_axis_tuser
);

    localparam KEEP_W = DATA_W / 8;
    localparam BEAT_W = USER_W + 1 + KEEP_W + DATA_W;

    initial if (DATA_W < 8 || DATA_W % 8 != 0 || N < 1 || N > 16 || USER_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (a multiple of 8), N = %0d (1 to 16), USER_W = %0d (at least 1)",
                 DATA_W, N, USER_W);
        $finish;
    end

    // Choice: the first waiting input after the one that holds the grant, then from input 0 on.
    reg  [N-1:0] turn_reg;          // one-hot
    reg          inside_reg;        // in the middle of a packet
    wire [N-1:0] behind = s_axis_tvalid & ~(turn_reg | (turn_reg - 1'b1));
    wire [N-1:0] others = |behind ? behind : s_axis_tvalid;
    wire [N-1:0] next   = others & (~others + 1'b1);

    wire         ready;
    wire         valid = |(s_axis_tvalid & turn_reg);
    wire         last  = |(s_axis_tlast & turn_reg);
    wire         pass  = valid ? ready && last : !inside_reg;

    assign s_axis_tready = turn_reg & {N{ready}};

    always @(posedge clk) begin
        if (valid && ready) inside_reg <= !last;
        if (pass && |others) turn_reg <= next;
        if (rst) begin
            inside_reg <= 1'b0;
            turn_reg   <= {{N-1{1'b0}}, 1'b1};
        end
    end

    // Multiplexer
    reg  [BEAT_W-1:0] beat;
    integer           i;

    always @* begin
        beat = {BEAT_W{1'b0}};
        for (i = 0; i < N; i = i + 1)
            beat = beat | ({s_axis_tuser[USER_W*i +: USER_W], s_axis_tlast[i], s_axis_tkeep[KEEP_W*i +: KEEP_W],
                            s_axis_tdata[DATA_W*i +: DATA_W]} & {BEAT_W{turn_reg[i]}});
    end

    ws_skid_buffer #(.DATA_W(BEAT_W)) out_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(valid),
        .s_ready(ready),
        .s_data (beat),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_data ({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
    );

`ifdef FORMAL
    // One arbitrary input is watched. ws_skid_buffer has its own proof that it loses and reorders nothing.
    (* anyconst *) wire [3:0] watch_ref;

    reg          past_valid = 1'b0;
    reg          inside_ref;        // the watched input has begun a packet
    reg  [3:0]   packets_ref;       // begun by others since the watched input began to wait
    reg  [4:0]   turns_ref;         // places from the input that holds the grant to the watched one
    wire [N-1:0] taken   = s_axis_tvalid & s_axis_tready;
    wire [N-1:0] watch   = {{N-1{1'b0}}, 1'b1} << watch_ref;
    wire         waiting = s_axis_tvalid[watch_ref] && !taken[watch_ref];
    integer      j;

    always @*
        for (j = 0; j < N; j = j + 1)
            if (turn_reg[j]) turns_ref = watch_ref >= j ? watch_ref - j : watch_ref + N - j;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (taken[watch_ref]) inside_ref <= !s_axis_tlast[watch_ref];
        packets_ref <= waiting ? packets_ref + (|taken && !inside_reg) : 4'd0;
        if (rst) begin
            inside_ref  <= 1'b0;
            packets_ref <= 4'd0;
        end

        assume (watch_ref < N);
        if (!past_valid) assume (rst);
        else begin
            // one input at a time, and its beat is the one passed on
            assert ((taken & (taken - 1'b1)) == 0);
            assert (|taken == (valid && ready));
            if (taken[watch_ref])
                assert (beat == {s_axis_tuser[USER_W*watch_ref +: USER_W], s_axis_tlast[watch_ref],
                                 s_axis_tkeep[KEEP_W*watch_ref +: KEEP_W], s_axis_tdata[DATA_W*watch_ref +: DATA_W]});
            // never mixes two packets: no beat of another input is accepted inside one
            if (inside_ref) assert ((taken & ~watch) == 0);
            // no starvation: at most one packet of each other input goes first, and at most one idle cycle
            assert (packets_ref < N);
            if ($past(!rst && ready && |s_axis_tvalid && !(|taken) && !inside_reg) && ready) assert (|taken);
            // no idle cycle between the packets of waiting inputs
            if ($past(!rst && |(taken & s_axis_tlast) && |(s_axis_tvalid & ~taken)) && ready) assert (|taken);
            // the grant stays while no other input waits, so that one sender's packets follow each other as fast
            if ($past(!rst && !(|(s_axis_tvalid & ~turn_reg)))) assert ($stable(turn_reg));

            // invariants for the induction
            assert (turn_reg != 0 && (turn_reg & (turn_reg - 1'b1)) == 0);
            assert (inside_ref == (inside_reg && turn_reg == watch));
            assert (packets_ref == 0 || packets_ref + turns_ref <= N - 1 + inside_reg);
        end
        cover (past_valid && packets_ref == N - 1 && taken[watch_ref]);
        cover (past_valid && $past(|taken && inside_reg, 2) && $past(!(|taken)) && inside_ref);
    end

    generate
        genvar g;
        for (g = 0; g < N; g = g + 1) begin : gen_rules
            ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .ASSUME(1)) s_rules (
                .clk(clk), .rst(rst),
                .tdata(s_axis_tdata[DATA_W*g +: DATA_W]), .tkeep(s_axis_tkeep[KEEP_W*g +: KEEP_W]),
                .tvalid(s_axis_tvalid[g]), .tready(s_axis_tready[g]), .tlast(s_axis_tlast[g]),
                .tuser(s_axis_tuser[USER_W*g +: USER_W])
            );
        end
    endgenerate

    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .PACKETS(3)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
