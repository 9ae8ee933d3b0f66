"""The query machine: bytecode in place of a circuit, after chapter 3 of R. Mueller's dissertation (ETH 19163).

===============  =======================================================================================
`bytecode`       the instructions, from bytecode.yml, the one table of them
`program`        a program: its sections, header and messages
`assembler`      text to programs; `disassembler` is the inverse
`words`          the tuples of a stream as words
`limits`         the sizes of a machine, which are parameters of its core
`interpreter`    runs a program instruction by instruction, with the cycles that the core takes
`merging`        aggregation states: the instruction `merge`
`microcode`      a program as the words that the core runs
`intervals`      ranges of values, and what each instruction makes of them; `abstract`, states of them
`verifier`       proves that a program cannot trap, and how many cycles it takes
===============  =======================================================================================

`wirestream.record.programs` is the command; docs/machine.md shows how to use it.
"""
