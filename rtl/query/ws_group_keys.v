// SPDX-License-Identifier: Apache-2.0
//
// ws_group_keys: the keys of a group-by: finds each tuple's entry in a table of one of four kinds, and outputs the
// tuples that have none.
//
// A tuple whose key finds no entry leaves whole on o_*, a tuple bus of its own that also carries every punctuation of
// s. From then on new keys are refused while a window is open that had such a tuple (ws_group_door): for every window,
// a key is either wholly in the table or wholly on o_*.
//
// Parameters   DATA_W   width of the tuple in bits, at least 1
//              KEY_W    width of a key in bits, at least 1
//              ENTRIES  number of entries, at least 2; a CAM has at most 256, a hash table a power of two from 16 on;
//                       2**KEY_W with TABLE 3
//              WINDOWS  number of windows, at least 1
//              PANES    see ws_group_door; 1 with the CAM of few stages
//              TABLE    0: a CAM of few stages (ws_group_cam); 1: a CAM of more and shorter stages (ws_group_cam_fast);
//                       2: a hash table in block RAM (ws_group_hash); 3: a key is the number of its entry
//                       (ws_group_direct)
//              INDEX_W  follows from ENTRIES
// Ports        s_windows: the windows that hold the tuple (none: no tuple); s_eos: those that end with this cycle; key,
//                s_data: the tuple's
//              m_*, free_*, read_*: see ws_group_cam; o_*: in step with m_*, o_valid in place of m_windows
//              o_short: m_short of ws_group_cam
// Latency      3, 8, 11 or 4 cycles by TABLE from s to m and o; 1 from read_index to read_key with TABLE 0, else 2
// Issue rate   1 tuple and 1 release a cycle
// Reset        TABLE 2 and 3: the table is cleared; the first tuple comes at least ENTRIES / 8 + 2 or ENTRIES + 2 cycles
//              later
// Overflow     o_valid; never with TABLE 3
// Bad input    see the tables
// Source       see the tables; the overflow stream is ours, docs/operators.md

