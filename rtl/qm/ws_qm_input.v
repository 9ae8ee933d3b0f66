// SPDX-License-Identifier: Apache-2.0
//
// ws_qm_input: the events of the query machine, in the order of their arrival, with the words of tuples and of a message.
//
// The words of a packet are written as they arrive; its last beat puts the event into the queue. The event at the head
// is removed when its section begins (`commit`), or at once if no section runs for it. The tuple in use is kept until
// the next one replaces it, since a tick or a message may follow. There is room for one message.
//
// Parameters   W, FIELDS, FIFO_W, TB_W, DROP, NULLS  see ws_qm_core
// Latency      1 cycle from the last beat to next_valid; 0 from rd_index to rd_word
// Issue rate   a beat a cycle in; an event for which no section runs takes a cycle
// Overflow     DROP = 0: s_axis_tready is low in the first beat of a packet without room; DROP = 1: see evt_dropped
// Bad input    see ws_qm_core

`default_nettype none

module ws_qm_input #(
    parameter W      = 32,
    parameter FIELDS = 4,
    parameter FIFO_W = 2,
    parameter TB_W   = 4,
    parameter DROP   = 0,
    parameter NULLS  = 16
) (
    input  wire              clk,
    input  wire              rst,

    input  wire              s_axis_tvalid,
    output wire              s_axis_tready,
    input  wire [W-1:0]      s_axis_tdata,
    input  wire              s_axis_tkeep,
    input  wire              s_axis_tlast,
    input  wire [NULLS+2:0]  s_axis_tuser,

    // The program
    input  wire              running,
    input  wire              started,
    input  wire [6:0]        flags,
    input  wire              restart,       // another program begins
    input  wire              begun,         // its init has run

    // Its next section
    output wire              next_valid,
    output wire [1:0]        next_section,
    input  wire              pending,       // the next section is in the pipeline
    input  wire              commit,        // it begins
    input  wire              over,          // no section runs

    // What the section in execution reads
    input  wire              rd_message,
    input  wire [7:0]        rd_index,
    output wire [W:0]        rd_word,       // null, word
    output wire              has_tuple,
    output wire [TB_W:0]     message_words, // 0: it does not run for a message
    output wire [TB_W:0]     next_words,    // the same of the next section

    output wire              evt_dropped,
    output wire              evt_bad
);

    localparam FIELD_W = $clog2(FIELDS);
    localparam TUPLE_W = FIFO_W + FIELD_W;
    localparam PLACE_W = TUPLE_W > TB_W ? TUPLE_W : TB_W;
    localparam COUNT_W = $clog2(NULLS + 1);
    localparam EVENT_W = 3;
    localparam LONGEST_MESSAGE = 1 << TB_W;

    localparam [1:0] TUPLE = 2'd0, PUNCTUATION = 2'd1, TICK = 2'd2, MESSAGE = 2'd3;
    localparam [1:0] INIT = 2'd0, DELIVERY = 2'd1, RECEPTION = 2'd2;
    localparam HAS_INIT = 0, PER_TUPLE = 2, PER_PUNCT = 3, PERIOD = 4, RECEIVE_TUPLES = 5, HAS_RECEPTION = 6;

    initial if (FIELDS < 2 || FIELDS > 64 || FIFO_W < 1 || FIFO_W > 6 || (DROP != 0 && DROP != 1)) begin
        $display("ERROR: %m: FIELDS = %0d (2 to 64), FIFO_W = %0d (1 to 6), DROP = %0d (0 or 1)", FIELDS, FIFO_W, DROP);
        $finish;
    end

    // ---- packets

    reg                first_reg;       // the next beat is the first one of a packet
    reg                refused_reg;     // the packet is dropped
    reg                skipped_reg;     // it is a punctuation that the program does not take
    reg                bad_reg;         // it has too many words
    reg  [COUNT_W-1:0] count_reg;       // its words so far
    reg                message_reg;     // the room for a message is taken
    reg  [TB_W:0]      length_reg;      // of that message
    reg  [FIFO_W-1:0]  tail_reg, last_reg;      // tuples: place of the next one, latest from the queue
    reg  [FIFO_W-1:0]  held_reg;        // the tuple that the section reads
    reg  [EVENT_W:0]   put_reg, take_reg;

    wire [1:0]         kind     = s_axis_tuser[2:1];
    wire               of_tuple = !kind[1];
    wire               unwanted = first_reg ? kind == PUNCTUATION && !(running && flags[PER_PUNCT]) : skipped_reg;
    wire [EVENT_W:0]   waiting  = put_reg - take_reg;
    wire               full     = waiting[EVENT_W];
    wire               room     = !full && (of_tuple ? tail_reg != held_reg : kind == TICK || !message_reg);
    wire               beat     = s_axis_tvalid && s_axis_tready;
    wire               refused  = first_reg ? !room && !unwanted : refused_reg;
    wire [COUNT_W-1:0] most     = of_tuple ? FIELDS[COUNT_W-1:0] : LONGEST_MESSAGE[COUNT_W-1:0];
    wire               word     = s_axis_tkeep && kind != TICK;
    wire               excess   = word && count_reg == most;
    wire               bad      = s_axis_tuser[0] || bad_reg || excess;
    wire               done     = beat && s_axis_tlast;
    wire               put      = done && !bad && !refused && !unwanted;
    wire [COUNT_W-1:0] count    = count_reg + {{COUNT_W-1{1'b0}}, word};

    assign s_axis_tready = DROP != 0 || !first_reg || room || unwanted;
    assign evt_dropped   = done && refused;
    assign evt_bad       = done && bad && !refused;

    always @(posedge clk) begin
        if (beat) begin
            first_reg   <= s_axis_tlast;
            refused_reg <= refused;
            skipped_reg <= unwanted;
            bad_reg     <= !s_axis_tlast && (bad_reg || excess);
            count_reg   <= s_axis_tlast ? {COUNT_W{1'b0}} : excess ? count_reg : count;
        end
        if (put && kind == MESSAGE) length_reg <= count[TB_W:0];
        if (put && of_tuple) tail_reg <= tail_reg + 1'b1;
        if (put) put_reg <= put_reg + 1'b1;
        if (rst) begin
            first_reg <= 1'b1;
            bad_reg   <= 1'b0;
            count_reg <= {COUNT_W{1'b0}};
            tail_reg  <= {FIFO_W{1'b0}};
            put_reg   <= {EVENT_W+1{1'b0}};
        end
    end

    // The words: a region of tuples and one of a message
    wire [PLACE_W-1:0] tuple_at, message_at;
    wire               null_of = |(s_axis_tuser[NULLS+2:3] >> count_reg & {{NULLS-1{1'b0}}, 1'b1});
    wire [PLACE_W:0]   rd_addr;

    generate
        if (PLACE_W > TUPLE_W) begin : gen_short_tuple
            assign tuple_at = {{PLACE_W-TUPLE_W{1'b0}}, tail_reg, count_reg[FIELD_W-1:0]};
            assign rd_addr  = {rd_message, rd_message ? rd_index[PLACE_W-1:0]
                                                      : {{PLACE_W-TUPLE_W{1'b0}}, held_reg, rd_index[FIELD_W-1:0]}};
        end else begin : gen_long_tuple
            assign tuple_at = {tail_reg, count_reg[FIELD_W-1:0]};
            assign rd_addr  = {rd_message, rd_message ? {{PLACE_W-TB_W{1'b0}}, rd_index[TB_W-1:0]}
                                                      : {held_reg, rd_index[FIELD_W-1:0]}};
        end
        if (PLACE_W > TB_W) begin : gen_short_message
            assign message_at = {{PLACE_W-TB_W{1'b0}}, count_reg[TB_W-1:0]};
        end else begin : gen_long_message
            assign message_at = count_reg[TB_W-1:0];
        end
    endgenerate

    ws_qm_ram #(.DATA_W(W + 1), .ADDR_W(PLACE_W + 1)) words (
        .clk(clk),
        .wr_en(beat && word && !excess && !refused && !unwanted),
        .wr_addr({!of_tuple, of_tuple ? tuple_at : message_at}),
        .wr_data({null_of, s_axis_tdata}),
        .rd_addr(rd_addr),
        .rd_data(rd_word)
    );

    // ---- the queue

    wire [1:0] head;
    wire       head_valid = put_reg != take_reg;

    ws_qm_ram #(.DATA_W(2), .ADDR_W(EVENT_W)) queue (
        .clk(clk),
        .wr_en(put),
        .wr_addr(put_reg[EVENT_W-1:0]),
        .wr_data(kind),
        .rd_addr(take_reg[EVENT_W-1:0]),
        .rd_data(head)
    );

    reg  seen_reg, held_valid_reg;      // there has been a tuple; the section has one
    reg  of_message_reg;                // the section runs for the message
    reg  ahead_reg;                     // its init section has run for the tuple at the head of the queue

    wire counts  = !head[1] && (head == TUPLE || flags[PER_PUNCT]);     // as the last tuple
    wire deliver = started && (head == TUPLE ? flags[PER_TUPLE]
                             : head == PUNCTUATION ? flags[PER_PUNCT]
                             : head == TICK && flags[PERIOD] && seen_reg);
    wire receive = head == TUPLE ? flags[RECEIVE_TUPLES]
                                 : head == MESSAGE && flags[HAS_RECEPTION] && !flags[RECEIVE_TUPLES];
    wire wanted  = running && (deliver || receive);
    wire first   = flags[HAS_INIT] && !begun;
    wire take    = head_valid && (commit ? !first : !wanted && !pending);

    assign next_valid   = head_valid && wanted;
    assign next_section = first ? INIT : deliver ? DELIVERY : RECEPTION;
    assign next_words   = head == MESSAGE && !first ? length_reg : {TB_W+1{1'b0}};

    always @(posedge clk) begin
        if (take) begin
            take_reg <= take_reg + 1'b1;
            if (!head[1]) begin
                last_reg <= last_reg + 1'b1;
                seen_reg <= counts;
            end
        end
        // The section that begins reads the tuple that it runs for, or else the last one.
        if (commit) begin
            held_reg       <= head[1] ? last_reg : last_reg + 1'b1;
            held_valid_reg <= head[1] ? seen_reg : 1'b1;
            of_message_reg <= head == MESSAGE && !first;
        end else if (over) begin
            if (!ahead_reg) held_reg <= last_reg;
            of_message_reg <= 1'b0;
        end
        if (beat && first_reg && kind == MESSAGE && !refused) message_reg <= 1'b1;
        if (done && bad && !refused && kind == MESSAGE) message_reg <= 1'b0;
        if (take && !commit && head == MESSAGE) message_reg <= 1'b0;
        if (of_message_reg && (commit || over)) message_reg <= 1'b0;
        if (take) ahead_reg <= 1'b0;
        else if (commit) ahead_reg <= !head[1];
        if (restart) seen_reg <= 1'b0;
        if (rst) begin
            take_reg       <= {EVENT_W+1{1'b0}};
            last_reg       <= {FIFO_W{1'b1}};
            held_reg       <= {FIFO_W{1'b1}};
            seen_reg       <= 1'b0;
            ahead_reg      <= 1'b0;
            of_message_reg <= 1'b0;
            message_reg    <= 1'b0;
        end
    end

    assign has_tuple     = held_valid_reg;
    assign message_words = of_message_reg ? length_reg : {TB_W+1{1'b0}};

`ifdef FORMAL
    // Tuples are numbered as they enter, and again as they leave the queue; the numbers wrap at more than can wait. One
    // word of an arbitrary tuple is watched.
    (* anyconst *) wire [FIFO_W+1:0]  number_ref;
    (* anyconst *) wire [FIELD_W-1:0] index_ref;

    reg                past_valid = 1'b0;
    reg  [FIFO_W+1:0]  entered_ref, left_ref, held_ref;
    reg  [EVENT_W:0]   waiting_ref;
    reg                letter_ref;                  // a message waits in the queue
    reg  [W:0]         word_ref;
    reg                known_ref, watched_ref;      // the word was written; the tuple has entered with it

    wire [FIFO_W+1:0] places_ref = entered_ref - held_ref - 1'b1;   // taken by tuples that wait
    wire [FIFO_W+1:0] since_ref  = held_ref - number_ref;
    wire [3:0] verdicts_ref = {put, evt_dropped, evt_bad, done && unwanted && !bad && !refused};
    wire       written_ref  = beat && word && !excess && !refused && !unwanted && of_tuple
                              && entered_ref == number_ref && count_reg == index_ref;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        entered_ref <= entered_ref + {{FIFO_W+1{1'b0}}, put && of_tuple};
        left_ref    <= left_ref + {{FIFO_W+1{1'b0}}, take && !head[1]};
        waiting_ref <= waiting_ref + {{EVENT_W{1'b0}}, put} - {{EVENT_W{1'b0}}, take};
        if (commit) held_ref <= head[1] ? left_ref - 1'b1 : left_ref;
        else if (over && !ahead_reg) held_ref <= left_ref - 1'b1;
        if (put && kind == MESSAGE) letter_ref <= 1'b1;
        else if (take && head == MESSAGE) letter_ref <= 1'b0;
        if (written_ref) word_ref <= {null_of, s_axis_tdata};
        if (written_ref) known_ref <= 1'b1;
        if (put && of_tuple && entered_ref == number_ref && (known_ref || written_ref)) watched_ref <= 1'b1;
        if (done) known_ref <= 1'b0;
        if (since_ref != 0 && since_ref < 1 << FIFO_W) watched_ref <= 1'b0;
        if (rst) begin
            {entered_ref, left_ref, waiting_ref, letter_ref, known_ref, watched_ref} <= 0;
            held_ref <= {FIFO_W+2{1'b1}};
        end

        if (!past_valid) assume (rst);
        else begin
            // a section begins only for an event
            if (commit) input_event: assert (head_valid);
            // a packet is taken, or counted; a punctuation that the program does not take is neither
            if (done) input_once: assert (verdicts_ref == 1 || verdicts_ref == 2 || verdicts_ref == 4 || verdicts_ref == 8);
            if (!done) input_never: assert (verdicts_ref == 0);
            // only for want of room does it wait, or is refused
            if (s_axis_tvalid && (!s_axis_tready || first_reg && refused))
                input_full: assert (first_reg && (waiting_ref == 1 << EVENT_W
                                    || (of_tuple ? places_ref == (1 << FIFO_W) - 1
                                                 : kind == MESSAGE && (letter_ref || of_message_reg))));
            // the queue neither overflows nor loses an event
            input_count: assert (waiting == waiting_ref && waiting_ref <= 1 << EVENT_W);
            if (take) input_some: assert (waiting_ref != 0);
            // places agree with numbers, and the tuple in use and those that wait have places of their own
            input_places: assert (tail_reg == entered_ref[FIFO_W-1:0] && last_reg == left_ref[FIFO_W-1:0] - 1'b1
                                  && held_reg == held_ref[FIFO_W-1:0]);
            input_room: assert (places_ref < 1 << FIFO_W);
            // the room for a message is taken as long as there is one, and no longer
            input_message: assert (message_reg == (!first_reg && kind == MESSAGE && !refused_reg
                                                   || letter_ref || of_message_reg));
            // a tuple is read as it came
            if (watched_ref && held_ref == number_ref && held_valid_reg && !rd_message && rd_index == index_ref)
                input_word: assert (rd_word == word_ref);
        end
    end
`endif

endmodule

`default_nettype wire
