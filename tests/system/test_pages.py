# SPDX-License-Identifier: Apache-2.0
"""Programs of sw/apps/pages (`make migration`), with the sizes for tests of sizes.tsv: each compares its result with the CPU's.  By day on golden GPUs; nightly
under each policy on two RTL GPUs, with `data` of the golden model, and a batch of moves against the same pages one by one."""
import csv
import functools
import re
import subprocess
import sys

import pytest
from live import APPS, GANTRY, LIMIT, ROOT, Result

sys.path.insert(0, str(ROOT / "sw/tools"))
from speed import migration  # noqa: E402
from speed import migration_moves  # noqa: E402

SIZES = migration.sizes()
POLICIES = ("first-touch", "threshold", "periodic", "benefit", "adaptive")


@functools.cache
def built(program):
    done = subprocess.run(["make", "-s", f"build/apps/{program}"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return APPS / program


def words(workload):
    row = SIZES[workload]
    return [built(row["program"]), workload.rstrip("0123456789"), row["test_size"], row["test_rounds"]]


def run(workload, gpus, *options, status=0):
    done = subprocess.run([GANTRY, "run", "-c", "tiny", "--set", f"system.gpus={gpus}", *options, "--", *words(workload)], cwd=ROOT, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    result = Result(done.returncode, done.stdout, done.stderr, 0)
    assert done.returncode == status, result
    assert status or re.search(rf"^{workload.rstrip('0123456789')}: PASSED: [1-9]", done.stdout, re.M), result
    return result


def golden(workload, gpus=2):
    return run(workload, gpus, "--model", "golden")


def test_ten_workloads():
    assert set(migration.TEN) | set(migration.REUSE) == set(SIZES) and len(migration.TEN) == 10


@pytest.mark.parametrize("workload, gpus", [*((w, 2) for w in migration.TEN), ("reuse16", 2), ("reuse4", 1), ("pipeline", 4), ("stencil", 3)])
def test_golden(workload, gpus):
    done = golden(workload, gpus)
    used = {row for row in re.findall(r"^ *(\d+) +\d+ +(?!fill|rocr)\w+ +\d+ +\d+,", done.err, re.M)}
    assert len(used) == (1 if "reuse" in workload else gpus), done  # each GPU has had its part


def test_unknown_kind():
    program = built("pages_tables")
    done = subprocess.run([GANTRY, "run", "-c", "tiny", "--model", "golden", "--", program, "chair"], cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 2 and "KIND is one of table, join" in done.stderr


@pytest.mark.nightly
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("workload", [*migration.TEN, "reuse16"])
def test_every_policy(workload, policy):
    """`tiny` is slow beside its links, so pages of 4 KiB, a short period and a low threshold make them move within some 100,000 cycles."""
    keys = ("migrate.page=4K", "migrate.period=2000", "migrate.threshold=2", f"migrate.policy={policy}",
            *(["migrate.map=lazy", "migrate.fault_cycles=100"] if policy == "adaptive" else []))
    done = run(workload, 2, "-v", *[word for key in keys for word in ("--set", key)])
    assert done.line["data"] == golden(workload).line["data"]
    assert int(re.search(r"^gantry: migration: .* pages=(\d+) ", done.err, re.M)[1]) > 0 or policy == "benefit", done


@pytest.mark.shows("S1.16")
def test_batch_against_one_by_one(tmp_path):
    def gantry(name, told):
        done = subprocess.run([GANTRY, told[0], "-o", tmp_path / "runs" / name, *told[1:]], cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
        assert done.returncode == 0, done.stderr
        return done.stderr
    subprocess.run(["make", "-s", "build/kernels/bench_reread.v5.co"], cwd=ROOT, check=True)
    (tmp_path / "runs").mkdir()
    batch, apart = (migration_moves.run(gantry, tmp_path, name, *case, config="demo") for name, *case in migration_moves.cases()["batch"])
    assert batch["moves"] == apart["moves"] == migration_moves.PAGES and batch["data"] == apart["data"]
    assert batch["overhead"] <= 0.4 * apart["overhead"]
    assert apart["overhead"] > 300 * migration_moves.PAGES  # each had a lock and a write-back of its own
