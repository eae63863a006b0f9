# SPDX-License-Identifier: Apache-2.0
"""The release of Debian and what has another name there: release.sh, asked once for each name."""
import functools
import pathlib
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().with_name("release.sh")


@functools.cache
def name(*what):
    """Of a row of releases.tsv; without it the release itself.  What release.sh says goes to stderr, and CalledProcessError is raised, when there is none."""
    return subprocess.run([SCRIPT, *what], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def bitcode():
    """The option that shows clang the device library."""
    return f"--rocm-device-lib-path={name('bitcode')}"
