// SPDX-License-Identifier: Apache-2.0
//
// ws_icmp_echo: answers ICMP echo requests, with a rate limit.
//
// Takes normalised ICMP frames to local_ip (see ws_control_rx): 14 bytes of Ethernet header, 20 of IPv4 header without
// its options, which IHL and total length still include, and the message without padding. The reply is written into a
// FIFO while the request passes, and committed once the request has been found good:
//
//   src MAC of the request 6, local_mac 6, 0800 | 45 00, length 2, id 0000, DF 4000, TTL 64, 01, checksum 2,
//   local_ip 4, src IPv4 of the request 4 | type 0, code 0, checksum 2, the rest unchanged
//
// The checksum of the message is updated (RFC 1624): type and code decrease by 0x0800, so it increases by 0x0800. A
// result of 0 is written as 0xFFFF: equal in ones' complement, and correct even when every other byte is 0.
//
// Counted      each frame is one pulse, of the first of these that applies:
//                bad      tuser[0] with tlast, fewer than 8 bytes of message, wrong checksum of the message
//                other    another type, or an echo request with a code
//                refused  `enable` was low at the end; sent to a group MAC, or from an address that is not a single
//                         host's: a group MAC; IPv4 0/8, 127/8, 224/3 (RFC 1122, 3.2.1.3 and 3.2.2)
//                full     the reply does not fit into the FIFO
//                limited  no token is left
//                reply    a reply will be sent
// Parameters   MAX_PAYLOAD  longest data of a request, in bytes, that fits into the empty FIFO, 1 to 65507; the FIFO
//                           has the next power of two above MAX_PAYLOAD + 42 bytes (one 18 Kb block RAM for 1472)
//              RATE         average replies a second, 1 to 1000 * BURST; seconds are counted by tick_ms
//              BURST        replies that may be sent back to back after a pause, 1 to 1000
// Settings     local_mac and local_ip may change between frames
// Latency      7 cycles from the last byte of a request to the first byte of its reply
// Issue rate   1 byte a cycle in and out; 18 cycles more for each frame, in which s_axis_tready is low
// Overflow     s_axis_tready does not depend on the sink: replies wait in the FIFO; when it is full, requests are
//              dropped
// Source       RFC 792, 1122 (3.2.2.6), 1624

