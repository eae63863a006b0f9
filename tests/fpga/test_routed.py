# SPDX-License-Identifier: Apache-2.0
"""Partitions as routed netlists (sw/tools/synthesis/fpga.py, sw/tools/synthesis/board_netlist.py) in the process of a simulated board: three programs give the cycles, hash, data,
counters and tables of the simulation, and random traffic all messages of the model library: programs do not use all of a partition.  What yosys and nextpnr
made of the RTL, with the device's reset, gated clock and pads, up to the pins of the USB chip.
A netlist is made when what it is made of is another than at the last time: nine minutes of CPU time for rdma, twenty for utcl2."""
import functools
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "sw/tools"), str(ROOT / "tests/rtl/board")]
from synthesis import board_netlist  # noqa: E402
from gen import gen_board  # noqa: E402
import part  # noqa: E402
from synthesis import synth  # noqa: E402
from synthesis import synth_flow  # noqa: E402

CONFIG, BOARD = "configs/fpga.yaml", "ulx3s"
KINDS = {"rdma": "gpu0.rdma", "utcl2": "gpu0.utcl2"}
CLOCKS = {"rdma": 25, "utcl2": 18}  # MHz of the board that they keep (docs/reference/synthesis.md)
LEAST = {"rdma": (1000, 1000), "utcl2": (400, 900)}  # cycles that a program evaluates, messages of random traffic: a test of less shows little
PLACES = 60000  # of the device's 83,640: what nextpnr still routes without trouble
PROGRAMS = ["vecadd", "histogram", "reduction"]
LIMIT = 7200
nightly = pytest.mark.nightly


