#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which RTL files exist and in which order packages must be read: the one answer for lint, synthesis and coverage.

rtl_sources.py [MODULE]: prints the files that MODULE needs (all packages it imports, then modules), or all modules.
"""
import functools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
GENERATED = ["build/gen/gantry_msg_pkg.sv", "build/gen/gantry_cfg_pkg.sv", "build/gen/gcn3_pkg.sv"]


@functools.lru_cache(None)
def files():
    out = [ROOT / g for g in GENERATED if (ROOT / g).exists()]
    out += sorted((ROOT / "build/gen").glob("*_pkg.sv"))
    out += sorted((ROOT / "rtl").rglob("*.sv"))
    return list(dict.fromkeys(out))


def strip(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def declared(path):
    """(package or module, its name) of all in a file."""
    return re.findall(r"^\s*(package|module)\s+(?:automatic\s+)?(\w+)", strip(path.read_text()), flags=re.M)


@functools.lru_cache(None)
def defined():
    """name of package or module -> file (the simulation variant where several targets define a name)."""
    out = {}
    for path in files():
        for kind, name in declared(path):
            out.setdefault(name, (kind, path))
    return out


@functools.lru_cache(None)
def headers():
    return sorted((ROOT / "rtl").rglob("*.svh"))


def include_switches():
    """For tools that read RTL: every folder that has a text to be included."""
    return [f"-I{folder}" for folder in sorted({str(p.parent.relative_to(ROOT)) for p in headers()})]


@functools.lru_cache(None)
def included(path):
    """The headers that a file includes, by whatever path it names them, and those that they include."""
    names = {pathlib.PurePath(name).name for name in re.findall(r'`include\s+"([^"]+)"', strip(path.read_text()))}
    found = [p for p in headers() if p.name in names]
    return list(dict.fromkeys(q for p in found for q in [p, *included(p)]))


def whole(path):
    """Text of a file with that of the headers it includes."""
    return "".join(strip(p.read_text()) for p in [path, *included(path)])


@functools.lru_cache(None)
def uses(path):
    """Packages that the file names with `::` and modules that it instantiates (a variable may share a module's name)."""
    text = whole(path)
    words = set(re.findall(r"\b(\w+)\s*::", text)) | set(re.findall(r"^\s*(?:bind\s+\w+\s+)?(\w+)\s+(?:#\s*\(|\w+\s*\()", text, flags=re.M))
    return sorted(w for w in words if w in defined() and defined()[w][1] != path)


def sources(module, own=()):
    """Files that `module` needs, packages first, in dependency order; with those of `own`, whose packages and modules stand for others of the same name."""
    order, seen = [], set()
    known = {**defined(), **{name: (kind, path) for path in own for kind, name in declared(path)}}

    def visit(path):
        if path in seen:
            return
        seen.add(path)
        for name in uses(path):
            visit(known[name][1])
        order.append(path)

    for path in [known[module][1], *own]:
        visit(path)
    kinds = {path: kind for kind, path in known.values()}
    return [p for p in order if kinds[p] == "package"] + [p for p in order if kinds[p] == "module"]


def modules():
    return sorted(name for name, (kind, path) in defined().items() if kind == "module" and ROOT / "rtl" in path.parents)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print("\n".join(str(p.relative_to(ROOT)) for p in sources(sys.argv[1])))
    else:
        print("\n".join(modules()))
