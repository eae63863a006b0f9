/* SPDX-License-Identifier: Apache-2.0
 * Texts and exit codes of the outcomes in status.h.
 */
#include "base/status.h"

int status_exit(enum gantry_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, exit_status, text)                                                                    \
    case STATUS_##name:                                                                                                \
        return exit_status;
        STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return 70;
}

const char *status_text(enum gantry_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, exit_status, text)                                                                    \
    case STATUS_##name:                                                                                                \
        return text;
        STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}
