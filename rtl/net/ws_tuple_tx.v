// SPDX-License-Identifier: Apache-2.0
//
// ws_tuple_tx: result rows and punctuations to UDP payloads in the tuple datagram format.
//
// The header contains the number of records, so a datagram is assembled before it is sent. It is closed by a
// punctuation (its last record), by MAX_RECORDS records, FLUSH_CYCLES after its first record, or by the start of an
// input session. There are two banks: while one datagram is sent, the next is assembled. docs/wire-format.md has the
// format.
//
// Sessions: after a reset datagrams belong to `first_session` (sampled during reset; choose one that the receivers have
// not seen recently). The start of an input session begins the next session, with its number incremented, unless
// nothing has been sent in the current one. The first eight datagrams of a session carry START; sequence numbers begin
// at 0.
//
// Items: s_data has the record's first byte on the wire in its most significant bits; s_kind is 0 for a tuple, 1 for a
// punctuation, 2 for the start of a session. s_ready depends on s_kind.
//
// Parameters   DATA_W        width of the payload stream in bits: 8 or 64
//              RECORD_BYTES  bytes of a record, a multiple of 8, at least 8
//              STREAM_ID     number of the stream, 0 to 65535
//              MAX_RECORDS   most records in a datagram, 1 to 65535
//              FLUSH_CYCLES  longest time from a datagram's first record until it is closed, in cycles, at least 0; 0
//                            is no limit
// Latency      4 cycles from the item that closes a datagram to the datagram's first word
// Issue rate   1 word a cycle in and out: a record takes the time of RECORD_BYTES, a header that of 16 bytes, without
//              gaps
// Overflow     a sink that stalls pushes back when both banks are full
// Bad input    none
// Source       docs/wire-format.md

