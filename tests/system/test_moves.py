# SPDX-License-Identifier: Apache-2.0
"""Pages that move on command while kernels run (S1.8 to S1.14; `move` of a script): the same `data` as without moves and as the golden model, the
same cycles however the machine is placed, recorded, replayed and restored, no difference in lock step; what is refused is one line."""
import random
import re
import subprocess

import pytest
from live import GANTRY, ROOT

SOURCE = """
kernel void add(global int *c, global const int *a, global const int *b) { size_t i = get_global_id(0); c[i] = a[i] + b[i]; }
kernel void count(global uint *n, uint rounds)
{
    for (uint i = 0; i < rounds; i++) atomic_inc(n + (get_global_id(0) * 37 + i * 1024) % 32768);
}
"""
# Two GPUs; everything is on GPU 0 at first.  Moves before a kernel, beside it, one behind the other, and home.
SCRIPT = """
object: {co}
buffers:
  a: fill:1:128K
  b: fill:2:128K
  c: zero:128K
  n: zero:128K
  alone: fill:9:4K
launches:
{before}
  - {{kernel: add, grid: 32768, group: 64, args: [buf:c, buf:a, buf:b]}}
{between}
  - {{kernel: count, grid: 2048, group: 64, args: [buf:n, u32:64]}}
  - {{kernel: add, grid: 32768, group: 64, args: [buf:b, buf:c, buf:a]}}
{behind}
expect:
  a: fill:1:128K
  b: fill:4:128K
  c: fill:3:128K
  n: in:{want}
  alone: fill:9:4K
"""
MOVES = {"before": "  - move: {buffer: alone, to: 1}\n  - move: {buffer: a, to: 1, after: 200}\n  - move: {buffer: c, to: 1, after: 1500}",
         "between": "  - move: {buffer: c, to: 0, after: 0}\n  - move: {buffer: n, to: 1, after: 3000}\n  - move: {buffer: n, to: 0, after: 3001}\n"
                    "  - move: {buffer: n, to: 1, after: 3002}",
         "behind": "  - move: {buffer: alone, to: 0}"}
NONE = {"before": "", "between": "", "behind": ""}


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    from builder import release
    folder = tmp_path_factory.mktemp("moves")
    (folder / "x.cl").write_text(SOURCE)
    subprocess.run(["clang-19", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803", "-O2", "-mcode-object-version=5",
                    release.bitcode(), "-o", folder / "x.co", folder / "x.cl"], check=True)
    counts = [0] * 32768
    for g in range(2048):
        for i in range(64):
            counts[(g * 37 + i * 1024) % 32768] += 1
    (folder / "want").write_bytes(b"".join(n.to_bytes(4, "little") for n in counts))
    return folder


def script(code, moves):
    path = code / "script.yaml"
    path.write_text(SCRIPT.format(co=code / "x.co", want=code / "want", **moves))
    return path


