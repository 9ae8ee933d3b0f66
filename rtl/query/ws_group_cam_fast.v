// SPDX-License-Identifier: Apache-2.0
//
// ws_group_cam_fast: ws_group_cam in more and shorter stages, for a clock above 200 MHz on an ECP5.
//
// It finds or allocates an entry for a key in every cycle, and refuses by the same rule. The look-up takes six cycles,
// with up to seven earlier tuples in flight: a key is compared with the entries and with the keys of those seven, and
// takes over the answer to one of them.
//
// It shares no source with ws_group_cam, since no stage has a counterpart there: answers are collected by groups of
// entries, seven earlier tuples are compared instead of two, and entries are freed eight cycles later. At the defaults
// on 7-series it has 21% more registers, 17% fewer LUTs and a block RAM in place of RAM in LUTs.
//
// Parameters   KEY_W, CAPACITY, WINDOWS  see ws_group_cam
//              PANES                     see ws_group_door
//              INDEX_W                   follows from CAPACITY
// Ports        as in ws_group_cam, but read_index -> read_key: 2 cycles
// Latency      8 cycles from s to m; at most 18 from the last release of an entry until it can be allocated again
// Issue rate   1 tuple and 1 release a cycle
// Overflow     m_refused
// Bad input    A release of an entry that is not present in the window, or of one released from another window in the
//              last 7 cycles; a release earlier than 8 cycles after the window's last tuple; a tuple of a window
//              between its first release and its last
// Source       R. Mueller, dissertation ETH 19163 (2010), sections 7.3.7 and 7.5.4; the pipeline is ours

