// SPDX-License-Identifier: Apache-2.0
// Inside of cu_fetch, included by it: one instruction decoded.  Not responsible for: when (cu_fetch.sv), what a head
// holds (cu_decode_pkg).
//
// The hardware decodes each instruction.  A simulation that does so spends a tenth of a busy compute unit's time on
// instructions of a loop that it has decoded before, so there the heads of the last ones are kept, by a hash of the
// 64 bits that they depend on, with the number of registers of the wavefront. The two forms cannot be told apart:
// tests/rtl/cu/front and front_synth run both.
`ifdef SYNTHESIS
  task automatic decode_head(input logic [47:0] at, input registers_t owned, input logic [3:0] first_fault,
                             input logic [3:0] next_fault);
    cu_decode_pkg::make_head(at, inst, owned, first_fault, next_fault, h, dwords);
  endtask
`else
  localparam int unsigned Known = 256;
  head_t known[Known];  // without faults; its pc is of another wavefront
  typedef struct packed {
    registers_t owned;  // of a wavefront with as many registers; 0: nothing is known
    logic [1:0] dwords;
  } known_as_t;
  known_as_t known_as[Known];
  logic [7:0] line;

  task automatic decode_head(input logic [47:0] at, input registers_t owned, input logic [3:0] first_fault,
                             input logic [3:0] next_fault);
    line = 8'((inst * 64'h9E37_79B9_7F4A_7C15) >> 56);
    if (known_as[line].owned == owned && known[line].inst == inst && (first_fault | next_fault) == 4'd0) begin
      h      = known[line];
      h.pc   = at;
      dwords = known_as[line].dwords;
    end else begin
      cu_decode_pkg::make_head(at, inst, owned, first_fault, next_fault, h, dwords);
      if ((first_fault | next_fault) == 4'd0) begin
        known[line]    = h;
        known_as[line] = {owned, dwords};
      end
    end
  endtask
`endif
