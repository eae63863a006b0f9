# SPDX-License-Identifier: Apache-2.0
"""Queues that share hardware queue slots, engines, CUs and scratch memory, with the stock runtime: whatever is configured, results are the same."""
import contextlib
import re
import sqlite3

import pytest
from live import built, gantry_run


@pytest.mark.parametrize("slots", [24, 2, 1])
@pytest.mark.shows("S0.10", "S0.15")
def test_queues_take_turns(apps, model, slots):
    """Forty queues on 24, 2, 1 slots, each waiting for a packet of the next one."""
    result = gantry_run([apps / "hsa_queue", "turns"], model, 1, ["--set", f"cp.queues={slots}"])
    assert result.status == 0 and "hsa_queue turns: PASSED" in result.out, result
    assert result.line["repeatable"] == "yes", result


def test_kernels_of_one_slot_follow_each_other():
    """The program of test_beside.py, whose kernels of several streams overlap: with one slot none do, and all compute the same."""
    one, many = (gantry_run([built("beside")], "rtl", 1, ["--set", f"cp.queues={slots}", "--set", "cp.quantum=5000"]) for slots in (1, 24))
    for result in (one, many):
        assert result.status == 0 and "beside: PASSED, 0 wrong" in result.out, result
    assert {row["beside"] for row in one.kernels} == {"0"} and "1" in {row["beside"] for row in many.kernels}
    assert one.line["data"] == many.line["data"]


@pytest.mark.shows("S0.2")
def test_engines_only_cost_time(apps, model):
    one, four = (gantry_run([apps / "hsa_queue", "many"], model, 1, ["--set", f"cp.engines={engines}"]) for engines in (1, 4))
    for result in (one, four):
        assert result.status == 0 and "hsa_queue many: PASSED" in result.out, result
    if model == "rtl":
        assert int(four.line["cycles"]) < int(one.line["cycles"])


def placed(tmp_path, processes, *options):
    """Wavefronts of each CU, and those of each process and of each queue, of processes that run `spaces`."""
    program, cus = built("spaces"), [0] * 4
    tmp_path.mkdir(exist_ok=True)
    start = "; ".join(f"{program} {n} &" for n in range(processes)).replace("&;", "&")
    options = [part for option in options for part in ("--set", option)]
    result = gantry_run(["sh", "-c", f"{start} wait"], "rtl", 1, [*options, "-o", tmp_path / "out"])
    assert result.status == 0 and result.out.count("PASSED, 0 wrong") == processes, result
    with contextlib.closing(sqlite3.connect(tmp_path / "out/metrics.sqlite")) as db:
        for n in range(4):
            (cus[n],) = db.execute("select value from metrics where location = ? and what = 'wavefronts'", (f"gpu0.cu{n}",)).fetchone()
        by = {what: dict(db.execute(f"select {what}, sum(wavefronts) from kernels group by {what}")) for what in ("process", "queue")}
        kernel = dict(db.execute("select location, sum(value) from kernel_metrics m join kernels k on m.kernel = k.rowid where what = 'wavefronts' and "
                                 "location like 'gpu0.cu_' and k.kernel like '%works%' group by location"))
    return cus, by, [kernel.get(f"gpu0.cu{n}", 0) for n in range(4)]


@pytest.mark.shows("S3.11")
def test_each_process_has_its_part(tmp_path):
    """A process alone leaves the other half of the CUs empty; of two each half has one, whose kernels have had together what it has seen."""
    cus, by, _ = placed(tmp_path / "one", 1, "gpu.dispatch.partition=process")
    assert sorted([cus[0] + cus[1], cus[2] + cus[3]]) == [0, sum(by["process"].values())]
    cus, by, _ = placed(tmp_path / "two", 2, "gpu.dispatch.partition=process")
    assert sorted([cus[0] + cus[1], cus[2] + cus[3]]) == sorted(by["process"].values()) and min(cus) > 0


@pytest.mark.shows("S3.11")
def test_each_queue_has_its_part(tmp_path):
    """A process whose kernels come by two queues, of even and of odd number: each on its half."""
    cus, by, _ = placed(tmp_path, 1, "gpu.dispatch.partition=queue")
    even = sum(waves for queue, waves in by["queue"].items() if queue % 2 == 0)
    assert [cus[0] + cus[1], cus[2] + cus[3]] == [even, sum(by["queue"].values()) - even] and min(cus) > 0


@pytest.mark.parametrize("place, kernel", [("round", [16, 16, 16, 16]), ("fill", [40, 24, 0, 0])])
@pytest.mark.shows("S3.6")
def test_groups_are_spread_or_fill_a_cu(tmp_path, place, kernel):
    """Sixteen groups of four wavefronts that all live at once, on CUs of 40."""
    assert placed(tmp_path, 1, f"gpu.dispatch.place={place}", "metrics.kernels=on")[2] == kernel


def test_large_scratch_memory_is_taken_back(model):
    """More than 140 MiB for the places of 4 CUs: the runtime gives it for one kernel and takes it back, on two streams by turns."""
    result = gantry_run([built("large_scratch")], model, 1, ["-v"])
    assert result.status == 0 and "large_scratch: PASSED, 0 wrong" in result.out, result
    taken = re.findall(r"queue (\d+): scratch memory is to be taken back", result.err)
    assert len(taken) == 6 and len(set(taken)) == 2, result
    assert len(re.findall(r"scratch memory is asked for", result.err)) >= 12, result
