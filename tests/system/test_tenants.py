# SPDX-License-Identifier: Apache-2.0
"""S0.21, the experiment of two tenants: the same program as two processes, on one GPU and on two.  Where both read lines of one L2 slice they slow each other
down, and the counters name that slice of all resources of the machine; where each has its own GPU's memory neither notices the other."""
import collections
import functools
import pathlib
import sqlite3
import tempfile

import pytest
from live import MODELS, built, gantry_run

pytestmark = [pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out"), pytest.mark.shows("S0.21")]

LAUNCHES, START = 3, 1000  # microseconds of target time: all have begun by then
OWN, FAR, OTHER = "0 0", "1 0", "1 1"  # of a tenant: its GPU, whose memory it reads
SLICE = "gpu0.l2s0"  # of the lines that the program reads
OF_A_LAUNCH = "select location, sum(value) from kernel_metrics where kernel = ? and what = 'held' group by location"


class Run:
    """Tenants that were started together.  Of each the launches of its kernel during which the others' ran: (row, GPU, start, end)."""

    def __init__(self, *tenants):
        program = built("tenants", "-I", "sw/apps")
        script = " ".join(f"{program} {tenant} {LAUNCHES} {START} &" for tenant in tenants) + " wait"
        with tempfile.TemporaryDirectory(prefix="tenants-") as folder:
            result = gantry_run(["sh", "-c", script], "rtl", 2, ["-q", "-o", folder, "--set", "metrics.kernels=on", "--set", "metrics.latency=1"])
            assert result.status == 0 and result.out.count("tenants: PASSED") == len(tenants), result
            assert result.line["repeatable"] == "yes", result
            database = sqlite3.connect(pathlib.Path(folder, "metrics.sqlite"))
            rows = database.execute("select process, rowid, gpu, start, \"end\" from kernels where kernel like '%tenant%' order by start").fetchall()
            self.held = {row[1]: dict(database.execute(OF_A_LAUNCH, (row[1],))) for row in rows}
        of = collections.defaultdict(list)
        for process, *row in rows:
            of[process].append(row)
        assert len(of) == len(tenants) and all(len(found) == LAUNCHES for found in of.values()), rows
        self.rows = [[row for row in found if all(beside(row, other) for other in of.values())] for _, found in sorted(of.items())]
        assert all(self.rows), rows
        if len(tenants) == 2 and tenants[0] != tenants[1]:  # which process came first is not said
            self.rows.sort(key=lambda found: found[0][1] != int(tenants[0].split()[0]))

    def cycles(self, n=0):
        """Of a launch of the n-th tenant, the mean."""
        return sum(end - start for *_, start, end in self.rows[n]) / len(self.rows[n])

    def levels(self, n=0):
        """location -> what was held there while the n-th tenant's launches ran, whoever held it; mean of their cycles."""
        sums = collections.Counter()
        for row, *_ in self.rows[n]:
            sums.update(self.held[row])
        return {location: held / self.cycles(n) / len(self.rows[n]) for location, held in sums.items()}


def beside(row, launches):
    """Nearly all of its time is within that of these launches."""
    start, end = max(row[2], launches[0][2]), min(row[3], launches[-1][3])
    return end - start > 0.95 * (row[3] - row[2])


@functools.cache
def alone(tenant):
    return Run(tenant)


def experiment(*tenants):
    """(how much longer each takes beside the other, the resource that is held for longest beyond what both hold of it alone, and how much)."""
    both = Run(*tenants)
    slowed = [both.cycles(n) / alone(tenant).cycles() for n, tenant in enumerate(tenants)]
    grown = collections.Counter()
    for n in range(2):
        for location, held in both.levels(n).items():
            before = sum(alone(tenant).levels().get(location, 0) for tenant in tenants)
            grown[location] = max(grown[location], held - before)
    (location, most), = grown.most_common(1)
    print(f"{tenants}: {slowed[0]:.3f} and {slowed[1]:.3f} times as long; {location} holds {most:.1f} more")
    return slowed, location, most


def test_on_one_gpu():
    """Both from its memory."""
    slowed, location, most = experiment(OWN, OWN)
    assert min(slowed) > 1.25 and most > 20, (slowed, location, most)
    assert location.startswith(SLICE), location


def test_on_two_gpus():
    """From the memory of one: the other's loads come over the link, which is not what holds them up."""
    slowed, location, most = experiment(OWN, FAR)
    assert min(slowed) > 1.06 and most > 5, (slowed, location, most)
    assert location.startswith(SLICE), location


def test_on_two_gpus_apart():
    """Each from its own."""
    both = Run(OWN, OTHER)
    for n in range(2):
        assert abs(both.cycles(n) / alone(OWN).cycles() - 1) < 0.05, both.rows
    queue = {n: both.levels(n)[f"gpu{n}.l2s0.queue"] for n in range(2)}
    assert all(held < 1.5 * alone(OWN).levels()[f"{SLICE}.queue"] for held in queue.values()), queue
