// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_worth.vh: what a decimal digit is worth at its place, for the cores of fix_parser_wide.

// number * unit, a function of the digit's four bits for each bit.
function [63:0] worth(input [3:0] number, input [63:0] unit);
    case (number)
        4'd1:    worth = unit;
        4'd2:    worth = unit * 64'd2;
        4'd3:    worth = unit * 64'd3;
        4'd4:    worth = unit * 64'd4;
        4'd5:    worth = unit * 64'd5;
        4'd6:    worth = unit * 64'd6;
        4'd7:    worth = unit * 64'd7;
        4'd8:    worth = unit * 64'd8;
        4'd9:    worth = unit * 64'd9;
        default: worth = 64'd0;
    endcase
endfunction

function [63:0] signed_worth(input less, input [3:0] number, input [63:0] unit);     // -number * unit with `less`
    signed_worth = less ? worth(number, -unit) : worth(number, unit);
endfunction
