// SPDX-License-Identifier: Apache-2.0
// The random tester of the memory path with eight CUs in two groups and four slices.  Not responsible for: the tester itself.
// nightly: yes
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// constants: shape_drf_wide
// own: tests/rtl/memory/drf/ports.vlt tests/rtl/memory/drf/drf_top.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
// run: runs=10 seed=200001 other=20000
// limit: 14400
#include "../drf/tb.cpp"