`default_nettype none

module ws_group_cam_fast #(
    parameter KEY_W    = 32,
    parameter CAPACITY = 64,
    parameter WINDOWS  = 2,
    parameter PANES    = 1,
    parameter INDEX_W  = $clog2(CAPACITY)   // follows from CAPACITY
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [WINDOWS-1:0] s_windows,
    input  wire [WINDOWS-1:0] s_eos,
    input  wire [KEY_W-1:0]   key,

    output reg  [WINDOWS-1:0] m_windows,
    output reg  [WINDOWS-1:0] m_fresh,
    output reg  [INDEX_W-1:0] m_index,
    output reg                m_refused,
    output wire               m_short,

    input  wire [WINDOWS-1:0] free_windows,
    input  wire [INDEX_W-1:0] free_index,

    input  wire [INDEX_W-1:0] read_index,
    output wire [KEY_W-1:0]   read_key
);

    initial if (KEY_W < 1 || CAPACITY < 2 || CAPACITY > 256 || WINDOWS < 1 || INDEX_W != $clog2(CAPACITY)) begin
        $display("ERROR: %m: KEY_W = %0d (at least 1), CAPACITY = %0d (2 to 256), WINDOWS = %0d (at least 1)",
                 KEY_W, CAPACITY, WINDOWS);
        $finish;
    end

    localparam PARTS    = (KEY_W + 7)/8;          // a key is compared in parts of 8 bits
    localparam GROUPS   = (CAPACITY + 7)/8;       // entries are searched in groups of 8
    localparam AHEAD    = 7;                      // earlier tuples whose answers come too late for the look-up
    localparam ANSWER_W = 1 + WINDOWS + INDEX_W;  // {found, present in these windows, index}; all 0 if not found

    // ---- The tuple during the look-up. A tuple in stage n arrived n cycles ago; stage 1 has the lowest bits

    reg [8*KEY_W-1:0]   keys_reg;
    reg [8*WINDOWS-1:0] windows_reg;
    reg [6*WINDOWS-1:0] eos_reg;
    reg [6:1]           valid_reg;

    always @(posedge clk) begin
        keys_reg    <= {keys_reg[7*KEY_W-1:0], key};
        windows_reg <= {windows_reg[7*WINDOWS-1:0], s_windows};
        eos_reg     <= rst ? {6*WINDOWS{1'b0}} : {eos_reg[5*WINDOWS-1:0], s_eos};
        valid_reg   <= rst ? 6'b0 : {valid_reg[5:1], s_windows != 0};
    end

    // The key goes to every entry, so there are three copies. They differ in reset, since synthesis merges equal ones.
    reg  [KEY_W-1:0]   copy_0_reg, copy_1_reg;
    wire [KEY_W-1:0]   key_1     = keys_reg[0 +: KEY_W];
    wire [3*KEY_W-1:0] keys_1    = {copy_1_reg, copy_0_reg, key_1};

    always @(posedge clk) begin
        copy_0_reg <= rst ? {KEY_W{1'b0}} : key;
        copy_1_reg <= rst ? {KEY_W{1'b1}} : key;
    end

    wire [KEY_W-1:0]   key_8     = keys_reg[7*KEY_W +: KEY_W];
    wire [WINDOWS-1:0] windows_6 = windows_reg[5*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] windows_7 = windows_reg[6*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] windows_8 = windows_reg[7*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] eos_6     = eos_reg[5*WINDOWS +: WINDOWS];

    // ---- Stages 1 and 2: which entry has the key, and which of the earlier tuples?

    wire [CAPACITY*KEY_W-1:0]   entry_keys;
    wire [CAPACITY*WINDOWS-1:0] present;       // by entry, then window
    reg  [CAPACITY-1:0]         used_reg;      // present in some window
    reg  [CAPACITY-1:0]         match_3_reg;
    reg  [AHEAD:1]              same_3_reg;    // the same key as 1 to 7 tuples before

    genvar i, p, g;
    generate
        for (i = 0; i < CAPACITY; i = i + 1) begin : gen_match
            localparam COPY = 3*i/CAPACITY;
            reg [PARTS-1:0] equal_2_reg;
            for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                localparam PART_W = KEY_W - 8*p < 8 ? KEY_W - 8*p : 8;
                always @(posedge clk)
                    equal_2_reg[p] <= entry_keys[i*KEY_W + 8*p +: PART_W] == keys_1[COPY*KEY_W + 8*p +: PART_W];
            end
            always @(posedge clk) match_3_reg[i] <= equal_2_reg == {PARTS{1'b1}} && used_reg[i];
        end
        for (i = 1; i <= AHEAD; i = i + 1) begin : gen_same
            reg [PARTS-1:0] equal_2_reg;
            for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                localparam PART_W = KEY_W - 8*p < 8 ? KEY_W - 8*p : 8;
                always @(posedge clk)
                    equal_2_reg[p] <= keys_reg[i*KEY_W + 8*p +: PART_W] == key_1[8*p +: PART_W];
            end
            always @(posedge clk) same_3_reg[i] <= equal_2_reg == {PARTS{1'b1}};
        end
    endgenerate

    // ---- Stages 3 and 4: the answer of the entries, first by groups

    reg  [GROUPS*ANSWER_W-1:0] group_4_reg;
    reg  [ANSWER_W-1:0]        looked_5_reg, looked;
    integer                    e;

    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_group
            localparam FIRST = 8*g;
            localparam LAST  = FIRST + 8 < CAPACITY ? FIRST + 8 : CAPACITY;
            reg [ANSWER_W-1:0] answer;
            integer            n;
            always @* begin
                answer = {ANSWER_W{1'b0}};
                for (n = FIRST; n < LAST; n = n + 1)
                    if (match_3_reg[n]) answer = answer | {1'b1, present[n*WINDOWS +: WINDOWS], n[INDEX_W-1:0]};
            end
            always @(posedge clk) group_4_reg[g*ANSWER_W +: ANSWER_W] <= answer;
        end
    endgenerate

    always @* begin
        looked = {ANSWER_W{1'b0}};
        for (e = 0; e < GROUPS; e = e + 1) looked = looked | group_4_reg[e*ANSWER_W +: ANSWER_W];
    end

    always @(posedge clk) looked_5_reg <= looked;

    // ---- Stages 3 to 5: the answers to the earlier tuples, each as soon as it is known: the tuple n before is n older

    reg  [5:1]          same_4_reg;
    reg  [3:1]          same_5_reg;
    reg                 same_6_reg;
    reg  [ANSWER_W-1:0] answer_4_reg, answer_5_reg, answer_6_reg;   // to this tuple
    wire [ANSWER_W-1:0] answer_7;                                   // to earlier ones
    reg  [ANSWER_W-1:0] answer_9_reg, answer_10_reg;
    wire [ANSWER_W-1:0] answer_8;

    always @(posedge clk) begin
        same_4_reg    <= same_3_reg[5:1];
        same_5_reg    <= same_4_reg[3:1];
        same_6_reg    <= same_5_reg[1];
        answer_9_reg  <= rst ? {ANSWER_W{1'b0}} : answer_8;
        answer_10_reg <= rst ? {ANSWER_W{1'b0}} : answer_9_reg;

        answer_4_reg  <= ({ANSWER_W{same_3_reg[7]}} & answer_10_reg) | ({ANSWER_W{same_3_reg[6]}} & answer_9_reg);
        answer_5_reg  <= ({ANSWER_W{same_4_reg[5]}} & answer_9_reg)  | ({ANSWER_W{same_4_reg[4]}} & answer_8)
                       | answer_4_reg;
        answer_6_reg  <= ({ANSWER_W{same_5_reg[3]}} & answer_8)      | ({ANSWER_W{same_5_reg[2]}} & answer_7)
                       | answer_5_reg | looked_5_reg;
    end

    // ---- Stage 6: the entry found, or that of the previous tuple, or else the first free one

    reg                found_7_reg, new_7_reg, refused_7_reg;
    reg  [INDEX_W-1:0] index_7_reg;
    reg  [WINDOWS-1:0] here_7_reg;        // the windows in which the key was present
    wire               head_valid;        // there is a free entry
    wire [INDEX_W-1:0] head_index;

    wire same   = same_6_reg && found_7_reg;
    wire known  = answer_6_reg[ANSWER_W-1] || same;
    wire closed;
    wire room   = head_valid && !closed;
    wire is_new = valid_reg[6] && !known && room;

    ws_group_door #(.WINDOWS(WINDOWS), .PANES(PANES)) door (
        .clk(clk), .rst(rst), .windows(windows_6), .eos(eos_6), .refused(refused_7_reg), .closed(closed), .missed(m_short)
    );

    assign answer_7 = found_7_reg ? {1'b1, windows_7, index_7_reg} : {ANSWER_W{1'b0}};

    always @(posedge clk) begin
        found_7_reg   <= valid_reg[6] && (known || room) && !rst;
        new_7_reg     <= is_new;
        refused_7_reg <= valid_reg[6] && !known && !room && !rst;
        index_7_reg   <= same ? index_7_reg : answer_6_reg[ANSWER_W-1] ? answer_6_reg[0 +: INDEX_W] : head_index;
        here_7_reg    <= answer_6_reg[INDEX_W +: WINDOWS] | (same ? windows_7 : {WINDOWS{1'b0}});
    end

    // ---- Stage 7: the answer leaves, and the entry is decoded

    reg                found_8_reg, new_8_reg;
    reg [CAPACITY-1:0] entry_8_reg;

    assign answer_8 = {found_8_reg, m_windows, m_index};

    always @(posedge clk) begin
        found_8_reg <= found_7_reg && !rst;
        new_8_reg   <= new_7_reg && !rst;
        m_windows   <= found_7_reg && !rst ? windows_7 : {WINDOWS{1'b0}};
        m_fresh     <= ~here_7_reg;
        m_index     <= found_7_reg ? index_7_reg : {INDEX_W{1'b0}};
        m_refused   <= refused_7_reg && !rst;
    end

    // ---- Stage 8: the entry stores key and windows. A key can match one cycle before `used` says that it counts, so
    // that the old contents of an entry are never mistaken for the new ones.

    reg                rst_reg;            // also while the last tuple before a reset is in stage 8
    reg  [WINDOWS-1:0] clear_1_reg, clear_2_reg;
    reg  [INDEX_W-1:0] clear_index_reg;
    reg  [CAPACITY-1:0] clear_entry_reg;

    always @(posedge clk) begin
        rst_reg         <= rst;
        clear_1_reg     <= rst ? {WINDOWS{1'b0}} : free_windows;
        clear_2_reg     <= rst ? {WINDOWS{1'b0}} : clear_1_reg;
        clear_index_reg <= free_index;
    end

    generate
        for (i = 0; i < CAPACITY; i = i + 1) begin : gen_entry
            reg [KEY_W-1:0]   entry_key_reg;
            reg [WINDOWS-1:0] present_reg;

            assign entry_keys[i*KEY_W +: KEY_W]  = entry_key_reg;
            assign present[i*WINDOWS +: WINDOWS] = present_reg;

            always @(posedge clk) begin
                entry_8_reg[i]     <= found_7_reg && index_7_reg == i;
                clear_entry_reg[i] <= clear_index_reg == i;
                if (entry_8_reg[i]) entry_key_reg <= key_8;
                present_reg <= (present_reg & ~(clear_entry_reg[i] ? clear_2_reg : {WINDOWS{1'b0}}))
                             | (entry_8_reg[i] ? windows_8 : {WINDOWS{1'b0}});
                used_reg[i] <= present_reg != 0 && !rst_reg;
                if (rst_reg) present_reg <= {WINDOWS{1'b0}};
            end
        end
    endgenerate

    // A second copy of the keys, read by index; written only once, since a word must not be read while it is written.
    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) keys (
        .clk(clk),
        .wr_en(new_8_reg), .wr_addr(m_index), .wr_data(key_8),
        .rd_en(1'b1), .rd_addr(read_index), .rd_data(read_key)
    );

    // ---- The free entries

    // A released entry is free if it is unused 11 cycles later: by then a tuple that still matched it has used it.
    reg  [9:0]            check_reg;
    reg  [10*INDEX_W-1:0] check_index_reg;
    wire [INDEX_W+2:0]    settled_index = {3'b0, check_index_reg[9*INDEX_W +: INDEX_W]};
    reg                   settled_reg;
    reg  [INDEX_W-1:0]    settled_index_reg;
    reg  [GROUPS-1:0]     used_at_reg;       // at its place in each group of entries
    wire [GROUPS*8-1:0]   used = {{(GROUPS*8-CAPACITY){1'b0}}, used_reg};
    reg                   still_used;
    reg                   back_reg;
    reg  [INDEX_W-1:0]    back_index_reg;
    integer               u;
    wire                  unused = &{1'b0, settled_index};    // its three leading bits

    generate
        for (g = 0; g < GROUPS; g = g + 1) begin : gen_used_at
            wire [7:0] group = used[8*g +: 8];
            always @(posedge clk) used_at_reg[g] <= group[settled_index[2:0]];
        end
    endgenerate

    always @* begin
        still_used = 1'b0;
        for (u = 0; u < GROUPS; u = u + 1)
            if ({3'b0, settled_index_reg} >> 3 == u[INDEX_W+2:0]) still_used = still_used | used_at_reg[u];
    end

    always @(posedge clk) begin
        check_reg         <= rst ? 10'b0 : {check_reg[8:0], clear_1_reg != 0};
        check_index_reg   <= {check_index_reg[9*INDEX_W-1:0], clear_index_reg};
        settled_reg       <= check_reg[9] && !rst;
        settled_index_reg <= settled_index[INDEX_W-1:0];
        back_reg          <= settled_reg && !still_used && !rst;
        back_index_reg    <= settled_index_reg;
    end

    /* verilator lint_off PINCONNECTEMPTY */
    ws_free_list #(.CAPACITY(CAPACITY)) free_entries (
        .clk(clk), .rst(rst),
        .give(back_reg), .give_index(back_index_reg),
        .valid(head_valid), .index(head_index), .entry(), .take(is_new), .level()
    );
    /* verilator lint_on PINCONNECTEMPTY */

`ifdef FORMAL
    // Every key's windows and index, and the tuples of the last 8 cycles.
    localparam KEYS = 1 << KEY_W, AWAY = 20;            // 18 cycles, and 2 from a decision to its answer
    reg                     past_valid = 1'b0;
    reg  [KEYS*WINDOWS-1:0] present_ref, refused_ref;   // by key, then window
    reg  [KEYS*INDEX_W-1:0] index_ref;
    reg  [AWAY-1:0]         resting_ref;                // last releases of an entry, free AWAY cycles later
    reg  [8*KEY_W-1:0]      keys_ref;
    reg  [8*WINDOWS-1:0]    windows_ref, eos_ref;
    reg  [WINDOWS-1:0]      closing_ref;                // ended, and not all released
    reg  [WINDOWS*4-1:0]    age_ref;                    // cycles since the end
    reg  [7*WINDOWS-1:0]    freed_ref;                  // the last releases
    reg  [7*INDEX_W-1:0]    freed_index_ref;
    reg                     again_ref;                  // an entry has been freed, the last one with this index
    reg  [INDEX_W-1:0]      again_index_ref;

    wire [KEY_W-1:0]   told  = keys_ref[7*KEY_W +: KEY_W];
    wire [WINDOWS-1:0] asked = windows_ref[7*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] ends  = eos_ref[7*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] held  = present_ref[told*WINDOWS +: WINDOWS];
    integer            k, l, live, v;
    reg                released, apart;
    (* anyconst *) wire [KEY_W-1:0] k_watch;

    always @* begin
        live  = 0;
        apart = 1'b1;
        for (k = 0; k < KEYS; k = k + 1) begin
            for (l = 0; l < k; l = l + 1)
                if (present_ref[k*WINDOWS +: WINDOWS] != 0 && present_ref[l*WINDOWS +: WINDOWS] != 0
                    && index_ref[k*INDEX_W +: INDEX_W] == index_ref[l*INDEX_W +: INDEX_W]) apart = 1'b0;
            live = live + (present_ref[k*WINDOWS +: WINDOWS] != 0);
        end
        for (k = 0; k < AWAY; k = k + 1) live = live + resting_ref[k];
    end

    always @(posedge clk) begin
        past_valid      <= 1'b1;
        keys_ref        <= {keys_ref, key};
        windows_ref     <= rst ? 0 : {windows_ref, s_windows};
        eos_ref         <= rst ? 0 : {eos_ref, s_eos};
        resting_ref     <= resting_ref << 1;
        freed_ref       <= rst ? 0 : {freed_ref, free_windows};
        freed_index_ref <= {freed_index_ref, free_index};
        if (back_reg) again_index_ref <= back_index_reg;
        again_ref       <= !rst && (again_ref || back_reg);

        for (v = 0; v < WINDOWS; v = v + 1) begin
            if (s_eos[v]) closing_ref[v] <= 1'b1;
            if (age_ref[v*4 +: 4] != 15) age_ref[v*4 +: 4] <= age_ref[v*4 +: 4] + 1;
            if (s_eos[v]) age_ref[v*4 +: 4] <= 0;
            released = 1'b1;
            for (k = 0; k < KEYS; k = k + 1) if (present_ref[k*WINDOWS + v]) released = 1'b0;
            if (age_ref[v*4 +: 4] >= 8 && released && !s_eos[v]) closing_ref[v] <= 1'b0;
        end
        for (k = 0; k < KEYS; k = k + 1) begin
            if (present_ref[k*WINDOWS +: WINDOWS] != 0 && index_ref[k*INDEX_W +: INDEX_W] == free_index) begin
                present_ref[k*WINDOWS +: WINDOWS] <= present_ref[k*WINDOWS +: WINDOWS] & ~free_windows;
                if (present_ref[k*WINDOWS +: WINDOWS] == free_windows) resting_ref[0] <= 1'b1;
            end
            refused_ref[k*WINDOWS +: WINDOWS] <= refused_ref[k*WINDOWS +: WINDOWS] & ~ends;
        end
        if (m_windows != 0) begin
            present_ref[told*WINDOWS +: WINDOWS] <= (held & ~(index_ref[told*INDEX_W +: INDEX_W] == free_index
                                                             ? free_windows : {WINDOWS{1'b0}})) | m_windows;
            index_ref[told*INDEX_W +: INDEX_W]   <= m_index;
        end
        if (m_refused)
            refused_ref[told*WINDOWS +: WINDOWS] <= (refused_ref[told*WINDOWS +: WINDOWS] | asked) & ~ends;
        if (rst) begin
            present_ref <= 0; refused_ref <= 0; resting_ref <= 0; closing_ref <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            // one window is released at a time, after its last tuple has passed, and takes no tuples meanwhile
            assume ((s_windows & closing_ref) == 0 && (s_eos & closing_ref) == 0);
            if (PANES > 1) assume (s_windows == 0 || s_eos == 0);        // see ws_group_door
            assume ((free_windows & (free_windows - 1)) == 0 && (free_windows & ~closing_ref) == 0);
            for (v = 0; v < WINDOWS; v = v + 1) if (free_windows[v]) assume (age_ref[v*4 +: 4] >= 8);
            released = 1'b0;
            for (k = 0; k < KEYS; k = k + 1)
                if (index_ref[k*INDEX_W +: INDEX_W] == free_index
                    && (present_ref[k*WINDOWS +: WINDOWS] & free_windows) != 0) released = 1'b1;
            if (free_windows != 0) begin
                assume (released);
                for (v = 0; v < 7; v = v + 1)
                    if (freed_ref[v*WINDOWS +: WINDOWS] != 0)
                        assume (freed_index_ref[v*INDEX_W +: INDEX_W] != free_index);
            end

            // every tuple has an answer; a key keeps its index, and m_fresh shows the windows that it is in
            ref_answer: assert (m_windows == (m_refused ? {WINDOWS{1'b0}} : asked) && (!m_refused || asked != 0));
            if (m_windows != 0 && held != 0) begin
                ref_index: assert (m_index == index_ref[told*INDEX_W +: INDEX_W]);
                ref_known: assert (((m_fresh ^ ~held) & m_windows) == 0);
            end
            if (m_windows != 0 && held == 0) ref_fresh: assert ((m_windows & ~m_fresh) == 0);
            // no two keys share an entry
            ref_apart:  assert (apart);
            // for every window a key is wholly in the table or wholly refused; refused only if there is no room, or was
            // none
            ref_whole:  assert ((m_windows & refused_ref[told*WINDOWS +: WINDOWS]) == 0);
            if (m_refused) ref_refused: assert (held == 0);
            if (m_refused && refused_ref == 0 && PANES == 1) ref_room: assert (live >= CAPACITY);
            // the key read is that of the entry
            if ($past(!rst && present_ref[k_watch*WINDOWS +: WINDOWS] != 0, 2)
                && $past(read_index == index_ref[k_watch*INDEX_W +: INDEX_W], 2) && !$past(rst))
                ref_read: assert (read_key == k_watch);
        end
        cover (past_valid && m_refused && live == CAPACITY);
        cover (past_valid && m_windows != 0 && $past(m_windows != 0) && told == keys_ref[0 +: KEY_W] && s_windows == 0);
        cover (past_valid && m_windows != 0 && $past(m_windows, 7) == m_windows && m_fresh == 0);
        cover (past_valid && m_windows != 0 && held == 0 && again_ref && m_index == again_index_ref);
    end
`endif

endmodule

`default_nettype wire
