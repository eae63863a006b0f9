/* SPDX-License-Identifier: Apache-2.0
 * The table of ioctls on /dev/kfd and the small ones.  An ioctl that is not served returns an errno and leaves a line
 * in the log.  Structures are those of linux/kfd_ioctl.h.
 */
#include <errno.h>
#include <string.h>

#include <linux/ioctl.h>
#include <linux/kfd_ioctl.h>

#include "base/log.h"
#include "driver/driver.h"
#include "driver/tiling.h"
#include "driver/topology.h"
#include "gantry_cfg.h"

#define LDS_BASE UINT64_C(0x2000000000000000)
#define SCRATCH_BASE UINT64_C(0x2000000100000000)
#define APERTURE UINT64_C(0xffffffff)
#define GPUVM_BASE UINT64_C(0x1000000)
#define GPUVM_LIMIT ((UINT64_C(1) << 40) - 1)
#define DBG_TRAP_NUMBER 0x82u
#define XNACK_NUMBER 0x21u
#define CREATE_QUEUE_NUMBER 0x02u
#define WAIT_NUMBER 0x0cu
#define MAP_NUMBER 0x18u

typedef int (*ioctl_fn)(struct driver *d, struct client *c, void *arg);

static int get_version(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_get_version_args *a = arg;
    (void)d, (void)c;
    a->major_version = 1;
    a->minor_version = 9; /* AVAILABLE_MEMORY; 10 and more promise what is not served (docs/reference/driver.md) */
    return 0;
}

static int get_apertures(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_get_process_apertures_new_args *a = arg;
    struct kfd_process_device_apertures list[DRIVER_GPUS];
    unsigned gpus = machine_gpus(d->machine);
    for (unsigned g = 0; g < gpus; g++)
        list[g] = (struct kfd_process_device_apertures){.lds_base = LDS_BASE,
                                                        .lds_limit = LDS_BASE + APERTURE,
                                                        .scratch_base = SCRATCH_BASE,
                                                        .scratch_limit = SCRATCH_BASE + APERTURE,
                                                        .gpuvm_base = GPUVM_BASE,
                                                        .gpuvm_limit = GPUVM_LIMIT,
                                                        .gpu_id = topology_gpu_id(d->cfg, g)};
    unsigned count = a->num_of_nodes < gpus ? a->num_of_nodes : gpus;
    a->num_of_nodes = gpus;
    return client_write(c, a->kfd_process_device_apertures_ptr, list, count * sizeof list[0]);
}

static int acquire_vm(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_acquire_vm_args *a = arg;
    int gpu = gpu_of_id(d, a->gpu_id);
    return gpu < 0 ? EINVAL : client_vm_open(d, c, (unsigned)gpu);
}

static int set_memory_policy(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_set_memory_policy_args *a = arg;
    (void)c;
    return gpu_of_id(d, a->gpu_id) < 0 ? EINVAL : 0; /* memory types follow the flags of each allocation */
}

static int set_scratch_va(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_set_scratch_backing_va_args *a = arg;
    int gpu = gpu_of_id(d, a->gpu_id);
    if (gpu < 0 || a->va_addr > GPUVM_LIMIT >> 16)
        return EINVAL;
    c->gpu[gpu].space.scratch_base = a->va_addr << 16;
    return 0;
}

static int set_trap_handler(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_set_trap_handler_args *a = arg;
    int gpu = gpu_of_id(d, a->gpu_id);
    if (gpu < 0 || a->tba_addr > GPUVM_LIMIT || a->tma_addr > GPUVM_LIMIT)
        return EINVAL;
    struct client_gpu *on = &c->gpu[gpu];
    on->space.tba = a->tba_addr;
    on->space.tma = a->tma_addr;
    if (on->space_open)
        cp_space_trap(machine_cp(d->machine, (unsigned)gpu), &on->space);
    return 0;
}

