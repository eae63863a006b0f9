/* SPDX-License-Identifier: Apache-2.0
 * The run of `gantry kernel`: a machine, buffers and code in its memory, the launches one after another, results to
 * their files or compared, table and final line.  Not responsible for: what is launched (kernel_script.h).
 */
#ifndef GANTRY_KERNEL_RUN_H
#define GANTRY_KERNEL_RUN_H
#include "cli/kernel_script.h"

/* Exit status; every cause is one line. */
int kernel_run(struct session *session, struct kernel_script *script);
#endif
