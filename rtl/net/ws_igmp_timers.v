// SPDX-License-Identifier: Apache-2.0
//
// ws_igmp_timers: timers of ws_igmp: the version in force, random delays, and the response timer.
//
// `draw` draws a random delay and starts the response timer with it, unless the timer is running and has less time
// left. `expired` stays high until `take`. A change of version stops the timer.
//
// A delay is below its limit: 1 s between the two reports of a join or leave (versions 1 and 2: 10 s), and the maximum
// response time for a query. The limit is a mantissa, in units of 0.1 s, times a power of two. Mantissas are drawn
// until one is below the limit's; then two random bits are appended, for units of 25 ms, and one for each power of two.
//
// Parameters   OLDER_QUERIER_S  see ws_igmp
// Latency      draw -> drawn: 2 cycles, one more for each mantissa that is rejected (fewer than one on average), and
//              one more for each power of two
// Source       RFC 2236, section 4; RFC 3376, sections 4.1.1, 5.2, 7.2.1 and 8.12

`default_nettype none

module ws_igmp_timers #(
    parameter OLDER_QUERIER_S = 260
) (
    input  wire       clk,
    input  wire       rst,
    input  wire       tick_ms,
    input  wire [7:0] seed,                             // a byte in which hosts differ

    input  wire       heard_v1,                         // one cycle for each query of version 1
    input  wire       heard_v2,                         // and of version 2
    output wire       v3,                               // version 3 is in force
    output wire       v1,
    output wire       version_changes,

    input  wire       draw,                             // stays high until drawn
    input  wire       first,                            // since the cycle before draw: the delay follows a first report
    input  wire       held_long,                        // otherwise it answers this query, see ws_igmp_receive
    input  wire       held_v1,
    input  wire [7:0] held_code,
    output wire       drawn,

    output wire       expired,
    input  wire       take
);

    localparam [1:0] V3 = 2'd0, V2 = 2'd1, V1 = 2'd2;

    // ---------------------------------------------------------------------------------------------------------------
    // Clocks of 25 ms and 1 s, and the version that they time out.

    localparam OLDER_W = $clog2(OLDER_QUERIER_S + 2);
    localparam [OLDER_W-1:0] OLDER = OLDER_QUERIER_S[OLDER_W-1:0] + 1'b1;      // the first second may be a short one

    reg  [4:0]         ms_reg;                          // counts down from 24
    reg  [5:0]         unit_reg;                        // counts down from 39
    reg                unit_tick_reg, second_tick_reg;
    reg  [OLDER_W-1:0] v1_left_reg, v2_left_reg;        // seconds
    reg  [1:0]         version_reg;
    wire [1:0]         version = v1_left_reg != 0 ? V1 : v2_left_reg != 0 ? V2 : V3;

    assign version_changes = version != version_reg;
    assign v3 = version_reg == V3;
    assign v1 = version_reg == V1;

    always @(posedge clk) begin
        unit_tick_reg   <= tick_ms && ms_reg == 5'd0;
        second_tick_reg <= unit_tick_reg && unit_reg == 6'd0;
        if (tick_ms) ms_reg <= ms_reg == 5'd0 ? 5'd24 : ms_reg - 5'd1;
        if (unit_tick_reg) unit_reg <= unit_reg == 6'd0 ? 6'd39 : unit_reg - 6'd1;

        if (heard_v1) v1_left_reg <= OLDER;
        else if (second_tick_reg && v1_left_reg != 0) v1_left_reg <= v1_left_reg - 1'b1;
        if (heard_v2) v2_left_reg <= OLDER;
        else if (second_tick_reg && v2_left_reg != 0) v2_left_reg <= v2_left_reg - 1'b1;
        version_reg <= version;
        if (rst) begin
            ms_reg          <= 5'd24;
            unit_reg        <= 6'd39;
            unit_tick_reg   <= 1'b0;
            second_tick_reg <= 1'b0;
            v1_left_reg     <= {OLDER_W{1'b0}};
            v2_left_reg     <= {OLDER_W{1'b0}};
            version_reg     <= V3;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Draw

    localparam [1:0] STATE_MANTISSA = 2'd0,
                     STATE_SHIFT    = 2'd1,             // appends a bit for each power of two
                     STATE_SET      = 2'd2;             // starts the timer

    reg  [1:0]  state_reg;
    reg  [3:0]  shift_reg;                              // bits still to append
    reg  [15:0] lfsr_reg;
    reg  [16:0] delay_reg;                              // in units of 25 ms
    reg  [7:0]  limit_reg;                              // mantissa of the limit; valid when the draw begins
    wire        floats = !first && held_long && held_code[7];

    // The seed makes hosts that start together draw different delays. The mask clears the bits above the limit's
    // highest, so that at least every other draw is below the limit.
    wire [7:0]  mask_2   = limit_reg | limit_reg >> 1;
    wire [7:0]  mask_4   = mask_2 | mask_2 >> 2;
    wire [7:0]  mask     = mask_4 | mask_4 >> 4;
    wire [7:0]  mantissa = (lfsr_reg[15:8] ^ seed) & mask;
    wire        accept   = mantissa < limit_reg || limit_reg == 8'd0;

    assign drawn = state_reg == STATE_SET;

    always @(posedge clk) begin
        limit_reg <= first ? (v3 ? 8'd10 : 8'd100) : held_v1 ? 8'd100 : floats ? {4'b0001, held_code[3:0]} : held_code;
        lfsr_reg <= {lfsr_reg[14:0], lfsr_reg[15] ^ lfsr_reg[14] ^ lfsr_reg[12] ^ lfsr_reg[3]};
        case (state_reg)
            STATE_MANTISSA: if (draw) begin
                delay_reg <= limit_reg == 8'd0 ? 17'd0 : {7'b0, mantissa, lfsr_reg[7], lfsr_reg[6] || first};
                shift_reg <= floats ? {1'b0, held_code[6:4]} + 4'd3 : 4'd0;
                if (accept) state_reg <= STATE_SHIFT;
            end
            STATE_SHIFT:
                if (shift_reg == 4'd0) state_reg <= STATE_SET;
                else begin
                    delay_reg <= {delay_reg[15:0], lfsr_reg[6]};
                    shift_reg <= shift_reg - 4'd1;
                end
            default: state_reg <= STATE_MANTISSA;
        endcase
        if (rst) begin
            state_reg <= STATE_MANTISSA;
            lfsr_reg  <= 16'd1;
        end
    end

    // ---------------------------------------------------------------------------------------------------------------
    // Response timer

    reg         running_reg;
    reg  [16:0] timer_reg;                              // in units of 25 ms

    assign expired = running_reg && timer_reg == 17'd0;

    always @(posedge clk) begin
        if (unit_tick_reg && timer_reg != 17'd0) timer_reg <= timer_reg - 17'd1;
        if (take && timer_reg == 17'd0) running_reg <= 1'b0;
        if (drawn) begin
            if (!running_reg || delay_reg < timer_reg) timer_reg <= delay_reg;
            running_reg <= 1'b1;
        end
        if (rst || version_changes) running_reg <= 1'b0;
    end

endmodule

`default_nettype wire
