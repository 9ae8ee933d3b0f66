// SPDX-License-Identifier: Apache-2.0
//
// Packets on AXI4-Stream of 8 to 512 bits, with or without tready, tkeep and tuser.
#include <algorithm>
#include <optional>

#include "files.h"

namespace {

constexpr uint64_t SHORTEST_ON_WIRE = 84;  // a frame of 64 octets, preamble and gap

class AxisSource final : public Source {
public:
    AxisSource(Ports &ports, const Options &options, Run &run)
        : run_(run), options_(options), valid_(ports.take("s_axis_tvalid").data),
          last_(ports.take("s_axis_tlast").data), ready_(ports.bit("s_axis_tready", true)),
          data_(ports.take("s_axis_tdata")), keep_(ports.take_optional("s_axis_tkeep")),
          user_(ports.take_optional("s_axis_tuser")), in_(options.in, LINKTYPE_USER0), log_(options.out + "/in.log"),
          pauses_(options.gaps, options.seed + 1), random_(options.seed + 2), packet_user_(user_.bytes()) {
        if (!options.tuser.empty()) {
            if (!user_) fail("--tuser: the core has no port s_axis_tuser");
            users_.emplace(options.tuser);
        }
        next();
    }

    void idle() override {
        offering_ = false;
        *valid_ = 0;
        data_.scramble(random_);
        if (keep_) keep_.scramble(random_);
        if (user_) user_.scramble(random_);
        *last_ = random_() & 1;
    }

    void drive() override {
        if (offering_) return;
        if (done || (position_ == 0 && options_.wire && on_wire_ > run_.cycle * data_.bytes()) ||
            ((position_ == 0 || !options_.contiguous) && pauses_())) {
            idle();
            return;
        }
        size_t count = std::min(data_.bytes(), packet_.size() - position_);
        bool end = position_ + count == packet_.size();
        if (count < data_.bytes()) data_.scramble(random_);
        std::memcpy(data_.data, packet_.data() + position_, count);
        if (keep_) keep_.set(count == 64 ? ~0ull : (1ull << count) - 1);
        if (user_) {
            user_.copy(packet_user_.data());
            if (!end) *user_.data &= ~1;  // bit 0 is only valid with tlast
        }
        *last_ = end;
        offering_ = true;
        *valid_ = 1;
    }

    void sample() override {
        if (!offering_) return;
        if (!*ready_) {
            if (options_.require_ready) run_.violation("s_axis_tready is low with a beat on offer");
            return;
        }
        run_.progress = run_.cycle;
        if (position_ == 0) {
            record_.first = run_.cycle;
            // The wire's clock counts octets, so the rest of a beat is not lost; it does not catch up after a stall.
            uint64_t now = run_.cycle * data_.bytes();
            if (on_wire_ + data_.bytes() <= now) on_wire_ = now;
            on_wire_ += std::max<uint64_t>(packet_.size() + options_.overhead, SHORTEST_ON_WIRE);
        }
        offering_ = false;
        position_ += data_.bytes();
        if (!*last_) return;
        log();
        ++count;
        next();
    }

    void reset() override {  // the sender is reset too, and continues with the next packet
        if (position_ > 0) {
            record_.flags |= CUT;
            ++cut;
            log();
            next();
        }
        idle();
    }

private:
    void log() {
        record_.last = run_.cycle;
        log_.write(&record_, sizeof record_);
    }

    void next() {
        position_ = 0;
        done = !in_.next(packet_);
        if (done) return;
        if (packet_.empty() && !keep_) fail("%s: an empty packet needs s_axis_tkeep", options_.in.c_str());
        if (users_ && !users_->read(packet_user_.data(), packet_user_.size()))
            fail("%s: fewer records than packets", options_.tuser.c_str());
        bool is_bad = user_ && packet_user_[0] & 1;
        record_ = {0, 0, uint32_t(packet_.size()), is_bad ? uint32_t(BAD) : 0};
    }

