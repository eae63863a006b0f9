#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_tree.py: every file of the tree (those of git, and new ones that .gitignore does not name) is one that RULES explain: its place and
kind, text, executable only where somebody starts it by its name, no link, no half merge.  Prints one line a finding and `tree: N files, N findings`; exit 1 on
findings.  What a program makes stands below build/, which is not looked at.  Also a part of `make lint`."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
NAME = r"[A-Za-z0-9_-]+"
RULES = [  # where, what may stand there
    (r"", r"README\.md|CONTRIBUTING\.md|LICENSE|Makefile|gantry\.core|pytest\.ini|\.gitignore|\.gitattributes|\.clang-format"),
    (r"\.ci/", r"run"),  # continuous integration
    (r"(host|bridge)/[a-z0-9]+/", rf"{NAME}\.[ch]"),
    (r"host/isa/", rf"{NAME}\.(tsv|sv\.in)"),  # tables of instructions, text of the package
    (r"host/lib/", r"gantry\.(abi|map|pc\.in)"),  # interface of the library as it is kept, its symbols, its package
    (r"(bridge|host)/tlm/", rf"{NAME}\.(hpp|cpp)|gantry-tlm\.pc\.in"),  # SystemC
    (r"host/migrate/", r"steps\.def"),
    (r"bridge/(proto|verilated)/", rf"(messages|stream)\.def|partitions\.yaml|{NAME}\.hpp"),
    (r"configs/", rf"params\.def|{NAME}\.yaml"),
    (r"rtl/([a-z0-9]+/)+", rf"{NAME}\.svh?"),
    (r"rtl/gpu/", r"links\.yaml"),
    (r"fpga/", r"README\.md"),
    (r"fpga/sim/", rf"{NAME}\.(c|h|cpp|hpp)"),
    (r"fpga/ecp5/(cells/)?", rf"{NAME}\.sv"),  # what is special to the device, models of its cells
    (r"fpga/[a-z0-9]+/", r"pins\.lpf"),  # of a board
    (r"docs/(reference/)?", rf"{NAME}\.md"),
    (r"docs/verification/", r"nightly\.md"),  # written by sw/tools/verify/nightly.py
    (r"docs/", r"gantry\.1|libgantry\.3"),  # manual pages
    (r"docs/(reference/)?[a-z0-9]+/", rf"{NAME}\.svg"),  # each shown by a page
    (r"sw/apps/((families|faults|pages)/)?", rf"{NAME}\.(hip|h)|(order|sizes)\.tsv"),
    (r"sw/cuda/", r"names\.tsv"),
    (r"sw/cuda/examples/([a-z_]+/)?", rf"{NAME}\.(cu|c|cpp|h)|Makefile"),
    (r"sw/cuda/include/([a-z_]+/)*", rf"{NAME}\.h"),
    (r"sw/cuda/lib/", rf"{NAME}\.(cpp|h)"),
    (r"sw/cuda/nvcc/", rf"{NAME}\.py|gantry-nvcc"),
    (r"sw/(dispatch|fidelity)/", rf"{NAME}\.(py|cl|hip|s)"),
    (r"sw/validate/", rf"{NAME}\.(py|cpp|tsv)"),
    (r"sw/kernels/", rf"{NAME}\.cl"),
    (r"sw/library/", rf"{NAME}\.(c|py)"),  # examples of programs with libgantry
    (r"sw/systemc/", rf"{NAME}\.cpp|Makefile"),  # examples
    (r"sw/shim/", rf"{NAME}\.[ch]"),
    (r"sw/tools/mk/", rf"{NAME}\.mk"),
    (r"sw/tools/(builder|check|faults|gen|speed|synthesis|verify)/", rf"{NAME}\.(py|sh|c|tsv|txt)|verible\.(rules|waiver)"),
    (r"tests/", rf"README\.md|(cases|nightly)\.tsv|{NAME}\.py"),
    (r"tests/(bridge|host)/([a-z0-9]+/)?", rf"{NAME}\.([chs]|cl|py|sh)"),
    (r"tests/(bridge|host)/tlm/", rf"{NAME}\.(cpp|hpp)"),
    (r"tests/formal/", rf"{NAME}\.(svh?|py|sh)"),
    (r"tests/fpga/", rf"{NAME}\.(cpp|h|py)"),
    (r"tests/fuzz/", rf"{NAME}\.([ch]|py)"),
    (r"tests/fuzz/regressions/[a-z_]+/", r"[a-z0-9_]+"),  # inputs, any bytes
    (r"tests/harness/", rf"{NAME}\.(py|sh)"),
    (r"tests/model/", rf"{NAME}\.(pml|py)"),  # models of protocols, for Spin
    (r"tests/planted/", rf"{NAME}\.patch"),
    (r"tests/rtl/([a-z0-9_]+/)*", rf"{NAME}\.([chs]|cl|cpp|py|svh?|tsv|vlt|set)"),
    (r"tests/sw/[a-z]+/", rf"{NAME}\.([chs]|cl|cu|hip|py|sh)"),
    (r"tests/system/", rf"{NAME}\.py|(cycles|ioctls|releases)\.tsv"),
    (r"tests/system/[a-z]+/", rf"{NAME}\.(c|cpp|h|hip|s|cl|cu)"),
]
EXPLAINED = [re.compile(f"{place}(?:{names})") for place, names in RULES]
BYTES = re.compile(r"tests/fuzz/regressions/")
EXECUTABLE = re.compile(r"\.ci/run|sw/tools/\w+/\w+\.(sh|py)|sw/cuda/nvcc/gantry-nvcc|tests/.*\.(sh|py)")
MERGE = re.compile(rb"^(<{7}|>{7}) ", re.M)
PICTURE = re.compile(r"docs/.*\.svg")


def files(root=ROOT):
    """Paths below the root, sorted; of a tree that is no checkout all but what .gitignore names."""
    done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if done.returncode == 0 and (root / ".git").exists():
        names = {name for name in done.stdout.split("\0") if name}
    else:
        names = {str(p.relative_to(root)) for p in root.rglob("*") if not p.is_dir() and p.relative_to(root).parts[0] != "build" and "__pycache__" not in p.parts}
    return sorted(name for name in names if (root / name).is_symlink() or (root / name).is_file())


def wrong(root, name, shown):
    """What is wrong with one file, or None."""
    path = root / name
    if not any(rule.fullmatch(name) for rule in EXPLAINED):
        return "no rule of sw/tools/check/check_tree.py explains it (what programs make goes below build/)"
    if path.is_symlink():
        return "a symbolic link"
    data = path.read_bytes()
    if not BYTES.match(name):
        try:
            if "\0" in data.decode():
                return "not text"
        except UnicodeDecodeError:
            return "not text"
    if not BYTES.match(name) and MERGE.search(data):
        return "two texts of a merge stand in it"
    if path.stat().st_mode & 0o111 and not (EXECUTABLE.fullmatch(name) and data.startswith(b"#!")):
        return "executable, but nobody starts it by its name"
    if PICTURE.match(name) and path.name not in shown:
        return "no page shows it"
    return None


def findings(root=ROOT):
    shown = "".join(p.read_text() for p in (root / "docs").rglob("*.md"))
    return [f"{name}: {found}" for name in files(root) if (found := wrong(root, name, shown))]


def main():
    found = findings()
    print("\n".join([*found, f"tree: {len(files())} files, {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
