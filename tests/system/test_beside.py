# SPDX-License-Identifier: Apache-2.0
"""Kernels of several queues on the whole machine (S3.1, S3.8, S3.9, S3.11): one that is launched while another is being dispatched has its first group placed within
the time of a launch, whatever that one's size; wavefronts of several kernels on one SIMD compute what each computes alone."""
import csv

import pytest
from live import built, gantry_run

LAUNCH = 2920  # cycles of an empty kernel, from the doorbell to the signal (S3.4)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    out = tmp_path_factory.mktemp("beside") / "out"
    result = gantry_run([built("beside")], "rtl", 1, ["-o", out])
    assert result.status == 0 and "beside: PASSED, 0 wrong" in result.out, result
    with open(out / "kernels.csv", newline="") as file:
        return [{k: int(v) if v.lstrip("-").isdigit() else v for k, v in row.items()} for row in csv.DictReader(file)]


def named(rows, name):
    return [row for row in rows if name in row["kernel"]]


@pytest.mark.shows("S3.9")
def test_the_second_kernel_does_not_wait(rows):
    many, single = named(rows, "many")[-1], named(rows, "single")[-1]
    assert many["wavefronts"] == 3000 and many["end"] - many["start"] > 4 * 3000 - LAUNCH
    assert 0 < single["start"] - many["start"] < LAUNCH
    assert single["end"] < many["end"] - LAUNCH


@pytest.mark.shows("S3.9")
def test_rows_tell_the_dispatcher_and_who_ran_beside(rows):
    many, single = named(rows, "many")[-1], named(rows, "single")[-1]
    assert many["dispatcher"] != single["dispatcher"]
    assert many["beside"] == single["beside"] == 1
    assert named(rows, "many")[0]["dispatcher"] >= 0


@pytest.mark.shows("S3.11")
def test_three_kernels_at_a_time(rows):
    three = named(rows, "mixed")
    assert len(three) == 3 and max(row["start"] for row in three) < min(row["end"] for row in three)
    assert {row["beside"] for row in three} == {2}
    assert len({row["instructions"] for row in three}) == 1


@pytest.mark.parametrize("kind", ["same", "high"])
@pytest.mark.shows("S3.8", "S3.9")
def test_priority_of_a_stream(kind):
    """Two kernels of 200 groups, for 40 of which there is room.  In streams of one priority they share what is freed and end together; in one of greater
    priority the second has its first group placed at once, and every place after that, until it has no more groups."""
    result = gantry_run([built("priority"), kind], "rtl", 1)
    assert result.status == 0 and "priority: PASSED, 0 wrong" in result.out, result
    (behind,), (urgent,) = ([row for row in result.kernels if name in row["kernel"] and row["groups"] == "200"] for name in ("behind", "urgent"))
    assert 0 < int(urgent["start"]) - int(behind["start"]) < LAUNCH
    ahead = int(behind["end"]) - int(urgent["end"])
    assert ahead > 3000 if kind == "high" else abs(ahead) < 1500, (behind, urgent)
