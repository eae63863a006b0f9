# SPDX-License-Identifier: Apache-2.0
"""Assertions of the partitions' tops: in CHECKED, every stream has its rule and every credit its bound (rtl/common/gantry_assert.svh), in
one section at the module's end."""
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
import rtl_sources  # noqa: E402

CHECKED = ["part_sqc", "part_utcl2"]  # the other tops have none yet
TOPS = [ROOT / f"rtl/gpu/{name}.sv" for name in CHECKED]
USE = re.compile(r"`(?:GANTRY_ASSERT|STREAM_ASSERT|STREAM_BOUND)\(|\bassert\b")


def text(path):
    return rtl_sources.strip(path.read_text())


@pytest.mark.parametrize("path", TOPS, ids=lambda p: p.stem)
def test_streams_of_a_top(path):
    module = text(path)
    ports = module[:module.index(");")]
    streams = {name for name in re.findall(r"\b(\w+_valid_[io])\b", ports) if not name.startswith("obs_")}
    credits = set(re.findall(r"\b(\w+_credit_[io])\b", ports))
    assert streams, path
    uses = re.findall(r"`(STREAM_ASSERT|STREAM_BOUND)\((.*)", module)
    assert streams - {w for kind, use in uses if kind == "STREAM_ASSERT" for w in re.findall(r"\w+", use)} == set()
    assert credits - {w for kind, use in uses if kind == "STREAM_BOUND" for w in re.findall(r"\w+", use)} == set()


def test_a_section_at_the_end():
    """Nothing but assertions behind the label; it stands once."""
    for path in TOPS:
        module = path.read_text()
        assert module.count("// ---- assertions") == 1, path
        assert USE.search(module[:module.index("// ---- assertions")]) is None, path
