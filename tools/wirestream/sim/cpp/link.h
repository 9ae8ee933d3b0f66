// SPDX-License-Identifier: Apache-2.0
//
// The wire of a simulated board that is on a network: frames on a TAP device of this machine, or one a datagram in a
// UDP tunnel. What arrives is stored here, since a simulation is slower than a wire.
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
    int descriptor() const { return descriptor_; }
    virtual uint64_t host_dropped() { return 0; }  // frames for the board that the host had no room for

    bool closed = false;  // what waits stays here
    uint64_t received = 0, dropped = 0;  // frames; dropped: for want of room here
    uint64_t sent = 0, unsent = 0;       // unsent: that the host did not take

protected:
    virtual ssize_t read(uint8_t *to, size_t room) = 0;  // a frame; below 0: there is none
    static constexpr size_t LONGEST = 1 << 14;
    int descriptor_ = -1;

private:
    void fetch();
    std::deque<std::vector<uint8_t>> waiting_;
};

// address: ADDRESS/BITS of the host's side. mac: of the host's side; empty: one that the kernel makes.
std::unique_ptr<Link> tap_link(const std::string &name, const std::string &address, const std::string &mac);
std::unique_ptr<Link> tunnel_link(const std::string &local, const std::string &peer);
