/* SPDX-License-Identifier: Apache-2.0
 * Machines of the library (gantry.h): made from a configuration and options, for other programs and for the command.
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "lib/lib_private.h"
#include "lib/machine_options.h"

static int machine_start_up(struct gantry_machine *m, unsigned gpu)
{
    m->failure = STATUS_IO; /* what the host does not give; others say so themselves */
    if (m->options.failure == NULL)
        m->options.failure = &m->failure;
    m->options.seed = m->options.seed ? m->options.seed : m->cfg.seed;
    m->local = local_open(&m->cfg, &m->options, gpu);
    if (m->local == NULL)
        return m->stop ? GANTRY_STOPPED : (int)*m->options.failure;
    m->begin = sim_now(lib_sim(m));
    return GANTRY_OK;
}

/* All of it; lines of its end go to its place. */
static void machine_drop(struct gantry_machine *m)
{
    struct log_place *before = log_place;
    if (m->handle.place)
        log_place = m->handle.place;
    local_close(m->local); /* one that is under way, with its launch, which is written to until then */
    lib_launches_free(m);
    log_place = before;
    for (size_t i = 0; i < m->placed_count; i++)
        lib_object_drop(m->placed[i].object);
    free(m->placed);
    free(m->blocks);
    free(m->rows);
    handle_fini(&m->handle);
    free(m);
}

static int machine_make(struct gantry_machine *m, struct gantry_config *config, const struct gantry_options *options,
                        struct call *call)
{
    struct config copy = config->config; /* origins are borrowed: what follows from other keys has none */
    int status = lib_options_take(m, options, call);
    if (status == GANTRY_OK)
        status = config_finish(&copy);
    m->cfg = copy.cfg;
    if (status == GANTRY_OK)
        status = lib_config_check(m);
    return status == GANTRY_OK ? machine_start_up(m, m->told.gpu) : status;
}

int gantry_machine_new(struct gantry_config *config, const struct gantry_options *options,
                       struct gantry_machine **machine, struct gantry_error *error)
{
    struct call outer, call;
    if (!call_begin(&outer, config, HANDLE_CONFIG, "gantry_machine_new", error))
        return GANTRY_USAGE;
    if (machine == NULL)
        return call_end(&outer, call_refuse(&outer, "no place for the handle"));
    struct gantry_machine *m = xzalloc(sizeof *m);
    *machine = NULL;
    handle_init(&m->handle, HANDLE_MACHINE, true);
    int status = call_begin(&call, m, HANDLE_MACHINE, "gantry_machine_new", error) ? GANTRY_OK : GANTRY_USAGE;
    status = call_end(&call, status == GANTRY_OK ? machine_make(m, config, options, &call) : status);
    const struct gantry_error said = *call.error;
    if (status == GANTRY_OK) {
        *machine = m;
    } else {
        handle_end(&m->handle, HANDLE_MACHINE, "gantry_machine_new");
        machine_drop(m);
    }
    call_end(&outer, status);
    if (error)
        *error = said;
    return status;
}

struct gantry_machine *lib_machine_open(const struct gantry_cfg *cfg, const struct sim_options *options, unsigned gpu,
                                        const struct local_watch *watch, enum gantry_status *failure)
{
    struct gantry_machine *m = xzalloc(sizeof *m);
    handle_init(&m->handle, HANDLE_MACHINE, false);
    m->cfg = *cfg;
    m->options = *options;
    m->watch = *watch;
    const int status = machine_start_up(m, gpu);
    if (status == GANTRY_OK)
        return m;
    *failure = (enum gantry_status)status;
    gantry_machine_free(m);
    return NULL;
}

void gantry_machine_free(struct gantry_machine *m)
{
    if (m == NULL)
        return;
    handle_end(&m->handle, HANDLE_MACHINE, "gantry_machine_free");
    machine_drop(m);
}
