// SPDX-License-Identifier: Apache-2.0
//
// ws_handshake_merge: the merging network of a handshake join, a tree of round-robin two-to-one merge nodes.
//
// Nodes are numbered as in a heap: node n merges 2n and 2n + 1, the inputs are INPUTS to 2 * INPUTS - 1, and 1 is the
// root. A node that has taken a FLUSH takes nothing more from that input until the other input has brought its FLUSH
// too; then it sends one on. After the root, a FLUSH therefore follows all items before it, of every input, and no node
// has to know of any but its own two inputs.
//
// Parameters   INPUTS  inputs, at least 1
//              DATA_W  width of an item in bits, at least 1
//              RESETS  leaves of the tree that distributes rst, a power of two, at least 1; 1 is rst itself, more a
//                      ws_reset_tree
// Ports        s_flush  an item is a FLUSH; every input must bring equally many
// Latency      1 or 2 cycles per level; 2 if it was the other input's turn. Levels: floor(log2(INPUTS)), or one more
// Issue rate   1 item per cycle; a node alternates between its inputs while both wait
// Overflow     cannot happen: s_ready goes low
// Source       Teubner, Mueller, SIGMOD 2011; R. Mueller's dissertation, section 7.7.3; the FLUSH is ours

`default_nettype none

module ws_handshake_merge #(
    parameter INPUTS = 4,
    parameter DATA_W = 130,
    parameter RESETS = 1
) (
    input  wire                     clk,
    input  wire                     rst,

    input  wire [INPUTS-1:0]        s_valid,
    output wire [INPUTS-1:0]        s_ready,
    input  wire [INPUTS-1:0]        s_flush,
    input  wire [INPUTS*DATA_W-1:0] s_data,

    output wire                     m_valid,
    input  wire                     m_ready,
    output wire                     m_flush,
    output wire [DATA_W-1:0]        m_data
);

    initial if (INPUTS < 1 || DATA_W < 1 || RESETS != 1 << $clog2(RESETS) || RESETS < 1) begin
        $display("ERROR: %m: INPUTS = %0d, DATA_W = %0d (at least 1), RESETS = %0d (a power of two, at least 1)",
                 INPUTS, DATA_W, RESETS);
        $finish;
    end

    localparam WIDTH = DATA_W + 1;

    // The outputs of the nodes, then the inputs; there is no node 0.
    wire [2*INPUTS-1:1]     valid, ready;
    wire [2*INPUTS*WIDTH-1:WIDTH] item;

    assign valid[INPUTS +: INPUTS] = s_valid;
    assign s_ready                 = ready[INPUTS +: INPUTS];
    assign m_valid                 = valid[1];
    assign ready[1]                = m_ready;
    assign {m_flush, m_data}       = item[WIDTH +: WIDTH];

    // A node's reset is the leaf that is its ancestor in the heap, or a leaf below it.
    wire [RESETS-1:0] part_rst;

    ws_reset_tree #(.LEAVES(RESETS)) reset_tree (.clk(clk), .rst(rst), .leaf(part_rst));

    function integer leaf_of(input integer node);
        begin
            leaf_of = node;
            while (leaf_of >= 2*RESETS) leaf_of = leaf_of >> 1;
            while (leaf_of < RESETS) leaf_of = leaf_of << 1;
            leaf_of = leaf_of - RESETS;
        end
    endfunction

    genvar n;
    generate
        for (n = 0; n < INPUTS; n = n + 1) begin : gen_input
            assign item[(INPUTS + n)*WIDTH +: WIDTH] = {s_flush[n], s_data[n*DATA_W +: DATA_W]};
        end

        if (INPUTS == 1) begin : gen_none
            wire unused = &part_rst;
        end

        for (n = 1; n < INPUTS; n = n + 1) begin : gen_node
            wire [WIDTH-1:0] a = item[2*n*WIDTH +: WIDTH];
            wire [WIDTH-1:0] b = item[(2*n + 1)*WIDTH +: WIDTH];
            wire             room;
            wire             node_rst = part_rst[leaf_of(n)];
            reg              a_turn_reg, b_turn_reg;    // one of them; b_turn_reg only selects the wide items
            reg              half_reg;                  // the other input's FLUSH has been taken
            wire             here    = a_turn_reg ? valid[2*n] : valid[2*n + 1];
            wire             there   = a_turn_reg ? valid[2*n + 1] : valid[2*n];
            wire             flush   = a_turn_reg ? a[DATA_W] : b[DATA_W];

            // Ready depends on registers alone, so that this node's arbitration is not in the path to the enables of
            // the many registers of a wide item in the node below.
            assign ready[2*n]     = room && a_turn_reg;
            assign ready[2*n + 1] = room && !a_turn_reg;

            // The first FLUSH of two is taken and discarded, and the turn is the other input's until its FLUSH comes.
            // Otherwise the turn changes when it has been used or cannot be.
            always @(posedge clk) begin
                if (!half_reg && (here ? room && (there || flush) : there))
                    {a_turn_reg, b_turn_reg} <= {b_turn_reg, a_turn_reg};
                if (room && here && flush) half_reg <= !half_reg;
                if (node_rst) {a_turn_reg, b_turn_reg, half_reg} <= 3'b100;
            end

            ws_skid_buffer #(.DATA_W(WIDTH)) slice (
                .clk(clk), .rst(node_rst),
                .s_valid(here && (half_reg || !flush)), .s_ready(room), .s_data(b_turn_reg ? b : a),
                .m_valid(valid[n]), .m_ready(ready[n]), .m_data(item[n*WIDTH +: WIDTH])
            );

`ifdef FORMAL
            always @(posedge clk) if (!rst) begin
                assert (a_turn_reg != b_turn_reg);
                // an input that waits is next, unless the node waits for a FLUSH; otherwise the turn stays
                if ($past(!rst && !half_reg && there && (room || !here)))
                    assert (here && a_turn_reg != $past(a_turn_reg));
                if ($past(!rst && here && !room)) assert (here && a_turn_reg == $past(a_turn_reg));
                if ($past(!rst && (half_reg || (!there && !(here && flush))))) assert (a_turn_reg == $past(a_turn_reg));
                if ($past(rst)) assert (a_turn_reg && !half_reg);
            end
