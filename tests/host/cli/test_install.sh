#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install: the installed command finds its configurations and its shim, away from the tree.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s build/kernels/vecadd.v4.co
make -s install PREFIX="$dir" | grep -q "^install: gantry is in $dir/bin"
cp build/kernels/vecadd.v4.co "$dir/x.co"
cd /
[ "$("$dir/bin/gantry" config -c demo --get gpu.cu.count)" = 4 ]
"$dir/bin/gantry" kernel -c tiny --model golden -q "$dir/x.co" --grid 64 --group 64 --arg "out:256:$dir/sum" --arg fill:1:256 --arg fill:2:256
[ "$(od -An -tx4 -N4 "$dir/sum")" = " 03030303" ]
"$dir/bin/gantry" run -c demo --model golden -- /bin/sh -c 'case $LD_PRELOAD in */lib/libgantry_shim.so*) exit 5;; esac' && exit 1 || [ $? = 5 ]
[ -s "$dir/share/man/man1/gantry.1" ] && [ -s "$dir/include/gantry/sim.h" ] && [ -s "$dir/share/gantry/rtl/cu/cu_pkg.sv" ]
