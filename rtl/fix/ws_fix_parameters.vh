// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_parameters.vh: the parameters of the FIX parsers and their stages: message types, fields and groups.
//
// A module includes this file in its parameter list, and ws_fix_parameter_map.vh where it instantiates another such
// module. wirestream.schema.fix computes the values from a .yml description.
//
// Parameters   N_MESSAGES     message types, at least 1
//              N_FIELDS       fields, at least 1; field 0 is in the low bits of every table and of m_fields
//              N_GROUPS       repeating groups, at least 1; a group whose tags are 0 is unused
//              N_BEGINS       accepted BeginStrings, at least 1
//              N_DATA         data fields, at least 1
//              FIELDS_W       sum of WIDTHS, at least 1
//              TYPES          MsgType of each message type, 24 bits: up to 3 characters, right-aligned, zero-padded
//              WANTED         N_FIELDS bits a message type: the fields it may have
//              REQUIRED       N_FIELDS bits a message type: the fields it must have; a field of a group's entry is
//                             required only if the entry is present
//              TAGS           24 bits a field: up to 6 decimal digits, 4 bits each
//              KINDS          2 bits a field: 0 integer, 1 price, 2 string, 3 timestamp
//              WIDTHS         10 bits a field, its width: number 32 or 64, string 8 to 512, timestamp 64
//              SIGNED         1 bit a field: the number may be negative
//              DECIMALS       4 bits a field: decimals of a price, 0 to 8
//              DEFAULTS       default of each field, laid out as in m_fields
//              GROUP          4 bits a field: 1 + the index of its group, 0 for none
//              ENTRY          4 bits a field: which entry of its group the field belongs to, from 0
//              COUNT_TAGS     24 bits a group: the tag of its number of entries
//              FIRST_TAGS     24 bits a group: the tag of the first field of an entry
//              BEGIN_STRINGS  accepted BeginStrings, 64 bits each: 1 to 8 characters, right-aligned, zero-padded
//              LENGTH_TAGS    24 bits a data field: the tag of its length field
//              DATA_TAGS      24 bits a data field: its own tag

parameter                             N_MESSAGES  = 1,
parameter                             N_FIELDS    = 4,
parameter                             N_GROUPS    = 1,
parameter                             N_BEGINS    = 3,
parameter                             N_DATA      = 1,
parameter                             FIELDS_W    = 64 + 64 + 32 + 64,
parameter [N_MESSAGES*24-1:0]         TYPES       = "D",
parameter [N_MESSAGES*N_FIELDS-1:0]   WANTED      = 4'b1111,
parameter [N_MESSAGES*N_FIELDS-1:0]   REQUIRED    = 4'b0011,
parameter [N_FIELDS*24-1:0]           TAGS        = {24'h60, 24'h38, 24'h44, 24'h55},
parameter [N_FIELDS*2-1:0]            KINDS       = {2'd3, 2'd0, 2'd1, 2'd2},
parameter [N_FIELDS*10-1:0]           WIDTHS      = {10'd64, 10'd32, 10'd64, 10'd64},
parameter [N_FIELDS-1:0]              SIGNED      = 4'b0010,
parameter [N_FIELDS*4-1:0]            DECIMALS    = 16'h0040,
parameter [FIELDS_W-1:0]              DEFAULTS    = 0,
parameter [N_FIELDS*4-1:0]            GROUP       = 0,
parameter [N_FIELDS*4-1:0]            ENTRY       = 0,
parameter [N_GROUPS*24-1:0]           COUNT_TAGS  = 0,
parameter [N_GROUPS*24-1:0]           FIRST_TAGS  = 0,
parameter [N_BEGINS*64-1:0]           BEGIN_STRINGS = {64'h4649582e342e32, 64'h4649582e342e34, "FIXT.1.1"},
parameter [N_DATA*24-1:0]             LENGTH_TAGS = 24'h95,
parameter [N_DATA*24-1:0]             DATA_TAGS   = 24'h96
