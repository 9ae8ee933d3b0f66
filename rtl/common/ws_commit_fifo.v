// SPDX-License-Identifier: Apache-2.0
//
// ws_commit_fifo: a FIFO whose words can be rewound until they are committed, and read only then.
//
// The storage of ws_sync_fifo, which commits every word, and of ws_frame_fifo, which commits whole frames.
//
// Parameters   DATA_W      width of a word in bits, at least 1
//              ADDR_W      the FIFO holds 2**ADDR_W words, 2 to 24; those in its output registers are included
//              OUTPUT_REG  0: m_data is the RAM's read register; 1: the RAM has its output register (see ws_ram_sdp)
//                          and two registers follow it
//              STYLE       kind of memory, see ws_ram_sdp
// Latency      2 + 2 * OUTPUT_REG cycles from commit to m_valid
// Issue rate   1 word a cycle in and out; words committed together leave in successive cycles if m_ready stays high
// Overflow     wr_en must be low while full is high
// Bad input    commit and rewind must not be high together. Both include the word written in the same cycle.

`default_nettype none

module ws_commit_fifo #(
    parameter DATA_W     = 8,
    parameter ADDR_W     = 4,
    parameter OUTPUT_REG = 0,
    parameter STYLE      = "auto"
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              wr_en,
    input  wire [DATA_W-1:0] wr_data,
    input  wire              commit,
    input  wire              rewind,
    output wire              full,
    output wire [ADDR_W:0]   level,      // words held, committed or not

    output wire              m_valid,
    input  wire              m_ready,
    output wire [DATA_W-1:0] m_data
`ifdef FORMAL
    ,
    // For the proofs of the cores that use this one: the word last written at a place in the order of writing.
    input  wire [ADDR_W:0]   watch_ptr,
    output wire [DATA_W-1:0] watch_data,
    output wire [ADDR_W:0]   write_ptr,
    output wire [ADDR_W:0]   commit_ptr,
    output wire [ADDR_W:0]   deliver_ptr
`endif
);

    initial if (DATA_W < 1 || ADDR_W < 2 || ADDR_W > 24 || (OUTPUT_REG != 0 && OUTPUT_REG != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (at least 1), ADDR_W = %0d (2 to 24), OUTPUT_REG = %0d (0 or 1)",
                 DATA_W, ADDR_W, OUTPUT_REG);
        $finish;
    end

    // Pointers have one bit more than an address, so that equal ones mean empty.
    reg [ADDR_W:0] wr_ptr_reg, commit_ptr_reg, rd_ptr_reg;
    // Words held, and how many of them are committed; a word counts until it is delivered.
    reg [ADDR_W:0] used_reg, committed_reg;

    // The write side's next state, independent of commit and rewind, which may arrive late in the cycle.
    wire            deliver = m_valid && m_ready;
    wire [ADDR_W:0] wr_next = wr_ptr_reg + {{ADDR_W{1'b0}}, wr_en};
    wire [ADDR_W:0] change  = wr_en == deliver ? {ADDR_W+1{1'b0}} : {{ADDR_W{deliver}}, 1'b1};
    wire [ADDR_W:0] kept    = used_reg + change;
    wire [ADDR_W:0] safe    = committed_reg - {{ADDR_W{1'b0}}, deliver};

    assign full  = used_reg[ADDR_W];
    assign level = used_reg;

    // Write side
    always @(posedge clk) begin
        wr_ptr_reg    <= rewind ? commit_ptr_reg : wr_next;
        used_reg      <= rewind ? safe : kept;
        committed_reg <= commit ? kept : safe;
        if (commit) commit_ptr_reg <= wr_next;
        if (rst) begin
            wr_ptr_reg     <= {ADDR_W+1{1'b0}};
            commit_ptr_reg <= {ADDR_W+1{1'b0}};
            used_reg       <= {ADDR_W+1{1'b0}};
            committed_reg  <= {ADDR_W+1{1'b0}};
        end
    end

    // Read side: `room` means that there is a place for the word read now, after those read before it. The RAM is
    // read whenever there is room, which is known earlier than whether there is a word.
    wire              room;
    wire              rd_en = room && rd_ptr_reg != commit_ptr_reg;
    wire [DATA_W-1:0] rd_data;

    always @(posedge clk) begin
        if (rd_en) rd_ptr_reg <= rd_ptr_reg + {{ADDR_W{1'b0}}, 1'b1};
        if (rst) rd_ptr_reg <= {ADDR_W+1{1'b0}};
    end

`ifdef FORMAL
    wire [DATA_W-1:0] ram_word;
`endif

    ws_ram_sdp #(
        .DATA_W(DATA_W),
        .ADDR_W(ADDR_W),
        .OUTPUT_REG(OUTPUT_REG),
        .STYLE(STYLE)
    ) ram (
        .clk(clk),
        .wr_en(wr_en),
        .wr_addr(wr_ptr_reg[ADDR_W-1:0]),
        .wr_data(wr_data),
        .rd_en(room),
        .rd_addr(rd_ptr_reg[ADDR_W-1:0]),
        .rd_data(rd_data)
`ifdef FORMAL
        ,
        .watch_addr(watch_ptr[ADDR_W-1:0]),
        .watch_data(ram_word)
