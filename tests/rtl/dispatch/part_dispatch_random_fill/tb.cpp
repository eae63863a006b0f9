// SPDX-License-Identifier: Apache-2.0
// The bench of ../part_dispatch_random with four dispatchers, which fill one CU after the other.
// nightly: yes
// top: part_dispatch
// constants: dispatch_dispatchers.4+place.fill+patience.300
// own: tests/rtl/dispatch/part_dispatch_random/taps.vlt
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: cu = pick_pkg::first64(cus); => cu = pick_pkg::rr64(cus, 6'd1);
#define DISPATCHERS 4
#define PATIENCE 300
#define FILL true
#include "../part_dispatch_random/tb.cpp"
