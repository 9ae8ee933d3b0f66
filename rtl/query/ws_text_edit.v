// SPDX-License-Identifier: Apache-2.0
//
// ws_text_edit: the operator that computes a string of the same size from a string.
//
// A string is its bytes up to the zeros that pad it; zeros before other bytes belong to it.
//
// Parameters   OP          "UPPER", "LOWER": the letters of ASCII as capitals, as small letters; "RTRIM": without the
//                          spaces at the end; "CUT": without its last COUNT bytes; "UNTIL": its bytes before the
//                          first END
//              BYTES       bytes of the string, 1 to 255
//              COUNT       bytes that CUT removes, 0 to 255
//              END         the byte before which UNTIL ends, 1 to 255
//              DATA_W      width of the tuple in bits, at least 1
//              REGISTERED  1: the outputs are registers; 0: the outputs are combinational
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle
// Source       upper, lower, rtrim and right of SQL; ours

`default_nettype none

module ws_text_edit #(
    parameter [39:0] OP         = "UPPER",
    parameter        BYTES      = 4,
    parameter        COUNT      = 0,
    parameter        END        = 44,   // a comma
    parameter        DATA_W     = 128,
    parameter        REGISTERED = 1
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

    initial if (BYTES < 1 || BYTES > 255 || COUNT < 0 || COUNT > 255) begin
        $display("ERROR: %m: BYTES = %0d (1 to 255), COUNT = %0d (0 to 255)", BYTES, COUNT);
        $finish;
    end
    initial if (END < 1 || END > 255) begin
        $display("ERROR: %m: END = %0d (1 to 255)", END);
        $finish;
    end
    initial if (DATA_W < 1 || (REGISTERED != 0 && REGISTERED != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), REGISTERED = %0d (0 or 1)", DATA_W, REGISTERED);
        $finish;
    end
    initial if (OP != "UPPER" && OP != "LOWER" && OP != "RTRIM" && OP != "CUT" && OP != "UNTIL") begin
        $display("ERROR: %m: OP = \"%0s\", must be UPPER, LOWER, RTRIM, CUT or UNTIL", OP);
        $finish;
    end

    wire [8*BYTES-1:0] edited;
    wire [BYTES:0]     blank;           // whether only spaces and padding follow from the byte on
    wire [BYTES:0]     ended;           // whether END is among the bytes before the byte
    assign blank[BYTES] = 1'b1;
    assign ended[0]     = 1'b0;

    genvar n;
    generate
        for (n = 0; n < BYTES; n = n + 1) begin : gen_byte
            wire [7:0] letter = a[8*(BYTES-1-n) +: 8];
            wire       inside;          // whether COUNT bytes of the string follow
            if (n + COUNT < BYTES) begin : gen_more
                assign inside = |a[8*(BYTES-n-COUNT)-1:0];
            end else begin : gen_last
                assign inside = 1'b0;
            end
            assign blank[n] = a[8*(BYTES-n)-1:0] == {8*(BYTES-n){1'b0}} || (letter == " " && blank[n+1]);
            assign ended[n+1] = ended[n] || letter == END[7:0];

            wire       lower   = letter >= "a" && letter <= "z";
            wire       capital = letter >= "A" && letter <= "Z";
            wire       other   = OP == "UPPER" ? lower : OP == "LOWER" && capital;
            wire       clear   = OP == "RTRIM" ? blank[n]
                               : OP == "UNTIL" ? ended[n+1]
                               :                 OP == "CUT" && !inside;
            assign edited[8*(BYTES-1-n) +: 8] = (letter ^ {2'b00, other, 5'b00000}) & {8{!clear}};
        end
    endgenerate

    ws_delay #(.DATA_W(DATA_W + 8*BYTES), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data ({s_data, edited}),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data ({m_data, y})
    );

`ifdef FORMAL
    // Byte by byte from the last: where the string ends, and how many of its bytes have been passed.
    reg               past_valid = 1'b0;
    reg [8*BYTES-1:0] wanted, wanted_ref;
    reg [7:0]         letter_ref;
    reg               over;
    integer           i, passed;

    always @* begin
        wanted = a;
        over  = 1'b0;
        passed = 0;
        for (i = 0; i < BYTES; i = i + 1) begin
            letter_ref = a[8*i +: 8];
            if (OP == "UPPER" && letter_ref > 96 && letter_ref < 123) wanted[8*i +: 8] = letter_ref - 32;
            if (OP == "LOWER" && letter_ref > 64 && letter_ref < 91) wanted[8*i +: 8] = letter_ref + 32;
            if (OP == "CUT") begin
                over = over || letter_ref != 0;
                if (over && passed < COUNT) wanted[8*i +: 8] = 0;
                if (over) passed = passed + 1;
            end
            if (OP == "RTRIM") begin
                if (letter_ref != 0 && letter_ref != " ") over = 1'b1;
                if (letter_ref == 0 && passed > 0) over = 1'b1;        // a zero before the spaces is no padding
                if (letter_ref == " ") passed = passed + 1;
                if (!over) wanted[8*i +: 8] = 0;
            end
            // From the last byte on: an END clears all bytes so far.
            if (OP == "UNTIL" && letter_ref == END) wanted = wanted & ~({8*BYTES{1'b1}} >> 8 * (BYTES - 1 - i));
        end
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        wanted_ref <= wanted;
        if (!past_valid) assume (rst);
        else assert (y == (REGISTERED != 0 ? wanted_ref : wanted));
        cover (past_valid && m_valid && y != 0);
        cover (past_valid && m_valid && !(&y));
    end
`endif

endmodule

`default_nettype wire
