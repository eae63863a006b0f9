#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Compiling HIP programs leaves nothing behind, neither in TMPDIR nor in build/: clang 15 alone leaves two empty folders.
set -eu
command -v hipcc >/dev/null || { echo "hipcc is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tmp" "$work/tree/sw/tools/builder"
cp sw/tools/builder/hipcc.sh "$work/tree/sw/tools/builder"
echo 'int main() { return 0; }' >"$work/empty.hip"
TMPDIR=$work/tmp "$work/tree/sw/tools/builder/hipcc.sh" -x hip "$work/empty.hip" -o "$work/empty" 2>"$work/log" || { cat "$work/log"; exit 1; }
"$work/empty"
left=$(ls -A "$work/tmp" "$work/tree/build" | grep -v -e ':$' -e '^$' || true)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
echo "case done: nothing is left behind"
