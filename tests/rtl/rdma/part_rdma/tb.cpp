// SPDX-License-Identifier: Apache-2.0
// The bench of rdma on the partition's top with three GPUs and 16 credits a far channel: ports, strap,
// credits and counters.  Not responsible for: the bench itself.
// top: part_rdma
// opt: -O0
// constants: shape_far
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: in_read_q + 64'(count[2]) => in_read_q + 64'(count[3])
#define PART
#include "../rdma/tb.cpp"
