// SPDX-License-Identifier: Apache-2.0
//
// ws_group_top_k: ROW_NUMBER() OVER (PARTITION BY group ORDER BY key) <= K: the first K tuples of each group of a window
// in the order of their keys, equals as they arrived.
//
// A chain of K cells: cell i keeps the tuple in place i of every group, in block RAM, and passes on the others, a tuple
// a cycle, even if all are of one group. A count of each group says which of its places are empty; its first tuple in a
// window begins a new count, so no memory has to be cleared. When the window closes, a request for each row follows its
// tuples through the cells, and takes the tuple of its place along. The rows leave group by group, in the order of the
// groups' first tuples, and what closed the window comes last:
//
//     s_valid  t t t t . . .     . . . . . . . t t t      K = 2, three tuples of one group and one of another
//     s_punct  . . . . P . .     . . . . . . . . . .
//     m_valid  . . . . . . . ... . r r r . . . . . .
//     m_punct  . . . . . . .     . . . . P . . . . .
//     m_rank                       1 2 1
//
// Parameters   K        rows of a group at most, at least 1
//              GROUPS   groups, 2 to 2**24
//              KEY_W    width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them
//              DATA_W   width of a tuple in bits, at least 1
//              INDEX_W  follows from GROUPS
//              RANK_W   follows from K
// Ports        s_group: less than GROUPS; s_fresh: the first tuple of the group in this window, as ws_group_keys has them
//              m_group, m_rank, m_key: of a row; m_rank is its number in the group, from 1
// Latency      K + 14 cycles from s_punct or s_eos to the first row; m_punct or m_eos follows the last row, or comes in
//              place of the first
// Issue rate   1 tuple a cycle; none in the R + 9 cycles after a close, with R rows, nor another close
// CLOSE_CYCLES K * GROUPS + 10
// CLOSE_ROWS   K * GROUPS
// Overflow     cannot happen: a tuple that is not among the first K of its group is no row
// Bad input    input in the R + 9 cycles after a close is lost; s_fresh with another than the first tuple of a group:
//              must not happen
// Source       ours; the rows are those of SQL's ROW_NUMBER() with the number of arrival as the last key

`default_nettype none

module ws_group_top_k #(
    parameter K       = 4,
    parameter GROUPS  = 1024,
    parameter KEY_W   = 32,
    parameter DATA_W  = 32,
    parameter INDEX_W = $clog2(GROUPS),    // follows from GROUPS
    parameter RANK_W  = $clog2(K + 1)      // follows from K
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [INDEX_W-1:0] s_group,
    input  wire               s_fresh,
    input  wire [KEY_W-1:0]   s_key,
    input  wire [DATA_W-1:0]  s_data,

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [INDEX_W-1:0] m_group,
    output reg  [RANK_W-1:0]  m_rank,
    output reg  [KEY_W-1:0]   m_key,
    output wire [DATA_W-1:0]  m_data
);

    initial if (K < 1 || GROUPS < 2 || GROUPS > 1 << 24 || KEY_W < 1 || DATA_W < 1) begin
        $display("ERROR: %m: K = %0d, KEY_W = %0d, DATA_W = %0d (at least 1), GROUPS = %0d (2 to 2**24)",
                 K, KEY_W, DATA_W, GROUPS);
        $finish;
    end

    // An item is a tuple or a request for a row. It is in stage 1 a cycle after it has come, has the count of its group
    // in stage 3, meets place i in stage 4 + i, its tuple a cycle later, and leaves from stage LAST.
    localparam LAST = K + 5;

    wire               busy, request, finish;
    wire [INDEX_W-1:0] list_index, request_group;
    wire [RANK_W-1:0]  request_rank, count;
    wire               tuple = s_valid && !busy;

    ws_group_top_rows #(.K(K), .INDEX_W(INDEX_W)) requests (
        .clk(clk), .rst(rst),
        .append(tuple && s_fresh), .s_group(s_group), .s_close((s_punct || s_eos) && !busy), .busy(busy),
        .list_index(list_index), .s_count(count),
        .m_request(request), .m_end(finish), .m_group(request_group), .m_rank(request_rank)
`ifdef FORMAL
        , .room_exact(room_exact)