static int get_clock_counters(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_get_clock_counters_args *a = arg;
    if (a->gpu_id && gpu_of_id(d, a->gpu_id) < 0)
        return EINVAL;
    /* Two readings must differ: the runtime divides by their distance. */
    uint64_t now = client_cycle(d) + ++c->clock_calls;
    a->gpu_clock_counter = a->cpu_clock_counter = a->system_clock_counter = now;
    a->system_clock_freq = UINT64_C(1000000000);
    return 0;
}

static int get_tile_config(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_get_tile_config_args *a = arg;
    uint32_t tiles[TILING_MODES], macros[TILING_MACROS] = {0};
    if (gpu_of_id(d, a->gpu_id) < 0 || a->num_tile_configs < TILING_MODES || a->num_macro_tile_configs < TILING_MACROS)
        return EINVAL;
    for (unsigned i = 0; i < TILING_MODES; i++)
        tiles[i] = tiling_mode(i);
    a->num_tile_configs = TILING_MODES;
    a->num_macro_tile_configs = TILING_MACROS;
    a->gb_addr_config = TILING_ADDRESSES;
    a->num_banks = 2;
    a->num_ranks = 0;
    int error = client_write(c, a->tile_config_ptr, tiles, sizeof tiles);
    return error ? error : client_write(c, a->macro_tile_config_ptr, macros, sizeof macros);
}

static int get_available_memory(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_get_available_memory_args *a = arg;
    int gpu = gpu_of_id(d, a->gpu_id);
    (void)c;
    if (gpu < 0)
        return EINVAL;
    a->available = d->vram[gpu].arena.free_bytes;
    return 0;
}

/* gfx803 repeats no access after a fault: a question (a negative number) is answered with "off". */
static int set_xnack_mode(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_set_xnack_mode_args *a = arg;
    (void)d, (void)c;
    if (a->xnack_enabled > 0)
        return EPERM;
    a->xnack_enabled = 0;
    return 0;
}

static int refuse_debugger(struct driver *d, struct client *c, void *arg)
{
    (void)d, (void)c, (void)arg;
    return EINVAL;
}

/* As a kernel without shared virtual memory.  libhsakmt 6 asks for the attributes of the address of each memory fault.
 */
static int refuse_svm(struct driver *d, struct client *c, void *arg)
{
    (void)d, (void)c, (void)arg;
    return EPERM;
}

static const struct {
    uint32_t number;
    ioctl_fn serve;
    const char *name;
    bool changes; /* what other processes see, or asks for what they change (process_order.h) */
} table[] = {
    {0x01, get_version, "GET_VERSION", false},
    {CREATE_QUEUE_NUMBER, queue_create, "CREATE_QUEUE", true},
    {0x03, queue_destroy, "DESTROY_QUEUE", true},
    {0x04, set_memory_policy, "SET_MEMORY_POLICY", false},
    {0x05, get_clock_counters, "GET_CLOCK_COUNTERS", false},
    {0x07, queue_update, "UPDATE_QUEUE", true},
    {0x08, event_create, "CREATE_EVENT", false},
    {0x09, event_destroy, "DESTROY_EVENT", false},
    {0x0a, event_set, "SET_EVENT", false},
    {0x0b, event_reset, "RESET_EVENT", false},
    {0x11, set_scratch_va, "SET_SCRATCH_BACKING_VA", false},
    {0x12, get_tile_config, "GET_TILE_CONFIG", false},
    {0x13, set_trap_handler, "SET_TRAP_HANDLER", true},
    {0x14, get_apertures, "GET_PROCESS_APERTURES_NEW", false},
    {0x15, acquire_vm, "ACQUIRE_VM", true},
    {0x16, memory_alloc, "ALLOC_MEMORY_OF_GPU", true},
    {0x17, memory_free, "FREE_MEMORY_OF_GPU", true},
    {MAP_NUMBER, memory_map, "MAP_MEMORY_TO_GPU", true},
    {0x19, memory_unmap, "UNMAP_MEMORY_FROM_GPU", true},
    {0x1a, queue_cu_mask, "SET_CU_MASK", true},
    {0x20, refuse_svm, "SVM", false},
    {XNACK_NUMBER, set_xnack_mode, "SET_XNACK_MODE", false},
    {0x23, get_available_memory, "AVAILABLE_MEMORY", true},
    {0x80, share_import, "IPC_IMPORT_HANDLE", true},
    {0x81, share_export, "IPC_EXPORT_HANDLE", true},
    {.number = DBG_TRAP_NUMBER, .serve = refuse_debugger, .name = "DBG_TRAP"},
};

