# SPDX-License-Identifier: Apache-2.0
"""Kernels by the command and with a GPU that is a SystemC module whose DRAM is a plain memory: the same cycles, events, writes, contents and counters,
whatever the quantum is, when that memory takes what the command's does; other cycles and the same contents when it does not.  A recording is replayed into
the module."""
import csv
import functools
import re
import subprocess
import sys

import pytest
from systemc import ROOT, run

sys.path.insert(0, str(ROOT / "tests/sw/kernels"))
import reference  # noqa: E402
import test_kernels  # noqa: E402

KERNELS = ["vecadd", "reduction", "hash"]
QUANTA = [1, 8, 140, 10000]  # ns
CONFIG = ["-c", "smallest"]
PATH = 272  # gpu.dram.path, cycles of 1 ns
SAME = ("kernels", "cycles", "instructions", "hash", "data", "counters", "now")


@pytest.fixture(autouse=True)
def fast_to_build(monkeypatch):
    """As in test_whole.py: the same models."""
    monkeypatch.setenv("GANTRY_MODEL_OPT", "-O0")


def words(name, folder):
    """What is behind `gantry kernel`, and the files that it writes with what must be in them."""
    grid, group, args, expected = reference.case(name)
    line, outputs = [test_kernels.code_object(name, 4), "--grid", grid, "--group", group], []
    for i, arg in enumerate(args):
        kind, value = arg if isinstance(arg, tuple) else ("plain", arg)
        if kind in ("in", "inout"):
            (folder / f"in{i}").write_bytes(value)
        if kind in ("out", "inout"):
            outputs.append(folder / f"out{i}")
        line += ["--arg", {"in": f"in:{folder}/in{i}", "inout": f"inout:{folder}/in{i}:{folder}/out{i}", "out": f"out:{value}:{folder}/out{i}",
                           "lds": f"lds:{value}", "plain": value}[kind]]
    return [str(word) for word in line], list(zip(outputs, expected))


def figures(status, err, folder, outputs):
    """Of the final line, and every launch."""
    assert status == 0, err
    line = dict(re.findall(r"(\w+)=(\S+)", err))
    for path, want in outputs:
        assert path.read_bytes() == want, path
    with open(folder / "kernels.csv") as table:
        return {key: line[key] for key in SAME}, list(csv.DictReader(table))


def by_command(name, folder, *options):
    folder.mkdir()
    line, outputs = words(name, folder)
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", *CONFIG, "--set", "system.rtl=whole", "-q", "-o", folder, *options, *line], cwd=ROOT,
                          capture_output=True, text=True, timeout=1800)
    return figures(done.returncode, done.stderr, folder, outputs)


def by_module(name, folder, quantum, memory=PATH):
    """Figures, what the plain memory has done, and what it holds."""
    folder.mkdir()
    line, outputs = words(name, folder)
    status, out, err = run("host/tlm/kernel", quantum, memory, "--contents", folder / "contents", *CONFIG, "//", "kernel", "-q", "-o", folder, *line)
    done = re.fullmatch(r"gpu0_memory: (\d+) reads, (\d+) writes \(\d+ of some bytes\), (\d+) loads\n", out).groups()
    return figures(status, err, folder, outputs), done, pages((folder / "contents").read_bytes())


def pages(data):
    """Pages that are not zero, by number."""
    assert len(data) % 4104 == 0
    return {int.from_bytes(data[at:at + 8], "little"): data[at + 8:at + 4104] for at in range(0, len(data), 4104)}


@functools.cache
def contents_program():
    flags = dict(text.split("=", 1) for text in subprocess.run(["make", "-s", "print-flags"], cwd=ROOT, check=True, capture_output=True,
                                                               text=True).stdout.splitlines())
    out, library = ROOT / "build/tests/host/tlm/contents", ROOT / "build/lib/libgantry.a"
    out.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*flags["CC"].split(), *flags["CFLAGS"].split(), "-o", out, "tests/host/tlm/contents.c", library, *flags["LDLIBS"].split()], cwd=ROOT,
                   check=True, timeout=300)
    return out


def contents_of_the_machine(name, folder):
    """What the GPU's memory of the command's own machine holds behind that kernel."""
    folder.mkdir()
    grid, group, args, _ = reference.case(name)
    specs = []
    for i, arg in enumerate(args):
        kind, value = arg if isinstance(arg, tuple) else ("plain", arg)
        if kind in ("in", "inout"):
            (folder / f"in{i}").write_bytes(value)
        specs.append({"in": f"in:{folder}/in{i}", "inout": f"in:{folder}/in{i}", "out": f"zero:{value}", "lds": f"lds:{value}", "plain": value}[kind])
    launch = [test_kernels.code_object(name, 4), str(grid), str(group), *specs]
    subprocess.run([contents_program(), folder / "contents", CONFIG[1], "system.rtl=whole", "//", *launch], cwd=ROOT, check=True, timeout=1800)
    return pages((folder / "contents").read_bytes())


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    found = {}

    def ask(name):
        if name not in found:
            folder = tmp_path_factory.mktemp("command")
            found[name] = by_command(name, folder / name), contents_of_the_machine(name, folder / "contents")
        return found[name]
    return ask


