#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# make install: the installed command finds its configurations and its shim, away from the tree.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s build/kernels/vecadd.v4.co
make -s cuda >/dev/null
make -s install PREFIX="$dir" | grep -q "^install: gantry is in $dir/bin"
cp build/kernels/vecadd.v4.co "$dir/x.co"
cd /
[ "$("$dir/bin/gantry" config -c demo --get gpu.cu.count)" = 4 ]
"$dir/bin/gantry" kernel -c tiny --model golden -q "$dir/x.co" --grid 64 --group 64 --arg "out:256:$dir/sum" --arg fill:1:256 --arg fill:2:256
[ "$(od -An -tx4 -N4 "$dir/sum")" = " 03030303" ]
"$dir/bin/gantry" run -c demo --model golden -- /bin/sh -c 'case $LD_PRELOAD in */lib/libgantry_shim.so*) exit 5;; esac' && exit 1 || [ $? = 5 ]
[ -s "$dir/share/man/man1/gantry.1" ] && [ -s "$dir/include/gantry/sim.h" ] && [ -s "$dir/share/gantry/rtl/cu/cu_pkg.sv" ]
[ -s "$dir/include/gantry/gantry.h" ] && [ -s "$dir/lib/libgantry.so.1" ] && [ -s "$dir/lib/libgantry.a" ] && [ -s "$dir/share/man/man3/libgantry.3" ]
cp "$OLDPWD/sw/library/vecadd.c" "$dir"
gcc -std=c11 "$dir/vecadd.c" -o "$dir/vecadd" $(PKG_CONFIG_PATH="$dir/lib/pkgconfig" pkg-config --cflags --libs gantry) -Wl,-rpath,"$dir/lib"
"$dir/vecadd" "$dir/x.co" # the library finds the configurations from its own place
echo "case done: an installed tree works away from the sources"
[ "$("$dir/bin/gantry" cuda-path)" = "$dir/share/gantry/build/cuda" ]
printf '#include <cuda_runtime.h>\nint main(void) { int n; return cudaRuntimeGetVersion(&n) != cudaSuccess || n != CUDART_VERSION; }\n' >"$dir/v.c"
"$dir/share/gantry/build/cuda/bin/nvcc" "$dir/v.c" -o "$dir/v"
"$dir/v"
ldd "$dir/v" | grep -q "$dir/share/gantry/build/cuda/lib64/libcudart"
echo "case done: the installed folder compiles and links CUDA programs"

# Another process is writing a model meanwhile: what is copied is a cache of whole models.
cd "$OLDPWD"
flock build/models/.lock sh -c 'touch build/models/.being-written; echo held; sleep 1; rm build/models/.being-written' >"$dir/held" &
until [ -s "$dir/held" ]; do sleep 0.05; done
make -s install PREFIX="$dir" >/dev/null
wait
[ -d "$dir/share/gantry/build/models" ] && [ ! -e "$dir/share/gantry/build/models/.being-written" ]
echo "case done: an installation waits for models that are being built"

# A package that will run elsewhere: nothing of this processor alone in what is compiled, and models are compiled for the same.  Nightly the whole of
# it; by day for which processor it would be, and one file of it that has vectors (compiled apart from what a user makes).
portable() { # vectors of AVX2, none of AVX-512
    objdump -d --no-show-raw-insn "$1" >"$dir/text"
    ! grep -Eq '%(zmm|k[0-7])' "$dir/text" && grep -q '%ymm' "$dir/text"
}
make -n install DESTDIR="$dir/package" PREFIX=/usr B=build/tests/package >"$dir/plan"
grep -qx "echo x86-64-v3 >$dir/package/usr/share/gantry/build/march" "$dir/plan"
make -s MARCH=x86-64-v3 B=build/tests/package build/tests/package/obj/host/base/nearest.o
portable build/tests/package/obj/host/base/nearest.o
if [ "${GANTRY_NIGHTLY:-}" = 1 ]; then
    make -s install DESTDIR="$dir/package" PREFIX=/usr B=build/tests/package EXTRA_CFLAGS="-O1 -g0" | grep -q "^install: gantry is in $dir/package/usr/bin"
    [ "$(cat "$dir/package/usr/share/gantry/build/march")" = x86-64-v3 ] && [ ! -e "$dir/package/usr/share/gantry/build/models" ]
    portable "$dir/package/usr/bin/gantry"
    [ "$("$dir/package/usr/bin/gantry" config -c demo --get gpu.cu.count)" = 4 ]
fi
[ "$(GANTRY_MARCH=x86-64-v3 build/venv/bin/python -c 'import sys; sys.path.insert(0, "sw/tools"); from builder import processor; print(processor.march(), processor.name())')" = "x86-64-v3 x86-64-v3" ]
echo "case done: a package for another machine has nothing of this processor"
