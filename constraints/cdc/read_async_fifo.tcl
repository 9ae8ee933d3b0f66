# async_fifo.xdc for every instance of ws_async_fifo, after the constraints that define the clocks.
set async_fifo_xdc [file join [file dirname [file normalize [info script]]] async_fifo.xdc]
read_xdc -ref ws_async_fifo $async_fifo_xdc
set_property PROCESSING_ORDER LATE [get_files $async_fifo_xdc]
