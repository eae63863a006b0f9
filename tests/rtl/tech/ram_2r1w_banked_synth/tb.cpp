// SPDX-License-Identifier: Apache-2.0
// The bench of ram_2r1w_banked with the form that is synthesized, a memory a lane of a bank: the two must not differ.
// top: ram_2r1w_banked
// args: -GLanes=2 -GDepth=48 -DSYNTHESIS
#include "../ram_2r1w_banked/tb.cpp"
