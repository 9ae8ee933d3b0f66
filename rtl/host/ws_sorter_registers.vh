// SPDX-License-Identifier: Apache-2.0
//
// Written by `make docs` from sorter.yml; do not edit.

localparam WORDS = 64;              // below the counters
localparam [31:0] ID = 32'h57535331;
localparam [31:0] VERSION = 32'h00010000;

// Number of a register's first word
localparam WORD_ID           = 0;
localparam WORD_VERSION      = 1;
localparam WORD_SIZES        = 2;
localparam WORD_FORM         = 3;
localparam WORD_CONTROL      = 4;
localparam WORD_STATUS       = 5;
localparam WORD_SOURCE       = 6;
localparam WORD_DESTINATION  = 8;
localparam WORD_SCRATCH      = 10;
localparam WORD_COUNT        = 12;
localparam WORD_LIMIT        = 13;
localparam WORD_LAYOUT       = 14;
localparam WORD_DONE_RECORDS = 15;
localparam WORD_DONE_EQUAL   = 16;
localparam WORD_CYCLES       = 18;
localparam WORD_JOBS         = 20;
localparam WORD_FAILED       = 21;

// By word, the highest first: whether it can be read and written, and which bits are stored
localparam [WORDS-1:0] READABLE = 64'h00000000003dffef;
localparam [WORDS-1:0] WRITABLE = 64'h0000000000007fd0;
localparam [32*WORDS-1:0] STORED = {
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000fff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff,
    32'hffffffff, 32'hffffffff, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000
};
