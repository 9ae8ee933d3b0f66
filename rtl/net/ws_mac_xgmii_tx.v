// SPDX-License-Identifier: Apache-2.0
//
// ws_mac_xgmii_tx: Ethernet transmit MAC, AXI4-Stream to 64-bit XGMII.
//
// Sends start, six octets of preamble, the SFD, the frame, zeros up to 60 octets, the FCS, terminate and idle. A frame
// starts in lane 0 or 4. So a gap of 12 octets, terminate included, is shortened or lengthened by up to three octets;
// the deficit idle count makes gaps between waiting frames 12 octets on average. Once begun, a frame must be supplied
// without a gap, because XGMII cannot stall. Every frame is counted once, when its last beat is accepted (evt_underrun:
// when a beat is missing):
//   evt_underrun  tvalid was low inside the frame: it is aborted with error characters, the rest accepted and dropped
//   evt_bad       tuser[0] with tlast: error characters replace the FCS; a short frame is not padded
//   evt_good
//
//    s_axis  |        | 0 .. 7 |  ..  | 56 57 58 59 |                            (7 cycles from beat to octets)
//    txd     | S p .. | 0 .. 7 |  ..  | 56 57 58 59 F F F F | T I I I I I I I | I I I I S p p p | ..
//
// Parameters   none
// Latency      7 cycles from tvalid to the start, with the line idle; 8 to the first octet of the frame
// Issue rate   8 octets a cycle. A frame of n octets occupies max(n, 60) + 24 octets on average
// Overflow     cannot happen; the length is not limited
// Bad input    as above
// Source       IEEE 802.3, 3 (frame), 4.2.8 (transmission), 46 (XGMII; 46.3.1.4: deficit idle count)

