// SPDX-License-Identifier: Apache-2.0
//
// ws_itch5: converts order messages of Nasdaq TotalView-ITCH 5.0, one a packet, to tuples.
//
// A tuple has the fields of the message in their order, without its type, which becomes m_kind; the time has 8 bytes
// instead of 6, and unused low bits are 0:
//
//     m_data   359..344 Locate   343..328 Tracking   327..264 Time, ns since midnight   263..0 the other fields
//
//     kind     bytes
//     0 A      36    Ref 8  Side 1  Shares 4  Stock 8  Price 4                       add
//     1 F      40    Ref 8  Side 1  Shares 4  Stock 8  Price 4  Attribution 4        add, with its market participant
//     2 E      31    Ref 8  Shares 4  Match 8                                        executed
//     3 C      36    Ref 8  Shares 4  Match 8  Printable 1  Price 4                  executed at another price
//     4 X      23    Ref 8  Shares 4                                                 cancelled in part
//     5 D      19    Ref 8                                                           deleted
//     6 U      35    Ref 8  NewRef 8  Shares 4  Price 4                              replaced
//     7 P      44    Ref 8  Side 1  Shares 4  Stock 8  Price 4  Match 8              trade with a hidden order
//
// Every packet is counted once: evt_message, a tuple; evt_unknown, another type; evt_bad_length, one of these types
// with a wrong length, or an empty packet.
//
// Parameters   DATA_W  width of the stream in bits, 8, 64 or 512; with 512 a message is one word
// Latency      3 cycles from a message's last word to m_valid
// Issue rate   1 word a cycle; s_axis_tready falls only after m_ready
// Overflow     a stalled sink causes back-pressure
// Bad input    counted as above. Packets with tuser[0] must be dropped upstream: tuser is ignored
// Source       Nasdaq TotalView-ITCH 5.0 specification, sections 1.3 to 1.5

