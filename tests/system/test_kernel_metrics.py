# SPDX-License-Identifier: Apache-2.0
"""Counters by kernel and by link (docs/reference/metrics.md): kernels of known traffic show exactly that, one after the other do not mix, those that
overlap share, all pieces add up to the totals; latencies are what a chain of dependent loads takes; two tenants slow each other down.  Requirement S0.21:
bandwidth and latency by link and requester, experiment of two tenants."""
import re
import sqlite3
import subprocess

import pytest
from builder import release
from live import MODELS, ROOT, gantry_run

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")

WORDS = 640  # of each buffer of vecadd: 40 lines
VECADD = ["build/kernels/vecadd.v4.co", "--grid", str(WORDS), "--group", "64", "--arg", f"zero:{4 * WORDS}", "--arg", f"fill:1:{4 * WORDS}",
          "--arg", f"fill:2:{4 * WORDS}"]
LINES, MORE, ATOMICS, STEPS = 64, 96, 40, 64
SIZES = {"LINES": LINES, "MORE": MORE, "ATOMICS": ATOMICS, "STEPS": STEPS}
SOURCE = """
#include "check.h"
__global__ void lines_move(const uint32_t *from, uint32_t *to, unsigned lines)
{
    for (unsigned i = threadIdx.x; i < lines * 16; i += 64)
        to[i] = from[i] + 1;
}
__global__ void atomics_do(uint32_t *word, unsigned count)
{
    if (threadIdx.x == 0)
        for (unsigned i = 0; i < count; i++)
            atomicAdd(word + i % 16, i);
}
// `zero` hides that all lanes have one address: a vector load, not a scalar one.
__global__ void chase(const uint32_t *from, uint32_t *to, unsigned steps, unsigned zero)
{
    uint32_t at = threadIdx.x * zero;
    for (unsigned i = 0; i < steps; i++)
        at = from[at];
    to[threadIdx.x] = at;
}
// Loads past the L1V of lines of one L2 slice (256 bytes of each KiB).  Two work-groups of it do not fit into one CU.
typedef uint32_t four __attribute__((ext_vector_type(4)));
__global__ void tenant(const four *from, uint32_t *to, unsigned rounds)
{
    __shared__ uint32_t room[10240];
    uint32_t sum = 0;
#pragma unroll 4
    for (unsigned n = 0; n < 4 * rounds; n++) {
        const unsigned piece = (n % 4 * 256 + threadIdx.x) ^ blockIdx.x * 512;
        const four got = __builtin_nontemporal_load(from + piece / 16 * 64 + piece % 16);
        sum += got.x ^ got.y ^ got.z ^ got.w;
    }
    room[threadIdx.x] = sum;
    __syncthreads();
    to[blockIdx.x * 256 + threadIdx.x] = room[255 - threadIdx.x];
}
int main()
{
    const unsigned words = 1 << 14; // of a buffer of 64 KiB
    static uint32_t host[words];
    uint32_t *buffer[4], *far;
    hipStream_t stream[2];
    for (unsigned i = 0; i < words; i++)
        host[i] = i % 16 ? i : (i + 5 * 16) % words; // the chain goes over every fifth line
    for (unsigned n = 0; n < 4; n++) {
        HIP_OK(hipMalloc(&buffer[n], sizeof host));
        HIP_OK(hipMemcpy(buffer[n], host, sizeof host, hipMemcpyHostToDevice));
    }
    HIP_OK(hipSetDevice(1));
    HIP_OK(hipMalloc(&far, sizeof host));
    HIP_OK(hipMemcpy(far, host, sizeof host, hipMemcpyHostToDevice));
    HIP_OK(hipSetDevice(0));
    HIP_OK(hipDeviceEnablePeerAccess(1, 0));
    lines_move<<<1, 64>>>(buffer[0], buffer[1], LINES);
    lines_move<<<1, 64>>>(buffer[0], buffer[1], MORE);
    atomics_do<<<1, 64>>>(buffer[1], ATOMICS);
    lines_move<<<1, 64>>>(far, buffer[1], LINES);
    chase<<<1, 64>>>(buffer[2], buffer[1], STEPS, 0);
    HIP_OK(hipDeviceSynchronize());
    for (unsigned n = 0; n < 2; n++)
        HIP_OK(hipStreamCreate(&stream[n]));
    const auto tenant_on = [&](unsigned n) {
        tenant<<<2, 256, 0, stream[n]>>>(reinterpret_cast<four *>(buffer[2 + n]), buffer[n], 32);
    };
    for (unsigned n : {0, 1, 0}) { // translations come; then the first alone
        tenant_on(n);
        HIP_OK(hipDeviceSynchronize());
    }
    tenant_on(0);
    tenant_on(1);
    HIP_OK(hipDeviceSynchronize());
    return 0;
}
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    folder = tmp_path_factory.mktemp("metrics")
    (folder / "metrics.hip").write_text("".join(f"#define {name} {size}\n" for name, size in SIZES.items()) + SOURCE)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-std=c++17", "-I", ROOT / "sw/apps", "-x", "hip", folder / "metrics.hip", "-o", folder / "metrics"],
                   check=True, capture_output=True)
    lines = []
    for name, options in (("off", []), ("on", ["--set", "metrics.kernels=on", "--set", "metrics.latency=1"])):
        result = gantry_run([folder / "metrics"], "rtl", 2, ["-q", "-o", str(folder / name), *options])
        assert result.status == 0 and result.line["repeatable"] == "yes", result
        lines.append({key: result.line[key] for key in ("kernels", "cycles", "instructions", "hash", "data", "now")})
    assert lines[0] == lines[1]  # nothing that is counted changes a cycle
    off = sqlite3.connect(folder / "off/metrics.sqlite")
    assert off.execute("select count(*) from kernel_metrics").fetchone() == (0,)
    assert off.execute("select count(*) from metrics where location like '%.noc.%'").fetchone() == (0,)
    return sqlite3.connect(folder / "on/metrics.sqlite")


def kernels(database, name):
    """Rows of the kernel table of a kernel, by their numbers."""
    return [row[0] for row in database.execute("select rowid from kernels where kernel like ? order by start", (f"%{name}%",))]


def gained(database, kernel, location, what, shared=0):
    """Sum over locations that match."""
    return database.execute("select coalesce(sum(value), 0) from kernel_metrics where kernel=? and location like ? and what=? and shared=?",
                            (kernel, location, what, shared)).fetchone()[0]


@pytest.mark.shows("S0.21")
def test_pieces_add_up(database):
    """What kernels have gained, with what is outside of all, is what `metrics` has."""
    totals = {(location, what): value for location, what, value in database.execute("select location, what, value from metrics where location not like 'run%'")}
    pieces = {(location, what): value for location, what, value in
              database.execute("select location, what, sum(value) from kernel_metrics where kernel=0 or shared=0 group by location, what")}
    assert len(pieces) > 30 and {at: value for at, value in totals.items() if value} == {at: value for at, value in pieces.items() if value}
    assert {unit for unit, in database.execute("select distinct unit from kernel_metrics")} <= {"count", "cycles", "bytes", "lines"}


@pytest.mark.shows("S0.21", "S1.4")
def test_known_traffic(database):
    """Lines read and written, and atomics, of each kernel by itself."""
    first, second, far = kernels(database, "lines_move")
    for kernel, lines in ((first, LINES), (second, MORE)):
        assert gained(database, kernel, "gpu0.cu%.l1v", "read-miss") == lines
        assert gained(database, kernel, "gpu0.noc.from-cu%.read", "requests") == lines
        assert gained(database, kernel, "gpu0.noc.from-cu%.read", "bytes-from") == 64 * lines
        assert gained(database, kernel, "gpu0.noc.from-cu%.write", "bytes-to") == 64 * lines
        assert gained(database, kernel, "gpu0.noc.from-cu%.far%", "requests") == 0
        assert gained(database, kernel, "gpu0.noc.from-cu%.atomic", "requests") == 0
        assert gained(database, kernel, "gpu0.dispatch", "groups") == 1
        assert gained(database, kernel, "gpu1.noc.from-rdma%", "requests") == 0
        assert gained(database, kernel, "%", "requests", shared=1) == 0
    atomics, = kernels(database, "atomics_do")
    assert gained(database, atomics, "gpu0.noc.from-cu%.atomic", "requests") == ATOMICS
    assert gained(database, atomics, "gpu0.noc.from-cu%.atomic", "bytes-to") == 4 * ATOMICS
    assert gained(database, atomics, "gpu0.l2s%", "atomic-hit") + gained(database, atomics, "gpu0.l2s%", "atomic-miss") + \
        gained(database, atomics, "gpu0.l2s%", "atomic-mshr-hit") == ATOMICS
    assert gained(database, far, "gpu0.noc.from-cu%.far-read", "requests") == LINES
    assert gained(database, far, "gpu0.noc.to-rdma", "bytes-from") >= 64 * LINES
    assert gained(database, far, "gpu0.rdma", "peer-requests") == LINES
    assert gained(database, far, "gpu1.noc.from-rdma.read", "requests") == LINES  # of the kernel that is at any GPU
    assert gained(database, far, "gpu1.noc.to-l2s%", "bytes-from") == 64 * LINES


@pytest.mark.shows("S0.21")
def test_links(database):
    """What requesters send is what servers get, kernel by kernel; when all has ended they have waited as long there as here."""
    rows = database.execute("select kernel, substr(location, 1, 8), what, sum(case when location like '%.from-%' then value else -value end) from kernel_metrics"
                            " where location like '%.noc.%' and what in ('requests', 'bytes-to', 'bytes-from') group by 1, 2, 3, shared").fetchall()
    assert len(rows) > 20 and all(difference == 0 for *_, difference in rows), rows
    waited = database.execute("select substr(location, 1, 8), sum(value), sum(case when location like '%.from-%' then value else -value end) from metrics"
                              " where location like '%.noc.%' and what = 'waited' group by 1").fetchall()
    assert len(waited) == 2 and all(total > 1000 and difference == 0 for _, total, difference in waited), waited


@pytest.mark.shows("S0.21")
def test_latencies(database):
    """As many latencies as answers, in the classes in which their mean lies; the mean of a chain of loads is its step without the CU.
    First instructions are asked for before a kernel begins, and may come when it has begun."""
    for kernel, location, requests, timed in database.execute(
            "select kernel, location, sum(case when what='requests' then value else 0 end), sum(case when what like 'latency-%' then value else 0 end)"
            " from kernel_metrics where location like '%.noc.from-%' and kernel>0"
            " and kernel not in (select kernel from kernel_metrics where shared=1) group by 1, 2"):
        early = 4 if "from-sqc" in location or "from-utcl2" in location else 0  # two lines, and what their translation takes
        assert abs(requests - timed) <= early, (kernel, location, requests, timed)
    kernel, = kernels(database, "chase")
    requests, waited = (gained(database, kernel, "gpu0.noc.from-cu%.read", what) for what in ("requests", "waited"))
    cycles, = database.execute("select cycles from kernels where rowid=?", (kernel,)).fetchone()
    assert requests == STEPS
    assert 60 < cycles / STEPS - waited / STEPS < 250, (cycles, waited)


@pytest.mark.shows("S0.21")
def test_levels(database):
    """Occupancy: what is in a slice is in its queue or its slots for as long as its requests have waited at the crossbar, less the same way for each; of
    loads that miss one after the other each holds one MSHR for the time of DRAM, and a place of a channel until its column command."""
    def held(kernel, what):
        return gained(database, kernel, f"gpu0.l2s%.{what}", "held")
    ways = set()
    chain, = kernels(database, "chase")
    for kernel in [chain, *kernels(database, "lines_move")]:
        requests, waited = (gained(database, kernel, "gpu0.noc.to-l2s%", what) for what in ("requests", "waited"))
        ways.add(round((waited - held(kernel, "queue") - held(kernel, "slots")) / requests, 1))
    assert max(ways) - min(ways) < 4 and 30 < min(ways), ways  # two links; more where requests queue in the crossbar
    requests = gained(database, chain, "gpu0.noc.to-l2s%", "requests")
    assert requests <= held(chain, "queue") < 4 * requests < held(chain, "slots")  # one at a time: taken in the next cycle or soon after
    misses = gained(database, chain, "gpu0.l2s%", "read-miss")
    assert misses >= STEPS - 16
    assert 150 < held(chain, "mshrs") / misses < 450, (held(chain, "mshrs"), misses)
    reads, = database.execute("select sum(value) from kernel_metrics where kernel=? and location like 'gpu0.l2s%.dram' and what='read'", (chain,)).fetchone()
    assert 2 <= held(chain, "dram_.reads") / reads < 60, (held(chain, "dram_.reads"), reads)
    # in all, a write is in a channel's queue for longer than a read: it waits for the turn of the bus
    each = {kind: database.execute(f"select sum(value) from metrics where location like 'gpu0.l2s%.dram_.{kind}s' and what='held'").fetchone()[0] /
            database.execute("select sum(value) from metrics where location like 'gpu0.l2s%.dram' and what=?", (kind,)).fetchone()[0]
            for kind in ("read", "write")}
    assert each["read"] < each["write"] < 1000, each
    for kind in ("reads", "writes"):  # of each channel its own
        own = [value for value, in database.execute(f"select value from metrics where location like 'gpu0.l2s0.dram_.{kind}' and what='held'")]
        assert len(own) == 2 and min(own) > 1000 and own[0] != own[1], own


@pytest.mark.shows("S0.21")
def test_channels_that_are_full(database):
    """What the copies from the host to VRAM leave fills the queue of writes, for a part of the time; no channel is full in a chain of loads."""
    full = dict(database.execute("select location, value from metrics where what='full' and location like 'gpu0.l2s%.dram_.writes'"))
    end, = database.execute("select max(\"end\") from kernels").fetchone()
    assert len(full) == 8 and all(0 < value < end / 10 for value in full.values()), full
    chain, = kernels(database, "chase")
    assert gained(database, chain, "gpu0.l2s%.dram%", "full") == 0


@pytest.mark.shows("S0.21")
def test_mshrs_that_are_full(database):
    """Two tenants at once take all MSHRs of the one slice whose lines both load, for a part of their time; one alone leaves some free (as clang 15 compiles
    it; with clang 17 it takes all for 2 % of its time)."""
    rows = database.execute("select location, kernel, shared, value from kernel_metrics where what='full' and location like '%.mshrs' and kernel>0").fetchall()
    both = kernels(database, "tenant")[3:]
    full, alone = ([row for row in rows if row[2] == shared] for shared in (1, 0))
    assert len(full) == len(both) == 2 and {kernel for _, kernel, _, _ in full} == set(both), rows
    assert alone == [] or (release.name() == "13" and {kernel for _, kernel, _, _ in alone} < set(kernels(database, "tenant")[:3])), rows
    cycles, = database.execute("select min(cycles) from kernels where rowid in (?, ?)", both).fetchone()
    assert len({location for location, *_ in full}) == 1 and all(0 < value < cycles / 4 for *_, value in rows), (rows, cycles)


@pytest.mark.nightly  # models of its own; by day test_queues
@pytest.mark.shows("S0.21")
def test_one_slice_that_is_full(tmp_path):
    """Four CUs copy through one slice of 2 MSHRs: nearly always these are taken, all 111 places beside them, and the queue of 8 in front.  What is
    full holds as much as it can, and never more."""
    size, items, code = 1 << 20, 1 << 14, "build/kernels/bench_copy.v4.co"
    subprocess.run(["make", "-s", code], cwd=ROOT, check=True)
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", "-c", "demo", "-q", code, "--grid", str(items), "--group", "256", "-o", str(tmp_path / "out"),
                           "--arg", f"out:{size}:{tmp_path / 'copy'}", "--arg", f"zero:{size}", "--arg", f"u32:{items}", "--arg", f"u32:{size // 16 // items}",
                           *(word for key in ("system.gpus=1", "metrics.latency=1", "gpu.l2.slices=1", "gpu.l2.mshrs=2", "gpu.noc.target_queue=8")
                             for word in ("--set", key))], cwd=ROOT, text=True, capture_output=True, check=True)
    cycles = int(re.search(r"\bcycles=(\d+)", done.stderr)[1])
    rows = sqlite3.connect(tmp_path / "out/metrics.sqlite").execute("select location, what, value from metrics where location like 'gpu0.l2s0.%'")
    found = {(location.split(".")[-1], what): value for location, what, value in rows}
    for queue, least, most in (("queue", 8, 8), ("slots", 111, 113), ("mshrs", 2, 2)):
        held, full = found[queue, "held"], found[queue, "full"]
        assert 0.75 * cycles < full < cycles and least * full <= held <= most * cycles, (queue, held, full, cycles)


@pytest.mark.shows("S0.21")
def test_writes_have_latencies(database):
    """Lines of a store reach the L2 and come back: in the classes in which their mean lies, none sooner than the crossbar and the slice allow."""
    kernel = kernels(database, "lines_move")[1]
    requests, waited = (gained(database, kernel, "gpu0.noc.from-cu%.write", what) for what in ("requests", "waited"))
    classes = {edge: gained(database, kernel, "gpu0.noc.from-cu%.write", f"latency-below-{edge}") for edge in (32 << n for n in range(9))}
    classes["rest"] = gained(database, kernel, "gpu0.noc.from-cu%.write", "latency-from-8192")
    assert requests == MORE == sum(classes.values()), classes
    low = sum(count * (edge // 2 if edge != 32 else 0) for edge, count in classes.items() if edge != "rest")
    high = sum(count * edge for edge, count in classes.items() if edge != "rest")
    assert classes["rest"] == 0 and low <= waited < high, (classes, waited)
    assert classes[32] == 0, classes  # 16 cycles to the slice, 16 back


@pytest.mark.shows("S0.21")
def test_queues(database):
    """A chain has one request under way at the slices, and one at most; a far kernel's lines wait in the RDMA engine, most of its time several."""
    chase, = kernels(database, "chase")
    duration = dict(database.execute("select rowid, cycles from kernels"))
    at_slices = gained(database, chase, "gpu0.noc.to-l2s%", "waited") / duration[chase]
    assert 0.1 < at_slices <= 1.2, at_slices  # instructions and arguments beside the chain
    near, _, far = kernels(database, "lines_move")
    assert gained(database, near, "gpu0.noc.to-rdma", "waited") < gained(database, far, "gpu0.noc.to-rdma", "waited")
    assert gained(database, far, "gpu0.noc.to-rdma", "waited") / duration[far] > 1
    assert gained(database, far, "gpu0.noc.to-rdma", "waited") >= gained(database, far, "gpu0.noc.from-cu%.far-read", "waited") > 0


