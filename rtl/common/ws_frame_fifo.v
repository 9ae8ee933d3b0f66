// SPDX-License-Identifier: Apache-2.0
//
// ws_frame_fifo: store-and-forward FIFO that passes good frames whole and drops the others whole. Use it between a
// source that cannot wait and a sink that can, or (WAIT 1) between a source that can wait and a sink that must not
// starve inside a frame.
//
// A frame is written as it arrives and committed with its tlast beat if it is good; otherwise the write pointer returns
// to the beginning of the frame. The metadata in tuser and the last beat's tkeep are stored once a frame in a small
// FIFO of their own: stored with each beat, they would widen all 2**ADDR_W words.
//
// Parameters   DATA_W      width of tdata in bits, 8 or 64
//              USER_W      width of tuser in bits, 1 to 1024; bit 0 bad, the others metadata, constant over the frame
//              ADDR_W      the FIFO holds 2**ADDR_W beats, 2 to 24
//              FRAMES_W    the FIFO holds 2**FRAMES_W frames, 2 to ADDR_W
//              MAX_BYTES   longest frame that passes, in bytes, 1 to 2**ADDR_W * DATA_W / 8
//              OUTPUT_REG  1: the RAM has its output register (see ws_ram_sdp); 0: it has none
//              STYLE       kind of memory for the beats, see ws_ram_sdp
//              WAIT        0: s_axis_tready is always high; 1: it is low while there is no room
// Latency      2 + 2 * OUTPUT_REG cycles from a frame's tlast beat to its first beat out
// Issue rate   1 beat a cycle in and out; no bubble inside a frame while m_axis_tready is high
// Overflow     WAIT 0: a frame that does not fit is dropped: evt_full. WAIT 1: it waits
// Bad input    A frame with tuser[0] at tlast is dropped: evt_bad; so is one of more than MAX_BYTES: evt_oversize.
//              Each frame causes one event, in the cycle after its tlast beat: the first that applies of evt_bad,
//              evt_oversize, evt_full, evt_good.

