// SPDX-License-Identifier: Apache-2.0
//
// ws_top_cell: one place of ws_top_k: of its tuple and of each one that comes, it keeps the first in order.
//
// What passes in a cycle has a tag and a bit `row`:
//
//     tag row
//      01  0   a new tuple: is exchanged with the cell's if its key is less, so that equals stay in order of arrival
//      00  0   a tuple that an earlier cell has displaced: always exchanged, since it is before all that follow
//      00  1   a request for a row: it takes the tuple of the cell, or passes an empty cell
//      11  1   a row; nothing exchanges it any more
//      11  0   nothing
//
// The tag is the upper part of the key, and that of an empty cell is 10, so one comparison decides.
//
// Parameters   KEY_W   width of a key in bits, at least 1
//              DATA_W  width of a tuple in bits, at least 1
// Latency      1 cycle
// Issue rate   1 tuple a cycle
// Source       ours, a linear systolic priority queue

`default_nettype none

module ws_top_cell #(
    parameter KEY_W  = 32,
    parameter DATA_W = 32
) (
    input  wire              clk,
    input  wire              rst,

    input  wire [1:0]        s_tag,
    input  wire              s_row,
    input  wire [KEY_W-1:0]  s_key,
    input  wire [DATA_W-1:0] s_data,

    output reg  [1:0]        m_tag,
    output reg               m_row,
    output reg  [KEY_W-1:0]  m_key,
    output reg  [DATA_W-1:0] m_data
`ifdef FORMAL
    , input wire [KEY_W-1:0] watched
`endif
);

    initial if (KEY_W < 1 || DATA_W < 1) begin
        $display("ERROR: %m: KEY_W = %0d, DATA_W = %0d: must be at least 1", KEY_W, DATA_W);
        $finish;
    end

    reg               full_reg;
    reg  [KEY_W-1:0]  key_reg;
    reg  [DATA_W-1:0] data_reg;
    wire              exchange;

    ws_less #(.KEY_W(KEY_W + 2)) order (
        .a   ({s_tag, s_key}),
        .b   ({!full_reg, full_reg, key_reg}),
        .less(exchange)
    );

    always @(posedge clk) begin
        {m_key, m_data} <= exchange ? {key_reg, data_reg} : {s_key, s_data};
        if (exchange) {key_reg, data_reg} <= {s_key, s_data};

        // from a full cell a row, or a tuple that is displaced; past an empty one the request, or nothing
        m_tag <= exchange ? {2{s_row == full_reg}} : s_tag;
        m_row <= s_row;
        if (exchange) full_reg <= !s_row;

        if (rst) begin  // the keys too, for simulators that know X: the tags decide
            m_tag    <= 2'b11;
            m_row    <= 1'b0;
            full_reg <= 1'b0;
            m_key    <= 0;
            key_reg  <= 0;
        end
    end

`ifdef FORMAL
    // A tuple is {early, mark} here, and the watched one's key is `watched`, see ws_top_rules. `in` is what has passed
    // the input until now, `out` what has passed the output, with what is on it now.
    localparam STATE = 2*KEY_W + 12;
    wire             run, fresh, in_filled, in_asked, in_seen, in_late;
    wire             out_filled, out_asked, out_seen, out_late;
    wire [STATE-1:0] in, in_after, out, out_before;
    wire [KEY_W:0]   in_least, out_least;
    wire [3:0]       in_better, out_better;
    wire [KEY_W+2:0] in_rows, out_rows;
    reg              past_valid = 1'b0;

    assign {in_filled, in_asked, in_seen, in_late, in_least, in_better, in_rows}       = in;
    assign {out_filled, out_asked, out_seen, out_late, out_least, out_better, out_rows} = out;

    ws_top_rules #(.KEY_W(KEY_W), .ASSUME(1)) in_rules (
        .clk(clk), .rst(rst), .watched(watched), .tag(s_tag), .row(s_row), .key(s_key), .mark(s_data[0]),
        .early(s_data[1]), .run(run), .fresh(fresh), .before(in), .after(in_after)
    );
    ws_top_rules #(.KEY_W(KEY_W)) out_rules (
        .clk(clk), .rst(rst), .watched(watched), .tag(m_tag), .row(m_row), .key(m_key), .mark(m_data[0]),
        .early(m_data[1]), .run(), .fresh(), .before(out_before), .after(out)
    );

    wire marked = full_reg && data_reg[0];
    wire better = full_reg && !data_reg[0] && (key_reg < watched || (key_reg == watched && data_reg[1]));

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (watched == $past(watched));
            assume (!fresh || !full_reg);     // a window has as many requests as there are cells
            assert (run == m_row && full_reg == (in_filled && !in_asked));
            if (!in_asked) begin
                assert (out_seen == (in_seen && !marked));
                assert (out_better == in_better - better || (better && in_better == 1 && out_better == 15));
                assert (!out_asked && out_rows == in_rows && in_late >= out_late && in_filled >= out_filled);
            end
            if (full_reg) begin
                assert ({1'b0, key_reg} == in_least && {1'b0, key_reg} <= out_least);
                assert (!marked || (key_reg == watched && !data_reg[1] && in_seen));
                assert (better == (in_better != 0));
                assert (!in_seen || marked || better);
                assert (data_reg[1:0] != 0 || in_late);
            end
            cover (m_row && m_tag == 2'b11 && m_data[0] && $past(marked));
            cover (!m_row && m_tag == 2'b00 && m_data[0]);
        end
    end
`endif

endmodule

`default_nettype wire
