# Digilent Nexys Video (xc7a200tsbg484-1): Ethernet, the button CPU RESET and five lights.
# Source: Digilent Nexys Video schematics, revision A.2, and its master XDC file.

create_clock -period 8.000 [get_ports eth_rxc]

set_property -dict {PACKAGE_PIN G4 IOSTANDARD LVCMOS15} [get_ports {rst_n}]
set_property -dict {PACKAGE_PIN U7 IOSTANDARD LVCMOS33} [get_ports {eth_rst_n}]
set_property -dict {PACKAGE_PIN V13 IOSTANDARD LVCMOS25} [get_ports {eth_rxc}]
set_property -dict {PACKAGE_PIN AB16 IOSTANDARD LVCMOS25} [get_ports {eth_rxd[0]}]
set_property -dict {PACKAGE_PIN AA15 IOSTANDARD LVCMOS25} [get_ports {eth_rxd[1]}]
set_property -dict {PACKAGE_PIN AB15 IOSTANDARD LVCMOS25} [get_ports {eth_rxd[2]}]
set_property -dict {PACKAGE_PIN AB11 IOSTANDARD LVCMOS25} [get_ports {eth_rxd[3]}]
set_property -dict {PACKAGE_PIN W10 IOSTANDARD LVCMOS25} [get_ports {eth_rx_ctl}]
set_property -dict {PACKAGE_PIN AA14 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {eth_txc}]
set_property -dict {PACKAGE_PIN Y12 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {eth_txd[0]}]
set_property -dict {PACKAGE_PIN W12 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {eth_txd[1]}]
set_property -dict {PACKAGE_PIN W11 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {eth_txd[2]}]
set_property -dict {PACKAGE_PIN Y11 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {eth_txd[3]}]
set_property -dict {PACKAGE_PIN V10 IOSTANDARD LVCMOS25 SLEW FAST} [get_ports {eth_tx_ctl}]
set_property -dict {PACKAGE_PIN T14 IOSTANDARD LVCMOS25} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN T15 IOSTANDARD LVCMOS25} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN T16 IOSTANDARD LVCMOS25} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN U16 IOSTANDARD LVCMOS25} [get_ports {led[3]}]
set_property -dict {PACKAGE_PIN V15 IOSTANDARD LVCMOS25} [get_ports {led[4]}]
