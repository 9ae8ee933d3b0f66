// SPDX-License-Identifier: Apache-2.0
//
// ws_mac_gmii_rx: Ethernet receive MAC, GMII to AXI4-Stream.
//
// A frame lasts from the start frame delimiter (SFD) to the fall of rx_dv. The octets before the SFD are ignored and
// may be missing (IEEE 802.3, 35.2.3.2.2 allows a PHY to drop them). The FCS is checked and removed.
//
//        rx_dv  ____/""""""""""""""""""""""""""""""""""""""""""""""""""""\____________________
//        rxd        | 55 .. 55 | D5 | octets of the frame  |    FCS      |
//        tvalid _____________________________/""""""""""""""""""""""\_________________________
//        tlast  ___________________________________________________/"\________________________
//        events ___________________________________________________/"\________________________
//
// An octet arrives in each cycle with gmii_rx_ce: in every cycle at 1 Gb/s, in fewer at 10 and 100 Mb/s (ws_mii).
//
// The stream has no ready, since a line cannot stall. With tlast, tuser[0] = 1 marks a bad frame. Every frame is
// counted once, by the first of these that applies:
//   evt_no_preamble  rx_dv fell before an SFD; no output
//   evt_rx_error     rx_er with rx_dv, preamble included
//   evt_oversize     more than MAX_FRAME octets; the output ends after MAX_FRAME - 4 of them, the rest is skipped
//   evt_runt         fewer than 64 octets; four or fewer (only FCS) give no output
//   evt_bad_fcs
//   evt_good
//
// Parameters   MAX_FRAME   longest good frame in octets, FCS included: 64 to 65535. 1526 allow for 1500 octets of IP
//                          and two VLAN tags; 9026 for 9000
// Latency      7 cycles from rxd to tdata with gmii_rx_ce = 1 (four of them hold the FCS back, one finds the end), else
//              2 from the fifth octet after it; events come with tlast
// Issue rate   1 octet a cycle; a gap of one octet between frames is enough
// Overflow     cannot happen
// Bad input    as above. A reset skips the frame in progress, which is not counted
// Source       IEEE 802.3, 3 (frame), 4.2.9 (reception), 35 (GMII)

`default_nettype none

module ws_mac_gmii_rx #(
    parameter MAX_FRAME = 1526
) (
    input  wire       clk,
    input  wire       rst,

    input  wire       gmii_rx_ce,
    input  wire [7:0] gmii_rxd,
    input  wire       gmii_rx_dv,
    input  wire       gmii_rx_er,

    output reg  [7:0] m_axis_tdata,
    output wire       m_axis_tkeep,
    output reg        m_axis_tvalid,
    output reg        m_axis_tlast,
    output reg        m_axis_tuser,

    output reg        evt_good,
    output reg        evt_no_preamble,
    output reg        evt_rx_error,
    output reg        evt_oversize,
    output reg        evt_runt,
    output reg        evt_bad_fcs
);

    localparam [7:0]  SFD = 8'hD5;
    localparam [15:0] SHORTEST = 16'd64;

    localparam [1:0] STATE_IDLE     = 2'd0,   // rx_dv is low
                     STATE_PREAMBLE = 2'd1,   // rx_dv is high, no SFD yet
                     STATE_FRAME    = 2'd2,
                     STATE_SKIP     = 2'd3;   // until rx_dv falls

    initial if (MAX_FRAME < 64 || MAX_FRAME > 65535) begin
        $display("ERROR: %m: MAX_FRAME = %0d, must be 64 to 65535", MAX_FRAME);
        $finish;
    end

    // Stage 1: the pins.
    reg [7:0] rxd_reg;
    reg       ce_reg, dv_reg, er_reg;

    always @(posedge clk) begin
        ce_reg <= gmii_rx_ce;
        if (gmii_rx_ce) begin
            rxd_reg <= gmii_rxd;
            dv_reg  <= gmii_rx_dv;
            er_reg  <= gmii_rx_er;
        end
    end

    // Stage 2: find the frame. The delay line holds the last five octets: when rx_dv falls, four are the FCS.
    reg [1:0]  state_reg;
    reg [39:0] line_reg;
    reg [4:0]  line_valid_reg;
    reg [15:0] octets_reg;       // of the frame, so far
    reg        error_reg;        // rx_er occurred in this frame

    wire in_frame = state_reg == STATE_FRAME;
    wire too_long = dv_reg && octets_reg == MAX_FRAME[15:0];
    wire octet    = ce_reg && in_frame && dv_reg && !too_long;
    wire ending   = ce_reg && in_frame && (!dv_reg || too_long);
    wire crc_good;

    ws_crc32 crc32 (
        .clk  (clk),
        .start(octets_reg == 16'd0),
        .valid(octet),
        .data (rxd_reg),
        .crc  (),
        .good (crc_good)
    );

    always @(posedge clk) begin
        if (ce_reg) case (state_reg)
            STATE_IDLE, STATE_PREAMBLE:
                if (!dv_reg) state_reg <= STATE_IDLE;
                else state_reg <= rxd_reg == SFD ? STATE_FRAME : STATE_PREAMBLE;
            STATE_FRAME:
                if (!dv_reg) state_reg <= STATE_IDLE;
                else if (too_long) state_reg <= STATE_SKIP;
            STATE_SKIP:
                if (!dv_reg) state_reg <= STATE_IDLE;
        endcase

        if (octet) begin
            line_reg       <= {line_reg[31:0], rxd_reg};
            line_valid_reg <= {line_valid_reg[3:0], 1'b1};
            octets_reg     <= octets_reg + 16'd1;
        end else if (!in_frame) begin
            line_valid_reg <= 5'd0;
            octets_reg     <= 16'd0;
        end
        if (ce_reg) error_reg <= dv_reg && (er_reg || (error_reg && state_reg != STATE_IDLE));

        if (rst) state_reg <= STATE_SKIP;
    end

    // Stage 3: the octet five positions back, and with the last one the verdict.
    wire runt = octets_reg < SHORTEST;
    wire good = !error_reg && !too_long && !runt && crc_good;

    always @(posedge clk) begin
        m_axis_tdata  <= line_reg[39:32];
        m_axis_tvalid <= ce_reg && in_frame && line_valid_reg[4];
        m_axis_tlast  <= ending;
        m_axis_tuser  <= ending && !good;

        evt_no_preamble <= ce_reg && state_reg == STATE_PREAMBLE && !dv_reg;
        evt_rx_error    <= ending && error_reg;
        evt_oversize    <= ending && !error_reg && too_long;
        evt_runt        <= ending && !error_reg && !too_long && runt;
        evt_bad_fcs     <= ending && !error_reg && !too_long && !runt && !crc_good;
        evt_good        <= ending && good;

        if (rst) begin
            m_axis_tvalid   <= 1'b0;
            evt_no_preamble <= 1'b0;
            evt_rx_error    <= 1'b0;
            evt_oversize    <= 1'b0;
            evt_runt        <= 1'b0;
            evt_bad_fcs     <= 1'b0;
            evt_good        <= 1'b0;
        end
    end

    assign m_axis_tkeep = 1'b1;

endmodule

`default_nettype wire
