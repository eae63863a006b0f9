/* SPDX-License-Identifier: Apache-2.0
 * C++ symbols as the source names them.
 */
#ifndef GANTRY_DEMANGLE_H
#define GANTRY_DEMANGLE_H
#include <stdbool.h>

/* Qualified name and template arguments, without parameters and return type ("blur::apply<3>"); the symbol itself when
 * it is no mangled one, or its plain name has more than 4096 bytes.  A new string. */
char *symbol_plain(const char *symbol);
/* `name` is the symbol, its demangled form, that without the return type, or its plain one. */
bool symbol_is(const char *symbol, const char *name);
#endif
