# SPDX-License-Identifier: Apache-2.0
"""sw/tools/builder/step.sh: one short line for whoever waits, all that a compiler said where it fails, and nobody left when it is ended."""
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import time

import processes
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEP = str(ROOT / "sw/tools/builder/step.sh")


def environment(**more):
    return {**{k: v for k, v in os.environ.items() if k not in ("V", "GANTRY_STEP", "MAKEFLAGS", "STEP_TAIL")}, **more}


def step(folder, script, total=0, **more):
    return subprocess.run([STEP, "building it", str(total), str(folder / "log"), "sh", "-c", script], env=environment(**more), capture_output=True, text=True, timeout=120)


def test_progress_every_ten_seconds_in_short_lines(tmp_path):
    """Three steps beside each other, without a terminal: nothing known of the end, half of it done, and a label that leaves little room."""
    scripts = {"unknown": ("sleep 12", 0), "known": ("yes '  CC x' | head -n 50; sleep 12", 100), "nothing": ("true", 0)}
    for name in scripts:
        (tmp_path / name).mkdir()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        done = {name: pool.submit(step, tmp_path / name, *words) for name, words in scripts.items()}
    text = {name: d.result() for name, d in done.items()}
    assert all(d.returncode == 0 and d.stderr == "" for d in text.values()), text
    assert text["nothing"].stdout == ""
    assert text["unknown"].stdout.count("\n") == 1 and text["unknown"].stdout.startswith("building it ...") and text["unknown"].stdout.endswith(" s\n")
    assert len(text["unknown"].stdout.split()[2]) >= 5, "no two points in 12 s"
    assert " 50%" in text["known"].stdout and text["known"].stdout.count("\n") == 1


def test_long_waits_are_folded(tmp_path):
    """A clock that each look at it sets on by twelve seconds."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/date").write_text(f"#!/bin/sh\nn=$(cat {tmp_path}/now 2>/dev/null || echo 0)\necho $((n + 12)) >{tmp_path}/now\necho $n\n")
    (tmp_path / "bin/sleep").write_text("#!/bin/sh\nexec /bin/sleep 0.01\n")
    for program in (tmp_path / "bin").iterdir():
        program.chmod(0o755)
    done = step(tmp_path, f"until [ $(cat {tmp_path}/now) -ge 1400 ]; do /bin/sleep 0.1; done", PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) >= 2 and max(map(len, lines)) <= 100, done


def test_a_failure_shows_what_the_compiler_said(tmp_path):
    long = "x" * 9000
    said = f"a.c:1:2: error: {long}\nIn file included from b.h"
    done = step(tmp_path, f"echo '  CC build/obj/a.o'; echo '{said}'; echo '  CC build/obj/b.o'; exit 3")
    assert done.returncode == 3 and done.stderr == f"{said}\nbuilding it: failed; the whole output is in {tmp_path}/log\n", done
    assert step(tmp_path, "seq 9; exit 1", STEP_TAIL="2").stderr.startswith("8\n9\nbuilding it: failed")


@pytest.mark.parametrize("more", [{"V": "1"}, {"GANTRY_STEP": "1"}, {"MAKEFLAGS": "n"}])
def test_all_is_shown_when_asked_for(tmp_path, more):
    assert step(tmp_path, "echo '  CC a'; echo gcc", **more).stdout == "  CC a\ngcc\n"
    assert "gcc" not in step(tmp_path, "echo gcc", V="0", MAKEFLAGS=" -- V=n").stdout


def test_the_end_of_a_step_ends_its_command(tmp_path):
    """Ctrl-C on a terminal, and SIGTERM to the step alone."""
    command = [STEP, "building it", "0", str(tmp_path / "log"), "sh", "-c", "sleep 300 & wait"]
    terminal = processes.Terminal(command, env=environment(G="ctrl"))
    assert processes.within(20, lambda: (tmp_path / "log.shown").exists())
    terminal.ctrl_c()
    assert terminal.wait(20)[0] == 130
    single = [*command[:4], "sleep", "300"]
    process = subprocess.Popen(single, env=environment(GANTRY_TEST_STEP=str(tmp_path)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert processes.within(20, lambda: "sleep" in processes.programs(processes.holding(f"GANTRY_TEST_STEP={tmp_path}")))
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143
    time.sleep(1.2)  # who counts the seconds looks once a second
    assert processes.within(10, lambda: not processes.holding(f"GANTRY_TEST_STEP={tmp_path}"))
