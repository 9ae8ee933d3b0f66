// SPDX-License-Identifier: Apache-2.0
//
// ws_trades_q3: trades in UDP datagrams in, windowed counts in UDP datagrams out, on a gigabit Ethernet port.
//
//   SELECT Time, count(*) AS Number
//   FROM Trades [RANGE 600 SLIDE 60 WATTR Time SLACK 60] WHERE Symbol = "UBSN"
//
//   gmii -> mac_gmii_rx -> udp_ip_stack -> tuple_rx -> punctuator -> select_const -> wid_aggregate
//   gmii <- mac_gmii_tx <- udp_ip_stack <- tuple_tx <- sync_fifo <---------------'
//
// Trades and results are in the tuple datagram format of docs/wire-format.md: stream 1 with records {Symbol string(4),
// Price int, Volume int, Time int} in, stream 0x8001 with records {Time long (the window's end), Number long, flags}
// out. Results are sent to dst_ip, which ARP resolves; a result is dropped and counted until dst_ip is resolved, so its
// host should contact the board first, for which an ARP request for the board's address is enough. Pings are answered.
// Both GMII directions run on clk, 125 MHz with an octet in every cycle (gmii_rx_ce, gmii_tx_ce: see ws_mii).
//
// Parameters   RANGE      length of a window in seconds of Time, see ws_punctuator
//              SLIDE      distance between the starts of two windows in seconds, see ws_punctuator
//              SLACK      how late a trade may be in seconds, see ws_punctuator
//              MAX_AHEAD  how far above the watermark a trade may be in seconds, see ws_punctuator
//              SYMBOL     the four bytes selected
// Latency      156 cycles from the last octet of the frame with the trade that closes a window, FCS included, to the
//              first preamble octet of the result's frame, if it is the datagram's only trade and nothing else waits
// Issue rate   line rate: 1 octet a cycle in and out
// Overflow     every drop is counted under its reason; stat_* outputs all counts cyclically, by the index in `events`
// Source       Oge et al., MCSoC 2013, query Q3 and Fig. 5

