// SPDX-License-Identifier: Apache-2.0
//
// The bulk bench: one C++ program for any Verilated core. Its parts share this header.
//
//   main.cpp      the loop                               gmii.cpp   frames on GMII
//   model.h       the model and its clock                xgmii.cpp  frames on XGMII
//   bench.cpp     options, ports, checks, the report     axis.cpp   packets on AXI4-Stream
//   files.cpp     pcap and record files                  items.cpp  the tuple bus, and valid/ready/data/kind
//   ethernet.cpp  preamble, padding and FCS of frames
//
// With board.cpp instead of main.cpp it is the simulated board, a design with XGMII on a network:
//
//   board.cpp     the loop, with the wall clock          link.cpp   frames on a TAP device or in a UDP tunnel
//   bus.cpp       AXI4-Lite, and its datagrams           host.cpp   memory on AXI4, and the interrupt
//
// Only main.cpp and board.cpp include the model's class; all other files are compiled once for all cores.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "ports are handled as little-endian bytes");

// Print one line and exit with status 1: wrong arguments, or a bad file.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

// splitmix64 (Steele, Lea, Flood, OOPSLA 2014): small, fast, and takes any seed.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed) {}
    uint64_t operator()() {
        uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

private:
    uint64_t state_;
};

// Random pauses. "p:n": in a cycle, with probability p, a pause of 1..n cycles begins; rules are joined by '+'.
class Pauses {
public:
    Pauses(const std::string &rules, uint64_t seed);
    bool operator()() {  // is this cycle part of a pause?
        if (left_) return left_--;
        for (const Rule &rule : rules_)
            if (random_() < rule.threshold) {
                left_ = random_() % rule.longest;
                return true;
            }
        return false;
    }

private:
    struct Rule {
        uint64_t threshold, longest;
    };
    std::vector<Rule> rules_;
    Random random_;
    uint64_t left_ = 0;
};

// A sequence of frames, from the destination address to the last octet before the FCS.
class FrameInput {
public:
    virtual ~FrameInput() = default;
    virtual bool next(std::vector<uint8_t> &frame) = 0;  // false: no more frames; on a network, none yet
};

class FrameOutput {
public:
    virtual ~FrameOutput() = default;
    virtual void write(const uint8_t *frame, size_t length, uint64_t cycle) = 0;
};

struct Options {
    std::string in, out = ".", faults, tuser;
    std::string gaps = "none", stalls = "none";
    bool wire = false, contiguous = false, require_ready = false, trace = false;
    uint64_t gap = 12, overhead = 24, quiet = 2000, watchdog = 100000, drain = 1000000, seed = 1, period = 8;
    std::vector<uint64_t> reset_at;
    std::map<std::string, std::string> set;
    FrameInput *input = nullptr;  // of a board, instead of files; nothing is logged
    FrameOutput *output = nullptr;

    Options() = default;
    Options(int argc, char **argv);
};

// Options by type, with the variables for their values. other: handles options that are in no table.
struct OptionTables {
    std::map<std::string, std::string *> texts;
    std::map<std::string, uint64_t *> numbers;
    std::map<std::string, bool *> flags;
    bool (*other)(void *to, const std::string &name, const std::string &value);  // false: unknown option
    void *to;
};
void parse(int argc, char **argv, const char *usage, const OptionTables &tables);
uint64_t number(const std::string &text, const char *what);

// A port of the model as little-endian bytes: byte 0 holds bits 7..0, whatever the width.
struct Port {
    uint8_t *data = nullptr;
    unsigned width = 0;
    bool input = false;

    explicit operator bool() const { return data; }
    size_t bytes() const { return (width + 7) / 8; }
    uint64_t value() const;  // of at most 64 bits
    void set(uint64_t value);
    void copy(const uint8_t *bytes) {
        std::memcpy(data, bytes, this->bytes());
        data[this->bytes() - 1] &= 0xff >> (-width & 7);  // Verilator requires unused bits to be zero
    }
    void scramble(Random &random);
    std::string hex() const;
};

// The model's ports by name. Binding a port takes it; the remaining ones are for --set and the report.
class Ports {
public:
    void add(const char *name, bool input, void *data, unsigned width);
    bool has(const std::string &name) const { return ports_.count(name); }
    Port take(const std::string &name);          // fails if missing
    Port take_optional(const std::string &name);  // an empty Port if missing
    uint8_t *bit(const std::string &name, bool otherwise);  // a one-bit port, or a constant if missing
    std::map<std::string, Port> take_rest(bool input, const std::string &prefix = "");

private:
    std::map<std::string, Port> ports_;
    std::vector<std::unique_ptr<uint8_t>> constants_;
};