`default_nettype none

module ws_group_keys #(
    parameter DATA_W  = 64,
    parameter KEY_W   = 32,
    parameter ENTRIES = 74,
    parameter WINDOWS = 2,
    parameter PANES   = 1,
    parameter TABLE   = 0,
    parameter INDEX_W = $clog2(ENTRIES)    // follows from ENTRIES
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [WINDOWS-1:0] s_windows,
    input  wire               s_punct,
    input  wire [WINDOWS-1:0] s_eos,
    input  wire [DATA_W-1:0]  s_data,
    input  wire [KEY_W-1:0]   key,

    output wire [WINDOWS-1:0] m_windows,
    output wire [WINDOWS-1:0] m_fresh,
    output wire [INDEX_W-1:0] m_index,

    output wire               o_valid,
    output wire               o_punct,
    output wire               o_eos,
    output wire               o_short,
    output wire [DATA_W-1:0]  o_data,

    input  wire [WINDOWS-1:0] free_windows,
    input  wire [INDEX_W-1:0] free_index,

    input  wire [INDEX_W-1:0] read_index,
    output wire [KEY_W-1:0]   read_key
);

    initial begin
        if (TABLE < 0 || TABLE > 3 || INDEX_W != $clog2(ENTRIES)) begin
            $display("ERROR: %m: TABLE = %0d (0 to 3)", TABLE);
            $finish;
        end
        if (ENTRIES < 2 || (TABLE < 2 && ENTRIES > 256) || (TABLE == 2 && (ENTRIES < 16 || ENTRIES != 1 << INDEX_W)))
        begin
            $display("ERROR: %m: ENTRIES = %0d (2 to 256, TABLE = 2: a power of two from 16 on)", ENTRIES);
            $finish;
        end
        if (TABLE == 3 && ENTRIES != 1 << KEY_W) begin
            $display("ERROR: %m: ENTRIES = %0d, must be 2**KEY_W with TABLE = 3, KEY_W = %0d", ENTRIES, KEY_W);
            $finish;
        end
        if (TABLE == 0 && PANES != 1) begin
            $display("ERROR: %m: PANES = %0d, must be 1 with TABLE = 0", PANES);
            $finish;
        end
    end

    localparam LOOK_UP = TABLE == 3 ? 4 : TABLE == 2 ? 11 : TABLE == 1 ? 8 : 3;    // cycles

    generate
        if (TABLE == 3) begin : gen_direct
            wire unused_eos = &{1'b0, s_eos};

            ws_group_direct #(.KEY_W(KEY_W), .WINDOWS(WINDOWS)) keys (
                .clk(clk), .rst(rst),
                .s_windows(s_windows), .key(key),
                .m_windows(m_windows), .m_fresh(m_fresh), .m_index(m_index),
                .free_windows(free_windows), .free_index(free_index),
                .read_index(read_index), .read_key(read_key)
            );

            assign o_valid = 1'b0;
            assign o_short = 1'b0;
        end else if (TABLE == 2) begin : gen_hash
            ws_group_hash #(.KEY_W(KEY_W), .INDEX_W(INDEX_W), .WINDOWS(WINDOWS), .PANES(PANES)) keys (
                .clk(clk), .rst(rst),
                .s_windows(s_windows), .s_eos(s_eos), .key(key),
                .m_windows(m_windows), .m_fresh(m_fresh), .m_index(m_index), .m_refused(o_valid), .m_short(o_short),
                .free_windows(free_windows), .free_index(free_index),
                .read_index(read_index), .read_key(read_key)
            );
        end else if (TABLE == 1) begin : gen_fast_cam
            ws_group_cam_fast #(.KEY_W(KEY_W), .CAPACITY(ENTRIES), .WINDOWS(WINDOWS), .PANES(PANES)) keys (
                .clk(clk), .rst(rst),
                .s_windows(s_windows), .s_eos(s_eos), .key(key),
                .m_windows(m_windows), .m_fresh(m_fresh), .m_index(m_index), .m_refused(o_valid), .m_short(o_short),
                .free_windows(free_windows), .free_index(free_index),
                .read_index(read_index), .read_key(read_key)
            );
        end else begin : gen_cam
            ws_group_cam #(.KEY_W(KEY_W), .CAPACITY(ENTRIES), .WINDOWS(WINDOWS)) keys (
                .clk(clk), .rst(rst),
                .s_windows(s_windows), .s_eos(s_eos), .key(key),
                .m_windows(m_windows), .m_fresh(m_fresh), .m_index(m_index), .m_refused(o_valid), .m_short(o_short),
                .free_windows(free_windows), .free_index(free_index),
                .read_index(read_index), .read_key(read_key)
            );
        end
    endgenerate

    wire tuple;    // in step with m_windows
    wire unused = &{1'b0, tuple};

    ws_delay #(.DATA_W(DATA_W), .N(LOOK_UP)) overflow (
        .clk(clk), .rst(rst),
        .s_valid(s_windows != 0), .s_punct(s_punct), .s_eos(1'b0), .s_data(s_data),
        .m_valid(tuple), .m_punct(o_punct), .m_eos(o_eos), .m_data(o_data)
    );

`ifdef FORMAL
    // Every tuple has an entry or leaves on o_*, and the tables have the latency that the rest waits for.
    reg               past_valid = 1'b0;
    reg [LOOK_UP-1:0] runs_ref;    // cycles since the reset

    always @(posedge clk) begin
        past_valid <= 1'b1;
        runs_ref   <= rst ? 0 : {runs_ref, 1'b1};
        if (!past_valid) assume (rst);
        else begin
            assume (!(s_punct && s_windows != 0));
            ref_one:  assert (tuple == (m_windows != 0 || o_valid) && !(m_windows != 0 && o_valid) && !o_eos);
            ref_none: assert (!o_punct || !tuple);
            if (runs_ref == {LOOK_UP{1'b1}}) begin
                ref_punct: assert (o_punct == $past(s_punct, LOOK_UP) && o_data == $past(s_data, LOOK_UP));
                if (m_windows != 0) ref_windows: assert (m_windows == $past(s_windows, LOOK_UP));
            end
        end
        cover (past_valid && (TABLE == 3 || (o_valid && o_data != s_data)));
        cover (past_valid && m_windows != 0 && m_fresh == 0);
        cover (past_valid && o_punct);
    end
`endif

endmodule

`default_nettype wire
