// SPDX-License-Identifier: Apache-2.0
//
// The host of a simulated board, as the design sees it: memory on AXI4, which is a file that the host's programs map,
// and an interrupt, which becomes a datagram.
//
// Memory has independent channels: it takes a burst's address in any cycle and a beat of data in any cycle, and answers
// `latency` cycles after a read's address or a write's last beat, in order. With `dram` it has one data bus, as in front
// of a DRAM: a beat a cycle of reads and writes together, TURNAROUND cycles between the two directions, which change
// between bursts, after at least BATCH beats if there are so many, REFRESH cycles in each PERIOD without a beat, and
// LEAST to MOST cycles of latency, drawn for each burst. An address outside the file answers DECERR,
// one in a fault SLVERR; neither is written. Rules of AXI4 that the design violates are violations of the run.
//
// irq is a level. A datagram of 8 bytes, the number of the datagram from 1 on (little-endian), is sent when it rises: the
// host clears what is pending before it looks for work, so that nothing new is missed.
#pragma once

#include <deque>

#include "bench.h"

class Memory {
public:
    explicit Memory(Ports &ports);  // empty if the model has no port m_axi_awaddr
    ~Memory();
    explicit operator bool() const { return bool(awaddr_); }
    void map(const std::string &file, uint64_t base);  // the whole file, at this address
    void fault(uint64_t address, uint64_t bytes) { faults_.push_back({address, bytes}); }
    void drive(const Run &run);
    void sample(Run &run);

    uint64_t latency = 20;                      // cycles
    bool dram = false;
    uint64_t read = 0, written = 0, errors = 0;  // bytes that the design read and wrote; bursts answered with an error

private:
    static constexpr uint64_t TURNAROUND = 8, BATCH = 64, REFRESH = 26, PERIOD = 780, LEAST = 20, MOST = 60;

    struct Area {
        uint64_t address, bytes;
    };
    struct Burst {
        uint64_t id, address, beats, due;  // due: the cycle of its answer
        uint64_t response;
    };
    Burst burst(Run &run, const char *channel, const Port &id, const Port &address, const Port &length,
                const Port &size, const Port &kind) const;
    uint64_t response(const Burst &burst) const;
    void write(Run &run);
    void choose(const Run &run);
    uint64_t answer_at(const Run &run) { return run.cycle + (dram ? LEAST + random_() % (MOST - LEAST + 1) : latency); }
    void store(uint8_t *to, const std::vector<uint8_t> &beat);

    Port awid_, awaddr_, awlen_, awsize_, awburst_, wdata_, wstrb_, bid_, bresp_;
    Port arid_, araddr_, arlen_, arsize_, arburst_, rid_, rdata_, rresp_;
    const uint8_t *awvalid_, *wvalid_, *wlast_, *bready_, *arvalid_, *rready_;
    uint8_t *awready_, *wready_, *bvalid_, *arready_, *rvalid_, *rlast_;
    std::deque<Burst> reads_, writes_, answers_;
    std::deque<std::vector<uint8_t>> beats_;  // of writes: data, strobes, last
    uint8_t *bytes_ = nullptr;
    uint64_t base_ = 0, size_ = 0, beat_ = 0;
    bool reading_ = true, may_read_ = true, may_write_ = true;  // of the data bus: its direction, its turn
    bool read_waits_ = false, write_waits_ = false;             // a beat that was not taken
    uint64_t free_at_ = 0, batch_ = 0;
    std::vector<Area> faults_;
    Random random_{1};  // drives signals that are not valid
};

class Interrupt {
public:
    explicit Interrupt(Ports &ports);
    ~Interrupt();
    void send_to(const std::string &address);
    void sample() {
        if (*irq_ && !before_) rise();
        before_ = *irq_;
    }
    uint64_t count = 0;

private:
    void rise();
    const uint8_t *irq_;
    bool before_ = false;
    int descriptor_ = -1;
};
