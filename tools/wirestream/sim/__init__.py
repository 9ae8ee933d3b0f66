"""Simulation of a design: with cocotb by `simulate`, with the C++ bench by `bulk`; `verilate` builds both."""
