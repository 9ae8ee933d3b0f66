// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_bench: qm_core with a loader for the bulk bench, which reads commands among the events.
//
// A packet with the highest bit of tuser set is a command, its kind as that of an event:
//   0  program words: the first address; then each word of 36 bits in ceil(36 / W) beats, the lowest bits first
//   1  bounds: the bank, then the four addresses
//   2  swap, once the core is at rest: {run, bank, flags}, generation
//   3  report, once the core is at rest: a packet with the highest bit of tuser set and the cycles since the last swap,
//      {traps, dropped, bad} as one word of three times 4 bits

`default_nettype none

module ws_qm_bench #(
    parameter W       = 32,
    parameter FIELDS  = 8,
    parameter FIFO_W  = 1,
    parameter PROG_W  = 9,
    parameter STACK_W = 4,
    parameter TB_W    = 4,
    parameter SY_W    = 4,
    parameter DROP    = 0,
    parameter NULLS   = FIELDS > (1 << TB_W) ? FIELDS : (1 << TB_W)
) (
    input  wire              clk,
    input  wire              rst,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [W-1:0]      s_axis_tdata,
    input  wire [W/8-1:0]    s_axis_tkeep,
    input  wire              s_axis_tlast,
    input  wire [NULLS+3:0]  s_axis_tuser,
    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [W-1:0]      m_axis_tdata,
    output wire [W/8-1:0]    m_axis_tkeep,
    output wire              m_axis_tlast,
    output wire [11:0]       m_axis_tuser,
    input  wire              started,
    output wire              evt_trap,
    output wire              evt_send,
    output wire              evt_dropped,
    output wire              evt_bad,
    output wire              evt_cycle
);

    localparam BEATS = (36 + W - 1) / W;

    wire              command = s_axis_tvalid && s_axis_tuser[NULLS+3];
    wire [1:0]        kind    = s_axis_tuser[2:1];
    wire              core_ready, row_valid, row_last, swap_ready;
    wire [W-1:0]      row_data;
    wire [10:0]       row_user;
    reg  [5:0]        quiet_reg;
    reg  [BEATS*W-1:0] shift_reg;
    reg  [PROG_W-1:0] addr_reg;
    reg  [3:0]        beat_reg;     // of a packet, or of a word
    reg               head_reg;
    reg  [8:0]        setup_reg;
    reg  [31:0]       cycles_reg;
    reg  [3:0]        traps_reg, dropped_reg, bad_reg;
    reg               write_reg, swap_reg, report_reg, second_reg;
    reg  [7:0]        generation_reg;

    wire rest = quiet_reg[5];
    wire busy = swap_reg || report_reg || write_reg;
    wire take = command && !busy && (kind[1] ? rest : 1'b1);

    assign s_axis_tready = command ? !busy && (kind[1] ? rest : 1'b1) : core_ready && !busy;

    always @(posedge clk) begin
        quiet_reg <= evt_cycle || row_valid || (s_axis_tvalid && !command) || busy ? 6'd0 : quiet_reg + {5'd0, !rest};
        write_reg <= 1'b0;
        if (write_reg) addr_reg <= addr_reg + 1'b1;
        if (take) begin
            head_reg  <= s_axis_tlast;
            shift_reg <= {s_axis_tdata, shift_reg[BEATS*W-1:W]};
            beat_reg  <= s_axis_tlast || head_reg ? 4'd0 : beat_reg + 4'd1;
            if (kind == 2'd0 && head_reg) addr_reg <= s_axis_tdata[PROG_W-1:0];
            if (kind == 2'd0 && !head_reg && beat_reg == BEATS - 1) begin
                write_reg <= 1'b1;
                beat_reg  <= 4'd0;
            end
            if (kind == 2'd1 && head_reg) addr_reg <= s_axis_tdata[PROG_W-1:0];
            if (kind == 2'd2 && head_reg) setup_reg <= s_axis_tdata[8:0];
            if (kind == 2'd2 && !head_reg) begin
                swap_reg       <= 1'b1;
                generation_reg <= s_axis_tdata[7:0];
            end
            if (kind == 2'd3) report_reg <= 1'b1;
        end
        if (evt_cycle) cycles_reg <= cycles_reg + 1'b1;
        traps_reg   <= traps_reg + {3'd0, evt_trap};
        dropped_reg <= dropped_reg + {3'd0, evt_dropped};
        bad_reg     <= bad_reg + {3'd0, evt_bad};
        if (swap_reg && swap_ready) begin
            swap_reg   <= 1'b0;
            cycles_reg <= 32'd0;
            {traps_reg, dropped_reg, bad_reg} <= 12'd0;
        end
        if (report_reg && m_axis_tready) begin
            second_reg <= !second_reg;
            if (second_reg) report_reg <= 1'b0;
        end
        if (rst) begin
            {write_reg, swap_reg, report_reg, second_reg} <= 4'd0;
            head_reg <= 1'b1;
            quiet_reg <= 6'd0;
        end
    end

    ws_qm_core #(
        .W(W), .FIELDS(FIELDS), .FIFO_W(FIFO_W), .PROG_W(PROG_W), .STACK_W(STACK_W), .TB_W(TB_W), .SY_W(SY_W), .DROP(DROP)
    ) core (
        .clk(clk),
        .rst(rst),
        .s_axis_tvalid(s_axis_tvalid && !command && !busy),
        .s_axis_tready(core_ready),
        .s_axis_tdata(s_axis_tdata),
        .s_axis_tkeep(s_axis_tkeep),
        .s_axis_tlast(s_axis_tlast),
        .s_axis_tuser(s_axis_tuser[NULLS+2:0]),
        .m_axis_tvalid(row_valid),
        .m_axis_tready(m_axis_tready),
        .m_axis_tdata(row_data),
        .m_axis_tkeep(m_axis_tkeep),
        .m_axis_tlast(row_last),
        .m_axis_tuser(row_user),
        .prog_en(write_reg),
        .prog_addr(addr_reg),
        .prog_data(shift_reg[35:0]),
        .bound_en(take && kind == 2'd1 && !head_reg),
        .bound_addr({addr_reg[0], beat_reg[1:0]}),
        .bound_data(s_axis_tdata[PROG_W-1:0]),
        .swap_valid(swap_reg),
        .swap_ready(swap_ready),
        .swap_run(setup_reg[8]),
        .swap_bank(setup_reg[7]),
        .swap_flags(setup_reg[6:0]),
        .swap_generation(generation_reg),
        .started(started),
        .running(),
        .epoch(),
        .evt_trap(evt_trap),
        .evt_send(evt_send),
        .evt_dropped(evt_dropped),
        .evt_bad(evt_bad),
        .evt_cycle(evt_cycle)
    );

    wire [W-1:0] counts = {traps_reg, dropped_reg, bad_reg};

    assign m_axis_tvalid = row_valid || report_reg;
    assign m_axis_tdata  = !report_reg ? row_data : second_reg ? counts : cycles_reg[W-1:0];
    assign m_axis_tlast  = report_reg ? second_reg : row_last;
    assign m_axis_tuser  = {report_reg, report_reg ? 11'd0 : row_user};

endmodule

`default_nettype wire
