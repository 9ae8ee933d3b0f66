// SPDX-License-Identifier: Apache-2.0
//
// ws_arp_cache: table of an ARP engine: IPv4 addresses with their MAC addresses, states and ages. Lookups have a
// constant latency; all writes go one by one through the op port, in the cycles that lookups leave free.
//
// The table has ENTRIES / 8 sets of 8 entries; the lowest bits of the address select the set. A lookup reads a set in 4
// cycles, two entries a cycle. So any 8 addresses fit, and any ENTRIES consecutive ones.
//
// An entry is free, pending (requested, no answer yet), known or static. Time is counted in seconds: a sweep visits
// each entry once in SECOND_TICKS ticks of tick_ms (rounded up to a multiple of ENTRIES).
//
//   pending  may be requested again RETRIES times, once a second; then not for NEGATIVE_S seconds; then it is freed
//   known    valid for REACHABLE_S seconds after it was last learned; may be requested again, once a second, in the
//            second half of that time; then it is freed
//   static   until it is cleared
//
// lookup_ip must be held from lookup_valid to lookup_done. lookup_found: the address is known or static. lookup_wanted:
// the user of this core should request it now, with an op ASK; so only addresses that are looked up are requested.
//
// op_* must be held from op_valid to op_done. ASK: records that the address is about to be requested; op_ask (with
// op_done) tells the user to send the request. UPDATE, INSERT: learn an address; UPDATE only if it is in the table. A
// static entry stays unchanged. SET: writes a static entry. CLEAR: frees the entry, static or learned.
//
// Allocation picks a free entry, else a pending one, else the known one learned longest ago. It never picks a static
// one nor, except for SET, one that the sweep has not yet visited. So the addresses of a set cannot evict each other,
// and be requested again, more than once a second. If no entry can be allocated, nothing is written: evt_full.
//
// Parameters   ENTRIES       entries of the table, 8, 16, 32 or 64
//              REACHABLE_S   seconds for which a learned address is valid, 2 to 4000
//              RETRIES       how often an address that does not answer is requested again, once a second, 0 to 100
//              NEGATIVE_S    seconds for which it is then not requested, 1 to 1000
//              SECOND_TICKS  ticks of tick_ms in a second, at least 1; 1000, less in simulations only
// Latency      6 cycles from lookup_valid to lookup_done; op_valid to op_done takes 9 cycles without lookups, at most
//              24 with them
// Issue rate   a lookup every 8 cycles (more often: not allowed); one op at a time
// Overflow     none
// Bad input    none
// Events       evt_aged: a known address has expired; evt_unanswered: a pending one has; evt_replaced: a known one was
//              evicted by another; evt_full: no entry could be allocated
// Source       RFC 826; RFC 1122, 2.3.2.1

