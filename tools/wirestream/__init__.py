"""wirestream: tools around a Verilog IP library that runs streaming SQL at wire speed."""

__version__ = "0.1.0"
