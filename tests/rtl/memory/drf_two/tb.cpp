// SPDX-License-Identifier: Apache-2.0
// The random tester of the memory path with two GPUs between which pages move, for 500,000 episodes.  Not responsible for: the tester itself.
// nightly: yes
// opt: -O3
// lib: yes
// cflags: -Ihost -Ibuild/gen
// top: drf_top
// constants: shape_drf
// own: tests/rtl/memory/drf/ports.vlt tests/rtl/memory/drf/drf_top.sv
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique -fno-dfg
// run: runs=25 seed=700001 gpus=2 other=2000
// limit: 14400
#include "../drf/tb.cpp"
