/* SPDX-License-Identifier: Apache-2.0
 * Numbers as text; contract in number.h.
 */
#include "base/number.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t plain; /* 0: there is no memory for it, and that of the program counts */

static void plain_make(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Of this thread, until it is set back to what this returns. */
static locale_t plain_use(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, plain_make);
    return uselocale(plain);
}

double number_read(const char *text, char **end)
{
    const locale_t before = plain_use();
    const double number = strtod(text, end);
    uselocale(before);
    return number;
}

void number_write(char *text, size_t room, double number)
{
    const locale_t before = plain_use();
    snprintf(text, room, "%.15g", number);
    uselocale(before);
}
