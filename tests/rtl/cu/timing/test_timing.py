# SPDX-License-Identifier: Apache-2.0
"""Every class of instructions costs what classes.tsv says (C.4), and docs/reference/cu.md shows that table."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import microbench  # noqa: E402


@pytest.mark.shows("C.4")
def test_costs():
    table = microbench.read_table()
    measured = microbench.measure(table)
    now = {line["class"]: [microbench.number(v) for v in measured[line["class"]]] for line in table}
    assert now == {line["class"]: [line[c] for c in microbench.MEASURED] for line in table}


# What the keys' smallest values leave is what the pipelines take themselves; costs other than the default.  A short way to the L2, since stores wait there in 64 places.
SMALLEST = {"gpu.cu.lds_latency": 28, "gpu.sqc.hit_latency": 36, "gpu.cu.time_latency": 32, "gpu.l1v.hit_latency": 48, "gpu.cu.vmem_lanes": 16,
            "link.cu_noc": 8, "gpu.cu.quarter_cost": 7, "gpu.cu.trans_cost": 6}
LATENCIES = {"LDS read, 1 dword": 28, "scalar load, 1 dword, hit": 36, "time": 32, "vector load, 1 dword, L1 hit": 48,
             "f32 FMA": 28, "32-bit integer multiply": 28, "division helper": 28, "sums of absolute differences, 128 bit": 56, "transcendental": 24}
RATES = {"vector load, 2 dwords, L1 hit": (8, 10), "vector store, 1 dword": (8, 10)}  # of a CU, least and most


@pytest.mark.nightly  # another model of the compute unit
@pytest.mark.shows("C.4")
def test_keys_reach_the_pipelines():
    table = [line for line in microbench.read_table() if line["class"] in LATENCIES or line["class"] in RATES]
    measured = microbench.measure(table, options=[f"--set={key}={value}" for key, value in SMALLEST.items()])
    assert {name: measured[name][2] for name in LATENCIES} == LATENCIES
    for name, (least, most) in RATES.items():
        assert least <= measured[name][1] <= most, (name, measured[name])


@pytest.mark.parametrize("between", range(5))
def test_masks_cost_no_turn(between):
    """A compare, others, and the select that reads VCC follow each other in 4 cycles."""
    line = next(dict(line) for line in microbench.read_table() if line["class"] == "compare to VCC, then select")
    line["dependency"] = line["dependency"].replace("; ", "; " + "v_mov_b32 v11, v6; " * between)
    assert microbench.measure([line])[line["class"]][2] == 8 + 4 * between


def test_page_shows_the_table():
    assert microbench.BEGIN + microbench.page_table(microbench.read_table()) + microbench.END in microbench.PAGE.read_text()


def test_a_cost_that_differs_is_seen():
    table = [dict(line) for line in microbench.read_table() if line["class"] == "scalar ALU"]
    table[0]["dependency"] += "; s_nop 0"
    assert microbench.measure(table)["scalar ALU"][2] == 2 * microbench.measure([dict(table[0], dependency="s_nop 0")])["scalar ALU"][2]
