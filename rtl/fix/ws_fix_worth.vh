// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_worth.vh: the value of a decimal digit in its place, for the converters of ws_fix_parser_wide.

// number * unit, each bit a function of the digit's four bits. Not a case statement: Yosys would make a ROM of it, and
// move the register at its input to its output.
function [63:0] worth(input [3:0] number, input [63:0] unit);
    integer n;
    begin
        worth = 64'd0;
        for (n = 1; n < 10; n = n + 1) if (number == n[3:0]) worth = worth | unit * n;
    end
endfunction

function [63:0] signed_worth(input less, input [3:0] number, input [63:0] unit);     // -number * unit with `less`
    signed_worth = less ? worth(number, -unit) : worth(number, unit);
endfunction
