// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fputs("bulk: ", stderr);
    std::vfprintf(stderr, format, arguments);
    std::fputc('\n', stderr);
    va_end(arguments);
    std::exit(1);
}

uint64_t number(const std::string &text, const char *what) {
    char *end;
    uint64_t value = std::strtoull(text.c_str(), &end, 0);
    if (text.empty() || *end) fail("%s: '%s' is not a number", what, text.c_str());
    return value;
}

static std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    for (size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
        end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
    }
    return parts;
}

Pauses::Pauses(const std::string &rules, uint64_t seed) : random_(seed) {
    if (rules == "none") return;
    for (const std::string &rule : split(rules, '+')) {
        double probability;
        unsigned long longest;
        char more;
        if (std::sscanf(rule.c_str(), "%lf:%lu%c", &probability, &longest, &more) != 2 || probability < 0 ||
            probability >= 1 || longest < 1)
            fail("'%s' is not a rule for pauses: PROBABILITY:LONGEST", rule.c_str());
        rules_.push_back({uint64_t(probability * 0x1p64), longest});
    }
}

static const char *USAGE = R"(usage: bulk --in FILE --out FOLDER [options]
  --in FILE           input: a pcap file, or item records
  --out FOLDER        output folder for result.json, out.* and in.*
  --faults FILE       GMII, XGMII: faults to inject into each frame of --in
  --tuser FILE        AXI4-Stream: tuser of each packet of --in
  --set PORT=VALUE    constant for an input that is not a stream (decimal, or 0x and any number of digits)
  --gaps RULES        pauses of the source: PROBABILITY:LONGEST, several joined by '+', or none
  --stalls RULES      pauses of the sink, likewise
  --contiguous        AXI4-Stream: no pause of the source inside a packet
  --wire              AXI4-Stream: packets at the rate of an Ethernet wire of this width
  --overhead OCTETS   additional octets of a packet on that wire (default: 24: preamble, FCS, gap)
  --gap OCTETS        GMII: least gap between frames; XGMII: average gap of back-to-back frames (default: 12)
  --require-ready     treat s_axis_tready low during tvalid as a violation
  --reset-at CYCLE    assert rst for 8 cycles from this cycle on; may be repeated
  --quiet CYCLES      end the run after CYCLES without output once all is sent (default: 2000)
  --watchdog CYCLES   report a hang after CYCLES without a transfer before all is sent (default: 100000)
  --drain CYCLES      report a hang if outputs are active CYCLES after the last input (default: 1000000)
  --seed N            seed of pauses, idle data and uninitialised registers
  --period NS         clock period, for the time stamps of out.pcap (default: 8)
  --trace             write dump.vcd into FOLDER
)";

Options::Options(int argc, char **argv) {
    const std::map<std::string, std::string *> texts = {{"--in", &in},     {"--out", &out},   {"--faults", &faults},
                                                        {"--tuser", &tuser}, {"--gaps", &gaps}, {"--stalls", &stalls}};
    const std::map<std::string, uint64_t *> numbers = {
        {"--gap", &gap},     {"--overhead", &overhead}, {"--quiet", &quiet}, {"--watchdog", &watchdog},
        {"--drain", &drain}, {"--seed", &seed},         {"--period", &period}};
    const std::map<std::string, bool *> flags = {
        {"--wire", &wire}, {"--contiguous", &contiguous}, {"--require-ready", &require_ready}, {"--trace", &trace}};

    auto other = [](void *to, const std::string &name, const std::string &value) {
        auto &options = *static_cast<Options *>(to);
        size_t equals = value.find('=');
        if (name == "--reset-at") options.reset_at.push_back(number(value, "--reset-at"));
        else if (name == "--set" && equals != std::string::npos)
            options.set[value.substr(0, equals)] = value.substr(equals + 1);
        else return false;
        return true;
    };
    parse(argc, argv, USAGE, {texts, numbers, flags, other, this});
    if (in.empty()) fail("--in is missing; see --help");
}

void parse(int argc, char **argv, const char *usage, const OptionTables &tables) {
    for (int i = 1; i < argc; ++i) {
        std::string name = argv[i];
        if (name == "--help") {
            std::fputs(usage, stdout);
            std::exit(0);
        }
        if (auto flag = tables.flags.find(name); flag != tables.flags.end()) {
            *flag->second = true;
            continue;
        }
        if (i + 1 == argc) fail("%s: unknown option, or missing value; see --help", name.c_str());
        std::string value = argv[++i];
        if (auto text = tables.texts.find(name); text != tables.texts.end()) *text->second = value;
        else if (auto found = tables.numbers.find(name); found != tables.numbers.end())
            *found->second = number(value, argv[i - 1]);
        else if (!tables.other(tables.to, name, value))
            fail("%s %s: unknown option; see --help", name.c_str(), value.c_str());
    }
}

uint64_t Port::value() const {
    if (width <= 8) return *data;
    uint64_t value = 0;
    std::memcpy(&value, data, bytes());
    return value;
}

