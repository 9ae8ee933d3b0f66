// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_records: the path of the records in a pass of ws_sorter, a record a cycle.
//
//   AR, R ── key ── run_reader ═K═▶ merge_tree ──┬────────────────┬──▶ FIFO ──▶ results ── key ── axi_writer ── AW, W, B
//                                                └─▶ merge_sort ──┘
//                                                    first pass
//
// Parameters   see ws_sorter
// Ports        order_*, first, last, pass_done, halt   see ws_sorter_control
//              offset, ..., limit                      of the job, see sorter.yml
//              read_idle, write_idle                   nothing is in flight
//              written, equal                          see ws_sorter_results
//              read_error, write_done, write_error     see ws_run_reader, ws_axi_writer
// Latency      from order_valid to the first arvalid K + 6 cycles
// Issue rate   1 record a cycle, if the memory answers as fast
// Overflow     cannot happen: the memory waits
// Source       see ws_sorter

`default_nettype none

module ws_sorter_records #(
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
    output wire                equal,
    output wire                read_error,
    output wire                write_done,
    output wire [1:0]          write_error,

    output wire [ADDR_W-1:0]   m_axi_araddr,
    output wire [7:0]          m_axi_arlen,
    output wire [2:0]          m_axi_arsize,
    output wire [1:0]          m_axi_arburst,
    output wire                m_axi_arvalid,
    input  wire                m_axi_arready,
    input  wire [DATA_W-1:0]   m_axi_rdata,
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
    output wire [DATA_W-1:0]   m_axi_wdata,
    output wire [DATA_W/8-1:0] m_axi_wstrb,
    output wire                m_axi_wlast,
    output wire                m_axi_wvalid,
    input  wire                m_axi_wready,
    input  wire [1:0]          m_axi_bresp,
    input  wire                m_axi_bvalid,
    output wire                m_axi_bready
);

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam REST_W  = DATA_W - KEY_W;
    localparam KEY_CYCLES = BYTES_W + 1;        // of ws_sorter_key
    localparam ORDER_W = BYTES_W + $clog2(BURST) + 1;   // of the bytes of a burst
    localparam HELD_W  = LEVELS + 2;            // 2**HELD_W records are between the tree and the results

    wire       order  = order_valid && order_ready;     // a pass begins
    wire       unused = &{1'b0, m_axi_rresp[0]};

    // ---- Records in

    wire [DATA_W-1:0]   keyed;
    wire [K-1:0]        run_valid, run_ready, run_end, run_empty, run_final;
    wire                unused_run = &{1'b0, run_empty, run_final};
    wire [K*DATA_W-1:0] run_data;
    wire [K*KEY_W-1:0]  run_key;
    wire [K*REST_W-1:0] run_rest;
    wire                low_valid, low_ready, low_end;  // the least record
    wire [DATA_W-1:0]   low_data;

    assign m_axi_arsize  = BYTES_W[2:0];
    assign m_axi_arburst = 2'b01;

    ws_sorter_key #(.RECORD_W(DATA_W), .KEY_W(KEY_W), .INVERSE(0)) key_in (
        .clk(clk), .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
        .move(1'b1), .record(m_axi_rdata), .result(keyed)
    );

    ws_run_reader #(
        .K(K), .DATA_W(DATA_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST), .FIFO_W(FIFO_W), .R_DELAY(KEY_CYCLES)
    ) reader (
        .clk(clk), .rst(rst),
        .order_valid(order_valid), .order_ready(order_ready), .order_address(order_from), .order_count(order_count),
        .order_run(order_run), .order_groups(order_groups), .order_single(1'b0), .halt(halt), .idle(read_idle),
        .ar_valid(m_axi_arvalid), .ar_ready(m_axi_arready), .ar_addr(m_axi_araddr), .ar_len(m_axi_arlen),
        .r_valid(m_axi_rvalid), .r_ready(m_axi_rready), .r_data(keyed), .r_last(m_axi_rlast), .r_error(m_axi_rresp[1]),
        .m_valid(run_valid), .m_ready(run_ready), .m_end(run_end), .m_empty(run_empty), .m_final(run_final), .m_data(run_data), .error(read_error)
    );

    genvar n;
    generate
        for (n = 0; n < K; n = n + 1) begin : gen_run
            assign {run_rest[n*REST_W +: REST_W], run_key[n*KEY_W +: KEY_W]} = run_data[n*DATA_W +: DATA_W];
        end
    endgenerate

    ws_merge_tree #(.K(K), .KEY_W(KEY_W), .DATA_W(REST_W)) tree (
        .clk(clk), .rst(rst),
        .s_valid(run_valid), .s_ready(run_ready), .s_end(run_end), .s_key(run_key), .s_data(run_rest),
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

    // ---- Records out

    wire               kept_valid, kept_ready, kept_end;
    wire [DATA_W-1:0]  kept_data;
    wire               out_valid, out_ready, write_valid, write_ready, unused_tag;
    wire [DATA_W-1:0]  out_keyed, out_data;
    reg  [KEY_CYCLES-1:0] out_reg;              // records in key_out
    wire [ADDR_W-1:0]  write_address;
    wire [ORDER_W-1:0] write_bytes;

    assign m_axi_awsize  = BYTES_W[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_bready  = 1'b1;

    ws_skid_buffer #(.DATA_W(DATA_W + 1)) slice (
        .clk(clk), .rst(rst),
        .s_valid(fifo_valid), .s_ready(all_ready), .s_data({all_end, fifo_data}),
        .m_valid(kept_valid), .m_ready(kept_ready), .m_data({kept_end, kept_data})
    );

    ws_sorter_results #(.DATA_W(DATA_W), .KEY_W(KEY_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST)) results (
        .clk(clk), .rst(rst),
        .begin_(order), .address(order_to), .last(last), .ends(order_groups), .unique_(unique_), .limit(limit),
        .done(pass_done), .written(written), .equal(equal),
        .s_valid(kept_valid), .s_ready(kept_ready), .s_end(kept_end), .s_data(kept_data), .s_short({BYTES_W{1'b0}}),
        .m_valid(out_valid), .m_ready(out_ready), .m_data(out_keyed),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .idle(write_idle)
    );

    ws_sorter_key #(.RECORD_W(DATA_W), .KEY_W(KEY_W), .INVERSE(1)) key_out (
        .clk(clk), .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
        .move(out_ready), .record(out_keyed), .result(out_data)
    );

    always @(posedge clk) begin
        if (out_ready) out_reg <= {out_reg[KEY_CYCLES-2:0], out_valid};
        if (rst) out_reg <= {KEY_CYCLES{1'b0}};
    end

    ws_axi_writer #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .COUNT_W(ORDER_W), .BURST(BURST), .FIFO_W($clog2(BURST) + 1)
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
