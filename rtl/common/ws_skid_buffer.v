// SPDX-License-Identifier: Apache-2.0
//
// ws_skid_buffer: a register slice for a valid/ready stream.
//
// Every output, ready included, is a register, so that the timing paths are cut in both directions.
//
// Parameters   DATA_W   width of the data in bits, at least 1
// Latency      1 cycle
// Issue rate   1 item a cycle
// Overflow     cannot happen: s_ready is low while the second place is occupied

`default_nettype none

module ws_skid_buffer #(
    parameter DATA_W = 8
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    output wire              s_ready,
    input  wire [DATA_W-1:0] s_data,

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data
);

    initial if (DATA_W < 1) begin
        $display("ERROR: %m: DATA_W = %0d, must be at least 1", DATA_W);
        $finish;
    end

    // The output place, and a spare one for the item that arrives in the cycle in which the sink stops. Every item is
    // also written to the spare place while that is free, and kept there only if ready falls. So neither the enable of
    // the spare place nor the choice between the two depends on m_ready.
    reg              out_valid_reg, spare_valid_reg;
    reg              ready_reg;                         // !spare_valid_reg, and half of its fan-out
    reg [DATA_W-1:0] out_data_reg, spare_data_reg;

    assign s_ready = ready_reg;
    assign m_valid = out_valid_reg;
    assign m_data  = out_data_reg;

    wire out_free = !out_valid_reg || m_ready;
    wire ready    = out_free || (ready_reg && !s_valid);    // in the next cycle

    always @(posedge clk) begin
        out_valid_reg   <= !out_free || spare_valid_reg || s_valid;
        spare_valid_reg <= !ready;
        ready_reg       <= ready;
        if (out_free)
            out_data_reg <= spare_valid_reg ? spare_data_reg : s_data;
        if (ready_reg)
            spare_data_reg <= s_data;
        if (rst) {out_valid_reg, spare_valid_reg, ready_reg} <= 3'b001;
    end

`ifdef FORMAL
    // A two-entry reference queue: the items accepted and not yet delivered, oldest first.
    reg               past_valid = 1'b0;
    reg [1:0]         count_ref;
    reg [DATA_W-1:0]  first_ref, second_ref;
    wire              accept  = s_valid && s_ready;
    wire              deliver = m_valid && m_ready;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        count_ref  <= rst ? 2'd0 : count_ref + accept - deliver;
        if (deliver) first_ref <= second_ref;
        if (accept) begin
            if (count_ref == {1'b0, deliver}) first_ref <= s_data;
            else second_ref <= s_data;
        end

        if (!past_valid) assume (rst);
        else begin
            // nothing lost, nothing twice
            assert (count_ref == {1'b0, out_valid_reg} + {1'b0, spare_valid_reg});
            assert (out_valid_reg || !spare_valid_reg);
            assert (ready_reg == !spare_valid_reg);
            // order kept
            if (out_valid_reg) assert (out_data_reg == first_ref);
            if (spare_valid_reg) assert (spare_data_reg == second_ref);
            // stable while waiting
            if ($past(m_valid && !m_ready && !rst)) assert (m_valid && $stable(m_data));
        end
        cover (past_valid && !rst && count_ref == 2 && m_ready);
    end
`endif

endmodule

`default_nettype wire
