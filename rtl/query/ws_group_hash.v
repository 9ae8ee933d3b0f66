// SPDX-License-Identifier: Apache-2.0
//
// ws_group_hash: ws_group_cam_fast for thousands of keys: a hash table in block RAM, one tuple a cycle.
//
// The table has WAYS parts. A key can be in one place of each part, at the address given by the part's own hash
// function, and takes the first free one. A look-up also compares the tuples still in flight to the table: their keys,
// and their places with those that the key may take. A place is free as soon as its last window has released it.
//
// The hash functions are sums modulo 2 of some bits of the key (H3), drawn from SEED. With 8 parts a table accepts half
// as many keys as it has places, except for one key set in 10**6, unless the keys are chosen to defeat its functions.
// If keys come and go continually with half of the places occupied, 3 of 10,000 new ones are refused; with three
// eighths occupied, none of 300,000. A key without a place is refused by the rule of ws_group_door, so that the result
// stays exact.
//
// Parameters   KEY_W    width of a key in bits, at least 1
//              INDEX_W  the table has 2**INDEX_W places, at least 2
//              WINDOWS  number of windows, at least 1
//              WAYS     parts of the table, a power of two, 2 to 2**(INDEX_W - 1)
//              SEED     seed of the hash functions, any
//              PANES    see ws_group_door
// Ports        as in ws_group_cam_fast; m_index, free_index and read_index are places
// Latency      11 cycles from s to m; 2 from read_index to read_key
// Issue rate   1 tuple and 1 release a cycle
// Reset        the table is cleared: the first tuple comes at least 2**INDEX_W / WAYS + 2 cycles later
// Overflow     m_refused
// Bad input    a release of a place that is not in use in the window; a release earlier than 11 cycles after the
//              window's last tuple; a tuple of a window between its end and its last release
// Source       A. Broder and A. Karlin, Multilevel adaptive hashing, SODA 1990; J. Carter and M. Wegman, Universal
//              classes of hash functions, JCSS 1979 (H3); the pipeline is ours

