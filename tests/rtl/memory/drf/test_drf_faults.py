# SPDX-License-Identifier: Apache-2.0
"""The random tester finds each seeded fault of faults.tsv, and with two GPUs those of faults_two.tsv and plants.h, within 20,000 episodes.
One model has them all, each behind a question for its number, so that a fault costs a run and no build; with number 0 it is the memory
path as it is, and `make test` runs the tester on it, instead of on a second model (tb.cpp in `make nightly`).
Not responsible for: the tester itself (tb.cpp)."""
import collections
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import bench_files  # noqa: E402
from verify import test_cases  # noqa: E402

OUT = ROOT / "build/tests/rtl/memory/drf"
Fault = collections.namedtuple("Fault", "number name source how old new")
ROWS = [line for name in ("faults.tsv", "faults_two.tsv") for line in (HERE / name).read_text().splitlines() if line and not line.startswith("#")]
FAULTS = [Fault(n, *line.split("\t")) for n, line in enumerate(ROWS, 1)]
OF_TWO = [f for f in FAULTS if f"\n{f.name}\t" in (HERE / "faults_two.tsv").read_text()]
REQUESTER = ("far-cache-line-older-than-acquire",)  # of the cache of far lines
PLANTS = re.findall(r'^    "([a-z-]+)",', (HERE / "plants.h").read_text(), re.M)[1:]
WRAP = {"expr": "(drf_fault_pkg::is_on({n}) ? ({new}) : ({old}))", "stmt": "begin if (drf_fault_pkg::is_on({n})) begin {new} end else begin {old} end end"}


def head(kind, folder="drf"):
    return re.search(rf"^// {kind}: (.*\S)", (HERE.parent / folder / "tb.cpp").read_text(), re.M)[1].split()


def planted(source):
    """The text of a source with all its faults; each must stand there once, and none in another."""
    text = (ROOT / source).read_text()
    places = []
    for f in (f for f in FAULTS if f.source == pathlib.Path(source).name):
        assert text.count(f.old) == 1, f"{f.name}: {text.count(f.old)} times in {source}: {f.old}"
        places.append((text.index(f.old), f))
    for begin, f in sorted(places, reverse=True):
        text = text[:begin] + WRAP[f.how].format(n=f.number, old=f.old, new=f.new) + text[begin + len(f.old):]
    return text


