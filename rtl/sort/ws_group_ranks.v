// SPDX-License-Identifier: Apache-2.0
//
// ws_group_ranks: which ranks the values of a row have in its group, for rows in the order of groups and values. A row
// stands for as many equal values as its count says, so that percentiles follow from it: the row with the value of rank
// r, from 0, is that with firsts <= r < nexts.
//
// The rows of a window with equal keys are a group. They wait in a ring until the group is complete, while their counts
// are added. When they are read, their counts are added again, and the sum of all is known. A cycle after the last row
// the next group leaves, if it is complete:
//
//     s_valid  a a b b b c . . . . . . .      the keys of rows
//     s_punct  . . . . . . P . . . . . .
//     m_valid  . . . . . . a a . b b b c
//     m_eos    . . . . . . . a . . . b c
//
// On m_* each group is a sub-stream, of which m_eos comes with the last row. m_punct, with the data of the cycle that
// closed a window, follows its last row; without rows m_eos comes with it.
//
// Parameters   ROWS     rows of a group at most, at least 1
//              KEY_W    width of a key in bits, at least 1
//              DATA_W   width of a row in bits, at least 1
//              COUNTS   numbers of values in a row, each of which gives ranks of its own, at least 1
//              COUNT_W  width of a number of values in bits, at least 1
//              RANK_W   width of ranks in bits, at least COUNT_W
// Ports        s_key, counts, s_data: of a row. s_punct, s_eos: either closes a window, or both
//              firsts: how many values the group has in rows before this one; nexts: those and this row's
//              lasts: the rank of the group's last value, 0 without values; all in step with m_valid
//              overflows: the number of the group's values exceeds RANK_W bits, of which the ranks have the lowest
// Latency      a row leaves 4 cycles after the row of another key, or what closes the window, follows its group, or one
//              cycle after the row before it, if that is later; m_punct likewise 5 cycles after what closes the window
// Issue rate   1 row a cycle
// Bad input    a group of more than ROWS rows, or a row with s_punct or s_eos: must not happen
// Source       ours

`default_nettype none

module ws_group_ranks #(
    parameter ROWS    = 64,
    parameter KEY_W   = 32,
    parameter DATA_W  = 64,
    parameter COUNTS  = 1,
    parameter COUNT_W = 32,
    parameter RANK_W  = 40
) (
    input  wire                      clk,
    input  wire                      rst,

    input  wire                      s_valid,
    input  wire                      s_punct,
    input  wire                      s_eos,
    input  wire [KEY_W-1:0]          s_key,
    input  wire [COUNTS*COUNT_W-1:0] counts,
    input  wire [DATA_W-1:0]         s_data,

    output reg                       m_valid,
    output reg                       m_punct,
    output reg                       m_eos,
    output wire [COUNTS*RANK_W-1:0]  firsts,
    output wire [COUNTS*RANK_W-1:0]  nexts,
    output wire [COUNTS*RANK_W-1:0]  lasts,
    output wire [COUNTS-1:0]         overflows,
    output reg  [DATA_W-1:0]         m_data
);

    initial if (ROWS < 1 || KEY_W < 1 || DATA_W < 1 || COUNTS < 1 || COUNT_W < 1 || RANK_W < COUNT_W) begin
        $display("ERROR: %m: ROWS = %0d, KEY_W = %0d, DATA_W = %0d, COUNTS = %0d, COUNT_W = %0d (at least 1), ",
                 ROWS, KEY_W, DATA_W, COUNTS, COUNT_W, "RANK_W = %0d (at least COUNT_W)", RANK_W);
        $finish;
    end

    localparam ADDR_W = $clog2(ROWS + 1);
    localparam ITEM_W = COUNTS*COUNT_W + DATA_W + 2;

    // An item, which is a row or what closes a window, is held until it is known whether the group ends with it.
    wire                      closes  = s_punct || s_eos;
    wire                      arrives = s_valid || closes;
    reg                       held_reg, close_reg;
    reg  [KEY_W-1:0]          key_reg;
    reg  [COUNTS*COUNT_W-1:0] counts_reg;
    reg  [DATA_W-1:0]         data_reg;
    reg                       some_reg;         // the window has a row
    wire                      ends  = close_reg || closes || s_key != key_reg;
    wire                      moves = held_reg && (close_reg || arrives);
    wire                      completes = moves && ends;

    // It moves to the ring. All before `begin_reg`, where the group begins, is complete and leaves.
    reg  [ADDR_W-1:0]         write_reg, begin_reg, read_reg;
    wire                      reads = read_reg != begin_reg;
    wire [ADDR_W-1:0]         write_next = write_reg + 1'b1;
    reg                       read_1_reg, read_2_reg;
    wire                      row_close, row_eos;
    wire [COUNTS*COUNT_W-1:0] row_counts;
    wire [DATA_W-1:0]         row_data;
    reg                       fresh_reg;        // the next row is the first one of its group

    always @(posedge clk) begin
        held_reg <= arrives || (held_reg && !moves);
        if (arrives) {close_reg, key_reg, counts_reg, data_reg} <= {closes, s_key, counts, s_data};
        if (moves) write_reg <= write_next;
        if (moves) some_reg <= !close_reg;
        if (completes) begin_reg <= write_next;

        if (reads) read_reg <= read_reg + 1'b1;
        read_1_reg <= reads;
        read_2_reg <= read_1_reg;
        if (read_2_reg) fresh_reg <= row_close || row_eos;
        m_valid <= read_2_reg && !row_close;
        m_punct <= read_2_reg && row_close;
        m_eos   <= read_2_reg && row_eos;
        m_data  <= row_data;

        if (rst) begin
            held_reg   <= 1'b0;
            some_reg   <= 1'b0;
            write_reg  <= 0;
            begin_reg  <= 0;
            read_reg   <= 0;
            read_1_reg <= 1'b0;
            read_2_reg <= 1'b0;
            fresh_reg  <= 1'b1;
            m_valid    <= 1'b0;
            m_punct    <= 1'b0;
            m_eos      <= 1'b0;
        end
    end

    ws_ram_sdp #(.DATA_W(ITEM_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1)) ring (
        .clk(clk), .wr_en(moves), .wr_addr(write_reg),
        .wr_data({close_reg, close_reg ? !some_reg : ends, counts_reg, data_reg}),
        .rd_en(reads), .rd_addr(read_reg), .rd_data({row_close, row_eos, row_counts, row_data})
`ifdef FORMAL
        , .watch_addr(read_reg), .watch_data(), .watch_addr_2(read_reg), .watch_data_2()
