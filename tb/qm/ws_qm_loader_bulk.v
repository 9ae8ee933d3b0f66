// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_loader_bulk: the loader for the bulk bench: its replies, what it writes and its swaps are items, and swaps take
// some cycles.
//
// m_kind: 0 a byte of a reply, 1 a word of program, 2 a bound, 3 a swap. m_data: destination, last and byte; address and
// word; or slot, run, bank, flags, generation, period and start.
//
// Parameters   SLOTS, CODE_W, OPEN   see ws_qm_loader
//              PROG_W                see ws_qm_loader

`default_nettype none

module ws_qm_loader_bulk #(
    parameter SLOTS  = 1,
    parameter CODE_W = 8,
    parameter PROG_W = 9,
    parameter OPEN   = 0
) (
    input  wire         clk,
    input  wire         rst,

    input  wire [7:0]   s_axis_tdata,
    input  wire         s_axis_tkeep,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    input  wire         s_axis_tlast,
    input  wire [112:0] s_axis_tuser,

    output wire         m_valid,
    output wire [1:0]   m_kind,
    output wire [79:0]  m_data,

    input  wire [127:0] key,
    input  wire         has_key,
    input  wire [63:0]  nonce,
    input  wire [31:0]  local_ip,

    output wire [12:0]  refused,
    output wire         evt_bad_length,
    output wire         evt_bad_magic,
    output wire         evt_bad_version,
    output wire         evt_bad_kind,
    output wire         evt_bad_slot,
    output wire         evt_locked,
    output wire         evt_stale,
    output wire         evt_bad_size,
    output wire         evt_bad_fragment,
    output wire         evt_bad_crc,
    output wire         evt_bad_tag,
    output wire         evt_bad_code,
    output wire         evt_no_program,
    output wire         evt_done,
    output wire         evt_replaced,
    output wire         evt_abandoned
);

    wire [7:0]        slot;
    wire              prog_en, bound_en, swap_valid, swap_run, swap_bank;
    wire [PROG_W-1:0] prog_addr, bound_data;
    wire [35:0]       prog_data;
    wire [2:0]        bound_addr;
    wire [6:0]        swap_flags;
    wire [7:0]        swap_generation;
    wire [15:0]       swap_period, swap_start;
    wire [7:0]        reply;
    wire              reply_valid, reply_last;
    wire [64:0]       reply_user;

    // A swap waits for up to seven cycles.
    reg  [2:0] wait_reg;
    wire       swap_ready = swap_valid && wait_reg == 3'd0;

    always @(posedge clk) begin
        wait_reg <= wait_reg + 3'd1;
        if (rst) wait_reg <= 3'd0;
    end

    ws_qm_loader #(.SLOTS(SLOTS), .CODE_W(CODE_W), .PROG_W(PROG_W), .OPEN(OPEN)) loader (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(reply), .m_axis_tkeep(), .m_axis_tvalid(reply_valid),
        .m_axis_tready(1'b1), .m_axis_tlast(reply_last), .m_axis_tuser(reply_user),
        .key(key), .has_key(has_key), .nonce(nonce), .busy(), .local_ip(local_ip),
        .slot(slot), .running(1'b1), .epoch(32'd0), .offset(32'd0),
        .prog_en(prog_en), .prog_addr(prog_addr), .prog_data(prog_data),
        .bound_en(bound_en), .bound_addr(bound_addr), .bound_data(bound_data),
        .swap_valid(swap_valid), .swap_ready(swap_ready), .swap_run(swap_run), .swap_bank(swap_bank),
        .swap_flags(swap_flags), .swap_generation(swap_generation), .swap_period(swap_period), .swap_start(swap_start),
        .evt_refused(refused), .evt_done(evt_done), .evt_replaced(evt_replaced), .evt_abandoned(evt_abandoned)
    );

    assign {evt_no_program, evt_bad_code, evt_bad_tag, evt_bad_crc, evt_bad_fragment, evt_bad_size, evt_stale,
            evt_locked, evt_bad_slot, evt_bad_kind, evt_bad_version, evt_bad_magic, evt_bad_length} = refused;

    assign m_valid = prog_en || bound_en || swap_ready || reply_valid;
    assign m_kind  = prog_en ? 2'd1 : bound_en ? 2'd2 : swap_ready ? 2'd3 : 2'd0;
    assign m_data  = prog_en ? {24'd0, {20-PROG_W{1'b0}}, prog_addr, prog_data}
                   : bound_en ? {41'd0, bound_addr, {36-PROG_W{1'b0}}, bound_data}
                   : swap_ready ? {16'd0, slot[6:0], 8'd0, swap_run, swap_bank, swap_flags, swap_generation, swap_period,
                                   swap_start}
                   : {reply_user[64:1], 7'd0, reply_last, reply};

endmodule

`default_nettype wire
