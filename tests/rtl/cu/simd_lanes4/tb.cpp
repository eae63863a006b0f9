// SPDX-License-Identifier: Apache-2.0
// The bench of cu_simd on a SIMD of 4 lanes with a stage for operands.  Not responsible for: the bench itself.
// top: cu_simd
// constants: cu_lanes.4+operand_stages.1
// args: -Wno-UNUSEDPARAM --x-initial unique --x-assign unique
// lib: yes
// nightly: yes
// limit: 7200
#define LANES 4
#define OPERAND_STAGES 1
#include "../simd/tb.cpp"
