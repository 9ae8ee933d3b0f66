// SPDX-License-Identifier: Apache-2.0
//
// ws_mac_xgmii_rx: Ethernet receive MAC, 64-bit XGMII to AXI4-Stream.
//
// A frame begins with a start character in lane 0 or 4, six octets that are ignored and the SFD, and ends with a
// terminate character in any lane. The FCS is checked and removed. Beats are aligned whatever the start lane; octets
// with tkeep = 0 are 0 or part of the FCS.
//
//    rxd (frame of 71 octets)  | I I I I S p p p | p p p D 0 1 2 3 | 4 .. 11 | .. | 60 .. 67 | 68 69 70 T I I I I |
//    m_axis (7 cycles later)   |                 |                 |  0 .. 7 | .. | 56 .. 63 | 64 65 66, tlast    |
//
// The stream has no ready, since a line cannot stall. With tlast, tuser[0] = 1 marks a bad frame. Every frame is
// counted once, with its tlast, by the first of these that applies:
//   evt_no_preamble  the start is not followed by six octets and the SFD; no output, and the rest is skipped
//   evt_rx_error     it ends with a control character other than terminate (an error, a sequence, a start, idle); the
//                    following words are skipped up to the next start
//   evt_oversize     more than MAX_FRAME octets; the output ends after MAX_FRAME - 4 of them, the rest is skipped
//   evt_runt         fewer than 64 octets; four or fewer (only FCS) give no output
//   evt_bad_fcs
//   evt_good
// Between frames everything except a start is ignored; reacting to fault sequences (IEEE 802.3, 46.3.4) is left to the
// user.
//
// Parameters   MAX_FRAME   longest good frame in octets, FCS included: 64 to 65535. 1526 allow for 1500 octets of IP
//                          and two VLAN tags; 9026 for 9000
// Latency      7 cycles from the word on rxd that completes eight octets of the frame to their beat, events included
// Issue rate   8 octets a cycle; gaps between frames of 5 octets or more, terminate included
// Overflow     cannot happen
// Bad input    as above. After a gap below 5 octets the frame before it may end as evt_rx_error; of two starts within
//              four octets only the second may count. A reset skips the frame in progress, which is not counted
// Source       IEEE 802.3, 3 (frame), 4.2.9 (reception), 46 (XGMII)

