# SPDX-License-Identifier: Apache-2.0
"""model_cache.py FROM TO: copy the whole models of a cache, without what they were made from (make install).

Where models lie, whom a file of theirs may belong to, and whether it is what was built.

A cache is the folder that GANTRY_MODEL_CACHE names; else build/models of the tree; where that is not ours to write (installed by root), one of our own, beside
which the tree's models are used as they are.  bridge/verilated/stamp.c looks for stamps in the same folders.
A file is sealed by FILE.sum: XXH3 of its content and its size (bridge/verilated/seal.c reads it).  Sealed files are on the disk before their seals are.
"""
import ctypes
import os
import pathlib
import shutil
import stat
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = ROOT / "build/models"
BOOT = pathlib.Path("/proc/sys/kernel/random/boot_id")


def creatable(path):
    """It is a folder that we may write, or can be made."""
    path = str(path)
    while not os.path.lexists(path) and path != os.path.dirname(path):
        path = os.path.dirname(path)
    return os.path.isdir(path) and os.access(path, os.W_OK | os.X_OK)


def folder():
    named = os.environ.get("GANTRY_MODEL_CACHE")
    if named:
        return pathlib.Path(named).absolute()
    own = pathlib.Path(f"/var/tmp/gantry-models-{os.geteuid()}")
    home, xdg = os.environ.get("HOME"), os.environ.get("XDG_CACHE_HOME")
    places = [SHARED, *([pathlib.Path(xdg, "gantry/models")] if xdg else []), *([pathlib.Path(home, ".cache/gantry/models")] if home else [])]
    return next((p for p in places if p.is_absolute() and creatable(p)), own)


def trusted(path):
    """Root's or our own, and nobody else may write it."""
    found = os.lstat(path)
    return found.st_uid in (0, os.geteuid()) and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not stat.S_ISLNK(found.st_mode)


def make(path):
    """The cache's folder, with nobody else's hands on what is made there."""
    path.mkdir(mode=0o700 if str(path).startswith("/var/tmp/") else 0o777, parents=True, exist_ok=True)
    if str(path).startswith("/var/tmp/") and not trusted(path):
        raise PermissionError(13, "belongs to somebody else", path)


def total(data):
    """XXH3, 64 bits."""
    function = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
    return f"{function(data, len(data)):016x} {len(data)}\n"


def flush(path):
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def put(fresh, path):
    """A file that was written beside its place: whole there, or not at all, also when power is lost."""
    flush(fresh)
    os.replace(fresh, path)
    flush(path.parent)


def sum_of(path):
    return path.with_name(path.name + ".sum")


def seal(path):
    flush(path)
    fresh = path.with_name(f"{path.name}.sum.{os.getpid()}")
    try:
        fresh.write_text(total(path.read_bytes()))
        put(fresh, sum_of(path))
    finally:
        fresh.unlink(missing_ok=True)


def wrong(path):
    """Why a file is not what was sealed; None: it is, or it has no seal."""
    try:
        if not trusted(path.parent) or not trusted(path):
            return "somebody else may write it"
        if os.path.exists(sum_of(path)) and sum_of(path).read_text(errors="replace") != total(path.read_bytes()):
            return "it is damaged (check sum)"
    except OSError as error:
        return error.strerror
    return None


def whole(path):
    return os.path.exists(sum_of(path)) and wrong(path) is None


def boot():
    """Of this start of the machine: what was written before another one may be lost."""
    return BOOT.read_text() if BOOT.exists() else ""


def copy(source, to):
    """Libraries that are whole, with what says which they are; sources, objects and stamps name the tree that made them."""
    to.mkdir(parents=True, exist_ok=True)
    profile = source / "profile.profdata"
    files = [f for f in (profile, sum_of(profile), profile.with_suffix(".key")) if f.exists()]
    for seal_file in source.glob("*-*/V*.sum"):
        library = seal_file.with_suffix("")
        if whole(library) and not (source / "generated" / library.parent.name / "unfinished").exists():
            files += [library, seal_file, *(f for f in (library.parent / ".key", library.parent / "tools.txt") if f.exists())]
    for file in files:
        (to / file.relative_to(source)).parent.mkdir(exist_ok=True)
        shutil.copy2(file, to / file.relative_to(source))


if __name__ == "__main__":
    copy(*map(pathlib.Path, sys.argv[1:]))