@pytest.mark.parametrize("quantum", QUANTA)
@pytest.mark.parametrize("name", [KERNELS[0], *(pytest.param(name, marks=pytest.mark.nightly) for name in KERNELS[1:])])
@pytest.mark.shows("B.3")
def test_the_cycles_of_the_command(name, quantum, command, tmp_path):
    got, (reads, writes, loads), contents = by_module(name, tmp_path / "module", quantum)
    figures_there, contents_there = command(name)
    assert got == figures_there
    assert int(reads) > 0 and int(writes) > 0 and int(loads) > 0  # the memory had all of it
    assert contents.keys() == contents_there.keys() and len(contents) > 3
    assert not [number for number, page in contents.items() if page != contents_there[number]]


def test_a_slower_memory(command, tmp_path):
    """Only the time changes, and it does so in the right direction."""
    (near, _), done, contents = by_module("vecadd", tmp_path / "near", 140)
    (far, _), others_done, others = by_module("vecadd", tmp_path / "far", 140, PATH + 100)
    assert near == command("vecadd")[0][0]
    assert int(far["cycles"]) >= int(near["cycles"]) + 100
    assert (others_done, others) == (done, contents) and (far["data"], far["instructions"]) == (near["data"], near["instructions"])


def test_half_a_line(tmp_path):
    """A store of eight words leaves the other bytes of their line as they are: the memory gets byte enables.  (The slice has the whole line, so contents alone
    do not tell.)"""
    (tmp_path / "in").write_bytes(b"\x55" * 256)
    words = ["--grid", 8, "--group", 8, "--arg", f"inout:{tmp_path}/in:{tmp_path}/out", "--arg", "fill:1:256", "--arg", "fill:2:256"]
    status, out, err = run("host/tlm/kernel", 140, PATH, *CONFIG, "//", "kernel", "-q", test_kernels.code_object("vecadd", 4), *words)
    assert status == 0, err
    assert int(re.search(r" \((\d+) of some bytes\)", out)[1]) > 0, out
    assert (tmp_path / "out").read_bytes() == b"\3" * 32 + b"\x55" * 224


def test_a_recording(command, tmp_path):
    """Commands, answers of host memory and changes of VRAM enter the module; every message out of it is compared."""
    line, _ = words("vecadd", tmp_path)
    keep = ["--set", "system.rtl=whole", "-q", "--record", tmp_path / "recording"]
    done = subprocess.run([ROOT / "build/bin/gantry", "kernel", *CONFIG, *keep, *line], cwd=ROOT, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stderr
    status, _, err = run("host/tlm/kernel", 140, PATH, *CONFIG, "//", "replay", "-q", tmp_path / "recording")
    assert status == 0 and "gantry: replay: every message, hash and counters as recorded" in err, err
    status, _, err = run("host/tlm/kernel", 140, PATH + 1, *CONFIG, "//", "replay", "-q", tmp_path / "recording")
    assert status == 70 and "differs" in err, err  # another memory is noticed
    status, _, err = run("host/tlm/kernel", 140, PATH, *CONFIG, "--set", "link.store=16", "//", "replay", "-q", tmp_path / "recording")
    assert status == 65 and "gantry: configuration: 'link.store: 8' of the machine, 'link.store: 16' of its GPUs" in err, err


BUFFERS = "--grid 64 --group 64 --arg zero:256 --arg fill:1:256 --arg fill:2:256".split()


@pytest.mark.parametrize("command_words, status, line", [
    (["kernel", "nowhere.co"], 66, "gantry: nowhere.co: "),
    (["kernel", "CODE", "--gpu", "1"], 64, "gantry: --gpu: 1: the machine has 1 GPU"),
    (["kernel", "-c", "tiny", "CODE"], 64, "gantry: -c: the configuration is that of the modules"),
    (["kernel", "--model", "golden", "CODE"], 64, "gantry: --model: a GPU that is simulated elsewhere is none of the golden model"),
    (["kernel", "--lockstep", "CODE"], 64, "gantry: --lockstep: not when a GPU is simulated elsewhere"),
    (["config"], 64, "gantry: config: is no command with GPUs: kernel, replay, run"),
])
def test_bad_commands(command_words, status, line):
    code = str(test_kernels.code_object("vecadd", 4))
    got, out, err = run("host/tlm/kernel", 140, PATH, *CONFIG, "//", *(code if word == "CODE" else word for word in command_words), *BUFFERS)
    assert got == status and any(text.startswith(line) for text in err.splitlines()), err
    assert out in ("", "gpu0_memory: 0 reads, 0 writes (0 of some bytes), 0 loads\n")  # nothing ran


def test_a_memory_that_ends(tmp_path):
    """Its loader, and the GPU."""
    line, _ = words("vecadd", tmp_path)
    status, out, err = run("host/tlm/kernel", 140, PATH, "--refuse-at", 0x100000, *CONFIG, "//", "kernel", "-q", *line)
    assert status == 1 and "gpu0: its memory takes no transport_dbg of byte " in out + err, out + err