`default_nettype none

module ws_frame_fifo #(
    parameter DATA_W     = 8,
    parameter USER_W     = 1,
    parameter ADDR_W     = 11,
    parameter FRAMES_W   = 4,
    parameter MAX_BYTES  = (1 << ADDR_W) * (DATA_W / 8),
    parameter OUTPUT_REG = 0,
    parameter STYLE      = "auto",
    parameter WAIT       = 0
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire [USER_W-1:0]   s_axis_tuser,

    output wire [DATA_W-1:0]   m_axis_tdata,
    output wire [DATA_W/8-1:0] m_axis_tkeep,
    output wire                m_axis_tvalid,
    input  wire                m_axis_tready,
    output wire                m_axis_tlast,
    output wire [USER_W-1:0]   m_axis_tuser,

    output reg                 evt_good,
    output reg                 evt_bad,
    output reg                 evt_oversize,
    output reg                 evt_full
);

    localparam KEEP_W = DATA_W / 8;
    localparam BEAT_W = DATA_W + 1;
    localparam META_W = USER_W - 1 + KEEP_W;

    initial if ((DATA_W != 8 && DATA_W != 64) || USER_W < 1 || USER_W > 1024 || ADDR_W < 2 || ADDR_W > 24
                || FRAMES_W < 2 || FRAMES_W > ADDR_W || MAX_BYTES < 1 || MAX_BYTES > (1 << ADDR_W) * KEEP_W
                || (OUTPUT_REG != 0 && OUTPUT_REG != 1) || (WAIT != 0 && WAIT != 1)) begin
        $display("ERROR: %m: DATA_W = %0d (8 or 64), USER_W = %0d (1 to 1024), ADDR_W = %0d (2 to 24), ",
                 DATA_W, USER_W, ADDR_W,
                 "FRAMES_W = %0d (2 to ADDR_W), MAX_BYTES = %0d (1 to 2**ADDR_W * DATA_W / 8), ", FRAMES_W, MAX_BYTES,
                 "OUTPUT_REG = %0d, WAIT = %0d (0 or 1)", OUTPUT_REG, WAIT);
        $finish;
    end

    // The longest frame has this many beats and, in the last of them, this many bytes.
    localparam MAX_BEATS  = (MAX_BYTES + KEEP_W - 1) / KEEP_W;
    localparam TO_LAST    = MAX_BEATS - 2;
    localparam LAST_BYTES = MAX_BYTES - (MAX_BEATS - 1) * KEEP_W;

    // A frame that is already too long is accepted to its end, so that it cannot wait for room that it occupies itself.
    wire beats_full, frames_full;
    reg  at_limit_reg;              // the frame has had MAX_BEATS beats
    wire take = s_axis_tvalid && s_axis_tready;

    assign s_axis_tready = WAIT == 0 || at_limit_reg || !(beats_full || frames_full);

    // Length of the frame so far
    reg  [ADDR_W:0] beats_reg;      // before this one; stays at MAX_BEATS
    reg             in_last_reg;    // it is MAX_BEATS - 1
    wire [KEEP_W:0] keep     = {1'b0, s_axis_tkeep};
    wire            oversize = at_limit_reg || (in_last_reg && keep[LAST_BYTES]);

    always @(posedge clk) begin
        if (take) begin
            if (!at_limit_reg) beats_reg <= beats_reg + 1'b1;
            in_last_reg  <= beats_reg == TO_LAST[ADDR_W:0];
            at_limit_reg <= at_limit_reg || in_last_reg;
        end
        if (rst || (take && s_axis_tlast)) begin
            beats_reg    <= {ADDR_W+1{1'b0}};
            in_last_reg  <= MAX_BEATS == 1;
            at_limit_reg <= 1'b0;
        end
    end

    // Verdict, at the last beat
    reg  cut_reg;                   // a beat of this frame did not fit
    wire cut    = cut_reg || beats_full;
    wire ends   = take && s_axis_tlast;
    wire bad    = s_axis_tuser[0];
    wire commit = ends && !bad && !oversize && !cut && !frames_full;

    always @(posedge clk) begin
        if (take) cut_reg <= cut && !s_axis_tlast;
        evt_bad      <= ends && bad;
        evt_oversize <= ends && !bad && oversize;
        evt_full     <= ends && !bad && !oversize && (cut || frames_full);
        evt_good     <= commit;
        if (rst) begin
            cut_reg      <= 1'b0;
            evt_bad      <= 1'b0;
            evt_oversize <= 1'b0;
            evt_full     <= 1'b0;
            evt_good     <= 1'b0;
        end
    end

    // Beats
    /* verilator lint_off PINCONNECTEMPTY */
    ws_commit_fifo #(
        .DATA_W(BEAT_W),
        .ADDR_W(ADDR_W),
        .OUTPUT_REG(OUTPUT_REG),
        .STYLE(STYLE)
    ) beats (
        .clk(clk),
        .rst(rst),
        .wr_en(take && !beats_full),
        .wr_data({s_axis_tlast, s_axis_tdata}),
        .commit(commit),
        .rewind(ends && !commit),
        .full(beats_full),
        .level(),
        .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready),
        .m_data({m_axis_tlast, m_axis_tdata})
`ifdef FORMAL
        ,
        .watch_ptr(watch_beat),
        .watch_data(watch_beat_data),
        .write_ptr(beat_write_ptr),
        .commit_ptr(beat_commit_ptr),
        .deliver_ptr(beat_deliver_ptr)
