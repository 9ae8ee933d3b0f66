// SPDX-License-Identifier: Apache-2.0
//
// ws_sort_key: the key bits of one field of an ORDER BY, so that ws_less orders keys as SQL orders values.
//
// A key of several fields is their key bits, the first field in the most significant. A floating-point number is made
// an unsigned one: all bits of a negative number are inverted, of others the sign. As in Spark, -0.0 equals 0.0, all
// NaNs are equal, and a NaN is larger than any number. Nulls are equal: their bits do not depend on the field.
// With another FORM than "FLOAT" it is its own inverse: the bits of a key without that of null, as `value`, give back the
// field.
//
// Parameters   W         width of the field in bits, at least 1
//              FORM      how the field is encoded, "UNSIGNED", "SIGNED" or "FLOAT"; "UNSIGNED" is also for text, its
//                        first byte in the most significant bits, and for bool; "SIGNED" is two's complement, also for
//                        decimals and times; "FLOAT" is IEEE 754 binary32 or binary64, W is 32 or 64
//              DESC      1: descending; 0: ascending
//              NULLABLE  1: the field may be null, which takes a bit of the key; 0: it never is, and `null` is ignored
//              LAST      1: nulls are after all values; 0: before them
// Latency      0 cycles
// Issue rate   1 field a cycle
// Source       the semantics are those of Spark SQL's ORDER BY

`default_nettype none

module ws_sort_key #(
    parameter        W        = 32,
    parameter [63:0] FORM     = "SIGNED",
    parameter        DESC     = 0,
    parameter        NULLABLE = 0,
    parameter        LAST     = 0
) (
    input  wire [W-1:0]          value,
    input  wire                  null,
    output wire [NULLABLE+W-1:0] key
);

    initial begin
        if (W < 1) begin
            $display("ERROR: %m: W = %0d (at least 1)", W);
            $finish;
        end
        if (FORM != "UNSIGNED" && FORM != "SIGNED" && (FORM != "FLOAT" || (W != 32 && W != 64))) begin
            $display("ERROR: %m: FORM = \"%0s\", must be UNSIGNED, SIGNED, or FLOAT with W = 32 or 64", FORM);
            $finish;
        end
        if ((DESC != 0 && DESC != 1) || (NULLABLE != 0 && NULLABLE != 1) || (LAST != 0 && LAST != 1)) begin
            $display("ERROR: %m: DESC = %0d, NULLABLE = %0d, LAST = %0d: must be 0 or 1", DESC, NULLABLE, LAST);
            $finish;
        end
    end

    wire [W-1:0] ascending;

    generate
        if (FORM == "FLOAT") begin : gen_float
            localparam EXPONENT_W = W == 64 ? 11 : 8;
            localparam FRACTION_W = W - 1 - EXPONENT_W;

            wire nan      = &value[FRACTION_W +: EXPONENT_W] && |value[FRACTION_W-1:0];
            wire negative = value[W-1] && |value[W-2:0];    // -0.0 is not

            assign ascending = {W{nan}} | ({1'b1, value[W-2:0]} ^ {W{negative}});
        end else if (FORM == "SIGNED") begin : gen_signed
            if (W == 1) begin : gen_bit
                assign ascending = ~value;
            end else begin : gen_wide
                assign ascending = {!value[W-1], value[W-2:0]};
            end
        end else begin : gen_unsigned
            assign ascending = value;
        end
    endgenerate

    wire [W-1:0] ordered = ascending ^ {W{DESC != 0}};

    generate
        if (NULLABLE == 0) begin : gen_value
            wire unused = null;
            assign key = ordered;
        end else begin : gen_nullable
            assign key = {null ^ (LAST == 0), ordered & {W{!null}}};
        end
    endgenerate

endmodule

`default_nettype wire
