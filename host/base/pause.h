/* SPDX-License-Identifier: Apache-2.0
 * What a thread does between two looks at a word that another one changes.  Not responsible for: how often it looks,
 * and what it does when that takes long.
 */
#ifndef GANTRY_PAUSE_H
#define GANTRY_PAUSE_H

/* Some dozens of cycles in which the core's other thread and the bus are left alone; nothing where there is no such
 * instruction. */
void pause_cpu(void);
#endif
