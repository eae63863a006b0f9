# SPDX-License-Identifier: Apache-2.0
"""Assertions of the RTL (rtl/common/gantry_assert.svh): every stream of a partition's top has its rule and every credit its bound, in
one section at the module's end; every module with state says something about it."""
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from builder import rtl_sources  # noqa: E402

USE = re.compile(r"`(?:GANTRY_ASSERT|GANTRY_CHECK|STREAM_ASSERT|STREAM_BOUND)\(|\bassert\b|\bstream_bounds\b")

# Modules with state that need none, and why.
WITHOUT = {
    "board_pick": "a byte, and the number of the next: who asks has the rule (board_sender)",
    "board_slot": "a message, or bytes of two: any value is legal",
    "board_usb": "two registers of a reset",
    "ram_1r1w": "words, and the one last read: any value is legal",
    "ram_2r1w": "as ram_1r1w",
    "ram_2r1w_banked": "as ram_1r1w",
}

TOPS = sorted((ROOT / "rtl").rglob("part_*.sv"))


def text(path):
    return rtl_sources.strip(path.read_text())


def whole(path):
    """With the texts that it includes, but for the macros themselves."""
    return "".join(text(p) for p in [path, *rtl_sources.included(path)] if p.name != "gantry_assert.svh")


def words(found):
    return {word for groups in found for text in groups for word in re.findall(r"\w+", text)}


@pytest.mark.parametrize("path", TOPS, ids=lambda p: p.stem)
def test_streams_of_a_top(path):
    module = text(path)
    ports = module[:module.index(");")]
    streams = {name for name in re.findall(r"\b(\w+_valid_[io])\b", ports) if not name.startswith("obs_")}
    credits = set(re.findall(r"\b(\w+_credit_[io])\b", ports))
    assert streams, path
    rules = re.findall(r"`STREAM_ASSERT\(\w+, ([^,]*),|`GANTRY_CHECK\(\w+, `GANTRY_IMPL\((\w+)\[n\],", module)
    bounds = re.findall(r"`STREAM_BOUND\((.*)|\bstream_bounds\b[^;]*?(\.push_i[^;]*);", module)
    assert streams - words(rules) == set()
    assert credits - words(bounds) == set()


def test_a_section_at_the_end():
    """Nothing but assertions behind the label; it stands once."""
    for path in TOPS:
        module = path.read_text()
        assert module.count("// ---- assertions") == 1, path
        assert USE.search(module[:module.index("// ---- assertions")]) is None, path


def test_modules_with_state():
    """Exactly those of the table have no assertion."""
    files = {name: rtl_sources.defined()[name][1] for name in rtl_sources.modules()}
    state = {name for name, path in files.items() if re.search(r"\balways_(ff|latch)\b|\balways\s*@", whole(path))}
    assert len(state) > 40
    silent = {name for name in state if not USE.search(whole(files[name]))}
    assert silent == set(WITHOUT) and all(WITHOUT.values())
