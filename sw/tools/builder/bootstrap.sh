#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what Gantry needs on a bare Debian 12 or 13 (release.sh): Debian packages (as root or through
# sudo) and a Python environment inside the tree (build/venv) with pinned versions. Idempotent: when everything
# is there it takes a few milliseconds and says nothing.  Another release gets one line.  With GANTRY_NIGHTLY=1 also the packages
# that only `make nightly` needs, with either that or GANTRY_SYNTH=1 also the Python packages of
# `make synth` and `make fpga`.
# Usage: sw/tools/builder/bootstrap.sh [--check].  --check installs nothing: status 1 when what every target needs is not there, whoever installed it.
set -eu
cd "$(dirname "$0")/../../.."
here=sw/tools/builder
venv=build/venv
kinds=base lists=$here/packages.txt requirements=$here/requirements.txt
release=$($here/release.sh) || exit $?
# A line of build/venv/installed: what was asked for when everything of this kind was there.
line() { echo "$1 $(cat $lists $requirements $here/releases.tsv | cksum) $release"; }
wanted=$(line base)
there() { [ -x $venv/bin/python ] && grep -qxF "$1" $venv/installed 2>/dev/null; }
tools() { command -v gcc && command -v clang++-19 && command -v llvm-config-19 && command -v hipcc; } >/dev/null
if [ "${1:-}" = --check ]; then
    there "$wanted" && tools && exit 0
    echo "bootstrap: not up to date; run sw/tools/builder/bootstrap.sh" >&2
    exit 1
fi
if [ "${GANTRY_NIGHTLY:-}" = 1 ]; then lists="$lists $here/packages-nightly.txt" kinds="$kinds nightly"; fi
if [ "${GANTRY_SYNTH:-}" = 1 ] || [ "${GANTRY_NIGHTLY:-}" = 1 ]; then requirements="$requirements $here/requirements-synth.txt" kinds="$kinds synth"; fi
[ "$kinds" = base ] || wanted="$wanted
$(line "$kinds")"
[ "$(cat $venv/place 2>/dev/null)" = "$PWD" ] && there "$(echo "$wanted" | tail -n 1)" && tools && exit 0 # programs of an environment name its place

export STEP_TAIL=5 # of what fails
packages=$(sed -e 's/#.*//' $lists | $here/release.sh --fill | tr -s ' \n' ' ')
missing=
for p in $packages; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$missing" ]; then
    apt="env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0"
    set -- install -y --no-install-recommends $missing
    if [ "$(id -u)" = 0 ]; then run=; elif sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; then run='sudo -n'; else # -v asks on the terminal
        echo "bootstrap: Debian packages are missing; run as root: apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 69
    fi
    $here/step.sh "bootstrap: reading the lists of Debian packages" 0 build/log/apt-update.log $run $apt update || exit 69
    more=$($apt -s "$@" | grep -c '^Inst ' || true)
    # of each package it is told five times what is done
    $here/step.sh "bootstrap: installing $more Debian packages" $((more * 5)) build/log/apt-install.log $run $apt "$@" || exit 69
fi
modules=$venv/lib/$(/usr/bin/python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
# new, or the tree was moved, or the machine has another Python since
if ! [ -x $venv/bin/python ] || ! [ -d "$modules" ] || [ "$(cat $venv/place 2>/dev/null)" != "$PWD" ]; then
    rm -rf $venv
    $here/step.sh "bootstrap: making a Python environment in $venv" 0 build/log/venv.log /usr/bin/python3 -m venv $venv || exit 69
    echo "$PWD" >$venv/place
fi
$here/step.sh "bootstrap: installing Python modules in $venv" 0 build/log/pip.log \
    $venv/bin/python -m pip --disable-pip-version-check install -q --no-deps $(printf -- '-r %s ' $requirements) || exit 69
echo "$wanted" >$venv/installed
