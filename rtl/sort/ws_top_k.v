// SPDX-License-Identifier: Apache-2.0
//
// ws_top_k: ORDER BY … LIMIT … OFFSET …: the first K tuples of each window in the order of their keys, equals as they
// arrived, without the first SKIP of them.
//
// A chain of K cells: each keeps the first of the tuples that reach it and passes on the others, a tuple a cycle and
// without a broadcast. When the window closes, K requests follow its tuples. The first one takes the tuple of the first
// cell along, the second one that of the next, and so on, so that the rows leave the chain in order, one a cycle. What
// closed the window comes last:
//
//     s_valid  t t t . . . . . t t t t t      K = 3
//     s_punct  . . . P . . . . . . . . .
//     m_valid  . . . . . . . . r r r . .
//     m_punct  . . . . . . . . . . . P .
//
// Parameters   K        tuples that are kept, at least 1
//              SKIP     those of them that are no rows, 0 to K - 1
//              KEY_W    width of a key in bits, at least 1; keys are unsigned, ws_sort_key makes them
//              DATA_W   width of a tuple in bits, at least 1
//              CLOSE_W  width of what belongs to a window as a whole in bits, at least 1
// Ports        s_close: taken with s_punct or s_eos, such as the window's end
//              m_close: the same, in step with the window's rows, m_punct and m_eos
// Latency      K + 2 + SKIP cycles from s_punct or s_eos to the first row, 2 K + 2 to m_punct or m_eos
// Issue rate   1 tuple a cycle; after s_punct or s_eos none for K + 1 cycles, and no s_punct or s_eos either
// Overflow     cannot happen: a tuple that is not among the first K is no row
// Bad input    input in these K + 1 cycles is lost
// Source       ours; the rows are those of SQL's ORDER BY with the number of arrival as the last key

`default_nettype none

module ws_top_k #(
    parameter K       = 16,
    parameter SKIP    = 0,
    parameter KEY_W   = 32,
    parameter DATA_W  = 32,
    parameter CLOSE_W = 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [KEY_W-1:0]   s_key,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [CLOSE_W-1:0] s_close,

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [KEY_W-1:0]   m_key,     // of a row
    output wire [DATA_W-1:0]  m_data,
    output reg  [CLOSE_W-1:0] m_close
);

    initial if (K < 1 || SKIP < 0 || SKIP >= K || CLOSE_W < 1) begin
        $display("ERROR: %m: K = %0d (at least 1), SKIP = %0d (0 to K - 1), CLOSE_W = %0d (at least 1)",
                 K, SKIP, CLOSE_W);
        $finish;
    end

    localparam COUNT_W = $clog2(K + 2);
    localparam [31:0]        TAKEN = K + 1;
    localparam [COUNT_W-1:0] LEFT  = TAKEN[COUNT_W-1:0];

    // The first link takes the tuples. After a close it holds what closed the window until the requests have passed.
    reg  [COUNT_W-1:0] left_reg;        // K + 1 down to 2: requests follow; 1: the end follows
    reg  [1:0]         tag_reg;
    reg                row_reg, end_reg, punct_reg, eos_reg;
    reg  [KEY_W-1:0]   key_reg;
    reg  [DATA_W-1:0]  data_reg;
    reg  [CLOSE_W-1:0] close_reg;

    always @(posedge clk) begin
        left_reg <= left_reg != 0 ? left_reg - 1'b1 : LEFT & {COUNT_W{s_punct || s_eos}};
        tag_reg  <= left_reg != 0 ? {2{left_reg == 1}} : {!s_valid, 1'b1};
        key_reg  <= s_key;
        if (left_reg == 0) {punct_reg, eos_reg, data_reg, close_reg} <= {s_punct, s_eos, s_data, s_close};
        if (left_reg == 1) m_close <= close_reg;    // the first row leaves
        row_reg  <= left_reg > 1;
        end_reg  <= left_reg == 1;

        if (rst) begin
            left_reg <= 0;
            tag_reg  <= 2'b11;
            row_reg  <= 1'b0;
            end_reg  <= 1'b0;
            key_reg  <= 0;
        end
    end

    // Link i is the input of cell i.
    wire [2*K+1:0]          tags;
    wire [K:0]              rows;
    wire [(K+1)*KEY_W-1:0]  keys;
    wire [(K+1)*DATA_W-1:0] tuples;

    assign {tags[1:0], rows[0], keys[KEY_W-1:0], tuples[DATA_W-1:0]} = {tag_reg, row_reg, key_reg, data_reg};

    genvar i;
    generate
        for (i = 0; i < K; i = i + 1) begin : gen_cell
            ws_top_cell #(.KEY_W(KEY_W), .DATA_W(DATA_W)) place (
                .clk(clk), .rst(rst),
                .s_tag (tags[2*i +: 2]),
                .s_row (rows[i]),
                .s_key (keys[KEY_W*i +: KEY_W]),
                .s_data(tuples[DATA_W*i +: DATA_W]),
                .m_tag (tags[2*(i+1) +: 2]),
                .m_row (rows[i+1]),
                .m_key (keys[KEY_W*(i+1) +: KEY_W]),
                .m_data(tuples[DATA_W*(i+1) +: DATA_W])
`ifdef FORMAL
                , .watched(watched)
