// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_blocks: an aggregate other than a sum of the last PANES panes, after each pane, in constant time.
//
// No window is read again, and no pane is subtracted. Panes are grouped into blocks of (PANES - 1) / 2. A window is the
// end of one block, the whole block after it, and the newest block as far as it has filled. While a block fills, the
// aggregate of every end of the block before it is computed backwards, one pane at each push, and replaces in the RAM
// the pane with which that end begins: all of them are in the RAM when the window gets there. A push therefore is one
// step of each of
//   prefix   the newest block;
//   middle   the block before it and the newest;
//   scan     the end of the block before it that begins one pane earlier;
//   pre      the last PANES - 1 panes, which the next push needs: an end, `middle` and the pane.
// When a block is full, the window is that block and the one before it, without any end. For an even PANES all of this
// works on one pane less, and its window with the next pane is `pre`.
//
// A step takes two cycles: numbers are compared in the cycle after push and selected in the next. Inputs of the RAM
// have registers of their own, since the RAM may be many blocks.
//
// Parameters   KIND, SIGNED, NUMBER_W  see ws_pane_pick
//              PANES                   panes in a window, 1 to 65536
// Ports        push: a pane has closed; pane: its number, the identity of ws_pane_pick if it is empty
//              clear: all panes so far become empty; not in a cycle with push
//              result: that of a push 2 cycles before, undefined in other cycles; a multiplexer, not a register
// Latency      2 cycles; from push to result, whatever PANES is
// Issue rate   1 push every 2 cycles; worst case
// Bad input    two pushes in successive cycles, or a push with clear: not allowed
// Source       ours: for windows of fixed length what DABA Lite (Tangwongsan et al., arXiv 2009.13768) is for any, with
//              one RAM of one word per pane and one step per push

