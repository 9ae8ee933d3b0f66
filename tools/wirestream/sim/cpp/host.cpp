// SPDX-License-Identifier: Apache-2.0
#include "host.h"

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "link.h"

static constexpr uint64_t OKAY = 0, SLVERR = 2, DECERR = 3, INCR = 1, PAGE = 4096;

Memory::Memory(Ports &ports) {
    if (!ports.has("m_axi_awaddr")) return;
    auto take = [&](const char *name) { return ports.take(std::string("m_axi_") + name); };
    auto optional = [&](const char *name) { return ports.take_optional(std::string("m_axi_") + name); };
    awid_ = optional("awid"), awaddr_ = take("awaddr"), awlen_ = take("awlen"), awsize_ = take("awsize");
    awburst_ = take("awburst"), wdata_ = take("wdata"), wstrb_ = take("wstrb"), bid_ = optional("bid");
    bresp_ = take("bresp"), arid_ = optional("arid"), araddr_ = take("araddr"), arlen_ = take("arlen");
    arsize_ = take("arsize"), arburst_ = take("arburst"), rid_ = optional("rid"), rdata_ = take("rdata");
    rresp_ = take("rresp");
    if (rdata_.width < 64) fail("m_axi_rdata has %u bits; memory has at least 64", rdata_.width);
    awvalid_ = take("awvalid").data, wvalid_ = take("wvalid").data, wlast_ = take("wlast").data;
    bready_ = take("bready").data, arvalid_ = take("arvalid").data, rready_ = take("rready").data;
    awready_ = take("awready").data, wready_ = take("wready").data, bvalid_ = take("bvalid").data;
    arready_ = take("arready").data, rvalid_ = take("rvalid").data, rlast_ = take("rlast").data;
    *awready_ = *wready_ = *bvalid_ = *arready_ = *rvalid_ = *rlast_ = 0;
}

Memory::~Memory() {
    if (bytes_) munmap(bytes_, size_);
}

void Memory::map(const std::string &file, uint64_t base) {
    int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
    struct stat about {};
    if (descriptor < 0 || fstat(descriptor, &about)) fail("%s: %s", file.c_str(), std::strerror(errno));
    if (about.st_size < 1 || base % PAGE) fail("--memory: %s is empty, or --base is not a multiple of 4096", file.c_str());
    size_ = about.st_size, base_ = base;
    void *mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (mapped == MAP_FAILED) fail("%s: %s", file.c_str(), std::strerror(errno));
    bytes_ = static_cast<uint8_t *>(mapped);
}

// Whose turn the data bus is in this cycle.
void Memory::choose(const Run &run) {
    may_read_ = may_write_ = !dram || run.cycle % PERIOD >= REFRESH;
    if (!dram || !may_read_) return;
    const bool reads = !reads_.empty() && reads_.front().due <= run.cycle;
    const bool writes = !writes_.empty() && (write_waits_ || !beats_.empty());
    const bool inside = reading_ ? beat_ || read_waits_ : !beats_.empty();
    if (!inside && (reading_ ? writes : reads) && (!(reading_ ? reads : writes) || batch_ >= BATCH)) {
        reading_ = !reading_;
        batch_ = 0;
        free_at_ = run.cycle + TURNAROUND;
    }
    may_read_ = reading_ && run.cycle >= free_at_;
    may_write_ = !reading_ && run.cycle >= free_at_;
}

void Memory::drive(const Run &run) {
    choose(run);
    *awready_ = *arready_ = 1;
    *wready_ = may_write_ && (!dram || !writes_.empty());
    *rvalid_ = read_waits_ || (may_read_ && !reads_.empty() && reads_.front().due <= run.cycle);
    *bvalid_ = !answers_.empty() && answers_.front().due <= run.cycle;
    if (*rvalid_) {
        const Burst &burst = reads_.front();
        if (rid_) rid_.set(burst.id);
        rresp_.set(burst.response);
        *rlast_ = beat_ + 1 == burst.beats;
        uint64_t bytes = rdata_.bytes(), at = burst.address / bytes * bytes - base_ + beat_ * bytes;
        if (burst.response == OKAY) rdata_.copy(bytes_ + at);
        else rdata_.scramble(random_);
    } else {
        rdata_.scramble(random_);
    }
    if (*bvalid_) {
        if (bid_) bid_.set(answers_.front().id);
        bresp_.set(answers_.front().response);
    }
}

