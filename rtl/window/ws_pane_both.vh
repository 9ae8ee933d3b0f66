// SPDX-License-Identifier: Apache-2.0
//
// The aggregate of two successive runs of panes, from newer_wins of ws_pane_pick, which comes a cycle after the numbers
// of the runs. KIND and NUMBER_W are parameters of the including module.

function [NUMBER_W-1:0] both(input newer_wins, input [NUMBER_W-1:0] newer, input [NUMBER_W-1:0] older);
    both = KIND == "BOR" ? newer | older : KIND == "XOR" ? newer ^ older : newer_wins ? newer : older;
endfunction
