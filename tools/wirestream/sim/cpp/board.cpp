// SPDX-License-Identifier: Apache-2.0
//
// The simulated board: a design with XGMII, registers and counters (wirestream.host.board writes it) on a network. While
// frames or transfers are under way it runs as fast as it can, else it sleeps until something comes; tick_ms follows
// the wall clock. With pcap files it follows the design's own clock, so that a run can be repeated.
//
// Exit status: 0 the files are done or SIGINT or SIGTERM came, 1 wrong call, 4 the design called $finish, 5 standard
// input ended, with --leash.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <optional>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include "bus.h"
#include "files.h"
#include "link.h"
#include "model.h"

static constexpr uint64_t RESET_CYCLES = 8, CYCLES_OF_A_MS = 156250;
static constexpr double PERIOD_NS = 6.4;
static constexpr uint64_t BATCH = 64;  // cycles between two looks at the world; more than an ARP check takes
static constexpr int NAP_MS = 20, FINISH = 4, PARENT_ENDED = 5;

static const char *USAGE = R"(usage: board --report FILE [options]
  --in FILE           frames of a pcap file, as fast as it goes; the board ends after the last
  --out FILE          what it sends, with --in
  --tap NAME          a TAP device of this name (needs CAP_NET_ADMIN)
  --address A/BITS    the host's address on it (192.168.1.77/24)
  --mac MAC           the host's MAC address on it (one that the kernel makes)
  --tunnel A:PORT     a UDP port; each datagram is a frame
  --peer A:PORT       where to the tunnel sends
  --registers A:PORT  a UDP port for transfers to the registers
  --write ADDRESS=VALUE   a transfer before the first frame; may be repeated
  --session N         first session number of the results
  --report FILE       where the counters are written at the end (JSON)
  --quiet CYCLES      the design is at rest when no output moved for that long (5000)
  --seed N            seed of uninitialised registers
  --leash             end at once when standard input ends: a pipe of the process that started this one
)";

struct BoardOptions {
    Options bench;
    std::string in, out, tap, address = "192.168.1.77/24", mac, tunnel, peer, registers, report;
    uint64_t session = 1, quiet = 5000;
    bool leash = false;
    std::vector<std::pair<uint32_t, uint32_t>> writes;

    BoardOptions(int argc, char **argv) {
        auto other = [](void *to, const std::string &name, const std::string &value) {
            size_t equals = value.find('=');
            if (name != "--write" || equals == std::string::npos) return false;
            static_cast<BoardOptions *>(to)->writes.emplace_back(number(value.substr(0, equals), "--write"),
                                                                 number(value.substr(equals + 1), "--write"));
            return true;
        };
        parse(argc, argv, USAGE,
              {{{"--in", &in}, {"--out", &out}, {"--tap", &tap}, {"--address", &address}, {"--mac", &mac},
                {"--tunnel", &tunnel}, {"--peer", &peer}, {"--registers", &registers}, {"--report", &report}},
               {{"--session", &session}, {"--quiet", &quiet}, {"--seed", &bench.seed}},
               {{"--leash", &leash}}, other, this});
        if (report.empty() || (!in.empty()) + (!tap.empty()) + (!tunnel.empty()) != 1 || in.empty() != out.empty() ||
            tunnel.empty() != peer.empty())
            fail("--report, and one of --in with --out, --tap, --tunnel with --peer; see --help");
    }
};

static volatile std::sig_atomic_t stopped = 0;

static uint64_t now_ms() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

static void report(const BoardOptions &options, const Run &run, const Source &source, const Sink &sink, Link *link,
                   const Registers &registers, const Monitor &monitor, double seconds) {
    std::FILE *json = std::fopen(options.report.c_str(), "w");
    if (!json) fail("cannot write %s", options.report.c_str());
    auto line = [&](const char *name, uint64_t value) { std::fprintf(json, "  \"%s\": %" PRIu64 ",\n", name, value); };
    std::fprintf(json, "{\n  \"seconds\": %.3f,\n", seconds);
    line("cycles", run.cycle);
    line("frames_in", source.count);
    line("frames_out", sink.count);
    line("frames_out_bad", sink.bad);
    line("violations", run.violations);
    line("waiting", link ? link->received - link->dropped - source.count : 0);
    line("dropped_by_host", link ? link->host_dropped() : 0);
    line("dropped_waiting", link ? link->dropped : 0);
    line("refused_by_host", link ? link->unsent : 0);
    line("transfers", registers.answered);
    line("transfers_refused", registers.refused);
    std::fprintf(json, "  \"counters\": [");
    const char *comma = "";
    for (uint64_t total : monitor.totals()) {
        std::fprintf(json, "%s%" PRIu64, comma, total);
        comma = ", ";
    }
    std::fprintf(json, "]\n}\n");
    if (std::fclose(json)) fail("cannot write %s", options.report.c_str());
}

