// SPDX-License-Identifier: Apache-2.0
//
// ws_fjoin_group: basic join units of FJoin that see a window tuple in the same cycle; a stage of ws_fjoin_chain.
//
// A unit holds two probes: the current one, which it joins, and the next one. A slot of the pipeline carries a window
// tuple and, independently, a probe to load: the first unit without a next probe takes it, and a full group passes it
// on. A slot with START ends a pass: every unit replaces its probe by its next one, from this slot's window tuple on.
// A batch is therefore loaded while the one before it is joined.
//
// A slot never stalls: it leaves one cycle after it came. Registers that never wait need no enable, and one register
// drives the window's key to all units of the group.
//
// Parameters   UNITS  basic join units in the group, at least 1
//              PREDICATE, KEY_W, SIGNED, LIMIT_W  see ws_predicate
// Ports        s_*, m_*   the slot, from the previous and to the next group. window: it has a window tuple; start only
//                         with window; load: it has a probe; flush: passes through without effect
//              start must not follow a slot with a load in the next cycle: ws_fjoin_chain delays it by one cycle more
//              hits       the units whose probe matches the window tuple
// Latency      1 cycle; from slot to slot. From slot to hits: 1 + the predicate's cycles
// Issue rate   1 slot per cycle
// Source       Lin, Chen, Jin, SCIENTIA SINICA Informationis 52 (2022), section 3.2: basic join unit; loading in
//              parallel with the window tuples, START and the absence of stalls are ours

