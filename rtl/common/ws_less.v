// SPDX-License-Identifier: Apache-2.0
//
// ws_less: a < b of two unsigned keys, the sign of their difference.
//
// A key of several fields is their concatenation, the first in the most significant bits; ws_sort_key makes key bits of
// a signed, floating-point, descending or nullable field. Whatever decides before the key, such as a valid bit, is an
// upper bit of it too, and not a gate after `less`: the carry chain ends in `less`, and synthesis cannot merge it with
// the multiplexers that it selects. A comparison that ends in a LUT is merged into every one of them, at 2.5 times the
// cells.
//
// Parameters   KEY_W  width of a key in bits, at least 1
// Latency      0 cycles
// Issue rate   1 comparison a cycle
// Source       ours

`default_nettype none

module ws_less #(
    parameter KEY_W = 32
) (
    input  wire [KEY_W-1:0] a,
    input  wire [KEY_W-1:0] b,
    output wire             less
);

    initial if (KEY_W < 1) begin
        $display("ERROR: %m: KEY_W = %0d (at least 1)", KEY_W);
        $finish;
    end

    wire [KEY_W:0] difference = {1'b0, a} - {1'b0, b};
    wire           unused     = &{1'b0, difference[KEY_W-1:0]};

    assign less = difference[KEY_W];

`ifdef FORMAL
    // The first bit in which the keys differ decides.
    integer         i;
    reg             less_ref;
    reg [KEY_W-1:0] sum_ref;

    always @* begin
        less_ref = 1'b0;
        for (i = 0; i < KEY_W; i = i + 1) if (a[i] != b[i]) less_ref = b[i];
        sum_ref = difference[KEY_W-1:0] + b;
        assert (less == less_ref);
        assert (sum_ref == a);
        cover (less);
        cover (!less && a != b);
    end
`endif

endmodule

`default_nettype wire
