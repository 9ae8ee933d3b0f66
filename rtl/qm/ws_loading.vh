// SPDX-License-Identifier: Apache-2.0
//
// Written by `make docs` from loading.yml; do not edit.

/* verilator lint_off UNUSEDPARAM */
localparam [31:0] MAGIC = 32'h57534c44;
localparam FRAGMENT     = 64;
localparam HEADER_BYTES = 36;
localparam REPLY_BYTES  = 36;

// First bytes of the fields of a request
localparam AT_MAGIC      = 0;
localparam AT_VERSION    = 4;
localparam AT_KIND       = 5;
localparam AT_SLOT       = 6;
localparam AT_GENERATION = 7;
localparam AT_INIT       = 11;
localparam AT_DELIVERY   = 13;
localparam AT_RECEPTION  = 15;
localparam AT_FLAGS      = 17;
localparam AT_PERIOD     = 19;
localparam AT_START      = 21;
localparam AT_CRC        = 23;
localparam AT_TAG        = 27;
localparam AT_FRAGMENT   = 35;

// Codes
localparam [7:0] FORMAT              = 1;
localparam [7:0] ANSWER              = 128;
localparam [7:0] KIND_LOAD           = 1;
localparam [7:0] KIND_START          = 2;
localparam [7:0] KIND_STOP           = 3;
localparam [7:0] KIND_STATUS         = 4;
localparam [7:0] SLOT_EMPTY          = 0;
localparam [7:0] SLOT_STOPPED        = 1;
localparam [7:0] SLOT_RUNNING        = 2;
localparam [7:0] SLOT_TRAPPED        = 3;
localparam [7:0] RESULT_DONE         = 0;
localparam [7:0] RESULT_INCOMPLETE   = 1;
localparam [7:0] RESULT_BAD_LENGTH   = 16;
localparam [7:0] RESULT_BAD_MAGIC    = 17;
localparam [7:0] RESULT_BAD_VERSION  = 18;
localparam [7:0] RESULT_BAD_KIND     = 19;
localparam [7:0] RESULT_BAD_SLOT     = 20;
localparam [7:0] RESULT_LOCKED       = 21;
localparam [7:0] RESULT_STALE        = 22;
localparam [7:0] RESULT_BAD_SIZE     = 23;
localparam [7:0] RESULT_BAD_FRAGMENT = 24;
localparam [7:0] RESULT_BAD_CRC      = 25;
localparam [7:0] RESULT_BAD_TAG      = 26;
localparam [7:0] RESULT_BAD_CODE     = 27;
localparam [7:0] RESULT_NO_PROGRAM   = 28;
/* verilator lint_on UNUSEDPARAM */
