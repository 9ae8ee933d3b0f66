// SPDX-License-Identifier: Apache-2.0
//
// ws_comparator: the comparator of a sorting network, which puts two elements in ascending order of their keys.
//
// An element is {key, payload}. Equal keys keep their places, so that no payload is lost or doubled.
//
// Parameters   KEY_W      width of a key in bits, at least 1
//              PAYLOAD_W  width of a payload in bits, at least 0
//              SPLIT      1: it compares in one cycle and exchanges in the next; 0: it is combinational
// Latency      SPLIT cycles
// Issue rate   1 pair a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 6.3.2, figure 6.8

`default_nettype none

module ws_comparator #(
    parameter KEY_W     = 32,
    parameter PAYLOAD_W = 0,
    parameter SPLIT     = 0
) (
    input  wire                       clk,
    input  wire [KEY_W+PAYLOAD_W-1:0] a,
    input  wire [KEY_W+PAYLOAD_W-1:0] b,
    output wire [KEY_W+PAYLOAD_W-1:0] low,
    output wire [KEY_W+PAYLOAD_W-1:0] high
);

    initial if (PAYLOAD_W < 0 || (SPLIT != 0 && SPLIT != 1)) begin
        $display("ERROR: %m: PAYLOAD_W = %0d (at least 0), SPLIT = %0d (0 or 1)", PAYLOAD_W, SPLIT);
        $finish;
    end

    localparam W = KEY_W + PAYLOAD_W;

    wire         less;
    wire         exchange;
    wire [W-1:0] first, second;

    ws_less #(.KEY_W(KEY_W)) order (.a(b[W-1 -: KEY_W]), .b(a[W-1 -: KEY_W]), .less(less));
    ws_shift #(.DATA_W(2*W + 1), .N(SPLIT)) stage (
        .clk(clk), .s_data({less, a, b}), .m_data({exchange, first, second})
    );

    assign low  = exchange ? second : first;
    assign high = exchange ? first : second;

`ifdef FORMAL
    reg            past_valid = 1'b0;
    reg  [2*W-1:0] past;
    wire [2*W-1:0] in = SPLIT != 0 ? past : {a, b};

    always @(posedge clk) begin
        past_valid <= 1'b1;
        past       <= {a, b};
        if (SPLIT == 0 || past_valid) begin
            assert (low[W-1 -: KEY_W] <= high[W-1 -: KEY_W]);
            assert ({low, high} == in || {high, low} == in);
            if (in[2*W-1 -: KEY_W] == in[W-1 -: KEY_W]) assert ({low, high} == in);
        end
        cover (past_valid && {low, high} == in && low != high);
        cover (past_valid && {high, low} == in && low != high);
    end
`endif

endmodule

`default_nettype wire
