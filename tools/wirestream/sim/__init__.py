"""Simulators of a design: cocotb by `simulate`, the C++ bench by `bulk`, both built by `verilate`."""
