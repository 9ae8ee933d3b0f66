// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_collect: takes the datagrams of the loader, refuses those that are wrong, and collects the fragments of a
// program.
//
// The fragments of one request at a time are collected: those with a header of their own begin another one. A fragment
// that has arrived is not replaced. docs/machine.md has the format and the order of the checks.
//
//     HEAD ──> LOOK ──> SUM ──> JUDGE ─┬─> CODE ──┬─> OUT, or HEAD while fragments follow
//                                      └─> SKIP ──┘
//
// Ports        s_axis     tuser is that of udp_rx up to the destination's address, in bits 112:0
//              locked     no program may be loaded
//              slot       of the request, for which `current`, `crc` and `loaded` come in the next cycle: the
//                         generation of the slot, the CRC-32 of the request that made it, and whether it has a program
//              m_valid    a datagram has been judged, with the result; all others are held until m_ready
//              whole      no result yet: all fragments are there
//              header     of the datagram, its first byte in the upper bits
//              rd_*       the code at 0 to 2**CODE_W - 1, the header at 2**CODE_W on; data one cycle after rd_addr
// Parameters   SLOTS   programs, 1 to 255
//              CODE_W  a program has at most 2**CODE_W bytes of code, 7 to 10
// Latency      4 cycles from the last byte of a datagram without code to m_valid, 1 cycle with code
// Issue rate   1 byte a cycle in a datagram; s_axis_tready is low for 3 cycles after its header, and while m_valid is high
// Bad input    s_axis takes whole good datagrams only, from a receiver with STORE = 1: tuser[0] is ignored, and the
//              length in tuser is that of the datagram
// Source       R. Mueller, ETH 19163, section 3.2.9

`default_nettype none

module ws_qm_collect #(
    parameter SLOTS  = 1,
    parameter CODE_W = 8
) (
    input  wire              clk,
    input  wire              rst,

    input  wire [7:0]        s_axis_tdata,
    input  wire              s_axis_tkeep,
    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire              s_axis_tlast,
    /* verilator lint_off UNUSEDSIGNAL */               // the destination's address, and tuser[0]
    input  wire [112:0]      s_axis_tuser,
    /* verilator lint_on UNUSEDSIGNAL */

    input  wire              locked,
    output wire [7:0]        slot,
    input  wire [31:0]       current,
    input  wire [31:0]       crc,
    input  wire              loaded,

    output wire              m_valid,
    input  wire              m_ready,
    output reg               whole,
    output reg  [7:0]        result,
    output wire [15:0]       missing,
    output reg  [287:0]      header,
    output reg  [CODE_W:0]   size,                      // bytes of code
    output reg  [63:0]       sender,                    // port, address and port of the reply

    input  wire [CODE_W:0]   rd_addr,
    output wire [7:0]        rd_data,

    output reg               evt_abandoned              // fragments were discarded for those of another request
`ifdef FORMAL
    ,
    // For the proof of ws_qm_loader: a fragment is taken, the rest of a datagram is passed over
    output wire              coding,
    output wire              skipping
