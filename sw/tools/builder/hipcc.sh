#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# hipcc.sh OPTION...: the stock hipcc for gfx803.  The clang 15 behind it makes a folder NAME-XXXXXX in TMPDIR for each temporary file of an
# offload architecture and removes the file only, so TMPDIR is a folder inside build/ that goes away with this script.
set -eu
build=$(cd "$(dirname "$0")/../../.." && pwd)/build
mkdir -p "$build"
TMPDIR=$(mktemp -d "$build/hipcc.XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 1' HUP INT TERM
hipcc --offload-arch=gfx803 "$@"
