# SPDX-License-Identifier: Apache-2.0
"""The requests that the unmodified user space of a release makes of the driver for one program, and their answers, are those of ioctls.tsv, in its order (S0.7): on
both models, for the driver is the same.  Left out is SET_EVENT, by which one thread of the run-time wakes another: between threads there is no order.  Another version of the user space, or a driver that answers otherwise, shows here first; `build/venv/bin/python
tests/system/test_ioctls.py` writes the rows of this release anew."""
import itertools
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "sw/tools")]
from builder import release  # noqa: E402
from live import APPS, GANTRY, MODELS, ROOT  # noqa: E402

TABLE = HERE / "ioctls.tsv"


def trace(model):
    """[(times, request and answer)] of a run."""
    done = subprocess.run([GANTRY, "run", "-c", "tiny", "--model", model, "-v", "-v", "-q", "--", APPS / "vecadd"], cwd=ROOT, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=600)
    assert done.returncode == 0 and "vecadd: PASSED" in done.stdout, done.stderr[-3000:]
    seen = re.findall(r"^\d+ driver debug client 0: ([A-Z_0-9]+: .*)$", done.stderr, re.M)
    return [(len(list(group)), text) for text, group in itertools.groupby(text for text in seen if not text.startswith("SET_EVENT:"))]


def kept(of):
    """The rows of a release."""
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return [(int(times), text) for name, times, text in rows if name == of]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.shows("S0.7")
def test_requests_and_answers(model):
    want, got = kept(release.name()), trace(model)
    assert len(want) > 50
    at = next((n for n, (a, b) in enumerate(itertools.zip_longest(want, got)) if a != b), None)
    assert at is None, f"request {at + 1}: {got[at:at + 3]}, in ioctls.tsv {want[at:at + 3]}"


def test_both_releases_are_there():
    """Each opens the driver, gets memory, a queue and events, and closes what it has: the table is of whole runs."""
    for name in ("12", "13"):
        words = [text.split(":")[0] for _, text in kept(name)]
        assert words[0] == "GET_VERSION" and {"ACQUIRE_VM", "ALLOC_MEMORY_OF_GPU", "MAP_MEMORY_TO_GPU", "CREATE_QUEUE", "CREATE_EVENT"} <= set(words)


def write():
    rows = [line for line in TABLE.read_text().splitlines(keepends=True) if line.split("\t")[0] != release.name()]
    rows += [f"{release.name()}\t{times}\t{text}\n" for times, text in trace("golden")]
    TABLE.write_text("".join(rows[:1] + sorted(rows[1:], key=lambda row: row.split("\t")[0])))


if __name__ == "__main__":
    write()
