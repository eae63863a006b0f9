#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make demo: one unmodified HIP program on two RTL GPUs, its result checked, its kernels in a table; no line longer than 100 columns.
set -eu
cd "$(dirname "$0")/../../.."
said=build/log/demo.err
mkdir -p build/log
echo "demo: build/apps/peer on two RTL GPUs of 4 CUs each (configs/demo.yaml)"
status=0
build/bin/gantry run -c configs/demo.yaml -o build/demo -- build/apps/peer 2>$said || status=$?
fold -s -w 100 $said >&2
if [ $status != 0 ]; then
    echo "demo: FAILED" >&2
    exit 1
fi
cat <<'TEXT'
demo: a HIP binary from the stock hipcc, with Debian's own ROCm libraries, ran on both GPUs in
demo: SystemVerilog, copied between them and checked its result.
demo: next, try  build/bin/gantry run -c demo --lockstep -- build/apps/peer
demo: passed
TEXT