`default_nettype none

module ws_group_hash #(
    parameter KEY_W   = 32,
    parameter INDEX_W = 11,
    parameter WINDOWS = 2,
    parameter WAYS    = 8,
    parameter SEED    = 1,
    parameter PANES   = 1
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [WINDOWS-1:0] s_windows,
    input  wire [WINDOWS-1:0] s_eos,
    input  wire [KEY_W-1:0]   key,

    output reg  [WINDOWS-1:0] m_windows,
    output reg  [WINDOWS-1:0] m_fresh,
    output wire [INDEX_W-1:0] m_index,
    output reg                m_refused,
    output wire               m_short,

    input  wire [WINDOWS-1:0] free_windows,
    input  wire [INDEX_W-1:0] free_index,

    input  wire [INDEX_W-1:0] read_index,
    output wire [KEY_W-1:0]   read_key
);

    localparam WAY_W  = $clog2(WAYS);
    localparam ADDR_W = INDEX_W - WAY_W;
    localparam PARTS  = (KEY_W + 7)/8;       // a key is compared in parts of 8 bits

    initial if (KEY_W < 1 || WINDOWS < 1 || WAYS < 2 || WAYS != 1 << WAY_W || ADDR_W < 1) begin
        $display("ERROR: %m: KEY_W = %0d, WINDOWS = %0d (at least 1), WAYS = %0d (a power of two below 2**INDEX_W)",
                 KEY_W, WINDOWS, WAYS);
        $finish;
    end

    // ---- The tuple during the look-up. A tuple in stage n arrived n cycles ago; stage 1 has the lowest bits

    reg  [11*KEY_W-1:0]         keys_reg;
    reg  [10*WINDOWS-1:0]       windows_reg;
    reg  [9*WINDOWS-1:0]        eos_reg;
    reg  [10*WAYS*ADDR_W-1:0]   addrs_reg;     // by stage, then way: where the key can be
    wire [WAYS*ADDR_W-1:0]      addrs;
    wire [10*KEY_W-1:0]         keys_0  = {keys_reg[0 +: 9*KEY_W], key};    // stage n at n*KEY_W
    wire [KEY_W-1:0]            key_11  = keys_reg[10*KEY_W +: KEY_W];
    wire [11*WAYS*ADDR_W-1:0]   addrs_0 = {addrs_reg, addrs};
    wire [WAYS*ADDR_W-1:0]      addrs_10 = addrs_0[10*WAYS*ADDR_W +: WAYS*ADDR_W];
    wire [WINDOWS-1:0]          windows_9 = windows_reg[8*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0]          windows_10 = windows_reg[9*WINDOWS +: WINDOWS];

    always @(posedge clk) begin
        keys_reg    <= {keys_reg[0 +: 10*KEY_W], key};
        windows_reg <= rst ? {10*WINDOWS{1'b0}} : {windows_reg[0 +: 9*WINDOWS], s_windows};
        eos_reg     <= rst ? {9*WINDOWS{1'b0}} : {eos_reg[0 +: 8*WINDOWS], s_eos};
        addrs_reg   <= addrs_0[0 +: 10*WAYS*ADDR_W];
    end

    // The bits of the key whose sum is bit `number` of all addresses, from a xorshift generator, a word for each.
    function [KEY_W-1:0] chosen(input integer number);
        reg [31:0] word;
        integer    n;
        begin
            word = 32'h9e3779b9*(SEED*64 + number + 1);
            for (n = 0; n < KEY_W + 4; n = n + 1) begin
                word = word ^ word << 13;
                word = word ^ word >> 17;
                word = word ^ word << 5;
                if (n >= 4) chosen[n-4] = word[16];
            end
        end
    endfunction

    genvar b, d, s, w, p;
    generate
        for (b = 0; b < WAYS*ADDR_W; b = b + 1) begin : gen_hash
            localparam [KEY_W-1:0] CHOSEN = chosen(b);
            assign addrs[b] = ^(key & CHOSEN);
        end
    endgenerate

    // ---- Stages 2 to 9: the tuples 9 to 1 before, each when it has its place: is its key the same, and can it have
    // taken one of this tuple's places? For the tuple 10 - s before that is known in stage s, when the other is in
    // stage 10; for the tuple 9 before in stage 2, when it is in stage 11; for the previous tuple's places a stage
    // earlier

    wire [10*WAYS-1:WAYS] near;          // by s, then way: the same address there
    wire [9:1]            same;
    reg                   found_10_reg;
    reg  [WAYS-1:0]       way_10_reg;    // one bit; none if not found
    reg  [WAYS-1:0]       way_11_reg;

    generate
        for (s = 1; s <= 9; s = s + 1) begin : gen_ahead
            localparam KEY_AT  = s == 1 ? 0 : s - 2, ITS_KEY_AT  = s == 1 ? 9 : 8;
            localparam ADDR_AT = s == 1 ? 1 : s == 9 ? 7 : s - 1, ITS_ADDR_AT = s == 1 ? 10 : s == 9 ? 8 : 9;
            reg [PARTS-1:0] equal_reg;   // a stage earlier
            reg [WAYS-1:0]  near_reg;
            reg             same_reg;

            assign near[s*WAYS +: WAYS] = near_reg;
            assign same[s]              = same_reg;

            always @(posedge clk) same_reg <= equal_reg == {PARTS{1'b1}};

            for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                localparam PART_W = KEY_W - 8*p < 8 ? KEY_W - 8*p : 8;
                always @(posedge clk)
                    equal_reg[p] <= keys_0[KEY_AT*KEY_W + 8*p +: PART_W] == keys_0[ITS_KEY_AT*KEY_W + 8*p +: PART_W];
            end
            for (d = 0; d < WAYS; d = d + 1) begin : gen_way
                always @(posedge clk)
                    near_reg[d] <= addrs_0[(ADDR_AT*WAYS + d)*ADDR_W +: ADDR_W]
                                == addrs_0[(ITS_ADDR_AT*WAYS + d)*ADDR_W +: ADDR_W];
            end
        end
    endgenerate

    // What the tuple in stages 3 to 7 knows from the earlier ones: which of its places are taken, which one is its own,
    // and the windows that its key is in.
    reg  [8*WAYS-1:3*WAYS]       taken_reg, own_reg;
    reg  [8*WINDOWS-1:3*WINDOWS] held_reg;
    wire [8*WAYS-1:2*WAYS]       taken = {taken_reg, near[1*WAYS +: WAYS] & way_11_reg};
    wire [8*WAYS-1:2*WAYS]       own   = {own_reg, same[1] ? way_11_reg : {WAYS{1'b0}}};
    wire [8*WINDOWS-1:2*WINDOWS] held  = {held_reg, same[1] ? m_windows : {WINDOWS{1'b0}}};
    integer                      n;

    always @(posedge clk)
        for (n = 2; n <= 6; n = n + 1) begin
            taken_reg[(n+1)*WAYS +: WAYS]      <= taken[n*WAYS +: WAYS] | (near[n*WAYS +: WAYS] & way_10_reg);
            own_reg[(n+1)*WAYS +: WAYS]        <= own[n*WAYS +: WAYS] | (same[n] ? way_10_reg : {WAYS{1'b0}});
            held_reg[(n+1)*WINDOWS +: WINDOWS] <= held[n*WINDOWS +: WINDOWS]
                                                | (same[n] && found_10_reg ? windows_10 : {WINDOWS{1'b0}});
        end

    // ---- Stages 2 to 7: the table, for each way the keys and for each window the places in use

    reg                    new_11_reg;
    reg  [ADDR_W-1:0]      addr_11_reg;
    reg  [WAYS*ADDR_W-1:0] addrs_11_reg;
    reg  [WINDOWS*WAYS-1:0]   write_reg;         // of the places in use, by window
    reg  [WINDOWS*WAYS*ADDR_W-1:0] write_addr_reg;   // one for each way, so that no multiplexer precedes a RAM
    reg  [WINDOWS-1:0]        write_used_reg, released_reg, released_3_reg, released_4_reg;
    reg  [WAYS-1:0]           released_way_reg;
    wire [ADDR_W-1:0]         released_addr = free_index[0 +: ADDR_W];
    reg  [WAYS*WINDOWS-1:0]   used_6_reg, used_7_reg, used_8_reg;   // by way, then window
    reg  [WAYS-1:0]           match_7_reg, free_7_reg;

    generate
        for (d = 0; d < WAYS; d = d + 1) begin : gen_table
            wire [ADDR_W-1:0]  addr_1 = addrs_0[(1*WAYS + d)*ADDR_W +: ADDR_W];
            wire [ADDR_W-1:0]  addr_2 = addrs_0[(2*WAYS + d)*ADDR_W +: ADDR_W];
            wire [KEY_W-1:0]   key_4;
            wire [WINDOWS-1:0] used_4;
            reg  [KEY_W-1:0]   key_5_reg;            // the block RAMs may be far away
            reg  [WINDOWS-1:0] used_5_reg;
            reg  [PARTS-1:0]   equal_6_reg;
            reg                released_2_here_reg, released_3_here_reg, released_4_here_reg;
            wire               some_6 = used_6_reg[d*WINDOWS +: WINDOWS] != 0;

            ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE("block")) keys (
                .clk(clk),
                .wr_en(new_11_reg && way_11_reg[d]), .wr_addr(addrs_11_reg[d*ADDR_W +: ADDR_W]), .wr_data(key_11),
                .rd_en(1'b1), .rd_addr(addr_2), .rd_data(key_4)
            );

            for (w = 0; w < WINDOWS; w = w + 1) begin : gen_window
                ws_ram_sdp #(.DATA_W(1), .ADDR_W(ADDR_W), .OUTPUT_REG(1), .STYLE("block")) in_use (
                    .clk(clk),
                    .wr_en(write_reg[w*WAYS + d]), .wr_addr(write_addr_reg[(w*WAYS + d)*ADDR_W +: ADDR_W]),
                    .wr_data(write_used_reg[w]),
                    .rd_en(1'b1), .rd_addr(addr_2), .rd_data(used_4[w])
                );
            end

            for (p = 0; p < PARTS; p = p + 1) begin : gen_part
                localparam PART_W = KEY_W - 8*p < 8 ? KEY_W - 8*p : 8;
                always @(posedge clk)
                    equal_6_reg[p] <= key_5_reg[8*p +: PART_W] == keys_0[5*KEY_W + 8*p +: PART_W];
            end

            // A place released in the cycle of its read is free.
            always @(posedge clk) begin
                released_2_here_reg <= released_addr == addr_1;
                released_3_here_reg <= released_2_here_reg && released_way_reg[d];
                released_4_here_reg <= released_3_here_reg;
                key_5_reg  <= key_4;
                used_5_reg <= used_4 & ~(released_4_here_reg ? released_4_reg : {WINDOWS{1'b0}});
                used_6_reg[d*WINDOWS +: WINDOWS] <= used_5_reg;
                used_7_reg[d*WINDOWS +: WINDOWS] <= used_6_reg[d*WINDOWS +: WINDOWS];
                used_8_reg[d*WINDOWS +: WINDOWS] <= used_7_reg[d*WINDOWS +: WINDOWS];
                match_7_reg[d] <= equal_6_reg == {PARTS{1'b1}} && some_6;
                free_7_reg[d]  <= !some_6;
            end
        end
    endgenerate

    // ---- Stage 7: the place found; one that a tuple in flight has taken was read too early to be judged by its key

    wire [WAYS-1:0]    taken_7 = taken[7*WAYS +: WAYS] | (near[7*WAYS +: WAYS] & way_10_reg);
    reg  [WAYS-1:0]    own_8_reg, free_8_reg;
    reg  [WINDOWS-1:0] held_8_reg;

    always @(posedge clk) begin
        own_8_reg  <= own[7*WAYS +: WAYS] | (match_7_reg & ~taken[7*WAYS +: WAYS])
                    | (same[7] ? way_10_reg : {WAYS{1'b0}});
        free_8_reg <= free_7_reg & ~taken_7;
        held_8_reg <= held[7*WINDOWS +: WINDOWS] | (same[7] && found_10_reg ? windows_10 : {WINDOWS{1'b0}});
    end

    // ---- Stage 8: the windows that the key is in; the first two places that are free

    wire [WAYS-1:0]    free_8   = free_8_reg & ~(near[8*WAYS +: WAYS] & way_10_reg);
    reg  [WAYS-1:0]    first_8, second_8;
    reg                some_8, more_8;
    reg  [WAYS-1:0]    own_9_reg, first_9_reg, second_9_reg;
    reg  [WAYS-1:0]    contested_9_reg;             // the first, if the previous tuple may take it
    reg                valid_9_reg, known_9_reg, some_9_reg, more_9_reg;
    reg  [WINDOWS-1:0] held_8, held_9_reg;
    integer            m;

    always @* begin
        held_8 = held_8_reg | (same[8] && found_10_reg ? windows_10 : {WINDOWS{1'b0}});
        for (m = 0; m < WAYS; m = m + 1) if (own_8_reg[m]) held_8 = held_8 | used_8_reg[m*WINDOWS +: WINDOWS];
        some_8 = 1'b0;
        more_8 = 1'b0;
        for (m = 0; m < WAYS; m = m + 1) begin
            first_8[m]  = free_8[m] && !some_8;
            second_8[m] = free_8[m] && some_8 && !more_8;
            more_8      = more_8 || (free_8[m] && some_8);
            some_8      = some_8 || free_8[m];
        end
    end

    always @(posedge clk) begin
        valid_9_reg     <= windows_reg[7*WINDOWS +: WINDOWS] != 0 && !rst;
        known_9_reg     <= own_8_reg != 0 || (same[8] && found_10_reg);
        own_9_reg       <= own_8_reg | (same[8] ? way_10_reg : {WAYS{1'b0}});
        held_9_reg      <= held_8;
        first_9_reg     <= first_8;
        second_9_reg    <= second_8;
        contested_9_reg <= first_8 & near[9*WAYS +: WAYS];
        some_9_reg      <= some_8;
        more_9_reg      <= more_8;
    end

    // ---- Stage 9: the place found, or that of the previous tuple, or else the first free one

    wire            lost   = (contested_9_reg & way_10_reg) != 0;
    wire            same_9 = same[9] && found_10_reg;
    wire            known  = known_9_reg || same_9;
    wire            closed;
    wire            room   = (lost ? more_9_reg : some_9_reg) && !closed;
    reg             new_10_reg, refused_10_reg;
    reg  [WINDOWS-1:0] held_10_reg;

    ws_group_door #(.WINDOWS(WINDOWS), .PANES(PANES)) door (
        .clk(clk), .rst(rst),
        .windows(windows_9), .eos(eos_reg[8*WINDOWS +: WINDOWS]), .refused(refused_10_reg), .closed(closed), .missed(m_short)
    );

    always @(posedge clk) begin
        found_10_reg   <= valid_9_reg && (known || room) && !rst;
        new_10_reg     <= valid_9_reg && !known && room && !rst;
        refused_10_reg <= valid_9_reg && !known && !room && !rst;
        way_10_reg     <= !valid_9_reg || rst ? {WAYS{1'b0}}
                       : known_9_reg ? own_9_reg : same_9 ? way_10_reg
                       : closed ? {WAYS{1'b0}} : lost ? second_9_reg : first_9_reg;
        held_10_reg    <= held_9_reg | (same_9 ? windows_10 : {WINDOWS{1'b0}});
    end

    // ---- Stage 10: the place is written in the next cycle, and the answer leaves

    reg  [ADDR_W-1:0] addr_10;
    reg  [WAY_W-1:0]  number_10, number_11_reg;    // of the way
    reg  [ADDR_W:0]   cleared_reg;                // addresses, since reset
    wire              clearing = !cleared_reg[ADDR_W];
    wire [WAYS-1:0]   released_way = {{(WAYS-1){1'b0}}, 1'b1} << free_index[ADDR_W +: WAY_W];
    integer           k, v;

    always @* begin
        addr_10   = {ADDR_W{1'b0}};
        number_10 = {WAY_W{1'b0}};
        for (k = 0; k < WAYS; k = k + 1)
            if (way_10_reg[k]) begin
                addr_10   = addr_10 | addrs_0[(10*WAYS + k)*ADDR_W +: ADDR_W];
                number_10 = number_10 | k[WAY_W-1:0];
            end
    end

    assign m_index = {number_11_reg, addr_11_reg};

    always @(posedge clk) begin
        m_windows     <= found_10_reg && !rst ? windows_10 : {WINDOWS{1'b0}};
        m_fresh       <= ~held_10_reg;
        m_refused     <= refused_10_reg && !rst;
        new_11_reg    <= new_10_reg && !rst;
        way_11_reg    <= way_10_reg;
        addr_11_reg   <= addr_10;
        addrs_11_reg  <= addrs_10;
        number_11_reg <= number_10;

        cleared_reg <= rst ? {(ADDR_W+1){1'b0}} : cleared_reg + {{ADDR_W{1'b0}}, clearing};
        for (v = 0; v < WINDOWS; v = v + 1) begin
            write_used_reg[v] <= !clearing && !free_windows[v];
            write_reg[v*WAYS +: WAYS] <= clearing ? {WAYS{1'b1}} : free_windows[v] ? released_way
                                       : windows_10[v] ? way_10_reg : {WAYS{1'b0}};
            write_addr_reg[v*WAYS*ADDR_W +: WAYS*ADDR_W] <= clearing ? {WAYS{cleared_reg[0 +: ADDR_W]}}
                                                          : free_windows[v] ? {WAYS{released_addr}} : addrs_10;
        end
        released_reg      <= rst ? {WINDOWS{1'b0}} : free_windows;
        released_way_reg  <= released_way;
        released_3_reg    <= released_reg;
        released_4_reg    <= released_3_reg;
    end

    // A second copy of the keys, read by place; written only once, since a word must not be read while it is written.
    ws_ram_sdp #(.DATA_W(KEY_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) all_keys (
        .clk(clk),
        .wr_en(new_11_reg), .wr_addr(m_index), .wr_data(key_11),
        .rd_en(1'b1), .rd_addr(read_index), .rd_data(read_key)
    );

`ifdef FORMAL
    // Every key's windows and place, and the tuples of the last 11 cycles.
    localparam KEYS = 1 << KEY_W, CLEAR = (1 << ADDR_W) + 2, AWAY = 11;
    reg                     past_valid = 1'b0;
    reg  [KEYS*WINDOWS-1:0] present_ref, refused_ref;   // by key, then window
    reg  [KEYS*INDEX_W-1:0] index_ref;
    reg  [AWAY-1:0]         resting_ref;                // the last releases of a place, and which
    reg  [AWAY*INDEX_W-1:0] resting_index_ref;
    reg  [11*KEY_W-1:0]     told_ref;
    reg  [11*WINDOWS-1:0]   asked_ref, eos_ref;
    reg  [WAYS*ADDR_W-1:0]  addrs_ref;                  // of the key answered
    reg  [WINDOWS-1:0]      closing_ref;                // ended, and not all released
    reg  [WINDOWS*4-1:0]    age_ref;                    // cycles since the end
    integer                 since_ref;                  // cycles since reset
    reg                     freed_ref;                  // a place has been released

    wire [KEY_W-1:0]   told  = told_ref[10*KEY_W +: KEY_W];
    wire [WINDOWS-1:0] asked = asked_ref[10*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] ends  = eos_ref[10*WINDOWS +: WINDOWS];
    wire [WINDOWS-1:0] here  = present_ref[told*WINDOWS +: WINDOWS];
    integer            i, j, x;
    reg                released, apart, full, taken_ref;
    (* anyconst *) wire [KEY_W-1:0] k_watch;

    always @* begin
        apart = 1'b1;
        for (i = 0; i < KEYS; i = i + 1)
            for (j = 0; j < i; j = j + 1)
                if (present_ref[i*WINDOWS +: WINDOWS] != 0 && present_ref[j*WINDOWS +: WINDOWS] != 0
                    && index_ref[i*INDEX_W +: INDEX_W] == index_ref[j*INDEX_W +: INDEX_W]) apart = 1'b0;
        full = 1'b1;                                    // every place of the key answered belongs to another
        for (x = 0; x < WAYS; x = x + 1) begin
            taken_ref = 1'b0;
            for (i = 0; i < KEYS; i = i + 1)
                if (present_ref[i*WINDOWS +: WINDOWS] != 0
                    && index_ref[i*INDEX_W +: INDEX_W] == {x[WAY_W-1:0], addrs_ref[x*ADDR_W +: ADDR_W]})
                    taken_ref = 1'b1;
            for (i = 0; i < AWAY; i = i + 1)
                if (resting_ref[i] && resting_index_ref[i*INDEX_W +: INDEX_W]
                                      == {x[WAY_W-1:0], addrs_ref[x*ADDR_W +: ADDR_W]}) taken_ref = 1'b1;
            full = full && taken_ref;
        end
    end

    always @(posedge clk) begin
        past_valid        <= 1'b1;
        since_ref         <= rst ? 1 : since_ref + (since_ref < CLEAR);
        freed_ref         <= !rst && (freed_ref || free_windows != 0);
        told_ref          <= {told_ref, key};
        asked_ref         <= rst ? 0 : {asked_ref, s_windows};
        eos_ref           <= rst ? 0 : {eos_ref, s_eos};
        addrs_ref         <= addrs_0[10*WAYS*ADDR_W +: WAYS*ADDR_W];
        resting_ref       <= {resting_ref, 1'b0};
        resting_index_ref <= {resting_index_ref, free_index};

        for (i = 0; i < WINDOWS; i = i + 1) begin
            released = 1'b1;
            for (j = 0; j < KEYS; j = j + 1) if (present_ref[j*WINDOWS + i]) released = 1'b0;
            if (age_ref[i*4 +: 4] != 15) age_ref[i*4 +: 4] <= age_ref[i*4 +: 4] + 1;
            if (age_ref[i*4 +: 4] >= 11 && released) closing_ref[i] <= 1'b0;
            if (s_eos[i]) begin
                closing_ref[i]      <= 1'b1;
                age_ref[i*4 +: 4]   <= 0;
            end
        end
        for (i = 0; i < KEYS; i = i + 1) begin
            if (present_ref[i*WINDOWS +: WINDOWS] != 0 && index_ref[i*INDEX_W +: INDEX_W] == free_index) begin
                present_ref[i*WINDOWS +: WINDOWS] <= present_ref[i*WINDOWS +: WINDOWS] & ~free_windows;
                if (present_ref[i*WINDOWS +: WINDOWS] == free_windows) resting_ref[0] <= 1'b1;
            end
            refused_ref[i*WINDOWS +: WINDOWS] <= refused_ref[i*WINDOWS +: WINDOWS] & ~ends;
        end
        if (m_windows != 0) begin
            present_ref[told*WINDOWS +: WINDOWS] <= (here & ~(index_ref[told*INDEX_W +: INDEX_W] == free_index
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
            // tuples and ends once the table is clear; one window is released at a time, after its last tuple has
            // passed, and takes no tuples meanwhile
            if (since_ref < CLEAR) assume (s_windows == 0 && s_eos == 0);
            assume ((s_windows & closing_ref) == 0 && (s_eos & closing_ref) == 0);
            if (PANES > 1) assume (s_windows == 0 || s_eos == 0);        // see ws_group_door
            assume ((free_windows & (free_windows - 1)) == 0 && (free_windows & ~closing_ref) == 0);
            for (i = 0; i < WINDOWS; i = i + 1) if (free_windows[i]) assume (age_ref[i*4 +: 4] >= 11);
            released = 1'b0;
            for (j = 0; j < KEYS; j = j + 1)
                if (index_ref[j*INDEX_W +: INDEX_W] == free_index
                    && (present_ref[j*WINDOWS +: WINDOWS] & free_windows) != 0) released = 1'b1;
            if (free_windows != 0) assume (released);

            // every tuple has an answer; a key keeps its place, and m_fresh shows the windows that it is in
            ref_answer: assert (m_windows == (m_refused ? {WINDOWS{1'b0}} : asked) && (!m_refused || asked != 0));
            if (m_windows != 0 && here != 0) ref_index: assert (m_index == index_ref[told*INDEX_W +: INDEX_W]);
            if (m_windows != 0) ref_fresh: assert (((m_fresh ^ ~here) & m_windows) == 0);
            // no two keys share a place
            ref_apart: assert (apart);
            // for every window a key is wholly in the table or wholly refused; refused only if there is no room, or was
            // none
            ref_whole: assert ((m_windows & refused_ref[told*WINDOWS +: WINDOWS]) == 0);
            if (m_refused) ref_refused: assert (here == 0);
            if (m_refused && refused_ref == 0 && PANES == 1) ref_room: assert (full);
            // the key read is that of the place
            if ($past(!rst && present_ref[k_watch*WINDOWS +: WINDOWS] != 0, 2)
                && $past(read_index == index_ref[k_watch*INDEX_W +: INDEX_W], 2) && !$past(rst))
                ref_read: assert (read_key == k_watch);
        end
        cover (past_valid && m_refused && refused_ref == 0);
        cover (past_valid && m_windows != 0 && $past(m_windows != 0) && here != 0);
        cover (past_valid && m_windows != 0 && here == 0 && freed_ref);
        cover (past_valid && m_windows != 0 && m_index[ADDR_W +: WAY_W] == 1);
    end
`endif

endmodule

`default_nettype wire
