#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench.py [--full]: S3.1 as a tool: empty kernels on r9nano over wavefronts a group, work-groups, registers and LDS.

Prints a line T = constant + slope x groups with R^2 for each shape, through the sizes from 1,000 groups on, beside S3.2 to S3.4; how far small grids
are from it; the first launch of a code object; launches a CPU second of the golden model.  Draws build/dispatch/lines.svg: the lines of S3.13
(1 and 8 wavefronts a group), where 64 to 1,024 groups are known to be uncertain.  --full: every number of wavefronts, up to 65,536 groups (4 minutes).
"""
import pathlib
import sys

import launches

sys.path.insert(0, str(launches.ROOT / "sw/fidelity"))
import plot  # noqa: E402

OUT = launches.ROOT / "build/dispatch"
SMALL = [1, 8, 63]
UNCERTAIN = [64, 256, 1024]  # S3.13
SHAPES = [(84, 0), (128, 0), (256, 0), (4, 8192), (4, 32768), (128, 16384)]  # VGPRs and LDS of groups of four wavefronts
GOLDEN = 40000  # launches


def drawing(lines):
    """SVG of {wavefronts: {groups: cycles}}: cycles beyond the line of the requirement."""
    beyond = {f"{waves} wavefronts a group": [(groups, taken - launches.slope_of(waves) * groups) for groups, taken in points.items()]
              for waves, points in lines.items()}
    return plot.curve("Empty kernels on r9nano: cycles beyond the slope of S3.2, S3.3 (64 to 1,024 groups: uncertain, S3.13)", "work-groups", "cycles",
                      beyond, [("constant of S3.4", *launches.LAUNCH_CYCLES)])


def main():
    full = "--full" in sys.argv[1:]
    OUT.mkdir(parents=True, exist_ok=True)
    co = launches.code(OUT)
    first = launches.first_launch(OUT, co)
    print(f"first launch of a code object, one group of one wavefront: {first} cycles")
    sizes = [1000, 2000, 8192, 16384] + [65536] * full
    drawn = {}
    print("wavefronts  slope   asked  constant      R^2  " + "  ".join(f"{n:>6}" for n in SMALL + UNCERTAIN) + "   (cycles off the line)")
    for waves in range(1, 17) if full else (1, 2, 4, 5, 8, 12, 16):
        taken = {n: launches.cycles(OUT, co, n, waves, first) for n in SMALL + UNCERTAIN + sizes}
        slope, constant, fit = launches.line([(n, taken[n]) for n in sizes])
        off = "  ".join(f"{taken[n] - constant - slope * n:>6.1f}" for n in SMALL + UNCERTAIN)
        print(f"{waves:>10}  {slope:>6.3f}  {launches.slope_of(waves):>6.2f}  {constant:>8.1f}  {fit:.6f}  {off}", flush=True)
        if waves in (1, 8):
            drawn[waves] = taken
    for vgprs, lds in SHAPES:
        co_of = launches.code(OUT, vgprs, lds)
        first_of = launches.first_launch(OUT, co_of)
        slope, constant, fit = launches.line([(n, launches.cycles(OUT, co_of, n, 4, first_of)) for n in (1000, 2000, 4096)])
        print(f"4 wavefronts, {vgprs} VGPRs, {lds} bytes of LDS: slope {slope:.3f}, constant {constant:.1f}, R^2 {fit:.6f}", flush=True)
    (OUT / "lines.svg").write_text(drawing(drawn))
    _, cpu = launches.script(OUT, [(co, 1, 1, GOLDEN)], ["--model", "golden"])
    print(f"golden model: {GOLDEN / cpu:.0f} launches a CPU second")


if __name__ == "__main__":
    main()
