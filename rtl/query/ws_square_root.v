// SPDX-License-Identifier: Apache-2.0
//
// ws_square_root: the operator that computes the integer part of a square root, y*y <= a < (y + 1)*(y + 1), pipelined.
//
// Digit by digit without restoring: a step brings two bits of the number down to the remainder, subtracts or adds as
// the remainder is positive or negative, and the new sign is a bit of the root. A chain of units performs the steps;
// each unit takes as many of them for one tuple as fit before the next: the area is about 1/INTERVAL, and the latency
// is the same.
//
// Parameters   A_W         width of the number in bits, at least 1
//              DATA_W      width of the tuple in bits, at least 1
//              FAST        1: a step takes its operands in one cycle and adds them in the next, for wide numbers; 0: one
//                          cycle
//              INTERVAL    least distance of two tuples in cycles, at least 1
// Latency      ceil(A_W/2) * (1 + FAST) cycles
// Issue rate   1 tuple in INTERVAL cycles; other items at any time
// Overflow     none: a root has half as many bits as its number
// Bad input    a is unsigned, so that every number has a root. If two tuples are less than INTERVAL apart, the root of
//              the first is lost, and its y is undefined
// Source       Y. Li, W. Chu, A New Non-Restoring Square Root Algorithm and Its VLSI Implementations, ICCD 1996

