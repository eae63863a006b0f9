# SPDX-License-Identifier: Apache-2.0
"""gpu.l2.mode requester on a whole machine: lines of another GPU's memory are fetched once for all CUs of a GPU, until a CU acquires;
programs and litmus tests give what they give in home mode."""
import sqlite3
import subprocess

import pytest
import test_litmus
from live import APPS, MODELS, ROOT, gantry_run
from test_litmus import litmus  # noqa: F401  (a fixture)

pytestmark = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")

REQUESTER = ["--set", "gpu.l2.mode=requester"]
LINES, GROUPS = 64, 4
SOURCE = """
#include "check.h"
// Group after group reads all lines: those before it have long finished.
__global__ void read_all(const uint32_t *from, uint32_t *to, unsigned lines)
{
    for (unsigned n = 0; n < blockIdx.x * 12; n++)
        __builtin_amdgcn_s_sleep(127);
    uint32_t sum = 0;
    for (unsigned line = 0; line < lines; line++)
        sum += from[line * 16 + threadIdx.x % 16];
    to[blockIdx.x * 64 + threadIdx.x] = sum;
}
__global__ void read_again(const uint32_t *from, uint32_t *to, unsigned lines)
{
    uint32_t sum = 0;
    for (unsigned line = 0; line < lines; line++)
        sum += from[line * 16 + threadIdx.x % 16];
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); // the vector cache is empty, and what it had of the other GPU is old
    for (unsigned line = 0; line < lines; line++)
        sum += from[line * 16 + threadIdx.x % 16];
    to[threadIdx.x] = sum;
}
__global__ void write_all(uint32_t *to, unsigned add)
{
    to[blockIdx.x * 64 + threadIdx.x] += add;
}
int main()
{
    const unsigned lines = LINES, words = 16 * lines;
    uint32_t *far, *to, got[64 * GROUPS], host[16 * LINES];
    for (unsigned i = 0; i < words; i++)
        host[i] = i;
    HIP_OK(hipSetDevice(1));
    HIP_OK(hipMalloc(&far, sizeof host));
    HIP_OK(hipMemcpy(far, host, sizeof host, hipMemcpyHostToDevice));
    HIP_OK(hipSetDevice(0));
    HIP_OK(hipDeviceEnablePeerAccess(1, 0));
    HIP_OK(hipMalloc(&to, sizeof got));
    for (unsigned round = 0; round < 3; round++) {
        read_all<<<GROUPS, 64>>>(far, to, lines);
        HIP_OK(hipMemcpy(got, to, sizeof got, hipMemcpyDeviceToHost));
        for (unsigned i = 0; i < 64 * GROUPS; i++)
            if (got[i] != 8 * lines * (lines - 1) + lines * (i % 16) + lines * 5 * round)
                return 1 + round;
        HIP_OK(hipSetDevice(round % 2)); // its owner, or this GPU itself, writes it
        write_all<<<words / 64, 64>>>(far, 5);
        HIP_OK(hipDeviceSynchronize());
        HIP_OK(hipSetDevice(0));
    }
    read_again<<<1, 64>>>(far, to, lines);
    HIP_OK(hipMemcpy(got, to, 256, hipMemcpyDeviceToHost));
    for (unsigned i = 0; i < 64; i++)
        if (got[i] != 2 * (8 * lines * (lines - 1) + lines * (i % 16) + lines * 15))
            return 8;
    return 0;
}
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """mode -> (result, database of the run)"""
    folder = tmp_path_factory.mktemp("far")
    (folder / "far.hip").write_text(SOURCE)
    subprocess.run([ROOT / "sw/tools/builder/hipcc.sh", "-O2", "-std=c++17", f"-DLINES={LINES}", f"-DGROUPS={GROUPS}", "-I", ROOT / "sw/apps", "-x", "hip",
                    folder / "far.hip", "-o", folder / "far"], check=True, capture_output=True)
    found = {}
    for mode, options in (("home", []), ("requester", REQUESTER)):
        result = gantry_run([folder / "far"], "rtl", 2, ["-q", "-o", str(folder / mode), "--set", "metrics.kernels=on", *options])
        assert result.status == 0 and result.line["repeatable"] == "yes", result
        found[mode] = result, sqlite3.connect(folder / mode / "metrics.sqlite")
    return found


def gained(database, kernel, location, what):
    """Of each launch of the kernel."""
    launches = [row for row, in database.execute("select rowid from kernels where kernel like ? order by start", (f"%{kernel}%",))]
    return [database.execute("select coalesce(sum(value), 0) from kernel_metrics where kernel=? and location like ? and what=?",
                             (launch, location, what)).fetchone()[0] for launch in launches]


def test_far_lines_are_fetched_once(runs):
    """Each CU asks for every line; in home mode all of that goes to the other GPU, in requester mode what the first of them asks for."""
    for mode, (_, database) in runs.items():
        assert gained(database, "read_all", "gpu0.cu%.l1v", "read-miss") == [GROUPS * LINES] * 3
        once = mode == "requester"
        assert gained(database, "read_all", "gpu0.rdma", "peer-requests") == [LINES if once else GROUPS * LINES] * 3
        assert gained(database, "read_all", "gpu0.rdma", "cache-miss") == [LINES * once] * 3
        assert gained(database, "read_all", "gpu0.rdma", "cache-hit") == [(GROUPS - 1) * LINES * once] * 3
        assert gained(database, "read_all", "gpu1.rdma", "inbound-read") == [LINES if once else GROUPS * LINES] * 3


def test_an_acquire_makes_them_old(runs):
    for _, database in runs.values():
        assert gained(database, "read_again", "gpu0.rdma", "peer-requests") == [2 * LINES]


def test_data_are_those_of_home_mode(runs):
    assert runs["home"][0].line["data"] == runs["requester"][0].line["data"]


def same_data(name, options=()):
    lines = [gantry_run([APPS / name], "rtl", 2, ["-q", *options, *mode]) for mode in ([], REQUESTER)]
    assert all(result.status == 0 and result.line["repeatable"] == "yes" for result in lines), lines
    assert lines[0].line["data"] == lines[1].line["data"]


@pytest.mark.parametrize("name", ["peer", "copies"])
def test_programs(apps, name):
    same_data(name, ["--lockstep"])


CHOICE = [("mp", "system", "split"), ("co", "agent", "far")]


@pytest.mark.parametrize("choice", [pytest.param(c, id="-".join(c), marks=pytest.mark.nightly if c[0] == "mp" else []) for c in CHOICE])
@pytest.mark.shows("S0.18", "S4.14")
def test_litmus_choice(litmus, choice):  # noqa: F811
    test_litmus.judge(litmus, choice, REQUESTER)


@pytest.mark.nightly
@pytest.mark.parametrize("memory", ["far", "split"])
@pytest.mark.parametrize("scope", test_litmus.SCOPES)
@pytest.mark.parametrize("test", test_litmus.TESTS)
@pytest.mark.shows("S0.18", "S4.14")
def test_litmus_all(litmus, test, scope, memory):  # noqa: F811
    if (test, scope, memory) not in CHOICE:
        test_litmus.judge(litmus, (test, scope, memory), REQUESTER)