`endif
        end
    endgenerate

`ifdef FORMAL
    // The items of an arbitrary input, marked by bit 0 of its results, are counted: the item of an arbitrary number
    // leaves in order and unchanged. When a FLUSH leaves, all items before it have therefore left, and that of another
    // input has arrived.
    (* anyconst *) reg [INPUTS-1:0] watch;              // one bit
    localparam COUNT_W = 4;
    reg                past_valid = 1'b0;
    reg [COUNT_W-1:0]  in_ref, out_ref;                 // items and FLUSHes of the watched input in, out
    reg [COUNT_W-1:0]  flushes_in_ref, flushes_out_ref; // of them FLUSHes
    reg [COUNT_W-1:0]  some_ref;                        // FLUSHes of another input
    (* anyconst *) reg [INPUTS-1:0] other;
    (* anyconst *) reg [COUNT_W-1:0] number;
    reg [WIDTH-1:0]    item_ref;
    reg                one_valid, one_flush, other_flush;
    reg [WIDTH-1:0]    one;
    integer            i;

    always @* begin
        {one_valid, one_flush, other_flush} = 0;
        one = 0;
        for (i = 0; i < INPUTS; i = i + 1) begin
            if (watch[i]) begin
                one_valid = s_valid[i] && s_ready[i];
                one_flush = s_flush[i];
                one       = {s_flush[i], s_data[i*DATA_W +: DATA_W]};
            end
            if (other[i]) other_flush = s_valid[i] && s_ready[i] && s_flush[i];
        end
    end

    wire mine = m_valid && m_ready && (m_flush || m_data[0]);   // of the watched input: its items are odd

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        assume (watch != 0 && (watch & (watch - 1'b1)) == 0 && other != 0 && (other & (other - 1'b1)) == 0);
        for (i = 0; i < INPUTS; i = i + 1) begin
            if (s_valid[i] && !s_flush[i]) assume (s_data[i*DATA_W] == watch[i]);
            if (past_valid && $past(!rst) && $past(s_valid[i]) && !$past(s_ready[i]))
                assume (s_valid[i] && s_flush[i] == $past(s_flush[i])
                        && s_data[i*DATA_W +: DATA_W] == $past(s_data[i*DATA_W +: DATA_W]));
        end
        assume (in_ref != {COUNT_W{1'b1}} && some_ref != {COUNT_W{1'b1}});

        if (one_valid) begin
            in_ref <= in_ref + 1'b1;
            if (one_flush) flushes_in_ref <= flushes_in_ref + 1'b1;
            if (in_ref == number) item_ref <= one;
        end
        if (other_flush) some_ref <= some_ref + 1'b1;
        if (mine) out_ref <= out_ref + 1'b1;
        if (mine && m_flush) flushes_out_ref <= flushes_out_ref + 1'b1;
        if (rst) {in_ref, out_ref, flushes_in_ref, flushes_out_ref, some_ref} <= 0;

        if (past_valid && !rst) begin
            if (mine) merge_invented: assert (out_ref < in_ref || INPUTS == 1);
            if (mine && out_ref == number && INPUTS > 1)
                merge_changed: assert (m_flush == item_ref[DATA_W] && (m_flush || m_data == item_ref[DATA_W-1:0]));
            if (mine && m_flush && INPUTS > 1)
                merge_early: assert (flushes_out_ref < some_ref && flushes_out_ref < flushes_in_ref);
        end
        cover (past_valid && mine && flushes_out_ref == 1 && out_ref > 3);
        cover (past_valid && mine && !m_flush && $past(mine && !m_flush, 2) && $past(m_valid && m_ready && !mine));
    end
`endif

endmodule

`default_nettype wire
