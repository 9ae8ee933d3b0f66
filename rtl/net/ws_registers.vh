// SPDX-License-Identifier: Apache-2.0
//
// Written by `make docs` from registers.yml; do not edit.

localparam WORDS = 64;              // below the counters
localparam MOST_COUNTERS = 256;
localparam [31:0] ID = 32'h57534950;
localparam [31:0] VERSION = 32'h00020000;

// Number of a register's first word
localparam WORD_ID                 = 0;
localparam WORD_VERSION            = 1;
localparam WORD_SIZES              = 2;
localparam WORD_SNAPSHOT           = 3;
localparam WORD_LOCAL_MAC          = 4;
localparam WORD_LOCAL_IP           = 6;
localparam WORD_NETMASK            = 7;
localparam WORD_GATEWAY            = 8;
localparam WORD_SWITCHES           = 9;
localparam WORD_RESULT_IP          = 10;
localparam WORD_RESULT_PORT        = 11;
localparam WORD_RESULT_SOURCE_PORT = 12;
localparam WORD_ARP_COMMAND        = 13;
localparam WORD_ARP_MAC            = 14;
localparam WORD_ARP_IP             = 16;
localparam WORD_LOCAL_PORT         = 32;
localparam WORD_GROUP              = 48;

// By word, the highest first: can it be read, written; the bits that are stored, their values after reset
localparam [WORDS-1:0] READABLE = 64'hffffffff00001fff;
localparam [WORDS-1:0] WRITABLE = 64'hffffffff0001fff8;
localparam [32*WORDS-1:0] STORED = {
    32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff,
    32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff, 32'hffffffff,
    32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff,
    32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff, 32'h0000ffff,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'hffffffff,
    32'h0000ffff, 32'hffffffff, 32'h00000000, 32'h0000ffff, 32'h0000ffff, 32'hffffffff, 32'h00000003, 32'hffffffff,
    32'hffffffff, 32'hffffffff, 32'h0000ffff, 32'hffffffff, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000
};
localparam [32*WORDS-1:0] AFTER_RESET = {
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000fa0,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000,
    32'h00000000, 32'h00000000, 32'h00000000, 32'h00000fa0, 32'h00001388, 32'hc0a8014d, 32'h00000002, 32'h00000000,
    32'hffffff00, 32'hc0a8010a, 32'h00000200, 32'h00000001, 32'h00000000, 32'h00000000, 32'h00000000, 32'h00000000
};
