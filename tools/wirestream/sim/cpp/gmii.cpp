// SPDX-License-Identifier: Apache-2.0
//
// Ethernet frames on GMII. A wire neither stalls nor is affected by a reset.
#include "ethernet.h"

namespace {

class GmiiSource final : public Source {
public:
    GmiiSource(Ports &ports, const Options &options, Run &run)
        : run_(run), rxd_(ports.take("gmii_rxd").data), dv_(ports.take("gmii_rx_dv").data),
          er_(ports.bit("gmii_rx_er", false)), in_(options), gap_(options.gap),
          pauses_(options.gaps, options.seed + 1), random_(options.seed + 2) {
        *ports.bit("gmii_rx_ce", false) = 1;
        done = !in_.next();
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
        *er_ = position_ == in_.error_at;
        *rxd_ = in_.octets[position_];
    }

    void sample() override {
        if (!*dv_) return;
        run_.progress = run_.cycle;
        if (position_++ == 0) in_.record.first = run_.cycle;
        if (position_ == in_.octets.size()) {
            in_.record.last = run_.cycle;
            in_.log();
            ++count;
            wait_ = gap_;
            position_ = 0;
            done = !in_.next();
        }
    }

    void reset() override {
        drive();
        sample();
    }

private:
    Run &run_;
    uint8_t *rxd_, *dv_, *er_;
    WireReader in_;
    uint64_t gap_;
    Pauses pauses_;
    Random random_;
    size_t position_ = 0;
    uint64_t wait_ = 0;
};

class GmiiSink final : public Sink {
public:
    GmiiSink(Ports &ports, const Options &options, Run &run)
        : run_(run), txd_(ports.take("gmii_txd").data), en_(ports.take("gmii_tx_en").data),
          er_(ports.bit("gmii_tx_er", false)), out_(options) {
        *ports.bit("gmii_tx_ce", false) = 1;
    }

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
    void frame() {
        ++count;
        bad += !out_.write(octets_, record_);
        octets_.clear();
    }

    Run &run_;
    const uint8_t *txd_, *en_, *er_;
    WireWriter out_;
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