`default_nettype none

module ws_square_root #(
    parameter A_W      = 64,
    parameter DATA_W   = 128,
    parameter FAST     = 0,
    parameter INTERVAL = 1
) (
    input  wire                   clk,
    input  wire                   rst,

    input  wire                   s_valid,
    input  wire                   s_punct,
    input  wire                   s_eos,
    input  wire [DATA_W-1:0]      s_data,
    input  wire [A_W-1:0]         a,          // of the tuple on s_*

    output wire                   m_valid,
    output wire                   m_punct,
    output wire                   m_eos,
    output wire [DATA_W-1:0]      m_data,
    output wire [(A_W+1)/2-1:0]   y           // of the tuple on m_*
);

    localparam CYCLES  = 1 + FAST;                                  // of a step
    localparam STEPS   = (A_W + 1) / 2;                             // bits of the root
    localparam RUN     = INTERVAL < CYCLES ? 1 : INTERVAL / CYCLES; // steps that a unit makes for one tuple
    localparam UNITS   = (STEPS + RUN - 1) / RUN;
    localparam LATENCY = STEPS * CYCLES;

    initial if (A_W < 1 || INTERVAL < 1 || (FAST != 0 && FAST != 1)) begin
        $display("ERROR: %m: A_W = %0d (at least 1), FAST = %0d (0 or 1), INTERVAL = %0d (at least 1)", A_W, FAST,
                 INTERVAL);
        $finish;
    end

    // When a unit begins a tuple: RUN steps after the previous unit. No reset: a tuple from before the reset stays
    // ahead of the tuples after it, in each unit.
    wire [UNITS-1:0] begins;
    genvar k;
    generate
        if (INTERVAL > 1) begin : gen_begins
            localparam LAST = (UNITS-1) * RUN * CYCLES;
            reg  [LAST:0]   begins_reg;
            wire [LAST+1:0] since = {begins_reg, s_valid};      // bit n: a tuple entered n cycles ago
            wire            unused = since[LAST+1];

            always @(posedge clk) begins_reg <= since[LAST:0];
            for (k = 0; k < UNITS; k = k + 1) begin : gen_begin
                assign begins[k] = since[k*RUN*CYCLES];
            end
        end else begin : gen_always
            assign begins = {UNITS{1'b1}};
        end
    endgenerate

    // A unit has the bits of the number that are left, those of the root so far, and the remainder: after n bits of the
    // root it is at least -2**(n + 1) and less than 2**(n + 1), and its sign is the inverse of the last of them.
    generate
        for (k = 0; k < UNITS; k = k + 1) begin : unit
            localparam LEFT = 2 * (STEPS - k*RUN);                          // bits of the number as the unit begins
            localparam DONE = (k + 1)*RUN < STEPS ? (k + 1)*RUN : STEPS;    // bits of the root as it ends
            reg  [LEFT-1:0] left_reg;
            reg  [DONE-1:0] root_reg;
            reg  [DONE:0]   remainder_reg;
            wire [LEFT-1:0] left_taken;
            wire [DONE-1:0] root_taken;
            wire [DONE:0]   remainder_taken;
            wire [LEFT-1:0] left      = begins[k] ? left_taken : left_reg;
            wire [DONE-1:0] root      = begins[k] ? root_taken : root_reg;
            wire [DONE:0]   remainder = begins[k] ? remainder_taken : remainder_reg;

            if (k == 0) begin : gen_first
                wire [LEFT:0] number = {{(LEFT-A_W+1){1'b0}}, a};
                wire          unused = number[LEFT];
                assign left_taken      = number[LEFT-1:0];
                assign root_taken      = {DONE{1'b0}};
                assign remainder_taken = {(DONE+1){1'b0}};
            end else begin : gen_next
                localparam MORE = DONE - k*RUN;
                assign left_taken      = unit[k-1].left_reg[2*RUN +: LEFT];
                assign root_taken      = {{MORE{1'b0}}, unit[k-1].root_reg};
                assign remainder_taken = {{MORE{!unit[k-1].root_reg[0]}}, unit[k-1].remainder_reg};
            end

            // -(4*root + 1) after a positive remainder, 4*root + 3 after a negative one
            wire [DONE+1:0] term    = {root ^ {DONE{!remainder[DONE]}}, 2'b11};
            wire [DONE+1:0] brought = {remainder[DONE-1:0], left[LEFT-1:LEFT-2]};
            wire [LEFT-1:0] left_now;
            wire [DONE-1:0] root_now;
            wire [DONE+1:0] brought_now, term_now;
            wire [DONE+1:0] sum     = term_now + brought_now;
            wire [DONE:0]   grown   = {root_now, !sum[DONE+1]};
            wire            unused  = grown[DONE];

            ws_shift #(.DATA_W(LEFT + 3*DONE + 4), .N(FAST)) operands (
                .clk   (clk),
                .s_data({left << 2, root, brought, term}),
                .m_data({left_now, root_now, brought_now, term_now})
            );

            always @(posedge clk) begin
                left_reg      <= left_now;
                root_reg      <= grown[DONE-1:0];
                remainder_reg <= sum[DONE:0];
            end
        end
    endgenerate

    assign y = unit[UNITS-1].root_reg;

    ws_delay #(.DATA_W(DATA_W), .N(LATENCY)) wire_delay (
        .clk    (clk),
        .rst    (rst),
        .s_valid(s_valid),
        .s_punct(s_punct),
        .s_eos  (s_eos),
        .s_data (s_data),
        .m_valid(m_valid),
        .m_punct(m_punct),
        .m_eos  (m_eos),
        .m_data (m_data)
    );

`ifdef FORMAL
    // The number is delayed with the tuple; the root is the one that the definition allows.
    localparam LONG = 2*STEPS + 3;
    wire [A_W-1:0]  a_ref;
    reg  [4:0]      cycles_ref = 5'd0, apart_ref = INTERVAL;
    wire [LONG-1:0] a_long = {{(LONG-A_W){1'b0}}, a_ref};
    wire [LONG-1:0] y_long = {{(LONG-STEPS){1'b0}}, y};

    ws_shift #(.DATA_W(A_W), .N(LATENCY)) reference (.clk(clk), .s_data(a), .m_data(a_ref));

    always @(posedge clk) begin
        cycles_ref <= cycles_ref + (cycles_ref < LATENCY);
        apart_ref  <= rst ? INTERVAL : s_valid ? 1 : apart_ref + (apart_ref < INTERVAL);
        if (cycles_ref == 0) assume (rst);
        assume (rst || !s_valid || apart_ref >= INTERVAL);
        assert (cycles_ref <= LATENCY);
        if (cycles_ref == LATENCY && (INTERVAL == 1 || m_valid)) begin
            assert (y_long * y_long <= a_long);
            assert ((y_long + 1) * (y_long + 1) > a_long);
        end
        cover (cycles_ref == LATENCY && m_valid && y[STEPS-1] && y_long * y_long != a_long);
        cover (cycles_ref == LATENCY && m_valid && (INTERVAL == 1 || apart_ref < INTERVAL));
    end
`endif

endmodule

`default_nettype wire
