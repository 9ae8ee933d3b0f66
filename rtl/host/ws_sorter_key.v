// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_key: brings the key of a record to its low bits, as an unsigned number in ascending order, or back.
//
// A record is rotated by bytes, so that its key is in the low bits; its bytes are reversed if it is big-endian, its
// sign bit is inverted if it is signed, and all its bits if the order is descending. No bit is lost.
//
// Parameters   RECORD_W  width of a record in bits, a power of two, 8 to 1024; its first byte in memory is in the low bits
//              KEY_W     width of the key in bits, a multiple of 8, 8 to RECORD_W
//              INVERSE   0: from memory; 1: back
// Ports        offset   bytes before the key, at most (RECORD_W - KEY_W) / 8; like the other settings constant while
//                       records are inside
//              move     the records inside go on, and `record` enters
// Latency      log2(RECORD_W / 8) + 1 cycles in which `move` is high
// Issue rate   1 record a cycle
// Source       ours

`default_nettype none

module ws_sorter_key #(
    parameter RECORD_W = 64,
    parameter KEY_W    = 32,
    parameter INVERSE  = 0
) (
    input  wire                clk,

    input  wire [6:0]          offset,
    input  wire                big_endian,
    input  wire                signed_,
    input  wire                descending,
    input  wire                move,
    input  wire [RECORD_W-1:0] record,
    output wire [RECORD_W-1:0] result
);

    localparam BYTES   = RECORD_W / 8;
    localparam BYTES_W = $clog2(BYTES);

    initial if (RECORD_W < 8 || RECORD_W > 1024 || RECORD_W != 8 << BYTES_W || KEY_W < 8 || KEY_W > RECORD_W
                || KEY_W % 8 != 0 || INVERSE < 0 || INVERSE > 1) begin
        $display("ERROR: %m: RECORD_W = %0d (a power of two, 8 to 1024), KEY_W = %0d (a multiple of 8, to RECORD_W), INVERSE = %0d",
                 RECORD_W, KEY_W, INVERSE);
        $finish;
    end

    // Step i rotates by 2**i bytes, to the right or back, and one step changes the key. A register follows each.
    reg  [RECORD_W-1:0]             changed_reg;
    wire [(BYTES_W+1)*RECORD_W-1:0] rotated;
    wire [RECORD_W-1:0]             turned = rotated[BYTES_W*RECORD_W +: RECORD_W];
    wire [RECORD_W-1:0]             plain  = INVERSE != 0 ? record : turned;
    wire [RECORD_W-1:0]             changed;
    wire [KEY_W-1:0]                flips   = {KEY_W{descending}} ^ {signed_, {KEY_W-1{1'b0}}};
    wire [KEY_W-1:0]                flipped = plain[KEY_W-1:0] ^ flips;
    wire [KEY_W-1:0]                in      = INVERSE != 0 ? flipped : plain[KEY_W-1:0];
    wire [KEY_W-1:0]                reversed;
    wire [KEY_W-1:0]                ordered = big_endian ? reversed : in;
    wire [KEY_W-1:0]                key     = INVERSE != 0 ? ordered : ordered ^ flips;
    wire                            unused  = &{1'b0, offset, flipped};

    genvar i;
    generate
        for (i = 0; i < KEY_W; i = i + 8) begin : gen_byte
            assign reversed[i +: 8] = in[KEY_W-8-i +: 8];
        end

        assign rotated[0 +: RECORD_W] = INVERSE != 0 ? changed_reg : record;
        for (i = 0; i < BYTES_W; i = i + 1) begin : gen_rotate
            localparam BY = INVERSE != 0 ? RECORD_W - (8 << i) : 8 << i;
            wire [RECORD_W-1:0] from = rotated[i*RECORD_W +: RECORD_W];
            reg  [RECORD_W-1:0] to_reg;

            assign rotated[(i+1)*RECORD_W +: RECORD_W] = to_reg;

            always @(posedge clk) if (move) to_reg <= offset[i] ? {from[BY-1:0], from[RECORD_W-1:BY]} : from;
        end

        if (KEY_W == RECORD_W) begin : gen_all
            assign changed = key;
        end else begin : gen_rest
            assign changed = {plain[RECORD_W-1:KEY_W], key};
        end
    endgenerate

    assign result = INVERSE != 0 ? turned : changed_reg;

    always @(posedge clk) if (move) changed_reg <= changed;

endmodule

`default_nettype wire
