// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_bulk: FJoin's chain for the bulk bench, which has one stream of items in and one out.
//
// Parameters   of ws_fjoin_chain
// Items        s_data {key of a probe, key of a window tuple}, which are separated here; s_kind says which are valid: 1
//              window tuple, 3 the last of its pass, 2 FLUSH; + 4 probe, + 12 the last of its batch
//              m_data has 64 bits per lane, {valid, flush, word}: the output of all lanes in a cycle, at least one
//              valid

`default_nettype none

module ws_fjoin_bulk #(
    parameter        UNITS     = 64,
    parameter        GROUP     = 4,
    parameter        BLOCK     = 16,
    parameter        LANES     = 4,
    parameter        PAIRS     = 1,
    parameter [31:0] PREDICATE = "EQ",
    parameter        KEY_W     = 16,
    parameter        SIGNED    = 0,
    parameter        LIMIT_W   = 1
) (
    input  wire                clk,
    input  wire                rst,
    input  wire [LIMIT_W-1:0]  limit,

    input  wire                s_valid,
    output wire                s_ready,
    input  wire [2*KEY_W-1:0]  s_data,
    input  wire [3:0]          s_kind,

    output reg                 m_valid,
    input  wire                m_ready,
    output reg  [LANES*64-1:0] m_data
);

    localparam UNIT_W = UNITS > 1 ? $clog2(UNITS) : 1;
    localparam WORD_W = 32 + UNIT_W + (PAIRS != 0 ? 0 : BLOCK);

    wire             p_room, p_valid, p_ready, p_last, w_room, w_valid, w_ready, w_last, w_flush;
    wire [KEY_W-1:0] p_key, w_key;

    assign s_ready = p_room && w_room;

    /* verilator lint_off PINCONNECTEMPTY */
    ws_sync_fifo #(.DATA_W(KEY_W + 1), .ADDR_W(8)) probes (
        .clk(clk), .rst(rst),
        .s_valid(s_valid && w_room && s_kind[2]), .s_ready(p_room), .s_data({s_kind[3], s_data[KEY_W +: KEY_W]}),
        .m_valid(p_valid), .m_ready(p_ready), .m_data({p_last, p_key}), .level()
    );

    ws_sync_fifo #(.DATA_W(KEY_W + 2), .ADDR_W(4)) windows (
        .clk(clk), .rst(rst),
        .s_valid(s_valid && p_room && s_kind[1:0] != 0), .s_ready(w_room),
        .s_data({s_kind[1:0] == 3, s_kind[1:0] == 2, s_data[0 +: KEY_W]}),
        .m_valid(w_valid), .m_ready(w_ready), .m_data({w_last, w_flush, w_key}), .level()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire                    ready = !m_valid || m_ready;
    wire [LANES-1:0]        valid, flush;
    wire [LANES*WORD_W-1:0] data;

    ws_fjoin_chain #(
        .UNITS(UNITS), .GROUP(GROUP), .BLOCK(BLOCK), .LANES(LANES), .PAIRS(PAIRS), .PASS_W(16), .SLOT_W(16),
        .PREDICATE(PREDICATE), .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W)
    ) chain (
        .clk(clk), .rst(rst), .limit(limit),
        .s_probe_valid(p_valid), .s_probe_ready(p_ready), .s_probe_data(p_key), .s_probe_last(p_last),
        .s_window_valid(w_valid), .s_window_ready(w_ready), .s_window_data(w_key), .s_window_last(w_last),
        .s_window_flush(w_flush),
        .m_valid(valid), .m_ready({LANES{ready}}), .m_flush(flush), .m_data(data)
    );

    // Unused bits are 0, so that they are the same in every run of the bench.
    integer n;
    always @(posedge clk) begin
        if (ready) begin
            m_valid <= |valid;
            for (n = 0; n < LANES; n = n + 1)
                m_data[64*n +: 64] <= !valid[n] ? 64'd0 : flush[n] ? {2'b11, 62'd0}
                                      : {2'b10, {(62-WORD_W){1'b0}}, data[n*WORD_W +: WORD_W]};
        end
        if (rst) m_valid <= 1'b0;
    end

endmodule

`default_nettype wire
