// SPDX-License-Identifier: Apache-2.0
//
// ws_top_rules: the rules of a link of ws_top_k, for proofs: what passes between two cells, see ws_top_cell.
//
// They are about one watched tuple, which may be any: its key is `watched`, and `mark` goes with it. `early` goes with
// the tuples that arrived before it. A tuple is better if it is before the watched one in order. The rules are asserted
// at an output, and assumed at an input (asserted where another core instantiates this one):
//
//   link_tag        the tag is one of those
//   link_mark       the watched tuple passes once, with its key, and is not early
//   link_new        new tuples pass in order of arrival; after a tuple later than the watched one, this does not
//   link_displaced  a tuple that was displaced is before all that have passed in this window
//   link_row        and so is a row; rows pass in order, before requests that no cell has taken
//
// A window ends with the first thing after its requests.

`default_nettype none

module ws_top_rules #(
    parameter KEY_W  = 2,
    parameter ASSUME = 0,
    parameter STATE  = 2*KEY_W + 12
) (
    input wire             clk,
    input wire             rst,
    input wire [KEY_W-1:0] watched,
    input wire [1:0]       tag,
    input wire             row,
    input wire [KEY_W-1:0] key,
    input wire             mark,
    input wire             early,

    output reg              run,        // a request or row was in the last cycle
    output wire             fresh,      // a window begins with this cycle
    output reg  [STATE-1:0] before,     // what has passed before this cycle, in the fields below
    output wire [STATE-1:0] after       // and after it
);

    // The fields: a tuple has passed; a request has that no cell had taken; the watched tuple has; a tuple has that came
    // after it; the least key, all ones if there is none; the number of better tuples, modulo 15 above 0. Of the window's rows: there was one; its
    // key; the watched one was; the last was better.
    wire             filled, asked, seen, late, rows, row_mark, row_better;
    wire [KEY_W:0]   least;
    wire [3:0]       better;
    wire [KEY_W-1:0] row_key;
    reg              past_valid = 1'b0;

    localparam [STATE-1:0] NOTHING = {4'b0000, {KEY_W+1{1'b1}}, {KEY_W+7{1'b0}}};

    assign fresh = run && !row;
    assign {filled, asked, seen, late, least, better, rows, row_key, row_mark, row_better} = fresh ? NOTHING : before;

    wire tuple      = !row && tag != 2'b11;
    wire leaves     = row && tag == 2'b11;
    wire is_better  = key < watched || (key == watched && early);
    wire counts     = tuple && is_better && !mark;
    wire before_all = {1'b0, key} <= least && (is_better || (better == 0 && !seen));
    wire in_order   = key >= row_key && (mark ? row_better : !row_mark || !is_better);

    assign after = {
        filled || tuple, asked || (row && !leaves), seen || (tuple && mark),
        late || (tuple && !mark && !early),
        tuple && {1'b0, key} < least ? {1'b0, key} : least,
        !counts ? better : better == 4'd15 ? 4'd1 : better + 4'd1,
        rows || leaves, leaves ? key : row_key, row_mark || (leaves && mark), leaves ? is_better : row_better
    };

    wire link_tag       = tag != 2'b10 && (!row || tag[1] == tag[0]);
    wire link_mark      = !(tuple || leaves) || !mark || (key == watched && !early && !seen && !row_mark);
    wire link_new       = tag != 2'b01 || !(mark || early) || !(seen || late);
    wire link_displaced = row || tag != 2'b00 || before_all;
    wire link_row       = !leaves || (before_all && !asked && (!rows || in_order));
    wire good           = link_tag && link_mark && link_new && link_displaced && link_row;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        run    <= row && !rst;
        before     <= rst ? NOTHING : after;
        if (past_valid && !rst) begin
            assert (run || fresh || !(asked || rows));
            assert (filled || {seen, late, ~least, better} == 0);
            assert (rows || {row_key, row_mark, row_better} == 0);
            if (ASSUME != 0) assume (good);
            else assert (good);
        end
    end

endmodule

`default_nettype wire
