// SPDX-License-Identifier: Apache-2.0
//
// The comparators of a sorting network of N wires, layer by layer: LAYERS, and partner(layer, i), the wire that wire i
// is compared with in that layer, or i. All comparators put the smaller key on the wire with the lower number.
//
// Even-odd and bitonic networks of 2**p wires sort blocks of 2, 4, 8, … wires, each merged from its two halves: the
// layers of a merge into a block of 2*HALF wires compare at a distance of HALF, HALF/2, …, 1. A network of another size
// is that of the next power of two without the wires that are missing: infinitely large keys there would stay there.

localparam SIZE_LOG = $clog2(N);
localparam MERGES   = SIZE_LOG*(SIZE_LOG + 1)/2;                // layers of the merges into blocks of all sizes
localparam LOWER    = N > 32 ? (N + 1)/2 : N;                   // wires of the table for the lower half, or for all
localparam UPPER    = N > 32 ? N - LOWER : N;
localparam TABLES   = best_layers(LOWER) > best_layers(UPPER) ? best_layers(LOWER) : best_layers(UPPER);
localparam LAYERS   = KIND == "TRANSPOSITION" ? (N == 2 ? 1 : N)
                    : KIND == "BEST"          ? TABLES + (N > 32 ? 6 : 0)
                    :                           MERGES;

localparam [BEST_W-1:0] LOWER_TABLE = best(LOWER);
localparam [BEST_W-1:0] UPPER_TABLE = best(UPPER);

function integer partner(input integer layer, input integer i);
    integer half_log, distance;
    begin
        // The merge that the layer belongs to, and its distance
        half_log = 0;
        distance = layer;
        while (distance > half_log) begin
            half_log = half_log + 1;
            distance = distance - half_log;
        end
        distance = 1 << (half_log - distance);

        if (KIND == "TRANSPOSITION")
            partner = i % 2 == layer % 2 ? i + 1 : i - 1;
        else if (KIND == "EVEN_ODD")
            partner = even_odd(i, 1 << half_log, distance);
        else if (KIND == "BITONIC")
            partner = bitonic(i, 1 << half_log, distance);
        else if (layer >= TABLES)
            partner = even_odd(i + 32 - LOWER, 32, 32 >> (layer - TABLES)) - (32 - LOWER);
        else if (i < LOWER)
            partner = listed(LOWER_TABLE, LOWER, layer, i);
        else
            partner = LOWER + listed(UPPER_TABLE, UPPER, layer, i - LOWER);

        if (partner < 0 || partner >= N) partner = i;
    end
endfunction

// The first layer of an even-odd merge compares the halves wire by wire, the others all wires but the first and the last
// `distance` ones of the block (figure 6.2).
function integer even_odd(input integer i, input integer half, input integer distance);
    integer idle, at;
    begin
        idle = distance == half ? 0 : distance;
        at   = i % (2*half);
        if (at < idle || at >= 2*half - idle)
            even_odd = i;
        else
            even_odd = (at - idle) % (2*distance) < distance ? i + distance : i - distance;
    end
endfunction

// The first layer of a bitonic merge compares the halves in opposite directions (figure 6.4b).
function integer bitonic(input integer i, input integer half, input integer distance);
    integer at;
    begin
        at = i % (2*half);
        if (distance == half)
            bitonic = i - at + 2*half - 1 - at;
        else
            bitonic = at % (2*distance) < distance ? i + distance : i - distance;
    end
endfunction

// The wire at a place of the table for n wires
function integer listed(input [BEST_W-1:0] layers, input integer n, input integer layer, input integer i);
    reg [7:0] digit;
    begin
        digit  = layers[8*(n*(best_layers(n) - layer) - i) - 1 -: 8];
        listed = layer >= best_layers(n) ? i : {24'd0, digit} - (digit < "a" ? "0" : "a" - 10);
    end
endfunction

// Steps in which so many comparators take all layers
function integer steps(input integer comparators);
    integer layer, i, comparisons;
    begin
        steps = 0;
        for (layer = 0; layer < LAYERS; layer = layer + 1) begin
            comparisons = 0;
            for (i = 0; i < N; i = i + 1) if (partner(layer, i) > i) comparisons = comparisons + 1;
            steps = steps + (comparisons + comparators - 1)/comparators;
        end
    end
endfunction
