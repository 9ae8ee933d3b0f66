// SPDX-License-Identifier: Apache-2.0
//
// Plays a board that has a row in every cycle: fills a ring of Q3's rows in a file, as fast as the reader moves the tail.
// usage: producer FILE RING HEAD TAIL SLOTS ROWS: offsets of the ring, the head and the tail; numbers of slots, and rows
// to write. Before it begins it copies blocks as large as the ring with memcpy, and prints the bytes a second.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <vector>

static constexpr uint64_t SLOT = 32, AT_ONCE = 64;  // bytes; slots between two heads, as a board has several in flight
static constexpr double MEASURE_S = 0.2;

static double now() {  // of this thread's own time, as the machine may have other work
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static double copied(size_t size) {
    std::vector<uint8_t> from(size, 1), to(size);
    double begin = now(), end = begin;
    uint64_t bytes = 0;
    for (; end - begin < MEASURE_S; end = now()) {
        std::memcpy(to.data(), from.data(), size);
        from[bytes / size % size] ^= to[size / 2];  // so that no copy is left out
        bytes += size;
    }
    return bytes / (end - begin);
}

int main(int argc, char **argv) {
    if (argc != 7) return 1;
    auto number = [&](int n) { return std::strtoull(argv[n], nullptr, 0); };
    const uint64_t ring = number(2), head_at = number(3), tail_at = number(4), slots = number(5), rows = number(6);
    int file = open(argv[1], O_RDWR);
    struct stat about {};
    if (file < 0 || fstat(file, &about)) return 1;
    void *mapped = mmap(nullptr, about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) return 1;
    auto *memory = static_cast<uint8_t *>(mapped);
    auto *head = reinterpret_cast<uint64_t *>(memory + head_at);
    auto *tail = reinterpret_cast<uint32_t *>(memory + tail_at);

    std::printf("%.0f\n", copied(slots * SLOT));
    std::fflush(stdout);
    if (std::getchar() != '\n') return 1;  // the reader is ready
    const uint64_t marks = __builtin_bswap64(0x8001000000000001);  // stream 0x8001, kind 0, session 1
    for (uint64_t n = 0; n < rows;) {
        uint64_t used = uint32_t(uint32_t(n) - __atomic_load_n(tail, __ATOMIC_ACQUIRE));
        if (used == slots) {
            sched_yield();
            continue;
        }
        uint64_t end = std::min(rows, n + std::min(AT_ONCE, slots - used));
        for (; n < end; ++n) {
            uint64_t words[SLOT / 8] = {__builtin_bswap64(n), __builtin_bswap64(7 * n), 0, marks};
            std::memcpy(memory + ring + n % slots * SLOT, words, SLOT);
        }
        __atomic_store_n(head, n & 0xffffffff, __ATOMIC_RELEASE);
    }
    return 0;
}
