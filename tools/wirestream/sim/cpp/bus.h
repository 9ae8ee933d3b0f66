// SPDX-License-Identifier: Apache-2.0
//
// The registers of a simulated board: an AXI4-Lite master for each of its buses, and the datagrams with which a host
// requests transfers. They bypass the board's network: this program answers them, like a management port.
//
// A datagram, big-endian: magic 5752, version 1, count of transfers, number (32 bits, any); then for each transfer its
// address, with bit 31 set for a write, and its value, 32 bits each. The answer is the same with the response instead of
// the address (AXI: 0 good, 2 SLVERR, 3 DECERR), and the value read, or 0. Other datagrams are ignored.
//
// Addresses 0x0000 to 0x0fff belong to s_axil, 0x1000 to 0x1fff to q_axil, 0x3000 to 0x30ff to h_axil. From 0x2000 on,
// the program has the total of each port evt_* of the design, 64 bits, low word first, to be read only.
#pragma once

#include <deque>

#include "bench.h"

class AxiLite {
public:
    AxiLite(Ports &ports, const std::string &prefix);  // empty if the model has no port prefix_awaddr
    explicit operator bool() const { return bool(awaddr_); }
    void begin(bool write, uint32_t address, uint32_t value);
    void drive();
    void sample();
    bool busy() const { return reading_ || writing_; }
    uint32_t response = 0, value = 0;  // of the last transfer

private:
    Port awaddr_, wdata_, wstrb_, araddr_, rdata_, bresp_, rresp_;
    uint8_t *awvalid_, *wvalid_, *bready_, *arvalid_, *rready_;
    const uint8_t *awready_, *wready_, *bvalid_, *arready_, *rvalid_;
    bool reading_ = false, writing_ = false, address_taken_ = false, data_taken_ = false;
    Random random_{1};  // drives signals that are not valid
};

class Registers {
public:
    explicit Registers(Ports &ports);
    ~Registers();
    void listen(const std::string &address);
    void watch(const Monitor &monitor) { monitor_ = &monitor; }
    int descriptor() const { return descriptor_; }
    void write(uint32_t address, uint32_t value);  // by the program itself
    bool busy() const { return place_ < request_.size(); }
    void poll();  // accept a request, if idle
    void drive() {
        if (busy()) go_on();
    }
    void sample() {
        if (active_) active_->sample();
    }
    uint64_t answered = 0, refused = 0;  // transfers; those with an error

private:
    struct Transfer {
        uint32_t address, value;
    };
    void go_on();
    void answer();
    Transfer counted(uint32_t address) const;
    AxiLite network_, query_, host_;
    AxiLite *bus(uint32_t address);
    AxiLite *active_ = nullptr;
    const Monitor *monitor_ = nullptr;
    std::vector<Transfer> request_;
    size_t place_ = 0;
    int descriptor_ = -1;
    bool asked_ = false;           // by a datagram, which needs an answer
    uint32_t number_ = 0;          // of the datagram, in network byte order
    std::vector<uint8_t> asker_;   // address of its sender
};
