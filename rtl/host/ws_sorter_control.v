// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_control: the control of the sort machine: checks a job, and orders its passes one after the other.
//
// The first pass sorts runs of RUN records; each further one merges each K runs, until there is one. The passes write to
// the destination and to the scratch array in turn, so that the last one writes to the destination.
//
//   start ─▶ check ─▶ order ─▶ pass ─▶ (order ─▶ pass) ... ─▶ done
//              │ bad                                            ▲
//              └────────────────────────────────────────────────┘
//
// Parameters   ADDR_W   width of a byte address in bits, 1 to 64
//              COUNT_W  width of a number of records in bits, 2 to 32; a job has less than 2**COUNT_W
//              BYTES    bytes of a record, a power of two
//              ALIGN    an array begins at a multiple of ALIGN bytes, a power of two
//              RUN      records of a run, a power of two, at least 2
//              K        runs that are merged, a power of two, 2 to 64
// Ports        start     a job, whose descriptor is constant until it is done; not while busy
//              cancel    ends it
//              done      for one cycle: the job has ended; bad: its descriptor is bad, nothing has been read or written.
//                        aborted: by `cancel`
//              order_*   a pass: the arrays, records of a run, runs of each stream, see ws_run_reader; runs: those of its
//                        result. first: it sorts runs; last: its result is that of the job. They are constant during
//                        the pass
//              pass_done everything has been written
//              halt      the pass is given up, until everything is idle
//              clear     resets everything else
// Latency      from start to the first order 16 cycles, and 1 more for each pass. From pass_done to the next order 4, to
//              done 1
// Issue rate   one job at a time
// Bad input    more records than 2**COUNT_W - 1, an array that does not begin at a multiple of ALIGN or reaches beyond the
//              address space, arrays that overlap: bad. Scratch is not looked at if the job has one pass. No records: done
//              at once
// Source       ours; R. Mueller's dissertation, section 6.7.1, merges with the CPU

