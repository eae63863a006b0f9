# SPDX-License-Identifier: Apache-2.0
"""What the page of `make migration` says of its figures: why a goal is missed.  Found by table `moves` and -v of the runs."""

REUSE = """
"On access" is `migrate.map: lazy` with `migrate.fault_cycles` 100, or 20,000: a first access waits until its block has come, and blocks behind it in a row
come ahead, so each line goes over the link once, in four batches, 63,000 cycles of moves in all. With entries from the start `first-touch` hears of a first
access at the end of its phase, when kernels of 64 CUs have read the whole block from afar: 18,440 lines of 16,384 go over the link as reads, which takes
46,000 cycles, and then all of them once more as moves, 16 times 3,072 cycles, and each of its two batches waits 8,500 cycles for its shoot-down: that many far
accesses are under way. `adaptive` lets four blocks come at a time, so its five batches take 68,000 cycles.

`threshold` and `periodic` move nothing at k = 1: a first pass is no reuse, and does not reach 112 accesses for 4 KiB. From k = 4 on all 16 blocks go in one
batch early in the second pass, twelve of them along with the four that are being read again: 22,812 lines are read from afar, and the batch takes 65,000
cycles. With 128 accesses the batch is 10,000 cycles later, and k = 4 at 1.28; without pages that go along there are three batches, and k = 4 is at 1.08.
"""

WRITERS = """
`writers`: GPUs add to two blocks in turn, 30 kernels of 9,800 cycles each. Goal: at most 1.1 times the cycles of `never`, 0.91 in the table. `benefit`
meets it with 1.09, `adaptive` with 1.07; `threshold` and `periodic` miss it with 1.11. With them each block moves there and back, and its first return pins
it: two batches of 15,700 and 13,400 cycles, whatever comes behind, so by this arithmetic 34 kernels would meet it (1.04 with 40 longer ones on `demo`,
[reference/migration.md](reference/migration.md#pages-that-move-by-themselves)). With three returns (`migrate.returns`), as in NVIDIA's driver, it was 1.18.
"""

TWO = """
`adaptive` misses the goal by one program. It moves on the first access, as "first-touch, on access" does: where one GPU alone wants a page (`table`,
`product`, `pagerank`, `stencil`) that comes some 20,000 cycles before a counter speaks for it. What was moved to the wrong GPU goes on by its counts
(`pipeline`), and a GPU that asks for more than four blocks at once is given the others where they are (`join`: 0.95, and 0.81 without this bound). With two
blocks it would be 4 programs, with eight 6. Where it is not near the best one:

- `transposed`: both GPUs read each block, and accesses of the home are counted by nobody, so a move is seen to be in vain when it is over.
- `reduction`: work-items that wait for their blocks cannot queue up for the one word of the sum yet. `first-touch` leaves the first pass far, beside these
  atomics, and moves the blocks behind it.
- `writers`: the first kernel of GPU 1 waits 11,000 cycles for its two blocks, which GPU 0 wants back behind it.

With `threshold`, `periodic` and `benefit`, in `transposed` all 16 blocks go once, when little is left to read, so nothing is gained or lost; in `join` a line
is hardly used twice, and nothing moves (goal: 0.95). `reduction`: each round of 71,000 cycles is bound by the atomics of 65,536 work-items on one word, also
where all memory is near. `benefit` waits until a move's measured cost is reached, in which a block has the batch's wait for accesses under way: later than
`threshold` in `stencil` and `table`.

Matrix product of 128 x 128 words on two GPUs (`product 128 1`, at f53ad328): 70,812 cycles with `never`, 78,942 with the others (two blocks), 75,653
with single pages (`migrate.page: 4K`, 18 pages). The only earlier system took 49,714 and, with migration, 146,841 on its own kernel and machine.
"""

FOUR = """
The goal of the mean is missed, and cannot be met by moves of whole blocks here: the best policy of each program has a mean of 1.31. `pipeline` reads 16,384
lines from afar in place of 393,216 with `adaptive`, `table` none in place of 180,124; but both ends of `transposed` and `writers` use each block, `join` hardly
uses a line twice, `reduction` is bound by its atomics, and half of the far accesses of `bfs` and `pagerank` stay far: all four GPUs look into the same blocks.
`adaptive` is not near the best one in `transposed`, `writers` and `reduction`, as with two GPUs.
"""