`default_nettype none

module ws_itch5 #(
    parameter DATA_W = 64
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,

    output reg                 m_valid,
    input  wire                m_ready,
    output reg  [359:0]        m_data,
    output reg  [2:0]          m_kind,

    output reg                 evt_message,
    output reg                 evt_unknown,
    output reg                 evt_bad_length
);

    localparam K     = DATA_W / 8;              // bytes of a word
    localparam LONG  = 44;                      // bytes of the longest message
    localparam WORDS = (LONG + K - 1) / K;
    localparam BYTES = WORDS * K;

    initial if (DATA_W != 8 && DATA_W != 64 && DATA_W != 512) begin
        $display("ERROR: %m: DATA_W = %0d, must be 8, 64 or 512", DATA_W);
        $finish;
    end

    // All stages advance together, when the output is free.
    wire step = !m_valid || m_ready;

    // Stage 1: input register slice.
    wire              in_valid, in_last;
    wire [DATA_W-1:0] in_data;
    wire [K-1:0]      in_keep;
    wire [K-1:0]      more     = in_keep >> 1;     // the word has bytes after this one
    wire              beat = in_valid && step;

    ws_skid_buffer #(.DATA_W(DATA_W + K + 1)) in_slice (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_axis_tvalid),
        .s_ready(s_axis_tready),
        .s_data ({s_axis_tlast, s_axis_tkeep, s_axis_tdata}),
        .m_valid(in_valid),
        .m_ready(step),
        .m_data ({in_last, in_keep, in_data})
    );

    // Stage 2: the message, first byte in the high bits, zeros after its end.
    reg  [WORDS:0]     at_reg;                  // index of the next word, one-hot; the highest bit for all excess words
    reg  [8*BYTES-1:0] message_reg;
    reg  [5:0]         length_reg;              // of the words so far, at most 63
    reg                ended_reg;
    reg  [DATA_W-1:0]  word;                    // first byte in the high bits
    reg  [6:0]         in_bytes, length;
    integer            i;

    always @* begin
        in_bytes = 7'd0;
        for (i = 0; i < K; i = i + 1) begin
            word[8*(K-1-i) +: 8] = in_keep[i] ? in_data[8*i +: 8] : 8'd0;
            if (in_keep[i] && !more[i]) in_bytes = in_bytes | (i[6:0] + 7'd1);
        end
        length = (at_reg[0] ? 7'd0 : {1'b0, length_reg}) + in_bytes;
    end

    always @(posedge clk) begin
        if (step) ended_reg <= in_valid && in_last;
        if (beat) begin
            at_reg     <= in_last ? {{WORDS{1'b0}}, 1'b1} : at_reg << 1 | (at_reg & {1'b1, {WORDS{1'b0}}});
            length_reg <= length[6] ? 6'd63 : length[5:0];
            for (i = 0; i < WORDS; i = i + 1) begin
                if (at_reg[i])      message_reg[DATA_W*(WORDS-1-i) +: DATA_W] <= word;
                else if (at_reg[0]) message_reg[DATA_W*(WORDS-1-i) +: DATA_W] <= {DATA_W{1'b0}};
            end
        end
        if (rst) begin
            ended_reg <= 1'b0;
            at_reg    <= {{WORDS{1'b0}}, 1'b1};
        end
    end

    // Stage 3: type, verdict and output.
    wire [7:0] kind_byte = message_reg[8*BYTES-1 -: 8];
    reg  [2:0] kind;
    reg  [5:0] expected;

    always @* begin
        case (kind_byte)
            "A":     {kind, expected} = {3'd0, 6'd36};
            "F":     {kind, expected} = {3'd1, 6'd40};
            "E":     {kind, expected} = {3'd2, 6'd31};
            "C":     {kind, expected} = {3'd3, 6'd36};
            "X":     {kind, expected} = {3'd4, 6'd23};
            "D":     {kind, expected} = {3'd5, 6'd19};
            "U":     {kind, expected} = {3'd6, 6'd35};
            "P":     {kind, expected} = {3'd7, 6'd44};
            default: {kind, expected} = {3'd0, 6'd0};
        endcase
    end

    wire known   = expected != 6'd0;
    wire fits    = length_reg == expected;
    wire verdict = ended_reg && step;

    always @(posedge clk) begin
        if (step) begin
            m_valid <= ended_reg && known && fits;
            m_kind  <= kind;
            m_data  <= {message_reg[8*(BYTES-1)-1 -: 32], 16'd0, message_reg[8*(BYTES-5)-1 -: 312]};
        end
        evt_message    <= verdict && known && fits;
        evt_unknown    <= verdict && !known && length_reg != 6'd0;
        evt_bad_length <= verdict && (length_reg == 6'd0 || (known && !fits));
        if (rst) begin
            m_valid        <= 1'b0;
            evt_message    <= 1'b0;
            evt_unknown    <= 1'b0;
            evt_bad_length <= 1'b0;
        end
    end

`ifdef FORMAL
    // A waiting tuple is stable; a new one comes with evt_message; a packet has one verdict.
    reg         past_valid = 1'b0;
    reg         rst_ref, waits_ref;
    reg [362:0] item_ref;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        rst_ref    <= rst;
        waits_ref  <= m_valid && !m_ready;
        item_ref   <= {m_kind, m_data};
        if (!past_valid) assume (rst);
        else if (rst_ref) assert (!m_valid && !evt_message && !evt_unknown && !evt_bad_length);
        else begin
            if (waits_ref) assert ({m_kind, m_data} == item_ref);
            assert (m_valid == (evt_message || waits_ref));
            assert (!(evt_message && waits_ref));
            assert ({1'b0, evt_message} + {1'b0, evt_unknown} + {1'b0, evt_bad_length} <= 2'd1);
        end
        cover (past_valid && evt_message && m_kind == 3'd5);
        cover (past_valid && evt_bad_length && waits_ref == 1'b0 && m_kind == 3'd7);
    end
`endif

endmodule

`default_nettype wire
