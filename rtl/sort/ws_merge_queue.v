// SPDX-License-Identifier: Apache-2.0
//
// ws_merge_queue: a queue of ws_merge_level, which shows its first two items and gives one a cycle.
//
// The two are in registers. A RAM is two cycles away with its output register, which cannot wait, so that the registers
// have spare places for the items that are on their way when nothing is taken:
//
//     s_data -> RAM -> output register -> [ spare ] -> next -> head
//
// An item that finds the spare places empty passes them.
//
// Parameters   DATA_W      width of an item in bits, at least 1
//              ADDR_W      see ws_ram_sdp; the queue holds 2**ADDR_W + 3 + SPARE items
//              OUTPUT_REG  see ws_ram_sdp
//              SPARE       spare places, at least OUTPUT_REG
//              STYLE       see ws_ram_sdp
// Latency      4 + OUTPUT_REG cycles from an item's arrival in the empty queue to the head
// Issue rate   1 item a cycle in and 1 out at the same time
// Overflow     the owner does not write into a full queue
// Source       ours

`default_nettype none

module ws_merge_queue #(
    parameter DATA_W     = 8,
    parameter ADDR_W     = 4,
    parameter OUTPUT_REG = 0,
    parameter SPARE      = 0,
    parameter STYLE      = "auto"
`ifdef FORMAL
    , parameter PLACE_W = ADDR_W + 2
    , parameter SLOTS   = 4 + SPARE + (1 << ADDR_W)
`endif
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_valid,
    input  wire [DATA_W-1:0] s_data,

    output wire [DATA_W-1:0] head,
    output wire              next_valid,    // of the second item, if it has arrived here
    output wire [DATA_W-1:0] next,
    input  wire              take,          // the head, which must be valid
    output wire              renew,         // the head is invalid or taken: the next item replaces it
    output wire              empty_next     // the queue will be empty, but for s_data in this cycle and the last one
`ifdef FORMAL
    ,
    // For the proof of the owner, with OUTPUT_REG = 0: else an item may be in the RAM's own register, which is none of
    // the slots.
    // An item has a place in the order of arrival, modulo 2**PLACE_W. A slot is a register or a word of the RAM; the
    // last one is the next word to read, again.
    output wire                     head_valid,
    output wire [PLACE_W-1:0]       total,          // items that have arrived
    output wire [PLACE_W-1:0]       gone,           // and that have been taken
    output wire [OUTPUT_REG+2:0]    came,           // bit n: an item came n+1 cycles ago
    output reg  [DATA_W-1:0]        first,          // the first item
    output reg  [SLOTS-1:0]         live,           // the slot has an item
    output reg  [SLOTS-1:0]         timed,          // and it is known when it came, see ws_merge_level
    output reg  [SLOTS-1:0]         follows,        // there is a next item
    output reg  [SLOTS*PLACE_W-1:0] places,
    output wire [SLOTS*DATA_W-1:0]  items,
    output reg  [SLOTS*DATA_W-1:0]  followers
`endif
);

    localparam CAPACITY = 3 + SPARE;        // of the registers: head, next, spare places, output of the RAM
    localparam COUNT_W  = $clog2(CAPACITY + 1);
    localparam [COUNT_W-1:0] FULL = CAPACITY[COUNT_W-1:0];

    reg  [ADDR_W-1:0]  write_reg, read_reg;
    reg  [ADDR_W-1:0]  newest_reg;          // where the last item is that was written
    reg                stored_reg;          // the RAM has an item
    reg                past_stored_reg;     // and had one in the last cycle
    reg  [COUNT_W-1:0] count_reg;           // items read and not taken
    reg                head_valid_reg, fresh_reg;
    reg  [DATA_W-1:0]  head_reg;
    reg  [SPARE:0]     valid_reg;           // of the next item and the spare places
    wire [DATA_W-1:0]  ram_data;
    wire               arrives;

    wire               room   = (count_reg & FULL) != FULL;    // no lesser number has all bits of FULL
    wire               read   = stored_reg && (room || take);
    wire               leaves = fresh_reg && (renew || !valid_reg[SPARE]);

    assign renew      = take || !head_valid_reg;
    assign empty_next = !past_stored_reg && (take ? count_reg == 1 : count_reg == 0);

    ws_ram_sdp #(
        .DATA_W(DATA_W), .ADDR_W(ADDR_W), .OUTPUT_REG(OUTPUT_REG), .STYLE(STYLE)
`ifdef FORMAL
        , .WATCH_ALL(1)