`endif
            );
        end
    endgenerate

    // The end passes as many registers as the chain has.
    wire no_valid, no_data;
    wire unused = no_valid ^ no_data;

    ws_delay #(.DATA_W(1), .N(K)) close (
        .clk(clk), .rst(rst),
        .s_valid(1'b0), .s_punct(end_reg && punct_reg), .s_eos(end_reg && eos_reg), .s_data(1'b0),
        .m_valid(no_valid), .m_punct(m_punct), .m_eos(m_eos), .m_data(no_data)
    );

    // The requests for the first SKIP rows are not answered.
    generate
        if (SKIP == 0) begin : gen_all
            assign m_valid = rows[K] && tags[2*K];
        end else begin : gen_skip
            localparam              SKIP_W = $clog2(SKIP + 1);
            localparam [31:0]       L_SKIP = SKIP;
            localparam [SKIP_W-1:0] FIRST  = L_SKIP[SKIP_W-1:0];
            reg [SKIP_W-1:0] skipped_reg;

            assign m_valid = rows[K] && tags[2*K] && skipped_reg == FIRST;

            always @(posedge clk)
                if (rst || !rows[K]) skipped_reg <= 0;
                else if (skipped_reg != FIRST) skipped_reg <= skipped_reg + 1'b1;
        end
    endgenerate

    assign m_key   = keys[KEY_W*K +: KEY_W];
    assign m_data  = tuples[DATA_W*K +: DATA_W];

`ifdef FORMAL
    // A tuple is {early, mark}. The watched one is the row whose number is that of the tuples before it in order, if
    // there are fewer than K and SKIP or more.
    localparam CLOSE = 2*K + 2;
    (* anyconst *) wire [KEY_W-1:0] watched;
    reg              past_valid = 1'b0;
    reg              seen_ref, run_ref, seen_1_ref, seen_2_ref;
    reg  [3:0]       count_ref, better_ref, count_1_ref, better_1_ref, count_2_ref, better_2_ref, place_ref;
    reg  [K:0]       gap_ref;
    reg  [CLOSE-1:0] punct_ref, eos_ref;
    reg  [CLOSE*DATA_W-1:0] data_ref;
    reg  [CLOSE_W-1:0] close_1_ref, close_2_ref;
    wire             takes   = gap_ref == 0;     // input in the gap is lost
    wire             valid   = s_valid && takes;
    wire             punct   = s_punct && takes;
    wire             eos     = s_eos && takes;
    wire             closes  = punct || eos;
    wire             better  = valid && !s_data[0] && (s_key < watched || (s_key == watched && s_data[1]));
    wire             begins  = rows[K] && !run_ref;
    wire             seen_o  = begins ? seen_1_ref : seen_2_ref;
    wire [3:0]       count_o = begins ? count_1_ref : count_2_ref;
    wire [3:0]       place_o = begins ? better_1_ref : better_2_ref;
    wire [3:0]       place   = begins ? 4'd0 : place_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        gap_ref    <= {gap_ref, closes};
        seen_ref   <= !closes && (seen_ref || (valid && s_data[0]));
        count_ref  <= closes ? 4'd0 : count_ref + (valid && count_ref != K);
        better_ref <= closes ? 4'd0 : better_ref + (better && better_ref != K);
        if (closes) begin
            seen_1_ref   <= seen_ref || (valid && s_data[0]);
            count_1_ref  <= count_ref + (valid && count_ref != K);
            better_1_ref <= better_ref + (better && better_ref != K);
            close_1_ref  <= s_close;
        end
        run_ref <= rows[K];
        if (begins) begin
            {seen_2_ref, count_2_ref, better_2_ref} <= {seen_1_ref, count_1_ref, better_1_ref};
            close_2_ref <= close_1_ref;
        end
        place_ref <= place + 1'b1;
        punct_ref <= {punct_ref, punct};
        eos_ref   <= {eos_ref, eos};
        data_ref  <= {data_ref, s_data};
        if (rst) begin
            gap_ref    <= 0;
            seen_ref   <= 1'b0;
            count_ref  <= 4'd0;
            better_ref <= 4'd0;
            run_ref    <= 1'b0;
            punct_ref  <= 0;
            eos_ref    <= 0;
        end
        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (!valid || !punct);
            assume (!valid || (s_data[0] ? s_key == watched && !s_data[1] && !seen_ref : s_data[1] != seen_ref));
            assert (left_reg == 0 ? gap_ref == 0 : gap_ref == 1 << (LEFT - left_reg));
            ref_close:   assert (m_punct == punct_ref[CLOSE-1] && m_eos == eos_ref[CLOSE-1]);
            ref_data:    assert (!m_punct || m_data == data_ref[(CLOSE-1)*DATA_W +: DATA_W]);
            ref_rows:    assert (m_valid == (rows[K] && place < count_o && place >= SKIP));
            ref_watched: assert ((m_valid && m_data[0]) == (rows[K] && seen_o && place == place_o && place >= SKIP));
            ref_of_all:  assert (!(rows[K] || m_punct || m_eos) || m_close == (begins ? close_1_ref : close_2_ref));
            cover (m_valid && m_data[0] && place == K - 1);
            cover (m_punct && $past(m_valid && m_data[0]) && s_valid);
        end
    end
`endif

endmodule

`default_nettype wire
