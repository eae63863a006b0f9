# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: what translation adds to a load, over pages of three sizes and ever more of them."""
from machine import more

KIB, MIB = 1024, 1024 * 1024
PAGES = {"4 KiB": (4 * KIB, 0), "64 KiB": (64 * KIB, 4), "2 MiB": (2 * MIB, 9)}  # bytes, driver.fragment
COUNTS = (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
MOST = 2048 * MIB  # half of the memory


def translation(config="r9nano", sizes=tuple(PAGES), counts=COUNTS, steps=(64, 576)):
    """Cycles that a step of a chain of pointers, each on another page, past the L1V, the lines in the L2, takes more than with the fewest pages."""
    found = {}
    for size in sizes:
        (page, fragment), least = PAGES[size], None
        for count in counts:
            if count * page > MOST:
                continue
            launches = [(1024, 1024, ["zero:8", f"zero:{count * page}", f"u32:{count}", f"u32:{page}", f"u32:{n}"]) for n in steps]
            step = more("memory:pages", launches, config, ("--set", f"driver.fragment={fragment}")) / (steps[1] - steps[0])
            least = step if least is None else least
            found[f"{size} x {count}"] = step - least
    return found
