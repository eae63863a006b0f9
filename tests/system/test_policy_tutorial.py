# SPDX-License-Identifier: Apache-2.0
"""The policy of ten lines of docs/reference/migration.md, as it stands there: built into the command, a program's pages move by it."""
import re
import subprocess

import pytest
from live import GANTRY, ROOT, built

# As in the list of policy.c: here in the place of the one that a key names.
NAMED = """
#include "policy/policy.h"
#include <string.h>
extern const struct policy_ops policy_writers;
const struct policy_ops *__real_policy_find(const char *name);
const struct policy_ops *__wrap_policy_find(const char *name);
const struct policy_ops *__wrap_policy_find(const char *name)
{
    return strcmp(name, "threshold") == 0 ? &policy_writers : __real_policy_find(name);
}
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tutorial")
    block = re.search(r"### A policy of ten lines.*?```c\n(.*?)```", (ROOT / "docs/reference/migration.md").read_text(), re.S)[1]
    (folder / "policy_writers.c").write_text(block)
    (folder / "named.c").write_text(NAMED)
    link = subprocess.run(["make", "-n", "-W", "host/cli/main.c", GANTRY.relative_to(ROOT)], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    words = [line for line in link.splitlines() if f"-o {GANTRY.relative_to(ROOT)} " in line][-1].split()
    words[words.index("-o") + 1] = folder / "gantry"
    for name in ("policy_writers", "named"):
        subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "host", "-c", folder / f"{name}.c", "-o", folder / f"{name}.o"],
                       check=True)
    subprocess.run([*words[:1], folder / "policy_writers.o", folder / "named.o", "-Wl,--wrap=policy_find", *words[1:]], cwd=ROOT, check=True)
    (folder / "writers").symlink_to(built("writers"))
    return folder


@pytest.mark.parametrize("words, moves", [(("turns", "2"), 4), (("use", "2"), 0)])
def test_as_it_says(command, words, moves):
    done = subprocess.run([command / "gantry", "run", "-c", "demo", "-v", "--set", "migrate.policy=threshold", "--", command / "writers", *words], cwd=ROOT,
                          env={**__import__("os").environ, "GANTRY_FILES": str(ROOT)}, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0 and done.stdout == "writers: 0 values are wrong\n", done.stderr
    decided = re.findall(r"migrate info writers: page \S+ to gpu1: it writes to it", done.stderr)
    assert len(decided) == moves if moves == 0 else len(decided) >= moves, done.stderr
    assert f"gantry: migration: policy=writers pages={len(re.findall('migrate info writers: page .* to gpu.: ', done.stderr))} " in done.stderr
