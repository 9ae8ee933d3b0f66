# Clock crossings of ws_async_fifo, for Vivado. Scope it to the module, so that it applies to every instance:
#     read_xdc -ref ws_async_fifo async_fifo.xdc
# Names are relative to the instance. Both clocks must be defined first.

set wr_period [get_property PERIOD [get_clocks -of_objects [get_cells wr_gray_reg_reg[0]]]]
set rd_period [get_property PERIOD [get_clocks -of_objects [get_cells rd_gray_reg_reg[0]]]]

# Write pointer and clear, to the read side: the skew between the bits must be less than a period of the sending clock.
set_max_delay -datapath_only -from [get_cells {clear_reg_reg wr_gray_reg_reg[*]}] \
    -to [get_cells to_rd/stages_reg_reg[*]] $wr_period
set_bus_skew -from [get_cells {clear_reg_reg wr_gray_reg_reg[*]}] -to [get_cells to_rd/stages_reg_reg[*]] $wr_period

# Read pointer, ask and ack, to the write side.
set_max_delay -datapath_only -from [get_cells {ask_reg_reg ack_reg_reg rd_gray_reg_reg[*]}] \
    -to [get_cells to_wr/stages_reg_reg[*]] $rd_period
set_bus_skew -from [get_cells {ask_reg_reg ack_reg_reg rd_gray_reg_reg[*]}] \
    -to [get_cells to_wr/stages_reg_reg[*]] $rd_period

# A word of a LUT RAM to the read register: written at least SYNC_STAGES cycles of rd_clk before it is read. A block
# RAM has no such path.
set_max_delay -quiet -datapath_only -from [get_cells -quiet -hierarchical -filter {NAME =~ *ram/mem_reg*}] \
    -to [get_cells -quiet ram/rd_data_reg[*]] $rd_period
