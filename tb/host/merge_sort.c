// SPDX-License-Identifier: Apache-2.0
//
// Merge sort of 2**p integers, bottom up, for ws_sort_cpu. With SET = 2**L the co-processor sorts each SET elements, in
// place, which are the lowest L levels, and the CPU merges the others. With SET = 1 the CPU merges all.
#include "sort_pcpi.h"

enum { BEGIN, MERGE, END };  // marks of the stages' beginnings

extern const unsigned count;
extern int elements[];
static volatile int *const RESULT = (int *)0x80000000, *const MARK = (int *)0x80000004;

#if SET > 1
// Sort each SET elements from `at` to `end`: while those of a set are stored, those of the next one are loaded.
static void sort_sets(int *at, const int *end) {
    for (int i = 0; i < SET; i += 2) sort_put(at[i], at[i + 1]);
    for (at += SET; at != end; at += SET) {
        for (int i = 0; i < SET / 2; ++i) at[i - SET] = sort_get();
        for (int i = 0; i < SET / 2; ++i) at[i - SET / 2] = sort_exchange(at[2 * i], at[2 * i + 1]);
    }
    for (int i = 0; i < SET; ++i) at[i - SET] = sort_get();
}
#endif

// Merge each two runs of `run` elements from `from` to `end`.
static void merge_runs(const int *from, const int *end, int *to, unsigned run) {
    do {
        const int *a = from, *a_end = from + run, *b = a_end, *b_end = b + run;
        int first = *a, second = *b;
        for (;;) {
            if (second < first) {
                *to++ = second;
                if (++b == b_end) {
                    do *to++ = *a++;
                    while (a != a_end);
                    break;
                }
                second = *b;
            } else {
                *to++ = first;
                if (++a == a_end) {
                    do *to++ = *b++;
                    while (b != b_end);
                    break;
                }
                first = *a;
            }
        }
        from = b_end;
    } while (from != end);
}

void _start(void) {
    unsigned n = count;
    int *from = elements, *to = elements + n;
    *MARK = BEGIN;
#if SET > 1
    sort_sets(from, from + n);
#endif
    *MARK = MERGE;
    for (unsigned run = SET; run < n; run *= 2) {
        merge_runs(from, from + n, to, run);
        int *sorted = to;
        to = from;
        from = sorted;
    }
    *MARK = END;
    for (unsigned i = 0; i < n; ++i) *RESULT = from[i];
    __asm__ volatile("ebreak");
}