// A pipe, and no PR_SET_PDEATHSIG: that comes already when the parent's thread ends, and never if the parent ended first.
static void end_with_parent() {
    std::thread([] {
        char byte;
        while (read(STDIN_FILENO, &byte, 1) > 0 || errno == EINTR) errno = 0;
        _exit(PARENT_ENDED);  // nobody is left to read the report
    }).detach();
}

int main(int argc, char **argv) {
    BoardOptions options(argc, argv);
    if (options.leash) end_with_parent();
    std::optional<PacketReader> in;
    std::optional<PacketWriter> out;
    std::unique_ptr<Link> link;
    if (options.in.empty()) {
        link = options.tap.empty() ? tunnel_link(options.tunnel, options.peer)
                                   : tap_link(options.tap, options.address, options.mac);
        options.bench.input = link.get();
        options.bench.output = link.get();
    } else {
        options.bench.input = &in.emplace(options.in, LINKTYPE_ETHERNET);
        options.bench.output = &out.emplace(options.out, LINKTYPE_ETHERNET, PERIOD_NS);
    }
    const bool live = bool(link);

    Run run;
    Model model(options.bench, run);
    Ports &ports = model.ports;
    Registers registers(ports);
    if (!options.registers.empty()) registers.listen(options.registers);
    for (auto [address, value] : options.writes) registers.write(address, value);
    uint8_t &tick = *ports.take("tick_ms").data;
    tick = 0;
    ports.take("first_session").set(options.session);
    auto source = find_source(ports, options.bench, run);
    auto sink = find_sink(ports, options.bench, run);
    Monitor monitor(ports, run);
    for (const auto &[name, port] : ports.take_rest(true)) fail("an input that no board has: %s", name.c_str());

    struct sigaction stop {};
    stop.sa_handler = [](int) { stopped = 1; };
    sigaction(SIGINT, &stop, nullptr);
    sigaction(SIGTERM, &stop, nullptr);
    std::puts("ready");  // the ports are bound
    std::fflush(stdout);

    auto begin = std::chrono::steady_clock::now();
    auto cycle = [&](bool hold) {
        if (hold) source->idle();
        else source->drive();
        registers.drive();
        sink->drive();
        model.evaluate(false);
        registers.sample();
        sink->sample();
        monitor.sample();
        model.evaluate(true);
        ++run.cycle;
    };
    source->idle();
    for (*model.rst = 1; run.cycle < RESET_CYCLES; ++run.cycle) {
        model.evaluate(false);
        model.evaluate(true);
    }
    *model.rst = 0;
    while (registers.busy()) cycle(true);

    uint64_t ticks = 0, started = now_ms(), active = run.cycle;
    for (;;) {
        // the world: frames, transfers, time
        if (live) link->closed = stopped;
        if (live && source->done) source->more();
        registers.poll();
        uint64_t due = live ? now_ms() - started : run.cycle / CYCLES_OF_A_MS;
        if (ticks < due) {
            tick = 1;
            cycle(false);
            tick = 0;
            ++ticks;
        }
        if (!source->done || registers.busy()) active = run.cycle;
        bool quiet = run.cycle - std::max(run.activity, active) > options.quiet;
        if (quiet && (!live || stopped)) break;
        if (stopped && run.cycle - active > 100 * options.quiet) break;  // its outputs never come to rest
        if (quiet && ticks >= due) {
            pollfd wakers[] = {{link->descriptor(), POLLIN, 0}, {registers.descriptor(), POLLIN, 0}};
            ::poll(wakers, 2, NAP_MS);
            continue;
        }
        for (uint64_t n = 0; n < BATCH; ++n) cycle(false);
        if (model.finished()) break;
        if (stopped && !live) break;
    }
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    model.end();
    report(options, run, *source, *sink, link.get(), registers, monitor, seconds);
    if (!model.finished()) return 0;
    std::fprintf(stderr, "cycle %" PRIu64 ": the design called $finish\n", run.cycle);
    return FINISH;
}
