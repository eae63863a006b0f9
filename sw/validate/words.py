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
ROWS = ""
EXPLAINED = ""
