// SPDX-License-Identifier: Apache-2.0
// The random tester of the memory path for a million episodes, in runs of 20,000 with seeds of their own, so that a failure is
// found again quickly.  Not responsible for: the tester itself.
// nightly: yes
// opt: -O3
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// constants: shape_drf
// own: tests/rtl/memory/drf/ports.vlt tests/rtl/memory/drf/drf_top.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
// run: runs=50 seed=100001 other=2000
// limit: 14400
#include "../drf/tb.cpp"
