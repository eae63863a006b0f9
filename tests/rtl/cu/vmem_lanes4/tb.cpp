// SPDX-License-Identifier: Apache-2.0
// The bench of cu_vmem with SIMDs of 4 lanes, whose blocks are the narrow ones.  Not responsible for: the
// bench itself.
// top: cu_vmem
// constants: cu_lanes.4+operand_stages.1
// args: -Wno-UNUSEDPARAM --x-initial unique --x-assign unique
// mutant: -GSeedFault=4'd1
// mutant: -GSeedFault=4'd2
// mutant: -GSeedFault=4'd4
// mutant: -GSeedFault=4'd7
// mutate: part = part + 2'd1; => part = part + 2'd2;
// mutate: lanes_left = lanes_left & (lanes_left - 64'd1); => lanes_left = '0;
#define LANES 4
#include "../vmem/tb.cpp"
