// SPDX-License-Identifier: Apache-2.0
// The bench of the front end on the partition's top, with its stand-ins for the vector blocks:
// ports, strap, time, counters.  Whole, with vector blocks: every program on the GPU (tests/sw/kernels).
// top: part_cu
// opt: -O0
// lib: yes
// args: -GCheckNamed=0 -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL --x-initial unique --x-assign unique
// own: tests/rtl/cu/front/cu_simd.sv tests/rtl/cu/front/cu_vmem.sv
// mutate: .cu_id_i (id_i[5:0]) => .cu_id_i (id_i[13:8])
#define PART_CU
#include "../front/tb.cpp"
