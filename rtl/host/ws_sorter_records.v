// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_records: the path of the records in a pass of ws_sorter, a record a cycle.
//
//   AR, R ── key ── run_reader ═K═▶ merge_tree ──┬────────────────────┬──▶ results ── key ── axi_writer ── AW, W, B
//                                                └─▶ merge_sort ─▶ FIFO┘
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
    localparam HELD_W  = LEVELS + 2;            // 2**HELD_W records are in the first pass's sorter and after it

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
        .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
        .record(m_axi_rdata), .result(keyed)
    );

    ws_run_reader #(
        .K(K), .DATA_W(DATA_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST), .FIFO_W(FIFO_W)
    ) reader (
        .clk(clk), .rst(rst),
        .order_valid(order_valid), .order_ready(order_ready), .order_address(order_from), .order_count(order_count),
        .order_run(order_run), .order_groups(order_groups), .halt(halt), .idle(read_idle),
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

    // ---- The first pass: the sorter cannot stall, so there is a place for whatever it has

    reg                held_ready_reg;
    reg  [HELD_W:0]    held_reg;                // records and the END that have gone in and not come out
    wire               in     = first && low_valid && held_ready_reg;
    wire               sorted_valid, sorted_eos, sorted_last, sorted_punct, sorted_room;
    wire [15:0]        sorted_run;
    wire [DATA_W-1:0]  sorted_data;
    wire               evt_long, evt_equal;
    wire               fifo_valid, fifo_eos, fifo_row;
    wire [DATA_W-1:0]  fifo_data;
    wire [HELD_W:0]    fifo_level;
    reg                tail_reg;                // the row has left, its END has not
    wire               fifo_end  = tail_reg || !fifo_row;
    wire               all_ready;
    wire               fifo_take = first && fifo_valid && all_ready;
    wire               unused_sort = &{1'b0, sorted_last, sorted_punct, sorted_room, sorted_run, evt_long, evt_equal, fifo_level};

    ws_merge_sort #(.LEVELS(LEVELS), .KEY_W(KEY_W), .DATA_W(REST_W)) sort (
        .clk(clk), .rst(rst),
        .s_valid(in && !low_end), .s_punct(1'b0), .s_eos(in && low_end),
        .s_key(low_data[KEY_W-1:0]), .s_data(low_data[DATA_W-1:KEY_W]),
        .m_valid(sorted_valid), .m_punct(sorted_punct), .m_eos(sorted_eos), .m_last(sorted_last), .m_run(sorted_run),
        .m_key(sorted_data[KEY_W-1:0]), .m_data(sorted_data[DATA_W-1:KEY_W]),
        .evt_long(evt_long), .evt_equal(evt_equal)
    );

    ws_sync_fifo #(.DATA_W(DATA_W + 2), .ADDR_W(HELD_W), .OUTPUT_REG(1)) fifo (
        .clk(clk), .rst(rst),
        .s_valid(sorted_valid || sorted_eos), .s_ready(sorted_room), .s_data({sorted_eos, sorted_valid, sorted_data}),
        .m_valid(fifo_valid), .m_ready(first && all_ready && (fifo_end || !fifo_eos)), .m_data({fifo_eos, fifo_row, fifo_data}),
        .level(fifo_level)
    );

    always @(posedge clk) begin
        if (fifo_take) tail_reg <= fifo_eos && !fifo_end;
        held_reg       <= held_reg + {{HELD_W{1'b0}}, in} - {{HELD_W{1'b0}}, fifo_take};
        held_ready_reg <= !(&held_reg[HELD_W-1:1]) && !held_reg[HELD_W];
        if (rst) begin
            tail_reg       <= 1'b0;
            held_reg       <= {HELD_W+1{1'b0}};
            held_ready_reg <= 1'b0;
        end
    end

    // ---- Records out

    wire               all_valid = first ? fifo_valid : low_valid;
    wire               all_end   = first ? fifo_end : low_end;
    wire [DATA_W-1:0]  all_data  = first ? fifo_data : low_data;
    wire               out_valid, out_ready, write_valid, write_ready, unused_tag;
    wire [DATA_W-1:0]  out_keyed, out_data;
    wire [ADDR_W-1:0]  write_address;
    wire [13:0]        write_bytes;

    assign low_ready     = first ? held_ready_reg : all_ready;
    assign m_axi_awsize  = BYTES_W[2:0];
    assign m_axi_awburst = 2'b01;
    assign m_axi_bready  = 1'b1;

    ws_sorter_results #(.DATA_W(DATA_W), .KEY_W(KEY_W), .ADDR_W(ADDR_W), .COUNT_W(COUNT_W), .BURST(BURST)) results (
        .clk(clk), .rst(rst),
        .begin_(order), .address(order_to), .last(last), .ends(order_groups), .unique_(unique_), .limit(limit),
        .done(pass_done), .written(written), .equal(equal),
        .s_valid(all_valid), .s_ready(all_ready), .s_end(all_end), .s_data(all_data), .s_short({BYTES_W{1'b0}}),
        .m_valid(out_valid), .m_ready(out_ready), .m_data(out_keyed),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .idle(write_idle)
    );

    ws_sorter_key #(.RECORD_W(DATA_W), .KEY_W(KEY_W), .INVERSE(1)) key_out (
        .offset(offset), .big_endian(big_endian), .signed_(signed_), .descending(descending),
        .record(out_keyed), .result(out_data)
    );

    ws_axi_writer #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .COUNT_W(14), .BURST(BURST), .FIFO_W($clog2(BURST) + 1)
    ) writer (
        .clk(clk), .rst(rst),
        .order_valid(write_valid), .order_ready(write_ready), .order_address(write_address), .order_bytes(write_bytes),
        .order_tag(1'b0), .halt(halt), .idle(write_idle),
        .s_valid(out_valid), .s_ready(out_ready), .s_data(out_data),
        .done(write_done), .done_error(write_error), .done_tag(unused_tag),
        .aw_valid(m_axi_awvalid), .aw_ready(m_axi_awready), .aw_addr(m_axi_awaddr), .aw_len(m_axi_awlen),
        .w_valid(m_axi_wvalid), .w_ready(m_axi_wready), .w_data(m_axi_wdata), .w_strb(m_axi_wstrb),
        .w_last(m_axi_wlast), .b_valid(m_axi_bvalid), .b_resp(m_axi_bresp)
    );

endmodule

`default_nettype wire
