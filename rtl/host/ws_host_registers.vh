// SPDX-License-Identifier: Apache-2.0
//
// Written by `make docs` from registers.yml; do not edit.

localparam WORDS = 64;              // below the counters
localparam [31:0] ID = 32'h57534831;
localparam [31:0] VERSION = 32'h00010000;

// Number of a register's first word
localparam WORD_ID              = 0;
localparam WORD_VERSION         = 1;
localparam WORD_SIZES           = 2;
localparam WORD_FORM            = 3;
localparam WORD_LIMITS          = 4;
localparam WORD_CONTROL         = 5;
localparam WORD_STATUS          = 6;
localparam WORD_ERRORS          = 7;
localparam WORD_IRQ_PENDING     = 8;
localparam WORD_IRQ_MASK        = 9;
localparam WORD_IRQ_COUNT       = 10;
localparam WORD_IRQ_TIMER       = 11;
localparam WORD_RING_ADDRESS    = 12;
localparam WORD_HEAD_ADDRESS    = 14;
localparam WORD_RING_SLOTS      = 16;
localparam WORD_HEAD            = 17;
localparam WORD_TAIL            = 18;
localparam WORD_FIFO_DATA       = 19;
localparam WORD_REQUEST_ADDRESS = 20;
localparam WORD_REQUEST         = 22;
localparam WORD_REQUESTS_DONE   = 23;
localparam WORD_REQUESTS_FAILED = 24;
localparam WORD_ROWS_DROPPED    = 25;
localparam WORD_ROWS_LOST       = 26;
localparam WORD_STALLED         = 27;
localparam WORD_PUSH            = 28;
localparam WORD_PUSH_LAST       = 32;

// By word, the highest first: can it be read, written; the bits that are stored, their values after reset
localparam [WORDS-1:0] READABLE = 64'h000000000fbfffff;
localparam [WORDS-1:0] WRITABLE = 64'h0000000f1075ffa0;
localparam [32*WORDS-1:0] STORED = {
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff,
    32'h00000000, 32'h00000000, 32'h00000000, 32'hffffffff, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'h00000000, 32'h00000000, 32'h00000000, 32'hffffffff,
    32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'h0000ffff, 32'h00000007, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h0000000f, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000
};
localparam [32*WORDS-1:0] AFTER_RESET = {
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000001, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000
};
