# SPDX-License-Identifier: Apache-2.0
"""Groups `moves` and `batch` of `make migration`: pages that move by a script beside bench_reread, which all CUs of GPU 0 run and which does not touch them.
`moves`: the cycles of a move, and what the bystander loses (docs/reference/migration.md).  `batch`: the same pages in one batch and one by one (S1.16)."""
import re

from speed import migration_figures

WAVES = {"latency": (256, 400), "rate": (1024, 150)}  # wavefronts of 64, loads of each: what of the L2 counts for the kernel
PAGES = 32  # of group batch
APART = 4000  # cycles between moves one by one: above the 2,793 of one alone, so each is over before the next begins
OPTIONS = {"4K": ("--set", "migrate.page=4K"), "64K": ("--set", "migrate.page=64K")}
# {what moves: (size of a page, [(bytes of a buffer, cycles behind the launch)])}
WHAT = {
    "nothing": ("4K", []),
    "page": ("4K", [(4096, 20000)]),
    "pages64": ("4K", [(64 * 4096, 20000)]),
    "block": ("64K", [(65536, 20000)]),
    "batch": ("4K", [(4096, 10000) for _ in range(PAGES)]),
    "one-by-one": ("4K", [(4096, 10000 + APART * n) for n in range(PAGES)]),
}


def script(kernel, what):
    """Text of a script of `gantry kernel`: pages of WHAT[what] leave GPU 0 while bench_reread runs there as WAVES[kernel]."""
    waves, loads = WAVES[kernel]
    buffers = WHAT[what][1]
    lines = ["object: build/kernels/bench_reread.v5.co", "buffers:", f"  out: zero:{waves * 256}", "  table: fill:7:1M"]
    lines += [f"  p{n}: fill:{n + 1}:{size}" for n, (size, _) in enumerate(buffers)]
    lines += ["launches:", *(f"  - move: {{buffer: p{n}, to: 1, after: {after}}}" for n, (_, after) in enumerate(buffers))]
    lines += [f"  - {{kernel: bench_reread, grid: {waves * 64}, group: 256, args: [buf:out, buf:table, u32:{(1 << 18) - 1}, u32:{loads}]}}"]
    return "\n".join(lines) + "\n"


def cases():
    """{group: [(name, kernel, what)]}"""
    return {"moves": [(f"moves-{kernel}-{what}", kernel, what) for kernel in WAVES for what in ("nothing", "page", "pages64", "block")],
            "batch": [("moves-latency-batch", "latency", "batch"), ("moves-latency-one-by-one", "latency", "one-by-one")]}


def run(gantry, folder, name, kernel, what, config="r9nano"):
    path = folder / f"{name}.yaml"
    path.write_text(script(kernel, what))
    err = gantry(name, ["kernel", "-c", config, "--set", "system.gpus=2", *OPTIONS[WHAT[what][0]], "-v", "--script", str(path)])
    moves = [row for row in migration_figures.rows(folder / "runs" / name / "metrics.sqlite", "moves") if row["moved"]]
    kernels = migration_figures.rows(folder / "runs" / name / "metrics.sqlite", "kernels")
    line = dict(re.findall(r"(\w+)=(\S+)", err.splitlines()[-1]))
    return {"kernel": kernel, "what": what, "cycles": kernels[-1]["end"] - kernels[-1]["start"], "moves": len(moves), "data": line["data"],
            "span": migration_figures.union((row["begin"], row["end"]) for row in moves), "overhead": migration_figures.overhead(moves),
            "cpu_s": float(line["cpu_s"])}
