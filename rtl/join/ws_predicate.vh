// SPDX-License-Identifier: Apache-2.0
//
// Cycles of ws_predicate, for whoever has something go beside it.

function integer predicate_cycles(input [31:0] name);
    predicate_cycles = name == "L1" ? 3 : name == "BAND" ? 2 : 1;
endfunction
