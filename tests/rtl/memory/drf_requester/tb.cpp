// SPDX-License-Identifier: Apache-2.0
// The random tester of the memory path in requester mode, with a cache of far lines.  Not responsible for: the tester itself.
// nightly: yes
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// constants: shape_drf_requester
// own: tests/rtl/memory/drf/ports.vlt tests/rtl/memory/drf/drf_top.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
// run: runs=3 seed=600001 other=2000
// limit: 14400
#include "../drf/tb.cpp"
