# SPDX-License-Identifier: Apache-2.0
"""`make asan` and `make tsan`: what they run passes without a report (short forms here, all nightly), and each notices a fault of its kind."""
import os
import pathlib
import re
import subprocess
import time

import pytest
from verify import sanitize

ROOT = pathlib.Path(__file__).resolve().parents[3]
DAY = os.environ.get("GANTRY_NIGHTLY") != "1"
# Each uses the library, so that its flags are those of the build.
FAULTS = {
    "asan": """#include "base/xalloc.h"
               #include <stdlib.h>
               int main(int argc, char **argv) { char *p = xcalloc(argc, 8); (void)argv; free(p); return p[0]; }""",
    "undefined": """#include "base/xalloc.h"
                    int main(int argc, char **argv) { int *p = xcalloc(2, 4); (void)argv; return p[0] >> (argc + 40) ? 1 : 0; }""",
    "leak": """#include "base/xalloc.h"
               int main(void) { char *volatile p = 0; for (int i = 0; i < 16; i++) p = xcalloc(1, 77); p = 0; return p != 0; }""",
    "tsan": """#include <pthread.h>
               #include "base/xalloc.h"
               static int *shared;
               static void *add(void *arg) { for (int i = 0; i < 1000; i++) ++*shared; return arg; }
               int main(void) { pthread_t t; shared = xcalloc(1, 4); pthread_create(&t, 0, add, 0); add(0); pthread_join(t, 0); return 0; }""",
}


def whole(kind, *more):
    done = subprocess.run(["make", "-s", kind, "T=", *more], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    last = done.stdout.splitlines()[-1]
    assert done.returncode == 0 and last.startswith(f"{kind}: ") and last.endswith(" 0 failed"), done.stdout[-8000:]


def test_asan_short():
    whole("asan", "SHORT=1")


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["asan", "tsan"])
def test_whole(kind):
    whole(kind)


@pytest.mark.nightly
def test_systemc_modules():
    """The TLM library, one partition, a GPU, and the host model with one: ASan, LSan and UBSan."""
    whole("asan", "T=tlm")


@pytest.mark.parametrize("fault", [f if f != "tsan" else pytest.param(f, marks=pytest.mark.nightly) for f in FAULTS])
def test_seeded_fault_is_reported(fault, tmp_path):
    kind = "tsan" if fault == "tsan" else "asan"
    assert sanitize.build(kind, short=DAY) is None
    source = tmp_path / "fault.c"
    source.write_text(FAULTS[fault])
    assert sanitize.compile_c(kind, sanitize.variables(kind), source, tmp_path / "fault") is None
    assert sanitize.judged([tmp_path / "fault"], wanted=range(256)) is not None


def test_fault_inside_of_the_shim_is_reported(tmp_path):
    """A C program of the instrumented shim opens a path without an end: the shim reads behind it."""
    assert sanitize.build("asan", short=DAY) is None
    source, exe = tmp_path / "client.c", tmp_path / "client"
    source.write_text("""#include <fcntl.h>
                         #include <stdlib.h>
                         #include <string.h>
                         int main(void) { return open(memcpy(malloc(6), "/dev/k", 6), O_RDWR); }""")
    assert sanitize.client_compile("asan", sanitize.variables("asan"), source, exe) is None
    wrong = sanitize.client_run("asan", exe)
    assert wrong and "AddressSanitizer: heap-buffer-overflow" in wrong and re.search(r"#[12] .*libgantry_shim.so", wrong), wrong


def test_objects_of_the_ordinary_build(tmp_path, monkeypatch):
    """By day taken where there are none with sanitizers, and again when they are newer; gone when all are wanted with sanitizers."""
    monkeypatch.setattr(sanitize, "ROOT", tmp_path)
    place = sanitize.PLAIN[0]
    for folder, name, text in ((f"build/obj/{place}", "a.o", "old"), (f"build/obj/{place}", "b.o", "plain"), (f"build/asan/obj/{place}", "b.o", "sanitized"),
                               ("build/obj/host/driver", "c.o", "plain")):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / name).write_text(text)

    def there():
        return {p.name: p.read_text() for p in (tmp_path / "build/asan/obj").rglob("*.o")}
    sanitize.take_plain("asan", True)
    assert there() == {"a.o": "old", "b.o": "sanitized"}
    source = tmp_path / f"build/obj/{place}/a.o"
    source.write_text("new")
    os.utime(source, (time.time() + 10, time.time() + 10))
    sanitize.take_plain("asan", True)
    assert there() == {"a.o": "new", "b.o": "sanitized"}
    sanitize.take_plain("asan", False)
    assert there() == {"b.o": "sanitized"}
    sanitize.take_plain("asan", False)
    assert there() == {"b.o": "sanitized"}
