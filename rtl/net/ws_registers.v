// SPDX-License-Identifier: Apache-2.0
//
// ws_registers: the network's registers as an AXI4-Lite slave: settings out, totals of events in.
//
// registers.yml describes them (docs/registers.md is the table); ws_registers.vh is generated from it. All settings are
// one vector of words, in which a bit exists if it is set in STORED; the rest of the module only assigns the words.
//
// local_mac takes its new value when its upper word is written. A write to `arp_command` raises arp_set_valid with the
// entry's address and MAC; the next transfer begins when arp_set_ready has accepted them. A snapshot copies the next
// complete sweep of stat_* (see ws_event_counters), so that all counters show the same instant, at most 3 cycles before
// the write took effect; after a reset the counters are undefined until the first snapshot is complete.
//
// Parameters   N_PORTS             UDP ports, 1 to 16
//              N_GROUPS            multicast groups, 1 to 16
//              N_COUNTERS          events counted, 1 to 256
//              LOCAL_MAC           MAC address after reset; with the settings below a design works without a bus master
//              LOCAL_IP            IP address after reset
//              NETMASK             netmask after reset
//              GATEWAY             gateway after reset; 0 is none
//              LOCAL_PORTS         UDP ports after reset, 16 bits each, the first in the low bits
//              RESULT_IP           IP address that results are sent to after reset
//              RESULT_PORT         UDP port that results are sent to after reset
//              RESULT_SOURCE_PORT  UDP port that results are sent from after reset
//              INDEX_W             follows from N_COUNTERS
// Latency      those of ws_axil_slave: the last of awvalid and wvalid to bvalid 3 cycles; arvalid to rvalid 4
// Issue rate   one transfer at a time, reads and writes in turn: a write in 4 cycles, a read in 5
// Bad input    An address without a register gets DECERR; a write to a read-only register, or a read of a write-only
//              one, gets SLVERR and has no effect. The two low address bits are ignored. wstrb is honoured.
// Source       ARM IHI 0022, AXI4-Lite

