// SPDX-License-Identifier: Apache-2.0
// Bench of noc_xbar as answers use it: outputs that always take, sources left as they are; few inputs, many outputs.  The text is noc_xbar's.
// top: noc_xbar
// opt: -O1
// args: -GIn=5 -GOut=70 -GDepth=8 -GLanes=4 -GOutCredits=0 --x-initial unique
// mutate: if (SetSource) message => message
// mutate: (OutCredits == 0 || credits[o] != 32'd0) => credits[o] != 32'd0
#define SHAPE
enum { In = 5, Out = 70, Depth = 8, Lanes = 4, Run = 1, OutCredits = 0, SetSource = 0 };
#include "tests/rtl/noc/noc_xbar/tb.cpp"
