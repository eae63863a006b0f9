// SPDX-License-Identifier: Apache-2.0
// The bench of cu_simd on a SIMD of 8 lanes.  Not responsible for: the bench itself.
// top: cu_simd
// constants: cu_lanes.8
// args: -Wno-UNUSEDPARAM --x-initial unique --x-assign unique
// lib: yes
// nightly: yes
// limit: 7200
#define LANES 8
#include "../simd/tb.cpp"
