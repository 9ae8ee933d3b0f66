// SPDX-License-Identifier: Apache-2.0
//
// ws_text_measure: the operator that computes a number from a string: its length, its leading spaces, or where a
// constant string occurs in it.
//
// A string is its bytes up to the zeros that pad it; zeros before other bytes belong to it.
//
// Parameters   OP            "LENGTH": how many bytes the string has after its first FROM; "SPACES": how many spaces it
//                            begins with; "FIND": the position, from 1, at which NEEDLE occurs for the NTH time, or 0
//              BYTES         bytes of the string, 1 to 255
//              FROM          bytes that LENGTH does not count, 0 to 254; below BYTES
//              NEEDLE_BYTES  bytes of NEEDLE, 1 to 255
//              NEEDLE        the string to find, the first byte in the most significant bits; no byte is zero
//              NTH           which of its occurrences, 1 to 255; they may overlap
//              DATA_W        width of the tuple in bits, at least 1
//              REGISTERED    1: the outputs are registers; 0: the outputs are combinational
// Result       $clog2(BYTES + 1) bits
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// Source       char_length, ltrim and position of SQL; ours

`default_nettype none

module ws_text_measure #(
    parameter [47:0]               OP           = "LENGTH",
    parameter                      BYTES        = 4,
    parameter                      FROM         = 0,
    parameter                      NEEDLE_BYTES = 1,
    parameter [8*NEEDLE_BYTES-1:0] NEEDLE       = "A",
    parameter                      NTH          = 1,
    parameter                      DATA_W       = 128,
    parameter                      REGISTERED   = 1
) (
    input  wire                         clk,
    input  wire                         rst,

    input  wire                         s_valid,
    input  wire                         s_punct,
    input  wire                         s_eos,
    input  wire [DATA_W-1:0]            s_data,
    input  wire [8*BYTES-1:0]           a,      // of the tuple on s_*, the first byte in the most significant bits

    output wire                         m_valid,
    output wire                         m_punct,
    output wire                         m_eos,
    output wire [DATA_W-1:0]            m_data,
    output wire [$clog2(BYTES+1)-1:0]   y       // of the tuple on m_*
);

    initial if (BYTES < 1 || BYTES > 255 || FROM < 0 || FROM > 254 || FROM >= BYTES) begin
        $display("ERROR: %m: BYTES = %0d (1 to 255), FROM = %0d (0 to 254, below BYTES)", BYTES, FROM);
        $finish;
    end
    initial if (NEEDLE_BYTES < 1 || NEEDLE_BYTES > 255 || NTH < 1 || NTH > 255) begin
        $display("ERROR: %m: NEEDLE_BYTES = %0d (1 to 255), NTH = %0d (1 to 255)", NEEDLE_BYTES, NTH);
        $finish;
    end
    initial if (DATA_W < 1 || (REGISTERED != 0 && REGISTERED != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), REGISTERED = %0d (0 or 1)", DATA_W, REGISTERED);
        $finish;
    end
    initial if (OP != "LENGTH" && OP != "SPACES" && OP != "FIND") begin
        $display("ERROR: %m: OP = \"%0s\", must be LENGTH, SPACES or FIND", OP);
        $finish;
    end

    localparam Y_W  = $clog2(BYTES + 1);
    localparam SEEN = NEEDLE_BYTES < BYTES ? NEEDLE_BYTES : BYTES;  // bytes of the needle that the string can hold

    // Of each byte: whether the string ends with it, the leading spaces end with it, or the NTH needle begins with it.
    wire [BYTES-1:0] marks;
    wire [BYTES:0]   inside;            // whether the string reaches the byte
    wire [BYTES+1:0] spaces;            // whether all bytes before the byte are spaces
    assign inside[BYTES]   = 1'b0;
    assign spaces[BYTES+1] = 1'b0;
    assign spaces[0]       = 1'b1;

    // Bit k of `found`, of each byte: whether k needles or more begin before it.
    wire [(NTH+1)*(BYTES+1)-1:0] found;
    assign found[0 +: NTH+1] = {{NTH{1'b0}}, 1'b1};

    genvar n;
    generate
        for (n = 0; n < BYTES; n = n + 1) begin : gen_byte
            wire [NTH:0] before = found[(NTH+1)*n +: NTH+1];
            wire         needle;
            if (NEEDLE_BYTES <= BYTES && n + SEEN <= BYTES) begin : gen_needle
                assign needle = a[8*(BYTES-n-SEEN) +: 8*SEEN] == NEEDLE[8*SEEN-1:0];
            end else begin : gen_none
                assign needle = 1'b0;
            end
            assign inside[n]   = |a[8*(BYTES-n)-1:0];
            assign spaces[n+1] = spaces[n] && a[8*(BYTES-1-n) +: 8] == " ";
            assign found[(NTH+1)*(n+1) +: NTH+1] = needle ? {before[NTH-1:0], 1'b1} : before;
            assign marks[n]    = OP == "LENGTH" ? inside[n] && !inside[n+1] && n >= FROM
                               : OP == "SPACES" ? spaces[n+1] && !spaces[n+2]
                               :                  needle && before[NTH-1] && !before[NTH];
        end
    endgenerate

    wire unused = &found[(NTH+1)*BYTES +: NTH+1];

    // At most one mark is set, so the number is an OR.
    reg [Y_W-1:0] number;
    integer       k;
    always @* begin
        number = {Y_W{1'b0}};
        for (k = 0; k < BYTES; k = k + 1)
            if (marks[k]) number = number | (OP == "LENGTH" ? k[Y_W-1:0] + 1'b1 - FROM[Y_W-1:0] : k[Y_W-1:0] + 1'b1);
    end

    ws_delay #(.DATA_W(DATA_W + Y_W), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data ({s_data, number}),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data ({m_data, y})
    );

`ifdef FORMAL
    // The number by counting the bytes one after the other.
    reg           past_valid = 1'b0;
    reg [Y_W-1:0] wanted, wanted_ref;
    reg           on;
    reg [7:0]     letter;
    integer       i, m, passed;

    always @* begin
        wanted = 0;
        on     = OP == "SPACES";
        passed = 0;
        for (i = 0; i < BYTES; i = i + 1) begin
            letter = a >> 8 * (OP == "LENGTH" ? i : BYTES - 1 - i);     // LENGTH counts from the last byte
            case (OP)
                "LENGTH": begin
                    on = on || letter != 0;
                    if (on && BYTES - 1 - i >= FROM) wanted = wanted + 1;
                end
                "SPACES": begin
                    on = on && letter == " ";
                    if (on) wanted = wanted + 1;
                end
                default: if (i + NEEDLE_BYTES <= BYTES) begin
                    on = 1'b1;
                    for (m = 0; m < NEEDLE_BYTES; m = m + 1)
                        if (a[8*(BYTES-1-i-m) +: 8] != NEEDLE[8*(NEEDLE_BYTES-1-m) +: 8]) on = 1'b0;
                    if (on) passed = passed + 1;
                    if (on && passed == NTH) wanted = i + 1;
                end
            endcase
        end
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        wanted_ref <= wanted;
        if (!past_valid) assume (rst);
        else assert (y == (REGISTERED != 0 ? wanted_ref : wanted));
        cover (past_valid && m_valid && y != 0);
        cover (past_valid && m_valid && y == 0);
    end
`endif

endmodule

`default_nettype wire
