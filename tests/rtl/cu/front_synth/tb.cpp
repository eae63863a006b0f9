// SPDX-License-Identifier: Apache-2.0
// The bench of the front end on the form that synthesis sees: each instruction decoded, a
// memory a bank.  Not responsible for: the bench itself.
// top: cu
// opt: -O0
// nightly: yes
// lib: yes
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -DSYNTHESIS --x-initial unique --x-assign unique
// own: tests/rtl/cu/front/cu_simd.sv tests/rtl/cu/front/cu_vmem.sv
#include "../front/tb.cpp"