// The state of a run: the cycle count, the last activity, and the violations.
class Run {
public:
    uint64_t cycle = 0;
    uint64_t progress = 0;  // last cycle with a transfer
    uint64_t activity = 0;  // last cycle with an active output
    uint64_t violations = 0;
    std::vector<std::pair<uint64_t, std::string>> first_violations;

    void violation(const std::string &what);
};

// The input of the core. In every cycle: drive, evaluate the model, sample. In a cycle of reset: reset instead.
class Source {
public:
    virtual ~Source() = default;
    virtual void idle() = 0;    // offer nothing
    virtual void drive() = 0;   // offer a beat, or pause
    virtual void sample() = 0;  // check whether it was accepted
    virtual void reset() = 0;
    virtual void more() {}       // on a network: check for new input
    bool done = false;           // all input has been accepted
    uint64_t count = 0;          // accepted packets or items
    uint64_t cut = 0;            // packets truncated by a reset
};

// The output of the core. In every cycle: drive (ready), evaluate the model, sample. In a cycle of reset: reset.
class Sink {
public:
    virtual ~Sink() = default;
    virtual void drive() = 0;
    virtual void sample() = 0;
    virtual void reset() = 0;
    virtual void finish() {}  // end of the run
    uint64_t count = 0;       // received packets or items
    uint64_t cut = 0;
    uint64_t bad = 0;         // received packets with a flag set
};

// Flags of a packet, in the fault file (to inject) and in the log files (as sent or received).
enum PacketFlag : uint32_t {
    BAD_FCS = 1,      // the FCS is wrong
    ERROR = 2,        // GMII: rx_er or tx_er was high; XGMII: an error character
    NO_PREAMBLE = 4,  // no preamble and SFD, or (received) not seven octets 55 and one D5
    RAW = 8,          // to send: only these octets; on XGMII the start character replaces the first
    NO_PAD = 16,      // to send: do not pad a frame of less than 60 octets
    BAD = 32,         // AXI4-Stream: tuser[0] with tlast
    CUT = 64,         // truncated by a reset
};

struct PacketLog {  // one record of in.log and out.log; cycles of the first and last octet or beat
    uint64_t first, last;
    uint32_t length, flags;
};

struct Fault {  // one record of the fault file; the error is in octet `at`, counted from the frame's first
    uint32_t flags, at;
};

std::unique_ptr<Source> gmii_source(Ports &, const Options &, Run &);
std::unique_ptr<Source> xgmii_source(Ports &, const Options &, Run &);
std::unique_ptr<Source> axis_source(Ports &, const Options &, Run &);
std::unique_ptr<Source> item_source(Ports &, const Options &, Run &);
std::unique_ptr<Sink> gmii_sink(Ports &, const Options &, Run &);
std::unique_ptr<Sink> xgmii_sink(Ports &, const Options &, Run &);
std::unique_ptr<Sink> axis_sink(Ports &, const Options &, Run &);
std::unique_ptr<Sink> item_sink(Ports &, const Options &, Run &);
std::unique_ptr<Source> find_source(Ports &, const Options &, Run &);
std::unique_ptr<Sink> find_sink(Ports &, const Options &, Run &);

// All outputs that are not the sink's: counts events, collects telemetry, reports the final values of the others.
class Monitor {
public:
    Monitor(Ports &ports, Run &run);
    void sample() {
        for (Event &event : events_)
            if (*event.port.data || event.port.width > 8) count(event);
        if (*stat_valid_) gather();
    }
    void report(std::FILE *json) const;
    const std::vector<uint64_t> &totals() const { return stats_; }  // of the event counters, by index
    size_t events() const { return events_.size(); }
    uint64_t event(size_t n) const { return events_[n].total; }     // of the port evt_*, in order of name

private:
    struct Event {
        std::string name;
        Port port;
        uint64_t total;
    };
    void count(Event &event);
    void gather();
    Run &run_;
    std::vector<Event> events_;
    std::map<std::string, Port> others_;
    const uint8_t *stat_valid_;
    Port stat_index_, stat_value_;
    std::vector<uint64_t> stats_;
};
