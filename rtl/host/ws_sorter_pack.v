// SPDX-License-Identifier: Apache-2.0
//
// ws_sorter_pack: leaves out the records that a job does not want from beats of P, and closes the gaps.
//
// Padding is left out; in the last pass also records with a key that has been, and those beyond the limit. What remains
// leaves in whole beats; after the last run come the rest, a beat of fewer records, and an END.
//
// Parameters   P         records of a beat, a power of two, 2 to 16
//              RECORD_W  width of a record in bits, at least 1
//              KEY_W     width of its key, in the low bits, 1 to RECORD_W
//              COUNT_W   width of a number of runs in bits, at least 1
// Ports        begin_   a pass begins; last, unique_ and limit are constant until its END
//              last     it is the last one; unique_, limit: no record with a key that has been, no more than `limit`
//              ends     runs of the pass, at least 1
//              s_last   the last beat of a run; s_pad: padding, all lanes after it are padding too; s_data: records
//              m_short  records that are missing at the end of the beat
//              m_end    an END; m_data is undefined
//              written  records that have left
//              equal    in this cycle, so many records were left out for their keys
// Latency      3 cycles
// Issue rate   1 beat a cycle
// Overflow     cannot happen: s_ready goes low
// Source       ours

`default_nettype none

module ws_sorter_pack #(
    parameter P        = 4,
    parameter RECORD_W = 64,
    parameter KEY_W    = 32,
    parameter COUNT_W  = 25
) (
    input  wire                  clk,
    input  wire                  rst,

    input  wire                  begin_,
    input  wire                  last,
    input  wire [COUNT_W-1:0]    ends,
    input  wire                  unique_,
    input  wire [31:0]           limit,
    output reg  [31:0]           written,
    output reg  [$clog2(P):0]    equal,

    input  wire                  s_valid,
    output wire                  s_ready,
    input  wire                  s_last,
    input  wire [P-1:0]          s_pad,
    input  wire [P*RECORD_W-1:0] s_data,

    output reg                   m_valid,
    input  wire                  m_ready,
    output reg                   m_end,
    output reg  [$clog2(P)-1:0]  m_short,
    output reg  [P*RECORD_W-1:0] m_data
);

    localparam LOG_P = $clog2(P);
    localparam [31:0]    LANES = P;
    localparam [LOG_P:0] ALL   = LANES[LOG_P:0];

    initial if (P < 2 || P > 16 || P != 1 << LOG_P || KEY_W < 1 || KEY_W > RECORD_W || COUNT_W < 1) begin
        $display("ERROR: %m: P = %0d (a power of two, 2 to 16), KEY_W = %0d (to RECORD_W), COUNT_W = %0d",
                 P, KEY_W, COUNT_W);
        $finish;
    end

    reg  flush_reg;                             // the last beat is here: its rest and the END leave
    wire free = !m_valid || m_ready;
    wire move = free && !flush_reg;
    integer i;

    assign s_ready = move;

    // ---- Stage 1: which records are not padding, and not equal to the one before

    reg                  one_valid_reg, one_end_reg, some_reg;
    reg [P-1:0]          one_keep_reg, same_next;
    reg [P*RECORD_W-1:0] one_data_reg;
    reg [KEY_W-1:0]      key_reg;               // of the last record of the beat before
    reg [COUNT_W-1:0]    ends_reg;              // runs that have not ended
    reg [LOG_P:0]        equal_next;

    always @* begin
        equal_next = {LOG_P+1{1'b0}};
        for (i = 0; i < P; i = i + 1) begin
            same_next[i] = last && unique_ && !s_pad[i] && (i != 0 || some_reg)
                           && s_data[i*RECORD_W +: KEY_W] == (i == 0 ? key_reg : s_data[(i == 0 ? 0 : i-1)*RECORD_W +: KEY_W]);
            equal_next   = equal_next + {{LOG_P{1'b0}}, same_next[i]};
        end
    end

    always @(posedge clk) begin
        equal <= s_valid && move ? equal_next : {LOG_P+1{1'b0}};
        if (move) begin
            one_valid_reg <= s_valid;
            one_end_reg   <= s_last && ends_reg == 1;
            one_keep_reg  <= ~(s_pad | same_next);
            one_data_reg  <= s_data;
            if (s_valid) begin
                some_reg <= 1'b1;
                key_reg  <= s_data[(P-1)*RECORD_W +: KEY_W];
                if (s_last) ends_reg <= ends_reg - 1'b1;
            end
        end
        if (begin_) begin
            some_reg <= 1'b0;
            ends_reg <= ends;
        end
        if (rst || begin_) one_valid_reg <= 1'b0;
    end

    // ---- Stage 2: the slot of the next beat into which a record goes

    reg                  two_valid_reg, two_end_reg;
    reg [P*RECORD_W-1:0] two_data_reg;
    reg [P-1:0]          two_keep_reg, keep_next;
    reg [P*LOG_P-1:0]    two_slot_reg, slot_next;
    reg [LOG_P:0]        two_count_reg, count_next;
    reg [LOG_P-1:0]      slot_reg;              // of the next record
    reg [31:0]           left_reg;              // of the limit

    always @* begin
        count_next = {LOG_P+1{1'b0}};
        for (i = 0; i < P; i = i + 1) begin
            keep_next[i] = one_keep_reg[i] && (!last || {{31-LOG_P{1'b0}}, count_next} < left_reg);
            slot_next[i*LOG_P +: LOG_P] = slot_reg + count_next[LOG_P-1:0];
            count_next   = count_next + {{LOG_P{1'b0}}, keep_next[i]};
        end
    end

    always @(posedge clk) begin
        if (move) begin
            two_valid_reg <= one_valid_reg;
            two_end_reg   <= one_end_reg;
            two_data_reg  <= one_data_reg;
            two_keep_reg  <= keep_next;
            two_slot_reg  <= slot_next;
            two_count_reg <= count_next;
            if (one_valid_reg) begin
                slot_reg <= slot_reg + count_next[LOG_P-1:0];
                left_reg <= left_reg - {{31-LOG_P{1'b0}}, count_next};
            end
        end
        if (begin_) begin
            slot_reg <= {LOG_P{1'b0}};
            left_reg <= limit;
        end
        if (rst || begin_) two_valid_reg <= 1'b0;
    end

    // ---- Stage 3: a beat leaves when it is whole; the records after it wait for the next one

    reg  [P*RECORD_W-1:0] slots_next, waiting_reg;
    reg  [P-1:0]          into;                 // slots to which a record goes
    reg  [LOG_P-1:0]      filled_reg;           // records that wait
    wire [LOG_P:0]        sum = {1'b0, filled_reg} + two_count_reg;
    integer               k;

    always @* begin
        slots_next = {P*RECORD_W{1'b0}};
        into       = {P{1'b0}};
        for (k = 0; k < P; k = k + 1)
            for (i = 0; i < P; i = i + 1) if (two_keep_reg[i] && two_slot_reg[i*LOG_P +: LOG_P] == k[LOG_P-1:0]) begin
                into[k] = 1'b1;
                slots_next[k*RECORD_W +: RECORD_W] = slots_next[k*RECORD_W +: RECORD_W]
                                                     | two_data_reg[i*RECORD_W +: RECORD_W];
            end
    end

    always @(posedge clk) begin
        if (free) begin
            m_valid <= flush_reg || (two_valid_reg && sum[LOG_P]);
            m_end   <= flush_reg && filled_reg == 0;
            m_short <= flush_reg ? ALL[LOG_P-1:0] - filled_reg : {LOG_P{1'b0}};
            for (i = 0; i < P; i = i + 1)
                m_data[i*RECORD_W +: RECORD_W] <= i[LOG_P:0] < {1'b0, filled_reg} ? waiting_reg[i*RECORD_W +: RECORD_W]
                                                                                   : slots_next[i*RECORD_W +: RECORD_W];
            if (flush_reg) begin
                filled_reg <= {LOG_P{1'b0}};
                if (filled_reg == 0) flush_reg <= 1'b0;
            end else if (two_valid_reg) begin
                filled_reg <= sum[LOG_P-1:0];
                flush_reg  <= two_end_reg;
                written    <= written + {{31-LOG_P{1'b0}}, two_count_reg};
                for (i = 0; i < P; i = i + 1)
                    if (into[i]) waiting_reg[i*RECORD_W +: RECORD_W] <= slots_next[i*RECORD_W +: RECORD_W];
            end
        end
        if (begin_) written <= 32'd0;
        if (rst || begin_) begin
            m_valid    <= 1'b0;
            flush_reg  <= 1'b0;
            filled_reg <= {LOG_P{1'b0}};
        end
    end

endmodule

`default_nettype wire
