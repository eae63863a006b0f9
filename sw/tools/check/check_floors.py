#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_floors.py: the floors of the C side (docs/contracts.md) hold, and no files need each other in a circle.

Includes: a folder sees only itself, the rooms of its own floor (ROOMS) and the floors below it; bridge/ sees nothing of host/ but host/base and host/saved; the shim sees
of host/ only what it shares with the driver.  Links: of the objects in build/obj (make all) none needs, through others,
a symbol of one that needs it.  Memory of the target is reached by messages: beyond host/vm only the files of POINTERS look
into it without.  One line a finding; exit 1 on findings.
"""
import graphlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
GCN3 = ("host/isa", "host/valu")  # rooms of one floor: they see each other
MACHINE = ("host/machine", "host/target", "host/observe", "host/record", "host/checkpoint", "host/place")
FIRMWARE = ("host/firmware", "host/maintenance")
MIGRATE = ("host/migrate", "host/policy", "host/monitor")
DRIVER = ("host/driver", "host/memory", "host/clients", "host/clock", "host/system", "host/local")
ROOMS = [GCN3, MACHINE, FIRMWARE, MIGRATE, (*DRIVER, "host/drm")]
BRIDGE = ["proto", "link", "stream", "part", "run", "place", "verilated", "board", "tlm"]
FLOORS = [["host/base"], ["host/saved"], ["host/config"], *([f"bridge/{name}"] for name in BRIDGE), ["host/vm"], [*GCN3, "host/loader"], ["host/golden"],
          ["host/lockstep"], [*MACHINE], [*FIRMWARE], [*MIGRATE], [*DRIVER, "host/drm"], ["host/metrics"], ["host/lib"], ["host/cli"], ["host/tlm"]]
LEVEL = {folder: level for level, floor in enumerate(FLOORS) for folder in floor}
GENERATED = {"gantry_cfg.h": "host/config", "gantry_cfg_table.h": "host/config", "gantry_msg.h": "bridge/proto", "gantry_msg_fields.h": "bridge/proto",
             "gantry_stream.h": "bridge/proto", "gcn3_ops.h": "host/isa", "trans_tables.h": "host/valu"}
SHARED = {"host/clients/protocol.h", "host/clients/address.h", "host/clients/preload.h", "host/driver/tiling.h", "host/drm/drm.h"}  # by driver and shim
# Files that reach VRAM, GTT or client memory without a message, and why (docs/contracts.md)
POINTERS = {
    "host/local/local.c": "buffers of gantry kernel before its run, data hash after it",
    "host/memory/backing.c": "data hash of what is freed",
    "host/memory/granules.c": "memory that nobody has, on its way to its next owner",
    "host/firmware/untimed_read.c": "reports for people; whether a client has changed what a queue waits for, while the clock stands",
    "host/golden/golden_mem.c": "golden GPUs, which have no clock",
    "host/lockstep/lockstep_dirty.c": "lock step, which only checks",
    "host/lockstep/lockstep_mem.c": "lock step, which only checks",
    "host/migrate/copy.c": "pages that the host brings to another frame, on golden GPUs, which have no clock, and before a machine has begun",
    "host/monitor/monitor_locks.c": "the monitor of moves, which only checks",
    "host/target/hostmem.c": "the partition that is the memory",
    "host/record/replay.c": "what the program of a recording has changed while the clock stood",
    "host/record/replay_memory.c": "the partition that is the memory",
    "host/target/rtl_where.c": "reports for people",
    "host/record/shadow.c": "recordings: what the program has changed while the clock stood",
    "host/target/store.c": "the partition that is the memory",
}
POINTER = re.compile(r"\b(?:pmem_(?:gtt|vram|pages|read|write|write_masked|atomic|clear)|pagetable_(?:read|write|atomic|walk|walk_entry|walk_place|walk_each|walk_read))\s*\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.M)


def place(source, name, root):
    """The file that an include means, from the top, or None: a library's, or one that does not exist."""
    if name in GENERATED:
        return f"{GENERATED[name]}/{name}"
    tries = (source.parent / name, root / name, root / "host" / name, root / "bridge" / name)
    found = next((p for p in tries if p.is_file()), None)
    return found.resolve().relative_to(root.resolve()).as_posix() if found else None


def allowed(folder, file):
    to = file.rsplit("/", 1)[0]
    if folder == "sw/shim":
        return to == "sw/shim" or file in SHARED
    if folder == to or any(folder in rooms and to in rooms for rooms in ROOMS):
        return True
    if folder.startswith("bridge/") and to.startswith("host/") and to not in ("host/base", "host/saved"):
        return False
    return LEVEL.get(to, len(FLOORS)) < LEVEL[folder]


def includes(root=ROOT):
    found = []
    for path in sorted(p for top in ("host", "bridge", "sw/shim") for p in (root / top).rglob("*.[ch]*") if p.suffix in (".c", ".h", ".hpp")):
        source = path.relative_to(root).as_posix()
        folder = source.rsplit("/", 1)[0]
        if folder not in LEVEL and folder != "sw/shim":
            found.append(f"{source}: {folder} stands on no floor")
            continue
        for name in INCLUDE.findall(path.read_text()):
            file = place(path, name, root)
            if file and not allowed(folder, file):
                found.append(f"{source}: includes {file}, which is not below {folder}")
    return found


def pointers(root=ROOT, allowed_files=POINTERS):
    """Files of host/ but host/vm that look into memory and must not, or are said to and do not."""
    used = {path.relative_to(root).as_posix() for path in (root / "host").rglob("*.[ch]")
            if path.relative_to(root).parts[1] != "vm" and POINTER.search(COMMENT.sub(" ", path.read_text()))}
    return [*(f"{name}: reaches memory of the target without a message" for name in sorted(used - set(allowed_files))),
            *(f"{name}: reaches no memory without a message any more" for name in sorted(set(allowed_files) - used))]


def needs(objects):
    """{object: objects whose symbols it needs} of {name: path}"""
    defined, wanted, names = {}, {}, {str(path): name for name, path in objects.items()}
    for line in subprocess.run(["nm", "-A", "-P", *names], capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, rest = line.partition(": ")
        symbol, kind = rest.split()[:2]
        if kind == "U":
            wanted.setdefault(names[path], set()).add(symbol)
        elif kind.isupper():
            defined[symbol] = names[path]
    return {name: {defined[s] for s in wanted.get(name, ()) if defined.get(s, name) != name} for name in objects}


def circle(objects):
    """The first circle, as names, or None."""
    try:
        tuple(graphlib.TopologicalSorter(needs(objects)).static_order())
    except graphlib.CycleError as found:
        return list(reversed(found.args[1]))
    return None


def objects(root=ROOT):
    """Those of sources that are there."""
    sources = (p.relative_to(root) for top in ("host", "bridge") for p in sorted((root / top).glob("*/*.c")))
    return {s.as_posix(): root / "build/obj" / s.with_suffix(".o") for s in sources}


def findings():
    found, built = [*includes(), *pointers()], objects()
    missing = [name for name, path in built.items() if not path.exists()]
    if missing:
        return [*found, f"{missing[0]}: not built (make all)"]
    round_about = circle(built)
    return [*found, "circle: " + " needs ".join(round_about)] if round_about else found


def main():
    found = findings()
    print("\n".join([*found, f"floors: {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
