/* SPDX-License-Identifier: Apache-2.0
 * A debugger as the program of `gantry run`.
 */
#ifndef GANTRY_DEBUGGER_H
#define GANTRY_DEBUGGER_H

/* argv, or where it starts gdb a longer list (to be freed; its words are those of argv or constants) that tells gdb
 * which SIGSEGV of a program are the shim's own: docs/reference/clock.md, "Under a debugger". */
char *const *debugger_argv(char *const *argv);
#endif
