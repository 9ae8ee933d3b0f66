// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_rules: the rules of what passes between two levels of ws_merge_sort, for proofs.
//
// They are about two records with the key `watched`, which may be any, and about a boundary between two windows.
// `mark` is set with the watched records, bit 0 with the first and bit 1 with the second to arrive, `early` with the
// records of the windows before the boundary. The rules are asserted at an output, and assumed at an input (asserted
// where another core instantiates this one):
//
//   merge_run      a run is sorted, has at most RUN records, and ends no later than its window
//   merge_watched  the watched records pass once each, with their key, the first one first
//   merge_window   `early` falls once, after the end of a window

`default_nettype none

module ws_merge_rules #(
    parameter RUN    = 1,
    parameter KEY_W  = 2,
    parameter ASSUME = 0
) (
    input wire             clk,
    input wire             rst,
    input wire [KEY_W-1:0] watched,
    input wire             valid,
    input wire             last,
    input wire             end_,
    input wire [KEY_W-1:0] key,
    input wire [1:0]       mark,
    input wire             early,

    // what has passed before this cycle
    output reg  [7:0]       records,    // of the run that has not ended
    output reg  [KEY_W-1:0] least,      // key of the last of them
    output reg  [1:0]       seen,       // watched records
    output reg              was_end,    // the last record was that of a window
    output reg              was_early   // and before the boundary
);

    reg past_valid = 1'b0;

    wire merge_run     = !valid || ((records == 0 || key >= least) && records < RUN && (last || !end_)
                                    && (last || records != RUN - 1));
    wire merge_watched = !valid || ((mark & seen) == 0 && mark != 2'b11 && (mark == 0 || key == watched)
                                    && (!mark[1] || seen[0]));
    wire merge_window  = !valid || early == was_early || (was_early && was_end);
    wire good          = merge_run && merge_watched && merge_window;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (valid) begin
            records   <= last ? 8'd0 : records + 8'd1;
            least     <= key;
            seen      <= seen | mark;
            was_end   <= end_;
            was_early <= early;
        end
        if (rst) begin
            records   <= 8'd0;
            seen      <= 2'b00;
            was_end   <= 1'b1;
            was_early <= 1'b1;
        end
        if (past_valid && !rst) begin
            assert (records < RUN && (records == 0 || !was_end) && (seen != 2'b10));
            if (ASSUME != 0) assume (good);
            else assert (good);
        end
    end

endmodule

`default_nettype wire
