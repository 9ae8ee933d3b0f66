// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_tree: merges K sorted streams of records into one.
//
// A stream is a sequence of runs. A run is sorted and ends with an END, an item without a record; an empty run is an END
// alone. The n-th runs of all inputs leave as one run, with one END; of equal keys the one of the lower input is first,
// so the merge is stable. Nodes are numbered as in a heap: node n merges 2n and 2n + 1, the inputs are K to 2K - 1, and
// 1 is the root.
//
// Parameters   K       inputs, a power of two, 2 to 64
//              KEY_W   width of a key in bits, at least 1; the order of keys is unsigned, see ws_sort_key
//              DATA_W  width of a record without its key in bits, at least 1
// Ports        s_*     of the inputs, input 0 in the low bits
//              s_end   this is an END; key and data are ignored, m_key and m_data of an END are undefined
// Latency      2 * log2 K - 1 cycles, from the last of the items that are needed to m_valid. A node's second input is
//              taken a cycle after the first one, so that it is 3 * log2 K - 1 if items come to all inputs of an empty
//              tree at once
// Issue rate   1 item a cycle, from one input too; after an END 1 cycle without an item
// Overflow     cannot happen: s_ready goes low. An input without an item stalls the output, since it may be the least
// Bad input    a run that is not sorted makes one that is not, with the same records
// Source       D. E. Knuth, The Art of Computer Programming 3, section 5.4.1, multiway merging; registers between two
//              nodes as in D. Koch, J. Torresen, FPGASort, FPGA 2011
//
// A node holds the heads of its inputs, a and b, and knows from registers which one leaves. The heads of the next cycle
// have been compared by then: if a leaves, the item that follows it with b, if b leaves, a with the item after b.
//
//   a_next ─▶ a ─┐                       a link: a register, in every second level a register slice, so that `ready`
//                ├─▶ link ─▶ a_next ...  passes two nodes in a cycle at most
//   b_next ─▶ b ─┘

