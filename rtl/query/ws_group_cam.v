// SPDX-License-Identifier: Apache-2.0
//
// ws_group_cam: the key table of a group-by, one CAM for all open windows: finds or allocates an entry for a key in
// every cycle.
//
// An entry belongs to its key as long as it is present in a window: from the key's first tuple in one to its release
// from the last (`free`, once the window has output its row). Then it is free for another key. A new key is given the
// entry at the head of the free list, in the same cycle in which a known key is found.
//
// A key that finds no entry is refused, and so is every new key from then on while a window is open that had a refused
// tuple: for every window, a key is either wholly in the table or wholly refused.
//
// ws_group_cam_fast, with eight stages, is a source of its own; see there.
//
// Parameters   KEY_W     width of a key in bits, at least 1
//              CAPACITY  number of entries, 2 to 256
//              WINDOWS   number of windows, at least 1
//              INDEX_W   follows from CAPACITY
// Ports        s_windows: the windows that hold the tuple (none: no tuple); s_eos: those that end with this cycle
//              m_windows: s_windows of a tuple that has an entry (else 0), with its index; m_fresh: the windows in
//                which the key was not yet present; m_refused: the tuple has no entry
//              m_short: a tuple of the last window that ended was refused, from a cycle after m of its eos on
//              free_windows (one-hot), free_index: release this entry from this window
//              read_index -> read_key: the key of an entry in use, 1 cycle
// Latency      3 cycles from s to m; at most 10 from the last release of an entry until it can be allocated again
// Issue rate   1 tuple and 1 release a cycle
// Overflow     m_refused
// Bad input    A release of an entry that is not present in the window, or of one released from another window in the
//              last 3 cycles; a tuple of a window whose release has begun: must not happen
// Source       R. Mueller, dissertation ETH 19163 (2010), sections 7.3.7 and 7.5.4; there a new key takes 16 cycles

