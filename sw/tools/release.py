# SPDX-License-Identifier: Apache-2.0
"""What has another name on another release of Debian: release.sh, asked once for each name."""
import functools
import pathlib
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().with_name("release.sh")


@functools.cache
def name(what):
    """Of a row of releases.tsv; what release.sh says goes to stderr, and CalledProcessError is raised, when there is none."""
    return subprocess.run([SCRIPT, what], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def bitcode():
    """The option that shows clang the device library."""
    return f"--rocm-device-lib-path={name('bitcode')}"
