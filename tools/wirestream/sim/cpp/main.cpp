// SPDX-License-Identifier: Apache-2.0
//
// The loop of the bench. Exit status: 0 good, 1 wrong arguments or file, 2 hang, 3 violation, 4 the design called
// $finish.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>

#include "model.h"

static constexpr uint64_t RESET_CYCLES = 8;

enum Status { GOOD = 0, HANG = 2, VIOLATION = 3, FINISH = 4 };

// Drive the ports that belong to no stream with the constants of --set. Each needs a value, so that none is forgotten.
static void set_constants(Ports &ports, const Options &options) {
    auto inputs = ports.take_rest(true);
    for (const auto &[name, text] : options.set) {
        auto found = inputs.find(name);
        if (found == inputs.end()) fail("--set %s: no such input, or it belongs to a stream", name.c_str());
        Port port = found->second;
        inputs.erase(found);
        bool hex = text.compare(0, 2, "0x") == 0;
        size_t digits = text.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789", hex ? 2 : 0);
        if (text.size() <= (hex ? 2 : 0) || digits != std::string::npos)
            fail("--set %s: '%s' is not a number", name.c_str(), text.c_str());
        std::vector<uint8_t> bytes(port.bytes() + 8);
        if (hex) {
            size_t length = std::min(text.size() - 2, 2 * port.bytes());
            for (size_t i = 0; i < length; ++i) {
                char digit[2] = {text[text.size() - 1 - i], 0};
                bytes[i / 2] |= std::strtoul(digit, nullptr, 16) << 4 * (i % 2);
            }
        } else {
            uint64_t value = std::strtoull(text.c_str(), nullptr, 10);
            std::memcpy(bytes.data(), &value, sizeof value);
        }
        port.copy(bytes.data());
    }
    std::string missing;
    for (const auto &[name, port] : inputs) missing += " " + name;
    if (!missing.empty()) fail("inputs without a value (--set PORT=VALUE):%s", missing.c_str());
}

static void report(const Options &options, const Run &run, const Source &source, const Sink &sink,
                   const Monitor &monitor, const std::string &status, double seconds) {
    std::string path = options.out + "/result.json";
    std::FILE *json = std::fopen(path.c_str(), "w");
    if (!json) fail("cannot write %s", path.c_str());
    std::fprintf(json, "{\n  \"status\": \"%s\",\n  \"seed\": %" PRIu64 ",\n", status.c_str(), options.seed);
    std::fprintf(json, "  \"cycles\": %" PRIu64 ",\n  \"seconds\": %.3f,\n", run.cycle, seconds);
    std::fprintf(json, "  \"cycles_per_second\": %.0f,\n", run.cycle / seconds);
    std::fprintf(json, "  \"sent\": {\"count\": %" PRIu64 ", \"cut\": %" PRIu64 "},\n", source.count, source.cut);
    std::fprintf(json, "  \"received\": {\"count\": %" PRIu64 ", \"cut\": %" PRIu64 ", \"bad\": %" PRIu64 "},\n",
                 sink.count, sink.cut, sink.bad);
    monitor.report(json);
    std::fprintf(json, "  \"violations\": %" PRIu64 ",\n  \"first_violations\": [", run.violations);
    const char *comma = "";
    for (const auto &[cycle, what] : run.first_violations) {
        std::fprintf(json, "%s\n    [%" PRIu64 ", \"%s\"]", comma, cycle, what.c_str());
        comma = ",";
    }
    std::fprintf(json, "]\n}\n");
    if (std::fclose(json)) fail("cannot write %s", path.c_str());
}

int main(int argc, char **argv) {
    Options options(argc, argv);
    std::sort(options.reset_at.begin(), options.reset_at.end());

    Run run;
    Model model(options, run);
    Ports &ports = model.ports;
    auto source = find_source(ports, options, run);
    auto sink = find_sink(ports, options, run);
    Monitor monitor(ports, run);
    set_constants(ports, options);

    auto begin = std::chrono::steady_clock::now();
    Status status = GOOD;
    uint64_t reset_until = RESET_CYCLES, sent_at = 0;
    auto reset_at = options.reset_at.begin();
    for (;; ++run.cycle) {
        while (reset_at != options.reset_at.end() && *reset_at <= run.cycle) reset_until = *reset_at++ + RESET_CYCLES;
        *model.rst = run.cycle < reset_until;
        if (*model.rst) {
            if (run.cycle < RESET_CYCLES) source->idle();
            else source->reset();
            sink->reset();
            run.progress = run.activity = run.cycle;
            model.evaluate(false);
        } else {
            source->drive();
            sink->drive();
            model.evaluate(false);
            source->sample();
            sink->sample();
            monitor.sample();
        }
        model.evaluate(true);

        if (model.finished()) {
            status = FINISH;
            break;
        }
        if (!source->done) {
            sent_at = run.cycle;
            if (run.cycle - run.progress > options.watchdog) {
                status = HANG;
                break;
            }
        } else {
            bool quiet = run.cycle - std::max(run.activity, sent_at) > options.quiet;
            if (quiet && reset_at == options.reset_at.end()) break;
            if (run.cycle - sent_at > options.drain) {
                status = HANG;
                break;
            }
        }
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    switch (status) {
    case GOOD:
        sink->finish();
        if (run.violations) status = VIOLATION;
        break;
    case HANG:
        std::fprintf(stderr, "cycle %" PRIu64 ": hang: ", run.cycle);
        if (source->done)
            std::fprintf(stderr, "outputs still active %" PRIu64 " cycles after the last input", options.drain);
        else
            std::fprintf(stderr, "no transfer since cycle %" PRIu64 ": the input waits for ready", run.progress);
        std::fprintf(stderr, " (%" PRIu64 " sent, %" PRIu64 " received)\n", source->count, sink->count);
        break;
    default:
        std::fprintf(stderr, "cycle %" PRIu64 ": the design called $finish\n", run.cycle);
    }
    model.end();
    const char *names[] = {"good", "", "hang", "violation", "finish"};
    report(options, run, *source, *sink, monitor, names[status], seconds);
    return status;
}
