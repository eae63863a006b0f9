// SPDX-License-Identifier: Apache-2.0
// The bench of cu_vmem with SIMDs of 8 lanes, whose blocks are the narrow ones, and 12 misses under way.  Not responsible for: the
// bench itself.
// top: cu_vmem
// nightly: yes
// constants: cu_lanes.8
// args: -Wno-UNUSEDPARAM -GL1vMshrs=12 --x-initial unique --x-assign unique
#define LANES 8
#define MSHRS 12
#include "../vmem/tb.cpp"
