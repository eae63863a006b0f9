/* SPDX-License-Identifier: Apache-2.0
 * Memory of the library's machines (gantry.h).
 */
#include <string.h>

#include "lib/lib_private.h"

#define PAGE UINT64_C(4096)

enum gantry_status lib_memory_full(const struct gantry_machine *m, const char *what, uint64_t bytes)
{
    const uint64_t mib = m->cfg.gpu_vram_mib;

    if (bytes > mib << 20)
        diag(what, "GPU memory is too small: %llu bytes, gpu.vram_mib is %llu", (unsigned long long)bytes,
             (unsigned long long)mib);
    else
        diag(what, "GPU memory is full: %llu bytes do not fit", (unsigned long long)bytes);
    return STATUS_DATA;
}

enum gantry_status lib_buffer_place(struct gantry_machine *m, struct kernel_arg *a)
{
    void *host;

    a->address = local_alloc(m->local, LOCAL_VRAM, a->room, &host);
    if (!a->address)
        return lib_memory_full(m, a->spec, a->room);
    a->host = host;
    if (a->content)
        memcpy(host, a->content, a->room);
    else if (a->fill) /* memory is zero */
        memset(host, a->fill, a->room);
    return STATUS_OK;
}

int gantry_alloc(struct gantry_machine *m, int memory, uint64_t bytes, uint64_t *address, struct gantry_error *error)
{
    struct call call;
    void *host;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_alloc", error))
        return GANTRY_USAGE;
    if (address == NULL || (memory != GANTRY_VRAM && memory != GANTRY_HOST) || bytes == 0)
        return call_end(&call, call_refuse(&call, "no place for the address, no such memory, or no bytes"));
    if (m->running)
        return call_end(&call, call_refuse(&call, "a launch is under way, and its page tables are in use"));
    *address = local_alloc(m->local, memory == GANTRY_VRAM ? LOCAL_VRAM : LOCAL_HOST, bytes, &host);
    return call_end(&call, *address ? GANTRY_OK : (int)lib_memory_full(m, "gantry_alloc", bytes));
}

int gantry_move(struct gantry_machine *m, uint64_t address, uint64_t bytes, unsigned gpu, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_move", error))
        return GANTRY_USAGE;
    if (m->told.gpu_model)
        return call_end(&call, call_refuse(&call, "a GPU that the caller simulates carries no pages"));
    const char *why = local_move(m->local, address, (bytes + PAGE - 1) & ~(PAGE - 1), gpu);
    return call_end(&call, why ? call_refuse(&call, why) : GANTRY_OK);
}

/* The bytes, or NULL after one line. */
static void *found(struct gantry_machine *m, struct call *call, uint64_t address, uint64_t bytes, bool write)
{
    enum local_place place = LOCAL_VRAM;
    void *host = bytes ? local_host(m->local, address, bytes, &place) : NULL;
    if (host == NULL) {
        diag(call->function, "0x%llx, %llu bytes: not within an allocation", (unsigned long long)address,
             (unsigned long long)bytes);
        return NULL;
    }
    if (write && m->running && place == LOCAL_VRAM) {
        call_refuse(call, "a launch is under way, whose caches hold VRAM");
        return NULL;
    }
    return host;
}

int gantry_write(struct gantry_machine *m, uint64_t address, const void *from, uint64_t bytes,
                 struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_write", error))
        return GANTRY_USAGE;
    if (from == NULL)
        return call_end(&call, call_refuse(&call, "nothing to write"));
    void *host = found(m, &call, address, bytes, true);
    if (host)
        memcpy(host, from, bytes);
    return call_end(&call, host ? GANTRY_OK : GANTRY_USAGE);
}

int gantry_read(struct gantry_machine *m, uint64_t address, void *to, uint64_t bytes, struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_read", error))
        return GANTRY_USAGE;
    if (to == NULL)
        return call_end(&call, call_refuse(&call, "nowhere to put it"));
    const void *host = found(m, &call, address, bytes, false);
    if (host)
        memcpy(to, host, bytes);
    return call_end(&call, host ? GANTRY_OK : GANTRY_USAGE);
}

int gantry_map(struct gantry_machine *m, uint64_t address, uint64_t bytes, void **bytes_there,
               struct gantry_error *error)
{
    struct call call;
    if (!call_begin(&call, m, HANDLE_MACHINE, "gantry_map", error))
        return GANTRY_USAGE;
    if (bytes_there == NULL)
        return call_end(&call, call_refuse(&call, "no place for the pointer"));
    *bytes_there = found(m, &call, address, bytes, false);
    return call_end(&call, *bytes_there ? GANTRY_OK : GANTRY_USAGE);
}
