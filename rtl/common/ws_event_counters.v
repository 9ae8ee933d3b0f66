// SPDX-License-Identifier: Apache-2.0
//
// ws_event_counters: totals of N one-cycle events, kept in RAM and streamed out over and over.
//
// A sweep shows the totals of all events, in order of index, as of one instant, its start, so that related counts add
// up in every sweep. Each event has a counter just wide enough for one sweep; at the start of a sweep all counters are
// copied into a chain that advances by one event a cycle. The lower bits of a total are those of the counter; its upper
// bits are incremented if the counter has wrapped since the previous sweep.
//
// Parameters   N        number of events, 1 to 1024
//              TOTAL_W  width of a total in bits, at most 64; more than max(N, 4) takes in binary
//              INDEX_W  follows from N
// Latency      2 * max(N, 4) + 2 cycles at most from an event to a total that includes it: a sweep starts 3 cycles
//              before its first total is shown
// Issue rate   every event may happen in every cycle; a sweep takes max(N, 4) cycles and shows one total a cycle
// Overflow     none in the counters; totals wrap at 2**TOTAL_W
// Bad input    none. The first sweep after a reset shows zeros; no event after the reset is lost.

`default_nettype none

module ws_event_counters #(
    parameter N       = 8,
    parameter TOTAL_W = 64,
    parameter INDEX_W = N > 1 ? $clog2(N) : 1       // do not set
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [N-1:0]       event_pulse,

    output reg                stat_valid,
    output reg  [INDEX_W-1:0] stat_index,
    output reg  [TOTAL_W-1:0] stat_value
);

    // A total is in the RAM 4 cycles after it was read there, so no sweep is shorter.
    localparam SWEEP   = N > 4 ? N : 4;
    localparam LAST    = SWEEP - 1;
    localparam SLOT_W  = $clog2(SWEEP);
    localparam COUNT_W = $clog2(SWEEP + 1);
    localparam UPPER_W = TOTAL_W - COUNT_W;

    initial if (N < 1 || N > 1024 || TOTAL_W <= COUNT_W || TOTAL_W > 64) begin
        $display("ERROR: %m: N = %0d (1 to 1024), TOTAL_W = %0d (more than %0d, at most 64)", N, TOTAL_W, COUNT_W);
        $finish;
    end

    // A free-running counter for each event
    wire [N*COUNT_W-1:0] counts;

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : gen_counter
            reg [COUNT_W-1:0] count_reg;

            assign counts[i*COUNT_W +: COUNT_W] = count_reg;

            always @(posedge clk) begin
                if (event_pulse[i]) count_reg <= count_reg + 1'b1;
                if (rst) count_reg <= {COUNT_W{1'b0}};
            end
        end
    endgenerate

    // Read: the totals of the previous sweep, one event a cycle; a sweep starts with event 0
    reg  [SLOT_W-1:0]    read_slot_reg;
    reg  [N*COUNT_W-1:0] chain_reg;
    wire                 start = read_slot_reg == {SLOT_W{1'b0}};

    always @(posedge clk) begin
        read_slot_reg <= read_slot_reg == LAST[SLOT_W-1:0] ? {SLOT_W{1'b0}} : read_slot_reg + 1'b1;
        chain_reg     <= start ? counts : chain_reg >> COUNT_W;
        if (rst) read_slot_reg <= {SLOT_W{1'b0}};
    end

    // Compare: the count at the head of the chain with that of the previous sweep
    wire [COUNT_W-1:0] lower_total;
    reg  [SLOT_W-1:0]  slot_reg;
    reg  [COUNT_W-1:0] count_reg;
    reg                wrapped_reg;
    reg                swept_reg, cleared_reg;      // a sweep has begun; the first has ended

    always @(posedge clk) begin
        slot_reg    <= slot_reg + 1'b1;
        count_reg   <= chain_reg[COUNT_W-1:0];
        wrapped_reg <= chain_reg[COUNT_W-1:0] < lower_total;
        if (read_slot_reg == {{SLOT_W-1{1'b0}}, 1'b1}) begin
            slot_reg    <= {SLOT_W{1'b0}};
            swept_reg   <= 1'b1;
            cleared_reg <= swept_reg;
        end
        if (rst) begin
            swept_reg   <= 1'b0;
            cleared_reg <= 1'b0;
        end
    end

    // Show, and write
    wire [UPPER_W-1:0] upper_total;
    wire [SLOT_W:0]    slot = {1'b0, slot_reg};

    always @(posedge clk) begin
        stat_valid <= swept_reg && slot < N[SLOT_W:0];
        stat_index <= slot_reg[INDEX_W-1:0];
        stat_value <= {cleared_reg ? upper_total + {{UPPER_W-1{1'b0}}, wrapped_reg} : {UPPER_W{1'b0}}, count_reg};
        if (rst) stat_valid <= 1'b0;
    end

    // The lower bits are ready one cycle before the upper ones, in time to be compared.
    ws_ram_sdp #(
        .DATA_W(COUNT_W),
        .ADDR_W(INDEX_W),
        .STYLE("distributed")
    ) lower_totals (
        .clk(clk),
        .wr_en(stat_valid),
        .wr_addr(stat_index),
        .wr_data(stat_value[COUNT_W-1:0]),
        .rd_en(1'b1),
        .rd_addr(read_slot_reg[INDEX_W-1:0]),
        .rd_data(lower_total)
`ifdef FORMAL
        ,
        .watch_addr(watch_ref),
        .watch_data(watch_total[COUNT_W-1:0])
