// SPDX-License-Identifier: Apache-2.0
//
// ws_joined_entry: the entry of a query with a join, whose tuples and rows may have to wait (see ws_query_join).
//
// Tuples pass while the query is ready. A sender's punctuation has no meaning for such a query and is dropped. A START
// item ends the session: an eos follows the tuples through the query, and when it leaves the query all rows have left;
// then m_restart resets the query for one cycle. A change of run-time constants drains the query in the same way.
//
// Parameters   DATA_W    width of the tuple in bits, at least 1
// Ports        s_kind    0 tuple, 1 a sender's punctuation, 2 START
//              ready     of the query: a tuple or an eos may be sent in the next cycle
//              ended     the eos has left the query, and every row before it is in the output FIFO
//              ask       requests that the query be empty; quiet says that it is, until a tuple comes
// Latency      2 cycles; from s to m
// Issue rate   1 tuple per cycle; while the query is ready
// Overflow     cannot happen: s_ready goes low
// Source       ours, docs/joins.md

`default_nettype none

module ws_joined_entry #(
    parameter DATA_W = 128
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [1:0]        s_kind,

    output reg               m_valid,
    output wire              m_punct,
    output reg               m_eos,
    output reg  [DATA_W-1:0] m_data,
    output reg               m_restart,

    input  wire              ready,
    input  wire              ended,
    input  wire              ask,
    output reg               quiet
);

    localparam [1:0] KIND_TUPLE = 2'd0, KIND_START = 2'd2;

    initial if (DATA_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d: must be at least 1", DATA_W);
        $finish;
    end

    wire              in_valid, in_ready;
    wire [DATA_W-1:0] in_data;
    wire [1:0]        in_kind;

    ws_skid_buffer #(.DATA_W(DATA_W + 2)) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data({s_kind, s_data}),
        .m_valid(in_valid), .m_ready(in_ready), .m_data({in_kind, in_data})
    );

    reg  empty_reg;             // every tuple sent is followed by an eos that has left the query
    reg  eos_reg;               // an eos is in flight
    wire tuple   = in_valid && in_kind == KIND_TUPLE;
    wire start   = in_valid && in_kind == KIND_START;
    wire send    = tuple && ready && !eos_reg;
    wire follow  = (start || (ask && !in_valid)) && ready && !empty_reg && !eos_reg;
    wire restart = start && empty_reg;

    assign in_ready = tuple ? send : start ? restart : 1'b1;
    assign m_punct  = 1'b0;

    always @(posedge clk) begin
        m_valid   <= send && !rst;
        m_eos     <= follow && !rst;
        m_restart <= restart && !rst;
        m_data    <= in_data;
        quiet     <= ask && !in_valid && empty_reg && !rst;
        if (follow) eos_reg <= 1'b1;
        if (eos_reg && ended) {eos_reg, empty_reg} <= 2'b01;
        if (send) empty_reg <= 1'b0;
        if (rst) {eos_reg, empty_reg} <= 2'b01;
    end

`ifdef FORMAL
    // The query downstream is anything that outputs an eos for each that it takes; `inside_ref`: it may hold rows.
    reg past_valid = 1'b0;
    reg inside_ref, sent_eos_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (m_valid) inside_ref <= 1'b1;
        else if (ended) inside_ref <= 1'b0;
        if (m_eos) sent_eos_ref <= 1'b1;
        else if (ended) sent_eos_ref <= 1'b0;
        if (rst) {inside_ref, sent_eos_ref} <= 2'b00;

        if (!past_valid) assume (rst);
        else begin
            assume (!ended || sent_eos_ref);
            // at m_restart and quiet the query is empty, and no tuple is sent while an eos is in flight
            if (m_restart || quiet) assert (!inside_ref && !m_valid && !sent_eos_ref);
            if (sent_eos_ref) assert (!m_valid && !m_eos);
            assert (m_valid + m_eos + m_restart <= 1);
            // each tuple once, one cycle after it left the skid buffer; nothing else
            assert (m_valid == $past(in_valid && in_kind == 2'd0 && in_ready && !rst));
            assert (m_restart == $past(in_valid && in_kind == 2'd2 && in_ready && !rst));
            if (m_valid) assert (m_data == $past(in_data));
            if (m_valid || m_eos) assert ($past(ready));
            // an eos as soon as a START or `ask` waits for one
            assert (m_eos == $past((in_valid ? in_kind == 2'd2 : ask) && ready && !empty_reg && !eos_reg && !rst));
            // any other item is dropped
            if (in_valid && in_kind[0]) assert (in_ready);

            // invariants for the induction
            assert (eos_reg == (sent_eos_ref || m_eos));
            if (empty_reg) assert (!inside_ref && !m_valid && !eos_reg);
        end
        cover (past_valid && m_restart && $past(ended, 2));
        cover (past_valid && quiet && $past(ended && !rst, 2));
    end
`endif

endmodule

`default_nettype wire
