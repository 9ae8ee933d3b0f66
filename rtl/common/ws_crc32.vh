// SPDX-License-Identifier: Apache-2.0
//
// Steps of the state of a CRC-32 (IEEE 802.3, 3.2.9) over bits that are zero, for ws_crc32, ws_crc32_wide and
// ws_text_crc32. A CRC is linear, so that they give what each bit of a message contributes to the state.

localparam [31:0] POLYNOMIAL = 32'hEDB88320;   // bit-reversed: octets enter least significant bit first

// The state after one more zero bit, and before the last one.
function [31:0] forth(input [31:0] state);
    forth = (state >> 1) ^ (state[0] ? POLYNOMIAL : 32'd0);
endfunction

function [31:0] back(input [31:0] state);
    back = ((state ^ (state[31] ? POLYNOMIAL : 32'd0)) << 1) | {31'd0, state[31]};
endfunction

// Bit `index` of the state `octets` zeros before is the parity of these bits of the state.
function [31:0] back_row(input [4:0] index, input integer octets);
    integer    i;
    reg [31:0] column;
    begin
        column = 32'd1;
        for (i = 0; i < 8 * octets; i = i + 1)
            column = back(column);
        for (i = 0; i < 32; i = i + 1) begin
            back_row[i] = column[index];
            column      = back(column);
        end
    end
endfunction