`endif
    );

    ws_ram_sdp #(
        .DATA_W(UPPER_W),
        .ADDR_W(INDEX_W),
        .OUTPUT_REG(1)
    ) upper_totals (
        .clk(clk),
        .wr_en(stat_valid),
        .wr_addr(stat_index),
        .wr_data(stat_value[TOTAL_W-1:COUNT_W]),
        .rd_en(1'b1),
        .rd_addr(read_slot_reg[INDEX_W-1:0]),
        .rd_data(upper_total)
`ifdef FORMAL
        ,
        .watch_addr(watch_ref),
        .watch_data(watch_total[TOTAL_W-1:COUNT_W])
`endif
    );

`ifdef FORMAL
    // An arbitrary event is counted again in one wide register. Its value at the start of a sweep and of the previous
    // one follows the sweep through the stages: [0] chain, [1] count_reg, [2] shown.
    (* anyconst *) wire [INDEX_W-1:0] watch_ref;
    wire [TOTAL_W-1:0]  watch_total;

    reg                 past_valid = 1'b0;
    reg  [SLOT_W-1:0]   phase_ref;                  // cycles since a sweep started, its start being 0
    reg  [TOTAL_W-1:0]  pulses_ref;
    reg  [TOTAL_W-1:0]  now_ref [0:2], before_ref [0:2];
    reg  [2:0]          begun_ref, second_ref;      // the stage holds a sweep; it is not the first
    reg                 written_ref;                // the watched total of the sweep that is shown is in the RAM
    wire [SLOT_W:0]     head_ref  = (phase_ref + SWEEP - 1) % SWEEP;
    wire [SLOT_W:0]     shown_ref = (phase_ref + 2 * SWEEP - 3) % SWEEP;
    wire [SLOT_W:0]     place_ref = watch_ref - head_ref;
    wire [TOTAL_W-1:0]  recent    = pulses_ref - now_ref[0];
    wire [TOTAL_W-1:0]  between_0 = now_ref[0] - before_ref[0];
    wire [TOTAL_W-1:0]  between_1 = now_ref[1] - before_ref[1];
    wire [TOTAL_W-1:0]  between_2 = now_ref[2] - before_ref[2];

    always @(posedge clk) begin
        past_valid <= 1'b1;
        phase_ref  <= rst || phase_ref == SWEEP - 1 ? 0 : phase_ref + 1;
        pulses_ref <= rst ? 0 : pulses_ref + event_pulse[watch_ref];
        if (phase_ref == 0) begin
            now_ref[0]    <= pulses_ref;
            before_ref[0] <= now_ref[0];
            begun_ref[0]  <= 1'b1;
            second_ref[0] <= begun_ref[0];
        end
        now_ref[1]      <= now_ref[0];
        now_ref[2]      <= now_ref[1];
        before_ref[1]   <= before_ref[0];
        before_ref[2]   <= before_ref[1];
        begun_ref[2:1]  <= begun_ref[1:0];
        second_ref[2:1] <= second_ref[1:0];
        if (phase_ref == 2) written_ref <= 1'b0;
        else if (stat_valid && stat_index == watch_ref) written_ref <= 1'b1;
        if (rst) begin
            begun_ref  <= 0;
            second_ref <= 0;
        end

        assume (watch_ref < N);
        if (!past_valid) assume (rst);
        else begin
            // coherence: a sweep shows the number of pulses before its start, three cycles ahead of event 0
            assert (stat_valid == (begun_ref[2] && shown_ref < N));
            if (stat_valid) assert (stat_index == shown_ref);
            if (stat_valid && stat_index == watch_ref) assert (stat_value == now_ref[2]);
            // the counter is wide enough for a sweep
            if (begun_ref[0]) assert (recent <= (phase_ref == 0 ? SWEEP : phase_ref));
            else assert (phase_ref == 0 && pulses_ref == 0);
            if (second_ref[0]) assert (between_0 <= SWEEP);
            if (second_ref[1]) assert (between_1 <= SWEEP);
            if (second_ref[2]) assert (between_2 <= SWEEP);
            // the first sweep after a reset shows zeros
            if (begun_ref[0] && !second_ref[0]) assert (now_ref[0] == 0);
            if (begun_ref[1] && !second_ref[1]) assert (now_ref[1] == 0);
            if (begun_ref[2] && !second_ref[2]) assert (now_ref[2] == 0);
            // invariants for the induction
            assert (read_slot_reg == phase_ref && phase_ref < SWEEP);
            assert (counts[watch_ref*COUNT_W +: COUNT_W] == pulses_ref[COUNT_W-1:0]);
            assert (swept_reg == begun_ref[1] && (!swept_reg || cleared_reg == second_ref[1]));
            if (swept_reg) assert (slot_reg == (phase_ref + 2 * SWEEP - 2) % SWEEP);
            if (begun_ref[0] && head_ref <= watch_ref)
                assert (chain_reg[place_ref*COUNT_W +: COUNT_W] == now_ref[0][COUNT_W-1:0]);
            if (begun_ref[1] && slot_reg == watch_ref) assert (count_reg == now_ref[1][COUNT_W-1:0]);
        end
        cover (past_valid && stat_valid && stat_index == watch_ref && watch_ref == N - 1 && stat_value >> COUNT_W != 0);
    end
`endif

endmodule

`default_nettype wire
