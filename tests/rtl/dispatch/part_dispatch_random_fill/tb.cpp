// SPDX-License-Identifier: Apache-2.0
// The bench of ../part_dispatch_random with four dispatchers, which fill one CU after the other.
// nightly: yes
// top: part_dispatch
// sources: tests/rtl/dispatch/part_dispatch_random/taps.vlt build/gen/gantry_msg_pkg.sv rtl/common/stream_rules_pkg.sv build/gen/dispatch_dispatchers.4+place.fill+patience.300/gantry_cfg_pkg.sv rtl/common/pick_pkg.sv rtl/dispatch/dispatch_pkg.sv rtl/dispatch/dispatch_pool.sv rtl/dispatch/dispatch_recip.sv rtl/dispatch/dispatch_walk.sv rtl/dispatch/dispatch_send.sv rtl/dispatch/dispatch_events.sv rtl/dispatch/dispatch_reports.sv rtl/dispatch/dispatch_control.sv rtl/dispatch/dispatch_broadcast.sv rtl/dispatch/dispatch_hub.sv rtl/common/stream_bounds.sv rtl/common/stream_fifo.sv rtl/control/control_pkg.sv rtl/control/control_agent.sv rtl/gpu/part_dispatch.sv
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: rtl/dispatch/dispatch_walk.sv: cu = pick_pkg::first64(cus); => cu = pick_pkg::rr64(cus, 6'd1);
#define DISPATCHERS 4
#define PATIENCE 300
#define FILL true
#include "../part_dispatch_random/tb.cpp"
