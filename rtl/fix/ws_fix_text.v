// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_text: the value of the field that ends at a word's first SOH, from its first byte on, eight bytes a cycle.
//
// A value's bytes are rotated by the place of the first, which is the same for all words of a field; so byte m of a
// rotated word belongs to bytes m, m + 8, m + 16 or m + 24 of the value. Which SOH end a field is known here.
//
// Latency      1 cycle from stage 5 to `length`, 2 to `text`
// Issue rate   1 word a cycle
// Bad input    bytes behind the 32nd are left out
// Source       none

`default_nettype none

module ws_fix_text (
    input  wire         clk,
    input  wire         rst,
    input  wire         step,

    // stage 5
    input  wire         valid,
    input  wire         last,
    input  wire [63:0]  data,
    input  wire [7:0]   soh,            // those that end a field
    input  wire [7:0]   equals,
    input  wire [7:0]   ends,           // the first of them

    // stage 6
    output reg  [5:0]   length,         // of the value, 32 and more if it is longer than that
    // stage 7
    output reg  [255:0] text            // first byte in the high bits, zeros behind
);

    integer i, k, m;

    // Stage 6: the "=" of the field that ends here and of the one that goes on, and their places.
    reg         open_reg;               // in a value
    reg  [7:0]  start_reg;              // where it began, one-hot
    reg  [2:0]  block_reg;              // bytes from there on are 8 * block_reg and more; at most 5
    reg  [8:0]  inside;
    reg  [7:0]  before, behind, first, tail, head;

    always @* begin
        inside[0] = open_reg;
        for (i = 0; i < 8; i = i + 1) begin
            inside[i+1] = !soh[i] && (equals[i] || inside[i]);
            before[i]   = ~|(soh << (7 - i));
            behind[i]   = ~|(soh >> i);
            first[i]    = equals[i] && !inside[i];
        end
        tail = inside[7:0] & before;
        head = inside[7:0] & behind;
    end

    wire [7:0] opens  = first & before;             // of the field that ends, or none ends
    wire [7:0] begun  = first & behind;             // of the field that goes on
    wire [7:0] start  = |opens ? {opens[6:0], opens[7]} : start_reg;
    wire [2:0] block  = |opens ? 3'd0 : block_reg;

    reg  [2:0] end_place, start_place;

    always @* begin
        end_place   = 3'd0;
        start_place = 3'd0;
        for (i = 0; i < 8; i = i + 1) begin
            if (ends[i])  end_place   = end_place   | i[2:0];
            if (start[i]) start_place = start_place | i[2:0];
        end
    end

    reg [63:0] data_reg;
    reg [7:0]  start6_reg, begun_reg, tail_reg, head_reg;
    reg [2:0]  block6_reg;
    reg        valid_reg, new_reg, ends_reg;

    always @(posedge clk) if (step) begin
        length     <= {block, 3'd0} + {3'd0, end_place} - {3'd0, start_place};
        data_reg   <= data;
        start6_reg <= start;
        block6_reg <= block;
        tail_reg   <= tail;
        head_reg   <= head;
        begun_reg  <= {begun[6:0], begun[7]};
        new_reg    <= |opens;
        ends_reg   <= |soh;
        valid_reg  <= valid;
        if (valid) begin
            open_reg <= inside[8] && !last;
            if (|begun) begin
                start_reg <= {begun[6:0], begun[7]};
                block_reg <= {2'd0, !begun[7]};
            end else if (block_reg != 3'd5) block_reg <= block_reg + 3'd1;
        end
        if (rst) open_reg <= 1'b0;
    end

    // Stage 7: the two rotated.
    reg [63:0]  rotated, rotated_head;
    reg [7:0]   write, write_head, wraps;
    reg [255:0] text_reg, text_next, head_next;
    reg [2:0]   number;

    always @* begin
        rotated      = 64'd0;
        rotated_head = 64'd0;
        write        = 8'd0;
        write_head   = 8'd0;
        wraps        = 8'd0;
        for (i = 0; i < 8; i = i + 1)
            for (m = 0; m < 8; m = m + 1) begin
                if (start6_reg[i]) begin
                    rotated[8*m +: 8] = rotated[8*m +: 8] | data_reg[8*((i + m) % 8) +: 8];
                    write[m]          = write[m] | tail_reg[(i + m) % 8];
                    if (i + m >= 8) wraps[m] = 1'b1;
                end
                if (begun_reg[i]) begin
                    rotated_head[8*m +: 8] = rotated_head[8*m +: 8] | data_reg[8*((i + m) % 8) +: 8];
                    write_head[m]          = write_head[m] | head_reg[(i + m) % 8];
                end
            end
        text_next = new_reg ? 256'd0 : text_reg;
        head_next = 256'd0;
        for (m = 0; m < 8; m = m + 1) begin
            number = block6_reg - {2'd0, wraps[m]};
            for (k = 0; k < 4; k = k + 1)
                if (write[m] && number == k[2:0]) text_next[255-8*(8*k+m) -: 8] = rotated[8*m +: 8];
            if (write_head[m]) head_next[255-8*m -: 8] = rotated_head[8*m +: 8];
        end
    end

    always @(posedge clk) if (step) begin
        text <= text_next;
        if (valid_reg) text_reg <= ends_reg ? head_next : text_next;
    end

endmodule

`default_nettype wire
