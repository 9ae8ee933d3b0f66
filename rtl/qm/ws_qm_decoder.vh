// SPDX-License-Identifier: Apache-2.0
//
// Written by `make docs` from bytecode.yml and microcode.py; do not edit.

// {kind, count} of an opcode. count: its words, 0 if there is no such instruction. kind: of the operand,
// 0 none, 1 index (into bits 7 to 0 of the first word), 2 jump (its target in words into TARGET, and END),
// 3 int8, 4 int16, 5 int32 (with its sign into bits 31 to 0).
localparam MOST_WORDS = 4;
function [5:0] shape_of(input [7:0] opcode);
    case (opcode)
        8'h02: shape_of = {3'd0, 3'd1};  // iconst_m1
        8'h03: shape_of = {3'd0, 3'd1};  // iconst_0
        8'h04: shape_of = {3'd0, 3'd1};  // iconst_1
        8'h05: shape_of = {3'd0, 3'd1};  // iconst_2
        8'h07: shape_of = {3'd0, 3'd1};  // iconst_4
        8'h10: shape_of = {3'd3, 3'd1};  // ipushb
        8'h11: shape_of = {3'd4, 3'd1};  // ipushw
        8'h15: shape_of = {3'd1, 3'd1};  // iload
        8'h36: shape_of = {3'd1, 3'd1};  // istore
        8'h57: shape_of = {3'd0, 3'd1};  // pop
        8'h58: shape_of = {3'd0, 3'd1};  // pop2
        8'h59: shape_of = {3'd0, 3'd1};  // dup
        8'h5a: shape_of = {3'd0, 3'd2};  // dup_x1
        8'h5b: shape_of = {3'd0, 3'd3};  // dup_x2
        8'h5c: shape_of = {3'd0, 3'd2};  // dup2
        8'h5d: shape_of = {3'd0, 3'd4};  // dup2_x1
        8'h5f: shape_of = {3'd0, 3'd1};  // swap
        8'h60: shape_of = {3'd0, 3'd1};  // iadd
        8'h61: shape_of = {3'd0, 3'd4};  // ladd
        8'h64: shape_of = {3'd0, 3'd1};  // isub
        8'h65: shape_of = {3'd0, 3'd4};  // lsub
        8'h74: shape_of = {3'd0, 3'd1};  // ineg
        8'h7e: shape_of = {3'd0, 3'd1};  // iand
        8'h80: shape_of = {3'd0, 3'd1};  // ior
        8'h85: shape_of = {3'd0, 3'd1};  // i2l
        8'h94: shape_of = {3'd0, 3'd4};  // lcmp
        8'hcb: shape_of = {3'd5, 3'd1};  // ipushl
        8'hcc: shape_of = {3'd0, 3'd1};  // iinc
        8'hcd: shape_of = {3'd0, 3'd1};  // idec
        8'hce: shape_of = {3'd0, 3'd1};  // inot
        8'hd0: shape_of = {3'd2, 3'd1};  // ifeq
        8'hd1: shape_of = {3'd2, 3'd1};  // ifneq
        8'hd2: shape_of = {3'd2, 3'd1};  // iflt
        8'hd3: shape_of = {3'd2, 3'd1};  // ifge
        8'hd4: shape_of = {3'd2, 3'd1};  // ifgt
        8'hd5: shape_of = {3'd2, 3'd1};  // ifle
        8'hd6: shape_of = {3'd2, 3'd1};  // ifnull
        8'hd7: shape_of = {3'd2, 3'd1};  // ifnonnull
        8'hd8: shape_of = {3'd2, 3'd1};  // if_icmpeq
        8'hd9: shape_of = {3'd2, 3'd1};  // if_icmpneq
        8'hda: shape_of = {3'd2, 3'd1};  // if_icmplt
        8'hdb: shape_of = {3'd2, 3'd1};  // if_icmpge
        8'hdc: shape_of = {3'd2, 3'd1};  // if_icmpgt
        8'hdd: shape_of = {3'd2, 3'd1};  // if_icmple
        8'hde: shape_of = {3'd2, 3'd1};  // goto
        8'he0: shape_of = {3'd0, 3'd2};  // iload
        8'he1: shape_of = {3'd0, 3'd1};  // istore
        8'he2: shape_of = {3'd1, 3'd1};  // iload_sy
        8'he3: shape_of = {3'd1, 3'd1};  // istore_sy
        8'he4: shape_of = {3'd0, 3'd2};  // iload_sy
        8'he5: shape_of = {3'd0, 3'd1};  // istore_sy
        8'he8: shape_of = {3'd0, 3'd1};  // send_tb
        8'he9: shape_of = {3'd0, 3'd1};  // send_sy
        8'heb: shape_of = {3'd0, 3'd1};  // clear_sy
        8'hef: shape_of = {3'd1, 3'd1};  // get_field
        8'hf0: shape_of = {3'd0, 3'd1};  // get_field_0
        8'hf1: shape_of = {3'd0, 3'd1};  // get_field_1
        8'hf2: shape_of = {3'd0, 3'd1};  // get_field_2
        8'hf3: shape_of = {3'd0, 3'd1};  // get_field_3
        8'hf4: shape_of = {3'd0, 3'd1};  // get_field_4
        8'hf5: shape_of = {3'd0, 3'd1};  // get_field_5
        8'hf6: shape_of = {3'd0, 3'd1};  // get_field_6
        8'hf7: shape_of = {3'd0, 3'd1};  // get_field_7
        default: shape_of = 6'd0;
    endcase
endfunction

