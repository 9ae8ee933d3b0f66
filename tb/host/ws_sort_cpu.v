// SPDX-License-Identifier: Apache-2.0
//
// ws_sort_cpu: PicoRV32 with ws_sort_pcpi and a memory, for the bulk bench.
//
// The memory answers each access in the cycle after the address: PicoRV32's look-ahead interface, with which a load or
// store takes 5 cycles.
//
// Parameters   N       elements of a set of the co-processor
//              ADDR_W  2**ADDR_W words of memory, from address 0
// Items        s_kind 0: s_data is the next word of the memory; 1: the CPU starts at address 0; 2: taken when the CPU
//              has stopped, by an ebreak or an illegal instruction.
//              m_kind, m_data: a word that the CPU stores at 2**31 + 4*m_kind

`default_nettype none

module ws_sort_cpu #(
    parameter N      = 8,
    parameter ADDR_W = 18
) (
    input  wire        clk,
    input  wire        rst,

    input  wire        s_valid,
    output wire        s_ready,
    input  wire [31:0] s_data,
    input  wire [1:0]  s_kind,

    output reg         m_valid,
    output reg  [31:0] m_data,
    output reg  [1:0]  m_kind
);

    localparam STACK = 4080;    // the word at 4092 is for the program

    reg               started_reg, ready_reg;
    reg  [ADDR_W-1:0] load_reg;
    reg  [31:0]       read_reg;
    reg  [31:0]       memory [0:2**ADDR_W-1];

    wire        trap, read, write;
    wire [31:0] addr, wdata;
    wire [3:0]  strobe;
    wire        valid, ready, waits, result;
    wire [31:0] insn, rs1, rs2, rd;

    wire              load  = s_valid && s_kind == 2'd0;
    wire              store = write && !addr[31];
    wire [ADDR_W-1:0] at    = load ? load_reg : addr[ADDR_W+1:2];
    integer           i;

    assign s_ready = s_kind != 2'd2 || trap;

    always @(posedge clk) begin
        for (i = 0; i < 4; i = i + 1)
            if (load || store && strobe[i]) memory[at][8*i +: 8] <= load ? s_data[8*i +: 8] : wdata[8*i +: 8];
        if (read) read_reg <= memory[at];
        ready_reg <= read || write;
        m_valid   <= write && addr[31];
        m_kind    <= addr[3:2];
        m_data    <= wdata;
        if (load) load_reg <= load_reg + 1'b1;
        if (s_valid && s_kind == 2'd1) started_reg <= 1'b1;
        if (rst) begin
            load_reg    <= {ADDR_W{1'b0}};
            started_reg <= 1'b0;
            m_valid     <= 1'b0;
        end
    end

    /* verilator lint_off PINCONNECTEMPTY */
    picorv32 #(.BARREL_SHIFTER(1), .ENABLE_PCPI(1), .STACKADDR(STACK)) cpu (
        .clk(clk), .resetn(started_reg && !rst), .trap(trap),
        .mem_valid(), .mem_instr(), .mem_ready(ready_reg), .mem_addr(), .mem_wdata(), .mem_wstrb(),
        .mem_rdata(read_reg),
        .mem_la_read(read), .mem_la_write(write), .mem_la_addr(addr), .mem_la_wdata(wdata), .mem_la_wstrb(strobe),
        .pcpi_valid(valid), .pcpi_insn(insn), .pcpi_rs1(rs1), .pcpi_rs2(rs2),
        .pcpi_wr(result), .pcpi_rd(rd), .pcpi_wait(waits), .pcpi_ready(ready),
        .irq(32'd0), .eoi(), .trace_valid(), .trace_data()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    ws_sort_pcpi #(.N(N)) sorter (
        .clk(clk), .rst(!started_reg || rst),
        .pcpi_valid(valid), .pcpi_insn(insn), .pcpi_rs1(rs1), .pcpi_rs2(rs2),
        .pcpi_wr(result), .pcpi_rd(rd), .pcpi_wait(waits), .pcpi_ready(ready)
    );

endmodule

`default_nettype wire