    Run &run_;
    const Options &options_;
    uint8_t *valid_, *last_;
    const uint8_t *ready_;
    Port data_, keep_, user_;
    PacketReader in_;
    std::optional<Reader> users_;
    Writer log_;
    Pauses pauses_;
    Random random_;
    std::vector<uint8_t> packet_, packet_user_;
    PacketLog record_{};
    size_t position_ = 0;
    bool offering_ = false;
    uint64_t on_wire_ = 0;  // octets from the start of the run to where the next packet may begin
};

class AxisSink final : public Sink {
public:
    AxisSink(Ports &ports, const Options &options, Run &run)
        : run_(run), pauses_(ports.has("m_axis_tready") ? options.stalls : "none", options.seed + 3),
          valid_(ports.take("m_axis_tvalid").data), last_(ports.take("m_axis_tlast")),
          ready_(ports.bit("m_axis_tready", true)), data_(ports.take("m_axis_tdata")),
          keep_(ports.take_optional("m_axis_tkeep")), user_(ports.take_optional("m_axis_tuser")),
          out_(options.out + "/out.pcap", LINKTYPE_USER0, options.period), log_(options.out + "/out.log"),
          users_(options.out + "/out.tuser") {
        for (auto [name, port] : {std::pair{"m_axis_tdata", data_}, {"m_axis_tkeep", keep_}, {"m_axis_tlast", last_},
                                  {"m_axis_tuser", user_}})
            if (port) held_.push_back({name, port, std::vector<uint8_t>(port.bytes())});
        packet_user_.resize(user_.bytes());
    }

    void drive() override {
        *ready_ = !pauses_();
    }

    void sample() override {
        if (waiting_) check_stable();
        waiting_ = false;
        if (!*valid_) return;
        run_.activity = run_.cycle;
        if (*ready_) {
            beat();
        } else {
            waiting_ = true;
            for (Held &held : held_) std::memcpy(held.before.data(), held.port.data, held.before.size());
        }
    }

    void reset() override {
        *ready_ = 0;
        waiting_ = false;
        cut += inside_;
        inside_ = false;
        packet_.clear();
    }

    void finish() override {
        if (inside_) run_.violation("the last packet has no tlast");
    }

private:
    struct Held {
        const char *name;
        Port port;
        std::vector<uint8_t> before;
    };

    void check_stable() {
        if (!*valid_) run_.violation("m_axis_tvalid fell while waiting for tready");
        else
            for (const Held &held : held_)
                if (std::memcmp(held.before.data(), held.port.data, held.before.size()))
                    run_.violation(std::string(held.name) + " changed while waiting for tready");
    }

    void beat() {
        run_.progress = run_.cycle;
        size_t count = data_.bytes();
        if (keep_) {
            uint64_t keep = keep_.value(), all = count == 64 ? ~0ull : (1ull << count) - 1;
            if (keep != all) {
                if (!*last_.data) run_.violation("m_axis_tkeep is not all ones before tlast");
                if (keep & (keep + 1)) run_.violation("m_axis_tkeep is not contiguous from bit 0");
                if (keep == 0 && inside_) run_.violation("m_axis_tkeep is 0 in a packet that is not empty");
                count = __builtin_popcountll(keep);
            }
        }
        if (!inside_) {
            record_.first = run_.cycle;
            if (user_) std::memcpy(packet_user_.data(), user_.data, packet_user_.size());
        } else if (user_ && ((*user_.data ^ packet_user_[0]) & 0xfe ||
                             std::memcmp(packet_user_.data() + 1, user_.data + 1, packet_user_.size() - 1))) {
            run_.violation("m_axis_tuser above bit 0 changed inside a packet");
        }
        packet_.insert(packet_.end(), data_.data, data_.data + count);
        inside_ = !*last_.data;
        if (inside_) return;

        bool is_bad = user_ && *user_.data & 1;
        if (user_) users_.write(user_.data, packet_user_.size());
        record_ = {record_.first, run_.cycle, uint32_t(packet_.size()), is_bad ? uint32_t(BAD) : 0};
        out_.write(packet_.data(), packet_.size(), record_.first);
        log_.write(&record_, sizeof record_);
        packet_.clear();
        ++this->count;
        bad += is_bad;
    }

    Run &run_;
    Pauses pauses_;
    const uint8_t *valid_;
    Port last_;
    uint8_t *ready_;
    Port data_, keep_, user_;
    PacketWriter out_;
    Writer log_, users_;
    std::vector<Held> held_;
    std::vector<uint8_t> packet_, packet_user_;
    PacketLog record_{};
    bool inside_ = false, waiting_ = false;
};

}  // namespace

std::unique_ptr<Source> axis_source(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<AxisSource>(ports, options, run);
}

std::unique_ptr<Sink> axis_sink(Ports &ports, const Options &options, Run &run) {
    return std::make_unique<AxisSink>(ports, options, run);
}
