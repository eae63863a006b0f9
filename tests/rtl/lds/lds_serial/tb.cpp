// SPDX-License-Identifier: Apache-2.0
// The bench of lds_unit on the LDS of a lone narrow SIMD, which serves one lane a cycle (lds_serial); its cycles are its own.
// top: lds_unit
// sources: build/gen/gcn3_pkg.sv build/gen/cu_simds.1+lanes.4+operand_stages.1/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/common/pick_pkg.sv rtl/common/latency_floor.sv rtl/lds/lds_fadd_pkg.sv rtl/lds/lds_atomic_pkg.sv rtl/lds/lds_pkg.sv rtl/tech/ram_1r1w.sv rtl/tech/ram_banked.sv rtl/lds/lds_collect.sv rtl/lds/lds_step_pkg.sv rtl/lds/lds_serial.sv rtl/lds/lds_execute.sv rtl/lds/lds_writeback.sv rtl/lds/lds_unit.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutant: -GSeedFault=4'd1
// mutant: -GSeedFault=4'd3
// mutant: -GSeedFault=4'd8
// mutant: -GSeedFault=4'd9
// mutant: -GSeedFault=4'd10
// mutate: rtl/lds/lds_serial.sv: Pace = 4'd6 => Pace = 4'd5
// mutate: rtl/lds/lds_serial.sv: ahead = held; => ahead = 4'd0;
#define SERIAL 1
#include "../lds_unit/tb.cpp"