`default_nettype none

module ws_trades_q3 #(
    parameter        RANGE     = 600,
    parameter        SLIDE     = 60,
    parameter        SLACK     = 60,
    parameter        MAX_AHEAD = 86400,
    parameter [31:0] SYMBOL    = "UBSN"
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        tick_ms,        // one cycle every millisecond

    input  wire        gmii_rx_ce,
    input  wire [7:0]  gmii_rxd,
    input  wire        gmii_rx_dv,
    input  wire        gmii_rx_er,
    input  wire        gmii_tx_ce,
    output wire [7:0]  gmii_txd,
    output wire        gmii_tx_en,
    output wire        gmii_tx_er,

    input  wire [47:0] local_mac,
    input  wire [31:0] local_ip,
    input  wire [31:0] netmask,
    input  wire [31:0] gateway,        // 0: none
    input  wire [15:0] local_port,
    input  wire [31:0] dst_ip,
    input  wire [15:0] dst_port,
    input  wire [31:0] first_session,  // session number of the results

    output wire        stat_valid,
    output wire [6:0]  stat_index,
    output wire [63:0] stat_value
);

    // ---- Network

    localparam STACK_EVENTS = 57;

    wire [7:0]   rx_tdata, payload_tdata, datagram_tdata, tx_tdata;
    wire         rx_tkeep, payload_tkeep, datagram_tkeep, tx_tkeep;
    wire         rx_tvalid, payload_tvalid, datagram_tvalid, tx_tvalid;
    wire         rx_tlast, payload_tlast, datagram_tlast, tx_tlast;
    wire         rx_tuser, datagram_tuser, tx_tuser;
    /* verilator lint_off UNUSEDSIGNAL */         // index of the port, ingress time
    wire [117:0] payload_tuser;
    /* verilator lint_on UNUSEDSIGNAL */
    wire         payload_tready, datagram_tready, tx_tready;

    wire [STACK_EVENTS-1:0] stack_events;

    wire mac_rx_good, mac_rx_no_preamble, mac_rx_error, mac_rx_oversize, mac_rx_runt, mac_rx_bad_fcs;

    ws_mac_gmii_rx mac_rx (
        .clk(clk), .rst(rst),
        .gmii_rx_ce(gmii_rx_ce), .gmii_rxd(gmii_rxd), .gmii_rx_dv(gmii_rx_dv), .gmii_rx_er(gmii_rx_er),
        .m_axis_tdata(rx_tdata), .m_axis_tkeep(rx_tkeep), .m_axis_tvalid(rx_tvalid),
        .m_axis_tlast(rx_tlast), .m_axis_tuser(rx_tuser),
        .evt_good(mac_rx_good), .evt_no_preamble(mac_rx_no_preamble), .evt_rx_error(mac_rx_error),
        .evt_oversize(mac_rx_oversize), .evt_runt(mac_rx_runt), .evt_bad_fcs(mac_rx_bad_fcs)
    );

    // The MAC cannot stall and need not: the stack stores what it receives and outputs only good datagrams.
    /* verilator lint_off PINCONNECTEMPTY */
    ws_udp_ip_stack #(.DATA_W(8), .N_PORTS(1), .N_GROUPS(1), .HEADERS(0), .TIME_W(1)) stack (
        .clk(clk), .rst(rst), .tick_ms(tick_ms), .now(1'b0),
        .local_mac(local_mac), .local_ip(local_ip), .netmask(netmask), .gateway(gateway),
        .local_ports(local_port), .groups(32'd0), .promiscuous(1'b0), .ping(1'b1),
        .arp_set_valid(1'b0), .arp_set_ready(), .arp_set_clear(1'b0), .arp_set_ip(32'd0), .arp_set_mac(48'd0),
        .s_mac_axis_tdata(rx_tdata), .s_mac_axis_tkeep(rx_tkeep), .s_mac_axis_tvalid(rx_tvalid),
        .s_mac_axis_tready(), .s_mac_axis_tlast(rx_tlast), .s_mac_axis_tuser(rx_tuser),
        .m_mac_axis_tdata(tx_tdata), .m_mac_axis_tkeep(tx_tkeep), .m_mac_axis_tvalid(tx_tvalid),
        .m_mac_axis_tready(tx_tready), .m_mac_axis_tlast(tx_tlast), .m_mac_axis_tuser(tx_tuser),
        .m_axis_tdata(payload_tdata), .m_axis_tkeep(payload_tkeep), .m_axis_tvalid(payload_tvalid),
        .m_axis_tready(payload_tready), .m_axis_tlast(payload_tlast), .m_axis_tuser(payload_tuser),
        .s_axis_tdata(datagram_tdata), .s_axis_tkeep(datagram_tkeep), .s_axis_tvalid(datagram_tvalid),
        .s_axis_tready(datagram_tready), .s_axis_tlast(datagram_tlast),
        .s_axis_tuser({local_port, dst_ip, dst_port, datagram_tuser}),
        .events(stack_events)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire mac_tx_good, mac_tx_bad, mac_tx_underrun;

    ws_mac_gmii_tx mac_tx (
        .clk(clk), .rst(rst),
        .s_axis_tdata(tx_tdata), .s_axis_tkeep(tx_tkeep), .s_axis_tvalid(tx_tvalid), .s_axis_tready(tx_tready),
        .s_axis_tlast(tx_tlast), .s_axis_tuser(tx_tuser),
        .gmii_tx_ce(gmii_tx_ce), .gmii_txd(gmii_txd), .gmii_tx_en(gmii_tx_en), .gmii_tx_er(gmii_tx_er),
        .evt_good(mac_tx_good), .evt_bad(mac_tx_bad), .evt_underrun(mac_tx_underrun)
    );

    // ---- Tuples

    wire         item_valid, item_ready;
    wire [127:0] item_data;
    wire [1:0]   item_kind;

    wire tuple_rx_accepted, tuple_rx_bad_header, tuple_rx_wrong_stream, tuple_rx_bad_length, tuple_rx_wrong_session;
    wire tuple_rx_repeat, tuple_rx_stale, tuple_rx_reordered, tuple_rx_gap, tuple_rx_session, tuple_rx_tuple;

    wire unused_stream;         // there is only one

    ws_tuple_rx #(.DATA_W(8), .RECORD_BYTES(16), .STREAM_ID(1)) tuple_rx (
        .clk(clk), .rst(rst),
        .s_axis_tdata(payload_tdata), .s_axis_tkeep(payload_tkeep), .s_axis_tvalid(payload_tvalid),
        .s_axis_tready(payload_tready), .s_axis_tlast(payload_tlast), .s_axis_tuser(payload_tuser[112:0]),
        .m_valid(item_valid), .m_ready(item_ready), .m_data(item_data), .m_kind(item_kind), .m_stream(unused_stream),
        .evt_accepted(tuple_rx_accepted), .evt_bad_header(tuple_rx_bad_header),
        .evt_wrong_stream(tuple_rx_wrong_stream), .evt_bad_length(tuple_rx_bad_length),
        .evt_wrong_session(tuple_rx_wrong_session), .evt_repeat(tuple_rx_repeat), .evt_stale(tuple_rx_stale),
        .evt_reordered(tuple_rx_reordered), .evt_gap(tuple_rx_gap), .evt_session(tuple_rx_session),
        .evt_tuple(tuple_rx_tuple)
    );

    // ---- Query

    // From the punctuator's decision: its output register, the selection, the aggregate's row (2 cycles) and the
    // punctuation after it, the FIFO's level; and one to spare.
    localparam QUERY_LATENCY = 1 + 1 + 2 + 1 + 1 + 1;
    localparam RESULTS_W     = 6;

    wire         in_valid, in_punct, in_eos, in_restart;
    wire [127:0] in_data;
    wire         ubs_valid, ubs_punct, ubs_eos;
    wire [127:0] ubs_data;
    wire         row_valid, row_punct;
    wire [31:0]  row_end;
    wire [63:0]  row_number;
    wire         row_overflow;
    wire [135:0] row_data = {32'd0, row_end, row_number, 7'd0, row_overflow};
    wire         query_rst = rst || in_restart;

    wire [RESULTS_W:0] results_held;
    wire [RESULTS_W:0] results_room = (1 << RESULTS_W) - results_held;
    wire               query_late, query_ahead, query_resync, query_discarded;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_punctuator #(
        .DATA_W(128), .WATTR_LSB(0), .WATTR_W(32),
        .RANGE(RANGE), .SLIDE(SLIDE), .SLACK(SLACK), .MAX_AHEAD(MAX_AHEAD),
        .LATENCY(QUERY_LATENCY), .CLOSE_CYCLES(2), .CLOSE_PLACES(2), .ROOM_W(RESULTS_W + 1)
    ) punctuator (
        .clk(clk), .rst(rst),
        .s_valid(item_valid), .s_ready(item_ready), .s_data(item_data), .s_kind(item_kind),
        .m_valid(in_valid), .m_punct(in_punct), .m_eos(in_eos), .m_data(in_data), .m_restart(in_restart),
        .room(results_room), .quiet(),
        .evt_late(query_late), .evt_ahead(query_ahead), .evt_resync(query_resync), .evt_discarded(query_discarded)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    ws_select_const #(.DATA_W(128), .FIELD_LSB(96), .FIELD_W(32), .OP("EQ"), .VALUE(SYMBOL)) select_symbol (
        .clk(clk), .rst(query_rst),
        .s_valid(in_valid), .s_punct(in_punct), .s_eos(in_eos), .s_data(in_data),
        .m_valid(ubs_valid), .m_punct(ubs_punct), .m_eos(ubs_eos), .m_data(ubs_data)
    );

    wire unused_eos, unused_null;    // a count is never null

    ws_wid_aggregate #(
        .DATA_W(32), .WATTR_W(32), .RANGE(RANGE), .SLIDE(SLIDE), .SLACK(SLACK),
        .AGGS(1), .KINDS("CNT"), .SIGNEDS(1'b0), .VALUE_W(1), .ACC_W(64)
    ) aggregate (
        .clk(clk), .rst(query_rst),
        .s_valid(ubs_valid), .s_punct(ubs_punct), .s_eos(ubs_eos), .s_data(ubs_data[31:0]),
        .wattr(ubs_data[31:0]), .values(1'b0), .nulls(1'b0),
        .m_valid(row_valid), .m_punct(row_punct), .m_eos(unused_eos), .m_data(row_end),
        .results(row_number), .result_nulls(unused_null), .result_overflows(row_overflow)
    );

    wire unused = &{1'b0, ubs_data[127:32], unused_eos, unused_null};

    // Rows, punctuations and session starts, in order. The gate prevents its overflow.
    wire         push       = row_valid || row_punct || in_restart;
    wire [1:0]   push_kind  = {in_restart, row_punct};
    wire         push_ready, result_valid, result_ready;
    wire [1:0]   result_kind;
    wire [135:0] result_data;

    ws_sync_fifo #(.DATA_W(138), .ADDR_W(RESULTS_W), .STYLE("distributed")) results (
        .clk(clk), .rst(rst),
        .s_valid(push), .s_ready(push_ready), .s_data({push_kind, row_data}),
        .m_valid(result_valid), .m_ready(result_ready), .m_data({result_kind, result_data}),
        .level(results_held)
    );

    // ---- Results

    wire tuple_tx_datagram, tuple_tx_record;

    ws_tuple_tx #(.DATA_W(8), .RECORD_BYTES(24), .STREAM_ID(16'h8001), .MAX_RECORDS(60)) tuple_tx (
        .clk(clk), .rst(rst), .first_session(first_session),
        .s_valid(result_valid), .s_ready(result_ready), .s_data({result_data, 56'd0}), .s_kind(result_kind),
        .m_axis_tdata(datagram_tdata), .m_axis_tkeep(datagram_tkeep), .m_axis_tvalid(datagram_tvalid),
        .m_axis_tready(datagram_tready), .m_axis_tlast(datagram_tlast), .m_axis_tuser(datagram_tuser),
        .evt_datagram(tuple_tx_datagram), .evt_record(tuple_tx_record)
    );

    // ---- Counters: the last in this list has index 0, which is the stack's first.
    // tools/wirestream/schema/counters.py reads the names from here and from the stack.

    wire query_accepted = in_valid;
    wire query_selected = ubs_valid;
    wire query_row      = row_valid;
    wire query_overflow = row_valid && row_overflow;
    wire query_lost     = push && !push_ready;  // never: the gate prevents it

    wire [STACK_EVENTS+30:0] events = {
        // query
        tuple_tx_record, tuple_tx_datagram,
        query_lost, query_overflow, query_row, query_selected,
        query_discarded, query_resync, query_ahead, query_late, query_accepted,
        // tuple datagrams
        tuple_rx_tuple, tuple_rx_session, tuple_rx_gap, tuple_rx_reordered, tuple_rx_stale, tuple_rx_repeat,
        tuple_rx_wrong_session, tuple_rx_bad_length, tuple_rx_wrong_stream, tuple_rx_bad_header, tuple_rx_accepted,
        // Ethernet, IPv4, UDP
        mac_tx_underrun, mac_tx_bad, mac_tx_good,
        mac_rx_bad_fcs, mac_rx_runt, mac_rx_oversize, mac_rx_error, mac_rx_no_preamble, mac_rx_good,
        stack_events
    };

    ws_event_counters #(.N(STACK_EVENTS + 31)) counters (
        .clk(clk), .rst(rst),
        .event_pulse(events),
        .stat_valid(stat_valid), .stat_index(stat_index), .stat_value(stat_value)
    );

endmodule

`default_nettype wire
