// SPDX-License-Identifier: Apache-2.0
// The bench of lds_unit with ram_banked as it is synthesized, a memory a bank: the two forms must not differ.
// top: lds_unit
// args: -Wno-UNUSEDPARAM -Wno-UNUSEDSIGNAL -DSYNTHESIS -DGANTRY_NO_ASSERT
#include "../lds_unit/tb.cpp"
