# SPDX-License-Identifier: Apache-2.0
"""Where rocBLAS with kernels for gfx803 is: Debian 13's packages, unmodified.  On Debian 13 those that are installed; elsewhere a Debian 13 in build/validate/13,
made once by debootstrap as sw/tools/verify/bare.py makes machines.  The program is linked with that folder's libraries and its dynamic linker, so it needs no chroot
to run.  Not responsible for: changed kernels (kernels.py)."""
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "sw/tools"))
from verify import bare  # noqa: E402
from builder import release  # noqa: E402

WANTED = ("librocblas-dev", "libamdhip64-dev")
FOLDER = ROOT / "build/validate"
TRIPLE = "usr/lib/x86_64-linux-gnu"


class Missing(Exception):
    """One line that names what is missing."""


def kernels_of(root):
    """The folder of Tensile's files, or None."""
    return next(iter(sorted((root / TRIPLE / "rocblas").glob("*/library"))), None)


def complete(root):
    return bool(kernels_of(root)) and (root / TRIPLE / "librocblas.so").exists() and (root / "usr/include/hip/hip_runtime.h").exists()


def install(root):
    """WANTED in the folder of a Debian 13."""
    words = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", *(f"{k}={os.environ[k]}" for k in bare.KEPT if k in os.environ)]
    inside = f"apt-get update -q; apt-get install -y -q --no-install-recommends {' '.join(WANTED)}; apt-get clean"
    log = ROOT / "build/log/validate-packages.log"
    log.write_text("")
    status = bare.apart(f"""mount --make-rprivate /
cp /etc/resolv.conf /etc/hosts {root}/etc/
mount -t proc proc {root}/proc
exec chroot {root} {shlex.join(words)} sh -euc {shlex.quote(inside)}
""", log)
    if status or not complete(root):
        raise Missing(f"{', '.join(WANTED)} of Debian 13 cannot be installed, see {log.relative_to(ROOT)}")


def root():
    """The folder below which rocBLAS is, made if it is not there."""
    here, kept = pathlib.Path("/"), FOLDER / "13"
    if release.name() == "13":
        if not complete(here):
            raise Missing(f"rocBLAS is missing: apt-get install {' '.join(WANTED)}")
        return here
    if complete(kept):
        return kept
    missing = [tool for tool in ("debootstrap", "unshare", "setpriv") if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        raise Missing(f"{missing[0] if missing else 'root'} is missing to make a Debian 13 with {', '.join(WANTED)} in {kept.relative_to(ROOT)}: "
                      "apt-get install debootstrap util-linux, as root")
    FOLDER.mkdir(parents=True, exist_ok=True)
    (ROOT / "build/log").mkdir(parents=True, exist_ok=True)
    try:
        machine = bare.base("13", ROOT / "build/log/validate-packages.log")
    except bare.Stop as stop:
        raise Missing(stop.args[0]) from stop
    fresh = FOLDER / "13.part"
    shutil.rmtree(fresh, ignore_errors=True)
    subprocess.run(["cp", "-a", str(machine), str(fresh)], check=True)
    print(f"validate: installing {', '.join(WANTED)} in {kept.relative_to(ROOT)}", flush=True)
    install(fresh)
    fresh.rename(kept)
    return kept


def program(where):
    """build/validate/gemm, linked with the libraries of that folder."""
    out, source = FOLDER / "gemm", ROOT / "sw/validate/gemm.cpp"
    FOLDER.mkdir(parents=True, exist_ok=True)
    words = ["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-D__HIP_PLATFORM_AMD__", str(source), "-lrocblas", "-lamdhip64", "-o"]
    if where != pathlib.Path("/"):
        libraries = where / TRIPLE
        words[6:6] = ["-isystem", str(where / "usr/include"), f"-L{libraries}", "-Wl,--allow-shlib-undefined", "-Wl,--disable-new-dtags",
                      f"-Wl,-rpath,{libraries}", f"-Wl,--dynamic-linker={where}/lib64/ld-linux-x86-64.so.2"]
    told = FOLDER / "gemm.made"  # of what it was made
    made = source.read_text() + repr(words)
    if not out.exists() or not told.exists() or told.read_text() != made:
        done = subprocess.run([*words, str(out)], capture_output=True, text=True)
        if done.returncode:
            raise Missing(f"g++ cannot build sw/validate/gemm.cpp: {(done.stderr.strip().splitlines() or ['?'])[0]}")
        told.write_text(made)
    return out
