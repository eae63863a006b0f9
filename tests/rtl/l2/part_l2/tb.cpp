// SPDX-License-Identifier: Apache-2.0
// Bench of part_l2 (slice and DRAM channels), write-back; part_l2_through has the same with write-through.  Random reads, stores, atomics of all
// operations, write-backs and invalidations of everything and of ranges at random times, few and many lines, back-pressure on answers, against a
// memory in C++.  The requests to one line must behave as in order of arrival; the backing store must equal the memory after a write-back, and
// without one when the cache writes through (S0.16); the order port must name every store and atomic with all that lock step needs, answers carry
// what the request brought.  Stale data after a host write without an invalidation.  What stays in the L2 is in kept.h, what goes to DRAM and when in
// write.h, what other GPUs find in far.h, rates in rates.h, times of the DRAM in dram.h, reset in again.h.  Requirements S0.16 to S0.18, S1.2.  The argument `speed` prints ns a cycle.
// top: part_l2
// opt: -O0
// args: -Wno-UNUSEDPARAM -GDepth=16 --x-initial unique
// mutate: slice_idle && channel_idle == '1 => slice_idle && channel_idle != '0
// mutate: old == 64'd0 || old > a ? a => old > a ? a
// mutate: if (named_ways[w] && pending[SetBits'(set)][w]) => if (!(named_ways[w] && pending[SetBits'(set)][w]))
// mutate: if (s4.victim) begin => if (s4.victim && s4.what == DataFlush) begin
// mutate: store_sent = store_count != 4'd0 && !hold; => store_sent = store_count > 4'd1;
// mutate: dirty[SetBits'(set)] = dirty[SetBits'(set)] & ~bit_of; => dirty[SetBits'(set)] = dirty[SetBits'(set)];
// mutate: era_writes[!era] == 16'd0 => 1'b1
// mutate: flush.write_back && !flush.more ? !era : era => flush.write_back ? !era : era
// mutate: blend(base, held.words, held.mask) => blend(base, held.words, payload.mask)
// mutate: s4.dirty ? held.mask : 64'd0 => held.mask
// mutate: (dirty[i] | pending[i]) => pending[i]
// mutate: slow = at_limit(cmd_count, QueueSlow); => slow = 4'd0;
// mutate: data_we_q && data_waddr_q == s4.row[RowBits-1:0] => 1'b0
// mutate: data_before && data_before_row == s4.row[RowBits-1:0] => 1'b0
// mutate: tag_we_q && tag_waddr_q == SetBits'(s2.set) => 1'b0
// mutate: tag_before && tag_before_set == SetBits'(s2.set) => 1'b0
// mutate: mshr[i].drop = 1'b1 => mshr[i].drop = 1'b0
// mutate: waits[SetBits'(set)] != 10'd0 => 1'b0
// mutate: through: Through || mem_req_i.source == FarSource => through: Through
// mutate: shape.slice_bits << 2 | 32'd3 => shape.slice_bits << 2
// mutate: (!flush.drop && (full => (1'b0 && (full
// mutate: m.drop ? full[SetBits'(set)] & ~bit_of : => 1'b0 ? full[SetBits'(set)] & ~bit_of :
// mutate: list.some ? list.last : to => to
// mutate: a.wide ? low : {high, low[31:0]} => a.wide ? low : {low[31:0], high}
// mutate: operands[w[2:0]], 64'd0); => operands[0], 64'd0);
// mutate: is_line ? fresh.words : is_atomic => is_line ? payload.words : is_atomic
// mutate: MEM_READ_NC[1:0] || m.waits => MEM_READ_NC[1:0]
// mutate: mshr_no_t'(Mshrs - 1 - i) => mshr_no_t'((Mshrs - 1 - i) & 63)
// mutate: is_line ? told : '0 => is_line ? words : '0
// mutate: recent | bit_of | pending) == all => recent | bit_of & pending) == all
// mutate: dirty       = '{default: '0}; => ;
// mutate: recent      = '{default: '0}; => ;
// mutate: (replay || waiter || fresh)) => (replay || waiter && fresh))
// mutate: dram = want == LookFetch || => dram = want != LookFetch &&
// mutate: ((want == LookHit || want == LookNew) && => ((want == LookHit && want == LookNew) &&
// mutate: << shape.chan_bit | (line & (( => << shape.chan_bit | (line | ((
// mutate: if (!(s2.valid && s2.what == TakeFlush)) begin => if (1'b1) begin
// mutate: if (s1.by_line && flush.at == flush.last) => if (s1.by_line && flush.at == flush.last - 32'd1)
// mutate: if (flush.at == 32'(Sets)) flush.state => if (flush.at == 32'(Sets - 1)) flush.state
// mutate: a.other ? young[SetBits'(set)] : AllWays => AllWays
// mutate: m.old ? young[SetBits'(set)] & ~bit_of : => 1'b0 ? young[SetBits'(set)] & ~bit_of :
// mutate: merge: (dirty[SetBits'(set)] & bit_of) != 16'd0 && => merge:
// mutate: a.whole) begin => a.whole && look == LookNew) begin
// mutate: (mem_req_i.access & tlb_pkg::ACCESS_PASS) == 8'd0 => 1'b1
// mutate: if (flush.at == 32'(Groups)) flush.state => if (flush.at == 32'(Groups - 1)) flush.state
#include "bench.h"
#include "kept.h"
#include "dram.h"
#include "write.h"
#include "far.h"
#include "rates.h"
#include "again.h"

static void speed(const char *name, unsigned count, unsigned lines, unsigned gap, bool reads)
{
    double spent = 0;
    uint64_t from = cycle;
    for (unsigned i = 0; i < count; i++) {
        msg_mem_req q = random_request(slice_line(pick(lines)));
        if (reads) {
            q.op = MEM_READ;
            q.addr &= ~63ull;
        }
        Stopwatch w;
        issue(q, 256);
        for (unsigned k = 0; k < gap; k++)
            clock_once(nullptr, 256);
        spent += w.ns();
    }
    printf("speed: %s: %.0f ns a cycle with the bench, %.2f requests a cycle\n", name, spent / double(cycle - from), count / double(cycle - from));
    drain_all();
    Stopwatch w;
    for (unsigned i = 0; i < 100000; i++) {
        dut->clk_i = 1;
        dut->eval();
        dut->clk_i = 0;
        dut->eval();
    }
    printf("speed: idle: %.0f ns a cycle\n", w.ns() / 100000);
}

int main(int argc, char **argv)
{
    Verilated::randReset(2); // what reset leaves alone holds anything
    start();
    if (argc > 1 && !strcmp(argv[1], "speed")) {
        speed("read hits", 20000, 256, 0, true);
        speed("mixed", 20000, 2048, 2, false);
        return 0;
    }
    traffic("few lines", 6000, 8, 0, 256);
    traffic("resident", 6000, 1024, 0, 256);
    traffic("conflicts", 8000, 4096, 0, 256);
    traffic("slow answers", 4000, 600, 0, 30);
    traffic("sparse", 2000, 4096, 12, 256);
    case_done("traffic", "S0.16, S1.2");
    host_writes();
    case_done("host writes");
    traffic("after invalidations", 3000, 512, 0, 256);
    kept();
    case_done("after invalidations");
    write_backs();
    case_done("what goes to DRAM", "S0.16, S0.17, S0.18, S1.11");
    far();
    case_done("what other GPUs find", "S0.18, S1.2");
    rates();
    case_done("rates");
    dram();
    case_done("times of the DRAM");
    reset_again();
    case_done("a reset begins anew");
    return bench_end("part_l2");
}
