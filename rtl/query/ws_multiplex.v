// SPDX-License-Identifier: Apache-2.0
//
// ws_multiplex: the union of N streams of which at most one is active in a cycle; it needs no FIFO.
//
// It replaces ws_union where the plan knows that the inputs alternate, as the sub-plans of a window do.
//
// Parameters   DATA_W       width of the tuple in bits, at least 1
//              N            inputs, at least 1; input 0 has the low bits of every s_* port
//              SILENT       1: the data of an inactive input is 0, so that no selection is needed
//              REGISTERED   1: the outputs are registers; 0: the outputs are combinational
// Latency      REGISTERED cycles
// Issue rate   1 tuple a cycle, from any input
// Bad input    more than one active input (valid, punct or eos) in a cycle: their tuples and punctuations are lost, an
//              eos is not; evt_collision is high in the cycle in which they would have left
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.5.3

`default_nettype none

module ws_multiplex #(
    parameter DATA_W     = 128,
    parameter N          = 2,
    parameter SILENT     = 0,
    parameter REGISTERED = 1
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [N-1:0]        s_valid,
    input  wire [N-1:0]        s_punct,
    input  wire [N-1:0]        s_eos,
    input  wire [N*DATA_W-1:0] s_data,

    output wire                m_valid,
    output wire                m_punct,
    output wire                m_eos,
    output wire [DATA_W-1:0]   m_data,

    output wire                evt_collision
);

    initial if (SILENT != 0 && SILENT != 1) begin
        $display("ERROR: %m: SILENT = %0d (0 or 1)", SILENT);
        $finish;
    end

    initial if (N < 1 || (REGISTERED != 0 && REGISTERED != 1)) begin
        $display("ERROR: %m: N = %0d (at least 1), REGISTERED = %0d (0 or 1)", N, REGISTERED);
        $finish;
    end

    wire [N-1:0]      active = s_valid | s_punct | s_eos;
    reg  [2*N-1:0]    some, more;    // below node n of a tree: an active input, more than one; its root is 1
    wire              collision = more[1];
    reg  [DATA_W-1:0] data;
    integer           i, n;

    always @* begin
        some = {active, {N{1'b0}}};
        more = {2*N{1'b0}};
        for (n = N - 1; n > 0; n = n - 1) begin
            some[n] = some[2*n] || some[2*n+1];
            more[n] = more[2*n] || more[2*n+1] || (some[2*n] && some[2*n+1]);
        end
    end

    always @* begin
        data = {DATA_W{1'b0}};
        for (i = 0; i < N; i = i + 1)
            data = data | (s_data[i*DATA_W +: DATA_W] & {DATA_W{SILENT != 0 || active[i]}});
    end

    ws_delay #(.DATA_W(DATA_W), .N(REGISTERED)) out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(|s_valid && !collision),
        .s_punct(|s_punct && !collision),
        .s_eos  (|s_eos),
        .s_data (data),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

    // The event in step with them
    wire [2:0] unused;

    ws_delay #(.DATA_W(1), .N(REGISTERED)) event_out (
        .clk    (clk),
        .rst    (rst),
        .s_valid(collision),
        .s_punct(1'b0),
        .s_eos  (1'b0),
        .s_data (1'b0),
        .m_valid(evt_collision),
        .m_punct(unused[2]),
        .m_eos  (unused[1]),
        .m_data (unused[0])
    );

`ifdef FORMAL
    // Input by input: the item of the only active one leaves; if two are active, only eos and the event.
    reg               past_valid = 1'b0;
    reg               valid_ref, punct_ref, eos_ref, rst_ref;
    reg               valid_now, punct_now, eos_now;
    reg  [DATA_W-1:0] data_ref, data_now;
    reg  [31:0]       count_now, count_ref;
    reg  [DATA_W+34:0] past_ref;
    integer           j;

    always @* begin
        {valid_now, punct_now, eos_now} = 3'b000;
        data_now  = 0;
        count_now = 0;
        for (j = 0; j < N; j = j + 1)
            if (!s_valid[j] && !s_punct[j] && !s_eos[j]) begin
                if (SILENT != 0) assume (s_data[j*DATA_W +: DATA_W] == 0);
            end else begin
                count_now = count_now + 1;
                valid_now = s_valid[j];
                punct_now = s_punct[j];
                eos_now   = eos_now || s_eos[j];
                data_now  = s_data[j*DATA_W +: DATA_W];
            end
        if (REGISTERED != 0) {count_ref, valid_ref, punct_ref, eos_ref, data_ref} = past_ref;
        else
            {count_ref, valid_ref, punct_ref, eos_ref, data_ref}
                = {count_now, valid_now, punct_now, eos_now, data_now};
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        past_ref   <= {count_now, valid_now, punct_now, eos_now, data_now};
        rst_ref    <= rst;
        if (!past_valid) assume (rst);
        else if (REGISTERED != 0 && rst_ref) assert (!m_valid && !m_punct && !m_eos && !evt_collision);
        else begin
            assert (evt_collision == (count_ref > 1));
            assert (m_valid == (count_ref == 1 && valid_ref) && m_punct == (count_ref == 1 && punct_ref));
            assert (m_eos == eos_ref);
            if (count_ref == 1) assert (m_data == data_ref);
        end
        cover (past_valid && evt_collision && m_eos);
        cover (past_valid && m_valid && m_eos && m_data != 0);
    end
`endif

endmodule

`default_nettype wire
