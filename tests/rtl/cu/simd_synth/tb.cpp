// SPDX-License-Identifier: Apache-2.0
// The bench of cu_simd on the form that synthesis sees: row functions inside the module
// instead of simd_rows_pkg; by day the SIMD's own bench, and yosys reads this form.  Not responsible for: the bench itself.
// top: cu_simd
// args: -Wno-UNUSEDPARAM -DSYNTHESIS -Wno-VARHIDDEN --x-initial unique --x-assign unique
// nightly: yes
// lib: yes
// limit: 7200
#define NIGHTLY_VECTORS 10000000 // the same arithmetic, a text that takes three times as long
#include "../simd/tb.cpp"
