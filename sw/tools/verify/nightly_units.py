# SPDX-License-Identifier: Apache-2.0
"""What `make nightly` consists of beyond a day's tests: units, the files that each depends on, the record of its last run.

A unit is a test file with something that only runs nightly, or a slice of one that is long: `tests/harness/test_planted.py 3/12` is every
twelfth of its tests, from the third on.  The record, tests/nightly.tsv, has a line a unit: key, commit, date, result and seconds.  The key is a hash over
all files that the result depends on, as git has them: a unit whose key is that of its record need not run again.
Not responsible for: running them (nightly.py), cases (manifest.py)."""
import dataclasses
import hashlib
import pathlib
import re
import subprocess

from verify import bench_files
from verify import manifest
from faults import mutation

ROOT = manifest.ROOT
FILE = ROOT / "tests/nightly.tsv"
HEAD = "# unit\tkey\tcommit\tdate\tresult\tseconds\tsum; written by sw/tools/verify/nightly.py\n"
ASSUMED = 120  # seconds of a unit that never ran
PARTS = 12  # of the table, each about 80 minutes
# Into how many slices long files are cut, so that none takes longer than about 40 minutes.
SLICES = {"tests/harness/test_planted.py": 12, "tests/system/test_modes.py": 4, "tests/system/test_extremes.py": 6, "tests/formal/test_formal.py": 8,
          "tests/system/test_programs.py": 3, "tests/system/test_fault_matrix.py": 2, "tests/system/test_whole.py": 3, "tests/system/test_libraries.py": 3,
          "tests/system/test_board.py": 6, "tests/rtl/test_synthesis.py": 2, "tests/rtl/utcl2/part_utcl2/tb.cpp": 2, "tests/rtl/dispatch/part_dispatch/tb.cpp": 2}
# A test runs longer at night when its text, or what it includes, asks for it.
LONGER = re.compile(r"GANTRY_NIGHTLY|\bnightly\(\)")
LIMIT = re.compile(r"^(?: \*|// ) ?\*? ?limit: \d+", re.M)
# Of the parameters, those that are constants of the RTL: of the others a bench without the host's code sees nothing.
PARAMS = "configs/params.def"
# What makes a program of the RTL's text.
BUILD = ["configs/*.yaml", "bridge/proto", "sw/tools/builder/verilate*.py", "sw/tools/gen/*.py", "sw/tools/builder/rtl_sources.py", "tests/conftest.py", "tests/rtl/*.h"]
CODE = ["host", "bridge", "rtl", "configs", "sw", "Makefile", "tests/conftest.py"]
# Besides its own folder and CODE.
ALSO = {"tests/harness": ["tests", "README.md", "docs"], "tests/fpga": ["fpga"], "tests/rtl/board": ["fpga"], "tests/sw/tools": ["tests", "docs", "fpga"]}
NOT = ["sw/tools/verify/nightly.py", "sw/tools/verify/nightly_units.py", "tests/nightly.tsv", "docs/verification"]


@dataclasses.dataclass(frozen=True, order=True)
class Unit:
    file: str
    slice: int = 1
    slices: int = 1

    def __str__(self):
        return self.file if self.slices == 1 else f"{self.file} {self.slice}/{self.slices}"


@dataclasses.dataclass
class Record:
    key: str
    commit: str
    date: str
    result: str  # "N passed, N failed[, N skipped]"
    seconds: int

    @property
    def passed(self):
        return re.fullmatch(r"[1-9]\d* passed, 0 failed(, \d+ skipped)?", self.result) is not None


def longer_files(root=ROOT):
    """Test files that have no case marked nightly, but do more there."""
    for path in sorted((root / "tests").rglob("*")):
        if path.name == "tb.cpp" or (path.name.startswith("test_") and path.suffix in (".c", ".py", ".sh")):
            text = path.read_text()
            below = "".join(p.read_text() for name in re.findall(r'^#include "([^"]+)"', text, re.M) if (p := path.parent / name).is_file())
            if LONGER.search(text + below) or LIMIT.search(text[:3000]):
                yield str(path.relative_to(root))


