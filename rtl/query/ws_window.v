// SPDX-License-Identifier: Apache-2.0
//
// ws_window: control of the windowing operator, for a sub-plan that is replicated for each open window.
//
// All copies share m_data; m_valid says which of them take the tuple, m_eos whose window ends. Windows use the copies
// round-robin: window i is in copy i modulo COPIES. The closing copy, one-hot in m_eos, then outputs its rows: they are
// merged by ws_multiplex, if each copy is done before the next closes, otherwise by ws_union.
//
// UNIT "TUPLES": window i holds the tuples i*ADVANCE ... i*ADVANCE + SIZE - 1 and ends with the last of them. Tuples
//   between windows (ADVANCE above SIZE) are dropped. A punctuation goes to the copy that closes next.
// UNIT "TIME": window i is [start + i*ADVANCE, start + i*ADVANCE + SIZE) of the windowing attribute and ends with the
//   punctuation that reaches its end, which goes to that copy with eos; other punctuations are dropped. Tuples may be
//   up to SLACK out of order. Requirements on the stream (met by ws_punctuator): the first punctuation after reset
//   is `start`; every end of a window that may hold a tuple has its own punctuation; a punctuation above that is the
//   end of some window; a tuple is not below the latest punctuation and not SLACK or more above the end of the oldest
//   open window. s_data of a punctuation holds `wattr` where the sub-plan needs the window's end.
//
// Parameters   DATA_W      width of the tuple in bits, at least 1
//              UNIT        what windows count, "TUPLES" or "TIME"
//              SIZE        length of a window, in tuples or in units of the windowing attribute, at least 1
//              ADVANCE     distance between the starts of two windows, in the same, at least 1
//              SLACK       how late a tuple may be, in units of the windowing attribute, at least 0; TIME only
//              WATTR_W     width of the windowing attribute in bits, at least 1; it is not negative
//              COPIES      sub-plans, at least 1; TUPLES: at least SIZE / ADVANCE, TIME: at least (SIZE + SLACK) /
//                          ADVANCE, rounded up. With one more, a closing copy takes no tuple until another has
//                          closed
//              REGISTERED  1: outputs are registers; 0: combinational; 2: registers at the inputs too, for a clock of
//                          200 MHz on an ECP5
// Ports        wattr: the windowing attribute, in step with s_data; ignored for TUPLES
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// CLOSE_CYCLES 1, with REGISTERED = 2 TIME: 2    CLOSE_ROWS 0
// Source       R. Mueller, dissertation ETH 19163 (2010), figure 7.5; tuples out of order: Oge et al., MCSoC 2013

