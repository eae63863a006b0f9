# SPDX-License-Identifier: Apache-2.0
"""What the page of `make migration` says of its figures: why a goal is missed.  Found by table `moves` and -v of the runs."""

REUSE = """
"On access" is `migrate.map: lazy` with `migrate.fault_cycles` 100, or 20,000: a first access waits until its block has come, and two blocks behind it in a row
come ahead, so each line goes over the link once, 67,000 cycles of moves in all. With entries from the start `first-touch` hears of a first access at the end of
its phase, when kernels of 64 CUs have read the whole block from afar: 18,004 lines of 16,384 go over the link as reads, which takes 46,000 cycles, and then all
of them once more as moves, 16 times 3,072 cycles, and each of its two batches waits 8,500 cycles for its shoot-down: that many far accesses are under way.
`adaptive` is the same here: not more than four blocks are ever asked for at once.

`threshold` and `periodic` move nothing at k = 1: a first pass is no reuse, and does not reach 112 accesses for 4 KiB. From k = 4 on all 16 blocks go in one
batch early in the second pass, twelve of them along with the four that are being read again: 22,300 lines are read from afar, and the batch takes 65,000
cycles. With 128 accesses the batch is 10,000 cycles later, and k = 4 at 1.28; without pages that go along there are three batches, and k = 4 is at 1.08.
"""

WRITERS = """
`writers`: GPUs add to two blocks in turn, 30 kernels of 9,800 cycles each. Goal: at most 1.1 times the cycles of `never`, 0.91 in the table; all policies meet
it (1.07; `adaptive` 1.06). The blocks go to GPU 1, and stay: GPU 0 is far from them then, in GPU 1's place. With a return that pins them (`migrate.returns` 1)
it was 1.11, with three, as in NVIDIA's driver, 1.18.
"""

TWO = """
`adaptive` misses the goal of programs by one. It moves on the first access, as "first-touch, on access" does: where one GPU alone wants a page (`table`,
`product`, `pagerank`, `stencil`) that comes some 20,000 cycles before a counter speaks for it. What was moved to the wrong GPU goes on by its counts, and a GPU
that asks for more than four blocks at once is given the others where they are (`join`: 0.98, and 0.82 without this bound). Where it is not near the best one:

- `transposed`: both GPUs read each block about once, and GPU 0 does so behind the moves: that they are in vain is seen when they are over.
- `reduction`: work-items that wait for their blocks cannot queue up for the one word of the sum yet. `first-touch` leaves the first pass far, beside these
  atomics, and moves the blocks behind it.
- `writers`: 0.946 of `never`, which is the best one there. The first kernel of GPU 1 waits 11,000 cycles for its two blocks.

With `threshold`, `periodic` and `benefit`, in `transposed` all 16 blocks go once, when little is left to read, so nothing is gained or lost; in `join` a line
is hardly used twice, and nothing moves (goal: 0.95). `reduction`: each round of 71,000 cycles is bound by the atomics of 65,536 work-items on one word, also
where all memory is near. `benefit` waits until a move's measured cost is reached, in which a block has the batch's wait for accesses under way: later than
`threshold` in `stencil`.

Matrix product of 128 x 128 words on two GPUs (`product 128 1`, at f53ad328): 70,812 cycles with `never`, 78,942 with the others (two blocks), 75,653
with single pages (`migrate.page: 4K`, 18 pages). The only earlier system took 49,714 and, with migration, 146,841 on its own kernel and machine.
"""

FOUR = """
The goal of the mean is missed, and cannot be met by moves of whole blocks here: the best policy of each program has a mean of 1.32. `pipeline` reads 24,576
lines from afar in place of 393,216 with `adaptive`, `table` none in place of 180,183; but both ends of `transposed` and `writers` use each block, `join` hardly
uses a line twice (`adaptive`: 0.94 of `never`, goal 0.95), `reduction` is bound by its atomics, and half of the far accesses of `bfs` and `pagerank` stay far:
all four GPUs look into the same blocks. `adaptive` is not near the best one in `transposed`, `writers`, `reduction` and `join`. With single pages
(`migrate.page: 4K`) `stencil` would be at 1.37, all others lower (at e37005c0: `product` 1.05, `join` 0.43).
"""
