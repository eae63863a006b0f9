// SPDX-License-Identifier: Apache-2.0
// The bench of part_l2 for a slice that writes through.  Not responsible for: the bench itself.
// top: part_l2
// opt: -O0
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/tlb/tlb_pkg.sv rtl/l2/l2_pkg.sv rtl/l2/l2_choose_pkg.sv rtl/l2/l2_tags_pkg.sv rtl/l2/l2_mshr_pkg.sv rtl/l2/l2_data_pkg.sv rtl/l2/l2_miss_pkg.sv rtl/l2/l2_answer_pkg.sv rtl/l2/l2_flush_pkg.sv rtl/tech/ram_1r1w.sv rtl/dram/dram_pkg.sv rtl/dram/dram_bank_pkg.sv rtl/dram/dram_choose_pkg.sv rtl/dram/dram_refresh_pkg.sv rtl/dram/dram_checker.sv rtl/dram/dram_channel.sv rtl/l2/l2_slice.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/gpu/part_l2.sv
// args: -Wno-UNUSEDPARAM -GDepth=16 -GThrough=1 --x-initial unique
#define THROUGH true
#include "../part_l2/tb.cpp"
