#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# make demo: both GPUs have kernels in the table, the program checked its result, the last lines say what was seen and what comes next; at
# most 25 lines of 100 columns; a program that fails makes the demo fail.  Nightly as a user's: the models are those without assertions; by day
# those that the tests share (test_readme.py runs a program of a user).
set -eu
unset GANTRY_STEP V MAKEFLAGS MAKELEVEL MFLAGS # as where nobody runs tests
[ "${GANTRY_NIGHTLY:-}" != 1 ] || unset GANTRY_MODEL_CHECK
fail() { echo "$1"; cat "$work/out" "$work/err"; exit 1; }
short() { # stdout and stderr of a demo
    [ "$(cat "$work/out" "$work/err" | wc -l)" -le "$1" ] || fail "more than $1 lines"
    ! grep -E '.{101}' "$work/out" "$work/err" || fail "lines of more than 100 columns"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make demo >"$work/out" 2>"$work/err" || fail "exit status $?"
grep -q '^peer: PASSED' "$work/out" || fail "the program did not check its result"
for gpu in 0 1; do
    grep -Eq "^ +$gpu +[0-9]+ add_to_all " "$work/err" || fail "no kernel of the program on GPU $gpu"
done
tr '\n' ' ' <"$work/err" | grep -q ' gantry: gpus=2 kernels=[1-9].* repeatable=yes ' || fail "final line"
[ "$(tail -n 1 "$work/out")" = "demo: passed" ] && [ "$(grep -c '^demo: \(a HIP binary\|next\)' "$work/out")" = 2 ] || fail "last lines"
short 22 # and three of the bootstrap
echo "case done: both GPUs work"

mkdir -p "$work/tree/sw/tools/builder" "$work/tree/build/bin"
cp sw/tools/builder/demo.sh "$work/tree/sw/tools/builder"
printf '#!/bin/sh\necho "gantry: x" >&2\nexit 1\n' >"$work/tree/build/bin/gantry"
chmod +x "$work/tree/build/bin/gantry"
status=0
"$work/tree/sw/tools/builder/demo.sh" >"$work/out" 2>"$work/err" || status=$?
[ "$status" = 1 ] && grep -q '^demo: FAILED' "$work/err" && grep -q '^gantry: x' "$work/err" && ! grep -q passed "$work/out" || fail "a failing program: status $status"
echo "case done: a failing program fails"
