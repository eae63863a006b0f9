// SPDX-License-Identifier: Apache-2.0
// The FT2232H's (FT232H's) synchronous 245 FIFO: a byte moves at a rising edge of the chip's 60 MHz clock at which strobe and flag
// are both low.  All is in that clock's domain; every pin but the flags and the data that come is a register.
// Responsible for: no byte lost and none twice for any pause of RXF# and TXE#; who drives the data bus, with one cycle of nobody
// between; SIWU# behind the byte that wants it, when the chip has it.  Not responsible for: clock crossing (async_fifo).
// Reading goes first where both are possible and where writing is blocked: the host may be waiting for the board to read.
`include "gantry_assert.svh"

module ft245_sync #(
  parameter int unsigned FlushCycles = 4  // of SIWU# low, and of nothing written meanwhile
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // pins
  input  logic       rxf_ni,
  input  logic       txe_ni,
  input  logic [7:0] d_i,
  output logic [7:0] d_o,
  output logic       d_oe_o,
  output logic       oe_no,
  output logic       rd_no,
  output logic       wr_no,
  output logic       siwu_no,
  // bytes from the host; they cannot wait: room_i says that at least four more fit
  output logic       rx_valid_o,
  output logic [7:0] rx_data_o,
  input  logic       rx_room_i,
  // bytes to the host
  input  logic       tx_valid_i,
  input  logic [7:0] tx_data_i,
  input  logic       tx_flush_i,
  output logic       tx_ready_o
);
  typedef enum logic [1:0] {
    Idle,  // nobody drives the data bus
    Turn,  // OE# is low one cycle before RD#
    Read,
    Write
  } state_e;
  typedef struct packed {
    logic       flush;
    logic [7:0] data;
  } byte_t;
  localparam int unsigned Fw = $clog2(FlushCycles + 1);

  state_e state_q;
  byte_t out_q, next_q, tx;     // out_q is at the pins, or waits until the bus is this side's again
  logic out_valid_q, next_valid_q;
  logic [Fw-1:0] flush_q;       // cycles of SIWU# to come
  logic taken, readable, more;

  assign tx = '{flush: tx_flush_i, data: tx_data_i};
  assign tx_ready_o = !next_valid_q;
  assign more = next_valid_q || tx_valid_i;
  assign taken = !wr_no && !txe_ni;
  assign readable = !rxf_ni && rx_room_i;
  assign d_o = out_q.data;

  always_ff @(posedge clk_i) begin
    // what moved in, one cycle later
    rx_valid_o <= !rd_no && !rxf_ni;
    rx_data_o  <= d_i;

    // two bytes at most wait for the chip, so that its flag is not in tx_ready_o
    if (taken || !out_valid_q) begin
      out_valid_q  <= more;
      next_valid_q <= 1'b0;
      if (more) out_q <= next_valid_q ? next_q : tx;
    end else if (tx_valid_i && tx_ready_o) begin
      next_valid_q <= 1'b1;
      next_q       <= tx;
    end

    if (flush_q != '0) flush_q <= flush_q - 1'b1;
    siwu_no <= flush_q <= Fw'(1);

    case (state_q)
      Idle:
      if (readable) begin
        state_q <= Turn;
        oe_no   <= 1'b0;
      end else if (out_valid_q && flush_q == '0) begin
        state_q <= Write;
        d_oe_o  <= 1'b1;
        wr_no   <= 1'b0;
      end
      Turn: begin
        state_q <= Read;
        rd_no   <= 1'b0;
      end
      Read:
      if (!readable) begin
        state_q <= Idle;
        rd_no   <= 1'b1;
        oe_no   <= 1'b1;
      end
      default:
      if (taken ? !more || out_q.flush : readable) begin
        state_q <= Idle;
        d_oe_o  <= 1'b0;
        wr_no   <= 1'b1;
      end
    endcase
    if (taken && out_q.flush) begin
      siwu_no <= 1'b0;
      flush_q <= Fw'(FlushCycles);
    end
    if (!rst_ni) begin
      state_q      <= Idle;
      oe_no        <= 1'b1;
      rd_no        <= 1'b1;
      wr_no        <= 1'b1;
      d_oe_o       <= 1'b0;
      siwu_no      <= 1'b1;
      rx_valid_o   <= 1'b0;
      out_valid_q  <= 1'b0;
      next_valid_q <= 1'b0;
      flush_q      <= '0;
    end
  end

  // ---- assertions
  `GANTRY_ASSERT(a_bus, !(d_oe_o && !oe_no))
  `GANTRY_ASSERT(a_read, `GANTRY_IMPL(!rd_no, !oe_no && state_q == Read))
  `GANTRY_ASSERT(a_write, wr_no == !(state_q == Write) && d_oe_o == !wr_no && `GANTRY_IMPL(!wr_no, out_valid_q))
  `GANTRY_ASSERT(a_order, `GANTRY_IMPL(next_valid_q, out_valid_q))
  // SIWU# pulses stay apart: the chip sees each of them
  `GANTRY_ASSERT(a_flush, siwu_no == (flush_q == '0) && `GANTRY_IMPL(!siwu_no, wr_no))
endmodule
