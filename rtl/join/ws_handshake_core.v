// SPDX-License-Identifier: Apache-2.0
//
// ws_handshake_core: one core of ws_handshake_join: a segment of both windows, one comparison per cycle, a result
// queue.
//
// A core processes one step at a time: a tuple of R or of S, a FLUSH or, for FORWARD = 0, a sweep. It compares the
// incoming tuple with its segment of the other stream, from the newest tuple to the oldest, and passes the step on to
// the core to its right. Steps come from the left in order of arrival and cannot overtake each other.
//
// FORWARD = 1: the incoming tuple is the new one, in every core. It is stored in the segment of the core where hops is
//              0.
// FORWARD = 0: every core stores the incoming tuple, and evicts the oldest tuple of its segment. With a step of R, the
//              evicted tuple goes to the right in place of the new one. With a step of S, the core takes the tuple that
//              is evicted to its right, once that core has reached the same step, and the new tuple passes through to
//              the last core.
//              A sweep picks up a tuple of R in the core where hops is 0. The cores right of it compare this tuple:
//              they hold the tuples of S that it has not met.
//
// With time windows, the places of two tuples only decide when they are compared; their times decide, with their keys,
// whether they match.
//
// Parameters   as of ws_handshake_join; HOP_W: width of hops
// Ports        s_*, m_*     steps. kind: 0 tuple of R, 1 of S, 2 sweep, 3 FLUSH. has: with a tuple; new: it came after
//                           the last FLUSH
//              from_*, to_* FORWARD = 0: the oldest tuple of S, from the core to the right and to that to the left.
//                           valid: the core has processed all earlier steps
//              result_*     {side: the later step was of S, tuple of the step, tuple of the segment}, or a FLUSH
// Latency      4 + N + P cycles; from a step on s_* to the result with the tuple of age N of the segment, N from 0; P:
//              the predicate's cycles, with time windows at least 2. FORWARD = 0: 1 more, and the wait for the core to
//              the right
// Issue rate   1 step per max(SEGMENT, 2) cycles; FORWARD = 0: see ws_handshake_join
// Overflow     cannot happen: a core whose queue is short of room WAITs, and takes no further step

