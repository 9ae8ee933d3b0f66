// SPDX-License-Identifier: Apache-2.0
//
// ws_host_registers: the registers of a host port as an AXI4-Lite slave.
//
// registers.yml describes them (docs/host.md has the table); ws_host_registers.vh is generated from it.
//
// Parameters   SIZES, FORM, LIMITS   values of the words of these names
// Ports        start      the ring is to be started, only while none is running and no reset is under way
//              reset      a soft reset is to begin
//              busy       it is under way; running: a ring is
//              tail_valid, tail_value   the tail is to be moved
//              pop        fifo_data has been read; only while status bit 4, row_waiting, is high
//              request_valid, request_bytes   a request, only while status bit 5, request_full, is low
//              push*      a word of a payload
//              acknowledge, and the settings: values of the words of these names
//              errors     events, by the bits of the word
//              status     and the other inputs: values of the words of these names
// Latency      3 cycles to write, 4 to read; as of ws_axil_slave: from the last of awvalid and wvalid to bvalid, from
//              arvalid to rvalid. A written value is on the ports 1 cycle after awready
// Issue rate   1 transfer at a time; reads and writes in turn, a write in 4 cycles, a read in 5
// Bad input    An address without a register gets DECERR. A write to a read-only word, a read of a write-only one, a
//              write to the ring's address, slots or head_address or to write_head while a ring is running, a request
//              while there is no place, and a read of fifo_data without a row get SLVERR and change nothing. The two
//              low address bits are ignored. wstrb is honoured by words that are stored; others are written whole
// Source       ours; ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_host_registers #(
    parameter [31:0] SIZES  = 32'd0,
    parameter [31:0] FORM   = 32'd0,
    parameter [31:0] LIMITS = 32'd0
) (
    input  wire        clk,
    input  wire        rst,

    input  wire [7:0]  s_axil_awaddr,
    input  wire [7:0]  s_axil_araddr,
    input  wire        s_axil_awvalid,
    output wire        s_axil_awready,
    input  wire [31:0] s_axil_wdata,
    input  wire [3:0]  s_axil_wstrb,
    input  wire        s_axil_wvalid,
    output wire        s_axil_wready,
    output wire [1:0]  s_axil_bresp,
    output wire        s_axil_bvalid,
    input  wire        s_axil_bready,
    input  wire        s_axil_arvalid,
    output wire        s_axil_arready,
    output wire [31:0] s_axil_rdata,
    output wire [1:0]  s_axil_rresp,
    output wire        s_axil_rvalid,
    input  wire        s_axil_rready,

    output wire        enable,
    output wire        write_head,
    output reg         start,
    output reg         reset,
    input  wire        busy,
    input  wire        running,
    output wire [63:0] ring_address,
    output wire [63:0] head_address,
    output wire [31:0] ring_slots,
    output reg         tail_valid,
    output wire [31:0] tail_value,
    output wire        pop,
    output wire [63:0] request_address,
    output reg         request_valid,
    output wire [31:0] request_bytes,
    output reg         push,
    output reg         push_last,
    output reg  [2:0]  push_bytes,
    output wire [31:0] push_data,
    output reg  [2:0]  acknowledge,
    output wire [2:0]  irq_mask,
    output wire [15:0] irq_count,
    output wire [31:0] irq_timer,

    input  wire [7:0]  errors,
    input  wire [6:0]  status,
    input  wire [2:0]  irq_pending,
    input  wire [31:0] head,
    input  wire [31:0] tail,
    input  wire [31:0] fifo_data,
    input  wire [31:0] requests_done,
    input  wire [31:0] requests_failed,
    input  wire [31:0] rows_dropped,
    input  wire [31:0] rows_lost,
    input  wire [31:0] stalled
);

    `include "ws_host_registers.vh"

    localparam WORD_W = $clog2(WORDS);
    localparam ENABLE = 0, RING = 1, RESET = 2, WRITE_HEAD = 3;     // bits of control
    localparam ROW_WAITING = 4, REQUEST_FULL = 5;                   // bits of status

    // ---- Transfers, and the word that each addresses. Whether one is refused is known a cycle before it: transfers
    // are too far apart to change that for the next one, and what changes meanwhile only allows more, but for the
    // ring's failure and its end, which these refusals do not depend on.

    wire              write, read;
    wire [7:2]        address;
    wire [31:0]       wdata;
    wire [3:0]        wstrb;
    wire [WORD_W-1:0] word = address[2 +: WORD_W];
    reg  [31:0]       read_reg;
    reg  [WORDS-1:0]  select_reg;
    reg               may_write_reg, may_read_reg, known_reg;
    reg               row_reg;                  // fifo_data, as it will be read, is that of a row
    wire              ring_word = {1'b0, word[WORD_W-1:1]} == WORD_RING_ADDRESS / 2 || word == WORD_RING_SLOTS
                               || {1'b0, word[WORD_W-1:1]} == WORD_HEAD_ADDRESS / 2;
    wire              fixed     = running && (ring_word || (word == WORD_CONTROL && wstrb[0]
                               && wdata[WRITE_HEAD] != words[32*WORD_CONTROL + WRITE_HEAD]));
    wire              act       = write && may_write_reg;

    always @(posedge clk) begin
        select_reg    <= {{WORDS-1{1'b0}}, 1'b1} << word;
        known_reg     <= READABLE[word] || WRITABLE[word];
        may_write_reg <= WRITABLE[word] && !fixed && !(word == WORD_REQUEST && status[REQUEST_FULL]);
        row_reg       <= status[ROW_WAITING];
        may_read_reg  <= READABLE[word] && !(word == WORD_FIFO_DATA && !row_reg);
    end

    ws_axil_slave #(.ADDR_W(8), .READ_CYCLES(3)) slave (
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .hold(1'b0), .write(write), .read(read), .address(address), .wdata(wdata), .wstrb(wstrb),
        .known(known_reg), .may_write(may_write_reg), .may_read(may_read_reg), .rdata(read_reg)
    );

    // ---- The words that store what is written

    wire [32*WORDS-1:0] words;

    ws_stored_words #(.WORDS(WORDS), .STORED(STORED), .RESET(AFTER_RESET)) stored (
        .clk(clk), .rst(rst), .write(act), .select(select_reg), .wstrb(wstrb), .wdata(wdata), .words(words)
    );

    assign enable          = words[32*WORD_CONTROL + ENABLE];
    assign write_head      = words[32*WORD_CONTROL + WRITE_HEAD];
    assign ring_address    = words[32*WORD_RING_ADDRESS +: 64];
    assign head_address    = words[32*WORD_HEAD_ADDRESS +: 64];
    assign ring_slots      = words[32*WORD_RING_SLOTS +: 32];
    assign request_address = words[32*WORD_REQUEST_ADDRESS +: 64];
    assign irq_mask        = words[32*WORD_IRQ_MASK +: 3];
    assign irq_count       = words[32*WORD_IRQ_COUNT +: 16];
    assign irq_timer       = words[32*WORD_IRQ_TIMER +: 32];

    // ---- The words whose write is an action

    reg  [31:0] data_reg;
    reg  [7:0]  clear_reg, errors_reg;
    wire        control = act && select_reg[WORD_CONTROL] && wstrb[0];
    wire [3:0]  pushed  = select_reg[WORD_PUSH_LAST +: 4];

    assign tail_value    = data_reg;
    assign request_bytes = data_reg;
    assign push_data     = data_reg;
    assign pop           = read && may_read_reg && select_reg[WORD_FIFO_DATA];

    always @(posedge clk) begin
        data_reg      <= wdata;
        start         <= control && wdata[RING] && !wdata[RESET] && !running && !busy;
        reset         <= control && wdata[RESET];
        tail_valid    <= act && select_reg[WORD_TAIL];
        request_valid <= act && select_reg[WORD_REQUEST];
        push          <= act && (select_reg[WORD_PUSH] || pushed != 0);
        push_last     <= pushed != 0;
        push_bytes    <= {pushed[3], pushed[1] | pushed[2], pushed[0] | pushed[2]};
        acknowledge   <= wdata[2:0] & {3{act && select_reg[WORD_IRQ_PENDING]}};
        clear_reg     <= wdata[7:0] & {8{act && select_reg[WORD_ERRORS]}};
        errors_reg    <= errors | (errors_reg & ~clear_reg);
        if (rst) begin
            {start, reset, tail_valid, request_valid, push} <= 5'd0;
            acknowledge <= 3'd0;
            clear_reg   <= 8'd0;
            errors_reg  <= 8'd0;
        end
    end

    // ---- The words that can be read: the settings, and the others instead of them; selected in two stages

    localparam PARTS = WORDS / 8;
    reg [32*WORDS-1:0] shown;
    reg [32*PARTS-1:0] parts, parts_reg;
    reg [31:0]         found;
    integer            n;

    always @* begin
        shown = words;
        shown[32*WORD_ID +: 32]              = ID;
        shown[32*WORD_VERSION +: 32]         = VERSION;
        shown[32*WORD_SIZES +: 32]           = SIZES;
        shown[32*WORD_FORM +: 32]            = FORM;
        shown[32*WORD_LIMITS +: 32]          = LIMITS;
        shown[32*WORD_CONTROL + RING]        = running;
        shown[32*WORD_CONTROL + RESET]       = busy;
        shown[32*WORD_STATUS +: 32]          = {25'd0, status};
        shown[32*WORD_ERRORS +: 32]          = {24'd0, errors_reg};
        shown[32*WORD_IRQ_PENDING +: 32]     = {29'd0, irq_pending};
        shown[32*WORD_HEAD +: 32]            = head;
        shown[32*WORD_TAIL +: 32]            = tail;
        shown[32*WORD_FIFO_DATA +: 32]       = fifo_data;
        shown[32*WORD_REQUESTS_DONE +: 32]   = requests_done;
        shown[32*WORD_REQUESTS_FAILED +: 32] = requests_failed;
        shown[32*WORD_ROWS_DROPPED +: 32]    = rows_dropped;
        shown[32*WORD_ROWS_LOST +: 32]       = rows_lost;
        shown[32*WORD_STALLED +: 32]         = stalled;
        parts = {32*PARTS{1'b0}};
        for (n = 0; n < WORDS; n = n + 1)
            if (word[2:0] == n[2:0] && READABLE[n]) parts[32*(n/8) +: 32] = shown[32*n +: 32];
        found = 32'd0;
        for (n = 0; n < PARTS; n = n + 1) if (word[WORD_W-1:3] == n[WORD_W-4:0]) found = parts_reg[32*n +: 32];
    end

    always @(posedge clk) begin
        parts_reg <= parts;
        read_reg  <= found;
    end

endmodule

`default_nettype wire
