// SPDX-License-Identifier: Apache-2.0
//
// ws_text_extract: the operator that extracts the part of a string that a group of a constant pattern matches, one
// string a cycle.
//
// The pattern is an automaton as in ws_match_text: each position matches one byte out of a set. Of two positions that
// may match the same byte next, the one with the lower number is tried first; a search with backtracking takes the first
// path that ends well. The core finds it without backtracking, in two passes: from the last byte to the first, which
// positions lead to the end of the pattern; then from the first byte to the last, at each byte the first of those
// positions that may follow. The bytes of the group's positions are shifted to the beginning of the string.
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
//              GROUP       the positions whose bytes are extracted, which follow one another in every match
//              DATA_W      width of the tuple in bits, at least 1
//              PART        bytes that a pass takes in a cycle, at least 0; 0: the outputs are combinational
// Result       the bytes of the group, or none if the string does not match
// Latency      PART > 0 ? 2 * ceil(BYTES / PART) + 1 : 0 cycles
// Issue rate   1 tuple a cycle
// Source       A. Frisch and L. Cardelli, Greedy regular expression matching, 2004: the first pass from the end

`default_nettype none

module ws_text_extract #(
    parameter                           BYTES     = 4,
    parameter                           POSITIONS = 3,      // by default: '(A+)', of sets {A}, all
    parameter                           SETS      = 2,
    parameter [256*SETS-1:0]            MEMBERS   = {{256{1'b1}}, 256'b1 << "A"},
    parameter [8*POSITIONS-1:0]         SET_OF    = 24'h010100,     // A+, the rest, what precedes
    parameter [POSITIONS*POSITIONS-1:0] AFTER     = 9'b100_011_101,
    parameter [POSITIONS-1:0]           FIRST     = 3'b101,
    parameter [POSITIONS-1:0]           LAST      = 3'b011,
    parameter [POSITIONS-1:0]           INSIDE    = 3'b000,
    parameter [POSITIONS-1:0]           GROUP     = 3'b001,
    parameter                           DATA_W    = 128,
    parameter                           PART      = 1
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
    output wire [8*BYTES-1:0] y         // of the tuple on m_*
);

    initial if (BYTES < 1 || BYTES > 255 || POSITIONS < 1 || POSITIONS > 64 || SETS < 1 || SETS > 64) begin
        $display("ERROR: %m: BYTES = %0d (1 to 255), POSITIONS = %0d, SETS = %0d (1 to 64)", BYTES, POSITIONS, SETS);
        $finish;
    end
    initial if (DATA_W < 1 || PART < 0) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), PART = %0d (at least 0)", DATA_W, PART);
        $finish;
    end

    localparam TAKEN   = PART > 0 && PART < BYTES ? PART : BYTES;
    localparam N       = (BYTES + TAKEN - 1) / TAKEN;   // stages of a pass
    localparam CLOCKED = PART > 0 ? 1 : 0;
    localparam LATENCY = CLOCKED * (2 * N + 1);
    localparam W       = 8 * BYTES;
    localparam P       = POSITIONS;
    localparam PLACE_W = $clog2(BYTES + 1);

    // At the input of each stage: the string; of the first pass which positions lead to the end, of each byte, and
    // whether the string reaches the byte taken last; of the second pass the position of that byte, and which bytes are
    // in the group. Byte n has the n-th bits here, unlike those of the string.
    wire [W*(2*N+1)-1:0]       text;
    wire [P*BYTES*(2*N+1)-1:0] leads;
    wire [N:0]                 reaches;
    wire [P*(N+1)-1:0]         active;
    wire [BYTES*(N+1)-1:0]     grouped;
    assign text[0 +: W]        = a;
    assign leads[0 +: P*BYTES] = {P*BYTES{1'b0}};
    assign reaches[0]          = 1'b0;
    assign active[0 +: P]      = {P{1'b0}};
    assign grouped[0 +: BYTES] = {BYTES{1'b0}};

    genvar stage, n, k, p;
    generate
        // The first pass
        for (stage = 0; stage < N; stage = stage + 1) begin : gen_back
            wire [W-1:0]       string = text[W*stage +: W];
            wire [P*BYTES-1:0] lead;
            wire [BYTES:0]     inside;      // whether the string reaches byte n
            assign inside[BYTES] = 1'b0;

            for (n = 0; n < BYTES; n = n + 1) begin : gen_byte
                if ((BYTES - 1 - n) / TAKEN == stage) begin : gen_taken
                    wire [7:0]      letter = string[8*(BYTES-1-n) +: 8];
                    wire [SETS-1:0] member;
                    wire [255:0]    belongs = {{(256-SETS){1'b0}}, member};
                    assign inside[n] = letter != 8'd0 || ((BYTES - 1 - n) % TAKEN == 0 ? reaches[stage] : inside[n+1]);

                    for (k = 0; k < SETS; k = k + 1) begin : gen_set
                        wire [255:0] members = MEMBERS[256*k +: 256];
                        assign member[k] = members[letter];
                    end
                    for (p = 0; p < P; p = p + 1) begin : gen_position
                        wire [P-1:0] follow;        // the positions that follow and lead to the end
                        wire         ends = n == BYTES - 1 ? LAST[p] : |follow;
                        for (k = 0; k < P; k = k + 1) begin : gen_follow
                            if (n < BYTES - 1) begin : gen_more
                                assign follow[k] = lead[P*(n+1) + k] && AFTER[P*k + p];
                            end else begin : gen_none
                                assign follow[k] = 1'b0;
                            end
                        end
                        assign lead[P*n + p] = ends && belongs[SET_OF[8*p +: 8]] && (inside[n] || !INSIDE[p]);
                    end
                end else begin : gen_passed
                    assign inside[n]      = 1'b0;
                    assign lead[P*n +: P] = leads[P*BYTES*stage + P*n +: P];
                end
            end

            localparam LEAST = BYTES - TAKEN * (stage + 1) > 0 ? BYTES - TAKEN * (stage + 1) : 0;
            ws_shift #(.DATA_W(W + P*BYTES + 1), .N(CLOCKED)) state (
                .clk   (clk),
                .s_data({string, lead, inside[LEAST]}),
                .m_data({text[W*(stage+1) +: W], leads[P*BYTES*(stage+1) +: P*BYTES], reaches[stage+1]})
            );
        end

        // The second pass
        for (stage = 0; stage < N; stage = stage + 1) begin : gen_forth
            wire [W-1:0]           string = text[W*(N+stage) +: W];
            wire [P*BYTES-1:0]     lead   = leads[P*BYTES*(N+stage) +: P*BYTES];
            wire [P*(BYTES+1)-1:0] taken;       // the position of the byte before byte n
            wire [BYTES-1:0]       group;
            wire                   unused = &taken;
            assign taken[0 +: P] = {P{1'b0}};

            for (n = 0; n < BYTES; n = n + 1) begin : gen_byte
                if (n / TAKEN == stage) begin : gen_taken
                    wire [P-1:0] before = n % TAKEN == 0 ? active[P*stage +: P] : taken[P*n +: P];
                    wire [P-1:0] choice;
                    for (p = 0; p < P; p = p + 1) begin : gen_position
                        assign choice[p] = lead[P*n + p] && (n == 0 ? FIRST[p] : |(before & AFTER[P*p +: P]));
                    end
                    assign taken[P*(n+1) +: P] = choice & (~choice + 1'b1);     // the first of them
                    assign group[n]            = |(taken[P*(n+1) +: P] & GROUP);
                end else begin : gen_passed
                    assign taken[P*(n+1) +: P] = {P{1'b0}};
                    assign group[n]            = grouped[BYTES*stage + n];
                end
            end

            localparam MOST = TAKEN * (stage + 1) < BYTES ? TAKEN * (stage + 1) : BYTES;
            ws_shift #(.DATA_W(W + P*BYTES + P + BYTES), .N(CLOCKED)) state (
                .clk   (clk),
                .s_data({string, lead, taken[P*MOST +: P], group}),
                .m_data({text[W*(N+stage+1) +: W], leads[P*BYTES*(N+stage+1) +: P*BYTES],
                         active[P*(stage+1) +: P], grouped[BYTES*(stage+1) +: BYTES]})
            );
        end
    endgenerate

    // The bytes of the group, shifted by as many as precede them.
    wire [BYTES-1:0]   group = grouped[BYTES*N +: BYTES];
    reg  [W-1:0]       found;
    reg  [PLACE_W-1:0] before;
    integer            i;
    always @* begin
        found  = {W{1'b0}};
        before = {PLACE_W{1'b0}};
        for (i = 0; i < BYTES; i = i + 1) begin
            found[8*(BYTES-1-i) +: 8] = text[W*2*N + 8*(BYTES-1-i) +: 8] & {8{group[i]}};
            if (group[i] && (i == 0 || !group[i == 0 ? 0 : i - 1])) before = before | i[PLACE_W-1:0];
        end
    end

    wire unused = &{leads, active[P*N +: P], reaches[N]};

    ws_shift #(.DATA_W(W), .N(CLOCKED)) result (.clk(clk), .s_data(found << {before, 3'd0}), .m_data(y));

    ws_delay #(.DATA_W(DATA_W), .N(LATENCY)) out (
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
    // From the last byte to the first, of each position: what the first path from there extracts, and how many bytes.
    reg                     past_valid = 1'b0;
    reg [W-1:0]             wanted;
    reg [W*(LATENCY+1)-1:0] wanted_ref;         // of the string so many cycles ago
    reg [LATENCY:0]         age_ref = 0;        // one bit for each cycle so far
    reg [W*P-1:0]           rest, rest_now;
    reg [W-1:0]             best;
    reg [P-1:0]             leads_now, leads_next;
    reg                     padding, any;
    reg [7:0]               letter_ref;
    integer                 m, q, r;

    always @* begin
        rest       = {W*P{1'b0}};
        rest_now   = {W*P{1'b0}};
        leads_next = {P{1'b0}};
        leads_now  = {P{1'b0}};
        padding    = 1'b1;
        for (m = BYTES - 1; m >= 0; m = m - 1) begin
            letter_ref = a >> 8 * (BYTES - 1 - m);
            padding    = padding && letter_ref == 8'd0;
            for (q = 0; q < P; q = q + 1) begin
                any  = m == BYTES - 1 && LAST[q];
                best = {W{1'b0}};
                for (r = P - 1; r >= 0; r = r - 1)
                    if (m < BYTES - 1 && leads_next[r] && AFTER[P*r + q]) begin
                        any  = 1'b1;
                        best = rest[W*r +: W];
                    end
                leads_now[q] = any && MEMBERS[256 * SET_OF[8*q +: 8] + letter_ref] && !(padding && INSIDE[q]);
                rest_now[W*q +: W] = GROUP[q] ? best >> 8 | {letter_ref, {W-8{1'b0}}} : best;
            end
            rest       = rest_now;
            leads_next = leads_now;
        end
        wanted = {W{1'b0}};
        for (r = P - 1; r >= 0; r = r - 1)
            if (leads_now[r] && FIRST[r]) wanted = rest[W*r +: W];
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        age_ref    <= {age_ref, 1'b1};
        wanted_ref <= {wanted_ref, wanted};
        if (!past_valid) assume (rst);
        if (LATENCY == 0) assert (y == wanted);
        else if (age_ref[LATENCY-1]) assert (y == wanted_ref[W*LATENCY-1 -: W]);
        cover (past_valid && m_valid && y != 0);
        cover (past_valid && m_valid && y == 0);
    end
`endif

endmodule

`default_nettype wire
