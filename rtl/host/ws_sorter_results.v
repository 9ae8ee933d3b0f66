// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_results: writes the records of a pass to memory, without those that the job does not want.
//
// The records of a stream go to an array, as many to an order of ws_axi_writer as there are before the next multiple of
// BURST beats. In the last pass only the first of equal keys may be wanted, and only some records.
//
// Parameters   DATA_W   width of a record, and of the memory port, in bits, a power of two, 16 to 1024
//              KEY_W    width of its key, in the low bits, 1 to DATA_W
//              ADDR_W   width of a byte address in bits, at least 1; wider than the offset within a burst
//              COUNT_W  width of a number of records in bits, 1 to 32
//              BURST    beats of a burst, a power of two, 2 to 256
// Ports        begin_   a pass begins: address is that of the array; the other settings are constant until done
//              last     it is the last one
//              unique, limit   of the last pass: no record with a key that has been, and no more than `limit`
//              ends     ENDs of the pass, at least 1
//              s_*      records and ENDs; s_short: bytes that are not written at the end of the last record
//              done     for one cycle: the last END has come and everything is in memory
//              order_*, m_*, idle   see ws_axi_writer
//              written  records written in this pass
//              equal    for one cycle: a record was left out for its key
// Latency      1 cycle; from s_valid to m_valid. From idle to done 1
// Issue rate   1 record a cycle
// Overflow     cannot happen: s_ready goes low
// Source       ours

`default_nettype none

module ws_sorter_results #(
    parameter DATA_W = 64,
    parameter KEY_W  = 32,
    parameter ADDR_W = 32,
    parameter COUNT_W = 25,
    parameter BURST  = 64
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              begin_,
    input  wire [ADDR_W-1:0] address,
    input  wire              last,
    input  wire [COUNT_W-1:0] ends,
    input  wire              unique_,
    input  wire [31:0]       limit,
    output reg               done,
    output wire [31:0]       written,
    output reg               equal,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire              s_end,
    input  wire [DATA_W-1:0] s_data,
    input  wire [$clog2(DATA_W/8)-1:0] s_short,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data,

    output reg               order_valid,
    input  wire              order_ready,
    output reg  [ADDR_W-1:0] order_address,
    output wire [$clog2(DATA_W/8)+$clog2(BURST):0] order_bytes,
    input  wire              idle
);

    localparam BYTES_W = $clog2(DATA_W / 8);
    localparam BURST_W = $clog2(BURST);
    localparam BEAT_W  = ADDR_W - BYTES_W;

    initial if (DATA_W < 16 || DATA_W > 1024 || DATA_W != 8 << BYTES_W || KEY_W < 1 || KEY_W > DATA_W || BURST < 2
                || BURST > 256 || BURST != 1 << BURST_W || BURST * DATA_W > 8 * 4096 || ADDR_W <= BYTES_W + BURST_W) begin
        $display("ERROR: %m: DATA_W, BURST = %0d, %0d (powers of two), KEY_W = %0d (to DATA_W), ADDR_W = %0d",
                 DATA_W, BURST, KEY_W, ADDR_W);
        $finish;
    end

    wire unused = &{1'b0, address};

    // ---- A record, and whether it is wanted

    // What is here: a record, one whose key has been, or the last END. None of them: nothing.
    reg              row_reg, same_reg, close_reg;
    reg              some_reg;              // a record has been
    reg [DATA_W-1:0] record_reg;
    reg [BYTES_W-1:0] short_reg, order_short_reg;
    reg [COUNT_W-1:0] written_reg;
    reg [31:0]       most_reg;              // limit - 1
    reg              full_reg;              // as many as the limit have been written
    reg [COUNT_W-1:0] ends_reg;             // that are missing
    reg              final_reg;             // it is one
    wire             move;                  // it leaves, or there is none
    wire             take   = s_valid && s_ready;
    wire             repeats = last && unique_ && some_reg && s_data[KEY_W-1:0] == record_reg[KEY_W-1:0];

    assign s_ready = move;
    assign written = {{(32-COUNT_W){1'b0}}, written_reg};

    always @(posedge clk) begin
        if (move) begin
            row_reg   <= s_valid && !s_end && !repeats;
            same_reg  <= s_valid && !s_end && repeats;
            close_reg <= s_valid && s_end && final_reg;
        end
        if (take && !s_end) begin
            record_reg <= s_data;
            short_reg  <= s_short;
            some_reg   <= 1'b1;
        end
        if (take && s_end) begin
            ends_reg  <= ends_reg - 1'b1;
            final_reg <= ends_reg == 2;
        end
        equal <= same_reg;
        if (begin_) begin
            some_reg <= 1'b0;
            ends_reg <= ends;
            final_reg <= ends == 1;
            most_reg <= limit - 1'b1;
            full_reg <= last && limit == 0;
        end else if (last && m_valid && m_ready) full_reg <= written == most_reg;
        if (rst || begin_) {row_reg, same_reg, close_reg} <= 3'b000;
    end

    // ---- Orders: an array of whole bursts but for its ends

    localparam [31:0] NEXT_TO_LAST = BURST - 2;

    reg  [BEAT_W-1:0]  first_reg, beat_reg; // of the order, and the next one
    reg  [BURST_W-1:0] count_reg;           // beats of the order so far
    reg                whole_reg;           // the next one is the last of a burst
    reg                ending_reg, waiting_reg;
    reg  [BURST_W:0]   order_beats_reg;
    wire               sent  = m_valid && m_ready;
    wire               full  = sent && whole_reg;
    wire [BURST_W:0]   beats = {1'b0, count_reg} + {{BURST_W{1'b0}}, !close_reg};

    wire               blocked = (whole_reg && order_valid) || !m_ready;

    assign order_bytes = {order_beats_reg, {BYTES_W{1'b0}}} - {{BURST_W+1{1'b0}}, order_short_reg};

    assign m_valid = row_reg && !full_reg && !(whole_reg && order_valid);
    assign m_data  = record_reg;
    assign move    = !(row_reg && !full_reg && blocked) && !(close_reg && order_valid);

    always @(posedge clk) begin
        if (sent) begin
            beat_reg  <= beat_reg + 1'b1;
            written_reg <= written_reg + 1'b1;
            count_reg <= whole_reg ? {BURST_W{1'b0}} : count_reg + 1'b1;
            whole_reg <= beat_reg[BURST_W-1:0] == NEXT_TO_LAST[BURST_W-1:0];
        end
        if (order_ready) order_valid <= 1'b0;
        if (full || (close_reg && !order_valid && count_reg != 0)) begin
            order_valid   <= 1'b1;
            order_address <= {first_reg, {BYTES_W{1'b0}}};
            order_beats_reg <= beats;
            order_short_reg <= short_reg;
        end
        if (full) first_reg <= beat_reg + 1'b1;
        // the last order has been taken, and carried out
        ending_reg  <= (ending_reg || (close_reg && move)) && !(waiting_reg && idle);
        waiting_reg <= ending_reg && !order_valid && !(waiting_reg && idle);
        done        <= waiting_reg && idle;
        if (begin_) begin
            first_reg <= address[ADDR_W-1:BYTES_W];
            beat_reg  <= address[ADDR_W-1:BYTES_W];
            count_reg <= {BURST_W{1'b0}};
            whole_reg <= &address[BYTES_W +: BURST_W];
            written_reg <= {COUNT_W{1'b0}};
        end
        if (rst || begin_) begin
            ending_reg  <= 1'b0;
            waiting_reg <= 1'b0;
            order_valid <= 1'b0;
            done        <= 1'b0;
        end
    end

endmodule

`default_nettype wire
