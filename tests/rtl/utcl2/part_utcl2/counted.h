// SPDX-License-Identifier: Apache-2.0
// Counters and cycles, in the bench of part_utcl2: of what is asked every request is a hit, a miss or joins one, every miss a walk; faults,
// reads and reports as many as the bench has seen; cycles of a lone hit and of a lone walk.  Included by tb.cpp.
#ifndef COUNTED_H
#define COUNTED_H

static void sums()
{
    const unsigned count = 3000;
    uint64_t before[8], faults_before = faults, reads_before = walk_reads, answered_before = answered;
    const size_t reports_before = reports.size();
    for (unsigned n = 0; n < 8; n++)
        before[n] = counter(n);
    for (unsigned n = 0; n < count; n++) // neighbours, so that some join
        issue(random_vmid(), pick(50) ? random_va() : rng() >> pick(30), 1u << pick(3), 256);
    drain_all();
    uint64_t now[8];
    for (unsigned n = 0; n < 8; n++)
        now[n] = counter(n) - before[n];
    if (answered - answered_before != count || now[0] + now[1] + now[2] != count)
        fail("hits, misses and those that join", now[0] + now[1] + now[2], count);
    if (now[0] < 100 || now[1] < 100 || now[2] < 5)
        fail("too few of a kind", now[0] << 32 | now[1], now[2]);
    if (now[1] != now[3])
        fail("walks, misses", now[3], now[1]);
    if (now[4] != faults - faults_before || now[4] < 100)
        fail("faults", now[4], faults - faults_before);
    if (now[5] != walk_reads - reads_before)
        fail("reads", now[5], walk_reads - reads_before);
    if (now[6] != reports.size() - reports_before || counter(7) != 0)
        fail("withheld, none", now[6], reports.size() - reports_before);
    dut->perf_addr_i = 5; // without its enable nothing is read
    const uint64_t last = dut->perf_data_o;
    clock_once(nullptr, 256);
    if (dut->perf_data_o != last)
        fail("a counter that nobody asked for", dut->perf_data_o, last);
}

// Cycles from the edge of a lone request to that of its answer.
static uint64_t lone(unsigned vmid, uint64_t va)
{
    const uint64_t from = cycle;
    issue(vmid, va, 1, 256);
    for (unsigned n = 0; n < 2000 && !flying.empty(); n++)
        clock_once(nullptr, 256);
    const uint64_t took = cycle - from - 1;
    drain_all();
    return took;
}

static void cycles()
{
    latency_fixed = 20;
    const uint64_t at = Far + 40 * Large;
    for (unsigned p = 0; p < 4; p++)
        map_page(2, at + p * 4096, plain_entry(0x6000 + p));
    map_page(2, at + 3 * Large, plain_entry(0x7000));
    map_large(2, at + 5 * Large, plain_entry(0x600));
    command(CTL_INV, 2, 0, 0, true);
    drain_all();
    const uint64_t three = lone(2, at), hit = lone(2, at), one = lone(2, at + 4096), beyond = lone(2, 1ull << 40), two = lone(2, at + 3 * Large),
                   leaf = lone(2, at + 5 * Large), again = lone(2, at + 5 * Large + 7 * 4096);
    // chosen, read, compared, answered: a cycle each; a walk begins behind the comparison, a read takes 20 cycles and one, and its end six more
    const uint64_t want[] = {4, 30, 51, 72, 30, 4, 4}, got[] = {hit, one, two, three, leaf, again, beyond};
    for (unsigned n = 0; n < 7; n++)
        if (got[n] != want[n])
            fail("cycles of a lone request", got[n], want[n]);
    latency_fixed = 0;
}

// A shoot-down of the first or the last page below an entry of a middle table alone: the walker forgets the entry.
static void upper_edges()
{
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t at = Far + (50 + 2 * n) * Large, page = n ? at + Large - 4096 : at;
        map_page(2, page, plain_entry(0x6100 + n));
        ask(2, page); // its middle entry is known
        map_large(2, at, plain_entry(0x600));
        command(CTL_INV, 2, page, 4096, true);
        ask(2, page); // take_answer compares
    }
}

static void counted()
{
    upper_edges();
    sums();
    cycles();
}
#endif
