// SPDX-License-Identifier: Apache-2.0
//
// ws_match_text: the operator that computes whether a string matches a constant pattern, one string a cycle.
//
// The pattern is an automaton without empty steps: each position matches one byte out of a set, and names the positions
// that may match the byte before it. All positions that have matched so far are kept as one bit each, so no pattern
// makes the circuit grow as the states of a deterministic automaton can. The bytes are matched one after the other, in
// STAGES stages of equally many; stage n of a string works while stage n - 1 has the next string.
//
// All BYTES bytes are matched, those that pad a short string with zeros too: a position for a set with the zero byte at
// the end of the pattern takes them. A position of INSIDE matches no padding, but takes zeros within a string.
//
// Parameters   BYTES       bytes of the string, 1 to 255
//              POSITIONS   positions of the pattern, 1 to 64
//              SETS        sets of bytes, 1 to 64
//              MEMBERS     of each set, a bit for each byte: bit 256 * k + c is set if set k has byte c
//              SET_OF      the set of each position, 8 bits each, position 0 in the low bits
//              AFTER       bit POSITIONS * p + q is set if position p may match the byte after that of position q
//              FIRST       the positions that may match the first byte
//              LAST        the positions that may match the last byte
//              INSIDE      the positions that match no padding
//              DATA_W      width of the tuple in bits, at least 1
//              STAGES      cycles, 0 to BYTES; 0: the outputs are combinational
// Latency      STAGES cycles
// Issue rate   1 tuple a cycle
// Source       V. M. Glushkov, The abstract theory of automata, 1961: one state for each position of the pattern