def run(*words, status=0):
    done = subprocess.run([GANTRY, *map(str, words)], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == status, done.stderr
    return done.stderr


def figures(err):
    line = [text for text in err.splitlines() if text.startswith("gantry: gpus=")][-1]
    found = dict(re.findall(r"(\w+)=(\S+)", line))
    return {key: found[key] for key in ("kernels", "cycles", "instructions", "repeatable", "hash", "data", "now")}


def moved(code, *words, moves=MOVES):
    return run("kernel", "-c", "demo", *words, "--script", script(code, moves))


@pytest.fixture(scope="module")
def plain(code):
    """On RTL, with what it told."""
    err = moved(code, "-v")
    return err, figures(err)


@pytest.mark.shows("S1.14")  # what waited for a page is done, at its new place
def test_data_is_that_of_a_run_without_moves(code, plain):
    err, with_moves = plain
    assert len(re.findall(r"migrate info page \S+ \d+ bytes are at", err)) == 1 + 2 * 6 + 1
    assert re.search(r"an access of vmid 1 waits for locked page", err)
    assert with_moves["data"] == figures(moved(code, moves=NONE))["data"] == figures(moved(code, "--model", "golden"))["data"]


@pytest.mark.parametrize("settings", [["place.processes=2"], ["clock.mode=free"], pytest.param(["system.gpus=3", "place.processes=3"], marks=pytest.mark.nightly)])
def test_wherever_it_runs(code, plain, settings):
    words = [word for s in settings for word in ("--set", s)]
    found = figures(moved(code, *words))
    if "system.gpus=3" in settings:  # another machine: only what programs see
        found = {key: found[key] for key in ("kernels", "instructions", "data")}
    assert found == {key: plain[1][key] for key in found}


def test_while_nothing_is_placed(code, plain):
    found = figures(moved(code, "--set", "migrate.hold=dispatch"))
    assert {key: found[key] for key in ("kernels", "instructions", "data")} == {key: plain[1][key] for key in ("kernels", "instructions", "data")}


@pytest.mark.nightly  # a model of its own
def test_of_a_whole_gpu(code, plain):
    assert figures(moved(code, "--set", "system.rtl=whole")) == plain[1]


def test_lockstep(code, plain):
    err = moved(code, "--lockstep")
    compared, retired = re.search(r"lockstep compared=(\d+) retired=(\d+)", err).groups()
    assert compared == retired and int(compared) > 10000
    assert figures(err) == plain[1]


def test_recorded_and_gone_on(code, plain, tmp_path):
    """The checkpoint lies in the middle of a batch, while accesses wait for its pages."""
    waits = int(re.search(r"^(\d+) cp info gpu0: an access of vmid 1 waits for locked page", plain[0], re.M)[1])
    err = moved(code, "--record", tmp_path / "rec", "--checkpoint", f"cycle:{waits + 100},{tmp_path / 'state'}")
    assert figures(err) == plain[1]
    assert figures(run("replay", tmp_path / "rec")) == plain[1]
    assert figures(run("restore", tmp_path / "state")) == plain[1]


def test_a_gpu_without_memory_takes_nothing(code, tmp_path):
    """S1.8 by the command: one line that names the page; of 98.4 MiB for buffers 98 are for pages of others, so the last of them finds no place."""
    path = tmp_path / "full.yaml"
    path.write_text(f"object: {code / 'x.co'}\nbuffers: {{a: fill:5:60M, b: fill:6:37M, c: fill:7:1280K}}\nlaunches:\n  - move: {{buffer: a, to: 1}}\n"
                    "  - move: {buffer: b, to: 1}\n  - move: {buffer: c, to: 1}\n")
    for mib, status in ((100, 65), (128, 0)):
        err = run("kernel", "-c", "demo", "--set", f"gpu.vram_mib={mib}", "--model", "golden", "--script", path, status=status)
        told = [line for line in err.splitlines() if not line.startswith("gantry: gpus=")]
        assert len(told) == (status != 0) and all(re.fullmatch(r"gantry: move: page 0x1\w{12}: no memory is left there", line) for line in told), err


def test_home_is_where_it_is(code, tmp_path):
    """A move to the GPU that has the pages is none; several of one page, asked for at once, go one behind the other."""
    path = tmp_path / "home.yaml"
    head = f"object: {code / 'x.co'}\nbuffers: {{a: fill:1:64K, b: fill:2:64K, c: zero:64K}}\nlaunches:\n"
    adds = "  - {kernel: add, grid: 16384, group: 64, args: [buf:c, buf:a, buf:b]}\n"
    for gpus, moves in (([0], 0), ([0, 0, 0], 0), ([1, 1, 0, 0, 1], 3), ([1, 0, 1, 0, 1, 0], 6)):
        goes = "".join(f"  - move: {{buffer: a, to: {gpu}, after: 500}}\n" for gpu in gpus)
        path.write_text(head + goes + adds + "expect: {c: fill:3:64K}\n")
        err = run("kernel", "-c", "demo", "-v", "--script", path)
        assert len(re.findall(r"migrate info page \S+ \d+ bytes are at", err)) == moves, err


def test_home_when_nothing_runs(code, tmp_path):
    """Pages that left beside a kernel come home behind it: their first frames are empty, as no cache is in use."""
    path = tmp_path / "rest.yaml"
    path.write_text(f"object: {code / 'x.co'}\nbuffers: {{a: fill:1:132K, n: zero:128K}}\nlaunches:\n  - move: {{buffer: a, to: 1, after: 81}}\n"
                    "  - {kernel: count, grid: 1024, group: 64, args: [buf:n, u32:6]}\n  - move: {buffer: a, to: 0}\n"
                    "  - {kernel: count, grid: 1024, group: 64, args: [buf:n, u32:23]}\nexpect: {a: fill:1:132K}\n")
    err = run("kernel", "-c", "demo", "-v", "--script", path)
    assert len(re.findall(r"migrate info page \S+ \d+ bytes are at", err)) == 6 and figures(err)["kernels"] == "2", err


def test_half_of_it_is_there(code, tmp_path):
    """A block of which some pages have gone before goes in pieces, from two GPUs; all of it comes home."""
    path = tmp_path / "half.yaml"
    head = f"object: {code / 'x.co'}\nbuffers: {{a: fill:1:64K, b: fill:2:64K, c: zero:64K}}\nlaunches:\n"
    adds = "  - {kernel: add, grid: 16384, group: 64, args: [buf:c, buf:a, buf:b]}\n"
    goes = "  - move: {buffer: c, to: 1, after: 1000}\n  - move: {buffer: c, to: 0, after: 1001}\n"
    path.write_text(head + goes + adds + goes + adds + "expect: {c: fill:3:64K}\n")
    for page in ("4K", "64K"):
        err = run("kernel", "-c", "demo", "-v", "--set", f"migrate.page={page}", "--script", path)
        assert len(re.findall(r"migrate info page \S+ \d+ bytes are at", err)) == (64 if page == "4K" else 4)


SEEDS = [pytest.param(seed, marks=[] if seed < 2 else pytest.mark.nightly) for seed in range(40)]


@pytest.mark.parametrize("seed", SEEDS)
def test_at_random(code, tmp_path, seed):
    """Kernels that read, write and count in buffers whose pages go to and fro, in blocks and single pages, of 2 to 4 GPUs (by day 2)."""
    rng = random.Random(seed)
    gpus = 2 if seed < 2 else rng.choice((2, 3, 4))
    sizes = {name: rng.choice((4, 20, 64, 132, 256)) for name in "abcdef"}
    text = [f"object: {code / 'x.co'}", "buffers:"] + [f"  {name}: fill:{rng.randrange(1, 9)}:{kib}K" for name, kib in sizes.items()]
    text += ["  n: zero:128K", "launches:"]
    for _ in range(8):
        for _ in range(rng.randrange(5)):
            after = rng.choice(("", f", after: {rng.randrange(3000)}"))
            text.append(f"  - move: {{buffer: {rng.choice('abcdefn')}, to: {rng.randrange(gpus)}{after}}}")
        names = [rng.choice("abcdef") for _ in range(3)]
        items = min(sizes[name] for name in names) * 256
        text.append(f"  - {{kernel: count, grid: 1024, group: 64, args: [buf:n, u32:{rng.randrange(1, 40)}]}}" if rng.random() < 0.3 else
                    f"  - {{kernel: add, grid: {items}, group: 64, args: [{', '.join('buf:' + name for name in names)}]}}")
    path = tmp_path / "random.yaml"
    path.write_text("\n".join(text) + "\n")
    words = ["kernel", "-c", "demo", "--script", path, "--set", f"system.gpus={gpus}", "--set", f"migrate.page={rng.choice(('4K', '64K'))}",
             "--set", f"migrate.hold={rng.choice(('page', 'dispatch'))}"]
    mode = ["--set", "gpu.l2.mode=requester"] if seed >= 2 and rng.random() < 0.3 else []
    want = figures(run(*words, "--model", "golden"))
    found = figures(run(*words, *mode, "--lockstep"))
    assert {key: found[key] for key in ("kernels", "instructions", "data")} == {key: want[key] for key in ("kernels", "instructions", "data")}


@pytest.mark.parametrize("move, cause", [
    ("{buffer: z, to: 1}", "buffer: no such buffer"), ("{buffer: a, to: 64}", "to: not a number, or too large"), ("{buffer: a}", "move: needs buffer and to"),
    ("{buffer: a, to: 1, after: x}", "after: not a number"), ("{buffer: a, to: 1, when: 2}", "when: unknown key"), ("7", "expected keys and values"),
    ("{buffer: a, to: 2}", "there is no such GPU")])
def test_refused(code, tmp_path, move, cause):
    path = tmp_path / "bad.yaml"
    path.write_text(f"object: {code / 'x.co'}\nbuffers: {{a: zero:4K}}\nlaunches:\n  - move: {move}\n")
    err = run("kernel", "-c", "demo", "--model", "golden", "--script", path, status=64 if "there is no" in cause else 65)
    told = [line for line in err.splitlines() if not line.startswith("gantry: gpus=")]
    assert len(told) == 1 and cause in told[0], err
