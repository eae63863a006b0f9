// SPDX-License-Identifier: Apache-2.0
// The random tester of the memory path with an L2 that writes through.  Not responsible for: the tester itself.
// nightly: yes
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// constants: shape_drf_through
// own: tests/rtl/memory/drf/ports.vlt tests/rtl/memory/drf/drf_top.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
// run: runs=3 seed=400001 other=20000
// limit: 14400
#include "../drf/tb.cpp"
