# SPDX-License-Identifier: Apache-2.0
"""Group of `make fidelity`: bytes a cycle of streams through DRAM."""
from machine import more

MIB = 1024 * 1024
ARRAYS = (16, 64)  # MiB of an array in the two runs, so many that the 2 MiB of the L2 and a CU's last groups, which it has to itself, count little
WHOLE = (48, 144)  # of one that is loaded or stored
WIDTHS = {"float": 4, "float2": 8, "float4": 16, "float8": 32, "float16": 64}  # bytes


def array(name, arrays, count, config):
    """One element of `size` bytes a work-item in `count` of three arrays, which are so many MiB long in the two runs."""
    size = 16 if count == 1 else 8
    launches = [(mib * MIB // size, 256, [f"zero:{mib * MIB}"] * (2 if count == 1 else 3)) for mib in arrays]
    return count * (arrays[1] - arrays[0]) * MIB / more(f"stream:{name}", launches, config)


def values(kind, width, arrays, config):
    """16 values of a width a work-item, each loaded or stored, of an array of so many MiB: at the better of two distances, as clpeak has it."""
    found = []
    for where in ("near", "far"):
        items = [mib * MIB // (16 * WIDTHS[width]) for mib in arrays]
        buffers = [[f"zero:{4 * count}", f"zero:{mib * MIB}"][::1 if kind == "load" else -1] for count, mib in zip(items, arrays)]
        launches = [(count, 256, buffer) for count, buffer in zip(items, buffers)]
        found.append((arrays[1] - arrays[0]) * MIB / more(f"stream:{kind}_{width}_{where}", launches, config))
    return max(found)


def stream(config="r9nano", arrays=ARRAYS, whole=WHOLE):
    found = {name: array(name, arrays, count, config) for name, count in (("copy", 2), ("mul", 2), ("add", 3), ("triad", 3))}
    found.update({name: array(name, whole, 1, config) for name in ("load", "store")})
    for kind, widths in (("load", WIDTHS), ("store", ("float", "float4"))):
        found.update({f"{kind} {width}": values(kind, width, whole, config) for width in widths})
    return found