def units(root=ROOT, listed=None):
    """All, sorted."""
    listed = manifest.load() if listed is None else listed
    marked = {case.split("::")[0] for case, (_, skip) in listed.items() if skip == manifest.NIGHTLY}
    files = marked | set(longer_files(root))
    return sorted(Unit(f, n + 1, SLICES.get(f, 1)) for f in files for n in range(SLICES.get(f, 1)))


def depends(unit, root=ROOT):
    """Patterns, as git knows them, of the files that its result depends on."""
    folder = str(pathlib.Path(unit.file).parent)
    path = root / unit.file
    if path.name == "tb.cpp":
        words = bench_files.sources(path)
        others = re.findall(r'^#include "(\.\./[^"]+)"', path.read_text(), re.M)  # another bench's text
        near = sorted({str((path.parent / o).resolve().parent.relative_to(root.resolve())) for o in others})
        included = ["rtl/common/*.svh", *sorted({f"{pathlib.Path(w).parent}/*.svh" for w in words if w.startswith("rtl/")})]
        library = ["host", "bridge", PARAMS] if mutation.head_lines(path, "lib") else []
        return [folder, *near, *(w for w in words if not w.startswith("build/")), *included, *library, *BUILD]
    also = [p for place, patterns in ALSO.items() if (unit.file + "/").startswith(place + "/") for p in patterns]
    return [folder, *also, *CODE]


def constants(root=ROOT):
    """The rows of the parameters that have a SystemVerilog constant, as text."""
    rows = (line.split("|") for line in (root / PARAMS).read_text().splitlines() if line and line[0] != "#")
    return "".join("|".join(row) + "\n" for row in rows if len(row) > 6 and row[6].strip() not in ("", "-"))


def index(root=ROOT):
    """{path: id of its content} of all files that git has."""
    out = subprocess.run(["git", "-C", root, "ls-files", "-s", "-z"], capture_output=True, text=True, check=True).stdout
    return {path: head.split()[1] for head, path in (line.split("\t", 1) for line in out.split("\0") if line)}


def key(unit, files, root=ROOT):
    """16 hexadecimal digits over name and content of what the unit depends on; files: of index()."""
    tests = [re.compile("/".join(".*" if w == "**" else re.escape(w).replace(r"\*", "[^/]*") for w in p.split("/")) + "(/.*)?") for p in depends(unit, root)]
    leave = [re.compile(re.escape(p) + "(/.*)?") for p in NOT]
    found = hashlib.sha256(constants(root).encode())
    for path, content in sorted(files.items()):
        if any(t.fullmatch(path) for t in tests) and not any(t.fullmatch(path) for t in leave):
            found.update(f"{path}\t{content}\n".encode())
    return found.hexdigest()[:16]


def check_sum(words):
    return hashlib.sha256("\t".join(words).encode()).hexdigest()[:8]


def load(file=FILE):
    """{unit's text: Record}; a line that was changed by hand is none."""
    records = {}
    for line in file.read_text().splitlines() if file.exists() else []:
        *words, total = line.split("\t")
        if not line.startswith("#") and len(words) == 6 and total == check_sum(words):
            unit, number, commit, date, result, seconds = words
            records[unit] = Record(number, commit, date, result, int(seconds))
    return records


def save(records, file=FILE):
    """Whole or not at all."""
    lines = []
    for unit, r in sorted(records.items()):
        words = [unit, r.key, r.commit, r.date, r.result, str(r.seconds)]
        lines.append("\t".join([*words, check_sum(words)]) + "\n")
    part = file.with_suffix(".part")
    part.write_text(HEAD + "".join(lines))
    part.replace(file)


def parts(all_units, records, count):
    """The units, sorted, cut into `count` runs of about equal seconds, by the records."""
    seconds = [records[str(u)].seconds if str(u) in records else ASSUMED for u in all_units]
    total, at, result = sum(seconds), 0, [[] for _ in range(count)]
    for unit, took in zip(all_units, seconds):
        result[min(count - 1, int((at + took / 2) * count / total))].append(unit)
        at += took
    return result
