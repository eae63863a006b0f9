# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: instructions from the L1I and from the L2, a chain of scalar loads.  On 4 CUs, which share both caches."""
import struct

from machine import ROOT, more

KIB = 1024
PIECES = {"code_16_short": 4096, "code_16": 2048, "code_64": 8192}  # instructions


def code(name, waves, groups, config, rounds=(2, 6)):
    """Cycles of an instruction of a wavefront; each group is alone on its CU, each of its (up to 4) wavefronts on its SIMD."""
    return more(f"fetch:{name}", [(64 * waves * groups, 64 * waves, [f"u32:{n}"]) for n in rounds], config) / (PIECES[name] * (rounds[1] - rounds[0]))


def scalar(kib, config):
    """Cycles of a scalar load that the next one waits for, from lines of `kib` KiB in a random-looking order; one lap, then two."""
    lines = kib * KIB // 64
    after = {n: 64 * ((n * 1664525 + 1013904223) % lines) for n in range(lines)}
    file = ROOT / f"build/fidelity/scalar-{kib}"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(struct.pack("<I60x", after[n]) for n in range(lines)))
    rounds = (lines // 64, 3 * (lines // 64))
    return more("fetch:scalar_chain", [(64, 64, ["zero:8", f"in:{file}", f"u32:{n}"]) for n in rounds], config) / (64 * (rounds[1] - rounds[0]))


def fetch(config="demo", names=("code_16_short 1 1", "code_16 1 1", "code_16 4 1", "code_16 4 4", "code_64 1 1", "code_64 4 1", "code_64 4 4",
                                "scalar 4", "scalar 32")):
    """code PIECE, wavefronts of a CU, CUs; scalar KIB."""
    found = {}
    for name in names:
        what, *numbers = name.split()
        found[name] = scalar(int(numbers[0]), config) if what == "scalar" else code(what, *map(int, numbers), config)
    return found
