// SPDX-License-Identifier: Apache-2.0
//
// ws_axis_rules: the rules of every AXI4-Stream port of this project, for proofs.
//
// A core instantiates it under `ifdef FORMAL, once for each port. The rules are asserted at an output. At an input they
// are assumed, and asserted where another core instantiates this one: each core relies on what its neighbour proves.
// The assertions have the rules' names:
//
//   waits_beat    a beat that waits for tready stays valid and stable: tdata, tlast and tuser[0]
//   waits_keep    tkeep too
//   waits_meta    the metadata too, tuser above bit 0
//   packet_keep   tkeep is contiguous from bit 0, and all ones unless tlast; a beat without bytes is a whole packet
//   packet_meta   the metadata are the same in all beats of a packet
//
// Parameters   DATA_W    width of tdata in bits: a multiple of 8
//              USER_W    width of tuser in bits, at least 1
//              ASSUME    1: an input
//              META      0: without packet_meta
//              PACKETS   packets before the cover's beat, which waits and is taken; up to 255, within the depth

`default_nettype none

module ws_axis_rules #(
    parameter DATA_W  = 8,
    parameter USER_W  = 1,
    parameter ASSUME  = 0,
    parameter META    = 1,
    parameter PACKETS = 0
) (
    input wire                clk,
    input wire                rst,
    input wire [DATA_W-1:0]   tdata,
    input wire [DATA_W/8-1:0] tkeep,
    input wire                tvalid,
    input wire                tready,
    input wire                tlast,
    input wire [USER_W-1:0]   tuser,
    output reg                inside            // a packet has begun and not ended
);

    localparam KEEP_W = DATA_W / 8;

    reg               past_valid = 1'b0;
    reg               waited_reg;               // the beat of the previous cycle was not taken
    reg  [DATA_W+1:0] beat_reg;
    reg  [KEEP_W-1:0] keep_reg;
    reg  [USER_W-1:0] user_reg;
    reg  [7:0]        packets_reg;              // completed packets
    wire [DATA_W+1:0] beat  = {tuser[0], tlast, tdata};
    wire              taken = tvalid && tready;

    wire same_beat = tvalid && beat == beat_reg;
    wire same_meta = tuser >> 1 == user_reg >> 1;
    wire good_keep = (tkeep & (tkeep + 1'b1)) == 0 && (tlast || &tkeep) && (tkeep[0] || !inside);

    always @(posedge clk) begin
        past_valid <= 1'b1;
        waited_reg <= tvalid && !tready;
        beat_reg   <= beat;
        keep_reg   <= tkeep;
        if (tvalid) user_reg <= tuser;
        if (taken) inside <= !tlast;
        if (taken && tlast) packets_reg <= packets_reg + 1'b1;
        if (rst) begin
            waited_reg  <= 1'b0;
            inside      <= 1'b0;
            packets_reg <= 8'd0;
        end
        if (!past_valid) assume (rst);
    end

    generate
        if (ASSUME) begin : gen_assume
            always @(posedge clk) if (past_valid) begin
                if (waited_reg) waits_beat: assume (same_beat);
                if (waited_reg) waits_keep: assume (tkeep == keep_reg);
                if (waited_reg) waits_meta: assume (same_meta);
                if (tvalid) packet_keep: assume (good_keep);
                if (tvalid && inside && META) packet_meta: assume (same_meta);
            end
        end else begin : gen_assert
            // between clock edges too, because a clock may stop
            always @* if (past_valid) begin
                if (waited_reg) waits_beat: assert (same_beat);
                if (waited_reg) waits_keep: assert (tkeep == keep_reg);
                if (waited_reg) waits_meta: assert (same_meta);
                if (tvalid) packet_keep: assert (good_keep);
                if (tvalid && inside && META) packet_meta: assert (same_meta);
                cover (waited_reg && taken && !rst && packets_reg == PACKETS);      // not vacuous
            end
        end
    endgenerate

endmodule

`default_nettype wire
