# SPDX-License-Identifier: Apache-2.0
"""B.12: small blocks carry proofs (the resource pool: S3.6, S3.7, S3.10): bounded and unbounded, a reached cover each, and
three seeded faults each that are refuted (one in `make test`).  Not responsible for: what is proved (tests/formal/<block>_fv.sv)."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "sw/tools"))
from verify import formal  # noqa: E402

SHOWS = {"dispatch_pool": ["S3.6", "S3.7", "S3.10"], "dispatch_walk": ["S3.8", "S3.9", "S3.10"],
         "control_agent": ["S1.23"], "vmem_xlat": ["S1.2"]}  # beside B.12
BUGS = 1  # of each block that `make test` plants, to see that the proof can fail at all (as tests/conftest.py has it of benches)


def marks(block, tasks, name):
    bugs = [other for other, task in tasks.items() if other.startswith("bug") and not task.nightly]
    yield pytest.mark.shows("B.12", *SHOWS.get(block, []))
    if tasks[name].nightly:
        yield pytest.mark.nightly
    elif name in bugs[BUGS:]:
        yield pytest.mark.nightly("seeded")


TASKS = [pytest.param(block, name, marks=list(marks(block, tasks, name)), id=f"{block}-{name}") for block, tasks in formal.BLOCKS.items() for name in tasks]


@pytest.mark.parametrize("block, name", TASKS)
def test_formal(block, name):
    ok, result, _ = formal.run(block, name)
    assert ok, result
