/* SPDX-License-Identifier: Apache-2.0
 * The one list of outcomes: what went wrong, in which class, and the exit status of the command that follows
 * from it.  Not responsible for: telling the user (log.h, diag) or aborting (check.h).
 */
#ifndef GANTRY_STATUS_H
#define GANTRY_STATUS_H

/* name, value, exit status, text.  Values are negative and grouped by tens; 0 is success. */
#define STATUS_LIST(X)                                                                                                 \
    X(OK, 0, 0, "success")                                                                                             \
    X(USAGE, -10, 64, "wrong usage")                                                                                   \
    X(CONFIG, -20, 65, "bad configuration")                                                                            \
    X(OBJECT, -21, 65, "bad code object")                                                                              \
    X(DATA, -22, 65, "bad input data")                                                                                 \
    X(MISSING, -30, 66, "missing file")                                                                                \
    X(INTERNAL, -40, 70, "internal error")                                                                             \
    X(IO, -50, 74, "input/output error")                                                                               \
    X(NO_PROGRESS, -60, 75, "no progress")                                                                             \
    X(GUEST_FAULT, -70, 76, "guest fault")                                                                             \
    X(DIFFERS, -80, 1, "other results than expected")

#define STATUS_ENUM(name, value, exit_status, text) STATUS_##name = value,
enum gantry_status { STATUS_LIST(STATUS_ENUM) };
#undef STATUS_ENUM

/* Exit status of the command for an outcome. */
int status_exit(enum gantry_status status);
/* Short text, never NULL. */
const char *status_text(enum gantry_status status);
#endif