`default_nettype none

module ws_window #(
    parameter        DATA_W     = 128,
    parameter [47:0] UNIT       = "TUPLES",
    parameter        SIZE       = 4,
    parameter        ADVANCE    = 1,
    parameter        SLACK      = 0,
    parameter        WATTR_W    = 32,
    parameter        COPIES     = 4,
    parameter        REGISTERED = 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [WATTR_W-1:0] wattr,

    output wire [COPIES-1:0]  m_valid,
    output wire [COPIES-1:0]  m_punct,
    output wire [COPIES-1:0]  m_eos,
    output wire [DATA_W-1:0]  m_data,
    output wire [WATTR_W-1:0] m_end       // TIME: the end of the oldest open window; of a punctuation itself
);

    initial if (DATA_W < 1 || WATTR_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d, WATTR_W = %0d (at least 1)", DATA_W, WATTR_W);
        $finish;
    end

    localparam IN_TIME = UNIT == "TIME";
    // In 64 bits, so that no sum wraps: a parameter is only as wide as its value.
    localparam signed [63:0] L_SIZE    = SIZE;
    localparam signed [63:0] L_ADVANCE = ADVANCE;
    localparam signed [63:0] L_COPIES  = COPIES;
    localparam signed [63:0] L_SLACK   = SLACK;
    // most windows open at a time
    localparam signed [63:0] OPEN = (L_SIZE + (IN_TIME ? L_SLACK : 64'sd0) + L_ADVANCE - 64'sd1) / L_ADVANCE;
    localparam [WATTR_W:0] LENGTH = L_SIZE;

    initial begin
        if (!IN_TIME && UNIT != "TUPLES") begin
            $display("ERROR: %m: UNIT = \"%0s\", must be TUPLES or TIME", UNIT);
            $finish;
        end
        if (L_SIZE < 1 || L_ADVANCE < 1 || L_SLACK < 0 || L_COPIES < OPEN) begin
            $display("ERROR: %m: SIZE and ADVANCE must be at least 1, SLACK at least 0, COPIES at least %0d", OPEN);
            $finish;
        end
        if (REGISTERED < 0 || REGISTERED > 2) begin
            $display("ERROR: %m: REGISTERED = %0d, must be 0 to 2", REGISTERED);
            $finish;
        end
    end

    // ---- With REGISTERED = 2, a stage in which the attribute is compared with the end of the oldest window

    wire               reaches;                       // the attribute on the ports reaches it, or is the first
    wire               is_tuple, is_punct, moves;     // after the stage
    wire [DATA_W-1:0]  data;
    wire [WATTR_W-1:0] attribute;
    wire [WATTR_W:0]   less;                          // the attribute less SIZE
    wire               unused = &{1'b0, s_eos, less};

    ws_delay #(.DATA_W(DATA_W + 2*WATTR_W + 1), .N(REGISTERED > 1 ? 1 : 0)) front (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_punct(s_punct), .s_eos(s_punct && reaches),
        .s_data({s_data, wattr, {1'b0, wattr} - LENGTH}),
        .m_valid(is_tuple), .m_punct(is_punct), .m_eos(moves), .m_data({data, attribute, less})
    );

    // ---- The windows

    // The copy with the oldest open window, which is the next to close: CSR2 of the dissertation.
    reg  [COPIES-1:0]   oldest_reg;
    wire [COPIES-1:0]   holds;     // the copies whose windows hold the tuple
    wire                closes;    // the tuple or the punctuation ends the oldest window
    wire                passes;    // a punctuation goes to the oldest window's copy
    wire [WATTR_W-1:0]  oldest_end;

    wire [COPIES-1:0]   valid = is_tuple ? holds : {COPIES{1'b0}};
    wire [COPIES-1:0]   punct = is_punct && passes ? oldest_reg : {COPIES{1'b0}};
    wire [COPIES-1:0]   eos   = closes ? oldest_reg : {COPIES{1'b0}};

    always @(posedge clk) begin
        if (closes) oldest_reg <= (oldest_reg << 1) | (oldest_reg >> (COPIES - 1));
        if (rst) oldest_reg <= {{(COPIES-1){1'b0}}, 1'b1};
    end

    generate
        if (!IN_TIME) begin : gen_tuples
            // Tuples until the next window begins and until the oldest ends, not counting the current one.
            localparam LEFT_W = $clog2(L_SIZE > L_ADVANCE ? L_SIZE : L_ADVANCE) + 1;
            localparam [LEFT_W-1:0] FIRST_END = L_SIZE - 64'sd1, LATER = L_ADVANCE - 64'sd1;
            reg  [LEFT_W-1:0]   to_begin_reg, to_end_reg;
            reg  [COPIES-1:0]   open_reg;    // CSR1
            reg  [COPIES-1:0]   next_reg;    // the copy that takes the next window
            wire                begins = to_begin_reg == 0;
            wire                unused_attribute = &{1'b0, attribute, moves};

            assign holds  = open_reg | (begins ? next_reg : {COPIES{1'b0}});
            assign closes = is_tuple && to_end_reg == 0;
            assign passes = 1'b1;
            assign reaches = 1'b0;
            assign oldest_end = {WATTR_W{1'b0}};

            always @(posedge clk) begin
                if (is_tuple) begin
                    to_begin_reg <= begins ? LATER : to_begin_reg - 1'b1;
                    to_end_reg   <= closes ? LATER : to_end_reg - 1'b1;
                    open_reg     <= holds & ~eos;
                    if (begins) next_reg <= (next_reg << 1) | (next_reg >> (COPIES - 1));
                end
                if (rst) begin
                    to_begin_reg <= {LEFT_W{1'b0}};
                    to_end_reg   <= FIRST_END;
                    open_reg     <= {COPIES{1'b0}};
                    next_reg     <= {{(COPIES-1){1'b0}}, 1'b1};
                end
            end
        end else begin : gen_time
            // A tuple is close enough to any open window for the low bits to give its distance from the begin; after
            // a stage from its end too, with signs, which takes one comparison and not two in a row.
            localparam STAGED = REGISTERED > 1;
            localparam LOW_W  = $clog2(L_COPIES*L_ADVANCE + L_SIZE + L_SLACK) + STAGED;
            localparam [WATTR_W:0] LATER = L_ADVANCE;
            reg              started_reg;
            reg  [WATTR_W:0] end_reg;       // end of the oldest open window
            wire [WATTR_W:0] whole = {1'b0, attribute};
            wire [LOW_W-1:0] low   = whole[LOW_W-1:0];

            initial if (LOW_W > WATTR_W + STAGED) begin
                $display("ERROR: %m: WATTR_W = %0d bits are too few for the open windows", WATTR_W);
                $finish;
            end

            assign reaches = !started_reg || {1'b0, wattr} >= end_reg;
            assign passes  = started_reg && moves;
            assign closes  = passes;
            assign oldest_end = is_punct ? attribute : end_reg[WATTR_W-1:0];

            always @(posedge clk) begin
                if (is_punct) started_reg <= 1'b1;
                if (moves) end_reg <= whole + (started_reg ? LATER : LENGTH);
                if (rst) started_reg <= 1'b0;
            end

            // The begin of each copy's window is updated at every close, from its distance to the end that is
            // reached, since the punctuation may have skipped empty windows. The distances rotate with the copies.
            wire [COPIES*LOW_W-1:0] distances;

            genvar i;
            for (i = 0; i < COPIES; i = i + 1) begin : gen_copy
                localparam [LOW_W-1:0] FROM_START = i*L_ADVANCE;
                localparam [LOW_W-1:0] FROM_END   = (i == 0 ? L_COPIES : i)*L_ADVANCE - L_SIZE;
                reg  [LOW_W-1:0] begin_reg, distance_reg;
                wire [LOW_W-1:0] from_begin = low - begin_reg, from_end = less[LOW_W-1:0] - begin_reg;
                wire             unused_low = &{1'b0, from_begin, from_end};

                assign holds[i] = STAGED ? !from_begin[LOW_W-1] && from_end[LOW_W-1] : from_begin < LENGTH[LOW_W-1:0];
                assign distances[i*LOW_W +: LOW_W] = distance_reg;

                always @(posedge clk) begin
                    if (moves) begin
                        begin_reg    <= low + distance_reg;
                        distance_reg <= started_reg ? distances[(i + COPIES - 1) % COPIES * LOW_W +: LOW_W] : FROM_END;
                    end
                    if (rst) distance_reg <= FROM_START;
                end
            end
        end

        if (REGISTERED != 0) begin : gen_registers
            reg [COPIES-1:0]  valid_reg, punct_reg, eos_reg;
            reg [DATA_W-1:0]  data_reg;
            reg [WATTR_W-1:0] oldest_end_reg;

            always @(posedge clk) begin
                valid_reg <= rst ? {COPIES{1'b0}} : valid;
                punct_reg <= rst ? {COPIES{1'b0}} : punct;
                eos_reg   <= rst ? {COPIES{1'b0}} : eos;
                data_reg  <= data;
                oldest_end_reg <= oldest_end;
            end

            assign {m_valid, m_punct, m_eos, m_data} = {valid_reg, punct_reg, eos_reg, data_reg};
            assign m_end = oldest_end_reg;
        end else begin : gen_wires
            assign {m_valid, m_punct, m_eos, m_data} = {valid, punct, eos, data};
            assign m_end = oldest_end;
        end
    endgenerate

`ifdef FORMAL
    reg past_valid = 1'b0;
    integer j;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else begin
            assume (!(s_valid && s_punct));
            if (REGISTERED != 0) begin
                assert (m_data == $past(data) && m_end == $past(oldest_end));
                if ($past(rst)) assert ({m_valid, m_punct, m_eos} == 0);
                else assert ({m_valid, m_punct, m_eos} == $past({valid, punct, eos}));
            end else assert ({m_valid, m_punct, m_eos, m_data, m_end} == {valid, punct, eos, data, oldest_end});
            if (REGISTERED < 2)
                assert ({is_tuple, is_punct, data, attribute} == {s_valid, s_punct, s_data, wattr});
            else begin
                assert ({data, attribute} == $past({s_data, wattr}));
                assert ({is_tuple, is_punct} == $past({s_valid && !rst, s_punct && !rst}));
                if (IN_TIME) assume (!(s_punct && is_punct));
            end
            assert (less == {1'b0, attribute} - LENGTH);
            // one copy closes, and only with an item
            assert ((eos & (eos - 1'b1)) == 0 && (punct & ~oldest_reg) == 0);
            if (eos != 0) assert (is_tuple || is_punct);
        end
    end

    generate
        if (!IN_TIME) begin : gen_tuples_properties
            // The tuple's number, modulo a turn of all copies, gives its position in each copy's window.
            localparam integer TURN = ADVANCE * COPIES;
            integer number_ref, after_begin;
            reg     turned_ref;    // it has wrapped, so that all copies have had a window

            always @(posedge clk) begin
                if (rst) begin
                    number_ref <= 0;
                    turned_ref <= 1'b0;
                end else if (is_tuple) begin
                    number_ref <= number_ref == TURN - 1 ? 0 : number_ref + 1;
                    if (number_ref == TURN - 1) turned_ref <= 1'b1;
                end

                if (past_valid) begin
                    assert (number_ref >= 0 && number_ref < TURN);
                    for (j = 0; j < COPIES; j = j + 1) begin
                        after_begin = number_ref - j*ADVANCE;
                        if (after_begin < 0) after_begin = turned_ref ? after_begin + TURN : TURN;
                        assert (valid[j] == (is_tuple && after_begin < SIZE));
                        assert (eos[j] == (is_tuple && after_begin == SIZE - 1));
                        assert (punct[j] == (is_punct && oldest_reg[j]));
                        // invariants for the induction
                        assert (gen_tuples.open_reg[j] == (after_begin > 0 && after_begin < SIZE));
                        assert (gen_tuples.next_reg[j] == ((number_ref + ADVANCE - 1) / ADVANCE % COPIES == j));
                    end
                    assert (gen_tuples.to_begin_reg == (TURN - number_ref) % ADVANCE);
                    if (turned_ref || number_ref >= SIZE) begin
                        assert (gen_tuples.to_end_reg == (TURN + SIZE - 1 - number_ref) % ADVANCE);
                        assert (oldest_reg == 1 << ((TURN + number_ref - SIZE) / ADVANCE + 1) % COPIES);
                    end else assert (gen_tuples.to_end_reg == SIZE - 1 - number_ref && oldest_reg == 1);
                end
                cover (past_valid && turned_ref && !rst && eos[COPIES-1] && $past(eos[0], ADVANCE));
            end
        end else begin : gen_time_properties
            // Times in integers: the end of the oldest window, and the latest punctuation.
            localparam LOW_W = gen_time.LOW_W;
            wire [COPIES*LOW_W-1:0] begins;
            integer t, end_ref, latest_ref, oldest_ref, k;
            reg     started_ref;

            genvar i;
            for (i = 0; i < COPIES; i = i + 1) begin : gen_begins
                assign begins[i*LOW_W +: LOW_W] = gen_time.gen_copy[i].begin_reg;
            end

            always @(posedge clk) begin
                t = attribute;
                if (rst) begin
                    started_ref <= 1'b0;
                    oldest_ref  <= 0;
                end else if (is_punct) begin
                    started_ref <= 1'b1;
                    latest_ref  <= t;
                    if (!started_ref) end_ref <= t + SIZE;
                    else if (t >= end_ref) begin
                        end_ref    <= t + ADVANCE;
                        oldest_ref <= (oldest_ref + 1) % COPIES;
                    end
                end

                if (past_valid && !rst) begin
                    // the punctuator
                    if (!started_ref) assume (!is_tuple);
                    else begin
                        if (is_tuple) assume (t >= latest_ref && t < end_ref + SLACK);
                        if (is_punct) assume (t >= latest_ref && (t <= end_ref || (t - end_ref) % ADVANCE == 0));
                        if (is_tuple && end_ref < 1 << WATTR_W) assert (oldest_end == end_ref);
                        if (is_punct) assert (oldest_end == t);
                    end
                    for (k = 0; k < COPIES; k = k + 1) begin
                        j = (oldest_ref + k) % COPIES;  // the copy of the window that ends at end_ref + k * ADVANCE
                        assert (valid[j] == (is_tuple && t >= end_ref + k*ADVANCE - SIZE && t < end_ref + k*ADVANCE));
                        assert (eos[j] == (k == 0 && started_ref && is_punct && t >= end_ref));
                        assert (punct[j] == eos[j]);
                    end
                end
                if (past_valid) begin
                    // invariants for the induction
                    assert (oldest_ref >= 0 && oldest_ref < COPIES && oldest_reg == 1 << oldest_ref);
                    assert (moves == (is_punct && (!started_ref || t >= end_ref)));
                    assert (gen_time.started_reg == started_ref && (started_ref || oldest_ref == 0));
                    for (k = 0; k < COPIES; k = k + 1)
                        assert (gen_time.distances[(oldest_ref + k) % COPIES * LOW_W +: LOW_W]
                                == ((started_ref ? (k == 0 ? COPIES : k)*ADVANCE - SIZE : k*ADVANCE)
                                    & ((1 << LOW_W) - 1)));
                    if (started_ref) begin
                        assert (gen_time.end_reg == end_ref);
                        for (k = 0; k < COPIES; k = k + 1)
                            assert (begins[(oldest_ref + k) % COPIES * LOW_W +: LOW_W]
                                    == ((end_ref - SIZE + k*ADVANCE) & ((1 << LOW_W) - 1)));
                        assert (latest_ref < end_ref && latest_ref >= 0 && latest_ref < 1 << WATTR_W);
                        assert (latest_ref >= end_ref - SIZE || latest_ref >= end_ref - ADVANCE);
                    end
                end
                cover (past_valid && !rst && valid[COPIES-1] && oldest_ref == COPIES - 1
                       && (valid[0] || SIZE < ADVANCE));
                cover (past_valid && !rst && eos != 0 && t > end_ref);
            end
        end
    endgenerate
`endif

endmodule

`default_nettype wire
