// SPDX-License-Identifier: Apache-2.0
//
// ws_fix_match.vh: what a tag matches, as one vector, for the stages of ws_fix_parser_wide. Needs ws_fix_layout.vh.

// Decimals of a field's number, 9 for a timestamp.
function integer decimals(input integer index);
    decimals = KINDS[2*index +: 2] == TIMESTAMP ? 9
               : KINDS[2*index +: 2] == PRICE ? {28'd0, DECIMALS[4*index +: 4]} : 0;
endfunction

// The converter that computes a field's number. Converter 0 serves all fields, but for each further number of decimals
// that messages give to the same tag there is one more.
function integer converter(input integer index);
    integer n, m, same;
    begin
        converter = 0;
        same      = 0;
        for (n = 0; n < index && same == 0; n = n + 1)
            if (TAGS[24*n +: 24] == TAGS[24*index +: 24] && KINDS[2*n +: 2] != STRING) begin
                if (decimals(n) == decimals(index)) same = 1;
                else begin
                    m = 0;
                    while (m < n && !(TAGS[24*m +: 24] == TAGS[24*index +: 24] && KINDS[2*m +: 2] != STRING
                                      && decimals(m) == decimals(n))) m = m + 1;
                    if (m == n) converter = converter + 1;
                end
            end
    end
endfunction

function integer converters(input integer unused);
    integer n;
    begin
        converters = 1;
        for (n = 0; n < N_FIELDS; n = n + 1)
            if (KINDS[2*n +: 2] != STRING && converter(n) >= converters) converters = converter(n) + 1;
    end
endfunction

localparam CONVERTERS = converters(0);

// Bits of a match: the fields, from 0; the groups' counts; the first fields of their entries; BodyLength, MsgType,
// CheckSum and BeginString; the length of a data field, a data field, and the index of that pair; and for each
// converter the decimals of the number, one-hot.
localparam PAIR_W         = N_DATA > 1 ? $clog2(N_DATA) : 1,
           MATCH_COUNT    = N_FIELDS,
           MATCH_FIRST    = MATCH_COUNT + N_GROUPS,
           MATCH_BODY     = MATCH_FIRST + N_GROUPS,
           MATCH_TYPE     = MATCH_BODY + 1,
           MATCH_SUM      = MATCH_TYPE + 1,
           MATCH_BEGIN    = MATCH_SUM + 1,
           MATCH_LENGTH   = MATCH_BEGIN + 1,
           MATCH_DATA     = MATCH_LENGTH + 1,
           MATCH_PAIR     = MATCH_DATA + 1,
           MATCH_DECIMALS = MATCH_PAIR + PAIR_W,
           MATCH_BITS     = MATCH_DECIMALS + 10 * CONVERTERS;     // the width, MATCH_W of the stages