`default_nettype none

module ws_registers #(
    parameter                  N_PORTS            = 4,
    parameter                  N_GROUPS           = 4,
    parameter                  N_COUNTERS         = 64,
    parameter [47:0]           LOCAL_MAC          = 48'h020000000001,
    parameter [31:0]           LOCAL_IP           = {8'd192, 8'd168, 8'd1, 8'd10},
    parameter [31:0]           NETMASK            = {8'd255, 8'd255, 8'd255, 8'd0},
    parameter [31:0]           GATEWAY            = 32'd0,
    parameter [16*N_PORTS-1:0] LOCAL_PORTS        = 4000,
    parameter [31:0]           RESULT_IP          = {8'd192, 8'd168, 8'd1, 8'd77},
    parameter [15:0]           RESULT_PORT        = 5000,
    parameter [15:0]           RESULT_SOURCE_PORT = 4000,
    parameter                  INDEX_W = N_COUNTERS > 1 ? $clog2(N_COUNTERS) : 1    // do not set
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire [11:0]            s_axil_awaddr,
    input  wire [11:0]            s_axil_araddr,
    input  wire                   s_axil_awvalid,
    output wire                   s_axil_awready,
    input  wire [31:0]            s_axil_wdata,
    input  wire [3:0]             s_axil_wstrb,
    input  wire                   s_axil_wvalid,
    output wire                   s_axil_wready,
    output wire [1:0]             s_axil_bresp,
    output wire                   s_axil_bvalid,
    input  wire                   s_axil_bready,
    input  wire                   s_axil_arvalid,
    output wire                   s_axil_arready,
    output wire [31:0]            s_axil_rdata,
    output wire [1:0]             s_axil_rresp,
    output wire                   s_axil_rvalid,
    input  wire                   s_axil_rready,

    output wire [47:0]            local_mac,
    output wire [31:0]            local_ip,
    output wire [31:0]            netmask,
    output wire [31:0]            gateway,
    output wire [16*N_PORTS-1:0]  local_ports,
    output wire [32*N_GROUPS-1:0] groups,
    output wire                   promiscuous,
    output wire                   ping,
    output wire [31:0]            result_ip,
    output wire [15:0]            result_port,
    output wire [15:0]            result_source_port,

    output reg                    arp_set_valid,
    input  wire                   arp_set_ready,
    output reg                    arp_set_clear,    // else set
    output wire [31:0]            arp_set_ip,
    output wire [47:0]            arp_set_mac,

    input  wire                   stat_valid,
    input  wire [INDEX_W-1:0]     stat_index,
    input  wire [63:0]            stat_value
);

    `include "ws_registers.vh"

    localparam WORD_W = $clog2(WORDS);

    initial if (N_PORTS < 1 || N_PORTS > 16 || N_GROUPS < 1 || N_GROUPS > 16
                || N_COUNTERS < 1 || N_COUNTERS > MOST_COUNTERS) begin
        $display("ERROR: %m: N_PORTS = %0d (1 to 16), N_GROUPS = %0d (1 to 16), N_COUNTERS = %0d (1 to %0d)",
                 N_PORTS, N_GROUPS, N_COUNTERS, MOST_COUNTERS);
        $finish;
    end

    // The registers that exist with this number of ports and groups, what they store, and their values after reset
    function [WORDS-1:0] present(input [WORDS-1:0] words);
        integer n;
        begin
            present = words;
            for (n = N_PORTS; n < 16; n = n + 1) present[WORD_LOCAL_PORT + n] = 1'b0;
            for (n = N_GROUPS; n < 16; n = n + 1) present[WORD_GROUP + n] = 1'b0;
        end
    endfunction

    function [32*WORDS-1:0] kept(input [32*WORDS-1:0] words);
        integer n;
        for (n = 0; n < WORDS; n = n + 1) kept[32*n +: 32] = CAN_WRITE[n] ? words[32*n +: 32] : 32'd0;
    endfunction

    function [32*WORDS-1:0] after_reset(input [32*WORDS-1:0] words);
        integer n;
        begin
            after_reset = words;
            after_reset[32*WORD_LOCAL_MAC +: 48]          = LOCAL_MAC;
            after_reset[32*WORD_LOCAL_IP +: 32]           = LOCAL_IP;
            after_reset[32*WORD_NETMASK +: 32]            = NETMASK;
            after_reset[32*WORD_GATEWAY +: 32]            = GATEWAY;
            after_reset[32*WORD_RESULT_IP +: 32]          = RESULT_IP;
            after_reset[32*WORD_RESULT_PORT +: 16]        = RESULT_PORT;
            after_reset[32*WORD_RESULT_SOURCE_PORT +: 16] = RESULT_SOURCE_PORT;
            for (n = 0; n < N_PORTS; n = n + 1)
                after_reset[32*(WORD_LOCAL_PORT + n) +: 16] = LOCAL_PORTS[16*n +: 16];
        end
    endfunction

    localparam [WORDS-1:0]    CAN_READ  = present(READABLE);
    localparam [WORDS-1:0]    CAN_WRITE = present(WRITABLE);
    localparam [32*WORDS-1:0] KEPT      = kept(STORED);
    localparam [32*WORDS-1:0] FIRST     = after_reset(AFTER_RESET);

    // Transfers, and the word that each addresses
    wire              write, read;
    wire [11:2]       address;
    wire [31:0]       wdata;
    wire [3:0]        wstrb;
    reg  [31:0]       read_data;
    reg  [WORDS-1:0]  select_reg;
    wire              is_counter = address[11];
    wire              is_word    = !is_counter && address[10:2+WORD_W] == 0;
    wire [WORD_W-1:0] word       = address[2 +: WORD_W];
    wire              writes     = write && |wstrb;     // at least one byte

    always @(posedge clk) select_reg <= {{WORDS-1{1'b0}}, is_word} << word;

    ws_axil_slave #(.ADDR_W(12), .READ_CYCLES(3)) slave (       // a counter takes two cycles
        .clk(clk), .rst(rst),
        .s_axil_awaddr(s_axil_awaddr), .s_axil_awvalid(s_axil_awvalid), .s_axil_awready(s_axil_awready),
        .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bresp(s_axil_bresp), .s_axil_bvalid(s_axil_bvalid), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rready(s_axil_rready),
        .hold(arp_set_valid), .write(write), .read(read), .address(address), .wdata(wdata), .wstrb(wstrb),
        .known(is_counter ? {1'b0, address[10:3]} < N_COUNTERS[8:0] : is_word && (CAN_READ[word] || CAN_WRITE[word])),
        .may_write(is_word && CAN_WRITE[word]), .may_read(is_counter || CAN_READ[word]), .rdata(read_data)
    );

    // The words that store what is written
    wire [32*WORDS-1:0] words;

    ws_stored_words #(.WORDS(WORDS), .STORED(KEPT), .RESET(FIRST)) stored (
        .clk(clk), .rst(rst), .write(write), .select(select_reg), .wstrb(wstrb), .wdata(wdata), .words(words)
    );

    // local_mac takes effect as a whole
    reg [31:0] mac_lower_reg;

    always @(posedge clk) begin
        if (writes && select_reg[WORD_LOCAL_MAC + 1]) mac_lower_reg <= words[32*WORD_LOCAL_MAC +: 32];
        if (rst) mac_lower_reg <= LOCAL_MAC[31:0];
    end

    assign local_mac          = {words[32*WORD_LOCAL_MAC + 32 +: 16], mac_lower_reg};
    assign local_ip           = words[32*WORD_LOCAL_IP +: 32];
    assign netmask            = words[32*WORD_NETMASK +: 32];
    assign gateway            = words[32*WORD_GATEWAY +: 32];
    assign {ping, promiscuous} = words[32*WORD_SWITCHES +: 2];
    assign result_ip          = words[32*WORD_RESULT_IP +: 32];
    assign result_port        = words[32*WORD_RESULT_PORT +: 16];
    assign result_source_port = words[32*WORD_RESULT_SOURCE_PORT +: 16];
    assign groups             = words[32*WORD_GROUP +: 32*N_GROUPS];
    assign arp_set_ip         = words[32*WORD_ARP_IP +: 32];
    assign arp_set_mac        = words[32*WORD_ARP_MAC +: 48];

    genvar i;
    generate
        for (i = 0; i < N_PORTS; i = i + 1) begin : gen_port
            assign local_ports[16*i +: 16] = words[32*(WORD_LOCAL_PORT + i) +: 16];
        end
    endgenerate

    // Static ARP entries
    always @(posedge clk) begin
        if (arp_set_ready) arp_set_valid <= 1'b0;
        if (write && select_reg[WORD_ARP_COMMAND]) begin
            arp_set_valid <= wstrb[0] && |wdata[1:0];
            arp_set_clear <= wdata[1];
        end
        if (rst) arp_set_valid <= 1'b0;
    end

    // Snapshot: the next complete sweep
    reg                waiting_reg, copying_reg, done_reg;
    wire               first = stat_valid && stat_index == {INDEX_W{1'b0}};
    localparam LAST = N_COUNTERS - 1;
    wire               last  = stat_valid && stat_index == LAST[INDEX_W-1:0];
    wire               copy  = stat_valid && (copying_reg || (waiting_reg && first));
    wire [63:0]        counter;

    always @(posedge clk) begin
        if (copy) begin
            waiting_reg <= 1'b0;
            copying_reg <= !last;
            done_reg    <= last;
        end
        if (rst || (writes && select_reg[WORD_SNAPSHOT])) begin
            waiting_reg <= !rst;
            copying_reg <= 1'b0;
            done_reg    <= 1'b0;
        end
    end

    ws_ram_sdp #(
        .DATA_W(64),
        .ADDR_W(INDEX_W),
        .OUTPUT_REG(1)
    ) counters (
        .clk(clk),
        .wr_en(copy),
        .wr_addr(stat_index),
        .wr_data(stat_value),
        .rd_en(1'b1),
        .rd_addr(address[3 +: INDEX_W]),
        .rd_data(counter)
    );

    // Read: the words, each masked by its own select, and the counters
    reg [32*WORDS-1:0] shown;
    integer            w;

    always @* begin
        shown = words;
        shown[32*WORD_ID +: 32]      = ID;
        shown[32*WORD_VERSION +: 32] = VERSION;
        shown[32*WORD_SIZES +: 32]   = {N_COUNTERS[15:0], N_GROUPS[7:0], N_PORTS[7:0]};
        shown[32*WORD_SNAPSHOT]      = done_reg;
        read_data = {32{is_counter}} & (address[2] ? counter[63:32] : counter[31:0]);
        for (w = 0; w < WORDS; w = w + 1)
            read_data = read_data | ({32{select_reg[w] && CAN_READ[w]}} & shown[32*w +: 32]);
    end

    wire unused = &{read};          // intentionally unused

endmodule

`default_nettype wire