`endif
    ) ram (
        .clk(clk),
        .wr_en(s_valid), .wr_addr(write_reg), .wr_data(s_data),
        .rd_en(read), .rd_addr(read_reg), .rd_data(ram_data)
`ifdef FORMAL
        , .watch_addr(read_reg), .watch_data(first_word), .watch_addr_2(read_reg), .watch_data_2(),
        .words(words)
`endif
    );

    generate
        if (OUTPUT_REG != 0) begin : gen_output_reg
            reg read_valid_reg;
            always @(posedge clk) read_valid_reg <= read && !rst;
            assign arrives = read_valid_reg;
        end else begin : gen_no_output_reg
            assign arrives = read;
        end
    endgenerate

    always @(posedge clk) begin
        if (s_valid) {newest_reg, write_reg} <= {write_reg, write_reg + 1'b1};
        if (read) read_reg <= read_reg + 1'b1;
        stored_reg      <= s_valid || (stored_reg && !(read && newest_reg == read_reg));
        past_stored_reg <= stored_reg;
        count_reg       <= count_reg + read - take;
        fresh_reg       <= arrives || (fresh_reg && !leaves);   // the RAM's output has an item that is nowhere else
        if (renew) begin
            head_valid_reg <= valid_reg[0];
            head_reg       <= next;
        end
        if (rst) begin
            write_reg       <= 0;
            read_reg        <= 0;
            stored_reg      <= 1'b0;
            past_stored_reg <= 1'b0;
            count_reg       <= 0;
            fresh_reg       <= 1'b0;
            head_valid_reg  <= 1'b0;
        end
    end

    // Place 0 is the next item, the others are spare. The RAM's output goes to the first that is empty after the shift.
    wire [SPARE+1:0]              full   = {1'b0, valid_reg};
    wire [(SPARE+2)*DATA_W-1:0]   waiting;
    assign waiting[(SPARE+1)*DATA_W +: DATA_W] = ram_data;

    genvar i;
    generate
        for (i = 0; i <= SPARE; i = i + 1) begin : gen_place
            reg [DATA_W-1:0] place_reg;
            // Only place 0 can be valid while the head is not, so the others move if the head is taken.
            wire             before = i == 0 || (full[i == 0 ? 0 : i - 1] && head_valid_reg);
            wire             moves  = i == 0 ? renew : take;

            always @(posedge clk) begin
                if (moves || !full[i]) place_reg <= full[i+1] ? waiting[(i+1)*DATA_W +: DATA_W] : ram_data;
                valid_reg[i] <= moves ? full[i+1] || (fresh_reg && (i == 0 || full[i]))
                                      : full[i] || (fresh_reg && before);
                if (rst) valid_reg[i] <= 1'b0;
            end
            assign waiting[i*DATA_W +: DATA_W] = place_reg;
        end
    endgenerate

    assign head       = head_reg;
    assign next_valid = valid_reg[0];
    assign next       = waiting[DATA_W-1:0];

`ifdef FORMAL
    // The slots: head, next, spare places, the RAM's output, its words, the next word.
    localparam FRESH = SPARE + 2;
    localparam WORDS = 1 << ADDR_W;
    wire [DATA_W*WORDS-1:0]     words;
    wire [DATA_W-1:0]           first_word;
    reg                         past_valid = 1'b0;
    reg  [PLACE_W-1:0]          total_ref, read_ref, taken_ref;     // items that have arrived, been read, been taken
    reg  [OUTPUT_REG+2:0]       came_ref;
    wire [PLACE_W-1:0]          stored_ref = total_ref - read_ref;
    reg  [COUNT_W-1:0]          places_ref;     // valid ones
    reg                         after;
    reg  [DATA_W-1:0]           item;
    reg  [PLACE_W-1:0]          place;
    reg  [ADDR_W-1:0]           back;           // items that have come after this one
    wire [PLACE_W-1:0]          sum = taken_ref + count_reg;
    integer                     n;

    assign head_valid = head_valid_reg;
    assign total      = total_ref;
    assign gone       = taken_ref;
    assign came       = came_ref;
    assign items      = {first_word, words, waiting, head_reg};

    always @* begin
        places_ref = 0;
        for (n = 0; n <= SPARE; n = n + 1) places_ref = places_ref + valid_reg[n];
        {live, timed, follows, places, followers} = 0;
        // the registers, from the last item to the first
        {after, item, place}  = {stored_ref != 0, first_word, read_ref};
        live[0 +: FRESH+1]    = {fresh_reg, valid_reg, head_valid_reg};
        for (n = FRESH; n >= 0; n = n - 1) begin
            {follows[n], followers[n*DATA_W +: DATA_W]} = {after, item};
            if (live[n]) {after, item, place} = {1'b1, items[n*DATA_W +: DATA_W], place - 1'b1};
            places[n*PLACE_W +: PLACE_W] = place;
        end
        first = item;
        // the words
        for (n = 0; n < WORDS; n = n + 1) begin
            back = total_ref - 1 - n;
            live[FRESH+1+n]    = back < stored_ref;
            follows[FRESH+1+n] = back != 0;
            followers[(FRESH+1+n)*DATA_W +: DATA_W] = words[(n+1)%WORDS*DATA_W +: DATA_W];
            places[(FRESH+1+n)*PLACE_W +: PLACE_W]  = total_ref - 1'b1 - back;
        end
        // if nothing is before it, an item needs the same time to each register
        places[(SLOTS-1)*PLACE_W +: PLACE_W] = read_ref;
        timed[1]       = valid_reg[0] && !head_valid_reg;
        timed[FRESH]   = fresh_reg && !valid_reg[0];
        timed[SLOTS-1] = stored_ref != 0 && count_reg != CAPACITY;
    end

    always @(posedge clk) begin
        past_valid <= 1'b1;
        came_ref   <= {came_ref, s_valid};
        total_ref  <= total_ref + s_valid;
        read_ref   <= read_ref + read;
        taken_ref  <= taken_ref + take;
        if (rst) begin
            came_ref  <= 0;
            total_ref <= 0;
            read_ref  <= 0;
            taken_ref <= 0;
        end
        if (!past_valid) assume (rst);
        else if (!rst) begin
            assume (!take || head_valid_reg);
            assume (!s_valid || stored_ref < WORDS);
            assert (stored_ref <= WORDS);
            assert (write_reg == total_ref[ADDR_W-1:0] && read_reg == read_ref[ADDR_W-1:0]);
            assert (stored_reg == (stored_ref != 0));
            if (stored_reg) assert (write_reg == newest_reg + 1'b1);
            assert (read_ref == sum);
            assert (count_reg == head_valid_reg + places_ref + fresh_reg + (OUTPUT_REG != 0 && arrives));
            assert (past_stored_reg || stored_ref == came_ref[0]);
            assert (!came_ref[0] || stored_reg);
            assert (!past_stored_reg || came_ref[1] || count_reg == CAPACITY);
            // the registers fill from the head on
            assert (head_valid_reg || (valid_reg >> 1) == 0);
            for (n = 1; n <= SPARE; n = n + 1) assert (!valid_reg[n] || valid_reg[n-1]);
            // what waits in the RAM waits for the registers, which are full
            assert (stored_ref < 2 || count_reg == CAPACITY);
            if (count_reg != CAPACITY)
                assert (stored_reg == came_ref[0] && (OUTPUT_REG == 0 || arrives == came_ref[1]));
            if (!valid_reg[0]) assert (fresh_reg == came_ref[OUTPUT_REG+1]);
            if (!head_valid_reg) assert (valid_reg[0] == came_ref[OUTPUT_REG+2]);
        end
    end
`endif

endmodule

`default_nettype wire
