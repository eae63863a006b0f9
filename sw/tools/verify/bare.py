#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bare.py RELEASE root|user [TEST...]: what is committed here on a bare machine with a release of Debian (12 or 13): `make demo` as the
first command, then `make test T="TEST..."` (TEST `all`: every test; none: no tests), as root or as a user with sudo.

The machine is a folder that debootstrap makes, with git, make and ca-certificates (and sudo).  build/bare keeps this folder, and the packages
that were downloaded; each run has a copy of its own, which stays when something fails.  Mounts and processes are in name spaces that end with
this program, however it ends.  Output in build/log/bare-RELEASE-WHO.log; the last line says what passed.
Exit status: 0, 1 when something failed, 64 wrong arguments, 69 with one line when debootstrap or root is missing, 128 + N after signal N."""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from builder import release  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
MIRROR, SECURITY = "http://deb.debian.org/debian", "http://deb.debian.org/debian-security"
CERTIFICATES = pathlib.Path("/usr/local/share/ca-certificates")  # which the administrator has added
KEPT = ("http_proxy", "https_proxy", "no_proxy", "PIP_CERT", "PIP_INDEX_URL", "PIP_DEFAULT_TIMEOUT", "GANTRY_NIGHTLY")
HOME = {"root": "/root", "user": "/home/user"}


class Stop(Exception):
    """One line, and the exit status."""


def apart(script, log):
    """Status of a shell's script in name spaces of its own, whose mounts nobody else sees; its process 1 is killed with unshare, and all others with that.
    unshare is killed when this program is; and its output ends in the file."""
    with open(log, "a") as out:
        child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "sh", "-euc", script],
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=ROOT, process_group=0)
        try:
            return child.wait()
        finally:
            child.kill()
            child.wait()


def catch():
    """Signals end this program by way of its `finally`."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda n, _: sys.exit(128 + n))


def base(name, log):
    """The kept folder, made when it is not there: whole, or not at all."""
    kept, fresh = ROOT / f"build/bare/{name}", ROOT / f"build/bare/{name}.part"
    if kept.exists():
        return kept
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.parent.mkdir(parents=True, exist_ok=True)
    print(f"bare: Debian {name}: making build/bare/{name}", flush=True)
    suite = release.name("suite", name)
    sources = "\n".join(f"deb {url} {of} main" for url, of in ((MIRROR, suite), (MIRROR, f"{suite}-updates"), (SECURITY, f"{suite}-security")))
    status = apart(f"""mount --make-rprivate /
debootstrap --variant=minbase --include=git,make,ca-certificates,sudo {suite} {fresh} {MIRROR}
printf '%s\\n' {shlex.quote(sources)} >{fresh}/etc/apt/sources.list
[ ! -d {CERTIFICATES} ] || cp -R {CERTIFICATES}/. {fresh}{CERTIFICATES}/
chroot {fresh} update-ca-certificates
chroot {fresh} useradd --create-home --shell /bin/bash user
echo 'user ALL=(ALL) NOPASSWD: ALL' >{fresh}/etc/sudoers.d/user
echo 'Defaults env_keep += "http_proxy https_proxy no_proxy"' >>{fresh}/etc/sudoers.d/user
""", log)
    if status:
        raise Stop(f"Debian {name}: debootstrap failed, see {log.relative_to(ROOT)}", 1)
    fresh.rename(kept)
    return kept


def command(machine, packages, who, tests):
    """The script that runs in the machine: the demo, then the tests.  Its folder is a mount of its own, without which nobody in it could have name spaces of
    mounts."""
    env = {"HOME": HOME[who], "USER": who, "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "TERM": "dumb",
           **{k: os.environ[k] for k in KEPT if k in os.environ}}
    words = shlex.join(["env", "-i", *(f"{k}={v}" for k, v in env.items())])
    inside = "make demo" + (f"; make test T={shlex.quote('' if tests == ['all'] else ' '.join(tests))}" if tests else "")
    return f"""mount --make-rprivate /
mount --bind {machine} {machine}
mount -t proc proc {machine}/proc
mount --rbind /dev {machine}/dev
mount --bind /sys {machine}/sys
mount --bind {packages} {machine}/var/cache/apt/archives
exec chroot --userspec={who} {machine} {words} sh -euc {shlex.quote(f'cd; cd gantry; {inside}')}
"""


def run(name, who, tests):
    """The last line, when all passed."""
    log = ROOT / f"build/log/bare-{name}-{who}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("")
    packages, machine = ROOT / f"build/bare/{name}.packages", ROOT / f"build/bare/{name}-{who}"
    kept = base(name, log)
    packages.mkdir(exist_ok=True)
    shutil.rmtree(machine, ignore_errors=True)
    print(f"bare: Debian {name}, {who}: output in {log.relative_to(ROOT)}", flush=True)
    place = f"{machine}{HOME[who]}/gantry"
    owner = f"chown -R --reference={machine}{HOME[who]} {place}"
    status = apart(f"cp -a {kept} {machine}\ncp /etc/resolv.conf /etc/hosts {machine}/etc/\ngit clone -q {ROOT} {place}\n{owner}", log)
    status = status or apart(command(machine, packages, who, tests), log)
    text = log.read_text(errors="replace")
    if status or "demo: passed" not in text:
        raise Stop(f"Debian {name}, {who}: FAILED, see {log.relative_to(ROOT)}; the machine is {machine.relative_to(ROOT)}", 1)
    shutil.rmtree(machine)
    counts = re.findall(r"^\d+ passed, \d+ failed.*", text, re.M)
    return f"bare: Debian {name}, {who}: demo passed" + "".join(f"; tests: {line}" for line in counts[-1:])


def main():
    name, who, *tests = [*sys.argv[1:], "", ""] if len(sys.argv) < 3 else sys.argv[1:]
    catch()
    try:
        if who not in HOME or not name.isdigit():
            raise Stop("usage: bare.py RELEASE root|user [TEST...]", 64)
        if os.geteuid() != 0:
            raise Stop("a machine is a chroot: run this as root", 69)
        missing = [tool for tool in ("debootstrap", "unshare", "setpriv") if not shutil.which(tool)]
        if missing:
            raise Stop(f"{missing[0]} is missing: apt-get install debootstrap util-linux", 69)
        print(run(name, who, tests))
    except subprocess.CalledProcessError:  # release.sh has said it
        return 64
    except Stop as stop:
        print(f"bare: {stop.args[0]}", file=sys.stderr)
        return stop.args[1]
    return 0


if __name__ == "__main__":
    sys.exit(main())
