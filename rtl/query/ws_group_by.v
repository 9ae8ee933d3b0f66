// SPDX-License-Identifier: Apache-2.0
//
// ws_group_by: grouped aggregation over the windows of a stream, with one key table for all of them; one tuple a cycle,
// even if every tuple is a new group.
//
// It follows ws_window in place of the copies of a sub-plan: s_valid and s_eos have a bit for each window. When a
// window ends, a row leaves for each of its groups, in the order of their first tuples: m_data is s_data of the cycle
// of eos, together with the key and the aggregates. m_eos follows the last row, with the punctuation if one came with
// eos. A punctuation without eos is dropped.
//
// Groups that outgrow the table: a tuple whose key has no entry leaves whole on o_*, a tuple bus of its own that also
// carries every punctuation of s. From then on no new key gets an entry while a window is open that had such a tuple.
// So for every window a key is either wholly in the rows or wholly in o_*, and a host can complete the result exactly.
// If windows overlap, the table accepts new keys again once no tuple has left on o_* for the length of a window.
//
// Parameters   DATA_W                width of the tuple in bits, at least 1
//              KEY_W                 width of a key in bits, at least 1
//              CAPACITY              keys for which there is an entry, at least 2; of the open windows and the one
//                                    being output together; a CAM has up to 240
//              WINDOWS               windows at once, at least 1; those open, and the one being output
//              AGGS, KINDS, SIGNEDS  see ws_group_window
//              VALUE_W               see ws_fold; with FAST at least 2 for all but CNT and SUM
//              ACC_W                 width of the accumulators in bits, at least VALUE_W; see ws_fold; with FAST at
//                                    least 2
//              RESULT_W              see ws_fold
//              COUNT_W               width of a count in bits, 1 to ACC_W; 40 bits last for an hour; with FAST or
//                                    HASH at least 2
//              FAST                  0: few cycles; 1: more and shorter ones, for a clock above 200 MHz on an ECP5; the
//                                    hash table always has the latter
//              DISJOINT              0: windows may overlap; 1: none does, each tuple is in at most one; all of them then
//                                    share one table of states in block RAM. For FAST, HASH and DIRECT = 0
//              HASH                  0: a CAM, for up to 240 keys whatever they are; it has ENTRIES = CAPACITY + 10,
//                                    since an entry takes 10 cycles to become free; 1: a hash table in block RAM,
//                                    ENTRIES = 2 * CAPACITY up to a power of two, for 5 keys or more; when it is nearly
//                                    full, a few keys are refused (ws_group_hash)
//              DIRECT                0: a key may have any entry; 1: a key is the number of its entry, ENTRIES = CAPACITY =
//                                    2**KEY_W, and none is refused; for FAST, HASH and DISJOINT = 0
// Ports        key, values, nulls: in step with s_data; the first aggregate in the most significant bits
//              m_key, results, result_nulls, result_overflows: in step with m_valid
//              m_short: in step with m_valid and m_eos; a tuple of the window has left on o_*
// Latency      5 cycles from eos to the first row, 6 if a tuple came with eos (or to m_eos, if the window is empty)
//              3 cycles from s to o; DISJOINT: 9 and 10 from eos; FAST: 22 from eos, with a tuple or without, and 8 from
//              s to o; with the hash table 25 and 11, DIRECT: 18 and 4
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES ENTRIES + 6, DISJOINT: ENTRIES + 10, FAST: ENTRIES + 22, with the hash table ENTRIES + 25,
//              DIRECT: ENTRIES + 18
// CLOSE_ROWS   ENTRIES
// Reset        the hash table is cleared: the first tuple comes at least ENTRIES / 8 + 2 cycles later; DIRECT: at least
//              ENTRIES + 2 cycles later
// Bad input    two eos, or an eos and the next tuple of that window, closer than CLOSE_CYCLES: must not happen
// Overflow     o_valid for a tuple without an entry; result_overflows as in ws_fold
// Source       R. Mueller, dissertation ETH 19163 (2010), sections 7.3.7 and 7.5.4; there a new group takes 16 cycles