`default_nettype none

module ws_mac_xgmii_rx #(
    parameter MAX_FRAME = 1526
) (
    input  wire        clk,
    input  wire        rst,

    input  wire [63:0] xgmii_rxd,
    input  wire [7:0]  xgmii_rxc,

    output reg  [63:0] m_axis_tdata,
    output reg  [7:0]  m_axis_tkeep,
    output reg         m_axis_tvalid,
    output reg         m_axis_tlast,
    output reg         m_axis_tuser,

    output reg         evt_good,
    output reg         evt_no_preamble,
    output reg         evt_rx_error,
    output reg         evt_oversize,
    output reg         evt_runt,
    output reg         evt_bad_fcs
);

    localparam [7:0]  START     = 8'hFB,
                      TERMINATE = 8'hFD,
                      SFD       = 8'hD5;
    localparam [12:0] SHORTEST_WORDS = 13'd8;
    localparam [15:0] LIMIT          = MAX_FRAME[15:0];
    localparam [12:0] LIMIT_WORD     = LIMIT[15:3];     // the word that must end the frame; how full it may be
    localparam [7:0]  LIMIT_KEEP     = ~(8'hff << LIMIT[2:0]);

    initial if (MAX_FRAME < 64 || MAX_FRAME > 65535) begin
        $display("ERROR: %m: MAX_FRAME = %0d, must be 64 to 65535", MAX_FRAME);
        $finish;
    end

    // Stage 1: the pins, and the characters decoded in each half of the word. In the frame's words the half with the
    // start comes first, so after a start in lane 4 a word consists of the last upper half and this lower one: it is
    // shifted.
    reg  [63:0] rxd_reg;
    reg  [7:0]  keep_reg;        // octets of the half before its first control character
    reg  [7:0]  terminate_reg;
    reg  [1:0]  start_reg;       // start in the half's first lane
    reg  [1:0]  data_reg;        // no control character in the other three
    reg  [1:0]  sfd_reg;         // SFD in the last
    reg         shifted_reg;

    wire start_low = xgmii_rxc[0] && xgmii_rxd[7:0] == START;

    integer h, i;
    always @(posedge clk) begin
        rxd_reg <= xgmii_rxd;
        for (h = 0; h < 2; h = h + 1) begin
            start_reg[h] <= xgmii_rxc[4*h] && xgmii_rxd[32*h +: 8] == START;
            data_reg[h]  <= xgmii_rxc[4*h + 1 +: 3] == 3'b000;
            sfd_reg[h]   <= xgmii_rxd[32*h + 24 +: 8] == SFD;
            keep_reg[4*h]     <= !xgmii_rxc[4*h];
            keep_reg[4*h + 1] <= xgmii_rxc[4*h +: 2] == 2'b00;
            keep_reg[4*h + 2] <= xgmii_rxc[4*h +: 3] == 3'b000;
            keep_reg[4*h + 3] <= xgmii_rxc[4*h +: 4] == 4'b0000;
        end
        for (i = 0; i < 8; i = i + 1)
            terminate_reg[i] <= xgmii_rxd[8*i +: 8] == TERMINATE;
        if (start_low) shifted_reg <= 1'b0;
        else if (start_reg[1]) shifted_reg <= 1'b1;
        if (rst) start_reg <= 2'b00;
    end

    // Stage 2: words of the frame, the start in lane 0. Octets that are not kept become 0.
    reg  [31:0] half_rxd_reg;   // upper half of the previous word
    reg  [3:0]  half_keep_reg, half_terminate_reg;
    reg         half_start_reg, half_data_reg;

    wire [3:0]  keep_low  = shifted_reg ? half_keep_reg : keep_reg[3:0];
    wire [3:0]  keep_high = shifted_reg ? keep_reg[3:0] : keep_reg[7:4];
    wire [7:0]  keep      = {keep_low[3] ? keep_high : 4'b0000, keep_low};
    wire [63:0] word      = shifted_reg ? {rxd_reg[31:0], half_rxd_reg} : rxd_reg;

    reg  [63:0] word2_reg;
    reg  [7:0]  keep2_reg, terminate2_reg;
    reg         start2_reg, preamble2_reg;   // this word has a start; preamble and SFD are complete

    always @(posedge clk) begin
        half_rxd_reg       <= rxd_reg[63:32];
        half_keep_reg      <= keep_reg[7:4];
        half_terminate_reg <= terminate_reg[7:4];
        half_start_reg     <= start_reg[1];
        half_data_reg      <= data_reg[1];

        for (i = 0; i < 8; i = i + 1)
            word2_reg[8*i +: 8] <= word[8*i +: 8] & {8{keep[i]}};
        keep2_reg      <= keep;
        terminate2_reg <= shifted_reg ? {terminate_reg[3:0], half_terminate_reg} : terminate_reg;
        start2_reg     <= shifted_reg ? half_start_reg : start_reg[0];
        preamble2_reg  <= shifted_reg ? half_data_reg && keep_reg[3] && sfd_reg[0]
                                      : data_reg[0] && keep_reg[7] && sfd_reg[1];
        if (rst) {half_start_reg, start2_reg} <= 2'b00;
    end

    // Stage 3: the frame, from the word after the start to the one with the first control character.
    reg        in_frame_reg, first_reg;
    reg [12:0] words_reg;       // of this frame, up to the previous word

    wire       at_limit = words_reg == LIMIT_WORD;
    wire       too_long = at_limit && (keep2_reg & ~LIMIT_KEEP) != 8'd0;
    wire       ending   = in_frame_reg && (!keep2_reg[7] || too_long);
    wire       cut      = (terminate2_reg & ~keep2_reg & {keep2_reg[6:0], 1'b1}) == 8'd0;
    wire       crc_good;

    ws_crc32_wide crc32_wide (
        .clk  (clk),
        .start(first_reg),
        .data (word2_reg),
        .keep (keep2_reg),
        .crc  (),
        .good (crc_good)
    );

    localparam RX_ERROR = 0, OVERSIZE = 1, RUNT = 2, WHOLE = 3;   // how a frame ends; all zero: it continues

    reg [63:0] word3_reg;
    reg [7:0]  keep3_reg;
    reg        valid3_reg;
    reg [3:0]  end3_reg;
    reg        no_preamble3_reg;

    always @(posedge clk) begin
        if (start2_reg) in_frame_reg <= preamble2_reg;
        else if (ending) in_frame_reg <= 1'b0;
        first_reg <= start2_reg;
        words_reg <= start2_reg ? 13'd0 : words_reg + 13'd1;

        word3_reg           <= word2_reg;
        keep3_reg           <= at_limit ? keep2_reg & LIMIT_KEEP : keep2_reg;
        valid3_reg          <= in_frame_reg;
        end3_reg[RX_ERROR]  <= ending && !too_long && cut;
        end3_reg[OVERSIZE]  <= ending && too_long;
        end3_reg[RUNT]      <= ending && !too_long && !cut && words_reg < SHORTEST_WORDS;
        end3_reg[WHOLE]     <= ending && !too_long && !cut && words_reg >= SHORTEST_WORDS;
        no_preamble3_reg    <= start2_reg && !preamble2_reg;

        if (rst) begin
            in_frame_reg     <= 1'b0;
            valid3_reg       <= 1'b0;
            end3_reg         <= 4'd0;
            no_preamble3_reg <= 1'b0;
        end
    end

    // Stages 4 to 6: the frame is delayed until its CRC is known. Stage 5 has the verdict on a frame that ends there.
    reg [63:0] word4_reg, word5_reg, word6_reg;
    reg [7:0]  keep4_reg, keep5_reg;
    reg [3:0]  keep6_reg;       // of the octets that are not the FCS
    reg        valid4_reg, valid5_reg, valid6_reg;
    reg [3:0]  end4_reg, end5_reg;
    reg        no_preamble4_reg, no_preamble5_reg, no_preamble6_reg;

    localparam BAD_FCS = 3, GOOD = 4;   // in place of WHOLE
    wire [4:0] verdict5 = {end5_reg[WHOLE] && crc_good, end5_reg[WHOLE] && !crc_good, end5_reg[2:0]};
    reg  [4:0] verdict6_reg;

    always @(posedge clk) begin
        {word6_reg, word5_reg, word4_reg}    <= {word5_reg, word4_reg, word3_reg};
        {keep6_reg, keep5_reg, keep4_reg}    <= {keep5_reg[7:4], keep4_reg, keep3_reg};
        {valid6_reg, valid5_reg, valid4_reg} <= {valid5_reg, valid4_reg, valid3_reg};
        {end5_reg, end4_reg}                 <= {end4_reg, end3_reg};
        {no_preamble6_reg, no_preamble5_reg, no_preamble4_reg} <=
            {no_preamble5_reg, no_preamble4_reg, no_preamble3_reg};
        verdict6_reg                         <= verdict5;
        if (rst) begin
            {valid6_reg, valid5_reg, valid4_reg} <= 3'd0;
            {end5_reg, end4_reg}                 <= 8'd0;
            {no_preamble6_reg, no_preamble5_reg, no_preamble4_reg} <= 3'd0;
            verdict6_reg                         <= 5'd0;
        end
    end

    // Stage 7: removes the FCS. With at most four octets in the last word, the word before has the frame's last octet.
    wire       ends_early = |end5_reg && !keep5_reg[4];
    wire       ends_late  = |verdict6_reg && keep6_reg[0];
    wire [4:0] verdict    = ends_early ? verdict5 : ends_late ? verdict6_reg : 5'd0;

    always @(posedge clk) begin
        m_axis_tdata  <= word6_reg;
        m_axis_tkeep  <= ends_early ? {keep5_reg[3:0], 4'hF} : ends_late ? {4'h0, keep6_reg} : 8'hFF;
        m_axis_tvalid <= valid6_reg && (~|verdict6_reg || keep6_reg[0]);
        m_axis_tlast  <= ends_early || ends_late;
        m_axis_tuser  <= |verdict[3:0];

        evt_no_preamble <= no_preamble6_reg;
        evt_rx_error    <= verdict[RX_ERROR];
        evt_oversize    <= verdict[OVERSIZE];
        evt_runt        <= verdict[RUNT];
        evt_bad_fcs     <= verdict[BAD_FCS];
        evt_good        <= verdict[GOOD];

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

endmodule

`default_nettype wire
