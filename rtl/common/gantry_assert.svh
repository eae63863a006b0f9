// SPDX-License-Identifier: Apache-2.0
// One spelling of assertions that Verilator, yosys read_slang and verible accept: no |->, no ##, no sequences.
// Responsible for: the macros.  Not responsible for: where they stand (one labelled section at the end of a module, but for
// GANTRY_CHECK, which stands where its state is, or in the section's task `check_state`), what a message may hold (stream_rules_pkg).
// Each uses clk_i and rst_ni of the module it stands in.
`ifndef GANTRY_ASSERT_SVH
`define GANTRY_ASSERT_SVH
`define GANTRY_IMPL(a, b) (!(a) || (b))
// First statement of a clocked block: its GANTRY_CHECKs, which stand in a task of the section of assertions, see the state before this edge
// and the inputs of it.  Only in simulation: proofs count on their own.
`define GANTRY_CHECKS
`ifdef GANTRY_NO_ASSERT
`define GANTRY_ASSERT(name, expr)
`define GANTRY_CHECK(name, expr)
`define GANTRY_ASSUME(name, expr)
`define GANTRY_COVER(name, expr)
`define STREAM_ASSERT(name, valid, rule)
`define STREAM_BOUND(name, depth, push, pop)
`else
`ifdef VERILATOR
`define GANTRY_CHECKED
`undef GANTRY_CHECKS
`define GANTRY_CHECKS if (rst_ni) check_state()
// The same check without sampled copies of what it reads: those cost two copies a cycle, also of wide messages.
`define GANTRY_ASSERT(name, expr) \
  always_ff @(posedge clk_i) if (rst_ni && !(expr)) begin : name``_failed \
    name: assert (1'b0); \
  end
// A statement inside an always_ff, on what is true there: for state that the block assigns with `=`, which no other block may
// read.  Never the only statement behind an `if` without `begin`.  (yosys takes a name once, also in a loop: no name there.)
`define GANTRY_CHECK(name, expr) \
  if (rst_ni && !(expr)) begin : name``_failed \
    name: assert (1'b0); \
  end
`else
`ifdef GANTRY_FORMAL  // proofs count on their own: a fault must be refuted by what they say
`define GANTRY_CHECK(name, expr)
`else
`define GANTRY_CHECK(name, expr) if (rst_ni && !(expr)) assert (1'b0);
`endif
`define GANTRY_ASSERT(name, expr) \
  name: assert property (@(posedge clk_i) disable iff (!rst_ni) (expr));
`endif
`define GANTRY_ASSUME(name, expr) \
  name: assume property (@(posedge clk_i) disable iff (!rst_ni) (expr));
`ifdef GANTRY_FORMAL
`define GANTRY_COVER(name, expr) \
  name: cover property (@(posedge clk_i) ((rst_ni) && (expr)));
// Proofs count on their own: the state of these would be outside of their invariants.
`define STREAM_ASSERT(name, valid, rule)
`define STREAM_BOUND(name, depth, push, pop)
`else
`define GANTRY_COVER(name, expr)
// A stream (valid, no ready: the receiver takes what comes): a message keeps `rule`, which is evaluated for messages only.
`define STREAM_ASSERT(name, valid, rule) \
  always_ff @(posedge clk_i) if (rst_ni && (valid) && !(rule)) begin : name``_failed \
    name: assert (1'b0); \
  end
// What bounds a stream: never more than `depth` pushes without their pops, no pop without its push.  Messages against
// credits at either end, requests against answers, places of a queue.  Of an array of ports: stream_bounds.
`define STREAM_BOUND(name, depth, push, pop) \
  int unsigned name``_held; \
  always_ff @(posedge clk_i) begin \
    if (!rst_ni) name``_held <= 0; \
    else if ((push) != (pop)) begin \
      name``_held <= (push) ? name``_held + 1 : name``_held - 1; \
      if ((push) ? name``_held >= 32'(depth) : name``_held == 0) begin : name``_failed \
        name: assert (1'b0); \
      end \
    end \
  end
`endif
`endif
`endif
