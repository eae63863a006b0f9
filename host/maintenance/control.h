/* SPDX-License-Identifier: Apache-2.0
 * Control of the components of a GPU by the driver, migration and tests: one function for each operation, on one
 * component or a group.  Operations of several clients are queued: at most CP_CONTROLS are at the GPU, the rest wait
 * here in the order of calls.  The rules: docs/reference/control.md.
 * Not blocking; one thread, that of the command processor.  Not responsible for: what a component does (rtl).
 */
#ifndef GANTRY_CONTROL_H
#define GANTRY_CONTROL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gantry_msg.h"

struct cp;

/* At the GPU: at least the entries of rtl/dispatch/dispatch_control.sv, which are one more than agents: 100 of the
 * largest GPU. */
#define CP_CONTROLS 128u
#define CP_ALL 0xffffu                  /* every component of the groups */
#define CP_CONTROLS_OPEN ((size_t)4096) /* without an answer: more is a bug of a client and ends the run with 70 */

/* What became of an operation: enum ctl_status, and of a component that refused it its place and state. */
struct control_result {
    unsigned gpu;
    uint8_t groups;  /* bits of enum ctl_group */
    uint16_t number; /* in its group, or CP_ALL */
    uint8_t signals; /* bits of enum ctl_signal */
    uint8_t status;  /* enum ctl_status: the first that is not CTL_OK */
    uint8_t group;   /* whose status it is: enum ctl_group, 0xff: nobody's */
    uint8_t at;      /* and its number there */
    uint8_t state;   /* enum ctl_state of that component behind the operation */
};
/* In a callback of the machine, in the order of answers; borrowed.  NULL: nobody wants to know. */
typedef void (*control_fn)(void *ctx, const struct control_result *result);

/* `groups` and `number` name the components.  An operation that one of them refuses is told in one line on the log and
 * in the result; the others have done it. */
void control_enable(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx);
void control_disable(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx);
void control_pause(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx);
void control_continue(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx);
void control_drain(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx);
void control_flush(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx);
void control_discard(struct cp *cp, uint8_t groups, uint16_t number, control_fn done, void *ctx);
/* Any signals, as they are (tests of what must be refused). */
void control_signals(struct cp *cp, uint8_t groups, uint16_t number, uint8_t signals, control_fn done, void *ctx);

/* "gpu0: control of the L2 TLB: enable of a component that is on (paused)": place, message, state. */
void control_text(const struct control_result *result, char *text, size_t room);

/* Operations that are queued or at the GPU. */
unsigned control_open(const struct cp *cp);
#endif
