// SPDX-License-Identifier: Apache-2.0
//
// Ethernet frames on GMII. Files hold them from the destination address to the last octet before the FCS: the bench
// makes and checks preamble, padding and FCS. A wire neither stalls nor knows of a reset.
#include <algorithm>
#include <array>
#include <optional>

#include "files.h"

namespace {

constexpr size_t PREAMBLE = 8, SHORTEST = 60, FCS = 4;
constexpr uint8_t SFD = 0xd5;

uint32_t crc32(const uint8_t *data, size_t length) {
    static const std::array<uint32_t, 256> table = [] {
        std::array<uint32_t, 256> entries;
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t c = i;
            for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xedb88320 : 0);
            entries[i] = c;
        }
        return entries;
    }();
    uint32_t crc = ~0u;
    for (size_t i = 0; i < length; ++i) crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
    return ~crc;
}

class GmiiSource final : public Source {
public:
    GmiiSource(Ports &ports, const Options &options, Run &run)
        : run_(run), rxd_(ports.take("gmii_rxd").data), dv_(ports.take("gmii_rx_dv").data),
          er_(ports.bit("gmii_rx_er", false)), in_(options.in, LINKTYPE_ETHERNET), log_(options.out + "/in.log"),
          gap_(options.gap), pauses_(options.gaps, options.seed + 1), random_(options.seed + 2) {
        if (!options.faults.empty()) faults_.emplace(options.faults);
        next();
    }

    void idle() override {
        *dv_ = *er_ = 0;
        *rxd_ = random_();
    }

    void drive() override {
        if (position_ == 0 && (done || wait_ || pauses_())) {
            if (wait_) --wait_;
            idle();
            return;
        }
        *dv_ = 1;
        *er_ = position_ == error_at_;
        *rxd_ = octets_[position_];
    }

    void sample() override {
        if (!*dv_) return;
        run_.progress = run_.cycle;
        if (position_++ == 0) record_.first = run_.cycle;
        if (position_ == octets_.size()) {
            record_.last = run_.cycle;
            log_.write(&record_, sizeof record_);
            ++count;
            wait_ = gap_;
            next();
        }
    }

    void reset() override {
        drive();
        sample();
    }

private:
    // Lay out the next frame as the octets on the wire.
    void next() {
        position_ = 0;
        do {
            if (!in_.next(frame_)) {
                done = true;
                return;
            }
            Fault fault{};
            if (faults_ && !faults_->read(&fault, sizeof fault)) fail("the fault file has fewer records than frames");
            record_ = {0, 0, uint32_t(frame_.size()), fault.flags};
            octets_.clear();
            if (!(fault.flags & (RAW | NO_PREAMBLE))) {
                octets_.assign(PREAMBLE, 0x55);
                octets_.back() = SFD;
            }
            error_at_ = fault.flags & ERROR ? octets_.size() + fault.at : SIZE_MAX;
            if (!(fault.flags & (RAW | NO_PAD)) && frame_.size() < SHORTEST) frame_.resize(SHORTEST, 0);
            octets_.insert(octets_.end(), frame_.begin(), frame_.end());
            if (!(fault.flags & RAW)) {
                uint32_t fcs = crc32(frame_.data(), frame_.size()) ^ (fault.flags & BAD_FCS ? ~0u : 0);
                for (size_t i = 0; i < FCS; ++i) octets_.push_back(fcs >> 8 * i);
            }
        } while (octets_.empty());
    }

    Run &run_;
    uint8_t *rxd_, *dv_, *er_;
    PacketReader in_;
    std::optional<Reader> faults_;
    Writer log_;
    uint64_t gap_;
    Pauses pauses_;
    Random random_;
    std::vector<uint8_t> frame_, octets_;
    PacketLog record_{};
    size_t position_ = 0, error_at_ = 0;
    uint64_t wait_ = 0;
};

class GmiiSink final : public Sink {
public:
    GmiiSink(Ports &ports, const Options &options, Run &run)
        : run_(run), txd_(ports.take("gmii_txd").data), en_(ports.take("gmii_tx_en").data),
          er_(ports.bit("gmii_tx_er", false)), out_(options.out + "/out.pcap", LINKTYPE_ETHERNET, options.period),
          log_(options.out + "/out.log") {}

    void drive() override {}

    void sample() override {
        if (*en_) {
            if (octets_.empty()) record_ = {run_.cycle, 0, 0, 0};
            if (*er_) record_.flags |= ERROR;
            record_.last = run_.progress = run_.activity = run_.cycle;
            octets_.push_back(*txd_);
        } else if (!octets_.empty()) {
            frame();
        }
    }

    void reset() override {
        if (octets_.empty()) return;
        record_.flags |= CUT;
        ++cut;
        frame();
    }

private:
    // A frame has ended: strip and check what the MAC put around it.
    void frame() {
        const uint8_t *data = octets_.data();
        size_t length = octets_.size();
        size_t preamble = std::min(length, PREAMBLE - 1);
        bool whole = length >= PREAMBLE && std::count(data, data + preamble, 0x55) == PREAMBLE - 1;
        if (whole && data[PREAMBLE - 1] == SFD) {
            data += PREAMBLE;
            length -= PREAMBLE;
        } else {
            record_.flags |= NO_PREAMBLE;
        }
        uint32_t fcs = 0;
        if (length >= FCS) std::memcpy(&fcs, data + (length -= FCS), FCS);
        else record_.flags |= BAD_FCS;
        if (fcs != crc32(data, length)) record_.flags |= BAD_FCS;
        record_.length = length;
        out_.write(data, length, record_.first);
        log_.write(&record_, sizeof record_);
        ++count;
        bad += record_.flags != 0;
        octets_.clear();
    }

    Run &run_;
    const uint8_t *txd_, *en_, *er_;
    PacketWriter out_;
    Writer log_;
    std::vector<uint8_t> octets_;
    PacketLog record_{};
};

}  // namespace

std::unique_ptr<Source> gmii_source(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<GmiiSource>(ports, options, run);
}

std::unique_ptr<Sink> gmii_sink(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<GmiiSink>(ports, options, run);
}