`endif
    );

    // Metadata: no slower than the beats, so that it is valid with a frame's first beat.
    wire [KEEP_W-1:0] last_keep;
    wire              frames_ready;
    wire [META_W-1:0] meta_in, meta_out;

    assign frames_full     = !frames_ready;
    assign m_axis_tkeep    = m_axis_tlast ? last_keep : {KEEP_W{1'b1}};
    assign m_axis_tuser[0] = 1'b0;

    generate
        if (USER_W > 1) begin : gen_user
            assign meta_in = {s_axis_tuser[USER_W-1:1], s_axis_tkeep};
            assign {m_axis_tuser[USER_W-1:1], last_keep} = meta_out;
        end else begin : gen_no_user
            assign meta_in   = s_axis_tkeep;
            assign last_keep = meta_out;
        end
    endgenerate

    ws_sync_fifo #(
        .DATA_W(META_W),
        .ADDR_W(FRAMES_W),
        .STYLE("distributed")
    ) frames (
        .clk(clk),
        .rst(rst),
        .s_valid(commit),
        .s_ready(frames_ready),
        .s_data(meta_in),
        .m_valid(),
        .m_ready(m_axis_tvalid && m_axis_tready && m_axis_tlast),
        .m_data(meta_out),
`ifdef FORMAL
        .level(frames_held)
`else
        .level()
`endif
    );
    /* verilator lint_on PINCONNECTEMPTY */

