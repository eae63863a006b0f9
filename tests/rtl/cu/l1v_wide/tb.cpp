// SPDX-License-Identifier: Apache-2.0
// The bench of l1v with 100 misses and 128 transactions under way: numbers of misses are bits of two words, the second of which is not full.
// top: l1v
// args: -Wno-UNUSEDPARAM --x-initial unique -GMshrs=100 -GNumTx=128
// mutate: same != '0 ? w * 64 + 32'(pick_pkg::first64(same)) => same != '0 ? 32'(pick_pkg::first64(same))
// mutate: miss_line[word*64+m] => miss_line[m]
// mutate: '1 ? (w - 1) * 64 + 32'(pick_pkg::first64(~busy[w-1])) => '1 ? 32'(pick_pkg::first64(~busy[w-1]))
// mutate: dead[w] = dead[w] | same; => dead[0] = dead[0] | same;
#define WIDE
enum { Mshrs = 100, Numbers = 128 };
#include "../l1v/tb.cpp"
