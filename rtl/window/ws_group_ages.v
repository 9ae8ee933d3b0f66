// SPDX-License-Identifier: Apache-2.0
//
// ws_group_ages: for each entry of ws_group_panes, whether some pane of the window has set a flag, and which tables of
// panes hold the entry.
//
// One number suffices for a flag: for how many more panes the latest pane that set it stays in the window. A table
// holds an entry from the pane's first tuple until its turn finds that no other pane of the window has a tuple.
//
// Parameters   INDEX_W  2**INDEX_W entries
//              PANES    panes in a window, at least 2
//              TABLES   number of tables of panes
//              FLAGS    number of flags; flag 0 is that there was a tuple
// Ports        read_index: the entry whose turn it is; leaving: the table of the pane that ends, one-hot, for all turns
//                of a pane; flags: of that pane and the entry, 3 cycles after read_index
//              step, clear: 4 cycles after read_index: it is a turn; a turn that clears, after a reset
//              write, write_index: step and read_index, 5 cycles after read_index
//              any: the pane or an earlier one of the window has the flag, 4 cycles after read_index
//              freed: the table gives up the entry, 5 cycles after read_index
// Latency      4 cycles from read_index to any; 5 to freed
// Issue rate   1 entry a cycle, the same entry 6 cycles or more apart

`default_nettype none

module ws_group_ages #(
    parameter INDEX_W = 6,
    parameter PANES   = 10,
    parameter TABLES  = 2,
    parameter FLAGS   = 5
) (
    input  wire               clk,
    input  wire               rst,

    input  wire [INDEX_W-1:0] read_index,
    input  wire [TABLES-1:0]  leaving,
    input  wire [FLAGS-1:0]   flags,
    input  wire               step,
    input  wire               clear,
    output wire [FLAGS-1:0]   any,

    input  wire               write,
    input  wire [INDEX_W-1:0] write_index,
    output wire [TABLES-1:0]  freed
);

    // Stages are numbered as in ws_group_panes: data read at stage 4 are valid at stage 6.
    localparam AGE_W = $clog2(PANES);
    localparam [AGE_W-1:0] YOUNG = PANES - 1;

    wire [FLAGS*AGE_W-1:0] ages_6;
    wire [TABLES-1:0]      held_6;
    reg  [FLAGS*AGE_W-1:0] ages_7_reg, ages_8_reg, ages_9_reg;
    reg  [TABLES-1:0]      held_7_reg, held_8_reg, held_9_reg;
    reg  [FLAGS-1:0]       any_8_reg;
    reg  [TABLES-1:0]      freed_9_reg;
    wire                   kept_8 = ages_8_reg[0 +: AGE_W] != 0;    // the entry is needed for the next window

    assign any   = any_8_reg;
    assign freed = freed_9_reg;

    genvar f;
    generate
        for (f = 0; f < FLAGS; f = f + 1) begin : gen_flag
            wire [AGE_W-1:0] age = ages_7_reg[f*AGE_W +: AGE_W];
            always @(posedge clk) begin
                any_8_reg[f] <= flags[f] || age != 0;
                ages_8_reg[f*AGE_W +: AGE_W] <= flags[f] ? YOUNG : age == 0 ? age : age - 1'b1;
            end
        end
    endgenerate

    always @(posedge clk) begin
        ages_7_reg  <= ages_6;
        held_7_reg  <= held_6;
        held_8_reg  <= held_7_reg | (flags[0] ? leaving : {TABLES{1'b0}});
        ages_9_reg  <= clear ? {FLAGS*AGE_W{1'b0}} : ages_8_reg;
        held_9_reg  <= clear ? {TABLES{1'b0}} : held_8_reg & ~(kept_8 ? {TABLES{1'b0}} : leaving);
        freed_9_reg <= step && !clear && !kept_8 && !rst ? held_8_reg & leaving : {TABLES{1'b0}};
    end

    ws_ram_sdp #(
        .DATA_W(FLAGS*AGE_W + TABLES), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE(INDEX_W > 6 ? "block" : "distributed")
    ) entries (
        .clk(clk),
        .wr_en(write), .wr_addr(write_index), .wr_data({held_9_reg, ages_9_reg}),
        .rd_en(1'b1), .rd_addr(read_index), .rd_data({held_6, ages_6})
    );

endmodule

`default_nettype wire