`default_nettype none

module ws_arp_cache #(
    parameter ENTRIES      = 16,
    parameter REACHABLE_S  = 120,
    parameter RETRIES      = 3,
    parameter NEGATIVE_S   = 10,
    parameter SECOND_TICKS = 1000
) (
    input  wire        clk,
    input  wire        rst,
    input  wire        tick_ms,

    input  wire        lookup_valid,
    input  wire [31:0] lookup_ip,
    output wire        lookup_done,
    output wire        lookup_found,
    output wire        lookup_wanted,
    output wire [47:0] lookup_mac,

    input  wire        op_valid,
    input  wire [2:0]  op_code,
    input  wire [31:0] op_ip,
    input  wire [47:0] op_mac,
    output reg         op_done,
    output reg         op_ask,

    output reg         evt_aged,
    output reg         evt_unanswered,
    output reg         evt_replaced,
    output reg         evt_full
);

    initial if ((ENTRIES != 8 && ENTRIES != 16 && ENTRIES != 32 && ENTRIES != 64) || REACHABLE_S < 2
                || REACHABLE_S > 4000 || RETRIES < 0 || RETRIES > 100 || NEGATIVE_S < 1 || NEGATIVE_S > 1000
                || SECOND_TICKS < 1) begin
        $display("ERROR: %m: ENTRIES = %0d (8, 16, 32, 64), REACHABLE_S = %0d (2 to 4000), RETRIES = %0d (0 to 100), ",
                 ENTRIES, REACHABLE_S, RETRIES,
                 "NEGATIVE_S = %0d (1 to 1000), SECOND_TICKS = %0d (at least 1)", NEGATIVE_S, SECOND_TICKS);
        $finish;
    end

    // Ops: bit 0 allocates an entry if the address is absent, bit 1 learns, bit 2 is the user's.
    // ASK 001, UPDATE 010, INSERT 011, CLEAR 100
    localparam [2:0] SET = 3'b101;

    localparam [1:0] FREE = 2'd0, PENDING = 2'd1, KNOWN = 2'd2, STATIC = 2'd3;

    localparam INDEX_W   = $clog2(ENTRIES);
    localparam ROW_W     = INDEX_W - 1;                 // a row is two entries, one in each bank
    localparam PENDING_S = NEGATIVE_S + RETRIES + 1;
    localparam TIMER_W   = $clog2((REACHABLE_S > PENDING_S ? REACHABLE_S : PENDING_S) + 1);
    localparam STATE_W   = TIMER_W + 4;                 // {kind, new: not yet visited, due: may be requested, timer}
    localparam KEY_W     = TIMER_W + 2;

    localparam STEP_TICKS = (SECOND_TICKS + ENTRIES - 1) / ENTRIES;
    localparam TICK_W     = STEP_TICKS > 1 ? $clog2(STEP_TICKS) : 1;
    localparam LAST_TICK  = STEP_TICKS - 1;
    localparam HALF       = REACHABLE_S / 2;

    // ---------------------------------------------------------------------------------------------------------------
    // Arbitration. A lookup reads its four rows without a pause; an op, or a visit of the sweep, reads in the other
    // cycles. Nothing is written from the beginning of a lookup to its end, so that it sees one state of the table.

    reg                init_reg;                        // the entries are being freed, after reset
    reg  [1:0]         lookup_at_reg;                   // row of the set
    reg  [4:0]         lookup_in_reg;                   // a lookup is in the following stage
    reg                lookup_done_reg;
    reg                busy_reg;                        // an op or a visit is in progress
    reg                visit_reg;                       // it is a visit
    reg                read_reg;                        // it reads
    reg  [1:0]         read_at_reg;
    reg                seen_reg, result_reg;            // it has seen the whole set; its result is known
    reg                visit_due_reg;
    reg  [TICK_W-1:0]  tick_reg;
    reg  [INDEX_W-1:0] visit_index_reg;

    wire lookup_read = lookup_valid || lookup_at_reg != 2'd0;
    wire op_read     = read_reg && !lookup_read;
    wire read_last   = op_read && read_at_reg == 2'd3;
    wire write       = result_reg && !lookup_valid && lookup_in_reg == 5'd0;

    assign lookup_done = lookup_done_reg;

    always @(posedge clk) begin
        if (lookup_read) lookup_at_reg <= lookup_at_reg + 2'd1;
        {lookup_done_reg, lookup_in_reg} <= {lookup_in_reg, lookup_valid};

        if (tick_ms) begin
            tick_reg <= tick_reg == LAST_TICK[TICK_W-1:0] ? {TICK_W{1'b0}} : tick_reg + 1'b1;
            if (tick_reg == LAST_TICK[TICK_W-1:0]) visit_due_reg <= 1'b1;
        end

        if (!busy_reg && !init_reg && (visit_due_reg || (op_valid && !op_done))) begin
            busy_reg  <= 1'b1;
            read_reg  <= 1'b1;
            visit_reg <= visit_due_reg;
        end
        if (op_read) read_at_reg <= read_at_reg + 2'd1;
        if (read_last) read_reg <= 1'b0;
        if (write) begin
            busy_reg <= 1'b0;
            if (visit_reg) visit_due_reg <= 1'b0;
        end
        op_done <= write && !visit_reg;

        if (init_reg || (write && visit_reg)) visit_index_reg <= visit_index_reg + 1'b1;
        if (&visit_index_reg[ROW_W-1:0]) init_reg <= 1'b0;     // all rows: two entries each
        if (rst) begin
            lookup_at_reg   <= 2'd0;
            lookup_in_reg   <= 5'd0;
            lookup_done_reg <= 1'b0;
            tick_reg        <= {TICK_W{1'b0}};
            visit_due_reg   <= 1'b0;
            busy_reg        <= 1'b0;
            read_reg        <= 1'b0;
            read_at_reg     <= 2'd0;
            op_done         <= 1'b0;
            init_reg        <= 1'b1;
            visit_index_reg <= {INDEX_W{1'b0}};
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Read stage

    wire [1:0]       at = lookup_read ? lookup_at_reg : read_at_reg;
    wire [ROW_W-1:0] rd_row, op_row, lookup_row;        // op_row, lookup_row: the set's first row

    generate
        if (ROW_W == 2) begin : gen_one_set
            assign op_row     = 2'd0;
            assign lookup_row = 2'd0;
            assign rd_row     = at;
        end else begin : gen_sets
            assign op_row     = {visit_reg ? visit_index_reg[INDEX_W-1:3] : op_ip[ROW_W-3:0], 2'd0};
            assign lookup_row = {lookup_ip[ROW_W-3:0], 2'd0};
            assign rd_row     = {lookup_read ? lookup_row[ROW_W-1:2] : op_row[ROW_W-1:2], at};
        end
    endgenerate

    wire [1:0]           wr_state_en, wr_ip_en;         // by bank
    wire [ROW_W-1:0]     wr_row;
    wire [STATE_W-1:0]   wr_state;
    wire [2*32-1:0]      ips;
    wire [2*STATE_W-1:0] states;
`ifdef FORMAL
    // For the proof: two arbitrary entries, and an arbitrary address
    (* anyconst *) wire [INDEX_W-1:0] watch_1, watch_2;
    (* anyconst *) wire [31:0]        watch_ip;
    wire [2*32-1:0]      ips_1, ips_2;
    wire [2*STATE_W-1:0] states_1, states_2;
    wire [47:0]          mac_1, mac_2;