`default_nettype none

module ws_sorter_control #(
    parameter ADDR_W  = 32,
    parameter COUNT_W = 25,
    parameter BYTES   = 8,
    parameter ALIGN   = 8,
    parameter RUN     = 256,
    parameter K       = 16
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               start,
    input  wire               cancel,
    input  wire [63:0]        source,
    input  wire [63:0]        destination,
    input  wire [63:0]        scratch,
    input  wire [31:0]        count,
    output wire               busy,
    output reg                done,
    output reg                bad,
    output reg                aborted,

    output wire               order_valid,
    input  wire               order_ready,
    output reg  [ADDR_W-1:0]  order_from,
    output reg  [ADDR_W-1:0]  order_to,
    output wire [COUNT_W-1:0] order_count,
    output wire [COUNT_W-1:0] order_run,
    output reg  [COUNT_W-1:0] order_groups,
    output reg  [COUNT_W-1:0] order_runs,
    output reg                first,
    output reg                last,
    input  wire               pass_done,
    output reg                halt,
    input  wire               idle,
    output reg                clear
);

    localparam BYTES_W = $clog2(BYTES);
    localparam RUN_W   = $clog2(RUN);
    localparam LOG_K   = $clog2(K);

    initial if (ADDR_W < 1 || ADDR_W > 64 || COUNT_W < 2 || COUNT_W > 32 || BYTES < 1 || BYTES != 1 << BYTES_W || ALIGN < 1 || ALIGN != 1 << $clog2(ALIGN)
                || RUN < 2 || RUN != 1 << RUN_W || RUN_W >= COUNT_W || K < 2 || K > 64 || K != 1 << LOG_K) begin
        $display("ERROR: %m: ADDR_W, COUNT_W = %0d, %0d (to 64, 2 to 32), BYTES, RUN, K = %0d, %0d, %0d (powers of two)",
                 ADDR_W, COUNT_W, BYTES, RUN, K);
        $finish;
    end

    localparam END_W = ADDR_W + 1;
    localparam [COUNT_W:0] ONE = 1;

    localparam [2:0] STATE_IDLE = 3'd0, STATE_CHECK = 3'd1, STATE_COUNT = 3'd2, STATE_ORDER = 3'd3, STATE_PASS = 3'd4,
                     STATE_HALT = 3'd5, STATE_DONE = 3'd6;

    reg  [2:0]         state_reg;
    reg  [COUNT_W-1:0] count_reg;
    reg  [COUNT_W-1:0] less_reg;                // count - 1
    reg                none_reg;                // there are no records
    reg                single_reg;              // there is one run, so the job has one pass and needs no scratch
    reg                aborting_reg;

    assign busy = state_reg != STATE_IDLE;

    always @(posedge clk) begin
        less_reg   <= count_reg - 1'b1;
        none_reg   <= count == 0;
        single_reg <= less_reg >> RUN_W == 0;
    end

    // ---- The check: where each array ends, then whether two of them overlap: each begins before the other one ends.
    // Source, destination and scratch are the arrays 0, 1 and 2.
    //
    //   step        0  1  2  3  4  5  6  7  8  9  10
    //   array_reg      0  1  2  1  0  0  2  2  1         begins before the end of
    //   ends_reg                0  1  2  0  1  2         at step 4 to 9

    reg  [3:0]         step_reg;
    reg  [1:0]         pick;                    // of step + 1
    reg  [ADDR_W-1:0]  array_reg;
    reg                high_reg;                // it has an address bit from ADDR_W on
    reg  [3*END_W-1:0] ends_reg;                // of the arrays, the next one to compare with in the high bits
    wire [END_W-1:0]   end_      = {1'b0, array_reg} + {{(END_W-COUNT_W-BYTES_W){1'b0}}, count_reg, {BYTES_W{1'b0}}};
    wire [END_W-1:0]   first_end = ends_reg[2*END_W +: END_W], new_end = ends_reg[0 +: END_W];
    wire               beyond    = new_end[ADDR_W] && new_end[ADDR_W-1:0] != 0;
    wire [2:0]         high      = {scratch >> ADDR_W != 0, destination >> ADDR_W != 0, source >> ADDR_W != 0};
    reg                crooked_reg;             // the array does not begin at a multiple of ALIGN, or beyond the address space
    reg                before_reg, past_reg;    // the comparison of the last step, and of the one before
    reg                wrong_reg;

    always @* case (step_reg)
        4'd0, 4'd4, 4'd5: pick = 2'd0;
        4'd1, 4'd3, 4'd8: pick = 2'd1;
        default:          pick = 2'd2;
    endcase

    always @(posedge clk) begin
        step_reg    <= state_reg == STATE_CHECK ? step_reg + 1'b1 : 4'd0;
        array_reg   <= pick == 0 ? source[ADDR_W-1:0] : pick == 1 ? destination[ADDR_W-1:0] : scratch[ADDR_W-1:0];
        high_reg    <= high[pick];
        crooked_reg <= high_reg || (array_reg & ~({ADDR_W{1'b1}} << $clog2(ALIGN))) != 0;
        ends_reg    <= {ends_reg[0 +: 2*END_W], step_reg > 3 ? first_end : end_};
        before_reg  <= {1'b0, array_reg} < first_end;
        past_reg    <= before_reg;
        case (step_reg)
            4'd2:        wrong_reg <= beyond || crooked_reg || |(count >> COUNT_W);
            4'd3:        wrong_reg <= wrong_reg || beyond || crooked_reg;
            4'd4:        wrong_reg <= wrong_reg || (!single_reg && (beyond || crooked_reg));
            4'd6:        wrong_reg <= wrong_reg || (before_reg && past_reg);
            4'd8, 4'd10: wrong_reg <= wrong_reg || (!single_reg && before_reg && past_reg);
            default: ;
        endcase
    end

    // ---- The passes

    // Runs are counted less one: n runs are n - 1. So a merge of them is a shift.
    reg  [COUNT_W-1:0] runs_reg, counted_reg;   // that a pass merges; the same of a later one, to count the passes
    reg  [COUNT_W:0]   run_reg;
    reg                merged_reg;              // a merge is done
    reg                even_reg;                // an even number of passes follows
    reg  [2:0]         settled_reg;             // the order is ready, from a cycle to two before

    wire               order_taken = (order_valid && order_ready) || aborting_reg;     // or given up

    assign order_valid = settled_reg[2];
    assign order_count = count_reg;
    assign order_run   = first ? count_reg : run_reg[COUNT_W-1:0];

    always @(posedge clk) begin
        last         <= first ? single_reg : runs_reg >> LOG_K == 0;
        order_runs   <= (first ? runs_reg : runs_reg >> LOG_K) + 1'b1;
        order_groups <= first ? {{COUNT_W-1{1'b0}}, 1'b1} : (runs_reg >> LOG_K) + 1'b1;
        settled_reg  <= {settled_reg[1:0], 1'b1} & {3{state_reg == STATE_ORDER && !order_taken}};
        done  <= 1'b0;
        clear <= 1'b0;
        halt  <= state_reg == STATE_HALT;
        merged_reg <= state_reg == STATE_PASS && pass_done && !first;
        if (merged_reg) begin
            runs_reg <= runs_reg >> LOG_K;
            run_reg  <= run_reg << LOG_K;
        end
        if (cancel && busy) aborting_reg <= 1'b1;
        case (state_reg)
            STATE_IDLE: if (start) begin
                count_reg    <= count[COUNT_W-1:0];
                bad          <= 1'b0;
                aborted      <= 1'b0;
                aborting_reg <= 1'b0;
                state_reg    <= STATE_CHECK;
            end
            STATE_CHECK: begin
                first       <= 1'b1;
                runs_reg    <= less_reg >> RUN_W;
                counted_reg <= less_reg >> RUN_W;
                run_reg     <= ONE << RUN_W;
                even_reg    <= 1'b1;
                order_from  <= source[ADDR_W-1:0];
                if (step_reg == 4'd11) begin
                    bad       <= wrong_reg && !none_reg;
                    state_reg <= wrong_reg || none_reg ? STATE_DONE : STATE_COUNT;
                end
            end
            STATE_COUNT: begin                  // the first pass writes to where the last one does, or not
                counted_reg <= counted_reg >> LOG_K;
                if (counted_reg == 0) state_reg <= STATE_ORDER;
                else even_reg <= !even_reg;
                order_to <= even_reg ? destination[ADDR_W-1:0] : scratch[ADDR_W-1:0];
            end
            STATE_ORDER: if (order_taken) state_reg <= aborting_reg ? STATE_HALT : STATE_PASS;
            STATE_PASS:
                if (aborting_reg) state_reg <= STATE_HALT;
                else if (pass_done) begin
                    first      <= 1'b0;
                    order_from <= order_to;
                    order_to   <= even_reg ? scratch[ADDR_W-1:0] : destination[ADDR_W-1:0];
                    even_reg   <= !even_reg;
                    state_reg  <= last ? STATE_DONE : STATE_ORDER;
                end
            STATE_HALT: if (idle && halt) begin
                clear     <= 1'b1;
                aborted   <= 1'b1;
                state_reg <= STATE_DONE;
            end
            default: begin
                done      <= 1'b1;
                state_reg <= STATE_IDLE;
            end
        endcase
        if (rst) begin
            state_reg    <= STATE_IDLE;
            aborting_reg <= 1'b0;
            done         <= 1'b0;
        end
    end

endmodule

`default_nettype wire
