// SPDX-License-Identifier: Apache-2.0
//
// ws_group_table: a table of states with read-modify-write in every cycle, even of the same state.
//
// The caller computes `next` from `state`, within a cycle. A tuple 1 to 5 cycles after one of the same group finds an
// old state in the table and takes that tuple's instead; or, with `hold`, the state that the previous tuple had. The
// read data is registered, since a table may be many block RAMs far apart. With FAR the write data is registered too,
// so that a tuple 6 cycles later finds an old state as well.
//
// Parameters   DATA_W   width of a state in bits
//              INDEX_W  2**INDEX_W states
//              FAR      1: a register before the write port
// Ports        read_index; with table_state, 2 cycles later: source (0 to 3: the table; 4 to 7: the tuple 3 to 6 cycles
//                before); 3 cycles later: fresh (begin with 0), second (the tuple 2 cycles before), hold (the state
//                that the previous tuple had); with state and next, 4 cycles later: chain (the new state of the
//                previous tuple); 5 cycles later: write, write_index
// Latency      2 cycles from read_index to table_state, 4 to state; 6, with FAR 7, from read_index to the next that
//              reads what is written
// Issue rate   1 a cycle
// Source       R. Mueller, dissertation ETH 19163 (2010), section 7.5.4; the read-modify-write of a table is ours

`default_nettype none

module ws_group_table #(
    parameter DATA_W  = 32,
    parameter INDEX_W = 6,
    parameter FAR     = 0
) (
    input  wire               clk,

    input  wire [INDEX_W-1:0] read_index,
    output wire [DATA_W-1:0]  table_state,
    input  wire [2:0]         source,
    input  wire               fresh,
    input  wire               second,
    input  wire               hold,
    input  wire               chain,
    output wire [DATA_W-1:0]  state,
    input  wire [DATA_W-1:0]  next,
    input  wire               write,
    input  wire [INDEX_W-1:0] write_index
);

    reg  [DATA_W-1:0] word_reg, ahead_reg, state_reg, next_1_reg, next_2_reg, next_3_reg, next_4_reg;
    reg               is_ahead_reg;

    assign state = chain ? next_1_reg : state_reg;

    always @(posedge clk) begin
        word_reg     <= table_state;
        is_ahead_reg <= source[2];
        case (source[1:0])
            2'd0:    ahead_reg <= next_1_reg;
            2'd1:    ahead_reg <= next_2_reg;
            2'd2:    ahead_reg <= next_3_reg;
            default: ahead_reg <= FAR != 0 ? next_4_reg : next_3_reg;
        endcase
        if (!hold)
            state_reg <= fresh ? {DATA_W{1'b0}} : second ? next_1_reg : is_ahead_reg ? ahead_reg : word_reg;
        next_1_reg <= next;
        next_2_reg <= next_1_reg;
        next_3_reg <= next_2_reg;
        next_4_reg <= next_3_reg;
    end

    // ---- The write

    wire               writes;
    wire [INDEX_W-1:0] index;
    wire [DATA_W-1:0]  word = FAR != 0 ? next_2_reg : next_1_reg;

    generate
        if (FAR != 0) begin : gen_far
            reg               write_reg;
            reg [INDEX_W-1:0] index_reg;
            always @(posedge clk) begin
                write_reg <= write;
                index_reg <= write_index;
            end
            assign {writes, index} = {write_reg, index_reg};
        end else begin : gen_near
            assign {writes, index} = {write, write_index};
        end
    endgenerate

    ws_ram_sdp #(.DATA_W(DATA_W), .ADDR_W(INDEX_W), .OUTPUT_REG(1), .STYLE("block")) states (
        .clk(clk),
        .wr_en(writes), .wr_addr(index), .wr_data(word),
        .rd_en(1'b1), .rd_addr(read_index), .rd_data(table_state)
    );

endmodule

`default_nettype wire
