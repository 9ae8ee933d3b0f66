// SPDX-License-Identifier: Apache-2.0
//
// The instructions of ws_sort_pcpi, for GCC and Clang. The compiler keeps their order.
#ifndef SORT_PCPI_H
#define SORT_PCPI_H

#ifndef SORT_FUNCT7
#define SORT_FUNCT7 64  // the core's FUNCT7
#endif

// The next two elements of a set.
static inline void sort_put(int a, int b) {
    __asm__ volatile(".insn r 0x0b, 1, %0, x0, %1, %2" : : "i"(SORT_FUNCT7), "r"(a), "r"(b));
}

// The next element of the sorted set.
static inline int sort_get(void) {
    int next;
    __asm__ volatile(".insn r 0x0b, 2, %1, %0, x0, x0" : "=r"(next) : "i"(SORT_FUNCT7));
    return next;
}

// Both: the next element of the sorted set, after `a` and `b` of the next one.
static inline int sort_exchange(int a, int b) {
    int next;
    __asm__ volatile(".insn r 0x0b, 3, %1, %0, %2, %3" : "=r"(next) : "i"(SORT_FUNCT7), "r"(a), "r"(b));
    return next;
}

// Forget all elements; after a reset there are none.
static inline void sort_clear(void) {
    __asm__ volatile(".insn r 0x0b, 0, %0, x0, x0, x0" : : "i"(SORT_FUNCT7));
}

#endif
