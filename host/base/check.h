/* SPDX-License-Identifier: Apache-2.0
 * CHECK: our own bugs.  Always compiled in.  Prints component path, target cycle, the condition and the values given,
 * runs the clean-up hook and ends the process with exit status 70; within a call of the library (log_place.bug) it
 * tells whoever called, and aborts.  Never for user errors or guest faults.
 *   CHECK(slot < slots, "gpu0.dispatch", "slot=%u slots=%u", slot, slots);
 */
#ifndef GANTRY_CHECK_H
#define GANTRY_CHECK_H

#define CHECK(condition, component, ...)                                                                               \
    do {                                                                                                               \
        if (__builtin_expect(!(condition), 0))                                                                         \
            check_fail(__FILE__, __LINE__, #condition, component, __VA_ARGS__);                                        \
    } while (0)

void check_fail(const char *file, int line, const char *condition, const char *component, const char *format, ...)
    __attribute__((noreturn, format(printf, 5, 6)));

/* Called once before the process ends, e.g. to remove the generated sysfs tree.  NULL: none. */
void check_set_cleanup(void (*cleanup)(void));
#endif
