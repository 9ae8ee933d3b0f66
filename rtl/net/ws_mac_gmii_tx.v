// SPDX-License-Identifier: Apache-2.0
//
// ws_mac_gmii_tx: Ethernet transmit MAC, AXI4-Stream to GMII.
//
// Sends seven octets of preamble, the SFD, the frame, zeros up to 60 octets, the FCS and 12 octets of gap; frames that
// are waiting are sent exactly 12 octets apart. In each cycle with gmii_tx_ce the PHY takes the octet on the pins and
// the next one follows: in every cycle at 1 Gb/s, in fewer at 10 and 100 Mb/s (ws_mii); tready is low in the others.
// Once begun, a frame must be supplied without a gap, because GMII cannot stall. Every frame is counted once, when its
// last octet is accepted:
//   evt_underrun  tvalid was low when an octet of the frame was due: the frame is aborted with one cycle of tx_er, the
//                 rest accepted and dropped
//   evt_bad       tuser[0] with tlast: the last octet is sent with tx_er, and no FCS
//   evt_good
//
// Parameters   none
// Latency      1 cycle from tvalid to the preamble; 9 to the first octet of the frame
// Issue rate   1 octet a cycle; a frame of n octets occupies max(n, 60) + 24 cycles
// Overflow     cannot happen; the length is not limited
// Bad input    as above. Octets with tkeep = 0 are not allowed
// Source       IEEE 802.3, 3 (frame), 4.2.8 (transmission), 35 (GMII)

`default_nettype none

module ws_mac_gmii_tx (
    input  wire       clk,
    input  wire       rst,

    input  wire [7:0] s_axis_tdata,
    input  wire       s_axis_tkeep,
    input  wire       s_axis_tvalid,
    output wire       s_axis_tready,
    input  wire       s_axis_tlast,
    input  wire       s_axis_tuser,

    input  wire       gmii_tx_ce,
    output reg  [7:0] gmii_txd,
    output reg        gmii_tx_en,
    output reg        gmii_tx_er,

    output reg        evt_good,
    output reg        evt_bad,
    output reg        evt_underrun
);

    localparam [7:0] PREAMBLE = 8'h55,
                     SFD      = 8'hD5;

    // Last values of the octet counter, which starts at 0 in every state.
    localparam [5:0] PREAMBLE_LAST = 6'd7,    // seven octets, then the SFD
                     SHORTEST_LAST = 6'd59,   // where the counter stays in a longer frame
                     FCS_LAST      = 6'd3,
                     GAP_LAST      = 6'd11;

    localparam [2:0] STATE_IDLE     = 3'd0,
                     STATE_PREAMBLE = 3'd1,
                     STATE_FRAME    = 3'd2,
                     STATE_PAD      = 3'd3,
                     STATE_FCS      = 3'd4,
                     STATE_GAP      = 3'd5,
                     STATE_DROP     = 3'd6;   // the rest of an aborted frame

    reg [2:0] state_reg;
    reg [5:0] octet_reg;
    wire      shortest = octet_reg == SHORTEST_LAST;

    wire in_frame = state_reg == STATE_FRAME;
    wire in_pad   = state_reg == STATE_PAD;

    assign s_axis_tready = gmii_tx_ce && (in_frame || state_reg == STATE_DROP);

    wire        underrun  = in_frame && !s_axis_tvalid;
    wire        last      = s_axis_tvalid && s_axis_tlast;
    wire [7:0]  octet     = in_frame ? s_axis_tdata : 8'h00;
    reg         started_reg;   // the CRC has started
    wire [31:0] crc;

    ws_crc32 crc32 (
        .clk  (clk),
        .start(!started_reg),
        .valid(gmii_tx_ce && (in_frame || in_pad)),
        .data (octet),
        .crc  (crc),
        .good ()
    );

    // Frame state machine.
    always @(posedge clk) begin
        if (gmii_tx_ce) begin
            octet_reg   <= octet_reg + 6'd1;
            started_reg <= in_frame || in_pad;
            case (state_reg)
                STATE_IDLE: begin
                    octet_reg <= 6'd1;   // the first octet of the preamble is sent here
                    if (s_axis_tvalid) state_reg <= STATE_PREAMBLE;
                end
                STATE_PREAMBLE:
                    if (octet_reg == PREAMBLE_LAST) begin
                        octet_reg <= 6'd0;
                        state_reg <= STATE_FRAME;
                    end
                STATE_FRAME: begin
                    if (shortest) octet_reg <= SHORTEST_LAST;
                    if (underrun) begin
                        state_reg <= STATE_DROP;
                    end else if (last) begin
                        if (s_axis_tuser || shortest) octet_reg <= 6'd0;
                        state_reg <= s_axis_tuser ? STATE_GAP : shortest ? STATE_FCS : STATE_PAD;
                    end
                end
                STATE_PAD:
                    if (shortest) begin
                        octet_reg <= 6'd0;
                        state_reg <= STATE_FCS;
                    end
                STATE_FCS:
                    if (octet_reg == FCS_LAST) begin
                        octet_reg <= 6'd0;
                        state_reg <= STATE_GAP;
                    end
                STATE_DROP: begin
                    octet_reg <= 6'd0;
                    if (last) state_reg <= STATE_GAP;
                end
                default:   // STATE_GAP
                    if (octet_reg == GAP_LAST) state_reg <= STATE_IDLE;
            endcase
        end
        if (rst) state_reg <= STATE_IDLE;
    end

    // The pins.
    always @(posedge clk) begin
        if (gmii_tx_ce) begin
            gmii_tx_er <= underrun || (in_frame && last && s_axis_tuser);
            case (state_reg)
                STATE_IDLE: begin
                    gmii_tx_en <= s_axis_tvalid;
                    gmii_txd   <= s_axis_tvalid ? PREAMBLE : 8'h00;
                end
                STATE_PREAMBLE: gmii_txd <= octet_reg == PREAMBLE_LAST ? SFD : PREAMBLE;
                STATE_FRAME,
                STATE_PAD:      gmii_txd <= octet;
                STATE_FCS:      gmii_txd <= crc[8*octet_reg[1:0] +: 8];
                default: begin
                    gmii_tx_en <= 1'b0;
                    gmii_txd   <= 8'h00;
                end
            endcase
        end
        if (rst) begin
            gmii_tx_en <= 1'b0;
            gmii_tx_er <= 1'b0;
        end
    end

    always @(posedge clk) begin
        evt_good     <= gmii_tx_ce && in_frame && last && !s_axis_tuser && !rst;
        evt_bad      <= gmii_tx_ce && in_frame && last && s_axis_tuser && !rst;
        evt_underrun <= gmii_tx_ce && underrun && !rst;
    end

endmodule

`default_nettype wire
