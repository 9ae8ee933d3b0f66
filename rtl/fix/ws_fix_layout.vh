// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_layout.vh: kinds of fields, and where each field lies in m_fields, for the FIX parsers.

localparam [1:0] INTEGER = 2'd0, PRICE = 2'd1, STRING = 2'd2, TIMESTAMP = 2'd3;     // of KINDS

// The lowest bit of field `index` in m_fields.
function integer offset(input integer index);
    integer n;
    begin
        offset = 0;
        for (n = 0; n < index; n = n + 1) offset = offset + {22'd0, WIDTHS[10*n +: 10]};
    end
endfunction