`default_nettype none

module ws_match_text #(
    parameter                           BYTES     = 4,
    parameter                           POSITIONS = 4,      // by default: LIKE 'A%B', of sets {A}, {B}, all, {0}
    parameter                           SETS      = 4,
    parameter [256*SETS-1:0]            MEMBERS   = {256'b1, {256{1'b1}}, 256'b1 << "B", 256'b1 << "A"},
    parameter [8*POSITIONS-1:0]         SET_OF    = 32'h03010200,
    parameter [POSITIONS*POSITIONS-1:0] AFTER     = 16'b1100_0011_0011_0000,
    parameter [POSITIONS-1:0]           FIRST     = 4'b0001,
    parameter [POSITIONS-1:0]           LAST      = 4'b1100,
    parameter [POSITIONS-1:0]           INSIDE    = 4'b0000,
    parameter                           DATA_W    = 128,
    parameter                           STAGES    = 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_valid,
    input  wire               s_punct,
    input  wire               s_eos,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [8*BYTES-1:0] a,        // of the tuple on s_*, the first byte in the most significant bits

    output wire               m_valid,
    output wire               m_punct,
    output wire               m_eos,
    output wire [DATA_W-1:0]  m_data,
    output wire               y         // of the tuple on m_*
);

    initial if (BYTES < 1 || BYTES > 255 || POSITIONS < 1 || POSITIONS > 64 || SETS < 1 || SETS > 64) begin
        $display("ERROR: %m: BYTES = %0d (1 to 255), POSITIONS = %0d, SETS = %0d (1 to 64)", BYTES, POSITIONS, SETS);
        $finish;
    end
    initial if (DATA_W < 1 || STAGES < 0 || STAGES > BYTES) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), STAGES = %0d (0 to BYTES)", DATA_W, STAGES);
        $finish;
    end

    localparam N    = STAGES > 0 ? STAGES : 1;
    localparam PART = (BYTES + N - 1) / N;      // bytes a stage; the last stages may have fewer, or none

    // The string, and the positions that matched the byte before, at the input of each stage and after the last.
    wire [8*BYTES*(N+1)-1:0]   text;
    wire [POSITIONS*(N+1)-1:0] active;
    assign text[0 +: 8*BYTES]     = a;
    assign active[0 +: POSITIONS] = {POSITIONS{1'b0}};

    genvar stage, place, k, p;
    generate
        for (stage = 0; stage < N; stage = stage + 1) begin : gen_stage
            wire [8*BYTES-1:0]            string = text[8*BYTES*stage +: 8*BYTES];
            wire [POSITIONS*(PART+1)-1:0] matched;      // before each byte of the stage, and after the last
            assign matched[0 +: POSITIONS] = active[POSITIONS*stage +: POSITIONS];

            for (place = 0; place < PART; place = place + 1) begin : gen_byte
                localparam                 INDEX  = stage * PART + place;
                wire       [POSITIONS-1:0] before = matched[POSITIONS*place +: POSITIONS];

                if (INDEX < BYTES) begin : gen_match
                    wire [7:0]      letter = string[8*(BYTES-1-INDEX) +: 8];
                    wire            inside = |string[8*(BYTES-INDEX)-1:0];
                    wire [SETS-1:0] member;
                    wire [255:0]    belongs = {{(256-SETS){1'b0}}, member};

                    for (k = 0; k < SETS; k = k + 1) begin : gen_set
                        wire [255:0] members = MEMBERS[256*k +: 256];
                        assign member[k] = members[letter];
                    end
                    for (p = 0; p < POSITIONS; p = p + 1) begin : gen_position
                        wire reached = INDEX == 0 ? FIRST[p] : |(before & AFTER[POSITIONS*p +: POSITIONS]);
                        assign matched[POSITIONS*(place+1) + p] =
                            reached && belongs[SET_OF[8*p +: 8]] && (inside || !INSIDE[p]);
                    end
                end else begin : gen_none
                    assign matched[POSITIONS*(place+1) +: POSITIONS] = before;
                end
            end

            // What the last stage has matched is not registered: y is.
            ws_shift #(.DATA_W(8*BYTES + POSITIONS), .N(stage < N - 1 ? 1 : 0)) state (
                .clk   (clk),
                .s_data({string, matched[POSITIONS*PART +: POSITIONS]}),
                .m_data({text[8*BYTES*(stage+1) +: 8*BYTES], active[POSITIONS*(stage+1) +: POSITIONS]})
            );
        end
    endgenerate

    wire matches = |(active[POSITIONS*N +: POSITIONS] & LAST);
    wire unused  = &text[8*BYTES*N +: 8*BYTES];

    ws_shift #(.DATA_W(1), .N(STAGES > 0 ? 1 : 0)) result (.clk(clk), .s_data(matches), .m_data(y));

    ws_delay #(.DATA_W(DATA_W), .N(STAGES)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data (s_data),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

`ifdef FORMAL
    // From the last byte to the first: which positions can match a byte so that the rest of the string matches.
    reg                  past_valid = 1'b0;
    reg  [POSITIONS-1:0] follow, now;
    reg                  wanted, padding;
    reg  [STAGES:0]      wanted_ref;        // of the string so many cycles ago
    reg  [7:0]           letter_ref;
    integer              i, n, m;

    always @* begin
        follow  = LAST;
        padding = 1'b1;
        now     = {POSITIONS{1'b0}};
        for (i = BYTES - 1; i >= 0; i = i - 1) begin
            letter_ref = a >> 8 * (BYTES - 1 - i);
            padding    = padding && letter_ref == 8'd0;
            for (n = 0; n < POSITIONS; n = n + 1)
                now[n] = follow[n] && MEMBERS[256 * SET_OF[8*n +: 8] + letter_ref] && !(padding && INSIDE[n]);
            for (m = 0; m < POSITIONS; m = m + 1) begin
                follow[m] = 1'b0;
                for (n = 0; n < POSITIONS; n = n + 1)
                    if (now[n] && AFTER[POSITIONS*n+m]) follow[m] = 1'b1;
            end
        end
        wanted = |(now & FIRST);
    end

    reg [STAGES:0] age_ref = 0;             // one bit for each cycle so far

    always @(posedge clk) begin
        past_valid <= 1'b1;
        age_ref    <= {age_ref, 1'b1};
        wanted_ref <= {wanted_ref, wanted};
        if (!past_valid) assume (rst);
        if (STAGES == 0) assert (y == wanted);
        else if (age_ref[STAGES-1]) assert (y == wanted_ref[STAGES-1]);
        cover (past_valid && m_valid && y);
        cover (past_valid && m_valid && !y);
    end
`endif

endmodule

`default_nettype wire
