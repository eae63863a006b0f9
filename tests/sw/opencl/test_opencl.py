# SPDX-License-Identifier: Apache-2.0
"""OpenCL C builtins compiled by stock clang against MPFR and plain arithmetic (C.2), on the golden model and on the RTL in lock step.

`make test`: all functions in some vector widths; `make nightly`: all functions in all widths, more arguments, other seeds.
Known defects of the device library are listed in math_table.py and plain_table.py; nightly they must be seen where the arguments
are bound to show them, so that an update of the library is noticed.
"""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import atomics  # noqa: E402
import campaign  # noqa: E402
import exact  # noqa: E402
import geometric  # noqa: E402
import math_table  # noqa: E402
import plain  # noqa: E402
import plain_table  # noqa: E402

BOTH = ["golden", "lockstep"]
WIDTHS = {"float": (3,), "double": (1,), "half": (2,), "rounded": (1, 4), "quick": (4,), "relaxed": (1, 2)}


def check_floats(family, results):
    scalar = campaign.FLOAT_FAMILIES[family][1]
    bad = [f"{row.name}: {worst:.4g} of {row.limits[campaign.FLOATS.index(scalar)]}, {failed} elements, first:{text}"
           for row, worst, failed, text in results if failed and (row.name, scalar) not in math_table.LIBRARY]
    assert not bad, "\n".join(bad)
    assert len(results) == sum(len(b) for b in campaign.float_batches(campaign.FLOAT_FAMILIES[family][0], scalar, 99))


@pytest.mark.parametrize("family", campaign.FLOAT_FAMILIES)
@pytest.mark.shows("C.2")
def test_math(family):
    check_floats(family, campaign.float_family(family, 64, BOTH, WIDTHS[family], "t"))


@pytest.mark.nightly
@pytest.mark.parametrize("model, items", [("golden", 256), ("lockstep", 64)])
@pytest.mark.parametrize("family", campaign.FLOAT_FAMILIES)
@pytest.mark.shows("C.2")
def test_math_all(family, model, items):
    check_floats(family, campaign.float_family(family, items, [model]))


@pytest.mark.nightly
@pytest.mark.shows("C.2")
def test_every_half():
    """All 65,536 arguments of the functions of one half."""
    rows = [r for r in math_table.MATH if r.args == "f" and r.limits[2] != math_table.REPORT]
    found = set()
    for n in range(0, len(rows), 18):
        results = campaign.float_batch(f"every_half{n}", rows[n:n + 18], "half", 0x4000, ["golden"], widths=(4,), every=True)
        found |= {row.name: text for row, _, failed, text in results if failed}.items()
    assert {name for name, _ in found} == {row.name for row in rows if (row.name, "half") in math_table.LIBRARY}, found


def check_plain(results, complete):
    bad = [f"{row.name}: {text}" for row, text in results if text and row.name not in plain_table.LIBRARY]
    assert results and not bad, "\n".join(bad)
    if complete:
        assert {row.name for row, text in results if text} == {row.name for row, _ in results if row.name in plain_table.LIBRARY}


@pytest.mark.parametrize("family, widths, every", [("integer", (1, 3), 3), ("relational", (2,), 1), ("conversion", (1, 4), 8)])
@pytest.mark.shows("C.2")
def test_plain(family, widths, every):
    check_plain(plain.family(family, 64, BOTH, widths, "t", every), False)


@pytest.mark.nightly
@pytest.mark.parametrize("model, items", [("golden", 128), ("lockstep", 64)])
@pytest.mark.parametrize("family", plain.FAMILIES)
def test_plain_all(family, model, items):
    check_plain(plain.family(family, items, [model], seed=items), True)


@pytest.mark.parametrize("scalar, widths", [("float", (3,)), ("double", (4,)), ("half", (2,))])
def test_geometric(scalar, widths):
    results = geometric.family(scalar, 64, BOTH, widths)
    assert results and not [r for r in results if r[3]]


@pytest.mark.nightly
@pytest.mark.parametrize("scalar", exact.FLOATS)
def test_geometric_all(scalar):
    results = geometric.family(scalar, 256, BOTH)
    assert results and not [r for r in results if r[3]]


@pytest.mark.parametrize("model", BOTH)
@pytest.mark.parametrize("scalar", atomics.TYPES)
def test_atomics(scalar, model):
    assert [r for r in atomics.run(scalar, model) if r[1]] == []


def test_atomics_check_can_fail():
    """A lost update and two equal old values are not explained by any order."""
    assert atomics.explained(0, 3, [(0, 1), (1, 2), (2, 3)])
    assert not atomics.explained(0, 2, [(0, 1), (0, 1), (1, 2)])
    assert not atomics.explained(0, 1, [(0, 1), (5, 6), (6, 5)])


def test_oracle_can_fail(tmp_path):
    """One unit beyond the limit, a wrong NaN and the wrong zero are noticed; so is a wrong bit of an exact function."""
    import struct
    import subprocess
    (tmp_path / "in").write_bytes(struct.pack("<3f", 1.0, -0.0, 4.0))
    (tmp_path / "out").write_bytes(struct.pack("<3I", 0x3F800006, 0, 0x7FC00000))
    (tmp_path / "jobs").write_text("exp2 exp2 f f 3 1 0 f 0\nsin sin f f 4 1 4 f 4\nsqrt sqrt f f 0 1 8 f 8\nfabs fabs f f 0 1 4 f 4\nfma fma f f 0 1 0 fff 0 0 0\n")
    done = subprocess.run([campaign.oracle(), tmp_path / "jobs", tmp_path / "in", tmp_path / "out"], capture_output=True, text=True, check=True)
    assert [line.split()[2] for line in done.stdout.splitlines()] == ["1", "1", "1", "0", "1"], done.stdout
