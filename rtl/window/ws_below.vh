// SPDX-License-Identifier: Apache-2.0
//
// a < b of two times in T_W bits, as the sign of their difference, which fits them (see ws_watermark). Synthesis makes
// one carry chain of it; of a signed < it makes one with a LUT behind that tells an overflow.

function below(input signed [T_W-1:0] a, input signed [T_W-1:0] b);
    reg signed [T_W-1:0] difference;
    begin
        difference = a - b;
        below      = difference[T_W-1];
    end
endfunction
