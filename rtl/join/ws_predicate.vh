// SPDX-License-Identifier: Apache-2.0
//
// Latency of ws_predicate and of ws_predicate_in_time, for logic that has to stay in step with them.

function integer predicate_cycles(input [31:0] name);
    predicate_cycles = name == "L1" ? 3 : name == "BAND" ? 2 : 1;
endfunction

function integer match_cycles(input [31:0] name, input integer time_w);
    match_cycles = time_w != 0 && predicate_cycles(name) < 2 ? 2 : predicate_cycles(name);
endfunction