`endif
    );

    // The ranks. The number of the group's values is at the address of its first row.
    genvar i;
    generate
        for (i = 0; i < COUNTS; i = i + 1) begin : gen_count
            reg  [RANK_W-1:0] sum_reg;          // of the counts of the group before the held row
            reg               left_reg;         // it has exceeded RANK_W bits
            wire [RANK_W:0]   sum = {1'b0, sum_reg} + {{(RANK_W+1-COUNT_W){1'b0}}, counts_reg[COUNT_W*i +: COUNT_W]};
            wire              left = left_reg || sum[RANK_W];
            wire [RANK_W-1:0] row_sum;
            wire              row_left;

            always @(posedge clk) if (moves || rst) {left_reg, sum_reg} <= rst || ends ? 0 : {left, sum[RANK_W-1:0]};

            ws_ram_sdp #(.DATA_W(RANK_W + 1), .ADDR_W(ADDR_W), .OUTPUT_REG(1)) sums (
                .clk(clk), .wr_en(completes), .wr_addr(begin_reg), .wr_data({left, sum[RANK_W-1:0]}),
                .rd_en(reads), .rd_addr(read_reg), .rd_data({row_left, row_sum})
`ifdef FORMAL
                , .watch_addr(read_reg), .watch_data(), .watch_addr_2(read_reg), .watch_data_2()
