// SPDX-License-Identifier: Apache-2.0
// The bench of lds_unit with ram_banked as it is synthesized, a memory a bank: the two forms must not differ.
// top: lds_unit
// sources: build/gen/gcn3_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/common/pick_pkg.sv rtl/lds/lds_fadd_pkg.sv rtl/lds/lds_atomic_pkg.sv rtl/lds/lds_pkg.sv rtl/tech/ram_1r1w.sv rtl/tech/ram_banked.sv rtl/lds/lds_collect.sv rtl/lds/lds_step_pkg.sv rtl/lds/lds_serial.sv rtl/lds/lds_execute.sv rtl/lds/lds_writeback.sv rtl/lds/lds_unit.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -DSYNTHESIS -DGANTRY_NO_ASSERT
#include "../lds_unit/tb.cpp"