def ran(*words, status=(0,), **kw):
    done = subprocess.run([str(word) for word in words], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, **kw)
    assert done.returncode in status, (words, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout, done.stderr


def models(*words):
    settings = [f"--set={word}" for word in ran("build/bin/gantry", "config", "-c", CONFIG, "--sv")[0].split()]
    return ran(sys.executable, "sw/tools/builder/models.py", *settings, *words)[0]


def place(kind):
    return ROOT / "build/fpga" / f"{BOARD}-{kind}-{pathlib.Path(CONFIG).stem}"


@functools.cache
def netlist(kind):
    """The process of the board.  A clock that is not kept (fpga.py: 1) is no matter here."""
    folder, hello = place(kind), models("--hello", kind)
    texts = [p.read_text() for p in (*sorted((ROOT / "rtl/board").glob("*.sv")), ROOT / "fpga/ecp5/top.sv", ROOT / "sw/tools/synthesis/fpga.py", ROOT / "sw/tools/gen/gen_board.py")]
    key, stamp = synth_flow.key_of(hello, texts, synth_flow.versions(), CLOCKS[kind]), folder / "routed.key"
    if not (stamp.exists() and stamp.read_text() == key and (folder / "routed1.json").exists()):
        (folder / "routed1.json").unlink(missing_ok=True)
        ran(sys.executable, "sw/tools/synthesis/fpga.py", BOARD, kind, "--mhz", CLOCKS[kind], "--seed", 1, status=(0, 1))
        assert (folder / "routed1.json").exists()
        stamp.write_text(key)
    return board_netlist.build(kind, folder)


def program(name, folder, *options, **env):
    """What must be the same: what the program says, figures, launches, counters."""
    out, err = ran("build/bin/gantry", "run", "-c", CONFIG, "-o", folder, *options, "--", f"build/apps/{name}", env={**os.environ, **env})
    line = dict(re.findall(r"(\w+)=(\S+)", next(text for text in err.splitlines() if text.startswith("gantry: gpus="))))
    counters = sqlite3.connect(folder / "metrics.sqlite").execute("select location, what, value, unit from metrics order by rowid").fetchall()
    return (out, {key: line[key] for key in ("kernels", "cycles", "instructions", "repeatable", "hash", "data", "counters", "now")}, (folder / "kernels.csv").read_text(),
            [row for row in counters if row[1] != "cpu_us"]), err


@pytest.mark.shows("B.10")
@pytest.mark.parametrize("kind", KINDS)
def test_the_budget_leaves_room_for_the_harness(kind):
    """What a partition may take (synth_budget.tsv), and what docs/reference/synthesis.md allows PHY, frames and harness."""
    constants, _ = synth.constants(CONFIG)
    registers = sum(size for *_, size in gen_board.lanes(kind, constants)[0])
    assert registers > 0 and synth.budget()["fpga", f"part_{kind}"]["places"] + 2500 + 8 * registers <= PLACES


@nightly
@pytest.mark.shows("B.10")
@pytest.mark.parametrize("kind", KINDS)
def test_fits_and_keeps_the_clock(kind):
    """A bitstream for the clock that is asked for (else it has another name), and places to spare."""
    netlist(kind)
    used = json.loads((place(kind) / "report1.json").read_text())["utilization"]
    assert 0 < used["TRELLIS_COMB"]["used"] <= PLACES and 0 < used["TRELLIS_FF"]["used"] <= PLACES
    assert (place(kind) / "board.bit").stat().st_size > 100000


@nightly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_as_the_simulation(kind, name, tmp_path):
    ran("make", "-s", "standin", "apps")
    plain, _ = program(name, tmp_path / "plain")
    stats = tmp_path / "stats"
    routed, err = program(name, tmp_path / "routed", "--set", f"place.boards={KINDS[kind]}=sim", GANTRY_BOARD_SIM=str(netlist(kind)), GANTRY_BOARD_STATS=str(stats))
    assert routed == plain and int(plain[1]["kernels"]) > 0
    assert re.search(rf"^{KINDS[kind]} on sim: \d+ exchanges, \d+ bytes sent, \d+ taken, 0 frames sent again", err, re.M), err
    edges = int(re.fullmatch(rf"{kind} cycles \d+ evaluated \d+ bytes-to-board \d+ bytes-to-host \d+ target-edges (\d+)\n", stats.read_text())[1])
    assert edges >= int(re.search(r"(\d+) cycles, \d+ a second", err)[1]) > LEAST[kind][0]


@nightly
def test_another_kind_is_refused(tmp_path):
    """The netlist says what it is: gantry compares."""
    _, err = ran("build/bin/gantry", "run", "-q", "-c", CONFIG, "--set", "place.boards=gpu0.utcl2=sim", "--", "build/apps/vecadd", status=(65,),
                 env={**os.environ, "GANTRY_BOARD_SIM": str(netlist("rdma"))})
    assert err.splitlines()[0] == "gantry: gpu0.utcl2: the board holds a partition of kind rdma, not utcl2"


def traffic(kind, board, seed):
    library = models(kind).split()[1]
    done = subprocess.run([str(part.client()), library, str(seed), "300"], cwd=ROOT, env={**os.environ, "BOARD": str(board)}, capture_output=True, text=True, timeout=LIMIT)
    return done.returncode, done.stdout


@nightly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_traffic(kind, seed):
    status, text = traffic(kind, netlist(kind), seed)
    assert status == 0 and int(re.match(r"part: \w+: (\d+) messages in", text)[1]) >= LEAST[kind][1], text


@nightly
def test_a_wrong_lut_is_seen():
    """One LUT in the middle of the partition is another: no program sees this one, random traffic does."""
    netlist("rdma")
    wrong = place("rdma").with_name("wrong-lut")
    wrong.mkdir(exist_ok=True)
    design = json.loads((place("rdma") / "routed1.json").read_text())
    cells = design["modules"]["top"]["cells"]
    name = sorted(n for n, c in cells.items() if c["type"] == "TRELLIS_COMB" and "MODE" not in c["parameters"] and "u_rdma.gen_port[0]" in n)
    table = cells[name[len(name) // 2]]["parameters"]
    table["INITVAL"] = "".join("10"[int(bit)] for bit in table["INITVAL"])
    (wrong / "routed1.json").write_text(json.dumps(design))
    status, text = traffic("rdma", board_netlist.build("rdma", wrong), 1)
    assert status == 1 and "differ" in text, text
