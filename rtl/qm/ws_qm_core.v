// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_core: the query machine, a stack machine that runs a program for each tuple (docs/machine.md).
//
// Four stages: fetch, the output register of the program RAM, read of the operands, execution. The program RAM holds
// words of 36 bits, into which the loader translates bytes (ws_qm_decoder.vh): the core has no decoder.
//
// Parameters   W        width of a word in bits, 16 or 32
//              FIELDS   a tuple has at most so many words, 2 to 64
//              FIFO_W   2**FIFO_W tuples wait or are in use, 1 to 6
//              PROG_W   2**PROG_W words of program, 4 to 12
//              STACK_W  the stack has 2**STACK_W words, 2 to 8
//              TB_W     the transmission buffer has 2**TB_W words, 2 to 4; at most W
//              SY_W     the synopsis has 2**SY_W words, 2 to 4; at most W
//              MULDIV   0: without multiplication and division, which trap
//              MERGE    0: without merge, which traps
//              THREADS  1: one program
//              DROP     0: the input stalls while there is no room; 1: whole packets are dropped then, and counted
// Latency      4 cycles from an event's last beat to the first cycle of its section; then the cycles of docs/machine.md
// Issue rate   a beat a cycle; an event in the cycles of its sections
// Overflow     of the stack, a trap. An index wraps within the memory; one from the stack outside of it is a trap.
// Bad input    A packet with tuser[0] in its last beat, or of too many words, is dropped, and counted in evt_bad.
//
// Input        A packet is an event, a word a beat. tuser: {nulls of the words, word 0 in bit 3; kind; bad}. The kinds:
//              0 a tuple; 1 a punctuation; 2 a tick of the period, whose words are ignored; 3 a message of another
//              machine, of at most 2**TB_W words, which a program without reception section ignores. tkeep[0] is low
//              in the only beat of a packet without words.
// Output       A packet is a row: its epoch, the words, and the nulls, that of the last word in bit 0. tuser:
//              {generation; section, 0 init, 1 delivery, 2 reception; 0}.
// Traps        Stack, index, an instruction that the core does not have, and more than 4,096 cycles in a section stop
//              the program, until the next swap.
// Source       R. Mueller, ETH 19163, section 3.2
//
// For the loader:
//              Program RAM and bounds are written at any time, but not where a running program reads. bound_addr is
//              {bank, k}, for k = 0, 1, 2 the address at which init, delivery, reception begin, and for k = 3 the end
//              of the last one: each section ends where the next one begins, and an empty one is absent.
//              swap_valid asks for another program, and is held with its values until swap_ready: then, between two
//              sections, the program with the bounds of swap_bank replaces the running one, with swap_run low none
//              does. Epoch, synopsis, the last tuple, a trap of the old one are gone; events that wait are for the
//              new one. swap_flags are those of a program's header (tools/wirestream/machine/program.py: MANUALCLEAR
//              in bit 1, PER_TUPLE 2, PER_PUNCT 3, PERIOD 4, RECEIVE_TUPLES 5), with bit 0 set for a program that has
//              an init section, bit 6 for one with a reception section. While `started` is low, deliveries do not run.

`default_nettype none

module ws_qm_core #(
    parameter W       = 32,
    parameter FIELDS  = 8,
    parameter FIFO_W  = 1,
    parameter PROG_W  = 9,
    parameter STACK_W = 4,
    parameter TB_W    = 4,
    parameter SY_W    = 4,
    parameter MULDIV  = 0,
    parameter MERGE   = 0,
    parameter THREADS = 1,
    parameter DROP    = 0,
    parameter NULLS   = FIELDS > (1 << TB_W) ? FIELDS : (1 << TB_W)    // follows from FIELDS, TB_W
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [W-1:0]      s_axis_tdata,
    input  wire [W/8-1:0]    s_axis_tkeep,
    input  wire              s_axis_tlast,
    input  wire [NULLS+2:0]  s_axis_tuser,

    output wire              m_axis_tvalid,
    input  wire              m_axis_tready,
    output wire [W-1:0]      m_axis_tdata,
    output wire [W/8-1:0]    m_axis_tkeep,
    output wire              m_axis_tlast,
    output wire [10:0]       m_axis_tuser,

    input  wire              prog_en,
    input  wire [PROG_W-1:0] prog_addr,
    input  wire [35:0]       prog_data,
    input  wire              bound_en,
    input  wire [2:0]        bound_addr,
    input  wire [PROG_W-1:0] bound_data,
    input  wire              swap_valid,
    output wire              swap_ready,
    input  wire              swap_run,
    input  wire              swap_bank,
    input  wire [6:0]        swap_flags,
    input  wire [7:0]        swap_generation,

    input  wire              started,
    output wire              running,       // a program is loaded and has not been trapped
    output wire [W-1:0]      epoch,         // deliveries of the program

    output wire              evt_trap,
    output wire              evt_send,      // a row
    output wire              evt_dropped,   // a packet, for want of room
    output wire              evt_bad,       // a packet
    output wire              evt_cycle      // of a section
);
endmodule

`default_nettype wire
