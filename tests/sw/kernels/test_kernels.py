# SPDX-License-Identifier: Apache-2.0
"""Every kernel of sw/kernels, from its code object in versions 2 to 5, against plain Python (S0.16, S3.7)."""
import functools
import pathlib
import re
import subprocess
import sys

import pytest
from builder import release

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference  # noqa: E402

PARTS = ["cu", "sqc", "noc", "l2", "utcl2", "rdma", "dispatch"]
MODELS = ["golden"] + (["rtl"] if all(any((ROOT / "rtl").rglob(f"part_{p}.sv")) for p in PARTS) else [])
VERSIONS = [2, 3, 4, 5]


@functools.cache
def code_object(name, version):
    path = ROOT / f"build/kernels/{name}.v{version}.co"
    done = subprocess.run(["make", "-s", f"build/kernels/{name}.v{version}.co"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


def flip(args, byte):
    """The arguments with the lowest bit of one byte of the first input the other way."""
    first = next(i for i, arg in enumerate(args) if arg[0] in ("in", "inout"))
    kind, data = args[first]
    return [*args[:first], (kind, data[:byte] + bytes([data[byte] ^ 1]) + data[byte + 1:]), *args[first + 1:]]


def launch(name, version, folder, *options, seed=1, config="tiny", arguments=None):
    """Run; the final line as a dictionary, the output buffers, the expected ones."""
    grid, group, args, expected = reference.case(name, seed)
    command = [ROOT / "build/bin/gantry", "kernel", "-c", config, *options, code_object(name, version), "--grid", grid, "--group", group]
    outputs = []
    for i, arg in enumerate(arguments or args):
        kind, value = arg if isinstance(arg, tuple) else ("plain", arg)
        if kind in ("in", "inout"):
            (folder / f"in{i}").write_bytes(value)
        if kind in ("out", "inout"):
            outputs.append(folder / f"out{i}")
        command += ["--arg", {"in": f"in:{folder}/in{i}", "inout": f"inout:{folder}/in{i}:{folder}/out{i}", "out": f"out:{value}:{folder}/out{i}",
                              "lds": f"lds:{value}", "plain": value}[kind]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}"
    line = dict(re.findall(r"(\w+)=(\S+)", done.stderr))
    return line, [p.read_bytes() for p in outputs], expected


def difference(got, want):
    for n, (g, w) in enumerate(zip(got, want)):
        assert len(g) == len(w), f"buffer {n}: {len(g)} bytes instead of {len(w)}"
        wrong = [i for i in range(len(g)) if g[i] != w[i]]
        assert not wrong, f"buffer {n}: {len(wrong)} bytes differ, first at {wrong[0]}: {g[wrong[0]]} instead of {w[wrong[0]]}"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", list(reference.CASES))
@pytest.mark.shows("S0.16")
def test_kernel(name, version, model, tmp_path):
    line, got, want = launch(name, version, tmp_path, "--model", model)
    difference(got, want)
    assert int(line["instructions"]) > 0 and line["kernels"] == "1"
    assert (int(line["cycles"]) > 0) == (model == "rtl")


@pytest.mark.skipif("rtl" not in MODELS, reason="the RTL of the GPU is not complete")
@pytest.mark.parametrize("name", list(reference.CASES))
@pytest.mark.shows("B.6")
def test_lockstep(name, tmp_path):
    """Every retired instruction agrees with the golden model; `data` is equal between the models."""
    line, got, want = launch(name, 4, tmp_path, "--lockstep")
    difference(got, want)
    assert int(line["compared"]) == int(line["retired"]) == int(line["instructions"]) > 0
    assert launch(name, 4, tmp_path, "--model", "golden")[0]["data"] == line["data"]


@pytest.mark.skipif("rtl" not in MODELS, reason="the RTL of the GPU is not complete")
@pytest.mark.shows("B.4")
def test_rtl_repeats_and_sees_one_byte(tmp_path):
    """B.4: the same launch gives the same cycles and hash, also when idle partitions are evaluated; other input another hash."""
    first, again, all_on = (launch("hash", 4, tmp_path, *o)[0] for o in ([], [], ["--no-skip"]))
    assert all(first[k] == again[k] == all_on[k] for k in ("cycles", "hash", "counters", "now"))
    assert launch("hash", 4, tmp_path, seed=2)[0]["hash"] != first["hash"]


def test_every_kernel_has_a_reference():
    assert set(reference.CASES) == {path.stem for path in (ROOT / "sw/kernels").glob("*.cl")}


def test_reference_can_differ(tmp_path):
    """The comparison itself notices one wrong byte."""
    with pytest.raises(AssertionError):
        difference([b"\0\1"], [b"\0\2"])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name, byte", [("vecadd", 0), ("vecadd", 799), ("hash", 513)])
def test_one_input_byte(name, byte, model, tmp_path):
    """One bit of one input byte changes `data` and `hash`; the same input gives the same."""
    args = reference.case(name)[2]
    lines = [launch(name, 4, tmp_path, "--model", model, arguments=a)[0] for a in (args, args, flip(args, byte))]
    one, again, other = ((line["data"], line["hash"]) for line in lines)
    assert one == again
    assert one[0] != other[0] and one[1] != other[1]


def test_hash_of_the_golden_model_follows_what_is_written(tmp_path):
    """Also where `data` does not, because the last store to a place is the same: the stream counts, not what is left of it."""
    source = tmp_path / "twice.cl"
    source.write_text("kernel void twice(global volatile uint *to, uint first) { to[get_global_id(0)] = first; to[get_global_id(0)] = 7; }")
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-o", tmp_path / "twice.co",
                    release.bitcode(), source], check=True)
    found = []
    for first in (1, 2):
        command = [ROOT / "build/bin/gantry", "kernel", "-c", "tiny", "-q", "--model", "golden", tmp_path / "twice.co", "--grid", "64", "--group", "64",
                   "--arg", "zero:256", "--arg", f"u32:{first}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        found.append(dict(re.findall(r"(\w+)=(\S+)", done.stderr)))
    assert found[0]["data"] == found[1]["data"] and found[0]["hash"] != found[1]["hash"], found
