// SPDX-License-Identifier: Apache-2.0
//
// ws_pane_top_k: ORDER BY … LIMIT … OFFSET … over sliding windows in time: the first K tuples of each window in the
// order of their keys, equals as they arrived, without the first SKIP of them.
//
// A pane is the part of the stream that windows share. Of each pane the first K tuples are found once, and the first K
// of a window are among those of its panes. So there is a ws_top_k for each open pane, a queue in block RAM with the
// rows of the panes that have ended, and one more ws_top_k. When a window ends, it takes the rows in the queue:
//
//     tuples ──> ws_window ──> ws_top_k for each ──> queue of ──> those of the ──> ws_top_k ──> rows
//                of a pane     open pane             rows         window
//
// With SLACK the panes' tuples do not arrive one pane after the other; among equal keys the number of the tuple's
// arrival, modulo 2**NUMBER_W, decides.
//
// Requirements on the stream: see ws_window; ws_punctuator with STEP = PANE meets them.
//
// Parameters   WATTR_W   width of the windowing attribute in bits, at least 1; it is not negative
//              PANE      length of a pane, in units of the windowing attribute, at least 1
//              PANES     panes in a window, at least 1
//              EACH      panes from a window's end to the next one's, 1 to PANES
//              SLACK     how late a tuple may be, in units of the windowing attribute, at least 0
//              K         tuples of a window that are kept, at least 1
//              SKIP      those of them that are no rows, 0 to K - 1
//              KEY_W     width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them
//              DATA_W    width of a tuple in bits, at least 1
//              NUMBER_W  width of a tuple's number in bits, at least 1; the tuples of RANGE + SLACK are fewer than
//                        2**NUMBER_W, or equal keys may be in another order
// Ports        wattr: in step with s_key and s_data; s_eos is ignored, as by ws_window in time
//              m_close: the window's end, in step with its rows, m_punct and m_eos
// Latency      from a window's end to its first row MOST + K + SKIP + 4 cycles, where MOST = N + 4 with N rows in the
//              queue, but at least 2 K + 6; K - SKIP cycles more to m_punct and m_eos
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES (PANES + EACH) K + K + 2, at least 3 K + 4    CLOSE_ROWS K - SKIP
// Overflow     cannot happen: the queue has room for the rows of PANES + EACH panes
// Bad input    punctuations closer than CLOSE_CYCLES: not allowed
// Source       panes: Li et al., SIGMOD Record 34(1), 2005; the first K of the first K of each part is ours

