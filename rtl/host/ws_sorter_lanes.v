// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_lanes: what happens to the records in a pass of ws_sorter, P records a cycle.
//
//   run_reader ═K═▶ merge_lanes_tree ──┬──▶ pack ──▶ results
//              └ 0 ─▶ merge_lanes_sort ┘
//                     first pass
//
// A beat has P records. A run is a whole number of beats, but for the last one of the array: the last beat is filled up
// with padding, which is after all records. So is the last run of the first pass, and an empty run is a beat of it.
//
// Parameters   P   records of a beat, a power of two, 2 to 16; the others are those of ws_sorter
// Ports        begin_  a pass begins; the other settings are constant until its END
//              first   it sorts runs; rest: records of the array's last beat, 0: all; runs: that the pass writes
//              last, unique_, limit, written, equal   see ws_sorter_pack
//              s_*     the streams of ws_run_reader, without ENDs
//              m_*     beats and one END; m_short: records that are missing at the end of the beat
// Latency      that of its parts; the machine's share of the memory's rate is tested
// Issue rate   P records a cycle
// Overflow     cannot happen: s_ready goes low
// Source       see ws_merge_lanes

`default_nettype none

module ws_sorter_lanes #(
    parameter P       = 4,
    parameter K       = 16,
    parameter LEVELS  = 8,
    parameter DATA_W  = 64,
    parameter KEY_W   = 32,
    parameter COUNT_W = 25
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  begin_,
    input  wire                  first,
    input  wire                  last,
    input  wire [$clog2(P)-1:0]  rest,
    input  wire [COUNT_W-1:0]    runs,
    input  wire                  unique_,
    input  wire [31:0]           limit,
    output wire [31:0]           written,
    output wire [$clog2(P):0]    equal,

    input  wire [K-1:0]          s_valid,
    output wire [K-1:0]          s_ready,
    input  wire [K-1:0]          s_end,
    input  wire [K-1:0]          s_empty,
    input  wire [K-1:0]          s_final,
    input  wire [K*P*DATA_W-1:0] s_data,

    output wire                  m_valid,
    input  wire                  m_ready,
    output wire                  m_end,
    output wire [$clog2(P)-1:0]  m_short,
    output wire [P*DATA_W-1:0]   m_data
);

    localparam LOG_P   = $clog2(P);
    localparam BEAT_W  = P * DATA_W;
    localparam REST_W  = DATA_W - KEY_W;
    localparam ITEM_W  = DATA_W + 1;            // an element: {padding, key, rest}
    localparam ITEMS_W = P * ITEM_W;
    localparam FILL_W  = LEVELS - LOG_P;        // a run of the first pass has 2**FILL_W beats

    // ---- Elements, with padding

    wire [K*ITEMS_W-1:0] run_items;
    wire [K-1:0]        tree_ready;
    wire [P-1:0]        beyond = {P{rest != 0}} & {P{1'b1}} << rest;

    genvar n, i;
    generate
        for (n = 0; n < K; n = n + 1) begin : gen_run
            for (i = 0; i < P; i = i + 1) begin : gen_item
                wire [DATA_W-1:0] record = s_data[(n*P+i)*DATA_W +: DATA_W];
                wire              pad = s_empty[n] || (s_final[n] && beyond[i]);
                assign run_items[(n*P+i)*ITEM_W +: ITEM_W] = {pad, record[KEY_W-1:0], record[DATA_W-1:KEY_W]};
            end
        end
    endgenerate

    // ---- Passes but the first

    wire               tree_valid, tree_take, tree_last;
    wire [ITEMS_W-1:0] tree_items;

    ws_merge_lanes_tree #(.K(K), .P(P), .KEY_W(KEY_W + 1), .PAYLOAD_W(REST_W)) tree (
        .clk(clk), .rst(rst),
        .s_valid(s_valid & {K{!first}}), .s_ready(tree_ready), .s_last(s_end), .s_data(run_items),
        .m_valid(tree_valid), .m_ready(tree_take), .m_last(tree_last), .m_data(tree_items)
    );

    // ---- The first pass: stream 0 has the array as one run, which is filled up to whole runs of the sorter

    reg  [FILL_W-1:0]  place_reg;               // of the next beat in its run
    reg                fill_reg;                // the array has ended
    wire               sort_ready, sorted_valid, sorted_take, sorted_last;
    wire               put = sort_ready && first && (fill_reg || s_valid[0]);
    wire [ITEMS_W-1:0] sorted_items;
    wire               whole = &place_reg;

    assign s_ready = first ? {{K-1{1'b0}}, sort_ready && !fill_reg} : tree_ready;

    always @(posedge clk) begin
        if (put) begin
            place_reg <= place_reg + 1'b1;
            fill_reg  <= (fill_reg || s_end[0]) && !whole;
        end
        if (rst) begin
            place_reg <= {FILL_W{1'b0}};
            fill_reg  <= 1'b0;
        end
    end

    ws_merge_lanes_sort #(.LEVELS(LEVELS), .P(P), .KEY_W(KEY_W + 1), .PAYLOAD_W(REST_W)) sort (
        .clk(clk), .rst(rst),
        .s_valid(first && (fill_reg || s_valid[0])), .s_ready(sort_ready),
        .s_data(fill_reg ? {ITEMS_W{1'b1}} : run_items[0 +: ITEMS_W]),
        .m_valid(sorted_valid), .m_ready(sorted_take), .m_last(sorted_last), .m_data(sorted_items)
    );

    // ---- What is left of both

    wire [ITEMS_W-1:0] all_items = first ? sorted_items : tree_items;
    wire [BEAT_W-1:0]  all_data;
    wire [P-1:0]       all_pad;
    wire               all_ready;

    assign tree_take     = !first && all_ready;
    assign sorted_take   = first && all_ready;

    generate
        for (i = 0; i < P; i = i + 1) begin : gen_lane
            wire [ITEM_W-1:0] item = all_items[i*ITEM_W +: ITEM_W];
            assign all_pad[i] = item[ITEM_W-1];
            assign all_data[i*DATA_W +: DATA_W] = {item[REST_W-1:0], item[REST_W +: KEY_W]};
        end
    endgenerate

    ws_sorter_pack #(.P(P), .RECORD_W(DATA_W), .KEY_W(KEY_W), .COUNT_W(COUNT_W)) pack (
        .clk(clk), .rst(rst),
        .begin_(begin_), .last(last), .ends(runs), .unique_(unique_), .limit(limit),
        .written(written), .equal(equal),
        .s_valid(first ? sorted_valid : tree_valid), .s_ready(all_ready), .s_last(first ? sorted_last : tree_last),
        .s_pad(all_pad), .s_data(all_data),
        .m_valid(m_valid), .m_ready(m_ready), .m_end(m_end), .m_short(m_short), .m_data(m_data)
    );

endmodule

`default_nettype wire
