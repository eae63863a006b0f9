/* SPDX-License-Identifier: Apache-2.0
 * Inside of the machine (machine.h), for machine.c, machine_events.c and machine_run.c.
 */
#ifndef GANTRY_MACHINE_PRIVATE_H
#define GANTRY_MACHINE_PRIVATE_H
#include "system/machine.h"
#include "system/roi.h"

#define USER_COOKIE UINT64_MAX /* those of the command processors have the GPU's number on top */
#define ROI_COOKIE (UINT64_MAX - 1)
#define HOLD_COOKIE (UINT64_MAX - 2)
#define PHASE_COOKIE (UINT64_MAX - 3)
#define FAULT_COOKIE (UINT64_MAX - 4)
#define ALARM_COOKIE (UINT64_MAX - 5)
#define USER_ACCESS (UINT64_C(0xff) << 56) /* on top of the cookie of an access that no command processor made */

struct machine {
    const struct gantry_cfg *cfg;
    struct sim_options options;
    struct cp_host user;
    machine_answer_fn answer; /* to the user's own accesses */
    void *answer_ctx;
    void (*alarm)(void *ctx);
    void *alarm_ctx;
    struct machine_phases phases; /* wake NULL: there are none; fault, too */
    struct pmem *memory;
    struct monitor *monitor; /* of pages that move; NULL: nobody checks */
    struct sim *sim;
    struct cp **cps;
    unsigned gpus;
    struct roi roi;
    uint64_t started; /* kernels: number of the last one */
    bool cross;       /* the kernel that waits at a border of the region may start: nothing else is under way */
    bool moving;      /* pages are: no border of the region is crossed */
    bool held;        /* no kernel starts */
    bool over;        /* rows that come now have not ended with anything */
    bool visible;     /* something happened since machine_run returned */
    bool stood;       /* it returned because of that */
    bool halted;      /* it has to return */
};

/* What the simulator and the command processors tell the machine; ctx: struct machine (machine_events.c). */
extern const struct sim_host_ops machine_sim_ops;
extern const struct cp_host machine_cp_ops;                                         /* its ctx is to be set */
void machine_table_write(void *ctx, uint64_t pa, const void *from, uint32_t bytes); /* for pagetable_sink_set */
#endif
