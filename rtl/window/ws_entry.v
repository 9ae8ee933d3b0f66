// SPDX-License-Identifier: Apache-2.0
//
// ws_entry: the entry of a query without time windows; it admits a tuple only while the query's output FIFO has room
// for the rows.
//
// Tuples pass in order. A sender's punctuation has no meaning for such a query and is dropped. A START item ends the
// session: once everything sent before has reached the output FIFO, m_restart resets the query for one cycle, and takes
// as many places of the FIFO as a tuple.
//
// Parameters   DATA_W        width of the tuple in bits, at least 1
//              INTERVAL      minimum distance between two tuples in cycles, at least 1
//              RESET_CYCLES  minimum distance from m_restart or rst to a tuple in cycles, at least 1
//              LATENCY       cycles from the decision, one before m_valid, to the cycle in which `room` reflects the
//                            last place taken, at least 2; see ws_gate
//              TUPLE_PLACES  maximum number of output FIFO places that one tuple takes, at least 1
//              ROOM_W        width of `room` in bits, at least 1; 2**ROOM_W must be more than 2 * TUPLE_PLACES
//              DRAIN_CYCLES  see ws_gate
// Items        s_kind 0 tuple, 1 a sender's punctuation, 2 START
// Ports        quiet: nothing is in flight to the output FIFO, so a setting that changes at the end of such a cycle
//              changes between two tuples. It rises LATENCY + 1 cycles after the last m_valid, or
//              DRAIN_CYCLES + 1, if that is later
// Latency      2 cycles; from s to m. m_restart comes at least LATENCY + 1 cycles after a tuple's m_valid
// Issue rate   1 tuple or START per INTERVAL cycles; while (LATENCY + 2) * TUPLE_PLACES places are free
// Overflow     cannot happen: s_ready goes low
// Source       ours, docs/windows.md

`default_nettype none

module ws_entry #(
    parameter DATA_W       = 128,
    parameter INTERVAL     = 1,
    parameter RESET_CYCLES = 1,
    parameter LATENCY      = 8,
    parameter TUPLE_PLACES = 1,
    parameter ROOM_W       = 8,
    parameter DRAIN_CYCLES = 0
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,
    input  wire [1:0]        s_kind,

    output reg               m_valid,
    output wire              m_punct,
    output wire              m_eos,
    output reg  [DATA_W-1:0] m_data,
    output reg               m_restart,

    input  wire [ROOM_W-1:0] room,       // free places of the output FIFO
    output reg               quiet
);

    initial if (RESET_CYCLES < 1) begin
        $display("ERROR: %m: RESET_CYCLES = %0d (at least 1)", RESET_CYCLES);
        $finish;
    end

    localparam [1:0] KIND_TUPLE = 2'd0, KIND_START = 2'd2;

    initial if (DATA_W < 1 || INTERVAL < 1 || TUPLE_PLACES < 1) begin
        $display("ERROR: %m: DATA_W = %0d, INTERVAL = %0d, TUPLE_PLACES = %0d: must be at least 1",
                 DATA_W, INTERVAL, TUPLE_PLACES);
        $finish;
    end

    // ---- Entry: s_ready is a register

    wire              in_valid, in_ready;
    wire [DATA_W-1:0] in_data;
    wire [1:0]        in_kind;

    ws_skid_buffer #(.DATA_W(DATA_W + 2)) entry (
        .clk(clk), .rst(rst),
        .s_valid(s_valid), .s_ready(s_ready), .s_data({s_kind, s_data}),
        .m_valid(in_valid), .m_ready(in_ready), .m_data({in_kind, in_data})
    );

    // ---- Decision

    wire may, idle;
    wire tuple   = in_valid && in_kind == KIND_TUPLE;
    wire start   = in_valid && in_kind == KIND_START;
    wire send    = tuple && may;
    wire restart = start && may && idle;

    assign in_ready = tuple ? may : start ? restart : 1'b1;

    // The gate treats a tuple as it treats a punctuation of time windows: it causes rows, and has a minimum distance.
    /* verilator lint_off PINCONNECTEMPTY */
    ws_gate #(
        .LATENCY(LATENCY), .CLOSE_CYCLES(INTERVAL), .RESET_CYCLES(RESET_CYCLES > INTERVAL ? RESET_CYCLES : INTERVAL),
        .CLOSE_PLACES(TUPLE_PLACES), .TUPLE_PLACES(0), .ROOM_W(ROOM_W), .DRAIN_CYCLES(DRAIN_CYCLES)
    ) gate (
        .clk(clk), .rst(rst),
        .sent_punct(send || restart), .sent_tuple(1'b0), .restart(restart), .room(room),
        .may_punct(may), .may_tuple(), .idle(idle)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // ---- Output registers

    always @(posedge clk) begin
        m_valid   <= send && !rst;
        m_restart <= restart && !rst;
        m_data    <= in_data;
        quiet     <= !in_valid && idle && !rst;
    end

    assign m_punct = 1'b0;
    assign m_eos   = 1'b0;

`ifdef FORMAL
    // The skid buffer and the gate have proofs of their own: items are kept, the FIFO does not overflow. Here: what
    // happens to each item, and that the gate is obeyed.
    localparam MOST = INTERVAL > LATENCY ? INTERVAL : LATENCY + 1;
    reg        past_valid = 1'b0;
    integer    since_ref;               // cycles since m_valid or m_restart, up to MOST
    integer    since_reset_ref;         // since m_restart or rst, up to RESET_CYCLES
    reg        leaves_ref;

    always @* case (in_kind)
        2'd0:    leaves_ref = in_valid && may;
        2'd2:    leaves_ref = in_valid && may && idle;
        default: leaves_ref = in_valid;
    endcase

    always @(posedge clk) begin
        past_valid <= 1'b1;
        since_ref  <= rst ? MOST : m_valid || m_restart ? 1 : since_ref + (since_ref < MOST);

        since_reset_ref <= rst || m_restart ? 1 : since_reset_ref + (since_reset_ref < RESET_CYCLES);

        if (!past_valid) assume (rst);
        else begin
            if (in_valid) assert (in_ready == leaves_ref);
            // each tuple and each START once, one cycle after it left the skid buffer; nothing else
            assert (m_valid == $past(leaves_ref && in_kind == 2'd0 && !rst));
            assert (m_restart == $past(leaves_ref && in_kind == 2'd2 && !rst));
            if (m_valid) assert (m_data == $past(in_data));
            assert (!m_punct && !m_eos);
            // tuples keep their distance; a restart waits until everything has reached the FIFO
            if (m_valid || m_restart) assert (since_ref >= INTERVAL);
            if (m_restart) assert (since_ref > LATENCY);
            if (m_valid) assert (since_reset_ref >= RESET_CYCLES);
            // quiet: nothing waits, nothing is in flight
            if (!$past(rst)) assert (quiet == (since_ref > LATENCY && !m_valid && !m_restart && $past(!in_valid)));
            else assert (!quiet);

            // invariants for the induction
            assert (since_ref >= 1 && since_ref <= MOST);
            assert (since_reset_ref >= 1 && since_reset_ref <= RESET_CYCLES);
        end
        cover (past_valid && m_restart && $past(m_valid, LATENCY + 1));
        cover (past_valid && m_valid && $past(m_valid, INTERVAL));
        cover (past_valid && quiet && $past(m_valid, LATENCY + 1));
    end
`endif

endmodule

`default_nettype wire