`endif

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : gen_bank
            ws_ram_sdp #(
                .DATA_W(32),
                .ADDR_W(ROW_W),
                .STYLE("distributed")
            ) ip_ram (
                .clk(clk),
                .wr_en(wr_ip_en[b]),
                .wr_addr(wr_row),
                .wr_data(op_ip),
                .rd_en(1'b1),
                .rd_addr(rd_row),
                .rd_data(ips[32*b +: 32])
`ifdef FORMAL
                ,
                .watch_addr(watch_1[INDEX_W-1:1]),
                .watch_data(ips_1[32*b +: 32]),
                .watch_addr_2(watch_2[INDEX_W-1:1]),
                .watch_data_2(ips_2[32*b +: 32])
`endif
            );

            ws_ram_sdp #(
                .DATA_W(STATE_W),
                .ADDR_W(ROW_W),
                .STYLE("distributed")
            ) state_ram (
                .clk(clk),
                .wr_en(wr_state_en[b]),
                .wr_addr(wr_row),
                .wr_data(wr_state),
                .rd_en(1'b1),
                .rd_addr(rd_row),
                .rd_data(states[STATE_W*b +: STATE_W])
`ifdef FORMAL
                ,
                .watch_addr(watch_1[INDEX_W-1:1]),
                .watch_data(states_1[STATE_W*b +: STATE_W]),
                .watch_addr_2(watch_2[INDEX_W-1:1]),
                .watch_data_2(states_2[STATE_W*b +: STATE_W])
