# SPDX-License-Identifier: Apache-2.0
"""Configuration: files, keys, ranges, rules between keys (S0.1, S0.3, S0.4), and that all generated forms agree."""
import json
import pathlib
import re
import resource
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
GANTRY = ROOT / "build/bin/gantry"


def config(*args):
    done = subprocess.run([GANTRY, "config", *map(str, args)], cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def resolved(*args):
    code, out, err = config(*args)
    assert code == 0, err
    return dict(line.split(": ", 1) for line in out.splitlines())


def error(*args):
    code, _, err = config(*args)
    assert err.count("\n") == 1 and err.startswith("gantry: "), err
    return code, err.strip()


def written(tmp_path, text, name="x.yaml"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name, gpus, cus", [("smallest", 1, 1), ("tiny", 1, 1), ("demo", 2, 4), ("r9nano", 1, 64), ("fpga-ddr3", 1, 1), ("fpga-sdr", 1, 1), ("r9nano-2gpu", 2, 64), ("r9nano-4gpu", 4, 64)])
@pytest.mark.shows("S0.1")
def test_named_systems(name, gpus, cus):
    """S0.1: N GPUs of one configuration; a named system says at its head what it is for and how it is tested."""
    values = resolved("-c", f"configs/{name}.yaml")
    assert (values["system.gpus"], values["gpu.cu.count"]) == (str(gpus), str(cus))
    assert resolved("-c", name) == values
    head = (ROOT / f"configs/{name}.yaml").read_text().split("\n\n")[0]
    assert re.search(rf"^# {name}: ", head, re.M) and "Tested by" in head


@pytest.mark.shows("S0.3", "S0.4")
def test_identities_and_windows_are_unique():
    """S0.3, S0.4: without being told, every GPU gets its own identity and its own doorbell window."""
    values = resolved("--set", "system.gpus=8")
    for key in ("system.gpu_ids", "system.doorbell_windows"):
        numbers = values[key].strip("[]").split(", ")
        assert len(numbers) == len(set(numbers)) == 8


@pytest.mark.shows("S0.3")
def test_same_identity_is_refused(tmp_path):
    """S0.3: duplicates end the elaboration."""
    path = written(tmp_path, "system:\n  gpus: 2\n  gpu_ids: [7, 7]\n")
    code, text = error("-c", path)
    assert code == 65 and text == f"gantry: {path}:3: system.gpu_ids: GPU 0 and GPU 1 have the same identity 7"


@pytest.mark.shows("S0.4")
def test_overlapping_windows_are_refused(tmp_path):
    """S0.4: the checker rejects overlap, also partial, and accepts neighbours."""
    path = written(tmp_path, "system:\n  gpus: 3\n  doorbell_kib: 128\n  doorbell_windows: [1024, 2048, 1088]\n")
    code, text = error("-c", path)
    assert code == 65 and f"{path}:4: system.doorbell_windows: windows of GPU 0 (1024 KiB) and GPU 2 (1088 KiB) overlap" in text
    assert config("-c", written(tmp_path, "system: {gpus: 2, doorbell_kib: 128, doorbell_windows: [1024, 1152]}\n"))[0] == 0
    assert error("-c", written(tmp_path, "system: {gpus: 2, doorbell_windows: [1024]}\n"))[0] == 65


def test_the_old_rate_of_links_is_refused(tmp_path):
    """One line names what has taken its place, from a file, --set and --get."""
    cause = "gpu.rdma.bytes_per_cycle: is no more: link.host_bytes_per_cycle is the rate of the host's link, link.gpu_bytes_per_cycle that between GPUs"
    path = written(tmp_path, "gpu:\n  rdma:\n    bytes_per_cycle: 32\n")
    assert error("-c", path) == (65, f"gantry: {path}:3: {cause}")
    assert error("--set", "gpu.rdma.bytes_per_cycle=16") == (65, f"gantry: --set: {cause}")
    assert error("--get", "gpu.rdma.bytes_per_cycle") == (64, f"gantry: --get: {cause}")


@pytest.mark.parametrize("settings, key, cause", [
    (["link.host=30000"], "link.host", "30000 cycles at 16 bytes a cycle take 20016 credits: 11824 more than the 8192 there can be"),
    (["system.gpus=2", "link.gpu=6141"], "link.gpu", "6141 cycles at 32 bytes a cycle take 8208 credits: 16 more than the 8192 there can be"),
    (["system.gpus=1", "gpu.rdma.outstanding=64"], "gpu.rdma.outstanding", "64 entries do not keep the rate of the links: 112 are needed, 48 more"),
    (["system.gpus=2", "gpu.rdma.outstanding=319"], "gpu.rdma.outstanding", "319 entries do not keep the rate of the links: 320 are needed, 1 more")])
def test_what_cannot_keep_the_rate_of_a_link_is_refused(settings, key, cause):
    """With the shortfall, in one line."""
    code, text = error(*(word for setting in settings for word in ("--set", setting)))
    assert code == 65 and text.endswith(f": {key}: {cause}"), text


@pytest.mark.parametrize("boards, cause", [
    ("gpu0.rdma=sim gpu0.rdma=usb:A", "gpu0.rdma is placed twice"),
    ("gpu0.rdma=usb:A,gpu0.l2s0=sim,gpu0.noc=usb:A", "gpu0.rdma and gpu0.noc on one board: usb:A holds one partition"),
    ("gpu0.rdma=SIM", "SIM: no such kind of board (sim, or usb:SERIAL; gantry boards lists what is plugged in)"),
    ("gpu0.rdma=", ": no such kind of board (sim, or usb:SERIAL; gantry boards lists what is plugged in)"),
    ("gpu0.rdma=usb:", "usb:: a serial number has 1 to 63 characters"),
    (f"gpu0.rdma=usb:{64 * 'x'}", f"usb:{64 * 'x'}: a serial number has 1 to 63 characters"),
    (f"{40 * 'p'}=sim", f"{40 * 'p'}=sim: expected PARTITION=BOARD, as in gpu0.rdma=sim"),
    ("sim", "sim: expected PARTITION=BOARD, as in gpu0.rdma=sim")])
def test_wrong_boards_are_refused(boards, cause):
    code, text = error("--set", f"place.boards={boards}")
    assert code == 65 and text == f"gantry: --set: place.boards: {cause}", text


@pytest.mark.parametrize("boards", ["", " , ", "gpu0.rdma=sim", f"{39 * 'p'}=sim, gpu0.noc=sim gpu0.l2s0=usb:{63 * 'x'} gpu0.l2s1=usb:x"])
def test_boards(boards):
    """Which partitions there are is the machine's business."""
    assert resolved("--set", f"place.boards={boards}")["place.boards"].strip("'\"") == boards.strip() or boards.strip() != boards


def constants(*settings):
    code, out, err = config(*(word for setting in settings for word in ("--set", setting)), "--sv")
    assert code == 0, err
    return {name: int(value) for name, value in (line.split("=") for line in out.splitlines())}


def test_credits_and_entries_follow_from_the_rate_of_links():
    """Two messages in 96 bytes of the wire for both ways and 8 cycles; entries for lines of 80 bytes in the home's time; in steps of 16."""
    for latency in (100, 140, 500, 6130):
        for rate in (1, 5, 16, 32):
            found = constants("system.gpus=2", f"link.host={latency}", f"link.gpu={latency + 1}", f"link.host_bytes_per_cycle={rate}", f"link.gpu_bytes_per_cycle={rate}")
            for name, far in (("FarHostCredits", latency), ("FarGpuCredits", latency + 1)):
                exact = (2 * far + 8) * rate / 48
                assert exact <= found[name] < exact + 16 and found[name] % 16 == 0, (name, far, rate, found[name])
            service = 2 * (74 + 16 + 8) + 272 + 2 * (7 + 7 + 7 + 2) + 16
            assert service * 2 * rate / 80 <= found["FarEntries"] < service * min(80, 2 * rate) / 80 + 16
    assert constants("system.gpus=1")["FarGpuCredits"] == 16
    assert constants("system.gpus=64")["FarEntries"] == 544  # 80 bytes of all links together in a cycle
    assert constants("gpu.rdma.outstanding=777")["FarEntries"] == 777
    assert constants("link.host_bytes_per_cycle=2")["FarHostCredits"] == 16


def test_far_ports_hold_the_gpus():
    """The host's, and the smallest of 1, 2, 4, ... 64 that holds all."""
    for gpus in (1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 64):
        assert constants(f"system.gpus={gpus}")["FarPorts"] == 1 + min(n for n in (1, 2, 4, 8, 16, 32, 64) if n >= gpus)


@pytest.mark.parametrize("text, where, cause", [
    ("gpu:\n  cu:\n    count: 0\n", 3, "gpu.cu.count: 0 is below the minimum 1"),
    ("gpu:\n  cu:\n    count: 65\n", 3, "gpu.cu.count: 65 is above the maximum 64"),
    ("gpu.cu.count: -1\n", 1, "gpu.cu.count: -1 is below the minimum 1"),
    ("gpu.cu.count: many\n", 1, "gpu.cu.count: 'many' is not an integer"),
    ("gpu.cu.count: 4.5\n", 1, "gpu.cu.count: '4.5' is not an integer"),
    ("gpu.cu.count: 99999999999999999999\n", 1, "gpu.cu.count: 99999999999999999999 is above the maximum 64"),
    ("gpu.cu.count:\n", 1, "gpu.cu.count: '' is not an integer"),
    ("gpu.cu.count: [1, 2]\n", 1, "gpu.cu.count: a list where one value is expected"),
    ("\ngpu.l2.slices: 3\n", 2, "gpu.l2.slices: 3 is not a power of two"),
    ("gpu.cu.cuont: 4\n", 1, "gpu.cu.cuont: unknown key; did you mean gpu.cu.count?"),
    ("cu.count: 4\n", 1, "cu.count: unknown key; did you mean gpu.cu.count?"),
    ("gpu.l1.mshr: 4\n", 1, "gpu.l1.mshr: unknown key; did you mean gpu.l1v.mshrs?"),
    ("trefi: 4\n", 1, "trefi: unknown key; did you mean gpu.dram.trefi?"),
    ("banana: 4\n", 1, "banana: unknown key (gantry config --list shows all)"),
    ("gpu: {cu: {count: 4, count: 5}}\n", 1, "gpu.cu.count: given twice in this file"),
    ("clock.mode: sometimes\n", 1, "clock.mode: 'sometimes' is none of gated, free"),
    ("clock.patience: soon\n", 1, "clock.patience: 'soon' is not a number"),
    ("clock.patience: 0\n", 1, "clock.patience: 0 is below the minimum 0.01"),
    ("driver.large_bar: maybe\n", 1, "driver.large_bar: 'maybe' is neither on nor off"),
    ("- 1\n- 2\n", 1, "expected keys and values"),
    ("gpu.l1v.kib: 1\ngpu.l1v.ways: 16\nlink.gpu: 5\n", 3, "link.gpu: 5 is below the minimum 100"),
    ("gpu.l2.kib_per_slice: 4\ngpu.cu.vgprs_per_simd: 30\n", 2, "gpu.cu.vgprs_per_simd: 30 is not a multiple of the granule 4"),
    ("gpu.cu.lanes: 12\n", 1, "gpu.cu.lanes: 12 is not a power of two"),
    ("gpu.cu.operand_stages: 1\n", 1, "gpu.cu.operand_stages: 1 with 16 lanes: only for 8 or 4"),
    ("gpu.cu.sgprs_per_simd: 120\n", 1, "gpu.cu.sgprs_per_simd: 120 is not a multiple of the granule 16"),
    ("migrate.policy: first-tuoch\n", 1, "migrate.policy: 'first-tuoch' is none of never, first-touch, threshold, periodic, benefit, adaptive; did you mean first-touch?"),
    ("migrate.policy: threshold\n", 1, "migrate.policy: there is one GPU, so no page can move: system.gpus 2 or more, or never"),
    ("system.gpus: 2\nmigrate.policy: benefit\ngpu.rdma.counters: 0\n", 2, "migrate.policy: gpu.rdma.counters is 0, so nobody counts what pages are used for"),
    ("migrate.period: 0\n", 1, "migrate.period: 0 is below the minimum 1000"),
    ("migrate.phase_cycles: 0\n", 1, "migrate.phase_cycles: 0 is below the minimum 1"),
    ("migrate.fixed_cycles: 1\n", 1, "migrate.fixed_cycles: 1 cycles are too few for a shoot-down and a write-back (560)"),
    ("link.host: 500\nmigrate.fixed_cycles: 1999\n", 2, "migrate.fixed_cycles: 1999 cycles are too few for a shoot-down and a write-back (2000)"),
    ("migrate.returns: 1001\n", 1, "migrate.returns: 1001 is above the maximum 1000"),
    ("migrate.threshold: 0\n", 1, "migrate.threshold: 0 is below the minimum 1"),
    ("migrate.page: 2M\n", 1, "migrate.page: '2M' is none of 64K, 4K"),
    ("system.gpus: 2\nmigrate.policy: periodic\nmigrate.period: 1000\nmigrate.phase_cycles: 720\n", 3,
     "migrate.period: 1000 cycles are too few for the counters (280) and migrate.phase_cycles (720)"),
    ("system.gpus: 2\nmigrate.policy: periodic\nmigrate.return_cycles: 9999\n", 3, "migrate.return_cycles: 9999 is below migrate.period 10000"),
    ("gpu.dram.trefi: 120\n", 1, "gpu.dram.trefi: 120 is not above gpu.dram.trfc 130"),
    ("gpu.dram.trefi: 432\n", 1, "gpu.dram.trefi: 432 is not above 432 that 16 banks take to close one after the other"),
    ("gpu.dram.trefi: 173\ngpu.dram.trfc_bank: 0\n", 1, "gpu.dram.trefi: 173 is not above 173: gpu.dram.trfc 130, and what 16 banks take to close"),
    ("gpu.dram.write_low: 24\n", 1, "gpu.dram.write_low: 24 is not below gpu.dram.write_high 24"),
    ("gpu.dram.write_high: 48\ngpu.dram.places: 32\n", 1, "gpu.dram.write_high: 48 is above gpu.dram.places 32"),
    ("a: &x {b: *x}\n", 1, None),
    ("include: nowhere.yaml\n", 1, None),
    ("gpu:\n  cu: {}\n", 2, "gpu.cu: no keys below it"),
    # Each holds the one before twice: 2^60 ways through nothing.
    ("a0: &a0 {}\n" + "".join(f"a{n}: &a{n} {{x: *a{n - 1}, y: *a{n - 1}}}\n" for n in range(1, 61)), 1, "a0: no keys below it"),
])
def test_bad_file(tmp_path, text, where, cause):
    """Every mistake is one line with file, line and key."""
    path = written(tmp_path, text)
    code, message = error("-c", path)
    assert code == (66 if "nowhere" in text else 65)
    assert message.startswith(f"gantry: {path}:{where}: ")
    assert cause is None or message == f"gantry: {path}:{where}: {cause}"


def test_broken_yaml(tmp_path):
    path = written(tmp_path, "gpu: {cu: {count: 4}\nx: [1\n")
    code, message = error("-c", path)
    assert code == 65 and re.match(rf"gantry: {path}:\d+: not YAML: ", message)


@pytest.mark.parametrize("text, where, cause", [
    ("[" * 200000, 1, "nested deeper than 64"),
    ("{a: " * 20000, 1, "nested deeper than 64"),
    ("- " * 20000 + "a\n", 1, "nested deeper than 64"),
    ("\n- [" + "[" * 62 + "]" * 62 + ", " + "[" * 63, 2, "nested deeper than 64"),
    ("seed: 1\n" + "".join(f"a{n}: &a{n} 1\n" for n in range(1025)), 1026, "more than 1024 anchors"),
    ("".join(f"%TAG !a{n}! x\n" for n in range(100000)) + "---\nseed: 1\n", 17, "more than 16 directives"),
    ("seed: 1\n---\nseed: 2\n", 2, "a second document: a file has one"),
    ("---\nseed: 1\n...\n---\n", 4, "a second document: a file has one"),
    ("seed: 1\n\x01", 2, "not YAML: control characters are not allowed"),
    ("seed: 1\n\ngpu: *nobody\n", 3, "not YAML: found undefined alias"),
])
def test_bounds_of_a_file(tmp_path, text, where, cause):
    """What libyaml takes minutes for, or leaves out in silence, is refused at its place, and at once."""
    path = written(tmp_path, text)
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert error("-c", path) == (65, f"gantry: {path}:{where}: {cause}")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin < 2


def test_one_document_with_its_marks(tmp_path):
    """Begin, end and directive of the only document, and collections as deep as they may be."""
    path = written(tmp_path, "%YAML 1.1\n---\nseed: 7\n...\n# the end\n")
    assert config("-c", path, "--get", "seed") == (0, "7\n", "")
    assert error("-c", written(tmp_path, "[" * 64 + "]" * 64)) == (65, f"gantry: {path}:1: expected keys and values")


def test_endless_file():
    assert error("-c", "/dev/zero") == (65, "gantry: /dev/zero: longer than 4 MiB")


def test_files_that_include_each_other_often(tmp_path):
    """Each of them the next one twice: 2^12 reads."""
    for n in range(12):
        written(tmp_path, f"include: [x{n + 1}.yaml, x{n + 1}.yaml]\n", f"x{n}.yaml")
    written(tmp_path, "seed: 1\n", "x12.yaml")
    code, message = error("-c", tmp_path / "x0.yaml")
    assert code == 65 and re.fullmatch(rf"gantry: {tmp_path}/x\d+\.yaml:1: include: more than 64 files", message)


def test_include_overrides_and_cycles(tmp_path):
    written(tmp_path, "gpu.cu.count: 8\nseed: 3\n", "base.yaml")
    top = written(tmp_path, "seed: 9\ninclude: base.yaml\n", "top.yaml")
    values = resolved("-c", top)
    assert (values["gpu.cu.count"], values["seed"]) == ("8", "9")
    assert resolved("-c", top, "--set", "gpu.cu.count=2")["gpu.cu.count"] == "2"
    written(tmp_path, "include: b.yaml\n", "a.yaml")
    written(tmp_path, "include: a.yaml\n", "b.yaml")
    code, message = error("-c", tmp_path / "a.yaml")
    assert code == 65 and message == f"gantry: {tmp_path}/b.yaml:1: include: {tmp_path}/a.yaml includes itself"


def test_include_of_a_named_system(tmp_path):
    """From any folder; a file of that name beside wins."""
    top = written(tmp_path, "include: demo\nseed: 9\n", "top.yaml")
    values = resolved("-c", top)
    assert values == {**resolved("-c", "demo"), "seed": "9"}
    code, message = error("-c", written(tmp_path, "include: tini\n", "bad.yaml"))
    assert code == 66 and message == f"gantry: {tmp_path}/bad.yaml:1: include: {tmp_path}/tini: No such file or directory; did you mean tiny?"
    written(tmp_path, "gpu.cu.count: 7\n", "demo")
    assert resolved("-c", top)["gpu.cu.count"] == "7"


def test_demo_is_the_default():
    assert resolved() == resolved("-c", "demo")


def test_names():
    """Every file of configs/ with what it says at its head."""
    lines = config("--names")[1].splitlines()
    assert {line.split()[0] for line in lines} == {path.stem for path in (ROOT / "configs").glob("*.yaml")}
    assert "demo           2 GPUs with 4 CUs each" in "\n".join(lines)


def test_error_names_the_included_file(tmp_path):
    written(tmp_path, "seed: 1\ngpu.cu.count: 0\n", "base.yaml")
    code, message = error("-c", written(tmp_path, "include: base.yaml\n", "top.yaml"))
    assert (code, message) == (65, f"gantry: {tmp_path}/base.yaml:2: gpu.cu.count: 0 is below the minimum 1")


@pytest.mark.parametrize("args, code, text", [
    (["-c", "none.yaml"], 66, "none.yaml: No such file or directory"),
    (["-c", "/tmp"], 74, "/tmp: Is a directory"),
    (["--set", "gpu.cu.count=0"], 65, "--set: gpu.cu.count: 0 is below the minimum 1"),
    (["--set", "gpu.cu.count"], 64, "--set: 'gpu.cu.count' is not KEY=VALUE"),
    (["--set", "x=1"], 65, "--set: x: unknown key"),
    (["--frob"], 64, "config: unknown option --frob"),
    (["-c"], 64, "config: -c needs a value"),
    (["--get", "gpu.nothing"], 64, "--get: gpu.nothing: unknown key"),
    (["extra"], 64, "config: unexpected argument extra"),
])
def test_bad_command_line(args, code, text):
    got, message = error(*args)
    assert got == code and message.startswith("gantry: " + text)


def test_output_can_be_read_again(tmp_path):
    path = written(tmp_path, config("-c", "demo", "--set", "clock.patience=2.5")[1])
    assert config("-c", path)[1] == path.read_text()
    assert config("-c", path, "--get", "clock.patience")[1] == "2.5\n"


def test_list_shows_every_key():
    table = [line.split("|")[0].strip() for line in (ROOT / "configs/params.def").read_text().splitlines()
             if line.strip() and not line.startswith("#")]
    out = config("--list")[1]
    assert len(table) > 60 and [line for line in out.splitlines() if not line.startswith(" ")] == table
    assert "type u32, range 1..64, unit CUs, default 64 (HF A)" in out


def test_list_below_a_prefix():
    def keys(*prefix):
        return [line for line in config("--list", *prefix)[1].splitlines() if not line.startswith(" ")]
    assert keys("gpu.l2") == keys("gpu.l2.") == [key for key in keys() if key.startswith("gpu.l2.")] != []
    assert keys("gpu.cu.count") == ["gpu.cu.count"]
    assert error("--list", "banana") == (64, "gantry: --list: banana: unknown key (gantry config --list shows all)")
    assert error("--list", "cu.count") == (64, "gantry: --list: cu.count: unknown key; did you mean gpu.cu.count?")
    assert error("--list", "gpu.l")[0] == 64  # no part of a word


def test_json():
    """Values with their types; the table with the same texts as --list."""
    values = json.loads(config("-c", "demo", "--json", "--set", "clock.patience=2.5", "--set", "driver.large_bar=off")[1])
    assert values["system.gpus"] == 2 and values["clock.patience"] == 2.5 and values["driver.large_bar"] is False and values["clock.mode"] == "gated"
    assert list(values) == list(resolved("-c", "demo"))
    table = json.loads(config("--list", "gpu.cu.count", "--json")[1])
    assert table == [{"key": "gpu.cu.count", "type": "u32", "range": "1..64", "unit": "CUs", "default": "64", "source": "HF A", "help": table[0]["help"]}]
    assert len(json.loads(config("--list", "--json")[1])) == len(values)


@pytest.mark.shows("S0.1")
def test_generated_forms_agree():
    """S0.1: C, SystemVerilog and page come from one table."""
    settings = ["gpu.cu.count=6", "gpu.l2.slices=8", "gpu.sqc.cus_per_group=4"]
    sets = [word for s in settings for word in ("--set", s)]
    from_c = dict(line.split("=") for line in config("-c", "r9nano", "--sv", *sets)[1].splitlines())
    package = subprocess.run(["python3", "sw/tools/gen/gen_params.py", "sv", *sets], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    from_sv = dict(re.findall(r"localparam int unsigned (\w+) = (\d+);", package))
    assert from_c == from_sv and from_sv["SqcCount"] == "2" and from_sv["NocTargets"] == "10"
    only = subprocess.run(["python3", "sw/tools/gen/gen_params.py", "sv", *sets, "--only", "CuCount,SqcCount"], cwd=ROOT, capture_output=True,
                          text=True, check=True).stdout
    assert re.findall(r"unsigned (\w+)", only) == ["CuCount", "SqcCount"]


def test_page_is_current():
    page = subprocess.run(["python3", "sw/tools/gen/gen_params.py", "md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert page == (ROOT / "docs/reference/config.md").read_text(), "run make docs-config"


@pytest.mark.parametrize("value", [",", "gpu0=0"])
def test_what_is_printed_is_read_again(tmp_path, value):
    """Also a string that YAML does not take without quotes."""
    _, printed, _ = config("-c", "tiny", "--set", f"place.gpus={value}")
    file = written(tmp_path, printed)
    assert config("-c", file) == (0, printed, "") and "place.gpus" in printed
    assert config("-c", file, "--get", "place.gpus") == (0, value + "\n", "")
