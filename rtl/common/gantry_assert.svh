// SPDX-License-Identifier: Apache-2.0
// One spelling of assertions that Verilator, yosys read_slang and verible accept: no |->, no ##, no sequences.
// Responsible for: the macros.  Not responsible for: where they stand (one labelled section at the end of a module).
// Each uses clk_i and rst_ni of the module it stands in.  `$past` gives next-cycle properties.
`ifndef GANTRY_ASSERT_SVH
`define GANTRY_ASSERT_SVH
`define GANTRY_IMPL(a, b) (!(a) || (b))
`ifdef GANTRY_NO_ASSERT
`define GANTRY_ASSERT(name, expr)
`define GANTRY_ASSUME(name, expr)
`define GANTRY_COVER(name, expr)
`define STREAM_ASSERT(name, valid, ready, payload)
`else
`ifdef VERILATOR
// The same check without sampled copies of what it reads: those cost two copies a cycle, also of wide messages.
`define GANTRY_ASSERT(name, expr) \
  always_ff @(posedge clk_i) if (rst_ni && !(expr)) begin : name``_failed \
    name: assert (1'b0); \
  end
`else
`define GANTRY_ASSERT(name, expr) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (expr));
`endif
`define GANTRY_ASSUME(name, expr) \
  name: assume property (@(posedge clk_i) disable iff (!rst_ni) (expr));
`ifdef GANTRY_FORMAL
`define GANTRY_COVER(name, expr) \
  name: cover property (@(posedge clk_i) ((rst_ni) && (expr)));
`else
`define GANTRY_COVER(name, expr)
`endif
// A valid message that was not taken stays, unchanged.  `payload` narrow: the check copies it every cycle.
`define STREAM_ASSERT(name, valid, ready, payload) \
  name``_held: assert property (@(posedge clk_i) disable iff (!rst_ni) \
      `GANTRY_IMPL($past(rst_ni && (valid) && !(ready)), (valid) && $stable(payload)));
`endif
`endif
