// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_sets.vh: bytes of a word as sets, a bit each, for the cores of fix_parser_wide. The first byte on the wire is
// bit 0.

function [7:0] first(input [7:0] set);              // only its first
    integer n;
    begin
        first[0] = set[0];
        for (n = 1; n < 8; n = n + 1) first[n] = set[n] && ~|(set << (8 - n));
    end
endfunction

function [7:0] last_of(input [7:0] set);            // only its last
    integer n;
    begin
        last_of[7] = set[7];
        for (n = 0; n < 7; n = n + 1) last_of[n] = set[n] && ~|(set >> n >> 1);
    end
endfunction

function [7:0] up_to(input [7:0] set);              // up to the first of the set, with it; all if it is empty
    integer n;
    begin
        up_to[0] = 1'b1;
        for (n = 1; n < 8; n = n + 1) up_to[n] = ~|(set << (8 - n));
    end
endfunction

function [7:0] before(input [7:0] set);             // before the first of the set; all if it is empty
    before = up_to(set) & ~set;
endfunction

function [7:0] behind(input [7:0] set);             // behind the last of the set; all if it is empty
    integer n;
    begin
        for (n = 0; n < 8; n = n + 1) behind[n] = ~|(set >> n);
    end
endfunction

function [3:0] place(input [7:0] one);              // from 1; 0 for none
    integer n;
    begin
        place = 4'd0;
        for (n = 0; n < 8; n = n + 1) if (one[n]) place = place | (n[3:0] + 4'd1);
    end
endfunction
