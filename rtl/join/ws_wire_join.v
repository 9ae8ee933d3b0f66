// SPDX-License-Identifier: Apache-2.0
//
// ws_wire_join: a window join as an operator of a query, with the wire on both sides (see ws_window_join).
//
// The operators of a query never stall, and a join must: its tuples wait in a queue in front of it. `ready` falls while
// the queue still has room for what is under way, so that the query's entry can stop in time, and `room` holds rows back
// that would find none behind. Of two tuples in the same cycle that of R comes first; both may be the same tuple of one
// stream, which is joined with itself.
//
// Parameters   DATA_W        width of the tuple of R and that of S together, in bits
//              R_W           width of that of R, 1 to DATA_W - 1
//              KEY_W, PREDICATE, SIGNED, LIMIT_W   see ws_predicate
//              ROWS, MATCH_LANES   see ws_window_join
//              GRACE         cycles in which tuples and eos may come behind the one in which `ready` has fallen
//              TIME_W, WINDOW, SLACK   see ws_window_join; TIME_W 0: windows of tuples
// Ports        s_valid       bit 0: a tuple of R, bit 1: of S; s_data is {tuple of R, tuple of S}
//              key, stamps   {of R, of S}; stamps are times, unsigned, and mean nothing with TIME_W = 0
//              s_eos         comes out on m_eos behind the last row of the tuples up to it
//              room          a row or an eos may leave in this cycle
//              m_data, m_key {of R, of S}
// Latency      from a tuple to its first row of group n, if the join is idle: 10 + n cycles and those of the predicate,
//              that of S one more if one of R came with it; the groups count from 1, that of the oldest row. In time
//              14 + n, three more for that of S, and the predicate's cycles are 2 at least
// Issue rate   a tuple of each stream in ROWS/MATCH_LANES + 2 cycles, in time 6 at least, less where there are more rows
//              than cycles; rows: 1 a cycle
// Overflow     a tuple or eos that finds the queue full is lost: evt_lost. It cannot be if GRACE is kept to
// Bad input    punctuations end here. evt_late: a late tuple is refused; evt_refused: in time, a tuple whose place is
//              that of a row that may still match (see ws_window_join)
// Outputs      m_valid and m_eos are gates of registers and of `room`
// Source       ours, docs/joins.md

