// SPDX-License-Identifier: Apache-2.0
//
// Tuples and punctuations, on the tuple bus (valid, punct, eos, data) or as items (valid, ready, data, kind).
//
// A record is a kind byte and the data as a big-endian number of ceil(W / 8) bytes, so that a tuple has the same layout
// as in a datagram. With a kind port the kind byte is its value; without one it is valid + 2 punct + 4 eos.
#include <algorithm>

#include "files.h"

namespace {

enum WireKind : uint8_t { VALID = 1, PUNCT = 2, EOS = 4 };

class ItemSource final : public Source {
public:
    ItemSource(Ports &ports, const Options &options, Run &run)
        : run_(run), valid_(ports.take("s_valid").data), ready_(ports.bit("s_ready", true)),
          punct_(ports.bit("s_punct", false)), eos_(ports.bit("s_eos", false)), data_(ports.take("s_data")),
          kind_(ports.take_optional("s_kind")), in_(options.in), cycles_(options.out + "/in.cycles"),
          pauses_(options.gaps, options.seed + 1), random_(options.seed + 2), record_(1 + data_.bytes()) {
        next();
    }

    void idle() override {
        offering_ = false;
        *valid_ = *punct_ = *eos_ = 0;
        data_.scramble(random_);
        if (kind_) kind_.scramble(random_);
    }

    void drive() override {
        if (offering_) return;
        if (done || pauses_()) {
            idle();
            return;
        }
        data_.copy(&record_[1]);
        if (kind_) {
            kind_.set(record_[0]);
            *valid_ = 1;
        } else {
            *valid_ = (record_[0] & VALID) != 0;
            *punct_ = (record_[0] & PUNCT) != 0;
            *eos_ = (record_[0] & EOS) != 0;
        }
        offering_ = true;
    }

    void sample() override {
        if (!offering_ || !*ready_) return;
        run_.progress = run_.cycle;
        cycles_.write(&run_.cycle, sizeof run_.cycle);
        offering_ = false;
        ++count;
        next();
    }

    void reset() override { idle(); }  // an item not yet accepted is offered again

private:
    void next() {
        done = !in_.read(record_.data(), record_.size());
        std::reverse(record_.begin() + 1, record_.end());
    }

    Run &run_;
    uint8_t *valid_;
    const uint8_t *ready_;
    uint8_t *punct_, *eos_;
    Port data_, kind_;
    Reader in_;
    Writer cycles_;
    Pauses pauses_;
    Random random_;
    std::vector<uint8_t> record_;
    bool offering_ = false;
};

class ItemSink final : public Sink {
public:
    ItemSink(Ports &ports, const Options &options, Run &run)
        : run_(run), pauses_(ports.has("m_ready") ? options.stalls : "none", options.seed + 3),
          valid_(ports.take("m_valid").data), ready_(ports.bit("m_ready", true)), punct_(ports.bit("m_punct", false)),
          eos_(ports.bit("m_eos", false)), data_(ports.take("m_data")), kind_(ports.take_optional("m_kind")),
          out_(options.out + "/out.items"), cycles_(options.out + "/out.cycles"), record_(1 + data_.bytes()),
          before_(record_.size()) {}

    void drive() override { *ready_ = !pauses_(); }

    void sample() override {
        uint8_t wire = *valid_ * VALID | *punct_ * PUNCT | *eos_ * EOS;
        if (!(wire | waiting_)) return;
        record_[0] = kind_ ? kind_.value() : wire;
        std::reverse_copy(data_.data, data_.data + data_.bytes(), record_.begin() + 1);
        if (waiting_) {
            if (!wire) run_.violation("m_valid fell while waiting for m_ready");
            else if (record_ != before_) run_.violation("m_data or its kind changed while waiting for m_ready");
        }
        waiting_ = wire && !*ready_;
        if (!wire) return;
        if (*valid_ && *punct_) run_.violation("m_valid and m_punct together");
        run_.activity = run_.cycle;
        if (waiting_) {
            before_ = record_;
            return;
        }
        run_.progress = run_.cycle;
        out_.write(record_.data(), record_.size());
        cycles_.write(&run_.cycle, sizeof run_.cycle);
        ++count;
    }

    void reset() override {
        *ready_ = 0;
        waiting_ = false;
    }

private:
    Run &run_;
    Pauses pauses_;
    const uint8_t *valid_;
    uint8_t *ready_;
    const uint8_t *punct_, *eos_;
    Port data_, kind_;
    Writer out_, cycles_;
    std::vector<uint8_t> record_, before_;
    bool waiting_ = false;
};

}  // namespace

std::unique_ptr<Source> item_source(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<ItemSource>(ports, options, run);
}

std::unique_ptr<Sink> item_sink(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<ItemSink>(ports, options, run);
}
