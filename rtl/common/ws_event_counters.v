// SPDX-License-Identifier: Apache-2.0
//
// ws_event_counters: totals of N one-cycle events, kept in one RAM and streamed out over and over.
//
// Each event has a counter just wide enough for what can happen until it is its turn again. A sweep visits the events
// one after another, adds each counter to its total in the RAM and shows the new total.
//
// Parameters   N         number of events, 1 to 1024
//              TOTAL_W   width of a total in bits; more than it takes to write 4 * N, at most 64
// Latency      an event is in the total that its next visit shows: at most 4 * N + 3 cycles
// Issue rate   every event may happen in every cycle; one total is shown every 4 cycles, in order of index
// Overflow     none in the counters; totals wrap at 2**TOTAL_W
// Bad input    none. The first sweep after reset clears the totals; no event that follows the reset is lost.

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

    initial if (N < 1 || N > 1024 || TOTAL_W <= $clog2(4 * N + 1) || TOTAL_W > 64) begin
        $display("ERROR: %m: N = %0d (1 to 1024), TOTAL_W = %0d (more than %0d, at most 64)",
                 N, TOTAL_W, $clog2(4 * N + 1));
        $finish;
    end

    // Between two visits of an event are 4 * N cycles.
    localparam COUNT_W = $clog2(4 * N + 1);

    // Sweep: a visit is read (0), wait for the total (1), add (2), write and show (3).
    reg  [1:0]         step_reg;
    reg  [INDEX_W-1:0] index_reg;
    reg                first_reg;       // of the sweeps: the totals in the RAM are not yet cleared
    wire               take = step_reg == 2'd1;
    localparam LAST = N - 1;
    wire [INDEX_W-1:0] index_next = index_reg == LAST[INDEX_W-1:0] ? {INDEX_W{1'b0}} : index_reg + 1'b1;

    always @(posedge clk) begin
        step_reg <= step_reg + 1'b1;
        if (step_reg == 2'd3) begin
            index_reg <= index_next;
            if (index_next == {INDEX_W{1'b0}}) first_reg <= 1'b0;
        end
        if (rst) begin
            step_reg  <= 2'd0;
            index_reg <= {INDEX_W{1'b0}};
            first_reg <= 1'b1;
        end
    end

    // One counter an event, emptied by its visit
    wire [N*COUNT_W-1:0] counts;

    genvar i;
    generate
        for (i = 0; i < N; i = i + 1) begin : gen_counter
            reg  [COUNT_W-1:0] count_reg;
            wire               visited = take && index_reg == i;

            assign counts[i*COUNT_W +: COUNT_W] = count_reg;

            always @(posedge clk) begin
                count_reg <= (visited ? {COUNT_W{1'b0}} : count_reg) + {{COUNT_W-1{1'b0}}, event_pulse[i]};
                if (rst) count_reg <= {COUNT_W{1'b0}};
            end
        end
    endgenerate

    // Total so far and what is to be added, side by side
    wire [TOTAL_W-1:0]        total;
    reg  [TOTAL_W-1:0]        base_reg;
    reg  [COUNT_W-1:0] taken_reg;

    always @(posedge clk) begin
        if (step_reg == 2'd1) begin
            base_reg  <= first_reg ? {TOTAL_W{1'b0}} : total;
            taken_reg <= counts[index_reg*COUNT_W +: COUNT_W];
        end
        stat_valid <= step_reg == 2'd2;
        stat_index <= index_reg;
        if (step_reg == 2'd2) stat_value <= base_reg + {{TOTAL_W-COUNT_W{1'b0}}, taken_reg};
        if (rst) stat_valid <= 1'b0;
    end

    ws_ram_sdp #(
        .DATA_W(TOTAL_W),
        .ADDR_W(INDEX_W)
    ) totals (
        .clk(clk),
        .wr_en(stat_valid),
        .wr_addr(stat_index),
        .wr_data(stat_value),
        .rd_en(step_reg == 2'd0),
        .rd_addr(index_reg),
        .rd_data(total)
`ifdef FORMAL
        ,
        .watch_addr(watch_ref),
        .watch_data(watch_total)
`endif
    );

`ifdef FORMAL
    // An arbitrary event is counted again in one wide register: what has been shown and what waits add up to it.
    (* anyconst *) wire [INDEX_W-1:0] watch_ref;
    wire [TOTAL_W-1:0]        watch_total;

    reg                past_valid = 1'b0;
    reg  [TOTAL_W-1:0]        total_ref, shown_ref;
    wire [COUNT_W-1:0] waiting  = counts[watch_ref*COUNT_W +: COUNT_W];
    wire               here     = index_reg == watch_ref;
    // cycles since the last visit of the watched event, or since reset
    reg  [COUNT_W:0]   since_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        total_ref  <= rst ? {TOTAL_W{1'b0}} : total_ref + event_pulse[watch_ref];
        since_ref  <= rst || (take && here) ? 0 : since_ref + 1'b1;
        if (rst) shown_ref <= {TOTAL_W{1'b0}};
        else if (stat_valid && stat_index == watch_ref) shown_ref <= stat_value;

        assume (watch_ref < N);
        if (!past_valid) assume (rst);
        else begin
            // nothing lost, nothing twice
            assert (total_ref == (here && step_reg == 2'd2 ? base_reg + taken_reg :
                                  here && step_reg == 2'd3 ? stat_value : shown_ref) + waiting);
            // the counter is wide enough: an event has at most one pulse a cycle, and its visit comes in time
            assert (waiting <= since_ref + 1 && since_ref < 4 * N);
            if (!$past(rst)) assert (since_ref == (index_reg > watch_ref || (here && step_reg > 1) ?
                     4 * (index_reg - watch_ref) + step_reg - 2 :
                     first_reg ? 4 * index_reg + step_reg : 4 * (index_reg + N - watch_ref) + step_reg - 2));
            assert (index_reg < N);
            assert (stat_valid == (step_reg == 2'd3));
            if (stat_valid) assert (stat_index == index_reg);
            if (first_reg && (index_reg < watch_ref || (here && step_reg != 2'd3))) assert (shown_ref == 0);
            if (here && step_reg == 2'd2) assert (base_reg == shown_ref);
            if (here && step_reg == 2'd1 && !first_reg) assert (total == shown_ref);
            if (!first_reg || index_reg > watch_ref) assert (watch_total == shown_ref);
        end
        cover (past_valid && stat_valid && stat_index == watch_ref && watch_ref == N - 1 && stat_value > 4 * N);
    end
`endif

endmodule

`default_nettype wire