`endif
    );

    // ---- The items: stage 1 in the least significant bits. While requests are sent, what closed the window waits.

    reg  [3:1]              tuple_reg;
    reg  [2:1]              fresh_reg;
    reg  [LAST:1]           row_reg;
    reg  [LAST*INDEX_W-1:0] group_reg;
    reg  [(LAST-1)*RANK_W-1:0] rank_reg;
    reg  [(K+2)*3-1:0]      again_reg;           // see ws_group_words, for 1 to 3
    reg                     end_reg, punct_reg, eos_reg;
    reg  [DATA_W-1:0]       data_reg;
    integer                 d;

    always @(posedge clk) begin
        tuple_reg <= {tuple_reg[2:1], tuple};
        fresh_reg <= {fresh_reg[1], tuple && s_fresh};
        row_reg   <= {row_reg[LAST-1:1], request};
        group_reg <= {group_reg[0 +: (LAST-1)*INDEX_W], busy ? request_group : s_group};
        rank_reg  <= {rank_reg[0 +: (LAST-2)*RANK_W], request_rank};
        again_reg[3 +: (K+1)*3] <= again_reg[0 +: (K+1)*3];
        for (d = 1; d <= 3; d = d + 1)
            again_reg[d-1] <= tuple && tuple_reg[d] && s_group == group_reg[(d-1)*INDEX_W +: INDEX_W];
        end_reg <= finish;
        if (!busy) {punct_reg, eos_reg, data_reg} <= {s_punct, s_eos, s_data};

        if (rst) begin
            tuple_reg <= 3'b0;
            row_reg   <= {LAST{1'b0}};
            end_reg   <= 1'b0;
        end
    end

    wire [KEY_W-1:0]  key_4;
    wire [DATA_W-1:0] data_5;

    ws_shift #(.DATA_W(KEY_W), .N(4)) tuple_key (.clk(clk), .s_data(s_key), .m_data(key_4));
    ws_shift #(.DATA_W(DATA_W), .N(4)) tuple_data (.clk(clk), .s_data(data_reg), .m_data(data_5));

    // ---- Stage 3: how many places of the group are taken, and which of them the item meets: a tuple all, a request one

    wire [RANK_W-1:0] rank_3 = rank_reg[2*RANK_W +: RANK_W];
    reg  [K-1:0]      meets_3;
    integer           p;

    ws_group_words #(.DATA_W(RANK_W), .INDEX_W(INDEX_W)) counts (
        .clk(clk),
        .read_index(busy ? list_index : s_group), .again(again_reg[2:1]),
        .clear(fresh_reg[2]), .hit(tuple_reg[3] && again_reg[3]), .word(count),
        .replace(tuple_reg[3]), .s_index(group_reg[2*INDEX_W +: INDEX_W]),
        .s_item(count == K[RANK_W-1:0] ? count : count + 1'b1)
    );

    always @*
        for (p = 0; p < K; p = p + 1) meets_3[p] = tuple_reg[3] ? count > p[RANK_W-1:0] : row_reg[3] && rank_3 == p[RANK_W-1:0];

    // ---- From stage 4 on: the cells. Link i is the input of cell i.

    wire [2*K+1:0]          tags;
    wire [(K+1)*KEY_W-1:0]  keys;
    wire [(K+1)*DATA_W-1:0] tuples;
    reg  [1:0]              tag_4_reg;

    always @(posedge clk) tag_4_reg <= {!tuple_reg[3] || rst, 1'b1};

    assign {tags[1:0], keys[KEY_W-1:0], tuples[DATA_W-1:0]} = {tag_4_reg, key_4, data_5};

    genvar i;
    generate
        for (i = 0; i < K; i = i + 1) begin : gen_cell
            wire meets;

            ws_shift #(.DATA_W(1), .N(i)) next_meets (.clk(clk), .s_data(meets_3[i]), .m_data(meets));

            ws_group_top_cell #(.KEY_W(KEY_W), .DATA_W(DATA_W), .INDEX_W(INDEX_W)) place (
                .clk(clk), .rst(rst),
                .read_groups(group_reg[i*INDEX_W +: 2*INDEX_W]),
                .s_groups  (group_reg[(i+3)*INDEX_W +: 2*INDEX_W]),
                .again     (again_reg[3*(i+1) + 1 +: 2]),
                .next_again(again_reg[3*(i+2) +: 3]),
                .next_full (meets),
                .s_tag     (tags[2*i +: 2]),
                .s_row     (row_reg[4 + i]),
                .s_key     (keys[KEY_W*i +: KEY_W]),
                .s_data    (tuples[DATA_W*i +: DATA_W]),
                .m_tag     (tags[2*(i+1) +: 2]),
                .m_key     (keys[KEY_W*(i+1) +: KEY_W]),
                .m_data    (tuples[DATA_W*(i+1) +: DATA_W])
            );
        end
    endgenerate

    // ---- The rows, and the end

    wire no_valid, no_data;
    wire unused = no_valid ^ no_data ^ (^tags[2*K +: 2]);

    ws_delay #(.DATA_W(1), .N(LAST - 1)) close (
        .clk(clk), .rst(rst),
        .s_valid(1'b0), .s_punct(end_reg && punct_reg), .s_eos(end_reg && eos_reg), .s_data(1'b0),
        .m_valid(no_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(no_data)
    );

    always @(posedge clk) begin
        m_key  <= keys[KEY_W*K +: KEY_W];
        m_rank <= rank_reg[(LAST-2)*RANK_W +: RANK_W] + 1'b1;
    end

    assign m_valid = row_reg[LAST];
    assign m_group = group_reg[(LAST-1)*INDEX_W +: INDEX_W];
    assign m_data  = tuples[DATA_W*K +: DATA_W];

`ifdef FORMAL
    // A tuple is {early, mark}. The watched one is the row whose number is that of the tuples before it in its group, if
    // there are fewer than K. What is known of a window is kept until its end is sent.
    (* anyconst *) wire [KEY_W-1:0]   watched;
    (* anyconst *) wire [INDEX_W-1:0] watched_group;
    localparam ITEM_W = 4 + INDEX_W + RANK_W;
    reg                      past_valid = 1'b0;
    reg                      gap_ref, seen_ref;
    reg  [4:0]               age_ref;                 // cycles since the close
    reg  [RANK_W-1:0]        better_ref;              // tuples of the group before the watched one, K at most
    reg  [INDEX_W:0]         groups_ref;              // groups of the window
    reg  [GROUPS*INDEX_W-1:0] order_ref;              // in the order of their first tuples
    reg  [GROUPS-1:0]        known_ref;
    reg  [GROUPS*RANK_W-1:0] count_ref;               // rows of each
    reg  [INDEX_W:0]         place_ref;               // the group of the next request, and its rank
    reg  [RANK_W-1:0]        number_ref;
    reg  [LAST*ITEM_W-1:0]   sent_ref;                // the requests and ends of the last cycles
    reg  [DATA_W-1:0]        close_ref;
    wire                     valid    = s_valid && !gap_ref;
    wire                     closes   = (s_punct || s_eos) && !gap_ref;
    wire [RANK_W-1:0]        counted  = count_ref[s_group*RANK_W +: RANK_W];
    wire                     in_group = valid && s_group == watched_group;
    wire                     better   = in_group && !s_data[0] && (s_key < watched || (s_key == watched && s_data[1]));
    wire                     sends    = age_ref >= 9;
    wire                     more     = place_ref != groups_ref;
    wire [INDEX_W-1:0]       group    = order_ref[place_ref*INDEX_W +: INDEX_W];
    wire                     is_last  = number_ref + 1 == count_ref[group*RANK_W +: RANK_W];
    wire                     marked   = group == watched_group && seen_ref && number_ref == better_ref;
    wire                     room_exact;
    wire                     row_o, mark_o, punct_o, eos_o;
    wire [INDEX_W-1:0]       group_o;
    wire [RANK_W-1:0]        number_o;
    reg                      punct_ref, eos_ref;

    assign {row_o, mark_o, punct_o, eos_o, group_o, number_o} = sent_ref[(LAST-1)*ITEM_W +: ITEM_W];

    always @(posedge clk) begin
        past_valid <= 1'b1;
        age_ref    <= closes ? 5'd1 : age_ref + (gap_ref && age_ref != 9);
        if (closes) {gap_ref, close_ref, punct_ref, eos_ref} <= {1'b1, s_data, s_punct, s_eos};
        if (valid) begin
            known_ref[s_group] <= 1'b1;
            count_ref[s_group*RANK_W +: RANK_W] <= !known_ref[s_group] ? 1 : counted + (counted != K);
            if (!known_ref[s_group]) begin
                order_ref[groups_ref*INDEX_W +: INDEX_W] <= s_group;
                groups_ref <= groups_ref + 1'b1;
            end
            seen_ref   <= seen_ref || s_data[0];
            better_ref <= better_ref + (better && better_ref != K);
        end
        if (sends) begin
            number_ref <= is_last ? 0 : number_ref + 1'b1;
            place_ref  <= place_ref + is_last;
        end
        sent_ref <= {sent_ref, sends && more, sends && more && marked, {2{sends && !more}} & {punct_ref, eos_ref},
                     group, number_ref};
        if (rst || (sends && !more)) begin
            {gap_ref, seen_ref, age_ref, better_ref, groups_ref, place_ref, number_ref} <= 0;
            known_ref <= 0;
        end
        if (rst) sent_ref <= 0;

        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (!s_valid || !s_punct);
            assume (s_group < GROUPS);
            assume (!valid || s_fresh == !known_ref[s_group]);
            assume (!in_group || (s_data[0] ? s_key == watched && !s_data[1] && !seen_ref : s_data[1] != seen_ref));
            assume (!valid || in_group || !s_data[0]);
            ref_gap:     assert (busy == gap_ref);
            ref_request: assert (request == (sends && more) && finish == (sends && !more));
            ref_room:    assert (room_exact);
            ref_row:     assert (!request || (request_group == group && request_rank == number_ref));
            ref_rows:    assert (m_valid == row_o && m_punct == punct_o && m_eos == eos_o);
            ref_rank:    assert (!m_valid || (m_group == group_o && m_rank == number_o + 1'b1));
            ref_watched: assert (!m_valid || m_data[0] == mark_o);
            ref_key:     assert (!(m_valid && m_data[0]) || (m_key == watched && !m_data[1]));
            ref_data:    assert (!m_punct || m_data == $past(close_ref, LAST));
            cover (m_valid && m_data[0] && m_rank == K);
            cover (m_valid && m_data[0] && m_rank == 1 && row_reg[LAST-1] && group_reg[(LAST-2)*INDEX_W +: INDEX_W] != m_group);
            cover (m_punct && $past(m_valid && m_data[0]) && s_valid);
        end
    end
`endif

endmodule

`default_nettype wire
