// SPDX-License-Identifier: Apache-2.0
// The bench of part_l2 for a slice that writes through.  Not responsible for: the bench itself.
// top: part_l2
// opt: -O0
// args: -Wno-UNUSEDPARAM -GDepth=16 -GThrough=1 --x-initial unique
#define THROUGH true
#include "../part_l2/tb.cpp"
