/* SPDX-License-Identifier: Apache-2.0
 * GPUs of the library's caller; contracts in gpu_model.h and gantry.h.
 */
#include "lib/gpu_model.h"

#include <string.h>

#include "bridge/part/window.h"
#include "lib/lib_private.h"
#include "target/memory_parts.h"

static_assert((int)GANTRY_PORT_COMMAND == EXTERNAL_CMD && (int)GANTRY_PORT_EVENT == EXTERNAL_EVT &&
                  (int)GANTRY_PORT_DRAM_REQUEST == EXTERNAL_DRAM_REQ &&
                  (int)GANTRY_PORT_DRAM_ANSWER == EXTERNAL_DRAM_RSP &&
                  (int)GANTRY_PORT_FAR_REQUEST == EXTERNAL_FAR_REQ && (int)GANTRY_PORT_FAR_ANSWER == EXTERNAL_FAR_RSP,
              "the ports of gantry.h");
static_assert(GANTRY_WINDOW == PART_WINDOW, "the window of gantry.h");

static void on_take(void *ctx, unsigned gpu, enum external_port port, unsigned lane, uint64_t cycle,
                    const void *message)
{
    const struct gantry_machine *m = ctx;
    m->gpu_model.take(m->gpu_model.ctx, gpu, (int)port, lane, cycle, message);
}

static bool on_step(void *ctx, unsigned gpu, uint64_t from)
{
    const struct gantry_machine *m = ctx;
    return m->gpu_model.step && m->gpu_model.step(m->gpu_model.ctx, gpu, from);
}

static void on_shown(void *ctx, unsigned gpu, uint64_t *instructions, uint64_t *groups)
{
    const struct gantry_machine *m = ctx;
    if (m->gpu_model.shown)
        m->gpu_model.shown(m->gpu_model.ctx, gpu, instructions, groups);
}

void gpu_model_open(struct gantry_machine *m)
{
    m->external = (struct external){.gpus = m->gpu_model.gpus,
                                    .ctx = m,
                                    .take = on_take,
                                    .step = on_step,
                                    .shown = on_shown,
                                    .credits = m->gpu_model.credits != 0};
    m->options.external = &m->external;
}

int gantry_gpu_send(struct gantry_machine *m, unsigned gpu, int port, unsigned lane, uint64_t cycle,
                    const void *message, size_t bytes, struct gantry_error *error)
{
    struct call call;
    if (!call_within(&call, m, HANDLE_MACHINE, "gantry_gpu_send", error))
        return GANTRY_USAGE;
    if (message && bytes != external_bytes((enum external_port)port))
        return call_end(&call, call_refuse(&call, "the message is none of this port"));
    return call_end(&call, external_send(lib_sim(m), gpu, (enum external_port)port, lane, cycle, message));
}

int gantry_gpu_serve(struct gantry_machine *m, const void *request, size_t request_bytes, void *answer,
                     size_t answer_bytes, struct gantry_error *error)
{
    struct call call;
    if (!call_within(&call, m, HANDLE_MACHINE, "gantry_gpu_serve", error))
        return GANTRY_USAGE;
    if (request == NULL || answer == NULL || request_bytes != sizeof(struct msg_mem_req) ||
        answer_bytes != sizeof(struct msg_mem_rsp))
        return call_end(&call, call_refuse(&call, "no request or no answer of a memory"));
    hostmem_serve(machine_memory(local_machine(m->local)), request, answer);
    return call_end(&call, GANTRY_OK);
}

int gantry_gpu_next(struct gantry_machine *m, uint64_t *cycle, struct gantry_error *error)
{
    struct call call;
    if (!call_within(&call, m, HANDLE_MACHINE, "gantry_gpu_next", error))
        return GANTRY_USAGE;
    if (cycle)
        *cycle = external_next(lib_sim(m));
    return call_end(&call, cycle ? GANTRY_OK : call_refuse(&call, "no place for the cycle"));
}