`endif
);

    initial if (SLOTS < 1 || SLOTS > 255 || CODE_W < 7 || CODE_W > 10) begin
        $display("ERROR: %m: SLOTS = %0d (1 to 255), CODE_W = %0d (7 to 10)", SLOTS, CODE_W);
        $finish;
    end

    `include "ws_loading.vh"

    localparam PIECES = 1 << (CODE_W - 6);              // fragments of the longest program
    localparam PIECE_W = CODE_W - 6;
    localparam [2:0] STATE_HEAD = 3'd0, STATE_SUM = 3'd1, STATE_JUDGE = 3'd2, STATE_CODE = 3'd3, STATE_SKIP = 3'd4,
                     STATE_OUT = 3'd5, STATE_LOOK = 3'd6;
    localparam [5:0] LAST = HEADER_BYTES - 1;           // byte of the header
    localparam [5:0] COMPARED = AT_FRAGMENT;            // bytes before it are the same in all fragments

    reg  [2:0]        state_reg;
    reg  [5:0]        at_reg;                           // byte of the header or of the code
    reg               ended_reg, short_reg;             // the datagram has ended; within its header
    reg  [15:0]       length_reg;
    wire              take = s_axis_tvalid && s_axis_tready;
    wire              ends = take && s_axis_tlast;

    assign s_axis_tready = state_reg == STATE_HEAD || state_reg == STATE_CODE || state_reg == STATE_SKIP;
    assign m_valid       = state_reg == STATE_OUT;

    // ---------------------------------------------------------------------------------------------------------------
    // Header. It is written to the side of the RAM that has not the header of the fragments collected, and compared
    // with that, two cycles later.

    reg               side_reg, open_reg;               // where their header is; there are fragments
    reg               read_reg, compare_reg, same_reg;
    reg  [7:0]        byte_reg, new_byte_reg, old_byte_reg;
    reg  [PIECES-1:0] have_reg;
    wire              store;
    wire [7:0]        fragment = header[7:0];
    wire [CODE_W:0]   own_addr = {1'b1, {CODE_W-7{1'b0}}, side_reg, at_reg};

    ws_ram_sdp #(.DATA_W(8), .ADDR_W(CODE_W + 1), .OUTPUT_REG(0), .STYLE("block")) ram (
        .clk(clk),
        .wr_en(take && s_axis_tkeep && (state_reg == STATE_HEAD || store)),
        .wr_addr(store ? {1'b0, fragment[PIECE_W-1:0], at_reg} : own_addr ^ {{CODE_W-6{1'b0}}, 1'b1, 6'd0}),
        .wr_data(s_axis_tdata),
        .rd_en(1'b1),
        .rd_addr(state_reg == STATE_HEAD ? own_addr
                 : rd_addr[CODE_W] ? {1'b1, {CODE_W-7{1'b0}}, side_reg, rd_addr[5:0]} : rd_addr),
        .rd_data(rd_data)
    );

    always @(posedge clk) begin
        read_reg     <= take && state_reg == STATE_HEAD && at_reg < COMPARED;
        byte_reg     <= s_axis_tdata;
        compare_reg  <= read_reg;
        new_byte_reg <= byte_reg;
        old_byte_reg <= rd_data;
        if (take && at_reg == 6'd0 && state_reg == STATE_HEAD) begin
            same_reg   <= 1'b1;
            length_reg <= s_axis_tuser[16:1];
            sender     <= {s_axis_tuser[80:65], s_axis_tuser[64:33], s_axis_tuser[32:17]};
        end else if (compare_reg && new_byte_reg != old_byte_reg) same_reg <= 1'b0;
        if (take && state_reg == STATE_HEAD) header <= {header[279:0], s_axis_tdata};
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Verdict. First the sums and comparisons.

    wire [7:0]        kind       = header[8*(LAST-AT_KIND) +: 8];
    wire [31:0]       generation = header[8*(LAST-AT_GENERATION-3) +: 32];
    wire [15:0]       delivery   = header[8*(LAST-AT_DELIVERY-1) +: 16];
    wire [17:0]       sum        = {2'd0, header[8*(LAST-AT_INIT-1) +: 16]} + {2'd0, delivery}
                                 + {2'd0, header[8*(LAST-AT_RECEPTION-1) +: 16]};
    wire [CODE_W-1:0] below      = size[CODE_W-1:0] - 1'b1;     // number of the last byte
    wire [PIECE_W-1:0] last      = below[CODE_W-1:6];   // fragment
    wire              is_last    = fragment == {{8-PIECE_W{1'b0}}, last};
    wire [6:0]        over       = length_reg[6:0] - HEADER_BYTES - 7'd1;   // number of its last byte in the fragment
    wire              fits       = size == 0 ? fragment == 8'd0 && length_reg[6:0] == HEADER_BYTES
                                 : is_last ? over == {1'b0, below[5:0]}
                                 : fragment < {{8-PIECE_W{1'b0}}, last} && over == FRAGMENT - 1;
    reg               large_reg, new_reg, repeat_reg;
    reg               accepted;
    reg  [7:0]        verdict;

    assign slot = header[8*(LAST-AT_SLOT) +: 8];

    always @(posedge clk)
        if (state_reg == STATE_SUM) begin
            size       <= sum[CODE_W:0];
            large_reg  <= sum[17:CODE_W] != 0 && sum != 18'd1 << CODE_W;
            new_reg    <= generation > current;
            repeat_reg <= generation == current && crc == header[8*(LAST-AT_CRC-3) +: 32] && loaded;
        end

    always @* begin
        accepted = 1'b0;
        verdict  = RESULT_DONE;
        if (short_reg || length_reg < HEADER_BYTES || length_reg > HEADER_BYTES + FRAGMENT)
            verdict = RESULT_BAD_LENGTH;
        else if (header[8*(LAST-AT_MAGIC-3) +: 32] != MAGIC)
            verdict = RESULT_BAD_MAGIC;
        else if (header[8*(LAST-AT_VERSION) +: 8] != FORMAT)
            verdict = RESULT_BAD_VERSION;
        else if (kind < KIND_LOAD || kind > KIND_STATUS)
            verdict = RESULT_BAD_KIND;
        else if ({24'd0, slot} >= SLOTS)
            verdict = RESULT_BAD_SLOT;
        else if (kind != KIND_STATUS) begin
            if (locked)
                verdict = RESULT_LOCKED;
            else if (!new_reg) begin
                if (!repeat_reg) verdict = RESULT_STALE;
            end else if ((kind == KIND_LOAD) != (delivery != 16'd0) || (kind != KIND_LOAD && size != 0) || large_reg)
                verdict = RESULT_BAD_SIZE;
            else if (!fits)
                verdict = RESULT_BAD_FRAGMENT;
            else
                accepted = 1'b1;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Fragments

    wire              fresh   = !open_reg || !same_reg;
    wire [PIECES-1:0] bit     = {{PIECES-1{1'b0}}, 1'b1} << fragment[PIECE_W-1:0];
    wire [PIECES-1:0] needed  = ~({PIECES{1'b1}} << 1 << (size == 0 ? {PIECE_W{1'b0}} : last));
    wire [PIECES-1:0] lacking = needed & ~have_reg;
    wire              arrived = (state_reg == STATE_CODE && ends) || (state_reg == STATE_JUDGE && accepted && ended_reg);
    wire [PIECES-1:0] before  = state_reg == STATE_JUDGE && fresh ? {PIECES{1'b0}} : have_reg;
    wire              full    = (needed & ~before & ~bit) == 0;
    reg               store_reg;                        // the fragment has not arrived before

    assign store   = state_reg == STATE_CODE && store_reg;
    assign missing = result == RESULT_INCOMPLETE ? {{16-PIECES{1'b0}}, lacking} : 16'd0;

    always @(posedge clk) begin
        evt_abandoned <= 1'b0;
        case (state_reg)
            STATE_HEAD: if (take) begin
                at_reg    <= at_reg == LAST || ends ? 6'd0 : at_reg + 6'd1;
                ended_reg <= ends;
                short_reg <= at_reg != LAST || !s_axis_tkeep;
                if (at_reg == LAST || ends) state_reg <= STATE_LOOK;
            end
            STATE_LOOK: state_reg <= STATE_SUM;
            STATE_SUM: state_reg <= STATE_JUDGE;
            STATE_JUDGE: begin
                result    <= verdict;
                whole     <= accepted;
                store_reg <= fresh || !(|(have_reg & bit));
                state_reg <= accepted ? STATE_CODE : STATE_SKIP;
                if (accepted && fresh) begin
                    side_reg      <= !side_reg;
                    open_reg      <= 1'b1;
                    have_reg      <= {PIECES{1'b0}};
                    evt_abandoned <= open_reg;
                end
                if (ended_reg) state_reg <= STATE_OUT;
            end
            STATE_CODE: if (take) at_reg <= at_reg + 6'd1;
            STATE_SKIP: if (ends) state_reg <= STATE_OUT;
            default:    if (m_ready) state_reg <= STATE_HEAD;
        endcase
        if (arrived) begin
            have_reg  <= before | bit;
            open_reg  <= !full;
            whole     <= full;
            result    <= full ? RESULT_DONE : RESULT_INCOMPLETE;
            state_reg <= full || is_last ? STATE_OUT : STATE_HEAD;
            at_reg    <= 6'd0;
        end
        if (rst) begin
            state_reg <= STATE_HEAD;
            at_reg    <= 6'd0;
            open_reg  <= 1'b0;
            side_reg  <= 1'b0;
            evt_abandoned <= 1'b0;
        end
    end

`ifdef FORMAL
    assign coding   = state_reg == STATE_CODE;
    assign skipping = state_reg == STATE_SKIP;
`endif

endmodule

`default_nettype wire
