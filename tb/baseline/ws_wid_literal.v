// SPDX-License-Identifier: Apache-2.0
//
// ws_wid_literal: the window-aggregate query circuit of the WID paper, transcribed to compare area against.
//
// Four stages, as in the paper's Fig. 2: compare the symbol; mask valid; N_WIN window-aggregation modules (Fig. 3),
// each with its own win_begin and win_end (algorithm 1), its own comparators (algorithm 2) and its own COUNT, SUM, MIN
// and MAX; a binary encoder of the eos signals selects the module whose result goes to the output registers.
//
// Interpretation of what the paper leaves open: latency 4 and a state that is reset on eos mean that each module has
// a result register at the end of stage 3, with the value and the window's end (the row's Time). That gives 155
// registers per module with 32-bit counts; the paper's table rises by 154.8 per module.
// Synthesis keeps only the operator that AGG selects, here as in the paper's query.
//
// Parameters   RANGE, SLIDE  in units of the windowing attribute
//              N_WIN         number of modules, from the paper's equations 1-2: (RANGE + SLACK) / SLIDE rounded up
//              WATTR_START   start of the first window
//              AGG           "COUNT", "SUM", "MIN" or "MAX", of the field Volume
//              AGG_W         width of the aggregates in bits, 32 to 64
// Tuple        {Symbol[31:0], Price[31:0], Volume[31:0], Time[31:0]}
// Result       m_data = {window's end[63:0], value[63:0], flags[7:0] = 0}; a row for every window, empty or not
// Latency      4 cycles from a closing punctuation to its row; no punctuation leaves
// Issue rate   1 tuple a cycle
// Overflow     the value wraps. A punctuation that closes several windows gives a wrong row.
// Source       Oge et al., MCSoC 2013, section V

`default_nettype none

module ws_wid_literal #(
    parameter        RANGE       = 600,
    parameter        SLIDE       = 60,
    parameter        N_WIN       = 11,
    parameter        WATTR_START = 0,
    parameter [39:0] AGG         = "COUNT",
    parameter        AGG_W       = 32
) (
    input  wire         clk,
    input  wire         rst,

    input  wire         s_valid,
    input  wire         s_punct,
    input  wire         s_eos,
    input  wire [127:0] s_data,

    output reg          m_valid,
    output wire         m_punct,
    output wire         m_eos,
    output wire [135:0] m_data
);

    initial if (N_WIN < 2 || AGG_W < 32 || AGG_W > 64) begin
        $display("ERROR: %m: N_WIN = %0d (at least 2), AGG_W = %0d (32 to 64)", N_WIN, AGG_W);
        $finish;
    end

    // ---- Stage 1: is_equal
    reg         valid_1_reg, punct_1_reg, is_equal_reg;
    reg [127:0] data_1_reg;

    always @(posedge clk) begin
        valid_1_reg  <= s_valid && !rst;
        punct_1_reg  <= s_punct && !rst;
        is_equal_reg <= s_data[127:96] == "UBSN";
        data_1_reg   <= s_data;
    end

    // ---- Stage 2: mask valid
    reg         valid_2_reg, punct_2_reg;
    reg [127:0] data_2_reg;

    always @(posedge clk) begin
        valid_2_reg <= valid_1_reg && is_equal_reg && !rst;
        punct_2_reg <= punct_1_reg && !rst;
        data_2_reg  <= data_1_reg;
    end

    wire        [31:0] wattr = data_2_reg[31:0];
    wire signed [31:0] value = data_2_reg[63:32];

    // ---- Stage 3: the window-aggregation modules
    wire [N_WIN-1:0]       eos;
    wire [N_WIN*32-1:0]    time_3;
    wire [N_WIN*AGG_W-1:0] number_3;

    genvar i;
    generate
        for (i = 0; i < N_WIN; i = i + 1) begin : window_aggregation
            // Control module
            reg  [31:0] win_begin_reg, win_end_reg;
            wire eis_i = valid_2_reg && !punct_2_reg && win_begin_reg <= wattr && wattr < win_end_reg;
            wire eos_i = punct_2_reg && wattr >= win_end_reg;

            always @(posedge clk)
                if (rst) begin
                    win_begin_reg <= WATTR_START + i*SLIDE;
                    win_end_reg   <= WATTR_START + i*SLIDE + RANGE;
                end else if (eos_i) begin
                    win_begin_reg <= win_begin_reg + N_WIN*SLIDE;
                    win_end_reg   <= win_end_reg + N_WIN*SLIDE;
                end

            // Aggregation module
            reg        [AGG_W-1:0] count_reg;
            reg signed [AGG_W-1:0] sum_reg;
            reg signed [31:0]      min_reg, max_reg;

            always @(posedge clk)
                if (rst || eos_i) begin
                    count_reg <= {AGG_W{1'b0}};
                    sum_reg   <= {AGG_W{1'b0}};
                    min_reg   <= 32'sh7fffffff;
                    max_reg   <= 32'sh80000000;
                end else if (eis_i) begin
                    count_reg <= count_reg + {{(AGG_W-1){1'b0}}, 1'b1};
                    sum_reg   <= sum_reg + {{(AGG_W-31){value[31]}}, value[30:0]};
                    if (value < min_reg) min_reg <= value;
                    if (value > max_reg) max_reg <= value;
                end

            // The result of the module, which the union reads in the next cycle.
            reg             eos_reg;
            reg [31:0]      time_reg;
            reg [AGG_W-1:0] number_reg;

            always @(posedge clk) begin
                eos_reg <= eos_i && !rst;
                if (eos_i) begin
                    time_reg   <= win_end_reg;
                    number_reg <= AGG == "COUNT" ? count_reg
                                : AGG == "SUM"   ? sum_reg
                                : AGG == "MIN"   ? {{(AGG_W-31){min_reg[31]}}, min_reg[30:0]}
                                :                  {{(AGG_W-31){max_reg[31]}}, max_reg[30:0]};
                end
            end

            assign eos[i] = eos_reg;
            assign time_3[i*32 +: 32] = time_reg;
            assign number_3[i*AGG_W +: AGG_W] = number_reg;
        end
    endgenerate

    // ---- Stage 4: union, a multiplexer whose select comes from a binary encoder
    localparam SELECT_W = $clog2(N_WIN);
    reg [SELECT_W-1:0] select;
    reg [31:0]         time_4_reg;
    reg [AGG_W-1:0]    number_4_reg;

    integer n;
    always @* begin
        select = {SELECT_W{1'b0}};
        for (n = 0; n < N_WIN; n = n + 1)
            if (eos[n]) select = select | n[SELECT_W-1:0];
    end

    always @(posedge clk) begin
        m_valid      <= |eos && !rst;
        time_4_reg   <= time_3[select*32 +: 32];
        number_4_reg <= number_3[select*AGG_W +: AGG_W];
    end

    assign m_punct        = 1'b0;
    assign m_eos          = 1'b0;
    assign m_data[135:72] = {32'b0, time_4_reg};
    assign m_data[8 +: AGG_W] = number_4_reg;
    generate
        if (AGG_W < 64) begin : extend
            assign m_data[71:8+AGG_W] = {(64-AGG_W){AGG != "COUNT" && number_4_reg[AGG_W-1]}};
        end
    endgenerate
    assign m_data[7:0]    = 8'b0;

endmodule

`default_nettype wire
