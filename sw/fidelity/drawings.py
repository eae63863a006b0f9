# SPDX-License-Identifier: Apache-2.0
"""Which results are drawn, and how: {group: [(file, title, SVG)]}."""
import plot


def numbers(found):
    return {key: float(value) for key, value in found.items()}


def lines_of(found, split):
    """{name of a line: [(x, y)]} of results whose split(key, value) is (name, x, y), or nothing."""
    out = {}
    for key, value in found.items():
        if point := split(key, value):
            out.setdefault(point[0], []).append(point[1:])
    return out


def chase(found):
    title = "Latency: a chain of pointers"
    yield "chase", title, plot.curve("Chain of pointers", "KiB", "cycles a step", {"Gantry": [(float(k), v) for k, v in found.items()]},
                                     (("L1V", 120, 136), ("L2", 233, 344), ("DRAM", 570, 741)))


def bandwidth(found):
    for level, unit, bands in (("l1v", 1, (("L1V, Fury", 63, 64), ("store, CLRX", 15.8, 16.2))),
                               ("l2", 1, (("L2, MI100", 14.8, 15.2),)),
                               ("dram", 0, (("load", 441, 492.5), ("copy", 374, 378), ("store", 356, 359)))):
        def split(key, value, level=level, unit=unit):
            of, kind, count = key.split()
            return (kind, float(count), value / float(count) if unit else value) if of == level else None
        lines, title = lines_of(found, split), f"Bandwidth of the {level.upper()} over CUs"
        if lines:
            yield f"bandwidth-{level}", title, plot.curve(title, "CUs", "bytes a cycle and CU" if unit else "bytes a cycle", lines, bands)


def translation(found):
    title = "Translation: cycles added to a load"
    known = [(32, 14), (64, 58), (128, 77), (256, 92), (512, 92)]  # as hardware_memory.ADDED, in the middle
    lines = lines_of(found, lambda key, value: (f"pages of {key.split(' x ')[0]}", float(key.split(" x ")[1]), value))
    yield "translation", title, plot.curve(title, "pages", "cycles", lines | {"MI210, 2 MiB": known})


def strides(found):
    title = "Loads of a dword from L1V and L2"
    lines = lines_of(found, lambda key, value: None if "random" in key else (key.split()[0].upper(), float(key.split()[1]), value))
    yield "strides", title, plot.curve(title, "dwords from lane to lane", "cycles an instruction", lines, (("not linear, Fury", 15.8, 16.2),))


def reuse(found):
    title = "Loads that hit, walking round and round"
    lines = lines_of(found, lambda key, value: (key.split()[0].upper(), float(key.split()[1]), value))
    lines["LRU"] = [(0.5, 100), (1, 100), (1.5, 0), (2, 0)]
    yield "reuse", title, plot.curve(title, "what is walked through, by what the cache holds", "% hits", lines)


def lds(found):
    yield "lds", "LDS: bank conflicts", plot.curve("LDS: loads of a dword", "dwords from lane to lane", "cycles an instruction",
                                                   {"Gantry": [(float(k), v) for k, v in found.items() if float(k)],
                                                    "hardware (CLRX, OpenCL guide)": [(float(n), 2.0 * n) for n in (1, 2, 4, 8, 16, 32)]})


DRAWN = {"chase": chase, "bandwidth": bandwidth, "translation": translation, "strides": strides, "reuse": reuse, "lds": lds}


def plots(results):
    return {name: list(draw(numbers(results[name]))) for name, draw in DRAWN.items() if name in results}
