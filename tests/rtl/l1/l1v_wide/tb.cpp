// SPDX-License-Identifier: Apache-2.0
// The bench of l1v with 100 misses and 128 transactions under way: numbers of misses are bits of two words, the second of which is not full.
// top: l1v
// sources: build/gen/gantry_msg_pkg.sv rtl/common/pick_pkg.sv rtl/tlb/tlb_pkg.sv rtl/tech/ram_1r1w.sv rtl/l1/l1v_pkg.sv rtl/l1/l1v.sv
// args: -Wno-UNUSEDPARAM --x-initial unique -GMshrs=100 -GNumTx=128
// mutate: rtl/l1/l1v.sv: same != '0 ? w * 64 + 32'(pick_pkg::first64(same)) => same != '0 ? 32'(pick_pkg::first64(same))
// mutate: rtl/l1/l1v.sv: miss_line[word*64+m] => miss_line[m]
// mutate: rtl/l1/l1v.sv: '1 ? (w - 1) * 64 + 32'(pick_pkg::first64(~busy[w-1])) => '1 ? 32'(pick_pkg::first64(~busy[w-1]))
// mutate: rtl/l1/l1v.sv: dead[w] = dead[w] | same; => dead[0] = dead[0] | same;
#define WIDE
enum { Mshrs = 100, Numbers = 128 };
#include "../l1v/tb.cpp"