// Word `step` of an opcode
function [35:0] word_of(input [7:0] opcode, input [2:0] step);
    case ({opcode, step})
        {8'h02, 3'd0}: word_of = 36'h8ffffffff;
        {8'h03, 3'd0}: word_of = 36'h800000000;
        {8'h04, 3'd0}: word_of = 36'h800000001;
        {8'h05, 3'd0}: word_of = 36'h800000002;
        {8'h07, 3'd0}: word_of = 36'h800000004;
        {8'h10, 3'd0}: word_of = 36'h800000000;
        {8'h11, 3'd0}: word_of = 36'h800000000;
        {8'h15, 3'd0}: word_of = 36'h121000100;
        {8'h36, 3'd0}: word_of = 36'h207200100;
        {8'h57, 3'd0}: word_of = 36'h007200000;
        {8'h58, 3'd0}: word_of = 36'h046400000;
        {8'h59, 3'd0}: word_of = 36'h021380000;
        {8'h5a, 3'd0}: word_of = 36'h020400000;
        {8'h5a, 3'd1}: word_of = 36'h021000000;
        {8'h5b, 3'd0}: word_of = 36'h070600000;
        {8'h5b, 3'd1}: word_of = 36'h020000000;
        {8'h5b, 3'd2}: word_of = 36'h061000000;
        {8'h5c, 3'd0}: word_of = 36'h021400000;
        {8'h5c, 3'd1}: word_of = 36'h021000000;
        {8'h5d, 3'd0}: word_of = 36'h020600000;
        {8'h5d, 3'd1}: word_of = 36'h070000000;
        {8'h5d, 3'd2}: word_of = 36'h061000000;
        {8'h5d, 3'd3}: word_of = 36'h061000000;
        {8'h5f, 3'd0}: word_of = 36'h020400000;
        {8'h60, 3'd0}: word_of = 36'h007490000;
        {8'h61, 3'd0}: word_of = 36'h040890040;
        {8'h61, 3'd1}: word_of = 36'h030010000;
        {8'h61, 3'd2}: word_of = 36'h080090002;
        {8'h61, 3'd3}: word_of = 36'h066010000;
        {8'h64, 3'd0}: word_of = 36'h00749000c;
        {8'h65, 3'd0}: word_of = 36'h04089004c;
        {8'h65, 3'd1}: word_of = 36'h030010000;
        {8'h65, 3'd2}: word_of = 36'h08009000e;
        {8'h65, 3'd3}: word_of = 36'h066010000;
        {8'h74, 3'd0}: word_of = 36'h000290024;
        {8'h7e, 3'd0}: word_of = 36'h007430000;
        {8'h80, 3'd0}: word_of = 36'h007450000;
        {8'h85, 3'd0}: word_of = 36'h029380000;
        {8'h94, 3'd0}: word_of = 36'h040890049;
        {8'h94, 3'd1}: word_of = 36'h000010000;
        {8'h94, 3'd2}: word_of = 36'h08007004a;
        {8'h94, 3'd3}: word_of = 36'h005090090;
        {8'hcb, 3'd0}: word_of = 36'h800000000;
        {8'hcc, 3'd0}: word_of = 36'h000290011;
        {8'hcd, 3'd0}: word_of = 36'h000290020;
        {8'hce, 3'd0}: word_of = 36'h000290014;
        {8'hd0, 3'd0}: word_of = 36'h307200000;
        {8'hd1, 3'd0}: word_of = 36'h30f200000;
        {8'hd2, 3'd0}: word_of = 36'h30f202000;
        {8'hd3, 3'd0}: word_of = 36'h307202000;
        {8'hd4, 3'd0}: word_of = 36'h307204000;
        {8'hd5, 3'd0}: word_of = 36'h30f204000;
        {8'hd6, 3'd0}: word_of = 36'h307206000;
        {8'hd7, 3'd0}: word_of = 36'h30f206000;
        {8'hd8, 3'd0}: word_of = 36'h306508000;
        {8'hd9, 3'd0}: word_of = 36'h30e508000;
        {8'hda, 3'd0}: word_of = 36'h30650c000;
        {8'hdb, 3'd0}: word_of = 36'h30e50c000;
        {8'hdc, 3'd0}: word_of = 36'h30e50a000;
        {8'hdd, 3'd0}: word_of = 36'h30650a000;
        {8'hde, 3'd0}: word_of = 36'h30018e000;
        {8'he0, 3'd0}: word_of = 36'h000380300;
        {8'he0, 3'd1}: word_of = 36'h100000500;
        {8'he1, 3'd0}: word_of = 36'h206500500;
        {8'he2, 3'd0}: word_of = 36'h121000200;
        {8'he3, 3'd0}: word_of = 36'h207200200;
        {8'he4, 3'd0}: word_of = 36'h000380500;
        {8'he4, 3'd1}: word_of = 36'h100000600;
        {8'he5, 3'd0}: word_of = 36'h206500600;
        {8'he8, 3'd0}: word_of = 36'h400180100;
        {8'he9, 3'd0}: word_of = 36'h400180200;
        {8'heb, 3'd0}: word_of = 36'h500180000;
        {8'hef, 3'd0}: word_of = 36'h121000000;
        {8'hf0, 3'd0}: word_of = 36'h121000000;
        {8'hf1, 3'd0}: word_of = 36'h121000001;
        {8'hf2, 3'd0}: word_of = 36'h121000002;
        {8'hf3, 3'd0}: word_of = 36'h121000003;
        {8'hf4, 3'd0}: word_of = 36'h121000004;
        {8'hf5, 3'd0}: word_of = 36'h121000005;
        {8'hf6, 3'd0}: word_of = 36'h121000006;
        {8'hf7, 3'd0}: word_of = 36'h121000007;
        default: word_of = 36'd0;
    endcase
endfunction
