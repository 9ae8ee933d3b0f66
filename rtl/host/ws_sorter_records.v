// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_records: what happens to the records in a pass of ws_sorter, a record a cycle.
//
//   run_reader ═K═▶ merge_tree ──┬────────────────┬──▶ FIFO ──▶ results
//                                └─▶ merge_sort ──┘
//                                    first pass
//
// Parameters   see ws_sorter
// Ports        first   the pass sorts runs
//              s_*     the streams of ws_run_reader, ENDs included
//              m_*     records and ENDs
// Latency      that of its parts; the machine's share of the memory's rate is tested
// Issue rate   1 record a cycle
// Overflow     cannot happen: s_ready goes low
// Source       see ws_sorter

`default_nettype none

module ws_sorter_records #(
    parameter K       = 16,
    parameter LEVELS  = 8,
    parameter DATA_W  = 64,
    parameter KEY_W   = 32
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                first,

    input  wire [K-1:0]        s_valid,
    output wire [K-1:0]        s_ready,
    input  wire [K-1:0]        s_end,
    input  wire [K*DATA_W-1:0] s_data,

    output wire                m_valid,
    input  wire                m_ready,
    output wire                m_end,
    output wire [DATA_W-1:0]   m_data
);

    localparam REST_W  = DATA_W - KEY_W;
    localparam HELD_W  = LEVELS + 2;            // 2**HELD_W records are between the tree and the results

    // ---- The least record of all streams

    wire [K*KEY_W-1:0]  run_key;
    wire [K*REST_W-1:0] run_rest;
    wire                low_valid, low_ready, low_end;  // the least record
    wire [DATA_W-1:0]   low_data;

    genvar n;
    generate
        for (n = 0; n < K; n = n + 1) begin : gen_run
            assign {run_rest[n*REST_W +: REST_W], run_key[n*KEY_W +: KEY_W]} = s_data[n*DATA_W +: DATA_W];
        end
    endgenerate

    ws_merge_tree #(.K(K), .KEY_W(KEY_W), .DATA_W(REST_W)) tree (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_end(s_end), .s_key(run_key), .s_data(run_rest),
        .m_valid(low_valid), .m_ready(low_ready), .m_end(low_end),
        .m_key(low_data[KEY_W-1:0]), .m_data(low_data[DATA_W-1:KEY_W])
    );

    // ---- The first pass sorts runs. The sorter cannot stall, so the FIFO after it has a place for all that is inside

    reg                held_ready_reg;
    reg  [HELD_W:0]    held_reg;                // records and ENDs that have left the tree, and not the FIFO
    reg                in_reg, in_end_reg;      // one enters
    reg  [DATA_W-1:0]  in_data_reg;
    wire               sorted_valid, sorted_eos, sorted_last, sorted_punct;
    wire [15:0]        sorted_run;
    wire [DATA_W-1:0]  sorted_data;
    wire               evt_long, evt_equal;
    reg                put_reg, put_row_reg, put_both_reg;      // into the FIFO: a row, an END, or both
    reg  [DATA_W-1:0]  put_data_reg;
    wire               fifo_valid, fifo_row, fifo_both, fifo_ready, fifo_full;
    wire [DATA_W-1:0]  fifo_data;
    wire [HELD_W:0]    fifo_level;
    reg                tail_reg;                // the row has left, its END has not
    wire               all_end   = tail_reg || !fifo_row;
    wire               all_ready;
    wire               unused_sort = &{1'b0, sorted_last, sorted_punct, fifo_full, sorted_run, evt_long, evt_equal, fifo_level};

    assign low_ready  = held_ready_reg;
    assign fifo_ready = all_ready && (tail_reg || !fifo_both);

    ws_merge_sort #(.LEVELS(LEVELS), .KEY_W(KEY_W), .DATA_W(REST_W)) sort (
        .clk(clk), .rst(rst),
        .s_valid(first && in_reg && !in_end_reg), .s_punct(1'b0), .s_eos(first && in_reg && in_end_reg),
        .s_key(in_data_reg[KEY_W-1:0]), .s_data(in_data_reg[DATA_W-1:KEY_W]),
        .m_valid(sorted_valid), .m_punct(sorted_punct), .m_eos(sorted_eos), .m_last(sorted_last), .m_run(sorted_run),
        .m_key(sorted_data[KEY_W-1:0]), .m_data(sorted_data[DATA_W-1:KEY_W]),
        .evt_long(evt_long), .evt_equal(evt_equal)
    );

    ws_commit_fifo #(.DATA_W(DATA_W + 2), .ADDR_W(HELD_W), .OUTPUT_REG(1)) fifo (
        .clk(clk), .rst(rst),
        .wr_en(put_reg), .wr_data({put_both_reg, put_row_reg, put_data_reg}), .commit(1'b1), .rewind(1'b0),
        .full(fifo_full), .level(fifo_level),
        .m_valid(fifo_valid), .m_ready(fifo_ready), .m_data({fifo_both, fifo_row, fifo_data})
    );

    always @(posedge clk) begin
        in_reg       <= low_valid && low_ready;
        in_end_reg   <= low_end;
        in_data_reg  <= low_data;
        put_reg      <= first ? sorted_valid || sorted_eos : in_reg;
        put_both_reg <= first && sorted_valid && sorted_eos;
        put_row_reg  <= first ? sorted_valid : !in_end_reg;
        put_data_reg <= first ? sorted_data : in_data_reg;
        if (fifo_valid && all_ready) tail_reg <= fifo_both && !tail_reg;
        held_reg     <= held_reg + {{HELD_W{1'b0}}, in_reg} - {{HELD_W{1'b0}}, fifo_valid && all_ready};
        held_ready_reg <= !(&held_reg[HELD_W-1:1]) && !held_reg[HELD_W];
        if (rst) begin
            {in_reg, put_reg, tail_reg, held_ready_reg} <= 4'b0000;
            held_reg <= {HELD_W+1{1'b0}};
        end
    end

    ws_skid_buffer #(.DATA_W(DATA_W + 1)) slice (
        .clk(clk), .rst(rst),
        .s_valid(fifo_valid), .s_ready(all_ready), .s_data({all_end, fifo_data}),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_end, m_data})
    );

endmodule

`default_nettype wire
