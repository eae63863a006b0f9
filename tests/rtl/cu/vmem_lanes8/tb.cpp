// SPDX-License-Identifier: Apache-2.0
// The bench of cu_vmem with SIMDs of 8 lanes, whose blocks are the narrow ones, and 12 misses under way.  Not responsible for: the
// bench itself.
// top: cu_vmem
// nightly: yes
// sources: build/gen/gantry_msg_pkg.sv build/gen/cu_lanes.8/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/cu/cu_vmem_pkg.sv rtl/tlb/tlb_pkg.sv rtl/cu/cu_vmem_xlat_pkg.sv rtl/l1/l1v_pkg.sv rtl/common/pick_pkg.sv rtl/common/latency_floor.sv rtl/tech/ram_1r1w.sv rtl/cu/cu_vmem_slots.sv rtl/cu/cu_vmem_coalesce.sv rtl/cu/cu_vmem_request.sv rtl/cu/cu_vmem_return.sv rtl/cu/cu_vmem_writeback.sv rtl/cu/cu_vmem_parts.sv rtl/cu/cu_vmem_coalesce_narrow.sv rtl/cu/cu_vmem_request_narrow.sv rtl/cu/cu_vmem_return_narrow.sv rtl/cu/cu_vmem_pipe.sv rtl/l1/l1v.sv rtl/tlb/tlb_l1.sv rtl/cu/cu_vmem.sv
// args: -Wno-UNUSEDPARAM -GL1vMshrs=12 --x-initial unique --x-assign unique
#define LANES 8
#define MSHRS 12
#include "../vmem/tb.cpp"
