// SPDX-License-Identifier: Apache-2.0
//
// ws_igmp_receive: receive stage of ws_igmp: checks each message and holds one until every entry has been compared.
//
// It holds queries and, while version 1 or 2 is in force, other hosts' reports. A message that begins while another is
// held is not held: such a query is counted as busy, such a report is ignored.
//
// Counted      evt_bad, evt_other, evt_busy, evt_query: see ws_igmp
// Latency      last byte in -> heard_v1, heard_v2: 1 cycle; -> held and the events: 2 cycles
// Issue rate   1 byte a cycle
// Source       RFC 1112, appendix I; RFC 2236, section 2; RFC 3376, sections 4.1 and 7.1

`default_nettype none

module ws_igmp_receive (
    input  wire       clk,
    input  wire       rst,

    input  wire       v3,                               // version 3 is in force

    input  wire [7:0] s_axis_tdata,
    input  wire       s_axis_tvalid,
    input  wire       s_axis_tlast,
    input  wire       s_axis_tuser,

    output wire       heard_v1,                         // one cycle for each good query of version 1
    output wire       heard_v2,                         // and of version 2

    output reg        held,                             // a message is held; held_* describe it
    output reg        held_report,                      // another host's report, otherwise a query
    output reg        held_long,                        // at least 12 bytes, otherwise 8
    output reg        held_v1,                          // a query of version 1
    output reg        held_general,                     // group 0.0.0.0
    output reg  [7:0] held_code,                        // maximum response code
    output wire [7:0] held_octet,                       // current octet of its group, initially the first
    input  wire       rotate,                           // advance to the next octet, cyclically
    input  wire       discard,                          // every entry has been compared

    output reg        evt_query,
    output reg        evt_busy,
    output reg        evt_other,
    output reg        evt_bad
);

    localparam [5:0] TYPE_BYTE  = 6'd34,
                     CODE_BYTE  = 6'd35,                // maximum response code
                     GROUP_BYTE = 6'd38,
                     SHORT_LAST = 6'd41,                // last byte of a message of 8 bytes
                     LONG_LAST  = 6'd45;                // byte 12 of the message and all that follow

    reg  [5:0]  at_reg;
    reg         end_reg, bad_reg, long_reg, query_reg, report_reg, code_zero_reg;
    reg         capture_reg;                            // nothing was held when this message began
    reg  [31:0] group_reg;
    wire        sum_good;
    wire        in_group = at_reg >= GROUP_BYTE && at_reg <= SHORT_LAST;
    wire [7:0]  unused_check;

    ws_inet_checksum sum (
        .clk(clk),
        .en(s_axis_tvalid),
        .start(at_reg == TYPE_BYTE),
        .octet(s_axis_tdata),
        .good(sum_good),
        .check(unused_check)
    );

    assign held_octet = group_reg[31:24];

    always @(posedge clk) begin
        end_reg <= s_axis_tvalid && s_axis_tlast;
        if (s_axis_tvalid) begin
            at_reg   <= s_axis_tlast ? 6'd0 : at_reg == LONG_LAST ? LONG_LAST : at_reg + 6'd1;
            bad_reg  <= s_axis_tuser || (at_reg != SHORT_LAST && at_reg != LONG_LAST);
            long_reg <= at_reg == LONG_LAST;
            case (at_reg)
                TYPE_BYTE: begin
                    capture_reg <= !held;
                    query_reg   <= s_axis_tdata == 8'h11;
                    report_reg  <= s_axis_tdata == 8'h12 || s_axis_tdata == 8'h16;
                end
                CODE_BYTE: begin
                    code_zero_reg <= s_axis_tdata == 8'd0;
                    if (capture_reg) held_code <= s_axis_tdata;
                end
                default: ;
            endcase
            if (in_group && capture_reg)
                held_general <= s_axis_tdata == 8'd0 && (at_reg == GROUP_BYTE || held_general);
        end
        if (rotate || (s_axis_tvalid && in_group && capture_reg))
            group_reg <= {group_reg[23:0], rotate ? group_reg[31:24] : s_axis_tdata};
        if (rst) begin
            at_reg  <= 6'd0;
            end_reg <= 1'b0;
        end
    end

    // Verdict
    wire good       = end_reg && !bad_reg && sum_good;
    wire good_query = good && query_reg;
    wire query_v1   = !long_reg && code_zero_reg;
    wire query_v2   = !long_reg && !code_zero_reg;

    assign heard_v1 = good_query && query_v1;
    assign heard_v2 = good_query && query_v2;

    always @(posedge clk) begin
        if (capture_reg && good && (query_reg || (report_reg && !v3))) begin
            held        <= 1'b1;
            held_report <= report_reg;
            held_long   <= long_reg;
            held_v1     <= query_v1;
        end else if (discard) held <= 1'b0;
        evt_bad   <= end_reg && !good;
        evt_other <= good && !query_reg;
        evt_busy  <= good_query && !capture_reg;
        evt_query <= good_query && capture_reg;
        if (rst) begin
            held      <= 1'b0;
            evt_bad   <= 1'b0;
            evt_other <= 1'b0;
            evt_busy  <= 1'b0;
            evt_query <= 1'b0;
        end
    end

endmodule

`default_nettype wire