`ifdef FORMAL
    // The beats of good frames are numbered as their frames arrive, and again as they are delivered; the numbers wrap
    // at twice the capacity. An arbitrary number is watched.
    localparam [ADDR_W:0] CAPACITY = 1 << ADDR_W;

    (* anyconst *) wire [ADDR_W:0] watch_beat;
    wire [ADDR_W:0]   beat_write_ptr, beat_commit_ptr, beat_deliver_ptr;
    wire [BEAT_W-1:0] watch_beat_data;

    reg               past_valid = 1'b0;
    reg  [ADDR_W:0]   write_ref, committed_ref, delivered_ref;  // next beat in; first beat of its frame; next beat out
    reg  [ADDR_W+4:0] bytes_ref;                                // of this frame so far, stays above MAX_BYTES
    reg               cut_ref;                                  // a beat of this frame did not fit
    reg  [BEAT_W-1:0] beat_ref;                                 // the watched beat, and its tkeep
    reg  [KEEP_W-1:0] keep_ref;
    reg  [FRAMES_W:0] frames_ref;                               // good frames held
    wire [FRAMES_W:0] frames_held;                              // as the FIFO of the metadata counts them

    wire              in      = s_axis_tvalid && s_axis_tready;
    wire              end_in  = in && s_axis_tlast;
    wire              out     = m_axis_tvalid && m_axis_tready;
    wire [BEAT_W-1:0] beat_in = {s_axis_tlast, s_axis_tdata};
    wire              room    = write_ref - delivered_ref != CAPACITY;
    wire              too_long = bytes_ref + ones(s_axis_tkeep) > MAX_BYTES;
    wire              no_room = cut_ref || !room || frames_held == 1 << FRAMES_W;
    wire              good    = end_in && !s_axis_tuser[0] && !too_long && !no_room;
    wire [ADDR_W:0]   place   = watch_beat - delivered_ref;

    function [3:0] ones(input [KEEP_W-1:0] bits);
        integer i;
        begin
            ones = 0;
            for (i = 0; i < KEEP_W; i = i + 1) ones = ones + bits[i];
        end
    endfunction

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (in && room) begin
            write_ref <= write_ref + 1'b1;
            if (write_ref == watch_beat) begin
                beat_ref <= beat_in;
                keep_ref <= s_axis_tkeep;
            end
        end
        if (in) begin
            cut_ref <= !end_in && (cut_ref || !room);
            bytes_ref <= end_in ? 0 : bytes_ref > MAX_BYTES ? bytes_ref : bytes_ref + KEEP_W;
        end
        if (good) begin
            committed_ref <= write_ref + 1'b1;
        end else if (end_in) write_ref <= committed_ref;
        if (out) delivered_ref <= delivered_ref + 1'b1;
        frames_ref <= frames_ref + good - (out && m_axis_tlast);
        if (rst) begin
            write_ref     <= 0;
            committed_ref <= 0;
            delivered_ref <= 0;
            bytes_ref     <= 0;
            cut_ref       <= 1'b0;
            frames_ref    <= 0;
        end

        if (!past_valid) assume (rst);
        else begin
            // AXI4-Stream as this project uses it
            assume ((s_axis_tkeep & (s_axis_tkeep + 1'b1)) == 0);
            if (!s_axis_tlast) assume (&s_axis_tkeep);
            if (bytes_ref != 0) assume (s_axis_tkeep != 0);     // only an empty frame has a beat without bytes

            // which side waits, and which never does
            if (WAIT == 0 || (room && frames_held != 1 << FRAMES_W)) assert (s_axis_tready);
            if (WAIT != 0) assert (!evt_full && (!cut_reg || at_limit_reg));
            // each frame counted once, under the right name
            assert ({evt_good, evt_bad, evt_oversize, evt_full} == ($past(rst) || !$past(end_in) ? 4'b0000 :
                    $past(good) ? 4'b1000 : $past(s_axis_tuser[0]) ? 4'b0100 : $past(too_long) ? 4'b0010 : 4'b0001));
            // a committed frame leaves whole, a dropped one leaves no trace: the beats delivered are those of the
            // good frames, each once and in order
            if (m_axis_tvalid) assert (delivered_ref != committed_ref);
            if (m_axis_tvalid && place == 0) assert ({m_axis_tlast, m_axis_tdata} == beat_ref);
            if (m_axis_tvalid && place == 0) keep_meta: assert (m_axis_tkeep == keep_ref);
            frames_meta: assert (frames_held == frames_ref);
            // no bubble inside a frame
            if ($past(out && !m_axis_tlast && place == 0 && !rst)) assert (m_axis_tvalid);
            // stable while waiting
            if ($past(m_axis_tvalid && !m_axis_tready && !rst))
                assert (m_axis_tvalid && $stable({m_axis_tlast, m_axis_tdata}));
            // invariants for the induction: the numbers are the pointers of the FIFO inside
            assert (beat_write_ptr == write_ref && beat_commit_ptr == committed_ref);
            assert (beat_deliver_ptr == delivered_ref);
            assert (cut_reg == cut_ref && beats_reg <= MAX_BEATS);
            assert (at_limit_reg == (beats_reg == MAX_BEATS) && in_last_reg == (beats_reg == MAX_BEATS - 1));
            assert (bytes_ref == beats_reg * KEEP_W || (at_limit_reg && bytes_ref > MAX_BYTES));
            assert (at_limit_reg || cut_ref || beats_reg == write_ref - committed_ref);
            if (place < write_ref - delivered_ref) assert (watch_beat_data == beat_ref);
            // the last beat committed is a tlast
            if (committed_ref != delivered_ref && watch_beat + 1'b1 == committed_ref) assert (beat_ref[BEAT_W-1]);
        end
        cover (past_valid && evt_good && $past(evt_bad, 2));
        cover (past_valid && (WAIT == 0 ? evt_full : evt_good && s_axis_tvalid && !s_axis_tready));
        cover (past_valid && evt_oversize && m_axis_tvalid);
        cover (past_valid && out && m_axis_tlast && place == 0 && watch_beat == 5 && !(&m_axis_tkeep));
    end

    // (that the metadata are those of the frame is left to the simulation)
    ws_axis_rules #(.DATA_W(DATA_W), .USER_W(USER_W), .PACKETS(2)) m_rules (
        .clk(clk), .rst(rst),
        .tdata(m_axis_tdata), .tkeep(m_axis_tkeep), .tvalid(m_axis_tvalid), .tready(m_axis_tready),
        .tlast(m_axis_tlast), .tuser(m_axis_tuser)
    );
`endif

endmodule

`default_nettype wire
