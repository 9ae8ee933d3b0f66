// SPDX-License-Identifier: Apache-2.0
//
// a < b of two times of T_W bits: the sign of their difference, which fits T_W bits (see ws_watermark). Synthesis maps
// this to one carry chain, but a signed < to a carry chain and a LUT after it that corrects an overflow.

function below(input signed [T_W-1:0] a, input signed [T_W-1:0] b);
    reg signed [T_W-1:0] difference;
    begin
        difference = a - b;
        below      = difference[T_W-1];
    end
endfunction
