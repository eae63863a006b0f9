// SPDX-License-Identifier: Apache-2.0
// The bench of rdma with the queues and entries that links take at their default rates: rows and origins in RAMs, entries that
// come free in another order than they were taken.  Not responsible for: the bench itself.
// top: part_rdma
// opt: -O0
// constants: shape_far_deep
// args: -Wno-UNUSEDPARAM --x-initial unique
// mutate: .re_i(done_load), .raddr_i(entry_t'(done_next.tag)) => .re_i(done_load), .raddr_i(entry_t'(done_head.tag))
// mutate: assign second     = late_valid_q ? late_q : row; => assign second     = row;
// mutate: assign read_next  = pop && count_q > Cw'(1) ? next(read_q) : read_q; => assign read_next  = read_q;
// mutate: mem_req_room && in_free && => mem_req_room &&
#define PART
#define DEEP
#include "../rdma/tb.cpp"