`default_nettype none

module ws_pane_top_k #(
    parameter WATTR_W  = 32,
    parameter PANE     = 60,
    parameter PANES    = 10,
    parameter EACH     = 1,
    parameter SLACK    = 60,
    parameter K        = 10,
    parameter SKIP     = 0,
    parameter KEY_W    = 32,
    parameter DATA_W   = 32,
    parameter NUMBER_W = 32
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [KEY_W-1:0]   s_key,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [WATTR_W-1:0] wattr,

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [KEY_W-1:0]   m_key,     // of a row
    output wire [DATA_W-1:0]  m_data,
    output wire [WATTR_W-1:0] m_close
);

    initial if (PANE < 1 || PANES < 1 || EACH < 1 || EACH > PANES || SLACK < 0) begin
        $display("ERROR: %m: PANE = %0d, PANES = %0d (at least 1), EACH = %0d (1 to PANES), SLACK = %0d (at least 0)",
                 PANE, PANES, EACH, SLACK);
        $finish;
    end
    initial if (WATTR_W < 1 || NUMBER_W < 1) begin
        $display("ERROR: %m: WATTR_W = %0d, NUMBER_W = %0d (at least 1)", WATTR_W, NUMBER_W);
        $finish;
    end

    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_PANE = PANE, L_PANES = PANES, L_EACH = EACH, L_SLACK = SLACK;
    localparam signed [63:0] L_LENGTH = L_PANE*L_PANES, L_APART = L_PANE*L_EACH;

    localparam integer     OPEN   = (64'sd3*L_PANE + L_SLACK - 64'sd1)/L_PANE;  // panes, with one that ends
    localparam             ROW_W  = KEY_W + NUMBER_W + DATA_W;
    localparam             ADDR_W = $clog2((PANES + EACH)*K + 1);
    localparam [WATTR_W:0] LENGTH = L_LENGTH, APART = L_APART;

    // ---- Stages 0 to 2: the pane of the tuple, the pane that ends

    reg  [NUMBER_W-1:0]   number_reg;       // of tuples so far
    wire [OPEN-1:0]       pane_valid, pane_eos, unused_pane_punct;
    wire [WATTR_W-1:0]    unused_pane_end;
    wire [WATTR_W-1:0]    wattr_2;
    wire [KEY_W-1:0]      key_2;
    wire [NUMBER_W-1:0]   number_2;
    wire [DATA_W-1:0]     data_2;
    wire                  ends_2 = |pane_eos;

    always @(posedge clk) number_reg <= rst ? {NUMBER_W{1'b0}} : number_reg + {{NUMBER_W-1{1'b0}}, s_valid};

    ws_window #(
        .DATA_W(WATTR_W + ROW_W), .UNIT("TIME"), .SIZE(PANE), .ADVANCE(PANE), .SLACK(SLACK), .WATTR_W(WATTR_W),
        .COPIES(OPEN), .REGISTERED(2)
    ) panes (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(1'b0), .s_data({wattr, s_key, number_reg, s_data}), .wattr(wattr),
        .m_valid(pane_valid), .m_punct(unused_pane_punct), .m_eos(pane_eos),
        .m_data({wattr_2, key_2, number_2, data_2}), .m_end(unused_pane_end)
    );

    // ---- Ends of windows: the first is LENGTH above the first punctuation. If a punctuation is beyond the next end,
    // all windows that have ended since are empty

    reg  [2:1]           punct_reg;
    reg                  started_reg, first_reg, ends_3_reg;
    reg  [WATTR_W-1:0]   wattr_1_reg, wattr_3_reg;
    reg                  reached_2_reg, reached_3_reg;
    reg  [WATTR_W:0]     end_reg;           // of the next window
    wire                 closes = ends_3_reg && reached_3_reg;

    always @(posedge clk) begin
        punct_reg     <= rst ? 2'b0 : {punct_reg[1], s_punct};
        wattr_1_reg   <= wattr;
        wattr_3_reg   <= wattr_2;
        reached_2_reg <= {1'b0, wattr_1_reg} >= end_reg;
        reached_3_reg <= reached_2_reg;
        first_reg     <= punct_reg[2] && !started_reg && !rst;
        ends_3_reg    <= ends_2 && !rst;
        if (punct_reg[2]) started_reg <= 1'b1;
        if (first_reg) end_reg <= {1'b0, wattr_3_reg} + LENGTH;
        else if (closes) end_reg <= {1'b0, wattr_3_reg} + APART;
        if (rst) started_reg <= 1'b0;
    end

    // ---- The first K of each pane

    wire [OPEN-1:0]                 some_row, some_eos, unused_punct;
    wire [OPEN*(WATTR_W+ROW_W)-1:0] some;

    genvar p;
    generate
        for (p = 0; p < OPEN; p = p + 1) begin : gen_pane
            wire [KEY_W-1:0]           key;
            wire [NUMBER_W+DATA_W-1:0] tuple;
            wire [WATTR_W-1:0]         pane_end;

            ws_top_k #(.K(K), .KEY_W(KEY_W), .DATA_W(NUMBER_W + DATA_W), .CLOSE_W(WATTR_W)) pane (
                .clk(clk), .rst(rst),
                .s_valid(pane_valid[p]), .s_punct(1'b0), .s_eos(pane_eos[p]),
                .s_key(key_2), .s_data({number_2, data_2}), .s_close(wattr_2),
                .m_valid(some_row[p]), .m_punct(unused_punct[p]), .m_eos(some_eos[p]),
                .m_key(key), .m_data(tuple), .m_close(pane_end)
            );

            assign some[p*(WATTR_W+ROW_W) +: WATTR_W+ROW_W] = {pane_end, key, tuple};
        end
    endgenerate

    wire                     row_valid, pane_over, unused_row_punct, unused_collision;
    wire [WATTR_W+ROW_W-1:0] row;

    ws_multiplex #(.DATA_W(WATTR_W + ROW_W), .N(OPEN)) rows (
        .clk(clk), .rst(rst),
        .s_valid(some_row), .s_punct({OPEN{1'b0}}), .s_eos(some_eos), .s_data(some),
        .m_valid(row_valid), .m_punct(unused_row_punct), .m_eos(pane_over), .m_data(row),
        .evt_collision(unused_collision)
    );

    // ---- The queue of rows. At the end of a window all are read; those of panes before the window are the first ones,
    // and leave the queue

    reg  [ADDR_W-1:0]    write_reg, read_reg, head_reg;
    reg                  reading_reg, over_reg;     // over: all rows of the window's last pane are in the queue
    reg  [WATTR_W-1:0]   close_reg, floor_reg;      // the window's end, and its start
    reg  [NUMBER_W-1:0]  now_3_reg, now_reg;        // number of tuples up to the window's end
    reg  [2:1]           taken_reg, last_reg;       // read 1 and 2 cycles ago
    wire                 reads = reading_reg && read_reg != write_reg;
    wire                 done  = reading_reg && read_reg == write_reg && over_reg;
    wire [WATTR_W-1:0]   pane_end;
    wire [KEY_W-1:0]     key;
    wire [NUMBER_W-1:0]  number;
    wire [DATA_W-1:0]    data;
    wire                 inside = pane_end > floor_reg;

    ws_ram_sdp #(.DATA_W(WATTR_W + ROW_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1)) queue (
        .clk(clk),
        .wr_en(row_valid), .wr_addr(write_reg), .wr_data(row),
        .rd_en(reads), .rd_addr(read_reg), .rd_data({pane_end, key, number, data})
`ifdef FORMAL
        , .watch_addr({ADDR_W{1'b0}}), .watch_data(), .watch_addr_2({ADDR_W{1'b0}}), .watch_data_2(), .words()
