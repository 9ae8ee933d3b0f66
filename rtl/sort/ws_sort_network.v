// SPDX-License-Identifier: Apache-2.0
//
// ws_sort_network: sorts N elements at once, in ascending order of their keys.
//
// An element is {key, payload}, a key an unsigned number (see ws_less). Element 0 is in the least significant bits of
// s_data and m_data, and has the smallest key on m_data. Layers of comparators do the work; the circuit is their logic
// alone, a pipeline, or a few comparators that take every layer in turn.
//
// Parameters   N            elements, 2 to 64
//              KEY_W        width of a key in bits, at least 1
//              PAYLOAD_W    width of a payload in bits, at least 0
//              KIND         the network, "EVEN_ODD", "BITONIC", "TRANSPOSITION" or "BEST"; "EVEN_ODD" and "BITONIC"
//                           merge sorted halves, "TRANSPOSITION" compares neighbours, "BEST" has the fewest comparators
//                           that are known here, see ws_sort_best.vh; above 32 elements it merges two such halves
//              CIRCUIT      how layers become a circuit, "COMBINATIONAL", "PIPELINED" or "REUSED"
//              STEP         "PIPELINED": layers between two registers, at least 1; there is a register after the last
//              SPLIT        1: a comparator compares in one cycle and exchanges in the next, "PIPELINED" only, for wide
//                           payloads; 0: it does both at once
//              COMPARATORS  "REUSED": comparators, at least 1
//              OUTPUTS      bit i: element i of m_data is used; elements that are not are 0, and synthesis removes the
//                           comparators that only they need
//              STABLE       1: equal keys keep their order, for which a key is ceil(log2(N)) bits wider inside; 0: the
//                           order of equal keys is not defined
// Latency      ceil(LAYERS/STEP) + LAYERS*SPLIT cycles; "COMBINATIONAL": 0; "REUSED": 1 + STEPS, where a layer takes
//              ceil(its comparators/COMPARATORS) STEPS
// Issue rate   1 set a cycle; "REUSED": in 1 + STEPS cycles
// Bad input    "REUSED": a set that arrives earlier is dropped, with evt_early high in the same cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), sections 6.2 to 6.4; K. E. Batcher, Sorting networks and their
//              applications (1968); D. E. Knuth, The Art of Computer Programming 3, section 5.3.4

