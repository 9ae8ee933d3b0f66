// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_sets.vh: sets of bytes of a word, for the stages of ws_fix_parser_wide. The first byte on the wire is bit 0.

function [7:0] first(input [7:0] set);              // the first of the set
    integer n;
    begin
        first[0] = set[0];
        for (n = 1; n < 8; n = n + 1) first[n] = set[n] && ~|(set << (8 - n));
    end
endfunction

function [7:0] last_of(input [7:0] set);            // the last of the set
    integer n;
    begin
        last_of[7] = set[7];
        for (n = 0; n < 7; n = n + 1) last_of[n] = set[n] && ~|(set >> n >> 1);
    end
endfunction

function [7:0] up_to(input [7:0] set);              // up to and with the first of the set; all if it is empty
    integer n;
    begin
        up_to[0] = 1'b1;
        for (n = 1; n < 8; n = n + 1) up_to[n] = ~|(set << (8 - n));
    end
endfunction

function [7:0] before(input [7:0] set);             // before the first of the set; all if it is empty
    before = up_to(set) & ~set;
endfunction

function [7:0] after(input [7:0] set);             // after the last of the set; all if it is empty
    integer n;
    begin
        for (n = 0; n < 8; n = n + 1) after[n] = ~|(set >> n);
    end
endfunction

function [3:0] place(input [7:0] one);              // of the byte, from 1; 0 for none
    integer n;
    begin
        place = 4'd0;
        for (n = 0; n < 8; n = n + 1) if (one[n]) place = place | (n[3:0] + 4'd1);
    end
endfunction
