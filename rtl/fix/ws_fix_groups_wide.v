// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_groups_wide: repeating groups of the message that ws_fix_parser_wide is parsing, in stage 7.
//
// Does what ws_fix_groups does, for two fields a cycle: the long field of the word first, then the short one. Signals
// *_now include the long field, signals *_next both. A message ends with one of the two, which is none of a group: what
// is reported of it are the values *_now.
//
// Parameters   see ws_fix_parameters.vh
// Latency      0 cycles
// Issue rate   1 word a cycle
// Bad input    reported by `long_repeated`, `short_repeated` and `bad`
// Source       FIX 4.4, volume 1, "Repeating Groups"

`default_nettype none

module ws_fix_groups_wide #(
    `include "ws_fix_parameters.vh"
) (
    input  wire                clk,
    input  wire                step,            // clock enable

    // after stage 6
    input  wire                valid,
    input  wire                begins,
    input  wire                long_field,
    input  wire                short_field,
    input  wire [N_GROUPS-1:0] long_counts,     // groups of which the field is the count
    input  wire [N_GROUPS-1:0] short_counts,
    input  wire [N_GROUPS-1:0] long_firsts,     // groups of which it begins an entry
    input  wire [N_GROUPS-1:0] short_firsts,
    input  wire                long_type,
    input  wire                short_type,
    input  wire [16:0]         long_natural,
    input  wire                long_natural_good,
    input  wire [13:0]         short_natural,
    input  wire                short_natural_good,
    // fields that the message may have, before the word and now; the fields that the word has of them
    input  wire [N_FIELDS-1:0] wanted,
    input  wire [N_FIELDS-1:0] wanted_now,
    input  wire [N_FIELDS-1:0] long_fields,
    input  wire [N_FIELDS-1:0] short_fields,

    output wire [N_FIELDS-1:0] long_here,       // the current entry has the field
    output wire [N_FIELDS-1:0] short_here,
    output wire [N_FIELDS-1:0] open,            // the entry of the field is present
    output wire                long_is_count,   // the field is a group's count
    output wire                short_is_count,
    output wire                long_repeated,   // so is an earlier field of the message
    output wire                short_repeated,
    output wire                bad              // wrong number of entries, or fields out of order
);

    function [N_GROUPS-1:0] groups_of(input [N_FIELDS-1:0] fields);
        integer n;
        begin
            groups_of = {N_GROUPS{1'b0}};
            for (n = 0; n < N_FIELDS; n = n + 1)
                if (GROUP[4*n +: 4] != 4'd0 && fields[n]) groups_of[GROUP[4*n +: 4]-1] = 1'b1;
        end
    endfunction

    function any_single(input [N_FIELDS-1:0] fields);       // a field outside all groups
        integer n;
        begin
            any_single = 1'b0;
            for (n = 0; n < N_FIELDS; n = n + 1) if (GROUP[4*n +: 4] == 4'd0 && fields[n]) any_single = 1'b1;
        end
    endfunction

    // Order. open_reg: the count is the last field outside the group; entry_reg: and an entry has begun since.
    reg  [N_GROUPS-1:0] counted_reg, open_reg, entry_reg;
    reg                 misplaced_reg;
    wire [N_GROUPS-1:0] used        = groups_of(wanted_now);
    wire [N_GROUPS-1:0] long_count  = {N_GROUPS{long_field}}  & long_counts & groups_of(wanted);
    wire [N_GROUPS-1:0] short_count = {N_GROUPS{short_field}} & short_counts & used;
    wire [N_GROUPS-1:0] long_first  = {N_GROUPS{long_field}}  & long_firsts & groups_of(wanted);
    wire [N_GROUPS-1:0] short_first = {N_GROUPS{short_field}} & short_firsts & used;
    wire                long_other  = |long_count || any_single(long_fields);
    wire                short_other = |short_count || any_single(short_fields);
    wire [N_GROUPS-1:0] open_now    = long_other ? long_count : open_reg;
    wire [N_GROUPS-1:0] entry_now   = long_other ? {N_GROUPS{1'b0}} : entry_reg | long_first;
    wire                misplaced_now  = misplaced_reg || |(long_first & ~open_reg)
                                         || |(groups_of(long_fields) & ~long_first & ~entry_reg);
    wire                misplaced_next = misplaced_now || |(short_first & ~open_now)
                                         || |(groups_of(short_fields) & ~short_first & ~entry_now);

    assign long_is_count  = |long_count;
    assign short_is_count = |short_count;
    assign long_repeated  = |(long_count & counted_reg);
    assign short_repeated = |(short_count & (counted_reg | long_count));

    // Entries seen and entries announced.
    reg [8*N_GROUPS-1:0] entries_reg, entries_now, entries_next, count_reg, count_now, count_next;
    reg [N_GROUPS-1:0]   count_bad_reg, count_bad_now, count_bad_next;
    integer              i;

    always @* for (i = 0; i < N_GROUPS; i = i + 1) begin
        entries_now[8*i +: 8] = entries_reg[8*i +: 8];
        count_now[8*i +: 8]   = count_reg[8*i +: 8];
        count_bad_now[i]      = count_bad_reg[i];
        if (long_field && long_firsts[i] && entries_reg[8*i +: 8] != 8'hff)
            entries_now[8*i +: 8] = entries_reg[8*i +: 8] + 8'd1;
        if (long_field && long_counts[i]) begin
            count_now[8*i +: 8] = long_natural[7:0];
            count_bad_now[i]    = !long_natural_good || long_natural >= 17'd255;    // entries_reg saturates at 255
        end
        if (long_type) begin
            entries_now[8*i +: 8] = 8'd0;
            count_now[8*i +: 8]   = 8'd0;
            count_bad_now[i]      = 1'b0;
        end
        entries_next[8*i +: 8] = entries_now[8*i +: 8];
        count_next[8*i +: 8]   = count_now[8*i +: 8];
        count_bad_next[i]      = count_bad_now[i];
        if (short_field && short_firsts[i] && entries_now[8*i +: 8] != 8'hff)
            entries_next[8*i +: 8] = entries_now[8*i +: 8] + 8'd1;
        if (short_field && short_counts[i]) begin
            count_next[8*i +: 8] = short_natural[7:0];
            count_bad_next[i]    = !short_natural_good || short_natural >= 14'd255;
        end
        if (short_type) begin
            entries_next[8*i +: 8] = 8'd0;
            count_next[8*i +: 8]   = 8'd0;
            count_bad_next[i]      = 1'b0;
        end
    end

    // Whether they agree, without the delay of entries_now.
    reg [N_GROUPS-1:0] same_count, one_more, new_count, uneven;

    always @* begin
        for (i = 0; i < N_GROUPS; i = i + 1) begin
            same_count[i] = entries_reg[8*i +: 8] == count_reg[8*i +: 8];
            one_more[i]   = entries_reg[8*i +: 8] == count_reg[8*i +: 8] - 8'd1 && count_reg[8*i +: 8] != 8'd0;
            new_count[i]  = entries_reg[8*i +: 8] == long_natural[7:0];
            uneven[i]     = long_type ? 1'b0 : count_bad_now[i]
                            || !(long_field && long_counts[i] ? new_count[i]
                                 : long_field && long_firsts[i] ? one_more[i] : same_count[i]);
        end
    end

    assign bad = |(uneven & used) || misplaced_now;

    always @(posedge clk) if (step) begin
        if (valid) begin
            counted_reg   <= counted_reg | long_count | short_count;
            open_reg      <= short_other ? short_count : open_now;
            entry_reg     <= short_other ? {N_GROUPS{1'b0}} : entry_now | short_first;
            misplaced_reg <= misplaced_next;
            entries_reg   <= entries_next;
            count_reg     <= count_next;
            count_bad_reg <= count_bad_next;
        end
        if (begins) begin
            counted_reg   <= {N_GROUPS{1'b0}};
            open_reg      <= {N_GROUPS{1'b0}};
            entry_reg     <= {N_GROUPS{1'b0}};
            misplaced_reg <= 1'b0;
        end
    end

    genvar g;
    generate
        for (g = 0; g < N_FIELDS; g = g + 1) begin : gen_field
            localparam [3:0] OF      = GROUP[4*g +: 4];
            localparam [3:0] WHICH   = ENTRY[4*g +: 4];
            localparam       INDEX   = OF == 0 ? 0 : OF - 1;
            localparam       HEADS   = OF != 0 && TAGS[24*g +: 24] == FIRST_TAGS[24*INDEX +: 24];
            localparam [7:0] ENTRIES = {4'd0, WHICH} + (HEADS ? 8'd0 : 8'd1);

            wire [7:0] entries = entries_reg[8*INDEX +: 8];
            wire       heads   = long_field && long_firsts[INDEX];   // the long field begins an entry

            assign long_here[g]  = OF == 0 || entries == ENTRIES;
            assign short_here[g] = OF == 0 || (long_type ? ENTRIES == 8'd0
                                               : heads ? ENTRIES != 8'd0 && entries == ENTRIES - 8'd1
                                                       : entries == ENTRIES);
            assign open[g]       = OF == 0 || (!long_type && (heads ? {1'b0, entries} + 9'd1 > {5'd0, WHICH}
                                                                    : entries > {4'd0, WHICH}));
        end
    endgenerate

endmodule

`default_nettype wire
