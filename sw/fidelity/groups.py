# SPDX-License-Identifier: Apache-2.0
"""What `make fidelity` measures, by group: each function takes a configuration and answers {name: value}.  Rates are of r9nano's 1000 MHz: a byte
a cycle is a GB/s.  Hardware's figures and bands: hardware.py."""
import csv

import vector_groups
from bandwidth import bandwidth
from dram import dram
from fetch import fetch
from links import links
from machine import ROOT, more
from reuse import reuse
from stream import stream
from translation import translation

KIB, MIB = 1024, 1024 * 1024


def chase(config="r9nano", sizes=(1, 4, 8, 16, 32, 128, 512, 1024, 2048, 4096, 16384, 65536, 262144), steps=(64, 576)):
    """Cycles a step of one work-item through pointers in `sizes` KiB."""
    found = {}
    for kib in sizes:
        launches = [(1024, 1024, ["zero:8", f"zero:{kib * KIB}", f"u32:{kib * 16}", f"u32:{1 if kib <= 4096 else 64}", f"u32:{n}"]) for n in steps]
        found[str(kib)] = more("memory:chase", launches, config) / (steps[1] - steps[0])
    return found


def atomics(config="r9nano", items=16384, rounds=(2, 10)):
    """Lane atomics a cycle of the GPU: all to one word, to the words of one line, each work-item to its own."""
    found = {}
    for back in ("silent", "back"):
        for name, step, words in (("word", 0, 1), ("line", 1, 16), ("spread", 1, items)):
            launches = [(items, 256, [f"zero:{words * 4}", f"u32:{step}", f"u32:{words}", f"u32:{n}"]) for n in rounds]
            found[f"{back} {name}"] = items * (rounds[1] - rounds[0]) / more(f"memory:atomic_{back}", launches, config)
    return found


def lds(config="r9nano", dwords=(0, 1, 2, 4, 8, 16, 32), rounds=(2, 10)):
    """Cycles of a load of a dword from the LDS, of each wavefront instruction of a CU with 16 wavefronts."""
    found = {}
    for stride in dwords:
        launches = [(1024, 1024, ["zero:8", f"u32:{stride}", f"u32:{n}"]) for n in rounds]
        found[str(stride)] = more("memory:shared", launches, config) / (16 * 32 * (rounds[1] - rounds[0]))
    return found


def instructions(config="r9nano"):
    """Cycles of an instruction of a wavefront alone, as tests/rtl/cu/timing measures and holds them (classes.tsv)."""
    lines = [line for line in (ROOT / "tests/rtl/cu/timing/classes.tsv").read_text().splitlines() if not line.startswith("#")]
    return {row["class"]: row["alone"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)}


GROUPS = {"stream": stream, "bandwidth": bandwidth, "chase": chase, "translation": translation, "memory": vector_groups.memory,
          "strides": vector_groups.strides, "reuse": reuse, "dram": dram, "fetch": fetch, "links": links,
          "atomics": atomics, "lds": lds, "instructions": instructions}
