# SPDX-License-Identifier: Apache-2.0
"""What root has installed (make install), away from the tree it was made in: nothing of it leads back there, and a user who may not write it runs programs
with the models that are there and keeps what is missing in a cache of his own."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest
from live import GANTRY, ROOT

NOBODY = 65534
CACHE = pathlib.Path(f"/var/tmp/gantry-models-{NOBODY}")
BUFFERS = "--grid 64 --group 64 --arg zero:256 --arg fill:1:256 --arg fill:2:256"
LIMIT = 900


@pytest.fixture(scope="module")
def installed(apps):
    """The folder; `tiny` has its models there."""
    code = ROOT / "build/kernels/vecadd.v4.co"
    subprocess.run(["make", "-s", code.relative_to(ROOT)], cwd=ROOT, check=True)
    subprocess.run([GANTRY, "kernel", "-c", "tiny", "-q", code, *BUFFERS.split()], cwd=ROOT, check=True, capture_output=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="gantry-installed-", dir="/var/tmp"))
    folder.chmod(0o755)
    subprocess.run(["make", "-s", "install", f"PREFIX={folder}"], cwd=ROOT, check=True, capture_output=True)
    shutil.copy(code, folder / "x.co")
    shutil.copy(apps / "vecadd", folder / "vecadd")
    yield folder
    shutil.rmtree(folder)
    shutil.rmtree(CACHE, ignore_errors=True)


def test_nothing_leads_back(installed):
    """No link, no path in a text; what was built with the sources (objects, logs, bytecode) is not there."""
    for path in installed.rglob("*"):
        assert not path.is_symlink() or not str(os.path.realpath(path)).startswith(f"{ROOT}/"), path
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            assert b"\0" in data or str(ROOT).encode() not in data, path
        assert path.is_symlink() or not path.stat().st_mode & 0o022, path
        assert path.name != "__pycache__" and (path.is_symlink() or path.suffix not in (".o", ".a", ".gch") or path.name == "libgantry.a"), path


def as_nobody(words, **environment):
    """The tree is not there, and nobody has no home."""
    script = f'mount -t tmpfs none "{ROOT}" && cd / && exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups {words}'
    env = {**os.environ, "HOME": "/nonexistent", **environment}
    env.pop("XDG_CACHE_HOME", None)
    return subprocess.run(["unshare", "-m", "sh", "-c", script], env=env, capture_output=True, text=True, timeout=LIMIT)


def needs_root():
    if os.geteuid() != 0:
        pytest.skip("needs root, to be another user")


@pytest.mark.may_skip("needs root")
def test_a_user_who_may_not_write(installed):
    """Kernel and program with the models of root; the second start needs no Python."""
    needs_root()
    shutil.rmtree(CACHE, ignore_errors=True)
    kernel = f"{installed}/bin/gantry kernel -c tiny -q {installed}/x.co {BUFFERS}"
    for path in (os.environ["PATH"], "/nothing"):
        done = as_nobody(f"env PATH={path} {kernel}")
        assert done.returncode == 0 and done.stderr.count("\n") == 1 and "hash=" in done.stderr, done
    done = as_nobody(f"{installed}/bin/gantry run -c tiny -q -- {installed}/vecadd")
    assert done.returncode == 0 and "PASSED" in done.stdout and "building" not in done.stderr, done
    assert CACHE.stat().st_uid == NOBODY and CACHE.stat().st_mode & 0o777 == 0o700 and not list(CACHE.glob("*-*"))


@pytest.mark.may_skip("needs root")
def test_a_cache_that_a_user_cannot_write(installed):
    needs_root()
    done = as_nobody(f"{installed}/bin/gantry kernel -c tiny -q --set gpu.rdma.outstanding=131 {installed}/x.co {BUFFERS}", GANTRY_MODEL_CACHE="/proc/nowhere")
    assert done.returncode == 74 and done.stderr.startswith("gantry: models: /proc/nowhere: ") and done.stderr.count("\n") == 1, done
    shutil.rmtree(CACHE, ignore_errors=True)
    CACHE.mkdir(mode=0o700)  # somebody else's
    os.chown(CACHE, 1, 1)
    done = as_nobody(f"{installed}/bin/gantry kernel -c tiny -q --set gpu.rdma.outstanding=131 {installed}/x.co {BUFFERS}")
    shutil.rmtree(CACHE)
    assert done.returncode == 74 and done.stderr.startswith(f"gantry: models: {CACHE}: belongs to somebody else"), done


@pytest.mark.nightly
@pytest.mark.may_skip("needs root")
def test_a_configuration_that_is_missing(installed):
    """Its one model is built in the user's cache; a damaged one of root's too."""
    needs_root()
    shutil.rmtree(CACHE, ignore_errors=True)
    kernel = f"{installed}/bin/gantry kernel -c tiny -q --set gpu.rdma.outstanding=131 {installed}/x.co {BUFFERS}"
    done = as_nobody(kernel)
    assert done.returncode == 0 and "building model rdma (1 of 1)" in done.stderr, done
    assert [p.name.split("-")[0] for p in CACHE.glob("*-*")] == ["rdma"]
    done = as_nobody(f"env PATH=/nothing {kernel}")
    assert done.returncode == 0 and done.stderr.count("\n") == 1, done
    for library in (installed / "share/gantry/build/models").glob("sqc-*/V*sqc"):
        os.truncate(library, 4096)
    done = as_nobody(kernel)
    assert done.returncode == 0 and "building model sqc (1 of 1)" in done.stderr, done