`endif
    );

    generate
        if (OUTPUT_REG == 0) begin : gen_direct
            // The RAM's read register is the only place.
            reg valid_reg;

            assign m_valid = valid_reg;
            assign m_data  = rd_data;
            assign room    = !valid_reg || m_ready;

            always @(posedge clk) begin
                if (room) valid_reg <= rd_en;
                if (rst) valid_reg <= 1'b0;
            end
        end else begin : gen_prefetch
            // A word passes the RAM's read register (one cycle) and output register (until it can move on), then a
            // skid buffer's two places. Three of these four places can hold a word while the sink waits.
            reg              read_valid_reg, fetched_valid_reg, out_valid_reg, spare_valid_reg;
            reg [DATA_W-1:0] out_data_reg, spare_data_reg;

            wire [2:0] held = {2'b0, read_valid_reg} + {2'b0, fetched_valid_reg} + {2'b0, out_valid_reg}
                            + {2'b0, spare_valid_reg};
            wire       out_free = !out_valid_reg || m_ready;

            assign m_valid = out_valid_reg;
            assign m_data  = out_data_reg;
            assign room    = held != 3'd3 || deliver;

            // RAM stages
            always @(posedge clk) begin
                read_valid_reg    <= rd_en;
                fetched_valid_reg <= read_valid_reg || (fetched_valid_reg && spare_valid_reg);
                if (rst) begin
                    read_valid_reg    <= 1'b0;
                    fetched_valid_reg <= 1'b0;
                end
            end

            // Skid stage
            always @(posedge clk) begin
                if (out_free) begin
                    out_valid_reg   <= spare_valid_reg || fetched_valid_reg;
                    out_data_reg    <= spare_valid_reg ? spare_data_reg : rd_data;
                    spare_valid_reg <= 1'b0;
                end else if (fetched_valid_reg && !spare_valid_reg) begin
                    spare_valid_reg <= 1'b1;
                    spare_data_reg  <= rd_data;
                end
                if (rst) begin
                    out_valid_reg   <= 1'b0;
                    spare_valid_reg <= 1'b0;
                end
            end
        end
    endgenerate

`ifdef FORMAL
    // The word written at an arbitrary place in the order of writing is followed through the RAM and the registers.
    localparam [ADDR_W:0] CAPACITY = 1 << ADDR_W;

    reg               past_valid = 1'b0;
    reg  [ADDR_W:0]   deliver_ptr_ref;
    reg  [DATA_W-1:0] watch_ref;
    reg  [2:0]        delay_ref;    // cycles in which words were committed and m_valid was low
    wire [ADDR_W:0]   total     = wr_ptr_reg - deliver_ptr_ref;
    wire [ADDR_W:0]   readable  = commit_ptr_reg - deliver_ptr_ref;
    wire [ADDR_W:0]   taken     = rd_ptr_reg - deliver_ptr_ref;     // in the registers after the RAM
    wire [ADDR_W:0]   place     = watch_ptr - deliver_ptr_ref;      // of the watched word; 0 is next to leave

    assign watch_data  = watch_ref;
    assign write_ptr   = wr_ptr_reg;
    assign commit_ptr  = commit_ptr_reg;
    assign deliver_ptr = deliver_ptr_ref;

    always @(posedge clk) begin
        past_valid      <= 1'b1;
        deliver_ptr_ref <= rst ? {ADDR_W+1{1'b0}} : deliver_ptr_ref + {{ADDR_W{1'b0}}, deliver};
        delay_ref       <= rst || m_valid || readable == 0 ? 3'd0 : delay_ref + 3'd1;
        if (wr_en && wr_ptr_reg == watch_ptr) watch_ref <= wr_data;

        if (!past_valid) assume (rst);
        else begin
            assume ($stable(watch_ptr));
            assume (!(wr_en && full));
            assume (!(commit && rewind));

            // counts add up; nothing is delivered that was not committed
            assert (used_reg == total && committed_reg == readable);
            assert (taken <= readable && readable <= total && total <= CAPACITY);
            // no read of a word while it is written
            if (wr_en && rd_en) assert (wr_ptr_reg[ADDR_W-1:0] != rd_ptr_reg[ADDR_W-1:0]);
            // nothing lost, nothing twice, order kept: words leave in the order of their pointers, unchanged
            if (place >= taken && place < total) assert (ram_word == watch_ref);
            if (m_valid && place == 0) assert (m_data == watch_ref);
            // the header's latency: no committed word waits longer for m_valid, whatever m_ready does
            assert (delay_ref <= 1 + 2 * OUTPUT_REG);
            // stable while waiting
            if ($past(m_valid && !m_ready && !rst)) assert (m_valid && $stable(m_data));
        end
        cover (past_valid && full && readable == CAPACITY && deliver);
        cover (past_valid && $past(rewind && total != 0 && readable != 0) && m_valid);
    end

    generate
        if (OUTPUT_REG == 0) begin : gen_direct_properties
            always @(posedge clk) if (past_valid) assert (taken == {{ADDR_W{1'b0}}, m_valid});
        end else begin : gen_prefetch_properties
            wire [2:0] skid_held = {2'b0, gen_prefetch.out_valid_reg} + {2'b0, gen_prefetch.spare_valid_reg};
            always @(posedge clk) if (past_valid) begin
                assert (gen_prefetch.held <= 3 && taken == gen_prefetch.held);
                assert (gen_prefetch.out_valid_reg || !gen_prefetch.spare_valid_reg);
                // a fetched word leaves before the next takes its place
                if (gen_prefetch.fetched_valid_reg && gen_prefetch.read_valid_reg)
                    assert (!gen_prefetch.spare_valid_reg);
                if (gen_prefetch.spare_valid_reg && place == 1) assert (gen_prefetch.spare_data_reg == watch_ref);
                if (gen_prefetch.fetched_valid_reg && place == skid_held) assert (rd_data == watch_ref);
            end
        end
    endgenerate
`endif

endmodule

`default_nettype wire
