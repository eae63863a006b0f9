#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what Gantry needs on a bare Debian 12: Debian packages (as root or through sudo) and a
# Python environment inside the tree (build/venv) with pinned versions. Idempotent: when everything
# is there it takes a few milliseconds.  Usage: sw/tools/bootstrap.sh [--check].  With GANTRY_NIGHTLY=1 also the packages
# that only `make nightly` needs, with GANTRY_SYNTH=1 also the Python packages that only `make synth` needs.
set -eu
cd "$(dirname "$0")/../.."
here=sw/tools
stamp=build/.bootstrap
lists=$here/packages.txt
[ "${GANTRY_NIGHTLY:-}" = 1 ] && lists="$lists $here/packages-nightly.txt" && stamp=build/.bootstrap-nightly
requirements=$here/requirements.txt
[ "${GANTRY_SYNTH:-}" = 1 ] && requirements="$requirements $here/requirements-synth.txt" && stamp=$stamp-synth
sum="$(cat $lists $requirements $here/bootstrap.sh | cksum) $PWD" # programs of an environment name its place
[ -x build/venv/bin/python ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ] && exit 0
[ "${1:-}" = --check ] && { echo "bootstrap: not up to date; run sw/tools/bootstrap.sh" >&2; exit 1; }

packages=$(sed -e 's/#.*//' $lists | tr -s ' \n' ' ')
missing=
for p in $packages; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
done
if [ -n "$missing" ]; then
    apt="env DEBIAN_FRONTEND=noninteractive apt-get -o Dpkg::Use-Pty=0"
    install="$apt install -y --no-install-recommends$missing"
    if [ "$(id -u)" = 0 ]; then run=; elif sudo -n true 2>/dev/null; then run=sudo; else
        echo "bootstrap: Debian packages are missing; run as root: apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 69
    fi
    echo "bootstrap: installing Debian packages:$missing"
    mkdir -p build
    { $run $apt update && $run $install; } >build/bootstrap.log 2>&1 || {
        tail -n 5 build/bootstrap.log >&2
        echo "bootstrap: apt-get failed; the whole output is in build/bootstrap.log" >&2
        exit 69
    }
fi
mkdir -p build
if ! [ -x build/venv/bin/python ] || [ "$(cat build/venv/place 2>/dev/null)" != "$PWD" ]; then # new, or the tree was moved
    rm -rf build/venv
    /usr/bin/python3 -m venv build/venv
    echo "$PWD" >build/venv/place
fi
build/venv/bin/python -m pip --disable-pip-version-check install -q --no-deps $(printf -- '-r %s ' $requirements) >>build/bootstrap.log 2>&1 || {
    tail -n 5 build/bootstrap.log >&2
    echo "bootstrap: pip failed; the whole output is in build/bootstrap.log" >&2
    exit 69
}
echo "$sum" >"$stamp"
