// SPDX-License-Identifier: Apache-2.0
//
// ws_group_direct: the key table of a group-by whose key is the number of its entry: nothing is compared, and each key
// has an entry at any time.
//
// For each window there is a bit for each key, in block RAM: whether the window has it. It is written two cycles after
// the tuple, so that the next tuple reads it too early and looks at the tuple before it instead.
//
// Parameters   KEY_W    width of a key in bits, 1 to 16
//              WINDOWS  number of windows, at least 1
// Ports        as in ws_group_hash; m_index, free_index and read_index are keys, and no key is refused; m_fresh is 0 for
//              the windows that do not hold the tuple
// Latency      4 cycles from s to m; 2 from read_index to read_key
// Issue rate   1 tuple and 1 release a cycle
// Reset        the table is cleared: the first tuple comes at least 2**KEY_W + 2 cycles later
// Overflow     cannot happen
// Bad input    a release of a key that the window does not have, or earlier than 5 cycles after the window's last tuple;
//              a tuple of a window between its end and the cycle after its last release
// Source       ours

`default_nettype none

module ws_group_direct #(
    parameter KEY_W   = 9,
    parameter WINDOWS = 2
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [WINDOWS-1:0] s_windows,
    input  wire [KEY_W-1:0]   key,

    output reg  [WINDOWS-1:0] m_windows,
    output reg  [WINDOWS-1:0] m_fresh,
    output reg  [KEY_W-1:0]   m_index,

    input  wire [WINDOWS-1:0] free_windows,
    input  wire [KEY_W-1:0]   free_index,

    input  wire [KEY_W-1:0]   read_index,
    output reg  [KEY_W-1:0]   read_key
);

    initial if (KEY_W < 1 || KEY_W > 16 || WINDOWS < 1) begin
        $display("ERROR: %m: KEY_W = %0d (1 to 16), WINDOWS = %0d (at least 1)", KEY_W, WINDOWS);
        $finish;
    end

    // ---- A tuple in stage n arrived n cycles ago

    reg  [KEY_W-1:0]   key_1_reg, key_2_reg, key_3_reg, read_1_reg;
    reg  [WINDOWS-1:0] windows_1_reg, windows_2_reg, windows_3_reg;
    reg  [WINDOWS-1:0] before_3_reg;        // those of the tuple before, if it had the same key
    wire [WINDOWS-1:0] present_3;

    always @(posedge clk) begin
        key_1_reg     <= key;
        key_2_reg     <= key_1_reg;
        key_3_reg     <= key_2_reg;
        m_index       <= key_3_reg;
        windows_1_reg <= rst ? {WINDOWS{1'b0}} : s_windows;
        windows_2_reg <= rst ? {WINDOWS{1'b0}} : windows_1_reg;
        windows_3_reg <= rst ? {WINDOWS{1'b0}} : windows_2_reg;
        m_windows     <= rst ? {WINDOWS{1'b0}} : windows_3_reg;
        before_3_reg  <= key_2_reg == key_3_reg ? windows_3_reg : {WINDOWS{1'b0}};
        m_fresh       <= windows_3_reg & ~(present_3 | before_3_reg);
        read_1_reg    <= read_index;
        read_key      <= read_1_reg;
    end

    // ---- The table: read in stage 1, written in stage 2; after a reset it is cleared

    reg  [KEY_W:0] cleared_reg;             // keys, since reset
    wire           clearing = !cleared_reg[KEY_W];

    always @(posedge clk) cleared_reg <= rst ? {(KEY_W+1){1'b0}} : cleared_reg + {{KEY_W{1'b0}}, clearing};

    genvar w;
    generate
        for (w = 0; w < WINDOWS; w = w + 1) begin : gen_window
            reg             write_reg, present_reg;
            reg [KEY_W-1:0] write_key_reg;

            always @(posedge clk) begin
                write_reg     <= clearing || free_windows[w] || windows_1_reg[w];
                present_reg   <= !clearing && !free_windows[w];
                write_key_reg <= clearing ? cleared_reg[KEY_W-1:0] : free_windows[w] ? free_index : key_1_reg;
            end

            ws_ram_sdp #(.DATA_W(1), .ADDR_W(KEY_W), .OUTPUT_REG(1), .STYLE("block")) present (
                .clk(clk),
                .wr_en(write_reg), .wr_addr(write_key_reg), .wr_data(present_reg),
                .rd_en(1'b1), .rd_addr(key_1_reg), .rd_data(present_3[w])
            );
        end
    endgenerate

`ifdef FORMAL
    // One key in one window, both arbitrary: whether the window has it, from the answers and releases.
    localparam CLEAR = (1 << KEY_W) + 2;
    (* anyconst *) wire [KEY_W-1:0]   key_ref;
    (* anyconst *) wire [7:0]         window_ref;
    reg                 past_valid = 1'b0;
    reg                 present_ref, ended_ref, freed_ref;
    reg [2:0]           age_ref;            // cycles since the window's end
    reg [KEY_W+1:0]     since_ref;          // cycles since reset
    reg [4*KEY_W-1:0]   keys_ref;
    reg [4*WINDOWS-1:0] windows_ref;
    wire                mine   = m_windows[window_ref] && m_index == key_ref;
    wire                freed  = free_windows[window_ref] && free_index == key_ref;
    (* anyseq *) wire   ends_ref, restarts_ref;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        keys_ref    <= {keys_ref, key};
        windows_ref <= rst ? 0 : {windows_ref, s_windows};
        since_ref   <= rst ? 0 : since_ref + (since_ref != CLEAR);
        age_ref     <= ends_ref ? 0 : age_ref + (age_ref != 7);
        freed_ref   <= !rst && (freed_ref || freed);
        present_ref <= !rst && !freed && (present_ref || mine);
        ended_ref   <= !rst && (ends_ref || (ended_ref && !restarts_ref));

        assume (window_ref < WINDOWS);
        if (!past_valid) assume (rst);
        else begin
            // tuples once the table is clear; after a window's end none until it has released its keys
            if (since_ref != CLEAR) assume (s_windows == 0 && free_windows == 0);
            if (ended_ref) assume (!s_windows[window_ref]);
            if (restarts_ref) assume (ended_ref && age_ref >= 5 && !present_ref && !free_windows[window_ref]);
            if (free_windows[window_ref]) assume (ended_ref && age_ref >= 4 && (free_index != key_ref || present_ref));

            ref_answer: assert (m_windows == windows_ref[3*WINDOWS +: WINDOWS]);
            if (m_windows != 0) ref_index: assert (m_index == keys_ref[3*KEY_W +: KEY_W]);
            if (mine) ref_fresh: assert (m_fresh[window_ref] == !present_ref);
            if ($past(!rst) && $past(past_valid, 2)) ref_read: assert (read_key == $past(read_index, 2));
        end
        cover (past_valid && mine && m_fresh[window_ref] && freed_ref);
        cover (past_valid && mine && $past(mine));
        cover (past_valid && mine && present_ref && $past(!mine));
    end
`endif

endmodule

`default_nettype wire