void Port::set(uint64_t value) {
    uint8_t all[sizeof value];
    std::memcpy(all, &value, sizeof value);
    copy(all);
}

void Port::scramble(Random &random) {
    for (size_t i = 0; i < bytes(); i += 8) {
        uint64_t word = random();
        std::memcpy(data + i, &word, std::min<size_t>(8, bytes() - i));
    }
    data[bytes() - 1] &= 0xff >> (-width & 7);
}

std::string Port::hex() const {
    std::string text = "0x";
    char digits[3];
    for (size_t i = bytes(); i-- > 0;) {
        std::snprintf(digits, sizeof digits, "%02x", data[i]);
        text += digits;
    }
    return text;
}

void Ports::add(const char *name, bool input, void *data, unsigned width) {
    ports_[name] = Port{static_cast<uint8_t *>(data), width, input};
}

Port Ports::take_optional(const std::string &name) {
    auto found = ports_.find(name);
    if (found == ports_.end()) return {};
    Port port = found->second;
    ports_.erase(found);
    return port;
}

Port Ports::take(const std::string &name) {
    Port port = take_optional(name);
    if (!port) fail("the core has no port %s", name.c_str());
    return port;
}

uint8_t *Ports::bit(const std::string &name, bool otherwise) {
    if (has(name)) return take(name).data;
    constants_.push_back(std::make_unique<uint8_t>(otherwise));
    return constants_.back().get();
}

std::map<std::string, Port> Ports::take_rest(bool input, const std::string &prefix) {
    std::map<std::string, Port> rest;
    for (auto it = ports_.begin(); it != ports_.end();) {
        if (it->second.input == input && it->first.compare(0, prefix.size(), prefix) == 0) {
            rest.insert(*it);
            it = ports_.erase(it);
        } else {
            ++it;
        }
    }
    return rest;
}

void Run::violation(const std::string &what) {
    constexpr size_t KEPT = 20;
    if (violations++ >= KEPT) return;
    std::fprintf(stderr, "cycle %" PRIu64 ": violation: %s\n", cycle, what.c_str());
    first_violations.emplace_back(cycle, what);
}

std::unique_ptr<Source> find_source(Ports &ports, const Options &options, Run &run) {
    if (ports.has("gmii_rx_dv")) return gmii_source(ports, options, run);
    if (ports.has("xgmii_rxd")) return xgmii_source(ports, options, run);
    if (ports.has("s_axis_tvalid")) return axis_source(ports, options, run);
    if (ports.has("s_valid")) return item_source(ports, options, run);
    fail("no input stream: gmii_rx*, xgmii_rx*, s_axis_* or s_valid, s_data");
}

std::unique_ptr<Sink> find_sink(Ports &ports, const Options &options, Run &run) {
    if (ports.has("gmii_tx_en")) return gmii_sink(ports, options, run);
    if (ports.has("xgmii_txd")) return xgmii_sink(ports, options, run);
    if (ports.has("m_axis_tvalid")) return axis_sink(ports, options, run);
    if (ports.has("m_valid")) return item_sink(ports, options, run);
    fail("no output stream: gmii_tx*, xgmii_tx*, m_axis_* or m_valid, m_data");
}

Monitor::Monitor(Ports &ports, Run &run) : run_(run) {
    bool has_counters = ports.has("stat_valid");
    stat_valid_ = ports.bit("stat_valid", false);
    if (has_counters) {
        stat_index_ = ports.take("stat_index");
        stat_value_ = ports.take("stat_value");
    }
    for (auto &[name, port] : ports.take_rest(false, "evt_")) events_.push_back({name, port, 0});
    others_ = ports.take_rest(false);
}

void Monitor::count(Event &event) {  // an event wider than a bit adds its value
    if (uint64_t value = event.port.value()) {
        event.total += value;
        run_.activity = run_.cycle;
    }
}

void Monitor::gather() {
    uint64_t index = stat_index_.value();
    if (index >= stats_.size()) stats_.resize(index + 1);
    stats_[index] = stat_value_.value();
}

void Monitor::report(std::FILE *json) const {
    const char *comma = "";
    std::fprintf(json, "  \"events\": {");
    for (const Event &event : events_) {
        std::fprintf(json, "%s\"%s\": %" PRIu64, comma, event.name.c_str() + 4, event.total);
        comma = ", ";
    }
    std::fprintf(json, "},\n  \"counters\": [");
    comma = "";
    for (uint64_t value : stats_) {
        std::fprintf(json, "%s%" PRIu64, comma, value);
        comma = ", ";
    }
    std::fprintf(json, "],\n  \"outputs\": {");
    comma = "";
    for (const auto &[name, port] : others_) {
        std::fprintf(json, "%s\"%s\": \"%s\"", comma, name.c_str(), port.hex().c_str());
        comma = ", ";
    }
    std::fprintf(json, "},\n");
}