`default_nettype none

module ws_wire_join #(
    parameter        DATA_W      = 64,
    parameter        R_W         = 32,
    parameter        KEY_W       = 32,
    parameter [31:0] PREDICATE   = "EQ",
    parameter        SIGNED      = 0,
    parameter        LIMIT_W     = 1,
    parameter        ROWS        = 64,
    parameter        MATCH_LANES = 1,
    parameter        GRACE       = 4,
    parameter        TIME_W      = 0,
    parameter [63:0] WINDOW      = 60,
    parameter [63:0] SLACK       = 0
) (
    input  wire                                 clk,
    input  wire                                 rst,
    input  wire [LIMIT_W-1:0]                   limit,

    input  wire [1:0]                           s_valid,
    input  wire                                 s_punct,
    input  wire                                 s_eos,
    input  wire [DATA_W-1:0]                    s_data,
    input  wire [2*KEY_W-1:0]                   key,
    input  wire [2*(TIME_W > 0 ? TIME_W : 1)-1:0] stamps,
    output reg                                  ready,

    output wire                                 m_valid,
    output wire                                 m_punct,
    output wire                                 m_eos,
    output wire [DATA_W-1:0]                    m_data,
    output wire [2*KEY_W-1:0]                   m_key,
    input  wire                                 room,

    output wire                                 evt_late,
    output wire                                 evt_refused,
    output reg                                  evt_lost
);

    localparam S_W      = DATA_W - R_W;
    localparam STAMP_W  = TIME_W > 0 ? TIME_W : 1;
    localparam DATA_LSB = KEY_W + TIME_W;
    localparam TUPLE_W  = (DATA_LSB + (R_W > S_W ? R_W : S_W) + 7) / 8 * 8;
    localparam ADDR_W   = $clog2(GRACE + 12);
    localparam MOST     = (1 << ADDR_W) - GRACE - 3;    // held, so that what may still come finds room

    initial if (R_W < 1 || S_W < 1 || GRACE < 0) begin
        $display("ERROR: %m: DATA_W = %0d, R_W = %0d (1 to DATA_W - 1), GRACE = %0d (at least 0)", DATA_W, R_W, GRACE);
        $finish;
    end

    // ---- The queue: what came in a cycle

    wire [ADDR_W:0]        level;
    wire                   come = |s_valid || s_eos;
    wire                   places, waits, leaves;
    wire [2:0]             held;                // {eos, of S, of R}
    wire [DATA_W-1:0]      held_data;
    wire [2*KEY_W-1:0]     held_key;
    wire [2*STAMP_W-1:0]   held_stamps;

    ws_sync_fifo #(.DATA_W(3 + DATA_W + 2*KEY_W + 2*STAMP_W), .ADDR_W(ADDR_W), .STYLE("distributed")) queue (
        .clk(clk), .rst(rst),
        .s_valid(come), .s_ready(places), .s_data({s_eos, s_valid, s_data, key, stamps}),
        .m_valid(waits), .m_ready(leaves), .m_data({held, held_data, held_key, held_stamps}), .level(level)
    );

    always @(posedge clk) begin
        ready    <= level <= MOST[ADDR_W:0] && !rst;
        evt_lost <= come && !places && !rst;
    end

    // ---- One after the other: R, S, eos

    reg  [1:0]         done_reg;                // {S, R} of what is held have gone
    wire [2:0]         left   = held & ~{1'b0, done_reg};
    wire               is_r   = left[0], is_s = left[1] && !left[0], is_eos = !left[1] && !left[0];
    wire               taken;
    wire [TUPLE_W-1:0] r_tuple, s_tuple;

    assign leaves = taken && (is_eos || (!left[2] && !(is_r && left[1])));

    always @(posedge clk) begin
        if (waits && taken) done_reg <= leaves ? 2'b00 : done_reg | {is_s, is_r};
        if (rst) done_reg <= 2'b00;
    end

    assign r_tuple[KEY_W-1:0] = held_key[KEY_W +: KEY_W];
    assign s_tuple[KEY_W-1:0] = held_key[0 +: KEY_W];

    generate
        if (TIME_W > 0) begin : gen_time
            assign r_tuple[KEY_W +: STAMP_W] = held_stamps[STAMP_W +: STAMP_W];
            assign s_tuple[KEY_W +: STAMP_W] = held_stamps[0 +: STAMP_W];
        end
        if (TUPLE_W > DATA_LSB + R_W) begin : gen_r_zeros
            assign r_tuple[TUPLE_W-1:DATA_LSB+R_W] = {(TUPLE_W-DATA_LSB-R_W){1'b0}};
        end
        if (TUPLE_W > DATA_LSB + S_W) begin : gen_s_zeros
            assign s_tuple[TUPLE_W-1:DATA_LSB+S_W] = {(TUPLE_W-DATA_LSB-S_W){1'b0}};
        end
    endgenerate

    assign r_tuple[DATA_LSB +: R_W] = held_data[S_W +: R_W];
    assign s_tuple[DATA_LSB +: S_W] = held_data[0 +: S_W];

    // ---- The join

    wire                   row, last, dropped, dropped_dest, dropped_id, overflow;
    wire [2*TUPLE_W/8-1:0] keep;
    wire [2*TUPLE_W-1:0]   pair;

    ws_window_join #(
        .DATA_W(TUPLE_W), .ROWS(ROWS), .MATCH_LANES(MATCH_LANES), .PREDICATE(PREDICATE), .KEY_W(KEY_W),
        .SIGNED(SIGNED), .LIMIT_W(LIMIT_W), .ID_W(1),
        .TIME_W(TIME_W), .R_TIME_LSB(TIME_W > 0 ? KEY_W : 0), .S_TIME_LSB(TIME_W > 0 ? KEY_W : 0),
        .WINDOW(WINDOW), .SLACK(SLACK)
    ) join_ (
        .clk(clk), .rst(rst), .limit(limit),
        .s_axis_tdata(is_r ? r_tuple : s_tuple), .s_axis_tkeep({(TUPLE_W/8){!is_eos}}), .s_axis_tvalid(waits),
        .s_axis_tready(taken), .s_axis_tlast(1'b1), .s_axis_tdest(!is_r),
        .m_axis_tdata(pair), .m_axis_tkeep(keep), .m_axis_tvalid(row), .m_axis_tready(room), .m_axis_tlast(last),
        .evt_dropped(dropped), .evt_late(evt_late), .evt_overflow(overflow), .dropped_dest(dropped_dest),
        .dropped_id(dropped_id)
    );

    assign m_valid     = row && room && keep[0];
    assign m_eos       = row && room && !keep[0];
    assign m_punct     = 1'b0;
    assign m_data      = {pair[TUPLE_W + DATA_LSB +: R_W], pair[DATA_LSB +: S_W]};
    assign m_key       = {pair[TUPLE_W +: KEY_W], pair[0 +: KEY_W]};
    assign evt_refused = overflow;

    wire unused = &{s_punct, dropped, dropped_dest, dropped_id, last, keep, pair, held_stamps};

endmodule

`default_nettype wire