`endif
            );
        end
    endgenerate

    // ---------------------------------------------------------------------------------------------------------------
    // Compare stage: is it one of the two? Which of the two is replaced first?

    reg        cmp_blank_reg;                           // read before the entries were freed
    reg        cmp_lookup_reg, cmp_op_reg, cmp_last_reg;
    reg [1:0]  cmp_at_reg;
    reg [31:0] cmp_ip_reg;

    always @(posedge clk) begin
        cmp_blank_reg  <= init_reg;
        cmp_lookup_reg <= lookup_read && !rst;
        cmp_op_reg     <= op_read && !rst;
        cmp_last_reg   <= read_last && !rst;
        cmp_at_reg     <= at;
        cmp_ip_reg     <= lookup_read ? lookup_ip : op_ip;
    end

    wire [1:0]         hit;
    wire [2*KEY_W-1:0] keys;    // {not replaceable, known, timer}: the least is replaced

    generate
        for (b = 0; b < 2; b = b + 1) begin : gen_compare
            wire [STATE_W-1:0] entry = states[STATE_W*b +: STATE_W];
            wire [1:0]         kind  = entry[STATE_W-1 -: 2];
            wire               fresh = entry[STATE_W-3];

            assign hit[b] = cmp_op_reg && visit_reg
                          ? {cmp_at_reg, b[0]} == visit_index_reg[2:0] && (kind == PENDING || kind == KNOWN)
                          : ips[32*b +: 32] == cmp_ip_reg && kind != FREE && !cmp_blank_reg;
            assign keys[KEY_W*b +: KEY_W] = {kind == STATIC || (fresh && op_code != SET), kind[1],
                                             entry[TIMER_W-1:0]};
        end
    endgenerate

    wire second = keys[KEY_W +: KEY_W] < keys[0 +: KEY_W];

    reg  [1:0]           hit_reg;
    reg                  hit_lookup_reg, hit_op_reg, hit_last_reg;
    reg  [1:0]           hit_at_reg;
    reg  [2*STATE_W-1:0] hit_states_reg;
    reg                  second_reg;
    reg  [KEY_W-1:0]     key_reg;

    always @(posedge clk) begin
        hit_reg        <= hit;
        hit_lookup_reg <= cmp_lookup_reg && !rst;
        hit_op_reg     <= cmp_op_reg && !rst;
        hit_last_reg   <= cmp_last_reg && !rst;
        hit_at_reg     <= cmp_at_reg;
        hit_states_reg <= states;
        second_reg     <= second;
        key_reg        <= second ? keys[KEY_W +: KEY_W] : keys[0 +: KEY_W];
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Match stage: combines the set's four rows, for a lookup and for an op.

    wire                hit_any   = hit_reg != 2'b00;
    wire [STATE_W-1:0]  hit_state = hit_reg[1] ? hit_states_reg[STATE_W +: STATE_W] : hit_states_reg[0 +: STATE_W];

    reg                 lookup_hit_reg, lookup_known_reg, lookup_due_reg;
    reg                 op_hit_reg;
    reg  [2:0]          op_entry_reg;                   // of the set: {row, bank}
    reg  [STATE_W-1:0]  op_state_reg;
    reg  [KEY_W-1:0]    best_key_reg;
    reg  [2:0]          best_entry_reg;

    always @(posedge clk) begin
        if (hit_lookup_reg && hit_any) begin
            lookup_hit_reg   <= 1'b1;
            lookup_known_reg <= hit_state[STATE_W-1];
            lookup_due_reg   <= hit_state[STATE_W-4];
        end
        if (lookup_valid) lookup_hit_reg <= 1'b0;

        if (hit_op_reg && hit_any) begin
            op_hit_reg   <= 1'b1;
            op_entry_reg <= {hit_at_reg, hit_reg[1]};
            op_state_reg <= hit_state;
        end
        if (hit_op_reg && key_reg < best_key_reg) begin
            best_key_reg   <= key_reg;
            best_entry_reg <= {hit_at_reg, second_reg};
        end
        if (!busy_reg) begin
            op_hit_reg   <= 1'b0;
            best_key_reg <= {KEY_W{1'b1}};
        end
        seen_reg   <= hit_last_reg && !rst;
        result_reg <= (seen_reg || result_reg) && !write && !rst;
    end

    assign lookup_found  = lookup_hit_reg && lookup_known_reg;
    assign lookup_wanted = !lookup_hit_reg || lookup_due_reg;

    // MAC addresses: one read for an entry that matches
    wire [2:0]       wr_entry = op_hit_reg ? op_entry_reg : best_entry_reg;
    wire             wr_mac_en;
    wire [ROW_W-1:0] mac_row = lookup_row | {{ROW_W-2{1'b0}}, hit_at_reg};

    ws_ram_sdp #(
        .DATA_W(48),
        .ADDR_W(INDEX_W),
        .STYLE("distributed")
    ) mac_ram (
        .clk(clk),
        .wr_en(wr_mac_en),
        .wr_addr({wr_row, wr_entry[0]}),
        .wr_data(op_mac),
        .rd_en(hit_lookup_reg && hit_any),
        .rd_addr({mac_row, hit_reg[1]}),
        .rd_data(lookup_mac)
`ifdef FORMAL
        ,
        .watch_addr(watch_1),
        .watch_data(mac_1),
        .watch_addr_2(watch_2),
        .watch_data_2(mac_2)
