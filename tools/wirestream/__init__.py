"""wirestream: tools around a Verilog IP library that runs streaming SQL at wire speed."""

# Of the package and of every core; the .core files repeat it, which a test compares.
__version__ = "0.1.0"
