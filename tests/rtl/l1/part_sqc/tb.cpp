// SPDX-License-Identifier: Apache-2.0
// The bench of sqc on the partition's top with its default configuration: ports, strap,
// credits and counters.  Not responsible for: the bench itself.
// top: part_sqc
// opt: -O0
// sources: build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/common/credit_counter.sv rtl/tech/ram_1r1w.sv rtl/tlb/tlb_pkg.sv rtl/tlb/tlb_l1.sv rtl/l1/sqc_queue_pkg.sv rtl/l1/sqc_entries_pkg.sv rtl/l1/sqc_data_pkg.sv rtl/l1/sqc_cache.sv rtl/l1/sqc.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/gpu/part_sqc.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: rtl/gpu/part_sqc.sv: .own_gpu_i(id_i[15:8]) => .own_gpu_i(id_i[7:0])
#define PART
#include "../sqc/tb.cpp"
