// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_demux: routes binary messages to typed streams by the message type at their beginning.
//
// The compact variant of FIX in the dissertation: a message is a tuple whose first field is its MsgType. All outputs
// carry the fields after it; a stream with fewer fields than others uses the most significant bits.
//
// Parameters   DATA_W    width of a message in bits, more than TYPE_W
//              N         streams, at least 1; stream 0 has the low bits of every m_* port
//              TYPE_W    width of MsgType in bits, at least 1
//              TYPES     the streams' message types, TYPE_W bits each, that of stream 0 in the low bits; default:
//                        NewOrderStream (68) and OrderCancelRequestStream (70)
// Latency      1 cycle
// Issue rate   1 message a cycle
// Bad input    a message of a type that no stream has is dropped, with evt_unknown in the cycle of its output
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.4.3

`default_nettype none

module ws_fix_demux #(
    parameter                DATA_W = 128,
    parameter                N      = 2,
    parameter                TYPE_W = 8,
    parameter [N*TYPE_W-1:0] TYPES  = {8'd70, 8'd68}
) (
    input  wire                         clk,
    input  wire                         rst,

    input  wire                         s_valid,
    input  wire                         s_punct,
    input  wire                         s_eos,
    input  wire [DATA_W-1:0]            s_data,

    output wire [N-1:0]                 m_valid,
    output wire [N-1:0]                 m_punct,
    output wire [N-1:0]                 m_eos,
    output wire [N*(DATA_W-TYPE_W)-1:0] m_data,

    output wire                         evt_unknown
);

    initial if (DATA_W <= TYPE_W) begin
        $display("ERROR: %m: DATA_W = %0d, must be more than TYPE_W = %0d", DATA_W, TYPE_W);
        $finish;
    end

    ws_demux #(.DATA_W(DATA_W-TYPE_W), .N(N), .TYPE_W(TYPE_W), .CODES(TYPES)) demux (
        .clk        (clk),
        .rst        (rst),
        .s_valid    (s_valid),
        .s_punct    (s_punct),
        .s_eos      (s_eos),
        .s_data     (s_data[DATA_W-TYPE_W-1:0]),
        .kind       (s_data[DATA_W-1 -: TYPE_W]),
        .m_valid    (m_valid),
        .m_punct    (m_punct),
        .m_eos      (m_eos),
        .m_data     (m_data),
        .evt_unknown(evt_unknown)
    );

endmodule

`default_nettype wire
