// SPDX-License-Identifier: Apache-2.0
//
// ws_host_irq: the interrupt of a host port: three sources with a mask; that of the rows is moderated by a number of
// rows and by a time.
//
// A source is pending until the host acknowledges it. Rows become pending when `count` of them are fresh, or `timer`
// cycles after the first one was. Fresh are, with `level` low, the rows since the last acknowledgement: the host
// acknowledges, then reads the head. With `level` high they are all rows that wait, so that the interrupt comes again
// until the host has read them.
//
// Parameters   TIMER_W  width of the timer in bits, 1 to 32
// Ports        rows         a number that rises by 1 with each row, modulo 2**32; with `level` high: how many wait
//              restart      rows is 0 again
//              request, error   an event of the sources 1 and 2
//              acknowledge  one bit a source: it is no longer pending, unless it occurs again in this cycle
//              count        at least this many fresh rows; 0 counts as 1. timer: at the latest so many cycles after the
//                           first; 0 is no limit
//              irq          a source is pending and in the mask
// Latency      3 cycles from `rows` to irq, with count 1; 2 from request or error, 1 from the mask. With the timer, 3
//              plus `timer`
// Issue rate   any
// Overflow     cannot happen: a source that is pending stays so
// Bad input    none
// Source       ours

`default_nettype none

module ws_host_irq #(
    parameter TIMER_W = 32
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [31:0]        rows,
    input  wire               level,
    input  wire               restart,
    input  wire               request,
    input  wire               error,

    input  wire [2:0]         acknowledge,
    input  wire [2:0]         mask,
    input  wire [15:0]        count,
    input  wire [TIMER_W-1:0] timer,

    output reg  [2:0]         pending,
    output reg                irq
);

    initial if (TIMER_W < 1 || TIMER_W > 32) begin
        $display("ERROR: %m: TIMER_W = %0d (1 to 32)", TIMER_W);
        $finish;
    end

    reg  [31:0]        base_reg, fresh_reg;         // rows at the last acknowledgement; fresh ones
    reg  [TIMER_W-1:0] age_reg;                     // cycles since the first one
    wire               some  = fresh_reg != 0;
    wire               many  = fresh_reg >= {16'd0, count};
    wire               late  = timer != 0 && age_reg >= timer;
    wire               clear = acknowledge[0] || restart;

    always @(posedge clk) begin
        fresh_reg <= rows - (level ? 32'd0 : base_reg);
        age_reg   <= !some || pending[0] ? {TIMER_W{1'b0}} : age_reg + {{(TIMER_W-1){1'b0}}, !(&age_reg)};
        pending   <= {error, request, some && (many || late)} | (pending & ~acknowledge);
        irq       <= (pending & mask) != 0;
        if (clear) begin
            base_reg   <= restart ? 32'd0 : rows;
            fresh_reg  <= 32'd0;
            age_reg    <= {TIMER_W{1'b0}};
            pending[0] <= 1'b0;
        end
        if (rst) begin
            base_reg  <= 32'd0;
            fresh_reg <= 32'd0;
            age_reg   <= {TIMER_W{1'b0}};
            pending   <= 3'b000;
            irq       <= 1'b0;
        end
    end

`ifdef FORMAL
    // Rows are counted, up to a limit, as they come; `rows` rises by at most 3 in a cycle
    reg               past_valid = 1'b0;
    reg  [31:0]       row_ref;                      // rows in the last cycle, that are fresh
    reg  [31:0]       last_ref;
    reg  [TIMER_W:0]  age_ref;                      // cycles for which some were
    wire [31:0]       more_ref = rows - last_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        last_ref   <= clear && restart ? 32'd0 : rows;
        row_ref    <= level ? rows : row_ref + more_ref;
        age_ref    <= row_ref == 0 || pending[0] ? 0 : age_ref + !(&age_ref);
        if (clear) {row_ref, age_ref} <= 0;
        if (rst) {row_ref, age_ref, last_ref} <= 0;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst && $stable(level) && $stable(count) && $stable(timer));
            assume (!restart);
            assume ($past(rst) ? rows == 0 : level ? rows < 8 : more_ref < 4);

            // pending as soon as there are so many, or so late; and never without a row
            if (!$past(rst)) begin
                assert (pending[0] == ($past(pending[0] && !clear) || ($past(!clear && row_ref != 0
                        && (row_ref >= count || (timer != 0 && age_ref >= timer))))));
                assert (pending[1] == $past(request || (pending[1] && !acknowledge[1])));
                assert (pending[2] == $past(error || (pending[2] && !acknowledge[2])));
                assert (irq == $past((pending & mask) != 0));
            end else assert (pending == 0 && !irq);
            // invariants for the induction
            assert (row_ref == fresh_reg);
            assert (last_ref - (level ? 0 : base_reg) == row_ref || level || $past(clear));
            if (!level) assert (base_reg + row_ref == last_ref);
            assert (age_ref == age_reg || (&age_reg && age_ref >= age_reg));
        end
        cover (past_valid && pending[0] && count == 3 && fresh_reg == 3 && !$past(pending[0]));
        cover (past_valid && pending[0] && count == 9 && timer == 3 && fresh_reg == 1 && !$past(pending[0]));
        cover (past_valid && irq && mask == 4 && $past(error, 2));
    end
`endif

endmodule

`default_nettype wire
