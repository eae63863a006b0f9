# SPDX-License-Identifier: Apache-2.0
"""Published figures of Fiji and its nearest relatives that a result of groups.py is held against: what, low, high, band, source.  Those of the memory
path by instruction, level and block: hardware_vector.py, hardware_memory.py."""
import hardware_memory
import hardware_vector
from figure import RATE, TIME, Figure

STREAM = "BS, A"
INTERNAL = "#147, A"
CDNA = "MT, GB, C"
PCIE = "OG: DMA moves 11 to 12 GB/s over PCIe 3.0 x16 (15.75), B"

FIGURES = {
    "stream": {
        "copy": Figure("STREAM copy, fp64", 376, 376, RATE, 0.05, STREAM),
        "mul": Figure("STREAM mul, fp64", 375, 375, RATE, 0.05, STREAM),
        "add": Figure("STREAM add, fp64", 426, 426, RATE, 0.05, STREAM),
        "triad": Figure("STREAM triad, fp64", 425, 425, RATE, 0.05, STREAM),
        "load": Figure("load, 16 bytes a work-item", 492.5, 492.5, RATE, 0.05, INTERNAL),
        "store": Figure("store, 16 bytes a work-item", 357.7, 357.7, RATE, 0.05, INTERNAL),
        **{f"load {width}": Figure(f"load, 16 times {bytes} bytes a work-item", value, value, RATE, 0.05, "CP, A")
           for width, bytes, value in (("float", 4, 441), ("float2", 8, 453), ("float4", 16, 445), ("float8", 32, 205), ("float16", 64, 103))},
        **{f"store {width}": Figure(f"store, 16 times {bytes} bytes a work-item", None, None, RATE, 0, "none; #147: at most 357.7")
           for width, bytes in (("float", 4), ("float4", 16))},
    },
    "chase": {
        **{str(n): Figure(f"pointers in {n} KiB: L1V", 120, 136, TIME, 0.05, CDNA) for n in (1, 4, 8)},
        "16": Figure("pointers in 16 KiB: the L1V to its last line", None, None, TIME, 0, "none; sets are hashed here"),
        **{str(n): Figure(f"pointers in {n} KiB: L2", 233, 344, TIME, 0.05, CDNA) for n in (128, 512, 1024)},
        "32": Figure("pointers in 32 KiB: L2, some in the L1V", None, None, TIME, 0, "none"),
        "4096": Figure("pointers in 4096 KiB: L2 and DRAM", None, None, TIME, 0, "none"),
        "2048": Figure("pointers in 2048 KiB: the L2 to its last line", None, None, TIME, 0, "none"),
        **{str(n): Figure(f"pointers in {n} KiB: DRAM", 570, 741, TIME, 0.05, CDNA + "; OG, GCN1: 300 to 600, B")
           for n in (16384, 65536)},
        "262144": Figure("pointers in 262144 KiB: DRAM, behind the second level of translation", None, None, TIME, 0, "none"),
    },
    "links": {
        **{f"{name} {mib}": Figure(f"copy of {mib} MiB pinned memory {words}", low, 12, RATE, 0.05, source)
           for mib, low, source in ((1, 9, PCIE + "; #222, Fiji with the host's time: 5.89, A"), (16, 10, PCIE))
           for name, words in (("to-gpu", "to the GPU"), ("to-host", "to the host"))},
        "zero-copy-read": Figure("kernel that reads the host's memory", 9, 10, RATE, 0.05, "OG, HD 7xxx, B"),
        "zero-copy-write": Figure("kernel that writes the host's memory", 2.5, 2.5, RATE, 0.05, "OG, HD 7xxx, B"),
        **{f"peer-{kind} {latency}": Figure(f"kernel that {kind}s another GPU's memory, latency {latency}", 25.6, 25.6, RATE, 0.05,
                                            "64 of 80 bytes at `link.gpu_bytes_per_cycle` 32, D") for kind in ("read", "write") for latency in (100, 140, 500)},
        "chase-own": Figure("chain of loads, own memory", None, None, TIME, 0, "none; longer chains above"),
        "chase-peer": Figure("chain of loads, memory of another GPU", None, None, TIME, 0, "none"),
    },
    "atomics": {f"{back} {place}": Figure(f"atomic additions, {words}, to {where}", None, None, "lanes/clk", 0,
                                          "none")
                for back, words in (("silent", "no result"), ("back", "returning")) for place, where in
                (("word", "one word"), ("line", "16 words of a line"), ("spread", "own words"))},
    "lds": {
        "0": Figure("load of a dword, all lanes one word", 2, 2, TIME, 0.05, "CLRX, OG: broadcast is free, B"),
        **{str(n): Figure(f"load of a dword, {n} dwords from lane to lane", 2 * n, 2 * n, TIME, 0.05,
                          "CLRX, OG: by 32 lanes, at worst 64, B") for n in (1, 2, 4, 8, 16, 32)},
    },
    **hardware_vector.FIGURES, **hardware_memory.FIGURES,
}