def built(folder):
    """The model of a bench with all faults."""
    sources, out = [], OUT.parent / folder / "Vfaults"
    for source in bench_files.sources(HERE.parent / folder / "tb.cpp"):
        if source.startswith("build/gen/"):
            subprocess.run(["make", "-s", source], cwd=ROOT, check=True)
        if any(f.source == pathlib.Path(source).name for f in FAULTS):
            copy = OUT / "faults" / pathlib.Path(source).name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists() or copy.read_text() != planted(source):
                copy.write_text(planted(source))
            source = str(copy.relative_to(ROOT))
        sources.append(source)
    flags = dict(line.split("=", 1) for line in subprocess.run(["make", "-s", "print-flags"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines())
    library = ["--dep", "build/lib/libgantry.a", *[f"--ldflag={a}" for a in [str(ROOT / "build/lib/libgantry.a"), *flags["LDLIBS"].split()]]]
    cmd = [sys.executable, "sw/tools/builder/verilate.py", "--top", "drf_top", "--out", str(out), "--exe", str((HERE / "tb.cpp").relative_to(ROOT)),
           "--opt=-O3", "--ldflag=-fuse-ld=lld", *[f"--cflag={a}" for a in head("cflags")], *library, *[f"--arg={a}" for a in [*head("args"), "-Wno-lint", "-Wno-style"]]]
    done = subprocess.run([*cmd, str((HERE / "drf_fault_pkg.sv").relative_to(ROOT)), *sources], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    return out / "Vdrf_top"


@pytest.fixture(scope="module")
def model():
    return built("drf")


@pytest.fixture(scope="module")
def requester():
    return built("drf_requester")


def run(model, *words):
    return subprocess.run([model, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)


def test_sources_differ_in_one_place_a_fault():
    for f in FAULTS:
        assert f.old != f.new and f.how in WRAP
        planted(next(s for s in bench_files.sources(HERE / "tb.cpp") if pathlib.Path(s).name == f.source))
    assert len({f.name for f in FAULTS}) == len(FAULTS) and len({f.name for f in FAULTS} - set(LATE)) >= 30 and len(PLANTS) >= 10
    assert set(LATE) <= {f.name for f in FAULTS} | set(PLANTS)


@pytest.mark.shows("S0.19", "S1.2", "S1.4", "S1.9", "S1.10", "S1.13", "S1.14", "S3.12", "S4.14", "B.11")
def test_without_a_fault(model):
    """Each case by hand and 20,000 episodes: half of them with one GPU, then half with two, whose pages move."""
    done = run(model, "episodes=10000", "other=10000", "fault=0")
    assert done.returncode == 0, done.stdout
    assert not test_cases.difference(HERE / "tb.cpp", done.stdout)


@pytest.mark.shows("B.11")
@pytest.mark.parametrize("words", [["seed=2", "episodes=500"], ["seed=7", "gpus=2", "episodes=300"]], ids=["one-gpu", "two-gpus"])
def test_accesses_of_no_page(model, words):
    """Each ends with a fault at its address, beside all else, which does not notice; with two GPUs translations are withheld first, and clients end."""
    done = run(model, *words, "hand=0")
    assert done.returncode == 0, done.stdout
    assert int(re.search(r", (\d+) accesses of no page$", done.stdout, re.M)[1]) > 100
    if "gpus=2" in words:
        ended, cut = re.search(r"; (\d+) clients ended, (\d+) episodes cut short$", done.stdout, re.M).groups()
        assert int(ended) > 0 and int(cut) > 0, done.stdout


OF_KILLS = ("kill-in-the-way", "moves-of-ended")
# Found after more episodes than others: 1 to 10 s each.
LATE = ("vmem-invalidation-too-early", "tlb-last-page-of-a-range", "tlb-l2-stale-after-256", "l1v-far-line-kept", "l1v-store-keeps-line", "tlb-l1-vmid-not-dropped",
        "tlb-l2-withheld-page-left", "l1v-waiter-lost", "noc-credit-lost", "sqc-tag-of-20-bits", "tlb-l2-withheld-one-of-many", "tlb-l2-sweep-ends-early",
        "tlb-l2-lock-is-a-fault", "walker-keeps-second-level", "push-line-left-out",
        "answered-by-arrival", "freed-while-lines-come", "fragment-stays-on-neighbours", "shoot-down-misses-groups", "waiter-forgotten")


def found(model, *words, seeds=(1, 2)):
    for seed in seeds:  # a fault that the first misses, as times change, the second finds
        done = run(model, *words, "noshrink", f"seed={seed}")
        if done.returncode:
            break
    assert done.returncode == 1, f"not noticed: {words}\n{done.stdout}"
    assert re.search(r"^FAIL |%Error|^gantry: .*CHECK", done.stdout, re.M), done.stdout


@pytest.mark.parametrize("fault", [pytest.param(f, id=f.name, marks=pytest.mark.nightly if f.name in LATE else []) for f in FAULTS if f.name not in REQUESTER])
def test_fault_is_found(model, fault):
    found(model, f"fault={fault.number}", *["gpus=2"] * (fault in OF_TWO), seeds=(2, 3) if "denied" in fault.name else (1, 2))  # accesses of no page


@pytest.mark.parametrize("plant", [pytest.param(p, marks=pytest.mark.nightly if p in LATE else []) for p in PLANTS])
def test_fault_of_the_host_is_found(model, plant):
    found(model, f"plant={plant}", "gpus=2", seeds=(3, 2) if plant in OF_KILLS else (1, 2))


@pytest.mark.nightly
@pytest.mark.parametrize("name", REQUESTER)
def test_fault_in_requester_mode_is_found(requester, name):
    found(requester, f"fault={next(f.number for f in FAULTS if f.name == name)}", "gpus=2")


# Of faults.tsv those by which a page would be used where it is no more.
@pytest.mark.nightly
@pytest.mark.parametrize("name", ["vmem-invalidation-too-early", "tlb-l2-withheld-page-left", "tlb-l2-withheld-one-of-many"])
def test_fault_is_found_with_two_gpus(model, name):
    found(model, f"fault={next(f.number for f in FAULTS if f.name == name)}", "gpus=2")


def test_failing_run_is_shrunk(model):
    """A fault that shows after hundreds of episodes needs a few of few agents, and the run that is named fails as it says."""
    number = next(f.number for f in FAULTS if f.name == "l1v-store-keeps-line")
    done = run(model, f"fault={number}", "seed=2")
    kind = re.search(r"^(FAIL [\w ]+): ", done.stdout, re.M)[1]
    words = re.search(r"^shrunk in \d+ runs: (.*)", done.stdout, re.M)[1].split()
    small = dict(word.split("=") for word in words)
    assert int(small["episodes"]) <= 10 and int(small["vectors"], 0).bit_count() <= 4, done.stdout
    again = run(model, f"fault={number}", *words, "noshrink")
    assert again.returncode == 1 and re.search(rf"^{kind}: ", again.stdout, re.M), again.stdout