`default_nettype none

module ws_tuple_tx #(
    parameter DATA_W       = 8,
    parameter RECORD_BYTES = 24,
    parameter STREAM_ID    = 32769,
    parameter MAX_RECORDS  = 60,
    parameter FLUSH_CYCLES = 0
) (
    input  wire                      clk,
    input  wire                      rst,
    input  wire [31:0]               first_session,

    input  wire                      s_valid,
    output wire                      s_ready,
    input  wire [RECORD_BYTES*8-1:0] s_data,
    input  wire [1:0]                s_kind,

    output reg  [DATA_W-1:0]         m_axis_tdata,
    output wire [DATA_W/8-1:0]       m_axis_tkeep,
    output reg                       m_axis_tvalid,
    input  wire                      m_axis_tready,
    output reg                       m_axis_tlast,
    output wire                      m_axis_tuser,

    output reg                       evt_datagram,   // closed
    output reg                       evt_record      // tuple or punctuation accepted
);

    localparam [1:0]  KIND_PUNCT    = 2'd1, KIND_START = 2'd2;
    localparam [23:0] MAGIC_VERSION = 24'h575301;
    localparam [3:0]  STARTS        = 4'd8;          // datagrams of a session that carry START

    localparam RECORD_W     = RECORD_BYTES * 8;
    localparam WORD_BYTES   = DATA_W / 8;
    localparam HEADER_BYTES = 16;
    localparam HEADER_WORDS = HEADER_BYTES / WORD_BYTES;
    localparam RECORD_WORDS = RECORD_BYTES / WORD_BYTES;
    localparam SHIFT_W      = RECORD_W > 128 ? RECORD_W : 128;
    localparam ADDR_W       = $clog2(HEADER_WORDS + MAX_RECORDS * RECORD_WORDS);   // of a word in a bank
    localparam WORDS_W      = $clog2(SHIFT_W / DATA_W + 1);

    initial begin
        if (DATA_W != 8 && DATA_W != 64) begin
            $display("ERROR: %m: DATA_W = %0d, must be 8 or 64", DATA_W);
            $finish;
        end
        if (RECORD_BYTES < 8 || RECORD_BYTES % 8 != 0) begin
            $display("ERROR: %m: RECORD_BYTES = %0d, must be a multiple of 8", RECORD_BYTES);
            $finish;
        end
        if (STREAM_ID < 0 || STREAM_ID > 65535 || MAX_RECORDS < 1 || MAX_RECORDS > 65535) begin
            $display("ERROR: %m: STREAM_ID = %0d (0 to 65535), MAX_RECORDS = %0d (1 to 65535)", STREAM_ID, MAX_RECORDS);
            $finish;
        end
        if (FLUSH_CYCLES < 0) begin
            $display("ERROR: %m: FLUSH_CYCLES = %0d, must be 0 or more", FLUSH_CYCLES);
            $finish;
        end
    end

    // Write side, stage 1: selects the next input of the shift register, if that is free. A header is written when its
    // datagram is closed, ahead of the record that closes it, so that sending can start immediately.
    reg  [1:0]  full_reg;            // the bank's datagram is closed and has not been sent
    reg         bank_reg;            // being assembled
    reg  [15:0] records_reg;         // assembled so far, without the one that closes
    reg         empty_reg;           // there are none
    reg         last_slot_reg;       // the next one is the last that fits
    reg         closing_reg;         // the header is written; the closing record is next
    reg  [31:0] session_reg, sequence_reg;
    reg  [3:0]  starts_reg;          // how many more datagrams carry START
    reg         used_reg;            // a datagram of this session has been sent
    wire        flush;

    wire        shift_free;
    wire        bank_free = !full_reg[bank_reg] || closing_reg;
    wire        is_start  = s_kind == KIND_START;
    wire        is_punct  = s_kind == KIND_PUNCT;
    wire        is_last   = !is_start && (is_punct || last_slot_reg);

    wire        close_with    = s_valid && is_last && !closing_reg;
    wire        close_without = !empty_reg && (flush || (s_valid && is_start)) && !close_with && !closing_reg;
    wire        load_header   = shift_free && bank_free && (close_with || close_without);
    wire        take          = s_valid && s_ready;
    wire        load_record   = take && !is_start;
    assign      s_ready       = shift_free && bank_free && (is_start ? empty_reg : is_last ? closing_reg : !flush);

    wire [15:0] count  = records_reg + {15'd0, close_with};
    wire [7:0]  flags  = {6'd0, close_with && is_punct, starts_reg != 4'd0};
    wire [127:0] header = {MAGIC_VERSION, flags, session_reg, STREAM_ID[15:0], count, sequence_reg};
    wire        flip   = (load_header && close_without) || (load_record && closing_reg);

    always @(posedge clk) begin
        if (load_header) begin
            closing_reg  <= close_with;
            sequence_reg <= sequence_reg + 32'd1;
            used_reg     <= 1'b1;
            if (starts_reg != 4'd0) starts_reg <= starts_reg - 4'd1;
        end
        if (load_record) begin
            closing_reg   <= 1'b0;
            records_reg   <= records_reg + 16'd1;
            empty_reg     <= 1'b0;
            last_slot_reg <= records_reg + 16'd2 == MAX_RECORDS[15:0];
        end
        if (flip || rst) begin
            records_reg   <= 16'd0;
            empty_reg     <= 1'b1;
            last_slot_reg <= MAX_RECORDS == 1;
        end
        if (flip) bank_reg <= !bank_reg;
        if (take && is_start && used_reg) begin
            session_reg  <= session_reg + 32'd1;
            sequence_reg <= 32'd0;
            starts_reg   <= STARTS;
            used_reg     <= 1'b0;
        end
        if (rst) begin
            bank_reg     <= 1'b0;
            closing_reg  <= 1'b0;
            session_reg  <= first_session;
            sequence_reg <= 32'd0;
            starts_reg   <= STARTS;
            used_reg     <= 1'b0;
        end
    end

    // Waiting time of the first record.
    generate
        if (FLUSH_CYCLES == 0) begin : gen_no_flush
            assign flush = 1'b0;
        end else begin : gen_flush
            localparam WAIT_W    = $clog2(FLUSH_CYCLES + 1);
            localparam WAIT_FROM = FLUSH_CYCLES - 1;
            reg [WAIT_W-1:0] wait_reg;
            always @(posedge clk)
                if (empty_reg) wait_reg <= WAIT_FROM[WAIT_W-1:0];
                else if (wait_reg != {WAIT_W{1'b0}}) wait_reg <= wait_reg - 1'b1;
            assign flush = !empty_reg && wait_reg == {WAIT_W{1'b0}};
        end
    endgenerate

    // Write side, stage 2: the shift register, first byte in the most significant bits, into the bank word by word.
    reg  [SHIFT_W-1:0] shift_reg;
    reg  [WORDS_W-1:0] words_reg;          // still to be written
    reg                wr_bank_reg;
    reg  [ADDR_W-1:0]  wr_addr_reg;
    reg  [ADDR_W-1:0]  next_addr_reg;      // of the next record
    reg  [ADDR_W-1:0]  last_addr0_reg, last_addr1_reg;   // of the datagram in each bank
    reg  [DATA_W-1:0]  wr_data;
    wire [ADDR_W-1:0]  last_addr = next_addr_reg - 1'b1 + (close_with ? RECORD_WORDS[ADDR_W-1:0] : {ADDR_W{1'b0}});
    wire               writing = words_reg != {WORDS_W{1'b0}};
    integer            i;

    assign shift_free = words_reg[WORDS_W-1:1] == {WORDS_W-1{1'b0}};   // none left, or the last one is written now

    always @*
        for (i = 0; i < WORD_BYTES; i = i + 1)
            wr_data[8*i +: 8] = shift_reg[SHIFT_W-8*(i+1) +: 8];

    always @(posedge clk) begin
        shift_reg   <= shift_reg << DATA_W;
        wr_addr_reg <= wr_addr_reg + 1'b1;
        if (writing) words_reg <= words_reg - 1'b1;
        if (load_header) begin
            shift_reg[SHIFT_W-1 -: 128] <= header;
            words_reg                   <= HEADER_WORDS[WORDS_W-1:0];
            wr_bank_reg                 <= bank_reg;
            wr_addr_reg                 <= {ADDR_W{1'b0}};
            if (bank_reg) last_addr1_reg <= last_addr;
            else          last_addr0_reg <= last_addr;
        end
        if (load_record) begin
            shift_reg[SHIFT_W-1 -: RECORD_W] <= s_data;
            words_reg                        <= RECORD_WORDS[WORDS_W-1:0];
            wr_bank_reg                      <= bank_reg;
            wr_addr_reg                      <= next_addr_reg;
            next_addr_reg                    <= next_addr_reg + RECORD_WORDS[ADDR_W-1:0];
        end
        if (flip || rst) next_addr_reg <= HEADER_WORDS[ADDR_W-1:0];
        if (rst) words_reg <= {WORDS_W{1'b0}};
    end

    // Read side, stage 1: the address. Reading starts in the second cycle after the header's write has begun; the
    // writer stays ahead, since it does not stall before the end of the datagram.
    reg               reading_reg, rd_bank_reg;
    reg  [ADDR_W-1:0] rd_addr_reg, rd_left_reg;
    wire              step      = !m_axis_tvalid || m_axis_tready;
    wire              rd_last   = rd_left_reg == {ADDR_W{1'b0}};
    wire              rd_done   = step && reading_reg && rd_last;
    wire              next_bank = rd_bank_reg ^ reading_reg;   // the bank to read next

    always @(posedge clk) begin
        if (rd_done || !reading_reg) begin
            reading_reg <= full_reg[next_bank];
            rd_bank_reg <= next_bank;
            rd_addr_reg <= {ADDR_W{1'b0}};
            rd_left_reg <= next_bank ? last_addr1_reg : last_addr0_reg;
        end else if (step) begin
            rd_addr_reg <= rd_addr_reg + 1'b1;
            rd_left_reg <= rd_left_reg - 1'b1;
        end

        if (load_header) full_reg[bank_reg] <= 1'b1;
        if (rd_done) full_reg[rd_bank_reg] <= 1'b0;

        if (rst) begin
            reading_reg <= 1'b0;
            rd_bank_reg <= 1'b0;
            full_reg    <= 2'b00;
        end
    end

    // Read side, stage 2: the RAM.
    wire [DATA_W-1:0] rd_data;
    reg               read_valid_reg, read_last_reg;

    ws_ram_sdp #(.DATA_W(DATA_W), .ADDR_W(ADDR_W + 1)) banks (
        .clk    (clk),
        .wr_en  (writing),
        .wr_addr({wr_bank_reg, wr_addr_reg}),
        .wr_data(wr_data),
        .rd_en  (step && reading_reg),
        .rd_addr({rd_bank_reg, rd_addr_reg}),
        .rd_data(rd_data)
    );

    always @(posedge clk) begin
        if (step) begin
            read_valid_reg <= reading_reg;
            read_last_reg  <= rd_last;
        end
        if (rst) read_valid_reg <= 1'b0;
    end

    // Read side, stage 3: output.
    always @(posedge clk) begin
        if (step) begin
            m_axis_tvalid <= read_valid_reg;
            m_axis_tlast  <= read_last_reg;
            m_axis_tdata  <= rd_data;
        end
        if (rst) m_axis_tvalid <= 1'b0;
    end

    assign m_axis_tkeep = {DATA_W/8{1'b1}};
    assign m_axis_tuser = 1'b0;

    always @(posedge clk) begin
        evt_datagram <= load_header && !rst;
        evt_record   <= load_record && !rst;
    end

`ifdef FORMAL
    ws_axis_rules #(.DATA_W(DATA_W), .PACKETS(1)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
