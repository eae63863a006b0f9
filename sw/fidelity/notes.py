# SPDX-License-Identifier: Apache-2.0
"""Titles of the groups on docs/fidelity.md, and what is said there above their rows: how it is measured, what was assumed, why something is outside its
band."""

TITLES = {
    "stream": "DRAM: streams", "chase": "Latency: a chain of pointers", "bandwidth": "Bandwidth: read, write, copy",
    "translation": "Translation", "memory": "Instructions of memory", "strides": "Strides and permutations", "reuse": "Reuse: what the replacement keeps",
    "dram": "DRAM: rows, turns, refresh", "fetch": "Instruction fetch and scalar loads", "links": "Links: host and other GPUs", "atomics": "Atomics", "lds": "LDS: bank conflicts",
    "instructions": "Instructions",
}

NOTES = {
    "links": """A HIP program (sw/fidelity/links.hip) by the target's clock. Copies are single calls of hipMemcpy from and to pinned memory, start and
end counted (some 5,000 cycles): ROCm's own kernel makes them. Kernels read or write 4 MiB of the host's memory, or 2 MiB of the other GPU of r9nano-2gpu, in
16 bytes a work-item; the value is of all beyond the first quarter, when translations are known. The host's link carries 64 of 88 bytes, of which 8 are
overhead of PCIe that was chosen to bring copies into their band (docs/reference/rdma.md); one between GPUs carries 64 of 80. What limited kernels of HD 7xxx
beside their copies, above all when they write, is not published, and not modelled. No figure of two Fiji over a link was found; their band is what the keys
allow. The chains go through 512 lines once each.""",
    "stream": """copy, mul, add, triad and the first load and store: one element a work-item. The others are clpeak's: 16 floats or vectors a work-item, a
work-group or all work-items apart, whichever is faster; of loads their sum is stored, a float a work-item, which is not counted. Arrays of 16 and 64 MiB, or
48 and 144: in shorter runs the end counts, when a CU has its last groups to itself. What moves loads of 16 values: 32 instructions of vector memory a CU
(`gpu.cu.vmem_slots`), in which the wavefronts of a SIMD take turns; eight lines of a slice beside each other in one channel (`gpu.dram.channel_bit`); two
messages of a CU that follow each other at a slice (`gpu.noc.run`); the time of a refresh (`gpu.dram.trfc_bank`); and that few stores wait until there are
many, since a turn of the bus for four of them costs as much as their data (`gpu.dram.write_age`). Stores: hardware moves 70 % of the peak, and where it
loses the rest is not published; here each store keeps the bus longer (`gpu.dram.write_rest`), whatever its order. A channel has a queue of reads and one of
writes; no document says when its bus turns: `gpu.dram.write_high`, `write_low`, `write_idle` and `write_age` are set so that copy, add, triad and loads are
in their bands. Values of 32 and 64 bytes move on hardware what they would if each line came twice and four times: as the wavefronts take turns, a line has
left the caches before its work-item's next load of it. Of 32 bytes it has not always here: clang loads a value at a time, and the two loads of one often
follow each other. How the measured program's compiler had ordered its loads is not known; 66 registers and more loads under way hit more often.""",
    "chase": """Translations are known before the chain begins, the L1V and L2 hold what they can (an eighth of 16 MiB); 256 MiB are twice as many
pages of 2 MiB as the first level of translation holds. Behind the DRAM's own time
lies the way back to the slice (`gpu.dram.path`, 272): PHY, controller and fabric. Of the chips with a figure only the whole latency is known, so the
key is what it leaves. 492 bytes a cycle over the 330 cycles between a slice's lookup and its fill are 160 lines under way in each of 16 slices (256
MSHRs), and over 570 cycles 69 misses in each CU (128).""",
    "bandwidth": """One work-group of 16 wavefronts a CU, dwords. L1V: each CU in 16 KiB of its own; L2: all in one MiB, each from another place on;
DRAM: all one behind the other, behind 8 MiB; all 64 CUs as the streams above, 16 dwords a work-item. A copied byte counts twice. Of writes and copies
nothing was published but DRAM's; a store takes a CU 16 cycles (CLRX), which 64 CUs would bring to the L2's 1,024. What the L2 lacks behind 64 CUs are
cycles in which the heads of the crossbar's queues wait for one slice while others have nothing to do (`gpu.noc.lanes`). Few CUs read no more than
their L1V lets through: it does one operation a cycle, and a line that misses is two, lookup and fill, so 32 bytes. How near a CU comes to that hangs on how
its answers bunch: they go first, and lookups wait behind them.""",
    "translation": """A chain of one work-item over pages, past the L1V (loads of agent scope), its lines whole in the L2: the value is what a step
takes beyond one over 16 pages. Pages: `driver.fragment` 0, 4, 9. The first level ends behind 64 entries of any size (key `gpu.l1v.tlb_entries`); the
second behind 4,096, 1,024 and 512 (`gpu.utcl2.entries`, `blocks`, `large`). Entries and costs of GCN3 are not published. MI210's figures are of loads
from all of a buffer and suggest 32 entries and a way to the second level of 60 to 85 cycles; here the request goes through the crossbar as one to the
L2 does (`link.cu_noc`, 74 cycles each way, which the latency of the L2 is fitted to), so it takes 192. With 64 pages nothing is added here, on MI210
58: its first level has fewer entries. Behind the second level up to three reads of tables through the L2 come to it.""",
    "memory": """16 wavefronts of one CU in rows of eight instructions, nothing between them. perftest's linear loads go on by one element each, so
most lie on lines in one of 16 places only, which costs its Fury nothing, nor here, since two lines are looked up together. Of a
store of 4 dwords off the lines those that two beats share take two cycles: 19; on lines 16. Faster than Fury: 4 dwords not aligned. 3 dwords at random
take 32 cycles there for no known reason, and here since addresses are held back so long. Bytes and shorts: perftest's buffers with 8 and 16 bits take as
long as dwords. Stores of less or more than a
dword are assumed to take CLRX's 16, too.""",
    "strides": """16 wavefronts of one CU, loads of a dword with two additions between them, none waited for. From the L1V a load that touches more
than 16 lines takes a cycle for each; from the L2 some 2.1 cycles a line: 128 misses under way (`gpu.l1v.mshrs`) in the 236 cycles of an L2 hit are 1.8.
GCN3 looks up four addresses a cycle (GPUOpen); whether four lines, is not published.""",
    "reuse": """One wavefront loads all lines in their order, 16 at a time, four laps, of which the last two count. LRU keeps all of a walk that fits and
nothing of one that does not; so does the L1V (the way filled longest ago goes). The L2 replaces a way not used since the bits of its set last filled,
which keeps a sixteenth of 1.5 times its size. Which replacement GCN3 has is not published.""",
    "dram": """Lines that alternate between the channels, banks not hashed, stores as long as loads and 16 instructions a CU (keys), so that one channel is
seen. One channel, read past both caches. Not hardware's figures but what the times allow that simulators give HBM1 (D): the straps of Fiji are
not published. `refresh` is what a bank is away; other banks work on, so an open row's lines lose nothing. Bank after bank two CUs load, each rows of its own:
the 128 lines that one has under way are too few for the order in which its wavefronts bring them (8.8 cycles a line).""",
    "fetch": """Straight code, again and again, on `configs/demo.yaml`, whose 4 CUs share an L1I of 32 KiB: 16 KiB stay there, 64 KiB never do. A line
of eight instructions from the L2 is a way of 184 cycles; the L1I fetches the line behind, too (`gpu.sqc.prefetch`), and a wavefront asks for the next
when its buffer of two lines has room, so a lone wavefront has an instruction in 16 cycles. Four CUs at the same code are in each other's
way: of the lines behind only the last asked for counts. What a miss costs on hardware is not published. A scalar load from the L2 takes 144 cycles on top
of a hit in the L1K, the sibling's 127 to 156: its caches have a link of their own to the crossbar (`link.sqc_noc`).""",
    "atomics": """No figure of hardware was found for rate or latency. A slice performs one request a cycle, with all its lanes on one line; lanes of one
word are one request each.""",
    "lds": """Cycles of a wavefront instruction of a CU, in 16 wavefronts that do nothing else, 32 loads a round: a branch back costs the fastest 4 %.""",
}
