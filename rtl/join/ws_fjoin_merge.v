// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_merge: merges two streams of results into one; a node of FJoin's result tree.
//
// The arbitration is round-robin, from input 0 on. A FLUSH waits for that of the other input; both leave as one, after
// all results before them.
//
// Parameters   DATA_W  width of a result in bits, at least 1
// Ports        s_*      of two inputs, input 0 in the low bits
//              flush    this is a FLUSH, its data is undefined
// Latency      1 cycle
// Issue rate   1 result per cycle
// Overflow     cannot happen: s_ready goes low

`default_nettype none

module ws_fjoin_merge #(
    parameter DATA_W = 32
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [1:0]          s_valid,
    output wire [1:0]          s_ready,
    input  wire [1:0]          s_flush,
    input  wire [2*DATA_W-1:0] s_data,

    output wire                m_valid,
    input  wire                m_ready,
    output wire                m_flush,
    output wire [DATA_W-1:0]   m_data
);

    initial if (DATA_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1)", DATA_W);
        $finish;
    end

    wire [1:0]      results = s_valid & ~s_flush;
    wire            flush   = &(s_valid & s_flush);
    reg             turn_reg;                       // of input 1
    wire            give_1  = results[1] && (turn_reg || !results[0]);
    wire            give_0  = results[0] && !give_1;
    wire            ready;
    wire            valid   = |results || flush;
    wire [DATA_W:0] word    = {flush, give_1 ? s_data[DATA_W +: DATA_W] : s_data[0 +: DATA_W]};

    assign s_ready = {2{ready}} & ({give_1, give_0} | {2{flush}});

    always @(posedge clk) begin
        if (ready) turn_reg <= give_0;
        if (rst) turn_reg <= 1'b0;
    end

    ws_skid_buffer #(.DATA_W(DATA_W + 1)) out_slice (
        .clk(clk), .rst(rst),
        .s_valid(valid), .s_ready(ready), .s_data(word),
        .m_valid(m_valid), .m_ready(m_ready), .m_data({m_flush, m_data})
    );

`ifdef FORMAL
    // ws_skid_buffer's own proof shows that nothing is lost or reordered after the multiplexer. Here: what is taken is
    // what the multiplexer passes on, and an input that waits is next.
    reg        past_valid = 1'b0;
    wire [1:0] taken = s_valid & s_ready;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        else begin
            if (ready) begin
                assert ((|taken) == valid && valid == (results != 0 || flush));
                assert (!flush || taken == 2'b11);
                if (!flush) assert (taken != 2'b11 && (taken & s_flush) == 0);
            end else assert (taken == 0);
            // what is taken is passed on
            if (taken == 2'b01) assert (word == {1'b0, s_data[0 +: DATA_W]});
            if (taken == 2'b10) assert (word == {1'b0, s_data[DATA_W +: DATA_W]});
            if (taken == 2'b11) assert (word[DATA_W]);
            if ($past(rst) && results[0] && ready) assert (taken == 2'b01);
            if ($past(!rst && taken == 2'b01) && results[1] && ready) assert (taken == 2'b10);
            if ($past(!rst && taken == 2'b10) && results[0] && ready) assert (taken == 2'b01);
        end
        cover (past_valid && taken == 2'b01 && $past(taken == 2'b10) && $past(taken == 2'b01, 2));
        cover (past_valid && m_valid && m_flush && $past(!(|taken) && s_valid != 0));
    end
`endif

endmodule

`default_nettype wire