`default_nettype none

module ws_merge_tree #(
    parameter K      = 16,
    parameter KEY_W  = 32,
    parameter DATA_W = 32
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [K-1:0]        s_valid,
    output wire [K-1:0]        s_ready,
    input  wire [K-1:0]        s_end,
    input  wire [K*KEY_W-1:0]  s_key,
    input  wire [K*DATA_W-1:0] s_data,

    output wire                m_valid,
    input  wire                m_ready,
    output wire                m_end,
    output wire [KEY_W-1:0]    m_key,
    output wire [DATA_W-1:0]   m_data
);

    initial if (K < 2 || K > 64 || K != 1 << $clog2(K) || KEY_W < 1 || DATA_W < 1) begin
        $display("ERROR: %m: K = %0d (a power of two, 2 to 64), KEY_W, DATA_W = %0d, %0d (at least 1)",
                 K, KEY_W, DATA_W);
        $finish;
    end

    localparam ORDER_W = KEY_W + 1;             // an END is after all keys
    localparam ITEM_W  = ORDER_W + DATA_W;

    // The outputs of the nodes, then the inputs; there is no node 0.
    wire [2*K-1:1]             valid, ready;
    wire [2*K*ITEM_W-1:ITEM_W] item;

    assign valid[K +: K]          = s_valid;
    assign s_ready                = ready[K +: K];
    assign m_valid                = valid[1];
    assign ready[1]               = m_ready;
    assign {m_end, m_key, m_data} = item[ITEM_W +: ITEM_W];

    genvar n;
    generate
        for (n = 0; n < K; n = n + 1) begin : gen_input
            assign item[(K + n)*ITEM_W +: ITEM_W] =
                {s_end[n], s_key[n*KEY_W +: KEY_W], s_data[n*DATA_W +: DATA_W]};
        end

        for (n = 1; n < K; n = n + 1) begin : gen_node
            localparam LEVEL = $clog2(n + 1) - 1;       // of the root 0

            wire              a_valid = valid[2*n];
            wire              b_valid = valid[2*n + 1];
            wire [ITEM_W-1:0] a_next = item[2*n*ITEM_W +: ITEM_W];
            wire [ITEM_W-1:0] b_next = item[(2*n + 1)*ITEM_W +: ITEM_W];
            reg  [ITEM_W-1:0] a_reg, b_reg;             // the heads
            reg               a_held_reg, b_held_reg;
            reg               a_goes_reg, b_goes_reg;   // both are held: this one leaves; two ENDs as one
            wire              out_ready;
            wire              a_stays = a_held_reg && !(a_goes_reg && out_ready);
            wire              b_stays = b_held_reg && !(b_goes_reg && out_ready);
            // One head comes at a time, since only one of the new ones has been compared with the other.
            wire              a_room  = !a_held_reg || (a_goes_reg && out_ready);
            wire              b_follows = b_goes_reg && (!a_goes_reg || !a_valid);
            wire              b_begins  = !b_held_reg && (a_held_reg || !a_valid);
            wire              b_room  = b_begins || (b_follows && out_ready);
            wire              a_comes = a_valid && a_room;
            wire              b_comes = b_valid && b_room;
            wire              a_ends  = a_next[ITEM_W-1] && b_reg[ITEM_W-1];
            wire              b_ends  = b_next[ITEM_W-1] && a_reg[ITEM_W-1];
            wire              a_after, b_before;        // the new a is after b; the new b is before a
            wire              out_valid = a_goes_reg || b_goes_reg;
            wire [ITEM_W-1:0] out_item  = a_goes_reg ? a_reg : b_reg;

            assign ready[2*n]     = a_room;
            assign ready[2*n + 1] = b_room;

            ws_less #(.KEY_W(ORDER_W)) a_order (
                .a(b_reg[DATA_W +: ORDER_W]), .b(a_next[DATA_W +: ORDER_W]), .less(a_after)
            );
            ws_less #(.KEY_W(ORDER_W)) b_order (
                .a(b_next[DATA_W +: ORDER_W]), .b(a_reg[DATA_W +: ORDER_W]), .less(b_before)
            );

            always @(posedge clk) begin
                if (a_room) a_reg <= a_next;
                if (b_room) b_reg <= b_next;
                a_held_reg <= a_stays || a_valid;
                b_held_reg <= b_stays || b_comes;
                a_goes_reg <= a_comes ? b_stays && (!a_after || a_ends)
                            : b_comes ? a_stays && (!b_before || b_ends) : a_goes_reg && !out_ready;
                b_goes_reg <= a_comes ? b_stays && (a_after || a_ends)
                            : b_comes ? a_stays && (b_before || b_ends) : b_goes_reg && !out_ready;
                if (rst) {a_held_reg, b_held_reg, a_goes_reg, b_goes_reg} <= 4'b0000;
            end

            if (n == 1) begin : gen_output
                assign valid[1]               = out_valid;
                assign out_ready              = ready[1];
                assign item[ITEM_W +: ITEM_W] = out_item;
            end else if (($clog2(K) - LEVEL) % 2 == 1) begin : gen_slice
                ws_skid_buffer #(.DATA_W(ITEM_W)) slice (
                    .clk(clk), .rst(rst),
                    .s_valid(out_valid), .s_ready(out_ready), .s_data(out_item),
                    .m_valid(valid[n]), .m_ready(ready[n]), .m_data(item[n*ITEM_W +: ITEM_W])
                );
            end else begin : gen_link
                reg              link_valid_reg;
                reg [ITEM_W-1:0] link_reg;

                assign valid[n]                 = link_valid_reg;
                assign out_ready                = !link_valid_reg || ready[n];
                assign item[n*ITEM_W +: ITEM_W] = link_reg;

                always @(posedge clk) begin
                    if (out_ready) link_reg <= out_item;
                    link_valid_reg <= (out_valid || !out_ready) && !rst;
                end
            end

`ifdef FORMAL
            // What has left of the run that has not ended. Inputs are sorted, and wait unchanged; those of an inner node
            // are what the nodes before it make of them.
            wire [KEY_W-1:0]  a_key = a_reg[DATA_W +: KEY_W], a_next_key = a_next[DATA_W +: KEY_W];
            wire [KEY_W-1:0]  b_key = b_reg[DATA_W +: KEY_W], b_next_key = b_next[DATA_W +: KEY_W];
            wire              a_end = a_reg[ITEM_W-1], b_end = b_reg[ITEM_W-1];
            wire              both  = a_held_reg && b_held_reg, ends = a_end && b_end;
            wire              second = b_reg[DATA_W +: ORDER_W] < a_reg[DATA_W +: ORDER_W];
            wire              a_take = a_goes_reg && out_ready, b_take = b_goes_reg && out_ready;
            reg               a_some, b_some;
            reg  [KEY_W-1:0]  a_last, b_last;
            wire              a_sorted = !a_valid || a_next[ITEM_W-1]
                                         || (a_held_reg ? a_end || a_next_key >= a_key : !a_some || a_next_key >= a_last);
            wire              b_sorted = !b_valid || b_next[ITEM_W-1]
                                         || (b_held_reg ? b_end || b_next_key >= b_key : !b_some || b_next_key >= b_last);
            reg               a_waits, b_waits;             // in the cycle before
            reg  [ITEM_W-1:0] a_ref, b_ref;
            wire              waits = (!a_waits || (a_valid && a_next == a_ref)) && (!b_waits || (b_valid && b_next == b_ref));

            always @(posedge clk) begin
                if (a_take) {a_some, a_last} <= {!a_end, a_key};
                if (b_take) {b_some, b_last} <= {!b_end, b_key};
                {a_ref, b_ref}     <= {a_next, b_next};
                {a_waits, b_waits} <= {a_valid && !a_room, b_valid && !b_room};
                if (rst) {a_some, b_some, a_waits, b_waits} <= 4'b0000;

                if (past_valid && !rst) begin
                    if (2*n >= K) assume (a_sorted && b_sorted && waits);
                    else inner_sorted: assert (a_sorted && b_sorted && waits);
                    // the lesser head leaves, of equals the first one, or both ENDs, as soon as both are here
                    assert (a_goes_reg == (both && (ends || !second)) && b_goes_reg == (both && (ends || second)));
                    // what is left is not before what has left; of equal keys that of the first input is first
                    if (2*n >= K) begin
                        if (a_held_reg && !a_end && a_some) assert (a_key >= a_last);
                        if (b_held_reg && !b_end && b_some) assert (b_key >= b_last);
                        if (a_held_reg && !a_end && b_some) assert (a_key > b_last);
                        if (b_held_reg && !b_end && a_some) assert (b_key >= a_last);
                        if (!a_held_reg && b_some) assert (a_some && a_last > b_last);
                        if (!b_held_reg && a_some) assert (b_some && b_last >= a_last);
                    end
                end
            end
