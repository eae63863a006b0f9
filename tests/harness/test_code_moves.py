# SPDX-License-Identifier: Apache-2.0
"""A file of rtl/ can be moved to another folder, at any depth, and nothing of the tests has to be edited: benches and proofs find their sources, seeded
faults and planted patches their text.  Not responsible for: docs/map.md, which names files for readers."""
import json
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of a block with many benches, a package, an included text, a top with a box of its own.
MOVED = {"rtl/l2/l2_slice.sv": "rtl/l2/deep/slice/l2_slice.sv", "rtl/rdma/rdma.sv": "rtl/far/rdma.sv", "rtl/common/pick_pkg.sv": "rtl/pick/pick_pkg.sv",
         "rtl/cu/vmem/cu_vmem_lines.svh": "rtl/cu/cu_vmem_lines.svh", "rtl/utcl2/utcl2_tlb.sv": "rtl/tlb/utcl2_tlb.sv", "rtl/l2/part_l2.sv": "rtl/gpu/part_l2.sv"}
ASK = """
import json, pathlib, sys
root = pathlib.Path(sys.argv[1])
sys.path[:0] = [str(root / "sw/tools"), str(root / "tests/rtl/memory/drf")]
from verify import bench_files
from verify import formal
from faults import mutation
from verify import planted
from builder import rtl_sources
told = {"switches": rtl_sources.include_switches()}
for bench in sorted((root / "tests/rtl").rglob("tb.cpp")):
    name, sources = str(bench.relative_to(root)), bench_files.sources(bench)
    told[name] = sources
    told[name + " faults"] = [mutation.source_of(sources, *mutation.parse(text)[:2]) for text in mutation.head_lines(bench, "mutate")]
told |= {block: formal.files_of(block) for block in formal.BLOCKS}
told |= {f"{patch.name} applies": planted.apply(root, patch, "--check") for patch in planted.patches()}
print(json.dumps(told))
"""


def asked(root):
    done = subprocess.run([sys.executable, "-c", ASK, root], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("moved", [{}, MOVED], ids=["copied", "moved"])
def test_nothing_of_the_tests_is_edited(tmp_path, moved):
    for part in ("rtl", "host", "bridge", "fpga", "sw", "tests", "build/gen"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    for old, new in moved.items():
        (tmp_path / new).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / old).rename(tmp_path / new)
    here, there = asked(ROOT), asked(tmp_path)
    switches = there.pop("switches")
    assert {f"-I{pathlib.Path(new).parent}" for new in moved.values() if new.endswith(".svh")} <= set(switches) and set(here.pop("switches")) <= set(switches)
    assert len(there) > 500 and not [name for name, said in there.items() if name.endswith(" applies") and said]
    for name, files in here.items():
        if isinstance(files, list):
            assert sorted(moved.get(f, f) for f in files) == sorted(there[name]), name
    assert all(any(new in there[name] for name in there if isinstance(there[name], list)) for new in moved.values())