// The burst that is requested; checks the rules that concern it.
Memory::Burst Memory::burst(Run &run, const char *channel, const Port &id, const Port &address, const Port &length,
                            const Port &size, const Port &kind) const {
    Burst found{id ? id.value() : 0, address.value(), length.value() + 1, 0, OKAY};
    uint64_t bytes = rdata_.bytes(), begin = found.address / bytes * bytes;
    if (kind.value() != INCR) run.violation(std::string(channel) + ": a burst that is not INCR");
    if (uint64_t(1) << size.value() != bytes) run.violation(std::string(channel) + ": a narrow burst");
    if (begin / PAGE != (begin + found.beats * bytes - 1) / PAGE)
        run.violation(std::string(channel) + ": a burst crosses a multiple of 4096");
    return found;
}

uint64_t Memory::response(const Burst &burst) const {
    uint64_t bytes = rdata_.bytes(), begin = burst.address / bytes * bytes, length = burst.beats * bytes;
    if (begin < base_ || begin - base_ > size_ || length > size_ - (begin - base_)) return DECERR;
    for (const Area &area : faults_)
        if (begin < area.address + area.bytes && area.address < begin + length) return SLVERR;
    return OKAY;
}

void Memory::sample(Run &run) {
    read_waits_ = *rvalid_ && !*rready_;
    write_waits_ = *wvalid_ && !*wready_;
    batch_ += (*rvalid_ && *rready_) || (*wvalid_ && *wready_);
    if (*rvalid_ && *rready_) {
        read += rdata_.bytes();
        if (*rlast_) {
            errors += reads_.front().response != OKAY;
            reads_.pop_front();
            beat_ = 0;
            std::atomic_thread_fence(std::memory_order_acquire);
        } else {
            ++beat_;
        }
    }
    if (*bvalid_ && *bready_) answers_.pop_front();
    if (*arvalid_ && *arready_) {
        reads_.push_back(burst(run, "AR", arid_, araddr_, arlen_, arsize_, arburst_));
        reads_.back().due = answer_at(run);
        reads_.back().response = response(reads_.back());
    }
    if (*awvalid_ && *awready_) writes_.push_back(burst(run, "AW", awid_, awaddr_, awlen_, awsize_, awburst_));
    if (*wvalid_ && *wready_) {
        std::vector<uint8_t> &beat = beats_.emplace_back(wdata_.data, wdata_.data + wdata_.bytes());
        beat.insert(beat.end(), wstrb_.data, wstrb_.data + wstrb_.bytes());
        beat.push_back(*wlast_);
    }
    while (!writes_.empty() && beats_.size() >= writes_.front().beats) write(run);
    if (!reads_.empty() || !writes_.empty() || !beats_.empty() || !answers_.empty()) run.activity = run.cycle;
}

// Words of 64 bits are written as a whole, so that the host never reads half of a new head.
void Memory::store(uint8_t *to, const std::vector<uint8_t> &beat) {
    const uint64_t bytes = wdata_.bytes();
    for (uint64_t i = 0; i < bytes; i += 8) {
        const uint8_t strobes = beat[bytes + i / 8];
        uint64_t word;
        std::memcpy(&word, &beat[i], sizeof word);
        if (strobes == 0xff) __atomic_store_n(reinterpret_cast<uint64_t *>(to + i), word, __ATOMIC_RELEASE);
        else
            for (uint64_t k = 0; k < 8; ++k)
                if (strobes >> k & 1) to[i + k] = beat[i + k];
        written += __builtin_popcount(strobes);
    }
}

// Write the oldest burst, all of whose beats are here.
void Memory::write(Run &run) {
    Burst burst = writes_.front();
    writes_.pop_front();
    burst.response = response(burst);
    burst.due = answer_at(run);
    errors += burst.response != OKAY;
    uint64_t bytes = wdata_.bytes(), begin = burst.address / bytes * bytes;
    for (uint64_t n = 0; n < burst.beats; ++n) {
        const std::vector<uint8_t> &beat = beats_.front();
        if (beat.back() != (n + 1 == burst.beats)) run.violation("W: WLAST is not on the last beat of its burst");
        if (burst.response == OKAY) store(bytes_ + (begin - base_ + n * bytes), beat);
        beats_.pop_front();
    }
    answers_.push_back(burst);
}

Interrupt::Interrupt(Ports &ports) : irq_(ports.bit("irq", false)) {}

Interrupt::~Interrupt() {
    if (descriptor_ >= 0) close(descriptor_);
}

void Interrupt::send_to(const std::string &address) {
    sockaddr_in to = address_of(address, "--interrupt");
    descriptor_ = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor_ < 0 || connect(descriptor_, reinterpret_cast<const sockaddr *>(&to), sizeof to))
        fail("--interrupt: %s", std::strerror(errno));
}

void Interrupt::rise() {
    ++count;
    // A host that is not there yet reads the status when it comes.
    if (descriptor_ >= 0) (void)!send(descriptor_, &count, sizeof count, 0);
}
