# SPDX-License-Identifier: Apache-2.0
"""sw/tools/gen/gen_counters.py: RTL has the counters that people see, each at its number; what cannot be told apart is refused."""
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from gen import gen_counters  # noqa: E402
from gen import gen_wrappers  # noqa: E402


def test_each_counter_has_its_number():
    """Held against the file itself: position in the list, and the bit of the struct of pulses, whose first field is the highest."""
    text = gen_counters.text()
    numbers = {name: int(n) for name, n in re.findall(r"(\w+) = 8'd(\d+)", text)}
    kinds = {kind: entry["counters"] for kind, entry in yaml.safe_load((ROOT / "bridge/verilated/partitions.yaml").read_text()).items() if entry.get("counters")}
    assert len(kinds) == 7
    for kind, names in kinds.items():
        plain = [name.split(" [")[0].replace(".", "_").replace("-", "_") for name in names]
        assert [numbers[f"{kind}_{name}".upper()] for name in plain] == list(range(len(names)))
        fields = re.search(rf"struct packed {{([^}}]*)}} {kind}_pulse_t", text)[1]
        assert re.findall(r"logic (\w+);", fields)[::-1] == plain
    assert (numbers["L2_DRAM_ROW_HIT"], numbers["UTCL2_WITHHELD"], numbers["PERF_ID"]) == (11, 6, 253)


@pytest.mark.parametrize("counters", [["read-hit", "read.hit"], [f"c{n}" for n in range(254)]])
def test_what_is_refused(counters, monkeypatch):
    monkeypatch.setattr(gen_wrappers, "partitions", lambda: {"l2": {"counters": counters}})
    with pytest.raises(SystemExit, match="bridge/verilated/partitions.yaml: l2: counters with one name, or too many"):
        gen_counters.text()


def test_what_is_built_is_this():
    subprocess.run(["make", "-s", "build/gen/gantry_counters_pkg.sv"], cwd=ROOT, check=True)
    assert (ROOT / "build/gen/gantry_counters_pkg.sv").read_text() == gen_counters.text()
