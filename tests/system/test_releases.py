# SPDX-License-Identifier: Apache-2.0
"""Releases of Debian bring different compilers and user spaces, so `data` and cycles of whole programs differ.  What must not: the results that each program
of sw/apps brings back from the GPUs (programs/results.c), and the cycles of a kernel alone whose code is the same (`gantry kernel`).  releases.tsv holds both; it
was written on one release (`build/venv/bin/python tests/system/test_releases.py`) and is checked on each.  By day a few on the golden model, nightly all."""
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "sw/kernels"), str(HERE.parents[1] / "sw/tools")]
import reference  # noqa: E402
import test_kernels  # noqa: E402
from live import MODELS, ROOT  # noqa: E402
from test_programs import FAMILIES, ORDER, SINGLE, built, tiny_run  # noqa: E402

TABLE = HERE / "releases.tsv"
RACES = {"saxpy2"}  # its own threads
PROGRAMS = sorted({*FAMILIES, *SINGLE} - ORDER - RACES)
OTHER_CODE = {"real64"}  # has functions of the device library, which releases bring in different versions
KERNELS = sorted(set(reference.CASES) - OTHER_CODE)
OFTEN = ["vecadd", "matmul", "copies"]
VERSION = 4  # code objects by clang 19, which all releases have
rtl = pytest.mark.skipif("rtl" not in MODELS, reason="GANTRY_MODELS leaves the RTL out")


def preloaded(folder):
    target = folder / "results.so"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", target, HERE / "programs/results.c", "-ldl"], check=True)
    return target


def results(name, library, model="golden", options=()):
    """(copies from a device, hash over them)"""
    run = tiny_run(["env", f"LD_PRELOAD={library}", built(name, "O2")], "--model", model, *options)
    found = re.search(r"^results: (\d+) copies, (\w{16})$", run.err, re.M)
    assert run.status == 0 and f"{name}: PASSED" in run.out and found, run
    return list(found.groups())


def code(name, folder):
    """Digest of the instructions; the object names the compiler, too."""
    text = folder / "text"
    objcopy = ["llvm-objcopy-19", "-O", "binary", "--only-section=.text", test_kernels.code_object(name, VERSION), text]
    subprocess.run(objcopy, check=True)
    return hashlib.sha256(text.read_bytes()).hexdigest()[:16]


def kernel(name, folder):
    """(digest of the code, instructions, cycles on the RTL)"""
    line = test_kernels.launch(name, VERSION, folder)[0]
    return [code(name, folder), line["instructions"], line["cycles"]]


def table(kind):
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {name: row for of, name, *row in rows if of == kind}


def often(names):
    return [n if n in OFTEN else pytest.param(n, marks=pytest.mark.nightly) for n in names]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return preloaded(tmp_path_factory.mktemp("results"))


def test_table_is_whole():
    assert list(table("program")) == PROGRAMS and list(table("kernel")) == KERNELS


@pytest.mark.parametrize("name", often(PROGRAMS))
@pytest.mark.shows("B.1")
def test_results_of_a_program(name, library):
    assert results(name, library) == table("program")[name]


@rtl
@pytest.mark.nightly
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_of_a_program_on_the_rtl(name, library):
    assert results(name, library, "rtl") == table("program")[name]


@pytest.mark.parametrize("name", KERNELS)
def test_code_of_a_kernel(name, tmp_path):
    """Else its cycles say nothing about the release."""
    assert code(name, tmp_path) == table("kernel")[name][0]


@rtl
@pytest.mark.nightly
@pytest.mark.parametrize("name", KERNELS)
def test_cycles_of_a_kernel(name, tmp_path):
    assert kernel(name, tmp_path) == table("kernel")[name]


def test_another_result_is_noticed(library):
    """A seed that is not the usual one, thus other inputs."""
    run = tiny_run(["env", f"LD_PRELOAD={library}", built("vecadd", "O2"), "500", "1", "1234"], "--model", "golden")
    found = re.search(r"^results: 1 copies, (\w{16})$", run.err, re.M)
    assert run.status == 0 and found and found[1] != table("program")["vecadd"][1], run


def write():
    with tempfile.TemporaryDirectory() as folder:
        library = preloaded(pathlib.Path(folder))
        rows = ["# program, name, copies from a device, hash of them; kernel, name, digest of its code, instructions, cycles on configs/tiny.yaml"]
        rows += ["\t".join(["program", name, *results(name, library)]) for name in PROGRAMS]
        for name in KERNELS:
            with tempfile.TemporaryDirectory() as place:
                rows.append("\t".join(["kernel", name, *kernel(name, pathlib.Path(place))]))
    TABLE.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("GANTRY_ROOT", str(ROOT))
    write()
