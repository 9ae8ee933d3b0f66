// SPDX-License-Identifier: Apache-2.0
//
// ws_lane_queue: a queue of beats of P items, the heads of whose lanes are taken each on its own; a part of
// ws_merge_lanes.
//
// Items are taken in the order of arrival, those of a beat from lane 0 on: lane 0 is never behind another lane, and
// lane P - 1 never before one. So lane 0 tells whether all lanes have a head, and lane P - 1 how many beats are here.
//
// Parameters   P       lanes, a power of two, 2 to 16
//              DATA_W  width of an item in bits, at least 1
//              SLACK   a beat may arrive so many cycles after s_ready was high, and is taken then; 0 to 2**ADDR_W - 4;
//                      0: a handshake
//              ADDR_W  2**ADDR_W - 3 - SLACK beats wait here before s_ready falls, 3 to 6
// Ports        m_valid  all lanes have a head
//              m_take   heads that leave, if m_valid
// Latency      2 cycles; from s_valid to m_valid
// Issue rate   1 beat a cycle in and out
// Overflow     cannot happen, if s_ready is observed
// Source       ours

`default_nettype none

module ws_lane_queue #(
    parameter P      = 4,
    parameter DATA_W = 8,
    parameter SLACK  = 0,
    parameter ADDR_W = 4
) (
    input  wire                clk,
    input  wire                rst,

    input  wire                s_valid,
    output reg                 s_ready,
    input  wire [P*DATA_W-1:0] s_data,

    output wire                m_valid,
    input  wire [P-1:0]        m_take,
    output wire [P*DATA_W-1:0] m_data
);

    initial if (P < 2 || P > 16 || P != 1 << $clog2(P) || DATA_W < 1 || ADDR_W < 3 || ADDR_W > 6
                || SLACK < 0 || SLACK > (1 << ADDR_W) - 4) begin
        $display("ERROR: %m: P = %0d (a power of two, 2 to 16), DATA_W = %0d, ADDR_W = %0d (3 to 6), SLACK = %0d",
                 P, DATA_W, ADDR_W, SLACK);
        $finish;
    end

    // Two more beats arrive until s_ready tells of one that has: it is a register, and so is the number it depends on.
    localparam [31:0] MOST = (1 << ADDR_W) - 3 - SLACK;

    reg  [ADDR_W-1:0] in_reg;           // where the next beat goes to
    reg  [ADDR_W-1:0] held_reg;         // beats that are here, or whose last item left in the cycle before
    reg               left_reg;
    wire              push = s_valid && (SLACK != 0 || s_ready);
    wire [P-1:0]      valid;
    wire              unused = &{1'b0, valid};

    assign m_valid = valid[0];

    always @(posedge clk) begin
        in_reg   <= in_reg + {{ADDR_W-1{1'b0}}, push};
        left_reg <= m_valid && m_take[P-1];
        held_reg <= held_reg + {{ADDR_W-1{1'b0}}, push} - {{ADDR_W-1{1'b0}}, left_reg};
        s_ready  <= held_reg <= MOST[ADDR_W-1:0];
        if (rst) begin
            in_reg   <= {ADDR_W{1'b0}};
            held_reg <= {ADDR_W{1'b0}};
            left_reg <= 1'b0;
            s_ready  <= 1'b0;
        end
    end

    genvar i;
    generate
        for (i = 0; i < P; i = i + 1) begin : gen_lane
            reg  [ADDR_W-1:0] next_reg;         // of the item after the head
            reg               valid_reg;
            wire              renew = !valid_reg || (m_valid && m_take[i]);
            wire              more  = next_reg != in_reg;

            assign valid[i] = valid_reg;

            always @(posedge clk) begin
                if (renew) begin
                    valid_reg <= more;
                    next_reg  <= next_reg + {{ADDR_W-1{1'b0}}, more};
                end
                if (rst) begin
                    valid_reg <= 1'b0;
                    next_reg  <= {ADDR_W{1'b0}};
                end
            end

            ws_ram_sdp #(.DATA_W(DATA_W), .ADDR_W(ADDR_W), .STYLE("distributed")) items (
                .clk(clk),
                .wr_en(push), .wr_addr(in_reg), .wr_data(s_data[i*DATA_W +: DATA_W]),
                .rd_en(renew), .rd_addr(next_reg), .rd_data(m_data[i*DATA_W +: DATA_W])
            );
        end
    endgenerate

`ifdef FORMAL
    // lane 0 is not behind, lane P - 1 not before the others; there is room
    always @(posedge clk) if (!rst) begin
        queue_order: assert (valid[0] == &valid);
        queue_room:  assert (!(&held_reg) || !push);
    end
`endif

endmodule

`default_nettype wire