`default_nettype none

module ws_handshake_core #(
    parameter        DATA_W     = 64,
    parameter        SEGMENT    = 8,
    parameter        FORWARD    = 1,
    parameter [31:0] PREDICATE  = "EQ",
    parameter        KEY_W      = 32,
    parameter        SIGNED     = 0,
    parameter        LIMIT_W    = 33,
    parameter        R_KEY_LSB  = 0,
    parameter        S_KEY_LSB  = 0,
    parameter        FIFO_W     = 4,
    parameter        HOP_W      = 1,
    parameter        TIME_W     = 0,
    parameter        R_TIME_LSB = 0,
    parameter        S_TIME_LSB = 0,
    parameter [63:0] WINDOW     = 60
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [LIMIT_W-1:0]  limit,

    input  wire                s_valid,
    output wire                s_ready,
    input  wire [1:0]          s_kind,
    input  wire                s_has,
    input  wire                s_new,
    input  wire [HOP_W-1:0]    s_hops,
    input  wire [DATA_W-1:0]   s_data,

    output wire                m_valid,
    input  wire                m_ready,
    output wire [1:0]          m_kind,
    output wire                m_has,
    output wire                m_new,
    output wire [HOP_W-1:0]    m_hops,
    output wire [DATA_W-1:0]   m_data,

    input  wire                from_valid,
    input  wire                from_has,
    input  wire                from_new,
    input  wire [DATA_W-1:0]   from_data,

    output wire                to_valid,
    output wire                to_has,
    output wire                to_new,
    output wire [DATA_W-1:0]   to_data,

    output wire                result_valid,
    input  wire                result_ready,
    output wire                result_flush,
    output wire                result_side,
    output wire [2*DATA_W-1:0] result_data
);

    `include "ws_predicate.vh"

    localparam ADDR_W  = SEGMENT > 1 ? $clog2(SEGMENT) : 1;
    localparam COUNT_W = $clog2(SEGMENT + 1);
    localparam LAST    = SEGMENT - 1;
    localparam BEFORE  = SEGMENT > 2 ? SEGMENT - 3 : 0;
    localparam BRIEF   = SEGMENT < (FORWARD != 0 ? 3 : 4);     // a step may be passed on in the last cycle but one
    localparam MATCH_CYCLES = match_cycles(PREDICATE, TIME_W);
    localparam TIME_PORT_W  = TIME_W != 0 ? TIME_W : 1;
    localparam MOST    = (1 << FIFO_W) - MATCH_CYCLES - 5;     // results in flight are not in the queue yet
    localparam [COUNT_W-1:0] ONE   = 1;
    localparam [ADDR_W-1:0]  PLACE = 1;
    localparam [1:0] KIND_R = 2'd0, KIND_S = 2'd1, KIND_SWEEP = 2'd2, KIND_FLUSH = 2'd3;

    // ---- The step. Both handshakes with the neighbours are registered

    reg              ready_reg;     // there is no step, or this is its last cycle
    reg              offer_reg;     // to the next core
    reg              reading_reg;   // there is something left to read and compare
    reg [1:0]        kind_reg;
    reg              r_reg;         // not of S: this core's copy, since kind_reg drives long wires to the next core
    reg [HOP_W-1:0]  hops_reg;      // of the next core
    reg [DATA_W-1:0] data_reg;

    wire             accept = s_valid && s_ready;
    wire             give   = m_valid && m_ready;
    wire             offer;         // from the next cycle on
    wire             giving;        // the next core has not taken it
    wire             read_last;
    wire             last_comes;    // the last read is in the next cycle
    wire             side   = !r_reg;
    wire             flush  = kind_reg[1] && side;

    assign s_ready = ready_reg;
    assign m_valid = offer_reg;
    assign m_kind  = kind_reg;
    assign m_hops  = hops_reg;
    assign m_data  = data_reg;

    always @(posedge clk) begin
        // Without a step, the registers load whatever is on the port; no multiplexer is then in their path.
        if (ready_reg) begin
            kind_reg <= s_kind;
            r_reg    <= !s_kind[0];
            hops_reg <= s_hops - {{(HOP_W-1){1'b0}}, 1'b1};
        end
        reading_reg <= accept || (reading_reg && !read_last);
        offer_reg   <= offer || (offer_reg && !m_ready);
        // The next step is taken in the cycle of the last read, unless this one has not been passed on well before.
        ready_reg   <= ready_reg ? !s_valid
                                 : (!giving || (give && BRIEF)) && (!reading_reg || read_last || last_comes);
        if (rst) {reading_reg, offer_reg, ready_reg} <= 3'b001;
    end

    // ---- The segments: places 0 of R and of S, and so on

    wire               put;             // in the next cycle the incoming tuple is stored in its stream's segment
    wire               put_side;
    reg                put_reg, r_put_reg, s_put_reg;
    reg [ADDR_W-1:0]   put_place_reg;
    wire [DATA_W-1:0]  probe;
    wire               probe_has, probe_new;
    wire [ADDR_W-1:0]  r_place, s_place, r_newest, s_newest;
    wire [COUNT_W-1:0] r_held, s_held, r_recent, s_recent;

    ws_handshake_ring #(.SEGMENT(SEGMENT), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W)) r_ring (
        .clk(clk), .rst(rst), .put(r_put_reg), .put_new(probe_new), .settle(reading_reg && flush),
        .place(r_place), .newest(r_newest), .held(r_held), .recent(r_recent)
    );

    ws_handshake_ring #(.SEGMENT(SEGMENT), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W)) s_ring (
        .clk(clk), .rst(rst), .put(s_put_reg), .put_new(probe_new), .settle(reading_reg && flush),
        .place(s_place), .newest(s_newest), .held(s_held), .recent(s_recent)
    );

    always @(posedge clk) begin
        put_reg   <= put;
        r_put_reg <= put && !put_side;
        s_put_reg <= put && put_side;
        if (ready_reg) put_place_reg <= s_kind[0] ? s_place : r_place;
        if (rst) {put_reg, r_put_reg, s_put_reg} <= 3'b000;
    end

    reg                room_reg;        // the queue has room: otherwise WAIT
    reg                run_reg;         // the same, a cycle later
    reg [ADDR_W-1:0]   addr_reg;
    reg [COUNT_W-1:0]  age_reg;
    reg [COUNT_W-1:0]  held_reg;        // number of places left to read that hold tuples; they come first
    reg [COUNT_W-1:0]  recent_reg;      // number of those whose tuple is new; they come first
    reg                last_reg;        // the oldest, or a FLUSH
    reg                next_last_reg;   // the oldest but one
    wire               begun;           // the incoming tuple is available
    wire               read = reading_reg && begun && run_reg;

    assign read_last  = read && (last_reg || !probe_has);
    assign last_comes = room_reg && (!probe_has || (run_reg ? next_last_reg : last_reg));

    always @(posedge clk) begin
        if (ready_reg) begin
            addr_reg   <= s_kind[0] ? r_newest : s_newest;
            held_reg   <= s_kind[0] ? r_held : s_held;
            recent_reg <= s_kind[0] ? r_recent : s_recent;
            age_reg    <= {COUNT_W{1'b0}};
            last_reg <= s_kind == KIND_FLUSH || SEGMENT == 1;
            next_last_reg <= SEGMENT == 2;
        end else if (read) begin
            addr_reg <= addr_reg == {ADDR_W{1'b0}} ? LAST[ADDR_W-1:0] : addr_reg - PLACE;
            age_reg  <= age_reg + ONE;
            last_reg <= next_last_reg;
            if (held_reg != {COUNT_W{1'b0}}) held_reg <= held_reg - ONE;
            if (recent_reg != {COUNT_W{1'b0}}) recent_reg <= recent_reg - ONE;
            next_last_reg <= SEGMENT > 2 && age_reg == BEFORE[COUNT_W-1:0];
        end
    end

    wire              peek;             // FORWARD = 0: read peek_addr instead of the row to compare
    wire [ADDR_W:0]   peek_addr;
    wire [DATA_W-1:0] row;

    ws_ram_sdp #(.DATA_W(DATA_W), .ADDR_W(ADDR_W + 1), .STYLE(SEGMENT > 64 ? "block" : "distributed")) segments (
        .clk(clk),
        .wr_en(put_reg), .wr_addr({put_place_reg, side}), .wr_data(probe),
        .rd_en(1'b1), .rd_addr(peek ? peek_addr : {addr_reg, !side}), .rd_data(row)
`ifdef FORMAL
        ,
        .watch_addr({(ADDR_W+1){1'b0}}), .watch_data(), .watch_addr_2({(ADDR_W+1){1'b0}}), .watch_data_2()
`endif
    );

    generate
        if (FORWARD != 0) begin : gen_forward
            // ---- The new tuple only
            always @(posedge clk) if (ready_reg) data_reg <= s_data;

            assign put       = accept && !s_kind[1] && s_hops == {HOP_W{1'b0}};
            assign put_side  = s_kind[0];
            assign offer     = accept;
            assign giving    = offer_reg;
            assign m_has     = 1'b1;
            assign m_new     = 1'b1;
            assign begun     = 1'b1;
            assign probe     = data_reg;
            assign probe_has = 1'b1;
            assign probe_new = 1'b1;
            assign peek      = 1'b0;
            assign peek_addr = {(ADDR_W+1){1'b0}};
            assign {to_valid, to_has, to_new, to_data} = {(DATA_W+3){1'b0}};

            wire unused = &{s_has, s_new, from_valid, from_has, from_new, from_data};
        end else begin : gen_flow
            // ---- Begin: take the tuple from the left or, of S, from the right, and read the one that goes to the
            // right
            reg                giving_reg, home_reg, begun_reg, lift_reg, idle_reg;
            reg                has_reg, new_reg, probe_has_reg, probe_new_reg;
            reg [DATA_W-1:0]   probe_reg;
            reg [ADDR_W-1:0]   sweep_addr_reg;      // sweeps pick up one tuple after the other, the newest first
            reg [COUNT_W-1:0]  sweep_age_reg;
            wire               begin_step = reading_reg && !begun_reg && (kind_reg != KIND_S || from_valid);
            wire               take_up    = kind_reg == KIND_SWEEP && !has_reg && home_reg;
            wire               fall_out   = kind_reg == KIND_R;
            wire               busy       = reading_reg || giving_reg;
            wire [ADDR_W-1:0]  sweep_addr = sweep_age_reg == {COUNT_W{1'b0}} ? r_newest : sweep_addr_reg;

            always @(posedge clk) begin
                giving_reg <= accept || (giving_reg && !give);
                begun_reg <= !accept && (begun_reg || begin_step) && !rst;
                lift_reg  <= begin_step && (fall_out || take_up) && !rst;
                idle_reg  <= !busy && !rst;
                if (ready_reg) {has_reg, new_reg, data_reg} <= {s_has, s_new, s_data};
                if (ready_reg) home_reg <= s_hops == {HOP_W{1'b0}};
                if (begin_step) begin
                    {probe_has_reg, probe_new_reg, probe_reg} <= side ? {from_has, from_new, from_data}
                                                                      : {has_reg, new_reg, data_reg};
                    if (fall_out) begin
                        has_reg <= r_held == SEGMENT[COUNT_W-1:0];
                        new_reg <= r_recent == SEGMENT[COUNT_W-1:0];
                    end
                    if (take_up) begin
                        has_reg        <= sweep_age_reg < r_held;
                        new_reg        <= sweep_age_reg < r_recent;
                        sweep_age_reg  <= sweep_age_reg == LAST[COUNT_W-1:0] ? {COUNT_W{1'b0}} : sweep_age_reg + ONE;
                        sweep_addr_reg <= sweep_addr == {ADDR_W{1'b0}} ? LAST[ADDR_W-1:0] : sweep_addr - PLACE;
                    end
                end
                if (lift_reg) data_reg <= row;
                if (rst) {giving_reg, sweep_age_reg} <= {(COUNT_W+1){1'b0}};
            end

            assign put       = begin_step && !kind_reg[1] && (side ? from_has : has_reg);
            assign put_side  = side;
            assign giving    = giving_reg;
            assign offer     = lift_reg || (begin_step && !fall_out && !take_up);
            assign m_has     = has_reg;
            assign m_new     = new_reg;
            assign begun     = begun_reg;
            assign probe     = probe_reg;
            assign probe_has = probe_has_reg;
            assign probe_new = probe_new_reg;
            assign peek      = !reading_reg || !begun_reg;
            assign peek_addr = !reading_reg || side ? {s_place, 1'b1} : {take_up ? sweep_addr : r_place, 1'b0};

            // An idle core reads the oldest tuple of S, which is available in the next cycle.
            assign to_valid  = !busy && idle_reg;
            assign to_has    = s_held == SEGMENT[COUNT_W-1:0];
            assign to_new    = s_recent == SEGMENT[COUNT_W-1:0];
            assign to_data   = row;
        end
    endgenerate

    // ---- Match. Two tuples from before a FLUSH have already met

    reg  [MATCH_CYCLES:0]            valid_reg, flush_reg, side_reg;
    reg  [(MATCH_CYCLES+1)*DATA_W-1:0] probes_reg;
    reg  [MATCH_CYCLES*DATA_W-1:0]   rows_reg;
    wire [(MATCH_CYCLES+1)*DATA_W-1:0] rows = {rows_reg, row};
    wire                             unused_rows = &rows[MATCH_CYCLES*DATA_W +: DATA_W];
    wire                             match;

    always @(posedge clk) begin
        valid_reg  <= rst ? {(MATCH_CYCLES+1){1'b0}}
                          : {valid_reg[MATCH_CYCLES-1:0],
                             read && (flush || (probe_has && |held_reg && (probe_new || |recent_reg)))};
        flush_reg  <= {flush_reg[MATCH_CYCLES-1:0], flush};
        side_reg   <= {side_reg[MATCH_CYCLES-1:0], side};
        probes_reg <= {probes_reg[MATCH_CYCLES*DATA_W-1:0], probe};
        rows_reg   <= rows[MATCH_CYCLES*DATA_W-1:0];
    end

    ws_predicate_in_time #(
        .PREDICATE(PREDICATE), .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .TIME_W(TIME_W), .WINDOW(WINDOW)
    ) predicate (
        .clk(clk), .limit(limit),
        .window(side_reg[0] ? row[R_KEY_LSB +: KEY_W] : row[S_KEY_LSB +: KEY_W]),
        .probe(side_reg[0] ? probes_reg[S_KEY_LSB +: KEY_W] : probes_reg[R_KEY_LSB +: KEY_W]),
        .window_time(side_reg[0] ? row[R_TIME_LSB +: TIME_PORT_W] : row[S_TIME_LSB +: TIME_PORT_W]),
        .probe_time(side_reg[0] ? probes_reg[S_TIME_LSB +: TIME_PORT_W] : probes_reg[R_TIME_LSB +: TIME_PORT_W]),
        .match(match)
    );

    // ---- The result queue: a RAM and its read register. Every cycle writes to the next place, and a result is kept by
    // advancing the pointer, so that only the pointer waits for the match. The RAM holds at most 2**FIFO_W - 1 results

    reg  [FIFO_W-1:0] wr_ptr_reg, rd_ptr_reg;
    wire [FIFO_W-1:0] waiting  = wr_ptr_reg - rd_ptr_reg;   // results in the RAM
    reg               out_valid_reg;
    wire              found    = valid_reg[MATCH_CYCLES] && (flush_reg[MATCH_CYCLES] || match);
    wire              out_free = !out_valid_reg || result_ready;
    wire              some     = wr_ptr_reg != rd_ptr_reg;

    assign result_valid = out_valid_reg;

    ws_ram_sdp #(.DATA_W(2*DATA_W + 2), .ADDR_W(FIFO_W), .STYLE("distributed")) queue (
        .clk(clk),
        .wr_en(1'b1), .wr_addr(wr_ptr_reg),
        .wr_data({flush_reg[MATCH_CYCLES], side_reg[MATCH_CYCLES], probes_reg[MATCH_CYCLES*DATA_W +: DATA_W],
                  rows_reg[(MATCH_CYCLES-1)*DATA_W +: DATA_W]}),
        .rd_en(out_free), .rd_addr(rd_ptr_reg), .rd_data({result_flush, result_side, result_data})
`ifdef FORMAL
        ,
        .watch_addr({FIFO_W{1'b0}}), .watch_data(), .watch_addr_2({FIFO_W{1'b0}}), .watch_data_2()
`endif
    );

    always @(posedge clk) begin
        if (found) wr_ptr_reg <= wr_ptr_reg + 1'b1;
        if (out_free && some) rd_ptr_reg <= rd_ptr_reg + 1'b1;
        if (out_free) out_valid_reg <= some;
        room_reg <= waiting <= MOST[FIFO_W-1:0] && !rst;
        run_reg  <= room_reg && !rst;
        if (rst) {out_valid_reg, wr_ptr_reg, rd_ptr_reg} <= {(2*FIFO_W+1){1'b0}};
    end

`ifdef FORMAL
    always @(posedge clk) if (!rst && found) never_lost: assert (!(&waiting));
`endif

endmodule

`default_nettype wire
