// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_pack: packs the results of a lane into memory beats.
//
// The first word of a beat is in its low bits. A FLUSH ends a beat early and leaves after it; missing words are 0,
// which is never a result.
//
// Parameters   WORD_W  width of a result in memory in bits, a power of two, at least 1
//              DATA_W  width of a beat in bits, a power of two, at least WORD_W
// Ports        flush    this is a FLUSH, its data is undefined
// Latency      1 cycle; from the last word of a beat to m_valid. A FLUSH: 1 cycle, 2 if a beat leaves before it
// Issue rate   1 word per cycle
// Overflow     cannot happen: s_ready goes low

`default_nettype none

module ws_fjoin_pack #(
    parameter WORD_W = 32,
    parameter DATA_W = 128
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire              s_flush,
    input  wire [WORD_W-1:0] s_data,

    output wire              m_valid,
    input  wire              m_ready,
    output wire              m_flush,
    output wire [DATA_W-1:0] m_data
);

    localparam PER     = DATA_W / WORD_W;           // words of a beat
    localparam PER_W   = $clog2(PER);
    localparam PLACE_W = PER_W > 0 ? PER_W : 1;
    localparam LAST    = PER - 1;

    initial if (WORD_W < 1 || DATA_W != WORD_W << PER_W) begin
        $display("ERROR: %m: WORD_W = %0d, DATA_W = %0d (that times a power of two)", WORD_W, DATA_W);
        $finish;
    end

    reg               beat_reg, flush_reg;          // a beat waits to leave; a FLUSH does, after it
    reg [PLACE_W-1:0] place_reg;                    // of the next word
    reg [DATA_W-1:0]  data_reg;
    wire              take = s_valid && s_ready;
    wire              word = take && !s_flush;
    wire              give = m_valid && m_ready;
    integer           n;

    assign s_ready = !flush_reg && (!beat_reg || m_ready);
    assign m_valid = beat_reg || flush_reg;
    assign m_flush = !beat_reg;
    assign m_data  = data_reg;

    always @(posedge clk) begin
        if (give && beat_reg) beat_reg <= 1'b0;
        if (give && !beat_reg) flush_reg <= 1'b0;
        if (word) begin
            place_reg <= (place_reg + 1'b1) & LAST[PLACE_W-1:0];
            if (place_reg == LAST[PLACE_W-1:0]) beat_reg <= 1'b1;
        end
        if (take && s_flush) begin
            flush_reg <= 1'b1;
            place_reg <= {PLACE_W{1'b0}};
            if (place_reg != 0) beat_reg <= 1'b1;
        end
        // the first word of a beat clears the places after it, so that this does not depend on whether a beat leaves
        for (n = 0; n < PER; n = n + 1)
            if (word && (place_reg == 0 || place_reg == n[PLACE_W-1:0]))
                data_reg[n*WORD_W +: WORD_W] <= s_data & {WORD_W{place_reg == n[PLACE_W-1:0]}};
        if (rst) begin
            beat_reg  <= 1'b0;
            flush_reg <= 1'b0;
            place_reg <= {PLACE_W{1'b0}};
        end
    end

`ifdef FORMAL
    // The words of a beat are counted, and an arbitrary place of it is watched.
    (* anyconst *) reg [PLACE_W-1:0] watch_any;
    wire [PLACE_W-1:0] watch = watch_any % PER;
    reg                past_valid = 1'b0;
    reg                beat_ref, flush_ref;         // what must leave: a beat, and after it a FLUSH
    integer            count_ref;                   // words in the next beat
    reg [WORD_W-1:0]   word_ref, next_ref;          // at that place, of the beat that must leave and of the next one
    wire               full_ref = word && count_ref == PER - 1;
    wire [WORD_W-1:0]  now_ref  = word && count_ref == watch ? s_data : next_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (word) count_ref <= full_ref ? 0 : count_ref + 1;
        next_ref <= now_ref;
        if (give && m_flush) flush_ref <= 1'b0;
        if (give && !m_flush) beat_ref <= 1'b0;
        if (take && s_flush) begin
            flush_ref <= 1'b1;
            count_ref <= 0;
        end
        if (full_ref || (take && s_flush && count_ref != 0)) begin
            beat_ref <= 1'b1;
            word_ref <= now_ref;
            next_ref <= 0;
        end
        if (rst) begin
            {beat_ref, flush_ref, next_ref} <= 0;
            count_ref <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            assume (!rst);
            assert (m_valid == (beat_ref || flush_ref));
            if (m_valid) assert (m_flush == !beat_ref);
            if (m_valid && !m_flush) assert (m_data[watch*WORD_W +: WORD_W] == word_ref);
            if ($past(m_valid && !m_ready && !rst))
                assert (m_valid && $stable(m_flush) && (m_flush || $stable(m_data)));
            if (!m_valid || (m_ready && !flush_ref)) assert (s_ready);

            // invariants for the induction
            assert (beat_reg == beat_ref && flush_reg == flush_ref && place_reg == count_ref);
            assert (count_ref >= 0 && count_ref < PER && (!(beat_ref || flush_ref) || count_ref == 0));
            assert (count_ref > watch || next_ref == 0);
            if (!beat_ref && count_ref != 0) assert (data_reg[watch*WORD_W +: WORD_W] == next_ref);
        end
        cover (past_valid && give && !m_flush && flush_ref);
        cover (past_valid && give && m_flush && $past(beat_ref && !m_ready, 2));
        cover (past_valid && give && word && beat_ref);
    end
`endif

endmodule

`default_nettype wire
