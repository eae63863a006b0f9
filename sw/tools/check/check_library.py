#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_library.py [--update]: what other programs are compiled against stays as it is (docs/library.md, "Stability").

Compares host/lib/gantry.h with host/lib/gantry.abi: each function's type, each enumerator's value, offset and size of each member; and
the header's functions with the list host/lib/gantry.map and with the dynamic symbols of build/lib/shared/libgantry.so, when it is there.
One line a finding; exit 1 on findings.  --update writes gantry.abi anew: with a new major version unless something was only added.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEADER, LIST, ABI = (ROOT / f"host/lib/gantry.{suffix}" for suffix in ("h", "map", "abi"))
COMMENT = re.compile(r"/\*.*?\*/", re.S)
LAYOUT = re.compile(r"^ *(\d+) \| ( *)(.+)$")


def functions(text):
    """Declarations, one a line."""
    found = re.findall(r"GANTRY_API ([^;{}]*?\([^;]*?\));", COMMENT.sub(" ", text), re.S)
    return sorted((" ".join(f.split()) for f in found), key=lambda f: re.search(r"(gantry_\w+)\(", f)[1])


def names(declared):
    return [re.search(r"(gantry_\w+)\(", f)[1] for f in declared]


def enumerators(text):
    found = []
    for name, body in re.findall(r"enum (\w+) \{(.*?)\}", COMMENT.sub(" ", text), re.S):
        value = -1
        for word in filter(None, (w.strip() for w in body.split(","))):
            key, _, given = (p.strip() for p in word.partition("="))
            value = int(given, 0) if given else value + 1
            found.append(f"enum {name}: {key} = {value}")
    return found


def layouts(header=HEADER):
    """Members with their offsets, as clang lays them out."""
    done = subprocess.run(["clang-19", "-x", "c", "-std=c11", "-fsyntax-only", "-Xclang", "-fdump-record-layouts-complete", header], capture_output=True, text=True, check=True)
    found, struct = [], None
    for line in done.stdout.splitlines():
        row, size = LAYOUT.match(line), re.search(r"\[sizeof=(\d+), align=(\d+)", line)
        if row and not row[2]:
            struct = row[3]
        elif row and struct and struct.startswith("struct gantry_"):
            found.append(f"{struct}: {row[1]}: {row[3]}")
        elif size and struct and struct.startswith("struct gantry_"):
            found.append(f"{struct}: {size[1]} bytes, aligned to {size[2]}")
    return found


def interface(header=HEADER):
    text = header.read_text()
    return [*functions(text), *enumerators(text), *layouts(header)]


def listed(text):
    return re.findall(r"^ *(gantry_\w+);", text, re.M)


def exported(library):
    rows = (line.split() for line in subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout.splitlines())
    return sorted(row[2].split("@")[0] for row in rows if row[1] != "A")


def differences(what, wanted, have):
    return [*(f"{what}: gone: {w}" for w in wanted if w not in have), *(f"{what}: new: {h}" for h in have if h not in wanted)]


def findings(header=HEADER, abi=ABI, symbols=LIST, library=ROOT / "build/lib/shared/libgantry.so"):
    declared = names(functions(header.read_text()))
    found = differences("host/lib/gantry.abi", abi.read_text().splitlines()[1:] if abi.exists() else [], interface(header))
    found += differences("host/lib/gantry.map", listed(symbols.read_text()), declared)
    if library.exists():
        found += differences(library.name, declared, exported(library))
    return found


def main():
    if sys.argv[1:] == ["--update"]:
        ABI.write_text("\n".join(["# sw/tools/check/check_library.py --update wrote this: what programs are compiled against", *interface()]) + "\n")
    found = findings()
    print("\n".join([*found, f"library: {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
