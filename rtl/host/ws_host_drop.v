// SPDX-License-Identifier: Apache-2.0
//
// ws_host_drop: drops the rows for which there is no room, and keeps what must not be lost: punctuations and the starts
// of sessions.
//
// While m is not ready a row is dropped whole. A punctuation waits here, one for each stream: it replaces an earlier
// one of its stream, which it implies. The start of a session waits too, and replaces all punctuations of the session
// before it. What waits is output first, then rows pass again.
//
// Parameters   DATA_W   width of a row in bits, at least 1
//              STREAMS  streams whose punctuations can wait, 1 to 16
// Ports        s_kind       0: a row; 1: a punctuation; 2: the start of a session; as those of m
//              evt_dropped  a row was dropped in the previous cycle; evt_merged: something that waited was replaced
// Latency      0 cycles; while nothing waits
// Issue rate   1 item per cycle; while something waits and m is ready, s waits for it
// Overflow     rows are dropped, counted by evt_dropped. s waits for m only with punctuations of more than STREAMS
//              streams
// Bad input    kind 3 counts as a punctuation
// Source       ours

`default_nettype none

module ws_host_drop #(
    parameter DATA_W  = 192,
    parameter STREAMS = 1
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [1:0]        s_kind,
    input  wire [15:0]       s_stream,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data,
    output wire [1:0]        m_kind,
    output wire [15:0]       m_stream,

    output reg               evt_dropped,
    output reg               evt_merged
);

    initial if (DATA_W < 1 || STREAMS < 1 || STREAMS > 16) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), STREAMS = %0d (1 to 16)", DATA_W, STREAMS);
        $finish;
    end

    localparam [1:0] KIND_ROW = 2'd0, KIND_PUNCT = 2'd1, KIND_START = 2'd2;

    // Places for punctuations, and for a start
    reg  [STREAMS-1:0]        held_reg;
    reg  [16*STREAMS-1:0]     stream_reg;
    reg  [DATA_W*STREAMS-1:0] data_reg;
    reg                       start_reg;
    reg  [15:0]               start_stream_reg;
    reg  [DATA_W-1:0]         start_data_reg;

    // One-hot: the place that an arriving punctuation takes, the one that is output
    reg  [STREAMS-1:0]        same, put, first;
    reg  [DATA_W-1:0]         data;
    reg  [15:0]               stream;
    integer                   i;
    wire                      waits   = start_reg || held_reg != 0;
    wire                      is_row  = s_kind == KIND_ROW;
    wire                      is_start = s_kind == KIND_START;
    wire                      pass    = !waits && m_ready;
    wire                      place   = is_row || is_start || put != 0;
    wire                      take    = s_valid && s_ready;
    wire                      keep    = take && !pass && !is_row;

    always @* begin
        for (i = 0; i < STREAMS; i = i + 1) same[i] = held_reg[i] && stream_reg[16*i +: 16] == s_stream;
        put   = same != 0 ? same : ~held_reg & (held_reg + 1'b1);
        first = held_reg & (~held_reg + 1'b1);
        {stream, data} = {start_stream_reg, start_data_reg} & {DATA_W+16{start_reg}};
        for (i = 0; i < STREAMS; i = i + 1)
            if (first[i] && !start_reg) {stream, data} = {stream_reg[16*i +: 16], data_reg[DATA_W*i +: DATA_W]};
    end

    assign s_ready  = waits ? !m_ready && place : m_ready || place;
    assign m_valid  = waits || s_valid;
    assign m_kind   = start_reg ? KIND_START : waits ? KIND_PUNCT : s_kind;
    assign m_stream = waits ? stream : s_stream;
    assign m_data   = waits ? data : s_data;

    always @(posedge clk) begin
        if (waits && m_ready) begin
            start_reg <= 1'b0;
            if (!start_reg) held_reg <= held_reg & ~first;
        end
        if (keep) begin
            if (is_start) begin
                held_reg         <= {STREAMS{1'b0}};
                start_reg        <= 1'b1;
                start_stream_reg <= s_stream;
                start_data_reg   <= s_data;
            end else held_reg <= held_reg | put;
        end
        for (i = 0; i < STREAMS; i = i + 1)
            if (keep && put[i]) {stream_reg[16*i +: 16], data_reg[DATA_W*i +: DATA_W]} <= {s_stream, s_data};
        evt_dropped <= take && !pass && is_row;
        evt_merged  <= keep && (is_start ? waits : same != 0);
        if (rst) begin
            held_reg    <= {STREAMS{1'b0}};
            start_reg   <= 1'b0;
            evt_dropped <= 1'b0;
            evt_merged  <= 1'b0;
        end
    end

`ifdef FORMAL
    // The order of one stream is kept: of an arbitrary one, the last item that is not a row is watched, with what was
    // output of it.
    (* anyconst *) wire [15:0] watch_ref;
    reg               past_valid = 1'b0;
    reg               wait_ref, start_ref;      // a punctuation of the stream waits; a start does
    reg  [DATA_W-1:0] data_ref;
    reg  [DATA_W+15:0] begin_ref;               // the start
    wire              mine   = s_stream == watch_ref;
    wire              give   = m_valid && m_ready;
    wire              kept   = take && !(m_ready && !waits) && s_kind != KIND_ROW;
    reg  [STREAMS-1:0] here;
    integer           k, n;

    always @* for (k = 0; k < STREAMS; k = k + 1) here[k] = held_reg[k] && stream_reg[16*k +: 16] == watch_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (give && wait_ref && !start_ref && m_stream == watch_ref) wait_ref <= 1'b0;
        if (give && start_ref) start_ref <= 1'b0;
        if (kept && is_start) {start_ref, wait_ref, begin_ref} <= {2'b10, s_stream, s_data};
        if (kept && !is_start && mine) {wait_ref, data_ref} <= {1'b1, s_data};
        if (rst) {start_ref, wait_ref} <= 2'b00;

        if (!past_valid) assume (rst);
        else begin
            assume (!rst && s_kind != 3);

            // what is taken passes, or it is a row and dropped, or it waits
            if (take && !pass) assert (!(give && !waits));
            if (give && !waits) assert (take && {m_data, m_kind, m_stream} == {s_data, s_kind, s_stream});
            assert (evt_dropped == $past(take && !give && is_row && !rst));
            // while m is ready nothing is dropped, and s waits for what waits here
            if (m_ready && waits) assert (!s_ready);
            if (!m_ready && (is_row || is_start || here != 0 || held_reg != {STREAMS{1'b1}})) assert (s_ready || !mine);
            // a start is output first, then the last punctuation of each stream
            if (give && start_ref) assert (m_kind == KIND_START && {m_stream, m_data} == begin_ref);
            if ($past(mine || is_start || rst))
                assert (evt_merged == $past(kept && !rst && (is_start ? waits : wait_ref)));
            if (give && waits && !start_ref) assert (m_kind == KIND_PUNCT);
            if (give && waits && !start_ref && m_stream == watch_ref) assert (wait_ref && m_data == data_ref);
            if (give && !waits) assert (!wait_ref && !start_ref);
            // no stream waits in two places
            assert ((here & (here - 1'b1)) == 0);

            // invariants for the induction
            assert (start_reg == start_ref && wait_ref == (here != 0));
            if (start_ref) assert ({start_stream_reg, start_data_reg} == begin_ref);
            if ($past(rst)) assert (!waits && !evt_merged);
            for (n = 0; n < STREAMS; n = n + 1) if (here[n]) assert (data_reg[DATA_W*n +: DATA_W] == data_ref);
        end
        cover (past_valid && evt_dropped && $past(evt_merged) && held_reg == {STREAMS{1'b1}});
        cover (past_valid && give && start_ref && held_reg != 0);
        cover (past_valid && s_valid && !s_ready && !m_ready);
    end
`endif

endmodule

`default_nettype wire
