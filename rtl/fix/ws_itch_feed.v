// SPDX-License-Identifier: Apache-2.0
//
// ws_itch_feed: converts the lines of a Nasdaq ITCH 5.0 feed to tuples, each message once and in sequence.
//
//     UDP payloads ──▶ ws_moldudp64 ──▶ ws_line_arbiter ──▶ ws_itch5 ──▶ tuples
//                       messages         one of each         fields
//
// The UDP port identifies the line (see ws_moldudp64); m_data and m_kind are those of ws_itch5. Events are those of the
// three cores: evt_<name>, and from ws_itch5 evt_tuple, evt_unknown and evt_bad_length.
//
// Parameters   DATA_W     width of the payload stream in bits: 8 or 64
//              REORDER    messages in the window of the arbiter: a power of two, 4 to 256
//              GAP_TICKS  ticks after which missing messages are lost, 1 to 65535
// Latency      13 cycles from the word with a message's last byte to m_valid, for the message next in sequence; 14 if
//              that word also holds the end of the message's length
// Issue rate   1 word a cycle, with the exceptions of ws_moldudp64 and ws_line_arbiter
// Overflow     a stalled sink causes back-pressure
// Bad input    counted. Payloads with tuser[0] must be dropped upstream; s_axis_tuser[16:1] must be the payload's
//              length
// Source       Nasdaq MoldUDP64 Protocol Specification, 1.00; Nasdaq TotalView-ITCH 5.0 specification

`default_nettype none

module ws_itch_feed #(
    parameter DATA_W    = 64,
    parameter REORDER   = 64,
    parameter GAP_TICKS = 100
) (
    input  wire                clk,
    input  wire                rst,
    input  wire                tick,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire [116:0]        s_axis_tuser,

    output wire                m_valid,
    input  wire                m_ready,
    output wire [359:0]        m_data,
    output wire [2:0]          m_kind,

    output wire                evt_datagram,
    output wire                evt_heartbeat,
    output wire                evt_end,
    output wire                evt_bad_header,
    output wire                evt_empty,
    output wire                evt_truncated,
    output wire                evt_trailing,
    output wire                evt_overlong,
    output wire                evt_message,
    output wire                evt_duplicate,
    output wire                evt_gap,
    output wire                evt_lost,
    output wire                evt_session,
    output wire                evt_stale,
    output wire                evt_tuple,
    output wire                evt_unknown,
    output wire                evt_bad_length
);

    localparam BYTES = 64;                      // longest message; ITCH 5.0 has at most 50

    wire [8*BYTES-1:0] copy_data, message_data;
    wire [BYTES-1:0]   copy_keep, message_keep;
    wire [146:0]       copy_user;
    wire               copy_valid, copy_ready, copy_last, message_valid, message_ready, message_last;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_moldudp64 #(.DATA_W(DATA_W), .MESSAGE_BYTES(BYTES), .NOTICES(1)) framing (
        .clk(clk), .rst(rst),
        .s_axis_tdata(s_axis_tdata), .s_axis_tkeep(s_axis_tkeep), .s_axis_tvalid(s_axis_tvalid),
        .s_axis_tready(s_axis_tready), .s_axis_tlast(s_axis_tlast), .s_axis_tuser(s_axis_tuser),
        .m_axis_tdata(copy_data), .m_axis_tkeep(copy_keep), .m_axis_tvalid(copy_valid), .m_axis_tready(copy_ready),
        .m_axis_tlast(copy_last), .m_axis_tuser(copy_user),
        .evt_datagram(evt_datagram), .evt_heartbeat(evt_heartbeat), .evt_end(evt_end),
        .evt_bad_header(evt_bad_header), .evt_empty(evt_empty), .evt_truncated(evt_truncated),
        .evt_trailing(evt_trailing), .evt_message(), .evt_overlong(evt_overlong)
    );

    ws_line_arbiter #(.MESSAGE_BYTES(BYTES), .REORDER(REORDER), .GAP_TICKS(GAP_TICKS)) arbiter (
        .clk(clk), .rst(rst), .tick(tick),
        .s_axis_tdata(copy_data), .s_axis_tkeep(copy_keep), .s_axis_tvalid(copy_valid), .s_axis_tready(copy_ready),
        .s_axis_tlast(copy_last), .s_axis_tuser(copy_user),
        .m_axis_tdata(message_data), .m_axis_tkeep(message_keep), .m_axis_tvalid(message_valid),
        .m_axis_tready(message_ready), .m_axis_tlast(message_last), .m_axis_tuser(),
        .evt_message(evt_message), .evt_duplicate(evt_duplicate), .evt_gap(evt_gap), .evt_lost(evt_lost),
        .evt_session(evt_session), .evt_stale(evt_stale)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    ws_itch5 #(.DATA_W(8*BYTES)) fields (
        .clk(clk), .rst(rst),
        .s_axis_tdata(message_data), .s_axis_tkeep(message_keep), .s_axis_tvalid(message_valid),
        .s_axis_tready(message_ready), .s_axis_tlast(message_last),
        .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data), .m_kind(m_kind),
        .evt_message(evt_tuple), .evt_unknown(evt_unknown), .evt_bad_length(evt_bad_length)
    );

endmodule

`default_nettype wire
