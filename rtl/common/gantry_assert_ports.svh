// SPDX-License-Identifier: Apache-2.0
// Assertions of gantry_assert.svh on an array of ports: one loop, run only in a cycle in which one of them moves, instead of
// a copy for each.  `n` is the port.  Not responsible for: what is asserted of it.
`ifndef GANTRY_ASSERT_PORTS_SVH
`define GANTRY_ASSERT_PORTS_SVH
`ifdef GANTRY_NO_ASSERT
`define STREAM_ASSERTS(name, ports, valid, rule)
`define STREAM_BOUNDS(name, ports, depth, moves, push, pop)
`elsif GANTRY_FORMAL
`define STREAM_ASSERTS(name, ports, valid, rule)
`define STREAM_BOUNDS(name, ports, depth, moves, push, pop)
`else
// STREAM_ASSERT: `valid` is the vector of the ports, `rule` an expression in n.
`define STREAM_ASSERTS(name, ports, valid, rule) \
  always_ff @(posedge clk_i) if (rst_ni && valid != '0) begin : name \
    for (int unsigned n = 0; n < ports; n++) if (valid[n] && !(rule)) assert (1'b0); \
  end
// STREAM_BOUND: `push` and `pop` are expressions in n, none of them true while `moves` is not.
`define STREAM_BOUNDS(name, ports, depth, moves, push, pop) \
  int unsigned name``_held[ports]; \
  always_ff @(posedge clk_i) begin : name \
    if (!rst_ni) for (int unsigned n = 0; n < ports; n++) name``_held[n] = 0; \
    else if (moves) for (int unsigned n = 0; n < ports; n++) if ((push) != (pop)) begin \
      if ((push) ? name``_held[n] >= 32'(depth) : name``_held[n] == 0) assert (1'b0); \
      name``_held[n] = (push) ? name``_held[n] + 1 : name``_held[n] - 1; \
    end \
  end
`endif
`endif
