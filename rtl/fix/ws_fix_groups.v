// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_groups: repeating groups of the message that ws_fix_parser is parsing: entries, counts and order.
//
// The fields of a group are contiguous: its count, then its entries, each from its first field on. A wanted field
// outside the group ends it.
//
// Parameters   see ws_fix_parameters.vh
// Latency      1 cycle from `finish` to `here` and `open`, 2 to `bad`
// Issue rate   1 byte a cycle
// Bad input    reported by `repeated` and `bad`
// Source       FIX 4.4, volume 1, "Repeating Groups"

`default_nettype none

module ws_fix_groups #(
    `include "ws_fix_parameters.vh"
) (
    input  wire                clk,
    input  wire                dispatch,        // the message's type is known: clears the groups

    input  wire [N_FIELDS-1:0] wanted,          // fields that the message may have
    input  wire                tag_known,
    input  wire [23:0]         tag,
    input  wire                finish,          // the field has ended
    input  wire                stop,            // the payload has ended
    input  wire [15:0]         natural,         // its value as a number
    input  wire                natural_good,

    output wire [N_FIELDS-1:0] here,            // the current entry has the field, for the tag that comes
    output wire [N_FIELDS-1:0] open,            // the entry of the field is present
    output wire                is_count,        // from tag_known to finish: the field is a group's count
    output wire                repeated,        // so is an earlier field of the message
    output wire                bad              // wrong number of entries, or fields out of order
);

    // Groups that the message may have, and what the tag is in them.
    reg [N_GROUPS-1:0] used, member;
    reg                single;              // a wanted field outside all groups
    integer            i;

    always @* begin
        used   = {N_GROUPS{1'b0}};
        member = {N_GROUPS{1'b0}};
        single = 1'b0;
        for (i = 0; i < N_FIELDS; i = i + 1) if (wanted[i]) begin
            if (GROUP[4*i +: 4] == 4'd0) begin
                if (tag == TAGS[24*i +: 24]) single = 1'b1;
            end else begin
                used[GROUP[4*i +: 4]-1] = 1'b1;
                if (tag == TAGS[24*i +: 24]) member[GROUP[4*i +: 4]-1] = 1'b1;
            end
        end
    end

    reg [N_GROUPS-1:0] is_count_reg, is_first_reg, is_member_reg;
    reg                is_single_reg;

    always @(posedge clk) begin
        if (finish || stop) begin
            is_count_reg  <= {N_GROUPS{1'b0}};
            is_first_reg  <= {N_GROUPS{1'b0}};
            is_member_reg <= {N_GROUPS{1'b0}};
            is_single_reg <= 1'b0;
        end
        if (tag_known) begin
            for (i = 0; i < N_GROUPS; i = i + 1) begin
                is_count_reg[i] <= tag == COUNT_TAGS[24*i +: 24] && used[i];
                is_first_reg[i] <= tag == FIRST_TAGS[24*i +: 24] && used[i];
            end
            is_member_reg <= member;
            is_single_reg <= single;
        end
    end

    // Entries seen and entries announced. open_reg: the count is the last field outside the group; entry_reg: and an
    // entry has begun since.
    reg [8*N_GROUPS-1:0] entries_reg, count_reg;
    reg [N_GROUPS-1:0]   count_bad_reg;
    reg [N_GROUPS-1:0]   uneven_reg;
    reg [N_GROUPS-1:0]   counted_reg, open_reg, entry_reg;
    reg                  misplaced_reg;

    assign is_count = |is_count_reg;
    assign repeated = |(is_count_reg & counted_reg);
    assign bad      = |(uneven_reg & used) || misplaced_reg;

    always @(posedge clk) begin
        for (i = 0; i < N_GROUPS; i = i + 1) begin
            uneven_reg[i] <= entries_reg[8*i +: 8] != count_reg[8*i +: 8] || count_bad_reg[i];
            if (finish && is_first_reg[i] && entries_reg[8*i +: 8] != 8'hff)
                entries_reg[8*i +: 8] <= entries_reg[8*i +: 8] + 8'd1;
            if (finish && is_count_reg[i]) begin
                count_reg[8*i +: 8] <= natural[7:0];
                count_bad_reg[i]    <= !natural_good || natural >= 16'd255;     // entries_reg saturates at 255
            end
            if (dispatch) begin
                entries_reg[8*i +: 8] <= 8'd0;
                count_reg[8*i +: 8]   <= 8'd0;
                count_bad_reg[i]      <= 1'b0;
            end
        end
        if (finish) begin
            counted_reg <= counted_reg | is_count_reg;
            if (|is_count_reg || is_single_reg) begin
                open_reg  <= is_count_reg;
                entry_reg <= {N_GROUPS{1'b0}};
            end else entry_reg <= entry_reg | is_first_reg;
            if (|(is_first_reg & ~open_reg) || |(is_member_reg & ~is_first_reg & ~entry_reg)) misplaced_reg <= 1'b1;
        end
        if (dispatch) begin
            counted_reg   <= {N_GROUPS{1'b0}};
            open_reg      <= {N_GROUPS{1'b0}};
            entry_reg     <= {N_GROUPS{1'b0}};
            misplaced_reg <= 1'b0;
        end
    end

    genvar g;
    generate
        for (g = 0; g < N_FIELDS; g = g + 1) begin : gen_field
            localparam [3:0] OF    = GROUP[4*g +: 4];
            localparam [3:0] WHICH = ENTRY[4*g +: 4];
            localparam       INDEX = OF == 0 ? 0 : OF - 1;
            localparam       HEADS = OF != 0 && TAGS[24*g +: 24] == FIRST_TAGS[24*INDEX +: 24];

            wire [7:0] entries = entries_reg[8*INDEX +: 8];
            assign here[g] = OF == 0 || entries == {4'd0, WHICH} + (HEADS ? 8'd0 : 8'd1);
            assign open[g] = OF == 0 || entries > {4'd0, WHICH};
        end
    endgenerate

endmodule

`default_nettype wire
