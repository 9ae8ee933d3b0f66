// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_lanes: the path of the records in a pass of ws_sorter, P records a cycle.
//
//   AR, R ── keys ── run_reader ═K═▶ merge_lanes_tree ──┬──▶ pack ── results ── keys ── axi_writer ── AW, W, B
//                        └── 0 ──▶ merge_lanes_sort ────┘
//                        first pass
//
// A beat has P records. A run is a whole number of beats, but for the last one of the array: the last beat is filled up
// with padding, which is after all records. So is the last run of the first pass, and an empty run is a beat of it.
//
// Parameters   P   records of a beat, a power of two, 2 to 16; the others are those of ws_sorter
// Ports        order_*, first, last, pass_done, halt   see ws_sorter_control
//              offset, ..., limit                      of the job, see sorter.yml
//              read_idle, write_idle                   nothing is in flight
//              written, equal                          see ws_sorter_pack
//              read_error, write_done, write_error     see ws_run_reader, ws_axi_writer
// Latency      from order_valid to the first arvalid K + 6 cycles
// Issue rate   P records a cycle, if the memory answers as fast
// Overflow     cannot happen: the memory waits
// Source       see ws_merge_lanes

`default_nettype none

module ws_sorter_lanes #(
    parameter P       = 4,
    parameter K       = 16,
    parameter LEVELS  = 8,
    parameter DATA_W  = 64,
    parameter KEY_W   = 32,
    parameter ADDR_W  = 32,
    parameter COUNT_W = 25,
    parameter BURST   = 64,
    parameter FIFO_W  = 9
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                order_valid,
    output wire                order_ready,
    input  wire [ADDR_W-1:0]   order_from,
    input  wire [ADDR_W-1:0]   order_to,
    input  wire [COUNT_W-1:0]  order_count,
    input  wire [COUNT_W-1:0]  order_run,
    input  wire [COUNT_W-1:0]  order_groups,
    input  wire [COUNT_W-1:0]  order_runs,
    input  wire                first,
    input  wire                last,
    output wire                pass_done,
    input  wire                halt,
    output wire                read_idle,
    output wire                write_idle,

    input  wire [6:0]          offset,
    input  wire                big_endian,
    input  wire                signed_,
    input  wire                descending,
    input  wire                unique_,
    input  wire [31:0]         limit,
    output wire [31:0]         written,
    output wire [$clog2(P):0]   equal,
    output wire                read_error,
    output wire                write_done,
    output wire [1:0]          write_error,

    output wire [ADDR_W-1:0]   m_axi_araddr,
    output wire [7:0]          m_axi_arlen,
    output wire [2:0]          m_axi_arsize,
    output wire [1:0]          m_axi_arburst,
    output wire                m_axi_arvalid,
    input  wire                m_axi_arready,
    input  wire [P*DATA_W-1:0] m_axi_rdata,
    input  wire [1:0]          m_axi_rresp,
    input  wire                m_axi_rlast,
    input  wire                m_axi_rvalid,
    output wire                m_axi_rready,

    output wire [ADDR_W-1:0]   m_axi_awaddr,
    output wire [7:0]          m_axi_awlen,
    output wire [2:0]          m_axi_awsize,
    output wire [1:0]          m_axi_awburst,
    output wire                m_axi_awvalid,
    input  wire                m_axi_awready,
    output wire [P*DATA_W-1:0] m_axi_wdata,
    output wire [P*DATA_W/8-1:0] m_axi_wstrb,
    output wire                m_axi_wlast,
    output wire                m_axi_wvalid,
    input  wire                m_axi_wready,
    input  wire [1:0]          m_axi_bresp,
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready
);

    localparam LOG_P   = $clog2(P);
    localparam BEAT_W  = P * DATA_W;
    localparam BYTES_W = $clog2(BEAT_W / 8);
    localparam REST_W  = DATA_W - KEY_W;
    localparam ITEM_W  = DATA_W + 1;            // an element: {padding, key, rest}
    localparam ITEMS_W = P * ITEM_W;
    localparam KEY_CYCLES = $clog2(DATA_W / 8) + 1;     // of ws_sorter_key
    localparam ORDER_W = BYTES_W + $clog2(BURST) + 1;   // of the bytes of a burst
    localparam FILL_W  = LEVELS - LOG_P;        // a run of the first pass has 2**FILL_W beats

    wire unused = &{1'b0, m_axi_rresp[0]};

    // ---- Beats in

    wire [BEAT_W-1:0]   keyed;
    wire [K-1:0]        run_valid, run_ready, run_end, run_empty, run_final;
    wire [K*BEAT_W-1:0] run_data;
    wire [K*ITEMS_W-1:0] run_items;
    wire [K-1:0]        tree_ready;
    reg  [COUNT_W-1:0]  beats_reg, run_beats_reg;
    wire [LOG_P-1:0]    rest   = order_count[LOG_P-1:0];        // records of the last beat, 0: it is whole
    wire [P-1:0]        beyond = {P{rest != 0}} & {P{1'b1}} << rest;
    wire                order  = order_valid && order_ready;

    assign m_axi_arsize  = BYTES_W[2:0];
    assign m_axi_arburst = 2'b01;

    always @(posedge clk) begin
        beats_reg     <= (order_count >> LOG_P) + {{COUNT_W-1{1'b0}}, |order_count[LOG_P-1:0]};
        run_beats_reg <= (order_run >> LOG_P) + {{COUNT_W-1{1'b0}}, |order_run[LOG_P-1:0]};
    end

    genvar n, i;
    generate
        for (i = 0; i < P; i = i + 1) begin : gen_key
            ws_sorter_key #(.RECORD_W(DATA_W), .KEY_W(KEY_W), .INVERSE(0)) key_in (
                .clk(clk), .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
                .move(1'b1), .record(m_axi_rdata[i*DATA_W +: DATA_W]), .result(keyed[i*DATA_W +: DATA_W])
            );
        end
    endgenerate

    ws_run_reader #(
        .K(K), .DATA_W(BEAT_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST), .FIFO_W(FIFO_W),
        .R_DELAY(KEY_CYCLES), .ENDS(0)
    ) reader (
        .clk(clk), .rst(rst),
        .order_valid(order_valid), .order_ready(order_ready), .order_address(order_from),
        .order_count(beats_reg), .order_run(run_beats_reg), .order_groups(order_groups), .order_single(first),
        .halt(halt), .idle(read_idle),
        .ar_valid(m_axi_arvalid), .ar_ready(m_axi_arready), .ar_addr(m_axi_araddr), .ar_len(m_axi_arlen),
        .r_valid(m_axi_rvalid), .r_ready(m_axi_rready), .r_data(keyed), .r_last(m_axi_rlast), .r_error(m_axi_rresp[1]),
        .m_valid(run_valid), .m_ready(run_ready), .m_end(run_end), .m_empty(run_empty), .m_final(run_final),
        .m_data(run_data), .error(read_error)
    );

    generate
        for (n = 0; n < K; n = n + 1) begin : gen_run
            for (i = 0; i < P; i = i + 1) begin : gen_item
                wire [DATA_W-1:0] record = run_data[(n*P+i)*DATA_W +: DATA_W];
                wire              pad = run_empty[n] || (run_final[n] && beyond[i]);
                assign run_items[(n*P+i)*ITEM_W +: ITEM_W] = {pad, record[KEY_W-1:0], record[DATA_W-1:KEY_W]};
            end
        end
    endgenerate

    // ---- Passes but the first

    wire               tree_valid, tree_take, tree_last;
    wire [ITEMS_W-1:0] tree_items;

    ws_merge_lanes_tree #(.K(K), .P(P), .KEY_W(KEY_W + 1), .PAYLOAD_W(REST_W)) tree (
        .clk(clk), .rst(rst),
        .s_valid(run_valid & {K{!first}}), .s_ready(tree_ready), .s_last(run_end), .s_data(run_items),
        .m_valid(tree_valid), .m_ready(tree_take), .m_last(tree_last), .m_data(tree_items)
    );

    // ---- The first pass: stream 0 has the array as one run, which is filled up to whole runs of the sorter

    reg  [FILL_W-1:0]  place_reg;               // of the next beat in its run
    reg                fill_reg;                // the array has ended
    wire               sort_ready, sorted_valid, sorted_take, sorted_last;
    wire               put = sort_ready && first && (fill_reg || run_valid[0]);
    wire [ITEMS_W-1:0] sorted_items;
    wire               whole = &place_reg;

    assign run_ready = first ? {{K-1{1'b0}}, sort_ready && !fill_reg} : tree_ready;

    always @(posedge clk) begin
        if (put) begin
            place_reg <= place_reg + 1'b1;
            fill_reg  <= (fill_reg || run_end[0]) && !whole;
        end
        if (rst) begin
            place_reg <= {FILL_W{1'b0}};
            fill_reg  <= 1'b0;
        end
    end

    ws_merge_lanes_sort #(.LEVELS(LEVELS), .P(P), .KEY_W(KEY_W + 1), .PAYLOAD_W(REST_W)) sort (
        .clk(clk), .rst(rst),
        .s_valid(first && (fill_reg || run_valid[0])), .s_ready(sort_ready),
        .s_data(fill_reg ? {ITEMS_W{1'b1}} : run_items[0 +: ITEMS_W]),
        .m_valid(sorted_valid), .m_ready(sorted_take), .m_last(sorted_last), .m_data(sorted_items)
    );

    // ---- Beats out

    wire [ITEMS_W-1:0] all_items = first ? sorted_items : tree_items;
    wire [BEAT_W-1:0]  all_data;
    wire [P-1:0]       all_pad;
    wire               all_ready;
    wire               pack_valid, pack_ready, pack_end;
    wire [LOG_P-1:0]   pack_short;
    wire [BEAT_W-1:0]  pack_data;
    wire               out_valid, out_ready, write_valid, write_ready, unused_tag, unused_equal;
    wire [31:0]        unused_written;
    wire [BEAT_W-1:0]  out_keyed, out_data;
    wire [ADDR_W-1:0]  write_address;
    wire [ORDER_W-1:0] write_bytes;
    reg  [KEY_CYCLES-1:0] out_reg;              // beats in key_out

    assign tree_take     = !first && all_ready;
    assign sorted_take   = first && all_ready;
    assign m_axi_awsize  = BYTES_W[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_bready  = 1'b1;

    generate
        for (i = 0; i < P; i = i + 1) begin : gen_lane
            wire [ITEM_W-1:0] item = all_items[i*ITEM_W +: ITEM_W];
            assign all_pad[i] = item[ITEM_W-1];
            assign all_data[i*DATA_W +: DATA_W] = {item[REST_W-1:0], item[REST_W +: KEY_W]};

            ws_sorter_key #(.RECORD_W(DATA_W), .KEY_W(KEY_W), .INVERSE(1)) key_out (
                .clk(clk), .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
                .move(out_ready), .record(out_keyed[i*DATA_W +: DATA_W]), .result(out_data[i*DATA_W +: DATA_W])
            );
        end
    endgenerate

    ws_sorter_pack #(.P(P), .RECORD_W(DATA_W), .KEY_W(KEY_W), .COUNT_W(COUNT_W)) pack (
        .clk(clk), .rst(rst),
        .begin_(order), .last(last), .ends(order_runs), .unique_(unique_), .limit(limit),
        .written(written), .equal(equal),
        .s_valid(first ? sorted_valid : tree_valid), .s_ready(all_ready), .s_last(first ? sorted_last : tree_last),
        .s_pad(all_pad), .s_data(all_data),
        .m_valid(pack_valid), .m_ready(pack_ready), .m_end(pack_end), .m_short(pack_short), .m_data(pack_data)
    );

    ws_sorter_results #(.DATA_W(BEAT_W), .KEY_W(KEY_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST)) results (
        .clk(clk), .rst(rst),
        .begin_(order), .address(order_to), .last(1'b0), .ends({{COUNT_W-1{1'b0}}, 1'b1}), .unique_(1'b0), .limit(32'd0),
        .done(pass_done), .written(unused_written), .equal(unused_equal),
        .s_valid(pack_valid), .s_ready(pack_ready), .s_end(pack_end), .s_data(pack_data),
        .s_short({pack_short, {BYTES_W-LOG_P{1'b0}}}),
        .m_valid(out_valid), .m_ready(out_ready), .m_data(out_keyed),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .idle(write_idle)
    );

    always @(posedge clk) begin
        if (out_ready) out_reg <= {out_reg[KEY_CYCLES-2:0], out_valid};
        if (rst) out_reg <= {KEY_CYCLES{1'b0}};
    end

    ws_axi_writer #(
        .DATA_W(BEAT_W), .ADDR_W(ADDR_W), .COUNT_W(ORDER_W), .BURST(BURST), .FIFO_W($clog2(BURST) + 1)
    ) writer (
        .clk(clk), .rst(rst),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .order_tag(1'b0), .halt(halt), .idle(write_idle),
        .s_valid(out_reg[KEY_CYCLES-1]), .s_ready(out_ready), .s_data(out_data),
        .done(write_done), .done_error(write_error), .done_tag(unused_tag),
        .aw_valid(m_axi_awvalid), .aw_ready(m_axi_awready), .aw_addr(m_axi_awaddr), .aw_len(m_axi_awlen),
        .w_valid(m_axi_wvalid), .w_ready(m_axi_wready), .w_data(m_axi_wdata), .w_strb(m_axi_wstrb),
        .w_last(m_axi_wlast), .b_valid(m_axi_bvalid), .b_resp(m_axi_bresp)
    );

endmodule

`default_nettype wire
