# SPDX-License-Identifier: Apache-2.0
"""gantry.core, the manifest of the GPU for foreign tools: it lists what rtl/gpu/gpu.sv needs, and gpu.sv elaborates through it
(lint.verilator takes its list; tests/rtl/test_lint.py runs it over the file as it is)."""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from gen import gen_core  # noqa: E402
from check import lint  # noqa: E402


@pytest.fixture
def other(tmp_path, monkeypatch):
    """A function that puts another text in the place of the manifest."""
    def put(change):
        path = tmp_path / "gantry.core"
        text = change(gen_core.CORE.read_text())
        assert text != gen_core.CORE.read_text()
        path.write_text(text)
        monkeypatch.setattr(gen_core, "CORE", path)
    return put


def test_the_manifest_is_what_the_top_needs():
    assert gen_core.findings() == []
    folders, sources = gen_core.listed()
    assert "rtl/common" in folders and sources[-1] == "rtl/gpu/gpu.sv" and "rtl/cu/part_cu.sv" in sources
    done = subprocess.run([sys.executable, "sw/tools/gen/gen_core.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "core: 0 findings")


CHANGES = {
    "missing": (lambda t: t.replace("      - rtl/noc/noc_xbar.sv\n", ""), "gantry.core: rtl/noc/noc_xbar.sv is missing"),
    "superfluous": (lambda t: t.replace("      - rtl/noc/noc_xbar.sv\n", "      - rtl/noc/noc_xbar.sv\n      - rtl/common/latency_floor_no.sv\n"),
                    "gantry.core: rtl/common/latency_floor_no.sv is not needed"),
    "headers": (lambda t: t.replace("      - rtl/common/gantry_assert.svh: {is_include_file: true}\n", ""), "gantry.core: no headers of rtl/common"),
    "another top": (lambda t: t.replace("toplevel: gpu", "toplevel: cu"), "gantry.core: not as sw/tools/gen/gen_core.py writes it"),
    "no core": (lambda t: t[1:], "gantry.core: is no core file"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_wrong_in_it_is_told(other, name):
    change, want = CHANGES[name]
    other(change)
    assert [f.startswith(want) for f in gen_core.findings()] == [True]


def test_the_top_is_read_through_the_list(other):
    """Without one of its files the GPU does not elaborate."""
    other(lambda t: t.replace("      - rtl/noc/noc_xbar.sv\n", ""))
    assert any("noc_xbar" in line for line in lint.verilator("gpu"))
