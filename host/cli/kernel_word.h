/* SPDX-License-Identifier: Apache-2.0
 * FILE[:KERNEL], as a code object and a kernel in it are typed.
 */
#ifndef GANTRY_KERNEL_WORD_H
#define GANTRY_KERNEL_WORD_H

/* Its file: new; *name: the kernel, a part of word, or NULL. */
char *kernel_word_split(const char *word, const char **name);
#endif
