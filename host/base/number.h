/* SPDX-License-Identifier: Apache-2.0
 * Numbers as text with a decimal point, whatever the locale of the program that this one is part of has instead.
 */
#ifndef GANTRY_NUMBER_H
#define GANTRY_NUMBER_H
#include <stddef.h>

/* As strtod. */
double number_read(const char *text, char **end);
/* As "%.15g". */
void number_write(char *text, size_t room, double number);
#endif
