# SPDX-License-Identifier: Apache-2.0
"""What the page of `make validate` says of the measurement and of its rows.  Found by counters (metrics.sqlite of the runs) and by the kernels' code."""
KNOWN = """
## What was timed

The card's figures stand in rocBLAS's repository, in the tables from which it chooses a kernel for a size (Tensile, `asm_full/r9nano`): GFLOPS of the fastest
kernel, from which `us` is computed. rocBLAS 5.5.1 of Debian 13 still ships these kernels for gfx803, unmodified, and runs here unmodified, too.

Two sets of kernels are measured, never mixed. Debian's hold `v_fma_f32`, which this chip issues at a quarter of the rate of `v_mac_f32`
([fidelity.md](fidelity.md)): at most 2,048 GFLOPS, while the table has up to 7,471. So AMD timed `v_mac_f32`; `sw/validate/kernels.py` puts it into a private
copy of the packaged file, 8 bytes for 8 bytes. "As packaged" is what a user of Debian 13 would see.

Each result is compared with the CPU's sum in double precision for equality (`sw/validate/gemm.cpp`), and `data` with the golden model's. The second of two
equal calls is measured. Up to 0.3 GFLOP both are on the RTL; above, the second alone, with an L2 as the first one has left it (`roi.warm`) and cold TLBs and
instruction caches, which cost some 2 us.
"""
READINGS = """
Nobody has written down what of a call AMD's benchmark timed. "Kernel" is the product's kernel alone; "kernel and beta" also has the one before it, which
multiplies C by beta where the work of a group is split along K; "event" is hipEvent around the call: both kernels, and the launches between.

Not known, and in none of the readings: the clock under load (1,000 MHz is the card's maximum, and is taken here), how many calls there were between two
synchronisations, how many before the first that counted, whether C was in the caches, what of Tensile's kernels has changed since 2018 (`v_mac_f32` had 4 bytes
then, it has 8 in the copy, so more is fetched). The table has no figure below 26 us whatever the size (2 x 64 x 1,216 operations take 29 us there), so rows
under 35 us judge launches as much as kernels; they are counted apart.
"""
ROWS = """
A star: the row led to a change of the model.
"""
LED = ("NN-1760-64-1760",)
EXPLAINED = """
## Rows that are off by more than 15 %

**Repaired: wavefronts on one pair of SIMDs.** `NN 1760 64 1760` took 214.7 us, 1.75 of the card. Its CUs with three groups of two wavefronts were busy for
158,000 cycles and those with four for 206,000: 52,000 a group, as if groups ran one after the other. The dispatcher's next SIMD went on by the wavefronts of
each group of the GPU, so with 64 CUs in turn all groups of a CU began with the same SIMD. Now each CU has its own next SIMD
([reference/dispatch.md](reference/dispatch.md)): 153.9 us. Others that gained: `NN 4608 2 1536` 1.43 to 1.13, `NN 35 700 2560` 1.11 to 1.02. Groups of four
wavefronts and more are as before.

**Faster than the card: rows of A in one slice** (`TN 2048 16 2048`, `TN 3072 32 1024`). A is stored along K, so what a wavefront reads at a time lies 8,192 or
4,096 bytes apart, a multiple of 16 slices of 256 bytes: all in one slice. The four parts of a split of 2,048 begin 2,048 bytes apart, in two slices. The card
reads the 16.8 MB of A with 73 GB/s, about what two of 16 channels give; here it is 135 GB/s, as groups drift apart and use other slices. `TN 1760 16 1760` and
`TN 2560 32 2560`, whose rows are not such a multiple apart, are at 1.12 and 0.89. That the card's groups stay together is a guess.

**Faster: the floor of the table** (`NN 64 1 1216`, `NN 128 1 1408`): 32 groups; the card's figures have none below 26 us.

**Slower: splits that add by compare-and-swap** (`NN 512 32 512`, `NN 1024 32 512`, `NN 1024 1 512`, `NN 3072 1 128`, `NN 35 1500 2048`, `NN 128 1500 1280`,
`TN 1760 128 1760`). Each element is added by `buffer_atomic_cmpswap` until it succeeds, a transaction a lane here ([reference/vmem.md](reference/vmem.md)):
162,000 for the 65,536 sums of `NN 512 32 512`, 1,040,000 for the 420,000 of `NN 35 1500 2048`. No figure of the hardware for such atomics was found. How much
of the time they are has not been measured; rows of other tiles that split as often are near the card (`NN 2560 32 2560`, `NN 8448 4 2816`).

**Slower: one wavefront waits for the other** (`NN 1760 64 1760`, `NN 1024 700 512`). Vector ALUs of `NN 1760 64 1760` are busy for a third of the time, the LDS
ports of a pair for less than half, memory is far from its limits (205 cycles in the mean, 12 lines of a CU under way): latencies of LDS reads, in a loop of 16
multiply-adds behind each pair of them. Which of these is too long is not known.
"""
