# SPDX-License-Identifier: Apache-2.0
"""What the page of `make migration` says of its figures: why a goal is missed.  Found by table `moves` and -v of the runs of 30 November 2026."""

REUSE = """
`first-touch` misses its goals above k = 1 since it hears of a first access at the end of its phase, when kernels of 64 CUs have read the whole block from
afar: 18,440 lines of 16,384 go over the link as reads, which takes 46,000 cycles, and then all of them once more as moves, 16 times 3,072 cycles. These
95,000 cycles of one link are what the run takes at k = 4 (107,000). A move on the access itself (`migrate.map: lazy`) is not there. Besides, each of the two
batches waits 8,500 cycles for its shoot-down: that many far accesses are under way. `threshold` and `periodic` lose 15 % at k = 1, where each block moves
behind the only pass: 32 accesses are half of the lines of a page of 4 KiB, but what moves are blocks with 1,024 lines.
"""

WRITERS = """
`writers`: GPUs add to two blocks in turn, 30 kernels of 9,800 cycles each. Goal: at most 1.1 times the cycles of `never`, 0.91 in the table;
`threshold`, `periodic` and `benefit` miss it with 1.18, 1.18 and 1.16. Each block moves four times until it is pinned. These eight moves cost 51,000
cycles, 6,400 each, whatever comes behind; so by this arithmetic some 53 kernels or more would meet the goal (1.07 with 40 longer ones on `demo`,
[reference/migration.md](reference/migration.md#pages-that-move-by-themselves)). Doubling does not help here: a kernel makes 2,048 accesses to a
block, far above the fourfold threshold of 128.
"""

TWO = """
`transposed`: both GPUs read each block, and accesses of the home are counted by nobody. So `threshold` carries all 16 blocks there, back and there again;
`benefit` moves two. `join`: a line is hardly used twice. `threshold` carries all 2 MiB, since 32 accesses are 3 % of a block's lines; `benefit` moves nothing
(goal of the join: 0.95). `reduction`: each round of 71,000 cycles is bound by the atomics of 65,536 work-items on one word, also where all memory is
near, so moves save the rest alone. The goals of one adaptive policy against the best fixed one need all columns, those of four GPUs (geometric mean at least
1.4) the table of four: where these are not there, nothing is said about them.
"""

FOUR = ""
