// SPDX-License-Identifier: Apache-2.0
//
// ws_group_top_cell: one place of every group of ws_group_top_k: of a tuple that comes and of the one that its group has
// here, it keeps the first in order.
//
// It is ws_top_cell with a RAM for the tuples. What passes is a tuple, a request for a row, or nothing. A tuple has a
// tag:
//
//     01   a new tuple: is exchanged with that of the place if its key is less, so that equals stay in order of arrival
//     00   a tuple that an earlier place has displaced: always exchanged, since it is before all that follow
//     11   nothing
//
// The tag is the upper part of the key, and that of an empty place is 10, so one comparison decides. Whether the place
// is empty comes with the tuple, so that no word needs to be cleared. A request takes the tuple of the place for which
// it is `full`, in exchange for what nobody reads, since the window of that tuple is over.
//
// The tuples themselves follow one cycle after their keys, so that the comparison does not have to reach them.
//
// Parameters   KEY_W    width of a key in bits, at least 1
//              DATA_W   width of a tuple in bits, at least 1
//              INDEX_W  2**INDEX_W groups, 1 to 24
// Ports        read_groups: of the items that come 2 and 3 cycles later; s_groups: of the item before this one, and of
//                this one
//              next_again: of the next item, see ws_group_words; again: of the item after it
//              next_full: the next item is a tuple whose group has one here, or a request for it
//              s_data, m_data: one cycle after s_key and m_key
// Latency      1 cycle
// Issue rate   1 item a cycle
// Source       ours, a linear systolic priority queue

`default_nettype none

module ws_group_top_cell #(
    parameter KEY_W   = 32,
    parameter DATA_W  = 32,
    parameter INDEX_W = 10
) (
    input  wire                 clk,
    input  wire                 rst,

    input  wire [2*INDEX_W-1:0] read_groups,
    input  wire [3:2]           again,
    input  wire [3:1]           next_again,
    input  wire                 next_full,

    input  wire [2*INDEX_W-1:0] s_groups,
    input  wire [1:0]           s_tag,
    input  wire                 s_row,
    input  wire [KEY_W-1:0]     s_key,
    input  wire [DATA_W-1:0]    s_data,

    output reg  [1:0]           m_tag,
    output reg  [KEY_W-1:0]     m_key,
    output reg  [DATA_W-1:0]    m_data
);

    reg               full_reg;
    wire [KEY_W-1:0]  key;
    wire              exchange;     // with the tuple here
    wire              hit;          // and the next item, of the same group, meets this one
    wire [KEY_W+1:0]  coming = {s_row ? {2{!full_reg}} : s_tag, s_key};
    wire [KEY_W+1:0]  here   = {!full_reg, full_reg, key};

    ws_less #(.KEY_W(KEY_W + 2)) order (.a(coming), .b(here), .less(exchange));
    ws_less #(.KEY_W(KEY_W + 3)) order_of_next (.a({!next_again[1], coming}), .b({1'b0, here}), .less(hit));

    // An empty place has key 0, for simulators that know X: the tags decide.
    ws_group_words #(.DATA_W(KEY_W), .INDEX_W(INDEX_W)) keys (
        .clk(clk),
        .read_index(read_groups[0 +: INDEX_W]), .again(again), .clear(!next_full), .hit(hit), .word(key),
        .replace(exchange), .s_index(s_groups[0 +: INDEX_W]), .s_item(s_key)
    );

    always @(posedge clk) begin
        m_key    <= exchange ? key : s_key;
        m_tag    <= exchange ? {2{!full_reg}} : s_tag;
        full_reg <= next_full;
        if (rst) m_tag <= 2'b11;
    end

    // ---- The tuples, one cycle later

    reg               exchange_reg, hit_reg;
    wire [DATA_W-1:0] data;

    ws_group_words #(.DATA_W(DATA_W), .INDEX_W(INDEX_W)) tuples (
        .clk(clk),
        .read_index(read_groups[INDEX_W +: INDEX_W]), .again(next_again[3:2]), .clear(1'b0), .hit(hit_reg), .word(data),
        .replace(exchange_reg), .s_index(s_groups[INDEX_W +: INDEX_W]), .s_item(s_data)
    );

    always @(posedge clk) begin
        exchange_reg <= exchange;
        hit_reg      <= hit;
        m_data       <= exchange_reg ? data : s_data;
    end

endmodule

`default_nettype wire
