// SPDX-License-Identifier: Apache-2.0
//
// ws_join_entry: the common input stage of all joins: the order of arrival, lateness and room for time windows, and a
// report of every refused tuple.
//
// Parameters   DATA_W      width of a tuple in bits, a multiple of 8
//              ROWS        tuples of each stream that the join can hold, at least 1; with TIME_W only
//              DROP        0: s_axis stalls until a tuple is taken; 1: one that is not taken at once is dropped
//              ID_W        width of dropped_id in bits, at least 1
//              TIME_W      width of a tuple's time in bits, 0 to DATA_W; it is unsigned; 0: tuple windows
//              R_TIME_LSB  lowest bit of the time in a tuple of R, 0 to DATA_W - TIME_W
//              S_TIME_LSB  lowest bit of the time in a tuple of S, 0 to DATA_W - TIME_W
//              WINDOW      largest distance in time of a pair; below 2**TIME_W together with SLACK
//              SLACK       how far a time may be below the largest earlier one of its stream; a tuple that is further
//                          below is late
// Ports        m_tuple: a tuple that the join may admit; m_flush: a FLUSH, which always passes. m_ready: it is taken. A
//              FLUSH waits for m_ready; so does a tuple with DROP = 0
//              evt_dropped, evt_late, evt_overflow: a tuple was refused; dropped_dest and dropped_id are its stream and
//              its number there, modulo 2**ID_W (all tuples that arrive are numbered, from 0)
// Latency      1 cycle to m_tuple, 5 with time windows; 1 from there to an event
// Issue rate   1 item per cycle; with time windows, 1 per 3 cycles
// Overflow     see DROP. Time windows, evt_overflow: the place that the tuple needs holds a row that may still match,
//              see ws_join_time
// Bad input    evt_late: a late tuple
// Source       DROP: Miyoshi et al., IEICE Trans. J94-D (2011), section 4.2: admission control; the rest is ours