`default_nettype none

module ws_mac_xgmii_tx (
    input  wire        clk,
    input  wire        rst,

    input  wire [63:0] s_axis_tdata,
    input  wire [7:0]  s_axis_tkeep,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tuser,

    output reg  [63:0] xgmii_txd,
    output reg  [7:0]  xgmii_txc,

    output reg         evt_good,
    output reg         evt_bad,
    output reg         evt_underrun
);

    localparam [7:0]  IDLE      = 8'h07,
                      TERMINATE = 8'hFD,
                      ERROR     = 8'hFE;
    localparam [63:0] PREAMBLE  = 64'hD5_55_55_55_55_55_55_FB;   // start, six octets, SFD

    localparam [2:0] STATE_IDLE  = 3'd0,
                     STATE_FRAME = 3'd1,
                     STATE_PAD   = 3'd2,
                     STATE_GAP   = 3'd3,   // the word after the frame's last, where its FCS may go on
                     STATE_WAIT  = 3'd4,   // another word of gap
                     STATE_DROP  = 3'd5;   // the rest of an aborted frame

    // Stage 1: frame state machine. Words of this and the following stages have the start in lane 0.
    reg [2:0] state_reg;
    reg [3:0] words_reg;         // of this frame, up to the previous word; stays at 8
    reg       lane_reg;          // the frame starts in lane 4
    reg [1:0] deficit_reg;       // octets by which gaps were too short in total

    wire in_frame = state_reg == STATE_FRAME;
    wire in_pad   = state_reg == STATE_PAD;
    wire short    = words_reg < 4'd7;    // more must follow this word
    wire eighth   = words_reg == 4'd7;   // which must have four octets

    assign s_axis_tready = in_frame || state_reg == STATE_DROP;

    wire       begins   = state_reg == STATE_IDLE && s_axis_tvalid;
    wire       underrun = in_frame && !s_axis_tvalid;
    wire       last     = s_axis_tvalid && s_axis_tlast;
    wire       ends     = underrun || (in_frame && last && (s_axis_tuser || !short)) || (in_pad && eighth);
    wire [7:0] taken    = in_frame && s_axis_tvalid ? s_axis_tkeep : 8'h00;

    reg [63:0] word_reg;
    reg [7:0]  keep_reg;         // octets of the frame
    reg        first_reg, preamble_reg, end_reg, spoiled_reg, shift_reg;

    integer i;
    always @(posedge clk) begin
        for (i = 0; i < 8; i = i + 1)
            word_reg[8*i +: 8] <= in_frame || in_pad ? s_axis_tdata[8*i +: 8] & {8{taken[i]}} : PREAMBLE[8*i +: 8];
        keep_reg     <= underrun || !(in_frame || in_pad) ? 8'h00 : short ? 8'hFF : eighth ? taken | 8'h0F : taken;
        first_reg    <= words_reg == 4'd0;
        preamble_reg <= begins;
        end_reg      <= ends;
        spoiled_reg  <= underrun || (in_frame && s_axis_tuser);
        shift_reg    <= lane_reg;
        if (rst) begin
            keep_reg     <= 8'h00;
            preamble_reg <= 1'b0;
            end_reg      <= 1'b0;
        end
    end

    // In STATE_GAP the frame's last word, with `octets` of the frame in it, is in stage 1. The FCS and a gap of 12
    // octets less octets[1:0] end where the next frame may start, 4 + `columns` columns of four octets from that word's
    // lane 0. If the deficit cannot take octets[1:0] more, the gap is a column longer.
    wire [3:0] octets  = {keep_reg[7], keep_reg[3] ^ keep_reg[7],
                          keep_reg[1] ^ keep_reg[3] ^ keep_reg[5] ^ keep_reg[7], ^keep_reg};
    wire [2:0] deficit = {1'b0, deficit_reg} + {1'b0, octets[1:0]};
    wire [1:0] columns = octets[3:2] + {1'b0, lane_reg} + {1'b0, deficit[2]};

    always @(posedge clk) begin
        words_reg <= !(in_frame || in_pad) ? 4'd0 : words_reg[3] ? 4'd8 : words_reg + 4'd1;
        case (state_reg)
            STATE_IDLE:
                if (s_axis_tvalid) begin
                    state_reg <= STATE_FRAME;
                end else begin   // a gap as long as this clears the deficit
                    lane_reg    <= 1'b0;
                    deficit_reg <= 2'd0;
                end
            STATE_FRAME:
                if (underrun) state_reg <= STATE_DROP;
                else if (ends) state_reg <= STATE_GAP;
                else if (last) state_reg <= STATE_PAD;
            STATE_PAD:
                if (ends) state_reg <= STATE_GAP;
            STATE_GAP: begin
                state_reg   <= columns[1] ? STATE_WAIT : STATE_IDLE;
                lane_reg    <= columns[0];
                deficit_reg <= deficit[1:0];
            end
            STATE_DROP:
                if (last) state_reg <= STATE_GAP;
            default:   // STATE_WAIT
                state_reg <= STATE_IDLE;
        endcase
        if (rst) begin
            state_reg   <= STATE_IDLE;
            lane_reg    <= 1'b0;
            deficit_reg <= 2'd0;
        end

        evt_good     <= in_frame && last && !s_axis_tuser && !rst;
        evt_bad      <= in_frame && last && s_axis_tuser && !rst;
        evt_underrun <= underrun && !rst;
    end

    // Stages 2 to 5: the frame is delayed until its CRC is known.
    wire [31:0] crc;

    ws_crc32_wide crc32_wide (
        .clk  (clk),
        .start(first_reg),
        .data (word_reg),
        .keep (keep_reg),
        .crc  (crc),
        .good ()
    );

    reg [63:0] word2_reg, word3_reg, word4_reg, word5_reg;
    reg [7:0]  keep2_reg, keep3_reg, keep4_reg;
    reg        preamble2_reg, preamble3_reg, preamble4_reg, preamble5_reg;
    reg        end2_reg, end3_reg, end4_reg;
    reg        spoiled2_reg, spoiled3_reg, spoiled4_reg, spoiled5_reg;
    reg        shift2_reg, shift3_reg, shift4_reg, shift5_reg, shift6_reg;

    always @(posedge clk) begin
        {word5_reg, word4_reg, word3_reg, word2_reg} <= {word4_reg, word3_reg, word2_reg, word_reg};
        {keep4_reg, keep3_reg, keep2_reg}            <= {keep3_reg, keep2_reg, keep_reg};
        {end4_reg, end3_reg, end2_reg}               <= {end3_reg, end2_reg, end_reg};
        {spoiled4_reg, spoiled3_reg, spoiled2_reg}   <= {spoiled3_reg, spoiled2_reg, spoiled_reg};
        {preamble5_reg, preamble4_reg, preamble3_reg, preamble2_reg} <=
            {preamble4_reg, preamble3_reg, preamble2_reg, preamble_reg};
        {shift6_reg, shift5_reg, shift4_reg, shift3_reg, shift2_reg} <=
            {shift5_reg, shift4_reg, shift3_reg, shift2_reg, shift_reg};
        if (rst) begin
            {keep4_reg, keep3_reg, keep2_reg}                            <= 24'd0;
            {end4_reg, end3_reg, end2_reg}                               <= 3'd0;
            {preamble5_reg, preamble4_reg, preamble3_reg, preamble2_reg} <= 4'd0;
        end
    end

    // Parallel to stage 5: the contents of each lane. With k octets in the last word, the FCS follows in lanes k to
    // k + 3, and terminate in lane k + 4; lanes above 7 are those of the next word, the rest.
    localparam [1:0] LANE_IDLE = 2'd0, LANE_OCTET = 2'd1, LANE_FCS = 2'd2, LANE_TERMINATE = 2'd3;

    reg  [15:0] lanes5_reg;
    reg  [1:0]  turn5_reg;       // lane of the FCS's first octet, modulo 4
    reg  [8:4]  rest_fcs_reg, rest_end_reg;
    wire [12:0] kept = {keep4_reg, 5'b11111};   // bit i + 5 is that of octet i

    always @(posedge clk) begin
        for (i = 0; i < 8; i = i + 1) begin
            lanes5_reg[2*i +: 2] <= LANE_IDLE;
            if (preamble4_reg || keep4_reg[i]) lanes5_reg[2*i +: 2] <= LANE_OCTET;
            else if (end4_reg && kept[i + 1])  lanes5_reg[2*i +: 2] <= LANE_FCS;
            else if (end4_reg && kept[i])      lanes5_reg[2*i +: 2] <= LANE_TERMINATE;
            else if (i < 5) begin
                if (rest_fcs_reg[4 + i])       lanes5_reg[2*i +: 2] <= LANE_FCS;
                else if (rest_end_reg[4 + i])  lanes5_reg[2*i +: 2] <= LANE_TERMINATE;
            end
        end
        rest_fcs_reg <= end4_reg ? {1'b0, keep4_reg[7:4]} : 5'd0;
        rest_end_reg <= end4_reg ? keep4_reg[7:3] : 5'd0;
        if (end4_reg) begin
            turn5_reg    <= {keep4_reg[1] ^ keep4_reg[3] ^ keep4_reg[5] ^ keep4_reg[7], ^keep4_reg};
            spoiled5_reg <= spoiled4_reg;
        end
        if (rst) begin
            lanes5_reg   <= 16'd0;
            rest_fcs_reg <= 5'd0;
            rest_end_reg <= 5'd0;
        end
    end

    // Stage 6: the complete frame.
    wire [63:0] turned = {crc, crc} << 8 * turn5_reg;   // the upper half has every octet in its lane, modulo 4
    reg  [63:0] txd6_reg;
    reg  [7:0]  txc6_reg;

    always @(posedge clk)
        for (i = 0; i < 8; i = i + 1) begin
            case (lanes5_reg[2*i +: 2])
                LANE_IDLE:  txd6_reg[8*i +: 8] <= IDLE;
                LANE_OCTET: txd6_reg[8*i +: 8] <= word5_reg[8*i +: 8];
                LANE_FCS:   txd6_reg[8*i +: 8] <= spoiled5_reg ? ERROR : turned[32 + 8*(i % 4) +: 8];
                default:    txd6_reg[8*i +: 8] <= TERMINATE;
            endcase
            txc6_reg[i] <= lanes5_reg[2*i +: 2] == LANE_IDLE || lanes5_reg[2*i +: 2] == LANE_TERMINATE ||
                           (lanes5_reg[2*i +: 2] == LANE_FCS && spoiled5_reg) || (i == 0 && preamble5_reg);
        end

    // Stage 7: the pins, four lanes later where the frame starts in lane 4. The words before a start are idle from lane
    // 4 on in any case, so that the lane can change with it.
    reg [31:0] half_txd_reg;
    reg [3:0]  half_txc_reg;

    always @(posedge clk) begin
        half_txd_reg <= txd6_reg[63:32];
        half_txc_reg <= txc6_reg[7:4];
        xgmii_txd    <= shift6_reg ? {txd6_reg[31:0], half_txd_reg} : txd6_reg;
        xgmii_txc    <= shift6_reg ? {txc6_reg[3:0], half_txc_reg} : txc6_reg;
    end

endmodule

`default_nettype wire