`default_nettype none

module ws_group_by #(
    parameter                DATA_W   = 64,
    parameter                KEY_W    = 32,
    parameter                CAPACITY = 64,
    parameter                WINDOWS  = 2,
    parameter                AGGS     = 2,
    parameter [24*AGGS-1:0]  KINDS    = "SUMCNT",
    parameter [AGGS-1:0]     SIGNEDS  = 2'b10,
    parameter                VALUE_W  = 32,
    parameter                ACC_W    = 64,
    parameter                RESULT_W = 64,
    parameter                COUNT_W  = ACC_W < 40 ? ACC_W : 40,
    parameter                FAST     = 0,
    parameter                HASH     = CAPACITY > 240,
    parameter                DISJOINT = 0,
    parameter                DIRECT   = 0
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire [WINDOWS-1:0]       s_valid,
    input  wire                     s_punct,
    input  wire [WINDOWS-1:0]       s_eos,
    input  wire [DATA_W-1:0]        s_data,
    input  wire [KEY_W-1:0]         key,
    input  wire [AGGS*VALUE_W-1:0]  values,
    input  wire [AGGS-1:0]          nulls,

    output reg                      m_valid,
    output reg                      m_punct,
    output reg                      m_eos,
    output wire                     m_short,
    output wire [DATA_W-1:0]        m_data,
    output reg  [KEY_W-1:0]         m_key,
    output reg  [AGGS*RESULT_W-1:0] results,
    output reg  [AGGS-1:0]          result_nulls,
    output reg  [AGGS-1:0]          result_overflows,

    output wire                     o_valid,
    output wire                     o_punct,
    output wire                     o_eos,
    output wire [DATA_W-1:0]        o_data
);

    initial if (HASH != 0 && HASH != 1) begin
        $display("ERROR: %m: HASH = %0d (0 or 1)", HASH);
        $finish;
    end

    localparam LONG    = FAST != 0 || HASH != 0 || DIRECT != 0;     // the version with more and shorter stages
    localparam ENTRIES = HASH != 0 ? 1 << $clog2(2*CAPACITY) : DIRECT != 0 ? CAPACITY : CAPACITY + 10;
    localparam INDEX_W = $clog2(ENTRIES);
    localparam STATE_W = AGGS*(ACC_W + 2);
    localparam TABLE   = HASH != 0 ? 2 : DIRECT != 0 ? 3 : FAST != 0 ? 1 : 0;          // see ws_group_keys
    localparam LOOK_UP = TABLE == 3 ? 4 : TABLE == 2 ? 11 : TABLE == 1 ? 8 : 3;        // cycles
    localparam VALUES  = LONG ? 3 : DISJOINT != 0 ? 2 : 1;       // cycles from a tuple's entry to its values

    initial begin
        if (CAPACITY < 2 || (CAPACITY > 240 && HASH == 0 && DIRECT == 0) || AGGS < 1) begin
            $display("ERROR: %m: CAPACITY = %0d (2 to 240, more with HASH or DIRECT), AGGS = %0d (at least 1)", CAPACITY, AGGS);
            $finish;
        end
        if (FAST < 0 || FAST > 1 || ACC_W < VALUE_W || ACC_W < 1 + LONG) begin
            $display("ERROR: %m: FAST = %0d (0 or 1), ACC_W = %0d (at least VALUE_W = %0d, and at least 2 if fast)",
                     FAST, ACC_W, VALUE_W);
            $finish;
        end
        if (DIRECT != 0 && (DIRECT != 1 || CAPACITY != 1 << KEY_W || FAST != 0 || HASH != 0)) begin
            $display("ERROR: %m: DIRECT = %0d (0 or 1, 0 with FAST or HASH), CAPACITY = %0d (2**KEY_W with DIRECT = 1)",
                     DIRECT, CAPACITY);
            $finish;
        end
        if (DISJOINT < 0 || DISJOINT > !LONG) begin
            $display("ERROR: %m: DISJOINT = %0d (0 or 1, 0 with FAST, HASH or DIRECT)", DISJOINT);
            $finish;
        end
        if (COUNT_W < 1 + LONG || COUNT_W > ACC_W) begin
            $display("ERROR: %m: COUNT_W = %0d (1 to ACC_W, and at least 2 if fast)", COUNT_W);
            $finish;
        end
    end

    // ---- The tuple's entry, and its values in step with it

    wire [WINDOWS-1:0] entered, fresh, freed;
    wire [INDEX_W-1:0] index, row_index;
    wire [KEY_W-1:0]   row_key;
    wire [INDEX_W-1:0] freed_index;

    ws_group_keys #(
        .DATA_W(DATA_W), .KEY_W(KEY_W), .ENTRIES(ENTRIES), .WINDOWS(WINDOWS), .TABLE(TABLE)
    ) keys (
        .clk(clk), .rst(rst),
        .s_windows(s_valid), .s_punct(s_punct), .s_eos(s_eos), .s_data(s_data), .key(key),
        .m_windows(entered), .m_fresh(fresh), .m_index(index),
        .o_valid(o_valid), .o_punct(o_punct), .o_eos(o_eos), .o_short(m_short), .o_data(o_data),
        .free_windows(freed), .free_index(freed_index),
        .read_index(row_index), .read_key(row_key)
    );

    wire [AGGS*VALUE_W-1:0] window_values;
    wire [AGGS-1:0]         window_nulls;

    ws_shift #(.DATA_W(AGGS*(VALUE_W + 1)), .N(LOOK_UP + VALUES)) operands (
        .clk(clk), .s_data({values, nulls}), .m_data({window_values, window_nulls})
    );

    reg [DATA_W-1:0] data_reg;
    reg              punct_reg;

    assign m_data = data_reg;

    always @(posedge clk)
        if (s_eos != 0) begin
            data_reg  <= s_data;
            punct_reg <= s_punct;
        end

    // ---- The windows, one of which outputs its rows

    wire [WINDOWS-1:0] close;
    wire [STATE_W-1:0] states;
    wire               some_row, some_done;

    genvar w, a;
    generate
        if (DISJOINT != 0) begin : gen_disjoint
            reg [INDEX_W-1:0] row_index_reg;

            ws_group_disjoint #(
                .CAPACITY(ENTRIES), .WINDOWS(WINDOWS), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS),
                .VALUE_W(VALUE_W), .ACC_W(ACC_W), .COUNT_W(COUNT_W)
            ) windows (
                .clk(clk), .rst(rst),
                .s_windows(entered), .s_fresh((entered & fresh) != 0), .s_index(index),
                .values(window_values), .nulls(window_nulls), .s_close(close),
                .list_windows(freed), .list_index(freed_index),
                .m_valid(some_row), .m_done(some_done), .m_states(states)
            );

            // The key is read in one cycle, and leaves with the states, which take two.
            assign row_index = row_index_reg;

            always @(posedge clk) row_index_reg <= freed_index;
        end else begin : gen_overlapping
            wire [WINDOWS-1:0]         listing, row, done;
            wire [WINDOWS*INDEX_W-1:0] list_indices;
            wire [WINDOWS*STATE_W-1:0] window_states;

            for (w = 0; w < WINDOWS; w = w + 1) begin : gen_window
                if (LONG) begin : gen_fast
                    ws_group_window_fast #(
                        .CAPACITY(ENTRIES), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS),
                        .VALUE_W(VALUE_W), .ACC_W(ACC_W), .COUNT_W(COUNT_W)
                    ) window (
                        .clk(clk), .rst(rst),
                        .s_valid(entered[w]), .s_fresh(fresh[w]), .s_index(index),
                        .values(window_values), .nulls(window_nulls), .s_close(close[w]),
                        .list_valid(listing[w]), .list_index(list_indices[w*INDEX_W +: INDEX_W]),
                        .m_valid(row[w]), .m_done(done[w]), .m_states(window_states[w*STATE_W +: STATE_W])
                    );
                end else begin : gen_short
                    ws_group_window #(
                        .CAPACITY(ENTRIES), .AGGS(AGGS), .KINDS(KINDS), .SIGNEDS(SIGNEDS),
                        .VALUE_W(VALUE_W), .ACC_W(ACC_W), .COUNT_W(COUNT_W), .RESULT_W(RESULT_W)
                    ) window (
                        .clk(clk), .rst(rst),
                        .s_valid(entered[w]), .s_fresh(fresh[w]), .s_index(index),
                        .values(window_values), .nulls(window_nulls), .s_close(close[w]),
                        .list_valid(listing[w]), .list_index(list_indices[w*INDEX_W +: INDEX_W]),
                        .m_valid(row[w]), .m_done(done[w]), .m_states(window_states[w*STATE_W +: STATE_W])
                    );
                end
            end

            if (LONG) begin : gen_pipelined
                // Rows take two cycles to be merged from all windows, and so do their entries, whose keys are read three
                // cycles later to leave with them.
                reg  [3*INDEX_W-1:0] row_index_reg;
                reg  [1:0]           done_reg;
                wire [WINDOWS-1:0]   rows;

                ws_group_merge #(.WINDOWS(WINDOWS), .DATA_W(INDEX_W)) indices (
                    .clk(clk), .rst(rst),
                    .s_valid(listing), .s_data(list_indices), .m_valid(freed), .m_data(freed_index)
                );

                ws_group_merge #(.WINDOWS(WINDOWS), .DATA_W(STATE_W)) all_states (
                    .clk(clk), .rst(rst),
                    .s_valid(row), .s_data(window_states), .m_valid(rows), .m_data(states)
                );

                assign row_index = row_index_reg[2*INDEX_W +: INDEX_W];
                assign some_row  = rows != 0;
                assign some_done = done_reg[1];

                always @(posedge clk) begin
                    row_index_reg <= {row_index_reg[0 +: 2*INDEX_W], freed_index};
                    done_reg      <= rst ? 2'b0 : {done_reg[0], done != 0};
                end
            end else begin : gen_at_once
                reg  [INDEX_W-1:0] freed_index_reg, index_of_row;
                reg  [STATE_W-1:0] states_of_row;
                integer            n;

                always @* begin
                    index_of_row  = {INDEX_W{1'b0}};
                    states_of_row = {STATE_W{1'b0}};
                    for (n = 0; n < WINDOWS; n = n + 1) begin
                        if (listing[n]) index_of_row = index_of_row | list_indices[n*INDEX_W +: INDEX_W];
                        if (row[n]) states_of_row = states_of_row | window_states[n*STATE_W +: STATE_W];
                    end
                end

                always @(posedge clk) freed_index_reg <= row_index;

                assign row_index   = index_of_row;
                assign states      = states_of_row;
                assign freed       = row;
                assign freed_index = freed_index_reg;
                assign some_row    = row != 0;
                assign some_done   = done != 0;
            end
        end
    endgenerate

    // ---- The end of a window reaches it with the last tuple

    generate
        if (LONG) begin : gen_close_later
            reg  [WINDOWS*LOOK_UP-1:0] eos_reg;
            wire [WINDOWS*LOOK_UP-1:0] eos = {eos_reg[0 +: WINDOWS*(LOOK_UP-1)], s_eos};

            assign close = eos_reg[WINDOWS*(LOOK_UP-1) +: WINDOWS];

            always @(posedge clk) eos_reg <= rst ? {WINDOWS*LOOK_UP{1'b0}} : eos;
        end else begin : gen_close_soon
            // The last tuple came a cycle before eos or with it.
            reg [WINDOWS-1:0] eos_reg, late_reg, close_reg;
            reg               with_tuple_reg;

            assign close = close_reg;

            always @(posedge clk) begin
                eos_reg        <= rst ? {WINDOWS{1'b0}} : s_eos;
                with_tuple_reg <= s_valid != 0;
                late_reg       <= rst || !with_tuple_reg ? {WINDOWS{1'b0}} : eos_reg;
                close_reg      <= rst ? {WINDOWS{1'b0}} : late_reg | (with_tuple_reg ? {WINDOWS{1'b0}} : eos_reg);
            end
        end
    endgenerate

    // ---- Output registers

    always @(posedge clk) begin
        m_valid <= some_row && !rst;
        m_eos   <= some_done && !rst;
        m_punct <= some_done && punct_reg && !rst;
        m_key   <= row_key;
    end

    generate
        for (a = 0; a < AGGS; a = a + 1) begin : gen_result
            localparam [23:0] KIND     = KINDS[a*24 +: 24];
            localparam        NUMBER_W = KIND == "CNT" ? COUNT_W : KIND == "SUM" ? ACC_W : VALUE_W;
            wire [NUMBER_W+1:0] next;
            wire [RESULT_W-1:0] result;
            wire                null, overflow;
            wire                unused_next = &{1'b0, next, states[a*(ACC_W+2) +: ACC_W+2]};

            ws_fold #(.KIND(KIND), .VALUE_W(VALUE_W), .SIGNED(SIGNEDS[a]), .ACC_W(NUMBER_W), .RESULT_W(RESULT_W)) tell (
                .state(states[a*(ACC_W+2) +: NUMBER_W+2]), .fresh(1'b0), .take(1'b0), .value({VALUE_W{1'b0}}),
                .next(next), .result(result), .null(null), .overflow(overflow)
            );

            always @(posedge clk) begin
                results[a*RESULT_W +: RESULT_W] <= result;
                result_nulls[a]                 <= null;
                result_overflows[a]             <= overflow;
            end
        end
    endgenerate

`ifdef FORMAL
    // The tuples of any one key in window 0, which are counted (a proof takes KINDS = "CNT"), and the key's row.
    // With DISJOINT the other windows have tuples at any time, but do not end.
    localparam CLOSE_CYCLES = FAST != 0 ? CAPACITY + 32 : DISJOINT != 0 ? CAPACITY + 20 : CAPACITY + 16;
    (* anyconst *) wire [KEY_W-1:0] key_ref;
    reg              past_valid = 1'b0;
    reg  [ACC_W-1:0] count_ref, due_ref;   // in the open window, in the one being output
    reg              some_ref, row_due_ref, row_seen_ref, with_ref, punct_ref, open_ref;
    reg  [7:0]       since_ref, rows_ref;  // cycles since eos, rows since
    reg  [DATA_W-1:0] data_ref;
    wire             mine  = s_valid[0] && key == key_ref;
    wire [ACC_W-1:0] count = count_ref + (mine && !nulls[0]);
    wire [7:0]       first_ref = FAST != 0 ? 22 : (DISJOINT != 0 ? 9 : 5) + with_ref;    // cycles from eos to the first row

    always @(posedge clk) begin
        past_valid <= 1'b1;
        count_ref  <= s_eos[0] ? 0 : count;
        some_ref   <= !s_eos[0] && (some_ref || mine);
        since_ref  <= s_eos[0] ? 1 : since_ref + (since_ref != 255);
        rows_ref   <= s_eos[0] ? 0 : rows_ref + m_valid;
        if (m_valid && m_key == key_ref) row_seen_ref <= 1'b1;
        if (m_eos) open_ref <= 1'b0;
        if (s_eos[0]) begin
            due_ref      <= count;
            row_due_ref  <= some_ref || mine;
            row_seen_ref <= 1'b0;
            with_ref     <= s_valid != 0;
            punct_ref    <= s_punct;
            data_ref     <= s_data;
            open_ref     <= 1'b1;
        end
        if (rst) begin
            count_ref <= 0; some_ref <= 1'b0; since_ref <= CLOSE_CYCLES; open_ref <= 1'b0;
        end

        if (!past_valid) assume (rst);
        else begin
            if (since_ref < CLOSE_CYCLES) assume (!s_valid[0] && s_eos == 0);
            assume ((s_valid & (s_valid - 1'b1)) == 0 && s_eos <= 1);
            assume (!(s_punct && s_valid != 0));

            // a row in every cycle from the first, then the end with its punctuation
            ref_rows: assert ((m_valid || m_eos) == (open_ref && since_ref == first_ref + rows_ref));
            ref_end:  assert (!(m_valid && m_eos) && m_punct == (m_eos && punct_ref));
            if (m_valid || m_eos) ref_data: assert (m_data == data_ref);
            // one row for every group, with its tuples
            if (m_valid && m_key == key_ref) ref_row: assert (row_due_ref && !row_seen_ref && results == due_ref);
            if (m_eos) ref_all: assert (row_seen_ref == row_due_ref);
            // no key is refused while keys fit; punctuations are with the refused tuples
            ref_none: assert (!o_valid || CAPACITY < 1 << KEY_W);
            if (runs_ref == {LOOK_UP{1'b1}})
                ref_punct: assert (o_punct == $past(s_punct, LOOK_UP) && o_data == $past(s_data, LOOK_UP));
        end
        cover (past_valid && m_valid && m_key == key_ref && results == 3);
        cover (past_valid && m_eos && m_punct && rows_ref == 2);
        cover (past_valid && m_eos && rows_ref == 0);
        cover (past_valid && m_valid && with_ref);
    end
    reg [LOOK_UP-1:0] runs_ref;
    always @(posedge clk) runs_ref <= rst ? 0 : {runs_ref, 1'b1};
`endif

endmodule

`default_nettype wire