`endif
            );

            reg  [RANK_W-1:0] first_reg, next_reg, last_reg;
            reg               overflow_reg;
            wire [RANK_W-1:0] first = fresh_reg ? {RANK_W{1'b0}} : next_reg;
            wire [RANK_W-1:0] last  = row_left || row_sum != 0 ? row_sum - 1'b1 : row_sum;

            always @(posedge clk) begin
                first_reg <= first;
                next_reg  <= first + {{(RANK_W-COUNT_W){1'b0}}, row_counts[COUNT_W*i +: COUNT_W]};
                if (fresh_reg) {overflow_reg, last_reg} <= {row_left, last};
            end

            assign firsts[RANK_W*i +: RANK_W] = first_reg;
            assign nexts[RANK_W*i +: RANK_W]  = next_reg;
            assign lasts[RANK_W*i +: RANK_W]  = last_reg;
            assign overflows[i]               = overflow_reg;
        end
    endgenerate

`ifdef FORMAL
    // An item may be marked, in s_data[0], if no other marked one is inside. One of its counts is watched.
    (* anyconst *) wire [7:0] lane;
    reg               past_valid = 1'b0;
    reg               open_ref;         // the group may go on
    reg  [KEY_W-1:0]  key_ref;
    reg  [7:0]        rows_ref;         // of the group
    reg               some_ref;         // the window has a row
    reg  [7:0]        inside_ref;       // items that have not left
    reg  [7:0]        sum_ref;          // of the group
    reg               mark_ref;         // a marked item is inside
    reg               group_ref;        // and its group may go on
    reg  [7:0]        first_ref, next_ref, total_ref, ahead_ref;
    reg               row_ref, eos_ref;
    reg  [DATA_W-1:0] data_ref;
    reg               closes_ref;       // a cycle ago
    reg  [23:0]       due_ref;          // how many items are complete since one, two and three cycles
    reg  [7:0]        pending_ref;      // items that should have left
    wire              same   = s_valid && open_ref && s_key == key_ref;
    wire [7:0]        count  = counts[COUNT_W*lane +: COUNT_W];
    wire [7:0]        before = same ? sum_ref : 8'd0;
    wire              marked = arrives && s_data[0];
    wire              leaves = m_valid || m_punct;
    wire [7:0]        last_ref = total_ref - (total_ref != 0);
    wire [7:0]        completed = (arrives && open_ref && !same ? rows_ref : 8'd0) + closes_ref;
    wire [ADDR_W-1:0] fill = write_reg - read_reg, ready = begin_reg - read_reg, waiting = write_reg - begin_reg;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        closes_ref  <= closes;
        due_ref     <= {due_ref[15:0], completed};
        pending_ref <= pending_ref + due_ref[23:16] - (pending_ref != 0);
        inside_ref  <= inside_ref + arrives - leaves;
        if (arrives) begin
            open_ref <= s_valid;
            key_ref  <= s_key;
            rows_ref <= same ? rows_ref + 1'b1 : 8'd1;
            some_ref <= s_valid;
            sum_ref  <= before + count;
        end
        if (marked) begin
            ahead_ref <= inside_ref - leaves;
            {row_ref, eos_ref, group_ref, data_ref} <= {s_valid, s_valid || !some_ref, s_valid, s_data};
            {first_ref, next_ref, total_ref} <= {before, before + count, before + count};
        end else begin
            if (leaves && ahead_ref != 0) ahead_ref <= ahead_ref - 1'b1;
            if (arrives && group_ref) begin
                group_ref <= same;
                eos_ref   <= eos_ref && !same;
                if (same) total_ref <= total_ref + count;
            end
        end
        mark_ref <= marked || (mark_ref && !(leaves && m_data[0]));
        if (rst) begin
            open_ref    <= 1'b0;
            some_ref    <= 1'b0;
            inside_ref  <= 0;
            mark_ref    <= 1'b0;
            group_ref   <= 1'b0;
            closes_ref  <= 1'b0;
            due_ref     <= 0;
            pending_ref <= 0;
        end

        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (lane < COUNTS);
            assume (!s_valid || !closes);
            assume (!same || rows_ref != ROWS);
            assume (!marked || !mark_ref);
            assert (open_ref == (held_reg && !close_reg));
            assert (!open_ref || (key_reg == key_ref && rows_ref >= 1 && rows_ref <= ROWS));
            assert (waiting == (open_ref ? rows_ref - 1 : 0));
            assert (fill <= ROWS && ready <= fill);
            assert (!(m_valid && m_punct));
            ref_leaves: assert (leaves == (pending_ref != 0));
            if (leaves) begin
                ref_mark: assert (m_data[0] == (mark_ref && ahead_ref == 0));
                if (m_data[0]) begin
                    ref_group: assert (m_valid == row_ref && !group_ref && m_eos == eos_ref);
                    ref_data:  assert (m_data == data_ref);
                    if (m_valid) begin
                        ref_firsts: assert (firsts[RANK_W*lane +: RANK_W] == first_ref[RANK_W-1:0]);
                        ref_nexts:  assert (nexts[RANK_W*lane +: RANK_W] == next_ref[RANK_W-1:0]);
                        ref_lasts:  assert (lasts[RANK_W*lane +: RANK_W] == last_ref[RANK_W-1:0]);
                        ref_overflows: assert (overflows[lane] == (total_ref >> RANK_W != 0));
                    end
                end
            end
            ref_eos: assert (!m_eos || leaves);
            cover (m_valid && m_data[0] && m_eos && (ROWS == 1 || (first_ref != 0 && pending_ref > 1)));
            cover (m_punct && m_eos && $past(m_punct));
            cover (fill == ROWS && moves);
        end
    end
`endif

endmodule

`default_nettype wire
