# Clock crossings of ws_async_fifo, for Quartus (TimeQuest). FIFO is the instance's path, PERIOD the shorter of the two
# clocks' periods in ns; for several instances repeat the lines, or begin FIFO with a wildcard.
set FIFO   "*|ws_async_fifo:*"
set PERIOD 6.4

# The skew between the bits must be less than a period of the sending clock.
set_max_skew -from [get_registers "$FIFO|clear_reg $FIFO|wr_gray_reg[*]"] \
    -to [get_registers "$FIFO|ws_synchroniser:to_rd|stages_reg[*]"] $PERIOD
set_max_skew -from [get_registers "$FIFO|ask_reg $FIFO|ack_reg $FIFO|rd_gray_reg[*]"] \
    -to [get_registers "$FIFO|ws_synchroniser:to_wr|stages_reg[*]"] $PERIOD
set_net_delay -max $PERIOD -from [get_registers "$FIFO|clear_reg $FIFO|wr_gray_reg[*]"] \
    -to [get_registers "$FIFO|ws_synchroniser:to_rd|stages_reg[*]"]
set_net_delay -max $PERIOD -from [get_registers "$FIFO|ask_reg $FIFO|ack_reg $FIFO|rd_gray_reg[*]"] \
    -to [get_registers "$FIFO|ws_synchroniser:to_wr|stages_reg[*]"]

# No relation between the edges of the two clocks.
set_false_path -to [get_registers "$FIFO|ws_synchroniser:to_rd|stages_reg[*]"]
set_false_path -to [get_registers "$FIFO|ws_synchroniser:to_wr|stages_reg[*]"]
set_false_path -from [get_registers -nowarn "$FIFO|ws_ram_2clk:ram|mem*"] \
    -to [get_registers "$FIFO|ws_ram_2clk:ram|rd_data[*]"]
