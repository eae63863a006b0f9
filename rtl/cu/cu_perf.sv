// SPDX-License-Identifier: Apache-2.0
// Performance counters of the compute unit: 16 counters of event pulses, read by number one cycle later.
// Not responsible for: what counts as an event (cu_front), names (bridge/verilated/partitions.yaml).
module cu_perf (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,
  input  logic [15:0] events_i,
  input  logic [ 7:0] addr_i,
  output logic [63:0] data_o
);
  /* verilator lint_off BLKSEQ */
  logic [63:0] counter[16];

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      data_o <= addr_i < 8'd16 ? counter[addr_i[3:0]] : 64'd0;
      if (events_i != 16'd0) begin
        for (int unsigned k = 0; k < 16; k++) counter[k] = counter[k] + {63'd0, events_i[k]};
      end
    end
    if (!rst_ni) begin
      for (int unsigned k = 0; k < 16; k++) counter[k] = '0;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
