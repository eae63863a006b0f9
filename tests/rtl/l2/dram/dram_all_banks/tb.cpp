// SPDX-License-Identifier: Apache-2.0
// The bench of dram_channel with a memory of other times, no two of them alike where a rule could take one for another: 8 banks of 2 groups,
// columns further apart than bursts, 3 GPU cycles a clock, refreshes of all banks at once.  Each cycle as the model says, every rule kept.
// top: dram_channel
// args: -Wno-UNUSEDPARAM --x-initial unique -GBanks=8 -GGroups=2 -GBankBit=3 -GPlaces=32 -GWriteHigh=20 -GWriteLow=4 -GWriteAge=100 "-GTimes=640'h000000030000000b000000080000000b0000000a0000001c0000000c000000060000000500000006000000050000000600000003000000090000001a0000000200000384000000780000000000000004"
// mutate: (!ByBank || i == turn) => (i == turn)
// mutate: (!ByBank || k == 32'(refresh.bank)) => (k == 32'(refresh.bank))
// mutate: larger(t.tccd_l, t.burst) => larger(t.tccd_s, t.burst)
// mutate: read_data + t.trtw - t.tcwl => read_data + t.trtw - t.tcl
#define OTHER_MEMORY
#include "../model.h"
enum { BankBit = 3, Hash = 1, Places = 32, High = 20, Low = 4, Age = 100, Banks = 8, Groups = 2 };
static const model::Times T = {3, 11, 8, 11, 10, 28, 12, 6, 5, 6, 5, 6, 3, 9, 26, 2, 900, 120, 0, 4};
#include "../channel.h"

int main()
{
    start();
    random_traffic();
    resets();
    print_counts();
    return bench_end("dram_all_banks");
}
