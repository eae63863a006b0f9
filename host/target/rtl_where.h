/* SPDX-License-Identifier: Apache-2.0
 * Where the wavefronts of an RTL GPU are, for the report of a run that makes no progress or was stopped: the same lines
 * as those of the golden model (host/golden/golden_where.c).  Not responsible for: deciding that (host/observe).
 */
#ifndef GANTRY_RTL_WHERE_H
#define GANTRY_RTL_WHERE_H
#include <stdio.h>

struct sim;

/* One line each for `most` of the wavefronts of `gpu` and the number of the others.  The CUs are clocked on without the
 * rest of the machine: nothing may run afterwards. */
void rtl_where(struct sim *sim, unsigned gpu, unsigned most, FILE *out);
#endif
