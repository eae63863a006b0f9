// SPDX-License-Identifier: Apache-2.0
// The random tester of the memory path with four GPUs between which pages move.  Not responsible for: the tester itself.
// nightly: yes
// opt: -O3
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// constants: shape_drf_four
// own: tests/rtl/memory/drf/ports.vlt tests/rtl/memory/drf/drf_top.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
// run: runs=10 seed=900001 gpus=4 other=2000
// limit: 14400
#include "../drf/tb.cpp"