`default_nettype none

module ws_fjoin_group #(
    parameter        UNITS     = 8,
    parameter [31:0] PREDICATE = "L1",
    parameter        KEY_W     = 64,
    parameter        SIGNED    = 0,
    parameter        LIMIT_W   = 33
) (
    input  wire               clk,
    input  wire               rst,

    input  wire               s_load,
    input  wire               s_window,
    input  wire               s_start,
    input  wire               s_flush,
    input  wire [KEY_W-1:0]   s_load_key,
    input  wire [KEY_W-1:0]   s_window_key,
    input  wire [LIMIT_W-1:0] s_limit,

    output wire               m_load,
    output reg                m_window,
    output reg                m_start,
    output reg                m_flush,
    output reg  [KEY_W-1:0]   m_load_key,
    output reg  [KEY_W-1:0]   m_window_key,
    output reg  [LIMIT_W-1:0] m_limit,

    output wire [UNITS-1:0]   hits
);

    initial if (UNITS < 1) begin
        $display("ERROR: %m: UNITS = %0d (at least 1)", UNITS);
        $finish;
    end

    `include "ws_predicate.vh"

    localparam CYCLES = predicate_cycles(PREDICATE);

    // ---- Slot

    reg load_reg;

    always @(posedge clk) begin
        load_reg     <= s_load && !rst;
        m_window     <= s_window && !rst;
        m_start      <= s_start && !rst;
        m_flush      <= s_flush && !rst;
        m_load_key   <= s_load_key;
        m_window_key <= s_window_key;
        m_limit      <= s_limit;
    end

    // ---- Units: the next probes fill the units from unit 0 on; with START all become current

    reg  [UNITS-1:0] next_valid_reg, valid_reg;
    wire [UNITS:0]   room = {next_valid_reg, 1'b1};     // all units before this one are full
    wire [UNITS-1:0] take = {UNITS{load_reg}} & ~next_valid_reg & room[UNITS-1:0];

    assign m_load = load_reg && room[UNITS];

    always @(posedge clk) begin
        next_valid_reg <= s_start ? {UNITS{1'b0}} : next_valid_reg | take;
        if (s_start) valid_reg <= next_valid_reg;
        if (rst) begin
            next_valid_reg <= {UNITS{1'b0}};
            valid_reg      <= {UNITS{1'b0}};
        end
    end

    // A unit's probe may change while the predicate works on an earlier tuple, so its valid bit travels along.
    reg  [CYCLES*UNITS-1:0]     valids_reg;
    wire [(CYCLES+1)*UNITS-1:0] valids = {valids_reg, valid_reg};
    wire [UNITS-1:0]            match;

    always @(posedge clk) valids_reg <= valids[CYCLES*UNITS-1:0];

    assign hits = match & valids[CYCLES*UNITS +: UNITS];

    genvar i;
    generate
        for (i = 0; i < UNITS; i = i + 1) begin : gen_unit
            reg [KEY_W-1:0] next_key_reg, key_reg;

            always @(posedge clk) begin
                if (take[i]) next_key_reg <= m_load_key;
                if (s_start) key_reg <= next_key_reg;
            end

            ws_predicate #(.PREDICATE(PREDICATE), .KEY_W(KEY_W), .SIGNED(SIGNED), .LIMIT_W(LIMIT_W)) predicate (
                .clk(clk), .limit(m_limit), .window(m_window_key), .probe(key_reg), .match(match[i])
            );
        end
    endgenerate

`ifdef FORMAL
    // An arbitrary unit, with EQ. The reference counts loads; the units look at each other instead.
    (* anyconst *) reg [7:0] watch_any;
    wire [7:0]       watch = watch_any % UNITS;
    reg              past_valid = 1'b0;
    integer          count_ref;                     // loads since START, including those passed on, at most UNITS
    reg [KEY_W-1:0]  next_ref, probe_ref;
    reg              next_given_ref, given_ref;
    reg              load_ref, hit_ref, window_ref;
    reg [KEY_W-1:0]  load_key_ref;
    integer          n;
    reg              hit, valid, next_valid;
    reg [KEY_W-1:0]  key, next_key;

    wire [UNITS*KEY_W-1:0] keys, next_keys;
    generate
        for (i = 0; i < UNITS; i = i + 1) begin : gen_watch
            assign keys[i*KEY_W +: KEY_W]      = gen_unit[i].key_reg;
            assign next_keys[i*KEY_W +: KEY_W] = gen_unit[i].next_key_reg;
        end
    endgenerate

    always @* begin
        {hit, valid, next_valid} = 0;
        key      = 0;
        next_key = 0;
        for (n = 0; n < UNITS; n = n + 1) if (n == watch) begin
            hit        = hits[n];
            valid      = valid_reg[n];
            next_valid = next_valid_reg[n];
            key        = keys[n*KEY_W +: KEY_W];
            next_key   = next_keys[n*KEY_W +: KEY_W];
        end
    end

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        load_ref     <= s_load && !rst;
        load_key_ref <= s_load_key;
        // a load is in the slot of the START before it at the earliest
        if (s_start) begin
            count_ref      <= 0;
            probe_ref      <= next_ref;
            given_ref      <= next_given_ref;
            next_given_ref <= 1'b0;
        end else if (load_ref && count_ref < UNITS) begin
            count_ref <= count_ref + 1;
            if (count_ref == watch) begin
                next_ref       <= load_key_ref;
                next_given_ref <= 1'b1;
            end
        end
        hit_ref <= given_ref && probe_ref == m_window_key;
        if (rst) begin
            count_ref <= 0;
            {given_ref, next_given_ref} <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            if (s_start) assume (s_window && !load_ref);

            // everything passes on, except for the loads that are taken
            assert (m_load == (load_ref && count_ref == UNITS));
            assert ({m_window, m_start, m_flush} == ($past(rst) ? 3'd0 : $past({s_window, s_start, s_flush})));
            assert ({m_load_key, m_window_key, m_limit} == $past({s_load_key, s_window_key, s_limit}));
            // exactly one unit takes a load, the first that is empty
            assert (|take == (load_ref && count_ref < UNITS));
            // the unit joins the probe loaded into it, and only if there was one
            if ($past(past_valid && !rst) && !rst) assert (hit == hit_ref);

            // invariants for the induction
            assert (count_ref >= 0 && count_ref <= UNITS && load_reg == load_ref);
            assert (!load_ref || m_load_key == load_key_ref);
            assert (next_given_ref == (watch < count_ref) && next_valid == next_given_ref && valid == given_ref);
            for (n = 0; n < UNITS; n = n + 1) assert (next_valid_reg[n] == (n < count_ref));
            assert (!next_given_ref || next_key == next_ref);
            assert (!given_ref || key == probe_ref);
        end
        cover (past_valid && hit && watch == UNITS - 1 && m_load);
        cover (past_valid && count_ref == 1 && $past(m_start) && !given_ref && next_given_ref);
    end
`endif

endmodule

`default_nettype wire
