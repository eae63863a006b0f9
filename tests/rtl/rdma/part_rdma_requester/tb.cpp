// SPDX-License-Identifier: Apache-2.0
// Control messages to the RDMA engine in requester mode, where requests and answers pass the cache of far lines: what it holds, drains
// and drops with the engine.  Not responsible for: the bench itself (../part_rdma_control), lines that are kept (../rdma_cache).
// top: part_rdma
// opt: -O0
// constants: shape_requester
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: assign drained        = engine_drained && cache_rests; => assign drained = engine_drained;
// mutate: discard_q <= rst_ni && discard; => discard_q <= 1'b0 && discard;
// mutate: .hold_take_i(hold_take), .hold_all_i(hold_all), .rests_o(cache_rests), => .hold_take_i(1'b0), .hold_all_i(hold_all), .rests_o(cache_rests),
// mutate: if (!hold_all_i) begin => if (1'b1) begin
// mutate: (dropping_q && req_valid) => 1'b0
// mutate: !stages && !far_rsp_valid_i && => !stages &&
#define REQUESTER
#include "../part_rdma_control/tb.cpp"
