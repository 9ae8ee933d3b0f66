// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_text: the value of the long field, which ends at a word's first SOH, from its first byte on.
//
// The bytes of a value are rotated by the place of its first byte, which is the same for all words of a field: byte m
// of a rotated word is byte m, m + 8, m + 16 and so on of the value. Here only delimiters count as SOH.
//
// Parameters   WORDS  longest text in words, 4 or 8
// Latency      1 cycle from stage 5 to `length`, 2 to `text`
// Issue rate   1 word a cycle
// Bad input    excess bytes are ignored
// Source       none

`default_nettype none

module ws_fix_text #(
    parameter WORDS = 4
) (
    input  wire         clk,
    input  wire         rst,
    input  wire         step,

    // stage 5
    input  wire         valid,
    input  wire         last,
    input  wire [63:0]  data,
    input  wire [7:0]   soh,            // delimiters
    input  wire [7:0]   equals,

    // stage 6
    output wire [6:0]   length,         // of the value, at least 65 if it is longer than 64
    // stage 7
    output reg  [64*WORDS-1:0] text     // first byte in the high bits, then zeros
);

    `include "ws_fix_sets.vh"

    localparam BLOCK_W = WORDS > 4 ? 4 : 3;
    localparam [BLOCK_W-1:0] NONE = 0, ONE = 1, BEYOND = WORDS[BLOCK_W-1:0] + ONE;

    integer i, k, m;

    // Stage 6: the "=" of the field that ends here and of the field that goes on, and their places.
    reg         open_reg;               // in a value
    reg  [7:0]  begun_reg;              // place of its first byte if that is in the word before, one-hot
    reg  [7:0]  start_reg;              // place of its first byte otherwise
    reg  [BLOCK_W-1:0] block_reg;       // index of the value's next 8 bytes, at most BEYOND
    reg  [6:0]  count_reg;              // the value's bytes before this word, if more than 8; at most 79

    wire [7:0]  ends  = first(soh);
    wire [7:0]  lead  = before(soh);
    wire [7:0]  trail = after(soh);
    wire [7:0]  opens = open_reg ? 8'd0 : first(equals) & lead;         // of the field that ends, if one does
    wire        opening = !open_reg && |(equals & lead);
    wire [7:0]  begun = |soh || !open_reg ? first(equals & trail) : 8'd0;   // of the field that goes on
    wire [7:0]  start_before = |begun_reg ? begun_reg : start_reg;
    wire [BLOCK_W-1:0] block_before = ~|begun_reg ? block_reg : begun_reg[0] ? NONE : ONE;
    wire [7:0]  start = opening ? {opens[6:0], opens[7]} : start_before;

    reg  [2:0]  end_place, opens_place, start_place;

    wire [6:0]  count = |begun_reg ? {4'd0, 3'd0 - start_place} : count_reg;

    always @* begin
        end_place   = 3'd0;
        opens_place = 3'd0;
        start_place = 3'd0;
        for (i = 0; i < 8; i = i + 1) begin
            if (ends[i])  end_place   = end_place   | i[2:0];
            if (opens[i]) opens_place = opens_place | i[2:0];
            if (begun_reg[i]) start_place = start_place | i[2:0];
        end
    end

    reg [63:0] data_reg;
    reg [7:0]  start_s6_reg, tail_reg, head_reg;
    reg [BLOCK_W-1:0] block_s6_reg;
    reg [2:0]  end_s6_reg;
    reg [6:0]  count_s6_reg;
    reg        valid_reg, new_reg, ends_reg;

    always @(posedge clk) if (step) begin
        end_s6_reg   <= end_place;
        count_s6_reg <= opening ? ~{4'd0, opens_place} : count;        // -1 - opens_place
        data_reg     <= data;
        start_s6_reg <= start;
        block_s6_reg <= block_before;
        tail_reg     <= lead & (open_reg ? 8'hff : ~up_to(equals));
        head_reg     <= trail & ~up_to(equals & trail);
        new_reg      <= opening;
        ends_reg     <= |soh;
        valid_reg    <= valid;
        if (valid) begin
            open_reg  <= (|(equals & trail) || (~|soh && open_reg)) && !last;
            begun_reg <= {begun[6:0], begun[7]};
            start_reg <= start_before;
            count_reg <= count[6] ? {4'b1001, count[2:0]} : count + 7'd8;
            block_reg <= block_before == BEYOND ? BEYOND : block_before + ONE;
        end
        if (rst) open_reg <= 1'b0;
    end

    assign length = count_s6_reg + {4'd0, end_s6_reg};

    // Stage 7: both rotated.
    reg [63:0]  rotated, rotated_head;
    reg [7:0]   write, write_head, wraps;
    reg [64*WORDS-1:0] text_reg, text_next, head_next;
    reg [BLOCK_W-1:0]  number;

    always @* begin
        rotated      = 64'd0;
        rotated_head = 64'd0;
        write        = 8'd0;
        write_head   = 8'd0;
        wraps        = 8'd0;
        for (i = 0; i < 8; i = i + 1)
            for (m = 0; m < 8; m = m + 1) begin
                if (start_s6_reg[i]) begin
                    rotated[8*m +: 8] = rotated[8*m +: 8] | data_reg[8*((i + m) % 8) +: 8];
                    write[m]          = write[m] | tail_reg[(i + m) % 8];
                    if (i + m >= 8) wraps[m] = 1'b1;
                end
                if (begun_reg[i]) begin
                    rotated_head[8*m +: 8] = rotated_head[8*m +: 8] | data_reg[8*((i + m) % 8) +: 8];
                    write_head[m]          = write_head[m] | head_reg[(i + m) % 8];
                end
            end
        text_next = new_reg ? {64*WORDS{1'b0}} : text_reg;
        head_next = {64*WORDS{1'b0}};
        for (m = 0; m < 8; m = m + 1) begin
            number = (new_reg ? NONE : block_s6_reg) - (wraps[m] ? ONE : NONE);
            for (k = 0; k < WORDS; k = k + 1)
                if (write[m] && number == k[BLOCK_W-1:0]) text_next[64*WORDS-1-8*(8*k+m) -: 8] = rotated[8*m +: 8];
            if (write_head[m]) head_next[64*WORDS-1-8*m -: 8] = rotated_head[8*m +: 8];
        end
    end

    always @(posedge clk) if (step) begin
        text <= text_next;
        if (valid_reg) text_reg <= ends_reg ? head_next : text_next;
    end

endmodule

`default_nettype wire