`endif
    );

    // ---------------------------------------------------------------------------------------------------------------
    // Write stage

    wire [1:0]         kind    = op_state_reg[STATE_W-1 -: 2];
    wire               due     = op_state_reg[STATE_W-4];
    wire [TIMER_W-1:0] timer   = op_state_reg[TIMER_W-1:0];
    wire               ends    = timer == {{TIMER_W-1{1'b0}}, 1'b1};
    wire               room    = !best_key_reg[KEY_W-1];

    reg                change;
    reg  [STATE_W-1:0] next_state;

    always @* begin
        change     = op_hit_reg || (op_code[0] && room);
        next_state = {PENDING, 2'b10, PENDING_S[TIMER_W-1:0]};
        if (visit_reg) begin
            change     = op_hit_reg;
            next_state = ends ? {STATE_W{1'b0}} :
                         {kind, 1'b0, kind == KNOWN ? timer <= HALF[TIMER_W-1:0]
                                      : timer > NEGATIVE_S[TIMER_W-1:0] && !op_state_reg[STATE_W-3], timer - 1'b1};
        end else if (op_code[1]) begin
            if (op_hit_reg && kind == STATIC) change = 1'b0;
            next_state = {KNOWN, 2'b10, REACHABLE_S[TIMER_W-1:0]};
        end else if (op_code[2])
            next_state = op_code[0] ? {STATIC, 2'b00, {TIMER_W{1'b0}}} : {STATE_W{1'b0}};
        else if (op_hit_reg) begin
            change     = due;
            next_state = {op_state_reg[STATE_W-1:STATE_W-3], 1'b0, timer};
        end
    end

    reg                change_reg;
    reg  [STATE_W-1:0] next_state_reg;
    wire               put = write && change_reg;

    always @(posedge clk) begin
        change_reg     <= change;
        next_state_reg <= next_state;
    end

    assign wr_row      = init_reg ? visit_index_reg[ROW_W-1:0] : op_row | {{ROW_W-2{1'b0}}, wr_entry[2:1]};
    assign wr_state    = init_reg ? {STATE_W{1'b0}} : next_state_reg;
    assign wr_state_en = {init_reg || (put && wr_entry[0]), init_reg || (put && !wr_entry[0])};
    assign wr_ip_en    = {put && !visit_reg && wr_entry[0], put && !visit_reg && !wr_entry[0]};
    assign wr_mac_en   = put && !visit_reg && op_code[2:1] != 2'b00;

    always @(posedge clk) begin
        op_ask         <= put && op_code[2:1] == 2'b00;
        evt_aged       <= put && visit_reg && ends && kind == KNOWN && !rst;
        evt_unanswered <= put && visit_reg && ends && kind == PENDING && !rst;
        evt_replaced   <= put && !visit_reg && !op_hit_reg && best_key_reg[KEY_W-2] && !rst;
        evt_full       <= write && !visit_reg && !op_hit_reg && op_code[0] && !room && !rst;
    end

`ifdef FORMAL
    // The two watched entries are arbitrary, so their properties hold for any two.
    reg                past_valid = 1'b0;
    reg                learned_ref;     // the watched address was learned or set since reset
    reg  [INDEX_W-1:0] found_ref;       // the entry that the lookup has found
    reg  [5:0]         ages_ref;        // lookups in progress: bit n is high n + 1 cycles after lookup_valid
    reg  [31:0]        lookup_ip_ref;
    reg                op_waits_ref;    // an op was pending in the previous cycle
    reg  [82:0]        op_ref;
    reg                done_ref, refused_ref;   // an op has just ended; no entry was allocated
    wire [1:0]         here;            // the watched entry holds the watched address
    wire               learns  = op_code[1] || op_code == SET;
    wire               looking = lookup_valid || lookup_in_reg != 5'd0;

    generate
        for (b = 0; b < 2; b = b + 1) begin : gen_watch
            wire [INDEX_W-1:0] index     = b == 0 ? watch_1 : watch_2;
            wire [ROW_W-1:0]   row       = index[INDEX_W-1:1];
            wire               bank      = index[0];
            wire [STATE_W-1:0] entry     = b == 0 ? states_1[STATE_W*bank +: STATE_W]
                                                  : states_2[STATE_W*bank +: STATE_W];
            wire [31:0]        ip        = b == 0 ? ips_1[32*bank +: 32] : ips_2[32*bank +: 32];
            wire [47:0]        mac       = b == 0 ? mac_1 : mac_2;
            wire [1:0]         kind      = entry[STATE_W-1 -: 2];
            wire               fresh     = entry[STATE_W-3];
            wire [TIMER_W-1:0] left      = entry[TIMER_W-1:0];
            wire               freed     = !init_reg || visit_index_reg[ROW_W-1:0] > row;
            wire               live      = kind != FREE && freed;
            wire               in_op     = (op_row | {{ROW_W-2{1'b0}}, row[1:0]}) == row;
            wire               in_lookup = (lookup_row | {{ROW_W-2{1'b0}}, row[1:0]}) == row;
            wire               cmp_here  = cmp_at_reg == row[1:0];
            wire               hit_here  = hit_at_reg == row[1:0];
            // an op or visit, a lookup, has seen the row
            wire               op_past   = busy_reg && (!read_reg || read_at_reg > row[1:0])
                                         && !(cmp_op_reg && cmp_here) && !(hit_op_reg && hit_here);
            wire               lookup_past = (lookup_in_reg >> (row[1:0] + 3'd2)) != 0 || lookup_done_reg;
            wire               match     = visit_reg ? index[2:0] == visit_index_reg[2:0]
                                                       && (kind == PENDING || kind == KNOWN)
                                                     : live && ip == op_ip;
            wire [KEY_W-1:0]   key       = {kind == STATIC || (fresh && op_code != SET), kind[1], left};
            wire               to_it     = put && wr_row == row && wr_entry[0] == bank;
            wire               hit_it    = op_hit_reg && op_entry_reg == index[2:0];
            wire               best_it   = best_key_reg != {KEY_W{1'b1}} && best_entry_reg == index[2:0];
            reg  [47:0]        mac_ref;         // learned last

            assign here[b] = live && ip == watch_ip;

            reg  [2:0]         written_ref;     // has just been written, by an op, by an ASK
            reg  [31:0]        written_ip_ref;
            reg  [2:0]         events_ref;      // caused by that write

            always @(posedge clk) begin
                if (to_it && !visit_reg && learns) mac_ref <= op_mac;
                written_ref    <= {3{to_it && !rst}} & {1'b1, !visit_reg, !visit_reg && op_code == 3'b001};
                written_ip_ref <= op_ip;
                events_ref     <= {visit_reg && kind == KNOWN && left == 1, visit_reg && kind == PENDING && left == 1,
                                   !visit_reg && kind == KNOWN && ip != op_ip};
            end

            always @* if (past_valid) begin
                // a static entry is changed by SET and CLEAR only
                if (to_it && kind == STATIC) assert (!visit_reg && op_code[2]);
                // an entry is replaced only if the address is absent, before its first visit only by a static one,
                // a static one never; and then it is the one with the least time left, see below
                if (to_it && live && !visit_reg && ip != op_ip)
                    assert (op_code[0] && !op_hit_reg && kind != STATIC && (!fresh || op_code == SET));
                if (op_past && in_op && !visit_reg) assert (best_key_reg <= key);
                // a visit takes one second from the entry's time, and frees the entry when none is left
                if (to_it && visit_reg) begin
                    assert (index == visit_index_reg);
                    assert (next_state_reg == 0 ? left == 1 : next_state_reg[STATE_W-1 -: 2] == kind
                                                              && next_state_reg[TIMER_W-1:0] == left - 1'b1);
                    if (next_state_reg != 0) assert (!next_state_reg[STATE_W-3] && next_state_reg[STATE_W-4]
                        == (kind == KNOWN ? left <= HALF : left > NEGATIVE_S && !fresh));
                end
                if (write && visit_reg && index == visit_index_reg && live && kind != STATIC) assert (to_it);
                // an op has its specified effect
                if (write && !visit_reg && live && ip == op_ip) begin
                    assert (to_it == (op_code[2] || (op_code[1] ? kind != STATIC : entry[STATE_W-4])) || !hit_it);
                    if (to_it && op_code == 3'b001) assert (next_state_reg == {kind, fresh, 1'b0, left});
                end
                if (to_it && !visit_reg && op_code[1])
                    assert (next_state_reg == {KNOWN, 2'b10, REACHABLE_S[TIMER_W-1:0]});
                if (to_it && op_code == SET && !visit_reg) assert (next_state_reg == {STATIC, {STATE_W-2{1'b0}}});
                if (to_it && op_code == 3'b100 && !visit_reg) assert (next_state_reg == 0);
                if (to_it && !visit_reg && op_code == 3'b001 && !op_hit_reg)
                    assert (next_state_reg == {PENDING, 2'b10, PENDING_S[TIMER_W-1:0]});
                if (written_ref[1]) assert (ip == written_ip_ref && op_ask == written_ref[0]);
                // each freed or replaced entry is counted
                if (written_ref[2]) assert ({evt_aged, evt_unanswered, evt_replaced} == events_ref);

                // an entry is found, with the last learned MAC address
                if (lookup_done && live && ip == lookup_ip) assert (lookup_hit_reg);
                if (lookup_done && lookup_hit_reg && found_ref == index) begin
                    assert (live && ip == lookup_ip);
                    assert (lookup_found == kind[1] && lookup_wanted == entry[STATE_W-4]);
                    if (lookup_found) assert (lookup_mac == mac_ref);
                    // an address that was never learned is not known
                    if (lookup_found && lookup_ip == watch_ip) assert (learned_ref);
                end
                if (here[b] && kind[1]) assert (learned_ref);

                // inside: freed once, before anything else; a free entry is all 0, a static one has no timer
                if ((init_reg || cmp_blank_reg) && freed) assert (kind == FREE);
                if (freed && (kind == FREE || kind == STATIC)) assert (entry[STATE_W-3:0] == 0);
                if (freed && kind == PENDING) assert (left - 1'b1 < PENDING_S);
                if (freed && kind == KNOWN) assert (left - 1'b1 < REACHABLE_S);
                if (freed && kind[1]) assert (mac == mac_ref);
                if (live && ROW_W > 2) assert (row >> 2 == ip % (ENTRIES / 8));

                // an op and a lookup see the entry's current state
                if (cmp_op_reg && cmp_here && in_op)
                    assert (ips[32*bank +: 32] == ip && states[STATE_W*bank +: STATE_W] == entry);
                if (hit_op_reg && hit_here && in_op) begin
                    assert (hit_states_reg[STATE_W*bank +: STATE_W] == entry && hit_reg[bank] == match);
                    assert (visit_reg || second_reg != bank || key_reg == key);
                    assert (visit_reg || key_reg <= key);
                end
                if (op_past && in_op && match) assert (op_hit_reg);
                if (op_past && in_op && hit_it) assert (match && op_state_reg == entry);
                if (busy_reg && !op_past && in_op) assert (!hit_it && (visit_reg || !best_it));
                if (op_past && in_op && !visit_reg && best_it) assert (best_key_reg == key);

                if (cmp_lookup_reg && cmp_here && in_lookup && !cmp_blank_reg && !init_reg)
                    assert (ips[32*bank +: 32] == ip && states[STATE_W*bank +: STATE_W] == entry);
                if (hit_lookup_reg && hit_here && in_lookup)
                    assert (hit_reg[bank] == (live && ip == lookup_ip)
                            && (!hit_reg[bank] || hit_states_reg[STATE_W*bank +: STATE_W] == entry));
                if (lookup_past && in_lookup && live && ip == lookup_ip) assert (lookup_hit_reg);
                if (lookup_in_reg != 0 && !lookup_past && lookup_hit_reg) assert (found_ref != index);
                if (lookup_past && lookup_hit_reg && found_ref == index)
                    assert (in_lookup && live && ip == lookup_ip && lookup_known_reg == kind[1]
                            && lookup_due_reg == entry[STATE_W-4] && lookup_mac == mac);
            end
        end
    endgenerate

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (put && !visit_reg && op_ip == watch_ip && learns) learned_ref <= 1'b1;
        ages_ref   <= {ages_ref[4:0], lookup_valid};
        if (rst) begin
            learned_ref <= 1'b0;
            ages_ref    <= 6'd0;
        end
        if (hit_lookup_reg && hit_any) found_ref <= {mac_row, hit_reg[1]};
        op_waits_ref  <= op_valid && !op_done && !rst;
        op_ref        <= {op_code, op_ip, op_mac};
        lookup_ip_ref <= lookup_ip;
        done_ref      <= write && !visit_reg;
        refused_ref   <= write && !change_reg && op_code[0];
        cover (past_valid && lookup_done && lookup_found && lookup_mac == 48'h123456789abc);
        cover (past_valid && op_done && op_ask && $past(lookup_done));
    end

    always @* begin
        if (!past_valid) assume (rst);
        else begin
            // the contract of the two ports
            assume (op_code >= 3'd1 && op_code <= 3'd5);
            if (op_waits_ref) assume (op_valid && {op_code, op_ip, op_mac} == op_ref);
            if (ages_ref != 0) assume (!lookup_valid && lookup_ip == lookup_ip_ref);

            // an address is never in the table twice
            if (watch_1 != watch_2) assert (here != 2'b11);
            // the entry allocated is free, else pending, else the known one of the set with the least time left
            if (gen_watch[0].to_it && !visit_reg && !op_hit_reg && gen_watch[1].in_op)
                assert (gen_watch[0].key <= gen_watch[1].key && !gen_watch[0].key[KEY_W-1]);
            // a lookup sees one state of the table, and takes 6 cycles
            if (looking) assert (!put);
            assert ({lookup_done, lookup_in_reg} == ages_ref);
            if (op_done) assert (done_ref);
            if (evt_full) assert (refused_ref);

            // inside: the progress of an op or a lookup
            if (init_reg) assert (!visit_index_reg[INDEX_W-1]);
            if (init_reg || cmp_blank_reg) assert (!busy_reg);
            if (init_reg && cmp_lookup_reg) assert (cmp_blank_reg);
            assert ((lookup_in_reg & (lookup_in_reg - 1'b1)) == 0 && !(lookup_in_reg != 0 && lookup_done_reg));
            assert (lookup_at_reg == {lookup_in_reg[1] || lookup_in_reg[2], lookup_in_reg[0] || lookup_in_reg[2]});
            assert (cmp_lookup_reg == (lookup_in_reg[3:0] != 4'd0) && hit_lookup_reg == (lookup_in_reg[4:1] != 4'd0));
            if (cmp_lookup_reg) assert (cmp_at_reg + 2'd1 == lookup_at_reg && cmp_ip_reg == lookup_ip);
            if (hit_lookup_reg && cmp_lookup_reg) assert (hit_at_reg + 2'd1 == cmp_at_reg);
            if (hit_lookup_reg && !cmp_lookup_reg) assert (hit_at_reg == 2'd3);
            assert (!(cmp_op_reg && cmp_lookup_reg) && !(hit_op_reg && hit_lookup_reg));
            if (busy_reg && !visit_reg) assert (op_valid && !op_done);
            if (busy_reg) assert (read_reg || cmp_last_reg || hit_last_reg || seen_reg || result_reg);
            if (read_reg || seen_reg || result_reg || cmp_op_reg || hit_op_reg) assert (busy_reg && !init_reg);
            if (read_reg) assert (!cmp_last_reg && !hit_last_reg && !seen_reg && !result_reg);
            if (seen_reg || result_reg) assert (!cmp_op_reg && !hit_op_reg);
            assert (!(seen_reg && result_reg) && !(hit_last_reg && cmp_op_reg));
            assert (cmp_last_reg == (cmp_op_reg && cmp_at_reg == 2'd3));
            assert (hit_last_reg == (hit_op_reg && hit_at_reg == 2'd3));
            if (!read_reg) assert (read_at_reg == 2'd0);
            if (cmp_op_reg) assert (read_at_reg == cmp_at_reg + 2'd1 && (visit_reg || cmp_ip_reg == op_ip));
            if (hit_op_reg) assert (hit_at_reg + {1'b0, cmp_op_reg} + 2'd1 == read_at_reg);
            if (cmp_op_reg && cmp_at_reg == 2'd0) assert (!hit_op_reg);
            if (hit_op_reg && visit_reg && hit_any)
                assert ({hit_at_reg, hit_reg[1]} == visit_index_reg[2:0] && hit_reg != 2'b11);
            if (busy_reg && visit_reg && op_hit_reg) assert (op_entry_reg == visit_index_reg[2:0]);
            if (result_reg) assert (next_state_reg == next_state && change_reg == change);
        end
    end
`endif

endmodule

`default_nettype wire
