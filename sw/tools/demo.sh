#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make demo: one unmodified HIP program on two RTL GPUs, its result checked, its kernels in a table.
set -eu
cd "$(dirname "$0")/../.."
echo "demo: build/apps/peer on two RTL GPUs of 4 CUs each (configs/demo.yaml)"
if ! build/bin/gantry run -c configs/demo.yaml -o build/demo -- build/apps/peer; then
    echo "demo: FAILED" >&2
    exit 1
fi
cat <<'TEXT'
demo: you saw a HIP binary from the stock hipcc, with Debian's own ROCm libraries, run both GPUs in SystemVerilog, copy between them and check its result.
demo: next, try  build/bin/gantry run -c configs/demo.yaml --lockstep -- build/apps/vecadd   or read docs/overview.md
TEXT
echo "demo: passed"