`default_nettype none

module ws_icmp_echo #(
    parameter MAX_PAYLOAD = 1472,
    parameter RATE        = 1000,
    parameter BURST       = 50
) (
    input  wire        clk,
    input  wire        rst,

    input  wire [47:0] local_mac,
    input  wire [31:0] local_ip,
    input  wire        enable,
    input  wire        tick_ms,         // one cycle every millisecond

    input  wire [7:0]  s_axis_tdata,
    input  wire        s_axis_tkeep,
    input  wire        s_axis_tvalid,
    output wire        s_axis_tready,
    input  wire        s_axis_tlast,
    input  wire        s_axis_tuser,

    output wire [7:0]  m_axis_tdata,
    output wire        m_axis_tkeep,
    output wire        m_axis_tvalid,
    input  wire        m_axis_tready,
    output wire        m_axis_tlast,
    output wire        m_axis_tuser,

    output reg         evt_reply,
    output reg         evt_limited,
    output reg         evt_full,
    output reg         evt_refused,
    output reg         evt_other,
    output reg         evt_bad
);

    initial if (MAX_PAYLOAD < 1 || MAX_PAYLOAD > 65507 || BURST < 1 || BURST > 1000
                || RATE < 1 || RATE > 1000 * BURST) begin
        $display("ERROR: %m: MAX_PAYLOAD = %0d (1 to 65507), RATE = %0d (1 to 1000 * BURST), BURST = %0d (1 to 1000)",
                 MAX_PAYLOAD, RATE, BURST);
        $finish;
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Steps: bytes 0 to 33 of the request in steps 0 to 33; byte j of the reply's header, from 6 on, in step 18 + j,
    // when everything that it depends on is known (its first 6 bytes are copied from the request as they pass); the
    // message from step 52 on.

    localparam [5:0] MADE        = 6'd18,
                     BEFORE      = MADE - 6'd1,
                     CHECK_STEP  = MADE + 6'd24,
                     SOURCE_STEP = MADE + 6'd30,
                     TYPE_STEP   = 6'd52,
                     CODE_STEP   = 6'd53,
                     LEAST_STEP  = 6'd59;               // the message's eighth byte and all that follow

    reg  [5:0] step_reg;
    reg        waiting_reg;                             // steps 34 to 51: s_axis stalls
    reg        end_reg;                                 // the frame's last byte has been accepted
    wire       take = s_axis_tvalid && s_axis_tready;
    wire       move = take || waiting_reg;

    assign s_axis_tready = !waiting_reg;

    always @(posedge clk) begin
        end_reg <= take && s_axis_tlast;
        if (take && s_axis_tlast) step_reg <= 6'd0;
        else if (move) begin
            if (step_reg != LEAST_STEP) step_reg <= step_reg + 6'd1;
            waiting_reg <= step_reg == 6'd33 || (waiting_reg && step_reg != 6'd51);
        end
        if (rst) begin
            step_reg    <= 6'd0;
            waiting_reg <= 1'b0;
            end_reg     <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Header stage: stores fields of the request's headers, and generates the reply's headers from them.

    reg [3:0]  option_words_reg;
    reg [15:0] length_reg;
    reg [31:0] source_reg;
    reg        bad_reg, other_reg, refused_reg;

    always @(posedge clk) if (take) case (step_reg)
        6'd14: option_words_reg <= s_axis_tdata[3:0] - 4'd5;
        6'd16: length_reg[15:8] <= s_axis_tdata;
        6'd17: length_reg       <= {length_reg[15:8], s_axis_tdata} - {10'b0, option_words_reg, 2'b0};
        default: ;
    endcase

    wire source_in = step_reg == 6'd26 || step_reg == 6'd27 || step_reg == 6'd28 || step_reg == 6'd29;

    always @(posedge clk)       // in with bytes 26 to 29 of the request, out with bytes 30 to 33 of the reply
        if (move && (step_reg[5:2] == SOURCE_STEP[5:2] || source_in))
            source_reg <= {source_reg[23:0], s_axis_tdata};

    always @(posedge clk) if (take) begin
        bad_reg <= s_axis_tuser || step_reg != LEAST_STEP;
        case (step_reg)
            6'd0:      refused_reg <= s_axis_tdata[0];
            6'd6:      refused_reg <= refused_reg || s_axis_tdata[0];
            6'd26:     refused_reg <= refused_reg || s_axis_tdata == 8'd0 || s_axis_tdata == 8'd127
                                   || &s_axis_tdata[7:5];
            TYPE_STEP: other_reg   <= s_axis_tdata != 8'd8;
            CODE_STEP: other_reg   <= other_reg || s_axis_tdata != 8'd0;
            default: ;
        endcase
    end

    // The frame's attributes, sampled when its last byte has been summed and the next frame may begin
    reg        verdict_reg, is_bad_reg, is_other_reg, is_refused_reg;
    wire       sum_good;

    always @(posedge clk) begin
        verdict_reg    <= end_reg && !rst;
        is_bad_reg     <= bad_reg || !sum_good;
        is_other_reg   <= other_reg;
        is_refused_reg <= refused_reg || !enable;
    end

    wire [7:0] check;
    reg  [7:0] made_reg;                                // selected a step ahead
    wire [7:0] made = step_reg[5:1] == CHECK_STEP[5:1] ? check
                    : step_reg[5:2] == SOURCE_STEP[5:2] ? source_reg[31:24] : made_reg;

    always @(posedge clk) if (move) case (step_reg)
        BEFORE + 6'd6:  made_reg <= local_mac[47:40];
        BEFORE + 6'd7:  made_reg <= local_mac[39:32];
        BEFORE + 6'd8:  made_reg <= local_mac[31:24];
        BEFORE + 6'd9:  made_reg <= local_mac[23:16];
        BEFORE + 6'd10: made_reg <= local_mac[15:8];
        BEFORE + 6'd11: made_reg <= local_mac[7:0];
        BEFORE + 6'd12: made_reg <= 8'h08;
        BEFORE + 6'd14: made_reg <= 8'h45;
        BEFORE + 6'd16: made_reg <= length_reg[15:8];
        BEFORE + 6'd17: made_reg <= length_reg[7:0];
        BEFORE + 6'd20: made_reg <= 8'h40;                       // DF
        BEFORE + 6'd22: made_reg <= 8'd64;                       // TTL
        BEFORE + 6'd23: made_reg <= 8'd1;                        // ICMP
        BEFORE + 6'd26: made_reg <= local_ip[31:24];
        BEFORE + 6'd27: made_reg <= local_ip[23:16];
        BEFORE + 6'd28: made_reg <= local_ip[15:8];
        BEFORE + 6'd29: made_reg <= local_ip[7:0];
        default:    made_reg <= 8'h00;
    endcase

    // Checksums, one after the other in the same registers: that of the reply's IPv4 header, from the request's
    // addresses (the reply has the same two), the length, and 4500 + 4000 + 4001; then that of the message.
    reg  [7:0] summand_reg;                             // while s_axis stalls; selected a step ahead

    always @(posedge clk) case (step_reg)
        6'd33:   summand_reg <= length_reg[15:8];
        6'd34:   summand_reg <= length_reg[7:0];
        6'd35:   summand_reg <= 8'hc5;
        6'd36:   summand_reg <= 8'h01;
        default: summand_reg <= 8'h00;
    endcase

    ws_inet_checksum sum (
        .clk(clk),
        .en(move),
        .start(step_reg == 6'd26 || step_reg == TYPE_STEP),
        .octet(waiting_reg ? summand_reg : s_axis_tdata),
        .good(sum_good),
        .check(check)
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Write stage, one byte later: the upper half of the new checksum depends on the lower.

    reg [7:0] before_reg;
    reg       carry_reg;                                // from the checksum's upper half into its lower

    reg       is_type_reg, is_upper_reg, is_lower_reg;              // kind of before_reg
    reg       in_header_reg, writes_reg;                    // this step writes `made`; writes any byte
    wire      carry    = &before_reg[7:3];
    wire      add_one  = is_upper_reg ? carry && &s_axis_tdata : is_lower_reg && carry_reg;
    wire [7:0] passed  = before_reg + {4'b0, is_upper_reg, 2'b0, add_one};

    always @(posedge clk) if (take) begin
        before_reg <= s_axis_tdata;
        if (is_upper_reg) carry_reg <= carry;
    end

    always @(posedge clk) begin
        if (move) begin
            is_type_reg  <= step_reg == TYPE_STEP;
            is_upper_reg <= step_reg == TYPE_STEP + 6'd2;
            is_lower_reg <= step_reg == TYPE_STEP + 6'd3;
            case (step_reg)
                6'd6:          writes_reg <= 1'b1;      // the MAC
                6'd12:         writes_reg <= 1'b0;
                MADE + 6'd5:   {in_header_reg, writes_reg} <= 2'b11;
                MADE + 6'd33:  {in_header_reg, writes_reg} <= 2'b00;
                TYPE_STEP:     writes_reg <= 1'b1;
                default: ;
            endcase
        end
        if (take && s_axis_tlast) {is_type_reg, is_upper_reg, is_lower_reg, in_header_reg, writes_reg} <= 5'd0;
        if (rst) {in_header_reg, writes_reg} <= 2'd0;
    end

    wire        full;
    reg         write_reg, cut_reg;                     // cut: a byte of this reply did not fit
    reg  [8:0]  written_reg;
    wire        cut = cut_reg || (write_reg && full);

    always @(posedge clk) begin
        // A bad frame is rewound and needs no end: that of a single byte would coincide with the previous reply's
        // commit.
        write_reg   <= (end_reg && !bad_reg) || (move && writes_reg);
        written_reg <= {end_reg, in_header_reg ? made : is_type_reg ? 8'h00 : passed};
        cut_reg     <= cut && !verdict_reg;
        if (rst) begin
            write_reg <= 1'b0;
            cut_reg   <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Token bucket: a tick adds TICK, a reply costs COST.

    function integer divisor(input integer a, input integer b);     // greatest common
        integer i;
        begin
            divisor = 1;
            for (i = 2; i <= b; i = i + 1) if (a % i == 0 && b % i == 0) divisor = i;
        end
    endfunction

    localparam SHARED = divisor(RATE, 1000);
    localparam TICK   = RATE / SHARED;
    localparam COST   = 1000 / SHARED;
    localparam LIMIT  = BURST * COST;
    localparam W      = $clog2(LIMIT + 1);

    reg  [W-1:0] tokens_reg;
    reg          tick_reg;
    wire         empty = tokens_reg < COST[W-1:0];
    wire         near_limit = tokens_reg > LIMIT[W-1:0] - TICK[W-1:0];
    wire         fine  = verdict_reg && !is_bad_reg && !is_other_reg && !is_refused_reg && !cut;

    always @(posedge clk) begin
        if (tick_ms) tick_reg <= 1'b1;
        else if (!verdict_reg) tick_reg <= 1'b0;
        if (verdict_reg) begin
            if (fine && !empty) tokens_reg <= tokens_reg - COST[W-1:0];
        end else if (tick_reg)
            tokens_reg <= near_limit ? LIMIT[W-1:0] : tokens_reg + TICK[W-1:0];
        if (rst) begin
            tokens_reg <= LIMIT[W-1:0];
            tick_reg   <= 1'b0;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Verdict stage

    always @(posedge clk) begin
        evt_bad     <= verdict_reg && is_bad_reg;
        evt_other   <= verdict_reg && !is_bad_reg && is_other_reg;
        evt_refused <= verdict_reg && !is_bad_reg && !is_other_reg && is_refused_reg;
        evt_full    <= verdict_reg && !is_bad_reg && !is_other_reg && !is_refused_reg && cut;
        evt_limited <= fine && empty;
        evt_reply   <= fine && !empty;
        if (rst) begin
            evt_bad     <= 1'b0;
            evt_other   <= 1'b0;
            evt_refused <= 1'b0;
            evt_full    <= 1'b0;
            evt_limited <= 1'b0;
            evt_reply   <= 1'b0;
        end
    end

    localparam FIFO_W = $clog2(MAX_PAYLOAD + 42);
    wire [FIFO_W:0] unused_level;

    ws_commit_fifo #(
        .DATA_W(9),
        .ADDR_W(FIFO_W),
        .OUTPUT_REG(1),
        .STYLE("block")
    ) replies (
        .clk(clk),
        .rst(rst),
        .wr_en(write_reg && !full && !cut_reg),
        .wr_data(written_reg),
        .commit(evt_reply),
        .rewind(evt_limited || evt_full || evt_refused || evt_other || evt_bad),
        .full(full),
        .level(unused_level),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_data({m_axis_tlast, m_axis_tdata})
    );

    assign m_axis_tkeep = 1'b1;
    assign m_axis_tuser = 1'b0;

`ifdef FORMAL
    ws_axis_rules m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