`default_nettype none

module ws_join_entry #(
    parameter        DATA_W     = 64,
    parameter        ROWS       = 1024,
    parameter        DROP       = 0,
    parameter        ID_W       = 32,
    parameter        TIME_W     = 0,
    parameter        R_TIME_LSB = 0,
    parameter        S_TIME_LSB = 0,
    parameter [63:0] WINDOW     = 60,
    parameter [63:0] SLACK      = 0
) (
    input  wire                clk,
    input  wire                rst,

    input  wire [DATA_W-1:0]   s_axis_tdata,
    input  wire [DATA_W/8-1:0] s_axis_tkeep,
    input  wire                s_axis_tvalid,
    output wire                s_axis_tready,
    input  wire                s_axis_tlast,
    input  wire                s_axis_tdest,

    output wire                m_tuple,
    output wire                m_flush,
    input  wire                m_ready,
    output wire                m_dest,
    output wire [DATA_W-1:0]   m_data,

    output wire                evt_dropped,
    output wire                evt_late,
    output wire                evt_overflow,
    output wire                dropped_dest,
    output wire [ID_W-1:0]     dropped_id
);

    initial if (ROWS < 1 || (DROP != 0 && DROP != 1) || ID_W < 1 || R_TIME_LSB < 0
                || R_TIME_LSB > DATA_W - TIME_W) begin
        $display("ERROR: %m: ROWS = %0d (at least 1), DROP = %0d (0 or 1), ID_W = %0d (at least 1), ",
                 ROWS, DROP, ID_W, "R_TIME_LSB = %0d (0 to DATA_W - TIME_W)", R_TIME_LSB);
        $finish;
    end

    initial if (S_TIME_LSB < 0 || S_TIME_LSB > DATA_W - TIME_W) begin
        $display("ERROR: %m: S_TIME_LSB = %0d (0 to DATA_W - TIME_W)", S_TIME_LSB);
        $finish;
    end

    initial if (DATA_W < 8 || DATA_W % 8 != 0 || TIME_W < 0 || R_TIME_LSB + TIME_W > DATA_W
                || S_TIME_LSB + TIME_W > DATA_W) begin
        $display("ERROR: %m: DATA_W = %0d (a multiple of 8), R_TIME_LSB, S_TIME_LSB = %0d, %0d, TIME_W = %0d inside",
                 DATA_W, R_TIME_LSB, S_TIME_LSB, TIME_W);
        $finish;
    end

    wire              come_valid, come_ready, come_flush, come_dest;
    wire [DATA_W-1:0] come_data;

    ws_skid_buffer #(.DATA_W(DATA_W + 2)) arrival (
        .clk(clk), .rst(rst),
        .s_valid(s_axis_tvalid), .s_ready(s_axis_tready),
        .s_data({s_axis_tkeep == {(DATA_W/8){1'b0}}, s_axis_tdest, s_axis_tdata}),
        .m_valid(come_valid), .m_ready(come_ready), .m_data({come_flush, come_dest, come_data})
    );

    // ---- Time windows: is the tuple late, is there room for it?

    wire in_valid, in_ready, in_flush, go, late, full;
    wire tuple = in_valid && !in_flush;

    generate
        if (TIME_W != 0) begin : gen_time
            ws_join_time #(.DATA_W(DATA_W), .TIME_W(TIME_W), .ROWS(ROWS), .WINDOW(WINDOW), .SLACK(SLACK)) times (
                .clk(clk), .rst(rst),
                .s_valid(come_valid), .s_ready(come_ready), .s_flush(come_flush), .s_dest(come_dest),
                .s_time(come_dest ? come_data[S_TIME_LSB +: TIME_W] : come_data[R_TIME_LSB +: TIME_W]),
                .s_data(come_data),
                .m_valid(in_valid), .m_ready(in_ready), .m_flush(in_flush), .m_dest(m_dest), .m_data(m_data),
                .m_go(go), .m_late(late), .m_full(full), .admit(m_tuple && m_ready)
            );
        end else begin : gen_no_time
            assign {in_valid, in_flush, m_dest, m_data} = {come_valid, come_flush, come_dest, come_data};
            assign {go, late, full} = {in_valid, 2'b00};
            assign come_ready = in_ready;
        end
    endgenerate

    // ---- Admission

    wire never = late || full;

    assign m_tuple  = go && !in_flush;
    assign m_flush  = go && in_flush;
    assign in_ready = (m_ready && go) || never || (DROP != 0 && tuple);

    generate
        if (DROP != 0 || TIME_W != 0) begin : gen_refused
            reg            dropped_reg, late_reg, overflow_reg, dest_reg;
            reg [ID_W-1:0] id_reg, r_id_reg, s_id_reg;

            always @(posedge clk) begin
                late_reg     <= late && !rst;
                overflow_reg <= full && !rst;
                dropped_reg  <= tuple && in_ready && !never && !(m_tuple && m_ready) && !rst;
                dest_reg     <= m_dest;
                id_reg       <= m_dest ? s_id_reg : r_id_reg;
                if (tuple && in_ready && !m_dest) r_id_reg <= r_id_reg + {{(ID_W-1){1'b0}}, 1'b1};
                if (tuple && in_ready && m_dest) s_id_reg <= s_id_reg + {{(ID_W-1){1'b0}}, 1'b1};
                if (rst) begin
                    r_id_reg <= {ID_W{1'b0}};
                    s_id_reg <= {ID_W{1'b0}};
                end
            end

            assign {evt_dropped, evt_late, evt_overflow} = {dropped_reg, late_reg, overflow_reg};
            assign dropped_dest = dest_reg;
            assign dropped_id   = id_reg;
        end else begin : gen_none_refused
            assign {evt_dropped, evt_late, evt_overflow} = 3'b000;
            assign dropped_dest = 1'b0;
            assign dropped_id   = {ID_W{1'b0}};
        end
    endgenerate

endmodule

`default_nettype wire