@pytest.mark.shows("S0.21")
def test_two_tenants(database):
    """Two kernels at one GPU: their rows are marked, and each waits longer for its lines than one alone."""
    _, _, alone, *both = kernels(database, "tenant")
    assert gained(database, alone, "%", "requests", shared=1) == 0 and all(gained(database, kernel, "%", "requests", shared=1) for kernel in both)
    mean = {}
    for kernel in (alone, both[0]):
        waited, requests = (sum(gained(database, kernel, "gpu0.noc.from-cu%.read", what, shared) for shared in (0, 1)) for what in ("waited", "requests"))
        mean[kernel] = waited / requests
    duration = dict(database.execute("select rowid, cycles from kernels"))
    print(f"alone {duration[alone]} cycles, {mean[alone]:.0f} cycles a line; beside another {duration[both[0]]} cycles, {mean[both[0]]:.0f} cycles a line")
    assert mean[both[0]] > mean[alone]
    assert duration[both[0]] > duration[alone]


def gantry(folder, *words):
    """What the final line says but of the host, and what a run has told of its kernels."""
    done = subprocess.run([ROOT / "build/bin/gantry", *words, "-q", "-o", folder], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    line = re.findall(r"\b(?:kernels|cycles|instructions|hash|data|now)=\S+", done.stderr.splitlines()[-1])
    return line, sqlite3.connect(folder / "metrics.sqlite").execute("select * from kernel_metrics").fetchall()


@pytest.mark.shows("S0.21")
def test_alike_wherever_it_runs(tmp_path):
    """One kernel: its lines exactly; the same in a worker process, with several threads, without skipping, and of a replay of a run that was recorded
    without; off, nothing."""
    subprocess.run(["make", "-s", VECADD[0]], cwd=ROOT, check=True)
    on, command = ("--set", "metrics.kernels=on"), ("kernel", "-c", "tiny", *VECADD)
    plain, none = gantry(tmp_path / "off", *command, "--record", str(tmp_path / "record"))
    line, rows = gantry(tmp_path / "on", *command, *on)
    assert plain == line and none == [] and len(rows) > 30
    found = {(kernel, location, what): value for kernel, location, what, value, *_ in rows}
    assert found[1, "gpu0.cu0.l1v", "read-miss"] == 2 * WORDS // 16
    assert sum(value for (kernel, location, what), value in found.items()
               if kernel == 1 and location.startswith("gpu0.l2s") and what.startswith("write-")) == WORDS // 16
    assert found[1, "gpu0.dispatch", "groups"] == WORDS // 64
    for name, words in (("worker", [*command, *on, "--set", "place.processes=2", "--set", "place.gpus=gpu0=1"]), ("threads", [*command, *on, "--threads", "2"]),
                        ("no-skip", [*command, *on, "--no-skip"]), ("replay", ["replay", str(tmp_path / "record"), *on])):
        assert gantry(tmp_path / name, *words) == (line, rows), name