static int ioctl_call(struct driver *d, struct client *c, const struct shim_request *request, void *arg)
{
    uint32_t number = request->code & 0xff;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].number != number)
            continue;
        int error = table[i].serve(d, c, arg);
        log_debug("driver", "client %u: %s: %s", c->index, table[i].name, error ? strerror(error) : "done");
        return error;
    }
    log_warn("driver", "client %u: ioctl 0x%08x (number 0x%02x) is not served", c->index, request->code, number);
    return EINVAL;
}

bool ioctl_waits(const struct shim_request *request)
{
    return (request->code & 0xff) == WAIT_NUMBER;
}

bool ioctl_changes(const struct shim_request *request)
{
    const uint32_t number = request->code & 0xff;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].number == number)
            return table[i].changes;
    return false;
}

static bool ioctl_opens(const struct shim_request *request)
{
    return (request->code & 0xff) == CREATE_QUEUE_NUMBER;
}

/* What it has mapped, or what a queue finds mapped, may be used as soon as it is answered. */
static bool ioctl_maps(const struct shim_request *request)
{
    return (request->code & 0xff) == MAP_NUMBER || ioctl_opens(request);
}

/* The structure of a client may be of an older or a newer user space than ours.  As amdkfd does: what a shorter one
 * lacks is zero, what a longer one has more is not looked at, and only its own bytes go back (sw/shim/device.c). */
static bool argument_fit(const struct client *c, struct shim_request *request)
{
    const uint32_t bytes = request->bytes;
    if (bytes != _IOC_SIZE(request->code)) { /* not from the shim */
        log_warn("driver", "client %u: ioctl 0x%08x with an argument of %u bytes refused", c->index, request->code,
                 bytes);
        return false;
    }
    if (bytes < sizeof request->data)
        memset(request->data + bytes, 0, sizeof request->data - bytes);
    return true;
}

bool ioctl_serve(struct driver *d, struct conn *conn, struct shim_answer *answer)
{
    struct shim_request *request = &conn->request;
    struct tables_wait tables;
    bool behind = false; /* page tables are to be written first */
    int error;
    tables_before(d, conn->client, ioctl_opens(request), &tables);
    const bool fits = argument_fit(conn->client, request);
    memcpy(answer->data, request->data, sizeof answer->data);
    if (!conn->client->opened) { /* a descriptor inherited over fork: the child has to open its own */
        log_info("driver", "client %u: ioctl on a descriptor of another process", conn->client->index);
        error = EBADF;
    } else if (!fits) {
        error = EINVAL;
    } else if (ioctl_waits(request)) {
        error = event_wait_begin(d, conn);
        if (!error)
            return false;
    } else {
        error = ioctl_call(d, conn->client, request, answer->data);
        behind = ioctl_maps(request) && tables_behind(d, &tables);
    }
    if (error == EAGAIN) { /* the runtime calls again with the same argument, as it does with the kernel's driver */
        memcpy(answer->data, request->data, sizeof answer->data);
        if (!behind) {
            conn->state = CONN_SLEEP; /* some cycles later */
            conn->again = true;
            conn->deadline = client_cycle(d) + WAIT_LEAST;
            return false;
        }
    }
    answer->result = error ? -1 : 0;
    answer->error = (uint32_t)error;
    if (!behind)
        return true;
    tables.answer = *answer;
    conn->tables = tables;
    conn->state = CONN_TABLES;
    return false;
}
