// The 0-1 principle: a network that sorts every sequence of zeros and ones sorts every sequence.
//
// zero_one WIRES < comparators: whether the network sorts all 2^WIRES sequences, 256 in one operation; prints the first
// block with one that it does not sort, and exits with 1. A comparator is two numbers, the wires of its smaller and of
// its larger output.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

typedef uint64_t Bits __attribute__((vector_size(32)));

// Bit k of word w is bit `wire` of the sequence 64 * w + k.
static uint64_t column(unsigned wire, uint64_t word) {
    static const uint64_t inside[6] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                       0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};
    return wire < 6 ? inside[wire] : -(word >> (wire - 6) & 1);
}

int main(int, char **arguments) {
    const unsigned wires = atoi(arguments[1]);
    std::vector<std::pair<unsigned, unsigned>> comparators;
    for (unsigned low, high; scanf("%u %u", &low, &high) == 2;) comparators.push_back({low, high});

    const uint64_t words = wires > 6 ? uint64_t(1) << (wires - 6) : 1;
    std::vector<Bits> line(wires);
    for (uint64_t word = 0; word < words; word += 4) {
        for (unsigned wire = 0; wire < wires; wire++)
            for (unsigned part = 0; part < 4; part++) line[wire][part] = column(wire, word + part);
        for (auto [low, high] : comparators) {
            const Bits a = line[low], b = line[high];
            line[low] = a & b;
            line[high] = a | b;
        }
        Bits wrong = {};
        for (unsigned wire = 0; wire + 1 < wires; wire++) wrong |= line[wire] & ~line[wire + 1];
        if (wrong[0] | wrong[1] | wrong[2] | wrong[3]) {
            printf("not sorted: a sequence from %#llx on\n", (unsigned long long)(64 * word));
            return 1;
        }
    }
    return 0;
}
