// SPDX-License-Identifier: Apache-2.0
// The bench of part_utcl2 with the shortest queues of requests and answers (gpu.noc.target_queue: 2).  Not responsible
// for: the bench itself.
// nightly: yes
// top: part_utcl2
// opt: -O0
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/tlb/tlb_pkg.sv rtl/tlb/utcl2_choose_pkg.sv rtl/tlb/utcl2_tags_pkg.sv rtl/tlb/utcl2_misses_pkg.sv rtl/tlb/utcl2_withheld_pkg.sv rtl/tlb/utcl2_answers_pkg.sv rtl/tlb/utcl2_walks_pkg.sv rtl/tech/ram_1r1w.sv rtl/tlb/utcl2_store.sv rtl/tlb/utcl2_walker.sv rtl/tlb/utcl2_tlb.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/gpu/part_utcl2.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -GDepth=2 -GReqDepth=16 --x-initial unique
// mutate: rtl/tlb/utcl2_tlb.sv: RspDepth > 2 ? RspDepth - 2 : 1 => RspDepth - 2
#define DEPTH 2
#include "../part_utcl2/tb.cpp"
