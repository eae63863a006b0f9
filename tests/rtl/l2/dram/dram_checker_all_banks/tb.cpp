// SPDX-License-Identifier: Apache-2.0
// The bench of dram_checker with a memory of other times: columns further apart than bursts, 3 GPU cycles a clock, all banks refreshed at once.
// top: dram_checker
// opt: -O1
// args: -Wno-UNUSEDPARAM --x-initial unique -GBanks=8 -GGroups=2 "-GTimes=640'h000000030000000b000000080000000b0000000a0000001c0000000c000000060000000500000006000000050000000600000003000000090000001a0000000200000384000000780000000000000004"
// cflags: -DVL_USER_STOP
// mutate: localparam int unsigned Rests = ByBank ? Times.trfc_bank : Times.trfc; => localparam int unsigned Rests = Times.trfc_bank;
// mutate: Times.trefi / Banks : Banks) => Times.trefi / Banks : 0)
#define OTHER_MEMORY
#include "../model.h"
enum { Banks = 8, Groups = 2 };
static const model::Times T = {3, 11, 8, 11, 10, 28, 12, 6, 5, 6, 5, 6, 3, 9, 26, 2, 900, 120, 0, 4};
#include "../dram_checker/tb.cpp"
