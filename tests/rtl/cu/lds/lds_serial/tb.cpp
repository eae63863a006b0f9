// SPDX-License-Identifier: Apache-2.0
// The bench of lds_unit on the LDS of a lone narrow SIMD, which serves one lane a cycle (lds_serial); its cycles are its own.
// top: lds_unit
// constants: cu_simds.1+lanes.4+operand_stages.1
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutant: -GSeedFault=4'd1
// mutant: -GSeedFault=4'd3
// mutant: -GSeedFault=4'd8
// mutant: -GSeedFault=4'd9
// mutant: -GSeedFault=4'd10
// mutate: Pace = 4'd6 => Pace = 4'd5
// mutate: ahead = held; => ahead = 4'd0;
#define SERIAL 1
#include "../lds_unit/tb.cpp"