`default_nettype none

module ws_sort_network #(
    parameter         N           = 8,
    parameter         KEY_W       = 32,
    parameter         PAYLOAD_W   = 0,
    parameter [103:0] KIND        = "EVEN_ODD",
    parameter [103:0] CIRCUIT     = "PIPELINED",
    parameter         STEP        = 1,
    parameter         SPLIT       = 0,
    parameter         COMPARATORS = 1,
    parameter [N-1:0] OUTPUTS     = {N{1'b1}},
    parameter         STABLE      = 0
) (
    input  wire                           clk,
    input  wire                           rst,

    input  wire                           s_valid,
    input  wire [N*(KEY_W+PAYLOAD_W)-1:0] s_data,

    output wire                           m_valid,
    output wire [N*(KEY_W+PAYLOAD_W)-1:0] m_data,

    output wire                           evt_early
);

    localparam PIPELINED = CIRCUIT == "PIPELINED";
    localparam REUSED    = CIRCUIT == "REUSED";

    initial begin
        if (N < 2 || N > 64) begin
            $display("ERROR: %m: N = %0d (2 to 64)", N);
            $finish;
        end
        if (KIND != "EVEN_ODD" && KIND != "BITONIC" && KIND != "TRANSPOSITION" && KIND != "BEST") begin
            $display("ERROR: %m: KIND = \"%0s\", must be EVEN_ODD, BITONIC, TRANSPOSITION or BEST", KIND);
            $finish;
        end
        if (!PIPELINED && !REUSED && CIRCUIT != "COMBINATIONAL") begin
            $display("ERROR: %m: CIRCUIT = \"%0s\", must be COMBINATIONAL, PIPELINED or REUSED", CIRCUIT);
            $finish;
        end
        if (KEY_W < 1 || PAYLOAD_W < 0 || STEP < 1 || COMPARATORS < 1) begin
            $display("ERROR: %m: KEY_W = %0d, STEP = %0d, COMPARATORS = %0d (at least 1), PAYLOAD_W = %0d (at least 0)",
                     KEY_W, STEP, COMPARATORS, PAYLOAD_W);
            $finish;
        end
        if ((SPLIT != 0 && (SPLIT != 1 || !PIPELINED)) || (STABLE != 0 && STABLE != 1)) begin
            $display("ERROR: %m: SPLIT = %0d (0, or 1 if CIRCUIT is PIPELINED), STABLE = %0d (0 or 1)", SPLIT, STABLE);
            $finish;
        end
    end

    `include "ws_sort_best.vh"
    `include "ws_sort_layers.vh"

    // Inside, an element is {key, place in s_data if STABLE, payload}.
    localparam DATA_W  = KEY_W + PAYLOAD_W;
    localparam PLACE_W = STABLE != 0 ? $clog2(N) : 0;
    localparam W       = KEY_W + PLACE_W + PAYLOAD_W;

    wire [N*W-1:0] unsorted, sorted;

    genvar l, i;
    generate
        for (i = 0; i < N; i = i + 1) begin : gen_element
            localparam [31:0]  PLACE  = i;
            wire [DATA_W-1:0]  from   = s_data[i*DATA_W +: DATA_W];
            wire [W-1:0]       to     = sorted[i*W +: W];
            wire               unused = &{1'b0, to};    // its place

            assign unsorted[i*W + W - KEY_W +: KEY_W] = from[PAYLOAD_W +: KEY_W];
            if (PLACE_W != 0) begin : gen_place
                assign unsorted[i*W + PAYLOAD_W +: PLACE_W] = PLACE[PLACE_W-1:0];
            end
            if (PAYLOAD_W != 0) begin : gen_payload
                assign unsorted[i*W +: PAYLOAD_W]    = from[PAYLOAD_W-1:0];
                assign m_data[i*DATA_W +: PAYLOAD_W] = OUTPUTS[i] ? to[PAYLOAD_W-1:0] : {PAYLOAD_W{1'b0}};
            end
            assign m_data[i*DATA_W + PAYLOAD_W +: KEY_W] = OUTPUTS[i] ? to[W-1 -: KEY_W] : {KEY_W{1'b0}};
        end

        if (!REUSED) begin : gen_layers
            localparam LATENCY = PIPELINED ? (LAYERS + STEP - 1)/STEP + LAYERS*SPLIT : 0;

            for (l = 0; l < LAYERS; l = l + 1) begin : gen_layer
                localparam REGISTER = PIPELINED && ((l + 1) % STEP == 0 || l == LAYERS - 1) ? 1 : 0;
                wire [N*W-1:0] s, compared, m;

                if (l == 0) begin : gen_first
                    assign s = unsorted;
                end else begin : gen_next
                    assign s = gen_layer[l-1].m;
                end

                ws_sort_layer #(
                    .N(N), .KEY_W(KEY_W + PLACE_W), .PAYLOAD_W(PAYLOAD_W), .KIND(KIND), .SPLIT(SPLIT), .LAYER(l)
                ) exchanges (
                    .clk(clk), .s_data(s), .m_data(compared)
                );
                ws_shift #(.DATA_W(N*W), .N(REGISTER)) stage (.clk(clk), .s_data(compared), .m_data(m));
            end

            assign sorted    = gen_layer[LAYERS-1].m;
            assign evt_early = 1'b0;

            if (LATENCY == 0) begin : gen_wires
                wire unused = &{1'b0, clk, rst};
                assign m_valid = s_valid;
            end else begin : gen_valid
                reg  [LATENCY-1:0] valid_reg;
                wire [LATENCY:0]   valid = {valid_reg, s_valid};

                always @(posedge clk) valid_reg <= rst ? {LATENCY{1'b0}} : valid[LATENCY-1:0];

                assign m_valid = valid[LATENCY];
            end
        end else begin : gen_reused
            ws_sort_reused #(
                .N(N), .KEY_W(KEY_W + PLACE_W), .PAYLOAD_W(PAYLOAD_W), .KIND(KIND), .COMPARATORS(COMPARATORS)
            ) shared (
                .clk(clk), .rst(rst), .s_valid(s_valid), .s_data(unsorted), .m_valid(m_valid), .m_data(sorted),
                .evt_early(evt_early)
            );
        end
    endgenerate

`ifdef FORMAL
    // Two elements of each set are tagged, by bits 0 and 1 of their payloads, and found on m_data. Keys of one bit are
    // enough: by the 0-1 principle the network then sorts keys of any width.
    (* anyconst *) reg [$clog2(N)-1:0] first, second;
    reg                 past_valid = 1'b0;
    wire                due_ref;        // a set is due on m_data: in_ref
    wire [N*DATA_W-1:0] in_ref;
    reg  [N-1:0]        found, others;  // the places of the first and of the second one
    reg  [DATA_W-1:0]   out, next;
    integer             at;

    generate
        if (REUSED) begin : gen_held_ref
            localparam STEPS = steps(COMPARATORS);
            reg [N*DATA_W-1:0] held_ref;
            reg [STEPS:0]      age_ref;     // bit i: the set was taken i + 1 cycles ago
            wire               take_ref = s_valid && !(|age_ref[STEPS-1:0]);

            always @(posedge clk) begin
                age_ref <= rst ? 0 : {age_ref, take_ref};
                if (take_ref) held_ref <= s_data;
                if (past_valid) assert (evt_early == (s_valid && !take_ref));
                cover (past_valid && evt_early);
            end

            assign due_ref = age_ref[STEPS];
            assign in_ref  = held_ref;
        end else if (PIPELINED) begin : gen_past_ref
            reg  [gen_layers.LATENCY-1:0]          due;
            reg  [gen_layers.LATENCY*N*DATA_W-1:0] sets;

            always @(posedge clk) begin
                due  <= rst ? 0 : {due, s_valid};
                sets <= {sets, s_data};
                if (past_valid) assert (due == gen_layers.gen_valid.valid_reg);
            end

            assign due_ref = due[gen_layers.LATENCY-1];
            assign in_ref  = sets[gen_layers.LATENCY*N*DATA_W-1 -: N*DATA_W];
        end else begin : gen_now_ref
            assign due_ref = s_valid;
            assign in_ref  = s_data;
        end
    endgenerate

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (rst);
        assume (first < second && second < N);
        for (at = 0; at < N; at = at + 1) assume (s_data[at*DATA_W +: 2] == {at == second, at == first});
        if (past_valid) assert (m_valid == due_ref);
        if (past_valid && m_valid) begin
            for (at = 0; at < N; at = at + 1) begin
                out        = m_data[at*DATA_W +: DATA_W];
                next       = m_data[(at + 1) % N*DATA_W +: DATA_W];
                found[at]  = out[0];
                others[at] = out[1];
                if (!OUTPUTS[at]) assert (out == 0);
                if (out[0]) assert (out == in_ref[first*DATA_W +: DATA_W]);
                if (out[1]) assert (out == in_ref[second*DATA_W +: DATA_W]);
                if (at < N - 1 && OUTPUTS[at] && OUTPUTS[(at + 1) % N])
                    assert (out[DATA_W-1 -: KEY_W] <= next[DATA_W-1 -: KEY_W]);
            end
            if (&OUTPUTS) assert (found != 0 && (found & found - 1) == 0 && others != 0 && (others & others - 1) == 0);
            if (STABLE != 0 && in_ref[first*DATA_W + PAYLOAD_W +: KEY_W] == in_ref[second*DATA_W + PAYLOAD_W +: KEY_W])
                assert (found < others);
        end
        cover (past_valid && m_valid && found != 0 && m_data != in_ref);
    end
`endif

endmodule

`default_nettype wire