`endif
        end
    endgenerate

`ifdef FORMAL
    // The items of an arbitrary input, marked by bit 0 of their data, are counted: that of an arbitrary number leaves in
    // order and unchanged. When an END leaves, all inputs have therefore come to theirs.
    (* anyconst *) reg [K-1:0] watch;                   // one bit
    (* anyconst *) reg [3:0]   number;
    reg                past_valid = 1'b0;
    reg [3:0]          in_ref, out_ref;                 // items of the watched input without ENDs
    reg [3:0]          ends_in_ref, ends_out_ref;
    reg [ORDER_W+DATA_W+3:0] item_ref;                  // and the number of its run
    reg                one_valid;
    reg [ITEM_W-1:0]   one;
    integer            i;

    always @* begin
        one_valid = 1'b0;
        one       = 0;
        for (i = 0; i < K; i = i + 1) if (watch[i]) begin
            one_valid = s_valid[i] && s_ready[i];
            one       = {s_end[i], s_key[i*KEY_W +: KEY_W], s_data[i*DATA_W +: DATA_W]};
        end
    end

    wire take = m_valid && m_ready;
    wire mine = take && !m_end && m_data[0];

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        assume (watch != 0 && (watch & (watch - 1'b1)) == 0);
        assume (in_ref != 4'd15 && ends_in_ref != 4'd15);
        for (i = 0; i < K; i = i + 1) if (s_valid[i]) assume (s_end[i] || s_data[i*DATA_W] == watch[i]);

        if (one_valid && !one[ITEM_W-1]) begin
            in_ref <= in_ref + 4'd1;
            if (in_ref == number) item_ref <= {ends_in_ref, one};
        end
        if (one_valid && one[ITEM_W-1]) ends_in_ref <= ends_in_ref + 4'd1;
        if (mine) out_ref <= out_ref + 4'd1;
        if (take && m_end) ends_out_ref <= ends_out_ref + 4'd1;
        if (rst) {in_ref, out_ref, ends_in_ref, ends_out_ref} <= 0;

        if (past_valid && !rst) begin
            if (mine) leaves_invented: assert (out_ref < in_ref);
            if (mine && out_ref == number)
                leaves_changed: assert ({ends_out_ref, m_end, m_key, m_data} == item_ref);
            // the END of a run follows all its records
            if (take && m_end) leaves_early: assert (ends_out_ref < ends_in_ref && (out_ref > number || in_ref <= number
                                                    || item_ref[ITEM_W +: 4] > ends_out_ref));
        end
        cover (past_valid && mine && ends_out_ref == 1 && out_ref > 2);
        cover (past_valid && mine && $past(take && !m_end && !m_data[0]) && $past(mine, 2));
    end
`endif

endmodule

`default_nettype wire
