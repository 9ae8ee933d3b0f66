// SPDX-License-Identifier: Apache-2.0
//
// loop_axis: one register between two AXI4-Streams; `fault` selects a violation of the protocol.
// Ready is combinational; the counters and other outputs test how the bench reads them.

`default_nettype none

module loop_axis #(
    parameter DATA_W = 64,
    parameter USER_W = 17
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [3:0]          fault,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire [USER_W-1:0]   s_axis_tuser,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire [USER_W-1:0]   m_axis_tuser,

    output reg                 evt_packet,
    output reg  [3:0]          evt_twos,
    output wire                stat_valid,
    output wire [2:0]          stat_index,
    output wire [63:0]         stat_value,
    output reg  [31:0]         beats
);

    localparam FAULT_DATA = 1, FAULT_VALID = 2, FAULT_HANG = 3, FAULT_KEEP = 4, FAULT_READY = 5, FAULT_LAST = 6,
        FAULT_USER = 7;

    reg                valid_reg, last_reg, waited_reg;
    reg [DATA_W-1:0]   data_reg;
    reg [DATA_W/8-1:0] keep_reg;
    reg [USER_W-1:0]   user_reg;

    wire refuse = fault == FAULT_HANG && beats == 500 || fault == FAULT_READY && beats[4:0] == 17 && !waited_reg;
    wire accept = s_axis_tvalid && s_axis_tready;

    assign s_axis_tready = (!valid_reg || m_axis_tready) && !refuse;

    assign m_axis_tvalid = valid_reg && !(fault == FAULT_VALID && waited_reg);
    assign m_axis_tdata  = data_reg ^ (fault == FAULT_DATA && waited_reg);
    assign m_axis_tkeep  = keep_reg ^ (fault == FAULT_KEEP);
    assign m_axis_tlast  = last_reg && fault != FAULT_LAST;
    assign m_axis_tuser  = user_reg ^ {beats[0] && fault == FAULT_USER, {USER_W-1{1'b0}}};

    assign stat_valid = beats[0];
    assign stat_index = 3'd5;
    assign stat_value = {32'd1, beats};

    always @(posedge clk) begin
        if (!valid_reg || m_axis_tready) begin
            valid_reg <= accept;
            last_reg  <= s_axis_tlast;
            data_reg  <= s_axis_tdata;
            keep_reg  <= s_axis_tkeep;
            user_reg  <= s_axis_tuser;
        end
        waited_reg <= fault == FAULT_READY ? refuse : valid_reg && !m_axis_tready && !waited_reg;
        beats      <= beats + accept;
        evt_packet <= accept && s_axis_tlast;
        evt_twos   <= accept && s_axis_tlast ? 4'd2 : 4'd0;
        if (rst) begin
            valid_reg  <= 1'b0;
            waited_reg <= 1'b0;
            beats      <= 32'd0;
            evt_packet <= 1'b0;
            evt_twos   <= 4'd0;
        end
    end

endmodule

`default_nettype wire