`default_nettype none

module ws_pane_blocks #(
    parameter [23:0] KIND     = "MIN",
    parameter        SIGNED   = 1,
    parameter        NUMBER_W = 32,
    parameter        PANES    = 64
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                clear,
    input  wire                push,
    input  wire [NUMBER_W-1:0] pane,
    output wire [NUMBER_W-1:0] result
);

    localparam BLOCK = (PANES - 1) / 2;               // panes
    localparam EVEN  = PANES % 2 == 0;

    `include "ws_pane_both.vh"

    initial if (PANES < 1 || PANES > 65536) begin
        $display("ERROR: %m: PANES = %0d, must be 1 to 65536", PANES);
        $finish;
    end

    // The cycles after a push: 1, numbers are compared; 2, they are selected; 3, the scan compares; 4, it selects.
    reg  push_1_reg, push_2_reg, push_3_reg, push_4_reg, clear_reg;
    wire forget = rst || clear_reg;

    always @(posedge clk) begin
        push_1_reg <= push && !rst;
        push_2_reg <= push_1_reg && !forget;
        push_3_reg <= push_2_reg && !forget;
        push_4_reg <= push_3_reg && !forget;
        clear_reg  <= clear;
    end

    reg  [NUMBER_W-1:0] pane_1_reg, pane_2_reg;
    wire [NUMBER_W-1:0] identity;

    always @(posedge clk) {pane_1_reg, pane_2_reg} <= {pane, pane_1_reg};

    // ---- The window: `pre` and the pane

    wire [NUMBER_W-1:0] pre;
    wire                window_wins;

    ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_window (
        .clk(clk), .older(pre), .newer(pane_1_reg), .newer_wins(window_wins), .identity(identity)
    );

    assign result = both(window_wins, pane_2_reg, pre);

    // ---- Even PANES: `odd`, the last PANES - 2 panes, combined with the pane is the next `pre`

    wire [NUMBER_W-1:0] odd;

    generate
        if (EVEN) begin : gen_even
            reg  [NUMBER_W-1:0] pre_reg;
            wire                even_wins;
            wire [NUMBER_W-1:0] unused_identity;
            wire                unused = &{1'b0, unused_identity};

            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_even (
                .clk(clk), .older(odd), .newer(pane_1_reg), .newer_wins(even_wins), .identity(unused_identity)
            );

            assign pre = pre_reg;

            always @(posedge clk) begin
                if (push_2_reg) pre_reg <= both(even_wins, pane_2_reg, odd);
                if (forget) pre_reg <= identity;
            end
        end else begin : gen_odd
            assign pre = odd;
        end

        if (BLOCK == 0) begin : gen_none
            wire unused = &{1'b0, push_2_reg, push_4_reg, forget};
            assign odd = identity;
        end else begin : gen_blocks
            localparam ADDR_W = $clog2(2*BLOCK);
            localparam FILL_W = $clog2(BLOCK + 1);
            localparam integer LAST_BUT_ONE = BLOCK > 1 ? BLOCK - 2 : 0;
            // Places in the RAM, with the first pane in place 0: the beginning of the end that the next push but one
            // needs, and where the scan would be if there were blocks before the first.
            localparam integer END = 3 - 2*BLOCK, SCAN = -3;

            // ---- Counters advance when numbers are selected, and describe the next push

            reg  [FILL_W-1:0]   fill_reg;             // panes in the newest block
            reg                 full_reg;             // the next push fills it
            reg                 first_reg, ends_reg;  // one block has been full; two have, so that there are ends
            reg  [ADDR_W-1:0]   write_reg, end_reg, scan_reg;
            wire                full_next = BLOCK == 1 || fill_reg == LAST_BUT_ONE[FILL_W-1:0];
            wire                ends_next = full_reg ? first_reg : ends_reg;
            wire [ADDR_W-1:0]   scan_next = !push_2_reg ? scan_reg : full_next ? write_reg : scan_reg - 1'b1;

            always @(posedge clk) begin
                scan_reg <= scan_next;
                if (push_2_reg) begin
                    fill_reg  <= full_reg ? {FILL_W{1'b0}} : fill_reg + 1'b1;
                    full_reg  <= full_next;
                    first_reg <= full_reg || first_reg;
                    ends_reg  <= ends_next;
                    write_reg <= write_reg + 1'b1;
                    end_reg   <= end_reg + 1'b1;
                end
                if (forget) begin
                    fill_reg  <= {FILL_W{1'b0}};
                    full_reg  <= BLOCK == 1;
                    first_reg <= 1'b0;
                    ends_reg  <= 1'b0;
                    write_reg <= {ADDR_W{1'b0}};
                    end_reg   <= END[ADDR_W-1:0];
                    scan_reg  <= SCAN[ADDR_W-1:0];    // its steps address places that the first block does not use
                end
            end

            // ---- The RAM: two writes and two reads per push. Writes, in cycles 2 and 3: the pane, then the end that
            // the previous push has computed. Reads, addressed in cycles 1 and 2: the scan's pane, then an end, which
            // stays until numbers are selected for the next push.

            wire [NUMBER_W-1:0] word, scan_now;
            reg  [NUMBER_W-1:0] scan_now_reg;

            if (BLOCK == 1) begin : gen_no_ram
                wire unused = &{1'b0, write_reg, end_reg, scan_next};
                assign word = identity;
            end else begin : gen_ram
                reg                write_now_reg, read_now_reg;
                reg [ADDR_W-1:0]   to_reg, from_reg;
                reg [NUMBER_W-1:0] word_in_reg;

                always @(posedge clk) begin
                    write_now_reg <= push_1_reg || push_2_reg;
                    read_now_reg  <= push || push_1_reg;
                    to_reg        <= push_1_reg ? write_reg : scan_reg + 1'b1;    // where the scan was before
                    from_reg      <= push_1_reg ? end_reg : scan_next;
                    word_in_reg   <= push_1_reg ? pane_1_reg : scan_now;
                end

                ws_ram_sdp #(
                    .DATA_W(NUMBER_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE(ADDR_W > 5 ? "block" : "distributed")
                ) ram (
                    .clk(clk),
                    .wr_en(write_now_reg), .wr_addr(to_reg), .wr_data(word_in_reg),
                    .rd_en(read_now_reg), .rd_addr(from_reg), .rd_data(word)
                );
            end

            // ---- Compare: the outcome is registered

            reg  [NUMBER_W-1:0]   end_now_reg, middle_reg, prefix_reg;
            wire                  prefix_wins, middle_wins, end_middle_wins, end_pane_wins, scan_wins;
            wire [5*NUMBER_W-1:0] identities;
            wire                  unused_identities = &{1'b0, identities};

            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_prefix (
                .clk(clk), .older(prefix_reg), .newer(pane_1_reg),
                .newer_wins(prefix_wins), .identity(identities[0*NUMBER_W +: NUMBER_W])
            );
            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_middle (
                .clk(clk), .older(middle_reg), .newer(pane_1_reg),
                .newer_wins(middle_wins), .identity(identities[1*NUMBER_W +: NUMBER_W])
            );
            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_end_middle (
                .clk(clk), .older(end_now_reg), .newer(middle_reg),
                .newer_wins(end_middle_wins), .identity(identities[2*NUMBER_W +: NUMBER_W])
            );
            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_end_pane (
                .clk(clk), .older(end_now_reg), .newer(pane_1_reg),
                .newer_wins(end_pane_wins), .identity(identities[3*NUMBER_W +: NUMBER_W])
            );
            ws_pane_pick #(.KIND(KIND), .SIGNED(SIGNED), .NUMBER_W(NUMBER_W)) pick_scan (
                .clk(clk), .older(word), .newer(scan_now_reg),
                .newer_wins(scan_wins), .identity(identities[4*NUMBER_W +: NUMBER_W])
            );

            // ---- Select

            reg  [NUMBER_W-1:0] odd_reg, scan_word_reg;
            localparam          IS_BITS       = KIND == "BOR" || KIND == "XOR";
            wire                odd_pane_wins = end_middle_wins ? middle_wins : end_pane_wins;
            wire [NUMBER_W-1:0] prefix        = both(prefix_wins, pane_2_reg, prefix_reg);

            assign odd      = odd_reg;
            assign scan_now = push_2_reg && full_reg ? pane_2_reg
                            : push_4_reg && (IS_BITS || !scan_wins) ? both(1'b0, scan_now_reg, scan_word_reg)
                            : scan_now_reg;

            always @(posedge clk) begin
                if (push_2_reg) begin
                    prefix_reg  <= full_reg ? identity : prefix;
                    middle_reg  <= full_reg ? prefix : both(middle_wins, pane_2_reg, middle_reg);
                    odd_reg     <= both(odd_pane_wins, pane_2_reg, both(end_middle_wins, middle_reg, end_now_reg));
                    end_now_reg <= ends_next && !full_next ? word : identity;
                end
                scan_word_reg <= word;
                scan_now_reg  <= scan_now;
                if (forget) begin
                    prefix_reg  <= identity;
                    middle_reg  <= identity;
                    odd_reg     <= identity;
                    end_now_reg <= identity;
                end
            end

`ifdef FORMAL
            always @(posedge clk) if (past_valid) begin
                assert (fill_reg < BLOCK && full_reg == (fill_reg == BLOCK - 1));
                assert (end_reg == write_reg + END[ADDR_W-1:0]);
                assert (first_reg || !ends_reg);
                if (BLOCK > 1) cover (push && end_now_reg != identity && pre != identity);
            end
`endif
        end
    endgenerate

`ifdef FORMAL
    // The panes themselves, newest in the lowest bits, as the reference.
    localparam integer KEPT = PANES > 1 ? PANES - 1 : 1;
    localparam [NUMBER_W-1:0] TOP = 1 << (NUMBER_W - 1);
    reg                     past_valid = 1'b0;
    reg                     push_1_ref, push_2_ref, clear_ref;
    reg [KEPT*NUMBER_W-1:0] panes_ref;
    reg [NUMBER_W-1:0]      before, whole_1_ref, whole_2_ref;
    integer i;

    function [NUMBER_W-1:0] order(input [NUMBER_W-1:0] pair);    // biased, so that it compares as unsigned number
        order = (SIGNED != 0 ? pair ^ TOP >> 1 : pair) >> NUMBER_W/2;
    endfunction

    function [NUMBER_W-1:0] step_ref(input [NUMBER_W-1:0] older, input [NUMBER_W-1:0] newer);
        reg [NUMBER_W-1:0] a, b;                      // biased, so that they compare as unsigned numbers
        begin
            a = SIGNED != 0 ? older + TOP : older;
            b = SIGNED != 0 ? newer + TOP : newer;
            case (KIND)
                "MIN":   step_ref = a < b ? older : newer;
                "MAX":   step_ref = a > b ? older : newer;
                "AMN":   step_ref = newer >= TOP && (older < TOP || order(newer) < order(older)) ? newer : older;
                "AMX":   step_ref = newer >= TOP && (older < TOP || order(newer) > order(older)) ? newer : older;
                "FST":   step_ref = older >= TOP ? older : newer;
                "BOR":   step_ref = older | newer;
                "XOR":   step_ref = older ^ newer;
                default: step_ref = newer >= TOP ? newer : older;
            endcase
        end
    endfunction

    always @* begin
        before = identity;
        if (PANES > 1)
            for (i = PANES - 2; i >= 0; i = i - 1) before = step_ref(before, panes_ref[i*NUMBER_W +: NUMBER_W]);
    end

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        push_1_ref  <= push && !rst;
        push_2_ref  <= push_1_ref && !rst;
        clear_ref   <= clear;
        whole_1_ref <= step_ref(before, pane);
        whole_2_ref <= whole_1_ref;
        if (push) panes_ref <= {panes_ref, pane};
        if (rst || clear) panes_ref <= {KEPT{identity}};

        if (!past_valid) assume (rst);
        else begin
            assume (!(push && (push_1_ref || clear)));
            // An empty pane is the identity, and any other has `seen` set.
            if (KIND == "FST" || KIND == "LST" || KIND == "AMN" || KIND == "AMX")
                assume (pane >= TOP || pane == identity);
            ref_result: assert (!push_2_ref || result == whole_2_ref);
            ref_pre:    assert (push_1_ref || push_2_ref || clear_ref || pre == before);
        end
        cover (past_valid && push_2_ref && result != identity && $past(clear));
    end
`endif

endmodule

`default_nettype wire