`endif
    );

    always @(posedge clk) begin
        now_3_reg <= number_2;
        taken_reg <= {taken_reg[1], reads};
        last_reg  <= {last_reg[1], done};
        if (row_valid) write_reg <= write_reg + 1'b1;
        if (reads) read_reg <= read_reg + 1'b1;
        if (taken_reg[2] && !inside) head_reg <= head_reg + 1'b1;
        if (pane_over) over_reg <= 1'b1;
        if (done) reading_reg <= 1'b0;
        if (closes) begin
            reading_reg <= 1'b1;
            read_reg    <= head_reg;
            close_reg   <= wattr_3_reg;
            floor_reg   <= wattr_3_reg - LENGTH[WATTR_W-1:0];
            now_reg     <= now_3_reg;
        end
        if (ends_3_reg) over_reg <= 1'b0;
        if (rst) begin
            {write_reg, head_reg} <= {2*ADDR_W{1'b0}};
            reading_reg           <= 1'b0;
            {taken_reg, last_reg} <= 4'b0;
        end
    end

    // ---- The first K of the window

    localparam TIES_W = SLACK > 0 ? NUMBER_W : 0;
    wire [KEY_W+TIES_W-1:0] whole_key, row_key;

    generate
        if (SLACK > 0) begin : gen_ties
            // Counted back from the window's end, so that an earlier tuple has a smaller number even if they wrap
            wire [NUMBER_W-1:0] tie = number - now_reg;
            assign whole_key = {key, tie};
        end else begin : gen_no_ties
            wire unused_number = &{1'b0, number, now_reg};
            assign whole_key = key;
        end
    endgenerate

    ws_top_k #(.K(K), .SKIP(SKIP), .KEY_W(KEY_W + TIES_W), .DATA_W(DATA_W), .CLOSE_W(WATTR_W)) window (
        .clk(clk), .rst(rst),
        .s_valid(taken_reg[2] && inside), .s_punct(last_reg[2]), .s_eos(last_reg[2]),
        .s_key(whole_key), .s_data(data), .s_close(close_reg),
        .m_valid(m_valid), .m_punct(m_punct), .m_eos(m_eos), .m_key(row_key), .m_data(m_data), .m_close(m_close)
    );

    assign m_key = row_key[KEY_W+TIES_W-1 -: KEY_W];

    wire unused = &{1'b0, s_eos, unused_pane_punct, unused_pane_end, unused_punct, unused_row_punct, unused_collision,
                    row_key};

`ifdef FORMAL
    // Any tuple, the only one with data 1, in any window: it is a row if and only if fewer than K tuples of the window
    // are before it, and those that are rows leave before it. Panes end as soon as is allowed.
    localparam [31:0] MOST = (PANES + EACH)*K + 4 > 2*K + 6 ? (PANES + EACH)*K + 4 : 2*K + 6;
    localparam [31:0] CLOSE_CYCLES = MOST + K - 2, LAST = MOST + 2*K + 4;
    (* anyconst *) wire [NUMBER_W-1:0] number_ref;
    (* anyconst *) wire [KEY_W-1:0]    key_ref;
    (* anyconst *) wire [WATTR_W-1:0]  end_ref;
    reg                past_valid = 1'b0;
    reg                inside_ref, told_ref;    // the tuple is in the window; it was a row of it
    reg  [7:0]         before_ref, rows_ref;    // tuples of the window before it; rows of the window
    reg  [7:0]         gap_ref;                 // cycles since a punctuation
    reg  [WATTR_W-1:0] low_ref;
    reg                begun_ref;
    reg  [WATTR_W:0]   next_ref, due_ref;       // the end of the next window that leaves; that is announced
    reg  [LAST-1:0]    ended_ref;               // windows ended n + 1 cycles ago
    reg  [3:0]         open_ref;                // windows that ended at least LAST cycles ago, less those that left
    wire               mine   = s_valid && number_reg == number_ref;
    wire               held   = s_valid && wattr < end_ref && wattr + LENGTH >= end_ref;
    wire               before = s_key < key_ref || (s_key == key_ref && number_reg < number_ref);
    wire               of_ref = m_close == end_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        gap_ref    <= s_punct ? 1 : gap_ref + 1;
        if (s_punct) low_ref <= wattr;
        if (s_punct) begun_ref <= 1'b1;
        if (m_punct) next_ref <= next_ref + APART;
        if (s_punct && begun_ref && wattr == due_ref) due_ref <= due_ref + APART;
        if (s_punct && !begun_ref) begin
            next_ref <= wattr + LENGTH;
            due_ref  <= wattr + LENGTH;
        end
        ended_ref <= {ended_ref, s_punct && begun_ref && wattr == due_ref};
        open_ref  <= open_ref + ended_ref[LAST-1] - m_punct;
        if (held && mine) inside_ref <= 1'b1;
        if (held && before) before_ref <= before_ref + 1;
        if (m_valid && of_ref) rows_ref <= rows_ref + 1;
        if (m_valid && of_ref && m_data[0]) told_ref <= 1'b1;
        if (rst) begin
            inside_ref <= 1'b0; told_ref <= 1'b0; before_ref <= 0; rows_ref <= SKIP; begun_ref <= 1'b0;
            ended_ref <= 0; open_ref <= 0;
            gap_ref <= CLOSE_CYCLES - 2;
        end

        if (!past_valid) assume (rst);
        else begin
            assume (!rst && s_punct == (gap_ref == CLOSE_CYCLES) && !(s_valid && s_punct));
            if (s_valid) assume (begun_ref && wattr >= low_ref && wattr - low_ref < PANE + SLACK);
            if (s_punct) assume (begun_ref ? wattr == low_ref + PANE && wattr != 0 : wattr <= PANES);
            assume (s_data == mine && (!mine || s_key == key_ref));
            assume (!(&number_reg) || !s_valid);    // numbers do not wrap here

            ref_end: assert (m_punct == m_eos && !(m_valid && m_punct));
            ref_when: assert (open_ref[3] || open_ref == 0);    // none is late
            if (m_valid || m_punct) ref_close: assert (begun_ref && m_close == next_ref);
            if (m_valid && of_ref && m_data[0])
                ref_row: assert (inside_ref && !told_ref && rows_ref == before_ref && m_key == key_ref);
            if (m_punct && of_ref)
                ref_all: assert (told_ref == (inside_ref && before_ref >= SKIP && before_ref < K));
        end
        cover (past_valid && m_punct && of_ref && told_ref && before_ref == K - 1);
        cover (past_valid && m_punct && of_ref && inside_ref && !told_ref && before_ref == K);
    end
`endif

endmodule

`default_nettype wire
