// SPDX-License-Identifier: Apache-2.0
// The bench of sqc on the partition's top with its default configuration: ports, strap,
// credits and counters.  Not responsible for: the bench itself.
// top: part_sqc
// opt: -O0
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: .own_gpu_i(id_i[15:8]) => .own_gpu_i(id_i[7:0])
#define PART
#include "../sqc/tb.cpp"
