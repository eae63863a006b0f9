# SPDX-License-Identifier: Apache-2.0
"""Faults of a program end in ROCr's own errors, on the GPU that had them; the simulator lives on (B.8)."""
import re

import pytest
from builder import release
from live import gantry_run, on_last_gpus, rows

SIGABRT = 128 + 6


places = pytest.mark.parametrize("gpus,gpu", [(1, 0), (2, 0), (2, 1), (4, 0), (4, 3)])  # how many there are, which has the fault


def environment(gpus, gpu):
    return on_last_gpus(gpus) if gpu == gpus - 1 else None


@places
@pytest.mark.shows("B.8")
def test_wild_store(apps, model, gpus, gpu):
    """Rung 13: a store to an unmapped address; the message names the node (node 0 is the CPU)."""
    result = gantry_run([apps / "wild_store"], model, gpus, env=environment(gpus, gpu))
    assert result.status == SIGABRT, result
    assert f"Memory access fault by GPU node-{gpu + 1} " in result.err and "on address 0xdead00000" in result.err, result
    assert "Page not present" in result.err, result
    assert "went on" not in result.out, result
    assert result.line["gpus"] == str(gpus), result
    assert {g for g, _ in rows(result)} == {gpu}, result
    assert result.err.splitlines()[-1].startswith("gantry: gpus="), result


@places
@pytest.mark.shows("B.8")
def test_illegal_instruction(apps, model, gpus, gpu):
    """Rung 13: an illegal instruction; ROCr's message has no node, the log has the GPU."""
    result = gantry_run([apps / "illegal"], model, gpus, ["-v"], env=environment(gpus, gpu))
    assert result.status == SIGABRT, result
    assert "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION" in result.err, result
    assert f"gpu{gpu}: illegal instruction at pc" in result.err and {g for g, _ in rows(result)} == {gpu}, result
    assert "went on" not in result.out, result
    assert result.line["gpus"] == str(gpus) and int(result.line["instructions"]) > 0, result
    assert result.err.splitlines()[-1].startswith("gantry: gpus="), result


@pytest.mark.parametrize("program,error", [("group_large", "hipErrorInvalidConfiguration"), ("lds_large", "hipErrorOutOfMemory")])
def test_sizes_that_hip_refuses(apps, model, gpus, program, error):
    """HIP checks sizes itself; the program goes on and launches a good kernel.  HIP 5.7 has another error, which is the same for both."""
    error = error if release.name() == "12" else "invalid argument"
    result = gantry_run([apps / program], model, gpus)
    assert result.status == 0 and f"{program}: {error}\n" in result.out, result


@pytest.mark.parametrize("what,code", [("packet", "0x1009"), ("vendor", "0x1009"), ("group", "0x1001"), ("lds", "0x1003"), ("dims", "0x100d"),
                                       ("code", "0x1010")])
@pytest.mark.shows("B.8")
def test_bad_packets(apps, model, gpus, what, code):
    """What a raw HSA client gets from the error callback of a queue on the last GPU, while its queues on all GPUs go on."""
    result = gantry_run([apps / "hsa_queue", what], model, gpus, ["-v"])
    assert result.status == 0, result
    assert f"queue error {code} " in result.out, result
    assert re.findall(r"queue \d+ stopped: gpu(\d+): ", result.err) == [str(gpus - 1)], result
    assert result.line["gpus"] == str(gpus), result


def test_program_without_gpu_work():
    result = gantry_run(["/bin/echo", "hello"])
    assert result.status == 0 and result.out == "hello\n", result
    assert "no GPU work" in result.err, result


def test_exit_status_passes_through():
    assert gantry_run(["/bin/sh", "-c", "exit 37"]).status == 37
    assert gantry_run(["/bin/sh", "-c", "kill -KILL $$"]).status == 128 + 9


def test_missing_program():
    result = gantry_run(["/nonexistent/program"])
    assert result.status == 66, result
    assert len([l for l in result.err.splitlines() if l.startswith("gantry: ") and "gpus=" not in l]) == 1, result


@pytest.mark.shows("S0.8", "S0.14")
def test_unknown_ioctl_is_refused_with_a_line(tmp_path):
    """S0.8: errno and a log line, never silence.  S0.14: a malformed mmap offset is refused."""
    source = tmp_path / "odd.c"
    source.write_text("""
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
int main(void)
{
    char room[64] = {0};
    int fd = open("/dev/kfd", O_RDWR), bad = 0;
    if (fd < 0)
        return 10;
    bad |= ioctl(fd, _IOWR('K', 0x7e, char[64]), room) != -1 || errno != EINVAL;
    bad |= ioctl(fd, _IOWR('K', 0x02, char[8]), room) != -1 || errno != EINVAL; /* argument too small */
    bad |= mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0x1000) != MAP_FAILED;
    bad |= mmap(0, 4096, PROT_READ, MAP_SHARED, fd, (off_t)(3ull << 62 | 0x7777ull << 46)) != MAP_FAILED;
    bad |= mmap(0, 8192, PROT_READ, MAP_SHARED, fd, (off_t)(3ull << 62 | 0x1001ull << 46)) != MAP_FAILED;
    bad |= mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(3ull << 62 | 0x1001ull << 46)) == MAP_FAILED;
    bad |= open("/dev/dri/renderD140", O_RDWR) != -1;
    return bad;
}
""")
    import subprocess
    subprocess.run(["gcc", "-Wall", "-o", tmp_path / "odd", source], check=True)
    result = gantry_run([tmp_path / "odd"])
    assert result.status == 0, result
    assert "0x7e" in result.err and "not served" in result.err, result
    assert result.err.count("mmap offset") == 3, result
