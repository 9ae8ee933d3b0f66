// SPDX-License-Identifier: Apache-2.0
//
// Ethernet frames on XGMII, 64 or 32 bits wide: start in lane 0 or 4, terminate in any. A wire neither stalls nor is
// affected by a reset.
#include <algorithm>

#include "ethernet.h"

namespace {

constexpr uint8_t IDLE = 0x07, START = 0xfb, TERMINATE = 0xfd, ERROR_CHARACTER = 0xfe;
constexpr int64_t LEAST_AVERAGE_GAP = 12, MOST_DEFICIT = 3;
constexpr uint8_t FIRST_OCTET = 0x55;  // of the preamble, replaced by the start character

class XgmiiSource final : public Source {
public:
    XgmiiSource(Ports &ports, const Options &options, Run &run)
        : run_(run), rxd_(ports.take("xgmii_rxd")), rxc_(ports.take("xgmii_rxc").data), in_(options),
          gap_(options.gap), pauses_(options.gaps, options.seed + 1) {
        done = !in_.next();
    }

    void idle() override {
        std::fill_n(rxd_.data, rxd_.bytes(), IDLE);
        *rxc_ = (1u << rxd_.bytes()) - 1;
    }

    void drive() override {
        bool paused = position_ == 0 && !done && pauses_();
        for (size_t lane = 0; lane < rxd_.bytes(); ++lane) {
            if (position_ == 0 && (done || paused || lane % 4 || !may_start())) {
                put(lane, true, IDLE);
                ++idle_;
            } else if (position_ == in_.octets.size()) {
                put(lane, true, TERMINATE);
                idle_ = 1;
                position_ = 0;
                in_.log();
                ++count;
                done = !in_.next();
            } else {
                octet(lane);
            }
        }
    }

    void sample() override {}

    void reset() override { drive(); }

    void more() override { done = !in_.next(); }

private:
    void put(size_t lane, bool control, uint8_t character) {
        rxd_.data[lane] = character;
        *rxc_ = (*rxc_ & ~(1u << lane)) | control << lane;
    }

    void octet(size_t lane) {
        if (position_ == 0) {
            deficit_ = std::max<int64_t>(0, deficit_ + gap_ - idle_);
            in_.record.first = run_.cycle;
            put(lane, true, START);
        } else if (position_ == in_.error_at) {
            put(lane, true, ERROR_CHARACTER);
        } else {
            put(lane, false, in_.octets[position_]);
        }
        ++position_;
        in_.record.last = run_.progress = run_.cycle;
    }

    // Deficit idle count: gaps may be short by at most three octets in total (IEEE 802.3, 46.3.1.4).
    bool may_start() const { return deficit_ + gap_ - idle_ <= MOST_DEFICIT; }

    Run &run_;
    Port rxd_;
    uint8_t *rxc_;
    WireReader in_;
    int64_t gap_, idle_ = 1 << 20, deficit_ = 0;  // idle_: characters since the last terminate
    Pauses pauses_;
    size_t position_ = 0;  // in the frame; 0: between frames
};

class XgmiiSink final : public Sink {
public:
    XgmiiSink(Ports &ports, const Options &options, Run &run)
        : run_(run), txd_(ports.take("xgmii_txd")), txc_(ports.take("xgmii_txc").data), out_(options),
          least_gap_(std::min<int64_t>(options.gap, LEAST_AVERAGE_GAP) - MOST_DEFICIT) {}

    void drive() override {}

    void sample() override {
        for (size_t lane = 0; lane < txd_.bytes(); ++lane) {
            bool control = *txc_ >> lane & 1;
            uint8_t character = txd_.data[lane];
            if (!octets_.empty()) inside(control, character);
            else if (control && character == START) start(lane);
            else if (!control || character != IDLE) run_.violation("a non-idle character between frames");
            ++idle_;
        }
        if (!octets_.empty()) run_.progress = run_.activity = run_.cycle;
    }

    void reset() override {
        idle_ = 1 << 20;
        if (octets_.empty()) return;
        record_.flags |= CUT;
        ++cut;
        frame();
    }

private:
    void start(size_t lane) {
        if (lane % 4) run_.violation("start in lane " + std::to_string(lane));
        if (idle_ < least_gap_) run_.violation("a gap of " + std::to_string(idle_) + " octets");
        record_ = {run_.cycle, run_.cycle, 0, 0};
        octets_.push_back(FIRST_OCTET);
    }

    void inside(bool control, uint8_t character) {
        if (!control) {
            octets_.push_back(character);
            record_.last = run_.cycle;
        } else if (character == ERROR_CHARACTER) {
            record_.flags |= ERROR;
        } else {
            if (character != TERMINATE) run_.violation("a frame without terminate");
            run_.activity = run_.cycle;
            frame();
        }
    }

    void frame() {
        ++count;
        bad += !out_.write(octets_, record_);
        octets_.clear();
        idle_ = 0;
    }

    Run &run_;
    Port txd_;
    const uint8_t *txc_;
    WireWriter out_;
    int64_t least_gap_, idle_ = 1 << 20;
    std::vector<uint8_t> octets_;
    PacketLog record_{};
};

}  // namespace

std::unique_ptr<Source> xgmii_source(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<XgmiiSource>(ports, options, run);
}

std::unique_ptr<Sink> xgmii_sink(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<XgmiiSink>(ports, options, run);
}
