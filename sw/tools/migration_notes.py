# SPDX-License-Identifier: Apache-2.0
"""What the page of `make migration` says of its figures: why a goal is missed.  Found by table `moves` and -v of the runs."""

REUSE = """
"On access" is `migrate.map: lazy` with `migrate.fault_cycles` 100, or 20,000: a first access waits until its block has come, and blocks behind it in a row
come ahead, so each line goes over the link once, in four batches, 63,000 cycles of moves in all. With entries from the start `first-touch` hears of a first
access at the end of its phase, when kernels of 64 CUs have read the whole block from afar: 18,440 lines of 16,384 go over the link as reads, which takes
46,000 cycles, and then all of them once more as moves, 16 times 3,072 cycles, and each of its two batches waits 8,500 cycles for its shoot-down: that many far
accesses are under way.

`threshold` and `periodic` move nothing at k = 1: a first pass is no reuse, and does not reach 112 accesses for 4 KiB. From k = 4 on all 16 blocks go in one
batch early in the second pass, twelve of them along with the four that are being read again: 22,812 lines are read from afar, and the batch takes 65,000
cycles. With 128 accesses the batch is 10,000 cycles later, and k = 4 at 1.28; without pages that go along there are three batches, and k = 4 is at 1.08.
"""

WRITERS = """
`writers`: GPUs add to two blocks in turn, 30 kernels of 9,800 cycles each. Goal: at most 1.1 times the cycles of `never`, 0.91 in the table. `benefit`
meets it with 1.09; `threshold` and `periodic` miss it with 1.11. Each block moves there and back, and its first return pins it: two batches of 15,700
and 13,400 cycles, whatever comes behind, so by this arithmetic 34 kernels would meet it (1.04 with 40 longer ones on `demo`,
[reference/migration.md](reference/migration.md#pages-that-move-by-themselves)). With three returns (`migrate.returns`), as in NVIDIA's driver, it was 1.18.
"""

TWO = """
The goal of one adaptive policy is missed: where one GPU alone wants a page (`table`, `product`, `pagerank`, `stencil`), a move on its first access comes some
20,000 cycles before a counter speaks for one, and where pages are used once or by both (`join`, `transposed`) it costs what a move costs.

`transposed`: both GPUs read each block, and accesses of the home are counted by nobody; all 16 blocks go once, when little is left to read, so nothing is
gained or lost. `join`: a line is hardly used twice, and nothing moves (goal: 0.95). `reduction`: each round of 71,000 cycles is bound by the atomics of
65,536 work-items on one word, also where all memory is near, so moves save the rest alone. `benefit` waits until a move's measured cost is reached, in
which a block has the batch's wait for accesses under way: later than `threshold` in `stencil` and `table`.

Matrix product of 128 x 128 words on two GPUs (`product 128 1`): 70,812 cycles with `never`, 78,942 with the others (two blocks), 75,653
with single pages (`migrate.page: 4K`, 18 pages). The only earlier system took 49,714 and, with migration, 146,841 on its own kernel and machine.
"""

FOUR = """
The goal of the mean is missed. `pipeline` reads 130,772 lines from afar in place of 393,216, `table` 40,801 in place of 180,124; but in `join` and
`transposed` nothing moves, `reduction` is bound by its atomics, and two thirds of the far accesses of `bfs` and `pagerank` stay far.
"""