`default_nettype none

module ws_group_cam #(
    parameter KEY_W    = 32,
    parameter CAPACITY = 64,
    parameter WINDOWS  = 2,
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

    // ---- Stage 1: which entry has the key? Or does one of the two previous tuples, whose entries are not yet known?

    wire [CAPACITY-1:0] matches;     // of the incoming key
    wire [CAPACITY-1:0] used;        // present in some window, or about to be
    reg  [CAPACITY-1:0] match_1_reg;
    reg  [WINDOWS-1:0]  windows_1_reg, eos_1_reg;
    reg  [KEY_W-1:0]    key_1_reg, key_2_reg;
    reg                 same_1_reg, second_1_reg;   // the same key as 1 and 2 tuples before
    reg  [WINDOWS-1:0]  windows_2_reg;

    always @(posedge clk) begin
        match_1_reg   <= matches & used;
        windows_1_reg <= rst ? {WINDOWS{1'b0}} : s_windows;
        eos_1_reg     <= rst ? {WINDOWS{1'b0}} : s_eos;
        key_1_reg     <= key;
        same_1_reg    <= key == key_1_reg && windows_1_reg != 0;
        second_1_reg  <= key == key_2_reg && windows_2_reg != 0;
    end

    // ---- Stage 2: was there a match, with what index, and in which windows is it present?

    reg  [CAPACITY-1:0] match_2_reg;
    reg                 hit_2_reg, same_2_reg, second_2_reg;
    reg  [INDEX_W-1:0]  index_2_reg;
    reg  [WINDOWS-1:0]  eos_2_reg, present_2_reg;
    wire [WINDOWS-1:0]  present_in;
    reg  [INDEX_W-1:0]  match_index;
    integer             e;

    always @* begin
        match_index = {INDEX_W{1'b0}};
        for (e = 0; e < CAPACITY; e = e + 1)
            match_index = match_index | (match_1_reg[e] ? e[INDEX_W-1:0] : {INDEX_W{1'b0}});
    end

    always @(posedge clk) begin
        match_2_reg   <= match_1_reg;
        hit_2_reg     <= match_1_reg != 0;
        index_2_reg   <= match_index;
        present_2_reg <= present_in;
        windows_2_reg <= rst ? {WINDOWS{1'b0}} : windows_1_reg;
        eos_2_reg     <= rst ? {WINDOWS{1'b0}} : eos_1_reg;
        key_2_reg     <= key_1_reg;
        same_2_reg    <= same_1_reg;
        second_2_reg  <= second_1_reg;
    end

    // ---- Stage 3: the entry that matches, or that of a previous tuple, or else the first free one

    reg  [CAPACITY-1:0] entry_3_reg, entry_4_reg;    // of the previous tuples, one-hot; 0 if refused
    reg                 found_3_reg, found_4_reg;
    reg  [INDEX_W-1:0]  index_4_reg;
    reg  [WINDOWS-1:0]  windows_4_reg;
    wire [CAPACITY-1:0] head;          // the next free entry, one-hot
    wire                head_valid;
    wire [INDEX_W-1:0]  head_index;
    wire                closed;        // to new keys

    wire valid  = windows_2_reg != 0;
    wire same   = same_2_reg && found_3_reg;
    wire second = second_2_reg && found_4_reg;
    wire known  = hit_2_reg || same || second;
    wire is_new = valid && !known && head_valid && !closed;
    wire found  = (valid && known) || is_new;

    always @(posedge clk) begin
        entry_3_reg   <= (valid ? match_2_reg : {CAPACITY{1'b0}}) | (valid && same ? entry_3_reg : {CAPACITY{1'b0}})
                       | (valid && second ? entry_4_reg : {CAPACITY{1'b0}}) | (is_new ? head : {CAPACITY{1'b0}});
        found_3_reg   <= found && !rst;
        m_index       <= hit_2_reg ? index_2_reg : same ? m_index : second ? index_4_reg : head_index;
        m_windows     <= found && !rst ? windows_2_reg : {WINDOWS{1'b0}};
        m_fresh       <= ~(present_2_reg | (same ? m_windows : {WINDOWS{1'b0}})
                                         | (second ? windows_4_reg : {WINDOWS{1'b0}}));
        m_refused     <= valid && !found && !rst;

        entry_4_reg   <= entry_3_reg;
        found_4_reg   <= found_3_reg && !rst;
        index_4_reg   <= m_index;
        windows_4_reg <= m_windows;
    end

    ws_group_door #(.WINDOWS(WINDOWS)) door (
        .clk(clk), .rst(rst), .windows(windows_2_reg), .eos(eos_2_reg), .refused(m_refused), .closed(closed), .missed(m_short)
    );

    // ---- The entries

    localparam PARTS = (KEY_W + 2)/3;     // of a key

    reg  [WINDOWS-1:0] clear_reg;
    reg  [INDEX_W-1:0] clear_index_reg;
    wire [CAPACITY*WINDOWS-1:0] present;   // by entry, then window

    always @(posedge clk) begin
        clear_reg       <= rst ? {WINDOWS{1'b0}} : free_windows;
        clear_index_reg <= free_index;
    end

    genvar i, p, w;
    generate
        for (i = 0; i < CAPACITY; i = i + 1) begin : gen_entry
            reg  [KEY_W-1:0]   entry_key_reg;
            reg  [WINDOWS-1:0] present_reg;
            (* keep *) wire [PARTS-1:0] differs;
            wire [WINDOWS-1:0] clears = clear_index_reg == i ? clear_reg : {WINDOWS{1'b0}};

            // In parts of 3 bits, which fit a 6-input LUT: `keep`, since synthesis rearranges them into twice as many.
            for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                localparam PART_W = KEY_W - 3*p < 3 ? KEY_W - 3*p : 3;
                assign differs[p] = entry_key_reg[3*p +: PART_W] != key[3*p +: PART_W];
            end
            assign matches[i] = differs == {PARTS{1'b0}};
            assign used[i]    = present_reg != 0 || (found_3_reg && entry_3_reg[i]);
            assign present[i*WINDOWS +: WINDOWS] = present_reg;

            always @(posedge clk) begin
                // The next free entry stores every key; it counts once the entry is used.
                if (head[i] && valid) entry_key_reg <= key_2_reg;
                present_reg <= (present_reg & ~clears) | (entry_3_reg[i] ? m_windows : {WINDOWS{1'b0}});
                if (rst) present_reg <= {WINDOWS{1'b0}};
            end
        end
        for (w = 0; w < WINDOWS; w = w + 1) begin : gen_window
            wire [CAPACITY-1:0] here;
            for (i = 0; i < CAPACITY; i = i + 1) begin : gen_here
                assign here[i] = present[i*WINDOWS + w];
            end
            assign present_in[w] = (match_1_reg & here) != 0;
        end
    endgenerate

    // A second copy of the keys, read by index.
    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(INDEX_W), .STYLE("distributed")) keys (
        .clk(clk),
        .wr_en(valid && head_valid), .wr_addr(head_index), .wr_data(key_2_reg),
        .rd_en(1'b1), .rd_addr(read_index), .rd_data(read_key)
    );

    // ---- The free entries

    // A released entry is free if it is unused three cycles later: by then a tuple that still matched it has used it.
    reg  [2:0]           check_reg;
    reg  [3*INDEX_W-1:0] check_index_reg;
    reg                  back_reg;
    reg  [INDEX_W-1:0]   back_index_reg;
    wire [INDEX_W-1:0]   settled_index = check_index_reg[2*INDEX_W +: INDEX_W];
    wire [INDEX_W:0]     level;

    always @(posedge clk) begin
        check_reg       <= rst ? 3'b0 : {check_reg[1:0], clear_reg != 0};
        check_index_reg <= {check_index_reg[2*INDEX_W-1:0], clear_index_reg};
        back_reg        <= check_reg[2] && !used[settled_index] && !rst;
        back_index_reg  <= settled_index;
    end

    ws_free_list #(.CAPACITY(CAPACITY)) free_entries (
        .clk(clk), .rst(rst),
        .give(back_reg), .give_index(back_index_reg),
        .valid(head_valid), .index(head_index), .entry(head), .take(is_new), .level(level)
    );

    wire unused = &{1'b0, level};         // except in the proof

`ifdef FORMAL
    // Every key's windows and index, and the tuples of the last three cycles.
    localparam KEYS = 1 << KEY_W;
    reg                     past_valid = 1'b0;
    reg  [KEYS*WINDOWS-1:0] present_ref, refused_ref;   // by key, then window
    reg  [KEYS*INDEX_W-1:0] index_ref;
    reg  [9:0]              resting_ref;                // last releases of an entry, which must be free 10 cycles later
    reg  [3*KEY_W-1:0]      keys_ref;
    reg  [3*WINDOWS-1:0]    windows_ref, eos_ref;
    reg  [WINDOWS-1:0]      closing_ref;                // ended, and not all released
    reg  [WINDOWS*3-1:0]    age_ref;                    // cycles since the end
    reg  [4*WINDOWS-1:0]    freed_ref;                  // the last releases
    reg  [4*INDEX_W-1:0]    freed_index_ref;
    reg                     again_ref;                  // an entry has been freed, the last one with this index
    reg  [INDEX_W-1:0]      again_index_ref;

    wire [KEY_W-1:0]   told      = keys_ref[2*KEY_W +: KEY_W];
    wire [WINDOWS-1:0] asked     = windows_ref[2*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] held      = present_ref[told*WINDOWS +: WINDOWS];
    integer            k, l, live, v, entries;
    reg                released, apart, booked;
    reg  [WINDOWS-1:0] holders;

    always @* begin
        live  = 0;
        apart = 1'b1;
        for (k = 0; k < KEYS; k = k + 1)
            for (l = 0; l < k; l = l + 1)
                if (present_ref[k*WINDOWS +: WINDOWS] != 0 && present_ref[l*WINDOWS +: WINDOWS] != 0
                    && index_ref[k*INDEX_W +: INDEX_W] == index_ref[l*INDEX_W +: INDEX_W]) apart = 1'b0;
        for (k = 0; k < KEYS; k = k + 1)
            live = live + (present_ref[k*WINDOWS +: WINDOWS] != 0);
        for (k = 0; k < 10; k = k + 1) live = live + resting_ref[k];
        // every entry is present where its key is; and is either used or in the list
        booked  = 1'b1;
        entries = level;
        for (l = 0; l < CAPACITY; l = l + 1) begin
            holders = clear_index_reg == l ? clear_reg : {WINDOWS{1'b0}};
            for (k = 0; k < KEYS; k = k + 1)
                if (index_ref[k*INDEX_W +: INDEX_W] == l) holders = holders | present_ref[k*WINDOWS +: WINDOWS];
            if (present[l*WINDOWS +: WINDOWS] != holders) booked = 1'b0;
            entries = entries + used[l];
        end
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
            if (age_ref[v*3 +: 3] != 7) age_ref[v*3 +: 3] <= age_ref[v*3 +: 3] + 1;
            if (s_eos[v]) age_ref[v*3 +: 3] <= 0;
            released = 1'b1;
            for (k = 0; k < KEYS; k = k + 1) if (present_ref[k*WINDOWS + v]) released = 1'b0;
            if (age_ref[v*3 +: 3] == 7 && released && freed_ref == 0 && !s_eos[v]) closing_ref[v] <= 1'b0;
        end
        for (k = 0; k < KEYS; k = k + 1) begin
            if (present_ref[k*WINDOWS +: WINDOWS] != 0 && index_ref[k*INDEX_W +: INDEX_W] == free_index) begin
                present_ref[k*WINDOWS +: WINDOWS] <= present_ref[k*WINDOWS +: WINDOWS] & ~free_windows;
                if (present_ref[k*WINDOWS +: WINDOWS] == free_windows) resting_ref[0] <= 1'b1;
            end
            refused_ref[k*WINDOWS +: WINDOWS] <= refused_ref[k*WINDOWS +: WINDOWS] & ~eos_ref[2*WINDOWS +: WINDOWS];
        end
        if (m_windows != 0) begin
            present_ref[told*WINDOWS +: WINDOWS] <= (held & ~(index_ref[told*INDEX_W +: INDEX_W] == free_index
                                                             ? free_windows : {WINDOWS{1'b0}})) | m_windows;
            index_ref[told*INDEX_W +: INDEX_W]   <= m_index;
        end
        if (m_refused)
            refused_ref[told*WINDOWS +: WINDOWS] <= (refused_ref[told*WINDOWS +: WINDOWS] | asked)
                                                  & ~eos_ref[2*WINDOWS +: WINDOWS];
        if (rst) begin
            present_ref <= 0; refused_ref <= 0; resting_ref <= 0; closing_ref <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            // one window is released at a time, after its last tuple has passed, and takes no tuples meanwhile
            assume ((s_windows & closing_ref) == 0 && (s_eos & closing_ref) == 0);
            assume ((free_windows & (free_windows - 1)) == 0 && (free_windows & ~closing_ref) == 0);
            for (v = 0; v < WINDOWS; v = v + 1) if (free_windows[v]) assume (age_ref[v*3 +: 3] >= 3);
            released = 1'b0;
            for (k = 0; k < KEYS; k = k + 1)
                if (index_ref[k*INDEX_W +: INDEX_W] == free_index
                    && (present_ref[k*WINDOWS +: WINDOWS] & free_windows) != 0) released = 1'b1;
            if (free_windows != 0) begin
                assume (released);
                for (v = 0; v < 4; v = v + 1)
                    if (freed_ref[v*WINDOWS +: WINDOWS] != 0)
                        assume (freed_index_ref[v*INDEX_W +: INDEX_W] != free_index);
            end

            // every tuple has an answer; a key keeps its index, and m_fresh shows the windows that it is in
            ref_answer:  assert (m_windows == (m_refused ? {WINDOWS{1'b0}} : asked) && (!m_refused || asked != 0));
            if (m_windows != 0 && held != 0) begin
                ref_index: assert (m_index == index_ref[told*INDEX_W +: INDEX_W]);
                ref_known: assert (((m_fresh ^ ~held) & m_windows) == 0);
            end
            if (m_windows != 0 && held == 0) ref_fresh: assert ((m_windows & ~m_fresh) == 0);
            // no two keys share an entry
            ref_apart:   assert (apart);
            ref_booked:  assert (booked);
            if (clear_reg == 0 && check_reg == 0 && !back_reg) ref_kept: assert (entries == CAPACITY);
            // for every window a key is wholly in the table or wholly refused
            ref_whole:   assert ((m_windows & refused_ref[told*WINDOWS +: WINDOWS]) == 0);
            if (m_refused) ref_refused: assert ((asked & held) == 0 && held == 0);
            // a key is refused only if there is no room, or was none
            if (m_refused && refused_ref == 0)
                ref_room: assert (live >= CAPACITY);
            // the key read is that of the entry
            if ($past(!rst && present_ref[k_watch*WINDOWS +: WINDOWS] != 0)
                && $past(read_index == index_ref[k_watch*INDEX_W +: INDEX_W]))
                ref_read: assert (read_key == k_watch);
        end
        cover (past_valid && m_refused && live == CAPACITY);
        cover (past_valid && m_windows != 0 && $past(m_windows != 0) && told == keys_ref[0 +: KEY_W] && s_windows == 0);
        cover (past_valid && m_windows != 0 && held == 0 && again_ref && m_index == again_index_ref);
    end
    (* anyconst *) wire [KEY_W-1:0] k_watch;
`endif

endmodule

`default_nettype wire
