// SPDX-License-Identifier: Apache-2.0
//
// The wire of a simulated board on a network: frames on a TAP device of this machine, or one per datagram in a UDP
// tunnel. Arriving frames are queued here, since a simulation is slower than a wire.
#pragma once

#include <deque>
#include <netinet/in.h>

#include "bench.h"

sockaddr_in address_of(const std::string &text, const char *what);  // of HOST:PORT, an IPv4 address in digits
int bound_socket(const sockaddr_in &address);                       // UDP, not blocking

class Link : public FrameInput, public FrameOutput {
public:
    ~Link() override;
    bool next(std::vector<uint8_t> &frame) override;
    void mirror(const std::string &address);  // also send the frames of the board to this UDP port, as far as it takes them
    void write(const uint8_t *frame, size_t length, uint64_t cycle) final;
    int descriptor() const { return descriptor_; }
    virtual uint64_t host_dropped() { return 0; }  // frames to the board that the host dropped

    bool closed = false;  // queued frames are not delivered
    uint64_t received = 0, dropped = 0;  // frames; dropped: because the queue was full
    uint64_t sent = 0, unsent = 0;       // unsent: refused by the host

protected:
    virtual ssize_t read(uint8_t *to, size_t room) = 0;  // a frame; below 0: none
    virtual ssize_t send(const uint8_t *frame, size_t length) = 0;
    static constexpr size_t LONGEST = 1 << 14;
    int descriptor_ = -1;

private:
    void fetch();
    int mirror_ = -1;
    std::deque<std::vector<uint8_t>> waiting_;
};

// address: ADDRESS/BITS of the host's side. mac: of the host's side; empty: chosen by the kernel.
std::unique_ptr<Link> tap_link(const std::string &name, const std::string &address, const std::string &mac);
std::unique_ptr<Link> tunnel_link(const std::string &local, const std::string &peer);
