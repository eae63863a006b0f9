// SPDX-License-Identifier: Apache-2.0
// The bench of dram_channel with another address mapping (the bank between the bits of the column, not xor-ed with the row) and
// a queue of 16 places: commands go where the mapping says, distances are kept, nobody waits longer than 16 places allow.
// top: dram_channel
// args: -Wno-UNUSEDPARAM --x-initial unique -GBankBit=2 -GBankHash=0 -GPlaces=16 -GWriteHigh=8 -GWriteLow=2 -GWriteAge=16
// mutate: ((above >> map.bank_bits) << map.bank_bit) => (above >> map.bank_bits)
// mutate: (map.hash ? spread : 32'd0) => spread
// mutate: span[0] >= 7'(Places - Spare) => span[0] >= 7'(56)
#define MAPPED
enum { BankBit = 2, Hash = 0, Places = 16, High = 8, Low = 2, Age = 16 };
#include "../dram_channel/tb.cpp"
